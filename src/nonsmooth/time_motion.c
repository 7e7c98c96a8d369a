/* Motion of bodies over a time step. Bodies that no contact stops move with the mean of the velocities before and after,
 * so that free flight is exact; the others with the velocity at the end, so that gaps stay closed. The angular momentum
 * of a free body changes by torques and impulses only; its angular velocity follows from the new orientation. */
#include "time_motion.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* m: where the mean velocity overlaps by more than this, or opens a contact that presses by more than this, bodies move
 * with the velocity at the end of the step. */
static const double SMALL = 1e-13;
/* Passes over the contacts to find the bodies that move with their last velocity. */
enum { MOST_PASSES = 8 };

/* Tells whether the body's angular momentum can be followed by itself: a spatial body that no joint holds. */
static bool spins_alone(const tn_contact_rows *r, const tn_system *sys, int b)
{
    const tn_sys_body *body = &sys->bodies[b];
    return body->motion == TN_MOTION_SPATIAL && !r->jointed[b] &&
           !(body->moments[0] == body->moments[1] && body->moments[1] == body->moments[2]);
}

/* out = I w in world axes, with the body axes R. */
static void angular_momentum(const tn_sys_body *body, const double R[3][3], const double w[3], double out[3])
{
    double own[3];
    tn_mul33t(own, R, w);
    for (int k = 0; k < 3; k++)
        own[k] *= body->moments[k];
    tn_mul33(out, R, own);
}

/* out = I^-1 L */
static void spin_of(const tn_sys_body *body, const double R[3][3], const double L[3], double out[3])
{
    double own[3];
    tn_mul33t(own, R, L);
    for (int k = 0; k < 3; k++)
        own[k] /= body->moments[k];
    tn_mul33(out, R, own);
}

void tn_motion_at(tn_session *s, double t, const double *y)
{
    tn_eval_motion(s->stepper->eval, s->system, t, y, y + s->system->positions);
    s->eval_current = false;
}

void tn_motion_free(tn_session *s, double h, double *v)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    const double *before = st->y + sys->positions, *a = st->dy + sys->positions;
    for (int k = 0; k < sys->velocities; k++)
        v[k] = before[k] + h * a[k];
    for (int b = 0; b < sys->body_count; b++) {        /* without the gyroscopic torque -w x L */
        const tn_sys_body *body = &sys->bodies[b];
        const double (*R)[3] = (const double (*)[3])st->eval->R[b], *w = before + body->v + 3;
        double L[3], torque[3], change[3];
        if (!spins_alone(s->unilaterals->rows, sys, b))
            continue;
        angular_momentum(body, R, w, L);
        tn_cross3(torque, w, L);
        spin_of(body, R, torque, change);
        tn_axpy3(v + body->v + 3, h, change);
    }
}

/* ---- displacements ---- */

/* Displacement of a contact along its normal when each body moves with its own choice of velocity. */
static double normal_displacement(const tn_contact_rows *r, const tn_session *s, const tn_sweep_contact *c,
                                  const int *body, double h)
{
    const double *before = s->stepper->y + s->system->positions;
    double sum = 0;
    for (int b = 0; b < c->J_count; b++)
        for (int j = 0; j < c->J[b].width; j++) {
            int k = c->J[b].at + j;
            sum += c->J[b].values[j * c->rows] * (r->flat[body[b]] ? r->v[k] : (before[k] + r->v[k]) / 2);
        }
    return h * sum;
}

static bool make_flat(tn_contact_rows *r, const tn_system *sys, int body)
{
    bool was = r->flat[body];
    r->flat[body] = true;
    for (int b = 0; b < sys->body_count && r->jointed[body] && !was; b++)
        r->flat[b] = r->flat[b] || (r->jointed[b] && r->joint_parent[b] == r->joint_parent[body]);
    return !was;
}

static void choose_velocities(tn_contact_rows *r, const tn_session *s, double h)
{
    const tn_system *sys = s->system;
    bool changed = true;
    memset(r->flat, 0, (size_t)sys->body_count * sizeof *r->flat);
    for (int pass = 0; pass < MOST_PASSES && changed; pass++) {
        changed = false;
        for (size_t k = 0; k < r->near_count; k++) {
            const tn_sweep_contact *c = &r->contacts[k];
            const tn_unilateral *g = &r->near[k];
            int body[2] = { -1, -1 }, count = 0;
            if (g->limit >= 0)
                continue;
            for (int side = 0; side < 2; side++) {
                int b = sys->body_of[side ? g->touch.key.body2 : g->touch.key.body1];
                if (b >= 0)
                    body[count++] = b;
            }
            double gap = fmax(g->gap, 0) + normal_displacement(r, s, c, body, h);
            bool stays = c->p[0] > 0 && c->shift >= 0;         /* it presses and does not rebound */
            if (gap >= -SMALL && !(stays && gap > SMALL))
                continue;
            for (int i = 0; i < count; i++)
                changed = make_flat(r, sys, body[i]) || changed;
        }
    }
}

