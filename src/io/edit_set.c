/* The command "set": changes single values of existing entities. */
#include "edit_impl.h"

#include "check.h"
#include "devices.h"
#include "text_agree.h"
#include <math.h>
#include <string.h>

static int find_parameter(const tn_parameter_decl *declared, size_t max, const char *name)
{
    for (size_t k = 0; k < max && declared[k].name != NULL; k++)
        if (strcmp(declared[k].name, name) == 0)
            return (int)k;
    return -1;
}

static void set_force(tn_editor *e, tn_force *force, int k, const tn_node *value)
{
    tn_model *m = e->r->model;
    char unit[40];
    const tn_parameter_decl *declared = &force->type->parameters[k];
    tn_formula_value read;
    size_t count = 0;
    bool start = force->unit != NULL && strcmp(declared->name, "initial") == 0;       /* a state keeps its unit */
    if (!tn_read_formula(e->r, value, declared->name,
                         start ? force->unit : tn_unit_for(declared->unit, tn_force_along_angle(m, force), unit,
                                                           sizeof unit), &read))
        return;
    while (count < TN_FORCE_PARAMETERS && force->type->parameters[count].name != NULL)
        count++;
    if (read.expression.text != NULL && force->expressions == NULL)
        force->expressions = tn_arena_alloc(m->arena, count, sizeof *force->expressions);
    const tn_expression *copy = read.expression.text != NULL ? tn_expression_copy(m->arena, &read.expression) : NULL;
    if (read.expression.text != NULL && (force->expressions == NULL || copy == NULL)) {
        tn_read_ok(e->r, TN_ERROR_MEMORY);
        return;
    }
    if (force->expressions != NULL)
        force->expressions[k] = copy;
    force->parameters[k] = copy != NULL ? NAN : read.number;
}

static void set_contact(tn_editor *e, tn_contact *contact, const tn_node *path, const char *key, const tn_node *value)
{
    const tn_attribute *row = tn_attribute_find(tn_contact_attributes, key);
    char text[300];
    double number;
    if (row == NULL)
        tn_read_error(e->r, path->span, "'%s' has no parameter '%.60s', only %s", contact->entity.name, key,
                      tn_attribute_names(text, sizeof text, tn_contact_attributes));
    else if (!tn_read_quantity(e->r, value, row->name, row->unit, row->sign, &number))
        return;
    else if (!tn_attribute_allows(row, number, text, sizeof text))
        tn_read_error(e->r, value->span, "%s %g %s", row->name, number, text);
    else
        *tn_attribute_place(row, &contact->law) = number;
}

/* ---- what joints have beside their equations ---- */

int tn_edit_rule_of(const char *name, const char **rest)
{
    size_t length = strcspn(name, ".");
    *rest = name[length] == '.' ? name + length + 1 : NULL;
    for (int rule = JOINT_FUSE; rule <= JOINT_RATCHET; rule++)
        if (strlen(tn_section_joint.keys[rule].name) == length &&
            strncmp(tn_section_joint.keys[rule].name, name, length) == 0)
            return rule;
    return -1;
}

void tn_edit_take_rules(tn_joint_draft *draft, const tn_model *model, tn_id joint)
{
    tn_joint_draft_begin(draft, model->joints[joint.index].type->name);
    draft->def.fuse = tn_model_fuse(model, joint);
    draft->def.latch = tn_model_latch(model, joint);
    draft->def.ratchet = tn_model_ratchet(model, joint);
    draft->def.limit_count = tn_model_limit_count(model, joint);
    for (size_t k = 0; k < draft->def.limit_count; k++)
        draft->limits[k] = tn_model_limit_at(model, joint, k);
}

static void clear_rule(tn_joint_def *def, int rule)
{
    switch (rule) {
    case JOINT_FUSE: def->fuse = (tn_fuse){ NAN, NAN }; break;
    case JOINT_LATCH: def->latch = (tn_latch){ 0 }; break;
    case JOINT_LIMITS: def->limit_count = 0; break;
    default: def->ratchet = (tn_ratchet){ 0 }; break;
    }
}

static void drop_limit(tn_reader *r, tn_joint_draft *draft, const tn_node *path, const char *coordinate)
{
    size_t kept = 0;
    for (size_t k = 0; k < draft->def.limit_count; k++)
        if (strcmp(draft->limits[k].coordinate, coordinate) != 0)
            draft->limits[kept++] = draft->limits[k];
    if (kept == draft->def.limit_count)
        tn_read_error(r, path->span, "'%.60s' is not limited", coordinate);
    draft->def.limit_count = kept;
}

