/* A digital controller in a loop with a mechanism: inputs by handle, channels by a readout, samples at exact times.
 *
 * A cart on a rail is moved to 1 m by a PD controller that runs every 10 ms. Then the same run is repeated from a snapshot
 * kept in memory, and must give the same bits. Last, the time of one input is measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const cart =
    "tenon: 1\n"
    "dimension: 2\n"
    "inputs:\n"
    "  push: { unit: N, low: -20, high: 20 }\n"
    "bodies:\n"
    "  cart: { mass: 2 kg, inertia: 0.1, position: [0, 0] }\n"
    "joints:\n"
    "  rail: { type: translational, between: [ground, cart] }\n"
    "forces:\n"
    "  motor: { type: force, on: cart, value: [push, 0] }\n"
    "outputs: [rail.position, push]\n"
    "solve: { until: 5 s }\n";

typedef struct controller {
    tn_id push;
    tn_readout *readout;               /* position, rate */
} controller;

static int control(void *user, tn_session *session, double time)
{
    controller *c = user;
    double x[2];
    (void)time;
    if (tn_readout_values(x, c->readout) < 0)
        return 1;
    return tn_session_input(session, c->push, fmax(-20, fmin(20, 8 * (1 - x[0]) - 8 * x[1]))) < 0;
}

static int run(tn_context *context, tn_model *model, tn_session *session)
{
    const char *const channels[] = { "rail.position", "rail.rate" };
    controller c = { .push = tn_model_find(model, "push") };
    tn_state_snapshot *start = NULL;
    double x[2];
    if (tn_readout_open(&c.readout, session, channels, 2) < 0 || tn_session_take_snapshot(&start, session) < 0 ||
        tn_session_control(session, 5, 0.01, control, &c) < 0)
        return tn_diagnostics_print(context, stderr);
    uint64_t hash = tn_session_hash(session);
    tn_readout_values(x, c.readout);
    printf("after %g s: %.9f m, %.1e m/s\n", tn_session_time(session), x[0], x[1]);
    int same = tn_session_restore(session, start) == TN_OK && tn_session_time(session) == 0 &&
               tn_session_control(session, 5, 0.01, control, &c) == TN_OK && tn_session_hash(session) == hash;
    printf("again from the start: %s\n", same ? "the same bits" : "other bits");
    double begun = tn_clock();
    const int times = 1000000;
    for (int k = 0; k < times; k++)
        tn_session_input(session, c.push, k & 15);
    printf("setting an input takes %.0f ns\n", (tn_clock() - begun) / times * 1e9);
    tn_state_snapshot_destroy(start);
    return same && fabs(x[0] - 1) < 1e-3 ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    int failed = 1;
    if (tn_model_read_text(&model, context, cart, strlen(cart), "cart.yaml", ".") == TN_OK &&
        tn_session_open(&session, model, NULL) == TN_OK)
        failed = run(context, model, session);
    else
        tn_diagnostics_print(context, stderr);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed ? 1 : 0;
}
