/* The list of joints whose gaps a session is closing gradually. */
#include <math.h>
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

/* Reports what is too much in a joint that is being closed. */
static int stop_closing(const tn_session *s, const tn_closing *c, const char *what, const char *unit, double is, double most)
{
    const tn_entity *joint = &s->model->joints[c->joint].entity;
    return tn_fail(s->context, TN_ERROR_STEP, joint->span, "joint '%s' is being drawn together, %.3g s before its end, and %s "
                   "%.3g %s, more than it may take (%.3g %s): the mechanism is where it cannot follow, or something holds it back; undo, "
                   "and bring it nearer first or draw in another time", joint->name, c->begin + c->duration - s->stepper->t, what, is, unit,
                   most, unit);
}

/* Force and power of a joint that is being closed, at the accepted state. */
static int watch_load(tn_session *s, const tn_closing *c)
{
    const int constraint = s->system->constraint_of[c->joint];
    double force = 0;
    if (constraint < 0 || !isfinite(c->most_force))
        return TN_OK;
    TN_TRY(tn_session_evaluate_plainly(s));
    const tn_eval *e = s->stepper->eval;
    const tn_constraint *joint = &s->system->constraints[constraint];
    for (int r = 0; r < joint->rows; r++)
        force = fmax(force, fabs(e->lambda[joint->row + r]));
    const double power = fabs(tn_constraint_power(e, s->system, constraint));
    if (force > c->most_force)
        return stop_closing(s, c, "its force has become", "N or N m", force, c->most_force);
    if (power > c->most_power)
        return stop_closing(s, c, "its power has become", "W", power, c->most_power);
    return TN_OK;
}

int tn_closings_watch(tn_session *s)
{
    for (size_t k = 0; k < s->overlay.closings.count; k++) {
        const tn_closing *c = &s->overlay.closings.items[k];
        if (c->begin + c->duration < s->stepper->t)
            continue;
        if (s->energy.kinetic > c->most_energy)
            return stop_closing(s, c, "the kinetic energy has become", "J", s->energy.kinetic, c->most_energy);
        TN_TRY(watch_load(s, c));
    }
    return TN_OK;
}

void tn_closings_free(tn_closing_list *list, tn_context *context)
{
    tn_free(context, list->items);
    *list = (tn_closing_list){ 0 };
}
