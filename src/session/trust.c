/* The judge of a run. After every step it looks at what has to hold whatever the model is: the energy balance and the
 * drift of joints; on a sample of steps the balance of forces at every body (Newton-Euler); and for methods with a fixed
 * step, now and then, whether two half steps lead to the same place as the step. A quantity beyond its threshold is told
 * once, with time, component and what to try, or ends the run (solve.trust). The judge never changes the motion. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "bumps.h"
#include "diag.h"
#include "requirement_watch.h"
#include "session_parts.h"

/* Steps: between checks of the balance of forces; before comparisons with half steps, and between two. */
enum { FORCES_EVERY = 1000, HALVES_EARLY = 50, HALVES_FIRST = 200, HALVES_EVERY = 2000 };
/* Steps that are taken before the energy balance is judged: until then there is little to compare an error with. After k fixed steps from
 * rest a method of first order is off by 1/k of the energy, however short they are. */
enum { ENERGY_FROM = 10, ENERGY_FROM_FIXED = 40 };
/* Steps that the balance has to be off: where motion begins, energies grow from nothing, and errors are soon small beside them. */
enum { ENERGY_STEADY = 10 };
/* Errors below this share of the largest energy in the balance are not judged: next to nothing moves yet. */
static const double ENERGY_FLOOR = 1e-6;

/* Tells a doubt, or ends the run. */
#define DOUBT(s, which, span, ...)                                                                                     \
    ((s)->trust.told[which] = true, (s)->summary.doubts |= 1u << (which),                                               \
     (s)->solve.trust == TN_TRUST_STOP ? tn_fail((s)->context, TN_ERROR_STEP, span, __VA_ARGS__)                         \
                                       : tn_warn((s)->context, span, __VA_ARGS__))

static bool has_fixed_steps(const tn_session *s)
{
    const tn_integrator_type *integrator = s->stepper->integrator;
    return s->stepper->scheme->step || (!integrator->error && !integrator->advance && !integrator->judge);
}

static const char *smaller_steps(const tn_session *s)
{
    return has_fixed_steps(s) ? "a smaller 'step' in 'solve'" : "a smaller 'tolerance' in 'solve'";
}

/* The setting that improves the energy balance: the length of time steps of contacts, where there were any. */
static const char *smaller_error(const tn_session *s)
{
    bool stepped = s->unilaterals->held || s->summary.holds > 0;
    return stepped ? "a smaller 'contact_step' in 'solve'" : smaller_steps(s);
}

static tn_span body_span(const tn_session *s, int body)
{
    return s->model->bodies[s->system->bodies[body].source].entity.span;
}

static const char *body_name(const tn_session *s, int body)
{
    return s->model->bodies[s->system->bodies[body].source].entity.name;
}

/* ---- energy ---- */

/* kg, of all bodies. */
static double total_mass(const tn_session *s)
{
    double sum = 0;
    for (int b = 0; b < s->system->body_count; b++)
        sum += s->system->bodies[b].mass;
    return sum;
}

/* The part of the energy in motion that an error may have. A run that controls its error is expected to do better than one with fixed
 * steps, unless the model gives a threshold of its own. */
static double energy_share(const tn_session *s)
{
    const double usual = 0.05, per_tolerance = 1e4, least = 1e-3;
    if (has_fixed_steps(s) || s->solve.trust_energy != usual)
        return s->solve.trust_energy;
    return fmin(usual, fmax(least, per_tolerance * s->solve.tolerance));
}

/* J: what errors of velocities by so many absolute tolerances change in the energy of all bodies, where the energy in motion is scale. What
 * begins to move, driven by next to nothing, is no better known. */
static double unseen_energy(const tn_session *s, double mass, double scale)
{
    const double errors = 100, speed = s->solve.absolute_tolerance;
    return speed * (speed * mass + errors * sqrt(2 * mass * scale));
}

static bool is_early(const tn_stepper *st)
{
    return st->counts.steps < (st->fixed ? ENERGY_FROM_FIXED : ENERGY_FROM);
}

