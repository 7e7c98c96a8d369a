/* Independent coordinates of a mechanism at a state, and the displacement of all bodies for a unit of each.
 *
 * Displacements are velocity-like (tn_position_move). Those that the joints allow are the null space of G; where some
 * equations are at velocity level (rolling, knife edges, drives by rate), positions have more freedoms than rates. */
#ifndef TN_ANALYSIS_FREEDOMS_H
#define TN_ANALYSIS_FREEDOMS_H

#include "matrix.h"
#include "system.h"

typedef enum tn_freedom_kind { TN_FREEDOM_JOINT, TN_FREEDOM_POINT, TN_FREEDOM_TURN } tn_freedom_kind;

/* A number that may serve as a coordinate: a joint coordinate, a component of the position of a body's frame, or of its
 * rotation about world axes (in space: for small changes only). */
typedef struct tn_freedom {
    tn_freedom_kind kind;
    int index, component;          /* constraint or body, and which of its numbers */
} tn_freedom;

typedef struct tn_freedoms {
    int count, rates;              /* number of coordinates; the first rates of them have independent rates, too */
    tn_freedom *items;
    tn_matrix P;                   /* velocities x count: displacement for a unit of each coordinate, others fixed */
    tn_matrix V;                   /* velocities x rates: the same for velocities */
} tn_freedoms;

/* Finds independent coordinates at the point in e, whose G must be evaluated. Prefers joint coordinates to coordinates
 * of bodies. left_out: constraints whose equations are ignored; NULL: none. */
int tn_freedoms_find(tn_freedoms *out, tn_eval *e, const tn_system *s, const double *memory, const bool *left_out,
                     tn_arena *arena);
/* Lists all numbers that may serve as coordinates, joints first. Returns their count. */
int tn_freedoms_list(tn_freedom **out, const tn_system *s, tn_arena *arena);

/* Computes the gradient of a freedom: a row with one entry per velocity. The function clears the row first. */
void tn_freedom_row(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, double *row);
/* The freedom's time derivative of order 0 (value; 0 for a rotation in space), 1 or 2 (needs e->a), at the point in
 * e. */
double tn_freedom_value(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, int derivative);
/* "pivot.angle", derivative 1: "pivot.angle.rate". Owned by the arena; NULL: out of memory. */
const char *tn_freedom_name(const tn_freedom *f, const tn_system *s, int derivative, tn_arena *arena);
/* "m" or "rad"; derivative 1: "m/s", "rad/s". */
const char *tn_freedom_unit(const tn_freedom *f, const tn_system *s, int derivative);
/* The entity's name: "pivot". */
const char *tn_freedom_owner(const tn_freedom *f, const tn_system *s);

#endif
