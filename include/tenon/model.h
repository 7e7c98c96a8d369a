/* The model: the user's description of a mechanism. Bodies, frames, joints, forces, outputs and solve settings, by name
 * and by id.
 *
 * SI units throughout: m, kg, s, rad, N. Vectors have three components; a planar model uses x and y of positions and
 * the z component of rotations. Required fields default to NaN, so that a forgotten one is diagnosed by name. */
#ifndef TENON_MODEL_H
#define TENON_MODEL_H

#include <stdbool.h>
#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_model tn_model;

typedef enum tn_kind { TN_KIND_NONE, TN_KIND_BODY, TN_KIND_FRAME, TN_KIND_JOINT, TN_KIND_FORCE,
                       TN_KIND_CONTACT, TN_KIND_SUBSYSTEM } tn_kind;

/* Names an entity of one model. A stale id is TN_ERROR_STALE, never a crash. */
typedef struct tn_id {
    uint32_t index;
    uint16_t generation;
    uint8_t kind;              /* tn_kind */
    uint8_t owner;
} tn_id;

/* A frame relative to another: origin p, orientation as unit quaternion q = (w, x, y, z). */
typedef struct tn_pose {
    double p[3];
    double q[4];
} tn_pose;
TN_API tn_pose tn_pose_identity(void);
/* The frame with origin p whose z axis (or x axis) points along axis; axis need not be of unit length. */
TN_API tn_pose tn_pose_z(const double p[3], const double axis[3]);
TN_API tn_pose tn_pose_x(const double p[3], const double axis[3]);
/* A planar frame: rotated by angle (rad) about z. */
TN_API tn_pose tn_pose_planar(double x, double y, double angle);

/* A named value: of a parameter of a model file, or of a parameter that the type of an entity declares. */
typedef struct tn_setting {
    const char *name;
    double value;              /* SI */
} tn_setting;

/* A named value that changes: an expression of time, parameters, tables and channels, "20 * sin(3 * t)" or
 * "-5 * crank.velocity.x". See docs/expressions.md. */
typedef struct tn_expression {
    const char *name;
    const char *text;
    tn_span span;              /* position of the text, for messages */
} tn_expression;

/* Creating, reading and destroying models. dimension is 2 or 3. */
TN_API int tn_model_create(tn_model **out, tn_context *context, int dimension);
TN_API int tn_model_read(tn_model **out, tn_context *context, const char *path);
/* The same for tn_model_check and nothing else: a file with mistakes gives a model, too, of what is right in it. The code is that
 * of the mistakes, which are diagnostics already. out is NULL when there is nothing to check. */
TN_API int tn_model_read_to_check(tn_model **out, tn_context *context, const char *path);
/* tn_model_read with other values for some of the file's parameters; values computed from them follow. An unknown name, or a
 * value that is not finite, is TN_ERROR_ARGUMENT. */
TN_API int tn_model_read_with(tn_model **out, tn_context *context, const char *path, const tn_setting *parameters,
                              size_t count);
/* A text that stands for a file of this name. */
typedef struct tn_model_source {
    const char *name, *text;
    size_t size;
} tn_model_source;
/* The same from memory; name stands for the file in messages, and base_folder resolves includes and meshes. */
TN_API int tn_model_read_text(tn_model **out, tn_context *context, const char *text, size_t size, const char *name,
                              const char *base_folder);
/* tn_model_read_text with other values for some of the text's parameters, as tn_model_read_with. */
TN_API int tn_model_read_text_with(tn_model **out, tn_context *context, const tn_model_source *text, const char *base_folder,
                                   const tn_setting *parameters, size_t count);
/* The same from several texts: the first is the model, the others stand for the files that it includes or uses; their
 * names are relative to base_folder. */
TN_API int tn_model_read_texts(tn_model **out, tn_context *context, const tn_model_source *texts, size_t count,
                               const char *base_folder);
/* A copy that shares no memory with the model; ids of the model are valid in the copy, too. */
TN_API int tn_model_clone(tn_model **out, const tn_model *model);
/* Whether two models are the same. Compares everything that can be seen in a run, its outputs or its pictures,
 * including the order of entities; positions in files do not count. */
TN_API bool tn_model_same(const tn_model *a, const tn_model *b);
TN_API void tn_model_destroy(tn_model *model);

/* The parameters of the files the model was read from, in their order, with the values in use. Parameters of a
 * subsystem have paths: "front_left.stiffness". */
