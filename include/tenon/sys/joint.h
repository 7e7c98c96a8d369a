/* The interface for authors of joints: a joint type is a set of vector equations.
 *
 * A joint connects frame 1 (point M, axes x1 y1 z1, fixed on body 1) to frame 2 (point N, axes x2 y2 z2, on body 2).
 * An equation is an expression whose value is zero when the joint holds:
 *     M N              points                         d              N - M
 *     x1 y1 z1 x2 ...  axes                           w1 w2          angular velocities (velocity level)
 *     a . b            scalar product                 vel(e)         time derivative of e (velocity level)
 *     cross(a, b)  norm(a)  unit(a)                   t              time
 *     turn(a, b, c)    angle of c counted from a towards b, over full turns (only in coordinates)
 *     + - * / ^ sin cos tan asin acos atan atan2 sqrt exp log abs, numbers with units, the type's parameters and
 *     coordinates by their names
 * A vector equation counts once per dimension. Expressions at velocity level go into velocity_equations.
 * Couplings (joints > 0) relate coordinates of other joints: q1 ... qn instead of points and axes. Drives are couplings
 * of one joint with time. */
#ifndef TENON_SYS_JOINT_H
#define TENON_SYS_JOINT_H

#include "../model.h"
#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exponents of metre, kilogram, second, ampere and kelvin; an angle is a number. */
typedef struct tn_dim {
    signed char m, kg, s, A, K;
} tn_dim;
#define TN_DIM_NUMBER ((tn_dim){ 0, 0, 0, 0, 0 })
#define TN_DIM_ANGLE TN_DIM_NUMBER
#define TN_DIM_LENGTH ((tn_dim){ 1, 0, 0, 0, 0 })
#define TN_DIM_MASS ((tn_dim){ 0, 1, 0, 0, 0 })
#define TN_DIM_TIME ((tn_dim){ 0, 0, 1, 0, 0 })

enum { TN_JOINT_EQUATIONS = 8, TN_JOINT_CONDITIONS = 4, TN_JOINT_PARAMETERS = 14, TN_JOINT_ROWS = 12 };

typedef struct tn_coordinate_decl {
    const char *name;          /* "angle", "position" */
    const char *unit;          /* "rad" or "m" */
    const char *expression;
} tn_coordinate_decl;

/* The equations for one dimension. Lists end at the first NULL. */
typedef struct tn_joint_form {
    const char *equations[TN_JOINT_EQUATIONS];
    const char *velocity_equations[TN_JOINT_EQUATIONS];
    tn_coordinate_decl coordinates[TN_MAX_COORDINATES];
    const char *separation;    /* of teeth: a number at velocity level; the absolute value of the first multiplier pushes
                                  along it, whichever flank bears. NULL: none */
} tn_joint_form;

/* A condition on the assembled start, beside the equations: the number is not negative. */
typedef struct tn_joint_condition {
    const char *number;
    const char *message;       /* "its axes are not parallel" */
} tn_joint_condition;

typedef enum tn_joint_axis {
    TN_AXIS_Z,                 /* "axis:" in a model file is the z axis of the joint's frames */
    TN_AXIS_X,                 /* ... the x axis (planar sliding joints) */
    TN_AXIS_NONE               /* the type has no axis */
} tn_joint_axis;

typedef struct tn_joint_type {
    const char *name;
    const char *doc;           /* one sentence */
    bool drives;               /* has a motion, an expression of t: its equations may use "motion", and "speed", a
                                  number with the rate "motion" that starts as the coordinate's rate */
    bool internal;             /* used by contacts; usable as a joint, but not listed among the joint types */
    int joints;                /* 0: connects two frames; n: couples the coordinates of n joints; -1: of any number */
    tn_joint_form planar, spatial;    /* a form without equations and coordinates: the type does not exist in that dimension */
    const char *separates_by;  /* parameter that scales the separation: where it is 0, there is none */
    tn_joint_condition conditions[TN_JOINT_CONDITIONS];
    const char *positive;      /* parameter of which zero and negative numbers are refused; NULL: none */
    const char *nonzero;       /* parameter of which zero is refused; NULL: none */
    tn_joint_axis planar_axis, spatial_axis;
    double home[4];            /* quaternion of frame 2 in frame 1 when the spatial coordinates are 0; zeros: the unit
                                  rotation. Joints with one: R = Rz(first angle) home Rz(second angle) */
    const char *axis2;         /* what "axis2:" (z of frame 2) means, NULL: frame 2 has the same axis */
    tn_parameter_decl parameters[TN_JOINT_PARAMETERS];
    const char *glyph;         /* picture for viewers */
} tn_joint_type;

/* All built-in types, ending in NULL. */
extern TN_API const tn_joint_type *const tn_joint_types[];

#ifdef __cplusplus
}
#endif
#endif
