/* Invariants of a model, for TN_ASSERT: living entities only refer to living entities. */
#include "entities.h"

static bool has_body(const tn_model *m, uint32_t body)
{
    return body < m->body_count && m->bodies[body].entity.alive;
}

static bool has_joint(const tn_model *m, uint32_t joint)
{
    return joint < m->joint_count && m->joints[joint].entity.alive;
}

static bool joint_is_sound(const tn_model *m, const tn_joint *joint)
{
    for (size_t k = 0; k < joint->term_count; k++)
        if (!has_joint(m, joint->terms[k].joint))
            return false;
    return joint->term_count > 0 || (has_body(m, joint->body1) && has_body(m, joint->body2));
}

static bool force_is_sound(const tn_model *m, const tn_force *force)
{
    if (force->type->place == TN_PLACE_NONE)
        return true;
    return has_body(m, force->body1) && has_body(m, force->body2) &&
           (force->type->place != TN_PLACE_JOINT || has_joint(m, force->joint));
}

static bool contact_is_sound(const tn_model *m, const tn_contact *contact)
{
    for (size_t k = 0; k < contact->body_count; k++)
        if (!has_body(m, contact->bodies[k]))
            return false;
    return contact->body_count >= 2;
}

bool tn_model_is_sound(const tn_model *m)
{
    bool good = m->body_count > 0 && m->bodies[0].entity.alive;        /* ground */
    for (size_t k = 0; k < m->frame_count; k++)
        good = good && (!m->frames[k].entity.alive || has_body(m, m->frames[k].body));
    for (size_t k = 0; k < m->joint_count; k++)
        good = good && (!m->joints[k].entity.alive || joint_is_sound(m, &m->joints[k]));
    for (size_t k = 0; k < m->force_count; k++)
        good = good && (!m->forces[k].entity.alive || force_is_sound(m, &m->forces[k]));
    for (size_t k = 0; k < m->contact_count; k++)
        good = good && (!m->contacts[k].entity.alive || contact_is_sound(m, &m->contacts[k]));
    for (size_t k = 0; k < m->limit_count; k++)
        good = good && has_joint(m, m->limits[k].joint);
    return good;
}
