/* Components in the equations of a system: the interface for steppers and analyses. In a system without components
 * all functions do nothing, at negligible cost.
 *
 * A component is placed at a point (t, its states in z), which determines the motion of its ports. The columns of its
 * ports respond to forces tau on the ports by
 *     a = D tau + r
 * with D and r of the component (tenon/sys/component.h).
 *
 * A system does not change during evaluation. The changing data is in a coupling: an instance of each component, the
 * point where the instance is placed, and its results there. Workspaces that one thread uses in turn share a coupling,
 * as all workspaces of a run do; workspaces of different threads have separate couplings.
 *
 * One rule decides which results are valid: points are numbered, and every result of a component carries the number of
 * its point. A component that moves to another point, takes a step of its own or is restored gets a new number; results
 * with an older number are invalid (coupling_impl.h).
 *
 * The order of calls at a point: tn_eval_motion places the components, condense (where D is needed), ask, the solver's
 * factor and solve, add_free, tell. */
#ifndef TN_COUPLING_H
#define TN_COUPLING_H

#include "ports.h"
#include "tenon/sys/stepper.h"

/* ---- life ---- */

/* Creates instances of all components of the system, at their start. *out is NULL in a system without components.
 * Destroy the coupling before the system, and after all workspaces and solvers made with it. */
int tn_coupling_create(tn_coupling **out, const tn_system *system);
void tn_coupling_destroy(tn_coupling *coupling);
/* tn_eval_create, with a coupling of the same system. */
int tn_coupled_eval_create(tn_eval **out, const tn_system *system, tn_coupling *coupling, tn_arena *arena, bool lazy);

/* ---- what the system's components are like ---- */

/* What methods may rely on: allowances.h. */
/* TN_ERROR_ARGUMENT with a diagnostic when some component cannot take steps of its own. who: needs such steps. */
int tn_coupling_check_advance(const tn_system *system, const char *who);
/* The velocities that the evaluation of positions needs: v followed by the states, by which components are placed;
 * NULL in a system without components. */
const double *tn_coupling_velocities(const tn_system *system, const double *v);
/* The state is the work done on a component; no force depends on this state. */
bool tn_coupling_is_work(const tn_system *system, int state);

/* ---- start values that are given inside components (given.c) ---- */

/* coupling: NULL: no components. */
int tn_coupling_given_count(const tn_coupling *coupling);
/* One of them, at the point where its component is, with the name of the component. */
int tn_coupling_given(tn_component_given *out, tn_eval *eval, const tn_system *system, int index, const char **name);
/* Changes the states z of the component along the coordinate; see tn_component_type. */
int tn_coupling_push(tn_eval *eval, const tn_system *system, tn_question question, int index, double amount, double *z);

/* ---- what happens at given times inside components ---- */

/* Some component has forces or drives that depend on time, other than through the motion. coupling: NULL: no components. */
bool tn_coupling_timed(const tn_coupling *coupling);
/* The name of the component with the first change that a step from t0 to t1 does not show; NULL: none. */
const char *tn_coupling_missed(const tn_coupling *coupling, const tn_system *system, tn_step_view view, double t0, double t1,
                               tn_component_missed *out);
/* True: between t0 and t1 something inside a component jumps; out is the first jump. */
bool tn_coupling_jumps(const tn_coupling *coupling, double t0, double t1, tn_component_jump *out);

/* ---- solving ---- */

/* A solver of the system's equations with D in place of M^-1 in the columns of ports (component_solver.c). *type is
 * replaced when there are components; the new type is valid for this solver only. structure: the system's with the
 * pins of e, or an extended one; jacobian_size: doubles in its G. */
int tn_coupled_analyze(tn_saddle **out, const tn_solver_type **type, tn_eval *e, const tn_system *system,
                       const tn_structure *structure, size_t jacobian_size, tn_arena *arena);
/* Makes e, which is in the same arena, write M, G and pins directly into the solver's memory, without a copy. So do
 * components that can write M and G there. */
void tn_coupled_share_matrices(tn_saddle *saddle, tn_eval *e, const tn_system *system);

/* Finds D at the point in e, once for each point and rule. levels: only of components that disclose from least to most,
 * but all are placed. D of a component that only responds is found by unit forces. */
int tn_coupling_condense(tn_eval *e, const tn_system *system, tn_rank_rule rule);
int tn_coupling_condense_levels(tn_eval *e, const tn_system *system, tn_rank_rule rule, tn_disclosure least,
                                tn_disclosure most);
/* Prepares the next solution to answer the question. *u, the rows' right side, becomes room with the free motion of the
 * ports subtracted; it is unchanged where there is nothing to subtract. G and structure: of the rows. */
int tn_coupling_ask(tn_eval *e, const tn_system *system, const tn_structure *structure, const double *G,
                    tn_question question, const double **u, double *room);
/* After the solution: adds the motion of the ports without forces. */
void tn_coupling_add_free(const tn_eval *e, const tn_system *system, double *a);
/* Passes the forces f + G'lambda on their ports to components: writes the rates of their states, or corrected states,
 * to z. change: largest correction of a state, 0 where all components show their residual; or NULL. */
int tn_coupling_tell(tn_eval *e, const tn_system *system, const tn_structure *structure, const double *G,
                     tn_question question, const double *f, const double *lambda, double *z, double *change);
