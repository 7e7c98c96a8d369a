#include "world.h"
#include "journals.h"
#include <math.h>
#include <string.h>


static int begin(tn_world *w, const char *name, const char *folder, bool no_libraries)
{
    *w = (tn_world){ .context = tn_context_create(NULL) };
    snprintf(w->name, sizeof w->name, "%s", name);
    snprintf(w->folder, sizeof w->folder, "%s", folder);
    if (!w->context)
        return TN_ERROR_MEMORY;
    tn_context_refuse_libraries(w->context, no_libraries);
    return TN_OK;
}

static int start(tn_world *w)
{
    int code = tn_session_open(&w->session, w->model, NULL);
    return code < 0 ? code : tn_context_confine(w->context, w->folder);
}

int tn_world_read(tn_world *w, const char *path, const char *folder, bool confined, bool no_libraries)
{
    const char *slash = strrchr(path, '/');
    int code = begin(w, slash ? slash + 1 : path, folder, no_libraries);
    if (code >= 0 && confined)
        code = tn_context_confine(w->context, folder);
    if (code >= 0)
        code = tn_model_read(&w->model, w->context, path);
    return code < 0 ? code : start(w);
}

int tn_world_text(tn_world *w, const char *text, const char *name, const char *folder, bool no_libraries)
{
    int code = begin(w, name, folder, no_libraries);
    if (code >= 0)
        code = tn_context_confine(w->context, folder);
    if (code >= 0)
        code = tn_model_read_text(&w->model, w->context, text, strlen(text), name, folder);
    return code < 0 ? code : start(w);
}

int tn_world_resume(tn_world *w, const char *journal, const char *folder, bool no_libraries)
{
    tn_replay_entry entry = { .same = true };
    int code = begin(w, "resumed.yaml", folder, no_libraries);
    if (code >= 0)
        code = tn_replay_open(&w->replay, w->context, journal);
    while (code == TN_OK && entry.same)
        code = tn_replay_next(&entry, w->replay);
    if (code < 0)
        return code;
    if (!entry.same) {
        w->differs = entry.line;
        return TN_ERROR_MODEL;
    }
    w->session = tn_replay_session(w->replay);
    return tn_context_confine(w->context, w->folder);
}

/* Moments stand for frames where that leaves ten minutes of past, and are fewer in large models. */
static double interval_of(const tn_session *session)
{
    static const double BYTES_PER_BODY = 200, BYTES_PER_MOMENT = 300, WANTED = 600;
    static const double SHORTEST = 1.0 / 60, LONGEST = 0.1;    /* s simulated: what seeking may have to step again */
    size_t bodies = tn_model_count(tn_session_model(session), TN_KIND_BODY);
    double interval = WANTED * (BYTES_PER_MOMENT + BYTES_PER_BODY * (double)bodies) / (double)TN_PAST_BYTES;
    return fmin(fmax(interval, SHORTEST), LONGEST);
}

int tn_world_record(tn_world *w, const char *state, int number)
{
    char stem[128];
    size_t length = strcspn(w->name, ".");
    snprintf(stem, sizeof stem, "%.*s", length > 100 ? 100 : (int)length, w->name);
    if (!tn_journal_path(w->journal, sizeof w->journal, state, stem, number))
        return TN_ERROR_FILE;
    int code = tn_session_journal(w->session, w->journal);
    if (code < 0)
        return code;
    tn_journals_prune(state, stem, TN_JOURNALS_KEPT);
    return tn_session_keep_past(w->session, TN_PAST_BYTES, interval_of(w->session));
}

void tn_world_close(tn_world *w)
{
    if (w->replay)
        tn_replay_close(w->replay);
    else
        tn_session_close(w->session);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
    *w = (tn_world){ 0 };
}
