/* The pendulum that changes its pinned end: half periods, and the walk itself, by events that swap the pin. */
#include "crossings.h"
#include <stdio.h>

static const double TOLERANCE = 1e-9;  /* s */

static const struct pendulum {
    const char *name, *model;
    const char *inertia;               /* of the link that walks, kg m^2 about its middle */
    double half_period;                /* s: 2 K(1/2) sqrt(L/g) */
} pendulums[] = {
    { "masses at the ends",
      "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: { end: { type: particle, mass: 0.5, position: [-1, 0] } }\n"
      "joints: { pin: { type: rod, between: [ground, end], length: 1 } }\n"
      "outputs: [pin.angle.rate, pin.angle.acceleration]\n",
      "1 / 4", 1.183920973789 },
    { "uniform rod",
      "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: { rod: { mass: 1, com: [1 / 2, 0], inertia: 1 / 12, position: [0, 0], angle: 180 deg } }\n"
      "joints: { pin: { type: revolute, between: [ground, rod], at: [0, 0] } }\n"
      "outputs: [pin.angle.rate, pin.angle.acceleration]\n",
      "1 / 12", 0.966667427187 },
};

static int compare(tn_findings *findings, tn_context *context, const struct pendulum *p)
{
    enum { TURNS = 6 };
    static const int shown[] = { 1, 2, 3, 6 };
    double times[TURNS];
    char what[64];
    tn_solve solve = tn_crossings_solve((TURNS + 0.5) * p->half_period);
    int code = tn_crossings_find(times, TURNS, context, p->model, &solve);
    tn_compare_with(findings, "the half period, an elliptic integral");
    for (size_t k = 0; k < sizeof shown / sizeof shown[0] && code >= 0; k++) {
        snprintf(what, sizeof what, "%s: turn %d", p->name, shown[k]);
        tn_found(findings, what, shown[k] * p->half_period, times[shown[k] - 1], TOLERANCE, TN_AGREE_ABSOLUTE);
    }
    return code;
}

/* Where the free end comes up to the height of the pin, it is pinned there and the other end set free. */
static int read_walk(tn_model **out, tn_context *context, const struct pendulum *p)
{
    static const char swap[] =
        "  %s: { when: link.%s.position.y, crosses: up, do: { remove: pin, add: { joints: { pin: { type: revolute, "
        "between: [ground, link], at: ['{link.%s.position.x}', 0] } } } } }\n";
    char text[1400];
    int used = snprintf(text, sizeof text,
                        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                        "bodies: { link: { mass: 1, com: [1 / 2, 0], inertia: %s, "
                        "frames: { a: { at: [0, 0] }, b: { at: [1, 0] } } } }\n"
                        "joints: { pin: { type: revolute, between: [ground, link.a] } }\nevents:\n", p->inertia);
    used += snprintf(text + used, sizeof text - (size_t)used, swap, "pin_b", "b", "b");
    used += snprintf(text + used, sizeof text - (size_t)used, swap, "pin_a", "a", "a");
    return tn_model_read_text(out, context, text, (size_t)used, "walk.yaml", ".");
}

static int walk(tn_findings *findings, tn_context *context, const struct pendulum *p)
{
    enum { SWITCHES = 6 };
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_crossings_solve((SWITCHES + 0.5) * p->half_period);
    double x = 0;
    int code = read_walk(&model, context, p);
    if (code >= 0)
        code = tn_session_open(&session, model, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    if (code >= 0)
        code = tn_session_value(&x, session, "link.a.position.x");
    for (size_t k = 0; code >= 0 && k < SWITCHES; k += k == 0 ? 1 : 2) {
        char what[64];
        bool there = k < tn_session_fired_count(session);
        snprintf(what, sizeof what, "%s: switch %zu", p->name, k + 1);
        tn_found(findings, what, (double)(k + 1) * p->half_period, there ? tn_session_fired(session, k).time : 0,
                 TOLERANCE, TN_AGREE_ABSOLUTE);
    }
    if (code >= 0)
        tn_found(findings, "  where it is pinned then, m", -SWITCHES, x, TOLERANCE, TN_AGREE_ABSOLUTE);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static int run_seguy_topology(tn_findings *findings, tn_context *context)
{
    for (size_t k = 0; k < sizeof pendulums / sizeof pendulums[0]; k++) {
        int code = compare(findings, context, &pendulums[k]);
        if (code < 0)
            return code;
        code = walk(findings, context, &pendulums[k]);
        if (code < 0)
            return code;
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
    .run = run_seguy_topology,
};
