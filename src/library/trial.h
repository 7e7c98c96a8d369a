/* A library put to the test: loaded, a component made, every question asked once. Meant for a process of its own
 * (probe.h): nothing here is safe from what a bad library does. */
#ifndef TN_LIBRARY_TRIAL_H
#define TN_LIBRARY_TRIAL_H

#include <stdbool.h>
#include "tenon/sys/component.h"

enum { TN_VERDICT_TEXT = 240 };

typedef struct tn_verdict {
    char stage[24];                    /* what was going on when it was noted: "loading", "create", ... */
    bool done;
    int states;                        /* -1: no component could be made with default values */
    char trouble[TN_VERDICT_TEXT];     /* what is wrong; "": nothing */
} tn_verdict;

/* Tells a stage as it begins, and the end. */
typedef void (*tn_verdict_note)(void *user, const tn_verdict *verdict);

/* setting and parameters NULL: at the origin, under gravity along -y in the plane and -z in space, with default
 * values; where there is no default, 1. Then it may refuse them. */
void tn_trial(const char *path, const tn_component_setting *setting, const double *parameters, tn_verdict_note note,
              void *user);

/* The type of a loaded library; NULL, and why in trouble: there is none, or it does not fit this program. */
const tn_component_type *tn_trial_type(void *handle, char trouble[TN_VERDICT_TEXT]);

#endif
