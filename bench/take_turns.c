/* Models side by side: sessions in one process take turns, so that what disturbs one disturbs all alike.
 *
 * usage: take_turns SOLVER SEED STEPS ROUNDS MODEL...
 *
 * In each round every model takes STEPS steps; processor time counts, and of the rounds the tenth percentile: the best
 * is luck. Which blocks of memory collide in the caches can favour one model by 2 % for as long as a process lives, so
 * they lie at random places within pages. SEED decides: average over processes with different ones.
 * Prints CSV: model, microseconds a step.
 *
 * bench/components.py compiles it for the library that is to be measured. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tenon/tenon.h"

enum {
    PAGE = 4096,               /* bytes: addresses that differ by it share their sets in the nearest cache */
    GRAIN = _Alignof(max_align_t),
    WARMING = 4,               /* steps at the beginning of a turn that do not count: they fetch the caches' contents */
    PERCENTILE = 10,
    MOST = 1000000             /* of steps, rounds and seeds */
};

/* In front of every block. */
typedef struct block {
    _Alignas(max_align_t) void *start;     /* what free() wants */
    size_t size;
} block;

typedef struct runner {
    const char *path;
    tn_context *context;
    tn_model *model;
    tn_session *session;
    double *times;             /* microseconds a step, for each round */
} runner;

/* The same on every machine. */
static uint32_t chance(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* tn_context_options.reallocate; user: the state of chance(). */
static void *reallocate(void *user, void *pointer, size_t size)
{
    block *old = pointer ? (block *)pointer - 1 : NULL;
    if (size == 0) {
        free(old ? old->start : NULL);
        return NULL;
    }
    if (old && size <= old->size)
        return pointer;
    char *start = size < SIZE_MAX - PAGE - sizeof(block) ? malloc(PAGE + sizeof(block) + size) : NULL;
    if (!start)
        return NULL;
    block *moved = (block *)(start + GRAIN * (chance(user) % (PAGE / GRAIN)));
    *moved = (block){ start, size };
    if (old) {
        memcpy(moved + 1, pointer, old->size);
        free(old->start);
    }
    return moved + 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* News end the measurement as well: a model that has stopped takes no steps. */
static void must(const runner *r, int code)
{
    if (code == TN_OK)
        return;
    if (r->context)
        tn_diagnostics_print(r->context, stderr);
    fprintf(stderr, "take_turns: %s: %s\n", r->path, tn_error_text(code));
    exit(1);
}

static runner get_ready(const char *path, const char *solver, int rounds, uint32_t *state)
{
    runner r = { .path = path, .context = tn_context_create(&(tn_context_options){ reallocate, state }) };
    r.times = malloc((size_t)rounds * sizeof *r.times);
    must(&r, r.context && r.times ? TN_OK : TN_ERROR_MEMORY);
    must(&r, tn_model_read(&r.model, r.context, path));
    tn_solve solve = tn_model_solve(r.model);
    solve.solver = solver;
    must(&r, tn_session_open(&r.session, r.model, &solve));
    return r;
}

static void dismiss(runner *r)
{
    tn_session_close(r->session);
    tn_model_destroy(r->model);
    tn_context_destroy(r->context);
    free(r->times);
}

static void take_steps(const runner *r, int steps)
{
    for (int k = 0; k < steps; k++)
        must(r, tn_session_step(r->session));
}

static double take_turn(const runner *r, int steps)
{
    take_steps(r, WARMING);
    double begun = now();
    take_steps(r, steps);
    return (now() - begun) / steps;
}

/* Others begin in every round, and the order is turned round: nobody always follows the same. */
static void take_turns(runner *runners, int count, int steps, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < count; k++) {
            runner *r = &runners[(round + (round % 2 ? k : count - k)) % count];
            r->times[round] = take_turn(r, steps);
        }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const runner *runners, int count, int rounds)
{
    puts("model,microseconds");
    for (int k = 0; k < count; k++) {
        qsort(runners[k].times, (size_t)rounds, sizeof(double), ascending);
        printf("%s,%.4f\n", runners[k].path, runners[k].times[rounds * PERCENTILE / 100]);
    }
}

/* 0 when the text is no number from 1 to MOST. */
static int read_count(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *end == '\0' && value >= 1 && value <= MOST ? (int)value : 0;
}

static int explain(void)
{
    fprintf(stderr, "usage: take_turns SOLVER SEED STEPS ROUNDS MODEL...   (numbers from 1 to %d)\n", MOST);
    return 2;
}

int main(int argc, char **argv)
{
    int count = argc - 5;
    if (count < 1)
        return explain();
    int seed = read_count(argv[2]), steps = read_count(argv[3]), rounds = read_count(argv[4]);
    if (!seed || !steps || !rounds)
        return explain();
    uint32_t state = (uint32_t)seed;
    runner *runners = calloc((size_t)count, sizeof *runners);
    if (!runners) {
        fputs("take_turns: out of memory\n", stderr);
        return 1;
    }
    for (int k = 0; k < count; k++)
        runners[k] = get_ready(argv[5 + k], argv[1], rounds, &state);
    take_turns(runners, count, steps, rounds);
    print_times(runners, count, rounds);
    for (int k = 0; k < count; k++)
        dismiss(&runners[k]);
    free(runners);
    return 0;
}
