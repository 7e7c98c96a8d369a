/* Components in a compiled system: their ports, states and places. */
#include "ports.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include "allowances.h"
#include "diag.h"
#include "elementary.h"
#include "open_check.h"
#include "vec.h"

enum { BYTES = 4 };                /* of a snapshot in one number of the coordinate memory */

struct tn_made_instances {
    atomic_bool taken;
    tn_instance *items[];
};

const char *tn_sys_component_name(const tn_system *s, const tn_sys_component *component)
{
    return s->model->subsystems[component->source].entity.name;
}

/* ---- making ---- */

static void *take_ports(const tn_system *s, int count, size_t size)
{
    return tn_arena_alloc(s->arena, (size_t)count, size);
}

static int allocate(const tn_system *s, tn_sys_component *component)
{
    const int n = component->columns, ports = component->type->port_count;
    component->start = take_ports(s, component->state_count, sizeof(double));
    component->start_ports = take_ports(s, ports, sizeof *component->start_ports);
    component->body = take_ports(s, ports, sizeof(int));
    component->column = take_ports(s, n, sizeof(int));
    component->turns = take_ports(s, n, sizeof(bool));
    component->inside = take_ports(s, ports, sizeof(int));
    component->takes_pin = take_ports(s, ports, sizeof(bool));
    bool all = component->start && component->start_ports && component->body && component->column &&
               component->turns && component->inside && component->takes_pin;
    for (int j = 0; j < n && all; j++)
        component->turns[j] = j % component->width >= s->dimension;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

int tn_ports_look_inside(tn_open_component *out, const tn_system *s, const tn_sys_component *component,
                         tn_instance *instance)
{
    const tn_component *c = &instance->component;
    const tn_entity *entity = &s->model->subsystems[component->source].entity;
    int code = c->type->open(c->self, TN_ASK_POSITIONS, TN_OPEN_ROWS, out);
    if (code < 0)
        return tn_fail(s->context, code, entity->span, "component '%s': %s", entity->name,
                       instance->trouble[0] ? instance->trouble : "'open' fails, and it does not say why");
    const char *trouble = tn_open_structure_trouble(out, c->type);
    if (!trouble)
        trouble = tn_open_numbers_trouble(out);
    return trouble ? tn_fail(s->context, TN_ERROR_MODEL, entity->span, "component '%s': %s", entity->name, trouble)
                   : TN_OK;
}

static int open_up(const tn_system *s, tn_sys_component *component, tn_instance *instance)
{
    tn_open_component inside = { 0 };
    component->open = component->type->disclosure >= TN_DISCLOSE_OPEN;
    if (!component->open)
        return TN_OK;
    TN_TRY(tn_ports_look_inside(&inside, s, component, instance));
    component->works = inside.works;
    const int *column = inside.structure->body_column;
    for (int p = 0; p < component->type->port_count; p++) {
        const int body = inside.port_body[p];
        component->inside[p] = body;
        component->takes_pin[p] = body < 0 || column[body + 1] - column[body] == component->width;
    }
    return TN_OK;
}

/* Runs begin at t = 0. */
static int find_start(tn_sys_component *component, const tn_instance *instance)
{
    const tn_component *c = &instance->component;
    double t;
    c->type->point(c->self, &t, component->start);
    if (t != 0)
        TN_TRY(c->type->place(c->self, 0, component->start));
    for (int p = 0; p < c->type->port_count; p++)
        c->type->port_motion(c->self, p, &component->start_ports[p]);
    return TN_OK;
}

static int make_ports(tn_system *s, tn_sys_component *component, uint32_t source, tn_instance **out)
{
    *out = tn_alloc(s->context, 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_instance_create(*out, s->model, source));
    const tn_component *c = &(*out)->component;
    component->source = source;
    component->type = c->type;
    component->width = s->dimension == 2 ? 3 : 6;
    component->columns = c->type->port_count * component->width;
    component->state_count = c->type->state_count(c->self);
    component->snapshot_size = c->type->save(c->self, NULL, 0);
    TN_TRY(allocate(s, component));
    TN_TRY(find_start(component, *out));
    TN_TRY(open_up(s, component, *out));
    component->reacts = TN_COMPONENT_HAS(c->type, reacts) && TN_COMPONENT_HAS(c->type, react) && c->type->reacts(c->self);
    if (component->reacts)
        s->components_react = s->reacts = true;
    component->work = s->states;
    component->state = component->work + 1;
    s->states += 1 + component->state_count;
    return TN_OK;
}

static bool takes_component(const tn_system *s, uint32_t subsystem)
{
    return !s->selection && tn_component_active(s->model, subsystem);
}

int tn_ports_create(tn_system *s)
{
    const tn_model *m = s->model;
    size_t count = 0;
    for (uint32_t k = 0; k < m->subsystem_count; k++)
        count += takes_component(s, k);
    s->components = tn_arena_alloc(s->arena, count, sizeof *s->components);
    s->made = tn_arena_alloc(s->arena, 1, sizeof *s->made + count * sizeof *s->made->items);
    if (!s->components || !s->made)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->subsystem_count; k++)
        if (takes_component(s, k)) {
            const int index = s->component_count++;
            TN_TRY(make_ports(s, &s->components[index], k, &s->made->items[index]));
            s->closed_components += !s->components[index].open;
        }
    s->component_states = s->states;
    tn_allowances_find(s);
    return TN_OK;
}

tn_instance **tn_ports_take_instances(const tn_system *s)
{
    return atomic_exchange(&s->made->taken, true) ? NULL : s->made->items;
}

