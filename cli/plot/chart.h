/* Charts: curves in panels one above the other over a common axis, drawn by gnuplot as PNG, SVG or text.
 *
 *     tn_curve curve = { .name = "pivot.angle", .x = t, .y = angle, .count = rows };
 *     tn_panel panel = { .label = "pivot.angle", .short_label = "", .unit = "rad", .curves = &curve,
 *                        .curve_count = 1 };
 *     tn_chart chart = { .description = "pendulum", .x = "t, s", .panels = &panel, .panel_count = 1 };
 *     return tn_chart_draw(&chart, TN_CHART_SVG, "pendulum.svg");
 *
 * The same chart gives the same bytes. */
#ifndef TN_CLI_CHART_H
#define TN_CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_curve {
    const char *name;                  /* in the legend */
    const double *x, *y;               /* points that are not finite interrupt the curve */
    size_t count;
} tn_curve;

typedef struct tn_panel {
    const char *label;                 /* what the axis shows, without unit; "": nothing that can be named */
    const char *short_label;           /* in place of a label for which there is no room; may be "" */
    const char *unit;                  /* "": none */
    const tn_curve *curves;
    size_t curve_count;
} tn_panel;

typedef struct tn_chart {
    const char *title;                 /* above the panels; NULL: none */
    const char *description;           /* the title element of an SVG */
    const char *x;                     /* what the common axis shows, with unit */
    const tn_panel *panels;
    size_t panel_count;
    bool log_x, log_y;
    bool equal_scales;                 /* one panel: a metre is as long upwards as it is across */
    int width, height;                 /* pixels, characters for text; 0: as the content asks */
} tn_chart;

typedef enum tn_chart_format { TN_CHART_PNG, TN_CHART_SVG, TN_CHART_TEXT } tn_chart_format;

enum { TN_CHART_PANELS = 12, TN_CHART_CURVES = 40 };    /* at most, and curves a panel: more is not readable */

/* The width and height the chart will have. */
void tn_chart_size(int *width, int *height, const tn_chart *chart, tn_chart_format format);
/* Draws into a file, text to standard output (path NULL). The file is touched only when the picture is complete. What
 * is wrong is said on stderr; returns the exit status. */
int tn_chart_draw(const tn_chart *chart, tn_chart_format format, const char *path);

#endif
