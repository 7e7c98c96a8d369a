/* The mechanisms of the benchmark, described once for all engines.
 *
 * Every body hangs on a parent (or on the ground) by a hinge or a ball joint; its frame has its origin at that joint
 * and is parallel to its parent's frame when the joint's angle is zero. Loops are closed by further hinges. SI. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SCENE_GROUND = -1 };
typedef enum scene_joint { SCENE_HINGE, SCENE_BALL } scene_joint;

/* Where a body is and how it moves, world: centre of mass c, its velocity v, axes R (columns), angular velocity w. */
typedef struct scene_motion {
    double c[3], R[3][3], v[3], w[3];
} scene_motion;

typedef struct scene_body {
    int parent;
    scene_joint joint;
    double at[3];              /* of the joint, in the parent's frame */
    double axis[3];            /* hinge: unit vector, in both frames */
    double mass, com[3];
    double inertia[3];         /* about the centre of mass, along the body's axes */
    double angle, rate;        /* hinge */
    double turn[4];            /* orientation in the parent's frame: w, x, y, z */
    double spin[3];            /* angular velocity against the parent, body axes */
    double p[3], q[4];         /* start of the body's frame in the world */
    scene_motion start;
} scene_body;

/* Hinge between the points at1 of body1 and at2 of body2 about an axis that all frames share. */
typedef struct scene_loop {
    int body1, body2;
    double at1[3], at2[3], axis[3];
} scene_loop;

typedef struct scene {
    int count, loop_count;
    int dimension;             /* 2: the motion stays in the plane of x and y and an engine may make use of that */
    scene_body *bodies;
    scene_loop *loops;
    double gravity[3];
    double until;              /* s: end of a run; 0: the scene is for single evaluations */
    int tracked;               /* body whose point tip is compared at the end of a run */
    double tip[3];
} scene;

/* name: chain, ball, tree, star, planar, planar-3d, ladder, ladder-3d, four-bar, four-bar-3d, pendulum, pendulum-3d.
 * 0 when there is no such scene or no memory. */
int scene_create(scene *out, const char *name, int n);
void scene_destroy(scene *s);

/* Accelerations of all bodies (centre of mass, angular; world; 6 a body) from those of the joints in joint order: one
 * number a hinge, three a ball (body axes, derivative of spin). At the start of the scene. */
void scene_accelerations(const scene *s, const double *joint, double *a);
/* What is wrong with accelerations at the start of a scene without loops, by Newton-Euler; all zero when right.
 *     moment   largest moment left over along a freedom, against the largest carried by a joint
 *     power    energy rate, against the sum of forces times speeds
 *     gap      largest acceleration of a joint's points against each other, against the largest of a point */
typedef struct scene_residual {
    double moment, power, gap;
} scene_residual;
scene_residual scene_check(const scene *s, const double *a);

double scene_energy(const scene *s, const scene_motion *m);
/* Largest distance between points that joints should hold together, m, and angle between axes, rad. */
double scene_gap(const scene *s, const scene_motion *m);
void scene_tip(const scene *s, const scene_motion *m, double tip[3]);

#ifdef __cplusplus
}
#endif
#endif
