/* Builds surfaces from meshes: which triangles and vertices lie beside each other, which edges stick out, and a tree of
 * bounds; and gives single triangles as solids. */
#include "surface.h"

#include <stdlib.h>
#include "vec.h"

enum { LEAF = 4, DEPTH = 64 };

static const double FLAT = 1e-6;       /* sine of the angle between triangles in one plane, or edges on one line */

typedef struct tree_node {
    double low[3], high[3];
    int first, count;          /* leaf: triangles in order[first ...]; else count = 0 */
    int right;                 /* second child; the first one follows its parent */
} tree_node;

typedef struct triangle_solid {        /* memory of a triangle as a solid */
    tn_solid solid;
    tn_solid_edge edges[3];
    tn_solid_face face;
    double normals[4][3];
    int names[3][3];
    int spoke_starts[4];
    bool corner[3];
    double (*vertices)[3];     /* three, and the other ends of their edges */
    int *spokes;
} triangle_solid;

struct tn_surface {
    int vertex_count, count;
    double (*vertices)[3];     /* in the body's frame, as all below */
    double (*normals)[3];      /* of triangles */
    int *corners;              /* three a triangle */
    int *beside;               /* triangle across the edge from corner k; -1: the surface ends there */
    int *edge_of;              /* number of that edge */
    int *plane_of;             /* by triangle: the plane that it shares with its neighbours */
    bool *sticks_out;          /* by edge: something can touch it before it touches the triangles beside it */
    bool *corner;              /* by vertex */
    int *spoke_starts, *spokes;
    tree_node *nodes;
    int *order;                /* triangles, by leaf */
    int node_count;
    int *found;                /* room for all triangles */
    triangle_solid parts[2];
};

static const int corners_of_triangle[3] = { 0, 1, 2 }, edges_of_triangle[3] = { 0, 1, 2 };

/* ---- neighbours ---- */

typedef struct half_edge {
    int low, high, at;         /* at: 3 x triangle + k */
} half_edge;

static int compare_halves(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

static void pair_halves(tn_surface *s, const half_edge *halves, int *edge_count)
{
    int n = 3 * s->count;
    *edge_count = 0;
    for (int i = 0; i < n; i++) {
        bool paired = i + 1 < n && halves[i].low == halves[i + 1].low && halves[i].high == halves[i + 1].high;
        s->edge_of[halves[i].at] = *edge_count;
        s->beside[halves[i].at] = paired ? halves[i + 1].at / 3 : -1;
        if (paired) {
            s->edge_of[halves[i + 1].at] = *edge_count;
            s->beside[halves[i + 1].at] = halves[i].at / 3;
            i++;
        }
        ++*edge_count;
    }
}

static int find_neighbours(tn_surface *s, tn_context *context, int *edge_count)
{
    half_edge *halves = tn_alloc(context, 3 * (size_t)s->count, sizeof *halves);
    if (!halves)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < 3 * s->count; i++) {
        int from = s->corners[i], to = s->corners[i / 3 * 3 + (i + 1) % 3];
        halves[i] = (half_edge){ from < to ? from : to, from < to ? to : from, i };
    }
    qsort(halves, 3 * (size_t)s->count, sizeof *halves, compare_halves);
    pair_halves(s, halves, edge_count);
    tn_free(context, halves);
    return TN_OK;
}

/* An edge sticks out where the surface ends, and where the triangle beyond it bends away. */
static void find_edges(tn_surface *s)
{
    for (int i = 0; i < 3 * s->count; i++) {
        int t = i / 3, u = s->beside[i];
        double e[3], out[3];
        tn_sub3(e, s->vertices[s->corners[3 * t + (i + 1) % 3]], s->vertices[s->corners[i]]);
        tn_cross3(out, e, s->normals[t]);
        s->sticks_out[s->edge_of[i]] = u < 0 || tn_dot3(out, s->normals[u]) > FLAT * tn_norm3(e);
    }
}

/* Gives triangles in one plane that are connected one number. */
static void find_planes(tn_surface *s, int *queue)
{
    for (int t = 0; t < s->count; t++)
        s->plane_of[t] = -1;
    for (int t = 0; t < s->count; t++) {
        if (s->plane_of[t] >= 0)
            continue;
        int count = 1;
        queue[0] = t;
        s->plane_of[t] = t;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                int u = s->beside[3 * queue[i] + k];
                double n[3];
                if (u < 0 || s->plane_of[u] >= 0)
                    continue;
                tn_cross3(n, s->normals[t], s->normals[u]);
                if (tn_norm3(n) < FLAT && tn_dot3(s->normals[t], s->normals[u]) > 0) {
                    s->plane_of[u] = t;
                    queue[count++] = u;
                }
            }
    }
}

