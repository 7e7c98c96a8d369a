/* The interface for authors of components. A component has inertia and is built into a model through its ports; the
 * model does not see its inside. A nested model, a compiled library and an external program all use this interface.
 *
 * A port is a frame of the component where joints and forces of the model attach. Vectors at a port are in world axes:
 * 6 columns in space (x, y, z; rotation about x, y, z), 3 columns in the plane (x, y; rotation about z). They refer to
 * the centre of the port, a point fixed to the port: the port's origin, unless port_center returns another point (for
 * example the centre of mass of the port's body). Forces on the port act at this point. A vector over all ports holds
 * the columns of the ports one after the other, in the order of the declaration.
 *
 * The component holds a point (t, y): time and state. At a point its ports respond linearly to forces tau on them:
 *     answer = D tau + r                D symmetric, positive semidefinite; the same for all three questions
 * The meaning of D and r depends on the question, see tn_question. The author chooses how much a component discloses:
 *     1  respond      the answer for a given tau: enough for iterations on joint forces
 *     2  condense     D and r themselves: the model is solved exactly in one pass
 *     3  open         bodies and constraint rows: the model's solver may eliminate them
 * A component of one level also has the functions of the lower levels.
 *
 * In one step, the model calls a component in this order: place, at the point of the stage; condense and free_answer
 * (or respond, several times, or open); take, with the tau that the model found (take_open, with the motion), which
 * returns the rates of y. At the end of the step the model does the same for positions and for velocities; then take
 * returns the corrected y.
 *
 * Functions return 0 or a negative code of tenon/context.h. TN_ERROR_STEP: the point cannot be reached (the model tries
 * a shorter step); any other error ends the run. The component reports the reason to the host before it returns an
 * error. Only create and restore allocate memory. No function prints, waits for input or keeps a pointer argument; only
 * the host pointer may be kept. One thread at a time uses a component, but several components may run at the same time:
 * a component must not use global variables. */
#ifndef TENON_SYS_COMPONENT_H
#define TENON_SYS_COMPONENT_H

#include "../context.h"
#include "../library.h"
#include "../model.h"
#include "joint.h"
#include "parameter.h"
#include "saddle.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases when a field changes its meaning. New fields are only added at the end; size tells which fields exist. */
enum { TN_COMPONENT_VERSION = 2 };

typedef enum tn_question {
    TN_ASK_ACCELERATIONS,          /* of the ports' centres and frames, m/s^2 and rad/s^2; tau in N and N m */
    TN_ASK_POSITIONS,              /* shift and rotation that close joints inside (at tau = 0); tau: N s^2, N m s^2 */
    TN_ASK_VELOCITIES              /* change of velocities that closes their rates in the same way; tau: N s, N m s */
} tn_question;

/* Motion of a port, world axes. */
typedef struct tn_port_motion {
    double p[3], axes[3][3];       /* centre; axes[0] = x, ... */
    double v[3], w[3];             /* velocity of the centre, angular velocity */
} tn_port_motion;

typedef struct tn_port_decl {
    const char *name, *doc;
} tn_port_decl;

/* The services that the model offers a component. The host outlives the component. */
typedef struct tn_component_host {
    uint32_t size;                 /* of this struct: fields are only added */
    void *user;
    /* Like realloc; size 0 frees. Returns NULL when out of memory. */
    void *(*reallocate)(void *user, void *pointer, size_t size);
    /* Reports a message for the user: it says what is wrong and names the parts. */
    void (*report)(void *user, tn_severity severity, const char *message);
} tn_component_host;

/* The place of the component in the model, and the gravity there. */
struct tn_component_setting {
    uint32_t size;                 /* of this struct: fields are only added */
    double p[3], axes[3][3];       /* the component's frame in the world: origin; axes[0] = x, ... */
    double gravity[3];             /* m/s^2, world axes */
};

/* Level 3: the part of its equations that a component has to fill in. */
typedef enum tn_open_extent {
    TN_OPEN_SIDES,                 /* right sides f and u only; the solver keeps its last factorization, at any point */
    TN_OPEN_SIDES_THEN_PINS,       /* the same; a call with TN_OPEN_PINS at this point will probably follow */
    TN_OPEN_SIDES_THEN_ROWS,       /* the same; a call with TN_OPEN_ROWS at this point will probably follow */
    TN_OPEN_PINS,                  /* also M and G; G may omit the rows of pins, but structure->pins is current */
    TN_OPEN_ROWS                   /* also M and all of G; structure->pins is current, too */
} tn_open_extent;

