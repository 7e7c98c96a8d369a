/* Kinematics (kinematics.h): Newton's method on the rows of joints and drives, g(q, t) = 0, from the prediction
 *     q + h v + h^2 a / 2
 * of the last state; then G v = -dg/dt, and G a = bias with the forces. For a drive by rate or
 * acceleration the row is that of its coordinate, whose value a track gives (tracks.h). A step is halved unless it
 * converges quickly, each correction a small part of the last one: it might have left its branch. If no step is short
 * enough, the motion ends. Before a dead point the velocity grows without bounds, so the halving finds its time like
 * bisection.
 *
 * A singular position that the motion goes through shows in the sign of the determinant of the rows. */
#include "kinematics.h"

#include <math.h>
#include <string.h>
#include "conflict.h"
#include "diag.h"
#include "singular.h"
#include "tracks.h"
#include "vec.h"

static const double ROUND_OFF = 1e-14;         /* residual over the largest coordinate: solved */
static const double UNSOLVED = 1e-11;          /* m or rad: a larger residual after the last correction is not solved */
static const double NO_MOVE = 1e-12;           /* m or rad: a smaller correction counts as none */
static const double CONTRACTION = 0.2;         /* of corrections: far from losing the branch */
static const double FARTHEST = 0.3;            /* m or rad: of a first correction */
static const double LARGEST_TURN = 0.5;        /* rad a step: joint angles are counted by half turns */
static const int MOST_CORRECTIONS = 12;
static const double SHORTEST = 4e-12;          /* shortest step over the time: accuracy of the end of a motion */
static const double WHOLE_STEP = 1e-6;         /* as in the stepper */
static const double DEAD = 1e-2;               /* smallest singular value at the end of a motion: a dead point */
static const double PASSED = 1e-5;             /* the same, of a position that the motion passed */
static const double OPEN_RATE = 1e-8;          /* residual rate of redundant rows over the fastest velocity */
/* Search for a singular position: the most solved positions, then the most halvings of the interval between them. */
static const int SOLVED_PARTS = 16, HALVINGS = 60;

typedef enum outcome { SOLVED, TOO_FAR, NOT_FINITE, CONTRADICTION } outcome;

struct tn_kinematics {
    tn_stepper *st;
    tn_arena *arena;
    tn_tracks tracks;
    tn_watch watch;
    int sign;                      /* of the determinant at the accepted state */
    double h;                      /* step to try next */
    double *residual, *move;
    double *left, *right, *middle; /* states on the way to a singular position */
    int worst;                     /* constraint that was farthest off in the last prediction */
};

/* ---- do drives determine the motion? ---- */

static int velocity_joint(const tn_system *s)
{
    for (int c = 0; c < s->constraint_count; c++)
        for (int r = 0; r < s->constraints[c].rows; r++)
            if (s->velocity_row[s->constraints[c].row + r] &&
                !tn_joint_motion(tn_constraint_joint(s, c)))
                return c;
    return -1;
}

static int evaluate_here(tn_stepper *st)
{
    st->rule = TN_RANK_DECIDE;
    return tn_stepper_evaluate(st, st->t, st->y);
}

int tn_kinematics_applies(tn_stepper *st, char why[TN_WHY_TEXT])
{
    const tn_system *s = st->system;
    tn_saddle_info info;
    char names[400];
    int held = velocity_joint(s);
    why[0] = '\0';
    if (held >= 0) {
        snprintf(why, TN_WHY_TEXT, "joint '%.80s' restrains velocities only, so positions have to be integrated",
                 tn_constraint_name(s, held));
        return 0;
    }
    TN_TRY(evaluate_here(st));
    st->solver->info(st->saddle, &info);
    int freedoms = s->velocities - info.rank;
    if (freedoms == 0)
        return 1;
    int loose = tn_loose_joints(s, st->eval, st->memory, false, names, sizeof names, NULL);
    TN_TRY(loose);
    snprintf(why, TN_WHY_TEXT, "the drives do not determine the motion: %d freedom%s left%s%s%s", freedoms,
             freedoms == 1 ? " is" : "s are", loose == 0 ? "" : loose == 1 ? "; this joint can still move: "
             : "; these joints can still move: ", names, loose > 6 ? " and others" : "");
    return evaluate_here(st) < 0 ? TN_ERROR_STEP : 0;
}

/* ---- one position ---- */

static double turn_of(const tn_system *s, const double *move)
{
    double most = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int j = s->bodies[b].v + s->dimension; j < s->structure.body_column[b + 1]; j++)
            most = fmax(most, fabs(move[j]));
    return most;
}

/* Residuals of all rows at q and their Jacobian; the row of a track is the row of its coordinate. Returns the largest
 * residual. */
