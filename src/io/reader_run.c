/* Reads the sections about the run: initial, outputs, solve and expect. */
#include "file.h"
#include "reader.h"
#include "units.h"
#include "vec.h"
#include "tenon/sys/saddle.h"
#include "tenon/sys/stepper.h"

/* Names a joint's start may give: its coordinates, then their rates as "NAME_rate", then "rate" for the first. */
typedef struct start_list {
    int coordinates, count;
    char names[2 * TN_MAX_COORDINATES + 1][80];
} start_list;

static start_list start_names(const tn_joint_form *form)
{
    start_list list = { .coordinates = tn_joint_coordinate_count(form) };
    for (int rate = 0; rate < 2; rate++)
        for (int k = 0; k < list.coordinates; k++)
            snprintf(list.names[list.count++], sizeof list.names[0], rate ? "%s_rate" : "%s",
                     form->coordinates[k].name);
    if (list.coordinates > 0)
        snprintf(list.names[list.count++], sizeof list.names[0], "rate");
    return list;
}

static const char *start_candidate(void *user, size_t index)
{
    const start_list *list = user;
    return (int)index < list->count ? list->names[index] : NULL;
}

static void read_joint_start(tn_reader *r, tn_joint *joint, const tn_node *map)
{
    const tn_joint_form *form = tn_joint_form_of(r->model, joint->type);
    start_list list = start_names(form);
    const tn_key *guess = &tn_section_initial.keys[INITIAL_GUESS];
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *key = map->as.items[2 * i];
        int n = 0;
        if (strcmp(key->as.text, guess->name) == 0) {
            joint->guess = tn_read_switch(r, map->as.items[2 * i + 1], guess, false);
            continue;
        }
        while (n < list.count && strcmp(list.names[n], key->as.text) != 0)
            n++;
        if (n == list.count) {
            char hint[160];
            tn_read_error(r, key->span, "a %s joint has no coordinate '%.60s'%s", joint->type->name, key->as.text,
                          tn_did_you_mean(hint, sizeof hint, key->as.text, start_candidate, &list));
            continue;
        }
        bool is_rate = n >= list.coordinates;
        int k = n % list.coordinates;
        char unit[40];
        snprintf(unit, sizeof unit, is_rate ? "%s/s" : "%s", form->coordinates[k].unit);
        tn_read_quantity(r, map->as.items[2 * i + 1], key->as.text, unit, TN_ANY_SIGN,
                         is_rate ? &joint->start_rate[k] : &joint->start[k]);
    }
}

static const char *state_candidate(void *user, size_t index)
{
    const tn_force_type *type = user;
    return index < TN_FORCE_STATES ? type->states[index].name : NULL;
}

static void read_force_start(tn_reader *r, tn_force *force, const tn_node *map)
{
    const tn_force_type *type = force->type;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *key = map->as.items[2 * i];
        int k = 0;
        while (k < TN_FORCE_STATES && type->states[k].name != NULL && strcmp(type->states[k].name, key->as.text) != 0)
            k++;
        if (k == TN_FORCE_STATES || type->states[k].name == NULL) {
            char hint[160];
            tn_read_error(r, key->span, "type %s has no state '%.60s'%s", type->name, key->as.text,
                          tn_did_you_mean(hint, sizeof hint, key->as.text, state_candidate, (void *)(uintptr_t)type));
            continue;
        }
        const char *unit = type->states[k].unit != NULL ? type->states[k].unit : force->unit;
        char meant[40];
        tn_read_quantity(r, map->as.items[2 * i + 1], key->as.text,
                         tn_unit_for(unit, tn_force_along_angle(r->model, force), meant, sizeof meant), TN_ANY_SIGN,
                         &force->start[k]);
    }
}

/* The speed of a drive that is given by its acceleration. */
static void read_drive_start(tn_reader *r, tn_joint *drive, const tn_node *map)
{
    const tn_joint *driven = &r->model->joints[drive->terms[0].joint];
    const tn_joint_form *form = tn_joint_form_of(r->model, driven->type);
    char unit[40];
    snprintf(unit, sizeof unit, "%s/s", form->coordinates[drive->terms[0].coordinate].unit);
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *key = map->as.items[2 * i];
        if (strcmp(key->as.text, "speed") == 0 && tn_joint_uses_speed(tn_joint_form_of(r->model, drive->type)))
            tn_read_quantity(r, map->as.items[2 * i + 1], "speed", unit, TN_ANY_SIGN, &drive->start_rate[0]);
        else
            tn_read_error(r, key->span, "a drive has no start but 'speed', where its acceleration is given");
    }
}

