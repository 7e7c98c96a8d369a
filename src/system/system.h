/* The system: a model compiled for computing. Its arrays are numbered and flat, and constant until the model changes.
 *
 * Internal coordinates. Spatial body: centre of mass r and quaternion e of the principal axes, velocities r' and omega,
 * both in world axes: 7 positions, 6 velocities. (World axes make the rows of joints and the shift between bodies
 * cheap, and keep the rates of fast spinning bodies smooth; the price is an inertia tensor that turns with the body.)
 * Planar body: x, y, theta of the centre of mass: 3 and 3. Particle: its coordinates. Functions take the system, the
 * point (t, y = (q, v)) and write into a workspace (tn_eval). */
#ifndef TN_SYSTEM_H
#define TN_SYSTEM_H

#include "closings.h"
#include "entities.h"
#include "formula.h"
#include "program.h"
#include "contact_field.h"
#include "pull_load.h"
#include "selection.h"
#include "tenon/sys/component.h"
#include "tenon/sys/saddle.h"

/* Motion of a frame, in world axes: the same numbers as of a port. */
typedef tn_port_motion tn_frame_motion;

/* Force and torque on a body, world axes. */
typedef struct tn_wrench {
    double force[3], torque[3];
} tn_wrench;

typedef struct tn_sys_component tn_sys_component;
typedef struct tn_coupling tn_coupling;

typedef enum tn_motion_kind { TN_MOTION_SPATIAL, TN_MOTION_PLANAR, TN_MOTION_PARTICLE } tn_motion_kind;

typedef struct tn_sys_body {
    uint32_t source;               /* slot in the model */
    tn_motion_kind motion;
    int q, v;                      /* where its positions and velocities start */
    bool port;                     /* of a component (ports.h): without mass */
    double mass, moments[3];       /* planar: moments[2] */
    tn_pose offset;                /* internal frame in the user's frame */
} tn_sys_body;

/* A frame fixed on a body, in internal coordinates; body -1 is ground (then p and axes are world). */
typedef struct tn_sys_frame {
    int body;
    double p[3], axes[3][3];
} tn_sys_frame;

/* Where a frame was given: on a body of the model; ends of mirrored entities have (x, -y, z) of the pose as axes. */
typedef struct tn_frame_source {
    uint32_t body;                 /* slot in the model */
    tn_pose pose;
    bool mirrored;
} tn_frame_source;

/* The equations of one joint. Frame slots: two for each joint that it reads, in order. */
typedef struct tn_constraint {
    uint32_t source;               /* joint slot in the model */
    const tn_program *program;
    int row, rows;
    int slot_count;
    bool works;                    /* it may add energy: a drive, or time in its equations */
    bool attached;                 /* source is an index of the layout's joints instead */
    int separation;                /* number of its teeth that push apart (separation.c); -1: none */
    bool by_kernel;                /* evaluated by the pin kernel: a pin, or a joint like it with stored rows */
    int *frames;                   /* frame of each slot; -1 - k: state k instead */
    int *blocks;                   /* block of each slot's body within the constraint, -1: ground */
    int *memory;                   /* entries of the coordinate memory */
    double *parameters;
} tn_constraint;

/* The coordinates of one joint; value k remembers its last accepted value at memory + k. */
typedef struct tn_coordinates {
    int memory, count;
} tn_coordinates;

/* A force. The integers along ... loss are output numbers of its formula, -1: none. */
typedef struct tn_sys_force {
    uint32_t source;
    const tn_force_type *type;
    tn_formula *formula;
    int frame1, frame2;            /* place FRAMES */
    int effort_count;
    int along, effort;             /* first outputs of effort_count each */
    int force, torque;
    int potential, loss;           /* also -1 when a parameter changes: then all power counts as work */
    int state, state_count;        /* in z */
    int state_start, state_rate;   /* first outputs of state_count each */
    bool reacts;                   /* it depends on the reaction of a joint */
    bool *settable;                /* of each parameter, by declaration: a number that can be set without a recompile */
    unsigned watched;              /* bits: requirements that depend on what changes in a run (requirement_watch.h) */
} tn_sys_force;

