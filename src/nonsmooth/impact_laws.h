/* Laws of impact: find the impulses at the unilateral constraints that touch, from the velocities before the impact. */
#ifndef TN_IMPACT_LAWS_H
#define TN_IMPACT_LAWS_H

#include "cone.h"
#include "tenon/model.h"

/* Restitution of a contact: value, or by speed of approach, linear between the given speeds (m/s, ascending). */
typedef struct tn_restitution {
    double value;
    double tangential;             /* share of the slip that is turned round where friction holds */
    size_t count;                  /* number of speeds; 0: value counts */
    const double *speeds, *values;
} tn_restitution;
double tn_restitution_at(const tn_restitution *restitution, double speed);

typedef struct tn_collision {
    tn_cone_problem problem;       /* b: velocities before the impact */
    const tn_restitution *restitution;     /* of each contact */
    const double *resting;         /* of each contact: approaches slower than this do not rebound */
    const double *unit;            /* of each contact: approaches are compared in these units; the same for all in m/s */
    double *p, *w;                 /* over the rows: impulses, and velocities after the impact */
    double *work;                  /* tn_collision_doubles(rows) */
    int *numbers;                  /* tn_cone_ints(rows) */
    tn_cone_contact *group;        /* workspace, one per contact: contacts that are solved together; their restitutions */
    tn_restitution *group_restitution;
    int *members;                  /* their indices */
} tn_collision;

int tn_collision_doubles(int rows);
/* Finds impulses after which no contact approaches, without an increase of kinetic energy. Returns 0, or -1 when no
 * such impulse exists because the joints force an approach. */
int tn_collision_solve(const tn_collision *collision, tn_impact_rule rule);

#endif
