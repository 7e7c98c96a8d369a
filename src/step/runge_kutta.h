/* Explicit Runge-Kutta steps from a table of coefficients. */
#ifndef TN_STEP_RUNGE_KUTTA_H
#define TN_STEP_RUNGE_KUTTA_H

#include "tenon/sys/stepper.h"

typedef struct tn_butcher {
    int stages;
    const double *a;           /* stages x stages, row-major, strictly lower */
    const double *b, *c;
} tn_butcher;

/* y1 = y0 + h sum b_i k_i. The work vectors hold k_2 ... k_stages (k_1 is dy0): stages - 1 vectors. */
int tn_runge_kutta(tn_stepper *stepper, tn_step *step, const tn_butcher *table);
/* Rate of stage i, 0-based. */
const double *tn_runge_kutta_rate(const tn_step *step, int stage);

#endif
