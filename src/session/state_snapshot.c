/* Snapshots for programs: the complete state of a run in memory, or as a text. */
#include <math.h>
#include <string.h>
#include "decimal.h"
#include "diag.h"
#include "log.h"
#include "session_parts.h"
#include "tenon/inputs.h"

struct tn_state_snapshot {
    tn_context *context;
    tn_arena *arena;               /* of a snapshot that was read; NULL: the snapshot owns its arrays */
    tn_snapshot state;
};

static int create_snapshot(tn_state_snapshot **out, tn_context *context)
{
    *out = tn_alloc(context, 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    (*out)->context = context;
    return TN_OK;
}

int tn_session_take_snapshot(tn_state_snapshot **out, tn_session *s)
{
    *out = NULL;
    TN_TRY(tn_inputs_take(s));
    TN_TRY(create_snapshot(out, s->context));
    int code = tn_snapshot_take(&(*out)->state, s);
    if (code < 0) {
        tn_free(s->context, *out);
        *out = NULL;
    }
    return code;
}

void tn_state_snapshot_destroy(tn_state_snapshot *snapshot)
{
    if (!snapshot)
        return;
    if (snapshot->arena)
        tn_arena_destroy(snapshot->arena);
    else
        tn_snapshot_free(&snapshot->state, snapshot->context);
    tn_free(snapshot->context, snapshot);
}

double tn_state_snapshot_time(const tn_state_snapshot *snapshot)
{
    return snapshot->state.t;
}

/* Do the events and contacts of a snapshot have the names that the session has now? */
static bool same_names(const tn_session *s, const tn_snapshot *m)
{
    bool same = m->events.count == s->events->count;
    for (size_t k = 0; k < m->events.count && same; k++)
        same = strcmp(m->events.watches[k].name, s->events->watches[k].name) == 0;
    return same;
}

int tn_session_restore(tn_session *s, const tn_state_snapshot *snapshot)
{
    tn_snapshot state = snapshot->state;
    const tn_system *sys = s->system;
    if (state.size != (size_t)sys->size || state.memory_size != (size_t)sys->memory || !same_names(s, &state))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the snapshot belongs to another model");
    state.summary.drift_joint.owner = s->model->owner;
    TN_TRY(tn_log_flush(s));
    s->inputs_changed = false;
    TN_TRY(tn_snapshot_restore(s, &state));
    return tn_log_moved(s);
}

int tn_state_snapshot_write(char **out, const tn_state_snapshot *snapshot)
{
    tn_text text;
    tn_decimal decimal;
    *out = NULL;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_text_begin(&text, snapshot->context);
    tn_entry_write(&text, &(tn_entry){ .kind = TN_ENTRY_SNAPSHOT, .snapshot = snapshot->state, .time = NAN });
    tn_decimal_end(&decimal);
    return tn_text_take(&text, out);
}

static int read_snapshot(tn_state_snapshot *m, const char *text, size_t size)
{
    tn_entry entry;
    tn_decimal decimal;
    const tn_span place = { "snapshot", 1, 1 };
    m->arena = tn_arena_create(m->context);
    if (!m->arena)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_entry_read(&entry, m->arena, m->context, place, text, size);
    tn_decimal_end(&decimal);
    if (code == TN_OK && entry.kind != TN_ENTRY_SNAPSHOT)
        code = tn_fail(m->context, TN_ERROR_MODEL, place, "the text is not a snapshot");
    m->state = entry.snapshot;
    return code;
}

int tn_state_snapshot_read(tn_state_snapshot **out, tn_context *context, const char *text, size_t size)
{
    tn_state_snapshot *m;
    *out = NULL;
    TN_TRY(create_snapshot(&m, context));
    int code = read_snapshot(m, text, size);
    if (code == TN_OK)
        *out = m;
    else
        tn_state_snapshot_destroy(m);
    return code;
}
