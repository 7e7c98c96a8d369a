/* An instance of an FMU: a session of the packed model behind numbered variables. What FMI 2.0 and 3.0 have in common; the
 * functions of the standards (fmi2.c, fmi3.c) check the order of calls and translate. Public interface of the engine only. */
#ifndef TN_FMU_INSTANCE_H
#define TN_FMU_INSTANCE_H

#include <locale.h>
#include <tenon/tenon.h>

/* Numbers are read and written with a decimal point, whatever the importer has set for its process. Of this thread only. */
typedef struct fmu_locale {
    locale_t plain, before;
} fmu_locale;
fmu_locale fmu_locale_begin(void);
void fmu_locale_end(fmu_locale *l);

/* A value reference: the kind in the upper bits, the index below. Time is 0. cli/export.c writes the same numbers. */
enum { FMU_TIME = 0, FMU_PARAMETER = 1 << 20, FMU_INPUT = 2 << 20, FMU_OUTPUT = 3 << 20, FMU_STATE = 4 << 20,
       FMU_DERIVATIVE = 5 << 20, FMU_INDICATOR = 6 << 20, FMU_KINDS = 7 << 20, FMU_INDEX = (1 << 20) - 1 };

enum { FMU_RATES = TN_INPUT_NUMBERS - 1 };

typedef enum fmu_mode {
    FMU_INSTANTIATED = 1,
    FMU_INITIALIZATION = 2,
    FMU_EVENT = 4,             /* model exchange, and co-simulation with event mode */
    FMU_CONTINUOUS = 8,        /* model exchange */
    FMU_STEP = 16,             /* co-simulation */
    FMU_TERMINATED = 32,
    FMU_FAILED = 64,           /* only reset and free are left */
    FMU_CONFIGURATION = 128,   /* FMI 3.0 */
    FMU_INTERMEDIATE = 256     /* FMI 3.0: in a step of co-simulation, while the importer looks at it */
} fmu_mode;

/* Beside modes: functions that only one kind of instance has. */
enum { FMU_ONLY_EXCHANGE = 1 << 12, FMU_ONLY_SIMULATION = 1 << 13 };

/* The values of the standards' enumerations. */
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

/* Categories of messages; modelDescription.xml names them, too (cli/fmu/fmu_description.c). */
enum { FMU_LOG_CATEGORIES = 4, FMU_LOG_ALL = (1 << FMU_LOG_CATEGORIES) - 1 };

/* Hands a message to the importer; NULL: messages are dropped. */
typedef void (*fmu_log)(void *user, fmu_status status, const char *category, const char *message);

typedef struct fmu {
    fmu_log log;
    void *log_user;
    void *standard;            /* what fmi2.c and fmi3.c keep */
    bool logging;
    unsigned categories;       /* a bit for each category that the importer wants to see */
    bool exchange;             /* model exchange, else co-simulation */
    fmu_mode mode;
    char *folder;              /* of the model's files */
    char *main, *token;
    bool offers_exchange, offers_simulation;
    char **outputs;
    size_t output_count;
    tn_setting *given;         /* parameters that were given at export */
    size_t given_count;
    tn_context *context;
    tn_model *model;
    tn_session *session;
    tn_readout *readout;
    tn_setting *parameters;    /* all, with the values in use */
    bool *parameter_set;       /* by the importer */
    size_t parameter_count;
    bool parameters_changed;   /* since the model was read */
    char **tunable;            /* names of parameters that can change while the model runs */
    size_t tunable_count;
    double *wanted;            /* values of tunable parameters that the present call sets */
    bool *wanted_set;
    tn_id *inputs;
    double *input_values;
    double *input_rates;       /* FMU_RATES of each: derivatives by time over the next step */
    size_t input_count;
    double tolerance;          /* of co-simulation, from the importer; 0: that of the model */
    double start, time;        /* s */
    double stop;               /* s: the importer goes no further; INFINITY: it has set no end */
    bool set_up;               /* start, stop and tolerance were given */
    double *y, *rate;          /* model exchange: the state with the inputs, and its rate */
    double *scratch;           /* as long */
    double *indicators;
    size_t indicator_count;
    size_t state_size, state_count;    /* state_count: without the inputs */
    double *values;            /* of the outputs */
    bool values_known, rates_known;
    bool stopped;              /* an event of the model ended the run */
    double last_time;          /* s: co-simulation, of the last good state */
    bool event_mode;           /* co-simulation of FMI 3.0: the importer handles events, and wants to know of them */
    bool early_return;         /* a step may end before its time */
    bool happened;             /* in the last step: an event or impact of the model */
    size_t happenings;         /* events and impacts of the session so far */
    bool returned;             /* the last step ended before its time */
    /* Called after each inner step: does the importer want the step to return now? NULL: never. */
    bool (*look)(struct fmu *f);
} fmu;

/* resource: a path, or NULL; the library then finds the files by its own place. NULL when the token is wrong or the files
 * are missing; the reason goes to the log. */
fmu *fmu_create(const char *token, const char *resource, bool exchange, fmu_log log, void *log_user, void *standard,
                bool logging);
