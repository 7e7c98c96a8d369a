/* What an FMU behind ports answers: accelerations from its rates, impulses and shifts from their derivatives. */
#include "fmi_ports_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "vec.h"

/* Relative: derivatives below this count as zero; they may be differences of the FMU's outputs. */
static const double NO_DERIVATIVE = 1e-7;
/* Relative: answers that are off by more contradict each other. */
static const double DIFFERS = 1e-4;

typedef struct body {
    const tn_fmi_ports *of;
    const tn_component_host *host;
    double handle, t;
    double *y;                     /* states of the FMU, then positions that it does not tell */
    double *u, *outputs, *rates;   /* at the point, without forces */
    double *derivatives;           /* of outputs and rates by inputs and states, at the point */
    double *D, *a, *tau;           /* along the axes */
    double *pushed;                /* rates or outputs with forces; change of states by them */
    double *directions;            /* of each axis, world */
    double *places;                /* of each port: p, then a quaternion; world */
    bool *shifts;                  /* of each state: a position, which follows the velocities that forces change */
    bool *changes;                 /* of each state: a velocity that forces change at once */
    bool differentiated;
} body;

/* ---- sizes and columns ---- */

static const tn_fmi_facts *facts_of(const body *b)
{
    return tn_fmi_facts_of(b->of->fmi);
}

static int width_of(const body *b)
{
    return b->of->type.dimension == 2 ? 3 : 6;
}

static double derivative(const body *b, int unknown, int known)
{
    const tn_fmi_facts *f = facts_of(b);
    return b->derivatives[unknown * (f->inputs + f->states) + known];
}

static double by_state(const body *b, int unknown, int state)
{
    return derivative(b, unknown, facts_of(b)->inputs + state);
}

/* Change of the rate of a state by the force along an axis. */
static double by_force(const body *b, int state, int axis)
{
    return derivative(b, facts_of(b)->outputs + state, b->of->axes[axis].force);
}

/* The columns of a port that an axis is along. */
static int column_of(const body *b, int axis)
{
    const tn_fmi_axis *a = &b->of->axes[axis];
    const int width = width_of(b);
    return a->port * width + (a->kind != TN_FMI_TURN ? 0 : width == 3 ? 2 : 3);
}

/* The components of a vector in these columns: a turn in the plane has one, about z. */
static int part_of(const body *b, int axis, const double **direction)
{
    const bool planar = width_of(b) == 3, turns = b->of->axes[axis].kind == TN_FMI_TURN;
    *direction = b->directions + 3 * axis + (planar && turns ? 2 : 0);
    return !planar ? 3 : turns ? 1 : 2;
}

static void to_ports(const body *b, const double *along, double *columns)
{
    const double *direction;
    memset(columns, 0, (size_t)(b->of->type.port_count * width_of(b)) * sizeof *columns);
    for (int k = 0; k < b->of->axis_count; k++)
        for (int i = 0, n = part_of(b, k, &direction); i < n; i++)
            columns[column_of(b, k) + i] += direction[i] * along[k];
}

static void to_axes(const body *b, const double *columns, double *along)
{
    const double *direction;
    for (int k = 0; k < b->of->axis_count; k++) {
        along[k] = 0;
        for (int i = 0, n = part_of(b, k, &direction); columns && i < n; i++)
            along[k] += direction[i] * columns[column_of(b, k) + i];
    }
}

/* ---- the point ---- */

static int fail(const body *b, int code, const char *text)
{
    b->host->report(b->host->user, TN_ERROR, text);
    return code;
}

static int place(void *self, double t, const double *y)
{
    body *b = self;
    char trouble[TN_FMI_TROUBLE] = "";
    memmove(b->y, y, (size_t)b->of->state_count * sizeof *b->y);
    b->t = t;
    b->differentiated = false;
    const tn_fmi_point here = { b->handle, t, b->u, b->y };
    int code = tn_fmi_evaluate(b->of->fmi, &here, b->outputs, b->rates, NULL, trouble);
    return code < 0 ? fail(b, code, trouble) : TN_OK;
}

