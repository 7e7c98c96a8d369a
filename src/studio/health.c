/* The verb "health": what people want to know about a mechanism that misbehaves. */
#include "answers.h"
#include "request.h"
#include <math.h>

/* Suggestions try models out: only where that is quick. */
enum { MOST_BODIES = 60, MOST_MEMBERS = 12 };

/* Freedoms and excess equations without this joint; false when that is no mechanism. */
static bool try_without(const tn_model *model, tn_id joint, int *freedoms, int *excess)
{
    tn_model *copy = NULL;
    tn_session *session = NULL;
    tn_report *report = NULL;
    int code = tn_model_clone(&copy, model);
    if (code >= 0)
        code = tn_model_remove(copy, joint);
    if (code >= 0)
        code = tn_session_open(&session, copy, NULL);
    if (code >= 0)
        code = tn_session_report(&report, session);
    if (code >= 0) {
        *freedoms = report->freedoms;
        *excess = report->equations - report->rank;
        tn_report_destroy(tn_session_context(session), report);
    }
    tn_session_close(session);
    tn_model_destroy(copy);
    return code >= 0;
}

/* A joint of the group that the motion does not need at all; otherwise words. */
static cJSON *suggest(tn_context *context, const tn_model *model, const tn_report *report,
                      const tn_redundancy_group *group)
{
    cJSON *suggestion = cJSON_CreateObject();
    char text[300], command[300];
    bool quick = report->bodies <= MOST_BODIES && group->joint_count <= MOST_MEMBERS;
    for (size_t k = group->joint_count; quick && k-- > 0;) {
        int freedoms = 0, excess = 0;
        const char *name = tn_model_entity_name(model, group->joints[k]);
        if (!try_without(model, group->joints[k], &freedoms, &excess) || freedoms != report->freedoms ||
            excess >= report->equations - report->rank)
            continue;
        snprintf(text, sizeof text, "the motion is the same without '%.100s', and the reactions are unique then", name);
        snprintf(command, sizeof command, "{ disable: %.100s }", name);
        cJSON_AddStringToObject(suggestion, "text", text);
        cJSON_AddStringToObject(suggestion, "command", command);
        break;
    }
    tn_diagnostics_clear(context);
    if (!suggestion->child) {
        snprintf(text, sizeof text, "give one of these joints %d more %s: a ball in place of a hinge, a sleeve in "
                 "place of a slide", group->excess, group->excess == 1 ? "freedom" : "freedoms");
        cJSON_AddStringToObject(suggestion, "text", text);
    }
    return suggestion;
}

static void add_suggestions(cJSON *json, tn_session *session, const tn_report *report)
{
    const tn_model *model = tn_session_model(session);
    cJSON *groups = cJSON_GetObjectItemCaseSensitive(json, "groups");
    for (size_t i = 0; i < report->group_count; i++)
        cJSON_AddItemToObject(cJSON_GetArrayItem(groups, (int)i), "suggestion",
                              suggest(tn_session_context(session), model, report, &report->groups[i]));
}

static void add_number(cJSON *json, const char *name, tn_session *session, const char *channel)
{
    double value = NAN;
    if (tn_session_value(&value, session, channel) >= 0)
        cJSON_AddNumberToObject(json, name, value);
    tn_diagnostics_clear(tn_session_context(session));
}

static void add_energy(cJSON *json, tn_session *session, const tn_summary *s)
{
    cJSON *energy = cJSON_AddObjectToObject(json, "energy");
    add_number(energy, "kinetic", session, "energy.kinetic");
    add_number(energy, "potential", session, "energy.potential");
    add_number(energy, "error", session, "energy.error");
    cJSON_AddNumberToObject(energy, "start", s->energy_start);
    cJSON_AddNumberToObject(energy, "work", s->energy_work);
    cJSON_AddNumberToObject(energy, "largest_error", s->energy_error);
    cJSON_AddNumberToObject(energy, "peak", s->energy_peak);
}

