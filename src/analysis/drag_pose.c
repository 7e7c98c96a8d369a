/* Solves at one pose under a pull. With P the rows of the point, G the rows of joints, C the rows of resting bounds:
 *     M a = P' gap + G' lambda + C' mu,   G a = 0,   C a = 0
 * gives the least motion a (in the mass metric) that follows the pull, and the reactions of joints and bounds. Few
 * bounds are active at a time, so they are eliminated after the joints: (C A C') mu = -C A P' gap, where A is the
 * response with joints alone. Rows at velocity level do not constrain a pose. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "dense.h"
#include "drag_impl.h"
#include "elementary.h"
#include "vec.h"

static const int MOST_PASSES = 10;
static const double ROUND_OFF = 1e-14;         /* of residuals, times the size of the pose */
static const double UNSOLVED = 1e-9;           /* m or rad: a larger residual counts as not solved */
static const double PROGRESS = 0.5;            /* each pass must reduce the residuals at least by this */
/* Projection onto the joints may move a pose by this part of the step, or by so much for drift. A larger move would
 * lead to a different pose. */
static const double CORRECTION = 0.5, DRIFT = 0.01;
static const int VELOCITY_PASSES = 3;          /* most rows are linear in velocities */
static const double PROBE = 1e-6;              /* rad: for differences */
static const double IMPLIED = 1e-10;           /* relative mobility of a coordinate that joints hold already */
static const double OFF_FOLD = 10;             /* times the fold's volume: the pose is off the fold */
static const double WRONG_WAY = 1e-11;         /* slack: a bound with the wrong sign is tolerated below this */

/* ---- life ---- */

static double *vector(tn_dragger *d, int n)
{
    return tn_arena_alloc(d->arena, (size_t)n, sizeof(double));
}

