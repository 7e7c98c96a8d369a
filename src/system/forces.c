/* Forces: from their types' expressions to what acts on the bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "system.h"
#include "units.h"
#include "vec.h"

static const tn_symbol UNKNOWN = { .kind = TN_SYMBOL_UNKNOWN };
enum { UNIT_SIZE = 40, WHAT_SIZE = 200 };

/* ---- names in expressions ---- */

/* Where the names of a force's expressions lead, in one formula. */
typedef struct tn_force_scope {
    tn_scope scope;
    tn_formula *formula;
    uint32_t source;
    int slot1, slot2, world;
    const tn_scope *joint;         /* place JOINT */
} tn_force_scope;

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

static tn_symbol text_symbol(const char *text, const tn_scope *scope)
{
    return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = text, .scope = scope, .memory = -1 };
}

/* The part of a type's expression that is meant: "A|B" is A along a length and B along an angle. NULL: no memory. */
static const char *text_for(tn_system *s, const tn_force *force, const char *text)
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
    const char *meant = text_for(formula->system, force, text);
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
            return constant(force->parameters[k], tn_unit_for(decl->unit, angle, unit, sizeof unit));
        if (strcmp(decl->unit, TN_UNIT_TABLE) == 0)
            return tn_constant_symbol(f->formula->system->model, given->text);
        return text_symbol(given->text, &f->formula->scope);
    }
    return UNKNOWN;
}

