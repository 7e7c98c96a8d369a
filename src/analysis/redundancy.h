/* Redundancy at a state: which joints' equations depend on each other, and which reactions are unique. */
#ifndef TN_ANALYSIS_REDUNDANCY_H
#define TN_ANALYSIS_REDUNDANCY_H

#include "system.h"
#include "tenon/analysis.h"

/* e holds G at the state; the function overwrites e->lambda. info comes from the solver after a rank decision at this
 * state. */
int tn_redundancy(tn_report **out, const tn_system *system, tn_eval *e, const tn_saddle_info *info);

#endif
