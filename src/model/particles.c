/* Checks of joints and forces at particles. The engine treats a particle as a body that never rotates. Whatever would hold its
 * orientation or turn it would hold other bodies instead, or be lost; a point beside it would move with it without turning. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "particles.h"
#include "vec.h"

/* m: a joint or force nearer than this is at the particle; coordinates in model files are rounded. */
static const double AT_PARTICLE = 1e-6;

static bool is_particle(const tn_model *m, uint32_t body)
{
    return body != 0 && m->bodies[body].kind == TN_BODY_PARTICLE;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool names_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !in_word(at[-1])) && !in_word(at[length]))
            return true;
    return false;
}

/* Whether the text names an axis of that side, for example "x1". */
static bool names_axis(const char *text, char side)
{
    const char axes[3][3] = { { 'x', side, 0 }, { 'y', side, 0 }, { 'z', side, 0 } };
    return names_word(text, axes[0]) || names_word(text, axes[1]) || names_word(text, axes[2]);
}

/* Whether the text names a coordinate of the joint that follows from an axis of that side. */
static bool names_turn(const tn_joint_form *form, const char *text, char side)
{
    for (int k = 0; k < tn_joint_coordinate_count(form); k++)
        if (names_word(text, form->coordinates[k].name) && names_axis(form->coordinates[k].expression, side))
            return true;
    return false;
}

/* Between a particle and a body that never turns, rows between axes are constant: only angles within other rows hold something. */
static bool holds_orientation(const tn_joint_form *form, char side, bool other_turns)
{
    const char other = side == '1' ? '2' : '1';
    for (size_t k = 0; k < TN_JOINT_EQUATIONS && form->equations[k]; k++) {
        const char *text = form->equations[k];
        bool own = names_axis(text, side) || names_turn(form, text, side);
        if (other_turns ? own && (names_axis(text, other) || names_turn(form, text, other)) : names_turn(form, text, side))
            return true;
    }
    for (size_t k = 0; k < TN_JOINT_EQUATIONS && form->velocity_equations[k]; k++)
        if (names_axis(form->velocity_equations[k], side))
            return true;
    return false;
}

/* Whether the points of a joint coincide and an angle is free: a pivot. */
static bool is_pivot(const tn_joint_form *form)
{
    bool point = false;
    for (size_t k = 0; k < TN_JOINT_EQUATIONS && form->equations[k]; k++)
        point = point || strcmp(form->equations[k], "d") == 0;
    return point && tn_joint_coordinate_count(form) > 0;
}

void tn_check_particle_joint(tn_check *check, const tn_joint *joint)
{
    const tn_model *m = check->model;
    const tn_joint_form *form = tn_joint_form_of(m, joint->type);
    const uint32_t bodies[2] = { joint->body1, joint->body2 };
    const tn_pose *frames[2] = { &joint->frame1, &joint->frame2 };
    for (int side = 0; side < 2; side++) {
        if (!is_particle(m, bodies[side]))
            continue;
        const char *particle = m->bodies[bodies[side]].entity.name;
        bool other_turns = bodies[1 - side] != 0 && !is_particle(m, bodies[1 - side]);
        double away = tn_norm3(frames[side]->p);
        if (holds_orientation(form, side == 0 ? '1' : '2', other_turns)) {
            tn_complain(check, "type '%s' holds an orientation, which particle '%s' does not have: take a joint of points "
                        "(%s), or make '%s' rigid", joint->type->name, particle,
                        m->dimension == 2 ? "revolute, pin-in-slot, rod" : "spherical, point-on-line, rod", particle);
            return;
        }
        if (away > AT_PARTICLE && (other_turns || is_pivot(form)))
            tn_complain(check, "it is %.3g m away from particle '%s', which is a point and does not turn: put it at the particle, take "
                        "a rod, or make '%s' rigid", away, particle, particle);
    }
}

void tn_check_particle_coordinate(tn_check *check, const tn_joint *joint, int coordinate)
{
    const tn_model *m = check->model;
    if (coordinate < 0 || !(is_particle(m, joint->body1) || is_particle(m, joint->body2)))
        return;
    const tn_coordinate_decl *c = &tn_joint_form_of(m, joint->type)->coordinates[coordinate];
    const char *particle = m->bodies[is_particle(m, joint->body1) ? joint->body1 : joint->body2].entity.name;
    if (names_axis(c->expression, '1') && names_axis(c->expression, '2'))
        tn_complain(check, "'%s' of joint '%s' measures an orientation, which particle '%s' does not have: make '%s' rigid", c->name,
                    joint->entity.name ? joint->entity.name : check->name, particle, particle);
}

/* The first parameter that is a torque, or a torque over something, and not zero; NULL: none. */
static const char *torque_parameter(const tn_force *force)
{
    const tn_parameter_decl *declared = force->type->parameters;
    for (size_t k = 0; k < TN_FORCE_PARAMETERS && declared[k].name; k++) {
        bool text = force->expressions && force->expressions[k];
        bool number = !isnan(force->parameters[k]) && force->parameters[k] != 0;
        if (strncmp(declared[k].unit, "N m", 3) == 0 && (text || number))
            return declared[k].name;
    }
    return NULL;
}

void tn_check_particle_force(tn_check *check, const tn_force *force)
{
    const tn_model *m = check->model;
    const uint32_t bodies[2] = { force->body1, force->body2 };
    const tn_pose *frames[2] = { &force->frame1, &force->frame2 };
    for (int side = 0; side < 2; side++) {
        if (!is_particle(m, bodies[side]))
            continue;
        const char *particle = m->bodies[bodies[side]].entity.name, *torque = torque_parameter(force);
        double away = tn_norm3(frames[side]->p);
        if (torque)
            tn_complain(check, "'%s' is a torque, which particle '%s' does not feel: leave it out, or make '%s' rigid", torque, particle,
                        particle);
        else if (side == 1 && force->type->force && names_axis(force->type->force, '2'))
            tn_complain(check, "type '%s' acts along axes of particle '%s', which has no orientation: take a force in world axes, or make "
                        "'%s' rigid", force->type->name, particle, particle);
        if (away > AT_PARTICLE)
            tn_complain(check, "it is %.3g m away from particle '%s', which is a point: put it at the particle, or make '%s' rigid", away,
                        particle, particle);
    }
}
