/* Replays from texts, for those who load; private to this layer. */
#ifndef TN_SESSION_REPLAY_H
#define TN_SESSION_REPLAY_H

#include "tenon/history.h"

/* Takes the text (tn_free), also when it fails. */
int tn_replay_open_text(tn_replay **out, tn_context *context, const char *path, char *text, size_t size);
/* The session, which is the caller's from here on. */
tn_session *tn_replay_take(tn_replay *replay);

#endif
