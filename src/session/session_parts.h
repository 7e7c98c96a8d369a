/* Functions of the session that are private to this layer: opening a session, and analyses of its state. */
#ifndef TN_SESSION_PARTS_H
#define TN_SESSION_PARTS_H

#include "assemble.h"
#include "channels.h"
#include "kinematics.h"
#include "log.h"
#include "tangent.h"
#include "tenon/analysis.h"

/* A possible input of a linearisation: an input of the model, a parameter of a force, or a drive. */
typedef struct tn_input_place {
    tn_possible_input input;
    int force, parameter;          /* of the system, by declaration; force -1: a drive */
    int drive;                     /* constraint of the drive */
    int state;                     /* of the system: value of an input of the model; -1: another kind */
} tn_input_place;

/* The analysis that a session performs. */
typedef enum tn_analysis_kind { TN_ANALYSIS_DYNAMICS, TN_ANALYSIS_KINEMATICS, TN_ANALYSIS_INVERSE, TN_ANALYSIS_ASSEMBLY,
                                TN_ANALYSIS_CHECK, TN_ANALYSIS_CHECK_TEXTS } tn_analysis_kind;
/* Opens a session for an analysis. options may be NULL. */
int tn_session_open_as(tn_session **out, tn_model *model, const tn_solve *solve, tn_analysis_kind way,
                       const tn_assembly_options *options);
/* Assembles the start of the run and computes its accelerations. */
int tn_session_start(tn_session *session, const tn_assembly_options *options);
/* start_conditions.c: compiles the model's start conditions. start_changes.c: lists the start values that assembly
 * changed or chose. */
int tn_start_conditions(tn_assembly *a, tn_session *session, tn_arena *scratch);
/* The first without a use of its result: reports all mistakes. */
int tn_start_check(tn_session *session);
int tn_start_changes(tn_session *session);
/* check_contacts.c: warns of contacts in which polyhedra stand for round shapes. */
void tn_check_contacts(const tn_model *model);
/* The settings of a session that follows its drives: the step size, and the settings that this analysis prescribes. */
tn_solve tn_driven_solve(const tn_solve *solve);
/* After the start: the motion follows from the drives where they determine it. */
int tn_session_follow_drives(tn_session *session, tn_analysis_kind way);
/* Changes the settings of a session that follows its drives. */
int tn_driven_set_solve(tn_session *session, const tn_solve *solve);

/* advance.c: performs an ADVANCE, RUN or STEP entry once, and reports it to the log unless the session is silent. */
int tn_session_advance_entry(tn_session *session, const tn_entry *advance);
/* Has the session reached the time, up to round-off? */
bool tn_session_is_there(const tn_session *session, double time);

/* state_vector.c: whether a state can be evaluated; ends an evaluation at a state of the caller, whose memory need not
 * last: stepper->eval has the motion of the accepted state again; projects a state onto the constraints; moves the session to a
 * state, projected, and arms its events there. follow: the state continues the motion, so that modes of limits and contacts stay
 * and events that were passed are not forgotten. */
int tn_state_vector_check(const tn_session *session, double time, const double *state);
void tn_session_recall_motion(tn_session *session);
int tn_state_vector_project(double *y, tn_session *session, double time);
int tn_state_vector_move(tn_session *session, double time, const double *state, bool follow);

/* trust.c: judges the step just taken (solve.trust); TN_ERROR_STEP where a doubt ends the run. */
int tn_trust_judge(tn_session *session);
/* Makes the memory of its samples, for a new session. */
int tn_trust_open(tn_session *session);

/* meeting_ends.c: warns of forces whose ends are one point at the start. */
int tn_meeting_ends_tell(tn_session *session);

/* shared_loads.c: a force, event or sampled channel that follows a reaction which is not unique at the accepted state. The room of
 * the judge has been made; tn_shared_loads_open makes the memory of the search in it, so that later ones request none. */
typedef struct tn_shared_load {
    const char *name, *word;   /* name NULL: there is none; word: its kind, for messages */
    const char *joint;         /* whose reaction it follows */
    char partners[160];        /* the joints that share the load, as a list of names */
    tn_span span;
} tn_shared_load;
int tn_shared_loads_open(tn_session *session);
int tn_shared_load_find(tn_shared_load *out, tn_session *session);

/* Makes the session's list of possible inputs. */
int tn_inputs_list(tn_session *session);
/* Creates the tangent of the equations at the session's state; the caller destroys it. */
int tn_tangent_of_session(tn_tangent **out, tn_session *session);
/* Moves the session to the equilibrium at the state of near; its channels then show the solution there. Notes in out, with memory of the
 * arena, the drives that it halts. */
int tn_session_take_equilibrium(tn_equilibrium *out, tn_session *session, const tn_tangent *near, tn_arena *arena);
/* rest_search.c: finds an equilibrium downhill between the session's unilateral constraints, and moves the session
 * there with the constraints closed that bear load. The arena owns the memory of out. */
int tn_session_find_rest(tn_equilibrium *out, tn_session *session, const tn_statics_options *options, tn_arena *arena);

/* steady_start.c: moves the start of a run to the equilibrium of mechanism and devices. */
int tn_session_start_steady(tn_session *session);

#endif
