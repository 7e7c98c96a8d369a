/* Reads drives, states, tables and gravity: sections with expressions of time. */
#include "file.h"
#include "reader.h"
#include "shortest.h"
#include "tenon/results.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { UNIT_SIZE = 64 };

/* ---- drives ---- */

/* The ways to give a drive's motion: the key, and the joint type that implements it. */
static const struct { int key; const char *type, *units[2]; } motions[] = {
    { DRIVE_POSITION, "drive", { "m", NULL } },
    { DRIVE_ANGLE, "drive", { NULL, "rad" } },
    { DRIVE_RATE, "drive-rate", { "m/s", "rad/s" } },
    { DRIVE_ACCELERATION, "drive-acceleration", { "m/s^2", "rad/s^2" } },
};

/* Index into motions, or -1 after an error. */
static int read_motion_kind(tn_reader *r, const tn_node *node, const tn_node *const *values)
{
    int found = -1;
    for (int k = 0; k < (int)TN_LENGTH(motions); k++) {
        const tn_node *value = values[motions[k].key];
        if (value == NULL)
            continue;
        if (found >= 0) {
            tn_read_error(r, value->span, "give one of position, angle, rate and acceleration");
            return -1;
        }
        found = k;
    }
    if (found < 0)
        tn_read_error(r, node->span, "the motion is missing: give position, angle, rate or acceleration");
    return found;
}

static bool drives_angle(const tn_model *model, const tn_coupling_term *term)
{
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[term->joint.index].type);
    int k = tn_joint_coordinate_find(form, term->coordinate);
    return k >= 0 && strcmp(form->coordinates[k].unit, "rad") == 0;
}

/* A number is an expression like any other. */
static bool read_motion(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_expression *motion)
{
    tn_formula_value value;
    if (!tn_read_formula(r, node, label, unit, &value))
        return false;
    *motion = value.expression;
    if (motion->text != NULL)
        return true;
    char *text = tn_arena_alloc(r->arena, TN_SHORTEST_SIZE, 1);
    if (text == NULL)
        return tn_read_ok(r, TN_ERROR_MEMORY);
    tn_shortest(text, value.number);
    *motion = (tn_expression){ label, text, node->span };
    return true;
}

void tn_read_drive(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    tn_coupling_term term = { 0 };
    const size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_drive, values, NULL, 0, NULL))
        return;
    if (values[DRIVE_JOINT] == NULL) {
        tn_read_error(r, node->span, "'joint' is missing: which coordinate is driven?");
        return;
    }
    int kind = read_motion_kind(r, node, values);
    if (!tn_read_term(r, values[DRIVE_JOINT], "joint", &term) || kind < 0)
        return;
    bool angle = drives_angle(r->model, &term);
    const char *label = tn_section_drive.keys[motions[kind].key].name, *unit = motions[kind].units[angle];
    if (unit == NULL) {
        tn_read_error(r, values[motions[kind].key]->span, "the coordinate is %s: give '%s', 'rate' or 'acceleration'",
                      angle ? "an angle" : "a length", angle ? "angle" : "position");
        return;
    }
    tn_joint_def def = tn_joint_default(motions[kind].type);
    def.terms = &term;
    def.term_count = 1;
    bool enabled = tn_read_switch(r, values[DRIVE_ENABLED], &tn_section_drive.keys[DRIVE_ENABLED], true);
    if (read_motion(r, values[motions[kind].key], label, unit, &def.motion) && r->errors == before)
        tn_read_put_joint(r, name, &def, false, enabled);
    if (r->errors > before)
        tn_read_stand_in_drive(r, name, &def);
}

/* ---- states ---- */

