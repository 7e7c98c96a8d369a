/* Brings a text into agreement with the current model. A result of false always means: out of memory. */
#ifndef TN_IO_TEXT_AGREE_H
#define TN_IO_TEXT_AGREE_H

#include "entities.h"
#include "source_edit.h"

/* The section that contains entities of this kind; NULL: none, as for a frame. */
const char *tn_text_section(const tn_model *model, tn_id id);

/* The same for the section changes, which is about the inside of subsystems; again is the model that the text gives. */
void tn_text_agree_inside(const tn_source *source, const tn_model *model);
bool tn_text_complete_inside(const tn_source *source, const tn_model *model, const tn_model *again);
/* Removes entities that the model no longer has, enables and disables entities as in the model, and writes the poses of
 * joints and forces whose frames were removed. */
bool tn_text_agree(const tn_source *source, const tn_model *model);
/* Writes numbers of the model that differ from the text; again is the model that the text gives. */
bool tn_text_complete(const tn_source *source, const tn_model *model, const tn_model *again);
/* Writes poses of joints and forces that differ from the text; again is the model that the text gives, aligned with the
 * model. */
bool tn_text_place(const tn_source *source, const tn_model *model, const tn_model *again);

#endif
