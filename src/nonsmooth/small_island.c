/* Solves the contacts of a small island with the dense cone solver, which finds solutions where the sparse one does not. */
#include <string.h>
#include "cone.h"
#include "contact_rows.h"

/* Rows of islands that are solved in this way, at most. */
enum { MOST_ROWS = 60 };

static int count_rows(const tn_contact_rows *r, const int *list, int count)
{
    int rows = 0;
    for (int k = 0; k < count; k++)
        rows += r->contacts[list[k]].rows;
    return rows;
}

/* Rows of contact a times the responses of contact b, into W at (row, column). */
static void fill_block(double *W, int rows, int row, int column, const tn_sweep_contact *a, const tn_sweep_contact *b)
{
    for (int i = 0; i < a->J_count; i++)
        for (int j = 0; j < b->A_count; j++) {
            const tn_sweep_block *J = &a->J[i], *A = &b->A[j];
            for (int m = 0; m < J->width && A->at == J->at; m++)
                for (int p = 0; p < a->rows; p++)
                    for (int q = 0; q < b->rows; q++)
                        W[row + p + (column + q) * rows] += J->values[m * a->rows + p] * A->values[m * b->rows + q];
        }
}

static void fill_problem(const tn_contact_rows *r, const int *list, int count, int rows, tn_cone_contact *contacts,
                         double *W, double *b, double *p)
{
    memset(W, 0, (size_t)(rows * rows) * sizeof(double));
    for (int k = 0, row = 0; k < count; row += r->contacts[list[k++]].rows) {
        const tn_sweep_contact *c = &r->contacts[list[k]];
        contacts[k] = (tn_cone_contact){ .row = row, .tangents = c->rows - 1, .mu = c->mu };
        for (int i = 0; i < c->rows; i++) {
            b[row + i] = tn_contact_row_speed(c, i, r->free) + (i == 0 ? c->shift : c->belt[i - 1]);
            p[row + i] = 0;
        }
        for (int j = 0, column = 0; j < count; column += r->contacts[list[j++]].rows)
            fill_block(W, rows, row, column, c, &r->contacts[list[j]]);
    }
    for (int i = 0; i < rows; i++)                     /* symmetric but for round-off of the joints' responses */
        for (int j = 0; j < i; j++)
            W[i + j * rows] = W[j + i * rows] = (W[i + j * rows] + W[j + i * rows]) / 2;
}

static void take_impulses(tn_contact_rows *r, const int *list, int count, const double *p)
{
    for (int k = 0; k < count; k++) {
        tn_sweep_contact *c = &r->contacts[list[k]];
        for (int b = 0; b < c->A_count; b++)
            memcpy(r->v + c->A[b].at, r->free + c->A[b].at, (size_t)c->A[b].width * sizeof(double));
        for (int i = 0; i < c->rows; i++)
            c->p[i] = *p++;
    }
    for (int k = 0; k < count; k++) {
        const tn_sweep_contact *c = &r->contacts[list[k]];
        for (int b = 0; b < c->A_count; b++)
            for (int m = 0; m < c->A[b].width; m++)
                for (int i = 0; i < c->rows; i++)
                    r->v[c->A[b].at + m] += c->A[b].values[m * c->rows + i] * c->p[i];
    }
}

bool tn_small_island(const tn_contact_rows *r, const int *list, int count)
{
    return count_rows(r, list, count) <= MOST_ROWS;
}

int tn_small_island_solve(tn_contact_rows *r, tn_context *context, const int *list, int count, bool *solved)
{
    int rows = count_rows(r, list, count);
    size_t need = (size_t)(rows * rows + 3 * rows + tn_cone_doubles(rows));
    TN_TRY(tn_grow(context, &r->small_work, &r->small_capacity[0], need, sizeof(double)));
    TN_TRY(tn_grow(context, &r->small_numbers, &r->small_capacity[1], (size_t)tn_cone_ints(rows), sizeof(int)));
    TN_TRY(tn_grow(context, &r->small_contacts, &r->small_capacity[2], (size_t)count, sizeof *r->small_contacts));
    double *W = r->small_work, *b = W + rows * rows, *p = b + rows, *w = p + rows, *work = w + rows;
    fill_problem(r, list, count, rows, r->small_contacts, W, b, p);
    tn_cone_problem problem = { rows, W, b, r->small_contacts, count };
    *solved = tn_cone_solve(p, w, &problem, work, r->small_numbers) == 0;
    if (*solved)
        take_impulses(r, list, count, p);
    return TN_OK;
}
