#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "boxes.h"
#include "diag.h"
#include "hash.h"
#include "redundancy.h"
#include "log.h"

/* ---- opening ---- */

/* Time comes first; "all" brings it once more. */
static void drop_repeated_time(tn_probe_list *list)
{
    size_t kept = 1;
    for (size_t k = 1; k < list->count; k++)
        if (list->items[k].measure != TN_MEASURE_TIME)
            list->items[kept++] = list->items[k];
    list->count = kept;
}

/* Kinematics knows the motion only. */
static void drop_forces(const tn_session *s, tn_probe_list *list, bool say)
{
    size_t kept = 0, dropped = 0;
    const char *first = NULL;
    for (size_t k = 0; k < list->count; k++) {
        if (!s->stepper->motion_only || !tn_probe_needs_forces(&list->items[k])) {
            list->items[kept++] = list->items[k];
            continue;
        }
        first = dropped++ == 0 ? list->items[k].name : first;
    }
    list->count = kept;
    if (say && dropped > 0)
        tn_warn(s->context, TN_NOWHERE, "kinematics knows no forces: %zu output%s left out ('%s'%s)", dropped,
                dropped == 1 ? " is" : "s are", first, dropped == 1 ? "" : ", ...");
}

/* An output of something that takes no part now: left out, and said so. */
static bool is_off(const tn_session *s, const tn_output *output)
{
    char name[256], why[TN_INACTIVE_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(output->channel, "."), output->channel);
    tn_id id = tn_model_find(s->model, name);
    if (tn_model_active(s->model, id))
        return false;
    tn_warn(s->context, output->span, "output '%s' is left out: %s", output->channel,
            tn_model_inactive_text(s->model, id, why, sizeof why));
    return true;
}

static int open_outputs(tn_session *s)
{
    size_t added = 0;
    int worst = TN_OK;
    TN_TRY(tn_probes_add(s, &s->recorded, s->arena, "t", &added));
    for (size_t k = 0; k < s->model->output_count; k++) {
        const tn_output *output = &s->model->outputs[k];
        if (output->owner && !tn_model_active(s->model, tn_model_find(s->model, output->owner)))
            continue;
        TN_TRY(tn_probes_add(s, &s->recorded, s->arena, output->channel, &added));
        if (added == 0 && !is_off(s, output))
            worst = tn_probe_unknown(s, output->channel, output->span) == TN_ERROR_MEMORY ? TN_ERROR_MEMORY
                                                                                          : TN_ERROR_MODEL;
    }
    drop_repeated_time(&s->recorded);
    drop_forces(s, &s->recorded, true);
    s->values = tn_arena_alloc(s->arena, s->recorded.count, sizeof(double));
    return s->values ? worst : TN_ERROR_MEMORY;
}

static int begin_summary(tn_session *s)
{
    if (s->stepper->motion_only)
        return TN_OK;
    TN_TRY(tn_work_begin(s));
    s->summary.energy_start = s->summary.energy_end = s->energy.kinetic + s->energy.potential;
    s->summary.energy_peak = s->energy.kinetic;
    return TN_OK;
}

long tn_solver_iterations(const tn_session *s)
{
    tn_saddle_info info = { 0 };
    if (!s->stepper->scheme->accelerate)
        s->stepper->solver->info(s->stepper->saddle, &info);
    return info.total_iterations;
}

/* What the solver did so far: iterations, and smallest and largest rank where a rank is decided at all. */
static void measure_solver(tn_session *s)
{
    tn_summary *sum = &s->summary;
    const tn_stepper *st = s->stepper;
    tn_saddle_info info;
    sum->iterations = s->iterations_before + tn_solver_iterations(s);
    if (st->scheme->accelerate)
        return;
    st->solver->info(st->saddle, &info);
    if (info.rank < 0)
        return;
    sum->rank_min = sum->rank_max == 0 || info.rank < sum->rank_min ? info.rank : sum->rank_min;
    sum->rank_max = info.rank > sum->rank_max ? info.rank : sum->rank_max;
}

static void measure_energy(tn_session *s)
{
    tn_summary *sum = &s->summary;
    sum->energy_end = s->energy.kinetic + s->energy.potential;
    sum->energy_work = s->work;
    sum->energy_error = fmax(sum->energy_error, fabs(sum->energy_end - sum->energy_start - s->work));
    sum->energy_peak = fmax(sum->energy_peak, s->energy.kinetic);
}

void tn_summary_measure(tn_session *s)
{
    tn_summary *sum = &s->summary;
    const tn_stepper *st = s->stepper;
    sum->time = st->t;
    if (!st->motion_only)
        measure_energy(s);
    if (st->drift > sum->max_drift) {
        sum->max_drift = st->drift;
        sum->drift_joint = tn_constraint_id(s->system, st->drift_constraint);
    }
    sum->max_velocity_drift = fmax(sum->max_velocity_drift, st->velocity_drift);
    measure_solver(s);
    sum->steps = st->counts.steps;
    sum->rejected = st->counts.rejected;
    sum->evaluations = st->counts.evaluations;
}

