/* A model as a component: its equations, condensed onto the bodies that its ports are on, and from there to the ports,
 *     a_p = a + w' x s + w x (w x s),   w'_p = w',        s: from the body's centre of mass to the port
 * or, in the plane, a_p = a + w' (-s_y, s_x) - w^2 s. With S for the linear part, D_p = S D S', tau = S' tau_p. */
#include "diag.h"
#include "mem.h"
#include "system.h"
#include "tenon/sys/component.h"
#include "tenon/sys/condense.h"
#include "vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUND_OFF = 1e-14;         /* of residuals, over the largest coordinate */

typedef struct port {
    tn_sys_frame frame;
    int column;                    /* of its body among the columns of the condenser */
    double arm[3];                 /* s at the point, world */
} port;

typedef struct nested {
    tn_component_type type;        /* with the ports of this one */
    tn_context *context;
    tn_arena *arena;
    tn_system *system;
    tn_eval *e;                    /* at the point */
    tn_condenser *condenser;
    port *ports;
    int width;                     /* columns of a port */
    double t, *y, *memory;
    bool factored;                 /* at the point */
    double *D, *r, *tau;           /* over the bodies of ports */
    double *x;                     /* the same: scratch */
    double *unit;                  /* a vector over ports */
    double *no_force, *u, *a;      /* of the whole */
} nested;

/* ---- between ports and their bodies ---- */

static int body_width(const nested *n, const port *p)
{
    const int *column = n->system->structure.body_column;
    return column[p->frame.body + 1] - column[p->frame.body];
}

/* out = S x; without bias, that is. */
static void to_ports(const nested *n, const double *x, double *out)
{
    for (int k = 0; k < n->type.port_count; k++, out += n->width) {
        const port *p = &n->ports[k];
        const double *a = x + p->column, *s = p->arm;
        const int d = n->system->dimension;
        memset(out, 0, (size_t)n->width * sizeof(double));
        memcpy(out, a, (size_t)body_width(n, p) * sizeof(double));     /* a particle does not turn */
        if (body_width(n, p) == d)
            continue;
        if (d == 2) {
            out[0] -= a[2] * s[1];
            out[1] += a[2] * s[0];
        } else {
            double turn[3];
            tn_cross3(turn, a + 3, s);
            tn_add3(out, out, turn);
        }
    }
}

/* out = S'tau */
static void to_bodies(const nested *n, const double *tau, double *out)
{
    memset(out, 0, (size_t)tn_condenser_columns(n->condenser) * sizeof(double));
    for (int k = 0; k < n->type.port_count; k++, tau += n->width) {
        const port *p = &n->ports[k];
        const double *s = p->arm;
        double *f = out + p->column;
        for (int j = 0; j < body_width(n, p); j++)
            f[j] += tau[j];
        if (body_width(n, p) == n->system->dimension)
            continue;
        if (n->system->dimension == 2) {
            f[2] += s[0] * tau[1] - s[1] * tau[0];
        } else {
            double moment[3];
            tn_cross3(moment, s, tau);
            tn_add3(f + 3, f + 3, moment);
        }
    }
}

/* Adds what ports accelerate by as their bodies turn. */
static void add_centripetal(const nested *n, double *out)
{
    for (int k = 0; k < n->type.port_count; k++, out += n->width) {
        const port *p = &n->ports[k];
        const double *w = n->e->w[p->frame.body];
        double turn[3], inward[3];
        if (body_width(n, p) == n->system->dimension)
            continue;
        tn_cross3(turn, w, p->arm);
        tn_cross3(inward, w, turn);
        for (int j = 0; j < n->system->dimension; j++)
            out[j] += inward[j];
    }
}

/* ---- the point ---- */

static int state_count(const void *self)
{
    const nested *n = self;
    return n->system->size;
}

static void point(const void *self, double *t, double *y)
{
    const nested *n = self;
    if (t)
        *t = n->t;
    memcpy(y, n->y, (size_t)n->system->size * sizeof(double));
}