void tn_read_state(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    tn_formula_value initial = { 0 }, rate;
    char unit[64] = "", rate_unit[80] = "*";
    if (!tn_read_keys(r, node, &tn_section_state, values, NULL, 0, NULL))
        return;
    if (values[STATE_RATE] == NULL) {
        tn_read_error(r, node->span, "'rate' is missing: how does it change?");
        return;
    }
    size_t before = r->errors;
    tn_force_draft draft;
    tn_force_draft_begin(&draft, "state");
    if (values[STATE_INITIAL] != NULL && tn_read_quantity(r, values[STATE_INITIAL], "initial", "*", TN_ANY_SIGN,
                                                          &initial.number))
        tn_force_draft_set(&draft, "initial", initial.number);
    if (values[STATE_INITIAL] != NULL && r->errors == before &&
        tn_read_constant(r, values[STATE_INITIAL], &initial.number, &initial.info) == TN_OK &&
        initial.info.dim_known && !tn_dim_equal(initial.info.dim, TN_DIM_NUMBER))
        tn_dim_text(initial.info.dim, unit, sizeof unit);
    draft.def.unit = unit;
    if (unit[0] != '\0')
        snprintf(rate_unit, sizeof rate_unit, "%s/s", unit);
    if (!tn_read_formula(r, values[STATE_RATE], "rate", rate_unit, &rate) || r->errors != before)
        return;
    if (rate.expression.text != NULL)
        tn_force_draft_say(&draft, rate.expression);
    else
        tn_force_draft_set(&draft, "rate", rate.number);
    bool enabled = tn_read_switch(r, values[STATE_ENABLED], &tn_section_state.keys[STATE_ENABLED], true);
    tn_read_put_force(r, name, &draft.def, false, enabled);
}

/* ---- inputs ---- */

/* The unit of an input in SI: what the file says, or that of the default value. False: the text is no unit. */
static bool read_input_unit(tn_reader *r, const tn_node *const *values, char *unit, size_t size)
{
    tn_dim dim = TN_DIM_NUMBER;
    double factor = 1, number;
    tn_output_info info = { 0 };
    const char *text = tn_read_text(r, values[INPUT_UNIT], "unit");
    unit[0] = '\0';
    if (text == NULL && values[INPUT_UNIT] != NULL)
        return false;
    if (text != NULL && tn_unit_parse(text, strlen(text), &factor, &dim) < 0) {
        tn_read_error(r, values[INPUT_UNIT]->span, "'unit': '%.40s' is not a unit", text);
        return false;
    }
    if (text != NULL && factor == 1 && strlen(text) < size) {
        snprintf(unit, size, "%s", text);
        return true;
    }
    if (text == NULL && values[INPUT_DEFAULT] != NULL && values[INPUT_DEFAULT]->kind == TN_NODE_TEXT &&
        tn_read_constant(r, values[INPUT_DEFAULT], &number, &info) == TN_OK && info.dim_known)
        dim = info.dim;
    if (!tn_dim_equal(dim, TN_DIM_NUMBER))
        tn_dim_text(dim, unit, size);
    return true;
}

/* Expressions find time, constants, words of the language, parameters and tables before inputs. */
static bool is_free_name(tn_reader *r, const tn_node *name)
{
    static const char *const words[] = { "t", "pi", "and", "or", "not" };
    const char *taken = NULL;
    for (size_t k = 0; k < TN_LENGTH(words); k++)
        taken = strcmp(words[k], name->as.text) == 0 ? "the language of expressions" : taken;
    for (size_t k = 0; k < r->parameter_count; k++)
        taken = strcmp(r->parameters[k].name, name->as.text) == 0 ? "a parameter" : taken;
    for (size_t k = 0; k < r->model->table_count; k++)
        taken = strcmp(r->model->tables[k].name, r->name) == 0 ? "a table" : taken;
    if (taken != NULL)
        tn_read_error(r, name->span, "the name is already taken by %s: choose another", taken);
    return taken == NULL;
}

void tn_read_input(tn_reader *r, const tn_node *name, const tn_node *node)
{
    static const struct { int key; const char *name; } numbers[] = {
        { INPUT_DEFAULT, "default" }, { INPUT_LOW, "low" }, { INPUT_HIGH, "high" } };
    const tn_node *values[TN_MAX_KEYS];
    char unit[64];
    size_t before = r->errors;
    tn_force_draft draft;
    tn_force_draft_begin(&draft, "input");
    if (!is_free_name(r, name) || !tn_read_keys(r, node, &tn_section_input, values, NULL, 0, NULL) ||
        !read_input_unit(r, values, unit, sizeof unit))
        return;
    double given[] = { 0, -INFINITY, INFINITY };
    for (size_t k = 0; k < TN_LENGTH(numbers); k++)
        if (tn_read_quantity(r, values[numbers[k].key], numbers[k].name, unit, TN_ANY_SIGN, &given[k]))
            tn_force_draft_set(&draft, numbers[k].name, given[k]);
    if (!(given[1] <= given[0] && given[0] <= given[2]))
        tn_read_error(r, name->span, "'default', %g, must be between 'low' and 'high'", given[0]);
    draft.def.unit = unit;
    bool enabled = tn_read_switch(r, values[INPUT_ENABLED], &tn_section_input.keys[INPUT_ENABLED], true);
    if (r->errors == before)
        tn_read_put_force(r, name, &draft.def, false, enabled);
}

