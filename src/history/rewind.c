/* The rewind buffer: adding snapshots, steps and edits. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "rewind.h"
#include "tenon/history.h"
#include "tn_assert.h"
#include "undo.h"

void *tn_rewind_at(const tn_rewind *p, size_t place)
{
    return p->bytes + place % p->capacity;
}

size_t tn_rewind_next(const tn_rewind *p, size_t place)
{
    return place + ((const tn_rewind_item *)tn_rewind_at(p, place))->size;
}

/* ---- adding ---- */

/* By how much the item at a place changed the number of edits that can be undone: 1, 0 or -1. */
static long depth_change_of(const tn_rewind *p, size_t place)
{
    const tn_rewind_edit *c = tn_rewind_at(p, place);
    bool counts = c->item.kind == TN_REWIND_EDIT && c->event != TN_ENTRY_SOLVE;
    return !counts ? 0 : c->event == TN_ENTRY_UNDO ? -1 : 1;
}

/* Adds the items from one place to another to the counts (sign 1), or takes them off (sign -1). */
static void count_items(tn_rewind *p, size_t from, size_t to, int sign)
{
    for (size_t place = from; place < to; place = tn_rewind_next(p, place)) {
        long change = depth_change_of(p, place);
        p->depth += sign * change;
        p->undos += change < 0 ? sign : 0;
    }
}

static void clear_rewind(tn_rewind *p)
{
    p->begin = p->now = p->end;
    p->inside = 0;
    p->undos = p->depth = 0;
}

static size_t round_item_size(size_t size)
{
    /* multiples of the item head, so that a filler always fits */
    return (size + sizeof(tn_rewind_item) - 1) / sizeof(tn_rewind_item) * sizeof(tn_rewind_item);
}

/* Drops the items before place, and more until the first item is a snapshot: other items cannot be restored alone. */
static void drop_items_before(tn_rewind *p, size_t place)
{
    size_t begin = place;
    while (begin < p->end && ((const tn_rewind_item *)tn_rewind_at(p, begin))->kind != TN_REWIND_SNAPSHOT)
        begin = tn_rewind_next(p, begin);
    count_items(p, p->begin, begin, -1);
    p->begin = begin;
}

static void make_room(tn_rewind *p, size_t size)
{
    while (p->begin < p->end && p->end + size - p->begin > p->capacity)
        drop_items_before(p, tn_rewind_next(p, p->begin));
}

/* Adds an item of contiguous bytes at the end; NULL: the item is larger than the ring. */
static void *append_rewind(tn_rewind *p, tn_rewind_kind what, size_t size)
{
    size = round_item_size(size);
    size_t left = p->capacity - p->end % p->capacity;
    if (size > p->capacity) {
        clear_rewind(p);
        return NULL;
    }
    if (left < size) {
        make_room(p, left);
        *(tn_rewind_item *)tn_rewind_at(p, p->end) = (tn_rewind_item){ TN_REWIND_FILLER, left };
        p->end += left;
    }
    make_room(p, size);
    tn_rewind_item *new = tn_rewind_at(p, p->end);
    p->last_item = p->end;
    memset(new, 0, size);
    *new = (tn_rewind_item){ what, size };
    p->end += size;
    p->now = p->end;
    p->inside = 0;
    return new;
}

/* Drops the items after now, because the run continues differently from here. */
static void forget_future(tn_rewind *p)
{
    if (p->now == p->end)
        return;
    tn_rewind_steps *s = tn_rewind_at(p, p->now);
    if (s->item.kind == TN_REWIND_STEPS && p->inside > 0) {
        s->count = p->inside;
        p->now = tn_rewind_next(p, p->now);
    }
    count_items(p, p->now, p->end, -1);
    p->end = p->now;
    p->inside = 0;
    p->last_item = SIZE_MAX;
}

static void add_snapshot(tn_rewind *p, const tn_snapshot *snapshot)
{
    tn_snapshot m = *snapshot;
    size_t numbers = 2 * m.size + m.memory_size;
    size_t watches = m.events.count * sizeof *m.events.watches;
    size_t unilaterals = m.unilaterals.count * sizeof *m.unilaterals.items;
    tn_rewind_snapshot *k = append_rewind(p, TN_REWIND_SNAPSHOT, sizeof *k + numbers * sizeof(double) + watches + unilaterals);
    if (!k)
        return;
    double *y = (double *)(k + 1);
    memcpy(y, m.y, m.size * sizeof *y);
    memcpy(y + m.size, m.dy, m.size * sizeof *y);
    memcpy(y + 2 * m.size, m.memory, m.memory_size * sizeof *y);
    k->snapshot = m;
    k->snapshot.users = NULL;
    k->snapshot.y = y;
    k->snapshot.dy = y + m.size;
    k->snapshot.memory = y + 2 * m.size;
    k->snapshot.events.watches = (tn_watch *)(y + numbers);
    if (watches > 0)
        memcpy(k->snapshot.events.watches, m.events.watches, watches);
    k->snapshot.unilaterals.items = (tn_unilateral *)(k->snapshot.events.watches + m.events.count);
    if (unilaterals > 0)
        memcpy(k->snapshot.unilaterals.items, m.unilaterals.items, unilaterals);
    p->last = m.t;
    p->owes = false;
}

static void add_now(tn_session *s)
{
    tn_snapshot now = tn_snapshot_now(s);
    add_snapshot(s->log->rewind, &now);
}

/* Is the snapshot the last item of the buffer? */
static bool ends_with_snapshot(const tn_rewind *p, const tn_snapshot *m)
{
    const tn_rewind_snapshot *k = p->last_item < p->end ? tn_rewind_at(p, p->last_item) : NULL;
    return k && k->item.kind == TN_REWIND_SNAPSHOT && k->snapshot.t == m->t && k->snapshot.counts.steps == m->counts.steps;
}

