/* Snapshots of a run: everything a run needs to go on to the bit, with the model it belongs to. */
#ifndef TN_SNAPSHOT_H
#define TN_SNAPSHOT_H

#include "events.h"
#include "unilaterals.h"

/* Where a run is: with the model it belongs to, all that a run needs to go on to the bit. */
typedef struct tn_snapshot {
    int *users;                    /* how many share its arrays; NULL: they are somebody else's */
    double t, h;
    double *y, *dy, *memory;
    size_t size, memory_size;      /* their lengths */
    double turned, approach;
    tn_step_counts counts;
    double work;
    long next_sample;
    tn_events_snapshot events;
    tn_unilaterals_snapshot unilaterals;
    tn_summary summary;            /* so far; wall time is not part of it */
    tn_pulling pull;
} tn_snapshot;

/* The present one, with arrays that are the session's. */
tn_snapshot tn_snapshot_now(const tn_session *session);
int tn_snapshot_take(tn_snapshot *out, const tn_session *session);
/* The same once more, with the same arrays. */
tn_snapshot tn_snapshot_share(const tn_snapshot *snapshot);
void tn_snapshot_free(tn_snapshot *snapshot, tn_context *context);
/* Puts the session, which has the snapshot's model, there: what follows is what followed then, to the bit. */
int tn_snapshot_restore(tn_session *session, const tn_snapshot *snapshot);
/* Its parts behind the unilaterals: motion, and the account of the run so far. */
int tn_snapshot_resume(tn_stepper *stepper, const tn_snapshot *snapshot);
int tn_snapshot_account(tn_session *session, const tn_snapshot *snapshot);

/* Puts this pull, or none, in place of the present one. The stepper has to be started again. */
void tn_pull_put(tn_session *session, const tn_pulling *pull);

#endif
