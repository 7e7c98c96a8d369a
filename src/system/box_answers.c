/* Components that only respond: D tau is the difference of two answers, with tau and without. Velocities are what is
 * asked for, since D is the same in all questions and without forces they are nearly right already: the difference
 * loses no digits, however small tau is. */
#include "boxes.h"

#include <math.h>

/* Answers against the force on the ports, over what a unit force does: more than round-off. */
static const double INDEFINITE = 1e-7;

bool tn_box_only_responds(const tn_box *box)
{
    return box->instance.component.type->disclosure < TN_DISCLOSE_CONDENSED;
}

bool tn_boxes_any_asked(const tn_system *s)
{
    for (int k = 0; k < s->box_count; k++)
        if (tn_box_only_responds(&s->boxes[k]))
            return true;
    return false;
}

static int ask(tn_eval *e, const tn_system *s, tn_box *box, const double *tau, double *answer)
{
    const tn_component *c = &box->instance.component;
    double sum = 0;
    TN_TRY(tn_box_passed(e, s, box, c->type->respond(c->self, TN_ASK_VELOCITIES, tau, answer), "respond"));
    for (int j = 0; j < box->columns; j++)
        sum += answer[j] * 0;
    return sum == 0 ? TN_OK : tn_box_note(e, s, box, TN_ERROR_STEP, "its response is not finite");
}

int tn_box_begin_answers(tn_eval *e, const tn_system *s, tn_box *box)
{
    return ask(e, s, box, NULL, box->rest);
}

int tn_box_answer(tn_eval *e, const tn_system *s, tn_box *box, const double *tau, double *answer)
{
    double along = 0, scale = 0;
    TN_TRY(ask(e, s, box, tau, answer));
    for (int j = 0; j < box->columns; j++) {
        answer[j] -= box->rest[j];
        along += tau[j] * answer[j];
        scale += tau[j] * tau[j] * box->mobility[j];
    }
    if (along < -INDEFINITE * scale)
        return tn_box_end_run(e, s, box, TN_ERROR_MODEL, "its response to forces on its ports is indefinite");
    return TN_OK;
}

/* Mean over the entries of D of one kind, translations or turns: of one port, or of all (port < 0). */
static double mean_entry(const tn_box *box, int port, bool turns)
{
    const int n = box->columns, w = box->width;
    double sum = 0;
    int count = 0;
    for (int j = 0; j < n; j++)
        if ((port < 0 || j / w == port) && box->turns[j] == turns) {
            sum += box->D[j + j * n];
            count++;
        }
    return sum / count;
}

/* Traces do not depend on how the ports have turned since. Ports that a joint inside holds are taken like others. */
void tn_box_estimate(tn_box *box)
{
    for (int j = 0; j < box->columns; j++) {
        const bool turns = box->turns[j];
        double own = mean_entry(box, j / box->width, turns), all = mean_entry(box, -1, turns);
        box->mobility[j] = own > 0 && isfinite(own) ? own : all > 0 && isfinite(all) ? all : 1;
    }
}
