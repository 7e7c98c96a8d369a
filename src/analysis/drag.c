/* Dragging a point (drag.h): minimizes half the squared distance to the target over the manifold of all poses that the
 * joints allow, by Newton's method in a trust region with the mass metric:
 *     direction    M a = P' gap + G' lambda + C' mu, G a = 0, C a = 0            (drag_pose.c)
 *     curvature    H d = -D(P' gap + G' lambda + C' mu) [d], lambda and mu held, by differences
 *     step         truncated conjugate gradients on H, preconditioned by the solves of the first line (Steihaug, SIAM
 *                  J. Numer. Anal. 20, 1983; Gould, Hribar and Nocedal, SIAM J. Sci. Comput. 23, 2001): of all
 *                  equally good steps, the one of least motion
 *     pose         the step, projected onto the joints by Newton's method with the same metric
 * A step is taken when it brings the point nearer, as the model said, and does not leave the branch (drag_branch.c).
 * The signs of their multipliers decide which bounds the pose rests on. */
#include "drag.h"

#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "drag_impl.h"
#include "vec.h"

static const int MOST_STEPS = 200;
/* Budget of a call: evaluations times bodies; and the least and the most evaluations. */
static const long MOST_WORK = 4000, LEAST_EVALUATIONS = 100, MOST_EVALUATIONS = 1000;
static const int MOST_SEARCHES = 40;           /* directions of conjugate gradients for one step */
static const double LONGEST_STEP = 0.3;        /* rad of turn, or of displacement over the reach of the body */
static const double SHORTEST_STEP = 1e-12, GIVE_UP = 1e-6;     /* same unit; GIVE_UP: of a step off the branch */
static const double REACHED = 1e-12;           /* m, times the size of the pose */
static const double BALANCED = 1e-10;          /* slack at the nearest pose */
static const double NEARLY_BALANCED = 1e-6;    /* slack where only round-off is left */
static const double ON_BOUND = 1e-9;           /* m or rad */
/* Ratios of actual to predicted decrease: least for a step to be taken; below and above the others the region shrinks
 * and grows. */
static const double LEAST_GAIN = 1e-4, POOR = 0.25, GOOD = 0.75;
static const double SHRINK = 0.3, GROW = 2.5;
static const double FLAT = 1e-7;               /* curvature over the body's mobility: smaller counts as zero */
static const double NOISE = 1e-13;             /* of half the squared distance, times distance and size of the pose */
static const double SHALLOW = 0.1;             /* sine of the angle between step and fold */
static const int MOST_AIMS = 3;                /* tries to end a step on the fold if it leads beyond the fold */
static const double WIDE_OF_FOLD = 0.01;       /* volume */
static const int MOST_CUTS = 8;                /* of a step that leads over a bound or off the branch */
static const double WORTH_NAMING = 0.02;       /* of the force of the strongest blocker */

/* A step and its quadratic model: after the part x of the step, half the squared distance has fallen by
 * slope x - bend x^2 / 2. */
typedef struct plan {
    double length;                 /* in the mass metric */
    double slope, bend;
    double extent;                 /* rad */
    bool hollow;                   /* negative curvature along the step */
    bool edge;                     /* the step ends at the edge of the trust region */
} plan;

/* The pose a step starts from. */
typedef struct origin {
    double gap[3], distance, slack;
    int rank;
    double pivot;
    int resting_count;
} origin;

typedef enum verdict { TAKEN, POOR_GAIN, OFF_BRANCH, ROUND_OFF_LEFT } verdict;

/* ---- the step ---- */

static void add_drag(int n, double factor, const double *x, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] += factor * x[i];
}

/* The distance along search to the edge of the trust region. */
static double to_edge(const tn_dragger *d, double radius)
{
    double a = tn_drag_product(d, d->search, d->search), b = tn_drag_product(d, d->step, d->search);
    double c = radius * radius - tn_drag_product(d, d->step, d->step);
    return (sqrt(fmax(b * b + a * c, 0)) - b) / a;
}

