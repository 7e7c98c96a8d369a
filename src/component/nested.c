/* Creates a nested model, places it at points, saves and restores it. */
#include "nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "assemble.h"
#include "diag.h"
#include "mem.h"
#include "vec.h"

/* rad: relative rotation after which angles of pins are remembered; it must be less than pi. */
static const double REMEMBER_AFTER = 0.5;
/* m, rad or per second: a start that assembly changes by less counts as assembled. */
static const double NEARLY = 1e-6;

int tn_nested_fail(tn_nested *n, int code, tn_span span, const char *message, const char *without_names)
{
    char text[300];
    if (!n->host)
        return tn_fail(n->context, code, span, "%s at t = %g s", message, n->at.t);
    snprintf(text, sizeof text, "%s at t = %g s", without_names, n->at.t);
    n->host->report(n->host->user, TN_ERROR, text);
    return code;
}

int tn_nested_fail_here(tn_nested *n)
{
    return tn_nested_fail(n, TN_ERROR_STEP, n->at.e->failed_span, n->at.e->trouble,
                          "something inside gives no finite number");
}

/* ---- the point ---- */

static int state_count(const void *self)
{
    const tn_nested *n = self;
    return n->system->size;
}

static void point(const void *self, double *t, double *y)
{
    const tn_nested *n = self;
    if (t)
        *t = n->at.t;
    memcpy(y, n->at.y, (size_t)n->system->size * sizeof(double));
}

/* Some pin may have rotated far since its angle was remembered, in the time since or by a move. Earlier times within a
 * step do not count. */
static bool turned_far(tn_nested *n, double moved)
{
    if (n->at.t > n->latest)
        n->turned += tn_fastest_turn(n->at.e, n->system) * (n->at.t - n->latest);
    n->turned += 8 * moved;                        /* half angles in quaternions; two bodies */
    n->latest = fmax(n->latest, n->at.t);
    if (n->turned < REMEMBER_AFTER)
        return false;
    n->turned = 0;
    return true;
}

/* Angles of joints count full turns, relative to their remembered value. Angles of pins are remembered again after a
 * far rotation of a body, angles of other joints when time advances. */
static void remember(tn_nested *n, double moved)
{
    const tn_system *s = n->system;
    const bool pins = turned_far(n, moved);
    if (n->at.t <= n->remembered && !pins)
        return;
    n->remembered = n->at.t;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_coordinates *c = &s->coordinates[i];
        if (!s->constraints[i].program->counts_turns || (s->constraints[i].by_kernel && !pins))
            continue;
        tn_eval_coordinates(n->at.e, s, n->memory, i, 0, values);
        memcpy(n->memory + c->memory, values, (size_t)c->count * sizeof(double));
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fabs(a[k] - b[k]) > most ? fabs(a[k] - b[k]) : most;
    return most;
}

void tn_nested_forget(tn_nested *n)
{
    n->at.placed = false;
}

static bool is_at(const tn_nested *n, double t, const double *y)
{
    return n->at.placed && n->at.t == t && memcmp(n->at.y, y, (size_t)n->system->size * sizeof(double)) == 0;
}

static int move_to(tn_nested *n, double t, const double *y)
{
    const tn_system *s = n->system;
    tn_nested_point *at = &n->at;
    at->t = t;
    memmove(at->y, y, (size_t)s->size * sizeof(double));
    at->placed = at->forced = false;
    at->order = -1;
    at->extent = at->reduced = TN_OPEN_SIDES;
    at->e->failed = NULL;
    at->e->reactions_known = false;
    tn_eval_motion(at->e, s, t, at->y, at->y + s->positions);
    if (at->e->failed)
        return tn_nested_fail_here(n);
    at->placed = true;
    return TN_OK;
}

int tn_nested_place(void *self, double t, const double *y)
{
    tn_nested *n = self;
    const bool still = !n->reads_angles || t != n->at.t;
    const double moved = still ? 0 : largest_difference(n->system->positions, y, n->at.y);
    n->factored = false;
    if (!is_at(n, t, y))
        TN_TRY(move_to(n, t, y));
    if (n->reads_angles)
        remember(n, moved);
    return TN_OK;
}

int tn_nested_look(tn_nested *n, int order, tn_open_extent extent)
{
    const tn_system *s = n->system;
    tn_nested_point *at = &n->at;
    if (at->order >= order && at->extent >= extent)
        return TN_OK;
    at->order = order > at->order ? order : at->order;
    at->extent = extent > at->extent ? extent : at->extent;
    at->e->lazy = at->extent == TN_OPEN_PINS;
    if (at->order == 2 && s->drive_states > 0)
        tn_eval_drives(at->e, s, n->memory);       /* the constraints contain their rates */
    tn_eval_constraints(at->e, s, n->memory, at->order, at->extent != TN_OPEN_SIDES);
    at->placed = !at->e->failed;
    return at->placed ? TN_OK : tn_nested_fail_here(n);
}

