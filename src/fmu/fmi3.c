/* The functions of FMI 3.0: call order, translation, all output arguments always filled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fmi3.h"

typedef void (*intermediate_update)(void *environment, double time, bool set, bool get, bool finished, bool can_return,
                                    bool *requested, double *return_time);

typedef struct importer {
    log_message log;
    void *environment;
    intermediate_update update;
} importer;

static void hand_on(void *user, fmu_status status, const char *category, const char *message)
{
    const importer *i = user;
    if (i->log)
        i->log(i->environment, (int)status, category, message);
}

EXPORT text fmi3GetVersion(void);
EXPORT fmu_status fmi3SetDebugLogging(instance c, bool on, size_t count, const text categories[]);
EXPORT instance fmi3InstantiateModelExchange(text name, text token, text resource, bool visible, bool logging,
                                             void *environment, log_message log);
EXPORT instance fmi3InstantiateCoSimulation(text name, text token, text resource, bool visible, bool logging, bool event_mode,
                                            bool early_return, const reference required[], size_t count, void *environment,
                                            log_message log, intermediate_update update);
EXPORT void fmi3FreeInstance(instance c);
EXPORT fmu_status fmi3EnterInitializationMode(instance c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
                                       double stop);
EXPORT fmu_status fmi3ExitInitializationMode(instance c);
EXPORT fmu_status fmi3EnterEventMode(instance c);
EXPORT fmu_status fmi3Terminate(instance c);
EXPORT fmu_status fmi3Reset(instance c);
EXPORT fmu_status fmi3GetFloat64(instance c, const reference vr[], size_t n, double value[], size_t count);
EXPORT fmu_status fmi3SetFloat64(instance c, const reference vr[], size_t n, const double value[], size_t count);
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

text fmi3GetVersion(void)
{
    return "3.0";
}

fmu_status fmi3SetDebugLogging(instance c, bool on, size_t count, const text categories[])
{
    MAY(ANY | FMU_FAILED);
    return fmu_choose_messages(c, on, count, categories);
}

static instance instantiate(text name, text token, text resource, bool exchange, bool logging, void *environment,
                            log_message log)
{
    importer *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    *i = (importer){ log, environment, NULL };
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

/* Inputs stay as they are within a step; a return may be asked for at once, or not before a time. */
static bool look(fmu *f)
{
    const importer *i = f->standard;
    bool requested = false;
    double return_time = f->time;
    i->update(i->environment, f->time, false, true, true, f->early_return, &requested, &return_time);
    return requested && f->time >= return_time;
}

instance fmi3InstantiateCoSimulation(text name, text token, text resource, bool visible, bool logging, bool event_mode,
                                     bool early_return, const reference required[], size_t count, void *environment,
                                     log_message log, intermediate_update update)
{
    (void)visible;
    (void)required;                    /* all variables can be read in intermediate updates */
    (void)count;
    fmu *f = instantiate(name, token, resource, false, logging, environment, log);
    if (!f)
        return NULL;
    importer *i = f->standard;
    i->update = update;
    f->look = update ? look : NULL;
    f->event_mode = event_mode;
    f->early_return = early_return;
    return f;
}

void fmi3FreeInstance(instance c)
{
    fmu_destroy(c);
}

fmu_status fmi3EnterInitializationMode(instance c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
                                double stop)
{
    fmu *f = c;
    MAY(FMU_INSTANTIATED);
    fmu_status status = fmu_set_up(f, tolerance_defined ? tolerance : 0, start, stop_defined ? stop : INFINITY);
    if (status == FMU_OK)
        status = fmu_ready(f);
    if (status == FMU_OK)
        f->mode = FMU_INITIALIZATION;
    return status;
}

fmu_status fmi3ExitInitializationMode(instance c)
{
    MAY(FMU_INITIALIZATION);
    return fmu_initialized(c);
}

fmu_status fmi3EnterEventMode(instance c)
{
    fmu *f = c;
    MAY(FMU_CONTINUOUS | FMU_STEP);
    if (!f->exchange && !f->event_mode)
        return fmu_say(f, FMU_ERROR, "logStatusError", "this instance was made without event mode");
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
    MAY(ANY | FMU_INTERMEDIATE);
    if (n != count)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    return fmu_get_list(c, vr, n, value);
}

