/* Finds the touches between two solids. Rounded solids whose polytopes are apart touch with their nearest features:
 * each vertex of one solid with the nearest face, edge or vertex of the other, and edges that cross. Solids whose
 * polytopes overlap, or without rounding, touch across the plane that separates them best: the two faces along that
 * plane give touches where a corner of one lies within the other, and where their edges cross. */
#include "meet_ovals.h"
#include "solid_features.h"
#include "vec.h"

#include <math.h>

/* m: gaps that differ by less are the same. */
static const double SAME_GAP = 1e-9;
/* Share of an edge: edges that separate best cross so little beyond an end where a corner is at an edge. */
static const double AT_END = 0.01;

/* ---- the plane that separates best ---- */

/* Returns the lowest vertex of a solid in a direction. */
static int lowest(const tn_solid *solid, const double n[3])
{
    int found = 0;
    for (int i = 1; i < solid->vertex_count; i++)
        if (tn_dot3(solid->vertices[i], n) < tn_dot3(solid->vertices[found], n))
            found = i;
    return found;
}

/* Faces 2 and 3 of a stave lead to the next ones. */
static bool is_within(const tn_solid *solid, int face)
{
    return solid->stave && face / 2 == 1;
}

static bool edge_is_within(const tn_solid *solid, const tn_solid_edge *edge)
{
    return is_within(solid, edge->faces[0]) || is_within(solid, edge->faces[1]);
}

/* outside: only ways out of a wall count. */
static void try_faces(tn_separation *best, const tn_solid *owner, const tn_solid *other, double sign, bool outside)
{
    for (int f = 0; f < owner->face_count; f++) {
        const double *n = owner->normals[f];
        if (outside && is_within(owner, f))
            continue;
        double distance = tn_face_height(owner, f, other->vertices[lowest(other, n)]);
        if (distance > best->distance) {
            *best = (tn_separation){ .distance = distance, .owner = owner, .face = f };
            for (int k = 0; k < 3; k++)
                best->normal[k] = sign * n[k];
        }
    }
}

/* The direction n against those of the faces beside an edge; 0: there are none. */
static double beside_edge(const tn_solid *solid, int edge, const double n[3])
{
    const int *faces = solid->edges[edge].faces;
    return faces[0] == TN_NO_FACE ? 0 : tn_dot3(solid->normals[faces[0]], n) + tn_dot3(solid->normals[faces[1]], n);
}

/* Edges must separate better than faces by more than round-off, because faces give more stable planes. */
static void try_edges(tn_separation *best, const tn_solid *a, int i, const tn_solid *b, int j)
{
    double e[3], f[3], n[3], slack = TN_BOUNDARY * fmin(a->size, b->size);
    tn_sub3(e, a->vertices[a->edges[i].to], a->vertices[a->edges[i].from]);
    tn_sub3(f, b->vertices[b->edges[j].to], b->vertices[b->edges[j].from]);
    tn_cross3(n, e, f);
    double length = tn_norm3(n);
    if (!(length > TN_CROSSING * tn_norm3(e) * tn_norm3(f)))
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        double up[3], down[3], gap[3];
        if (sign * (beside_edge(a, i, n) - beside_edge(b, j, n)) < 0)
            continue;                                  /* other features are the outermost ones in this direction */
        for (int k = 0; k < 3; k++) {
            up[k] = sign * n[k] / length;
            down[k] = -up[k];
        }
        tn_sub3(gap, b->vertices[lowest(b, up)], a->vertices[lowest(a, down)]);
        double distance = tn_dot3(gap, up);
        if (distance > best->distance + slack) {
            *best = (tn_separation){ .distance = distance, .edges = { i, j } };
            tn_copy3(best->normal, up);
        }
    }
}

/* The edge as a vector, with the first of its faces on its left seen from outside: along the cross product of the normals
 * of its two faces. */
static void edge_vector(double e[3], const tn_solid *solid, const tn_solid_edge *edge)
{
    bool forward = edge->out[0] >= 0;
    tn_sub3(e, solid->vertices[forward ? edge->to : edge->from], solid->vertices[forward ? edge->from : edge->to]);
}

