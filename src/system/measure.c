/* Measures a state: energy, momentum, reactions; and moves positions along velocities. */
#include "system.h"
#include "vec.h"

/* ---- moving ---- */

void tn_position_rate(const tn_system *s, const double *q, const double *v, double *dq)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (body->motion != TN_MOTION_SPATIAL) {
            int n = body->motion == TN_MOTION_PLANAR ? 3 : s->dimension;
            memcpy(dq + body->q, v + body->v, (size_t)n * sizeof(double));
            continue;
        }
        tn_copy3(dq + body->q, v + body->v);
        double half[4] = { 0, 0.5 * v[body->v + 3], 0.5 * v[body->v + 4], 0.5 * v[body->v + 5] };
        tn_quat_mul(dq + body->q + 3, half, q + body->q + 3);
    }
}

void tn_position_tangent(const tn_system *s, const double *q, const double *dq, double *dv)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        int plain = body->motion == TN_MOTION_PARTICLE ? s->dimension : 3;
        memcpy(dv + body->v, dq + body->q, (size_t)plain * sizeof(double));
        if (body->motion == TN_MOTION_SPATIAL) {
            double inverse[4], turn[4];
            tn_quat_conj(inverse, q + body->q + 3);
            tn_quat_mul(turn, dq + body->q + 3, inverse);
            for (int k = 0; k < 3; k++)
                dv[body->v + 3 + k] = 2 * turn[k + 1];
        }
    }
}

void tn_position_move(const tn_system *s, const double *q0, const double *dv, double *q1)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        int plain = body->motion == TN_MOTION_PARTICLE ? s->dimension : 3;
        for (int k = 0; k < plain; k++)
            q1[body->q + k] = q0[body->q + k] + dv[body->v + k];
        if (body->motion == TN_MOTION_SPATIAL) {
            double turn[4], moved[4];
            tn_quat_exp(turn, dv + body->v + 3);
            tn_quat_mul(moved, turn, q0 + body->q + 3);
            memcpy(q1 + body->q + 3, moved, sizeof moved);
        }
    }
}

void tn_position_normalize(const tn_system *s, double *q)
{
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].motion == TN_MOTION_SPATIAL)
            tn_quat_normalize(q + s->bodies[b].q + 3);
}

/* ---- energy and momentum ---- */

/* The potential of a force, and its power beyond the change of the potential. */
static double force_energy(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory,
                           double *power)
{
    if (force->effort_count == 0 && force->force < 0 && force->torque < 0)
        return 0;
    if (force->potential < 0) {
        *power += tn_force_power(e, s, force, memory);
        return 0;
    }
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    if (force->loss >= 0)
        *power -= tn_formula_value(force->formula, e, force->loss, 0);
    return tn_formula_value(force->formula, e, force->potential, 0);
}

double tn_constraint_power(const tn_eval *e, const tn_system *s, int constraint)
{
    const tn_structure *st = &s->structure;
    const tn_constraint *c = &s->constraints[constraint];
    double power = 0, rows[30];
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
        const double *G = tn_eval_block(e, s, constraint, b, rows);
        for (int r = 0; r < c->rows; r++)
            for (int j = 0; j < w; j++)
                power += e->lambda[c->row + r] * G[r * w + j] * e->v[first + j];
    }
    return power;
}

tn_energy tn_system_energy(tn_eval *e, const tn_system *s, const double *memory)
{
    tn_energy sum = { 0 };
    bool uniform = !s->gravity_formula;        /* changing gravity has no potential */
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (body->port)
            continue;
        double spin[3] = { 0, 0, body->moments[2] * e->w[b][2] };
        if (body->motion == TN_MOTION_SPATIAL)
            tn_spin(e, s, b, spin);
        sum.kinetic += 0.5 * tn_dot3(spin, e->w[b]);
        for (int k = 0; k < s->dimension; k++) {
            double weight = body->mass * e->gravity[k];
            sum.kinetic += 0.5 * body->mass * e->v[body->v + k] * e->v[body->v + k];
            sum.potential -= uniform ? weight * e->q[body->q + k] : 0;
            sum.power += uniform ? 0 : weight * e->v[body->v + k];
        }
    }
    for (int k = 0; k < s->force_count; k++)
        sum.potential += force_energy(e, s, &s->forces[k], memory, &sum.power);
    sum.power += tn_eval_pull_power(e, s);
    double loss = 0;
    if (s->field && s->field->add(s->field, e, s, NULL, &sum.potential, &loss) < 0)
        sum.potential = NAN;
    sum.power -= loss;
    for (int i = 0; s->works && i < s->constraint_count; i++)
        if (s->constraints[i].works)
            sum.power += tn_constraint_power(e, s, i);
    for (int i = 0; s->separation_count > 0 && i < s->constraint_count; i++)
        sum.power += tn_separation_power(e, s, &s->constraints[i]);
    for (int k = 0; k < s->layout.slide_count; k++) {
        const tn_slide *slide = &s->layout.slides[k];
        sum.power += tn_slide_load(e, s, slide) * tn_eval_slide_power(e, s, memory, slide);
    }
    return sum;
}

