/* The table of names: a hash table with open addressing and linear probing, at most half full. Removal moves later
 * entries of the cluster back, so that there are no tombstones. */
#include "names.h"

#include <string.h>

typedef struct name_entry {
    const char *path;          /* NULL: free */
    tn_id id;
} name_entry;

struct tn_name_table {
    tn_context *context;
    name_entry *entries;
    size_t capacity;           /* a power of two */
    size_t count;
};

enum { FIRST_CAPACITY = 64 };

/* FNV-1a. */
static size_t hash(const char *path)
{
    uint64_t h = 14695981039346656037u;
    for (; *path; path++)
        h = (h ^ (unsigned char)*path) * 1099511628211u;
    return (size_t)(h ^ (h >> 32));
}

/* Where path is, or the free entry where it would be. */
static size_t locate(const tn_name_table *names, const char *path)
{
    size_t mask = names->capacity - 1, i = hash(path) & mask;
    while (names->entries[i].path && strcmp(names->entries[i].path, path) != 0)
        i = (i + 1) & mask;
    return i;
}

static int create_names(tn_name_table **out, tn_context *context, size_t capacity)
{
    tn_name_table *names = tn_alloc(context, 1, sizeof *names);
    if (!names)
        return TN_ERROR_MEMORY;
    names->context = context;
    names->capacity = capacity;
    names->entries = tn_alloc(context, names->capacity, sizeof *names->entries);
    if (!names->entries) {
        tn_free(context, names);
        return TN_ERROR_MEMORY;
    }
    *out = names;
    return TN_OK;
}

int tn_names_create(tn_name_table **out, tn_context *context)
{
    return create_names(out, context, FIRST_CAPACITY);
}

int tn_names_clone(tn_name_table **out, const tn_name_table *names, const char *(*path)(const void *user, tn_id id),
                   const void *user)
{
    TN_TRY(create_names(out, names->context, names->capacity));
    (*out)->count = names->count;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->entries[i].path)
            (*out)->entries[i] = (name_entry){ path(user, names->entries[i].id), names->entries[i].id };
    return TN_OK;
}

void tn_names_destroy(tn_name_table *names)
{
    if (!names)
        return;
    tn_free(names->context, names->entries);
    tn_free(names->context, names);
}

int tn_names_reserve(tn_name_table *names)
{
    if (5 * (names->count + 1) <= 4 * names->capacity)
        return TN_OK;
    name_entry *old = names->entries;
    size_t old_capacity = names->capacity;
    name_entry *entries = tn_alloc(names->context, 2 * old_capacity, sizeof *entries);
    if (!entries)
        return TN_ERROR_MEMORY;
    names->entries = entries;
    names->capacity = 2 * old_capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].path)
            entries[locate(names, old[i].path)] = old[i];
    tn_free(names->context, old);
    return TN_OK;
}

void tn_names_put(tn_name_table *names, const char *path, tn_id id)
{
    names->entries[locate(names, path)] = (name_entry){ path, id };
    names->count++;
}

tn_id tn_names_find(const tn_name_table *names, const char *path)
{
    const name_entry *entry = &names->entries[locate(names, path)];
    return entry->path ? entry->id : (tn_id){ 0, 0, TN_KIND_NONE, 0 };
}

void tn_names_remove(tn_name_table *names, const char *path)
{
    size_t mask = names->capacity - 1, hole = locate(names, path);
    if (!names->entries[hole].path)
        return;
    names->count--;
    for (size_t i = (hole + 1) & mask; names->entries[i].path; i = (i + 1) & mask) {
        size_t home = hash(names->entries[i].path) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            names->entries[hole] = names->entries[i];
            hole = i;
        }
    }
    names->entries[hole].path = NULL;
}
