/* Motions that the joints leave free at a state. */
#ifndef TN_ANALYSIS_FREE_MOTIONS_H
#define TN_ANALYSIS_FREE_MOTIONS_H

#include "tangent.h"
#include "tenon/analysis.h"

/* The arena owns the memory of out. */
int tn_free_motions_find(tn_free_motions *out, tn_tangent *near, tn_arena *arena);

#endif
