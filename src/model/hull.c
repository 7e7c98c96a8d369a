/* Convex hulls by quickhull: every face keeps the points that lie outside it; the farthest of them becomes a vertex, the
 * faces that it sees are replaced by a cone from it to their horizon. */
#include "hull.h"

#include <math.h>
#include "vec.h"

static const double ROUND_OFF = 1e-10;         /* of the extent: points nearer to a face lie on it */

enum { NONE = -1 };

typedef struct hull_face {
    int corner[3];             /* counter-clockwise seen from outside */
    int beside[3];             /* face across the edge from corner k to corner k + 1 */
    double normal[3], offset;
    int outside;               /* first point outside the face; NONE: there is none */
    int farthest;              /* of those points */
    double height;
    bool removed, seen;
} hull_face;

typedef struct hull_edge {     /* of the horizon, in the order of the faces that stay */
    int from, to;
    int face;                  /* the face beyond it, which stays */
} hull_edge;

typedef struct builder {
    tn_context *context;
    const double *points;
    double tolerance;          /* m */
    int *next;                 /* next point outside the same face */
    hull_face *faces;
    size_t face_count, face_capacity;
    int *stack;                /* faces that the present point sees */
    size_t stack_count, stack_capacity;
    hull_edge *horizon;
    size_t horizon_count, horizon_capacity;
    int *cone_at;              /* by point: new face that starts at this corner of the horizon */
} builder;

static const double *point(const builder *b, int i)
{
    return &b->points[3 * (size_t)i];
}

static double height(const builder *b, const hull_face *face, int i)
{
    return tn_dot3(face->normal, point(b, i)) - face->offset;
}

/* ---- faces ---- */

static int add_face(builder *b, int i, int j, int k)
{
    if (tn_grow(b->context, &b->faces, &b->face_capacity, b->face_count + 1, sizeof *b->faces) < 0)
        return NONE;
    hull_face *face = &b->faces[b->face_count];
    double e[3], f[3];
    *face = (hull_face){ .corner = { i, j, k }, .beside = { NONE, NONE, NONE }, .outside = NONE, .farthest = NONE };
    tn_sub3(e, point(b, j), point(b, i));
    tn_sub3(f, point(b, k), point(b, i));
    tn_cross3(face->normal, e, f);
    double length = tn_norm3(face->normal);
    for (int n = 0; n < 3; n++)
        face->normal[n] /= length > 0 ? length : 1;
    face->offset = tn_dot3(face->normal, point(b, i));
    return (int)b->face_count++;
}

/* Gives a point to the first of the faces from `first` on that it is outside of; a point inside all of them is dropped. */
static void give_point(builder *b, int i, size_t first)
{
    for (size_t f = first; f < b->face_count; f++) {
        hull_face *face = &b->faces[f];
        double h = height(b, face, i);
        if (face->removed || h <= b->tolerance)
            continue;
        b->next[i] = face->outside;
        face->outside = i;
        if (h > face->height) {
            face->height = h;
            face->farthest = i;
        }
        return;
    }
}

static int edge_index(const hull_face *face, int from)
{
    return face->corner[0] == from ? 0 : face->corner[1] == from ? 1 : 2;
}

/* ---- the first four points ---- */

/* Finds the point with the largest distance from the line (or plane) through the points chosen so far. */
static double farthest_from(const builder *b, size_t count, const int *chosen, int known, int *found)
{
    double best = 0, e[3] = { 0 }, normal[3] = { 0 };
    if (known >= 2)
        tn_sub3(e, point(b, chosen[1]), point(b, chosen[0]));
    if (known == 3) {
        double f[3];
        tn_sub3(f, point(b, chosen[2]), point(b, chosen[0]));
        tn_cross3(normal, e, f);
    }
    for (size_t i = 0; i < count; i++) {
        double d[3], away[3];
        tn_sub3(d, point(b, (int)i), point(b, chosen[0]));
        tn_cross3(away, e, d);
        double distance = known == 1 ? tn_norm3(d) : known == 2 ? tn_norm3(away) / tn_norm3(e)
                                                                : fabs(tn_dot3(d, normal)) / tn_norm3(normal);
        if (distance > best) {
            best = distance;
            *found = (int)i;
        }
    }
    return best;
}

static int begin_hull(builder *b, size_t count)
{
    int chosen[4] = { 0, 0, 0, 0 };
    for (int known = 1; known < 4; known++) {
        double distance = farthest_from(b, count, chosen, known, &chosen[known]);
        if (known == 1)
            b->tolerance = ROUND_OFF * distance;
        if (!(distance > b->tolerance))
            return TN_ERROR_ARGUMENT;
    }
    double d[3];
    int first = add_face(b, chosen[0], chosen[1], chosen[2]);
    if (first == NONE)
        return TN_ERROR_MEMORY;
    tn_sub3(d, point(b, chosen[3]), point(b, chosen[0]));
    bool below = tn_dot3(d, b->faces[0].normal) < 0;
    b->face_count = 0;
    int base[3] = { chosen[0], chosen[below ? 1 : 2], chosen[below ? 2 : 1] };
    bool good = add_face(b, base[0], base[1], base[2]) != NONE;
    for (int k = 0; k < 3; k++)        /* face k + 1 is across the edge from corner k of the first face */
        good = good && add_face(b, base[(k + 1) % 3], base[k], chosen[3]) != NONE;
    if (!good)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < 3; k++) {
        b->faces[0].beside[k] = k + 1;
        b->faces[k + 1].beside[0] = 0;
        b->faces[k + 1].beside[1] = (k + 2) % 3 + 1;
        b->faces[k + 1].beside[2] = (k + 1) % 3 + 1;
    }
    for (size_t i = 0; i < count; i++)
        give_point(b, (int)i, 0);
    return TN_OK;
}

