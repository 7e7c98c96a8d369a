/* Pairs of solids whose bounds overlap: a tree of bounds, built anew for each search. n solids with k pairs take a time
 * proportional to n log n + k, wherever they are. */
#ifndef TN_CONTACT_BROAD_PHASE_H
#define TN_CONTACT_BROAD_PHASE_H

#include "mem.h"
#include "solid.h"

typedef struct tn_broad_phase {
    uint32_t *order;               /* solids with finite bounds, then the others */
    double *key;                   /* by solid: centre along the axis of a split */
    struct tn_bounds_node *nodes;
} tn_broad_phase;

/* Allocates for so many solids. */
int tn_broad_phase_create(tn_broad_phase *phase, tn_arena *arena, uint32_t count);
/* Calls visit for all pairs whose bounds overlap by less than margin, each once, in any order; ends at the first negative
 * answer, and returns it. */
int tn_broad_phase_search(tn_broad_phase *phase, const tn_solid *solids, uint32_t count, double margin,
                          int (*visit)(void *user, uint32_t a, uint32_t b), void *user);

#endif
