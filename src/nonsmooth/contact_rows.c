/* Builds the sparse cone problem of a time step. A body that no joint holds answers an impulse with its own mass; a
 * body with joints answers through the solver of the equations of motion, together with all bodies of its mechanism. */
#include "contact_rows.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "time_sleep.h"
#include "vec.h"

/* Safety factor for the approach of limits in a step, relative to the rate at its start. */
static const double SURELY = 1.5;
/* The hash table has so many places for each entry. */
enum { SPARSE = 4 };

int tn_contact_rows_create(tn_contact_rows **out, tn_context *context)
{
    *out = tn_alloc(context, 1, sizeof **out);
    return *out ? tn_cone_newton_create(&(*out)->newton, context) : TN_ERROR_MEMORY;
}

void tn_contact_rows_destroy(tn_contact_rows *r, tn_context *context)
{
    if (!r)
        return;
    const tn_sleep *z = &r->sleep;
    void *const arrays[] = { r->near, r->missed, r->contacts, r->blocks, r->values, r->parent, r->joint_parent, r->jointed,
                             r->inverse, r->order, r->island_begin, r->keys, r->work, r->row, r->x, r->rest, r->v,
                             r->free, r->y, r->y_mean, r->y_middle, r->turning, r->still, r->flat, r->small_work, r->small_numbers, r->small_contacts,
                             z->asleep, z->stands, z->flock, z->y, z->a, z->still, r };
    tn_cone_newton_destroy(r->newton);
    for (size_t k = 0; k < TN_LENGTH(arrays); k++)
        tn_free(context, arrays[k]);
}

void tn_contact_tangents(const double n[3], int dimension, double t1[3], double t2[3])
{
    if (dimension == 2) {
        t1[0] = n[1];
        t1[1] = -n[0];
        t1[2] = t2[0] = t2[1] = t2[2] = 0;
        return;
    }
    double sign = n[2] < 0 ? -1 : 1, a = -1 / (sign + n[2]), b = n[0] * n[1] * a;      /* Duff et al. 2017 */
    t1[0] = 1 + sign * n[0] * n[0] * a;
    t1[1] = sign * b;
    t1[2] = -sign * n[0];
    t2[0] = b;
    t2[1] = sign + n[1] * n[1] * a;
    t2[2] = -n[1];
}

/* ---- near contacts ---- */

int tn_contact_rows_near(tn_contact_rows *r, tn_session *s, double margin, double h)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    r->near_count = 0;
    if (s->unilaterals->near.touches)
        TN_TRY(tn_sleep_find(&touches, &count, r, s, margin));
    TN_TRY(tn_grow(s->context, &r->near, &r->near_capacity, count + s->unilaterals->count + 1, sizeof *r->near));
    for (size_t k = 0; k < count; k++)
        r->near[r->near_count++] = tn_touch_unilateral(s, &touches[k]);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit < 0)
            continue;
        tn_unilateral_measure(g, s);
        if (g->gap + SURELY * h * fmin(g->rate, 0) < margin) {
            r->near[r->near_count] = *g;
            r->near[r->near_count++].constraint = -1;
        }
    }
    return TN_OK;
}

/* ---- bodies ---- */

