/* The context: allocator, diagnostics, and the codes every function returns.
 *
 * Codes: 0 is success, negative is an error, positive is news. Functions that find mistakes in a model add
 * diagnostics to the context, as many as they can find, and return TN_ERROR_MODEL.
 *
 * A context and all objects made with it belong to one thread at a time. */
#ifndef TENON_CONTEXT_H
#define TENON_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TN_OK = 0,
    TN_NEWS_END = 1,           /* the end of the run is reached */
    TN_NEWS_INTERRUPTED = 2,   /* a callback stopped the call */
    TN_NEWS_STOPPED = 3,       /* an event ended the run */
    TN_ERROR_MEMORY = -1,      /* the allocator returned NULL */
    TN_ERROR_ARGUMENT = -2,    /* an argument is invalid; the diagnostic says which */
    TN_ERROR_STALE = -3,       /* an id whose entity is gone */
    TN_ERROR_FILE = -4,        /* a file cannot be read or written */
    TN_ERROR_MODEL = -5,       /* the model is wrong; see the diagnostics */
    TN_ERROR_ASSEMBLY = -6,    /* the mechanism cannot be put together */
    TN_ERROR_STEP = -7,        /* a step cannot be taken; the last good state is kept */
    TN_ERROR_TEAM = -8         /* a process that shares the work is gone; the last good state is kept */
};

/* Short English text for a code. */
TN_API const char *tn_error_text(int code);

typedef struct tn_context tn_context;

typedef struct tn_context_options {
    /* realloc-like: pointer NULL allocates, size 0 frees. NULL: the C library's. Memory need not be cleared. */
    void *(*reallocate)(void *user, void *pointer, size_t size);
    void *user;
} tn_context_options;

/* NULL when out of memory. options may be NULL. */
TN_API tn_context *tn_context_create(const tn_context_options *options);
TN_API void tn_context_destroy(tn_context *context);

/* From now on this context opens files for reading only below the folder, after following links. Files elsewhere and
 * hidden files (a name in the path begins with a dot) are refused as if they did not exist. NULL: no restriction.
 * TN_ERROR_FILE when the folder does not exist. For model texts from untrusted sources. */
TN_API int tn_context_confine(tn_context *context, const char *folder);

/* Whether models that are read with this context may name shared libraries; by default they may. Loading a library runs
 * its code: refuse this for models from untrusted sources. */
TN_API void tn_context_refuse_libraries(tn_context *context, bool refuse);
TN_API bool tn_context_refuses_libraries(const tn_context *context);

/* For components that other machines serve ("use: tenon://HOST:PORT/NAME"). tokens: what servers ask for, "HOST:PORT=TOKEN" for
 * one server or "TOKEN" for all others, separated by commas. authority: a file with the certificates that servers may show or
 * that have signed theirs (PEM); NULL: those that the system trusts. The texts are copied. */
TN_API int tn_context_credentials(tn_context *context, const char *tokens, const char *authority);
/* The same from the environment: TENON_TOKEN and TENON_AUTHORITY. */
TN_API int tn_context_credentials_of_environment(tn_context *context);

/* A function of the program that expressions call by its name: "grip(pin.angle, pin.rate)" in forces, devices, events and
 * outputs. The value may depend on the arguments alone, and must be the same for the same arguments: it is called at states that
 * a step tries and drops. Where derivatives are needed they are central differences. The name is that of no other function;
 * letters, digits and _. A value that is not finite makes the step fail. Several threads may call it at a time when the
 * context has a team. */
enum { TN_USER_ARGUMENTS = 8 };
typedef struct tn_user_function {
    const char *name;
    int argument_count;                        /* 1 to TN_USER_ARGUMENTS */
    const char *argument_units[TN_USER_ARGUMENTS]; /* SI units; NULL: any */
    const char *unit;                          /* of the value; NULL: any */
    double (*call)(void *user, const double *arguments);
    void *user;
} tn_user_function;
/* All texts are copied. Add functions before models are read; a function with the same name takes the place of the old one in
 * models that are read afterwards. */
TN_API int tn_context_add_function(tn_context *context, const tn_user_function *function);

/* A position in a file. line and column count from 1; 0 = unknown. */
typedef struct tn_span {
    const char *file;          /* NULL: not from a file */
    int line, column;
} tn_span;

typedef enum tn_severity { TN_NOTE, TN_WARNING, TN_ERROR } tn_severity;

typedef struct tn_diagnostic {
    tn_severity severity;
    tn_span span;
    const char *message;       /* one line, no full stop */
} tn_diagnostic;

TN_API size_t tn_diagnostics_count(const tn_context *context);
/* Borrowed; valid until the next call that clears or adds. NULL when out of range. */
TN_API const tn_diagnostic *tn_diagnostics_get(const tn_context *context, size_t index);
TN_API void tn_diagnostics_clear(tn_context *context);
/* Writes "file:line:col: error: message" lines and returns how many of them are errors. */
TN_API int tn_diagnostics_print(const tn_context *context, FILE *out);

/* The candidate nearest to word, or NULL when no candidate is near enough to be the intended one. */
TN_API const char *tn_nearest_text(const char *word, const char *const *candidates, size_t count);

/* s: a monotonic clock. Only differences have a meaning: durations and deadlines. */
TN_API double tn_clock(void);

#ifdef __cplusplus
}
#endif
#endif
