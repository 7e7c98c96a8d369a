/* Answers of a component that came before they were asked for. */
#include "foresight.h"

#include <string.h>

int tn_foresight_open(tn_foresight *f, const tn_component_host *host, int states, int columns)
{
    size_t n = (size_t)columns, m = (size_t)states;
    size_t count = n * n + n + m + m * n + 2 * n;
    double *room = host->reallocate(host->user, NULL, count * sizeof(double) + 1);
    if (!room)
        return TN_ERROR_MEMORY;
    memset(room, 0, count * sizeof(double));
    *f = (tn_foresight){ .matrix = room, .states = m, .columns = n };
    f->r = f->matrix + n * n;
    f->base = f->r + n;
    f->map = f->base + m;
    f->around = f->map + m * n;
    f->taken = f->around + n;
    return TN_OK;
}

void tn_foresight_close(tn_foresight *f, const tn_component_host *host)
{
    if (f->matrix)
        host->reallocate(host->user, f->matrix, 0);
    f->matrix = NULL;
}

bool tn_foresight_place(tn_foresight *f)
{
    f->followed[f->place] = f->used;
    if (f->place + 1 < TN_FORESIGHT_PLACES)
        f->place++;
    bool expected = f->decided && f->followed[f->place];
    f->used = f->decided_here = false;
    return expected;
}

void tn_foresight_take(tn_foresight *f, const tn_isolated_exchange *x, size_t at, bool asked)
{
    const double *from = x->numbers + at;
    f->has_matrix = asked || x->foreseen;
    f->has_answer = x->foreseen;
    f->has_rates = x->foreseen && x->foreseen_rates;
    f->bent = f->bent || (x->foreseen && x->bent);
    f->rows = x->rows;
    if (f->has_matrix)
        memcpy(f->matrix, from, (f->columns * f->columns + f->columns) * sizeof(double));
    if (f->has_rates)
        memcpy(f->base, from + f->columns * f->columns + f->columns, f->states * (f->columns + 1) * sizeof(double));
}

void tn_foresight_forget(tn_foresight *f)
{
    f->has_matrix = f->has_answer = f->has_rates = f->decided_here = false;
}

bool tn_foresight_has_matrix(const tn_foresight *f, tn_rank_rule rule, bool root)
{
    return f->has_matrix && f->root == root && (rule == TN_RANK_KEEP || f->decided_here);
}

void tn_foresight_used(tn_foresight *f, tn_rank_rule rule)
{
    f->used = true;
    if (rule != TN_RANK_DECIDE)
        return;
    f->followed[f->place] = false;
    f->decided = true;
    f->place = 0;
}

bool tn_foresight_answer(const tn_foresight *f, double *r)
{
    if (f->has_answer)
        memcpy(r, f->r, f->columns * sizeof(double));
    return f->has_answer;
}

bool tn_foresight_rates(tn_foresight *f, const double *tau, double *rates)
{
    if (tau)
        memcpy(f->taken, tau, f->columns * sizeof(double));
    else
        memset(f->taken, 0, f->columns * sizeof(double));
    if (!f->has_rates)
        return false;
    memcpy(rates, f->base, f->states * sizeof(double));
    for (size_t j = 0; j < f->columns; j++) {
        double change = f->taken[j] - f->around[j];
        for (size_t i = 0; i < f->states; i++)
            rates[i] += f->map[j * f->states + i] * change;
    }
    f->pending = true;
    return true;
}