static int root_of(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static void unite(int *parent, int a, int b)
{
    int one = root_of(parent, a), two = root_of(parent, b);
    if (one != two)
        parent[one > two ? one : two] = one > two ? two : one;
}

static int reserve_bodies(tn_contact_rows *r, tn_session *s)
{
    size_t n = (size_t)s->system->body_count, v = (size_t)s->system->velocities, *c = r->body_capacity;
    TN_TRY(tn_grow(s->context, &r->parent, &c[0], n, sizeof *r->parent));
    TN_TRY(tn_grow(s->context, &r->joint_parent, &c[1], n, sizeof *r->joint_parent));
    TN_TRY(tn_grow(s->context, &r->jointed, &c[2], n, sizeof *r->jointed));
    TN_TRY(tn_grow(s->context, &r->inverse, &c[3], n, sizeof *r->inverse));
    TN_TRY(tn_grow(s->context, &r->row, &r->row_capacity, v, sizeof *r->row));
    TN_TRY(tn_grow(s->context, &r->x, &r->x_capacity, v, sizeof *r->x));
    return tn_grow(s->context, &r->rest, &r->rest_capacity, (size_t)s->system->rows + 1, sizeof *r->rest);
}

static void connect_bodies(tn_contact_rows *r, const tn_system *sys)
{
    const tn_structure *st = &sys->structure;
    for (int b = 0; b < sys->body_count; b++) {
        r->joint_parent[b] = b;
        r->jointed[b] = false;
    }
    for (int c = 0; c < st->constraints; c++)
        for (int k = st->block_begin[c]; k < st->block_begin[c + 1]; k++) {
            r->jointed[st->block_body[k]] = true;
            unite(r->joint_parent, st->block_body[k], st->block_body[st->block_begin[c]]);
        }
    memcpy(r->parent, r->joint_parent, (size_t)sys->body_count * sizeof *r->parent);
}

static void invert_inertia(tn_contact_rows *r, const tn_eval *e, const tn_system *sys)
{
    for (int b = 0; b < sys->body_count; b++) {
        const tn_sys_body *body = &sys->bodies[b];
        const double (*R)[3] = (const double (*)[3])e->R[b];
        for (int i = 0; i < 3 && body->motion == TN_MOTION_SPATIAL; i++)
            for (int j = 0; j < 3; j++)
                r->inverse[b][i][j] = R[i][0] * R[j][0] / body->moments[0] + R[i][1] * R[j][1] / body->moments[1] +
                                      R[i][2] * R[j][2] / body->moments[2];
    }
}

/* ---- rows ---- */

/* Writes the part of a body at q in the row of the direction u at a point: u, and arm x u; sign -1 on body 1. */
static void body_row(const double *q, const tn_sys_body *body, int dimension, const double point[3], const double u[3],
                     double sign, double out[6])
{
    double arm[3] = { point[0] - q[0], point[1] - q[1], dimension == 3 ? point[2] - q[2] : 0 }, turn[3];
    tn_cross3(turn, arm, u);
    for (int k = 0; k < dimension; k++)
        out[k] = sign * u[k];
    if (body->motion == TN_MOTION_SPATIAL)
        for (int k = 0; k < 3; k++)
            out[3 + k] = sign * turn[k];
    else if (body->motion == TN_MOTION_PLANAR)
        out[2] = sign * turn[2];
}

/* Response of a free body to its part of a row. */
static void body_response(const tn_contact_rows *r, const tn_system *sys, int b, const double row[6], double out[6])
{
    const tn_sys_body *body = &sys->bodies[b];
    for (int k = 0; k < sys->dimension; k++)
        out[k] = row[k] / body->mass;
    if (body->motion == TN_MOTION_SPATIAL)
        tn_mul33(out + 3, (const double (*)[3])r->inverse[b], row + 3);
    else if (body->motion == TN_MOTION_PLANAR)
        out[2] = row[2] / body->moments[2];
}

static double *take_block(tn_contact_rows *r, int at, int width, int rows)
{
    double *values = r->values + r->value_count;
    r->blocks[r->block_count++] = (tn_sweep_block){ at, width, values };
    r->value_count += (size_t)(width * rows);
    return values;
}

/* Puts x, row number k of a contact, into the block that begins with the velocity `at`. */
static void put_row(double *values, int width, int rows, int k, const double *x)
{
    for (int j = 0; j < width; j++)
        values[j * rows + k] = x[j];
}

/* The bodies of a near contact that move, at most two; a limit has no list: its row says which move. */
static int bodies_of(const tn_system *sys, const tn_unilateral *g, int out[2], double sign[2])
{
    int count = 0;
    for (int side = 0; side < 2 && g->limit < 0; side++) {
        int b = sys->body_of[side ? g->touch.key.body2 : g->touch.key.body1];
        if (b < 0)
            continue;
        out[count] = b;
        sign[count++] = side ? 1 : -1;
    }
    return count;
}

static int rows_of(const tn_system *sys, const tn_unilateral *g, bool friction)
{
    return friction && g->limit < 0 && g->friction > 0 ? sys->dimension : 1;
}

static bool same_mechanism(const tn_contact_rows *r, int a, int b)
{
    return r->jointed[a] && r->jointed[b] && r->joint_parent[a] == r->joint_parent[b];
}

/* Counts blocks and values, at most, of the contact. */
static void count_room(const tn_contact_rows *r, const tn_system *sys, const tn_unilateral *g, bool friction,
                       size_t *blocks, size_t *values)
{
    int body[2], rows = rows_of(sys, g, friction);
    double sign[2];
    int count = bodies_of(sys, g, body, sign);
    bool jointed = g->limit >= 0 || (count > 0 && r->jointed[body[0]]) || (count > 1 && r->jointed[body[1]]);
    *blocks += jointed ? 2 * (size_t)sys->body_count + 2 : 4;
    *values += (size_t)rows * (jointed ? 2 * (size_t)sys->velocities + 12 : 24);
}

static void fill_rows(tn_contact_rows *r, const tn_session *s, const tn_unilateral *g, tn_sweep_contact *c)
{
    const tn_system *sys = s->system;
    const double *q = r->in_middle ? r->y_middle : s->stepper->eval->q;
    double u[3][3], part[6], sign[2], belt[3];
    int body[2], count = bodies_of(sys, g, body, sign);
    tn_copy3(u[0], g->touch.normal);
    tn_contact_tangents(u[0], sys->dimension, u[1], u[2]);
    tn_touch_stretch(s, &g->touch, u[1], u[2]);
    tn_touch_belt(s, &g->touch, belt);
    for (int row = 1; row < c->rows; row++)
        c->belt[row - 1] = tn_dot3(belt, u[row]);
    c->J = r->blocks + r->block_count;
    c->J_count = count;
    for (int k = 0; k < count; k++) {
        const tn_sys_body *b = &sys->bodies[body[k]];
        int width = tn_width_of(&sys->structure, body[k]);
        double *values = take_block(r, b->v, width, c->rows);
        for (int row = 0; row < c->rows; row++) {
            body_row(q + b->q, b, sys->dimension, g->touch.point, u[row], sign[k], part);
            put_row(values, width, c->rows, row, part);
        }
    }
    c->A = r->blocks + r->block_count;
    c->A_count = 0;
    for (int k = 0; k < count; k++) {
        if (r->jointed[body[k]])
            continue;
        int width = tn_width_of(&sys->structure, body[k]);
        double *values = take_block(r, sys->bodies[body[k]].v, width, c->rows);
        c->A_count++;
        for (int row = 0; row < c->rows; row++) {
            double out[6];
            body_row(q + sys->bodies[body[k]].q, &sys->bodies[body[k]], sys->dimension, g->touch.point, u[row], sign[k], part);
            body_response(r, sys, body[k], part, out);
            put_row(values, width, c->rows, row, out);
        }
    }
}

static void fill_limit_row(tn_contact_rows *r, tn_session *s, const tn_unilateral *g, tn_sweep_contact *c)
{
    const tn_system *sys = s->system;
    const tn_model_limit *limit = &s->model->limits[g->limit];
    double value, rate;
    memset(r->row, 0, (size_t)sys->velocities * sizeof *r->row);
    tn_eval_coordinate_row(s->stepper->eval, sys, s->stepper->memory, sys->constraint_of[limit->joint],
                           limit->coordinate, &value, &rate, r->row);
    c->J = r->blocks + r->block_count;
    c->J_count = 0;
    for (int b = 0; b < sys->body_count; b++) {
        int at = sys->bodies[b].v, width = tn_width_of(&sys->structure, b);
        if (tn_largest(width, r->row + at) == 0)
            continue;
        double *values = take_block(r, at, width, 1);
        c->J_count++;
        for (int j = 0; j < width; j++)
            values[j] = g->side * r->row[at + j];
    }
    c->A = r->blocks + r->block_count;
    c->A_count = 0;
}

/* Returns the body whose velocities begin with number `at`; bodies are in the order of their velocities. */
int tn_contact_body_at(const tn_system *sys, int at)
{
    int low = 0, high = sys->body_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (sys->bodies[middle].v <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Tells whether a body answers to the jointed part of the contact's rows. */
static bool answers(const tn_contact_rows *r, const tn_system *sys, const tn_sweep_contact *c, int body)
{
    for (int k = 0; k < c->J_count; k++)
        if (same_mechanism(r, tn_contact_body_at(sys, c->J[k].at), body))
            return true;
    return false;
}

/* Adds the responses of the bodies with joints, through the solver of the equations of motion. */
static int add_joint_responses(tn_contact_rows *r, tn_session *s, tn_sweep_contact *c, bool limit)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    int first = (int)r->block_count;
    for (int b = 0; b < sys->body_count; b++)
        if (r->jointed[b] && answers(r, sys, c, b)) {
            take_block(r, sys->bodies[b].v, tn_width_of(&sys->structure, b), c->rows);
            c->A_count++;
        }
    if ((int)r->block_count == first && !limit)
        return TN_OK;
    for (int row = 0; row < c->rows; row++) {
        memset(r->row, 0, (size_t)sys->velocities * sizeof *r->row);
        for (int k = 0; k < c->J_count; k++)
            for (int j = 0; j < c->J[k].width; j++)
                r->row[c->J[k].at + j] = c->J[k].values[j * c->rows + row];
        TN_TRY(st->solver->solve(st->saddle, r->row, r->rest, r->x, NULL));
        for (size_t k = (size_t)first; k < r->block_count; k++)
            put_row((double *)r->blocks[k].values, r->blocks[k].width, c->rows, row, r->x + r->blocks[k].at);
    }
    return TN_OK;
}

static int build_contact(tn_contact_rows *r, tn_session *s, const tn_unilateral *g, tn_sweep_contact *c, bool friction)
{
    const tn_system *sys = s->system;
    int body[2];
    double sign[2];
    int count = bodies_of(sys, g, body, sign);
    *c = (tn_sweep_contact){ .rows = rows_of(sys, g, friction), .mu = friction ? tn_unilateral_step_friction(s, g) : 0 };
    bool jointed = g->limit >= 0 || (count > 0 && r->jointed[body[0]]) || (count > 1 && r->jointed[body[1]]);
    if (g->limit < 0)
        fill_rows(r, s, g, c);
    else
        fill_limit_row(r, s, g, c);
    return jointed ? add_joint_responses(r, s, c, g->limit >= 0) : TN_OK;
}

/* Factors the equations of motion at (t, y), for the responses of bodies with joints. */
static int factor_joints(tn_contact_rows *r, tn_session *s, double t, const double *y)
{
    const tn_stepper *st = s->stepper;
    tn_eval_motion(st->eval, s->system, t, y, y + s->system->positions);
    s->eval_current = false;
    if (s->system->rows == 0)
        return TN_OK;
    memset(r->rest, 0, (size_t)s->system->rows * sizeof *r->rest);
    tn_eval_constraints(st->eval, s->system, st->memory, 1, true);
    return st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_DECIDE);
}

/* ---- islands ---- */

/* The bodies of a limit are already connected, by its joint. */
static void unite_contact(tn_contact_rows *r, const tn_system *sys, const tn_unilateral *g)
{
    int body[2];
    double sign[2];
    if (g->limit < 0 && bodies_of(sys, g, body, sign) == 2)
        unite(r->parent, body[0], body[1]);
}

/* Orders the contacts by island; islands in the order of their first contacts. */
static int find_islands(tn_contact_rows *r, tn_session *s)
{
    const tn_system *sys = s->system;
    size_t n = r->near_count;
    TN_TRY(tn_grow(s->context, &r->order, &r->order_capacity, 2 * n + (size_t)sys->body_count + 1, sizeof *r->order));
    TN_TRY(tn_grow(s->context, &r->island_begin, &r->island_capacity, n + 2, sizeof *r->island_begin));
    int *of_contact = r->order + n, *of_root = of_contact + n;
    for (int b = 0; b < sys->body_count; b++)
        of_root[b] = -1;
    for (size_t k = 0; k < n; k++)
        unite_contact(r, sys, &r->near[k]);
    r->island_count = 0;
    memset(r->island_begin, 0, (n + 2) * sizeof *r->island_begin);
    for (size_t k = 0; k < n; k++) {
        const tn_sweep_contact *c = &r->contacts[k];
        int root = c->J_count == 0 ? -1 : root_of(r->parent, tn_contact_body_at(sys, c->J[0].at));
        if (root >= 0 && of_root[root] < 0)
            of_root[root] = r->island_count++;
        of_contact[k] = root < 0 ? -1 : of_root[root];
        if (root >= 0)
            r->island_begin[of_contact[k] + 2]++;
    }
    for (int i = 1; i < r->island_count; i++)
        r->island_begin[i + 1] += r->island_begin[i];
    for (size_t k = 0; k < n; k++)
        if (of_contact[k] >= 0)
            r->order[r->island_begin[of_contact[k] + 1]++] = (int)k;
    return TN_OK;
}

int tn_contact_rows_build(tn_contact_rows *r, tn_session *s, double t, const double *y, bool friction)
{
    size_t blocks = 0, values = 0;
    long rows = 0;
    TN_TRY(reserve_bodies(r, s));
    connect_bodies(r, s->system);
    TN_TRY(factor_joints(r, s, t, y));
    invert_inertia(r, s->stepper->eval, s->system);
    for (int b = 0; b < s->system->body_count; b++)
        r->joint_parent[b] = root_of(r->joint_parent, b);
    for (size_t k = 0; k < r->near_count; k++) {
        count_room(r, s->system, &r->near[k], friction, &blocks, &values);
        rows += rows_of(s->system, &r->near[k], friction);
    }
    TN_TRY(tn_grow(s->context, &r->contacts, &r->contact_capacity, r->near_count, sizeof *r->contacts));
    TN_TRY(tn_grow(s->context, &r->blocks, &r->block_capacity, blocks, sizeof *r->blocks));
    TN_TRY(tn_grow(s->context, &r->values, &r->value_capacity, values, sizeof *r->values));
    TN_TRY(tn_grow(s->context, &r->work, &r->work_capacity, (size_t)tn_sweeps_doubles(rows), sizeof *r->work));
    r->block_count = r->value_count = 0;
    for (size_t k = 0; k < r->near_count; k++)
        TN_TRY(build_contact(r, s, &r->near[k], &r->contacts[k], friction));
    tn_sweeps_prepare(r->contacts, (int)r->near_count);
    return find_islands(r, s);
}

/* ---- impulses of the last step ---- */

static size_t hash_of(const tn_unilateral *g, size_t places)
{
    const tn_touch_key *k = &g->touch.key;
    const uint32_t numbers[] = { k->body1, k->body2, k->shape1, k->shape2, k->feature1, k->feature2 };
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < TN_LENGTH(numbers); i++)
        hash = (hash ^ numbers[i]) * 16777619u;
    return (hash ^ hash >> 15) % places;
}

