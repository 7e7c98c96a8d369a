/* Commands: changes of a model as text, in the language of model files. */
#ifndef TN_IO_EDIT_H
#define TN_IO_EDIT_H

#include "entities.h"

typedef struct tn_edit {
    bool snap;                 /* "closing: snap": new joints that are apart are closed by moving bodies */
    bool state;                /* "state" was given: starts and poses in the model are to be reached */
    char text[240];            /* what was done, in words */
} tn_edit;

/* Applies a command to the model: { add: ... }, { remove: ... }, ... On an error the model may be half changed: work on
 * a copy. TN_ERROR_MODEL with diagnostics. */
int tn_model_edit(tn_edit *out, tn_model *model, const char *command, size_t size);

#endif
