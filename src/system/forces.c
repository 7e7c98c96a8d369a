/* Evaluates the forces on the bodies at a point of the motion, and their power. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "external.h"
#include "formula_batch.h"
#include "vec.h"

/* Adds a wrench at a world point to a body's generalised forces. */
static void add_wrench(tn_eval *e, const tn_system *s, int b, const double point[3], const tn_wrench *wrench,
                       double sign)
{
    if (b < 0)
        return;
    const tn_sys_body *body = &s->bodies[b];
    double arm[3] = { point[0], point[1], 0 }, torque[3];
    for (int k = 0; k < s->dimension; k++) {
        arm[k] = point[k] - e->q[body->q + k];
        e->f[body->v + k] += sign * wrench->force[k];
    }
    if (body->motion == TN_MOTION_PARTICLE)
        return;
    tn_cross3(torque, arm, wrench->force);
    tn_add3(torque, torque, wrench->torque);
    if (body->motion == TN_MOTION_PLANAR)
        e->f[body->v + 2] += sign * torque[2];
    else
        tn_axpy3(e->f + body->v + 3, sign, torque);
}

static tn_wrench wrench_of(const tn_eval *e, const tn_sys_force *force)
{
    tn_wrench wrench = { { 0 }, { 0 } };
    for (int k = 0; k < 3; k++) {
        if (force->force >= 0)
            wrench.force[k] = tn_tape_value(force->formula->tape, e->work, force->force, k, 0);
        if (force->torque >= 0)
            wrench.torque[k] = tn_tape_value(force->formula->tape, e->work, force->torque, k, 0);
    }
    return wrench;
}

/* The parameter whose expression is not finite, -1: none. Outputs of parameters come first, in order. */
static int guilty_parameter(const tn_eval *e, const tn_force *source, const tn_formula *formula)
{
    const tn_parameter_decl *declared = source->type->parameters;
    for (int k = 0, n = 0; source->expressions && k < TN_FORCE_PARAMETERS && declared[k].name; k++)
        if (source->expressions[k] && strcmp(declared[k].unit, TN_UNIT_TABLE) != 0 &&
            !isfinite(tn_formula_value(formula, e, n++, 0)))
            return k;
    return -1;
}

static void note_trouble(tn_eval *e, const tn_system *s, const tn_sys_force *force)
{
    const tn_force *source = &s->model->forces[force->source];
    char why[80] = "no finite number";
    if (e->failed)
        return;
    int outputs = tn_tape_outputs(force->formula->tape), guilty = guilty_parameter(e, source, force->formula);
    for (int k = 0; k < outputs; k++)
        if (tn_tape_trouble(force->formula->tape, e->work, k, why, sizeof why))
            break;
    e->failed = source->entity.name;
    e->failed_span = guilty >= 0 ? source->expressions[guilty]->span : source->entity.span;
    char what[200];
    if (guilty >= 0)
        snprintf(what, sizeof what, "%s '%.80s': '%.60s'", tn_force_word(source), e->failed, source->type->parameters[guilty].name);
    else
        tn_force_equations(what, sizeof what, source);
    snprintf(e->trouble, sizeof e->trouble, "%.155s: %s", what, why);
}

/* A device that has states only, or nothing: values are enough. False: there is more to do. */
static bool evaluate_rates(tn_eval *e, const tn_sys_force *force, const double *memory)
{
    const tn_formula *f = force->formula;
    double sum = 0;
    if (!force->type->device || force->type->device->external || force->effort_count > 0 || force->force >= 0 || force->torque >= 0)
        return false;
    if (tn_tape_outputs(f->tape) > 0)
        tn_formula_evaluate_values(f, e, memory);
    for (int k = 0; k < force->state_count; k++)
        sum += e->dz[force->state + k] = tn_formula_value(f, e, force->state_rate + k, 0);
    return isfinite(sum);
}

void tn_eval_force(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory)
{
    double sum = 0;
    if (evaluate_rates(e, force, memory))
        return;
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    for (int k = 0; k < force->effort_count; k++)
        sum += tn_formula_value(force->formula, e, force->effort + k, 0);
    const tn_external *external = force->type->device && force->type->device->external ? tn_external_of(s, force->source) : NULL;
    for (int k = 0; external && k < force->state_count; k++)
        e->dz[force->state + k] = e->network->x[external->rates[k]];
    for (int k = 0; !external && k < force->state_count; k++)
        sum += e->dz[force->state + k] = tn_formula_value(force->formula, e, force->state_rate + k, 0);
    tn_wrench wrench = wrench_of(e, force);
    if (!isfinite(sum + tn_norm3(wrench.force) + tn_norm3(wrench.torque))) {
        note_trouble(e, s, force);
        return;
    }
    for (int k = 0; k < force->effort_count; k++)
        tn_formula_add_gradient(force->formula, e, force->along + k,
                                tn_formula_value(force->formula, e, force->effort + k, 0), e->f);
    if (force->force < 0 && force->torque < 0)
        return;
    const double *point = e->leaves[TN_LEAVES * 1 + TN_LEAF_POINT].x;      /* N: slot 2 of the force's own frames */
    add_wrench(e, s, s->frames[force->frame2].body, point, &wrench, 1);
    add_wrench(e, s, s->frames[force->frame1].body, point, &wrench, -1);
}

