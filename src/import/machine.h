/* The neutral form of an imported machine: every reader fills it, and everything after the readers (rigid groups, names,
 * report, model folder) sees nothing else. SI units, poses in the world at the pose of the file.
 *
 * All memory belongs to the arena of the machine. A failed allocation sets the machine's status once; functions then
 * return valid dummies, and the import ends at the next check of tn_machine_status. */
#ifndef TN_IMPORT_MACHINE_H
#define TN_IMPORT_MACHINE_H

#include "mem.h"
#include "tenon/import.h"
#include "tenon/model.h"

enum { TN_GROUND = 0 };        /* body 0 of every machine is the world */

/* In texts of loads: printf's form of a joint by its number, which the writer replaces by its name in the model. */
#define TN_JOINT_MARK "\001%d\002"
/* The same of a frame: numbers of body and frame. */
#define TN_FRAME_MARK "\003%d:%d\002"

/* A picture, or a solid for contacts. */
typedef struct tn_machine_shape {
    tn_shape_kind kind;
    tn_pose pose;              /* in the body's frame */
    double size[3];            /* as tn_shape_def */
    const char *mesh;          /* mesh: path of the file as found on disk; NULL otherwise */
    const char *mesh_name;     /* mesh: the file in the model folder, "meshes/arm.stl"; set by the writer */
    const double *vertices;    /* mesh without a file: vertex_count x 3 in the units of scale */
    const int *triangles;
    size_t vertex_count, triangle_count;
    double scale[3];
    bool collision;            /* not for the eye: a proxy for contacts */
    double friction;           /* coefficient of its contacts; NaN: not given */
} tn_machine_shape;

typedef struct tn_machine_frame {
    const char *name, *label;
    tn_pose pose;              /* in the body's frame */
    int moved;                 /* its number on the body that this one has become part of; set by tn_machine_name */
} tn_machine_frame;

typedef struct tn_machine_body {
    const char *name;          /* in the source */
    const char *path;          /* of occurrences, unique: identity in a later import */
    const char *label;         /* in the model; set by tn_machine_name */
    tn_span place;
    int part;                  /* sub-assembly; -1: the model itself */
    tn_pose pose;              /* in the world */
    double mass;               /* kg; 0: none given */
    double own_mass;           /* kg: without what tn_machine_merge adds */
    double volume;             /* m^3 that the mass comes from; 0: the file has the mass, or none */
    double com[3];             /* m, in the body's frame */
    double inertia[6];         /* kg m^2 about com, axes of the body's frame: xx yy zz xy xz yz */
    const char *mass_source;   /* where mass and inertia come from, in words */
    bool weighed;              /* mass and inertia are known, even if 0 */
    bool lenient;              /* inertia that no body has: taken with a warning */
    double lift;               /* share of its weight that a force at its centre of mass takes off */
    bool moving;               /* velocities are given */
    double velocity[3], angular_velocity[3];   /* of the frame's origin, world axes */
    int into;                  /* after tn_machine_merge: the body it is part of; its own index otherwise */
    tn_pose in;                /* its frame in the frame of that body */
    double moved, turned;      /* m, rad: by tn_machine_combine, because the file was not exactly assembled */
    bool hidden;               /* a frame that nothing is attached to: not written */
    tn_machine_shape *shapes;
    size_t shape_count, shape_capacity;
    tn_machine_frame *frames;
    size_t frame_count, frame_capacity;
} tn_machine_body;

enum { TN_MACHINE_COORDINATES = 6, TN_MACHINE_SETTINGS = 4, TN_MACHINE_TERMS = 8 };

/* Limits, forces and start values of a coordinate of a joint. */
typedef struct tn_machine_coordinate {
    const char *name;          /* as the joint's type calls it: "angle" */
    double low, high;          /* m or rad; infinite: none */
    double damping, stiffness, rest, friction, armature;
    double start;              /* NaN: as the poses have it */
    double rate;               /* NaN: not given */
} tn_machine_coordinate;

