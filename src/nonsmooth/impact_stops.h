/* Brings unilateral constraints to rest that move by round-off or by the error of equations only; private to this layer. */
#ifndef TN_NONSMOOTH_IMPACT_STOPS_H
#define TN_NONSMOOTH_IMPACT_STOPS_H

#include "unilateral_modes.h"

/* Touches of rolling shapes move over the shapes. Stops touches that were at rest and now move by at most the part `rolling` of the
 * speed of the touches: this motion is the error of the last equations, and neither an impact nor a separation. */
int tn_impact_stop_renewed(tn_delassus *delassus, double rolling, double *lost);
/* Stops limits that an impact elsewhere opens with a small speed, where the force that pressed them closes them again while their
 * gap is still round-off. Without this, a limit returns with much more speed than it opened with, and opens other limits in turn,
 * without end. */
int tn_impact_stop_hops(tn_delassus *delassus, double *lost);

#endif
