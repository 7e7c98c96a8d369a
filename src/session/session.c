/* Sessions: opening, settings, reports and closing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "coupling.h"
#include "compliance.h"
#include "diag.h"
#include "live.h"
#include "network_events.h"
#include "redundancy.h"
#include "session_parts.h"
#include "solve_table.h"
#include "undo.h"

/* ---- opening ---- */

static int begin_summary(tn_session *s)
{
    if (s->stepper->motion_only)
        return TN_OK;
    TN_TRY(tn_work_begin(s));
    s->summary.energy_start = s->summary.energy_end = s->energy.kinetic + s->energy.potential;
    s->summary.energy_peak = s->energy.kinetic;
    return TN_OK;
}

/* Performs all checks of a model. After an error, continues with the checks that do not depend on the failed part;
 * returns the code of the last failed check. */
static int check_session(tn_session *s, bool texts_only)
{
    int start = texts_only ? tn_start_check(s) : tn_session_start(s, NULL), outputs = tn_outputs_open(s), reference = tn_reference_open(s);
    int lets = tn_lets_check(s);
    int worst = reference < 0 ? reference : outputs < 0 ? outputs : lets < 0 ? lets : start;
    if (start < 0 || texts_only) {
        int events = tn_events_check(s);
        return events < 0 ? events : worst;
    }
    s->eval_current = false;
    int summary = begin_summary(s), limits = summary < 0 ? summary : tn_unilaterals_open(s);
    int late = tn_late_inputs_open(s), events = limits < 0 ? tn_events_check(s) : tn_events_open(s);
    worst = late < 0 ? late : worst;
    return events < 0 ? events : limits < 0 ? limits : worst;
}

static int build_session(tn_session *s, tn_span solve_span, tn_analysis_kind way, const tn_assembly_options *options)
{
    bool motion_only = way == TN_ANALYSIS_KINEMATICS || way == TN_ANALYSIS_ASSEMBLY;
    bool checks = way == TN_ANALYSIS_CHECK || way == TN_ANALYSIS_CHECK_TEXTS;
    int masses = motion_only ? TN_OK : tn_model_check_masses(s->model);
    if (masses < 0 && !(checks && masses == TN_ERROR_MODEL))
        return masses;
    TN_TRY(tn_system_create(&s->system, s->model));
    TN_TRY(tn_compliance_attach(s->system));
    TN_TRY(tn_coupling_create(&s->coupling, s->system));
    int made = tn_stepper_create(&s->stepper, s->system, s->coupling, &s->solve, solve_span);
    if (made < 0)
        return made == TN_ERROR_ARGUMENT && solve_span.file ? TN_ERROR_MODEL : made;
    s->solve = s->solve_given = s->stepper->solve;
    s->stepper->motion_only = motion_only;
    TN_TRY(tn_events_collect(s));
    if (checks) {
        int code = check_session(s, masses < 0 || way == TN_ANALYSIS_CHECK_TEXTS);
        return code < 0 ? code : masses;
    }
    TN_TRY(tn_session_start(s, options));
    if (way == TN_ANALYSIS_KINEMATICS || way == TN_ANALYSIS_INVERSE)
        TN_TRY(tn_session_follow_drives(s, way));
    if (way == TN_ANALYSIS_INVERSE)
        TN_TRY(tn_loads_open(s));
    if (way != TN_ANALYSIS_ASSEMBLY) {
        TN_TRY(tn_outputs_open(s));
        TN_TRY(tn_reference_open(s));
    }
    s->eval_current = false;
    TN_TRY(begin_summary(s));
    TN_TRY(tn_unilaterals_open(s));
    if (s->solve.start_steady && way == TN_ANALYSIS_DYNAMICS) {
        TN_TRY(tn_session_start_steady(s));
        TN_TRY(begin_summary(s));
    }
    if (way == TN_ANALYSIS_DYNAMICS)
        TN_TRY(tn_late_inputs_open(s));
    tn_summary_measure(s);
    return tn_events_open(s);
}

static bool same_settings(const tn_solve *a, const tn_solve *b)
{
    return tn_solve_agrees(a, b, TN_SOLVE_STEPPER) && tn_solve_settings_agree(a, b);
}

/* Another solver alone leaves the control of steps as it is. */
static bool same_method(const tn_solve *a, const tn_solve *b)
{
    return tn_solve_agrees(a, b, TN_SOLVE_METHOD);
}