static int judge_energy(tn_session *s)
{
    const tn_summary *sum = &s->summary;
    tn_trust_state *trust = &s->trust;
    double energy = s->energy.kinetic + s->energy.potential, off = energy - sum->energy_start - s->work;
    double most = fmax(fmax(fabs(energy), fabs(sum->energy_start)), fmax(fabs(s->work), s->network.scale));
    const double mass = total_mass(s);
    if (mass == 0 && energy == 0)                      /* all that moves is inside components */
        return TN_OK;
    trust->energy_scale = fmax(trust->energy_scale, fmax(s->energy.kinetic, fabs(energy - sum->energy_start)));
    trust->energy_scale = fmax(trust->energy_scale, fabs(s->work));
    const bool early = is_early(s->stepper) && s->stepper->t < s->solve.until;
    if (early || trust->told[TN_DOUBT_ENERGY] ||
        fabs(off) <= energy_share(s) * trust->energy_scale || fabs(off) <= ENERGY_FLOOR * most ||
        fabs(off) <= unseen_energy(s, mass, trust->energy_scale)) {
        trust->doubtful = 0;
        return TN_OK;
    }
    if (++trust->doubtful < ENERGY_STEADY && s->stepper->t < s->solve.until)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_ENERGY, s->model->solve_span, "the energy balance is off by %.3g J at t = %.6g s, %.2g of the "
                 "largest energy that was in motion or exchanged; the result may be wrong: try %s", off, s->stepper->t,
                 fabs(off) / trust->energy_scale, smaller_error(s));
}

/* Devices whose stores have parameters that change need not close. Where energies overflow, the run is about to stop with its own reason. */
static int judge_network(tn_session *s)
{
    const tn_network_account *a = &s->network;
    const double stored = fabs(a->points[TN_LENGTH(a->points) - 1].stored), off = fabs(a->sum.error);
    const double most = fmax(fmax(stored, a->scale), s->trust.energy_scale);
    if (is_early(s->stepper) || s->trust.told[TN_DOUBT_NETWORK] || !tn_network_closes(s->system) ||
        !isfinite(off) || off <= s->solve.trust_energy * a->scale || off <= ENERGY_FLOOR * most)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_NETWORK, s->model->solve_span, "the energy balance of the devices is off by %.3g J at t = %.6g s, "
                 "%.2g of the energy that they exchanged; the result may be wrong: try %s", a->sum.error, s->stepper->t,
                 off / a->scale, smaller_steps(s));
}

/* ---- drift ---- */

static int judge_drift(tn_session *s)
{
    const tn_stepper *st = s->stepper;
    if (s->trust.told[TN_DOUBT_DRIFT] || st->drift <= s->solve.trust_drift || st->drift_constraint < 0)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_DRIFT, s->model->solve_span, "joint '%s' is apart by %.3g m or rad at t = %.6g s; the result may "
                 "be wrong: try %s%s", tn_constraint_name(s->system, st->drift_constraint), st->drift, st->t,
                 smaller_steps(s), st->scheme->finish ? "" : ", or scheme 'projection', which closes joints after every step");
}

/* ---- balance of forces ---- */

/* r = M a - f - G'lambda, and the largest of the terms of each column. */
static void find_residual(const tn_session *s, const tn_eval *rows, double *r, double *size)
{
    const tn_system *sys = s->system;
    const tn_structure *k = &sys->structure;
    const tn_eval *e = s->stepper->eval;
    for (int i = 0; i < sys->velocities; i++) {
        r[i] = -e->f[i];
        size[i] = fabs(e->f[i]);
    }
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], w = k->body_column[b + 1] - first;
        const double *M = rows->M + k->mass_offset[b];
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++) {
                double part = M[i * w + j] * e->a[first + j];
                r[first + i] += part;
                size[first + i] = fmax(size[first + i], fabs(part));
            }
    }
    for (int c = 0; c < sys->constraint_count; c++)
        for (int block = k->block_begin[c]; block < k->block_begin[c + 1]; block++) {
            int first = k->body_column[k->block_body[block]], w = k->body_column[k->block_body[block] + 1] - first;
            const double *G = rows->G + k->block_offset[block];
            for (int row = k->constraint_row[c]; row < k->constraint_row[c + 1]; row++, G += w)
                for (int j = 0; j < w; j++) {
                    double part = G[j] * e->lambda[row];
                    r[first + j] -= part;
                    size[first + j] = fmax(size[first + j], fabs(part));
                }
        }
}