/* Angles of joints count over full turns, from where they were last. */
static void remember(nested *n)
{
    const tn_system *s = n->system;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        tn_eval_coordinates(n->e, s, n->memory, i, 0, values);
        memcpy(n->memory + s->coordinates[i].memory, values, (size_t)s->coordinates[i].count * sizeof(double));
    }
}

static int place(void *self, double t, const double *y)
{
    nested *n = self;
    const tn_system *s = n->system;
    n->t = t;
    memmove(n->y, y, (size_t)s->size * sizeof(double));
    n->factored = false;
    n->e->failed = NULL;
    tn_eval_motion(n->e, s, t, n->y, n->y + s->positions);
    tn_eval_forces(n->e, s, n->memory);
    tn_eval_constraints(n->e, s, n->memory, 2, true);
    if (n->e->failed)
        return tn_fail(n->context, TN_ERROR_STEP, n->e->failed_span, "%s at t = %g s", n->e->trouble, t);
    remember(n);
    for (int k = 0; k < n->type.port_count; k++)
        tn_mul33(n->ports[k].arm, (const double (*)[3])n->e->R[n->ports[k].frame.body], n->ports[k].frame.p);
    return TN_OK;
}

static void port_motion(const void *self, int index, tn_port_motion *out)
{
    const nested *n = self;
    tn_frame_motion motion;
    tn_frame_motion_of(n->e, n->system, &n->ports[index].frame, &motion);
    memcpy(out->p, motion.p, sizeof out->p);
    memcpy(out->axes, motion.axes, sizeof out->axes);
    memcpy(out->v, motion.v, sizeof out->v);
    memcpy(out->w, motion.w, sizeof out->w);
}

/* ---- answers ---- */

static int factor(nested *n, tn_rank_rule rule)
{
    TN_TRY(tn_condenser_factor(n->condenser, n->e->M, n->e->G, rule));
    tn_condenser_response(n->condenser, n->D);
    n->factored = true;
    return TN_OK;
}

static int factor_once(nested *n)
{
    return n->factored ? TN_OK : factor(n, TN_RANK_KEEP);
}

/* r over the bodies of ports; readies back substitution. */
static int solve_free(nested *n, tn_question question)
{
    const tn_system *s = n->system;
    const double *gap = question == TN_ASK_POSITIONS ? n->e->g : n->e->gdot;
    for (int i = 0; i < s->rows; i++)
        n->u[i] = question == TN_ASK_ACCELERATIONS ? n->e->bias[i] : -gap[i];
    return tn_condenser_free(n->condenser, question == TN_ASK_ACCELERATIONS ? n->e->f : n->no_force, n->u, n->r);
}

/* x = D tau over the bodies of ports. */
static void apply_response(const nested *n, const double *tau, double *x)
{
    const int columns = tn_condenser_columns(n->condenser);
    memset(x, 0, (size_t)columns * sizeof(double));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < columns; i++)
            x[i] += n->D[i + j * columns] * tau[j];
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    nested *n = self;
    const int columns = n->type.port_count * n->width;
    TN_TRY(rule == TN_RANK_DECIDE ? factor(n, rule) : factor_once(n));
    for (int j = 0; j < columns && D; j++) {
        memset(n->unit, 0, (size_t)columns * sizeof(double));
        n->unit[j] = 1;
        to_bodies(n, n->unit, n->tau);
        apply_response(n, n->tau, n->x);
        to_ports(n, n->x, D + j * columns);
    }
    return TN_OK;
}

static int free_answer(void *self, tn_question question, double *r)
{
    nested *n = self;
    TN_TRY(factor_once(n));
    TN_TRY(solve_free(n, question));
    to_ports(n, n->r, r);
    if (question == TN_ASK_ACCELERATIONS)
        add_centripetal(n, r);
    return TN_OK;
}

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    nested *n = self;
    const int columns = n->type.port_count * n->width;
    TN_TRY(free_answer(n, question, answer));
    if (!tau)
        return TN_OK;
    to_bodies(n, tau, n->tau);
    apply_response(n, n->tau, n->x);
    to_ports(n, n->x, n->unit);
    for (int j = 0; j < columns; j++)
        answer[j] += n->unit[j];
    return TN_OK;
}

