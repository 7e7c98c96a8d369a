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
} number_reader;

static void add_edit_numbers(number_reader *n, tn_number_kind kind, uint32_t index, int part, double value)
{
    if (n->numbers->count == TN_NUMBERS_MOST || !isfinite(value))
        n->other = true;
    else
        n->numbers->items[n->numbers->count++] = (tn_number){ kind, index, part, value };
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

/* A parameter of a joint that is a number; false: the joint has no such parameter. */
static bool read_joint_parameter(number_reader *n, uint32_t index, const char *name, const tn_node *value)
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
        return true;
    }
    return false;
}

/* "limits.angle.high" of a joint that has such a limit. */
static void read_limit(number_reader *n, uint32_t joint, const char *name, const tn_node *value)
{
    static const char limits[] = "limits.";
    const tn_model *m = n->r->model;
    const tn_joint_form *form = tn_joint_form_of(m, m->joints[joint].type);
    const char *coordinate = name + sizeof limits - 1, *end = strrchr(name, '.');
    bool low = end != NULL && strcmp(end, ".low") == 0, high = end != NULL && strcmp(end, ".high") == 0;
    double number = NAN;
    n->other |= strncmp(name, limits, sizeof limits - 1) != 0 || end <= coordinate || (!low && !high);
    for (uint32_t k = 0; k < m->limit_count && !n->other; k++) {
        const tn_model_limit *limit = &m->limits[k];
        if (limit->joint != joint || limit->way != 0)
            continue;
        const tn_coordinate_decl *decl = &form->coordinates[limit->coordinate];
        size_t length = strlen(decl->name);
        if (isinf(low ? limit->low : limit->high) ||
            (size_t)(end - coordinate) != length || strncmp(coordinate, decl->name, length) != 0 ||
            !tn_read_quantity(n->r, value, decl->name, decl->unit, TN_ANY_SIGN, &number) ||
            !(low ? number < limit->high : number > limit->low))
            continue;
        add_edit_numbers(n, low ? TN_NUMBER_LIMIT_LOW : TN_NUMBER_LIMIT_HIGH, k, 0, number);
        return;
    }
    n->other = true;
}

static void read_one(number_reader *n, const tn_node *path, const tn_node *value)
{
    const char *full = path->kind == TN_NODE_TEXT ? tn_read_path(n->r, path->as.text) : NULL, *name = NULL;
    tn_id id = full != NULL ? tn_model_split(n->r->model, full, &name) : (tn_id){ .kind = TN_KIND_NONE };
    if (name == NULL || value == NULL)
        n->other = true;
    else if (id.kind == TN_KIND_FORCE)
        read_force(n, id.index, name, value);
    else if (id.kind == TN_KIND_BODY)
        read_body(n, id, path, name, value);
    else if (id.kind == TN_KIND_CONTACT)
        read_contact(n, id.index, name, value);
    else if (id.kind == TN_KIND_JOINT && !read_joint_parameter(n, id.index, name, value))
        read_limit(n, id.index, name, value);
    else if (id.kind == TN_KIND_JOINT)
        (void)0;
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
    return n->r->stop;
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
    out->count = 0;
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
