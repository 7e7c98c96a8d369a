/* A model as viewers see it: bodies with their shapes, frames, joints and forces, as JSON (docs/animate.md). */
#ifndef TN_JSON_SCENE_H
#define TN_JSON_SCENE_H

#include "json_text.h"
#include "tenon/tenon.h"
#include <cJSON.h>

/* Owned by the caller. Bodies go by their number, ground is -1. */
cJSON *tn_json_scene(const tn_model *model);
/* An array with path, parent, file and ports of each. */
cJSON *tn_json_subsystems(const tn_model *model);
/* [{ name, value, unit, given }]: parameters of a subsystem's file, by its path; "": of the model. */
cJSON *tn_json_parameters(const tn_model *model, const char *subsystem);
/* Entities with variants: name, chosen, variants. */
cJSON *tn_json_variants(const tn_model *model);
/* tn_json_scene for clients that edit (docs/protocol.md): with the properties of everything, events, and what is not
 * seen. Written as text, since it is sent after every edit. */
void tn_json_scene_detailed(tn_json_text *out, const char *key, const tn_model *model);

#endif
