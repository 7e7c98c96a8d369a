/* The search for a static equilibrium: its data, and the linear problem of a step. Private to statics*.c. */
#ifndef TN_ANALYSIS_STATICS_IMPL_H
#define TN_ANALYSIS_STATICS_IMPL_H

#include "freedoms.h"
#include "matrix.h"
#include "statics.h"

typedef struct tn_relaxer {
    tn_tangent *near;
    const tn_system *s;
    const tn_statics_options *options;
    tn_arena *arena;               /* of the whole search */
    tn_arena *pass;                /* of one step */
    int states;                    /* without the states of drives, which are held */
    bool *follows, some_follow;    /* which of them follow the motion */
    double fastest;                /* 1/s: of their changes, if some do */
    double size, mass, travelled;
    double weight;                 /* N: of the heaviest body */
    double h;
    long iterations;
    const tn_static_bounds *bounds;    /* NULL: no unilateral constraints */
    double *rest;                  /* like near->unbalanced, less the forces of the constraints that touch */
    tn_static_rows rows;           /* unilateral constraints near the step */
    double residual, before;       /* at the accepted point, and at the one before */
    double load;
    double *y, *unbalanced;        /* accepted */
    double *x, *dz;                /* the step */
    double *free;                  /* solution of the linear problem without unilateral constraints */
    double *part, *changes;        /* the part of the step that is tried */
    double *trial;                 /* the point it leads to */
    tn_freedoms freedoms;          /* at the accepted point, like the matrices below */
    tn_matrix K, M, Fz, Zx, Zz;
    double *r, *rates;
    double stiffest;               /* largest K / M, 1/s^2 */
    double noise;                  /* N: force that round-off of positions makes */
} tn_relaxer;

/* Returns the length by which a torque of the column becomes a force. */
double tn_relaxer_length(const tn_relaxer *r, int column);
/* Advances near to the time of the loads, drives included; near is at rest there. */
int tn_relaxer_follow_drives(tn_relaxer *r);
/* Computes matrices and forces of the linear problem at the accepted point. */
int tn_relaxer_reduce(tn_relaxer *r);
/* True: the symmetric part of s M + K is positive definite. */
int tn_relaxer_is_definite(const tn_relaxer *r, double s, bool *definite);
/* The system of both equations, right side included; s = 1 / h^2. */
int tn_relaxer_system(tn_matrix *A, tn_matrix *b, const tn_relaxer *r, double s);
/* The step for a solution (p, dz): x and dz; returns the work of the forces that K predicts. */
double tn_relaxer_take(tn_relaxer *r, const double *solution);

#endif
