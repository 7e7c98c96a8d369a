/* Puts curves into panels, and finds the texts beside the panels. */
#include "plot_panels.h"
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool share_panel(const tn_plot_curve *a, const tn_plot_curve *b, tn_panel_rule rule)
{
    return rule == TN_PANELS_ONE || same(rule == TN_PANELS_BY_UNIT ? a->y.unit : a->y.name,
                                         rule == TN_PANELS_BY_UNIT ? b->y.unit : b->y.name);
}

/* Length of the first parts that both texts have in common: of "a.b.x" and "a.b.y" the length of "a.b". */
static size_t common_start(const char *a, const char *b, size_t length)
{
    size_t whole = 0;
    for (size_t i = 0; i <= length; i++) {
        bool ends_a = i == length || a[i] == '.', ends_b = b[i] == '\0' || b[i] == '.';
        if (ends_a && ends_b)
            whole = i;
        if (i == length || a[i] != b[i])
            break;
    }
    return whole;
}

/* The place in a where the last parts begin that both texts have in common; the end of a when they have none. */
static const char *common_end(const char *a, const char *b)
{
    const char *p = a + strlen(a), *q = b + strlen(b), *whole = p;
    while (p > a && q > b && p[-1] == q[-1]) {
        p--;
        q--;
        if ((p == a || p[-1] == '.') && (q == b || q[-1] == '.'))
            whole = p;
    }
    return whole;
}

/* The common part of names: "bob.position" of its components, "angle" of the angles of several joints; or "". */
static void common_name(char out[TN_LABEL_SIZE], const char *const *names, size_t count)
{
    size_t start = strlen(names[0]);
    const char *end = names[0];
    for (size_t i = 1; i < count; i++) {
        start = common_start(names[0], names[i], start);
        const char *with = common_end(names[0], names[i]);
        end = with > end ? with : end;
    }
    snprintf(out, TN_LABEL_SIZE, "%.*s", (int)(start > 0 ? start : strlen(end)), start > 0 ? names[0] : end);
}

static int too_many(size_t count, const char *what, int limit)
{
    fprintf(stderr, "tenon plot: %zu %s in one picture are not readable (at most %d); name the channels to draw\n",
            count, what, limit);
    return TN_EXIT_USAGE;
}

/* Curves of a panel come next to each other, otherwise they keep their order. */
static int sort_into_panels(tn_plot_panels *out, const tn_plot_curves *curves, tn_panel_rule rule)
{
    bool *placed = tn_allocate(curves->count, sizeof *placed);
    size_t panels = 0, most = 0;
    for (size_t i = 0; i < curves->count; i++) {
        if (placed[i])
            continue;
        size_t first = out->curve_count;
        for (size_t k = i; k < curves->count; k++)
            if (!placed[k] && share_panel(&curves->items[i], &curves->items[k], rule)) {
                out->sources[out->curve_count++] = &curves->items[k];
                placed[k] = true;
            }
        size_t here = out->curve_count - first;
        if (panels < TN_CHART_PANELS)
            out->panels[panels] = (tn_panel){ .curves = out->curves + first, .curve_count = here };
        most = here > most ? here : most;
        panels++;
    }
    free(placed);
    out->count = panels < TN_CHART_PANELS ? panels : TN_CHART_PANELS;
    if (panels > TN_CHART_PANELS)
        return too_many(panels, "panels", TN_CHART_PANELS);
    return most > TN_CHART_CURVES ? too_many(most, "curves of a panel", TN_CHART_CURVES) : TN_EXIT_OK;
}

static bool one_unit(const tn_plot_curve *const *sources, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (!same(sources[k]->y.unit, sources[0]->y.unit))
            return false;
    return true;
}

static bool several_files(const tn_plot_panels *p)
{
    for (size_t i = 1; i < p->curve_count; i++)
        if (p->sources[i]->recording != p->sources[0]->recording)
            return true;
    return false;
}

/* The name of the file where it differs from the names of the other files, else its path. */
static const char *file_label(const tn_plot_panels *p, const tn_recording *recording)
{
    const char *name = tn_file_name(recording->path);
    for (size_t i = 0; i < p->curve_count; i++) {
        const tn_recording *other = p->sources[i]->recording;
        if (other != recording && same(tn_file_name(other->path), name))
            return recording->path;
    }
    return name;
}

