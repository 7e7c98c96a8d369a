/* A rigid plate of the plane that only responds (level 1): two ports at the ends of a line through its centre of mass,
 * with their centres there or at their origins, and steps of its own. y = (x, y, turn, and their rates). */
#include "planar_body.h"

enum { PORTS = 2, COLUMNS = PORTS * WIDTH };
enum { MASS, INERTIA, REACH, INDEFINITE, CENTERED };
static const double OWN_STEP = 1e-3;           /* s */

typedef struct plate {
    planar_body body;
    double reach;
    bool indefinite, centered;
} plate;

static int create(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters)
{
    plate *p = host->reallocate(host->user, NULL, sizeof *p);
    if (!p)
        return TN_ERROR_MEMORY;
    *p = (plate){ planar_body_at(host, setting, parameters[MASS], parameters[INERTIA]), parameters[REACH],
                  parameters[INDEFINITE] != 0, parameters[CENTERED] != 0 };
    *self = p;
    return TN_OK;
}

static int place(void *self, double t, const double *y)
{
    plate *p = self;
    p->body.t = t;
    memmove(p->body.y, y, sizeof p->body.y);
    return TN_OK;
}

/* From the centre of mass to the centre of a port. */
static void arm(const plate *p, int port, double s[2])
{
    const double reach = p->centered ? 0 : port == 0 ? -p->reach : p->reach;
    s[0] = reach * cos(p->body.y[2]);
    s[1] = reach * sin(p->body.y[2]);
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    const plate *p = self;
    const double c = cos(p->body.y[2]), d = sin(p->body.y[2]), *v = p->body.y + WIDTH;
    double s[2];
    arm(p, port, s);
    *out = (tn_port_motion){ .p = { p->body.y[0] + s[0], p->body.y[1] + s[1] },
                             .axes = { { c, d, 0 }, { -d, c, 0 }, { 0, 0, 1 } },
                             .v = { v[0] - v[2] * s[1], v[1] + v[2] * s[0] }, .w = { 0, 0, v[2] } };
}

static void port_center(const void *self, int port, double center[3])
{
    const plate *p = self;
    center[0] = !p->centered ? 0 : port == 0 ? p->reach : -p->reach;
    center[1] = center[2] = 0;
}

/* Of the plate's own three coordinates. */
static void accelerate(const plate *p, tn_question question, const double *tau, double *a)
{
    const bool field = question == TN_ASK_ACCELERATIONS;
    double f[WIDTH] = { 0 };
    for (int port = 0; tau && port < PORTS; port++) {
        const double *on = tau + port * WIDTH;
        double s[2];
        arm(p, port, s);
        f[0] += on[0];
        f[1] += on[1];
        f[2] += on[2] + s[0] * on[1] - s[1] * on[0];
    }
    for (int k = 0; k < WIDTH; k++)
        a[k] = f[k] / p->body.mass[k] + (field && k < 2 ? p->body.gravity[k] : 0);
}

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    const plate *p = self;
    double a[WIDTH], sign = p->indefinite && p->body.t > 0.1 ? -1 : 1;
    accelerate(p, question, tau, a);
    for (int port = 0; port < PORTS; port++) {
        double s[2], w = question == TN_ASK_ACCELERATIONS ? p->body.y[5] * p->body.y[5] : 0;
        arm(p, port, s);
        answer[port * WIDTH] = sign * (a[0] - a[2] * s[1]) - w * s[0];
        answer[port * WIDTH + 1] = sign * (a[1] + a[2] * s[0]) - w * s[1];
        answer[port * WIDTH + 2] = sign * a[2];
    }
    return TN_OK;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    const plate *p = self;
    double a[WIDTH];
    accelerate(p, question, tau, a);
    for (int k = 0; k < WIDTH; k++) {
        const double q = p->body.y[k], v = p->body.y[WIDTH + k];
        out[k] = question == TN_ASK_ACCELERATIONS ? v : question == TN_ASK_POSITIONS ? q + a[k] : q;
        out[WIDTH + k] = question == TN_ASK_ACCELERATIONS ? a[k] : question == TN_ASK_VELOCITIES ? v + a[k] : v;
    }
    return TN_OK;
}

/* One step of the classical Runge-Kutta method under tau at its start, middle and end. */
static void step(plate *p, double h, const double *tau0, const double *tau1, double from, double to)
{
    static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    double start[STATES], sum[STATES] = { 0 }, rate[STATES] = { 0 }, tau[COLUMNS];
    memcpy(start, p->body.y, sizeof start);
    for (int stage = 0; stage < 4; stage++) {
        const double theta = from + part[stage] * (to - from);
        for (int k = 0; k < STATES; k++)
            p->body.y[k] = start[k] + part[stage] * h * rate[k];
        for (int j = 0; j < COLUMNS; j++)
            tau[j] = (1 - theta) * tau0[j] + theta * tau1[j];
        take(p, TN_ASK_ACCELERATIONS, tau, rate);
        for (int k = 0; k < STATES; k++)
            sum[k] += weight[stage] * rate[k];
    }
    for (int k = 0; k < STATES; k++)
        p->body.y[k] = start[k] + h * sum[k];
}

static int advance(void *self, double t_end, const double *tau_begin, const double *tau_end)
{
    plate *p = self;
    const double length = t_end - p->body.t;
    const int count = (int)ceil(length / OWN_STEP - 1e-6);
    for (int n = 0; n < count; n++)
        step(p, length / count, tau_begin, tau_end, (double)n / count, (double)(n + 1) / count);
    p->body.t = t_end;
    return TN_OK;
}

static const tn_port_decl ports[PORTS] = { { "left", "at -reach" }, { "right", "at +reach" } };
static const tn_parameter_decl parameters[] = {
    [MASS] = { "mass", "kg", "", 1, NULL },
    [INERTIA] = { "inertia", "kg m^2", "", 0.1, NULL },
    [REACH] = { "reach", "m", "from the centre of mass to a port", 0.3, NULL },
    [INDEFINITE] = { "indefinite", "", "answers against forces after 0.1 s", 0, NULL },
    [CENTERED] = { "centered", "", "ports have their centres at the centre of mass", 0, NULL },
};

static const tn_component_type type = {
    .version = TN_COMPONENT_VERSION,
    .size = sizeof(tn_component_type),
    .name = "plate",
    .doc = "A rigid plate of the plane with two ports.",
    .dimension = 2,
    .disclosure = TN_DISCLOSE_RESPONSE,
    .ports = ports,
    .port_count = PORTS,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .create = create,
    .destroy = destroy,
    .state_count = state_count,
    .point = point,
    .place = place,
    .port_motion = port_motion,
    .port_center = port_center,
    .respond = respond,
    .take = take,
    .save = save,
    .restore = restore,
    .advance = advance,
};

TN_API const tn_component_type *tenon_component(void);
const tn_component_type *tenon_component(void)
{
    return &type;
}
