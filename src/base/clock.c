/* The monotonic clock, for durations and deadlines. */
#include "tenon/context.h"
#include <time.h>

double tn_clock(void)
{
    enum { PER_SECOND = 1000000000 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / PER_SECOND;
}
