#include "boxes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "vec.h"

/* D may be off symmetry, and its pivots below zero, by this part of the largest diagonal entries of their kind. */
static const double ASYMMETRY = 1e-7, INDEFINITE = 1e-7;
/* Pivots of D below this part of their diagonal entry are round-off; so are diagonal entries below a part of the
 * largest one of their kind, more where D is a difference of answers. */
static const double PIVOT_FLOOR = 1e-12, DIAGONAL_FLOOR = 1e-20, DIFFERENCE_FLOOR = 1e-12;

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

/* Whether all are: this is often asked, and their sum nearly always tells. */
static bool finite(int n, const double *x)
{
    enum { AT_ONCE = 8 };
    double sums[AT_ONCE] = { 0 }, sum = 0;
    int k = 0;
    for (; k + AT_ONCE <= n; k += AT_ONCE)
        for (int j = 0; j < AT_ONCE; j++)
            sums[j] += x[k + j];
    for (; k < n; k++)
        sum += x[k];
    for (int j = 0; j < AT_ONCE; j++)
        sum += sums[j];
    for (k = 0; !isfinite(sum) && k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
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
        if (!finite(box->state_count, y))
            return tn_box_note(e, s, box, TN_ERROR_STEP, "its states are not finite");
        TN_TRY(tn_box_passed(e, s, box, c->type->place(c->self, e->t, y), "place"));
        box->t = e->t;
        memcpy(box->y, y, (size_t)box->state_count * sizeof(double));
        tn_box_arrive(box);
    }
    e->stands[box - s->boxes] = box->points;
    return TN_OK;
}