static void read_body_start(tn_reader *r, tn_body *body, const tn_node *map)
{
    const tn_key *keys = tn_section_initial.keys;
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, map, &tn_section_initial, values, NULL, 0, NULL))
        return;
    tn_pose pose = body->pose;
    unsigned char given = 0;
    tn_read_from_world(r, &pose);
    if (tn_read_pose(r, &values[INITIAL_POSITION], &keys[INITIAL_POSITION], &pose)) {
        tn_read_to_world(r, &pose);
        body->pose = pose;
        body->place_free = values[INITIAL_POSITION] == NULL && (body->place_free || !body->placed);
        body->placed = true;
        given |= values[INITIAL_POSITION] != NULL ? TN_GIVEN_POSITION : 0;
        given |= values[INITIAL_ANGLE] != NULL || values[INITIAL_ROTATION] != NULL ? TN_GIVEN_ROTATION : 0;
    }
    if (tn_read_vector(r, values[INITIAL_VELOCITY], &keys[INITIAL_VELOCITY], body->velocity)) {
        tn_read_turn(r, body->velocity);
        given |= TN_GIVEN_VELOCITY;
    }
    if (tn_read_spin(r, values[INITIAL_ANGULAR_VELOCITY], &keys[INITIAL_ANGULAR_VELOCITY], body->angular_velocity)) {
        tn_read_turn(r, body->angular_velocity);
        given |= TN_GIVEN_SPIN;
    }
    if (body->kind == TN_BODY_PARTICLE)
        tn_read_no_turn(r, values[INITIAL_ANGLE], values[INITIAL_ROTATION], values[INITIAL_ANGULAR_VELOCITY]);
    body->given |= given;
    if (tn_read_switch(r, values[INITIAL_GUESS], &keys[INITIAL_GUESS], false))
        body->given = 0;
}

/* "bike.lean_rate": 0.5, on a channel or a named expression; the session knows which there are. */
static void read_condition(tn_reader *r, const tn_node *name, const tn_node *node)
{
    tn_output_info info = { 0 };
    tn_model_condition condition = { .channel = name->as.text, .owner = r->prefix, .span = name->span };
    if (r->prefix != NULL && (condition.channel = tn_read_path(r, name->as.text)) == NULL)
        return;
    if (!tn_plain_number(node->as.text, &condition.value) &&
        !tn_read_expression(r, node, name->as.text, &condition.value, &info))
        return;
    condition.dim = info.dim;
    condition.dim_known = info.dim_known && !tn_dim_equal(info.dim, TN_DIM_NUMBER);
    tn_read_ok(r, tn_model_add_condition_at(r->model, &condition));
}

/* After the joints: those that are as built refer to where the bodies section puts the bodies. */
void tn_read_initial(tn_reader *r, const tn_node *name, const tn_node *node)
{
    tn_id id = tn_read_find(r, name->as.text);
    if (tn_model_axis(r->model, id).kind == TN_KIND_JOINT)
        id = tn_model_axis(r->model, id);
    const bool named = id.kind == TN_KIND_FORCE && r->model->forces[id.index].type->named;     /* under 'let' */
    if ((id.kind == TN_KIND_NONE || named) && node->kind == TN_NODE_TEXT && !tn_node_empty(node))
        read_condition(r, name, node);
    else if (id.kind == TN_KIND_NONE)
        tn_read_missing(r, name, "joint, body or force", name->as.text, tn_model_name_candidate, r->model);
    else if (!tn_read_is_map(r, node, name->as.text))
        return;
    else if (id.kind == TN_KIND_FORCE)
        read_force_start(r, &r->model->forces[id.index], node);
    else if (id.kind == TN_KIND_JOINT && tn_joint_motion(&r->model->joints[id.index]) != NULL)
        read_drive_start(r, &r->model->joints[id.index], node);
    else if (id.kind == TN_KIND_JOINT)
        read_joint_start(r, &r->model->joints[id.index], node);
    else if (id.kind == TN_KIND_BODY && id.index != 0)
        read_body_start(r, &r->model->bodies[id.index], node);
    else
        tn_read_error(r, name->span, "only joints, moving bodies and forces with states have a start");
}

