/* Channels as one table: what can be measured, of whom, when it is known, and how. Private to this layer. */
#ifndef TN_CHANNEL_TABLE_H
#define TN_CHANNEL_TABLE_H

#include "system.h"
#include "tenon/session.h"

typedef struct tn_probe tn_probe;

/* Whose channel it is. The name of a channel is the owner's, a point, and the name of the row. */
typedef enum tn_channel_owner {
    TN_OF_MODEL,                   /* no owner in the name */
    TN_OF_FRAME,                   /* body or frame */
    TN_OF_COORDINATE,              /* of a joint: NAME.COORDINATE */
    TN_OF_LIMIT,                   /* NAME.COORDINATE that has stops */
    TN_OF_RATCHET,                 /* NAME.COORDINATE that has a ratchet */
    TN_OF_JOINT,                   /* between bodies */
    TN_OF_COUPLING,                /* of joints */
    TN_OF_DRIVE,
    TN_OF_ANY_JOINT,               /* and coupling and drive */
    TN_OF_FORCE,
    TN_OF_CONTACT,
    TN_OF_EVENT,
    TN_OF_PULL                     /* of the session */
} tn_channel_owner;

/* What has to be evaluated, and whether it has a meaning where only the motion is known (kinematics). */
typedef enum tn_channel_level {
    TN_LEVEL_MOTION,               /* the motion; always known */
    TN_LEVEL_SOLVED,               /* accelerations or equations of joints; always known */
    TN_LEVEL_DYNAMICS,             /* the motion; needs masses and forces */
    TN_LEVEL_REACTIONS             /* what joints do; needs masses and forces */
} tn_channel_level;

/* How many numbers it is, and how they are called. */
typedef enum tn_channel_shape {
    TN_SHAPED_NUMBER,
    TN_SHAPED_VECTOR,              /* .x .y, and .z in space */
    TN_SHAPED_VECTOR3,             /* .x .y .z always */
    TN_SHAPED_TURN,                /* a number in the plane, a vector in space */
    TN_SHAPED_QUATERNION,          /* .w .x .y .z */
    TN_SHAPED_XYZ,                 /* _x _y _z */
    TN_SHAPED_MATRIX               /* symmetric: _xx _yy _zz _xy _xz _yz */
} tn_channel_shape;

/* Where it is not always there. */
typedef enum tn_channel_case {
    TN_CASE_ALWAYS,
    TN_CASE_TURNING,               /* not of particles */
    TN_CASE_PLANE,                 /* turning, in the plane */
    TN_CASE_SPACE,                 /* turning, in space */
    TN_CASE_LENGTH,                /* the coordinate is a length, or an angle */
    TN_CASE_ANGLE
} tn_channel_case;

typedef struct tn_channel_row {
    tn_channel_owner owner;
    const char *name;              /* "" : the owner's name is all */
    const char *unit, *angle_unit; /* of a length, and of an angle; angle_unit NULL: there is no such choice */
    tn_channel_shape shape;
    tn_channel_level level;
    double (*value)(tn_session *session, const tn_probe *probe);   /* at the state in stepper->eval */
    const char *doc;
    tn_channel_case when;
} tn_channel_row;

/* All of them, in the order of lists; ends with a row without a function. */
extern const tn_channel_row tn_channel_table[];

/* A row of tn_channel_table for a channel; the others are made of expressions. */
struct tn_probe {
    char *name;                    /* owned by the session's arena */
    const char *unit;
    const tn_channel_row *row;     /* NULL: an expression, or gone */
    int index;                     /* constraint, force, event or slot of a contact */
    int component;                 /* of the row's numbers */
    int coordinate;                /* of a joint */
    struct tn_channel_formula *formula;    /* NULL: none */
    bool of_force;                 /* an expression that a force has */
    tn_sys_frame frame;
    tn_pose frame_in_body;         /* frame in internal coordinates, for orientations */
};

/* Names of a shape's numbers, as they follow the name of a row; count: how many in a model of that dimension. */
const char *tn_channel_part(tn_channel_shape shape, int dimension, int component);
int tn_channel_parts(tn_channel_shape shape, int dimension);

#endif