/* Faces that meet: what an inferred joint was inferred from, in the world at the pose of the file. */
typedef struct tn_joint_contact {
    const char *kind;          /* "cylindrical", "planar", "spherical" */
    double point[3], axis[3];
    double radius, length;     /* m: of the shaft or ball, along the axis; planar: of a disc of the area that meets */
} tn_joint_contact;

typedef struct tn_machine_joint {
    const char *name, *label;
    const char *key;           /* of decisions: unique, from names of the file alone; set by tn_machine_decide */
    const char *type;          /* of Tenon: "revolute"; "fixed" may be merged */
    const char *source;        /* what the file calls it: "continuous", "Concentric3" */
    tn_span place;
    int body1, body2;
    tn_pose frame1, frame2;    /* in the frames of the bodies */
    tn_setting settings[TN_MACHINE_SETTINGS];
    size_t setting_count;
    tn_machine_coordinate coordinates[TN_MACHINE_COORDINATES];
    size_t coordinate_count;
    double confidence;         /* 1: the file says it; below: inferred */
    const char *evidence;      /* for inferred ones; NULL: none */
    const tn_joint_contact *contacts;
    size_t contact_count;
    bool mate;                 /* tn_machine_combine may make it part of another joint */
    bool absorbed;             /* it has become part of another joint */
    bool keep;                 /* a fixed joint that is never merged */
    bool merged;               /* its bodies have become one */
    bool dropped;              /* rejected, or below the confidence that counts by itself */
    bool in_loop;              /* its start values are guesses; set by tn_machine_check_starts */
    bool decided;              /* a person accepted or rejected it */
} tn_machine_joint;

/* sum of factor * coordinate = offset */
typedef struct tn_machine_coupling {
    const char *name, *label, *source;
    tn_span place;
    struct { int joint; const char *coordinate; double factor; } terms[TN_MACHINE_TERMS];
    size_t term_count;
    double offset;             /* NaN: as built */
    bool curved;               /* two terms: the first coordinate is this polynomial of the second instead */
    double polynomial[5];
} tn_machine_coupling;

/* A force or a drive; texts are values as a model file has them. */
typedef struct tn_machine_load {
    const char *name, *label, *source;
    tn_span place;
    const char *type;          /* of a force; NULL: a drive */
    int joint;                 /* along its coordinate; -1: between bodies */
    const char *coordinate;
    int body1, body2;
    tn_pose frame1, frame2;
    struct { const char *key, *text; } values[8];
    size_t value_count;
} tn_machine_load;

/* A sub-assembly that moves in itself: a subsystem of the model. */
typedef struct tn_machine_part {
    const char *name, *label;
    int parent;                /* -1: the model itself */
    tn_pose pose;              /* of its frame, in the world */
} tn_machine_part;

/* A sub-assembly of the file, of which a person may decide whether it is rigid. */
typedef struct tn_machine_assembly {
    const char *path, *name;
    bool rigid, decided;
    int proposals;             /* joints that would be inside, were it flexible; -1: not looked for */
} tn_machine_assembly;

/* Two bodies that never touch, as the file says. */
typedef struct tn_machine_exclusion {
    int body1, body2;
} tn_machine_exclusion;

typedef struct tn_machine_note {
    tn_severity severity;
    tn_span place;
    const char *text;
} tn_machine_note;

/* Something in the file that has no counterpart, and how often. */
typedef struct tn_machine_left_out {
    const char *what;
    tn_span first;
    size_t count;
} tn_machine_left_out;

/* A file of the model folder, as it was in the source. */
typedef struct tn_machine_attachment {
    const char *name;
    const char *data;
    size_t size;
} tn_machine_attachment;

/* A coordinate of a body's position over time. */
typedef struct tn_machine_series {
    int body, axis;
    const double *values;      /* m, time_count */
} tn_machine_series;

