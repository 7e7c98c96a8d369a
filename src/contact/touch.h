/* Touches between shapes. A shape is a polyhedron (point, segment, box, hull, half-space, surface) with a rounding
 * radius. A touch is a pair of features (vertex, edge, face) of two shapes that are near each other: a unilateral
 * constraint gap >= 0 of one of the kinds below. Each gap is between parts of the two shapes, so all gaps are
 * non-negative while nothing penetrates; the smallest gap is the distance of the shapes (negative: the depth of their
 * overlap).
 *
 * Frame 1 has origin M on body 1, frame 2 has N on body 2, d = N - M. n is the normal, from body 1 to body 2:
 *     plane    d . n - radius, n = z1 (y1 in the plane)       N is a point of 2, M lies in a plane of 1
 *     point    |d| - radius                                   both are points
 *     line     |d - (d . z1) z1| - radius                     M lies on a line of 1 along z1; space only
 *     edges    d . n - radius, n = unit(z1 x z2)              lines along z1 and z2; space only
 *     rim      d . z1 - R |z1 x z2| - radius, n = z1          N is the centre of a circle of 2, with axle z2
 *     ring     |d - R unit(d - (d . z1) z1)| - radius         M is the centre of a circle of 1, with axle z1; N is a point
 *     ellipsoid  d . z1 - h(z1) - radius, n = z1              N is the centre of an ellipsoid of 2, with extent h
 *     oval     distance of N from the surface - radius        M is the centre of an ellipsoid of 1, half axes along x1, y1, z1; N is
 *                                                             a point outside
 *     smooth   d . n - extents of both along n, stationary over n: M and N are on smooth surfaces of 1 and 2, z1 = z2 = n when found;
 *              joint touch-smooth
 *     cone     cos |d - (d . z1) z1| + sin d . z1 - radius    M is the apex of a cone of 1, z1 its axis; N is a point
 *     hollow   -|p| - radius, n = -unit(p)                    p = d - along (d . y1) y1: N is within a sphere around M
 *                                                             (along = 0) or a cylinder around y1 (1) of 1
 *     bore_rim, bowl_rim  the same for the point of a circle of 2 farthest out: centre N, axle z2, radius R; space only
 *     eye      (R u - c) . o - radius, n = -o                 a line of 2 through N along z2 within a circle of 1 with centre
 *                                                             M, axle z1, radius R, which it crosses at c; R u is the nearest
 *                                                             point of the circle; space only
 * Hollows have a negative part of the radius.
 * The types of joints with these equations are tn_touch_joint(kind, sticks); their parameters are radius, radius2 and
 * size: R, the half axes of the ellipsoid (of oval also the lead, joint touch-oval), the sine of half the opening angle of a cone, of
 * smooth the curvature along x1, the radius of curvature along y1 and the same of body 2, of hollow along, of bore_rim and eye R and
 * lead: two numbers that lead to the farthest or nearest point of a circle (joints touch-bore-rim and touch-eye).
 * The touch is at N - radius2 n (for edges: from the point of line 2 nearest to line 1).
 *
 * Touches succeed each other: where a ball rolls from a face over an edge, the touch with the plane ends and a touch
 * with the line begins, with the same gap. Sharp corners have no touch with sharp corners, nor with sharp edges before
 * they overlap: such a touch begins with a gap that is negative. */
#ifndef TN_CONTACT_TOUCH_H
#define TN_CONTACT_TOUCH_H

#include "entities.h"

typedef enum tn_touch_kind {
    TN_TOUCH_PLANE, TN_TOUCH_POINT, TN_TOUCH_LINE, TN_TOUCH_EDGES, TN_TOUCH_RIM, TN_TOUCH_RING, TN_TOUCH_ELLIPSOID,
    TN_TOUCH_HOLLOW, TN_TOUCH_BORE_RIM, TN_TOUCH_BOWL_RIM, TN_TOUCH_EYE, TN_TOUCH_OVAL, TN_TOUCH_CONE,
    TN_TOUCH_SMOOTH,
    TN_TOUCH_KINDS
} tn_touch_kind;

/* Identifies a touch by its features. Bodies are slots of the model; shapes are indices in the body; features are
 * indices with their kind in the upper bits. */
