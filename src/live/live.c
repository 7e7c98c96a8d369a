/* Edits between two steps, with undo and redo. An edit that only sets numbers changes them in place; its undo restores
 * the old numbers. Any other edit changes a copy of the model, which then replaces the model; its undo puts the old
 * model back. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "edit.h"
#include "edit_numbers.h"
#include "live.h"
#include "model_text.h"
#include "module.h"
#include "undo.h"
#include "vec.h"

/* Gives the session its own copy of the model at the first edit; the caller's model stays unchanged. */
static int own_model(tn_session *s)
{
    tn_model *own = NULL;
    if (s->owns_model)
        return TN_OK;
    TN_TRY(tn_model_clone(&own, s->model));
    s->model = own;
    s->system->model = own;
    tn_stepper_use_model(s->stepper, own);
    s->owns_model = true;
    return TN_OK;
}

/* ---- history ---- */

/* Is the last undo entry a drag of this body, with no step, other edit or undo since? */
static bool continues_last_drag(const tn_session *s, tn_id body)
{
    const tn_history *h = s->history;
    const tn_undo_entry *last = h->undo_count > 0 ? &h->undo[h->undo_count - 1] : NULL;
    return last && h->redo_count == 0 && last->dragged.kind == TN_KIND_BODY && last->dragged.index == body.index &&
           last->dragged.generation == body.generation && last->snapshot.t == s->stepper->t &&
           last->steps == s->stepper->counts.steps;
}

int tn_history_begin(tn_session *s, const char *text, tn_id body, bool more, bool *joined)
{
    tn_undo_entry before = { .dragged = body, .steps = s->stepper->counts.steps };
    TN_TRY(tn_undo_prepare(s));
    *joined = more && continues_last_drag(s, body);
    if (*joined)
        return TN_OK;
    before.bytes = tn_undo_bytes(s, NULL);
    snprintf(before.text, sizeof before.text, "%s", text);
    TN_TRY(tn_snapshot_take(&before.snapshot, s));
    s->history->undo[s->history->undo_count++] = before;
    return TN_OK;
}

void tn_history_end(tn_session *s, bool joined, bool keep)
{
    tn_history *h = s->history;
    size_t last = 1;
    if (joined)
        return;
    if (!keep) {
        tn_undo_forget(s, h->undo + --h->undo_count, &last);
        return;
    }
    tn_undo_forget(s, h->redo, &h->redo_count);
    tn_undo_keep_budget(s);
}

/* An edit with "more" is one with the edit before it, for undo, when that one was of the same values: the state before
 * the later edit is dropped. Numbers can be put back into the model that has them only. */
static void join_edits(tn_session *s)
{
    tn_history *h = s->history;
    size_t one = 1;
    if (h->undo_count < 2)
        return;
    tn_undo_entry *last = &h->undo[h->undo_count - 1], *before = last - 1;
    bool alike = strcmp(before->text, last->text) == 0 && before->dragged.kind == TN_KIND_NONE;
    if (!alike || (!before->model && !(before->numbers && last->numbers)))
        return;
    tn_undo_forget(s, last, &one);
    h->undo_count--;
}

/* ---- commands ---- */

/* The snapshot before the edit in progress, which the log has taken. */
static tn_snapshot snapshot_before(const tn_session *s)
{
    return tn_snapshot_share(&s->log->edits[s->log->count].before);
}

/* Replaces the session's model and adds the old model, with the snapshot, to the end of a list. The old model gets the
 * state at which the run left it as start values. */
static int put_model(tn_session *s, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_undo_entry *list, size_t *count)
{
    tn_undo_entry before = { .bytes = tn_undo_bytes(s, s->model) + tn_undo_note_bytes(s->model->amendments), .snapshot = snapshot_before(s) };
    int code = tn_closings_copy(&before.closings, s->context, &s->overlay.closings);
    if (code == TN_OK)
        code = tn_session_recompile(s, model, how, ack, &before.model);
    if (code < 0) {
        tn_closings_free(&before.closings, s->context);
        tn_snapshot_free(&before.snapshot, s->context);
        return code;
    }
    tn_standing_lay(how->standing, before.model);
    snprintf(before.text, sizeof before.text, "%s", ack->text);
    list[(*count)++] = before;
    return TN_OK;
}

/* Exchanges the source texts of two equal models: their comments or the order of their text may differ. */
static void exchange_texts(tn_model *a, tn_model *b)
{
    tn_origin *origin = a->origin;
    tn_amendment *amendments = a->amendments;
    a->origin = b->origin;
    a->amendments = b->amendments;
    b->origin = origin;
    b->amendments = amendments;
}

/* Sets numbers and continues from the snapshot, or from the present state when it is NULL; snap: bodies may then move to
 * close joints. numbers then holds the old values. After an error nothing has changed. */
