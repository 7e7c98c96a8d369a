/* The functions of FMI 3.0: call order, translation, all output arguments always filled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "instance.h"

#define EXPORT __attribute__((visibility("default")))

typedef void *instance;
typedef uint32_t reference;
typedef const char *text;
typedef const uint8_t *binary;
typedef void (*log_message)(void *environment, int status, text category, text message);
typedef void (*intermediate_update)(void *environment, double time, bool set, bool get, bool finished, bool can_return,
                                    bool *requested, double *return_time);

typedef struct importer {
    log_message log;
    void *environment;
} importer;

static void hand_on(void *user, fmu_status status, const char *category, const char *message)
{
    const importer *i = user;
    if (i->log)
        i->log(i->environment, (int)status, category, message);
}

enum { ANY = FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_TERMINATED |
             FMU_CONFIGURATION };

static bool may(fmu *f, int modes, const char *function)
{
    if (!f)
        return false;
    if (f->mode & (unsigned)modes)
        return true;
    fmu_say(f, FMU_ERROR, "logStatusError", "%s is not allowed now", function);
    return false;
}

#define MAY(modes) do { if (!may(c, (modes), __func__)) return FMU_ERROR; } while (0)

EXPORT text fmi3GetVersion(void);
EXPORT fmu_status fmi3SetDebugLogging(instance c, bool on, size_t count, const text categories[]);
EXPORT instance fmi3InstantiateModelExchange(text name, text token, text resource, bool visible, bool logging,
                                             void *environment, log_message log);
EXPORT instance fmi3InstantiateCoSimulation(text name, text token, text resource, bool visible, bool logging, bool event_mode,
                                            bool early_return, const reference required[], size_t count, void *environment,
                                            log_message log, intermediate_update update);
EXPORT instance fmi3InstantiateScheduledExecution(text name, text token, text resource, bool visible, bool logging,
                                                  void *environment, log_message log, void (*clock)(void *),
                                                  void (*lock)(void), void (*unlock)(void));
EXPORT void fmi3FreeInstance(instance c);
EXPORT fmu_status fmi3EnterInitializationMode(instance c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
                                       double stop);
EXPORT fmu_status fmi3ExitInitializationMode(instance c);
EXPORT fmu_status fmi3EnterEventMode(instance c);
EXPORT fmu_status fmi3Terminate(instance c);
EXPORT fmu_status fmi3Reset(instance c);
EXPORT fmu_status fmi3GetFloat64(instance c, const reference vr[], size_t n, double value[], size_t count);
EXPORT fmu_status fmi3SetFloat64(instance c, const reference vr[], size_t n, const double value[], size_t count);
EXPORT fmu_status fmi3GetBinary(instance c, const reference vr[], size_t n, size_t sizes[], binary value[], size_t count);
EXPORT fmu_status fmi3SetBinary(instance c, const reference vr[], size_t n, const size_t sizes[], const binary value[], size_t count);
EXPORT fmu_status fmi3GetClock(instance c, const reference vr[], size_t n, bool value[]);
EXPORT fmu_status fmi3SetClock(instance c, const reference vr[], size_t n, const bool value[]);
EXPORT fmu_status fmi3GetNumberOfVariableDependencies(instance c, reference vr, size_t *count);
EXPORT fmu_status fmi3GetVariableDependencies(instance c, reference vr, size_t dependent[], reference independent[],
                                       size_t elements[], int kinds[], size_t count);
EXPORT fmu_status fmi3GetFMUState(instance c, void **state);
EXPORT fmu_status fmi3SetFMUState(instance c, void *state);
EXPORT fmu_status fmi3FreeFMUState(instance c, void **state);
EXPORT fmu_status fmi3SerializedFMUStateSize(instance c, void *state, size_t *size);
EXPORT fmu_status fmi3SerializeFMUState(instance c, void *state, uint8_t bytes[], size_t size);
EXPORT fmu_status fmi3DeserializeFMUState(instance c, const uint8_t bytes[], size_t size, void **state);
EXPORT fmu_status fmi3GetDirectionalDerivative(instance c, const reference unknown[], size_t unknowns, const reference known[],
                                        size_t knowns, const double seed[], size_t seeds, double change[], size_t changes);
EXPORT fmu_status fmi3GetAdjointDerivative(instance c, const reference unknown[], size_t unknowns, const reference known[],
                                    size_t knowns, const double seed[], size_t seeds, double change[], size_t changes);
EXPORT fmu_status fmi3EnterConfigurationMode(instance c);
EXPORT fmu_status fmi3ExitConfigurationMode(instance c);
EXPORT fmu_status fmi3GetIntervalDecimal(instance c, const reference vr[], size_t n, double interval[], int qualifier[]);
EXPORT fmu_status fmi3GetIntervalFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[],
                                   int qualifier[]);
EXPORT fmu_status fmi3GetShiftDecimal(instance c, const reference vr[], size_t n, double shift[]);
EXPORT fmu_status fmi3GetShiftFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[]);
EXPORT fmu_status fmi3SetIntervalDecimal(instance c, const reference vr[], size_t n, const double interval[]);
EXPORT fmu_status fmi3SetIntervalFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                                   const uint64_t resolution[]);
EXPORT fmu_status fmi3SetShiftDecimal(instance c, const reference vr[], size_t n, const double shift[]);
EXPORT fmu_status fmi3SetShiftFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                                const uint64_t resolution[]);
EXPORT fmu_status fmi3EvaluateDiscreteStates(instance c);
EXPORT fmu_status fmi3UpdateDiscreteStates(instance c, bool *again, bool *terminate, bool *nominals, bool *values, bool *defined,
                                    double *next);
EXPORT fmu_status fmi3EnterContinuousTimeMode(instance c);
EXPORT fmu_status fmi3CompletedIntegratorStep(instance c, bool no_prior, bool *event, bool *terminate);
EXPORT fmu_status fmi3SetTime(instance c, double time);
EXPORT fmu_status fmi3SetContinuousStates(instance c, const double x[], size_t n);
EXPORT fmu_status fmi3GetContinuousStateDerivatives(instance c, double x[], size_t n);
EXPORT fmu_status fmi3GetEventIndicators(instance c, double x[], size_t n);
EXPORT fmu_status fmi3GetContinuousStates(instance c, double x[], size_t n);
EXPORT fmu_status fmi3GetNominalsOfContinuousStates(instance c, double x[], size_t n);
EXPORT fmu_status fmi3GetNumberOfEventIndicators(instance c, size_t *n);
EXPORT fmu_status fmi3GetNumberOfContinuousStates(instance c, size_t *n);
EXPORT fmu_status fmi3EnterStepMode(instance c);
EXPORT fmu_status fmi3GetOutputDerivatives(instance c, const reference vr[], size_t n, const int32_t order[], double value[],
                                    size_t count);
EXPORT fmu_status fmi3DoStep(instance c, double time, double step, bool no_prior, bool *event, bool *terminate, bool *early,
                      double *last);
EXPORT fmu_status fmi3ActivateModelPartition(instance c, reference clock, double time);

text fmi3GetVersion(void)
{
    return "3.0";
}

fmu_status fmi3SetDebugLogging(instance c, bool on, size_t count, const text categories[])
{
    fmu *f = c;
    (void)count;
    (void)categories;
    MAY(ANY);
    f->logging = on;
    return FMU_OK;
}

static instance instantiate(text name, text token, text resource, bool exchange, bool logging, void *environment,
                            log_message log)
{
    importer *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    *i = (importer){ log, environment };
    fmu *f = name && name[0] ? fmu_create(token, resource, exchange, hand_on, i, i, logging) : NULL;
    if (!f)
        free(i);
    return f;
}

instance fmi3InstantiateModelExchange(text name, text token, text resource, bool visible, bool logging, void *environment,
                                      log_message log)
{
    (void)visible;
    return instantiate(name, token, resource, true, logging, environment, log);
}

instance fmi3InstantiateCoSimulation(text name, text token, text resource, bool visible, bool logging, bool event_mode,
                                     bool early_return, const reference required[], size_t count, void *environment,
                                     log_message log, intermediate_update update)
{
    (void)visible;
    (void)early_return;
    (void)required;
    (void)update;
    if (event_mode || count > 0) {
        if (log)
            log(environment, FMU_ERROR, "logStatusError", "this FMU has neither event mode nor intermediate updates");
        return NULL;
    }
    return instantiate(name, token, resource, false, logging, environment, log);
}

instance fmi3InstantiateScheduledExecution(text name, text token, text resource, bool visible, bool logging,
                                           void *environment, log_message log, void (*clock)(void *), void (*lock)(void),
                                           void (*unlock)(void))
{
    (void)name;
    (void)token;
    (void)resource;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    if (log)
        log(environment, FMU_ERROR, "logStatusError", "this FMU has no scheduled execution");
    return NULL;
}

void fmi3FreeInstance(instance c)
{
    fmu_destroy(c);
}

fmu_status fmi3EnterInitializationMode(instance c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
                                double stop)
{
    fmu *f = c;
    (void)tolerance_defined;
    (void)tolerance;
    MAY(FMU_INSTANTIATED);
    if (!isfinite(start) || (stop_defined && !(stop >= start)))
        return fmu_say(f, FMU_ERROR, "logStatusError", "start or stop time is wrong");
    if (f->session && f->start != start)
        f->parameters_changed = true;                  /* the session begins at another time */
    f->start = f->time = start;
    fmu_status status = fmu_ready(f);
    if (status == FMU_OK)
        f->mode = FMU_INITIALIZATION;
    return status;
}

