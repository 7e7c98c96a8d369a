/* The origin of a model: the files it was read from. Model files are kept in full, so that the model can be read again
 * when the files have changed; meshes and tables are kept as size and hash. A model and its clones share one origin. */
#ifndef TN_MODEL_ORIGIN_H
#define TN_MODEL_ORIGIN_H

#include "mem.h"
#include "tenon/model.h"

typedef struct tn_origin_file {
    const char *path;          /* absolute, unless the text was read from memory */
    const char *text;          /* NULL: by size and hash only */
    size_t size;
    uint64_t hash;
} tn_origin_file;

typedef struct tn_origin {
    tn_context *context;
    tn_arena *arena;
    const char *folder;        /* base folder of relative paths in the first file; absolute */
    tn_origin_file *files;     /* the first is the main one */
    size_t count, capacity;
    tn_setting *settings;      /* parameters that were given other values than the files say */
    size_t setting_count;
    int users;
} tn_origin;

int tn_origin_create(tn_origin **out, tn_context *context, const char *folder);
tn_origin *tn_origin_share(tn_origin *origin);          /* NULL stays NULL */
void tn_origin_release(tn_origin *origin);
/* Copies path and text. A file that is known already does not change. */
int tn_origin_add(tn_origin *origin, const tn_origin_file *file);
/* NULL when there is no such file. */
const tn_origin_file *tn_origin_find(const tn_origin *origin, const char *path);
/* Copies them. */
int tn_origin_set_parameters(tn_origin *origin, const tn_setting *settings, size_t count);

/* A command that has changed the model since it was read; a list, the last command first. Clones share the list. */
typedef struct tn_amendment tn_amendment;
struct tn_amendment {
    tn_context *context;
    tn_amendment *before;      /* NULL: it was the first */
    int users;
    const char *changes;       /* changes of the model's text: notes of io/text_change.h */
    const char *inside;        /* the first changed entity inside a subsystem, which has its own file; NULL: none */
    const char *text;          /* the command, for values in the notes */
    size_t size;
    size_t bytes;              /* of this command and all before it, back to a whole text (tn_model_renew_text) */
};
/* Adds a command, with copies of the texts; *list is the last command and becomes the new one. */
int tn_amendment_add(tn_amendment **list, tn_context *context, const tn_amendment *what);
/* Appends a command that belongs to no list yet; the list takes ownership. */
void tn_amendment_append(tn_amendment **list, tn_amendment *one);
tn_amendment *tn_amendment_share(tn_amendment *last);   /* NULL stays NULL */
void tn_amendment_release(tn_amendment *last);

#endif
