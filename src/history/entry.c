/* Entries of journals and saved runs: writing them as lines of text, and reading them back bit for bit. */
#include "entry.h"

#include <inttypes.h>
#include <limits.h>
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

static void write_numbers(tn_text *out, const char *key, const double *x, size_t count)
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

enum { WATCH_NUMBERS = 17 };

/* Writes the state of an event, without the parts that belong to the compiled model. */
static void write_watch(tn_text *out, const tn_watch *w)
{
    const double state[WATCH_NUMBERS] = { w->off, w->side, w->away, w->value, w->largest, w->swing, w->at, w->kind,
                                          w->distance, (double)w->count, w->last, w->interval, w->longest,
                                          w->shrinking, (double)w->window, w->window_start, w->ratio };
    tn_text_add(out, "{ name: ");
    tn_text_add_json(out, w->name);
    write_numbers(out, "state", state, WATCH_NUMBERS);
    tn_text_add(out, " }");
}

static void write_watches(tn_text *out, const tn_events_snapshot *events)
{
    tn_text_add(out, ", fired: %ld, watches: [", events->total);
    for (size_t k = 0; k < events->count; k++) {
        tn_text_add(out, "%s", k ? ", " : "");
        write_watch(out, &events->watches[k]);
    }
    tn_text_add(out, "]");
}

enum { UNILATERAL_NUMBERS = 46, OLDER_NUMBERS = 38 };

/* Lists the numbers of a contact point for a snapshot: its identity and its frames. */
static void list_touch(double x[], const tn_touch *touch)
{
    const tn_touch_key *k = &touch->key;
    const double head[] = { touch->kind, k->body1, k->body2, k->shape1, k->shape2, k->feature1, k->feature2,
                            touch->contact, touch->radius, touch->radius2 };
    memcpy(x, head, sizeof head);
    memcpy(x + 10, touch->frame1.p, 3 * sizeof *x);
    memcpy(x + 13, touch->frame1.q, 4 * sizeof *x);
    memcpy(x + 17, touch->frame2.p, 3 * sizeof *x);
    memcpy(x + 20, touch->frame2.q, 4 * sizeof *x);
    memcpy(x + 24, touch->size, 3 * sizeof *x);
    /* forces of the last time step are along axes that follow from the normal */
    x[27] = touch->gap;
    memcpy(x + 28, touch->point, sizeof touch->point);
    memcpy(x + 31, touch->normal, sizeof touch->normal);
    x[34] = touch->size[3];
}

static void write_unilaterals(tn_text *out, const tn_unilaterals_snapshot *unilaterals)
{
    tn_text_add(out, ", guards: { impacts: %ld, fastest: %.17g, last: %.17g, rounds: %d", unilaterals->total,
                unilaterals->fastest, unilaterals->last, unilaterals->rounds);
    tn_text_add(out, ", crowd: %.17g, held: %d, held_until: %.17g, pause: %.17g, holds: %ld, unsolved: %ld, items: [",
                unilaterals->crowd, unilaterals->held, unilaterals->held_until, unilaterals->pause, unilaterals->holds, unilaterals->unsolved);
    for (size_t k = 0; k < unilaterals->count; k++) {
        const tn_unilateral *g = &unilaterals->items[k];
        double state[UNILATERAL_NUMBERS] = { g->limit < 0, g->mode, g->fastest, g->gap, g->rate, g->along[0], g->along[1],
                                        g->bound, g->force[0], g->force[1], g->force[2] };
        list_touch(state + 11, &g->touch);
        tn_text_add(out, "%s{ name: ", k ? ", " : "");
        tn_text_add_json(out, g->name);
        write_numbers(out, "state", state, UNILATERAL_NUMBERS);
        tn_text_add(out, " }");
    }
    tn_text_add(out, "] }");
}

