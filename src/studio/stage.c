#include "stage.h"
#include "frame.h"
#include "scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FRAME = 1.0 / 60;          /* s of wall time between two frames */
static const double SOON = 0.9;                /* of that: a turn is about a frame long, and not exactly */
static const double LATE = 3;                  /* frames: then one is made within a turn that takes long */

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

/* Those of a kind that have so many ends. */
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

static void forget_entities(tn_stage *s)
{
    tn_id_list *lists[] = { &s->bodies, &s->joints, &s->forces };
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        free(lists[k]->items);
        *lists[k] = (tn_id_list){ 0 };
    }
    free(s->canvas);
    s->canvas = NULL;
}

/* Of a frame with all that can be told of the motion. */
static tn_frame_head everything(const tn_stage *s)
{
    return (tn_frame_head){ .flags = TN_FRAME_CARRIED | TN_FRAME_PULL, .bodies = (uint32_t)s->bodies.count,
                            .joints = (uint32_t)s->joints.count, .forces = (uint32_t)s->forces.count };
}

/* Bodies, joints and forces as the scene lists them. */
static bool list_entities(tn_stage *s, const tn_model *model)
{
    forget_entities(s);
    if (!list_kind(&s->bodies, model, TN_KIND_BODY, 0) || !list_kind(&s->joints, model, TN_KIND_JOINT, 2) ||
        !list_kind(&s->forces, model, TN_KIND_FORCE, 2))
        return false;
    tn_frame_head head = everything(s);
    s->canvas = malloc(tn_frame_plan_of(&head).size);
    return s->canvas != NULL;
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
        forget_entities(s);
}

/* ---- frames ---- */

/* What the frames of all clients have in common, computed once a frame. */
typedef struct picture {
    tn_frame_head head;
    tn_frame_plan plan;        /* of the canvas */
    const uint8_t *canvas;     /* parts that nobody wants are not filled */
} picture;

static void put_poses(const tn_stage *s, tn_session *session, uint8_t *at)
{
    for (size_t b = 0; b < s->bodies.count; b++) {
        tn_pose pose = tn_pose_identity();
        tn_session_pose(&pose, session, s->bodies.items[b]);
        at = tn_frame_put_floats(at, pose.p, 3);
        at = tn_frame_put_floats(at, pose.q, 4);
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
    tn_readout_values(force, s->hand);
    at = tn_frame_put_floats(at, point, 3);
    tn_frame_put_floats(at, force, 3);
}

/* wanted: flags of what some client's frames carry. */
static picture look_at(tn_stage *s, tn_session *session, const tn_frame_head *head, uint32_t wanted)
{
    tn_frame_head whole = everything(s);
    picture p = { *head, tn_frame_plan_of(&whole), s->canvas };
    const struct { uint32_t flag; tn_frame_part part; const tn_id_list *list; screw_function ask; } screws[] = {
        { TN_FRAME_VELOCITIES, TN_PART_VELOCITIES, &s->bodies, tn_session_velocity },
        { TN_FRAME_ACCELERATIONS, TN_PART_ACCELERATIONS, &s->bodies, tn_session_acceleration },
        { TN_FRAME_REACTIONS, TN_PART_REACTIONS, &s->joints, tn_session_reaction },
        { TN_FRAME_FORCES, TN_PART_FORCES, &s->forces, tn_session_force },
    };
    put_poses(s, session, s->canvas + p.plan.begin[TN_PART_POSES]);
    for (size_t k = 0; k < sizeof screws / sizeof screws[0]; k++)
        if (wanted & screws[k].flag)
            put_screws(screws[k].list, session, screws[k].ask, s->canvas + p.plan.begin[screws[k].part]);
    if (head->flags & TN_FRAME_PULL)
        put_pull(s, session, s->canvas + p.plan.begin[TN_PART_PULL]);
    return p;
}

static void make_frame(tn_stage *s, const picture *p, tn_client *client)
{
    double values[TN_MOST_CHANNELS];
    const tn_subscription *wanted = &client->subscription;
    tn_frame_head head = p->head;
    head.flags |= wanted->carried;
    head.channels = wanted->readout ? (uint32_t)wanted->count : 0;
    head.subscription = wanted->number;
    tn_frame_plan plan = tn_frame_plan_of(&head);
    uint8_t *bytes = tn_client_frame(client, plan.size);
    if (!bytes)
        return;
    memset(bytes, 0, plan.channels);                   /* also what fills up to a multiple of 8 */
    tn_frame_put_head(bytes, &head);
    for (int k = 0; k < TN_FRAME_PARTS; k++)
        memcpy(bytes + plan.begin[k], p->canvas + p->plan.begin[k], plan.length[k]);
    for (size_t k = 0; k < head.channels; k++)
        values[k] = NAN;
    if (head.channels > 0)
        tn_readout_values(values, wanted->readout);
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
                           .speed = status->pace, .bodies = (uint32_t)s->bodies.count,
                           .joints = (uint32_t)s->joints.count, .forces = (uint32_t)s->forces.count };
    head.flags = (status->speed > 0 ? TN_FRAME_GOING : 0) | (status->code < 0 ? TN_FRAME_FAILED : 0) |
                 (s->hand ? TN_FRAME_PULL : 0);
    uint32_t wanted = 0;
    tn_client *first = first_client(s);
    for (const tn_client *client = first; client; client = client->next)
        wanted |= client->subscription.carried;
    if (first && s->canvas) {
        picture p = look_at(s, session, &head, wanted);
        for (tn_client *client = first; client; client = client->next)
            make_frame(s, &p, client);
    }
    s->frame_wall = tn_clock();
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
    if (!s->until || tn_readout_values(&value, s->until) < 0)
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
    if (tn_clock() - s->frame_wall >= LATE * FRAME && tn_session_revision(const_session) == s->seen) {
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
    if (s->frame_due && (still || tn_clock() - s->frame_wall >= SOON * FRAME)) {
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
    forget_entities(s);
    cJSON_Delete(s->health.answer);
    tn_world_close(&s->world);
}