static double evaluate_rows(tn_kinematics *k, double t, const double *q)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    double values[TN_MAX_COORDINATES];
    tn_eval_motion(st->eval, s, t, q, NULL);
    tn_eval_constraints(st->eval, s, st->memory, 1, true);
    memcpy(k->residual, st->eval->g, (size_t)s->rows * sizeof(double));
    for (int i = 0; i < k->tracks.count; i++) {
        const tn_track *track = &k->tracks.items[i];
        tn_eval_coordinates(st->eval, s, st->memory, track->joint, 0, values);
        k->residual[track->row] = values[track->coordinate] - track->next_value;
    }
    return tn_largest(s->rows, k->residual);
}

static void note_worst(tn_kinematics *k)
{
    const tn_system *s = k->st->system;
    double most = -1;
    for (int c = 0; c < s->constraint_count; c++) {
        double gap = tn_largest(s->constraints[c].rows, k->residual + s->constraints[c].row);
        if (gap > most) {
            most = gap;
            k->worst = c;
        }
    }
}

static int find_correction(tn_kinematics *k)
{
    tn_stepper *st = k->st;
    for (int r = 0; r < st->system->rows; r++)
        st->u[r] = -k->residual[r];
    memset(st->eval->f, 0, (size_t)st->system->velocities * sizeof(double));
    TN_TRY(st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_KEEP));
    return st->solver->solve(st->saddle, st->eval->f, st->u, st->delta, NULL);
}

static outcome solve_positions(tn_kinematics *k, double t, double *q)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    double target = ROUND_OFF * fmax(1, tn_largest(s->positions, q)), before = INFINITY;
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        double gap = evaluate_rows(k, t, q);
        if (i == 0)
            note_worst(k);
        if (st->eval->failed || !isfinite(gap) || find_correction(k) < 0)
            return NOT_FINITE;
        if (gap <= target)
            return SOLVED;
        double size = tn_largest(s->velocities, st->delta);
        bool rests = size <= NO_MOVE && (gap <= UNSOLVED || i > 0);
        if (!rests && (!(size <= FARTHEST) || size > CONTRACTION * before))
            return TOO_FAR;
        tn_position_move(s, q, st->delta, q);
        if (rests)
            return gap <= UNSOLVED ? SOLVED : CONTRADICTION;
        before = size;
    }
    return TOO_FAR;
}

/* Computes the state at t, starting from the accepted state. */
static outcome solve_state(tn_kinematics *k, double t, double *y)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    const double *v = st->y + s->positions, *a = st->dy + s->positions;
    double h = t - st->t, *next = y + s->positions;
    for (int j = 0; j < s->velocities; j++) {
        k->move[j] = h * (v[j] + 0.5 * h * a[j]);
        next[j] = v[j] + h * a[j];
    }
    if (!(turn_of(s, k->move) <= LARGEST_TURN))
        return TOO_FAR;
    st->eval->failed = NULL;
    tn_position_move(s, st->y, k->move, y);
    tn_eval_motion(st->eval, s, t, y, NULL);
    tn_tracks_predict(&k->tracks, s, st->eval, st->memory, st->t, t);
    outcome found = solve_positions(k, t, y);
    if (found != SOLVED)
        return found;
    tn_position_normalize(s, y);
    memcpy(next + s->velocities, v + s->velocities, (size_t)s->states * sizeof(double));
    for (int i = 0; i < k->tracks.count; i++)
        if (k->tracks.items[i].state >= 0)
            next[s->velocities + k->tracks.items[i].state] = k->tracks.items[i].next_speed;
    tn_eval_motion(st->eval, s, t, y, next);
    tn_eval_drives(st->eval, s, st->memory);
    st->factored = false;
    return tn_project_velocities(st, t, y, next) < 0 ? NOT_FINITE : SOLVED;
}

/* ---- messages ---- */

static int report_contradiction(tn_kinematics *k, double t, const double *residual)
{
    const tn_system *s = k->st->system;
    char text[TN_CONFLICT_TEXT];
    tn_span span;
    int found = tn_conflict_find(s, k->st->eval, residual, UNSOLVED, text, &span);
    if (found <= TN_CONFLICT_NONE)
        return found;
    return tn_fail(s->context, TN_ERROR_STEP, span, "t = %.9g s: %s: over-driven", t, text);
}

