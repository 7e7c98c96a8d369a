/* What a session remembers of its run: the edits with the snapshots before them (so that it can be saved), the journal
 * and the past. Every public function that changes the run reports here. Private to this layer. */
#ifndef TN_SESSION_LOG_H
#define TN_SESSION_LOG_H

#include "entry.h"

typedef struct tn_journal tn_journal;
typedef struct tn_rewind tn_rewind;

typedef struct tn_logged {
    tn_entry event;            /* its command is owned */
    tn_snapshot before;
    const tn_solve *solve_before;      /* SOLVE: the settings then; in the session's arena */
} tn_logged;

struct tn_log {
    tn_logged *edits;          /* the one after the last is being made */
    size_t count, capacity;
    tn_journal *journal;       /* NULL: none is written */
    tn_rewind *rewind;             /* NULL: none is kept */
};

/* The log of a session, made when there is none; NULL when out of memory. */
tn_log *tn_log_of(tn_session *session);
void tn_log_free(tn_session *session);

/* An edit: before it, what is needed to report it; after it, the report. result is what came of it and is returned,
 * unless the journal cannot be written; changed is false when all was so already. */
int tn_log_prepare(tn_session *session, const tn_entry *event);
int tn_log_commit(tn_session *session, int result, bool changed);
/* Another text for the command that is being made, which is given away; NULL: it stays. */
void tn_log_complete(tn_session *session, char *command);

/* Going on: a step of it was taken; all that belongs to the step is done; it came to its end. */
void tn_log_stepped(tn_session *session, double t_end);
int tn_log_under_way(tn_session *session, const tn_entry *going, long taken);
int tn_log_went(tn_session *session, const tn_entry *going);
/* The target of a pull was moved, or a drag went on: a change of the state only, and too frequent to be kept among the
 * edits. */
int tn_log_nudged(tn_session *session, const tn_entry *nudge);
/* The session was put to another snapshot. */
int tn_log_moved(tn_session *session);

/* journal.c */
void tn_journal_close(tn_session *session);
int tn_journal_note(tn_session *session, const tn_entry *event);
/* Writes what waits to be merged with more of its kind; before the state changes in another way. */
int tn_log_flush(tn_session *session);
/* Once a second: how far it is. */
int tn_journal_under_way(tn_session *session, const tn_entry *going, long taken);

/* Everything up to now as entries: edits, each at its snapshot, and the present snapshot. */
void tn_log_write(tn_text *out, const tn_session *session);

/* rewind.c */
void tn_rewind_close(tn_session *session);
void tn_rewind_stepped(tn_session *session, double t_end);
/* A snapshot, when it is time for one. */
void tn_rewind_keep(tn_session *session);
void tn_rewind_edited(tn_session *session, const tn_logged *edit);
/* Keeps a snapshot where repeating the steps would not lead to it: after a step that failed. */
void tn_rewind_mark(tn_session *session);

#endif
