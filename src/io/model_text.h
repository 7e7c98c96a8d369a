/* The current text of a model, and models from other texts. */
#ifndef TN_IO_MODEL_TEXT_H
#define TN_IO_MODEL_TEXT_H

#include "entities.h"

/* Returns the model's main file with all later commands applied (and, after a command, with its included files). State
 * is not part of it. Read again and aligned (tn_model_align), the text gives the same model, except for settings of the
 * session; this is checked. Owned: tn_free. TN_ERROR_ARGUMENT when the model was built by calls; TN_ERROR_MODEL when no
 * text can express the model, for example after a change inside a subsystem. */
int tn_model_text(char **out, const tn_model *model);

/* Puts the present text in the place of the text that was read and of all commands since, once these commands take much
 * memory; the state stays as it is. When no text can express the model, the commands stay. TN_ERROR_MEMORY. */
int tn_model_renew_text(tn_model *model);

/* Makes a model from another text. Entities whose names occur in both keep ids and state; settings that the text does
 * not change stay those of the model. *out has the text as its origin. Files that the text uses come from the given
 * files, from the model's origin, from later commands, or from disk. */
int tn_model_from_text(tn_model **out, const tn_model *model, const char *text, const tn_origin *files);

#endif
