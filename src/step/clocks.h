/* Expressions that depend on time alone, and steps that would pass over their pulses (clocks.c). */
#ifndef TN_STEP_CLOCKS_H
#define TN_STEP_CLOCKS_H

#include "stepper.h"

/* Finds the expressions of forces, drives and devices with parts that depend on time alone, and components with such parts; none:
 * stepper->clocks stays NULL. */
int tn_clocks_create(tn_stepper *stepper);
/* The longest step, at most h, that shows all of these parts. */
double tn_clocks_limit(const tn_stepper *stepper, double h);

/* True: between t0 and t1 something in these parts switches, such as if(t < 1 s, ...); out: the last instant before it does first, and
 * the next number. */
bool tn_clocks_switch(const tn_stepper *stepper, double t0, double t1, double out[2]);

typedef struct tn_missed {
    const char *name;              /* of the force, drive, device or component; of the model */
    double from;                   /* s: the change happens after this instant */
    double t, by;                  /* an instant, and how far the value there is from those that the step shows, SI; NAN: not known */
} tn_missed;
/* The instants at which the integrator evaluates. */
tn_step_view tn_clocks_view(const tn_stepper *stepper);
/* True: a step from t0 to t1 with these instants does not show all of these parts; out is the first change of them. */
bool tn_clocks_missed(const tn_stepper *stepper, tn_step_view view, double t0, double t1, tn_missed *out);

#endif
