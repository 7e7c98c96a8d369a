/* The table of channels: each row has a quantity, its owner, the level at which it is known, and its function. Private
 * to this layer. */
#ifndef TN_CHANNEL_TABLE_H
#define TN_CHANNEL_TABLE_H

#include "system.h"
#include "tenon/session.h"

typedef struct tn_probe tn_probe;

/* The owner of a channel. The name of a channel is OWNER.ROW. */
typedef enum tn_channel_owner {
    TN_OF_MODEL,                   /* no owner in the name */
    TN_OF_FRAME,                   /* body or frame */
    TN_OF_COORDINATE,              /* of a joint: NAME.COORDINATE */
    TN_OF_LIMIT,                   /* NAME.COORDINATE with limits */
    TN_OF_RATCHET,                 /* NAME.COORDINATE with a ratchet */
    TN_OF_JOINT,                   /* joint between bodies */
    TN_OF_POINT,                   /* joint between bodies, about a point: NAME.reaction_about.FRAME */
    TN_OF_COUPLING,                /* coupling of joints */
    TN_OF_DRIVE,
    TN_OF_ANY_JOINT,               /* joint, coupling or drive */
    TN_OF_FORCE,
    TN_OF_ENDS,                    /* force between frames, or along a joint: it has two ends */
    TN_OF_CONTACT,
    TN_OF_EVENT,
    TN_OF_PULL                     /* the pull of the session */
} tn_channel_owner;

/* The quantities that a channel needs evaluated, and whether the channel is defined in kinematics, which knows the motion only. */
typedef enum tn_channel_level {
    TN_LEVEL_MOTION,               /* the motion; also in kinematics */
    TN_LEVEL_SOLVED,               /* accelerations or equations of joints; also in kinematics */
    TN_LEVEL_DYNAMICS,             /* the motion, masses and forces; not in kinematics */
    TN_LEVEL_REACTIONS             /* reactions of joints; not in kinematics */
} tn_channel_level;

/* The components of a channel and the suffixes of their names. */
typedef enum tn_channel_shape {
    TN_SHAPED_NUMBER,
    TN_SHAPED_VECTOR,              /* .x .y, and .z in space */
    TN_SHAPED_VECTOR3,             /* .x .y .z always */
    TN_SHAPED_TURN,                /* a number in the plane, a vector in space */
    TN_SHAPED_QUATERNION,          /* .w .x .y .z */
    TN_SHAPED_ANGLES,              /* _1 _2 _3 */
    TN_SHAPED_XYZ,                 /* _x _y _z */
    TN_SHAPED_MATRIX               /* symmetric: _xx _yy _zz _xy _xz _yz */
} tn_channel_shape;

/* The condition under which an owner has the channel. */
typedef enum tn_channel_case {
    TN_CASE_ALWAYS,
    TN_CASE_TURNING,               /* the body is not a particle */
    TN_CASE_PLANE,                 /* not a particle, planar model */
    TN_CASE_SPACE,                 /* not a particle, spatial model */
    TN_CASE_LENGTH,                /* the coordinate is a length */
    TN_CASE_ANGLE,                 /* the coordinate is an angle */
    TN_CASE_NETWORK                /* devices have an energy account */
} tn_channel_case;

typedef struct tn_channel_row {
    tn_channel_owner owner;
    const char *name;              /* "": the channel has the owner's name */
    const char *unit, *angle_unit; /* angle_unit: unit where the coordinate is an angle; NULL: always unit */
    tn_channel_shape shape;
    tn_channel_level level;
    double (*value)(tn_session *session, const tn_probe *probe);   /* at the state in stepper->eval */
    const char *doc;
    tn_channel_case when;
} tn_channel_row;

/* All rows, in the order in which lists show them; the last row has no function. */
extern const tn_channel_row tn_channel_table[];

/* A channel bound to a session: a row of tn_channel_table with its owner, or an expression. */
struct tn_probe {
    char *name;                    /* in an arena */
    const char *unit;
    const tn_channel_row *row;     /* NULL: an expression, or a channel that the model no longer has */
    int index;                     /* constraint, force, event or slot of a contact */
    int component;                 /* of the row's components */
    int coordinate;                /* of a joint */
    struct tn_channel_formula *formula;    /* NULL: not an expression */
    bool of_force;                 /* the expression is an output of a force */
    uint32_t body;                 /* slot of the body that has the frame */
    tn_pose pose;                  /* of the frame on its body */
};

/* The suffix of a component's name, and the number of components, of a shape in a model of the dimension. */
const char *tn_channel_part(tn_channel_shape shape, int dimension, int component);
int tn_channel_parts(tn_channel_shape shape, int dimension);

#endif
