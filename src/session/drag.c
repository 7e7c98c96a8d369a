/* Dragging a mechanism that stands still: an edit of its pose. */
#include "drag.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "log.h"
#include "vec.h"

static int check(const tn_session *s, const tn_drag *drag)
{
    int body;
    double sum = 0;
    if (s->stepper->motion_only || s->kinematics || s->loads)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "poses of this session follow from its drives; only one of tn_session_open can be dragged");
    for (int k = 0; k < 3; k++)
        sum += drag->at[k] + drag->target[k];
    if (!isfinite(sum))
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a point or target of a drag is not finite");
    return tn_session_find_movable(&body, s, drag->body);
}

/* ---- the pose ---- */

static int copy_state(tn_pose_drag *pose, const tn_session *s, tn_arena *arena)
{
    const tn_system *sys = s->system;
    size_t positions = (size_t)sys->positions, rest = (size_t)(sys->size - sys->positions);
    pose->q = tn_arena_alloc(arena, positions, sizeof(double));
    pose->v = tn_arena_alloc(arena, rest, sizeof(double));
    pose->memory = tn_arena_alloc(arena, (size_t)sys->memory, sizeof(double));
    if (!pose->q || !pose->v || !pose->memory)
        return TN_ERROR_MEMORY;
    memcpy(pose->q, s->stepper->y, positions * sizeof(double));
    memcpy(pose->v, s->stepper->y + positions, rest * sizeof(double));
    memcpy(pose->memory, s->stepper->memory, (size_t)sys->memory * sizeof(double));
    return TN_OK;
}

/* Stops bound a pose from one side only. */
static int list_bounds(tn_pose_drag *pose, const tn_session *s, tn_arena *arena)
{
    tn_bound *bounds = tn_arena_alloc(arena, s->guards.count, sizeof *bounds);
    if (!bounds)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < s->guards.count; k++) {
        const tn_guard *g = &s->guards.items[k];
        if (g->limit < 0)
            continue;
        const tn_model_limit *limit = &s->model->limits[g->limit];
        bounds[pose->bound_count++] = (tn_bound){ s->system->constraint_of[limit->joint], limit->coordinate,
                                                  g->side > 0 ? g->bound : -INFINITY,
                                                  g->side < 0 ? g->bound : INFINITY };
    }
    pose->bounds = bounds;
    return TN_OK;
}

/* Without the stops and touches that are closed now: they could not be left. */
static int find_unguarded(tn_pose_drag *pose, tn_session *s)
{
    tn_layout guarded;
    TN_TRY(tn_system_attach(s->system, NULL, 0, &guarded));
    int code = tn_drag_find(pose, s->system, tn_solver_types[0]);
    tn_layout bare = tn_layout_of(s->system);
    tn_layout_restore(s->system, &guarded);
    tn_layout_free(s->system, &bare);
    return code;
}

static int find_pose(tn_pose_drag *pose, tn_session *s, const tn_drag *drag, tn_arena *arena)
{
    tn_pose point = tn_pose_identity();
    tn_copy3(point.p, drag->at);
    *pose = (tn_pose_drag){ .t = s->stepper->t, .point = tn_system_frame(s->system, drag->body.index, &point) };
    tn_copy3(pose->target, drag->target);
    TN_TRY(copy_state(pose, s, arena));
    TN_TRY(list_bounds(pose, s, arena));
    return find_unguarded(pose, s);
}

/* ---- what is told ---- */

static double farthest(const tn_session *s, const double *q)
{
    double most = 0;
    for (int b = 0; b < s->system->body_count; b++) {
        int at = s->system->bodies[b].q;
        double moved[3] = { 0 };
        for (int k = 0; k < s->system->dimension; k++)
            moved[k] = q[at + k] - s->stepper->y[at + k];
        most = fmax(most, tn_norm3(moved));
    }
    return most;
}