typedef struct tn_machine {
    tn_context *context;
    tn_arena *arena;
    int status;
    const tn_import_options *options;
    const char *format, *name;
    double gravity[3];
    bool gravity_given;
    tn_machine_body *bodies;
    size_t body_count, body_capacity;
    tn_machine_joint *joints;
    size_t joint_count, joint_capacity;
    tn_machine_coupling *couplings;
    size_t coupling_count, coupling_capacity;
    tn_machine_load *loads;
    size_t load_count, load_capacity;
    tn_machine_part *parts;
    size_t part_count, part_capacity;
    tn_machine_assembly *assemblies;
    size_t assembly_count, assembly_capacity;
    tn_import_decision *decisions;     /* of this import and of those before */
    bool *decision_used;
    size_t decision_count;
    uint64_t hash;             /* of the main file */
    tn_machine_exclusion *exclusions;
    size_t exclusion_count, exclusion_capacity;
    tn_machine_note *notes;
    size_t note_count, note_capacity;
    tn_machine_left_out *left_out;
    size_t left_out_count, left_out_capacity;
    const char **files;        /* every file that was read */
    size_t file_count, file_capacity;
    struct tn_name_table *names;   /* labels in use, "part/label", and names of indices, "#number/name" */
    int index_count;
    double until;              /* s; NaN: not given */
    const char *sections;      /* of the model file, beyond bodies, joints and loads; NULL: none */
    const char *outputs;       /* items of the list of outputs, each with a comma behind it; NULL: none */
    tn_machine_attachment *attachments;
    size_t attachment_count, attachment_capacity;
    tn_machine_series *series; /* what the file says about its own solution */
    size_t series_count, series_capacity, time_count;
    const double *times;       /* s */
} tn_machine;

int tn_machine_create(tn_machine **out, tn_context *context, const tn_import_options *options);
void tn_machine_destroy(tn_machine *machine);
int tn_machine_status(const tn_machine *machine);

