/* The model's tables, for code that compiles, reads or writes models. Index 0 of bodies is ground. Entries whose alive
 * is false are free slots. Names are unique over bodies, joints, forces, contacts and subsystems together; frames are
 * unique within a body. The name of an entity in a subsystem is a path; the path tells the subsystem. */
#ifndef TN_MODEL_ENTITIES_H
#define TN_MODEL_ENTITIES_H

#include "grid.h"
#include "origin.h"
#include "tenon/model.h"
#include "tenon/sys/component.h"
#include "tenon/sys/force.h"
#include "tenon/sys/joint.h"

typedef struct tn_entity {
    const char *name;
    tn_span span;
    uint16_t generation;
    bool alive, disabled;
    bool mirrored;             /* joints, forces: the axes of both frames are (x, -y, z) of their poses, see mirror.c */
} tn_entity;

typedef struct tn_shape {
    tn_shape_kind kind;
    tn_pose pose;
    double size[3];
    double density, mass;      /* NaN: not given */
    double *vertices;          /* owned */
    int *triangles;
    size_t vertex_count, triangle_count;
    tn_mesh_touch touch;
    char material[TN_MATERIAL_SIZE];   /* "": none */
    const tn_finish *finish;   /* looks; NULL: none given */
    int colour;
} tn_shape;

/* The missing mass properties of a body: such a body can only be used in kinematics. */
typedef enum tn_missing { TN_MISSING_NOTHING, TN_MISSING_MASS, TN_MISSING_INERTIA } tn_missing;

/* Start values of a body that hold exactly, as bits. Others follow from the joints by least kinetic energy. */
enum { TN_GIVEN_POSITION = 1, TN_GIVEN_ROTATION = 2, TN_GIVEN_VELOCITY = 4, TN_GIVEN_SPIN = 8,
       TN_GIVEN_AXIS = 16 };         /* a rotor or slider, with a joint NAME-axis of its own */

typedef struct tn_body {
    tn_entity entity;
    tn_body_kind kind;
    double mass, com[3], inertia[6];   /* given or from shapes; inertia about the centre of mass */
    tn_pose pose;
    bool placed, place_free;           /* place_free: of the pose only the orientation was given */
    unsigned char missing;             /* tn_missing */
    unsigned char given;               /* TN_GIVEN_... */
    double velocity[3], angular_velocity[3];
    tn_shape *shapes;
    size_t shape_count;
    tn_shape *looks;                   /* for viewers alone */
    size_t look_count;
} tn_body;

typedef struct tn_frame {
    tn_entity entity;
    const char *path;          /* "body.frame" */
    uint32_t body;
    tn_pose pose;
} tn_frame;

typedef struct tn_joint {
    tn_entity entity;
    const tn_joint_type *type;
    uint32_t body1, body2;             /* types that connect frames */
    tn_pose frame1, frame2;
    double parameters[TN_JOINT_PARAMETERS];    /* by declaration; NaN where as_built decides */
    struct tn_joint_term {             /* couplings; in the arena */
        uint32_t joint;
        int coordinate;
        double factor;
        const tn_expression *motion;   /* of a drive, which has one term; in the arena */
    } *terms;
    size_t term_count;
    double start[TN_MAX_COORDINATES], start_rate[TN_MAX_COORDINATES];   /* NaN: free */
    bool guess;                        /* start is only the initial guess of assembly */
} tn_joint;

/* Of a joint that has a fuse, a latch or both. */
typedef struct tn_trigger {
    uint32_t joint;
    tn_fuse fuse;
    tn_latch latch;                    /* its text is in the arena */
} tn_trigger;

/* Limits of a coordinate, or its ratchet: a ratchet has no ends, but a direction. */
typedef struct tn_model_limit {
    uint32_t joint;
    int coordinate;
    double low, high, restitution;
    int way;                           /* 0: stops */
    double pitch;
} tn_model_limit;

typedef struct tn_force {
    tn_entity entity;
    const tn_force_type *type;
    uint32_t body1, body2;             /* of frames, or of the joint */
    tn_pose frame1, frame2;
    uint32_t joint;                    /* place JOINT */
    int coordinate;
    double *parameters;                /* by declaration; in the arena */
    const tn_expression **expressions; /* by declaration; NULL: the number counts. In the arena */
    double start[TN_MAX_STATES];       /* NaN: as the type says */
    const char *unit;                  /* of states whose type leaves it open; in the arena */
    const tn_expression **ports;       /* devices: node or coordinate of each port, by declaration; NULL: open. In the arena */
    bool implied;                      /* a node that exists because devices name it */
} tn_force;