/* The multipliers of the solver, the accelerations and the forces of the accepted state belong together. */
static bool knows_forces(const tn_session *s)
{
    return !s->stepper->scheme->accelerate && !s->stepper->scheme->step && tn_system_allows(s->system, TN_ALLOW_TERMS) &&
           s->system->layout.slide_count == 0 && !s->unilaterals->held;
}

/* Evaluates the accepted state, and all its masses and rows. The evaluation does not count as one of the run. */
static int evaluate_rows(tn_session *s)
{
    tn_stepper *st = s->stepper;
    tn_eval *rows = s->trust.room->rows;
    const long evaluations = st->counts.evaluations;
    TN_TRY(tn_session_evaluate_plainly(s));
    st->counts.evaluations = evaluations;
    tn_eval_take_values(rows, s->system);
    tn_eval_motion(rows, s->system, st->t, st->y, st->y + s->system->positions);
    tn_eval_constraints(rows, s->system, st->memory, 1, true);
    return TN_OK;
}

/* Finds the largest force (N; torques over a length of their body) that does not balance an acceleration, and its body. */
static int find_worst(tn_session *s, double *most, double *force, int *worst)
{
    const tn_system *sys = s->system;
    TN_TRY(evaluate_rows(s));
    double *r = s->trust.room->residual, *size = s->trust.room->largest;
    find_residual(s, s->trust.room->rows, r, size);
    for (int b = 0; b < sys->body_count; b++)
        for (int k = sys->structure.body_column[b]; k < sys->structure.body_column[b + 1]; k++) {
            double length = sys->structure.column_scale[k] > 0 ? sys->structure.column_scale[k] : 1;
            *force = fmax(*force, size[k] / length);
            if (fabs(r[k]) / length > *most) {
                *most = fabs(r[k]) / length;
                *worst = b;
            }
        }
    return TN_OK;
}

static bool has_fixed_step(const tn_session *s)
{
    const tn_integrator_type *i = s->stepper->integrator;
    const tn_stepper *st = s->stepper;
    bool one_step = st->scheme->step || (!i->error && !i->advance && !i->judge && !i->create && !i->carry);
    return one_step && !isnan(s->solve.step) && tn_system_allows(s->system, TN_ALLOW_TERMS) && !s->unilaterals->held;
}

static int judge_forces(tn_session *s)
{
    double most = 0, force = 0;
    int worst = -1;
    if (s->trust.told[TN_DOUBT_FORCES] || s->stepper->counts.steps % FORCES_EVERY != 1 || !knows_forces(s))
        return TN_OK;
    TN_TRY(tn_trust_room_make(s, has_fixed_step(s)));
    TN_TRY(find_worst(s, &most, &force, &worst));
    if (worst < 0 || most <= s->solve.trust_forces * force)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_FORCES, body_span(s, worst), "forces on body '%s' do not balance its acceleration at t = %.6g s: "
                 "%.3g N of %.3g N; the result may be wrong: try another 'solver' in 'solve'%s", body_name(s, worst),
                 s->stepper->t, most, force, s->system->reacts ? ", or less friction that depends on reactions" : "");
}

/* ---- two half steps ---- */

/* Takes steps of length h from the accepted state with a stepper of its own; y receives the positions. */
static int go_by(tn_session *s, tn_stepper *probe, double h, int steps, double *y)
{
    const tn_stepper *st = s->stepper;
    tn_eval_take_values(probe->eval, s->system);
    probe->eval->pull = st->eval->pull;
    TN_TRY(tn_stepper_start(probe, st->t, st->y, st->y + s->system->positions, st->memory));
    for (int k = 0; k < steps; k++)
        do
            TN_TRY(tn_stepper_step(probe, st->t + (k + 1) * h));
        while (st->t + (k + 1) * h - probe->t > TN_SAME_STEP * h);
    memcpy(y, probe->y, (size_t)s->system->size * sizeof(double));
    return TN_OK;
}

