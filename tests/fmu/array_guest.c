/* An FMU of FMI 3.0 whose variables are arrays, both kinds, for the tests of the importer. Written from the standard; no line of
 * the engine. It refuses every list of values whose length is not that of the variables.
 *
 *     x' = gain u - x  (three of each)        y = 2 x + u        corners = | 1 2 |  + steps of co-simulation
 *                                                                          | 3 4 |                              */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, X, DER_X, U, Y, CORNERS, GAIN, SIZE, VARIABLES };
enum { OK, WARNING, DISCARD, ERROR };
static const size_t LENGTH[VARIABLES] = { 1, 3, 3, 3, 3, 4, 3, 1 };

typedef struct part {
    double value[VARIABLES][4];
} part;

static void *create(const char *token)
{
    part *p = token && strcmp(token, "{arrays}") == 0 ? calloc(1, sizeof *p) : NULL;
    for (int k = 0; p && k < 3; k++)
        p->value[GAIN][k] = k + 1;
    return p;
}

static void derive(part *p)
{
    for (int k = 0; k < 3; k++) {
        p->value[DER_X][k] = p->value[GAIN][k] * p->value[U][k] - p->value[X][k];
        p->value[Y][k] = 2 * p->value[X][k] + p->value[U][k];
    }
}

static size_t length_of(const uint32_t *vr, size_t n)
{
    size_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += vr[k] < VARIABLES ? LENGTH[vr[k]] : 1000;
    return sum;
}

void *fmi3InstantiateModelExchange(const char *n, const char *token, const char *r, bool v, bool l, void *e, void *log)
{
    (void)n, (void)r, (void)v, (void)l, (void)e, (void)log;
    return create(token);
}
void *fmi3InstantiateCoSimulation(const char *n, const char *token, const char *r, bool v, bool l, bool ev, bool ea,
                                  const uint32_t *q, size_t nq, void *e, void *log, void *im)
{
    (void)n, (void)r, (void)v, (void)l, (void)ev, (void)ea, (void)q, (void)nq, (void)e, (void)log, (void)im;
    return create(token);
}
void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(void *c, bool d, double o, double t, bool s, double e)
{
    (void)d, (void)o, (void)s, (void)e;
    ((part *)c)->value[TIME][0] = t;
    return OK;
}
int fmi3ExitInitializationMode(void *c) { (void)c; return OK; }
int fmi3Terminate(void *c) { (void)c; return OK; }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *x, size_t m)
{
    if (m != length_of(vr, n))
        return ERROR;
    for (size_t k = 0; k < n; x += LENGTH[vr[k++]])
        memcpy(((part *)c)->value[vr[k]], x, LENGTH[vr[k]] * sizeof *x);
    return OK;
}
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *x, size_t m)
{
    if (m != length_of(vr, n))
        return ERROR;
    derive(c);
    for (size_t k = 0; k < n; x += LENGTH[vr[k++]])
        memcpy(x, ((part *)c)->value[vr[k]], LENGTH[vr[k]] * sizeof *x);
    return OK;
}
int fmi3GetInt16(void *c, const uint32_t *vr, size_t n, int16_t *x, size_t m)
{
    if (n != 1 || vr[0] != CORNERS || m != 4)
        return ERROR;
    for (int k = 0; k < 4; k++)
        x[k] = (int16_t)(k + 1 + ((part *)c)->value[CORNERS][0]);
    return OK;
}
int fmi3EnterEventMode(void *c) { (void)c; return OK; }
int fmi3UpdateDiscreteStates(void *c, bool *again, bool *ends, bool *nominals, bool *changed, bool *defined, double *next)
{
    (void)c;
    *again = *ends = *nominals = *changed = *defined = false;
    *next = 0;
    return OK;
}
int fmi3EnterContinuousTimeMode(void *c) { (void)c; return OK; }
int fmi3CompletedIntegratorStep(void *c, bool p, bool *e, bool *t) { (void)c, (void)p; *e = *t = false; return OK; }
int fmi3SetTime(void *c, double t) { ((part *)c)->value[TIME][0] = t; return OK; }
int fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    memcpy(((part *)c)->value[X], x, 3 * sizeof *x);
    return n == 3 ? OK : ERROR;
}
int fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    memcpy(x, ((part *)c)->value[X], 3 * sizeof *x);
    return n == 3 ? OK : ERROR;
}
int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t n)
{
    derive(c);
    memcpy(x, ((part *)c)->value[DER_X], 3 * sizeof *x);
    return n == 3 ? OK : ERROR;
}
int fmi3DoStep(void *c, double t, double h, bool p, bool *event, bool *ends, bool *early, double *last)
{
    part *b = c;
    (void)p;
    *event = *ends = *early = false;
    for (int k = 0; k < 3; k++) {
        const double end = b->value[GAIN][k] * b->value[U][k];
        b->value[X][k] = end + (b->value[X][k] - end) * exp(-h);
    }
    b->value[CORNERS][0]++;
    *last = b->value[TIME][0] = t + h;
    return OK;
}