void tn_eval_drives(tn_eval *e, const tn_system *s, const double *memory)
{
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s); k++) {
        tn_formula_evaluate(s->state[k].formula, e, memory, NULL, 0);
        e->dz[k] = tn_formula_value(s->state[k].formula, e, 0, 0);
    }
}

/* Rates of devices that are alike. False: some are no finite numbers, and have to be found by themselves. */
static bool evaluate_alike(tn_eval *e, const tn_system *s, const double *memory)
{
    double sum = 0;
    if (!s->network || !s->network->rated)
        return false;
    tn_formula_batches_run(s->network->rates, e, memory, e->dz);
    for (int k = 0; k < s->force_count; k++)
        for (int n = 0; s->network->rated[k] && n < s->forces[k].state_count; n++)
            sum += e->dz[s->forces[k].state + n];
    return isfinite(sum);
}

void tn_eval_forces(tn_eval *e, const tn_system *s, const double *memory)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        double *f = e->f + body->v;
        if (body->port) {                          /* the component applies gravity to its own bodies */
            memset(f, 0, (size_t)(s->dimension == 2 ? 3 : 6) * sizeof(double));
            continue;
        }
        for (int k = 0; k < s->dimension; k++)
            f[k] = body->mass * e->gravity[k];
        if (body->motion == TN_MOTION_PLANAR)
            f[2] = 0;
        if (body->motion == TN_MOTION_SPATIAL) {
            double spin[3];
            tn_spin(e, s, b, spin);
            tn_cross3(f + 3, spin, e->w[b]);       /* - w x J w */
        }
    }
    tn_eval_drives(e, s, memory);
    if (s->network)
        tn_network_evaluate(e, s, memory);
    const bool *done = evaluate_alike(e, s, memory) ? s->network->rated : NULL;
    for (int k = 0; k < s->force_count; k++)
        if (!done || !done[k])
            tn_eval_force(e, s, &s->forces[k], memory);
    tn_eval_separations(e, s, memory);
    tn_eval_pull(e, s);
    tn_eval_field(e, s);
    if (e->push)
        e->push(e, e->push_user);
}

double tn_force_parameter_value(tn_eval *e, const tn_system *s, const tn_sys_force *force, int parameter,
                                const double *memory)
{
    const tn_force *source = &s->model->forces[force->source];
    int output = 0;
    if (!source->expressions || !source->expressions[parameter])
        return source->parameters[parameter];
    for (int k = 0; k < parameter; k++)
        output += source->expressions[k] && strcmp(source->type->parameters[k].unit, TN_UNIT_TABLE) != 0;
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    return tn_formula_value(force->formula, e, output, 0);
}

/* ---- what one of them does ---- */

void tn_force_wrench(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory, int body,
                     const double point[3], tn_wrench *out)
{
    double sum[6] = { 0 }, arm[3], part[3];
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    for (int k = 0; k < force->effort_count; k++)
        tn_formula_add_body_gradient(force->formula, e, force->along + k,
                                     tn_formula_value(force->formula, e, force->effort + k, 0), body, sum);
    tn_body_wrench(e, s, body, sum, point, out);
    if (force->force < 0 && force->torque < 0)
        return;
    tn_wrench wrench = wrench_of(e, force);
    double sign = (s->frames[force->frame2].body == body) - (s->frames[force->frame1].body == body);
    tn_sub3(arm, e->leaves[TN_LEAVES * 1 + TN_LEAF_POINT].x, point);
    tn_cross3(part, arm, wrench.force);
    tn_add3(wrench.torque, wrench.torque, part);
    tn_axpy3(out->force, sign, wrench.force);
    tn_axpy3(out->torque, sign, wrench.torque);
}


double tn_force_power(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory)
{
    double power = 0, turn[3];
    tn_formula_evaluate(force->formula, e, memory, NULL, 1);
    for (int k = 0; k < force->effort_count; k++)
        power += tn_formula_value(force->formula, e, force->effort + k, 0) *
                 tn_formula_value(force->formula, e, force->along + k, 1);
    if (force->force < 0 && force->torque < 0)
        return power;
    /* both ends act at N: the material point of body 1 there moves with v1 + w1 x (N - M) */
    const tn_leaf *M = e->leaves + TN_LEAF_POINT, *N = M + TN_LEAVES;
    const double *w1 = e->leaves[TN_LEAF_W].x, *w2 = e->leaves[TN_LEAVES + TN_LEAF_W].x;
    tn_wrench wrench = wrench_of(e, force);
    double arm[3];
    tn_sub3(arm, N->x, M->x);
    tn_cross3(turn, w1, arm);
    for (int k = 0; k < s->dimension; k++)
        power += wrench.force[k] * (N->dx[k] - M->dx[k] - turn[k]);
    for (int k = s->dimension == 2 ? 2 : 0; k < 3; k++)
        power += wrench.torque[k] * (w2[k] - w1[k]);
    return power;
}
