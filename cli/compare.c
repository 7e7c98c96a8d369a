/* Matches the rows of two tables in time and measures the difference of their columns. */
#include "compare.h"
#include <math.h>
#include <string.h>

/* Times closer than this part of the time covered, or of an interval between rows, are the same. */
static const double SAME_TIME = 1e-9;

size_t tn_times_fault(const double *times, size_t rows)
{
    for (size_t k = 0; k < rows; k++)
        if (!isfinite(times[k]) || (k > 0 && times[k] < times[k - 1]))
            return k + 1;
    return 0;
}

/* Index of the first time >= t. */
static size_t lower_bound(const double *times, size_t rows, double t)
{
    size_t low = 0, high = rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Index of the first time > t. */
static size_t upper_bound(const double *times, size_t rows, double t)
{
    size_t k = lower_bound(times, rows, t);
    while (k < rows && times[k] == t)
        k++;
    return k;
}

/* Where rows are some time apart, the last one need not be at the very end of the run. */
static bool same_span(const tn_comparison *c, const size_t rows[2], double slack)
{
    double interval = 0;
    for (int s = 0; s < 2; s++)
        if (rows[s] > 1)
            interval = fmax(interval, c->times[s][rows[s] - 1] - c->times[s][rows[s] - 2]);
    double begins = fabs(c->times[0][0] - c->times[1][0]);
    double ends = fabs(c->times[0][rows[0] - 1] - c->times[1][rows[1] - 1]);
    return begins <= slack && (ends <= slack || ends < interval * (1 - SAME_TIME));
}

/* The rows of both tables within the time that both cover; the table with fewer of them is the grid. */
static void find_common_rows(tn_comparison *c, const size_t rows[2])
{
    double from = fmax(c->times[0][0], c->times[1][0]);
    double to = fmin(c->times[0][rows[0] - 1], c->times[1][rows[1] - 1]);
    size_t first[2], count[2];
    for (int s = 0; s < 2; s++) {
        size_t end = upper_bound(c->times[s], rows[s], to);
        first[s] = lower_bound(c->times[s], rows[s], from);
        count[s] = end > first[s] ? end - first[s] : 0;
    }
    c->grid = count[1] < count[0];
    c->first = first[c->grid];
    c->rows = count[c->grid];
    c->same_span = same_span(c, rows, SAME_TIME * fabs(to - from));
}

tn_comparison tn_comparison_begin(const tn_results *const tables[2], const int time_columns[2])
{
    tn_comparison c = { .tables = { tables[0], tables[1] } };
    size_t rows[2];
    for (int s = 0; s < 2; s++) {
        c.times[s] = tn_results_values(tables[s], (size_t)time_columns[s]);
        rows[s] = tn_results_rows(tables[s]);
    }
    c.same_times = rows[0] == rows[1] && memcmp(c.times[0], c.times[1], rows[0] * sizeof(double)) == 0;
    if (c.same_times) {
        c.same_span = true;
        c.rows = rows[0];
    } else if (rows[0] > 0 && rows[1] > 0) {
        find_common_rows(&c, rows);
    }
    return c;
}

/* The polynomial through two rows on either side of t, as far as there are any: of third order in the midst of the
 * table. It does not reach over a repeated time, where values may jump. next: first row with a time >= t. */
static double interpolate(const double *times, const double *values, size_t rows, size_t next, double t)
{
    if (times[next] == t)
        return values[next];
    size_t low = next - 1, high = next;
    if (low > 0 && times[low - 1] < times[low])
        low--;
    if (high + 1 < rows && times[high] < times[high + 1])
        high++;
    double sum = 0;
    for (size_t i = low; i <= high; i++) {
        double weight = 1;
        for (size_t j = low; j <= high; j++)
            if (j != i)
                weight *= (t - times[j]) / (times[i] - times[j]);
        sum += weight * values[i];
    }
    return sum;
}

static double difference(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double d = fabs(a - b);
    return isnan(d) ? INFINITY : d;
}

tn_difference tn_comparison_columns(const tn_comparison *c, const int columns[2])
{
    int other = 1 - c->grid;
    const double *grid = tn_results_values(c->tables[c->grid], (size_t)columns[c->grid]);
    const double *dense = tn_results_values(c->tables[other], (size_t)columns[other]);
    size_t dense_rows = tn_results_rows(c->tables[other]), next = 0;
    tn_difference d = { 0 };
    for (size_t k = c->first; k < c->first + c->rows; k++) {
        double t = c->times[c->grid][k], value = dense[c->same_times ? k : 0];
        if (!c->same_times) {
            while (c->times[other][next] < t)
                next++;
            value = interpolate(c->times[other], dense, dense_rows, next, t);
        }
        double error = difference(grid[k], value);
        d.scale = fmax(d.scale, fmax(fabs(grid[k]), fabs(value)));
        if (error > d.largest || k == c->first) {
            d.largest = error;
            d.time = t;
        }
    }
    return d;
}
