/* The tables of keys of model files, one table for each section; those of shapes are in keys_shapes.c. */
#include "keys_impl.h"
#include <stddef.h>

#define VARIANT_KEYS(first, of) \
    [(first)] = { .name = "variant", TN_VALUE_TEXT, NULL, "Which of the variants counts. Default: the first." }, \
    [(first) + 1] = { .name = "variants", TN_VALUE_NAMED, NULL, \
                      "Several definitions under one name: word -> keys, which count beside and before those around them.", \
                      .section = &(of) }

#define ENABLED_KEY(doc) { .name = "enabled", TN_VALUE_SWITCH, NULL, doc }

static const char *const version_choices[] = { "1", NULL };
static const char *const dimension_choices[] = { "2", "3", NULL };
static const char *const body_choices[] = { "rigid", "particle", "rotor", "slider", NULL };
static const char *const curve_choices[] = { "smooth", "monotone", "linear", "periodic", NULL };
static const char *const outside_choices[] = { "hold", "extend", NULL };
static const char *const inertia_choices[] = { "refuse", "warn", NULL };
static const char *const zeno_choices[] = { "fail", "stop", "off", NULL };
static const char *const yes_choices[] = { "no", "yes", NULL };
static const char *const mirror_choices[] = { "none", "x", "y", "z", NULL };
static const char *const fmu_choices[] = { "me", "cs", NULL }, *const coupling_choices[] = { "hold", "iterate", NULL };

const tn_section tn_section_top = { .name = "model", .keys = {
    [TOP_TENON] = { .name = "tenon", TN_VALUE_CHOICE, NULL, "Version of the format. Must be given.",
                    .choices = version_choices },
    [TOP_NAME] = { .name = "name", TN_VALUE_TEXT, NULL, "What the model is called." },
    [TOP_DIMENSION] = { .name = "dimension", TN_VALUE_CHOICE, NULL, "2: planar; 3: spatial (default).",
                        .choices = dimension_choices },
    [TOP_GRAVITY] = { .name = "gravity", TN_VALUE_VECTOR, "m/s^2",
                      "Acceleration of gravity in the world; may be expressions of t. None by default." },
    [TOP_PARAMETERS] = { .name = "parameters", TN_VALUE_NUMBER_MAP, NULL,
                         "Numbers by name, for use in expressions; may refer to each other in any order." },
    [TOP_INCLUDE] = { .name = "include", TN_VALUE_TEXTS, NULL,
                      "Files, relative to this one, whose sections are added." },
    [TOP_BODIES] = { .name = "bodies", TN_VALUE_NAMED, NULL, "The moving bodies. 'ground' is there already.",
                     .section = &tn_section_body },
    [TOP_SUBSYSTEMS] = { .name = "subsystems", TN_VALUE_NAMED, NULL,
                         "Parts that are models of their own, from files, or components, from libraries.",
                         .section = &tn_section_subsystem },
    [TOP_PORTS] = { .name = "ports", TN_VALUE_TEXT_MAP, NULL,
                    "Where others attach when the model is a subsystem: name -> body, body.frame or node." },
    [TOP_INERTIA_CHECK] = { .name = "inertia_check", TN_VALUE_CHOICE, NULL,
                            "refuse (default) or warn, for all bodies that do not say it themselves.",
                            .choices = inertia_choices },
    [TOP_CLOSED] = { .name = "closed", TN_VALUE_SWITCH, NULL,
                     "yes: as a subsystem, joints and forces from outside attach to its ports only. Default: no." },
    [TOP_JOINT_TYPES] = { .name = "joint_types", TN_VALUE_NAMED, NULL, "Joint types of one's own, by their equations.",
                          .section = &tn_section_own_type },
    [TOP_JOINTS] = { .name = "joints", TN_VALUE_NAMED, NULL,
                     "What connects the bodies.", .section = &tn_section_joint },
    [TOP_DRIVES] = { .name = "drives", TN_VALUE_NAMED, NULL, "Joint coordinates whose motion is prescribed.",
                     .section = &tn_section_drive },
    [TOP_FORCES] = { .name = "forces", TN_VALUE_NAMED, NULL, "What acts on the bodies.", .section = &tn_section_force },
    [TOP_DEVICE_TYPES] = { .name = "device_types", TN_VALUE_NAMED, NULL, "Device types of one's own, by their equations.",
                           .section = &tn_section_device_type },
    [TOP_MEDIA] = { .name = "media", TN_VALUE_NAMED, NULL, "hydraulic, pneumatic, thermal: oil, gas, surroundings.",
                    .section = &tn_section_medium },
    [TOP_DEVICES] = { .name = "devices", TN_VALUE_NAMED, NULL, "Motors, valves, controllers: what meets at nodes.",
                      .section = &tn_section_device },
    [TOP_CONNECT] = { .name = "connect", TN_VALUE_SECTIONS, NULL, "Inputs of FMUs -> expressions, one connection an entry.",
                      .section = &tn_section_connection },
    [TOP_NODES] = { .name = "nodes", TN_VALUE_NAMED, NULL, "Starts and guesses of nodes that devices name.",
                    .section = &tn_section_node },
    [TOP_LET] = { .name = "let", TN_VALUE_NUMBER_MAP, NULL,
                  "Names -> expressions that they stand for in all expressions; (x, y) -> x * y is a function.",
                  .section = &tn_section_let },
    [TOP_CONTACTS] = { .name = "contacts", TN_VALUE_NAMED, NULL, "Bodies whose shapes may touch each other.",
                       .section = &tn_section_contact },
    [TOP_STATES] = { .name = "states", TN_VALUE_NAMED, NULL, "Numbers with a rate of their own: pressures, filters.",
                     .section = &tn_section_state },
    [TOP_INPUTS] = { .name = "inputs", TN_VALUE_NAMED, NULL,
                     "Numbers that programs, controllers and other tools set while the model runs.",
                     .section = &tn_section_input },
    [TOP_TABLES] = { .name = "tables", TN_VALUE_NAMED, NULL, "Functions by points, called like any other: NAME(x).",
                     .section = &tn_section_table },
    [TOP_CHANGES] = { .name = "changes", TN_VALUE_SECTION, NULL, "What is different inside subsystems from what their files say.",
                      .section = &tn_section_changes },
    [TOP_INITIAL] = { .name = "initial", TN_VALUE_NAMED, NULL, "The start, by joint coordinates or by bodies.",
                      .section = &tn_section_initial },
    [TOP_EVENTS] = { .name = "events", TN_VALUE_NAMED, NULL, "What happens when an expression reaches zero.",
                     .section = &tn_section_event },
    [TOP_OUTPUTS] = { .name = "outputs", TN_VALUE_OUTPUTS, NULL,
                      "Channels, or groups of channels, to be recorded; NAME: expression makes a new channel." },
    [TOP_GROUPS] = { .name = "groups", TN_VALUE_NAMED, NULL,
                     "Parts that the hierarchical solver takes as subsystems.", .section = &tn_section_group },
    [TOP_SOLVE] = { .name = "solve", TN_VALUE_SECTION, NULL, "How to solve.", .section = &tn_section_solve },
    [TOP_EXPECT] = { .name = "expect", TN_VALUE_SECTION, NULL, "What the solution must look like: checked after a run.",
                     .section = &tn_section_expect },
} };

