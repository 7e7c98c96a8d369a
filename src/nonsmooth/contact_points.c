/* Touches between shapes as unilateral constraints. The session keeps only touches that are not open; every search
 * finds the others again. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "unilaterals.h"
#include "vec.h"

/* The frames of a touch between points, or in a hollow sphere, are renewed when its normal has turned this far (cosine) relative to body 1. */
static const double TURNED = 0.7;
/* The point that stands for what a ring touches is renewed when the ring touches this far along: share of the body's reach; so is the
 * lead of a circle that touches a bore or a bar, when it has changed by this share of the circle. */
static const double MOVED = 1e-3;

/* Share of the smallest shape: overlaps that no touch tells of are looked for from this depth on, at which touches of surfaces end. */
static const double HIDDEN = 2e-3;

/* ---- shapes ---- */

static int open_near(tn_contact_shapes *n, tn_session *s, const tn_model *model)
{
    TN_TRY(tn_touches_create(&n->touches, model));
    n->poses = tn_alloc(s->context, model->body_count, sizeof *n->poses);
    n->reach = tn_alloc(s->context, model->body_count, sizeof *n->reach);
    n->names = tn_alloc(s->context, model->contact_count, sizeof *n->names);
    if (!n->poses || !n->reach || !n->names)
        return TN_ERROR_MEMORY;
    for (uint32_t b = 0; b < model->body_count; b++) {
        n->poses[b] = model->bodies[b].pose;
        n->reach[b] = tn_touches_reach(n->touches, b);
    }
    n->poses[0] = tn_pose_identity();
    for (size_t c = 0; c < model->contact_count; c++)
        if (model->contacts[c].entity.alive && !(n->names[c] = tn_unilaterals_name(s, model->contacts[c].entity.name)))
            return TN_ERROR_MEMORY;
    return TN_OK;
}

int tn_contact_shapes_open(tn_contact_shapes *out, tn_session *s, const tn_model *model)
{
    *out = (tn_contact_shapes){ 0 };
    bool any = false;
    for (uint32_t c = 0; c < model->contact_count; c++)
        any = any || tn_contact_active(model, c);
    int code = any ? open_near(out, s, model) : TN_OK;
    if (code < 0)
        tn_contact_shapes_close(out, s);
    return code;
}

void tn_contact_shapes_close(tn_contact_shapes *n, const tn_session *s)
{
    if (n->touches)
        tn_touches_destroy(n->touches);
    tn_free(s->context, n->poses);
    tn_free(s->context, n->reach);
    tn_free(s->context, n->names);
    tn_free(s->context, n->seen);
    tn_free(s->context, n->done);
    tn_touch_set_free(&n->seen_keys, s->context);
    *n = (tn_contact_shapes){ 0 };
}

/* ---- positions and velocities ---- */

static void update_body_pose(tn_session *s, int body)
{
    const tn_sys_body *b = &s->system->bodies[body];
    const double *q = s->stepper->eval->q + b->q;
    s->unilaterals->near.poses[b->source] = tn_body_pose(b, q, s->system->dimension);
}

int tn_contact_shapes_find(const tn_touch **list, size_t *count, tn_session *s, double margin)
{
    for (int b = 0; b < s->system->body_count; b++)
        update_body_pose(s, b);
    return tn_touches_find(list, count, s->unilaterals->near.touches, s->unilaterals->near.poses, margin);
}

int tn_contact_shapes_find_hidden(const tn_touch **list, size_t *count, tn_session *s, double least, bool inside)
{
    *list = NULL;
    *count = 0;
    if (!s->unilaterals->near.touches || !tn_touches_can_hide(s->unilaterals->near.touches))
        return TN_OK;
    for (int b = 0; b < s->system->body_count; b++)
        update_body_pose(s, b);
    return tn_touches_find_hidden(list, count, s->unilaterals->near.touches, s->unilaterals->near.poses, least, inside);
}

