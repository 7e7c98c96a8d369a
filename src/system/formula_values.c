/* Values and gradients of compiled formulas at a state. */
#include "formula.h"

#include <math.h>
#include <string.h>
#include "hybrid.h"
#include "delay.h"
#include "system.h"
#include "vec.h"

static double reaction_size(const tn_eval *e, const tn_system *s, int constraint)
{
    tn_wrench wrench;
    if (!e->reactions_known)
        return 0;
    tn_constraint_wrench(e, s, constraint, 1, &wrench);
    return tn_norm3(wrench.force);
}

/* The force or torque by which a device holds its port: minus the multiplier of the joint that is attached for it. */
static double hold_size(const tn_eval *e, const tn_system *s, int sampler)
{
    for (int k = 0; k < s->layout.hold_count; k++)
        if (s->layout.holders[k] == sampler)
            return -e->lambda[s->constraints[s->own_constraints + k].row];
    return 0;
}

static void load_slot(const tn_eval *e, const tn_system *s, const tn_slot *slot, const double *memory, const double *late,
                      tn_leaf *leaf)
{
    const tn_sys_body *body;
    switch (slot->kind) {
    case TN_SLOT_FRAME:
        tn_load_frame(e, s, &s->frames[slot->index], leaf);
        return;
    case TN_SLOT_ANGLE:
        body = &s->bodies[slot->index];
        leaf->x[0] = e->q[body->q + 2] + slot->offset;
        leaf->dx[0] = e->v ? e->v[body->v + 2] : 0;
        break;
    case TN_SLOT_STATE:
        leaf->x[0] = e->z[slot->index];
        leaf->dx[0] = e->dz[slot->index];
        break;
    case TN_SLOT_INPUT:
        leaf->x[0] = e->z[slot->index];
        leaf->dx[0] = e->z[slot->index + 1];
        break;
    case TN_SLOT_UNKNOWN:
        leaf->x[0] = e->network->x[slot->index];
        leaf->dx[0] = 0;
        break;
    case TN_SLOT_MEMORY:
        leaf->x[0] = memory[slot->index];
        leaf->dx[0] = 0;
        break;
    case TN_SLOT_DELAYED:
        tn_delay_read(&s->network->delays[slot->index], e->t, memory, &leaf->x[0], &leaf->dx[0]);
        break;
    case TN_SLOT_HOLD:
        leaf->x[0] = hold_size(e, s, slot->index);
        leaf->dx[0] = 0;
        break;
    case TN_SLOT_REACTION:
        leaf->x[0] = reaction_size(e, s, slot->index);
        leaf->dx[0] = 0;
        break;
    case TN_SLOT_LATE:
        leaf->x[0] = late[slot->index];
        leaf->dx[0] = 0;
        break;
    }
    leaf->ddx[0] = 0;
}

static tn_tape_input fill_leaves(const tn_formula *f, tn_eval *e, const double *memory, const double *late)
{
    if (f->uses_network)
        tn_network_evaluate(e, f->system, memory);
    for (int k = 0; k < f->slot_count; k++)
        load_slot(e, f->system, &f->slots[k], memory, late, e->leaves + TN_LEAVES * k);
    for (int k = 0; k < f->memory_count; k++)
        e->memory_work[k] = memory[f->memory[k]];
    tn_tape_input input = { .t = e->t, .leaves = e->leaves, .parameters = f->parameters, .memory = e->memory_work };
    if (f->branch >= 0) {
        input.branches = tn_hybrid_settled(f->system, memory) ? memory + f->branch : NULL;
        input.record = e->network->record;
    }
    return input;
}

void tn_formula_evaluate(const tn_formula *f, tn_eval *e, const double *memory, const double *late, int order)
{
    const tn_tape_input input = fill_leaves(f, e, memory, late);
    tn_tape_forward(f->tape, &input, order > f->order ? order : f->order, e->work);
}

void tn_formula_evaluate_values(const tn_formula *f, tn_eval *e, const double *memory)
{
    const tn_tape_input input = fill_leaves(f, e, memory, NULL);
    if (f->order > 0)
        tn_tape_forward(f->tape, &input, f->order, e->work);
    else
        tn_tape_values(f->tape, &input, e->work);
}

double tn_formula_value(const tn_formula *f, const tn_eval *e, int output, int derivative)
{
    return tn_tape_value(f->tape, e->work, output, 0, derivative);
}

int tn_formula_slot_body(const tn_formula *f, int slot)
{
    switch (f->slots[slot].kind) {
    case TN_SLOT_FRAME: return f->system->frames[f->slots[slot].index].body;
    case TN_SLOT_ANGLE: return f->slots[slot].index;
    default: return -1;
    }
}

static void take_gradient(const tn_formula *f, tn_eval *e, int output)
{
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * f->slot_count) * sizeof(double));
    tn_tape_gradient(f->tape, e->work, output, 0, e->gradient);
}

/* Adds factor times this slot's part of the last gradient to the row over the velocities of its body. */
static void add_slot(const tn_formula *f, const tn_eval *e, int slot, double factor, double *row)
{
    const tn_system *s = f->system;
    const double *gradient = e->gradient + 3 * TN_LEAVES * slot;
    int body = tn_formula_slot_body(f, slot), n = s->structure.body_column[body + 1] - s->bodies[body].v;
    double part[6] = { 0 };
    if (f->slots[slot].kind == TN_SLOT_ANGLE)
        part[2] = gradient[0];
    else
        tn_add_frame_gradient(e, s, &s->frames[f->slots[slot].index], gradient, part);
    for (int j = 0; j < n; j++)
        row[j] += factor * part[j];
}

void tn_formula_add_gradient(const tn_formula *f, tn_eval *e, int output, double factor, double *row)
{
    take_gradient(f, e, output);
    for (int k = 0; k < f->slot_count; k++)
        if (tn_formula_slot_body(f, k) >= 0)
            add_slot(f, e, k, factor, row + f->system->bodies[tn_formula_slot_body(f, k)].v);
}

void tn_formula_add_body_gradient(const tn_formula *f, tn_eval *e, int output, double factor, int body, double row[6])
{
    take_gradient(f, e, output);
    for (int k = 0; k < f->slot_count; k++)
        if (tn_formula_slot_body(f, k) == body)
            add_slot(f, e, k, factor, row);
}
