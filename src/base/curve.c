/* Curves: piecewise cubic polynomials,  y = c0 + c1 s + c2 s^2 + c3 s^3,  s = x - x_i.  The kinds of curves differ only
 * in the slopes and curvatures at the points. Each end has one more piece, a straight line; a periodic curve repeats instead. */
#include "curve.h"
#include "elementary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct piece {
    double x;                      /* where it starts; the line in front of the curve: the first point */
    double c[4];
    double integral;               /* from the first point of the curve to x */
} piece;

struct tn_curve {
    tn_context *context;
    int count;                     /* of points */
    double last;                   /* x of the last point */
    double period;                 /* length after which it repeats; 0: it does not */
    piece pieces[];                /* the line in front, count - 1 between the points, the line behind */
};

static int check_points(const tn_curve_def *def, tn_curve_error *error)
{
    *error = (tn_curve_error){ .point = -1 };
    if (def->count < 2) {
        snprintf(error->message, sizeof error->message, "a curve needs at least 2 points, not %d", def->count);
        return TN_ERROR_MODEL;
    }
    for (int i = 0; i < def->count; i++) {
        error->point = i;
        if (!isfinite(def->x[i]) || !isfinite(def->y[i])) {
            snprintf(error->message, sizeof error->message, "point %d is not finite", i + 1);
            return TN_ERROR_MODEL;
        }
        if (i > 0 && def->x[i] <= def->x[i - 1]) {
            snprintf(error->message, sizeof error->message, "point %d: x = %.9g must be greater than %.9g of point %d",
                     i + 1, def->x[i], def->x[i - 1], i);
            return TN_ERROR_MODEL;
        }
    }
    int last = def->count - 1;
    if (def->kind == TN_CURVE_PERIODIC && (last < 2 || def->y[last] != def->y[0])) {
        snprintf(error->message, sizeof error->message,
                 last < 2 ? "a periodic curve needs at least 3 points, not %d"
                          : "point %d: a periodic curve ends with the value %.9g of its first point, not with %.9g",
                 last + 1, def->y[0], def->y[last]);
        return TN_ERROR_MODEL;
    }
    return TN_OK;
}

/* Coefficients of a piece of length h from the values at its ends and the slopes there. */
static void set_piece(double c[4], double h, double y0, double y1, double slope0, double slope1)
{
    double secant = (y1 - y0) / h;
    c[0] = y0;
    c[1] = slope0;
    c[2] = (3 * secant - 2 * slope0 - slope1) / h;
    c[3] = (slope0 + slope1 - 2 * secant) / (h * h);
}

static double secant(const tn_curve_def *d, int i)
{
    return (d->y[i + 1] - d->y[i]) / (d->x[i + 1] - d->x[i]);
}

/* Slopes m of the natural spline: with h_i the lengths and D_i the secants,
 *     h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i D_{i-1} + h_{i-1} D_i),
 *     2 m_0 + m_1 = 3 D_0,   m_{n-2} + 2 m_{n-1} = 3 D_{n-2}   (no curvature at the ends),
 * by elimination; upper is scratch. */
static void slopes_smooth(double *m, double *upper, const tn_curve_def *d)
{
    int last = d->count - 1;
    upper[0] = 0.5;
    m[0] = 1.5 * secant(d, 0);
    for (int i = 1; i < last; i++) {
        double before = d->x[i] - d->x[i - 1], behind = d->x[i + 1] - d->x[i];
        double pivot = 2 * (before + behind) - behind * upper[i - 1];
        upper[i] = before / pivot;
        m[i] = (3 * (behind * secant(d, i - 1) + before * secant(d, i)) - behind * m[i - 1]) / pivot;
    }
    m[last] = (3 * secant(d, last - 1) - m[last - 1]) / (2 - upper[last - 1]);
    for (int i = last - 1; i >= 0; i--)
        m[i] -= upper[i] * m[i + 1];
}

/* Slopes of the closed spline: the same equations at every point, with the neighbours of the first point in front of the
 * last one. The matrix is tridiagonal but for its two corners, which are a product of rank 1 (Sherman and Morrison):
 *     (T + u v') m = r,   m = z - w (v . z) / (1 + v . w),   T z = r,  T w = u.  scratch: 2 count. */
