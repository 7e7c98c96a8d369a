/* Snapshots of components, in a coordinate memory: a flag, then so many bytes to a number. Each is one that decimals
 * keep. */
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
