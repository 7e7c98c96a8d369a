/* A run as a command: a session that is opened, recorded and reported. Commands differ in how they open it and in what
 * they say about it. Options are known by their names; a command offers those that stand in its table:
 * --output, --place, --script, --journal, --save, --state, --hash, --quiet, --no-progress, --parameter, and those of
 * solve_options.h. */
#ifndef TN_CLI_RUN_JOB_H
#define TN_CLI_RUN_JOB_H

#include "edits.h"
#include "progress.h"
#include "ranks.h"
#include "table.h"

#define TN_OPTION_OUTPUT { "--output", TN_OPTION_TEXT, "FILE", \
                           "write to FILE, not to standard output; NAME.h5: HDF5", "-o" }
#define TN_OPTION_UNTIL { "--until", TN_OPTION_POSITIVE, "T", "end of the run, s", NULL }
#define TN_OPTION_STATE { "--state", TN_OPTION_TEXT, "FILE", "write the state at the end of the run to FILE", NULL }
#define TN_OPTION_QUIET { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" }
#define TN_OPTION_NO_PROGRESS { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar", NULL }

enum { TN_STATE_PATH = 4096 };

typedef struct tn_run_kind tn_run_kind;

typedef struct tn_run_job {
    const tn_run_kind *kind;
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    tn_model *model;               /* as it was read; NULL: the run was loaded */
    tn_session *session;
    tn_ranks *ranks;               /* NULL: this process alone */
    double until;                  /* s */
    tn_edits edits;
    tn_table table;
    tn_progress progress;
    cJSON *diagnostics;            /* NULL: the answer is text */
    char state_path[TN_STATE_PATH];/* where the state was saved; "": nowhere */
    int code;                      /* how the run ended */
} tn_run_job;

struct tn_run_kind {
    const char *command;
    const tn_option *options;
    int (*open)(tn_session **out, tn_model *model, const tn_solve *solve);
    bool loads;                    /* NAME.tenon in place of a model is a saved run, which goes on */
    bool saves_failed;             /* the last good state is saved when a step fails */
    bool shared;                   /* the processes that mpirun has started share the work */
    void (*print)(const tn_run_job *job, FILE *out);               /* the summary */
    void (*add)(cJSON *document, const tn_run_job *job);           /* the same in JSON */
};

/* Whether an option was given; false where the command has none of that name. */
bool tn_run_given(const tn_run_job *job, const char *option);
int tn_run_job_do(tn_context *context, const tn_arguments *arguments, const tn_run_kind *kind);

#endif
