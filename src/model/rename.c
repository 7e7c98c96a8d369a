/* Renaming of entities. */
#include "check.h"
#include "components.h"
#include "diag.h"
#include "names.h"
#include "tables.h"

#include <string.h>

/* The number of entries does not change: there is room for the new path. */
static void move_path(tn_model *model, tn_id id, const char *path)
{
    tn_names_remove(model->names, tn_table_path(model, (tn_kind)id.kind, id.index));
    tn_names_put(model->names, path, id);
}

static void rename_entity(tn_model *model, tn_id id, const char *name)
{
    move_path(model, id, name);
    tn_table_entity(model, (tn_kind)id.kind, id.index)->name = name;
}

/* owner: length of the body's name, with which the path begins. */
static void rename_frame(tn_model *model, size_t index, const char *path, size_t owner)
{
    move_path(model, tn_table_id(model, TN_KIND_FRAME, index), path);
    model->frames[index].path = path;
    model->frames[index].entity.name = path + owner + 1;
}

/* Allocates everything first, so that nothing has changed when memory runs out. */
static int rename_body(tn_model *model, tn_id id, const char *name)
{
    const char **paths = tn_alloc(model->context, model->frame_count, sizeof *paths);
    int code = paths ? TN_OK : TN_ERROR_MEMORY;
    for (size_t i = 0; i < model->frame_count && code == TN_OK; i++) {
        const tn_frame *frame = &model->frames[i];
        if (!frame->entity.alive || frame->body != id.index)
            continue;
        paths[i] = tn_table_make_path(model, name, frame->entity.name);
        code = paths[i] ? TN_OK : TN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < model->frame_count && code == TN_OK; i++)
        if (paths[i])
            rename_frame(model, i, paths[i], strlen(name));
    if (code == TN_OK)
        rename_entity(model, id, name);
    tn_free(model->context, paths);
    return code;
}

static void check_name(tn_check *check, tn_id id)
{
    const tn_model *model = check->model;
    if (id.kind != TN_KIND_FRAME)
        tn_check_name(check);
    else if (tn_check_spelling(check))
        tn_check_frame_name(check, tn_table_id(model, TN_KIND_BODY, model->frames[id.index].body));
}

int tn_model_rename(tn_model *model, tn_id id, const char *name)
{
    const tn_entity *entity = tn_model_entity(model, id);
    if (!entity)
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "what is to be renamed is gone");
    if ((id.kind == TN_KIND_BODY && id.index == 0) || id.kind == TN_KIND_SUBSYSTEM)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' cannot be renamed", entity->name);
    TN_TRY(tn_refuse_port(model, id, "renamed"));
    if (name && strcmp(name, entity->name) == 0)
        return TN_OK;
    tn_check check = { model, model->context, TN_NOWHERE, tn_kind_text((tn_kind)id.kind), name, TN_OK };
    check_name(&check, id);
    TN_TRY(check.code);
    const char *body = id.kind == TN_KIND_FRAME ? model->bodies[model->frames[id.index].body].entity.name : NULL;
    const char *path = tn_table_make_path(model, body, name);
    if (!path)
        return TN_ERROR_MEMORY;
    if (id.kind == TN_KIND_BODY)
        return rename_body(model, id, path);
    if (body)
        rename_frame(model, id.index, path, strlen(body));
    else
        rename_entity(model, id, path);
    return TN_OK;
}
