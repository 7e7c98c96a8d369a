/* Instances of an FMU: creating them from the packed files, variables, and messages. */
#define _GNU_SOURCE                /* dladdr */
#include "instance.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_SIZE = 4096, MESSAGE_SIZE = 1024,
       HISTORY = 16 << 20 };       /* bytes: only the last edit, of parameters, is ever taken back */

/* ---- messages ---- */

static const char *const categories[FMU_LOG_CATEGORIES] = { "logStatusError", "logStatusDiscard", "logStatusWarning", "logEvents" };

/* The bit of a category; 0: there is no such category. */
static unsigned category_bit(const char *name)
{
    for (unsigned k = 0; k < FMU_LOG_CATEGORIES; k++)
        if (strcmp(categories[k], name) == 0)
            return 1u << k;
    return 0;
}

fmu_status fmu_say(fmu *f, fmu_status status, const char *category, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list list;
    if (!f->log || (!f->logging && status < FMU_DISCARD) || (f->logging && !(f->categories & category_bit(category))))
        return status;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    f->log(f->log_user, status, category, text);
    return status;
}

fmu_status fmu_choose_messages(fmu *f, bool on, size_t count, const char *const *names)
{
    unsigned wanted = count > 0 ? 0 : FMU_LOG_ALL;
    for (size_t k = 0; k < count; k++) {
        unsigned bit = names && names[k] ? category_bit(names[k]) : 0;
        if (bit == 0)
            return fmu_say(f, FMU_ERROR, "logStatusError", "there is no category '%.80s' of messages", names && names[k] ? names[k] : "");
        wanted |= bit;
    }
    f->logging = on;
    f->categories = wanted;
    return FMU_OK;
}

fmu_status fmu_fail(fmu *f, fmu_status status)
{
    for (size_t k = 0; k < tn_diagnostics_count(f->context); k++) {
        const tn_diagnostic *d = tn_diagnostics_get(f->context, k);
        const bool error = d->severity == TN_ERROR;
        fmu_say(f, error ? status : FMU_WARNING, !error ? "logStatusWarning" : status == FMU_DISCARD ? "logStatusDiscard" : "logStatusError",
                "%s", d->message);
    }
    tn_diagnostics_clear(f->context);
    return status;
}

fmu_locale fmu_locale_begin(void)
{
    fmu_locale l = { .plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) };
    l.before = l.plain ? uselocale(l.plain) : (locale_t)0;
    return l;
}

void fmu_locale_end(fmu_locale *l)
{
    if (!l->plain)
        return;
    uselocale(l->before);
    freelocale(l->plain);
}

/* ---- the packed files ---- */

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* "FOLDER/tenon.txt" can be read. */
static FILE *open_list(char *folder, const char *format, const char *place)
{
    char path[PATH_SIZE + 16];
    snprintf(folder, PATH_SIZE, format, place);
    snprintf(path, sizeof path, "%s/tenon.txt", folder);
    return fopen(path, "r");
}

/* The list of the packed model: beside the library, binaries/PLATFORM/NAME.so, or in the folder that the importer names. */
static FILE *find_list(char folder[PATH_SIZE], const char *resource)
{
    Dl_info info;
    char place[PATH_SIZE];
    FILE *list = NULL;
    static const char here;            /* any address inside this library */
    if (dladdr(&here, &info) && info.dli_fname) {
        snprintf(place, sizeof place, "%s", info.dli_fname);
        char *slash = strrchr(place, '/');
        if (slash)
            *slash = '\0';
        list = open_list(folder, "%.4000s/../../resources", slash ? place : ".");
    }
    return !list && resource ? open_list(folder, "%.4000s", resource) : list;
}

static bool add_name(char ***names, size_t *count, const char *name)
{
    char **more = realloc(*names, (*count + 1) * sizeof *more);
    if (!more)
        return false;
    *names = more;
    return (more[(*count)++] = copy_text(name)) != NULL;
}

static void free_names(char **names, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(names[k]);
    free(names);
}

