/* Do the modes of the unilateral constraints hold at a state? Private to this folder. */
#ifndef TN_MODE_CHECK_H
#define TN_MODE_CHECK_H

#include "unilateral_modes.h"

/* Workspace of checks at several states; { .session = session } before the first one. */
typedef struct tn_mode_check {
    tn_session *session;
    tn_delassus delassus;
    bool has_delassus;
    tn_unilateral_mode *modes;     /* decided modes of the constraints in delassus */
} tn_mode_check;
/* Tells whether other modes are the solution at the state y, whose motion and reactions are in stepper->eval. */
int tn_mode_check_changes(tn_mode_check *check, const double *y, bool *changes);
void tn_mode_check_close(tn_mode_check *check);

/* Tells whether any constraint is not open. */
bool tn_modes_any_closed(const tn_session *session);
/* Returns the force (N or N m) by which a closed constraint is away from opening or slipping, at the point in stepper->eval. */
double tn_mode_margin(const tn_session *session, const tn_unilateral *unilateral);

/* At the motion in stepper->eval. tn_slips_watch: marks the slips that are clearly under way. tn_slips_left: returns the
 * smallest slip (m/s) that remains before a sliding contact no longer slides in its direction; negative: one does not.
 * tn_slips_follow: updates the slip directions of sliding contacts. */
void tn_slips_watch(tn_session *session);
double tn_slips_left(tn_session *session);
void tn_slips_follow(tn_session *session);

/* mode_search.c: tells whether shapes meet on the line from the accepted state to (t, y). */
int tn_touches_meet_before(tn_session *session, double t, const double *y, bool *meet);

#endif
