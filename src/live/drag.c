/* Dragging a point of a mechanism: an edit of its pose while time stands still. */
#include "drag.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "live.h"
#include "vec.h"

enum { HALVINGS = 20, SLIDES = 3 };    /* bisections for the farthest pose without overlap; surfaces to slide along */
/* Share of the way that is left: a way along a surface that is shorter leads nowhere. */
static const double NO_WAY = 1e-6;

static int check_drag(const tn_session *s, const tn_drag *drag)
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

/* Lists the limits of coordinates as bounds of the pose; each limit bounds one side. */
static int list_bounds(tn_pose_drag *pose, const tn_session *s, tn_arena *arena)
{
    tn_bound *bounds = tn_arena_alloc(arena, s->unilaterals->count, sizeof *bounds);
    if (!bounds)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
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

/* Finds the pose without the equations of the active limits and contacts, which would otherwise hold like joints. */
static int find_pose_without_unilaterals(tn_pose_drag *pose, tn_session *s)
{
    tn_layout with_unilaterals;
    TN_TRY(tn_system_attach(s->system, NULL, 0, &with_unilaterals));
    pose->coupling = s->coupling;
    int code = tn_drag_find(pose, s->system, tn_solver_types[0]);
    tn_layout bare = tn_layout_of(s->system);
    tn_layout_restore(s->system, &with_unilaterals);
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
    return find_pose_without_unilaterals(pose, s);
}

/* ---- overlapping shapes ---- */

/* Finds the contact whose shapes overlap most at a pose, and their touch; kind NONE: no shapes overlap. */
static int find_overlap(tn_id *contact, tn_touch *touch, tn_session *s, const tn_pose_drag *pose)
{
    const tn_touch *list;
    size_t count;
    double worst = -s->solve.gap_tolerance;
    *contact = (tn_id){ 0 };
    if (!s->unilaterals->near.touches)
        return TN_OK;
    s->eval_current = false;
    tn_eval_motion(s->stepper->eval, s->system, pose->t, pose->q, pose->v);
    TN_TRY(s->stepper->eval->component_code);
    TN_TRY(tn_contact_shapes_find(&list, &count, s, 0));
    for (size_t k = 0; k < count; k++)
        if (list[k].gap < worst) {
            worst = list[k].gap;
            *touch = list[k];
            *contact = (tn_id){ .index = list[k].contact, .kind = TN_KIND_CONTACT, .owner = s->model->owner,
                                .generation = s->model->contacts[list[k].contact].entity.generation };
        }
    return TN_OK;
}

/* The place of the dragged point. */
static void present_place(const tn_session *s, const tn_drag *drag, double out[3])
{
    tn_pose body = tn_pose_identity(), at = tn_pose_identity();
    tn_session_pose(&body, s, drag->body);
    tn_copy3(at.p, drag->at);
    tn_pose from = tn_pose_compose(&body, &at);
    tn_copy3(out, from.p);
}

/* Finds the last target on the way from `from`, where nothing overlaps, to `to`, where shapes do, without overlap, and its
 * pose; touch: what overlaps behind it. */
static int find_farthest(tn_pose_drag *pose, double reached[3], tn_touch *touch, tn_session *s, const tn_drag *drag,
                         const double from[3], const double to[3], tn_arena *arena)
{
    double free = 0, blocked = 1;
    tn_drag shorter = *drag;
    tn_id other;
    for (int k = 0; k <= HALVINGS; k++) {
        double part = k == HALVINGS ? free : 0.5 * (free + blocked);
        for (int i = 0; i < 3; i++)
            shorter.target[i] = from[i] + part * (to[i] - from[i]);
        TN_TRY(find_pose(pose, s, &shorter, arena));
        if (k == HALVINGS)
            break;
        TN_TRY(find_overlap(&other, touch, s, pose));
        *(other.kind == TN_KIND_NONE ? &free : &blocked) = part;
    }
    tn_copy3(reached, shorter.target);
    return TN_OK;
}

/* Finds the rest of the way from a reached target along the surface that blocks it, if the dragged body itself is
 * blocked. */
static bool turn_along(double to[3], const tn_drag *drag, const double reached[3], const tn_touch *touch)
{
    double way[3];
    bool second = touch->key.body2 == drag->body.index;
    if (!second && touch->key.body1 != drag->body.index)
        return false;
    tn_sub3(way, drag->target, reached);
    double into = (second ? 1 : -1) * tn_dot3(way, touch->normal), whole = tn_norm3(way);
    if (into >= 0)
        return false;
    tn_axpy3(way, (second ? -1 : 1) * into, touch->normal);
    tn_add3(to, reached, way);
    return tn_norm3(way) > NO_WAY * whole;
}

/* Finds the farthest pose on the way to the target at which no shapes overlap, and the contact that blocks the way; slides
 * along the surfaces that block it, as far as they lead nearer to the target. */
static int find_free_pose(tn_pose_drag *pose, tn_id *contact, tn_session *s, const tn_drag *drag, tn_arena *arena)
{
    double from[3], to[3], reached[3], left[3];
    tn_touch touch;
    tn_id other;
    TN_TRY(find_pose(pose, s, drag, arena));
    TN_TRY(find_overlap(contact, &touch, s, pose));
    if (contact->kind == TN_KIND_NONE)
        return TN_OK;
    present_place(s, drag, from);
    TN_TRY(find_farthest(pose, reached, &touch, s, drag, from, drag->target, arena));
    for (int k = 0; k < SLIDES && turn_along(to, drag, reached, &touch); k++) {
        tn_drag along = *drag;
        tn_copy3(along.target, to);
        TN_TRY(find_pose(pose, s, &along, arena));
        TN_TRY(find_overlap(&other, &touch, s, pose));
        if (other.kind == TN_KIND_NONE) {
            tn_copy3(reached, to);
            break;
        }
        tn_copy3(from, reached);
        TN_TRY(find_farthest(pose, reached, &touch, s, drag, from, to, arena));
    }
    tn_sub3(left, drag->target, reached);
    pose->end = TN_DRAG_BLOCKED;
    pose->distance += tn_norm3(left);
    return TN_OK;
}

/* ---- the result ---- */

static double largest_shift(const tn_session *s, const double *q)
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

static void fill_result(tn_drag_result *r, const tn_session *s, const tn_drag *drag, const tn_pose_drag *pose,
                        tn_id contact)
{
    static const char *const kinds[] = { [TN_BLOCKER_LIMIT] = "limit of ", [TN_BLOCKER_DRIVE] = "drive ",
                                         [TN_BLOCKER_JOINT] = "", [TN_BLOCKER_CONTACT] = "contact " };
    static const char *const ends[] = { [TN_DRAG_REACHED] = "", [TN_DRAG_BLOCKED] = "",
                                        [TN_DRAG_SINGULAR] = "; further it would snap over",
                                        [TN_DRAG_UNFINISHED] = "; not there yet" };
    *r = (tn_drag_result){ .end = pose->end, .distance = pose->distance, .displacement = largest_shift(s, pose->q) };
    size_t used = (size_t)snprintf(r->text, sizeof r->text, "dragged %.80s",
                                   tn_model_entity_name(s->model, drag->body));
    if (pose->end != TN_DRAG_REACHED)
        used += (size_t)snprintf(r->text + used, sizeof r->text - used, ", %.3g m left%s", r->distance,
                                 ends[pose->end]);
    if (contact.kind != TN_KIND_NONE)
        r->blockers[r->blocker_count++] = (tn_blocker){ contact, TN_BLOCKER_CONTACT };
    for (int k = 0; k < pose->blocking_count && r->blocker_count < TN_DRAG_BLOCKERS; k++) {
        const tn_blocking *b = &pose->blocking[k];
        r->blockers[r->blocker_count++] = (tn_blocker){ tn_constraint_id(s->system, b->constraint), b->kind };
    }
    for (int k = 0; k < r->blocker_count && used < sizeof r->text; k++)
        used += (size_t)snprintf(r->text + used, sizeof r->text - used, "%s%s'%.60s'", k ? ", " : "; held by ",
                                 kinds[r->blockers[k].kind], tn_model_entity_name(s->model, r->blockers[k].joint));
}

/* ---- the edit ---- */

static int move_drag(tn_session *s, const tn_pose_drag *pose, double *energy_change)
{
    double before = tn_stepper_energy(s->stepper), work = s->work;
    TN_TRY(tn_unilaterals_let_go(s));
    TN_TRY(tn_stepper_start(s->stepper, pose->t, pose->q, pose->v, pose->memory));
    TN_TRY(tn_unilaterals_place(s));
    s->stepper->turned = 0;
    s->eval_current = s->at_rest = false;
    *energy_change = tn_stepper_energy(s->stepper) - before;
    s->work = work + *energy_change;                   /* keeps the energy balance closed; overlaps that were resolved are in it */
    TN_TRY(tn_work_begin(s));
    return tn_events_rearm(s);
}

/* Moves the session to the pose; after an error nothing has changed. */
static int move_or_stay(tn_session *s, const tn_pose_drag *pose, double *energy_change)
{
    tn_snapshot before;
    TN_TRY(tn_snapshot_take(&before, s));
    int code = move_drag(s, pose, energy_change);
    if (code < 0) {
        tn_fail(s->context, code, TN_NOWHERE, "nothing can move on from that pose%s%s",
                s->stepper->eval->failed ? ": " : "", s->stepper->eval->failed ? s->stepper->eval->trouble : "");
        tn_snapshot_restore(s, &before);
    }
    tn_snapshot_free(&before, s->context);
    return code;
}

/* Continues the last drag: one edit for undo. */
static int continue_drag(tn_session *s, const tn_entry *event, const tn_pose_drag *pose, tn_drag_result *result)
{
    tn_snapshot before;
    TN_TRY(tn_log_before_nudge(&before, s));
    return tn_log_nudged_or_back(s, move_or_stay(s, pose, &result->energy_change), event, &before);
}

static int edit_pose(tn_session *s, const tn_drag *drag, const tn_pose_drag *pose, tn_drag_result *result)
{
    tn_entry event = { .kind = TN_ENTRY_DRAG, .drag = *drag, .body = tn_model_entity_name(s->model, drag->body) };
    bool joined;
    TN_TRY(tn_history_begin(s, result->text, drag->body, drag->more, &joined));
    if (joined)
        return continue_drag(s, &event, pose, result);
    int code = tn_log_prepare(s, &event);
    bool prepared = code == TN_OK;
    if (prepared)
        code = move_or_stay(s, pose, &result->energy_change);
    bool moved = code == TN_OK;
    tn_history_end(s, false, moved);
    if (prepared)
        code = tn_log_commit_state(s, code);
    if (moved && code < 0)
        tn_history_end(s, false, false);               /* the drag was taken back */
    return code;
}

int tn_session_drag(tn_drag_result *result, tn_session *s, const tn_drag *drag)
{
    tn_drag_result ignored;
    tn_pose_drag pose;
    tn_id contact;
    result = result ? result : &ignored;
    TN_TRY(check_drag(s, drag));
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = find_free_pose(&pose, &contact, s, drag, s->scratch);
    if (code == TN_OK) {
        fill_result(result, s, drag, &pose, contact);
        if (pose.steps > 0)
            code = edit_pose(s, drag, &pose, result);
    }
    tn_arena_release(s->scratch, &mark);
    return code;
}
