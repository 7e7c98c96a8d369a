/* The hub: the open document in the runner's thread, frames of its motion, and broadcasts to all clients. */
#include "hub.h"
#include "frame.h"
#include "scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FRAME = 1.0 / 60;          /* s of wall time between two frames */
static const double SOON = 0.9;                /* of FRAME: turns of the runner are about that long, with scatter */
static const double LATE = 3;                  /* of FRAME: a longer turn makes a frame before its end */

/* ---- broadcasts ---- */

void tn_hub_broadcast(tn_hub *s, cJSON *json)
{
    tn_message *message = tn_message_create(cJSON_PrintUnformatted(json));
    cJSON_Delete(json);
    if (!message)
        return;
    tn_clients_broadcast(s->clients, message);
    tn_message_release(s->clients, message);
}

static cJSON *make_push(const char *what, double time)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "push", what);
    cJSON_AddNumberToObject(json, "time", time);
    return json;
}

static void tell_events(tn_hub *s, const tn_session *session)
{
    static const char *const kinds[] = { [TN_FIRED_UP] = "up", [TN_FIRED_DOWN] = "down", [TN_FIRED_TOUCH] = "touch" };
    size_t fired = tn_session_fired_count(session), logged = tn_session_log_count(session);
    for (; s->fired < fired; s->fired++) {
        tn_fired f = tn_session_fired(session, s->fired);
        cJSON *json = make_push("event", f.time);
        cJSON_AddStringToObject(json, "event", f.event);
        cJSON_AddStringToObject(json, "kind", kinds[f.kind]);
        tn_hub_broadcast(s, json);
    }
    for (; s->logged < logged; s->logged++) {
        tn_log_entry entry = tn_session_log_entry(session, s->logged);
        cJSON *json = make_push("event", entry.time);
        cJSON_AddStringToObject(json, "event", entry.event);
        cJSON_AddStringToObject(json, "text", entry.text);
        tn_hub_broadcast(s, json);
    }
    s->fired = fired;                                  /* fewer after going back */
    s->logged = logged;
}

/* ---- the scene ---- */

/* Lists the entities of a kind that have that number of ends. */
static bool list_kind(tn_id_list *list, const tn_model *model, tn_kind kind, int end_count)
{
    size_t count = tn_model_count(model, kind);
    tn_end ends[2];
    list->items = calloc(count + 1, sizeof *list->items);
    for (size_t i = 0; i < count && list->items; i++) {
        tn_id id = tn_model_at(model, kind, i);
        if (tn_model_ends(ends, model, id) == end_count)
            list->items[list->count++] = id;
    }
    return list->items != NULL;
}

static void forget_entities(tn_hub *s)
{
    tn_id_list *lists[] = { &s->bodies, &s->joints, &s->forces };
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        free(lists[k]->items);
        *lists[k] = (tn_id_list){ 0 };
    }
    free(s->full_frame);
    s->full_frame = NULL;
}

/* Of a frame with all that can be told of the motion. */
static tn_frame_head full_frame_head(const tn_hub *s)
{
    return (tn_frame_head){ .flags = TN_FRAME_OPTIONAL | TN_FRAME_PULL, .bodies = (uint32_t)s->bodies.count,
                            .joints = (uint32_t)s->joints.count, .forces = (uint32_t)s->forces.count,
                            .touches = TN_FRAME_MOST_TOUCHES };
}

/* Bodies, joints and forces as the scene lists them. */
static bool list_entities(tn_hub *s, const tn_model *model)
{
    forget_entities(s);
    if (!list_kind(&s->bodies, model, TN_KIND_BODY, 0) || !list_kind(&s->joints, model, TN_KIND_JOINT, 2) ||
        !list_kind(&s->forces, model, TN_KIND_FORCE, 2))
        return false;
    tn_frame_head head = full_frame_head(s);
    s->full_frame = malloc(tn_frame_layout_of(&head).size);
    return s->full_frame != NULL;
}

