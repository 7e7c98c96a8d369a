/* Compiles formulas: expressions over the motion of the whole system. */
#include "formula.h"
#include "device_network.h"

#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "hybrid.h"
#include "system.h"
#include "units.h"
#include "vec.h"

static const tn_symbol UNKNOWN = { .kind = TN_SYMBOL_UNKNOWN };

/* ---- slots ---- */

int tn_formula_slot(tn_formula *f, tn_slot slot)
{
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind == slot.kind && f->slots[k].index == slot.index && f->slots[k].offset == slot.offset)
            return k;
    int code = tn_grow(f->system->context, &f->slots, &f->slot_capacity, (size_t)f->slot_count + 1, sizeof *f->slots);
    if (code < 0)
        return f->code = code;
    f->slots[f->slot_count] = slot;
    return f->slot_count++;
}

static int frame_slot(tn_formula *f, int frame)
{
    return frame < 0 ? (f->code = frame) : tn_formula_slot(f, (tn_slot){ .kind = TN_SLOT_FRAME, .index = frame });
}

/* Adds the memory entries of a joint's coordinates. Returns the first index, or an error. */
static int take_memory(tn_formula *f, int constraint)
{
    const tn_coordinates *c = &f->system->coordinates[constraint];
    int first = f->memory_count;
    int code = tn_grow(f->system->context, &f->memory, &f->memory_capacity, (size_t)(first + c->count), sizeof(int));
    if (code < 0)
        return f->code = code;
    for (int k = 0; k < c->count; k++)
        f->memory[f->memory_count++] = c->memory + k;
    return first;
}

const tn_scope *tn_formula_joint_scope(tn_formula *f, int constraint)
{
    tn_system *s = f->system;
    const tn_constraint *c = &s->constraints[constraint];
    for (int k = 0; k < f->joint_count; k++)
        if (f->joints[k].constraint == constraint)
            return &f->joints[k].scope->scope;
    int room = tn_grow(s->context, &f->joints, &f->joint_capacity, (size_t)f->joint_count + 1, sizeof *f->joints);
    tn_joint_scope *scope = tn_arena_alloc(s->arena, 1, sizeof *scope);
    int slot1 = frame_slot(f, c->frames[0]), slot2 = frame_slot(f, c->frames[1]), memory = take_memory(f, constraint);
    if (room < 0 || !scope || f->code < 0) {
        f->code = TN_ERROR_MEMORY;
        return NULL;
    }
    tn_joint_scope_open(scope, s->model, &s->model->joints[c->source], slot1, slot2,
                        f->parameter_count, memory);
    f->joints[f->joint_count++] = (tn_formula_joint){ constraint, f->parameter_count, scope };
    f->parameter_count += TN_JOINT_PARAMETERS;
    return &scope->scope;
}

/* ---- names ---- */

tn_symbol tn_formula_number(tn_formula *f, tn_slot slot, const char *unit)
{
    double factor;
    tn_symbol symbol = { .kind = TN_SYMBOL_SCALAR, .rateless = slot.kind != TN_SLOT_ANGLE && slot.kind != TN_SLOT_INPUT };
    int k = tn_formula_slot(f, slot);
    if (k < 0)
        return UNKNOWN;
    symbol.index = TN_LEAVES * k;
    symbol.dim_known = unit && tn_unit_parse(unit, strlen(unit), &factor, &symbol.dim) == 0;
    return symbol;
}

/* The names "p", "w", "x", "y" and "z" of one frame, from which its channels are computed. */
typedef struct frame_scope {
    tn_scope scope;
    int slot;
} frame_scope;

static tn_symbol lookup_frame(const tn_scope *scope, const char *name)
{
    static const char *const names[][2] = { { "p", "M" }, { "w", "w1" }, { "x", "x1" }, { "y", "y1" }, { "z", "z1" } };
    const frame_scope *frame = scope->user;
    tn_symbol symbol = UNKNOWN;
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (strcmp(name, names[k][0]) == 0)
            tn_frame_symbol(&symbol, names[k][1], frame->slot, frame->slot);
    return symbol;
}