static void tell(tn_drag_result *r, const tn_session *s, const tn_drag *drag, const tn_pose_drag *pose)
{
    static const char *const kinds[] = { [TN_BLOCKER_LIMIT] = "limit of ", [TN_BLOCKER_DRIVE] = "drive ",
                                         [TN_BLOCKER_JOINT] = "" };
    static const char *const ends[] = { [TN_DRAG_REACHED] = "", [TN_DRAG_BLOCKED] = "",
                                        [TN_DRAG_SINGULAR] = "; further it would snap over",
                                        [TN_DRAG_UNFINISHED] = "; not there yet" };
    *r = (tn_drag_result){ .end = pose->end, .distance = pose->distance, .displacement = farthest(s, pose->q),
                           .blocker_count = pose->blocking_count };
    size_t used = (size_t)snprintf(r->text, sizeof r->text, "dragged %.80s",
                                   tn_model_entity_name(s->model, drag->body));
    if (pose->end != TN_DRAG_REACHED)
        used += (size_t)snprintf(r->text + used, sizeof r->text - used, ", %.3g m left%s", r->distance,
                                 ends[pose->end]);
    for (int k = 0; k < pose->blocking_count; k++) {
        const tn_blocking *b = &pose->blocking[k];
        r->blockers[k] = (tn_blocker){ tn_constraint_id(s->system, b->constraint), b->kind };
        if (used < sizeof r->text)
            used += (size_t)snprintf(r->text + used, sizeof r->text - used, "%s%s'%.60s'", k ? ", " : "; held by ",
                                     kinds[b->kind], tn_constraint_name(s->system, b->constraint));
    }
}

/* ---- the edit ---- */

static int move(tn_session *s, const tn_pose_drag *pose, double *energy_change)
{
    double before = tn_stepper_energy(s->stepper);
    TN_TRY(tn_guards_let_go(s));
    TN_TRY(tn_stepper_start(s->stepper, pose->t, pose->q, pose->v, pose->memory));
    TN_TRY(tn_guards_begin(s));
    s->stepper->turned = 0;
    s->eval_current = s->at_rest = false;
    *energy_change = tn_stepper_energy(s->stepper) - before;
    s->work += *energy_change;                         /* so that the energy account goes on closing */
    TN_TRY(tn_work_begin(s));
    return tn_events_rearm(s);
}

/* All of it or nothing. */
static int move_or_stay(tn_session *s, const tn_pose_drag *pose, double *energy_change)
{
    tn_moment before;
    TN_TRY(tn_moment_take(&before, s));
    int code = move(s, pose, energy_change);
    if (code < 0) {
        tn_fail(s->context, code, TN_NOWHERE, "nothing can move on from that pose%s%s",
                s->stepper->eval->failed ? ": " : "", s->stepper->eval->failed ? s->stepper->eval->trouble : "");
        tn_moment_restore(s, &before);
    }
    tn_moment_free(&before, s->context);
    return code;
}

static int edit_pose(tn_session *s, const tn_drag *drag, const tn_pose_drag *pose, tn_drag_result *result)
{
    tn_entry event = { .kind = TN_ENTRY_DRAG, .drag = *drag, .body = tn_model_entity_name(s->model, drag->body) };
    bool joined;
    TN_TRY(tn_history_begin(s, result->text, drag->body, drag->more, &joined));
    int code = joined ? tn_log_flush(s) : tn_log_prepare(s, &event);
    bool prepared = code == TN_OK;
    if (prepared)
        code = move_or_stay(s, pose, &result->energy_change);
    tn_history_end(s, joined, code == TN_OK);
    if (!joined && prepared)
        return tn_log_commit(s, code, true);
    return code < 0 ? code : tn_log_nudged(s, &event);
}

int tn_session_drag(tn_session *s, const tn_drag *drag, tn_drag_result *result)
{
    tn_drag_result ignored;
    tn_pose_drag pose;
    result = result ? result : &ignored;
    TN_TRY(check(s, drag));
    tn_arena *arena = tn_arena_create(s->context);
    int code = arena ? find_pose(&pose, s, drag, arena) : TN_ERROR_MEMORY;
    if (code == TN_OK) {
        tell(result, s, drag, &pose);
        if (pose.steps > 0)
            code = edit_pose(s, drag, &pose, result);
    }
    tn_arena_destroy(arena);
    return code;
}
