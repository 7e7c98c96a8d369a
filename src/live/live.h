/* A session while its model changes; private to this layer. */
#ifndef TN_SESSION_LIVE_H
#define TN_SESSION_LIVE_H

#include "log.h"

/* Puts another model in place of the session's, which keeps its time and the state of all that both have. The session
 * owns it from then on; on an error it is still the caller's and nothing has changed. old gets the model so far. */
typedef struct tn_recompile_options {
    bool snap;                     /* new joints may be closed by moving bodies */
    double draw;                   /* s: they are drawn together for so long; 0: at once */
    bool state;                    /* the model's starts are to be reached */
    const tn_snapshot *snapshot;       /* go on from there instead; NULL: from now */
} tn_recompile_options;
int tn_session_recompile(tn_session *session, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_model **old);

/* As tn_session_apply, for a command that stands somewhere. */
struct tn_command_text;
int tn_session_apply_text(tn_session *session, const struct tn_command_text *command, tn_ack *ack);

/* The system's body, when it is one that can be pulled. */
int tn_session_find_movable(int *index, const tn_session *session, tn_id body);

/* For edits of the state alone: the present model and snapshot become what one undo goes back to. Once the edit is made,
 * or not: keep says which. more: no new entry where the last one is of the same body, and nothing happened since. */
int tn_history_begin(tn_session *session, const char *text, tn_id body, bool more, bool *joined);
void tn_history_end(tn_session *session, bool joined, bool keep);
/* pull.c: the pull of one model, if it has any, in another one that is to take its place. */
int tn_pull_carry(tn_model *to, const tn_model *from);

/* pull.c: the hand at the running model, before a step: in another pose it has another mass to move. */
int tn_pull_follow(tn_session *session);

/* For changes that are not edits, and so cannot be taken back: a copy of the model as of now, and the copy, changed,
 * put in the model's place (on an error it is still the caller's). */
int tn_session_copy_model(tn_session *session, tn_model **out);
int tn_session_put_model(tn_session *session, tn_model *model, tn_ack *ack);

#endif