static tn_symbol frame_text(tn_formula *f, int slot, const char *text)
{
    frame_scope *scope = tn_arena_alloc(f->system->arena, 1, sizeof *scope);
    if (!scope) {
        f->code = TN_ERROR_MEMORY;
        return UNKNOWN;
    }
    *scope = (frame_scope){ .scope = { .lookup = lookup_frame, .user = scope }, .slot = slot };
    return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = text, .scope = &scope->scope, .memory = -1 };
}

/* Orientation as numbers: axes, and the angles of three rotations about axes that turn along (euler_zyx: about z, then y,
 * then x). */
static const struct { const char *name, *text; } orientations[] = {
    { "x_axis", "x" },
    { "y_axis", "y" },
    { "z_axis", "z" },
    { "euler_zyx_1", "atan2((x).y, (x).x)" },
    { "euler_zyx_2", "atan2(-(x).z, hypot((x).x, (x).y))" },
    { "euler_zyx_3", "atan2((y).z, (z).z)" },
    { "euler_xyz_1", "atan2(-(z).y, (z).z)" },
    { "euler_xyz_2", "atan2((z).x, hypot((z).y, (z).z))" },
    { "euler_xyz_3", "atan2(-(y).x, (x).x)" },
    { "euler_zxz_1", "atan2((z).x, -(z).y)" },
    { "euler_zxz_2", "atan2(hypot((z).x, (z).y), (z).z)" },
    { "euler_zxz_3", "atan2((x).z, (y).z)" },
};

/* NULL: no such channel. */
static const char *orientation_text(const tn_system *s, const char *what)
{
    for (size_t k = 0; k < TN_LENGTH(orientations); k++)
        if (strcmp(what, orientations[k].name) == 0 && (s->dimension == 3 || what[0] != 'e'))
            return orientations[k].text;
    return NULL;
}

static tn_symbol frame_channel(tn_formula *f, uint32_t body_slot, const tn_pose *pose, const char *what)
{
    tn_system *s = f->system;
    int body = s->body_of[body_slot];
    bool turns = body >= 0 && s->bodies[body].motion != TN_MOTION_PARTICLE;
    bool position = strcmp(what, "position") == 0, velocity = strcmp(what, "velocity") == 0;
    if (strcmp(what, "angle") == 0 && s->dimension == 2 && turns)
        return tn_formula_number(f, (tn_slot){ TN_SLOT_ANGLE, body, 2 * tn_atan2(pose->q[3], pose->q[0]) }, "rad");
    bool spin = strcmp(what, "angular_velocity") == 0 && turns;
    const char *orientation = turns || body < 0 ? orientation_text(s, what) : NULL;
    if (!position && !velocity && !spin && !orientation)
        return UNKNOWN;
    tn_symbol symbol = UNKNOWN;
    int slot = frame_slot(f, tn_system_add_frame(s, body_slot, pose));
    if (slot < 0 || (position && tn_frame_symbol(&symbol, "M", slot, slot)))
        return symbol;
    if (spin && s->dimension == 3 && tn_frame_symbol(&symbol, "w1", slot, slot))
        return symbol;
    return frame_text(f, slot, orientation ? orientation : spin ? "(w).z" : "vel(p)");
}

static const char *const frame_channels[] = { "position", "velocity", "angular_velocity", "angle" };

/* "position.z" is channel 0, component 2; component -1: the whole vector. Returns -1 for other names. */
static int split_channel(const char *what, int *component)
{
    const size_t n = strlen(what);
    const bool part = n > 2 && what[n - 2] == '.' && what[n - 1] >= 'x' && what[n - 1] <= 'z';
    const size_t length = part ? n - 2 : n;
    *component = part ? what[n - 1] - 'x' : -1;
    for (int k = 0; k < (int)TN_LENGTH(frame_channels); k++)
        if (strlen(frame_channels[k]) == length && strncmp(what, frame_channels[k], length) == 0)
            return k;
    return -1;
}

/* The map x = A y + b that undoes all mirrors that contain both entities. Each mirror, from the outermost inwards,
 * makes it A (y - 2 n n . (y - p)) + b. Returns the number of mirrors. */
