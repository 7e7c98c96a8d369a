/* Figures of published results.
 *
 * A result that has one draws it at the end of its run, from series of its own:
 *
 *     const tn_series series[] = {
 *         { .name = "reference", .count = n, .x = t, .y = exact },
 *         { .name = "published", .count = m, .x = steps, .y = theirs, .marks = true },
 *     };
 *     return tn_figure_draw(findings, &(tn_figure){ .name = "joli-tip", .title = "Tip of the double pendulum",
 *                                                   .x = "x, m", .y = "y, m", .series = series, .series_count = 2 });
 *
 * Nothing happens unless --plot was given; tn_figures_wanted tells, where the series themselves are work. */
#ifndef TN_CLI_FIGURE_H
#define TN_CLI_FIGURE_H

#include "reproduction.h"

typedef struct tn_series {
    const char *name;                  /* in the legend */
    size_t count;
    const double *x, *y;               /* points that are not finite are left out */
    size_t stride;                     /* doubles from one point to the next; 0: 1 */
    bool marks;                        /* marks only: published values, samples; otherwise a line */
    bool dots;                         /* small squares: entries of a matrix */
} tn_series;

typedef struct tn_figure {
    const char *name;                  /* of its files, without ending */
    const char *title;
    const char *x, *y;                 /* what the axes show, with units */
    const char *published;             /* what the published figure shows, and what is said of it; NULL: there is none */
    bool log_x, log_y;
    bool square;                       /* both axes have one scale: paths, matrices */
    bool downwards;                    /* y counts downwards: rows of a matrix */
    double y_max;                      /* upper end of the y axis; 0: as the data ask */
    const tn_series *series;
    size_t series_count;
} tn_figure;

bool tn_figures_wanted(const tn_findings *findings);
/* Writes NAME.dat and NAME.gp into the folder of figures and has gnuplot make NAME.png; without gnuplot a line says how
 * to draw it later. figures.md in the folder shows all of them, each with its published description. A code of the library: TN_ERROR_FILE, explained on stderr, when the files cannot be written. */
int tn_figure_draw(tn_findings *findings, const tn_figure *figure);

#endif
