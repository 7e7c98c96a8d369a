/* Requirements of forces and devices that are watched while a model runs. */
#ifndef TN_SYSTEM_REQUIREMENT_WATCH_H
#define TN_SYSTEM_REQUIREMENT_WATCH_H

#include "system.h"

/* The last stage of compiling: after the network. */
int tn_requirements_compile(tn_system *s);
/* The slot of the force of watch 0 ... s->watch_count - 1. */
uint32_t tn_requirement_source(const tn_system *s, int watch);
/* The message of a requirement that does not hold at the motion of e; NULL: all hold. */
const char *tn_requirement_broken(tn_eval *e, const tn_system *s, const double *memory, int watch);

#endif
