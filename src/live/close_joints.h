/* Closing joints of a system at a state that is not yet that of a run. Private to this layer. */
#ifndef TN_LIVE_CLOSE_JOINTS_H
#define TN_LIVE_CLOSE_JOINTS_H

#include "stepper.h"
#include "tenon/session.h"

typedef struct tn_joining {
    tn_system *system;
    tn_coupling *coupling;
    tn_stepper *stepper;           /* of the system; it is started anew while joints are closed */
    tn_arena *arena;               /* of the arrays below */
    double t, gap_tolerance;       /* s; m or rad */
    double *q, *v, *memory;        /* the state; states z follow v */
    double *moved;                 /* q before joints were closed */
    bool *fresh;                   /* constraints that are new or have changed */
    int fresh_count;
    const unsigned char *given;    /* of each body: values that hold exactly (tn_assembly); NULL: none */
    const double *moving;          /* with given: velocities that other bodies keep */
} tn_joining;

/* Allocates the arrays, filled with zeros. */
int tn_joining_begin(tn_joining *joining);
/* Adds whole turns to the counted angles of new couplings and drives, so that gears mesh at their present angles and do
 * not turn back. */
int tn_joining_count_turns(tn_joining *joining);
/* Closes the fresh joints at q, v. Without snap, gaps above gap_tolerance are an error. */
int tn_joining_close(tn_joining *joining, bool snap);
/* m: largest change of a coordinate of a centre of mass since `moved` was filled. */
double tn_joining_displacement(const tn_joining *joining);
/* Rank of the equations of a stepper; rank -1: its scheme finds none. */
tn_saddle_info tn_joining_rank(const tn_stepper *stepper);
/* Adds a note to the answer when more equations are redundant than before. */
void tn_joining_tell_rank(tn_ack *ack, const tn_saddle_info *was, const tn_stepper *stepper);

#endif
