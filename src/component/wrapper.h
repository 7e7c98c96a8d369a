/* A model that is nothing but one subsystem: how the file of a component is read. */
#ifndef TN_COMPONENT_WRAPPER_H
#define TN_COMPONENT_WRAPPER_H

#include "entities.h"
#include "tenon/sys/component.h"

typedef struct tn_wrapper {
    const char *folder, *file;             /* of the subsystem */
    int dimension;
    const tn_component_setting *setting;   /* NULL: at the origin, without gravity */
    const tn_parameter_decl *parameters;   /* to be given; their values */
    const double *values;
    int parameter_count;
} tn_wrapper;

int tn_wrapper_read(tn_model **out, tn_context *context, const tn_wrapper *wrapper);
/* The subsystem in it. */
const tn_subsystem *tn_wrapped(const tn_model *model);
/* Ports as tn_component_from_model wants them, in the model's arena; a port that cannot be one is an error. */
int tn_wrapped_ports(const char *const **out, tn_model *model);
/* Whether it can be a component: TN_ERROR_MODEL with diagnostics. path is that of its file. */
int tn_wrapped_check(const tn_model *model, const char *path);

#endif
