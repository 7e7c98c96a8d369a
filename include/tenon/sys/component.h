/* For authors of components: whatever has inertia and is built into a model by its ports, without showing what is
 * inside. A nested model, a compiled library and a program elsewhere look the same from here.
 *
 * A port is a frame of the component where joints and forces of the model attach. Numbers at a port are in world axes:
 * in space 6 columns (x, y, z; turn about x, y, z), in the plane 3 (x, y; turn about z). They are about its centre, a
 * point fixed to the port: its origin, unless port_center tells another one, as the centre of mass of the body that it
 * is on. A force acts there. Vectors over all ports have the columns of the ports one after the other, in the order of
 * the declaration.
 *
 * The component holds a point (t, y). At a point its ports answer linearly to forces tau on them:
 *     answer = D tau + r                D symmetric, positive semidefinite; the same for all three questions
 * What D and r mean depends on the question, see tn_question. How much a component discloses is its choice:
 *     1  respond      answers for given tau: enough for iterations on joint forces
 *     2  condense     D and r themselves: the model is solved exactly in one pass
 *     3  open         bodies and rows: the model's solver may eliminate through it
 * A component of a level has the functions of the lower ones as well.
 *
 * A step of the model, seen from the component: place at the stage's point; condense and free (or respond, some
 * times, or open); take with the tau that the model found (take_open with the motion), which gives the rates of y; at
 * the end of the step the same for positions and velocities, which gives y put right.
 *
 * Functions return 0, or a negative code of tenon/context.h: TN_ERROR_STEP when the point is out of reach (the model
 * tries a shorter step), anything else ends the run. Why, is reported to the host before. No function but create and
 * restore takes memory; none prints, waits for input or keeps pointers it was given, except the host. A component is
 * used by one thread at a time; several components may be used at once, so there are no globals either. */
#ifndef TENON_SYS_COMPONENT_H
#define TENON_SYS_COMPONENT_H

#include "../context.h"
#include "../library.h"
#include "../model.h"
#include "parameter.h"
#include "saddle.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a field changes its meaning. Fields are only added at the end: size says which ones there are. */
enum { TN_COMPONENT_VERSION = 2 };

typedef enum tn_question {
    TN_ASK_ACCELERATIONS,          /* of the ports' centres and frames, m/s^2 and rad/s^2; tau in N and N m */
    TN_ASK_POSITIONS,              /* shift and turn that, with tau zero, close the joints inside; tau: N s^2, N m s^2 */
    TN_ASK_VELOCITIES              /* change of velocities that does the same for their rates; tau: N s, N m s */
} tn_question;

/* Motion of a port, world axes. */
typedef struct tn_port_motion {
    double p[3], axes[3][3];       /* centre; axes[0] = x, ... */
    double v[3], w[3];             /* velocity of the centre, angular velocity */
} tn_port_motion;

typedef struct tn_port_decl {
    const char *name, *doc;
} tn_port_decl;

/* What the model offers a component; lives longer than it. */
typedef struct tn_component_host {
    uint32_t size;                 /* of this struct: fields are only added */
    void *user;
    /* As realloc; size 0 frees. NULL: there is no memory. */
    void *(*reallocate)(void *user, void *pointer, size_t size);
    /* A message for people: what is wrong, with names. */
    void (*report)(void *user, tn_severity severity, const char *message);
} tn_component_host;

/* Where the component stands in the model, and in what field. */
struct tn_component_setting {
    uint32_t size;                 /* of this struct: fields are only added */
    double p[3], axes[3][3];       /* its own frame in the world: origin; axes[0] = x, ... */
    double gravity[3];             /* m/s^2, world axes */
};

/* Level 3: how much of its equations a component is asked for. */
typedef enum tn_open_extent {
    TN_OPEN_SIDES,                 /* f and u, for the solver as it was factored last, at whatever point */
    TN_OPEN_SIDES_THEN_PINS,       /* the same; at this point one of those below will probably follow */
    TN_OPEN_SIDES_THEN_ROWS,
    TN_OPEN_PINS,                  /* M and G, too, but G may leave out the rows of pins: structure->pins is current */
    TN_OPEN_ROWS                   /* M and all of G, too; pins are current as well */
} tn_open_extent;

/* Level 3: the component's own saddle problem (saddle.h) at its point. For positions and velocities f is zero, u what
 * closes the joints inside. structure, but for its pins, and port_body are the same as long as the component lives,
 * numbers as long as it is at the point, f and u until another question. Blocks fill M and G without gaps, in any
 * order; columns of a body: those of a port, or translations only. */
typedef struct tn_open_component {
    const tn_structure *structure;
    const double *M, *G, *f, *u;
    const int *port_body;          /* of each port; -1: ground. Its columns are about the centre of the port */
    bool works;                    /* joints inside do work, as drives: take_open needs lambda. Does not change */
    /* Rows that it has eliminated by itself, each with a column, and that the structure does not have: independent of
     * all others. How many, which does not change; and their largest residual, positions and velocities. */
    int hidden_rows;
    double hidden_gap;
} tn_open_component;