/* "NAME VALUE" */
static bool add_given(fmu *f, char *text)
{
    char *space = strrchr(text, ' ');
    tn_setting *more = space ? realloc(f->given, (f->given_count + 1) * sizeof *more) : NULL;
    if (!more)
        return false;
    *space = '\0';
    f->given = more;
    f->given[f->given_count] = (tn_setting){ copy_text(text), strtod(space + 1, NULL) };
    return f->given[f->given_count++].name != NULL;
}

/* Lines "model PATH", "token TEXT", "kind KIND", "output NAME", "parameter NAME VALUE", "tunable NAME". */
static bool read_list(fmu *f, FILE *list)
{
    char line[LINE_SIZE];
    bool good = true;
    while (good && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, ' ');
        if (!value)
            continue;
        *value++ = '\0';
        if (strcmp(line, "model") == 0)
            good = (f->main = copy_text(value)) != NULL;
        else if (strcmp(line, "token") == 0)
            good = (f->token = copy_text(value)) != NULL;
        else if (strcmp(line, "kind") == 0)
            *(strcmp(value, "me") == 0 ? &f->offers_exchange : &f->offers_simulation) = true;
        else if (strcmp(line, "output") == 0)
            good = add_name(&f->outputs, &f->output_count, value);
        else if (strcmp(line, "tunable") == 0)
            good = add_name(&f->tunable, &f->tunable_count, value);
        else if (strcmp(line, "parameter") == 0)
            good = add_given(f, value);
    }
    return good && f->main && f->token;
}

/* ---- model and variables ---- */

static void close_model(fmu *f)
{
    tn_session_close(f->session);
    tn_model_destroy(f->model);
    f->session = NULL;
    f->model = NULL;
    f->readout = NULL;
    f->values_known = f->rates_known = false;
}

/* Values given at export, then those that the importer set. Others are left to the files, which may compute them. */
static size_t collect_settings(const fmu *f, tn_setting *settings)
{
    size_t count = 0;
    for (size_t k = 0; k < f->parameter_count; k++)
        if (f->parameter_set[k])
            settings[count++] = f->parameters[k];
    const size_t set = count;
    for (size_t k = 0; k < f->given_count; k++) {
        size_t i = 0;
        while (i < set && strcmp(settings[i].name, f->given[k].name) != 0)
            i++;
        if (i == set)
            settings[count++] = f->given[k];
    }
    return count;
}

/* Reads the model with the present parameters; with wrong ones the model before it stays. */
static int read_model(fmu *f)
{
    char path[2 * PATH_SIZE];
    tn_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s", f->folder, f->main);
    tn_setting *settings = calloc(f->given_count + f->parameter_count + 1, sizeof *settings);
    if (!settings)
        return TN_ERROR_MEMORY;
    size_t count = collect_settings(f, settings);
    int code = tn_model_read_with(&model, f->context, path, settings, count);
    free(settings);
    if (code != TN_OK)
        return code;
    close_model(f);
    f->model = model;
    tn_model_expect_nothing(model);
    return TN_OK;
}

/* Parameters and inputs of the model as it was exported. Parameters of subsystems follow from the others. */
static bool list_variables(fmu *f)
{
    size_t all = tn_model_parameter_count(f->model);
    f->parameters = calloc(all + 1, sizeof *f->parameters);
    f->parameter_set = calloc(all + 1, sizeof *f->parameter_set);
    f->wanted = calloc(all + 1, sizeof *f->wanted);
    f->wanted_set = calloc(all + 1, sizeof *f->wanted_set);
    for (size_t k = 0; f->parameters && k < all; k++) {
        tn_parameter_value p = tn_model_parameter(f->model, k);
        if (!strchr(p.name, '.'))
            f->parameters[f->parameter_count++] = (tn_setting){ copy_text(p.name), p.value };
    }
    f->input_count = tn_model_input_count(f->model);
    f->inputs = calloc(f->input_count + 1, sizeof *f->inputs);
    f->input_values = calloc(f->input_count + 1, sizeof(double));
    f->input_rates = calloc(FMU_RATES * f->input_count + 1, sizeof(double));
    f->values = calloc(f->output_count + 1, sizeof(double));
    for (size_t k = 0; k < f->input_count && f->inputs && f->input_values; k++) {
        f->inputs[k] = tn_model_input_at(f->model, k).id;
        f->input_values[k] = tn_model_input_at(f->model, k).initial;
    }
    return f->parameters && f->parameter_set && f->wanted && f->wanted_set && f->inputs && f->input_values &&
           f->input_rates && f->values;
}

