/* Commands that only change numbers. They are read without changing the model, so that no copy of the model is needed;
 * tn_model_edit executes all other commands, and commands with mistakes. */
#include "edit_numbers.h"

#include "decimal.h"
#include "diag.h"
#include "edit_impl.h"
#include <math.h>
#include <string.h>

typedef struct number_reader {
    tn_editor editor;
    tn_reader *r;
    tn_number_list *numbers;
    bool other;                    /* something in it is more than a number */
    int code;                      /* of allocations */
} number_reader;

static tn_number *find_number(tn_number_list *list, tn_number_kind kind, uint32_t index, int part)
{
    for (int k = 0; k < list->count; k++)
        if (list->items[k].kind == kind && list->items[k].index == index && list->items[k].part == part)
            return &list->items[k];
    return NULL;
}

/* A number that the command sets again gets the last value. */
static void add_edit_numbers(number_reader *n, tn_number_kind kind, uint32_t index, int part, double value)
{
    tn_number_list *list = n->numbers;
    tn_number *earlier = find_number(list, kind, index, part);
    n->other = n->other || !isfinite(value);
    if (n->other || n->code < 0)
        return;
    if (earlier != NULL) {
        earlier->value = value;
        return;
    }
    n->code = tn_grow(n->r->context, &list->items, &list->capacity, (size_t)list->count + 1, sizeof *list->items);
    if (n->code == TN_OK)
        list->items[list->count++] = (tn_number){ kind, index, part, value };
}

static void read_force(number_reader *n, uint32_t index, const char *name, const tn_node *value)
{
    const tn_model *m = n->r->model;
    const tn_force *force = &m->forces[index];
    char unit[40];
    tn_formula_value read;
    int k = 0;
    while (k < TN_FORCE_PARAMETERS && force->type->parameters[k].name != NULL &&
           strcmp(force->type->parameters[k].name, name) != 0)
        k++;
    bool known = k < TN_FORCE_PARAMETERS && force->type->parameters[k].name != NULL && !force->implied &&
                 !tn_force_parameter_listed(force->type, (size_t)k);
    bool number = known && isfinite(force->parameters[k]) && !(force->expressions && force->expressions[k]) &&
                  tn_read_formula(n->r, value, name, tn_unit_for(force->type->parameters[k].unit,
                                  tn_force_along_angle(m, force), unit, sizeof unit), &read) &&
                  read.expression.text == NULL;
    if (number)
        add_edit_numbers(n, TN_NUMBER_FORCE, index, k, read.number);
    else
        n->other = true;
}

static void add_changed(number_reader *n, tn_number_kind kind, uint32_t index, const double *was, const double *is, int count)
{
    for (int k = 0; k < count; k++)
        if (is[k] != was[k])
            add_edit_numbers(n, kind, index, k, is[k]);
}

static void read_body(number_reader *n, tn_id id, const tn_node *path, const char *name, const tn_node *value)
{
    const tn_body *was = &n->r->model->bodies[id.index];
    tn_body_def def;
    tn_body is;
    const int before = n->numbers->count;
    if (id.index == 0 || was->missing != TN_MISSING_NOTHING || !tn_edit_read_mass(&def, n->r, was, path, name, value) ||
        tn_body_with_mass(&is, n->r->model, id, &def, path->span) < 0 || is.missing != TN_MISSING_NOTHING) {
        n->other = true;
        return;
    }
    add_changed(n, TN_NUMBER_MASS, id.index, &was->mass, &is.mass, 1);
    add_changed(n, TN_NUMBER_COM, id.index, was->com, is.com, 3);
    add_changed(n, TN_NUMBER_INERTIA, id.index, was->inertia, is.inertia, 6);
    if (n->numbers->count == before)                   /* nothing changes: a command of numbers all the same */
        add_edit_numbers(n, TN_NUMBER_MASS, id.index, 0, was->mass);
}