/* ---- reports from the log ---- */

void tn_rewind_mark(tn_session *s)
{
    forget_future(s->log->rewind);
    add_now(s);
}

void tn_rewind_stepped(tn_session *s, double t_end)
{
    tn_rewind *p = s->log->rewind;
    forget_future(p);
    if (p->begin == p->end)
        return;
    tn_rewind_steps *last = p->last_item < p->end ? tn_rewind_at(p, p->last_item) : NULL;
    if (last && last->item.kind == TN_REWIND_STEPS && last->t_end == t_end) {
        last->count++;
    } else {
        tn_rewind_steps *new = append_rewind(p, TN_REWIND_STEPS, sizeof *new);
        *new = (tn_rewind_steps){ new->item, t_end, 1 };
    }
}

void tn_rewind_keep(tn_session *s)
{
    const tn_rewind *p = s->log->rewind;
    if (p->owes || p->begin == p->end || fabs(s->stepper->t - p->last) >= p->interval)
        add_now(s);
}

/* A new edit clears the redo list, so edits that were undone before it cannot be redone. Drops the items before the
 * last undo, because seeking can no longer cross that undo. */
static void drop_undone(tn_rewind *p)
{
    size_t begin = p->begin;
    if (p->undos == 0)
        return;
    for (size_t place = p->begin; place < p->end; place = tn_rewind_next(p, place)) {
        const tn_rewind_edit *c = tn_rewind_at(p, place);
        if (c->item.kind == TN_REWIND_EDIT && c->event == TN_ENTRY_UNDO)
            begin = tn_rewind_next(p, place);
    }
    drop_items_before(p, begin);
}

/* Drops the items before edits that the undo list no longer has. depth: number of edits in the undo list. */
static void drop_unreachable(tn_rewind *p, long depth)
{
    long all = p->depth, before = 0;
    size_t begin = p->begin;
    if (p->undos == 0 && all <= depth)
        return;
    for (size_t place = p->begin; place < p->end; place = tn_rewind_next(p, place)) {
        before += depth_change_of(p, place);
        if (depth_change_of(p, place) > 0 && depth - (all - before) < 1)
            begin = tn_rewind_next(p, place);
    }
    drop_items_before(p, begin);
}

/* For the assertion: are the counts those of the items? */
static inline bool counts_agree(const tn_rewind *p)
{
    tn_rewind again = *p;
    again.undos = again.depth = 0;
    count_items(&again, p->begin, p->end, 1);
    return again.undos == p->undos && again.depth == p->depth;
}

void tn_rewind_edited(tn_session *s, const tn_logged *edit)
{
    tn_rewind *p = s->log->rewind;
    if (p->crossing)
        return;
    forget_future(p);
    if (edit->event.kind == TN_ENTRY_PULL || edit->event.kind == TN_ENTRY_RELEASE) {
        add_now(s);                                    /* the pull is part of the snapshot and needs no undo */
        return;
    }
    if (edit->event.kind == TN_ENTRY_DO || edit->event.kind == TN_ENTRY_DRAG)
        drop_undone(p);
    if (!ends_with_snapshot(p, &edit->before))
        add_snapshot(p, &edit->before);
    tn_rewind_edit *c = append_rewind(p, TN_REWIND_EDIT, sizeof *c);
    if (c) {
        *c = (tn_rewind_edit){ c->item, edit->event.kind, s->events->firing, edit->solve_before, edit->event.solve };
        count_items(p, p->last_item, p->end, 1);
    }
    TN_ASSERT(counts_agree(p));
    drop_unreachable(p, tn_history_depth(s));
    if (s->events->firing)
        p->owes = true;
    else
        add_now(s);
}

/* ---- opening and closing ---- */

void tn_rewind_close(tn_session *s)
{
    tn_rewind *p = s->log->rewind;
    if (!p)
        return;
    tn_free(s->context, p->bytes);
    tn_free(s->context, p);
    s->log->rewind = NULL;
}

double tn_session_rewind_begin(const tn_session *s)
{
    const tn_rewind *p = s->log ? s->log->rewind : NULL;
    return p && p->begin < p->end ? ((const tn_rewind_snapshot *)tn_rewind_at(p, p->begin))->snapshot.t : NAN;
}

static int open_rewind(tn_session *s, size_t bytes, double interval)
{
    tn_rewind *p = s->log->rewind = tn_alloc(s->context, 1, sizeof *p);
    if (!p)
        return TN_ERROR_MEMORY;
    p->capacity = bytes / sizeof(tn_rewind_item) * sizeof(tn_rewind_item);
    p->interval = interval;
    p->last_item = SIZE_MAX;
    /* not cleared: pages that no snapshot has reached yet take no memory of the machine */
    p->bytes = tn_reallocate(s->context, NULL, p->capacity > 0 ? p->capacity : 1);
    if (!p->bytes)
        return TN_ERROR_MEMORY;
    add_now(s);
    if (p->begin < p->end)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                   "a rewind buffer of %zu bytes has no room for a snapshot of this model", bytes);
}

int tn_session_keep_rewind(tn_session *s, size_t bytes, double interval)
{
    if (!tn_log_of(s))
        return TN_ERROR_MEMORY;
    if (!(interval >= 0) || !isfinite(interval))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "snapshots cannot be %g s apart", interval);
    tn_rewind_close(s);
    int code = bytes > 0 ? open_rewind(s, bytes, interval) : TN_OK;
    if (code < 0)
        tn_rewind_close(s);
    return code;
}