/* { NAME: expression }: channels of the model's own. */
static void read_own_channels(tn_reader *r, const tn_node *map)
{
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *name = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const char *text = tn_read_text(r, value, name->as.text), *path = tn_read_path(r, name->as.text);
        if (path == NULL)
            return;
        if (tn_model_find(r->model, path).kind != TN_KIND_NONE || tn_model_event(r->model, path))
            tn_read_error(r, name->span, "'%.60s' is already the name of something else", name->as.text);
        else if (text != NULL)
            tn_read_ok(r, tn_model_add_output_at(r->model, path, text, r->prefix, tn_text_span(value)));
    }
}

/* Whether the subsystem being read has a channel with that path, judged by the first part of the path. */
static bool is_own(const tn_reader *r, const char *path)
{
    const tn_model *m = r->model;
    const char *rest;
    tn_id id = tn_model_split(m, path, &rest);
    if (id.kind != TN_KIND_NONE && !(id.kind == TN_KIND_SUBSYSTEM && id.index == r->subsystem.index))
        return true;
    for (size_t k = 0; k < m->output_count; k++)
        if (m->outputs[k].expression != NULL && strcmp(m->outputs[k].channel, path) == 0)
            return true;
    for (size_t k = 0; k < m->event_count; k++)
        if (tn_path_inside(path, m->events[k].name))
            return true;
    return false;
}

/* A channel as the model calls it: those of the subsystem that is read come first, "all" are all of them. */
static const char *channel_path(tn_reader *r, const char *channel)
{
    if (r->prefix == NULL)
        return channel;
    if (strcmp(channel, "all") == 0)
        return r->prefix;
    const char *path = tn_read_path(r, channel);
    return path == NULL || is_own(r, path) ? path : channel;
}

void tn_read_outputs(tn_reader *r, const tn_node *node)
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &node, "outputs", &count);
    for (size_t i = 0; i < count && r->stop == TN_OK; i++) {
        if (items[i]->kind == TN_NODE_MAP) {
            read_own_channels(r, items[i]);
            continue;
        }
        const char *channel = tn_read_text(r, items[i], "outputs");
        const char *path = channel != NULL ? channel_path(r, channel) : NULL;
        if (path != NULL)
            tn_read_ok(r, tn_model_add_output_at(r->model, path, NULL, r->prefix, items[i]->span));
    }
}

static const char *scheme_candidate(void *user, size_t index)
{
    (void)user;
    return tn_scheme_types[index] != NULL ? tn_scheme_types[index]->name : NULL;
}

static const char *integrator_candidate(void *user, size_t index)
{
    (void)user;
    return tn_integrator_types[index] != NULL ? tn_integrator_types[index]->name : NULL;
}

static const char *solver_candidate(void *user, size_t index)
{
    (void)user;
    return tn_solver_types[index] != NULL ? tn_solver_types[index]->name : NULL;
}

/* One of the names that next lists. */
static void read_method(tn_reader *r, const tn_node *node, const char *label, tn_candidates next, const char **out)
{
    const char *text = tn_read_text(r, node, label);
    if (text == NULL)
        return;
    for (size_t i = 0; next(NULL, i) != NULL; i++)
        if (strcmp(next(NULL, i), text) == 0) {
            *out = text;
            return;
        }
    char hint[160];
    tn_read_error(r, node->span, "no %s '%.60s'%s", label, text, tn_did_you_mean(hint, sizeof hint, text, next, NULL));
}

static void read_methods(tn_reader *r, const tn_node *map, tn_solve *s)
{
    const struct { const char *label; tn_candidates next; const char **out; } methods[] = {
        { "scheme", scheme_candidate, &s->scheme },
        { "integrator", integrator_candidate, &s->integrator },
        { "solver", solver_candidate, &s->solver },
    };
    for (size_t m = 0; m < TN_LENGTH(methods); m++)
        for (unsigned i = 0; i < map->count; i++)
            if (strcmp(map->as.items[2 * i]->as.text, methods[m].label) == 0)
                read_method(r, map->as.items[2 * i + 1], methods[m].label, methods[m].next, methods[m].out);
}