/* Level 3: the component's own saddle problem (saddle.h) at its point. For positions and velocities f is zero and u
 * closes the joints inside. structure (except its pins) and port_body stay the same for the life of the component. M
 * and G stay valid while the component is at the point, f and u until the next question. Blocks fill M and G without
 * gaps, in any order. The columns of a body are those of a port, or translations only. */
typedef struct tn_open_component {
    const tn_structure *structure;
    const double *M, *G, *f, *u;
    const int *port_body;          /* of each port; -1: ground. The body's columns refer to the centre of the port */
    bool works;                    /* joints inside do work, like drives: take_open needs lambda. Does not change */
    /* Rows that the component eliminated itself, each together with one column. The structure does not contain them,
     * and they are independent of all other rows. Their number, which does not change, and their largest residual (for
     * positions and velocities). */
    int hidden_rows;
    double hidden_gap;
} tn_open_component;

/* A joint inside that has limits or a ratchet. The model around the component has the same coordinates, as a joint without
 * equations between ports, and stops the motion there: impacts, rest and restitution are the model's. */
enum { TN_STOP_NAME = 40, TN_STOP_TEXT = 240, TN_STOP_COORDINATES = 4 };
typedef struct tn_stop_coordinate {
    char name[TN_STOP_NAME], unit[8], expression[TN_STOP_TEXT];        /* see sys/joint.h */
    bool limited;
    double low, high, restitution; /* see tn_limit */
    double value;                  /* m or rad: at the start */
} tn_stop_coordinate;
typedef struct tn_component_stop {
    int port1, port2;              /* ports on the bodies of the joint; -1: ground */
    tn_pose frame1, frame2;        /* frames of the joint, in the frames of these ports; ground: in the world */
    int coordinate_count, parameter_count;
    tn_stop_coordinate coordinates[TN_STOP_COORDINATES];
    struct {
        char name[TN_STOP_NAME];
        double value;
    } parameters[TN_JOINT_PARAMETERS];     /* names in expressions beside those of sys/joint.h */
    int ratchet, way;              /* coordinate of the ratchet and its free direction (tn_ratchet); way 0: no ratchet */
    double pitch, rebound;         /* of the ratchet; rebound: its restitution */
} tn_component_stop;

/* Sizes in which forces inside and reactions agree: largest change of a force by the last react, largest force, and
 * largest force of one constraint row on a body (N or N m). */
typedef struct tn_component_reaction {
    double change, force, row;
} tn_component_reaction;

/* The instants of a step at which an integrator evaluates. */
typedef enum tn_step_view {
    TN_VIEW_STAGES,                /* the ends and several instants between them */
    TN_VIEW_MIDDLE,                /* the same, but with fixed steps: the ends and the middle */
    TN_VIEW_ENDS                   /* the ends only */
} tn_step_view;

/* A change with time that a step does not show: it happens after `from`, and at the instant `at` a value differs from those that
 * the step shows. By how much is not disclosed. */
typedef struct tn_component_missed {
    double from, at;               /* s */
} tn_component_missed;

/* Two neighbouring numbers between which something that depends on time alone jumps or has a kink, as if(t < 1 s, ...) does. */
typedef struct tn_component_jump {
    double before, behind;         /* s: the last instant of the side before, the first one of the side behind */
} tn_component_jump;

/* A joint coordinate inside whose start, or rate at the start, is given exactly. */
enum { TN_GIVEN_NAME = 120 };
typedef struct tn_component_given {
    char name[TN_GIVEN_NAME], unit[8];     /* for messages */
    double value, rate;            /* as given; NaN: not given */
    double value_now, rate_now;    /* at the point */
} tn_component_given;

/* A question that a component is going to be asked. */
typedef enum tn_component_call { TN_CALL_TAKE, TN_CALL_FREE_ANSWER, TN_CALL_CONDENSE, TN_CALL_CONDENSE_ROOT } tn_component_call;

