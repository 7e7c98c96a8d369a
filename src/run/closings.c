/* The list of joints whose gaps a session is closing gradually. */
#include <string.h>
#include "diag.h"
#include "session_impl.h"

int tn_closings_put(tn_closing_list *list, tn_context *context, const tn_closing *closing)
{
    tn_closings_drop(list, closing->joint);
    TN_TRY(tn_grow(context, &list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = *closing;
    return TN_OK;
}

void tn_closings_drop(tn_closing_list *list, uint32_t joint)
{
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++)
        if (list->items[k].joint != joint)
            list->items[kept++] = list->items[k];
    list->count = kept;
}

int tn_closings_copy(tn_closing_list *out, tn_context *context, const tn_closing_list *list)
{
    *out = (tn_closing_list){ 0 };
    TN_TRY(tn_grow(context, &out->items, &out->capacity, list->count, sizeof *out->items));
    if (list->count > 0)
        memcpy(out->items, list->items, list->count * sizeof *out->items);
    out->count = list->count;
    return TN_OK;
}

int tn_closings_carry(tn_closing_list *out, const tn_closing_list *list, const tn_model *from, const tn_model *to,
                      double t)
{
    *out = (tn_closing_list){ 0 };
    for (size_t k = 0; k < list->count; k++) {
        const tn_closing *c = &list->items[k];
        if (t <= c->begin + c->duration && c->joint < to->joint_count &&
            tn_entity_same(&from->joints[c->joint].entity, &to->joints[c->joint].entity))
            TN_TRY(tn_closings_put(out, to->context, c));
    }
    return TN_OK;
}

int tn_closings_watch(const tn_session *s)
{
    for (size_t k = 0; k < s->overlay.closings.count; k++) {
        const tn_closing *c = &s->overlay.closings.items[k];
        const double left = c->begin + c->duration - s->stepper->t;
        if (left < 0 || !(s->energy.kinetic > c->most_energy))
            continue;
        const tn_entity *joint = &s->model->joints[c->joint].entity;
        return tn_fail(s->context, TN_ERROR_STEP, joint->span, "joint '%s' is being drawn together, %.3g s before its end, and the kinetic "
                       "energy has become %.3g J, more than it may take (%.3g J): the mechanism is where it cannot follow; undo, and "
                       "bring it nearer first or draw in another time", joint->name, left, s->energy.kinetic, c->most_energy);
    }
    return TN_OK;
}

void tn_closings_free(tn_closing_list *list, tn_context *context)
{
    tn_free(context, list->items);
    *list = (tn_closing_list){ 0 };
}
