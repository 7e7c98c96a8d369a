/* Unilateral constraints in static equilibrium (rest.h). The search for an equilibrium gets the rows of the constraints
 * that may close, and shifts that remove overlaps. At rest, complementarity of forces and accelerations decides which
 * constraints bear load; friction is that of contacts that stick. */
#include "rest.h"
#include <math.h>
#include <string.h>
#include "dense.h"
#include "rest_forces.h"
#include "unilateral_modes.h"

/* m or rad: constraints with smaller gaps may bear load. */
static const double NEARLY_TOUCHES = 2e-10;
/* Shares of each coefficient of friction: in steps of the search, and for its end. Each is narrower than the next one, and than that for
 * the forces of the equilibrium (rest_forces.c), so that contacts stick strictly within the cone that decides. */
static const double STEP_CONE = 1 - 3e-6, END_CONE = 1 - 2e-6;
/* Rounds of shifts against overlaps; convergence is quadratic. m or rad: largest overlap that may remain. */
enum { MOST_SHIFTS = 20 };
static const double MOST_OVERLAP = 1e-10;
/* m or rad: largest overlap of an equilibrium. */
static const double OVERLAPS = 1e-8;
/* A displacement whose normal part is smaller than this share of its terms is along a contact. */
static const double ALONG = 1e-6;

bool tn_rest_needed(const tn_session *s)
{
    return s->unilaterals->count > 0 || s->unilaterals->near.touches;
}

/* Moves the session's workspace, not its accepted state, to a state of the search. */
static void look_at(tn_session *s, const tn_tangent *near, const double *y)
{
    memcpy(s->stepper->memory, near->memory, (size_t)s->system->memory * sizeof(double));
    tn_eval_motion(s->stepper->eval, s->system, near->t, y, y + s->system->positions);
    s->eval_current = false;
}

/* ---- rows for a step ---- */

/* Returns how far (m) points of two shapes may approach each other when bodies move by shift (m) and turn (rad). */
static double approach(const tn_session *s, double shift, double turn)
{
    double reach = 0;
    for (int b = 0; b < s->system->body_count && s->unilaterals->near.touches; b++)
        reach = fmax(reach, s->unilaterals->near.reach[s->system->bodies[b].source]);
    return 2 * (shift + turn * reach);
}

static int copy_rows(tn_static_rows *out, const tn_delassus *d, const tn_near_list *near, int velocities,
                     tn_arena *arena)
{
    size_t size = (size_t)d->rows * (size_t)velocities;
    double *J = tn_arena_alloc(arena, size, sizeof *J), *gap = tn_arena_alloc(arena, (size_t)d->count, sizeof *gap);
    tn_cone_contact *contacts = tn_arena_alloc(arena, (size_t)d->count, sizeof *contacts);
    out->force = tn_arena_alloc(arena, (size_t)d->rows, sizeof *out->force);
    if (!J || !gap || !contacts || !out->force)
        return TN_ERROR_MEMORY;
    memcpy(J, d->J, size * sizeof *J);
    memset(out->force, 0, (size_t)d->rows * sizeof *out->force);
    for (int k = 0; k < d->count; k++) {
        gap[k] = near->list[k]->gap;
        contacts[k] = d->contacts[k];
        contacts[k].mu *= STEP_CONE;
        contacts[k].slides = false;
        out->touches = out->touches || near->list[k]->limit < 0;
    }
    out->count = d->count;
    out->rows = d->rows;
    out->J = J;
    out->gap = gap;
    out->contacts = contacts;
    out->constraints = near->unilaterals;
    return TN_OK;
}

static int list_rows(tn_static_rows *out, void *user, const tn_tangent *n, const double *y, double shift, double turn,
                     tn_arena *arena)
{
    tn_session *s = user;
    tn_near_list near;
    tn_delassus delassus;
    *out = (tn_static_rows){ 0 };
    look_at(s, n, y);
    tn_unilaterals_pass_teeth(s);
    TN_TRY(tn_near_list_find(&near, s, approach(s, shift, turn) + NEARLY_TOUCHES, 0, arena));
    if (near.count == 0)
        return TN_OK;
    TN_TRY(tn_delassus_open(&delassus, s, near.list, near.count));
    int code = tn_delassus_load(&delassus, n->t, y);
    if (code == TN_OK)
        code = copy_rows(out, &delassus, &near, s->system->velocities, arena);
    tn_delassus_close(&delassus);
    return code;
}

