/* Steps, rates, derivatives and saved states of an FMU instance. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "instance.h"

/* Share of a step by which two times may differ and still be the same. */
static const double SAME_TIME = 1e-9;
/* m or rad: a state farther from the constraints is corrected in event mode. */
static const double DRIFT = 1e-6;
/* In event mode the state on the constraints is handed over when it differs by more than round-off. */
static const double ROUND_OFF = 1e-11;

/* ---- co-simulation ---- */

static size_t happenings(const tn_session *session)
{
    return tn_session_fired_count(session) + tn_session_impact_count(session);
}

/* After an inner step: lets the importer look, and ends the step where something happened, if both are wanted. */
static int stepped(void *user, const tn_session *session)
{
    fmu *f = user;
    bool wanted = false, event = happenings(session) != f->happenings;
    f->happened |= event;
    f->happenings = happenings(session);
    if (f->look) {
        double time = f->time;
        f->time = tn_session_time(session);
        f->values_known = f->rates_known = false;
        f->mode = FMU_INTERMEDIATE;
        wanted = f->look(f);
        f->mode = FMU_STEP;
        f->values_known = f->rates_known = false;
        f->time = time;
    }
    return f->early_return && (wanted || (event && f->event_mode));
}

static int give_inputs(fmu *f)
{
    int code = TN_OK;
    for (size_t k = 0; k < f->input_count && code == TN_OK; k++) {
        double numbers[TN_INPUT_NUMBERS] = { f->input_values[k] };
        memcpy(numbers + 1, f->input_rates + FMU_RATES * k, FMU_RATES * sizeof *numbers);
        code = tn_session_input_curve(f->session, f->inputs[k], numbers, TN_INPUT_NUMBERS);
    }
    return code;
}

/* An input that changes within a step holds at its end. */
static void hold_inputs(fmu *f)
{
    for (size_t k = 0; k < f->input_count; k++)
        tn_session_input_now(&f->input_values[k], NULL, f->session, f->inputs[k]);
    memset(f->input_rates, 0, FMU_RATES * f->input_count * sizeof *f->input_rates);
}

fmu_status fmu_handle_events(fmu *f, bool *stopped)
{
    f->values_known = f->rates_known = false;
    int code = tn_session_handle_events(f->session);
    f->stopped = f->stopped || code == TN_NEWS_STOPPED;
    *stopped = f->stopped;
    return code < 0 ? fmu_fail(f, FMU_ERROR) : FMU_OK;
}

fmu_status fmu_step(fmu *f, double time, double step)
{
    if (!(step > 0) || !isfinite(step) || !(fabs(time - f->time) <= SAME_TIME * fmax(step, fabs(time))))
        return fmu_say(f, FMU_ERROR, "logStatusError", "a step from %.17g s by %.17g s is not possible at t = %.17g s", time,
                       step, f->time);
    if (time + step > f->stop + SAME_TIME * fmax(step, fabs(f->stop)))
        return fmu_say(f, FMU_ERROR, "logStatusError", "a step to %.17g s leads beyond the stop time, %.17g s", time + step, f->stop);
    if (f->stopped)
        return fmu_say(f, FMU_DISCARD, "logStatusDiscard", "an event of the model has ended the run");
    f->values_known = f->rates_known = false;
    f->happened = f->returned = false;
    f->happenings = happenings(f->session);
    tn_session_on_step(f->session, f->event_mode || f->look ? stepped : NULL, f);
    int code = give_inputs(f);
    if (code == TN_OK)
        code = tn_session_advance_to(f->session, time + step);
    f->last_time = tn_session_time(f->session);
    hold_inputs(f);
    if (code == TN_NEWS_STOPPED) {
        f->stopped = true;
        f->time = f->last_time;
        return fmu_say(f, FMU_DISCARD, "logEvents", "an event of the model ended the run at t = %.9g s", f->time);
    }
    if (code < 0) {
        f->time = f->last_time;
        return fmu_fail(f, code == TN_ERROR_STEP ? FMU_DISCARD : FMU_ERROR);
    }
    f->returned = code == TN_NEWS_INTERRUPTED && f->last_time < time + step;
    f->time = f->returned ? f->last_time : time + step;
    tn_diagnostics_clear(f->context);
    return FMU_OK;
}

/* Values of all outputs at the state moved by h s along its rate. */
static int values_beside(fmu *f, const double *y, const double *rate, double h, double *moved, double *values)
{
    for (size_t k = 0; k < f->state_size; k++)
        moved[k] = y[k] + h * rate[k];
    return tn_readout_values_at(values, f->readout, tn_session_time(f->session) + h, moved);
}