/* "angle: [0, 1]", "angle: none", "angle.low: 0", "restitution: 0.5". */
static void set_limit(tn_reader *r, const tn_joint_type *type, const tn_node *path, const char *rest,
                      const tn_node *value, tn_joint_draft *draft)
{
    const tn_node key = { .span = path->span, .kind = TN_NODE_TEXT, .as.text = rest }, *pair[] = { &key, value };
    const tn_node map = { .span = path->span, .kind = TN_NODE_MAP, .count = 1, .as.items = pair };
    const char *point = strchr(rest, '.');
    char coordinate[60];
    if (point == NULL && tn_read_is_none(value)) {
        drop_limit(r, draft, path, rest);
    } else if (point == NULL) {
        if (strcmp(rest, "restitution") == 0 && draft->def.limit_count == 0)
            tn_read_error(r, path->span, "there are no limits: give those first");
        tn_read_joint_rule(r, type, JOINT_LIMITS, &map, draft);
    } else if (strcmp(point, ".low") != 0 && strcmp(point, ".high") != 0) {
        tn_read_error(r, path->span, "a limit has '%.*s.low' and '%.*s.high', no '%.60s'", (int)(point - rest), rest,
                      (int)(point - rest), rest, rest);
    } else {
        snprintf(coordinate, sizeof coordinate, "%.*s", (int)(point - rest), rest);
        tn_read_limit_end(r, type, path, coordinate, point[1] == 'l', value, draft);
        for (size_t k = 0; k < draft->def.limit_count; k++)
            if (strcmp(draft->limits[k].coordinate, coordinate) == 0 && isinf(draft->limits[k].low) &&
                isinf(draft->limits[k].high))
                drop_limit(r, draft, path, coordinate);
    }
}

int tn_edit_read_rule(tn_joint_draft *draft, tn_reader *r, tn_id joint, const tn_node *path, const char *name, const tn_node *value)
{
    const char *rest;
    const int rule = tn_edit_rule_of(name, &rest);
    const tn_joint_type *type = r->model->joints[joint.index].type;
    const tn_node key = { .span = path->span, .kind = TN_NODE_TEXT, .as.text = rest }, *pair[] = { &key, value };
    const tn_node map = { .span = path->span, .kind = TN_NODE_MAP, .count = 1, .as.items = pair };
    size_t before = r->errors;
    if (rest == NULL)
        clear_rule(&draft->def, rule);
    if (type->joints != 0)
        tn_read_error(r, path->span, "a coupling takes no '%s': its joints do", tn_section_joint.keys[rule].name);
    else if (rest == NULL && !tn_read_is_none(value))
        tn_read_joint_rule(r, type, rule, value, draft);
    else if (rest != NULL && rule == JOINT_LIMITS)
        set_limit(r, type, path, rest, value, draft);
    else if (rest != NULL)
        tn_read_joint_rule(r, type, rule, &map, draft);
    return r->errors == before ? TN_OK : TN_ERROR_MODEL;
}

static void set_rule(tn_editor *e, tn_id joint, const tn_node *path, const char *name, const tn_node *value)
{
    tn_joint_draft draft;
    tn_edit_take_rules(&draft, e->r->model, joint);
    if (tn_edit_read_rule(&draft, e->r, joint, path, name, value) == TN_OK)
        tn_read_ok(e->r, tn_model_set_rules(e->r->model, joint, &draft.def, path->span));
}

/* ---- bodies ---- */

/* A rotor has 'inertia', a slider 'mass', as in its definition: one number for both of the body. */
static void set_size(tn_reader *r, const tn_body *body, const tn_node *path, const char *name, const tn_node *value, tn_body_def *def)
{
    const tn_id axis = tn_model_axis(r->model, tn_model_find(r->model, body->entity.name));
    const bool slides = axis.kind == TN_KIND_JOINT && strcmp(r->model->joints[axis.index].type->name, "revolute") != 0;
    const tn_key *key = &tn_section_body.keys[slides ? BODY_MASS : BODY_INERTIA];
    if (strcmp(name, key->name) != 0)
        tn_read_error(r, path->span, "of %s '%s' '%s' can be set, not '%.60s'", slides ? "slider" : "rotor", body->entity.name, key->name, name);
    else
        tn_read_quantity(r, value, key->name, key->unit, TN_POSITIVE, &def->mass);
    for (int k = 0; k < 3; k++)
        def->inertia[k] = def->mass;
}

