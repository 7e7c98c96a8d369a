/* The functions of FMI 2.0 as an importer calls them, in the process of the FMU. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fmi_guest.h"

typedef struct callbacks {
    void (*log)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;

typedef struct event_info {
    int again, ends, nominals_changed, states_changed, next_defined;
    double next;
} event_info;

/* Functions that every FMU has come first. */
enum { INSTANTIATE, FREE, SETUP, ENTER_INITIALIZATION, EXIT_INITIALIZATION, TERMINATE, SET_REAL, GET_REAL, SET_INTEGER,
       GET_INTEGER, SET_BOOLEAN, GET_BOOLEAN, NEEDED, SAVE = NEEDED, RESTORE, FORGET, DIRECTIONAL, ENTER_EVENT, UPDATE,
       ENTER_CONTINUOUS, COMPLETED, SET_TIME, SET_STATES, GET_STATES, GET_RATES, GET_INDICATORS, SET_INPUT_RATES, STEP,
       REAL_STATUS, SET_STRING, COUNT };
static const char *const names[COUNT] = {
    "Instantiate", "FreeInstance", "SetupExperiment", "EnterInitializationMode", "ExitInitializationMode", "Terminate",
    "SetReal", "GetReal", "SetInteger", "GetInteger", "SetBoolean", "GetBoolean", "GetFMUstate", "SetFMUstate",
    "FreeFMUstate", "GetDirectionalDerivative", "EnterEventMode", "NewDiscreteStates", "EnterContinuousTimeMode",
    "CompletedIntegratorStep", "SetTime", "SetContinuousStates", "GetContinuousStates", "GetDerivatives",
    "GetEventIndicators", "SetRealInputDerivatives", "DoStep", "GetRealStatus", "SetString",
};

#include "fmi_guest_alike.h"

static bool load(tn_guest *g)
{
    return tn_guest_look_up(g, "fmi2", names, COUNT, NEEDED);
}

static void take_log(void *environment, const char *instance, int status, const char *category, const char *message, ...)
{
    char text[TN_FMI_TROUBLE];
    va_list list;
    (void)instance, (void)category;
    va_start(list, message);
    vsnprintf(text, sizeof text, message ? message : "", list);
    va_end(list);
    tn_guest_say(environment, status, text);
}

