/* Reads the section events: actions that happen when an expression reaches zero. */
#include "reader.h"
#include "units.h"
#include <string.h>

void tn_write_node(tn_text *out, const tn_node *node)
{
    if (node->kind == TN_NODE_TEXT) {
        if (tn_node_empty(node))
            tn_text_add(out, "null");
        else
            tn_text_add_json(out, node->as.text);
        return;
    }
    bool map = node->kind == TN_NODE_MAP;
    tn_text_add(out, map ? "{" : "[");
    for (unsigned i = 0; i < node->count; i++) {
        tn_text_add(out, i > 0 ? ", " : "");
        if (map) {
            tn_text_add_json(out, node->as.items[2 * i]->as.text);
            tn_text_add(out, ": ");
        }
        tn_write_node(out, node->as.items[map ? 2 * i + 1 : i]);
    }
    tn_text_add(out, map ? "}" : "]");
}

/* The text of an action, in the reader's arena. */
static const char *action_text(tn_reader *r, const tn_node *node)
{
    tn_text text;
    char *line = NULL;
    tn_text_begin(&text, r->context);
    tn_write_node(&text, node);
    int code = tn_text_take(&text, &line);
    const char *copy = code < 0 ? NULL : tn_arena_strdup(r->arena, line);
    tn_free(r->context, line);
    if (copy == NULL)
        r->stop = TN_ERROR_MEMORY;
    return copy;
}

static bool is_action(tn_reader *r, const tn_node *node)
{
    if (node->kind == TN_NODE_TEXT && !tn_node_empty(node))
        return true;
    if (node->kind == TN_NODE_MAP && node->count > 0)
        return true;
    tn_read_error(r, node->span, "an action is 'stop' or a map such as { log: text } or { remove: name }");
    return false;
}

static void read_actions(tn_reader *r, const tn_node *node, tn_event_def *def)
{
    if (node == NULL || tn_node_empty(node))
        return;
    bool list = node->kind == TN_NODE_LIST;
    size_t count = list ? node->count : 1;
    tn_action *actions = tn_arena_alloc(r->arena, count, sizeof *actions);
    if (actions == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    for (size_t i = 0; i < count && r->stop == TN_OK; i++) {
        const tn_node *item = list ? node->as.items[i] : node;
        tn_load_for_action(r, item);
        if (is_action(r, item))
            actions[def->action_count++] = (tn_action){ action_text(r, item), item->span };
    }
    def->actions = actions;
}

/* A number in the expression's unit, which is known only when a session compiles it: the dimension is noted. */
static void read_distance(tn_reader *r, const tn_node *node, const tn_key *key, double *out, tn_event_def *def)
{
    tn_formula_value value;
    char unit[64];
    if (node == NULL || !tn_read_formula(r, node, key->name, "*", &value))
        return;
    if (value.expression.text != NULL || !(value.number >= 0)) {
        tn_read_error(r, node->span, "'%s' must be a number that is not negative, not %.60s", key->name, node->as.text);
        return;
    }
    *out = value.number;
    if (!value.info.dim_known)
        return;
    tn_dim_text(value.info.dim, unit, sizeof unit);
    def->unit = tn_arena_strdup(r->arena, unit);
    if (def->unit == NULL)
        r->stop = TN_ERROR_MEMORY;
}

void tn_read_event(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_key *keys = tn_section_event.keys;
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_event, values, NULL, 0, NULL))
        return;
    tn_event_def def = tn_event_default(tn_read_text(r, values[EVENT_WHEN], "when"));
    if (values[EVENT_WHEN] == NULL)
        tn_read_error(r, node->span, "'when' is missing: the expression whose zeros are looked for");
    else
        def.when.span = tn_text_span(values[EVENT_WHEN]);
    def.crosses = (tn_crossing)tn_read_choice(r, values[EVENT_CROSSES], &keys[EVENT_CROSSES], TN_CROSSES_BOTH);
    def.once = tn_read_choice(r, values[EVENT_ONCE], &keys[EVENT_ONCE], 0) == 1;
    def.zeno = (tn_zeno_rule)tn_read_choice(r, values[EVENT_ZENO], &keys[EVENT_ZENO], TN_ZENO_FAIL);
    read_distance(r, values[EVENT_HYSTERESIS], &keys[EVENT_HYSTERESIS], &def.hysteresis, &def);
    read_distance(r, values[EVENT_TOUCH], &keys[EVENT_TOUCH], &def.touch, &def);
    read_actions(r, values[EVENT_DO], &def);
    if (r->errors == before && r->stop == TN_OK)
        tn_read_ok(r, tn_model_add_event_at(r->model, r->name, &def, name->span));
}
