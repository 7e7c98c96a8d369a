/* Replays that are opened from a text in memory, as loading a saved run does. Private to this layer. */
#ifndef TN_SESSION_REPLAY_H
#define TN_SESSION_REPLAY_H

#include "tenon/history.h"

/* Opens a replay. Takes ownership of the text (freed by tn_free), also on an error. */
int tn_replay_open_text(tn_replay **out, tn_context *context, const char *path, char *text, size_t size);
/* Gives the session of the replay to the caller, who owns it from then on. */
tn_session *tn_replay_take(tn_replay *replay);

#endif
