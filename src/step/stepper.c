/* The stepper: rates, step control and acceptance of steps (stepper.h); stepper_create.c makes it, local_error.c judges steps. */
#include "stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "bumps.h"
#include "clocks.h"
#include "coupling.h"
#include "elementary.h"
#include "passage.h"
#include "diag.h"
#include "hybrid.h"
#include "multiple.h"
#include "slide.h"
#include "stepper_impl.h"
#include "vec.h"

/* Integrators that choose their steps themselves lengthen them by at most this factor at once. */
static const double MOST_GROWTH = 10;
/* A step below this part of t (or of the first step) cannot advance the run. */
static const double SHORTEST = 1e-14;
static const int MOST_REJECTIONS = 60;
/* s, or part of t: shorter steps do not advance the run when so many follow each other. */
static const double CRAWL = 1e-10;
enum { MOST_CRAWLED = 20000 };
/* Evaluations of a step beyond which every tenth counts as a step: tries to cross a position on which a drive cannot go on take
 * thousands. */
enum { USUAL_EVALUATIONS = 50, PER_STEP = 10 };
/* A step of an integrator with its own step control whose end cannot be used is tried again so often, each time with this part of the length. */
static const double RETRY_SHORTER = 0.25;
enum { MOST_RETRIES = 6 };
/* A step is cut in front of forces that it does not show (bumps.h) at most so often. */
enum { MOST_CUTS = 20 };
/* If scaled pivots at the end of a step are below NEAR_SINGULAR, the step is shortened by this factor, a few times. */
static const double NEAR_SINGULAR = 5e-3, SHORT_OF_SINGULAR = 0.6;
/* A singular position is ahead when the distance is small, or may fall to zero within so many steps. Steps refused
 * there are repeated a few times with slightly shorter length: usually one stage was too close, and the next try avoids
 * it. */
static const double SINGULAR_ZONE = 0.03, SINGULAR_AHEAD = 4, A_LITTLE = 0.75;
static const int MOST_REPEATS = 6;
/* 1/m or 1/rad: scaled pivots change by at most about this. */
static const double PIVOT_PER_MOTION = 4;
/* From this distance on, no step that could be taken otherwise fails because of a singular position. */
static const double FAR_FROM_SINGULAR = 0.4;
static const int MOST_LANDINGS = 3;
/* Steps that end this close to a multiple of a fixed step length, in steps, end there: the round-off of a million steps. */
static const double ON_GRID = 1e-9;
/* A projection that changes a velocity by more than this part of the fastest one is no correction. A step that had to be
 * shortened because of that has to be well below: fixed steps have no other measure of their error. */
static const double MOST_CORRECTION = 1, MOST_CORRECTION_SHORTENED = 0.01;
/* m or rad: a joint with a larger gap counts as broken, and the step has failed, even if its numbers are finite. */
static const double LOST = 1;

/* ---- rates ---- */

static void restart(tn_stepper *st)
{
    if (st->step.own)
        st->integrator->restart(st->step.own);
}

/* True: the step being taken may come near a singular position. */
static bool singular_ahead(const tn_stepper *st)
{
    return st->distance < fmax(SINGULAR_ZONE, SINGULAR_AHEAD * fabs(st->approach) * st->step.h);
}

/* Projects the stage y onto the constraints, then computes its rate. Off the constraints, the rate of the projected
 * state extends the motion as smoothly as the rate itself, so integrators keep their order. Near a singular position it
 * is better: the deviation along the weak direction does not grow from stage to stage. */
static int project_stage(tn_stepper *st, double t, const double *y)
{
    const tn_system *s = st->system;
    const double corrected = st->corrected, shifted = st->shifted;
    memcpy(st->stage, y, (size_t)s->size * sizeof(double));
    TN_TRY(st->scheme->finish(st, t, st->stage));
    st->corrected = corrected;
    st->shifted = shifted;
    return TN_OK;
}