/* Rotation of a free body: its momentum over the inertia in the middle of the step. */
static void turn_body(const tn_contact_rows *r, const tn_session *s, int b, double h, double *displacement)
{
    const tn_sys_body *body = &s->system->bodies[b];
    const double (*R)[3] = (const double (*)[3])s->stepper->eval->R[b];
    const double *before = s->stepper->y + s->system->positions + body->v + 3, *after = r->v + body->v + 3;
    double mean[3], L[3], half[3], turn[4], middle[3][3], Q[3][3], spin[3];
    for (int k = 0; k < 3; k++) {
        mean[k] = r->flat[b] ? after[k] : (before[k] + after[k]) / 2;
        half[k] = h / 2 * mean[k];
    }
    angular_momentum(body, R, mean, L);
    tn_quat_exp(turn, half);
    tn_quat_matrix(Q, turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            middle[i][j] = Q[i][0] * R[0][j] + Q[i][1] * R[1][j] + Q[i][2] * R[2][j];
    spin_of(body, (const double (*)[3])middle, L, spin);
    for (int k = 0; k < 3; k++)
        displacement[k] = h * spin[k];
}

/* Angular velocity of a free body in its new orientation: the momentum is that of the solved step. */
static void set_spin(const tn_contact_rows *r, const tn_session *s, int b, double *y)
{
    const tn_sys_body *body = &s->system->bodies[b];
    const double (*R)[3] = (const double (*)[3])s->stepper->eval->R[b];
    double L[3], now[3][3];
    angular_momentum(body, R, r->v + body->v + 3, L);
    tn_quat_matrix(now, y + body->q + 3);
    spin_of(body, (const double (*)[3])now, L, y + s->system->positions + body->v + 3);
}

/* Moves the positions in `to`: bodies that contacts stop with the last velocity where `stopped`, all others with the mean one. */
static void move_bodies(const tn_contact_rows *r, const tn_session *s, double h, bool stopped, double *to)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    const double *before = st->y + sys->positions;
    for (int b = 0; b < sys->body_count; b++) {
        int at = sys->bodies[b].v;
        for (int j = 0; j < tn_width_of(&sys->structure, b); j++)
            st->delta[at + j] = h * (r->flat[b] && stopped ? r->v[at + j] : (before[at + j] + r->v[at + j]) / 2);
        if (spins_alone(r, sys, b))
            turn_body(r, s, b, h, st->delta + at + 3);
    }
    tn_position_move(sys, st->y, st->delta, to);
}

static bool any_stopped(const tn_contact_rows *r, const tn_system *sys)
{
    for (int b = 0; b < sys->body_count; b++)
        if (r->flat[b])
            return true;
    return false;
}

void tn_motion_take(tn_session *s, tn_contact_rows *r, double h, bool *stopped)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    double *v = r->y + sys->positions;
    choose_velocities(r, s, h);
    memcpy(v, r->v, (size_t)sys->velocities * sizeof(double));
    for (int k = 0; k < sys->states; k++)
        v[sys->velocities + k] += h * st->dy[sys->positions + sys->velocities + k];
    *stopped = any_stopped(r, sys);
    if (*stopped) {
        memcpy(r->y_mean, r->y, (size_t)sys->size * sizeof(double));
        move_bodies(r, s, h, false, r->y_mean);
    }
    move_bodies(r, s, h, true, r->y);
    for (int b = 0; b < sys->body_count; b++)
        if (spins_alone(r, sys, b))
            set_spin(r, s, b, r->y);
}

void tn_motion_middle(const tn_session *s, tn_contact_rows *r)
{
    const tn_system *sys = s->system;
    tn_stepper *st = s->stepper;
    memcpy(r->y_middle, st->y, (size_t)sys->size * sizeof(double));
    for (int k = 0; k < sys->velocities; k++)
        st->delta[k] /= 2;
    tn_position_move(sys, st->y, st->delta, r->y_middle);
}

static double potential_at(tn_session *s, double t, const double *y)
{
    tn_motion_at(s, t, y);
    return tn_system_energy(s->stepper->eval, s->system, s->stepper->memory).potential;
}

int tn_motion_stop_work(tn_session *s, tn_contact_rows *r, double t, double *work)
{
    if (s->system->rows > 0)                           /* drives and joints say where bodies are */
        TN_TRY(tn_stepper_finish(s->stepper, t, r->y_mean));
    double mean = potential_at(s, t, r->y_mean);
    *work += potential_at(s, t, r->y) - mean;
    return TN_OK;
}

/* ---- drives ---- */

int tn_motion_drive_work(tn_session *s, tn_contact_rows *r, double *work)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    if (!sys->works || sys->rows == 0)
        return TN_OK;
    memset(r->row, 0, (size_t)sys->velocities * sizeof *r->row);
    for (size_t k = 0; k < r->near_count; k++) {
        const tn_sweep_contact *c = &r->contacts[k];
        for (int b = 0; b < c->J_count && c->p[0] > 0; b++)
            for (int j = 0; j < c->J[b].width; j++)
                for (int row = 0; row < c->rows; row++)
                    r->row[c->J[b].at + j] += c->p[row] * c->J[b].values[j * c->rows + row];
    }
    TN_TRY(st->solver->solve(st->saddle, r->row, r->rest, r->x, st->eval->lambda));
    const double *before = st->eval->v;
    for (int end = 0; end < 2; end++) {                /* impulses times the mean of the velocities before and after */
        st->eval->v = end ? r->v : before;
        for (int c = 0; c < sys->own_constraints; c++)
            if (sys->constraints[c].works)
                *work += tn_constraint_power(st->eval, sys, c) / 2;
    }
    st->eval->v = before;
    return TN_OK;
}
