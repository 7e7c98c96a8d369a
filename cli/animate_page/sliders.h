/* Sliders of an animation, as options give them. */
#ifndef TN_CLI_SLIDERS_H
#define TN_CLI_SLIDERS_H

#include "motion_page.h"
#include "parameters.h"

/* Reads "NAME=LOW:HIGH:COUNT"; a mistake is explained on stderr. Returns the exit status. */
int tn_sliders_read(tn_sliders *out, tn_context *context, const tn_model *model, const tn_option_value *given);

#endif
