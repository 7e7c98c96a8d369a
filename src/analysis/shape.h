/* Describes the shape of a motion by the amplitude and phase of each coordinate. */
#ifndef TN_ANALYSIS_SHAPE_H
#define TN_ANALYSIS_SHAPE_H

#include "tangent.h"
#include "tenon/analysis.h"

/* The coordinates that describe a shape: all joint coordinates, and the body coordinates among the freedoms. */
typedef struct tn_shapes {
    const tn_system *system;
    int count;
    tn_freedom *items;
    const char **names, **body_names;
    tn_matrix rows;                /* velocities x count: gradient of each coordinate */
    struct tn_shape_entry *entries;
} tn_shapes;

/* The arena owns the names. */
int tn_shapes_prepare(tn_shapes *out, const tn_tangent *near, const tn_freedoms *freedoms, tn_arena *arena);
/* Describes the displacement re cos - im sin (im NULL: re) by its parts: largest first, without coordinates that do not
 * move. */
int tn_shape_describe(const tn_motion_part **out, size_t *count, const tn_shapes *shapes, const double *re,
                      const double *im, tn_arena *arena);
/* Lists the motion of each body for the displacement described last, in the same scale and phase. */
int tn_shape_of_bodies(const tn_body_motion **out, size_t *count, const tn_shapes *shapes, const double *re,
                       const double *im, tn_arena *arena);

#endif
