/* A rigid body of the plane as a component, written by hand: one port at its centre of mass. What parameter "fault"
 * says, it does wrong. */
#include "planar_body.h"

enum { COLUMNS = WIDTH };
enum { MASS, INERTIA, SPEED, FAULT };
enum { FAULT_NONE, FAULT_NAN, FAULT_SKEW, FAULT_INDEFINITE, FAULT_CREATE, FAULT_TAKE, FAULT_PLACE };

typedef struct free_body {
    planar_body body;
    int fault;
} free_body;

static int create(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters)
{
    if (parameters[FAULT] == FAULT_CREATE) {
        host->report(host->user, TN_ERROR, "it does not want to be made");
        return TN_ERROR_ARGUMENT;
    }
    free_body *b = host->reallocate(host->user, NULL, sizeof *b);
    if (!b)
        return TN_ERROR_MEMORY;
    *b = (free_body){ planar_body_at(host, setting, parameters[MASS], parameters[INERTIA]), (int)parameters[FAULT] };
    b->body.y[COLUMNS] = parameters[SPEED];
    *self = b;
    return TN_OK;
}

static int place(void *self, double t, const double *y)
{
    free_body *b = self;
    if (b->fault == FAULT_PLACE && t > 0.1) {
        b->body.host->report(b->body.host->user, TN_ERROR, "it has had enough");
        return TN_ERROR_STEP;
    }
    b->body.t = t;
    memcpy(b->body.y, y, sizeof b->body.y);
    return TN_OK;
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    const free_body *b = self;
    const double c = cos(b->body.y[2]), s = sin(b->body.y[2]);
    (void)port;
    *out = (tn_port_motion){ .p = { b->body.y[0], b->body.y[1] }, .axes = { { c, s, 0 }, { -s, c, 0 }, { 0, 0, 1 } },
                             .v = { b->body.y[3], b->body.y[4] }, .w = { 0, 0, b->body.y[5] } };
}

static int free_answer(void *self, tn_question question, double *r)
{
    const free_body *b = self;
    for (int k = 0; k < COLUMNS; k++)
        r[k] = question == TN_ASK_ACCELERATIONS ? b->body.gravity[k] : 0;
    return TN_OK;
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    const free_body *b = self;
    (void)rule;
    if (!D)
        return TN_OK;
    memset(D, 0, COLUMNS * COLUMNS * sizeof *D);
    for (int k = 0; k < COLUMNS; k++)
        D[k * (COLUMNS + 1)] = 1 / b->body.mass[k];
    if (b->fault == FAULT_NAN && b->body.t > 0.1)
        D[4] = NAN;
    if (b->fault == FAULT_SKEW && b->body.t > 0.1)
        D[1] = D[0];
    if (b->fault == FAULT_INDEFINITE && b->body.t > 0.1)
        D[1] = D[3] = 2 * D[0];
    return TN_OK;
}

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    const free_body *b = self;
    free_answer(self, question, answer);
    for (int k = 0; tau && k < COLUMNS; k++)
        answer[k] += tau[k] / b->body.mass[k];
    return TN_OK;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    const free_body *b = self;
    double answer[COLUMNS];
    respond(self, question, tau, answer);
    if (b->fault == FAULT_TAKE && b->body.t > 0.1)
        return TN_ERROR_ARGUMENT;
    memcpy(out, question == TN_ASK_ACCELERATIONS ? b->body.y + COLUMNS : b->body.y, COLUMNS * sizeof *out);
    memcpy(out + COLUMNS, b->body.y + COLUMNS, COLUMNS * sizeof *out);
    for (int k = 0; k < COLUMNS; k++) {
        out[k] += question == TN_ASK_POSITIONS ? answer[k] : 0;
        out[COLUMNS + k] = question == TN_ASK_ACCELERATIONS ? answer[k]
                           : out[COLUMNS + k] + (question == TN_ASK_VELOCITIES ? answer[k] : 0);
    }
    return TN_OK;
}

static const tn_port_decl ports[] = { { "hub", "the centre of mass" } };
static const tn_parameter_decl parameters[] = {
    [MASS] = { "mass", "kg", "", 1, NULL },
    [INERTIA] = { "inertia", "kg m^2", "", 0.1, NULL },
    [SPEED] = { "speed", "m/s", "along x at the start", 0, NULL },
    [FAULT] = { "fault", "", "what it does wrong", 0, NULL },
};

static const tn_component_type type = {
    .version = TN_COMPONENT_VERSION,
    .size = sizeof(tn_component_type),
    .name = "free body",
    .doc = "A rigid body of the plane.",
    .dimension = 2,
    .disclosure = TN_DISCLOSE_CONDENSED,
    .ports = ports,
    .port_count = 1,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
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
};

TN_API const tn_component_type *tenon_component(void);
const tn_component_type *tenon_component(void)
{
    return &type;
}
