/* Journals of runs, replayed. */
#ifndef TEST_REPLAYED_H
#define TEST_REPLAYED_H

#include "near.h"
#include "tenon/history.h"
#include "tenon/session.h"

/* Replays a journal, each entry of which leads to the state that is recorded there. Returns the hash of the last state. */
static inline uint64_t assert_replays(const char *journal)
{
    tn_replay *replay;
    tn_replay_entry entry;
    int code;
    tn_context *context = tn_context_create(NULL);
    assert_int_equal(tn_replay_open(&replay, context, journal), TN_OK);
    while ((code = tn_replay_next(&entry, replay)) == TN_OK)
        assert_true(entry.same);
    assert_int_equal(code, TN_NEWS_END);
    const uint64_t hash = tn_session_hash(tn_replay_session(replay));
    tn_replay_close(replay);
    tn_context_destroy(context);
    return hash;
}

#endif
