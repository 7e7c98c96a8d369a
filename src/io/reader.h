/* The reader of model files, shared by the reader_*.c files.
 *
 * A wrong value is reported at its position and reading continues; everything that depends on it is silently omitted.
 * Functions that return bool say whether there is a value to use. Only running out of memory (and too many errors) ends
 * reading: reader.stop is then negative and every loop ends. */
#ifndef TN_IO_READER_H
#define TN_IO_READER_H

#include "diag.h"
#include "draft.h"
#include "entities.h"
#include "expr.h"
#include "keys.h"
#include "yaml_tree.h"

typedef struct tn_file_chain tn_file_chain;
typedef struct tn_parsed_file tn_parsed_file;

typedef struct tn_document {
    const tn_file_chain *chain;            /* the files that include or use it; NULL: none */
    const char *folder;                    /* base of its relative paths */
    const tn_node *values[TN_MAX_KEYS];    /* by TOP_...; NULL: not given */
} tn_document;

typedef struct tn_parameter {
    const char *name;
    const tn_node *node;
    double value;
    tn_dim dim;
    bool dim_known;
    const double *instead;                 /* value in place of the file's; NULL: the file's value */
    const tn_node *given;                  /* with instead: the node that gives it to a subsystem; NULL: no node */
    tn_output_info given_info;
    enum { TN_PARAMETER_NEW, TN_PARAMETER_BUSY, TN_PARAMETER_DONE, TN_PARAMETER_WRONG } state;
    const struct tn_parameter *asked_by;   /* while BUSY: the parameter whose expression needs this one */
} tn_parameter;

/* The choice of a variant, to be published as a parameter of the model when the sections are read. */
typedef struct tn_variant_choice {
    tn_parameter_value value;
    const tn_node *variants;
    struct tn_variant_choice *before;
} tn_variant_choice;

typedef struct tn_reader {
    tn_context *context;
    tn_arena *arena;                       /* trees and scratch: freed when the model is read */
    tn_model *model;
    size_t node_budget;
    const char *file;                      /* the main one */
    tn_origin *origin;                     /* the files so far */
    const tn_origin *also_given;           /* further files, searched after given; NULL: none */
    tn_origin *own_files;                  /* of a command: the files that are part of it; owned */
    const tn_origin *given;                /* model files are read from here; NULL: from disk */
    const tn_setting *settings;            /* values to be used in place of the files', by path */
    size_t setting_count;
    bool *settings_used;
    tn_parsed_file **parsed;               /* all files so far */
    const char *prefix;                    /* path of the subsystem that is read; NULL: the model itself */
    tn_id subsystem;
    const tn_pose *pose;                   /* of its frame in the world; NULL: where the world's is */
    const tn_node *given_parameters;       /* parameters given to the subsystem; NULL: none */
    struct tn_reader *outer;               /* the reader of the enclosing file; it reads the given parameters */
    struct tn_replacement *replacement;    /* the running replacement of a subsystem; NULL: none */
    char report[280];                      /* description of the replacement */
    tn_document *documents;                /* included files before those that include them */
    size_t document_count, document_capacity;
    const char **loaded;                   /* identities of the files so far */
    size_t loaded_count, loaded_capacity;
    tn_parameter *parameters;              /* in file order */
    size_t parameter_count, parameter_capacity;
    tn_parameter **by_name;                /* sorted */
    const tn_parameter *evaluating;        /* the parameter being evaluated; NULL: none */
    bool takes_lets;                       /* names of 'let' that are numbers count as numbers */
    bool poisoned;                         /* the last expression used a parameter that is wrong */
    const char *folder;                    /* of the document being read */
    const tn_file_chain *chain;
    const char *what, *name;               /* entity being read, for messages: "body", "crank"; what NULL: none */
    const char *misspelled;                /* key that an unknown key of the last map probably means; NULL: none */
    size_t errors;
    tn_variant_choice *variants;           /* of what is read; the last one first; NULL: none */
    bool inertia_warn;                     /* value of inertia_check for all bodies */
    bool replacing;                        /* definitions replace existing ones */
    bool stay;                             /* replaced bodies keep place and velocity */
    bool ground_wrong;                     /* its shapes were refused, and that was reported */
    bool incomplete;                       /* a file is missing: further errors would be misleading */
    bool for_check;                        /* what has a mistake gets a stand-in (reader_stand_in.c) */
    int stop;
} tn_reader;