/* Reports that no step is short enough. */
static int report_end(tn_kinematics *k, double h)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    char names[400];
    double smallest = 0;
    TN_TRY(evaluate_here(st));
    TN_TRY(tn_loose_joints(s, st->eval, st->memory, true, names, sizeof names, &smallest));
    TN_TRY(evaluate_here(st));
    if (smallest <= DEAD)
        return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span, "dead point at t = %.12g s: there %s can move "
                       "while all drives stand still, and no motion leads on", st->t, names);
    return tn_fail(s->context, TN_ERROR_STEP, tn_constraint_span(s, k->worst), "no motion leads on from t = %.12g s "
                   "(h = %.2g s): '%s' asks for a jump", st->t, h, tn_constraint_name(s, k->worst));
}

static int report_not_finite(const tn_kinematics *k, double t)
{
    const tn_eval *e = k->st->eval;
    tn_context *context = k->st->system->context;
    if (!e->failed)
        return tn_fail(context, TN_ERROR_STEP, TN_NOWHERE, "t = %.9g s: the positions are not finite", t);
    return tn_fail(context, TN_ERROR_STEP, e->failed_span, "t = %.9g s: %s", t, e->trouble);
}

/* ---- singular positions on the way ---- */

static int sign_at(tn_kinematics *k, double t, const double *q)
{
    tn_stepper *st = k->st;
    tn_eval_motion(st->eval, st->system, t, q, NULL);
    tn_eval_constraints(st->eval, st->system, st->memory, 1, true);
    return tn_watch_sign(&k->watch, st->eval);
}

/* Positions at the fraction x between two states, by the cubic through both states and their rates. */
static void between(const tn_kinematics *k, double h, double x, double *q)
{
    const tn_system *s = k->st->system;
    int n = s->positions;
    double *rate = k->st->scratch;
    tn_position_rate(s, k->left, k->left + n, rate);
    for (int i = 0; i < n; i++)
        q[i] = (1 + 2 * x) * (1 - x) * (1 - x) * k->left[i] + h * x * (1 - x) * (1 - x) * rate[i];
    tn_position_rate(s, k->right, k->right + n, rate);
    for (int i = 0; i < n; i++)
        q[i] += x * x * (3 - 2 * x) * k->right[i] - h * x * x * (1 - x) * rate[i];
    tn_position_normalize(s, q);
}

/* Time within the step to y1 at which the sign changes; positions there in middle. Very close to it,
 * positions cannot be solved accurately, but the motion between two solved positions nearby is smooth. */
static double locate(tn_kinematics *k, double t1)
{
    static const double PART = 0.42;           /* not 1/2: symmetric motions would meet the singular position itself */
    tn_stepper *st = k->st;
    size_t size = (size_t)st->system->size * sizeof(double);
    double a = st->t, b = t1;
    memcpy(k->left, st->y, size);
    memcpy(k->right, st->y1, size);
    for (int i = 0; i < SOLVED_PARTS; i++) {
        double t = a + PART * (b - a);
        if (solve_state(k, t, k->middle) != SOLVED)
            break;
        bool before = sign_at(k, t, k->middle) == k->sign;
        memcpy(before ? k->left : k->right, k->middle, size);
        *(before ? &a : &b) = t;
    }
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double x = 0.5 * (low + high);
        between(k, b - a, x, k->middle);
        *(sign_at(k, a + x * (b - a), k->middle) == k->sign ? &low : &high) = x;
    }
    return a + high * (b - a);
}

/* The sign of the chosen rows' determinant changed on the way to y1: gives a warning if all rows together are singular
 * there, then chooses the rows again. */
static int note_passage(tn_kinematics *k, double t1)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    char names[400];
    double smallest = 0, t = locate(k, t1);
    sign_at(k, t, k->middle);
    TN_TRY(tn_loose_joints(s, st->eval, st->memory, true, names, sizeof names, &smallest));
    if (smallest <= PASSED)
        tn_warn(s->context, s->model->solve_span, "passed a singular position at t = %.12g s, where %s can move while "
                "all drives stand still; the motion went on smoothly", t, names);
    sign_at(k, t1, st->y1);
    TN_TRY(tn_watch_choose(&k->watch, st->eval));
    k->sign = sign_at(k, t1, st->y1);
    return TN_OK;
}

/* ---- steps ---- */

/* Computes accelerations at y1. All rows must be independent enough there to determine them. */
static outcome finish(tn_kinematics *k, double t1)
{
    tn_stepper *st = k->st;
    tn_saddle_info info;
    st->rule = TN_RANK_DECIDE;
    if (tn_rate(st->dy1, st, t1, st->y1) < 0)
        return NOT_FINITE;
    st->solver->info(st->saddle, &info);
    if (info.rank == st->system->velocities)
        return SOLVED;
    return evaluate_here(st) < 0 ? NOT_FINITE : TOO_FAR;
}