static int differentiate(body *b)
{
    char trouble[TN_FMI_TROUBLE] = "";
    const tn_fmi_point here = { b->handle, b->t, b->u, b->y };
    const int count = b->of->axis_count, states = facts_of(b)->states;
    if (b->differentiated)
        return TN_OK;
    if (tn_fmi_differentiate(b->of->fmi, &here, b->derivatives, trouble) < 0)
        return fail(b, TN_ERROR_STEP, trouble);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            b->D[i * count + k] = 0;
            for (int s = 0; s < states; s++)
                b->D[i * count + k] += by_state(b, b->of->axes[i].rate, s) * by_force(b, s, k);
        }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            b->D[i * count + k] = b->D[k * count + i] = (b->D[i * count + k] + b->D[k * count + i]) / 2;
    b->differentiated = true;
    return TN_OK;
}

static double position_of(const body *b, const tn_fmi_axis *axis)
{
    return axis->position >= 0 ? b->outputs[axis->position] : b->y[axis->state];
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    const body *b = self;
    double R[3][3], q[4], turn[3] = { 0 }, turned[4];
    *out = (tn_port_motion){ .p = { b->places[7 * port], b->places[7 * port + 1], b->places[7 * port + 2] } };
    for (int k = 0; k < b->of->axis_count; k++) {
        const tn_fmi_axis *a = &b->of->axes[k];
        if (a->port != port)
            continue;
        const bool turns = a->kind == TN_FMI_TURN;
        for (int i = 0; i < 3; i++) {
            (turns ? turn : out->p)[i] += b->directions[3 * k + i] * position_of(b, a);
            (turns ? out->w : out->v)[i] += b->directions[3 * k + i] * b->outputs[a->rate];
        }
    }
    tn_quat_exp(turned, turn);
    tn_quat_mul(q, turned, b->places + 7 * port + 3);
    tn_quat_matrix(R, q);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            out->axes[k][i] = R[i][k];
}

static int state_count(const void *self)
{
    const body *b = self;
    return b->of->state_count;
}

static void point(const void *self, double *t, double *y)
{
    const body *b = self;
    if (t)
        *t = b->t;
    memcpy(y, b->y, (size_t)b->of->state_count * sizeof *y);
}

/* ---- answers ---- */

/* r along the axes: an FMU is right as it is, so that only accelerations have one. */
static int find_free(body *b, tn_question question, double *r)
{
    TN_TRY(differentiate(b));
    for (int k = 0; k < b->of->axis_count; k++) {
        r[k] = 0;
        for (int s = 0; s < facts_of(b)->states && question == TN_ASK_ACCELERATIONS; s++)
            r[k] += by_state(b, b->of->axes[k].rate, s) * b->rates[s];
    }
    return TN_OK;
}

static int free_answer(void *self, tn_question question, double *r)
{
    body *b = self;
    TN_TRY(find_free(b, question, b->a));
    to_ports(b, b->a, r);
    return TN_OK;
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    body *b = self;
    const int count = b->of->axis_count, columns = b->of->type.port_count * width_of(b);
    const double *one, *other;
    (void)rule;
    TN_TRY(differentiate(b));
    if (!D)
        return TN_OK;
    memset(D, 0, (size_t)(columns * columns) * sizeof *D);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            for (int m = 0, rows = part_of(b, i, &one); m < rows; m++)
                for (int n = 0, width = part_of(b, k, &other); n < width; n++)
                    D[(column_of(b, i) + m) * columns + column_of(b, k) + n] += one[m] * b->D[i * count + k] * other[n];
    return TN_OK;
}

static void add_response(const body *b, const double *tau, double *answer)
{
    const int count = b->of->axis_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            answer[i] += b->D[i * count + k] * tau[k];
}

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    body *b = self;
    TN_TRY(find_free(b, question, b->a));
    to_axes(b, tau, b->tau);
    add_response(b, b->tau, b->a);
    to_ports(b, b->a, answer);
    return TN_OK;
}

/* ---- forces ---- */

