/* Finds the meaning of names in a force's expressions. */
#include "force_scope.h"

#include <math.h>
#include <string.h>
#include "units.h"

static const tn_symbol UNKNOWN = { .kind = TN_SYMBOL_UNKNOWN };
enum { UNIT_SIZE = 40 };

static tn_symbol constant(double value, const char *unit)
{
    double factor;
    tn_symbol symbol = { .kind = TN_SYMBOL_CONSTANT, .value = value };
    symbol.dim_known = unit && tn_unit_parse(unit, strlen(unit), &factor, &symbol.dim) == 0;
    return symbol;
}

/* The free parameter of a formula is the first of its parameters. */
static tn_symbol free_symbol(const char *unit)
{
    tn_symbol symbol = constant(0, unit);
    symbol.kind = TN_SYMBOL_PARAMETER;
    return symbol;
}

/* A number of the force that may be set while the system is in use. */
static tn_symbol number_symbol(const tn_force_scope *f, const tn_force *force, int k, const char *unit)
{
    tn_symbol symbol = constant(force->parameters[k], unit);
    const tn_system *s = f->formula->system;
    if (f->formula->constants || !s->forces[s->force_of[f->source]].settable[k])
        return symbol;
    symbol.kind = TN_SYMBOL_PARAMETER;
    symbol.index = f->parameters + k;
    return symbol;
}

static tn_symbol text_symbol(const char *text, const tn_scope *scope)
{
    return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = text, .scope = scope, .memory = -1 };
}

const char *tn_force_text(tn_system *s, const tn_force *force, const char *text)
{
    const char *bar = strchr(text, '|');
    if (!bar || tn_force_along_angle(s->model, force))
        return bar ? bar + 1 : text;
    size_t n = (size_t)(bar - text);
    char *first = tn_arena_alloc(s->arena, n + 1, 1);
    return first ? memcpy(first, text, n) : NULL;
}

static tn_symbol type_text(tn_formula *formula, const tn_force *force, const char *text, const tn_scope *scope)
{
    const char *meant = tn_force_text(formula->system, force, text);
    if (meant)
        return text_symbol(meant, scope);
    formula->code = TN_ERROR_MEMORY;
    return UNKNOWN;
}

static tn_symbol parameter_symbol(const tn_force_scope *f, const tn_force *force, const char *name)
{
    char unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(f->formula->system->model, force);
    for (int k = 0; k < TN_FORCE_PARAMETERS && force->type->parameters[k].name; k++) {
        const tn_parameter_decl *decl = &force->type->parameters[k];
        if (strcmp(decl->name, name) != 0)
            continue;
        if (f->formula->free_force == force && f->formula->free_parameter == k)
            return free_symbol(tn_unit_for(decl->unit, angle, unit, sizeof unit));
        const tn_expression *given = force->expressions ? force->expressions[k] : NULL;
        if (!given && decl->as_built && isnan(force->parameters[k]))
            return type_text(f->formula, force, decl->as_built, &f->scope);
        if (!given)
            return number_symbol(f, force, k, tn_unit_for(decl->unit, angle, unit, sizeof unit));
        if (strcmp(decl->unit, TN_UNIT_TABLE) == 0)
            return tn_constant_symbol(&f->names.from, given->text);
        return text_symbol(given->text, &f->names.scope);
    }
    return UNKNOWN;
}

tn_symbol tn_force_parameter_symbol(const tn_force_scope *f, const char *name)
{
    return parameter_symbol(f, &f->formula->system->model->forces[f->source], name);
}

static tn_symbol state_symbol(tn_formula *formula, const tn_sys_force *force, const char *name)
{
    const tn_force *source = &formula->system->model->forces[force->source];
    const char *own = source->unit && source->unit[0] ? source->unit : NULL;     /* of states whose type leaves it open */
    char unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(formula->system->model, source);
    for (int k = 0; k < force->state_count && k < TN_FORCE_STATES && force->type->states[k].name; k++)
        if (strcmp(force->type->states[k].name, name) == 0)
            return tn_formula_number(formula, (tn_slot){ TN_SLOT_STATE, force->state + k, 0 },
                                     force->type->states[k].unit ? tn_unit_for(force->type->states[k].unit, angle, unit, sizeof unit) : own);
    return UNKNOWN;
}

