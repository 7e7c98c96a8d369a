/* Lays out a chart and writes the script with which gnuplot draws it. */
#include "chart.h"
#include "gnuplot.h"
#include "out_file.h"
#include "plain_text.h"
#include "thinning.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measures are in cells, the room of a character: a pixel picture is laid out like one of text. */
static const double cell_width = 7.8, cell_height = 17;        /* px at scale 1, for FONT_SIZE */
enum { FONT_SIZE = 11 };
static const double smallest_scale = 0.75;                     /* type in smaller pictures stays readable */
/* A curve that moves by less than this part of its value is a straight line: it shows no digits of rounding, and the
 * numbers at the axis differ in the six digits they have. */
static const double flat = 1e-4;
/* Largest numbers at an axis that need no power of ten beside them. */
static const double smallest_plain = 1e-2, largest_plain = 1e5;
/* Shortest and tallest panel with equal scales, lines. */
static const double least_lines = 14, most_lines = 44;

typedef struct range {
    double low, high;
} range;

typedef struct layout {
    bool text;
    double scale;                      /* of type and lines */
    double width, height;              /* of the picture; px, or characters */
    double cell_width, cell_height;    /* in the same unit */
    double left, right, top, bottom;   /* margins, cells */
    double gap;                        /* between panels, lines */
    double panel_lines;
} layout;

static range no_range(void)
{
    return (range){ INFINITY, -INFINITY };
}

/* Finite values, on a logarithmic axis positive ones. */
static void extend(range *r, const double *values, size_t count, bool positive)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]) && (!positive || values[i] > 0)) {
            r->low = fmin(r->low, values[i]);
            r->high = fmax(r->high, values[i]);
        }
}

static range range_of_x(const tn_chart *chart)
{
    range r = no_range();
    for (size_t p = 0; p < chart->panel_count; p++)
        for (size_t k = 0; k < chart->panels[p].curve_count; k++)
            extend(&r, chart->panels[p].curves[k].x, chart->panels[p].curves[k].count, chart->log_x);
    return r;
}

static range range_of_y(const tn_panel *panel, bool positive)
{
    range r = no_range();
    for (size_t k = 0; k < panel->curve_count; k++)
        extend(&r, panel->curves[k].y, panel->curves[k].count, positive);
    return r;
}

static double span(range r)
{
    return r.high - r.low;
}

static range scaled(range r, int exponent)
{
    return (range){ r.low / pow(10, exponent), r.high / pow(10, exponent) };
}

static range about_middle(range r, double width)
{
    double middle = r.low + span(r) / 2;
    return (range){ middle - width / 2, middle + width / 2 };
}

/* The power of ten that numbers at the panel's axis are to be multiplied with. */
static int exponent_of(const tn_chart *chart, const tn_panel *panel)
{
    range y = range_of_y(panel, false);
    double largest = fmax(fabs(y.low), fabs(y.high));
    if (chart->log_y || chart->equal_scales || !isfinite(largest) || largest == 0)
        return 0;
    if (largest >= smallest_plain && largest < largest_plain)
        return 0;
    return (int)floor(log10(largest));
}

/* "label, 10⁻⁶ unit" */
static char *axis_text(const char *label, int exponent, const char *unit)
{
    static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char power[64] = "";
    if (exponent != 0) {
        char plain[12];
        snprintf(plain, sizeof plain, "%d", abs(exponent));
        strcpy(power, exponent < 0 ? "10⁻" : "10");
        for (const char *digit = plain; *digit; digit++)
            strcat(power, digits[*digit - '0']);
    }
    bool factor = power[0] != '\0', of_something = unit[0] != '\0';
    size_t size = strlen(label) + strlen(power) + strlen(unit) + sizeof ",  ";
    char *text = tn_allocate(size, 1);
    snprintf(text, size, "%s%s%s%s%s", label, label[0] && (factor || of_something) ? ", " : "", power,
             factor && of_something ? " " : "", unit);
    return text;
}

