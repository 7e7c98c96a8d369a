/* Unilateral constraints with small gaps, and the response to their forces, for static equilibrium. */
#include <math.h>
#include <string.h>
#include "unilateral_modes.h"

/* Safety factor for the approach of limits in a time, relative to the rate at its start. */
static const double SURELY = 1.5;

int tn_near_list_find(tn_near_list *out, tn_session *s, double margin, double h, tn_arena *arena)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    if (s->unilaterals->near.touches)
        TN_TRY(tn_contact_shapes_find(&touches, &count, s, margin));
    out->unilaterals = tn_arena_alloc(arena, count + s->unilaterals->count, sizeof *out->unilaterals);
    out->list = tn_arena_alloc(arena, count + s->unilaterals->count, sizeof *out->list);
    out->count = 0;
    if (!out->unilaterals || !out->list)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++)
        out->unilaterals[out->count++] = tn_touch_unilateral(s, &touches[k]);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit < 0)
            continue;
        tn_unilateral_measure(g, s);
        if (g->gap + SURELY * h * fmin(g->rate, 0) < margin)
            out->unilaterals[out->count++] = *g;
    }
    for (int k = 0; k < out->count; k++) {
        out->list[k] = &out->unilaterals[k];
        tn_unilateral_measure(out->list[k], s);
    }
    return TN_OK;
}

double tn_near_list_depth(const tn_near_list *near)
{
    double least = 0;
    for (int k = 0; k < near->count; k++)
        least = fmin(least, near->unilaterals[k].gap);
    return -least;
}

void tn_delassus_add_response(const tn_delassus *b, double *to)
{
    int n = b->session->system->velocities;
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < n; j++)
            to[j] += b->p[i] * b->A[i * n + j];
}