static void slopes_periodic(double *m, double *scratch, const tn_curve_def *d)
{
    int n = d->count - 1;                      /* the last point is the first */
    double *upper = scratch, *w = scratch + d->count;
    double h_last = d->x[n] - d->x[n - 1], h_first = d->x[1] - d->x[0];
    /* rows i: behind * m[i-1] + 2 (before + behind) m[i] + before * m[i+1]; corners: row 0, column n - 1, and row n - 1,
     * column 0. u = (-b0, 0, ..., corner_low), v = (1, 0, ..., -corner_high / b0). */
    double b0 = 2 * (h_last + h_first), corner_high = h_first, corner_low = d->x[n - 1] - d->x[n - 2];
    for (int i = 0; i < n; i++) {
        double before = i > 0 ? d->x[i] - d->x[i - 1] : h_last, behind = d->x[i + 1] - d->x[i];
        double diagonal = 2 * (before + behind);
        diagonal += i == 0 ? b0 : 0;
        diagonal += i == n - 1 ? corner_low * corner_high / b0 : 0;
        double pivot = diagonal - (i > 0 ? behind * upper[i - 1] : 0);
        double right = 3 * (behind * secant(d, i > 0 ? i - 1 : n - 1) + before * secant(d, i));
        double u = i == 0 ? -b0 : i == n - 1 ? corner_low : 0;
        upper[i] = before / pivot;
        m[i] = (right - (i > 0 ? behind * m[i - 1] : 0)) / pivot;
        w[i] = (u - (i > 0 ? behind * w[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--) {
        m[i] -= upper[i] * m[i + 1];
        w[i] -= upper[i] * w[i + 1];
    }
    double share = (m[0] - corner_high / b0 * m[n - 1]) / (1 + w[0] - corner_high / b0 * w[n - 1]);
    for (int i = 0; i < n; i++)
        m[i] -= share * w[i];
    m[n] = m[0];
}

/* Fritsch and Carlson, Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17 (1980): mean secants, zero at
 * extrema, then each piece's slopes are drawn into the circle of radius 3 secants. */
static void slopes_monotone(double *m, const tn_curve_def *d)
{
    int last = d->count - 1;
    m[0] = secant(d, 0);
    m[last] = secant(d, last - 1);
    for (int i = 1; i < last; i++) {
        double before = secant(d, i - 1), behind = secant(d, i);
        bool extremum = before == 0 || behind == 0 || (before < 0) != (behind < 0);
        m[i] = extremum ? 0 : 0.5 * before + 0.5 * behind;
    }
    for (int i = 0; i < last; i++) {
        double s = secant(d, i), length = tn_hypot(m[i], m[i + 1]);
        if (length > 3 * fabs(s)) {
            m[i] *= 3 * fabs(s) / length;
            m[i + 1] *= 3 * fabs(s) / length;
        }
    }
}

static void fill_pieces(tn_curve *curve, const tn_curve_def *d, const double *m)
{
    int last = d->count - 1;
    bool extend = d->outside == TN_CURVE_EXTEND, linear = d->kind == TN_CURVE_LINEAR;
    double integral = 0;
    for (int i = 0; i < last; i++) {
        piece *p = &curve->pieces[i + 1];
        double h = d->x[i + 1] - d->x[i], s = secant(d, i);
        p->x = d->x[i];
        p->integral = integral;
        set_piece(p->c, h, d->y[i], d->y[i + 1], linear ? s : m[i], linear ? s : m[i + 1]);
        integral += h * (p->c[0] + h * (p->c[1] / 2 + h * (p->c[2] / 3 + h * p->c[3] / 4)));
    }
    double first_slope = linear ? secant(d, 0) : m[0], last_slope = linear ? secant(d, last - 1) : m[last];
    curve->pieces[0] = (piece){ .x = d->x[0], .c = { d->y[0], extend ? first_slope : 0 } };
    curve->pieces[last + 1] = (piece){ .x = d->x[last], .c = { d->y[last], extend ? last_slope : 0 },
                                       .integral = integral };
}

static int check_pieces(const tn_curve *curve, tn_curve_error *error)
{
    for (int i = 1; i <= curve->count; i++) {
        const piece *p = &curve->pieces[i];
        if (!isfinite(p->c[1]) || !isfinite(p->c[2]) || !isfinite(p->c[3]) || !isfinite(p->integral)) {
            error->point = i - 1;
            snprintf(error->message, sizeof error->message, "the curve is too steep or too large near point %d", i);
            return TN_ERROR_MODEL;
        }
    }
    error->point = -1;
    return TN_OK;
}

static size_t curve_size(int count)
{
    return sizeof(tn_curve) + ((size_t)count + 1) * sizeof(piece);
}

int tn_curve_create(tn_curve **out, tn_context *context, const tn_curve_def *def, tn_curve_error *error)
{
    *out = NULL;
    TN_TRY(check_points(def, error));
    size_t count = (size_t)def->count;
    if (count > (SIZE_MAX - sizeof(tn_curve)) / sizeof(piece) - 1)
        return TN_ERROR_MEMORY;
    tn_curve *curve = tn_alloc(context, 1, curve_size(def->count));
    double *slopes = tn_alloc(context, 3 * count, sizeof *slopes);
    int code = curve && slopes ? TN_OK : TN_ERROR_MEMORY;
    if (code >= 0) {
        curve->context = context;
        curve->count = def->count;
        curve->last = def->x[count - 1];
        curve->period = def->kind == TN_CURVE_PERIODIC ? curve->last - def->x[0] : 0;
        if (def->kind == TN_CURVE_SMOOTH)
            slopes_smooth(slopes, slopes + count, def);
        else if (def->kind == TN_CURVE_MONOTONE)
            slopes_monotone(slopes, def);
        else if (def->kind == TN_CURVE_PERIODIC)
            slopes_periodic(slopes, slopes + count, def);
        fill_pieces(curve, def, slopes);
        code = check_pieces(curve, error);
    }
    tn_free(context, slopes);
    if (code < 0)
        tn_free(context, curve);
    else
        *out = curve;
    return code;
}

int tn_curve_clone(tn_curve **out, const tn_curve *curve)
{
    *out = tn_alloc(curve->context, 1, curve_size(curve->count));
    if (!*out)
        return TN_ERROR_MEMORY;
    memcpy(*out, curve, curve_size(curve->count));
    return TN_OK;
}

bool tn_curve_same(const tn_curve *a, const tn_curve *b)
{
    return a->count == b->count && a->last == b->last && a->period == b->period &&
           memcmp(a->pieces, b->pieces, ((size_t)a->count + 1) * sizeof(piece)) == 0;
}

void tn_curve_destroy(tn_curve *curve)
{
    if (curve)
        tn_free(curve->context, curve);
}

/* The last point belongs to the piece in front of it. */
static const piece *find_curve(const tn_curve *curve, double x)
{
    const piece *pieces = curve->pieces;
    if (x < pieces->x)
        return pieces;
    if (x > curve->last)
        return pieces + curve->count;
    int low = 1, high = curve->count;      /* pieces[low].x <= x, and x < pieces[high].x unless that is the end */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (pieces[middle].x <= x)
            low = middle;
        else
            high = middle;
    }
    return pieces + low;
}

/* Whole periods between x and the first run of a periodic curve; 0 for other curves. */
static double periods_before(const tn_curve *curve, double x)
{
    return curve->period > 0 ? floor((x - curve->pieces->x) / curve->period) : 0;
}

void tn_curve_value(const tn_curve *curve, double x, double value[3])
{
    x -= periods_before(curve, x) * curve->period;
    const piece *p = find_curve(curve, x);
    const double s = x - p->x, *c = p->c;
    value[0] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    value[1] = c[1] + s * (2 * c[2] + s * 3 * c[3]);
    value[2] = 2 * c[2] + 6 * c[3] * s;
}

double tn_curve_end(const tn_curve *curve)
{
    return curve->period > 0 ? INFINITY : curve->last;
}

double tn_curve_integral(const tn_curve *curve, double x)
{
    double whole = periods_before(curve, x);
    x -= whole * curve->period;
    const piece *p = find_curve(curve, x);
    const double s = x - p->x, *c = p->c;
    return whole * curve->pieces[curve->count].integral + p->integral + s * (c[0] + s * (c[1] / 2 + s * (c[2] / 3 + s * c[3] / 4)));
}

/* Raises the bounds to the values of a cubic between s0 and s1: at the ends, and where its slope is zero. */
static void bound_piece(const double *c, double s0, double s1, double *low, double *high)
{
    double at[4] = { s0, s1 };
    int count = 2;
    const double a = 3 * c[3], b = 2 * c[2], d = b * b - 4 * a * c[1];
    if (a == 0 && b != 0)
        at[count++] = -c[1] / b;
    if (a != 0 && d >= 0) {
        at[count++] = (-b + sqrt(d)) / (2 * a);
        at[count++] = (-b - sqrt(d)) / (2 * a);
    }
    for (int k = 0; k < count; k++) {
        double s = at[k], value = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        if (s < s0 || s > s1)
            continue;
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

/* Raises the bounds to the values between two arguments within one run of the curve. */
static void bound_run(const tn_curve *curve, double from, double to, double *low, double *high)
{
    const piece *last = find_curve(curve, to);
    for (const piece *p = find_curve(curve, from); p <= last; p++) {
        double end = p == last ? to : fmin(p[1].x, to), begin = p == curve->pieces ? from : fmax(p->x, from);
        bound_piece(p->c, begin - p->x, end - p->x, low, high);
    }
}

void tn_curve_bounds(const tn_curve *curve, double from, double to, double *low, double *high)
{
    *low = -INFINITY;
    *high = INFINITY;
    if (!isfinite(to - from))
        return;
    *low = INFINITY;
    *high = -INFINITY;
    double first = curve->pieces->x, period = curve->period, length = to - from;
    from -= periods_before(curve, from) * period;
    to = from + length;
    if (period == 0 || to <= curve->last) {
        bound_run(curve, from, to, low, high);
    } else {
        bound_run(curve, length >= period ? first : from, curve->last, low, high);
        bound_run(curve, first, fmin(to - period, curve->last), low, high);
    }
}