/* Fourth-order differences along the tangent of the motion; steps change the state by 1e-3 of its size at most. */
static int differentiate_outputs(fmu *f, double *work, double *derivatives)
{
    static const double places[] = { -2, -1, 1, 2 }, weights[] = { 1. / 12, -8. / 12, 8. / 12, -1. / 12 };
    double *y = work, *rate = work + f->state_size, *moved = rate + f->state_size, *values = moved + f->state_size;
    double fastest = 0;
    tn_session_state(y, f->session);
    int code = tn_session_state_rate(rate, f->session);
    for (size_t k = 0; k < f->state_size; k++)
        fastest = fmax(fastest, fabs(rate[k]) / fmax(1, fabs(y[k])));
    const double h = fmin(1e-4, 1e-3 / fmax(fastest, 1e-3));
    for (size_t k = 0; k < f->output_count; k++)
        derivatives[k] = 0;
    for (int i = 0; i < 4 && code >= 0; i++) {
        code = values_beside(f, y, rate, places[i] * h, moved, values);
        for (size_t k = 0; k < f->output_count && code >= 0; k++)
            derivatives[k] += weights[i] * values[k] / h;
    }
    return code;
}

fmu_status fmu_output_derivatives(fmu *f, const uint32_t *references, size_t count, const int32_t *orders, double *values)
{
    double *work = calloc(3 * f->state_size + 2 * f->output_count + 1, sizeof *work);
    if (!work)
        return FMU_ERROR;
    double *derivatives = work + 3 * f->state_size + f->output_count;
    fmu_status status = differentiate_outputs(f, work, derivatives) < 0 ? fmu_fail(f, FMU_ERROR) : FMU_OK;
    for (size_t i = 0; i < count && status == FMU_OK; i++) {
        const size_t k = references[i] & FMU_INDEX;
        if ((references[i] & ~(uint32_t)FMU_INDEX) == FMU_OUTPUT && k < f->output_count && orders[i] == 1)
            values[i] = derivatives[k];
        else
            status = fmu_say(f, FMU_ERROR, "logStatusError", "variable %u: outputs have first derivatives alone", references[i]);
    }
    free(work);
    return status;
}

/* ---- model exchange ---- */

fmu_status fmu_set_time(fmu *f, double time)
{
    if (!isfinite(time))
        return fmu_say(f, FMU_ERROR, "logStatusError", "the time is not a finite number");
    f->values_known = f->rates_known = f->values_known && time == f->time;
    f->time = time;
    return FMU_OK;
}

fmu_status fmu_set_states(fmu *f, const double *states)
{
    for (size_t k = 0; k < f->state_count; k++)
        if (!isfinite(states[k]))
            return fmu_say(f, FMU_DISCARD, "logStatusDiscard", "state %zu is not a finite number", k + 1);
    memcpy(f->y, states, f->state_count * sizeof(double));
    f->values_known = f->rates_known = false;
    return FMU_OK;
}

/* The values of the inputs into the state, where they hold. */
static void put_inputs(fmu *f)
{
    for (size_t k = 0; k < f->input_count; k++) {
        double *numbers = f->y + f->state_count + TN_INPUT_NUMBERS * k;
        memset(numbers, 0, TN_INPUT_NUMBERS * sizeof *numbers);
        numbers[0] = f->input_values[k];
    }
}

fmu_status fmu_rates(fmu *f)
{
    if (f->rates_known)
        return FMU_OK;
    put_inputs(f);
    int code = tn_session_rate_at(f->rate, f->session, f->time, f->y);
    f->rates_known = code == TN_OK;
    return code < 0 ? fmu_fail(f, FMU_DISCARD) : FMU_OK;
}

fmu_status fmu_follow(fmu *f, double *projected, double *change)
{
    *change = 0;
    put_inputs(f);
    if (tn_session_follow(f->session, f->time, f->y) < 0)
        return fmu_fail(f, FMU_DISCARD);
    tn_session_state(projected, f->session);
    for (size_t k = 0; k < f->state_count; k++)
        *change = fmax(*change, fabs(projected[k] - f->y[k]) / fmax(1, fabs(f->y[k])));
    return FMU_OK;
}

