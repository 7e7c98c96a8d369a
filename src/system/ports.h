/* Components in a compiled system: their types, states, columns and start. This data is constant while the system is
 * evaluated: instances, points and answers belong to a coupling (coupling.h).
 *
 * Ports are bodies of the system. Their q and v in y are copies of the motion that the component returns at its point
 * (t, its states in z). Their block in M is a unit matrix without meaning. The states of a component are the work of
 * the forces on its ports, which is all that is known of its energy, and its own y. */
#ifndef TN_SYSTEM_PORTS_H
#define TN_SYSTEM_PORTS_H

#include "components.h"
#include "system.h"

struct tn_sys_component {
    const tn_component_type *type;
    uint32_t source;               /* subsystem in the model */
    int work;                      /* J: its first state in z, which starts from zero */
    int state, state_count;        /* its own y, in z */
    int columns, width;            /* of all ports, of each */
    int *body;                     /* of each port */
    int *column;                   /* of each of its columns: the index among the velocities */
    bool *turns;                   /* of each of its columns: it is a rotation */
    int memory, memory_count;      /* its snapshot, in the coordinate memory */
    size_t snapshot_size;          /* bytes */
    bool open;                     /* it shows bodies and rows, which the solver includes */
    bool works;                    /* if open: joints inside do work */
    bool reacts;                   /* forces inside depend on reactions */
    int *inside;                   /* if open, of each port: the body inside that carries it; -1: ground */
    bool *takes_pin;               /* if open, of each port: that body can rotate, or is ground */
    double *start;                 /* y at the start, at t = 0 */
    tn_port_motion *start_ports;   /* port motion at the start */
};

/* Makes an instance of each of the model's components, and numbers their states, which come first in z. A system of
 * a part has no components. */
int tn_ports_create(tn_system *system);
/* Finds their ports among the bodies, which are numbered before. */
void tn_ports_find(tn_system *system);
/* Reserves memory for their snapshots, after the remembered coordinates. */
int tn_ports_place_memory(tn_system *system);
/* Destroys the instances that no caller has taken. */
void tn_ports_destroy(tn_system *system);
/* The instances made during compilation, at their start: the first caller owns them. NULL: already taken. */
tn_instance **tn_ports_take_instances(const tn_system *system);
/* Fills the table entries of its states, with their start values. */
void tn_ports_name_states(tn_system *system, const tn_sys_component *component);
const char *tn_sys_component_name(const tn_system *system, const tn_sys_component *component);
/* The component only answers to forces on its ports; it shows neither D nor its bodies. */
static inline bool tn_only_responds(const tn_sys_component *component)
{
    return component->type->disclosure < TN_DISCLOSE_CONDENSED;
}
/* Opens an open component for the first time; TN_ERROR_MODEL with a diagnostic when its structure is invalid. */
int tn_ports_look_inside(tn_open_component *out, const tn_system *system, const tn_sys_component *component,
                         tn_instance *instance);
/* A pin may connect these bodies (-1: ground): ports must be of open components, and the bodies different and able to
 * rotate. */
bool tn_ports_take_pin(const tn_system *system, int body1, int body2);
/* Writes axes, q and v of a component's ports; v may be NULL. */
void tn_ports_write(tn_eval *e, const tn_system *system, const tn_sys_component *component, const tn_port_motion *ports,
                    double *q, double *v);
/* tn_eval.place while the system is compiled: ports are where the components start. */
void tn_ports_place_at_start(tn_eval *e, const tn_system *system, double *q, double *v);

#endif