int tn_rate(double *dy, tn_stepper *st, double t, const double *y)
{
    const tn_system *s = st->system;
    if (st->rule == TN_RANK_KEEP && st->scheme->finish && (st->crosses || singular_ahead(st))) {
        TN_TRY(project_stage(st, t, y));
        y = st->stage;
    }
    tn_eval *e = st->eval;
    double *dv = dy + s->positions, *dz = dv + s->velocities;
    TN_TRY(tn_stepper_evaluate(st, t, y));
    TN_TRY(tn_coupling_tell(e, s, &st->structure, e->G, TN_ASK_ACCELERATIONS, e->f, e->lambda, dz,
                            &st->component_change));
    tn_position_rate(s, y, y + s->positions, dy);
    memcpy(dv, e->a, (size_t)s->velocities * sizeof(double));
    const int own = s->component_states;
    memcpy(dz + own, e->dz + own, (size_t)(s->states - own) * sizeof(double));
    if (tn_finite(s->velocities + s->states, dv))
        return TN_OK;
    TN_TRY(tn_coupling_check_rates(st->eval, s, dz));
    return TN_ERROR_STEP;
}

void tn_move(double *q1, const tn_stepper *st, const double *q0, const double *dv)
{
    tn_position_move(st->system, q0, dv, q1);
}

static void measure_drift(tn_stepper *st)
{
    const tn_system *s = st->system;
    st->drift = st->velocity_drift = 0;
    st->drift_constraint = -1;
    for (int i = 0; i < s->constraint_count; i++) {
        double gap = tn_eval_gap(st->eval, s, i);
        if (gap > st->drift) {
            st->drift = gap;
            st->drift_constraint = i;
        }
        st->velocity_drift = fmax(st->velocity_drift, tn_eval_velocity_gap(st->eval, s, i));
    }
}

/* The distance from a singular position at the last rank decision: 1 is far. */
static double singular_distance(const tn_stepper *st, int *rank)
{
    tn_saddle_info info;
    st->solver->info(st->saddle, &info);
    *rank = info.rank;
    return info.weakest_pivot;
}

/* A whole fixed step ends at a multiple of its length, not at a sum of lengths: time does not drift, and a run that was
 * stopped at such an instant goes on like one that was not. */
double tn_stepper_end(const tn_stepper *st, double h)
{
    const double t = st->t + h, multiple = tn_multiple(round(t / st->h), st->h);
    if (st->fixed && h >= st->h && fabs(multiple - t) <= ON_GRID * st->h)
        return multiple;
    return fabs(t - st->destination) <= 4 * DBL_EPSILON * fabs(t) ? st->destination : t;
}

/* Finds rates, and with TN_RANK_DECIDE the rank, where a step starts. An iterating solver begins there without memory of other states, and the steps'
 * first solve begins with what it found: a step depends on its state alone. */
static int rate_at_start(tn_stepper *st, double *dy, double t, const double *y, tn_rank_rule rule)
{
    if (st->solver->remember)
        st->solver->remember(st->saddle, TN_MEMORY_DROP);
    st->rule = rule;
    TN_TRY(tn_rate(dy, st, t, y));
    if (st->solver->remember)
        st->solver->remember(st->saddle, TN_MEMORY_KEEP);
    return TN_OK;
}

int tn_stepper_begin(tn_stepper *st, double t)
{
    st->t = t;
    st->eval->latest = INFINITY;
    st->jump = NAN;
    st->anew = st->off_grid = false;
    TN_TRY(rate_at_start(st, st->dy, t, st->y, TN_RANK_DECIDE));
    if (isnan(st->h)) {
        bool moved;
        st->h = tn_first_step(st, &moved);
        if (moved)
            TN_TRY(rate_at_start(st, st->dy, t, st->y, TN_RANK_DECIDE));
    }
    tn_coupling_write_ports(st->eval, st->system, st->y);
    tn_coupling_save(st->eval, st->system, st->memory);
    measure_drift(st);
    tn_turns_begin(st);
    st->distance = singular_distance(st, &st->rank);
    st->usual_rank = -1;
    st->approach = 0;
    st->smooth_rate = st->crosses = st->uncrossed = false;
    st->crawled = 0;
    st->step.h = 0;
    restart(st);
    return TN_OK;
}

int tn_stepper_start(tn_stepper *st, double t, const double *q, const double *v, const double *memory)
{
    const tn_system *s = st->system;
    memmove(st->y, q, (size_t)s->positions * sizeof(double));
    memmove(st->y + s->positions, v, (size_t)(s->velocities + s->states) * sizeof(double));
    memmove(st->memory, memory, (size_t)s->memory * sizeof(double));
    TN_TRY(tn_coupling_restore(st->eval, s, st->memory));
    if (s->network && !tn_hybrid_settled(s, st->memory)) {
        st->eval->failed = NULL;
        tn_eval_motion(st->eval, s, t, st->y, st->y + s->positions);
        tn_hybrid_start(st->eval, s, st->memory, st->y + s->positions + s->velocities);
        if (st->eval->failed)
            return TN_ERROR_STEP;
    }
    return tn_stepper_begin(st, t);
}

