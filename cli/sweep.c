/* The command "sweep": runs a model with many values of its parameters. */
#include "interrupt.h"
#include "out_file.h"
#include "sweep.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GRID, LIST, RANDOM, SAMPLES, SEED, PARAMETER, MEASURE, OUTPUT, RESTART, JOBS, UNTIL, STEP, TOLERANCE, RECORD,
       INTEGRATOR, SOLVER, SCHEME, SET, QUIET, NO_PROGRESS, OPTION_COUNT };

static const tn_option options[] = {
    [GRID] = { "--grid", TN_OPTION_TEXTS, "NAME=VALUES",
               "all combinations of values: 'r=100 mm:500 mm:5' or r=0.1,0.2", NULL },
    [LIST] = { "--list", TN_OPTION_TEXT, "FILE", "values from a CSV table, one row a run", NULL },
    [RANDOM] = { "--random", TN_OPTION_TEXTS, "NAME=LOW:HIGH", "random values between two bounds", NULL },
    [SAMPLES] = { "--samples", TN_OPTION_POSITIVE, "N", "number of random samples", NULL },
    [SEED] = { "--seed", TN_OPTION_NOT_NEGATIVE, "N", "another sample for another number; default 1", NULL },
    [PARAMETER] = TN_OPTION_PARAMETER,
    [MEASURE] = { "--measure", TN_OPTION_TEXTS, "CHANNEL[:HOW]",
                  "a column of results; final, max, min, mean or rms; may be repeated", "-m" },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "the table; default: name of the model with .sweep.csv", "-o" },
    [RESTART] = { "--restart", TN_OPTION_FLAG, NULL, "start all over, even if FILE has finished runs", NULL },
    [JOBS] = { "--jobs", TN_OPTION_POSITIVE, "N", "runs at the same time; default: one a core", "-j" },
    [UNTIL] = { "--until", TN_OPTION_POSITIVE, "T", "end of each run, s", NULL },
    [STEP] = TN_OPTION_STEP,
    [TOLERANCE] = TN_OPTION_TOLERANCE,
    [RECORD] = TN_OPTION_RECORD,
    [INTEGRATOR] = TN_OPTION_INTEGRATOR,
    [SOLVER] = TN_OPTION_SOLVER,
    [SCHEME] = TN_OPTION_SCHEME,
    [SET] = TN_OPTION_SET,
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" },
    [NO_PROGRESS] = { "--no-progress", TN_OPTION_FLAG, NULL, "no progress bar", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
_Static_assert(sizeof options / sizeof options[0] <= TN_MAX_OPTIONS + 1, "TN_MAX_OPTIONS is too small");

enum { PATH_SIZE = 4096, JOBS_MAX = 1024 };

static const struct timespec wait_interval = { .tv_nsec = 200000000 };     /* between looks at other ranks' files */
enum { LOOKS_BEFORE_WORD = 50 };           /* after ten seconds say what is being waited for */

typedef struct job {
    tn_context *context;
    const tn_option_value *given;
    tn_sweep sweep;
    tn_results results;
    tn_rank rank;
    size_t jobs, found;                    /* found: runs that were done before */
    char path[PATH_SIZE];
    bool talks, json;                      /* only one of several ranks talks */
} job;

/* ---- set-up ---- */

static int refuse(const char *why)
{
    fprintf(stderr, "tenon sweep: %s\n", why);
    return TN_EXIT_USAGE;
}

/* --output, or the model's file name with .sweep.csv in the working folder. */
static int choose_path(job *j)
{
    const char *model = j->sweep.path, *name = tn_file_name(model), *dot = strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    int needed = j->given[OUTPUT].given ? snprintf(j->path, sizeof j->path, "%s", j->given[OUTPUT].text)
                                        : snprintf(j->path, sizeof j->path, "%.*s.sweep.csv", length, name);
    if (needed < 0 || (size_t)needed >= sizeof j->path)
        return refuse("--output: the path is too long");
    if (tn_out_check("sweep", "--output", j->path, model, NULL) != TN_EXIT_OK)
        return TN_EXIT_USAGE;
    if (j->given[LIST].given && tn_same_file(j->path, j->given[LIST].text))
        return refuse("--output: this is the list itself");
    if (j->given[RESTART].given && j->rank.size > 1)
        return refuse("--restart: with several ranks, remove the table and its .rank files instead");
    return TN_EXIT_OK;
}

/* One a core; ranks have been spread over the cores already. */
static int choose_jobs(job *j)
{
    long cores = j->rank.size > 1 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    return tn_whole_number(&j->jobs, "--jobs", &j->given[JOBS], cores > 0 ? (size_t)cores : 1, JOBS_MAX);
}

static int choose_plan(job *j)
{
    tn_model *model = NULL;
    tn_sweep *s = &j->sweep;
    const tn_option_value *g = j->given;
    const tn_plan_options plan = { &g[GRID], &g[LIST], &g[RANDOM], &g[SAMPLES], &g[SEED] };
    int status = tn_parameters_read(&model, &s->fixed, j->context, s->path, "sweep", &g[PARAMETER], NULL);
    if (status == TN_EXIT_OK)
        status = tn_out_check("sweep", "--output", j->path, NULL, model);
    if (status == TN_EXIT_OK)
        status = tn_plan_create(&s->plan, j->context, model, &plan);
    if (status == TN_EXIT_OK)
        status = tn_sweep_choose_measures(s, j->context, model, &g[MEASURE]);
    tn_model_destroy(model);
    return status;
}

/* FNV-1a. */
static void hash_bytes(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static int hash_file(uint64_t *hash, const char *path)
{
    unsigned char buffer[4096];
    FILE *in = fopen(path, "rb");
    if (!in) {
        fprintf(stderr, "tenon sweep: cannot read '%s'\n", path);
        return TN_EXIT_FILE;
    }
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
        hash_bytes(hash, buffer, got);
    fclose(in);
    return TN_EXIT_OK;
}

static void hash_option(uint64_t *hash, const tn_option_value *value)
{
    for (size_t i = 0; i < value->text_count; i++)
        hash_bytes(hash, value->texts[i], strlen(value->texts[i]) + 1);
    if (value->text)
        hash_bytes(hash, value->text, strlen(value->text) + 1);
    hash_bytes(hash, &value->number, sizeof value->number);
}

/* Everything that the rows depend on: model, values, columns, how to solve, and the version of the program. */
static int define(const job *j, uint64_t *hash, const char *columns)
{
    static const int solving[] = { PARAMETER, UNTIL, STEP, TOLERANCE, RECORD, INTEGRATOR, SOLVER, SCHEME, SET };
    const tn_plan *plan = &j->sweep.plan;
    *hash = UINT64_C(0xcbf29ce484222325);
    hash_bytes(hash, tn_version(), strlen(tn_version()));
    hash_bytes(hash, columns, strlen(columns));
    for (size_t i = 0; i < sizeof solving / sizeof solving[0]; i++)
        hash_option(hash, &j->given[solving[i]]);
    for (size_t run = 0; run < plan->runs; run++) {
        double values[TN_MAX_TEXTS];
        tn_plan_values(plan, run, values);
        hash_bytes(hash, values, plan->axis_count * sizeof values[0]);
    }
    return hash_file(hash, j->sweep.path);
}

static int open_results(job *j)
{
    uint64_t definition;
    char *columns = tn_sweep_columns(&j->sweep);
    if (!columns)
        return tn_out_of_memory();
    int status = define(j, &definition, columns);
    if (status == TN_EXIT_OK)
        status = tn_results_open(&j->results, j->path, columns, definition, j->sweep.plan.runs,
                                 j->sweep.plan.axis_count + 1, j->rank, j->given[RESTART].given);
    free(columns);
    j->found = j->results.done;
    return status;
}

static int prepare(job *j)
{
    int status = choose_path(j);
    if (status == TN_EXIT_OK)
        status = choose_jobs(j);
    if (status == TN_EXIT_OK)
        status = choose_plan(j);
    return status == TN_EXIT_OK ? open_results(j) : status;
}

/* ---- the sweep ---- */

/* Other ranks, perhaps on other machines, show what they have done in their files. */
static int wait_for_ranks(job *j, tn_progress *progress)
{
    int status = TN_EXIT_OK;
    for (int looks = 1; status == TN_EXIT_OK && j->results.done < j->results.runs; looks++) {
        if (tn_interrupted())
            return TN_EXIT_INTERRUPTED;
        if (looks == LOOKS_BEFORE_WORD && j->talks)
            fprintf(stderr, "tenon sweep: waiting for other ranks; %zu runs are left\n",
                    j->results.runs - j->results.done);
        nanosleep(&wait_interval, NULL);
        status = tn_results_look(&j->results);
        tn_progress_update(progress, (double)j->results.done);
    }
    return status;
}

static int simulate(job *j)
{
    bool shown = j->talks && !j->given[NO_PROGRESS].given && isatty(STDERR_FILENO);
    tn_results *r = &j->results;
    tn_progress progress = tn_progress_start_runs(shown, (double)r->done, (double)r->runs);
    int status = r->done < r->runs ? tn_workers_run(&j->sweep, r, j->jobs, &progress) : TN_EXIT_OK;
    if (status == TN_EXIT_OK && j->rank.rank == 0)
        status = wait_for_ranks(j, &progress);
    tn_progress_end(&progress);
    /* Ranks that were interrupted leave their parts to the next attempt. */
    bool finish = j->rank.size == 1 ? r->done > 0 : j->rank.rank == 0 && status == TN_EXIT_OK;
    int finished = finish ? tn_results_finish(r) : TN_EXIT_OK;
    return status == TN_EXIT_OK ? finished : status;
}

static void report(const job *j, int status)
{
    const tn_results *r = &j->results;
    if (status == TN_EXIT_INTERRUPTED)
        fprintf(stderr, "tenon sweep: interrupted; %zu of %zu runs are done and kept in '%s'.\n"
                "The same command goes on from there.\n", r->done, r->runs, j->path);
    if (!j->talks || status != TN_EXIT_OK)
        return;
    fprintf(stderr, "%zu runs, %zu failed", r->runs, r->failed);
    if (j->found > 0)
        fprintf(stderr, ", %zu of them done before", j->found);
    fprintf(stderr, "; results in '%s'\n", j->path);
}

static void print_json(const job *j, int status)
{
    const tn_results *r = &j->results;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->sweep.path);
    cJSON_AddStringToObject(document, "table", j->path);
    cJSON_AddNumberToObject(document, "runs", (double)r->runs);
    cJSON_AddNumberToObject(document, "done", (double)r->done);
    cJSON_AddNumberToObject(document, "failed", (double)r->failed);
    cJSON_AddNumberToObject(document, "done_before", (double)j->found);
    cJSON_AddStringToObject(document, "end", status == TN_EXIT_OK            ? "complete"
                                             : status == TN_EXIT_INTERRUPTED ? "interrupted"
                                                                             : "failed");
    tn_json_print(document);
}

static int run_sweep(tn_context *context, const tn_arguments *arguments)
{
    job j = { .context = context, .given = arguments->options, .rank = tn_rank_of_environment() };
    j.sweep = (tn_sweep){ .path = arguments->operands[0], .options = options, .arguments = arguments };
    j.results.file = -1;
    j.json = arguments->json && j.rank.rank == 0;
    j.talks = !arguments->json && !j.given[QUIET].given && j.rank.rank == 0;
    int status = prepare(&j);
    if (status == TN_EXIT_OK) {
        status = simulate(&j);
        report(&j, status);
    }
    if (j.json)
        print_json(&j, status);
    tn_results_close(&j.results);
    tn_plan_destroy(&j.sweep.plan);
    tn_sweep_forget_measures(&j.sweep);
    return status;
}

const tn_command tn_command_sweep = {
    .name = "sweep",
    .ranks = TN_RANKS_APART,
    .summary = "Run a model with many values of its parameters, on all cores, into one table.",
    .details = "A run that fails is a row with the reason. After an interruption the same command goes on: runs that\n"
               "are in the table are not done again. Under mpirun the ranks share the runs; their files must be on a\n"
               "file system that all of them see.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_sweep,
};