static void read_contact(number_reader *n, uint32_t index, const char *name, const tn_node *value)
{
    const tn_attribute *row = tn_attribute_find(tn_contact_attributes, name);
    double number = NAN;
    char wanted[60];
    if (row == NULL || !tn_read_quantity(n->r, value, row->name, row->unit, row->sign, &number) ||
        !tn_attribute_allows(row, number, wanted, sizeof wanted))
        n->other = true;
    else
        add_edit_numbers(n, TN_NUMBER_CONTACT, index, (int)(row - tn_contact_attributes), number);
}

/* Attributes of a contact that do not go together are told by tn_model_edit. */
static void check_contacts(number_reader *n, tn_span span)
{
    const tn_number *numbers = n->numbers->items;
    for (int k = 0; k < n->numbers->count && !n->other; k++) {
        if (numbers[k].kind != TN_NUMBER_CONTACT)
            continue;
        tn_contact_def law = n->r->model->contacts[numbers[k].index].law;
        for (int j = 0; j < n->numbers->count; j++)
            if (numbers[j].kind == TN_NUMBER_CONTACT && numbers[j].index == numbers[k].index)
                *tn_attribute_place(&tn_contact_attributes[numbers[j].part], &law) = numbers[j].value;
        n->other = tn_check_contact_law(n->r->model, numbers[k].index, &law, span) < 0;
    }
}

static void read_joint_parameter(number_reader *n, uint32_t index, const char *name, const tn_node *value)
{
    const tn_joint *joint = &n->r->model->joints[index];
    const tn_parameter_decl *declared = joint->type->parameters;
    double number = NAN;
    for (int k = 0; k < TN_JOINT_PARAMETERS && declared[k].name != NULL; k++) {
        if (strcmp(declared[k].name, name) != 0)
            continue;
        if (tn_edit_read_joint_parameter(&number, n->r, joint->type, k, value))
            add_edit_numbers(n, TN_NUMBER_JOINT, index, k, number);
        else
            n->other = true;
        return;
    }
    n->other = true;
}

/* ---- rules of joints ---- */

/* Calls act for every number of the limits and the ratchet of the joint: its kind, its place in the model, its place in the
 * draft. */
static void with_limits(number_reader *n, tn_id joint, tn_joint_draft *draft,
                        void (*act)(number_reader *, tn_number_kind, uint32_t, const double *, double *))
{
    const tn_model *m = n->r->model;
    size_t at = 0;
    for (uint32_t k = 0; k < m->limit_count; k++) {
        const tn_model_limit *is = &m->limits[k];
        tn_limit *to = &draft->limits[at];
        if (is->joint != joint.index)
            continue;
        if (is->way != 0) {
            act(n, TN_NUMBER_PITCH, k, &is->pitch, &draft->def.ratchet.pitch);
            act(n, TN_NUMBER_LIMIT_RESTITUTION, k, &is->restitution, &draft->def.ratchet.restitution);
            continue;
        }
        act(n, TN_NUMBER_LIMIT_LOW, k, &is->low, &to->low);
        act(n, TN_NUMBER_LIMIT_HIGH, k, &is->high, &to->high);
        act(n, TN_NUMBER_LIMIT_RESTITUTION, k, &is->restitution, &to->restitution);
        at++;
    }
}

/* Numbers that the command has set so far hold in the draft, too. */
static void take_earlier(number_reader *n, tn_number_kind kind, uint32_t index, const double *is, double *to)
{
    const tn_number *earlier = find_number(n->numbers, kind, index, 0);
    (void)is;
    if (earlier != NULL)
        *to = earlier->value;
}

static void add_new(number_reader *n, tn_number_kind kind, uint32_t index, const double *is, double *to)
{
    if (*to == *is && find_number(n->numbers, kind, index, 0) == NULL)
        return;
    if (isfinite(*is))
        add_edit_numbers(n, kind, index, 0, *to);
    else
        n->other = true;
}

