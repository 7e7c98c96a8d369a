/* A sweep: one model, run many times with other values of its parameters.
 *
 * plan (which values) -> workers (processes that simulate) -> results (a table in a file, one row a run). Runs count
 * from 0 here and from 1 in the table. */
#ifndef TN_CLI_SWEEP_H
#define TN_CLI_SWEEP_H

#include "parameters.h"
#include "progress.h"
#include "ranks.h"
#include "solve_options.h"
#include <sys/types.h>

/* ---- sweep_plan.c ---- */

typedef enum tn_plan_kind { TN_PLAN_GRID, TN_PLAN_LIST, TN_PLAN_RANDOM } tn_plan_kind;

typedef struct tn_axis {
    char name[TN_PARAMETER_NAME];
    char unit[TN_PARAMETER_NAME];      /* of the parameter; "": none */
    double *values;                    /* grid: the steps; list: one a run; random: lower and upper bound */
    size_t count;
    char choices[512];             /* of a variant: "ideal|losses"; "": numbers */
} tn_axis;

typedef struct tn_plan {
    tn_plan_kind kind;
    tn_axis axes[TN_MAX_TEXTS];
    size_t axis_count, runs;
    uint64_t seed;
} tn_plan;

/* Options of the command line; exactly one of grid, list and random must be given. */
typedef struct tn_plan_options {
    const tn_option_value *grid, *list, *random, *samples, *seed;
} tn_plan_options;

/* A mistake is explained on stderr; returns the exit status. Destroy the plan in any case. */
int tn_plan_create(tn_plan *out, tn_context *context, const tn_model *model, const tn_plan_options *options);
void tn_plan_destroy(tn_plan *plan);
/* One value an axis. The same for the same plan and run, whoever asks and in whatever order. */
void tn_plan_values(const tn_plan *plan, size_t run, double *values);
/* An option that counts something; the exit status. */
int tn_whole_number(size_t *out, const char *option, const tn_option_value *value, size_t otherwise, size_t most);

/* ---- sweep_run.c ---- */

typedef enum tn_statistic { TN_FINAL, TN_MAX, TN_MIN, TN_MEAN, TN_RMS, TN_STATISTICS } tn_statistic;

/* A column of results. */
typedef struct tn_sweep_measure {
    char *channel, *unit;
    tn_statistic statistic;
} tn_sweep_measure;

typedef struct tn_sweep {
    const char *path;                  /* the model */
    const tn_option *options;          /* table of the command and what was given */
    const tn_arguments *arguments;
    tn_parameter_choice fixed;
    tn_plan plan;
    tn_sweep_measure *measures;
    size_t measure_count;
    pid_t parent;                      /* a run ends when it is gone */
} tn_sweep;

/* The columns that --measure asks for, or the final values of the model's outputs. The exit status. */
int tn_sweep_choose_measures(tn_sweep *sweep, tn_context *context, tn_model *model, const tn_option_value *measure);
void tn_sweep_forget_measures(tn_sweep *sweep);
/* "run,r [m],status,...": the names of the columns. Owned: free. NULL when out of memory. */
char *tn_sweep_columns(const tn_sweep *sweep);
/* Simulates and returns a row without end of line. Owned: free. NULL when out of memory. */
char *tn_sweep_run(const tn_sweep *sweep, tn_context *context, size_t run);
/* The row of a run that has nothing but a reason why. */
char *tn_sweep_failed_row(const tn_sweep *sweep, size_t run, const char *reason);

/* ---- sweep_results.c ---- */

/* Rows by run. Every new row is appended to a file at once: path, or "path.rankN" when there are several ranks. */
typedef struct tn_results {
    const char *path;
    char *head;                        /* the lines before the rows: definition and columns */
    size_t runs, done, failed, columns;
    size_t status_column;
    char **rows;                       /* NULL: not done yet */
    tn_rank rank;
    char *journal;                     /* its path */
    int file;                          /* -1: not open */
    double synced;                     /* s, on the wall: when the rows were last forced to the disk */
} tn_results;

/* Takes the rows of earlier, unfinished sweeps of the same definition; fresh: forgets them. The exit status. */
int tn_results_open(tn_results *out, const char *path, const char *columns, uint64_t definition, size_t runs,
                    size_t status_column, tn_rank rank, bool fresh);
/* Takes ownership of the row. */
int tn_results_add(tn_results *results, size_t run, char *row);
/* Looks for rows that other ranks have written meanwhile. */
int tn_results_look(tn_results *results);
/* Replaces the file by one with the rows in order, and removes the parts of the ranks. */
int tn_results_finish(tn_results *results);
void tn_results_close(tn_results *results);

/* ---- sweep_workers.c ---- */

/* Does the runs of this rank that are not done yet. TN_EXIT_INTERRUPTED after Ctrl-C. */
int tn_workers_run(tn_sweep *sweep, tn_results *results, size_t jobs, tn_progress *progress);

#endif