/* Tells whether two edges can separate: on the unit sphere, the arc between the normals of the faces at one edge crosses
 * the arc of the other edge, reversed. */
static bool arcs_cross(const tn_solid *a, const tn_solid_edge *p, const tn_solid *b, const tn_solid_edge *q)
{
    if (p->faces[0] == TN_NO_FACE || q->faces[0] == TN_NO_FACE)
        return true;
    double e[3], f[3];
    edge_vector(e, a, p);
    edge_vector(f, b, q);
    double m0 = tn_dot3(b->normals[q->faces[0]], e), m1 = tn_dot3(b->normals[q->faces[1]], e);
    double n0 = tn_dot3(a->normals[p->faces[0]], f), n1 = tn_dot3(a->normals[p->faces[1]], f);
    return m0 * m1 <= 0 && n0 * n1 <= 0 && m0 * n1 <= 0;
}

/* enough: planes that separate by this distance end the search. */
static tn_separation separate(const tn_solid *a, const tn_solid *b, double enough, bool outside)
{
    tn_separation best = { .distance = -INFINITY };
    try_faces(&best, a, b, 1, outside);
    if (best.distance < enough)
        try_faces(&best, b, a, -1, outside);
    for (int i = 0; i < a->edge_count && best.distance < enough; i++)
        for (int j = 0; j < b->edge_count && !(outside && edge_is_within(a, &a->edges[i])); j++)
            if (!(outside && edge_is_within(b, &b->edges[j])) && arcs_cross(a, &a->edges[i], b, &b->edges[j]))
                try_edges(&best, a, i, b, j);
    return best;
}

tn_separation tn_solids_separate(const tn_solid *a, const tn_solid *b)
{
    return separate(a, b, INFINITY, false);
}

/* Returns the face whose normal is closest to a direction; TN_NO_FACE: the solid has no faces. */
static int facing(const tn_solid *solid, const double n[3], double sign)
{
    int found = TN_NO_FACE;
    for (int f = 0; f < solid->face_count; f++)
        if (found == TN_NO_FACE || sign * tn_dot3(solid->normals[f], n) > sign * tn_dot3(solid->normals[found], n))
            found = f;
    return found;
}

/* Adds touches of owner's face with the corners of other's face (without a face: with all vertices of other) over
 * it. */
static void corners_over_face(tn_touch_list *list, const tn_solid *owner, int face, const tn_solid *other,
                              int other_face)
{
    int count = other_face == TN_NO_FACE ? other->vertex_count : other->faces[other_face].count;
    for (int i = 0; i < count && face != TN_NO_FACE; i++) {
        int v = other_face == TN_NO_FACE ? i : other->faces[other_face].corners[i];
        if (tn_face_covers(owner, face, other->vertices[v]))
            tn_add_face(list, owner, face, other, v);
    }
}

static bool borders(const tn_solid_edge *edge, int face)
{
    return face == TN_NO_FACE || edge->faces[0] == face || edge->faces[1] == face;
}

static void edges_across(tn_touch_list *list, const tn_solid *a, int one, const tn_solid *b, int two,
                         const double normal[3])
{
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            if (borders(&a->edges[i], one) && borders(&b->edges[j], two))
                tn_add_edges(list, a, i, b, j, normal, TN_BOUNDARY);
}

void tn_edges_across(tn_touch_list *list, const tn_solid *a, const tn_solid *b, const double normal[3])
{
    edges_across(list, a, facing(a, normal, 1), b, facing(b, normal, -1), normal);
}

/* Tells whether a touch of the present pair overlaps. */
static bool overlaps(const tn_touch_list *list)
{
    for (size_t k = list->first; k < list->count; k++)
        if (list->items[k].gap < 0)
            return true;
    return false;
}

/* The face of a solid along the plane that separates best; sign 1: of the first solid, -1: of the second. It is beside the edge
 * where the plane is along an edge: the face whose normal is closest may be elsewhere. */
static int face_along(const tn_solid *solid, const tn_separation *across, double sign)
{
    const double *n = across->normal;
    if (across->owner || solid->edge_count == 0)
        return across->owner == solid ? across->face : facing(solid, n, sign);
    const int *faces = solid->edges[across->edges[sign < 0]].faces;
    if (faces[0] == TN_NO_FACE)
        return TN_NO_FACE;
    return sign * tn_dot3(solid->normals[faces[0]], n) >= sign * tn_dot3(solid->normals[faces[1]], n) ? faces[0] : faces[1];
}

