/* The list of possible inputs of a linearisation. */
#include <stdio.h>
#include <string.h>
#include "session_parts.h"

enum { UNIT_SIZE = 40 };

static int add_parameters(tn_session *s, int index)
{
    const tn_force *force = &s->model->forces[s->system->forces[index].source];
    const tn_parameter_decl *decl = force->type->parameters;
    bool angle = tn_force_along_angle(s->model, force);
    for (int k = 0; k < TN_FORCE_PARAMETERS && decl[k].name; k++) {
        char name[512], unit[UNIT_SIZE];
        if (strcmp(decl[k].unit, TN_UNIT_TABLE) == 0)
            continue;
        const char *known = tn_unit_for(decl[k].unit, angle, unit, sizeof unit);
        snprintf(name, sizeof name, "%s.%s", force->entity.name, decl[k].name);
        tn_input_place *place = &s->inputs[s->input_count++];
        *place = (tn_input_place){ .force = index, .parameter = k, .drive = -1, .state = -1 };
        place->input.name = tn_arena_strdup(s->binding, name);
        place->input.unit = tn_arena_strdup(s->binding, strcmp(known, "*") == 0 ? "" : known);
        place->input.by_expression = force->expressions && force->expressions[k] && force->type->place != TN_PLACE_NONE &&
                                     s->system->input_states == 0;
        if (!place->input.name || !place->input.unit)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

/* Where a model declares inputs, they are the default, in place of parameters given as expressions. */
static void add_declared(tn_session *s, const tn_sys_force *force)
{
    const tn_force *from = &s->model->forces[force->source];
    s->inputs[s->input_count++] = (tn_input_place){
        .input = { from->entity.name, from->unit ? from->unit : "", true }, .force = -1, .drive = -1,
        .state = force->state };
}

static void add_drive(tn_session *s, int constraint)
{
    const tn_model *m = s->model;
    const tn_joint *joint = tn_constraint_joint(s->system, constraint);
    if (!tn_joint_motion(joint))
        return;
    const tn_joint_form *form = tn_joint_form_of(m, m->joints[joint->terms[0].joint].type);
    bool angle = form->coordinates[joint->terms[0].coordinate].unit[0] == 'r';
    s->inputs[s->input_count++] = (tn_input_place){
        .input = { joint->entity.name, angle ? "rad/s^2" : "m/s^2", true }, .force = -1, .drive = constraint,
        .state = -1 };
}

static int list_inputs(tn_session *s)
{
    const tn_system *sys = s->system;
    size_t most = (size_t)sys->constraint_count + (size_t)sys->force_count * TN_FORCE_PARAMETERS;
    s->inputs = tn_arena_alloc(s->binding, most, sizeof *s->inputs);
    if (!s->inputs)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < sys->force_count; k++)
        if (!sys->forces[k].type->input)
            TN_TRY(add_parameters(s, k));
        else
            add_declared(s, &sys->forces[k]);
    for (int k = 0; k < sys->constraint_count; k++)
        add_drive(s, k);
    return TN_OK;
}

int tn_inputs_list(tn_session *s)
{
    if (s->inputs)
        return TN_OK;
    int code = list_inputs(s);
    if (code < 0) {
        s->inputs = NULL;
        s->input_count = 0;
    }
    return code;
}

size_t tn_session_possible_input_count(tn_session *s)
{
    return tn_inputs_list(s) < 0 ? 0 : s->input_count;
}

tn_possible_input tn_session_possible_input(const tn_session *s, size_t index)
{
    return index < s->input_count ? s->inputs[index].input : (tn_possible_input){ 0 };
}
