#include "progress.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { BAR_WIDTH = 30 };
static const double interval = 0.1;        /* s between drawings: smooth for the eye, nothing for the run */
static const double longest_wait = 359999; /* s: 99:59:59, the longest that is worth a figure */

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

tn_progress tn_progress_start(bool shown, double until)
{
    double now = shown ? wall_clock() : 0;
    return (tn_progress){ shown && until > 0, until, now, now + interval };
}

static void draw(const tn_progress *p, double time, double elapsed)
{
    static const char full[] = "##############################", empty[] = "..............................";
    _Static_assert(sizeof full == BAR_WIDTH + 1 && sizeof empty == sizeof full, "the bar is BAR_WIDTH wide");
    double part = fmin(fmax(time / p->until, 0), 1);
    int done = (int)(part * BAR_WIDTH);
    double wait = part > 0 ? fmin(elapsed * (1 - part) / part, longest_wait) : longest_wait;
    int seconds = (int)ceil(wait);
    fprintf(stderr, "\r[%.*s%.*s] %3.0f%%  t = %.4g of %.4g s  ETA %d:%02d:%02d  %.3g x real time\033[K", done, full,
            BAR_WIDTH - done, empty, 100 * part, time, p->until, seconds / 3600, seconds / 60 % 60, seconds % 60,
            time / elapsed);
    fflush(stderr);
}

void tn_progress_update(tn_progress *progress, double time)
{
    if (!progress->shown)
        return;
    double now = wall_clock();
    if (now < progress->due)
        return;
    progress->due = now + interval;
    draw(progress, time, now - progress->started);
}

void tn_progress_end(tn_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
