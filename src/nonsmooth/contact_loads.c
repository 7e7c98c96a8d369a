/* Forces and gaps of contacts, for output channels. */
#include <math.h>
#include "compliance.h"
#include "contact_rows.h"
#include "vec.h"

/* Adds the linear part of a generalized force: that on body 2, or minus that on body 1 when body 2 is ground. */
static void add_linear(const tn_session *s, const tn_touch *touch, const double *force, double factor, double out[3])
{
    const tn_system *sys = s->system;
    int two = sys->body_of[touch->key.body2], one = sys->body_of[touch->key.body1];
    const double *part = force + sys->bodies[two >= 0 ? two : one].v;
    for (int k = 0; k < sys->dimension; k++)
        out[k] += (two >= 0 ? factor : -factor) * part[k];
}

/* out = force on body 2 from the rows in force, and from sliding friction. */
static void touch_force(tn_session *s, const tn_unilateral *g, double out[3])
{
    const tn_system *sys = s->system;
    tn_stepper *st = s->stepper;
    tn_wrench w;
    tn_constraint_wrench(st->eval, sys, g->constraint, 1, &w);
    tn_copy3(out, w.force);
    for (int k = 0; k < sys->layout.slide_count; k++) {
        const tn_slide *slide = &sys->layout.slides[k];
        if (slide->constraint != g->constraint)
            continue;
        tn_eval_slide(st->eval, sys, st->memory, slide, st->slide_force);
        add_linear(s, &g->touch, st->slide_force, tn_slide_load(st->eval, sys, slide), out);
    }
}

/* out = force on body 2 from the impulses of the last time step. */
static void pressed_force(tn_session *s, const tn_unilateral *g, double out[3])
{
    tn_unilateral now = *g;
    double t1[3], t2[3];
    tn_touch_measure(&now, s);
    tn_contact_tangents(now.touch.normal, s->system->dimension, t1, t2);
    tn_touch_stretch(s, &now.touch, t1, t2);
    for (int k = 0; k < 3; k++)
        out[k] = g->force[0] * now.touch.normal[k] + g->force[1] * t1[k] + g->force[2] * t2[k];
}

static size_t place_in(const tn_contact *contact, uint32_t body)
{
    size_t k = 0;
    while (k < contact->body_count && contact->bodies[k] != body)
        k++;
    return k;
}

/* Measures a touch at the point in stepper->eval: where it is, and its force on body 2, split into normal and friction. */
static void describe_touch(tn_session *s, const tn_unilateral *g, tn_contact_touch *out)
{
    static const char *const states[] = { [TN_UNILATERAL_OPEN] = "open", [TN_UNILATERAL_RESTS] = "rests",
                                          [TN_UNILATERAL_SLIDES] = "slides", [TN_UNILATERAL_STICKS] = "sticks",
                                          [TN_UNILATERAL_PRESSED] = "pressed" };
    tn_unilateral now = *g;
    double turn[3], force[3] = { 0 };
    tn_touch_measure(&now, s);
    *out = (tn_contact_touch){ .contact = g->name, .body1 = s->model->bodies[g->touch.key.body1].entity.name,
                               .body2 = s->model->bodies[g->touch.key.body2].entity.name, .state = states[g->mode] };
    tn_copy3(out->point, now.touch.point);
    tn_copy3(out->normal, now.touch.normal);
    tn_touch_motion(s, &now.touch, out->slip, turn);
    if (tn_unilateral_closed(g))
        touch_force(s, g, force);
    else if (g->mode == TN_UNILATERAL_PRESSED)
        pressed_force(s, g, force);
    out->force = tn_dot3(force, out->normal);
    tn_copy3(out->friction, force);
    tn_axpy3(out->friction, -out->force, out->normal);
}

/* The same for a touch of shapes that give way. */
static void describe_compliant(tn_session *s, const tn_touch *touch, tn_contact_touch *out)
{
    tn_compliant_load load = tn_compliance_load(s, touch);
    *out = (tn_contact_touch){ .contact = s->unilaterals->near.names[touch->contact],
                               .body1 = s->model->bodies[touch->key.body1].entity.name,
                               .body2 = s->model->bodies[touch->key.body2].entity.name, .state = "gives way",
                               .force = load.normal };
    tn_copy3(out->point, touch->point);
    tn_copy3(out->normal, touch->normal);
    tn_copy3(out->friction, load.friction);
    tn_copy3(out->slip, load.slip);
}

