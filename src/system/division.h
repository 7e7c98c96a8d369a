/* Divides a system into parts: every subsystem with its own solve settings is a part, with all its contents; the rest
 * of the model is another part. Joints and forces that belong to several parts are "between parts": joints that connect
 * several parts, forces that act on or read several parts, attached joints. Components take steps of their own
 * (ports.h): everything at their ports is between parts. */
#ifndef TN_SYSTEM_DIVISION_H
#define TN_SYSTEM_DIVISION_H

#include "system.h"

enum { TN_BETWEEN = -1 };

typedef struct tn_part_source {
    tn_id subsystem;               /* kind NONE: the rest of the model */
    const tn_solve *solve;         /* NULL: the rest of the model */
    tn_span span;                  /* of solve */
    tn_selection selection;
} tn_part_source;

typedef struct tn_division {
    tn_part_source *parts;         /* each has a body */
    int count;
    int *body, *constraint, *force;            /* part of each, or TN_BETWEEN; of bodies only ports are that */
    int *state;                                /* the same; states of components: no valid part */
} tn_division;

/* The result is in the arena. */
int tn_divide(tn_division *out, const tn_system *whole, tn_arena *arena);

/* Index in the whole system of each entry of a part: of y, of the velocities and of the memory. */
typedef struct tn_part_map {
    int *y, *velocity, *memory;
} tn_part_map;
int tn_map_part(tn_part_map *out, const tn_system *part, const tn_system *whole, tn_arena *arena);

#endif
