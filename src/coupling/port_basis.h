/* The rows on the ports of a component, in unknowns that suit them.
 *
 * A component's unknowns x, with its ports' motion W x, may be turned: all have the same mass. They are, x = Q x', such
 * that the first row needs one of them, the second two, and so on: A = L Q'. So rows touch no more unknowns than there
 * are rows. L does not depend on how D was factorized, and ranks decided at one point hold at the next.
 * Solvers take unknowns in parts. Where there are several, these unknowns are reflected in a direction that no
 * mechanism prefers, so that a part is not singular by a symmetry where the whole is regular. */
#ifndef TN_COUPLING_PORT_BASIS_H
#define TN_COUPLING_PORT_BASIS_H

#include <stdbool.h>
#include "mem.h"

enum { TN_PART_COLUMNS = 6 };      /* unknowns that solvers take at a time */

typedef struct tn_port_basis {
    int rows, columns;             /* there is room for so many */
    int rank, touched;             /* unknowns; how many rows may touch */
    int *order;                    /* the rows, as they were taken at the last decision */
    double *A;                     /* rows over the unknowns, one after the other */
    double *Q, *tau;               /* reflectors, one after the other */
    double *direction;             /* of the reflection */
    double *x;                     /* unknowns, for the caller */
} tn_port_basis;

int tn_port_basis_create(tn_port_basis *basis, int rows, int columns, tn_arena *arena);
/* Turns the rows in A, over so many unknowns, such that they touch the first ones, room at most. decide: rows are taken
 * in an order that has independent ones first. */
void tn_port_basis_find(tn_port_basis *basis, int rank, int room, bool decide);
/* x = Q' x and x = Q x. Unknowns: as many as there are, or may be touched. */
void tn_port_basis_to(const tn_port_basis *basis, double *x);
void tn_port_basis_back(const tn_port_basis *basis, double *x);

static inline double *tn_port_basis_row(const tn_port_basis *basis, int row)
{
    return basis->A + row * basis->columns;
}

#endif