/* The same limits, ratchet, latch and fuses, of which numbers may differ. */
static bool same_rules(const tn_joint_def *a, const tn_joint_def *b)
{
    bool same = a->limit_count == b->limit_count && a->ratchet.way == b->ratchet.way &&
                tn_attributes_same(tn_latch_attributes, &a->latch, &b->latch) &&
                (a->ratchet.way == 0 || strcmp(a->ratchet.coordinate, b->ratchet.coordinate) == 0);
    for (size_t k = 0; k < a->limit_count && same; k++)
        same = strcmp(a->limits[k].coordinate, b->limits[k].coordinate) == 0;
    for (const tn_attribute *row = tn_fuse_attributes; row->name && same; row++)
        same = isnan(tn_attribute_value(row, &a->fuse)) == isnan(tn_attribute_value(row, &b->fuse));
    return same;
}

/* "limits.angle.high", "fuse.force", "ratchet: {pitch: 5 mm}" of a joint that has this rule. */
static void read_rule(number_reader *n, tn_id joint, const tn_node *path, const char *name, const tn_node *value)
{
    tn_model *m = n->r->model;
    tn_joint_draft was, is;
    const int before = n->numbers->count;
    tn_edit_take_rules(&was, m, joint);
    tn_edit_take_rules(&is, m, joint);
    with_limits(n, joint, &is, take_earlier);
    if (tn_edit_read_rule(&is, n->r, joint, path, name, value) < 0 || !same_rules(&was.def, &is.def) ||
        tn_model_check_rules(m, joint, &is.def, path->span) < 0) {
        n->other = true;
        return;
    }
    with_limits(n, joint, &is, add_new);
    for (int k = 0; tn_fuse_attributes[k].name; k++) {
        const double bound = tn_attribute_value(&tn_fuse_attributes[k], &is.def.fuse);
        if (bound != tn_attribute_value(&tn_fuse_attributes[k], &was.def.fuse) && !isnan(bound))
            add_edit_numbers(n, TN_NUMBER_FUSE, joint.index, k, bound);
    }
    n->other |= n->numbers->count == before && before == 0;    /* nothing changes */
}

static void read_one(number_reader *n, const tn_node *path, const tn_node *value)
{
    const char *full = path->kind == TN_NODE_TEXT ? tn_read_path(n->r, path->as.text) : NULL, *name = NULL, *rest;
    tn_id id = full != NULL ? tn_model_split(n->r->model, full, &name) : (tn_id){ .kind = TN_KIND_NONE };
    if (name == NULL || value == NULL)
        n->other = true;
    else if (id.kind == TN_KIND_FORCE)
        read_force(n, id.index, name, value);
    else if (id.kind == TN_KIND_BODY)
        read_body(n, id, path, name, value);
    else if (id.kind == TN_KIND_CONTACT)
        read_contact(n, id.index, name, value);
    else if (id.kind == TN_KIND_JOINT && tn_edit_rule_of(name, &rest) >= 0)
        read_rule(n, id, path, name, value);
    else if (id.kind == TN_KIND_JOINT)
        read_joint_parameter(n, id.index, name, value);
    else
        n->other = true;
    if (n->other)
        return;
    tn_edit_note_set(&n->editor, path->as.text, id, name);
    tn_edit_tell(&n->editor, "set %s", path->as.text);
}

static void read_gravity(number_reader *n, const tn_node *node)
{
    const tn_model *m = n->r->model;
    const tn_key *key = &tn_section_command.keys[COMMAND_GRAVITY];
    n->other = node->kind != TN_NODE_LIST || node->count != (unsigned)m->dimension;
    for (int k = 0; k < m->dimension && !n->other; k++) {
        tn_formula_value value;
        n->other = m->gravity_text[k].text != NULL ||
                   !tn_read_formula(n->r, node->as.items[k], key->name, key->unit, &value) ||
                   value.expression.text != NULL;
        if (!n->other)
            add_edit_numbers(n, TN_NUMBER_GRAVITY, 0, k, value.number);
    }
    if (n->other)
        return;
    tn_edit_note(&n->editor, TN_CHANGE_PUT, "gravity", "");
    tn_edit_tell(&n->editor, "set gravity");
}