/* A state: one of the numbers z that have a rate of their own. */
enum { TN_STATE_OF_DRIVE = -1, TN_STATE_OF_COMPONENT = -2,
       TN_STATE_OF_EXTERNAL = -3 };            /* the first state of an FMU; the next ones are below */
typedef struct tn_sys_state {
    uint32_t source;               /* slot in the model of the force, drive joint or component */
    int decl;                      /* index in the force type's states; or a constant above */
    double start;
    bool free;                     /* of a drive: the model does not give its speed, start is 0 */
    tn_formula *formula;           /* of a drive: its motion, which is the rate */
} tn_sys_state;

/* Friction of an attached joint whose tangential equations are not in force. */
enum { TN_SLIDE_TANGENTS = 2 };
/* m/s, in space: a slower slip keeps its previous direction. */
static const double TN_SLIDE_CREEP = 1e-4;
/* Friction of a touch. Sliding has the coefficient sliding + (sticking - sliding) exp(-(v / stribeck)^2) + viscous v, at
 * once sliding where stribeck is 0. A touch that also turns about its normal, on a patch of radius `drilling`, rubs less
 * (slides.c). */
typedef struct tn_slide_law {
    double sticking, sliding;      /* coefficients */
    double stribeck;               /* m/s */
    double viscous;                /* s/m */
    double rolling, drilling;      /* m */
    double adhesion;               /* N: friction is proportional to the normal force plus this */
    bool carries;                  /* a surface moves like a conveyor belt: the touch may do work */
} tn_slide_law;
typedef struct tn_slide {
    int constraint;
    tn_slide_law law;
    double along[TN_SLIDE_TANGENTS];   /* unit vector: direction of the slip */
    bool under_way;                /* for event detection: the slip was clearly along at the start of the step */
} tn_slide;

/* Joints attached in addition to those of the model, and all data that they change. Their constraints come last; they
 * have no coordinates, so that state, memory, forces and formulas do not change. */
typedef struct tn_layout {
    tn_arena *arena;               /* NULL: no joint was ever attached */
    tn_joint *joints;
    int joint_count;
    int *holders;                  /* of the first joints: device of the discrete part that holds its port by it */
    int hold_count;
    tn_slide *slides;              /* directions may be changed */
    int slide_count;
    tn_program_list programs;
    tn_constraint *constraints;    /* from here on: saved data of the system while another layout is in force */
    tn_coordinates *coordinates;
    int constraint_count, rows;
    unsigned char *pin_kind;
    bool *velocity_row, has_velocity_rows;
    tn_structure structure;
    size_t jacobian_size, tape_jacobian_size, mass_size;
} tn_layout;

