/* Independent coordinates of a mechanism at a state: which they are, and how everything moves with each.
 *
 * Displacements are velocity-like (tn_position_move). Those that the joints allow are the null space of G; where some
 * equations are at velocity level (rolling, knife edges, drives by rate), positions have more freedoms than rates. */
#ifndef TN_ANALYSIS_FREEDOMS_H
#define TN_ANALYSIS_FREEDOMS_H

#include "matrix.h"
#include "system.h"

typedef enum tn_freedom_kind { TN_FREEDOM_JOINT, TN_FREEDOM_POINT, TN_FREEDOM_TURN } tn_freedom_kind;

/* A number that may serve as a coordinate: of a joint, a component of the position of a body's frame, or of its turn
 * about axes of the world (in space the last is one for small changes only). */
typedef struct tn_freedom {
    tn_freedom_kind kind;
    int index, component;          /* constraint or body, and which of its numbers */
} tn_freedom;

typedef struct tn_freedoms {
    int count, rates;              /* of positions; of velocities: their coordinates are the first ones */
    tn_freedom *items;
    tn_matrix P;                   /* velocities x count: displacement for a unit of each coordinate, others fixed */
    tn_matrix V;                   /* velocities x rates: the same for velocities */
} tn_freedoms;

/* At the point in e, whose G is known. Joint coordinates are preferred to those of bodies. left_out: constraints whose
 * equations do not count; NULL: none. */
int tn_freedoms_find(tn_freedoms *out, tn_eval *e, const tn_system *s, const double *memory, const bool *left_out,
                     tn_arena *arena);
/* All numbers that may serve, joints first; returns how many. */
int tn_freedoms_list(tn_freedom **out, const tn_system *s, tn_arena *arena);

/* How a freedom changes with a displacement: row of length velocities, cleared here. */
void tn_freedom_row(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, double *row);
/* Value (0; of a turn in space: 0), first or second (2; needs e->a) time derivative at the point in e. */
double tn_freedom_value(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, int derivative);
/* "pivot.angle", derivative 1: "pivot.angle.rate". Owned by the arena; NULL: out of memory. */
const char *tn_freedom_name(const tn_freedom *f, const tn_system *s, int derivative, tn_arena *arena);
/* "m" or "rad"; derivative 1: "m/s", "rad/s". */
const char *tn_freedom_unit(const tn_freedom *f, const tn_system *s, int derivative);
/* The entity's name: "pivot". */
const char *tn_freedom_owner(const tn_freedom *f, const tn_system *s);

#endif
