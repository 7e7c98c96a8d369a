/* Components that show bodies and rows: what they are asked, and rows on their ports. */
#include <math.h>
#include <string.h>
#include "boxes.h"
#include "diag.h"
#include "open_check.h"
#include "vec.h"

bool tn_boxes_need_lambda(const tn_system *s)
{
    for (int k = 0; k < s->box_count; k++)
        if (!s->boxes[k].open || s->boxes[k].inside.works)
            return true;
    return false;
}

/* ---- questions ---- */

int tn_box_open_first(const tn_system *s, tn_box *box)
{
    const tn_component *c = &box->instance.component;
    const tn_entity *entity = &s->model->subsystems[box->source].entity;
    int code = c->type->open(c->self, TN_ASK_POSITIONS, TN_OPEN_ROWS, &box->inside);
    if (code < 0)
        return tn_fail(s->context, code, entity->span, "component '%s': %s", entity->name,
                       box->instance.trouble[0] ? box->instance.trouble : "'open' fails, and it does not say why");
    const char *trouble = tn_open_structure_trouble(&box->inside, c->type);
    if (!trouble)
        trouble = tn_open_numbers_trouble(&box->inside);
    return trouble ? tn_fail(s->context, TN_ERROR_MODEL, entity->span, "component '%s': %s", entity->name, trouble)
                   : TN_OK;
}

int tn_box_open(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, tn_open_extent extent)
{
    const tn_component *c = &box->instance.component;
    TN_TRY(tn_box_place(e, s, box));
    if (box->shown && box->question == question && box->extent >= extent)
        return TN_OK;
    box->shown = false;
    TN_TRY(tn_box_passed(e, s, box, c->type->open(c->self, question, extent, &box->inside), "open"));
    box->question = question;
    box->extent = extent;
    box->shown = true;
    return TN_OK;
}

static int ask_open(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, double *r)
{
    const tn_open_extent matrices = e->lazy ? TN_OPEN_PINS : TN_OPEN_ROWS;
    TN_TRY(tn_box_open(e, s, box, question, question == TN_ASK_ACCELERATIONS ? matrices : TN_OPEN_SIDES));
    box->asked = true;
    for (int j = 0; s->closed_boxes > 0 && j < box->columns; j++)
        r[box->column[j]] = 0;
    return TN_OK;
}

int tn_boxes_ask(tn_eval *e, const tn_system *s, tn_question question, double *r)
{
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        TN_TRY(box->open ? ask_open(e, s, box, question, r) : tn_box_free(e, s, box, question, r));
    }
    return TN_OK;
}

int tn_boxes_open_gap(tn_eval *e, const tn_system *s, tn_question question, bool matrices, double *gap)
{
    const tn_open_extent ahead = e->lazy ? TN_OPEN_SIDES_THEN_PINS : TN_OPEN_SIDES_THEN_ROWS;
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        if (!box->open)
            continue;
        TN_TRY(tn_box_open(e, s, box, question, matrices ? ahead : TN_OPEN_SIDES));
        const tn_structure *st = box->inside.structure;
        double inside = fmax(tn_largest(st->constraint_row[st->constraints], box->inside.u), box->inside.hidden_gap);
        *gap = inside <= *gap ? *gap : inside;
    }
    return TN_OK;
}

bool tn_box_answered(const tn_box *box, tn_question question)
{
    return box->motion && box->question == question && (box->lambda || !box->inside.works);
}

bool tn_boxes_answered(const tn_system *s, tn_question question)
{
    for (int k = 0; k < s->box_count; k++)
        if (!tn_box_answered(&s->boxes[k], question))
            return false;
    return true;
}

/* ---- rows on ports ---- */

static const tn_box *box_of(const tn_system *s, int body, int *port)
{
    for (int k = 0; k < s->box_count; k++)
        for (*port = 0; *port < s->boxes[k].columns / s->boxes[k].width; (*port)++)
            if (s->boxes[k].body[*port] == body)
                return &s->boxes[k];
    return NULL;
}

/* Where the body of a pin is in the problem that is solved: a box and a body inside, or none and the body itself. */
typedef struct pinned {
    const tn_box *box;
    int body;
} pinned;

static bool find_pinned(const tn_system *s, int body, pinned *out)
{
    int port;
    *out = (pinned){ NULL, body };
    if (body < 0 || !s->bodies[body].port)
        return body < 0 || s->bodies[body].motion != TN_MOTION_PARTICLE;
    out->box = box_of(s, body, &port);
    if (!out->box->open)
        return false;
    out->body = out->box->inside.port_body[port];
    const int *column = out->box->inside.structure->body_column;
    return out->body < 0 || column[out->body + 1] - column[out->body] == out->box->width;
}

bool tn_boxes_take_pin(const tn_system *s, int body1, int body2)
{
    pinned one, two;
    return find_pinned(s, body1, &one) && find_pinned(s, body2, &two) &&
           (!one.box || one.box != two.box || one.body != two.body);
}

/* The rows of a block on a port; pin: room for those of a pin, which G need not have. NULL: it is on no port. */
static const double *port_rows(const tn_system *s, const tn_structure *st, const double *G, int constraint, int block,
                               double pin[30])
{
    const int body = st->block_body[block];
    if (!s->bodies[body].port)
        return NULL;
    if (!st->pins || st->pin_kind[constraint] == TN_PIN_NONE)
        return G + st->block_offset[block];
    tn_pin_write(&st->pins[constraint], (tn_pin_kind)st->pin_kind[constraint], s->dimension == 2,
                 tn_slot_body(s, &s->constraints[constraint], 1) == body ? 1 : -1, pin);
    return pin;
}

void tn_boxes_subtract_rows(const tn_system *s, const tn_structure *st, const double *G, const double *r, double *u)
{
    double pin[30];
    for (int c = 0; s->box_count > 0 && c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            const int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
            const double *row = port_rows(s, st, G, c, b, pin);
            for (int i = st->constraint_row[c]; row && i < st->constraint_row[c + 1]; i++, row += w)
                for (int j = 0; j < w; j++)
                    u[i] -= row[j] * r[first + j];
        }
}

void tn_boxes_add_reactions(const tn_system *s, const tn_structure *st, const double *G, const double *lambda,
                            double *tau)
{
    double pin[30];
    for (int c = 0; s->box_count > 0 && c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            const int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
            const double *row = port_rows(s, st, G, c, b, pin);
            for (int i = st->constraint_row[c]; row && i < st->constraint_row[c + 1]; i++, row += w)
                for (int j = 0; j < w; j++)
                    tau[first + j] += row[j] * lambda[i];
        }
}
