/* Makes and destroys steppers: choice of methods, checks of the settings, memory (stepper.h). */
#include "stepper_impl.h"

#include <math.h>
#include "bumps.h"
#include "clocks.h"
#include "coupling.h"
#include "device_network.h"
#include "diag.h"
#include "passage.h"
#include "slide.h"

static double *stepper_vector(tn_stepper *st, int n)
{
    return tn_arena_alloc(st->arena, (size_t)n, sizeof(double));
}

static int allocate_stepper(tn_stepper *st)
{
    const tn_system *s = st->system;
    int n = s->size;
    int vectors = st->scheme->step ? st->scheme->vectors : st->integrator->vectors;
    bool lazy = st->chosen->takes_pins && !st->scheme->accelerate && !st->scheme->step;
    TN_TRY(tn_coupled_eval_create(&st->eval, s, st->coupling, st->arena, lazy));
    st->y = stepper_vector(st, n);
    st->dy = stepper_vector(st, n);
    st->y1 = stepper_vector(st, n);
    st->dy1 = stepper_vector(st, n);
    st->scratch = stepper_vector(st, n);
    st->stage = st->error = stepper_vector(st, n);
    st->delta = stepper_vector(st, s->velocities);
    st->u = stepper_vector(st, s->rows);
    st->memory = stepper_vector(st, s->memory);
    st->multipliers = stepper_vector(st, st->scheme->step ? s->rows : 0);
    st->step.work = stepper_vector(st, n * vectors);
    TN_TRY(tn_arena_status(st->arena));
    st->structure = s->structure;
    if (st->chosen->takes_pins) {
        st->structure.pin_kind = s->pin_kind;
        st->structure.pins = st->eval->pins;
    }
    TN_TRY(tn_slides_allocate(st));
    TN_TRY(tn_passage_allocate(st));
    TN_TRY(tn_clocks_create(st));
    TN_TRY(tn_bumps_create(st));
    st->solver = st->chosen;
    TN_TRY(tn_coupled_analyze(&st->saddle, &st->solver, st->eval, s, &st->structure,
                             lazy ? s->tape_jacobian_size : s->jacobian_size, st->arena));
    tn_coupled_share_matrices(st->saddle, st->eval, s);
    if (st->chosen->takes_pins)
        st->structure.pins = st->eval->pins;
    return TN_OK;
}

int tn_solve_check_length(tn_context *context, const tn_solve *solve, tn_span span)
{
    static const double MOST = 1e12;
    double until = isfinite(solve->until) && solve->until > 0 ? solve->until : 1;
    const struct { const char *name; double value; const char *what; } items[] = {
        { "step", solve->step, "steps" }, { "max_step", solve->max_step, "steps" }, { "record", solve->record, "rows" },
    };
    for (size_t k = 0; k < TN_LENGTH(items); k++)
        if (items[k].value > 0 && until / items[k].value > MOST * (1 + TN_WHOLE_STEP))
            return tn_fail(context, TN_ERROR_ARGUMENT, span,
                           "solve.%s: %g s is too short: %.3g %s for %g s, where %g are the most", items[k].name,
                           items[k].value, until / items[k].value, items[k].what, until, MOST);
    return TN_OK;
}

/* Without step control the settings must contain a step length. */
static int check_step(const tn_stepper *st, tn_span span)
{
    tn_context *context = st->system->context;
    if (!isnan(st->solve.step))
        return TN_OK;
    if (st->scheme->step)
        return tn_fail(context, TN_ERROR_ARGUMENT, span, "scheme '%s' has a fixed step: give solve.step",
                       st->scheme->name);
    if (st->scheme->needs_step && st->scheme->needs_step(st))
        return tn_fail(context, TN_ERROR_ARGUMENT, span,
                       "scheme '%s' takes its gains from solve.step, which is not given", st->scheme->name);
    if (!st->integrator->error && !st->integrator->advance)
        return tn_fail(context, TN_ERROR_ARGUMENT, span, "integrator '%s' has a fixed step: give solve.step",
                       st->integrator->name);
    return TN_OK;
}

static void take_tolerances(tn_stepper *st, const tn_solve *solve)
{
    const double least = 1e-13;                        /* below, local errors are round-off */
    const double share = st->system->network && st->integrator->network_share > 0 ? st->integrator->network_share : 1;
    st->tolerance = fmax(share * solve->tolerance, fmin(least, solve->tolerance));
    st->absolute_tolerance = fmax(share * solve->absolute_tolerance, fmin(least, solve->absolute_tolerance));
}

bool tn_stepper_is_coarse(const tn_stepper *st)
{
    const double loose = 1e-5;                         /* far above what the network and its account are solved to otherwise */
    return st->system->network && st->integrator->advance && st->solve.tolerance >= loose;
}

/* Refuses components with methods that need the masses of all bodies or the derivatives of all forces. */
static int check_components(const tn_stepper *st)
{
    const tn_integrator_type *integrator = tn_stepper_integrator(st);
    const char *instead = "take 'projection' or 'baumgarte'";
    char what[80];
    if (st->scheme->accelerate || st->scheme->step) {
        snprintf(what, sizeof what, "scheme '%s'", st->scheme->name);
    } else if (integrator && integrator->create && !integrator->advances_components) {
        snprintf(what, sizeof what, "integrator '%s'", integrator->name);
        instead = "take 'dopri5', or 'modular', with which components take steps of their own";
    } else {
        return TN_OK;
    }
    return tn_refuse_components(st->system->model, what, instead);
}

static int build_stepper(tn_stepper *st, const tn_solve *solve, tn_span span)
{
    TN_TRY(tn_stepper_choose(st, solve, span));
    TN_TRY(check_components(st));
    TN_TRY(tn_solve_check_length(st->system->context, &st->solve, span));
    TN_TRY(check_step(st, span));
    st->h = solve->step;
    st->max_h = solve->max_step;
    take_tolerances(st, solve);
    TN_TRY(allocate_stepper(st));
    if (tn_stepper_is_coarse(st))
        st->eval->network->accuracy = 1e-7 * st->solve.tolerance;
    TN_TRY(tn_stepper_configure(st, span));
    const tn_integrator_type *integrator = tn_stepper_integrator(st);
    return integrator && integrator->create ? integrator->create(&st->step.own, st, span) : TN_OK;
}

int tn_stepper_create(tn_stepper **out, const tn_system *system, tn_coupling *coupling, const tn_solve *solve,
                      tn_span span)
{
    tn_stepper *st = tn_alloc(system->context, 1, sizeof *st);
    if (!st)
        return TN_ERROR_MEMORY;
    st->system = system;
    st->coupling = coupling;
    st->arena = tn_arena_create(system->context);
    int code = st->arena ? build_stepper(st, solve, span) : TN_ERROR_MEMORY;
    if (code < 0) {
        tn_stepper_destroy(st);
        return code;
    }
    *out = st;
    return TN_OK;
}

void tn_stepper_destroy(tn_stepper *st)
{
    if (!st)
        return;
    if (st->step.own)
        st->integrator->destroy(st->step.own);
    tn_places_destroy(st);
    if (st->saddle)
        st->solver->destroy(st->saddle);
    if (st->arena)
        tn_arena_destroy(st->arena);
    tn_free(st->system->context, st);
}