typedef struct tn_contact {
    tn_entity entity;
    uint32_t *bodies;                  /* in the arena */
    size_t body_count;
    tn_contact_def law;                /* its attributes (attributes.h); bodies are above */
} tn_contact;

typedef struct tn_library tn_library;
typedef struct tn_fmi_ports tn_fmi_ports;

typedef struct tn_port {
    const char *name;
    tn_id target;
    tn_span span;
} tn_port;

typedef struct tn_subsystem {
    tn_entity entity;          /* its name is its path */
    const char *file;          /* NULL: none. In the arena, like everything that is pointed at */
    tn_pose pose, world;       /* in the frame around it; in the world */
    bool closed;
    char mirror;               /* 'x', 'y', 'z': content is mirrored along that axis of its frame; 0: not mirrored */
    tn_port *ports;
    size_t port_count, port_capacity;
    const tn_solve *solve;     /* NULL: none of its own */
    tn_span solve_span;        /* position of the settings; unused without solve */
    const char *solve_keys;    /* settings that were given outside of its file: "step solver "; NULL: none */
    const tn_component_type *type;     /* of a component (components.h), which only has ports; NULL: no component */
    tn_library *library;       /* with a reference; NULL: the type is not in a library */
    tn_fmi_ports *fmu;         /* with a reference; NULL: the type is not that of an FMU */
    const double *parameters;  /* of the type, by declaration */
} tn_subsystem;

typedef struct tn_model_table {
    const char *name;
    tn_curve *curve;                   /* owned; NULL: it has two arguments */
    tn_grid *surface;               /* owned; NULL: it has one argument */
    tn_dim x_dim, y_dim, z_dim;
    bool x_known, y_known, z_known;
} tn_model_table;

typedef struct tn_output {
    const char *channel;
    const char *expression;    /* defines channel as a new channel; NULL: the channel exists already */
    const char *owner;         /* path of the subsystem that has it; NULL: the model */
    tn_span span;
    int owners;                /* during removal: number of entities that it named before */
} tn_output;

/* A start condition on a channel or a named expression. */
typedef struct tn_model_condition {
    const char *channel;
    const char *owner;         /* path of the subsystem that has it; NULL: the model */
    double value;
    tn_dim dim;
    bool dim_known;            /* of the value: 0 and numbers without a unit take that of the channel */
    tn_span span;
} tn_model_condition;

typedef struct tn_event {
    const char *name;
    tn_span span;
    bool is_fuse, is_latch, is_closing;    /* of a joint */
    uint32_t joint;
    tn_event_def def;          /* its texts and actions are in the arena */
} tn_event;

/* The expectations that a model states about its solution. */
typedef struct tn_expectation {
    double energy;             /* largest energy error over peak kinetic energy; NaN: not stated */
    double drift;              /* m or rad; NaN: not stated */
    const char *stop;          /* event that must end the run; NULL: none may */
    const char *reference;     /* path of a CSV table with a column t; NULL: none */
    double tolerance;          /* for the reference */
    struct tn_expected_column { const char *column, *channel; tn_span span; } *columns;
    size_t column_count, column_capacity;
    tn_span span;
} tn_expectation;

/* An entity whose definition has a mistake, in a model that was read for checking. */
typedef struct tn_mistaken {
    const char *name;
    const struct tn_mistaken *next;
    bool stands_in;            /* the model has something in its place: what depends on it can be checked */
} tn_mistaken;

