/* The keys of a model file, declared once: the reader, its suggestions, the schema and the documentation's test all use
 * these tables. A section is a map with fixed keys; keys.c has one table for each. The order of a table is the order in
 * which people write the keys, and the order in the normal form of a file. */
#ifndef TN_IO_KEYS_H
#define TN_IO_KEYS_H

#include "solve_table.h"
#include "tenon/sys/joint.h"

typedef enum tn_value_kind {
    TN_VALUE_NUMBER,           /* in the key's unit; a text may carry a unit or be an expression */
    TN_VALUE_FORMULA,          /* a number, or an expression of time and channels */
    TN_VALUE_NUMBERS,          /* a list of numbers, or one */
    TN_VALUE_VECTOR,           /* two or three numbers, by the model's dimension */
    TN_VALUE_SPIN,             /* planar: a number; spatial: a vector */
    TN_VALUE_AXIS,             /* x, -y, ... or a vector */
    TN_VALUE_TEXT,
    TN_VALUE_CHOICE,           /* one of the key's choices */
    TN_VALUE_SWITCH,           /* yes or no, true or false */
    TN_VALUE_TEXTS,            /* a text or a list of texts */
    TN_VALUE_OUTPUTS,          /* texts, and maps of names -> expressions */
    TN_VALUE_ACTIONS,          /* texts, and maps with one key: commands */
    TN_VALUE_PAIRS,            /* a list of pairs of numbers */
    TN_VALUE_ROWS,             /* a list of lists of numbers */
    TN_VALUE_PAIR,             /* a list of two attachments: ground, body or body.frame */
    TN_VALUE_NUMBER_MAP,       /* names -> numbers */
    TN_VALUE_TEXT_MAP,         /* names -> texts */
    TN_VALUE_ANY,              /* a text, a list or a map */
    TN_VALUE_LIMITS,           /* coordinates -> [low, high], and restitution */
    TN_VALUE_SECTION,          /* a map with the section's keys */
    TN_VALUE_SECTIONS,         /* a list of such maps */
    TN_VALUE_NAMED             /* names -> such maps */
} tn_value_kind;

struct tn_section;
typedef struct tn_key {
    const char *name;
    tn_value_kind kind;
    const char *unit;          /* numbers: "m"; "" is a plain number */
    const char *doc;
    tn_sign sign;
    const struct tn_section *section;
    const char *const *choices;/* ending in NULL */
    int dimension;             /* the only one of models with this key; 0: both */
} tn_key;

typedef enum tn_key_family { TN_FAMILY_NONE, TN_FAMILY_JOINT, TN_FAMILY_FORCE, TN_FAMILY_DEVICE } tn_key_family;

enum { TN_MAX_KEYS = 40 };
typedef struct tn_section {
    const char *name;
    tn_key keys[TN_MAX_KEYS];  /* ending with name NULL */
    tn_key_family types;       /* also takes the parameters of its type, which "type" names */
    bool open;                 /* also takes names that depend on the model */
} tn_section;

/* Each enumeration names the entries of the table of the same name. */
enum { TOP_TENON, TOP_NAME, TOP_DIMENSION, TOP_GRAVITY, TOP_PARAMETERS, TOP_INCLUDE, TOP_BODIES, TOP_SUBSYSTEMS,
       TOP_PORTS, TOP_CLOSED, TOP_INERTIA_CHECK, TOP_JOINT_TYPES, TOP_JOINTS, TOP_DRIVES, TOP_FORCES, TOP_DEVICE_TYPES, TOP_MEDIA,
       TOP_DEVICES, TOP_CONNECT, TOP_NODES, TOP_LET, TOP_CONTACTS, TOP_STATES, TOP_INPUTS, TOP_TABLES,
       TOP_CHANGES, TOP_INITIAL, TOP_EVENTS, TOP_OUTPUTS, TOP_GROUPS, TOP_SOLVE, TOP_EXPECT };
enum { CONNECTION_FROM, CONNECTION_TO };
enum { BODY_TYPE, BODY_ENABLED, BODY_MASS, BODY_COM, BODY_INERTIA, BODY_INERTIA_CHECK, BODY_SHAPES, BODY_LOOK, BODY_POSITION, BODY_ANGLE,
       BODY_ROTATION, BODY_VELOCITY, BODY_ANGULAR_VELOCITY, BODY_GUESS, BODY_FRAMES, BODY_VARIANT, BODY_VARIANTS };
enum { SUBSYSTEM_USE, SUBSYSTEM_ENABLED, SUBSYSTEM_AT, SUBSYSTEM_ANGLE, SUBSYSTEM_ROTATION, SUBSYSTEM_MIRROR,
       SUBSYSTEM_PARAMETERS, SUBSYSTEM_PORTS, SUBSYSTEM_SOLVE, SUBSYSTEM_ISOLATE, SUBSYSTEM_VARIANT, SUBSYSTEM_VARIANTS };
