/* Components in the equations of a system: the interface of everything that steps and analyses do with them. Where a
 * system has no components all functions do nothing, and cost nothing to speak of.
 *
 * A component stands at a point (t, its states in z), which tells where its ports are. Columns of ports answer to
 * forces tau on them by
 *     a = D tau + r
 * with D and r of the component (tenon/sys/component.h).
 *
 * A system does not change while it is evaluated. All that does is in a coupling: an instance of each component, the
 * point that it stands at, and what is known of it there. Workspaces that one thread evaluates in turn share a
 * coupling, as all of a run do; workspaces of different threads have couplings of their own.
 *
 * One rule says what is known: points are numbered, and everything that a component has told carries the number of its
 * point. A component that goes elsewhere, takes a step of its own or is restored gets a new number; what carries an
 * older one is not known any more (coupling_impl.h).
 *
 * The order of calls at a point: tn_eval_motion places the components, condense (where D is needed), ask, the solver's
 * factor and solve, add_free, tell. */
#ifndef TN_COUPLING_H
#define TN_COUPLING_H

#include "ports.h"
#include "tenon/sys/stepper.h"

/* ---- life ---- */

/* Instances of all components of the system, at their start. *out is NULL where it has none. Destroyed before the
 * system, and after all workspaces and solvers made with it. */
int tn_coupling_create(tn_coupling **out, const tn_system *system);
void tn_coupling_destroy(tn_coupling *coupling);
/* tn_eval_create, with a coupling of the same system. */
int tn_coupled_eval_create(tn_eval **out, const tn_system *system, tn_coupling *coupling, tn_arena *arena, bool lazy);

/* ---- what the system's components are like ---- */

/* Some of the system is inside components: the equations of motion cannot be written out, nor differentiated term by
 * term. */
bool tn_coupling_hides(const tn_system *system);
/* Some component only responds: what it answers a solver is about the point where that was factored. */
bool tn_coupling_responds_only(const tn_system *system);
/* Some component is not open, or needs lambda for another reason. */
bool tn_coupling_needs_lambda(const tn_system *system);
/* TN_ERROR_ARGUMENT with a diagnostic when some component cannot take steps of its own, as who needs. */
int tn_coupling_check_advance(const tn_system *system, const char *who);
/* The velocities that evaluation of positions needs: v with states behind, where they are what components stand at;
 * NULL where there are no components. */
const double *tn_coupling_velocities(const tn_system *system, const double *v);
/* The state is the work that went into a component, which acts on nothing. */
bool tn_coupling_is_work(const tn_system *system, int state);

/* ---- solving ---- */

/* A solver of the system's equations with D in place of M^-1 in the columns of ports (component_solver.c). *type is
 * replaced when there are components; what replaces it analyzes nothing else. structure: the system's with the pins of
 * e, or an extended one; its G has so many doubles. */
int tn_coupled_analyze(tn_saddle **out, const tn_solver_type **type, tn_eval *e, const tn_system *system,
                       const tn_structure *structure, size_t jacobian_size, tn_arena *arena);
/* M, G and pins of e, which is of the same arena, are written where that solver has them, and need not be copied. So
 * are M and G of components that can write them there. */
void tn_coupled_share_matrices(tn_saddle *saddle, tn_eval *e, const tn_system *system);

/* D at the point in e, once for each point and rule; levels: of components that disclose from least to most, but all
 * are placed. Of those that only respond, D is found by unit forces. */
int tn_coupling_condense(tn_eval *e, const tn_system *system, tn_rank_rule rule);
int tn_coupling_condense_levels(tn_eval *e, const tn_system *system, tn_rank_rule rule, tn_disclosure least,
                                tn_disclosure most);
/* Prepares the next solution to answer the question. *u, the rows' right side, becomes room with what ports do by
 * themselves taken off; it stays as it is where nothing has to be. G and structure: of the rows. */
int tn_coupling_ask(tn_eval *e, const tn_system *system, const tn_structure *structure, const double *G,
                    tn_question question, const double **u, double *room);
/* After the solution: adds what ports do by themselves. */
void tn_coupling_add_free(const tn_eval *e, const tn_system *system, double *a);
/* Tells components the forces f + G'lambda on their ports: rates of their states, or the states put right, in z.
 * change: largest change of a state by putting right, 0 where all components show their residual; or NULL. */
int tn_coupling_tell(tn_eval *e, const tn_system *system, const tn_structure *structure, const double *G,
                     tn_question question, const double *f, const double *lambda, double *z, double *change);
