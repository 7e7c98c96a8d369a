/* Components as a compiled system knows them: what they are, where their states and columns are, how they start. None
 * of it changes while the system is evaluated: instances, points and answers belong to a workspace (coupling.h).
 *
 * Ports are bodies of the system whose q and v in y are copies of what the component at its point (t, its states in z)
 * tells. Their block in M is a unit matrix that means nothing. The states of a component are the work that forces on
 * its ports have done on it, which is all that is known of its energy, and its own y. */
#ifndef TN_SYSTEM_PORTS_H
#define TN_SYSTEM_PORTS_H

#include "components.h"
#include "system.h"

struct tn_sys_component {
    const tn_component_type *type;
    uint32_t source;               /* subsystem in the model */
    int work;                      /* J: its first state in z, where it always starts from zero */
    int state, state_count;        /* its own y, in z */
    int columns, width;            /* of all ports, of each */
    int *body;                     /* of each port */
    int *column;                   /* of each of its columns: the place among the velocities */
    bool *turns;                   /* the same: it is no translation */
    int memory, memory_count;      /* its snapshot, in the coordinate memory */
    size_t snapshot_size;          /* bytes */
    bool open;                     /* it shows bodies and rows, which solvers eliminate through */
    bool works;                    /* then: joints inside do work */
    int *inside;                   /* then, of each port: the body inside that it is on; -1: ground */
    bool *takes_pin;               /* then, of each port: that body turns as the port does, or is ground */
    double *start;                 /* y at the start, at t = 0 */
    tn_port_motion *start_ports;   /* there */
};

/* Makes an instance of each of the model's components, and numbers their states, which come first in z. A system that
 * is a part has none. */
int tn_ports_create(tn_system *system);
/* Finds their ports among the bodies, which have their numbers. */
void tn_ports_find(tn_system *system);
/* Gives their snapshots a place behind the coordinates that are remembered. */
int tn_ports_place_memory(tn_system *system);
/* Destroys the instances that nobody has taken. */
void tn_ports_destroy(tn_system *system);
/* The instances that compiling has made, at their start: they belong to the first caller. NULL: they are taken. */
tn_instance **tn_ports_take_instances(const tn_system *system);
/* Their entries among the states, at their start. */
void tn_ports_name_states(tn_system *system, const tn_sys_component *component);
const char *tn_sys_component_name(const tn_system *system, const tn_sys_component *component);
/* It answers forces on its ports, and tells neither D nor what is inside. */
static inline bool tn_only_responds(const tn_sys_component *component)
{
    return component->type->disclosure < TN_DISCLOSE_CONDENSED;
}
/* Looks into an open component for the first time; TN_ERROR_MODEL with a diagnostic when what it tells cannot be. */
int tn_ports_look_inside(tn_open_component *out, const tn_system *system, const tn_sys_component *component,
                         tn_instance *instance);
/* Whether pins can be on these bodies (-1: ground) together: ports of open components, on different bodies that turn.
 * */
bool tn_ports_take_pin(const tn_system *system, int body1, int body2);
/* Writes axes, q and v of a component's ports; v may be NULL. */
void tn_ports_write(tn_eval *e, const tn_system *system, const tn_sys_component *component, const tn_port_motion *ports,
                    double *q, double *v);
/* tn_eval.place while the system is compiled: ports are where the components start. */
void tn_ports_place_at_start(tn_eval *e, const tn_system *system, double *q, double *v);

#endif