/* Finds the minimum of the model within the trust region, from the pose looked at; writes d->step. */
static int search_step(tn_dragger *d, double radius, plan *p)
{
    int n = d->system->velocities;
    double square = tn_drag_product(d, d->direction, d->direction), goal = square * fmin(0.01, d->slack * d->slack);
    *p = (plan){ 0 };
    memset(d->step, 0, (size_t)n * sizeof(double));
    memcpy(d->residual, d->balance, (size_t)n * sizeof(double));
    memcpy(d->search, d->direction, (size_t)n * sizeof(double));
    for (int k = 0; k < MOST_SEARCHES && square > goal && !p->edge; k++) {
        TN_TRY(tn_drag_curvature(d, d->search, d->image));
        double bend = tn_dot(n, d->search, d->image), most = to_edge(d, radius);
        double flat = FLAT * d->mobility * tn_drag_product(d, d->search, d->search);
        if (fabs(bend) <= flat && k > 0)
            break;
        p->hollow = bend < -flat;
        p->edge = bend <= 0 || square > most * bend;
        double length = p->edge ? most : square / bend;
        add_drag(n, length, d->search, d->step);
        add_drag(n, -length, d->image, d->residual);
        if (p->edge)
            break;
        TN_TRY(tn_drag_answer(d, d->residual, d->answer, NULL));
        tn_drag_weigh(d, d->answer, d->residual);      /* the same without the reactions of joints */
        double next = tn_drag_product(d, d->answer, d->answer);
        for (int i = 0; i < n; i++)
            d->search[i] = d->answer[i] + next / square * d->search[i];
        square = next;
    }
    p->length = sqrt(tn_drag_product(d, d->step, d->step));
    p->extent = tn_drag_extent(d, d->step);
    p->slope = tn_dot(n, d->balance, d->step);
    p->bend = p->slope - tn_dot(n, d->residual, d->step);
    return TN_OK;
}

/* A step along the pull itself. It is used when the Newton step leads into a bound and the pull leads away from it. */
static int follow_pull(tn_dragger *d, double radius, plan *p)
{
    int n = d->system->velocities;
    double square = tn_drag_product(d, d->direction, d->direction), length = sqrt(square), part = radius / length;
    TN_TRY(tn_drag_curvature(d, d->direction, d->image));
    double bend = tn_dot(n, d->direction, d->image);
    if (bend * part > square)
        part = square / bend;
    for (int i = 0; i < n; i++)
        d->step[i] = part * d->direction[i];
    *p = (plan){ .length = part * length, .slope = part * square, .bend = part * part * bend,
                 .extent = tn_drag_extent(d, d->step) };
    return TN_OK;
}

static void shorten(tn_dragger *d, plan *p, double part)
{
    for (int i = 0; i < d->system->velocities; i++)
        d->step[i] *= part;
    p->slope *= part;
    p->bend *= part * part;
    p->length *= part;
    p->extent *= part;
}

/* ---- bounds ---- */

/* The bound that a coordinate is at: -1 low, 1 high, 0 none. */
static int bound_at(const tn_rest *rest)
{
    double near = rest->constraint < 0 ? TN_DRAG_FOLD : ON_BOUND;
    return rest->value >= rest->high - near ? 1 : rest->value <= rest->low + near ? -1 : 0;
}

/* The fold is curved, so a step nearly along the fold leads into it, too. */
static bool leads_into(const tn_dragger *d, const tn_rest *rest, int side, const plan *p)
{
    double rise = side * tn_dot(d->system->velocities, rest->row, d->step);
    if (rest->constraint >= 0)
        return rise > 0;
    return rise > -SHALLOW * p->length * sqrt(tn_drag_freedom(d, rest->row));
}

/* Looks for a free bound that the pose is at and the step leads into, and makes the pose rest on it. blocked: the pose
 * now rests on a bound; against: the pull leads away from the bound. */
static int press(tn_dragger *d, const plan *p, bool *blocked, bool *against)
{
    *blocked = *against = false;
    for (int k = 0; k < d->rest_count; k++) {
        const tn_rest *rest = &d->rests[k];
        int side = bound_at(rest);
        if (rest->side != 0 || side == 0 || !leads_into(d, rest, side, p))
            continue;
        TN_TRY(tn_drag_rest(d, k, side, blocked));
        *against = !*blocked;
        return TN_OK;
    }
    return TN_OK;
}

