/* Builds solids from shapes, and places them in the world. */
#include "elementary.h"
#include "hull.h"
#include "polyhedron.h"
#include "surface.h"
#include "vec.h"

/* ---- building, in the frame of the shape ---- */

static int build_point(tn_solid *s, tn_arena *arena, double radius)
{
    s->radius = radius;
    return tn_solid_memory(s, arena, 1, 0, 0);
}

static const int only_corner = 0;
static const double pi = 3.14159265358979323846;

/* The normal of a half-space is z, in planar models y. */
static int build_half_space(tn_solid *s, tn_arena *arena, int dimension)
{
    TN_TRY(tn_solid_memory(s, arena, 1, 0, 1));
    s->half_space = true;
    s->faces[0] = (tn_solid_face){ .corners = &only_corner, .count = 1 };
    s->own_normals[0][dimension - 1] = 1;
    return TN_OK;
}

/* Sets the sides of a polygon with counter-clockwise corners. */
static int set_sides(tn_solid *s, tn_arena *arena)
{
    int *corners = tn_arena_alloc(arena, 2 * (size_t)s->vertex_count, sizeof *corners);
    if (!corners)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->vertex_count; i++) {
        int next = (i + 1) % s->vertex_count;
        const double *a = s->own_vertices[i], *b = s->own_vertices[next];
        double x = b[0] - a[0], y = b[1] - a[1], length = tn_hypot(x, y);
        corners[2 * i] = i;
        corners[2 * i + 1] = next;
        s->faces[i] = (tn_solid_face){ .corners = &corners[2 * i], .count = 2 };
        s->own_normals[i][0] = y / length;
        s->own_normals[i][1] = -x / length;
    }
    return TN_OK;
}

static int build_polygon(tn_solid *s, tn_arena *arena, const tn_shape *shape)
{
    int count = (int)shape->vertex_count;
    double area = 0;
    TN_TRY(tn_solid_memory(s, arena, count, 0, count));
    for (int i = 0; i < count; i++) {
        const double *a = &shape->vertices[3 * i], *b = &shape->vertices[3 * ((i + 1) % count)];
        area += a[0] * b[1] - a[1] * b[0];
    }
    for (int i = 0; i < count; i++)
        memcpy(s->own_vertices[area > 0 ? i : count - 1 - i], &shape->vertices[3 * i], 2 * sizeof(double));
    return set_sides(s, arena);
}

static int build_rectangle(tn_solid *s, tn_arena *arena, const double size[3])
{
    static const double signs[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    TN_TRY(tn_solid_memory(s, arena, 4, 0, 4));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            s->own_vertices[i][k] = signs[i][k] * size[k] / 2;
    return set_sides(s, arena);
}

/* A capsule of zero length is a ball. */
static int build_capsule(tn_solid *s, tn_arena *arena, const tn_shape *shape, int dimension)
{
    double length = shape->size[1];
    if (length == 0)
        return build_point(s, arena, shape->size[0]);
    TN_TRY(tn_solid_memory(s, arena, 2, dimension == 3, dimension == 2 ? 2 : 0));
    s->radius = shape->size[0];
    s->own_vertices[0][2] = -length / 2;
    s->own_vertices[1][2] = length / 2;
    if (dimension == 3)
        s->edges[0] = (tn_solid_edge){ .from = 0, .to = 1, .faces = { TN_NO_FACE, TN_NO_FACE } };
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
    int (*corners)[4] = tn_arena_alloc(arena, 6, sizeof *corners);
    TN_TRY(tn_solid_memory(s, arena, 8, 12, 6));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            s->own_vertices[i][k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        for (int i = 0; i < 4; i++) {
            int p = round[i][0], q = round[i][1];
            s->edges[4 * axis + i] = (tn_solid_edge){ .from = box_vertex(axis, 0, p, q), .to = box_vertex(axis, 1, p, q),
                                                      .faces = { 2 * b + p, 2 * c + q } };
            corners[2 * axis + 1][i] = box_vertex(axis, 1, p, q);
            corners[2 * axis][i] = box_vertex(axis, 0, q, p);
        }
        for (int side = 0; side < 2; side++) {
            s->faces[2 * axis + side] = (tn_solid_face){ .corners = corners[2 * axis + side], .count = 4 };
            s->own_normals[2 * axis + side][axis] = side ? 1 : -1;
        }
    }
    return tn_solid_relate(s, arena);
}

/* Makes the convex hull of points. */
static int build_hull(tn_solid *s, tn_context *context, tn_arena *arena, const double *points, size_t count)
{
    tn_hull hull;
    TN_TRY(tn_hull_find(&hull, context, arena, points, count));
    return tn_solid_from_triangles(s, context, arena, points, count, hull.triangles, hull.triangle_count);
}

static int build_prism(tn_solid *s, tn_context *context, tn_arena *arena, const tn_shape *shape)
{
    double *points = tn_alloc(context, 6 * shape->vertex_count, sizeof *points);
    if (!points)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < 2 * shape->vertex_count; i++) {
        memcpy(&points[3 * i], &shape->vertices[3 * (i / 2)], 2 * sizeof *points);
        points[3 * i + 2] = (i % 2 ? 0.5 : -0.5) * shape->size[0];
    }
    int code = build_hull(s, context, arena, points, 2 * shape->vertex_count);
    tn_free(context, points);
    return code;
}