static bool instantiate(tn_guest *g, const char *resources)
{
    const tn_fmi_description *d = &g->fmi->description;
    callbacks *c = calloc(1, sizeof *c);
    char *uri = malloc(3 * strlen(resources) + 16);
    if (!c || !uri) {
        free(c);
        free(uri);
        return false;
    }
    *c = (callbacks){ .log = take_log, .allocate = calloc, .release = free, .environment = g };
    g->more = c;
    size_t used = (size_t)sprintf(uri, "file://");
    for (const char *p = resources; *p; p++)
        used += (size_t)sprintf(uri + used, strchr("/._-", *p) || (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                                            (*p >= 'a' && *p <= 'z') ? "%c" : "%%%02X", (unsigned char)*p);
    void *(*create)(const char *, int, const char *, const char *, const callbacks *, int, int);
    function f = function_at(g, INSTANTIATE);
    memcpy(&create, &f, sizeof create);
    g->instance = create("tenon", g->fmi->facts.exchange ? 0 : 1, d->token, uri, c, 0, 1);
    return g->instance != NULL;
}

static void destroy(tn_guest *g)
{
    ((void (*)(void *))function_at(g, FREE))(g->instance);
}

static int enter_initialization(tn_guest *g, double t)
{
    int status = AS(SETUP, int, double, double, int, double)(g->instance, 0, 0, t, 0, 0);
    return status > GUEST_WARNING ? status : ALONE(ENTER_INITIALIZATION)(g->instance);
}

static int exit_initialization(tn_guest *g)
{
    return ALONE(EXIT_INITIALIZATION)(g->instance);
}

static int terminate(tn_guest *g)
{
    return ALONE(TERMINATE)(g->instance);
}

static int set(tn_guest *g, const tn_fmi_variable *v, const double *value)
{
    int whole = (int)lrint(*value);
    if (v->type == TN_FMI_FLOAT64)
        return AS(SET_REAL, const uint32_t *, size_t, const double *)(g->instance, &v->reference, 1, value);
    if (v->type == TN_FMI_BOOLEAN)
        whole = *value != 0;
    return AS(v->type == TN_FMI_BOOLEAN ? SET_BOOLEAN : SET_INTEGER, const uint32_t *, size_t, const int *)(
        g->instance, &v->reference, 1, &whole);
}

static int get(tn_guest *g, const tn_fmi_variable *v, double *value)
{
    int whole = 0;
    if (v->type == TN_FMI_FLOAT64)
        return AS(GET_REAL, const uint32_t *, size_t, double *)(g->instance, &v->reference, 1, value);
    int status = AS(v->type == TN_FMI_BOOLEAN ? GET_BOOLEAN : GET_INTEGER, const uint32_t *, size_t, int *)(
        g->instance, &v->reference, 1, &whole);
    *value = whole;
    return status;
}

static int set_text(tn_guest *g, const tn_fmi_variable *v, const char *text)
{
    if (!g->functions[SET_STRING])
        return GUEST_ERROR;
    return AS(SET_STRING, const uint32_t *, size_t, const char *const *)(g->instance, &v->reference, 1, &text);
}

static int set_reals(tn_guest *g, const uint32_t *references, size_t count, const double *values)
{
    return AS(SET_REAL, const uint32_t *, size_t, const double *)(g->instance, references, count, values);
}

static int get_reals(tn_guest *g, const uint32_t *references, size_t count, double *values)
{
    return AS(GET_REAL, const uint32_t *, size_t, double *)(g->instance, references, count, values);
}

static int update(tn_guest *g, bool *again, bool *ends, double *next)
{
    event_info info = { 0 };
    int status = AS(UPDATE, event_info *)(g->instance, &info);
    *again = info.again != 0;
    *ends = info.ends != 0;
    *next = info.next_defined ? info.next : INFINITY;
    return status;
}

static int completed(tn_guest *g, bool *event, bool *ends)
{
    int enter = 0, stop = 0;
    int status = AS(COMPLETED, int, int *, int *)(g->instance, 0, &enter, &stop);
    *event = enter != 0;
    *ends = stop != 0;
    return status;
}

static int set_input_rates(tn_guest *g, const uint32_t *references, size_t count, const double *rates)
{
    static const int first = 1;
    int status = GUEST_OK;
    for (size_t k = 0; k < count && status <= GUEST_WARNING; k++)
        status = AS(SET_INPUT_RATES, const uint32_t *, size_t, const int *, const double *)(
            g->instance, &references[k], 1, &first, &rates[k]);
    return status;
}

static int step_guest2(tn_guest *g, double t, double h, bool *ends, double *reached)
{
    enum { LAST_SUCCESSFUL_TIME = 2 };
    *ends = false;
    *reached = t + h;
    int status = AS(STEP, double, double, int)(g->instance, t, h, 0);
    if (status == GUEST_DISCARD && g->functions[REAL_STATUS]) {
        AS(REAL_STATUS, int, double *)(g->instance, LAST_SUCCESSFUL_TIME, reached);
        tn_guest_stage(g, names[STEP]);                /* messages are about the step */
    }
    return status;
}

static int save(tn_guest *g, void **state)
{
    return AS(SAVE, void **)(g->instance, state);
}

static int restore(tn_guest *g, void *state)
{
    return AS(RESTORE, void *)(g->instance, state);
}

static int forget(tn_guest *g, void **state)
{
    return AS(FORGET, void **)(g->instance, state);
}

static int directional(tn_guest *g, const uint32_t *unknowns, size_t n, uint32_t known, double *change)
{
    static const double one = 1;
    return AS(DIRECTIONAL, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *)(
        g->instance, unknowns, n, &known, 1, &one, change);
}

const tn_guest_calls tn_guest_calls_2 = {
    load, instantiate, destroy, enter_initialization, exit_initialization, terminate, set, get, set_text, set_reals, get_reals, set_time,
    set_states, get_states, get_rates, get_indicators, enter_event, update, enter_continuous, completed, set_input_rates, step_guest2,
    save, restore, forget, directional,
};