/* Nothing to put right: residuals that no arithmetic can tell from zero. */
static bool is_right(const nested *n, tn_question question)
{
    const tn_system *s = n->system;
    const bool positions = question == TN_ASK_POSITIONS;
    const double *gap = positions ? n->e->g : n->e->gdot;
    double size = 1, most = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < s->dimension; k++)
            size = fmax(size, fabs(positions ? n->y[s->bodies[b].q + k] : n->y[s->positions + s->bodies[b].v + k]));
    for (int i = 0; i < s->rows; i++)
        most = fmax(most, fabs(gap[i]));
    return most <= ROUND_OFF * size;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    nested *n = self;
    const tn_system *s = n->system;
    if (!tau && question != TN_ASK_ACCELERATIONS && is_right(n, question)) {
        memcpy(out, n->y, (size_t)s->size * sizeof(double));
        return TN_OK;
    }
    TN_TRY(factor_once(n));
    TN_TRY(solve_free(n, question));
    if (tau)
        to_bodies(n, tau, n->tau);
    TN_TRY(tn_condenser_back_substitute(n->condenser, tau ? n->tau : NULL, n->a, n->e->lambda));
    double *v = out + s->positions, *z = v + s->velocities;
    if (question == TN_ASK_ACCELERATIONS) {
        tn_position_rate(s, n->y, n->y + s->positions, out);
        memcpy(v, n->a, (size_t)s->velocities * sizeof(double));
        memcpy(z, n->e->dz, (size_t)s->states * sizeof(double));
        return TN_OK;
    }
    memcpy(out, n->y, (size_t)s->size * sizeof(double));
    if (question == TN_ASK_POSITIONS) {
        tn_position_move(s, n->y, n->a, out);
        tn_position_normalize(s, out);
    }
    for (int j = 0; j < s->velocities && question == TN_ASK_VELOCITIES; j++)
        v[j] += n->a[j];
    return TN_OK;
}

static void info(const void *self, tn_saddle_info *out)
{
    tn_condenser_info(((const nested *)self)->condenser, out);
}

/* ---- moments: how many numbers, then t, y and the angles remembered ---- */

static size_t save(const void *self, void *bytes, size_t room)
{
    const nested *n = self;
    const size_t counts[2] = { (size_t)n->system->size, (size_t)n->system->memory };
    const size_t size = sizeof counts + (1 + counts[0] + counts[1]) * sizeof(double);
    if (room < size)
        return size;
    char *at = bytes;
    memcpy(at, counts, sizeof counts);
    memcpy(at += sizeof counts, &n->t, sizeof(double));
    memcpy(at += sizeof(double), n->y, counts[0] * sizeof(double));
    memcpy(at + counts[0] * sizeof(double), n->memory, counts[1] * sizeof(double));
    return size;
}

static int restore(void *self, const void *bytes, size_t size)
{
    nested *n = self;
    size_t counts[2];
    if (size < sizeof counts || size != save(n, NULL, 0))
        return TN_ERROR_ARGUMENT;
    const char *at = bytes;
    memcpy(counts, at, sizeof counts);
    if (counts[0] != (size_t)n->system->size || counts[1] != (size_t)n->system->memory)
        return TN_ERROR_ARGUMENT;
    double t;
    memcpy(&t, at += sizeof counts, sizeof t);
    memcpy(n->y, at += sizeof t, counts[0] * sizeof(double));
    memcpy(n->memory, at + counts[0] * sizeof(double), counts[1] * sizeof(double));
    return place(n, t, n->y);
}

/* ---- life ---- */

static void destroy(void *self)
{
    nested *n = self;
    if (!n)
        return;
    tn_condenser_destroy(n->condenser);
    tn_system_destroy(n->system);
    tn_arena_destroy(n->arena);
    tn_free(n->context, n);
}