struct tn_system {
    const tn_model *model;
    const tn_selection *selection; /* selected part of the model; NULL: all */
    tn_context *context;
    tn_arena *arena;
    int dimension;
    double gravity[3];
    tn_formula *gravity_formula;   /* NULL: constant */
    int positions, velocities, states;     /* lengths of q, v and z */
    int size;                      /* of y = (q, v, z) */
    int rows;
    int memory;                    /* remembered coordinates, and snapshots of components */
    int body_count, frame_count, constraint_count, force_count;
    tn_sys_body *bodies;
    tn_sys_frame *frames;
    tn_frame_source *frame_sources;
    tn_constraint *constraints;
    tn_coordinates *coordinates;   /* one per constraint, same order */
    tn_sys_force *forces;
    int *force_of;                 /* model slot -> force, -1: none */
    bool *faulty;                  /* while compiling: marks forces with errors; NULL: no marks */
    tn_sys_state *state;
    int component_states;                /* number of states of components, which come first */
    int drive_states;              /* number of states of drives, which come after those of forces */
    int input_states;              /* number of states of inputs, which come last: value and three derivatives of each */
    struct tn_network *network;    /* device_network.h; NULL: there are no devices */
    struct tn_shared_tapes *shared;        /* shared_tapes.h; NULL: none yet */
    struct tn_requirement_watch *watches;      /* requirement_watch.h */
    int watch_count;
    tn_sys_component *components;  /* ports.h */
    int component_count, closed_components;    /* closed: components that are not open */
    unsigned withheld;             /* allowances that components withhold, one bit each (allowances.h) */
    struct tn_made_instances *made;    /* instances of components made by compiling: the first caller takes them */
    tn_contact_field *field;       /* forces between shapes that give way; owned. NULL: there are none */
    int world_frame;               /* the world's own axes, among the frames */
    bool reacts;                   /* some force depends on reactions, or teeth push apart */
    bool components_react;         /* the same inside some component */
    int separation_count;          /* constraints whose teeth push apart */
    bool works;                    /* joints do work: equations with time in them, drives */
    int *body_of;                  /* model slot -> body, -1: ground, or not in the system */
    int *constraint_of;            /* model joint slot -> constraint, -1: none */
    unsigned char *pin_kind;       /* tn_pin_kind of every constraint */
    bool *velocity_row;            /* row is at velocity level */
    tn_structure structure;
    size_t jacobian_size, mass_size;   /* doubles in G and M */
    size_t tape_jacobian_size;     /* without the rows of pins, which come last */
    bool has_velocity_rows;
    tn_program_list programs;
    tn_program_list touch_programs;    /* of types that contacts use: kept while the system lives, because touches come and go */
    tn_formula **formulas;
    size_t formula_count, formula_capacity, frame_capacity, frame_source_capacity;
    int slot_max, memory_max;      /* of the largest formula */
    unsigned affine_changes;       /* counts how often factors of affine formulas were found */
    size_t work_size;              /* doubles of scratch the largest tape needs */
    tn_layout layout;
    int own_constraints;           /* number of constraints of the model itself */
    const tn_closing_list *closings;       /* joints that the run closes; owned by the run; NULL: none */
    int *spare_frames;             /* frames of attached joints, two each */
    size_t spare_count, spare_capacity;
};

/* Number of constraints without limits and contacts: those of the model, and those of devices that hold a port. */
static inline int tn_lasting_constraints(const tn_system *s)
{
    return s->own_constraints + s->layout.hold_count;
}

/* The states of drives: indices from begin to end - 1. */
static inline int tn_drive_states_begin(const tn_system *s)
{
    return s->states - s->input_states - s->drive_states;
}

static inline int tn_drive_states_end(const tn_system *s)
{
    return s->states - s->input_states;
}

int tn_system_create(tn_system **out, const tn_model *model);
/* Compiles a selection of the model; the selection outlives the system. No selected entity may read others. */
int tn_system_create_part(tn_system **out, const tn_model *model, const tn_selection *selection);
/* Compiles the model only to report all its errors. faulty, zeros on entry: marks forces with errors, by slot; the
 * entry after the last force is gravity. */
int tn_system_check(const tn_model *model, bool *faulty);
void tn_system_destroy(tn_system *system);

/* A joint to be attached: the first rows of its equations are in force. Its name is not copied. */
typedef struct tn_attached {
    const tn_joint *joint;
    int rows;
    tn_slide_law law;              /* equations that are not in force slide in direction along */
    double along[TN_SLIDE_TANGENTS];
    int holder;                    /* device of the discrete part, plus 1, that holds its port by it; 0: none. These come first */
} tn_attached;
/* Attaches these joints, and detaches those attached before. Steppers and workspaces belong to the layout they were
 * made with, and are valid again when it is restored; the caller restores or frees *before. After an error nothing has
 * changed. */
int tn_system_attach(tn_system *system, const tn_attached *joints, int count, tn_layout *before);
/* The current layout: all data that attaching changes. */
tn_layout tn_layout_of(const tn_system *system);
void tn_layout_restore(tn_system *system, const tn_layout *layout);
void tn_layout_free(const tn_system *system, tn_layout *layout);
/* Computes the frames of attached joints again. */
void tn_layout_place_frames(tn_system *system);

