/* Sleep of islands in time stepping (time_sleep.h). */
#include "time_sleep.h"

#include <math.h>
#include <string.h>

/* Lengths of steps that differ by less than this share are the same but for round-off of sample times. */
static const double SAME_LENGTH = 1e-9;

/* Number of positions of a body. */
static size_t positions_of(const tn_system *sys, int b)
{
    return (size_t)((b + 1 < sys->body_count ? sys->bodies[b + 1].q : sys->positions) - sys->bodies[b].q);
}

static bool same_numbers(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Wakes the bodies that fell asleep together. */
static void wake_flock(tn_sleep *z, int flock)
{
    for (int b = 0; b < z->body_count; b++)
        if (z->asleep[b] && z->flock[b] == flock) {
            z->asleep[b] = false;
            z->count--;
        }
}

void tn_sleep_wake(tn_contact_rows *r)
{
    for (int b = 0; r && b < r->sleep.body_count; b++)
        r->sleep.asleep[b] = false;
    if (r)
        r->sleep.count = 0;
}

static int reserve_sleep(tn_contact_rows *r, tn_session *s)
{
    tn_sleep *z = &r->sleep;
    size_t n = (size_t)s->system->body_count;
    TN_TRY(tn_grow(s->context, &z->asleep, &z->capacity[0], n + 1, sizeof *z->asleep));
    TN_TRY(tn_grow(s->context, &z->stands, &z->capacity[1], n + 1, sizeof *z->stands));
    TN_TRY(tn_grow(s->context, &z->flock, &z->capacity[2], n + 1, sizeof *z->flock));
    TN_TRY(tn_grow(s->context, &z->y, &z->capacity[3], (size_t)s->system->size + 1, sizeof *z->y));
    TN_TRY(tn_grow(s->context, &z->a, &z->capacity[4], (size_t)s->system->velocities + 1, sizeof *z->a));
    TN_TRY(tn_grow(s->context, &z->still, &z->capacity[5], (size_t)s->model->body_count + 1, sizeof *z->still));
    z->body_count = s->system->body_count;
    tn_sleep_wake(r);
    return TN_OK;
}

/* Tells whether a body is where it was when it fell asleep, with the same accelerations. */
static bool is_unchanged(const tn_sleep *z, const tn_session *s, int b)
{
    const tn_system *sys = s->system;
    const double *y = s->stepper->y, *a = s->stepper->dy + sys->positions;
    int q = sys->bodies[b].q, v = sys->bodies[b].v;
    size_t width = (size_t)tn_width_of(&sys->structure, b);
    return same_numbers(z->y + q, y + q, positions_of(sys, b)) && same_numbers(z->a + v, a + v, width) &&
           same_numbers(z->y + sys->positions + v, y + sys->positions + v, width);
}

int tn_sleep_begin(tn_contact_rows *r, tn_session *s, double h)
{
    tn_sleep *z = &r->sleep;
    if (z->body_count != s->system->body_count || !(fabs(z->h - h) <= SAME_LENGTH * h) || z->count == 0)
        TN_TRY(reserve_sleep(r, s));
    z->h = h;
    for (int b = 0; b < z->body_count && z->count > 0; b++)
        if (z->asleep[b] && !is_unchanged(z, s, b))
            wake_flock(z, z->flock[b]);
    return TN_OK;
}

/* ---- touches ---- */

static int body_of(const tn_system *sys, const tn_touch *touch, int side)
{
    return sys->body_of[side ? touch->key.body2 : touch->key.body1];
}

bool tn_sleep_disturb(tn_contact_rows *r, const tn_system *sys)
{
    tn_sleep *z = &r->sleep;
    bool any = false;
    for (size_t k = 0; k < r->near_count && z->count > 0; k++) {
        const tn_unilateral *g = &r->near[k];
        for (int side = 0; side < 2 && g->limit < 0; side++) {
            int b = body_of(sys, &g->touch, side);
            if (b < 0 || !z->asleep[b])
                continue;
            wake_flock(z, z->flock[b]);
            any = true;
        }
    }
    return any;
}

int tn_sleep_find(const tn_touch **list, size_t *count, const tn_contact_rows *r, tn_session *s, double margin)
{
    const tn_sleep *z = &r->sleep;
    tn_touches *touches = s->unilaterals->near.touches;
    for (uint32_t k = 0; k < s->model->body_count && z->count > 0; k++) {
        int b = s->system->body_of[k];
        z->still[k] = b < 0 || z->asleep[b];
    }
    tn_touches_leave_out(touches, z->count > 0 ? z->still : NULL);
    int code = tn_contact_shapes_find(list, count, s, margin);
    tn_touches_leave_out(touches, NULL);
    return code;
}

bool tn_sleep_holds(const tn_contact_rows *r, const tn_system *sys, const tn_touch *touch)
{
    for (int side = 0; side < 2 && r->sleep.count > 0; side++) {
        int b = body_of(sys, touch, side);
        if (b >= 0 && !r->sleep.asleep[b])
            return false;
    }
    return r->sleep.count > 0;
}

/* ---- islands that stand ---- */

void tn_sleep_clear(tn_contact_rows *r, const tn_system *sys)
{
    memset(r->sleep.stands, 0, (size_t)sys->body_count * sizeof *r->sleep.stands);
}

bool tn_sleep_possible(const tn_contact_rows *r, const tn_session *s, const int *list, int count)
{
    const double *v = s->stepper->y + s->system->positions;
    for (int k = 0; k < count; k++) {
        const tn_sweep_contact *c = &r->contacts[list[k]];
        if (r->near[list[k]].limit >= 0)
            return false;
        for (int b = 0; b < c->J_count; b++) {
            if (r->jointed[tn_contact_body_at(s->system, c->J[b].at)])
                return false;
            for (int j = 0; j < c->J[b].width; j++)
                if (v[c->J[b].at + j] != 0)
                    return false;
        }
    }
    return true;
}

void tn_sleep_stand(tn_contact_rows *r, const tn_system *sys, const int *list, int count)
{
    int flock = -1;
    for (int k = 0; k < count; k++) {
        const tn_sweep_contact *c = &r->contacts[list[k]];
        for (int b = 0; b < c->J_count; b++) {
            int body = tn_contact_body_at(sys, c->J[b].at);
            flock = flock < 0 ? body : flock;
            r->sleep.stands[body] = true;
            r->sleep.flock[body] = flock;
            memset(r->v + c->J[b].at, 0, (size_t)c->J[b].width * sizeof(double));
        }
    }
}

bool tn_sleep_stands(const tn_contact_rows *r, const tn_system *sys, const tn_sweep_contact *c)
{
    return c->J_count > 0 && r->sleep.stands[tn_contact_body_at(sys, c->J[0].at)];
}

void tn_sleep_stop(const tn_contact_rows *r, const tn_system *sys, double *v)
{
    for (int b = 0; b < sys->body_count && r->sleep.count > 0; b++)
        if (r->sleep.asleep[b])
            memset(v + sys->bodies[b].v, 0, (size_t)tn_width_of(&sys->structure, b) * sizeof(double));
}

void tn_sleep_end(tn_contact_rows *r, const tn_session *s)
{
    tn_sleep *z = &r->sleep;
    const tn_system *sys = s->system;
    memcpy(z->y, s->stepper->y, (size_t)sys->size * sizeof(double));
    memcpy(z->a, s->stepper->dy + sys->positions, (size_t)sys->velocities * sizeof(double));
    z->count = 0;
    for (int b = 0; b < sys->body_count; b++) {
        int q = sys->bodies[b].q, v = sys->positions + sys->bodies[b].v;
        z->asleep[b] = (z->asleep[b] || z->stands[b]) && same_numbers(z->y + q, r->y + q, positions_of(sys, b)) &&
                       same_numbers(z->y + v, r->y + v, (size_t)tn_width_of(&sys->structure, b));
        z->count += z->asleep[b];
    }
}
