/* Static equilibrium (statics.h). Downhill: steps of backward Euler with the real masses, each from rest. With V the
 * velocities that the joints allow, r = V'f, K and M the reduced stiffness and mass, a step of length h displaces by
 * V p with
 *     (M / h^2 + K) p - f_z dz = r,       (1 / h - r_z) dz - r_x p = z'
 * and then closes the joints. h is kept so short that M / h^2 + K is positive definite: forces do positive work on the
 * way. It grows while that work, by the trapezoid rule, is what K predicts; as it grows, steps become Newton's, and the
 * last ones converge quadratically. At an unstable equilibrium the search continues along the unstable direction.
 * States that follow the motion (follow.h) are not taken from the linear problem, but integrated; they depend on
 * velocities.
 *
 * With unilateral constraints (tn_static_bounds) a step solves the same equations with the forces that keep their gaps
 * from closing beyond zero, friction against the displacement of the step included, so that it ends at rest on stops,
 * floors and slopes.
 *
 * Nearest: Newton's method (1 / h = 0; least squares where K is singular), halved while the residual grows. */
#include "statics_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "diag.h"
#include "follow.h"
#include "judge.h"
#include "linear.h"
#include "shape.h"

static const int MOST_STEPS = 600, MOST_STEPS_BOUNDED = 6000, MOST_TRIES = 60, MOST_ESCAPES = 20, MOST_HALVINGS = 30;
static const double FIRST_MOVE = 0.05;         /* of the size, or rad: first step, and step off an unstable point */
static const double LARGEST_MOVE = 0.5;        /* the same: of any step */
static const double LARGEST_TURN = 0.1;        /* rad: of any step near contacts of shapes */
static const double LARGEST_FREE = 1e3;        /* of the longest allowed step: what a step would be without contacts */
static const double CLOSED = 1e-11;            /* m or rad: gap of a contact that bears load, at the end of a step */
static const double LOST = 1e4;                /* sizes travelled: there is no equilibrium */
static const double GOOD = 0.75, PERFECT = 0.99, POOR = 0.1;   /* work over what was predicted */
static const double GROW = 3, GROW_FAST = 30, SHRINK = 0.25;   /* of h */
static const double SOFTEST = 1e-12;           /* 1 / h^2 over the largest K / M: the matrix stays regular */
static const double ENOUGH = 1e-4;             /* least relative decrease of the residual for a Newton step */
static const double ROUND_OFF = 1e-15, SINGULAR = 1e-12;
static const double BALANCED = 1e-13;          /* a smaller residual moves Newton's method along motions that meet no resistance only */
static const double MOST_NOISE = 1e-5;          /* part of the load: where round-off of positions makes more, forces are not known */
static const double DEFINITE = 0.9;            /* share of M / h^2 with which K is definite: steps are not next to singular */
static const double LONGEST = 1e8;             /* s: h of a model without masses */
static const double AT_REST = 1e-3;            /* of the size a second squared, or rad/s^2: accelerations after a search along the motion */
static const int MOST_FLOWING = 300;           /* numbers of the state: its matrices by differences are dense */

tn_statics_options tn_statics_default(void)
{
    return (tn_statics_options){ .time = NAN, .tolerance = 1e-10 };
}

/* ---- measures ---- */

/* Largest force; torques over a length of their body. b NULL: of a alone. */
static double largest_force(const tn_relaxer *r, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < r->s->velocities; k++)
        most = fmax(most, fabs(a[k] - (b ? b[k] : 0)) / tn_relaxer_length(r, k));
    return most;
}

/* The largest shift of a body by a displacement, over the size, and the largest rotation, rad. */
static void measure_statics(const tn_relaxer *r, const double *x, double *shift, double *turn)
{
    *shift = *turn = 0;
    for (int b = 0; b < r->s->body_count; b++) {
        int first = r->s->bodies[b].v, end = r->s->structure.body_column[b + 1];
        for (int k = first; k < end; k++) {
            bool shifts = k - first < r->s->dimension;
            double *most = shifts ? shift : turn;
            *most = fmax(*most, fabs(x[k]) / (shifts ? r->size : 1));
        }
    }
}

static double distance(const tn_relaxer *r, const double *x)
{
    double shift, turn;
    measure_statics(r, x, &shift, &turn);
    return fmax(shift, turn);
}

/* The length of a step over the longest allowed one. Falling bodies may move farther with each step; rotations stay
 * small, so that turns can be counted. */