/* New entries with defaults; index into the arrays. Arrays may move: pointers are valid until the next call. */
int tn_machine_add_body(tn_machine *machine, const char *name, tn_span place);
int tn_machine_add_joint(tn_machine *machine, const char *name, const char *type, int body1, int body2, tn_span place);
/* Whether the joint only measures, and holds nothing. */
bool tn_joint_measures(const tn_machine_joint *joint);
tn_machine_coordinate *tn_joint_coordinate(tn_machine_joint *joint, const char *name);
void tn_joint_setting(tn_machine_joint *joint, const char *name, double value);
tn_machine_coupling *tn_machine_add_coupling(tn_machine *machine, const char *name, tn_span place);
void tn_coupling_term_add(tn_machine_coupling *coupling, int joint, const char *coordinate, double factor);
/* type NULL: a drive. */
tn_machine_load *tn_machine_add_load(tn_machine *machine, const char *name, const char *type, tn_span place);
void tn_load_value(tn_machine *machine, tn_machine_load *load, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int tn_machine_add_part(tn_machine *machine, const char *name, int parent, const tn_pose *pose);
tn_machine_shape *tn_machine_add_shape(tn_machine *machine, int body, tn_shape_kind kind);
int tn_machine_add_frame(tn_machine *machine, int body, const char *name, const tn_pose *pose);
/* times and values are borrowed and live as long as the arena; all series share the times. */
void tn_machine_add_series(tn_machine *machine, int body, int axis, const double *times, const double *values, size_t count);
void tn_machine_exclude(tn_machine *machine, int body1, int body2);
void tn_machine_add_file(tn_machine *machine, const char *path);
/* data is copied. */
void tn_machine_attach(tn_machine *machine, const char *name, const char *data, size_t size);

/* Adds a mass to the body: com and inertia about it in axes of pose, pose in the body's frame. */
void tn_body_add_mass(tn_machine_body *body, double mass, const tn_pose *pose, const double com[3],
                      const double inertia[6]);

/* Forces at centres of mass that take their share (lift) off the weight of bodies; source is what the file calls it. */
void tn_machine_lift(tn_machine *machine, const char *source);

/* Adds a sub-assembly; returns whether it is rigid, as decided or, if not, as said. */
bool tn_machine_add_assembly(tn_machine *machine, const char *path, const char *name, bool rigid);

/* Messages of the report. An error goes to the context with tn_fail instead. */
void tn_machine_note_add(tn_machine *machine, tn_severity severity, tn_span place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Counts something that was left out; what is copied. */
void tn_machine_leave_out(tn_machine *machine, tn_span place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *tn_machine_text(tn_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of a decision; NULL: no decision was made. */
const char *tn_machine_decision(tn_machine *machine, const char *about, const char *name);
/* Takes decisions over; later ones count more. */
int tn_machine_decisions_take(tn_machine *machine, const tn_import_decision *list, size_t count);
/* Carries out decisions about joints, masses, ground and drives, after reading and before merging. */
void tn_machine_decide(tn_machine *machine);

/* Joins bodies along fixed joints (all, or with keep_fixed only what has no mass or is the world), and adds up masses.
 * Bodies that are part of another keep their place in the arrays. */
void tn_machine_merge(tn_machine *machine);
/* Makes mass properties acceptable to the engine; each change is a note. */
void tn_machine_check_masses(tn_machine *machine);
/* Leaves out joints that the engine would refuse because of a setting (a rack and pinion of radius 0), before merging. */
void tn_machine_check_settings(tn_machine *machine);
/* Leaves out shapes that the engine would refuse because of their size. */
void tn_machine_check_shapes(tn_machine *machine);
/* Losses, springs, friction and rotors that are negative: told, and left out where they mean nothing. */
void tn_machine_check_coordinates(tn_machine *machine);
/* Changes the second frames of joints so that all of them hold in the pose of the file, with a note; false: nothing was changed,
 * because some of them are far apart, or none. */
bool tn_machine_fit(tn_machine *machine);
/* Takes limits of coordinates that follow others by a linear coupling as limits of the others. */
void tn_machine_gather_limits(tn_machine *machine);
/* Poses of the bodies along the joints, by the starts of coordinates; finds the joints of loops, whose starts are guesses. */
void tn_machine_place(tn_machine *machine);
/* Brings start values of coordinates within their limits; each change is a note. */
void tn_machine_check_starts(tn_machine *machine);
/* The twists that a joint leaves free: turns (rad) and shifts (m) of the point of body 2 at origin, a point of the world. Their number;
 * -1: the type is not known. */
int tn_machine_free_twists(double out[6][6], const tn_machine *machine, const tn_machine_joint *joint, const double origin[3]);
/* The fastest rate (1/s) at which damping or a servo stops a joint by itself, and the joint's label. */
double tn_machine_fastest(tn_machine *machine, const char **joint_name);
/* Joints that count, by body, in linked lists. */
typedef struct tn_joint_links {
    int *first, *next;         /* by body; by 2 joint + end: the next such number of that body, -1: none */
} tn_joint_links;
bool tn_machine_link_joints(tn_joint_links *out, tn_machine *machine);
/* Gives every entity a label: letters, digits, _ and -, unique. */
void tn_machine_name(tn_machine *machine);
/* The part whose file the joint belongs to: the innermost one that holds both bodies. */
int tn_joint_part(const tn_machine *machine, const tn_machine_joint *joint);
/* Letters, digits, _ and - of a name; room for at least 68 characters. */
void tn_label_make(char *out, const char *name);
/* A label near to the wish that no entity of the part has; for entities that the writer adds. */
const char *tn_machine_label(tn_machine *machine, int part, const char *wish);
/* The value of a coordinate ("angle" or "position") of a joint in the pose of the file; 0 for other coordinates. */
double tn_machine_coordinate_value(const tn_machine *machine, const tn_machine_joint *joint, const char *name);

/* Constant-velocity joints of other systems have z axes that point away from each other: frame 2 is turned over then. */
void tn_machine_turn_over(const tn_machine *machine, tn_machine_joint *joint);
/* The offset of a screw-row in the pose of the file: position - lead / (2 pi) angle. */
double tn_machine_screw_offset(const tn_machine *machine, const tn_machine_joint *joint, double lead);

/* The pose of a body in the world by the poses of the file, after merging. */
tn_pose tn_machine_pose(const tn_machine *machine, int body);
/* Brings a frame of a body to the body that it is part of; returns that body. */
int tn_machine_resolve(const tn_machine *machine, int body, tn_pose *frame);

#endif
