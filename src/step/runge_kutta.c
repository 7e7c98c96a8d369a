/* Explicit Runge-Kutta steps from a table of coefficients (runge_kutta.h). */
#include "runge_kutta.h"

#include <string.h>
#include "mem.h"

static size_t length(const tn_step *step)
{
    return (size_t)tn_step_length(step);
}

const double *tn_runge_kutta_rate(const tn_step *step, int stage)
{
    return stage == 0 ? step->dy0 : step->work + (size_t)(stage - 1) * length(step);
}

/* y = y0 + h sum weight_i k_i over the first count stages */
static void combine(const tn_step *step, const double *weight, int count, double *y)
{
    size_t n = length(step);
    memcpy(y, step->y0, n * sizeof(double));
    for (int i = 0; i < count; i++) {
        if (weight[i] == 0)
            continue;
        const double *k = tn_runge_kutta_rate(step, i);
        double w = step->h * weight[i];
        for (size_t j = 0; j < n; j++)
            y[j] += w * k[j];
    }
}

int tn_runge_kutta(tn_stepper *stepper, tn_step *step, const tn_butcher *table)
{
    double *y = step->y1;                              /* state of each stage; in the end, of the step */
    for (int i = 1; i < table->stages; i++) {
        combine(step, table->a + i * table->stages, i, y);
        TN_TRY(tn_rate(step->work + (size_t)(i - 1) * length(step), stepper, step->t + table->c[i] * step->h, y));
    }
    combine(step, table->b, table->stages, step->y1);
    return TN_OK;
}
