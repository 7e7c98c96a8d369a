/* A workspace: motion of bodies and frames, rows of joints and their coordinates at a point. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "dense.h"
#include "device_network.h"
#include "elementary.h"
#include "ports.h"
#include "tn_assert.h"
#include "vec.h"

#define CONST33(R) ((const double (*)[3])(R))

static int allocate_ports(tn_eval *e, const tn_system *s, tn_arena *arena)
{
    const size_t v = (size_t)s->velocities;
    e->placed = tn_arena_alloc(arena, (size_t)s->positions + v + (size_t)s->states, sizeof(double));
    e->tau = tn_arena_alloc(arena, v, sizeof(double));
    e->free = tn_arena_alloc(arena, v, sizeof(double));
    e->points = tn_arena_alloc(arena, (size_t)s->component_count, sizeof *e->points);
    return tn_arena_status(arena);
}

void tn_eval_divide_by_mass(const tn_eval *e, const tn_system *s, int body, double *x)
{
    enum { COLUMNS = 6 };
    const tn_structure *k = &s->structure;
    int n = k->body_column[body + 1] - k->body_column[body];
    double L[COLUMNS * COLUMNS];
    memcpy(L, e->M + k->mass_offset[body], (size_t)(n * n) * sizeof(double));
    tn_cholesky(n, L, n);
    tn_cholesky_solve(n, L, n, x);
}

void tn_eval_take_values(tn_eval *e, const tn_system *s)
{
    tn_copy3(e->gravity, s->gravity);
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        int n = s->structure.body_column[b + 1] - body->v;
        double *M = e->M + s->structure.mass_offset[b];
        for (int k = 0; k < n; k++)
            M[k * (n + 1)] = body->port ? 1 : k < s->dimension ? body->mass : body->moments[2];
    }
}

int tn_eval_create(tn_eval **out, const tn_system *s, tn_arena *arena, bool lazy)
{
    tn_eval *e = tn_arena_alloc(arena, 1, sizeof *e);
    if (!e)
        return TN_ERROR_MEMORY;
    size_t bodies = (size_t)s->body_count, rows = (size_t)s->rows, v = (size_t)s->velocities;
    size_t slots = (size_t)(s->slot_max > 2 * TN_MAX_COUPLED ? s->slot_max : 2 * TN_MAX_COUPLED);
    size_t memory = TN_MAX_COUPLED * TN_MAX_COORDINATES;
    memory = (size_t)s->memory_max > memory ? (size_t)s->memory_max : memory;
    e->R = tn_arena_alloc(arena, bodies, sizeof *e->R);
    e->w = tn_arena_alloc(arena, bodies, sizeof *e->w);
    e->g = tn_arena_alloc(arena, rows, sizeof(double));
    e->gdot = tn_arena_alloc(arena, rows, sizeof(double));
    e->bias = tn_arena_alloc(arena, rows, sizeof(double));
    e->G = tn_arena_alloc(arena, lazy ? s->tape_jacobian_size : s->jacobian_size, sizeof(double));
    e->lazy = lazy;
    e->M = tn_arena_alloc(arena, s->mass_size, sizeof(double));
    e->pins = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(tn_pin));
    e->f = tn_arena_alloc(arena, v, sizeof(double));
    e->a = tn_arena_alloc(arena, v, sizeof(double));
    e->dz = tn_arena_alloc(arena, (size_t)s->states, sizeof(double));
    e->start_z = tn_arena_alloc(arena, (size_t)s->states, sizeof(double));
    e->lambda = tn_arena_alloc(arena, rows, sizeof(double));
    e->separation = tn_arena_alloc(arena, (size_t)s->separation_count, sizeof *e->separation);
    if (s->component_count > 0)
        TN_TRY(allocate_ports(e, s, arena));
    e->leaves = tn_arena_alloc(arena, slots * TN_LEAVES, sizeof(tn_leaf));
    e->gradient = tn_arena_alloc(arena, 3 * slots * TN_LEAVES, sizeof(double));
    e->work = tn_arena_alloc(arena, s->work_size, sizeof(double));
    e->memory_work = tn_arena_alloc(arena, memory, sizeof(double));
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < s->states; k++)
        e->start_z[k] = s->state[k].start;
    e->latest = INFINITY;
    e->z = e->start_z;
    for (int i = 0; i < s->constraint_count; i++) {
        e->pins[i].body1 = s->frames[s->constraints[i].frames[0]].body;
        e->pins[i].body2 = s->frames[s->constraints[i].frames[1]].body;
    }
    for (int b = 0; b < s->body_count; b++)
        e->R[b][0][0] = e->R[b][1][1] = e->R[b][2][2] = 1;
    tn_eval_take_values(e, s);
    *out = e;
    return tn_network_work_create(e, s, arena);
}

/* ---- motion ---- */

