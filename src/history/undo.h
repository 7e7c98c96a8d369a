/* The undo and redo lists: edits that can be undone, and edits that were undone. */
#ifndef TN_UNDO_H
#define TN_UNDO_H

#include "numbers.h"
#include "origin.h"
#include "snapshot.h"

/* The state before an edit: the replaced model, the replaced numbers, or (for a drag) the snapshot only. */
typedef struct tn_undo_entry {
    tn_model *model;               /* NULL: the edit kept the model in use */
    tn_number *numbers;            /* of the model in use; NULL: the edit set no numbers */
    int number_count;
    tn_origin *origin;             /* with numbers: the model's text, */
    tn_amendment *amendments;      /* and the commands in it */
    tn_closing_list closings;      /* with a model: joints that were still being closed */
    tn_snapshot snapshot;
    size_t bytes;
    tn_id dragged;                 /* dragged body; TN_KIND_NONE: the edit is not a drag */
    long steps;                    /* steps of the run when the body was dragged last */
    char text[240];
} tn_undo_entry;

/* The states before each edit (undo) and before each undo (redo), the latest last. */
struct tn_history {
    tn_undo_entry *undo, *redo;
    size_t undo_count, undo_capacity, redo_count, redo_capacity;
    size_t budget;                 /* bytes, of the undo list */
    size_t most;                   /* bytes of the undo list at most: entries that went are counted until the budget is reached */
};

/* Bytes that a model and a snapshot take, approximately. */
size_t tn_undo_bytes(const tn_session *session, const tn_model *model);
/* Bytes of the last of a list of commands. */
size_t tn_undo_note_bytes(const tn_amendment *last);
/* Room for one more entry in both lists, so that later steps cannot fail half-way. */
int tn_undo_prepare(tn_session *session);
/* After an edit: drops the oldest quarter of the edits when all together take more than the budget. */
void tn_undo_keep_budget(tn_session *session);
/* Frees the entries of a list. */
void tn_undo_forget(tn_session *session, tn_undo_entry *list, size_t *count);
void tn_history_free(tn_session *session);
/* Bytes that the undo list may take. */
size_t tn_history_budget(const tn_session *session);
/* Number of edits that can be undone. */
long tn_history_depth(const tn_session *session);

#endif