void fmu_destroy(fmu *f);
/* Back to the state after fmu_create. */
fmu_status fmu_reset(fmu *f);
fmu_status fmu_say(fmu *f, fmu_status status, const char *category, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Which messages go to the importer: problems alone, or all, or those of the categories that are listed. */
fmu_status fmu_choose_messages(fmu *f, bool on, size_t count, const char *const *categories);
/* Reports the diagnostics of the engine. */
fmu_status fmu_fail(fmu *f, fmu_status status);

/* Before initialization: start and end of the run, and its tolerance; 0: that of the model. */
fmu_status fmu_set_up(fmu *f, double tolerance, double start, double stop);
/* Opens the session with the present parameters at the start time, if that has not been done. */
fmu_status fmu_ready(fmu *f);
fmu_status fmu_get(fmu *f, uint32_t reference, double *value);
fmu_status fmu_set(fmu *f, uint32_t reference, double value);
/* The derivative of an input by time, of order 1 to FMU_RATES, over the next step. */
fmu_status fmu_set_rate(fmu *f, uint32_t reference, int order, double rate);

/* ---- parameters while the model runs (tune.c) ---- */

bool fmu_is_tunable(const fmu *f, size_t parameter);
/* Notes a value that fmu_tune gives to the model. */
fmu_status fmu_want(fmu *f, size_t parameter, double value);
/* Gives the model all values that are noted, in one edit. On an error nothing has changed. */
fmu_status fmu_tune(fmu *f);
/* Handles of inputs and values of parameters, those computed from others as well, from a model that was read or edited. */
void fmu_take_values(fmu *f, const tn_model *model);

/* ---- co-simulation ---- */

/* From time by step. FMU_DISCARD: only last_time was reached; stopped says whether an event ended the run. */
fmu_status fmu_step(fmu *f, double time, double step);

/* First derivatives of outputs by time, at the end of the last step. */
fmu_status fmu_output_derivatives(fmu *f, const uint32_t *references, size_t count, const int32_t *orders, double *values);

/* Does what is due at the present time: samples of devices, and events. stopped: one of them ended the run. */
fmu_status fmu_handle_events(fmu *f, bool *stopped);

/* ---- model exchange ---- */

fmu_status fmu_set_time(fmu *f, double time);
fmu_status fmu_set_states(fmu *f, const double *states);
fmu_status fmu_rates(fmu *f);
/* After an accepted step: is the state so far from the constraints that event mode should correct it, or is an event due? */
fmu_status fmu_completed(fmu *f, bool *event);
/* Moves the session to the present state, projected; change: of the number that changes most. */
fmu_status fmu_follow(fmu *f, double *projected, double *change);
/* Event mode: puts the state on the constraints, and carries out what is due. changed: the state is another one; next: time of
 * the next sample, INFINITY when there is none. */
fmu_status fmu_update(fmu *f, bool *changed, bool *terminate, double *next);
/* count must be that of the event indicators. */
fmu_status fmu_get_indicators(fmu *f, double *values, size_t count);

/* ---- both ---- */

/* change[i] = sum over k of d unknowns[i] / d knowns[k] * seed[k]. Unknowns: outputs, derivatives; knowns: states, inputs. */
fmu_status fmu_directional(fmu *f, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns,
                           size_t known_count, const double *seed, double *change);

/* A saved state of the whole instance. */
typedef struct fmu_saved fmu_saved;
fmu_saved *fmu_save(fmu *f);
fmu_status fmu_restore(fmu *f, const fmu_saved *saved);
void fmu_saved_free(fmu_saved *saved);
/* As a text; owned by the caller (free). */
char *fmu_saved_write(const fmu_saved *saved);
fmu_saved *fmu_saved_read(fmu *f, const char *text, size_t size);

/* ---- shared by the functions of the two standards ---- */

/* Is the call allowed in the present mode? An error in the log otherwise; the instance stays as it is. f may be NULL. */
bool fmu_may(fmu *f, int modes, const char *function);
/* The end of initialization. */
fmu_status fmu_initialized(fmu *f);
/* The worst status of all variables. */
fmu_status fmu_get_list(fmu *f, const uint32_t *references, size_t count, double *values);
fmu_status fmu_set_list(fmu *f, const uint32_t *references, size_t count, const double *values);
/* count must be that of the continuous states. */
fmu_status fmu_put_states(fmu *f, const double *states, size_t count);
fmu_status fmu_get_states(fmu *f, double *states, size_t count);
fmu_status fmu_get_rates(fmu *f, double *rates, size_t count);
fmu_status fmu_get_nominals(fmu *f, double *nominals, size_t count);
/* States that the importer keeps: *state is NULL, or a state whose place is used again. */
fmu_status fmu_keep_state(fmu *f, void **state);
fmu_status fmu_use_state(fmu *f, const void *state);
fmu_status fmu_free_state(void **state);
fmu_status fmu_state_size(const void *state, size_t *size);
fmu_status fmu_serialize_state(fmu *f, const void *state, void *bytes, size_t size);
fmu_status fmu_deserialize_state(fmu *f, const void *bytes, size_t size, void **state);

#endif