fmu_status fmi3SetFloat64(instance c, const reference vr[], size_t n, const double value[], size_t count)
{
    MAY(FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
    if (n != count)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    return fmu_set_list(c, vr, n, value);
}

/* ---- states ---- */

fmu_status fmi3GetFMUState(instance c, void **state)
{
    MAY(ANY);
    return fmu_keep_state(c, state);
}

fmu_status fmi3SetFMUState(instance c, void *state)
{
    MAY(ANY);
    return fmu_use_state(c, state);
}

fmu_status fmi3FreeFMUState(instance c, void **state)
{
    MAY(ANY | FMU_FAILED);
    return fmu_free_state(state);
}

fmu_status fmi3SerializedFMUStateSize(instance c, void *state, size_t *size)
{
    MAY(ANY);
    return fmu_state_size(state, size);
}

fmu_status fmi3SerializeFMUState(instance c, void *state, uint8_t bytes[], size_t size)
{
    MAY(ANY);
    return fmu_serialize_state(c, state, bytes, size);
}

fmu_status fmi3DeserializeFMUState(instance c, const uint8_t bytes[], size_t size, void **state)
{
    MAY(ANY);
    return fmu_deserialize_state(c, bytes, size, state);
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
    fmu *f = c;
    if (f->exchange) {
        double time = INFINITY;
        fmu_status status = fmu_update(f, values, terminate, &time);
        *defined = isfinite(time);
        *next = *defined ? time : 0;
        return status;
    }
    return fmu_handle_events(f, terminate);
}

fmu_status fmi3EnterContinuousTimeMode(instance c)
{
    fmu *f = c;
    MAY(FMU_ONLY_EXCHANGE | FMU_EVENT);
    f->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

fmu_status fmi3CompletedIntegratorStep(instance c, bool no_prior, bool *event, bool *terminate)
{
    (void)no_prior;
    *event = *terminate = false;
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS);
    return fmu_completed(c, event);
}

fmu_status fmi3SetTime(instance c, double time)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS | FMU_EVENT);
    return fmu_set_time(c, time);
}

fmu_status fmi3SetContinuousStates(instance c, const double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS);
    return fmu_put_states(c, x, n);
}

fmu_status fmi3GetContinuousStateDerivatives(instance c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_rates(c, x, n);
}

fmu_status fmi3GetEventIndicators(instance c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_indicators(c, x, n);
}

fmu_status fmi3GetContinuousStates(instance c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_states(c, x, n);
}

fmu_status fmi3GetNominalsOfContinuousStates(instance c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | ANY);
    return fmu_get_nominals(c, x, n);
}

fmu_status fmi3GetNumberOfEventIndicators(instance c, size_t *n)
{
    fmu *f = c;
    *n = 0;
    MAY(FMU_ONLY_EXCHANGE | ANY);
    fmu_status status = fmu_ready(f);
    *n = status == FMU_OK ? f->indicator_count : 0;
    return status;
}

fmu_status fmi3GetNumberOfContinuousStates(instance c, size_t *n)
{
    fmu *f = c;
    *n = 0;
    MAY(FMU_ONLY_EXCHANGE | ANY);
    fmu_status status = fmu_ready(f);
    *n = status == FMU_OK ? f->state_count : 0;
    return status;
}

/* ---- co-simulation ---- */

fmu_status fmi3EnterStepMode(instance c)
{
    fmu *f = c;
    MAY(FMU_ONLY_SIMULATION | FMU_EVENT);
    f->mode = FMU_STEP;
    return FMU_OK;
}

fmu_status fmi3GetOutputDerivatives(instance c, const reference vr[], size_t n, const int32_t order[], double value[], size_t count)
{
    MAY(FMU_ONLY_SIMULATION | FMU_STEP | FMU_TERMINATED | FMU_INTERMEDIATE);
    if (n != count)
        return fmu_say(c, FMU_ERROR, "logStatusError", "all variables are scalars");
    return fmu_output_derivatives(c, vr, n, order, value);
}

fmu_status fmi3DoStep(instance c, double time, double step, bool no_prior, bool *event, bool *terminate, bool *early, double *last)
{
    fmu *f = c;
    (void)no_prior;
    *event = *terminate = *early = false;
    *last = f ? f->last_time : time;
    MAY(FMU_ONLY_SIMULATION | FMU_STEP);
    fmu_status status = fmu_step(f, time, step);
    *last = f->stopped || status == FMU_DISCARD ? f->last_time : f->time;
    *terminate = f->stopped;
    *event = f->event_mode && f->happened;
    *early = f->returned;
    return f->stopped ? FMU_OK : status;
}
