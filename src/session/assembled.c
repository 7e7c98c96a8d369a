/* The start of a session: assembly, the gaps that it closed, and the displacements of bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "conflict.h"
#include "diag.h"
#include "elementary.h"
#include "session_parts.h"
#include "vec.h"

/* m or rad: smaller gaps and displacements are round-off and are not reported. */
static const double GAP_FLOOR = 1e-12;

static int compare_gaps(const void *a, const void *b)
{
    double x = ((const tn_gap *)a)->before, y = ((const tn_gap *)b)->before;
    return (x < y) - (x > y);
}

static int collect_gaps(tn_session *s, const tn_assembly *a)
{
    size_t count = 0;
    for (int i = 0; i < s->system->constraint_count; i++)
        count += a->before[i] > GAP_FLOOR;
    s->gaps = tn_arena_alloc(s->arena, count, sizeof(tn_gap));
    if (!s->gaps)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->system->constraint_count; i++)
        if (a->before[i] > GAP_FLOOR)
            s->gaps[s->gap_count++] = (tn_gap){ tn_constraint_id(s->system, i), a->before[i], a->after[i] };
    qsort(s->gaps, s->gap_count, sizeof(tn_gap), compare_gaps);
    return TN_OK;
}

static int start_failed(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    tn_saddle_info info;
    st->solver->info(st->saddle, &info);
    if (!st->eval->failed && info.trouble)
        return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span, "no accelerations at the start: %s",
                       info.trouble);
    if (!st->eval->failed)
        return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span,
                       "the accelerations at the start are not finite");
    return tn_fail(s->context, TN_ERROR_STEP, st->eval->failed_span, "no accelerations at the start: %s",
                   st->eval->trouble);
}

/* Checks redundant equations for conflicts of drives. Without drives, assembly has shown that the equations agree. */
static int check_conflicts(const tn_session *s)
{
    tn_stepper *st = s->stepper;
    tn_saddle_info info;
    char text[TN_CONFLICT_TEXT];
    tn_span span;
    st->solver->info(st->saddle, &info);
    if (!s->system->works || (info.rank >= 0 && info.rank == info.rows))
        return TN_OK;
    int found = tn_conflict_here(st, text, &span);
    if (found != TN_CONFLICT_OF_DRIVES)
        return found < 0 ? found : TN_OK;
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, span, "no accelerations at the start: %s: over-driven", text);
}

/* ---- assembly options ---- */

static int check_active(const tn_session *s, tn_id id)
{
    char why[TN_INACTIVE_SIZE];
    return tn_model_active(s->model, id) ? TN_OK
                                         : tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "%s",
                                                   tn_model_inactive_text(s->model, id, why, sizeof why));
}

static int check_body(const tn_session *s, tn_id body, int *out)
{
    if (body.kind != TN_KIND_BODY || body.index == 0 || !tn_model_entity_name(s->model, body))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "only moving bodies of the model have weights or are "
                       "held");
    TN_TRY(check_active(s, body));
    *out = s->system->body_of[body.index];
    return TN_OK;
}

static int take_fixed(const tn_session *s, const tn_fixed_coordinate *fixed, double *values)
{
    const char *name = fixed->joint.kind == TN_KIND_JOINT ? tn_model_entity_name(s->model, fixed->joint) : NULL;
    if (!name)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "only joints of the model have coordinates to fix");
    const tn_joint_form *form = tn_joint_form_of(s->model, s->model->joints[fixed->joint.index].type);
    int k = tn_joint_coordinate_find(form, fixed->coordinate);
    if (k < 0 || !isfinite(fixed->value))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "joint '%s' has no coordinate '%s' that could be %g",
                       name, fixed->coordinate ? fixed->coordinate : "", fixed->value);
    TN_TRY(check_active(s, fixed->joint));
    values[s->system->coordinates[s->system->constraint_of[fixed->joint.index]].memory + k] = fixed->value;
    return TN_OK;
}