static int put_numbers(tn_session *s, tn_number *numbers, int count, const tn_snapshot *snapshot, bool snap, tn_ack *ack)
{
    TN_TRY(tn_session_put_numbers(s, numbers, count));
    int code = snapshot ? tn_snapshot_restore(s, snapshot) : tn_session_go_on(s, numbers, count, snap, ack);
    if (code < 0) {
        tn_session_put_numbers(s, numbers, count);
        tn_snapshot_restore(s, &s->log->edits[s->log->count].before);
    } else {
        s->revision++;
    }
    return code;
}

static bool changes_something(const tn_session *s, const tn_number_list *numbers)
{
    bool other = false;
    for (int k = 0; k < numbers->count; k++)
        other = other || tn_number_in(s->model, &numbers->items[k]) != numbers->items[k].value;
    return other;
}

/* Adds an entry with the old numbers, the old commands and the snapshot to a list, which owns them from then on. */
static void push_numbers(tn_session *s, const tn_undo_entry *before, tn_undo_entry *list, size_t *count)
{
    tn_undo_entry *new = &list[(*count)++];
    *new = *before;
    new->bytes = tn_undo_bytes(s, NULL) + (size_t)new->number_count * sizeof *new->numbers +
                 tn_undo_note_bytes(new->amendments);
    new->snapshot = snapshot_before(s);
}

/* Sets numbers by an edit. Takes ownership of words->note: the command, for the text of the model. */
static int set_numbers(tn_session *s, const tn_number_list *numbers, const tn_edit *words, tn_ack *ack)
{
    tn_history *h = s->history;
    tn_undo_entry before = { .number_count = numbers->count };
    bool changes = changes_something(s, numbers);
    before.numbers = changes ? tn_alloc(s->context, (size_t)numbers->count, sizeof *before.numbers) : NULL;
    if (!before.numbers) {
        tn_amendment_release(words->note);
        return changes ? TN_ERROR_MEMORY : TN_OK;
    }
    memcpy(before.numbers, numbers->items, (size_t)numbers->count * sizeof *before.numbers);
    before.amendments = tn_amendment_share(s->model->amendments);
    before.origin = tn_origin_share(s->model->origin);
    tn_amendment_append(&s->model->amendments, words->note);
    int code = put_numbers(s, before.numbers, before.number_count, NULL, false, ack);
    if (code < 0) {
        tn_amendment_release(s->model->amendments);
        s->model->amendments = before.amendments;
        tn_origin_release(before.origin);
        tn_free(s->context, before.numbers);
        return code;
    }
    snprintf(before.text, sizeof before.text, "%s", ack->text);
    push_numbers(s, &before, h->undo, &h->undo_count);
    ack->changed = true;
    return TN_OK;
}

/* Applies a command to the copy *changed and recompiles. On success the copy is destroyed or belongs to the session;
 * after an error the caller owns it. more: the command continues the edit before it. */
static int edit(tn_session *s, tn_model **changed, const tn_standing *now, const tn_command_text *command, tn_ack *ack, bool *more)
{
    tn_edit e;
    TN_TRY(tn_model_edit(&e, changed, command));
    *more = e.more;
    tn_log_complete(s, e.complete);
    snprintf(ack->text, sizeof ack->text, "%s", e.text);
    if (!e.state && tn_standing_same(now, *changed, s->model)) {
        if (e.other)
            exchange_texts(s->model, *changed);
        tn_model_destroy(*changed);
        return TN_OK;
    }
    TN_TRY(put_model(s, *changed, &(tn_recompile_options){ .snap = e.snap, .draw = e.draw, .state = e.state, .standing = now }, ack,
               s->history->undo, &s->history->undo_count));
    ack->changed = true;
    return TN_OK;
}

/* Applies a command to a copy of the model that has the present state as start values; the copy replaces the model. */
static int apply_to_copy(tn_session *s, const tn_command_text *command, tn_ack *ack, bool *more)
{
    tn_standing now;
    tn_model *changed = NULL;
    TN_TRY(tn_standing_take(&now, s));
    int code = tn_model_clone(&changed, s->model);
    if (code == TN_OK) {
        tn_standing_lay(&now, changed);
        code = edit(s, &changed, &now, command, ack, more);
        if (code < 0)
            tn_model_destroy(changed);
    }
    tn_standing_free(&now, s->context);
    return code;
}

