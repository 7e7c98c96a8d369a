/* Entries of journals and saved runs: writing them as lines of text, and reading them back bit for bit. */
#include "entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "source_tree.h"

static const char *const kind_keys[] = {
    [TN_ENTRY_ADVANCE] = "advance", [TN_ENTRY_RUN] = "run",   [TN_ENTRY_STEP] = "step",
    [TN_ENTRY_DO] = "do",           [TN_ENTRY_UNDO] = "undo", [TN_ENTRY_REDO] = "redo",
    [TN_ENTRY_SOLVE] = "solve",     [TN_ENTRY_PULL] = "pull", [TN_ENTRY_RELEASE] = "release",
    [TN_ENTRY_DRAG] = "drag",       [TN_ENTRY_INPUTS] = "inputs", [TN_ENTRY_SNAPSHOT] = "moment",
    [TN_ENTRY_END] = "end",
};
static const char *const ending_keys[] = {
    [TN_ENDING_GOOD] = NULL, [TN_ENDING_STOPPED] = "stopped", [TN_ENDING_FAILED] = "failed",
    [TN_ENDING_UNDER_WAY] = "under_way",
};
static const char *const undo_words[] = { "keep", "restore" };

bool tn_entry_goes(const tn_entry *event)
{
    return event->kind <= TN_ENTRY_STEP;
}

/* ---- writing ---- */

void tn_numbers_write(tn_text *out, const char *key, const double *x, size_t count)
{
    tn_text_add(out, ", %s: [", key);
    for (size_t k = 0; k < count; k++)
        tn_text_add(out, "%s%.17g", k ? ", " : "", x[k]);
    tn_text_add(out, "]");
}

/* Writes a command unchanged when it is a flow map in one line of plain characters, otherwise in quotes. */
static void write_command(tn_text *out, const tn_command_text *command)
{
    const char *from = command->text, *to = from + command->size;
    while (from < to && *from == ' ')
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\n'))
        to--;
    bool plain = to - from > 1 && from[0] == '{' && to[-1] == '}';
    for (const char *c = from; c < to && plain; c++)
        plain = *c >= ' ' && *c <= '~' && *c != '#' && *c != '&' && *c != '*';
    bool one_line = !memchr(from, '\n', (size_t)(to - from));      /* then indentation has no meaning */
    if (plain)
        tn_text_add(out, "%.*s", (int)(to - from), from);
    else
        tn_text_add_json(out, one_line ? from : command->text);
}

/* Writes a point of a body and its target, without the closing brace of the map. */
static void write_aim(tn_text *out, const char *body, const double at[3], const double target[3])
{
    tn_text_add(out, "{ body: ");
    tn_text_add_json(out, body);
    tn_numbers_write(out, "at", at, 3);
    tn_numbers_write(out, "target", target, 3);
}

static void write_pull(tn_text *out, const tn_entry *event)
{
    write_aim(out, event->body, event->pull.at, event->pull.target);
    tn_text_add(out, ", omega: %.17g, cap: %.17g }", event->pull.omega, event->pull.cap);
}

static void write_drag(tn_text *out, const tn_entry *event)
{
    write_aim(out, event->body, event->drag.at, event->drag.target);
    tn_text_add(out, "%s }", event->drag.more ? ", more: true" : "");
}

static void write_value(tn_text *out, const tn_entry *event)
{
    switch (event->kind) {
    case TN_ENTRY_ADVANCE:
    case TN_ENTRY_RUN:
        tn_text_add(out, "%.17g s", event->value);
        break;
    case TN_ENTRY_STEP:
        tn_text_add(out, "%ld", event->times > 0 ? event->times : 1);
        break;
    case TN_ENTRY_DO:
        write_command(out, &event->command);
        break;
    case TN_ENTRY_UNDO:
    case TN_ENTRY_REDO:
        tn_text_add(out, "%s", undo_words[event->restore]);
        break;
    case TN_ENTRY_SOLVE:
        tn_solve_write(out, event->solve);
        break;
    case TN_ENTRY_PULL:
        write_pull(out, event);
        break;
    case TN_ENTRY_RELEASE:
        tn_text_add(out, "pull");
        break;
    case TN_ENTRY_DRAG:
        write_drag(out, event);
        break;
    case TN_ENTRY_INPUTS:
        tn_text_add(out, "[");
        for (size_t k = 0; k < event->input_count; k++)
            tn_text_add(out, "%s%.17g", k ? ", " : "", event->inputs[k]);
        tn_text_add(out, "]");
        break;
    case TN_ENTRY_SNAPSHOT:
        tn_snapshot_write(out, &event->snapshot);
        break;
    case TN_ENTRY_END:
        tn_text_add(out, "%.17g s", event->time);
    }
}

