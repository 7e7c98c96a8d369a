/* Assembly: from the given start to one that satisfies every joint and every start condition. */
#ifndef TN_ANALYSIS_ASSEMBLE_H
#define TN_ANALYSIS_ASSEMBLE_H

#include "system.h"

/* A value of a channel or an expression at the start. One with velocities in it is for velocities, else for positions. */
typedef struct tn_start_condition {
    const tn_formula *formula;     /* its first output */
    double value;
    const char *name, *unit;
    tn_span span;
} tn_start_condition;

typedef struct tn_assembly {
    tn_coupling *coupling;         /* of the system (coupling.h) */
    double t;                      /* s: drives are where they are then */
    double *q, *v, *memory;        /* in: a first guess (memory: where angles are counted to, or cleared); out: the start */
    double *before, *after;        /* gap of every constraint at the given start and at the end, m or rad */
    const double *weight;          /* of every body, a factor on its mass; NULL: 1 */
    const bool *held;              /* bodies that stay where and as fast as they are; NULL: none */
    const double *fixed;           /* like memory: values of coordinates instead of the model's start; NaN: as there */
    const bool *placed;            /* bodies whose pose was given, be it roughly: the others move first; NULL: all */
    const unsigned char *given;    /* of every body, TN_GIVEN_... bits: what holds exactly; NULL: nothing */
    const tn_start_condition *conditions;
    int condition_count;
    int steps;                     /* out: of Newton's method */
} tn_assembly;

/* Start values of joints, conditions and given motions of bodies hold exactly. The rest follows: positions by the least
 * mass-weighted change, velocities by the least kinetic energy of the difference to the given ones, which is zero where
 * nothing is given. What is given and contradicts itself is TN_ERROR_ASSEMBLY with a diagnostic that names the parties;
 * given motions of bodies that are off by less than gap_tolerance are changed instead. TN_ERROR_ASSEMBLY with a diagnostic that names the
 * joints with the largest gaps, and what was fixed and held. TN_ASSEMBLE_STRICT: a gap of the given start above
 * gap_tolerance is an error, too. TN_ASSEMBLE_NONE: only the gaps are measured; start conditions of joints are an
 * error. */
int tn_assemble(tn_assembly *assembly, const tn_system *system, const tn_solver_type *solver, tn_assemble_rule rule,
                double gap_tolerance);

#endif
