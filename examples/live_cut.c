/* A joint is cut while the mechanism runs: the shortest live edit.
 *
 * Two links swing on each other. In mid-swing the elbow between them is removed: no position and no velocity changes,
 * and from there on the centre of the lower link flies on a parabola, which the program checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const pendulums =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "  lower: { mass: 1, inertia: 0.1, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [upper.end, lower.start] }\n"
    "solve: { integrator: dopri5, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n";

static const double GRAVITY = 9.81, FLIGHT = 0.8;      /* m/s^2, s */

typedef struct motion {
    double x, y, vx, vy;
} motion;

/* Of the lower link. */
static motion look(tn_session *run)
{
    motion m = { NAN, NAN, NAN, NAN };
    tn_session_value(&m.x, run, "lower.position.x");
    tn_session_value(&m.y, run, "lower.position.y");
    tn_session_value(&m.vx, run, "lower.velocity.x");
    tn_session_value(&m.vy, run, "lower.velocity.y");
    return m;
}

static int cut(tn_session *run)
{
    tn_ack ack;
    if (tn_session_advance(run, 0.7) < 0)
        return 1;
    motion before = look(run);
    if (tn_session_apply(&ack, run, "{ remove: elbow }") < 0)
        return 1;
    printf("t = %g s: %s, energy change %g J\n", ack.time, ack.text, ack.energy_change);
    motion after = look(run);
    if (tn_session_advance(run, FLIGHT) < 0)
        return 1;
    motion landed = look(run);
    double x = before.x + before.vx * FLIGHT, y = before.y + before.vy * FLIGHT - 0.5 * GRAVITY * FLIGHT * FLIGHT;
    double off = hypot(landed.x - x, landed.y - y);
    printf("%g s later it is at (%.6f, %.6f) m, %.1e m off the parabola\n", FLIGHT, landed.x, landed.y, off);
    bool untouched = after.x == before.x && after.vx == before.vx && after.vy == before.vy;
    return untouched && off < 1e-9 ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    tn_model *model = NULL;
    tn_session *run = NULL;
    int failed = tn_model_read_text(&model, context, pendulums, strlen(pendulums), "pendulums", ".") < 0 ||
                 tn_session_open(&run, model, NULL) < 0 || cut(run) != 0;
    tn_diagnostics_print(context, stderr);
    tn_session_close(run);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
