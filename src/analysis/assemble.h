/* Assembly: changes the given start so that it satisfies every joint and every start condition. */
#ifndef TN_ANALYSIS_ASSEMBLE_H
#define TN_ANALYSIS_ASSEMBLE_H

#include "system.h"

/* A prescribed value of a channel or an expression at the start. An expression that contains velocities is a condition
 * for velocities, any other expression is a condition for positions. */
typedef struct tn_start_condition {
    const tn_formula *formula;     /* its first output has the value */
    double value;
    const char *name, *unit;
    tn_span span;
} tn_start_condition;

typedef struct tn_assembly {
    tn_coupling *coupling;         /* of the system (coupling.h) */
    double t;                      /* s: the time at which drives are evaluated */
    double *q, *v, *memory;        /* in: first guess; memory: angles to count turns from, or zeros; out: the start */
    double *before, *after;        /* gap of every constraint at the given start and at the end, m or rad */
    const double *weight;          /* of every body, a factor on its mass; NULL: 1 */
    const bool *held;              /* bodies that keep their pose and velocity; NULL: none */
    const double *fixed;           /* like memory: coordinate values that replace the model's; NaN: no change */
    const bool *placed;            /* bodies with a given (perhaps rough) pose; the others move first; NULL: all */
    const bool *place_free;        /* those of which only the orientation is given; NULL: none */
    const unsigned char *given;    /* of every body, TN_GIVEN_... bits: given values that hold exactly; NULL: none */
    const double *moving;          /* like v: the centre of mass of a body of which only the angular velocity is given moves
                                    * like this, where joints allow; NULL: it is at rest */
    bool hold_inside;              /* start values that are given inside components hold, too */
    bool search;                   /* where Newton's method does not close the joints from q, other poses are tried */
    bool free_speeds;              /* speeds of drives by acceleration that the model does not give may follow from other start values */
    const tn_start_condition *conditions;
    int condition_count;
    int steps;                     /* out: number of Newton steps */
} tn_assembly;

/* Start values of joints, conditions and given motions of bodies hold exactly. The rest follows: positions by the least
 * mass-weighted change, velocities by the least kinetic energy of the difference to the given ones, which is zero where
 * nothing is given.
 * TN_ERROR_ASSEMBLY: given values contradict each other; the diagnostic names the parties. Given motions of bodies that
 * contradict the rest by less than gap_tolerance are changed instead.
 * TN_ERROR_ASSEMBLY: joints do not close; the diagnostic names the joints with the largest gaps, the fixed coordinates
 * and the held bodies.
 * TN_ASSEMBLE_STRICT: a gap of the given start above gap_tolerance is an error, too. TN_ASSEMBLE_NONE: only measures
 * the gaps; start conditions of joints are an error. */
int tn_assemble(tn_assembly *assembly, const tn_system *system, const tn_solver_type *solver, tn_assemble_rule rule,
                double gap_tolerance);

#endif
