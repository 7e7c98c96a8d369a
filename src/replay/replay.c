/* Replays: performs the entries of a journal or saved run again, and checks the recorded states. */
#include "replay.h"

#include <math.h>
#include <string.h>
#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "live.h"
#include "reread.h"
#include "run_file.h"
#include "session_parts.h"

struct tn_replay {
    tn_context *context;
    char *path;
    tn_run_file file;
    tn_session *session;
    tn_arena *scratch;         /* for the present entry */
    bool complete;
};

/* ---- opening ---- */

static int open_session(tn_replay *r)
{
    tn_model *model = NULL;
    TN_TRY(tn_model_reread(&model, r->context, r->file.origin, r->file.parameters, r->file.parameter_count));
    int code = tn_session_open(&r->session, model, &r->file.solve);
    if (code < 0)
        tn_model_destroy(model);
    else
        r->session->owns_given = true;
    return code;
}

static int open_file(tn_replay *r, const char *path, char *text, size_t size)
{
    r->path = tn_strdup(r->context, path);
    if (!r->path) {
        tn_free(r->context, text);
        return TN_ERROR_MEMORY;
    }
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_run_file_open(&r->file, r->context, r->path, text, size);
    tn_decimal_end(&decimal);
    return code < 0 ? code : open_session(r);
}

int tn_replay_open_text(tn_replay **out, tn_context *context, const char *path, char *text, size_t size)
{
    tn_replay *r = tn_alloc(context, 1, sizeof *r);
    *out = NULL;
    if (!r) {
        tn_free(context, text);
        return TN_ERROR_MEMORY;
    }
    r->context = context;
    r->file.context = context;
    int code = open_file(r, path, text, size);
    if (code < 0)
        tn_replay_close(r);
    else
        *out = r;
    return code;
}

int tn_replay_open(tn_replay **out, tn_context *context, const char *path)
{
    char *text;
    size_t size;
    *out = NULL;
    TN_TRY(tn_file_read(&text, &size, context, path, TN_NOWHERE, NULL, TN_RUN_LIMIT));
    return tn_replay_open_text(out, context, path, text, size);
}

void tn_replay_close(tn_replay *r)
{
    if (!r)
        return;
    tn_session_close(r->session);
    tn_run_file_close(&r->file);
    tn_arena_destroy(r->scratch);
    tn_free(r->context, r->path);
    tn_free(r->context, r);
}

tn_session *tn_replay_session(tn_replay *r)
{
    return r->session;
}

tn_session *tn_replay_take(tn_replay *r)
{
    tn_session *session = r->session;
    r->session = NULL;
    return session;
}

bool tn_replay_complete(const tn_replay *r)
{
    return r->complete;
}

/* ---- entries ---- */

/* An event of the model that stops the run is no error: it stopped the recorded run, too. */
static int accept_stop(int code)
{
    return code == TN_NEWS_STOPPED ? TN_OK : code;
}

static int replay_steps(tn_session *s, const tn_entry *event)
{
    int code = TN_OK;
    for (long k = 0; k < (event->times > 1 ? event->times : 1) && code == TN_OK; k++)
        code = accept_stop(tn_session_advance_entry(s, event));
    if (event->ending != TN_ENDING_FAILED)
        return code;
    return code == TN_ERROR_STEP ? TN_OK : code;       /* the recorded run failed, too */
}

static int restore_entry_snapshot(tn_session *s, const tn_entry *event, tn_span place)
{
    tn_snapshot snapshot = event->snapshot;
    if (snapshot.size != (size_t)s->system->size || snapshot.memory_size != (size_t)s->system->memory)
        return tn_fail(s->context, TN_ERROR_MODEL, place, "this snapshot belongs to another model");
    snapshot.summary.drift_joint.owner = s->model->owner;
    return tn_snapshot_restore(s, &snapshot);
}

static int pull(tn_session *s, const tn_entry *event)
{
    tn_pull pull = event->pull;
    pull.body = tn_model_find(s->model, event->body);
    return tn_session_pull(s, &pull);
}

