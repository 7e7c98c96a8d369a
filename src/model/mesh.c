/* Closed triangle surfaces: checks, volume, centroid and inertia. */
#include "mesh.h"

#include "diag.h"
#include "elementary.h"
#include "hull.h"
#include "vec.h"

#include <math.h>
#include <stdlib.h>

/* Share of the sphere, around its middle, that a mesh with holes covers where it is a body rather than a bowl. */
static const double NEARLY_CLOSED = 0.9;
static const double PI = 3.14159265358979323846;

/* An edge of a triangle, from low to high (forward) or from high to low. */
typedef struct mesh_edge {
    int low, high;
    bool forward;
} mesh_edge;

bool tn_mesh_check(tn_check *check, size_t number, const tn_shape_def *mesh)
{
    if (mesh->triangle_count == 0 || mesh->vertex_count == 0) {
        tn_complain(check, "shape %zu: mesh has no triangles", number);
        return false;
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || (size_t)mesh->triangles[i] >= mesh->vertex_count) {
            tn_complain(check, "shape %zu: triangle %zu of the mesh has vertex %d of %zu", number, i / 3,
                        mesh->triangles[i], mesh->vertex_count);
            return false;
        }
    char role[60];
    snprintf(role, sizeof role, "shape %zu: every vertex of the mesh", number);
    return tn_check_finite(check, role, mesh->vertices, 3 * mesh->vertex_count);
}

static int compare_edges(const void *a, const void *b)
{
    const mesh_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

static bool has_area(const tn_shape_def *mesh, const int v[3])
{
    const double degenerate = 1e-14;   /* area over the square of the longest side */
    double e[3], f[3], n[3];
    tn_sub3(e, &mesh->vertices[3 * v[1]], &mesh->vertices[3 * v[0]]);
    tn_sub3(f, &mesh->vertices[3 * v[2]], &mesh->vertices[3 * v[0]]);
    tn_cross3(n, e, f);
    return tn_norm3(n) > degenerate * fmax(tn_dot3(e, e), tn_dot3(f, f));
}

/* A triangle with two equal corners is a line: what lies on its two sides meets there directly. flat: other triangles without area count. */
static size_t list_edges(mesh_edge *edges, const tn_shape_def *mesh, bool flat)
{
    size_t count = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int *v = &mesh->triangles[3 * i];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || (!flat && !has_area(mesh, v)))
            continue;
        for (int k = 0; k < 3; k++) {
            int from = v[k], to = v[(k + 1) % 3];
            bool forward = from < to;
            edges[count++] = (mesh_edge){ forward ? from : to, forward ? to : from, forward };
        }
    }
    return count;
}

typedef struct edge_faults {
    size_t open, crowded, turned;
} edge_faults;

/* In a closed surface every edge is used once in each direction. */
static edge_faults count_faults(const mesh_edge *edges, size_t count)
{
    edge_faults faults = { 0, 0, 0 };
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && compare_edges(&edges[begin], &edges[end]) == 0)
            end++;
        if (end - begin == 1)
            faults.open++;
        else if (end - begin > 2)
            faults.crowded++;
        else if (edges[begin].forward == edges[begin + 1].forward)
            faults.turned++;
    }
    return faults;
}

/* Reports edges that the surface of a solid does not have; open edges only where may_be_open is false. */
static bool check_edges(tn_check *check, size_t number, const tn_shape_def *mesh, bool may_be_open, bool *closed)
{
    mesh_edge *edges = tn_alloc(check->context, 3 * mesh->triangle_count, sizeof *edges);
    if (!edges) {
        tn_check_note(check, TN_ERROR_MEMORY);
        return false;
    }
    edge_faults faults = { 0, 0, 0 };
    for (int k = 0; k < 2; k++) {                              /* again without what touches nothing and weighs nothing */
        size_t count = list_edges(edges, mesh, k == 0);
        qsort(edges, count, sizeof *edges, compare_edges);
        faults = count_faults(edges, count);
        if (faults.crowded + faults.turned == 0)
            break;
    }
    tn_free(check->context, edges);
    *closed = faults.open == 0;
    if (faults.open && !may_be_open)
        tn_complain(check, "shape %zu: mesh has %zu open edges: not closed", number, faults.open);
    if (faults.crowded)
        tn_complain(check, "shape %zu: mesh has %zu edges with more than two triangles: not the surface of a solid",
                    number, faults.crowded);
    if (faults.turned)
        tn_complain(check, "shape %zu: mesh has %zu edges whose triangles are oriented against each other: list the "
                    "corners of all triangles counter-clockwise seen from outside", number, faults.turned);
    return (may_be_open || *closed) && faults.crowded + faults.turned == 0;
}

/* The tetrahedron (0, a, b, c) has volume det/6, centroid (a + b + c)/4 and
 *     integral of x x' = det/120 (a a' + b b' + c c' + s s'),   s = a + b + c. */
static void add_tetrahedron(double *volume, double first[3], double second[3][3], const double a[3], const double b[3],
                            const double c[3])
{
    double n[3], s[3];
    tn_cross3(n, b, c);
    double det = tn_dot3(a, n);
    for (int k = 0; k < 3; k++)
        s[k] = a[k] + b[k] + c[k];
    *volume += det / 6;
    tn_axpy3(first, det / 24, s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second[i][j] += det / 120 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]);
}

