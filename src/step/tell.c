/* Components within the equations of a step. */
#include <string.h>
#include "boxes.h"
#include "stepper.h"

int tn_ask_boxes(tn_stepper *st, tn_question question, const double **u)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    if (s->box_count == 0)
        return TN_OK;
    TN_TRY(tn_boxes_ask(e, s, question, e->free));
    if (s->closed_boxes == 0)
        return TN_OK;
    memmove(st->u, *u, (size_t)s->rows * sizeof(double));
    tn_boxes_subtract_rows(s, &st->structure, e->G, e->free, st->u);
    *u = st->u;
    return TN_OK;
}

int tn_tell_boxes(tn_stepper *st, tn_question question, const double *f, const double *lambda, double *z)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    if (s->box_count == 0)
        return TN_OK;
    if (!tn_boxes_answered(s, question)) {
        memcpy(e->tau, f, (size_t)s->velocities * sizeof(double));
        tn_boxes_add_reactions(s, &st->structure, e->G, lambda, e->tau);
    }
    st->box_change = 0;
    return tn_boxes_take(e, s, question, e->tau, z, s->closed_boxes > 0 ? &st->box_change : NULL);
}

int tn_settle_boxes(tn_stepper *st, double t, double *y)
{
    static const tn_question questions[] = { TN_ASK_POSITIONS, TN_ASK_VELOCITIES };
    const tn_system *s = st->system;
    double *v = y + s->positions;
    for (size_t k = 0; s->box_count > 0 && k < TN_LENGTH(questions); k++) {
        tn_eval_motion(st->eval, s, t, y, v);
        TN_TRY(st->eval->box_code);
        TN_TRY(tn_boxes_take(st->eval, s, questions[k], NULL, v + s->velocities, NULL));
    }
    return TN_OK;
}
