/* Moments of components, in a coordinate memory. */
#include "boxes.h"

#include <string.h>
#include "diag.h"

/* A flag, then so many bytes to a number: each is one that decimals keep. */
enum { BYTES = 4 };

int tn_boxes_place_memory(tn_system *s)
{
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        const tn_component *c = &box->instance.component;
        box->size = c->type->save(c->self, NULL, 0);
        box->memory = s->memory;
        box->memory_count = 1 + (int)((box->size + BYTES - 1) / BYTES);
        box->bytes = tn_arena_alloc(s->arena, (size_t)box->memory_count * BYTES, 1);
        if (!box->bytes)
            return TN_ERROR_MEMORY;
        s->memory += box->memory_count;
    }
    return TN_OK;
}

void tn_boxes_save(const tn_system *s, double *memory)
{
    for (int k = 0; k < s->box_count; k++) {
        const tn_box *box = &s->boxes[k];
        const tn_component *c = &box->instance.component;
        double *to = memory + box->memory;
        to[0] = c->type->save(c->self, box->bytes, box->size) == box->size;
        for (int i = 0; i + 1 < box->memory_count; i++) {
            uint32_t piece;
            memcpy(&piece, box->bytes + i * BYTES, BYTES);
            to[i + 1] = piece;
        }
    }
}

int tn_boxes_restore(const tn_system *s, const double *memory)
{
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        const tn_component *c = &box->instance.component;
        const double *from = memory + box->memory;
        if (from[0] == 0)
            continue;
        for (int i = 0; i + 1 < box->memory_count; i++) {
            uint32_t piece = from[i + 1] >= 0 && from[i + 1] <= UINT32_MAX ? (uint32_t)from[i + 1] : 0;
            memcpy(box->bytes + i * BYTES, &piece, BYTES);
        }
        tn_box_leave(box);
        int code = c->type->restore(c->self, box->bytes, box->size);
        if (code < 0)
            return tn_fail(s->context, code, s->model->subsystems[box->source].entity.span,
                           "component '%s' does not take back its moment%s%s", tn_box_name(s, box),
                           box->instance.trouble[0] ? ": " : "", box->instance.trouble);
    }
    return TN_OK;
}