struct tn_model {
    tn_context *context;
    tn_arena *arena;           /* names, types, file names: live as long as the model */
    const char *name;
    int dimension;
    double gravity[3];
    tn_expression gravity_text[3];     /* text NULL: the number counts */
    tn_model_table *tables;
    size_t table_count, table_capacity;
    uint8_t owner;
    tn_body *bodies;
    tn_frame *frames;
    tn_joint *joints;
    tn_force *forces;
    tn_contact *contacts;
    size_t contact_count, contact_capacity;
    tn_trigger *triggers;
    size_t trigger_count, trigger_capacity;
    tn_subsystem *subsystems;
    tn_output *outputs;
    tn_model_condition *conditions;
    size_t condition_count, condition_capacity;
    tn_event *events;
    size_t event_count, event_capacity;
    struct tn_group *groups;           /* groups.h */
    size_t group_count, group_capacity;
    tn_model_limit *limits;            /* of living joints */
    size_t limit_count, limit_capacity;
    tn_parameter_value *parameters;
    size_t parameter_count, parameter_capacity;
    size_t body_count, frame_count, joint_count, force_count, subsystem_count, output_count;   /* slots, living or not */
    size_t body_capacity, frame_capacity, joint_capacity, force_capacity, subsystem_capacity, output_capacity;
    const tn_joint_type **own_types;
    size_t own_type_count, own_type_capacity;
    const tn_force_type **own_devices; /* device types that the model defines */
    struct tn_fmi **fmus;              /* of its devices, also of some that are gone; retained */
    size_t fmu_count, fmu_capacity;
    size_t own_device_count, own_device_capacity;
    tn_solve solve;
    tn_span solve_span;
    tn_expectation expect;
    struct tn_name_table *names;       /* path -> id */
    tn_origin *origin;                 /* shared with clones; NULL: built by calls */
    tn_amendment *amendments;          /* commands since then, the last one; shared with clones */
    size_t dead[TN_KIND_SUBSYSTEM + 1];        /* free slots by kind */
    const tn_mistaken *mistaken;       /* in the arena; clones have none */
    bool faulty;                       /* read with mistakes: only tn_model_check may use the model */
};

/* The public functions of the same names with the position of the definition, for error messages. span.file is not
 * copied and must live as long as the model (model->arena). */
int tn_model_add_body_at(tn_id *out, tn_model *model, const char *name, const tn_body_def *def, tn_span span);
int tn_model_add_frame_at(tn_id *out, tn_model *model, tn_id body, const char *name, const tn_pose *pose, tn_span span);
int tn_model_add_joint_at(tn_id *out, tn_model *model, const char *name, const tn_joint_def *def, tn_span span);
int tn_model_add_joint_type_at(tn_model *model, const tn_joint_type *type, tn_span span);
int tn_model_add_force_at(tn_id *out, tn_model *model, const char *name, const tn_force_def *def, tn_span span);
int tn_model_add_contact_at(tn_id *out, tn_model *model, const char *name, const tn_contact_def *def, tn_span span);
int tn_model_set_ground_looks_at(tn_model *model, const tn_shape_def *looks, size_t count, tn_span span);
int tn_model_set_ground_shapes_at(tn_model *model, const tn_shape_def *shapes, size_t count, tn_span span);
int tn_model_add_subsystem_at(tn_id *out, tn_model *model, const char *path, const tn_subsystem_def *def, tn_span span);
/* Replaces the definition of a subsystem: its ports are removed, its content stays. */
int tn_model_reset_subsystem(tn_model *model, tn_id subsystem, const tn_subsystem_def *def, tn_span span);
int tn_model_add_port_at(tn_model *model, tn_id subsystem, const char *name, tn_id target, tn_span span);
int tn_model_add_parameter(tn_model *model, const tn_parameter_value *value);
/* Forgets the choice of a variant (NAME.variant among the parameters): of one entity; of entities that are gone. */
void tn_model_forget_variant(tn_model *model, const char *path);
void tn_model_prune_variants(tn_model *model);
/* Also move the entity's span. */
int tn_model_replace_body_at(tn_model *model, tn_id id, const tn_body_def *def, tn_span span);
int tn_model_replace_joint_at(tn_model *model, tn_id id, const tn_joint_def *def, tn_span span);
int tn_model_replace_force_at(tn_model *model, tn_id id, const tn_force_def *def, tn_span span);
int tn_model_replace_contact_at(tn_model *model, tn_id id, const tn_contact_def *def, tn_span span);
/* Changes the ends of a joint between bodies; forces along the joint follow. */
int tn_model_move_joint(tn_model *model, tn_id joint, const tn_end ends[2], tn_span span);
int tn_model_add_output_at(tn_model *model, const char *channel, const char *expression, const char *owner,
                           tn_span span);
