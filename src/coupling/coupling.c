/* Components in a workspace: their instances, their points and their error messages. */
#include "coupling_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "vec.h"

/* ---- errors ---- */

int tn_coupled_note(tn_eval *e, const tn_system *s, const tn_coupled *component, int code, const char *why)
{
    const tn_entity *entity = &s->model->subsystems[component->of->source].entity;
    if (e->failed)
        return code;
    e->failed = entity->name;
    e->failed_span = entity->span;
    snprintf(e->trouble, sizeof e->trouble, "component '%.70s': %.150s", entity->name, why);
    return code;
}

int tn_coupled_end_run(tn_eval *e, const tn_system *s, const tn_coupled *component, int code, const char *why)
{
    const tn_entity *entity = &s->model->subsystems[component->of->source].entity;
    return tn_fail(s->context, tn_coupled_note(e, s, component, code, why), entity->span,
                   "component '%s' at t = %.9g s: %s", entity->name, e->t, why);
}

int tn_coupled_failed(tn_eval *e, const tn_system *s, tn_coupled *component, int code, const char *function)
{
    char why[200], *trouble = component->instance->trouble;
    snprintf(why, sizeof why, "%s%s%s", trouble[0] ? trouble : function, trouble[0] ? "" : " fails",
             trouble[0] ? "" : ", and it does not say why");
    trouble[0] = '\0';
    return code == TN_ERROR_STEP || code == TN_ERROR_MEMORY ? tn_coupled_note(e, s, component, code, why)
                                                            : tn_coupled_end_run(e, s, component, code, why);
}

/* ---- the point ---- */

static bool stands_at(const tn_coupled *component, double t, const double *y)
{
    const tn_coupled_point *at = &component->at;
    return at->number > 0 && at->t == t && memcmp(at->y, y, (size_t)component->of->state_count * sizeof(double)) == 0;
}

void tn_coupled_leave(tn_coupled *component)
{
    component->at.number = 0;
    component->shown.question = TN_ASK_POSITIONS;
    component->coupling->number++;
}

void tn_coupled_arrive(tn_coupled *component)
{
    TN_ASSERT(component->at.number == 0);
    for (int p = 0; p < component->type->port_count; p++)
        component->type->port_motion(component->self, p, &component->at.ports[p]);
    component->at.number = component->coupling->number;
}

int tn_coupled_move(tn_eval *e, const tn_system *s, tn_coupled *component)
{
    const int count = component->of->state_count;
    const double *y = e->z + component->of->state;
    if (!stands_at(component, e->t, y)) {
        tn_coupled_leave(component);
        if (!tn_finite(count, y))
            return tn_coupled_note(e, s, component, TN_ERROR_STEP, "its states are not finite");
        TN_TRY(tn_coupled_passed(e, s, component, component->type->place(component->self, e->t, y), "place"));
        component->at.t = e->t;
        memcpy(component->at.y, y, (size_t)count * sizeof(double));
        tn_coupled_arrive(component);
    }
    e->points[component - e->coupling->items] = component->at.number;
    return TN_OK;
}

/* Sends the point to all components before any of them is asked: components in other processes work at the same time. */
static void begin_places(const tn_eval *e, const tn_system *s)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        const double *y = e->z + component->of->state;
        if (TN_COMPONENT_HAS(component->type, begin_place) && !stands_at(component, e->t, y) &&
            tn_finite(component->of->state_count, y))
            component->type->begin_place(component->self, e->t, y);
    }
}

void tn_coupled_begin(const tn_coupled *component, const tn_component_request *request)
{
    if (TN_COMPONENT_HAS(component->type, begin))
        component->type->begin(component->self, request);
}

/* tn_eval.place */
static void place_coupling(tn_eval *e, const tn_system *s, double *q, double *v)
{
    memset(e->points, 0, (size_t)s->component_count * sizeof *e->points);
    if (s->component_count > 1 && e->component_code == TN_OK)
        begin_places(e, s);
    for (int k = 0; k < tn_coupled_count(e, s) && e->component_code == TN_OK; k++) {
        tn_coupled *component = &e->coupling->items[k];
        e->component_code = tn_coupled_place(e, s, component);
        if (e->component_code == TN_OK)
            tn_ports_write(e, s, component->of, component->at.ports, q, v);
    }
}

/* ---- life ---- */

static double *numbers(const tn_coupling *coupling, int count)
{
    return tn_arena_alloc(coupling->arena, (size_t)count, sizeof(double));
}