/* Room for a text in cells. Fonts differ, so it is a little more than DejaVu Sans, a wide one, takes. */
static double text_columns(const char *text, const layout *l)
{
    const double wide = 1.9, upper = 1.4, usual = 1.2, narrow = 0.75;
    char c[TN_PLAIN_SIZE];
    double columns = 0;
    for (size_t taken; (taken = tn_plain_next(c, text)) > 0; text += taken)
        columns += l->text ? 1 : strchr("mwMW@%", c[0]) ? wide : strchr("fijlrtI.,:;'!|/()[] ", c[0]) ? narrow
                   : c[0] >= 'A' && c[0] <= 'Z' ? upper : usual;
    return columns;
}

/* Written upwards, unless it is text. */
static bool label_fits(const tn_chart *chart, const tn_panel *panel, const layout *l)
{
    char *text = axis_text(panel->label, exponent_of(chart, panel), panel->unit);
    double length = text_columns(text, l) * l->cell_width;
    free(text);
    return l->text || length <= (l->panel_lines + l->gap) * l->cell_height;
}

/* A label says all there is about a single curve. */
static bool has_legend(const tn_chart *chart, const tn_panel *panel, const layout *l)
{
    return panel->curve_count > 1 || !label_fits(chart, panel, l);
}

static double legend_columns(const tn_chart *chart, const layout *l)
{
    const double sample = 8;           /* piece of line before the name, with room around it */
    double longest = 0;
    for (size_t p = 0; p < chart->panel_count; p++)
        for (size_t k = 0; k < chart->panels[p].curve_count && has_legend(chart, &chart->panels[p], l); k++)
            longest = fmax(longest, text_columns(chart->panels[p].curves[k].name, l));
    return longest > 0 ? longest + sample : 0;
}

/* Lines of a panel that shows its curves well and has room for its legend. */
static double wanted_lines(const tn_chart *chart, const layout *l, double columns)
{
    size_t most = 0;
    for (size_t p = 0; p < chart->panel_count; p++)
        most = chart->panels[p].curve_count > most ? chart->panels[p].curve_count : most;
    double lines = chart->panel_count == 1 ? 22 : chart->panel_count == 2 ? 15 : 12;
    if (chart->equal_scales) {
        double ratio = span(range_of_y(&chart->panels[0], false)) / span(range_of_x(chart));
        double wanted = isfinite(ratio) ? ratio * columns * l->cell_width / l->cell_height : lines;
        lines = fmin(fmax(wanted, least_lines), most_lines);
    }
    return fmax(lines, (double)most + 1);
}

/* Cells come first; a size that is asked for then stretches the picture. */
static layout lay_out(const tn_chart *chart, tn_chart_format format)
{
    bool text = format == TN_CHART_TEXT;
    layout l = { .text = text, .scale = 1, .left = text ? 10 : 13, .bottom = 3.4, .gap = text ? 2.2 : 1,
                 .cell_width = text ? 1 : cell_width, .cell_height = text ? 1 : cell_height };
    double columns = text ? 60 : chart->equal_scales ? 68 : 88;
    l.top = (chart->title ? 2.4 : 0.8) + (text ? 1 : 0);
    l.panel_lines = text ? (chart->panel_count == 1 ? 18 : 11) : wanted_lines(chart, &l, columns);
    l.right = fmax(legend_columns(chart, &l), 3);
    double panels = (double)chart->panel_count;
    double all_columns = l.left + columns + l.right;
    double all_lines = l.top + panels * l.panel_lines + (panels - 1) * l.gap + l.bottom;
    l.width = chart->width > 0 ? chart->width : ceil(all_columns * l.cell_width);
    l.height = chart->height > 0 ? chart->height : ceil(all_lines * l.cell_height);
    if (!text) {
        double fit = fmin(l.width / (all_columns * l.cell_width), l.height / (all_lines * l.cell_height));
        l.scale = fmax(fit, smallest_scale);
        l.cell_width *= l.scale;
        l.cell_height *= l.scale;
    }
    double lines = l.height / l.cell_height;
    l.panel_lines = fmax((lines - l.top - l.bottom - (panels - 1) * l.gap) / panels, 1);
    return l;
}