/* Steps of compiling. Compiles a constraint, without its first row and, where it connects bodies, its frames. */
int tn_compile_constraint(tn_system *system, tn_constraint *constraint, const tn_joint *joint,
                          tn_program_list *programs, tn_arena *arena);
int tn_joint_parameter_count(const tn_joint_type *type);
void tn_take_coupled_parameters(const tn_system *system, tn_constraint *constraint, const tn_joint *joint);
int tn_compile_structure(tn_system *system, tn_arena *arena);

/* values.c: numbers that follow from those of the model. Mass, centre of mass and inertia of a body. */
void tn_sys_body_take_mass(const tn_system *system, tn_sys_body *body);
/* The same for a body whose numbers have changed, with the frames on it; tn_system_rescale has to follow. */
void tn_system_take_body(tn_system *system, uint32_t body_slot);
/* Computes the lengths again that scale rank decisions; solvers have to be told (tn_solver_type.rescale). */
void tn_system_rescale(tn_system *system);
/* Takes the parameters of a joint, also for couplings and formulas that read them. */
void tn_system_take_joint(tn_system *system, uint32_t joint_slot);
/* Whether a parameter of a joint can change without a recompile: it does not decide which equations there are. */
bool tn_system_can_take_joint(const tn_system *system, uint32_t joint_slot, int parameter, double value);
/* Finds the joints that do work: they have time in their equations, or prescribe velocities of bodies at rest. Changes the
 * motion in e. */
void tn_system_find_works(tn_system *system, tn_eval *e, const double *q, const double *memory);
/* A frame given in the frame of a model body. add: the system keeps the frame; returns its number, or an error. */
tn_sys_frame tn_system_frame(const tn_system *system, uint32_t body_slot, const tn_pose *pose);
int tn_system_add_frame(tn_system *system, uint32_t body_slot, const tn_pose *pose);
/* The same for an end of a joint or force. */
int tn_system_add_end(tn_system *system, uint32_t body_slot, const tn_pose *pose, bool mirrored);
/* Checks the conditions of the joint types at the motion in e, which is an assembled one. */
int tn_system_check_conditions(const tn_system *system, tn_eval *e, const double *memory);
/* States are numbered first; forces and gravity come last (compile_forces.c). */
int tn_system_number_states(tn_system *system);
int tn_system_compile_forces(tn_system *system);
/* Adds the groups to the compiled structure (groups.c). */
int tn_system_compile_groups(tn_system *system);
/* Name of a group of the structure; NULL: it no longer exists. */
const char *tn_system_group_name(const tn_system *system, int group);
/* Body of a slot of a constraint; -1: ground, or no frame. */
int tn_slot_body(const tn_system *system, const tn_constraint *constraint, int slot);
/* Computes the start values of the states, from the point in e. */
void tn_system_find_starts(tn_system *system, tn_eval *e, const double *memory);