tn_symbol tn_force_state_symbol(tn_formula *formula, uint32_t source, const char *name)
{
    const tn_system *s = formula->system;
    return state_symbol(formula, &s->forces[s->force_of[source]], name);
}

/* "q" and "q1": the first, "q2" ...: the others. */
static tn_symbol coordinate_symbol(const tn_force_scope *f, const tn_force *force, const char *name)
{
    const tn_model *model = f->formula->system->model;
    int k = name[1] == '\0' ? 0 : name[1] - '1';
    if (name[0] != 'q' || k < 0 || k >= TN_FORCE_EFFORTS || (name[1] != '\0' && name[2] != '\0'))
        return UNKNOWN;
    if (force->type->place != TN_PLACE_JOINT)
        return force->type->along[k] ? text_symbol(force->type->along[k], &f->scope) : UNKNOWN;
    if (k > 0)
        return UNKNOWN;
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[force->joint].type);
    return text_symbol(form->coordinates[force->coordinate].name, f->joint);
}

static tn_symbol channel_text(tn_formula *formula, const tn_force *force, const char *name, const tn_scope *scope)
{
    const tn_channel_decl *channels = force->type->channels;
    for (int k = 0; k < TN_FORCE_CHANNELS && channels[k].name; k++)
        if (strcmp(channels[k].name, name) == 0)
            return type_text(formula, force, channels[k].expression, scope);
    return UNKNOWN;
}

tn_symbol tn_force_channel_text(const tn_force_scope *f, const char *name)
{
    return channel_text(f->formula, &f->formula->system->model->forces[f->source], name, &f->scope);
}

static tn_symbol lookup(const tn_scope *scope, const char *name)
{
    static const char *const axes[] = { "X", "Y", "Z" }, *const axis_names[] = { "x1", "y1", "z1" };
    const tn_force_scope *f = scope->user;
    tn_system *s = f->formula->system;
    const tn_force *force = &s->model->forces[f->source];
    tn_sys_force *compiled = &s->forces[s->force_of[f->source]];
    if (force->type->device && strcmp(name, "t") != 0)
        return tn_device_symbol(f, name);
    tn_symbol symbol = parameter_symbol(f, force, name);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    if (strcmp(name, "t") == 0)
        return tn_constant_symbol(&f->names.from, name);
    if (force->type->place == TN_PLACE_FRAMES && tn_frame_symbol(&symbol, name, f->slot1, f->slot2))
        return symbol;
    for (int k = 0; k < 3 && force->type->place == TN_PLACE_FRAMES; k++)
        if (strcmp(name, axes[k]) == 0 && tn_frame_symbol(&symbol, axis_names[k], f->world, f->world))
            return symbol;
    if (strcmp(name, "d") == 0 && force->type->place == TN_PLACE_FRAMES)
        return text_symbol("N - M", scope);
    symbol = coordinate_symbol(f, force, name);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    if (strcmp(name, "reaction") == 0 && force->type->place == TN_PLACE_JOINT) {
        compiled->reacts = s->reacts = true;
        return tn_formula_number(f->formula, (tn_slot){ TN_SLOT_REACTION, s->constraint_of[force->joint], 0 }, "N");
    }
    symbol = state_symbol(f->formula, compiled, name);
    return symbol.kind != TN_SYMBOL_UNKNOWN ? symbol : channel_text(f->formula, force, name, scope);
}

