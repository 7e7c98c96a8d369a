/* Gnuplot, called as a program: how it is started, and the house style of everything it draws. */
#ifndef TN_CLI_GNUPLOT_H
#define TN_CLI_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum tn_gnuplot_end { TN_GNUPLOT_DONE, TN_GNUPLOT_MISSING, TN_GNUPLOT_FAILED } tn_gnuplot_end;

/* Has gnuplot carry out a script, from its beginning, in a folder (NULL: the working folder). What it draws on
 * standard output goes to out; NULL: to ours. Settings of the user do not count. Anything but TN_GNUPLOT_DONE is
 * explained on stderr, a failure in gnuplot's own words. */
tn_gnuplot_end tn_gnuplot_run(FILE *script, const char *folder, FILE *out);

/* House style: encoding, axes, grid, and line styles 1, 2, ... that differ in colour for all kinds of eyes and in
 * dashes for grey paper. scale makes lines heavier, for large pictures. */
void tn_gnuplot_style(FILE *script, double scale);
/* The line style of a series, counted from 0: they repeat after a while. */
int tn_gnuplot_line_style(size_t series);
/* A text in quotes, to be taken as it stands (see plain_text.h). */
void tn_gnuplot_quote(FILE *script, const char *text);
/* Decade labels for an axis ("x", "y") with a logarithmic scale. */
void tn_gnuplot_log_axis(FILE *script, const char *axis);

#endif
