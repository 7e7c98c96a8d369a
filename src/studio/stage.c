#include "stage.h"
#include "frame.h"
#include "scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double FRAME = 1.0 / 60;          /* s of wall time between two frames */
static const double SOON = 0.9;                /* of that: a turn is about a frame long, and not exactly */
static const double LATE = 3;                  /* frames: then one is made within a turn that takes long */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- telling ---- */

void tn_stage_tell(tn_stage *s, cJSON *document)
{
    tn_message *message = tn_message_take(cJSON_PrintUnformatted(document));
    cJSON_Delete(document);
    if (!message)
        return;
    tn_clients_send(s->clients, message);
    tn_message_drop(s->clients, message);
}

static cJSON *push(const char *what, double time)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "push", what);
    cJSON_AddNumberToObject(document, "time", time);
    return document;
}

static void tell_events(tn_stage *s, const tn_session *session)
{
    static const char *const kinds[] = { [TN_FIRED_UP] = "up", [TN_FIRED_DOWN] = "down", [TN_FIRED_TOUCH] = "touch" };
    size_t fired = tn_session_fired_count(session), logged = tn_session_log_count(session);
    for (; s->fired < fired; s->fired++) {
        tn_fired f = tn_session_fired(session, s->fired);
        cJSON *document = push("event", f.time);
        cJSON_AddStringToObject(document, "event", f.event);
        cJSON_AddStringToObject(document, "kind", kinds[f.kind]);
        tn_stage_tell(s, document);
    }
    for (; s->logged < logged; s->logged++) {
        tn_log_entry entry = tn_session_log_entry(session, s->logged);
        cJSON *document = push("event", entry.time);
        cJSON_AddStringToObject(document, "event", entry.event);
        cJSON_AddStringToObject(document, "text", entry.text);
        tn_stage_tell(s, document);
    }
    s->fired = fired;                                  /* fewer after going back */
    s->logged = logged;
}

/* ---- the scene ---- */

/* Bodies and joints as the scene lists them. */
static bool list_entities(tn_stage *s, const tn_model *model)
{
    size_t bodies = tn_model_count(model, TN_KIND_BODY), joints = tn_model_count(model, TN_KIND_JOINT);
    tn_end ends[2];
    free(s->bodies);
    free(s->joints);
    free(s->canvas);
    s->body_count = s->joint_count = 0;
    s->bodies = calloc(bodies + 1, sizeof *s->bodies);
    s->joints = calloc(joints + 1, sizeof *s->joints);
    s->canvas = malloc((13 * bodies + 6 * joints + 1) * sizeof(float));
    if (!s->bodies || !s->joints || !s->canvas)
        return false;
    for (size_t i = 0; i < bodies; i++)
        s->bodies[s->body_count++] = tn_model_at(model, TN_KIND_BODY, i);
    for (size_t i = 0; i < joints; i++) {
        tn_id joint = tn_model_at(model, TN_KIND_JOINT, i);
        if (tn_model_ends(ends, model, joint) == 2)
            s->joints[s->joint_count++] = joint;
    }
    return true;
}

static void publish_scene(tn_stage *s, const tn_session *session)
{
    cJSON *document = push("scene", tn_session_time(session));
    cJSON_AddNumberToObject(document, "revision", s->revision);
    cJSON_AddItemToObject(document, "scene", tn_json_scene_detailed(tn_session_model(session)));
    tn_message *message = tn_message_take(cJSON_PrintUnformatted(document));
    cJSON_Delete(document);
    if (!message)
        return;
    tn_clients_send(s->clients, message);
    pthread_mutex_lock(&s->clients->lock);
    tn_message *old = s->bulletin.scene;
    s->bulletin.scene = message;
    s->bulletin.revision = s->revision;
    pthread_mutex_unlock(&s->clients->lock);
    if (old)
        tn_message_drop(s->clients, old);
    s->scene_due = false;
}

void tn_stage_look(tn_stage *s, bool quiet)
{
    const tn_session *session = s->world.session;
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
        s->body_count = s->joint_count = 0;
}

/* ---- frames ---- */