/* The largest velocity so far, in m/s; of rotations times a length of the body. */
static double fastest(const tn_session *s)
{
    const tn_system *sys = s->system;
    double most = s->trust.fastest;
    for (int k = 0; k < sys->velocities; k++) {
        double length = sys->structure.column_scale[k] > 0 ? sys->structure.column_scale[k] : 1;
        most = fmax(most, fabs(s->stepper->y[sys->positions + k]) * length);
    }
    return most;
}

/* How far two places of a body are apart, in m; rotations times a length of the body. */
static double body_apart(const tn_system *sys, int body, const double *one, const double *two)
{
    const tn_sys_body *b = &sys->bodies[body];
    const double *p = one + b->q, *q = two + b->q, *scale = sys->structure.column_scale + b->v;
    double off = 0;
    for (int k = 0; k < sys->dimension; k++)
        off = fmax(off, fabs(p[k] - q[k]));
    if (b->motion == TN_MOTION_PLANAR)
        off = fmax(off, fabs(p[2] - q[2]) * (scale[2] > 0 ? scale[2] : 1));
    if (b->motion == TN_MOTION_SPATIAL) {
        /* quaternions e and -e are the same orientation; the angle between two is twice their distance */
        double near = 0, far = 0;
        for (int k = 3; k < 7; k++) {
            near += (p[k] - q[k]) * (p[k] - q[k]);
            far += (p[k] + q[k]) * (p[k] + q[k]);
        }
        off = fmax(off, 2 * sqrt(fmin(near, far)) * (scale[3] > 0 ? scale[3] : 1));
    }
    return off;
}

/* m: places differ by that much where bodies only tremble. */
static double round_off(const tn_session *s, const double *places)
{
    const double part = 1e-14;
    double most = 1;
    for (int k = 0; k < s->system->positions; k++)
        most = fmax(most, fabs(places[k]));
    return part * most;
}

static int compare_halves(tn_session *s, double h)
{
    const tn_system *sys = s->system;
    const tn_trust_room *room = s->trust.room;
    const double *whole = room->whole, *halves = room->halves;
    double most = 0;
    int worst = -1;
    tn_report_mark mark = tn_report_now(s->context);
    int code = go_by(s, room->probes[0], h, 1, room->whole);
    if (code >= 0)
        code = go_by(s, room->probes[1], h / 2, 2, room->halves);
    if (code == TN_ERROR_STEP) {           /* the run itself will meet what stopped the probe */
        tn_report_forget(s->context, mark);
        return TN_OK;
    }
    TN_TRY(code);
    for (int b = 0; b < sys->body_count; b++) {
        double off = body_apart(sys, b, whole, halves);
        if (off > most) {
            most = off;
            worst = b;
        }
    }
    if (worst < 0 || most <= s->solve.trust_step * h * s->trust.fastest || most <= round_off(s, whole))
        return TN_OK;
    return DOUBT(s, TN_DOUBT_STEP, body_span(s, worst), "one step and two half steps take body '%s' to places that are %.3g m "
                 "apart at t = %.6g s, %.2g of a step at the largest speed; the result may be wrong: try a smaller 'step' in "
                 "'solve'", body_name(s, worst), most, s->stepper->t, most / (h * s->trust.fastest));
}

/* A fixed step that does not see what a force or drive does in it. */
static int judge_clocks(tn_session *s)
{
    const tn_stepper *st = s->stepper;
    tn_missed missed;
    if (s->trust.told[TN_DOUBT_TIME] || !st->clocks || !st->fixed ||
        !tn_clocks_missed(st, tn_clocks_view(st), st->step.t, st->t, &missed))
        return TN_OK;
    char by[40] = "";
    if (!isnan(missed.by))
        snprintf(by, sizeof by, " by %.3g (SI)", missed.by);
    return DOUBT(s, TN_DOUBT_TIME, s->model->solve_span, "'%s' changes with time faster than the step shows: at t = %.9g s a value "
                 "differs%s from those that the step sees; the result may be wrong: try a smaller 'step' in 'solve', or "
                 "an integrator that chooses its steps", missed.name, missed.t, by);
}

