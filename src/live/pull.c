/* Pulling at a point of a body while the model runs. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "live.h"
#include "vec.h"

/* Fractions of a mobility scale. Directions with a mobility well above STIFF times the scale S count fully in the
 * effective mass; S is at least HELD times the mobility of the body without joints. */
static const double STIFF = 0.1, HELD = 0.01;
/* A direction with less than this fraction of the scale S counts as held by joints. */
static const double NOISE = 1e-9;
/* The pull gets a new effective mass when the mass has changed by more than this fraction. */
static const double STALE = 0.05;
/* Defaults of a pull: its frequency, rad/s, and its largest acceleration, m/s^2. */
static const double OMEGA = 12, CAP = 200;

/* ---- the point ---- */

/* A point of a body, with arrays of the stepper for the response of the mechanism to a force at the point. */
typedef struct handle {
    tn_session *session;
    tn_sys_frame frame;
    double *force, *response;          /* over all velocities */
    double *rate;                      /* right-hand side of the rows: zero */
} handle;

int tn_session_find_movable(int *index, const tn_session *s, tn_id body)
{
    bool known = tn_model_entity(s->model, body) && body.kind == TN_KIND_BODY;
    *index = known ? s->system->body_of[body.index] : -1;
    return *index >= 0 ? TN_OK
                       : tn_fail(s->context, known ? TN_ERROR_ARGUMENT : TN_ERROR_STALE, TN_NOWHERE,
                                 known ? "ground and bodies that take no part cannot be pulled" : "the body is gone");
}

static handle handle_at(tn_session *s, uint32_t body, const double at[3])
{
    tn_stepper *st = s->stepper;
    tn_pose pose = tn_pose_identity();
    tn_copy3(pose.p, at);
    return (handle){ s, tn_system_frame(s->system, body, &pose), st->scratch, st->delta, st->u };
}

/* Sets the rows of unilateral constraints and sticking friction in G to zero. A strong pull, or a pull away from the
 * contact, overcomes them, so the effective mass must not include them. */
static void leave_out_unilaterals(const tn_system *s, double *G)
{
    const tn_structure *k = &s->structure;
    for (int c = 0; c < k->constraints; c++) {
        int rows = k->constraint_row[c + 1] - k->constraint_row[c];
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1] && s->constraints[c].attached; b++) {
            int width = k->body_column[k->block_body[b] + 1] - k->body_column[k->block_body[b]];
            memset(G + k->block_offset[b], 0, (size_t)(rows * width) * sizeof(double));
        }
    }
}

/* Evaluates and factors the equations of motion at the accepted state, for the responses below. */
static int factor_mechanism(const handle *h, tn_rank_rule rule, bool unilaterals)
{
    tn_stepper *st = h->session->stepper;
    h->session->eval_current = false;
    tn_eval_motion(st->eval, st->system, st->t, st->y, st->y + st->system->positions);
    TN_TRY(st->eval->component_code);
    tn_eval_constraints(st->eval, st->system, st->memory, 0, true);
    if (!unilaterals)
        leave_out_unilaterals(st->system, st->eval->G);
    return st->solver->factor(st->saddle, st->eval->M, st->eval->G, rule);
}

/* Computes the acceleration of the point under a force at the point; the joints hold. */
static int accelerate_point(const handle *h, const double force[3], double moved[3])
{
    const tn_stepper *st = h->session->stepper;
    const tn_system *s = st->system;
    memset(h->force, 0, (size_t)s->velocities * sizeof(double));
    memset(h->rate, 0, (size_t)s->rows * sizeof(double));
    tn_add_point_force(st->eval, s, &h->frame, force, h->force);
    TN_TRY(st->solver->solve(st->saddle, h->force, h->rate, h->response, NULL));
    tn_point_velocity(st->eval, s, &h->frame, h->response, moved);
    return TN_OK;
}

/* Upper bound of the mobility of the point on the body without joints. usual: the value at a port, whose mass is
 * unknown. */
static double mobility_alone(const handle *h, double usual)
{
    const tn_sys_body *body = &h->session->system->bodies[h->frame.body];
    const double *moments = body->moments, *p = h->frame.p;
    if (body->port)
        return usual;
    double least = body->motion == TN_MOTION_SPATIAL ? fmin(moments[0], fmin(moments[1], moments[2])) : moments[2];
    return 1 / body->mass + (body->motion == TN_MOTION_PARTICLE ? 0 : tn_dot3(p, p) / least);
}

/* The effective mass of the mechanism at the point, as xx yy zz xy xz yz. Along each principal axis the mass is about
 * the inverse of the mobility w where w is large, and about zero where joints hold the point, because a pull along such
 * an axis would only strain the joints:
 *     (1 + STIFF^2) w / (w^2 + STIFF^2 S^2),  S = max(largest w, HELD * mobility of the body without joints)
 * usual: mobility of the point at another time, or 0. A mass of zero: the point cannot move. */
