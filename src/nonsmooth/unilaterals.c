/* The session's list of unilateral constraints: creates it from the model and attaches the closed ones to the system. */
#include "unilaterals.h"
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "components.h"
#include "time_sleep.h"
#include "diag.h"
#include "holds.h"
#include "session_impl.h"

bool tn_unilateral_closed(const tn_unilateral *g)
{
    return g->mode == TN_UNILATERAL_SLIDES || g->mode == TN_UNILATERAL_STICKS;
}

const char *tn_unilaterals_name(tn_session *s, const char *text)
{
    tn_unilaterals *g = s->unilaterals;
    for (size_t k = 0; k < g->name_count; k++)
        if (strcmp(g->names[k], text) == 0)
            return g->names[k];
    if (tn_grow(s->context, &g->names, &g->name_capacity, g->name_count + 1, sizeof *g->names) < 0)
        return NULL;
    char *name = tn_arena_strdup(s->arena, text);
    if (name)
        g->names[g->name_count++] = name;
    return name;
}

/* ---- unilateral constraints as joints ---- */

/* Finds the joint type for linear relations of coordinates. A limit is a relation with one term; its residual is the
 * gap. */
static const tn_joint_type *relation(void)
{
    size_t k = 0;
    while (tn_joint_types[k]->joints >= 0)
        k++;
    return tn_joint_types[k];
}

static int touch_joint(tn_joint *joint, const tn_session *s, const tn_unilateral *g)
{
    const tn_touch *touch = &g->touch;
    bool rubs = g->friction > 0;
    *joint = (tn_joint){ .type = tn_model_joint_type(s->model, tn_touch_joint(touch->kind, rubs)),
                         .entity = s->model->contacts[touch->contact].entity, .body1 = touch->key.body1,
                         .body2 = touch->key.body2, .frame1 = touch->frame1, .frame2 = touch->frame2,
                         .parameters = { touch->radius, touch->radius2 } };
    bool alone = touch->kind == TN_TOUCH_OVAL || touch->kind == TN_TOUCH_SMOOTH;       /* these have no radius2 */
    memcpy(joint->parameters + (alone ? 1 : 2), touch->size, sizeof touch->size);
    joint->entity.name = g->name;
    int sizes = 0;                                     /* parameters of the type before those of the law */
    while (rubs && strcmp(joint->type->parameters[sizes].name, "side1") != 0)
        sizes++;
    if (rubs)
        tn_touch_law_parameters(s, touch, joint->parameters + sizes);
    return rubs ? s->model->dimension : 1;
}

static int limit_joint(tn_joint *joint, struct tn_joint_term *terms, const tn_session *s, const tn_unilateral *g)
{
    const tn_model_limit *limit = &s->model->limits[g->limit];
    terms[0] = (struct tn_joint_term){ .joint = limit->joint, .coordinate = limit->coordinate, .factor = g->side };
    *joint = (tn_joint){ .type = relation(), .terms = terms, .term_count = 1,
                         .parameters = { g->side * g->bound } };
    joint->entity = s->model->joints[limit->joint].entity;
    joint->entity.name = g->name;
    return 1;
}

/* Returns the coordinate of a limit, at the motion in stepper->eval; order 1: the coordinate's rate. */
static double coordinate_of(const tn_unilateral *g, tn_session *s, int order)
{
    const tn_model_limit *limit = &s->model->limits[g->limit];
    double values[TN_MAX_COORDINATES];
    tn_eval_coordinates(s->stepper->eval, s->system, s->stepper->memory, s->system->constraint_of[limit->joint], order,
                        values);
    return values[limit->coordinate];
}

static void measure_limit(tn_unilateral *g, tn_session *s)
{
    g->gap = g->side * (coordinate_of(g, s, 0) - g->bound);
    g->rate = g->side * coordinate_of(g, s, 1);
}

int tn_unilateral_joint(tn_joint *joint, struct tn_joint_term *terms, const tn_session *s, const tn_unilateral *g)
{
    return g->limit < 0 ? touch_joint(joint, s, g) : limit_joint(joint, terms, s, g);
}

void tn_unilateral_measure(tn_unilateral *g, tn_session *s)
{
    if (g->limit < 0)
        tn_touch_measure(g, s);
    else
        measure_limit(g, s);
}

tn_span tn_unilateral_span(const tn_session *s, const tn_unilateral *g)
{
    return g->limit < 0 ? s->model->contacts[g->touch.contact].entity.span
                        : s->model->joints[s->model->limits[g->limit].joint].entity.span;
}

