/* Touches of ellipsoids with convex solids. */
#ifndef TN_CONTACT_MEET_OVALS_H
#define TN_CONTACT_MEET_OVALS_H

#include "meet.h"

/* Numbers of TN_FEATURE_ROUND after the rims. */
enum { TN_ROUND_SIDE = 2, TN_ROUND_ELLIPSOID = 3 };

/* Adds the touches of an ellipsoid with a polyhedron (also a capsule, or a triangle of a surface), a cylinder, a cone, a torus, or
 * another ellipsoid. */
void tn_ovals_meet(tn_touch_list *list, const tn_solid *ellipsoid, const tn_solid *other);
/* Tells whether these are the touches of a pair; tubes, bowls and half-spaces have others. */
bool tn_ovals_touch(const tn_solid *one, const tn_solid *other);

/* ---- planes and points (meet_round.c) ---- */

/* The outward normal of an ellipsoid towards a point, and the touch there. False: the point is deep inside. */
bool tn_oval_normal(double n[3], const tn_solid *ellipsoid, const double point[3]);
bool tn_point_on_ellipsoid(tn_touch_list *list, const tn_solid *ellipsoid, const tn_solid *other, int vertex);
void tn_ellipsoid_on_faces(tn_touch_list *list, const tn_solid *ellipsoid, const tn_solid *other);

#endif
