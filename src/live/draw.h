/* Whether joints can be drawn together. Private to this layer. */
#ifndef TN_LIVE_DRAW_H
#define TN_LIVE_DRAW_H

#include "mem.h"
#include "system.h"

/* The system with its new closings, and its state when they begin. */
typedef struct tn_drawing {
    const tn_system *system;
    tn_coupling *coupling;
    const tn_solver_type *solver;
    tn_eval *eval;                 /* workspace */
    tn_arena *arena;
    const bool *fresh;             /* constraints that are drawn together */
    const double *q, *v;
    double *memory;
    double begin, duration;        /* s */
    double gap_tolerance;          /* m or rad */
} tn_drawing;

/* Bounds that end a run while joints are being drawn together; infinite where no joint has a gap. */
typedef struct tn_draw_bounds {
    double energy;                 /* J: kinetic */
    double force;                  /* N or N m: in one row of a joint */
    double power;                  /* W */
} tn_draw_bounds;

/* TN_ERROR_ASSEMBLY: the mechanism cannot follow the closings, or takes too much energy; the diagnostic says which. */
int tn_draw_check(tn_draw_bounds *out, const tn_drawing *drawing);

#endif