typedef struct tn_component_request {
    tn_component_call call;
    tn_question question;          /* of take and free_answer */
    const double *tau;             /* of take; NULL: no forces */
    tn_rank_rule rule;             /* of condense and condense_root */
} tn_component_request;

/* The functions of one type of component. A comment says so where a function may be NULL. */
struct tn_component_type {
    uint32_t version, size;        /* TN_COMPONENT_VERSION and sizeof(tn_component_type) of the author's header */
    const char *name, *doc;
    int dimension;                 /* of the models that may contain the component: 2 or 3 */
    tn_disclosure disclosure;
    const tn_port_decl *ports;
    int port_count;
    /* For each port, true: the port is a frame, and joints align their axes with its axes; false: the port is a body,
     * and joints take their axes as built. NULL: false for all ports. */
    const bool *port_is_frame;
    const tn_parameter_decl *parameters;
    int parameter_count;

    /* ---- life ---- */
    /* Creates a component at its start. parameters: values in the order of the declaration. NULL: a component can only
     * be created by code that knows the type. */
    int (*create)(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters);
    void (*destroy)(void *self);   /* self may be NULL */

    /* ---- the point ---- */
    int (*state_count)(const void *self);                      /* length of y; does not change */
    /* Returns the current point. t may be NULL. */
    void (*point)(const void *self, double *t, double *y);
    /* Moves the component to a point; later answers refer to this point. y may violate the joints inside slightly. */
    int (*place)(void *self, double t, const double *y);
    /* Motion of a port at the point. */
    void (*port_motion)(const void *self, int port, tn_port_motion *out);
    /* m: the vector from the port's origin to its centre, in the port's axes; does not change. NULL: zero. */
    void (*port_center)(const void *self, int port, double center[3]);

    /* ---- level 1 ---- */
    /* answer = D tau + r, in port columns. tau NULL: no forces on the ports. */
    int (*respond)(void *self, tn_question question, const double *tau, double *answer);
    /* Accepts tau as the forces that act on the ports. Accelerations: out becomes the rate of y. Positions, velocities:
     * out becomes y, corrected by the answer to tau; the component stays at its point until place is called. */
    int (*take)(void *self, tn_question question, const double *tau, double *out);

    /* ---- level 2; NULL at lower levels ---- */
    /* Computes D at the point. rule: TN_RANK_DECIDE at the start of a step, TN_RANK_KEEP for its other stages, which
     * reuse the decision about dependent equations inside (see saddle.h). D may be NULL. */
    int (*condense)(void *self, tn_rank_rule rule, double *D);
    /* Like condense, but returns T with D = T'T: row by row, each over all columns, with at most as many rows as
     * columns. NULL: the model calls condense. */
    int (*condense_root)(void *self, tn_rank_rule rule, int *rows, double *T);
    /* Computes r at the point; condense was called at this point before. */
    int (*free_answer)(void *self, tn_question question, double *r);

    /* ---- level 3; NULL at lower levels ---- */
    int (*open)(void *self, tn_question question, tn_open_extent extent, tn_open_component *out);
    /* Sets the memory that M and G are written to from now on, and copies their current values there; the solver then
     * need not copy them. Both NULL: the component's own memory again. Function NULL: only its own memory is used. */
    void (*write_to)(void *self, double *M, double *G);
    /* Like take, after open for the question. a: the solution of the model's solver for the columns of the bodies
     * (accelerations, shifts or changes of velocity). lambda: the solution for the rows, NULL unless works is true.
     * power: W that forces on the ports do at the point, v (M a - G'lambda - f), for accelerations. */
    int (*take_open)(void *self, tn_question question, const double *a, const double *lambda, double *out,
                     double *power);

    /* ---- snapshots ---- */
    /* Saves the complete state that later motion depends on, to the bit. The bytes are only valid for the same version
     * on the same kind of machine. Returns their number; writes them if room is enough. bytes NULL: room is 0. */
    size_t (*save)(const void *self, void *bytes, size_t room);
    /* Restores a saved state. TN_ERROR_ARGUMENT, without any change: the bytes are not from such a component. */
    int (*restore)(void *self, const void *bytes, size_t size);