static double excess(const tn_relaxer *r)
{
    double shift, turn;
    measure_statics(r, r->x, &shift, &turn);
    return fmax(turn / (r->rows.touches ? LARGEST_TURN : LARGEST_MOVE), shift / fmax(1, r->travelled) / LARGEST_MOVE);
}

static double find_size(const tn_relaxer *r)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, most = 0;
    for (int b = 0; b < r->s->body_count; b++)
        for (int k = 0; k < r->s->dimension; k++) {
            low[k] = fmin(low[k], r->near->y[r->s->bodies[b].q + k]);
            high[k] = fmax(high[k], r->near->y[r->s->bodies[b].q + k]);
        }
    for (int k = 0; k < r->s->dimension && r->s->body_count > 0; k++)
        most = fmax(most, high[k] - low[k]);
    for (int k = 0; k < r->s->velocities; k++)
        most = fmax(most, r->s->structure.column_scale[k] == 1 ? 0 : r->s->structure.column_scale[k]);
    return most > 0 ? most : 1;
}

/* Rates of states are measured relative to the size of the states. */
static double restlessness(const tn_relaxer *r)
{
    const double *z = r->near->y + r->s->positions + r->s->velocities;
    double most = 0;
    for (int k = 0; k < r->states; k++)
        most = fmax(most, fabs(r->near->stepper->eval->dz[k]) / fmax(1, fabs(z[k])));
    return most;
}

/* The larger of residual over load and rate of states. */
static double imbalance(const tn_relaxer *r, double *residual, double *load)
{
    const double *f = r->near->stepper->eval->f;
    const double *rest = r->bounds ? r->rest : r->near->unbalanced;
    *residual = largest_force(r, rest, NULL);
    *load = fmax(r->weight, fmax(largest_force(r, f, NULL), largest_force(r, f, rest)));
    return fmax(*load > 0 ? *residual / *load : 0, restlessness(r));
}

/* ---- moving ---- */

/* Finds the forces that the unilateral constraints leave unbalanced at the state of near, into rest. */
static int find_rest(tn_relaxer *r)
{
    if (!r->bounds)
        return TN_OK;
    memcpy(r->part, r->near->stepper->eval->a, (size_t)r->s->velocities * sizeof(double));
    TN_TRY(r->bounds->support(r->bounds->user, r->near, r->part));
    tn_tangent_weigh(r->near, r->part, r->rest);
    return TN_OK;
}

/* Moves the trial state from the accepted point by part of the step, and closes the joints. */
static int move_trial(tn_relaxer *r, double part)
{
    for (int k = 0; k < r->s->velocities; k++)
        r->part[k] = part * r->x[k];
    memcpy(r->trial, r->y, (size_t)r->s->size * sizeof(double));
    tn_position_move(r->s, r->y, r->part, r->trial);
    return tn_project_positions(r->near->stepper, r->near->t, r->trial);
}

/* Moves near from the accepted point by part of the step, and closes the joints. TN_ERROR_STEP: there is no such
 * state. */
static int try_move(tn_relaxer *r, double part)
{
    const tn_system *s = r->s;
    double *z = r->trial + s->positions + s->velocities;
    tn_state_way way = { r->y, r->trial, r->h, r->fastest, r->follows, r->changes };
    for (int k = 0; k < r->states; k++)
        r->changes[k] = part * r->dz[k];
    TN_TRY(move_trial(r, part));
    if (r->bounds)
        TN_TRY(r->bounds->push(r->bounds->user, r->near, r->trial, r->x));
    for (int k = 0; k < r->states && !r->some_follow; k++)
        z[k] += r->changes[k];
    if (r->some_follow)
        tn_states_follow(r->near, &way, z);
    TN_TRY(tn_tangent_place(r->near, r->near->t, r->trial, r->near->memory, true));
    return find_rest(r);
}

/* Accepts the point of near. */
static void accept(tn_relaxer *r)
{
    r->before = r->residual;
    tn_tangent_remember(r->near);
    memcpy(r->y, r->near->y, (size_t)r->s->size * sizeof(double));
    memcpy(r->unbalanced, r->near->unbalanced, (size_t)r->s->velocities * sizeof(double));
    r->travelled += distance(r, r->x);
    r->residual = imbalance(r, &(double){ 0 }, &r->load);
}

/* The work of the forces from the accepted point to the point of near, by the trapezoid rule. */
static double work_done(const tn_relaxer *r)
{
    double work = 0;
    for (int k = 0; k < r->s->velocities; k++)
        work += 0.5 * (r->unbalanced[k] + r->near->unbalanced[k]) * r->x[k];
    return work;
}

