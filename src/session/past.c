/* The past of a run: moments, the steps between them and the edits, in a ring of bytes. The oldest are dropped when it
 * is full.
 *
 *     moment  steps  steps  moment  steps  moment  edit  moment  steps ...
 *
 * "Steps" are so many towards one end, so that going through them again takes the very same steps. Before and behind an
 * edit is a moment. To cross an edit backwards, what it did is taken back by undo or redo. What cannot be taken back (a pull
 * that begins or ends, edits that history has dropped) is where the past begins. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "log.h"
#include "tenon/history.h"

typedef enum kind { MOMENT, STEPS, EDIT, FILLER } kind;

/* What every item begins with. */
typedef struct item {
    kind kind;
    size_t size;               /* bytes, to the next item */
} item;

typedef struct steps {
    item item;
    double t_end;
    long count;
} steps;

typedef struct kept {
    item item;
    tn_moment moment;          /* its arrays follow */
} kept;

typedef struct change {
    item item;
    tn_entry_kind event;       /* DO, DRAG, UNDO, REDO or SOLVE */
    bool by_event;             /* made by an event in the step before */
    tn_solve before, after;    /* SOLVE */
} change;

/* Places are bytes since the ring was made; the bytes of place p are at p modulo capacity. */
struct tn_past {
    unsigned char *bytes;
    size_t capacity;
    double interval;
    size_t begin, end;         /* of what is there */
    size_t now;                /* where the run is: the item it is in, or end */
    long inside;               /* steps of that item already taken */
    size_t last_item;          /* its place; beyond end: unknown */
    double last;               /* s: time of the last moment */
    bool owes;                 /* an edit has no moment behind it yet: events are being handled */
    bool crossing;             /* edits are being taken back or made again: they are here already */
};

static void *at(const tn_past *p, size_t place)
{
    return p->bytes + place % p->capacity;
}

static size_t next(const tn_past *p, size_t place)
{
    return place + ((const item *)at(p, place))->size;
}

/* ---- adding ---- */

static void clear(tn_past *p)
{
    p->begin = p->now = p->end;
    p->inside = 0;
}

static size_t rounded(size_t size)
{
    return (size + sizeof(item) - 1) / sizeof(item) * sizeof(item);    /* so that a filler always fits */
}

/* What is there begins with a moment (from anything else nothing can be restored), or is empty. */
static void begin_at(tn_past *p, size_t place)
{
    p->begin = place;
    while (p->begin < p->end && ((const item *)at(p, p->begin))->kind != MOMENT)
        p->begin = next(p, p->begin);
}

static void make_room(tn_past *p, size_t size)
{
    while (p->begin < p->end && p->end + size - p->begin > p->capacity)
        begin_at(p, next(p, p->begin));
}

/* Room for an item in one piece at the end; NULL: it is larger than the ring. */
static void *append(tn_past *p, kind what, size_t size)
{
    size = rounded(size);
    size_t left = p->capacity - p->end % p->capacity;
    if (size > p->capacity) {
        clear(p);
        return NULL;
    }
    if (left < size) {
        make_room(p, left);
        *(item *)at(p, p->end) = (item){ FILLER, left };
        p->end += left;
    }
    make_room(p, size);
    item *new = at(p, p->end);
    p->last_item = p->end;
    memset(new, 0, size);
    *new = (item){ what, size };
    p->end += size;
    p->now = p->end;
    p->inside = 0;
    return new;
}

/* Cuts off what comes after now: from here on there is another future. */
static void forget_future(tn_past *p)
{
    if (p->now == p->end)
        return;
    steps *s = at(p, p->now);
    if (s->item.kind == STEPS && p->inside > 0) {
        s->count = p->inside;
        p->now = next(p, p->now);
    }
    p->end = p->now;
    p->inside = 0;
    p->last_item = SIZE_MAX;
}

