/* The functions of FMI 2.0: call order, translation, all output arguments always filled. Types as the standard has them on
 * platform "default". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "instance.h"

#define EXPORT __attribute__((visibility("default")))

typedef void *component;
typedef unsigned int reference;
typedef const char *text;
typedef void (*logger)(void *environment, text instance, int status, text category, text message, ...);
typedef struct callbacks {
    logger log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *, int);
    void *environment;
} callbacks;
typedef struct event_info {
    int new_discrete_states, terminate, nominals_changed, values_changed, next_time_defined;
    double next_time;
} event_info;

/* A copy of the callbacks and the name that the importer gave; it may free its own after instantiation. */
typedef struct importer {
    logger log;
    void *environment;
    char name[256];
} importer;

static void hand_on(void *user, fmu_status status, const char *category, const char *message)
{
    const importer *i = user;
    if (i->log)
        i->log(i->environment, i->name, (int)status, category, "%s", message);
}

enum { ANY = FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_TERMINATED };

#define MAY(modes) do { if (!fmu_may(c, (modes), __func__)) return FMU_ERROR; } while (0)

EXPORT text fmi2GetTypesPlatform(void);
EXPORT text fmi2GetVersion(void);
EXPORT fmu_status fmi2SetDebugLogging(component c, int on, size_t count, const text categories[]);
EXPORT component fmi2Instantiate(text name, int type, text guid, text resource, const callbacks *functions, int visible,
                                 int logging);
EXPORT void fmi2FreeInstance(component c);
EXPORT fmu_status fmi2SetupExperiment(component c, int tolerance_defined, double tolerance, double start, int stop_defined,
                               double stop);
EXPORT fmu_status fmi2EnterInitializationMode(component c);
EXPORT fmu_status fmi2ExitInitializationMode(component c);
EXPORT fmu_status fmi2Terminate(component c);
EXPORT fmu_status fmi2Reset(component c);
EXPORT fmu_status fmi2GetReal(component c, const reference vr[], size_t n, double value[]);
EXPORT fmu_status fmi2GetInteger(component c, const reference vr[], size_t n, int value[]);
EXPORT fmu_status fmi2GetBoolean(component c, const reference vr[], size_t n, int value[]);
EXPORT fmu_status fmi2GetString(component c, const reference vr[], size_t n, text value[]);
EXPORT fmu_status fmi2SetReal(component c, const reference vr[], size_t n, const double value[]);
EXPORT fmu_status fmi2SetInteger(component c, const reference vr[], size_t n, const int value[]);
EXPORT fmu_status fmi2SetBoolean(component c, const reference vr[], size_t n, const int value[]);
EXPORT fmu_status fmi2SetString(component c, const reference vr[], size_t n, const text value[]);
EXPORT fmu_status fmi2GetFMUstate(component c, void **state);
EXPORT fmu_status fmi2SetFMUstate(component c, void *state);
EXPORT fmu_status fmi2FreeFMUstate(component c, void **state);
EXPORT fmu_status fmi2SerializedFMUstateSize(component c, void *state, size_t *size);
EXPORT fmu_status fmi2SerializeFMUstate(component c, void *state, char bytes[], size_t size);
EXPORT fmu_status fmi2DeSerializeFMUstate(component c, const char bytes[], size_t size, void **state);
EXPORT fmu_status fmi2GetDirectionalDerivative(component c, const reference unknown[], size_t unknowns, const reference known[],
                                        size_t knowns, const double seed[], double change[]);
