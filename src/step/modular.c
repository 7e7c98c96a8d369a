/* Integrator "modular": every part of the model (division.h) takes its own steps within a macro step of length h, under
 * coupling forces phi that change linearly over the macro step. phi has two terms:
 *     forces between parts, evaluated at both ends of the macro step;
 *     reactions of joints between parts. At the start they follow from the solution of the whole.
 * At the end the velocities of the parts do not agree: the rows of joints between them have rates g'. The
 * impulses that close them,
 *     M dv - G' mu = 0,   G dv = -g'
 * as in the projection of velocities, are the error of the reactions. A correction adds them to the multipliers, evenly
 * over the macro step (interpolation 0: multipliers are constant) or growing from its start (1: linear), and the parts
 * repeat the macro step. The scheme's projection removes the error that remains after the last pass. The reactions at
 * the end are G' lambda with G at the end, because bodies have rotated.
 *
 * M, the inertia, is an estimate of the response of the parts over a macro step. A stiff part responds less, and the
 * corrections would be too small by a factor: from the second correction on, they are scaled by the effect of the last
 * one (Aitken). A macro step keeps nothing from the macro step before.
 *
 * Components advance like parts, from their snapshot at the start of the macro step; their response is D instead of
 * 1 / M. */
#include "module.h"

#include <math.h>
#include <string.h>
#include "coupling.h"
#include "diag.h"

enum { CORRECTIONS, INTERPOLATION, SUBSTEPS };
static const double MOST_CORRECTIONS = 100, MOST_SUBSTEPS = 1e6;
/* Bounds of the scale of a correction. Beyond them, the last two passes do not predict the next one. */
static const double LEAST_SCALE = 0.1, MOST_SCALE = 20;

typedef struct modular {
    tn_stepper *whole;
    tn_division division;
    tn_module *parts;
    int made;                      /* parts to be freed */
    int corrections;
    bool linear;
    bool joints, between;          /* there are joints between parts; joints or forces */
    double *lambda;                /* multipliers at the start; here and below only of joints between parts */
    double *mean;                  /* sum of the corrections of lambda, mean over the macro step */
    double *rows;                  /* scratch, laid out like lambda */
    double *reaction;              /* at the start; over the velocities of the whole, like all arrays below */
    double *forces[2];             /* at both ends */
    double *phi[2];                /* forces plus reactions, at both ends */
    double *impulse, *answer, *last_impulse, *last_answer;     /* G' mu and M^-1 G' mu; of the correction before */
    double scale;
    char trouble[200];
} modular;

/* ---- life ---- */

static int refuse(const modular *w, tn_span span, const char *what)
{
    return tn_fail(w->whole->system->context, TN_ERROR_ARGUMENT, span, "integrator 'modular': %s", what);
}

static int check_settings(const modular *w, tn_span span)
{
    double corrections = tn_integrator_parameter(w->whole, CORRECTIONS);
    double order = tn_integrator_parameter(w->whole, INTERPOLATION);
    double substeps = tn_integrator_parameter(w->whole, SUBSTEPS);
    if (floor(corrections) != corrections || corrections > MOST_CORRECTIONS)
        return refuse(w, span, "corrections must be a whole number up to 100");
    if (order != 0 && order != 1)
        return refuse(w, span, "interpolation must be 0 (constant) or 1 (linear)");
    if (!(substeps >= 1) || floor(substeps) != substeps || substeps > MOST_SUBSTEPS)
        return refuse(w, span, "substeps must be a whole number from 1 to 1000000");
    return TN_OK;
}

