/* Delays of signals (delay differential equations): the history of a signal, as far back as its delay reaches.
 *
 * After each step the values of the signal at the Chebyshev points of the step are added to a ring of pieces, in the memory of
 * the stepper, so that snapshots, undo and saved runs have it. In between the polynomial through them is the history. Where the
 * signal may jump or have a kink (samples, modes, kinks, impacts, the start), a piece begins with a break: a step ends where
 * the delay reaches it, and the value there changes sides when the instant is carried out. */
#ifndef TN_SYSTEM_DELAY_H
#define TN_SYSTEM_DELAY_H

#include "device_network.h"

/* Points of a piece, with both ends. */
enum { TN_DELAY_POINTS = 8 };

/* A device that reads a signal as it was a delay ago. */
typedef struct tn_delay {
    uint32_t source;
    tn_formula *formula;           /* outputs: signal, delay, value before the start */
    int memory;                    /* first entry (delay.c) */
    int capacity;                  /* pieces */
} tn_delay;

/* Compiling: begin numbers the memory, compile makes the formulas. */
int tn_delays_begin(tn_system *s);
int tn_delays_compile(tn_system *s);
/* The number of the delay of a device; -1: none. */
int tn_delay_of(const tn_system *s, uint32_t device);

/* Takes delay and value before the start from the numbers of the model, at the motion of e. */
void tn_delay_take_numbers(tn_eval *e, const tn_system *s, const tn_delay *delay, double *memory);
/* Value and rate of the signal a delay ago. */
void tn_delay_read(const tn_delay *delay, double t, const double *memory, double *value, double *rate);
/* Where a step from t must end: at the next break that the delay reaches, the delay after t, and before the past below it has many steps. */
double tn_delay_limit(const tn_delay *delay, double t, const double *memory);
/* Whether a break is reached at t and not carried out; and carries it out. */
bool tn_delay_due(const tn_delay *delay, double t, const double *memory);
void tn_delay_pass(const tn_delay *delay, double t, double *memory);
/* The next piece begins with a break. */
void tn_delay_break(const tn_delay *delay, double *memory);
/* Time of a point of a step from t0 to t1. */
double tn_delay_point(int point, double t0, double t1);
/* Adds a piece, which may go on with the step of the one before. Where the ring is full, neighbours become one where one polynomial misses less than
 * that part of the largest value. False: the ring is full of pieces that are still needed. */
bool tn_delay_add(const tn_delay *delay, double t0, double t1, bool goes_on, double missed, const double values[TN_DELAY_POINTS], double *memory);
/* The state has moved to a time that is later by a shift: its history moves with it. */
void tn_delay_move(const tn_delay *delay, double shift, double *memory);
/* Copies the histories of devices that both systems have. */
void tn_delays_carry(const tn_system *from, const double *old, const tn_system *to, double *memory);

#endif
