#include "boxes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "vec.h"

/* ---- what it is ---- */

const char *tn_box_name(const tn_system *s, const tn_box *box)
{
    return s->model->subsystems[box->source].entity.name;
}

void tn_box_name_states(tn_system *s, const tn_box *box)
{
    s->state[box->work] = (tn_sys_state){ .source = box->source, .decl = TN_STATE_OF_BOX };
    for (int k = 0; k < box->state_count; k++)
        s->state[box->state + k] = (tn_sys_state){ .source = box->source, .decl = TN_STATE_OF_BOX, .start = box->y[k] };
}

void tn_boxes_find_ports(tn_system *s)
{
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        const tn_subsystem *subsystem = &s->model->subsystems[box->source];
        for (int p = 0; p < box->instance.component.type->port_count; p++)
            box->body[p] = s->body_of[subsystem->ports[p].target.index];
        for (int j = 0; j < box->columns; j++)
            box->column[j] = s->bodies[box->body[j / box->width]].v + j % box->width;
    }
}

void tn_boxes_destroy(tn_system *s)
{
    for (int k = 0; k < s->box_count; k++)
        tn_instance_destroy(&s->boxes[k].instance);
}

/* ---- what goes wrong ---- */

int tn_box_note(tn_eval *e, const tn_system *s, const tn_box *box, int code, const char *why)
{
    const tn_entity *entity = &s->model->subsystems[box->source].entity;
    if (e->failed)
        return code;
    e->failed = entity->name;
    e->failed_span = entity->span;
    snprintf(e->trouble, sizeof e->trouble, "component '%.70s': %.150s", entity->name, why);
    return code;
}

int tn_box_end_run(tn_eval *e, const tn_system *s, const tn_box *box, int code, const char *why)
{
    const tn_entity *entity = &s->model->subsystems[box->source].entity;
    return tn_fail(s->context, tn_box_note(e, s, box, code, why), entity->span, "component '%s' at t = %.9g s: %s",
                   entity->name, e->t, why);
}

int tn_box_failed(tn_eval *e, const tn_system *s, tn_box *box, int code, const char *function)
{
    char why[200];
    snprintf(why, sizeof why, "%s%s%s", box->instance.trouble[0] ? box->instance.trouble : function,
             box->instance.trouble[0] ? "" : " fails", box->instance.trouble[0] ? "" : ", and it does not say why");
    box->instance.trouble[0] = '\0';
    return code == TN_ERROR_STEP || code == TN_ERROR_MEMORY ? tn_box_note(e, s, box, code, why)
                                                            : tn_box_end_run(e, s, box, code, why);
}

/* ---- the point ---- */

static bool stands_at(const tn_box *box, double t, const double *y)
{
    return box->placed && box->t == t && memcmp(box->y, y, (size_t)box->state_count * sizeof(double)) == 0;
}

void tn_box_leave(tn_box *box)
{
    box->placed = box->condensed = box->shown = box->asked = false;
    box->motion = NULL;
    box->question = TN_ASK_POSITIONS;
    box->changes++;
    box->points++;
}

void tn_box_arrive(tn_box *box)
{
    const tn_component *c = &box->instance.component;
    for (int p = 0; p < c->type->port_count; p++)
        c->type->port_motion(c->self, p, &box->ports[p]);
    box->placed = true;
}

int tn_box_move(tn_eval *e, const tn_system *s, tn_box *box)
{
    const tn_component *c = &box->instance.component;
    const double *y = e->z + box->state;
    if (!stands_at(box, e->t, y)) {
        tn_box_leave(box);
        if (!tn_finite(box->state_count, y))
            return tn_box_note(e, s, box, TN_ERROR_STEP, "its states are not finite");
        TN_TRY(tn_box_passed(e, s, box, c->type->place(c->self, e->t, y), "place"));
        box->t = e->t;
        memcpy(box->y, y, (size_t)box->state_count * sizeof(double));
        tn_box_arrive(box);
    }
    e->stands[box - s->boxes] = box->points;
    return TN_OK;
}

/* On the side of the one that was there. */
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
    for (int b = 0; s->box_count > 0 && b < s->body_count; b++)
        if (s->bodies[b].port && s->bodies[b].motion == TN_MOTION_SPATIAL)
            write_turn((const double (*)[3])e->R[b], e->placed + s->bodies[b].q + 3);
    return e->q;
}