static int allocate_rests(tn_dragger *d)
{
    const tn_system *s = d->system;
    d->rest_count = d->task->bound_count + 1;
    d->rests = tn_arena_alloc(d->arena, (size_t)d->rest_count, sizeof *d->rests);
    d->resting = tn_arena_alloc(d->arena, (size_t)d->rest_count, sizeof *d->resting);
    d->resting_before = tn_arena_alloc(d->arena, (size_t)d->rest_count, sizeof *d->resting);
    d->schur = vector(d, d->rest_count * d->rest_count);
    d->strength = vector(d, d->rest_count);
    d->offsets = vector(d, d->rest_count);
    TN_TRY(tn_arena_status(d->arena));
    const tn_bound fold = { .constraint = -1, .low = TN_DRAG_FOLD, .high = INFINITY };
    for (int k = 0; k < d->rest_count; k++) {
        const tn_bound *bound = k < d->task->bound_count ? &d->task->bounds[k] : &fold;
        tn_rest *rest = &d->rests[k];
        *rest = (tn_rest){ .constraint = bound->constraint, .coordinate = bound->coordinate, .low = bound->low,
                           .high = bound->high, .row = vector(d, s->velocities),
                           .response = vector(d, s->velocities), .reaction = vector(d, s->rows) };
        if (!rest->row || !rest->response || !rest->reaction)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

static int allocate(tn_dragger *d)
{
    const tn_system *s = d->system;
    double **const poses[] = { &d->q, &d->trial, &d->near, &d->kept };
    double **const motions[] = { &d->force, &d->direction, &d->balance, &d->step, &d->shift, &d->residual, &d->search,
                                 &d->image, &d->answer, &d->grip.motion[0], &d->grip.motion[1], &d->grip.motion[2],
                                 &d->trial_grip.motion[0], &d->trial_grip.motion[1], &d->trial_grip.motion[2],
                                 &d->probe_grip.motion[0], &d->probe_grip.motion[1], &d->probe_grip.motion[2] };
    double **const rows[] = { &d->lambda, &d->zero, &d->u };
    bool good = true;
    for (size_t k = 0; k < TN_LENGTH(poses); k++)
        good &= (*poses[k] = vector(d, s->size)) != NULL;
    for (size_t k = 0; k < TN_LENGTH(motions); k++)
        good &= (*motions[k] = vector(d, s->velocities)) != NULL;
    for (size_t k = 0; k < TN_LENGTH(rows); k++)
        good &= (*rows[k] = vector(d, s->rows)) != NULL;
    d->inside = vector(d, s->states);
    return good && d->inside ? allocate_rests(d) : TN_ERROR_MEMORY;
}

static int find_held(tn_dragger *d)
{
    const tn_system *s = d->system;
    d->held = tn_arena_alloc(d->arena, (size_t)s->constraint_count, sizeof *d->held);
    if (!d->held)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraint_count; c++) {
        const tn_joint *joint = tn_constraint_joint(s, c);
        int row = s->constraints[c].row;
        if (tn_joint_motion(joint) && s->velocity_row[row])
            d->held[d->held_count++] = (tn_held){ .row = row, .constraint = s->constraint_of[joint->terms[0].joint],
                                                  .coordinate = (int)joint->terms[0].coordinate };
    }
    return TN_OK;
}

static int open_stand(tn_dragger *d, tn_stand *stand)
{
    const tn_system *s = d->system;
    const bool pins = d->solver->takes_pins && tn_system_allows(s, TN_ALLOW_OMITTED_ROWS);
    TN_TRY(tn_coupled_eval_create(&stand->eval, s, d->task->coupling, d->arena, pins));
    stand->structure = s->structure;
    if (pins) {
        stand->structure.pin_kind = s->pin_kind;
        stand->structure.pins = stand->eval->pins;
    }
    stand->solver = d->solver;
    return tn_coupled_analyze(&stand->saddle, &stand->solver, stand->eval, s, &stand->structure,
                             pins ? s->tape_jacobian_size : s->jacobian_size, d->arena);
}

int tn_drag_prepare(tn_dragger *d)
{
    const tn_system *s = d->system;
    TN_TRY(open_stand(d, &d->here));
    TN_TRY(open_stand(d, &d->beside));
    d->eval = d->here.eval;
    d->probe = d->beside.eval;
    TN_TRY(allocate(d));
    TN_TRY(find_held(d));
    memcpy(d->q, d->task->q, (size_t)s->positions * sizeof(double));
    memcpy(d->q + s->positions, d->task->v, (size_t)(s->size - s->positions) * sizeof(double));
    for (int b = 0; b < s->body_count; b++)
        d->size = fmax(d->size, tn_drag_reach(s, b));
    d->size = d->size > 0 ? d->size : 1;
    d->redundant = true;                       /* until it has been checked */
    return TN_OK;
}

/* ---- joints and resting bounds ---- */

int tn_drag_evaluate(tn_dragger *d, tn_eval *e, const double *q, bool rows)
{
    const tn_system *s = d->system;
    d->work++;
    e->failed = NULL;
    tn_eval_motion(e, s, d->task->t, q, q + s->positions);
    TN_TRY(e->component_code);
    tn_eval_constraints(e, s, d->task->memory, 0, rows);
    if (rows)
        tn_clear_velocity_rows(s, e->G, false);
    return TN_OK;
}

int tn_drag_factor(const tn_dragger *d, tn_stand *stand, tn_rank_rule rule)
{
    const tn_eval *e = stand->eval;
    TN_TRY(tn_coupling_condense(stand->eval, d->system, rule));
    TN_TRY(stand->solver->factor(stand->saddle, e->M, e->G, rule));
    stand->factored = tn_coupling_version(stand->eval);
    return TN_OK;
}

int tn_drag_solve(const tn_dragger *d, tn_stand *stand, const double *f, const double *u, double *x, double *lambda)
{
    if (stand->factored != tn_coupling_version(stand->eval))
        TN_TRY(tn_drag_factor(d, stand, TN_RANK_KEEP));
    return stand->solver->solve(stand->saddle, f, u, x, lambda);
}

int tn_drag_move(tn_dragger *d, const double *from, const double *motion, double *to)
{
    const tn_system *s = d->system;
    memcpy(to, from, (size_t)s->size * sizeof(double));
    tn_position_move(s, from, motion, to);
    return tn_coupling_move(d->probe, s, d->task->t, from, motion, to);
}

/* Value and row of a bounded coordinate at the point in e. */
static double bound_row(tn_dragger *d, tn_eval *e, const tn_rest *rest, double *row)
{
    double value, rate;
    memset(row, 0, (size_t)d->system->velocities * sizeof(double));
    tn_eval_coordinate_row(e, d->system, d->task->memory, rest->constraint, rest->coordinate, &value, &rate, row);
    return value;
}

static bool is_fold(const tn_rest *rest)
{
    return rest->constraint < 0;
}

static bool is_beside(const tn_rest *rest)
{
    return is_fold(rest) && rest->value > OFF_FOLD * TN_DRAG_FOLD;
}

/* Factors the matrix C A C' of the resting bounds. False: the bounds depend on each other. */
static bool factor_bounds(tn_dragger *d)
{
    int n = d->resting_count;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            d->schur[i + j * n] = tn_dot(d->system->velocities, d->rests[d->resting[i]].row,
                                      d->rests[d->resting[j]].response);
    return tn_cholesky(n, d->schur, n) == 0;
}

static int respond(tn_dragger *d, tn_rest *rest)
{
    return tn_drag_solve(d, &d->here, rest->row, d->zero, rest->response, rest->reaction);
}

/* Where the point's map is nearly singular, computes the row of the fold, too. Between poses this row stays
 * constant. */
static int look_at_fold(tn_dragger *d, tn_rest *fold)
{
    TN_TRY(tn_drag_take_grip(d, &d->here, &d->trial_grip));
    fold->value = d->redundant ? INFINITY : d->trial_grip.volume;
    return fold->side != 0 || fold->value <= 2 * TN_DRAG_FOLD ? tn_drag_fold_row(d, fold->row) : TN_OK;
}

/* Updates the resting bounds at the point in d->eval. Releases bounds that have become dependent on others. */
static int factor_drag_pose(tn_dragger *d, tn_rank_rule rule)
{
    TN_TRY(tn_drag_factor(d, &d->here, rule));
    for (int k = 0; k < d->rest_count; k++) {
        tn_rest *rest = &d->rests[k];
        if (!is_fold(rest))
            rest->value = bound_row(d, d->eval, rest, rest->row);
        else if (rule == TN_RANK_DECIDE)
            TN_TRY(look_at_fold(d, rest));
        if (rest->side != 0)
            TN_TRY(respond(d, rest));
    }
    while (!factor_bounds(d))
        d->rests[d->resting[--d->resting_count]].side = 0;
    return TN_OK;
}

/* offsets of resting bounds: NULL for none. */
static int solve_drag_pose(tn_dragger *d, const double *force, const double *u, const double *offsets, double *answer,
                 double *lambda)
{
    int n = d->resting_count;
    TN_TRY(tn_drag_solve(d, &d->here, force, u, answer, lambda));
    for (int j = 0; j < n; j++)
        d->strength[j] = (offsets ? offsets[j] : 0) - tn_dot(d->system->velocities, d->rests[d->resting[j]].row, answer);
    tn_cholesky_solve(n, d->schur, n, d->strength);
    for (int j = 0; j < n; j++) {
        const tn_rest *rest = &d->rests[d->resting[j]];
        for (int i = 0; i < d->system->velocities; i++)
            answer[i] += d->strength[j] * rest->response[i];
        for (int i = 0; lambda && i < d->system->rows; i++)
            lambda[i] += d->strength[j] * rest->reaction[i];
    }
    return TN_OK;
}

int tn_drag_answer(tn_dragger *d, const double *force, double *answer, double *lambda)
{
    return solve_drag_pose(d, force, d->zero, NULL, answer, lambda);
}

/* ---- the pull ---- */

static void find_gap(const tn_dragger *d, const tn_eval *e, double gap[3])
{
    tn_frame_motion m;
    tn_frame_motion_of(e, d->system, &d->task->point, &m);
    for (int k = 0; k < 3; k++)
        gap[k] = k < d->system->dimension ? d->task->target[k] - m.p[k] : 0;
}

static void pull(tn_dragger *d)
{
    find_gap(d, d->eval, d->gap);
    d->distance = tn_norm3(d->gap);
    memset(d->force, 0, (size_t)d->system->velocities * sizeof(double));
    tn_add_point_force(d->eval, d->system, &d->task->point, d->gap, d->force);
}

/* A bound can only push. Returns the bound that pulls most, if the motion that it holds back is larger than the motion
 * that remains, or if the pose is off the bound; -1: none. least: squared length of motion below which bounds stay. */
static int find_pulling_bound(const tn_dragger *d, double least)
{
    int worst = -1;
    double most = least, all = tn_drag_product(d, d->direction, d->direction);
    for (int j = 0; j < d->resting_count; j++) {
        const tn_rest *rest = &d->rests[d->resting[j]];
        double held = rest->multiplier * rest->multiplier * tn_dot(d->system->velocities, rest->row, rest->response);
        if (rest->side * rest->multiplier > 0 && held > most && (held > all || is_beside(rest))) {
            most = held;
            worst = j;
        }
    }
    return worst;
}

static void release_bound(tn_dragger *d, int place)
{
    d->rests[d->resting[place]].side = 0;
    d->resting_count--;
    memmove(d->resting + place, d->resting + place + 1, (size_t)(d->resting_count - place) * sizeof *d->resting);
    factor_bounds(d);
}

static int follow_pull(tn_dragger *d)
{
    double free = tn_drag_freedom(d, d->force);
    for (;;) {
        TN_TRY(tn_drag_answer(d, d->force, d->direction, d->lambda));
        for (int j = 0; j < d->resting_count; j++)
            d->rests[d->resting[j]].multiplier = d->strength[j];
        int wrong = find_pulling_bound(d, WRONG_WAY * WRONG_WAY * free);
        if (wrong < 0)
            break;
        release_bound(d, wrong);
    }
    tn_drag_weigh(d, d->direction, d->balance);
    d->slack = free > 0 ? sqrt(fmax(tn_drag_product(d, d->direction, d->direction), 0) / free) : 0;
    return TN_OK;
}

/* Mean mobility of the body at the point, without joints. */
static double free_mobility(tn_dragger *d)
{
    const tn_system *s = d->system;
    double sum = 0;
    for (int k = 0; k < s->dimension; k++) {
        double force[3] = { k == 0, k == 1, k == 2 };
        memset(d->shift, 0, (size_t)s->velocities * sizeof(double));
        tn_add_point_force(d->eval, s, &d->task->point, force, d->shift);
        sum += tn_drag_freedom(d, d->shift);
    }
    return sum / s->dimension;
}

int tn_drag_leave_fold(tn_dragger *d)
{
    for (int j = 0; j < d->resting_count; j++)
        if (is_beside(&d->rests[d->resting[j]])) {
            release_bound(d, j);
            return follow_pull(d);
        }
    return TN_OK;
}

int tn_drag_look(tn_dragger *d, const double *q)
{
    tn_saddle_info info;
    TN_TRY(tn_drag_evaluate(d, d->eval, q, true));
    TN_TRY(tn_coupling_condense(d->eval, d->system, TN_RANK_DECIDE));
    d->mobility = free_mobility(d);
    TN_TRY(factor_drag_pose(d, TN_RANK_DECIDE));
    d->here.solver->info(d->here.saddle, &info);
    d->rank = info.rank;
    d->pivot = info.weakest_pivot;
    pull(d);
    return follow_pull(d);
}

int tn_drag_rest(tn_dragger *d, int k, int side, bool *rests)
{
    tn_rest *rest = &d->rests[k];
    TN_TRY(respond(d, rest));
    rest->side = side;
    d->resting[d->resting_count++] = k;
    bool gives = tn_dot(d->system->velocities, rest->row, rest->response) > IMPLIED * tn_drag_freedom(d, rest->row);
    if (!gives || !factor_bounds(d))
        release_bound(d, d->resting_count - 1);
    TN_TRY(follow_pull(d));
    *rests = rest->side != 0;
    return TN_OK;
}

void tn_drag_remember(tn_dragger *d)
{
    const tn_system *s = d->system;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        if (s->coordinates[i].count == 0)
            continue;
        tn_eval_coordinates(d->eval, s, d->task->memory, i, 0, values);
        memcpy(d->task->memory + s->coordinates[i].memory, values, (size_t)s->coordinates[i].count * sizeof(double));
    }
}