/* The functions of one kind of component. Those that may be NULL say so. */
struct tn_component_type {
    uint32_t version, size;        /* TN_COMPONENT_VERSION and sizeof(tn_component_type) of the author's header */
    const char *name, *doc;
    int dimension;                 /* of the models it fits into: 2 or 3 */
    tn_disclosure disclosure;
    const tn_port_decl *ports;
    int port_count;
    /* Of each port: joints take it as a frame, with their axes along its own, and not as a body, with their axes as
     * built. NULL: none is. */
    const bool *port_is_frame;
    const tn_parameter_decl *parameters;
    int parameter_count;

    /* ---- life ---- */
    /* parameters: values in the order of the declaration. At its start. NULL: only who has the type can make one. */
    int (*create)(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters);
    void (*destroy)(void *self);   /* self may be NULL */

    /* ---- the point ---- */
    int (*state_count)(const void *self);                      /* numbers in y; does not change */
    /* The point it is at. t may be NULL. */
    void (*point)(const void *self, double *t, double *y);
    /* Goes to a point; later answers are at that point. y need not fit the joints inside exactly. */
    int (*place)(void *self, double t, const double *y);
    /* Motion of a port at the point. */
    void (*port_motion)(const void *self, int port, tn_port_motion *out);
    /* m: the centre of a port, from its origin, in its axes; does not change. NULL: at its origin. */
    void (*port_center)(const void *self, int port, double center[3]);

    /* ---- level 1 ---- */
    /* answer = D tau + r, port columns. tau NULL: none. */
    int (*respond)(void *self, tn_question question, const double *tau, double *answer);
    /* tau is what acts. Accelerations: out becomes the rate of y. Positions, velocities: out becomes y put right, by what
     * the answer to tau moves; the point stays until place. */
    int (*take)(void *self, tn_question question, const double *tau, double *out);

    /* ---- level 2; NULL below ---- */
    /* D at the point. rule: TN_RANK_DECIDE at the start of a step, TN_RANK_KEEP for its stages: which of the equations
     * inside depend on each other is not decided anew there (see saddle.h). D may be NULL. */
    int (*condense)(void *self, tn_rank_rule rule, double *D);
    /* As condense, but T with D = T'T: rows over all columns, one after the other, no more of them than columns.
     * NULL: D is asked for. */
    int (*condense_root)(void *self, tn_rank_rule rule, int *rows, double *T);
    /* r at the point, after condense there. */
    int (*free_answer)(void *self, tn_question question, double *r);

    /* ---- level 3; NULL below ---- */
    int (*open)(void *self, tn_question question, tn_open_extent extent, tn_open_component *out);
    /* Where M and G are written from now on, beginning with what they are: a solver that has them there need not copy
     * them. Both NULL: to the component's own memory again. NULL: it writes nowhere else. */
    void (*write_to)(void *self, double *M, double *G);
    /* As take, after open for the question: a is what the model's solver found for the columns of the bodies, which
     * are accelerations, shifts or changes of velocities; lambda for the rows, NULL unless the component works.
     * power: W that forces on the ports do at the point, v (M a - G'lambda - f), for accelerations. */
    int (*take_open)(void *self, tn_question question, const double *a, const double *lambda, double *out,
                     double *power);

    /* ---- snapshots ---- */
    /* All that a later motion depends on, to the bit, as bytes that mean something to the same version on the same kind
     * of machine only. Returns their number; writes them when there is room. bytes NULL: room is 0. */
    size_t (*save)(const void *self, void *bytes, size_t room);
    /* TN_ERROR_ARGUMENT, and nothing changes, when these are not bytes of such a component. */
    int (*restore)(void *self, const void *bytes, size_t size);

    /* ---- a step of its own; NULL: the model integrates y ---- */
    /* From its point to t_end, in steps as it likes, under forces that go linearly from tau_begin to tau_end. The new
     * point fits the joints inside. After TN_ERROR_STEP the point is where it was. Asked several times from the same
     * snapshot, with restore in between, for better forces. */
    int (*advance)(void *self, double t_end, const double *tau_begin, const double *tau_end);

    /* What the last solution inside was like: rank, weakest pivot. NULL: it does not tell. */
    void (*info)(const void *self, tn_saddle_info *out);
};

/* What a shared library exports: tenon_component, a function that gives its type. */
#define TN_COMPONENT_SYMBOL "tenon_component"
typedef const tn_component_type *(*tn_component_entry)(void);

typedef struct tn_component {
    const tn_component_type *type;
    void *self;
} tn_component;

/* A model as a component of level 2 at its start, as given: what it discloses are D and r of its ports. It has the
 * functions of all levels: a copy of its type may say another one. ports: names of bodies and frames ("knuckle",
 * "knuckle.hub"), not of ground. The model outlives it and does not change meanwhile.
 * TN_ERROR_ARGUMENT with a diagnostic when there is no such port. Its y is (q, v, z), internal coordinates. */
TN_API int tn_component_from_model(tn_component *out, const tn_model *model, const char *const *ports, int port_count);
TN_API void tn_component_destroy(tn_component *component);

/* Puts a component into a model: a closed subsystem of that path whose ports are bodies without mass, "path.port", for
 * joints, forces and outputs. Made with each session of the model. type outlives the model; closed and solve of def
 * do not count. Parameters that are not given are as declared. */
TN_API int tn_model_add_component(tn_id *out, tn_model *model, const char *path, const tn_component_type *type,
                                  const tn_subsystem_def *def, const tn_setting *parameters, size_t parameter_count);

#ifdef __cplusplus
}
#endif
#endif
