/* Laws of impact: impulses over unilaterals that touch, from their velocities before. */
#ifndef TN_SESSION_IMPACT_H
#define TN_SESSION_IMPACT_H

#include "cone.h"
#include "tenon/model.h"

typedef struct tn_collision {
    tn_cone_problem problem;       /* b: velocities before */
    const double *restitution;     /* of each contact */
    const double *resting;         /* approaches slower than this do not rebound */
    double *p, *w;                 /* impulses, velocities afterwards: over the rows */
    double *work;                  /* tn_collision_doubles(rows) */
    int *numbers;                  /* tn_cone_ints(rows) */
    tn_cone_contact *group;        /* room for one a contact, and their numbers: those that are solved together */
    int *members;
} tn_collision;

int tn_collision_doubles(int rows);
/* Kinetic energy does not increase, and nothing approaches afterwards. 0, or -1: there is no such impulse, because the
 * joints force an approach. */
int tn_collision_solve(const tn_collision *collision, tn_impact_rule rule);

#endif