typedef struct tn_parameter_value {
    const char *name;
    double value;              /* SI */
    const char *unit;          /* "m", "kg m^2"; "" for angles and ratios; NULL: not determined ("5", "2 * r") */
    const char *given;         /* of a subsystem: the text that the enclosing model gives; NULL: its file's own value */
    const char *choices;       /* "ideal|losses": NAME.variant of an entity with variants, whose value is the number of the
                                  variant, from 0; NULL: an ordinary number */
    const char *written;       /* unit of angles in its text: "deg" of "20 deg", "rpm" of "300 rpm"; NULL: none */
    const char *shown;         /* unit of value for people: "rad", "rad/s", "rad/s^2" with written, otherwise unit */
} tn_parameter_value;
TN_API size_t tn_model_parameter_count(const tn_model *model);
TN_API tn_parameter_value tn_model_parameter(const tn_model *model, size_t index);
/* Converts "300 mm", "2 * 15 cm" or "0.3" to a number in SI units. The dimension must be that of unit; NULL: any
 * dimension. TN_ERROR_ARGUMENT with a diagnostic. */
TN_API int tn_quantity_parse(double *out, tn_context *context, const char *text, const char *unit);
/* The same for a value of a parameter: a quantity in its unit, or one of its choices. */
TN_API int tn_parameter_parse(double *out, tn_context *context, const char *text, const tn_parameter_value *parameter);
/* The value of a parameter with choices as its word, cut where the buffer ends; "" where it has none. Returns buffer. */
TN_API const char *tn_parameter_word(char *buffer, size_t size, const tn_parameter_value *parameter);

TN_API const char *tn_model_name(const tn_model *model);
TN_API int tn_model_set_name(tn_model *model, const char *name);
/* Drops what the model states about its solution ("expect:"); sessions then need no reference files. */
TN_API void tn_model_expect_nothing(tn_model *model);
TN_API int tn_model_dimension(const tn_model *model);
TN_API void tn_model_set_gravity(tn_model *model, const double gravity[3]);      /* m/s^2 */
TN_API void tn_model_gravity(double gravity[3], const tn_model *model);
/* Component 0..2 of gravity as an expression of t. */
TN_API int tn_model_set_gravity_expression(tn_model *model, int component, const tn_expression *expression);

/* A table that expressions call like a function: "torque_curve(motor.rate)". */
typedef enum tn_curve_kind {
    TN_CURVE_SMOOTH,           /* natural cubic spline: two continuous derivatives, may overshoot */
    TN_CURVE_MONOTONE,         /* one continuous derivative, stays between neighbouring points */
    TN_CURVE_LINEAR,
    TN_CURVE_PERIODIC          /* closed cubic spline: two continuous derivatives, repeats; the last value is the first */
} tn_curve_kind;
typedef struct tn_table_def {
    const double *x, *y;       /* x increasing; copied */
    size_t count;              /* of x */
    tn_curve_kind kind;
    bool extend;               /* beyond the ends: along the end slope; otherwise the end value is held */
    const char *x_unit, *y_unit;       /* "m", "N"; NULL: any dimension */
    const double *z;           /* a table of two arguments, "map(a, b)": values z[i * y_count + j] at x[i], y[j], y increasing; copied.
                                  NULL: one argument, and y are the values */
    size_t y_count;            /* of y, where z is given */
    const char *z_unit;
} tn_table_def;
TN_API int tn_model_add_table(tn_model *model, const char *name, const tn_table_def *def);

/* Shapes: pictures, and mass properties when a density or mass is given. Coordinates in the body's own frame. */
typedef enum tn_shape_kind {
    TN_SHAPE_BOX,              /* size: edge lengths along the axes of pose */
    TN_SHAPE_CYLINDER,         /* size: radius, length; axis = z of pose */
    TN_SHAPE_SPHERE,           /* size: radius */
    TN_SHAPE_ROD,              /* size: radius (may be 0: slender), length; axis = z of pose */
    TN_SHAPE_CAPSULE,          /* size: radius, length of the cylindrical part; axis = z of pose */
    TN_SHAPE_MESH,             /* a closed triangle surface */
    TN_SHAPE_POLYGON,          /* a convex prism: corners in x and y of pose, in order; size: thickness along z */
    TN_SHAPE_HALF_SPACE,       /* everything below the plane with the normal z of pose (planar models: y); no mass */
    TN_SHAPE_CONE,             /* size: radius of the base, length; axis = z of pose, base at -length/2, apex at length/2 */
    TN_SHAPE_TORUS,            /* size: radius of the ring, radius of its tube; axis = z of pose */
    TN_SHAPE_ELLIPSOID,        /* size: half axes along the axes of pose */
    TN_SHAPE_TUBE,             /* size: radius, length, radius of the bore; axis = z of pose */
    TN_SHAPE_BOWL,             /* a sphere that is touched from inside; size: radius, depth from its bottom to its brim; the
                                  opening is along z of pose; no mass */
    TN_SHAPE_NONE              /* looks only: no shape; finish and colour are those of the picture without looks */
} tn_shape_kind;

/* With which surface a mesh touches other shapes, in spatial models. */
typedef enum tn_mesh_touch {
    TN_TOUCH_NOTHING,          /* not at all: a picture, and mass properties */
    TN_TOUCH_SURFACE,          /* with its triangles, from the side from which they are counter-clockwise */
    TN_TOUCH_HULL              /* with the convex hull of its vertices */
} tn_mesh_touch;