/* The second key of a command may be "more". */
static bool reads_more(number_reader *n, const tn_node *root)
{
    const tn_key *key = &tn_section_command.keys[COMMAND_MORE];
    if (root->count != 2 || strcmp(root->as.items[2]->as.text, key->name) != 0)
        return root->count == 1;
    n->editor.edit->more = tn_read_switch(n->r, root->as.items[3], key, false);
    return true;
}

static int read_map(number_reader *n, const tn_node *root)
{
    const tn_key *keys = tn_section_command.keys;
    const bool one = root != NULL && root->kind == TN_NODE_MAP && reads_more(n, root);
    const tn_node *value = one ? root->as.items[1] : NULL;
    const char *key = one ? root->as.items[0]->as.text : "";
    if (value != NULL && strcmp(key, keys[COMMAND_GRAVITY].name) == 0)
        read_gravity(n, value);
    else if (value == NULL || strcmp(key, keys[COMMAND_SET].name) != 0 || value->kind != TN_NODE_MAP)
        n->other = true;
    else
        for (unsigned i = 0; i < value->count && !n->other; i++)
            read_one(n, value->as.items[2 * i], value->as.items[2 * i + 1]);
    if (value != NULL && !n->other)
        check_contacts(n, value->span);
    return n->code < 0 ? n->code : n->r->stop;
}

static int read_command(number_reader *n, const tn_command_text *command)
{
    tn_reader *r = n->r;
    const tn_node *root = NULL;
    size_t budget = TN_YAML_NODES;
    r->arena = tn_arena_create(r->context);
    if (r->arena == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_yaml_parse_at(&root, r->arena, r->context, command->place, command->text, command->size, &budget));
    TN_TRY(tn_edit_enter(r, command->from));
    tn_read_known_parameters(r);
    TN_TRY(read_map(n, root));
    return n->other || r->errors > 0 ? TN_OK : tn_edit_keep_notes(&n->editor, &n->editor.edit->note);
}

/* A quick check of the text before anything is read: most commands are of other kinds. */
static bool may_be_numbers(const tn_command_text *command)
{
    const char *c = command->text, *end = c + command->size;
    while (c < end && (*c == ' ' || *c == '{' || *c == '\n'))
        c++;
    return (size_t)(end - c) > 8 && (strncmp(c, "set", 3) == 0 || strncmp(c, "gravity", 7) == 0);
}

int tn_model_read_numbers(tn_number_list *out, tn_edit *edit, tn_model *model, const tn_command_text *command)
{
    tn_parsed_file *parsed = NULL;
    tn_reader r = { .context = model->context, .model = model, .node_budget = TN_YAML_NODES, .parsed = &parsed,
                    .file = command->place.file, .folder = model->origin != NULL ? model->origin->folder : "" };
    number_reader n = { .editor = { .r = &r, .edit = edit, .command = command }, .r = &r, .numbers = out };
    tn_report_mark mark = tn_report_now(model->context);
    tn_decimal decimal;
    *out = (tn_number_list){ 0 };
    *edit = (tn_edit){ 0 };
    if (!may_be_numbers(command))
        return TN_OK;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_text_begin(&n.editor.changes, model->context);
    int code = read_command(&n, command);
    tn_free(model->context, n.editor.changes.data);
    tn_decimal_end(&decimal);
    tn_arena_destroy(r.arena);
    tn_free(r.context, r.parameters);
    if (code == TN_ERROR_MEMORY)
        return code;
    if (code < 0 || n.other || r.errors > 0) {
        tn_report_forget(model->context, mark);        /* tn_model_edit says it again, at its place */
        out->count = 0;
    }
    return TN_OK;
}
