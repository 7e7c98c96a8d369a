#include "figure.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };
enum { NOT_THERE = 127 };              /* exit status of a program that was not found, as in shells */

/* Lines in this order; a series of marks takes the colour of the line before it. */
static const char *const colours[] = { "#1f5a8c", "#c4532d", "#2f7d4f", "#7a4b94", "#8a6d1f", "#555555" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

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
    fprintf(out, "set title \"%s\"\nset xlabel \"%s\" offset 0,0.5\nset ylabel \"%s\"\n", figure->title, figure->x,
            figure->y);
    fputs("set key below noenhanced\nset grid lt 1 lc rgb '#dddddd'\n", out);
    if (figure->y_max > 0)
        fprintf(out, "set yrange [:%g]\n", figure->y_max);
    if (figure->log_x)
        fputs("set logscale x\nset format x '%g'\n", out);
    if (figure->log_y)
        fputs("set logscale y\nset format y '10^{%T}'\n", out);
}

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
        const char *colour = colours[lines > 0 ? (lines - 1) % COLOURS : COLOURS - 1];
        fprintf(out, "%s'%s.dat' index %zu with %s lc rgb '%s' title '%s'", k > 0 ? ", \\\n     " : "plot ",
                figure->name, k, s->marks ? "points pt 6 ps 1.4" : "lines lw 1.6", colour, s->name);
    }
    fputc('\n', out);
    return tn_file_close(out, path) == TN_EXIT_OK ? TN_OK : TN_ERROR_FILE;
}

/* Exit status of gnuplot. */
static int run_gnuplot(const char *folder, const tn_figure *figure)
{
    char script[PATH_SIZE];
    snprintf(script, sizeof script, "%s.gp", figure->name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(NOT_THERE);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return NOT_THERE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
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
    if (write_data(folder, figure) < 0 || write_script(folder, figure) < 0)
        return TN_ERROR_FILE;
    int status = run_gnuplot(folder, figure);
    if (status == 0)
        fprintf(stderr, "tenon: drew %s/%s.png\n", folder, figure->name);
    else if (status == NOT_THERE)
        fprintf(stderr, "tenon: gnuplot is not installed; in '%s', 'gnuplot %s.gp' draws the figure\n", folder,
                figure->name);
    else
        fprintf(stderr, "tenon: gnuplot could not draw %s/%s.gp\n", folder, figure->name);
    return TN_OK;
}

bool tn_figures_wanted(const tn_findings *findings)
{
    return tn_findings_folder(findings) != NULL;
}
