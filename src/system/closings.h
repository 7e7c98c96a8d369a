/* Joints that a run closes smoothly over some time: state of the run, not of the model. */
#ifndef TN_SYSTEM_CLOSINGS_H
#define TN_SYSTEM_CLOSINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tenon/sys/joint.h"

/* The residual of a joint's equations at the beginning, which shrinks to zero over the duration. */
typedef struct tn_closing {
    uint32_t joint;                    /* slot in the model */
    double begin, duration;            /* s */
    double settle;                     /* s: time in which the rates of the beginning go to zero, at most the duration */
    double most_energy;                /* J: more kinetic energy while it is being closed ends the run */
    double most_force, most_power;     /* N or N m in one of its rows, W: the same */
    double gap[TN_JOINT_ROWS], rate[TN_JOINT_ROWS];
} tn_closing;

typedef struct tn_closing_list {
    tn_closing *items;                 /* owned */
    size_t count, capacity;
} tn_closing_list;

/* NULL: the joint is not being closed. */
const tn_closing *tn_closing_of(const tn_closing_list *list, uint32_t joint);
/* The allowed residual of a row at t: value, rate and second derivative. False: the closing is over. */
bool tn_closing_offset(const tn_closing *closing, int row, bool velocity, double t, double out[3]);

#endif