int tn_nested_find_forces(tn_nested *n)
{
    if (n->at.forced)
        return TN_OK;
    tn_eval_forces(n->at.e, n->system, n->memory);
    n->at.forced = !n->at.e->failed;
    return n->at.forced ? TN_OK : tn_nested_fail_here(n);
}

static void port_motion(const void *self, int index, tn_port_motion *out)
{
    const tn_nested *n = self;
    const tn_sys_frame *frame = &n->ports[index].frame;
    const tn_sys_body *body = &n->system->bodies[frame->body];
    const tn_eval *e = n->at.e;
    out->p[2] = out->v[2] = 0;
    for (int k = 0; k < n->system->dimension; k++) {
        out->p[k] = e->q[body->q + k];
        out->v[k] = e->v[body->v + k];
    }
    tn_copy3(out->w, e->w[frame->body]);
    for (int k = 0; k < 3; k++)
        tn_mul33(out->axes[k], (const double (*)[3])e->R[frame->body], frame->axes[k]);
}

static void port_center(const void *self, int index, double center[3])
{
    const tn_nested *n = self;
    tn_copy3(center, n->ports[index].center);
}

static void info_nested(const void *self, tn_saddle_info *out)
{
    tn_condenser_info(out, ((const tn_nested *)self)->condenser);
}

/* ---- snapshots: counts, then times and rotation, y and the remembered angles ---- */

static size_t save(const void *self, void *bytes, size_t room)
{
    const tn_nested *n = self;
    const size_t counts[2] = { (size_t)n->system->size, (size_t)n->system->memory };
    const double times[] = { n->at.t, n->stepper->h, n->turned, n->remembered, n->latest };
    const size_t size = sizeof counts + sizeof times + (counts[0] + counts[1]) * sizeof(double);
    if (room < size)
        return size;
    char *at = bytes;
    memcpy(at, counts, sizeof counts);
    memcpy(at += sizeof counts, times, sizeof times);
    memcpy(at += sizeof times, n->at.y, counts[0] * sizeof(double));
    memcpy(at + counts[0] * sizeof(double), n->memory, counts[1] * sizeof(double));
    return size;
}

static int restore(void *self, const void *bytes, size_t size)
{
    tn_nested *n = self;
    size_t counts[2];
    double times[5];
    if (size < sizeof counts || size != save(n, NULL, 0))
        return TN_ERROR_ARGUMENT;
    const char *at = bytes;
    memcpy(counts, at, sizeof counts);
    if (counts[0] != (size_t)n->system->size || counts[1] != (size_t)n->system->memory)
        return TN_ERROR_ARGUMENT;
    memcpy(times, at += sizeof counts, sizeof times);
    memcpy(n->at.y, at += sizeof times, counts[0] * sizeof(double));
    memcpy(n->memory, at + counts[0] * sizeof(double), counts[1] * sizeof(double));
    n->stepper->h = times[1];
    n->at.t = times[0];
    n->turned = times[2];
    n->remembered = times[3];
    n->latest = times[4];
    tn_nested_forget(n);
    return tn_nested_place(n, n->at.t, n->at.y);
}

/* ---- life ---- */

static void destroy_nested(void *self)
{
    tn_nested *n = self;
    if (!n)
        return;
    tn_context *context = n->context;
    tn_model *own_model = n->own_model;
    tn_stepper_destroy(n->stepper);
    tn_condenser_destroy(n->condenser);
    tn_coupling_destroy(n->coupling);
    tn_system_destroy(n->system);
    tn_arena_destroy(n->arena);
    tn_free(context, n);
    if (own_model) {
        tn_model_destroy(own_model);
        tn_context_destroy(context);
    }
}

static int find_port(tn_nested *n, int index, const char *name)
{
    const tn_model *model = n->system->model;
    tn_id id = tn_model_find(model, name);
    tn_pose pose = tn_pose_identity();
    uint32_t body = id.kind == TN_KIND_BODY ? id.index : 0;
    if (id.kind == TN_KIND_FRAME) {
        body = model->frames[id.index].body;
        pose = model->frames[id.index].pose;
    }
    if (body == 0 || n->system->body_of[body] < 0) {
        char hint[160];
        return tn_fail(n->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "port '%.80s': no body or frame that moves%s", name,
                       tn_did_you_mean(hint, sizeof hint, name, tn_model_name_candidate, (void *)(uintptr_t)model));
    }
    tn_nested_port *port = &n->ports[index];
    port->frame = tn_system_frame(n->system, body, &pose);
    port->body = body;
    port->pose = pose;
    for (int k = 0; k < 3; k++)
        port->center[k] = -tn_dot3(port->frame.axes[k], port->frame.p);
    tn_zero3(port->frame.p);
    return TN_OK;
}

