/* A progress bar on stderr. */
#ifndef TN_CLI_PROGRESS_H
#define TN_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct tn_progress {
    bool shown;
    bool counts;               /* runs, else seconds of simulated time */
    double from, until;        /* s or runs */
    double started, due;       /* s, on the wall: start of the run, next time the bar is drawn */
} tn_progress;

tn_progress tn_progress_start(bool shown, double until);
/* Of many runs, done of which were there before. */
tn_progress tn_progress_start_runs(bool shown, double done, double runs);
/* Cheap enough to be called after every step. */
void tn_progress_update(tn_progress *progress, double reached);
/* Leaves an empty line for what is said next. */
void tn_progress_end(tn_progress *progress);

#endif
