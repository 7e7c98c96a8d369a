/* Snapshots of components, in a coordinate memory: a flag, then 4 bytes in each number. Decimal text keeps such whole
 * numbers exactly. */
#include "coupling_impl.h"

#include <string.h>
#include "diag.h"

enum { BYTES = sizeof(uint32_t) };

void tn_coupling_save(const tn_eval *e, const tn_system *s, double *memory)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_coupled *component = &e->coupling->items[k];
        const tn_sys_component *of = component->of;
        double *to = memory + of->memory;
        to[0] = component->type->save(component->self, component->bytes, of->snapshot_size) == of->snapshot_size;
        for (int i = 0; i + 1 < of->memory_count; i++) {
            uint32_t piece;
            memcpy(&piece, component->bytes + i * BYTES, BYTES);
            to[i + 1] = piece;
        }
    }
}

int tn_coupling_restore(tn_eval *e, const tn_system *s, const double *memory)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        const tn_sys_component *of = component->of;
        const double *from = memory + of->memory;
        if (from[0] == 0)
            continue;
        for (int i = 0; i + 1 < of->memory_count; i++) {
            uint32_t piece = from[i + 1] >= 0 && from[i + 1] <= UINT32_MAX ? (uint32_t)from[i + 1] : 0;
            memcpy(component->bytes + i * BYTES, &piece, BYTES);
        }
        tn_coupled_leave(component);
        int code = component->type->restore(component->self, component->bytes, of->snapshot_size);
        if (code < 0)
            return tn_fail(s->context, code, s->model->subsystems[of->source].entity.span,
                           "component '%s' does not take back its snapshot%s%s", tn_sys_component_name(s, of),
                           component->instance->trouble[0] ? ": " : "", component->instance->trouble);
    }
    return TN_OK;
}

/* ---- from one system to the next ---- */

static bool same_component(const tn_system *old, const tn_sys_component *was, const tn_system *s,
                           const tn_sys_component *is)
{
    const tn_subsystem *a = &old->model->subsystems[was->source], *b = &s->model->subsystems[is->source];
    return was->source == is->source && a->entity.alive && b->entity.alive &&
           a->entity.generation == b->entity.generation && a->type == b->type &&
           memcmp(&a->world, &b->world, sizeof a->world) == 0 && was->state_count == is->state_count &&
           was->snapshot_size == is->snapshot_size;
}

static const tn_sys_component *find_before(const tn_system *old, const tn_system *s, const tn_sys_component *is)
{
    for (int k = 0; k < old->component_count; k++)
        if (same_component(old, &old->components[k], s, is))
            return &old->components[k];
    return NULL;
}

void tn_coupling_carry(const tn_system *old, const double *old_y, const double *old_memory, const tn_system *s,
                       double *v, double *memory, bool *begins)
{
    const double *old_z = old_y + old->positions + old->velocities;
    for (int k = 0; k < s->component_count; k++) {
        const tn_sys_component *is = &s->components[k], *was = find_before(old, s, is);
        begins[k] = !was;
        if (!was)
            continue;
        memcpy(v + s->velocities + is->work, old_z + was->work, (size_t)(1 + is->state_count) * sizeof(double));
        memcpy(memory + is->memory, old_memory + was->memory, (size_t)is->memory_count * sizeof(double));
    }
}
