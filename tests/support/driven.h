/* Driven mechanisms as texts, and closed forms of their motion. */
#ifndef TEST_DRIVEN_H
#define TEST_DRIVEN_H

#include "mechanisms.h"
#include <stdio.h>

/* A quantity and its first two rates. */
typedef struct jet {
    double x, v, a;
} jet;

/* Crank r = 0.3, rod L = 0.5, slider along x, without masses; %s: start and drives. */
static const char slider_crank_text[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  crank: { position: [0, 0], angle: 1 rad, frames: { tip: { at: [0.3, 0] } } }\n"
    "  rod: { position: [0.162, 0.252], angle: -0.53 rad, frames: { end: { at: [0.5, 0] } } }\n"
    "  piston: { position: [0.594, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod] }\n"
    "  wrist: { type: revolute, between: [rod.end, piston] }\n"
    "  slide: { type: translational, between: [ground, piston] }\n"
    "%s";

/* Position of the slider from the crank's angle. */
static inline jet slider_of(jet crank)
{
    const double r = 0.3, L = 0.5;
    double s = sin(crank.x), c = cos(crank.x), root = sqrt(L * L - r * r * s * s);
    double dx = -r * s - r * r * s * c / root;
    double ddx = -r * c - r * r * (c * c - s * s) / root - pow(r * r * s * c, 2) / pow(root, 3);
    return (jet){ r * c + root, dx * crank.v, ddx * crank.v * crank.v + dx * crank.a };
}

static inline machine driven_text(const char *format, const char *rest)
{
    char text[4000];
    snprintf(text, sizeof text, format, rest);
    return machine_text(text);
}

static inline tn_solve every(double step, double until)
{
    tn_solve solve = tn_solve_default();
    solve.step = solve.record = step;
    solve.until = until;
    return solve;
}

static inline void start_kinematics(machine *m, tn_solve solve)
{
    machine_must(m, tn_session_open_kinematics(&m->session, m->model, &solve));
}

static inline jet coordinate(const machine *m, const char *name)
{
    char rate[80], acceleration[80];
    snprintf(rate, sizeof rate, "%s.rate", name);
    snprintf(acceleration, sizeof acceleration, "%s.acceleration", name);
    return (jet){ value(m, name), value(m, rate), value(m, acceleration) };
}

static inline void assert_jet(jet actual, jet expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.v, expected.v, tolerance);
    assert_near(actual.a, expected.a, tolerance);
}

/* Whether some diagnostic has these words; all are printed if not. */
static inline bool said(const machine *m, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, words))
            return true;
    tn_diagnostics_print(m->context, stderr);
    return false;
}

/* The number behind these words in some diagnostic. */
static inline double number_after(const machine *m, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++) {
        const char *found = strstr(tn_diagnostics_get(m->context, k)->message, words);
        if (found)
            return strtod(found + strlen(words), NULL);
    }
    tn_diagnostics_print(m->context, stderr);
    return NAN;
}

#endif
