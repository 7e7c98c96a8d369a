/* The context's allocator, arenas and growing texts. */
#define _DEFAULT_SOURCE        /* madvise */
#include "mem.h"
#include "context_impl.h"
#include "tn_assert.h"
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

void *tn_alloc(tn_context *context, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size > 0 ? count * size : 1;
    void *pointer = context->reallocate(context->user, NULL, bytes);
    if (pointer)
        memset(pointer, 0, bytes);
    return pointer;
}

void tn_free(tn_context *context, void *pointer)
{
    if (pointer)
        context->reallocate(context->user, pointer, 0);
}

void *tn_reallocate(tn_context *context, void *pointer, size_t size)
{
    return context->reallocate(context->user, pointer, size);
}

/* array is a T **; it is read and written as bytes because T is not known here. */
int tn_grow(tn_context *context, void *array, size_t *capacity, size_t need, size_t size)
{
    enum { SMALLEST = 8 };
    TN_ASSERT(size > 0);
    if (need <= *capacity)
        return TN_OK;
    size_t room = *capacity < SMALLEST ? SMALLEST : *capacity;
    while (room < need)
        room = room > SIZE_MAX / 2 ? need : 2 * room;
    if (room > SIZE_MAX / size)
        return TN_ERROR_MEMORY;
    char *data;
    memcpy(&data, array, sizeof data);
    data = context->reallocate(context->user, data, room * size);
    if (!data)
        return TN_ERROR_MEMORY;
    memset(data + *capacity * size, 0, (room - *capacity) * size);
    memcpy(array, &data, sizeof data);
    *capacity = room;
    return TN_OK;
}

