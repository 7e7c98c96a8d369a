/* The log of a session: its edits, each with the snapshot before it. */
#include "log.h"
#include <math.h>
#include <string.h>
#include "spill.h"

tn_log *tn_log_of(tn_session *s)
{
    if (!s->log)
        s->log = tn_alloc(s->context, 1, sizeof *s->log);
    return s->log;
}

void tn_logged_free(tn_session *s, tn_logged *logged)
{
    tn_free(s->context, (char *)(uintptr_t)logged->event.command.text);
    tn_free(s->context, (char *)(uintptr_t)logged->event.command.from);
    tn_free(s->context, (char *)(uintptr_t)logged->event.body);
    tn_snapshot_free(&logged->before, s->context);
    *logged = (tn_logged){ 0 };
}

void tn_log_free(tn_session *s)
{
    tn_log *log = s->log;
    if (!log)
        return;
    tn_journal_close(s);
    tn_rewind_close(s);
    tn_spill_close(s);
    for (size_t k = 0; k < log->count; k++)
        tn_logged_free(s, &log->edits[k]);
    tn_free(s->context, log->edits);
    tn_free(s->context, log);
    s->log = NULL;
}

static int own_text(tn_session *s, const char **text)
{
    if (*text && !(*text = tn_arena_strdup(s->arena, *text)))
        return TN_ERROR_MEMORY;
    return TN_OK;
}

static int own_name(tn_session *s, const char **out, const char *name)
{
    *out = name ? tn_strdup(s->context, name) : NULL;
    return name && !*out ? TN_ERROR_MEMORY : TN_OK;
}

static int own_command(tn_session *s, tn_command_text *out, const tn_command_text *command)
{
    *out = (tn_command_text){ 0 };
    if (!command->text)
        return TN_OK;
    char *own = tn_alloc(s->context, command->size + 1, 1);
    if (!own)
        return TN_ERROR_MEMORY;
    memcpy(own, command->text, command->size);
    *out = (tn_command_text){ own, command->size, { "command", 1, 1 }, command->by_event, NULL };
    return own_name(s, &out->from, command->from);
}

/* Replaces settings by a copy in the session's arena. Equal settings share a copy, which stays until the session closes:
 * the rewind buffer leads to it. */
static int own_solve(tn_session *s, const tn_solve **settings)
{
    tn_log_solve *known = s->log->solves;
    while (*settings && known && !tn_solve_same(&known->solve, *settings))
        known = known->before;
    if (known && *settings)
        *settings = &known->solve;
    tn_log_solve *new = *settings && !known ? tn_arena_alloc(s->arena, 1, sizeof *new) : NULL;
    if (!*settings || known)
        return TN_OK;
    if (!new)
        return TN_ERROR_MEMORY;
    tn_solve *solve = &new->solve;
    *solve = **settings;
    *settings = solve;
    TN_TRY(own_text(s, &solve->scheme));
    TN_TRY(own_text(s, &solve->integrator));
    TN_TRY(own_text(s, &solve->solver));
    for (size_t k = 0; k < solve->setting_count; k++) {
        TN_TRY(own_text(s, &solve->settings[k].name));
        TN_TRY(own_text(s, &solve->settings[k].joint));
    }
    new->before = s->log->solves;
    s->log->solves = new;
    return TN_OK;
}

int tn_log_prepare(tn_session *s, const tn_entry *event)
{
    tn_log *log = tn_log_of(s);
    if (!log)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_inputs_take(s));
    if (!s->events->firing)
        TN_TRY(tn_log_flush(s));
    TN_TRY(tn_grow(s->context, &log->edits, &log->capacity, log->count + 1, sizeof *log->edits));
    tn_logged *next = &log->edits[log->count];
    *next = (tn_logged){ .event = *event };
    next->event.body = NULL;
    if (event->kind == TN_ENTRY_SOLVE)
        next->solve_before = &s->solve;
    int code = own_command(s, &next->event.command, &event->command);
    if (code == TN_OK)
        code = own_name(s, &next->event.body, event->body);
    if (code == TN_OK)
        code = own_solve(s, &next->event.solve);
    if (code == TN_OK)
        code = own_solve(s, &next->solve_before);
    if (code == TN_OK)
        code = tn_snapshot_take(&next->before, s);
    if (code < 0)
        tn_logged_free(s, next);
    return code;
}

void tn_log_complete(tn_session *s, char *text)
{
    tn_command_text *command = &s->log->edits[s->log->count].event.command;
    if (!text)
        return;
    tn_free(s->context, (char *)(uintptr_t)command->text);
    command->text = text;
    command->size = strlen(text);
}