static const char *limit_name(tn_session *s, const tn_model *model, const tn_model_limit *limit, int side)
{
    const tn_joint *joint = &model->joints[limit->joint];
    char name[256];
    snprintf(name, sizeof name, "%.150s.%.60s.%s", joint->entity.name,
             tn_joint_form_of(model, joint->type)->coordinates[limit->coordinate].name,
             limit->way != 0 ? "ratchet" : side > 0 ? "low" : "high");
    return tn_unilaterals_name(s, name);
}

/* Returns the fastest approach of the constraint with this name in the list of the previous model. */
static double fastest_so_far(const tn_unilaterals *before, const char *name)
{
    double fastest = 0;
    for (size_t k = 0; k < before->count; k++)
        if (strcmp(before->items[k].name, name) == 0)
            fastest = fmax(fastest, before->items[k].fastest);
    return fastest;
}

/* Returns the current tooth of the same ratchet so far; NaN: there was none with these teeth. */
static double tooth_so_far(const tn_session *s, const char *name, const tn_model_limit *ratchet)
{
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit >= 0 && strcmp(g->name, name) == 0 && g->pitch == ratchet->pitch && g->side == ratchet->way)
            return g->bound;
    }
    return NAN;
}

void tn_unilateral_take_numbers(tn_unilateral *g, const tn_model_limit *limit)
{
    if (limit->way == 0)
        g->bound = g->side > 0 ? limit->low : limit->high;
    g->pitch = limit->pitch;
    g->restitution = limit->restitution;
}

static int add_stop(tn_unilaterals *out, tn_session *s, const tn_model *model, int limit, int side)
{
    const tn_model_limit *from = &model->limits[limit];
    tn_unilateral g = { .name = limit_name(s, model, from, side), .limit = limit, .side = side, .constraint = -1 };
    if (!g.name)
        return TN_ERROR_MEMORY;
    tn_unilateral_take_numbers(&g, from);
    if (from->way != 0)
        g.bound = tooth_so_far(s, g.name, from);
    g.fastest = fastest_so_far(s->unilaterals, g.name);
    TN_TRY(tn_grow(s->context, &out->items, &out->capacity, out->count + 1, sizeof *out->items));
    out->items[out->count++] = g;
    return TN_OK;
}

static int add_limit(tn_unilaterals *out, tn_session *s, const tn_model *model, int limit)
{
    const tn_model_limit *from = &model->limits[limit];
    if (!tn_joint_active(model, from->joint))
        return TN_OK;
    if (from->way != 0)
        return add_stop(out, s, model, limit, from->way);
    if (isfinite(from->low))
        TN_TRY(add_stop(out, s, model, limit, 1));
    return isfinite(from->high) ? add_stop(out, s, model, limit, -1) : TN_OK;
}

/* ---- ratchets ---- */

bool tn_unilateral_is_ratchet(const tn_session *s, const tn_unilateral *g)
{
    return g->limit >= 0 && s->model->limits[g->limit].way != 0;
}

/* Returns the last tooth that a coordinate with this value has passed. */
static double last_tooth(const tn_model_limit *ratchet, double value)
{
    if (ratchet->pitch == 0)
        return value;
    return ratchet->way * ratchet->pitch * floor((ratchet->way * value + TN_UNILATERAL_NOISE) / ratchet->pitch);
}

/* Returns the last tooth of a ratchet at the motion in stepper->eval. A step ends where the coordinate turns back, so
 * the coordinate is furthest at one of the two ends of a step. */
static double tooth_now(const tn_unilateral *g, tn_session *s)
{
    double tooth = last_tooth(&s->model->limits[g->limit], coordinate_of(g, s, 0));
    return g->mode == TN_UNILATERAL_OPEN && g->side * tooth > g->side * g->bound ? tooth : g->bound;
}

void tn_unilaterals_pass_teeth(tn_session *s)
{
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (tn_unilateral_is_ratchet(s, &s->unilaterals->items[k]))
            s->unilaterals->items[k].bound = tooth_now(&s->unilaterals->items[k], s);
}

void tn_unilaterals_follow(tn_session *s)
{
    tn_stepper *st = s->stepper;
    bool any = false;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        any = any || tn_unilateral_is_ratchet(s, &s->unilaterals->items[k]);
    if (any && !s->eval_current)
        tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    if (any)
        tn_unilaterals_pass_teeth(s);
}

