/* The functions of FMI 3.0 as an importer calls them, in the process of the FMU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fmi_guest.h"

/* Functions that every FMU has come first. */
enum { INSTANTIATE_EXCHANGE, INSTANTIATE_SIMULATION, FREE, ENTER_INITIALIZATION, EXIT_INITIALIZATION, TERMINATE, SET_FLOAT64,
       GET_FLOAT64, NEEDED, SET_FLOAT32 = NEEDED, GET_FLOAT32, SET_INT8, GET_INT8, SET_UINT8, GET_UINT8, SET_INT16, GET_INT16,
       SET_UINT16, GET_UINT16, SET_INT32, GET_INT32, SET_UINT32, GET_UINT32, SET_INT64, GET_INT64, SET_UINT64, GET_UINT64,
       SET_BOOLEAN, GET_BOOLEAN, SAVE, RESTORE, FORGET, DIRECTIONAL, ENTER_EVENT, UPDATE, ENTER_CONTINUOUS, COMPLETED,
       SET_TIME, SET_STATES, GET_STATES, GET_RATES, GET_INDICATORS, STEP, SET_STRING, COUNT };
static const char *const names[COUNT] = {
    "InstantiateModelExchange", "InstantiateCoSimulation", "FreeInstance", "EnterInitializationMode", "ExitInitializationMode",
    "Terminate", "SetFloat64", "GetFloat64", "SetFloat32", "GetFloat32", "SetInt8", "GetInt8", "SetUInt8", "GetUInt8",
    "SetInt16", "GetInt16", "SetUInt16", "GetUInt16", "SetInt32", "GetInt32", "SetUInt32", "GetUInt32", "SetInt64", "GetInt64",
    "SetUInt64", "GetUInt64", "SetBoolean", "GetBoolean", "GetFMUState", "SetFMUState", "FreeFMUState",
    "GetDirectionalDerivative", "EnterEventMode", "UpdateDiscreteStates", "EnterContinuousTimeMode", "CompletedIntegratorStep",
    "SetTime", "SetContinuousStates", "GetContinuousStates", "GetContinuousStateDerivatives", "GetEventIndicators", "DoStep",
    "SetString",
};

#include "fmi_guest_alike.h"

static bool load(tn_guest *g)
{
    return tn_guest_look_up(g, "fmi3", names, COUNT, NEEDED);
}

typedef void (*logger)(void *environment, int status, const char *category, const char *message);

static void take_log(void *environment, int status, const char *category, const char *message)
{
    (void)category;
    tn_guest_say(environment, status, message ? message : "");
}

static bool instantiate(tn_guest *g, const char *resources)
{
    const tn_fmi_description *d = &g->fmi->description;
    char path[600];
    snprintf(path, sizeof path, "%s/", resources);
    if (g->fmi->facts.exchange) {
        void *(*create)(const char *, const char *, const char *, bool, bool, void *, logger);
        function f = function_at(g, INSTANTIATE_EXCHANGE);
        memcpy(&create, &f, sizeof create);
        g->instance = create("tenon", d->token, path, false, true, g, take_log);
    } else {
        void *(*create)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                        logger, void *);
        function f = function_at(g, INSTANTIATE_SIMULATION);
        memcpy(&create, &f, sizeof create);
        g->instance = create("tenon", d->token, path, false, true, false, false, NULL, 0, g, take_log, NULL);
    }
    return g->instance != NULL;
}

static void destroy(tn_guest *g)
{
    ((void (*)(void *))function_at(g, FREE))(g->instance);
}

static int enter_initialization(tn_guest *g, double t)
{
    return AS(ENTER_INITIALIZATION, bool, double, double, bool, double)(g->instance, false, 0, t, false, 0);
}

static int exit_initialization(tn_guest *g)
{
    return ALONE(EXIT_INITIALIZATION)(g->instance);
}

static int terminate(tn_guest *g)
{
    return ALONE(TERMINATE)(g->instance);
}

/* A number of any type; the functions differ in the type of the numbers only. */
typedef union number {
    double f64;
    float f32;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    bool truth;
} number;

static number to_number(tn_fmi_type type, double value)
{
    number n = { .f64 = value };
    const double whole = rint(value);
    switch (type) {
    case TN_FMI_FLOAT32: n.f32 = (float)value; break;
    case TN_FMI_INT8: n.i8 = (int8_t)whole; break;
    case TN_FMI_UINT8: n.u8 = (uint8_t)whole; break;
    case TN_FMI_INT16: n.i16 = (int16_t)whole; break;
    case TN_FMI_UINT16: n.u16 = (uint16_t)whole; break;
    case TN_FMI_INT32: n.i32 = (int32_t)whole; break;
    case TN_FMI_UINT32: n.u32 = (uint32_t)whole; break;
    case TN_FMI_INT64: n.i64 = (int64_t)whole; break;
    case TN_FMI_UINT64: n.u64 = (uint64_t)whole; break;
    case TN_FMI_BOOLEAN: n.truth = value != 0; break;
    default: break;
    }
    return n;
}

