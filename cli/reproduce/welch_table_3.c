/* Table 3: chain of three links in space. */
#include "figure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct row {
    const char *axis, *scheme;
    double until, step;                /* s */
    double passes;
    double phi, phi_tolerance;         /* mean residual */
    double energy, energy_tolerance;   /* largest energy error over the energy at the start; 0: not compared */
    tn_agreement agreement;
} rows[] = {
    { "x", "taylor2", 2, 1e-3, 1, 4.0653e-9, 1e-3, 8.008e-5, 2e-3, TN_AGREE_RELATIVE },
    { "x", "taylor2", 2, 5e-4, 1, 5.0827e-10, 1e-3, 3.989e-5, 2e-3, TN_AGREE_RELATIVE },
    { "x", "taylor2", 2, 5e-5, 1, 5.0840e-13, 1e-3, 3.975e-6, 2e-3, TN_AGREE_RELATIVE },
    { "y", "taylor2", 2, 1e-3, 1, 5.4317e-9, 1e-3, 1.286e-4, 2e-3, TN_AGREE_RELATIVE },
    { "y", "taylor2", 2, 5e-4, 1, 6.7949e-10, 1e-3, 6.428e-5, 2e-3, TN_AGREE_RELATIVE },
    { "y", "taylor2", 2, 5e-5, 1, 6.8000e-13, 1e-3, 6.426e-6, 2e-3, TN_AGREE_RELATIVE },
    { "y", "taylor2", 2, 1e-3, 2, 5.4317e-9, 1e-3, 6.72e-7, 0.05, TN_AGREE_RELATIVE },
    { "y", "taylor2", 2, 5e-4, 2, 6.7949e-10, 1e-3, 1.59e-7, 0.05, TN_AGREE_RELATIVE },
    { "x", "baumgarte", 2, 1e-3, 0, 1.5520e-6, 0.5, 0, 0, TN_AGREE_RELATIVE },
    { "x", "baumgarte", 2, 5e-4, 0, 3.8814e-7, 0.5, 0, 0, TN_AGREE_RELATIVE },
    { "y", "baumgarte", 2, 1e-3, 0, 1.9502e-6, 0.5, 0, 0, TN_AGREE_RELATIVE },
    { "y", "baumgarte", 2, 5e-4, 0, 4.8778e-7, 0.5, 0, 0, TN_AGREE_RELATIVE },
    { "y", "taylor2", 10, 5e-5, 1, 3.4046e-12, 2, 0, 0, TN_AGREE_FACTOR },
    { "y", "taylor2", 10, 2.5e-5, 1, 4.3761e-13, 2, 0, 0, TN_AGREE_FACTOR },
    { "y", "baumgarte", 10, 5e-5, 0, 1.3712e-8, 2, 0, 0, TN_AGREE_FACTOR },
    { "y", "baumgarte", 10, 2.5e-5, 0, 3.4275e-9, 2, 0, 0, TN_AGREE_FACTOR },
};

enum { ROWS = sizeof rows / sizeof rows[0] };
static const double PUBLISHED_UNTIL = 10;      /* s */

/* The orders of the table, each from two rows with half the step. */
static const struct { const char *name; size_t coarse; double published, tolerance; } orders[] = {
    { "taylor2, 10 s, order", 12, 2.96, 0.2 },         /* the order of two means of a sensitive motion */
    { "baumgarte, 10 s, order", 14, 2.00, 0.01 },
};

