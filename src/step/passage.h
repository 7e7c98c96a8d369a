/* A step across a singular position, by collocation at points that keep away from it. passage.c has the method. */
#ifndef TN_STEP_PASSAGE_H
#define TN_STEP_PASSAGE_H

#include "stepper.h"

/* Memory for such steps; st->passage stays NULL where the scheme does not project, the integrator takes steps of its
 * own, or the system has components. */
int tn_passage_allocate(tn_stepper *stepper);
/* True: a step of length h would come close to a singular position, which it should cross by collocation. */
bool tn_passage_ahead(const tn_stepper *stepper, double h);
/* The length of step for which such a step is most accurate. */
double tn_passage_length(tn_stepper *stepper);
/* Takes the step that begin_step has prepared: fills y1, on the constraints. */
int tn_passage_step(tn_stepper *stepper);
/* y at the fraction theta of the last step, which crossed. */
void tn_passage_interpolate(const tn_stepper *stepper, double theta, double *y);
/* Projects a state of the last step, which crossed, unless the state is so near the singular position that projection would
 * magnify round-off: left tells that it was left as it is. TN_ERROR_STEP: then joints would be open. */
int tn_passage_close(tn_stepper *stepper, double t, double *y, bool *left);
/* Replaces dy1 by the rate of the collocation polynomial, where the step ended on the singular position itself. */
void tn_passage_rate(const tn_stepper *stepper, double *dy1);
/* Looks where the accepted state is going: the rank that rows have a little further on its way, where it differs from the
 * rank at the state if that is a singular position; and, near such a position, the rate at which the distance changes.
 * Decides the rank at the state again. */
int tn_passage_look(tn_stepper *stepper);

#endif
