/* Saved runs: the edits so far, each after the snapshot before it, then the present snapshot. Loading performs the
 * entries again without taking a step, and gives the same models, snapshots and undo list. */
#include <math.h>
#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "live.h"
#include "replay.h"
#include "run_file.h"
#include "session_parts.h"

/* Writes the run as a text; the caller owns the text (tn_free). */
static int save_text(char **out, size_t *size, tn_session *s)
{
    tn_text text;
    tn_decimal decimal;
    *out = NULL;
    TN_TRY(tn_inputs_take(s));
    TN_TRY(tn_decimal_begin(&decimal));
    tn_entry end = { .kind = TN_ENTRY_END, .time = s->stepper->t, .has_hash = true, .hash = tn_session_hash(s) };
    tn_text_begin(&text, s->context);
    int code = tn_run_head_write(&text, s);
    if (code == TN_OK)
        code = tn_log_write(&text, s);
    tn_entry_write(&text, &end);
    tn_decimal_end(&decimal);
    *size = text.length;
    int taken = tn_text_take(&text, out);
    if (code == TN_OK)
        return taken;
    tn_free(s->context, *out);
    *out = NULL;
    return code;
}

int tn_session_save(tn_session *s, const char *path)
{
    char *text;
    size_t size;
    TN_TRY(save_text(&text, &size, s));
    int code = tn_file_replace(s->context, path, text, size);
    tn_free(s->context, text);
    return code;
}

/* ---- loading ---- */

/* Loads a run from a text and takes ownership of the text. */
static int load_text(tn_session **out, tn_context *context, const char *path, char *text, size_t size)
{
    tn_replay *replay;
    tn_replay_entry entry = { .same = true };
    TN_TRY(tn_replay_open_text(&replay, context, path, text, size));
    int code = TN_OK;
    while (code == TN_OK && entry.same)
        code = tn_replay_next(&entry, replay);
    if (code == TN_OK)
        code = tn_fail(context, TN_ERROR_MODEL, ((tn_span){ path, entry.line, 1 }),
                       "the state is not the one that was saved: another version of the program, or a file that was "
                       "changed");
    else if (code == TN_NEWS_END && !tn_replay_complete(replay))
        code = tn_fail(context, TN_ERROR_MODEL, ((tn_span){ path, 0, 0 }), "the file is not complete");
    if (code == TN_NEWS_END) {
        *out = tn_replay_take(replay);
        code = TN_OK;
    }
    tn_replay_close(replay);
    return code;
}

int tn_session_load(tn_session **out, tn_context *context, const char *path)
{
    char *text;
    size_t size;
    *out = NULL;
    TN_TRY(tn_file_read(&text, &size, context, path, TN_NOWHERE, NULL, TN_RUN_LIMIT));
    return load_text(out, context, path, text, size);
}

int tn_session_branch(tn_session **out, tn_session *s)
{
    char *text;
    size_t size;
    *out = NULL;
    TN_TRY(save_text(&text, &size, s));
    return load_text(out, s->context, "branch", text, size);
}