/* ---- nearby poses ---- */

static double held_value(tn_dragger *d, const tn_held *held)
{
    double values[TN_MAX_COORDINATES];
    tn_eval_coordinates(d->eval, d->system, d->task->memory, held->constraint, 0, values);
    return values[held->coordinate];
}

void tn_drag_hold(tn_dragger *d)
{
    for (int k = 0; k < d->held_count; k++)
        d->held[k].value = held_value(d, &d->held[k]);
}

/* Fills u and offsets with the negative residuals. most: the largest residual, also inside components. */
static int find_missing(tn_dragger *d, double *most)
{
    const tn_system *s = d->system;
    *most = 0;
    for (int r = 0; r < s->rows; r++)
        d->u[r] = s->velocity_row[r] ? 0 : -d->eval->g[r];
    for (int k = 0; k < d->held_count; k++)
        d->u[d->held[k].row] = d->held[k].value - held_value(d, &d->held[k]);
    for (int r = 0; r < s->rows; r++)
        if (!(fabs(d->u[r]) <= *most))
            *most = fabs(d->u[r]);
    for (int j = 0; j < d->resting_count; j++) {
        tn_rest *rest = &d->rests[d->resting[j]];
        d->offsets[j] = 0;
        if (is_fold(rest))
            continue;
        rest->value = bound_row(d, d->eval, rest, rest->row);
        d->offsets[j] = (rest->side < 0 ? rest->low : rest->high) - rest->value;
        *most = fmax(*most, fabs(d->offsets[j]));
    }
    return tn_coupling_take(d->eval, s, TN_ASK_POSITIONS, NULL, d->inside, most);
}

