/* Friction of attached joints that slide: their tangential equations, which are the last ones, are not in force. With
 * slip v (one or two components) and its rows T over the velocities, a normal force N causes the friction force
 *     -mu N T' d,   d the direction of v. */
#include <math.h>
#include <string.h>
#include "system.h"

/* Slip velocities, one for each equation that is not in force; the tape remains evaluated. */
static int slip_of(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *slip)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    const tn_program *p = c->program;
    tn_tape_input input = tn_eval_constraint_input(e, s, slide->constraint, memory);
    tn_tape_forward(p->equations, &input, 1, e->work);
    int count = p->row_count - c->rows;
    for (int k = 0; k < count; k++) {
        const tn_program_row *row = &p->rows[c->rows + k];
        slip[k] = tn_tape_value(p->equations, e->work, row->output, row->component, 0);
    }
    return count;
}

/* With one component the direction keeps its sign even when the slip passes zero: so motion is smooth until the event
 * check. With two components, a creeping slip keeps its previous direction: the direction of a slow slip changes the
 * faster the slower the slip is, and would need ever smaller steps. */
static void direction_of(const tn_slide *slide, int count, const double *slip, double *d)
{
    double length = 0;
    for (int k = 0; k < count; k++) {
        d[k] = (count == 1 ? 0 : slip[k]) + TN_SLIDE_CREEP * slide->along[k];
        length = hypot(length, d[k]);
    }
    for (int k = 0; k < count; k++)
        d[k] = length > 0 ? d[k] / length : slide->along[k];
}

int tn_eval_slip(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *slip)
{
    return slip_of(e, s, memory, slide, slip);
}

double tn_eval_slide_power(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide)
{
    double slip[TN_SLIDE_TANGENTS], d[TN_SLIDE_TANGENTS], sum = 0;
    int count = slip_of(e, s, memory, slide, slip);
    direction_of(slide, count, slip, d);
    for (int k = 0; k < count; k++)
        sum -= slide->friction * d[k] * slip[k];
    return sum;
}

void tn_eval_slide(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *force)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    const tn_program *p = c->program;
    double slip[TN_SLIDE_TANGENTS], d[TN_SLIDE_TANGENTS];
    int count = slip_of(e, s, memory, slide, slip);
    direction_of(slide, count, slip, d);
    memset(force, 0, (size_t)s->velocities * sizeof(double));
    for (int k = 0; k < count; k++) {
        const tn_program_row *row = &p->rows[c->rows + k];
        memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
        tn_tape_gradient(p->equations, e->work, row->output, row->component, e->gradient);
        for (int j = 0; j < 3 * TN_LEAVES * c->slot_count; j++)
            e->gradient[j] *= -slide->friction * d[k];
        for (int n = 0; n < c->slot_count; n++) {
            const tn_sys_frame *frame = &s->frames[c->frames[n]];
            if (frame->body >= 0)
                tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * n, force + s->bodies[frame->body].v);
        }
    }
}
