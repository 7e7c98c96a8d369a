/* Overlaps that no touch tells of. */
#ifndef TN_CONTACT_OVERLAP_H
#define TN_CONTACT_OVERLAP_H

#include "solid.h"

/* Returns by how much (m), at least, two solids that have been placed overlap, one of which is a surface or a torus; 0: by no more
 * than `least`, or touches tell it. Looks at all triangles of closed surfaces: for starts and edits, not for steps. */
double tn_hidden_overlap(const tn_solid *one, const tn_solid *two, const tn_pose *poses, double least);

#endif