/* ---- one more vertex ---- */

static int push_seen(builder *b, int face)
{
    TN_TRY(tn_grow(b->context, &b->stack, &b->stack_capacity, b->stack_count + 1, sizeof *b->stack));
    b->faces[face].seen = true;
    b->stack[b->stack_count++] = face;
    return TN_OK;
}

/* Collects the faces that the point sees, from one of them on, and the edges around them. */
static int find_horizon(builder *b, int vertex, int start)
{
    b->stack_count = b->horizon_count = 0;
    TN_TRY(push_seen(b, start));
    for (size_t i = 0; i < b->stack_count; i++)
        for (int k = 0; k < 3; k++) {
            int other = b->faces[b->stack[i]].beside[k];
            if (!b->faces[other].seen && height(b, &b->faces[other], vertex) > b->tolerance)
                TN_TRY(push_seen(b, other));
        }
    for (size_t i = 0; i < b->stack_count; i++)
        for (int k = 0; k < 3; k++) {
            const hull_face *face = &b->faces[b->stack[i]];
            if (b->faces[face->beside[k]].seen)
                continue;
            TN_TRY(tn_grow(b->context, &b->horizon, &b->horizon_capacity, b->horizon_count + 1, sizeof *b->horizon));
            b->horizon[b->horizon_count++] =
                (hull_edge){ face->corner[k], face->corner[(k + 1) % 3], face->beside[k] };
        }
    return TN_OK;
}

/* Replaces the faces of the stack by the cone over the horizon. */
static int build_cone(builder *b, int vertex)
{
    size_t first = b->face_count;
    for (size_t i = 0; i < b->horizon_count; i++) {
        const hull_edge *edge = &b->horizon[i];
        int face = add_face(b, edge->from, edge->to, vertex);
        if (face == NONE)
            return TN_ERROR_MEMORY;
        hull_face *beyond = &b->faces[edge->face];
        b->faces[face].beside[0] = edge->face;
        beyond->beside[edge_index(beyond, edge->to)] = face;
        b->cone_at[edge->from] = face;
    }
    for (size_t f = first; f < b->face_count; f++) {
        int after = b->cone_at[b->faces[f].corner[1]];
        b->faces[f].beside[1] = after;
        b->faces[after].beside[2] = (int)f;
    }
    for (size_t i = 0; i < b->stack_count; i++) {
        hull_face *face = &b->faces[b->stack[i]];
        face->removed = true;
        for (int p = face->outside, after; p != NONE; p = after) {
            after = b->next[p];
            if (p != vertex)
                give_point(b, p, first);
        }
        b->faces[b->stack[i]].outside = NONE;
    }
    return TN_OK;
}

static int build_hull(builder *b, size_t count)
{
    TN_TRY(begin_hull(b, count));
    for (size_t f = 0; f < b->face_count; f++)
        if (!b->faces[f].removed && b->faces[f].outside != NONE) {
            int vertex = b->faces[f].farthest;
            TN_TRY(find_horizon(b, vertex, (int)f));
            TN_TRY(build_cone(b, vertex));
        }
    return TN_OK;
}

static int copy_faces(tn_hull *out, tn_arena *arena, const builder *b)
{
    out->triangle_count = 0;
    out->triangles = tn_arena_alloc(arena, 3 * b->face_count, sizeof *out->triangles);
    if (!out->triangles)
        return TN_ERROR_MEMORY;
    for (size_t f = 0; f < b->face_count; f++)
        if (!b->faces[f].removed)
            memcpy(&out->triangles[3 * out->triangle_count++], b->faces[f].corner, sizeof b->faces[f].corner);
    return TN_OK;
}

int tn_hull_find(tn_hull *out, tn_context *context, tn_arena *arena, const double *points, size_t count)
{
    *out = (tn_hull){ 0 };
    if (count < 4)
        return TN_ERROR_ARGUMENT;
    builder b = { .context = context, .points = points };
    b.next = tn_alloc(context, count, sizeof *b.next);
    b.cone_at = tn_alloc(context, count, sizeof *b.cone_at);
    int code = b.next && b.cone_at ? build_hull(&b, count) : TN_ERROR_MEMORY;
    if (code >= 0)
        code = copy_faces(out, arena, &b);
    tn_free(context, b.next);
    tn_free(context, b.cone_at);
    tn_free(context, b.faces);
    tn_free(context, b.stack);
    tn_free(context, b.horizon);
    return code;
}