/* Quaternions on the side of the ones that were there. */
static void write_pose(const tn_sys_body *body, const tn_port_motion *port, double (*R)[3], double *q)
{
    double e[4], *old = q + body->q + 3;
    tn_copy3(q + body->q, port->p);
    tn_quat_from_matrix(e, (const double (*)[3])R);
    double side = e[0] * old[0] + e[1] * old[1] + e[2] * old[2] + e[3] * old[3] < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++)
        old[k] = side * e[k];
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
        write_pose(body, port, e->R[index], q);
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
    for (int b = 0; s->box_count > 0 && b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        if (!body->port)
            continue;
        memcpy(y + body->q, e->q + body->q, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
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

/* ---- D ---- */

/* Of a component that does not show D: what unit forces change. */
static int ask_units(tn_box *box)
{
    const tn_component *c = &box->instance.component;
    const int n = box->columns;
    TN_TRY(c->type->respond(c->self, TN_ASK_ACCELERATIONS, NULL, box->answer));
    for (int j = 0; j < n; j++) {
        memset(box->tau, 0, (size_t)n * sizeof(double));
        box->tau[j] = 1;
        TN_TRY(c->type->respond(c->self, TN_ASK_ACCELERATIONS, box->tau, box->D + j * n));
        for (int i = 0; i < n; i++)
            box->D[i + j * n] -= box->answer[i];
    }
    return TN_OK;
}

/* Translations are 0, rotations 1. */
static int kind_of(const tn_box *box, int j)
{
    return j % box->width >= (box->width == 3 ? 2 : 3);
}

/* Largest diagonal entry of either kind. */
static void largest_entries(const tn_box *box, double most[2])
{
    most[0] = most[1] = 0;
    for (int j = 0; j < box->columns; j++)
        most[kind_of(box, j)] = fmax(most[kind_of(box, j)], fabs(box->D[j + j * box->columns]));
}

/* Makes D symmetric; false: it is not, by far. */
static bool symmetrize(const tn_box *box, const double most[2])
{
    const int n = box->columns;
    const double unit[2] = { sqrt(most[0]), sqrt(most[1]) };
    double *D = box->D;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double mean = 0.5 * (D[i + j * n] + D[j + i * n]), off = fabs(D[i + j * n] - D[j + i * n]);
            if (off > ASYMMETRY * unit[kind_of(box, i)] * unit[kind_of(box, j)])
                return false;
            D[i + j * n] = D[j + i * n] = mean;
        }
    return true;
}

/* Columns that move at all, more than by round-off, in front; returns how many. */
static int sort_columns(tn_box *box, const double most[2])
{
    const bool shown = box->instance.component.type->disclosure >= TN_DISCLOSE_CONDENSED;
    const double floor = shown ? DIAGONAL_FLOOR : DIFFERENCE_FLOOR;
    int moving = 0, still = box->columns;
    for (int j = 0; j < box->columns; j++)
        if (box->D[j + j * box->columns] > floor * most[kind_of(box, j)])
            box->order[moving++] = j;
        else
            box->order[--still] = j;
    return moving;
}

/* Brings the column whose pivot is the largest part of its diagonal entry to place k; false: only round-off is left.
 * */
static bool take_pivot(const tn_box *box, int k, int count, const double *pivot)
{
    int best = -1;
    double most = PIVOT_FLOOR;
    for (int i = k; i < count; i++) {
        const int j = box->order[i];
        if (pivot[j] > most * box->D[j + j * box->columns]) {
            most = pivot[j] / box->D[j + j * box->columns];
            best = i;
        }
    }
    if (best < 0)
        return false;
    const int p = box->order[best];
    box->order[best] = box->order[k];
    box->order[k] = p;
    return true;
}

/* The k-th column of W, and what the pivots of the others lose by it. */
static void eliminate(tn_box *box, int k, int count, double *pivot)
{
    const int n = box->columns, p = box->order[k];
    double *w = box->W + k * n, *rest = box->tau;
    memcpy(rest, box->D + p * n, (size_t)n * sizeof(double));
    for (int m = 0; m < k; m++) {
        const double *before = box->W + m * n, part = before[p];
        for (int j = 0; j < n; j++)
            rest[j] -= before[j] * part;
    }
    w[p] = sqrt(pivot[p]);
    for (int i = k + 1; i < count; i++) {
        const int j = box->order[i];
        w[j] = rest[j] / w[p];
        pivot[j] -= w[j] * w[j];
    }
}

static bool is_definite(const tn_box *box, const double *pivot, const double most[2])
{
    for (int j = 0; j < box->columns; j++)
        if (pivot[j] < -INDEFINITE * most[kind_of(box, j)])
            return false;
    return true;
}

/* D = weight W W' by Cholesky's method with pivots; W has a column for each of them, and compares to one in its
 * translations. False: D is indefinite. */
static bool factorize(tn_box *box, const double most[2])
{
    const int n = box->columns, count = sort_columns(box, most);
    double *pivot = box->answer;
    memset(box->W, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < n; j++)
        pivot[j] = box->D[j + j * n];
    for (box->rank = 0; box->rank < count && take_pivot(box, box->rank, count, pivot); box->rank++)
        eliminate(box, box->rank, count, pivot);
    box->weight = most[0] > 0 ? most[0] : most[1] > 0 ? most[1] : 1;
    for (int k = 0; k < n * box->rank; k++)
        box->W[k] /= sqrt(box->weight);
    for (int j = 0; j < n; j++)
        box->reach[j] = sqrt(fmax(0, box->D[j + j * n]) / box->weight);
    return is_definite(box, pivot, most);
}

static int ask_response(tn_box *box, tn_rank_rule rule)
{
    const tn_component *c = &box->instance.component;
    return c->type->disclosure >= TN_DISCLOSE_CONDENSED ? c->type->condense(c->self, rule, box->D) : ask_units(box);
}

static int condense(tn_eval *e, const tn_system *s, tn_box *box, tn_rank_rule rule)
{
    const tn_component *c = &box->instance.component;
    if (box->condensed && (rule == TN_RANK_KEEP || box->decided))
        return TN_OK;
    bool shown = c->type->disclosure >= TN_DISCLOSE_CONDENSED;
    box->changes++;
    TN_TRY(tn_box_passed(e, s, box, ask_response(box, rule), shown ? "condense" : "respond"));
    if (!finite(box->columns * box->columns, box->D))
        return tn_box_note(e, s, box, TN_ERROR_STEP, "its response D is not finite");
    double most[2];
    largest_entries(box, most);
    if (!symmetrize(box, most))
        return tn_box_end_run(e, s, box, TN_ERROR_MODEL, "its response D to forces on its ports is not symmetric");
    if (!factorize(box, most))
        return tn_box_end_run(e, s, box, TN_ERROR_MODEL, "its response D to forces on its ports is indefinite");
    box->condensed = true;
    box->decided = rule == TN_RANK_DECIDE;
    return TN_OK;
}

int tn_boxes_condense_levels(tn_eval *e, const tn_system *s, tn_rank_rule rule, tn_disclosure least,
                             tn_disclosure most)
{
    for (int k = 0; k < s->box_count; k++) {
        const tn_disclosure shown = s->boxes[k].instance.component.type->disclosure;
        TN_TRY(tn_box_place(e, s, &s->boxes[k]));
        if (shown >= least && shown <= most)
            TN_TRY(condense(e, s, &s->boxes[k], rule));
    }
    return TN_OK;
}

int tn_boxes_condense(tn_eval *e, const tn_system *s, tn_rank_rule rule)
{
    return tn_boxes_condense_levels(e, s, rule, TN_DISCLOSE_RESPONSE, TN_DISCLOSE_OPEN);
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
    bool all = box->y && box->D && box->W && box->Q && box->R && box->tau && box->answer && box->reach && box->mobility &&
               box->rest && box->order && box->ports && box->body && box->column;
    return all ? TN_OK : TN_ERROR_MEMORY;
}

/* At the start. What is wrong with an answer there is told when the model needs it. */
static int count_freedoms(tn_box *box)
{
    double most[2];
    bool good = ask_response(box, TN_RANK_DECIDE) >= 0 && finite(box->columns * box->columns, box->D);
    box->instance.trouble[0] = '\0';
    if (good)
        largest_entries(box, most);
    if (!good || !symmetrize(box, most) || !factorize(box, most))
        return box->columns;
    return box->rank > 0 ? box->rank : 1;
}

static int make(tn_system *s, tn_box *box, uint32_t source)
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
    box->freedoms = box->open ? 0 : count_freedoms(box);
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
        if (takes_component(s, k))
            TN_TRY(make(s, &s->boxes[s->box_count++], k));
    s->box_states = s->states;
    return TN_OK;
}