static void write_snapshot(tn_text *out, const tn_snapshot *m)
{
    const tn_summary *s = &m->summary;
    tn_text_add(out, "{ t: %.17g, h: %.17g, turned: %.17g, approach: %.17g, work: %.17g", m->t, m->h, m->turned,
                m->approach, m->work);
    tn_text_add(out, ", rank: [%d, %d]", m->usual_rank, m->smooth_rate);
    tn_text_add(out, ", counts: [%ld, %ld, %ld], next_sample: %ld", m->counts.steps, m->counts.rejected,
                m->counts.evaluations, m->next_sample);
    tn_text_add(out, ", summary: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %ld, %d, %d]",
                s->energy_start, s->energy_end, s->energy_work, s->energy_error, s->energy_peak, s->max_drift,
                s->max_velocity_drift, s->iterations, s->rank_min, s->rank_max);
    if (m->network.gross > 0 || m->network.supplied != 0 || m->network.lost != 0)
        tn_text_add(out, ", network: [%.17g, %.17g, %.17g, %.17g, %.17g]", m->network.supplied, m->network.lost,
                    m->network.mechanical, m->network.error, m->network.gross);
    tn_text_add(out, ", drift_joint: [%u, %u]", (unsigned)s->drift_joint.index, (unsigned)s->drift_joint.generation);
    if (m->events.count > 0)
        write_watches(out, &m->events);
    if (m->unilaterals.count > 0 || m->unilaterals.total > 0)
        write_unilaterals(out, &m->unilaterals);
    tn_pulling_write(out, &m->pull);
    write_numbers(out, "y", m->y, m->size);
    write_numbers(out, "dy", m->dy, m->size);
    write_numbers(out, "memory", m->memory, m->memory_size);
    tn_text_add(out, " }");
}

/* Writes a point of a body and its target, without the closing brace of the map. */
static void write_aim(tn_text *out, const char *body, const double at[3], const double target[3])
{
    tn_text_add(out, "{ body: ");
    tn_text_add_json(out, body);
    write_numbers(out, "at", at, 3);
    write_numbers(out, "target", target, 3);
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
        write_snapshot(out, &event->snapshot);
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

static int refuse(tn_context *context, const tn_node *node, const char *key, const char *wanted)
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
    return plain_number(node, out) ? TN_OK : refuse(context, node, key, "a number");
}

int tn_map_numbers(double **out, size_t *count, tn_arena *arena, tn_context *context, const tn_node *map,
                   const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node || node->kind != TN_NODE_LIST)
        return refuse(context, node ? node : map, key, "a list of numbers");
    *count = node->count;
    *out = tn_arena_alloc(arena, node->count, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    for (unsigned i = 0; i < node->count; i++)
        if (!plain_number(node->as.items[i], &(*out)[i]))
            return refuse(context, node->as.items[i], key, "a list of numbers");
    return TN_OK;
}

/* Reads a list that must have the wanted number of numbers. */
static int read_exactly(double **out, size_t wanted, tn_arena *arena, tn_context *context, const tn_node *map,
                        const char *key)
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
    return refuse(context, node, "hash", "sixteen hexadecimal digits");
}

static int read_time(double *out, tn_context *context, const tn_node *node, const char *key)
{
    if (node->kind != TN_NODE_TEXT)
        return refuse(context, node, key, "a time");
    return tn_quantity_parse(out, context, node->as.text, "s") < 0 ? TN_ERROR_MODEL : TN_OK;
}

static int read_count(long *out, tn_context *context, const tn_node *node, const char *key)
{
    double value;
    if (!plain_number(node, &value) || !(value >= 0) || value > 1e15 || floor(value) != value)
        return refuse(context, node, key, "a whole number, 0 or greater");
    *out = (long)value;
    return TN_OK;
}

/* Reads a command: a map as a part of the line, or the text in quotes. */
static int read_command(tn_command_text *out, tn_context *context, const tn_node *node, const char *line, size_t size)
{
    tn_source_cursor cursor = { .text = line, .size = size };
    if (node->kind == TN_NODE_LIST)
        return refuse(context, node, "do", "a command");
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
    return refuse(context, node, key, "'restore' or 'keep'");
}

/* Converts a number of a file to a count; 0 when the number is not a valid count. */
static long as_count(double x)
{
    return x >= 0 && x <= 9e15 ? (long)x : 0;
}

static void take_summary(tn_snapshot *m, const double *summary, const double *joint)
{
    m->summary = (tn_summary){ .time = m->t, .steps = m->counts.steps, .rejected = m->counts.rejected,
                               .evaluations = m->counts.evaluations, .energy_start = summary[0],
                               .energy_end = summary[1], .energy_work = summary[2], .energy_error = summary[3],
                               .energy_peak = summary[4], .max_drift = summary[5], .max_velocity_drift = summary[6],
                               .iterations = as_count(summary[7]), .rank_min = (int)as_count(summary[8]),
                               .rank_max = (int)as_count(summary[9]),
                               .drift_joint = { .index = (uint32_t)as_count(joint[0]),
                                                .generation = (uint16_t)as_count(joint[1]), .kind = TN_KIND_JOINT } };
}