/* The part of the step, at the pose tried, that satisfies all bounds. */
static double part_within(const tn_dragger *d)
{
    double part = 1;
    for (int k = 0; k < d->rest_count; k++) {
        const tn_rest *rest = &d->rests[k];
        double over = fmax(rest->value - rest->high, rest->low - rest->value);
        if (rest->constraint >= 0 && rest->side == 0 && over > ON_BOUND)
            part = fmin(part, 1 - over / fabs(rest->value - rest->begun));
    }
    return part > 0 ? part : SHRINK;
}

static void widen(tn_dragger *d)
{
    for (int k = 0; k < d->rest_count; k++) {
        tn_rest *rest = &d->rests[k];
        rest->low = fmin(rest->low, rest->value);
        rest->high = fmax(rest->high, rest->value);
    }
}

/* The fold, when the pose rests on it; NULL: it does not. */
static const tn_rest *rested_fold(const tn_dragger *d)
{
    const tn_rest *fold = &d->rests[d->rest_count - 1];
    return fold->side != 0 ? fold : NULL;
}

/* Projection onto the joints does not bring a pose to the fold. Corrects the step so that it ends on the fold, from the
 * volume at its present end. */
static void aim_at_fold(tn_dragger *d, plan *p, double volume)
{
    const tn_rest *fold = &d->rests[d->rest_count - 1];
    int n = d->system->velocities;
    add_drag(n, (fold->low - volume) / tn_dot(n, fold->row, fold->response), fold->response, d->step);
    p->extent = tn_drag_extent(d, d->step);
}

/* ---- a step ---- */

static origin leave(tn_dragger *d)
{
    origin o = { .distance = d->distance, .slack = d->slack, .rank = d->rank, .pivot = d->pivot,
                 .resting_count = d->resting_count };
    tn_copy3(o.gap, d->gap);
    memcpy(d->resting_before, d->resting, (size_t)d->resting_count * sizeof *d->resting);
    for (int k = 0; k < d->rest_count; k++) {
        d->rests[k].begun = d->rests[k].value;
        d->rests[k].side_before = d->rests[k].side;
    }
    return o;
}

/* Restores the resting bounds of the accepted pose. */
static void take_back_rests(tn_dragger *d, const origin *o)
{
    d->resting_count = o->resting_count;
    memcpy(d->resting, d->resting_before, (size_t)d->resting_count * sizeof *d->resting);
    for (int k = 0; k < d->rest_count; k++)
        d->rests[k].side = d->rests[k].side_before;
}

static double pose_size(const tn_dragger *d)
{
    return fmax(1, tn_norm3(d->task->target) + d->distance);
}

/* Compares the actual decrease at the pose tried with the model. */
static verdict judge(const tn_dragger *d, const origin *o, const plan *p, double *gain)
{
    double moved[3], both[3], promised = p->slope - 0.5 * p->bend;
    tn_sub3(moved, o->gap, d->gap);
    tn_add3(both, o->gap, d->gap);
    *gain = 0.5 * tn_dot3(moved, both) / promised;
    if (promised <= NOISE * pose_size(d) * o->distance)
        return d->slack < o->slack || d->distance < o->distance ? TAKEN : ROUND_OFF_LEFT;
    return *gain >= LEAST_GAIN ? TAKEN : POOR_GAIN;
}

/* Tries the step; shortens it if it crosses a bound or leaves the branch. After TAKEN, d is at the new pose. */
static int try_step(tn_dragger *d, const origin *o, plan *p, verdict *out, double *gain)
{
    *out = OFF_BRANCH;
    for (int cut = 0; cut < MOST_CUTS && p->extent > SHORTEST_STEP; cut++) {
        bool found;
        double part = SHRINK;
        TN_TRY(tn_drag_retract(d, d->step, &found));
        if (found) {
            TN_TRY(tn_drag_look(d, d->trial));
            part = part_within(d);
        }
        if (part >= 1)
            TN_TRY(tn_drag_check_branch(d, p->extent, o->rank, o->pivot, &part));
        if (part >= 1) {
            *out = judge(d, o, p, gain);
            return TN_OK;
        }
        take_back_rests(d, o);
        if (found && cut < MOST_AIMS && rested_fold(d) && fabs(tn_drag_volume(d)) < WIDE_OF_FOLD)
            aim_at_fold(d, p, tn_drag_volume(d));
        else
            shorten(d, p, part);
    }
    return TN_OK;
}

