/* Touches of sides of cylinders and cones. */
#ifndef TN_CONTACT_MEET_CONES_H
#define TN_CONTACT_MEET_CONES_H

#include "meet.h"

/* Adds the touches of the sides of two solids of which one or both are cones. */
void tn_cone_sides_meet(tn_touch_list *list, const tn_solid *a, const tn_solid *b);

/* meet_round.c. A cylinder or a tube has a side. */
bool tn_solid_has_side(const tn_solid *solid);
/* The side of a cylinder, as a line through the point along its axis. */
tn_touch_side tn_cylinder_side(const tn_solid *solid, const double point[3]);

#endif