/* After a solution of accelerations, before e->f changes: components whose forces depend on reactions evaluate them again.
 * out: the largest numbers of all. tn_coupling_ask_again: the next solution asks for these forces.
 * tn_coupling_not_settled: notes in e that they never agree with the reactions; TN_ERROR_STEP. */
int tn_coupling_react(tn_eval *e, const tn_system *system, const tn_structure *structure, tn_component_reaction *out);
void tn_coupling_ask_again(const tn_eval *e, const tn_system *system);
int tn_coupling_not_settled(tn_eval *e, const tn_system *system);
/* Lets components correct their own states at (t, y), where no solution does. */
int tn_coupling_settle(tn_eval *e, const tn_system *system, double t, double *y);
/* Raises gap to the largest residual inside components, before a correction. scratch: like z. */
typedef struct tn_coupling_pass {
    tn_question question;
    bool first;                    /* this is the first pass */
    bool matrices;                 /* a factorization at this point is likely to follow */
    double changed;                /* change of the last pass, from tn_coupling_tell */
} tn_coupling_pass;
int tn_coupling_gap(tn_eval *e, const tn_system *system, const tn_coupling_pass *pass, double *scratch, double *gap);
/* Notes in e a component whose rates are not finite. (Components never receive states that are not finite.) */
int tn_coupling_check_rates(tn_eval *e, const tn_system *system, const double *dz);

/* ---- single operations, for callers that build their solutions differently ---- */

/* Writes r at the point into the columns of ports of all components: for solutions with D, or without a question. */
int tn_coupling_free(tn_eval *e, const tn_system *system, tn_question question, double *r);
/* The product of a row over all velocities with r in e->free. */
double tn_coupling_free_along(const tn_eval *e, const tn_system *system, const double *row);
/* For the rows that a structure has on ports, in G or as pins: u -= G r; tau += G'lambda. */
void tn_coupling_subtract_rows(const tn_system *system, const tn_structure *structure, const double *G, const double *r,
                               double *u);
void tn_coupling_add_reactions(const tn_system *system, const tn_structure *structure, const double *G,
                               const double *lambda, double *tau);
/* Components take tau, given in the columns of ports (NULL: none), or the last solution where that answered the
 * question, and write the rates of their states, or corrected states, to z. change: largest correction of a state, or
 * NULL. */
int tn_coupling_take(tn_eval *e, const tn_system *system, tn_question question, const double *tau, double *z,
                     double *change);
/* D tau in the columns of ports. After condense. */
void tn_coupling_respond(const tn_eval *e, const tn_system *system, const double *tau, double *answer);
/* The same after factor and condense of the components that show D: the others compute it by respond. */
int tn_coupling_answer(tn_eval *e, const tn_system *system, const double *tau, double *answer);
/* For motions x that forces on the ports can cause, after condense: out = tau with D tau = x in the columns of ports;
 * x'out is the moving mass inside. follow: components move by x, and correct their own states. */
void tn_coupling_weigh(const tn_eval *e, const tn_system *system, const double *x, double *out);
int tn_coupling_follow(tn_eval *e, const tn_system *system, tn_question question, const double *x, double *z);
/* Moves components from the state `from` by the motion of their ports, into the states of `to`; leaves e at `from`. */
int tn_coupling_move(tn_eval *e, const tn_system *system, double t, const double *from, const double *motion,
                     double *to);
/* Work (J) that an impulse tau on the ports does on components while their velocities v change by dv: added to the work
 * in z, and returned. */
double tn_coupling_strike(const tn_system *system, const double *tau, const double *v, const double *dv, double *z);
/* A number that changes when a component moves to another point or finds D again: solvers have to factor again then. */
long tn_coupling_version(const tn_eval *e);

/* ---- states ---- */

/* Copies q and v of ports at the point in e into a state. */
void tn_coupling_write_ports(const tn_eval *e, const tn_system *system, double *y);
/* Sets the copies of port motion in y, and the work done on components, to zero. */
void tn_coupling_clear_ports(const tn_system *system, double *y);
/* Work (J) done on all components. */
double tn_coupling_work(const tn_system *system, const double *z);
/* Snapshots of components, beyond their states: saved to and restored from the end of a coordinate memory, as whole
 * numbers. A snapshot that was never saved is skipped. */
void tn_coupling_save(const tn_eval *e, const tn_system *system, double *memory);
int tn_coupling_restore(tn_eval *e, const tn_system *system, const double *memory);
/* Components take steps of their own: from their snapshots in memory, which belong to y0, to t + h, under port forces
 * linear from tau_begin to tau_end. Writes to y1 their states, and the approximate motion of ports to count turns. */
int tn_coupling_advance(tn_eval *e, const tn_system *system, const tn_step *step, const double *memory,
                        const double *tau_begin, const double *tau_end);
/* Carries the states of components over to an edited system, into v (followed by states) and memory, from old_y and
 * old_memory of the old system, where a component and its place are unchanged. begins, of each: it has no old state. */
void tn_coupling_carry(const tn_system *old, const double *old_y, const double *old_memory, const tn_system *system,
                       double *v, double *memory, bool *begins);
/* For a component added during a run: finds its states, stored after v, that bring its ports as near as possible to
 * their places in q and v. The search starts from its given states; the states of other components do not change. gap:
 * largest remaining error of positions, m or rad. */
int tn_coupling_fit(tn_eval *e, const tn_system *system, int component, double t, double *q, double *v,
                    tn_arena *arena, double *gap);

#endif