void tn_system_momentum(const tn_eval *e, const tn_system *s, double linear[3], double angular[3])
{
    tn_zero3(linear);
    tn_zero3(angular);
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (body->port)
            continue;
        double r[3] = { 0 }, p[3] = { 0 }, spin[3] = { 0 }, part[3];
        for (int k = 0; k < s->dimension; k++) {
            r[k] = e->q[body->q + k];
            p[k] = body->mass * e->v[body->v + k];
        }
        if (body->motion == TN_MOTION_PLANAR)
            spin[2] = body->moments[2] * e->v[body->v + 2];
        if (body->motion == TN_MOTION_SPATIAL)
            tn_spin(e, s, b, spin);
        tn_cross3(part, r, p);
        tn_add3(linear, linear, p);
        tn_add3(angular, angular, part);
        tn_add3(angular, angular, spin);
    }
}

/* ---- reactions ---- */

void tn_body_wrench(const tn_eval *e, const tn_system *s, int b, const double f[6], const double point[3],
                    tn_wrench *out)
{
    const tn_sys_body *body = &s->bodies[b];
    double arm[3] = { 0 }, part[3];
    *out = (tn_wrench){ { 0 }, { 0 } };
    for (int k = 0; k < s->dimension; k++)
        out->force[k] = f[k];
    if (body->motion == TN_MOTION_PLANAR)
        out->torque[2] = f[2];
    if (body->motion == TN_MOTION_SPATIAL)
        tn_copy3(out->torque, f + 3);
    tn_copy3(arm, point);
    for (int k = 0; k < s->dimension; k++)
        arm[k] -= e->q[body->q + k];
    tn_cross3(part, arm, out->force);
    tn_sub3(out->torque, out->torque, part);
}

/* G'lambda on the body of a slot, torque taken about the given world point. */
static void slot_wrench(const tn_eval *e, const tn_system *s, const tn_constraint *c, int slot, const double point[3],
                        tn_wrench *out)
{
    const tn_structure *st = &s->structure;
    int block = st->block_begin[c - s->constraints] + c->blocks[slot], b = st->block_body[block];
    int w = st->body_column[b + 1] - st->body_column[b];
    double sum[6] = { 0 }, rows[30];
    const double *G = tn_eval_block(e, s, (int)(c - s->constraints), block, rows);
    for (int r = 0; r < c->rows; r++)
        for (int j = 0; j < w; j++)
            sum[j] += G[r * w + j] * e->lambda[c->row + r];
    tn_add_separation(e, s, c, slot, sum);
    tn_body_wrench(e, s, b, sum, point, out);
}

void tn_constraint_wrench(const tn_eval *e, const tn_system *s, int constraint, int slot, tn_wrench *out)
{
    const tn_constraint *c = &s->constraints[constraint];
    tn_frame_motion m;
    *out = (tn_wrench){ { 0 }, { 0 } };
    tn_frame_motion_of(e, s, &s->frames[c->frames[slot]], &m);
    if (c->blocks[slot] >= 0) {
        slot_wrench(e, s, c, slot, m.p, out);
        return;
    }
    /* ground feels the opposite of the force on the other body */
    slot_wrench(e, s, c, slot ^ 1, m.p, out);
    for (int k = 0; k < 3; k++) {
        out->force[k] = -out->force[k];
        out->torque[k] = -out->torque[k];
    }
}

double tn_eval_largest_reaction(const tn_eval *e, const tn_system *s)
{
    const tn_structure *k = &s->structure;
    double most = 0, rows[30];
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            const int w = tn_width_of(k, k->block_body[b]);
            const double *G = tn_eval_block(e, s, c, b, rows);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = 0; j < w; j++)
                    most = fmax(most, fabs(G[j] * e->lambda[r]));
        }
    return most;
}
