/* Motions in words: how much each coordinate has of them. */
#ifndef TN_ANALYSIS_SHAPE_H
#define TN_ANALYSIS_SHAPE_H

#include "tangent.h"
#include "tenon/analysis.h"

/* The coordinates that are told: all of joints, and those of bodies that are among the freedoms. */
typedef struct tn_shapes {
    const tn_system *system;
    int count;
    tn_freedom *items;
    const char **names, **body_names;
    tn_matrix rows;                /* velocities x count: how they change with a displacement */
    struct tn_shape_entry *entries;
} tn_shapes;

/* Names live in the arena. */
int tn_shapes_prepare(tn_shapes *out, const tn_tangent *near, const tn_freedoms *freedoms, tn_arena *arena);
/* The displacement re cos - im sin (im NULL: re) as parts, largest first, without what does not move. */
int tn_shape_describe(const tn_motion_part **out, size_t *count, const tn_shapes *shapes, const double *re,
                      const double *im, tn_arena *arena);
/* The displacement that was described last, body by body, in the scale and phase of its parts. */
int tn_shape_of_bodies(const tn_body_motion **out, size_t *count, const tn_shapes *shapes, const double *re,
                       const double *im, tn_arena *arena);

#endif
