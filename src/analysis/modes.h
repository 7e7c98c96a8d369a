/* Natural modes of a mechanism about a state. */
#ifndef TN_ANALYSIS_MODES_H
#define TN_ANALYSIS_MODES_H

#include "linear.h"
#include "tenon/analysis.h"

/* Finds the modes at the state of near. The arena owns the memory of out. */
int tn_modes_find(tn_modes *out, tn_tangent *near, tn_arena *arena);

/* Stiffness K and mass M over the rates of the freedoms, at a held state that has been differentiated. */
typedef struct tn_vibration {
    tn_matrix K, M;
    bool potential;                /* no states, K symmetric, damping dissipates: K decides on stability */
    bool complete;                 /* potential without damping: K and M determine all modes */
} tn_vibration;
int tn_vibration_find(tn_vibration *out, const tn_tangent *near, const tn_freedoms *freedoms, tn_arena *arena);
/* Reports a mass matrix that is not positive definite, with a diagnostic. */
int tn_massless(const tn_tangent *near, const tn_freedoms *freedoms, const tn_matrix *M);

#endif