/* ---- named expressions ---- */

void tn_read_let(tn_reader *r, const tn_node *name, const tn_node *node)
{
    tn_force_def def = tn_force_default("let");
    if (!is_free_name(r, name))
        return;
    if (node->kind != TN_NODE_TEXT || tn_node_empty(node)) {
        tn_read_error(r, node->span, "must be an expression, or a function such as '(x, y) -> x * y'");
        return;
    }
    const tn_expression value = { .name = "value", .text = node->as.text, .span = tn_text_span(node) };
    def.expressions = &value;
    def.expression_count = 1;
    tn_read_put_force(r, name, &def, false, true);
}

/* ---- tables ---- */

/* Points of a table as they are read; in the reader's arena. */
typedef struct points {
    double *x, *y, *z;             /* z: of a table of two arguments, else NULL */
    size_t count, y_count;
    tn_output_info x_info, y_info, z_info;
} points;

static bool make_points(tn_reader *r, points *p, size_t count)
{
    p->count = count;
    p->x = tn_arena_alloc(r->arena, count, sizeof(double));
    p->y = tn_arena_alloc(r->arena, count, sizeof(double));
    return (p->x != NULL && p->y != NULL) || tn_read_ok(r, TN_ERROR_MEMORY);
}

/* A number in any unit; all of a column must have the same dimension. */
static bool read_cell(tn_reader *r, const tn_node *node, const char *label, double *value, tn_output_info *column)
{
    tn_output_info info = { 0 };
    if (node->kind != TN_NODE_TEXT || tn_node_empty(node)) {
        tn_read_error(r, node->span, "'%s' must be numbers", label);
        return false;
    }
    if (!tn_plain_number(node->as.text, value) && !tn_read_expression(r, node, label, value, &info))
        return false;
    if (info.dim_known && column->dim_known && !tn_dim_equal(info.dim, column->dim)) {
        tn_read_error(r, node->span, "'%s': %.60s has another unit than the numbers before", label, node->as.text);
        return false;
    }
    if (info.dim_known)
        *column = info;
    return true;
}

static bool read_columns(tn_reader *r, const tn_node *x, const tn_node *y, points *p)
{
    if (x->kind != TN_NODE_LIST || y->kind != TN_NODE_LIST || x->count != y->count) {
        tn_read_error(r, y->span, "'x' and 'y' must be lists of the same length");
        return false;
    }
    bool good = make_points(r, p, x->count);
    for (unsigned i = 0; good && i < x->count; i++)
        good = read_cell(r, x->as.items[i], "x", &p->x[i], &p->x_info) &&
               read_cell(r, y->as.items[i], "y", &p->y[i], &p->y_info);
    return good;
}

static bool read_line(tn_reader *r, const tn_node *list, const char *label, double *out, tn_output_info *info)
{
    bool good = true;
    for (unsigned i = 0; good && i < list->count; i++)
        good = read_cell(r, list->as.items[i], label, &out[i], info);
    return good;
}

/* A table of two arguments: z has a row for each x. */
static bool read_grid(tn_reader *r, const tn_node *const *values, points *p)
{
    const tn_node *x = values[TABLE_X], *y = values[TABLE_Y], *z = values[TABLE_Z];
    if (x == NULL || y == NULL || x->kind != TN_NODE_LIST || y->kind != TN_NODE_LIST || z->kind != TN_NODE_LIST || z->count != x->count) {
        tn_read_error(r, z->span, "'z' needs 'x' and 'y', and one row for each x");
        return false;
    }
    p->count = x->count;
    p->y_count = y->count;
    p->x = tn_arena_alloc(r->arena, x->count, sizeof(double));
    p->y = tn_arena_alloc(r->arena, y->count, sizeof(double));
    p->z = tn_arena_alloc(r->arena, (size_t)x->count * y->count, sizeof(double));
    if (p->x == NULL || p->y == NULL || p->z == NULL)
        return tn_read_ok(r, TN_ERROR_MEMORY);
    bool good = read_line(r, x, "x", p->x, &p->x_info) && read_line(r, y, "y", p->y, &p->y_info);
    for (unsigned i = 0; good && i < z->count; i++) {
        const tn_node *row = z->as.items[i];
        if (row->kind != TN_NODE_LIST || row->count != y->count) {
            tn_read_error(r, row->span, "row %u of 'z' must have %u numbers, one for each y", i + 1, y->count);
            return false;
        }
        good = read_line(r, row, "z", p->z + (size_t)i * y->count, &p->z_info);
    }
    return good;
}

