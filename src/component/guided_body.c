/* Eliminates one guided body with its joint and pin onto its carrier (guided_body.h). */
#include "guided_body.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* For rows of unit length: a pivot that is round-off; a pivot at the start that is large enough for all motions. */
static const double NO_PIVOT = 1e-9, GOOD_PIVOT = 0.05;

/* ---- rows over the columns of a body ---- */

static double product(const tn_guided_body_row *a, const tn_guided_body_row *b)
{
    double even = 0, odd = 0;
    for (int j = 0; j < TN_GUIDED_COLUMNS; j += 2) {
        even += a->x[j] * b->x[j];
        odd += a->x[j + 1] * b->x[j + 1];
    }
    return even + odd;
}

/* The sum of c_i rows_i. */
static tn_guided_body_row combine(int count, const double *c, const tn_guided_body_row *rows)
{
    tn_guided_body_row sum = { { 0 } };
    for (int i = 0; i < count; i++)
        for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
            sum.x[j] += c[i] * rows[i].x[j];
    return sum;
}

static void copy_rows(int count, int width, const double *from, tn_guided_body_row *to)
{
    if (width == TN_GUIDED_COLUMNS) {
        memcpy(to, from, (size_t)count * sizeof(tn_guided_body_row));
        return;
    }
    memset(to, 0, (size_t)count * sizeof(tn_guided_body_row));
    for (int i = 0; i < count; i++)
        memcpy(to[i].x, from + i * width, (size_t)width * sizeof(double));
}

/* ---- the joint ---- */

/* The column of the largest entry in a row. */
static int largest_in(const tn_guided_body_row *row)
{
    int best = 0;
    for (int j = 1; j < TN_GUIDED_COLUMNS; j++)
        best = fabs(row->x[j]) > fabs(row->x[best]) ? j : best;
    return best;
}

/* A = L U. */
static bool factor_guided_body(tn_guided_body *g)
{
    for (int i = 0; i < g->rows; i++) {
        const int column = largest_in(&g->U[i]);
        if (!(fabs(g->U[i].x[column]) > NO_PIVOT))
            return false;
        g->column[i] = column;
        g->inverse[i] = 1 / g->U[i].x[column];
        for (int k = i + 1; k < g->rows; k++) {
            g->L[k][i] = g->U[k].x[column] * g->inverse[i];
            for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
                g->U[k].x[j] -= g->L[k][i] * g->U[i].x[j];
            g->U[k].x[column] = 0;
        }
    }
    return true;
}

/* Solves U a = c: a holds its free entries on entry, and zeros for the others. */
static void solve_back(const tn_guided_body *g, const double *c, tn_guided_body_row *a)
{
    for (int i = g->rows - 1; i >= 0; i--)
        a->x[g->column[i]] = (c[i] - product(&g->U[i], a)) * g->inverse[i];
}

/* Converts a motion from columns that are lengths to columns of the body; or a row the other way. */
static tn_guided_body_row rescaled(const tn_guided_body *g, tn_guided_body_row a)
{
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
        a.x[j] *= g->lengths.x[j];
    return a;
}

/* b with A b = u. */
static tn_guided_body_row solve_joint(const tn_guided_body *g, const double *u)
{
    double c[TN_GUIDED_ROWS];
    tn_guided_body_row b = { { 0 } };
    for (int i = 0; i < g->rows; i++) {
        c[i] = u[i];
        for (int k = 0; k < i; k++)
            c[i] -= g->L[i][k] * c[k];
    }
    solve_back(g, c, &b);
    return rescaled(g, b);
}

/* Finds S: motions of unit length in columns that are lengths, one for each column without a pivot of U. */
static void find_free(tn_guided_body *g)
{
    static const double none[TN_GUIDED_ROWS];
    bool bound[TN_GUIDED_COLUMNS] = { 0 };
    int free = 0;
    for (int i = 0; i < g->rows; i++)
        bound[g->column[i]] = true;
    for (int j = 0; j < g->width; j++) {
        if (bound[j])
            continue;
        tn_guided_body_row a = { { 0 } };
        a.x[j] = 1;
        solve_back(g, none, &a);
        const double inverse = 1 / sqrt(product(&a, &a));
        for (int k = 0; k < TN_GUIDED_COLUMNS; k++)
            a.x[k] *= inverse;
        g->S[free++] = rescaled(g, a);
    }
}