/* Lists the vertices at the other ends of the edges of each vertex. */
static void find_spokes(tn_surface *s)
{
    int *end = s->spoke_starts + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 3 * s->count; i++) {
            int t = i / 3, from = s->corners[i], to = s->corners[3 * t + (i + 1) % 3];
            if (s->beside[i] > t)
                continue;                              /* the other triangle lists this edge */
            if (pass == 0) {
                end[from + 1]++;
                end[to + 1]++;
            } else {
                s->spokes[end[from]++] = to;
                s->spokes[end[to]++] = from;
            }
        }
        for (int v = 1; v <= s->vertex_count && pass == 0; v++)
            end[v] += end[v - 1];
    }
}

/* A vertex is a corner unless the edges that stick out from it are none, or two on one line. */
static void find_corners(tn_surface *s, double (*first)[3], int *edges)
{
    memset(edges, 0, (size_t)s->vertex_count * sizeof *edges);
    for (int i = 0; i < 3 * s->count; i++) {
        int t = i / 3;
        if (s->beside[i] > t || !s->sticks_out[s->edge_of[i]])
            continue;
        for (int k = 0; k < 2; k++) {
            int from = s->corners[k ? 3 * t + (i + 1) % 3 : i], to = s->corners[k ? i : 3 * t + (i + 1) % 3];
            double d[3];
            tn_sub3(d, s->vertices[to], s->vertices[from]);
            double length = tn_norm3(d);
            for (int j = 0; j < 3; j++)
                d[j] /= length;
            edges[from]++;
            if (edges[from] == 1)
                tn_copy3(first[from], d);
            else if (edges[from] > 2 || tn_dot3(first[from], d) > -1 + FLAT)
                s->corner[from] = true;
        }
    }
    for (int v = 0; v < s->vertex_count; v++)
        s->corner[v] = s->corner[v] || edges[v] == 1;
}

/* ---- tree ---- */

static void triangle_bounds(double low[3], double high[3], const tn_surface *s, int t)
{
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = s->vertices[s->corners[3 * t]][k];
        for (int i = 1; i < 3; i++) {
            low[k] = fmin(low[k], s->vertices[s->corners[3 * t + i]][k]);
            high[k] = fmax(high[k], s->vertices[s->corners[3 * t + i]][k]);
        }
    }
}

static double middle_of(const tn_surface *s, int t, int axis)
{
    const int *c = &s->corners[3 * t];
    return s->vertices[c[0]][axis] + s->vertices[c[1]][axis] + s->vertices[c[2]][axis];
}

static bool before(const tn_surface *s, int t, int u, int axis)
{
    double a = middle_of(s, t, axis), b = middle_of(s, u, axis);
    return a < b || (a == b && t < u);
}

/* Puts the n-th smallest of order[low ... high] where it belongs, smaller ones before it. */
static void select_middle(tn_surface *s, int low, int high, int n, int axis)
{
    while (low < high) {
        int pivot = s->order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(s, s->order[i], pivot, axis))
                i++;
            while (before(s, pivot, s->order[j], axis))
                j--;
            if (i <= j) {
                int t = s->order[i];
                s->order[i++] = s->order[j];
                s->order[j--] = t;
            }
        }
        if (n <= j)
            high = j;
        else if (n >= i)
            low = i;
        else
            return;
    }
}

static void build_node(tn_surface *s, int first, int count)
{
    tree_node *node = &s->nodes[s->node_count++];
    *node = (tree_node){ .first = first, .count = count };
    for (int i = 0; i < count; i++) {
        double low[3], high[3];
        triangle_bounds(low, high, s, s->order[first + i]);
        for (int k = 0; k < 3; k++) {
            node->low[k] = i == 0 ? low[k] : fmin(node->low[k], low[k]);
            node->high[k] = i == 0 ? high[k] : fmax(node->high[k], high[k]);
        }
    }
    if (count <= LEAF)
        return;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis])
            axis = k;
    int half = count / 2;
    node->count = 0;
    select_middle(s, first, first + count - 1, first + half, axis);
    build_node(s, first, half);
    node->right = s->node_count;
    build_node(s, first + half, count - half);
}

static bool meets(const tree_node *node, const tn_surface_query *q)
{
    if (q->plane) {
        double lowest = -q->offset;
        for (int k = 0; k < 3; k++)
            lowest += q->normal[k] * (q->normal[k] > 0 ? node->low[k] : node->high[k]);
        return lowest < 0;
    }
    for (int k = 0; k < 3; k++)
        if (node->low[k] > q->high[k] || node->high[k] < q->low[k])
            return false;
    return true;
}