static int allocate(const tn_coupling *coupling, tn_coupled *component)
{
    const int n = component->of->columns;
    tn_coupled_response *r = &component->response;
    double **squares[] = { &r->D, &r->T, &r->W, &r->Q, &r->R };
    double **columns[] = { &r->reach, &component->mobility, &component->rest, &component->tau, &component->answer };
    bool all = true;
    for (size_t k = 0; k < TN_LENGTH(squares); k++)
        all &= (*squares[k] = numbers(coupling, n * n)) != NULL;
    for (size_t k = 0; k < TN_LENGTH(columns); k++)
        all &= (*columns[k] = numbers(coupling, n)) != NULL;
    component->at.y = numbers(coupling, component->of->state_count);
    component->at.ports = tn_arena_alloc(coupling->arena, (size_t)component->type->port_count,
                                         sizeof *component->at.ports);
    r->order = tn_arena_alloc(coupling->arena, (size_t)n, sizeof(int));
    component->bytes = tn_arena_alloc(coupling->arena, (size_t)component->of->memory_count, sizeof(uint32_t));
    return all && component->at.y && component->at.ports && r->order && component->bytes ? TN_OK : TN_ERROR_MEMORY;
}

static int make_instance(tn_instance **out, const tn_system *s, const tn_sys_component *of)
{
    *out = tn_alloc(s->context, 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_instance_create(*out, s->model, of->source));
    const tn_component *c = &(*out)->component;
    if (c->type->state_count(c->self) != of->state_count || c->type->save(c->self, NULL, 0) != of->snapshot_size)
        return tn_fail(s->context, TN_ERROR_MODEL, s->model->subsystems[of->source].entity.span,
                       "component '%s' has other states when it is made again", tn_sys_component_name(s, of));
    return TN_OK;
}

static int begin_coupling(tn_coupling *coupling, const tn_system *s, tn_coupled *component)
{
    component->coupling = coupling;
    component->jumps.from = component->jumps.until = NAN;      /* not asked */
    component->type = component->instance->component.type;
    component->self = component->instance->component.self;
    TN_TRY(allocate(coupling, component));
    component->type->point(component->self, &component->at.t, component->at.y);
    if (component->at.t != 0)                          /* runs begin at t = 0 */
        TN_TRY(component->type->place(component->self, 0, component->at.y));
    component->at.t = 0;
    tn_coupled_arrive(component);
    component->shown.question = TN_ASK_POSITIONS;
    if (component->of->open)
        return tn_ports_look_inside(&component->shown.inside, s, component->of, component->instance);
    component->freedoms = tn_coupled_find_freedoms(component);
    if (tn_only_responds(component->of))
        tn_coupled_estimate(component);
    return TN_OK;
}

static int build_coupling(tn_coupling *coupling, const tn_system *s)
{
    tn_instance **made = tn_ports_take_instances(s);
    coupling->number = 1;
    coupling->items = tn_arena_alloc(coupling->arena, (size_t)s->component_count, sizeof *coupling->items);
    if (!coupling->items)
        return TN_ERROR_MEMORY;
    coupling->count = s->component_count;
    for (int k = 0; made && k < coupling->count; k++)
        coupling->items[k].instance = made[k];
    for (int k = 0; k < coupling->count; k++) {
        tn_coupled *component = &coupling->items[k];
        component->of = &s->components[k];
        if (!made)
            TN_TRY(make_instance(&component->instance, s, component->of));
        TN_TRY(begin_coupling(coupling, s, component));
    }
    return TN_OK;
}

int tn_coupling_create(tn_coupling **out, const tn_system *s)
{
    *out = NULL;
    if (s->component_count == 0)
        return TN_OK;
    tn_arena *arena = tn_arena_create(s->context);
    tn_coupling *coupling = arena ? tn_arena_alloc(arena, 1, sizeof *coupling) : NULL;
    if (!coupling) {
        tn_arena_destroy(arena);
        return TN_ERROR_MEMORY;
    }
    coupling->arena = arena;
    coupling->context = s->context;
    int code = build_coupling(coupling, s);
    if (code < 0) {
        tn_coupling_destroy(coupling);
        return code;
    }
    *out = coupling;
    return TN_OK;
}

void tn_coupling_destroy(tn_coupling *coupling)
{
    for (int k = 0; coupling && k < coupling->count; k++) {
        tn_instance *instance = coupling->items[k].instance;
        if (instance)
            tn_instance_destroy(instance);
        tn_free(coupling->context, instance);
    }
    if (coupling)
        tn_arena_destroy(coupling->arena);
}

int tn_coupled_eval_create(tn_eval **out, const tn_system *s, tn_coupling *coupling, tn_arena *arena, bool lazy)
{
    TN_ASSERT(s->component_count == 0 || coupling);
    TN_TRY(tn_eval_create(out, s, arena, lazy));
    if (s->component_count > 0) {
        (*out)->coupling = coupling;
        (*out)->place = place_coupling;
    }
    return TN_OK;
}

long tn_coupling_version(const tn_eval *e)
{
    return e->coupling ? e->coupling->number : 0;
}