static bool read_points(tn_reader *r, const tn_node *list, points *p)
{
    bool good = list->kind == TN_NODE_LIST && make_points(r, p, list->count);
    for (unsigned i = 0; good && i < list->count; i++) {
        const tn_node *pair = list->as.items[i];
        good = pair->kind == TN_NODE_LIST && pair->count == 2;
        if (good && (!read_cell(r, pair->as.items[0], "points", &p->x[i], &p->x_info) ||
                     !read_cell(r, pair->as.items[1], "points", &p->y[i], &p->y_info)))
            return false;
    }
    if (!good && r->stop == TN_OK)
        tn_read_error(r, list->span, "'points' must be a list of pairs [x, y]");
    return good;
}

/* The unit in a column's title, if it is one that is known. */
static void take_unit(const char *unit, tn_output_info *info)
{
    double factor;
    info->dim_known = unit != NULL && unit[0] != '\0' &&
                      tn_unit_parse(unit, strlen(unit), &factor, &info->dim) == 0 && factor == 1;
}

static bool read_table_file(tn_reader *r, const tn_node *file, const tn_node *columns, points *p)
{
    const char *name = tn_read_text(r, file, "file");
    const char *path = name != NULL ? tn_path_join(r->arena, r->folder, name) : NULL;
    tn_results *table = NULL;
    size_t count;
    const tn_node *const *names = tn_read_list(r, &columns, "columns", &count);
    if (name == NULL || path == NULL || !tn_read_note_file(r, path, file->span) ||
        !tn_read_ok(r, tn_results_read(&table, r->context, path)))
        return false;
    int x = count == 2 ? tn_results_find(table, names[0]->as.text) : 0;
    int y = count == 2 ? tn_results_find(table, names[1]->as.text) : 1;
    bool good = (count == 0 || count == 2) && x >= 0 && y >= 0 && tn_results_columns(table) > 1;
    if (!good)
        tn_read_error(r, columns != NULL ? columns->span : file->span, "the file has no such two columns");
    good = good && make_points(r, p, tn_results_rows(table));
    for (size_t i = 0; good && i < p->count; i++) {
        p->x[i] = tn_results_values(table, (size_t)x)[i];
        p->y[i] = tn_results_values(table, (size_t)y)[i];
    }
    if (good) {
        take_unit(tn_results_column(table, (size_t)x).unit, &p->x_info);
        take_unit(tn_results_column(table, (size_t)y).unit, &p->y_info);
    }
    tn_results_destroy(table);
    return good;
}

/* A table of two arguments: the first column is x, the titles of the others are y. */
static bool read_grid_file(tn_reader *r, const tn_node *file, points *p)
{
    const char *name = tn_read_text(r, file, "grid");
    const char *path = name != NULL ? tn_path_join(r->arena, r->folder, name) : NULL;
    tn_results *table = NULL;
    if (name == NULL || path == NULL || !tn_read_note_file(r, path, file->span) ||
        !tn_read_ok(r, tn_results_read(&table, r->context, path)))
        return false;
    const size_t rows = tn_results_rows(table), columns = tn_results_columns(table) > 0 ? tn_results_columns(table) - 1 : 0;
    p->count = rows;
    p->y_count = columns;
    p->x = tn_arena_alloc(r->arena, rows, sizeof(double));
    p->y = tn_arena_alloc(r->arena, columns, sizeof(double));
    p->z = tn_arena_alloc(r->arena, rows * columns, sizeof(double));
    bool good = (p->x != NULL && p->y != NULL && p->z != NULL) || tn_read_ok(r, TN_ERROR_MEMORY);
    for (size_t i = 0; good && i < rows; i++)
        p->x[i] = tn_results_values(table, 0)[i];
    for (size_t j = 0; good && j < columns; j++) {
        const char *title = tn_results_column(table, j + 1).name;
        good = tn_plain_number(title, &p->y[j]);
        if (!good)
            tn_read_error(r, file->span, "title '%.60s' of column %zu must be a number: a value of y", title, j + 2);
        for (size_t i = 0; good && i < rows; i++)
            p->z[i * columns + j] = tn_results_values(table, j + 1)[i];
    }
    if (good)
        take_unit(tn_results_column(table, 0).unit, &p->x_info);
    tn_results_destroy(table);
    return good;
}