enum { FMU_PORT_AT, FMU_PORT_ANGLE, FMU_PORT_ROTATION, FMU_PORT_FREEDOMS };
enum { FRAME_AT, FRAME_ANGLE, FRAME_ROTATION, FRAME_AXIS };
enum { ROTATION_AXIS, ROTATION_ANGLE, ROTATION_QUATERNION, ROTATION_EULER };
enum { SHAPE_BOX, SHAPE_CYLINDER, SHAPE_SPHERE, SHAPE_ROD, SHAPE_CAPSULE, SHAPE_DISC, SHAPE_POLYGON, SHAPE_HALF_SPACE,
       SHAPE_CONE, SHAPE_TORUS, SHAPE_ELLIPSOID, SHAPE_TUBE, SHAPE_BOWL, SHAPE_HULL, SHAPE_HEIGHT_FIELD, SHAPE_MESH,
       SHAPE_MASS, SHAPE_DENSITY, SHAPE_MATERIAL };
enum { LOOK_GEAR = SHAPE_MESH + 1, LOOK_RACK, LOOK_MATERIAL, LOOK_COLOUR };      /* after the same shapes */
enum { BOX_SIZE, BOX_AT, BOX_ANGLE, BOX_ROTATION };
enum { ROUND_FROM, ROUND_TO, ROUND_RADIUS, ROUND_LENGTH, ROUND_AT, ROUND_AXIS, ROUND_INNER };
enum { SPHERE_RADIUS, SPHERE_AT };
enum { DISC_RADIUS, DISC_THICKNESS, DISC_AT };
enum { POLYGON_CORNERS, POLYGON_THICKNESS, POLYGON_AT, POLYGON_ANGLE, POLYGON_ROTATION };
enum { HALF_SPACE_AT, HALF_SPACE_NORMAL };
enum { TORUS_RADIUS, TORUS_TUBE, TORUS_AT, TORUS_AXIS };
enum { BOWL_RADIUS, BOWL_DEPTH, BOWL_AT, BOWL_AXIS };
enum { ELLIPSOID_HALF_AXES, ELLIPSOID_AT, ELLIPSOID_ANGLE, ELLIPSOID_ROTATION };
enum { HULL_POINTS, HULL_AT, HULL_ANGLE, HULL_ROTATION };
enum { HEIGHTS_SPACING, HEIGHTS_HEIGHTS, HEIGHTS_AT, HEIGHTS_ANGLE, HEIGHTS_ROTATION };
enum { MESH_FILE, MESH_SCALE, MESH_TOUCH, MESH_AT, MESH_ANGLE, MESH_ROTATION };
enum { GEAR_RADIUS, GEAR_TEETH, GEAR_RIM, GEAR_THICKNESS, GEAR_AT, GEAR_ANGLE, GEAR_ROTATION };
enum { RACK_PITCH, RACK_TEETH, RACK_HEIGHT, RACK_THICKNESS, RACK_AT, RACK_ANGLE, RACK_ROTATION };
enum { JOINT_TYPE, JOINT_ENABLED, JOINT_BETWEEN, JOINT_ENDS, JOINT_AT, JOINT_AXIS, JOINT_AXIS2, JOINT_FUSE,
       JOINT_LATCH, JOINT_LIMITS, JOINT_RATCHET, JOINT_JOINTS, JOINT_TERMS, JOINT_VARIANT, JOINT_VARIANTS };
enum { OWN_DOC, OWN_JOINTS, OWN_PARAMETERS, OWN_EQUATIONS, OWN_VELOCITY_EQUATIONS, OWN_COORDINATES };
enum { DRIVE_JOINT, DRIVE_POSITION, DRIVE_ANGLE, DRIVE_RATE, DRIVE_ACCELERATION, DRIVE_ENABLED, DRIVE_VARIANT,
       DRIVE_VARIANTS };
enum { FORCE_TYPE, FORCE_ENABLED, FORCE_ON, FORCE_FROM, FORCE_BETWEEN, FORCE_ENDS, FORCE_JOINT, FORCE_TIR,
       FORCE_VARIANT, FORCE_VARIANTS };
enum { DEVICE_TYPE, DEVICE_ENABLED, DEVICE_AT, DEVICE_SHAFT, DEVICE_SLIDE, DEVICE_LINE, DEVICE_USE, DEVICE_KIND, DEVICE_INPUTS,
       DEVICE_OUTPUTS, DEVICE_PARAMETERS, DEVICE_COUPLING, DEVICE_LIMIT, DEVICE_VARIANT, DEVICE_VARIANTS };
