/* One command swaps a pin: a rod that turns about its left end is let go there and caught at its right end.
 *
 * Catching is an impulse. Angular momentum about the new pin is kept: m L^2/12 w - m (L/2)^2 w = m L^2/3 w', so that
 * the rod turns back at half the speed and loses three quarters of its energy. Undo gives all of it back. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const rod =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  rod: { mass: 3, inertia: 0.25, position: [0.5, 0], frames: { left: { at: [-0.5, 0] } } }\n"
    "joints: { pin: { type: revolute, between: [ground, rod.left], at: [0, 0] } }\n"
    "initial: { pin: { rate: 2 } }\n"
    "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n";

static double value(tn_session *run, const char *channel)
{
    double x = NAN;
    tn_session_value(&x, run, channel);
    return x;
}

/* The command, with the place where the right end is now. */
static int catch_right_end(tn_session *run, tn_ack *ack)
{
    char command[300];
    double angle = value(run, "rod.angle");
    snprintf(command, sizeof command,
             "{ remove: pin, add: { joints: { hook: { type: revolute, between: [ground, rod], "
             "at: [%.17g, %.17g] } } } }",
             cos(angle), sin(angle));
    return tn_session_apply(ack, run, command);
}

static int swap(tn_session *run)
{
    tn_ack ack;
    if (tn_session_advance(run, 0.4) < 0)
        return 1;
    double before = value(run, "rod.angular_velocity"), energy = value(run, "energy.kinetic");
    if (catch_right_end(run, &ack) < 0)
        return 1;
    double after = value(run, "rod.angular_velocity");
    printf("t = %g s: %s: from %g to %g rad/s, %g J\n", ack.time, ack.text, before, after, ack.energy_change);
    bool caught = fabs(after + before / 2) < 1e-10 && fabs(ack.energy_change + 0.75 * energy) < 1e-10;

    if (tn_session_advance(run, 0.3) < 0 || tn_session_undo(&ack, run, true) < 0)
        return 1;
    printf("%s: at t = %g s it turns with %g rad/s\n", ack.text, ack.time, value(run, "rod.angular_velocity"));
    return caught && value(run, "rod.angular_velocity") == before ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    tn_model *model = NULL;
    tn_session *run = NULL;
    int failed = tn_model_read_text(&model, context, rod, strlen(rod), "rod", ".") < 0 ||
                 tn_session_open(&run, model, NULL) < 0 || swap(run) != 0;
    tn_diagnostics_print(context, stderr);
    tn_session_close(run);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
