/* The double pendulum whose joints are springs. */
#include "links.h"
#include <math.h>
#include <stdio.h>

static const tn_end_masses masses = { 1, 0.5, 0.5, 1 };

static const struct trial {
    double stiffness, elbow;           /* elbow: mass there, kg: 1 by Eq. 15, 0.25 really; at the pivot both are 1 */
    double step, until;                /* s */
    double gap;                        /* largest, m */
    double tip, most_tip;              /* m; 0: not compared */
} trials[] = {
    { 0.08, 0.25, 1e-3, 5, 1.6e-4, 2.5e-3, 5e-3 },
    { 0.016, 1, 1e-3, 5, 2.5e-4, 2.9e-3, 6e-3 },
    { 0.01, 1, 1e-3, 5, 4.1e-4, 3.8e-3, 8e-3 },
    { 0.01, 1, 1e-3, 20, 4.1e-4, 3.4e-2, 7e-2 },
    { 0.01, 1, 1e-2, 5, 4.4e-2, 0, 0 },
};

static tn_solve springs(double stiffness, double elbow, double step, double until)
{
    tn_solve solve = tn_links_solve(step, until);
    solve.scheme = "penalty";
    tn_solve_set(&solve, "stiffness", stiffness);
    tn_solve_set(&solve, "damping", 0.1);
    tn_solve_set_for(&solve, "mass", "pivot", 1);
    tn_solve_set_for(&solve, "mass", "elbow", elbow);
    return solve;
}

static int compare(tn_findings *findings, tn_context *context, const struct trial *t, const tn_path *reference)
{
    char text[TN_LINKS_TEXT], name[80], what[100];
    tn_path path = { 0 };
    tn_solve solve = springs(t->stiffness, t->elbow, t->step, t->until);
    tn_links_bodies(text, &masses);
    int code = tn_path_follow(&path, context, text, &solve);
    if (code >= 0) {
        snprintf(name, sizeof name, "%g, %g kg, h = %g, %g s", t->stiffness, t->elbow, t->step, t->until);
        snprintf(what, sizeof what, "%s: gap", name);
        tn_compare_with(findings, "an independent program with the same settings; the figures of the paper give no numbers");
        tn_found(findings, what, t->gap, path.summary.max_drift, 1.2, TN_AGREE_FACTOR);
        snprintf(what, sizeof what, "%s: tip error", name);
        if (t->tip > 0)
            tn_found(findings, what, t->tip, tn_path_distance(&path, reference), t->most_tip, TN_AGREE_AT_MOST);
    }
    tn_path_clear(&path);
    return code;
}

/* The stiffness of Eq. 17 as printed: the run must stop, and soon. */
static int blow_up(tn_findings *findings, tn_context *context, double elbow, double step, double published)
{
    char text[TN_LINKS_TEXT], what[80];
    tn_path path = { 0 };
    tn_solve solve = springs(0.1, elbow, step, 5);
    tn_links_bodies(text, &masses);
    int code = tn_path_follow(&path, context, text, &solve);
    double end = path.summary.time;
    tn_path_clear(&path);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    tn_diagnostics_clear(context);
    snprintf(what, sizeof what, "0.1, %g kg, h = %g: flies apart at", elbow, step);
    tn_found(findings, what, published, end, 0.8 * solve.until, TN_AGREE_AT_MOST);
    return TN_OK;
}

static int blow_ups(tn_findings *findings, tn_context *context)
{
    static const struct { double elbow, step, time; } cases[] = {
        { 1, 1e-2, 0.14 }, { 1, 1e-3, 0.018 }, { 0.25, 1e-2, NAN }, { 0.25, 1e-3, NAN },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int code = blow_up(findings, context, cases[k].elbow, cases[k].step, cases[k].time);
        if (code < 0)
            return code;
    }
    return TN_OK;
}

/* ---- the same stiffness with Newmark's rule solved ---- */

static tn_solve solved_springs(double elbow, double step, double until)
{
    tn_solve solve = springs(0.1, elbow, step, until);
    solve.integrator = "generalized-alpha";
    tn_solve_set(&solve, "hht", 1);
    tn_solve_set(&solve, "rho_infinity", 1);
    tn_solve_set(&solve, "fixed", 1);
    return solve;
}