enum { NODE_END };
enum { OWN_DEVICE_DOC, OWN_DEVICE_PORTS, OWN_DEVICE_PARAMETERS, OWN_DEVICE_REQUIREMENTS, OWN_DEVICE_UNKNOWNS,
       OWN_DEVICE_EQUATIONS, OWN_DEVICE_STATES, OWN_DEVICE_CHANNELS, OWN_DEVICE_FLOWS, OWN_DEVICE_STORES, OWN_DEVICE_EFFORT,
       OWN_DEVICE_MEMORIES, OWN_DEVICE_PERIOD, OWN_DEVICE_OFFSET, OWN_DEVICE_MODES, OWN_DEVICE_START_MODE,
       OWN_DEVICE_SWITCHES, OWN_DEVICE_STORED, OWN_DEVICE_LOSS, OWN_DEVICE_SUPPLIED };
#define TN_ONE_MORE(...) +1
enum { CONTACT_BETWEEN, CONTACT_AMONG, CONTACT_GRAIN, CONTACT_SURFACE_VELOCITY, CONTACT_RESTITUTION_AT, CONTACT_MATERIALS,
       CONTACT_ATTRIBUTES,     /* the first of them */
       CONTACT_ENABLED = CONTACT_ATTRIBUTES TN_CONTACT_ATTRIBUTES(TN_ONE_MORE, TN_ONE_MORE) };
enum { MATERIAL_BETWEEN, MATERIAL_GRAIN, MATERIAL_SURFACE_VELOCITY, MATERIAL_RESTITUTION_AT, MATERIAL_ATTRIBUTES };
enum { STATE_INITIAL, STATE_RATE, STATE_ENABLED };
enum { INPUT_UNIT, INPUT_DEFAULT, INPUT_LOW, INPUT_HIGH, INPUT_ENABLED };
enum { TABLE_X, TABLE_Y, TABLE_Z, TABLE_POINTS, TABLE_FILE, TABLE_COLUMNS, TABLE_GRID, TABLE_KIND, TABLE_OUTSIDE };
enum { INITIAL_POSITION, INITIAL_ANGLE, INITIAL_ROTATION, INITIAL_VELOCITY, INITIAL_ANGULAR_VELOCITY,
       INITIAL_GUESS };
enum { EVENT_WHEN, EVENT_CROSSES, EVENT_HYSTERESIS, EVENT_TOUCH, EVENT_ONCE, EVENT_ZENO, EVENT_DO };
enum { GROUP_MEMBERS };
enum { COMMAND_ADD, COMMAND_REMOVE, COMMAND_REPLACE, COMMAND_SET, COMMAND_ENABLE, COMMAND_DISABLE, COMMAND_GRAVITY,
       COMMAND_SOLVE, COMMAND_LOCK, COMMAND_UNLOCK, COMMAND_MOVE, COMMAND_STATE, COMMAND_PARAMETERS, COMMAND_TEXT,
       COMMAND_CLOSING, COMMAND_STAY, COMMAND_FILES, COMMAND_MORE };
enum { CLOSING_DRAW };
enum { CHANGES_REPLACE, CHANGES_ADD, CHANGES_REMOVE, CHANGES_DISABLE, CHANGES_ENABLE, CHANGES_SET };
enum { MOVE_AT, MOVE_BETWEEN };
enum { EXPECT_ENERGY, EXPECT_DRIFT, EXPECT_STOP, EXPECT_REFERENCE };
enum { REFERENCE_FILE, REFERENCE_TOLERANCE, REFERENCE_CHANNELS };

extern const tn_section tn_section_top, tn_section_body, tn_section_subsystem, tn_section_fmu_port, tn_section_frame, tn_section_rotation,
    tn_section_shape, tn_section_look, tn_section_box, tn_section_cylinder, tn_section_sphere, tn_section_rod, tn_section_capsule,
    tn_section_disc, tn_section_polygon, tn_section_half_space, tn_section_cone, tn_section_torus, tn_section_tube, tn_section_bowl,
    tn_section_ellipsoid, tn_section_hull, tn_section_height_field,
    tn_section_mesh, tn_section_gear, tn_section_rack, tn_section_contact, tn_section_material, tn_section_joint,
    tn_section_fuse, tn_section_latch, tn_section_ratchet, tn_section_own_type, tn_section_drive, tn_section_force,
    tn_section_device, tn_section_node, tn_section_medium, tn_section_device_type,
    tn_section_connection, tn_section_state, tn_section_let, tn_section_input, tn_section_table, tn_section_initial, tn_section_event, tn_section_group, tn_section_solve,
    tn_section_expect, tn_section_reference, tn_section_command, tn_section_move, tn_section_closing, tn_section_changes, tn_section_definitions;

#endif
