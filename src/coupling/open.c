/* Open components, which show bodies and rows: questions to them, and products with the rows on ports. */
#include "coupling_impl.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* ---- questions ---- */

void tn_coupled_cover(tn_coupled *component)
{
    component->shown.point = 0;
}

int tn_coupled_open(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question, tn_open_extent extent)
{
    tn_coupled_disclosure *shown = &component->shown;
    TN_TRY(tn_coupled_place(e, s, component));
    if (shown->point == component->at.number && shown->question == question && shown->extent >= extent)
        return TN_OK;
    tn_coupled_cover(component);
    TN_TRY(tn_coupled_passed(e, s, component, component->type->open(component->self, question, extent, &shown->inside),
                             "open"));
    shown->question = question;
    shown->extent = extent;
    shown->point = component->at.number;
    return TN_OK;
}

int tn_coupled_ask(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question)
{
    const tn_open_extent matrices = e->lazy ? TN_OPEN_PINS : TN_OPEN_ROWS;
    TN_TRY(tn_coupled_open(e, s, component, question, question == TN_ASK_ACCELERATIONS ? matrices : TN_OPEN_SIDES));
    component->exchange = (tn_coupled_exchange){ .point = component->at.number, .question = question,
                                                 .phase = TN_EXCHANGE_ASKED };
    return TN_OK;
}

bool tn_coupled_solving(tn_coupled *component, const double *motion, const double *lambda)
{
    tn_coupled_exchange *exchange = &component->exchange;
    if (exchange->phase != TN_EXCHANGE_ASKED || exchange->point != component->at.number) {
        exchange->phase = TN_EXCHANGE_NONE;
        return false;
    }
    TN_ASSERT(component->shown.question == exchange->question);
    exchange->phase = TN_EXCHANGE_SOLVED;
    exchange->motion = motion;
    exchange->lambda = lambda;
    return true;
}

int tn_coupling_open_gap(tn_eval *e, const tn_system *s, tn_question question, bool matrices, double *gap)
{
    const tn_open_extent ahead = e->lazy ? TN_OPEN_SIDES_THEN_PINS : TN_OPEN_SIDES_THEN_ROWS;
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        if (!component->of->open)
            continue;
        TN_TRY(tn_coupled_open(e, s, component, question, matrices ? ahead : TN_OPEN_SIDES));
        const tn_open_component *inside = &component->shown.inside;
        const tn_structure *st = inside->structure;
        double left = fmax(tn_largest(st->constraint_row[st->constraints], inside->u), inside->hidden_gap);
        *gap = left <= *gap ? *gap : left;
    }
    return TN_OK;
}

/* ---- rows on ports ---- */

/* The rows of a block on a port; pin: memory for the rows of a pin, which may be missing in G. NULL: not on a port. */
static const double *port_rows(const tn_system *s, const tn_structure *st, const double *G, int constraint, int block,
                               double pin[30])
{
    const int body = st->block_body[block];
    if (!s->bodies[body].port)
        return NULL;
    if (!st->pins || st->pin_kind[constraint] == TN_PIN_NONE)
        return G + st->block_offset[block];
    tn_pin_write(pin, &st->pins[constraint], (tn_pin_kind)st->pin_kind[constraint], s->dimension == 2,
                 tn_slot_body(s, &s->constraints[constraint], 1) == body ? 1 : -1);
    return pin;
}

void tn_coupling_subtract_rows(const tn_system *s, const tn_structure *st, const double *G, const double *r, double *u)
{
    double pin[30];
    for (int c = 0; s->component_count > 0 && c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            const int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
            const double *row = port_rows(s, st, G, c, b, pin);
            for (int i = st->constraint_row[c]; row && i < st->constraint_row[c + 1]; i++, row += w)
                for (int j = 0; j < w; j++)
                    u[i] -= row[j] * r[first + j];
        }
}

void tn_coupling_add_reactions(const tn_system *s, const tn_structure *st, const double *G, const double *lambda,
                            double *tau)
{
    double pin[30];
    for (int c = 0; s->component_count > 0 && c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            const int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
            const double *row = port_rows(s, st, G, c, b, pin);
            for (int i = st->constraint_row[c]; row && i < st->constraint_row[c + 1]; i++, row += w)
                for (int j = 0; j < w; j++)
                    tau[first + j] += row[j] * lambda[i];
        }
}