char *tn_strdup(tn_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = tn_alloc(context, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

typedef struct arena_block {
    struct arena_block *next;
    size_t size, used;             /* bytes after this header */
} arena_block;

/* A function to be called when the arena is destroyed; in the arena. */
typedef struct arena_end {
    void (*end)(void *user);
    void *user;
    struct arena_end *next;
} arena_end;

struct tn_arena {
    tn_context *context;
    arena_block *blocks;           /* the newest first; only it has room to give */
    size_t used;
    bool failed;                   /* an allocation has failed */
    arena_end *ends;               /* what to call at the end; the newest first */
};

tn_arena *tn_arena_create(tn_context *context)
{
    tn_arena *arena = tn_alloc(context, 1, sizeof *arena);
    if (arena)
        arena->context = context;
    return arena;
}

/* Calls the functions that were noted after another one, which is NULL where all are to be called. */
static void call_ends(tn_arena *arena, const void *before)
{
    for (; arena->ends != before; arena->ends = arena->ends->next)
        arena->ends->end(arena->ends->user);
}

static void free_blocks(tn_arena *arena)
{
    for (arena_block *next; arena->blocks; arena->blocks = next) {
        next = arena->blocks->next;
        tn_free(arena->context, arena->blocks);
    }
}

void tn_arena_destroy(tn_arena *arena)
{
    if (!arena)
        return;
    call_ends(arena, NULL);
    free_blocks(arena);
    tn_free(arena->context, arena);
}

/* A piece of the block, or NULL when it does not fit. */
static void *block_take(arena_block *block, size_t bytes, size_t alignment)
{
    if (!block)
        return NULL;
    TN_ASSERT(block->used <= block->size && (alignment & (alignment - 1)) == 0);
    char *free_begin = (char *)(block + 1) + block->used;
    size_t padding = (size_t)(-(uintptr_t)free_begin & (alignment - 1));
    size_t room = block->size - block->used;
    if (room < padding || room - padding < bytes)
        return NULL;
    block->used += padding + bytes;
    return free_begin + padding;
}

/* Large memory is walked from end to end at every evaluation: large pages save a good part of that. Advice only. */
static void prefer_large_pages(char *begin, size_t size)
{
#ifdef MADV_HUGEPAGE
    enum { LARGE_PAGE = 1 << 21 };
    size_t skip = (size_t)(-(uintptr_t)begin & (LARGE_PAGE - 1));
    if (size >= 2 * LARGE_PAGE)
        madvise(begin + skip, (size - skip) & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
#else
    (void)begin;
    (void)size;
#endif
}

/* Adds a block with room for this many bytes. A large piece gets its own block behind the newest one, which keeps its
 * free room. */
static arena_block *block_create(tn_arena *arena, size_t bytes)
{
    enum { SMALLEST = 4096, LARGEST = 1 << 20 };
    arena_block *newest = arena->blocks;
    size_t size = newest && newest->size < LARGEST ? 2 * newest->size : newest ? LARGEST : SMALLEST;
    bool alone = newest && bytes > size / 8;
    if (alone || size < bytes)
        size = bytes;
    arena_block *block = arena->context->reallocate(arena->context->user, NULL, sizeof *block + size);
    if (!block)
        return NULL;
    prefer_large_pages((char *)block, sizeof *block + size);
    arena_block **link = alone ? &newest->next : &arena->blocks;
    *block = (arena_block){ .next = *link, .size = size };
    *link = block;
    return block;
}

/* Several blocks become one, with room for gaps between pieces that fall elsewhere. */
static int merge_blocks(tn_arena *arena)
{
    size_t size = 0;
    for (const arena_block *block = arena->blocks; block; block = block->next)
        size += block->size + block->size / 4;
    free_blocks(arena);
    return block_create(arena, size) ? TN_OK : TN_ERROR_MEMORY;
}

int tn_arena_clear(tn_arena *arena)
{
    call_ends(arena, NULL);
    arena->used = 0;
    arena->failed = false;
    if (arena->blocks && arena->blocks->next)
        return merge_blocks(arena);
    if (arena->blocks)
        arena->blocks->used = 0;
    return TN_OK;
}

tn_arena_mark tn_arena_now(const tn_arena *arena)
{
    const arena_block *newest = arena->blocks;
    return (tn_arena_mark){ .newest = newest, .next = newest ? newest->next : NULL, .block_used = newest ? newest->used : 0,
                            .used = arena->used, .ends = arena->ends, .failed = arena->failed };
}

/* Frees the blocks of a list that come before another block of the list. */
static arena_block *free_until(tn_arena *arena, arena_block *list, const void *end)
{
    for (arena_block *next; list != end; list = next) {
        TN_ASSERT(list);
        next = list->next;
        tn_free(arena->context, list);
    }
    return list;
}

void tn_arena_release(tn_arena *arena, const tn_arena_mark *mark)
{
    TN_ASSERT(arena->used >= mark->used);
    if (mark->used == 0 && !mark->failed) {
        (void)tn_arena_clear(arena);                   /* without memory it has no blocks, which is valid */
        return;
    }
    call_ends(arena, mark->ends);
    arena->blocks = free_until(arena, arena->blocks, mark->newest);
    if (arena->blocks) {
        arena->blocks->next = free_until(arena, arena->blocks->next, mark->next);
        arena->blocks->used = mark->block_used;
    }
    arena->used = mark->used;
    arena->failed = mark->failed;
}

/* NULL: out of memory. */
static void *take_piece(tn_arena *arena, size_t count, size_t size)
{
    enum { CACHE_LINE = 64 };
    if (size > 0 && count > (SIZE_MAX - 2 * sizeof(arena_block) - CACHE_LINE) / size)
        return NULL;
    size_t bytes = count * size > 0 ? count * size : 1;
    size_t alignment = bytes >= CACHE_LINE ? CACHE_LINE : _Alignof(max_align_t);
    void *piece = block_take(arena->blocks, bytes, alignment);
    if (!piece)
        piece = block_take(block_create(arena, bytes + alignment), bytes, alignment);
    if (!piece)
        return NULL;
    arena->used += bytes;
    return memset(piece, 0, bytes);
}

void *tn_arena_alloc(tn_arena *arena, size_t count, size_t size)
{
    TN_ASSERT(arena);
    void *piece = take_piece(arena, count, size);
    arena->failed = arena->failed || !piece;
    return piece;
}

int tn_arena_status(const tn_arena *arena)
{
    return arena->failed ? TN_ERROR_MEMORY : TN_OK;
}

char *tn_arena_strndup(tn_arena *arena, const char *text, size_t length)
{
    char *copy = tn_arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *tn_arena_strdup(tn_arena *arena, const char *text)
{
    return tn_arena_strndup(arena, text, strlen(text));
}

size_t tn_arena_used(const tn_arena *arena)
{
    return arena->used;
}

void tn_text_begin(tn_text *text, tn_context *context)
{
    *text = (tn_text){ .context = context };
}

/* Room for more characters and the closing zero. */
static bool text_reserve(tn_text *text, size_t more)
{
    if (!text->broken && tn_grow(text->context, &text->data, &text->capacity, text->length + more + 1, 1) < 0)
        text->broken = true;
    return !text->broken;
}

static void add_bytes(tn_text *text, const char *bytes, size_t count)
{
    if (!text_reserve(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

/* Prints where there is room in most cases, and once more where there was not. */
static void add_printed(tn_text *text, const char *format, va_list first, va_list second)
{
    enum { USUAL = 40 };
    if (!text_reserve(text, USUAL))
        return;
    size_t room = text->capacity - text->length;
    int length = vsnprintf(text->data + text->length, room, format, first);
    if (length < 0) {
        text->broken = true;
        return;
    }
    if ((size_t)length >= room) {
        if (!text_reserve(text, (size_t)length))
            return;
        vsnprintf(text->data + text->length, (size_t)length + 1, format, second);
    }
    text->length += (size_t)length;
}

/* Most pieces of a text are plain or "%s": printing would take ten times as long as copying. */
void tn_text_add(tn_text *text, const char *format, ...)
{
    va_list first, second;
    va_start(first, format);
    va_copy(second, first);
    if (!strchr(format, '%')) {
        add_bytes(text, format, strlen(format));
    } else if (strcmp(format, "%s") == 0) {
        const char *piece = va_arg(first, const char *);
        add_bytes(text, piece ? piece : "(null)", piece ? strlen(piece) : 6);
    } else {
        add_printed(text, format, first, second);
    }
    va_end(second);
    va_end(first);
}

void tn_text_add_json(tn_text *text, const char *s)
{
    tn_text_add(text, "\"");
    while (*s) {
        size_t plain = strcspn(s, "\"\\\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
                                  "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f");
        if (text_reserve(text, plain)) {
            memcpy(text->data + text->length, s, plain);
            text->length += plain;
        }
        s += plain;
        if (*s == '"' || *s == '\\')
            tn_text_add(text, "\\%c", *s++);
        else if (*s)
            tn_text_add(text, "\\u%04x", (unsigned)*s++);
    }
    tn_text_add(text, "\"");
}

int tn_text_take(tn_text *text, char **out)
{
    *out = NULL;
    if (!text_reserve(text, 0)) {
        tn_free(text->context, text->data);
        tn_text_begin(text, text->context);
        return TN_ERROR_MEMORY;
    }
    text->data[text->length] = '\0';
    *out = text->data;
    tn_text_begin(text, text->context);
    return TN_OK;
}

int tn_arena_on_destroy(tn_arena *arena, void (*end)(void *user), void *user)
{
    arena_end *item = tn_arena_alloc(arena, 1, sizeof *item);
    if (!item)
        return TN_ERROR_MEMORY;
    *item = (arena_end){ end, user, arena->ends };
    arena->ends = item;
    return TN_OK;
}
