/* From curves to a chart: which share a panel, and what is written beside them. */
#ifndef TN_CLI_PLOT_PANELS_H
#define TN_CLI_PLOT_PANELS_H

#include "chart.h"
#include "plot_curves.h"

typedef enum tn_panel_rule {
    TN_PANELS_BY_UNIT,
    TN_PANELS_BY_CHANNEL,
    TN_PANELS_ONE
} tn_panel_rule;

enum { TN_LABEL_SIZE = 512 };

typedef struct tn_plot_panels {
    tn_panel panels[TN_CHART_PANELS];
    char labels[TN_CHART_PANELS][TN_LABEL_SIZE];
    char x[TN_LABEL_SIZE];
    size_t count;
    const tn_plot_curve **sources;     /* of curves, in the same order */
    tn_curve *curves;                  /* of all panels, one after the other */
    size_t curve_count;
} tn_plot_panels;

/* Panels in the order of their first curves. Names of files are in the legend when there are several. What is wrong is
 * said on stderr; returns the exit status. To be freed also after a failure, before the curves. */
int tn_plot_panels_make(tn_plot_panels *out, const tn_plot_curves *curves, tn_plot_kind kind, tn_panel_rule rule);
void tn_plot_panels_free(tn_plot_panels *panels);
/* Do both axes of the only panel show the same unit? */
bool tn_plot_panels_share_unit(const tn_plot_panels *panels);

#endif
