/* Tests a library: loads it, creates a component and calls every function once. To be run in a separate process
 * (probe.h), because a faulty library can crash it. */
#ifndef TN_LIBRARY_TRIAL_H
#define TN_LIBRARY_TRIAL_H

#include <stdbool.h>
#include "tenon/sys/component.h"

enum { TN_VERDICT_TEXT = 240 };

typedef struct tn_verdict {
    char stage[24];                    /* current stage of the trial: "loading", "create", ... */
    bool done;
    int states;                        /* -1: no component could be made with default values */
    char trouble[TN_VERDICT_TEXT];     /* the error; "": none */
} tn_verdict;

/* Receives the verdict when a stage begins, and at the end. */
typedef void (*tn_verdict_note)(void *user, const tn_verdict *verdict);

/* setting and parameters NULL: at the origin, under gravity along -y in the plane and -z in space, with default values,
 * or 1 for parameters without a default. With such a parameter, create may fail without an error. */
void tn_trial(const char *path, const tn_component_setting *setting, const double *parameters, tn_verdict_note note,
              void *user);

/* The component type of a loaded library. NULL, with the reason in trouble: it is missing or not compatible. */
const tn_component_type *tn_trial_type(void *handle, char trouble[TN_VERDICT_TEXT]);

/* A message about a fault in the names and numbers that a type declares; NULL: there is no fault. */
const char *tn_trial_declaration(const tn_component_type *type);

#endif
