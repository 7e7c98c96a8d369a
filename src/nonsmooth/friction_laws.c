/* Laws of touching surfaces from the model: friction of sticking and sliding, belts, grain, restitution at a speed. */
#include <math.h>
#include <string.h>
#include "impact_laws.h"
#include "unilaterals.h"
#include "vec.h"

const tn_contact_def *tn_touch_def(const tn_session *s, const tn_touch *touch)
{
    const tn_contact_def *def = &s->model->contacts[touch->contact].law;
    return tn_contact_law(def, s->model->bodies[touch->key.body1].shapes[touch->key.shape1].material,
                          s->model->bodies[touch->key.body2].shapes[touch->key.shape2].material);
}

tn_slide_law tn_touch_law(const tn_contact_def *from)
{
    /* with a grain, rows are stretched along it, so that the coefficient is that across */
    double part = from->friction_across > 0 && from->friction > 0 ? from->friction_across / from->friction : 1;
    tn_slide_law law = { .sliding = part * from->friction,
                         .sticking = part * fmax(from->friction, from->static_friction),
                         .stribeck = from->stribeck_speed, .viscous = from->viscous_friction,
                         .rolling = from->rolling_resistance, .drilling = from->drilling_radius,
                         .adhesion = from->adhesion, .carries = tn_norm3(from->surface_velocity) > 0 };
    return law;
}

/* Tells whether the surface with belt and grain, that of the contact's first body, is on body 1 of the touch. */
static bool is_on_body1(const tn_contact *contact, const tn_touch *touch)
{
    for (size_t k = 0; k < contact->body_count; k++)
        if (contact->bodies[k] == touch->key.body1 || contact->bodies[k] == touch->key.body2)
            return contact->bodies[k] == touch->key.body1;
    return true;
}

static double stretch_of(const tn_contact_def *def)
{
    return def->friction_across > 0 ? def->friction / def->friction_across - 1 : 0;
}

/* Tells whether belt and grain count in this touch: one of its bodies is the contact's first. */
static bool has_surface(const tn_contact *contact, const tn_touch *touch)
{
    return contact->bodies[0] == touch->key.body1 || contact->bodies[0] == touch->key.body2;
}

void tn_touch_law_parameters(const tn_session *s, const tn_touch *touch, double out[])
{
    const tn_contact *contact = &s->model->contacts[touch->contact];
    const tn_contact_def *def = tn_touch_def(s, touch);
    bool one = is_on_body1(contact, touch);
    double R[3][3], belt[3], grain[3], size = tn_norm3(def->grain);
    for (int k = 0; k < 9; k++)
        out[k] = 0;
    if (!has_surface(contact, touch) || (size == 0 && tn_norm3(def->surface_velocity) == 0))
        return;
    tn_quat_matrix(R, one ? touch->frame1.q : touch->frame2.q);
    tn_mul33t(belt, (const double (*)[3])R, def->surface_velocity);
    tn_mul33t(grain, (const double (*)[3])R, def->grain);
    out[one ? 0 : 1] = 1;
    for (int k = 0; k < 3; k++) {
        out[2 + k] = one ? -belt[k] : belt[k];
        out[5 + k] = size > 0 ? grain[k] / size : 0;
    }
    out[8] = stretch_of(def);
}

void tn_touch_stretch(const tn_session *s, const tn_touch *touch, double u1[3], double u2[3])
{
    const tn_contact *contact = &s->model->contacts[touch->contact];
    const tn_contact_def *def = tn_touch_def(s, touch);
    double R[3][3], grain[3], size = tn_norm3(def->grain), stretch = stretch_of(def);
    if (s->system->dimension == 2 || size == 0 || stretch == 0 || !has_surface(contact, touch))
        return;
    tn_quat_matrix(R, s->unilaterals->near.poses[contact->bodies[0]].q);
    tn_mul33(grain, (const double (*)[3])R, def->grain);
    double one = tn_dot3(u1, grain) / size, two = tn_dot3(u2, grain) / size, flat[3];
    for (int k = 0; k < 3; k++)
        flat[k] = one * u1[k] + two * u2[k];
    tn_axpy3(u1, stretch * one, flat);
    tn_axpy3(u2, stretch * two, flat);
}