/* Factors A and finds S. False: the rows of the joint are singular. */
static bool take_joint(tn_guided_body *g, const tn_system *s, const tn_eval *e)
{
    double rows[30];
    copy_rows(g->rows, g->width, tn_eval_block(e, s, g->joint, g->joint_block, rows), g->U);
    for (int i = 0; i < g->rows; i++)
        g->U[i] = rescaled(g, g->U[i]);
    if (!factor_guided_body(g))
        return false;
    find_free(g);
    return true;
}

/* ---- the pin ---- */

/* A row of P S, and a row of the rotation of the pin's rows to body axes; elimination makes them [1; 0] and W. */
typedef struct turned_row {
    tn_guided_body_row told, turn;
} turned_row;

static void turn_rows(const tn_guided_body *g, const tn_eval *e, turned_row *B)
{
    const double (*R)[3] = (const double (*)[3])e->R[g->body];
    for (int i = 0; i < TN_GUIDED_ROWS; i++)
        B[i] = (turned_row){ 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[i].turn.x[j] = R[j][i];
    for (int i = 0; i < 2 && g->pin_rows == 5; i++) {          /* a hinge in space */
        double axis[3];
        tn_mul33(axis, R, g->axes[i]);
        for (int j = 0; j < 2; j++)
            B[3 + i].turn.x[3 + j] = tn_dot3(axis, e->pins[g->pin].n[j]);
    }
    for (int k = 0; k < g->free; k++) {
        tn_guided_body_row PS = { { 0 } };
        for (int r = 0; r < TN_GUIDED_ROWS; r++)
            PS.x[r] = product(&g->P[r], &g->S[k]);
        for (int i = 0; i < g->pin_rows; i++)
            B[i].told.x[k] = product(&B[i].turn, &PS);
    }
}

/* row += factor other */
static void add_row(turned_row *row, double factor, const turned_row *other)
{
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++) {
        row->told.x[j] += factor * other->told.x[j];
        row->turn.x[j] += factor * other->turn.x[j];
    }
}

/* Makes the largest entry of a row of P S the only nonzero in its column. Returns the column, -1: only round-off. */
static int eliminate_by(const tn_guided_body *g, turned_row *B, int row)
{
    const int best = largest_in(&B[row].told);
    const double pivot = B[row].told.x[best];
    if (!(fabs(pivot) > NO_PIVOT))
        return -1;
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++) {
        B[row].told.x[j] /= pivot;
        B[row].turn.x[j] /= pivot;
    }
    for (int i = 0; i < g->pin_rows; i++)
        if (i != row)
            add_row(&B[i], -B[i].told.x[best], &B[row]);
    return best;
}

/* Computes W and X from the rows of the pin on the body (P) and on its carrier (Q). */
static bool take_pin(tn_guided_body *g, const tn_eval *e, const tn_guided_body_row *Q)
{
    bool tells[TN_GUIDED_ROWS] = { 0 };
    turned_row B[TN_GUIDED_ROWS];
    int column[TN_GUIDED_ROWS], at = g->free;
    turn_rows(g, e, B);
    for (int t = 0; t < g->free; t++) {
        const int row = g->telling[t];
        column[t] = eliminate_by(g, B, row);
        if (column[t] < 0)
            return false;
        tells[row] = true;
    }
    for (int t = 0; t < g->free; t++)
        g->W[column[t]] = B[g->telling[t]].turn;
    for (int row = 0; row < g->pin_rows; row++)
        if (!tells[row])
            g->W[at++] = B[row].turn;
    for (int k = 0; k < g->free; k++) {
        g->X[k] = combine(g->pin_rows, g->W[k].x, Q);
        for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
            g->X[k].x[j] = -g->X[k].x[j];
    }
    return true;
}

static void take_mass(tn_guided_body *g, const tn_system *s, const tn_eval *e)
{
    copy_rows(g->width, g->width, e->M + s->structure.mass_offset[g->body], g->M);
    for (int k = 0; k < g->free; k++) {
        const tn_guided_body_row MS = combine(g->width, g->S[k].x, g->M);
        for (int l = 0; l <= k; l++)
            g->mass[k][l] = g->mass[l][k] = product(&g->S[l], &MS);
    }
}

/* Adds the mass of the guided body, X' mass X, to its carrier. */
static void add_mass(const tn_guided_body *g, double *M)
{
    for (int k = 0; k < g->free; k++) {
        const tn_guided_body_row moved = combine(g->free, g->mass[k], g->X);
        for (int i = 0; i < g->width; i++)
            for (int j = 0; j < g->width; j++)
                M[i * g->width + j] += g->X[k].x[i] * moved.x[j];
    }
}

