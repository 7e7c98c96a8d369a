/* The text of a model as it is now, and models from other texts. */
#ifndef TN_IO_MODEL_TEXT_H
#define TN_IO_MODEL_TEXT_H

#include "entities.h"

/* The model's main file, with what it includes once there were commands, and all commands since written into it. State
 * is no part of it. Read again and aligned (tn_model_align), it gives the same model, settings of the session apart;
 * that is checked. Owned: tn_free. TN_ERROR_ARGUMENT when the model was built by calls; TN_ERROR_MODEL when no text can
 * say what it is, as when something inside a subsystem was changed. */
int tn_model_text(char **out, const tn_model *model);

/* What the text says, in place of what the model's own text says: names that both have keep ids and state, settings
 * that the text does not change are those of the model. *out has the text as its origin. Files that it uses are those
 * given, those of the model's origin or of commands since, or from disk. */
int tn_model_from_text(tn_model **out, const tn_model *model, const char *text, const tn_origin *files);

#endif