bool tn_edit_read_mass(tn_body_def *def, tn_reader *r, const tn_body *body, const tn_node *path, const char *name,
                       const tn_node *value)
{
    const tn_key *keys = tn_section_body.keys;
    size_t before = r->errors;
    *def = tn_body_default();
    def->mass = body->missing == TN_MISSING_MASS ? NAN : body->mass;
    memcpy(def->com, body->com, sizeof def->com);
    if (body->kind == TN_BODY_RIGID && body->missing == TN_MISSING_NOTHING)
        memcpy(def->inertia, body->inertia, sizeof def->inertia);
    if (body->given & TN_GIVEN_AXIS)
        set_size(r, body, path, name, value, def);
    else if (strcmp(name, keys[BODY_MASS].name) == 0)
        tn_read_number(r, value, &keys[BODY_MASS], &def->mass);
    else if (strcmp(name, keys[BODY_COM].name) == 0)
        tn_read_vector(r, value, &keys[BODY_COM], def->com);
    else if (strcmp(name, keys[BODY_INERTIA].name) == 0)
        tn_read_inertia(r, value, def->inertia);
    else
        tn_read_error(r, path->span, "of body '%s' mass, com and inertia can be set, not '%.60s'", body->entity.name,
                      name);
    return r->errors == before;
}

/* Mass, centre of mass or inertia; place and velocity stay. */
static void set_body(tn_editor *e, tn_id id, const tn_node *path, const char *name, const tn_node *value)
{
    tn_reader *r = e->r;
    tn_body_def def;
    if (tn_edit_read_mass(&def, r, &r->model->bodies[id.index], path, name, value))
        tn_read_ok(r, tn_model_set_mass(r->model, id, &def, path->span));
}

/* ---- all of them ---- */

bool tn_edit_read_joint_parameter(double *out, tn_reader *r, const tn_joint_type *type, int parameter, const tn_node *value)
{
    const tn_parameter_decl *declared = &type->parameters[parameter];
    bool positive = type->positive != NULL && strcmp(type->positive, declared->name) == 0;
    return tn_read_quantity(r, value, declared->name, declared->unit, positive ? TN_POSITIVE : TN_ANY_SIGN, out);
}

static void set_parameter(tn_editor *e, tn_id id, const tn_node *path, const char *name, const tn_node *value)
{
    tn_reader *r = e->r;
    bool force = id.kind == TN_KIND_FORCE;
    const tn_parameter_decl *declared = force ? r->model->forces[id.index].type->parameters
                                              : r->model->joints[id.index].type->parameters;
    int k = find_parameter(declared, force ? TN_FORCE_PARAMETERS : TN_JOINT_PARAMETERS, name);
    if (k < 0)
        tn_read_error(r, path->span, "'%s' has no parameter '%.60s'", tn_model_entity_name(r->model, id), name);
    else if (force && tn_force_parameter_listed(r->model->forces[id.index].type, (size_t)k))
        tn_read_error(r, path->span, "'%s' comes from the lists of '%s': replace the device to change it", name,
                      tn_model_entity_name(r->model, id));
    else if (force)
        set_force(e, &r->model->forces[id.index], k, value);
    else
        tn_edit_read_joint_parameter(&r->model->joints[id.index].parameters[k], r, r->model->joints[id.index].type, k,
                                     value);
}

/* Which item of the list "value" has the name "value.y", or of a limit the name "low"; -1: none. */
static int item_of(const tn_model *model, tn_id id, const char *name)
{
    bool force = id.kind == TN_KIND_FORCE;
    const char *point = strrchr(name, '.');
    if (point == NULL || (!force && id.kind != TN_KIND_JOINT))
        return -1;
    const tn_parameter_decl *declared = force ? model->forces[id.index].type->parameters
                                              : model->joints[id.index].type->parameters;
    int last = find_parameter(declared, force ? TN_FORCE_PARAMETERS : TN_JOINT_PARAMETERS, name), first = 0;
    if (last < 0)
        return strcmp(point, ".low") == 0 ? 0 : strcmp(point, ".high") == 0 ? 1 : -1;
    while (strncmp(declared[first].name, name, (size_t)(point - name) + 1) != 0)
        first++;
    return last - first;
}

void tn_edit_note_set(tn_editor *e, const char *path, tn_id id, const char *name)
{
    const tn_model *m = e->r->model;
    const char *section = tn_text_section(m, id);
    if (!tn_edit_is_inside(e, path, id) && section != NULL)
        tn_edit_note_value(e, section, tn_model_entity_name(m, id), name, item_of(m, id, name));
}