/* Accepts the pose looked at. */
static void take_grip_over(tn_dragger *d)
{
    tn_grip grip = d->grip;
    d->grip = d->trial_grip;
    d->trial_grip = grip;
}

static void accept(tn_dragger *d)
{
    double *q = d->q;
    d->q = d->trial;
    d->trial = q;
    take_grip_over(d);
    tn_drag_remember(d);
    d->task->steps++;
}

/* ---- the search ---- */

static double next_radius(double radius, const plan *p, double gain)
{
    if (gain < POOR)
        return SHRINK * p->length;
    return gain > GOOD && p->edge ? fmax(radius, GROW * p->length) : radius;
}

/* Takes a step from the pose looked at. done: no step improves the pose. */
static int go_on(tn_dragger *d, double *radius, bool *done)
{
    plan p;
    bool blocked, against;
    double gain = 0;
    verdict v;
    TN_TRY(search_step(d, *radius, &p));
    *done = d->slack <= BALANCED && !p.hollow;
    d->task->end = TN_DRAG_BLOCKED;
    if (*done)
        return TN_OK;
    TN_TRY(press(d, &p, &blocked, &against));
    if (blocked)
        return TN_OK;
    if (against)
        TN_TRY(follow_pull(d, *radius, &p));
    if (rested_fold(d))
        aim_at_fold(d, &p, rested_fold(d)->value);
    if (p.extent > LONGEST_STEP)
        shorten(d, &p, LONGEST_STEP / p.extent);
    origin o = leave(d);
    TN_TRY(try_step(d, &o, &p, &v, &gain));
    if (v == TAKEN) {
        *radius = next_radius(*radius, &p, gain);
        accept(d);
        return TN_OK;
    }
    take_back_rests(d, &o);
    TN_TRY(tn_drag_look(d, d->q));
    if (v == POOR_GAIN)
        TN_TRY(tn_drag_leave_fold(d));
    *radius = SHRINK * p.length;
    *done = p.extent <= (v == OFF_BRANCH ? GIVE_UP : SHORTEST_STEP) || v == ROUND_OFF_LEFT;
    if (v == OFF_BRANCH || d->slack > NEARLY_BALANCED)
        d->task->end = TN_DRAG_SINGULAR;
    return TN_OK;
}

/* Projects the pose onto joints and resting bounds, down to round-off. */
static int settle(tn_dragger *d, bool *found)
{
    memset(d->step, 0, (size_t)d->system->velocities * sizeof(double));
    TN_TRY(tn_drag_retract(d, d->step, found));
    if (*found)
        memcpy(d->q, d->trial, (size_t)d->system->size * sizeof(double));
    return tn_drag_look(d, d->q);
}

static long work_allowed(const tn_dragger *d)
{
    long evaluations = MOST_WORK / (d->system->body_count + 1);
    return evaluations < LEAST_EVALUATIONS ? LEAST_EVALUATIONS
                                           : evaluations > MOST_EVALUATIONS ? MOST_EVALUATIONS : evaluations;
}

static int find_pose(tn_dragger *d)
{
    bool done = false;
    TN_TRY(tn_drag_look(d, d->q));
    widen(d);
    tn_drag_hold(d);
    if (d->distance <= REACHED * pose_size(d)) {
        d->task->end = TN_DRAG_REACHED;
        return TN_OK;
    }
    TN_TRY(settle(d, &done));
    if (!done) {
        d->task->end = TN_DRAG_SINGULAR;
        return TN_OK;
    }
    TN_TRY(tn_drag_check_redundancy(d));
    TN_TRY(tn_drag_look(d, d->q));
    take_grip_over(d);
    double extent = tn_drag_extent(d, d->direction), length = sqrt(tn_drag_product(d, d->direction, d->direction));
    double radius = extent > 0 ? length * LONGEST_STEP / extent : 0;
    done = false;
    for (int step = 0; step < MOST_STEPS && d->work < work_allowed(d) && !done; step++) {
        if (d->distance <= REACHED * pose_size(d)) {
            d->task->end = TN_DRAG_REACHED;
            return TN_OK;
        }
        TN_TRY(go_on(d, &radius, &done));
    }
    if (!done)
        d->task->end = TN_DRAG_UNFINISHED;
    return d->resting_count > 0 ? settle(d, &done) : TN_OK;
}

