/* Import: files of CAD systems and robot formats become model folders.
 *
 *     tn_import *import = NULL;
 *     const char *files[] = { "arm.urdf" };
 *     if (tn_import_read(&import, context, files, 1, NULL) >= 0)
 *         tn_import_write(import, "arm");
 *     tn_import_destroy(import);
 *
 * Between reading and writing a program may look at what was found and decide about it: tn_import_decide. docs/import.md
 * says for every format what becomes what. */
#ifndef TENON_IMPORT_H
#define TENON_IMPORT_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_import tn_import;

/* The joint that holds the first body of a machine that the file does not connect to the world. */
typedef enum tn_import_base {
    TN_BASE_AUTO,              /* as the format means it: URDF is fixed, MJCF, SDF and Adams are free, CAD is fixed */
    TN_BASE_FIXED,
    TN_BASE_FREE
} tn_import_base;

/* Decisions of a person about an import, as texts.
 *
 *     about       name                                     value
 *     "joint"     key of a joint                           "accept", "reject", or another type: "cylindrical"
 *     "assembly"  path of a sub-assembly                   "rigid" or "flexible"
 *     "density"   path of a body, or of what it is in;     kg/m^3 ("7850") or a material ("steel"), for bodies whose
 *                 "" for all                               volume the file has
 *     "mass"      path of a body                           kg; the inertia is scaled with it
 *     "ground"    path of a body; "" for none              "fixed"; it takes the place of what would be held otherwise
 *     "drive"     key of a joint, or "key.coordinate"      "rate: 6.28 rad/s", "angle: sin(t)", "position: ..."
 *
 * An empty value takes an earlier decision back. */
typedef struct tn_import_decision {
    const char *about, *name, *value;
} tn_import_decision;

typedef struct tn_import_options {
    const char *format;        /* "urdf"; NULL: by the file's name and content */
    tn_import_base base;
    bool keep_fixed;           /* fixed joints stay joints; otherwise their bodies become one */
    bool collisions;           /* shapes for contacts take the place of those for the eye */
    bool contacts;             /* shapes for contacts touch those of ground and of other machines; collisions are taken, too */
    double density;            /* kg/m^3 for solids without mass or material; NaN: such bodies have no mass */
    double confidence;         /* inferred joints from this confidence on are used; 0.7 */
    const char *helper;        /* the program tenon-cad; NULL: beside the program, or in PATH */
    double helper_time;        /* s: it is ended after this; 300 */
    double helper_memory;      /* bytes; 4e9 */
    const char *root;          /* nothing outside of this folder is read; NULL: the package around the file and the folders of
                                * the others may be */
    const char *cache;         /* folder that keeps answers of the helper for the next import; NULL: none */
    const char *folder;        /* model folder of an earlier import, whose decisions are taken up; NULL, not there: none */
    const tn_import_decision *decisions;   /* count more than those of the folder */
    size_t decision_count;
    bool (*cancelled)(void *user);         /* asked while the helper works: true ends the import; NULL: never */
    void *user;
} tn_import_options;
TN_API tn_import_options tn_import_default(void);

/* Reads a machine. The first file is the machine; folders of the others are searched for what it refers to (meshes,
 * packages). Nothing is written. TN_ERROR_FILE or TN_ERROR_MODEL with diagnostics. options NULL: the defaults; their
 * texts are borrowed until tn_import_destroy. */
TN_API int tn_import_read(tn_import **out, tn_context *context, const char *const *files, size_t count,
                          const tn_import_options *options);
TN_API void tn_import_destroy(tn_import *import);

/* Writes the model folder: model.yaml (yours to edit), mechanism.yaml (written anew by every import), files of
 * sub-assemblies, meshes, import.yaml. A new folder appears complete or not at all. A folder of an earlier import is
 * brought up to date: model.yaml stays as it is. TN_ERROR_FILE when the folder exists and is something else. */
TN_API int tn_import_write(tn_import *import, const char *folder);

/* Decides about an entity by its name in the model, before tn_import_write: a joint "accept" or "reject". Unknown
 * names and words are TN_ERROR_ARGUMENT with a diagnostic. Decisions are kept in import.yaml. Decisions that change what
 * is one body, and all others, are given to tn_import_read. */
TN_API int tn_import_decide(tn_import *import, const char *name, const char *decision);

typedef struct tn_import_body {
    const char *name;          /* in the model; NULL: out of range */
    const char *source;        /* in the file: path of occurrences */
    tn_span place;
    const char *part_of;       /* the body it was merged into; NULL: a body of the model */
    double mass;               /* kg, with all that is merged into it */
    const char *mass_source;   /* in words */
} tn_import_body;
TN_API size_t tn_import_body_count(const tn_import *import);
TN_API tn_import_body tn_import_body_at(const tn_import *import, size_t index);

typedef struct tn_import_joint {
    const char *name, *type;   /* name NULL: out of range */
    const char *source;        /* what the file calls its type */
    const char *body1, *body2;
    tn_span place;
    double confidence;         /* 1: the file says it */
    const char *evidence;      /* of an inferred one; NULL: none */
    const char *key;           /* of decisions: does not change when others are made */
    bool used;                 /* false: rejected, or not confident enough */
    bool merged;               /* a fixed joint whose bodies have become one */
} tn_import_joint;
TN_API size_t tn_import_joint_count(const tn_import *import);
TN_API tn_import_joint tn_import_joint_at(const tn_import *import, size_t index);

typedef struct tn_import_message {
    tn_severity severity;
    tn_span place;
    const char *text;          /* NULL: out of range */
} tn_import_message;
TN_API size_t tn_import_message_count(const tn_import *import);
TN_API tn_import_message tn_import_message_at(const tn_import *import, size_t index);

/* The report: counts, rigid groups, joints with their sources, equations, rank, freedoms, redundancy, masses, what
 * assembly moved, what was left out. After tn_import_write. Owned: tn_import_report_free. */
TN_API int tn_import_report_text(char **out, tn_import *import);
TN_API int tn_import_report_json(char **out, tn_import *import);
TN_API void tn_import_report_free(tn_import *import, char *text);

/* Materials by name, for decisions about densities; name NULL: out of range. */
typedef struct tn_import_material {
    const char *name;
    double density;            /* kg/m^3 */
} tn_import_material;
TN_API size_t tn_import_material_count(void);
TN_API tn_import_material tn_import_material_at(size_t index);

/* The formats: name, endings of files, what they are. NULL: out of range. */
typedef struct tn_import_format {
    const char *name, *endings, *doc;
} tn_import_format;
TN_API size_t tn_import_format_count(void);
TN_API tn_import_format tn_import_format_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