/* After parameters were set: handles of inputs are new, and parameters computed from others follow. */
static int reread_model(fmu *f)
{
    int code = read_model(f);
    if (code == TN_OK)
        fmu_take_values(f, f->model);
    return code;
}

static bool load_files(fmu *f, const char *resource)
{
    char folder[PATH_SIZE];
    FILE *list = find_list(folder, resource);
    if (!list) {
        fmu_say(f, FMU_ERROR, "logStatusError", "the files of the model are not there: resources/tenon.txt");
        return false;
    }
    f->folder = realpath(folder, NULL);
    bool good = f->folder && read_list(f, list);
    fclose(list);
    return good;
}

/* Is the instance of a kind that the FMU has, and of this FMU? */
static bool check_request(fmu *f, const char *token)
{
    if (!token || strcmp(token, f->token) != 0)
        fmu_say(f, FMU_ERROR, "logStatusError", "the token '%.80s' is not that of this FMU, %s", token ? token : "", f->token);
    else if (!(f->exchange ? f->offers_exchange : f->offers_simulation))
        fmu_say(f, FMU_ERROR, "logStatusError", "this FMU has no %s", f->exchange ? "model exchange" : "co-simulation");
    else
        return true;
    return false;
}

fmu *fmu_create(const char *token, const char *resource, bool exchange, fmu_log log, void *log_user, void *standard,
                bool logging)
{
    fmu *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (fmu){ .log = log, .log_user = log_user, .standard = standard, .logging = logging, .exchange = exchange,
                .mode = FMU_INSTANTIATED, .stop = INFINITY, .categories = FMU_LOG_ALL, .context = tn_context_create(NULL) };
    fmu_locale locale = fmu_locale_begin();
    bool good = f->context && load_files(f, resource) && check_request(f, token);
    if (good && read_model(f) < 0) {
        fmu_fail(f, FMU_ERROR);
        good = false;
    }
    fmu_locale_end(&locale);
    if (good && list_variables(f))
        return f;
    f->standard = NULL;                /* the caller frees it */
    fmu_destroy(f);
    return NULL;
}

static void free_settings(tn_setting *settings, size_t count)
{
    for (size_t k = 0; k < count && settings; k++)
        free((char *)(uintptr_t)settings[k].name);
    free(settings);
}

static void free_variables(fmu *f)
{
    free_settings(f->parameters, f->parameter_count);
    free(f->parameter_set);
    free(f->wanted);
    free(f->wanted_set);
    free(f->inputs);
    free(f->input_values);
    free(f->input_rates);
    free(f->values);
    f->parameters = NULL;
    f->parameter_set = f->wanted_set = NULL;
    f->inputs = NULL;
    f->wanted = f->input_values = f->input_rates = f->values = NULL;
    f->parameter_count = f->input_count = 0;
}

void fmu_destroy(fmu *f)
{
    if (!f)
        return;
    close_model(f);
    tn_context_destroy(f->context);
    free_names(f->outputs, f->output_count);
    free_names(f->tunable, f->tunable_count);
    free_settings(f->given, f->given_count);
    free_variables(f);
    free(f->y);
    free(f->rate);
    free(f->scratch);
    free(f->indicators);
    free(f->folder);
    free(f->main);
    free(f->token);
    free(f->standard);
    free(f);
}

fmu_status fmu_reset(fmu *f)
{
    free_variables(f);
    f->mode = FMU_INSTANTIATED;
    f->start = f->time = f->last_time = f->tolerance = 0;
    f->stop = INFINITY;
    f->stopped = f->parameters_changed = f->set_up = false;
    fmu_locale locale = fmu_locale_begin();
    int code = read_model(f);
    fmu_locale_end(&locale);
    if (code < 0)
        return fmu_fail(f, FMU_ERROR);
    return list_variables(f) ? FMU_OK : FMU_FATAL;
}

/* ---- the session ---- */

