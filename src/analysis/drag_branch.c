/* Keeps a dragged mechanism on its branch. Two kinds of singular positions could make it change the branch in a step:
 *
 * The point's map is singular: a stretched arm, a crank in line with its rod. The motions that move the point, and the
 * directions of the point, have orthonormal bases Z and E such that E' P Z is triangular with positive diagonal. The
 * map has kept its orientation from pose 0 to pose 1 if det(Z0' M Z1) det(E0' E1) > 0. The fold is the set of poses
 * just before the singular ones. A pose rests on the fold as on a bound: it may slide along the fold, and leaves it on
 * the side it came from. If other motions, with the point held, make the map less singular, there is no fold.
 *
 * The joints' rows are singular: branches of the mechanism cross there. The orientation of the rows (tn_hand,
 * singular.h) is compared if a step is long enough to reach such a position. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "drag_impl.h"
#include "singular.h"
#include "vec.h"

static const double RANK_TOLERANCE = 1e-12;    /* of the point's mobility */
static const double ROUND_OFF = 1e-14;         /* of responses, divided by the weakest pivot */
static const double LEAST = 0.1;               /* a volume below this times the fold's is beyond the fold */
static const double AGAIN = 0.3;               /* part of a step to try if there is no better estimate */
static const double PROBE = 1e-9;              /* rad: for finite differences; less than the width of the fold */
/* rad, and part of a motion: for motions that do not move the point. */
static const double WIDE_PROBE = 1e-5, OTHER_MOTION = 1e-6;
/* Pivots change by at most about this per rad. With larger pivots, a step is too short to pass a singular position. */
static const double PIVOT_PER_TURN = 4;
static const double SINGULAR = 1e-4;           /* steps to poses with smaller pivots are refused */

/* ---- the point's map ---- */

static void subtract(int n, double factor, const double *x, double *from)
{
    for (int i = 0; i < n; i++)
        from[i] -= factor * x[i];
}

