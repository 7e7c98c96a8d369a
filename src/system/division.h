/* A system in parts: every subsystem with settings of its own (solve) is one, with what is in it; the rest of the model
 * is another. What belongs to one part alone is of that part, everything else is between parts: joints that connect
 * several, forces that act on or read several, joints that were attached. Components take steps by themselves
 * (ports.h): all that is at their ports is between parts. */
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
    int *body, *constraint, *force;            /* part of each, or TN_BETWEEN, where of the bodies only ports are */
    int *state;                                /* the same; of components: neither */
} tn_division;

/* In the arena. */
int tn_divide(tn_division *out, const tn_system *whole, tn_arena *arena);

/* Where the numbers of a part's system are in the whole's: of y, of the velocities and of the memory. */
typedef struct tn_part_map {
    int *y, *velocity, *memory;
} tn_part_map;
int tn_map_part(tn_part_map *out, const tn_system *part, const tn_system *whole, tn_arena *arena);

#endif