/* What the frames of all clients have in common, computed once a frame. */
typedef struct picture {
    tn_frame_head head;
    const uint8_t *poses, *velocities, *reactions;     /* NULL: nobody wants them */
    uint8_t pull[6 * sizeof(float)];
} picture;

static void put_poses(const tn_stage *s, tn_session *session, uint8_t *at)
{
    for (size_t b = 0; b < s->body_count; b++) {
        tn_pose pose = tn_pose_identity();
        tn_session_pose(&pose, session, s->bodies[b]);
        at = tn_frame_put_floats(at, pose.p, 3);
        at = tn_frame_put_floats(at, pose.q, 4);
    }
}

static void put_velocities(const tn_stage *s, tn_session *session, uint8_t *at)
{
    for (size_t b = 0; b < s->body_count; b++) {
        double linear[3] = { 0 }, angular[3] = { 0 };
        tn_session_velocity(linear, angular, session, s->bodies[b]);
        at = tn_frame_put_floats(at, linear, 3);
        at = tn_frame_put_floats(at, angular, 3);
    }
}

static void put_reactions(const tn_stage *s, tn_session *session, uint8_t *at)
{
    for (size_t j = 0; j < s->joint_count; j++) {
        double force[3] = { 0 }, torque[3] = { 0 };
        tn_session_reaction(force, torque, session, s->joints[j]);
        at = tn_frame_put_floats(at, force, 3);
        at = tn_frame_put_floats(at, torque, 3);
    }
}

