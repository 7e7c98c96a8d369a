/* Compiles the equations and coordinates of joints. */
#include "program.h"
#include "tn_assert.h"

#include <stdio.h>
#include <string.h>
#include "diag.h"

/* ---- names in equations ---- */

/* The names in a coupling's expressions: q1 ... qn and sum. */
typedef struct coupling_scope {
    tn_scope scope;
    const tn_joint_type *type;
    const char *coordinate[TN_MAX_COUPLED];
    tn_joint_scope joints[TN_MAX_COUPLED];
    int memory[TN_MAX_COUPLED];
    int count;
    const tn_expression *motion;   /* drives; else NULL */
    tn_viewpoint from, names;      /* the joint; its type, whose equations may name tables and parameters of its file */
    tn_scope constants;
    char sum[TN_MAX_COUPLED * 40];
} coupling_scope;

static const char *const frame_names[] = { "M", "x1", "y1", "z1", "w1", "N", "x2", "y2", "z2", "w2" };

static tn_dim dim_of_unit(const char *unit)
{
    return strcmp(unit, "m") == 0 ? TN_DIM_LENGTH : TN_DIM_NUMBER;
}

static tn_symbol parameter_symbol(const tn_joint_type *type, const char *name, int first)
{
    for (int k = 0; k < TN_JOINT_PARAMETERS && type->parameters[k].name; k++)
        if (strcmp(type->parameters[k].name, name) == 0)
            return (tn_symbol){ .kind = TN_SYMBOL_PARAMETER, .index = first + k };
    return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

bool tn_frame_symbol(tn_symbol *out, const char *name, int slot1, int slot2)
{
    for (int k = 0; k < (int)TN_LENGTH(frame_names); k++) {
        if (strcmp(frame_names[k], name) != 0)
            continue;
        int leaf = k % TN_LEAVES;
        *out = (tn_symbol){ .kind = leaf == TN_LEAF_W ? TN_SYMBOL_VELOCITY : TN_SYMBOL_VECTOR,
                            .index = TN_LEAVES * (k < TN_LEAVES ? slot1 : slot2) + leaf,
                            .dim = leaf == TN_LEAF_POINT ? TN_DIM_LENGTH
                                   : leaf == TN_LEAF_W ? (tn_dim){ 0, 0, -1, 0, 0 } : TN_DIM_NUMBER,
                            .dim_known = true };
        return true;
    }
    return false;
}

static tn_symbol lookup_joint(const tn_scope *scope, const char *name)
{
    const tn_joint_scope *j = scope->user;
    tn_symbol frame;
    if (tn_frame_symbol(&frame, name, j->slots[0], j->slots[1]))
        return frame;
    if (strcmp(name, "d") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = "N - M", .scope = scope, .memory = -1 };
    if (strcmp(name, "t") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TIME, .dim = TN_DIM_TIME, .dim_known = true };
    for (int k = 0; k < TN_MAX_COORDINATES && j->form->coordinates[k].name; k++)
        if (strcmp(j->form->coordinates[k].name, name) == 0)
            return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = j->form->coordinates[k].expression, .scope = scope,
                                .memory = j->memory + k };
    tn_symbol symbol = parameter_symbol(j->type, name, j->parameter);
    return symbol.kind == TN_SYMBOL_UNKNOWN ? tn_constant_symbol(&j->from, name) : symbol;
}

static const char *candidate_joint(const tn_scope *scope, size_t index)
{
    const tn_joint_scope *j = scope->user;
    if (index < TN_LENGTH(frame_names))
        return frame_names[index];
    index -= TN_LENGTH(frame_names);
    int count = 0;
    while (count < TN_JOINT_PARAMETERS && j->type->parameters[count].name)
        count++;
    return index < (size_t)count ? j->type->parameters[index].name : tn_constant_candidate(&j->from, index - (size_t)count);
}

static tn_symbol lookup_coupling(const tn_scope *scope, const char *name)
{
    const coupling_scope *c = scope->user;
    if (strcmp(name, "t") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TIME, .dim = TN_DIM_TIME, .dim_known = true };
    if (strcmp(name, "sum") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = c->sum, .scope = scope, .memory = -1 };
    if (c->motion && strcmp(name, "motion") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = c->motion->text, .scope = &c->constants, .memory = -1 };
    if (c->motion && strcmp(name, "speed") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_SCALAR, .index = TN_LEAVES * 2 * c->count };
    if (name[0] == 'q' && name[1] >= '1' && name[1] <= '9' && name[2] == '\0') {
        int k = name[1] - '1';
        if (k < c->count)
            return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = c->coordinate[k], .scope = &c->joints[k].scope,
                                .memory = c->memory[k] };
    }
    tn_symbol symbol = parameter_symbol(c->type, name, 0);
    return symbol.kind == TN_SYMBOL_UNKNOWN ? tn_constant_symbol(&c->names, name) : symbol;
}