/* At a new state, in stepper->eval: a coordinate behind the last tooth lifts the pawl, which engages in a new tooth. */
static void engage(tn_unilateral *g, tn_session *s)
{
    tn_unilateral_measure(g, s);
    if (!(g->gap >= -s->solve.gap_tolerance))
        g->bound = last_tooth(&s->model->limits[g->limit], coordinate_of(g, s, 0));
    g->bound = tooth_now(g, s);
}

double tn_unilaterals_tooth(tn_session *s, tn_id joint)
{
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (tn_unilateral_is_ratchet(s, g) && s->model->limits[g->limit].joint == joint.index)
            return tooth_now(g, s);
    }
    return NAN;
}

double tn_unilaterals_limit_force(const tn_session *s, tn_id joint, int coordinate, bool ratchet)
{
    double force = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        const tn_model_limit *limit = g->limit < 0 ? NULL : &s->model->limits[g->limit];
        if (!limit || limit->joint != joint.index || limit->coordinate != coordinate || (limit->way != 0) != ratchet)
            continue;
        if (tn_unilateral_closed(g))
            force += g->side * s->stepper->eval->lambda[s->system->constraints[g->constraint].row];
        else if (g->mode == TN_UNILATERAL_PRESSED)
            force += g->side * g->force[0];
    }
    return force;
}

/* ---- opening ---- */

static bool model_has_unilaterals(const tn_model *model)
{
    for (uint32_t c = 0; c < model->contact_count; c++)
        if (tn_contact_active(model, c))
            return true;
    return model->limit_count > 0;
}

/* Only simulations have unilateral constraints: in kinematic runs and inverse dynamics the drives determine the
 * motion. */
static bool has_unilaterals(const tn_session *s)
{
    return !s->stepper->source.step && !s->stepper->motion_only && !s->loads;
}

static int check_integrator(const tn_session *s, const tn_solve *solve, tn_span span)
{
    bool rubs = false;
    size_t k = 0;
    for (uint32_t c = 0; c < s->model->contact_count; c++)
        rubs = rubs || (tn_contact_active(s->model, c) && tn_contact_rubs(&s->model->contacts[c]));
    while (tn_integrator_types[k] && strcmp(tn_integrator_types[k]->name, solve->integrator) != 0)
        k++;
    if (!rubs || !tn_integrator_types[k] || !tn_integrator_types[k]->own_reactions)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, span,
                   "integrator '%s' finds reactions by itself and knows neither the friction of contacts nor shapes that "
                   "give way: take another one ('%s')", solve->integrator, tn_solve_default().integrator);
}

int tn_unilaterals_check_solve(const tn_session *s, const tn_solve *solve, tn_span span)
{
    size_t k = 0;
    if (!has_unilaterals(s) || !model_has_unilaterals(s->model))
        return TN_OK;
    while (tn_scheme_types[k] && strcmp(tn_scheme_types[k]->name, solve->scheme) != 0)
        k++;
    if (solve->contact == TN_CONTACT_TIME_STEPPING && !tn_system_allows(s->system, TN_ALLOW_TIME_STEPPING))
        return tn_refuse_components(s->model, "time-stepping of contacts", "take 'contact: automatic'");
    const tn_contact *events = tn_laws_need_events(s->model);
    if (solve->contact == TN_CONTACT_TIME_STEPPING && events)
        return tn_fail(s->context, TN_ERROR_MODEL, events->entity.span, "contact '%s' has a law that time stepping does not "
                       "know: adhesion, tangential_restitution, stiffness or modulus; take 'contact: event-driven'", events->entity.name);
    if (!tn_scheme_types[k] || tn_scheme_types[k]->finish)
        return check_integrator(s, solve, span);
    return tn_fail(s->context, TN_ERROR_MODEL, span,
                   "scheme '%s' lets joints drift apart: stops and contacts, which are located exactly, need one that "
                   "keeps them closed ('%s')", solve->scheme, tn_solve_default().scheme);
}

static int refuse_overlap(const tn_session *s, const tn_unilateral *g)
{
    const tn_touch_key *key = &g->touch.key;
    if (g->limit < 0)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_unilateral_span(s, g),
                       "contact '%s': shapes of '%s' and '%s' overlap by %.6g m", g->name,
                       s->model->bodies[key->body1].entity.name, s->model->bodies[key->body2].entity.name, -g->gap);
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_unilateral_span(s, g),
                   "joint is beyond its limit '%s' by %.6g m or rad", g->name, -g->gap);
}