/* Workspace: all values computed from (t, y). */
struct tn_eval {
    double t;
    double latest;                 /* later instants count as this one: the end of a step in front of a jump; infinite otherwise */
    const double *q, *v, *z;       /* orientation of ports is in R, and in q after tn_eval_positions */
    double *start_z;               /* states at the start */
    double gravity[3];
    double (*R)[3][3];             /* internal axes of every body */
    double (*w)[3];                /* angular velocity, world */
    double *M;                     /* mass blocks, world axes */
    double *g, *gdot;              /* residuals of rows at position level and their rates; velocity rows: gdot only */
    double *bias;                  /* gamma: G a = gamma keeps the second derivative of a row at zero */
    double *G;                     /* rows; lazy: without those of pins */
    tn_pin *pins;                  /* with body numbers of the solver */
    bool lazy;
    double *f;                     /* applied and gyroscopic forces */
    double *dz;                    /* rates of the states */
    void (*push)(tn_eval *e, void *user);  /* adds external forces to f at every point; NULL: none */
    void *push_user;
    const tn_pull_load *pull;      /* the user pulls at a point; borrowed. NULL: no pull */
    double *placed;                /* q, v and z with the ports' motion from the components; NULL: no components */
    double *tau, *free;            /* with components, sized like f: forces on ports; motion of ports without forces */
    tn_coupling *coupling;         /* its components; workspaces of one thread may share them (coupling.h) */
    /* Writes q, v and R of ports from the components at the motion; v may be NULL. NULL: no components. */
    void (*place)(tn_eval *e, const tn_system *s, double *q, double *v);
    long *points;                  /* of each component: the number of its point at this motion */
    int component_code;            /* the error of a component at the motion; TN_OK: none */
    struct tn_network_work *network;       /* unknowns of the network; NULL: none */
    bool reactions_known;          /* lambda is valid, and forces may read it */
    double *a, *lambda;            /* filled by the caller that solves */
    double (*separation)[2][6];    /* of each separation and slot: the row over the velocities of the slot's body */
    tn_leaf *leaves;
    double *work, *gradient;
    double *memory_work;
    const char *failed;            /* name of the entity whose value is not finite */
    tn_span failed_span;
    char trouble[240];             /* message: "force 'load': 'value.x': division by zero" */
};
/* Invariant: offsets ascend, indices are in range. For TN_ASSERT. */
bool tn_structure_is_sound(const tn_structure *structure);
/* lazy: G omits the rows of pins; its user must handle e->pins. For a system with components use
 * tn_coupled_eval_create (coupling.h). */
int tn_eval_create(tn_eval **out, const tn_system *system, tn_arena *arena, bool lazy);
/* Takes the current gravity and masses of the system. The motion has to be evaluated again. */
void tn_eval_take_values(tn_eval *e, const tn_system *s);

/* Axes, angular velocities and inertia of all bodies: call this first. The states z follow v in memory. v may be NULL:
 * all at rest, states at their start. */
void tn_eval_motion(tn_eval *e, const tn_system *s, double t, const double *q, const double *v);
/* x = M^-1 x for the block of one body, at the motion. */
void tn_eval_divide_by_mass(const tn_eval *e, const tn_system *s, int body, double *x);
/* q at the motion, including the orientation of ports. */
const double *tn_eval_positions(const tn_eval *e, const tn_system *s);
/* Angular momentum of a spatial body about its centre of mass. */
void tn_spin(const tn_eval *e, const tn_system *s, int body, double spin[3]);
/* rad/s: upper bound of relative angular velocities of bodies at the motion. */
double tn_fastest_turn(const tn_eval *e, const tn_system *s);
/* Computes f and dz. memory: last accepted coordinates. */
void tn_eval_forces(tn_eval *e, const tn_system *s, const double *memory);
/* Computes dz of drives only. */
void tn_eval_drives(tn_eval *e, const tn_system *s, const double *memory);
/* Adds one force to f; sets the rates of its states in dz. */
void tn_eval_force(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory);
/* A copy of a force with one free parameter, out->formula->parameters[0], which the caller sets. The system owns its
 * formula; workspaces must be made afterwards. */
int tn_force_set_free(tn_sys_force *out, tn_system *s, int force, int parameter);
/* Takes changed numbers of the force from the model, without a recompile; its expressions have not changed.
 * TN_ERROR_MODEL with a diagnostic when the type does not allow the numbers: the old numbers stay in use. */
int tn_force_take_numbers(tn_system *s, int force);
/* Value of a parameter, by its index of declaration, at the point in e. */
double tn_force_parameter_value(tn_eval *e, const tn_system *s, const tn_sys_force *force, int parameter,
                                const double *memory);
/* Writes the motion of a frame to the leaves of an expression; converts a gradient over these leaves and adds it to a
 * row over the velocities of the frame's body. */
void tn_load_frame(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, tn_leaf *leaf);
void tn_add_frame_gradient(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double *gradient,
                           double *row);
/* Adds a force at the frame's origin to f, over all velocities; velocity of the origin when all move with v. */
void tn_add_point_force(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double force[3],
                        double *f);
void tn_point_velocity(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double *v,
                       double out[3]);
