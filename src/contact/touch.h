/* Where shapes touch. A shape is a convex polytope (point, segment, box, polygon, half-space) with a rounding radius;
 * the features of two shapes that are near each other give touches: unilateral constraints gap >= 0, each of one of the
 * kinds below. Every touch's gap is one between parts of the shapes, so that all of them hold while nothing penetrates,
 * and the smallest is the distance of the shapes (negative: how deep they are in each other).
 *
 * Frame 1 has origin M on body 1, frame 2 has N on body 2, d = N - M. n is the normal, from body 1 to body 2:
 *     plane    d . n - radius, n = z1 (y1 in the plane)       N is a point of 2, M lies in a plane of 1
 *     point    |d| - radius                                   both are points
 *     line     |d - (d . z1) z1| - radius                     M lies on a line of 1 along z1; space only
 *     edges    d . n - radius, n = unit(z1 x z2)              lines along z1 and z2; space only
 * The types of joints with these equations are tn_touch_joint(kind, sticks); their parameters are radius and radius2.
 * The touch is at N - radius2 n (for edges: from the point of line 2 nearest to line 1).
 *
 * Features hand over to each other: where a ball rolls from a face over an edge, a touch with the plane ends and one
 * with the line begins, with the same gap. Sharp corners have no touch with sharp corners, nor with sharp edges before
 * they overlap: such a touch begins with a gap that is negative. */
#ifndef TN_CONTACT_TOUCH_H
#define TN_CONTACT_TOUCH_H

#include "entities.h"

typedef enum tn_touch_kind { TN_TOUCH_PLANE, TN_TOUCH_POINT, TN_TOUCH_LINE, TN_TOUCH_EDGES } tn_touch_kind;

/* Which features touch: the same as long as these do. Bodies are slots of the model, shapes and features numbers. */
typedef struct tn_touch_key {
    uint32_t body1, body2, shape1, shape2, feature1, feature2;
} tn_touch_key;

typedef struct tn_touch {
    tn_touch_kind kind;
    tn_touch_key key;
    uint32_t contact;          /* slot of the model's contact that made it */
    tn_pose frame1, frame2;    /* in the frames of the bodies key.body1, key.body2 */
    double radius;             /* m, of both shapes together */
    double radius2;            /* m, the part of shape 2 */
    double gap;                /* m, negative: they overlap */
    double point[3];           /* m, world: of body 2 where it touches, or would */
    double normal[3];          /* world, from body 1 to body 2 */
} tn_touch;

bool tn_touch_key_equal(const tn_touch_key *a, const tn_touch_key *b);

/* The name of the joint type that holds a touch closed: 1 equation, or with sticks the tangential ones, too. point:
 * frame 1 has z along the normal of the moment; sticking equations are good until it has turned far (near 90 deg) as
 * seen from body 1, so take the frames anew (tn_touches_find) when it has turned by 45 deg or so. */
const char *tn_touch_joint(tn_touch_kind kind, bool sticks);
/* gap, normal and point of the same features (planes and lines continued) with the bodies elsewhere: smooth in the
 * poses, unlike the list of candidates. dimension is the model's. */
void tn_touch_move(tn_touch *touch, int dimension, const tn_pose *body1, const tn_pose *body2);

/* The shapes of a model that its contacts pair. Keeps no reference to the model. */
typedef struct tn_touches tn_touches;
int tn_touches_create(tn_touches **out, const tn_model *model);
void tn_touches_destroy(tn_touches *touches);
/* Pairs of shapes that are watched. */
size_t tn_touches_pair_count(const tn_touches *touches);
/* A length of the shapes, for tolerances: the largest extent of the smallest shape; 0 without pairs. */
double tn_touches_length(const tn_touches *touches);
/* How far the shapes of a body reach from the origin of its frame, half-spaces left out. */
double tn_touches_reach(const tn_touches *touches, uint32_t body);
/* The touches with a gap below margin, in an order that depends on the model only. poses: the frames of the bodies in
 * the world, by slot of the model. *list belongs to touches and lives until the next call; memory grows when there are
 * more touches than ever before, otherwise none is allocated. */
int tn_touches_find(const tn_touch **list, size_t *count, tn_touches *touches, const tn_pose *poses, double margin);

#endif