static char *legend(const tn_plot_panels *p, const tn_plot_curve *curve, bool with_unit)
{
    bool unit = with_unit && curve->y.unit[0] != '\0';
    const char *file = several_files(p) ? file_label(p, curve->recording) : NULL;
    size_t size = strlen(curve->y.name) + strlen(curve->y.unit) + (file ? strlen(file) : 0) + sizeof ",  ()";
    char *text = tn_allocate(size, 1);
    snprintf(text, size, "%s%s%s%s%s%s", curve->y.name, unit ? ", " : "", unit ? curve->y.unit : "", file ? " (" : "",
             file ? file : "", file ? ")" : "");
    return text;
}

static void label_panel(tn_plot_panels *p, size_t index, tn_plot_kind kind)
{
    tn_panel *panel = &p->panels[index];
    size_t first = (size_t)(panel->curves - p->curves);
    const tn_plot_curve **sources = p->sources + first;
    bool uniform = one_unit(sources, panel->curve_count);
    const char *names[TN_CHART_CURVES];
    for (size_t k = 0; k < panel->curve_count; k++) {
        const tn_plot_curve *c = sources[k];
        names[k] = c->y.name;
        p->curves[first + k] = (tn_curve){ legend(p, c, !uniform), c->x_values, c->y_values, c->count };
    }
    char common[TN_LABEL_SIZE], *label = p->labels[index];
    common_name(common, names, panel->curve_count);
    if (kind == TN_PLOT_SPECTRUM)
        snprintf(label, TN_LABEL_SIZE, "%s%.*s", common[0] ? "amplitude of " : "amplitude", TN_LABEL_SIZE - 16, common);
    else
        snprintf(label, TN_LABEL_SIZE, "%s", common);
    panel->label = label;
    panel->short_label = kind == TN_PLOT_SPECTRUM ? "amplitude" : "";
    panel->unit = uniform ? sources[0]->y.unit : "";
}

static int label_x(tn_plot_panels *p)
{
    const char **names = tn_allocate(p->curve_count, sizeof *names);
    const tn_channel first = p->sources[0]->x;
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < p->curve_count && status == TN_EXIT_OK; i++) {
        const tn_channel x = p->sources[i]->x;
        names[i] = x.name;
        if (!same(x.unit, first.unit)) {
            fprintf(stderr, "tenon plot: '%s' in '%s' and '%s' in '%s' cannot share an axis\n", first.name, first.unit,
                    x.name, x.unit);
            status = TN_EXIT_USAGE;
        }
    }
    if (status == TN_EXIT_OK) {
        char common[TN_LABEL_SIZE];
        common_name(common, names, p->curve_count);
        bool both = common[0] != '\0' && first.unit[0] != '\0';
        snprintf(p->x, sizeof p->x, "%.*s%s%s", TN_LABEL_SIZE / 2, same(common, "t") ? "time" : common,
                 both ? ", " : "", first.unit);
    }
    free(names);
    return status;
}

int tn_plot_panels_make(tn_plot_panels *out, const tn_plot_curves *curves, tn_plot_kind kind, tn_panel_rule rule)
{
    *out = (tn_plot_panels){ 0 };
    out->sources = tn_allocate(curves->count, sizeof *out->sources);
    out->curves = tn_allocate(curves->count, sizeof *out->curves);
    int status = sort_into_panels(out, curves, rule);
    if (status == TN_EXIT_OK)
        status = label_x(out);
    for (size_t i = 0; i < out->count && status == TN_EXIT_OK; i++)
        label_panel(out, i, kind);
    return status;
}

void tn_plot_panels_free(tn_plot_panels *panels)
{
    for (size_t i = 0; i < panels->curve_count; i++)
        free((char *)panels->curves[i].name);
    free(panels->curves);
    free(panels->sources);
}

bool tn_plot_panels_share_unit(const tn_plot_panels *panels)
{
    const tn_channel x = panels->sources[0]->x;
    return panels->count == 1 && x.unit[0] != '\0' && same(panels->panels[0].unit, x.unit);
}