    /* ---- steps of the component's own; NULL: the model integrates y ---- */
    /* Integrates from the current point to t_end, with step lengths chosen by the component, under forces that vary
     * linearly from tau_begin to tau_end. The new point satisfies the joints inside. After TN_ERROR_STEP the point is
     * unchanged. The model may restore a snapshot and repeat the call with better forces. */
    int (*advance)(void *self, double t_end, const double *tau_begin, const double *tau_end);

    /* Rank and weakest pivot of the last solution inside. NULL: not available. */
    void (*info)(const void *self, tn_saddle_info *out);

    /* ---- fields added later: size tells whether a type has them (TN_COMPONENT_HAS). NULL: there is no such thing ---- */
    int (*stop_count)(const void *self);                       /* joints with limits inside; does not change */
    void (*stop)(const void *self, int index, tn_component_stop *out);
    /* Some force inside depends on reactions of joints, like friction; does not change. */
    bool (*reacts)(const void *self);
    /* After take or take_open of accelerations: evaluates such forces again, with the reactions of that solution. So r (or
     * f) changes at the same point. The model repeats solution and react until both agree. */
    int (*react)(void *self, tn_component_reaction *out);
    /* For components that wait for something: begins to go to a point. The model calls this for all its components before
     * place with the same point for each of them, so that they wait at the same time. Trouble is what place returns. */
    void (*begin_place)(void *self, double t, const double *y);
    /* The same for the questions at a point. The model calls the function of the request with the same values next, unless
     * something else has failed. */
    void (*begin)(void *self, const tn_component_request *request);
    /* Some force or drive inside depends on time, other than through the motion; does not change. */
    bool (*timed)(const void *self);
    /* True: a step from t0 to t1 does not show what such forces and drives do in it; out is the first such change. The model
     * then takes a shorter step, or warns where the steps are fixed. The point of the component plays no part. */
    bool (*missed)(void *self, tn_step_view view, double t0, double t1, tn_component_missed *out);
    /* Start values that are given inside, which the model holds when it assembles the start. Their number does not change. */
    int (*given_count)(const void *self);
    int (*given)(void *self, int index, tn_component_given *out);
    /* Positions or velocities: out becomes y, changed along the coordinate by the least change that joints inside allow, so that the
     * coordinate, or its rate, changes by the amount; unchanged where something inside holds the coordinate. The component stays at
     * its point. */
    int (*push)(void *self, tn_question question, int index, double amount, double *out);
    /* True: something jumps between t0 and t1; out is the first jump. A step of the model ends at `before`, where place gets no later
     * time, and the next one begins at `behind`. The point of the component plays no part. Only asked where timed is true. */
    bool (*jumps)(void *self, double t0, double t1, tn_component_jump *out);
};

/* Types of a program that does not know the later fields end here. */
#define TN_COMPONENT_LEAST_SIZE offsetof(tn_component_type, stop_count)
#define TN_COMPONENT_HAS(type, field) ((type)->size > offsetof(tn_component_type, field) && (type)->field)

/* A shared library exports the function tenon_component, which returns its component type. */
#define TN_COMPONENT_SYMBOL "tenon_component"
typedef const tn_component_type *(*tn_component_entry)(void);

typedef struct tn_component {
    const tn_component_type *type;
    void *self;
} tn_component;

/* Makes a component of level 2 (it discloses D and r of its ports) from a model at its start, as given. The component
 * has the functions of all levels: a copy of its type may declare another level. ports: names of bodies and frames
 * ("knuckle", "knuckle.hub"), except ground. The model must outlive the component and must not change meanwhile.
 * TN_ERROR_ARGUMENT with a diagnostic when a port does not exist. y is (q, v, z), in internal coordinates. */
TN_API int tn_component_from_model(tn_component *out, const tn_model *model, const char *const *ports, int port_count);
TN_API void tn_component_destroy(tn_component *component);

/* Adds a component to a model, as a closed subsystem with this path. Its ports become bodies without mass, "path.port",
 * for joints, forces and outputs. Each session of the model creates its own component. type must outlive the model;
 * the fields closed and solve of def are ignored. Parameters that are not given have their declared defaults. */
TN_API int tn_model_add_component(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                                  const tn_subsystem_def *def, const tn_setting *parameters, size_t parameter_count);

#ifdef __cplusplus
}
#endif
#endif