/* ---- steps ---- */

static int find_lost(tn_stepper *st)
{
    for (int i = 0; i < st->system->constraint_count && st->lost < 0; i++)
        if (!(tn_eval_gap(st->eval, st->system, i) <= LOST))
            st->lost = i;
    return st->lost < 0 ? TN_OK : TN_ERROR_STEP;
}

static void begin_step(tn_stepper *st, double h)
{
    const tn_system *s = st->system;
    st->step = (tn_step){ .t = st->t, .h = h, .positions = s->positions, .velocities = s->velocities,
                          .states = s->states, .y0 = st->y, .dy0 = st->dy, .y1 = st->y1, .dy1 = st->dy1,
                          .work = st->step.work, .own = st->step.own };
    if (st->solver->remember)
        st->solver->remember(st->saddle, TN_MEMORY_RECALL);
    st->rule = TN_RANK_KEEP;
    st->prepared = st->crosses = false;
    st->corrected = st->shifted = 0;
    st->lost = -1;
    st->unclosed = false;
    st->trouble = NULL;
    st->unconverged = false;
}

int tn_stepper_finish(tn_stepper *st, double t, double *y)
{
    const tn_integrator_type *integrator = tn_stepper_integrator(st);
    tn_position_normalize(st->system, y);
    if (!st->scheme->finish)
        return tn_coupling_settle(st->eval, st->system, t, y);
    /* next to a singular position the rows of an earlier step are misleading */
    if (integrator && integrator->close && !singular_ahead(st))
        TN_TRY(integrator->close(&st->step, t, y));
    return st->scheme->finish(st, t, y);
}

/* Decides the rank for the end of a step that a scheme without projection leaves off the constraints: at a copy that is
 * projected. Off the constraints, dependent rows look independent. */
static int decide_on_constraints(tn_stepper *st, double t)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    memcpy(st->stage, st->y1, (size_t)s->size * sizeof(double));
    st->rule = TN_RANK_KEEP;
    TN_TRY(tn_project_positions(st, t, st->stage));
    tn_eval_motion(e, s, t, st->stage, st->stage + s->positions);
    tn_eval_constraints(e, s, st->memory, 0, true);
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, TN_RANK_DECIDE));
    return tn_places_decide(st);
}

/* True: the scheme does not project, and rows depend on each other. */
static bool drifts_with_redundancy(const tn_stepper *st)
{
    return !st->scheme->finish && !st->scheme->accelerate && st->rank >= 0 && st->usual_rank < st->system->rows &&
           tn_system_allows(st->system, TN_ALLOW_OTHER_STATES);
}

/* Puts the end of the step on the constraints, decides the rank there and finds dy1. */
static int end_step(tn_stepper *st)
{
    const double t = tn_stepper_end(st, st->step.h);
    const bool with_lambda = st->with_lambda, copy = drifts_with_redundancy(st);
    if (!st->crosses)
        TN_TRY(tn_stepper_finish(st, t, st->y1));
    if (copy)
        TN_TRY(decide_on_constraints(st, t));
    st->with_lambda |= st->solves_end;
    int code = rate_at_start(st, st->dy1, t, st->y1, copy ? TN_RANK_KEEP : TN_RANK_DECIDE);
    st->with_lambda = with_lambda;
    TN_TRY(code);
    if (st->accounts)
        st->energy = tn_system_energy(st->eval, st->system, st->memory);
    tn_coupling_write_ports(st->eval, st->system, st->y1);
    if (st->crosses)
        tn_passage_rate(st, st->dy1);
    else if (st->integrator->carry && !st->scheme->step)
        st->integrator->carry(&st->step, st->dy1);
    TN_TRY(find_lost(st));
    return tn_turns_check(st);
}

/* Integrates and finishes a step of length h into y1, dy1. */
static int try_step(tn_stepper *st, double h, bool cross)
{
    begin_step(st, h);
    st->crosses = cross;
    if (cross)
        TN_TRY(tn_passage_step(st));
    else
        TN_TRY((st->scheme->step ? st->scheme->step : st->integrator->step)(st, &st->step));
    return end_step(st);
}