static tn_symbol state_symbol(tn_formula *formula, const tn_sys_force *force, const char *name)
{
    const tn_model *model = formula->system->model;
    char unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(model, &model->forces[force->source]);
    for (int k = 0; k < force->state_count; k++)
        if (strcmp(force->type->states[k].name, name) == 0)
            return tn_formula_number(formula, (tn_slot){ TN_SLOT_STATE, force->state + k, 0 },
                                     tn_unit_for(force->type->states[k].unit, angle, unit, sizeof unit));
    return UNKNOWN;
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

static tn_symbol lookup(const tn_scope *scope, const char *name)
{
    static const char *const axes[] = { "X", "Y", "Z" }, *const axis_names[] = { "x1", "y1", "z1" };
    const tn_force_scope *f = scope->user;
    tn_system *s = f->formula->system;
    const tn_force *force = &s->model->forces[f->source];
    tn_sys_force *compiled = &s->forces[s->force_of[f->source]];
    tn_symbol symbol = parameter_symbol(f, force, name);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    if (strcmp(name, "t") == 0)
        return tn_constant_symbol(s->model, name);
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
    *f = (tn_force_scope){ .scope = { .lookup = lookup, .user = f }, .formula = formula, .source = source };
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
    return &f->scope;
}

tn_symbol tn_force_channel_symbol(tn_formula *formula, uint32_t source, const char *what)
{
    tn_system *s = formula->system;
    if (s->force_of[source] < 0)
        return UNKNOWN;
    const tn_force *force = &s->model->forces[source];
    const tn_scope *scope = tn_force_scope_in(formula, source);
    if (!scope)
        return UNKNOWN;
    tn_symbol symbol = state_symbol(formula, &s->forces[s->force_of[source]], what);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    symbol = channel_text(formula, force, what, scope);
    return symbol.kind != TN_SYMBOL_UNKNOWN ? symbol : parameter_symbol(scope->user, force, what);
}

/* ---- compiling ---- */

typedef struct compiler {
    tn_system *system;
    const tn_force *force;
    tn_sys_force *out;
    const tn_scope *scope;
    bool changes;                  /* some parameter is an expression */
} compiler;

static int output(int *index, compiler *c, const char *text, const char *unit)
{
    char what[WHAT_SIZE];
    snprintf(what, sizeof what, "force '%.80s': type '%.60s'", c->force->entity.name, c->force->type->name);
    *index = tn_tape_outputs(c->out->formula->tape);
    text = text_for(c->system, c->force, text);
    if (!text)
        return TN_ERROR_MEMORY;
    return tn_formula_add(c->out->formula, text, c->scope, unit, c->force->entity.span, what, NULL);
}

/* Each for itself first, so that mistakes are reported where they stand in the file. */
static int check_expressions(compiler *c)
{
    char what[WHAT_SIZE], unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(c->system->model, c->force);
    int worst = TN_OK;
    for (int k = 0; c->force->expressions && k < TN_FORCE_PARAMETERS && c->force->type->parameters[k].name; k++) {
        const tn_parameter_decl *decl = &c->force->type->parameters[k];
        const tn_expression *e = c->force->expressions[k];
        if (!e)
            continue;
        c->changes |= strcmp(decl->unit, TN_UNIT_TABLE) != 0;
        snprintf(what, sizeof what, "force '%.80s': '%.60s'", c->force->entity.name, decl->name);
        int code = strcmp(decl->unit, TN_UNIT_TABLE) == 0
                       ? tn_table_check(c->system->model, e, what)
                       : tn_formula_add(c->out->formula, e->text, NULL,
                                        tn_unit_for(decl->unit, angle, unit, sizeof unit), e->span, what, NULL);
        worst = code < 0 ? code : worst;
    }
    return worst;
}

/* A condition that is not a number now, because a parameter changes, is not looked at. */
static int check_requirements(compiler *c)
{
    int worst = TN_OK;
    for (int k = 0; k < TN_FORCE_REQUIREMENTS && c->force->type->requirements[k].condition; k++) {
        const tn_requirement *r = &c->force->type->requirements[k];
        const char *condition = text_for(c->system, c->force, r->condition);
        tn_output_info info = { .constant = true };
        tn_expr_error error;
        double holds = 1;
        if (!condition)
            return TN_ERROR_MEMORY;
        int code = tn_expr_number(c->system->context, condition, c->scope, &holds, &info, &error);
        if (code == TN_ERROR_MODEL && !info.constant)
            continue;
        if (code == TN_ERROR_MODEL || (code == TN_OK && holds == 0))
            code = tn_fail(c->system->context, TN_ERROR_MODEL, c->force->entity.span, "force '%.80s': %s",
                           c->force->entity.name, code == TN_OK ? r->message : error.message);
        worst = code < 0 ? code : worst;
    }
    return worst;
}

static int compile_efforts(compiler *c)
{
    const tn_force_type *type = c->force->type;
    int ignored;
    while (c->out->effort_count < TN_FORCE_EFFORTS && type->effort[c->out->effort_count])
        c->out->effort_count++;
    c->out->along = tn_tape_outputs(c->out->formula->tape);
    for (int k = 0; k < c->out->effort_count; k++)
        TN_TRY(output(&ignored, c, type->place == TN_PLACE_JOINT ? "q" : type->along[k], NULL));
    c->out->effort = c->out->along + c->out->effort_count;
    for (int k = 0; k < c->out->effort_count; k++)
        TN_TRY(output(&ignored, c, type->effort[k], tn_force_along_angle(c->system->model, c->force) ? "N m" : NULL));
    return TN_OK;
}

static int compile_states(compiler *c)
{
    const tn_force_type *type = c->force->type;
    char unit[UNIT_SIZE];
    bool angle = tn_force_along_angle(c->system->model, c->force);
    int ignored;
    c->out->state_start = tn_tape_outputs(c->out->formula->tape);
    for (int k = 0; k < c->out->state_count; k++)
        TN_TRY(output(&ignored, c, type->states[k].start, tn_unit_for(type->states[k].unit, angle, unit, sizeof unit)));
    c->out->state_rate = c->out->state_start + c->out->state_count;
    for (int k = 0; k < c->out->state_count; k++)
        TN_TRY(output(&ignored, c, type->states[k].rate, NULL));
    return TN_OK;
}

/* free_parameter: by declaration; -1: none. */
static int compile_force(tn_system *s, tn_sys_force *out, int free_parameter)
{
    const tn_force *force = &s->model->forces[out->source];
    const tn_force_type *type = force->type;
    compiler c = { .system = s, .force = force, .out = out };
    TN_TRY(tn_formula_create(&out->formula, s));
    out->formula->free_force = free_parameter < 0 ? NULL : force;
    out->formula->free_parameter = free_parameter;
    c.scope = tn_force_scope_in(out->formula, out->source);
    if (!c.scope)
        return TN_ERROR_MEMORY;
    TN_TRY(check_expressions(&c));
    TN_TRY(check_requirements(&c));
    TN_TRY(compile_efforts(&c));
    TN_TRY(compile_states(&c));
    if (type->force)
        TN_TRY(output(&out->force, &c, type->force, "N"));
    if (type->torque)
        TN_TRY(output(&out->torque, &c, type->torque, "N m"));
    if (type->potential && !c.changes) {
        TN_TRY(output(&out->potential, &c, type->potential, "J"));
        if (type->loss)
            TN_TRY(output(&out->loss, &c, type->loss, "W"));
    }
    return tn_formula_finish(out->formula);
}

int tn_force_set_free(tn_sys_force *out, tn_system *s, int force, int parameter)
{
    *out = s->forces[force];
    out->effort_count = 0;
    out->potential = out->loss = -1;
    return compile_force(s, out, parameter);
}

/* Every state that a force or a drive may have; expressions may name those of other forces. */
int tn_system_number_states(tn_system *s)
{
    const tn_model *m = s->model;
    size_t most = m->force_count * TN_FORCE_STATES;
    for (uint32_t k = 0; k < m->joint_count; k++)
        most += tn_joint_active(m, k) && m->joints[k].motion;
    s->state = tn_arena_alloc(s->arena, most, sizeof(tn_sys_state));
    if (!s->state)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->force_count; k++)
        for (int n = 0; tn_force_active(m, k) && n < TN_FORCE_STATES && m->forces[k].type->states[n].name; n++)
            s->state[s->states++] = (tn_sys_state){ .source = k, .decl = n };
    for (uint32_t k = 0; k < m->joint_count; k++) {
        const tn_joint *joint = &m->joints[k];
        if (!tn_joint_active(m, k) || !joint->motion || !tn_joint_uses_speed(tn_joint_form_of(m, joint->type)))
            continue;
        double own = joint->start_rate[0];
        double rate = isnan(own) ? m->joints[joint->terms[0].joint].start_rate[joint->terms[0].coordinate] : own;
        s->state[s->states++] = (tn_sys_state){ .source = k, .decl = -1, .start = isnan(rate) ? 0 : rate };
        s->drive_states++;
    }
    return TN_OK;
}