void tn_entry_write(tn_text *out, const tn_entry *event)
{
    tn_text_add(out, "- { %s: ", kind_keys[event->kind]);
    write_value(out, event);
    if (event->kind == TN_ENTRY_ADVANCE && event->times > 1)
        tn_text_add(out, ", times: %ld", event->times);
    if (event->kind == TN_ENTRY_DO && event->command.from) {
        tn_text_add(out, ", from: ");
        tn_text_add_json(out, event->command.from);
    }
    if (event->ending != TN_ENDING_GOOD)
        tn_text_add(out, ", %s: %ld", ending_keys[event->ending], event->taken);
    if (!isnan(event->time) && event->kind != TN_ENTRY_END && event->kind != TN_ENTRY_SNAPSHOT)
        tn_text_add(out, ", at: %.9g s", event->time);
    if (event->has_hash)
        tn_text_add(out, ", hash: \"%016" PRIx64 "\"", event->hash);
    tn_text_add(out, " }\n");
}

/* ---- reading ---- */

int tn_map_refuse(tn_context *context, const tn_node *node, const char *key, const char *wanted)
{
    return tn_fail(context, TN_ERROR_MODEL, node->span, "'%s' must be %s", key, wanted);
}

static bool plain_number(const tn_node *node, double *out)
{
    char *end = NULL;
    if (node->kind != TN_NODE_TEXT)
        return false;
    *out = strtod(node->as.text, &end);
    return end != node->as.text && *end == '\0';
}

int tn_map_number(double *out, tn_context *context, const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'%s' is missing", key);
    return plain_number(node, out) ? TN_OK : tn_map_refuse(context, node, key, "a number");
}

int tn_map_numbers(double **out, size_t *count, tn_arena *arena, tn_context *context, const tn_node *map,
                   const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node || node->kind != TN_NODE_LIST)
        return tn_map_refuse(context, node ? node : map, key, "a list of numbers");
    *count = node->count;
    *out = tn_arena_alloc(arena, node->count, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    for (unsigned i = 0; i < node->count; i++)
        if (!plain_number(node->as.items[i], &(*out)[i]))
            return tn_map_refuse(context, node->as.items[i], key, "a list of numbers");
    return TN_OK;
}

int tn_map_exactly(double **out, size_t wanted, tn_arena *arena, tn_context *context, const tn_node *map, const char *key)
{
    size_t count = 0;
    TN_TRY(tn_map_numbers(out, &count, arena, context, map, key));
    if (count != wanted)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'%s' has %zu numbers, not %zu", key, wanted, count);
    return TN_OK;
}

int tn_map_hash(uint64_t *out, tn_context *context, const tn_node *node)
{
    char *end = NULL;
    if (node->kind == TN_NODE_TEXT && strlen(node->as.text) == 16) {
        *out = strtoull(node->as.text, &end, 16);
        if (*end == '\0')
            return TN_OK;
    }
    return tn_map_refuse(context, node, "hash", "sixteen hexadecimal digits");
}

static int read_time(double *out, tn_context *context, const tn_node *node, const char *key)
{
    if (node->kind != TN_NODE_TEXT)
        return tn_map_refuse(context, node, key, "a time");
    return tn_quantity_parse(out, context, node->as.text, "s") < 0 ? TN_ERROR_MODEL : TN_OK;
}

static int read_count(long *out, tn_context *context, const tn_node *node, const char *key)
{
    double value;
    if (!plain_number(node, &value) || !(value >= 0) || value > 1e15 || floor(value) != value)
        return tn_map_refuse(context, node, key, "a whole number, 0 or greater");
    *out = (long)value;
    return TN_OK;
}

/* Reads a command: a map as a part of the line, or the text in quotes. */
static int read_command(tn_command_text *out, tn_context *context, const tn_node *node, const char *line, size_t size)
{
    tn_source_cursor cursor = { .text = line, .size = size };
    if (node->kind == TN_NODE_LIST)
        return tn_map_refuse(context, node, "do", "a command");
    out->place = node->span;
    if (node->kind == TN_NODE_TEXT) {
        out->text = node->as.text;
        out->size = strlen(node->as.text);
        out->place.column++;
        return TN_OK;
    }
    size_t begin = tn_source_offset(&cursor, node->begin), end = tn_source_offset(&cursor, node->end);
    out->text = line + begin;
    out->size = end - begin;
    return TN_OK;
}

static int read_undo(bool *restore, tn_context *context, const tn_node *node, const char *key)
{
    for (int k = 0; k < 2 && node->kind == TN_NODE_TEXT; k++)
        if (strcmp(node->as.text, undo_words[k]) == 0) {
            *restore = k;
            return TN_OK;
        }
    return tn_map_refuse(context, node, key, "'restore' or 'keep'");
}

static int read_aim(tn_entry *out, double at[3], double target[3], tn_arena *arena, tn_context *context,
                    const tn_node *map)
{
    const tn_node *body = tn_node_get(map, "body");
    double *from, *to;
    if (!body || body->kind != TN_NODE_TEXT)
        return tn_map_refuse(context, map, kind_keys[out->kind], "a map with the name of a 'body'");
    out->body = body->as.text;
    TN_TRY(tn_map_exactly(&from, 3, arena, context, map, "at"));
    TN_TRY(tn_map_exactly(&to, 3, arena, context, map, "target"));
    memcpy(at, from, 3 * sizeof *at);
    memcpy(target, to, 3 * sizeof *target);
    return TN_OK;
}