fmu_status fmi3ExitInitializationMode(instance c)
{
    fmu *f = c;
    MAY(FMU_INITIALIZATION);
    fmu_status status = fmu_ready(f);
    if (status == FMU_OK)
        f->mode = f->exchange ? FMU_EVENT : FMU_STEP;
    f->values_known = f->rates_known = false;
    return status;
}

fmu_status fmi3EnterEventMode(instance c)
{
    fmu *f = c;
    MAY(FMU_CONTINUOUS);
    f->mode = FMU_EVENT;
    return FMU_OK;
}

fmu_status fmi3Terminate(instance c)
{
    fmu *f = c;
    MAY(FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
    f->mode = FMU_TERMINATED;
    return FMU_OK;
}

fmu_status fmi3Reset(instance c)
{
    MAY(ANY | FMU_FAILED);
    return fmu_reset(c);
}

fmu_status fmi3GetFloat64(instance c, const reference vr[], size_t n, double value[], size_t count)
{
    fmu_status worst = FMU_OK;
    MAY(ANY);
    if (n != count)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    for (size_t k = 0; k < n; k++) {
        fmu_status status = fmu_get(c, vr[k], &value[k]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

fmu_status fmi3SetFloat64(instance c, const reference vr[], size_t n, const double value[], size_t count)
{
    fmu_status worst = FMU_OK;
    MAY(FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
    if (n != count)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    for (size_t k = 0; k < n; k++) {
        fmu_status status = fmu_set(c, vr[k], value[k]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static fmu_status only_floats(instance c, size_t n)
{
    MAY(ANY);
    return n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "logStatusError", "all variables are of type Float64");
}

/* The other types of the standard: no variable has one. */
#define TYPE(Name, type) \
    EXPORT fmu_status fmi3Get##Name(instance c, const reference vr[], size_t n, type value[], size_t count); \
    EXPORT fmu_status fmi3Set##Name(instance c, const reference vr[], size_t n, const type value[], size_t count); \
    fmu_status fmi3Get##Name(instance c, const reference vr[], size_t n, type value[], size_t count) \
    { \
        (void)vr; \
        (void)value; \
        (void)count; \
        return only_floats(c, n); \
    } \
    fmu_status fmi3Set##Name(instance c, const reference vr[], size_t n, const type value[], size_t count) \
    { \
        (void)vr; \
        (void)value; \
        (void)count; \
        return only_floats(c, n); \
    }
TYPE(Float32, float)
TYPE(Int8, int8_t)
TYPE(UInt8, uint8_t)
TYPE(Int16, int16_t)
TYPE(UInt16, uint16_t)
TYPE(Int32, int32_t)
TYPE(UInt32, uint32_t)
TYPE(Int64, int64_t)
TYPE(UInt64, uint64_t)
TYPE(Boolean, bool)
TYPE(String, text)

fmu_status fmi3GetBinary(instance c, const reference vr[], size_t n, size_t sizes[], binary value[], size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    (void)count;
    return only_floats(c, n);
}

fmu_status fmi3SetBinary(instance c, const reference vr[], size_t n, const size_t sizes[], const binary value[], size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    (void)count;
    return only_floats(c, n);
}

fmu_status fmi3GetClock(instance c, const reference vr[], size_t n, bool value[])
{
    (void)vr;
    (void)value;
    return only_floats(c, n);
}

fmu_status fmi3SetClock(instance c, const reference vr[], size_t n, const bool value[])
{
    (void)vr;
    (void)value;
    return only_floats(c, n);
}

static fmu_status not_offered(instance c, const char *what)
{
    return c ? fmu_say(c, FMU_ERROR, "logStatusError", "this FMU has no %s", what) : FMU_ERROR;
}

fmu_status fmi3GetNumberOfVariableDependencies(instance c, reference vr, size_t *count)
{
    (void)vr;
    *count = 0;
    return not_offered(c, "dependencies that change");
}

fmu_status fmi3GetVariableDependencies(instance c, reference vr, size_t dependent[], reference independent[], size_t elements[],
                                int kinds[], size_t count)
{
    (void)vr;
    (void)dependent;
    (void)independent;
    (void)elements;
    (void)kinds;
    (void)count;
    return not_offered(c, "dependencies that change");
}

/* ---- states ---- */

fmu_status fmi3GetFMUState(instance c, void **state)
{
    MAY(ANY);
    fmu_saved *saved = fmu_save(c);
    if (!saved)
        return fmu_say(c, FMU_ERROR, "logStatusError", "the state cannot be saved");
    fmu_saved_free(*state);
    *state = saved;
    return FMU_OK;
}

fmu_status fmi3SetFMUState(instance c, void *state)
{
    MAY(ANY);
    return state ? fmu_restore(c, state) : fmu_say(c, FMU_ERROR, "logStatusError", "there is no state");
}

fmu_status fmi3FreeFMUState(instance c, void **state)
{
    MAY(ANY | FMU_FAILED);
    if (state) {
        fmu_saved_free(*state);
        *state = NULL;
    }
    return FMU_OK;
}

fmu_status fmi3SerializedFMUStateSize(instance c, void *state, size_t *size)
{
    MAY(ANY);
    char *bytes = state ? fmu_saved_write(state) : NULL;
    *size = bytes ? strlen(bytes) : 0;
    free(bytes);
    return bytes ? FMU_OK : FMU_ERROR;
}

fmu_status fmi3SerializeFMUState(instance c, void *state, uint8_t bytes[], size_t size)
{
    MAY(ANY);
    char *written = state ? fmu_saved_write(state) : NULL;
    bool good = written && strlen(written) <= size;
    if (good)
        memcpy(bytes, written, strlen(written));
    free(written);
    return good ? FMU_OK : fmu_say(c, FMU_ERROR, "logStatusError", "there is not enough room for the state");
}

fmu_status fmi3DeserializeFMUState(instance c, const uint8_t bytes[], size_t size, void **state)
{
    MAY(ANY);
    fmu_saved *saved = fmu_saved_read(c, (const char *)bytes, size);
    if (!saved)
        return FMU_ERROR;
    fmu_saved_free(*state);
    *state = saved;
    return FMU_OK;
}

/* ---- derivatives ---- */

enum { DERIVING = FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_TERMINATED };

fmu_status fmi3GetDirectionalDerivative(instance c, const reference unknown[], size_t unknowns, const reference known[],
                                 size_t knowns, const double seed[], size_t seeds, double change[], size_t changes)
{
    MAY(DERIVING);
    if (seeds != knowns || changes != unknowns)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    return fmu_directional(c, unknown, unknowns, known, knowns, seed, change);
}

/* One directional derivative for each known; the seeds weigh the unknowns. */
fmu_status fmi3GetAdjointDerivative(instance c, const reference unknown[], size_t unknowns, const reference known[], size_t knowns,
                             const double seed[], size_t seeds, double change[], size_t changes)
{
    MAY(DERIVING);
    if (seeds != unknowns || changes != knowns)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    double *column = calloc(unknowns + 1, sizeof *column);
    fmu_status status = column ? FMU_OK : FMU_ERROR;
    for (size_t k = 0; k < knowns && status == FMU_OK; k++) {
        const double one = 1;
        status = fmu_directional(c, unknown, unknowns, &known[k], 1, &one, column);
        change[k] = 0;
        for (size_t i = 0; i < unknowns && status == FMU_OK; i++)
            change[k] += seed[i] * column[i];
    }
    free(column);
    return status;
}

/* ---- configuration and clocks: none ---- */

fmu_status fmi3EnterConfigurationMode(instance c)
{
    return not_offered(c, "structural parameters");
}

fmu_status fmi3ExitConfigurationMode(instance c)
{
    return not_offered(c, "structural parameters");
}

fmu_status fmi3GetIntervalDecimal(instance c, const reference vr[], size_t n, double interval[], int qualifier[])
{
    (void)vr;
    (void)interval;
    (void)qualifier;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3GetIntervalFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[],
                            int qualifier[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    (void)qualifier;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3GetShiftDecimal(instance c, const reference vr[], size_t n, double shift[])
{
    (void)vr;
    (void)shift;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3GetShiftFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3SetIntervalDecimal(instance c, const reference vr[], size_t n, const double interval[])
{
    (void)vr;
    (void)interval;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3SetIntervalFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                            const uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3SetShiftDecimal(instance c, const reference vr[], size_t n, const double shift[])
{
    (void)vr;
    (void)shift;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

fmu_status fmi3SetShiftFraction(instance c, const reference vr[], size_t n, const uint64_t counter[], const uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : not_offered(c, "clocks");
}

/* ---- model exchange ---- */

fmu_status fmi3EvaluateDiscreteStates(instance c)
{
    MAY(FMU_INITIALIZATION | FMU_EVENT);
    return FMU_OK;
}

fmu_status fmi3UpdateDiscreteStates(instance c, bool *again, bool *terminate, bool *nominals, bool *values, bool *defined,
                             double *next)
{
    *again = *terminate = *nominals = *values = *defined = false;
    *next = 0;
    MAY(FMU_EVENT);
    return fmu_correct(c, values);
}

fmu_status fmi3EnterContinuousTimeMode(instance c)
{
    fmu *f = c;
    MAY(FMU_EVENT);
    if (!f->exchange)
        return fmu_say(f, FMU_ERROR, "logStatusError", "continuous-time mode belongs to model exchange");
    f->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

fmu_status fmi3CompletedIntegratorStep(instance c, bool no_prior, bool *event, bool *terminate)
{
    (void)no_prior;
    *event = *terminate = false;
    MAY(FMU_CONTINUOUS);
    return fmu_completed(c, event);
}

fmu_status fmi3SetTime(instance c, double time)
{
    MAY(FMU_CONTINUOUS | FMU_EVENT);
    return fmu_set_time(c, time);
}

static fmu_status check_length(fmu *f, size_t n)
{
    return n == f->state_count ? FMU_OK : fmu_say(f, FMU_ERROR, "logStatusError", "there are %zu continuous states, not "
                                                       "%zu", f->state_count, n);
}

fmu_status fmi3SetContinuousStates(instance c, const double x[], size_t n)
{
    MAY(FMU_CONTINUOUS);
    return check_length(c, n) == FMU_OK ? fmu_set_states(c, x) : FMU_ERROR;
}

fmu_status fmi3GetContinuousStateDerivatives(instance c, double x[], size_t n)
{
    fmu *f = c;
    MAY(FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    if (check_length(f, n) != FMU_OK)
        return FMU_ERROR;
    fmu_status status = fmu_rates(f);
    if (status == FMU_OK)
        memcpy(x, f->rate, n * sizeof *x);
    return status;
}

fmu_status fmi3GetEventIndicators(instance c, double x[], size_t n)
{
    (void)x;
    MAY(FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return n == 0 ? FMU_OK : not_offered(c, "event indicators");
}

fmu_status fmi3GetContinuousStates(instance c, double x[], size_t n)
{
    fmu *f = c;
    MAY(FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    if (fmu_ready(f) != FMU_OK || check_length(f, n) != FMU_OK)
        return FMU_ERROR;
    memcpy(x, f->y, n * sizeof *x);
    return FMU_OK;
}

fmu_status fmi3GetNominalsOfContinuousStates(instance c, double x[], size_t n)
{
    fmu *f = c;
    MAY(ANY);
    if (fmu_ready(f) != FMU_OK || check_length(f, n) != FMU_OK)
        return FMU_ERROR;
    for (size_t k = 0; k < n; k++)
        x[k] = 1;
    return FMU_OK;
}

fmu_status fmi3GetNumberOfEventIndicators(instance c, size_t *n)
{
    *n = 0;
    MAY(ANY);
    return FMU_OK;
}

fmu_status fmi3GetNumberOfContinuousStates(instance c, size_t *n)
{
    fmu *f = c;
    *n = 0;
    MAY(ANY);
    fmu_status status = fmu_ready(f);
    *n = status == FMU_OK ? f->state_count : 0;
    return status;
}

/* ---- co-simulation ---- */

fmu_status fmi3EnterStepMode(instance c)
{
    return not_offered(c, "event mode in co-simulation");
}

fmu_status fmi3GetOutputDerivatives(instance c, const reference vr[], size_t n, const int32_t order[], double value[], size_t count)
{
    (void)vr;
    (void)order;
    MAY(FMU_STEP | FMU_TERMINATED);
    for (size_t k = 0; k < count; k++)
        value[k] = 0;
    return n == 0 ? FMU_OK : not_offered(c, "derivatives of outputs");
}

fmu_status fmi3DoStep(instance c, double time, double step, bool no_prior, bool *event, bool *terminate, bool *early, double *last)
{
    fmu *f = c;
    (void)no_prior;
    *event = *terminate = *early = false;
    *last = f ? f->last_time : time;
    MAY(FMU_STEP);
    fmu_status status = fmu_step(f, time, step);
    *last = f->stopped || status == FMU_DISCARD ? f->last_time : f->time;
    *terminate = f->stopped;
    return f->stopped ? FMU_OK : status;
}

fmu_status fmi3ActivateModelPartition(instance c, reference clock, double time)
{
    (void)clock;
    (void)time;
    return not_offered(c, "clocks");
}
