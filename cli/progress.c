/* The progress of a run on the terminal. */
#include "progress.h"
#include <math.h>
#include <stdio.h>
#include "filtered_output.h"
#include "tenon/context.h"

enum { BAR_WIDTH = 30 };
static const double interval = 0.1;        /* s between drawings: smooth for the eye, nothing for the run */
static const double longest_wait = 359999; /* s: 99:59:59, the longest that is worth a figure */

static tn_progress start_progress(bool shown, bool counts, double from, double until)
{
    double now = shown ? tn_clock() : 0;
    return (tn_progress){ shown && until > from, counts, from, until, now, now + interval };
}

tn_progress tn_progress_start(bool shown, double until)
{
    return start_progress(shown, false, 0, until);
}

tn_progress tn_progress_start_runs(bool shown, double done, double runs)
{
    return start_progress(shown, true, done, runs);
}

static void draw(const tn_progress *p, double reached, double elapsed)
{
    static const char full[] = "##############################", empty[] = "..............................";
    _Static_assert(sizeof full == BAR_WIDTH + 1 && sizeof empty == sizeof full, "the bar is BAR_WIDTH wide");
    double part = fmin(fmax(reached / p->until, 0), 1), speed = (reached - p->from) / elapsed;
    int done = (int)(part * BAR_WIDTH);
    double wait = speed > 0 ? fmin((p->until - reached) / speed, longest_wait) : longest_wait;
    int seconds = (int)ceil(fmax(wait, 0));
    fprintf(tn_unfiltered_stderr(), "\r[%.*s%.*s] %3.0f%%  %s%.*g of %.*g %s  ETA %d:%02d:%02d  %.3g %s\033[K", done, full,
            BAR_WIDTH - done, empty, 100 * part, p->counts ? "" : "t = ", p->counts ? 15 : 4, reached,
            p->counts ? 15 : 4, p->until, p->counts ? "runs" : "s", seconds / 3600, seconds / 60 % 60, seconds % 60,
            speed, p->counts ? "runs/s" : "x real time");
    fflush(tn_unfiltered_stderr());
}

void tn_progress_update(tn_progress *progress, double reached)
{
    if (!progress->shown)
        return;
    double now = tn_clock();
    if (now < progress->due)
        return;
    progress->due = now + interval;
    draw(progress, reached, now - progress->started);
}

void tn_progress_end(tn_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", tn_unfiltered_stderr());
    progress->shown = false;
}
