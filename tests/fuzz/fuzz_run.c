/* Fuzz target: a journal or a saved run, replayed entry by entry. */
#include "fuzz.h"
#include "mem.h"
#include "replay.h"
#include <string.h>

enum { MOST_ENTRIES = 20, MOST_STEPS = 200 };

static int stop_soon(void *user, const tn_session *session)
{
    (void)session;
    return ++*(int *)user > MOST_STEPS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_context *context = tn_context_create(NULL);
    tn_replay *replay = NULL;
    tn_replay_entry entry;
    int steps = 0;
    tn_context_refuse_libraries(context, true);
    tn_context_confine(context, "/nonexistent");
    char *text = tn_alloc(context, size + 1, 1);
    if (text) {
        memcpy(text, data, size);
        if (tn_replay_open_text(&replay, context, "fuzz.journal", text, size) >= 0) {
            tn_session_on_step(tn_replay_session(replay), stop_soon, &steps);
            for (int k = 0; k < MOST_ENTRIES && tn_replay_next(&entry, replay) == TN_OK; k++)
                tn_diagnostics_clear(context);
            tn_replay_close(replay);
        }
    }
    tn_context_destroy(context);
    return 0;
}