const tn_section tn_section_body = { .name = "body", .keys = {
    [BODY_TYPE] = { .name = "type", TN_VALUE_CHOICE, NULL, "rigid (default), particle; rotor (inertia) or slider (mass): one coordinate, angle or position, and no place.", .choices = body_choices },
    [BODY_ENABLED] = ENABLED_KEY("no: left out, with its joints and forces; touches nothing. Default: yes."),
    [BODY_MASS] = { .name = "mass", TN_VALUE_NUMBER, "kg", "Mass; may come from shapes.", TN_POSITIVE },
    [BODY_COM] = { .name = "com", TN_VALUE_VECTOR, "m", "Centre of mass in the body's frame. Default: its origin." },
    [BODY_INERTIA] = { .name = "inertia", TN_VALUE_NUMBERS, "kg m^2",
                       "About the centre of mass, body axes. Planar: one number; spatial: [xx, yy, zz] or "
                       "[xx, yy, zz, xy, xz, yz] (tensor entries)." },
    [BODY_INERTIA_CHECK] = { .name = "inertia_check", TN_VALUE_CHOICE, NULL,
                             "refuse (default): inertia that no body has, or no mass, is an error; warn: accepted, with a "
                             "warning that says what was assumed.", .choices = inertia_choices },
    [BODY_SHAPES] = { .name = "shapes", TN_VALUE_SECTIONS, NULL,
                      "Pictures, and mass properties where a mass or density is given.", .section = &tn_section_shape },
    [BODY_LOOK] = { .name = "look", TN_VALUE_SECTIONS, NULL,
                    "The picture of the body in place of its shapes. Weighs nothing, touches nothing; polygons need not be "
                    "convex, meshes not closed.", .section = &tn_section_look },
    TN_POSE_KEYS("position", "Origin of the body's frame in the world, as built.", BODY_POSITION),
    [BODY_VELOCITY] = { .name = "velocity", TN_VALUE_VECTOR, "m/s", "Velocity of the frame's origin at the start." },
    [BODY_GUESS] = { .name = "guess", TN_VALUE_SWITCH, NULL,
                     "yes: the velocities are a first guess, which assembly may change. Default: no." },
    [BODY_ANGULAR_VELOCITY] = { .name = "angular_velocity", TN_VALUE_SPIN, "rad/s",
                                "Angular velocity at the start, world axes. Planar: one number." },
    [BODY_FRAMES] = { .name = "frames", TN_VALUE_NAMED, NULL,
                      "Named places on the body.", .section = &tn_section_frame },
    VARIANT_KEYS(BODY_VARIANT, tn_section_body),
} };

