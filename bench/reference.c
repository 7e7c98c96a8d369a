/* Where the tracked points of the four-bar and of the double pendulum end, from their equations in minimal coordinates:
 * classical Runge-Kutta in extended precision, checked against itself with twice the step.
 * Prints one line each: name,x,y,difference to the coarser run. */
#include <math.h>
#include <stdio.h>

static const long double G = 9.81L, STEP = 4e-5L;

typedef void (*rate_function)(const long double *y, long double *dy);

static void integrate(rate_function rate, int n, long double *y, long double until, long double h)
{
    long double k[4][4], z[4];
    long steps = (long)(until / h + 0.5L);
    for (long i = 0; i < steps; i++) {
        rate(y, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int j = 0; j < n; j++)
                z[j] = y[j] + (s < 3 ? h / 2 : h) * k[s - 1][j];
            rate(z, k[s]);
        }
        for (int j = 0; j < n; j++)
            y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* ---- four-bar: crank a, coupler b, rocker c, distance of the pivots d; angle theta of the crank ---- */

static const long double a = 0.2L, b = 0.5L, c = 0.4L, d = 0.5L, ma = 0.4L, mb = 1, mc = 0.8L;

static void close_loop(long double theta, long double *phi, long double *psi)
{
    long double x = a * cosl(theta), y = a * sinl(theta), dx = d - x, dy = -y, r2 = dx * dx + dy * dy;
    *phi = atan2l(dy, dx) + acosl((b * b + r2 - c * c) / (2 * b * sqrtl(r2)));
    *psi = atan2l(y + b * sinl(*phi), x + b * cosl(*phi) - d);
}

/* J(theta) theta'^2 / 2 + V(theta) is constant, so J theta'' = - J' theta'^2 / 2 - V'. */
static void four_bar(const long double *y, long double *dy)
{
    long double theta = y[0], phi, psi;
    close_loop(theta, &phi, &psi);
    long double n = sinl(phi - psi), K = a * sinl(psi - theta) / (b * n), L = a * sinl(phi - theta) / (c * n);
    long double dn = cosl(phi - psi) * (K - L);
    long double dK = a / b * (cosl(psi - theta) * (L - 1) * n - sinl(psi - theta) * dn) / (n * n);
    long double dL = a / c * (cosl(phi - theta) * (K - 1) * n - sinl(phi - theta) * dn) / (n * n);
    long double cosine = cosl(phi - theta), sine = sinl(phi - theta);
    long double J = ma * a * a / 3 + mb * (a * a + b * b / 3 * K * K + a * b * K * cosine) + mc * c * c / 3 * L * L;
    long double dJ = mb * (2 * b * b / 3 * K * dK + a * b * (dK * cosine - K * sine * (K - 1))) +
                     2 * mc * c * c / 3 * L * dL;
    long double dV = G * (ma * a / 2 * cosl(theta) + mb * (a * cosl(theta) + b / 2 * K * cosl(phi)) +
                          mc * c / 2 * L * cosl(psi));
    dy[0] = y[1];
    dy[1] = -(dJ * y[1] * y[1] / 2 + dV) / J;
}

static void four_bar_end(long double h, long double tip[2])
{
    long double pi = acosl(-1.0L), y[2] = { pi / 3, 4 * pi }, phi, psi;
    integrate(four_bar, 2, y, 10, h);
    close_loop(y[0], &phi, &psi);
    tip[0] = a * cosl(y[0]) + b * cosl(phi);
    tip[1] = a * sinl(y[0]) + b * sinl(phi);
}

/* ---- double pendulum of slender rods of 1 m and 1 kg; angles from the horizontal ---- */

static void pendulum(const long double *y, long double *dy)
{
    long double cosine = cosl(y[1] - y[0]) / 2, sine = sinl(y[1] - y[0]) / 2;
    long double m11 = 4 / 3.0L, m22 = 1 / 3.0L, determinant = m11 * m22 - cosine * cosine;
    long double f1 = sine * y[3] * y[3] - 1.5L * G * cosl(y[0]), f2 = -sine * y[2] * y[2] - G / 2 * cosl(y[1]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (m22 * f1 - cosine * f2) / determinant;
    dy[3] = (m11 * f2 - cosine * f1) / determinant;
}

static void pendulum_end(long double h, long double tip[2])
{
    long double y[4] = { 0 };
    integrate(pendulum, 4, y, 5, h);
    tip[0] = cosl(y[0]) + cosl(y[1]);
    tip[1] = sinl(y[0]) + sinl(y[1]);
}

static void print(const char *name, void (*end)(long double h, long double tip[2]))
{
    long double fine[2], coarse[2];
    end(STEP, fine);
    end(2 * STEP, coarse);
    printf("%s,%.18Lg,%.18Lg,%.1Le\n", name, fine[0], fine[1], hypotl(fine[0] - coarse[0], fine[1] - coarse[1]));
}

int main(void)
{
    print("four-bar", four_bar_end);
    print("pendulum", pendulum_end);
    return 0;
}