int tn_contact_shapes_find_deep(const tn_touch **list, size_t *count, tn_session *s)
{
    const tn_touches *touches = s->unilaterals->near.touches;
    double least = touches ? HIDDEN * tn_touches_length(touches) : 0;
    return tn_contact_shapes_find_hidden(list, count, s, fmax(least, s->solve.gap_tolerance), false);
}

/* Gives position and velocity of a body's frame; ground is at rest. */
static void motion_of(const tn_session *s, uint32_t slot, tn_frame_motion *out)
{
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(s->system, slot, &identity);
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, out);
}

static double speed_at(const tn_session *s, uint32_t slot, const double point[3], const double normal[3])
{
    tn_frame_motion m;
    double arm[3], turn[3];
    motion_of(s, slot, &m);
    tn_sub3(arm, point, m.p);
    tn_cross3(turn, m.w, arm);
    return tn_dot3(m.v, normal) + tn_dot3(turn, normal);
}

void tn_touch_measure(tn_unilateral *g, tn_session *s)
{
    const tn_touch_key *key = &g->touch.key;
    const tn_pose *poses = s->unilaterals->near.poses;
    for (int k = 0; k < 2; k++) {
        int body = s->system->body_of[k ? key->body2 : key->body1];
        if (body >= 0)
            update_body_pose(s, body);
    }
    tn_touch_move(&g->touch, s->system->dimension, &poses[key->body1], &poses[key->body2]);
    g->gap = g->touch.gap;
    g->rate = speed_at(s, key->body2, g->touch.point, g->touch.normal) -
              speed_at(s, key->body1, g->touch.point, g->touch.normal);
}

double tn_touches_speed(const tn_session *s)
{
    double first = 0, second = 0;                      /* the fastest two bodies */
    for (int b = 0; b < s->system->body_count && s->unilaterals->near.touches; b++) {
        uint32_t slot = s->system->bodies[b].source;
        tn_frame_motion m;
        motion_of(s, slot, &m);
        double speed = tn_norm3(m.v) + tn_norm3(m.w) * s->unilaterals->near.reach[slot];
        second = fmax(second, fmin(first, speed));
        first = fmax(first, speed);
    }
    return first + second;
}

/* ---- touches as unilateral constraints ---- */

tn_unilateral tn_touch_unilateral(const tn_session *s, const tn_touch *touch)
{
    const tn_contact_def *def = tn_touch_def(s, touch);
    tn_slide_law law = tn_touch_law(def);
    return (tn_unilateral){ .name = s->unilaterals->near.names[touch->contact], .limit = -1, .touch = *touch,
                       .restitution = def->restitution, .friction = law.sticking, .law = law, .gap = touch->gap,
                       .fastest = s->unilaterals->fastest, .constraint = -1 };
}

const tn_unilateral *tn_touch_held(const tn_session *s, const tn_touch_key *key)
{
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit < 0 && !g->ended && g->mode != TN_UNILATERAL_OPEN && tn_touch_key_equal(&g->touch.key, key))
            return g;
    }
    return NULL;
}

/* Tells whether the normal of a touch between points, or in a hollow sphere, has turned too far from z of frame 1, on which
 * sticking relies, a ring has moved too far along the point that stands for what it touches, or a circle in a bore or around a bar, or
 * a smooth surface, touches elsewhere. */
static bool turned_away(const tn_session *s, const tn_unilateral *g, const tn_touch *now)
{
    const double *reach = s->unilaterals->near.reach;
    double one[3], two[3];
    tn_sub3(one, g->touch.frame1.p, now->frame1.p);
    tn_sub3(two, g->touch.frame2.p, now->frame2.p);
    if (tn_touch_on_rim(now) && now->kind == TN_TOUCH_RING && g->touch.kind == TN_TOUCH_RING)
        return tn_norm3(one) > MOVED * reach[now->key.body1] || tn_norm3(two) > MOVED * reach[now->key.body2];
    if (tn_touch_led_off(&g->touch, now, MOVED))
        return true;
    if (!tn_touch_turns(&g->touch) || s->system->dimension == 2)
        return false;
    double R[3][3];
    tn_pose frame = tn_pose_compose(&s->unilaterals->near.poses[g->touch.key.body1], &g->touch.frame1);
    tn_quat_matrix(R, frame.q);
    return R[0][2] * now->normal[0] + R[1][2] * now->normal[1] + R[2][2] * now->normal[2] < TURNED;
}