int tn_model_check_masses(const tn_model *model)
{
    int worst = TN_OK;
    for (uint32_t k = 1; k < model->body_count; k++) {
        const tn_body *body = &model->bodies[k];
        if (tn_body_active(model, k) && body->missing)
            worst = tn_fail(model->context, TN_ERROR_MODEL, body->entity.span, "body '%s': %s; only 'tenon kinematics' "
                            "needs none", body->entity.name, tn_missing_text(model, body));
    }
    return worst;
}

static int build(tn_session *s, tn_span solve_span, tn_way way, const tn_assembly_options *options)
{
    bool motion_only = way == TN_WAY_KINEMATICS || way == TN_WAY_ASSEMBLY;
    if (!motion_only)
        TN_TRY(tn_model_check_masses(s->model));
    TN_TRY(tn_system_create(&s->system, s->model));
    int made = tn_stepper_create(&s->stepper, s->system, &s->solve, solve_span);
    if (made < 0)
        return made == TN_ERROR_ARGUMENT && solve_span.file ? TN_ERROR_MODEL : made;
    s->solve = s->solve_given = s->stepper->solve;
    s->stepper->motion_only = motion_only;
    TN_TRY(tn_events_collect(s));
    TN_TRY(tn_session_start(s, options));
    if (way == TN_WAY_KINEMATICS || way == TN_WAY_INVERSE)
        TN_TRY(tn_session_follow_drives(s, way));
    if (way == TN_WAY_INVERSE)
        TN_TRY(tn_loads_open(s));
    if (way != TN_WAY_ASSEMBLY) {
        TN_TRY(open_outputs(s));
        TN_TRY(tn_reference_open(s));
    }
    s->eval_current = false;
    TN_TRY(begin_summary(s));
    TN_TRY(tn_guards_open(s));
    tn_summary_measure(s);
    return tn_events_open(s);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_setting(const tn_solve_setting *a, const tn_solve_setting *b)
{
    bool same_joint = a->joint && b->joint ? strcmp(a->joint, b->joint) == 0 : a->joint == b->joint;
    return same_joint && strcmp(a->name, b->name) == 0 && a->value == b->value;
}

static bool same_settings(const tn_solve *a, const tn_solve *b)
{
    if (a->setting_count != b->setting_count)
        return false;
    for (size_t k = 0; k < a->setting_count; k++)
        if (!same_setting(&a->settings[k], &b->settings[k]))
            return false;
    return strcmp(a->scheme, b->scheme) == 0 && strcmp(a->integrator, b->integrator) == 0 &&
           strcmp(a->solver, b->solver) == 0 && same_number(a->step, b->step) && a->max_step == b->max_step &&
           a->impact == b->impact && same_number(a->resting_speed, b->resting_speed) && a->tolerance == b->tolerance && a->absolute_tolerance == b->absolute_tolerance;
}

long tn_session_sample_after(const tn_session *s, double record)
{
    return record > 0 ? (long)floor(s->stepper->t / record * (1 + TN_SAME_STEP)) + 1 : 1;
}

static int replace_stepper(tn_session *s, const tn_solve *solve)
{
    tn_stepper *old = s->stepper, *new = NULL;
    TN_TRY(tn_stepper_create(&new, s->system, solve, TN_NOWHERE));
    int code = tn_stepper_start(new, old->t, old->y, old->y + s->system->positions, old->memory);
    if (code < 0) {
        tn_stepper_destroy(new);
        return code;
    }
    new->counts = old->counts;
    s->iterations_before = s->summary.iterations;
    s->stepper = new;
    s->eval_current = s->at_rest = false;
    tn_stepper_destroy(old);
    return TN_OK;
}

static int set_solve(tn_session *s, const tn_solve *solve)
{
    if (s->kinematics)
        return tn_driven_set_solve(s, solve);
    TN_TRY(tn_guards_check_solve(s, solve, TN_NOWHERE));
    if (!same_settings(&s->solve, solve))
        TN_TRY(replace_stepper(s, solve));
    if (solve->record != s->solve.record && s->next_sample > 0)
        s->next_sample = tn_session_sample_after(s, solve->record);
    s->solve = s->stepper->solve;
    s->solve.record = solve->record;
    s->solve.until = solve->until;
    return TN_OK;
}

int tn_session_set_solve(tn_session *s, const tn_solve *solve)
{
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_SOLVE, .solve = *solve }));
    return tn_log_commit(s, set_solve(s, solve), true);
}