/* Angles count full turns: near the ones that were there. */
static void write_planar_pose(const tn_sys_body *body, const tn_port_motion *port, double *q)
{
    const double old = q[body->q + 2], turn = 2 * acos(-1);
    double angle = atan2(port->axes[0][1], port->axes[0][0]);
    q[body->q] = port->p[0];
    q[body->q + 1] = port->p[1];
    q[body->q + 2] = angle + turn * round((old - angle) / turn);
}

/* R is taken as it is: within a step axes may be a little off unit vectors, and the rows of joints with them. */
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

void tn_boxes_place(tn_eval *e, const tn_system *s, double *q, double *v)
{
    for (int k = 0; k < s->box_count; k++)
        e->stands[k] = -1;
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        e->box_code = tn_box_place(e, s, box);
        for (int p = 0; p < box->instance.component.type->port_count && e->box_code == TN_OK; p++)
            write_port(e, s, box->body[p], &box->ports[p], q, v);
        if (e->box_code < 0)
            return;
    }
}

void tn_boxes_write_ports(const tn_eval *e, const tn_system *s, double *y)
{
    const double *q = tn_eval_positions(e, s);
    for (int b = 0; s->box_count > 0 && b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (!body->port)
            continue;
        memcpy(y + body->q, q + body->q, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
        memcpy(y + s->positions + body->v, e->v + body->v, (size_t)(s->dimension == 2 ? 3 : 6) * sizeof(double));
    }
}

void tn_boxes_clear(const tn_system *s, double *y)
{
    for (int b = 0; s->box_count > 0 && b < s->body_count; b++)
        if (s->bodies[b].port) {
            memset(y + s->bodies[b].q, 0, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
            memset(y + s->positions + s->bodies[b].v, 0, (size_t)(s->dimension == 2 ? 3 : 6) * sizeof(double));
        }
    for (int k = 0; k < s->box_count; k++)
        y[s->positions + s->velocities + s->boxes[k].work] = 0;
}

double tn_boxes_work(const tn_system *s, const double *z)
{
    double sum = 0;
    for (int k = 0; k < s->box_count; k++)
        sum += z[s->boxes[k].work];
    return sum;
}

/* ---- making ---- */

static double *numbers(const tn_system *s, int count)
{
    return tn_arena_alloc(s->arena, (size_t)count, sizeof(double));
}

static int allocate(const tn_system *s, tn_box *box)
{
    const int n = box->columns;
    box->y = numbers(s, box->state_count);
    box->D = numbers(s, n * n);
    box->T = numbers(s, n * n);
    box->W = numbers(s, n * n);
    box->Q = numbers(s, n * n);
    box->R = numbers(s, n * n);
    box->tau = numbers(s, n);
    box->answer = numbers(s, n);
    box->reach = numbers(s, n);
    box->mobility = numbers(s, n);
    box->rest = numbers(s, n);
    box->order = tn_arena_alloc(s->arena, (size_t)n, sizeof(int));
    box->ports = tn_arena_alloc(s->arena, (size_t)(n / box->width), sizeof *box->ports);
    box->body = tn_arena_alloc(s->arena, (size_t)(n / box->width), sizeof(int));
    box->column = tn_arena_alloc(s->arena, (size_t)n, sizeof(int));
    box->turns = tn_arena_alloc(s->arena, (size_t)n, sizeof(bool));
    bool all = box->y && box->D && box->T && box->W && box->Q && box->R && box->tau && box->answer && box->reach &&
               box->mobility && box->rest && box->order && box->ports && box->body && box->column && box->turns;
    for (int j = 0; j < n && all; j++)
        box->turns[j] = j % box->width >= s->dimension;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

static int make_boxes(tn_system *s, tn_box *box, uint32_t source)
{
    const tn_component *c = &box->instance.component;
    box->source = source;
    TN_TRY(tn_instance_create(&box->instance, s->model, source));
    box->width = s->dimension == 2 ? 3 : 6;
    box->columns = c->type->port_count * box->width;
    box->state_count = c->type->state_count(c->self);
    TN_TRY(allocate(s, box));
    c->type->point(c->self, &box->t, box->y);
    tn_box_arrive(box);
    box->open = c->type->disclosure >= TN_DISCLOSE_OPEN;
    box->question = TN_ASK_POSITIONS;
    if (box->open)
        TN_TRY(tn_box_open_first(s, box));
    box->freedoms = box->open ? 0 : tn_box_freedoms(box);
    if (tn_box_only_responds(box))
        tn_box_estimate(box);
    box->work = s->states;
    box->state = box->work + 1;
    s->states += 1 + box->state_count;
    return TN_OK;
}

static bool takes_component(const tn_system *s, uint32_t subsystem)
{
    return !s->selection && tn_component_active(s->model, subsystem);
}

int tn_boxes_create(tn_system *s)
{
    const tn_model *m = s->model;
    size_t count = 0;
    for (uint32_t k = 0; k < m->subsystem_count; k++)
        count += takes_component(s, k);
    s->boxes = tn_arena_alloc(s->arena, count, sizeof *s->boxes);
    if (!s->boxes)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->subsystem_count; k++)
        if (takes_component(s, k)) {
            tn_box *box = &s->boxes[s->box_count++];
            TN_TRY(make_boxes(s, box, k));
            s->closed_boxes += !box->open;
        }
    s->box_states = s->states;
    return TN_OK;
}

/* ---- questions ---- */

int tn_box_free(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, double *r)
{
    const tn_component *c = &box->instance.component;
    const bool shown = box->condensed && !tn_box_only_responds(box);
    box->shown = false;
    TN_TRY(tn_box_passed(e, s, box, shown ? c->type->free_answer(c->self, question, box->answer)
                                          : c->type->respond(c->self, question, NULL, box->answer),
                         shown ? "free_answer" : "respond"));
    if (!tn_finite(box->columns, box->answer))
        return tn_box_note(e, s, box, TN_ERROR_STEP, "the motion of its ports is not finite");
    for (int j = 0; j < box->columns; j++)
        r[box->column[j]] = box->answer[j];
    return TN_OK;
}

int tn_boxes_free(tn_eval *e, const tn_system *s, tn_question question, double *r)
{
    for (int k = 0; k < s->box_count; k++)
        TN_TRY(tn_box_free(e, s, &s->boxes[k], question, r));
    return TN_OK;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= most))
            most = fabs(a[k] - b[k]);
    return most;
}