static int open_session(fmu *f)
{
    int code = f->parameters_changed ? reread_model(f) : TN_OK;
    tn_solve solve = tn_model_solve(f->model);
    if (f->tolerance > 0) {
        solve.absolute_tolerance *= f->tolerance / solve.tolerance;
        solve.tolerance = f->tolerance;
    }
    if (code == TN_OK)
        code = tn_session_open(&f->session, f->model, &solve);
    if (code == TN_OK)
        code = tn_session_set_history(f->session, HISTORY);
    if (code == TN_OK)
        code = tn_session_inputs(f->session, f->inputs, f->input_values, NULL, f->input_count);
    if (code == TN_OK)
        code = tn_readout_open(&f->readout, f->session, (const char *const *)f->outputs, f->output_count);
    f->parameters_changed = f->parameters_changed && code != TN_OK;
    return code;
}

/* Moves the start to the importer's start time. */
static int move_start(fmu *f)
{
    f->state_size = tn_session_state_size(f->session);
    f->state_count = f->state_size - TN_INPUT_NUMBERS * f->input_count;
    f->y = realloc(f->y, (f->state_size + 1) * sizeof(double));
    f->rate = realloc(f->rate, (f->state_size + 1) * sizeof(double));
    f->scratch = realloc(f->scratch, (f->state_size + 1) * sizeof(double));
    f->indicator_count = f->exchange ? tn_session_indicator_count(f->session) : 0;
    f->indicators = realloc(f->indicators, (f->indicator_count + 1) * sizeof(double));
    if (!f->y || !f->rate || !f->scratch || !f->indicators)
        return TN_ERROR_MEMORY;
    tn_session_state(f->y, f->session);
    int code = f->start != 0 ? tn_session_set_state(f->session, f->start, f->y) : TN_OK;
    tn_session_state(f->y, f->session);
    f->time = f->last_time = f->start;
    return code;
}

fmu_status fmu_set_up(fmu *f, double tolerance, double start, double stop)
{
    if (!isfinite(start) || isnan(stop) || stop < start)
        return fmu_say(f, FMU_ERROR, "logStatusError", "start or stop time is wrong");
    if (!isfinite(tolerance) || tolerance < 0 || tolerance >= 1)
        return fmu_say(f, FMU_ERROR, "logStatusError", "the tolerance must be positive and smaller than 1");
    if (tolerance == tn_model_solve(f->model).tolerance)
        tolerance = 0;
    if (f->session && (f->start != start || f->tolerance != tolerance))
        f->parameters_changed = true;                  /* the session is opened again */
    f->start = f->time = start;
    f->stop = stop;
    f->tolerance = tolerance;
    f->set_up = true;
    return FMU_OK;
}

static void close_session(fmu *f)
{
    tn_session_close(f->session);
    f->session = NULL;
    f->readout = NULL;
    f->values_known = f->rates_known = false;
}

fmu_status fmu_ready(fmu *f)
{
    if (f->session && !f->parameters_changed)
        return FMU_OK;
    close_session(f);
    fmu_locale locale = fmu_locale_begin();
    int code = open_session(f);
    if (code == TN_OK)
        code = move_start(f);
    fmu_locale_end(&locale);
    if (code >= 0)
        return FMU_OK;
    close_session(f);
    return fmu_fail(f, FMU_ERROR);
}

/* ---- variables ---- */

/* In model exchange the state and the inputs are evaluated as they are, off the constraints as they may be. */
static fmu_status evaluate_outputs(fmu *f)
{
    if (f->values_known)
        return FMU_OK;
    fmu_status ready = fmu_ready(f);
    if (ready != FMU_OK)
        return ready;
    bool moving = f->exchange && f->mode != FMU_INSTANTIATED && f->mode != FMU_INITIALIZATION;
    for (size_t k = 0; k < f->input_count; k++)
        f->y[f->state_count + TN_INPUT_NUMBERS * k] = f->input_values[k];
    int code = moving ? tn_readout_values_at(f->values, f->readout, f->time, f->y)
                      : tn_readout_values(f->values, f->readout);
    f->values_known = code == TN_OK;
    return code < 0 ? fmu_fail(f, FMU_ERROR) : FMU_OK;
}

static fmu_status unknown(fmu *f, uint32_t reference, const char *what)
{
    return fmu_say(f, FMU_ERROR, "logStatusError", "value reference %u: %s", reference, what);
}