typedef struct tn_shape_def {
    tn_shape_kind kind;
    tn_pose pose;              /* centre of the shape in the body's frame */
    double size[3];            /* m */
    double density;            /* kg/m^3; NaN when mass is given or the shape is a picture only */
    double mass;               /* kg; NaN when density is given or the shape is a picture only */
    const double *vertices;    /* mesh, polygon (z = 0): vertex_count x 3, copied */
    const int *triangles;      /* mesh: triangle_count x 3, counter-clockwise seen from outside, copied */
    size_t vertex_count, triangle_count;
    tn_mesh_touch touch;       /* mesh */
    const char *material;      /* name for the tables of contacts, copied; NULL: none */
    const char *finish;        /* looks: name of a tn_finish; NULL: the first */
    int colour;                /* looks: 0xrrggbb; TN_NO_COLOUR: that of the finish */
} tn_shape_def;
enum { TN_NO_COLOUR = -1 };
TN_API tn_shape_def tn_shape_default(tn_shape_kind kind);

/* Surfaces of looks, as viewers draw them. */
typedef struct tn_finish {
    const char *name;
    int colour;                /* 0xrrggbb; TN_NO_COLOUR: that of the body */
    double metalness, roughness, opacity;      /* 0 to 1 */
    const char *doc;
} tn_finish;
TN_API const tn_finish *tn_finish_at(size_t index);        /* NULL beyond the last */
TN_API const tn_finish *tn_finish_find(const char *name);  /* NULL: there is none */

typedef enum tn_body_kind { TN_BODY_RIGID, TN_BODY_PARTICLE } tn_body_kind;

typedef struct tn_body_def {
    tn_body_kind kind;
    double mass;               /* kg; NaN: from shapes. Without any, the body is good for kinematics only */
    double com[3];             /* m, in the body's frame */
    double inertia[6];         /* kg m^2 about the centre of mass, body axes: xx yy zz xy xz yz (tensor entries);
                                  planar: zz only; NaN: from shapes */
    tn_pose pose;              /* the body's frame in the world at t = 0 */
    bool placed;               /* pose was given; otherwise joints place the body */
    bool place_free;           /* of the pose only the orientation was given: where joints do not close, they move the body as it is turned */
    double velocity[3];        /* m/s of the frame's origin, world axes */
    double angular_velocity[3];/* rad/s, world axes */
    bool inertia_warn;         /* accept an impossible tensor, or no mass; a warning says which value is assumed */
    bool guess;                /* velocities are a first guess: assembly changes them as little as possible */
    bool velocity_given, angular_velocity_given;   /* a zero is meant; nonzero values always count as given. Given
                                  values hold exactly at the start, the others follow by least kinetic energy */
    const tn_shape_def *shapes;
    size_t shape_count;
    const tn_shape_def *looks; /* the picture of the body in place of its shapes, without mass and contact; polygons need
                                  not be convex */
    size_t look_count;
} tn_body_def;
TN_API tn_body_def tn_body_default(void);

/* The body that never moves. */
TN_API tn_id tn_model_ground(const tn_model *model);
TN_API int tn_model_add_body(tn_id *out, tn_model *model, const char *name, const tn_body_def *def);
/* Sets the shapes of ground, for pictures and contacts; replaces its previous shapes. */
TN_API int tn_model_set_ground_shapes(tn_model *model, const tn_shape_def *shapes, size_t count);
/* Sets the looks of ground; replaces its previous ones. */
TN_API int tn_model_set_ground_looks(tn_model *model, const tn_shape_def *looks, size_t count);
TN_API int tn_model_add_frame(tn_id *out, tn_model *model, tn_id body, const char *name, const tn_pose *pose);

/* The most joints that one joint couples, coordinates of a joint type, and states of a force type. */
enum { TN_MAX_COUPLED = 8, TN_MAX_COORDINATES = 6, TN_MAX_STATES = 10 };

/* Start value of a joint coordinate; NaN = free. */
typedef struct tn_joint_start {
    const char *coordinate;    /* NULL: the joint's first coordinate */
    double value, rate;
} tn_joint_start;

/* A term of a coupling: factor times a coordinate of a joint. */
typedef struct tn_coupling_term {
    tn_id joint;
    const char *coordinate;    /* NULL: the joint's first coordinate */
    double factor;             /* used by type "coupler" */
} tn_coupling_term;

/* The direction in which an expression crosses zero. */
typedef enum tn_crossing { TN_CROSSES_BOTH, TN_CROSSES_UP, TN_CROSSES_DOWN } tn_crossing;

/* The strength of a joint: the joint is disabled the instant its reaction exceeds a value. NaN: no bound. */
typedef struct tn_fuse {
    double force;              /* N */
    double torque;             /* N m */
} tn_fuse;

