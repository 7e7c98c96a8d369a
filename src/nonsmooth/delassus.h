/* A delassus for unilaterals that touch: how they feel each other through the mechanism (Delassus' matrix), with all joints of
 * the model condensed. With the rows J of the unilaterals, and x = A f the motion that f causes where the joints hold,
 *     W = J A J',    velocities w = W p + J v,    accelerations w = W p + J A f + ... - bias */
#ifndef TN_DELASSUS_H
#define TN_DELASSUS_H

#include "cone.h"
#include "unilaterals.h"
#include "session_impl.h"

typedef struct tn_delassus {
    tn_session *session;
    tn_arena *arena;
    tn_layout own, others;         /* with the unilaterals on the delassus; of the session's stepper */
    tn_structure joints;           /* of the model alone */
    const tn_solver_type *solver;
    tn_saddle *saddle;
    tn_eval *eval;
    tn_unilateral **unilaterals;
    int count;
    int rows, first;               /* of the unilaterals; the first in the workspace */
    double *J, *A;                 /* rows and responses: rows x velocities */
    double *W;                     /* rows x rows */
    double *b, *p, *w;             /* over the rows */
    double *forces;                /* over the rows: those found last, where the search for the next ones begins */
    double *y;                     /* the state on the delassus */
    double *f, *u, *free;          /* right sides and a solution, all of the system's length */
    double *impulse;               /* of p over the velocities */
    tn_cone_contact *contacts;     /* one a unilateral */
    double *work;                  /* of the cone solver, and for parts of the problem */
    int *numbers;
    double *part_W, *part_b, *part_p, *part_w;
    tn_cone_contact *part;
    int *chosen;
    int decided;                   /* how many of them took part in the last decision */
    bool in_force;                 /* the state on the delassus is one that the closed unilaterals' equations hold at */
} tn_delassus;

/* With unilaterals that stay where they are until it is closed. While a function of the delassus is not under way, system and
 * stepper are as always. */
int tn_delassus_open(tn_delassus *out, tn_session *session, tn_unilateral **unilaterals, int count);
void tn_delassus_close(tn_delassus *delassus);
/* The mechanism at (t, y): W, and velocities of the unilaterals in b. y may be the delassus's own. */
int tn_delassus_load(tn_delassus *delassus, double t, const double *y);
/* The unilaterals' forces become those on the delassus; and the other way round. */
void tn_delassus_recall(tn_delassus *delassus);
void tn_delassus_remember(tn_delassus *delassus);
/* Those velocities again, into b. */
void tn_delassus_velocities(tn_delassus *delassus);
/* Accelerations of the unilaterals there without forces of unilaterals, into b. */
int tn_delassus_accelerations(tn_delassus *delassus);
/* Components take the impulses p: their states on the delassus become those after them. work: J that goes into components,
 * added to. */
int tn_delassus_tell(tn_delassus *delassus, double *work);

/* J: what drives, and other joints that move by themselves, do while the impulses p act; added to work. */
int tn_delassus_drive_work(tn_delassus *delassus, double *work);

/* The problem for some of the unilaterals alone: chosen[0 .. count-1], in the part_ arrays, with p zero. */
tn_cone_problem tn_delassus_part(tn_delassus *delassus, int count);

#endif
