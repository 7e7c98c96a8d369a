/* Stops of what moves by round-off or by the error of equations; private to this layer. */
#ifndef TN_NONSMOOTH_IMPACT_STOPS_H
#define TN_NONSMOOTH_IMPACT_STOPS_H

#include "unilateral_modes.h"

/* Where touches in force have been found again elsewhere on the shapes, as they roll, stops those that were at rest and move by at most
 * the part rolling of the speed of the touches: this motion is the error of the equations before, which neither strikes nor parts. */
int tn_impact_stop_renewed(tn_delassus *delassus, double rolling, double *lost);
/* Stops limits that an impact elsewhere makes hop: the force that pressed them brings them back before their gap has left the noise.
 * When their return was found, they would have gained far more speed than they hopped with, and make others hop in turn, without
 * end. */
int tn_impact_stop_hops(tn_delassus *delassus, double *lost);

#endif
