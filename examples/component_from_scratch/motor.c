/* A component written by hand: a DC motor with a gearbox, for planar models.
 *
 *            housing (port)                       x, y   place of the axis, world
 *          +-----------------+                    theta  turn of the housing
 *   V o----| R, L    rotor   |      n : 1         phi    turn of the shaft against the housing
 *   0 o----|  i   ---[ ]-----|----[gears]---- shaft (port)
 *          +-----------------+                    i      current
 *
 * The rotor turns n times as far as the shaft, against the housing. All axes are one line, which also carries the
 * centre of mass; so with u = (x', y', theta', phi') the kinetic energy is
 *     T = m/2 (x'^2 + y'^2) + J/2 theta'^2 + Jr/2 (theta' + n phi')^2 + Js/2 (theta' + phi')^2
 * (J housing, Jr rotor, Js shaft), and the equations of motion are M u' = f + forces on the ports, with
 *
 *         | m  0                                   |            | m gx                |
 *     M = |    m                                   |        f = | m gy                |
 *         |       J + Jr + Js      n Jr + Js       |            | 0                   |
 *         |         n Jr + Js    n^2 Jr + Js       |            | n K i - n^2 b phi'  |
 *
 *     L i' = V - R i - n K phi'        K: torque per current, and voltage per speed; b: friction of the rotor
 *
 * What the model asks of a component (tenon/sys/component.h) is how its ports answer to forces tau on them,
 *     answer = D tau + r.
 * The ports move with w = P u: the housing with (x', y', theta'), the shaft with (x', y', theta' + phi'). Forces on the
 * ports act on u by P', so
 *     w' = P u' = P M^-1 (f + P' tau)        D = P M^-1 P',    r = P M^-1 f.
 * There are no joints inside that could come apart: asked for corrections of positions or velocities, r is zero and D
 * the same.
 *
 * The current changes within a fraction of a millisecond. A model that steps in milliseconds need not follow it: the
 * motor has a step of its own (advance), 0.1 ms. */
#include <tenon/sys/component.h>

#include <math.h>
#include <string.h>

static const double OWN_STEP = 1e-4;               /* s: 10 kHz */

/* ---- what people see of it ---- */

enum { HOUSING, SHAFT, PORTS };
static const tn_port_decl ports[PORTS] = {
    [HOUSING] = { "housing", "what is screwed down, at the axis" },
    [SHAFT] = { "shaft", "what turns, at the axis" },
};

/* Electrical values are plain numbers: the units of model files are those of mechanics. */
enum { VOLTAGE, RESISTANCE, INDUCTANCE, CONSTANT, RATIO, ROTOR, SHAFT_INERTIA, MASS, HOUSING_INERTIA, FRICTION,
       PARAMETERS };
static const tn_parameter_decl parameters[PARAMETERS] = {
    [VOLTAGE] = { "voltage", "", "at the terminals, V", 24, NULL },
    [RESISTANCE] = { "resistance", "", "of the winding, Ohm", 1.2, NULL },
    [INDUCTANCE] = { "inductance", "", "of the winding, H", 0.6e-3, NULL },
    [CONSTANT] = { "torque_constant", "", "N m/A, or V s/rad", 0.04, NULL },
    [RATIO] = { "gear_ratio", "", "turns of the rotor per turn of the shaft", 10, NULL },
    [ROTOR] = { "rotor_inertia", "kg m^2", "about the axis", 5e-6, NULL },
    [SHAFT_INERTIA] = { "shaft_inertia", "kg m^2", "about the axis, with the last gear", 1e-5, NULL },
    [MASS] = { "mass", "kg", "of everything", 0.5, NULL },
    [HOUSING_INERTIA] = { "housing_inertia", "kg m^2", "about the axis", 2e-4, NULL },
    [FRICTION] = { "friction", "N m s", "torque on the rotor per speed", 0, NULL },
};

/* ---- its memory ---- */

enum { X, Y, THETA, PHI, FREEDOMS };               /* of u; the same order in positions and velocities */
enum { CURRENT = 2 * FREEDOMS, STATES };           /* y = (positions, velocities, current) */
enum { WIDTH = 3, COLUMNS = PORTS * WIDTH };       /* of port vectors: x, y, turn */

typedef struct motor {
    const tn_component_host *host;
    double value[PARAMETERS];
    double gravity[2];
    double inverse[2][2];                          /* of the lower right part of M, which is constant */
    double t, y[STATES];                           /* the point */
} motor;

