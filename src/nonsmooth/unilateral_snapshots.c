/* Takes and restores snapshots of the unilateral constraints of a session. */
#include <string.h>
#include "diag.h"
#include "holds.h"
#include "session_impl.h"
#include "time_sleep.h"
#include "unilaterals.h"

tn_unilaterals_snapshot tn_unilaterals_now(const tn_session *s)
{
    const tn_unilaterals *g = s->unilaterals;
    return (tn_unilaterals_snapshot){ .items = g->items, .count = g->count, .fastest = g->fastest, .last = g->last,
                             .crowd = g->crowd, .held = g->held, .held_until = g->held_until, .pause = g->pause,
                             .rounds = g->rounds,
                             .holds = s->summary.holds, .unsolved = s->summary.unsolved, .impacts = g->impact_count,
                             .total = s->summary.impacts };
}

int tn_unilaterals_take(tn_unilaterals_snapshot *out, const tn_session *s)
{
    *out = tn_unilaterals_now(s);
    out->items = tn_alloc(s->context, out->count, sizeof *out->items);
    if (!out->items)
        return TN_ERROR_MEMORY;
    if (out->count > 0)
        memcpy(out->items, s->unilaterals->items, out->count * sizeof *out->items);
    return TN_OK;
}

/* Restores one unilateral constraint of a snapshot. Limits are found by name; touches are copied. */
static void restore_item(tn_session *s, const tn_unilateral *from)
{
    tn_unilaterals *g = s->unilaterals;
    if (from->limit < 0) {
        tn_unilateral touch = tn_touch_unilateral(s, &from->touch);
        touch.mode = from->mode;
        touch.gap = from->gap;
        touch.rate = from->rate;
        memcpy(touch.along, from->along, sizeof touch.along);
        memcpy(touch.force, from->force, sizeof touch.force);
        g->items[g->count++] = touch;
        return;
    }
    for (size_t k = 0; k < g->count; k++) {
        tn_unilateral *to = &g->items[k];
        if (to->limit < 0 || strcmp(to->name, from->name) != 0)
            continue;
        to->mode = from->mode;
        tn_unilateral_take_numbers(to, &s->model->limits[to->limit]);  /* an edit may have set them */
        to->bound = tn_unilateral_is_ratchet(s, to) ? from->bound : to->bound;
        to->fastest = from->fastest;
        to->gap = from->gap;
        to->rate = from->rate;
        to->force[0] = from->force[0];
    }
}

/* Checks a touch of a snapshot that may come from a file: its bodies and its contact must exist in the model. */
static bool touches_exist(const tn_session *s, const tn_unilateral *g)
{
    const tn_touch *touch = &g->touch;
    bool bodies = s->unilaterals->near.touches && touch->key.body1 < s->model->body_count &&
                  touch->key.body2 < s->model->body_count && touch->contact < s->model->contact_count;
    return g->limit >= 0 || (bodies && s->model->contacts[touch->contact].entity.alive);
}

int tn_unilaterals_restore(tn_session *s, const tn_unilaterals_snapshot *snapshot)
{
    tn_unilaterals *g = s->unilaterals;
    size_t kept = 0;
    tn_sleep_wake(g->rows);
    if (g->count == 0 && !g->near.touches)
        return tn_holds_count(s) > 0 || s->system->layout.hold_count > 0 ? tn_unilaterals_attach(s, s->stepper->y) : TN_OK;
    TN_TRY(tn_grow(s->context, &g->items, &g->capacity, g->count + snapshot->count, sizeof *g->items));
    for (size_t k = 0; k < g->count; k++)
        if (g->items[k].limit >= 0)
            g->items[kept++] = g->items[k];
    g->count = kept;
    for (size_t k = 0; k < snapshot->count; k++) {
        if (!touches_exist(s, &snapshot->items[k]))
            return tn_fail(s->context, TN_ERROR_MODEL, TN_NOWHERE, "this snapshot belongs to another model");
        restore_item(s, &snapshot->items[k]);
    }
    g->fastest = snapshot->fastest;
    g->last = snapshot->last;
    g->crowd = snapshot->crowd;
    g->held = snapshot->held;
    g->held_until = snapshot->held_until;
    g->pause = snapshot->pause;
    g->rounds = snapshot->rounds;
    g->impact_count = snapshot->impacts < g->impact_count ? snapshot->impacts : g->impact_count;
    return tn_unilaterals_attach(s, s->stepper->y);
}