/* Computes g (order 0), gdot (1), bias (2); jacobian: also G (or pins). memory: last accepted coordinates. */
void tn_eval_constraints(tn_eval *e, const tn_system *s, const double *memory, int order, bool jacobian);
/* separation.c: teeth push apart by the absolute value of the first multiplier of their constraint. Computes the row of a
 * separation; adds the forces of all to f; force on a slot's body for e->lambda; power (W) of one. */
void tn_eval_separation_row(tn_eval *e, const tn_system *s, int constraint, const double *memory);
void tn_eval_separations(tn_eval *e, const tn_system *s, const double *memory);
void tn_add_separation(const tn_eval *e, const tn_system *s, const tn_constraint *c, int slot, double force[6]);
double tn_separation_power(const tn_eval *e, const tn_system *s, const tn_constraint *c);
/* closing.c: begins to close a joint with its current residual as the offset; later subtracts the offset from its
 * rows. */
void tn_closing_begin(tn_closing *out, const tn_eval *e, const tn_system *s, int constraint);
void tn_eval_closing(tn_eval *e, const tn_system *s, int constraint, int order, bool jacobian);
/* Sets the joints that are being closed: they do work. */
void tn_system_set_closings(tn_system *system, const tn_closing_list *closings);
/* Notes that a constraint has a value that is not finite. */
void tn_eval_joint_failed(tn_eval *e, const tn_system *s, int constraint, const char *why);
/* The pin kernel (pins.c): the same results as the tape, by hand-written code. */
void tn_eval_pin(tn_eval *e, const tn_system *s, int constraint, int order);
void tn_eval_pin_rows(tn_eval *e, const tn_system *s, int constraint);
/* Largest force (N or N m) of a single row on a body, by lambda in e. */
double tn_eval_largest_reaction(const tn_eval *e, const tn_system *s);
/* A block of a constraint's rows: in G, or computed from the pin in rows. */
const double *tn_eval_block(const tn_eval *e, const tn_system *s, int constraint, int block, double rows[30]);
/* product = G x */
void tn_eval_rows_times(const tn_eval *e, const tn_system *s, const double *x, double *product);
/* f += G' lambda */
void tn_eval_add_reactions(const tn_eval *e, const tn_system *s, const double *lambda, double *f);
/* Sets rows at velocity level to zero in a G of this system: they do not constrain positions. drives: also theirs. */
void tn_clear_velocity_rows(const tn_system *s, double *G, bool drives);
/* The input of a constraint's expressions at this point; valid until the next call on e. */
tn_tape_input tn_eval_constraint_input(tn_eval *e, const tn_system *s, int constraint, const double *memory);
/* Slip velocities (m/s) of a joint that slides, returns their number; forward: the slip against which friction acts, plus
 * the spin of a touch that drills.
 * tn_eval_slide: forces and torques of friction over all velocities for a normal force of 1; tn_eval_slide_power: their
 * power. tn_slide_load: the normal force (N) in lambda with adhesion, to which they are proportional. */
int tn_eval_slip(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *slip);
double tn_eval_slip_forward(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide);
void tn_eval_slide(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *force);
double tn_eval_slide_power(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide);
double tn_slide_load(const tn_eval *e, const tn_system *s, const tn_slide *slide);
/* Coefficient of friction at a slip of this speed; at 0: that with which sliding begins. spin: speed (m/s) of the edge of
 * the patch about the normal. */
double tn_slide_coefficient(const tn_slide_law *law, double speed, double spin);
/* Turning of touching surfaces against each other, in space with the normal (unit vector, world). torque: on body 2 per
 * normal force, against rolling and drilling. Returns the spin of tn_slide_coefficient (m/s). */
double tn_slide_turn(const tn_slide_law *law, int dimension, const double normal[3], const double turn[3], double speed,
                     double torque[3]);
/* m/s: a slower spin counts as none. */
static const double TN_SLIDE_NO_SPIN = 1e-4;
/* Largest |g| of a constraint; planar and spatial rows are m or rad. */
double tn_eval_gap(const tn_eval *e, const tn_system *s, int constraint);
/* The same for rates. */
double tn_eval_velocity_gap(const tn_eval *e, const tn_system *s, int constraint);