static int declare_ports(tn_nested *n, const char *const *names, int count)
{
    tn_port_decl *declared = tn_arena_alloc(n->arena, (size_t)count, sizeof *declared);
    n->ports = tn_arena_alloc(n->arena, (size_t)count, sizeof *n->ports);
    n->port_body = tn_arena_alloc(n->arena, (size_t)count, sizeof(int));
    if (!declared || !n->ports || !n->port_body)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < count; k++) {
        TN_TRY(find_port(n, k, names[k]));
        n->port_body[k] = n->ports[k].frame.body;
        declared[k] = (tn_port_decl){ tn_arena_strdup(n->arena, names[k]), "" };
        if (!declared[k].name)
            return TN_ERROR_MEMORY;
    }
    n->type.ports = declared;
    n->type.port_count = count;
    return TN_OK;
}

/* Something inside depends on joint angles, which count full turns; they are not visible outside. */
static bool reads_angles(const tn_system *s)
{
    for (int i = 0; i < s->constraint_count; i++)
        if (tn_tape_remembers(s->constraints[i].program->equations))
            return true;
    return s->memory_max > 0;
}

/* Makes the condenser of the bodies that carry ports, and finds the columns of each port. */
static int make_condenser(tn_nested *n)
{
    const tn_system *s = n->system;
    const int *column = s->structure.body_column;
    int *place_of = tn_arena_alloc(n->arena, (size_t)s->body_count, sizeof(int)), count = 0, columns = 0;
    int *bodies = tn_arena_alloc(n->arena, (size_t)s->body_count, sizeof(int));
    if (!place_of || !bodies)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < n->type.port_count; k++)
        place_of[n->ports[k].frame.body] = 1;
    for (int b = 0; b < s->body_count; b++)
        if (place_of[b]) {
            place_of[b] = columns;
            columns += column[b + 1] - column[b];
            bodies[count++] = b;
        }
    for (int k = 0; k < n->type.port_count; k++)
        n->ports[k].column = place_of[n->ports[k].frame.body];
    return tn_condenser_create(&n->condenser, n->context, &s->structure, bodies, count);
}

static int make_point(const tn_nested *n, tn_nested_point *point)
{
    point->y = tn_arena_alloc(n->arena, (size_t)n->system->size, sizeof(double));
    return point->y ? tn_coupled_eval_create(&point->e, n->system, n->coupling, n->arena, false) : TN_ERROR_MEMORY;
}

static int take_memory(tn_nested *n)
{
    const tn_system *s = n->system;
    const size_t columns = (size_t)tn_condenser_columns(n->condenser), ports = (size_t)(n->type.port_count * n->width);
    double **pieces[] = { &n->memory, &n->r, &n->tau, &n->x, &n->unit, &n->no_force, &n->u, &n->a, &n->before };
    const size_t sizes[] = { (size_t)s->memory, columns, columns, columns, ports, (size_t)s->velocities, (size_t)s->rows,
                             (size_t)s->velocities, (size_t)s->velocities };
    for (size_t k = 0; k < TN_LENGTH(pieces); k++)
        if (!(*pieces[k] = tn_arena_alloc(n->arena, sizes[k], sizeof(double))))
            return TN_ERROR_MEMORY;
    TN_TRY(make_point(n, &n->at));
    n->own_M = n->at.e->M;
    n->own_G = n->at.e->G;
    n->structure = s->structure;
    n->structure.pin_kind = s->pin_kind;
    n->structure.pins = n->at.e->pins;
    return TN_OK;
}

/* Some joint has a given start value or rate. */
static bool has_start_conditions(const tn_system *s)
{
    for (int i = 0; i < s->own_constraints; i++) {
        const tn_joint *joint = &s->model->joints[s->constraints[i].source];
        for (int k = 0; k < TN_MAX_COORDINATES; k++)
            if (!isnan(joint->start[k]) || !isnan(joint->start_rate[k]))
                return true;
    }
    return false;
}

/* Assembles the start, in y and memory. A start that nearly fits stays as given: the outer model assembles it together
 * with everything else by the least change, as it would if this model were not a component. */