static int read_watch(tn_watch *w, tn_arena *arena, tn_context *context, const tn_node *map)
{
    const tn_node *name = tn_node_get(map, "name");
    double *x;
    if (!name || name->kind != TN_NODE_TEXT)
        return refuse(context, map, "watches", "a list of maps with 'name' and 'state'");
    TN_TRY(read_exactly(&x, WATCH_NUMBERS, arena, context, map, "state"));
    *w = (tn_watch){ .name = name->as.text, .off = x[0] != 0, .side = (x[1] > 0) - (x[1] < 0), .away = x[2],
                     .value = x[3], .largest = x[4], .swing = x[5], .at = x[6], .kind = (tn_fired_kind)as_count(x[7]),
                     .distance = x[8], .count = as_count(x[9]), .last = x[10], .interval = x[11], .longest = x[12],
                     .shrinking = (int)as_count(x[13]), .window = as_count(x[14]), .window_start = x[15],
                     .ratio = x[16] };
    return TN_OK;
}

static int read_watches(tn_events_snapshot *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    const tn_node *list = tn_node_get(map, "watches");
    double fired;
    if (!list)
        return TN_OK;
    if (list->kind != TN_NODE_LIST)
        return refuse(context, list, "watches", "a list");
    TN_TRY(tn_map_number(&fired, context, map, "fired"));
    *out = (tn_events_snapshot){ .watches = tn_arena_alloc(arena, list->count, sizeof *out->watches), .count = list->count,
                             .total = as_count(fired) };
    if (!out->watches)
        return TN_ERROR_MEMORY;
    for (unsigned k = 0; k < list->count; k++)
        TN_TRY(read_watch(&out->watches[k], arena, context, list->as.items[k]));
    return TN_OK;
}

