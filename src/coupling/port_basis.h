/* An orthogonal basis of a component's unknowns that makes the rows on its ports triangular.
 *
 * The unknowns x of a component, with the motion W x of its ports, all have the same mass, so they may be rotated.
 * x = Q x' is chosen such that the first row has one unknown, the second two, and so on: A = L Q'. So rows touch at
 * most as many unknowns as there are rows. L is independent of how D was factorized, so a rank decided at one point
 * holds at the next. Solvers process unknowns in parts. Where there are several parts, the unknowns are reflected in an
 * arbitrary direction, so that symmetry does not make one part singular while the whole is regular. */
#ifndef TN_COUPLING_PORT_BASIS_H
#define TN_COUPLING_PORT_BASIS_H

#include <stdbool.h>
#include "mem.h"

enum { TN_PART_COLUMNS = 6 };      /* unknowns in one part */

typedef struct tn_port_basis {
    int rows, columns;             /* capacity */
    int rank, touched;             /* number of unknowns; number of unknowns that rows may touch */
    int *order;                    /* of the rows, as chosen at the last decision */
    double *A;                     /* rows over the unknowns, one after the other */
    double *Q, *tau;               /* reflectors, one after the other */
    double *direction;             /* of the reflection */
    double *x;                     /* unknowns, for the caller */
} tn_port_basis;

int tn_port_basis_create(tn_port_basis *basis, int rows, int columns, tn_arena *arena);
/* Finds Q for the rows in A, over rank unknowns, so that they touch only the first room unknowns. decide: chooses an
 * order of the rows that has independent rows first. */
void tn_port_basis_find(tn_port_basis *basis, int rank, int room, bool decide);
/* x = Q' x and x = Q x, in place. */
void tn_port_basis_to(const tn_port_basis *basis, double *x);
void tn_port_basis_back(const tn_port_basis *basis, double *x);

static inline double *tn_port_basis_row(const tn_port_basis *basis, int row)
{
    return basis->A + row * basis->columns;
}

#endif
