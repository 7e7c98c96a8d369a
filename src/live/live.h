/* Edits of a running session: recompiling a changed model, setting numbers, undo. Private to this layer. */
#ifndef TN_SESSION_LIVE_H
#define TN_SESSION_LIVE_H

#include "log.h"
#include "numbers.h"

/* Copies of the model's tables with the present state as start values: poses, velocities and states are the present
 * ones, and "as built" parameters have the values that assembly found. Pointers in the tables lead into the model. */
typedef struct tn_standing {
    tn_body *bodies;
    tn_joint *joints;
    tn_force *forces;
    size_t body_count, joint_count, force_count;
    tn_solve solve;                /* settings in use */
} tn_standing;
int tn_standing_take(tn_standing *out, const tn_session *session);
/* The same tables with the start values that the model has. */
int tn_standing_of_model(tn_standing *out, const tn_model *model);
/* Pose and velocities of the user's frame of one body; the motion in the workspace is the present one. */
void tn_standing_body(tn_body *out, const tn_session *session, int body);
void tn_standing_free(tn_standing *standing, tn_context *context);
/* Writes the present state as start values into a model with the same slots: a copy to be edited, or a model that is
 * no longer in use. */
void tn_standing_lay(const tn_standing *now, tn_model *to);
/* Writes the present motion into another model that is not in use, for the bodies and forces that both models have. */
void tn_standing_lay_motion(const tn_standing *now, const tn_model *model, tn_model *to);
/* Is a changed copy equal to the model with the present state as start values? */
bool tn_standing_same(const tn_standing *now, const tn_model *changed, const tn_model *model);

/* Recompile: replaces the session's model. The session keeps its time and the state of all entities that both models
 * have, and takes ownership of the new model; old receives the previous model. After an error the caller still owns the
 * new model and nothing has changed. */
typedef struct tn_recompile_options {
    bool snap;                     /* bodies may move to close new joints */
    double draw;                   /* s: duration in which new joints are drawn closed; 0: at once */
    bool state;                    /* the start values of the model apply */
    const tn_snapshot *snapshot;   /* continue from this snapshot; NULL: from the present state */
    const tn_closing_list *closings;   /* with a snapshot: joints that were still being closed there */
    const tn_standing *standing;   /* of the present model */
} tn_recompile_options;
int tn_session_recompile(tn_session *session, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_model **old);

/* Renews the parts of the session that point into the system and the stepper, and the texts of its events. */
int tn_session_rebind(tn_session *session);

/* set_numbers.c. Can these numbers be set without a recompile? */
bool tn_session_can_set(const tn_session *session, const tn_number_list *numbers);
/* Exchanges numbers with those of the model and the system: numbers then holds the old values. The caller has to
 * restart the stepper. After an error nothing has changed. */
int tn_session_put_numbers(tn_session *session, tn_number *numbers, int count);
/* Restarts the stepper at the present state after numbers have changed; fills ack->energy_change. old: the former numbers.
 * Joints with other parameters are closed; snap: bodies may move for that. */
int tn_session_go_on(tn_session *session, const tn_number *old, int count, bool snap, tn_ack *ack);

/* As tn_session_apply, for a command with a place in a file. */
struct tn_command_text;
int tn_session_apply_text(tn_session *session, const struct tn_command_text *command, tn_ack *ack);

/* Finds the index in the system of a body that can be pulled or dragged; an error when the body cannot move. */
int tn_session_find_movable(int *index, const tn_session *session, tn_id body);

/* Undo entries for edits of the state alone. Begin adds the present snapshot to the undo list; end keeps the entry
 * (keep) or removes it when the edit failed. more: join the last entry when it is a drag of the same body and nothing
 * else has happened since; joined then becomes true and no entry is added. */
int tn_history_begin(tn_session *session, const char *text, tn_id body, bool more, bool *joined);
void tn_history_end(tn_session *session, bool joined, bool keep);

/* pull.c. Before a step: updates the effective mass of the pull, which depends on the pose. */
int tn_pull_follow(tn_session *session);

#endif