static bool is_same(const tn_unilateral *a, const tn_unilateral *b)
{
    if (a->limit >= 0 || b->limit >= 0)
        return a->limit == b->limit && a->side == b->side;
    return tn_touch_key_equal(&a->touch.key, &b->touch.key);
}

/* Sets the impulses of a contact to the forces of the last step times h. The tangents are functions of the normal that jump
 * where the normal is horizontal, so friction is turned from the old tangents to the new ones. */
static void recall_contact(tn_sweep_contact *c, const tn_unilateral *now, const tn_unilateral *was, int dimension, double h)
{
    double from[2][3], to[2][3], friction[3];
    c->p[0] = h * was->force[0];
    if (c->rows == 1)
        return;
    tn_contact_tangents(was->touch.normal, dimension, from[0], from[1]);
    tn_contact_tangents(now->touch.normal, dimension, to[0], to[1]);
    for (int k = 0; k < 3; k++)
        friction[k] = h * (was->force[1] * from[0][k] + (c->rows == 3 ? was->force[2] * from[1][k] : 0));
    for (int row = 1; row < c->rows; row++)
        c->p[row] = tn_dot3(friction, to[row - 1]);
}

int tn_contact_rows_recall(tn_contact_rows *r, const tn_session *s, double h)
{
    const tn_unilaterals *u = s->unilaterals;
    size_t places = SPARSE * u->count + 1;
    TN_TRY(tn_grow(s->context, &r->keys, &r->key_capacity, places, sizeof *r->keys));
    for (size_t k = 0; k < places; k++)
        r->keys[k] = -1;
    for (size_t k = 0; k < u->count; k++) {
        if (u->items[k].mode != TN_UNILATERAL_PRESSED)
            continue;
        size_t at = hash_of(&u->items[k], places);
        while (r->keys[at] >= 0)
            at = (at + 1) % places;
        r->keys[at] = (int)k;
    }
    for (size_t k = 0; k < r->near_count; k++)
        for (size_t at = hash_of(&r->near[k], places); r->keys[at] >= 0; at = (at + 1) % places) {
            const tn_unilateral *was = &u->items[r->keys[at]];
            if (!is_same(&r->near[k], was))
                continue;
            r->near[k].mode = TN_UNILATERAL_PRESSED;
            memcpy(r->near[k].force, was->force, sizeof was->force);
            recall_contact(&r->contacts[k], &r->near[k], was, s->system->dimension, h);
            break;
        }
    return TN_OK;
}

double tn_contact_row_speed(const tn_sweep_contact *c, int row, const double *v)
{
    double w = 0;
    for (int b = 0; b < c->J_count; b++)
        for (int j = 0; j < c->J[b].width; j++)
            w += c->J[b].values[j * c->rows + row] * v[c->J[b].at + j];
    return w;
}
