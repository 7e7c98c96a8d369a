/* Writes models of links with masses at their ends, and follows the paths of their tips. */
#include "links.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- models ---- */

void tn_links_particles(char text[TN_LINKS_TEXT], tn_links_kind kind, const tn_end_masses *m)
{
    bool crank = kind == TN_LINKS_CRANK;
    const char *elbow = crank ? "[sqrt(0.5), sqrt(0.5)]" : "[1, 0]", *tip = crank ? "[sqrt(2), 0]" : "[1, -1]";
    snprintf(text, TN_LINKS_TEXT,
             "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
             "bodies:\n"
             "  root: { type: particle, mass: %.17g, position: [0, 0] }\n"
             "  end: { type: particle, mass: %.17g, position: %s }\n"
             "  start: { type: particle, mass: %.17g, position: %s }\n"
             "  tip: { type: particle, mass: %.17g, position: %s }\n"
             "joints:\n"
             "  upper: { type: rod, between: [root, end], length: 1 }\n"
             "  lower: { type: rod, between: [start, tip], length: 1 }\n"
             "  pivot: { type: revolute, between: [ground, root] }\n"
             "  elbow: { type: revolute, between: [end, start] }\n"
             "%s"
             "outputs: [tip.position]\n",
             m->root, m->end, elbow, m->start, elbow, m->tip, tip,
             crank ? "  slide: { type: pin-in-slot, between: [ground, tip] }\n" : "");
}

void tn_links_bodies(char text[TN_LINKS_TEXT], const tn_end_masses *m)
{
    snprintf(text, TN_LINKS_TEXT,
             "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
             "parameters: { a: %.17g, b: %.17g, c: %.17g, d: %.17g }\n"
             "bodies:\n"
             "  one: { mass: a + b, com: [b / (a + b), 0], inertia: a * b / (a + b), position: [0, 0] }\n"
             "  two:\n"
             "    { mass: c + d, com: [d / (c + d), 0], inertia: c * d / (c + d), position: [1, 0], angle: -90 deg,\n"
             "      frames: { tip: { at: [1, 0] } } }\n"
             "joints:\n"
             "  pivot: { type: revolute, between: [ground, one], at: [0, 0] }\n"
             "  elbow: { type: revolute, between: [one, two], at: [1, 0] }\n"
             "outputs: [two.tip.position]\n",
             m->root, m->end, m->start, m->tip);
}

/* ---- settings ---- */

tn_solve tn_links_solve(double step, double until)
{
    tn_solve solve = tn_solve_default();
    solve.scheme = "baumgarte";
    solve.integrator = "newmark-pec";
    solve.step = step;
    solve.until = until;
    solve.record = TN_PATH_SAMPLE;
    return solve;
}

void tn_links_stop_by_joints(tn_solve *solve, double increment, bool slides)
{
    tn_solve_set(solve, "increment", 0);
    tn_solve_set_for(solve, "increment", "pivot", increment);
    tn_solve_set_for(solve, "increment", "elbow", increment);
    if (slides)
        tn_solve_set_for(solve, "increment", "slide", increment);
}

void tn_links_uzawa(tn_solve *solve, double increment, double slide)
{
    solve->solver = "uzawa";
    tn_solve_set(solve, "method", 1);
    tn_solve_set(solve, "warm", 0);
    tn_solve_set(solve, "increment", increment);
    tn_solve_set_for(solve, "rho_absolute", "pivot", 1.5);
    tn_solve_set_for(solve, "rho_absolute", "elbow", 0.4);
    if (slide > 0)
        tn_solve_set_for(solve, "rho_absolute", "slide", slide);
    tn_solve_set_for(solve, "internal", "upper", 1);
    tn_solve_set_for(solve, "internal", "lower", 1);
}

/* ---- paths ---- */

void tn_path_add(tn_path *path, const double point[3])
{
    if (path->count == path->capacity) {
        size_t capacity = 2 * path->capacity + 1024;
        void *grown = realloc(path->at, capacity * sizeof *path->at);
        if (!grown) {
            path->failed = true;
            return;
        }
        path->at = grown;
        path->capacity = capacity;
    }
    for (size_t k = 0; k < 3; k++)
        path->at[path->count][k] = point[k];
    path->count++;
}

/* Models of links record t and the position of their tip. */
static void add_sample(void *user, const double *values, size_t count)
{
    (void)count;
    tn_path_add(user, values);
}

int tn_path_follow(tn_path *path, tn_context *context, const char *text, const tn_solve *solve)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    path->count = 0;
    int code = tn_reproduction_open(&session, &model, context, text, solve);
    if (code >= 0) {
        tn_session_on_sample(session, add_sample, path);
        code = tn_session_run(session);
        path->summary = tn_session_summary(session);
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return code >= 0 && path->failed ? TN_ERROR_MEMORY : code;
}

int tn_path_reference(tn_path *path, tn_context *context, tn_links_kind kind, double until)
{
    char text[TN_LINKS_TEXT];
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-12;
    solve.integrator = "dop853";
    solve.until = until;
    solve.record = TN_PATH_SAMPLE;
    tn_links_particles(text, kind, &(tn_end_masses){ 1, 0.5, 0.5, 1 });
    return tn_path_follow(path, context, text, &solve);
}

double tn_path_distance(const tn_path *path, const tn_path *reference)
{
    size_t count = path->count < reference->count ? path->count : reference->count;
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, hypot(path->at[k][1] - reference->at[k][1], path->at[k][2] - reference->at[k][2]));
    return most;
}

double tn_path_largest_y(const tn_path *path)
{
    double most = 0;
    for (size_t k = 0; k < path->count; k++)
        most = fmax(most, fabs(path->at[k][2]));
    return most;
}

tn_series tn_path_curve(const tn_path *path, const char *name)
{
    return (tn_series){ .name = name, .count = path->count, .x = &path->at[0][1], .y = &path->at[0][2], .stride = 3 };
}

tn_series tn_path_over_time(const tn_path *path, const char *name, int coordinate)
{
    return (tn_series){ .name = name, .count = path->count, .x = &path->at[0][0], .y = &path->at[0][1 + coordinate], .stride = 3 };
}

int tn_path_draw(tn_findings *findings, tn_context *context, tn_figure *figure, const char *text,
                 const tn_solve *long_steps, const tn_solve *short_steps, const tn_path *reference)
{
    tn_path coarse = { 0 }, fine = { 0 };
    if (!tn_figures_wanted(findings))
        return TN_OK;
    int code = tn_path_follow(&coarse, context, text, long_steps);
    if (code >= 0)
        code = tn_path_follow(&fine, context, text, short_steps);
    if (code >= 0) {
        tn_series series[] = { tn_path_over_time(reference, "reference", 1), tn_path_over_time(&coarse, "h = 0.01 s", 1),
                               tn_path_over_time(&fine, "h = 0.001 s", 1) };
        series[0].count = fine.count < reference->count ? fine.count : reference->count;
        figure->x = "t, s";
        figure->y = "height of the tip, m";
        figure->series = series;
        figure->series_count = sizeof series / sizeof series[0];
        code = tn_figure_draw(findings, figure);
    }
    tn_path_clear(&coarse);
    tn_path_clear(&fine);
    return code;
}

double tn_path_iterations(const tn_path *path)
{
    return (double)path->summary.iterations / (double)path->summary.evaluations;
}

void tn_path_clear(tn_path *path)
{
    free(path->at);
    *path = (tn_path){ 0 };
}
