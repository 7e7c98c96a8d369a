/* Builds the edges and faces of polyhedra in space, from triangles, and relates them to each other. */
#include "polyhedron.h"

#include <stdlib.h>
#include "vec.h"

static const double IN_PLANE = 1e-6;           /* sine of the angle between triangles in one plane */

int tn_solid_memory(tn_solid *s, tn_arena *arena, int vertices, int edges, int faces)
{
    s->vertex_count = vertices;
    s->edge_count = edges;
    s->face_count = faces;
    s->own_vertices = tn_arena_alloc(arena, (size_t)vertices, sizeof *s->own_vertices);
    s->vertices = tn_arena_alloc(arena, (size_t)vertices, sizeof *s->vertices);
    s->edges = tn_arena_alloc(arena, (size_t)edges, sizeof *s->edges);
    s->faces = tn_arena_alloc(arena, (size_t)faces, sizeof *s->faces);
    s->own_normals = tn_arena_alloc(arena, (size_t)faces, sizeof *s->own_normals);
    s->normals = tn_arena_alloc(arena, (size_t)faces, sizeof *s->normals);
    bool good = s->own_vertices && s->vertices && s->edges && s->faces && s->own_normals && s->normals;
    return good ? TN_OK : TN_ERROR_MEMORY;
}

/* ---- relations ---- */

static bool same_edge(const tn_solid_edge *edge, int a, int b)
{
    return (edge->from == a && edge->to == b) || (edge->from == b && edge->to == a);
}

static void relate_edge(tn_solid *s, int *const *around, int e)
{
    tn_solid_edge *edge = &s->edges[e];
    for (int k = 0; k < 2; k++) {
        if (edge->faces[k] == TN_NO_FACE)
            continue;
        const tn_solid_face *face = &s->faces[edge->faces[k]];
        for (int i = 0; i < face->count; i++)
            if (same_edge(edge, face->corners[i], face->corners[(i + 1) % face->count])) {
                around[edge->faces[k]][i] = e;
                edge->out[k] = edge->from == face->corners[i] ? 1 : -1;
            }
    }
}

static int relate_vertices(tn_solid *s, tn_arena *arena)
{
    int *starts = tn_arena_alloc(arena, (size_t)s->vertex_count + 2, sizeof *starts);
    int *spokes = tn_arena_alloc(arena, 2 * (size_t)s->edge_count, sizeof *spokes);
    if (!starts || !spokes)
        return TN_ERROR_MEMORY;
    int *end = starts + 1;             /* end[i]: where the spokes of vertex i end so far */
    for (int e = 0; e < s->edge_count; e++) {
        end[s->edges[e].from + 1]++;
        end[s->edges[e].to + 1]++;
    }
    for (int i = 1; i <= s->vertex_count; i++)
        end[i] += end[i - 1];
    for (int e = 0; e < s->edge_count; e++) {
        spokes[end[s->edges[e].from]++] = s->edges[e].to;
        spokes[end[s->edges[e].to]++] = s->edges[e].from;
    }
    s->spoke_starts = starts;
    s->spokes = spokes;
    return TN_OK;
}

int tn_solid_relate(tn_solid *s, tn_arena *arena)
{
    int **around = tn_arena_alloc(arena, (size_t)s->face_count, sizeof *around);
    for (int f = 0; f < s->face_count && around; f++)
        s->faces[f].edges = around[f] = tn_arena_alloc(arena, (size_t)s->faces[f].count, sizeof *around[f]);
    TN_TRY(tn_arena_status(arena));
    for (int e = 0; e < s->edge_count; e++)
        relate_edge(s, around, e);
    return relate_vertices(s, arena);
}

/* ---- from triangles ---- */

/* Half of an edge: a triangle's side from `from` to `to`. */
typedef struct half_edge {
    int from, to, triangle;
} half_edge;

typedef struct outline {
    tn_context *context;
    tn_arena *arena;
    const double *points;
    const int *triangles;
    int count;                 /* triangles */
    double (*normals)[3];      /* of triangles */
    half_edge *halves;         /* sorted by from, then to; 3 x count */
    int *face_of;              /* by triangle */
    int *vertex_of;            /* by point; -1: no corner of a face */
    int face_count;
} outline;

static int compare_halves(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    return p->from != q->from ? (p->from > q->from) - (p->from < q->from) : (p->to > q->to) - (p->to < q->to);
}

static const half_edge *find_half(const outline *o, int from, int to)
{
    half_edge key = { from, to, 0 };
    return bsearch(&key, o->halves, 3 * (size_t)o->count, sizeof key, compare_halves);
}

static void list_halves(outline *o)
{
    for (int t = 0; t < o->count; t++)
        for (int k = 0; k < 3; k++)
            o->halves[3 * t + k] = (half_edge){ o->triangles[3 * t + k], o->triangles[3 * t + (k + 1) % 3], t };
    qsort(o->halves, 3 * (size_t)o->count, sizeof *o->halves, compare_halves);
}

static void set_normal(double n[3], const double *a, const double *b, const double *c)
{
    double e[3], f[3];
    tn_sub3(e, b, a);
    tn_sub3(f, c, a);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length > 0 ? length : 1;
}

static bool in_one_plane(const outline *o, int t, int u)
{
    double n[3];
    tn_cross3(n, o->normals[t], o->normals[u]);
    return tn_norm3(n) < IN_PLANE && tn_dot3(o->normals[t], o->normals[u]) > 0;
}