/* Refuses models in which a part would need values from inside another part. */
static int check_model(const modular *w, tn_span span)
{
    const tn_system *s = w->whole->system;
    for (int k = 0; k < s->force_count; k++) {
        const tn_entity *force = &s->model->forces[s->forces[k].source].entity;
        if (s->forces[k].reacts && w->division.force[k] == TN_BETWEEN)
            return tn_fail(s->context, TN_ERROR_ARGUMENT, force->span,
                           "force '%s' follows a reaction between parts: integrator 'modular' knows those within parts",
                           force->name);
    }
    for (int i = 0; i < s->constraint_count; i++)
        if (s->constraints[i].separation >= 0 && w->division.constraint[i] == TN_BETWEEN)
            return tn_fail(s->context, TN_ERROR_ARGUMENT, tn_constraint_span(s, i),
                           "joint '%s': its teeth push parts apart by a reaction between them: integrator 'modular' knows "
                           "reactions within parts; set its pressure angle to 0, or take another integrator",
                           tn_constraint_name(s, i));
    if (s->gravity_formula && s->gravity_formula->slot_count > 0 && w->division.count > 1)
        return refuse(w, span, "gravity must not depend on the motion");
    if (s->network)
        return refuse(w, span, "devices and nodes are solved together with the whole model: take another integrator");
    if (w->joints && !w->whole->scheme->finish)
        return refuse(w, span, "joints between parts need scheme 'projection'");
    return TN_OK;
}

static void look_between(modular *w)
{
    const tn_system *s = w->whole->system;
    for (int i = 0; i < s->constraint_count; i++)
        w->joints |= w->division.constraint[i] == TN_BETWEEN;
    w->between = w->joints;
    for (int k = 0; k < s->force_count; k++)
        w->between |= w->division.force[k] == TN_BETWEEN;
}

static int allocate(modular *w)
{
    const tn_system *s = w->whole->system;
    double **vectors[] = { &w->reaction, &w->forces[0], &w->forces[1], &w->phi[0], &w->phi[1], &w->impulse, &w->answer,
                           &w->last_impulse, &w->last_answer };
    double **multipliers[] = { &w->lambda, &w->mean, &w->rows };
    for (size_t k = 0; k < TN_LENGTH(vectors); k++)
        if (!(*vectors[k] = tn_arena_alloc(w->whole->arena, (size_t)s->velocities, sizeof(double))))
            return TN_ERROR_MEMORY;
    for (size_t k = 0; k < TN_LENGTH(multipliers); k++)
        if (!(*multipliers[k] = tn_arena_alloc(w->whole->arena, (size_t)s->rows, sizeof(double))))
            return TN_ERROR_MEMORY;
    w->parts = tn_arena_alloc(w->whole->arena, (size_t)w->division.count, sizeof *w->parts);
    return w->parts ? TN_OK : TN_ERROR_MEMORY;
}

/* The rest of the model: scheme and solver of the whole, rk4. */
static tn_solve settings_of_rest(const tn_stepper *whole)
{
    tn_solve solve = whole->solve;
    solve.integrator = "rk4";
    solve.step /= tn_integrator_parameter(whole, SUBSTEPS);
    tn_solve_drop_foreign(&solve);
    return solve;
}

static int build_modular(modular *w, tn_span span)
{
    tn_stepper *st = w->whole;
    const tn_solve rest = settings_of_rest(st);
    TN_TRY(check_settings(w, span));
    w->corrections = (int)tn_integrator_parameter(st, CORRECTIONS);
    w->linear = tn_integrator_parameter(st, INTERPOLATION) == 1;
    TN_TRY(tn_divide(&w->division, st->system, st->arena));
    look_between(w);
    TN_TRY(tn_coupling_check_advance(w->whole->system, "integrator 'modular'"));
    TN_TRY(check_model(w, span));
    TN_TRY(allocate(w));
    for (int p = 0; p < w->division.count; p++) {
        w->made++;
        TN_TRY(tn_module_create(&w->parts[p], st, &w->division.parts[p], &rest, st->solve.step));
    }
    return TN_OK;
}

static int create_modular(void **own, tn_stepper *stepper, tn_span span)
{
    modular *w = tn_arena_alloc(stepper->arena, 1, sizeof *w);
    if (!w)
        return TN_ERROR_MEMORY;
    w->whole = stepper;
    *own = w;
    return build_modular(w, span);
}

static void destroy_modular(void *own)
{
    modular *w = own;
    for (int p = 0; p < w->made; p++)
        tn_module_free(&w->parts[p]);
}

static void restart(void *own)
{
    (void)own;                     /* a macro step keeps no history */
}

/* ---- coupling of parts ---- */

/* Copies the multipliers of joints between parts; the others are 0. */
static void pick_rows(const modular *w, const double *multipliers, double *out)
{
    const tn_system *s = w->whole->system;
    for (int i = 0; i < s->constraint_count; i++)
        for (int row = s->constraints[i].row; row < s->constraints[i].row + s->constraints[i].rows; row++)
            out[row] = w->division.constraint[i] == TN_BETWEEN ? multipliers[row] : 0;
}