static void measure_gaps(double *gaps, void *user, const tn_static_rows *rows, const tn_tangent *n, const double *y)
{
    tn_session *s = user;
    const tn_unilateral *constraints = rows->constraints;
    look_at(s, n, y);
    for (int k = 0; k < rows->count; k++) {
        tn_unilateral moved = constraints[k];
        tn_unilateral_measure(&moved, s);
        gaps[k] = moved.gap;
    }
}

/* ---- overlaps ---- */

/* Finds the smallest displacement that removes the overlaps of the operator's constraints. */
static int find_shift(tn_delassus *d, double *shift, tn_arena *arena)
{
    for (int i = 0; i < d->rows; i++)
        d->part_b[i] = 0;
    for (int k = 0; k < d->count; k++) {
        d->contacts[k].mu = 0;
        d->part_b[d->contacts[k].row] = d->unilaterals[k]->gap;
    }
    TN_TRY(tn_rest_solve(d, d->part_b, arena));
    memset(shift, 0, (size_t)d->session->system->velocities * sizeof *shift);
    tn_delassus_add_response(d, shift);
    return TN_OK;
}

static int shift_once(tn_session *s, const tn_tangent *n, tn_near_list *near, double *y, double *x, double *shift,
                      tn_arena *arena)
{
    tn_delassus delassus;
    TN_TRY(tn_delassus_open(&delassus, s, near->list, near->count));
    int code = tn_delassus_load(&delassus, n->t, y);
    if (code == TN_OK)
        code = find_shift(&delassus, shift, arena);
    tn_delassus_close(&delassus);
    TN_TRY(code);
    for (int k = 0; k < s->system->velocities; k++)
        x[k] += shift[k];
    tn_position_move(s->system, y, shift, y);
    return tn_project_positions(n->stepper, n->t, y);
}

static int push_out(tn_session *s, const tn_tangent *n, double *y, double *x, tn_arena *arena)
{
    tn_near_list near;
    double *shift = tn_arena_alloc(arena, (size_t)s->system->velocities, sizeof *shift);
    if (!shift)
        return TN_ERROR_MEMORY;
    for (int round = 0; round < MOST_SHIFTS; round++) {
        look_at(s, n, y);
        TN_TRY(tn_near_list_find(&near, s, NEARLY_TOUCHES, 0, arena));
        if (tn_near_list_depth(&near) <= TN_UNILATERAL_NOISE)
            return TN_OK;
        TN_TRY(shift_once(s, n, &near, y, x, shift, arena));
    }
    look_at(s, n, y);
    TN_TRY(tn_near_list_find(&near, s, NEARLY_TOUCHES, 0, arena));
    return tn_near_list_depth(&near) <= MOST_OVERLAP ? TN_OK : TN_ERROR_STEP;
}

static int push(void *user, const tn_tangent *n, double *y, double *x)
{
    tn_session *s = user;
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = push_out(s, n, y, x, s->scratch);
    tn_arena_release(s->scratch, &mark);
    return code;
}

/* ---- forces at rest ---- */

/* Finds the forces p of the operator's constraints at rest, where a are the accelerations without them. */
static int find_forces(tn_delassus *d, const double *a, tn_arena *arena)
{
    const int velocities = d->session->system->velocities;
    for (int i = 0; i < d->rows; i++) {
        d->part_b[i] = 0;
        for (int j = 0; j < velocities; j++)
            d->part_b[i] += d->J[i * velocities + j] * a[j];
    }
    for (int k = 0; k < d->count; k++) {
        d->contacts[k].slides = false;
        d->contacts[k].mu *= END_CONE;
    }
    return tn_rest_solve(d, d->part_b, arena);
}