/* ---- questions ---- */

int tn_box_free(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, double *r)
{
    const tn_component *c = &box->instance.component;
    const bool shown = c->type->disclosure >= TN_DISCLOSE_CONDENSED;
    box->shown = false;
    TN_TRY(tn_box_passed(e, s, box, shown ? c->type->free_answer(c->self, question, box->answer)
                                          : c->type->respond(c->self, question, NULL, box->answer),
                         shown ? "free_answer" : "respond"));
    if (!finite(box->columns, box->answer))
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

static int take(tn_eval *e, const tn_system *s, tn_box *box, tn_question question, const double *tau, double *z,
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
    if (!finite(box->state_count, y))
        return tn_box_note(e, s, box, TN_ERROR_STEP, "the rates of its states are not finite");
    if (accelerations && !open)
        *work = power(e, box);
    else if (!accelerations)
        *change = fmax(*change, largest_difference(box->state_count, y, box->y));
    return TN_OK;
}

int tn_boxes_take(tn_eval *e, const tn_system *s, tn_question question, const double *tau, double *z, double *change)
{
    for (int k = 0; k < s->box_count; k++)
        TN_TRY(take(e, s, &s->boxes[k], question, tau, z, change));
    return TN_OK;
}

int tn_boxes_take_closed(tn_eval *e, const tn_system *s, tn_question question, double *z, double *change)
{
    for (int k = 0; k < s->box_count; k++)
        if (!s->boxes[k].open)
            TN_TRY(take(e, s, &s->boxes[k], question, NULL, z, change));
    return TN_OK;
}

/* ---- products ---- */

void tn_boxes_add_free(const tn_system *s, const double *r, double *a)
{
    for (int k = 0; k < s->box_count; k++)
        for (int j = 0; !s->boxes[k].motion && j < s->boxes[k].columns; j++)
            a[s->boxes[k].column[j]] += r[s->boxes[k].column[j]];
}
