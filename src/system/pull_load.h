/* The load of a pull: the user pulls a point of a body towards a target during a run. The load is not a force of the
 * model; a workspace with a pull (tn_eval.pull) adds the load to the forces. */
#ifndef TN_SYSTEM_PULL_LOAD_H
#define TN_SYSTEM_PULL_LOAD_H

#include <stdint.h>

typedef struct tn_system tn_system;
typedef struct tn_eval tn_eval;

typedef struct tn_pull_load {
    uint32_t body;                 /* slot in the model */
    double at[3];                  /* m: the point, in the body's frame */
    double target[3];              /* m, world */
    double mass[6];                /* kg: effective mass matrix of the mechanism at the point: xx yy zz xy xz yz */
    double omega;                  /* rad/s: how quickly the point follows */
    double cap;                    /* m/s^2: limit of the wanted acceleration */
} tn_pull_load;

/* The effect of the load at the motion in a workspace, world axes. */
typedef struct tn_pull_effect {
    double distance;               /* m, from the point to the target */
    double wanted[3];              /* m/s^2, before the cap */
    double part;                   /* factor min(1, cap / |wanted|) */
    double force[3];               /* N, on the body at the point */
    double power;                  /* W, put into the motion */
} tn_pull_effect;

/* Body of the system; -1: the system does not contain the body, and the load does not act. */
int tn_pull_load_body(const tn_pull_load *load, const tn_system *s);
tn_pull_effect tn_pull_load_effect(const tn_pull_load *load, const tn_eval *e, const tn_system *s);
/* Adds the load to e->f; does nothing without a load, or when the system does not contain its body. */
void tn_eval_pull(tn_eval *e, const tn_system *s);
/* Power (W) of the load; 0 without a load. */
double tn_eval_pull_power(const tn_eval *e, const tn_system *s);
/* Derivatives of the generalised forces on the body with respect to its displacements (velocity-like) and velocities:
 * blocks of width x width, as the body's mass block. Returns the body, or -1 without a load. */
int tn_eval_pull_derivatives(const tn_eval *e, const tn_system *s, double position[36], double velocity[36]);

#endif
