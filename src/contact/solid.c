/* Builds solids from shapes (half-space, polygon, capsule, box, ball), and places them in the world. */
#include "solid.h"

#include "vec.h"

/* ---- building, in the frame of the shape ---- */

static int take_memory(tn_solid *s, tn_arena *arena, int vertices, int edges, int faces)
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

static int build_point(tn_solid *s, tn_arena *arena, double radius)
{
    s->radius = radius;
    return take_memory(s, arena, 1, 0, 0);
}

/* The normal of a half-space is z, in planar models y. */
static int build_half_space(tn_solid *s, tn_arena *arena, int dimension)
{
    TN_TRY(take_memory(s, arena, 1, 0, 1));
    s->half_space = true;
    s->own_normals[0][dimension - 1] = 1;
    return TN_OK;
}

/* Sets the sides of a polygon with counter-clockwise corners. */
static void set_sides(tn_solid *s)
{
    for (int i = 0; i < s->vertex_count; i++) {
        int next = (i + 1) % s->vertex_count;
        const double *a = s->own_vertices[i], *b = s->own_vertices[next];
        double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
        s->faces[i] = (tn_solid_face){ { i, next }, 2 };
        s->own_normals[i][0] = y / length;
        s->own_normals[i][1] = -x / length;
    }
}

static int build_polygon(tn_solid *s, tn_arena *arena, const tn_shape *shape)
{
    int count = (int)shape->vertex_count;
    double area = 0;
    TN_TRY(take_memory(s, arena, count, 0, count));
    for (int i = 0; i < count; i++) {
        const double *a = &shape->vertices[3 * i], *b = &shape->vertices[3 * ((i + 1) % count)];
        area += a[0] * b[1] - a[1] * b[0];
    }
    for (int i = 0; i < count; i++)
        memcpy(s->own_vertices[area > 0 ? i : count - 1 - i], &shape->vertices[3 * i], 2 * sizeof(double));
    set_sides(s);
    return TN_OK;
}

static int build_rectangle(tn_solid *s, tn_arena *arena, const double size[3])
{
    static const double signs[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    TN_TRY(take_memory(s, arena, 4, 0, 4));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            s->own_vertices[i][k] = signs[i][k] * size[k] / 2;
    set_sides(s);
    return TN_OK;
}

/* A capsule of zero length is a ball. */
static int build_capsule(tn_solid *s, tn_arena *arena, const tn_shape *shape, int dimension)
{
    double length = shape->size[1];
    if (length == 0)
        return build_point(s, arena, shape->size[0]);
    TN_TRY(take_memory(s, arena, 2, dimension == 3, dimension == 2 ? 2 : 0));
    s->radius = shape->size[0];
    s->own_vertices[0][2] = -length / 2;
    s->own_vertices[1][2] = length / 2;
    if (dimension == 3)
        s->edges[0] = (tn_solid_edge){ 0, 1, { TN_NO_FACE, TN_NO_FACE } };
    return TN_OK;
}

/* Vertex i has the sign of its coordinate k in bit k; face 2 k + 1 is on the positive side of axis k, face 2 k on the
 * other. */
static int box_vertex(int axis, int sign, int next, int last)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return sign << axis | next << b | last << c;
}

static int build_box(tn_solid *s, tn_arena *arena, const double size[3])
{
    static const int round[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    TN_TRY(take_memory(s, arena, 8, 12, 6));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            s->own_vertices[i][k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        for (int i = 0; i < 4; i++) {
            int p = round[i][0], q = round[i][1];
            s->edges[4 * axis + i] = (tn_solid_edge){ box_vertex(axis, 0, p, q), box_vertex(axis, 1, p, q),
                                                      { 2 * b + p, 2 * c + q } };
            s->faces[2 * axis + 1].corners[i] = box_vertex(axis, 1, p, q);
            s->faces[2 * axis].corners[i] = box_vertex(axis, 0, q, p);
        }
        for (int side = 0; side < 2; side++) {
            s->faces[2 * axis + side].count = 4;
            s->own_normals[2 * axis + side][axis] = side ? 1 : -1;
        }
    }
    return TN_OK;
}

static int build_solid(tn_solid *s, tn_arena *arena, const tn_shape *shape, int dimension)
{
    switch (shape->kind) {
    case TN_SHAPE_HALF_SPACE: return build_half_space(s, arena, dimension);
    case TN_SHAPE_CAPSULE: return build_capsule(s, arena, shape, dimension);
    case TN_SHAPE_POLYGON: return build_polygon(s, arena, shape);
    case TN_SHAPE_BOX:
        return dimension == 2 ? build_rectangle(s, arena, shape->size) : build_box(s, arena, shape->size);
    default: return build_point(s, arena, shape->size[0]);     /* sphere, disc */
    }
}

/* ---- into the frame of the body ---- */

static double largest_extent(const tn_solid *s)
{
    double size = 0, d[3];
    for (int i = 1; i < s->vertex_count; i++) {
        tn_sub3(d, s->own_vertices[i], s->own_vertices[0]);
        size = fmax(size, tn_norm3(d));
    }
    return fmax(size, s->radius);
}

int tn_solid_build(tn_solid *solid, tn_arena *arena, const tn_shape *shape, int dimension)
{
    double R[3][3], v[3];
    TN_TRY(build_solid(solid, arena, shape, dimension));
    tn_quat_matrix(R, shape->pose.q);
    for (int i = 0; i < solid->vertex_count; i++) {
        tn_mul33(v, (const double (*)[3])R, solid->own_vertices[i]);
        tn_add3(solid->own_vertices[i], v, shape->pose.p);
        if (dimension == 2)
            solid->own_vertices[i][2] = 0;
    }
    for (int i = 0; i < solid->face_count; i++) {
        tn_mul33(v, (const double (*)[3])R, solid->own_normals[i]);
        tn_copy3(solid->own_normals[i], v);
    }
    if (dimension == 2 && solid->vertex_count == 2)
        set_sides(solid);
    solid->size = largest_extent(solid);
    return TN_OK;
}

void tn_solid_place(tn_solid *solid, const tn_pose *body)
{
    double R[3][3];
    tn_quat_matrix(R, body->q);
    for (int i = 0; i < solid->vertex_count; i++) {
        tn_mul33(solid->vertices[i], (const double (*)[3])R, solid->own_vertices[i]);
        tn_add3(solid->vertices[i], solid->vertices[i], body->p);
    }
    for (int i = 0; i < solid->face_count; i++)
        tn_mul33(solid->normals[i], (const double (*)[3])R, solid->own_normals[i]);
    for (int k = 0; k < 3; k++) {
        solid->low[k] = solid->half_space ? -INFINITY : INFINITY;
        solid->high[k] = -solid->low[k];
        for (int i = 0; i < solid->vertex_count && !solid->half_space; i++) {
            solid->low[k] = fmin(solid->low[k], solid->vertices[i][k] - solid->radius);
            solid->high[k] = fmax(solid->high[k], solid->vertices[i][k] + solid->radius);
        }
    }
}
