/* The rows on the ports of a component, in unknowns that suit them.
 *
 * A component's unknowns x, with its ports' motion W x, may be turned: all have the same mass. They are, x = Q x', such
 * that the first row needs one of them, the second two, and so on: A = L Q'. So rows touch no more unknowns than there
 * are rows. L does not depend on how D was factorized, and ranks decided at one point hold at the next.
 * Solvers take unknowns in parts. Where there are several, these unknowns are reflected in a direction that no
 * mechanism prefers, so that a part is not singular by a symmetry where the whole is regular. */
#ifndef TN_SYSTEM_TURNED_H
#define TN_SYSTEM_TURNED_H

#include "boxes.h"

enum { TN_PART_COLUMNS = 6 };      /* unknowns that solvers take at a time */

typedef struct tn_turned {
    int rows, columns;             /* there is room for so many */
    int rank, touched;             /* unknowns; how many rows may touch */
    int *order;                    /* the rows, as they were taken at the last decision */
    double *A;                     /* rows over the unknowns, one after the other */
    double *Q, *tau;               /* reflectors, one after the other */
    double *direction;             /* of the reflection */
    double *x;                     /* unknowns, for the caller */
} tn_turned;

int tn_turned_create(tn_turned *turned, int rows, int columns, tn_arena *arena);
/* Turns the rows in A, over so many unknowns, such that they touch the first ones, room at most. decide: rows are taken
 * in an order that has independent ones first. */
void tn_turn(tn_turned *turned, int rank, int room, bool decide);
/* x = Q' x and x = Q x. Unknowns: as many as there are, or may be touched. */
void tn_turn_to(const tn_turned *turned, double *x);
void tn_turn_back(const tn_turned *turned, double *x);

static inline double *tn_turned_row(const tn_turned *turned, int row)
{
    return turned->A + row * turned->columns;
}

#endif