/* Is something due at the accepted state? A tool that looks for changes of signs alone would not see it. */
static bool is_due(fmu *f)
{
    bool known = f->indicator_count > 0 && tn_session_indicators_at(f->indicators, f->session, f->time, f->rate) >= 0;
    for (size_t k = 0; k < f->indicator_count && known; k++)
        if (!(f->indicators[k] > 0))
            return true;
    return false;
}

fmu_status fmu_completed(fmu *f, bool *event)
{
    double change;
    *event = false;
    f->rates_known = false;            /* rate is the scratch of the projected state */
    fmu_status status = fmu_follow(f, f->rate, &change);
    *event = status == FMU_OK && (change > DRIFT || is_due(f));
    return status;
}

/* Events may edit the model, but variables and states of an FMU are fixed. */
static fmu_status check_sizes(fmu *f)
{
    if (tn_session_state_size(f->session) == f->state_size && tn_session_indicator_count(f->session) == f->indicator_count)
        return FMU_OK;
    f->mode = FMU_FAILED;
    return fmu_say(f, FMU_ERROR, "logStatusError", "an event has changed the number of states or of event indicators, which are "
                   "fixed in model exchange");
}

fmu_status fmu_update(fmu *f, bool *changed, bool *terminate, double *next)
{
    double change;
    *changed = *terminate = false;
    *next = INFINITY;
    f->rates_known = f->values_known = false;
    fmu_status status = fmu_follow(f, f->rate, &change);
    if (status != FMU_OK)
        return status;
    memcpy(f->scratch, f->rate, f->state_size * sizeof(double));
    status = fmu_handle_events(f, terminate);
    if (status == FMU_OK)
        status = check_sizes(f);
    if (status != FMU_OK)
        return status;
    tn_diagnostics_clear(f->context);
    tn_session_state(f->rate, f->session);
    bool acted = memcmp(f->rate, f->scratch, f->state_size * sizeof(double)) != 0;
    if (acted || change > ROUND_OFF) {
        *changed = true;
        memcpy(f->y, f->rate, f->state_size * sizeof(double));
    }
    *next = tn_session_next_sample(f->session);
    return FMU_OK;
}

fmu_status fmu_get_indicators(fmu *f, double *values, size_t count)
{
    fmu_status status = fmu_ready(f);
    if (status != FMU_OK)
        return status;
    if (count != f->indicator_count)
        return fmu_say(f, FMU_ERROR, "logStatusError", "there are %zu event indicators, not %zu", f->indicator_count, count);
    put_inputs(f);
    return tn_session_indicators_at(values, f->session, f->time, f->y) < 0 ? fmu_fail(f, FMU_DISCARD) : FMU_OK;
}

/* ---- directional derivatives ---- */

/* Directions over the state and over the inputs from knowns and seeds. */
static fmu_status make_directions(fmu *f, const uint32_t *knowns, size_t count, const double *seed, double *states,
                                  double *inputs)
{
    for (size_t i = 0; i < count; i++) {
        const size_t k = knowns[i] & FMU_INDEX;
        const uint32_t kind = knowns[i] & ~(uint32_t)FMU_INDEX;
        if (kind == FMU_STATE && k < f->state_count)
            states[k] += seed[i];
        else if (kind == FMU_INPUT && k < f->input_count)
            inputs[k] += seed[i];
        else
            return fmu_say(f, FMU_ERROR, "logStatusError", "no derivative by the variable %u: states and inputs are knowns",
                           knowns[i]);
    }
    return FMU_OK;
}

static fmu_status read_changes(fmu *f, const uint32_t *unknowns, size_t count, const double *rates, const double *outputs,
                               double *change)
{
    for (size_t i = 0; i < count; i++) {
        const size_t k = unknowns[i] & FMU_INDEX;
        const uint32_t kind = unknowns[i] & ~(uint32_t)FMU_INDEX;
        if (kind == FMU_DERIVATIVE && k < f->state_count)
            change[i] = rates[k];
        else if (kind == FMU_OUTPUT && k < f->output_count)
            change[i] = outputs[k];
        else
            return fmu_say(f, FMU_ERROR, "logStatusError", "no derivative of the variable %u: outputs and derivatives are "
                           "unknowns", unknowns[i]);
    }
    return FMU_OK;
}