/* Adds the shortest way out of a face. */
static void add_way_out(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    tn_separation out = { .distance = -INFINITY };
    try_faces(&out, a, b, 1, true);
    try_faces(&out, b, a, -1, true);
    const tn_solid *other = out.owner == a ? b : a;
    tn_add_face(list, out.owner, out.face, other, lowest(other, out.owner->normals[out.face]));
}

static void meet_across(tn_touch_list *list, const tn_solid *a, const tn_solid *b, const tn_separation *across)
{
    int one = face_along(a, across, 1), two = face_along(b, across, -1);
    size_t before = list->count;
    corners_over_face(list, a, one, b, two);
    corners_over_face(list, b, two, a, one);
    edges_across(list, a, one, b, two, across->normal);
    if (!across->owner && across->distance <= 0 && !overlaps(list))
        tn_add_edges(list, a, across->edges[0], b, across->edges[1], across->normal, -AT_END);
    if (across->distance > 0 || overlaps(list) || (list->count > before && across->distance > -SAME_GAP))
        return;
    add_way_out(list, a, b);
}

static void meet_apart(tn_touch_list *list, const tn_solid *a, const tn_solid *b)
{
    tn_vertices_meet(list, a, b);
    tn_vertices_meet(list, b, a);
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            tn_add_edges(list, a, i, b, j, NULL, TN_BOUNDARY);
}

/* ---- round solids ---- */

/* Distance of the polyhedra of two solids along a direction from one to two, less their rounding. */
static double apart_along(const tn_solid *one, const tn_solid *two, const double n[3])
{
    double nearer = -INFINITY, farther = INFINITY;
    for (int i = 0; i < one->vertex_count; i++)
        nearer = fmax(nearer, tn_dot3(one->vertices[i], n));
    for (int i = 0; i < two->vertex_count; i++)
        farther = fmin(farther, tn_dot3(two->vertices[i], n));
    return farther - nearer - one->radius - two->radius;
}

/* Touches of round solids are those of some of their features. Where the polyhedra inside of them are nearer to each other than
 * all touches say, adds those of the polyhedra: rims on rims, sides of cones on other round sides. */
static void complete_round(tn_touch_list *list, const tn_solid *one, const tn_solid *two)
{
    const tn_touch *nearest_touch = NULL;
    if (one->face_count + two->face_count == 0 || one->form == TN_FORM_TORUS || two->form == TN_FORM_TORUS)
        return;
    for (size_t k = list->first; k < list->count; k++)
        if (!nearest_touch || list->items[k].gap < nearest_touch->gap)
            nearest_touch = &list->items[k];
    double nearest = nearest_touch ? nearest_touch->gap : INFINITY;
    bool forward = nearest_touch && nearest_touch->key.body1 == one->body;
    if (nearest_touch && apart_along(forward ? one : two, forward ? two : one, nearest_touch->normal) >= nearest - SAME_GAP)
        return;
    tn_separation across = tn_solids_separate(one, two);
    double distance = across.distance - one->radius - two->radius;
    if (distance > list->margin || !(distance < nearest - SAME_GAP))
        return;
    if (across.distance > 0 && one->radius + two->radius > 0)
        meet_apart(list, one, two);
    else
        meet_across(list, one, two, &across);
}

/* ---- walls of tubes ---- */

/* A convex part of a solid: a stave of a tube, or the solid itself. */
static const tn_solid *part_of(const tn_solid *solid, int k)
{
    return solid->stave_count > 0 ? &solid->staves[k] : solid;
}

static int part_count(const tn_solid *solid)
{
    return solid->stave_count > 0 ? solid->stave_count : 1;
}

static bool bounds_overlap(const tn_solid *a, const tn_solid *b)
{
    for (int k = 0; k < 3; k++)
        if (a->high[k] < b->low[k] || b->high[k] < a->low[k])
            return false;
    return true;
}