void tn_surface_find(const int **list, int *count, const tn_surface *surface, const tn_surface_query *query)
{
    int stack[DEPTH], top = 0;
    *list = surface->found;
    *count = 0;
    for (int at = surface->node_count > 0 ? 0 : -1; at >= 0; at = top > 0 ? stack[--top] : -1)
        while (meets(&surface->nodes[at], query)) {
            const tree_node *node = &surface->nodes[at];
            for (int i = 0; i < node->count; i++)
                surface->found[(*count)++] = surface->order[node->first + i];
            if (node->count > 0)
                break;
            stack[top++] = node->right;
            at++;
        }
}

/* ---- building ---- */

static int take_memory(tn_surface *s, tn_arena *arena)
{
    size_t n = (size_t)s->count, v = (size_t)s->vertex_count;
    s->normals = tn_arena_alloc(arena, n, sizeof *s->normals);
    s->beside = tn_arena_alloc(arena, 3 * n, sizeof *s->beside);
    s->edge_of = tn_arena_alloc(arena, 3 * n, sizeof *s->edge_of);
    s->plane_of = tn_arena_alloc(arena, n, sizeof *s->plane_of);
    s->sticks_out = tn_arena_alloc(arena, 3 * n, sizeof *s->sticks_out);
    s->corner = tn_arena_alloc(arena, v, sizeof *s->corner);
    s->spoke_starts = tn_arena_alloc(arena, v + 2, sizeof *s->spoke_starts);
    s->spokes = tn_arena_alloc(arena, 6 * n, sizeof *s->spokes);
    s->nodes = tn_arena_alloc(arena, 2 * n, sizeof *s->nodes);
    s->order = tn_arena_alloc(arena, n, sizeof *s->order);
    s->found = tn_arena_alloc(arena, n, sizeof *s->found);
    return tn_arena_status(arena);
}

static int place_vertices(tn_surface *s, tn_arena *arena, const tn_shape *mesh)
{
    double R[3][3];
    s->vertex_count = (int)mesh->vertex_count;
    s->vertices = tn_arena_alloc(arena, mesh->vertex_count, sizeof *s->vertices);
    s->corners = tn_arena_alloc(arena, 3 * mesh->triangle_count, sizeof *s->corners);
    TN_TRY(tn_arena_status(arena));
    tn_quat_matrix(R, mesh->pose.q);
    for (int i = 0; i < s->vertex_count; i++) {
        tn_mul33(s->vertices[i], (const double (*)[3])R, &mesh->vertices[3 * i]);
        tn_add3(s->vertices[i], s->vertices[i], mesh->pose.p);
    }
    return TN_OK;
}

/* Takes the triangles that have an area, and their normals. */
static int take_triangles(tn_surface *s, tn_arena *arena, const tn_shape *mesh)
{
    const double degenerate = 1e-14;   /* area over the square of the longest side */
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const int *v = &mesh->triangles[3 * t];
        double e[3], f[3], n[3];
        tn_sub3(e, s->vertices[v[1]], s->vertices[v[0]]);
        tn_sub3(f, s->vertices[v[2]], s->vertices[v[0]]);
        tn_cross3(n, e, f);
        if (tn_norm3(n) > degenerate * fmax(tn_dot3(e, e), tn_dot3(f, f)))
            memcpy(&s->corners[3 * s->count++], v, 3 * sizeof *v);
    }
    TN_TRY(take_memory(s, arena));
    for (int t = 0; t < s->count; t++) {
        const int *v = &s->corners[3 * t];
        double e[3], f[3], *n = s->normals[t];
        tn_sub3(e, s->vertices[v[1]], s->vertices[v[0]]);
        tn_sub3(f, s->vertices[v[2]], s->vertices[v[0]]);
        tn_cross3(n, e, f);
        double length = tn_norm3(n);
        for (int k = 0; k < 3; k++)
            n[k] /= length;
        s->order[t] = t;
    }
    return TN_OK;
}

static int take_parts(tn_surface *s, tn_arena *arena)
{
    int most = 0;
    for (int t = 0; t < s->count; t++) {
        int spokes = 0;
        for (int k = 0; k < 3; k++) {
            int v = s->corners[3 * t + k];
            spokes += s->spoke_starts[v + 1] - s->spoke_starts[v];
        }
        most = spokes > most ? spokes : most;
    }
    for (int k = 0; k < 2; k++) {
        s->parts[k].vertices = tn_arena_alloc(arena, 3 + (size_t)most, sizeof *s->parts[k].vertices);
        s->parts[k].spokes = tn_arena_alloc(arena, (size_t)most, sizeof *s->parts[k].spokes);
    }
    return tn_arena_status(arena);
}