/* With a: adds the accelerations that the forces of the touching constraints cause, at the state of n. With out: finds
 * the stiffness of these forces. */
static int take_support(tn_session *s, const tn_tangent *n, double *a, tn_derivatives **out, tn_arena *arena)
{
    tn_near_list near;
    tn_delassus d;
    look_at(s, n, n->y);
    TN_TRY(tn_near_list_find(&near, s, NEARLY_TOUCHES, 0, arena));
    if (near.count == 0)
        return TN_OK;
    TN_TRY(tn_delassus_open(&d, s, near.list, near.count));
    int code = tn_delassus_load(&d, n->t, n->y);
    if (code == TN_OK)
        code = find_forces(&d, n->stepper->eval->a, arena);
    if (code == TN_OK && a)
        tn_delassus_add_response(&d, a);
    if (code == TN_OK && out)
        code = tn_delassus_stiffness(out, &d, arena);
    tn_delassus_close(&d);
    return code;
}

static int support(void *user, const tn_tangent *n, double *a)
{
    tn_session *s = user;
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = take_support(s, n, a, NULL, s->scratch);
    tn_arena_release(s->scratch, &mark);
    return code;
}

static int stiffness(tn_derivatives **out, void *user, const tn_tangent *n, tn_arena *arena)
{
    return take_support(user, n, NULL, out, arena);
}

tn_static_bounds tn_rest_bounds(tn_session *s)
{
    return (tn_static_bounds){ .user = s, .list = list_rows, .measure = measure_gaps, .push = push, .support = support,
                               .stiffness = stiffness };
}

/* ---- modes at rest ---- */

/* Lists the limits and touches of the session that touch at the motion in stepper->eval. */
static int gather_touching(tn_session *s, tn_unilateral **list)
{
    int count = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        tn_unilateral_measure(g, s);
        if (g->gap <= NEARLY_TOUCHES)
            list[count++] = g;
    }
    return count;
}

/* Adds the touches with gaps below NEARLY_TOUCHES to the session's list, as open ones. */
static int add_touches(tn_session *s)
{
    tn_unilaterals *g = s->unilaterals;
    const tn_touch *list;
    size_t count;
    if (!g->near.touches)
        return TN_OK;
    tn_touches_compact(s);
    TN_TRY(tn_contact_shapes_find(&list, &count, s, NEARLY_TOUCHES));
    TN_TRY(tn_grow(s->context, &g->items, &g->capacity, g->count + count, sizeof *g->items));
    for (size_t k = 0; k < count; k++)
        if (!tn_touch_held(s, &list[k].key))
            g->items[g->count++] = tn_touch_unilateral(s, &list[k]);
    return TN_OK;
}

static int close_touching(tn_session *s, tn_arena *arena)
{
    const tn_stepper *st = s->stepper;
    tn_delassus d;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(add_touches(s));
    tn_unilateral **list = tn_arena_alloc(arena, s->unilaterals->count, sizeof *list);
    tn_unilateral_mode *modes = tn_arena_alloc(arena, s->unilaterals->count, sizeof *modes);
    if (!list || !modes)
        return TN_ERROR_MEMORY;
    int count = gather_touching(s, list);
    if (count == 0) {
        tn_touches_compact(s);
        return TN_OK;
    }
    TN_TRY(tn_delassus_open(&d, s, list, count));
    int code = tn_rest_decide(&d, st->t, st->y, modes);
    for (int k = 0; k < count && code == TN_OK; k++)
        list[k]->mode = modes[k];
    if (code == TN_OK)
        tn_delassus_remember(&d);
    tn_delassus_close(&d);
    TN_TRY(code);
    tn_touches_compact(s);
    return tn_unilaterals_attach(s, st->y);
}

int tn_rest_close(tn_session *s)
{
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = close_touching(s, s->scratch);
    tn_arena_release(s->scratch, &mark);
    return code;
}

/* ---- the check ---- */