EXPORT fmu_status fmi2EnterEventMode(component c);
EXPORT fmu_status fmi2NewDiscreteStates(component c, event_info *info);
EXPORT fmu_status fmi2EnterContinuousTimeMode(component c);
EXPORT fmu_status fmi2CompletedIntegratorStep(component c, int no_prior, int *enter_event, int *terminate);
EXPORT fmu_status fmi2SetTime(component c, double time);
EXPORT fmu_status fmi2SetContinuousStates(component c, const double x[], size_t n);
EXPORT fmu_status fmi2GetDerivatives(component c, double x[], size_t n);
EXPORT fmu_status fmi2GetEventIndicators(component c, double x[], size_t n);
EXPORT fmu_status fmi2GetContinuousStates(component c, double x[], size_t n);
EXPORT fmu_status fmi2GetNominalsOfContinuousStates(component c, double x[], size_t n);
EXPORT fmu_status fmi2SetRealInputDerivatives(component c, const reference vr[], size_t n, const int order[],
                                       const double value[]);
EXPORT fmu_status fmi2GetRealOutputDerivatives(component c, const reference vr[], size_t n, const int order[], double value[]);
EXPORT fmu_status fmi2DoStep(component c, double time, double step, int no_prior);
EXPORT fmu_status fmi2CancelStep(component c);
EXPORT fmu_status fmi2GetStatus(component c, int kind, int *value);
EXPORT fmu_status fmi2GetRealStatus(component c, int kind, double *value);
EXPORT fmu_status fmi2GetIntegerStatus(component c, int kind, int *value);
EXPORT fmu_status fmi2GetBooleanStatus(component c, int kind, int *value);
EXPORT fmu_status fmi2GetStringStatus(component c, int kind, text *value);

text fmi2GetTypesPlatform(void)
{
    return "default";
}

text fmi2GetVersion(void)
{
    return "2.0";
}

fmu_status fmi2SetDebugLogging(component c, int on, size_t count, const text categories[])
{
    MAY(ANY | FMU_FAILED);
    return fmu_choose_messages(c, on != 0, count, categories);
}

/* "file:///a%20b" or "file:/a" as a path, in the buffer; other texts as they are. */
static text path_of(text uri, char *buffer, size_t size)
{
    size_t n = 0;
    if (!uri)
        return NULL;
    text at = uri;
    if (strncmp(uri, "file:", 5) == 0) {
        at = uri + 5;
        if (strncmp(at, "//", 2) == 0) {               /* an authority, usually empty, comes before the path */
            text slash = strchr(at + 2, '/');
            at = slash ? slash : at + 2;
        }
    }
    for (; *at && n + 1 < size; n++) {
        char hex[3] = { at[0] == '%' ? at[1] : '\0', at[0] == '%' && at[1] ? at[2] : '\0', '\0' };
        char *end = hex;
        long code = strtol(hex, &end, 16);
        bool escaped = at[0] == '%' && end == hex + 2;
        buffer[n] = escaped ? (char)code : at[0];
        at += escaped ? 3 : 1;
    }
    buffer[n] = '\0';
    return buffer;
}

component fmi2Instantiate(text name, int type, text guid, text resource, const callbacks *functions, int visible,
                          int logging)
{
    char path[4096];
    importer *i = calloc(1, sizeof *i);
    (void)visible;
    if (!i)
        return NULL;
    i->log = functions ? functions->log : NULL;
    i->environment = functions ? functions->environment : NULL;
    snprintf(i->name, sizeof i->name, "%s", name ? name : "");
    bool good = name && name[0] && (type == 0 || type == 1);
    fmu *f = good ? fmu_create(guid, path_of(resource, path, sizeof path), type == 0, hand_on, i, i, logging != 0) : NULL;
    if (!f)
        free(i);
    return f;
}

void fmi2FreeInstance(component c)
{
    fmu_destroy(c);
}

fmu_status fmi2SetupExperiment(component c, int tolerance_defined, double tolerance, double start, int stop_defined, double stop)
{
    fmu *f = c;
    MAY(FMU_INSTANTIATED);
    return fmu_set_up(f, tolerance_defined ? tolerance : 0, start, stop_defined ? stop : INFINITY);
}