/* The rates with forces, which must be what D and r promise. */
static int take_accelerations(body *b, double *out)
{
    const tn_fmi_facts *f = facts_of(b);
    char trouble[TN_FMI_TROUBLE] = "";
    const tn_fmi_point here = { b->handle, b->t, b->u, b->y };
    for (int k = 0; k < b->of->axis_count; k++)
        b->u[b->of->axes[k].force] = b->tau[k];
    int code = tn_fmi_evaluate(b->of->fmi, &here, NULL, out, NULL, trouble);
    for (int k = 0; k < b->of->axis_count; k++) {
        const tn_fmi_axis *a = &b->of->axes[k];
        b->u[a->force] = 0;
        if (a->state >= 0)
            out[a->state] = b->outputs[a->rate];
    }
    if (code < 0)
        return fail(b, code, trouble);
    TN_TRY(find_free(b, TN_ASK_ACCELERATIONS, b->a));
    add_response(b, b->tau, b->a);
    for (int k = 0; k < b->of->axis_count; k++) {
        double is = 0, size = 0;
        for (int s = 0; s < f->states; s++) {
            const double slope = by_state(b, b->of->axes[k].rate, s);
            is += slope * out[s];
            size += fabs(slope * out[s]) + fabs(slope * b->rates[s]);
        }
        if (fabs(is - b->a[k]) > DIFFERS * (size + fabs(b->a[k])) + NO_DERIVATIVE) {
            snprintf(trouble, sizeof trouble, "the acceleration of '%.80s' is not linear in the forces: take the FMU as a device, with a "
                     "spring", f->output[b->of->axes[k].rate].name);
            return fail(b, TN_ERROR_MODEL, trouble);
        }
    }
    return TN_OK;
}

/* Impulses change velocities; shifts are the motion for a unit of time with these velocities. */
static void add_impulses(body *b, bool shift, double *out)
{
    const tn_fmi_facts *f = facts_of(b);
    for (int s = 0; s < f->states; s++) {
        b->pushed[s] = 0;
        for (int k = 0; k < b->of->axis_count && b->changes[s]; k++)
            b->pushed[s] += by_force(b, s, k) * b->tau[k];
    }
    for (int s = 0; s < f->states; s++) {
        out[s] += shift ? 0 : b->pushed[s];
        for (int i = 0; i < f->states && shift && b->shifts[s]; i++)
            out[s] += by_state(b, f->outputs + s, i) * b->pushed[i];
    }
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    body *b = self;
    const int count = b->of->axis_count;
    to_axes(b, tau, b->tau);
    if (question == TN_ASK_ACCELERATIONS)
        return take_accelerations(b, out);
    memcpy(out, b->y, (size_t)b->of->state_count * sizeof *out);
    if (!tau)
        return TN_OK;
    TN_TRY(differentiate(b));
    add_impulses(b, question == TN_ASK_POSITIONS, out);
    for (int k = 0; k < count && question == TN_ASK_POSITIONS; k++)
        for (int i = 0; i < count && b->of->axes[k].state >= 0; i++)
            out[b->of->axes[k].state] += b->D[k * count + i] * b->tau[i];
    return TN_OK;
}

/* ---- snapshots ---- */

static size_t save(const void *self, void *bytes, size_t room)
{
    const body *b = self;
    const size_t states = (size_t)b->of->state_count * sizeof(double), size = sizeof b->t + states;
    if (room >= size) {
        memcpy(bytes, &b->t, sizeof b->t);
        memcpy((char *)bytes + sizeof b->t, b->y, states);
    }
    return size;
}

static int restore(void *self, const void *bytes, size_t size)
{
    body *b = self;
    const size_t states = (size_t)b->of->state_count * sizeof(double);
    double t;
    if (size != sizeof t + states)
        return TN_ERROR_ARGUMENT;
    memcpy(&t, bytes, sizeof t);
    memcpy(b->y, (const char *)bytes + sizeof t, states);
    return place(b, t, b->y);
}

/* ---- life ---- */

static void destroy(void *self)
{
    body *b = self;
    if (!b)
        return;
    void *const blocks[] = { b->y, b->u, b->outputs, b->rates, b->derivatives, b->D, b->a, b->tau, b->pushed, b->directions, b->places,
                             b->shifts, b->changes, b };
    for (size_t k = 0; k < TN_LENGTH(blocks); k++)
        b->host->reallocate(b->host->user, blocks[k], 0);
}