static int apply_live(tn_session *s, const tn_command_text *command, tn_ack *ack, bool *more)
{
    tn_number_list numbers;
    tn_edit words;
    *ack = (tn_ack){ .time = s->stepper->t };
    TN_TRY(tn_undo_prepare(s));
    TN_TRY(own_model(s));
    int code = tn_model_read_numbers(&numbers, &words, s->model, command);
    const bool in_place = code == TN_OK && tn_session_can_set(s, &numbers);
    if (in_place) {
        snprintf(ack->text, sizeof ack->text, "%s", words.text);
        *more = words.more;
        code = set_numbers(s, &numbers, &words, ack);
    }
    tn_free(s->context, numbers.items);
    if (code < 0 || in_place)
        return code;
    tn_amendment_release(words.note);
    return apply_to_copy(s, command, ack, more);
}

static int undo_or_redo(tn_session *s, bool restore, tn_ack *ack, bool undo);

/* Restores the state before an edit that the journal could not take. */
static int take_back_edit(tn_session *s, tn_ack *ack)
{
    tn_history *h = s->history;
    size_t last = 1;
    int code = undo_or_redo(s, true, ack, true);
    if (code == TN_OK)
        tn_undo_forget(s, h->redo + --h->redo_count, &last);
    *ack = (tn_ack){ .time = s->stepper->t };
    tn_log_drop(s);
    return code < 0 ? code : TN_ERROR_FILE;
}

/* After an edit that the journal has: joins it with the edit before it (more), and drops what can no longer be redone. */
static void settle_history(tn_session *s, bool more)
{
    tn_history *h = s->history;
    if (more && h->redo_count == 0)
        join_edits(s);
    tn_undo_forget(s, h->redo, &h->redo_count);
    tn_undo_keep_budget(s);
}

int tn_session_apply_text(tn_session *s, const tn_command_text *command, tn_ack *ack)
{
    tn_ack ignored;
    bool more = false;
    ack = ack ? ack : &ignored;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_DO, .command = *command }));
    int code = apply_live(s, command, ack, &more);
    code = tn_log_note(s, code, ack->changed);
    if (code == TN_LOG_TAKE_BACK)
        return take_back_edit(s, ack);
    if (code == TN_OK && ack->changed)
        settle_history(s, more);
    tn_log_keep(s, code, ack->changed);
    if (code == TN_OK && s->owns_model)
        tn_model_renew_text(s->model);                 /* the edit is made: without memory, the commands stay */
    return code;
}

int tn_session_text(char **out, tn_session *s)
{
    return tn_model_text(out, s->model);
}

int tn_session_set_text(tn_ack *ack, tn_session *s, const char *text)
{
    tn_text command;
    char *words = NULL;
    tn_text_begin(&command, s->context);
    tn_text_add(&command, "{ closing: snap, text: ");
    tn_text_add_json(&command, text);
    tn_text_add(&command, " }");
    int code = tn_text_take(&command, &words);
    if (code == TN_OK)
        code = tn_session_apply(ack, s, words);
    tn_free(s->context, words);
    return code;
}

int tn_session_apply(tn_ack *ack, tn_session *s, const char *command)
{
    tn_command_text text = tn_command_alone(command);
    return tn_session_apply_text(s, &text, ack);
}

/* Undoes or redoes an edit of the state or of numbers; the present ones go to the end of the other list. */
static int put_back(tn_session *s, const tn_undo_entry *last, bool restore, tn_ack *ack, tn_undo_entry *list, size_t *count)
{
    tn_undo_entry before = *last;
    const tn_snapshot *snapshot = restore ? &last->snapshot : NULL;
    if (last->numbers) {
        TN_TRY(put_numbers(s, last->numbers, last->number_count, snapshot, true, ack));
        before.amendments = s->model->amendments;
        before.origin = s->model->origin;
        s->model->amendments = last->amendments;
        s->model->origin = last->origin;
    } else if (restore) {
        TN_TRY(tn_snapshot_restore(s, snapshot));
    }
    push_numbers(s, &before, list, count);
    return TN_OK;
}

/* Puts an old model back: at its old state (restore), or at the present state of the entities that both models have. */
static int put_model_back(tn_session *s, tn_undo_entry *last, bool restore, tn_ack *ack, tn_undo_entry *list, size_t *count)
{
    tn_standing now;
    TN_TRY(tn_standing_take(&now, s));
    if (!restore)
        tn_standing_lay_motion(&now, s->model, last->model);
    int code = put_model(s, last->model, &(tn_recompile_options){ .snap = true, .snapshot = restore ? &last->snapshot : NULL,
                                               .closings = &last->closings, .standing = &now }, ack, list, count);
    if (code == TN_OK)
        tn_closings_free(&last->closings, s->context);
    tn_standing_free(&now, s->context);
    return code;
}

