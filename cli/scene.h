/* A model as viewers see it: bodies with their shapes, frames, joints and forces, as JSON (docs/animate.md). */
#ifndef TN_CLI_SCENE_H
#define TN_CLI_SCENE_H

#include "output.h"

/* Owned by the caller. Bodies go by their number, ground is -1. */
cJSON *tn_json_scene(const tn_model *model);

#endif