int tn_unilaterals_list(tn_unilaterals *out, tn_session *s, const tn_model *model)
{
    int code = TN_OK;
    *out = (tn_unilaterals){ 0 };
    for (size_t k = 0; k < model->limit_count && has_unilaterals(s) && code == TN_OK; k++)
        code = add_limit(out, s, model, (int)k);
    if (code == TN_OK && has_unilaterals(s))
        code = tn_contact_shapes_open(&out->near, s, model);
    if (code < 0)
        tn_unilaterals_free(out, s);
    return code;
}

void tn_unilaterals_free(tn_unilaterals *g, const tn_session *s)
{
    tn_free(s->context, g->items);
    tn_contact_shapes_close(&g->near, s);
    g->items = NULL;
    g->count = g->capacity = 0;
}

void tn_unilaterals_exchange(tn_unilaterals *a, tn_unilaterals *b)
{
    tn_unilaterals was = *a;
    a->items = b->items;
    a->count = b->count;
    a->capacity = b->capacity;
    a->near = b->near;
    b->items = was.items;
    b->count = was.count;
    b->capacity = was.capacity;
    b->near = was.near;
}

int tn_unilaterals_touch(tn_session *s, bool *touch)
{
    tn_stepper *st = s->stepper;
    *touch = false;
    if (s->unilaterals->count == 0 && !s->unilaterals->near.touches)
        return TN_OK;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(tn_touches_update(s));
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral_measure(&s->unilaterals->items[k], s);
        *touch = *touch || s->unilaterals->items[k].gap <= TN_UNILATERAL_TOUCHES;
    }
    return TN_OK;
}

/* Lists what touches at the accepted state; worst: the constraint that overlaps most beyond the tolerance, NULL: none. With
 * `tell` all that overlap are reported. */
static int measure_start(tn_session *s, bool tell, bool *touches, const tn_unilateral **worst)
{
    tn_stepper *st = s->stepper;
    *touches = false;
    *worst = NULL;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(tn_touches_update(s));
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        if (tn_unilateral_is_ratchet(s, g))
            engage(g, s);
        tn_unilateral_measure(g, s);
        *touches = *touches || g->gap <= TN_UNILATERAL_TOUCHES;
        if (!(g->gap < -s->solve.gap_tolerance))
            continue;
        *worst = !*worst || g->gap < (*worst)->gap ? g : *worst;
        if (tell)
            refuse_overlap(s, g);
    }
    return tell && *worst ? TN_ERROR_ASSEMBLY : TN_OK;
}

int tn_unilaterals_begin(tn_session *s)
{
    bool touches, resolves = s->solve.resolve_overlaps && tn_time_step_possible(s);
    const tn_unilateral *worst;
    TN_TRY(tn_unilaterals_check_solve(s, &s->solve, s->model->solve_span));
    TN_TRY(tn_holds_refresh(s));
    TN_TRY(tn_holds_settle(s));
    tn_sleep_wake(s->unilaterals->rows);
    if (s->unilaterals->count == 0 && !s->unilaterals->near.touches)
        return TN_OK;
    TN_TRY(measure_start(s, !resolves, &touches, &worst));
    if (worst) {
        tn_warn(s->context, tn_unilateral_span(s, worst), "'%s' overlaps by %.6g m or rad at t = %.9g s: bodies are moved apart",
                worst->name, -worst->gap, s->stepper->t);
        double before = tn_stepper_energy(s->stepper);
        TN_TRY(tn_overlaps_resolve(s));
        s->work += tn_stepper_energy(s->stepper) - before;     /* keeps the energy balance closed */
        TN_TRY(tn_work_begin(s));
        TN_TRY(measure_start(s, true, &touches, &worst));
    }
    return touches && s->solve.contact != TN_CONTACT_TIME_STEPPING ? tn_unilaterals_act(s) : TN_OK;
}

/* Refuses overlaps that no touch tells of. */
static int refuse_hidden_overlaps(tn_session *s)
{
    const tn_touch *list;
    size_t count;
    TN_TRY(tn_contact_shapes_find_hidden(&list, &count, s, s->solve.gap_tolerance, true));
    for (size_t k = 0; k < count; k++) {
        tn_unilateral g = tn_touch_unilateral(s, &list[k]);
        refuse_overlap(s, &g);
    }
    if (count > 0 && s->solve.resolve_overlaps)
        tn_fail(s->context, TN_ERROR_ASSEMBLY, TN_NOWHERE, "'overlaps: resolve' finds no way out of a surface or torus so deep inside");
    return count > 0 ? TN_ERROR_ASSEMBLY : TN_OK;
}