/* ---- blockers ---- */

static bool is_drive(const tn_system *s, int constraint)
{
    return tn_joint_motion(tn_constraint_joint(s, constraint)) != NULL;
}

/* Sorts blockers: bounds, then drives, then joints, each by force. A joint is named once. */
static void name_blocking(tn_pose_drag *task, const tn_blocking *b)
{
    int place = 0, count = task->blocking_count;
    for (int k = 0; k < count; k++)
        if (task->blocking[k].constraint == b->constraint)
            return;
    while (place < count && (task->blocking[place].kind < b->kind ||
                             (task->blocking[place].kind == b->kind && task->blocking[place].size >= b->size)))
        place++;
    if (place == TN_DRAG_BLOCKERS)
        return;
    int moved = count - place - (count == TN_DRAG_BLOCKERS);
    memmove(task->blocking + place + 1, task->blocking + place, (size_t)moved * sizeof *task->blocking);
    task->blocking[place] = *b;
    task->blocking_count += count < TN_DRAG_BLOCKERS;
}

/* The force of a joint, and its torque over the reach of the body. */
static double load_of(const tn_dragger *d, int constraint)
{
    tn_wrench w;
    tn_constraint_wrench(d->eval, d->system, constraint, 1, &w);
    return tn_norm3(w.force) + tn_norm3(w.torque) / d->size;
}

static void find_blocking(tn_dragger *d)
{
    const tn_system *s = d->system;
    double most = 0;
    memcpy(d->eval->lambda, d->lambda, (size_t)s->rows * sizeof(double));
    for (int j = 0; j < d->resting_count; j++) {
        const tn_rest *rest = &d->rests[d->resting[j]];
        if (rest->constraint >= 0)
            name_blocking(d->task, &(tn_blocking){ rest->constraint, TN_BLOCKER_LIMIT, fabs(rest->multiplier) });
    }
    for (int c = 0; c < s->constraint_count; c++)
        most = fmax(most, load_of(d, c));
    for (int c = 0; c < s->constraint_count; c++) {
        double load = load_of(d, c);
        if (load > WORTH_NAMING * most)
            name_blocking(d->task, &(tn_blocking){ c, is_drive(s, c) ? TN_BLOCKER_DRIVE : TN_BLOCKER_JOINT, load });
    }
}

static int find_drag(tn_dragger *d)
{
    const tn_system *s = d->system;
    tn_pose_drag *task = d->task;
    task->steps = task->blocking_count = 0;
    TN_TRY(tn_drag_prepare(d));
    TN_TRY(find_pose(d));
    task->distance = d->distance;
    task->slack = d->slack;
    if (task->end != TN_DRAG_REACHED)
        find_blocking(d);
    if (task->steps == 0)
        return TN_OK;
    TN_TRY(tn_drag_carry_velocities(d));
    memcpy(task->q, d->q, (size_t)s->positions * sizeof(double));
    memcpy(task->v, d->q + s->positions, (size_t)(s->size - s->positions) * sizeof(double));
    return TN_OK;
}

/* The error when a component rejects a pose that it has accepted before, or a pose next to it. */
static int report_rejected_pose(const tn_dragger *d)
{
    const tn_eval *e = d->eval->failed ? d->eval : d->probe;
    return tn_fail(d->system->context, TN_ERROR_STEP, e->failed_span, "nothing can be dragged here: %s",
                   e->failed ? e->trouble : "there is no motion");
}

int tn_drag_find(tn_pose_drag *task, const tn_system *system, const tn_solver_type *solver)
{
    tn_dragger d = { .system = system, .solver = solver, .task = task, .arena = tn_arena_create(system->context) };
    int code = d.arena ? find_drag(&d) : TN_ERROR_MEMORY;
    if (code == TN_ERROR_STEP)
        report_rejected_pose(&d);
    if (d.here.saddle)
        d.here.solver->destroy(d.here.saddle);
    if (d.beside.saddle)
        d.beside.solver->destroy(d.beside.saddle);
    tn_arena_destroy(d.arena);
    return code;
}
