/* Seeking a time in the rewind buffer: restores the nearest snapshot before the time, then repeats the same steps. */
#include <math.h>
#include "diag.h"
#include "live.h"
#include "rewind.h"
#include "session_parts.h"
#include "tenon/history.h"

/* Place of the last or the first edit between two places; to when there is none. */
static size_t find_edit(const tn_rewind *p, size_t from, size_t to, bool last)
{
    size_t found = to;
    for (size_t place = from; place < to; place = tn_rewind_next(p, place)) {
        if (((const tn_rewind_item *)tn_rewind_at(p, place))->kind != TN_REWIND_EDIT)
            continue;
        found = place;
        if (!last)
            break;
    }
    return found;
}

static int cross_edit(tn_session *s, const tn_rewind_edit *c, bool back)
{
    switch (c->event) {
    case TN_ENTRY_SOLVE:
        return tn_session_set_solve(s, back ? c->before : c->after);
    case TN_ENTRY_UNDO:
        return back ? tn_session_redo(NULL, s, true) : tn_session_undo(NULL, s, true);
    default:
        return back ? tn_session_undo(NULL, s, true) : tn_session_redo(NULL, s, true);
    }
}

/* Restores the snapshot next to an edit, after or before the edit. Undo and redo then store that snapshot, and not the
 * state at which the session happens to be. */
static int restore_beside_edit(tn_session *s, size_t edit, bool behind)
{
    const tn_rewind *p = s->log->rewind;
    const tn_rewind_snapshot *found = NULL;
    for (size_t place = behind ? edit : p->begin; place < (behind ? p->end : edit); place = tn_rewind_next(p, place)) {
        const tn_rewind_snapshot *k = tn_rewind_at(p, place);
        if (k->item.kind == TN_REWIND_SNAPSHOT)
            found = k;
        if (found && behind)
            break;
    }
    if (!found)
        return TN_OK;
    TN_TRY(tn_snapshot_restore(s, &found->snapshot));
    return tn_log_moved(s);
}

/* Undoes or redoes the edits between now and the place. */
static int cross_edits(tn_session *s, size_t place)
{
    tn_rewind *p = s->log->rewind;
    bool back = place < p->now;
    size_t from = back ? place : p->now, to = back ? p->now : place, found;
    while ((found = find_edit(p, from, to, back)) < to) {
        TN_TRY(restore_beside_edit(s, found, back));
        TN_TRY(cross_edit(s, tn_rewind_at(p, found), back));
        p->inside = 0;
        p->now = back ? found : tn_rewind_next(p, found);
        from = back ? from : p->now;
        to = back ? found : to;
    }
    return TN_OK;
}

/* Place of the last snapshot that is not after the time; end when there is none. */
static size_t find_snapshot(const tn_rewind *p, double time)
{
    size_t found = p->end;
    for (size_t place = p->begin; place < p->end; place = tn_rewind_next(p, place)) {
        const tn_rewind_snapshot *k = tn_rewind_at(p, place);
        if (k->item.kind == TN_REWIND_SNAPSHOT && k->snapshot.t <= time)
            found = place;
    }
    return found;
}

static int go_to_snapshot(tn_session *s, size_t place)
{
    tn_rewind *p = s->log->rewind;
    TN_TRY(cross_edits(s, place));
    TN_TRY(tn_snapshot_restore(s, &((const tn_rewind_snapshot *)tn_rewind_at(p, place))->snapshot));
    p->now = tn_rewind_next(p, place);
    p->inside = 0;
    return TN_OK;
}

/* Place of the snapshot after the edits that events made in the last of the steps at a place; end: no such edits. */
static size_t behind_events(const tn_rewind *p, size_t steps_place)
{
    size_t found = p->end;
    bool edited = false;
    for (size_t place = tn_rewind_next(p, steps_place); place < p->end; place = tn_rewind_next(p, place)) {
        const tn_rewind_edit *c = tn_rewind_at(p, place);
        if (c->item.kind == TN_REWIND_STEPS || (c->item.kind == TN_REWIND_EDIT && !c->by_event))
            break;
        edited = edited || c->item.kind == TN_REWIND_EDIT;
        found = c->item.kind == TN_REWIND_SNAPSHOT ? place : found;
    }
    return edited ? found : p->end;
}

