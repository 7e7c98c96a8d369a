/* Runs over time: edits by a script, a journal of what happened, saved runs, and going back. See docs/live.md. */
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
/* Where the edit stands in its file. */
TN_API tn_span tn_script_span(const tn_script *script, size_t index);
/* Makes the edit now, whatever its time. Messages are about its place in the script. ack may be NULL. */
TN_API int tn_script_apply(tn_ack *ack, const tn_script *script, size_t index, tn_session *session);

/* Goes on to the end of the run (tn_session_run) and makes the edits on the way, each exactly at its time; done, which
 * may be NULL, is called after each. The first that fails ends it; one that comes after the end is not made. */
typedef void (*tn_script_callback)(void *user, size_t index, const tn_ack *ack);
TN_API int tn_script_run(const tn_script *script, tn_session *session, tn_script_callback done, void *user);

/* ---- journals: what happened, as it happens ---- */

/* From here on everything that happens to the session is written to the file, which is replaced: how far it advanced,
 * commands, undo and redo, settings. When a call that makes an edit returns, its entry has been handed to the system: a
 * program that is killed loses none. The model must have been read from files or text. TN_ERROR_FILE when an entry
 * cannot be written: what was done stays done, and the journal ends before it. */
TN_API int tn_session_journal(tn_session *session, const char *path);
/* Writes what waits to be merged with more of its kind, so that the file tells everything up to now. */
TN_API int tn_session_journal_flush(tn_session *session);

/* Goes through a journal (or a saved run) again, entry by entry, with nothing but the file. */
typedef struct tn_replay tn_replay;
typedef struct tn_replay_entry {
    int line;                  /* in the journal */
    char text[240];            /* what was done, in words */
    bool edit;                 /* ack is about it */
    tn_ack ack;
    bool compared;             /* a hash is recorded */
    uint64_t recorded;
    bool same;                 /* it is the hash of the state now; true when there is none */
} tn_replay_entry;
TN_API int tn_replay_open(tn_replay **out, tn_context *context, const char *path);
TN_API void tn_replay_close(tn_replay *replay);
/* The session it is done with: for channels, callbacks and recording. It belongs to the replay. */
TN_API tn_session *tn_replay_session(tn_replay *replay);
/* The next entry. TN_NEWS_END: there was none; TN_NEWS_INTERRUPTED: a callback of the session said so. */
TN_API int tn_replay_next(tn_replay_entry *entry, tn_replay *replay);
/* Its last entry was read, and it was that of a run that ended in order. */
TN_API bool tn_replay_complete(const tn_replay *replay);

/* ---- saved runs ---- */

/* Model, edits and state in one file. At any instant there is either the old file or the new one, complete. */
TN_API int tn_session_save(tn_session *session, const char *path);
/* A session that goes on from there, to the bit. It owns its model. */
TN_API int tn_session_load(tn_session **out, tn_context *context, const char *path);
/* A second session that is where this one is, and goes its own way: to keep a run for comparison before changing it. */
TN_API int tn_session_branch(tn_session **out, tn_session *session);

/* ---- going back ---- */

/* Keeps moments of the run from here on, about interval seconds (of simulated time) apart, in so much memory; when it
 * is full, the oldest are dropped. bytes 0: keeps none any more. Nothing is allocated while stepping. */
TN_API int tn_session_keep_past(tn_session *session, size_t bytes, double interval);
/* The earliest time that can be gone back to; NaN: none. */
TN_API double tn_session_past_begin(const tn_session *session);
/* To the first step at or after time that the run has taken, to the bit, with the model of that time. Edits in between
 * are taken back, or made again. The later part stays, and can be sought, until the session goes on or is changed: from
 * then on there is another. */
TN_API int tn_session_seek(tn_session *session, double time);

/* What channels (or expressions of them) were at the kept moments, the oldest first: those since the model was last
 * changed, and not before since. look returns 0 to go on; otherwise it ends with TN_NEWS_INTERRUPTED. The session stays
 * as it is. */
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
