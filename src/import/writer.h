/* The model folder of an imported machine. */
#ifndef TN_IMPORT_WRITER_H
#define TN_IMPORT_WRITER_H

#include "machine.h"

/* A folder in the making: files are put into a temporary folder beside it, which takes its name in the end. */
typedef struct tn_folder {
    tn_machine *machine;
    const char *path;          /* the final place */
    char *work;                /* where files go now */
    bool update;               /* there is a folder of an earlier import: files are replaced one by one */
} tn_folder;

/* TN_ERROR_FILE with a diagnostic when the folder exists and was not made by an import. */
int tn_folder_begin(tn_folder *out, tn_machine *machine, const char *path);
/* name may have one folder in front, "meshes/arm.stl". */
int tn_folder_put(tn_folder *folder, const char *name, const char *data, size_t size);
/* Puts the folder in its place, or removes all of it when code is negative; returns the first error. */
int tn_folder_end(tn_folder *folder, int code);

/* Puts a text into the folder in normal form; frees it. */
int tn_folder_put_text(tn_folder *folder, tn_text *text, const char *name);

/* mechanism.yaml and the files of the parts; model.yaml unless it is there. */
int tn_write_model(tn_folder *folder);
/* model.yaml unless it is there, and reference.csv. */
int tn_write_main(tn_folder *folder);
/* The section of contacts, where they are wanted. */
void tn_write_contacts(tn_text *text, tn_machine *machine);
/* Meshes of all shapes that are written, and their names in the folder. Called before tn_write_model. */
int tn_write_meshes(tn_folder *folder);
/* The body as a text seen from a part: "ground", "arm", "wrist.hand". */
const char *tn_body_reference(tn_machine *machine, int part, int body);
const char *tn_joint_reference(tn_machine *machine, int part, int joint);

/* Joint types that Tenon does not have; name NULL: out of range. All of them as entries of joint_types. */
typedef struct tn_joint_type_text {
    const char *name, *text;
} tn_joint_type_text;
tn_joint_type_text tn_extra_type(size_t index);
void tn_write_joint_types(tn_text *text);

/* Texts of YAML. */
void tn_yaml_number(tn_text *text, double value);
void tn_yaml_vector(tn_text *text, const double *values, int n);
/* "at: [..], rotation: { quaternion: [..] }" without what is identity; key is "at" or "position". Returns whether
 * something was written; first tells that no comma is needed before it. */
bool tn_yaml_pose(tn_text *text, const char *key, const tn_pose *pose, bool first);

#endif