fmu_status fmi2EnterInitializationMode(component c)
{
    fmu *f = c;
    MAY(FMU_INSTANTIATED);
    if (!f->set_up)
        return fmu_say(f, FMU_ERROR, "logStatusError", "fmi2SetupExperiment comes first");
    fmu_status status = fmu_ready(f);
    if (status == FMU_OK)
        f->mode = FMU_INITIALIZATION;
    return status;
}

fmu_status fmi2ExitInitializationMode(component c)
{
    MAY(FMU_INITIALIZATION);
    return fmu_initialized(c);
}

fmu_status fmi2Terminate(component c)
{
    fmu *f = c;
    MAY(FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
    f->mode = FMU_TERMINATED;
    return FMU_OK;
}

fmu_status fmi2Reset(component c)
{
    MAY(ANY | FMU_FAILED);
    return fmu_reset(c);
}

fmu_status fmi2GetReal(component c, const reference vr[], size_t n, double value[])
{
    MAY(ANY);
    return fmu_get_list(c, vr, n, value);
}

static fmu_status only_reals(component c, size_t n)
{
    MAY(ANY);
    return n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "logStatusError", "all variables are of type Real");
}

fmu_status fmi2GetInteger(component c, const reference vr[], size_t n, int value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2GetBoolean(component c, const reference vr[], size_t n, int value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2GetString(component c, const reference vr[], size_t n, text value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2SetReal(component c, const reference vr[], size_t n, const double value[])
{
    MAY(FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP);
    return fmu_set_list(c, vr, n, value);
}

fmu_status fmi2SetInteger(component c, const reference vr[], size_t n, const int value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2SetBoolean(component c, const reference vr[], size_t n, const int value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2SetString(component c, const reference vr[], size_t n, const text value[])
{
    (void)vr;
    (void)value;
    return only_reals(c, n);
}

fmu_status fmi2GetFMUstate(component c, void **state)
{
    MAY(ANY);
    return fmu_keep_state(c, state);
}

fmu_status fmi2SetFMUstate(component c, void *state)
{
    MAY(ANY);
    return fmu_use_state(c, state);
}

fmu_status fmi2FreeFMUstate(component c, void **state)
{
    MAY(ANY | FMU_FAILED);
    return fmu_free_state(state);
}

fmu_status fmi2SerializedFMUstateSize(component c, void *state, size_t *size)
{
    MAY(ANY);
    return fmu_state_size(state, size);
}

fmu_status fmi2SerializeFMUstate(component c, void *state, char bytes[], size_t size)
{
    MAY(ANY);
    return fmu_serialize_state(c, state, bytes, size);
}

fmu_status fmi2DeSerializeFMUstate(component c, const char bytes[], size_t size, void **state)
{
    MAY(ANY);
    return fmu_deserialize_state(c, bytes, size, state);
}

fmu_status fmi2GetDirectionalDerivative(component c, const reference unknown[], size_t unknowns, const reference known[],
                                 size_t knowns, const double seed[], double change[])
{
    MAY(FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_TERMINATED);
    return fmu_directional(c, unknown, unknowns, known, knowns, seed, change);
}

/* ---- model exchange ---- */

fmu_status fmi2EnterEventMode(component c)
{
    fmu *f = c;
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS | FMU_EVENT);
    f->mode = FMU_EVENT;
    return FMU_OK;
}

fmu_status fmi2NewDiscreteStates(component c, event_info *info)
{
    bool changed = false, terminate = false;
    double next = INFINITY;
    *info = (event_info){ .next_time = 0 };
    MAY(FMU_ONLY_EXCHANGE | FMU_EVENT);
    fmu_status status = fmu_update(c, &changed, &terminate, &next);
    info->values_changed = changed;
    info->terminate = terminate;
    info->next_time_defined = isfinite(next);
    info->next_time = isfinite(next) ? next : 0;
    return status;
}

fmu_status fmi2EnterContinuousTimeMode(component c)
{
    fmu *f = c;
    MAY(FMU_ONLY_EXCHANGE | FMU_EVENT);
    f->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

fmu_status fmi2CompletedIntegratorStep(component c, int no_prior, int *enter_event, int *terminate)
{
    bool event = false;
    (void)no_prior;
    *enter_event = *terminate = 0;
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS);
    fmu_status status = fmu_completed(c, &event);
    *enter_event = event;
    return status;
}

fmu_status fmi2SetTime(component c, double time)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_EVENT | FMU_CONTINUOUS);
    return fmu_set_time(c, time);
}

fmu_status fmi2SetContinuousStates(component c, const double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_CONTINUOUS);
    return fmu_put_states(c, x, n);
}

fmu_status fmi2GetDerivatives(component c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_rates(c, x, n);
}

fmu_status fmi2GetEventIndicators(component c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_indicators(c, x, n);
}

fmu_status fmi2GetContinuousStates(component c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_TERMINATED);
    return fmu_get_states(c, x, n);
}