/* Solves the linear problem again, with the forces of the listed unilateral constraints. */
static int solve_constrained(tn_relaxer *r, double s, double *solution)
{
    tn_matrix A, b;
    TN_TRY(tn_relaxer_system(&A, &b, r, s));
    memcpy(solution, r->free, (size_t)A.rows * sizeof(double));
    return tn_static_rows_constrain(solution, &A, &r->freedoms.V, &r->rows, r->pass);
}

/* Replaces a solution of the linear problem by one that respects the unilateral constraints near it. */
static int constrain(tn_relaxer *r, double s, double *solution)
{
    enum { WIDER = 4 };                                /* the step may become longer than the free one */
    double shift, turn, listed_shift, listed_turn, farthest = LARGEST_MOVE * fmax(1, r->travelled);
    measure_statics(r, r->x, &shift, &turn);
    for (int pass = 0; pass < WIDER; pass++) {
        listed_shift = fmin(2 * shift, farthest);
        listed_turn = fmin(2 * turn, LARGEST_MOVE);
        TN_TRY(r->bounds->list(&r->rows, r->bounds->user, r->near, r->y, listed_shift * r->size, listed_turn, r->pass));
        if (r->rows.count == 0)
            return TN_OK;
        TN_TRY(solve_constrained(r, s, solution));
        tn_relaxer_take(r, solution);
        measure_statics(r, r->x, &shift, &turn);
        if (shift <= listed_shift && turn <= listed_turn)
            break;
    }
    return TN_OK;
}

/* Corrects the step where the gaps of constraints that bear load do not close at its end because they are curved, and
 * *predicted with it; then moves. */
static int move_constrained(tn_relaxer *r, double s, double *solution, double *predicted)
{
    enum { MOST_CORRECTIONS = 4 };
    int rounds = 0;
    double *gaps = tn_numbers(r->pass, r->rows.count);
    if (!gaps)
        return TN_ERROR_MEMORY;
    for (double before = INFINITY, open;; before = open) {
        TN_TRY(move_trial(r, 1));
        r->bounds->measure(gaps, r->bounds->user, &r->rows, r->near, r->trial);
        open = tn_static_rows_correct(&r->rows, gaps, r->x, r->s->velocities);
        if (open <= CLOSED || !(open < before / 2) || rounds++ == MOST_CORRECTIONS)
            break;
        TN_TRY(solve_constrained(r, s, solution));
        *predicted = tn_relaxer_take(r, solution);
    }
    return try_move(r, 1);
}

/* The work by which the loads on closed constraints move with them, as far as the step closes gaps that are left from the step
 * before, below CLOSED. Near the end of a search it is more than what the step gains. gaps: at the accepted point. */
static double closing_work(const tn_relaxer *r, const double *gaps)
{
    double work = 0;
    for (int k = 0; k < r->rows.count; k++)
        if (fabs(gaps[k]) <= CLOSED)
            work += gaps[k] * r->rows.force[r->rows.contacts[k].row];
    return work;
}

/* How well the linear problem predicts the rates at the end of a step that only states take, which are dz / h: 1 minus the
 * largest error over the largest rate at the accepted point. */
static double rates_ratio(const tn_relaxer *r, double rates_before)
{
    const double *z = r->near->y + r->s->positions + r->s->velocities;
    double most = 0;
    for (int k = 0; k < r->states; k++)
        most = fmax(most, fabs(r->near->stepper->eval->dz[k] - r->dz[k] / r->h) / fmax(1, fabs(z[k])));
    return 1 - most / rates_before;
}

/* Work of the forces over what was predicted, without that of closing; negative: the step leads to no state. Where forces balance
 * already, only states move, and their rates are compared with the prediction. */
static double judge_step(const tn_relaxer *r, int code, double predicted, double closing, double rates_before, bool balanced)
{
    return code < 0 ? -1 : balanced ? rates_ratio(r, rates_before)
           : predicted > closing ? (work_done(r) - closing) / (predicted - closing) : 0;
}

/* Whether forces balance at the accepted point while states are not at rest. */
static bool only_states_move(const tn_relaxer *r)
{
    double force, load;
    imbalance(r, &force, &load);
    return r->states > 0 && !(force > r->options->tolerance * load);
}

/* Tries a step with the present h. Returns a positive value when the step is taken, TN_OK when h was changed
 * instead. */