const tn_section tn_section_subsystem = { .name = "subsystem", .keys = {
    [SUBSYSTEM_USE] = { .name = "use", TN_VALUE_TEXT, NULL,
                        "Model file, library of a component (.so) or FMU (.fmu), relative to this one." },
    [SUBSYSTEM_ENABLED] = ENABLED_KEY("no: left out, with all that is in it. Default: yes."),
    TN_POSE_KEYS("at", "Where the origin of the file is.", SUBSYSTEM_AT),
    [SUBSYSTEM_MIRROR] = { .name = "mirror", TN_VALUE_CHOICE, NULL,
                           "Its mirror image, x, y or z of the file reversed, is put there. Default: none.",
                           .choices = mirror_choices },
    [SUBSYSTEM_PARAMETERS] = { .name = "parameters", TN_VALUE_NUMBER_MAP, NULL,
                               "Other values for parameters of the file." },
    [SUBSYSTEM_PORTS] = { .name = "ports", TN_VALUE_NAMED, NULL, "Of an FMU (.fmu): which of its outputs and inputs are motion and force.",
                          .section = &tn_section_fmu_port },
    [SUBSYSTEM_SOLVE] = { .name = "solve", TN_VALUE_SECTION, NULL, "Settings of its own, over those of its file.",
                          .section = &tn_section_solve },
    [SUBSYSTEM_ISOLATE] = { .name = "isolate", TN_VALUE_SWITCH, NULL,
                            "yes: the library (.so) runs in a process of its own. Default: no." },
    VARIANT_KEYS(SUBSYSTEM_VARIANT, tn_section_subsystem),
} };

#define FMU_FREEDOM(n, position, rate, force, way, unit)                                                                       \
    [FMU_PORT_FREEDOMS + 3 * n] = { .name = position, TN_VALUE_TEXT, NULL, "Output: " way " (" unit ")." },                    \
    [FMU_PORT_FREEDOMS + 3 * n + 1] = { .name = rate, TN_VALUE_TEXT, NULL, "Output: rate of " way " (" unit "/s)." },          \
    [FMU_PORT_FREEDOMS + 3 * n + 2] = { .name = force, TN_VALUE_TEXT, NULL, "Input: force or torque on the FMU along it." }

const tn_section tn_section_fmu_port = { .name = "port", .keys = {
    TN_POSE_KEYS("at", "Where the port is while its positions are 0, in the frame of the subsystem.", FMU_PORT_AT),
    FMU_FREEDOM(0, "x", "vx", "fx", "shift along x", "m"), FMU_FREEDOM(1, "y", "vy", "fy", "shift along y", "m"),
    FMU_FREEDOM(2, "z", "vz", "fz", "shift along z", "m"), FMU_FREEDOM(3, "turn", "rate", "torque", "turn about z", "rad"),
} };
#undef FMU_FREEDOM

const tn_section tn_section_frame = { .name = "frame", .keys = {
    TN_POSE_KEYS("at", "Origin in the body's frame.", FRAME_AT),
    [FRAME_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL, "Direction of the frame's z axis (planar: x axis)." },
} };

const tn_section tn_section_rotation = { .name = "rotation", .keys = {
    [ROTATION_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL, "Axis of the turn; needs angle." },
    [ROTATION_ANGLE] = { .name = "angle", TN_VALUE_NUMBER, "rad", "Angle about axis." },
    [ROTATION_QUATERNION] = { .name = "quaternion", TN_VALUE_NUMBERS, "", "[w, x, y, z]; any length but zero." },
    [ROTATION_EULER] = { .name = "euler", TN_VALUE_NUMBERS, "rad", "Angles about x, then the new y, then the new z." },
} };

