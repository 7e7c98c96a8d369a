/* Changes of a model's text. A command changes the model and notes, in the same place, which values and definitions the
 * text must contain from then on. Changes that follow from the model itself (removed, disabled or moved entities) are
 * not noted: they are written into the text when a caller requests the text (model_text.h). */
#ifndef TN_IO_TEXT_CHANGE_H
#define TN_IO_TEXT_CHANGE_H

#include "origin.h"
#include "source_edit.h"

typedef enum tn_change_kind {
    TN_CHANGE_ADD = 'a',       /* section, name: a new definition, as the last */
    TN_CHANGE_REPLACE = 'r',   /* section, name: another definition in its place */
    TN_CHANGE_APPEND = 'o',    /* section: an item, or the items of a list */
    TN_CHANGE_SET = 's',       /* section, name, path in it: "stiffness", "value.y", "limits.angle.low", "solve"; and
                                * which item of a list that is, where there is one: 1 of [x, y, z] */
    TN_CHANGE_PUT = 'p',       /* section: another value; settings come to those there are */
    TN_CHANGE_FILES = 'f',     /* no change of the text: texts of files that it uses */
    TN_CHANGE_WHOLE = 'w'      /* the first of a list: the whole text, in place of the one that was read */
} tn_change_kind;

/* Adds to the notes; the value stands in the command where its verb has it. What does not apply is "", or -1. */
void tn_change_note(tn_text *notes, tn_change_kind kind, const char *section, const char *name, const char *path,
                    int item);
/* Texts of files that are part of a command: are there any; write them as "files": { path: text, ... }; add them as a command of
 * their own. */
bool tn_change_has_files(const tn_origin *files);
void tn_change_write_files(tn_text *out, const tn_origin *files);
int tn_change_note_files(tn_amendment **list, tn_context *context, const tn_origin *files);
/* Makes the noted changes. */
int tn_change_apply(const tn_source *source, const tn_node *command, const char *notes);
/* A value under a key; new sections of the root stand in their order. False: out of memory. */
bool tn_change_put_entry(const tn_source *source, tn_node *map, const char *key, tn_node *value);
/* Writes what a command sets and defines inside subsystems into the section changes; and forgets what is there about a subsystem. */
int tn_change_inside(const tn_source *source, const tn_node *command);
void tn_change_forget_inside(const tn_source *source, const char *path);
/* The file that nodes of commands say they are in. */
#define TN_CHANGE_FILE "command"

/* Of an entity with variants: the map of the one that counts; NULL: it has none. */
tn_node *tn_change_variant(const tn_node *entity);
/* The map of an entity in which a key stands, or would have to: that of the variant that counts, or the entity itself. */
tn_node *tn_change_place(tn_node *entity, const char *key);

/* The value of a parameter: of the model, or, by its path, of a subsystem; the choice of a variant. */
typedef enum tn_change_result { TN_CHANGE_MADE, TN_CHANGE_NO_PLACE, TN_CHANGE_NO_MEMORY } tn_change_result;
tn_change_result tn_change_parameter(const tn_source *source, const char *name, tn_node *value);
tn_change_result tn_change_choice(const tn_source *source, const char *name, tn_node *value);

#endif
