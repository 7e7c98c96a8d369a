/* Processor time of the process. */
#ifndef TENON_BENCH_CLOCK_H
#define TENON_BENCH_CLOCK_H

#include <time.h>

/* s */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
