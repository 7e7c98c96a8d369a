/* Convex polygons, as the cross-sections of prisms. */
#ifndef TN_MODEL_POLYGON_H
#define TN_MODEL_POLYGON_H

#include "mesh.h"

/* Reports an error unless there are three or more finite corners. */
bool tn_polygon_check_corners(tn_check *check, size_t number, const tn_shape_def *polygon);
/* Reports an error unless, moreover, they turn the same way, once around. */
bool tn_polygon_check(tn_check *check, size_t number, const tn_shape_def *polygon);
/* The moments of the prism; the polygon must be valid. */
void tn_polygon_moments(tn_moments *out, const tn_shape_def *polygon);

#endif