void tn_stepper_accept(tn_stepper *st)
{
    double *y = st->y, *dy = st->dy;
    const tn_integrator_type *integrator = st->source.step ? NULL : tn_stepper_integrator(st);
    if (integrator && integrator->restart && st->crosses)
        restart(st);                                   /* collocation has taken the step */
    else if (integrator && integrator->accept)
        integrator->accept(&st->step);
    st->t = tn_stepper_end(st, st->step.h);
    st->y = st->y1;
    st->dy = st->dy1;
    st->y1 = y;
    st->dy1 = dy;
    st->counts.steps++;
    st->distance = singular_distance(st, &st->rank);
    st->approach = 0;
    if (st->usual_rank >= 0 && st->rank > st->usual_rank)
        st->usual_rank = st->rank;
    st->smooth_rate = st->crosses;
    if (!st->crosses && (st->distance < NEAR_SINGULAR || st->rank < st->usual_rank))
        tn_warn_of_singular(st);
    st->uncrossed = false;
    tn_turns_remember(st);
    measure_drift(st);
}

/* True: the step started far from a singular position and would end next to it. From there round-off, divided by powers
 * of the distance, would stop every further step; a step that passes over the position has no such trouble. */
static bool lands_on_singular(const tn_stepper *st)
{
    int rank;
    double end = singular_distance(st, &rank);
    return rank < st->usual_rank || (end < NEAR_SINGULAR && end < 0.5 * st->distance);
}

/* True: projection changed a velocity by more than this part of the fastest velocity. */
static bool corrected_beyond(const tn_stepper *st, double part)
{
    return st->scheme->finish && st->corrected > part * tn_fastest_velocity(st);
}

/* True: the step that failed may have failed because of a singular position within its reach. */
static bool singular_within(const tn_stepper *st)
{
    const tn_system *s = st->system;
    double reach = fmin(PIVOT_PER_MOTION * st->step.h * tn_largest(s->velocities, st->y + s->positions), FAR_FROM_SINGULAR);
    return !st->eval->failed && !st->trouble && (singular_ahead(st) || st->rank < st->usual_rank || st->distance < reach);
}

/* Decides the rank at the accepted state again, after a try that is not accepted. */
static int try_again(tn_stepper *st)
{
    st->rule = TN_RANK_DECIDE;
    return tn_stepper_evaluate(st, st->t, st->y);
}

/* The length of a step across a singular position: several fixed steps of length h in one. */
static double whole_steps(tn_stepper *st, double h, double t_end)
{
    double length = h * ceil(tn_passage_length(st) / h - TN_WHOLE_STEP);
    return t_end - st->t <= length * (1 + TN_WHOLE_STEP) ? t_end - st->t : length;
}

/* Takes a fixed step again after a try that failed or ended next to a singular position: across the position where the
 * method can, otherwise in shorter steps whose projection changes velocities by at most this part. */
static int repeat_fixed_step(tn_stepper *st, double h, double t_end, double part)
{
    int code = TN_ERROR_STEP;
    for (int tries = 0; tries < MOST_LANDINGS; tries++) {
        const bool cross = st->passage && !st->uncrossed;
        TN_TRY(try_again(st));
        double length = cross ? whole_steps(st, h, t_end) : (h *= SHORT_OF_SINGULAR);
        code = try_step(st, length, cross);
        if ((code < 0 && code != TN_ERROR_STEP) ||
            (code == TN_OK && (cross || (!lands_on_singular(st) && !corrected_beyond(st, part)))))
            break;
        st->uncrossed |= cross;
    }
    return code;
}

/* Takes a fixed step. Where it comes close to a singular position, without knowing before, it is taken again. */
static int fixed_step(tn_stepper *st, double t_end)
{
    double rest = t_end - st->t, h = rest <= st->h * (1 + TN_WHOLE_STEP) ? rest : st->h;
    if (fabs(rest - st->h) <= ON_GRID * st->h)
        h = st->h;                                     /* a whole step, not one cut to the last bit of t_end */
    st->fixed = true;
    bool cross = tn_passage_ahead(st, h);
    int code = try_step(st, cross ? whole_steps(st, h, t_end) : h, cross);
    if (code == TN_ERROR_STEP && cross) {
        st->uncrossed = true;
        TN_TRY(try_again(st));
        code = try_step(st, h, cross = false);
    }
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    bool too_far = code == TN_OK && corrected_beyond(st, MOST_CORRECTION), failed = code < 0 || too_far;
    double part = too_far ? MOST_CORRECTION_SHORTENED : MOST_CORRECTION;
    if (st->scheme->finish && !cross && (failed ? singular_within(st) : lands_on_singular(st)))
        code = repeat_fixed_step(st, h, t_end, part);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    if (code == TN_OK && !st->crosses && corrected_beyond(st, part)) {
        st->trouble = "closing the joints changes velocities by more than the bodies move: the step is too long";
        code = TN_ERROR_STEP;
    }
    if (code < 0)
        return tn_step_failed(st, st->step.h, false);
    tn_stepper_accept(st);
    return TN_OK;
}