/* Repeats the steps from now until the time. TN_NEWS_END: the run has not reached the time. Edits by events are redone
 * from the redo list; the events do not make them again. */
static int step_again(tn_session *s, double time)
{
    tn_rewind *p = s->log->rewind;
    for (; p->now < p->end; p->now = tn_rewind_next(p, p->now), p->inside = 0) {
        const tn_rewind_steps *taken = tn_rewind_at(p, p->now);
        if (taken->item.kind == TN_REWIND_EDIT)
            return TN_OK;
        if (taken->item.kind != TN_REWIND_STEPS)
            continue;
        tn_entry one = { .kind = TN_ENTRY_RUN, .value = taken->t_end, .ending = TN_ENDING_STOPPED, .taken = 1 };
        for (; p->inside < taken->count; p->inside++) {
            if (tn_session_is_there(s, time))
                return TN_OK;
            size_t behind = p->inside == taken->count - 1 ? behind_events(p, p->now) : p->end;
            if (behind < p->end)
                return go_to_snapshot(s, behind);        /* it is after the time: find_snapshot chose an earlier one */
            s->silent = true;
            int code = tn_session_advance_entry(s, &one);         /* an event may stop it, as in the first run */
            s->silent = false;
            TN_TRY(code);
        }
    }
    return tn_session_is_there(s, time) ? TN_OK : TN_NEWS_END;
}

int tn_session_seek(tn_session *s, double time)
{
    tn_rewind *p = s->log ? s->log->rewind : NULL;
    size_t place = p ? find_snapshot(p, time) : 0;
    if (!p || place == p->end)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       p ? "the rewind buffer begins after t = %g s" : "the session keeps no rewind buffer to seek t = %g s in", time);
    TN_TRY(tn_log_flush(s));
    p->crossing = true;
    int code = go_to_snapshot(s, place);
    if (code == TN_OK)
        code = step_again(s, time);
    p->crossing = false;
    if (code < 0)
        return code;
    TN_TRY(tn_log_moved(s));
    return code;
}

/* ---- looking back ---- */

/* Place of the last edit before now, or the begin of the buffer. */
static size_t last_change(const tn_rewind *p)
{
    size_t edit = find_edit(p, p->begin, p->now, true);
    return edit < p->now ? edit : p->begin;
}

/* Restores the snapshots in a second session: in the present session, multi-step methods would lose their history. */
static int look_back(tn_session *other, const tn_rewind *p, tn_readout *readout, double *values, const tn_looking *l)
{
    size_t place = last_change(p), end = find_edit(p, p->now, p->end, false);
    for (; place < end; place = tn_rewind_next(p, place)) {
        const tn_rewind_snapshot *k = tn_rewind_at(p, place);
        if (k->item.kind != TN_REWIND_SNAPSHOT || k->snapshot.t < l->since)
            continue;
        if (k->snapshot.size != (size_t)other->system->size || k->snapshot.memory_size != (size_t)other->system->memory)
            return TN_ERROR_STALE;
        TN_TRY(tn_snapshot_restore(other, &k->snapshot));
        TN_TRY(tn_readout_values(values, readout));
        if (l->look(l->user, k->snapshot.t, values) != 0)
            return TN_NEWS_INTERRUPTED;
    }
    return TN_OK;
}

int tn_session_look_back(tn_session *s, const char *const *channels, size_t count, const tn_looking *looking)
{
    tn_rewind *p = s->log ? s->log->rewind : NULL;
    tn_session *other = NULL;
    tn_readout *readout = NULL;
    if (!p)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the session keeps no rewind buffer to look back to");
    double *values = tn_alloc(s->context, count + 1, sizeof *values);
    int code = values ? tn_session_branch(&other, s) : TN_ERROR_MEMORY;
    if (code >= 0)
        code = tn_readout_open(&readout, other, channels, count);
    if (code >= 0)
        code = look_back(other, p, readout, values, looking);
    tn_readout_close(readout);
    tn_session_close(other);
    tn_free(s->context, values);
    return code;
}