void tn_joint_scope_open(tn_joint_scope *j, const tn_model *model, const tn_joint *joint, int slot1, int slot2,
                         int parameter, int memory)
{
    *j = (tn_joint_scope){ .scope = { .lookup = lookup_joint, .candidate = candidate_joint,
                                      .mirrored = joint->entity.mirrored },
                           .type = joint->type, .form = tn_joint_form_of(model, joint->type),
                           .slots = { slot1, slot2 }, .parameter = parameter, .memory = memory,
                           .from = { model, joint->type->name } };
    j->scope.user = j;
}

/* Memory slots of joint k of a coupling start at k * TN_MAX_COORDINATES, its parameters after the coupling's own. */
static void open_coupling_scope(coupling_scope *c, const tn_model *model, const tn_joint *joint)
{
    *c = (coupling_scope){ .scope = { .lookup = lookup_coupling }, .type = joint->type,
                           .count = (int)joint->term_count };
    c->scope.user = c;
    c->motion = tn_joint_motion(joint);
    c->from = (tn_viewpoint){ model, joint->entity.name };
    c->names = (tn_viewpoint){ model, joint->type->name };
    c->constants = tn_constant_scope(&c->from);
    size_t used = 0;
    for (int k = 0; k < c->count; k++) {
        const tn_joint *other = &model->joints[joint->terms[k].joint];
        tn_joint_scope_open(&c->joints[k], model, other, 2 * k, 2 * k + 1, (k + 1) * TN_JOINT_PARAMETERS,
                            k * TN_MAX_COORDINATES);
        c->coordinate[k] = c->joints[k].form->coordinates[joint->terms[k].coordinate].expression;
        c->memory[k] = k * TN_MAX_COORDINATES + joint->terms[k].coordinate;
        used += (size_t)snprintf(c->sum + used, sizeof c->sum - used, "%s(%.17g) * q%d", k ? " + " : "",
                                 joint->terms[k].factor, k + 1);
    }
}

/* Scope of any joint's equations, in one of the two. */
typedef union any_scope {
    tn_joint_scope joint;
    coupling_scope coupling;
} any_scope;

static const tn_scope *open_scope(any_scope *any, const tn_model *model, const tn_joint *joint)
{
    if (joint->type->joints != 0) {
        open_coupling_scope(&any->coupling, model, joint);
        return &any->coupling.scope;
    }
    tn_joint_scope_open(&any->joint, model, joint, 0, 1, 0, 0);
    return &any->joint.scope;
}

/* ---- compiling ---- */

static int expression_error(const tn_model *model, const tn_joint *joint, const char *text, const tn_expr_error *error)
{
    return tn_fail(model->context, TN_ERROR_MODEL, joint->entity.span,
                   "joint '%s': type '%s': in \"%s\" at column %d: %s", joint->entity.name, joint->type->name, text,
                   error->offset + 1, error->message);
}

/* Compiles the expression of a drive by itself first, so that errors are reported at their place in the file. */
static int check_motion(const tn_model *model, const tn_joint *joint)
{
    const tn_viewpoint from = { model, joint->entity.name };
    tn_scope constants = tn_constant_scope(&from);
    tn_tape *tape = NULL;
    tn_output_info info;
    tn_expr_error error;
    TN_TRY(tn_tape_create(&tape, model->context));
    int code = tn_tape_add(tape, tn_joint_motion(joint)->text, &constants, &info, &error);
    tn_tape_destroy(tape);
    if (code != TN_ERROR_MODEL)
        return code;
    tn_span span = tn_joint_motion(joint)->span;
    span.column += span.line > 0 ? error.offset : 0;
    return tn_fail(model->context, code, span, "drive '%s': %s: a drive's motion is an expression of t",
                   joint->entity.name, error.message);
}