/* Both determinants are positive when the inertias are; everything else may be any number. */
static int check(const motor *m)
{
    static const int positive[] = { RESISTANCE, INDUCTANCE, ROTOR, SHAFT_INERTIA, MASS, HOUSING_INERTIA };
    for (size_t k = 0; k < sizeof positive / sizeof positive[0]; k++)
        if (!(m->value[positive[k]] > 0)) {
            m->host->report(m->host->user, TN_ERROR, "resistance, inductance, mass and inertias must be positive");
            return TN_ERROR_ARGUMENT;
        }
    return TN_OK;
}

static void invert_inertia(motor *m)
{
    const double n = m->value[RATIO], rotor = m->value[ROTOR], shaft = m->value[SHAFT_INERTIA];
    const double a = m->value[HOUSING_INERTIA] + rotor + shaft, b = n * rotor + shaft, c = n * n * rotor + shaft;
    const double determinant = a * c - b * b;
    m->inverse[0][0] = c / determinant;
    m->inverse[0][1] = m->inverse[1][0] = -b / determinant;
    m->inverse[1][1] = a / determinant;
}

/* Memory comes from the host, and only here. */
static int create(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *values)
{
    motor *m = host->reallocate(host->user, NULL, sizeof *m);
    if (!m)
        return TN_ERROR_MEMORY;
    *m = (motor){ .host = host };
    memcpy(m->value, values, sizeof m->value);
    memcpy(m->gravity, setting->gravity, sizeof m->gravity);
    if (check(m) < 0) {
        host->reallocate(host->user, m, 0);
        return TN_ERROR_ARGUMENT;
    }
    invert_inertia(m);
    m->y[X] = setting->p[0];
    m->y[Y] = setting->p[1];
    m->y[THETA] = atan2(setting->axes[0][1], setting->axes[0][0]);
    *self = m;
    return TN_OK;
}

static void destroy(void *self)
{
    motor *m = self;
    if (m)
        m->host->reallocate(m->host->user, m, 0);
}

/* ---- the point ---- */

static int state_count(const void *self)
{
    (void)self;
    return STATES;
}

static void point(const void *self, double *t, double *y)
{
    const motor *m = self;
    if (t)
        *t = m->t;
    memcpy(y, m->y, sizeof m->y);
}

static int place(void *self, double t, const double *y)
{
    motor *m = self;
    m->t = t;
    memmove(m->y, y, sizeof m->y);
    return TN_OK;
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    const motor *m = self;
    const double *velocity = m->y + FREEDOMS;
    const double angle = m->y[THETA] + (port == SHAFT ? m->y[PHI] : 0);
    *out = (tn_port_motion){ .p = { m->y[X], m->y[Y], 0 },
                             .axes = { { cos(angle), sin(angle), 0 }, { -sin(angle), cos(angle), 0 }, { 0, 0, 1 } },
                             .v = { velocity[X], velocity[Y], 0 },
                             .w = { 0, 0, velocity[THETA] + (port == SHAFT ? velocity[PHI] : 0) } };
}

/* ---- mechanics ---- */

/* f */
static void inner_forces(const motor *m, double f[FREEDOMS])
{
    const double n = m->value[RATIO];
    f[X] = m->value[MASS] * m->gravity[0];
    f[Y] = m->value[MASS] * m->gravity[1];
    f[THETA] = 0;
    f[PHI] = n * m->value[CONSTANT] * m->y[CURRENT] - n * n * m->value[FRICTION] * m->y[FREEDOMS + PHI];
}

/* f += P' tau */
static void add_port_forces(const double *tau, double f[FREEDOMS])
{
    for (int port = 0; port < PORTS; port++)
        for (int k = 0; k < WIDTH; k++)
            f[k] += tau[port * WIDTH + k];
    f[PHI] += tau[SHAFT * WIDTH + THETA];
}

/* rate = M^-1 f */
static void divide_by_mass(const motor *m, const double f[FREEDOMS], double rate[FREEDOMS])
{
    rate[X] = f[X] / m->value[MASS];
    rate[Y] = f[Y] / m->value[MASS];
    rate[THETA] = m->inverse[0][0] * f[THETA] + m->inverse[0][1] * f[PHI];
    rate[PHI] = m->inverse[1][0] * f[THETA] + m->inverse[1][1] * f[PHI];
}

/* answer = P rate */
static void to_ports(const double rate[FREEDOMS], double *answer)
{
    for (int port = 0; port < PORTS; port++)
        memcpy(answer + port * WIDTH, rate, WIDTH * sizeof(double));
    answer[SHAFT * WIDTH + THETA] += rate[PHI];
}

/* u', or the corrections of positions or velocities, under tau (NULL: none). */
static void solve(const motor *m, tn_question question, const double *tau, double rate[FREEDOMS])
{
    double f[FREEDOMS] = { 0 };
    if (question == TN_ASK_ACCELERATIONS)
        inner_forces(m, f);
    if (tau)
        add_port_forces(tau, f);
    divide_by_mass(m, f, rate);
}