static int try_downhill(tn_relaxer *r)
{
    tn_matrix A, b;
    r->h = fmin(r->h, LONGEST);
    double s = fmax(1 / (r->h * r->h), SOFTEST * r->stiffest), load, force, rates_before = restlessness(r);
    bool definite, balanced = only_states_move(r);
    TN_TRY(tn_relaxer_is_definite(r, DEFINITE * s, &definite));
    TN_TRY(tn_relaxer_system(&A, &b, r, s));
    int code = definite ? tn_matrix_solve(&A, &b, r->pass) : TN_MATRIX_SINGULAR;
    TN_TRY(code);
    r->h = 1 / sqrt(s);
    if (code == TN_MATRIX_SINGULAR) {
        r->h *= SHRINK;
        return TN_OK;
    }
    r->rows = (tn_static_rows){ 0 };
    double *gaps = NULL;
    double predicted = tn_relaxer_take(r, b.at), too_far = excess(r);
    if (r->bounds && too_far <= LARGEST_FREE) {
        r->free = tn_numbers(r->pass, b.rows);
        if (!r->free)
            return TN_ERROR_MEMORY;
        memcpy(r->free, b.at, (size_t)b.rows * sizeof(double));
        TN_TRY(constrain(r, s, b.at));
        predicted = tn_relaxer_take(r, b.at);
        too_far = excess(r);
    }
    if (r->rows.count > 0) {
        gaps = tn_numbers(r->pass, r->rows.count);
        if (!gaps)
            return TN_ERROR_MEMORY;
        memcpy(gaps, r->rows.gap, (size_t)r->rows.count * sizeof(double));
    }
    if (!(too_far <= 1)) {
        r->h *= fmax(SHRINK, 0.8 / sqrt(too_far));
        return TN_OK;
    }
    code = r->rows.count > 0 ? move_constrained(r, s, b.at, &predicted) : try_move(r, 1);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    double ratio = judge_step(r, code, predicted, gaps ? closing_work(r, gaps) : 0, rates_before, balanced);
    bool better = code == TN_OK && imbalance(r, &force, &load) < 0.5 * r->residual;
    if (ratio < POOR && !better) {
        r->h *= SHRINK;
        return TN_OK;
    }
    r->h *= fabs(ratio - 1) < 1 - PERFECT || better ? GROW_FAST : fabs(ratio - 1) < 1 - GOOD ? GROW : 1;
    return 1;
}

static int step_downhill(tn_relaxer *r)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int code = try_downhill(r);
        if (code != TN_OK)
            return code < 0 ? code : TN_OK;
    }
    return TN_ERROR_STEP;
}

static int step_newton(tn_relaxer *r)
{
    tn_matrix A, b;
    lapack_int rank;
    double residual, load;
    TN_TRY(tn_relaxer_system(&A, &b, r, 0));
    double *sigma = tn_numbers(r->pass, A.rows);
    if (!sigma)
        return TN_ERROR_MEMORY;
    int solved = A.rows == 0 ? TN_OK : tn_lapack_code(LAPACKE_dgelsd(LAPACK_COL_MAJOR, A.rows, A.rows, 1, A.at, A.rows,
                                                                     b.at, A.rows, sigma, SINGULAR, &rank));
    if (solved != TN_OK)
        return solved < 0 ? solved : TN_ERROR_STEP;
    tn_relaxer_take(r, b.at);
    double part = 1 / fmax(1, excess(r));
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, part /= 2) {
        int code = try_move(r, part);
        if (code < 0 && code != TN_ERROR_STEP)
            return code;
        if (code == TN_OK && imbalance(r, &residual, &load) <= fmax((1 - ENOUGH * part) * r->residual, ROUND_OFF))
            return TN_OK;
    }
    return TN_ERROR_STEP;
}

/* ---- the search ---- */

static bool is_settled(const tn_relaxer *r)
{
    const bool unloaded = r->load <= AT_REST * r->mass * r->size;      /* the load itself may be noise: all forces of a body balance */
    bool rests = r->load > 0 && r->residual * r->load <= r->noise && (unloaded || r->residual <= MOST_NOISE) &&
                 restlessness(r) <= r->options->tolerance;
    const bool enough = r->options->nearest && r->residual <= BALANCED && restlessness(r) <= BALANCED;
    return r->residual <= ROUND_OFF || rests || enough || (r->bounds && r->residual <= r->options->tolerance) ||
           (r->residual <= r->options->tolerance && r->residual > 0.5 * r->before);
}

