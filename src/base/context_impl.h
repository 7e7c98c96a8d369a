/* The data of a context; private to this layer. */
#ifndef TN_BASE_CONTEXT_IMPL_H
#define TN_BASE_CONTEXT_IMPL_H

#include "mem.h"
#include "tenon/team.h"

struct tn_context {
    void *(*reallocate)(void *user, void *pointer, size_t size);
    void *user;
    tn_diagnostic *diagnostics;
    size_t count, capacity;
    tn_arena *texts;               /* messages and file names of the diagnostics */
    char *folder;                  /* files are read below it only; absolute, without links. NULL: anywhere */
    const tn_team *team;           /* NULL: this process works alone */
    const tn_memory_file *given;   /* files in place of those on disk; NULL: from disk */
    size_t given_count;
    bool no_libraries;
    char *tokens, *authority;      /* of servers of components */
    struct tn_remembered {
        uint64_t key;
        int value;
    } *remembered;
    size_t remembered_count, remembered_capacity;
    void **objects;                /* that others may find again */
    size_t object_count, object_capacity;
    struct tn_program_function *functions;     /* of the program, for expressions; the last added first */
    size_t errors, errors_unkept;  /* all errors; the errors that were counted but not stored */
};

#endif