static void scale(int n, double factor, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

static double length_of(const tn_dragger *d, const double *x)
{
    return sqrt(fmax(tn_drag_product(d, x, x), 0));
}

/* A short motion contains round-off that the joints do not allow: removes this part once more. */
static int refine(tn_dragger *d, tn_stand *stand, tn_grip *grip, int k)
{
    int n = d->system->velocities;
    double *motion = grip->motion[k];
    scale(n, 1 / length_of(d, motion), motion);
    tn_drag_weigh(d, motion, d->shift);
    TN_TRY(tn_drag_solve(d, stand, d->shift, d->zero, motion, NULL));
    for (int j = 0; j < k; j++)
        subtract(n, tn_drag_product(d, grip->motion[j], motion), grip->motion[j], motion);
    scale(n, 1 / length_of(d, motion), motion);
    return TN_OK;
}

/* Makes the responses to pulls along the axes orthonormal, the largest remaining response first. */
static int orthonormalize(tn_dragger *d, tn_stand *stand, tn_grip *grip, int count)
{
    tn_saddle_info info;
    stand->solver->info(stand->saddle, &info);
    const double tolerance = fmax(RANK_TOLERANCE, ROUND_OFF / fmax(info.weakest_pivot, SINGULAR));
    double first = 0;
    for (grip->rank = 0; grip->rank < count; grip->rank++) {
        int rank = grip->rank, best = rank;
        for (int k = rank + 1; k < count; k++)
            best = length_of(d, grip->motion[k]) > length_of(d, grip->motion[best]) ? k : best;
        double *chosen = grip->motion[best], most = length_of(d, chosen);
        first = rank == 0 ? most : first;
        if (!(most > tolerance * first))
            return TN_OK;
        grip->motion[best] = grip->motion[rank];
        grip->motion[rank] = chosen;
        TN_TRY(refine(d, stand, grip, rank));
        for (int k = rank + 1; k < count; k++)
            subtract(d->system->velocities, tn_drag_product(d, chosen, grip->motion[k]), chosen, grip->motion[k]);
    }
    return TN_OK;
}

static void find_axes(tn_dragger *d, const tn_eval *e, tn_grip *grip)
{
    grip->volume = 1;
    for (int k = 0; k < grip->rank; k++) {
        double *axis = grip->axes[k];
        tn_point_velocity(e, d->system, &d->task->point, grip->motion[k], axis);
        for (int j = 0; j < k; j++)
            tn_axpy3(axis, -tn_dot3(grip->axes[j], axis), grip->axes[j]);
        double length = tn_norm3(axis);
        grip->volume *= length / sqrt(d->mobility);
        scale(3, length > 0 ? 1 / length : 0, axis);
    }
}

int tn_drag_take_grip(tn_dragger *d, tn_stand *stand, tn_grip *grip)
{
    const tn_system *s = d->system;
    for (int k = 0; k < s->dimension; k++) {
        double force[3] = { k == 0, k == 1, k == 2 };
        memset(d->shift, 0, (size_t)s->velocities * sizeof(double));
        tn_add_point_force(stand->eval, s, &d->task->point, force, d->shift);
        TN_TRY(tn_drag_solve(d, stand, d->shift, d->zero, grip->motion[k], NULL));
    }
    TN_TRY(orthonormalize(d, stand, grip, s->dimension));
    find_axes(d, stand->eval, grip);
    return TN_OK;
}

static double determinant(int n, double A[3][3])
{
    if (n == 1)
        return A[0][0];
    if (n == 2)
        return A[0][0] * A[1][1] - A[0][1] * A[1][0];
    double cross[3];
    tn_cross3(cross, A[1], A[2]);
    return tn_dot3(A[0], cross);
}

/* True: the map has the same orientation at both grips, which have the same rank. */
static bool same_orientation(const tn_dragger *d, const tn_grip *a, const tn_grip *b)
{
    double motions[3][3], axes[3][3];
    for (int i = 0; i < a->rank; i++)
        for (int j = 0; j < a->rank; j++) {
            motions[i][j] = tn_drag_product(d, a->motion[i], b->motion[j]);
            axes[i][j] = tn_dot3(a->axes[i], b->axes[j]);
        }
    return a->rank == 0 || determinant(a->rank, motions) * determinant(a->rank, axes) > 0;
}

/* Volume at b; negative when the map has changed orientation since a. */
static double signed_volume(const tn_dragger *d, const tn_grip *a, const tn_grip *b)
{
    if (b->rank < a->rank)
        return 0;
    return b->rank > a->rank || same_orientation(d, a, b) ? b->volume : -b->volume;
}

double tn_drag_volume(const tn_dragger *d)
{
    return signed_volume(d, &d->grip, &d->trial_grip);
}

/* The part of the step at which the pose reaches the fold, if the volume changes linearly. */
static double part_of_map(const tn_dragger *d)
{
    double from = d->grip.volume, to = tn_drag_volume(d);
    if (d->redundant || to >= fmin(LEAST * TN_DRAG_FOLD, from))
        return 1;
    return from > TN_DRAG_FOLD ? (from - TN_DRAG_FOLD) / (from - to) : AGAIN;
}

/* The change of the volume of trial_grip along a motion from the pose looked at, by a finite difference over so many
 * rad. */
static int slope_along(tn_dragger *d, const double *motion, double turn, double *slope)
{
    const tn_system *s = d->system;
    double length = turn / tn_drag_extent(d, motion);
    for (int i = 0; i < s->velocities; i++)
        d->shift[i] = length * motion[i];
    TN_TRY(tn_drag_move(d, tn_eval_positions(d->eval, s), d->shift, d->near));
    TN_TRY(tn_drag_evaluate(d, d->probe, d->near, true));
    TN_TRY(tn_drag_factor(d, &d->beside, TN_RANK_DECIDE));
    TN_TRY(tn_drag_take_grip(d, &d->beside, &d->probe_grip));
    *slope = (signed_volume(d, &d->trial_grip, &d->probe_grip) - d->trial_grip.volume) / length;
    return TN_OK;
}

int tn_drag_fold_row(tn_dragger *d, double *row)
{
    const tn_grip *grip = &d->trial_grip;
    int n = d->system->velocities;
    memset(row, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < grip->rank; k++) {
        double slope;
        TN_TRY(slope_along(d, grip->motion[k], PROBE, &slope));
        tn_drag_weigh(d, grip->motion[k], d->shift);
        subtract(n, -slope, d->shift, row);
    }
    return TN_OK;
}

int tn_drag_check_redundancy(tn_dragger *d)
{
    int n = d->system->velocities;
    uint32_t random = 1;
    double slope, *motion = d->search;
    d->redundant = false;
    for (int i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        d->residual[i] = (double)(random >> 8) / (1 << 24) - 0.5;
    }
    TN_TRY(tn_drag_solve(d, &d->here, d->residual, d->zero, motion, NULL));
    double all = length_of(d, motion);
    for (int k = 0; k < d->trial_grip.rank; k++)
        subtract(n, tn_drag_product(d, d->trial_grip.motion[k], motion), d->trial_grip.motion[k], motion);
    if (length_of(d, motion) <= OTHER_MOTION * all)
        return TN_OK;
    TN_TRY(slope_along(d, motion, WIDE_PROBE, &slope));
    d->redundant = fabs(slope) > WIDE_PROBE * tn_drag_extent(d, motion);
    return TN_OK;
}

/* ---- the joints' rows ---- */

/* Checks whether the poses in d->q and in d->eval are on the same side of singular positions. */
static int same_hand(tn_dragger *d, bool *same)
{
    tn_hand hand;
    tn_arena *arena = tn_arena_create(d->system->context);
    if (!arena)
        return TN_ERROR_MEMORY;
    int code = tn_drag_evaluate(d, d->probe, d->q, true);
    if (code == TN_OK)
        code = tn_hand_take(&hand, d->system, arena, d->probe);
    if (code == TN_OK)
        code = tn_hand_same(&hand, d->eval, same);
    tn_arena_destroy(arena);
    return code;
}

int tn_drag_check_branch(tn_dragger *d, double extent, int rank_before, double pivot_before, double *part)
{
    bool same = true, singular = tn_system_allows(d->system, TN_ALLOW_PIVOTS) && d->pivot < SINGULAR && d->pivot < pivot_before;
    *part = AGAIN;
    if (d->rank < rank_before || singular)
        return TN_OK;
    if (pivot_before + d->pivot < PIVOT_PER_TURN * extent)
        TN_TRY(same_hand(d, &same));
    if (same)
        *part = fmin(1, part_of_map(d));
    return TN_OK;
}
