/* Evaluates accelerations and reactions at a state of the run. */
#include "diag.h"
#include "session_impl.h"

int tn_session_evaluate_at(tn_session *s, double t, const double *y)
{
    s->reactions_shared = false;
    s->stepper->rule = TN_RANK_KEEP;
    s->stepper->with_lambda = true;
    int code = tn_stepper_evaluate(s->stepper, t, y);
    s->stepper->with_lambda = false;
    const tn_eval *e = s->stepper->eval;
    if (code != TN_ERROR_STEP)
        return code;
    return tn_fail(s->context, code, e->failed ? e->failed_span : s->model->solve_span,
                   "no accelerations at t = %.9g s: %s", t,
                   e->failed ? e->trouble : "the equations of motion have no finite solution");
}

int tn_session_evaluate_plainly(tn_session *s)
{
    if (!s->eval_current)
        TN_TRY(tn_session_evaluate_at(s, s->stepper->t, s->stepper->y));
    s->eval_current = true;
    return TN_OK;
}