typedef struct tn_touch_key {
    uint32_t body1, body2, shape1, shape2, feature1, feature2;
} tn_touch_key;

typedef struct tn_touch {
    tn_touch_kind kind;
    tn_touch_key key;
    uint32_t contact;          /* slot of the model's contact to which the touch belongs */
    tn_pose frame1, frame2;    /* in the frames of the bodies key.body1, key.body2 */
    double radius;             /* m, of both shapes together */
    double radius2;            /* m, the part of shape 2 */
    double size[4];            /* m; the lead of oval in m^2, curvatures of smooth in 1/m */
    double gap;                /* m, negative: the shapes overlap */
    double point[3];           /* m, world: point of body 2 that touches, or is nearest */
    double normal[3];          /* world, from body 1 to body 2 */
} tn_touch;

/* Tells whether a touch is that of curvatures that stand for surfaces, or of a point that stands for what a circle touches: it is found
 * anew as it moves along them. */
bool tn_touch_on_rim(const tn_touch *touch);
/* Tells whether the same touch, found now, has another lead, by more than a share of the circle or ellipsoid, other axes, or of smooth
 * surfaces another normal or direction on one of them, by more than twice that angle; or whether it is of another kind. */
bool tn_touch_led_off(const tn_touch *touch, const tn_touch *now, double share);
/* Tells whether sticking relies on z of frame 1 being near the normal. */
bool tn_touch_turns(const tn_touch *touch);
bool tn_touch_key_equal(const tn_touch_key *a, const tn_touch_key *b);

/* Returns the name of the joint type that keeps a touch closed: the normal equation, with sticks also the tangential
 * ones. For touches of kind point, z of frame 1 is the normal when the touch was found. The sticking equations become
 * singular when the normal has turned by 90 deg relative to body 1; find the touch again (tn_touches_find) at about
 * 45 deg. */
const char *tn_touch_joint(tn_touch_kind kind, bool sticks);
/* Updates gap, normal and point of a touch for new poses of the bodies, with unbounded planes and lines: a smooth
 * function of the poses, unlike the list of touches. dimension is the model's. */
void tn_touch_move(tn_touch *touch, int dimension, const tn_pose *body1, const tn_pose *body2);

/* The shapes of a model that take part in contacts. Keeps no reference to the model. */
typedef struct tn_touches tn_touches;
int tn_touches_create(tn_touches **out, const tn_model *model);
/* The same for the pairs whose law gives way; those of tn_touches_create are rigid. */
int tn_touches_create_compliant(tn_touches **out, const tn_model *model);
void tn_touches_destroy(tn_touches *touches);
/* Returns the number of pairs of shapes that can touch. */
size_t tn_touches_pair_count(const tn_touches *touches);
/* Returns the extent (m) of the smallest shape, for tolerances; 0 without pairs. */
double tn_touches_length(const tn_touches *touches);
/* Returns the smallest thickness (m) of a shape, for lengths of steps; INFINITY: only half-spaces and surfaces. */
double tn_touches_slimmest(const tn_touches *touches);
/* Returns the largest distance (m) of a shape point from the origin of the body's frame, without half-spaces. */
double tn_touches_reach(const tn_touches *touches, uint32_t body);
/* Searches that follow leave out pairs of bodies for which `still` (by slot of the model; borrowed) is true; NULL: none. */
void tn_touches_leave_out(tn_touches *touches, const bool *still);
/* Finds the touches with a gap below margin, in an order that depends on the model only. poses: frames of the bodies in
 * the world, by slot of the model. *list belongs to touches and is valid until the next call. Allocates memory only
 * when there are more touches than in any call before. */
int tn_touches_find(const tn_touch **list, size_t *count, tn_touches *touches, const tn_pose *poses, double margin);
/* Finds pairs of shapes that overlap by more than `least` without a touch that tells of it: surfaces that others cut through deep, or
 * lie in, and tori with others deep in them. Only contact, key.body1, key.body2 and gap of these are set. inside: also what
 * lies inside a closed surface as a whole, for starts and edits, with a look at all of its triangles. */
int tn_touches_find_hidden(const tn_touch **list, size_t *count, tn_touches *touches, const tn_pose *poses, double least, bool inside);
/* Tells whether there are surfaces or tori. */
bool tn_touches_can_hide(const tn_touches *touches);

#endif
