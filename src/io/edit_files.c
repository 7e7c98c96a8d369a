/* The model files of a command: texts that are part of the command, and files that it used. */
#include "edit_impl.h"
#include "file.h"
#include <string.h>

int tn_edit_take_files(tn_reader *r, const tn_node *map)
{
    if (!tn_read_is_map(r, map, "files"))
        return TN_OK;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *path = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        char *joined = tn_path_join(r->arena, r->folder, path->as.text);
        tn_origin_file file = { .path = joined != NULL ? tn_path_absolute(r->arena, joined) : NULL,
                                .text = tn_read_text(r, value, "files") };
        if (file.path == NULL)
            return TN_ERROR_MEMORY;
        file.size = file.text != NULL ? strlen(file.text) : 0;
        if (file.text != NULL)
            TN_TRY(tn_origin_add(r->own_files, &file));
    }
    return r->stop;
}

/* Files that the new text uses and the old text did not use. */
static int note_new(tn_origin *used, const tn_origin *now, const tn_origin *before)
{
    for (size_t k = 1; k < now->count; k++) {
        const tn_origin_file *known = tn_origin_find(before, now->files[k].path);
        if (known == NULL || known->hash != now->files[k].hash)
            TN_TRY(tn_origin_add(used, &now->files[k]));
    }
    return TN_OK;
}

int tn_edit_note_files(const tn_editor *e)
{
    const tn_reader *r = e->r;
    if (e->edit->other != NULL)
        return note_new(r->origin, e->edit->other->origin, r->model->origin);
    return tn_change_note_files(&r->model->amendments, r->context, r->origin);
}

int tn_edit_complete(char **out, const tn_reader *r, const tn_node *root)
{
    tn_text text;
    if (!tn_change_has_files(r->origin))
        return TN_OK;
    tn_text_begin(&text, r->context);
    tn_text_add(&text, "{");
    for (unsigned i = 0; i < root->count; i++) {
        if (strcmp(root->as.items[2 * i]->as.text, tn_section_command.keys[COMMAND_FILES].name) == 0)
            continue;
        tn_text_add_json(&text, root->as.items[2 * i]->as.text);
        tn_text_add(&text, ": ");
        tn_write_node(&text, root->as.items[2 * i + 1]);
        tn_text_add(&text, ", ");
    }
    tn_change_write_files(&text, r->origin);
    tn_text_add(&text, "}");
    return tn_text_take(&text, out);
}
