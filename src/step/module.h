/* A module: one part of a system that the integrator "modular" solves part by part. Each module has its own system and
 * its own stepper. */
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
    double t, h, *begin, *end;     /* coupling forces: linear from begin at t to end at t + h */
} tn_module;

/* Makes the module for macro steps of the given length. The module of the main file uses settings; other modules have
 * settings of their own. TN_ERROR_ARGUMENT with a diagnostic when the settings are wrong. The caller frees the module
 * also after an error. */
int tn_module_create(tn_module *m, const tn_stepper *whole, const tn_part_source *source, const tn_solve *settings,
                   double macro_step);
void tn_module_free(tn_module *m);
/* "front_left", or "main file" for the rest of the model. */
const char *tn_module_name(const tn_module *m);
/* Advances the module from the state of the whole at the start of the step to the end of the step, and writes the
 * result into y1 of the step. Coupling forces change linearly from begin to end, both over the velocities of the whole.
 * The module keeps nothing from earlier steps. */
int tn_module_advance(tn_module *m, const tn_stepper *whole, const tn_step *step, const double *begin,
                    const double *end);

/* The modules of a stepper with the integrator "modular" (modular.c), and their number; 0 for other integrators. */
int tn_stepper_modules(const tn_stepper *stepper, const tn_module **parts);
/* Makes them use another model with the same slots. */
void tn_stepper_use_model(tn_stepper *stepper, const tn_model *model);

#endif
