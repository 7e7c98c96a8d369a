/* Cost of a step: every scheme with every solver, over the cost of projection + rk4 + direct in the same run.
 *
 * usage: schemes_bench VALIDATION_FOLDER [ROUNDS]
 *
 * All combinations of a model take turns, a few milliseconds each; the best turn of each counts. Prints CSV:
 * model, scheme, solver, microseconds a step, ratio; nan where a combination cannot go on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tenon/sys/saddle.h"
#include "tenon/sys/stepper.h"
#include "tenon/tenon.h"

enum { CHAIN = 50, TEXT_SIZE = 1 << 16, PATH_SIZE = 4096, ROUNDS = 7, MOST = 64 };
static const double STEP = 1e-3, TURN = 4e-3;      /* s: simulated; on the wall, of the reference */

static const char pendulum_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: { mass: 1, inertia: 1 / 12, com: [0.5, 0], position: [0, 0] }\n"
    "  lower: { mass: 1, inertia: 1 / 12, com: [0.5, 0], position: [1, 0], angle: -90 deg }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [upper, lower], at: [1, 0] }\n";

static const char crank_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: { mass: 1, inertia: 0.045, position: [0, 0], angle: asin(5 / 6), frames: { tip: { at: [0.3, 0] } } }\n"
    "  rod:\n"
    "    { mass: 1, inertia: 0.03, position: [0.3 * cos(asin(5 / 6)) + 0.25 * cos(30 deg), 0.125], angle: -30 deg,\n"
    "      frames: { start: { at: [-0.25, 0] }, end: { at: [0.25, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod.start] }\n"
    "  slide: { type: pin-in-slot, between: [ground, rod.end] }\n";

/* A spatial chain along x, hinges in turn along y and z. */
static void write_chain(char text[TEXT_SIZE])
{
    size_t used = (size_t)snprintf(text, TEXT_SIZE, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < CHAIN; i++)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "  b%d: { mass: 1, com: [0.5, 0, 0], "
                                 "inertia: [1 / 600, 1.01 / 12, 1.01 / 12], position: [%d, 0, 0] }\n", i, i);
    used += (size_t)snprintf(text + used, TEXT_SIZE - used, "joints:\n");
    for (int i = 0; i < CHAIN; i++) {
        char before[16] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "  j%d: { type: revolute, between: [%s, b%d], "
                                 "at: [%d, 0, 0], axis: %s }\n", i, before, i, i, i % 2 ? "z" : "y");
    }
}

typedef struct candidate {
    const char *scheme, *solver;
    tn_session *session;               /* NULL: cannot go on */
    double best;                       /* s a step */
} candidate;

static void give_up(candidate *c)
{
    tn_session_close(c->session);
    c->session = NULL;
    c->best = NAN;
}

static void take_turn(candidate *c, long steps)
{
    if (!c->session)
        return;
    double begun = tn_clock();
    for (long k = 0; k < steps; k++)
        if (tn_session_step(c->session) < 0) {
            give_up(c);
            return;
        }
    c->best = fmin(c->best, (tn_clock() - begun) / (double)steps);
}

/* The first one is the reference. */
static int open_all(candidate *list, tn_model *model)
{
    int count = 0;
    for (int s = 0; tn_scheme_types[s]; s++)
        for (int k = 0; tn_solver_types[k] && count < MOST; k++) {
            candidate *c = &list[count++];
            tn_solve solve = tn_solve_default();
            *c = (candidate){ tn_scheme_types[s]->name, tn_solver_types[k]->name, NULL, INFINITY };
            solve.scheme = c->scheme;
            solve.solver = c->solver;
            solve.integrator = "rk4";
            solve.step = STEP;
            solve.until = solve.record = 1e6;
            if (tn_session_open(&c->session, model, &solve) < 0)
                give_up(c);
        }
    return count;
}

static void measure(const char *name, tn_model *model, int rounds)
{
    candidate list[MOST];
    int count = open_all(list, model);
    long steps = 10;
    take_turn(&list[0], steps);
    steps = isfinite(list[0].best) ? lround(fmax(TURN / list[0].best, 1)) : 1;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < count; k++)
            take_turn(&list[k], steps);
    for (int k = 0; k < count; k++) {
        printf("%s,%s,%s,%.4g,%.3g\n", name, list[k].scheme, list[k].solver, 1e6 * list[k].best,
               list[k].best / list[0].best);
        tn_session_close(list[k].session);
    }
}

static int measure_text(tn_context *context, const char *name, const char *text, int rounds)
{
    tn_model *model = NULL;
    int code = tn_model_read_text(&model, context, text, strlen(text), name, ".");
    if (code >= 0)
        measure(name, model, rounds);
    tn_model_destroy(model);
    return code;
}

static int measure_file(tn_context *context, const char *name, const char *folder, const char *file, int rounds)
{
    char path[PATH_SIZE];
    tn_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int code = tn_model_read(&model, context, path);
    if (code >= 0)
        measure(name, model, rounds);
    tn_model_destroy(model);
    return code;
}

int main(int argc, char **argv)
{
    static char chain_text[TEXT_SIZE];
    if (argc < 2) {
        fputs("usage: schemes_bench VALIDATION_FOLDER [ROUNDS]\n", stderr);
        return 2;
    }
    int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    write_chain(chain_text);
    puts("model,scheme,solver,microseconds,ratio");
    int code = measure_text(context, "double-pendulum", pendulum_text, rounds);
    if (code >= 0)
        code = measure_text(context, "slider-crank", crank_text, rounds);
    if (code >= 0)
        code = measure_text(context, "chain-50", chain_text, rounds);
    if (code >= 0)
        code = measure_file(context, "four-bars-40", argv[1], "A02_n_four_bar_N40.yaml", rounds);
    if (code < 0)
        tn_diagnostics_print(context, stderr);
    tn_context_destroy(context);
    return code < 0;
}