/* Boxes L x L/10 x L/10 of one density: m = L^3, moments m (L^2 + L^2/100)/12 across, m L^2/600 along. */
static const char model_format[] =
    "tenon: 1\ngravity: [-5, -5 * sqrt(2), -5]\n"
    "bodies:\n"
    "  one: { mass: 1, inertia: [1.01 / 12, 1.01 / 12, 1 / 600], position: [0, 0, -0.5] }\n"
    "  two: { mass: 8, inertia: [32 * 1.01 / 12, 32 * 1.01 / 12, 32 / 600], position: [0, 0, -2] }\n"
    "  three:\n"
    "    { mass: 15.625, inertia: [97.65625 * 1.01 / 12, 97.65625 * 1.01 / 12, 97.65625 / 600],\n"
    "      position: [0, 0, -4.25] }\n"
    "joints:\n"
    "  top: { type: spherical, between: [ground, one], at: [0, 0, 0] }\n"
    "  ball: { type: spherical, between: [one, two], at: [0, 0, -1] }\n"
    "  pin: { type: revolute, between: [two, three], at: [0, 0, -3], axis: %s }\n";

/* ---- histories for Figures 4 to 7, at every SAMPLE ---- */

enum { LINKS = 3, POINTS = 1001 };
static const double SAMPLE = 0.01;     /* s */
typedef struct history {
    int count;
    double t[POINTS], place[LINKS][3][POINTS], spin[LINKS][3][POINTS];     /* s; m; rad/s in axes of the links */
    double residual[POINTS], energy[POINTS];       /* 2-norm; relative change of the total energy */
} history;

static int look(history *h, tn_session *session, const tn_model *model, double start)
{
    static const char *const names[LINKS] = { "one", "two", "three" };
    int k = h->count, code = TN_OK;
    double energy = 0;
    for (int n = 0; n < LINKS && code >= 0; n++) {
        double velocity[3], spin[3];
        tn_pose pose;
        tn_id body = tn_model_find(model, names[n]);
        code = tn_session_pose(&pose, session, body);
        if (code >= 0)
            code = tn_session_velocity(velocity, spin, session, body);
        const double *q = pose.q;
        const double axes[3][3] = {
            { 1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]), 2 * (q[1] * q[3] - q[0] * q[2]) },
            { 2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] + q[0] * q[1]) },
            { 2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]) },
        };
        for (int i = 0; i < 3 && code >= 0; i++) {
            h->place[n][i][k] = pose.p[i];
            h->spin[n][i][k] = axes[i][0] * spin[0] + axes[i][1] * spin[1] + axes[i][2] * spin[2];
        }
    }
    if (code >= 0)
        code = tn_session_value(&energy, session, "energy.total");
    h->t[k] = tn_session_time(session);
    h->residual[k] = tn_residual_norm(session, model);
    h->energy[k] = fabs((energy - start) / start);
    h->count++;
    return code;
}

typedef struct measured {
    double phi, energy;
} measured;

static int measure_welch_table_3(measured *out, tn_session *session, const tn_model *model, const struct row *row, history *h)
{
    long count = lround(row->until / row->step), every = lround(SAMPLE / row->step);
    double sum = 0, start = 0;
    int code = tn_session_value(&start, session, "energy.total");
    for (long k = 0; k < count && code >= 0; k++) {
        code = tn_session_step(session);
        sum += tn_residual_norm(session, model);
        if (code >= 0 && h && (k + 1) % every == 0 && h->count < POINTS)
            code = look(h, session, model, start);
    }
    if (code < 0)
        return code;
    tn_summary summary = tn_session_summary(session);
    *out = (measured){ sum / (double)count, summary.energy_error / fabs(summary.energy_start) };
    return TN_OK;
}