static void publish_scene(tn_hub *s, const tn_session *session)
{
    tn_json_text json = { 0 };
    tn_json_text_begin(&json, NULL, '{');
    tn_json_text_string(&json, "push", "scene");
    tn_json_text_number(&json, "time", tn_session_time(session));
    tn_json_text_number(&json, "document", s->document.number);
    tn_json_text_number(&json, "revision", s->revision);
    tn_json_scene_detailed(&json, "scene", tn_session_model(session));
    tn_json_text_end(&json, '}');
    tn_message *message = tn_message_create(tn_json_text_take(&json));
    if (!message)
        return;
    tn_clients_broadcast(s->clients, message);
    pthread_mutex_lock(&s->clients->lock);
    tn_message *old = s->published.scene;
    s->published.scene = message;
    s->published.revision = s->revision;
    pthread_mutex_unlock(&s->clients->lock);
    if (old)
        tn_message_release(s->clients, old);
    s->scene_due = false;
}

void tn_hub_check_revision(tn_hub *s, bool quiet)
{
    const tn_session *session = s->document.session;
    long revision = tn_session_revision(session);
    s->frame_due = true;
    if (revision == s->seen)
        return;
    s->seen = revision;
    if (!quiet) {
        s->revision++;
        s->scene_due = true;
    }
    if (!list_entities(s, tn_session_model(session)))
        forget_entities(s);
}

/* ---- frames ---- */

/* The part that the frames of all clients share, computed once per frame. */
typedef struct frame_source {
    tn_frame_head head;
    tn_frame_layout plan;        /* of the full_frame */
    const uint8_t *full_frame;     /* only parts that some client has asked for are filled */
} frame_source;

static void put_poses(const tn_hub *s, tn_session *session, uint8_t *at)
{
    for (size_t b = 0; b < s->bodies.count; b++) {
        tn_pose pose = tn_pose_identity();
        tn_session_pose(&pose, session, s->bodies.items[b]);
        at = tn_frame_put_doubles(at, pose.p, 3);
        at = tn_frame_put_doubles(at, pose.q, 4);
    }
}

/* Two vectors of each entity: velocity and angular velocity, force and torque. */
typedef int (*screw_function)(double linear[3], double angular[3], tn_session *session, tn_id id);

static void put_screws(const tn_id_list *list, tn_session *session, screw_function ask, uint8_t *at)
{
    for (size_t k = 0; k < list->count; k++) {
        double linear[3] = { 0 }, angular[3] = { 0 };
        ask(linear, angular, session, list->items[k]);
        at = tn_frame_put_floats(at, linear, 3);
        at = tn_frame_put_floats(at, angular, 3);
    }
}

