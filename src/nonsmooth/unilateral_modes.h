/* Modes (open, rests, slides, sticks) of the unilateral constraints that touch; private to this folder. */
#ifndef TN_UNILATERAL_MODES_H
#define TN_UNILATERAL_MODES_H

#include "delassus.h"

/* Decides the modes of the operator's unilateral constraints from forces and accelerations at the loaded state. solved
 * becomes false where no forces are compatible with the sliding contacts; modes then belong to the nearest forces. */
int tn_unilaterals_decide(tn_delassus *delassus, tn_unilateral_mode *modes, bool *solved);

/* friction_loads.c. tn_delassus_set_friction: tells from the velocities w whether constraint k slides, and sets slip
 * direction and coefficient of its cone; slips slower than `still` count as zero. tn_delassus_turn_loads: accelerations of
 * all rows by the torques against turning, for a normal force of 1 at each constraint (constraints x rows, in the
 * operator's arena); NULL: there are no such torques. tn_delassus_add_adhesion: adds the accelerations by the adhesion of
 * the chosen constraints to those of a subproblem; forces then count from the largest pull. tn_delassus_add_pulls: the
 * same for b. */
void tn_delassus_set_friction(tn_delassus *delassus, int k, const double *w, double still);
int tn_delassus_turn_loads(tn_delassus *delassus, double **out);
void tn_delassus_add_adhesion(const tn_delassus *delassus, const tn_cone_problem *problem, double *part_b);
void tn_delassus_add_pulls(tn_delassus *delassus, int count);

/* Counts a decision that was not solved exactly in the summary; the first one gives a warning. */
void tn_unilaterals_note_solved(tn_session *session, bool solved);

/* contact_laws.c: opens the Delassus operator of all unilateral constraints that are not open, for states at which the
 * equations of the closed ones hold. */
int tn_delassus_open_touching(tn_delassus *out, tn_session *session);
/* Tells whether the decided forces give the accelerations in stepper->eval at all unilateral rows, up to the share
 * tolerance of the largest term. Different forces, and so different modes, may give the same accelerations. */
bool tn_delassus_moves_alike(const tn_delassus *delassus, double tolerance);

/* Returns the speed below which the velocities w count as zero. */
double tn_delassus_still(const tn_delassus *delassus, const double *w);
/* Finds the smallest impulse p that stops numbers[0 .. rows-1], from the velocities b. */
void tn_delassus_find_stop(tn_delassus *delassus, int rows);
/* Returns the kinetic energy (J) that the impulse p takes from the velocities b. */
double tn_delassus_loss(const tn_delassus *delassus);
/* Applies the impulse p to the velocities in delassus->y and loads that state. Adds the lost energy (J) to *lost. */
int tn_delassus_strike(tn_delassus *delassus, double *lost);

/* Unilateral constraints with small gaps, listed as open ones; the memory belongs to an arena. */
typedef struct tn_near_list {
    tn_unilateral *unilaterals;
    tn_unilateral **list;
    int count;
} tn_near_list;
/* Lists touches with gaps below margin at the motion in stepper->eval, and limits with gaps below margin now or within
 * the time h. */
int tn_near_list_find(tn_near_list *out, tn_session *session, double margin, double h, tn_arena *arena);
/* Returns the deepest overlap (m or rad); 0: there is none. */
double tn_near_list_depth(const tn_near_list *near);
/* to += the motion that the operator's forces p cause. */
void tn_delassus_add_response(const tn_delassus *delassus, double *to);

/* Forces and sliding accelerations below this share of the largest count as zero. */
static const double TN_UNILATERAL_NOTHING = 1e-11;

#endif
