/* Resistance against rolling and drilling in a time step: an angular impulse L between the bodies of a contact, which stops their
 * turning against each other where |L| <= (rolling resistance) p_n, and has that size against it otherwise; about the normal the
 * bound is that of Coulomb and Contensou. L changes the velocities without impulses of contacts, so that both are found in turn:
 *     L <- the point nearest to L - I w within its bound,    w: angular velocity after the step, I: inertia of the bodies */
#include "time_turning.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Share of the bounds by which torques may differ at the end. */
static const double SETTLED = 1e-7;
static const double PI = 3.14159265358979323846;

static double square(double x)
{
    return x * x;
}

static bool resists(const tn_unilateral *g)
{
    return g->limit < 0 && (g->law.rolling > 0 || g->law.drilling > 0);
}

/* Angular velocity of a body in the velocities v; world axes. */
static void spin_in(const tn_system *sys, int b, const double *v, double w[3])
{
    const tn_sys_body *body = &sys->bodies[b];
    tn_zero3(w);
    if (body->motion == TN_MOTION_SPATIAL)
        tn_copy3(w, v + body->v + 3);
    else if (body->motion == TN_MOTION_PLANAR)
        w[2] = v[body->v + 2];
}

/* Angular velocity of body 2 relative to body 1 in the velocities v. */
static void turn_in(const tn_system *sys, const tn_touch *touch, const double *v, double w[3])
{
    int one = sys->body_of[touch->key.body1], two = sys->body_of[touch->key.body2];
    double w1[3] = { 0 }, w2[3] = { 0 };
    if (one >= 0)
        spin_in(sys, one, v, w1);
    if (two >= 0)
        spin_in(sys, two, v, w2);
    tn_sub3(w, w2, w1);
}

/* Inverse of the inertia about the direction e with which a body resists torques, joints left out. */
static double mobility(const tn_contact_rows *r, const tn_system *sys, uint32_t slot, const double e[3])
{
    int b = sys->body_of[slot];
    double part[3];
    if (b < 0)
        return 0;
    if (sys->bodies[b].motion == TN_MOTION_PLANAR)
        return 1 / sys->bodies[b].moments[2];
    if (sys->bodies[b].motion != TN_MOTION_SPATIAL)
        return 0;
    tn_mul33(part, (const double (*)[3])r->inverse[b], e);
    return tn_dot3(e, part);
}

/* Moves the part of L along the direction of x against the turning w, within the bound. */
static void resist_along(const tn_contact_rows *r, const tn_system *sys, const tn_touch *touch, double bound, const double w[3],
                         double L[3])
{
    double rate = tn_norm3(w), e[3], most;
    if (rate > 0) {
        for (int k = 0; k < 3; k++)
            e[k] = w[k] / rate;
        double m = mobility(r, sys, touch->key.body1, e) + mobility(r, sys, touch->key.body2, e);
        tn_axpy3(L, m > 0 ? -1 / m : 0, w);
    }
    most = tn_norm3(L);
    for (int k = 0; k < 3 && most > bound; k++)
        L[k] *= bound / most;
}

/* The angular impulse on body 2 for the turning w and the normal impulse p_n; spatial. slip: speed (m/s). */
static void resist_contact(const tn_contact_rows *r, const tn_system *sys, const tn_unilateral *g, double normal, double slip,
                           const double w[3], double L[3])
{
    const tn_slide_law *law = &g->law;
    const double *n = g->touch.normal;
    double about = sys->dimension == 3 ? tn_dot3(w, n) : 0, own = sys->dimension == 3 ? tn_dot3(L, n) : 0, rolls[3], spins[3];
    double spin = law->drilling * fabs(about), share = spin > 0 ? spin / (spin + 15 * PI / 16 * slip) : 0, axial[3];
    for (int k = 0; k < 3; k++) {
        rolls[k] = w[k] - about * n[k];
        spins[k] = about * n[k];
        axial[k] = own * n[k];
        L[k] -= axial[k];
    }
    resist_along(r, sys, &g->touch, law->rolling * normal, rolls, L);
    if (slip <= TN_UNILATERAL_NO_SLIP)
        share = 1;
    resist_along(r, sys, &g->touch, 3 * PI / 16 * law->sliding * law->drilling * share * normal, spins, axial);
    tn_add3(L, L, axial);
}