/* Adds the load of a touch to that of its contact; pressed: sum of the normal forces that weigh the points so far. */
static void add_load(tn_contact_load *load, const tn_contact_touch *touch, double sign, bool sticks, double *pressed)
{
    const double least = 1e-300;               /* a touch without a force still has a point */
    double slip = tn_norm3(touch->slip), weight = touch->force > 0 ? touch->force : *pressed > 0 ? 0 : least;
    tn_axpy3(load->friction, sign, touch->friction);
    tn_axpy3(load->point, weight, touch->point);
    *pressed += weight;
    load->slip = fmax(load->slip, sticks ? 0 : slip);
    load->state = sticks ? 2 : load->state > 0 ? load->state : 1;
    load->closed++;
}

/* Adds the compliant touches of a contact. */
static void add_compliant(tn_session *s, uint32_t slot, tn_contact_load *load, double *pressed)
{
    const tn_contact *contact = &s->model->contacts[slot];
    const tn_touch *list;
    size_t count;
    if (tn_compliance_touches(&list, &count, s, 0) < 0)
        return;
    for (size_t k = 0; k < count; k++) {
        tn_contact_touch touch;
        if (list[k].contact != slot)
            continue;
        double sign = place_in(contact, list[k].key.body2) > place_in(contact, list[k].key.body1) ? 1 : -1;
        describe_compliant(s, &list[k], &touch);
        tn_axpy3(load->force, sign * touch.force, touch.normal);
        tn_axpy3(load->force, sign, touch.friction);
        load->normal += touch.force;
        add_load(load, &touch, sign, false, pressed);
    }
}

tn_contact_load tn_unilaterals_contact_load(tn_session *s, uint32_t slot)
{
    const tn_contact *contact = &s->model->contacts[slot];
    tn_contact_load load = { .closed = 0 };
    double pressed = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        tn_contact_touch touch;
        double force[3];
        bool closed = tn_unilateral_closed(g);
        if (g->limit >= 0 || g->touch.contact != slot || (!closed && g->mode != TN_UNILATERAL_PRESSED))
            continue;
        double sign = place_in(contact, g->touch.key.body2) > place_in(contact, g->touch.key.body1) ? 1 : -1;
        describe_touch(s, g, &touch);
        if (closed)
            touch_force(s, g, force);
        else
            pressed_force(s, g, force);
        tn_axpy3(load.force, sign, force);
        load.normal += closed ? s->stepper->eval->lambda[s->system->constraints[g->constraint].row] : g->force[0];
        add_load(&load, &touch, sign, g->mode == TN_UNILATERAL_STICKS || (!closed && tn_norm3(touch.slip) <= TN_UNILATERAL_NO_SLIP),
                 &pressed);
    }
    add_compliant(s, slot, &load, &pressed);
    for (int k = 0; k < 3; k++)
        load.point[k] = pressed > 0 ? load.point[k] / pressed : NAN;
    return load;
}

/* Takes the smallest gap of a contact in a list of touches, where it is smaller than *gap. */
static void take_gap(const tn_touch *list, size_t count, uint32_t slot, double *gap, double point[3])
{
    for (size_t k = 0; k < count; k++)
        if (list[k].contact == slot && !(list[k].gap >= *gap)) {
            *gap = list[k].gap;
            tn_copy3(point, list[k].point);
        }
}

double tn_unilaterals_contact_gap(tn_session *s, uint32_t slot, double point[3])
{
    const tn_touch *list;
    size_t count;
    double gap = NAN;
    point[0] = point[1] = point[2] = NAN;
    if (!s->unilaterals->near.touches || tn_contact_shapes_find(&list, &count, s, INFINITY) < 0)
        return NAN;
    take_gap(list, count, slot, &gap, point);
    if (tn_compliance_touches(&list, &count, s, INFINITY) >= 0)
        take_gap(list, count, slot, &gap, point);
    return gap;
}

int tn_session_touches(tn_contact_touch *out, size_t capacity, tn_session *s)
{
    size_t count = 0;
    TN_TRY(tn_session_evaluate(s));
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit >= 0 || g->mode == TN_UNILATERAL_OPEN)
            continue;
        if (count < capacity)
            describe_touch(s, g, &out[count]);
        count++;
    }
    const tn_touch *list;
    size_t found;
    TN_TRY(tn_compliance_touches(&list, &found, s, 0));
    for (size_t k = 0; k < found; k++, count++)
        if (count < capacity)
            describe_compliant(s, &list[k], &out[count]);
    return (int)count;
}
