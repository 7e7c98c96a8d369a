/* Laws of impact: find the impulses at the unilateral constraints that touch, from the velocities before the impact. */
#ifndef TN_IMPACT_LAWS_H
#define TN_IMPACT_LAWS_H

#include "cone.h"
#include "tenon/model.h"

typedef struct tn_collision {
    tn_cone_problem problem;       /* b: velocities before the impact */
    const double *restitution;     /* of each contact */
    const double *resting;         /* of each contact: approaches slower than this do not rebound */
    double *p, *w;                 /* over the rows: impulses, and velocities after the impact */
    double *work;                  /* tn_collision_doubles(rows) */
    int *numbers;                  /* tn_cone_ints(rows) */
    tn_cone_contact *group;        /* workspace, one per contact: contacts that are solved together; their indices */
    int *members;
} tn_collision;

int tn_collision_doubles(int rows);
/* Finds impulses after which no contact approaches, without an increase of kinetic energy. Returns 0, or -1 when no
 * such impulse exists because the joints force an approach. */
int tn_collision_solve(const tn_collision *collision, tn_impact_rule rule);

#endif