int tn_rest_violated(const char **name, double *depth, tn_session *s, const tn_tangent *n)
{
    tn_near_list near;
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    *name = NULL;
    *depth = OVERLAPS;
    look_at(s, n, n->y);
    int code = tn_near_list_find(&near, s, NEARLY_TOUCHES, 0, s->scratch);
    for (int k = 0; code == TN_OK && k < near.count; k++)
        if (-near.list[k]->gap > *depth) {
            *depth = -near.list[k]->gap;
            *name = near.list[k]->name;
        }
    tn_arena_release(s->scratch, &mark);
    return code;
}

static int find_opposed(bool *forward, bool *backward, tn_session *s, const tn_tangent *n, const double *y,
                        const double *x, tn_arena *arena)
{
    tn_near_list near;
    tn_delassus d;
    const int velocities = s->system->velocities;
    look_at(s, n, y);
    TN_TRY(tn_near_list_find(&near, s, OVERLAPS, 0, arena));
    if (near.count == 0)
        return TN_OK;
    TN_TRY(tn_delassus_open(&d, s, near.list, near.count));
    int code = tn_delassus_load(&d, n->t, y);
    for (int k = 0; k < d.count && code == TN_OK; k++) {
        double rate = 0, size = 0;
        for (int j = 0; j < velocities; j++) {
            double part = d.J[d.contacts[k].row * velocities + j] * x[j];
            rate += part;
            size += fabs(part);
        }
        *forward = *forward || rate < -ALONG * size;
        *backward = *backward || rate > ALONG * size;
    }
    tn_delassus_close(&d);
    return code;
}

int tn_rest_opposes(bool *forward, bool *backward, tn_session *s, const tn_tangent *n, const double *y,
                    const double *x)
{
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    *forward = *backward = false;
    int code = find_opposed(forward, backward, s, n, y, x, s->scratch);
    tn_arena_release(s->scratch, &mark);
    return code;
}

/* Tells whether the multipliers of the closed constraints obey the laws of contact. */
static bool are_lawful(const tn_session *s, const tn_delassus *d, const double *lambda)
{
    double most = 0, excess = 0;
    for (int k = 0; k < d->count; k++) {
        const tn_unilateral *g = d->unilaterals[k];
        if (!tn_unilateral_closed(g))
            continue;
        const tn_constraint *c = &s->system->constraints[g->constraint];
        double normal = lambda[c->row], friction = tn_norm2(c->rows - 1, lambda + c->row + 1);
        most = fmax(most, fabs(normal));
        excess = fmax(excess, fmax(-normal, friction - g->friction * normal));
    }
    return excess <= TN_REST_NO_LOAD * most;
}

/* Writes the operator's forces into the multipliers of the closed constraints. False: they break the laws of contact, or
 * some belong to constraints that are not closed. */
static bool store_forces(const tn_session *s, const tn_delassus *d, double *lambda)
{
    double most = 0, excess = 0;
    for (int k = 0; k < d->count; k++) {
        const tn_unilateral *g = d->unilaterals[k];
        const double *f = d->forces + d->contacts[k].row, friction = tn_norm2(d->contacts[k].tangents, f + 1);
        if (!tn_unilateral_closed(g) && f[0] > 0)
            return false;
        most = fmax(most, fabs(f[0]));
        excess = fmax(excess, fmax(-f[0], friction - g->friction * f[0]));
    }
    if (excess > TN_REST_NO_LOAD * most)
        return false;
    for (int k = 0; k < d->count; k++) {
        const tn_unilateral *g = d->unilaterals[k];
        if (!tn_unilateral_closed(g))
            continue;
        const tn_constraint *c = &s->system->constraints[g->constraint];
        memcpy(lambda + c->row, d->forces + d->contacts[k].row, (size_t)c->rows * sizeof(double));
    }
    return true;
}

