/* Writes the figures of published results: data, and a script for gnuplot. */
#include "figure.h"
#include "gnuplot.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

static FILE *open_file(char path[PATH_SIZE], const char *folder, const tn_figure *figure, const char *ending)
{
    snprintf(path, PATH_SIZE, "%s/%s%s", folder, figure->name, ending);
    FILE *file = fopen(path, "w");
    if (!file)
        tn_file_failed(path);
    return file;
}

/* One block a series, two blank lines between blocks: gnuplot's indices. */
static int write_data(const char *folder, const tn_figure *figure)
{
    char path[PATH_SIZE];
    FILE *out = open_file(path, folder, figure, ".dat");
    if (!out)
        return TN_ERROR_FILE;
    for (size_t k = 0; k < figure->series_count; k++) {
        const tn_series *s = &figure->series[k];
        fprintf(out, "%s# %s\n", k > 0 ? "\n\n" : "", s->name);
        size_t stride = s->stride > 0 ? s->stride : 1;
        for (size_t i = 0; i < s->count * stride; i += stride)
            if (isfinite(s->x[i]) && isfinite(s->y[i]))
                fprintf(out, "%.15e %.15e\n", s->x[i], s->y[i]);
    }
    return tn_file_close(out, path) == TN_EXIT_OK ? TN_OK : TN_ERROR_FILE;
}

static void write_axes(const tn_figure *figure, FILE *out)
{
    fprintf(out, "set terminal pngcairo size 680,440 font 'sans,11'\nset output '%s.png'\n", figure->name);
    fprintf(out, "set title \"%s\"\nset xlabel \"%s\" offset 0,0.4\nset ylabel \"%s\"\n", figure->title, figure->x,
            figure->y);
    tn_gnuplot_style(out, 1);
    fputs("set key below noenhanced\n", out);
    if (figure->square)
        fputs("set size ratio -1\n", out);
    if (figure->downwards)
        fputs("set yrange [:] reverse\n", out);
    if (figure->y_max > 0)
        fprintf(out, "set yrange [:%g]\n", figure->y_max);
    if (figure->log_x)
        fputs("set logscale x\nset format x '%g'\n", out);
    if (figure->log_y)
        tn_gnuplot_log_axis(out, "y");
}

/* A series of marks takes the colour of the line before it. */
static int write_script(const char *folder, const tn_figure *figure)
{
    char path[PATH_SIZE];
    FILE *out = open_file(path, folder, figure, ".gp");
    if (!out)
        return TN_ERROR_FILE;
    write_axes(figure, out);
    size_t lines = 0;
    for (size_t k = 0; k < figure->series_count; k++) {
        const tn_series *s = &figure->series[k];
        lines += !s->marks;
        fprintf(out, "%s'%s.dat' index %zu with %s ls %d%s title ", k > 0 ? ", \\\n     " : "plot ", figure->name, k,
                s->marks || s->dots ? "points" : "lines", tn_gnuplot_line_style(lines > 0 ? lines - 1 : 0),
                s->marks ? " pt 6 ps 1.4" : s->dots ? " pt 5 ps 0.35" : "");
        tn_gnuplot_quote(out, s->name);
    }
    fputc('\n', out);
    return tn_file_close(out, path) == TN_EXIT_OK ? TN_OK : TN_ERROR_FILE;
}

static tn_gnuplot_end run_script(const char *folder, const tn_figure *figure)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.gp", folder, figure->name);
    FILE *script = fopen(path, "r");
    if (!script)
        return TN_GNUPLOT_FAILED;
    tn_gnuplot_end end = tn_gnuplot_run(script, folder, NULL);
    fclose(script);
    return end;
}

/* Adds the figure to the page of all figures. A figure of that name is on the page already when a run is repeated. */
static int write_caption(const char *folder, const tn_figure *figure)
{
    char path[PATH_SIZE], line[512], heading[160];
    bool there = false;
    snprintf(path, sizeof path, "%s/figures.md", folder);
    snprintf(heading, sizeof heading, "## %s\n", figure->name);
    FILE *page = fopen(path, "a+");
    if (!page) {
        tn_file_failed(path);
        return TN_ERROR_FILE;
    }
    rewind(page);
    while (fgets(line, sizeof line, page))
        there = there || strcmp(line, heading) == 0;
    fseek(page, 0, SEEK_END);                          /* between reading and writing */
    if (!there) {
        fprintf(page, "%s\n![%s](%s.png)\n\n", heading, figure->title, figure->name);
        fprintf(page, "%s.%s%s\n\n", figure->title, figure->published ? "\n\nPublished: " : " Not a figure of the publication.",
                figure->published ? figure->published : "");
    }
    return tn_file_close(page, path) == TN_EXIT_OK ? TN_OK : TN_ERROR_FILE;
}

int tn_figure_draw(tn_findings *findings, const tn_figure *figure)
{
    const char *folder = tn_findings_folder(findings);
    if (!folder)
        return TN_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        tn_file_failed(folder);
        return TN_ERROR_FILE;
    }
    if (write_data(folder, figure) < 0 || write_script(folder, figure) < 0 || write_caption(folder, figure) < 0)
        return TN_ERROR_FILE;
    if (run_script(folder, figure) == TN_GNUPLOT_DONE)
        fprintf(stderr, "tenon: drew %s/%s.png\n", folder, figure->name);
    else
        fprintf(stderr, "tenon: in '%s', 'gnuplot %s.gp' draws the figure\n", folder, figure->name);
    return TN_OK;
}

bool tn_figures_wanted(const tn_findings *findings)
{
    return tn_findings_folder(findings) != NULL;
}
