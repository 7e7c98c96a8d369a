/* Writing all settings as text, and reading them back bit for bit. */
#include <string.h>
#include "diag.h"
#include "entry.h"
#include "solve_table.h"

static void write_row(tn_text *out, const tn_solve_row *row, tn_solve *s)
{
    tn_text_add(out, "%s: ", row->name);
    if (row->kind == TN_SOLVE_NUMBER)
        tn_text_add(out, "%.17g", *tn_solve_number(row, s));
    else
        tn_text_add(out, "%s", row->kind == TN_SOLVE_NAME ? *tn_solve_name(row, s) : row->words[tn_solve_choice(row, s)]);
}

void tn_solve_write(tn_text *out, const tn_solve *s)
{
    tn_solve copy = *s;
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        tn_text_add(out, k ? ", " : "{ ");
        write_row(out, &tn_solve_rows[k], &copy);
    }
    tn_text_add(out, ", settings: [");
    for (size_t k = 0; k < s->setting_count; k++) {
        tn_text_add(out, "%s{ name: %s, value: %.17g", k ? ", " : "", s->settings[k].name, s->settings[k].value);
        if (s->settings[k].joint) {
            tn_text_add(out, ", joint: ");
            tn_text_add_json(out, s->settings[k].joint);
        }
        tn_text_add(out, " }");
    }
    tn_text_add(out, "] }");
}

static int read_name(const char **out, tn_context *context, const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node || node->kind != TN_NODE_TEXT)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'%s' must be a name", key);
    *out = node->as.text;
    return TN_OK;
}

static int read_settings(tn_solve *out, tn_context *context, const tn_node *map)
{
    const tn_node *list = tn_node_get(map, "settings");
    if (!list || list->kind != TN_NODE_LIST || list->count > TN_MAX_SOLVE_SETTINGS)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'settings' must be a list of at most %d",
                       TN_MAX_SOLVE_SETTINGS);
    for (unsigned i = 0; i < list->count; i++) {
        tn_solve_setting *setting = &out->settings[out->setting_count++];
        const tn_node *item = list->as.items[i];
        TN_TRY(read_name(&setting->name, context, item, "name"));
        TN_TRY(tn_map_number(&setting->value, context, item, "value"));
        if (tn_node_get(item, "joint"))
            TN_TRY(read_name(&setting->joint, context, item, "joint"));
    }
    return TN_OK;
}

static int read_choice(const tn_solve_row *row, tn_solve *out, tn_context *context, const tn_node *map)
{
    const char *word = "";
    TN_TRY(read_name(&word, context, map, row->name));
    for (int k = 0; row->words[k]; k++)
        if (strcmp(word, row->words[k]) == 0) {
            tn_solve_set_choice(row, out, k);
            return TN_OK;
        }
    return tn_fail(context, TN_ERROR_MODEL, map->span, "'%s' cannot be '%.60s'", row->name, word);
}

int tn_solve_read(tn_solve *out, tn_context *context, const tn_node *map)
{
    *out = tn_solve_default();
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        const tn_solve_row *row = &tn_solve_rows[k];
        if ((row->flags & TN_SOLVE_LATER) && !tn_node_get(map, row->name))
            continue;
        switch (row->kind) {
        case TN_SOLVE_NUMBER: TN_TRY(tn_map_number(tn_solve_number(row, out), context, map, row->name)); break;
        case TN_SOLVE_NAME: TN_TRY(read_name(tn_solve_name(row, out), context, map, row->name)); break;
        case TN_SOLVE_CHOICE: TN_TRY(read_choice(row, out, context, map)); break;
        }
    }
    return read_settings(out, context, map);
}