/* Lower right block of a spatial body's M: R diag(moments) R'. */
static void turn_inertia(double *M, const double (*R)[3], const double moments[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += R[i][k] * moments[k] * R[j][k];
            M[6 * (3 + i) + 3 + j] = M[6 * (3 + j) + 3 + i] = sum;
        }
}

/* Axes and inertia of a body. */
static void turn_body(tn_eval *e, const tn_system *s, int b)
{
    const tn_sys_body *body = &s->bodies[b];
    double (*R)[3] = e->R[b];
    if (body->motion == TN_MOTION_SPATIAL) {
        tn_quat_matrix(R, e->q + body->q + 3);
        turn_inertia(e->M + s->structure.mass_offset[b], CONST33(R), body->moments);
    } else if (body->motion == TN_MOTION_PLANAR) {
        double c, n;
        tn_sin_cos(e->q[body->q + 2], &n, &c);
        R[0][0] = R[1][1] = c;
        R[1][0] = n;
        R[0][1] = -n;
    }
}

static void spin_body(tn_eval *e, const tn_system *s, int b)
{
    const tn_sys_body *body = &s->bodies[b];
    if (body->motion == TN_MOTION_PLANAR)
        e->w[b][2] = e->v ? e->v[body->v + 2] : 0;
    else if (body->motion == TN_MOTION_SPATIAL && e->v)
        tn_copy3(e->w[b], e->v + body->v + 3);
    else if (body->motion == TN_MOTION_SPATIAL)
        tn_zero3(e->w[b]);
}

/* The motion of ports comes from the components, not from y. */
static void place_ports(tn_eval *e, const tn_system *s)
{
    double *q = e->placed, *v = q + s->positions, *z = v + s->velocities;
    memcpy(q, e->q, (size_t)s->positions * sizeof(double));
    if (e->v)                                      /* the states z follow v in memory */
        memcpy(v, e->v, (size_t)(s->velocities + s->states) * sizeof(double));
    else
        memcpy(z, e->z, (size_t)s->states * sizeof(double));
    e->q = q;
    e->v = e->v ? v : NULL;
    e->z = z;
    e->component_code = TN_OK;
    e->place(e, s, q, e->v ? v : NULL);
}

void tn_eval_motion(tn_eval *e, const tn_system *s, double t, const double *q, const double *v)
{
    e->t = t > e->latest ? e->latest : t;
    e->q = q;
    e->v = v;
    e->z = v ? v + s->velocities : e->start_z;
    if (e->network)
        e->network->current = false;
    TN_ASSERT(e->place || s->component_count == 0);
    if (e->place)
        place_ports(e, s);
    for (int b = 0; b < s->body_count; b++) {
        if (!s->bodies[b].port)
            turn_body(e, s, b);
        spin_body(e, s, b);
    }
    if (s->gravity_formula) {
        tn_formula_evaluate(s->gravity_formula, e, NULL, NULL, 0);
        for (int k = 0; k < 3; k++)
            e->gravity[k] = tn_formula_value(s->gravity_formula, e, k, 0);
    }
}