static void add_moment(tn_past *p, const tn_moment *moment)
{
    tn_moment m = *moment;
    size_t numbers = 2 * m.size + m.memory_size;
    size_t watches = m.events.count * sizeof *m.events.watches;
    size_t guards = m.guards.count * sizeof *m.guards.items;
    kept *k = append(p, MOMENT, sizeof *k + numbers * sizeof(double) + watches + guards);
    if (!k)
        return;
    double *y = (double *)(k + 1);
    memcpy(y, m.y, m.size * sizeof *y);
    memcpy(y + m.size, m.dy, m.size * sizeof *y);
    memcpy(y + 2 * m.size, m.memory, m.memory_size * sizeof *y);
    k->moment = m;
    k->moment.y = y;
    k->moment.dy = y + m.size;
    k->moment.memory = y + 2 * m.size;
    k->moment.events.watches = (tn_watch *)(y + numbers);
    if (watches > 0)
        memcpy(k->moment.events.watches, m.events.watches, watches);
    k->moment.guards.items = (tn_guard *)(k->moment.events.watches + m.events.count);
    if (guards > 0)
        memcpy(k->moment.guards.items, m.guards.items, guards);
    p->last = m.t;
    p->owes = false;
}

static void add_now(tn_session *s)
{
    tn_moment now = tn_moment_now(s);
    add_moment(s->log->past, &now);
}

/* Is the moment the last thing that is there? */
static bool ends_with(const tn_past *p, const tn_moment *m)
{
    const kept *k = p->last_item < p->end ? at(p, p->last_item) : NULL;
    return k && k->item.kind == MOMENT && k->moment.t == m->t && k->moment.counts.steps == m->counts.steps;
}

/* ---- what happens ---- */

void tn_past_mark(tn_session *s)
{
    forget_future(s->log->past);
    add_now(s);
}

void tn_past_stepped(tn_session *s, double t_end)
{
    tn_past *p = s->log->past;
    forget_future(p);
    if (p->begin == p->end)
        return;
    steps *last = p->last_item < p->end ? at(p, p->last_item) : NULL;
    if (last && last->item.kind == STEPS && last->t_end == t_end) {
        last->count++;
    } else {
        steps *new = append(p, STEPS, sizeof *new);
        *new = (steps){ new->item, t_end, 1 };
    }
}

void tn_past_keep(tn_session *s)
{
    const tn_past *p = s->log->past;
    if (p->owes || p->begin == p->end || fabs(s->stepper->t - p->last) >= p->interval)
        add_now(s);
}

/* What was undone before an edit cannot be made again after it: what lies before that undo is out of reach. */
static void drop_undone(tn_past *p)
{
    size_t begin = p->begin;
    for (size_t place = p->begin; place < p->end; place = next(p, place)) {
        const change *c = at(p, place);
        if (c->item.kind == EDIT && c->event == TN_ENTRY_UNDO)
            begin = next(p, place);
    }
    begin_at(p, begin);
}

/* How an edit changed the number of edits that can be undone. */
static long depth_of(const tn_past *p, size_t place)
{
    const change *c = at(p, place);
    bool counts = c->item.kind == EDIT && c->event != TN_ENTRY_SOLVE;
    return !counts ? 0 : c->event == TN_ENTRY_UNDO ? -1 : 1;
}

/* History forgets its oldest edits; without them nothing before them can be gone back to. depth: edits it still has. */
static void drop_unreachable(tn_past *p, long depth)
{
    long all = 0, before = 0;
    size_t begin = p->begin;
    for (size_t place = p->begin; place < p->end; place = next(p, place))
        all += depth_of(p, place);
    for (size_t place = p->begin; place < p->end; place = next(p, place)) {
        before += depth_of(p, place);
        if (depth_of(p, place) > 0 && depth - (all - before) < 1)
            begin = next(p, place);
    }
    begin_at(p, begin);
}

void tn_past_edited(tn_session *s, const tn_logged *edit)
{
    tn_past *p = s->log->past;
    if (p->crossing)
        return;
    forget_future(p);
    if (edit->event.kind == TN_ENTRY_PULL || edit->event.kind == TN_ENTRY_RELEASE) {
        clear(p);
        add_now(s);
        return;
    }
    if (edit->event.kind == TN_ENTRY_DO || edit->event.kind == TN_ENTRY_DRAG)
        drop_undone(p);
    if (!ends_with(p, &edit->before))
        add_moment(p, &edit->before);
    change *c = append(p, EDIT, sizeof *c);
    if (c)
        *c = (change){ c->item, edit->event.kind, s->events.firing, edit->solve_before, edit->event.solve };
    drop_unreachable(p, tn_history_depth(s));
    if (s->events.firing)
        p->owes = true;
    else
        add_now(s);
}

