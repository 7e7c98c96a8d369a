/* FMUs as components, between fmi_ports.c (what they are) and fmi_body.c (what they answer). */
#ifndef TN_FMI_PORTS_IMPL_H
#define TN_FMI_PORTS_IMPL_H

#include <stdatomic.h>
#include "fmi_ports.h"

/* A direction in which a port moves. */
typedef struct tn_fmi_axis {
    int port, kind;                /* number of the port; of tn_fmi_freedom_names */
    int position, rate, force;     /* outputs and an input of the FMU; position -1: a state of the component */
    int state;                     /* that state */
} tn_fmi_axis;

struct tn_fmi_ports {
    tn_component_type type;
    tn_context *context;
    tn_arena *arena;
    tn_fmi *fmi;
    tn_pose *poses;                /* of each port */
    tn_fmi_axis *axes;
    int axis_count;
    int state_count;               /* of the FMU, then positions that it does not tell */
    atomic_int users;
};

/* Fills in the functions. */
void tn_fmi_body_type(tn_component_type *type);

#endif
