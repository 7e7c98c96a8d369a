/* Amplitudes over frequency of evenly sampled signals. */
#ifndef TN_CLI_AMPLITUDES_H
#define TN_CLI_AMPLITUDES_H

#include <stddef.h>

typedef enum tn_window { TN_WINDOW_HANN, TN_WINDOW_NONE } tn_window;

typedef struct tn_amplitudes {
    size_t count;
    double *frequency;         /* Hz, from 0 to half the sampling rate */
    double *amplitude;         /* unit of the signal; a sine of amplitude A on one of the frequencies gives A there */
    size_t samples;            /* how many entered */
} tn_amplitudes;

typedef enum tn_amplitudes_end {
    TN_AMPLITUDES_DONE,
    TN_AMPLITUDES_MEMORY,
    TN_AMPLITUDES_SHORT,         /* fewer than TN_AMPLITUDES_LEAST samples */
    TN_AMPLITUDES_UNEVEN,        /* times that are not equally spaced */
    TN_AMPLITUDES_NOT_FINITE     /* a value that is no number */
} tn_amplitudes_end;

enum { TN_AMPLITUDES_LEAST = 8 };

/* Single-sided amplitude spectrum of count samples, their mean removed. The signal is taken to repeat after the time
 * from the first to the last sample, which is therefore the first one of the next turn and is left out; so are a few
 * more where a number of samples with large prime factors would take long. To be freed also after a failure. */
tn_amplitudes_end tn_amplitudes_make(tn_amplitudes *out, const double *t, const double *values, size_t count,
                                 tn_window window);
void tn_amplitudes_free(tn_amplitudes *spectrum);

/* Shortest and longest time between samples, for messages; count at least 2. */
void tn_amplitudes_intervals(double *shortest, double *longest, const double *t, size_t count);

#endif
