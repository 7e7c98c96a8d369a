/* Verbs about going on, going back, and pulling. */
#include "request.h"
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 1000000 };

/* A number, or "max". */
static int read_speed(tn_request *r, const char *key, double *out)
{
    const cJSON *given = tn_request_argument(r, key);
    *out = INFINITY;
    return cJSON_IsString(given) && strcmp(given->valuestring, "max") == 0 ? TN_OK
                                                                            : tn_request_number(r, key, 0, 1e6, out);
}

int tn_verb_speed(tn_request *r, tn_session *session)
{
    (void)session;
    double speed = 0;
    int code = read_speed(r, "value", &speed);
    if (code < 0)
        return code;
    tn_hub *hub = &r->studio->hub;
    tn_readout_close(hub->until);
    hub->until = NULL;
    tn_runner_set_speed(hub->runner, speed);
    return TN_OK;
}

static int seek_session(tn_request *r, tn_session *session, double time)
{
    int code = tn_session_seek(session, time);
    if (code < 0)
        return code;
    tn_hub_truncate_steps(&r->studio->hub, tn_session_time(session));
    tn_hub_check_revision(&r->studio->hub, false);
    return TN_OK;
}

int tn_verb_step(tn_request *r, tn_session *session)
{
    tn_hub *hub = &r->studio->hub;
    double count = 0;
    int code = tn_request_number(r, "count", -(double)TN_STEPS_KEPT, MOST_STEPS, &count);
    if (code < 0)
        return code;
    if (count >= 0) {
        tn_runner_step(hub->runner, (long)count);
        return TN_OK;
    }
    tn_runner_set_speed(hub->runner, 0);
    double time = tn_hub_time_back(hub, (size_t)-count);
    if (isnan(time))
        return tn_request_refuse(r, "argument", "so many steps back nothing is kept");
    return seek_session(r, session, time);
}

int tn_verb_seek(tn_request *r, tn_session *session)
{
    double time = 0;
    int code = tn_request_number(r, "time", 0, 1e12, &time);
    if (code < 0)
        return code;
    tn_runner_set_speed(r->studio->hub.runner, 0);
    return seek_session(r, session, time);
}

int tn_verb_branch(tn_request *r, tn_session *session)
{
    tn_hub *hub = &r->studio->hub;
    hub->furthest = tn_session_time(session);
    cJSON_AddNumberToObject(r->answer, "branch", ++hub->branch);
    return TN_OK;
}

/* Until the expression crosses zero: the first step behind it. */
static int run_until(tn_request *r, tn_session *session, const char *when, double speed)
{
    tn_hub *hub = &r->studio->hub;
    tn_readout *until;
    int code = tn_readout_open(&until, session, &when, 1);
    if (code >= 0)
        code = tn_readout_values(&hub->until_last, until);
    if (code < 0)
        return code;
    tn_readout_close(hub->until);
    hub->until = until;
    tn_runner_run_to(hub->runner, INFINITY, speed);
    return TN_OK;
}

int tn_verb_run_to(tn_request *r, tn_session *session)
{
    tn_hub *hub = &r->studio->hub;
    double time = 0, speed = 0;
    int code = tn_request_argument(r, "speed") ? read_speed(r, "speed", &speed) : TN_OK;
    if (code >= 0 && cJSON_IsString(tn_request_argument(r, "when")))
        return run_until(r, session, tn_request_text(r, "when"), speed);
    if (code >= 0)
        code = tn_request_number(r, "time", 0, 1e12, &time);
    if (code < 0)
        return code;
    if (time < tn_session_time(session))
        return tn_request_refuse(r, "argument", "t = %g s is past: 'seek' goes back", time);
    tn_readout_close(hub->until);
    hub->until = NULL;
    tn_runner_run_to(hub->runner, time, speed);
    return TN_OK;
}

/* ---- pulling and dragging ---- */

static int find_body(tn_request *r, tn_session *session, tn_id *out)
{
    const tn_model *model = tn_session_model(session);
    const char *name = tn_request_text(r, "body");
    if (!name)
        return TN_ERROR_ARGUMENT;
    *out = tn_model_find(model, name);
    if (out->kind != TN_KIND_BODY || out->index == tn_model_ground(model).index)
        return tn_request_refuse(r, "argument", "there is no moving body '%.100s'", name);
    return TN_OK;
}

