/* A small FMU for the tests of the importer, FMI 2.0 and 3.0, both kinds: a ball that bounces, a counter that time events step,
 * an output with feedthrough, and mischief of all kinds when its parameter asks for it. Written from the standard; no line of
 * the engine.
 *
 *     h' = v,  v' = -g + u,  at h = 0 with v < 0: v = -e v        y = 0.5 u + h        count: events at 0.25 s, 0.5 s, ... */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIME, H, V, DER_H, DER_V, U, Y, COUNT, E, MISCHIEF, G, VARIABLES };
enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { NOTHING, NAN_OUTPUTS, SAY_ERROR, SAY_DISCARD, SAY_FATAL, HANG, CRASH, CRASH_AT_END, LEAVE, NAN_RATES, ENDLESS_EVENTS };
static const double PERIOD = 0.25;

typedef struct ball {
    double value[VARIABLES];
    bool exchange, event;
} ball;

static void derive(ball *b)
{
    b->value[DER_H] = b->value[V];
    b->value[DER_V] = -b->value[G] + b->value[U];
    b->value[Y] = b->value[MISCHIEF] == NAN_OUTPUTS && b->value[TIME] > 0.1 ? NAN : 0.5 * b->value[U] + b->value[H];
}

static int behave(const ball *b)
{
    static volatile int *nowhere;
    if (b->value[TIME] < 0.1)
        return OK;
    switch ((int)b->value[MISCHIEF]) {
    case SAY_ERROR: return ERROR;
    case SAY_DISCARD: return DISCARD;
    case SAY_FATAL: return FATAL;
    case HANG: for (;;) sleep(1);
    case CRASH: *nowhere = 1; return OK;
    case LEAVE: _exit(3);
    default: return OK;
    }
}

static ball *create(const char *token, bool exchange)
{
    if (!token || strcmp(token, "{ball}") != 0)
        return NULL;
    ball *b = calloc(1, sizeof *b);
    if (b)
        *b = (ball){ .exchange = exchange, .value = { [H] = 1, [E] = 0.8, [G] = 10 } };
    return b;
}

static void bounce(ball *b)
{
    if (b->value[H] <= 1e-12 && b->value[V] < 0) {
        b->value[V] *= -b->value[E];
        b->value[H] = 0;
    }
    while (b->value[TIME] >= (b->value[COUNT] + 1) * PERIOD - 1e-12)
        b->value[COUNT]++;
}

static double next_event(const ball *b)
{
    return (b->value[COUNT] + 1) * PERIOD;
}

/* Flight by its closed form, from impact to impact. */
static int go_on(ball *b, double t, double h)
{
    double end = t + h;
    b->value[TIME] = end;
    int status = behave(b);
    b->value[TIME] = t;
    if (status != OK)
        return status;
    while (b->value[TIME] < end) {
        double a = -b->value[G] + b->value[U], v = b->value[V], left = end - b->value[TIME];
        double hit = (-v - sqrt(v * v - 2 * a * b->value[H])) / a;
        double part = a < 0 && hit < left && hit > 1e-12 ? hit : left;
        b->value[H] += v * part + a * part * part / 2;
        b->value[V] += a * part;
        b->value[TIME] = part < left ? b->value[TIME] + part : end;
        bounce(b);
    }
    derive(b);
    return OK;
}

static int get(ball *b, const uint32_t *vr, size_t n, double *value)
{
    derive(b);
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= VARIABLES)
            return ERROR;
        value[k] = b->value[vr[k]];
    }
    return OK;
}

static int set(ball *b, const uint32_t *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= VARIABLES)
            return ERROR;
        b->value[vr[k]] = value[k];
    }
    return OK;
}

static int rates(ball *b, double *x)
{
    derive(b);
    x[0] = b->value[DER_H];
    x[1] = b->value[MISCHIEF] == NAN_RATES && b->value[TIME] > 0.1 ? NAN : b->value[DER_V];
    return b->value[MISCHIEF] == CRASH_AT_END ? OK : behave(b);
}

static void end(ball *b)
{
    static volatile int *nowhere;
    if (b->value[MISCHIEF] == CRASH_AT_END)
        *nowhere = 1;
}

static int copy_state(ball *b, void **state)
{
    if (!*state)
        *state = malloc(sizeof *b);
    if (!*state)
        return ERROR;
    memcpy(*state, b, sizeof *b);
    return OK;
}

/* ---- FMI 2.0 ---- */

typedef struct info2 {
    int again, ends, nominals, changed, defined;
    double next;
} info2;

