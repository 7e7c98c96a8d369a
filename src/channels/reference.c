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
        code = tn_probe_unknown(s, from->channel, from->span) < 0 ? TN_ERROR_MODEL : TN_OK;
    else if (code == TN_OK && added > 1)
        code = tn_fail(s->context, TN_ERROR_MODEL, from->span, "'%s' is a group of %zu channels: name one of them",
                       from->channel, added);
    if (code == TN_OK)
        to->probe = list.items[0];
    tn_free(s->context, list.items);
    return code;
}

/* Times must not decrease, and values must be numbers: other tables cannot be compared with. */
static int check_table(tn_session *s)
{
    const tn_reference *r = &s->channels->reference;
    const tn_expectation *x = &s->model->expect;
    const double *times = tn_results_values(r->table, (size_t)r->time_column);
    size_t rows = tn_results_rows(r->table);
    if (rows < 2)
        return tn_fail(s->context, TN_ERROR_MODEL, x->span, "the reference table %s has %zu row%s: a comparison takes two", x->reference,
                       rows, rows == 1 ? "" : "s");
    for (size_t k = 0; k < rows; k++) {
        if (!isfinite(times[k]) || (k > 0 && times[k] < times[k - 1]))
            return tn_fail(s->context, TN_ERROR_MODEL, x->span, "the reference table %s: the time in row %zu is %s", x->reference,
                           k + 1, isfinite(times[k]) ? "before that of the row above it" : "not a finite number");
        for (size_t c = 0; c < r->column_count; c++)
            if (!isfinite(tn_results_values(r->table, (size_t)r->columns[c].column)[k]))
                return tn_fail(s->context, TN_ERROR_MODEL, x->span, "the reference table %s: column '%s' is not a finite number "
                               "in row %zu", x->reference, x->columns[c].column, k + 1);
    }
    return TN_OK;
}

/* A comparison that says less than it seems to. */
static void warn_of_table(tn_session *s)
{
    const tn_reference *r = &s->channels->reference;
    const tn_expectation *x = &s->model->expect;
    const double *times = tn_results_values(r->table, (size_t)r->time_column);
    size_t rows = tn_results_rows(r->table), beyond = 0;
    double largest = 0, end = s->solve.until * (1 + SAME_TIME);
    for (size_t k = 0; k < rows; k++) {
        beyond += times[k] > end;
        for (size_t c = 0; c < r->column_count; c++)
            largest = fmax(largest, fabs(tn_results_values(r->table, (size_t)r->columns[c].column)[k]));
    }
    if (beyond > 0)
        tn_warn(s->context, x->span, "the reference table goes to t = %.9g s, the run to %.9g s: %zu of %zu rows are not compared",
                times[rows - 1], s->solve.until, beyond, rows);
    if (largest > 0 && x->tolerance >= largest)
        tn_warn(s->context, x->span, "the tolerance %g of 'expect' is as large as the values in the reference table (%g at most): "
                "it holds for zeros, too", x->tolerance, largest);
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
    TN_TRY(check_table(s));
    warn_of_table(s);
    return TN_OK;
}

void tn_reference_close(tn_session *s)
{
    tn_results_destroy(s->channels->reference.table);
}

/* Times that differ by less count as equal. */
static double slack_at(double t)
{
    return SAME_TIME * fmax(fabs(t), 1e-3);
}

double tn_reference_next(const tn_session *s)
{
    const tn_reference *r = &s->channels->reference;
    if (!r->table || r->next_row == tn_results_rows(r->table))
        return INFINITY;
    return tn_results_values(r->table, (size_t)r->time_column)[r->next_row];
}

static void compare_row(tn_session *s, tn_reference *r)
{
    for (size_t k = 0; k < r->column_count; k++) {
        const double *expected = tn_results_values(r->table, (size_t)r->columns[k].column);
        double error = fabs(tn_probe_value(s, &r->columns[k].probe) - expected[r->next_row]);
        if (!isnan(r->columns[k].error) && !(error <= r->columns[k].error))
            r->columns[k].error = error;           /* an error of NaN stays NaN */
    }
    r->compared++;
}

void tn_reference_compare(tn_session *s, double t)
{
    tn_reference *r = &s->channels->reference;
    double slack = slack_at(t);
    while (tn_reference_next(s) < t - slack)
        r->next_row++;
    if (!(tn_reference_next(s) <= t + slack))
        return;
    compare_row(s, r);
    while (tn_reference_next(s) <= t + slack)      /* values on both sides of a jump: the state is that of one side */
        r->next_row++;
}

void tn_reference_skip(tn_session *s)
{
    s->channels->reference.next_row++;
}

bool tn_reference_is_due(const tn_session *s, double t)
{
    return tn_reference_next(s) < t - slack_at(t);
}
