/* Natural motions about a state. */
#ifndef TN_ANALYSIS_MODES_H
#define TN_ANALYSIS_MODES_H

#include "linear.h"
#include "tenon/analysis.h"

/* At the state of near. Memory is the arena's. */
int tn_modes_find(tn_modes *out, tn_tangent *near, tn_arena *arena);

/* K and M over the rates of the freedoms, at a held state that has been differentiated. */
typedef struct tn_vibration {
    tn_matrix K, M;
    bool potential;                /* no states, K symmetric, damping takes energy out: K decides on stability */
    bool complete;                 /* and there is no damping: K and M tell everything */
} tn_vibration;
int tn_vibration_find(tn_vibration *out, const tn_tangent *near, const tn_freedoms *freedoms, tn_arena *arena);
/* The diagnostic for a mass matrix that is not positive definite. */
int tn_massless(const tn_tangent *near, const tn_freedoms *freedoms, const tn_matrix *M);

#endif