void tn_ports_destroy(tn_system *s)
{
    tn_instance **instances = s->made ? tn_ports_take_instances(s) : NULL;
    for (int k = 0; instances && k < s->component_count; k++) {
        if (instances[k])
            tn_instance_destroy(instances[k]);
        tn_free(s->context, instances[k]);
    }
}

/* ---- numbers ---- */

void tn_ports_name_states(tn_system *s, const tn_sys_component *component)
{
    s->state[component->work] = (tn_sys_state){ .source = component->source, .decl = TN_STATE_OF_COMPONENT };
    for (int k = 0; k < component->state_count; k++)
        s->state[component->state + k] = (tn_sys_state){ .source = component->source, .decl = TN_STATE_OF_COMPONENT,
                                                         .start = component->start[k] };
}

void tn_ports_find(tn_system *s)
{
    for (int k = 0; k < s->component_count; k++) {
        tn_sys_component *component = &s->components[k];
        const tn_subsystem *subsystem = &s->model->subsystems[component->source];
        for (int p = 0; p < component->type->port_count; p++)
            component->body[p] = s->body_of[subsystem->ports[p].target.index];
        for (int j = 0; j < component->columns; j++)
            component->column[j] = s->bodies[component->body[j / component->width]].v + j % component->width;
    }
}

/* A snapshot takes a flag, then one number for each 4 bytes: decimal text keeps such numbers exactly. */
int tn_ports_place_memory(tn_system *s)
{
    for (int k = 0; k < s->component_count; k++) {
        tn_sys_component *component = &s->components[k];
        component->memory = s->memory;
        component->memory_count = 1 + (int)((component->snapshot_size + BYTES - 1) / BYTES);
        s->memory += component->memory_count;
    }
    return TN_OK;
}

/* ---- pins ---- */

/* The body of a pin in the problem of the solver: a component and a body inside, or NULL and the body of the
 * system. */
typedef struct pinned {
    const tn_sys_component *component;
    int body;
} pinned;

static const tn_sys_component *component_of(const tn_system *s, int body, int *port)
{
    for (int k = 0; k < s->component_count; k++)
        for (*port = 0; *port < s->components[k].type->port_count; (*port)++)
            if (s->components[k].body[*port] == body)
                return &s->components[k];
    return NULL;
}

static bool find_pinned(const tn_system *s, int body, pinned *out)
{
    int port;
    *out = (pinned){ NULL, body };
    if (body < 0 || !s->bodies[body].port)
        return body < 0 || s->bodies[body].motion != TN_MOTION_PARTICLE;
    out->component = component_of(s, body, &port);
    out->body = out->component->inside[port];
    return out->component->open && out->component->takes_pin[port];
}

bool tn_ports_take_pin(const tn_system *s, int body1, int body2)
{
    pinned one, two;
    return find_pinned(s, body1, &one) && find_pinned(s, body2, &two) &&
           (!one.component || one.component != two.component || one.body != two.body);
}

/* ---- motion of ports ---- */

/* Writes the quaternion of R, with the sign nearest to the old quaternion. */
static void write_turn(const double (*R)[3], double old[4])
{
    double q[4];
    tn_quat_from_matrix(q, R);
    double side = q[0] * old[0] + q[1] * old[1] + q[2] * old[2] + q[3] * old[3] < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++)
        old[k] = side * q[k];
}

const double *tn_eval_positions(const tn_eval *e, const tn_system *s)
{
    for (int b = 0; s->component_count > 0 && b < s->body_count; b++)
        if (s->bodies[b].port && s->bodies[b].motion == TN_MOTION_SPATIAL)
            write_turn((const double (*)[3])e->R[b], e->placed + s->bodies[b].q + 3);
    return e->q;
}

/* Angles count full turns: writes the angle nearest to the old angle. */
static void write_planar_pose(const tn_sys_body *body, const tn_port_motion *port, double *q)
{
    const double old = q[body->q + 2], turn = 2 * tn_acos(-1);
    double angle = tn_atan2(port->axes[0][1], port->axes[0][0]);
    q[body->q] = port->p[0];
    q[body->q + 1] = port->p[1];
    q[body->q + 2] = angle + turn * round((old - angle) / turn);
}

/* R is copied without normalization: within a step axes, and so the rows of joints, may differ slightly from unit. */
static void write_port(tn_eval *e, const tn_system *s, int index, const tn_port_motion *port, double *q, double *v)
{
    const tn_sys_body *body = &s->bodies[index];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e->R[index][i][k] = port->axes[k][i];
    if (body->motion == TN_MOTION_PLANAR)
        write_planar_pose(body, port, q);
    else
        tn_copy3(q + body->q, port->p);
    if (!v)
        return;
    v[body->v] = port->v[0];
    v[body->v + 1] = port->v[1];
    v[body->v + 2] = body->motion == TN_MOTION_PLANAR ? port->w[2] : port->v[2];
    if (body->motion != TN_MOTION_PLANAR)
        tn_copy3(v + body->v + 3, port->w);
}

void tn_ports_write(tn_eval *e, const tn_system *s, const tn_sys_component *component, const tn_port_motion *ports,
                    double *q, double *v)
{
    for (int p = 0; p < component->type->port_count; p++)
        write_port(e, s, component->body[p], &ports[p], q, v);
}

void tn_ports_place_at_start(tn_eval *e, const tn_system *s, double *q, double *v)
{
    for (int k = 0; k < s->component_count; k++)
        tn_ports_write(e, s, &s->components[k], s->components[k].start_ports, q, v);
}