static int look_back(const tn_model *m, const char *from, const char *path, double A[3][3], double b[3])
{
    int count = 0;
    double n[3], image[3];
    for (size_t k = SIZE_MAX; (k = tn_model_mirror_around(m, k, from, path, n)) != SIZE_MAX; count++) {
        tn_mul33(image, (const double (*)[3])A, n);
        tn_axpy3(b, 2 * tn_dot3(n, m->subsystems[k].world.p), image);
        for (int i = 0; i < 3; i++)
            tn_axpy3(A[i], -2 * image[i], n);
    }
    return count;
}

/* "(-1) * (p).y + (0.4)" in the arena; NULL: out of memory. */
static const char *image_text(const tn_formula *f, const char *vector, const double factors[3], double constant)
{
    const double nothing = 1e-14;      /* factors below this are round-off */
    enum { SIZE = 240 };
    char *text = tn_arena_alloc(f->system->arena, SIZE, 1);
    size_t used = 0;
    for (int k = 0; text && k < f->system->dimension; k++)
        if (fabs(factors[k]) > nothing)
            used += (size_t)snprintf(text + used, SIZE - used, "%s(%.17g) * (%s).%c", used > 0 ? " + " : "", factors[k],
                                     vector, 'x' + k);
    if (text && constant != 0)
        snprintf(text + used, SIZE - used, " + (%.17g)", constant);
    return text;
}

/* A channel of a body or frame, for an entity in the same mirrors: its value without the mirrors. Only components of
 * vectors have such a value; angles of bodies do not. */
static tn_symbol mirrored_channel(tn_formula *f, const char *from, const char *path, uint32_t body, const tn_pose *pose,
                                  const char *what)
{
    static const char *const vectors[] = { "p", "vel(p)", "w" };
    double A[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, b[3] = { 0 };
    int component, channel = split_channel(what, &component);
    f->changed |= orientation_text(f->system, what) != NULL;
    if (channel < 0)
        return UNKNOWN;
    bool position = channel == 0, turns = channel == 2, planar_turn = turns && f->system->dimension == 2;
    if (channel >= (int)TN_LENGTH(vectors) || (component < 0 && !planar_turn)) {
        f->changed = true;
        return UNKNOWN;
    }
    bool odd = look_back(f->system->model, from, path, A, b) % 2 != 0;
    int slot = frame_slot(f, tn_system_add_frame(f->system, body, pose));
    if (slot < 0)
        return UNKNOWN;
    if (planar_turn)
        return frame_text(f, slot, odd ? "-(w).z" : "(w).z");
    for (int k = 0; k < 3 && turns && odd; k++)
        A[component][k] = -A[component][k];
    const char *text = image_text(f, vectors[channel], A[component], position ? b[component] : 0);
    f->code = text ? f->code : TN_ERROR_MEMORY;
    return text ? frame_text(f, slot, text) : UNKNOWN;
}

static tn_symbol joint_channel(tn_formula *f, uint32_t joint, const char *what)
{
    int constraint = f->system->constraint_of[joint];
    const tn_joint *source = &f->system->model->joints[joint];
    const tn_joint_form *form = tn_joint_form_of(f->system->model, source->type);
    if (constraint < 0 || source->type->joints != 0)
        return UNKNOWN;
    for (int k = 0; k < tn_joint_coordinate_count(form); k++) {
        const char *name = form->coordinates[k].name;
        size_t n = strlen(name);
        bool value = strcmp(what, name) == 0;
        bool rate = (strncmp(what, name, n) == 0 && strcmp(what + n, ".rate") == 0) ||
                    (k == 0 && strcmp(what, "rate") == 0);
        if (!value && !rate)
            continue;
        const tn_scope *scope = tn_formula_joint_scope(f, constraint);
        char *text = scope ? tn_arena_alloc(f->system->arena, n + 6, 1) : NULL;
        if (!text) {
            f->code = TN_ERROR_MEMORY;
            return UNKNOWN;
        }
        snprintf(text, n + 6, rate ? "vel(%s)" : "%s", name);
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = text, .scope = scope, .memory = -1 };
    }
    return UNKNOWN;
}