static int replace_stepper(tn_session *s, const tn_solve *solve)
{
    tn_stepper *old = s->stepper, *new = NULL;
    TN_TRY(tn_stepper_create(&new, s->system, s->coupling, solve, TN_NOWHERE));
    new->eval->pull = old->eval->pull;
    int code = tn_stepper_start(new, old->t, old->y, old->y + s->system->positions, old->memory);
    if (code < 0) {
        tn_stepper_destroy(new);
        return code;
    }
    new->counts = old->counts;
    if (same_method(&old->solve, &new->solve)) {
        new->h = old->h;
        new->turned = old->turned;
        new->approach = old->approach;
        new->usual_rank = old->usual_rank;
        new->smooth_rate = old->smooth_rate;
    }
    s->iterations_before = s->summary.iterations;
    tn_trust_room_free(s);
    s->stepper = new;
    s->eval_current = s->at_rest = false;
    tn_stepper_destroy(old);
    return TN_OK;
}

static int set_solve(tn_session *s, const tn_solve *solve)
{
    if (s->kinematics)
        return tn_driven_set_solve(s, solve);
    TN_TRY(tn_unilaterals_check_solve(s, solve, TN_NOWHERE));
    TN_TRY(tn_solve_check_length(s->context, solve, TN_NOWHERE));
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
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_SOLVE, .solve = solve }));
    int code = tn_log_commit(s, set_solve(s, solve), true);
    if (code != TN_LOG_TAKE_BACK)
        return code;
    const tn_logged *before = &s->log->edits[s->log->count];
    code = set_solve(s, before->solve_before);
    if (code == TN_OK)
        code = tn_snapshot_restore(s, &before->before);
    tn_log_drop(s);
    return code < 0 ? code : TN_ERROR_FILE;
}

/* A session and the state of the lower layers, in one allocation. */
typedef struct session_block {
    tn_session session;            /* first: freed by its address */
    tn_channels channels;
    tn_events events;
    tn_unilaterals unilaterals;
} session_block;

int tn_session_open_as(tn_session **out, tn_model *model, const tn_solve *solve, tn_analysis_kind way,
                       const tn_assembly_options *options)
{
    session_block *block = tn_alloc(model->context, 1, sizeof *block);
    if (!block)
        return TN_ERROR_MEMORY;
    tn_session *s = &block->session;
    s->channels = &block->channels;
    s->events = &block->events;
    s->unilaterals = &block->unilaterals;
    s->apply = tn_session_apply_text;
    s->model = s->given = model;
    s->context = model->context;
    s->solve = solve ? *solve : model->solve;
    s->arena = tn_arena_create(model->context);
    s->scratch = tn_arena_create(model->context);
    s->binding = tn_arena_create(model->context);
    int code = s->arena && s->scratch && s->binding ? build_session(s, solve ? TN_NOWHERE : model->solve_span, way, options)
                                                    : TN_ERROR_MEMORY;
    if (code >= 0 && way == TN_ANALYSIS_DYNAMICS)
        code = tn_trust_open(s);
    if (code >= 0 && (way == TN_ANALYSIS_DYNAMICS || way == TN_ANALYSIS_CHECK))
        code = tn_meeting_ends_tell(s);
    if (code < 0) {
        tn_session_close(s);
        return code;
    }
    *out = s;
    return TN_OK;
}

int tn_session_open(tn_session **out, tn_model *model, const tn_solve *solve)
{
    return tn_session_open_as(out, model, solve, TN_ANALYSIS_DYNAMICS, NULL);
}

void tn_session_close(tn_session *s)
{
    if (!s)
        return;
    tn_log_free(s);
    tn_channels_close(s);
    tn_kinematics_destroy(s->kinematics);
    tn_trust_room_free(s);
    tn_stepper_destroy(s->stepper);
    tn_coupling_destroy(s->coupling);
    tn_system_destroy(s->system);
    tn_history_free(s);
    tn_events_close(s);
    tn_unilaterals_close(s);
    tn_closings_free(&s->overlay.closings, s->context);
    if (s->owns_model)
        tn_model_destroy(s->model);
    if (s->owns_given)
        tn_model_destroy(s->given);
    tn_binding_close(s);
    tn_arena_destroy(s->scratch);
    tn_arena_destroy(s->arena);
    tn_free(s->context, s);
}

/* ---- reading the state ---- */

tn_context *tn_session_context(const tn_session *s)
{
    return s->context;
}

tn_solve tn_session_solve(const tn_session *s)
{
    return s->solve;
}

void tn_session_on_step(tn_session *s, tn_step_callback callback, void *user)
{
    s->on_step = callback;
    s->step_user = user;
}

int tn_session_report(tn_report **out, tn_session *s)
{
    const tn_stepper *st = s->stepper;
    return tn_report_create(out, s->system, s->coupling, st->t, st->y, st->memory);
}
