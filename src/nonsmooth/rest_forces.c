/* Forces of the unilateral constraints that touch at rest (rest_forces.h), by the convex problem of their cones: forces within
 * the cones balance the load exactly where its solution leaves no acceleration. */
#include "rest_forces.h"
#include <math.h>
#include <string.h>
#include "cone_convex.h"
#include "dense.h"
#include "vec.h"

/* Share of the largest mobility that is added to all of them, and rounds in which forces are balanced with it, at most:
 * with the smaller shares of friction, and with the last one. */
static const double SOFT = 1e-9;
enum { FEW_ROUNDS = 50, MOST_ROUNDS = 2000 };
/* Share of the largest acceleration that forces may leave. */
static const double BALANCED = 1e-10;
/* Shares of each coefficient of friction with which forces are searched: those well within the cones are found best. */
static const double CONES[] = { 0.7, 0.95, 0.999, 1 - 1e-6 };
/* Share of the largest force by which forces may leave their cones, for round-off. */
static const double LAWFUL = 1e-10;
/* Friction of forces that are moved back, as a share of its coefficient. */
static const double WITHIN_CONE = 1 - 1e-6;

int tn_rest_solve(tn_delassus *d, const double *b, tn_arena *arena)
{
    double *work = tn_arena_alloc(arena, (size_t)tn_cone_convex_doubles(d->rows), sizeof *work);
    if (!work)
        return TN_ERROR_MEMORY;
    const tn_cone_problem problem = { d->rows, d->W, b, d->contacts, d->count };
    memset(d->p, 0, (size_t)d->rows * sizeof *d->p);
    (void)tn_cone_convex(d->p, d->w, &problem, work);
    return TN_OK;
}

/* Lists the rows of the constraints that bear load in numbers. Returns how many. */
static int list_loaded(tn_delassus *d, const tn_unilateral_mode *modes)
{
    int rows = 0;
    for (int k = 0; k < d->count; k++)
        for (int r = 0; r <= d->contacts[k].tangents && modes[k] != TN_UNILATERAL_OPEN; r++)
            if (r == 0 || modes[k] == TN_UNILATERAL_STICKS)
                d->numbers[rows++] = d->contacts[k].row + r;
    return rows;
}

/* Moves the forces into cones with this share of the friction. Returns the largest move. */
static double into_cones(tn_delassus *d, double share)
{
    double moved = 0;
    for (int k = 0; k < d->count; k++) {
        double *f = d->forces + d->contacts[k].row, before[1 + TN_CONE_TANGENTS];
        const int rows = 1 + d->contacts[k].tangents;
        memcpy(before, f, (size_t)rows * sizeof *f);
        tn_cone_nearest(f, d->contacts[k].tangents, share * d->unilaterals[k]->friction);
        for (int r = 0; r < rows; r++)
            moved = fmax(moved, fabs(f[r] - before[r]));
    }
    return moved;
}

/* Balances what the convex problem leaves: adds the smallest forces with W f = -w, where W is softened a little because it may be singular,
 * and moves the forces back into their cones, in turn until neither changes anything. False: the load is not balanced in this way. */
static bool balance(tn_delassus *d, const tn_unilateral_mode *modes, int rounds)
{
    const int rows = list_loaded(d, modes);
    double most = 0, loads = tn_largest(d->rows, d->forces);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            d->part_W[i + j * rows] = d->W[d->numbers[i] + d->numbers[j] * d->rows];
    for (int i = 0; i < rows; i++)
        most = fmax(most, d->part_W[i * (rows + 1)]);
    for (int i = 0; i < rows; i++)
        d->part_W[i * (rows + 1)] += SOFT * most;
    if (tn_cholesky(rows, d->part_W, rows) != 0)
        return false;                                  /* the forces stay as they are; the balance is checked */
    for (int round = 0; round < rounds; round++) {
        double left = 0;
        for (int again = 0; again < 3; again++) {
            for (int i = 0; i < rows; i++)
                d->part_b[i] = d->b[d->numbers[i]] + tn_dot(d->rows, d->W + (size_t)d->numbers[i] * (size_t)d->rows, d->forces);
            left = tn_largest(rows, d->part_b);
            tn_cholesky_solve(rows, d->part_W, rows, d->part_b);
            for (int i = 0; i < rows; i++)
                d->forces[d->numbers[i]] -= d->part_b[i];
        }
        memcpy(d->p, d->forces, (size_t)d->rows * sizeof *d->p);
        const bool lawful = into_cones(d, 1) <= LAWFUL * loads;
        if (lawful || round + 1 == rounds) {
            memcpy(d->forces, d->p, (size_t)d->rows * sizeof *d->p);
            return lawful && left <= BALANCED * tn_largest(d->rows, d->b);
        }
        into_cones(d, WITHIN_CONE);
    }
    return false;
}

int tn_rest_decide(tn_delassus *d, double t, const double *y, tn_unilateral_mode *modes)
{
    d->held = true;
    TN_TRY(tn_delassus_load(d, t, y));
    TN_TRY(tn_delassus_accelerations(d));
    for (int i = 0; i < (int)TN_LENGTH(CONES); i++) {
        double most = 0;
        for (int k = 0; k < d->count; k++)
            d->contacts[k].mu = CONES[i] * d->unilaterals[k]->friction;
        TN_TRY(tn_rest_solve(d, d->b, d->arena));
        memcpy(d->forces, d->p, (size_t)d->rows * sizeof *d->p);
        for (int k = 0; k < d->count; k++)
            most = fmax(most, d->forces[d->contacts[k].row]);
        for (int k = 0; k < d->count; k++)
            modes[k] = !(d->forces[d->contacts[k].row] > TN_REST_NO_LOAD * most) ? TN_UNILATERAL_OPEN
                       : d->unilaterals[k]->friction > 0 ? TN_UNILATERAL_STICKS : TN_UNILATERAL_SLIDES;
        if (balance(d, modes, i + 1 < (int)TN_LENGTH(CONES) ? FEW_ROUNDS : MOST_ROUNDS))
            break;
    }
    return TN_OK;
}