/* Subtracts from u and offsets the corrections that components make themselves in tn_drag_move. */
static int leave_to_components(tn_dragger *d, tn_question question)
{
    const tn_system *s = d->system;
    tn_eval *e = d->eval;
    TN_TRY(tn_coupling_free(e, s, question, e->free));
    tn_coupling_subtract_rows(s, &d->here.structure, e->G, e->free, d->u);
    for (int j = 0; j < d->resting_count; j++)
        d->offsets[j] -= tn_coupling_free_along(e, s, d->rests[d->resting[j]].row);
    return TN_OK;
}

static double round_off(const tn_dragger *d)
{
    const tn_system *s = d->system;
    double size = 1;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < s->dimension; k++)
            size = fmax(size, fabs(d->trial[s->bodies[b].q + k]));
    return ROUND_OFF * size;
}

/* Makes one correction with the rows at the pose. Adds the length of the correction to moved. */
static int correct(tn_dragger *d, double *moved)
{
    const tn_system *s = d->system;
    TN_TRY(tn_drag_evaluate(d, d->eval, d->trial, true));
    TN_TRY(factor_drag_pose(d, TN_RANK_KEEP));
    TN_TRY(leave_to_components(d, TN_ASK_POSITIONS));
    memset(d->shift, 0, (size_t)s->velocities * sizeof(double));
    TN_TRY(solve_drag_pose(d, d->shift, d->u, d->offsets, d->answer, NULL));
    memcpy(d->kept, d->trial, (size_t)s->size * sizeof(double));
    TN_TRY(tn_drag_move(d, d->kept, d->answer, d->trial));
    *moved += tn_drag_extent(d, d->answer);
    return TN_OK;
}