static int number_forces(tn_system *s)
{
    const tn_model *m = s->model;
    int state = 0;
    s->forces = tn_arena_alloc(s->arena, m->force_count, sizeof(tn_sys_force));
    s->force_of = tn_arena_alloc(s->arena, m->force_count, sizeof(int));
    if (!s->forces || !s->force_of)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->force_count; k++) {
        const tn_force *from = &m->forces[k];
        s->force_of[k] = -1;
        if (!tn_force_active(m, k))
            continue;
        tn_sys_force *force = &s->forces[s->force_count];
        *force = (tn_sys_force){ .source = k, .type = from->type, .frame1 = -1, .frame2 = -1, .force = -1,
                                 .torque = -1, .potential = -1, .loss = -1, .state = state };
        while (force->state_count < TN_FORCE_STATES && from->type->states[force->state_count].name)
            force->state_count++;
        state += force->state_count;
        if (from->type->place == TN_PLACE_FRAMES) {
            force->frame1 = tn_system_add_frame(s, from->body1, &from->frame1);
            force->frame2 = tn_system_add_frame(s, from->body2, &from->frame2);
            if (force->frame1 < 0 || force->frame2 < 0)
                return TN_ERROR_MEMORY;
        }
        s->force_of[k] = s->force_count++;
    }
    return TN_OK;
}

/* The rate of a drive's speed. */
static int compile_drive(tn_system *s, tn_sys_state *state)
{
    const tn_expression *motion = s->model->joints[state->source].motion;
    tn_scope constants = tn_constant_scope(s->model);
    TN_TRY(tn_formula_create(&state->formula, s));
    TN_TRY(tn_formula_add(state->formula, motion->text, &constants, NULL, motion->span, "motion of a drive", NULL));
    return tn_formula_finish(state->formula);
}

static int compile_gravity(tn_system *s)
{
    static const char *const what[] = { "gravity: x", "gravity: y", "gravity: z" };
    const tn_expression *texts = s->model->gravity_text;
    if (!texts[0].text && !texts[1].text && !texts[2].text)
        return TN_OK;
    int worst = TN_OK;
    TN_TRY(tn_formula_create(&s->gravity_formula, s));
    for (int k = 0; k < 3; k++) {
        char number[32];
        snprintf(number, sizeof number, "%.17g", s->model->gravity[k]);
        int code = tn_formula_add(s->gravity_formula, texts[k].text ? texts[k].text : number, NULL, "m/s^2",
                                  texts[k].span, what[k], NULL);
        worst = code < 0 ? code : worst;
    }
    TN_TRY(worst);
    return tn_formula_finish(s->gravity_formula);
}