/* reader.c: the sections of all documents, when dimension and parameters are known. */
void tn_read_contents(tn_reader *r);

/* reader_files.c. The main file of the model, with what it includes: documents. incomplete when there is no file. */
int tn_load_main(tn_reader *r, const char *text, size_t size);
/* The same for a subsystem's file, which follows in the chain of the document being read; NULL: it must not, and that
 * was reported. */
const tn_file_chain *tn_load_follow(tn_reader *r, const tn_node *use, const char *path);
int tn_load_used(tn_reader *r, tn_span span, const tn_file_chain *here);
/* The files that an action of an event uses, when it fires: they belong to the model's origin. */
void tn_load_for_action(tn_reader *r, const tn_node *action);
/* The file that a variant uses which does not count now: it belongs to the model's origin. */
void tn_load_for_variant(tn_reader *r, const tn_node *use);
/* Called before a mesh or table is read: adds it to the model's origin, and checks that it has not changed. */
bool tn_read_note_file(tn_reader *r, const char *path, tn_span span);

/* reader_values.c */

/* Adds "what 'name': message" at the node. */
void tn_read_error(tn_reader *r, tn_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Notes the code of a call that adds its own diagnostics; true when it is not an error. */
bool tn_read_ok(tn_reader *r, int code);
/* Sorts the values of a map by the section's keys into values[TN_MAX_KEYS], and those of declared parameters into
 * parameter_values[declared_max] (a list for "value" goes to "value.x"). declared may be NULL. */
bool tn_read_keys(tn_reader *r, const tn_node *node, const tn_section *section, const tn_node **values,
                  const tn_parameter_decl *declared, size_t declared_max, const tn_node **parameter_values);
/* A number in unit; label is the key for messages. All leave *out alone when they return false, and accept a NULL
 * node (not given) by returning false. */
/* Complains about what is given of these (NULL: not given) for a particle. */
void tn_read_no_turn(tn_reader *r, const tn_node *angle, const tn_node *rotation, const tn_node *rate);
bool tn_read_quantity(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_sign sign,
                      double *out);
bool tn_read_number(tn_reader *r, const tn_node *node, const tn_key *key, double *out);
/* Digits, signs, point, exponent and nothing else. */
bool tn_plain_number(const char *text, double *value);
/* Reports an error unless the dimension is that of the unit ("*": any) and the number is finite and has the sign. */
bool tn_check_quantity(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_sign sign,
                       const tn_output_info *info, double value);
/* Between min and max numbers; returns how many, 0 when wrong. */
size_t tn_read_numbers(tn_reader *r, const tn_node *node, const tn_key *key, size_t min, size_t max, double *out);
/* As many components as the model has dimensions; the third is 0 in a planar model. */
bool tn_read_vector(tn_reader *r, const tn_node *node, const tn_key *key, double out[3]);
/* Angular velocity: a number about z in a planar model. */
bool tn_read_spin(tn_reader *r, const tn_node *node, const tn_key *key, double out[3]);
/* Of unit length. */
bool tn_read_axis(tn_reader *r, const tn_node *node, const tn_key *key, double out[3]);
/* NULL when there is none. */
const char *tn_read_text(tn_reader *r, const tn_node *node, const char *label);
/* Index into the key's choices, or otherwise. */
int tn_read_choice(tn_reader *r, const tn_node *node, const tn_key *key, int otherwise);
/* yes or true, no or false; otherwise: the result when not given. Other texts are reported. */
bool tn_read_switch(tn_reader *r, const tn_node *node, const tn_key *key, bool otherwise);
/* The items of a list; a single text counts as a list of one. NULL and count 0 when there are none. */
const tn_node *const *tn_read_list(tn_reader *r, const tn_node *const *node, const char *label, size_t *count);
/* True for a map; false and an error (unless it is empty or NULL) for anything else. */
bool tn_read_is_map(tn_reader *r, const tn_node *node, const char *label);
/* Notes that the entity of this path has a mistake, for tn_model_check. */
void tn_read_mistaken(tn_reader *r, const char *name);
/* The same; what stands in for it in the model lacks something, so messages that name it are not told. */
void tn_read_unclear(tn_reader *r, const char *name);
/* Calls read for every pair of a map, with what and name set for messages. */
typedef void (*tn_pair_reader)(tn_reader *r, const tn_node *name, const tn_node *value);
void tn_read_pairs(tn_reader *r, const tn_node *node, const tn_key *key, tn_pair_reader read);

/* Where the text of a node begins: after the quote, where there is one. */
tn_span tn_text_span(const tn_node *node);
/* The text of "type", which decides what the other keys may be; NULL when there is none. */
const tn_node *tn_read_type(const tn_node *node);

/* reader_subsystems.c */
void tn_read_subsystem(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_ports(tn_reader *r, const tn_node *node);
void tn_read_node_ports(tn_reader *r, const tn_node *node);
/* Settings of the subsystem that is read. */
void tn_read_own_solve(tn_reader *r, const tn_node *node);
/* Settings of a subsystem, over those it has. */
void tn_read_solve_of(tn_reader *r, tn_id subsystem, const tn_node *node);
/* Copies the settings that the keys name, "step solver ". */
void tn_solve_take(tn_solve *solve, const tn_solve *from, const char *keys);
/* The path of a name in what is read: the name itself in the model. NULL: out of memory, noted. */
const char *tn_read_path(tn_reader *r, const char *name);
/* The entity with that path, relative to the subsystem being read; "ground" is the same everywhere. */
tn_id tn_read_find(const tn_reader *r, const char *path);
/* Reports an error when the path is inside a closed subsystem and is not a port of it. */
bool tn_read_is_open(tn_reader *r, const tn_node *node, const char *path);

/* reader_variants.c. Replaces entries with variants by the chosen ones, in all documents. */
void tn_read_variants(tn_reader *r);
void tn_read_publish_variants(tn_reader *r);
void tn_read_check_given_variants(tn_reader *r);
bool tn_read_node_of_variant(const tn_reader *r, const char *node);

/* reader_parameters.c */
void tn_read_parameters(tn_reader *r);
/* Values that the caller set for parameters of what is at a path, over those that a file says: its node becomes NULL.
 * There is room for all that are declared. Returns how many settings there are then. */
size_t tn_read_settings_instead(tn_reader *r, const char *path, const tn_parameter_decl *declared, size_t declared_count,
                                const tn_node **nodes, tn_setting *settings, size_t count);
/* At the end: reports settings for parameters that no file has. */
void tn_read_settings_used(tn_reader *r);
/* The parameters that the model has already, for what is added to it. */
void tn_read_known_parameters(tn_reader *r);
/* A parameter in an expression that has the name of a unit, and hides it; NULL: there is none. */
const char *tn_read_hidden_unit(const tn_reader *r, const char *text);
/* A number from a text whose names are parameters; label may be NULL. */
bool tn_read_expression(tn_reader *r, const tn_node *node, const char *label, double *value, tn_output_info *info);
/* The same without a diagnostic: TN_OK, or TN_ERROR_MODEL when the text is not such a number. A wrong parameter in it
 * was already reported and is TN_ERROR_ARGUMENT. */
int tn_read_constant(tn_reader *r, const tn_node *node, double *value, tn_output_info *info);

/* reader_put.c: a definition for the name being read, added or, with r->replacing, put in the place of the one there
 * is. */
/* A body with one coordinate: rotor or slider (reader_rotors.c). values: of the keys of a body. */
void tn_read_rotor(tn_reader *r, const tn_node *name, const tn_node *const *values, bool slides);
bool tn_read_put_body(tn_reader *r, const tn_node *name, const tn_body_def *def, bool enabled, tn_id *id);
/* exact: the poses come from 'ends' and are kept to the bit, so that what was written reads the same. */
void tn_read_put_joint(tn_reader *r, const tn_node *name, const tn_joint_def *def, bool exact, bool enabled);
void tn_read_put_force(tn_reader *r, const tn_node *name, const tn_force_def *def, bool exact, bool enabled);
void tn_read_put_contact(tn_reader *r, const tn_node *name, const tn_contact_def *def, bool enabled);

/* reader_stand_in.c: puts what has a mistake that was reported into a model that is read for checking, as far as it is understood.
 * Without one, or when nothing can be put: no effect. */
bool tn_read_stand_in_body(tn_reader *r, const tn_node *name, const tn_body_def *given, bool has_shapes, tn_id *id);
void tn_read_stand_in_joint(tn_reader *r, const tn_node *name, const tn_joint_type *type, const tn_joint_draft *given);
void tn_read_stand_in_drive(tn_reader *r, const tn_node *name, const tn_joint_def *given);
void tn_read_stand_in_force(tn_reader *r, const tn_node *name, const tn_force_type *type, const tn_force_draft *given);
void tn_read_stand_in_contact(tn_reader *r, const tn_node *name, const tn_contact_def *given);

/* reader_bodies.c, reader_shapes.c */
void tn_read_body(tn_reader *r, const tn_node *name, const tn_node *node);
/* Pose from three nodes: point, planar angle, spatial rotation; what is not given stays. True when any was given. */
bool tn_read_pose(tn_reader *r, const tn_node *const nodes[3], const tn_key *keys, tn_pose *pose);
/* Reads the definition of a named frame. */
/* On top of what there is; planar: zz only. */
void tn_read_inertia(tn_reader *r, const tn_node *node, double inertia[6]);
bool tn_read_frame_pose(tn_reader *r, const tn_node *node, tn_pose *pose);
/* A pose in what is read as one in the world, and back; the same for directions. Nothing changes outside of
 * subsystems. */
void tn_read_to_world(const tn_reader *r, tn_pose *pose);
void tn_read_from_world(const tn_reader *r, tn_pose *pose);
void tn_read_turn(const tn_reader *r, double v[3]);
/* In the reader's arena. */
void tn_read_shapes(tn_reader *r, const tn_node *node, tn_body_def *def);
void tn_read_looks(tn_reader *r, const tn_node *node, tn_body_def *def);

/* reader_joints.c, reader_types.c, reader_forces.c */
void tn_read_own_type(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_joint(tn_reader *r, const tn_node *name, const tn_node *node);       /* skips couplings */
void tn_read_coupling(tn_reader *r, const tn_node *name, const tn_node *node);    /* skips all else */
/* reader_joint_rules.c: one of JOINT_FUSE ... JOINT_RATCHET, on top of what the definition says of it. */
void tn_read_joint_rule(tn_reader *r, const tn_joint_type *type, int rule, const tn_node *node,
                        tn_joint_draft *draft);
/* Whether the node is the word "none". */
bool tn_read_is_none(const tn_node *node);
/* One end of a coordinate's limit, in the same way; "none": no limit there. */
void tn_read_limit_end(tn_reader *r, const tn_joint_type *type, const tn_node *name, const char *coordinate, bool low,
                       const tn_node *value, tn_joint_draft *draft);
void tn_read_device(tn_reader *r, const tn_node *name, const tn_node *node);
/* reader_fmus.c: a device whose equations are in an FMU. */
void tn_read_fmu(tn_reader *r, const tn_node *name, const tn_node *node);
/* Section connect: each entry leads to an FMU. The devices take them. */
void tn_read_connect(tn_reader *r, const tn_node *node);
void tn_read_node(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_medium(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_own_device_type(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_force(tn_reader *r, const tn_node *name, const tn_node *node);

/* Where a joint or force attaches: ground, body or body.frame. */
typedef struct tn_attachment {
    tn_id body;
    tn_pose frame;             /* in the body's frame */
    bool is_frame;
} tn_attachment;
bool tn_read_attachment(tn_reader *r, const tn_node *node, const char *label, tn_attachment *out);
bool tn_read_attachments(tn_reader *r, const tn_node *node, const char *label, tn_attachment out[2]);
/* "ends": poses on the two bodies; node NULL: none are given. */
bool tn_read_ends(tn_reader *r, const tn_node *node, tn_attachment side[2]);
/* Reports "no kind 'name'"; silent when the file declares the name, since the mistake was reported there. */
void tn_read_missing(tn_reader *r, const tn_node *node, const char *kind, const char *name, tn_candidates candidates,
                     void *user);
/* "pivot" or "pivot.angle"; the coordinate is NULL where none is given. */
bool tn_read_term(tn_reader *r, const tn_node *node, const char *label, tn_coupling_term *term);

/* reader_components.c: files of subsystems that are libraries. What read_library loads is the caller's to release;
 * NULL: it was reported. */
bool tn_read_is_library(const char *file);
/* isolate: components of the library get processes of their own. */
tn_library *tn_read_library(tn_reader *r, const char *file, tn_span span, bool isolate);
/* Turns an existing subsystem into the component of the library. */
void tn_read_component(tn_reader *r, tn_id subsystem, tn_library *library, const tn_node *parameters);
/* The same of FMUs with ports. NULL: an error, which has been reported. tn_read_open_fmu, in reader_fmus.c, opens one. */
typedef struct tn_fmi tn_fmi;
typedef struct tn_fmi_choice tn_fmi_choice;
bool tn_read_is_fmu(const char *file);
tn_fmi_ports *tn_read_fmu_ports(tn_reader *r, const tn_node *use, const tn_node *parameters, const tn_node *ports);
tn_fmi *tn_read_open_fmu(tn_reader *r, const tn_node *use, const tn_node *parameters, const tn_fmi_choice *outputs, size_t count);
void tn_read_fmu_component(tn_reader *r, tn_id subsystem, tn_fmi_ports *fmu);

/* reader_settings.c: values of declared parameters */
size_t tn_read_settings(tn_reader *r, const tn_parameter_decl *declared, size_t declared_max,
                        const tn_node *const *values, tn_setting *settings);
/* The same for a force, whose parameters may be expressions; angle: it acts along one. */
void tn_read_force_values(tn_reader *r, const tn_force_type *type, bool angle, const tn_node *const *values,
                          tn_force_draft *draft);
/* A number, or the text of an expression that is not a number. False: neither; an error was reported. */
typedef struct tn_formula_value {
    double number;
    tn_expression expression;      /* text NULL: it is a number */
    tn_output_info info;           /* of the number */
} tn_formula_value;
bool tn_read_formula(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_formula_value *out);

/* reader_contacts.c */
void tn_read_contact(tn_reader *r, const tn_node *name, const tn_node *node);

/* reader_drives.c */
void tn_read_drive(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_state(tn_reader *r, const tn_node *name, const tn_node *node);
/* The type of a device whose lists decide its size; values are those of the parameters, which grow with it. NULL: an error. */
const tn_force_type *tn_read_made_type(tn_reader *r, const tn_force_type *shelf, const tn_node *node, const tn_node **values);
void tn_read_let(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_input(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_table(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_gravity(tn_reader *r, const tn_node *node);

/* reader_events.c */
void tn_read_event(tn_reader *r, const tn_node *name, const tn_node *node);
/* A node as one line of JSON, which YAML readers understand as what the file said, aliases included. */
void tn_write_node(tn_text *out, const tn_node *node);

/* reader_groups.c */
void tn_read_group(tn_reader *r, const tn_node *name, const tn_node *node);

/* reader_run.c */
void tn_read_initial(tn_reader *r, const tn_node *name, const tn_node *node);
void tn_read_outputs(tn_reader *r, const tn_node *node);
void tn_read_solve(tn_reader *r, const tn_node *node);
/* Changes settings; false: something is wrong, or nothing is given. */
bool tn_read_solve_settings(tn_reader *r, const tn_node *node, tn_solve *solve);
void tn_read_expect(tn_reader *r, const tn_node *node);
/* reader_changes.c: when everything else is read. */
void tn_read_changes(tn_reader *r, const tn_node *node);

#endif