/* ---- level 1: answers ---- */

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    double rate[FREEDOMS];
    solve(self, question, tau, rate);
    to_ports(rate, answer);
    return TN_OK;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    const motor *m = self;
    const double *velocity = m->y + FREEDOMS;
    double rate[FREEDOMS];
    solve(m, question, tau, rate);
    if (question == TN_ASK_ACCELERATIONS) {
        memcpy(out, velocity, sizeof rate);
        memcpy(out + FREEDOMS, rate, sizeof rate);
        out[CURRENT] = (m->value[VOLTAGE] - m->value[RESISTANCE] * m->y[CURRENT] -
                        m->value[RATIO] * m->value[CONSTANT] * velocity[PHI]) / m->value[INDUCTANCE];
        return TN_OK;
    }
    memcpy(out, m->y, sizeof m->y);
    for (int k = 0; k < FREEDOMS; k++)
        out[(question == TN_ASK_VELOCITIES ? FREEDOMS : 0) + k] += rate[k];
    return TN_OK;
}

/* ---- level 2: D and r ---- */

/* Column after column: the answer to a unit force, without inner forces. There are no equations inside whose rank
 * could be decided. */
static int condense(void *self, tn_rank_rule rule, double *D)
{
    (void)rule;
    for (int j = 0; j < COLUMNS && D; j++) {
        double unit[COLUMNS] = { 0 };
        unit[j] = 1;
        respond(self, TN_ASK_VELOCITIES, unit, D + j * COLUMNS);
    }
    return TN_OK;
}

static int free_answer(void *self, tn_question question, double *r)
{
    return respond(self, question, NULL, r);
}

/* ---- moments ---- */

/* All that a later motion depends on is the point. */
static size_t save(const void *self, void *bytes, size_t room)
{
    const motor *m = self;
    if (room >= sizeof m->t + sizeof m->y) {
        memcpy(bytes, &m->t, sizeof m->t);
        memcpy((char *)bytes + sizeof m->t, m->y, sizeof m->y);
    }
    return sizeof m->t + sizeof m->y;
}

static int restore(void *self, const void *bytes, size_t size)
{
    motor *m = self;
    if (size != sizeof m->t + sizeof m->y)
        return TN_ERROR_ARGUMENT;
    memcpy(&m->t, bytes, sizeof m->t);
    memcpy(m->y, (const char *)bytes + sizeof m->t, sizeof m->y);
    return TN_OK;
}

/* ---- a step of its own ---- */

/* The rate of y at a part theta of the step of the model, where the forces are between those at its ends. */
static void rate_at(motor *m, const double *y, const double *tau_begin, const double *tau_end, double theta,
                    double *rate)
{
    double tau[COLUMNS];
    for (int k = 0; k < COLUMNS; k++)
        tau[k] = tau_begin[k] + theta * (tau_end[k] - tau_begin[k]);
    memcpy(m->y, y, sizeof m->y);
    take(m, TN_ASK_ACCELERATIONS, tau, rate);
}

/* As many equal steps as are needed for none to be longer than its own: Runge and Kutta's method of fourth order. */
static int advance(void *self, double t_end, const double *tau_begin, const double *tau_end)
{
    motor *m = self;
    const int steps = (int)ceil((t_end - m->t) / OWN_STEP - 1e-6);
    const double h = steps > 0 ? (t_end - m->t) / steps : 0, part = steps > 0 ? 1.0 / steps : 0;
    static const double node[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
    for (int k = 0; k < steps; k++) {
        double begin[STATES], stage[STATES], rate[STATES], sum[STATES] = { 0 };
        memcpy(begin, m->y, sizeof begin);
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < STATES; j++)
                stage[j] = begin[j] + (s > 0 ? node[s] * h * rate[j] : 0);
            rate_at(m, stage, tau_begin, tau_end, (k + node[s]) * part, rate);
            for (int j = 0; j < STATES; j++)
                sum[j] += weight[s] * rate[j];
        }
        for (int j = 0; j < STATES; j++)
            m->y[j] = begin[j] + h * sum[j];
    }
    m->t = t_end;
    return TN_OK;
}

/* ---- what the library exports ---- */

static const tn_component_type type = {
    .version = TN_COMPONENT_VERSION,
    .size = sizeof(tn_component_type),
    .name = "DC motor",
    .doc = "A direct current motor with a gearbox, its current and a step of its own of 0.1 ms.",
    .dimension = 2,
    .disclosure = TN_DISCLOSE_CONDENSED,
    .ports = ports,
    .port_count = PORTS,
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .create = create,
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
    .advance = advance,
};

__attribute__((visibility("default"))) const tn_component_type *tenon_component(void);
const tn_component_type *tenon_component(void)
{
    return &type;
}