/* When a joint engages: it is enabled the instant the expression, of time, parameters and channels, crosses zero.
 * Disable a joint that is added with a latch. */
typedef struct tn_latch {
    tn_expression when;        /* text NULL: none; its name is not used */
    tn_crossing crosses;
    bool snap;                 /* moves bodies together that are apart then; otherwise the run ends with an error */
} tn_latch;
/* Limits of a joint coordinate: it stays between low and high; at a limit it rebounds with restitution times its
 * speed. */
typedef struct tn_limit {
    const char *coordinate;    /* NULL: the joint's first coordinate */
    double low, high;          /* m or rad; infinite: no limit on that side */
    double restitution;        /* 0 (stays) to 1 (loses nothing) */
} tn_limit;
/* A ratchet: the coordinate moves one way only; when it turns back, it is stopped at the last tooth it has passed.
 * Teeth are at the whole multiples of the pitch. */
typedef struct tn_ratchet {
    const char *coordinate;    /* NULL: the joint's first coordinate */
    int way;                   /* the free direction, 1: up, -1: down; 0: there is no ratchet */
    double pitch;              /* m or rad; 0: no teeth, the coordinate stops wherever it turns back */
    double restitution;        /* 0 to 1 */
} tn_ratchet;

/* A joint. Lists are a pointer and a count; the library copies them before it returns. */
typedef struct tn_joint_def {
    const char *type;          /* must be set: a built-in type or one added with tn_model_add_joint_type */
    tn_id body1, body2;        /* must be set, unless the type couples joints */
    tn_pose frame1, frame2;    /* joint frames in the frames of body1, body2 */
    const tn_setting *settings;
    size_t setting_count;
    const tn_coupling_term *terms;     /* for types that couple joints */
    size_t term_count;
    tn_expression motion;      /* drives: the value of the coordinate, an expression of t; its name is not used */
    const tn_joint_start *start;
    size_t start_count;
    tn_fuse fuse;              /* joints between bodies only */
    tn_latch latch;            /* the same */
    const tn_limit *limits;    /* docs/contact.md */
    size_t limit_count;
    tn_ratchet ratchet;        /* docs/contact.md */
} tn_joint_def;
TN_API tn_joint_def tn_joint_default(const char *type);
/* Computes the frames on both bodies from one frame in the world, with the bodies at their given poses ("as built"). */
TN_API int tn_joint_as_built(tn_joint_def *def, const tn_model *model, const tn_pose *world);
TN_API int tn_model_add_joint(tn_id *out, tn_model *model, const char *name, const tn_joint_def *def);

/* Adds a joint type given by its vector equations; see sys/joint.h for the language and docs/joints.md for examples.
 * The type is copied. */
struct tn_joint_type;
TN_API int tn_model_add_joint_type(tn_model *model, const struct tn_joint_type *type);

/* A force, or a device. Lists are a pointer and a count; the library copies them before it returns. */
typedef struct tn_force_def {
    const char *type;          /* must be set */
    tn_id body1, body2;        /* the force acts on body2 and its reaction on body1 (ground by default) */
    tn_pose frame1, frame2;
    tn_id joint;               /* types that act along a joint's coordinate, in place of bodies and frames */
    const char *coordinate;    /* NULL: the joint's first */
    const tn_setting *settings;
    size_t setting_count;
    const tn_expression *expressions;  /* parameters that are not given by settings */
    size_t expression_count;
    const tn_setting *start;           /* of the type's states, where it differs from the type's own */
    size_t start_count;
    const char *unit;          /* of states whose type leaves it open; NULL: none */
    bool device;               /* type names a device (docs/devices.md) */
    const tn_expression *ports;        /* devices: name of a port, and its node or, for a mechanical port, an expression of
                                          coordinates */
    size_t port_count;
} tn_force_def;
TN_API tn_force_def tn_force_default(const char *type);
TN_API int tn_model_add_force(tn_id *out, tn_model *model, const char *name, const tn_force_def *def);

/* A set of bodies whose shapes may touch each other, every pair of them; one of them may be ground. Each needs a shape
 * that can touch: all but rods and meshes without `touch`; in planar models sphere, cylinder along z (disc), box, polygon,
 * capsule in the plane, half-space. */