static int drag(tn_session *s, const tn_entry *event, tn_ack *ack)
{
    tn_drag drag = event->drag;
    tn_drag_result result;
    drag.body = tn_model_find(s->model, event->body);
    TN_TRY(tn_session_drag(&result, s, &drag));
    *ack = (tn_ack){ .time = s->stepper->t, .changed = result.displacement > 0, .energy_change = result.energy_change,
                     .displacement = result.displacement };
    snprintf(ack->text, sizeof ack->text, "%s", result.text);
    return TN_OK;
}

static int perform(tn_replay *r, const tn_entry *event, tn_span place, tn_ack *ack)
{
    tn_session *s = r->session;
    switch (event->kind) {
    case TN_ENTRY_ADVANCE:
    case TN_ENTRY_RUN:
    case TN_ENTRY_STEP:
        return replay_steps(s, event);
    case TN_ENTRY_DO:
        return tn_session_apply_text(s, &event->command, ack);
    case TN_ENTRY_UNDO:
        return tn_session_undo(ack, s, event->restore);
    case TN_ENTRY_REDO:
        return tn_session_redo(ack, s, event->restore);
    case TN_ENTRY_SOLVE:
        return tn_session_set_solve(s, event->solve);
    case TN_ENTRY_PULL:
        return pull(s, event);
    case TN_ENTRY_RELEASE:
        return tn_session_release(s);
    case TN_ENTRY_DRAG:
        return drag(s, event, ack);
    case TN_ENTRY_INPUTS:
        return tn_inputs_replay(s, event, place);
    case TN_ENTRY_SNAPSHOT:
        return restore_entry_snapshot(s, event, place);
    case TN_ENTRY_END:
        r->complete = true;
    }
    return TN_OK;
}

static void fill_replay_entry(tn_replay_entry *entry, const tn_entry *event, const tn_session *s)
{
    static const char *const words[] = {
        [TN_ENTRY_ADVANCE] = "advanced",  [TN_ENTRY_RUN] = "advanced",      [TN_ENTRY_STEP] = "advanced",
        [TN_ENTRY_DO] = "",               [TN_ENTRY_UNDO] = "",             [TN_ENTRY_REDO] = "",
        [TN_ENTRY_SOLVE] = "changed the settings", [TN_ENTRY_PULL] = "pulled", [TN_ENTRY_RELEASE] = "released",
        [TN_ENTRY_DRAG] = "",             [TN_ENTRY_INPUTS] = "set inputs",  [TN_ENTRY_SNAPSHOT] = "moved",
        [TN_ENTRY_END] = "ended",
    };
    entry->edit = event->kind == TN_ENTRY_DO || event->kind == TN_ENTRY_UNDO || event->kind == TN_ENTRY_REDO ||
                  event->kind == TN_ENTRY_DRAG;
    snprintf(entry->text, sizeof entry->text, "%s%.200s", words[event->kind], entry->edit ? entry->ack.text : "");
    if (!entry->edit)
        entry->ack.time = s->stepper->t;
    entry->compared = event->has_hash;
    entry->recorded = event->hash;
    entry->same = !event->has_hash || event->hash == tn_session_hash(s);
}

static int read_event(tn_replay *r, tn_entry *event, tn_span place, const char *line, size_t size)
{
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_entry_read(event, r->scratch, r->context, place, line, size);
    tn_decimal_end(&decimal);
    return code;
}

/* Reads the next entry to perform. A progress mark counts only when it is the last line of the file. */
static int next_event(tn_replay *r, tn_entry *event, tn_span *place)
{
    const char *line;
    size_t size;
    while (!r->complete && tn_run_file_line(&r->file, &line, &size, place)) {
        tn_arena_destroy(r->scratch);
        r->scratch = tn_arena_create(r->context);
        if (!r->scratch)
            return TN_ERROR_MEMORY;
        TN_TRY(read_event(r, event, *place, line, size));
        if (event->ending != TN_ENDING_UNDER_WAY || tn_run_file_is_last(&r->file))
            return TN_OK;
    }
    return TN_NEWS_END;
}

int tn_replay_next(tn_replay_entry *entry, tn_replay *r)
{
    tn_entry event;
    tn_span place;
    *entry = (tn_replay_entry){ .same = true };
    int code = next_event(r, &event, &place);
    if (code != TN_OK)
        return code;
    entry->line = place.line;
    code = perform(r, &event, place, &entry->ack);
    if (code == TN_OK)
        fill_replay_entry(entry, &event, r->session);
    return code;
}
