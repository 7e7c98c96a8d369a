/* The parts of a system that is solved part by part: each a system with a stepper of its own. */
#ifndef TN_STEP_MODULE_H
#define TN_STEP_MODULE_H

#include "division.h"
#include "stepper.h"

typedef struct tn_module {
    const tn_model *model;
    const tn_part_source *source;
    tn_system *system;
    tn_stepper *stepper;
    tn_part_map map;
    double t, h, *begin, *end;     /* forces from what is between parts: from begin at t to end at t + h, linear */
} tn_module;

/* Makes the part for macro steps of the given length. settings are for the rest of the model, others have theirs.
 * TN_ERROR_ARGUMENT with a diagnostic when these make no sense; what was made is then the caller's to free, too. */
int tn_module_create(tn_module *m, const tn_stepper *whole, const tn_part_source *source, const tn_solve *settings,
                   double macro_step);
void tn_module_free(tn_module *m);
/* "front_left", or "main file" for the rest of the model. */
const char *tn_module_name(const tn_module *m);
/* From the whole's state at the start of the step to its end, where y1 gets the part's numbers. The forces from outside
 * go from begin to end, over the whole's velocities. Nothing of earlier steps counts. */
int tn_module_advance(tn_module *m, const tn_stepper *whole, const tn_step *step, const double *begin,
                    const double *end);

/* Of a stepper that goes part by part (modular.c); others have none. */
int tn_stepper_modules(const tn_stepper *stepper, const tn_module **parts);

#endif