/* An expression that the motion depends on reads an entity in the same mirror. */
static bool is_mirrored(const tn_formula *f, const char *from, const char *path)
{
    double normal[3];
    return f->acts && from && tn_model_mirror_around(f->system->model, SIZE_MAX, from, path, normal) != SIZE_MAX;
}

/* A channel of a body or frame. */
static tn_symbol motion_channel(tn_formula *f, const char *from, const char *path, uint32_t body, const tn_pose *pose,
                                const char *what)
{
    return is_mirrored(f, from, path) ? mirrored_channel(f, from, path, body, pose, what)
                                      : frame_channel(f, body, pose, what);
}

/* A path that begins with the subsystem that the frame belongs to. */
static const char *owned_path(const tn_frame *frame)
{
    return frame->body == 0 ? frame->entity.name : frame->path;
}

/* An expression of "outputs" by its name, with the names of the subsystem that declares it. */
static tn_symbol output_symbol(tn_formula *f, const char *name)
{
    enum { MOST_INLINED = 100 };       /* stops expressions that refer to themselves */
    const tn_model *m = f->system->model;
    for (size_t k = 0; k < m->output_count; k++) {
        if (!m->outputs[k].expression || strcmp(m->outputs[k].channel, name) != 0)
            continue;
        tn_name_scope *names = f->inlined++ < MOST_INLINED ? tn_arena_alloc(f->system->arena, 1, sizeof *names) : NULL;
        if (!names)
            return UNKNOWN;
        *names = tn_formula_names(f, m->outputs[k].owner ? m->outputs[k].channel : NULL);
        names->scope.user = names;
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = m->outputs[k].expression, .scope = &names->scope,
                            .memory = -1 };
    }
    return UNKNOWN;
}

/* Tells whether a channel follows from the forces. */
static bool needs_solution(tn_id id, const char *what, const char *name)
{
    static const char *const globals[] = { "energy.", "momentum.", "drift.", "constraints." };
    static const char *const loads[] = { "reaction", "multiplier", "power", "end1.", "end2." };
    const bool load = id.kind == TN_KIND_JOINT || id.kind == TN_KIND_FORCE;
    for (size_t k = 0; k < TN_LENGTH(globals) && id.kind == TN_KIND_NONE; k++)
        if (strncmp(name, globals[k], strlen(globals[k])) == 0)
            return true;
    for (size_t k = 0; k < TN_LENGTH(loads) && load; k++)
        if (strncmp(what, loads[k], strlen(loads[k])) == 0)
            return true;
    return id.kind != TN_KIND_NONE && strstr(what, "acceleration");
}

/* Notes a channel that forces determine and cannot use: accelerations, reactions, energies. */
static void note_late(tn_formula *f, tn_id id, const char *what, const char *name)
{
    if (!f->late && needs_solution(id, what, name))
        snprintf(f->needs_solution, sizeof f->needs_solution, "%s", name);
    f->quaternion |= !f->late && strncmp(what, "orientation.", 12) == 0;
}

/* A component of a vector that has a symbol, which knows more than a channel that is measured: its rate. */
static bool is_part(tn_kind kind, const char *what)
{
    static const char *const vectors[] = { "position.", "velocity.", "x_axis.", "y_axis.", "z_axis." };
    for (size_t k = 0; k < TN_LENGTH(vectors) && (kind == TN_KIND_BODY || kind == TN_KIND_FRAME); k++)
        if (strncmp(what, vectors[k], strlen(vectors[k])) == 0)
            return true;
    return false;
}