static void add_solver(cJSON *json, const tn_session *session, const tn_summary *s)
{
    tn_solve solve = tn_session_solve(session);
    cJSON *solver = cJSON_AddObjectToObject(json, "solver");
    cJSON_AddStringToObject(solver, "scheme", solve.scheme);
    cJSON_AddStringToObject(solver, "integrator", solve.integrator);
    cJSON_AddStringToObject(solver, "solver", solve.solver);
    cJSON_AddNumberToObject(solver, "steps", (double)s->steps);
    cJSON_AddNumberToObject(solver, "rejected", (double)s->rejected);
    cJSON_AddNumberToObject(solver, "evaluations", (double)s->evaluations);
    cJSON_AddNumberToObject(solver, "iterations", (double)s->iterations);
    cJSON_AddNumberToObject(solver, "step_wall", s->steps > 0 ? s->wall / (double)s->steps : 0);
    cJSON_AddNumberToObject(solver, "mean_step", s->steps > 0 ? s->time / (double)s->steps : 0);
    tn_json_add_parts(solver, session);
}

/* Adds the parts with steps of their own: subsystems and, without a path, the rest of the model. */
static void add_parts(cJSON *json, const tn_session *session)
{
    cJSON *list = cJSON_AddArrayToObject(json, "parts");
    for (size_t k = 0; k < tn_session_part_count(session); k++) {
        tn_part_info part = tn_session_part(session, k);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "path", part.path ? part.path : "");
        cJSON_AddNumberToObject(item, "steps", (double)part.steps);
        cJSON_AddNumberToObject(item, "rejected", (double)part.rejected);
        cJSON_AddNumberToObject(item, "evaluations", (double)part.evaluations);
        cJSON_AddItemToArray(list, item);
    }
}

static void add_drift(cJSON *json, tn_session *session, const tn_summary *s)
{
    cJSON *drift = cJSON_AddObjectToObject(json, "drift");
    const char *joint = tn_model_entity_name(tn_session_model(session), s->drift_joint);
    add_number(drift, "now", session, "drift.max");
    cJSON_AddNumberToObject(drift, "largest", s->max_drift);
    cJSON_AddNumberToObject(drift, "largest_velocity", s->max_velocity_drift);
    if (joint)
        cJSON_AddStringToObject(drift, "joint", joint);
}

static void add_trouble(cJSON *json, tn_runner *runner)
{
    tn_runner_status status = tn_runner_now(runner);
    if (status.code < 0)
        cJSON_AddStringToObject(json, "trouble", tn_folder_shorten(status.message));
}

static int examine_session(cJSON *answer, tn_session *session)
{
    tn_report *report = NULL;
    int code = tn_session_report(&report, session);
    if (code < 0)
        return code;
    tn_summary summary = tn_session_summary(session);
    tn_json_add_report(answer, tn_session_model(session), report);
    add_suggestions(answer, session, report);
    cJSON_AddNumberToObject(answer, "singularity", report->smallest_kept);
    add_number(answer, "sigma", session, "constraints.sigma");
    add_drift(answer, session, &summary);
    add_energy(answer, session, &summary);
    add_solver(answer, session, &summary);
    add_parts(answer, session);
    tn_report_destroy(tn_session_context(session), report);
    return TN_OK;
}

/* The solver spends a twentieth of its time on this at most, however often it is asked and by however many. */
int tn_verb_health(tn_request *r, tn_session *session)
{
    static const double SHARE = 0.05;
    struct tn_health *last = &r->studio->hub.health;
    double begun = tn_clock();
    if (!last->answer || last->revision != r->studio->hub.revision || SHARE * (begun - last->wall) >= last->cost) {
        cJSON *answer = cJSON_CreateObject();
        int code = examine_session(answer, session);
        if (code < 0) {
            cJSON_Delete(answer);
            return code;
        }
        cJSON_Delete(last->answer);
        *last = (struct tn_health){ answer, r->studio->hub.revision, tn_clock(), tn_clock() - begun };
    }
    const cJSON *part;
    cJSON_ArrayForEach(part, last->answer)
        cJSON_AddItemToObject(r->answer, part->string, cJSON_Duplicate(part, true));
    cJSON_AddNumberToObject(r->answer, "age", tn_clock() - last->wall);
    add_trouble(r->answer, r->studio->hub.runner);
    return TN_OK;
}