int tn_unilaterals_place(tn_session *s)
{
    TN_TRY(tn_unilaterals_begin(s));
    return refuse_hidden_overlaps(s);
}

int tn_unilaterals_open(tn_session *s)
{
    tn_unilaterals fresh;
    TN_TRY(tn_unilaterals_list(&fresh, s, s->model));
    tn_unilaterals_exchange(s->unilaterals, &fresh);
    return tn_unilaterals_place(s);
}

void tn_unilaterals_close(tn_session *s)
{
    tn_unilaterals_free(s->unilaterals, s);
    tn_contact_rows_destroy(s->unilaterals->rows, s->context);
    tn_free(s->context, s->unilaterals->impacts);
    tn_free(s->context, s->unilaterals->names);
}

/* ---- in force ---- */

static int list_closed(tn_session *s, tn_arena *scratch, tn_attached **out, int *count)
{
    size_t n = s->unilaterals->count;
    const int holds = tn_holds_count(s);
    tn_joint *joints = tn_arena_alloc(scratch, n, sizeof *joints);
    struct tn_joint_term *terms = tn_arena_alloc(scratch, n, sizeof *terms);
    tn_attached *all = tn_arena_alloc(scratch, n + (size_t)holds, sizeof *all);
    *out = all;
    *count = holds;
    if (!joints || !terms || !all)
        return TN_ERROR_MEMORY;
    tn_attached *closed = all + holds;
    TN_TRY(tn_holds_list(s, scratch, all));
    for (size_t k = 0; k < n; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        g->constraint = -1;
        if (!tn_unilateral_closed(g))
            continue;
        int place = (*count)++ - holds, rows = tn_unilateral_joint(&joints[place], &terms[place], s, g);
        g->constraint = s->system->own_constraints + holds + place;
        closed[place] = (tn_attached){ .joint = &joints[place], .rows = g->mode == TN_UNILATERAL_STICKS ? rows : 1,
                                       .law = g->law };
        memcpy(closed[place].along, g->along, sizeof g->along);
    }
    return TN_OK;
}

/* Replaces the session's stepper by a new one for the present system. */
static int replace_stepper(tn_session *s, const double *y)
{
    tn_stepper *old = s->stepper, *new = NULL;
    TN_TRY(tn_stepper_create(&new, s->system, s->coupling, &s->solve, s->model->solve_span));
    new->h = old->h;
    new->turned = old->turned;
    new->eval->pull = old->eval->pull;
    int code = tn_stepper_start(new, old->t, y, y + s->system->positions, old->memory);
    if (code < 0) {
        tn_stepper_destroy(new);
        return code;
    }
    new->counts = old->counts;
    s->iterations_before = s->summary.iterations;
    tn_trust_room_free(s);
    s->stepper = new;
    tn_stepper_destroy(old);
    return TN_OK;
}

static int attach(tn_session *s, tn_arena *scratch, const double *y)
{
    tn_attached *closed;
    tn_layout before;
    int count;
    TN_TRY(list_closed(s, scratch, &closed, &count));
    TN_TRY(tn_system_attach(s->system, closed, count, &before));
    int code = replace_stepper(s, y);
    if (code < 0) {
        tn_layout failed = tn_layout_of(s->system);
        tn_layout_restore(s->system, &before);
        tn_layout_free(s->system, &failed);
        return code;
    }
    tn_layout_free(s->system, &before);
    s->eval_current = s->at_rest = false;
    return TN_OK;
}

int tn_unilaterals_attach(tn_session *s, const double *y)
{
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = attach(s, s->scratch, y);
    tn_arena_release(s->scratch, &mark);
    return code;
}

int tn_unilaterals_let_go(tn_session *s)
{
    if (s->system->constraint_count == tn_lasting_constraints(s->system))
        return TN_OK;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        s->unilaterals->items[k].mode = TN_UNILATERAL_OPEN;
    s->unilaterals->held = false;
    tn_touches_compact(s);
    return tn_unilaterals_attach(s, s->stepper->y);
}

/* ---- queries ---- */

size_t tn_session_impact_count(const tn_session *s)
{
    return s->unilaterals->impact_count;
}

tn_impact tn_session_impact(const tn_session *s, size_t index)
{
    return index < s->unilaterals->impact_count ? s->unilaterals->impacts[index] : (tn_impact){ .time = NAN, .name = "" };
}