/* The grabbed point in world axes, and the force there. */
static void put_pull(const tn_hub *s, tn_session *session, uint8_t *at)
{
    double force[3] = { 0 }, point[3];
    tn_pose pose = tn_pose_identity();
    tn_session_pose(&pose, session, s->pull.body);
    const double *q = pose.q, *r = s->pull.at;
    double t[3] = { 2 * (q[2] * r[2] - q[3] * r[1]), 2 * (q[3] * r[0] - q[1] * r[2]), 2 * (q[1] * r[1] - q[2] * r[0]) };
    point[0] = pose.p[0] + r[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    point[1] = pose.p[1] + r[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    point[2] = pose.p[2] + r[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
    tn_readout_values(force, s->pull_force);
    at = tn_frame_put_floats(at, point, 3);
    tn_frame_put_floats(at, force, 3);
}

/* Points of the touches of contacts, and the forces there on the body that the touch names second; where that is ground, on
 * the other. Returns their number. */
static uint32_t put_touches(tn_hub *s, tn_session *session, uint8_t *at)
{
    int count = tn_session_touches(s->touches, TN_FRAME_MOST_TOUCHES, session);
    uint32_t put = count < 0 ? 0 : count < TN_FRAME_MOST_TOUCHES ? (uint32_t)count : TN_FRAME_MOST_TOUCHES;
    for (uint32_t k = 0; k < put; k++) {
        const tn_contact_touch *touch = &s->touches[k];
        double sign = strcmp(touch->body2, "ground") == 0 ? -1 : 1, force[3];
        for (int j = 0; j < 3; j++)
            force[j] = sign * (touch->force * touch->normal[j] + touch->friction[j]);
        at = tn_frame_put_floats(at, touch->point, 3);
        at = tn_frame_put_floats(at, force, 3);
    }
    return put;
}

/* wanted: flags of what some client's frames carry. */
static frame_source fill_full_frame(tn_hub *s, tn_session *session, const tn_frame_head *head, uint32_t wanted)
{
    tn_frame_head whole = full_frame_head(s);
    frame_source p = { *head, tn_frame_layout_of(&whole), s->full_frame };
    const struct { uint32_t flag; tn_frame_part part; const tn_id_list *list; screw_function ask; } screws[] = {
        { TN_FRAME_VELOCITIES, TN_PART_VELOCITIES, &s->bodies, tn_session_velocity },
        { TN_FRAME_ACCELERATIONS, TN_PART_ACCELERATIONS, &s->bodies, tn_session_acceleration },
        { TN_FRAME_REACTIONS, TN_PART_REACTIONS, &s->joints, tn_session_reaction },
        { TN_FRAME_FORCES, TN_PART_FORCES, &s->forces, tn_session_force },
    };
    put_poses(s, session, s->full_frame + p.plan.begin[TN_PART_POSES]);
    for (size_t k = 0; k < sizeof screws / sizeof screws[0]; k++)
        if (wanted & screws[k].flag)
            put_screws(screws[k].list, session, screws[k].ask, s->full_frame + p.plan.begin[screws[k].part]);
    if (wanted & TN_FRAME_TOUCHES)
        p.head.touches = put_touches(s, session, s->full_frame + p.plan.begin[TN_PART_TOUCHES]);
    if (head->flags & TN_FRAME_PULL)
        put_pull(s, session, s->full_frame + p.plan.begin[TN_PART_PULL]);
    return p;
}

static void make_frame(tn_hub *s, const frame_source *p, tn_client *client)
{
    double values[TN_MOST_CHANNELS];
    const tn_subscription *wanted = &client->subscription;
    tn_frame_head head = p->head;
    head.flags |= wanted->frame_parts;
    head.channels = wanted->readout ? (uint32_t)wanted->count : 0;
    head.subscription = wanted->number;
    tn_frame_layout plan = tn_frame_layout_of(&head);
    uint8_t *bytes = tn_client_frame(client, plan.size);
    if (!bytes)
        return;
    memset(bytes, 0, plan.channels);                   /* also the padding to a multiple of 8 */
    tn_frame_put_head(bytes, &head);
    for (int k = 0; k < TN_FRAME_PARTS; k++)
        memcpy(bytes + plan.begin[k], p->full_frame + p->plan.begin[k], plan.length[k]);
    for (size_t k = 0; k < head.channels; k++)
        values[k] = NAN;
    if (head.channels > 0)
        tn_readout_values(values, wanted->readout);
    tn_frame_put_doubles(bytes + plan.channels, values, head.channels);
    tn_client_publish(s->clients, client);
}

static tn_client *first_client(tn_hub *s)
{
    pthread_mutex_lock(&s->clients->lock);
    tn_client *first = s->clients->list;               /* from here on only this thread changes the list */
    pthread_mutex_unlock(&s->clients->lock);
    return first;
}

static void make_frames(tn_hub *s, tn_session *session, const tn_runner_status *status)
{
    tn_frame_head head = { .revision = s->revision, .number = ++s->frame, .time = tn_session_time(session),
                           .speed = status->pace, .bodies = (uint32_t)s->bodies.count,
                           .joints = (uint32_t)s->joints.count, .forces = (uint32_t)s->forces.count };
    head.flags = (status->speed > 0 ? TN_FRAME_RUNNING : 0) | (status->code < 0 ? TN_FRAME_FAILED : 0) |
                 (s->pull_force ? TN_FRAME_PULL : 0);
    uint32_t wanted = 0;
    tn_client *first = first_client(s);
    for (const tn_client *client = first; client; client = client->next)
        wanted |= client->subscription.frame_parts;
    if (first && s->full_frame) {
        frame_source p = fill_full_frame(s, session, &head, wanted);
        for (tn_client *client = first; client; client = client->next)
            make_frame(s, &p, client);
    }
    s->frame_wall = tn_clock();
    s->frame_due = false;
    s->clients->wake(s->clients->user);
}

/* ---- what the runner calls ---- */

static void remember_step(tn_hub *s, double time)
{
    s->step_times[s->step_end] = time;
    s->step_end = (s->step_end + 1) % TN_STEPS_KEPT;
    s->step_count += s->step_count < TN_STEPS_KEPT;
    s->furthest = time;
}

/* Has the condition been met up to which the run was asked to advance? */
static bool stop_condition_met(tn_hub *s)
{
    double value = NAN, last = s->until_last;
    if (!s->until || tn_readout_values(&value, s->until) < 0)
        return false;
    s->until_last = value;
    return (last < 0 && value >= 0) || (last > 0 && value <= 0);
}

static int after_step(void *user, const tn_session *const_session)
{
    tn_hub *s = user;
    remember_step(s, tn_session_time(const_session));
    s->frame_due = true;
    bool reached = stop_condition_met(s);
    if (reached) {
        tn_readout_close(s->until);
        s->until = NULL;
        tn_runner_set_speed(s->runner, 0);
    }
    if (tn_clock() - s->frame_wall >= LATE * FRAME && tn_session_revision(const_session) == s->seen) {
        tn_runner_status status = tn_runner_now(s->runner);
        make_frames(s, s->document.session, &status);
    }
    return reached;
}

static void update_published(tn_hub *s, const tn_session *session)
{
    tn_summary summary = tn_session_summary(session);
    tn_refused refused = tn_session_refused(session);
    double begin = tn_session_rewind_begin(session);
    pthread_mutex_lock(&s->clients->lock);
    s->published.rewind_begin = begin;
    s->published.rewind_end = s->furthest;
    s->published.steps = summary.steps;
    s->published.rejected = summary.rejected;
    s->published.refused.time = refused.time;
    s->published.refused.step = refused.step;
    snprintf(s->published.refused.why, sizeof s->published.refused.why, "%s", refused.why);
    s->published.branch = s->branch;
    pthread_mutex_unlock(&s->clients->lock);
}

/* Tells in the status when the journal falls behind, and when it has caught up. */
static void publish_journal(tn_hub *s, const tn_session *session)
{
    tn_journal_status status = tn_session_journal_status(session);
    pthread_mutex_lock(&s->clients->lock);
    snprintf(s->published.journal_trouble, sizeof s->published.journal_trouble, "%s", status.behind ? status.reason : "");
    s->published.unwritten = status.behind ? status.unwritten : 0;
    pthread_mutex_unlock(&s->clients->lock);
}

static void after_turn(void *user, tn_session *session)
{
    tn_hub *s = user;
    tn_runner_status status = tn_runner_now(s->runner);
    bool still = status.speed == 0 || status.code < 0;
    tn_clients_remove_closed(s->clients);
    tell_events(s, session);
    publish_journal(s, session);
    tn_hub_check_revision(s, false);                           /* events may have changed the model */
    if (s->scene_due)
        publish_scene(s, session);
    tn_hub_keep(s, false);
    if (s->frame_due && (still || tn_clock() - s->frame_wall >= SOON * FRAME)) {
        update_published(s, session);
        make_frames(s, session, &status);
    }
}

void tn_hub_truncate_steps(tn_hub *s, double time)
{
    while (s->step_count > 0 && s->step_times[(s->step_end + TN_STEPS_KEPT - 1) % TN_STEPS_KEPT] > time) {
        s->step_end = (s->step_end + TN_STEPS_KEPT - 1) % TN_STEPS_KEPT;
        s->step_count--;
    }
}

double tn_hub_time_back(const tn_hub *s, size_t steps)
{
    if (steps == s->step_count)
        return tn_session_rewind_begin(s->document.session);
    return steps < s->step_count ? s->step_times[(s->step_end + TN_STEPS_KEPT - 1 - steps) % TN_STEPS_KEPT] : NAN;
}

/* ---- documents ---- */

/* Sets the callbacks of a new session, and resets the counters that belong to it. */
static void attach_session(tn_hub *s)
{
    tn_session *session = s->document.session;
    s->seen = -1;
    s->fired = tn_session_fired_count(session);
    s->logged = tn_session_log_count(session);
    s->step_count = s->step_end = 0;
    s->furthest = tn_session_time(session);
    tn_session_on_step(session, after_step, s);
    pthread_mutex_lock(&s->clients->lock);
    snprintf(s->published.name, sizeof s->published.name, "%s", s->document.name);
    snprintf(s->published.folder, sizeof s->published.folder, "%s", s->document.folder);
    snprintf(s->published.journal, sizeof s->published.journal, "%s", s->document.journal);
    pthread_mutex_unlock(&s->clients->lock);
    s->kept = -1;
    update_published(s, session);
    tn_hub_keep(s, true);
    tn_hub_tell_documents(s);
    tn_hub_check_revision(s, false);
}

int tn_hub_open(tn_hub *s, tn_clients *clients, tn_worker *worker, tn_document *document, const tn_recovery *recovery)
{
    *s = (tn_hub){ .clients = clients, .worker = worker, .recovery = recovery, .journal_options = s->journal_options };
    document->number = ++s->documents;
    int code = tn_document_record(document, recovery->state, ++s->records, &s->journal_options);
    if (code >= 0)
        code = tn_runner_start(&s->runner, document->session, FRAME, NULL, NULL);
    if (code < 0)
        return code;
    s->document = *document;
    *document = (tn_document){ 0 };
    tn_runner_on_turn(s->runner, after_turn, s);
    attach_session(s);
    publish_scene(s, s->document.session);
    return TN_OK;
}

/* Closes everything that points into the session. */
static void detach_session(tn_hub *s)
{
    tn_readout_close(s->until);
    tn_readout_close(s->pull_force);
    s->until = s->pull_force = NULL;
    for (tn_client *client = first_client(s); client; client = client->next) {
        tn_readout_close(client->subscription.readout);
        client->subscription.readout = NULL;
    }
}

/* Subscribes again by names; a subscription that does not fit the new document is empty until its client renews it. */
static void subscribe_again(tn_hub *s)
{
    for (tn_client *client = first_client(s); client; client = client->next) {
        tn_subscription *wanted = &client->subscription;
        if (wanted->count > 0)
            tn_readout_open(&wanted->readout, s->document.session, (const char *const *)wanted->names, wanted->count);
    }
    tn_diagnostics_clear(s->document.context);
}

/* Makes a document the open one. */
static void enter(tn_hub *s, const tn_document *document)
{
    s->document = *document;
    tn_runner_exchange(s->runner, s->document.session);
    subscribe_again(s);
    attach_session(s);
}

int tn_hub_exchange(tn_hub *s, tn_document *document, bool park)
{
    if (document->number == 0)
        document->number = ++s->documents;
    int code = tn_document_record(document, s->recovery->state, ++s->records, &s->journal_options);
    if (code < 0)
        return code;
    tn_document old = s->document;
    detach_session(s);
    if (park)
        s->parked[s->parked_count++] = old;
    enter(s, document);
    *document = (tn_document){ 0 };
    if (!park)
        tn_document_close(&old);
    return TN_OK;
}

bool tn_hub_show(tn_hub *s, int number)
{
    int k = 0;
    while (k < s->parked_count && s->parked[k].number != number)
        k++;
    if (k == s->parked_count)
        return false;
    tn_document next = s->parked[k];
    detach_session(s);
    s->parked[k] = s->document;
    enter(s, &next);
    return true;
}

void tn_hub_drop(tn_hub *s, int number)
{
    for (int k = 0; k < s->parked_count; k++)
        if (s->parked[k].number == number) {
            tn_document_close(&s->parked[k]);
            s->parked[k] = s->parked[--s->parked_count];
            return;
        }
}

tn_document *tn_hub_find(tn_hub *s, int number)
{
    for (int k = 0; k < s->parked_count; k++)
        if (s->parked[k].number == number)
            return &s->parked[k];
    return s->document.number == number ? &s->document : NULL;
}

void tn_hub_stop(tn_hub *s)
{
    tn_runner_stop(s->runner);
    s->runner = NULL;
}

void tn_hub_close(tn_hub *s)
{
    if (s->document.session)
        detach_session(s);
    if (s->published.scene)
        tn_message_release(s->clients, s->published.scene);
    forget_entities(s);
    cJSON_Delete(s->health.answer);
    for (int k = 0; k < s->parked_count; k++)
        tn_document_close(&s->parked[k]);
    tn_document_close(&s->document);
}
