/* Commands: changes of a model as text, in the language of model files. */
#ifndef TN_IO_EDIT_H
#define TN_IO_EDIT_H

#include "entities.h"

typedef struct tn_edit {
    bool snap;                 /* "closing: snap": new joints that are apart are closed by moving bodies */
    double draw;               /* s: "closing: { draw: 0.5 s }": they are drawn together; 0: not */
    bool state;                /* "state" was given: starts and poses in the model are to be reached */
    tn_model *other;           /* that of another text; NULL: the model itself was changed */
    char text[240];            /* what was done, in words */
    struct tn_amendment *note; /* tn_model_read_numbers: what the text of the model has to say then. Owned; NULL: nothing */
    char *complete;            /* the command with the texts of the model files it used; NULL: it used none. Owned */
} tn_edit;

/* A command, and where it stands: file "command" when nowhere else. */
typedef struct tn_command_text {
    const char *text;
    size_t size;
    tn_span place;
    bool by_event;             /* model files are those of the model's origin, where it has them */
    const char *from;          /* path of an entity whose names are meant: of an event; NULL: of the model */
} tn_command_text;
tn_command_text tn_command_alone(const char *text);

/* Applies a command to the model: { add: ... }, { remove: ... }, ... Another text makes another model, in place of the
 * one given, which is destroyed then. On an error the model may be half changed: work on a copy. TN_ERROR_MODEL with
 * diagnostics. */
int tn_model_edit(tn_edit *out, tn_model **model, const tn_command_text *command);

#endif
