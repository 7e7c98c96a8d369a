/* Unilateral constraints in static equilibrium: rows for the search (statics.h), and modes at rest. */
#ifndef TN_REST_H
#define TN_REST_H

#include "statics.h"
#include "unilaterals.h"

/* Returns the callbacks with which tn_statics_descend respects the session's unilateral constraints, all of which must
 * be open (tn_unilaterals_let_go). The search uses the session's workspace and coordinate memory. */
tn_static_bounds tn_rest_bounds(tn_session *session);
/* Tells whether the session's model has unilateral constraints. */
bool tn_rest_needed(const tn_session *session);
/* At the accepted state, at rest with drives held: decides which unilateral constraints bear load, closes them, and
 * attaches them to the system. Contacts with friction get their tangential equations. */
int tn_rest_close(tn_session *session);
/* After the equilibrium with the closed constraints has been found at the state of near: checks gaps and forces of all
 * unilateral constraints there, and writes the contact forces into near's multipliers. *rests: all laws
 * hold, and forces that nothing balances are below the share tolerance of the load (N). */
int tn_rest_check(tn_session *session, tn_tangent *near, double tolerance, double load, bool *rests);
/* Opens the closed constraints whose normal force is zero at the multipliers lambda, up to round-off of the load (N or
 * N m); *count: how many. The system is compiled again if there are any. */
int tn_rest_release(int *count, tn_session *session, const double *lambda, double load);
/* Tells whether constraints that touch at y, a state near that of near, oppose a displacement x, and the opposite
 * one. */
int tn_rest_opposes(bool *forward, bool *backward, tn_session *session, const tn_tangent *near, const double *y,
                    const double *x);
/* Returns the unilateral constraint that is violated most at a state of near, NULL: none beyond round-off. */
int tn_rest_violated(const char **name, double *depth, tn_session *session, const tn_tangent *near);
/* Lists the closed unilateral constraints with their normal forces at the multipliers lambda, in the arena. */
int tn_rest_supports(tn_equilibrium *out, const tn_session *session, const double *lambda, tn_arena *arena);

#endif