static int adaptive_step(tn_stepper *st, double t_end)
{
    int landings = 0, cuts = 0, code = TN_ERROR_STEP;
    bool force = false;
    for (int tries = 0; tries < MOST_REJECTIONS + cuts; tries++) {
        double wanted = tn_turns_limit(st, fmin(st->h, st->max_h)), h = tn_clocks_limit(st, fmin(wanted, t_end - st->t));
        bool cross = force || tn_passage_ahead(st, h);
        if (cross)
            h = fmin(fmin(tn_passage_length(st), tn_turns_limit(st, st->max_h)), t_end - st->t);
        code = try_step(st, h, cross);
        if (code < 0 && code != TN_ERROR_STEP)
            return code;
        double factor = TN_MOST_SHRINK, ratio = code < 0 ? INFINITY : cross ? 0 : tn_local_error_judge(st, &factor);
        bool landing = ratio <= 1 && !cross && landings < MOST_LANDINGS && lands_on_singular(st);
        const double part = ratio <= 1 && !cross && !landing && cuts < MOST_CUTS ? tn_bumps_part(st) : 1;
        if (part < 1) {
            cuts++;
            factor = part;
        } else if (ratio <= 1 && !landing) {
            /* a step cut by t_end changes h only if it allows a longer step */
            st->h = cross && st->integrator->judge ? wanted : cross ? fmax(wanted, 0.5 * h) : h < wanted ? fmax(wanted, h * factor) : h * factor;
            tn_stepper_accept(st);
            return TN_OK;
        }
        tn_step_refuse(st, h, code >= 0, landing);
        landings += landing;
        st->uncrossed |= cross;
        force = landing && st->passage && !st->uncrossed;
        bool repeat = part == 1 && tries < MOST_REPEATS && st->scheme->finish && singular_ahead(st);
        st->h = cross ? wanted : h * (force ? 1 : landing ? SHORT_OF_SINGULAR : repeat ? A_LITTLE : fmin(factor, 0.9));
        if (st->h < SHORTEST * fmax(fabs(st->t), 1))
            break;
        int here = try_again(st);
        if (here == TN_ERROR_STEP)                     /* an FMU that has gone for good, say */
            break;
        TN_TRY(here);
    }
    return tn_step_failed(st, st->h, code >= 0);
}

/* The integrator chooses the step length and controls the error; the stepper only decides the rank at the end. *taken: the integrator
 * has taken the step, whether its end can be used or not. */
static int integrators_try(tn_stepper *st, double farthest, bool *taken)
{
    const double look = st->step.h > 0 ? fmin(farthest, MOST_GROWTH * st->step.h) : farthest, seen = tn_clocks_limit(st, look);
    *taken = false;
    begin_step(st, st->h);
    TN_TRY(st->integrator->advance(st, &st->step, st->t + (st->clocks ? seen : farthest)));
    *taken = true;
    TN_TRY(end_step(st));
    return corrected_beyond(st, MOST_CORRECTION) ? TN_ERROR_STEP : TN_OK;
}

/* Tries again where the integrator was content with a step whose end cannot be used: a joint has turned too far to count its turns, or
 * projection moves it too far. The integrator begins anew and stops earlier. */
static int integrators_retry(tn_stepper *st)
{
    int code = TN_ERROR_STEP;
    bool taken = true;
    for (int k = 0; k < MOST_RETRIES && code == TN_ERROR_STEP && taken; k++) {
        const double shorter = RETRY_SHORTER * st->step.h;
        tn_step_refuse(st, st->step.h, false, false);
        restart(st);
        TN_TRY(try_again(st));
        st->h = fmin(st->h, shorter);
        code = integrators_try(st, shorter, &taken);
    }
    return code;
}