enum { TN_RESTITUTION_POINTS = 8 };
typedef struct tn_contact_def {
    const tn_id *bodies;       /* two or more, all different; copied */
    size_t body_count;
    double restitution;        /* 0 (plastic, the default) to 1 (elastic) */
    double friction;           /* Coulomb's coefficient of sliding, 0 by default */
    /* Further laws of the contact: docs/contact.md. All zeros, the default: none. */
    double tangential_restitution;     /* 0 to 1 */
    double static_friction;    /* coefficient at rest, at least `friction`; 0: the same */
    double stribeck_speed;     /* m/s: speed at which all but 1/e of the excess of static friction is gone; 0: at once */
    double viscous_friction;   /* s/m: the coefficient of sliding grows by this times the speed */
    double friction_across;    /* in space: coefficient across `grain`; 0: the same as along */
    double rolling_resistance; /* m: torque against rolling, over the normal force */
    double drilling_radius;    /* m, in space: radius of the contact patch, for the torque against spinning */
    double adhesion;           /* N: the normal force of a touch may pull by this */
    double stiffness;          /* N/m: shapes give way; force per depth where the depth is `scale`. 0: rigid */
    double modulus;            /* Pa: balls give way after Hertz; effective modulus E*, instead of stiffness */
    double exponent;           /* of the depth in the force, with stiffness; 1.5 by default */
    double scale;              /* m: depth to which `stiffness` belongs, 1 by default */
    double damping;            /* s/m: Hunt and Crossley, where shapes give way */
    double creep_speed;        /* m/s: slip below which friction fades where shapes give way, 0.001 by default */
    double grain[3];           /* direction, in the frame of the first body */
    double surface_velocity[3];        /* m/s, in the frame of the first body: its surface moves like a conveyor belt */
    double restitution_speeds[TN_RESTITUTION_POINTS];  /* m/s, ascending: restitution at these speeds of approach */
    double restitutions[TN_RESTITUTION_POINTS];
    size_t restitution_count;  /* 0: `restitution` counts at all speeds */
    const struct tn_material_law *materials;   /* laws between shapes of two materials, in place of the above; copied */
    size_t material_count;
} tn_contact_def;
enum { TN_MATERIAL_SIZE = 32 };
typedef struct tn_material_law {
    char materials[2][TN_MATERIAL_SIZE];       /* names, in any order; may be the same */
    tn_contact_def law;                        /* without bodies and materials */
} tn_material_law;
TN_API tn_contact_def tn_contact_default(void);
TN_API int tn_model_add_contact(tn_id *out, tn_model *model, const char *name, const tn_contact_def *def);
/* The bodies of a contact: writes at most capacity ids and returns the number of bodies. The second function returns
 * the other values. Both return a negative code when the id is stale. */
TN_API int tn_model_contact_bodies(tn_id *bodies, size_t capacity, const tn_model *model, tn_id contact);
TN_API int tn_model_contact_values(double *restitution, double *friction, const tn_model *model, tn_id contact);

/* The treatment of an event that fires faster and faster without end. */
typedef enum tn_zeno_rule {
    TN_ZENO_FAIL,              /* the run ends with TN_ERROR_STEP */
    TN_ZENO_STOP,              /* the run ends as with the action "stop" */
    TN_ZENO_OFF                /* the event fires no more and the run continues */
} tn_zeno_rule;

/* An action of an event: "stop", or a map with one key in YAML or JSON, "{ log: falling at {ball.velocity.y} }". Keys
 * other than log and reset are commands of the session. */
typedef struct tn_action {
    const char *text;
    tn_span span;
} tn_action;

/* An event: its actions happen when an expression reaches zero; docs/events.md. Copied. */
typedef struct tn_event_def {
    tn_expression when;        /* must be set; of time, parameters and any channels; its name is not used */
    tn_crossing crosses;
    double hysteresis;         /* in the unit of when: fires again only after it was this far from zero */
    double touch;              /* same unit: turning back this near to zero counts, too; NaN: numerical precision */
    const char *unit;          /* of both, is checked: "m"; NULL: not determined */
    bool once;
    tn_zeno_rule zeno;
    const tn_action *actions;
    size_t action_count;
} tn_event_def;
TN_API tn_event_def tn_event_default(const char *when);
TN_API int tn_model_add_event(tn_model *model, const char *name, const tn_event_def *def);

/* A channel (or a group of channels, or "all") to be recorded; checked when a session opens. */
TN_API int tn_model_add_output(tn_model *model, const char *channel);
/* Adds a new channel given by an expression of time, parameters and channels; it is recorded like the others. */
TN_API int tn_model_add_output_expression(tn_model *model, const char *name, const char *expression);
TN_API size_t tn_model_output_count(const tn_model *model);
TN_API const char *tn_model_output(const tn_model *model, size_t index);

typedef enum tn_assemble_rule {
    TN_ASSEMBLE_PROJECT,       /* close gaps by the least mass-weighted change */
    TN_ASSEMBLE_STRICT,        /* a gap is an error */
    TN_ASSEMBLE_NONE           /* start as given, to the bit */
} tn_assemble_rule;

enum { TN_MAX_SOLVE_SETTINGS = 16 };

/* A value for a parameter that the scheme, integrator or solver declares; >= 0. */
typedef struct tn_solve_setting {
    const char *name;
    const char *joint;         /* the joint it applies to, if the method allows that; NULL: all */
    double value;              /* SI */
} tn_solve_setting;

/* The judge of a run (docs/trust.md): quantities beyond the thresholds trust_... */
typedef enum tn_trust_rule {
    TN_TRUST_WARN,             /* are told as warnings, each once */
    TN_TRUST_OFF,              /* are not looked at */
    TN_TRUST_STOP              /* end the run */
} tn_trust_rule;

