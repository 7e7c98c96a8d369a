/* A mechanism near a state: the exact tangent of its equations of motion.
 *
 * With displacements x (velocity-like), changes v, z of velocities and states, and a, lambda of accelerations and
 * joint forces, the equations M a - G'lambda = f, G a = gamma, z' = r change by
 *     M a - G'lambda = (df/dx + d(G'lambda)/dx) x - (dM x) a0 + df/dv v + df/dz z
 *     G a            = - d(G a0 - gamma)
 *     r              = dr/dx x + dr/dv v + dr/dz z
 * The derivatives of forces and of G'lambda are exact (derivatives.h), that of M is closed. Second derivatives of the
 * joints' equations along the motion, d(G a0 - gamma) and d(G v0), come from central differences of eighth order; at
 * rest they vanish, and so do their errors. Friction that follows joint forces counts as constant in them. */
#ifndef TN_ANALYSIS_NEARBY_H
#define TN_ANALYSIS_NEARBY_H

#include "derivatives.h"
#include "freedoms.h"
#include "stepper.h"

/* Weights of central differences of eighth order: f' = sum of weight k (f(k h) - f(-k h)) / h, k = 1, 2, ... */
enum { TN_STENCIL = 4 };
extern const double tn_stencil[TN_STENCIL];

typedef struct tn_tangent {
    const tn_system *system;
    tn_arena *arena;
    tn_stepper *stepper;           /* owned, with rigid joints; its eval is at the state */
    tn_eval *probe;                /* evaluates at nearby states */
    tn_derivatives *force, *joint;
    bool by_differences;           /* there are components: derivatives are finite differences of solutions */
    bool held;                     /* at rest, with time stopped: drives hold their values */
    double t;
    double *y, *memory;            /* the state; memory is the stepper's */
    double *unbalanced;            /* M a: the sum of forces and joint forces; one entry per velocity */
    double *y_near, *sums, *sample;
    double *right_f, *right_u;
    double *carried;               /* scratch of tn_states_follow: three times the states */
    int sample_size;
} tn_tangent;

/* The tangent owns all its memory except the coupling of the system (coupling.h). */
int tn_tangent_create(tn_tangent **out, const tn_system *system, tn_coupling *coupling);
void tn_tangent_destroy(tn_tangent *near);
/* Moves to a state: computes forces, accelerations and joint forces into the stepper's eval. TN_ERROR_STEP without a
 * diagnostic when there is no solution. held: velocities must be zero. */
int tn_tangent_place(tn_tangent *near, double t, const double *y, const double *memory, bool held);
/* Solves at another state, which the caller owns. The state of near stays; its eval changes. */
int tn_tangent_solve(tn_tangent *near, const double *y, tn_rank_rule rule);
/* Projects a state near the state of near onto the joints, also inside components. held: velocities are projected with
 * time stopped. */
int tn_tangent_project(tn_tangent *near, double *y);
/* out = M x, with the masses at the state. */
void tn_tangent_weigh(const tn_tangent *near, const double *x, double *out);
/* Number of freedoms of velocities at the state. Includes freedoms inside components as far as the components report
 * them. */
int tn_tangent_freedoms(const tn_tangent *near);
/* Computes the derivatives of forces at the state. The functions below need them. */
void tn_tangent_differentiate(tn_tangent *near);
/* Stores the joint coordinates at the state; angles are counted from them afterwards. */
void tn_tangent_remember(tn_tangent *near);
/* Writes the diagnostic for a TN_ERROR_STEP of tn_tangent_place. */
int tn_tangent_failed(const tn_tangent *near);

/* A small change of state and the changes of forces, rates and accelerations that it causes. */
typedef struct tn_direction {
    double *x, *v, *z;
    double *f, *dz;                /* in: contribution of inputs; out: plus the change by x, v, z */
    double *a, *lambda;
} tn_direction;
int tn_direction_new(tn_direction *out, const tn_system *system, tn_arena *arena);
void tn_direction_clear(const tn_direction *d, const tn_system *system);

/* Computes d->v from d->x, d->z and given changes of the independent rates. */
int tn_tangent_velocity(tn_tangent *near, const tn_freedoms *freedoms, tn_direction *d, const double *rates);
/* Computes f, dz, a, lambda of d from x, v, z, then the changes of the rates of all independent coordinates, and of the
 * accelerations of the coordinates with independent rates. extra: accelerations that inputs add to each joint equation;
 * NULL: none. */
int tn_tangent_response(tn_tangent *near, const tn_freedoms *freedoms, tn_direction *d, const double *extra, double *rates,
                     double *accelerations);

/* Applied to the displacements or velocities in the columns of X, in the axes of Y: Y'(M X), Y'(K X) with
 * K = -d(f + G'lambda)/dx, Y'(C X) with C = -df/dv. */
int tn_tangent_mass(tn_matrix *out, const tn_tangent *near, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena);
int tn_tangent_stiffness(tn_matrix *out, const tn_tangent *near, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena);
int tn_tangent_damping(tn_matrix *out, const tn_tangent *near, const tn_matrix *Y, const tn_matrix *X, tn_arena *arena);
/* Blocks with states: Y'df/dz, dr/dx X, dr/dv X, dr/dz. */
int tn_tangent_force_by_states(tn_matrix *out, const tn_tangent *near, const tn_matrix *Y, tn_arena *arena);
int tn_tangent_rates_by_position(tn_matrix *out, const tn_tangent *near, const tn_matrix *X, tn_arena *arena);
int tn_tangent_rates_by_velocity(tn_matrix *out, const tn_tangent *near, const tn_matrix *X, tn_arena *arena);
int tn_tangent_rates_by_states(tn_matrix *out, const tn_tangent *near, tn_arena *arena);

#endif