/* r += w x (w x a) */
static void add_centripetal(double r[3], const double w[3], const double a[3])
{
    double wa[3], wwa[3];
    tn_cross3(wa, w, a);
    tn_cross3(wwa, w, wa);
    tn_add3(r, r, wwa);
}

/* Origin of a body's internal frame and its velocity; planar z is zero. */
static void body_origin(const tn_eval *e, const tn_system *s, int b, double r[3], double v[3])
{
    const tn_sys_body *body = &s->bodies[b];
    r[2] = v[2] = 0;
    for (int k = 0; k < s->dimension; k++) {
        r[k] = e->q[body->q + k];
        v[k] = e->v ? e->v[body->v + k] : 0;
    }
}

void tn_frame_motion_of(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, tn_frame_motion *out)
{
    if (frame->body < 0) {
        tn_copy3(out->p, frame->p);
        memcpy(out->axes, frame->axes, sizeof out->axes);
        tn_zero3(out->v);
        tn_zero3(out->w);
        return;
    }
    const double (*R)[3] = CONST33(e->R[frame->body]);
    double r[3], arm[3], turn[3];
    body_origin(e, s, frame->body, r, out->v);
    tn_copy3(out->w, e->w[frame->body]);
    tn_mul33(arm, R, frame->p);
    tn_add3(out->p, r, arm);
    tn_cross3(turn, out->w, arm);
    tn_add3(out->v, out->v, turn);
    for (int k = 0; k < 3; k++)
        tn_mul33(out->axes[k], R, frame->axes[k]);
}

void tn_frame_acceleration_of(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, double linear[3],
                              double angular[3])
{
    tn_zero3(linear);
    tn_zero3(angular);
    if (frame->body < 0)
        return;
    const tn_sys_body *body = &s->bodies[frame->body];
    const double (*R)[3] = CONST33(e->R[frame->body]);
    double arm[3], turn[3];
    for (int k = 0; k < s->dimension; k++)
        linear[k] = e->a[body->v + k];
    if (body->motion == TN_MOTION_SPATIAL)
        tn_copy3(angular, e->a + body->v + 3);
    else if (body->motion == TN_MOTION_PLANAR)
        angular[2] = e->a[body->v + 2];
    tn_mul33(arm, R, frame->p);
    tn_cross3(turn, angular, arm);
    tn_add3(linear, linear, turn);
    add_centripetal(linear, e->w[frame->body], arm);
}

/* ---- constraints ---- */

void tn_load_frame(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, tn_leaf *leaf)
{
    tn_frame_motion m;
    tn_frame_motion_of(e, s, frame, &m);
    tn_copy3(leaf[TN_LEAF_POINT].x, m.p);
    tn_copy3(leaf[TN_LEAF_POINT].dx, m.v);
    tn_zero3(leaf[TN_LEAF_POINT].ddx);
    for (int k = 0; k < 3; k++) {
        tn_leaf *axis = &leaf[TN_LEAF_X + k];
        tn_copy3(axis->x, m.axes[k]);
        tn_cross3(axis->dx, m.w, axis->x);
        tn_cross3(axis->ddx, m.w, axis->dx);
    }
    tn_copy3(leaf[TN_LEAF_W].x, m.w);
    tn_zero3(leaf[TN_LEAF_W].dx);
    if (frame->body >= 0) {
        double arm[3];
        tn_mul33(arm, CONST33(e->R[frame->body]), frame->p);
        add_centripetal(leaf[TN_LEAF_POINT].ddx, m.w, arm);
    }
}