/* rho: { pivot: 1.5, elbow: 0.4 } */
static void read_joint_settings(tn_reader *r, const tn_parameter_decl *declared, const tn_node *map, tn_solve *s)
{
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *joint = map->as.items[2 * i], *node = map->as.items[2 * i + 1];
        double value;
        if (tn_read_quantity(r, node, declared->name, declared->unit, TN_NOT_NEGATIVE, &value) &&
            tn_solve_set_for(s, declared->name, joint->as.text, value) < 0)
            tn_read_error(r, node->span, "more than %d settings", TN_MAX_SOLVE_SETTINGS);
    }
}

/* Reads the parameters of the scheme, integrator and solver. */
static void read_settings(tn_reader *r, const tn_parameter_decl *declared, size_t count, const tn_node *const *values,
                          tn_solve *s)
{
    for (size_t k = 0; k < count; k++) {
        double value;
        if (values[k] && values[k]->kind == TN_NODE_MAP)
            read_joint_settings(r, &declared[k], values[k], s);
        else if (tn_read_quantity(r, values[k], declared[k].name, declared[k].unit, TN_NOT_NEGATIVE, &value) &&
            tn_solve_set(s, declared[k].name, value) < 0)
            tn_read_error(r, values[k]->span, "more than %d settings", TN_MAX_SOLVE_SETTINGS);
    }
}

/* A time, or "step" for every step. */
static void read_record(tn_reader *r, const tn_node *node, double *out)
{
    if (node != NULL && node->kind == TN_NODE_TEXT && strcmp(node->as.text, "step") == 0)
        *out = 0;
    else
        tn_read_number(r, node, &tn_section_solve.keys[TN_SOLVE_ROW_RECORD], out);
}

static bool names(const tn_parameter_decl *parameters, size_t count, const char *message)
{
    static const char before[] = "unknown key '";
    const char *key = strstr(message, before);
    for (size_t k = 0; key != NULL && k < count && parameters[k].name != NULL; k++) {
        size_t length = strlen(parameters[k].name);
        if (strncmp(key + sizeof before - 1, parameters[k].name, length) == 0 && key[sizeof before - 1 + length] == '\'')
            return true;
    }
    return false;
}

/* False: the unknown key is a parameter of some method. It may be that of the method whose name is wrong. */
static bool is_no_method_parameter(void *user, const tn_diagnostic *d)
{
    bool found = false;
    (void)user;
    for (int k = 0; tn_scheme_types[k] != NULL; k++)
        found |= names(tn_scheme_types[k]->parameters, TN_METHOD_PARAMETERS, d->message);
    for (int k = 0; tn_integrator_types[k] != NULL; k++)
        found |= names(tn_integrator_types[k]->parameters, TN_METHOD_PARAMETERS, d->message);
    for (int k = 0; tn_solver_types[k] != NULL; k++)
        found |= names(tn_solver_types[k]->parameters, TN_SOLVER_PARAMETERS, d->message);
    return !found;
}

bool tn_read_solve_settings(tn_reader *r, const tn_node *node, tn_solve *s)
{
    const tn_key *keys = tn_section_solve.keys;
    const tn_node *values[TN_MAX_KEYS], *settings[TN_SOLVE_PARAMETERS];
    tn_parameter_decl declared[TN_SOLVE_PARAMETERS];
    size_t before = r->errors;
    if (!tn_read_is_map(r, node, "solve"))
        return false;
    read_methods(r, node, s);
    tn_solve_drop_foreign(s);
    size_t declared_count = tn_solve_parameters(declared, s);
    tn_report_mark mark = tn_report_now(r->context);
    bool methods_known = r->errors == before;
    if (!tn_read_keys(r, node, &tn_section_solve, values, declared, declared_count, settings))
        return false;
    if (!methods_known)
        tn_report_filter(r->context, mark, is_no_method_parameter, NULL);
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        const tn_solve_row *row = &tn_solve_rows[k];
        if (k == TN_SOLVE_ROW_RECORD)
            read_record(r, values[k], &s->record);
        else if (row->kind == TN_SOLVE_NUMBER)
            tn_read_number(r, values[k], &keys[k], tn_solve_number(row, s));
        else if (row->kind == TN_SOLVE_CHOICE)
            tn_solve_set_choice(row, s, tn_read_choice(r, values[k], &keys[k], tn_solve_choice(row, s)));
    }
    read_settings(r, declared, declared_count, settings, s);
    return r->errors == before;
}

