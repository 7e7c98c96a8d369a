/* Components within the equations of a step. */
#include <math.h>
#include <string.h>
#include "boxes.h"
#include "stepper.h"

int tn_ask_boxes(tn_stepper *st, tn_question question, tn_rank_rule rule, const double **u)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    if (s->box_count == 0)
        return TN_OK;
    TN_TRY(tn_boxes_condense(e, s, rule));
    TN_TRY(tn_boxes_free(e, s, question, e->free));
    tn_eval_rows_times(e, s, e->free, st->product);
    for (int i = 0; i < s->rows; i++)
        st->u[i] = (*u)[i] - st->product[i];
    *u = st->u;
    return TN_OK;
}

void tn_add_free_motion(const tn_stepper *st, double *a)
{
    const tn_system *s = st->system;
    for (int k = 0; k < s->box_count; k++)
        for (int j = 0; j < s->boxes[k].columns; j++)
            a[s->boxes[k].column[j]] += st->eval->free[s->boxes[k].column[j]];
}

int tn_tell_boxes(tn_stepper *st, tn_question question, const double *f, const double *lambda, double *z)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    if (s->box_count == 0)
        return TN_OK;
    memcpy(e->tau, f, (size_t)s->velocities * sizeof(double));
    tn_eval_add_reactions(e, s, lambda, e->tau);
    st->box_change = 0;
    return tn_boxes_take(e, s, question, e->tau, z, &st->box_change);
}