void tn_chart_size(int *width, int *height, const tn_chart *chart, tn_chart_format format)
{
    layout l = lay_out(chart, format);
    *width = (int)l.width;
    *height = (int)l.height;
}

static void write_terminal(FILE *script, const layout *l, tn_chart_format format)
{
    if (format == TN_CHART_TEXT)
        fprintf(script, "set terminal dumb noenhanced size %.0f,%.0f\n", l->width, l->height);
    else if (format == TN_CHART_SVG)
        fprintf(script, "set terminal svg size %.0f,%.0f font 'sans-serif,%.4g' background 'white'\n", l->width,
                l->height, 1.2 * FONT_SIZE * l->scale);
    else
        fprintf(script, "set terminal pngcairo size %.0f,%.0f font 'sans,%.4g'\n", l->width, l->height,
                FONT_SIZE * l->scale);
}

typedef struct point_writer {
    FILE *script;
    double unit;                       /* power of ten that y is divided by */
} point_writer;

static void write_point(void *user, double x, double y)
{
    const point_writer *w = user;
    if (isfinite(x))
        fprintf(w->script, "%.10g %.10g\n", x, y / w->unit);
    else
        fputs("NaN NaN\n", w->script);
}

/* One block a curve: $c0, $c1 and so on, through all panels. */
static void write_data(FILE *script, const tn_chart *chart, const layout *l)
{
    const double columns_a_pixel = 4;  /* finer than the eye, and than a look at a detail of an SVG */
    range x = range_of_x(chart);
    size_t block = 0;
    for (size_t p = 0; p < chart->panel_count; p++) {
        point_writer writer = { script, pow(10, exponent_of(chart, &chart->panels[p])) };
        for (size_t k = 0; k < chart->panels[p].curve_count; k++) {
            fprintf(script, "$c%zu << END\n", block++);
            tn_curve_thin(&chart->panels[p].curves[k], x.low, x.high, (size_t)(columns_a_pixel * l->width),
                          chart->log_x, write_point, &writer);
            fputs("END\n", script);
        }
    }
}

static void write_range(FILE *script, const char *axis, range r)
{
    fprintf(script, "set %srange [%.17g:%.17g]\n", axis, r.low, r.high);
}

/* Both ranges as wide as the longer needs, a little air around. */
static void write_equal_ranges(FILE *script, const tn_chart *chart, const layout *l)
{
    const double air = 1.06;
    range x = range_of_x(chart), y = range_of_y(&chart->panels[0], false);
    double across = l->width - (l->left + l->right) * l->cell_width, up = l->panel_lines * l->cell_height;
    if (l->text)
        up *= cell_height / cell_width;
    double per_unit = air * fmax(span(x) / across, span(y) / up);
    if (!(per_unit > 0))
        per_unit = fmax(fabs(x.high), 1) / across;
    write_range(script, "x", about_middle(x, per_unit * across));
    write_range(script, "y", about_middle(y, per_unit * up));
}

static void write_x_range(FILE *script, const tn_chart *chart)
{
    range x = range_of_x(chart);
    double least = flat * fmax(fabs(x.low), fabs(x.high));
    if (span(x) <= least && !chart->log_x)
        x = about_middle(x, least > 0 ? least : 1);
    if (span(x) > 0)
        write_range(script, "x", x);
}

static void write_y_range(FILE *script, const tn_chart *chart, const tn_panel *panel)
{
    range y = range_of_y(panel, chart->log_y);
    double least = flat * fmax(fabs(y.low), fabs(y.high));
    if (!chart->log_y && span(y) <= least)
        write_range(script, "y", scaled(about_middle(y, least > 0 ? least : 1), exponent_of(chart, panel)));
    else
        fputs("set yrange [*:*]\n", script);
}

