/* Finds the touches between a surface and another solid, triangle by triangle. */
#include "meet_ovals.h"
#include "solid_features.h"
#include "surface.h"
#include "vec.h"

/* Adds the touches of a triangle's edge with the edges of a convex solid. */
static void edges_and_edge(tn_touch_list *list, const tn_solid *triangle, int j, const tn_solid *other, double deepest)
{
    const tn_solid_edge *edge = &triangle->edges[j];
    double into[3];
    for (int k = 0; k < 3; k++)
        into[k] = -triangle->normals[0][k] -
                  (edge->faces[1] == TN_NO_FACE ? 0 : triangle->normals[edge->faces[1]][k]);
    double length = tn_norm3(into);
    for (int k = 0; k < 3; k++)
        into[k] /= length;
    for (int i = 0; i < other->edge_count; i++) {
        double e[3], f[3], n[3], d[3];
        tn_sub3(e, other->vertices[other->edges[i].to], other->vertices[other->edges[i].from]);
        tn_sub3(f, triangle->vertices[edge->to], triangle->vertices[edge->from]);
        tn_sub3(d, other->vertices[other->edges[i].from], triangle->vertices[edge->from]);
        tn_cross3(n, f, e);
        double size = tn_norm3(n), sign = tn_dot3(n, into) > 0 ? -1 : 1;
        for (int k = 0; k < 3 && size > 0; k++)
            n[k] *= sign / size;
        if (size > 0 && tn_dot3(d, n) > deepest && tn_edge_wedge(triangle, edge, n, 1))
            tn_add_edges(list, other, i, triangle, j, other->radius > 0 ? NULL : into, TN_BOUNDARY);
    }
}

/* A triangle of a surface, which is touched from its front side only, and a convex solid. Its plane, edges and corners
 * touch where the surface bends away from the solid. */
static void meet_triangle(tn_touch_list *list, const tn_solid *triangle, const tn_solid *other)
{
    double deepest = other->radius > 0 ? 0 : -TN_SHALLOW * fmin(other->size, triangle->size);
    for (int i = 0; i < other->vertex_count && other->radius == 0; i++)
        if (tn_vertex_is_corner(other, i) && tn_triangle_covers(triangle, other->vertices[i], list->margin) &&
            tn_face_height(triangle, 0, other->vertices[i]) > deepest && tn_face_first(triangle, 0, other->vertices[i]))
            tn_add_face(list, triangle, 0, other, i);
    if (other->radius > 0) {
        tn_vertices_meet(list, triangle, other);
        tn_vertices_meet(list, other, triangle);
    }
    for (int i = 0; i < 3; i++) {
        for (int f = 0; f < other->face_count && tn_vertex_is_corner(triangle, i); f++) {
            double n[3] = { -other->normals[f][0], -other->normals[f][1], -other->normals[f][2] };
            bool over = other->corner ? tn_triangle_covers(other, triangle->vertices[i], list->margin)
                                      : tn_face_covers(other, f, triangle->vertices[i]);
            if (over && tn_face_height(other, f, triangle->vertices[i]) > deepest && tn_vertex_cone(triangle, i, n, TN_LEANING) &&
                tn_face_first(other, f, triangle->vertices[i]))
                tn_add_face(list, other, f, triangle, i);
        }
        if (!triangle->edges[i].flat)
            edges_and_edge(list, triangle, i, other, -TN_OVERLAP * fmin(other->size, triangle->size));
    }
}

/* The bounds of a solid in the frame of another body, or the plane of a half-space there. */
static tn_surface_query query_of(const tn_solid *solid, const tn_pose *frame, double margin)
{
    tn_surface_query q = { .plane = solid->half_space };
    double R[3][3], centre[3];
    tn_quat_matrix(R, frame->q);
    if (solid->half_space) {
        tn_mul33t(q.normal, (const double (*)[3])R, solid->normals[0]);
        tn_sub3(centre, solid->vertices[0], frame->p);
        q.offset = tn_dot3(centre, solid->normals[0]) + margin;
        return q;
    }
    for (int k = 0; k < 3; k++)
        centre[k] = 0.5 * (solid->low[k] + solid->high[k]) - frame->p[k];
    tn_mul33t(q.low, (const double (*)[3])R, centre);
    tn_copy3(q.high, q.low);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double reach = fabs(R[i][k]) * (0.5 * (solid->high[i] - solid->low[i]) + margin);
            q.low[k] -= reach;
            q.high[k] += reach;
        }
    return q;
}

void tn_triangle_bounds(tn_solid *triangle)
{
    for (int k = 0; k < 3; k++) {
        const double (*v)[3] = (const double (*)[3])triangle->vertices;
        triangle->low[k] = fmin(v[0][k], fmin(v[1][k], v[2][k]));
        triangle->high[k] = fmax(v[0][k], fmax(v[1][k], v[2][k]));
    }
}

void tn_surface_near(const int **list, int *count, const tn_solid *surface, const tn_solid *solid, const tn_pose *frame, double margin)
{
    tn_surface_query query = query_of(solid, frame, margin);
    tn_surface_find(list, count, surface->surface, &query);
}

void tn_surface_meet(tn_touch_list *list, const tn_solid *surface, const tn_solid *other, bool second)
{
    const tn_pose *pose = &list->poses[surface->body];
    const int *found;
    int count;
    tn_surface_near(&found, &count, surface, other, pose, list->margin);
    for (int i = 0; i < count; i++) {
        tn_solid triangle = *tn_surface_triangle(surface, found[i], pose, second);
        if (other->surface) {
            tn_triangle_bounds(&triangle);
            tn_surface_meet(list, other, &triangle, true);
        } else if (other->half_space) {
            tn_vertices_meet(list, other, &triangle);
        } else if (tn_solid_is_hollow(other)) {
            tn_hollow_meet(list, other, &triangle);
        } else if (tn_ovals_touch(other, &triangle)) {
            tn_ovals_meet(list, other, &triangle);
        } else if (tn_solid_is_round(other, &triangle)) {
            tn_round_meet(list, other, &triangle);
        } else {
            meet_triangle(list, &triangle, other);
        }
    }
}
