/* Numbers of a system that follow from numbers of the model: masses, frames, parameters of joints. They are computed when
 * the model is compiled, and again for the entities whose numbers an edit changes. */
#include "system.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* ---- bodies and frames ---- */

void tn_sys_body_take_mass(const tn_system *s, tn_sys_body *body)
{
    const tn_body *from = &s->model->bodies[body->source];
    double axes[3][3];
    body->mass = from->missing ? 1 : from->mass;
    body->offset = tn_pose_identity();
    tn_copy3(body->offset.p, from->com);
    if (body->motion == TN_MOTION_PLANAR)
        body->moments[2] = from->inertia[2];
    if (body->motion != TN_MOTION_SPATIAL || from->missing || body->port)
        return;
    tn_principal_axes(body->moments, axes, from->inertia);
    tn_quat_from_matrix(body->offset.q, (const double (*)[3])axes);
}

tn_sys_frame tn_system_frame(const tn_system *s, uint32_t body_slot, const tn_pose *pose)
{
    tn_sys_frame frame = { .body = s->body_of[body_slot] };
    tn_pose local = frame.body >= 0 ? tn_pose_relative(&s->bodies[frame.body].offset, pose) : *pose;
    double R[3][3];
    tn_quat_matrix(R, local.q);
    tn_copy3(frame.p, local.p);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            frame.axes[k][i] = R[i][k];
    return frame;
}

static void place_frame(tn_system *s, int index)
{
    const tn_frame_source *from = &s->frame_sources[index];
    s->frames[index] = tn_system_frame(s, from->body, &from->pose);
    for (int i = 0; from->mirrored && i < 3; i++)
        s->frames[index].axes[1][i] = -s->frames[index].axes[1][i];
}

int tn_system_add_end(tn_system *s, uint32_t body_slot, const tn_pose *pose, bool mirrored)
{
    const size_t count = (size_t)s->frame_count + 1;
    TN_TRY(tn_grow(s->context, &s->frames, &s->frame_capacity, count, sizeof *s->frames));
    TN_TRY(tn_grow(s->context, &s->frame_sources, &s->frame_source_capacity, count, sizeof *s->frame_sources));
    s->frame_sources[s->frame_count] = (tn_frame_source){ body_slot, *pose, mirrored };
    place_frame(s, s->frame_count);
    return s->frame_count++;
}

int tn_system_add_frame(tn_system *s, uint32_t body_slot, const tn_pose *pose)
{
    return tn_system_add_end(s, body_slot, pose, false);
}

void tn_system_take_body(tn_system *s, uint32_t slot)
{
    tn_sys_body *body = &s->bodies[s->body_of[slot]];
    const tn_pose before = body->offset;
    tn_sys_body_take_mass(s, body);
    if (memcmp(&before, &body->offset, sizeof before) == 0)
        return;
    for (int k = 0; k < s->frame_count; k++)           /* frames of attached joints have ground as source */
        if (s->frame_sources[k].body == slot)
            place_frame(s, k);
    tn_layout_place_frames(s);
}

/* ---- joints ---- */

int tn_joint_parameter_count(const tn_joint_type *type)
{
    int count = 0;
    while (count < TN_JOINT_PARAMETERS && type->parameters[count].name)
        count++;
    return count;
}

bool tn_system_can_take_joint(const tn_system *s, uint32_t slot, int parameter, double value)
{
    const tn_joint_type *type = s->model->joints[slot].type;
    const int constraint = s->constraint_of[slot];
    if (constraint < 0)
        return false;
    const bool separates = type->separates_by && strcmp(type->parameters[parameter].name, type->separates_by) == 0;
    return !separates || (s->constraints[constraint].separation >= 0) == (value != 0);
}

void tn_system_take_joint(tn_system *s, uint32_t slot)
{
    const tn_joint *joint = &s->model->joints[slot];
    tn_constraint *c = &s->constraints[s->constraint_of[slot]];
    for (int k = 0; k < tn_joint_parameter_count(joint->type); k++)
        if (!isnan(joint->parameters[k]))              /* found as built: stays */
            c->parameters[k] = joint->parameters[k];
    for (int i = 0; i < s->constraint_count; i++)
        tn_take_coupled_parameters(s, &s->constraints[i], tn_constraint_joint(s, i));
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_take_joint_parameters(s->formulas[k]);
}

void tn_system_find_works(tn_system *s, tn_eval *e, const double *q, const double *memory)
{
    tn_eval_motion(e, s, 0, q, NULL);
    tn_eval_constraints(e, s, memory, 1, false);
    s->works = false;
    for (int i = 0; i < s->constraint_count; i++) {
        tn_constraint *c = &s->constraints[i];
        if (!c->attached)
            c->works = c->program->timed || tn_joint_motion(&s->model->joints[c->source]) ||
                       tn_eval_velocity_gap(e, s, i) != 0;
        s->works |= c->works;
    }
}
