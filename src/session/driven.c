/* Sessions whose motion follows from the drives: kinematics and inverse dynamics. */
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "diag.h"
#include "session_parts.h"
#include "solve_table.h"

/* Number of steps when the settings give neither a step nor a time between samples. */
static const int STEPS = 200;

tn_solve tn_driven_solve(const tn_solve *from)
{
    tn_solve solve = tn_solve_default();
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if (tn_solve_rows[k].flags & TN_SOLVE_DRIVEN)
            tn_solve_copy(&tn_solve_rows[k], &solve, from);
    solve.step = !isnan(from->step) ? from->step : from->record > 0 ? from->record : from->until / STEPS;
    return solve;
}

/* Does the system have states that have to be integrated: inside components or, in inverse dynamics, of forces? */
static bool has_states(const tn_system *s, tn_analysis_kind way, char why[TN_WHY_TEXT])
{
    if (s->component_states > 0)
        snprintf(why, TN_WHY_TEXT, "what is inside the component '%.80s' has to be integrated",
                 tn_sys_component_name(s, &s->components[0]));
    else if (tn_drive_states_begin(s) > 0 && way == TN_ANALYSIS_INVERSE)
        snprintf(why, TN_WHY_TEXT, "'%.80s' has a state of its own, which has to be integrated",
                 s->model->forces[s->state[0].source].entity.name);
    else
        return false;
    return true;
}

int tn_session_follow_drives(tn_session *s, tn_analysis_kind way)
{
    char why[TN_WHY_TEXT];
    int applies = has_states(s->system, way, why) ? 0 : tn_kinematics_applies(s->stepper, why);
    TN_TRY(applies);
    s->eval_current = false;
    if (applies)
        return tn_kinematics_create(&s->kinematics, s->stepper);
    if (way == TN_ANALYSIS_KINEMATICS)
        return tn_fail(s->context, TN_ERROR_MODEL, TN_NOWHERE, "%s; 'tenon run' integrates such motions", why);
    return tn_warn(s->context, TN_NOWHERE, "%s; it is found by forward dynamics", why);
}

int tn_driven_set_solve(tn_session *s, const tn_solve *solve)
{
    if (!(solve->step > 0))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a step of %g s is none", solve->step);
    s->stepper->h = solve->step;
    if (solve->record != s->solve.record && s->next_sample > 0)
        s->next_sample = tn_session_sample_after(s, solve->record);
    s->solve.step = solve->step;
    s->solve.record = solve->record;
    s->solve.until = solve->until;
    return TN_OK;
}

static int open_driven(tn_session **out, tn_model *model, const tn_solve *solve, tn_analysis_kind way)
{
    tn_solve own = tn_model_solve(model), driven = tn_driven_solve(solve ? solve : &own);
    tn_session *s = NULL;
    TN_TRY(tn_session_open_as(&s, model, &driven, way, NULL));
    /* a session that has to be integrated after all gets its settings for integration */
    int code = s->kinematics ? TN_OK : tn_session_set_solve(s, solve ? solve : &own);
    if (code < 0)
        tn_session_close(s);
    else
        *out = s;
    return code;
}

int tn_session_open_kinematics(tn_session **out, tn_model *model, const tn_solve *solve)
{
    return open_driven(out, model, solve, TN_ANALYSIS_KINEMATICS);
}

int tn_session_open_inverse(tn_session **out, tn_model *model, const tn_solve *solve)
{
    return open_driven(out, model, solve, TN_ANALYSIS_INVERSE);
}

bool tn_session_is_driven(const tn_session *s)
{
    return s->kinematics != NULL;
}