static int retract(tn_dragger *d, const double *step, bool *found)
{
    const tn_system *s = d->system;
    double before = INFINITY, moved = 0, most = CORRECTION * tn_drag_extent(d, step) + DRIFT, gap;
    TN_TRY(tn_drag_move(d, d->q, step, d->trial));
    for (int pass = 0; pass < MOST_PASSES && moved <= most; pass++) {
        tn_position_normalize(s, d->trial);
        TN_TRY(tn_drag_evaluate(d, d->eval, d->trial, false));
        TN_TRY(find_missing(d, &gap));
        if (gap <= round_off(d)) {
            *found = true;
            return TN_OK;
        }
        if (!(gap <= PROGRESS * before)) {
            memcpy(d->trial, d->kept, (size_t)s->size * sizeof(double));
            *found = before <= UNSOLVED;
            return TN_OK;
        }
        TN_TRY(correct(d, &moved));
        before = gap;
    }
    return TN_OK;
}

int tn_drag_retract(tn_dragger *d, const double *step, bool *found)
{
    *found = false;
    int code = retract(d, step, found);
    return code == TN_ERROR_STEP ? TN_OK : code;       /* a component cannot reach this pose */
}

/* The pull and the reactions of bounds, at the probe. */
static void pull_beside(tn_dragger *d, double *force)
{
    const tn_system *s = d->system;
    double gap[3];
    find_gap(d, d->probe, gap);
    memset(force, 0, (size_t)s->velocities * sizeof(double));
    tn_add_point_force(d->probe, s, &d->task->point, gap, force);
    for (int j = 0; j < d->resting_count; j++) {
        const tn_rest *rest = &d->rests[d->resting[j]];
        if (is_fold(rest))
            memcpy(d->shift, rest->row, (size_t)s->velocities * sizeof(double));
        else
            bound_row(d, d->probe, rest, d->shift);
        for (int i = 0; i < s->velocities; i++)
            force[i] += rest->multiplier * d->shift[i];
    }
}