/* The published factor 0.1 runs when Newmark's rule is solved, as an implicit rule is: gaps and tip errors fall with h^2. */
static int hold(tn_findings *findings, tn_context *context, const tn_path *reference)
{
    static const double steps[] = { 1e-2, 5e-3, 2.5e-3, 1e-3 };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    char text[TN_LINKS_TEXT], what[80];
    double gap[STEPS] = { 0 }, tip[STEPS] = { 0 };
    int code = TN_OK;
    tn_links_bodies(text, &masses);
    for (int k = 0; k < STEPS && code >= 0; k++) {
        tn_path path = { 0 };
        tn_solve solve = solved_springs(1, steps[k], 5);
        code = tn_path_follow(&path, context, text, &solve);
        gap[k] = path.summary.max_drift;
        tip[k] = tn_path_distance(&path, reference);
        snprintf(what, sizeof what, "0.1, solved, h = %g: runs to, s", steps[k]);
        tn_compare_with(findings, NULL);
        if (code >= 0)
            tn_found(findings, what, 5, path.summary.time, 1e-9, TN_AGREE_ABSOLUTE);
        tn_path_clear(&path);
    }
    if (code < 0)
        return code;
    tn_compare_with(findings, "the order of Newmark's rule");
    tn_found(findings, "  order of the gap, h = 0.005 and 0.0025", 2, tn_observed_order(gap[1], gap[2]), 0.1, TN_AGREE_ABSOLUTE);
    tn_found(findings, "  order of the tip error", 2, tn_observed_order(tip[1], tip[2]), 0.1, TN_AGREE_ABSOLUTE);
    return TN_OK;
}

/* Step control by local error, and by the rule of Eq. 24. */
static int control_steps(tn_findings *findings, tn_context *context, const tn_path *reference)
{
    char text[TN_LINKS_TEXT];
    tn_path path = { 0 };
    tn_solve solve = tn_links_solve(1e-3, 10);
    solve.integrator = "newmark-adaptive";
    solve.tolerance = 1e-12;
    solve.absolute_tolerance = 1e-5;                   /* m, m/s; the reference looks at positions only, to 1e-7 m */
    tn_links_particles(text, TN_LINKS_PENDULUM, &masses);
    int code = tn_path_follow(&path, context, text, &solve);
    if (code >= 0) {
        tn_found(findings, "steps by local error: tip error", 1.2e-3, tn_path_distance(&path, reference), 5e-3,
                 TN_AGREE_AT_MOST);
        tn_found(findings, "  steps", 6438, (double)path.summary.steps, 2, TN_AGREE_FACTOR);
    }
    tn_path_clear(&path);
    return code;
}

/* The rule of Eq. 24 with a limit of 1 (m/s^2)^2: how short the step has become after many of them. */
static int run_away(tn_findings *findings, tn_context *context)
{
    enum { STEPS = 20000 };
    char text[TN_LINKS_TEXT], why[120];
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_links_solve(1e-3, 10);
    double t = 0, h = 0;
    solve.integrator = "newmark-adaptive";
    tn_solve_set(&solve, "limit", 1);
    tn_links_particles(text, TN_LINKS_PENDULUM, &masses);
    int code = tn_reproduction_open(&session, &model, context, text, &solve);
    for (int k = 0; k < STEPS && code >= 0; k++) {
        code = tn_session_step(session);
        h = tn_session_time(session) - t;
        t += h;
    }
    tn_session_close(session);
    tn_model_destroy(model);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    tn_diagnostics_clear(context);
    snprintf(why, sizeof why, "a shorter step does not lessen what it measures: after %d steps, at %.2f s, h = %.0e s",
             STEPS, t, h);
    tn_not_reproducible(findings, "step rule of Eq. 24, limit 1", NAN, why);
    return TN_OK;
}