fmu_status fmu_directional(fmu *f, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns,
                           size_t known_count, const double *seed, double *change)
{
    fmu_status status = fmu_ready(f);
    double *work = status == FMU_OK ? calloc(2 * f->state_size + f->input_count + f->output_count + 1, sizeof *work) : NULL;
    if (!work)
        return status != FMU_OK ? status : FMU_ERROR;
    double *states = work, *rates = work + f->state_size, *inputs = rates + f->state_size, *outputs = inputs + f->input_count;
    bool moving = f->exchange && f->mode != FMU_INSTANTIATED && f->mode != FMU_INITIALIZATION;
    double moved;
    if (moving) {
        f->rates_known = false;
        status = fmu_follow(f, f->rate, &moved);
    }
    if (status == FMU_OK)
        status = make_directions(f, knowns, known_count, seed, states, inputs);
    if (status == FMU_OK && tn_session_derivative(rates, outputs, f->session, f->readout, states, inputs) < 0)
        status = fmu_fail(f, FMU_DISCARD);
    if (status == FMU_OK)
        status = read_changes(f, unknowns, unknown_count, rates, outputs, change);
    free(work);
    return status;
}

/* ---- saved states ---- */

enum { MODE, START, STOP, TOLERANCE, SET_UP, TIME, LAST_TIME, STOPPED, NUMBERS };

struct fmu_saved {
    tn_context *context;
    char *snapshot;                      /* as a text; NULL: the session was not open */
    double numbers[NUMBERS];           /* of the whole instance, below */
    double *values;                    /* parameters, the origin of each, inputs, rates of inputs, state */
    size_t count;
};

static size_t saved_count(const fmu *f)
{
    return 2 * f->parameter_count + TN_INPUT_NUMBERS * f->input_count + (f->session ? f->state_size : 0);
}

fmu_saved *fmu_save(fmu *f)
{
    fmu_saved *s = calloc(1, sizeof *s);
    tn_state_snapshot *snapshot = NULL;
    if (!s)
        return NULL;
    *s = (fmu_saved){ .context = f->context, .numbers = { f->mode, f->start, f->stop, f->tolerance, f->set_up, f->time,
                                                          f->last_time, f->stopped },
                      .count = saved_count(f), .values = calloc(saved_count(f) + 1, sizeof(double)) };
    bool good = s->values != NULL;
    double *at = s->values;
    for (size_t k = 0; good && k < f->parameter_count; k++)
        *at++ = f->parameters[k].value;
    for (size_t k = 0; good && k < f->parameter_count; k++)
        *at++ = f->parameter_set[k];
    if (good && f->input_count > 0) {
        memcpy(at, f->input_values, f->input_count * sizeof *at);
        memcpy(at + f->input_count, f->input_rates, FMU_RATES * f->input_count * sizeof *at);
    }
    if (good && f->session) {
        memcpy(at + TN_INPUT_NUMBERS * f->input_count, f->y, f->state_size * sizeof *at);
        char *text = NULL;
        good = tn_session_take_snapshot(&snapshot, f->session) == TN_OK && tn_state_snapshot_write(&text, snapshot) == TN_OK &&
               (s->snapshot = malloc(strlen(text) + 1)) != NULL;
        if (good)
            strcpy(s->snapshot, text);
        tn_text_free(f->context, text);
        tn_state_snapshot_destroy(snapshot);
    }
    if (good)
        return s;
    fmu_saved_free(s);
    return NULL;
}

/* Are the numbers those of an instance of this kind? The bytes may come from anywhere. */
static bool fits(const fmu *f, const fmu_saved *s)
{
    const int before = FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_TERMINATED;
    const int modes = f->exchange ? before | FMU_EVENT | FMU_CONTINUOUS : before | FMU_STEP | (f->event_mode ? FMU_EVENT : 0);
    const double *n = s->numbers;
    bool known = false;
    for (int mode = FMU_INSTANTIATED; mode <= FMU_TERMINATED; mode *= 2)
        known |= (modes & mode) != 0 && n[MODE] == mode;
    known = known && isfinite(n[START]) && isfinite(n[TIME]) && isfinite(n[LAST_TIME]) && !isnan(n[STOP]);
    known = known && n[TOLERANCE] >= 0 && n[TOLERANCE] < 1 && n[SET_UP] >= 0 && n[SET_UP] < 2;
    known = known && n[STOPPED] >= 0 && n[STOPPED] < 2;
    return known && s->count >= 2 * f->parameter_count + TN_INPUT_NUMBERS * f->input_count;
}

