/* Curves of "tenon plot", made of recordings. */
#ifndef TN_CLI_PLOT_CURVES_H
#define TN_CLI_PLOT_CURVES_H

#include "recording.h"
#include "amplitudes.h"

typedef enum tn_plot_kind { TN_PLOT_TIME, TN_PLOT_AGAINST, TN_PLOT_PHASE, TN_PLOT_SPECTRUM } tn_plot_kind;

typedef struct tn_plot_request {
    tn_plot_kind kind;
    const char *const *channels;       /* names, groups ("crank.position"), patterns ("*.angle"); none: all */
    size_t channel_count;
    const char *against;               /* TN_PLOT_AGAINST: the channel across */
    tn_window window;                  /* TN_PLOT_SPECTRUM */
    double max_frequency;              /* Hz; 0: up to half the sampling rate */
    double from, until;                /* s; until 0: to the end */
} tn_plot_request;

typedef struct tn_plot_curve {
    const tn_recording *recording;
    tn_channel y;                      /* what goes upwards; of a spectrum, what it is the spectrum of */
    tn_channel x;                      /* what goes across */
    const double *x_values, *y_values; /* borrowed from the recording or the spectrum */
    size_t count;
    tn_amplitudes spectrum;
} tn_plot_curve;

typedef struct tn_plot_curves {
    tn_plot_curve *items;
    size_t count;
} tn_plot_curves;

/* Curves by channel, then by recording. What is wrong is said on stderr; returns the exit status. The curves are to be
 * freed also after a failure, before the recordings. */
int tn_plot_curves_make(tn_plot_curves *out, const tn_recording *recordings, size_t count,
                        const tn_plot_request *request);
void tn_plot_curves_free(tn_plot_curves *curves);

#endif