/* Checks the rates of redundant rows, which the solution may not satisfy. */
static int check_rates(tn_kinematics *k, double t1)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    double fastest = tn_largest(s->velocities, st->y1 + s->positions);
    if (s->rows == s->velocities || tn_largest(s->rows, st->eval->gdot) <= OPEN_RATE * fmax(1, fastest))
        return TN_OK;
    return report_contradiction(k, t1, st->eval->gdot);
}

/* Looks for a singular position on the way to y1. The search overwrites the evaluation at y1, so y1 is solved again. */
static int watch_step(tn_kinematics *k, double t1)
{
    tn_stepper *st = k->st;
    if (tn_watch_sign(&k->watch, st->eval) * k->sign >= 0)
        return TN_OK;
    TN_TRY(note_passage(k, t1));
    if (solve_state(k, t1, st->y1) == SOLVED && finish(k, t1) == SOLVED)
        return TN_OK;
    return tn_fail(st->system->context, TN_ERROR_STEP, TN_NOWHERE, "t = %.9g s: no positions so near to a singular one",
                   t1);
}

static int accept(tn_kinematics *k, double t1)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    TN_TRY(check_rates(k, t1));
    TN_TRY(watch_step(k, t1));
    st->step = (tn_step){ .t = st->t, .h = t1 - st->t, .positions = s->positions, .velocities = s->velocities,
                          .states = s->states, .y0 = st->y, .dy0 = st->dy, .y1 = st->y1, .dy1 = st->dy1,
                          .work = st->step.work };
    tn_stepper_accept(st);
    tn_tracks_accept(&k->tracks);
    return TN_OK;
}

static int step_kinematics(void *user, double t_end)
{
    tn_kinematics *k = user;
    tn_stepper *st = k->st;
    double h = fmin(k->h, st->h);
    h = t_end - st->t <= h * (1 + WHOLE_STEP) ? t_end - st->t : h;
    for (;; h *= 0.5) {
        const double t1 = tn_stepper_end(st, h);
        outcome found = solve_state(k, t1, st->y1);
        if (found == CONTRADICTION)
            TN_TRY(report_contradiction(k, t1, k->residual));
        if (found == SOLVED)
            found = finish(k, t1);
        if (found == SOLVED) {
            k->h = 2 * h;
            return accept(k, t1);
        }
        st->counts.rejected++;
        if (h > SHORTEST * fmax(fabs(st->t), 1))
            continue;
        return found == NOT_FINITE ? report_not_finite(k, t1) : report_end(k, h);
    }
}

static int state_at(void *user, double t, double *y)
{
    tn_kinematics *k = user;
    tn_stepper *st = k->st;
    if (solve_state(k, t, y) == SOLVED)
        return TN_OK;
    return tn_fail(st->system->context, TN_ERROR_STEP, st->system->model->solve_span, "the positions at t = %.12g s "
                   "cannot be found; choose another time between samples", t);
}

/* ---- life ---- */

static int build_kinematics(tn_kinematics *k)
{
    tn_stepper *st = k->st;
    const tn_system *s = st->system;
    size_t size = (size_t)s->size;
    k->residual = tn_arena_alloc(k->arena, (size_t)s->rows, sizeof(double));
    k->move = tn_arena_alloc(k->arena, (size_t)s->velocities, sizeof(double));
    k->left = tn_arena_alloc(k->arena, size, sizeof(double));
    k->right = tn_arena_alloc(k->arena, size, sizeof(double));
    k->middle = tn_arena_alloc(k->arena, size, sizeof(double));
    TN_TRY(tn_arena_status(k->arena));
    TN_TRY(evaluate_here(st));
    TN_TRY(tn_tracks_create(&k->tracks, s, k->arena, st->eval, st->memory));
    TN_TRY(tn_watch_create(&k->watch, s, k->arena, st->eval));
    k->sign = tn_watch_sign(&k->watch, st->eval);
    k->h = st->h;
    st->source = (tn_state_source){ step_kinematics, state_at, k };
    return TN_OK;
}

int tn_kinematics_create(tn_kinematics **out, tn_stepper *st)
{
    tn_context *context = st->system->context;
    tn_kinematics *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->st = st;
    k->arena = tn_arena_create(context);
    int code = k->arena ? build_kinematics(k) : TN_ERROR_MEMORY;
    if (code < 0) {
        tn_kinematics_destroy(k);
        return code;
    }
    *out = k;
    return TN_OK;
}

void tn_kinematics_destroy(tn_kinematics *k)
{
    if (!k)
        return;
    tn_context *context = k->st->system->context;
    k->st->source = (tn_state_source){ 0 };
    tn_arena_destroy(k->arena);
    tn_free(context, k);
}
