/* Solving the network block by block; private to network.c and network_affine.c. */
#ifndef TN_SYSTEM_NETWORK_IMPL_H
#define TN_SYSTEM_NETWORK_IMPL_H

#include <klu.h>
#include "device_network.h"
#include "formula_batch.h"

/* The equations of an affine block as sums: row i is constant[i] + the terms begin[i] ... of factors times states, unknowns or memories. */
typedef struct tn_terms {
    int *begin, *index;
    unsigned char *kind;           /* TN_TERM_STATE ... */
    double *factor, *constant;
    unsigned changes;              /* s->affine_changes when they were taken */
    bool known;
} tn_terms;
enum { TN_TERM_STATE, TN_TERM_UNKNOWN, TN_TERM_MEMORY, TN_TERM_KINDS };

/* A block that is too large for a dense matrix. */
struct tn_network_sparse {
    int block;
    int *begin, *rows;             /* compressed columns */
    double *values;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    /* Of affine blocks, whose matrix stays: sizes of its rows and unknowns, and s->affine_changes when it was factored. */
    double *scale, *scale_x;
    unsigned changes;
    bool kept;                     /* numeric belongs to these sizes: it was not factored for other ones since */
    tn_formula_batches *batches;   /* of equations that are alike */
    bool *batched;                 /* of each row: it is in one of them */
    tn_terms *terms;               /* of affine blocks; NULL: of others */
};

/* A block being solved, and the motion with the workspace of the network. */
typedef struct tn_block_solver {
    tn_eval here;
    struct tn_network_work *w;
    const tn_system *s;
    const tn_network *n;
    const double *memory;
    int block, first, size;
    bool sums;                             /* affine equations are evaluated as sums with factors */
    struct tn_network_sparse *sparse;      /* NULL: dense */
    int guilty;                            /* equation that has failed; -1: none */
    const char *why;                       /* what an FMU says about it; NULL: nothing */
} tn_block_solver;

/* Value of equation i of the block; with derivatives into the matrix, the largest entry into scale. */
double tn_network_row(tn_block_solver *v, int i, bool derivatives);

/* network_affine.c: what large blocks need for tn_affine_evaluate. */
int tn_affine_create(struct tn_network_sparse *out, const tn_network *n, tn_arena *arena);
/* Residuals of a large affine block, those of tn_network_row. False: one is not finite. */
bool tn_affine_evaluate(tn_block_solver *v);

#endif
