/* Snapshots of a run. A snapshot and its model together continue the run bit for bit. */
#ifndef TN_SNAPSHOT_H
#define TN_SNAPSHOT_H

#include "events.h"
#include "unilaterals.h"

/* The complete state of a run, without its model. */
typedef struct tn_snapshot {
    int *users;                    /* number of snapshots that share the arrays; NULL: the arrays are borrowed */
    double t, h;
    double *y, *dy, *memory;
    size_t size, memory_size;      /* lengths of y and dy, and of memory */
    double turned, approach;
    int usual_rank;                /* where rows are dependent, steps look for the rank beside the state once */
    bool smooth_rate;
    tn_step_counts counts;
    double work;
    tn_network_sum network;
    long next_sample;
    tn_events_snapshot events;
    tn_unilaterals_snapshot unilaterals;
    tn_summary summary;            /* of the run so far, without wall time */
    tn_pulling pull;
} tn_snapshot;

/* The present snapshot; its arrays are borrowed from the session. Take makes a copy that owns its arrays. */
tn_snapshot tn_snapshot_now(const tn_session *session);
int tn_snapshot_take(tn_snapshot *out, const tn_session *session);
/* Another reference to the same arrays; free each of them. */
tn_snapshot tn_snapshot_share(const tn_snapshot *snapshot);
void tn_snapshot_free(tn_snapshot *snapshot, tn_context *context);
/* Restores the snapshot in a session that has the snapshot's model. The run then repeats bit for bit. */
int tn_snapshot_restore(tn_session *session, const tn_snapshot *snapshot);
/* Before unilateral constraints are restored: attaching them evaluates at the stepper's state, which must be the snapshot's,
 * with the modes of its devices. */
void tn_snapshot_place(tn_stepper *stepper, const tn_snapshot *snapshot);
/* Restore the other parts of the snapshot after its unilateral constraints: the motion in a stepper, then the account
 * of the run so far in the session. */
int tn_snapshot_resume(tn_stepper *stepper, const tn_snapshot *snapshot);
int tn_snapshot_account(tn_session *session, const tn_snapshot *snapshot);

/* Replaces the present pull by this pull, which may be inactive. The caller has to restart the stepper. */
void tn_pull_put(tn_session *session, const tn_pulling *pull);

#endif
