/* The blocks of M and G as operators: products, the response of bodies to forces, the mobility of one constraint. */
#ifndef TN_SOLVE_BLOCKS_H
#define TN_SOLVE_BLOCKS_H

#include "mem.h"
#include "tenon/sys/saddle.h"

typedef struct tn_blocks {
    const tn_structure *structure;
    int rows, columns;
    size_t mass_size, jacobian_size;
    double *M, *G;                 /* copies */
    double *H;                     /* inverse of every block of M, laid out like M */
    double *response;              /* scratch: one entry per column of the widest body */
} tn_blocks;

int tn_blocks_create(tn_blocks *blocks, tn_arena *arena, const tn_structure *structure);
/* Copies M and G and inverts the blocks of M. TN_ERROR_STEP: M is not positive definite. */
int tn_blocks_load(tn_blocks *blocks, const double *M, const double *G);

/* f = M a */
void tn_blocks_mass(const tn_blocks *blocks, const double *a, double *f);
/* a = M^-1 f */
void tn_blocks_respond(const tn_blocks *blocks, const double *f, double *a);
/* y = G a */
void tn_blocks_rows(const tn_blocks *blocks, const double *a, double *y);
/* y[i] = sum over j of |G_ij a_j|: the scale of round-off in row i. */
void tn_blocks_magnitudes(const tn_blocks *blocks, const double *a, double *y);
/* f = G' lambda */
void tn_blocks_forces(const tn_blocks *blocks, const double *lambda, double *f);

/* Writes entries first to i of row i of the constraint's own mobility G_c M^-1 G_c' into k. */
void tn_blocks_mobility(const tn_blocks *blocks, int constraint, int i, int first, double *k);
/* True: row i of a constraint is not zero. Its length, with scaled columns, is above round-off. */
bool tn_blocks_row_counts(const tn_blocks *blocks, int constraint, int i);

#endif