/* The change of velocities at impacts of limits and contacts: docs/contact.md. */
typedef enum tn_impact_rule {
    TN_IMPACT_SEQUENCE,        /* one after the other, the fastest approach first */
    TN_IMPACT_NEWTON,          /* all at once: each rebounds with restitution times its approach */
    TN_IMPACT_POISSON          /* all at once: compression, then expansion with restitution times its impulse */
} tn_impact_rule;

/* The method for contacts: docs/contact.md. */
typedef enum tn_contact_method {
    TN_CONTACT_AUTOMATIC,      /* event-driven; time stepping where changes crowd and in large heaps */
    TN_CONTACT_EVENT_DRIVEN,   /* event-driven only; where it fails the run ends */
    TN_CONTACT_TIME_STEPPING   /* time stepping only */
} tn_contact_method;

/* Settings of the solution. tn_model_set_solve copies the strings. */
typedef struct tn_solve {
    double until;              /* s: end of the run */
    double step;               /* s: fixed step, or first step of an adaptive integrator; NaN: chosen */
    double max_step;           /* s */
    double tolerance;          /* relative local error of adaptive integrators */
    double absolute_tolerance; /* m and rad (per second for rates) */
    double record;             /* s between recorded samples; 0: every step */
    const char *scheme;        /* "projection" */
    const char *integrator;    /* "rk4", "dopri5", ... */
    const char *solver;        /* "direct" */
    tn_assemble_rule assemble; /* what to do about gaps in the given start */
    double gap_tolerance;      /* m or rad: TN_ASSEMBLE_STRICT rejects gaps above this */
    tn_impact_rule impact;
    tn_contact_method contact;
    double contact_step;       /* s: step of time stepping; NaN: docs/contact.md */
    bool start_steady;         /* a run starts in the equilibrium that tn_session_statics finds from the start given */
    bool resolve_overlaps;     /* a start or edit in which shapes overlap is moved apart; false: refused */
    double resting_speed;      /* m/s or rad/s: slower approaches do not rebound; NaN: docs/contact.md */
    tn_trust_rule trust;
    double trust_energy;       /* error of the energy balance over the largest energy in motion or exchanged */
    double trust_drift;        /* m or rad: joints apart after a step */
    double trust_forces;       /* forces that do not balance the accelerations, over the largest force */
    double trust_step;         /* difference of a fixed step and two half steps, over the way of a step at full speed */
    tn_solve_setting settings[TN_MAX_SOLVE_SETTINGS];
    size_t setting_count;
} tn_solve;
TN_API tn_solve tn_solve_default(void);
/* Adds a setting or changes its value. TN_ERROR_ARGUMENT when there are too many. Names are not copied. */
TN_API int tn_solve_set(tn_solve *solve, const char *name, double value);
/* Any setting by its key in model files, with its value as there: "10 ms", "rk4", "time-stepping". A key of none of the fields is a
 * setting of the methods. Names are not copied. TN_ERROR_ARGUMENT with a diagnostic. */
TN_API int tn_solve_set_text(tn_solve *solve, tn_context *context, const char *name, const char *text);
/* The same for one joint, by its name; joint NULL: for all joints. */
TN_API int tn_solve_set_for(tn_solve *solve, const char *name, const char *joint, double value);
/* Drops the settings that the scheme, integrator and solver do not declare: for use after changing one of them. */
TN_API void tn_solve_drop_foreign(tn_solve *solve);
TN_API int tn_model_set_solve(tn_model *model, const tn_solve *solve);
TN_API tn_solve tn_model_solve(const tn_model *model);

/* Subsystems: named parts of a model. Paths of entities in a subsystem begin with its path, "car.front_left.knuckle";
 * an entity may be added under such a path as its name. */
typedef struct tn_subsystem_def {
    tn_pose pose;              /* its frame, in the frame of the enclosing subsystem or of the world */
    bool closed;               /* in files and commands, joints and forces from outside attach to its ports only */
    const char *file;          /* the file it comes from; NULL: none. Copied */
    const tn_solve *solve;     /* settings of its own; NULL: none. Copied */
} tn_subsystem_def;
TN_API tn_subsystem_def tn_subsystem_default(void);
TN_API int tn_model_add_subsystem(tn_id *out, tn_model *model, const char *path, const tn_subsystem_def *def);
/* Mirrors the content of a subsystem at the plane through the origin of its frame that is normal to axis 'x', 'y' or
 * 'z' (planar models: not z); docs/subsystems.md. Entities outside that attach to it do not change. Mirroring twice
 * restores the original. TN_ERROR_MODEL when the subsystem contains a component. */
