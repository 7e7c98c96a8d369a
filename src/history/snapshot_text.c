/* Writing snapshots of a run as text, and reading them back bit for bit. */
#include "entry.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include "diag.h"

/* ---- writing ---- */

enum { WATCH_NUMBERS = 17 };

/* Writes the state of an event, without the parts that belong to the compiled model. */
static void write_watch(tn_text *out, const tn_watch *w)
{
    const double state[WATCH_NUMBERS] = { w->off, w->side, w->away, w->value, w->largest, w->swing, w->at, w->kind,
                                          w->distance, (double)w->count, w->last, w->interval, w->longest,
                                          w->shrinking, (double)w->window, w->window_start, w->ratio };
    tn_text_add(out, "{ name: ");
    tn_text_add_json(out, w->name);
    tn_numbers_write(out, "state", state, WATCH_NUMBERS);
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
        tn_numbers_write(out, "state", state, UNILATERAL_NUMBERS);
        tn_text_add(out, " }");
    }
    tn_text_add(out, "] }");
}

/* Indices of the numbers of a pull, in the order of the text. */
enum { BODY, OMEGA, CAP, ENERGY, AT, TARGET = AT + 3, MASS = TARGET + 3, PULL_NUMBERS = MASS + 6 };

static void write_pull(tn_text *out, const tn_pulling *pull)
{
    const tn_pull_load *load = &pull->load;
    double x[PULL_NUMBERS] = { [BODY] = load->body, [OMEGA] = load->omega, [CAP] = load->cap, [ENERGY] = pull->energy };
    if (!pull->active)
        return;
    memcpy(x + AT, load->at, sizeof load->at);
    memcpy(x + TARGET, load->target, sizeof load->target);
    memcpy(x + MASS, load->mass, sizeof load->mass);
    tn_text_add(out, ", pull: { state: [");
    for (int k = 0; k < PULL_NUMBERS; k++)
        tn_text_add(out, "%s%.17g", k ? ", " : "", x[k]);
    tn_text_add(out, "] }");
}

void tn_snapshot_write(tn_text *out, const tn_snapshot *m)
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
    write_pull(out, &m->pull);
    tn_numbers_write(out, "y", m->y, m->size);
    tn_numbers_write(out, "dy", m->dy, m->size);
    tn_numbers_write(out, "memory", m->memory, m->memory_size);
    tn_text_add(out, " }");
}

/* ---- reading ---- */

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
        return tn_map_refuse(context, map, "watches", "a list of maps with 'name' and 'state'");
    TN_TRY(tn_map_exactly(&x, WATCH_NUMBERS, arena, context, map, "state"));
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
        return tn_map_refuse(context, list, "watches", "a list");
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
        return tn_map_refuse(context, map, "items", "a list of maps with 'name' and 'state'");
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
        return tn_map_refuse(context, map, "items", "a list");
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

static int read_pull(tn_pulling *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    double *x;
    *out = (tn_pulling){ .active = false };
    if (!map)
        return TN_OK;
    TN_TRY(tn_map_exactly(&x, PULL_NUMBERS, arena, context, map, "state"));
    if (!(x[BODY] >= 0) || x[BODY] > UINT32_MAX || !(x[OMEGA] > 0) || !(x[CAP] > 0))
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'pull' does not say how somebody pulls");
    *out = (tn_pulling){ .active = true, .energy = x[ENERGY],
                         .load = { .body = (uint32_t)x[BODY], .omega = x[OMEGA], .cap = x[CAP] } };
    memcpy(out->load.at, x + AT, sizeof out->load.at);
    memcpy(out->load.target, x + TARGET, sizeof out->load.target);
    memcpy(out->load.mass, x + MASS, sizeof out->load.mass);
    return TN_OK;
}

int tn_snapshot_read(tn_snapshot *m, tn_arena *arena, tn_context *context, const tn_node *map)
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
        TN_TRY(tn_map_exactly(&rank, 2, arena, context, map, "rank"));
        m->usual_rank = (int)fmin(fmax(rank[0], -1), INT_MAX);
        m->smooth_rate = rank[1] != 0;
    }
    TN_TRY(tn_map_exactly(&counts, 3, arena, context, map, "counts"));
    TN_TRY(tn_map_exactly(&summary, 10, arena, context, map, "summary"));
    TN_TRY(tn_map_exactly(&joint, 2, arena, context, map, "drift_joint"));
    TN_TRY(tn_map_numbers(&m->y, &m->size, arena, context, map, "y"));
    TN_TRY(tn_map_numbers(&m->dy, &dy_size, arena, context, map, "dy"));
    TN_TRY(tn_map_numbers(&m->memory, &m->memory_size, arena, context, map, "memory"));
    if (dy_size != m->size)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'dy' must have as many numbers as 'y'");
    if (tn_node_get(map, "network")) {
        double *network;
        TN_TRY(tn_map_exactly(&network, 5, arena, context, map, "network"));
        m->network = (tn_network_sum){ network[0], network[1], network[2], network[3], network[4] };
    }
    m->next_sample = as_count(next_sample);
    m->counts = (tn_step_counts){ as_count(counts[0]), as_count(counts[1]), as_count(counts[2]) };
    take_summary(m, summary, joint);
    TN_TRY(read_unilaterals(&m->unilaterals, arena, context, map));
    TN_TRY(read_pull(&m->pull, arena, context, tn_node_get(map, "pull")));
    return read_watches(&m->events, arena, context, map);
}