/* Describes the bodies that still move. */
static int still_moves(tn_relaxer *r, const char *why)
{
    tn_shapes shapes;
    const tn_motion_part *parts;
    size_t count;
    char what[600] = "";
    TN_TRY(tn_shapes_prepare(&shapes, r->near, &r->freedoms, r->pass));
    TN_TRY(tn_shape_describe(&parts, &count, &shapes, r->x, NULL, r->pass));
    if (count > 0)
        snprintf(what, sizeof what, "what moves most is '%.200s'%s%.200s%s, ", parts[0].coordinate,
                 count > 1 ? ", then '" : "", count > 1 ? parts[1].coordinate : "", count > 1 ? "'" : "");
    return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "%s: %s%.3g of the load is not balanced", why, what,
                   r->residual);
}

static int one_pass(tn_relaxer *r)
{
    TN_TRY(tn_relaxer_reduce(r));
    if (is_settled(r))                                 /* with the round-off of forces, which is known only now */
        return TN_OK;
    int code = r->options->nearest ? step_newton(r) : step_downhill(r);
    if (code == TN_ERROR_STEP && r->residual <= r->options->tolerance)
        r->before = 0;                                 /* no further progress is expected */
    else if (code == TN_ERROR_STEP)
        return still_moves(r, r->options->nearest ? "Newton's method does not converge from here"
                                                  : "no step downhill can be taken");
    else if (code < 0)
        return code;
    else
        accept(r);
    if (r->travelled > LOST)
        return still_moves(r, "there is no equilibrium, nothing holds it");
    return TN_OK;
}

static int search(tn_relaxer *r)
{
    const int most = r->bounds ? MOST_STEPS_BOUNDED : MOST_STEPS;
    for (int pass = 0; pass < most && !is_settled(r); pass++) {
        r->pass = tn_arena_create(r->s->context);
        int code = r->pass ? one_pass(r) : TN_ERROR_MEMORY;
        bool last = pass + 1 == most;
        r->iterations++;
        if (code == TN_OK && last && !is_settled(r))
            code = still_moves(r, "no equilibrium was found");
        tn_arena_destroy(r->pass);
        TN_TRY(code);
    }
    return tn_tangent_place(r->near, r->near->t, r->y, r->near->memory, true);
}

static int search_along_flow(tn_relaxer *r)
{
    TN_TRY(tn_statics_flow(r->near, r->size, r->options->nearest, &r->iterations));
    accept(r);
    return TN_OK;
}

/* Forces that states give, as those of a controller with a hydraulic drive, need not lead downhill: then along the motion, from the same start. */
static int search_any_way(tn_relaxer *r)
{
    const tn_system *s = r->s;
    const bool may_flow = r->states > 0 && !r->options->nearest && 2 * s->velocities + s->states <= MOST_FLOWING;
    double *start = tn_numbers(r->arena, s->size + s->memory);
    if (r->near->by_differences)
        return search_along_flow(r);
    if (!start)
        return TN_ERROR_MEMORY;
    memcpy(start, r->y, (size_t)s->size * sizeof(double));
    memcpy(start + s->size, r->near->memory, (size_t)s->memory * sizeof(double));
    const tn_report_mark before = tn_report_now(s->context);
    const int code = search(r);
    if (code != TN_ERROR_STEP || !may_flow)
        return code;
    const tn_report_mark failed = tn_report_now(s->context);
    const bool found = tn_tangent_place(r->near, r->near->t, start, start + s->size, true) == TN_OK && search_along_flow(r) == TN_OK &&
                       distance(r, r->near->stepper->eval->a) <= AT_REST;
    tn_report_forget(s->context, found ? before : failed);
    return found ? TN_OK : code;
}

static void choose_first_step(tn_relaxer *r)
{
    double acceleration = distance(r, r->near->stepper->eval->a);
    r->h = acceleration > 0 ? sqrt(FIRST_MOVE / acceleration) : 1;
    r->before = INFINITY;
    memset(r->x, 0, (size_t)r->s->velocities * sizeof(double));
}

/* ---- stability ---- */

static int judge_here(tn_relaxer *r, tn_equilibrium *out, tn_arena *arena)
{
    tn_arena *scratch = tn_arena_create(r->s->context);
    int code = scratch ? tn_equilibrium_judge(out, r->near, r->load / (r->mass * r->size), r->x, arena, scratch)
                       : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}