/* r->row += the angular impulse L on body 2, -L on body 1. jointed: a joint holds one of them. */
static void add_to_row(tn_contact_rows *r, const tn_system *sys, const tn_touch *touch, const double L[3], bool *jointed)
{
    for (int side = 0; side < 2; side++) {
        int b = sys->body_of[side ? touch->key.body2 : touch->key.body1];
        double sign = side ? 1 : -1;
        if (b < 0)
            continue;
        *jointed = *jointed || r->jointed[b];
        for (int k = 0; k < 3 && sys->bodies[b].motion == TN_MOTION_SPATIAL; k++)
            r->row[sys->bodies[b].v + 3 + k] += sign * L[k];
        if (sys->bodies[b].motion == TN_MOTION_PLANAR)
            r->row[sys->bodies[b].v + 2] += sign * L[2];
    }
}

/* rows->free = the velocities without impulses, and the answers of all bodies to the torques. */
static int set_free(tn_contact_rows *r, tn_session *s)
{
    const tn_system *sys = s->system;
    bool jointed = false;
    memset(r->row, 0, (size_t)sys->velocities * sizeof *r->row);
    memcpy(r->free, r->still, (size_t)sys->velocities * sizeof *r->free);
    for (size_t k = 0; k < r->near_count; k++)
        if (resists(&r->near[k]))
            add_to_row(r, sys, &r->near[k].touch, r->turning[k], &jointed);
    if (jointed)
        TN_TRY(s->stepper->solver->solve(s->stepper->saddle, r->row, r->rest, r->x, NULL));
    for (int b = 0; b < sys->body_count; b++) {
        const tn_sys_body *body = &sys->bodies[b];
        double part[3];
        if (r->jointed[b] && jointed) {
            for (int k = 0; k < tn_width_of(&sys->structure, b); k++)
                r->free[body->v + k] += r->x[body->v + k];
        } else if (body->motion == TN_MOTION_SPATIAL) {
            tn_mul33(part, (const double (*)[3])r->inverse[b], r->row + body->v + 3);
            tn_add3(r->free + body->v + 3, r->free + body->v + 3, part);
        } else if (body->motion == TN_MOTION_PLANAR) {
            r->free[body->v + 2] += r->row[body->v + 2] / body->moments[2];
        }
    }
    return TN_OK;
}

int tn_turning_begin(tn_contact_rows *r, tn_session *s, bool *any)
{
    *any = false;
    for (size_t k = 0; k < r->near_count && !*any; k++)
        *any = resists(&r->near[k]);
    if (!*any)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &r->turning, &r->turning_capacity, r->near_count, sizeof *r->turning));
    TN_TRY(tn_grow(s->context, &r->still, &r->still_capacity, (size_t)s->system->velocities + 1, sizeof *r->still));
    memset(r->turning, 0, r->near_count * sizeof *r->turning);
    memcpy(r->still, r->free, (size_t)s->system->velocities * sizeof *r->still);
    return TN_OK;
}

int tn_turning_improve(tn_contact_rows *r, tn_session *s, bool *settled)
{
    double change = 0, largest = 0;
    for (size_t k = 0; k < r->near_count; k++) {
        const tn_unilateral *g = &r->near[k];
        const tn_sweep_contact *c = &r->contacts[k];
        double w[3], before[3], difference[3], slip = 0;
        if (!resists(g))
            continue;
        for (int row = 1; row < c->rows; row++)
            slip += square(tn_contact_row_speed(c, row, r->v) + c->belt[row - 1]);
        tn_copy3(before, r->turning[k]);
        turn_in(s->system, &g->touch, r->v, w);
        resist_contact(r, s->system, g, c->p[0], sqrt(slip), w, r->turning[k]);
        tn_sub3(difference, r->turning[k], before);
        change = fmax(change, tn_norm3(difference));
        largest = fmax(largest, (g->law.rolling + g->law.drilling) * c->p[0]);
    }
    *settled = change <= SETTLED * largest;
    return *settled ? TN_OK : set_free(r, s);
}

void tn_turning_work(const tn_contact_rows *r, const tn_session *s, double *work)
{
    const double *before = s->stepper->y + s->system->positions;
    for (size_t k = 0; k < r->near_count; k++) {
        double w0[3], w1[3];
        if (!resists(&r->near[k]))
            continue;
        turn_in(s->system, &r->near[k].touch, before, w0);
        turn_in(s->system, &r->near[k].touch, r->v, w1);
        *work += (tn_dot3(r->turning[k], w0) + tn_dot3(r->turning[k], w1)) / 2;
    }
}
