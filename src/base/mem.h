/* Memory: the context's allocator, growing arrays, arenas. Everything returns NULL (or TN_ERROR_MEMORY) when the
 * allocator does; nothing aborts. */
#ifndef TN_BASE_MEM_H
#define TN_BASE_MEM_H

#include "tenon/context.h"
#include <stdbool.h>

#define TN_TRY(call) do { int tn_try_ = (call); if (tn_try_ < 0) return tn_try_; } while (0)
#define TN_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Whether tn_context_confine allows reading the file; false for a file that does not exist. */
bool tn_context_may_read(const tn_context *context, const char *path);
/* The token for a server of components, "host:port"; "" where there is none. The file of certificates, or NULL. */
void tn_context_token(char *out, size_t room, const tn_context *context, const char *server);
const char *tn_context_authority(const tn_context *context);

/* Files in memory: from now on the context reads only these files, by exactly these paths, and no files from disk. They
 * are not copied. NULL: reads from disk again. */
typedef struct tn_memory_file {
    const char *path, *data;
    size_t size;
} tn_memory_file;
void tn_context_give(tn_context *context, const tn_memory_file *files, size_t count);
bool tn_context_in_memory(const tn_context *context);
/* NULL: there is no file with this path. */
const tn_memory_file *tn_context_given(const tn_context *context, const char *path);

/* A cache of numbers in a context, by unique keys. recall returns false when the key is unknown. */
int tn_context_remember(tn_context *context, uint64_t key, int value);
bool tn_context_recall(const tn_context *context, uint64_t key, int *value);

/* Objects that others of the same context may find again. The list holds no reference: an object removes itself. NULL: there are
 * no more. */
int tn_context_list_add(tn_context *context, void *object);
void tn_context_list_remove(tn_context *context, const void *object);
void *tn_context_list_at(const tn_context *context, size_t index);

/* Cleared memory; size 0 gives a valid pointer. */
void *tn_alloc(tn_context *context, size_t count, size_t size);
void tn_free(tn_context *context, void *pointer);
/* Like realloc, not cleared; size 0 frees. */
void *tn_reallocate(tn_context *context, void *pointer, size_t size);
/* Makes room for need elements of the given size in *array; new memory is cleared. */
int tn_grow(tn_context *context, void *array, size_t *capacity, size_t need, size_t size);
char *tn_strdup(tn_context *context, const char *text);

/* An arena: many small pieces, freed together. Cleared memory, aligned for any type (to 64 bytes when size >= 64). */
typedef struct tn_arena tn_arena;
tn_arena *tn_arena_create(tn_context *context);
void tn_arena_destroy(tn_arena *arena);
void *tn_arena_alloc(tn_arena *arena, size_t count, size_t size);
char *tn_arena_strdup(tn_arena *arena, const char *text);
char *tn_arena_strndup(tn_arena *arena, const char *text, size_t length);
/* TN_OK, or TN_ERROR_MEMORY once an allocation from the arena has failed: one check behind many allocations, for arenas
 * that end with the object when it cannot be made. Nothing may be written to the pieces before the check. */
int tn_arena_status(const tn_arena *arena);
/* Calls end(user) when the arena is destroyed, before its memory is freed: for what other libraries have allocated. */
int tn_arena_on_destroy(tn_arena *arena, void (*end)(void *user), void *user);
/* Ends all pieces of the arena, and keeps memory for as many: a user that needs the same again requests none. */
int tn_arena_clear(tn_arena *arena);
/* Scratch memory: release ends the pieces that were taken since the mark, in the reverse order of the marks. Where the arena was
 * empty at the mark, release keeps memory for as many pieces. */
typedef struct tn_arena_mark {
    const void *newest, *next, *ends;      /* blocks of the arena; functions to be called */
    size_t block_used, used;
    bool failed;
} tn_arena_mark;
tn_arena_mark tn_arena_now(const tn_arena *arena);
void tn_arena_release(tn_arena *arena, const tn_arena_mark *mark);
/* Bytes allocated from the arena. */
size_t tn_arena_used(const tn_arena *arena);

/* A text that grows. After a failed append the text is marked broken and tn_text_take returns TN_ERROR_MEMORY. */
typedef struct tn_text {
    tn_context *context;
    char *data;
    size_t length, capacity;
    bool broken;
} tn_text;
void tn_text_begin(tn_text *text, tn_context *context);
void tn_text_add(tn_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds s as a quoted JSON string. */
void tn_text_add_json(tn_text *text, const char *s);
int tn_text_take(tn_text *text, char **out);

#endif
