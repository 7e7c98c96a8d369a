/* What the doors to other tools cost: setting an input, and a step of an FMU against the same step of a session.
 *
 * usage: doors_bench MODEL LIBRARY TOKEN INPUT OUTPUT     (LIBRARY: of the unpacked FMU 2.0 of the model; bench/doors.py does it)
 *
 * Prints ns of processor time a call, the least of several rounds; the two kinds of steps take turns. */
#include "clock.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"

enum { ROUNDS = 5, STEPS = 20000, CALLS = 20000000 };       /* long rounds: clocks of processor time may be coarse */
static const double STEP = 1e-3;                       /* s */

/* The functions of FMI 2.0 that are needed; statuses are int. */
typedef struct fmu {
    void *instance;
    int (*set)(void *, const unsigned *, size_t, const double *);
    int (*get)(void *, const unsigned *, size_t, double *);
    int (*step)(void *, double, double, int);
} fmu;

typedef struct callbacks {
    void *log, *allocate, *release, *finished, *environment;
} callbacks;

static void fail(const char *what)
{
    fprintf(stderr, "doors_bench: %s\n", what);
    exit(1);
}

/* A function of the library, as what the caller takes it for. */
static void find(void *function, void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        fail(name);
    memcpy(function, &found, sizeof found);
}

static fmu open_fmu(const char *path, const char *token)
{
    static const callbacks none = { NULL, NULL, NULL, NULL, NULL };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    fmu f = { 0 };
    void *(*instantiate)(const char *, int, const char *, const char *, const callbacks *, int, int);
    int (*set_up)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
    if (!library)
        fail(dlerror());
    find(&instantiate, library, "fmi2Instantiate");
    find(&set_up, library, "fmi2SetupExperiment");
    find(&enter, library, "fmi2EnterInitializationMode");
    find(&leave, library, "fmi2ExitInitializationMode");
    find(&f.set, library, "fmi2SetReal");
    find(&f.get, library, "fmi2GetReal");
    find(&f.step, library, "fmi2DoStep");
    f.instance = instantiate("bench", 1, token, NULL, &none, 0, 0);
    if (!f.instance || set_up(f.instance, 0, 0, 0, 0, 0) || enter(f.instance) || leave(f.instance))
        fail("the FMU does not start");
    return f;
}

static double input_at(long step)
{
    return sin(0.01 * (double)step);
}

int main(int count, char **arguments)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    tn_session *session;
    tn_readout *readout;
    if (count != 6)
        fail("usage: doors_bench MODEL LIBRARY TOKEN INPUT OUTPUT");
    if (tn_model_read(&model, context, arguments[1]) < 0 || tn_session_open(&session, model, NULL) < 0 ||
        tn_readout_open(&readout, session, (const char *const *)&arguments[5], 1) < 0)
        return tn_diagnostics_print(context, stderr);
    tn_id input = tn_model_find(model, arguments[4]);
    fmu f = open_fmu(arguments[2], arguments[3]);
    const unsigned in = 2u << 20, out = 3u << 20;      /* the first input and the first output */
    double own = INFINITY, other = INFINITY, set = INFINITY, y = 0, z = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (long k = round * STEPS; k < (round + 1) * STEPS; k++) {
            tn_session_input(session, input, input_at(k));
            tn_session_advance_to(session, (double)(k + 1) * STEP);
            tn_readout_values(&y, readout);
        }
        double middle = now();
        for (long k = round * STEPS; k < (round + 1) * STEPS; k++) {
            double u = input_at(k);
            f.set(f.instance, &in, 1, &u);
            if (f.step(f.instance, (double)k * STEP, (double)(k + 1) * STEP - (double)k * STEP, 1) != 0)
                fail("a step failed");
            f.get(f.instance, &out, 1, &z);
        }
        double end = now();
        own = fmin(own, (middle - begin) / STEPS);
        other = fmin(other, (end - middle) / STEPS);
        begin = now();
        for (long k = 0; k < CALLS; k++)
            tn_session_input(session, input, (double)(k & 1));
        set = fmin(set, (now() - begin) / CALLS);
    }
    if (!(fabs(y - z) <= 1e-9))
        fail("session and FMU disagree");
    printf("input %.1f ns\nsession %.0f ns a step\nfmu %.0f ns a step\noverhead %.0f ns\n", 1e9 * set, 1e9 * own, 1e9 * other,
           1e9 * (other - own));
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return 0;
}