TN_API int tn_model_mirror(tn_model *model, tn_id subsystem, char axis);
/* Whether a joint or force is a mirror image: it rotates from x to -y of its frames, others rotate from x to y. */
TN_API bool tn_model_mirrored(const tn_model *model, tn_id id);
/* Adds a port: a name for attachment to a body or frame inside. tn_model_find("front_left.mount") gives the target. */
TN_API int tn_model_add_port(tn_model *model, tn_id subsystem, const char *name, tn_id target);

typedef struct tn_subsystem_info {
    const char *path, *name;   /* "car.front_left", "front_left" */
    tn_id parent;              /* kind TN_KIND_NONE: the model itself */
    const char *file;          /* NULL: none */
    tn_pose pose;              /* as given */
    tn_pose world;             /* its frame in the world, as built */
    bool closed;
    char mirror;               /* 'x', 'y', 'z': mirrored along that axis of its frame; 0: not mirrored */
    const tn_solve *solve;     /* NULL: none of its own */
    size_t ports, children;    /* how many; children are subsystems directly inside */
    size_t bodies, joints, forces;         /* directly inside */
} tn_subsystem_info;
/* TN_ERROR_STALE when the subsystem was removed. The model owns texts and settings. */
TN_API int tn_model_subsystem(tn_subsystem_info *out, const tn_model *model, tn_id subsystem);
/* The index-th subsystem directly inside one, or inside the model (an id of kind TN_KIND_NONE). kind TN_KIND_NONE:
 * there is none. */
TN_API tn_id tn_model_child(const tn_model *model, tn_id subsystem, size_t index);
typedef struct tn_port_info {
    const char *name;          /* NULL: there is none of that index */
    tn_id target;              /* body or frame; stale when it was removed */
} tn_port_info;
TN_API tn_port_info tn_model_port(const tn_model *model, tn_id subsystem, size_t index);
/* The subsystem that an entity belongs to; kind TN_KIND_NONE: to the model itself. */
TN_API tn_id tn_model_owner(const tn_model *model, tn_id id);

/* Finds an entity by its path: "ground", "crank", "crank.tip", "pivot", "front_left.mount". kind is TN_KIND_NONE when
 * there is no such name. */
TN_API tn_id tn_model_find(const tn_model *model, const char *path);
TN_API size_t tn_model_count(const tn_model *model, tn_kind kind);
/* The index-th living entity of a kind, in the order of addition; ground is not counted among bodies. */
TN_API tn_id tn_model_at(const tn_model *model, tn_kind kind, size_t index);
TN_API const char *tn_model_entity_name(const tn_model *model, tn_id id);        /* NULL when stale */
/* "revolute", "rigid", ...; NULL: stale */
TN_API const char *tn_model_entity_type(const tn_model *model, tn_id id);
TN_API tn_span tn_model_entity_span(const tn_model *model, tn_id id);
TN_API void tn_model_set_span(tn_model *model, tn_id id, tn_span span);
/* "rad" or "m": the unit of a joint's coordinate; coordinate NULL: its first. NULL when there is none of that name. */
TN_API const char *tn_model_coordinate_unit(const tn_model *model, tn_id joint, const char *coordinate);
TN_API int tn_model_body_mass(double *mass, double com[3], double inertia[6], const tn_model *model, tn_id body);
/* The shapes of a body; 0 when stale. The arrays of a shape belong to the model; index must be below the count. */
TN_API size_t tn_model_shape_count(const tn_model *model, tn_id body);
TN_API tn_shape_def tn_model_shape(const tn_model *model, tn_id body, size_t index);
/* The same for its looks. */
TN_API size_t tn_model_look_count(const tn_model *model, tn_id body);
TN_API tn_shape_def tn_model_look(const tn_model *model, tn_id body, size_t index);
/* An attachment: a frame fixed on a body. */
typedef struct tn_end {
    tn_id body;
    tn_pose pose;              /* in the body's frame */
} tn_end;
/* The ends of a joint or force (2: on body1 and body2) or of a frame (1). Returns how many there are: 0 for bodies and
 * for joints that couple others. Negative when stale. */
TN_API int tn_model_ends(tn_end ends[2], const tn_model *model, tn_id id);
/* The limits of a joint, in the order they were given. */
TN_API size_t tn_model_limit_count(const tn_model *model, tn_id joint);
TN_API tn_limit tn_model_limit_at(const tn_model *model, tn_id joint, size_t index);
/* The ratchet of a joint; way 0 when it has none, or stale. */
TN_API tn_ratchet tn_model_ratchet(const tn_model *model, tn_id joint);
/* The picture of a joint: "hinge", "ball", ...; NULL when its type has none, or stale. */
TN_API const char *tn_model_joint_glyph(const tn_model *model, tn_id joint);
/* Fuse and latch of a joint; NaN and NULL when it has none, or stale. */
TN_API tn_fuse tn_model_fuse(const tn_model *model, tn_id joint);
TN_API tn_latch tn_model_latch(const tn_model *model, tn_id joint);
/* The properties of an entity and their values. Of a joint or force: the parameters that its type declares, in the
 * type's order, and the motion of a drive; of a joint also fuse, latch, limits and ratchet; of a contact its restitution
 * and friction; of a body its mass and, in the plane, its inertia. Names are those for the command "set". */