int tn_session_open_as(tn_session **out, tn_model *model, const tn_solve *solve, tn_way way,
                       const tn_assembly_options *options)
{
    tn_session *s = tn_alloc(model->context, 1, sizeof *s);
    if (!s)
        return TN_ERROR_MEMORY;
    s->model = s->given = model;
    s->context = model->context;
    s->solve = solve ? *solve : model->solve;
    s->arena = tn_arena_create(model->context);
    int code = s->arena ? build(s, solve ? TN_NOWHERE : model->solve_span, way, options)
                        : TN_ERROR_MEMORY;
    if (code < 0) {
        tn_session_close(s);
        return code;
    }
    *out = s;
    return TN_OK;
}

int tn_session_open(tn_session **out, tn_model *model, const tn_solve *solve)
{
    return tn_session_open_as(out, model, solve, TN_WAY_DYNAMICS, NULL);
}

void tn_session_close(tn_session *s)
{
    if (!s)
        return;
    tn_log_free(s);
    tn_session_record_end(s);
    tn_reference_close(s);
    while (s->readouts)
        tn_readout_close(s->readouts);
    tn_kinematics_destroy(s->kinematics);
    tn_stepper_destroy(s->stepper);
    tn_system_destroy(s->system);
    tn_history_free(s);
    tn_channel_formulas_close(s);
    tn_events_close(s);
    tn_guards_close(s);
    tn_free(s->context, s->recorded.items);
    tn_free(s->context, s->all.items);
    if (s->owns_model)
        tn_model_destroy(s->model);
    if (s->owns_given)
        tn_model_destroy(s->given);
    if (s->arena)
        tn_arena_destroy(s->arena);
    tn_free(s->context, s);
}

/* ---- looking ---- */

tn_context *tn_session_context(const tn_session *s)
{
    return s->context;
}

tn_solve tn_session_solve(const tn_session *s)
{
    return s->solve;
}

double tn_session_time(const tn_session *s)
{
    return s->stepper->t;
}

uint64_t tn_session_hash(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    uint64_t hash = TN_HASH_START;
    hash = tn_hash_bytes(hash, &st->t, sizeof st->t);
    hash = tn_hash_bytes(hash, st->y, (size_t)sys->size * sizeof(double));
    return tn_hash_bytes(hash, st->memory, (size_t)sys->memory * sizeof(double));
}

void tn_session_on_step(tn_session *s, tn_step_callback callback, void *user)
{
    s->on_step = callback;
    s->step_user = user;
}

void tn_session_on_sample(tn_session *s, tn_sample_callback callback, void *user)
{
    s->on_sample = callback;
    s->sample_user = user;
}

size_t tn_session_channel_count(tn_session *s)
{
    size_t added = 0;
    if (s->all.count == 0)
        tn_probes_add(s, &s->all, s->arena, "all", &added);
    drop_forces(s, &s->all, false);
    return s->all.count;
}

tn_channel tn_session_channel(const tn_session *s, size_t index)
{
    if (index >= s->all.count)
        return (tn_channel){ "", "" };
    return (tn_channel){ s->all.items[index].name, s->all.items[index].unit };
}

size_t tn_session_recorded_count(const tn_session *s)
{
    return s->recorded.count;
}

tn_channel tn_session_recorded(const tn_session *s, size_t index)
{
    if (index >= s->recorded.count)
        return (tn_channel){ "", "" };
    return (tn_channel){ s->recorded.items[index].name, s->recorded.items[index].unit };
}

tn_refused tn_session_refused(const tn_session *s)
{
    const tn_refusal *r = &s->stepper->refused;
    return (tn_refused){ r->t, r->h, r->why };
}

tn_summary tn_session_summary(const tn_session *s)
{
    return s->summary;
}

/* The rank as the default solver finds it: not every solver decides one, not every scheme asks a solver. */
static int decide_rank(tn_saddle_info *info, const tn_session *s, tn_eval *e, tn_arena *scratch)
{
    const tn_solver_type *solver = tn_solver_types[0];
    tn_saddle *saddle = NULL;
    TN_TRY(tn_system_analyze(&saddle, &solver, e, s->system, &s->system->structure, s->system->jacobian_size, scratch));
    int code = solver->factor(saddle, e->M, e->G, TN_RANK_DECIDE);
    solver->info(saddle, info);
    solver->destroy(saddle);
    return code;
}

static int report_on(tn_report **out, tn_session *s, tn_arena *scratch)
{
    const tn_stepper *st = s->stepper;
    tn_eval *e = NULL;
    tn_saddle_info info;
    TN_TRY(tn_eval_create(&e, s->system, scratch, false));
    tn_eval_motion(e, s->system, st->t, st->y, st->y + s->system->positions);
    tn_eval_constraints(e, s->system, st->memory, 1, true);
    TN_TRY(decide_rank(&info, s, e, scratch));
    return tn_redundancy(out, s->system, e, &info);
}

int tn_session_report(tn_report **out, tn_session *s)
{
    tn_arena *scratch = tn_arena_create(s->context);
    int code = scratch ? report_on(out, s, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}