static bool read_any_points(tn_reader *r, const tn_node *node, const tn_node *const *values, points *p)
{
    bool lists = values[TABLE_X] != NULL && values[TABLE_Y] != NULL;
    if (values[TABLE_Z] != NULL && values[TABLE_POINTS] == NULL && values[TABLE_FILE] == NULL)
        return read_grid(r, values, p);
    if (values[TABLE_GRID] != NULL && values[TABLE_X] == NULL && values[TABLE_Y] == NULL && values[TABLE_POINTS] == NULL &&
        values[TABLE_FILE] == NULL && values[TABLE_Z] == NULL)
        return read_grid_file(r, values[TABLE_GRID], p);
    int given = lists + (values[TABLE_POINTS] != NULL) + (values[TABLE_FILE] != NULL);
    if (given != 1) {
        tn_read_error(r, node->span, "give 'x' and 'y', with 'z' where there are two arguments, or 'points', 'file' or 'grid'");
        return false;
    }
    return lists ? read_columns(r, values[TABLE_X], values[TABLE_Y], p)
           : values[TABLE_POINTS] != NULL ? read_points(r, values[TABLE_POINTS], p)
                                          : read_table_file(r, values[TABLE_FILE], values[TABLE_COLUMNS], p);
}

/* In SI; angles and ratios have none. NULL: not certain. */
static const char *known_unit(const tn_output_info *info, char buffer[UNIT_SIZE])
{
    if (!info->dim_known)
        return NULL;
    return tn_dim_equal(info->dim, TN_DIM_NUMBER) ? "" : tn_dim_text(info->dim, buffer, UNIT_SIZE);
}

void tn_read_table(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    const tn_key *keys = tn_section_table.keys;
    points p = { 0 };
    char units[3][UNIT_SIZE];
    if (!tn_read_keys(r, node, &tn_section_table, values, NULL, 0, NULL) || !read_any_points(r, node, values, &p))
        return;
    tn_table_def def = { .x = p.x, .y = p.y, .count = p.count, .x_unit = known_unit(&p.x_info, units[0]),
                         .y_unit = known_unit(&p.y_info, units[1]), .z = p.z, .y_count = p.y_count,
                         .z_unit = p.z != NULL ? known_unit(&p.z_info, units[2]) : NULL };
    def.kind = (tn_curve_kind)tn_read_choice(r, values[TABLE_KIND], &keys[TABLE_KIND], TN_CURVE_SMOOTH);
    if (def.kind == TN_CURVE_PERIODIC && values[TABLE_OUTSIDE] != NULL)
        tn_read_error(r, values[TABLE_OUTSIDE]->span, "a periodic table repeats: it has nothing outside");
    def.extend = tn_read_choice(r, values[TABLE_OUTSIDE], &keys[TABLE_OUTSIDE], 0) == 1;
    tn_read_ok(r, tn_model_add_table_at(r->model, r->name, &def, name->span));
}

/* ---- gravity ---- */

void tn_read_gravity(tn_reader *r, const tn_node *node)
{
    const tn_key *key = &tn_section_top.keys[TOP_GRAVITY];
    double gravity[3] = { 0 };
    if (node == NULL)
        return;
    if (node->kind != TN_NODE_LIST || node->count != (unsigned)r->model->dimension) {
        tn_read_vector(r, node, key, gravity);         /* which explains */
        return;
    }
    for (int k = 0; k < r->model->dimension; k++) {
        tn_formula_value value;
        if (!tn_read_formula(r, node->as.items[k], key->name, key->unit, &value))
            return;
        gravity[k] = value.number;
        if (value.expression.text != NULL)
            tn_read_ok(r, tn_model_set_gravity_expression(r->model, k, &value.expression));
    }
    tn_model_set_gravity(r->model, gravity);
}
