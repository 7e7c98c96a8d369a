/* Agreement of a text with the model that has come of it. False is always: out of memory. */
#ifndef TN_IO_TEXT_AGREE_H
#define TN_IO_TEXT_AGREE_H

#include "entities.h"
#include "source_edit.h"

/* The section that has entities such as this; NULL: none has, as for a frame. */
const char *tn_text_section(const tn_model *model, tn_id id);

/* Drops what the model no longer has, switches entities as they are in the model, and says where joints and forces are
 * whose frames are gone. */
bool tn_text_agree(const tn_source *source, const tn_model *model);
/* Numbers that the model has and the text does not give; again is what it gives. */
bool tn_text_complete(const tn_source *source, const tn_model *model, const tn_model *again);
/* Poses of joints and forces that the text puts elsewhere; again is what it gives, aligned with the model. */
bool tn_text_place(const tn_source *source, const tn_model *model, const tn_model *again);

#endif