/* ---- going back ---- */

/* The last edit between two places, or the first; to when there is none. */
static size_t find_edit(const tn_past *p, size_t from, size_t to, bool last)
{
    size_t found = to;
    for (size_t place = from; place < to; place = next(p, place)) {
        if (((const item *)at(p, place))->kind != EDIT)
            continue;
        found = place;
        if (!last)
            break;
    }
    return found;
}

static int cross(tn_session *s, const change *c, bool back)
{
    switch (c->event) {
    case TN_ENTRY_SOLVE:
        return tn_session_set_solve(s, back ? &c->before : &c->after);
    case TN_ENTRY_UNDO:
        return back ? tn_session_redo(s, true, NULL) : tn_session_undo(s, true, NULL);
    default:
        return back ? tn_session_undo(s, true, NULL) : tn_session_redo(s, true, NULL);
    }
}

/* To the moment next to an edit, behind it or before it: history then keeps that one, not where somebody looked. */
static int stand_beside(tn_session *s, size_t edit, bool behind)
{
    const tn_past *p = s->log->past;
    const kept *found = NULL;
    for (size_t place = behind ? edit : p->begin; place < (behind ? p->end : edit); place = next(p, place)) {
        const kept *k = at(p, place);
        if (k->item.kind == MOMENT)
            found = k;
        if (found && behind)
            break;
    }
    if (!found)
        return TN_OK;
    TN_TRY(tn_moment_restore(s, &found->moment));
    return tn_log_moved(s);
}

/* Takes the edits between now and the place back, or makes them again. */
static int cross_edits(tn_session *s, size_t place)
{
    tn_past *p = s->log->past;
    bool back = place < p->now;
    size_t from = back ? place : p->now, to = back ? p->now : place, found;
    while ((found = find_edit(p, from, to, back)) < to) {
        TN_TRY(stand_beside(s, found, back));
        TN_TRY(cross(s, at(p, found), back));
        p->inside = 0;
        p->now = back ? found : next(p, found);
        from = back ? from : p->now;
        to = back ? found : to;
    }
    return TN_OK;
}

/* The last moment that is not after the time; end when there is none. */
static size_t find_moment(const tn_past *p, double time)
{
    size_t found = p->end;
    for (size_t place = p->begin; place < p->end; place = next(p, place)) {
        const kept *k = at(p, place);
        if (k->item.kind == MOMENT && k->moment.t <= time)
            found = place;
    }
    return found;
}

static int go_to_moment(tn_session *s, size_t place)
{
    tn_past *p = s->log->past;
    TN_TRY(cross_edits(s, place));
    TN_TRY(tn_moment_restore(s, &((const kept *)at(p, place))->moment));
    p->now = next(p, place);
    p->inside = 0;
    return TN_OK;
}

/* The moment behind the edits that events made in the last of the steps at a place; end: they made none. */
static size_t behind_events(const tn_past *p, size_t steps_place)
{
    size_t found = p->end;
    bool edited = false;
    for (size_t place = next(p, steps_place); place < p->end; place = next(p, place)) {
        const change *c = at(p, place);
        if (c->item.kind == STEPS || (c->item.kind == EDIT && !c->by_event))
            break;
        edited = edited || c->item.kind == EDIT;
        found = c->item.kind == MOMENT ? place : found;
    }
    return edited ? found : p->end;
}

/* The steps from now on, until the time. TN_NEWS_END: it has not been that far. What events did to the model is not
 * done anew but made again, as history has it. */
