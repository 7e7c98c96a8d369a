/* Finds the parameters of a model that an FMU may change while it runs: each is tried in a session of the model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmu_facts.h"
#include "output.h"

/* Times at which parameters are tried, as shares of the run. */
static const double MOMENT = 0.37;

typedef struct trial {
    tn_session *session;
    size_t size;               /* of the state */
    double *start;             /* the state at the start, */
    double *state, *rate;      /* now, and its rate, */
    double *other;             /* and room for another one */
    bool rated;                /* the rate is known; models with components have none */
} trial;

/* Is the state of the session still the same, to the bit? */
static bool is_kept(const trial *t)
{
    if (tn_session_state_size(t->session) != t->size)
        return false;
    tn_session_state(t->other, t->session);
    return memcmp(t->other, t->state, t->size * sizeof *t->other) == 0;
}

static bool has_other_rate(const trial *t)
{
    return t->rated && tn_session_state_rate(t->other, t->session) == TN_OK &&
           memcmp(t->other, t->rate, t->size * sizeof *t->other) != 0;
}

/* Does the present state fulfil the constraints with the present parameters? Moves the session. */
static bool is_consistent(const trial *t)
{
    const double jump = 1e-9;
    if (tn_session_set_state(t->session, tn_session_time(t->session), t->state) < 0)
        return false;
    tn_session_state(t->other, t->session);
    for (size_t k = 0; k < t->size; k++)
        if (!(fabs(t->other[k] - t->state[k]) <= jump * fmax(1, fabs(t->state[k]))))
            return false;
    return true;
}

/* The model as the text of the session has it now; the session's own begins where the session stands. */
static int read_again(tn_model **out, const trial *t, tn_context *context, const char *path)
{
    char *text = NULL, *folder = tn_allocate(strlen(path) + 2, 1);
    strcpy(folder, path);
    char *slash = strrchr(folder, '/');
    strcpy(slash ? slash + 1 : folder, slash ? "" : ".");
    int code = tn_session_text(&text, t->session);
    if (code >= 0)
        code = tn_model_read_text(out, context, text, strlen(text), path, folder);
    if (code >= 0)
        tn_model_expect_nothing(*out);
    tn_text_free(context, text);
    free(folder);
    return code;
}

/* Does a run with the present parameters begin in the same state as a run of the model? */
static bool has_same_start(const trial *t, tn_context *context, const char *path)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    bool same = read_again(&model, t, context, path) >= 0 && tn_session_open(&session, model, NULL) >= 0 &&
                tn_session_state_size(session) == t->size;
    if (same) {
        tn_session_state(t->other, session);
        same = memcmp(t->other, t->start, t->size * sizeof *t->other) == 0;
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return same;
}

/* A value nearby must leave the state alone. One that matters for the start only would have no effect: it is fixed. */
static bool try_parameter(trial *t, tn_context *context, const char *path, const fmu_variable *p)
{
    char command[512];
    double value = p->start == 0 ? 1e-3 : p->start * (1 + 1e-3);
    snprintf(command, sizeof command, "{ parameters: { %.300s: %.17g } }", p->name, value);
    if (tn_session_apply(NULL, t->session, command) < 0)
        return false;
    bool good = is_kept(t) && (has_other_rate(t) || has_same_start(t, context, path)) && is_consistent(t);
    return tn_session_undo(NULL, t->session, true) >= 0 && good && is_kept(t);
}

void tn_fmu_find_tunable(fmu_facts *f, tn_context *context, tn_model *model)
{
    trial t = { .session = NULL };
    if (f->parameter_count == 0 || tn_session_open(&t.session, model, NULL) < 0) {
        tn_diagnostics_clear(context);
        return;
    }
    t.size = tn_session_state_size(t.session);
    t.start = tn_allocate(4 * t.size + 1, sizeof *t.start);
    t.state = t.start + t.size;
    t.rate = t.state + t.size;
    t.other = t.rate + t.size;
    tn_session_state(t.start, t.session);
    bool moved = tn_session_step(t.session) >= 0;
    tn_session_state(t.state, t.session);
    /* Far from the start, where drives may stand still and values coincide; else as far as the step went. */
    moved = moved && (tn_session_set_state(t.session, MOMENT * tn_model_solve(model).until, t.state) >= 0 ||
                      tn_session_set_state(t.session, tn_session_time(t.session), t.state) >= 0);
    tn_session_state(t.state, t.session);
    t.rated = tn_session_state_rate(t.rate, t.session) == TN_OK;
    for (size_t k = 0; k < f->parameter_count && moved; k++)
        f->parameters[k].tunable = try_parameter(&t, context, tn_model_file_at(model, 0).path, &f->parameters[k]);
    tn_session_close(t.session);
    tn_diagnostics_clear(context);
    free(t.start);
}

size_t tn_fmu_tunable_count(const fmu_facts *f)
{
    size_t count = 0;
    for (size_t k = 0; k < f->parameter_count; k++)
        count += f->parameters[k].tunable;
    return count;
}