static int add_rows(tn_program *p, const tn_model *model, const tn_joint *joint, const char *text, bool velocity,
                    const tn_scope *scope)
{
    tn_output_info info;
    tn_expr_error error;
    int code = tn_tape_add(p->equations, text, scope, &info, &error);
    if (code == TN_ERROR_MODEL)
        return expression_error(model, joint, text, &error);
    TN_TRY(code);
    if (info.velocity != velocity)
        return tn_fail(model->context, TN_ERROR_MODEL, joint->entity.span,
                       velocity ? "joint '%s': type '%s': \"%s\" has no velocity in it: move it to equations"
                                : "joint '%s': type '%s': \"%s\" is at velocity level: move it to velocity_equations",
                       joint->entity.name, joint->type->name, text);
    p->timed |= info.timed;
    int components = info.vector ? model->dimension : 1;
    for (int k = 0; k < components; k++) {
        if (p->row_count == TN_JOINT_ROWS)
            return tn_fail(model->context, TN_ERROR_MODEL, joint->entity.span,
                           "joint '%s': type '%s' has more than %d equations", joint->entity.name, joint->type->name,
                           TN_JOINT_ROWS);
        p->rows[p->row_count++] = (tn_program_row){ tn_tape_outputs(p->equations) - 1, k, velocity };
    }
    return TN_OK;
}

static int compile_equations(tn_program *p, const tn_model *model, const tn_joint *joint, const tn_scope *scope)
{
    const tn_joint_form *form = tn_joint_form_of(model, joint->type);
    for (int k = 0; k < TN_JOINT_EQUATIONS && form->equations[k]; k++)
        TN_TRY(add_rows(p, model, joint, form->equations[k], false, scope));
    for (int k = 0; k < TN_JOINT_EQUATIONS && form->velocity_equations[k]; k++)
        TN_TRY(add_rows(p, model, joint, form->velocity_equations[k], true, scope));
    return TN_OK;
}

/* The last output of the equations. */
static int compile_separation(tn_program *p, const tn_model *model, const tn_joint *joint, const tn_scope *scope)
{
    const char *text = tn_joint_form_of(model, joint->type)->separation;
    tn_output_info info;
    tn_expr_error error;
    p->separation = -1;
    if (!text)
        return TN_OK;
    int code = tn_tape_add(p->equations, text, scope, &info, &error);
    if (code == TN_ERROR_MODEL)
        return expression_error(model, joint, text, &error);
    TN_TRY(code);
    TN_ASSERT(info.velocity && !info.vector);
    p->separation = tn_tape_outputs(p->equations) - 1;
    return TN_OK;
}

static int compile_coordinates(tn_program *p, const tn_model *model, const tn_joint *joint, const tn_scope *scope)
{
    const tn_joint_form *form = tn_joint_form_of(model, joint->type);
    p->coordinate_count = tn_joint_coordinate_count(form);
    if (p->coordinate_count == 0)
        return TN_OK;
    TN_TRY(tn_tape_create(&p->coordinates, model->context));
    for (int k = 0; k < p->coordinate_count; k++) {
        tn_output_info info;
        tn_expr_error error;
        /* by name, so that turn() finds its memory */
        int code = tn_tape_add(p->coordinates, form->coordinates[k].name, scope, &info, &error);
        if (code == TN_ERROR_MODEL)
            return expression_error(model, joint, form->coordinates[k].expression, &error);
        TN_TRY(code);
        if (info.vector || info.velocity)
            return tn_fail(model->context, TN_ERROR_MODEL, joint->entity.span,
                           "joint '%s': type '%s': coordinate '%s' must be a number at position level",
                           joint->entity.name, joint->type->name, form->coordinates[k].name);
        tn_dim dim = dim_of_unit(form->coordinates[k].unit);
        if (info.dim_known && memcmp(&info.dim, &dim, sizeof dim) != 0)
            return tn_fail(model->context, TN_ERROR_MODEL, joint->entity.span,
                           "joint '%s': type '%s': coordinate '%s' is not in %s", joint->entity.name, joint->type->name,
                           form->coordinates[k].name, form->coordinates[k].unit);
    }
    return TN_OK;
}

/* "x1 . z2" as axis numbers (0, 2); false when the text is something else. */
static bool parse_axis_product(const char *text, int *first, int *second)
{
    char a, b, rest;
    if (!text || sscanf(text, "%c1 . %c2%c", &a, &b, &rest) != 2 || a < 'x' || a > 'z' || b < 'x' || b > 'z')
        return false;
    *first = a - 'x';
    *second = b - 'x';
    return true;
}