static int assemble(tn_nested *n, tn_arena *scratch, const tn_solve *solve)
{
    const tn_system *s = n->system;
    const size_t size = (size_t)s->size * sizeof(double);
    double *given = tn_arena_alloc(scratch, (size_t)s->size, sizeof(double));
    unsigned char *holds = tn_arena_alloc(scratch, (size_t)s->body_count, 1);
    tn_assembly a = { .coupling = n->coupling, .hold_inside = true, .q = n->at.y, .v = n->at.y + s->positions, .memory = n->memory,
                      .before = tn_arena_alloc(scratch, (size_t)s->constraint_count, sizeof(double)),
                      .after = tn_arena_alloc(scratch, (size_t)s->constraint_count, sizeof(double)) };
    TN_TRY(tn_arena_status(scratch));
    if (s->model->condition_count > 0)
        return tn_fail(s->context, TN_ERROR_MODEL, s->model->conditions[0].span,
                       "'%s' is given at the start: in a component only values of joints and bodies can be",
                       s->model->conditions[0].channel);
    for (int b = 0; b < s->body_count; b++)
        holds[b] = s->model->bodies[s->bodies[b].source].given;
    a.given = holds;
    TN_TRY(tn_system_start(s, a.q, a.v));
    memcpy(given, n->at.y, size);
    TN_TRY(tn_assemble(&a, s, n->stepper->solver, solve->assemble, solve->gap_tolerance));
    if (largest_difference(s->size, n->at.y, given) < NEARLY && !has_start_conditions(s))
        memcpy(n->at.y, given, size);
    return TN_OK;
}

static int build_nested(tn_nested *n, const tn_model *model, const char *const *ports, int count, const tn_solve *solve)
{
    TN_TRY(tn_system_create(&n->system, model));
    TN_TRY(tn_coupling_create(&n->coupling, n->system));
    const tn_system *s = n->system;
    n->reads_angles = reads_angles(s);
    n->width = s->dimension == 2 ? 3 : 6;
    n->type.dimension = s->dimension;
    TN_TRY(declare_ports(n, ports, count));
    TN_TRY(make_condenser(n));
    TN_TRY(take_memory(n));
    TN_TRY(tn_nested_make_stepper(n, solve, model->solve_span));
    tn_arena *scratch = tn_arena_create(n->context);
    int code = scratch ? assemble(n, scratch, solve) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    TN_TRY(code);
    TN_TRY(tn_nested_place(n, 0, n->at.y));
    TN_TRY(tn_nested_look(n, 2, TN_OPEN_ROWS));
    TN_TRY(tn_nested_find_stops(n));
    TN_TRY(tn_nested_find_given(n));
    if (s->reacts)                                             /* the elimination does not find reactions */
        return TN_OK;
    return tn_guided_elimination_create(&n->guided, s, n->at.e, n->port_body, count, n->arena);
}

const tn_component_type tn_nested_type = {
    .version = TN_COMPONENT_VERSION,
    .size = sizeof(tn_component_type),
    .name = "model",
    .doc = "A model by its ports.",
    .disclosure = TN_DISCLOSE_CONDENSED,
    .destroy = destroy_nested,
    .state_count = state_count,
    .point = point,
    .place = tn_nested_place,
    .port_motion = port_motion,
    .port_center = port_center,
    .respond = tn_nested_respond,
    .take = tn_nested_take,
    .condense = tn_nested_condense,
    .condense_root = tn_nested_condense_root,
    .free_answer = tn_nested_free_answer,
    .open = tn_nested_open,
    .write_to = tn_nested_write_to,
    .take_open = tn_nested_take_open,
    .save = save,
    .restore = restore,
    .advance = tn_nested_advance,
    .info = info_nested,
    .stop_count = tn_nested_stop_count,
    .stop = tn_nested_stop,
    .reacts = tn_nested_reacts,
    .react = tn_nested_react,
    .timed = tn_nested_timed,
    .missed = tn_nested_missed,
    .given_count = tn_nested_given_count,
    .given = tn_nested_given,
    .push = tn_nested_push,
    .jumps = tn_nested_jumps,
};

int tn_nested_create(tn_nested **out, const tn_model *model, const char *const *ports, int port_count,
                     const tn_solve *solve, const tn_component_host *host)
{
    tn_nested *n = tn_alloc(model->context, 1, sizeof *n);
    if (!n)
        return TN_ERROR_MEMORY;
    n->type = tn_nested_type;
    n->context = model->context;
    n->host = host;
    n->arena = tn_arena_create(model->context);
    int code = n->arena ? build_nested(n, model, ports, port_count, solve) : TN_ERROR_MEMORY;
    if (code < 0) {
        destroy_nested(n);
        return code;
    }
    *out = n;
    return TN_OK;
}

int tn_component_from_model(tn_component *out, const tn_model *model, const char *const *ports, int port_count)
{
    tn_nested *n = NULL;
    *out = (tn_component){ 0 };
    TN_TRY(tn_nested_create(&n, model, ports, port_count, &model->solve, NULL));
    *out = (tn_component){ &n->type, n };
    return TN_OK;
}

void tn_component_destroy(tn_component *component)
{
    if (component->type)
        component->type->destroy(component->self);
    *component = (tn_component){ 0 };
}
