/* The log of a session: the edits with the snapshots before them (for saving the run), the journal and the rewind
 * buffer. Every public function that changes the run reports to the log. Private to this layer. */
#ifndef TN_SESSION_LOG_H
#define TN_SESSION_LOG_H

#include "entry.h"
#include "tenon/history.h"

typedef struct tn_journal tn_journal;
typedef struct tn_rewind tn_rewind;
typedef struct tn_spill tn_spill;

/* Settings of the solver that edits have named; each stays until the session closes. */
typedef struct tn_log_solve tn_log_solve;
struct tn_log_solve {
    tn_solve solve;
    tn_log_solve *before;      /* NULL: it was the first */
};

typedef struct tn_logged {
    tn_entry event;            /* owns its command and the name of its body */
    tn_snapshot before;
    const tn_solve *solve_before;      /* SOLVE: the settings before the edit; in the session's arena */
} tn_logged;

struct tn_log {
    tn_logged *edits;          /* edits[count] is the edit in progress */
    size_t count, capacity;
    size_t bytes;              /* of the edits, approximately */
    tn_spill *spill;           /* earlier edits, in a file; NULL: there are none */
    size_t spill_again;        /* bytes: the file could not be written, the next attempt is made here; 0: it could */
    tn_log_solve *solves;      /* the last one */
    tn_journal *journal;       /* NULL: no journal is written */
    tn_journal_options journal_options;
    tn_rewind *rewind;         /* NULL: no rewind buffer is kept */
};

/* Returns the log of a session and creates it on first use; NULL when out of memory. */
tn_log *tn_log_of(tn_session *session);
void tn_log_free(tn_session *session);

/* Prepare stores the entry and a snapshot before an edit; commit reports the edit afterwards. result is the code of the
 * edit; commit returns it unless the journal cannot be written. changed is false when the edit had no effect.
 * TN_LOG_TAKE_BACK: the edit was made, but the journal could not take its entry. The caller restores the state before
 * the edit, of which the log still has snapshot and entry, and calls tn_log_drop, which returns TN_ERROR_FILE. */
enum { TN_LOG_TAKE_BACK = 1000 };
int tn_log_prepare(tn_session *session, const tn_entry *event);
int tn_log_commit(tn_session *session, int result, bool changed);
/* The two halves of commit: the journal takes the entry, with commit's result; the log and the rewind buffer keep the edit,
 * unless noted is TN_LOG_TAKE_BACK. Between them the undo list gets the length that the rewind buffer relies on. */
int tn_log_note(tn_session *session, int result, bool changed);
void tn_log_keep(tn_session *session, int noted, bool changed);
int tn_log_drop(tn_session *session);
/* Commit for edits of the state alone: takes the edit back by its snapshot. */
int tn_log_commit_state(tn_session *session, int result);
/* Replaces the text of the command in progress. The log takes ownership of command; NULL keeps the present text. */
void tn_log_complete(tn_session *session, char *command);

/* Reports during an ADVANCE, RUN or STEP: the integrator took a step (before events fire); the step is complete, events
 * included; the whole entry has ended. */
void tn_log_stepped(tn_session *session, double t_end);
int tn_log_under_way(tn_session *session, const tn_entry *advance, long taken);
int tn_log_advanced(tn_session *session, const tn_entry *advance);
/* Reports a moved target of a pull or a continued drag, and its result. Such changes affect the state only and are too
 * frequent to be kept in the list of edits. The call before it takes the snapshot to go back to when the journal cannot
 * take the entry. */
int tn_log_before_nudge(tn_snapshot *before, tn_session *session);
int tn_log_nudged_or_back(tn_session *session, int result, const tn_entry *nudge, tn_snapshot *before);
/* Reports new values of inputs. They are part of an advance: a journal that cannot take them is behind. */
int tn_log_nudged(tn_session *session, const tn_entry *nudge);
/* Reports that another snapshot was restored in the session. */
int tn_log_moved(tn_session *session);

/* input_values.c: lets changed inputs take effect: restarts the integrator and writes an entry. Call before time advances, edits,
 * and snapshots. replay: sets all inputs as the entry says. */
int tn_inputs_take(tn_session *session);
int tn_inputs_replay(tn_session *session, const tn_entry *entry, tn_span place);

/* journal.c */
void tn_journal_close(tn_session *session);
int tn_journal_note(tn_session *session, const tn_entry *event);
/* Writes the entry that waits to be merged with equal entries. Call this before the state changes in another way. */
int tn_log_flush(tn_session *session);
/* Writes the progress of the present entry, at most once a second. */
int tn_journal_under_way(tn_session *session, const tn_entry *advance, long taken);

/* Writes the run so far as entries: each edit after the snapshot before it, then the present snapshot. TN_ERROR_FILE with a
 * diagnostic when earlier edits cannot be read. */
int tn_log_write(tn_text *out, const tn_session *session);

/* rewind.c */
void tn_rewind_close(tn_session *session);
void tn_rewind_stepped(tn_session *session, double t_end);
/* Adds the present snapshot when the interval since the last one has passed or an edit needs one. */
void tn_rewind_keep(tn_session *session);
void tn_rewind_edited(tn_session *session, const tn_logged *edit);
/* Adds the present snapshot at once: for states that repeating the steps would not reach, as after a failed step. */
void tn_rewind_mark(tn_session *session);

#endif
