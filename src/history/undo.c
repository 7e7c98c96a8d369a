/* The undo and redo lists: their entries, their memory budget, freeing. */
#include <string.h>
#include "tenon/history.h"
#include "undo.h"

static const size_t HISTORY_BUDGET = (size_t)256 << 20;

size_t tn_history_budget(const tn_session *s)
{
    return s->history && s->history->budget > 0 ? s->history->budget : HISTORY_BUDGET;
}

/* Approximate bytes of a model (may be NULL) and a snapshot, to keep the memory budget. */
size_t tn_undo_bytes(const tn_session *s, const tn_model *m)
{
    size_t model = !m ? 0 : tn_arena_used(m->arena) + m->body_capacity * sizeof(tn_body) +
                            m->joint_capacity * sizeof(tn_joint) + m->force_capacity * sizeof(tn_force) +
                            m->frame_capacity * sizeof(tn_frame);
    return model + sizeof(tn_undo_entry) + (size_t)(2 * s->system->size + s->system->memory) * sizeof(double);
}

size_t tn_undo_note_bytes(const tn_amendment *last)
{
    return last ? sizeof *last + last->size : 0;
}

void tn_undo_forget(tn_session *s, tn_undo_entry *list, size_t *count)
{
    for (size_t k = 0; k < *count; k++) {
        tn_model_destroy(list[k].model);
        tn_amendment_release(list[k].amendments);
        tn_origin_release(list[k].origin);
        tn_free(s->context, list[k].numbers);
        tn_closings_free(&list[k].closings, s->context);
        tn_snapshot_free(&list[k].snapshot, s->context);
    }
    *count = 0;
}

long tn_history_depth(const tn_session *s)
{
    return s->history ? (long)s->history->undo_count : 0;
}

void tn_history_free(tn_session *s)
{
    tn_history *h = s->history;
    if (!h)
        return;
    tn_undo_forget(s, h->undo, &h->undo_count);
    tn_undo_forget(s, h->redo, &h->redo_count);
    tn_free(s->context, h->undo);
    tn_free(s->context, h->redo);
    tn_free(s->context, h);
    s->history = NULL;
}

/* Makes room for one more entry in both lists, so that later steps cannot fail half-way. */
int tn_undo_prepare(tn_session *s)
{
    if (!s->history && !(s->history = tn_alloc(s->context, 1, sizeof *s->history)))
        return TN_ERROR_MEMORY;
    tn_history *h = s->history;
    if (h->budget == 0)
        h->budget = HISTORY_BUDGET;
    TN_TRY(tn_grow(s->context, &h->undo, &h->undo_capacity, h->undo_count + 1, sizeof *h->undo));
    return tn_grow(s->context, &h->redo, &h->redo_capacity, h->redo_count + 1, sizeof *h->redo);
}

/* Drops the oldest quarter of the edits when all edits together exceed the budget. */
void tn_undo_keep_budget(tn_session *s)
{
    tn_history *h = s->history;
    h->most += h->undo_count > 0 ? h->undo[h->undo_count - 1].bytes : 0;
    if (h->most <= h->budget)
        return;
    h->most = 0;
    for (size_t k = 0; k < h->undo_count; k++)
        h->most += h->undo[k].bytes;
    if (h->most <= h->budget || h->undo_count < 4)
        return;
    size_t dropped = h->undo_count / 4, kept = h->undo_count - dropped;
    tn_undo_forget(s, h->undo, &dropped);
    memmove(h->undo, h->undo + (h->undo_count - kept), kept * sizeof *h->undo);
    h->undo_count = kept;
}

int tn_session_set_history(tn_session *s, size_t bytes)
{
    TN_TRY(tn_undo_prepare(s));
    s->history->budget = bytes > 0 ? bytes : 1;
    tn_undo_keep_budget(s);
    return TN_OK;
}
