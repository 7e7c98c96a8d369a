/* Stability: spectra of one step of the linearised double pendulum. */
#include "figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Eigenvalues that belong together in a Jordan block suffer by the square root of round-off. */
static const double TOLERANCE = 1e-6, DOUBLE_ROOT = 1e-5;

static const char model_format[] =
    "tenon: 1\ndimension: 2\ngravity: [0, %g]\n"
    "bodies:\n"
    "  one: { mass: 1, inertia: 25 / 12, position: [0, 2.5], angle: 0 }\n"
    "  two: { mass: 1, inertia: 25 / 12, position: [0, 7.5], angle: 0 }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, one], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [one, two], at: [0, 5] }\n";

typedef struct setting {
    const char *scheme, *integrator;
    double step;                       /* s */
    double alpha_step, beta_step;      /* of baumgarte */
    double gravity;                    /* m/s^2 along the hanging links */
} setting;

static int find_welch_stability(tn_spectrum **out, tn_context *context, const setting *s)
{
    char text[sizeof model_format + 24];
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    snprintf(text, sizeof text, model_format, s->gravity);
    solve.scheme = s->scheme;
    if (strcmp(s->scheme, "taylor2") == 0)
        tn_solve_set(&solve, "damping", 0);
    solve.integrator = s->integrator;
    solve.step = s->step;
    if (s->alpha_step > 0) {
        tn_solve_set(&solve, "alpha_step", s->alpha_step);
        tn_solve_set(&solve, "beta_step", s->beta_step);
    }
    int code = tn_reproduction_open(&session, &model, context, text, &solve);
    if (code >= 0)
        code = tn_session_spectrum(out, session);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

/* How far the farthest eigenvalue is from the nearest of the expected ones. */
static double distance(const tn_eigenvalues *found, const double *expected, size_t count)
{
    double farthest = 0;
    for (size_t k = 0; k < found->count; k++) {
        double nearest = INFINITY;
        for (size_t i = 0; i < count; i++)
            nearest = fmin(nearest, hypot(found->values[k].re - expected[i], found->values[k].im));
        farthest = fmax(farthest, nearest);
    }
    return farthest;
}

static int second_order(tn_findings *findings, tn_context *context)
{
    static const double steps[] = { 1e-4, 0.01, 1, 100 };
    char what[64];
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        tn_spectrum *found = NULL;
        int code = find_welch_stability(&found, context, &(setting){ .scheme = "taylor2", .integrator = "heun", .step = steps[k] });
        if (code < 0)
            return code;
        snprintf(what, sizeof what, "rho(X), h = %g s", steps[k]);
        tn_compare_with(findings, NULL);
        tn_found(findings, what, 1, found->all.radius, TOLERANCE, TN_AGREE_ABSOLUTE);
        tn_compare_with(findings, "the scheme's eigenvalues, in closed form");
        tn_found(findings, "  motions: 1, farthest", 0, distance(&found->motion, (double[]){ 1 }, 1), TOLERANCE,
                 TN_AGREE_ABSOLUTE);
        tn_found(findings, "  constraints: -1, 0, farthest", 0, distance(&found->constraints, (double[]){ -1, 0 }, 2),
                 TOLERANCE, TN_AGREE_ABSOLUTE);
        tn_spectrum_destroy(context, found);
    }
    return TN_OK;
}

static const struct row {
    const char *what;
    setting setting;
    bool growth;                       /* radius - 1 of all; otherwise the radius of the constraints */
    double expected, tolerance;
    tn_agreement agreement;
} rows[] = {
    { "Baumgarte RK2, a = b = 1/h", { "baumgarte", "heun", 0.01, 1, 1, 0 }, false, 0.5, DOUBLE_ROOT,
      TN_AGREE_ABSOLUTE },
    { "  limit of RK2: a = b = 2/h", { "baumgarte", "heun", 0.01, 2, 2, 0 }, false, 1, DOUBLE_ROOT,
      TN_AGREE_ABSOLUTE },
    { "Baumgarte order 1, a = b = 1/h", { "baumgarte", "semi-implicit-euler", 0.01, 1, 1, 0 }, false,
      1.618033988749895, TOLERANCE, TN_AGREE_ABSOLUTE },
    { "Baumgarte order 1, a = 0.5/h, b = 1/h", { "baumgarte", "semi-implicit-euler", 0.01, 0.5, 1, 0 }, false, 0,
      DOUBLE_ROOT, TN_AGREE_ABSOLUTE },
    { "predictor (44a)", { "taylor1", "heun", 0.01, 0, 0, 0 }, false, 0, DOUBLE_ROOT, TN_AGREE_ABSOLUTE },
    { "rho - 1, RK2, gravity, h = 0.01 s", { "baumgarte", "heun", 0.01, 1, 1, 10 }, true, 1.39e-7, 0.01,
      TN_AGREE_RELATIVE },
    { "rho - 1, RK2, gravity, h = 0.0664 s", { "baumgarte", "heun", 0.0664, 1, 1, 10 }, true, 2.7e-4, 0.01,
      TN_AGREE_RELATIVE },
    { "rho - 1, RK2, gravity, h = 0.1 s", { "baumgarte", "heun", 0.1, 1, 1, 10 }, true, 1.4e-3, 0.01,
      TN_AGREE_RELATIVE },
};

