/* The history of a run: edits by a script, a journal of all changes, saved runs, rewinding. See docs/live.md. */
#ifndef TENON_HISTORY_H
#define TENON_HISTORY_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scripts: edits at given times ---- */

typedef struct tn_script tn_script;
/* { edits: [ { at: 0.5 s, do: { remove: elbow } }, { at: 2 s, undo: restore } ] }; times ascend. */
TN_API int tn_script_read(tn_script **out, tn_context *context, const char *path);
TN_API void tn_script_destroy(tn_script *script);
TN_API size_t tn_script_count(const tn_script *script);
TN_API double tn_script_time(const tn_script *script, size_t index);          /* s */
/* The position of the edit in its file. */
TN_API tn_span tn_script_span(const tn_script *script, size_t index);
/* Makes the edit now and ignores its time. Diagnostics refer to its position in the script. ack may be NULL. */
TN_API int tn_script_apply(tn_ack *ack, const tn_script *script, size_t index, tn_session *session);

/* Advances to the end of the run (tn_session_run) and makes each edit exactly at its time. The callback done, which may
 * be NULL, is called after each edit. The first edit that fails ends the run; edits after the end of the run are not
 * made. */
typedef void (*tn_script_callback)(void *user, size_t index, const tn_ack *ack);
TN_API int tn_script_run(const tn_script *script, tn_session *session, tn_script_callback done, void *user);

/* ---- journals: a record of all changes to a session ---- */

/* From now on every change of the session is written to the file, which is replaced: time advanced, commands, undo and
 * redo, settings. When a call that makes an edit returns, the operating system already has the entry: a program that is
 * killed loses no entry. The model must have been read from files or text. The file is locked: TN_ERROR_FILE when
 * another session writes it.
 * When an entry cannot be written, as on a full disk, the journal is behind. Steps go on. Calls that make an edit return
 * TN_ERROR_FILE and change nothing. Each of them, and steps once a second, try to write again; the journal then goes on
 * from a snapshot of the present state. */
TN_API int tn_session_journal(tn_session *session, const char *path);

typedef struct tn_journal_options {
    bool go_on;                /* make edits also while the journal is behind; they are written when it catches up */
    bool sync;                 /* an edit returns when its entry is on the disk: it survives a power failure */
} tn_journal_options;
/* For the present journal and for later ones of this session. Without this call both options are off. */
TN_API int tn_session_journal_options(tn_session *session, const tn_journal_options *options);

typedef struct tn_journal_status {
    bool kept;                 /* there is a journal */
    bool behind;               /* it lacks the changes since the time below; the rest is meaningful then */
    double since;              /* s, simulated */
    long unwritten;            /* edits that are in no file, with go_on */
    char reason[80];           /* as "No space left on device" */
} tn_journal_status;
TN_API tn_journal_status tn_session_journal_status(const tn_session *session);

/* Writes entries that wait to be merged with later ones, so that the file is complete up to now. TN_ERROR_FILE when
 * that is not possible. */
TN_API int tn_session_journal_flush(tn_session *session);

/* Repeats a journal (or a saved run) entry by entry; needs no other file. */
typedef struct tn_replay tn_replay;
typedef struct tn_replay_entry {
    int line;                  /* in the journal */
    char text[240];            /* description of the entry, in words */
    bool edit;                 /* the entry is an edit; ack describes it */
    tn_ack ack;
    bool compared;             /* the entry has a recorded hash */
    uint64_t recorded;
    bool same;                 /* the state now has the recorded hash; also true when there is no hash */
} tn_replay_entry;
TN_API int tn_replay_open(tn_replay **out, tn_context *context, const char *path);
TN_API void tn_replay_close(tn_replay *replay);
/* The session of the replay, for channels, callbacks and recording. The replay owns it. */
TN_API tn_session *tn_replay_session(tn_replay *replay);
/* Repeats the next entry. TN_NEWS_END: there is no entry left; TN_NEWS_INTERRUPTED: a callback of the session stopped
 * it. */
TN_API int tn_replay_next(tn_replay_entry *entry, tn_replay *replay);
/* True when the last entry was read and the run had been closed properly. */
TN_API bool tn_replay_complete(const tn_replay *replay);

/* ---- saved runs ---- */

/* Saves model, edits and state in one file. At any instant either the old or the new file exists, complete. */
TN_API int tn_session_save(tn_session *session, const char *path);
/* Opens a session that continues from the saved state, to the bit. The session owns its model. */
TN_API int tn_session_load(tn_session **out, tn_context *context, const char *path);
/* Opens a second session with the same state, independent of the first: to compare a run with and without a change. Its model is a
 * copy: find handles of inputs and bodies in tn_session_model of the new session. Snapshots fit both. */
TN_API int tn_session_branch(tn_session **out, tn_session *session);

/* ---- rewinding ---- */

/* Keeps snapshots of the run from now on, about interval seconds (of simulated time) apart, in a rewind buffer of this
 * size; when the buffer is full, the oldest snapshots are dropped. bytes 0: no further snapshots are kept.
 * Stepping does not allocate memory. */
TN_API int tn_session_keep_rewind(tn_session *session, size_t bytes, double interval);
/* The earliest time that tn_session_seek can reach; NaN: there is none. */
TN_API double tn_session_rewind_begin(const tn_session *session);
/* Moves the session to the first step of the run at or after time, to the bit, with the model of that time. Edits in
 * between are undone or redone. The later part of the run stays reachable until the session advances or is changed;
 * then the new run replaces it. */
TN_API int tn_session_seek(tn_session *session, double time);

/* Calls look with the values of channels (or expressions of channels) at the kept snapshots, the oldest first: the
 * snapshots since the last change of the model, and not before since. look returns 0 to continue; any other value ends
 * the calls with TN_NEWS_INTERRUPTED. The session does not change. */
typedef struct tn_looking {
    double since;              /* s */
    int (*look)(void *user, double time, const double *values);
    void *user;
} tn_looking;
TN_API int tn_session_look_back(tn_session *session, const char *const *channels, size_t count,
                                const tn_looking *looking);

#ifdef __cplusplus
}
#endif
#endif