/* The reactions of joints inside components are not known. Instead of the balance, this uses the response at the probe,
 * times the masses. The difference is the change of the rows along the remaining direction, which vanishes at the
 * nearest pose. */
static int weigh_beside(tn_dragger *d, double *image)
{
    TN_TRY(tn_drag_factor(d, &d->beside, TN_RANK_KEEP));
    memcpy(d->shift, image, (size_t)d->system->velocities * sizeof(double));
    TN_TRY(tn_drag_solve(d, &d->beside, d->shift, d->zero, d->answer, NULL));
    for (int i = 0; i < d->system->velocities; i++)
        d->answer[i] -= d->direction[i];
    tn_drag_weigh(d, d->answer, image);
    for (int i = 0; i < d->system->velocities; i++)
        image[i] += d->balance[i];
    return TN_OK;
}

int tn_drag_curvature(tn_dragger *d, const double *direction, double *image)
{
    const tn_system *s = d->system;
    double length = PROBE / tn_drag_extent(d, direction);
    for (int i = 0; i < s->velocities; i++)
        d->shift[i] = length * direction[i];
    TN_TRY(tn_drag_move(d, d->q, d->shift, d->near));
    TN_TRY(tn_drag_evaluate(d, d->probe, d->near, true));
    pull_beside(d, image);
    if (tn_system_allows(s, TN_ALLOW_TERMS))
        tn_eval_add_reactions(d->probe, s, d->lambda, image);
    else
        TN_TRY(weigh_beside(d, image));
    for (int i = 0; i < s->velocities; i++)
        image[i] = (d->balance[i] - image[i]) / length;
    return TN_OK;
}

/* ---- velocities ---- */

static void turn_velocity(const tn_system *s, int b, const double *from, const double *to, double *v)
{
    const tn_sys_body *body = &s->bodies[b];
    double back[4], turn[4] = { 1 }, turned[3];
    if (body->motion == TN_MOTION_PLANAR) {
        double half = 0.5 * (to[body->q + 2] - from[body->q + 2]), plane[3] = { v[body->v], v[body->v + 1] };
        turn[0] = tn_cos(half);
        turn[3] = tn_sin(half);
        tn_quat_rotate(turned, turn, plane);
        memcpy(v + body->v, turned, 2 * sizeof(double));
    }
    if (body->motion == TN_MOTION_SPATIAL) {
        tn_quat_conj(back, from + body->q + 3);
        tn_quat_mul(turn, to + body->q + 3, back);
        for (int k = 0; k < 6; k += 3) {
            tn_quat_rotate(turned, turn, v + body->v + k);
            tn_copy3(v + body->v + k, turned);
        }
    }
}

int tn_drag_carry_velocities(tn_dragger *d)
{
    const tn_system *s = d->system;
    double *v = d->q + s->positions;
    for (int b = 0; b < s->body_count; b++)
        turn_velocity(s, b, d->task->q, d->q, v);
    memset(d->shift, 0, (size_t)s->velocities * sizeof(double));
    for (int pass = 0; pass < VELOCITY_PASSES; pass++) {
        tn_eval_motion(d->eval, s, d->task->t, d->q, v);
        TN_TRY(d->eval->component_code);
        tn_eval_constraints(d->eval, s, d->task->memory, 1, true);
        TN_TRY(tn_drag_factor(d, &d->here, TN_RANK_DECIDE));
        for (int r = 0; r < s->rows; r++)
            d->u[r] = -d->eval->gdot[r];
        TN_TRY(leave_to_components(d, TN_ASK_VELOCITIES));
        TN_TRY(tn_drag_solve(d, &d->here, d->shift, d->u, d->answer, NULL));
        for (int i = 0; i < s->velocities; i++)
            v[i] += d->answer[i];
        TN_TRY(tn_coupling_follow(d->eval, s, TN_ASK_VELOCITIES, d->answer, v + s->velocities));
    }
    return TN_OK;
}