fmu_status fmi2GetNominalsOfContinuousStates(component c, double x[], size_t n)
{
    MAY(FMU_ONLY_EXCHANGE | ANY);
    return fmu_get_nominals(c, x, n);
}

/* ---- co-simulation ---- */

fmu_status fmi2SetRealInputDerivatives(component c, const reference vr[], size_t n, const int order[], const double value[])
{
    MAY(FMU_ONLY_SIMULATION | FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_STEP);
    for (size_t k = 0; k < n; k++) {
        fmu_status status = fmu_set_rate(c, vr[k], order[k], value[k]);
        if (status != FMU_OK)
            return status;
    }
    return FMU_OK;
}

fmu_status fmi2GetRealOutputDerivatives(component c, const reference vr[], size_t n, const int order[], double value[])
{
    MAY(FMU_ONLY_SIMULATION | FMU_STEP | FMU_TERMINATED);
    return fmu_output_derivatives(c, vr, n, order, value);
}

fmu_status fmi2DoStep(component c, double time, double step, int no_prior)
{
    (void)no_prior;
    MAY(FMU_ONLY_SIMULATION | FMU_STEP);
    return fmu_step(c, time, step);
}

fmu_status fmi2CancelStep(component c)
{
    return c ? fmu_say(c, FMU_ERROR, "logStatusError", "steps are not asynchronous") : FMU_ERROR;
}

fmu_status fmi2GetStatus(component c, int kind, int *value)
{
    (void)kind;
    *value = (int)FMU_OK;
    return c ? fmu_say(c, FMU_DISCARD, "logStatusDiscard", "steps are not asynchronous") : FMU_ERROR;
}

fmu_status fmi2GetRealStatus(component c, int kind, double *value)
{
    enum { LAST_SUCCESSFUL_TIME = 2 };
    fmu *f = c;
    *value = 0;
    MAY(FMU_ONLY_SIMULATION | FMU_STEP | FMU_TERMINATED);
    if (kind != LAST_SUCCESSFUL_TIME)
        return FMU_DISCARD;
    *value = f->last_time;
    return FMU_OK;
}

fmu_status fmi2GetIntegerStatus(component c, int kind, int *value)
{
    (void)kind;
    *value = 0;
    return c ? FMU_DISCARD : FMU_ERROR;
}

fmu_status fmi2GetBooleanStatus(component c, int kind, int *value)
{
    enum { TERMINATED = 3 };
    fmu *f = c;
    *value = 0;
    MAY(FMU_ONLY_SIMULATION | FMU_STEP | FMU_TERMINATED);
    if (kind != TERMINATED)
        return FMU_DISCARD;
    *value = f->stopped;
    return FMU_OK;
}

fmu_status fmi2GetStringStatus(component c, int kind, text *value)
{
    (void)kind;
    *value = "";
    return c ? FMU_DISCARD : FMU_ERROR;
}