const tn_section tn_section_joint = { .name = "joint", .types = TN_FAMILY_JOINT, .keys = {
    [JOINT_TYPE] = { .name = "type", TN_VALUE_TEXT, NULL, "The joint's type." },
    [JOINT_ENABLED] = ENABLED_KEY("no: left out, with what couples, drives or acts along it. Default: yes."),
    [JOINT_BETWEEN] = { .name = "between", TN_VALUE_PAIR, NULL, "What is connected: ground, body or body.frame." },
    [JOINT_ENDS] = { .name = "ends", TN_VALUE_SECTIONS, NULL,
                     "Where it is on each of the two bodies, in their own frames; instead of at and axis.",
                     .section = &tn_section_frame },
    [JOINT_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Point in the world, with the bodies as built." },
    [JOINT_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL,
                     "Direction of the joint's axis: in the world between bodies, in the frames between frames." },
    [JOINT_AXIS2] = { .name = "axis2", TN_VALUE_AXIS, NULL,
                      "Direction of the axis on the second side, where it differs." },
    [JOINT_FUSE] = { .name = "fuse", TN_VALUE_SECTION, NULL, "What it bears: beyond, it is disabled at once.",
                     .section = &tn_section_fuse },
    [JOINT_LATCH] = { .name = "latch", TN_VALUE_SECTION, NULL, "Disabled at first, and enabled when this happens.",
                      .section = &tn_section_latch },
    [JOINT_LIMITS] = { .name = "limits", TN_VALUE_LIMITS, NULL,
                       "Stops: coordinate -> [low, high], 'none' where there is none; restitution, 0 by default." },
    [JOINT_RATCHET] = { .name = "ratchet", TN_VALUE_SECTION, NULL,
                        "One way only: turning back, it is stopped at the last tooth.",
                        .section = &tn_section_ratchet },
    [JOINT_JOINTS] = { .name = "joints", TN_VALUE_TEXTS, NULL, "Couplings: the joints, or joint.coordinate." },
    [JOINT_TERMS] = { .name = "terms", TN_VALUE_NUMBER_MAP, "", "Couplers: joint.coordinate -> factor." },
    VARIANT_KEYS(JOINT_VARIANT, tn_section_joint),
} };

#define NUMBER_KEY(field, unit, sign, most, initial, doc) { .name = #field, TN_VALUE_NUMBER, unit, doc, sign },
#define WORD_KEY(field, key, kind, words, doc) { .name = key, WORD_##kind(words, doc) },
#define WORD_TN_ATTRIBUTE_CHOICE(list, doc) TN_VALUE_CHOICE, NULL, doc, TN_ANY_SIGN, NULL, (list)->words
#define WORD_TN_ATTRIBUTE_EXPRESSION(list, doc) TN_VALUE_TEXT, NULL, doc, TN_ANY_SIGN, NULL, NULL
#define WORD_TN_ATTRIBUTE_COORDINATE(list, doc) TN_VALUE_TEXT, NULL, doc, TN_ANY_SIGN, NULL, NULL
const tn_section tn_section_fuse = { .name = "fuse", .keys = { TN_FUSE_ATTRIBUTES(NUMBER_KEY, WORD_KEY) } };
const tn_section tn_section_latch = { .name = "latch", .keys = { TN_LATCH_ATTRIBUTES(NUMBER_KEY, WORD_KEY) } };
const tn_section tn_section_ratchet = { .name = "ratchet", .keys = { TN_RATCHET_ATTRIBUTES(NUMBER_KEY, WORD_KEY) } };

const tn_section tn_section_own_type = { .name = "joint type", .keys = {
    [OWN_DOC] = { .name = "doc", TN_VALUE_TEXT, NULL, "One sentence about the joint." },
    [OWN_JOINTS] = { .name = "joints", TN_VALUE_NUMBER, "",
                     "The type couples the coordinates q1 ... of so many joints, instead of two frames." },
    [OWN_PARAMETERS] = { .name = "parameters", TN_VALUE_TEXT_MAP, NULL,
                         "Name -> length, angle, number, mass, time, force or a unit." },
    [OWN_EQUATIONS] = { .name = "equations", TN_VALUE_TEXTS, NULL, "Expressions that are zero when the joint holds." },
    [OWN_VELOCITY_EQUATIONS] = { .name = "velocity_equations", TN_VALUE_TEXTS, NULL, "The same at velocity level." },
    [OWN_COORDINATES] = { .name = "coordinates", TN_VALUE_TEXT_MAP, NULL,
                          "Name -> expression; a name that begins with 'angle' is an angle, any other a length." },
} };

const tn_section tn_section_drive = { .name = "drive", .keys = {
    [DRIVE_JOINT] = { .name = "joint", TN_VALUE_TEXT, NULL, "What is driven: joint or joint.coordinate." },
    [DRIVE_POSITION] = { .name = "position", TN_VALUE_FORMULA, "m", "The coordinate as an expression of t: a length." },
    [DRIVE_ANGLE] = { .name = "angle", TN_VALUE_FORMULA, "rad", "The coordinate as an expression of t: an angle." },
    [DRIVE_RATE] = { .name = "rate", TN_VALUE_FORMULA, "m/s|rad/s",
                     "Its rate, from wherever the coordinate starts." },
    [DRIVE_ACCELERATION] = { .name = "acceleration", TN_VALUE_FORMULA, "m/s^2|rad/s^2",
                             "Its acceleration, from wherever coordinate and rate start." },
    [DRIVE_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
    VARIANT_KEYS(DRIVE_VARIANT, tn_section_drive),
} };

const tn_section tn_section_state = { .name = "state", .keys = {
    [STATE_INITIAL] = { .name = "initial", TN_VALUE_NUMBER, "*", "Value at the start, in any unit. Default: 0." },
    [STATE_RATE] = { .name = "rate", TN_VALUE_FORMULA, "*", "Change per second: an expression of time and channels." },
    [STATE_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
} };

const tn_section tn_section_let = { .name = "let" };

const tn_section tn_section_input = { .name = "input", .keys = {
    [INPUT_UNIT] = { .name = "unit", TN_VALUE_TEXT, NULL, "Its unit, such as 'N m'. Default: that of 'default'." },
    [INPUT_DEFAULT] = { .name = "default", TN_VALUE_NUMBER, "*", "Value until it is set. Default: 0." },
    [INPUT_LOW] = { .name = "low", TN_VALUE_NUMBER, "*", "Smallest value allowed. Default: no bound." },
    [INPUT_HIGH] = { .name = "high", TN_VALUE_NUMBER, "*", "Largest value allowed. Default: no bound." },
    [INPUT_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
} };

const tn_section tn_section_table = { .name = "table", .keys = {
    [TABLE_X] = { .name = "x", TN_VALUE_NUMBERS, "*", "Arguments, increasing, all in one unit." },
    [TABLE_Y] = { .name = "y", TN_VALUE_NUMBERS, "*", "Values, as many; with z: the second arguments, increasing." },
    [TABLE_Z] = { .name = "z", TN_VALUE_ROWS, "*", "Values of a table of two arguments: a row for each x, a number for each y." },
    [TABLE_POINTS] = { .name = "points", TN_VALUE_PAIRS, NULL, "Both in one list, [[x, y], ...]; instead of x and y." },
    [TABLE_FILE] = { .name = "file", TN_VALUE_TEXT, NULL, "CSV file, relative to the model file; instead of x and y." },
    [TABLE_COLUMNS] = { .name = "columns", TN_VALUE_TEXTS, NULL,
                        "Names of the file's two columns. Default: the first two." },
    [TABLE_GRID] = { .name = "grid", TN_VALUE_TEXT, NULL,
                     "CSV file of a table of two arguments: x in the first column, y in the titles of the others; instead of x, y and z." },
    [TABLE_KIND] = { .name = "kind", TN_VALUE_CHOICE, NULL,
                     "smooth (default): cubic spline; monotone: no overshoot; linear.", .choices = curve_choices },
    [TABLE_OUTSIDE] = { .name = "outside", TN_VALUE_CHOICE, NULL,
                        "Beyond the ends: hold (default) the value, or extend along the slope.",
                        .choices = outside_choices },
} };

const tn_section tn_section_force = { .name = "force", .types = TN_FAMILY_FORCE, .keys = {
    [FORCE_TYPE] = { .name = "type", TN_VALUE_TEXT, NULL, "The force's type." },
    [FORCE_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
    [FORCE_ON] = { .name = "on", TN_VALUE_TEXT, NULL, "What it acts on: body or body.frame." },
    [FORCE_FROM] = { .name = "from", TN_VALUE_TEXT, NULL, "What it reacts against. Default: ground." },
    [FORCE_BETWEEN] = { .name = "between", TN_VALUE_PAIR, NULL, "[from, on] in one." },
    [FORCE_ENDS] = { .name = "ends", TN_VALUE_SECTIONS, NULL,
                     "With between: where it acts on each of the two bodies, in their own frames.",
                     .section = &tn_section_frame },
    [FORCE_JOINT] = { .name = "joint", TN_VALUE_TEXT, NULL,
                      "The joint, or joint.coordinate, along which it acts; instead of on, from and between." },
    [FORCE_TIR] = { .name = "tir", TN_VALUE_TEXT, NULL,
                    "Of tyres: a .tir file, relative to this one, with parameters that are not given here." },
    VARIANT_KEYS(FORCE_VARIANT, tn_section_force),
} };

const tn_section tn_section_device = { .name = "device", .types = TN_FAMILY_DEVICE, .keys = {
    [DEVICE_TYPE] = { .name = "type", TN_VALUE_TEXT, NULL, "The device's type." },
    [DEVICE_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
    [DEVICE_AT] = { .name = "at", TN_VALUE_ANY, NULL, "Ports -> nodes; 'ground' is the reference of every domain." },
    [DEVICE_SHAFT] = { .name = "shaft", TN_VALUE_ANY, NULL,
                       "The coordinate that a rotary port turns, or a map of coordinates with factors." },
    [DEVICE_SLIDE] = { .name = "slide", TN_VALUE_ANY, NULL, "The same of a translational port." },
    [DEVICE_LINE] = { .name = "line", TN_VALUE_ANY, NULL,
                      "[frame, frame]: a translational port along the distance of two frames." },
    [DEVICE_USE] = { .name = "use", TN_VALUE_TEXT, NULL, "An FMU that has its equations, in place of a type." },
    [DEVICE_KIND] = { .name = "kind", TN_VALUE_CHOICE, NULL,
                      "With use: model exchange or co-simulation. Default: me where the FMU has it.",
                      .choices = fmu_choices },
    [DEVICE_INPUTS] = { .name = "inputs", TN_VALUE_ANY, NULL, "With use: inputs of the FMU -> expressions." },
    [DEVICE_OUTPUTS] = { .name = "outputs", TN_VALUE_ANY, NULL,
                         "With use: names -> variables of the FMU, or a list of variables. Default: all its outputs." },
    [DEVICE_PARAMETERS] = { .name = "parameters", TN_VALUE_ANY, NULL, "With use: parameters of the FMU -> values." },
    [DEVICE_COUPLING] = { .name = "coupling", TN_VALUE_CHOICE, NULL,
                          "With use: how a co-simulation is solved with the model. Default: hold.", .choices = coupling_choices },
    [DEVICE_LIMIT] = { .name = "time_limit", TN_VALUE_NUMBER, "s",
                       "With use: a call of the FMU that takes longer has hung. Default: 10 s." },
    VARIANT_KEYS(DEVICE_VARIANT, tn_section_device),
} };

const tn_section tn_section_connection = { .name = "connection", .keys = {
    [CONNECTION_FROM] = { .name = "from", TN_VALUE_FORMULA, "*", "What the input gets: an output of another device, or any expression." },
    [CONNECTION_TO] = { .name = "to", TN_VALUE_TEXT, NULL, "DEVICE.INPUT of a device with 'use'." },
} };

const tn_section tn_section_node = { .name = "node", .open = true, .keys = {
    [NODE_END] = { .name = "end", TN_VALUE_SWITCH, NULL, "yes: one port alone at the node is meant." },
} };

const tn_section tn_section_medium = { .name = "medium", .open = true, .keys = { { .name = NULL } } };

const tn_section tn_section_device_type = { .name = "device type", .keys = {
    [OWN_DEVICE_DOC] = { .name = "doc", TN_VALUE_TEXT, NULL, "What it is, in a sentence." },
    [OWN_DEVICE_PORTS] = { .name = "ports", TN_VALUE_ANY, NULL, "Names -> domains." },
    [OWN_DEVICE_PARAMETERS] = { .name = "parameters", TN_VALUE_ANY, NULL, "Names -> units, or { unit, default }." },
    [OWN_DEVICE_REQUIREMENTS] = { .name = "requirements", TN_VALUE_TEXT_MAP, NULL,
                                  "Conditions on parameters -> what to say when they do not hold." },
    [OWN_DEVICE_UNKNOWNS] = { .name = "unknowns", TN_VALUE_ANY, NULL, "Names -> units, or { unit, guess, nominal }." },
    [OWN_DEVICE_EQUATIONS] = { .name = "equations", TN_VALUE_TEXTS, NULL, "As many as unknowns; zero when they hold." },
    [OWN_DEVICE_STATES] = { .name = "states", TN_VALUE_ANY, NULL, "Names -> { unit, start, rate }." },
    [OWN_DEVICE_CHANNELS] = { .name = "channels", TN_VALUE_TEXT_MAP, NULL, "Names -> expressions." },
    [OWN_DEVICE_FLOWS] = { .name = "flows", TN_VALUE_ANY, NULL, "Ports -> what flows into the device there." },
    [OWN_DEVICE_STORES] = { .name = "stores", TN_VALUE_ANY, NULL, "Ports -> what the device adds to the node's storage." },
    [OWN_DEVICE_EFFORT] = { .name = "effort", TN_VALUE_ANY, NULL, "Mechanical ports -> force or torque." },
    [OWN_DEVICE_MEMORIES] = { .name = "memories", TN_VALUE_ANY, NULL, "Names -> { unit, start, next }." },
    [OWN_DEVICE_PERIOD] = { .name = "period", TN_VALUE_TEXT, NULL, "Time between samples." },
    [OWN_DEVICE_OFFSET] = { .name = "offset", TN_VALUE_TEXT, NULL, "Time of the first sample." },
    [OWN_DEVICE_MODES] = { .name = "modes", TN_VALUE_TEXTS, NULL, "Names of the modes." },
    [OWN_DEVICE_START_MODE] = { .name = "start_mode", TN_VALUE_TEXT, NULL, "Number of the first mode, from 0." },
    [OWN_DEVICE_SWITCHES] = { .name = "switches", TN_VALUE_ANY, NULL, "List of { from, to, when }." },
    [OWN_DEVICE_STORED] = { .name = "stored", TN_VALUE_TEXT, NULL, "Energy in the device." },
    [OWN_DEVICE_LOSS] = { .name = "loss", TN_VALUE_TEXT, NULL, "Power that becomes heat." },
    [OWN_DEVICE_SUPPLIED] = { .name = "supplied", TN_VALUE_TEXT, NULL, "Power that comes from outside." },
} };

#define LAW_KEYS(grain, velocity, table) \
    [grain] = { .name = "grain", TN_VALUE_VECTOR, "", \
                "Direction of the grain, along which friction counts, in the frame of the first body." }, \
    [velocity] = { .name = "surface_velocity", TN_VALUE_VECTOR, "m/s", \
                   "Velocity of the surface of the first body, a conveyor belt, in its frame." }, \
    [table] = { .name = "restitution_at", TN_VALUE_PAIRS, NULL, \
                "Restitution at speeds of approach, [[speed, restitution], ...]; linear in between." }
const tn_section tn_section_material = { .name = "material law", .keys = {
    [MATERIAL_BETWEEN] = { .name = "between", TN_VALUE_TEXTS, NULL, "The two materials, in any order." },
    LAW_KEYS(MATERIAL_GRAIN, MATERIAL_SURFACE_VELOCITY, MATERIAL_RESTITUTION_AT),
    TN_CONTACT_ATTRIBUTES(NUMBER_KEY, WORD_KEY)
} };

const tn_section tn_section_contact = { .name = "contact", .keys = {
    [CONTACT_BETWEEN] = { .name = "between", TN_VALUE_PAIR, NULL, "The two bodies, one of them maybe ground." },
    [CONTACT_AMONG] = { .name = "among", TN_VALUE_TEXTS, NULL,
                        "Bodies of which each may touch each; instead of between." },
    LAW_KEYS(CONTACT_GRAIN, CONTACT_SURFACE_VELOCITY, CONTACT_RESTITUTION_AT),
    [CONTACT_MATERIALS] = { .name = "materials", TN_VALUE_SECTIONS, NULL,
                            "Laws between shapes of two materials, in place of that of the contact.",
                            .section = &tn_section_material },
    TN_CONTACT_ATTRIBUTES(NUMBER_KEY, WORD_KEY)
    [CONTACT_ENABLED] = ENABLED_KEY("no: left out. Default: yes."),
} };

const tn_section tn_section_initial = { .name = "start", .open = true, .keys = {
    TN_POSE_KEYS("position", "Bodies: where the frame's origin starts.", INITIAL_POSITION),
    [INITIAL_VELOCITY] = { .name = "velocity", TN_VALUE_VECTOR, "m/s", "Bodies: velocity of the frame's origin." },
    [INITIAL_ANGULAR_VELOCITY] = { .name = "angular_velocity", TN_VALUE_SPIN, "rad/s", "Bodies: angular velocity." },
    [INITIAL_GUESS] = { .name = "guess", TN_VALUE_SWITCH, NULL,
                        "yes: the values are a first guess, which assembly may change. Default: no." },
} };

const tn_section tn_section_event = { .name = "event", .keys = {
    [EVENT_WHEN] = { .name = "when", TN_VALUE_TEXT, NULL, "Expression of channels; the event fires where it is zero." },
    [EVENT_CROSSES] = { .name = "crosses", TN_VALUE_CHOICE, NULL, "up, down or both (default).",
                        .choices = tn_crossing_words.words },
    [EVENT_HYSTERESIS] = { .name = "hysteresis", TN_VALUE_NUMBER, "*",
                           "Fires again only after having been that far from zero. Default: 0.", TN_NOT_NEGATIVE },
    [EVENT_TOUCH] = { .name = "touch", TN_VALUE_NUMBER, "*",
                      "Turning back that near to zero counts, too. Default: as near as the tolerance can tell.",
                      TN_NOT_NEGATIVE },
    [EVENT_ONCE] = { .name = "once", TN_VALUE_CHOICE, NULL, "yes: the first time only. Default: no.",
                     .choices = yes_choices },
    [EVENT_ZENO] = { .name = "zeno", TN_VALUE_CHOICE, NULL,
                     "If it fires faster and faster without end: fail (default), stop the run, or turn the event off.",
                     .choices = zeno_choices },
    [EVENT_DO] = { .name = "do", TN_VALUE_ACTIONS, NULL, "Actions in their order: stop, { log: text }, commands." },
} };

const tn_section tn_section_group = { .name = "group", .keys = {
    [GROUP_MEMBERS] = { .name = "members", TN_VALUE_TEXTS, NULL, "Bodies, and groups that stand before this one." },
} };

#define SOLVE_NUMBER_KEY(ID, field, unit, sign, initial, flags, doc) \
    [TN_SOLVE_ROW_##ID] = { .name = #field, TN_VALUE_NUMBER, unit, doc, sign },
#define SOLVE_NAME_KEY(ID, field, initial, flags, doc) \
    [TN_SOLVE_ROW_##ID] = { .name = #field, TN_VALUE_TEXT, NULL, doc },
#define SOLVE_CHOICE_KEY(ID, field, key, words, flags, doc) \
    [TN_SOLVE_ROW_##ID] = { .name = key, TN_VALUE_CHOICE, NULL, doc, TN_ANY_SIGN, NULL, words },
const tn_section tn_section_solve = { .name = "solve", .keys = { TN_SOLVE_TABLE(SOLVE_NUMBER_KEY, SOLVE_NAME_KEY, SOLVE_CHOICE_KEY) } };

const tn_section tn_section_expect = { .name = "expect", .keys = {
    [EXPECT_ENERGY] = { .name = "energy", TN_VALUE_NUMBER, "", "Largest energy error over the peak kinetic energy.",
                        TN_POSITIVE },
    [EXPECT_DRIFT] = { .name = "drift", TN_VALUE_NUMBER, "", "Largest residual of the joints' equations, in m or rad.",
                       TN_POSITIVE },
    [EXPECT_STOP] = { .name = "stop", TN_VALUE_TEXT, NULL, "The event that ends the run, before its time is over." },
    [EXPECT_REFERENCE] = { .name = "reference", TN_VALUE_SECTION, NULL, "A table of expected values.",
                           .section = &tn_section_reference },
} };

const tn_section tn_section_reference = { .name = "reference", .keys = {
    [REFERENCE_FILE] = { .name = "file", TN_VALUE_TEXT, NULL,
                         "CSV table with a column t, relative to the model file." },
    [REFERENCE_TOLERANCE] = { .name = "tolerance", TN_VALUE_NUMBER, "", "Largest difference, in the channel's unit.",
                              TN_POSITIVE },
    [REFERENCE_CHANNELS] = { .name = "channels", TN_VALUE_TEXT_MAP, NULL,
                             "Column of the table -> channel of the model." },
} };

#define DEFINITIONS_KEY(NAME, SECTION) { .name = #NAME, TN_VALUE_NAMED, NULL, "SUBSYSTEM.NAME -> definition.", .section = &tn_section_##SECTION }
const tn_section tn_section_definitions = { .name = "definitions", .keys = {
    DEFINITIONS_KEY(bodies, body), DEFINITIONS_KEY(subsystems, subsystem), DEFINITIONS_KEY(joints, joint),
    DEFINITIONS_KEY(drives, drive), DEFINITIONS_KEY(forces, force), DEFINITIONS_KEY(devices, device),
    DEFINITIONS_KEY(contacts, contact), DEFINITIONS_KEY(states, state),
} };

const tn_section tn_section_changes = { .name = "changes", .keys = {
    [CHANGES_REPLACE] = { .name = "replace", TN_VALUE_SECTION, NULL,
                          "Sections with other definitions of what is inside: SUBSYSTEM.NAME -> definition, in names of this file.",
                          .section = &tn_section_definitions },
    [CHANGES_ADD] = { .name = "add", TN_VALUE_SECTION, NULL, "The same for what comes to them.", .section = &tn_section_definitions },
    [CHANGES_REMOVE] = { .name = "remove", TN_VALUE_TEXTS, NULL, "Entities inside subsystems that are not there: SUBSYSTEM.NAME." },
    [CHANGES_DISABLE] = { .name = "disable", TN_VALUE_TEXTS, NULL, "Those that take no part." },
    [CHANGES_ENABLE] = { .name = "enable", TN_VALUE_TEXTS, NULL, "Those that take part, although their file leaves them out." },
    [CHANGES_SET] = { .name = "set", TN_VALUE_TEXT_MAP, NULL, "SUBSYSTEM.NAME.PARAMETER -> number or expression." },
} };

const tn_section tn_section_closing = { .name = "closing", .keys = {
    [CLOSING_DRAW] = { .name = "draw", TN_VALUE_NUMBER, "s", "How long it takes.", TN_POSITIVE },
} };

const tn_section tn_section_move = { .name = "move", .keys = {
    [MOVE_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Another point in the world, with the bodies where they are." },
    [MOVE_BETWEEN] = { .name = "between", TN_VALUE_PAIR, NULL, "Other bodies; the joint stays where it is." },
} };

const tn_section tn_section_command = { .name = "command", .keys = {
    [COMMAND_ADD] = { .name = "add", TN_VALUE_SECTION, NULL, "Sections of a model file whose contents are added.",
                      .section = &tn_section_top },
    [COMMAND_REMOVE] = { .name = "remove", TN_VALUE_TEXTS, NULL, "What is removed, with all that hangs on it." },
    [COMMAND_REPLACE] = { .name = "replace", TN_VALUE_SECTION, NULL,
                          "Bodies, joints, drives, forces, contacts and subsystems that get another definition.",
                          .section = &tn_section_top },
    [COMMAND_SET] = { .name = "set", TN_VALUE_TEXT_MAP, NULL, "NAME.PARAMETER -> number or expression." },
    [COMMAND_ENABLE] = { .name = "enable", TN_VALUE_TEXTS, NULL, "What takes part again." },
    [COMMAND_DISABLE] = { .name = "disable", TN_VALUE_TEXTS, NULL, "What takes no part for now." },
    [COMMAND_GRAVITY] = { .name = "gravity", TN_VALUE_VECTOR, "m/s^2", "Another acceleration of gravity." },
    [COMMAND_SOLVE] = { .name = "solve", TN_VALUE_SECTION, NULL, "Other settings.", .section = &tn_section_solve },
    [COMMAND_LOCK] = { .name = "lock", TN_VALUE_TEXTS, NULL, "Joints whose coordinates are kept where they are." },
    [COMMAND_UNLOCK] = { .name = "unlock", TN_VALUE_TEXTS, NULL, "Joints that move again." },
    [COMMAND_MOVE] = { .name = "move", TN_VALUE_NAMED, NULL, "Joints that go elsewhere, as built.",
                       .section = &tn_section_move },
    [COMMAND_STATE] = { .name = "state", TN_VALUE_NAMED, NULL, "Another state, by joint coordinates or by bodies.",
                        .section = &tn_section_initial },
    [COMMAND_PARAMETERS] = { .name = "parameters", TN_VALUE_NUMBER_MAP, NULL,
                             "Other values for parameters of the model's text." },
    [COMMAND_TEXT] = { .name = "text", TN_VALUE_TEXT, NULL, "Another text of the model." },
    [COMMAND_CLOSING] = { .name = "closing", TN_VALUE_CHOICE, NULL,
                          "New joints that are apart: refuse (default); snap: closed by the least motion; or { draw: T }: "
                          "drawn together in the course of T.", .choices = tn_closing_words.words },
    [COMMAND_STAY] = { .name = "stay", TN_VALUE_SWITCH, NULL,
                       "yes: replaced bodies stay where they are, with their velocities; where their new definition puts "
                       "them is a matter of the start. Default: no." },
    [COMMAND_FILES] = { .name = "files", TN_VALUE_TEXT_MAP, NULL,
                        "Texts of model files that are used, by path, in place of those on disk." },
    [COMMAND_MORE] = { .name = "more", TN_VALUE_SWITCH, NULL,
                       "Continues the last edit of the same values: one undo reverts both." },
} };
