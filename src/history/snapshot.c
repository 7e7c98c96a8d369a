/* Moments of a run: taking them, and going on from them. */
#include <string.h>
#include "snapshot.h"

static double *copy(tn_context *context, const double *from, int count)
{
    double *to = tn_alloc(context, (size_t)count, sizeof(double));
    if (to)
        memcpy(to, from, (size_t)count * sizeof(double));
    return to;
}

tn_moment tn_moment_now(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    return (tn_moment){ .t = st->t, .h = st->h, .turned = st->turned, .approach = st->approach, .counts = st->counts,
                        .work = s->work, .next_sample = s->next_sample, .summary = s->summary, .y = st->y,
                        .dy = st->dy, .memory = st->memory, .size = (size_t)s->system->size,
                        .memory_size = (size_t)s->system->memory,
                        .events = { s->events->watches, s->events->count, s->events->fired_count, s->events->log_count,
                                    s->summary.events },
                        .guards = tn_guards_now(s) };
}

int tn_moment_take(tn_moment *out, const tn_session *s)
{
    const tn_system *sys = s->system;
    *out = tn_moment_now(s);
    out->y = copy(s->context, out->y, sys->size);
    out->dy = copy(s->context, out->dy, sys->size);
    out->memory = copy(s->context, out->memory, sys->memory);
    bool taken = tn_events_take(&out->events, s) == TN_OK;
    taken = tn_guards_take(&out->guards, s) == TN_OK && taken;
    if (taken && out->y && out->dy && out->memory)
        return TN_OK;
    tn_moment_free(out, s->context);
    return TN_ERROR_MEMORY;
}

void tn_moment_free(tn_moment *moment, tn_context *context)
{
    tn_free(context, moment->y);
    tn_free(context, moment->dy);
    tn_free(context, moment->memory);
    tn_free(context, moment->events.watches);
    tn_free(context, moment->guards.items);
    *moment = (tn_moment){ 0 };
}

int tn_moment_resume(tn_stepper *st, const tn_moment *moment)
{
    TN_TRY(tn_stepper_start(st, moment->t, moment->y, moment->y + st->system->positions, moment->memory));
    memcpy(st->dy, moment->dy, (size_t)st->system->size * sizeof(double));
    st->h = moment->h;
    st->turned = moment->turned;
    st->approach = moment->approach;
    st->counts = moment->counts;
    return TN_OK;
}

int tn_moment_account(tn_session *s, const tn_moment *moment)
{
    double wall = s->summary.wall;
    s->work = moment->work;
    s->next_sample = moment->next_sample;
    s->summary = moment->summary;
    s->summary.wall = wall;
    s->summary.impacts = moment->guards.total;
    s->summary.holds = moment->guards.holds;
    s->summary.unsolved = moment->guards.unsolved;
    s->iterations_before = moment->summary.iterations - tn_solver_iterations(s);
    s->eval_current = s->at_rest = false;
    tn_events_restore(s, &moment->events);
    TN_TRY(tn_work_begin(s));
    s->stepper->counts = moment->counts;
    return TN_OK;
}

int tn_moment_restore(tn_session *s, const tn_moment *moment)
{
    TN_TRY(tn_guards_restore(s, &moment->guards));
    TN_TRY(tn_moment_resume(s->stepper, moment));
    return tn_moment_account(s, moment);
}
