/* For authors of forces: a force type is its expressions, in the language of joints (sys/joint.h).
 *
 * A force acts between frame 1 (M, x1 y1 z1, w1; ground by default) and frame 2 (N, x2 y2 z2, w2), or along a
 * coordinate of a joint. Its expressions know
 *     M N d x1 ... w2   as in joints                 q        the coordinate it acts along, the first of several
 *     X Y Z             axes of the world            q1 ...   all of them
 *     t                 time                         the type's parameters, states and channels, by their names
 *     reaction          along a joint: size of the joint's reaction force, N
 * A parameter may be given as a number or as an expression of time and channels of the model; both are used alike.
 * Where neither is given, its as_built is the expression (of what the type's expressions know).
 *
 * What acts is either a scalar along a coordinate ("along" and "effort": a positive effort moves body 2 towards larger
 * values, body 1 the other way), several of these, or vectors on body 2 at N with the opposite on body 1 at the same
 * point ("force", "torque", world axes). From these the engine derives power, and exact derivatives for implicit
 * integrators and linearisation.
 *
 * What differs between a length and an angle as coordinate is given for both cases, units and expressions alike:
 * "N/m|N m/rad" is N/m along a length and N m/rad along an angle. Lists end at the first NULL. */
#ifndef TENON_SYS_FORCE_H
#define TENON_SYS_FORCE_H

#include "joint.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_FORCE_PARAMETERS = 80, TN_FORCE_EFFORTS = 6, TN_FORCE_STATES = TN_MAX_STATES, TN_FORCE_CHANNELS = 12,
       TN_FORCE_REQUIREMENTS = 4 };

typedef enum tn_force_place {
    TN_PLACE_FRAMES,           /* on a frame, or between two */
    TN_PLACE_JOINT,            /* along a coordinate of a joint */
    TN_PLACE_NONE              /* acts on nothing: states only */
} tn_force_place;

/* A number with a rate of its own: a pressure, the integral of an error, a current. */
typedef struct tn_state_decl {
    const char *name;
    const char *unit;          /* NULL: that of its start */
    const char *start;         /* expression of parameters */
    const char *rate;          /* per second */
} tn_state_decl;

typedef struct tn_channel_decl {
    const char *name, *unit;   /* units as for parameters; NULL: that of the expression */
    const char *expression;
} tn_channel_decl;

/* What parameters must be like; looked at where they are numbers. */
typedef struct tn_requirement {
    const char *condition;     /* expression of parameters: not zero when they are good */
    const char *message;       /* what is needed, for people */
} tn_requirement;

/* The unit of a parameter that is the name of a table of the model: it is called like a function. */
#define TN_UNIT_TABLE "table"

typedef struct tn_force_type {
    const char *name;
    const char *doc;           /* one sentence */
    bool internal;             /* the engine adds it; not for model files */
    tn_force_place place;
    tn_parameter_decl parameters[TN_FORCE_PARAMETERS];
    tn_requirement requirements[TN_FORCE_REQUIREMENTS];
    const char *along[TN_FORCE_EFFORTS];   /* m or rad; place JOINT: not given, the joint's coordinate is meant */
    const char *effort[TN_FORCE_EFFORTS];  /* N or N m */
    const char *force, *torque;
    bool world_axes;           /* its parameters value.x, value.y, value.z are along the axes of the world */
    const char *potential;     /* J, for parameters that do not change: NULL: not conservative */
    const char *loss;          /* W taken out of the motion by a force that has a potential; NULL: none */
    tn_state_decl states[TN_FORCE_STATES];
    tn_channel_decl channels[TN_FORCE_CHANNELS];
} tn_force_type;

/* All built-in types, ending in NULL. */
extern TN_API const tn_force_type *const tn_force_types[];

#ifdef __cplusplus
}
#endif
#endif