/* Joins a triangle and all those in its plane that it is connected with, into a new face. */
static void join_plane(outline *o, int start, int *queue)
{
    int count = 1;
    queue[0] = start;
    o->face_of[start] = o->face_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const int *v = &o->triangles[3 * queue[i]];
            const half_edge *half = find_half(o, v[(k + 1) % 3], v[k]);
            if (half && o->face_of[half->triangle] < 0 && in_one_plane(o, start, half->triangle)) {
                o->face_of[half->triangle] = o->face_count;
                queue[count++] = half->triangle;
            }
        }
    o->face_count++;
}

static bool on_outline(const outline *o, const half_edge *half)
{
    const half_edge *other = find_half(o, half->to, half->from);
    return !other || o->face_of[other->triangle] != o->face_of[half->triangle];
}

/* Numbers the points at which edges between faces end. */
static int number_vertices(outline *o, size_t points)
{
    int count = 0;
    for (size_t i = 0; i < points; i++)
        o->vertex_of[i] = -1;
    for (int h = 0; h < 3 * o->count; h++)
        if (on_outline(o, &o->halves[h]) && o->vertex_of[o->halves[h].from] < 0)
            o->vertex_of[o->halves[h].from] = count++;
    return count;
}

static int count_edges(const outline *o)
{
    int count = 0;
    for (int h = 0; h < 3 * o->count; h++)
        count += o->halves[h].from < o->halves[h].to && on_outline(o, &o->halves[h]);
    return count;
}

static void set_edges(tn_solid *s, const outline *o)
{
    int count = 0;
    for (int h = 0; h < 3 * o->count; h++) {
        const half_edge *half = &o->halves[h], *other = find_half(o, half->to, half->from);
        if (half->from < half->to && on_outline(o, half))
            s->edges[count++] = (tn_solid_edge){
                .from = o->vertex_of[half->from], .to = o->vertex_of[half->to],
                .faces = { o->face_of[half->triangle], other ? o->face_of[other->triangle] : TN_NO_FACE } };
    }
}

/* Returns the half of an edge that follows another on the outline of its face. */
static const half_edge *next_half(const outline *o, const half_edge *half)
{
    int low = 0, high = 3 * o->count, face = o->face_of[half->triangle];
    while (low < high) {
        int middle = (low + high) / 2;
        if (o->halves[middle].from < half->to)
            low = middle + 1;
        else
            high = middle;
    }
    while (o->face_of[o->halves[low].triangle] != face || !on_outline(o, &o->halves[low]))
        low++;
    return &o->halves[low];
}

/* Follows the outline of a face from corner to corner, beginning at `first`. */
static int set_face(tn_solid *s, const outline *o, const half_edge *first)
{
    int count = 0, f = o->face_of[first->triangle];
    const half_edge *half = first;
    do {
        count++;
        half = next_half(o, half);
    } while (half != first);
    int *corners = tn_arena_alloc(o->arena, (size_t)count, sizeof *corners);
    if (!corners)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < count; i++, half = next_half(o, half))
        corners[i] = o->vertex_of[half->from];
    tn_copy3(s->own_normals[f], o->normals[first->triangle]);
    s->faces[f] = (tn_solid_face){ .corners = corners, .count = count };
    return TN_OK;
}

static int build_faces(tn_solid *s, outline *o, size_t points)
{
    for (int t = 0; t < o->count; t++) {
        const int *v = &o->triangles[3 * t];
        set_normal(o->normals[t], &o->points[3 * v[0]], &o->points[3 * v[1]], &o->points[3 * v[2]]);
        o->face_of[t] = -1;
    }
    list_halves(o);
    for (int t = 0; t < o->count; t++)
        if (o->face_of[t] < 0)
            join_plane(o, t, o->vertex_of);
    int vertices = number_vertices(o, points);
    TN_TRY(tn_solid_memory(s, o->arena, vertices, count_edges(o), o->face_count));
    for (size_t i = 0; i < points; i++)
        if (o->vertex_of[i] >= 0)
            tn_copy3(s->own_vertices[o->vertex_of[i]], &o->points[3 * i]);
    set_edges(s, o);
    for (int h = 0; h < 3 * o->count; h++)
        if (!s->faces[o->face_of[o->halves[h].triangle]].corners && on_outline(o, &o->halves[h]))
            TN_TRY(set_face(s, o, &o->halves[h]));
    return tn_solid_relate(s, o->arena);
}

int tn_solid_from_triangles(tn_solid *s, tn_context *context, tn_arena *arena, const double *points, size_t points_count,
                            const int *triangles, size_t count)
{
    outline o = { .context = context, .arena = arena, .points = points, .triangles = triangles, .count = (int)count };
    size_t room = points_count > count ? points_count : count;         /* vertex_of is the queue of join_plane, too */
    o.normals = tn_alloc(context, count, sizeof *o.normals);
    o.halves = tn_alloc(context, 3 * count, sizeof *o.halves);
    o.face_of = tn_alloc(context, count, sizeof *o.face_of);
    o.vertex_of = tn_alloc(context, room, sizeof *o.vertex_of);
    bool good = o.normals && o.halves && o.face_of && o.vertex_of;
    int code = good ? build_faces(s, &o, points_count) : TN_ERROR_MEMORY;
    tn_free(context, o.normals);
    tn_free(context, o.halves);
    tn_free(context, o.face_of);
    tn_free(context, o.vertex_of);
    return code;
}
