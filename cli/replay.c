/* The command "replay": repeats a run from its journal and compares it with the record. */
#include "edits.h"
#include "interrupt.h"
#include "run_report.h"
#include "table.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { UNTIL, CHECK, OUTPUT, QUIET, OPTION_COUNT };

static const tn_option options[] = {
    [UNTIL] = { "--until", TN_OPTION_TEXT, "N|T", "only N entries, or to a time: 12, '0.5 s'", NULL },
    [CHECK] = { "--check", TN_OPTION_FLAG, NULL, "compare states only; no table", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write to FILE, not to standard output; NAME.h5: HDF5", "-o" },
    [QUIET] = { "--quiet", TN_OPTION_FLAG, NULL, "say nothing unless something is wrong", "-q" },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    tn_replay *replay;
    tn_session *session;           /* of the replay */
    tn_table table;
    long entries;                  /* at most */
    double until;                  /* s */
    long done, compared;
    tn_replay_entry differs;       /* the first; line 0: none */
    size_t edits;                  /* printed */
    cJSON *diagnostics, *edit_list;/* NULL: the answer is text */
    int code;
} job;

static bool given(const job *j, int option)
{
    return j->arguments->options[option].given;
}

/* A whole number counts entries, a quantity is a time. */
static int read_until(job *j)
{
    const char *text = j->arguments->options[UNTIL].text;
    char *end = NULL;
    j->entries = -1;
    j->until = INFINITY;
    if (!text)
        return TN_EXIT_OK;
    j->entries = strtol(text, &end, 10);
    if (end != text && *end == '\0' && j->entries >= 0)
        return TN_EXIT_OK;
    j->entries = -1;
    return tn_diagnostics_flush(j->context, tn_quantity_parse(&j->until, j->context, text, "s"), j->diagnostics);
}

static int after_step(void *user, const tn_session *session)
{
    const job *j = user;
    return tn_session_time(session) >= j->until || tn_interrupted();
}

static int open_replay(job *j)
{
    int status = read_until(j);
    if (status == TN_EXIT_OK)
        status = tn_diagnostics_flush(j->context, tn_replay_open(&j->replay, j->context, j->path), j->diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    j->session = tn_replay_session(j->replay);
    tn_session_on_step(j->session, after_step, j);
    const char *path = j->arguments->options[OUTPUT].text;
    if (path && tn_same_file(path, j->path)) {
        fprintf(stderr, "tenon replay: --output: '%s' is the journal itself\n", path);
        return TN_EXIT_USAGE;
    }
    bool to_stdout = !j->diagnostics && !given(j, CHECK);
    return tn_table_open(&j->table, j->context, j->session, path, to_stdout, j->diagnostics);
}

static void count_entry(job *j, const tn_replay_entry *entry)
{
    j->done++;
    j->compared += entry->compared;
    if (!entry->same && j->differs.line == 0)
        j->differs = *entry;
    if (entry->edit && j->edit_list)
        cJSON_AddItemToArray(j->edit_list, tn_json_ack(&entry->ack));
    else if (entry->edit && !given(j, QUIET))
        tn_edit_print(&entry->ack, j->edits++ == 0, stderr);
}

static int go_through(job *j)
{
    tn_replay_entry entry;
    tn_interrupt_catch();
    j->code = TN_OK;
    while (j->code == TN_OK && (j->entries < 0 || j->done < j->entries)) {
        j->code = tn_replay_next(&entry, j->replay);
        if (j->code == TN_OK)
            count_entry(j, &entry);
    }
    bool arrived = j->code == TN_NEWS_INTERRUPTED && !tn_interrupted();
    return tn_diagnostics_flush(j->context, arrived ? TN_OK : j->code, j->diagnostics);
}

static void print_report(const job *j)
{
    char hash[TN_HASH_TEXT];
    if (j->differs.line > 0)
        fprintf(stderr, "%s:%d: another state than was recorded, at t = %.9g s after: %s\n", j->path, j->differs.line,
                j->differs.ack.time, j->differs.text);
    else if (!given(j, QUIET))
        fprintf(stderr, "same state  %ld hashes compared\n", j->compared);
    if (given(j, QUIET))
        return;
    fprintf(stderr, "replayed    %ld entries, to t = %.9g s%s\n", j->done, tn_session_time(j->session),
            j->code == TN_NEWS_END && !tn_replay_complete(j->replay) ? "; the journal ends there without its end" : "");
    fprintf(stderr, "state hash  %s\n", tn_hash_text(hash, j->session));
}

static void print_json(const job *j, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (j->session) {
        char hash[TN_HASH_TEXT];
        cJSON_AddBoolToObject(document, "same", j->differs.line == 0);
        if (j->differs.line > 0)
            cJSON_AddNumberToObject(document, "differs_at_line", j->differs.line);
        cJSON_AddNumberToObject(document, "entries", (double)j->done);
        cJSON_AddNumberToObject(document, "compared", (double)j->compared);
        cJSON_AddBoolToObject(document, "complete", tn_replay_complete(j->replay));
        cJSON_AddNumberToObject(document, "time", tn_session_time(j->session));
        cJSON_AddStringToObject(document, "hash", tn_hash_text(hash, j->session));
    }
    cJSON_AddItemToObject(document, "edits", j->edit_list);
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

static int run_replay(tn_context *context, const tn_arguments *arguments)
{
    job j = { .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    j.edit_list = arguments->json ? cJSON_CreateArray() : NULL;
    int status = open_replay(&j);
    bool ready = status == TN_EXIT_OK;
    if (ready)
        status = go_through(&j);
    status = tn_table_close(&j.table, context, j.session, status, j.diagnostics);
    if (ready && j.differs.line > 0)
        status = tn_first_failure(status, TN_EXIT_DIFFERENT);
    if (j.diagnostics)
        print_json(&j, status);
    else if (ready)
        print_report(&j);
    tn_replay_close(j.replay);
    return status;
}

const tn_command tn_command_replay = {
    .name = "replay",
    .summary = "Repeat a run from its journal and compare it with what is recorded there.",
    .details = "The journal is all that is needed: it holds the model. The outputs are written as 'tenon run' does.\n"
               "The exit status is 1 when a state is not, to the bit, the one that was recorded.",
    .operands = "JOURNAL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_replay,
};
