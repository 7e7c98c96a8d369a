/* The data of a command while it is executed, shared by the edit*.c files. */
#ifndef TN_IO_EDIT_IMPL_H
#define TN_IO_EDIT_IMPL_H

#include "edit.h"
#include "reader.h"
#include "text_change.h"

typedef struct tn_editor {
    tn_reader *r;
    tn_edit *edit;
    const tn_command_text *command;
    tn_text changes;           /* of the model's text, so far */
    const char *inside;        /* the first changed entity inside a subsystem; NULL: none */
} tn_editor;

/* Appends to the description of the edit. */
void tn_edit_tell(tn_editor *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes a change of the model's text, like tn_change_note; entities in a subsystem belong to the subsystem's file. */
void tn_edit_note(tn_editor *e, tn_change_kind kind, const char *section, const char *name);
void tn_edit_note_value(tn_editor *e, const char *section, const char *name, const char *path, int item);
/* Whether the entity is in a subsystem. This is noted, too: the text of the model cannot express such a change. */
bool tn_edit_is_inside(tn_editor *e, const char *path, tn_id id);
/* kind NONE: there is no such entity; a diagnostic was added. */
tn_id tn_edit_find(tn_editor *e, const tn_node *name);
/* Whether the model has a parameter of this name. */
bool tn_edit_is_parameter(const tn_model *model, const char *name);
/* Calls act for every name of a list, or for a single name. */
void tn_edit_each_name(tn_editor *e, const tn_node *list, const char *label,
                       void (*act)(tn_editor *, const tn_node *, tn_id));
/* Executes another command, which expresses part of this one in simpler terms, and notes it. */
void tn_edit_also(tn_editor *e, tn_span place, const char *command);

/* Looks up names and poses in the entity's subsystem. */
int tn_edit_enter(tn_reader *r, const char *from);
/* Adds the notes so far to a list of amendments: the next note belongs to another command. */
int tn_edit_keep_notes(tn_editor *e, tn_amendment **list);

/* edit_files.c: the texts of files that are part of a command. */
int tn_edit_take_files(tn_reader *r, const tn_node *map);
/* Notes the files that the command used: for the text of the model and for later commands. */
int tn_edit_note_files(const tn_editor *e);
/* The command with the texts of its files, so that it can be repeated when the files have changed; stays NULL when it
 * used no files. */
int tn_edit_complete(char **out, const tn_reader *r, const tn_node *root);

/* edit_joints.c: lock, unlock, move. */
void tn_edit_lock(tn_editor *e, const tn_node *name, tn_id id);
void tn_edit_unlock(tn_editor *e, const tn_node *name, tn_id id);
void tn_edit_move(tn_editor *e, const tn_node *map);

/* edit_set.c. Notes that the value NAME of an entity was set by this path. */
void tn_edit_note_set(tn_editor *e, const char *path, tn_id id, const char *name);
void tn_edit_set(tn_editor *e, const tn_node *map);
/* Reads a value of a body, "mass", "com" or "inertia", into a definition that has the others as they are; false: an error
 * was added. */
bool tn_edit_read_mass(tn_body_def *def, tn_reader *r, const tn_body *body, const tn_node *path, const char *name,
                       const tn_node *value);
/* Which of JOINT_FUSE ... JOINT_RATCHET "limits.angle" is about, -1: none; and the text after the point, NULL: there is none. */
int tn_edit_rule_of(const char *name, const char **rest);
/* Fuse, latch, limits and ratchet of a joint as they are; and a rule, or a value of one, read on top of them. "none" removes a
 * rule. TN_ERROR_MODEL: an error was added. */
void tn_edit_take_rules(tn_joint_draft *draft, const tn_model *model, tn_id joint);
int tn_edit_read_rule(tn_joint_draft *draft, tn_reader *r, tn_id joint, const tn_node *path, const char *name, const tn_node *value);
/* Reads a parameter of a joint; false: an error was added. */
bool tn_edit_read_joint_parameter(double *out, tn_reader *r, const tn_joint_type *type, int parameter, const tn_node *value);

#endif
