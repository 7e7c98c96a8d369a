/* Instants of the network of devices: samples, kinks that change their branch, modes that are left. */
#ifndef TN_NETWORK_EVENTS_H
#define TN_NETWORK_EVENTS_H

#include "session_impl.h"

/* Where the next step must end at the latest: at the next sample of a device, or at t_end. */
double tn_network_limit(tn_session *session, double t_end);
/* After a step: the first instant in it at which a kink changes its branch or a mode is left; INFINITY: none. Remembers
 * what changes there. */
int tn_network_search(tn_session *session, double *t);
/* Whether something is to be done at the accepted state. */
bool tn_network_due(tn_session *session);
/* Takes the samples that are due, changes branches and modes, and starts again from there. */
int tn_network_act(tn_session *session);
/* Fails with the name of the device that changes again and again at the accepted time. */
int tn_network_report_endless(tn_session *session);
/* Samples and switches that are due at the start of a run. */
int tn_network_begin_run(tn_session *session);

/* For integrators of other tools. The number of kinks and switches; at the motion in stepper->eval a value for each of them,
 * positive while nothing is due; and a search at the accepted state alone: whether something is due, for tn_network_act. */
int tn_network_indicator_count(const tn_session *session);
int tn_network_indicators(tn_session *session, double *values);
int tn_network_reached(tn_session *session, bool *due);
/* Notes by these values, at the same motion, what is due: a projection of the state afterwards does not change that. */
int tn_network_note(tn_session *session, const double *values);

/* delay_events.c. Adds the last step, up to a time in it, to the past of signals; and notes that signals may have jumped. */
int tn_delays_record(tn_session *session, double end);
void tn_delays_jumped(tn_session *session);

/* late_inputs.c. Finds the channels of the solved system that sampled devices read, and measures them at the accepted state. */
int tn_late_inputs_open(tn_session *session);
int tn_late_inputs_take(tn_session *session);

#endif