/* Returns the largest force (N; torques over a length of their body) that the operator's forces leave unbalanced. */
static int find_unbalanced(double *most, tn_delassus *d, const tn_tangent *n)
{
    const tn_system *s = d->session->system;
    double *a = tn_arena_alloc(d->arena, (size_t)s->velocities, sizeof *a);
    double *force = tn_arena_alloc(d->arena, (size_t)s->velocities, sizeof *force);
    if (!a || !force)
        return TN_ERROR_MEMORY;
    memcpy(a, d->free, (size_t)s->velocities * sizeof *a);
    memcpy(d->p, d->forces, (size_t)d->rows * sizeof *d->p);
    tn_delassus_add_response(d, a);
    tn_tangent_weigh(n, a, force);
    *most = 0;
    for (int k = 0; k < s->velocities; k++)
        *most = fmax(*most, fabs(force[k]) / (s->structure.column_scale[k] > 0 ? s->structure.column_scale[k] : 1));
    return TN_OK;
}

/* Tells whether the multipliers of the closed constraints, which balance the load, obey the laws; where others do, finds those. */
static int check_forces(tn_session *s, tn_delassus *d, tn_tangent *n, double tolerance, double load, bool *rests)
{
    double unbalanced;
    *rests = are_lawful(s, d, n->stepper->eval->lambda);
    if (*rests)
        return TN_OK;
    tn_unilateral_mode *modes = tn_arena_alloc(d->arena, (size_t)d->count, sizeof *modes);
    if (!modes)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_rest_decide(d, n->t, n->y, modes));
    TN_TRY(find_unbalanced(&unbalanced, d, n));
    *rests = unbalanced <= tolerance * load && store_forces(s, d, n->stepper->eval->lambda);
    return TN_OK;
}

int tn_rest_check(tn_session *s, tn_tangent *n, double tolerance, double load, bool *rests)
{
    tn_delassus d;
    const char *name;
    double depth;
    *rests = false;
    TN_TRY(tn_rest_violated(&name, &depth, s, n));
    if (name)
        return TN_OK;
    *rests = true;
    if (s->system->constraint_count == tn_lasting_constraints(s->system))
        return TN_OK;
    TN_TRY(tn_delassus_open_touching(&d, s));
    int code = check_forces(s, &d, n, tolerance, load, rests);
    tn_delassus_close(&d);
    return code;
}

int tn_rest_release(int *count, tn_session *s, const double *lambda, double load)
{
    *count = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        if (!tn_unilateral_closed(g) || lambda[s->system->constraints[g->constraint].row] > TN_REST_NO_LOAD * load)
            continue;
        g->mode = TN_UNILATERAL_RESTS;
        (*count)++;
    }
    return *count > 0 ? tn_unilaterals_attach(s, s->stepper->y) : TN_OK;
}

static bool stops_rotation(const tn_session *s, const tn_unilateral *g)
{
    if (g->limit < 0)
        return false;
    const tn_model_limit *limit = &s->model->limits[g->limit];
    const tn_joint_form *form = tn_joint_form_of(s->model, s->model->joints[limit->joint].type);
    return form->coordinates[limit->coordinate].unit[0] == 'r';
}

/* Returns the entry with this name; NULL: there is none yet. */
static tn_support *find_support(tn_support *supports, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(supports[k].name, name) == 0)
            return &supports[k];
    return NULL;
}

int tn_rest_supports(tn_equilibrium *out, const tn_session *s, const double *lambda, tn_arena *arena)
{
    tn_support *supports = tn_arena_alloc(arena, s->unilaterals->count, sizeof *supports);
    if (!supports)
        return TN_ERROR_MEMORY;
    out->supports = supports;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (!tn_unilateral_closed(g))
            continue;
        tn_support *support = find_support(supports, out->support_count, g->name);
        if (!support) {
            support = &supports[out->support_count++];
            *support = (tn_support){ .name = tn_arena_strdup(arena, g->name), .rotation = stops_rotation(s, g) };
            if (!support->name)
                return TN_ERROR_MEMORY;
        }
        const tn_constraint *c = &s->system->constraints[g->constraint];
        support->points++;
        support->force += lambda[c->row];
        support->friction += tn_norm2(c->rows - 1, lambda + c->row + 1);
        support->sticks = support->sticks || g->mode == TN_UNILATERAL_STICKS;
    }
    return TN_OK;
}