tn_tape_input tn_eval_constraint_input(tn_eval *e, const tn_system *s, int constraint, const double *memory)
{
    const tn_constraint *c = &s->constraints[constraint];
    for (int k = 0; k < c->slot_count; k++) {
        if (c->frames[k] >= 0)
            tn_load_frame(e, s, &s->frames[c->frames[k]], e->leaves + TN_LEAVES * k);
        else
            e->leaves[TN_LEAVES * k] = (tn_leaf){ .x = { e->z[-1 - c->frames[k]] },
                                                  .dx = { e->dz[-1 - c->frames[k]] } };
    }
    for (int k = 0; k < c->program->memory_count; k++)
        e->memory_work[k] = memory[c->memory[k]];
    return (tn_tape_input){ .t = e->t, .leaves = e->leaves, .parameters = c->parameters, .memory = e->memory_work };
}

/* Adds one slot's part of a gradient to a row over the velocities of its body:
 *     point  p' = r' + w x arm;   axis  a' = w x a;   angular velocity  w. */
void tn_add_frame_gradient(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double *gradient,
                           double *row)
{
    const tn_sys_body *body = &s->bodies[frame->body];
    const double (*R)[3] = CONST33(e->R[frame->body]);
    const double *force = gradient + 3 * TN_LEAF_POINT;
    double torque[3], arm[3], part[3];
    for (int k = 0; k < s->dimension; k++)
        row[k] += force[k];
    if (body->motion == TN_MOTION_PARTICLE)
        return;
    tn_copy3(torque, gradient + 3 * TN_LEAF_W);
    tn_mul33(arm, R, frame->p);
    tn_cross3(part, arm, force);
    tn_add3(torque, torque, part);
    for (int k = 0; k < 3; k++) {
        tn_mul33(arm, R, frame->axes[k]);
        tn_cross3(part, arm, gradient + 3 * (TN_LEAF_X + k));
        tn_add3(torque, torque, part);
    }
    if (body->motion == TN_MOTION_PLANAR) {
        row[2] += torque[2];
        return;
    }
    tn_add3(row + 3, row + 3, torque);
}

void tn_add_point_force(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double force[3],
                        double *f)
{
    double gradient[3 * TN_LEAVES] = { 0 };
    tn_copy3(gradient + 3 * TN_LEAF_POINT, force);
    tn_add_frame_gradient(e, s, frame, gradient, f + s->bodies[frame->body].v);
}

void tn_point_velocity(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, const double *v, double out[3])
{
    int first = s->bodies[frame->body].v, n = s->structure.body_column[frame->body + 1] - first;
    for (int k = 0; k < 3; k++) {
        double gradient[3 * TN_LEAVES] = { 0 }, row[6] = { 0 };
        gradient[3 * TN_LEAF_POINT + k] = 1;
        tn_add_frame_gradient(e, s, frame, gradient, row);
        out[k] = 0;
        for (int j = 0; j < n; j++)
            out[k] += row[j] * v[first + j];
    }
}

static void write_rows(tn_eval *e, const tn_system *s, const tn_constraint *c)
{
    const tn_program *p = c->program;
    const tn_structure *st = &s->structure;
    int index = (int)(c - s->constraints);
    for (int b = st->block_begin[index]; b < st->block_begin[index + 1]; b++) {
        int w = st->body_column[st->block_body[b] + 1] - st->body_column[st->block_body[b]];
        memset(e->G + st->block_offset[b], 0, (size_t)(c->rows * w) * sizeof(double));
    }
    for (int r = 0; r < c->rows; r++) {
        memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
        tn_tape_gradient(p->equations, e->work, p->rows[r].output, p->rows[r].component, e->gradient);
        for (int k = 0; k < c->slot_count; k++) {
            if (c->blocks[k] < 0)
                continue;
            int b = st->block_begin[index] + c->blocks[k], body = st->block_body[b];
            int w = st->body_column[body + 1] - st->body_column[body];
            tn_add_frame_gradient(e, s, &s->frames[c->frames[k]], e->gradient + 3 * TN_LEAVES * k,
                     e->G + st->block_offset[b] + r * w);
        }
    }
}