static int take_options(tn_assembly *a, const tn_session *s, tn_arena *scratch, const tn_assembly_options *options)
{
    const tn_system *sys = s->system;
    double *weight = tn_arena_alloc(scratch, (size_t)sys->body_count, sizeof(double));
    bool *held = tn_arena_alloc(scratch, (size_t)sys->body_count, sizeof(bool));
    double *fixed = tn_arena_alloc(scratch, (size_t)sys->memory, sizeof(double));
    int body = 0;
    if (!weight || !held || !fixed)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < sys->body_count; b++)
        weight[b] = 1;
    for (int k = 0; k < sys->memory; k++)
        fixed[k] = NAN;
    for (size_t k = 0; k < options->weight_count; k++) {
        TN_TRY(check_body(s, options->weights[k].body, &body));
        weight[body] = options->weights[k].factor;
        if (!(weight[body] > 0) || !isfinite(weight[body]))
            return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a weight of %g is none", weight[body]);
    }
    for (size_t k = 0; k < options->held_count; k++) {
        TN_TRY(check_body(s, options->held[k], &body));
        held[body] = true;
    }
    for (size_t k = 0; k < options->fixed_count; k++)
        TN_TRY(take_fixed(s, &options->fixed[k], fixed));
    a->weight = weight;
    a->held = held;
    a->fixed = fixed;
    return TN_OK;
}

/* Marks the bodies with a pose and their given start values. When the options fix coordinates, no start value counts as
 * given: all are a first guess. */
static int take_given(tn_assembly *a, const tn_session *s, tn_arena *scratch, const tn_assembly_options *options)
{
    const tn_system *sys = s->system;
    unsigned char *given = tn_arena_alloc(scratch, (size_t)sys->body_count, 1);
    bool *placed = tn_arena_alloc(scratch, (size_t)sys->body_count, sizeof(bool));
    bool *place_free = tn_arena_alloc(scratch, (size_t)sys->body_count, sizeof(bool));
    if (!given || !placed || !place_free)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < sys->body_count; b++) {
        placed[b] = s->model->bodies[sys->bodies[b].source].placed;
        place_free[b] = s->model->bodies[sys->bodies[b].source].place_free;
    }
    a->placed = placed;
    a->place_free = place_free;
    for (int b = 0; b < sys->body_count && !(options && options->fixed_count > 0); b++)
        given[b] = sys->bodies[b].port ? 0 : s->model->bodies[sys->bodies[b].source].given;
    a->given = given;
    return TN_OK;
}

/* ---- displacements of bodies ---- */

static tn_shift shift_of(const tn_session *s, int b, const double *q0, const double *q1)
{
    const tn_sys_body *body = &s->system->bodies[b];
    const tn_entity *entity = &s->model->bodies[body->source].entity;
    tn_shift shift = { .body = { .index = body->source, .generation = entity->generation, .kind = TN_KIND_BODY,
                                 .owner = s->model->owner } };
    double d[3] = { 0 };
    for (int k = 0; k < s->system->dimension; k++)
        d[k] = q1[body->q + k] - q0[body->q + k];
    shift.distance = tn_norm3(d);
    if (body->motion == TN_MOTION_PLANAR)
        shift.angle = fabs(q1[body->q + 2] - q0[body->q + 2]);
    if (body->motion == TN_MOTION_SPATIAL) {
        const double *a = q0 + body->q + 3, *c = q1 + body->q + 3;
        double inverse[4] = { a[0], -a[1], -a[2], -a[3] }, turn[4];
        tn_quat_mul(turn, inverse, c);
        shift.angle = 2 * tn_atan2(tn_norm3(turn + 1), fabs(turn[0]));
    }
    return shift;
}

static int compare_shifts(const void *a, const void *b)
{
    const tn_shift *one = a, *other = b;
    double x = fmax(one->distance, one->angle), y = fmax(other->distance, other->angle);
    return (x < y) - (x > y);
}