static int read_pull(tn_entry *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    TN_TRY(read_aim(out, out->pull.at, out->pull.target, arena, context, map));
    TN_TRY(tn_map_number(&out->pull.omega, context, map, "omega"));
    return tn_map_number(&out->pull.cap, context, map, "cap");
}

static int read_drag(tn_entry *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    const tn_node *more = tn_node_get(map, "more");
    out->drag.more = more && more->kind == TN_NODE_TEXT && strcmp(more->as.text, "true") == 0;
    if (more && !out->drag.more)
        return tn_map_refuse(context, more, "more", "'true' or absent");
    return read_aim(out, out->drag.at, out->drag.target, arena, context, map);
}

static int read_inputs(tn_entry *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    double *numbers;
    TN_TRY(tn_map_numbers(&numbers, &out->input_count, arena, context, map, kind_keys[TN_ENTRY_INPUTS]));
    out->inputs = numbers;
    return TN_OK;
}

static int read_solve(tn_entry *out, tn_arena *arena, tn_context *context, const tn_node *node)
{
    tn_solve *solve = tn_arena_alloc(arena, 1, sizeof *solve);
    out->solve = solve;
    return solve ? tn_solve_read(solve, context, node) : TN_ERROR_MEMORY;
}

static int read_value(tn_entry *out, tn_arena *arena, tn_context *context, const tn_node *map, const char *line,
                      size_t size)
{
    const tn_node *node = tn_node_get(map, kind_keys[out->kind]);
    const char *key = kind_keys[out->kind];
    switch (out->kind) {
    case TN_ENTRY_ADVANCE:
    case TN_ENTRY_RUN:
        return read_time(&out->value, context, node, key);
    case TN_ENTRY_STEP:
        return read_count(&out->times, context, node, key);
    case TN_ENTRY_DO:
        return read_command(&out->command, context, node, line, size);
    case TN_ENTRY_UNDO:
    case TN_ENTRY_REDO:
        return read_undo(&out->restore, context, node, key);
    case TN_ENTRY_SOLVE:
        return read_solve(out, arena, context, node);
    case TN_ENTRY_PULL:
        return read_pull(out, arena, context, node);
    case TN_ENTRY_RELEASE:
        return TN_OK;
    case TN_ENTRY_DRAG:
        return read_drag(out, arena, context, node);
    case TN_ENTRY_INPUTS:
        return read_inputs(out, arena, context, map);
    case TN_ENTRY_SNAPSHOT:
        return tn_snapshot_read(&out->snapshot, arena, context, node);
    case TN_ENTRY_END:
        return read_time(&out->time, context, node, key);
    }
    return TN_ERROR_ARGUMENT;
}

static int read_rest(tn_entry *out, tn_context *context, const tn_node *map)
{
    const tn_node *times = tn_node_get(map, "times"), *at = tn_node_get(map, "at"), *hash = tn_node_get(map, "hash"),
                  *from = tn_node_get(map, "from");
    if (from && from->kind != TN_NODE_TEXT)
        return tn_map_refuse(context, from, "from", "the path of an event");
    out->command.from = from ? from->as.text : NULL;
    if (times)
        TN_TRY(read_count(&out->times, context, times, "times"));
    if (at)
        TN_TRY(read_time(&out->time, context, at, "at"));
    out->has_hash = hash != NULL;
    for (int k = TN_ENDING_STOPPED; k <= TN_ENDING_UNDER_WAY; k++) {
        const tn_node *taken = tn_node_get(map, ending_keys[k]);
        if (taken)
            TN_TRY(read_count(&out->taken, context, taken, ending_keys[k]));
        out->ending = taken ? (tn_ending)k : out->ending;
    }
    return hash ? tn_map_hash(&out->hash, context, hash) : TN_OK;
}

int tn_entry_read(tn_entry *out, tn_arena *arena, tn_context *context, tn_span place, const char *line, size_t size)
{
    size_t budget = TN_YAML_NODES;
    const tn_node *root;
    *out = (tn_entry){ .time = NAN };
    TN_TRY(tn_yaml_parse_at(&root, arena, context, place, line, size, &budget));
    const tn_node *map = root && root->kind == TN_NODE_LIST && root->count == 1 ? root->as.items[0] : NULL;
    for (size_t k = 0; map && k < TN_LENGTH(kind_keys); k++) {
        const tn_node *node = tn_node_get(map, kind_keys[k]);
        if (!node)
            continue;
        out->kind = (tn_entry_kind)k;
        TN_TRY(read_value(out, arena, context, map, line, size));
        return read_rest(out, context, map);
    }
    return tn_fail(context, TN_ERROR_MODEL, place, "an entry is a line such as - { advance: 0.01 s, times: 10 }");
}