void *fmi2Instantiate(const char *n, int type, const char *token, const char *r, const void *f, int v, int l)
{
    (void)n, (void)r, (void)f, (void)v, (void)l;
    return create(token, type == 0);
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int d, double o, double t, int s, double e)
{
    (void)d, (void)o, (void)s, (void)e;
    ((ball *)c)->value[TIME] = t;
    return OK;
}
int fmi2EnterInitializationMode(void *c) { (void)c; return OK; }
int fmi2ExitInitializationMode(void *c) { ((ball *)c)->event = true; return OK; }
int fmi2Terminate(void *c) { end(c); return OK; }
int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *x) { return set(c, vr, n, x); }
int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *x) { return get(c, vr, n, x); }
int fmi2SetInteger(void *c, const uint32_t *vr, size_t n, const int *x)
{
    for (size_t k = 0; k < n; k++)
        ((ball *)c)->value[vr[k]] = x[k];
    return OK;
}
int fmi2GetInteger(void *c, const uint32_t *vr, size_t n, int *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] = (int)((ball *)c)->value[vr[k]];
    return OK;
}
int fmi2SetBoolean(void *c, const uint32_t *vr, size_t n, const int *x) { return fmi2SetInteger(c, vr, n, x); }
int fmi2GetBoolean(void *c, const uint32_t *vr, size_t n, int *x) { return fmi2GetInteger(c, vr, n, x); }
int fmi2GetFMUstate(void *c, void **s) { return copy_state(c, s); }
int fmi2SetFMUstate(void *c, void *s) { memcpy(c, s, sizeof(ball)); return OK; }
int fmi2FreeFMUstate(void *c, void **s) { (void)c; free(*s); *s = NULL; return OK; }
int fmi2EnterEventMode(void *c) { ((ball *)c)->event = true; return OK; }
int fmi2NewDiscreteStates(void *c, info2 *i)
{
    ball *b = c;
    bounce(b);
    *i = (info2){ .again = b->value[MISCHIEF] == ENDLESS_EVENTS, .changed = 1, .defined = 1, .next = next_event(b) };
    return OK;
}
int fmi2EnterContinuousTimeMode(void *c) { ((ball *)c)->event = false; return OK; }
int fmi2CompletedIntegratorStep(void *c, int p, int *e, int *t) { (void)c, (void)p; *e = *t = 0; return OK; }
int fmi2SetTime(void *c, double t) { ((ball *)c)->value[TIME] = t; return OK; }
int fmi2SetContinuousStates(void *c, const double *x, size_t n) { (void)n; memcpy(&((ball *)c)->value[H], x, 2 * sizeof *x); return OK; }
int fmi2GetContinuousStates(void *c, double *x, size_t n) { (void)n; memcpy(x, &((ball *)c)->value[H], 2 * sizeof *x); return OK; }
int fmi2GetDerivatives(void *c, double *x, size_t n) { (void)n; return rates(c, x); }
int fmi2GetEventIndicators(void *c, double *x, size_t n) { (void)n; x[0] = ((ball *)c)->value[H]; return OK; }
int fmi2DoStep(void *c, double t, double h, int p) { (void)p; return go_on(c, t, h); }

/* ---- FMI 3.0 ---- */

void *fmi3InstantiateModelExchange(const char *n, const char *token, const char *r, bool v, bool l, void *e, void *log)
{
    (void)n, (void)r, (void)v, (void)l, (void)e, (void)log;
    return create(token, true);
}
void *fmi3InstantiateCoSimulation(const char *n, const char *token, const char *r, bool v, bool l, bool ev, bool ea,
                                  const uint32_t *q, size_t nq, void *e, void *log, void *im)
{
    (void)n, (void)r, (void)v, (void)l, (void)ev, (void)ea, (void)q, (void)nq, (void)e, (void)log, (void)im;
    return create(token, false);
}
void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(void *c, bool d, double o, double t, bool s, double e)
{
    return fmi2SetupExperiment(c, d, o, t, s, e);
}
int fmi3ExitInitializationMode(void *c) { return fmi2ExitInitializationMode(c); }
int fmi3Terminate(void *c) { end(c); return OK; }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *x, size_t m) { (void)m; return set(c, vr, n, x); }
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *x, size_t m) { (void)m; return get(c, vr, n, x); }
int fmi3SetInt32(void *c, const uint32_t *vr, size_t n, const int *x, size_t m) { (void)m; return fmi2SetInteger(c, vr, n, x); }
int fmi3GetInt32(void *c, const uint32_t *vr, size_t n, int *x, size_t m) { (void)m; return fmi2GetInteger(c, vr, n, x); }
int fmi3GetFMUState(void *c, void **s) { return copy_state(c, s); }
int fmi3SetFMUState(void *c, void *s) { return fmi2SetFMUstate(c, s); }
int fmi3FreeFMUState(void *c, void **s) { return fmi2FreeFMUstate(c, s); }
int fmi3EnterEventMode(void *c) { return fmi2EnterEventMode(c); }
int fmi3UpdateDiscreteStates(void *c, bool *again, bool *ends, bool *nominals, bool *changed, bool *defined, double *next)
{
    info2 i;
    fmi2NewDiscreteStates(c, &i);
    *again = i.again, *ends = false, *nominals = false, *changed = true, *defined = true, *next = i.next;
    return OK;
}
int fmi3EnterContinuousTimeMode(void *c) { return fmi2EnterContinuousTimeMode(c); }
int fmi3CompletedIntegratorStep(void *c, bool p, bool *e, bool *t) { (void)c, (void)p; *e = *t = false; return OK; }
int fmi3SetTime(void *c, double t) { return fmi2SetTime(c, t); }
int fmi3SetContinuousStates(void *c, const double *x, size_t n) { return fmi2SetContinuousStates(c, x, n); }
int fmi3GetContinuousStates(void *c, double *x, size_t n) { return fmi2GetContinuousStates(c, x, n); }
int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t n) { return fmi2GetDerivatives(c, x, n); }
int fmi3GetEventIndicators(void *c, double *x, size_t n) { return fmi2GetEventIndicators(c, x, n); }
int fmi3DoStep(void *c, double t, double h, bool p, bool *event, bool *ends, bool *early, double *last)
{
    (void)p;
    *event = *ends = *early = false;
    *last = t + h;
    return go_on(c, t, h);
}
