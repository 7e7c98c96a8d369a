/* Teeth that push apart: a mesh of gears bears |F| tan(pressure) normal to its pitch circles, whichever flank bears. The
 * equation of the mesh gives F as its multiplier; the type's separation, a number at velocity level, gives the direction.
 *     f += |lambda| S',   S: row of the separation
 * So f depends on reactions, like friction: the caller solves repeatedly until both agree. Where bearings hold the gears,
 * S v = 0: the motion does not depend on it, and one repetition is enough. Choosing the flank by an event would give the
 * same forces, and a mode that every analysis would have to know. */
#include <math.h>
#include <string.h>
#include "system.h"

void tn_eval_separation_row(tn_eval *e, const tn_system *s, int constraint, const double *memory)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_program *p = c->program;
    double (*rows)[6] = e->separation[c->separation];
    tn_tape_input input = tn_eval_constraint_input(e, s, constraint, memory);
    tn_tape_forward(p->equations, &input, 1, e->work);
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
    tn_tape_gradient(p->equations, e->work, p->separation, 0, e->gradient);
    memset(rows, 0, sizeof e->separation[0]);
    for (int slot = 0; slot < 2; slot++) {
        const tn_sys_frame *frame = &s->frames[c->frames[slot]];
        if (frame->body >= 0)
            tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * slot, rows[slot]);
    }
}

void tn_add_separation(const tn_eval *e, const tn_system *s, const tn_constraint *c, int slot, double force[6])
{
    if (c->separation < 0)
        return;
    int body = tn_slot_body(s, c, slot), width = tn_width_of(&s->structure, body);
    for (int k = 0; k < width; k++)
        force[k] += fabs(e->lambda[c->row]) * e->separation[c->separation][slot][k];
}

double tn_separation_power(const tn_eval *e, const tn_system *s, const tn_constraint *c)
{
    double power = 0;
    for (int slot = 0; slot < 2 && c->separation >= 0; slot++) {
        int body = tn_slot_body(s, c, slot);
        double force[6] = { 0 };
        if (body < 0)
            continue;
        tn_add_separation(e, s, c, slot, force);
        for (int k = 0; k < tn_width_of(&s->structure, body); k++)
            power += force[k] * e->v[s->bodies[body].v + k];
    }
    return power;
}

void tn_eval_separations(tn_eval *e, const tn_system *s, const double *memory)
{
    if (s->separation_count == 0 || !e->reactions_known)
        return;
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_constraint *c = &s->constraints[i];
        if (c->separation < 0)
            continue;
        tn_eval_separation_row(e, s, i, memory);
        for (int slot = 0; slot < 2; slot++) {
            int body = tn_slot_body(s, c, slot);
            if (body >= 0)
                tn_add_separation(e, s, c, slot, e->f + s->bodies[body].v);
        }
    }
}
