/* How fast the losses and servos of an imported machine settle. The damping of robots often acts on links with
 * hardly any inertia: an explicit integrator would take millions of steps then. */
#include "machine.h"

#include "vec.h"

#include <stdlib.h>

/* Inertia of a body along a coordinate of the joint at frame: mass along the z axis, or moment about it. Infinite for
 * ground. */
static double inertia_along(const tn_machine *machine, int body, tn_pose frame, bool angle)
{
    static const double z[3] = { 0, 0, 1 };
    int own = tn_machine_resolve(machine, body, &frame);
    const tn_machine_body *b = &machine->bodies[own];
    double axis[3], r[3], c[3], least = 1e-6;              /* kg: what the engine assumes for a body without mass */
    if (own == TN_GROUND)
        return INFINITY;
    if (!angle)
        return fmax(b->mass, least);
    tn_quat_rotate(axis, frame.q, z);
    tn_sub3(r, b->com, frame.p);
    tn_cross3(c, axis, r);
    const double *I = b->inertia;
    double own_moment = axis[0] * axis[0] * I[0] + axis[1] * axis[1] * I[1] + axis[2] * axis[2] * I[2] +
                        2 * (axis[0] * axis[1] * I[3] + axis[0] * axis[2] * I[4] + axis[1] * axis[2] * I[5]);
    return fmax(own_moment + b->mass * tn_dot3(c, c), 0.01 * least);
}

/* Damping of forces along the coordinate: dampers and servos. */
static double load_damping(const tn_machine *machine, int joint, const char *coordinate)
{
    double sum = 0;
    for (size_t i = 0; i < machine->load_count; i++) {
        const tn_machine_load *load = &machine->loads[i];
        if (load->joint != joint || strcmp(load->coordinate, coordinate) != 0)
            continue;
        for (size_t k = 0; k < load->value_count; k++)
            if (strcmp(load->values[k].key, "kd") == 0 || strcmp(load->values[k].key, "damping") == 0)
                sum += fabs(strtod(load->values[k].text, NULL));
    }
    return sum;
}

double tn_machine_fastest(const tn_machine *machine, const char **joint_name)
{
    double fastest = 0;
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && !joint->merged && !joint->dropped; k++) {
            const tn_machine_coordinate *c = &joint->coordinates[k];
            bool angle = strncmp(c->name, "angle", 5) == 0;
            double damping = c->damping + load_damping(machine, (int)i, c->name);
            double inertia = fmin(inertia_along(machine, joint->body1, joint->frame1, angle),
                                  inertia_along(machine, joint->body2, joint->frame2, angle)) + c->armature;
            double rate = damping / inertia;
            if (rate > fastest) {
                fastest = rate;
                *joint_name = joint->label;
            }
        }
    }
    return fastest;
}
