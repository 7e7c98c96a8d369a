/* Finds what an FMU says about a model: variables, and dependencies by directional derivatives at several states. */
#include "fmu_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "output.h"

static char *copy_text(const char *text)
{
    char *copy = tn_allocate(strlen(text) + 1, 1);
    return strcpy(copy, text);
}

/* Is the name among the first count variables? */
static bool has_name(const fmu_variable *list, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(list[k].name, name) == 0)
            return true;
    return false;
}

static void put_variable(fmu_variable *v, unsigned reference, const char *name, const char *unit, double start)
{
    *v = (fmu_variable){ .reference = reference, .name = copy_text(name), .start = start, .low = -INFINITY,
                         .high = INFINITY };
    snprintf(v->unit, sizeof v->unit, "%s", unit ? unit : "");
}

static void list_parameters_and_inputs(fmu_facts *f)
{
    size_t all = tn_model_parameter_count(f->model), inputs = tn_model_input_count(f->model);
    f->parameters = tn_allocate(all + 1, sizeof *f->parameters);
    f->inputs = tn_allocate(inputs + 1, sizeof *f->inputs);
    for (size_t k = 0; k < all; k++) {
        tn_parameter_value p = tn_model_parameter(f->model, k);
        if (!strchr(p.name, '.')) {                    /* others follow from the model's own */
            put_variable(&f->parameters[f->parameter_count], FMU_PARAMETER + (unsigned)f->parameter_count, p.name, p.unit,
                         p.value);
            f->parameter_count++;
        }
    }
    for (size_t k = 0; k < inputs; k++) {
        tn_input i = tn_model_input_at(f->model, k);
        put_variable(&f->inputs[k], FMU_INPUT + (unsigned)k, i.name, i.unit, i.initial);
        f->inputs[k].low = i.low;
        f->inputs[k].high = i.high;
        f->input_count++;
    }
}

/* Sums over the steps of a run, which a model whose steps another tool takes does not have. */
static bool is_account(const char *name)
{
    static const char *const accounts[] = { "energy.work", "energy.error", "energy.network.supplied", "energy.network.lost",
                                            "energy.network.mechanical", "energy.network.error" };
    for (size_t k = 0; k < sizeof accounts / sizeof accounts[0]; k++)
        if (strcmp(accounts[k], name) == 0)
            return true;
    return false;
}

/* The recorded channels but time, and but those that are variables already. */
static void list_outputs(fmu_facts *f, const tn_session *session)
{
    size_t all = tn_session_recorded_count(session);
    f->outputs = tn_allocate(all + 1, sizeof *f->outputs);
    for (size_t k = 1; k < all; k++) {
        tn_channel c = tn_session_recorded(session, k);
        if (f->exchange && is_account(c.name)) {
            f->left_out = true;
            continue;
        }
        if (has_name(f->inputs, f->input_count, c.name) || has_name(f->parameters, f->parameter_count, c.name) ||
            has_name(f->outputs, f->output_count, c.name))
            continue;
        put_variable(&f->outputs[f->output_count], FMU_OUTPUT + (unsigned)f->output_count, c.name, c.unit, 0);
        f->output_count++;
    }
}

static void list_states(fmu_facts *f, tn_session *session)
{
    size_t size = tn_session_state_size(session), count = size - TN_INPUT_NUMBERS * f->input_count;
    double *y = tn_allocate(size + 1, sizeof *y), *rate = tn_allocate(size + 1, sizeof *rate);
    tn_session_state(y, session);
    f->why_not = tn_session_exchange_refusal(session);
    f->derivable = tn_session_rate_at(rate, session, 0, y) >= 0;
    if (!f->why_not && !f->derivable)
        f->why_not = "it has no rates at its start";
    f->exchange = f->exchange && !f->why_not;
    f->indicator_count = f->exchange ? tn_session_indicator_count(session) : 0;
    f->states = tn_allocate(count + 1, sizeof *f->states);
    for (size_t k = 0; k < count && f->exchange; k++) {
        char name[32];
        snprintf(name, sizeof name, "state[%zu]", k + 1);
        put_variable(&f->states[k], FMU_STATE + (unsigned)k, name, "", y[k]);
        f->state_count++;
    }
    free(y);
    free(rate);
}

/* ---- dependencies ---- */

/* A number in [-1, 1] from a fixed sequence: the same FMU for the same model. */
static double next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / (double)(1ll << 52) - 1;
}

/* Another state in the neighbourhood: all numbers a little different, inputs within their bounds. */
static int move_session(const fmu_facts *f, tn_session *session, const double *start, double *y, uint64_t *seed)
{
    size_t size = tn_session_state_size(session), states = size - TN_INPUT_NUMBERS * f->input_count;
    for (size_t k = 0; k < states; k++)
        y[k] = start[k] + 0.05 * next_number(seed);
    for (size_t k = 0; k < f->input_count; k++) {
        const fmu_variable *v = &f->inputs[k];
        memset(y + states + TN_INPUT_NUMBERS * k, 0, TN_INPUT_NUMBERS * sizeof *y);
        y[states + TN_INPUT_NUMBERS * k] = fmin(fmax(v->start + next_number(seed), v->low), v->high);
    }
    return tn_session_set_state(session, 0.01, y);
}

static void mark_column(fmu_facts *f, size_t known, const double *outputs, const double *rates)
{
    const double nothing = 1e-9;       /* derivatives below this are round-off of their differences */
    size_t knowns = f->input_count + f->state_count;
    for (size_t i = 0; i < f->output_count; i++)
        f->depends[i * knowns + known] |= !(fabs(outputs[i]) <= nothing);
    for (size_t i = 0; i < f->state_count; i++)
        f->depends[(f->output_count + i) * knowns + known] |= !(fabs(rates[i]) <= nothing);
}

