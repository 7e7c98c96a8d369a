/* What steps and analyses may rely on in the equations of a system. A method names the allowance that it needs and never looks
 * at components: which component withholds which allowance is one table (allowances.c). */
#ifndef TN_SYSTEM_ALLOWANCES_H
#define TN_SYSTEM_ALLOWANCES_H

#include "system.h"

typedef enum tn_allowance {
    TN_ALLOW_TERMS,            /* all masses, forces and rows are terms of the system: methods sum and differentiate them */
    TN_ALLOW_PIVOTS,           /* a weak pivot of the rows means a singular position */
    TN_ALLOW_OMITTED_ROWS,     /* all users of G can do without the rows of pins */
    TN_ALLOW_OTHER_STARTS,     /* assembly begins in other poses, and keeps velocities that are given to bodies */
    TN_ALLOW_OTHER_STATES,     /* a step evaluates and factors at states beside its stages */
    TN_ALLOW_OTHER_SOLVER,     /* a solver takes the place of the chosen one */
    TN_ALLOW_TIME_STEPPING,    /* contacts are stepped in time */
    TN_ALLOW_STATE_VECTOR,     /* y is the whole state, which a caller may set */
    TN_ALLOW_NEW_GRAVITY,      /* gravity changes in place */
    TN_ALLOW_KEPT_FACTORS,     /* factors at one state serve at states near it */
    TN_ALLOW_NO_LAMBDA,        /* the unknowns are found without the multipliers */
    TN_ALLOWANCES
} tn_allowance;

static inline bool tn_system_allows(const tn_system *system, tn_allowance allowance)
{
    return !(system->withheld & 1u << allowance);
}

/* Called while the system is compiled, when its components are known. */
void tn_allowances_find(tn_system *system);

#endif