/* A number that may be left out: 0. */
static int read_optional_number(tn_request *r, const char *key, double most, double *out)
{
    *out = 0;
    return tn_request_argument(r, key) ? tn_request_number(r, key, 0, most, out) : TN_OK;
}

static int read_pull(tn_request *r, tn_session *session, tn_pull *pull)
{
    int code = find_body(r, session, &pull->body);
    if (code >= 0)
        code = tn_request_vector(r, "at", pull->at);
    if (code >= 0)
        code = tn_request_vector(r, "target", pull->target);
    if (code >= 0)
        code = read_optional_number(r, "omega", 1e4, &pull->omega);
    return code < 0 ? code : read_optional_number(r, "cap", 1e6, &pull->cap);
}

int tn_verb_pull(tn_request *r, tn_session *session)
{
    static const char *const forces[] = { "pull.force.x", "pull.force.y", "pull.force.z" };
    tn_hub *hub = &r->studio->hub;
    tn_pull pull = { 0 };
    r->unanswered = true;
    int code = read_pull(r, session, &pull);
    if (code >= 0)
        code = tn_session_pull(session, &pull);
    if (code < 0)
        return code;
    tn_hub_check_revision(hub, true);
    hub->pull = pull;
    return hub->pull_force ? TN_OK : tn_readout_open(&hub->pull_force, session, forces, 3);
}

int tn_verb_release(tn_request *r, tn_session *session)
{
    tn_hub *hub = &r->studio->hub;
    double energy = 0;
    if (hub->pull_force)
        tn_session_value(&energy, session, "pull.energy");
    tn_readout_close(hub->pull_force);
    hub->pull_force = NULL;
    int code = tn_session_release(session);
    tn_hub_check_revision(hub, true);
    cJSON_AddNumberToObject(r->answer, "energy", energy);
    return code;
}

static void add_blockers(cJSON *answer, const tn_model *model, const tn_drag_result *result)
{
    static const char *const kinds[] = { [TN_BLOCKER_LIMIT] = "limit", [TN_BLOCKER_DRIVE] = "drive",
                                         [TN_BLOCKER_JOINT] = "joint", [TN_BLOCKER_CONTACT] = "contact" };
    cJSON *names = cJSON_AddArrayToObject(answer, "blocking"), *why = cJSON_AddArrayToObject(answer, "blocking_by");
    for (int k = 0; k < result->blocker_count; k++) {
        const char *name = tn_model_entity_name(model, result->blockers[k].joint);
        cJSON_AddItemToArray(names, cJSON_CreateString(name ? name : ""));
        cJSON_AddItemToArray(why, cJSON_CreateString(kinds[result->blockers[k].kind]));
    }
}

int tn_verb_drag(tn_request *r, tn_session *session)
{
    tn_pull grip = { 0 };
    tn_drag_result result = { 0 };
    if (tn_runner_now(r->studio->hub.runner).speed > 0)
        return tn_request_refuse(r, "argument", "dragging is for what stands still: pause first, or pull");
    int code = read_pull(r, session, &grip);
    tn_drag drag = { .body = grip.body, .more = tn_request_flag(r, "more") };
    memcpy(drag.at, grip.at, sizeof drag.at);
    memcpy(drag.target, grip.target, sizeof drag.target);
    if (code >= 0)
        code = tn_session_drag(&result, session, &drag);
    if (code < 0)
        return code;
    cJSON_AddBoolToObject(r->answer, "reached", result.end == TN_DRAG_REACHED);
    cJSON_AddBoolToObject(r->answer, "unfinished", result.end == TN_DRAG_UNFINISHED);
    cJSON_AddNumberToObject(r->answer, "distance", result.distance);
    add_blockers(r->answer, tn_session_model(session), &result);
    tn_ack ack = { .time = tn_session_time(session), .changed = !drag.more, .energy_change = result.energy_change,
                   .displacement = result.displacement };
    snprintf(ack.text, sizeof ack.text, "%s", result.text);
    tn_request_acknowledge(r, session, &ack);
    return TN_OK;
}