void tn_touch_belt(const tn_session *s, const tn_touch *touch, double out[3])
{
    const tn_contact *contact = &s->model->contacts[touch->contact];
    const tn_contact_def *def = tn_touch_def(s, touch);
    double R[3][3];
    tn_zero3(out);
    if (!has_surface(contact, touch) || tn_norm3(def->surface_velocity) == 0)
        return;
    tn_quat_matrix(R, s->unilaterals->near.poses[contact->bodies[0]].q);
    tn_mul33(out, (const double (*)[3])R, def->surface_velocity);
    for (int k = 0; k < 3 && is_on_body1(contact, touch); k++)
        out[k] = -out[k];
}

/* Velocity of the material of a body at a point, with its belt; angular velocity. */
static void surface_motion(const tn_session *s, const tn_touch *touch, uint32_t slot, double v[3], double w[3])
{
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(s->system, slot, &identity);
    tn_frame_motion m;
    double arm[3], R[3][3], belt[3];
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    tn_sub3(arm, touch->point, m.p);
    tn_cross3(v, m.w, arm);
    tn_add3(v, v, m.v);
    tn_copy3(w, m.w);
    if (slot != s->model->contacts[touch->contact].bodies[0])
        return;
    tn_quat_matrix(R, s->unilaterals->near.poses[slot].q);
    tn_mul33(belt, (const double (*)[3])R, tn_touch_def(s, touch)->surface_velocity);
    tn_add3(v, v, belt);
}

void tn_touch_motion(const tn_session *s, const tn_touch *touch, double slip[3], double turn[3])
{
    double v1[3], w1[3], v2[3], w2[3];
    surface_motion(s, touch, touch->key.body1, v1, w1);
    surface_motion(s, touch, touch->key.body2, v2, w2);
    tn_sub3(slip, v2, v1);
    tn_sub3(turn, w2, w1);
    tn_axpy3(slip, -tn_dot3(slip, touch->normal), touch->normal);
}

double tn_unilateral_rebound(const tn_session *s, const tn_unilateral *g, double speed)
{
    if (g->limit >= 0)
        return g->restitution;
    const tn_contact_def *law = tn_touch_def(s, &g->touch);
    tn_restitution restitution = { .value = g->restitution, .count = law->restitution_count,
                                   .speeds = law->restitution_speeds, .values = law->restitutions };
    return tn_restitution_at(&restitution, speed);
}

double tn_unilateral_step_friction(tn_session *s, const tn_unilateral *g)
{
    double slip[3], turn[3];
    if (g->limit >= 0 || (g->law.sticking == g->law.sliding && g->law.viscous == 0 && g->law.drilling == 0))
        return g->friction;
    tn_touch_motion(s, &g->touch, slip, turn);
    double speed = tn_norm3(slip), spin = s->system->dimension == 3 ? g->law.drilling * fabs(tn_dot3(turn, g->touch.normal)) : 0;
    if (speed <= TN_UNILATERAL_NO_SLIP && spin <= TN_SLIDE_NO_SPIN)
        return g->law.sticking;
    return tn_slide_coefficient(&g->law, speed, spin);
}

static bool needs_events(const tn_contact_def *law)
{
    return law->adhesion > 0 || law->tangential_restitution > 0 || tn_contact_gives_way(law);
}

const tn_contact *tn_laws_need_events(const tn_model *model)
{
    for (uint32_t c = 0; c < model->contact_count; c++) {
        const tn_contact_def *law = &model->contacts[c].law;
        bool needs = needs_events(law);
        for (size_t k = 0; k < law->material_count; k++)
            needs = needs || needs_events(&law->materials[k].law);
        if (needs && tn_contact_active(model, c))
            return &model->contacts[c];
    }
    return NULL;
}

bool tn_contact_rubs(const tn_contact *contact)
{
    bool rubs = tn_touch_law(&contact->law).sticking > 0 || tn_contact_gives_way(&contact->law);
    for (size_t k = 0; k < contact->law.material_count; k++) {
        const tn_contact_def *law = &contact->law.materials[k].law;
        rubs = rubs || tn_touch_law(law).sticking > 0 || tn_contact_gives_way(law);
    }
    return rubs;
}