/* The first 5 s, with both steps and a stiffness that holds. */
static int draw(tn_findings *findings, tn_context *context, const tn_path *reference)
{
    char text[TN_LINKS_TEXT];
    tn_solve long_steps = springs(0.01, 1, 1e-2, 5), short_steps = springs(0.01, 1, 1e-3, 5);
    tn_links_bodies(text, &masses);
    tn_figure figure = { .name = "seguy-double-pendulum", .published = "the height of the tip of Figures 2 and 3, over time", .title = "Double pendulum with springs for joints" };
    return tn_path_draw(findings, context, &figure, text, &long_steps, &short_steps, reference);
}

/* Figures 2 to 4: paths of the tip, all joints solved together and with springs between the links. */
static int draw_paths(tn_findings *findings, tn_context *context, const tn_path *reference)
{
    static const struct { const char *name, *title, *published; double step, until; } figures[] = {
        { "seguy-figure-2", "Tip with springs for joints, factor 0.1 solved, h = 0.01 s, 5 s",
          "Fig. 2, centralized and modular with h = 1e-2 s over 5 s: not the same, since the springs are 100 times softer.", 1e-2, 5 },
        { "seguy-figure-3", "Tip with springs for joints, factor 0.1 solved, h = 0.001 s, 5 s",
          "Fig. 3, the same with h = 1e-3 s: more similar.", 1e-3, 5 },
        { "seguy-figure-4", "Tip with springs for joints, factor 0.1 solved, h = 0.001 s, 20 s",
          "Fig. 4, the same over 20 s: stable, and similar to the centralized model.", 1e-3, 20 },
    };
    char text[TN_LINKS_TEXT];
    int code = TN_OK;
    tn_links_bodies(text, &masses);
    for (size_t k = 0; k < sizeof figures / sizeof figures[0] && code >= 0 && tn_figures_wanted(findings); k++) {
        tn_path path = { 0 };
        tn_solve solve = solved_springs(1, figures[k].step, figures[k].until);
        code = tn_path_follow(&path, context, text, &solve);
        if (code >= 0) {
            tn_series series[] = { tn_path_curve(reference, "joints closed"), tn_path_curve(&path, "springs") };
            series[0].count = path.count < reference->count ? path.count : reference->count;
            code = tn_figure_draw(findings, &(tn_figure){ .name = figures[k].name, .title = figures[k].title, .x = "x, m",
                                                          .y = "y, m", .published = figures[k].published, .square = true,
                                                          .series = series, .series_count = 2 });
        }
        tn_path_clear(&path);
    }
    return code;
}

static int run_seguy_double_pendulum(tn_findings *findings, tn_context *context)
{
    tn_path reference = { 0 };
    int code = tn_path_reference(&reference, context, TN_LINKS_PENDULUM, 20);
    for (size_t k = 0; k < sizeof trials / sizeof trials[0] && code >= 0; k++)
        code = compare(findings, context, &trials[k], &reference);
    if (code >= 0)
        code = draw(findings, context, &reference);
    if (code >= 0)
        code = draw_paths(findings, context, &reference);
    if (code >= 0)
        code = blow_ups(findings, context);
    if (code >= 0)
        code = hold(findings, context, &reference);
    if (code >= 0)
        code = control_steps(findings, context, &reference);
    tn_path_clear(&reference);
    if (code < 0)
        return code;
    return run_away(findings, context);
}

const tn_reproduction tn_reproduction_seguy_double_pendulum = {
    .name = "seguy-double-pendulum",
    .source = "Seguy, Joli, Feng, Pascal 2003, Figures 2 to 4: double pendulum with springs for joints, 5 s and 20 s",
    .reading = "  Links rigid, masses (1, 0.5), (0.5, 1) kg at their ends; stiffness factor * 4 pi^2 m / h^2,\n"
               "  damping 0.1 (Eq. 17, 18); m is 1 kg at the elbow by Eq. 15, while 0.25 kg is what moves there;\n"
               "  Newmark in one pass, which bears a factor of 0.08 at most; the printed 0.1 runs with Newmark's rule solved\n"
               "  (generalized-alpha with hht 1, rho_infinity 1, fixed 1). The figures give no numbers: compared with an independent program, which\n"
               "  starts with zero accelerations and is 1.7 mm late for that. The rule of Eq. 24 is replaced by the\n"
               "  local error.",
    .run = run_seguy_double_pendulum,
};
