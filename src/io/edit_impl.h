/* A command while it is carried out, shared by the edit*.c files. */
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
    const char *inside;        /* the first thing in a subsystem that was changed; NULL: none */
} tn_editor;

/* Adds to the words about what was done. */
void tn_edit_tell(tn_editor *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text of the model has to say this from now on, as tn_change_note; what is in a subsystem has its own file. */
void tn_edit_note(tn_editor *e, tn_change_kind kind, const char *section, const char *name);
void tn_edit_note_value(tn_editor *e, const char *section, const char *name, const char *path, int item);
/* Is it in a subsystem? That is noted, too: the text of the model cannot say it. */
bool tn_edit_is_inside(tn_editor *e, const char *path, tn_id id);
/* kind NONE: there is none, and it was said. */
tn_id tn_edit_find(tn_editor *e, const tn_node *name);
/* Calls act for every name of a list, or for the one. */
void tn_edit_each_name(tn_editor *e, const tn_node *list, const char *label,
                       void (*act)(tn_editor *, const tn_node *, tn_id));
/* Carries out another command that says part of this one in simpler words, and notes it. */
void tn_edit_also(tn_editor *e, tn_span place, const char *command);

/* Names and places are those of the entity's subsystem. */
int tn_edit_enter(tn_reader *r, const char *from);
/* Adds the notes so far to a list of amendments: the next note belongs to another command. */
int tn_edit_keep_notes(tn_editor *e, tn_amendment **list);

/* edit_files.c: the texts of files that a command brings along. */
int tn_edit_take_files(tn_reader *r, const tn_node *map);
/* Which files it has used: for the text of the model, and for what follows. */
int tn_edit_note_files(const tn_editor *e);
/* The command as it must be kept to be made again when its files are others by then; stays NULL when it used none. */
int tn_edit_complete(char **out, const tn_reader *r, const tn_node *root);

/* edit_joints.c: lock, unlock, move. */
void tn_edit_lock(tn_editor *e, const tn_node *name, tn_id id);
void tn_edit_unlock(tn_editor *e, const tn_node *name, tn_id id);
void tn_edit_move(tn_editor *e, const tn_node *map);

/* edit_set.c. Notes that the value NAME of an entity was set by this path. */
void tn_edit_note_set(tn_editor *e, const char *path, tn_id id, const char *name);
void tn_edit_set(tn_editor *e, const tn_node *map);

#endif
