/* The pendulum that changes its pinned end: half periods, and what must wait for joints that change in mid-run. */
#include "crossings.h"
#include <stdio.h>

static const double TOLERANCE = 1e-9;  /* s */

static const struct pendulum {
    const char *name, *model;
    double half_period;                /* s: 2 K(1/2) sqrt(L/g) */
} pendulums[] = {
    { "masses at the ends",
      "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: { end: { type: particle, mass: 0.5, position: [-1, 0] } }\n"
      "joints: { pin: { type: rod, between: [ground, end], length: 1 } }\n"
      "outputs: [pin.angle.rate, pin.angle.acceleration]\n",
      1.183920973789 },
    { "uniform rod",
      "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: { rod: { mass: 1, com: [1 / 2, 0], inertia: 1 / 12, position: [0, 0], angle: 180 deg } }\n"
      "joints: { pin: { type: revolute, between: [ground, rod], at: [0, 0] } }\n"
      "outputs: [pin.angle.rate, pin.angle.acceleration]\n",
      0.966667427187 },
};

static int compare(tn_findings *findings, tn_context *context, const struct pendulum *p)
{
    enum { TURNS = 6 };
    static const int shown[] = { 1, 2, 3, 6 };
    double times[TURNS];
    char what[64];
    tn_solve solve = tn_crossings_solve((TURNS + 0.5) * p->half_period);
    int code = tn_crossings_find(times, TURNS, context, p->model, &solve);
    for (size_t k = 0; k < sizeof shown / sizeof shown[0] && code >= 0; k++) {
        snprintf(what, sizeof what, "%s: turn %d", p->name, shown[k]);
        tn_found(findings, what, shown[k] * p->half_period, times[shown[k] - 1], TOLERANCE, TN_AGREE_ABSOLUTE);
    }
    return code;
}

static int run(tn_findings *findings, tn_context *context)
{
    char what[64];
    for (size_t k = 0; k < sizeof pendulums / sizeof pendulums[0]; k++) {
        int code = compare(findings, context, &pendulums[k]);
        if (code < 0)
            return code;
        snprintf(what, sizeof what, "%s: switch at x = 1", pendulums[k].name);
        tn_not_reproducible(findings, what, pendulums[k].half_period,
                            "needs joints that come and go in mid-run, which a session does not offer yet");
    }
    return TN_OK;
}

const tn_reproduction tn_reproduction_seguy_topology = {
    .name = "seguy-topology",
    .source = "Seguy, Joli, Feng, Pascal 2003, Figure 5: pendulum that changes its pinned end, half periods",
    .reading = "  The free end meets the x axis at rest, so that no energy is lost and the times of switches are\n"
               "  those at which a pendulum turns: n 2 K(1/2) sqrt(L/g), L = 1 m with the masses at the ends and 2/3\n"
               "  m as a rod. \"Meets the x axis\" is a grazing contact: taken as y >= 0 it never happens, the turn\n"
               "  has to be located.",
    .run = run,
};
