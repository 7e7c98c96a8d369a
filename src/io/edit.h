/* Commands: edits of a model, given as text in the language of model files. */
#ifndef TN_IO_EDIT_H
#define TN_IO_EDIT_H

#include "entities.h"

typedef struct tn_edit {
    bool snap;                 /* "closing: snap": new joints that are apart are closed by moving bodies */
    double draw;               /* s: "closing: { draw: 0.5 s }": time to draw new joints together; 0: none */
    bool more;                 /* "more: yes": continues the last edit, for undo */
    bool state;                /* "state" was given: the session moves to the starts and poses of the model */
    tn_model *other;           /* the model of another text; NULL: the model itself was changed */
    char text[240];            /* description of the edit, in words */
    struct tn_amendment *note; /* tn_model_read_numbers: the change of the model's text. Owned; NULL: none */
    char *complete;            /* the command with the texts of the model files it used; NULL: it used none. Owned */
} tn_edit;

/* A command and its position; file is "command" when it has no other position. */
typedef struct tn_command_text {
    const char *text;
    size_t size;
    tn_span place;
    bool by_event;             /* model files are read from the model's origin, if it has them */
    const char *from;          /* path of the entity (an event) in whose scope names are looked up; NULL: the model */
} tn_command_text;
tn_command_text tn_command_alone(const char *text);

/* Applies a command to the model: { add: ... }, { remove: ... }, ... A command with another text makes another model in
 * place of the given one, which is then destroyed. On an error the model may be half changed: work on a copy.
 * TN_ERROR_MODEL with diagnostics. */
int tn_model_edit(tn_edit *out, tn_model **model, const tn_command_text *command);

#endif