int tn_model_add_condition_at(tn_model *model, const tn_model_condition *condition);
int tn_model_add_table_at(tn_model *model, const char *name, const tn_table_def *def, tn_span span);
int tn_model_add_event_at(tn_model *model, const char *name, const tn_event_def *def, tn_span span);
int tn_model_set_solve_at(tn_model *model, const tn_solve *solve, tn_span span);
/* The expectations that the model states about its solution; NaN where not stated. Strings are copied. */
int tn_model_expect(tn_model *model, double energy, double drift, tn_span span);
int tn_model_expect_stop(tn_model *model, const char *event, tn_span span);
int tn_model_expect_reference(tn_model *model, const char *path, double tolerance, tn_span span);
int tn_model_expect_column(tn_model *model, const char *column, const char *channel, tn_span span);

/* Whether the path is that of the subsystem or of an entity in it. */
bool tn_path_inside(const char *path, const char *subsystem);
/* The path of a name in a subsystem, whose path has that length; its frames on ground are called ground.SUBSYSTEM.NAME.
 * False when it is too long for the buffer, which has TN_PATH_SIZE characters. */
enum { TN_PATH_SIZE = 256 };
bool tn_path_in(char *buffer, const char *subsystem, size_t length, const char *name);
/* As above, relative to the subsystem of the entity. False, too, for an entity outside of subsystems. */
bool tn_path_within(char *buffer, const char *entity, const char *name);
/* The entity that a path begins with, "crank" of "crank.position.x"; the longest counts. *rest is what follows, or
 * NULL. kind TN_KIND_NONE: there is none. */
/* The joint that holds a rotor or slider; kind NONE: the body is none. */
tn_id tn_model_axis(const tn_model *model, tn_id body);
tn_id tn_model_split(const tn_model *model, const char *path, const char **rest);
/* The subsystem whose path is everything before the last point of a path; kind NONE: there is none. */
tn_id tn_subsystem_around(const tn_model *model, const char *path);
/* The innermost closed subsystem that the path is in and the viewer, a path or NULL, is not; kind NONE: there is none.
 * A port of it is not in it. */
tn_id tn_model_closed_to(const tn_model *model, const char *path, const char *viewer);
/* No subsystem that the path is in is disabled. */
bool tn_path_active(const tn_model *model, const char *path);
/* The subsystem, looked for after another one (index SIZE_MAX: the first), whose mirror both paths are in; SIZE_MAX:
 * there is none. normal: of the mirror, in the world. */
size_t tn_model_mirror_around(const tn_model *model, size_t after, const char *path, const char *other,
                              double normal[3]);
/* Drops the parts of a subsystem that are not entities: parameters, tables, joint types, events and outputs. */
void tn_model_forget_texts(tn_model *model, const char *subsystem);

/* Living bodies, joints, forces and contacts take part in a system unless they or what they depend on are disabled: all
 * depend on the subsystems they are in, joints and forces on their bodies, couplings, drives and forces along a joint
 * on their joints, contacts on at least two bodies. */
bool tn_body_active(const tn_model *model, uint32_t body);
bool tn_joint_active(const tn_model *model, uint32_t joint);
bool tn_force_active(const tn_model *model, uint32_t force);
bool tn_contact_active(const tn_model *model, uint32_t contact);   /* its disabled bodies touch nothing */
/* The same by id; a frame goes with its body. True for names of nothing. */
bool tn_model_active(const tn_model *model, tn_id id);
enum { TN_INACTIVE_SIZE = 640 };   /* two names and a few words */
/* Why an entity takes no part, "'pivot' is disabled", or "" when it does. */
const char *tn_model_inactive_text(const tn_model *model, tn_id id, char *buffer, size_t size);

/* The motion of a drive; NULL: the joint is not a drive. */
static inline const tn_expression *tn_joint_motion(const tn_joint *joint)
{
    return joint->term_count > 0 ? joint->terms[0].motion : NULL;
}
/* Invariant: living entities only refer to living entities. For TN_ASSERT. */
bool tn_model_is_sound(const tn_model *model);
/* The missing mass properties of a body, in words. */
const char *tn_missing_text(const tn_model *model, const tn_body *body);

/* The entity of an id, NULL when stale. */
tn_entity *tn_model_entity(const tn_model *model, tn_id id);
/* The pose b, given in the frame a, in the frame that a is given in; and b as seen from a. */
tn_pose tn_pose_compose(const tn_pose *a, const tn_pose *b);
tn_pose tn_pose_relative(const tn_pose *a, const tn_pose *b);