/* Tells whether the list contains the constraint's touch, and its frames are still good. */
static bool is_listed(const tn_session *s, const tn_unilateral *g, const tn_touch *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (tn_touch_key_equal(&g->touch.key, &list[k].key))
            return !turned_away(s, g, &list[k]);
    return false;
}

int tn_touches_hold(tn_session *s, bool *hold)
{
    const tn_touch *list;
    size_t count;
    *hold = true;
    if (!s->unilaterals->near.touches)
        return TN_OK;
    TN_TRY(tn_contact_shapes_find(&list, &count, s, TN_UNILATERAL_TOUCHES));
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (s->unilaterals->items[k].limit < 0)
            *hold = *hold && is_listed(s, &s->unilaterals->items[k], list, count);
    return TN_OK;
}

/* Returns the mode of the one of the first items that is between these features and about to be removed; open: there is none. */
static tn_unilateral_mode ended_mode(const tn_unilaterals *g, size_t count, const tn_touch_key *key)
{
    for (size_t k = 0; k < count; k++)
        if (g->items[k].ended && tn_touch_key_equal(&g->items[k].touch.key, key))
            return g->items[k].mode;
    return TN_UNILATERAL_OPEN;
}

/* Touches that stand for curved surfaces are renewed together, so that their equations belong to one position. */
int tn_touches_update(tn_session *s)
{
    tn_unilaterals *g = s->unilaterals;
    const tn_touch *list;
    size_t count, kept = 0;
    if (!g->near.touches)
        return TN_OK;
    tn_touches_compact(s);
    TN_TRY(tn_contact_shapes_find(&list, &count, s, TN_UNILATERAL_TOUCHES));
    for (size_t k = 0; k < g->count; k++) {
        tn_unilateral *item = &g->items[k];
        item->ended = item->limit < 0 && (tn_touch_on_rim(&item->touch) || !is_listed(s, item, list, count));
    }
    size_t before = g->count;
    TN_TRY(tn_grow(s->context, &g->items, &g->capacity, g->count + count, sizeof *g->items));
    for (size_t k = 0; k < count; k++) {
        if (tn_touch_held(s, &list[k].key))
            continue;
        tn_unilateral *now = &g->items[g->count];
        *now = tn_touch_unilateral(s, &list[k]);
        now->renewed = ended_mode(g, before, &list[k].key);
        g->count++;
    }
    for (size_t k = 0; k < g->count; k++)
        if (!g->items[k].ended)
            g->items[kept++] = g->items[k];
    g->count = kept;
    return TN_OK;
}

void tn_touches_compact(tn_session *s)
{
    tn_unilaterals *g = s->unilaterals;
    size_t kept = 0;
    for (size_t k = 0; k < g->count; k++)
        if (g->items[k].limit >= 0 || g->items[k].mode != TN_UNILATERAL_OPEN)
            g->items[kept++] = g->items[k];
    g->count = kept;
}

static bool comes_before(const tn_unilateral *a, const tn_unilateral *b)
{
    const tn_touch_key *k = &a->touch.key, *l = &b->touch.key;
    const uint32_t one[] = { k->body1, k->body2, k->shape1, k->shape2, k->feature1, k->feature2 };
    const uint32_t two[] = { l->body1, l->body2, l->shape1, l->shape2, l->feature1, l->feature2 };
    for (size_t i = 0; i < TN_LENGTH(one); i++)
        if (one[i] != two[i])
            return one[i] < two[i];
    return false;
}

void tn_touches_sort(tn_unilateral *items, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < count; i++) {
            if (!comes_before(&items[i], &items[i - gap]))
                continue;
            tn_unilateral now = items[i];
            size_t j = i;
            for (; j >= gap && comes_before(&now, &items[j - gap]); j -= gap)
                items[j] = items[j - gap];
            items[j] = now;
        }
}
