/* Reference motions of the double pendulum and the slider-crank of point masses. */
#include "reproduction.h"
#include <math.h>
#include <stdio.h>

static const double TOLERANCE = 1e-8;  /* m: what the reference is good for */

static const char pendulum_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  elbow: { type: particle, mass: 1, position: [1, 0] }\n"
    "  tip: { type: particle, mass: 1, position: [1, -1] }\n"
    "joints:\n"
    "  upper: { type: rod, between: [ground, elbow], length: 1 }\n"
    "  lower: { type: rod, between: [elbow, tip], length: 1 }\n";

static const char crank_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  elbow: { type: particle, mass: 1, position: [sqrt(0.5), sqrt(0.5)] }\n"
    "  tip: { type: particle, mass: 1, position: [sqrt(2), 0] }\n"
    "joints:\n"
    "  crank: { type: rod, between: [ground, elbow], length: 1 }\n"
    "  coupler: { type: rod, between: [elbow, tip], length: 1 }\n"
    "  slide: { type: pin-in-slot, between: [ground, tip] }\n";

typedef struct instant {
    double t, x, y;                    /* s, m; y NaN: not given */
} instant;

static const instant pendulum[] = {
    { 1, -1.226870354, -1.525410788 },  { 2, -0.198928414, -1.025290374 },  { 5, -0.085218902, -1.313673812 },
    { 10, -0.691313860, -0.389344827 }, { 20, 0.488175741, -0.548568659 },
};
static const instant crank[] = {
    { 1, 0.831468556, NAN }, { 5, 1.613894499, NAN }, { 10, 1.975881095, NAN },
};

static int compare(tn_findings *findings, tn_session *session, const char *name, const instant *at)
{
    char what[64];
    double x = NAN, y = NAN;
    int code = tn_session_advance(session, at->t - tn_session_time(session));
    if (code >= 0)
        code = tn_session_value(&x, session, "tip.position.x");
    if (code >= 0)
        code = tn_session_value(&y, session, "tip.position.y");
    if (code < 0)
        return code;
    snprintf(what, sizeof what, "%s, tip x at %g s", name, at->t);
    tn_found(findings, what, at->x, x, TOLERANCE, TN_AGREE_ABSOLUTE);
    snprintf(what, sizeof what, "%s, tip y at %g s", name, at->t);
    if (!isnan(at->y))
        tn_found(findings, what, at->y, y, TOLERANCE, TN_AGREE_ABSOLUTE);
    return TN_OK;
}

static int follow(tn_findings *findings, tn_context *context, const char *name, const char *text, const instant *list,
                  size_t count)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-13;
    solve.record = 100;
    int code = tn_reproduction_open(&session, &model, context, text, &solve);
    for (size_t k = 0; k < count && code >= 0; k++)
        code = compare(findings, session, name, &list[k]);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static int run_joli_references(tn_findings *findings, tn_context *context)
{
    tn_compare_with(findings, "an independent integration to 1e-13; the figures of the paper give no numbers");
    int code = follow(findings, context, "double pendulum", pendulum_text, pendulum,
                      sizeof pendulum / sizeof pendulum[0]);
    if (code < 0)
        return code;
    return follow(findings, context, "slider-crank", crank_text, crank, sizeof crank / sizeof crank[0]);
}

const tn_reproduction tn_reproduction_joli_references = {
    .name = "joli-references",
    .source = "Joli, Seguy, Feng 2008: double pendulum and slider-crank of point masses, reference motions",
    .reading = "  1 kg at the elbow and 1 kg at the tip, as the printed 2 x 2 mass matrix says; g = 9.81 m/s^2; the\n"
               "  slider-crank starts at (45, -90) degrees and passes through the folded position, where its equations\n"
               "  are singular. The figures give no numbers: compared with an independent integration to 1e-13.",
    .run = run_joli_references,
};