/* Lets components put themselves right at (t, y), where nothing else does. */
int tn_coupling_settle(tn_eval *e, const tn_system *system, double t, double *y);
/* Raises gap to the largest residual inside components, before a correction. scratch: like z. */
typedef struct tn_coupling_pass {
    tn_question question;
    bool first;                    /* of the passes */
    bool matrices;                 /* a factorization at this point is likely to follow */
    double changed;                /* by the last pass, as tn_coupling_tell says */
} tn_coupling_pass;
int tn_coupling_gap(tn_eval *e, const tn_system *system, const tn_coupling_pass *pass, double *scratch, double *gap);
/* Notes in e whose rates are no numbers. (States that are none, they are not given.) */
int tn_coupling_check_rates(tn_eval *e, const tn_system *system, const double *dz);

/* ---- parts of that, for solutions that are put together otherwise ---- */

/* r at the point into the columns of ports, of all components: for solutions with D, or without having asked. */
int tn_coupling_free(tn_eval *e, const tn_system *system, tn_question question, double *r);
/* The same in e->free: its part along a row over all velocities. */
double tn_coupling_free_along(const tn_eval *e, const tn_system *system, const double *row);
/* With the rows that a structure has on ports, in G or as pins: u -= G r; tau += G'lambda. */
void tn_coupling_subtract_rows(const tn_system *system, const tn_structure *structure, const double *G, const double *r,
                               double *u);
void tn_coupling_add_reactions(const tn_system *system, const tn_structure *structure, const double *G,
                               const double *lambda, double *tau);
/* What components make of tau, given in the columns of ports (NULL: none), or of the last solution where that answered
 * the question: rates of their states, or the states put right, in z. change: largest change of a state by putting
 * right, or NULL. */
int tn_coupling_take(tn_eval *e, const tn_system *system, tn_question question, const double *tau, double *z,
                     double *change);
/* D tau in the columns of ports. After condense. */
void tn_coupling_respond(const tn_eval *e, const tn_system *system, const double *tau, double *answer);
/* The same after factor and condense of those that show D: others are asked. */
int tn_coupling_answer(tn_eval *e, const tn_system *system, const double *tau, double *answer);
/* Motions that forces on the ports can cause, after condense: out = tau with D tau = x in the columns of ports, which
 * makes x'out the mass inside that moves along. follow: components move by x, and to put themselves right. */
void tn_coupling_weigh(const tn_eval *e, const tn_system *system, const double *x, double *out);
int tn_coupling_follow(tn_eval *e, const tn_system *system, tn_question question, const double *x, double *z);
/* Moves components from the state from by the motion of their ports, into the states of to; e is at from then. */
int tn_coupling_move(tn_eval *e, const tn_system *system, double t, const double *from, const double *motion,
                     double *to);
/* J that goes into components by an impulse tau on their ports, which changes their velocities v by dv: added to what
 * is in z, and returned. */
double tn_coupling_strike(const tn_system *system, const double *tau, const double *v, const double *dv, double *z);
/* Another number when a component has gone somewhere else, or found D anew: solvers have to factor again then. */
long tn_coupling_version(const tn_eval *e);

/* ---- states ---- */

/* Copies q and v of ports, as they are at the point in e, into a state. */
void tn_coupling_write_ports(const tn_eval *e, const tn_system *system, double *y);
/* Zero where y has copies of what components tell, and the work that goes into them. */
void tn_coupling_clear_ports(const tn_system *system, double *y);
/* J that went into all components. */
double tn_coupling_work(const tn_system *system, const double *z);
/* Snapshots of components, beyond their states: written to and taken from the end of a coordinate memory, as whole
 * numbers. One that was never written is not taken. */
void tn_coupling_save(const tn_eval *e, const tn_system *system, double *memory);
int tn_coupling_restore(tn_eval *e, const tn_system *system, const double *memory);
/* Steps of components' own: from their snapshots in memory, which are those of y0, to t + h, under forces on the ports
 * that go linearly from tau_begin to tau_end. In y1: their states; their ports nearly, as far as turns are counted. */
int tn_coupling_advance(tn_eval *e, const tn_system *system, const tn_step *step, const double *memory,
                        const double *tau_begin, const double *tau_end);
/* States of the components of an edited system, in v (states behind) and memory, from those of the system before, at y
 * and its memory: of components that are the same and in the same place. begins: of each, that it is not. */
void tn_coupling_carry(const tn_system *old, const double *old_y, const double *old_memory, const tn_system *system,
                       double *v, double *memory, bool *begins);
/* Components that begin while a run goes on: finds states of one, behind v, with which its ports are as near as it can
 * bring them to where they are in q and v. From where its states are; those of others stay. gap: what positions are off
 * at most, m or rad. */
int tn_coupling_fit(tn_eval *e, const tn_system *system, int component, double t, double *q, double *v,
                    tn_arena *arena, double *gap);

#endif
