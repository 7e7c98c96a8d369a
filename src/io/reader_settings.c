/* Values of the parameters that types declare: numbers, and for forces expressions. */
#include "reader.h"
#include <string.h>

enum { LABEL_SIZE = 64, UNIT_SIZE = 40, MATRIX_ROWS = 6 };

/* The group that a parameter belongs to: "value" for "value.x". In buffer. */
static const char *group_of(const tn_parameter_decl *declared, char buffer[LABEL_SIZE])
{
    snprintf(buffer, LABEL_SIZE, "%s", declared->name);
    buffer[strcspn(buffer, ".")] = '\0';
    return buffer;
}

/* A list of numbers given for "value" fills "value.x", "value.y", "value.z". */
static size_t read_group(tn_reader *r, const tn_parameter_decl *declared, const tn_node *node, tn_setting *settings)
{
    char label[LABEL_SIZE];
    double value[3] = { 0 };
    tn_key key = { .name = group_of(declared, label), .kind = TN_VALUE_VECTOR, .unit = declared->unit };
    if (!tn_read_vector(r, node, &key, value))
        return 0;
    for (size_t k = 0; k < 3; k++)
        settings[k] = (tn_setting){ declared[k].name, value[k] };
    return 3;
}

size_t tn_read_settings(tn_reader *r, const tn_parameter_decl *declared, size_t declared_max,
                        const tn_node *const *values, tn_setting *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < declared_max && declared[i].name != NULL; i++) {
        double value;
        if (values[i] != NULL && values[i]->kind == TN_NODE_LIST && strchr(declared[i].name, '.') != NULL)
            count += read_group(r, &declared[i], values[i], &settings[count]);
        else if (tn_read_quantity(r, values[i], declared[i].name, declared[i].unit, TN_ANY_SIGN, &value))
            settings[count++] = (tn_setting){ declared[i].name, value };
    }
    return count;
}

bool tn_read_formula(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_formula_value *out)
{
    *out = (tn_formula_value){ 0 };
    if (node == NULL)
        return false;
    if (node->kind != TN_NODE_TEXT || tn_node_empty(node)) {
        tn_read_error(r, node->span, "'%s' must be a number or an expression, not %s", label,
                      node->kind == TN_NODE_TEXT ? "empty" : tn_node_kind_text(node));
        return false;
    }
    int code = tn_plain_number(node->as.text, &out->number) ? TN_OK
                                                            : tn_read_constant(r, node, &out->number, &out->info);
    if (code == TN_OK)
        return tn_check_quantity(r, node, label, unit, TN_ANY_SIGN, &out->info, out->number);
    if (code != TN_ERROR_MODEL)
        return tn_read_ok(r, code == TN_ERROR_ARGUMENT ? TN_ERROR_MODEL : code);
    out->expression = (tn_expression){ label, node->as.text, tn_text_span(node) };
    return true;
}

static void take_value(tn_reader *r, const tn_parameter_decl *declared, bool angle, const tn_node *node,
                       tn_force_draft *draft)
{
    tn_formula_value value;
    char unit[UNIT_SIZE];
    if (strcmp(declared->unit, TN_UNIT_TABLE) == 0) {
        const char *name = tn_read_text(r, node, declared->name);
        if (name == NULL)
            return;
        value = (tn_formula_value){ .expression = { declared->name, name, tn_text_span(node) } };
    } else if (!tn_read_formula(r, node, declared->name, tn_unit_for(declared->unit, angle, unit, sizeof unit),
                                &value)) {
        return;
    }
    if (value.expression.text == NULL)
        tn_force_draft_set(draft, declared->name, value.number);
    else if (draft->def.expression_count == TN_MAX_EXPRESSIONS)
        tn_read_error(r, node->span, "more than %d expressions in one force", TN_MAX_EXPRESSIONS);
    else
        tn_force_draft_say(draft, value.expression);
}

/* How many parameters a group has, from its first. */
static size_t group_size(const tn_parameter_decl *declared, const char *label)
{
    size_t n = strlen(label), count = 0;
    while (declared[count].name != NULL && strncmp(declared[count].name, label, n) == 0 &&
           declared[count].name[n] == '.')
        count++;
    return count;
}

/* A matrix over three shifts and three turns: its diagonal, or a list of its rows. The plane has x, y and the turn
 * about z of it. */
static void take_matrix(tn_reader *r, const tn_parameter_decl *declared, const char *label, const tn_node *node,
                        tn_force_draft *draft)
{
    static const size_t all[] = { 0, 1, 2, 3, 4, 5 }, planar[] = { 0, 1, 5 };
    const size_t *index = r->model->dimension == 2 ? planar : all, n = r->model->dimension == 2 ? 3 : 6;
    bool nested = node->count > 0 && node->as.items[0]->kind == TN_NODE_LIST;
    bool square = node->count == n;
    for (size_t i = 0; square && nested && i < n; i++)
        square = node->as.items[i]->kind == TN_NODE_LIST && node->as.items[i]->count == n;
    if (!square) {
        tn_read_error(r, node->span, "'%s' needs %zu numbers, the diagonal, or %zu lists of %zu numbers", label, n, n,
                      n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = nested ? 0 : i; k < (nested ? n : i + 1); k++)
            take_value(r, &declared[MATRIX_ROWS * index[i] + index[k]], false,
                       nested ? node->as.items[i]->as.items[k] : node->as.items[i], draft);
}

/* A list: as many as the group has, or as the model has dimensions when it is one of x, y and z. */
static void take_group(tn_reader *r, const tn_parameter_decl *declared, bool angle, const tn_node *node,
                       tn_force_draft *draft)
{
    char label[LABEL_SIZE];
    size_t size = group_size(declared, group_of(declared, label));
    if (size == MATRIX_ROWS * MATRIX_ROWS) {
        take_matrix(r, declared, label, node, draft);
        return;
    }
    if (size == 3)
        size = (size_t)r->model->dimension;
    if (node->count != size) {
        tn_read_error(r, node->span, "'%s' needs %zu numbers, not %zu", label, size, (size_t)node->count);
        return;
    }
    for (size_t i = 0; i < size; i++)
        take_value(r, &declared[i], angle, node->as.items[i], draft);
}

void tn_read_force_values(tn_reader *r, const tn_force_type *type, bool angle, const tn_node *const *values,
                          tn_force_draft *draft)
{
    for (size_t i = 0; i < TN_FORCE_PARAMETERS && type->parameters[i].name != NULL; i++) {
        if (values[i] == NULL)
            continue;
        if (values[i]->kind == TN_NODE_LIST && strchr(type->parameters[i].name, '.') != NULL)
            take_group(r, &type->parameters[i], angle, values[i], draft);
        else
            take_value(r, &type->parameters[i], angle, values[i], draft);
    }
}