/* Writes the remaining rows of the pin on the carrier: rows of W times Q. */
static void write_left(const tn_guided_body *g, const tn_guided_body_row *Q, double *out)
{
    for (int r = g->free; r < g->pin_rows; r++, out += g->width) {
        const tn_guided_body_row row = combine(g->pin_rows, g->W[r].x, Q);
        memcpy(out, row.x, (size_t)g->width * sizeof(double));
    }
}

/* ---- the body ---- */

static void take_pin_rows(const tn_guided_body *g, const tn_system *s, const tn_eval *e, int block,
                          tn_guided_body_row *to)
{
    double rows[30];
    copy_rows(g->pin_rows, g->width, tn_eval_block(e, s, g->pin, block, rows), to);
}

/* Chooses the rows of the pin that determine x, the best row first. */
static bool choose_rows(tn_guided_body *g, const tn_eval *e)
{
    turned_row B[TN_GUIDED_ROWS];
    turn_rows(g, e, B);
    for (int t = 0; t < g->free; t++) {
        int best = 0;
        double most = 0;
        for (int row = 0; row < g->pin_rows; row++) {
            const double entry = fabs(B[row].told.x[largest_in(&B[row].told)]);
            best = entry > most ? row : best;
            most = fmax(entry, most);
        }
        if (!(most > GOOD_PIVOT))
            return false;
        g->telling[t] = best;
        eliminate_by(g, B, best);
        memset(&B[best], 0, sizeof B[best]);
    }
    return true;
}

bool tn_guided_body_begin(tn_guided_body *g, const tn_system *s, const tn_eval *e)
{
    const tn_structure *st = &s->structure;
    for (int j = 0; j < g->width; j++)
        g->lengths.x[j] = 1 / st->column_scale[st->body_column[g->body] + j];
    if (!take_joint(g, s, e))
        return false;
    for (int i = 0; i < 2; i++)
        tn_mul33t(g->axes[i], (const double (*)[3])e->R[g->body], e->pins[g->pin].n[i]);
    take_pin_rows(g, s, e, g->pin_block, g->P);
    return choose_rows(g, e);
}

bool tn_guided_body_take(tn_guided_body *g, const tn_system *s, const tn_eval *e, double *carrier_mass, double *left)
{
    tn_guided_body_row Q[TN_GUIDED_ROWS];
    if (!take_joint(g, s, e))
        return false;
    take_pin_rows(g, s, e, g->pin_block, g->P);
    take_pin_rows(g, s, e, g->carrier_block, Q);
    if (!take_pin(g, e, Q))
        return false;
    take_mass(g, s, e);
    add_mass(g, carrier_mass);
    write_left(g, Q, left);
    return true;
}

/* W (r - P b): first c, then the right side of the remaining rows. */
static void take_pin_side(tn_guided_body *g, const double *pin, double *left)
{
    tn_guided_body_row r = { { 0 } };
    for (int i = 0; i < g->pin_rows; i++)
        r.x[i] = pin[i] - product(&g->P[i], &g->b);
    for (int k = 0; k < g->free; k++)
        g->c[k] = product(&g->W[k], &r);
    for (int i = g->free; i < g->pin_rows; i++)
        left[i - g->free] = product(&g->W[i], &r);
}

void tn_guided_body_take_side(tn_guided_body *g, const double *f, const double *joint, const double *pin,
                              double *carrier_force, double *left)
{
    tn_guided_body_row rest;
    copy_rows(1, g->width, f, &rest);
    g->b = solve_joint(g, joint);
    take_pin_side(g, pin, left);
    const tn_guided_body_row inert = combine(g->width, g->b.x, g->M);
    for (int j = 0; j < TN_GUIDED_COLUMNS; j++)
        rest.x[j] -= inert.x[j];
    for (int k = 0; k < g->free; k++) {
        double force = product(&g->S[k], &rest);
        for (int l = 0; l < g->free; l++)
            force -= g->mass[k][l] * g->c[l];
        for (int j = 0; j < g->width; j++)
            carrier_force[j] += g->X[k].x[j] * force;
    }
}

void tn_guided_body_move(const tn_guided_body *g, const double *carrier, double *a)
{
    double x[TN_GUIDED_COLUMNS];
    tn_guided_body_row q;
    copy_rows(1, g->width, carrier, &q);
    for (int k = 0; k < g->free; k++)
        x[k] = g->c[k] + product(&g->X[k], &q);
    const tn_guided_body_row free = combine(g->free, x, g->S);
    for (int j = 0; j < g->width; j++)
        a[j] = g->b.x[j] + free.x[j];
}
