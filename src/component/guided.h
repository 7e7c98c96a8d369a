/* Bodies of a nested model that one joint holds to ground, as a piston in its cylinder. The model's solver gets them by
 * the motions that the joint leaves them,
 *     a = S x + b              A S = 0,  A b = u
 * with the rows A of the joint, A a = u: fewer columns, and no rows for the joint. A and S are taken along with matrices,
 * and hold until those are taken again, as the factorization of the model's solver does. */
#ifndef TN_COMPONENT_GUIDED_H
#define TN_COMPONENT_GUIDED_H

#include "system.h"
#include "tenon/sys/component.h"

enum { TN_GUIDED_COLUMNS = 6, TN_GUIDE_ROWS = 5 };
/* A row over the columns of a body; zero where a planar body has none. */
typedef struct tn_guided_row {
    double x[TN_GUIDED_COLUMNS];
} tn_guided_row;

typedef struct tn_guide {
    int body, constraint, block;   /* in the system */
    int width, rows, free;         /* columns of the body, of which the joint leaves some free */
    tn_guided_row lengths;         /* what rotations are divided by to be displacements */
    tn_guided_row M[TN_GUIDED_COLUMNS], S[TN_GUIDED_COLUMNS];  /* S transposed */
    /* A = L U, in columns that are lengths; row i of U begins in column[i]. */
    tn_guided_row U[TN_GUIDE_ROWS];
    double L[TN_GUIDE_ROWS][TN_GUIDE_ROWS], inverse[TN_GUIDE_ROWS];
    int column[TN_GUIDE_ROWS];
    tn_guided_row b;               /* of the last question */
} tn_guide;

/* A block of the reduced problem, and what it is in the system. */
typedef struct tn_guided_block {
    int block, constraint;
    int guide;                     /* -1: its body is as in the system */
    tn_guided_row rows[TN_GUIDED_COLUMNS];                     /* on a body with a guide: all columns */
} tn_guided_block;

typedef struct tn_guided {
    const tn_system *system;
    tn_guide *guides;
    int count;
    int *guide_of;                 /* of each body; -1: none */
    tn_structure structure;        /* reduced */
    int *constraint;               /* of each of its constraints: in the system */
    tn_guided_block *blocks;       /* of each of its blocks */
    tn_pin *pins;
    double *M, *G, *f, *u;
    double *own_M, *own_G;         /* where M and G are when nobody gives another place */
    size_t mass_size, rows_size;
    int hidden_rows;               /* of all guides */
    double hidden_gap;             /* their largest, of the last question */
} tn_guided;

/* *out stays NULL when there is nothing to be gained: no such body, or lambda of its joint is needed. is_port: of each
 * body. */
int tn_guided_create(tn_guided **out, const tn_system *system, const bool *is_port, tn_arena *arena);
/* M, G and pins at the point of e; extent: as open is asked. False: a guide gives no direction. */
bool tn_guided_take_matrices(tn_guided *guided, const tn_eval *e, tn_open_extent extent);
/* f and u from those of the system. */
void tn_guided_take_sides(tn_guided *guided, const double *f, const double *u);
/* Motion of all bodies from the reduced solution. */
void tn_guided_expand(const tn_guided *guided, const double *x, double *a);

#endif