static uint32_t small(double x)
{
    return x >= 0 && x <= UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

static tn_touch read_touch(const double x[])
{
    tn_touch touch = { .kind = (tn_touch_kind)fmin(fmax(x[0], TN_TOUCH_PLANE), TN_TOUCH_KINDS - 1),
                       .key = { small(x[1]), small(x[2]), small(x[3]), small(x[4]), small(x[5]), small(x[6]) },
                       .contact = small(x[7]), .radius = x[8], .radius2 = x[9] };
    memcpy(touch.frame1.p, x + 10, sizeof touch.frame1.p);
    memcpy(touch.frame1.q, x + 13, sizeof touch.frame1.q);
    memcpy(touch.frame2.p, x + 17, sizeof touch.frame2.p);
    memcpy(touch.frame2.q, x + 20, sizeof touch.frame2.q);
    memcpy(touch.size, x + 24, 3 * sizeof *x);
    touch.gap = x[27];
    memcpy(touch.point, x + 28, sizeof touch.point);
    memcpy(touch.normal, x + 31, sizeof touch.normal);
    touch.size[3] = x[34];
    return touch;
}

/* Runs that were saved by earlier versions lack the last numbers of a touch. */
static int read_unilateral_numbers(double **out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    double *x;
    size_t count = 0;
    *out = tn_arena_alloc(arena, UNILATERAL_NUMBERS, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_map_numbers(&x, &count, arena, context, map, "state"));
    if (count != UNILATERAL_NUMBERS && count != OLDER_NUMBERS)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'state' has %d numbers, not %zu", UNILATERAL_NUMBERS, count);
    memcpy(*out, x, count * sizeof *x);
    return TN_OK;
}

static int read_unilateral(tn_unilateral *g, tn_arena *arena, tn_context *context, const tn_node *map)
{
    const tn_node *name = tn_node_get(map, "name");
    double *x;
    if (!name || name->kind != TN_NODE_TEXT)
        return refuse(context, map, "items", "a list of maps with 'name' and 'state'");
    TN_TRY(read_unilateral_numbers(&x, arena, context, map));
    *g = (tn_unilateral){ .name = name->as.text, .limit = x[0] != 0 ? -1 : 0,
                     .mode = (tn_unilateral_mode)fmin(fmax(x[1], TN_UNILATERAL_OPEN), TN_UNILATERAL_PRESSED), .fastest = x[2],
                     .gap = x[3], .rate = x[4], .along = { x[5], x[6] }, .bound = x[7],
                     .force = { x[8], x[9], x[10] }, .touch = read_touch(x + 11) };
    return TN_OK;
}

static int read_unilaterals(tn_unilaterals_snapshot *out, tn_arena *arena, tn_context *context, const tn_node *snapshot)
{
    const tn_node *map = tn_node_get(snapshot, "guards"), *list = tn_node_get(map, "items");
    double impacts, rounds, held, holds, unsolved;
    if (!map)
        return TN_OK;
    if (!list || list->kind != TN_NODE_LIST)
        return refuse(context, map, "items", "a list");
    TN_TRY(tn_map_number(&impacts, context, map, "impacts"));
    TN_TRY(tn_map_number(&rounds, context, map, "rounds"));
    TN_TRY(tn_map_number(&out->fastest, context, map, "fastest"));
    TN_TRY(tn_map_number(&out->last, context, map, "last"));
    TN_TRY(tn_map_number(&out->crowd, context, map, "crowd"));
    TN_TRY(tn_map_number(&out->held_until, context, map, "held_until"));
    TN_TRY(tn_map_number(&out->pause, context, map, "pause"));
    TN_TRY(tn_map_number(&held, context, map, "held"));
    TN_TRY(tn_map_number(&holds, context, map, "holds"));
    TN_TRY(tn_map_number(&unsolved, context, map, "unsolved"));
    out->held = held != 0;
    out->holds = as_count(holds);
    out->unsolved = as_count(unsolved);
    out->total = as_count(impacts);
    out->rounds = (int)fmin(fmax(rounds, 0), 1000);
    out->count = list->count;
    out->items = tn_arena_alloc(arena, list->count, sizeof *out->items);
    if (!out->items)
        return TN_ERROR_MEMORY;
    for (unsigned k = 0; k < list->count; k++)
        TN_TRY(read_unilateral(&out->items[k], arena, context, list->as.items[k]));
    return TN_OK;
}

static int read_snapshot(tn_snapshot *m, tn_arena *arena, tn_context *context, const tn_node *map)
{
    double *counts, *summary, *joint, next_sample;
    size_t dy_size;
    *m = (tn_snapshot){ 0 };
    TN_TRY(tn_map_number(&m->t, context, map, "t"));
    TN_TRY(tn_map_number(&m->h, context, map, "h"));
    TN_TRY(tn_map_number(&m->turned, context, map, "turned"));
    TN_TRY(tn_map_number(&m->approach, context, map, "approach"));
    TN_TRY(tn_map_number(&m->work, context, map, "work"));
    TN_TRY(tn_map_number(&next_sample, context, map, "next_sample"));
    m->usual_rank = -1;
    if (tn_node_get(map, "rank")) {                    /* runs that were saved by earlier versions have none */
        double *rank;
        TN_TRY(read_exactly(&rank, 2, arena, context, map, "rank"));
        m->usual_rank = (int)fmin(fmax(rank[0], -1), INT_MAX);
        m->smooth_rate = rank[1] != 0;
    }
    TN_TRY(read_exactly(&counts, 3, arena, context, map, "counts"));
    TN_TRY(read_exactly(&summary, 10, arena, context, map, "summary"));
    TN_TRY(read_exactly(&joint, 2, arena, context, map, "drift_joint"));
    TN_TRY(tn_map_numbers(&m->y, &m->size, arena, context, map, "y"));
    TN_TRY(tn_map_numbers(&m->dy, &dy_size, arena, context, map, "dy"));
    TN_TRY(tn_map_numbers(&m->memory, &m->memory_size, arena, context, map, "memory"));
    if (dy_size != m->size)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'dy' must have as many numbers as 'y'");
    if (tn_node_get(map, "network")) {
        double *network;
        TN_TRY(read_exactly(&network, 5, arena, context, map, "network"));
        m->network = (tn_network_sum){ network[0], network[1], network[2], network[3], network[4] };
    }
    m->next_sample = as_count(next_sample);
    m->counts = (tn_step_counts){ as_count(counts[0]), as_count(counts[1]), as_count(counts[2]) };
    take_summary(m, summary, joint);
    TN_TRY(read_unilaterals(&m->unilaterals, arena, context, map));
    TN_TRY(tn_pulling_read(&m->pull, arena, context, tn_node_get(map, "pull")));
    return read_watches(&m->events, arena, context, map);
}

static int read_aim(tn_entry *out, double at[3], double target[3], tn_arena *arena, tn_context *context,
                    const tn_node *map)
{
    const tn_node *body = tn_node_get(map, "body");
    double *from, *to;
    if (!body || body->kind != TN_NODE_TEXT)
        return refuse(context, map, kind_keys[out->kind], "a map with the name of a 'body'");
    out->body = body->as.text;
    TN_TRY(read_exactly(&from, 3, arena, context, map, "at"));
    TN_TRY(read_exactly(&to, 3, arena, context, map, "target"));
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
        return refuse(context, more, "more", "'true' or absent");
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
        return read_snapshot(&out->snapshot, arena, context, node);
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
        return refuse(context, from, "from", "the path of an event");
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