fmu_status fmu_restore(fmu *f, const fmu_saved *s)
{
    if (!fits(f, s))
        return fmu_say(f, FMU_ERROR, "logStatusError", "the state belongs to another FMU");
    const double *at = s->values, *set = at + f->parameter_count;
    /* The session is opened again for another tolerance, and when there was none yet. */
    f->parameters_changed |= f->tolerance != s->numbers[TOLERANCE] || !s->snapshot;
    f->tolerance = s->numbers[TOLERANCE];
    f->start = s->numbers[START];
    f->stop = s->numbers[STOP];
    f->set_up = s->numbers[SET_UP] != 0;
    for (size_t k = 0; k < f->parameter_count; k++, at++) {
        f->parameters_changed |= f->parameters[k].value != *at || f->parameter_set[k] != (set[k] != 0);
        f->parameter_set[k] = set[k] != 0;
        f->parameters[k].value = *at;
    }
    at += f->parameter_count;
    memcpy(f->input_values, at, f->input_count * sizeof *at);
    memcpy(f->input_rates, at + f->input_count, FMU_RATES * f->input_count * sizeof *at);
    f->values_known = f->rates_known = false;
    f->mode = (fmu_mode)s->numbers[MODE];
    if (s->snapshot) {
        fmu_status ready = fmu_ready(f);
        tn_state_snapshot *snapshot = NULL;
        if (ready != FMU_OK)
            return ready;
        if (s->count != saved_count(f))
            return fmu_say(f, FMU_ERROR, "logStatusError", "the state belongs to another FMU");
        memcpy(f->y, at + TN_INPUT_NUMBERS * f->input_count, f->state_size * sizeof *at);
        int code = tn_state_snapshot_read(&snapshot, f->context, s->snapshot, strlen(s->snapshot));
        if (code == TN_OK)
            code = tn_session_restore(f->session, snapshot);
        tn_state_snapshot_destroy(snapshot);
        if (code < 0)
            return fmu_fail(f, FMU_ERROR);
    }
    f->time = s->numbers[TIME];
    f->last_time = s->numbers[LAST_TIME];
    f->stopped = s->numbers[STOPPED] != 0;
    return FMU_OK;
}

void fmu_saved_free(fmu_saved *s)
{
    if (!s)
        return;
    free(s->snapshot);
    free(s->values);
    free(s);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A line of numbers, their bits in hexadecimal; then the snapshot. */
char *fmu_saved_write(const fmu_saved *s)
{
    enum { NUMBER = 32 };
    size_t size = (s->count + NUMBERS + 2) * NUMBER + (s->snapshot ? strlen(s->snapshot) : 0), used = 0;
    char *text = malloc(size);
    if (!text)
        return NULL;
    used += (size_t)snprintf(text, size, "tenon-fmu-state %zu", s->count);
    for (size_t k = 0; k < NUMBERS; k++)
        used += (size_t)snprintf(text + used, size - used, " %016" PRIx64, bits_of(s->numbers[k]));
    for (size_t k = 0; k < s->count; k++)
        used += (size_t)snprintf(text + used, size - used, " %016" PRIx64, bits_of(s->values[k]));
    snprintf(text + used, size - used, "\n%s", s->snapshot ? s->snapshot : "");
    return text;
}

fmu_saved *fmu_saved_read(fmu *f, const char *bytes, size_t size)
{
    fmu_saved *s = calloc(1, sizeof *s);
    char *text = malloc(size + 1), *at = text;
    unsigned long count = 0;
    bool good = s && text;
    if (good) {
        memcpy(text, bytes, size);
        text[size] = '\0';
        good = strncmp(text, "tenon-fmu-state ", 16) == 0 && strchr(text, '\n') != NULL;
    }
    if (good) {
        count = strtoul(text + 16, &at, 10);
        good = count <= size / 2 && (s->values = calloc(count + 1, sizeof(double))) != NULL;
    }
    for (size_t k = 0; good && k < NUMBERS + count; k++) {
        char *end = at;
        uint64_t bits = strtoull(at, &end, 16);
        good = end != at && end <= strchr(text, '\n');
        memcpy(k < NUMBERS ? &s->numbers[k] : &s->values[k - NUMBERS], &bits, sizeof bits);
        at = end;
    }
    if (good) {
        s->context = f->context;
        s->count = count;
        const char *snapshot = strchr(text, '\n') + 1;
        good = snapshot[0] == '\0' || (s->snapshot = malloc(strlen(snapshot) + 1)) != NULL;
        if (s->snapshot)
            strcpy(s->snapshot, snapshot);
    }
    free(text);
    if (good)
        return s;
    fmu_saved_free(s);
    fmu_say(f, FMU_ERROR, "logStatusError", "the bytes are not a serialized state of this FMU");
    return NULL;
}