/* ---- round solids ---- */

static void set_rim(tn_solid *s, int rim, double radius, double z, double way)
{
    s->rims[rim] = (tn_solid_rim){ .own_centre = { 0, 0, z }, .own_axis = { 0, 0, way }, .radius = radius };
    s->rim_count = rim + 1;
    for (int i = 0; i < TN_RIM_CORNERS; i++) {
        double angle = 2 * pi * i / TN_RIM_CORNERS, *v = s->own_vertices[TN_RIM_CORNERS * rim + i];
        v[0] = radius * tn_cos(angle);
        v[1] = radius * tn_sin(angle);
        v[2] = z;
    }
}

/* The corners of a base below, in the order in which they go round seen from outside. */
static void set_base(tn_solid *s, int *corners, int face, int first, bool below)
{
    for (int i = 0; i < TN_RIM_CORNERS; i++)
        corners[i] = first + (below ? TN_RIM_CORNERS - 1 - i : i);
    s->faces[face] = (tn_solid_face){ .corners = corners, .count = TN_RIM_CORNERS };
    s->own_normals[face][2] = below ? -1 : 1;
}

/* A side between two corners of the lower rim and one or two vertices above, with the normal of its plane. */
static void set_side(tn_solid *s, int *corners, int face, int count)
{
    double e[3], f[3], *n = s->own_normals[face];
    tn_sub3(e, s->own_vertices[corners[1]], s->own_vertices[corners[0]]);
    tn_sub3(f, s->own_vertices[corners[2]], s->own_vertices[corners[0]]);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    s->faces[face] = (tn_solid_face){ .corners = corners, .count = count };
}

static int build_cylinder(tn_solid *s, tn_arena *arena, double radius, double length)
{
    enum { N = TN_RIM_CORNERS };
    int *corners = tn_arena_alloc(arena, 6 * N, sizeof *corners);
    TN_TRY(tn_solid_memory(s, arena, 2 * N, 3 * N, N + 2));
    if (!corners)
        return TN_ERROR_MEMORY;
    s->form = TN_FORM_CYLINDER;
    set_rim(s, 0, radius, -length / 2, -1);
    set_rim(s, 1, radius, length / 2, 1);
    set_base(s, corners, 0, 0, true);
    set_base(s, corners + N, 1, N, false);
    for (int i = 0; i < N; i++) {
        int next = (i + 1) % N, *side = corners + 2 * N + 4 * i;
        const int round[4] = { i, next, N + next, N + i };
        memcpy(side, round, sizeof round);
        set_side(s, side, 2 + i, 4);
        s->edges[i] = (tn_solid_edge){ .from = i, .to = next, .faces = { 0, 2 + i } };
        s->edges[N + i] = (tn_solid_edge){ .from = N + i, .to = N + next, .faces = { 1, 2 + i } };
        s->edges[2 * N + i] = (tn_solid_edge){ .from = next, .to = N + next, .faces = { 2 + i, 2 + next } };
    }
    return tn_solid_relate(s, arena);
}

