/* The files that a model was read from, and the commands that changed the model since. */
#include "origin.h"

#include <string.h>

int tn_origin_create(tn_origin **out, tn_context *context, const char *folder)
{
    tn_origin *origin = tn_alloc(context, 1, sizeof *origin);
    *out = NULL;
    if (!origin)
        return TN_ERROR_MEMORY;
    *origin = (tn_origin){ .context = context, .arena = tn_arena_create(context), .users = 1 };
    origin->folder = origin->arena ? tn_arena_strdup(origin->arena, folder) : NULL;
    if (!origin->folder) {
        tn_origin_release(origin);
        return TN_ERROR_MEMORY;
    }
    *out = origin;
    return TN_OK;
}

tn_origin *tn_origin_share(tn_origin *origin)
{
    if (origin)
        origin->users++;
    return origin;
}

void tn_origin_release(tn_origin *origin)
{
    if (!origin || --origin->users > 0)
        return;
    tn_arena_destroy(origin->arena);
    tn_free(origin->context, origin->files);
    tn_free(origin->context, origin);
}

int tn_origin_add(tn_origin *origin, const tn_origin_file *file)
{
    if (tn_origin_find(origin, file->path))
        return TN_OK;
    TN_TRY(tn_grow(origin->context, &origin->files, &origin->capacity, origin->count + 1, sizeof *origin->files));
    tn_origin_file *own = &origin->files[origin->count];
    *own = *file;
    own->path = tn_arena_strdup(origin->arena, file->path);
    own->text = file->text ? tn_arena_strndup(origin->arena, file->text, file->size) : NULL;
    if (!own->path || (file->text && !own->text))
        return TN_ERROR_MEMORY;
    origin->count++;
    return TN_OK;
}

const tn_origin_file *tn_origin_find(const tn_origin *origin, const char *path)
{
    for (size_t k = 0; k < origin->count; k++)
        if (strcmp(origin->files[k].path, path) == 0)
            return &origin->files[k];
    return NULL;
}

int tn_origin_set_parameters(tn_origin *origin, const tn_setting *settings, size_t count)
{
    tn_setting *own = tn_arena_alloc(origin->arena, count, sizeof *own);
    if (!own)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        own[k] = (tn_setting){ tn_arena_strdup(origin->arena, settings[k].name), settings[k].value };
        if (!own[k].name)
            return TN_ERROR_MEMORY;
    }
    origin->settings = own;
    origin->setting_count = count;
    return TN_OK;
}

static void count_bytes(tn_amendment *last)
{
    size_t own = sizeof *last + last->size + strlen(last->changes) + (last->inside ? strlen(last->inside) : 0);
    last->bytes = own + (last->before ? last->before->bytes : 0);
}

int tn_amendment_add(tn_amendment **list, tn_context *context, const tn_amendment *what)
{
    size_t changes = strlen(what->changes) + 1, inside = what->inside ? strlen(what->inside) + 1 : 0;
    tn_amendment *last = tn_alloc(context, 1, sizeof *last + what->size + 1 + changes + inside);
    if (!last)
        return TN_ERROR_MEMORY;
    char *text = (char *)(last + 1), *rest = text + what->size + 1;
    if (what->size > 0)
        memcpy(text, what->text, what->size);
    memcpy(rest, what->changes, changes);
    if (inside > 0)
        memcpy(rest + changes, what->inside, inside);
    *last = (tn_amendment){ .context = context, .before = *list, .users = 1, .changes = rest, .text = text,
                            .size = what->size, .inside = inside > 0 ? rest + changes : NULL };
    count_bytes(last);
    *list = last;
    return TN_OK;
}

void tn_amendment_append(tn_amendment **list, tn_amendment *one)
{
    one->before = *list;
    count_bytes(one);
    *list = one;
}

tn_amendment *tn_amendment_share(tn_amendment *last)
{
    if (last)
        last->users++;
    return last;
}

void tn_amendment_release(tn_amendment *last)
{
    while (last && --last->users == 0) {
        tn_amendment *before = last->before;
        tn_free(last->context, last);
        last = before;
    }
}
