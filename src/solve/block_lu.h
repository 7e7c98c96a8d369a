/* LU factorization of a sparse matrix of blocks with a symmetric pattern, by fronts in an elimination order (AMD).
 * Pivots are exchanged within diagonal blocks only. All arrays grow when needed and stay for the next matrix. */
#ifndef TN_SOLVE_BLOCK_LU_H
#define TN_SOLVE_BLOCK_LU_H

#include "mem.h"

/* Unknowns of a node, at most. */
enum { TN_BLOCK_LU_WIDEST = 16 };

typedef struct tn_block_lu tn_block_lu;
int tn_block_lu_create(tn_block_lu **out, tn_context *context);
void tn_block_lu_destroy(tn_block_lu *lu);

/* Plans the factorization: nodes with `width` unknowns each, and edges between nodes with non-zero blocks. Edges may
 * repeat; edges from a node to itself are not needed. The matrix becomes zero. */
int tn_block_lu_plan(tn_block_lu *lu, int nodes, const int *width, const int (*edges)[2], int edge_count);
/* Adds values (rows x columns, row-major) to the block of node i and node j, which is on the diagonal or an edge. */
void tn_block_lu_add(tn_block_lu *lu, int i, int j, const double *values);
/* Makes the matrix zero again, for other values in the same places. */
void tn_block_lu_clear(tn_block_lu *lu);
/* Returns 0, or -1: the matrix is singular, or a number is not finite. */
int tn_block_lu_factor(tn_block_lu *lu);
/* Tells whether the determinant of the factored matrix is negative. */
bool tn_block_lu_negative(const tn_block_lu *lu);
/* x = A^-1 x; the unknowns of node 0 come first, then those of node 1, ... */
void tn_block_lu_solve(const tn_block_lu *lu, double *x);

#endif
