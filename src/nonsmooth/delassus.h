/* A bench for guards that touch: how they feel each other through the mechanism (Delassus' matrix), with all joints of
 * the model condensed. With the rows J of the guards, and x = A f the motion that f causes where the joints hold,
 *     W = J A J',    velocities w = W p + J v,    accelerations w = W p + J A f + ... - bias */
#ifndef TN_SESSION_BENCH_H
#define TN_SESSION_BENCH_H

#include "cone.h"
#include "unilaterals.h"
#include "session_impl.h"

typedef struct tn_bench {
    tn_session *session;
    tn_arena *arena;
    tn_layout own, others;         /* with the guards on the bench; of the session's stepper */
    tn_structure joints;           /* of the model alone */
    const tn_solver_type *solver;
    tn_saddle *saddle;
    tn_eval *eval;
    tn_guard **guards;
    int count;
    int rows, first;               /* of the guards; the first in the workspace */
    double *J, *A;                 /* rows and responses: rows x velocities */
    double *W;                     /* rows x rows */
    double *b, *p, *w;             /* over the rows */
    double *forces;                /* over the rows: those found last, where the search for the next ones begins */
    double *y;                     /* the state on the bench */
    double *f, *u, *free;          /* right sides and a solution, all of the system's length */
    tn_cone_contact *contacts;     /* one a guard */
    double *work;                  /* of the cone solver, and for parts of the problem */
    int *numbers;
    double *part_W, *part_b, *part_p, *part_w;
    tn_cone_contact *part;
    int *chosen;
    int decided;                   /* how many of them took part in the last decision */
} tn_bench;

/* With guards that stay where they are until it is closed. While a function of the bench is not under way, system and
 * stepper are as always. */
int tn_bench_open(tn_bench *out, tn_session *session, tn_guard **guards, int count);
void tn_bench_close(tn_bench *bench);
/* The mechanism at (t, y): W, and velocities of the guards in b. y may be the bench's own. */
int tn_bench_load(tn_bench *bench, double t, const double *y);
/* The guards' forces become those on the bench; and the other way round. */
void tn_bench_recall(tn_bench *bench);
void tn_bench_remember(tn_bench *bench);
/* Those velocities again, into b. */
void tn_bench_velocities(tn_bench *bench);
/* Accelerations of the guards there without forces of guards, into b. */
int tn_bench_accelerations(tn_bench *bench);
/* Components take the impulses p: their states on the bench become those after them. work: J that goes into components,
 * added to. */
int tn_bench_tell(tn_bench *bench, double *work);

/* The problem for some of the guards alone: chosen[0 .. count-1], in the part_ arrays, with p zero. */
tn_cone_problem tn_bench_part(tn_bench *bench, int count);

#endif
