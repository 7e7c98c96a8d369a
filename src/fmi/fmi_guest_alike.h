/* Calls of functions that FMI 2.0 and 3.0 have alike. fmi_guest2.c and fmi_guest3.c include this file, each after its own
 * enumeration and table of names: a function has another number there. */
#ifndef TN_FMI_GUEST_ALIKE_H
#define TN_FMI_GUEST_ALIKE_H

/* Calls function k as int (component, ...). */
#define AS(k, ...) ((int (*)(void *, __VA_ARGS__))function_at(g, k))
#define ALONE(k) ((int (*)(void *))function_at(g, k))

typedef void (*function)(void);
static function function_at(tn_guest *g, int k)
{
    function f;
    memcpy(&f, &g->functions[k], sizeof f);            /* POSIX: functions and data pointers have one representation */
    tn_guest_stage(g, names[k]);
    return f;
}

static int set_time(tn_guest *g, double t)
{
    return AS(SET_TIME, double)(g->instance, t);
}

static int set_states(tn_guest *g, const double *x, size_t n)
{
    return AS(SET_STATES, const double *, size_t)(g->instance, x, n);
}

static int get_states(tn_guest *g, double *x, size_t n)
{
    return AS(GET_STATES, double *, size_t)(g->instance, x, n);
}

static int get_rates(tn_guest *g, double *x, size_t n)
{
    return AS(GET_RATES, double *, size_t)(g->instance, x, n);
}

static int get_indicators(tn_guest *g, double *x, size_t n)
{
    return AS(GET_INDICATORS, double *, size_t)(g->instance, x, n);
}

static int enter_event(tn_guest *g)
{
    return ALONE(ENTER_EVENT)(g->instance);
}

static int enter_continuous(tn_guest *g)
{
    return ALONE(ENTER_CONTINUOUS)(g->instance);
}

#endif