static int step_again(tn_session *s, double time)
{
    tn_past *p = s->log->past;
    for (; p->now < p->end; p->now = next(p, p->now), p->inside = 0) {
        const steps *taken = at(p, p->now);
        if (taken->item.kind == EDIT)
            return TN_OK;
        if (taken->item.kind != STEPS)
            continue;
        tn_entry one = { .kind = TN_ENTRY_RUN, .value = taken->t_end, .ending = TN_ENDING_STOPPED, .taken = 1 };
        for (; p->inside < taken->count; p->inside++) {
            if (tn_session_is_there(s, time))
                return TN_OK;
            size_t behind = p->inside == taken->count - 1 ? behind_events(p, p->now) : p->end;
            if (behind < p->end)
                return go_to_moment(s, behind);        /* after the time, or seeking would have begun there */
            s->silent = true;
            int code = tn_session_go(s, &one);         /* an event may stop it: it did then, too */
            s->silent = false;
            TN_TRY(code);
        }
    }
    return tn_session_is_there(s, time) ? TN_OK : TN_NEWS_END;
}

int tn_session_seek(tn_session *s, double time)
{
    tn_past *p = s->log ? s->log->past : NULL;
    size_t place = p ? find_moment(p, time) : 0;
    if (!p || place == p->end)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       p ? "nothing is kept of t = %g s and before" : "no past is kept to seek t = %g s in", time);
    TN_TRY(tn_log_flush(s));
    p->crossing = true;
    int code = go_to_moment(s, place);
    if (code == TN_OK)
        code = step_again(s, time);
    p->crossing = false;
    if (code < 0)
        return code;
    TN_TRY(tn_log_moved(s));
    return code;
}

/* ---- looking back ---- */

/* From the last edit before now, or where the past begins. */
static size_t last_change(const tn_past *p)
{
    size_t edit = find_edit(p, p->begin, p->now, true);
    return edit < p->now ? edit : p->begin;
}

/* A second session goes to the moments: the present one would forget what multi-step methods remember. */
static int look_back(tn_session *other, const tn_past *p, tn_readout *readout, double *values, const tn_looking *l)
{
    size_t place = last_change(p), end = find_edit(p, p->now, p->end, false);
    for (; place < end; place = next(p, place)) {
        const kept *k = at(p, place);
        if (k->item.kind != MOMENT || k->moment.t < l->since)
            continue;
        if (k->moment.size != (size_t)other->system->size || k->moment.memory_size != (size_t)other->system->memory)
            return TN_ERROR_STALE;
        TN_TRY(tn_moment_restore(other, &k->moment));
        TN_TRY(tn_readout_values(readout, values));
        if (l->look(l->user, k->moment.t, values) != 0)
            return TN_NEWS_INTERRUPTED;
    }
    return TN_OK;
}

int tn_session_look_back(tn_session *s, const char *const *channels, size_t count, const tn_looking *looking)
{
    tn_past *p = s->log ? s->log->past : NULL;
    tn_session *other = NULL;
    tn_readout *readout = NULL;
    if (!p)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "no past is kept to look back to");
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

/* ---- life ---- */

void tn_past_close(tn_session *s)
{
    tn_past *p = s->log->past;
    if (!p)
        return;
    tn_free(s->context, p->bytes);
    tn_free(s->context, p);
    s->log->past = NULL;
}

double tn_session_past_begin(const tn_session *s)
{
    const tn_past *p = s->log ? s->log->past : NULL;
    return p && p->begin < p->end ? ((const kept *)at(p, p->begin))->moment.t : NAN;
}

static int open_past(tn_session *s, size_t bytes, double interval)
{
    tn_past *p = s->log->past = tn_alloc(s->context, 1, sizeof *p);
    if (!p)
        return TN_ERROR_MEMORY;
    p->capacity = bytes / sizeof(item) * sizeof(item);
    p->interval = interval;
    p->last_item = SIZE_MAX;
    p->bytes = tn_alloc(s->context, p->capacity, 1);
    if (!p->bytes)
        return TN_ERROR_MEMORY;
    add_now(s);
    if (p->begin < p->end)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                   "%zu bytes are not enough to keep a moment of this model", bytes);
}

int tn_session_keep_past(tn_session *s, size_t bytes, double interval)
{
    if (!tn_log_of(s))
        return TN_ERROR_MEMORY;
    if (!(interval >= 0) || !isfinite(interval))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "moments cannot be %g s apart", interval);
    tn_past_close(s);
    int code = bytes > 0 ? open_past(s, bytes, interval) : TN_OK;
    if (code < 0)
        tn_past_close(s);
    return code;
}
