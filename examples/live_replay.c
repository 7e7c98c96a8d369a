/* A run with edits, its journal, and the same run once more from the journal alone; then back to a moment in between.
 *
 * usage: live_replay MODEL JOINT. The states are compared by their hashes, to the bit. */
#include <inttypes.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const char *const JOURNAL = "live_replay.journal";

/* Half a second as the model is, half a second without the joint; then back to t = 0.25 s and forth again. */
static int live(tn_session *run, const char *joint, uint64_t *hash)
{
    char command[200];
    snprintf(command, sizeof command, "{ remove: %s }", joint);
    if (tn_session_keep_rewind(run, 1 << 20, 0.05) < 0 || tn_session_journal(run, JOURNAL) < 0 ||
        tn_session_advance(run, 0.25) < 0)
        return 1;
    uint64_t early = tn_session_hash(run);
    if (tn_session_advance(run, 0.25) < 0 || tn_session_apply(NULL, run, command) < 0 ||
        tn_session_advance(run, 0.5) < 0)
        return 1;
    *hash = tn_session_hash(run);
    if (tn_session_seek(run, 0.25) < 0)
        return 1;
    printf("back at t = %g s: %s state\n", tn_session_time(run), tn_session_hash(run) == early ? "same" : "another");
    int failed = tn_session_hash(run) != early;
    if (tn_session_seek(run, 1) < 0)
        return 1;
    printf("forth to t = %g s: %s state\n", tn_session_time(run), tn_session_hash(run) == *hash ? "same" : "another");
    return failed || tn_session_hash(run) != *hash;
}

static int repeat(tn_context *context, uint64_t hash)
{
    tn_replay *replay = NULL;
    tn_replay_entry entry;
    int code = tn_replay_open(&replay, context, JOURNAL), differ = 0;
    while (code == TN_OK && (code = tn_replay_next(&entry, replay)) == TN_OK) {
        printf("line %4d, t = %-8g %s\n", entry.line, entry.ack.time, entry.text);
        differ += !entry.same;
    }
    if (code == TN_NEWS_END)
        printf("recorded %016" PRIx64 ", repeated %016" PRIx64 "\n", hash, tn_session_hash(tn_replay_session(replay)));
    bool same = code == TN_NEWS_END && differ == 0 && tn_session_hash(tn_replay_session(replay)) == hash;
    tn_replay_close(replay);
    return same ? 0 : 1;
}

int main(int argc, char **argv)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *run = NULL;
    uint64_t hash = 0;
    if (!context || argc != 3) {
        fprintf(stderr, "usage: live_replay MODEL JOINT\n");
        return 2;
    }
    int failed = tn_model_read(&model, context, argv[1]) < 0 || tn_session_open(&run, model, NULL) < 0 ||
                 live(run, argv[2], &hash) != 0;
    tn_session_close(run);                             /* ends the journal */
    failed = failed || repeat(context, hash) != 0;
    tn_diagnostics_print(context, stderr);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