static int collect_shifts(tn_session *s, const double *q0, const double *q1)
{
    s->shifts = tn_arena_alloc(s->arena, (size_t)s->system->body_count, sizeof(tn_shift));
    if (!s->shifts)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->system->body_count; b++) {
        tn_shift shift = shift_of(s, b, q0, q1);
        if (fmax(shift.distance, shift.angle) > GAP_FLOOR)
            s->shifts[s->shift_count++] = shift;
    }
    qsort(s->shifts, s->shift_count, sizeof(tn_shift), compare_shifts);
    return TN_OK;
}

/* ---- the start ---- */

/* Says which conditions of joint types the given start does not meet. */
static void explain_failure(tn_session *s, const double *given, const tn_assembly *a)
{
    tn_eval_motion(s->stepper->eval, s->system, 0, given, NULL);
    (void)tn_system_check_conditions(s->system, s->stepper->eval, a->memory);
}

static int assemble(tn_session *s, tn_arena *scratch, const tn_assembly_options *options)
{
    const tn_system *sys = s->system;
    double *given = tn_arena_alloc(scratch, (size_t)sys->positions, sizeof(double));
    tn_assembly a = { .coupling = s->coupling, .search = true, .hold_inside = true, .free_speeds = true, .q = tn_arena_alloc(scratch, (size_t)sys->positions, sizeof(double)),
                      .v = tn_arena_alloc(scratch, (size_t)(sys->velocities + sys->states), sizeof(double)),
                      .memory = tn_arena_alloc(scratch, (size_t)sys->memory, sizeof(double)),
                      .before = tn_arena_alloc(scratch, (size_t)sys->constraint_count, sizeof(double)),
                      .after = tn_arena_alloc(scratch, (size_t)sys->constraint_count, sizeof(double)) };
    TN_TRY(tn_arena_status(scratch));
    TN_TRY(tn_start_conditions(&a, s, scratch));
    TN_TRY(take_given(&a, s, scratch, options));
    TN_TRY(tn_system_start(sys, a.q, a.v));
    memcpy(given, a.q, (size_t)sys->positions * sizeof(double));
    if (options)
        TN_TRY(take_options(&a, s, scratch, options));
    int closed = tn_assemble(&a, sys, s->stepper->chosen, s->solve.assemble, s->solve.gap_tolerance);
    if (closed == TN_ERROR_ASSEMBLY)
        explain_failure(s, given, &a);
    TN_TRY(closed);
    TN_TRY(collect_gaps(s, &a));
    TN_TRY(collect_shifts(s, given, a.q));
    s->assembly_steps = a.steps;
    int code = tn_stepper_start(s->stepper, 0, a.q, a.v, a.memory);
    TN_TRY(code == TN_ERROR_STEP ? start_failed(s) : code);
    tn_eval_motion(s->stepper->eval, sys, 0, a.q, a.v);
    TN_TRY(tn_system_check_conditions(sys, s->stepper->eval, a.memory));
    TN_TRY(check_conflicts(s));
    return tn_start_changes(s);
}

int tn_session_start(tn_session *s, const tn_assembly_options *options)
{
    tn_arena *scratch = tn_arena_create(s->context);
    int code = scratch ? assemble(s, scratch, options) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}

int tn_session_open_assembled(tn_session **out, tn_model *model, const tn_assembly_options *options)
{
    tn_solve own = tn_model_solve(model), solve = tn_driven_solve(&own);
    solve.assemble = TN_ASSEMBLE_PROJECT;
    return tn_session_open_as(out, model, &solve, TN_ANALYSIS_ASSEMBLY, options);
}

size_t tn_session_gap_count(const tn_session *s)
{
    return s->gap_count;
}

tn_gap tn_session_gap(const tn_session *s, size_t index)
{
    return index < s->gap_count ? s->gaps[index] : (tn_gap){ 0 };
}

size_t tn_session_shift_count(const tn_session *s)
{
    return s->shift_count;
}

tn_shift tn_session_shift(const tn_session *s, size_t index)
{
    return index < s->shift_count ? s->shifts[index] : (tn_shift){ 0 };
}

int tn_session_assembly_steps(const tn_session *s)
{
    return s->assembly_steps;
}
