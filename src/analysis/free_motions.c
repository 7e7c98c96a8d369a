/* Free motions (free_motions.h): the columns of the basis of tn_freedoms_find, each described by coordinates and bodies. */
#include "free_motions.h"

#include "linear.h"
#include "shape.h"

static int describe_motion(tn_free_motion *out, const tn_shapes *shapes, const tn_freedom *freedom, const double *x,
                           const tn_system *s, tn_arena *arena)
{
    out->coordinate = tn_freedom_name(freedom, s, 0, arena);
    out->unit = tn_freedom_unit(freedom, s, 0);
    if (!out->coordinate)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_shape_describe(&out->shape, &out->shape_count, shapes, x, NULL, arena));
    return tn_shape_of_bodies(&out->bodies, &out->body_count, shapes, x, NULL, arena);
}

int tn_free_motions_find(tn_free_motions *out, tn_tangent *near, tn_arena *arena)
{
    const tn_system *s = near->system;
    tn_freedoms freedoms;
    tn_shapes shapes;
    TN_TRY(tn_check_size(s, "the search for free motions"));
    TN_TRY(tn_freedoms_find(&freedoms, near->stepper->eval, s, near->memory, NULL, arena));
    TN_TRY(tn_shapes_prepare(&shapes, near, &freedoms, arena));
    tn_free_motion *list = tn_arena_alloc(arena, (size_t)freedoms.rates + 1, sizeof *list);
    if (!list)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < freedoms.rates; k++)
        TN_TRY(describe_motion(&list[k], &shapes, &freedoms.items[k], tn_column(&freedoms.V, k), s, arena));
    out->items = list;
    out->count = (size_t)freedoms.rates;
    return TN_OK;
}