static int build_cone(tn_solid *s, tn_arena *arena, double radius, double length)
{
    enum { N = TN_RIM_CORNERS };
    int *corners = tn_arena_alloc(arena, 4 * N, sizeof *corners);
    TN_TRY(tn_solid_memory(s, arena, N + 1, 2 * N, N + 1));
    if (!corners)
        return TN_ERROR_MEMORY;
    s->form = TN_FORM_CONE;
    set_rim(s, 0, radius, -length / 2, -1);
    s->own_vertices[N][2] = length / 2;
    set_base(s, corners, 0, 0, true);
    for (int i = 0; i < N; i++) {
        int next = (i + 1) % N, *side = corners + N + 3 * i;
        const int round[3] = { i, next, N };
        memcpy(side, round, sizeof round);
        set_side(s, side, 1 + i, 3);
        s->edges[i] = (tn_solid_edge){ .from = i, .to = next, .faces = { 0, 1 + i } };
        s->edges[N + i] = (tn_solid_edge){ .from = next, .to = N, .faces = { 1 + i, 1 + next } };
    }
    return tn_solid_relate(s, arena);
}

static int build_torus(tn_solid *s, tn_arena *arena, double radius, double tube)
{
    enum { N = TN_RIM_CORNERS };
    TN_TRY(tn_solid_memory(s, arena, N, N, 0));
    s->form = TN_FORM_TORUS;
    s->radius = tube;
    set_rim(s, 0, radius, 0, 1);
    for (int i = 0; i < N; i++)
        s->edges[i] = (tn_solid_edge){ .from = i, .to = (i + 1) % N, .faces = { TN_NO_FACE, TN_NO_FACE } };
    return TN_OK;
}

/* ---- hollow solids ---- */

/* A share of the radius of a bowl: what is deeper outside is not in touch with the inside. */
static const double bowl_wall = 0.1;

/* One stave of a wall, from an angle to the next: a box with its axes outwards, around and along. */
static int build_stave(tn_solid *s, tn_arena *arena, const double angles[2], const double radii[2], double length)
{
    static const double unit[3] = { 1, 1, 1 };
    double middle = 0.5 * (angles[0] + angles[1]);
    TN_TRY(build_box(s, arena, unit));
    s->stave = true;
    for (int i = 0; i < 8; i++) {
        double radius = radii[i & 1], angle = angles[i >> 1 & 1], *v = s->own_vertices[i];
        v[0] = radius * tn_cos(angle);
        v[1] = radius * tn_sin(angle);
        v[2] = (i >> 2 ? 0.5 : -0.5) * length;
    }
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1 : -1, *out = s->own_normals[side], *around = s->own_normals[2 + side];
        out[0] = sign * tn_cos(middle);
        out[1] = sign * tn_sin(middle);
        around[0] = -sign * tn_sin(angles[side]);
        around[1] = sign * tn_cos(angles[side]);
    }
    return TN_OK;
}

/* Numbers in keys of touches that no stave of a tube shares with another or with the tube. */
static int name_stave(tn_solid *s, tn_arena *arena, int stave)
{
    const int counts[3] = { s->vertex_count, s->edge_count, s->face_count };
    for (int kind = 0; kind < 3; kind++) {
        int *names = tn_arena_alloc(arena, (size_t)counts[kind], sizeof *names);
        if (!names)
            return TN_ERROR_MEMORY;
        for (int i = 0; i < counts[kind]; i++)
            names[i] = 4 * TN_RIM_CORNERS + counts[kind] * stave + i;
        s->names[kind] = names;
    }
    return TN_OK;
}