static int compute(measured *out, tn_context *context, const struct row *row, history *h)
{
    char text[sizeof model_format + 8];
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    snprintf(text, sizeof text, model_format, row->axis);
    solve.scheme = row->scheme;
    solve.integrator = "heun";
    solve.step = row->step;
    solve.record = row->until;
    if (row->passes > 0) {
        tn_solve_set(&solve, "passes", row->passes);
        tn_solve_set(&solve, "damping", 0);
    } else {
        tn_solve_set(&solve, "alpha_step", 0.5);
        tn_solve_set(&solve, "beta_step", 1);
    }
    int code = tn_reproduction_open(&session, &model, context, text, &solve);
    if (code >= 0)
        code = measure_welch_table_3(out, session, model, row, h);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

/* A curve of a figure: consecutive rows of the table, and what is read off them. */
static const struct curve {
    const char *name;
    size_t first, count;
    bool energy;
} curves[] = {
    { "residual, taylor2", 3, 3, false },
    { "residual, baumgarte", 10, 2, false },
    { "energy, taylor2 as printed", 3, 3, true },
    { "energy, taylor2, two passes", 6, 2, true },
};
enum { CURVES = sizeof curves / sizeof curves[0] };

static int draw(tn_findings *findings, const measured ours[ROWS])
{
    double steps[ROWS], values[CURVES][ROWS];
    tn_series series[CURVES];
    for (size_t k = 0; k < ROWS; k++)
        steps[k] = rows[k].step;
    for (size_t c = 0; c < CURVES; c++) {
        for (size_t k = 0; k < curves[c].count; k++) {
            const measured *m = &ours[curves[c].first + k];
            values[c][k] = curves[c].energy ? m->energy : m->phi;
        }
        series[c] = (tn_series){ .name = curves[c].name, .count = curves[c].count, .x = steps + curves[c].first,
                                 .y = values[c] };
    }
    return tn_figure_draw(findings, &(tn_figure){
        .name = "welch-table-3", .title = "Three links in space, pin along y, over 2 s", .x = "step, s",
        .y = "mean residual; largest relative energy error", .log_x = true, .log_y = true, .series = series,
        .series_count = CURVES });
}

/* One figure of nine curves: three components of three links. */
static int draw_links(tn_findings *findings, const history *h, const double values[LINKS][3][POINTS], const tn_figure *as)
{
    static const char *const names[LINKS][3] = { { "1 x", "1 y", "1 z" }, { "2 x", "2 y", "2 z" }, { "3 x", "3 y", "3 z" } };
    tn_series series[3 * LINKS];
    tn_figure figure = *as;
    for (int n = 0; n < LINKS; n++)
        for (int i = 0; i < 3; i++)
            series[3 * n + i] = (tn_series){ .name = names[n][i], .count = (size_t)h->count, .x = h->t, .y = values[n][i] };
    figure.x = "t, s";
    figure.series = series;
    figure.series_count = 3 * LINKS;
    return tn_figure_draw(findings, &figure);
}

/* h[0]: the second-order scheme, h[1]: Baumgarte's method. */
static int draw_histories(tn_findings *findings, const history h[2])
{
    static const char *const names[] = { "second order", "Baumgarte" };
    tn_series residuals[2], energies[2];
    for (int k = 0; k < 2; k++) {
        residuals[k] = (tn_series){ .name = names[k], .count = (size_t)h[k].count, .x = h[k].t, .y = h[k].residual };
        energies[k] = (tn_series){ .name = names[k], .count = (size_t)h[k].count, .x = h[k].t, .y = h[k].energy };
    }
    int code = draw_links(findings, &h[0], h[0].place, &(tn_figure){
        .name = "welch-figure-4", .title = "Three links in space, pin along y: centres of mass", .y = "m",
        .published = "Fig. 4, coordinates of the centres of mass over 10 s, h = 2.5e-5 s; masses and pin axis are not given, so the "
                     "curves can only be alike." });
    if (code >= 0)
        code = draw_links(findings, &h[0], h[0].spin, &(tn_figure){
            .name = "welch-figure-5", .title = "Three links in space: angular velocities in axes of the links", .y = "rad/s",
            .published = "Fig. 5, angular velocities of the links; the third components of links 2 and 3 are called identical." });
    if (code >= 0)
        code = tn_figure_draw(findings, &(tn_figure){
            .name = "welch-figure-6", .title = "Three links in space: constraints", .x = "t, s", .y = "residual", .log_y = true,
            .published = "Fig. 6, log10 of the residual; Baumgarte's is larger by about four orders of magnitude.",
            .series = residuals, .series_count = 2 });
    if (code >= 0)
        code = tn_figure_draw(findings, &(tn_figure){
            .name = "welch-figure-7", .title = "Three links in space: energy", .x = "t, s", .y = "relative change", .log_y = true,
            .published = "Fig. 7, log10 of the relative change of energy; Baumgarte's is better by about four orders of magnitude.",
            .series = energies, .series_count = 2 });
    return code;
}

/* The rows whose motion Figures 4 to 7 show. */
enum { SHOWN_TAYLOR = 13, SHOWN_BAUMGARTE = 15 };

static int compare_rows(tn_findings *findings, tn_context *context, measured all[ROWS], history *histories)
{
    char what[80];
    for (size_t k = 0; k < ROWS; k++) {
        const struct row *row = &rows[k];
        measured ours;
        history *h = !histories ? NULL : k == SHOWN_TAYLOR ? &histories[0] : k == SHOWN_BAUMGARTE ? &histories[1] : NULL;
        int code = compute(&ours, context, row, h);
        if (code < 0)
            return code;
        all[k] = ours;
        snprintf(what, sizeof what, "%s%s, %g s, h = %g s", row->scheme, row->passes == 2 ? " twice" : "", row->until,
                 row->step);
        tn_compare_with(findings, row->until == PUBLISHED_UNTIL ? NULL : "an independent program, over 2 s");
        tn_found(findings, what, row->phi, ours.phi, row->phi_tolerance, row->agreement);
        snprintf(what, sizeof what, "  energy, pin %s", row->axis);
        if (row->energy > 0)
            tn_found(findings, what, row->energy, ours.energy, row->energy_tolerance, TN_AGREE_RELATIVE);
    }
    return TN_OK;
}

static int run_welch_table_3(tn_findings *findings, tn_context *context)
{
    measured all[ROWS];
    history *histories = tn_figures_wanted(findings) ? calloc(2, sizeof *histories) : NULL;
    if (tn_figures_wanted(findings) && !histories)
        return TN_ERROR_MEMORY;
    int code = compare_rows(findings, context, all, histories);
    if (code >= 0 && histories)
        code = draw_histories(findings, histories);
    free(histories);
    if (code < 0)
        return code;
    tn_compare_with(findings, NULL);
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++)
        tn_found(findings, orders[k].name, orders[k].published,
                 tn_observed_order(all[orders[k].coarse].phi, all[orders[k].coarse + 1].phi), orders[k].tolerance,
                 TN_AGREE_ABSOLUTE);
    tn_found(findings, "Baumgarte over taylor2, 10 s, decades", 4, log10(all[SHOWN_BAUMGARTE].phi / all[SHOWN_TAYLOR].phi), 0.5,
             TN_AGREE_ABSOLUTE);
    tn_found(findings, "  energy: taylor2 over Baumgarte, decades", 4, log10(all[SHOWN_TAYLOR].energy / all[SHOWN_BAUMGARTE].energy), 1.1,
             TN_AGREE_ABSOLUTE);
    return draw(findings, all);
}

const tn_reproduction tn_reproduction_welch_table_3 = {
    .name = "welch-table-3",
    .source = "Welch, Hong, Trapp, Choi 2007, Table 3 and Figures 4 to 7: chain of three links in space, mean residual",
    .reading = "  Masses and pin axis are not given: one density, pin along body x or y. The motion is sensitive\n"
               "  after 5 s, so the published 10 s values are compared within a factor 2, their order within 0.2. The 2 s values are those of an\n"
               "  independent program; Baumgarte's depend on how quaternions are treated within a step: 50 %. As\n"
               "  printed (passes 1) the energy error falls with h only; with a second pass (twice) with h^2.",
    .run = run_welch_table_3,
};