/* ---- properties of the system's components ---- */

int tn_coupling_check_advance(const tn_system *s, const char *who)
{
    for (int k = 0; k < s->component_count; k++)
        if (!s->components[k].type->advance)
            return tn_fail(s->context, TN_ERROR_ARGUMENT, s->model->subsystems[s->components[k].source].entity.span,
                           "%s: component '%s' has no steps of its own ('advance')", who,
                           tn_sys_component_name(s, &s->components[k]));
    return TN_OK;
}

const double *tn_coupling_velocities(const tn_system *s, const double *v)
{
    return s->component_count > 0 ? v : NULL;
}

bool tn_coupling_is_work(const tn_system *s, int state)
{
    for (int k = 0; k < s->component_count; k++)
        if (s->components[k].work == state)
            return true;
    return false;
}

/* ---- what happens at given times ---- */

static bool is_timed(const tn_coupled *component)
{
    return TN_COMPONENT_HAS(component->type, timed) && TN_COMPONENT_HAS(component->type, missed) && component->type->timed(component->self);
}

bool tn_coupling_timed(const tn_coupling *coupling)
{
    for (int k = 0; coupling && k < coupling->count; k++)
        if (is_timed(&coupling->items[k]))
            return true;
    return false;
}

const char *tn_coupling_missed(const tn_coupling *coupling, const tn_system *s, tn_step_view view, double t0, double t1,
                               tn_component_missed *out)
{
    const char *name = NULL;
    for (int k = 0; coupling && k < coupling->count; k++) {
        const tn_coupled *component = &coupling->items[k];
        tn_component_missed one;
        if (!is_timed(component) || !component->type->missed(component->self, view, t0, t1, &one))
            continue;
        const bool within = one.at > t0 && one.at < t1 && one.from >= t0 && one.from <= one.at;
        if (within && (!name || one.at < out->at)) {
            name = tn_sys_component_name(s, component->of);
            *out = one;
        }
    }
    return name;
}

/* Asks a component for its first jump in an interval several times as long as the one wanted, since a question may cost an exchange with
 * another process: most steps then need none. */
static void ask_for_jumps(tn_coupled *component, double t0, double t1)
{
    static const double TIMES_AS_LONG = 4;
    tn_coupled_jumps *known = &component->jumps;
    const double end = t0 + TIMES_AS_LONG * (t1 - t0);
    tn_component_jump *next = &known->next;
    const bool any = component->type->jumps(component->self, t0, end, next) && next->before >= t0 && next->behind > next->before &&
                     next->behind <= end;
    if (!any)
        *next = (tn_component_jump){ NAN, NAN };
    known->from = t0;
    known->until = any ? next->before : end;
}

/* True: `known` says which jump is the first one between t0 and t1, or that there is none. */
static bool is_known(const tn_coupled_jumps *known, double t0, double t1)
{
    return t0 >= known->from && t0 <= known->until && (t1 <= known->until || known->next.behind > t0);
}

bool tn_coupling_jumps(const tn_coupling *coupling, double t0, double t1, tn_component_jump *out)
{
    bool found = false;
    for (int k = 0; coupling && k < coupling->count; k++) {
        tn_coupled *component = &coupling->items[k];
        if (!TN_COMPONENT_HAS(component->type, jumps) || !is_timed(component) || !(t1 > t0))
            continue;
        if (!is_known(&component->jumps, t0, t1))
            ask_for_jumps(component, t0, t1);
        const tn_component_jump *next = &component->jumps.next;
        if (!(next->behind <= t1) || (found && next->behind > out->behind))
            continue;
        found = true;
        *out = *next;
    }
    return found;
}

/* ---- states ---- */

void tn_coupling_write_ports(const tn_eval *e, const tn_system *s, double *y)
{
    const double *q = tn_eval_positions(e, s);
    for (int b = 0; s->component_count > 0 && b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (!body->port)
            continue;
        memcpy(y + body->q, q + body->q, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
        memcpy(y + s->positions + body->v, e->v + body->v, (size_t)(s->dimension == 2 ? 3 : 6) * sizeof(double));
    }
}

void tn_coupling_clear_ports(const tn_system *s, double *y)
{
    for (int b = 0; s->component_count > 0 && b < s->body_count; b++)
        if (s->bodies[b].port) {
            memset(y + s->bodies[b].q, 0, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
            memset(y + s->positions + s->bodies[b].v, 0, (size_t)(s->dimension == 2 ? 3 : 6) * sizeof(double));
        }
    for (int k = 0; k < s->component_count; k++)
        y[s->positions + s->velocities + s->components[k].work] = 0;
}

double tn_coupling_work(const tn_system *s, const double *z)
{
    double sum = 0;
    for (int k = 0; k < s->component_count; k++)
        sum += z[s->components[k].work];
    return sum;
}