/* A fixed step that passes over a force on a short part of the way. */
static int judge_bumps(tn_session *s)
{
    tn_stepper *st = s->stepper;
    tn_missed missed;
    if (s->trust.told[TN_DOUBT_MOTION] || !st->fixed || !tn_bumps_missed(st, &missed))
        return TN_OK;
    return DOUBT(s, TN_DOUBT_MOTION, s->model->solve_span, "the step passes over a part of '%s' that acts on a short part of the way: at t = "
                 "%.9g s a value is off by %.3g (SI) from those that the step sees; the result may be wrong: try a smaller 'step' in "
                 "'solve', or an integrator that chooses its steps", missed.name, missed.t, missed.by);
}

static int judge_step(tn_session *s)
{
    long steps = s->stepper->counts.steps;
    s->trust.fastest = fastest(s);
    const bool early = steps == HALVES_EARLY && !s->stepper->scheme->accelerate;   /* joints that give way vibrate at first */
    if (s->trust.told[TN_DOUBT_STEP] || (steps % HALVES_EVERY != HALVES_FIRST && !early) || !has_fixed_step(s) ||
        !(s->trust.fastest > 0))
        return TN_OK;
    TN_TRY(tn_trust_room_make(s, true));
    return compare_halves(s, s->solve.step);
}

/* ---- motion as small as its tolerance ---- */

/* A motion is clear when a position or velocity changes by so many times the error that a step may have. */
static const double CLEAR = 1e4;
/* Parts of the absolute tolerance. A start whose velocities and accelerations would not move anything that far until the end rests. */
static const double RESTS = 0.01;

static double allowed_error(const tn_session *s, double size)
{
    return s->solve.absolute_tolerance + s->solve.tolerance * fabs(size);
}

/* The largest change of a position or velocity from the first judged state, over its allowed error; at the first, of velocities. */
static double largest_change(const tn_session *s)
{
    const tn_system *sys = s->system;
    const double *y = s->stepper->y, *start = s->trust.room->start;
    double most = 0;
    for (int k = 0; k < sys->positions && s->trust.room->started; k++)
        most = fmax(most, fabs(y[k] - start[k]) / allowed_error(s, y[k]));
    for (int k = sys->positions; k < sys->positions + sys->velocities; k++)
        most = fmax(most, fabs(y[k]) / allowed_error(s, y[k]));
    return most;
}

/* How far (m or rad) the velocities and accelerations at the start of the first step would move something until the end. */
static double begun_motion(const tn_session *s)
{
    const tn_step *step = &s->stepper->step;
    const double time = s->solve.until - step->t;
    double most = 0;
    for (int k = step->positions; k < step->positions + step->velocities; k++)
        most = fmax(most, time * fmax(fabs(step->y0[k]), time * fabs(step->dy0[k])));
    return most;
}

/* Whatever moves, moves by not much more than the error that a step may have. Rest is no doubt, nor is what trembles beside the
 * energy of tensioned springs and heights, and what devices exchange. */
static int judge_size(tn_session *s)
{
    tn_trust_state *trust = &s->trust;
    tn_trust_room *room = trust->room;
    if (trust->clear || has_fixed_steps(s) || !room || !tn_system_allows(s->system, TN_ALLOW_TERMS))
        return TN_OK;
    trust->change = fmax(trust->change, largest_change(s));
    trust->clear = trust->change > CLEAR;
    if (!room->started) {
        memcpy(room->start, s->stepper->y, (size_t)s->system->positions * sizeof(double));
        room->started = true;
        trust->clear = trust->clear || begun_motion(s) <= RESTS * s->solve.absolute_tolerance;
    }
    const double own = fmax(fabs(s->energy.kinetic + s->energy.potential), fabs(s->summary.energy_start)), stored = fmax(own, s->network.scale);
    if (trust->clear || s->stepper->t < s->solve.until || trust->energy_scale <= ENERGY_FLOOR * stored)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_SIZE, s->model->solve_span, "all motion is small beside the tolerance: positions and velocities change by at "
                 "most %.2g times the error that a step may have (%.2g m, rad or their rates); the result may be wrong: try a smaller "
                 "'absolute_tolerance' in 'solve', and 'tolerance' as small", trust->change, s->solve.absolute_tolerance);
}