/* Values (derivative 0) or rates (1) or accelerations (2; needs e->a) of a joint's coordinates. */
void tn_eval_coordinates(tn_eval *e, const tn_system *s, const double *memory, int constraint, int derivative,
                         double *values);
/* Coordinate k of a joint as a row: its gradient over all velocities is added to row (length velocities), cleared by
 * the caller; returns value and rate. For start conditions and drives. */
void tn_eval_coordinate_row(tn_eval *e, const tn_system *s, const double *memory, int constraint, int k, double *value,
                            double *rate, double *row);

/* dq/dt from v */
void tn_position_rate(const tn_system *s, const double *q, const double *v, double *dq);
/* The velocity-like dv that belongs to a small change dq of q: inverse of tn_position_rate. */
void tn_position_tangent(const tn_system *s, const double *q, const double *dq, double *dv);
/* q1 = q0 moved by the velocity-like dv; q1 may be q0. */
void tn_position_move(const tn_system *s, const double *q0, const double *dv, double *q1);
void tn_position_normalize(const tn_system *s, double *q);
/* State from the model's poses and velocities; joints place the bodies without a pose, chain by chain or level by level. */
int tn_system_start(const tn_system *s, double *q, double *v);
/* Positions and velocities of a body whose user frame has this pose and moves like the model body. */
void tn_system_place_body(const tn_system *s, const tn_sys_body *body, const tn_body *moves, double *q, double *v);
int tn_system_start_by_levels(const tn_system *s, double *q, double *v);
/* The same, where also bodies of which only the orientation is given are placed by their joints, turned as they are. */
int tn_system_start_by_turns(const tn_system *s, double *q, double *v);

/* Motion of a frame: origin, velocity, axes, angular velocity; with acceleration and angular acceleration when a is
 * not NULL. */
void tn_frame_motion_of(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, tn_frame_motion *out);
void tn_frame_acceleration_of(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, double linear[3],
                              double angular[3]);
/* Force and torque about a world point, equivalent to generalised forces f on a body. */
void tn_body_wrench(const tn_eval *e, const tn_system *s, int body, const double f[6], const double point[3],
                    tn_wrench *out);
/* Reaction of a constraint on a body: force and torque about the point, world axes, from e->lambda. slot 1: body 2. */
void tn_constraint_wrench(const tn_eval *e, const tn_system *s, int constraint, int slot, tn_wrench *out);

typedef struct tn_energy {
    double kinetic, potential;
    double power;                  /* W from forces that have no potential, dissipation included, and from joints that
                                      do work (which needs e->lambda) */
} tn_energy;
tn_energy tn_system_energy(tn_eval *e, const tn_system *s, const double *memory);
/* Power (W) of a constraint, from e->lambda: its forces times the velocities that it enforces. */
double tn_constraint_power(const tn_eval *e, const tn_system *s, int constraint);
/* Power (W) of a force. */
double tn_force_power(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory);
/* Force and torque of a force on a body, which is not ground, about a world point. */
void tn_force_wrench(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory, int body,
                     const double point[3], tn_wrench *out);
/* Linear momentum and angular momentum about the origin. */
void tn_system_momentum(const tn_eval *e, const tn_system *s, double linear[3], double angular[3]);

const tn_joint *tn_constraint_joint(const tn_system *s, int constraint);
/* Name of state k of forces and devices, "tank.pressure". In buffer. */
const char *tn_state_name(const tn_system *s, int k, char *buffer, size_t size);
/* Id of the model's joint; for an attached joint, of the joint whose coordinate it reads, or none. */
tn_id tn_constraint_id(const tn_system *s, int constraint);
const char *tn_constraint_name(const tn_system *s, int constraint);
tn_span tn_constraint_span(const tn_system *s, int constraint);

/* Columns of a body, rows of a constraint in a structure. */
static inline int tn_width_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

static inline int tn_rows_of(const tn_structure *st, int constraint)
{
    return st->constraint_row[constraint + 1] - st->constraint_row[constraint];
}

#endif
