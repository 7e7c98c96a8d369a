/* Comparing samples with the reference table that the model's "expect:" section names. */
#include <math.h>
#include "diag.h"
#include "channels.h"

/* Sample times and table times that differ by less than this count as equal; relative to the sample time. */
static const double SAME_TIME = 1e-9;

static int open_column(tn_session *s, const struct tn_expected_column *from, struct tn_reference_column *to)
{
    tn_probe_list list = { 0 };
    size_t added = 0;
    to->column = tn_results_find(s->channels->reference.table, from->column);
    if (to->column < 0)
        return tn_fail(s->context, TN_ERROR_MODEL, from->span, "the reference table %s has no column '%s'",
                       s->model->expect.reference, from->column);
    int code = tn_probes_add(s, &list, s->arena, from->channel, &added);
    if (code == TN_OK && added == 0)
        code = tn_probe_unknown(s, from->channel, from->span);
    else if (code == TN_OK && added > 1)
        code = tn_fail(s->context, TN_ERROR_MODEL, from->span, "'%s' is a group of %zu channels: name one of them",
                       from->channel, added);
    if (code == TN_OK)
        to->probe = list.items[0];
    tn_free(s->context, list.items);
    return code;
}

int tn_reference_open(tn_session *s)
{
    const tn_expectation *x = &s->model->expect;
    tn_reference *r = &s->channels->reference;
    if (!x->reference)
        return TN_OK;
    TN_TRY(tn_results_read(&r->table, s->context, x->reference));
    r->time_column = tn_results_find(r->table, "t");
    if (r->time_column < 0)
        return tn_fail(s->context, TN_ERROR_MODEL, x->span, "the reference table %s has no column 't'", x->reference);
    r->columns = tn_arena_alloc(s->arena, x->column_count, sizeof *r->columns);
    if (!r->columns)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < x->column_count; k++) {
        struct tn_reference_column *column = &r->columns[r->column_count];
        TN_TRY(open_column(s, &x->columns[k], column));
        r->column_count += !s->stepper->motion_only || !tn_probe_needs_forces(&column->probe);
    }
    return TN_OK;
}

void tn_reference_close(tn_session *s)
{
    tn_results_destroy(s->channels->reference.table);
}

void tn_reference_compare(tn_session *s, double t)
{
    tn_reference *r = &s->channels->reference;
    if (!r->table)
        return;
    double slack = SAME_TIME * fmax(t, 1e-3);
    size_t rows = tn_results_rows(r->table);
    const double *times = tn_results_values(r->table, (size_t)r->time_column);
    while (r->next_row < rows && times[r->next_row] < t - slack)
        r->next_row++;
    if (r->next_row == rows || times[r->next_row] > t + slack)
        return;
    for (size_t k = 0; k < r->column_count; k++) {
        const double *expected = tn_results_values(r->table, (size_t)r->columns[k].column);
        double error = fabs(tn_probe_value(s, &r->columns[k].probe) - expected[r->next_row]);
        if (!isnan(r->columns[k].error) && !(error <= r->columns[k].error))
            r->columns[k].error = error;           /* an error of NaN stays NaN */
    }
    r->next_row++;
    r->compared++;
}