fmu_status fmu_get(fmu *f, uint32_t reference, double *value)
{
    const size_t k = reference & FMU_INDEX;
    switch (reference & ~(uint32_t)FMU_INDEX) {
    case FMU_TIME:
        *value = f->time;
        return k == 0 ? FMU_OK : unknown(f, reference, "there is no such variable");
    case FMU_PARAMETER:
        if (k < f->parameter_count) {
            *value = f->parameters[k].value;
            return FMU_OK;
        }
        break;
    case FMU_INPUT:
        if (k < f->input_count) {
            *value = f->input_values[k];
            return FMU_OK;
        }
        break;
    case FMU_OUTPUT:
        if (k < f->output_count) {
            fmu_status status = evaluate_outputs(f);
            *value = f->values[k];
            return status;
        }
        break;
    case FMU_INDICATOR: {
        fmu_status status = fmu_ready(f);
        if (status == FMU_OK && k < f->indicator_count) {
            status = fmu_get_indicators(f, f->indicators, f->indicator_count);
            *value = f->indicators[k];
            return status;
        }
        break;
    }
    case FMU_STATE:
    case FMU_DERIVATIVE: {
        fmu_status status = fmu_ready(f);
        bool rate = (reference & ~(uint32_t)FMU_INDEX) == FMU_DERIVATIVE;
        if (status == FMU_OK && k < f->state_count && rate)
            status = fmu_rates(f);
        if (status == FMU_OK && k < f->state_count)
            *value = rate ? f->rate[k] : f->y[k];
        if (status != FMU_OK || k < f->state_count)
            return status;
    }
    }
    return unknown(f, reference, "there is no such variable");
}

static fmu_status set_input(fmu *f, size_t k, double value)
{
    tn_input input = tn_model_input_at(f->model, k);
    if (!isfinite(value) || value < input.low || value > input.high)
        return fmu_say(f, FMU_ERROR, "logStatusError", "input '%s': %g is not between %g and %g", input.name, value,
                       input.low, input.high);
    memset(f->input_rates + FMU_RATES * k, 0, FMU_RATES * sizeof(double));
    if (f->input_values[k] == value)
        return FMU_OK;
    f->input_values[k] = value;
    f->values_known = f->rates_known = false;
    if (f->session && !f->parameters_changed && tn_session_input(f->session, f->inputs[k], value) < 0)
        return fmu_fail(f, FMU_ERROR);
    return FMU_OK;
}

fmu_status fmu_set(fmu *f, uint32_t reference, double value)
{
    const size_t k = reference & FMU_INDEX;
    switch (reference & ~(uint32_t)FMU_INDEX) {
    case FMU_PARAMETER:
        if (k >= f->parameter_count)
            break;
        if (!isfinite(value))
            return unknown(f, reference, "a parameter must be a finite number");
        if (f->mode != FMU_INSTANTIATED && f->mode != FMU_INITIALIZATION)
            return fmu_want(f, k, value);
        f->parameters_changed |= f->parameters[k].value != value;
        f->parameters[k].value = value;
        f->parameter_set[k] = true;
        f->values_known = f->rates_known = false;
        return FMU_OK;
    case FMU_INPUT:
        if (k < f->input_count)
            return set_input(f, k, value);
        break;
    case FMU_TIME:
    case FMU_OUTPUT:
    case FMU_STATE:
    case FMU_DERIVATIVE:
    case FMU_INDICATOR:
        return unknown(f, reference, "this variable cannot be set");
    }
    return unknown(f, reference, "there is no such variable");
}

fmu_status fmu_set_rate(fmu *f, uint32_t reference, int order, double rate)
{
    const size_t k = reference & FMU_INDEX;
    if ((reference & ~(uint32_t)FMU_INDEX) != FMU_INPUT || k >= f->input_count || !isfinite(rate))
        return unknown(f, reference, "only inputs have rates that can be set, and they must be finite");
    if (order < 1 || order > FMU_RATES)
        return unknown(f, reference, "inputs have derivatives of the orders 1 to 3");
    f->input_rates[FMU_RATES * k + (size_t)order - 1] = rate;
    return FMU_OK;
}
