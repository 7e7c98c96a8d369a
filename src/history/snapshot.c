/* Snapshots of a run: taking, sharing and restoring them. */
#include <string.h>
#include "snapshot.h"

static double *copy_snapshot(tn_context *context, const double *from, int count)
{
    double *to = tn_alloc(context, (size_t)count, sizeof(double));
    if (to)
        memcpy(to, from, (size_t)count * sizeof(double));
    return to;
}

tn_snapshot tn_snapshot_now(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    return (tn_snapshot){ .t = st->t, .h = st->h, .turned = st->turned, .approach = st->approach, .usual_rank = st->usual_rank,
                        .smooth_rate = st->smooth_rate, .counts = st->counts,
                        .work = s->work, .network = s->network.sum, .next_sample = s->next_sample, .summary = s->summary, .y = st->y,
                        .dy = st->dy, .memory = st->memory, .size = (size_t)s->system->size,
                        .memory_size = (size_t)s->system->memory,
                        .events = { s->events->watches, s->events->count, s->events->fired_count, s->events->log_count,
                                    s->summary.events },
                        .unilaterals = tn_unilaterals_now(s), .pull = s->overlay.pull };
}

int tn_snapshot_take(tn_snapshot *out, const tn_session *s)
{
    const tn_system *sys = s->system;
    *out = tn_snapshot_now(s);
    out->users = tn_alloc(s->context, 1, sizeof *out->users);
    if (out->users)
        *out->users = 1;
    out->y = copy_snapshot(s->context, out->y, sys->size);
    out->dy = copy_snapshot(s->context, out->dy, sys->size);
    out->memory = copy_snapshot(s->context, out->memory, sys->memory);
    bool taken = tn_events_take(&out->events, s) == TN_OK;
    taken = tn_unilaterals_take(&out->unilaterals, s) == TN_OK && taken;
    if (taken && out->users && out->y && out->dy && out->memory)
        return TN_OK;
    tn_snapshot_free(out, s->context);
    return TN_ERROR_MEMORY;
}

tn_snapshot tn_snapshot_share(const tn_snapshot *snapshot)
{
    ++*snapshot->users;
    return *snapshot;
}

void tn_snapshot_free(tn_snapshot *snapshot, tn_context *context)
{
    if (snapshot->users && --*snapshot->users > 0) {
        *snapshot = (tn_snapshot){ 0 };
        return;
    }
    tn_free(context, snapshot->users);
    tn_free(context, snapshot->y);
    tn_free(context, snapshot->dy);
    tn_free(context, snapshot->memory);
    tn_free(context, snapshot->events.watches);
    tn_free(context, snapshot->unilaterals.items);
    *snapshot = (tn_snapshot){ 0 };
}

void tn_snapshot_place(tn_stepper *st, const tn_snapshot *snapshot)
{
    st->t = snapshot->t;
    memmove(st->y, snapshot->y, (size_t)st->system->size * sizeof(double));
    if (snapshot->memory_size == (size_t)st->system->memory && snapshot->memory_size > 0)
        memmove(st->memory, snapshot->memory, snapshot->memory_size * sizeof(double));
}

int tn_snapshot_resume(tn_stepper *st, const tn_snapshot *snapshot)
{
    TN_TRY(tn_stepper_start(st, snapshot->t, snapshot->y, snapshot->y + st->system->positions, snapshot->memory));
    st->h = snapshot->h;
    if (!tn_switches_passed(st))
        memcpy(st->dy, snapshot->dy, (size_t)st->system->size * sizeof(double));
    else if (st->coupling)                             /* components were saved in front of the jump, and now are behind it */
        memcpy(st->memory, snapshot->memory, (size_t)st->system->memory * sizeof(double));
    st->turned = snapshot->turned;
    st->approach = snapshot->approach;
    st->usual_rank = snapshot->usual_rank;
    st->smooth_rate = snapshot->smooth_rate;
    st->counts = snapshot->counts;
    return TN_OK;
}

int tn_snapshot_account(tn_session *s, const tn_snapshot *snapshot)
{
    double wall = s->summary.wall;
    s->work = snapshot->work;
    tn_network_account_restore(s, &snapshot->network);
    s->next_sample = snapshot->next_sample;
    s->summary = snapshot->summary;
    s->summary.wall = wall;
    s->summary.impacts = snapshot->unilaterals.total;
    s->summary.holds = snapshot->unilaterals.holds;
    s->summary.unsolved = snapshot->unilaterals.unsolved;
    s->iterations_before = snapshot->summary.iterations - tn_solver_iterations(s);
    s->eval_current = s->at_rest = false;
    tn_events_restore(s, &snapshot->events);
    TN_TRY(tn_work_begin(s));
    s->stepper->counts = snapshot->counts;
    return TN_OK;
}

int tn_snapshot_restore(tn_session *s, const tn_snapshot *snapshot)
{
    tn_pull_put(s, &snapshot->pull);
    tn_snapshot_place(s->stepper, snapshot);
    TN_TRY(tn_unilaterals_restore(s, &snapshot->unilaterals));
    TN_TRY(tn_snapshot_resume(s->stepper, snapshot));
    return tn_snapshot_account(s, snapshot);
}

void tn_pull_put(tn_session *s, const tn_pulling *pull)
{
    if (s->overlay.pull.active != pull->active) {      /* only an active pull has channels in the list */
        tn_free(s->context, s->channels->all.items);
        s->channels->all = (tn_probe_list){ 0 };
    }
    s->overlay.pull = *pull;
    s->overlay.pull_energy_before = pull->energy;
    s->eval_current = false;
    tn_overlay_bind(s);
}