/* W that tau does on the ports. */
static double power(const tn_eval *e, const tn_box *box)
{
    double sum = 0;
    for (int j = 0; j < box->columns; j++)
        sum += box->tau[j] * e->v[box->column[j]];
    return sum;
}

static int take_boxes(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, const double *tau, double *z,
                double *change)
{
    const tn_component *c = &box->instance.component;
    double *y = z + box->state, *work = z + box->work, ignored;
    const bool accelerations = question == TN_ASK_ACCELERATIONS, open = tau && tn_box_answered(box, question);
    for (int j = 0; tau && !open && j < box->columns; j++)
        box->tau[j] = tau[box->column[j]];
    box->shown &= open;
    double *power_of_ports = accelerations ? work : &ignored;
    int code = open ? c->type->take_open(c->self, question, box->motion, box->lambda, y, power_of_ports)
                    : c->type->take(c->self, question, tau ? box->tau : NULL, y);
    TN_TRY(tn_box_passed(e, s, box, code, open ? "take_open" : "take"));
    if (accelerations && !open)
        *work = power(e, box);
    else if (!accelerations && change)
        *change = fmax(*change, largest_difference(box->state_count, y, box->y));
    return TN_OK;
}

int tn_boxes_take(tn_eval *e, const tn_system *s, tn_question question, const double *tau, double *z, double *change)
{
    for (int k = 0; k < s->box_count; k++)
        TN_TRY(take_boxes(e, s, &s->boxes[k], question, tau, z, change));
    return TN_OK;
}

int tn_boxes_check_rates(tn_eval *e, const tn_system *s, const double *dz)
{
    for (int k = 0; k < s->box_count; k++)
        if (!tn_finite(1 + s->boxes[k].state_count, dz + s->boxes[k].work))
            return tn_box_note(e, s, &s->boxes[k], TN_ERROR_STEP, "the rates of its states are not finite");
    return TN_OK;
}

int tn_boxes_take_closed(tn_eval *e, const tn_system *s, tn_question question, double *z, double *change)
{
    for (int k = 0; k < s->box_count; k++)
        if (!s->boxes[k].open)
            TN_TRY(take_boxes(e, s, &s->boxes[k], question, NULL, z, change));
    return TN_OK;
}

/* ---- products ---- */

void tn_boxes_add_free(const tn_system *s, const double *r, double *a)
{
    for (int k = 0; k < s->box_count; k++)
        for (int j = 0; !s->boxes[k].motion && j < s->boxes[k].columns; j++)
            a[s->boxes[k].column[j]] += r[s->boxes[k].column[j]];
}