/* Takes the step again, shorter, as long as it does not show a force that the motion meets. */
static int integrators_cut(tn_stepper *st)
{
    int code = TN_OK;
    for (int k = 0; k < MOST_CUTS && code == TN_OK; k++) {
        const double part = tn_bumps_part(st), shorter = part * st->step.h;
        bool taken;
        if (part == 1)
            break;
        tn_step_refuse(st, st->step.h, true, false);
        restart(st);
        TN_TRY(try_again(st));
        st->h = fmin(st->h, shorter);
        code = integrators_try(st, shorter, &taken);
        if (code == TN_ERROR_STEP && taken)
            code = integrators_retry(st);
    }
    return code;
}

/* Singular positions are crossed by collocation: ahead of one, or after a step that failed or ended next to one. The integrator
 * then begins anew. */
static int integrators_step(tn_stepper *st, double t_end)
{
    const double farthest = tn_turns_limit(st, t_end - st->t);
    bool cross = tn_passage_ahead(st, fmin(st->h, farthest));
    bool taken = false;
    int code = TN_ERROR_STEP;
    if (!cross) {
        code = integrators_try(st, farthest, &taken);
        bool landed = code == TN_OK ? lands_on_singular(st) : code == TN_ERROR_STEP && singular_within(st);
        cross = landed && st->passage && !st->uncrossed;
    }
    if (cross) {
        restart(st);
        TN_TRY(try_again(st));
        code = try_step(st, fmin(tn_passage_length(st), farthest), true);
        if (code == TN_ERROR_STEP) {
            st->uncrossed = true;
            TN_TRY(try_again(st));
            code = integrators_try(st, farthest, &taken);
        }
    }
    if (code == TN_ERROR_STEP && taken)
        code = integrators_retry(st);
    if (code == TN_OK && !st->crosses)
        code = integrators_cut(st);
    if (code == TN_OK) {
        tn_stepper_accept(st);
        return TN_OK;
    }
    restart(st);
    return code != TN_ERROR_STEP ? code : tn_step_failed(st, st->step.h, false);
}

/* Ends a run that no longer advances: step after step is taken, but all are so short that it would never end. evaluations: of the step. */
static int check_advance(tn_stepper *st, long evaluations)
{
    const bool crawls = st->step.h < CRAWL * fmax(1, fabs(st->t));
    const long more = evaluations > USUAL_EVALUATIONS ? (evaluations - USUAL_EVALUATIONS) / PER_STEP : 0;
    st->crawled = crawls ? st->crawled + 1 + (int)more : 0;
    if (st->crawled <= MOST_CRAWLED)
        return TN_OK;
    st->crawled = 0;
    st->trouble = "step after step has to be so short that the run would not end: joints that hardly differ and contradict each "
                  "other, a drive into a dead point, or forces that jump or grow without bound";
    return tn_step_failed(st, st->step.h, false);
}

int tn_stepper_step(tn_stepper *st, double t_end)
{
    st->destination = t_end;
    if (st->source.step)
        return st->source.step(st->source.user, t_end);
    const int begun = tn_switches_begin(st, &t_end);
    if (begun < 0)
        return begun == TN_ERROR_STEP ? tn_step_failed(st, st->h, false) : begun;
    st->destination = t_end;
    const tn_integrator_type *integrator = tn_stepper_integrator(st);
    const long evaluations = st->counts.evaluations;
    double h = st->h;
    TN_TRY(tn_passage_look(st));
    int code = integrator && integrator->advance ? integrators_step(st, t_end)
               : integrator && integrator->error ? adaptive_step(st, t_end)
                                                 : fixed_step(st, t_end);
    if (code < 0)
        st->h = h;                                     /* undo the changes of the failed tries */
    else
        tn_switches_end(st);
    if (code == TN_OK && !st->fixed)
        code = check_advance(st, st->counts.evaluations - evaluations);
    return code < 0 ? code : tn_check_drives(st);
}

int tn_stepper_go_back(tn_stepper *st, double t)
{
    TN_TRY(tn_stepper_interpolate(st, t, st->stage));
    memcpy(st->y, st->stage, (size_t)st->system->size * sizeof(double));
    return tn_stepper_begin(st, t);
}

int tn_stepper_take_back(tn_stepper *st)
{
    const size_t bytes = (size_t)st->system->size * sizeof(double);
    const double *dy0 = st->step.dy0;
    memcpy(st->y, st->step.y0, bytes);
    TN_TRY(tn_stepper_begin(st, st->step.t));
    memcpy(st->dy, dy0, bytes);
    return TN_OK;
}
