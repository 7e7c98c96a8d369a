/* Touches of circles (rims, edges of bores, rings of tori) with lines and with each other. */
#ifndef TN_CONTACT_MEET_CIRCLES_H
#define TN_CONTACT_MEET_CIRCLES_H

#include "meet.h"

typedef struct tn_circle {
    const tn_solid *solid;
    const tn_solid_rim *rim;
    int feature;               /* its number in keys of touches */
    double way;                /* the material lies inside the circle (1), outside (-1: a bore), or on both sides (0: a ring) */
    double lean;               /* of a cone: tangent of the angle between its side and its axis */
} tn_circle;

/* The largest number of minima that are found of a distance along a circle. */
enum { TN_CIRCLE_MINIMA = 4 };

tn_circle tn_circle_rim(const tn_solid *solid, int k);
/* line: a side of a touch whose point is the start of the line, with its radius; e: from its start to its end; edge NULL: the line is
 * an axis. */
void tn_circle_on_line(tn_touch_list *list, const tn_circle *circle, const tn_touch_side *line, const double e[3],
                       const tn_solid_edge *edge);
/* A circle and a point, which may be the centre of a ball: the nearest point of the circle, and corners on its other side, which a
 * ball that lies within the circle touches as well. corners: number of the first vertex of the solid in the directions of the
 * corners. */
void tn_circle_around_point(tn_touch_list *list, const tn_circle *circle, int corners, const tn_touch_side *point);
/* Tells whether n (sign -1: its opposite) points out of the solid at the point `arm` of a circle: between the end and the side, or the
 * bore. */
bool tn_circle_points_out(const tn_circle *circle, const double arm[3], const double n[3], double sign);
/* The place at the point `arm` of a circle, on a surface with the outward normal n (sign -1: its opposite); `side` of the place is set
 * but for its point. */
void tn_circle_place(tn_smooth_place *place, const tn_circle *circle, const double arm[3], const double n[3], double sign);
/* Distance of a point from a circle; d: from the centre to the point. */
double tn_circle_distance(const tn_solid_rim *rim, const double d[3]);
/* Finds the points of a circle, from its centre, where an ellipsoid is nearest. Returns how many. */
int tn_circle_near_ellipsoid(double arms[TN_CIRCLE_MINIMA][3], const tn_solid_rim *rim, const tn_solid *ellipsoid);
/* side: of the cone. */
void tn_circle_on_cone(tn_touch_list *list, const tn_circle *circle, const tn_solid *cone, const tn_touch_side *side);
void tn_circles_meet(tn_touch_list *list, const tn_circle *one, const tn_circle *other);

#endif