static int baumgarte(tn_findings *findings, tn_context *context)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tn_spectrum *found = NULL;
        int code = find_welch_stability(&found, context, &rows[k].setting);
        if (code < 0)
            return code;
        double ours = rows[k].growth ? found->all.radius - 1 : found->constraints.radius;
        tn_compare_with(findings, rows[k].growth ? "an independent program" : "the scheme's eigenvalues, in closed form");
        tn_found(findings, rows[k].what, rows[k].expected, ours, rows[k].tolerance, rows[k].agreement);
        tn_spectrum_destroy(context, found);
    }
    tn_not_reproducible(findings, "Baumgarte RK2: limit of h, s", 0.0664,
                        "gains in 1/h make the analysis independent of h: no limit can come of it");
    return TN_OK;
}

/* Radius of the constraints over alpha h = beta h. */
enum { POINTS = 51 };
typedef struct curve {
    double gain[POINTS], radius[POINTS];
} curve;

static int follow(curve *out, tn_context *context, const char *integrator)
{
    static const double LARGEST = 2.5;
    for (int k = 0; k < POINTS; k++) {
        tn_spectrum *found = NULL;
        double gain = LARGEST * (k + 1) / POINTS;
        int code = find_welch_stability(&found, context, &(setting){ "baumgarte", integrator, 0.01, gain, gain, 0 });
        if (code < 0)
            return code;
        out->gain[k] = gain;
        out->radius[k] = found->constraints.radius;
        tn_spectrum_destroy(context, found);
    }
    return TN_OK;
}

static int draw(tn_findings *findings, tn_context *context)
{
    static const char *const integrators[] = { "semi-implicit-euler", "heun", "rk4" };
    curve curves[3];
    tn_series series[4];
    if (!tn_figures_wanted(findings))
        return TN_OK;
    for (int k = 0; k < 3; k++) {
        int code = follow(&curves[k], context, integrators[k]);
        if (code < 0)
            return code;
        series[k] = (tn_series){ .name = integrators[k], .count = POINTS, .x = curves[k].gain, .y = curves[k].radius };
    }
    series[3] = (tn_series){ .name = "taylor2", .count = 2, .x = (double[]){ 0, 2.5 }, .y = (double[]){ 1, 1 } };
    return tn_figure_draw(findings, &(tn_figure){
        .name = "welch-stability", .title = "What a step leaves of open joints: Baumgarte with three integrators",
        .x = "gains times step, {/Symbol a} h = {/Symbol b} h", .y = "spectral radius", .y_max = 2,
        .series = series, .series_count = 4 });
}

static int run_welch_stability(tn_findings *findings, tn_context *context)
{
    int code = second_order(findings, context);
    if (code >= 0)
        code = baumgarte(findings, context);
    return code < 0 ? code : draw(findings, context);
}

const tn_reproduction tn_reproduction_welch_stability = {
    .name = "welch-stability",
    .source = "Welch, Hong, Trapp, Choi 2007, stability: spectra of a step of the double pendulum",
    .reading = "  Double pendulum of Table 1 at rest without gravity, so that the linearisation of Eq. 61 is exact;\n"
               "  the step of the program itself is differentiated. Published is rho(X) = 1 for every step; the\n"
               "  spectra follow from Eq. 61 and 64 (as corrected) by hand, the growth with gravity from an\n"
               "  independent program.",
    .run = run_welch_stability,
};
