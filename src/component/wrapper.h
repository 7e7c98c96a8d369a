/* A model that consists of one subsystem: a wrapper to read the file of a component. */
#ifndef TN_COMPONENT_WRAPPER_H
#define TN_COMPONENT_WRAPPER_H

#include "entities.h"
#include "tenon/sys/component.h"

typedef struct tn_wrapper {
    const char *folder, *file;             /* of the subsystem */
    int dimension;
    const tn_component_setting *setting;   /* NULL: at the origin, without gravity */
    const tn_parameter_decl *parameters;   /* parameters to set, and their values */
    const double *values;
    int parameter_count;
} tn_wrapper;

int tn_wrapper_read(tn_model **out, tn_context *context, const tn_wrapper *wrapper);
/* The subsystem in the wrapper. */
const tn_subsystem *tn_wrapped(const tn_model *model);
/* Lists the ports for tn_component_from_model, in the model's arena: those of the subsystem, then bodies of joints with
 * limits that carry none of these. An impossible port is an error. */
int tn_wrapped_ports(const char *const **out, int *count, tn_model *model);
/* TN_ERROR_MODEL with diagnostics when the subsystem cannot be a component. path: its file. */
int tn_wrapped_check(const tn_model *model, const char *path);

#endif
