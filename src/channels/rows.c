/* The constraint rows of a joint: residuals, rates and multipliers, equation by equation. */
#include "diag.h"
#include "channels.h"

static int constraint_of(const tn_session *s, tn_id joint)
{
    if (joint.kind != TN_KIND_JOINT || !tn_model_entity_name(s->model, joint))
        return -1;
    return s->system->constraint_of[joint.index];
}

int tn_session_rows(tn_row *rows, int max, tn_session *s, tn_id joint)
{
    char why[TN_INACTIVE_SIZE];
    int constraint = constraint_of(s, joint);
    if (constraint < 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "not a joint of this session%s%s",
                       tn_model_inactive_text(s->model, joint, why, sizeof why)[0] ? ": " : "", why);
    TN_TRY(tn_session_evaluate(s));
    const tn_constraint *c = &s->system->constraints[constraint];
    const tn_stepper *st = s->stepper;
    for (int i = 0; i < c->rows && i < max; i++) {
        int r = c->row + i;
        rows[i] = (tn_row){ st->eval->g[r], st->eval->gdot[r], st->eval->lambda[r], st->multipliers[r] };
    }
    return c->rows;
}