/* Staves inside the wall of a tube, so many that they are at least half as thick as the wall. A wall that is too thin for that has none. */
static int build_staves(tn_solid *s, tn_arena *arena, double radius, double length, double bore)
{
    const int most = 8 * TN_RIM_CORNERS;
    int count = TN_RIM_CORNERS;
    while (bore / tn_cos(pi / count) > 0.5 * (bore + radius * tn_cos(pi / count)) && count <= most)
        count *= 2;
    if (count > most)
        return TN_OK;
    s->staves = tn_arena_alloc(arena, (size_t)count, sizeof *s->staves);
    if (!s->staves)
        return TN_ERROR_MEMORY;
    s->stave_count = count;
    const double radii[2] = { bore / tn_cos(pi / count), radius };
    for (int i = 0; i < count; i++) {
        const double angles[2] = { 2 * pi * i / count, 2 * pi * (i + 1) / count };
        s->staves[i].body = s->body;
        s->staves[i].shape = s->shape;
        TN_TRY(build_stave(&s->staves[i], arena, angles, radii, length));
        TN_TRY(name_stave(&s->staves[i], arena, i));
    }
    return TN_OK;
}

/* In the plane, the outside of a tube is a disc. */
static int build_tube(tn_solid *s, tn_arena *arena, const double size[3], int dimension)
{
    double radius = size[0], length = size[1], bore = size[2];
    if (dimension == 2) {
        TN_TRY(build_point(s, arena, radius));
    } else {
        TN_TRY(build_cylinder(s, arena, radius, length));
        for (int k = 0; k < 2; k++) {
            s->eyes[k] = s->rims[k];
            s->eyes[k].radius = bore;
        }
        s->eye_count = 2;
        TN_TRY(build_staves(s, arena, radius, length, bore));
    }
    s->form = TN_FORM_TUBE;
    s->bore = bore;
    s->wall = radius - bore;
    return TN_OK;
}

/* Its axis points out of the opening. In the plane its vertices are the ends of the arc. A closed sphere has no brim. */
static int build_bowl(tn_solid *s, tn_arena *arena, const double size[3], int dimension)
{
    double radius = size[0], height = size[1] - radius, brim = sqrt(fmax(0, radius * radius - height * height));
    bool open = brim > bowl_wall * bowl_wall * radius;
    TN_TRY(tn_solid_memory(s, arena, !open ? 0 : dimension == 2 ? 2 : TN_RIM_CORNERS, 0, 0));
    s->eyes[0] = (tn_solid_rim){ .own_centre = { 0, 0, height }, .own_axis = { 0, 0, 1 }, .radius = brim };
    s->eye_count = 1;
    if (dimension == 3 && open)
        set_rim(s, 0, brim, height, 1);
    s->form = TN_FORM_BOWL;
    s->bore = radius;
    s->wall = bowl_wall * radius;
    return TN_OK;
}

/* The hull of points on circles of latitude. */
static int build_ellipsoid(tn_solid *s, tn_context *context, tn_arena *arena, const double half_axes[3])
{
    enum { ROUND = 12, UP = 7, POINTS = ROUND * UP + 2 };
    double points[3 * POINTS] = { 0 };
    points[2] = -half_axes[2];
    points[5] = half_axes[2];
    for (int i = 0; i < ROUND * UP; i++) {
        double angle = 2 * pi * (i % ROUND) / ROUND, height = pi * ((i / ROUND + 1.0) / (UP + 1) - 0.5);
        points[6 + 3 * i] = half_axes[0] * tn_cos(height) * tn_cos(angle);
        points[7 + 3 * i] = half_axes[1] * tn_cos(height) * tn_sin(angle);
        points[8 + 3 * i] = half_axes[2] * tn_sin(height);
    }
    s->form = TN_FORM_ELLIPSOID;
    tn_copy3(s->half_axes, half_axes);
    return build_hull(s, context, arena, points, POINTS);
}