static int open_scope(tn_force_scope *f, tn_formula *formula, uint32_t source)
{
    tn_system *s = formula->system;
    const tn_force *force = &s->model->forces[source];
    const tn_sys_force *compiled = &s->forces[s->force_of[source]];
    *f = (tn_force_scope){ .scope = { .lookup = lookup, .user = f, .mirrored = force->entity.mirrored },
                           .formula = formula, .source = source };
    f->names = tn_formula_names(formula, force->entity.name);
    f->names.scope.user = &f->names;
    if (force->type->place == TN_PLACE_JOINT) {
        f->joint = tn_formula_joint_scope(formula, s->constraint_of[force->joint]);
        return f->joint ? TN_OK : TN_ERROR_MEMORY;
    }
    if (force->type->place == TN_PLACE_NONE)
        return TN_OK;
    f->slot1 = tn_formula_slot(formula, (tn_slot){ TN_SLOT_FRAME, compiled->frame1, 0 });
    f->slot2 = tn_formula_slot(formula, (tn_slot){ TN_SLOT_FRAME, compiled->frame2, 0 });
    f->world = tn_formula_slot(formula, (tn_slot){ TN_SLOT_FRAME, s->world_frame, 0 });
    return formula->code;
}

const tn_scope *tn_force_scope_in(tn_formula *formula, uint32_t source)
{
    tn_system *s = formula->system;
    for (int k = 0; k < formula->force_count; k++)
        if (formula->forces[k]->source == source)
            return &formula->forces[k]->scope;
    int room = tn_grow(s->context, &formula->forces, &formula->force_capacity, (size_t)formula->force_count + 1,
                       sizeof *formula->forces);
    tn_force_scope *f = tn_arena_alloc(s->arena, 1, sizeof *f);
    if (room < 0 || !f || open_scope(f, formula, source) < 0) {
        formula->code = TN_ERROR_MEMORY;
        return NULL;
    }
    formula->forces[formula->force_count++] = f;
    f->parameters = formula->parameter_count;
    formula->parameter_count += (int)tn_force_parameter_count(s->model->forces[source].type);
    return &f->scope;
}

void tn_formula_take_force_parameters(tn_formula *formula, uint32_t source)
{
    const tn_force *force = &formula->system->model->forces[source];
    bool any = false;
    for (int k = 0; k < formula->force_count; k++)
        if (formula->forces[k]->source == source) {
            memcpy(formula->parameters + formula->forces[k]->parameters, force->parameters,
                   tn_force_parameter_count(force->type) * sizeof(double));
            any = true;
        }
    if (any)
        tn_formula_take_affine(formula);
}

void tn_formula_take_all_forces(tn_formula *formula)
{
    for (int k = 0; k < formula->force_count; k++)
        tn_formula_take_force_parameters(formula, formula->forces[k]->source);
}

/* The value of an input, by the name of the input alone or with ".value". */
static tn_symbol input_symbol(tn_formula *formula, uint32_t source)
{
    const tn_system *s = formula->system;
    const char *unit = s->model->forces[source].unit;
    return tn_formula_number(formula, (tn_slot){ TN_SLOT_INPUT, s->forces[s->force_of[source]].state, 0 },
                             unit ? unit : "");
}

/* The text of a named expression, in the names that its entity sees. */
static tn_symbol named_symbol(tn_formula *formula, uint32_t source)
{
    const tn_force *force = &formula->system->model->forces[source];
    const tn_scope *scope = tn_force_scope_in(formula, source);
    if (!scope)
        return UNKNOWN;
    const tn_force_scope *f = scope->user;
    return force->expressions && force->expressions[0] ? text_symbol(force->expressions[0]->text, &f->names.scope)
                                                       : parameter_symbol(f, force, "value");
}

tn_symbol tn_force_channel_symbol(tn_formula *formula, uint32_t source, const char *what)
{
    tn_system *s = formula->system;
    if (s->force_of[source] < 0)
        return UNKNOWN;
    const tn_force *force = &s->model->forces[source];
    if (force->type->input && (what[0] == '\0' || strcmp(what, "value") == 0))
        return input_symbol(formula, source);
    if (force->type->named && (what[0] == '\0' || strcmp(what, "value") == 0))
        return named_symbol(formula, source);
    if (force->type->device)
        return tn_device_channel_symbol(formula, source, what);
    const tn_scope *scope = tn_force_scope_in(formula, source);
    if (!scope)
        return UNKNOWN;
    tn_symbol symbol = state_symbol(formula, &s->forces[s->force_of[source]], what);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    symbol = channel_text(formula, force, what, scope);
    return symbol.kind != TN_SYMBOL_UNKNOWN ? symbol : parameter_symbol(scope->user, force, what);
}