static void *cleared(const body *b, int count, size_t size, bool *good)
{
    const size_t bytes = ((size_t)count + 1) * size;
    void *out = b->host->reallocate(b->host->user, NULL, bytes);
    *good &= out != NULL;
    return out ? memset(out, 0, bytes) : NULL;
}

static double *numbers(const body *b, int count, bool *good)
{
    return cleared(b, count, sizeof(double), good);
}

static bool allocate(body *b)
{
    const tn_fmi_facts *f = facts_of(b);
    const int count = b->of->axis_count, ports = b->of->type.port_count;
    bool good = true;
    b->y = numbers(b, b->of->state_count, &good);
    b->u = numbers(b, f->inputs, &good);
    b->outputs = numbers(b, f->outputs, &good);
    b->rates = numbers(b, f->states, &good);
    b->derivatives = numbers(b, (f->outputs + f->states) * (f->inputs + f->states), &good);
    b->D = numbers(b, count * count, &good);
    b->a = numbers(b, count, &good);
    b->tau = numbers(b, count, &good);
    b->pushed = numbers(b, f->states, &good);
    b->directions = numbers(b, 3 * count, &good);
    b->places = numbers(b, 7 * ports, &good);
    b->shifts = cleared(b, f->states, sizeof(bool), &good);
    b->changes = cleared(b, f->states, sizeof(bool), &good);
    return good;
}

/* Where ports are, and which way their axes point, in the world. */
static void find_places(body *b, const tn_component_setting *setting)
{
    double R[3][3], q[4];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            R[i][k] = setting->axes[k][i];
    tn_quat_from_matrix(q, (const double (*)[3])R);
    for (int k = 0; k < b->of->type.port_count; k++) {
        double *to = b->places + 7 * k;
        tn_mul33(to, (const double (*)[3])R, b->of->poses[k].p);
        tn_add3(to, to, setting->p);
        tn_quat_mul(to + 3, q, b->of->poses[k].q);
    }
    for (int k = 0; k < b->of->axis_count; k++) {
        const tn_fmi_axis *a = &b->of->axes[k];
        double axis[3] = { 0 };
        axis[a->kind == TN_FMI_TURN ? 2 : a->kind] = 1;
        tn_quat_rotate(b->directions + 3 * k, b->places + 7 * a->port + 3, axis);
    }
}

/* Velocities are what forces change at once. Positions rest and feel nothing else while velocities are zero. */
static int sort_states(body *b)
{
    const tn_fmi_facts *f = facts_of(b);
    double most = 0;
    TN_TRY(differentiate(b));
    for (int s = 0; s < f->states; s++)
        for (int k = 0; k < b->of->axis_count; k++)
            most = fmax(most, fabs(by_force(b, s, k)));
    for (int s = 0; s < f->states; s++)
        for (int k = 0; k < b->of->axis_count; k++)
            b->changes[s] |= fabs(by_force(b, s, k)) > NO_DERIVATIVE * most;
    memcpy(b->pushed, b->y, (size_t)f->states * sizeof *b->pushed);
    for (int s = 0; s < f->states; s++)
        b->y[s] = b->changes[s] ? 0 : b->y[s];
    TN_TRY(place(b, b->t, b->y));
    TN_TRY(differentiate(b));
    for (int s = 0; s < f->states; s++) {
        double by_velocity = 0, other = fabs(b->rates[s]);
        for (int i = 0; i < f->states; i++) {
            const double slope = fabs(by_state(b, f->outputs + s, i));
            by_velocity = b->changes[i] ? fmax(by_velocity, slope) : by_velocity;
            other = b->changes[i] ? other : fmax(other, slope);
        }
        b->shifts[s] = !b->changes[s] && by_velocity > 0 && other <= NO_DERIVATIVE * by_velocity;
    }
    memcpy(b->y, b->pushed, (size_t)f->states * sizeof *b->y);
    return place(b, b->t, b->y);
}