static int build_solid(tn_solid *s, tn_context *context, tn_arena *arena, const tn_shape *shape, int dimension)
{
    switch (shape->kind) {
    case TN_SHAPE_HALF_SPACE: return build_half_space(s, arena, dimension);
    case TN_SHAPE_CAPSULE: return build_capsule(s, arena, shape, dimension);
    case TN_SHAPE_POLYGON:
        return dimension == 2 ? build_polygon(s, arena, shape) : build_prism(s, context, arena, shape);
    case TN_SHAPE_BOX:
        return dimension == 2 ? build_rectangle(s, arena, shape->size) : build_box(s, arena, shape->size);
    case TN_SHAPE_CYLINDER:
        return dimension == 2 ? build_point(s, arena, shape->size[0])
                              : build_cylinder(s, arena, shape->size[0], shape->size[1]);
    case TN_SHAPE_CONE: return build_cone(s, arena, shape->size[0], shape->size[1]);
    case TN_SHAPE_TORUS: return build_torus(s, arena, shape->size[0], shape->size[1]);
    case TN_SHAPE_ELLIPSOID: return build_ellipsoid(s, context, arena, shape->size);
    case TN_SHAPE_TUBE: return build_tube(s, arena, shape->size, dimension);
    case TN_SHAPE_BOWL: return build_bowl(s, arena, shape->size, dimension);
    case TN_SHAPE_MESH:
        return shape->touch == TN_TOUCH_HULL ? build_hull(s, context, arena, shape->vertices, shape->vertex_count)
                                             : tn_surface_build(s, context, arena, shape);
    default: return build_point(s, arena, shape->size[0]);     /* sphere */
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
    return fmax(size, fmax(s->radius, s->bore));
}

static void turn_rim(tn_solid_rim *rim, const double R[3][3], const double at[3])
{
    double v[3];
    tn_mul33(v, R, rim->own_centre);
    tn_add3(rim->own_centre, v, at);
    tn_mul33(v, R, rim->own_axis);
    tn_copy3(rim->own_axis, v);
}

static void turn_polyhedron(tn_solid *solid, const double R[3][3], const double at[3], int dimension)
{
    double v[3];
    for (int i = 0; i < solid->vertex_count; i++) {
        tn_mul33(v, R, solid->own_vertices[i]);
        tn_add3(solid->own_vertices[i], v, at);
        if (dimension == 2)
            solid->own_vertices[i][2] = 0;
    }
    for (int i = 0; i < solid->face_count; i++) {
        tn_mul33(v, R, solid->own_normals[i]);
        tn_copy3(solid->own_normals[i], v);
    }
}

int tn_solid_build(tn_solid *solid, tn_context *context, tn_arena *arena, const tn_shape *shape, int dimension)
{
    double R[3][3];
    TN_TRY(build_solid(solid, context, arena, shape, dimension));
    if (solid->surface)
        return TN_OK;
    tn_quat_matrix(R, shape->pose.q);
    turn_polyhedron(solid, (const double (*)[3])R, shape->pose.p, dimension);
    for (int k = 0; k < solid->stave_count; k++) {
        turn_polyhedron(&solid->staves[k], (const double (*)[3])R, shape->pose.p, dimension);
        solid->staves[k].size = largest_extent(&solid->staves[k]);
    }
    for (int k = 0; k < solid->rim_count; k++)
        turn_rim(&solid->rims[k], (const double (*)[3])R, shape->pose.p);
    for (int k = 0; k < solid->eye_count; k++)
        turn_rim(&solid->eyes[k], (const double (*)[3])R, shape->pose.p);
    for (int i = 0; i < solid->vertex_count && dimension == 2 && solid->form == TN_FORM_BOWL; i++) {
        const tn_solid_rim *brim = &solid->eyes[0];
        solid->own_vertices[i][0] = brim->own_centre[0] + (i ? 1 : -1) * brim->radius * brim->own_axis[1];
        solid->own_vertices[i][1] = brim->own_centre[1] - (i ? 1 : -1) * brim->radius * brim->own_axis[0];
    }
    tn_copy3(solid->own_centre, shape->pose.p);
    memcpy(solid->own_turn, shape->pose.q, sizeof solid->own_turn);
    if (dimension == 2 && solid->vertex_count == 2 && solid->form == TN_FORM_POLYHEDRON)
        TN_TRY(set_sides(solid, arena));
    solid->size = largest_extent(solid);
    return TN_OK;
}

/* Bounds of a surface: those of the turned box around it. */
static void place_surface(tn_solid *solid, const double R[3][3], const tn_pose *body)
{
    double low[3], high[3], centre[3];
    tn_surface_bounds(low, high, solid->surface);
    for (int k = 0; k < 3; k++)
        centre[k] = 0.5 * (low[k] + high[k]);
    tn_mul33(solid->low, R, centre);
    tn_add3(solid->low, solid->low, body->p);
    tn_copy3(solid->high, solid->low);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double reach = 0.5 * fabs(R[k][i]) * (high[i] - low[i]);
            solid->low[k] -= reach;
            solid->high[k] += reach;
        }
}

