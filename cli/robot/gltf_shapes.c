/* Triangles of shapes: boxes, and surfaces of revolution as rings of points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gltf_shapes.h"
#include "output.h"

enum { AROUND = 24, RINGS = 12 };      /* corners of a circle, rings of half a ball */
static const double PI = 3.141592653589793;

static void *grown(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return array;
    size_t more = *capacity ? *capacity : 64;
    while (more < need)
        more *= 2;
    void *fresh = tn_allocate(more, size);
    if (array)
        memcpy(fresh, array, *capacity * size);
    free(array);
    *capacity = more;
    return fresh;
}

static uint32_t add_vertex(gltf_mesh *m, const tn_pose *pose, double x, double y, double z)
{
    const double v[3] = { x, y, z };
    double p[3];
    tn_robot_turn(p, pose->q, v);
    m->vertices = grown(m->vertices, &m->vertex_capacity, 3 * (m->vertex_count + 1), sizeof *m->vertices);
    for (int k = 0; k < 3; k++)
        m->vertices[3 * m->vertex_count + (size_t)k] = (float)(p[k] + pose->p[k]);
    return (uint32_t)m->vertex_count++;
}

static void add_triangle(gltf_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    m->corners = grown(m->corners, &m->corner_capacity, m->corner_count + 3, sizeof *m->corners);
    m->corners[m->corner_count++] = a;
    m->corners[m->corner_count++] = b;
    m->corners[m->corner_count++] = c;
}

static void add_box(gltf_mesh *m, const tn_pose *pose, const double size[3])
{
    static const uint32_t faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                           { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
    uint32_t first = (uint32_t)m->vertex_count;
    for (int k = 0; k < 8; k++)
        add_vertex(m, pose, (k & 1 ? 0.5 : -0.5) * size[0], (k & 2 ? 0.5 : -0.5) * size[1], (k & 4 ? 0.5 : -0.5) * size[2]);
    for (int k = 0; k < 12; k++)
        add_triangle(m, first + faces[k][0], first + faces[k][1], first + faces[k][2]);
}

/* Rings (radius, height) from below to above, closed by radius 0 at both ends. */
static void add_revolved(gltf_mesh *m, const tn_pose *pose, const double (*rings)[2], int count)
{
    uint32_t first = (uint32_t)m->vertex_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < AROUND; k++)
            add_vertex(m, pose, rings[i][0] * cos(2 * PI * k / AROUND), rings[i][0] * sin(2 * PI * k / AROUND), rings[i][1]);
    for (int i = 0; i + 1 < count; i++)
        for (uint32_t k = 0; k < AROUND; k++) {
            uint32_t a = first + (uint32_t)i * AROUND + k, b = first + (uint32_t)i * AROUND + (k + 1) % AROUND;
            if (rings[i][0] > 0)
                add_triangle(m, a, b, a + AROUND);
            if (rings[i + 1][0] > 0)
                add_triangle(m, b, b + AROUND, a + AROUND);
        }
}

/* A ball, or a capsule when its halves are apart; stretch: of an ellipsoid along z. */
static void add_round(gltf_mesh *m, const tn_pose *pose, double radius, double length)
{
    double rings[2 * RINGS + 2][2];
    for (int i = 0; i <= RINGS; i++) {
        double angle = PI / 2 * i / RINGS, r = i == 0 ? 0 : radius * sin(angle), h = radius * cos(angle) + length / 2;
        rings[i][0] = rings[2 * RINGS + 1 - i][0] = r;
        rings[i][1] = -h;
        rings[2 * RINGS + 1 - i][1] = h;
    }
    add_revolved(m, pose, (const double (*)[2])rings, 2 * RINGS + 2);
}

/* A shell without thickness, seen from both sides. */
static void add_bowl(gltf_mesh *m, const tn_pose *pose, double radius, double depth)
{
    double rings[4 * RINGS + 1][2], half = acos(fmax(-1, 1 - depth / radius));
    for (int i = 0; i <= 2 * RINGS; i++) {
        double angle = half * i / (2 * RINGS);
        rings[i][0] = rings[4 * RINGS - i][0] = i == 0 ? 0 : radius * sin(angle);
        rings[i][1] = rings[4 * RINGS - i][1] = -radius * cos(angle);
    }
    add_revolved(m, pose, (const double (*)[2])rings, 4 * RINGS + 1);
}

static void add_mesh(gltf_mesh *m, const tn_pose *pose, const tn_shape_def *s)
{
    uint32_t first = (uint32_t)m->vertex_count;
    for (size_t i = 0; i < s->vertex_count; i++)
        add_vertex(m, pose, s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
    for (size_t i = 0; i < s->triangle_count; i++)
        add_triangle(m, first + (uint32_t)s->triangles[3 * i], first + (uint32_t)s->triangles[3 * i + 1],
                     first + (uint32_t)s->triangles[3 * i + 2]);
}

void tn_gltf_shapes(gltf_mesh *mesh, robot *r, int body)
{
    const robot_body *b = &r->bodies[body];
    for (size_t i = 0; i < tn_model_shape_count(r->model, b->id); i++) {
        tn_shape_def s = tn_model_shape(r->model, b->id, i);
        double radius = s.size[0] > 0 ? s.size[0] : 0.01 * s.size[1], half = s.size[1] / 2;
        const double tube[4][2] = { { 0, -half }, { radius, -half }, { radius, half }, { 0, half } };
        const double bore = s.size[2];
        const double pipe[5][2] = { { bore, half }, { bore, -half }, { radius, -half }, { radius, half }, { bore, half } };
        const double cone[3][2] = { { 0, -half }, { radius, -half }, { 0, half } };
        switch (s.kind) {
        case TN_SHAPE_BOX: add_box(mesh, &s.pose, s.size); break;
        case TN_SHAPE_CYLINDER:
        case TN_SHAPE_ROD: add_revolved(mesh, &s.pose, tube, 4); break;
        case TN_SHAPE_TUBE: add_revolved(mesh, &s.pose, pipe, 5); break;
        case TN_SHAPE_CONE: add_revolved(mesh, &s.pose, cone, 3); break;
        case TN_SHAPE_SPHERE: add_round(mesh, &s.pose, s.size[0], 0); break;
        case TN_SHAPE_CAPSULE: add_round(mesh, &s.pose, s.size[0], s.size[1]); break;
        case TN_SHAPE_MESH: add_mesh(mesh, &s.pose, &s); break;
        case TN_SHAPE_BOWL: add_bowl(mesh, &s.pose, s.size[0], s.size[1]); break;
        case TN_SHAPE_HALF_SPACE: break;
        default: tn_robot_note(r, "a shape of '%s' is left out of the picture", b->name); break;
        }
    }
}

void tn_gltf_mesh_free(gltf_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->corners);
    *mesh = (gltf_mesh){ .vertices = NULL };
}
