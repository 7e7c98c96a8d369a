/* In which order a system numbers the model's bodies and joints. */
#ifndef TN_SYSTEM_NUMBERING_H
#define TN_SYSTEM_NUMBERING_H

#include "entities.h"
#include "selection.h"

/* Slots of the bodies that take part (without ground), depth first along the joints from ground on, so that what is joined lies
 * close together in memory whatever the order of the model. In the arena. */
int tn_number_bodies(uint32_t **slots, size_t *count, const tn_model *model, const tn_selection *selection,
                     tn_arena *arena);
/* Slots of the joints that take part: each with the later of its bodies, couplings last. body_of: number of each body slot. */
int tn_number_joints(uint32_t **slots, size_t *count, const tn_model *model, const tn_selection *selection,
                     const int *body_of, tn_arena *arena);

#endif
