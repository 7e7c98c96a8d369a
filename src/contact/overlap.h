/* Overlaps that no touch tells of. */
#ifndef TN_CONTACT_OVERLAP_H
#define TN_CONTACT_OVERLAP_H

#include "solid.h"

/* Returns by how much (m), at least, two solids that have been placed overlap, one of which is a surface or a torus; 0: by no more
 * than `least`, or touches tell it. inside: also looks for what lies inside a closed surface,
 * with a look at all of its triangles. */
double tn_hidden_overlap(const tn_solid *one, const tn_solid *two, const tn_pose *poses, double least, bool inside);

#endif
