/* Describes the shape of a motion by its coordinates and by its bodies (shape.h). */
#include "shape.h"
#include "elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NOTHING = 1e-9;            /* of the largest part: round-off */
static const double PI = 3.14159265358979323846;

struct tn_shape_entry {
    int item;
    double size, phase;
};

static bool is_told(const tn_freedom *f, const tn_freedoms *freedoms)
{
    if (f->kind == TN_FREEDOM_JOINT)
        return true;
    for (int k = 0; k < freedoms->count; k++) {
        const tn_freedom *chosen = &freedoms->items[k];
        if (chosen->kind == f->kind && chosen->index == f->index && chosen->component == f->component)
            return true;
    }
    return false;
}

/* A coordinate without a derivative cannot be described. */
static void clear_unless_finite(int n, double *row)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += row[k];
    if (!isfinite(sum))
        memset(row, 0, (size_t)n * sizeof(double));
}

static int name_bodies(tn_shapes *out, const tn_system *s, tn_arena *arena)
{
    out->body_names = tn_arena_alloc(arena, (size_t)s->body_count, sizeof *out->body_names);
    if (!out->body_names)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        if (!(out->body_names[b] = tn_arena_strdup(arena, s->model->bodies[s->bodies[b].source].entity.name)))
            return TN_ERROR_MEMORY;
    return TN_OK;
}

int tn_shapes_prepare(tn_shapes *out, const tn_tangent *n, const tn_freedoms *freedoms, tn_arena *arena)
{
    const tn_system *s = n->system;
    tn_freedom *list;
    int all = tn_freedoms_list(&list, s, arena);
    TN_TRY(all);
    *out = (tn_shapes){ .system = s, .items = list };
    for (int k = 0; k < all; k++)
        if (is_told(&list[k], freedoms))
            list[out->count++] = list[k];
    out->names = tn_arena_alloc(arena, (size_t)out->count, sizeof *out->names);
    out->entries = tn_arena_alloc(arena, (size_t)out->count, sizeof *out->entries);
    if (!out->names || !out->entries)
        return TN_ERROR_MEMORY;
    TN_TRY(name_bodies(out, s, arena));
    TN_TRY(tn_matrix_new(&out->rows, arena, s->velocities, out->count));
    for (int k = 0; k < out->count; k++) {
        tn_freedom_row(&list[k], n->stepper->eval, s, n->memory, tn_column(&out->rows, k));
        clear_unless_finite(s->velocities, tn_column(&out->rows, k));
        out->names[k] = tn_freedom_name(&list[k], s, 0, arena);
        if (!out->names[k])
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

static int larger_first(const void *left, const void *right)
{
    const struct tn_shape_entry *a = left, *b = right;
    return a->size > b->size ? -1 : a->size < b->size ? 1 : a->item - b->item;
}

static struct tn_shape_entry measure_shape(const tn_shapes *shapes, int item, const double *re, const double *im)
{
    const double *row = tn_column(&shapes->rows, item);
    double real = 0, imaginary = 0;
    for (int k = 0; k < shapes->rows.rows; k++) {
        real += row[k] * re[k];
        imaginary += im ? row[k] * im[k] : 0;
    }
    return (struct tn_shape_entry){ item, tn_hypot(real, imaginary), tn_atan2(imaginary, real) };
}

/* The phase relative to the largest part; set to exactly 0 or pi within round-off. */
static double phase_of(double phase)
{
    phase = remainder(phase, 2 * PI);
    return fabs(phase) < NOTHING ? 0 : fabs(fabs(phase) - PI) < NOTHING ? PI : phase;
}

int tn_shape_describe(const tn_motion_part **out, size_t *count, const tn_shapes *shapes, const double *re,
                      const double *im, tn_arena *arena)
{
    struct tn_shape_entry *entries = shapes->entries;
    size_t moving = 0;
    for (int k = 0; k < shapes->count; k++)
        entries[k] = measure_shape(shapes, k, re, im);
    qsort(entries, (size_t)shapes->count, sizeof *entries, larger_first);
    while (moving < (size_t)shapes->count && entries[moving].size > NOTHING * entries[0].size)
        moving++;
    tn_motion_part *parts = tn_arena_alloc(arena, moving, sizeof *parts);
    if (!parts)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < moving; k++)
        parts[k] = (tn_motion_part){ .coordinate = shapes->names[entries[k].item],
                                     .unit = tn_freedom_unit(&shapes->items[entries[k].item], shapes->system, 0),
                                     .amount = entries[k].size / entries[0].size,
                                     .phase = phase_of(entries[k].phase - entries[0].phase) };
    *out = parts;
    *count = moving;
    return TN_OK;
}

/* Displacement and small rotation of a body, from a velocity-like vector. */
static void body_screw(double out[6], const tn_sys_body *body, int dimension, const double *x)
{
    size_t count = body->motion == TN_MOTION_SPATIAL ? 6 : (size_t)dimension;
    memset(out, 0, 6 * sizeof(double));
    memcpy(out, x + body->v, count * sizeof(double));
    if (body->motion == TN_MOTION_PLANAR)
        out[5] = x[body->v + 2];
}

/* (re + i im) times the complex number c + i s. */
static void turn_screw(tn_body_motion *m, double c, double s)
{
    for (int k = 0; k < 6; k++) {
        double re = m->re[k], im = m->im[k];
        m->re[k] = c * re - s * im;
        m->im[k] = c * im + s * re;
    }
}

int tn_shape_of_bodies(const tn_body_motion **out, size_t *count, const tn_shapes *shapes, const double *re,
                       const double *im, tn_arena *arena)
{
    const tn_system *s = shapes->system;
    const struct tn_shape_entry none = { .size = 1 };
    const struct tn_shape_entry *largest = shapes->count > 0 && shapes->entries[0].size > 0 ? &shapes->entries[0] : &none;
    double c = tn_cos(largest->phase) / largest->size, sine = -tn_sin(largest->phase) / largest->size;
    tn_body_motion *motions = tn_arena_alloc(arena, (size_t)s->body_count, sizeof *motions);
    if (!motions)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++) {
        motions[b] = (tn_body_motion){ .body = shapes->body_names[b] };
        body_screw(motions[b].re, &s->bodies[b], s->dimension, re);
        if (im)
            body_screw(motions[b].im, &s->bodies[b], s->dimension, im);
        turn_screw(&motions[b], c, sine);
    }
    *out = motions;
    *count = (size_t)s->body_count;
    return TN_OK;
}