void tn_eval_joint_failed(tn_eval *e, const tn_system *s, int constraint, const char *why)
{
    e->failed = tn_constraint_name(s, constraint);
    e->failed_span = tn_constraint_span(s, constraint);
    snprintf(e->trouble, sizeof e->trouble, "joint '%.80s': %s", e->failed, why);
}

static void note_trouble(tn_eval *e, const tn_system *s, int constraint)
{
    const tn_program *p = s->constraints[constraint].program;
    char why[80] = "no finite number";
    for (int k = 0; k < tn_tape_outputs(p->equations); k++)
        if (tn_tape_trouble(p->equations, e->work, k, why, sizeof why))
            break;
    tn_eval_joint_failed(e, s, constraint, why);
}

void tn_eval_constraints(tn_eval *e, const tn_system *s, const double *memory, int order, bool jacobian)
{
    const bool closing = s->closings && s->closings->count > 0;
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_constraint *c = &s->constraints[i];
        const tn_program *p = c->program;
        if (c->by_kernel) {
            tn_eval_pin(e, s, i, order);
            if (closing)
                tn_eval_closing(e, s, i, order, jacobian);
            if (jacobian && (!e->lazy || s->pin_kind[i] == TN_PIN_NONE))
                tn_eval_pin_rows(e, s, i);
            continue;
        }
        tn_tape_input input = tn_eval_constraint_input(e, s, i, memory);
        tn_tape_forward(p->equations, &input, order, e->work);
        double sum = 0;
        for (int r = 0; r < c->rows; r++) {
            const tn_program_row *row = &p->rows[r];
            int shift = row->velocity ? 1 : 0;
            double value[3] = { 0 };
            for (int d = shift; d <= order; d++)
                value[d] = tn_tape_value(p->equations, e->work, row->output, row->component, d - shift);
            e->g[c->row + r] = value[0];
            e->gdot[c->row + r] = value[1];
            e->bias[c->row + r] = -value[2];
            sum += value[0] + value[1] + value[2];
        }
        if (!isfinite(sum) && !e->failed)
            note_trouble(e, s, i);
        if (jacobian)
            write_rows(e, s, c);
        if (jacobian && c->separation >= 0)
            tn_eval_separation_row(e, s, i, memory);
        if (closing)
            tn_eval_closing(e, s, i, order, jacobian);
    }
}

const double *tn_eval_block(const tn_eval *e, const tn_system *s, int constraint, int block, double rows[30])
{
    const tn_structure *st = &s->structure;
    if (s->pin_kind[constraint] == TN_PIN_NONE || !e->lazy)
        return e->G + st->block_offset[block];
    const tn_pin *pin = &e->pins[constraint];
    tn_pin_write(rows, pin, (tn_pin_kind)s->pin_kind[constraint], s->dimension == 2,
                 tn_slot_body(s, &s->constraints[constraint], 1) == st->block_body[block] ? 1 : -1);
    return rows;
}

void tn_eval_rows_times(const tn_eval *e, const tn_system *s, const double *x, double *product)
{
    const tn_structure *k = &s->structure;
    double rows[30];
    memset(product, 0, (size_t)s->rows * sizeof(double));
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int first = k->body_column[k->block_body[b]], w = k->body_column[k->block_body[b] + 1] - first;
            const double *G = tn_eval_block(e, s, c, b, rows);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = 0; j < w; j++)
                    product[r] += G[j] * x[first + j];
        }
}

void tn_eval_add_reactions(const tn_eval *e, const tn_system *s, const double *lambda, double *f)
{
    const tn_structure *k = &s->structure;
    double rows[30];
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int first = k->body_column[k->block_body[b]], w = k->body_column[k->block_body[b] + 1] - first;
            const double *G = tn_eval_block(e, s, c, b, rows);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = 0; j < w; j++)
                    f[first + j] += G[j] * lambda[r];
        }
}

