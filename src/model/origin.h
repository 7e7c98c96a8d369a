/* Where a model comes from: the files it was read from. Model files in full, so that it can be read again whatever
 * becomes of them; meshes and tables by size and hash. A model and its clones share one. */
#ifndef TN_MODEL_ORIGIN_H
#define TN_MODEL_ORIGIN_H

#include "mem.h"
#include "tenon/model.h"

typedef struct tn_origin_file {
    const char *path;          /* absolute, unless it was no file */
    const char *text;          /* NULL: by size and hash only */
    size_t size;
    uint64_t hash;
} tn_origin_file;

typedef struct tn_origin {
    tn_context *context;
    tn_arena *arena;
    const char *folder;        /* what paths in the first file are relative to; absolute */
    tn_origin_file *files;     /* the first is the main one */
    size_t count, capacity;
    tn_setting *settings;      /* parameters that were given other values than the files say */
    size_t setting_count;
    int users;
} tn_origin;

int tn_origin_create(tn_origin **out, tn_context *context, const char *folder);
tn_origin *tn_origin_share(tn_origin *origin);          /* NULL stays NULL */
void tn_origin_release(tn_origin *origin);
/* Copies path and text. A file that is there already stays as it is. */
int tn_origin_add(tn_origin *origin, const tn_origin_file *file);
/* NULL when there is no such file. */
const tn_origin_file *tn_origin_find(const tn_origin *origin, const char *path);
/* Copies them. */
int tn_origin_set_parameters(tn_origin *origin, const tn_setting *settings, size_t count);

/* A command that has changed the model since it was read, after those before it. A model and its clones share them. */
typedef struct tn_amendment tn_amendment;
struct tn_amendment {
    tn_context *context;
    tn_amendment *before;      /* NULL: it was the first */
    int users;
    const char *changes;       /* what the text of the model has to say now: notes of io/text_change.h */
    const char *inside;        /* the first thing in a subsystem that was changed, which has its own file; NULL: none */
    const char *text;          /* the command, for values in the notes */
    size_t size;
};
/* One more, with copies of the texts; *list is the last so far and becomes the new one. */
int tn_amendment_add(tn_amendment **list, tn_context *context, const tn_amendment *what);
/* One that belongs to no list yet becomes the last; given away. */
void tn_amendment_append(tn_amendment **list, tn_amendment *one);
tn_amendment *tn_amendment_share(tn_amendment *last);   /* NULL stays NULL */
void tn_amendment_release(tn_amendment *last);

#endif
