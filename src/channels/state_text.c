/* The state as text: an "initial:" section that a model file can include. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "channels.h"
#include "vec.h"

static void write_vector(FILE *out, const char *key, const double *x, int n)
{
    fprintf(out, "    %s: [", key);
    for (int k = 0; k < n; k++)
        fprintf(out, "%s%.17g", k ? ", " : "", x[k]);
    fprintf(out, "]\n");
}

static void write_body(const tn_session *s, const tn_eval *e, int b, FILE *out)
{
    const tn_system *sys = s->system;
    const tn_sys_body *body = &sys->bodies[b];
    const tn_body *from = &s->model->bodies[body->source];
    tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(sys, body->source, &identity);
    tn_frame_motion m;
    tn_frame_motion_of(e, sys, &frame, &m);
    fprintf(out, "  %s:\n", from->entity.name);
    write_vector(out, "position", m.p, sys->dimension);
    write_vector(out, "velocity", m.v, sys->dimension);
    if (body->motion == TN_MOTION_PLANAR)
        fprintf(out, "    angle: %.17g\n    angular_velocity: %.17g\n", e->q[body->q + 2], m.w[2]);
    if (body->motion != TN_MOTION_SPATIAL)
        return;
    tn_pose local = tn_pose_relative(&body->offset, &identity);
    double world[4];
    tn_quat_mul(world, tn_eval_positions(e, sys) + body->q + 3, local.q);
    fprintf(out, "    rotation: { quaternion: [%.17g, %.17g, %.17g, %.17g] }\n", world[0], world[1], world[2],
            world[3]);
    write_vector(out, "angular_velocity", m.w, 3);
}

/* Writes the states of forces and drives. States of one force are adjacent; a drive has one state, its speed. */
static void write_states(const tn_session *s, const tn_eval *e, FILE *out)
{
    const tn_system *sys = s->system;
    const tn_sys_state *before = NULL;
    for (int k = sys->component_states; k < sys->states; before = &sys->state[k++]) {
        const tn_sys_state *state = &sys->state[k];
        bool drive = state->decl == TN_STATE_OF_DRIVE;
        if (state->decl <= TN_STATE_OF_EXTERNAL)       /* an FMU starts by itself */
            continue;
        if (drive || !before || before->source != state->source)
            fprintf(out, "  %s:\n", drive ? s->model->joints[state->source].entity.name
                                         : s->model->forces[state->source].entity.name);
        fprintf(out, "    %s: %.17g\n",
                drive ? "speed" : s->model->forces[state->source].type->states[state->decl].name, e->z[k]);
    }
}

/* Writes coordinates of a joint: angles beyond half a turn, which poses do not determine, and coordinates for which the
 * model gives start values, which would otherwise contradict this state when a file includes both. */
static void write_joint(const tn_session *s, tn_eval *e, int constraint, FILE *out)
{
    const double half_turn = 3.14159265358979323846;
    const tn_system *sys = s->system;
    const tn_joint *joint = tn_constraint_joint(sys, constraint);
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    double values[TN_MAX_COORDINATES], rates[TN_MAX_COORDINATES];
    bool named = false;
    tn_eval_coordinates(e, sys, s->stepper->memory, constraint, 0, values);
    tn_eval_coordinates(e, sys, s->stepper->memory, constraint, 1, rates);
    for (int k = 0; k < sys->coordinates[constraint].count; k++) {
        const char *name = form->coordinates[k].name;
        bool turned = strcmp(form->coordinates[k].unit, "rad") == 0 && fabs(values[k]) > half_turn;
        bool value = turned || !isnan(joint->start[k]), rate = !isnan(joint->start_rate[k]);
        if ((value || rate) && !named)
            fprintf(out, "  %s:\n", joint->entity.name);
        named |= value || rate;
        if (value)
            fprintf(out, "    %s: %.17g\n", name, values[k]);
        if (rate)
            fprintf(out, "    %s_rate: %.17g\n", name, rates[k]);
    }
}

int tn_session_write_state(const tn_session *s, FILE *out)
{
    const tn_stepper *st = s->stepper;
    tn_eval *e = st->eval;
    /* evaluates the motion only; the text needs no solution */
    tn_eval_motion(e, s->system, st->t, st->y, st->y + s->system->positions);
    fprintf(out, "# state of '%s' at t = %.17g s\ninitial:\n", s->model->name ? s->model->name : "", st->t);
    for (int b = 0; b < s->system->body_count; b++)
        write_body(s, e, b, out);
    write_states(s, e, out);
    for (int i = 0; i < s->system->constraint_count; i++)
        if (tn_constraint_joint(s->system, i)->type->joints == 0)
            write_joint(s, e, i, out);
    return ferror(out) ? TN_ERROR_FILE : TN_OK;
}