/* NULL: the joint has no fuse and no latch. */
tn_trigger *tn_model_trigger(const tn_model *model, uint32_t joint);
/* Makes a trigger from a definition; put replaces the trigger of the joint by it (an empty one removes it). */
int tn_trigger_make(tn_trigger *out, tn_model *model, const tn_joint_def *def);
void tn_trigger_put(tn_model *model, uint32_t joint, const tn_trigger *trigger);
void tn_trigger_drop(tn_model *model, uint32_t joint);
/* Fuse, latch, limits and ratchet of the definition, in place of those the joint has. The first function only checks them. */
int tn_model_check_rules(tn_model *model, tn_id joint, const tn_joint_def *def, tn_span span);
int tn_model_set_rules(tn_model *model, tn_id joint, const tn_joint_def *def, tn_span span);
/* Mass, com and inertia of the definition. TN_ERROR_MODEL also where the body's shapes have mass. The first function
 * only writes the body as it would become; its shapes are borrowed. */
int tn_body_with_mass(tn_body *out, const tn_model *model, tn_id body, const tn_body_def *def, tn_span span);
int tn_model_set_mass(tn_model *model, tn_id body, const tn_body_def *def, tn_span span);
bool tn_body_weighed(const tn_body *body);     /* its mass comes from its shapes */
bool tn_trigger_empty(const tn_trigger *trigger);
int tn_trigger_reserve(tn_model *model);

bool tn_solve_same(const tn_solve *a, const tn_solve *b);

/* Entities that occur, by name and kind, in both models get the ids and the state of the other model: poses,
 * velocities, starts, and values found as built. A session then sees them as the same entities. Nothing has changed
 * when out of memory. */
int tn_model_align(tn_model *model, const tn_model *like);

/* The event of that name; NULL: there is none. */
const tn_event *tn_model_event(const tn_model *model, const char *name);

/* The form of a type in this model's dimension. */
const tn_joint_form *tn_joint_form_of(const tn_model *model, const tn_joint_type *type);
/* False: the type has no equations in the model's dimension. */
bool tn_joint_type_exists(const tn_model *model, const tn_joint_type *type);
/* A drive's equations contain the number "speed". */
bool tn_joint_uses_speed(const tn_joint_form *form);
/* Whether a force acts along an angle. */
bool tn_force_along_angle(const tn_model *model, const tn_force *force);
/* The unit that a declaration of a force type gives for a length or an angle; maybe in buffer. */
const char *tn_unit_for(const char *unit, bool angle, char *buffer, size_t size);
int tn_joint_coordinate_count(const tn_joint_form *form);
/* Index of a coordinate by name (NULL: first), or -1. */
int tn_joint_coordinate_find(const tn_joint_form *form, const char *name);
/* Built-in or the model's own; NULL when unknown. */
const tn_joint_type *tn_model_joint_type(const tn_model *model, const char *name);
const tn_force_type *tn_model_force_type(const char *name);
size_t tn_force_parameter_count(const tn_force_type *type);
/* The parameter stands for an item of a list in the file (io/reader_made_types.c): it has no key of its own. */
bool tn_force_parameter_listed(const tn_force_type *type, size_t index);
/* Candidate list for tn_did_you_mean; user is the const tn_model *. */
const char *tn_model_name_candidate(void *user, size_t index);

/* Whether a shape can touch another in a model of that dimension. */
bool tn_shape_touches(const tn_shape *shape, int dimension);
/* Tells whether shapes with this law give way when they touch: forces by depth, no unilateral constraint. */
bool tn_contact_gives_way(const tn_contact_def *law);
/* The law between shapes of two materials: a row of the table, or def itself. */
const tn_contact_def *tn_contact_law(const tn_contact_def *def, const char *one, const char *two);
bool tn_body_touches(const tn_body *body, int dimension);
/* Checks shapes that are looks. */
int tn_looks_check(tn_context *context, tn_span span, const char *body_name, const tn_shape_def *looks, size_t count);
/* Mass, centre of mass and inertia (xx yy zz xy xz yz about that centre, axes of the body's frame) of shapes with
 * density or mass. TN_ERROR_MODEL with a diagnostic at span when a mesh is not closed or has no volume. */
int tn_shapes_mass(tn_context *context, tn_span span, const char *body_name, const tn_shape_def *shapes, size_t count,
                   double *mass, double com[3], double inertia[6]);

/* Whether two ids name the same entity in two versions of a model. */
static inline bool tn_entity_same(const tn_entity *a, const tn_entity *b)
{
    return a->alive && b->alive && a->generation == b->generation;
}

#endif
