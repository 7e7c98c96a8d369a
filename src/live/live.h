/* A session while its model changes; private to this layer. */
#ifndef TN_SESSION_LIVE_H
#define TN_SESSION_LIVE_H

#include "log.h"
#include "numbers.h"

/* Copies of the model's tables that say where everything is now: poses, velocities and states as they are, parameters as
 * built as they were found. What they point at is the model's. */
typedef struct tn_standing {
    tn_body *bodies;
    tn_joint *joints;
    tn_force *forces;
    size_t body_count, joint_count, force_count;
    tn_solve solve;                /* in use */
} tn_standing;
int tn_standing_take(tn_standing *out, const tn_session *session);
void tn_standing_free(tn_standing *standing, tn_context *context);
/* Lets a model with the same slots say so: a copy that an edit is to change, or one that is no longer in use. */
void tn_standing_lay(const tn_standing *now, tn_model *to);
/* The motion of now for what the model and another one that is not in use both have. */
void tn_standing_lay_motion(const tn_standing *now, const tn_model *model, tn_model *to);
/* Does a changed copy say what the model with the state of now says? */
bool tn_standing_same(const tn_standing *now, const tn_model *changed, const tn_model *model);

/* Puts another model in place of the session's, which keeps its time and the state of all that both have. The session
 * owns it from then on; on an error it is still the caller's and nothing has changed. old gets the model so far. */
typedef struct tn_recompile_options {
    bool snap;                     /* new joints may be closed by moving bodies */
    double draw;                   /* s: they are drawn together for so long; 0: at once */
    bool state;                    /* the model's starts are to be reached */
    const tn_snapshot *snapshot;       /* go on from there instead; NULL: from now */
    const tn_closing_list *closings;       /* with a snapshot: that were under way there */
    const tn_standing *standing;   /* of the present model */
} tn_recompile_options;
int tn_session_recompile(tn_session *session, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_model **old);

/* set_numbers.c. Whether these can be set as the system is. */
bool tn_session_can_set(const tn_session *session, const tn_number_list *numbers);
/* Gives model and system these numbers, which become the old ones; the stepper has to be started again. After an error
 * nothing has changed. */
int tn_session_put_numbers(tn_session *session, tn_number *numbers, int count);
/* Goes on from the present state with what is other now; fills ack->energy_change. */
int tn_session_go_on(tn_session *session, tn_ack *ack);

/* As tn_session_apply, for a command that stands somewhere. */
struct tn_command_text;
int tn_session_apply_text(tn_session *session, const struct tn_command_text *command, tn_ack *ack);

/* The system's body, when it is one that can be pulled. */
int tn_session_find_movable(int *index, const tn_session *session, tn_id body);

/* For edits of the state alone: the present model and snapshot become what one undo goes back to. Once the edit is made,
 * or not: keep says which. more: no new entry where the last one is of the same body, and nothing happened since. */
int tn_history_begin(tn_session *session, const char *text, tn_id body, bool more, bool *joined);
void tn_history_end(tn_session *session, bool joined, bool keep);

/* pull.c. Before a step: in another pose a pull has another mass to move. */
int tn_pull_follow(tn_session *session);

#endif