/* out = G' rows, with G as last evaluated. */
static void apply_rows(const modular *w, const double *rows, double *out)
{
    memset(out, 0, (size_t)w->whole->system->velocities * sizeof(double));
    tn_add_joint_forces(w->whole, rows, out);
}

/* The forces between parts, and the rates of states there, at the motion in eval. */
static int evaluate_forces(modular *w, double *out)
{
    const tn_system *s = w->whole->system;
    tn_eval *e = w->whole->eval;
    memset(e->f, 0, (size_t)s->velocities * sizeof(double));
    e->failed = NULL;
    tn_eval_drives(e, s, w->whole->memory);
    for (int k = 0; k < s->force_count; k++)
        if (w->division.force[k] == TN_BETWEEN)
            tn_eval_force(e, s, &s->forces[k], w->whole->memory);
    int pulled = e->pull ? tn_pull_load_body(e->pull, s) : -1;
    if (pulled >= 0 && w->division.body[pulled] == TN_BETWEEN)
        tn_eval_pull(e, s);
    memcpy(out, e->f, (size_t)s->velocities * sizeof(double));
    return e->failed ? TN_ERROR_STEP : TN_OK;
}

/* First guess: the coupling forces keep their values of the start over the whole step. */
static int predict(modular *w, const tn_step *step)
{
    tn_stepper *st = w->whole;
    st->with_lambda = true;
    int code = tn_stepper_evaluate(st, step->t, step->y0);
    st->with_lambda = false;
    TN_TRY(code);
    pick_rows(w, st->eval->lambda, w->lambda);
    apply_rows(w, w->lambda, w->reaction);
    memset(w->mean, 0, (size_t)st->system->rows * sizeof(double));
    w->scale = 1;
    TN_TRY(evaluate_forces(w, w->forces[0]));
    for (int k = 0; k < st->system->velocities; k++)
        w->phi[0][k] = w->phi[1][k] = w->reaction[k] + w->forces[0][k];
    return TN_OK;
}

/* Advances the states of forces between parts by the trapezoidal rule. In the first pass the rates at the end are the
 * rates at the start. */
static void move_states(const modular *w, const tn_step *step, const double *rates)
{
    const int first = step->positions + step->velocities;
    for (int k = 0; k < step->states; k++)
        if (w->division.state[k] == TN_BETWEEN)
            step->y1[first + k] = step->y0[first + k] + step->h / 2 * (step->dy0[first + k] + rates[k]);
}

/* Computes the missing impulses of joints between parts (rows and impulse) and their effect on velocities. */
static int find_impulses(modular *w)
{
    tn_stepper *st = w->whole;
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, TN_RANK_KEEP));
    for (int i = 0; i < s->rows; i++)
        st->u[i] = -e->gdot[i];
    memset(e->f, 0, (size_t)s->velocities * sizeof(double));
    TN_TRY(st->solver->solve(st->saddle, e->f, st->u, st->delta, e->lambda));
    pick_rows(w, e->lambda, w->rows);
    apply_rows(w, w->rows, w->impulse);
    memcpy(w->answer, w->impulse, (size_t)s->velocities * sizeof(double));
    for (int b = 0; b < s->body_count; b++)
        tn_eval_divide_by_mass(st->eval, st->system, b, w->answer + s->bodies[b].v);
    TN_TRY(tn_coupling_condense_levels(e, s, TN_RANK_KEEP, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN));
    return tn_coupling_answer(e, s, w->impulse, w->answer);
}

/* The scale of the next correction, from the effect of the last one, in the mass metric. */
static void scale_correction(modular *w)
{
    double along = 0, square = 0;
    for (int k = 0; k < w->whole->system->velocities; k++) {
        double change = w->last_answer[k] - w->answer[k];
        along += w->last_impulse[k] * change;
        square += (w->last_impulse[k] - w->impulse[k]) * change;
    }
    if (square > 0)
        w->scale = fmin(MOST_SCALE, fmax(LEAST_SCALE, w->scale * along / square));
}

