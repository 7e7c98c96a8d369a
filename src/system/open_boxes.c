/* Components that show bodies and rows: what they are asked, and rows on their ports. */
#include <math.h>
#include <string.h>
#include "boxes.h"
#include "diag.h"
#include "open_check.h"
#include "vec.h"

bool tn_boxes_any_closed(const tn_system *s)
{
    for (int k = 0; k < s->box_count; k++)
        if (!s->boxes[k].open)
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
        trouble = tn_open_numbers_trouble(&box->inside, c->type);
    return trouble ? tn_fail(s->context, TN_ERROR_MODEL, entity->span, "component '%s': %s", entity->name, trouble)
                   : TN_OK;
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        if (!(fabs(x[k]) <= most))
            most = fabs(x[k]);
    return most;
}

int tn_box_open(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, tn_open_extent extent)
{
    const tn_component *c = &box->instance.component;
    TN_TRY(tn_box_place(e, s, box));
    TN_TRY(tn_box_passed(e, s, box, c->type->open(c->self, question, extent, &box->inside), "open"));
    box->question = question;
    return TN_OK;
}

/* What a port accelerates by as its body turns. */
static void centripetal(const tn_eval *e, const tn_system *s, const tn_box *box, int port, double *r)
{
    const double *w = e->w[tn_box_body(s, box, port)], *arm = box->inside.port_arm + 3 * port;
    double turn[3], inward[3];
    tn_cross3(turn, w, arm);
    tn_cross3(inward, w, turn);
    memcpy(r, inward, (size_t)s->dimension * sizeof(double));
}

static int ask_open(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, double *r)
{
    const bool accelerations = question == TN_ASK_ACCELERATIONS;
    const tn_open_extent all = e->lazy ? TN_OPEN_PINS : TN_OPEN_ROWS;
    TN_TRY(tn_box_open(e, s, box, question, accelerations ? all : TN_OPEN_SIDES));     /* M and G will be needed */
    box->asked = true;
    for (int j = 0; j < box->columns; j++)
        r[box->column[j]] = 0;
    for (int port = 0; accelerations && port < box->columns / box->width; port++)
        centripetal(e, s, box, port, r + box->column[port * box->width]);
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

int tn_boxes_open_gap(tn_eval *e, const tn_system *s, tn_question question, double *gap)
{
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        if (!box->open)
            continue;
        TN_TRY(tn_box_open(e, s, box, question, TN_OPEN_SIDES));
        const tn_structure *st = box->inside.structure;
        double inside = largest(st->constraint_row[st->constraints], box->inside.u);
        *gap = inside <= *gap ? *gap : inside;
    }
    return TN_OK;
}

bool tn_box_answered(const tn_box *box, tn_question question)
{
    return box->motion && box->question == question;
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
            if (tn_box_body(s, &s->boxes[k], *port) == body)
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

/* A block on a port, with how it enters: a pin's part by the pin, others by their rows. */
typedef struct port_block {
    const tn_pin *pin;             /* NULL: rows */
    tn_pin_kind kind;
    double sign;
    const double *arm, *rows;
    int row, row_count, column, width;
} port_block;

static port_block block_at(const tn_structure *st, const double *G, int constraint, int block)
{
    const int body = st->block_body[block];
    port_block b = { .rows = G + st->block_offset[block], .row = st->constraint_row[constraint],
                     .row_count = st->constraint_row[constraint + 1] - st->constraint_row[constraint],
                     .column = st->body_column[body], .width = st->body_column[body + 1] - st->body_column[body] };
    if (!st->pins || st->pin_kind[constraint] == TN_PIN_NONE)
        return b;
    b.pin = &st->pins[constraint];
    b.kind = (tn_pin_kind)st->pin_kind[constraint];
    b.sign = b.pin->body2 == body ? 1 : -1;
    b.arm = b.pin->body2 == body ? b.pin->s2 : b.pin->s1;
    return b;
}

static void subtract_pin(const port_block *b, const double *r, double *u)
{
    double move[3] = { r[0], r[1], 0 };
    if (b->width == 3) {
        move[0] -= r[2] * b->arm[1];
        move[1] += r[2] * b->arm[0];
    } else {
        tn_cross3(move, r + 3, b->arm);
        tn_add3(move, move, r);
    }
    for (int k = 0; k < b->row_count; k++)
        u[k] -= b->sign * (k < 3 ? move[k] : tn_dot3(b->pin->n[k - 3], r + 3));
}

static void add_pin(const port_block *b, const double *lambda, double *tau)
{
    const int points = b->width == 3 ? 2 : 3;
    for (int k = 0; k < points; k++)
        tau[k] += b->sign * lambda[k];
    if (b->width == 3) {
        tau[2] += b->sign * (b->arm[0] * lambda[1] - b->arm[1] * lambda[0]);
        return;
    }
    double moment[3];
    tn_cross3(moment, b->arm, lambda);
    for (int k = 3; k < b->row_count; k++)
        for (int j = 0; j < 3; j++)
            moment[j] += b->pin->n[k - 3][j] * lambda[k];
    for (int j = 0; j < 3; j++)
        tau[3 + j] += b->sign * moment[j];
}

void tn_boxes_subtract_rows(const tn_system *s, const tn_structure *st, const double *G, const double *r, double *u)
{
    for (int c = 0; s->box_count > 0 && c < st->constraints; c++)
        for (int k = st->block_begin[c]; k < st->block_begin[c + 1]; k++) {
            if (!s->bodies[st->block_body[k]].port)
                continue;
            const port_block b = block_at(st, G, c, k);
            if (b.pin)
                subtract_pin(&b, r + b.column, u + b.row);
            for (int i = 0; i < b.row_count && !b.pin; i++)
                for (int j = 0; j < b.width; j++)
                    u[b.row + i] -= b.rows[i * b.width + j] * r[b.column + j];
        }
}

void tn_boxes_add_reactions(const tn_system *s, const tn_structure *st, const double *G, const double *lambda,
                            double *tau)
{
    for (int c = 0; s->box_count > 0 && c < st->constraints; c++)
        for (int k = st->block_begin[c]; k < st->block_begin[c + 1]; k++) {
            if (!s->bodies[st->block_body[k]].port)
                continue;
            const port_block b = block_at(st, G, c, k);
            if (b.pin)
                add_pin(&b, lambda + b.row, tau + b.column);
            for (int i = 0; i < b.row_count && !b.pin; i++)
                for (int j = 0; j < b.width; j++)
                    tau[b.column + j] += b.rows[i * b.width + j] * lambda[b.row + i];
        }
}
