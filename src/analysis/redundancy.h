/* Redundancy at a state: which joints' equations depend on each other, and which reactions are unique. */
#ifndef TN_ANALYSIS_REDUNDANCY_H
#define TN_ANALYSIS_REDUNDANCY_H

#include "coupling.h"
#include "system.h"
#include "tenon/analysis.h"

/* e holds G at the state; the function overwrites e->lambda. info comes from the solver after a rank decision at this
 * state. The lists of the report are in `arena`. */
int tn_redundancy(tn_report *out, const tn_system *system, tn_eval *e, const tn_saddle_info *info, tn_arena *arena, tn_arena *scratch);

/* reporter.c. Makes reports on one system: its memory is made once, and a report requests none, unless more joints depend on each
 * other than in those before. */
typedef struct tn_reporter tn_reporter;
int tn_reporter_create(tn_reporter **out, const tn_system *system, tn_coupling *coupling);
void tn_reporter_destroy(tn_reporter *reporter);
/* The report at (t, y), with the joint coordinates `memory` from which angles are counted. Valid until the next one. */
int tn_reporter_find(const tn_report **out, tn_reporter *reporter, double t, const double *y, const double *memory);
/* The same for one report, which is destroyed by tn_report_destroy. */
int tn_report_create(tn_report **out, const tn_system *system, tn_coupling *coupling, double t, const double *y, const double *memory);

#endif
