/* Snapshots of a run: everything a run needs to go on to the bit, with the model it belongs to. */
#ifndef TN_SNAPSHOT_H
#define TN_SNAPSHOT_H

#include "events.h"
#include "unilaterals.h"

/* Where a run is: with the model it belongs to, all that a run needs to go on to the bit. */
typedef struct tn_moment {
    double t, h;
    double *y, *dy, *memory;
    size_t size, memory_size;      /* their lengths */
    double turned, approach;
    tn_step_counts counts;
    double work;
    long next_sample;
    tn_events_past events;
    tn_guards_past guards;
    tn_summary summary;            /* so far; wall time is not part of it */
} tn_moment;

/* The present one, with arrays that are the session's. */
tn_moment tn_moment_now(const tn_session *session);
int tn_moment_take(tn_moment *out, const tn_session *session);
void tn_moment_free(tn_moment *moment, tn_context *context);
/* Puts the session, which has the moment's model, there: what follows is what followed then, to the bit. */
int tn_moment_restore(tn_session *session, const tn_moment *moment);
/* Its parts behind the guards: motion, and the account of the run so far. */
int tn_moment_resume(tn_stepper *stepper, const tn_moment *moment);
int tn_moment_account(tn_session *session, const tn_moment *moment);

#endif