int tn_log_note(tn_session *s, int result, bool changed)
{
    tn_logged *edit = &s->log->edits[s->log->count];
    if (result < 0)
        return result;
    edit->event.time = s->stepper->t;
    edit->event.hash = tn_session_hash(s);
    edit->event.has_hash = true;
    int written = s->events->firing ? TN_OK : tn_journal_note(s, &edit->event);     /* replaying the step repeats it */
    if (written < 0 && changed)
        return TN_LOG_TAKE_BACK;
    return written < 0 ? written : result;
}

void tn_log_keep(tn_session *s, int noted, bool changed)
{
    tn_log *log = s->log;
    tn_logged *edit = &log->edits[log->count];
    if (noted < 0 || !changed) {
        tn_logged_free(s, edit);
        return;
    }
    if (log->rewind)
        tn_rewind_edited(s, edit);
    log->count++;
    tn_spill_keep_budget(s);
}

int tn_log_commit(tn_session *s, int result, bool changed)
{
    int noted = tn_log_note(s, result, changed);
    if (noted != TN_LOG_TAKE_BACK)
        tn_log_keep(s, noted, changed);
    return noted;
}

int tn_log_drop(tn_session *s)
{
    tn_logged_free(s, &s->log->edits[s->log->count]);
    return TN_ERROR_FILE;
}

int tn_log_commit_state(tn_session *s, int result)
{
    int code = tn_log_commit(s, result, true);
    if (code != TN_LOG_TAKE_BACK)
        return code;
    code = tn_snapshot_restore(s, &s->log->edits[s->log->count].before);
    tn_log_drop(s);
    return code < 0 ? code : TN_ERROR_FILE;
}

void tn_log_stepped(tn_session *s, double t_end)
{
    if (s->log && s->log->rewind && !s->silent)
        tn_rewind_stepped(s, t_end);
}

int tn_log_under_way(tn_session *s, const tn_entry *advance, long taken)
{
    if (!s->log || s->silent)
        return TN_OK;
    if (s->log->rewind)
        tn_rewind_keep(s);
    return s->log->journal ? tn_journal_under_way(s, advance, taken) : TN_OK;
}

int tn_log_advanced(tn_session *s, const tn_entry *advance)
{
    if (!s->log || s->silent)
        return TN_OK;
    if (s->log->rewind && advance->ending == TN_ENDING_FAILED)
        tn_rewind_mark(s);
    return tn_journal_note(s, advance);
}

int tn_log_before_nudge(tn_snapshot *before, tn_session *s)
{
    *before = (tn_snapshot){ 0 };
    TN_TRY(tn_log_flush(s));
    return s->log && s->log->journal && !s->silent ? tn_snapshot_take(before, s) : TN_OK;
}

int tn_log_nudged(tn_session *s, const tn_entry *nudge)
{
    tn_entry event = *nudge;
    event.time = s->stepper->t;
    event.hash = tn_session_hash(s);
    event.has_hash = true;
    if (!s->log)
        return TN_OK;
    TN_TRY(tn_journal_note(s, &event));
    if (s->log->rewind)
        tn_rewind_mark(s);
    return TN_OK;
}

int tn_log_nudged_or_back(tn_session *s, int result, const tn_entry *nudge, tn_snapshot *before)
{
    int code = result == TN_OK ? tn_log_nudged(s, nudge) : result;
    if (code == TN_ERROR_FILE && result == TN_OK && tn_snapshot_restore(s, before) < 0)
        code = TN_ERROR_STEP;
    tn_snapshot_free(before, s->context);
    return code;
}

int tn_log_moved(tn_session *s)
{
    tn_entry event = { .kind = TN_ENTRY_SNAPSHOT, .snapshot = tn_snapshot_now(s), .time = s->stepper->t, .has_hash = true,
                       .hash = tn_session_hash(s) };
    if (!s->log || !s->log->journal)
        return TN_OK;
    TN_TRY(tn_log_flush(s));
    return tn_journal_note(s, &event);
}

static void write_snapshot(tn_text *out, const tn_snapshot *snapshot)
{
    tn_entry_write(out, &(tn_entry){ .kind = TN_ENTRY_SNAPSHOT, .snapshot = *snapshot, .time = NAN });
}

void tn_logged_write(tn_text *out, const tn_logged *edit)
{
    write_snapshot(out, &edit->before);
    tn_entry_write(out, &edit->event);
}

int tn_log_write(tn_text *out, const tn_session *s)
{
    tn_snapshot present = tn_snapshot_now(s);
    size_t count = s->log ? s->log->count : 0;
    if (count == 0 && s->stepper->counts.steps == 0 && s->system->input_states == 0)
        return TN_OK;                                  /* the session is as it was opened */
    TN_TRY(tn_spill_write(out, s));
    for (size_t k = 0; k < count; k++)
        tn_logged_write(out, &s->log->edits[k]);
    write_snapshot(out, &present);
    return TN_OK;
}