static bool names_key(const char *keys, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = keys; (at = strstr(at, name)) != NULL; at++)
        if ((at == keys || at[-1] == ' ') && at[n] == ' ')
            return true;
    return false;
}

void tn_solve_take(tn_solve *solve, const tn_solve *from, const char *keys)
{
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if (names_key(keys, tn_solve_rows[k].name))
            tn_solve_copy(&tn_solve_rows[k], solve, from);
    tn_solve_drop_foreign(solve);
    for (size_t k = 0; k < from->setting_count; k++)
        if (names_key(keys, from->settings[k].name))
            tn_solve_set_for(solve, from->settings[k].name, from->settings[k].joint, from->settings[k].value);
}

void tn_read_solve(tn_reader *r, const tn_node *node)
{
    tn_solve s = tn_model_solve(r->model);
    if (tn_read_solve_settings(r, node, &s))
        tn_read_ok(r, tn_model_set_solve_at(r->model, &s, node->span));
}

static void read_columns(tn_reader *r, const tn_node *map)
{
    if (!tn_read_is_map(r, map, "channels"))
        return;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *column = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const char *channel = tn_read_text(r, value, column->as.text);
        if (channel != NULL)
            tn_read_ok(r, tn_model_expect_column(r->model, column->as.text, channel, value->span));
    }
}

static void read_reference(tn_reader *r, const tn_node *node)
{
    const tn_key *keys = tn_section_reference.keys;
    const tn_node *values[TN_MAX_KEYS];
    double tolerance = NAN;
    if (node == NULL || !tn_read_keys(r, node, &tn_section_reference, values, NULL, 0, NULL))
        return;
    for (int k = REFERENCE_FILE; k <= REFERENCE_CHANNELS; k++)
        if (values[k] == NULL)
            tn_read_error(r, node->span, "'%s' is missing", keys[k].name);
    const char *file = tn_read_text(r, values[REFERENCE_FILE], "file");
    bool good = tn_read_number(r, values[REFERENCE_TOLERANCE], &keys[REFERENCE_TOLERANCE], &tolerance);
    read_columns(r, values[REFERENCE_CHANNELS]);
    if (file == NULL || !good)
        return;
    /* absolute, so that a run that is kept and read again elsewhere expects the same */
    const char *joined = tn_path_join(r->arena, r->folder, file);
    const char *path = joined != NULL ? tn_path_absolute(r->arena, joined) : NULL;
    if (path == NULL)
        r->stop = TN_ERROR_MEMORY;
    else
        tn_read_ok(r, tn_model_expect_reference(r->model, path, tolerance, values[REFERENCE_FILE]->span));
}

void tn_read_expect(tn_reader *r, const tn_node *node)
{
    const tn_key *keys = tn_section_expect.keys;
    const tn_node *values[TN_MAX_KEYS];
    double energy = NAN, drift = NAN;
    if (node == NULL || !tn_read_keys(r, node, &tn_section_expect, values, NULL, 0, NULL))
        return;
    tn_read_number(r, values[EXPECT_ENERGY], &keys[EXPECT_ENERGY], &energy);
    tn_read_number(r, values[EXPECT_DRIFT], &keys[EXPECT_DRIFT], &drift);
    tn_read_ok(r, tn_model_expect(r->model, energy, drift, node->span));
    const char *stop = tn_read_text(r, values[EXPECT_STOP], "stop");
    if (stop != NULL)
        tn_read_ok(r, tn_model_expect_stop(r->model, stop, values[EXPECT_STOP]->span));
    if (node->count == 0)
        tn_warn(r->context, node->span, "expect: nothing is stated; give 'energy', 'drift', 'stop' or 'reference'");
    read_reference(r, values[EXPECT_REFERENCE]);
}
