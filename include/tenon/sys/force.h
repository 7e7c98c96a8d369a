/* The interface for authors of forces: a force type is a set of expressions, in the language of joints (sys/joint.h).
 *
 * A force acts between frame 1 (M, x1 y1 z1, w1; ground by default) and frame 2 (N, x2 y2 z2, w2), or along a
 * coordinate of a joint. Its expressions may use
 *     M N d x1 ... w2   as in joints                 q        the coordinate it acts along, the first of several
 *     X Y Z             axes of the world            q1 ...   all of them
 *     t                 time                         the type's parameters, states and channels, by their names
 *     reaction          along a joint: size of the joint's reaction force, N
 * The model gives a parameter as a number or as an expression of time and channels; the type uses both in the same way.
 * If the model gives neither, the parameter's as_built is its expression (it may use the same names as above).
 *
 * The force acts in one of three forms: a scalar along a coordinate ("along" and "effort": a positive effort moves body
 * 2 towards larger values and body 1 the other way), several such scalars, or vectors on body 2 at N with the opposite
 * vectors on body 1 at the same point ("force", "torque", world axes). From these the engine derives power, and exact
 * derivatives for implicit integrators and linearisation.
 *
 * Units and expressions that differ between a length and an angle as coordinate are given for both cases: "N/m|N m/rad"
 * is N/m along a length and N m/rad along an angle. Lists end at the first NULL. */
#ifndef TENON_SYS_FORCE_H
#define TENON_SYS_FORCE_H

#include "joint.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_FORCE_PARAMETERS = 128, TN_FORCE_EFFORTS = 6, TN_FORCE_STATES = TN_MAX_STATES, TN_FORCE_CHANNELS = 32,
       TN_FORCE_REQUIREMENTS = 6 };

typedef enum tn_force_place {
    TN_PLACE_FRAMES,           /* on a frame, or between two */
    TN_PLACE_JOINT,            /* along a coordinate of a joint */
    TN_PLACE_NONE              /* the force acts on no body: it only has states */
} tn_force_place;

/* A state variable of a force: a pressure, the integral of an error, a current. */
typedef struct tn_state_decl {
    const char *name;
    const char *unit;          /* NULL: the unit of its start */
    const char *start;         /* expression of parameters */
    const char *rate;          /* per second */
} tn_state_decl;

typedef struct tn_channel_decl {
    const char *name, *unit;   /* units as for parameters; NULL: the unit of the expression */
    const char *expression;
} tn_channel_decl;

/* A condition that parameters must satisfy; checked for parameters that are given as numbers. */
typedef struct tn_requirement {
    const char *condition;     /* expression of parameters: nonzero when they are valid */
    const char *message;       /* the requirement, in words for the user */
} tn_requirement;

/* The unit of a parameter whose value is the name of a table of the model; expressions call it like a function. */
#define TN_UNIT_TABLE "table"

typedef struct tn_force_type {
    const char *name;
    const char *doc;           /* one sentence */
    bool internal;             /* the engine adds it; not for model files */
    tn_force_place place;
    bool input;                /* programs set its first state; its second state is the rate of the first */
    bool named;                /* its name stands for its first parameter, a text; it is read where the name is used */
    tn_parameter_decl parameters[TN_FORCE_PARAMETERS];
    tn_requirement requirements[TN_FORCE_REQUIREMENTS];
    const char *along[TN_FORCE_EFFORTS];   /* m or rad; TN_PLACE_JOINT: empty, the joint's coordinate is used */
    const char *effort[TN_FORCE_EFFORTS];  /* N or N m */
    const char *force, *torque;
    bool world_axes;           /* its parameters value.x, value.y, value.z are along the axes of the world */
    const char *potential;     /* J, for constant parameters; NULL: the force is not conservative */
    const char *loss;          /* W taken out of the motion by a force that has a potential; NULL: none */
    tn_state_decl states[TN_FORCE_STATES];
    tn_channel_decl channels[TN_FORCE_CHANNELS];
    const struct tn_device *device;        /* ports and all that a device has beyond a force (device.h); NULL: a force */
} tn_force_type;

/* All built-in types, ending in NULL. */
extern TN_API const tn_force_type *const tn_force_types[];

#ifdef __cplusplus
}
#endif
#endif
