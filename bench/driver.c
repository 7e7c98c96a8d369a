/* usage: DRIVER WORKLOAD N REPETITIONS [ACCURACY [METHOD]]
 *
 * Measures one engine on one workload and prints one line:
 *     workload,engine,method,n,accuracy,microseconds,energy_error,closure_error,residual,x,y,bytes_per_body,settings
 * chain, ball, tree, star, planar, planar-3d: forward dynamics at the start; energy_error is the power imbalance of the
 *     accelerations, closure_error how far they tear the joints apart, residual the moment they leave over along a
 *     freedom (all relative).
 * ladder: one step of length ACCURACY; energy_error (J) and closure_error (m, rad) are the largest over the steps.
 * four-bar[-3d], pendulum[-3d]: a run to the end with step or tolerance ACCURACY; x, y is where the tracked point ends.
 * The time is the best of REPETITIONS; bytes_per_body is what the C library's allocator holds for the engine. */
#include "clock.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"

/* A measured block lasts at least this long, s: far above the resolution of the clock. */
static const double BLOCK = 2e-3;
/* A workload stops repeating after this time, s, so that slow engines cannot hold up the others. */
static const double ENOUGH = 4;

typedef struct options {
    const char *workload, *method;
    int n, repetitions;
    double accuracy;
} options;

typedef struct figures {
    double microseconds, energy, closure, residual, tip[3], bytes_per_body;
} figures;

static double allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static double time_calls(engine *e, void (*call)(engine *), long count)
{
    double begun = now();
    for (long k = 0; k < count; k++)
        call(e);
    return now() - begun;
}

static double best_time(engine *e, void (*call)(engine *), int repetitions)
{
    long count = 1;
    double begun = now(), taken = time_calls(e, call, count);
    while (taken < BLOCK && count < 1000000) {
        count *= 2;
        taken = time_calls(e, call, count);
    }
    double best = taken / (double)count;
    for (int k = 1; k < repetitions && now() - begun < ENOUGH; k++)
        best = fmin(best, time_calls(e, call, count) / (double)count);
    return best;
}

static int measure_forward(figures *out, const scene *s, engine *e, const options *o)
{
    double *a = calloc(6 * (size_t)s->count, sizeof *a);
    if (!a)
        return 0;
    bench_engine.forward(e);
    bench_engine.accelerations(e, a);
    scene_residual residual = scene_check(s, a);
    out->energy = residual.power;
    out->residual = residual.moment;
    out->closure = residual.gap;
    out->microseconds = 1e6 * best_time(e, bench_engine.forward, o->repetitions);
    free(a);
    return 1;
}

/* Steps through the scene once with a look at every 10th state, then goes on for the time. */
static int measure_step(figures *out, const scene *s, engine *e, const options *o)
{
    enum { BETWEEN = 10 };
    scene_motion *m = calloc((size_t)s->count, sizeof *m);
    if (!m)
        return 0;
    bench_engine.motion(e, m);
    double energy = scene_energy(s, m), spent = 0, best = INFINITY;
    long steps = (long)(s->until / o->accuracy + 0.5);
    for (int k = 0; k < o->repetitions; k++)
        for (long done = 0; done < steps && spent < ENOUGH; done += BETWEEN) {
            double taken = time_calls(e, bench_engine.step, BETWEEN);
            spent += taken;
            best = fmin(best, taken / BETWEEN);
            bench_engine.motion(e, m);
            out->energy = fmax(out->energy, fabs(scene_energy(s, m) - energy));
            out->closure = fmax(out->closure, scene_gap(s, m));
        }
    scene_tip(s, m, out->tip);
    out->microseconds = 1e6 * best;
    free(m);
    return 1;
}

static int run_once(figures *out, const scene *s, const options *o)
{
    char settings[256] = "";
    scene_motion *m = calloc((size_t)s->count, sizeof *m);
    engine *e = bench_engine.create(s, o->method, o->accuracy, settings);
    if (!m || !e)
        return 0;
    bench_engine.motion(e, m);
    double energy = scene_energy(s, m), begun = now();
    int arrived = bench_engine.advance(e, s->until);
    out->microseconds = fmin(out->microseconds, 1e6 * (now() - begun));
    bench_engine.motion(e, m);
    out->energy = fabs(scene_energy(s, m) - energy);
    out->closure = scene_gap(s, m);
    scene_tip(s, m, out->tip);
    free(m);
    return arrived;
}

static int measure_run(figures *out, const scene *s, const options *o)
{
    out->microseconds = INFINITY;
    for (int k = 0; k < o->repetitions && (k == 0 || 1e-6 * out->microseconds * k < ENOUGH); k++)
        if (!run_once(out, s, o))
            return 0;
    return 1;
}

static int measure(figures *out, char *settings, const options *o)
{
    scene s;
    if (!scene_create(&s, o->workload, o->n)) {
        fprintf(stderr, "%s: there is no workload '%s' of size %d\n", bench_engine.name, o->workload, o->n);
        return 0;
    }
    double before = allocated();
    engine *e = bench_engine.create(&s, o->method, o->accuracy, settings);
    out->bytes_per_body = (allocated() - before) / s.count;
    if (!e) {
        fprintf(stderr, "%s: cannot set up %s with %s, n = %d\n", bench_engine.name, o->workload, o->method, o->n);
        return 0;
    }
    int stepped = strncmp(o->workload, "ladder", 6) == 0;
    int done = stepped ? measure_step(out, &s, e, o) : s.until > 0 ? measure_run(out, &s, o)
                                                                   : measure_forward(out, &s, e, o);
    scene_destroy(&s);
    return done;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s WORKLOAD N REPETITIONS [ACCURACY [METHOD]]\nmethods:", argv[0]);
        for (int k = 0; bench_engine.methods[k]; k++)
            fprintf(stderr, " %s", bench_engine.methods[k]);
        fprintf(stderr, "\n");
        return 2;
    }
    options o = { .workload = argv[1], .n = atoi(argv[2]), .repetitions = atoi(argv[3]),
                  .accuracy = argc > 4 ? atof(argv[4]) : 0, .method = argc > 5 ? argv[5] : bench_engine.methods[0] };
    figures f = { 0 };
    char settings[256] = "";
    if (!measure(&f, settings, &o))
        return 1;
    printf("%s,%s,%s,%d,%g,%.6g,%.3g,%.3g,%.3g,%.15g,%.15g,%.0f,%s\n", o.workload, bench_engine.name, o.method, o.n,
           o.accuracy, f.microseconds, f.energy, f.closure, f.residual, f.tip[0], f.tip[1], f.bytes_per_body, settings);
    return 0;
}