/* from: the entity whose expression contains the name. */
static tn_symbol channel_symbol(tn_formula *f, const char *from, const char *name)
{
    const tn_model *m = f->system->model;
    const tn_pose identity = tn_pose_identity();
    const char *what = NULL, *unit = NULL;
    tn_id id = tn_model_split(m, name, &what);
    tn_symbol symbol = UNKNOWN;
    if (!tn_model_active(m, id)) {
        f->inactive = id;
        return UNKNOWN;
    }
    what = what ? what : "";
    if (id.kind == TN_KIND_BODY)
        symbol = motion_channel(f, from, m->bodies[id.index].entity.name, id.index, &identity, what);
    else if (id.kind == TN_KIND_FRAME)
        symbol = motion_channel(f, from, owned_path(&m->frames[id.index]), m->frames[id.index].body,
                                &m->frames[id.index].pose, what);
    else if (id.kind == TN_KIND_JOINT)
        symbol = joint_channel(f, id.index, what);
    else if (id.kind == TN_KIND_FORCE)
        symbol = tn_force_channel_symbol(f, id.index, what);
    if (symbol.kind == TN_SYMBOL_UNKNOWN && f->inlines && f->code == TN_OK)
        symbol = output_symbol(f, name);
    f->changed |= id.kind == TN_KIND_JOINT && strncmp(what, "reaction.", 9) == 0 &&
                  is_mirrored(f, from, m->joints[id.index].entity.name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        note_late(f, id, what, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN && f->samples && f->code == TN_OK && !f->changed && f->needs_solution[0]) {
        const int entry = tn_network_late(f->system, name, m->forces[f->sampler].entity.span);
        f->needs_solution[0] = '\0';
        f->code = entry < 0 ? entry : f->code;
        return entry < 0 ? UNKNOWN : tn_formula_number(f, (tn_slot){ TN_SLOT_MEMORY, entry, 0 }, NULL);
    }
    if (symbol.kind != TN_SYMBOL_UNKNOWN || !f->late || f->code < 0 || f->changed || is_part(id.kind, what))
        return symbol;
    int late = f->late(f->late_user, name, &unit);
    return late < 0 ? UNKNOWN : tn_formula_number(f, (tn_slot){ TN_SLOT_LATE, late, 0 }, unit);
}

static const char *table_candidate(void *user, size_t index)
{
    const tn_viewpoint *from = user;
    const tn_model *model = from->model;
    return index < model->table_count ? tn_name_from(from, model->tables[index].name) : NULL;
}

int tn_table_check(const tn_viewpoint *from, const tn_expression *name, const char *what)
{
    char hint[160];
    const tn_symbol symbol = tn_constant_symbol(from, name->text);
    if (symbol.kind == TN_SYMBOL_CURVE && !symbol.surface)
        return TN_OK;
    if (symbol.surface)
        return tn_fail(from->model->context, TN_ERROR_MODEL, name->span, "%s: table '%.60s' has two arguments, one is needed here", what,
                       name->text);
    return tn_fail(from->model->context, TN_ERROR_MODEL, name->span, "%s: there is no table '%.60s'%s", what,
                   name->text, tn_did_you_mean(hint, sizeof hint, name->text, table_candidate, (void *)(uintptr_t)from));
}

static tn_symbol lookup(const tn_scope *scope, const char *name)
{
    const tn_name_scope *names = scope->user;
    tn_formula *f = names->formula;
    char path[TN_PATH_SIZE];
    tn_symbol symbol = tn_constant_symbol(&names->from, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN && f->code == TN_OK && tn_path_within(path, names->from.entity, name))
        symbol = channel_symbol(f, names->from.entity, path);
    if (symbol.kind == TN_SYMBOL_UNKNOWN && f->code == TN_OK && !f->changed)
        symbol = channel_symbol(f, names->from.entity, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol.owner = tn_model_find(f->system->model, tn_path_within(path, names->from.entity, name) ? path : name).kind != TN_KIND_NONE;
    return symbol;
}

static const char IN_A_MIRROR[] =
    "in a mirrored subsystem this has no meaning: use coordinates of joints, or components of places and velocities";

/* "owner.what" in the system's arena; "" where one of them is NULL. */
static const char *channel_name(const tn_formula *f, const char *owner, const char *what)
{
    size_t size = owner && what ? strlen(owner) + strlen(what) + 2 : 0;
    char *name = size > 0 ? tn_arena_alloc(f->system->arena, size, 1) : NULL;
    if (!name)
        return "";
    snprintf(name, size, "%s.%s", owner, what);
    return name;
}

/* Channels of the motion by index, a fixed number per model slot: coordinates of joints, then channels of frames. */
static const char *channel_candidate(const tn_formula *f, size_t index)
{
    const tn_model *m = f->system->model;
    size_t slot = index / TN_MAX_COORDINATES, k = index % TN_MAX_COORDINATES;
    const char *frame_channel = k < TN_LENGTH(frame_channels) ? frame_channels[k] : NULL;
    if (slot < m->joint_count) {
        const tn_joint *joint = &m->joints[slot];
        bool known = joint->entity.alive && joint->type->joints == 0;
        return channel_name(f, joint->entity.name, known ? tn_joint_form_of(m, joint->type)->coordinates[k].name : NULL);
    }
    slot -= m->joint_count;
    if (slot < m->body_count)
        return channel_name(f, m->bodies[slot].entity.alive ? m->bodies[slot].entity.name : NULL, frame_channel);
    slot -= m->body_count;
    return channel_name(f, m->frames[slot].entity.alive ? m->frames[slot].path : NULL, frame_channel);
}

/* Channels of forces, devices and nodes. */
static const char *force_candidate(const tn_formula *f, size_t index)
{
    const tn_force *force = &f->system->model->forces[index / TN_FORCE_NAMES];
    return force->entity.alive ? channel_name(f, force->entity.name, tn_force_name_at(force, index % TN_FORCE_NAMES)) : "";
}

static const char *candidate(const tn_scope *scope, size_t index)
{
    _Static_assert(TN_LENGTH(frame_channels) <= TN_MAX_COORDINATES, "as many for frames as for joints");
    const tn_name_scope *names = scope->user;
    const tn_viewpoint *from = &names->from;
    const tn_model *m = from->model;
    size_t constants = m->parameter_count + m->table_count;
    size_t channels = TN_MAX_COORDINATES * (m->joint_count + m->body_count + m->frame_count);
    if (index < constants)
        return tn_constant_candidate(from, index);
    if (index < constants + channels)
        return tn_name_from(from, channel_candidate(names->formula, index - constants));
    index -= constants + channels;
    if (index < TN_FORCE_NAMES * m->force_count)
        return tn_name_from(from, force_candidate(names->formula, index));
    const char *name = tn_model_name_candidate((void *)(uintptr_t)m, index - TN_FORCE_NAMES * m->force_count);
    return name ? tn_name_from(from, name) : NULL;
}

/* ---- compiling ---- */

tn_name_scope tn_formula_names(tn_formula *f, const char *entity)
{
    return (tn_name_scope){ .scope = { .lookup = lookup, .candidate = candidate }, .formula = f,
                            .from = { f->system->model, entity } };
}

/* tape NULL: an empty one. */
static int create(tn_formula **out, tn_system *system, const char *entity, tn_tape *tape)
{
    TN_TRY(tn_grow(system->context, &system->formulas, &system->formula_capacity, system->formula_count + 1,
                   sizeof *system->formulas));
    tn_formula *f = tn_alloc(system->context, 1, sizeof *f);
    if (!f)
        return TN_ERROR_MEMORY;
    f->system = system;
    f->branch = -1;
    f->names = tn_formula_names(f, entity);
    f->names.scope.user = &f->names;
    int code = tape ? TN_OK : tn_tape_create(&f->tape, system->context);
    if (tape)
        f->tape = tn_tape_share(tape);
    if (code < 0) {
        tn_free(system->context, f);
        return code;
    }
    system->formulas[system->formula_count++] = f;
    *out = f;
    return TN_OK;
}

int tn_formula_create(tn_formula **out, tn_system *system, const char *entity)
{
    return create(out, system, entity, NULL);
}

int tn_formula_create_like(tn_formula **out, const tn_formula *like, const char *entity)
{
    TN_TRY(create(out, like->system, entity, like->tape));
    (*out)->acts = like->acts;
    (*out)->order = like->order;
    return TN_OK;
}

void tn_formula_destroy(tn_formula *f)
{
    tn_context *context = f->system->context;
    tn_tape_destroy(f->tape);
    tn_free(context, f->slots);
    tn_free(context, f->memory);
    tn_free(context, f->joints);
    tn_free(context, f->forces);
    tn_free(context, f);
}

void tn_formula_drop(tn_system *system, size_t count)
{
    while (system->formula_count > count)
        tn_formula_destroy(system->formulas[--system->formula_count]);
}

static int wrong_unit(const tn_formula *f, const tn_output_info *info, tn_dim wanted, const char *unit, tn_span span,
                      const char *what)
{
    char is[64], needed[64];
    const char *found = tn_dim_name(info->dim, is, sizeof is);
    return tn_fail(f->system->context, TN_ERROR_MODEL, span, "%s: is %s %s, must be a %s (%s)", what,
                   strchr("aeiou", found[0]) ? "an" : "a", found, tn_dim_name(wanted, needed, sizeof needed),
                   unit[0] ? unit : "no unit");
}

int tn_formula_add(tn_formula *f, const char *text, const tn_scope *scope, const char *unit, tn_span span,
                   const char *what, tn_output_info *info)
{
    tn_output_info ignored;
    char why[TN_INACTIVE_SIZE];
    tn_expr_error error;
    tn_dim dim;
    double factor;
    info = info ? info : &ignored;
    f->inactive = (tn_id){ .kind = TN_KIND_NONE };
    f->changed = false;
    f->needs_solution[0] = '\0';
    f->no_rate[0] = '\0';
    f->quaternion = false;
    int code = tn_tape_add(f->tape, text, scope ? scope : &f->names.scope, info, &error);
    if (f->code < 0)
        return f->code;
    if (code == TN_ERROR_MODEL) {
        span.column += span.line > 0 ? error.offset : 0;
        if (f->quaternion)
            return tn_fail(f->system->context, code, span, "%s: %s; expressions of the motion know axes (NAME.x_axis.x ...) and "
                           "angles (NAME.euler_zyx_1 ...) instead of quaternions", what, error.message);
        if (f->needs_solution[0])
            return tn_fail(f->system->context, code, span, "%s: '%s' follows from the forces, so what acts cannot depend on it "
                           "at the same instant: use positions, velocities, states, or a sampled device (sample-hold), which may read it", what,
                           f->needs_solution);
        if (f->no_rate[0])
            return tn_fail(f->system->context, code, span, "%s: '%s' changes with the motion or time, and with states, nodes or velocities, whose rates are "
                           "not known: let it depend on one kind only, or write a device type whose state is the charge, flux or mass", what, f->no_rate);
        return tn_fail(f->system->context, code, span, "%s: %s", what, f->changed ? IN_A_MIRROR
                       : tn_model_inactive_text(f->system->model, f->inactive, why, sizeof why)[0] ? why : error.message);
    }
    TN_TRY(code);
    if (unit && info->dim_known && tn_unit_parse(unit, strlen(unit), &factor, &dim) == 0 &&
        !tn_dim_equal(dim, info->dim))
        return wrong_unit(f, info, dim, unit, span, what);
    if (info->velocity)
        f->order = 1;
    return TN_OK;
}

void tn_formula_take_joint_parameters(tn_formula *f)
{
    for (int k = 0; k < f->joint_count; k++) {
        const tn_constraint *c = &f->system->constraints[f->joints[k].constraint];
        const tn_joint_type *type = f->system->model->joints[c->source].type;
        for (int n = 0; n < TN_JOINT_PARAMETERS && type->parameters[n].name; n++)
            f->parameters[f->joints[k].parameters + n] = c->parameters[n];
    }
}

int tn_formula_finish(tn_formula *f)
{
    tn_system *s = f->system;
    f->parameters = tn_arena_alloc(s->arena, (size_t)f->parameter_count, sizeof(double));
    if (!f->parameters)
        return TN_ERROR_MEMORY;
    tn_formula_take_joint_parameters(f);
    tn_formula_take_all_forces(f);
    size_t work = tn_tape_work(f->tape);
    s->work_size = work > s->work_size ? work : s->work_size;
    for (int k = 0; k < f->slot_count; k++)
        f->uses_network |= f->slots[k].kind == TN_SLOT_UNKNOWN;
    s->slot_max = f->slot_count > s->slot_max ? f->slot_count : s->slot_max;
    s->memory_max = f->memory_count > s->memory_max ? f->memory_count : s->memory_max;
    return TN_OK;
}
