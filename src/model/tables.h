/* Slots of the model's tables: finding, allocating and releasing them. */
#ifndef TN_MODEL_TABLES_H
#define TN_MODEL_TABLES_H

#include "entities.h"

/* "body", "frame", "joint", "force", "contact", "subsystem". */
const char *tn_kind_text(tn_kind kind);
size_t tn_table_count(const tn_model *model, tn_kind kind);
/* The entity in a slot, living or not. */
tn_entity *tn_table_entity(const tn_model *model, tn_kind kind, size_t index);
/* The id that a living slot has. */
tn_id tn_table_id(const tn_model *model, tn_kind kind, size_t index);
/* The path of a living slot in the table of names: "crank", "crank.tip". */
const char *tn_table_path(const tn_model *model, tn_kind kind, size_t index);
/* owner.name, or name when owner is NULL, in the model's arena; NULL when out of memory. */
char *tn_table_make_path(tn_model *model, const char *owner, const char *name);
/* Allocates a slot, fills its entity and enters its path into the names: owner.name, or name when owner is NULL. Does
 * not check anything. Nothing has changed when it fails. */
int tn_table_add(tn_id *out, tn_model *model, tn_kind kind, const char *owner, const char *name, tn_span span);
/* Whether a living slot belongs to the subsystem. A frame on ground does when its name begins with the path. */
bool tn_table_inside(const tn_model *model, tn_kind kind, size_t index, const char *subsystem);
/* Makes ids of the slot stale. */
void tn_table_release(tn_model *model, tn_kind kind, size_t index);

/* Replaces a borrowed text by a copy; NULL stays NULL. */
int tn_own_text(tn_arena *arena, const char **text);
/* The same for all texts of settings. */
int tn_own_solve(tn_arena *arena, tn_solve *solve);
int tn_subsystem_set_solve(tn_subsystem *subsystem, tn_arena *arena, const tn_solve *solve, tn_span span);
/* A deep copy; NULL when out of memory. */
const tn_joint_type *tn_joint_type_copy(tn_arena *arena, const tn_joint_type *type);

/* Deep copies of checked shapes; *out is NULL when there are none, or after an error. */
int tn_shapes_copy(tn_shape **out, tn_context *context, const tn_shape_def *shapes, size_t count);
int tn_shapes_clone(tn_shape **out, tn_context *context, const tn_shape *shapes, size_t count);
void tn_shapes_free(tn_context *context, tn_shape *shapes, size_t count);
/* Frees shapes and looks of a body, which has none then. */
void tn_body_free_shapes(tn_context *context, tn_body *body);

#endif
