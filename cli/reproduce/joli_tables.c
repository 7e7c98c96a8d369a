/* Tables 1 and 2: times of computation, as ratios of work. */
#include "links.h"
#include <stdio.h>

static const tn_end_masses masses = { 1, 0.5, 0.5, 1 };
static const double increments[2] = { 0.01, 0.1 };
static const double steps[2] = { 1e-2, 1e-3 };

static const struct table {
    const char *name;
    tn_links_kind kind;
    double slide;                      /* rho of the slide */
    double seconds[2][2];              /* increment x step */
} tables[] = {
    { "Table 1", TN_LINKS_PENDULUM, 0, { { 5, 47.7 }, { 2.6, 25.9 } } },
    { "Table 2", TN_LINKS_CRANK, 0.4, { { 7.0, 70.4 }, { 3.0, 30.1 } } },
};

/* Responses of bodies over the run: what the time goes into. */
static int work_of(double *work, tn_context *context, const struct table *t, double increment, double step)
{
    char text[TN_LINKS_TEXT];
    tn_path path = { 0 };
    tn_solve solve = tn_links_solve(step, 10);
    tn_links_particles(text, t->kind, &masses);
    tn_links_uzawa(&solve, increment, t->slide);
    int code = tn_path_follow(&path, context, text, &solve);
    *work = tn_path_iterations(&path) / step;
    tn_path_clear(&path);
    return code;
}

static int compare(tn_findings *findings, tn_context *context, const struct table *t)
{
    char what[64];
    double work[2][2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            int code = work_of(&work[i][k], context, t, increments[i], steps[k]);
            if (code < 0)
                return code;
        }
    for (int i = 0; i < 2; i++) {
        snprintf(what, sizeof what, "%s: 1e-3 s over 1e-2 s, %g %%", t->name, 100 * increments[i]);
        tn_found(findings, what, t->seconds[i][1] / t->seconds[i][0], work[i][1] / work[i][0], 0.1, TN_AGREE_RELATIVE);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(what, sizeof what, "%s: 1 %% over 10 %%, h = %g s", t->name, steps[k]);
        tn_found(findings, what, t->seconds[0][k] / t->seconds[1][k], work[0][k] / work[1][k], 0.2, TN_AGREE_RELATIVE);
    }
    return TN_OK;
}

static int run_joli_tables(tn_findings *findings, tn_context *context)
{
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        int code = compare(findings, context, &tables[k]);
        if (code < 0)
            return code;
    }
    return TN_OK;
}

const tn_reproduction tn_reproduction_joli_tables = {
    .name = "joli-tables",
    .source = "Joli, Seguy, Feng 2008, Tables 1 and 2: times of computation on a PC of 1400 MHz",
    .reading = "  Ratios of times against ratios of iterations. That a tenth of the step takes ten times as long\n"
               "  says that every solve started from zero. rho of the slide is not given: 0.4, with which 1 % over\n"
               "  10 % comes nearest.",
    .run = run_joli_tables,
};