/* Undo or redo: restores the last entry of one list and adds the present state to the other list. */
static int undo_or_redo(tn_session *s, bool restore, tn_ack *ack, bool undo)
{
    tn_history *h = s->history;
    *ack = (tn_ack){ .time = s->stepper->t };
    if (!h || (undo ? h->undo_count : h->redo_count) == 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is nothing to %s", undo ? "undo" : "redo");
    TN_TRY(tn_undo_prepare(s));
    tn_undo_entry *last = undo ? &h->undo[h->undo_count - 1] : &h->redo[h->redo_count - 1];
    char text[sizeof last->text];
    snprintf(text, sizeof text, "%s", last->text);
    snprintf(ack->text, sizeof ack->text, "%s", text);
    tn_undo_entry *other = undo ? h->redo : h->undo;
    size_t *other_count = undo ? &h->redo_count : &h->undo_count;
    TN_TRY(last->model ? put_model_back(s, last, restore, ack, other, other_count)
                       : put_back(s, last, restore, ack, other, other_count));
    *(undo ? &h->undo_count : &h->redo_count) -= 1;
    tn_snapshot_free(&last->snapshot, s->context);
    snprintf(ack->text, sizeof ack->text, "%s: %.200s", undo ? "took back" : "made again", text);
    ack->changed = true;
    ack->time = s->stepper->t;
    return TN_OK;
}

/* The parts of an entry that undo removes; they are put back when the journal cannot take the undo: the state before the edit, and the
 * start values of the model. */
typedef struct kept_entry {
    tn_snapshot snapshot;
    tn_closing_list closings;
    tn_standing start;
    char text[sizeof((tn_undo_entry *)0)->text];
    tn_id dragged;
    long steps;
} kept_entry;

static void drop_kept(kept_entry *kept, tn_context *context)
{
    tn_snapshot_free(&kept->snapshot, context);
    tn_closings_free(&kept->closings, context);
    tn_standing_free(&kept->start, context);
}

static int keep_entry(kept_entry *kept, const tn_session *s, const tn_undo_entry *entry)
{
    *kept = (kept_entry){ .snapshot = tn_snapshot_share(&entry->snapshot), .dragged = entry->dragged, .steps = entry->steps };
    snprintf(kept->text, sizeof kept->text, "%s", entry->text);
    int code = tn_closings_copy(&kept->closings, s->context, &entry->closings);
    if (code == TN_OK && entry->model)
        code = tn_standing_of_model(&kept->start, entry->model);
    if (code < 0)
        drop_kept(kept, s->context);
    return code;
}

/* Gives an entry that undo or redo has replaced its kept contents again. */
static void restore_entry(kept_entry *kept, tn_session *s, tn_undo_entry *entry)
{
    tn_snapshot_free(&entry->snapshot, s->context);
    tn_closings_free(&entry->closings, s->context);
    entry->snapshot = kept->snapshot;
    entry->closings = kept->closings;
    entry->dragged = kept->dragged;
    entry->steps = kept->steps;
    snprintf(entry->text, sizeof entry->text, "%s", kept->text);
    if (entry->model)
        tn_standing_lay(&kept->start, entry->model);
    tn_standing_free(&kept->start, s->context);
}

/* Takes an undo or redo back that the journal could not take: both lists have what they had. */
static int take_back_undo(tn_session *s, tn_ack *ack, bool undo, kept_entry *kept)
{
    tn_history *h = s->history;
    int code = undo_or_redo(s, true, ack, !undo);
    if (code == TN_OK)
        restore_entry(kept, s, undo ? &h->undo[h->undo_count - 1] : &h->redo[h->redo_count - 1]);
    else
        drop_kept(kept, s->context);
    *ack = (tn_ack){ .time = s->stepper->t };
    tn_log_drop(s);
    return code < 0 ? code : TN_ERROR_FILE;
}

static int undo_or_redo_logged(tn_session *s, bool restore, tn_ack *ack, bool undo)
{
    tn_ack ignored;
    kept_entry kept = { 0 };
    const tn_history *h = s->history;
    ack = ack ? ack : &ignored;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = undo ? TN_ENTRY_UNDO : TN_ENTRY_REDO, .restore = restore }));
    int code = TN_OK;
    if (h && (undo ? h->undo_count : h->redo_count) > 0)
        code = keep_entry(&kept, s, undo ? &h->undo[h->undo_count - 1] : &h->redo[h->redo_count - 1]);
    if (code == TN_OK)
        code = undo_or_redo(s, restore, ack, undo);
    code = tn_log_commit(s, code, true);
    if (code == TN_LOG_TAKE_BACK)
        return take_back_undo(s, ack, undo, &kept);
    drop_kept(&kept, s->context);
    return code;
}

int tn_session_undo(tn_ack *ack, tn_session *s, bool restore)
{
    return undo_or_redo_logged(s, restore, ack, true);
}

int tn_session_redo(tn_ack *ack, tn_session *s, bool restore)
{
    return undo_or_redo_logged(s, restore, ack, false);
}

const tn_model *tn_session_model(const tn_session *s)
{
    return s->model;
}
