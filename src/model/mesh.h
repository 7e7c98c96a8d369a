/* Closed triangle surfaces. */
#ifndef TN_MODEL_MESH_H
#define TN_MODEL_MESH_H

#include "check.h"

/* Of a shape of uniform density, in the axes of its own frame. */
typedef struct tn_moments {
    double volume;             /* m^3 */
    double com[3];             /* m */
    double inertia[6];         /* m^2: about com, for unit mass */
} tn_moments;

/* Reports an error unless there are triangles whose corners exist and are finite. number counts shapes from 1. */
bool tn_mesh_check(tn_check *check, size_t number, const tn_shape_def *mesh);
/* Reports an error unless the surface is closed, consistently oriented, and has a volume. */
bool tn_mesh_moments(tn_check *check, size_t number, const tn_shape_def *mesh, tn_moments *out);
/* Reports an error unless the mesh can touch as its `touch` says: edges of at most two triangles that are oriented alike,
 * not inside out, a hull that is not flat. */
void tn_mesh_check_touch(tn_check *check, size_t number, const tn_shape_def *mesh);

#endif
