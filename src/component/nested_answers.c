/* The answers of a nested model to forces on its ports. */
#include "nested.h"

#include <math.h>
#include <string.h>
#include "dense.h"
#include "mem.h"

static const double ROUND_OFF = 1e-14;         /* of residuals, relative to the largest coordinate */

/* ---- between ports and their bodies ---- */

static int body_width(const tn_nested *n, const tn_nested_port *p)
{
    const int *column = n->system->structure.body_column;
    return column[p->frame.body + 1] - column[p->frame.body];
}

/* Columns of a port that its body does not have are zero: a particle does not turn. */
static void to_ports(const tn_nested *n, const double *x, double *out)
{
    for (int k = 0; k < n->type.port_count; k++, out += n->width) {
        const tn_nested_port *p = &n->ports[k];
        for (int j = 0; j < n->width; j++)
            out[j] = j < body_width(n, p) ? x[p->column + j] : 0;
    }
}

static void to_bodies(const tn_nested *n, const double *tau, double *out)
{
    memset(out, 0, (size_t)tn_condenser_columns(n->condenser) * sizeof(double));
    for (int k = 0; k < n->type.port_count; k++, tau += n->width) {
        const tn_nested_port *p = &n->ports[k];
        for (int j = 0; j < body_width(n, p); j++)
            out[p->column + j] += tau[j];
    }
}

/* ---- answers ---- */

static int factor_nested_answers(tn_nested *n, tn_rank_rule rule)
{
    TN_TRY(tn_nested_look(n, 2, TN_OPEN_ROWS));
    TN_TRY(tn_condenser_factor(n->condenser, n->at.e->M, n->at.e->G, rule));
    n->factored = true;
    n->solved = -1;
    return TN_OK;
}

int tn_nested_factor_once(tn_nested *n)
{
    return n->factored ? TN_OK : factor_nested_answers(n, TN_RANK_KEEP);
}

/* Computes r over the columns of the condenser and prepares back substitution, once for a point and question. */
static int solve_free(tn_nested *n, tn_question question)
{
    const tn_system *s = n->system;
    if (n->solved == (int)question)
        return TN_OK;
    if (question == TN_ASK_ACCELERATIONS)
        TN_TRY(tn_nested_find_forces(n));
    n->solved = (int)question;
    const double *gap = question == TN_ASK_POSITIONS ? n->at.e->g : n->at.e->gdot;
    for (int i = 0; i < s->rows; i++)
        n->u[i] = question == TN_ASK_ACCELERATIONS ? n->at.e->bias[i] : -gap[i];
    return tn_condenser_free(n->r, n->condenser, question == TN_ASK_ACCELERATIONS ? n->at.e->f : n->no_force, n->u);
}

/* x = D tau over the columns of the condenser. */
static void apply_response(const tn_nested *n, const double *tau, double *x)
{
    const int columns = tn_condenser_columns(n->condenser);
    int rows;
    const double *T = tn_condenser_root(&rows, n->condenser);
    memset(x, 0, (size_t)columns * sizeof(double));
    for (int k = 0; k < rows; k++, T += columns)
        tn_add(columns, tn_dot(columns, T, tau), T, x);
}

static int factor_by(tn_nested *n, tn_rank_rule rule)
{
    return rule == TN_RANK_DECIDE ? factor_nested_answers(n, rule) : tn_nested_factor_once(n);
}

int tn_nested_condense_root(void *self, tn_rank_rule rule, int *rows, double *T)
{
    tn_nested *n = self;
    const int bodies = tn_condenser_columns(n->condenser), ports = n->type.port_count * n->width;
    TN_TRY(factor_by(n, rule));
    const double *root = tn_condenser_root(rows, n->condenser);
    for (int k = 0; k < *rows; k++)
        to_ports(n, root + k * bodies, T + k * ports);
    return TN_OK;
}

int tn_nested_condense(void *self, tn_rank_rule rule, double *D)
{
    tn_nested *n = self;
    const int bodies = tn_condenser_columns(n->condenser), ports = n->type.port_count * n->width;
    int rows;
    TN_TRY(factor_by(n, rule));
    if (!D)
        return TN_OK;
    const double *root = tn_condenser_root(&rows, n->condenser);
    memset(D, 0, (size_t)(ports * ports) * sizeof(double));
    for (int k = 0; k < rows; k++) {
        to_ports(n, root + k * bodies, n->unit);
        for (int j = 0; j < ports; j++)
            tn_add(ports, n->unit[j], n->unit, D + j * ports);
    }
    return TN_OK;
}

int tn_nested_free_answer(void *self, tn_question question, double *r)
{
    tn_nested *n = self;
    TN_TRY(tn_nested_factor_once(n));
    TN_TRY(solve_free(n, question));
    to_ports(n, n->r, r);
    return TN_OK;
}

int tn_nested_respond(void *self, tn_question question, const double *tau, double *answer)
{
    tn_nested *n = self;
    const int columns = n->type.port_count * n->width;
    TN_TRY(tn_nested_free_answer(n, question, answer));
    if (!tau)
        return TN_OK;
    to_bodies(n, tau, n->tau);
    apply_response(n, n->tau, n->x);
    to_ports(n, n->x, n->unit);
    for (int j = 0; j < columns; j++)
        answer[j] += n->unit[j];
    return TN_OK;
}

/* All residuals are round-off: there is nothing to correct. */
static bool is_right(const tn_nested *n, tn_question question)
{
    const tn_system *s = n->system;
    const bool positions = question == TN_ASK_POSITIONS;
    const double *gap = positions ? n->at.e->g : n->at.e->gdot;
    double size = 1, most = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < s->dimension; k++)
            size = fmax(size, fabs(positions ? n->at.y[s->bodies[b].q + k] : n->at.y[s->positions + s->bodies[b].v + k]));
    for (int i = 0; i < s->rows; i++)
        most = fmax(most, fabs(gap[i]));
    return most <= ROUND_OFF * size;
}

int tn_nested_take(void *self, tn_question question, const double *tau, double *out)
{
    tn_nested *n = self;
    const tn_system *s = n->system;
    TN_TRY(tn_nested_look(n, 2, TN_OPEN_ROWS));
    if (!tau && question != TN_ASK_ACCELERATIONS && is_right(n, question)) {
        memcpy(out, n->at.y, (size_t)s->size * sizeof(double));
        if (question == TN_ASK_POSITIONS)
            tn_position_normalize(s, out);
        return TN_OK;
    }
    TN_TRY(tn_nested_factor_once(n));
    TN_TRY(solve_free(n, question));
    if (tau)
        to_bodies(n, tau, n->tau);
    TN_TRY(tn_condenser_back_substitute(n->a, n->at.e->lambda, n->condenser, tau ? n->tau : NULL));
    tn_nested_move(n, question, n->a, out);
    return TN_OK;
}
