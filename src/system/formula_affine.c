/* Formulas of devices that are affine in what they read: sums of states, unknowns and memories with constant factors. Most
 * equations of a network are, such as the balance of a node with resistors. The tape gives their factors, which are the
 * derivatives, once, and again when numbers of the model are set. Values come from the tape: it takes differences of voltages
 * first, where a sum with factors would leak a current of the size of round-off. Only runs at loose tolerances take the sum. */
#include <string.h>
#include "device_network.h"

/* Longer formulas are evaluated by their tapes: the workspace below is on the stack. */
enum { MOST_SLOTS = 40, MOST_WORK = 4000 };

static bool has_plain_slots(const tn_formula *f)
{
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind != TN_SLOT_STATE && f->slots[k].kind != TN_SLOT_UNKNOWN && f->slots[k].kind != TN_SLOT_MEMORY)
            return false;
    return f->slot_count <= MOST_SLOTS;
}

double tn_formula_affine_value(const tn_formula *f, const tn_eval *e, const double *memory)
{
    double sum = f->affine[0];
    for (int k = 0; k < f->slot_count; k++) {
        const int index = f->slots[k].index;
        const tn_slot_kind kind = f->slots[k].kind;
        sum += f->affine[1 + k] * (kind == TN_SLOT_UNKNOWN ? e->network->x[index] : kind == TN_SLOT_STATE ? e->z[index] : memory[index]);
    }
    return sum;
}

int tn_formula_find_affine(tn_formula *f)
{
    tn_system *s = f->system;
    if (f->order > 0 || f->free_force || f->memory_count > 0 || f->joint_count > 0 || !has_plain_slots(f) ||
        tn_tape_work(f->tape) > MOST_WORK || !tn_tape_affine(f->tape))
        return TN_OK;
    f->affine = tn_arena_alloc(s->arena, (size_t)(tn_tape_outputs(f->tape) * (1 + f->slot_count)) + 1, sizeof(double));
    if (!f->affine)
        return TN_ERROR_MEMORY;
    tn_formula_take_affine(f);
    return TN_OK;
}

void tn_formula_take_affine(tn_formula *f)
{
    double work[MOST_WORK], gradient[3 * TN_LEAVES * MOST_SLOTS];
    static const tn_leaf leaves[TN_LEAVES * MOST_SLOTS];
    const tn_tape_input input = { .leaves = leaves, .parameters = f->parameters };
    if (!f->affine)
        return;
    tn_tape_forward(f->tape, &input, 0, work);
    for (int output = 0; output < tn_tape_outputs(f->tape); output++) {
        double *factors = f->affine + output * (1 + f->slot_count);
        memset(gradient, 0, (size_t)(3 * TN_LEAVES * f->slot_count) * sizeof *gradient);
        tn_tape_gradient(f->tape, work, output, 0, gradient);
        factors[0] = tn_tape_value(f->tape, work, output, 0, 0);
        for (int k = 0; k < f->slot_count; k++)
            factors[1 + k] = gradient[3 * TN_LEAVES * k];
    }
    f->system->affine_changes++;
}