static void place_rim(tn_solid_rim *rim, const double R[3][3], const tn_pose *body)
{
    tn_mul33(rim->centre, R, rim->own_centre);
    tn_add3(rim->centre, rim->centre, body->p);
    tn_mul33(rim->axis, R, rim->own_axis);
}

/* Places rims and axes, and widens the bounds to those of the round surface. */
static void place_round(tn_solid *solid, const double R[3][3], const tn_pose *body)
{
    double Q[3][3];
    for (int k = 0; k < solid->rim_count; k++) {
        tn_solid_rim *rim = &solid->rims[k];
        place_rim(rim, R, body);
        for (int i = 0; i < 3; i++) {
            double reach = rim->radius * sqrt(fmax(0, 1 - rim->axis[i] * rim->axis[i])) + solid->radius;
            solid->low[i] = fmin(solid->low[i], rim->centre[i] - reach);
            solid->high[i] = fmax(solid->high[i], rim->centre[i] + reach);
        }
    }
    for (int k = 0; k < solid->eye_count; k++)
        place_rim(&solid->eyes[k], R, body);
    tn_mul33(solid->centre, R, solid->own_centre);
    tn_add3(solid->centre, solid->centre, body->p);
    tn_quat_mul(solid->turn, body->q, solid->own_turn);
    for (int i = 0; i < 3 && solid->form == TN_FORM_BOWL; i++) {
        solid->low[i] = solid->centre[i] - solid->bore;
        solid->high[i] = solid->centre[i] + solid->bore;
    }
    if (solid->form != TN_FORM_ELLIPSOID)
        return;
    tn_quat_matrix(Q, solid->turn);
    for (int i = 0; i < 3; i++) {
        double reach = 0;
        for (int k = 0; k < 3; k++)
            reach += Q[i][k] * Q[i][k] * solid->half_axes[k] * solid->half_axes[k];
        solid->low[i] = fmin(solid->low[i], solid->centre[i] - sqrt(reach));
        solid->high[i] = fmax(solid->high[i], solid->centre[i] + sqrt(reach));
    }
}

void tn_solid_place(tn_solid *solid, const tn_pose *body)
{
    double R[3][3];
    tn_quat_matrix(R, body->q);
    if (solid->surface) {
        place_surface(solid, (const double (*)[3])R, body);
        return;
    }
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
    if (solid->form != TN_FORM_POLYHEDRON)
        place_round(solid, (const double (*)[3])R, body);
    for (int k = 0; k < solid->stave_count; k++)
        tn_solid_place(&solid->staves[k], body);
}