int tn_system_compile_forces(tn_system *s)
{
    const tn_pose world = tn_pose_identity();
    s->world_frame = tn_system_add_frame(s, 0, &world);
    if (s->world_frame < 0)
        return s->world_frame;
    TN_TRY(number_forces(s));
    int worst = compile_gravity(s);
    for (int k = 0; k < s->force_count && worst != TN_ERROR_MEMORY; k++) {
        int code = compile_force(s, &s->forces[k], -1);
        worst = code < 0 ? code : worst;
    }
    for (int k = s->states - s->drive_states; k < s->states && worst == TN_OK; k++)
        worst = compile_drive(s, &s->state[k]);
    return worst;
}

void tn_system_find_starts(tn_system *s, tn_eval *e, const double *memory)
{
    for (size_t k = 0; k < s->formula_count; k++)
        tn_formula_take_joint_parameters(s->formulas[k]);
    for (int k = 0; k < s->force_count; k++) {
        const tn_sys_force *force = &s->forces[k];
        if (force->state_count == 0)
            continue;
        tn_formula_evaluate(force->formula, e, memory, NULL, 1);
        for (int n = 0; n < force->state_count; n++) {
            double given = s->model->forces[force->source].start[n];
            s->state[force->state + n].start =
                isnan(given) ? tn_formula_value(force->formula, e, force->state_start + n, 0) : given;
        }
    }
}

/* ---- evaluation ---- */

/* Adds a wrench at a world point to a body's generalised forces. */
static void add_wrench(tn_eval *e, const tn_system *s, int b, const double point[3], const tn_wrench *wrench,
                       double sign)
{
    if (b < 0)
        return;
    const tn_sys_body *body = &s->bodies[b];
    double arm[3] = { point[0], point[1], 0 }, torque[3];
    for (int k = 0; k < s->dimension; k++) {
        arm[k] = point[k] - e->q[body->q + k];
        e->f[body->v + k] += sign * wrench->force[k];
    }
    if (body->motion == TN_MOTION_PARTICLE)
        return;
    tn_cross3(torque, arm, wrench->force);
    tn_add3(torque, torque, wrench->torque);
    if (body->motion == TN_MOTION_PLANAR)
        e->f[body->v + 2] += sign * torque[2];
    else
        tn_axpy3(e->f + body->v + 3, sign, torque);
}

static tn_wrench wrench_of(const tn_eval *e, const tn_sys_force *force)
{
    tn_wrench wrench = { { 0 }, { 0 } };
    for (int k = 0; k < 3; k++) {
        if (force->force >= 0)
            wrench.force[k] = tn_tape_value(force->formula->tape, e->work, force->force, k, 0);
        if (force->torque >= 0)
            wrench.torque[k] = tn_tape_value(force->formula->tape, e->work, force->torque, k, 0);
    }
    return wrench;
}

/* The parameter whose expression is to blame, -1: none. Their outputs come first, in order. */
static int guilty_parameter(const tn_eval *e, const tn_force *source, const tn_formula *formula)
{
    const tn_parameter_decl *declared = source->type->parameters;
    for (int k = 0, n = 0; source->expressions && k < TN_FORCE_PARAMETERS && declared[k].name; k++)
        if (source->expressions[k] && strcmp(declared[k].unit, TN_UNIT_TABLE) != 0 &&
            !isfinite(tn_formula_value(formula, e, n++, 0)))
            return k;
    return -1;
}

static void note_trouble(tn_eval *e, const tn_system *s, const tn_sys_force *force)
{
    const tn_force *source = &s->model->forces[force->source];
    char why[80] = "no finite number";
    if (e->failed)
        return;
    int outputs = tn_tape_outputs(force->formula->tape), guilty = guilty_parameter(e, source, force->formula);
    for (int k = 0; k < outputs; k++)
        if (tn_tape_trouble(force->formula->tape, e->work, k, why, sizeof why))
            break;
    e->failed = source->entity.name;
    e->failed_span = guilty >= 0 ? source->expressions[guilty]->span : source->entity.span;
    snprintf(e->trouble, sizeof e->trouble, "force '%.80s': %s'%.60s': %s", e->failed, guilty >= 0 ? "" : "type ",
             guilty >= 0 ? source->type->parameters[guilty].name : source->type->name, why);
}