/* A ball is "d"; a hinge is "d" and two products of different axes of frame 1 with the same axis of frame 2. */
static void recognize_pin(tn_program *p, const tn_joint_form *form)
{
    const char *const *e = form->equations;
    int second;
    if (form->velocity_equations[0] || !e[0] || strcmp(e[0], "d") != 0)
        return;
    if (!e[1])
        p->pin = TN_PIN_BALL;
    else if (parse_axis_product(e[1], &p->pin_axes[0], &p->pin_axes[2]) &&
             parse_axis_product(e[2], &p->pin_axes[1], &second) && !e[3] && second == p->pin_axes[2] &&
             p->pin_axes[0] != p->pin_axes[1])
        p->pin = TN_PIN_HINGE;
}

static void destroy_program(tn_program *p, tn_context *context)
{
    if (p->equations)
        tn_tape_destroy(p->equations);
    if (p->coordinates)
        tn_tape_destroy(p->coordinates);
    tn_free(context, p);
}

static int compile_program(tn_program *p, const tn_model *model, const tn_joint *joint)
{
    any_scope any;
    bool coupling = joint->type->joints != 0;
    const tn_scope *scope = open_scope(&any, model, joint);
    p->type = coupling ? NULL : joint->type;
    p->mirrored = joint->entity.mirrored;
    p->slot_count = coupling ? 2 * (int)joint->term_count : 2;
    p->has_speed = tn_joint_motion(joint) && tn_joint_uses_speed(tn_joint_form_of(model, joint->type));
    p->slot_count += p->has_speed;
    p->memory_count = coupling ? TN_MAX_COORDINATES * (int)joint->term_count
                               : tn_joint_coordinate_count(tn_joint_form_of(model, joint->type));
    if (tn_joint_motion(joint))
        TN_TRY(check_motion(model, joint));
    TN_TRY(tn_tape_create(&p->equations, model->context));
    TN_TRY(compile_equations(p, model, joint, scope));
    TN_TRY(compile_separation(p, model, joint, scope));
    if (!coupling)
        recognize_pin(p, tn_joint_form_of(model, joint->type));
    if (coupling)
        return TN_OK;
    TN_TRY(compile_coordinates(p, model, joint, scope));
    p->counts_turns = p->coordinates && tn_tape_remembers(p->coordinates);
    return TN_OK;
}

int tn_program_for(const tn_program **out, tn_program_list *list, const tn_model *model, const tn_joint *joint)
{
    for (size_t k = 0; k < list->count && joint->type->joints == 0; k++)
        if (list->items[k]->type == joint->type && list->items[k]->mirrored == joint->entity.mirrored) {
            *out = list->items[k];
            return TN_OK;
        }
    TN_TRY(tn_grow(model->context, &list->items, &list->capacity, list->count + 1, sizeof *list->items));
    tn_program *p = tn_alloc(model->context, 1, sizeof *p);
    if (!p)
        return TN_ERROR_MEMORY;
    int code = compile_program(p, model, joint);
    if (code < 0) {
        destroy_program(p, model->context);
        return code;
    }
    list->items[list->count++] = p;
    *out = p;
    return TN_OK;
}

void tn_program_list_destroy(tn_program_list *list, tn_context *context)
{
    for (size_t k = 0; k < list->count; k++)
        destroy_program(list->items[k], context);
    tn_free(context, list->items);
    *list = (tn_program_list){ 0 };
}

int tn_program_measure(const tn_model *model, const tn_joint *joint, const char *text, const tn_tape_input *input,
                       double *value)
{
    any_scope any;
    const tn_scope *scope = open_scope(&any, model, joint);
    tn_tape *tape = NULL;
    tn_output_info info;
    tn_expr_error error;
    TN_TRY(tn_tape_create(&tape, model->context));
    int code = tn_tape_add(tape, text, scope, &info, &error);
    if (code == TN_ERROR_MODEL)
        code = expression_error(model, joint, text, &error);
    double *work = code < 0 ? NULL : tn_alloc(model->context, tn_tape_work(tape), sizeof(double));
    if (work) {
        tn_tape_forward(tape, input, 0, work);
        *value = tn_tape_value(tape, work, 0, 0, 0);
        tn_free(model->context, work);
    }
    tn_tape_destroy(tape);
    return code < 0 ? code : work ? TN_OK : TN_ERROR_MEMORY;
}
