/* Thins curves out to the points that a picture can show. */
#include "thinning.h"
#include <math.h>

enum { KEPT = 4 };                     /* points of a column */

typedef struct thinning {
    const tn_curve *curve;
    tn_point_callback take;
    void *user;
    bool filled;                       /* the column has points: */
    double column;                     /* its number */
    size_t first, low, high, last;
} thinning;

static bool never_falls(const tn_curve *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->x[i] < c->x[i - 1])
            return false;
    return true;
}

static void finish_column(thinning *t)
{
    bool low_first = t->low < t->high;
    const size_t kept[KEPT] = { t->first, low_first ? t->low : t->high, low_first ? t->high : t->low, t->last };
    for (size_t k = 0; k < KEPT && t->filled; k++)
        if (k == 0 || kept[k] != kept[k - 1])
            t->take(t->user, t->curve->x[kept[k]], t->curve->y[kept[k]]);
    t->filled = false;
}

static void add_point(thinning *t, size_t i, double column)
{
    const double *y = t->curve->y;
    if (t->filled && t->column != column)
        finish_column(t);
    if (!t->filled) {
        t->filled = true;
        t->column = column;
        t->first = t->low = t->high = i;
    }
    t->low = y[i] < y[t->low] ? i : t->low;
    t->high = y[i] > y[t->high] ? i : t->high;
    t->last = i;
}

void tn_curve_thin(const tn_curve *curve, double low, double high, size_t columns, bool logarithmic,
                   tn_point_callback take, void *user)
{
    thinning t = { .curve = curve, .take = take, .user = user };
    bool thin = curve->count > KEPT * columns && high > low && never_falls(curve);
    double start = logarithmic ? log(low) : low, width = ((logarithmic ? log(high) : high) - start) / (double)columns;
    for (size_t i = 0; i < curve->count; i++) {
        double x = curve->x[i], y = curve->y[i], position = logarithmic ? log(x) : x;
        if (isfinite(position) && isfinite(y)) {
            add_point(&t, i, thin ? floor((position - start) / width) : (double)i);
        } else {
            finish_column(&t);
            take(user, NAN, NAN);
        }
    }
    finish_column(&t);
}
