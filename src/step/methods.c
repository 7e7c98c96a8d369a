/* Finds scheme, integrator and solver by name, and reads the settings they take. */
#include "stepper.h"

#include <math.h>
#include <string.h>
#include "allowances.h"
#include "diag.h"

/* ---- by name ---- */

#define DEFINE_FIND(what, table)                                                                                      \
    static const tn_##what##_type *look_up_##what(const char *name)                                                   \
    {                                                                                                                 \
        size_t k = 0;                                                                                                 \
        while (table[k] && strcmp(table[k]->name, name) != 0)                                                         \
            k++;                                                                                                      \
        return table[k];                                                                                              \
    }                                                                                                                 \
    static const char *what##_candidate(void *user, size_t index)                                                     \
    {                                                                                                                 \
        (void)user;                                                                                                   \
        return table[index] ? table[index]->name : NULL;                                                              \
    }                                                                                                                 \
    static int find_##what(const tn_##what##_type **out, tn_context *context, const char *name, tn_span span)         \
    {                                                                                                                 \
        char hint[80];                                                                                                \
        *out = look_up_##what(name);                                                                                  \
        return *out ? TN_OK                                                                                           \
                    : tn_fail(context, TN_ERROR_ARGUMENT, span, "there is no " #what " '%s'%s", name,                 \
                              tn_did_you_mean(hint, sizeof hint, name, what##_candidate, NULL));                      \
    }
DEFINE_FIND(solver, tn_solver_types)
DEFINE_FIND(scheme, tn_scheme_types)
DEFINE_FIND(integrator, tn_integrator_types)

/* The message says when other builds have the integrator. */
static int find_built_integrator(const tn_integrator_type **out, tn_context *context, const char *name, tn_span span)
{
    bool of_sundials = strcmp(name, "cvode") == 0 || strcmp(name, "ida") == 0;
    *out = look_up_integrator(name);
    if (!*out && of_sundials)
        return tn_fail(context, TN_ERROR_ARGUMENT, span,
                       "this build has no SUNDIALS, which the integrator '%s' needs: use generalized-alpha for stiff "
                       "models, or build Tenon with SUNDIALS", name);
    return find_integrator(out, context, name, span);
}

/* ---- parameters ---- */

_Static_assert((int)TN_SOLVER_PARAMETERS == (int)TN_METHOD_PARAMETERS, "parameter lists are handled alike");

enum { SCHEME_LIST, INTEGRATOR_LIST, SOLVER_LIST, LISTS };

typedef struct declarations {
    const tn_parameter_decl *lists[LISTS]; /* NULL: none */
} declarations;

static const tn_parameter_decl *declared(const declarations *d, int list, int k)
{
    bool there = d->lists[list] && k < TN_METHOD_PARAMETERS && d->lists[list][k].name;
    return there ? &d->lists[list][k] : NULL;
}

static declarations declarations_of(const tn_scheme_type *scheme, const tn_integrator_type *integrator,
                                    const tn_solver_type *solver)
{
    return (declarations){ { [SCHEME_LIST] = scheme ? scheme->parameters : NULL,
                             [INTEGRATOR_LIST] = integrator ? integrator->parameters : NULL,
                             [SOLVER_LIST] = solver ? solver->parameters : NULL } };
}

static size_t gather(tn_parameter_decl *out, const declarations *d)
{
    size_t count = 0;
    const tn_parameter_decl *p;
    for (int list = 0; list < LISTS; list++)
        for (int k = 0; (p = declared(d, list, k)) != NULL; k++)
            out[count++] = *p;
    return count;
}

size_t tn_solve_parameters(tn_parameter_decl out[TN_SOLVE_PARAMETERS], const tn_solve *solve)
{
    declarations d = declarations_of(look_up_scheme(solve->scheme), look_up_integrator(solve->integrator),
                                     look_up_solver(solve->solver));
    return gather(out, &d);
}

static bool declares(const tn_parameter_decl *all, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(all[k].name, name) == 0)
            return true;
    return false;
}

void tn_solve_drop_foreign(tn_solve *solve)
{
    tn_parameter_decl all[TN_SOLVE_PARAMETERS];
    size_t count = tn_solve_parameters(all, solve), kept = 0;
    for (size_t k = 0; k < solve->setting_count; k++)
        if (declares(all, count, solve->settings[k].name))
            solve->settings[kept++] = solve->settings[k];
    solve->setting_count = kept;
}

/* ---- settings ---- */

static declarations chosen(const tn_stepper *st)
{
    return declarations_of(st->scheme, st->integrator, st->chosen);
}

static const char *setting_candidate(void *user, size_t index)
{
    declarations d = chosen(user);
    tn_parameter_decl all[TN_SOLVE_PARAMETERS];
    return index < gather(all, &d) ? all[index].name : NULL;
}

static double *values_of(tn_stepper *st, int list)
{
    double *const values[] = { st->scheme_values, st->integrator_values, st->solver_values };
    return values[list];
}

/* Gives a setting to every method that declares its name. A setting for a single joint is stored until there is a
 * solver; it keeps a pointer to the declared name, which is static. */
static bool place_setting(tn_stepper *st, tn_solve_setting *setting)
{
    declarations d = chosen(st);
    const tn_parameter_decl *p;
    bool found = false;
    for (int list = 0; list < LISTS; list++)
        for (int k = 0; (p = declared(&d, list, k)) != NULL; k++)
            if (strcmp(p->name, setting->name) == 0) {
                if (!setting->joint)
                    values_of(st, list)[k] = setting->value;
                setting->name = p->name;
                found = true;
            }
    return found;
}

static int check_joint(tn_stepper *st, tn_solve_setting *setting, tn_span span)
{
    char hint[80];
    const tn_model *model = st->system->model;
    tn_id joint = tn_model_find(model, setting->joint);
    if (joint.kind != TN_KIND_JOINT)
        return tn_fail(st->system->context, TN_ERROR_ARGUMENT, span, "solve: %s: there is no joint '%.80s'%s",
                       setting->name, setting->joint,
                       tn_did_you_mean(hint, sizeof hint, setting->joint, tn_model_name_candidate,
                                       (void *)(uintptr_t)model));
    setting->joint = tn_model_entity_name(model, joint);
    return TN_OK;
}

static int take_setting(tn_stepper *st, tn_solve_setting *setting, tn_span span)
{
    char hint[80];
    if (!place_setting(st, setting))
        return tn_fail(st->system->context, TN_ERROR_ARGUMENT, span,
                       "scheme '%s', integrator '%s' and solver '%s' take no '%s'%s", st->scheme->name,
                       st->integrator->name, st->chosen->name, setting->name,
                       tn_did_you_mean(hint, sizeof hint, setting->name, setting_candidate, st));
    if (!(setting->value >= 0) || !isfinite(setting->value))
        return tn_fail(st->system->context, TN_ERROR_ARGUMENT, span, "solve: %s %g must be a number, 0 or greater",
                       setting->name, setting->value);
    return setting->joint ? check_joint(st, setting, span) : TN_OK;
}

static int place_of(const tn_stepper *st, int list, const char *name)
{
    declarations d = chosen(st);
    const tn_parameter_decl *p;
    for (int k = 0; (p = declared(&d, list, k)) != NULL; k++)
        if (strcmp(p->name, name) == 0)
            return k;
    return -1;
}

static int configure_joint(tn_stepper *st, const tn_solve_setting *setting, tn_span span)
{
    const tn_system *s = st->system;
    int of_scheme = place_of(st, SCHEME_LIST, setting->name), of_solver = place_of(st, SOLVER_LIST, setting->name);
    int constraint = s->constraint_of[tn_model_find(s->model, setting->joint).index];
    tn_saddle_info info = { 0 };
    if (constraint < 0)                    /* the joint is not in the system */
        return TN_OK;
    if (of_scheme >= 0 && st->scheme->joint_parameters) {
        st->joint_values[st->joint_value_count++] = (tn_joint_value){ of_scheme, constraint, setting->value };
        return TN_OK;
    }
    if (of_solver >= 0 && st->solver->configure_constraint) {
        if (st->solver->configure_constraint(st->saddle, of_solver, constraint, setting->value) >= 0)
            return TN_OK;
        st->solver->info(st->saddle, &info);
    }
    return tn_fail(s->context, TN_ERROR_ARGUMENT, span, "solve: %s: %s", setting->name,
                   info.trouble ? info.trouble : "this setting is for all joints alike");
}

int tn_stepper_configure(tn_stepper *st, tn_span span)
{
    tn_saddle_info info;
    if (st->solver->configure && st->solver->configure(st->saddle, st->solver_values) < 0) {
        st->solver->info(st->saddle, &info);
        return tn_fail(st->system->context, TN_ERROR_ARGUMENT, span, "solver '%s': %s", st->chosen->name,
                       info.trouble ? info.trouble : "its settings make no sense");
    }
    for (size_t k = 0; k < st->solve.setting_count; k++)
        if (st->solve.settings[k].joint)
            TN_TRY(configure_joint(st, &st->solve.settings[k], span));
    return TN_OK;
}

static void take_defaults(tn_stepper *st)
{
    declarations d = chosen(st);
    const tn_parameter_decl *p;
    for (int list = 0; list < LISTS; list++)
        for (int k = 0; (p = declared(&d, list, k)) != NULL; k++)
            values_of(st, list)[k] = p->initial;
}

/* When components take their own steps and some of them cannot compute D, chooses a solver that needs only
 * responses. */
static const tn_solver_type *solver_between(const tn_stepper *st)
{
    size_t k = 0;
    if (!st->integrator->advances_components || tn_system_allows(st->system, TN_ALLOW_KEPT_FACTORS) || st->chosen->asks)
        return st->chosen;
    while (!tn_solver_types[k]->asks)
        k++;
    return tn_solver_types[k];
}

/* True: contacts hold moving bodies to each other. */
static bool bodies_touch(const tn_system *s)
{
    for (int k = 0; k < s->layout.joint_count; k++) {
        int c = s->own_constraints + k;
        if (s->layout.joints[k].term_count == 0 && s->structure.block_begin[c + 1] - s->structure.block_begin[c] > 1)
            return true;
    }
    return false;
}

/* Where nearly parallel faces of bodies touch, elimination body by body meets pivots as small as the angle between the
 * faces, and loses twice the digits. The default solver is then replaced by a solver that compares whole rows. */
static const tn_solver_type *solver_of_contacts(const tn_stepper *st)
{
    size_t k = 0;
    if (st->chosen != tn_solver_types[0] || !tn_system_allows(st->system, TN_ALLOW_OTHER_SOLVER) || !bodies_touch(st->system))
        return st->chosen;
    while (!tn_solver_types[k]->whole_rows)
        k++;
    return tn_solver_types[k];
}

int tn_stepper_choose(tn_stepper *st, const tn_solve *solve, tn_span span)
{
    tn_context *context = st->system->context;
    TN_TRY(find_solver(&st->chosen, context, solve->solver, span));
    TN_TRY(find_scheme(&st->scheme, context, solve->scheme, span));
    TN_TRY(find_built_integrator(&st->integrator, context, solve->integrator, span));
    st->solve = *solve;
    st->solve.scheme = st->scheme->name;
    st->solve.integrator = st->integrator->name;
    st->solve.solver = st->chosen->name;
    st->chosen = solver_between(st);
    st->chosen = solver_of_contacts(st);
    take_defaults(st);
    for (size_t k = 0; k < st->solve.setting_count; k++)
        TN_TRY(take_setting(st, &st->solve.settings[k], span));
    return TN_OK;
}

double tn_scheme_parameter(const tn_stepper *st, int index)
{
    return st->scheme_values[index];
}

double tn_scheme_parameter_for(const tn_stepper *st, int index, int constraint)
{
    for (size_t k = 0; k < st->joint_value_count; k++)
        if (st->joint_values[k].parameter == index && st->joint_values[k].constraint == constraint)
            return st->joint_values[k].value;
    return st->scheme_values[index];
}

double tn_integrator_parameter(const tn_stepper *st, int index)
{
    return st->integrator_values[index];
}

double tn_gain_step(const tn_stepper *st)
{
    return st->solve.step;
}
