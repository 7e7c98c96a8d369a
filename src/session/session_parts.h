/* Parts of the session that only this layer uses: how a session is opened, and analyses of its state. */
#ifndef TN_SESSION_PARTS_H
#define TN_SESSION_PARTS_H

#include "assemble.h"
#include "channels.h"
#include "kinematics.h"
#include "log.h"
#include "tangent.h"
#include "tenon/analysis.h"

/* What may be an input of a linearisation: a parameter of a force, or a drive. */
typedef struct tn_input_place {
    tn_input input;
    int force, parameter;          /* of the system, by declaration; force -1: a drive */
    int drive;                     /* its constraint */
} tn_input_place;

/* How the motion of a session is found. */
typedef enum tn_analysis_kind { TN_ANALYSIS_DYNAMICS, TN_ANALYSIS_KINEMATICS, TN_ANALYSIS_INVERSE, TN_ANALYSIS_ASSEMBLY,
                                TN_ANALYSIS_CHECK } tn_analysis_kind;
/* options NULL: none. */
int tn_session_open_as(tn_session **out, tn_model *model, const tn_solve *solve, tn_analysis_kind way,
                       const tn_assembly_options *options);
/* The start of the run: assembled, and its accelerations known. */
int tn_session_start(tn_session *session, const tn_assembly_options *options);
/* start_conditions.c: those of the model, compiled. start_changes.c: the list of what assembly made of the start. */
int tn_start_conditions(tn_assembly *a, tn_session *session, tn_arena *scratch);
int tn_start_changes(tn_session *session);
/* The settings with which drives are followed: a step, and what else is not chosen freely. */
tn_solve tn_driven_solve(const tn_solve *solve);
/* After the start: the drives take over where they can. */
int tn_session_follow_drives(tn_session *session, tn_analysis_kind way);
/* Other settings of a session that follows its drives. */
int tn_driven_set_solve(tn_session *session, const tn_solve *solve);

/* advance.c: as the event says, once; reported unless the session is silent. */
int tn_session_advance_entry(tn_session *session, const tn_entry *going);
/* No step is needed to be at the time. */
bool tn_session_is_there(const tn_session *session, double time);

/* Makes the list of inputs. */
int tn_inputs_list(tn_session *session);
/* The state of the session with its tangent; the caller's to destroy. */
int tn_tangent_of_session(tn_tangent **out, tn_session *session);

#endif