static int find_port(nested *n, int index, const char *name)
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
    n->ports[index].frame = tn_system_frame(n->system, body, &pose);
    return TN_OK;
}

static int declare_ports(nested *n, const char *const *names, int count)
{
    tn_port_decl *declared = tn_arena_alloc(n->arena, (size_t)count, sizeof *declared);
    n->ports = tn_arena_alloc(n->arena, (size_t)count, sizeof *n->ports);
    if (!declared || !n->ports)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < count; k++) {
        TN_TRY(find_port(n, k, names[k]));
        declared[k] = (tn_port_decl){ tn_arena_strdup(n->arena, names[k]), "" };
        if (!declared[k].name)
            return TN_ERROR_MEMORY;
    }
    n->type.ports = declared;
    n->type.port_count = count;
    return TN_OK;
}

/* Bodies that ports are on, and where each port finds its own among their columns. */
static int make_condenser(nested *n)
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

static int take_memory(nested *n)
{
    const tn_system *s = n->system;
    const size_t columns = (size_t)tn_condenser_columns(n->condenser), ports = (size_t)(n->type.port_count * n->width);
    double **pieces[] = { &n->y, &n->memory, &n->D, &n->r, &n->tau, &n->x, &n->unit, &n->no_force, &n->u, &n->a };
    const size_t sizes[] = { (size_t)s->size, (size_t)s->memory, columns * columns, columns, columns, columns, ports,
                             (size_t)s->velocities, (size_t)s->rows, (size_t)s->velocities };
    for (size_t k = 0; k < TN_LENGTH(pieces); k++)
        if (!(*pieces[k] = tn_arena_alloc(n->arena, sizes[k], sizeof(double))))
            return TN_ERROR_MEMORY;
    return tn_eval_create(&n->e, s, n->arena, false);
}

static int build(nested *n, const tn_model *model, const char *const *ports, int count)
{
    TN_TRY(tn_system_create(&n->system, model));
    const tn_system *s = n->system;
    if (s->reacts)
        return tn_fail(n->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "a model with forces that depend on reactions cannot be a component");
    n->width = s->dimension == 2 ? 3 : 6;
    n->type.dimension = s->dimension;
    TN_TRY(declare_ports(n, ports, count));
    TN_TRY(make_condenser(n));
    TN_TRY(take_memory(n));
    TN_TRY(tn_system_start(s, n->y, n->y + s->positions));
    for (int k = 0; k < s->states; k++)
        n->y[s->positions + s->velocities + k] = s->state[k].start;
    return place(n, 0, n->y);
}

static const tn_component_type model_type = {
    .version = TN_COMPONENT_VERSION,
    .size = sizeof(tn_component_type),
    .name = "model",
    .doc = "A model by its ports.",
    .disclosure = TN_DISCLOSE_CONDENSED,
    .destroy = destroy,
    .state_count = state_count,
    .point = point,
    .place = place,
    .port_motion = port_motion,
    .respond = respond,
    .take = take,
    .condense = condense,
    .free_answer = free_answer,
    .save = save,
    .restore = restore,
    .info = info,
};

int tn_component_from_model(tn_component *out, const tn_model *model, const char *const *ports, int port_count)
{
    *out = (tn_component){ 0 };
    nested *n = tn_alloc(model->context, 1, sizeof *n);
    if (!n)
        return TN_ERROR_MEMORY;
    n->type = model_type;
    n->context = model->context;
    n->arena = tn_arena_create(model->context);
    int code = n->arena ? build(n, model, ports, port_count) : TN_ERROR_MEMORY;
    if (code < 0) {
        destroy(n);
        return code;
    }
    *out = (tn_component){ &n->type, n };
    return TN_OK;
}

void tn_component_destroy(tn_component *component)
{
    if (component->type)
        component->type->destroy(component->self);
    *component = (tn_component){ 0 };
}