static int relate_triangles(tn_surface *s, tn_context *context)
{
    int edge_count;
    size_t room = (size_t)(s->count > s->vertex_count ? s->count : s->vertex_count);
    int *numbers = tn_alloc(context, room, sizeof *numbers);
    double (*first)[3] = tn_alloc(context, (size_t)s->vertex_count, sizeof *first);
    int code = numbers && first ? find_neighbours(s, context, &edge_count) : TN_ERROR_MEMORY;
    if (code >= 0) {
        find_edges(s);
        find_planes(s, numbers);
        find_spokes(s);
        find_corners(s, first, numbers);
    }
    tn_free(context, numbers);
    tn_free(context, first);
    return code;
}

int tn_surface_build(tn_solid *solid, tn_context *context, tn_arena *arena, const tn_shape *mesh)
{
    tn_surface *s = tn_arena_alloc(arena, 1, sizeof *s);
    if (!s)
        return TN_ERROR_MEMORY;
    solid->surface = s;
    TN_TRY(place_vertices(s, arena, mesh));
    TN_TRY(take_triangles(s, arena, mesh));
    TN_TRY(relate_triangles(s, context));
    TN_TRY(take_parts(s, arena));
    if (s->count > 0)
        build_node(s, 0, s->count);
    double d[3] = { 0 };
    if (s->count > 0)
        tn_sub3(d, s->nodes[0].high, s->nodes[0].low);
    solid->size = tn_norm3(d);
    return TN_OK;
}

void tn_surface_bounds(double low[3], double high[3], const tn_surface *surface)
{
    tn_zero3(low);
    tn_zero3(high);
    if (surface->node_count == 0)
        return;
    tn_copy3(low, surface->nodes[0].low);
    tn_copy3(high, surface->nodes[0].high);
}

int tn_surface_count(const tn_surface *surface)
{
    return surface->count;
}

bool tn_surface_is_closed(const tn_surface *surface)
{
    for (int i = 0; i < 3 * surface->count; i++)
        if (surface->beside[i] < 0)
            return false;
    return surface->count > 0;
}

double tn_surface_reach(const tn_surface *surface)
{
    double reach = 0;
    for (int i = 0; i < surface->vertex_count; i++)
        reach = fmax(reach, tn_norm3(surface->vertices[i]));
    return reach;
}

/* ---- one triangle as a solid ---- */

static void place_corner(triangle_solid *part, const tn_surface *s, const double R[3][3], const tn_pose *body, int k,
                         int vertex, int *count)
{
    part->names[0][k] = vertex;
    part->corner[k] = s->corner[vertex];
    part->spoke_starts[k] = *count;
    tn_mul33(part->vertices[k], R, s->vertices[vertex]);
    tn_add3(part->vertices[k], part->vertices[k], body->p);
    for (int i = s->spoke_starts[vertex]; i < s->spoke_starts[vertex + 1]; i++, ++*count) {
        double *end = part->vertices[3 + *count];
        tn_mul33(end, R, s->vertices[s->spokes[i]]);
        tn_add3(end, end, body->p);
        part->spokes[*count] = 3 + *count;
    }
}

const tn_solid *tn_surface_triangle(const tn_solid *solid, int t, const tn_pose *body, bool second)
{
    tn_surface *s = solid->surface;
    triangle_solid *part = &s->parts[second];
    double R[3][3];
    int count = 0;
    tn_quat_matrix(R, body->q);
    tn_mul33(part->normals[0], (const double (*)[3])R, s->normals[t]);
    part->names[2][0] = s->plane_of[t];
    for (int k = 0; k < 3; k++) {
        int at = 3 * t + k, beyond = s->beside[at];
        place_corner(part, s, (const double (*)[3])R, body, k, s->corners[at], &count);
        if (beyond >= 0)
            tn_mul33(part->normals[1 + k], (const double (*)[3])R, s->normals[beyond]);
        part->names[1][k] = s->edge_of[at];
        part->edges[k] = (tn_solid_edge){ .from = k, .to = (k + 1) % 3, .faces = { 0, beyond >= 0 ? 1 + k : TN_NO_FACE },
                                          .out = { 1, beyond >= 0 ? -1 : 0 }, .flat = !s->sticks_out[s->edge_of[at]] };
    }
    part->spoke_starts[3] = count;
    part->face = (tn_solid_face){ corners_of_triangle, edges_of_triangle, 3 };
    part->solid = (tn_solid){ .body = solid->body, .shape = solid->shape, .size = solid->size, .vertex_count = 3,
                              .edge_count = 3, .face_count = 1, .edges = part->edges, .faces = &part->face,
                              .vertices = part->vertices, .normals = part->normals, .spoke_starts = part->spoke_starts,
                              .spokes = part->spokes, .corner = part->corner,
                              .names = { part->names[0], part->names[1], part->names[2] } };
    return &part->solid;
}