/* Rates may not follow forces at once, positions have to follow rates, and answers have to be those of a mechanism. */
static const char *trouble_of(const body *b, int axis)
{
    const tn_fmi_facts *f = facts_of(b);
    const tn_fmi_axis *a = &b->of->axes[axis];
    const int count = b->of->axis_count;
    double rate = 0;
    for (int k = 0; k < count; k++) {
        if (fabs(derivative(b, a->rate, b->of->axes[k].force)) > NO_DERIVATIVE * b->D[k * (count + 1)])
            return "its rate '%.60s' follows forces at once, without a mass between: what gives force is a device";
        double given = 0, back = 0;
        for (int s = 0; s < f->states; s++) {
            given += by_state(b, a->rate, s) * by_force(b, s, k);
            back += by_state(b, b->of->axes[k].rate, s) * by_force(b, s, axis);
        }
        if (fabs(given - back) > DIFFERS * (fabs(given) + fabs(back)) + NO_DERIVATIVE * fabs(b->D[axis * (count + 1)]))
            return "what forces do to its rate '%.60s' and back is not the same, as it is in mechanisms";
    }
    if (!(b->D[axis * (count + 1)] > 0))
        return "a positive force does not accelerate its rate '%.60s': the signs of rate and force differ";
    for (int s = 0; s < f->states && a->position >= 0; s++)
        rate += by_state(b, a->position, s) * b->rates[s];
    if (a->position >= 0 && fabs(rate - b->outputs[a->rate]) > DIFFERS * (fabs(rate) + fabs(b->outputs[a->rate])) + NO_DERIVATIVE)
        return "its rate '%.60s' is not that of its position";
    return NULL;
}

static int begin(body *b, const tn_component_setting *setting)
{
    const tn_fmi_facts *f = facts_of(b);
    char text[TN_FMI_TROUBLE] = "";
    double next;
    find_places(b, setting);
    for (int k = 0; k < f->inputs; k++)
        b->u[k] = f->input[k].start;
    for (int k = 0; k < b->of->axis_count; k++)
        b->u[b->of->axes[k].force] = 0;
    const tn_fmi_point start = { .t = 0, .u = b->u, .x = b->y };
    if (tn_fmi_begin(b->of->fmi, &start, &b->handle, b->y, b->outputs, &next, text) < 0)
        return fail(b, TN_ERROR_MODEL, text);
    if (isfinite(next))
        return fail(b, TN_ERROR_MODEL, "the FMU has events at given times, which ports cannot follow: take it as a device, with a spring");
    TN_TRY(place(b, 0, b->y));
    TN_TRY(sort_states(b));
    TN_TRY(differentiate(b));
    for (int k = 0; k < b->of->axis_count; k++) {
        const char *trouble = trouble_of(b, k);
        char what[TN_FMI_TROUBLE];
        if (!trouble)
            continue;
        snprintf(what, sizeof what, trouble, f->output[b->of->axes[k].rate].name);
        snprintf(text, sizeof text, "port '%.40s': %.140s", b->of->type.ports[b->of->axes[k].port].name, what);
        return fail(b, TN_ERROR_MODEL, text);
    }
    return TN_OK;
}

int tn_fmi_ports_make(void **self, const tn_fmi_ports *ports, const tn_component_host *host, const tn_component_setting *setting)
{
    body *b = host->reallocate(host->user, NULL, sizeof *b);
    if (!b)
        return TN_ERROR_MEMORY;
    *b = (body){ .of = ports, .host = host };
    *self = b;
    int code = allocate(b) ? begin(b, setting) : TN_ERROR_MEMORY;
    if (code < 0) {
        destroy(b);
        *self = NULL;
    }
    return code;
}

static int create_without_fmu(void **self, const tn_component_host *host, const tn_component_setting *setting, const double *parameters)
{
    (void)self;
    (void)setting;
    (void)parameters;
    host->report(host->user, TN_ERROR, "ports of an FMU are made by the model that has it");
    return TN_ERROR_ARGUMENT;
}

void tn_fmi_body_type(tn_component_type *type)
{
    *type = (tn_component_type){ .version = TN_COMPONENT_VERSION, .size = sizeof *type, .name = "fmu", .doc = "An FMU behind ports.",
                                 .disclosure = TN_DISCLOSE_CONDENSED, .create = create_without_fmu, .destroy = destroy,
                                 .state_count = state_count, .point = point, .place = place, .port_motion = port_motion,
                                 .respond = respond, .take = take, .condense = condense, .free_answer = free_answer, .save = save,
                                 .restore = restore };
}
