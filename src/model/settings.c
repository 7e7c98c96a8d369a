/* Settings of schemes, integrators and solvers, and the expectations of a model about its solution. */
#include "diag.h"
#include "tables.h"

#include <math.h>
#include <string.h>

static bool same_target(const tn_solve_setting *s, const char *name, const char *joint)
{
    return strcmp(s->name, name) == 0 && (s->joint && joint ? strcmp(s->joint, joint) == 0 : s->joint == joint);
}

int tn_solve_set_for(tn_solve *solve, const char *name, const char *joint, double value)
{
    size_t k = 0;
    while (k < solve->setting_count && !same_target(&solve->settings[k], name, joint))
        k++;
    if (k == TN_MAX_SOLVE_SETTINGS)
        return TN_ERROR_ARGUMENT;
    solve->settings[k] = (tn_solve_setting){ name, joint, value };
    if (k == solve->setting_count)
        solve->setting_count++;
    return TN_OK;
}

int tn_solve_set(tn_solve *solve, const char *name, double value)
{
    return tn_solve_set_for(solve, name, NULL, value);
}

static bool is_positive(double x)
{
    return x > 0 && isfinite(x);
}

int tn_model_set_solve(tn_model *model, const tn_solve *solve)
{
    return tn_model_set_solve_at(model, solve, TN_NOWHERE);
}

tn_solve tn_model_solve(const tn_model *model)
{
    return model->solve;
}

static int check_limit(tn_model *model, tn_span span, const char *what, double limit)
{
    if (isnan(limit) || is_positive(limit))
        return TN_OK;
    return tn_fail(model->context, TN_ERROR_MODEL, span, "expect: %s %g must be positive", what, limit);
}

/* An energy error of all the energy in motion; a joint so far open that the run would have stopped, in m or rad. */
static const double ALL_ENERGY = 1, LOST_JOINT = 1;

int tn_model_expect(tn_model *model, double energy, double drift, tn_span span)
{
    int energy_code = check_limit(model, span, "energy", energy);
    TN_TRY(check_limit(model, span, "drift", drift));
    TN_TRY(energy_code);
    if (energy >= ALL_ENERGY)
        tn_warn(model->context, span, "expect: energy %g accepts an error as large as the energy in motion", energy);
    if (drift >= LOST_JOINT)
        tn_warn(model->context, span, "expect: drift %g accepts joints that are %g m or rad apart", drift, drift);
    model->expect.energy = energy;
    model->expect.drift = drift;
    model->expect.span = span;
    return TN_OK;
}

void tn_model_expect_nothing(tn_model *model)
{
    model->expect.energy = model->expect.drift = model->expect.tolerance = NAN;
    model->expect.stop = model->expect.reference = NULL;
    model->expect.column_count = 0;
}

int tn_model_expect_stop(tn_model *model, const char *event, tn_span span)
{
    for (size_t k = 0; k < model->event_count; k++)
        if (strcmp(model->events[k].name, event) == 0) {
            model->expect.stop = model->events[k].name;
            return TN_OK;
        }
    return tn_fail(model->context, TN_ERROR_MODEL, span, "expect: there is no event '%.80s'", event);
}

int tn_model_expect_reference(tn_model *model, const char *path, double tolerance, tn_span span)
{
    if (!is_positive(tolerance))
        return tn_fail(model->context, TN_ERROR_MODEL, span, "expect: tolerance %g must be positive", tolerance);
    char *copy = tn_arena_strdup(model->arena, path);
    if (!copy)
        return TN_ERROR_MEMORY;
    model->expect.reference = copy;
    model->expect.tolerance = tolerance;
    model->expect.span = span;
    return TN_OK;
}

int tn_model_expect_column(tn_model *model, const char *column, const char *channel, tn_span span)
{
    tn_expectation *e = &model->expect;
    for (size_t i = 0; i < e->column_count; i++)
        if (strcmp(e->columns[i].column, column) == 0)
            return tn_fail(model->context, TN_ERROR_MODEL, span, "expect: column '%.80s' is given twice", column);
    TN_TRY(tn_grow(model->context, &e->columns, &e->column_capacity, e->column_count + 1, sizeof *e->columns));
    char *own_column = tn_arena_strdup(model->arena, column), *own_channel = tn_arena_strdup(model->arena, channel);
    if (!own_column || !own_channel)
        return TN_ERROR_MEMORY;
    e->columns[e->column_count++] = (struct tn_expected_column){ own_column, own_channel, span };
    return TN_OK;
}
