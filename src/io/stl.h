/* STL files, binary or text: triangle surfaces. */
#ifndef TN_IO_STL_H
#define TN_IO_STL_H

#include "mem.h"
#include "tenon/model.h"

/* Fills vertices and triangles of the shape (in the arena), coordinates times scale (m). Corners with exactly the same
 * coordinates become one vertex; triangles without area that result are dropped. The model checks whether the surface
 * is closed. Errors are reported at where, the place that names the file. */
int tn_stl_read(tn_shape_def *shape, tn_arena *arena, tn_context *context, const char *path, double scale,
                tn_span where);

#endif
