/* A chain grows while it hangs and swings: every half second another link is added to its end, at rest.
 *
 * The new link is caught by the chain: an impulse, which costs energy. What it costs, and what the link brings along by
 * its height, is what the edit reports. So the account of energy closes at the end, which the program checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const chain =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { link0: { mass: 1, inertia: 0.01, position: [0.1, 0], frames: { end: { at: [0.1, 0] } } } }\n"
    "joints: { pin0: { type: revolute, between: [ground, link0], at: [0, 0] } }\n"
    "solve: { tolerance: 1e-10, absolute_tolerance: 1e-10 }\n";

enum { LINKS = 8 };

/* To the right of where the last link ends now. */
static int add_link(tn_session *run, int number, tn_ack *ack)
{
    char x_name[40], y_name[40], command[600];
    double x = NAN, y = NAN;
    snprintf(x_name, sizeof x_name, "link%d.end.position.x", number - 1);
    snprintf(y_name, sizeof y_name, "link%d.end.position.y", number - 1);
    if (tn_session_value(&x, run, x_name) < 0 || tn_session_value(&y, run, y_name) < 0)
        return TN_ERROR_ARGUMENT;
    snprintf(command, sizeof command,
             "{ add: { bodies: { link%d: { mass: 1, inertia: 0.01, position: [%.17g, %.17g], "
             "frames: { end: { at: [0.1, 0] } } } }, "
             "joints: { pin%d: { type: revolute, between: [link%d, link%d], at: [%.17g, %.17g] } } } }",
             number, x + 0.1, y, number, number - 1, number, x, y);
    return tn_session_apply(ack, run, command);
}

static int grow(tn_session *run)
{
    for (int k = 1; k < LINKS; k++) {
        tn_ack ack;
        if (tn_session_advance(run, 0.5) < 0 || add_link(run, k, &ack) < 0)
            return 1;
        printf("t = %3.1f s: %s, %+.3f J\n", ack.time, ack.text, ack.energy_change);
    }
    if (tn_session_advance(run, 0.5) < 0)
        return 1;
    tn_summary sum = tn_session_summary(run);
    size_t bodies = tn_model_count(tn_session_model(run), TN_KIND_BODY);
    printf("%zu links at t = %g s: drift %.1e m, error of the energy account %.1e J\n", bodies, sum.time, sum.max_drift,
           sum.energy_error);
    return bodies == LINKS && sum.max_drift < 1e-10 && sum.energy_error < 1e-6 ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    tn_model *model = NULL;
    tn_session *run = NULL;
    int failed = tn_model_read_text(&model, context, chain, strlen(chain), "chain", ".") < 0 ||
                 tn_session_open(&run, model, NULL) < 0 || grow(run) != 0;
    tn_diagnostics_print(context, stderr);
    tn_session_close(run);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
