/* An FMU without states, of FMI 2.0 and 3.0 and of both kinds, for the tests of the importer: inputs that are numbers and truth values,
 * parameters that are texts and enumerations. Written from the standard; no line of the engine. In model exchange it refuses
 * discrete inputs outside of initialization and event mode, as the standards do.
 *
 *     y = (on ? u : 0) + 100 gear + 1000 level + 10000 mode + 1e6 length of the text        turns: events so far, without the first */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, U, ON, GEAR, LEVEL, MODE, NAME, Y, TURNS };
enum { OK, WARNING, DISCARD, ERROR };

typedef struct part {
    double u, level;
    int on, gear, mode, turns;
    size_t length;
    bool exchange, running;            /* running: neither initialization nor event mode */
} part;

static part *create(const char *token, bool exchange)
{
    part *p = token && strcmp(token, "{switch}") == 0 ? calloc(1, sizeof *p) : NULL;
    if (p)
        *p = (part){ .exchange = exchange, .mode = 1, .turns = -1 };
    return p;
}

static int get_reals(const part *p, const uint32_t *vr, size_t n, double *out)
{
    for (size_t k = 0; k < n; k++) {
        if (vr[k] != Y)
            return ERROR;
        out[k] = (p->on ? p->u : 0) + 100 * p->gear + 1000 * p->level + 10000 * p->mode + 1e6 * (double)p->length;
    }
    return OK;
}

static int set_reals(part *p, const uint32_t *vr, size_t n, const double *in)
{
    for (size_t k = 0; k < n; k++) {
        if ((vr[k] != U && vr[k] != LEVEL) || (vr[k] == LEVEL && p->exchange && p->running))
            return ERROR;
        *(vr[k] == U ? &p->u : &p->level) = in[k];
    }
    return OK;
}

/* Integers, truth values and enumerations, one at a time. */
static int set_whole(part *p, uint32_t vr, int64_t value)
{
    if (vr != ON && vr != GEAR && vr != MODE)
        return ERROR;
    if (p->exchange && p->running)
        return ERROR;
    *(vr == ON ? &p->on : vr == GEAR ? &p->gear : &p->mode) = (int)value;
    return OK;
}

static int set_text(part *p, uint32_t vr, const char *text)
{
    p->length = strlen(text);
    return vr == NAME ? OK : ERROR;
}

static int enter(void *c, bool running)
{
    part *p = c;
    p->running = running;
    p->turns += running;
    return OK;
}

/* ---- FMI 2.0 ---- */

typedef struct event_info {
    int again, ends, nominals, values, defined;
    double next;
} event_info;

void *fmi2Instantiate(const char *n, int type, const char *token, const char *r, const void *f, int v, int l)
{
    (void)n, (void)r, (void)f, (void)v, (void)l;
    return create(token, type == 0);
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int d, double o, double t, int s, double e)
{
    return (void)c, (void)d, (void)o, (void)t, (void)s, (void)e, OK;
}
int fmi2EnterInitializationMode(void *c) { return (void)c, OK; }
int fmi2ExitInitializationMode(void *c) { return (void)c, OK; }
int fmi2Terminate(void *c) { return (void)c, OK; }
int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *out) { return get_reals(c, vr, n, out); }
int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *in) { return set_reals(c, vr, n, in); }
int fmi2GetInteger(void *c, const uint32_t *vr, size_t n, int *out) { return *out = ((part *)c)->turns, n == 1 && *vr == TURNS ? OK : ERROR; }
int fmi2SetInteger(void *c, const uint32_t *vr, size_t n, const int *in) { return n == 1 ? set_whole(c, *vr, *in) : ERROR; }
int fmi2GetBoolean(void *c, const uint32_t *vr, size_t n, int *out) { return (void)c, (void)vr, (void)n, *out = 0, ERROR; }
int fmi2SetBoolean(void *c, const uint32_t *vr, size_t n, const int *in) { return n == 1 ? set_whole(c, *vr, *in) : ERROR; }
int fmi2SetString(void *c, const uint32_t *vr, size_t n, const char *const *in) { return n == 1 ? set_text(c, *vr, *in) : ERROR; }
int fmi2EnterEventMode(void *c) { return enter(c, false); }
int fmi2NewDiscreteStates(void *c, event_info *i) { return (void)c, *i = (event_info){ 0 }, OK; }
int fmi2EnterContinuousTimeMode(void *c) { return enter(c, true); }
int fmi2CompletedIntegratorStep(void *c, int n, int *event, int *ends) { return (void)c, (void)n, *event = *ends = 0, OK; }
int fmi2SetTime(void *c, double t) { return (void)c, (void)t, OK; }
int fmi2DoStep(void *c, double t, double h, int n) { return (void)c, (void)t, (void)h, (void)n, OK; }

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
    return (void)c, (void)d, (void)o, (void)t, (void)s, (void)e, OK;
}
int fmi3ExitInitializationMode(void *c) { return (void)c, OK; }
int fmi3Terminate(void *c) { return (void)c, OK; }
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *out, size_t m) { return m == n ? get_reals(c, vr, n, out) : ERROR; }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *in, size_t m) { return m == n ? set_reals(c, vr, n, in) : ERROR; }
int fmi3GetInt32(void *c, const uint32_t *vr, size_t n, int32_t *out, size_t m) { return m == n ? fmi2GetInteger(c, vr, n, out) : ERROR; }
int fmi3SetInt32(void *c, const uint32_t *vr, size_t n, const int32_t *in, size_t m) { return m == 1 && n == 1 ? set_whole(c, *vr, *in) : ERROR; }
int fmi3SetInt64(void *c, const uint32_t *vr, size_t n, const int64_t *in, size_t m) { return m == 1 && n == 1 ? set_whole(c, *vr, *in) : ERROR; }
int fmi3SetBoolean(void *c, const uint32_t *vr, size_t n, const bool *in, size_t m) { return m == 1 && n == 1 ? set_whole(c, *vr, *in) : ERROR; }
int fmi3SetString(void *c, const uint32_t *vr, size_t n, const char *const *in, size_t m) { return m == 1 && n == 1 ? set_text(c, *vr, *in) : ERROR; }
int fmi3EnterEventMode(void *c) { return enter(c, false); }
int fmi3UpdateDiscreteStates(void *c, bool *a, bool *e, bool *n, bool *v, bool *d, double *t)
{
    return (void)c, (void)t, *a = *e = *n = *v = *d = false, OK;
}
int fmi3EnterContinuousTimeMode(void *c) { return enter(c, true); }
int fmi3CompletedIntegratorStep(void *c, bool n, bool *event, bool *ends) { return (void)c, (void)n, *event = *ends = false, OK; }
int fmi3SetTime(void *c, double t) { return (void)c, (void)t, OK; }
int fmi3DoStep(void *c, double t, double h, bool n, bool *event, bool *ends, bool *early, double *last)
{
    return (void)c, (void)n, *event = *ends = *early = false, *last = t + h, OK;
}