/* The grabbed point in the world, and the force there. */
static void put_pull(const tn_stage *s, tn_session *session, uint8_t *at)
{
    double force[3] = { 0 }, point[3];
    tn_pose pose = tn_pose_identity();
    tn_session_pose(&pose, session, s->pull.body);
    const double *q = pose.q, *r = s->pull.at;
    double t[3] = { 2 * (q[2] * r[2] - q[3] * r[1]), 2 * (q[3] * r[0] - q[1] * r[2]), 2 * (q[1] * r[1] - q[2] * r[0]) };
    point[0] = pose.p[0] + r[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    point[1] = pose.p[1] + r[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    point[2] = pose.p[2] + r[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
    tn_readout_values(s->hand, force);
    at = tn_frame_put_floats(at, point, 3);
    tn_frame_put_floats(at, force, 3);
}

static picture look_at(tn_stage *s, tn_session *session, const tn_frame_head *head, bool velocities, bool reactions)
{
    size_t bodies = s->body_count * sizeof(float), joints = s->joint_count * sizeof(float);
    uint8_t *at = s->canvas;
    picture p = { .head = *head, .poses = at, .velocities = at + 7 * bodies, .reactions = at + 13 * bodies };
    put_poses(s, session, at);
    if (velocities)
        put_velocities(s, session, at + 7 * bodies);
    if (reactions && joints > 0)
        put_reactions(s, session, at + 13 * bodies);
    if (head->flags & TN_FRAME_PULL)
        put_pull(s, session, p.pull);
    return p;
}

static void make_frame(tn_stage *s, const picture *p, tn_client *client)
{
    double values[TN_MOST_CHANNELS];
    const tn_subscription *wanted = &client->subscription;
    tn_frame_head head = p->head;
    head.flags |= (wanted->velocities ? TN_FRAME_VELOCITIES : 0) | (wanted->reactions ? TN_FRAME_REACTIONS : 0);
    head.joints = wanted->reactions ? (uint32_t)s->joint_count : 0;
    head.channels = wanted->readout ? (uint32_t)wanted->count : 0;
    head.subscription = wanted->number;
    tn_frame_plan plan = tn_frame_plan_of(&head);
    uint8_t *bytes = tn_client_frame(client, plan.size);
    if (!bytes)
        return;
    tn_frame_put_head(bytes, &head);
    memcpy(bytes + plan.poses, p->poses, plan.velocities - plan.poses);
    memcpy(bytes + plan.velocities, p->velocities, plan.reactions - plan.velocities);
    memcpy(bytes + plan.reactions, p->reactions, plan.pull - plan.reactions);
    memset(bytes + plan.pull, 0, plan.channels - plan.pull);   /* the pull, and what fills up to a multiple of 8 */
    if (head.flags & TN_FRAME_PULL)
        memcpy(bytes + plan.pull, p->pull, sizeof p->pull);
    for (size_t k = 0; k < head.channels; k++)
        values[k] = NAN;
    if (head.channels > 0)
        tn_readout_values(wanted->readout, values);
    tn_frame_put_doubles(bytes + plan.channels, values, head.channels);
    tn_client_publish(s->clients, client);
}

static tn_client *first_client(tn_stage *s)
{
    pthread_mutex_lock(&s->clients->lock);
    tn_client *first = s->clients->list;               /* from here on only this thread changes the list */
    pthread_mutex_unlock(&s->clients->lock);
    return first;
}

static void make_frames(tn_stage *s, tn_session *session, const tn_runner_status *status)
{
    tn_frame_head head = { .revision = s->revision, .number = ++s->frame, .time = tn_session_time(session),
                           .speed = status->pace, .bodies = (uint32_t)s->body_count };
    head.flags = (status->speed > 0 ? TN_FRAME_GOING : 0) | (status->code < 0 ? TN_FRAME_FAILED : 0) |
                 (s->hand ? TN_FRAME_PULL : 0);
    bool velocities = false, reactions = false;
    tn_client *first = first_client(s);
    for (const tn_client *client = first; client; client = client->next) {
        velocities |= client->subscription.velocities;
        reactions |= client->subscription.reactions;
    }
    if (first && s->canvas) {
        picture p = look_at(s, session, &head, velocities, reactions);
        for (tn_client *client = first; client; client = client->next)
            make_frame(s, &p, client);
    }
    s->frame_wall = now();
    s->frame_due = false;
    s->clients->wake(s->clients->user);
}

/* ---- what the runner calls ---- */

static void remember_step(tn_stage *s, double time)
{
    s->trail[s->trail_end] = time;
    s->trail_end = (s->trail_end + 1) % TN_TRAIL;
    s->trail_count += s->trail_count < TN_TRAIL;
    s->furthest = time;
}

/* Has what the run goes on to come about? */
static bool is_reached(tn_stage *s)
{
    double value = NAN, last = s->until_last;
    if (!s->until || tn_readout_values(s->until, &value) < 0)
        return false;
    s->until_last = value;
    return (last < 0 && value >= 0) || (last > 0 && value <= 0);
}

static int after_step(void *user, const tn_session *const_session)
{
    tn_stage *s = user;
    remember_step(s, tn_session_time(const_session));
    s->frame_due = true;
    bool reached = is_reached(s);
    if (reached) {
        tn_readout_close(s->until);
        s->until = NULL;
        tn_runner_set_speed(s->runner, 0);
    }
    if (now() - s->frame_wall >= LATE * FRAME && tn_session_revision(const_session) == s->seen) {
        tn_runner_status status = tn_runner_now(s->runner);
        make_frames(s, s->world.session, &status);
    }
    return reached;
}

static void update_bulletin(tn_stage *s, const tn_session *session)
{
    tn_summary summary = tn_session_summary(session);
    tn_refused refused = tn_session_refused(session);
    double begin = tn_session_past_begin(session);
    pthread_mutex_lock(&s->clients->lock);
    s->bulletin.past_begin = begin;
    s->bulletin.past_end = s->furthest;
    s->bulletin.rejected = summary.rejected;
    s->bulletin.refused.time = refused.time;
    s->bulletin.refused.step = refused.step;
    snprintf(s->bulletin.refused.why, sizeof s->bulletin.refused.why, "%s", refused.why);
    s->bulletin.branch = s->branch;
    pthread_mutex_unlock(&s->clients->lock);
}

static void after_turn(void *user, tn_session *session)
{
    tn_stage *s = user;
    tn_runner_status status = tn_runner_now(s->runner);
    bool still = status.speed == 0 || status.code < 0;
    tn_clients_sweep(s->clients);
    tell_events(s, session);
    tn_stage_look(s, false);                           /* events may have changed the model */
    if (s->scene_due)
        publish_scene(s, session);
    if (s->frame_due && (still || now() - s->frame_wall >= SOON * FRAME)) {
        update_bulletin(s, session);
        make_frames(s, session, &status);
    }
}

void tn_stage_sought(tn_stage *s, double time)
{
    while (s->trail_count > 0 && s->trail[(s->trail_end + TN_TRAIL - 1) % TN_TRAIL] > time) {
        s->trail_end = (s->trail_end + TN_TRAIL - 1) % TN_TRAIL;
        s->trail_count--;
    }
}

double tn_stage_time_back(const tn_stage *s, size_t steps)
{
    if (steps == s->trail_count)
        return tn_session_past_begin(s->world.session);
    return steps < s->trail_count ? s->trail[(s->trail_end + TN_TRAIL - 1 - steps) % TN_TRAIL] : NAN;
}

/* ---- worlds ---- */

/* The session's callbacks, and what is counted anew with it. */
static void enter(tn_stage *s)
{
    tn_session *session = s->world.session;
    s->seen = -1;
    s->fired = tn_session_fired_count(session);
    s->logged = tn_session_log_count(session);
    s->trail_count = s->trail_end = 0;
    s->furthest = tn_session_time(session);
    tn_session_on_step(session, after_step, s);
    pthread_mutex_lock(&s->clients->lock);
    snprintf(s->bulletin.name, sizeof s->bulletin.name, "%s", s->world.name);
    snprintf(s->bulletin.folder, sizeof s->bulletin.folder, "%s", s->world.folder);
    snprintf(s->bulletin.journal, sizeof s->bulletin.journal, "%s", s->world.journal);
    pthread_mutex_unlock(&s->clients->lock);
    update_bulletin(s, session);
    tn_stage_look(s, false);
}

int tn_stage_open(tn_stage *s, tn_clients *clients, tn_world *world, const char *state)
{
    *s = (tn_stage){ .clients = clients };
    int code = tn_world_record(world, state, ++s->worlds);
    if (code >= 0)
        code = tn_runner_start(&s->runner, world->session, FRAME, NULL, NULL);
    if (code < 0)
        return code;
    s->world = *world;
    *world = (tn_world){ 0 };
    tn_runner_on_turn(s->runner, after_turn, s);
    enter(s);
    publish_scene(s, s->world.session);
    return TN_OK;
}

/* What points into the session. */
static void leave(tn_stage *s)
{
    tn_readout_close(s->until);
    tn_readout_close(s->hand);
    s->until = s->hand = NULL;
    for (tn_client *client = first_client(s); client; client = client->next) {
        tn_readout_close(client->subscription.readout);
        client->subscription.readout = NULL;
    }
}

/* Subscriptions by name again; one that does not fit the new world is empty until the client asks anew. */
static void subscribe_again(tn_stage *s)
{
    for (tn_client *client = first_client(s); client; client = client->next) {
        tn_subscription *wanted = &client->subscription;
        if (wanted->count > 0)
            tn_readout_open(&wanted->readout, s->world.session, (const char *const *)wanted->names, wanted->count);
    }
    tn_diagnostics_clear(s->world.context);
}

int tn_stage_exchange(tn_stage *s, tn_world *world, const char *state)
{
    int code = tn_world_record(world, state, ++s->worlds);
    if (code < 0)
        return code;
    tn_world old = s->world;
    leave(s);
    s->world = *world;
    *world = (tn_world){ 0 };
    tn_runner_exchange(s->runner, s->world.session);
    tn_world_close(&old);
    subscribe_again(s);
    enter(s);
    return TN_OK;
}

void tn_stage_stop(tn_stage *s)
{
    tn_runner_stop(s->runner);
    s->runner = NULL;
}

void tn_stage_close(tn_stage *s)
{
    if (s->world.session)
        leave(s);
    if (s->bulletin.scene)
        tn_message_drop(s->clients, s->bulletin.scene);
    free(s->bodies);
    free(s->joints);
    free(s->canvas);
    cJSON_Delete(s->health.answer);
    tn_world_close(&s->world);
}
