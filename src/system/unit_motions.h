/* Unit motions that forces and constraints act on or depend on: the rows and columns of their derivatives. */
#ifndef TN_SYSTEM_UNIT_MOTIONS_H
#define TN_SYSTEM_UNIT_MOTIONS_H

#include "external.h"
#include "system.h"

enum { TN_MOST_READ_BODIES = 32, TN_MOST_READ_MOTIONS = 6 * TN_MOST_READ_BODIES };

/* A unit motion: unit velocity of one coordinate of a body, or a unit change of a state or unknown of the network. */
typedef struct tn_unit_motion {
    int body;                      /* -1: a state or an unknown */
    int index;                     /* of the velocity, velocities + state, or velocities + states + unknown */
    double linear[3], omega[3];
} tn_unit_motion;

/* 11 kB: filled in place, only the first count items are written. */
typedef struct tn_unit_motions {
    tn_unit_motion items[TN_MOST_READ_MOTIONS];
    int count;
    bool too_many;
} tn_unit_motions;

/* The bodies that a force acts on, then its own states. */
void tn_motions_of_force(tn_unit_motions *out, const tn_system *s, const tn_sys_force *force);
/* All unit motions that expressions depend on. */
void tn_motions_read_by(tn_unit_motions *out, const tn_system *s, const tn_formula *f);
void tn_motions_of_constraint(tn_unit_motions *out, const tn_system *s, int constraint);
/* The body whose motion a slot of a formula reads; -1: none. */
int tn_body_of_slot(const tn_system *s, const tn_slot *slot);
/* NULL: the force is not an external device. */
const tn_external *tn_force_external(const tn_system *s, const tn_sys_force *force);

#endif