/* ---- requirements ---- */

static bool was_told(const tn_trust_state *trust, uint32_t source)
{
    int k = 0;
    while (k < trust->broken_count && trust->broken[k] != source)
        k++;
    return k < trust->broken_count;
}

/* Requirements of forces and devices on what changes: an area that becomes negative, a piston beyond its stroke. Each force is told once. */
static int judge_requirements(tn_session *s)
{
    tn_trust_state *trust = &s->trust;
    tn_stepper *st = s->stepper;
    const int most = (int)TN_LENGTH(trust->broken);
    if (s->system->watch_count == 0 || trust->broken_count == most)
        return TN_OK;
    s->eval_current = false;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    for (int k = 0; k < s->system->watch_count && trust->broken_count < most; k++) {
        const uint32_t source = tn_requirement_source(s->system, k);
        if (was_told(trust, source))
            continue;
        const char *message = tn_requirement_broken(st->eval, s->system, st->memory, k);
        if (!message)
            continue;
        const tn_force *force = &s->model->forces[source];
        trust->broken[trust->broken_count++] = source;
        TN_TRY(DOUBT(s, TN_DOUBT_REQUIREMENT, force->entity.span, "%s '%s': %s; at t = %.6g s this does not hold, so the result may be wrong",
                     tn_force_word(force), force->entity.name, message, st->t));
    }
    return TN_OK;
}

/* ---- loads that are shared ---- */

/* After 1, 10, 100 ... steps: the search takes a singular value decomposition of the joints that depend on each other. */
static bool is_power_of_ten(long steps)
{
    while (steps >= 10 && steps % 10 == 0)
        steps /= 10;
    return steps == 1;
}

/* Friction, fuses, events and controllers that follow a reaction which redundant equations leave open. */
static int judge_shared(tn_session *s)
{
    tn_shared_load load;
    if (s->trust.told[TN_DOUBT_SHARED] || !is_power_of_ten(s->stepper->counts.steps))
        return TN_OK;
    TN_TRY(tn_trust_room_make(s, has_fixed_step(s)));
    TN_TRY(tn_shared_load_find(&load, s));
    if (!load.name)
        return TN_OK;
    return DOUBT(s, TN_DOUBT_SHARED, load.span, "%s '%s' follows the reaction of joint '%s', which is not unique: redundant equations leave open how "
                 "it shares its load with %s, so what follows depends on the solver; let joints hold less, make them elastic ('bushing'), or "
                 "give the load in place of the reaction ('tenon info' tells which reactions are unique)", load.word, load.name, load.joint, load.partners);
}

/* ---- all ---- */

/* The judge looks at simulations: where drives determine the motion, nothing is integrated. */
static bool is_simulation(const tn_session *s)
{
    return !s->stepper->motion_only && !s->stepper->source.step && !s->loads;
}

static bool is_judged(const tn_session *s)
{
    return s->solve.trust != TN_TRUST_OFF && !s->silent && is_simulation(s);
}

int tn_trust_open(tn_session *s)
{
    if (!is_judged(s))
        return TN_OK;
    TN_TRY(tn_trust_room_make(s, has_fixed_step(s)));
    return tn_shared_loads_open(s);
}

int tn_trust_judge(tn_session *s)
{
    if (!is_judged(s))
        return TN_OK;
    TN_TRY(judge_energy(s));
    TN_TRY(judge_network(s));
    TN_TRY(judge_drift(s));
    TN_TRY(judge_forces(s));
    TN_TRY(judge_clocks(s));
    TN_TRY(judge_bumps(s));
    TN_TRY(judge_requirements(s));
    TN_TRY(judge_size(s));
    TN_TRY(judge_shared(s));
    return judge_step(s);
}