static void write_label(FILE *script, const tn_chart *chart, const tn_panel *panel, const layout *l)
{
    const char *label = label_fits(chart, panel, l) ? panel->label : panel->short_label;
    char *text = axis_text(label, exponent_of(chart, panel), panel->unit);
    fputs("set label 1 ", script);
    tn_gnuplot_quote(script, text);
    if (l->text)
        fputs(" at graph 0, graph 1 left offset 0,1 noenhanced\n", script);
    else
        fprintf(script, " at screen %.6f, graph 0.5 center rotate noenhanced\n", 1.5 * l->cell_width / l->width);
    free(text);
}

static void write_panel(FILE *script, const tn_chart *chart, const layout *l, size_t p, size_t block)
{
    const tn_panel *panel = &chart->panels[p];
    double top = l->top + (double)p * (l->panel_lines + l->gap);
    double high = 1 - top * l->cell_height / l->height, right = 1 - l->right * l->cell_width / l->width;
    fprintf(script, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", high,
            high - l->panel_lines * l->cell_height / l->height);
    fprintf(script, "set key at screen %.6f, graph 1 left top vertical Left reverse noenhanced samplen 3 spacing 1.1\n",
            right + l->cell_width / l->width);
    if (!has_legend(chart, panel, l))
        fputs("unset key\n", script);
    write_label(script, chart, panel, l);
    if (!chart->equal_scales)
        write_y_range(script, chart, panel);
    if (p + 1 == chart->panel_count) {
        fputs(chart->log_x ? "set format x '10^{%T}'\nset label 3 " : "set format x '%h'\nset label 3 ", script);
        tn_gnuplot_quote(script, chart->x);
        fprintf(script, " at graph 0.5, screen %.6f center noenhanced\n", 0.8 * l->cell_height / l->height);
    }
    for (size_t k = 0; k < panel->curve_count; k++) {
        fprintf(script, "%s$c%zu using 1:2 with %s %s %d title ", k > 0 ? ", \\\n     " : "plot ", block + k,
                panel->curves[k].count > 1 ? "lines" : "points", l->text ? "lt" : "ls",
                l->text ? (int)k + 1 : tn_gnuplot_line_style(k));
        tn_gnuplot_quote(script, panel->curves[k].name);
    }
    fputc('\n', script);
}

static void write_script(FILE *script, const tn_chart *chart, const layout *l, tn_chart_format format)
{
    write_terminal(script, l, format);
    tn_gnuplot_style(script, l->scale);
    if (l->text)
        fputs("unset grid\n", script);
    write_data(script, chart, l);
    if (chart->log_x)
        tn_gnuplot_log_axis(script, "x");
    if (chart->log_y)
        tn_gnuplot_log_axis(script, "y");
    fprintf(script, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", l->left * l->cell_width / l->width,
            1 - l->right * l->cell_width / l->width);
    if (chart->equal_scales)
        write_equal_ranges(script, chart, l);
    else
        write_x_range(script, chart);
    fputs("set multiplot\nset format x ''\n", script);
    if (chart->title) {
        fputs("set label 2 ", script);
        tn_gnuplot_quote(script, chart->title);
        fprintf(script, " at screen 0.5, screen %.6f center noenhanced\n", 1 - 1.1 * l->cell_height / l->height);
    }
    for (size_t p = 0, block = 0; p < chart->panel_count; block += chart->panels[p].curve_count, p++) {
        write_panel(script, chart, l, p, block);
        fputs("unset label 2\n", script);
    }
    fputs("unset multiplot\n", script);
}

/* The whole of a file as a text. */
static char *contents(FILE *file, size_t *size)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    char *text = tn_allocate((size_t)end + 1, 1);
    rewind(file);
    *size = fread(text, 1, (size_t)end, file);
    return text;
}