typedef struct tn_property {
    char name[64];             /* "stiffness", "limits.angle.low" */
    char unit[48];             /* "m", "N/m"; "" is a plain number */
    double value;              /* SI; NaN: given by an expression, computed at the start, or not given */
    const char *expression;    /* expression, or a word where the property is a word; NULL: value is used */
    double initial;            /* default; NaN: none */
    const char *as_built;      /* expression that is used when no value is given; NULL: none */
    const char *doc;
    bool fixed;                /* cannot be set: a mass that comes from shapes */
} tn_property;
TN_API size_t tn_model_property_count(const tn_model *model, tn_id id);      /* 0 when stale, and of frames */
/* TN_ERROR_ARGUMENT when there is no such property. The model owns the texts. */
TN_API int tn_model_property(tn_property *out, const tn_model *model, tn_id id, size_t index);
/* The joint coordinates that a joint couples or drives, at most TN_MAX_COUPLED; 0 for other joints. */
TN_API size_t tn_model_coupled(tn_coupling_term *terms, const tn_model *model, tn_id joint);
/* The files the model was read from, the main one first. */
typedef struct tn_model_file {
    const char *path;          /* absolute, unless the model was read from memory; NULL: out of range */
    const char *text;          /* NULL: not kept (meshes, tables) */
} tn_model_file;
TN_API size_t tn_model_file_count(const tn_model *model);
TN_API tn_model_file tn_model_file_at(const tn_model *model, size_t index);
/* Path of the table that the solution is compared with ("expect: reference"), which is not among the files; NULL: none. */
TN_API const char *tn_model_expected_reference(const tn_model *model);
/* A hash of all files, including meshes and tables, and of the given parameters; it identifies the model. 0: the model
 * was built by calls. */
TN_API uint64_t tn_model_hash(const tn_model *model);
/* Events, in the order of addition; all NULL when out of range. The model owns the texts. */
typedef struct tn_event_info {
    const char *name, *when;
    tn_span span;
    const tn_event_def *def;
} tn_event_info;
TN_API size_t tn_model_event_count(const tn_model *model);
TN_API tn_event_info tn_model_event_at(const tn_model *model, size_t index);

/* Removes an entity and everything that depends on it: a body's frames, joints, forces, and contacts with fewer than
 * two remaining bodies; a joint's couplings, drives and forces; outputs of any of them. A subsystem is removed with its
 * content. */
TN_API int tn_model_remove(tn_model *model, tn_id id);
/* Replaces the definition of an entity; its id, name, position in the file and dependent entities stay. Checked as when
 * adding; nothing has changed after an error. References to a coordinate of a joint are resolved again by name. */
TN_API int tn_model_replace_body(tn_model *model, tn_id body, const tn_body_def *def);
TN_API int tn_model_replace_joint(tn_model *model, tn_id joint, const tn_joint_def *def);
TN_API int tn_model_replace_force(tn_model *model, tn_id force, const tn_force_def *def);
TN_API int tn_model_replace_contact(tn_model *model, tn_id contact, const tn_contact_def *def);
/* Renames an entity; its id stays. Paths of a body's frames follow; texts that name the entity (expressions, outputs,
 * settings for one joint) do not. */
TN_API int tn_model_rename(tn_model *model, tn_id id, const char *name);
/* Enables or disables a body, joint, force, contact or subsystem. A disabled entity stays in the model, but sessions
 * that are opened then ignore it, together with the joints and forces of a body, the couplings, drives and forces of a
 * joint, and the content of a subsystem. A disabled body stays at its pose and has no contacts; ignored entities have
 * no channels. Entities are enabled when they are added. */
TN_API int tn_model_set_enabled(tn_model *model, tn_id id, bool enabled);
TN_API bool tn_model_enabled(const tn_model *model, tn_id id);        /* the entity's own flag; false when stale */

/* Formats a model text in normal form: same meaning, same comments, same spelling of numbers and expressions; keys in
 * the order of the schema, one style of indentation, line breaks and quotes. A text in normal form does not change.
 * JSON stays JSON. name stands for the file in messages. The text must be readable, but the model need not be valid.
 * Owned through tn_text_free. */
TN_API int tn_format_text(char **out, tn_context *context, const char *text, size_t size, const char *name);
/* JSON Schema of model files, for editor completion. Owned by the caller through tn_text_free. */
TN_API int tn_schema_text(char **out, tn_context *context);
/* Describes a type of joint, force, shape, solver, scheme or integrator and its parameters; name NULL lists all. */
TN_API int tn_describe_text(char **out, tn_context *context, const char *name, bool json);
TN_API void tn_text_free(tn_context *context, char *text);

#ifdef __cplusplus
}
#endif
#endif