void tn_clear_velocity_rows(const tn_system *s, double *G, bool drives)
{
    const tn_structure *k = &s->structure;
    for (int c = 0; c < k->constraints && s->has_velocity_rows; c++) {
        if (!drives && tn_joint_motion(tn_constraint_joint(s, c)))
            continue;
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int w = k->body_column[k->block_body[b] + 1] - k->body_column[k->block_body[b]];
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++)
                if (s->velocity_row[r])
                    memset(G + k->block_offset[b] + (size_t)((r - k->constraint_row[c]) * w), 0,
                           (size_t)w * sizeof(double));
        }
    }
}

static double largest(const double *x, const tn_constraint *c)
{
    double most = 0;
    for (int r = 0; r < c->rows; r++)
        if (!(fabs(x[c->row + r]) <= most))        /* NaN counts as largest */
            most = fabs(x[c->row + r]);
    return most;
}

double tn_eval_gap(const tn_eval *e, const tn_system *s, int constraint)
{
    return largest(e->g, &s->constraints[constraint]);
}

double tn_eval_velocity_gap(const tn_eval *e, const tn_system *s, int constraint)
{
    return largest(e->gdot, &s->constraints[constraint]);
}

/* ---- joint coordinates ---- */

/* Gradient of the coordinate evaluated last, times x, an array over all velocities. */
static double slots_times(const tn_eval *e, const tn_system *s, const tn_constraint *c, const double *x)
{
    double sum = 0;
    for (int k = 0; k < c->slot_count; k++) {
        const tn_sys_frame *frame = &s->frames[c->frames[k]];
        if (frame->body < 0)
            continue;
        double row[6] = { 0 };
        tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * k, row);
        int first = s->bodies[frame->body].v, n = s->structure.body_column[frame->body + 1] - first;
        for (int j = 0; j < n; j++)
            sum += row[j] * x[first + j];
    }
    return sum;
}

void tn_eval_coordinates(tn_eval *e, const tn_system *s, const double *memory, int constraint, int derivative,
                         double *values)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_program *p = c->program;
    if (!p->coordinates)
        return;
    tn_tape_input input = tn_eval_constraint_input(e, s, constraint, memory);
    tn_tape_forward(p->coordinates, &input, derivative, e->work);
    for (int k = 0; k < p->coordinate_count; k++) {
        values[k] = tn_tape_value(p->coordinates, e->work, k, 0, derivative);
        if (derivative == 2) {
            memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
            tn_tape_gradient(p->coordinates, e->work, k, 0, e->gradient);
            values[k] += slots_times(e, s, c, e->a);
        }
    }
}

void tn_eval_coordinate_row(tn_eval *e, const tn_system *s, const double *memory, int constraint, int k, double *value,
                            double *rate, double *row)
{
    const tn_constraint *c = &s->constraints[constraint];
    tn_tape_input input = tn_eval_constraint_input(e, s, constraint, memory);
    tn_tape_forward(c->program->coordinates, &input, 1, e->work);
    *value = tn_tape_value(c->program->coordinates, e->work, k, 0, 0);
    *rate = tn_tape_value(c->program->coordinates, e->work, k, 0, 1);
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
    tn_tape_gradient(c->program->coordinates, e->work, k, 0, e->gradient);
    for (int n = 0; n < c->slot_count; n++) {
        const tn_sys_frame *frame = &s->frames[c->frames[n]];
        if (frame->body >= 0)
            tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * n, row + s->bodies[frame->body].v);
    }
}

double tn_fastest_turn(const tn_eval *e, const tn_system *s)
{
    double fastest = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < 3; k++)
            fastest = fmax(fastest, fabs(e->w[b][k]));
    return 2 * sqrt(3) * fastest;
}

/* ---- forces ---- */

void tn_spin(const tn_eval *e, const tn_system *s, int b, double spin[3])
{
    const double *J = e->M + s->structure.mass_offset[b] + 6 * 3 + 3;
    for (int k = 0; k < 3; k++)
        spin[k] = tn_dot3(J + 6 * k, e->w[b]);
}