/* The mean of the vertices, about which the integrals lose no digits; returns the largest distance from it. */
static double middle(double centre[3], const tn_shape_def *mesh)
{
    tn_zero3(centre);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        tn_axpy3(centre, 1.0 / (double)mesh->vertex_count, &mesh->vertices[3 * i]);
    double extent = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double d[3];
        tn_sub3(d, &mesh->vertices[3 * i], centre);
        extent = fmax(extent, tn_norm3(d));
    }
    return extent;
}

/* Integrals over the inside of a closed surface, about its middle; negative where it is turned inside out. Returns the
 * extent. */
static double integrate(double *volume, double first[3], double second[3][3], double centre[3], const tn_shape_def *mesh)
{
    double extent = middle(centre, mesh);
    *volume = 0;
    tn_zero3(first);
    memset(second, 0, 9 * sizeof(double));
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++)
            tn_sub3(corner[k], &mesh->vertices[3 * (size_t)mesh->triangles[3 * i + (size_t)k]], centre);
        add_tetrahedron(volume, first, second, corner[0], corner[1], corner[2]);
    }
    return extent;
}

/* The signs of a surface that is turned inside out cancel in the quotients. */
static void finish_moments(tn_moments *out, double volume, const double first[3], const double second[3][3],
                           const double centre[3])
{
    double c[3], C[3][3];
    for (int k = 0; k < 3; k++)
        c[k] = first[k] / volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i][j] = second[i][j] / volume - c[i] * c[j];
    out->volume = fabs(volume);
    tn_add3(out->com, centre, c);
    const double inertia[6] = { C[1][1] + C[2][2], C[2][2] + C[0][0], C[0][0] + C[1][1], -C[0][1], -C[0][2], -C[1][2] };
    memcpy(out->inertia, inertia, sizeof inertia);
}

bool tn_mesh_moments(tn_check *check, size_t number, const tn_shape_def *mesh, tn_moments *out)
{
    const double flat = 1e-12;      /* volume over extent cubed: smaller values are round-off */
    bool closed;
    if (!check_edges(check, number, mesh, false, &closed))
        return false;
    double centre[3], volume, first[3], second[3][3];
    double extent = integrate(&volume, first, second, centre, mesh);
    if (!(fabs(volume) > flat * extent * extent * extent)) {
        tn_complain(check, "shape %zu: mesh has no volume", number);
        return false;
    }
    finish_moments(out, volume, first, (const double (*)[3])second, centre);
    return true;
}

/* ---- meshes that touch ---- */

static void check_hull(tn_check *check, size_t number, const tn_shape_def *mesh)
{
    const size_t most = 1000;          /* triangles: pairs of edges are compared */
    tn_hull hull;
    tn_arena *arena = tn_arena_create(check->context);
    int code = arena ? tn_hull_find(&hull, check->context, arena, mesh->vertices, mesh->vertex_count) : TN_ERROR_MEMORY;
    if (code == TN_ERROR_ARGUMENT)
        tn_complain(check, "shape %zu: the vertices of the mesh lie in one plane: they have no hull", number);
    else if (code < 0)
        tn_check_note(check, code);
    else if (hull.triangle_count > most)
        tn_complain(check, "shape %zu: the hull of the mesh has %zu triangles, more than %zu: use a coarser mesh, or "
                    "touch: surface", number, hull.triangle_count, most);
    if (arena)
        tn_arena_destroy(arena);
}

/* Returns how often the triangles go round a point: the sum of the solid angles in which they are seen from there, as a share of
 * the sphere. 1: around it; -1: around it, and facing it; 0: it is outside. */
static double turns_about(const tn_shape_def *mesh, const double point[3])
{
    double sum = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double c[3][3];
        for (int k = 0; k < 3; k++)
            tn_sub3(c[k], &mesh->vertices[3 * (size_t)mesh->triangles[3 * i + (size_t)k]], point);
        sum += tn_solid_angle((const double (*)[3])c);
    }
    return sum / (4 * PI);
}

void tn_mesh_check_touch(tn_check *check, size_t number, const tn_shape_def *mesh)
{
    double centre[3], volume, first[3], second[3][3];
    bool closed;
    if (mesh->touch == TN_TOUCH_HULL)
        check_hull(check, number, mesh);
    if (mesh->touch != TN_TOUCH_SURFACE || !check_edges(check, number, mesh, true, &closed))
        return;
    integrate(&volume, first, second, centre, mesh);
    if (!closed && turns_about(mesh, centre) < -NEARLY_CLOSED)
        tn_warn(check->context, check->span, "body '%s': shape %zu: the mesh has holes, and its triangles face inwards: it is "
                "touched from inside only; if the outside should touch, list the corners of its triangles counter-clockwise "
                "seen from there", check->name, number);
    if (closed && volume < 0)
        tn_complain(check, "shape %zu: the mesh is inside out: list the corners of its triangles counter-clockwise seen "
                    "from outside", number);
}
