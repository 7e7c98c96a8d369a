/* One part of a system under the integrator "modular": its system, its stepper and its macro steps (module.h). */
#include "module.h"

#include <math.h>
#include <string.h>
#include "diag.h"

/* Fixed steps of a part must add up to the macro step within this tolerance. A smaller remainder of a macro step is
 * round-off. */
static const double WHOLE_NUMBER = 1e-6;

/* ---- life ---- */

const char *tn_module_name(const tn_module *m)
{
    return m->source->solve ? tn_model_entity_name(m->model, m->source->subsystem) : "main file";
}

static bool has_fixed_step(const tn_stepper *st)
{
    return st->scheme->step || (!st->integrator->error && !st->integrator->advance);
}

static int check_steps(const tn_module *m, const tn_system *whole, double macro_step)
{
    double steps = macro_step / m->stepper->solve.step;
    if (!has_fixed_step(m->stepper) || fabs(steps - round(steps)) <= WHOLE_NUMBER * steps)
        return TN_OK;
    return tn_fail(whole->context, TN_ERROR_ARGUMENT, m->source->span,
                   "part '%s': %.6g steps of %g s make the step of the whole, %g s: the number must be whole",
                   tn_module_name(m), steps, m->stepper->solve.step, macro_step);
}

/* Forces from outside at the time of e. */
static void push(tn_eval *e, void *user)
{
    const tn_module *m = user;
    const double part = (e->t - m->t) / m->h;
    for (int k = 0; k < m->system->velocities; k++)
        e->f[k] += m->begin[k] + part * (m->end[k] - m->begin[k]);
}

int tn_module_create(tn_module *m, const tn_stepper *whole, const tn_part_source *source, const tn_solve *settings,
                   double macro_step)
{
    const tn_system *s = whole->system;
    const tn_solve *solve = source->solve ? source->solve : settings;
    m->model = s->model;
    m->source = source;
    if (strcmp(solve->integrator, whole->integrator->name) == 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, source->span,
                       "part '%s': integrator '%s' is for the main file only", tn_module_name(m), solve->integrator);
    TN_TRY(tn_system_create_part(&m->system, s->model, &source->selection));
    TN_TRY(tn_stepper_create(&m->stepper, m->system, NULL, solve, source->span));
    TN_TRY(check_steps(m, s, macro_step));
    TN_TRY(tn_map_part(&m->map, m->system, s, whole->arena));
    m->begin = tn_arena_alloc(whole->arena, (size_t)m->system->velocities, sizeof(double));
    m->end = tn_arena_alloc(whole->arena, (size_t)m->system->velocities, sizeof(double));
    if (!m->begin || !m->end)
        return TN_ERROR_MEMORY;
    m->stepper->eval->push = push;
    m->stepper->eval->push_user = m;
    return TN_OK;
}

void tn_module_free(tn_module *m)
{
    tn_stepper_destroy(m->stepper);
    tn_system_destroy(m->system);
}

/* ---- steps ---- */

static void take_forces(tn_module *m, const tn_step *step, const double *begin, const double *end)
{
    m->t = step->t;
    m->h = step->h;
    for (int k = 0; k < m->system->velocities; k++) {
        m->begin[k] = begin[m->map.velocity[k]];
        m->end[k] = end[m->map.velocity[k]];
    }
}

static int start_module(tn_module *m, const tn_stepper *whole, const tn_step *step)
{
    const tn_system *s = m->system;
    tn_stepper *st = m->stepper;
    for (int k = 0; k < s->size; k++)
        st->y[k] = step->y0[m->map.y[k]];
    for (int k = 0; k < s->memory; k++)
        st->memory[k] = whole->memory[m->map.memory[k]];
    st->h = st->solve.step;
    st->turned = whole->turned;
    st->eval->pull = whole->eval->pull;
    m->system->closings = whole->system->closings;
    st->approach = 0;
    return tn_stepper_start(st, step->t, st->y, st->y + s->positions, st->memory);
}

int tn_module_advance(tn_module *m, const tn_stepper *whole, const tn_step *step, const double *begin,
                    const double *end)
{
    tn_stepper *st = m->stepper;
    const double t_end = step->t + step->h;
    take_forces(m, step, begin, end);
    TN_TRY(start_module(m, whole, step));
    while (t_end - st->t > WHOLE_NUMBER * fmin(step->h, st->h))
        TN_TRY(tn_stepper_step(st, t_end));
    for (int k = 0; k < m->system->size; k++)
        step->y1[m->map.y[k]] = st->y[k];
    return TN_OK;
}
