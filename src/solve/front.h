/* A front: elimination of one body. See direct.c for the mathematics. */
#ifndef TN_SOLVE_FRONT_H
#define TN_SOLVE_FRONT_H

#include "refine.h"
#include "tenon/sys/condense.h"
#include "tenon/sys/saddle.h"

/* Most columns a body may have. */
enum { TN_BODY_COLUMNS = 6 };

/* Quadratic form 1/2 a'P a - b'a of a rigid body in blocks: linear A, mixed B, angular C; symmetric ones as
 * xx xy xz yy yz zz. A leaf has its own form; the form of a general front collects the Schur complements of
 * the leaves on it. */
typedef struct tn_spatial_form {
    double A[6], B[9], C[6];
    double force[3], torque[3];
} tn_spatial_form;

typedef struct tn_planar_form {
    double A[3], B[2], C;          /* xx xy yy; mixed; angular */
    double force[2], torque;
} tn_planar_form;

/* A leaf hangs on one pin, and no other row touches its body. */
typedef enum tn_front_kind { TN_FRONT_GENERAL, TN_FRONT_LEAF } tn_front_kind;

/* The pin that carries body c:  a_c = X a_p + x0 + S z  with  X the shift by d,  S = (s x Z, Z). */
typedef struct tn_carrier {
    int constraint, row;           /* -1: none */
    tn_pin_kind kind;
    double sign;                   /* +1: the carried body is body 2 */
    int parent_column;             /* first border column of the other body; -1: ground */
    double s[3], d[3];             /* from the body's centre to the pin; from the other body's centre to its own */
    double n[2][3], z[3];          /* hinge */
    double gram[3];                /* (n n')^-1: 11 12 22 */
} tn_carrier;

typedef struct tn_front {
    tn_front_kind kind;
    int body, parent;              /* parent: the front that takes Schur complement and leftover rows; -1: none */
    int column;                    /* first column of the body in the whole problem */
    int nc, nn;                    /* columns of the body and of the border */
    tn_carrier carrier;

    bool planar;
    bool pinned;                   /* leaves hang on this front */
    bool told;                     /* the multipliers of its rows, or of rows of fronts below, must be computed */
    bool first;                    /* first leaf on its parent: sets the parent's form; the other leaves add to it */
    union {
        tn_spatial_form spatial;
        tn_planar_form planar;
    } form;
    double U[9], D[9];             /* leaf: P S (ball: its linear part); inverse (ball: Cholesky factor) of S'P S */
    double x0[6], z0[3];           /* leaf: offset, free accelerations when the border rests */
    double a[6];                   /* solution */
    struct tn_general *general;    /* general fronts */
    struct tn_guided_front *guided;    /* general fronts that may be guided; NULL: this front may not */
} tn_front;

typedef struct tn_guided_front tn_guided_front;

/* A general front: rows, border of any size. */
typedef struct tn_general {
    int nz;                        /* free columns after the carrier: nc without one */
    int own_rows, rows, max_rows;
    int constraint_count;
    const int *constraints;        /* without the carrier */
    int child_count;
    int *children;
    /* Columns of rows are kept as (body, z, border): Ac has all of them, A those from z on. */
    int *to_parent;                /* column of the parent's front for every border column; its own body's come first */
    int *body_place;               /* own constraints, block by block: first column in this front */
    double *unreduced_scale;       /* of body, z and border */
    int *scale_column;             /* columns of the structure that these are the scales of */
    double *column_scale;          /* of z and border: points into unreduced_scale */
    int rank, left;                /* pivots in the z columns; independent rows left over */
    int *pivot_z, *pivot_n;
    int *stair;                    /* leftover rows that reach into each border column */
    double *Pc;                    /* nc x (nc + nn): before the carrier */
    double *Ac;                    /* max_rows x (nc + nz + nn): before the carrier; z columns empty */
    double *Sc;                    /* nc x nz: the carrier's motion subspace */
    double *A;                     /* max_rows x (nz + nn): reflectors below, R and leftover rows above */
    double *tau;
    double *P;                     /* (nz + nn)^2 */
    double *X, *W, *S, *D;         /* z = X a_n + x0 + S zeta; see direct.c */
    double *scale;                 /* of own rows */
    double *b, *u, *bc, *xc, *x0, *z0, *y, *mu;    /* y: (a_c, a_n) */
    double weakest, dropped;
    bool partial;                  /* rows are left that do not move the body: a coincidence, or not */
} tn_general;