static double from_number(tn_fmi_type type, number n)
{
    switch (type) {
    case TN_FMI_FLOAT32: return (double)n.f32;
    case TN_FMI_INT8: return n.i8;
    case TN_FMI_UINT8: return n.u8;
    case TN_FMI_INT16: return n.i16;
    case TN_FMI_UINT16: return n.u16;
    case TN_FMI_INT32: return n.i32;
    case TN_FMI_UINT32: return n.u32;
    case TN_FMI_INT64: return (double)n.i64;
    case TN_FMI_UINT64: return (double)n.u64;
    case TN_FMI_BOOLEAN: return n.truth;
    default: return n.f64;
    }
}

/* Types are in the order of the functions, two for each. */
static int setter(tn_fmi_type type)
{
    return SET_FLOAT64 + 2 * ((int)type - TN_FMI_FLOAT64);
}

/* Bytes of a number. */
static size_t width_of(tn_fmi_type type)
{
    static const size_t widths[] = { [TN_FMI_FLOAT64] = 8, [TN_FMI_FLOAT32] = 4, [TN_FMI_INT8] = 1, [TN_FMI_UINT8] = 1,
                                     [TN_FMI_INT16] = 2, [TN_FMI_UINT16] = 2, [TN_FMI_INT32] = 4, [TN_FMI_UINT32] = 4,
                                     [TN_FMI_INT64] = 8, [TN_FMI_UINT64] = 8, [TN_FMI_BOOLEAN] = sizeof(bool) };
    return widths[type];
}

static int set(tn_guest *g, const tn_fmi_variable *v, const double *values)
{
    const size_t width = width_of(v->type), count = (size_t)v->size;
    if (!g->functions[setter(v->type)])
        return GUEST_ERROR;
    for (size_t k = 0; k < count; k++) {
        number n = to_number(v->type, values[k]);
        memcpy((char *)g->bytes + k * width, &n, width);
    }
    return AS(setter(v->type), const uint32_t *, size_t, const void *, size_t)(g->instance, &v->reference, 1, g->bytes, count);
}

static int get(tn_guest *g, const tn_fmi_variable *v, double *values)
{
    const size_t width = width_of(v->type), count = (size_t)v->size;
    if (!g->functions[setter(v->type) + 1])
        return GUEST_ERROR;
    memset(g->bytes, 0, count * width);
    int status = AS(setter(v->type) + 1, const uint32_t *, size_t, void *, size_t)(g->instance, &v->reference, 1, g->bytes, count);
    for (size_t k = 0; k < count; k++) {
        number n = { .f64 = 0 };
        memcpy(&n, (char *)g->bytes + k * width, width);
        values[k] = from_number(v->type, n);
    }
    return status;
}

static int set_text(tn_guest *g, const tn_fmi_variable *v, const char *text)
{
    if (!g->functions[SET_STRING])
        return GUEST_ERROR;
    return AS(SET_STRING, const uint32_t *, size_t, const char *const *, size_t)(g->instance, &v->reference, 1, &text, 1);
}

static int set_reals(tn_guest *g, const uint32_t *references, size_t count, const double *values)
{
    return AS(SET_FLOAT64, const uint32_t *, size_t, const double *, size_t)(g->instance, references, count, values, count);
}

static int get_reals(tn_guest *g, const uint32_t *references, size_t count, double *values)
{
    return AS(GET_FLOAT64, const uint32_t *, size_t, double *, size_t)(g->instance, references, count, values, count);
}

static int update(tn_guest *g, bool *again, bool *ends, double *next)
{
    bool nominals = false, changed = false, defined = false;
    double time = INFINITY;
    *again = *ends = false;
    int status = AS(UPDATE, bool *, bool *, bool *, bool *, bool *, double *)(g->instance, again, ends, &nominals, &changed,
                                                                              &defined, &time);
    *next = defined ? time : INFINITY;
    return status;
}

static int completed(tn_guest *g, bool *event, bool *ends)
{
    *event = *ends = false;
    return AS(COMPLETED, bool, bool *, bool *)(g->instance, false, event, ends);
}

static int set_input_rates(tn_guest *g, const uint32_t *references, size_t count, const double *rates)
{
    (void)g, (void)references, (void)count, (void)rates;       /* 3.0 has intermediate updates instead */
    return GUEST_OK;
}

static int step_guest3(tn_guest *g, double t, double h, bool *ends, double *reached)
{
    bool event = false, early = false;
    *ends = false;
    *reached = t + h;
    return AS(STEP, double, double, bool, bool *, bool *, bool *, double *)(g->instance, t, h, false, &event, ends, &early,
                                                                            reached);
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
    return AS(DIRECTIONAL, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *, size_t)(
        g->instance, unknowns, n, &known, 1, &one, 1, change, n);
}

const tn_guest_calls tn_guest_calls_3 = {
    load, instantiate, destroy, enter_initialization, exit_initialization, terminate, set, get, set_text, set_reals, get_reals, set_time,
    set_states, get_states, get_rates, get_indicators, enter_event, update, enter_continuous, completed, set_input_rates, step_guest3,
    save, restore, forget, directional,
};