/* Tells whether convex polyhedra tell where a solid is; balls, capsules and tori touch tubes exactly, half-spaces from any depth. */
static bool has_parts(const tn_solid *solid)
{
    return solid->face_count > 0 && !solid->half_space && !solid->surface;
}

/* The touches of a tube are those of some features of its sharp edges, which end where they overlap. Where its staves overlap deeper
 * than all touches say, adds the touch of the two that overlap most, along the shortest way out of the wall. */
static void complete_tube(tn_touch_list *list, const tn_solid *one, const tn_solid *two)
{
    double deepest = -SAME_GAP;
    const tn_solid *a = NULL, *b = NULL;
    if (!has_parts(one) || !has_parts(two))
        return;
    for (size_t k = list->first; k < list->count; k++)
        deepest = fmin(deepest, list->items[k].gap - SAME_GAP);
    for (int i = 0; i < part_count(one); i++)
        for (int j = 0; j < part_count(two) && bounds_overlap(part_of(one, i), two); j++) {
            if (!bounds_overlap(part_of(one, i), part_of(two, j)))
                continue;
            double depth = separate(part_of(one, i), part_of(two, j), deepest, false).distance;
            if (depth < deepest) {
                deepest = depth;
                a = part_of(one, i);
                b = part_of(two, j);
            }
        }
    if (!a)
        return;
    tn_separation out = separate(a, b, INFINITY, true);
    size_t before = list->count;
    if (!out.owner)
        tn_add_edges(list, a, out.edges[0], b, out.edges[1], out.normal, -AT_END);
    if (list->count == before)
        add_way_out(list, a, b);
}

/* ---- any two ---- */

bool tn_solid_is_round(const tn_solid *solid, const tn_solid *other)
{
    return solid->form != TN_FORM_POLYHEDRON && (solid->form != TN_FORM_ELLIPSOID || other->half_space);
}

static bool is_ball(const tn_solid *solid)
{
    return solid->vertex_count == 1 && solid->radius > 0 && !solid->half_space && solid->form == TN_FORM_POLYHEDRON;
}

void tn_solids_meet(tn_touch_list *list, const tn_solid *one, const tn_solid *two)
{
    list->first = list->count;
    if (one->half_space && two->half_space)
        return;
    if ((one->form == TN_FORM_ELLIPSOID && is_ball(two) && tn_point_on_ellipsoid(list, one, two, 0)) ||
        (two->form == TN_FORM_ELLIPSOID && is_ball(one) && tn_point_on_ellipsoid(list, two, one, 0)))
        return;
    if (tn_ovals_touch(one, two) || tn_ovals_touch(two, one)) {
        bool first = tn_ovals_touch(one, two);
        tn_ovals_meet(list, first ? one : two, first ? two : one);
        complete_round(list, one, two);
        return;
    }
    if (one->surface || two->surface) {
        tn_surface_meet(list, one->surface ? one : two, one->surface ? two : one, false);
        return;
    }
    if (tn_solid_is_hollow(one) || tn_solid_is_hollow(two)) {
        bool first = tn_solid_is_hollow(one);
        tn_hollow_meet(list, first ? one : two, first ? two : one);
        if (list->dimension == 3)
            complete_tube(list, one, two);
        if (list->dimension == 3 || one->form == TN_FORM_BOWL || two->form == TN_FORM_BOWL)
            return;                                    /* in the plane, the outside of a tube is a disc */
    } else if (tn_solid_is_round(one, two) || tn_solid_is_round(two, one)) {
        bool first = tn_solid_is_round(one, two);
        tn_round_meet(list, first ? one : two, first ? two : one);
        if (!one->half_space && !two->half_space)
            complete_round(list, one, two);
        return;
    }
    if (one->half_space || two->half_space) {
        tn_vertices_meet(list, one->half_space ? one : two, one->half_space ? two : one);
        return;
    }
    if (one->face_count + two->face_count == 0) {
        meet_apart(list, one, two);
        return;
    }
    tn_separation across = tn_solids_separate(one, two);
    if (across.distance > list->margin + one->radius + two->radius)
        return;
    if (across.distance > 0 && one->radius + two->radius > 0)
        meet_apart(list, one, two);
    else
        meet_across(list, one, two, &across);
}