/* Moves away from an unstable point along r->x. */
static int escape(tn_relaxer *r)
{
    double far = distance(r, r->x);
    memset(r->dz, 0, (size_t)r->s->states * sizeof(double));
    int code = far > 0 ? try_move(r, FIRST_MOVE / far) : TN_ERROR_STEP;
    if (code == TN_ERROR_STEP)
        return tn_fail(r->s->context, code, TN_NOWHERE, "the equilibrium on the way is unstable, and there is no step "
                       "off it; 'nearest' takes it as it is");
    TN_TRY(code);
    accept(r);
    r->travelled = 0;
    choose_first_step(r);
    return TN_OK;
}

/* ---- start ---- */

static int allocate(tn_relaxer *r)
{
    r->y = tn_numbers(r->arena, r->s->size);
    r->unbalanced = tn_numbers(r->arena, r->s->velocities);
    r->x = tn_numbers(r->arena, r->s->velocities);
    r->dz = tn_numbers(r->arena, r->s->states);
    r->follows = tn_arena_alloc(r->arena, (size_t)r->s->states, sizeof(bool));
    r->part = tn_numbers(r->arena, r->s->velocities);
    r->changes = tn_numbers(r->arena, r->s->states);
    r->trial = tn_numbers(r->arena, r->s->size);
    r->rest = tn_numbers(r->arena, r->s->velocities);
    bool all = r->rest && r->y && r->unbalanced && r->x && r->dz && r->follows && r->part && r->changes && r->trial;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

/* Puts the search at the state of near, with drives at the time of the loads. */
static int begin_search(tn_relaxer *r)
{
    TN_TRY(allocate(r));
    TN_TRY(tn_relaxer_follow_drives(r));
    TN_TRY(find_rest(r));
    r->size = find_size(r);
    const double *g = r->s->gravity;
    for (int b = 0; b < r->s->body_count; b++) {
        r->mass += r->s->bodies[b].mass;
        r->weight = fmax(r->weight, r->s->bodies[b].mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    }
    choose_first_step(r);
    r->residual = INFINITY;
    accept(r);
    r->before = INFINITY;
    return TN_OK;
}

static int find_statics(tn_relaxer *r, tn_equilibrium *out, tn_arena *arena)
{
    TN_TRY(begin_search(r));
    for (int escapes = 0;; escapes++) {
        TN_TRY(search_any_way(r));
        TN_TRY(judge_here(r, out, arena));
        if (out->kind != TN_EQUILIBRIUM_UNSTABLE || r->options->nearest || escapes == MOST_ESCAPES)
            break;
        TN_TRY(escape(r));
    }
    out->time = r->near->t;
    out->iterations = r->iterations;
    imbalance(r, &out->residual, &out->load);
    return TN_OK;
}

int tn_statics_find(tn_equilibrium *out, tn_tangent *near, const tn_statics_options *options, double *direction,
                    tn_arena *arena)
{
    const tn_system *s = near->system;
    TN_TRY(tn_check_size(s, "the search for an equilibrium"));
    tn_relaxer r = { .near = near, .s = s, .options = options, .arena = tn_arena_create(s->context),
                     .states = tn_drive_states_begin(s) };
    int code = r.arena ? find_statics(&r, out, arena) : TN_ERROR_MEMORY;
    if (code == TN_OK && direction)
        memcpy(direction, r.x, (size_t)s->velocities * sizeof(double));
    tn_arena_destroy(r.arena);
    return code;
}

static int descend(tn_relaxer *r, const double *away)
{
    TN_TRY(begin_search(r));
    if (away) {
        memcpy(r->x, away, (size_t)r->s->velocities * sizeof(double));
        TN_TRY(escape(r));
    } else {                                           /* drives may have moved bodies into each other */
        memset(r->x, 0, (size_t)r->s->velocities * sizeof(double));
        int code = try_move(r, 0);
        if (code == TN_ERROR_STEP)
            return tn_fail(r->s->context, code, TN_NOWHERE, "stops or contacts overlap with the drives at t = %.9g s, "
                           "and no shift of the bodies separates them", r->near->t);
        TN_TRY(code);
        accept(r);
    }
    return search(r);
}

int tn_statics_descend(long *steps, tn_tangent *near, const tn_statics_options *options,
                       const tn_static_bounds *bounds, const double *away)
{
    const tn_system *s = near->system;
    TN_TRY(tn_check_size(s, "the search for an equilibrium"));
    tn_relaxer r = { .near = near, .s = s, .options = options, .bounds = bounds, .arena = tn_arena_create(s->context),
                     .states = tn_drive_states_begin(s) };
    int code = r.arena ? descend(&r, away) : TN_ERROR_MEMORY;
    *steps += r.iterations;
    tn_arena_destroy(r.arena);
    return code;
}