struct tn_saddle {
    tn_context *context;
    struct tn_arena *arena;
    const tn_structure *structure;
    tn_front *fronts;
    double *carried;               /* of each front: mass of the bodies below; scratch of decisions */
    bool decided;
    tn_condenser *whole_rows;      /* solves in place of the fronts where their pivots are weak; NULL: not needed yet */
    tn_structure rows_structure;   /* of it: without pins */
    double *rows, *mass;           /* G with the rows of all pins; M */
    size_t mass_size;
    double *unbalanced, *change, *no_u, *more, *all;   /* of the correction of multipliers */
    tn_refinement refinement;
    bool fronts_ready;             /* the fronts are factored at the current point */
    bool fronts_decided;           /* the last decision of ranks was one of all fronts */
    bool *independent;             /* of each row: scratch of decisions */
    bool measured;                 /* the last decision found weak pivots: rank and distance are those of whole rows */
    bool weak;                     /* it found pivots so weak that whole_rows solves, too */
    bool condensed;                /* whole_rows solves at the current point: weak, or a pivot has become lossy since */
};

/* ---- pins (pin.c) ---- */
/* Reads the carrier's pin, as seen from the carried body. */
void tn_carrier_load(tn_carrier *carrier, const tn_pin *pin);
/* The number of free accelerations that a pin leaves. */
int tn_pin_freedoms(tn_pin_kind kind, bool planar);
int tn_pin_rows(tn_pin_kind kind, bool planar);
/* x0 from the right side u of the pin's rows. */
void tn_carrier_offset(const tn_carrier *carrier, bool planar, const double *u, double *x0);
/* Multipliers of the pin's rows from the wrench w they exert on the carried body. */
void tn_carrier_multipliers(const tn_carrier *carrier, bool planar, const double *w, double *lambda);
/* Motion subspace S = (s x Z, Z), n x freedoms, column-major, n = 6, planar 3. */
void tn_carrier_subspace(const tn_carrier *carrier, bool planar, double *S);

/* ---- leaves (leaf.c); parent NULL: ground ---- */
/* Condenses the form of a leaf into the form of its parent. TN_ERROR_STEP: the form is not positive definite. */
int tn_leaf_factor(tn_front *f, tn_front *parent);
/* Condenses the right sides, which are part of the forms. u: right side of the whole problem. */
void tn_leaf_forward(tn_front *f, tn_front *parent, const double *u);
void tn_leaf_backward(tn_front *f, const double *parent_a);
/* The wrench that the pin exerts on the body: w = P a - b. */
void tn_leaf_wrench(const tn_front *f, double *w);
/* Adds the body's own block of M, or its part of f, to the form that the leaves on it have filled. */
void tn_form_take_mass(tn_front *f, const double *M);
void tn_form_take_force(tn_front *f, const double *force);
/* Adds the form to a dense block, and its right side to a vector. */
void tn_form_add_mass(const tn_front *f, double *P, int ld);
void tn_form_add_force(const tn_front *f, double *b);

/* ---- general fronts (general.c) ---- */
int tn_general_factor(tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide);
void tn_general_forward(tn_saddle *k, tn_front *f, const double *force, const double *u);
void tn_general_backward(tn_saddle *k, tn_front *f);
void tn_general_multipliers(tn_saddle *k, tn_front *f, double *lambda);

/* ---- guided fronts (guided.c) ---- */
/* Allocates f->guided if the front can be guided: it has these constraints and no general front below. */
int tn_guided_prepare(tn_front *f, const tn_structure *structure, const int *constraints, int count,
                      struct tn_arena *arena);
/* True: the last rank decision found the front guided. */
/* Takes the lengths of its columns from the structure. */
void tn_guided_scale(tn_front *f, const tn_structure *structure);
bool tn_guided_used(const tn_front *f);
/* decide: checks first whether the front is guided; if it is not, returns without changes. */
int tn_guided_factor(tn_saddle *k, tn_front *f, const double *M, const double *G, bool decide);
void tn_guided_forward(tn_front *f, const double *force, const double *u);
void tn_guided_backward(const tn_saddle *k, tn_front *f);
void tn_guided_multipliers(const tn_front *f, double *lambda);

/* Rank of the rows as the fronts found it. */
int tn_fronts_rank(const tn_saddle *k);
/* Condenses the system where the fronts, which are factored, have weak pivots (k->weak); weak.c has the reason. decide: looks
 * at the pivots; otherwise repeats the last decision. */
int tn_weak_factor(tn_saddle *k, const double *M, const double *G, bool decide);
/* Where the fronts write their multipliers: lambda, or, with weak pivots, an array that tn_weak_solve reads. */
double *tn_weak_multipliers(tn_saddle *k, double *lambda);
/* Solves with the condensed system. lambda may be NULL; rows of silent constraints are left alone. */
int tn_weak_solve(tn_saddle *k, const double *f, const double *u, double *a, double *lambda);

#endif
