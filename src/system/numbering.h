/* The order in which a system numbers the model's bodies and joints. */
#ifndef TN_SYSTEM_NUMBERING_H
#define TN_SYSTEM_NUMBERING_H

#include "entities.h"
#include "selection.h"

/* Slots of the active bodies (without ground), depth first along the joints from ground, so that joined bodies are
 * close in memory whatever the order of the model. In the arena. */
int tn_number_bodies(uint32_t **slots, size_t *count, const tn_model *model, const tn_selection *selection,
                     tn_arena *arena);
/* Slots of the active joints: sorted by the later body, couplings last. body_of: number of each body slot. */
int tn_number_joints(uint32_t **slots, size_t *count, const tn_model *model, const tn_selection *selection,
                     const int *body_of, tn_arena *arena);

#endif