void tn_eval_force(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory)
{
    double sum = 0;
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    for (int k = 0; k < force->effort_count; k++)
        sum += tn_formula_value(force->formula, e, force->effort + k, 0);
    for (int k = 0; k < force->state_count; k++)
        sum += e->dz[force->state + k] = tn_formula_value(force->formula, e, force->state_rate + k, 0);
    tn_wrench wrench = wrench_of(e, force);
    if (!isfinite(sum + tn_norm3(wrench.force) + tn_norm3(wrench.torque))) {
        note_trouble(e, s, force);
        return;
    }
    for (int k = 0; k < force->effort_count; k++)
        tn_formula_add_gradient(force->formula, e, force->along + k,
                                tn_formula_value(force->formula, e, force->effort + k, 0), e->f);
    if (force->force < 0 && force->torque < 0)
        return;
    const double *point = e->leaves[TN_LEAVES * 1 + TN_LEAF_POINT].x;      /* N: slot 2 of the force's own frames */
    add_wrench(e, s, s->frames[force->frame2].body, point, &wrench, 1);
    add_wrench(e, s, s->frames[force->frame1].body, point, &wrench, -1);
}

void tn_eval_drives(tn_eval *e, const tn_system *s, const double *memory)
{
    for (int k = s->states - s->drive_states; k < s->states; k++) {
        tn_formula_evaluate(s->state[k].formula, e, memory, NULL, 0);
        e->dz[k] = tn_formula_value(s->state[k].formula, e, 0, 0);
    }
}

void tn_eval_forces(tn_eval *e, const tn_system *s, const double *memory)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        double *f = e->f + body->v;
        for (int k = 0; k < s->dimension; k++)
            f[k] = body->mass * e->gravity[k];
        if (body->motion == TN_MOTION_PLANAR)
            f[2] = 0;
        if (body->motion == TN_MOTION_SPATIAL) {
            double spin[3];
            tn_spin(e, s, b, spin);
            tn_cross3(f + 3, spin, e->w[b]);       /* - w x J w */
        }
    }
    tn_eval_drives(e, s, memory);
    for (int k = 0; k < s->force_count; k++)
        tn_eval_force(e, s, &s->forces[k], memory);
}

double tn_force_parameter_value(tn_eval *e, const tn_system *s, const tn_sys_force *force, int parameter,
                                const double *memory)
{
    const tn_force *source = &s->model->forces[force->source];
    int output = 0;
    if (!source->expressions || !source->expressions[parameter])
        return source->parameters[parameter];
    for (int k = 0; k < parameter; k++)
        output += source->expressions[k] && strcmp(source->type->parameters[k].unit, TN_UNIT_TABLE) != 0;
    tn_formula_evaluate(force->formula, e, memory, NULL, 0);
    return tn_formula_value(force->formula, e, output, 0);
}

/* ---- energy ---- */

double tn_force_power(tn_eval *e, const tn_system *s, const tn_sys_force *force, const double *memory)
{
    double power = 0, turn[3];
    tn_formula_evaluate(force->formula, e, memory, NULL, 1);
    for (int k = 0; k < force->effort_count; k++)
        power += tn_formula_value(force->formula, e, force->effort + k, 0) *
                 tn_formula_value(force->formula, e, force->along + k, 1);
    if (force->force < 0 && force->torque < 0)
        return power;
    /* both ends act at N: the material point of body 1 there moves with v1 + w1 x (N - M) */
    const tn_leaf *M = e->leaves + TN_LEAF_POINT, *N = M + TN_LEAVES;
    const double *w1 = e->leaves[TN_LEAF_W].x, *w2 = e->leaves[TN_LEAVES + TN_LEAF_W].x;
    tn_wrench wrench = wrench_of(e, force);
    double arm[3];
    tn_sub3(arm, N->x, M->x);
    tn_cross3(turn, w1, arm);
    for (int k = 0; k < s->dimension; k++)
        power += wrench.force[k] * (N->dx[k] - M->dx[k] - turn[k]);
    for (int k = s->dimension == 2 ? 2 : 0; k < 3; k++)
        power += wrench.torque[k] * (w2[k] - w1[k]);
    return power;
}