static int mass_at(const handle *h, double usual, double mass[6])
{
    static const int place[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };
    double mobility[6] = { 0 }, w[3], axes[3][3];
    for (int k = 0; k < h->session->system->dimension; k++) {
        double force[3] = { k == 0, k == 1, k == 2 }, moved[3];
        TN_TRY(accelerate_point(h, force, moved));
        for (int j = 0; j <= k; j++)
            mobility[place[j][k]] = moved[j];
    }
    tn_principal_axes(w, axes, mobility);
    double scale = fmax(fmax(w[0], fmax(w[1], w[2])), HELD * mobility_alone(h, usual));
    double least = STIFF * STIFF * scale * scale;
    memset(mass, 0, 6 * sizeof(double));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3 && w[k] > NOISE * scale; i++)
            for (int j = i; j < 3; j++)
                mass[place[i][j]] += axes[i][k] * axes[j][k] * (1 + STIFF * STIFF) * w[k] / (w[k] * w[k] + least);
    return isfinite(tn_norm2(6, mass)) ? TN_OK : TN_ERROR_STEP;
}

/* ---- pulling ---- */

static bool pulls_at_same_point(const tn_session *s, const tn_pull *pull)
{
    const tn_pulling *there = &s->overlay.pull;
    return there->active && there->load.body == pull->body.index &&
           memcmp(there->load.at, pull->at, sizeof pull->at) == 0;
}

/* Restarts the stepper after the pull has changed. */
static int restart_stepper(tn_session *s)
{
    tn_stepper *st = s->stepper;
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory));
    return tn_work_begin(s);
}

/* Restarts the stepper and decides the active contacts again, because the applied force has jumped. */
static int restart_with_contacts(tn_session *s)
{
    TN_TRY(tn_unilaterals_let_go(s));
    TN_TRY(restart_stepper(s));
    TN_TRY(tn_unilaterals_begin(s));
    return tn_work_begin(s);
}

/* Replaces the pull and restarts; after an error the old pull stays. */
static int change_pull(tn_session *s, const tn_pulling *pull)
{
    const tn_pulling before = s->overlay.pull;
    tn_pull_put(s, pull);
    int code = restart_with_contacts(s);
    if (code < 0) {
        tn_pull_put(s, &before);
        restart_with_contacts(s);                                      /* with the old pull; code keeps the error */
    }
    return code;
}

static int begin_pull(tn_session *s, const tn_pull *pull)
{
    int index;
    tn_pulling new = { .active = true, .load = { .body = pull->body.index, .omega = pull->omega > 0 ? pull->omega : OMEGA,
                                                 .cap = pull->cap > 0 ? pull->cap : CAP } };
    if (s->stepper->motion_only || s->kinematics || s->loads)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "only a session of tn_session_open can be edited");
    TN_TRY(tn_session_find_movable(&index, s, pull->body));
    tn_copy3(new.load.at, pull->at);
    tn_copy3(new.load.target, pull->target);
    handle h = handle_at(s, pull->body.index, pull->at);
    TN_TRY(factor_mechanism(&h, TN_RANK_DECIDE, false));
    TN_TRY(mass_at(&h, 0, new.load.mass));
    if (tn_norm2(6, new.load.mass) == 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the point cannot move at all");
    return change_pull(s, &new);
}

int tn_pull_follow(tn_session *s)
{
    tn_pull_load *load = &s->overlay.pull.load;
    if (!s->overlay.pull.active || tn_pull_load_body(load, s->system) < 0)
        return TN_OK;
    double mass[6], change[6];
    handle h = handle_at(s, load->body, load->at);
    bool with_unilaterals = s->system->layout.joint_count > 0;
    double used = tn_norm2(6, load->mass);
    bool known = factor_mechanism(&h, with_unilaterals ? TN_RANK_DECIDE : TN_RANK_KEEP, !with_unilaterals) == TN_OK &&
                 mass_at(&h, used > 0 ? 1 / used : 0, mass) == TN_OK;
    if (with_unilaterals)
        TN_TRY(factor_mechanism(&h, TN_RANK_DECIDE, true));
    if (!known)
        return TN_OK;                  /* near a singular position: keep the old mass */
    for (int k = 0; k < 6; k++)
        change[k] = mass[k] - load->mass[k];
    if (!(tn_norm2(6, change) > STALE * used))
        return TN_OK;
    memcpy(load->mass, mass, sizeof mass);
    return restart_stepper(s);
}

static int move_target(tn_session *s, const tn_pull *pull)
{
    tn_copy3(s->overlay.pull.load.target, pull->target);
    return restart_stepper(s);
}

int tn_session_pull(tn_session *s, const tn_pull *pull)
{
    tn_entry event = { .kind = TN_ENTRY_PULL, .pull = *pull, .body = tn_model_entity_name(s->model, pull->body) };
    if (pulls_at_same_point(s, pull)) {
        tn_snapshot before;
        TN_TRY(tn_log_before_nudge(&before, s));
        return tn_log_nudged_or_back(s, move_target(s, pull), &event, &before);
    }
    TN_TRY(tn_log_prepare(s, &event));
    return tn_log_commit_state(s, begin_pull(s, pull));
}

int tn_session_release(tn_session *s)
{
    if (!s->overlay.pull.active)
        return TN_OK;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_RELEASE }));
    return tn_log_commit_state(s, change_pull(s, &(tn_pulling){ .active = false }));
}