/* Moves one known by a step and compares values and rates with those at the state. A derivative is zero where an even function
 * has its minimum, such as the absolute value of a distance that is zero, although the function depends on the known. */
static void move_known(fmu_facts *f, tn_session *session, tn_readout *readout, size_t known, const double *base, double *work)
{
    const double step = 1e-3;
    const size_t size = tn_session_state_size(session), states = size - TN_INPUT_NUMBERS * f->input_count;
    double *y = work, *rates = work + size, *values = rates + size;
    tn_session_state(y, session);
    y[known < f->input_count ? states + TN_INPUT_NUMBERS * known : known - f->input_count] += step;
    if (tn_session_rate_at(rates, session, tn_session_time(session), y) < 0 ||
        tn_readout_values_at(values, readout, tn_session_time(session), y) < 0)
        return;                                        /* no solution there: the derivatives have to do */
    for (size_t k = 0; k < size; k++)
        rates[k] -= base[k];
    for (size_t k = 0; k < f->output_count; k++)
        values[k] -= base[size + k];
    mark_column(f, known, values, rates);
}

/* work: room for five states, inputs and three times the outputs. */
static int try_state(fmu_facts *f, tn_session *session, tn_readout *readout, double *work)
{
    size_t size = tn_session_state_size(session);
    double *direction = work, *rates = work + size, *inputs = rates + size, *outputs = inputs + f->input_count;
    double *base = outputs + f->output_count, *moved = base + size + f->output_count;
    tn_session_state(moved, session);
    bool solved = tn_session_rate_at(base, session, tn_session_time(session), moved) >= 0 &&
                  tn_readout_values_at(base + size, readout, tn_session_time(session), moved) >= 0;
    for (size_t known = 0; known < f->input_count + f->state_count; known++) {
        bool input = known < f->input_count;
        double *one = input ? &inputs[known] : &direction[known - f->input_count];
        *one = 1;
        int code = tn_session_derivative(rates, outputs, session, readout, direction, inputs);
        *one = 0;
        if (code < 0)
            return code;
        mark_column(f, known, outputs, rates);
        if (solved)
            move_known(f, session, readout, known, base, moved);
    }
    return TN_OK;
}

/* A known that could not be tried counts as one that everything depends on. */
static void find_dependencies(fmu_facts *f, tn_context *context, tn_session *session)
{
    enum { TRIES = 4 };
    size_t size = tn_session_state_size(session), knowns = f->input_count + f->state_count;
    size_t all = (f->output_count + f->state_count) * knowns;
    const char **names = tn_allocate(f->output_count + 1, sizeof *names);
    double *work = tn_allocate(7 * size + f->input_count + 3 * f->output_count + 1, sizeof *work);
    double *start = work + 5 * size + f->input_count + 3 * f->output_count, *y = start + size;
    tn_readout *readout = NULL;
    uint64_t seed = 1;
    f->depends = tn_allocate(all + 1, sizeof *f->depends);
    for (size_t k = 0; k < f->output_count; k++)
        names[k] = f->outputs[k].name;
    tn_session_state(start, session);
    bool tried = tn_readout_open(&readout, session, names, f->output_count) == TN_OK;
    for (int k = 0; k < TRIES && tried; k++) {
        if (k > 0 && move_session(f, session, start, y, &seed) < 0)
            continue;
        tried = try_state(f, session, readout, work) == TN_OK;
    }
    for (size_t k = 0; k < all && !tried; k++)
        f->depends[k] = true;
    tn_readout_close(readout);
    tn_diagnostics_clear(context);
    free(names);
    free(work);
}

/* The token tells this FMU from others: of the same model, with other outputs or of another kind. */
static void make_token(fmu_facts *f)
{
    uint64_t hash = tn_model_hash(f->model);
    for (size_t k = 0; k < f->output_count; k++)
        for (size_t i = 0; i <= strlen(f->outputs[k].name); i++)        /* with the end of the name */
            hash = (hash ^ (unsigned char)f->outputs[k].name[i]) * 1099511628211u;              /* FNV-1a */
    snprintf(f->token, sizeof f->token, "{%016" PRIx64 "-%s-fmi%d-%s%s}", hash, tn_version(), f->version, f->simulate ? "cs" : "",
             f->exchange ? "me" : "");
}

int tn_fmu_facts_find(fmu_facts *f, tn_context *context, tn_model *model, const char *const *outputs, size_t output_count)
{
    tn_session *session = NULL;
    f->model = model;
    for (size_t k = 0; k < output_count; k++) {
        int code = tn_model_add_output(model, outputs[k]);
        if (code < 0)
            return code;
    }
    int code = tn_session_open(&session, model, NULL);
    if (code < 0)
        return code;
    f->picture = tn_fmu_picture(&f->picture_size, session, model);
    list_parameters_and_inputs(f);
    list_states(f, session);
    list_outputs(f, session);
    make_token(f);
    find_dependencies(f, context, session);
    tn_session_close(session);
    tn_fmu_find_tunable(f, context, model);
    return TN_OK;
}

static void free_variables(fmu_variable *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(list[k].name);
    free(list);
}

void tn_fmu_facts_free(fmu_facts *f)
{
    free_variables(f->parameters, f->parameter_count);
    free_variables(f->inputs, f->input_count);
    free_variables(f->outputs, f->output_count);
    free_variables(f->states, f->state_count);
    free(f->depends);
    free(f->picture);
    for (size_t k = 0; k < f->source_count; k++)
        free(f->sources[k]);
    free(f->sources);
}
