/* A joint type of one's own, by its equations: a bead on an elliptical wire.
 *
 * The library differentiates the equation; nothing else has to be written. The program checks that the bead stays on
 * the wire and that its speed is the one energy allows, v^2 = v0^2 + 2 g (y0 - y). */
#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>
#include <tenon/sys/joint.h>

static const double A = 2, B = 1, GRAVITY = 9.81;      /* half axes, m; m/s^2 */

/* N is the bead, (x, y) = (d . x1, d . y1) its place seen from frame 1. Divided by the size of its gradient, the
 * equation is a length, as tolerances expect. */
static const tn_joint_type ellipse = {
    .name = "ellipse",
    .doc = "A point of body 2 stays on an ellipse of body 1.",
    .planar = {
        .equations = { "((x / a)^2 + (y / b)^2 - 1) * b / 2" },
        .coordinates = { { "x", "m", "d . x1" }, { "y", "m", "d . y1" } },
    },
    .planar_axis = TN_AXIS_X,
    .spatial_axis = TN_AXIS_NONE,
    .parameters = {
        { "a", "m", "half axis along x", NAN, NULL },
        { "b", "m", "half axis along y", NAN, NULL },
    },
};

static int build(tn_model *model)
{
    tn_id bead, wire;
    tn_body_def body = tn_body_default();
    body.kind = TN_BODY_PARTICLE;
    body.mass = 0.1;
    body.pose = tn_pose_planar(A, 0, 0);               /* at the right end, let go downwards */
    body.placed = true;
    body.velocity[1] = -0.5;
    tn_model_set_gravity(model, (double[]){ 0, -GRAVITY, 0 });
    if (tn_model_add_joint_type(model, &ellipse) < 0 || tn_model_add_body(&bead, model, "bead", &body) < 0)
        return -1;
    tn_joint_def def = tn_joint_default("ellipse");    /* both frames at the origins of their bodies */
    def.body1 = tn_model_ground(model);
    def.body2 = bead;
    const tn_setting axes[] = { { "a", A }, { "b", B } };
    def.settings = axes;                               /* copied when the joint is added */
    def.setting_count = 2;
    return tn_model_add_joint(&wire, model, "wire", &def);
}

static int follow(tn_session *run)
{
    double off = 0, speed = 0, x, y, vx, vy, push;
    for (int k = 1; k <= 50; k++) {
        if (tn_session_advance(run, 0.1) < 0 || tn_session_value(&x, run, "wire.x") < 0 ||
            tn_session_value(&y, run, "wire.y") < 0 || tn_session_value(&vx, run, "bead.velocity.x") < 0 ||
            tn_session_value(&vy, run, "bead.velocity.y") < 0 ||
            tn_session_value(&push, run, "wire.reaction.force.y") < 0)
            return 1;
        off = fmax(off, fabs(x * x / (A * A) + y * y / (B * B) - 1));
        speed = fmax(speed, fabs(hypot(vx, vy) - sqrt(0.25 - 2 * GRAVITY * y)));
        if (k % 10 == 0)
            printf("t = %.1f s: bead at (%6.3f, %6.3f) m, wire pushes up with %6.3f N\n", tn_session_time(run), x, y,
                   push);
    }
    printf("off the wire by %.1e, speed off by %.1e m/s\n", off, speed);
    return off < 1e-10 && speed < 1e-5 ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *run = NULL;
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    int failed = !context || tn_model_create(&model, context, 2) < 0 || build(model) < 0 ||
                 tn_session_open(&run, model, &solve) < 0 || follow(run) != 0;
    if (context)
        tn_diagnostics_print(context, stderr);
    tn_session_close(run);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