static void write_xml_text(FILE *out, const char *text)
{
    char character[TN_PLAIN_SIZE];
    for (size_t taken; (taken = tn_plain_next(character, text)) > 0; text += taken)
        fputs(character[0] == '&' ? "&amp;" : character[0] == '<' ? "&lt;" : character[0] == '>' ? "&gt;" : character,
              out);
}

/* Gnuplot titles every SVG with its own name: it is to say what is shown. */
static void write_svg(FILE *out, const tn_chart *chart, const char *svg, size_t size)
{
    static const char theirs[] = "<title>Gnuplot</title>";
    const char *title = strstr(svg, theirs);
    if (title) {
        fwrite(svg, 1, (size_t)(title - svg), out);
        fputs("<title>", out);
        write_xml_text(out, chart->description);
        fputs("</title>", out);
        size -= (size_t)(title - svg) + strlen(theirs);
        svg = title + strlen(theirs);
    }
    fwrite(svg, 1, size, out);
}

/* Without the page feed before it and the blanks after its lines. */
static void write_text(FILE *out, const char *text)
{
    text += strspn(text, "\f\n");
    for (size_t length; *text != '\0'; text += length) {
        length = strcspn(text, "\n");
        size_t used = length;
        while (used > 0 && text[used - 1] == ' ')
            used--;
        fprintf(out, "%.*s\n", (int)used, text);
        length += text[length] == '\n';
    }
}

static int write_picture(const tn_chart *chart, tn_chart_format format, const char *path, const char *data, size_t size)
{
    tn_out_file file = { 0 };
    int status = path ? tn_out_open(&file, path) : TN_EXIT_OK;
    if (status != TN_EXIT_OK)
        return status;
    FILE *out = path ? file.stream : stdout;
    if (format == TN_CHART_SVG)
        write_svg(out, chart, data, size);
    else if (format == TN_CHART_TEXT)
        write_text(out, data);
    else
        fwrite(data, 1, size, out);
    return tn_out_finish(&file);
}

static int nothing(const char *what, bool logarithmic)
{
    fprintf(stderr, "tenon: error: nothing to draw: '%s' has no %s values%s\n", what,
            logarithmic ? "positive" : "finite", logarithmic ? ", which a logarithmic axis needs" : "");
    return TN_EXIT_USAGE;
}

/* Every panel has something to show, on both axes. */
static int check_chart(const tn_chart *chart)
{
    range x = range_of_x(chart);
    if (!(x.low <= x.high))
        return nothing(chart->x, chart->log_x);
    for (size_t p = 0; p < chart->panel_count; p++) {
        range y = range_of_y(&chart->panels[p], chart->log_y);
        if (!(y.low <= y.high))
            return nothing(chart->panels[p].curves[0].name, chart->log_y);
    }
    return TN_EXIT_OK;
}

static int draw(const tn_chart *chart, tn_chart_format format, const char *path, FILE *script, FILE *picture)
{
    layout l = lay_out(chart, format);
    write_script(script, chart, &l, format);
    if (ferror(script)) {
        fprintf(stderr, "tenon: error: no room for gnuplot's script: %s\n", strerror(errno));
        return TN_EXIT_FILE;
    }
    if (tn_gnuplot_run(script, NULL, picture) != TN_GNUPLOT_DONE)
        return TN_EXIT_FILE;
    size_t size = 0;
    char *data = contents(picture, &size);
    int status = write_picture(chart, format, path, data, size);
    free(data);
    return status;
}

int tn_chart_draw(const tn_chart *chart, tn_chart_format format, const char *path)
{
    int status = check_chart(chart);
    if (status != TN_EXIT_OK)
        return status;
    FILE *script = tmpfile(), *picture = tmpfile();
    status = TN_EXIT_FILE;
    if (script && picture)
        status = draw(chart, format, path, script, picture);
    else
        fprintf(stderr, "tenon: error: no temporary file for gnuplot: %s\n", strerror(errno));
    if (script)
        fclose(script);
    if (picture)
        fclose(picture);
    return status;
}
