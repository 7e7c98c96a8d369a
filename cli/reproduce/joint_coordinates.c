/* Integrates the double pendulum and the slider-crank in joint coordinates, without the library. */
#include "joint_coordinates.h"
#include <math.h>

enum { MOST = 2 };                     /* coordinates */
static const double G = 9.81;          /* m/s^2 */
static const double START = 0.78539816339744831, HALF_TURN_DOWN = -1.5707963267948966;    /* rad */

typedef struct motion {
    tn_links_kind kind;
    int count;
    double q[MOST], v[MOST], a[MOST];
} motion;

/* Eq. 39 with masses and lengths of 1, its second row put right; theta2 is relative to the first link. */
static void pendulum(const double q[2], const double v[2], double a[2])
{
    double s = sin(q[1]), c = cos(q[1]), m11 = 3 + 2 * c, m12 = 1 + c, m22 = 1;
    double f1 = (2 * v[0] * v[1] + v[1] * v[1]) * s - G * (2 * cos(q[0]) + cos(q[0] + q[1]));
    double f2 = -v[0] * v[0] * s - G * cos(q[0] + q[1]), det = m11 * m22 - m12 * m12;
    a[0] = (m22 * f1 - m12 * f2) / det;
    a[1] = (m11 * f2 - m12 * f1) / det;
}

/* One freedom: the tip is at 2 cos(theta). */
static void crank(const double q[1], const double v[1], double a[1])
{
    double s = sin(q[0]), c = cos(q[0]);
    a[0] = (-G * c - 4 * s * c * v[0] * v[0]) / (1 + 4 * s * s);
}

static void accelerate(const motion *m, const double *q, const double *v, double *a)
{
    if (m->kind == TN_LINKS_PENDULUM)
        pendulum(q, v, a);
    else
        crank(q, v, a);
}

static motion start_motion(tn_links_kind kind)
{
    motion m = { .kind = kind, .count = kind == TN_LINKS_PENDULUM ? 2 : 1 };
    if (kind == TN_LINKS_PENDULUM)
        m.q[1] = HALF_TURN_DOWN;
    else
        m.q[0] = START;
    accelerate(&m, m.q, m.v, m.a);
    return m;
}

/* passes 1: as published. */
static void newmark(motion *m, double h, int passes)
{
    double q[MOST], v[MOST], a[MOST] = { 0 }, at[MOST], rate[MOST];
    for (int k = 0; k < m->count; k++) {
        q[k] = m->q[k] + h * m->v[k] + h * h / 4 * m->a[k];
        v[k] = m->v[k] + h / 2 * m->a[k];
        at[k] = q[k];
        rate[k] = v[k];
    }
    for (int n = 0; n < passes; n++) {
        accelerate(m, at, rate, a);
        for (int k = 0; k < m->count; k++) {
            at[k] = q[k] + h * h / 4 * a[k];
            rate[k] = v[k] + h / 2 * a[k];
        }
    }
    for (int k = 0; k < m->count; k++) {
        m->q[k] = at[k];
        m->v[k] = rate[k];
        m->a[k] = a[k];
    }
}

static void rk4(motion *m, double h)
{
    static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    double dq[MOST] = { 0 }, dv[MOST] = { 0 }, v[MOST] = { 0 }, a[MOST] = { 0 };
    for (int n = 0; n < 4; n++) {
        double q[MOST], w[MOST];
        for (int k = 0; k < m->count; k++) {
            q[k] = m->q[k] + part[n] * h * v[k];
            w[k] = m->v[k] + part[n] * h * a[k];
        }
        accelerate(m, q, w, a);
        for (int k = 0; k < m->count; k++) {
            v[k] = w[k];
            dq[k] += weight[n] * h * v[k];
            dv[k] += weight[n] * h * a[k];
        }
    }
    for (int k = 0; k < m->count; k++) {
        m->q[k] += dq[k];
        m->v[k] += dv[k];
    }
}

static void add_tip(tn_path *path, const motion *m, double t)
{
    double x = 2 * cos(m->q[0]), y = 0;
    if (m->kind == TN_LINKS_PENDULUM) {
        x = cos(m->q[0]) + cos(m->q[0] + m->q[1]);
        y = sin(m->q[0]) + sin(m->q[0] + m->q[1]);
    }
    tn_path_add(path, (double[]){ t, x, y });
}

int tn_joint_path(tn_path *path, tn_links_kind kind, tn_joint_method method, double step, double until)
{
    enum { ALL_PASSES = 60 };          /* each gains a factor of h^2 or more */
    motion m = start_motion(kind);
    long every = lround(TN_PATH_SAMPLE / step), count = lround(until / step);
    path->count = 0;
    for (long n = 0; n <= count; n++) {
        if (n % every == 0)
            add_tip(path, &m, (double)n * step);
        if (method == TN_JOINT_RK4)
            rk4(&m, step);
        else
            newmark(&m, step, method == TN_JOINT_NEWMARK_PEC ? 1 : ALL_PASSES);
    }
    return path->failed ? TN_ERROR_MEMORY : TN_OK;
}