static int correct_multipliers(modular *w, double h, int pass)
{
    const size_t size = (size_t)w->whole->system->velocities * sizeof(double);
    TN_TRY(find_impulses(w));
    if (pass > 1)
        scale_correction(w);
    for (int i = 0; i < w->whole->system->rows; i++)
        w->mean[i] += w->scale * w->rows[i] / h;
    memcpy(w->last_impulse, w->impulse, size);
    memcpy(w->last_answer, w->answer, size);
    return TN_OK;
}

/* phi from multipliers and forces, with G at the end. */
static void sum_up(modular *w)
{
    const tn_system *s = w->whole->system;
    double *added = w->impulse, *end = w->answer;      /* reused as scratch */
    apply_rows(w, w->mean, added);
    apply_rows(w, w->lambda, end);
    for (int k = 0; k < s->velocities; k++) {
        w->phi[0][k] = w->reaction[k] + w->forces[0][k] + (w->linear ? 0 : added[k]);
        w->phi[1][k] = end[k] + w->forces[1][k] + (w->linear ? 2 : 1) * added[k];
    }
}

static int correct(modular *w, const tn_step *step, int pass)
{
    tn_stepper *st = w->whole;
    const tn_system *s = st->system;
    tn_eval_motion(st->eval, s, step->t + step->h, step->y1, step->y1 + s->positions);
    tn_eval_constraints(st->eval, s, st->memory, 1, true);
    TN_TRY(evaluate_forces(w, w->forces[1]));
    move_states(w, step, st->eval->dz);
    if (w->joints)
        TN_TRY(correct_multipliers(w, step->h, pass));
    sum_up(w);
    return TN_OK;
}

/* ---- steps ---- */

static int advance_parts(modular *w, const tn_step *step)
{
    tn_stepper *st = w->whole;
    for (int p = 0; p < w->division.count; p++) {
        int code = tn_module_advance(&w->parts[p], st, step, w->phi[0], w->phi[1]);
        if (code == TN_ERROR_STEP) {
            snprintf(w->trouble, sizeof w->trouble, "part '%.120s' could not take its own steps",
                     tn_module_name(&w->parts[p]));
            st->trouble = w->trouble;
        }
        TN_TRY(code);
    }
    return tn_coupling_advance(st->eval, st->system, step, st->memory, w->phi[0], w->phi[1]);
}

static int step_modular(tn_stepper *st, tn_step *s)
{
    modular *w = s->own;
    const int passes = w->between ? w->corrections : 0;
    (void)st;                      /* is w->whole */
    if (w->between)
        TN_TRY(predict(w, s));
    move_states(w, s, s->dy0 + s->positions + s->velocities);
    for (int pass = 0;; pass++) {
        TN_TRY(advance_parts(w, s));
        if (pass == passes)
            return TN_OK;
        TN_TRY(correct(w, s, pass + 1));
    }
}

static modular *modular_of(const tn_stepper *st)
{
    return st->integrator->create == create_modular ? st->step.own : NULL;
}

int tn_stepper_modules(const tn_stepper *st, const tn_module **parts)
{
    const modular *w = modular_of(st);
    if (!w)
        return 0;
    *parts = w->parts;
    return w->division.count;
}

void tn_stepper_use_model(tn_stepper *st, const tn_model *model)
{
    modular *w = modular_of(st);
    for (int p = 0; w && p < w->made; p++)
        w->parts[p].model = w->parts[p].system->model = model;
}

const tn_integrator_type tn_integrator_modular = {
    .name = "modular",
    .doc = "Subsystems take steps of their own within a macro step, with their own scheme, integrator and solver.",
    .parameters = {
        [CORRECTIONS] = { "corrections", "", "Times that a macro step is repeated with better forces between parts", 2,
                          NULL },
        [INTERPOLATION] = { "interpolation", "", "Reactions of joints between parts within a macro step: 0 constant, "
                            "1 linear", 1, NULL },
        [SUBSTEPS] = { "substeps", "", "Steps of rk4 that bodies of the main file take in a macro step", 1, NULL },
    },
    .order = 2,
    .own_reactions = true,
    .advances_components = true,
    .step = step_modular,
    .create = create_modular,
    .destroy = destroy_modular,
    .restart = restart,
};
