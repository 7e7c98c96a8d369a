/* For authors of forces: a force type turns the motion of two frames into a force and torque between them. */
#ifndef TENON_SYS_FORCE_H
#define TENON_SYS_FORCE_H

#include "joint.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_FORCE_PARAMETERS = 40 };

/* Motion of a frame, world axes. */
typedef struct tn_frame_motion {
    double p[3], v[3];         /* origin and its velocity */
    double axes[3][3];         /* axes[0] = x, axes[1] = y, axes[2] = z */
    double w[3];               /* angular velocity */
} tn_frame_motion;

typedef struct tn_force_view {
    double t;
    const double *parameters;  /* in the order of the declaration */
    const tn_frame_motion *frame1, *frame2;
} tn_force_view;

/* What acts on body 2 at the origin of frame 2, world axes; body 1 gets the opposite at the same point. */
typedef struct tn_wrench {
    double force[3], torque[3];
} tn_wrench;

typedef struct tn_force_type {
    const char *name;
    const char *doc;
    tn_parameter_decl parameters[TN_FORCE_PARAMETERS];
    void (*apply)(const tn_force_view *view, tn_wrench *out);
    double (*potential)(const tn_force_view *view);    /* J; NULL: not conservative */
    double (*dissipation)(const tn_force_view *view);  /* W taken out of the motion; NULL: the force's power is work */
} tn_force_type;

/* All built-in types, ending in NULL. */
extern const tn_force_type *const tn_force_types[];

#ifdef __cplusplus
}
#endif
#endif