/* "R.at.p: bus": another node for a port; "none" leaves it open. */
static bool set_port(tn_editor *e, tn_id id, const tn_node *path, const char *name, const tn_node *value)
{
    tn_reader *r = e->r;
    const bool device = id.kind == TN_KIND_FORCE && tn_force_is_device(&r->model->forces[id.index]);
    if (!device || name == NULL || strncmp(name, "at.", 3) != 0)
        return false;
    const char *text = tn_read_text(r, value, name);
    const tn_expression to = { name + 3, text, tn_text_span(value) };
    if (text != NULL)
        tn_read_ok(r, tn_device_connect(r->model, id, name + 3, tn_read_is_none(value) ? NULL : &to, path->span));
    return true;
}

/* A path that names nothing which can be set: settings, gravity and parameters of the model have edits of their own. */
static void say_nothing_to_set(tn_reader *r, const tn_node *path)
{
    const char *full = path->as.text, *point = strchr(full, '.');
    const int first = point != NULL ? (int)(point - full) : (int)strlen(full);
    tn_node owner = *path;
    const tn_key *solve = &tn_section_command.keys[COMMAND_SOLVE], *parameters = &tn_section_command.keys[COMMAND_PARAMETERS];
    if (point != NULL && (size_t)first == strlen(solve->name) && strncmp(full, solve->name, (size_t)first) == 0)
        tn_read_error(r, path->span, "settings have an edit of their own: { %s: { %.60s: ... } }", solve->name, point + 1);
    else if (point == NULL && tn_edit_is_parameter(r->model, full))
        tn_read_error(r, path->span, "'%.60s' is a parameter of the model; write { %s: { %.60s: ... } }", full, parameters->name, full);
    else if (point == NULL)
        tn_read_error(r, path->span, "'%.60s' must be NAME.PARAMETER", full);
    else {
        char name[TN_PATH_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)(strrchr(full, '.') - full), full);
        owner.as.text = name;
        tn_read_missing(r, &owner, "body, joint, force or contact", name, tn_model_name_candidate, r->model);
    }
}

/* "spring.stiffness": the owner's name is everything before the point behind which a parameter begins. */
static void set_one(tn_editor *e, const tn_node *path, const tn_node *value)
{
    tn_reader *r = e->r;
    const char *full = tn_read_path(r, path->as.text), *name = NULL, *rest = NULL;
    if (full == NULL)
        return;
    if (strchr(path->as.text, '.') == NULL) {
        say_nothing_to_set(r, path);
        return;
    }
    tn_id id = tn_model_split(r->model, full, &name);
    const bool rule = id.kind == TN_KIND_JOINT && name != NULL && tn_edit_rule_of(name, &rest) >= 0;
    if (name != NULL && id.kind == TN_KIND_CONTACT)
        set_contact(e, &r->model->contacts[id.index], path, name, value);
    else if (name != NULL && id.kind == TN_KIND_BODY && id.index != 0)
        set_body(e, id, path, name, value);
    else if (name != NULL && id.kind == TN_KIND_SUBSYSTEM &&
             strcmp(name, tn_section_subsystem.keys[SUBSYSTEM_SOLVE].name) == 0)
        tn_read_solve_of(r, id, value);
    else if (rule)
        set_rule(e, id, path, name, value);
    else if (set_port(e, id, path, name, value))
        (void)0;
    else if (name != NULL && id.kind == TN_KIND_FORCE && r->model->forces[id.index].implied)
        tn_read_error(r, path->span, "node '%s' is there only because devices name it: declare it under 'nodes' to set "
                      "something of it", tn_model_entity_name(r->model, id));
    else if (name != NULL && (id.kind == TN_KIND_JOINT || id.kind == TN_KIND_FORCE))
        set_parameter(e, id, path, name, value);
    else if (id.kind == TN_KIND_BODY)
        tn_read_error(r, path->span, "of '%s' nothing can be set", tn_model_entity_name(r->model, id));
    else
        say_nothing_to_set(r, path);
    if (name != NULL)
        tn_edit_note_set(e, path->as.text, id, name);
    tn_edit_tell(e, "set %s", path->as.text);
}

/* Attributes of a contact have to go together when all of them are set. */
static void check_contacts(tn_editor *e, const tn_node *map)
{
    const tn_model *model = e->r->model;
    for (uint32_t k = 0; k < model->contact_count && e->r->errors == 0; k++)
        if (model->contacts[k].entity.alive)
            tn_read_ok(e->r, tn_check_contact_law(model, k, &model->contacts[k].law, map->span));
}

void tn_edit_set(tn_editor *e, const tn_node *map)
{
    if (!tn_read_is_map(e->r, map, "set"))
        return;
    for (unsigned i = 0; i < map->count && e->r->stop == TN_OK; i++)
        set_one(e, map->as.items[2 * i], map->as.items[2 * i + 1]);
    check_contacts(e, map);
}
