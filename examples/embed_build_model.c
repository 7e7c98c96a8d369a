/* A slider-crank built through the interface, without a model file; samples arrive in a callback.
 *
 * The slider's place follows from the crank's angle alone, x = r cos a + sqrt(L^2 - r^2 sin^2 a): every sample is
 * compared with that. */
#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const double CRANK = 0.3, ROD = 0.5;            /* m */

/* A slender bar of 1 kg along x of its own frame, placed at (x, y) and turned by angle. */
static int add_bar(tn_id *out, tn_model *model, const char *name, double length, double x, double y, double angle)
{
    tn_body_def def = tn_body_default();
    def.mass = 1;
    def.com[0] = length / 2;
    def.inertia[2] = length * length / 12;             /* planar: about z, at the centre of mass */
    def.pose = tn_pose_planar(x, y, angle);
    def.placed = true;
    return tn_model_add_body(out, model, name, &def);
}

/* A joint "as built": one point in the world, with the bodies where their poses put them. */
static int add_joint(tn_model *model, const char *name, const char *type, tn_id a, tn_id b, double x, double y)
{
    tn_joint_def def = tn_joint_default(type);
    tn_pose here = tn_pose_planar(x, y, 0);
    tn_id id;
    def.body1 = a;
    def.body2 = b;
    int code = tn_joint_as_built(&def, model, &here);
    return code < 0 ? code : tn_model_add_joint(&id, model, name, &def);
}

static int build(tn_model *model)
{
    tn_id ground = tn_model_ground(model), crank, rod, slider;
    tn_body_def block = tn_body_default();
    double a = acos(-1.0) / 3, x = CRANK * cos(a), y = CRANK * sin(a), end = x + sqrt(ROD * ROD - y * y);
    tn_model_set_gravity(model, (double[]){ 0, -9.81, 0 });
    block.mass = 0.5;
    block.inertia[2] = 1e-3;
    block.pose = tn_pose_planar(end, 0, 0);
    block.placed = true;
    if (add_bar(&crank, model, "crank", CRANK, 0, 0, a) < 0 ||
        add_bar(&rod, model, "rod", ROD, x, y, -asin(y / ROD)) < 0 ||
        tn_model_add_body(&slider, model, "slider", &block) < 0 ||
        add_joint(model, "pivot", "revolute", ground, crank, 0, 0) < 0 ||
        add_joint(model, "elbow", "revolute", crank, rod, x, y) < 0 ||
        add_joint(model, "wrist", "revolute", rod, slider, end, 0) < 0 ||
        add_joint(model, "slide", "translational", ground, slider, end, 0) < 0)
        return -1;
    tn_solve solve = tn_solve_default();
    solve.until = 2;
    solve.record = 0.01;
    tn_model_add_output(model, "crank.angle");
    tn_model_add_output(model, "slider.position.x");
    return tn_model_set_solve(model, &solve);
}

typedef struct worst {
    double error;
    int samples;
} worst;

static void on_sample(void *user, const double *values, size_t count)    /* t, crank.angle, slider.position.x */
{
    worst *w = user;
    (void)count;
    double y = CRANK * sin(values[1]), x = CRANK * cos(values[1]) + sqrt(ROD * ROD - y * y);
    w->error = fmax(w->error, fabs(values[2] - x));
    w->samples++;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *run = NULL;
    worst w = { 0 };
    int failed = !context || tn_model_create(&model, context, 2) < 0 || build(model) < 0 ||
                 tn_session_open(&run, model, NULL) < 0;
    if (!failed) {
        tn_session_on_sample(run, on_sample, &w);
        failed = tn_session_run(run) != TN_NEWS_END;
        tn_summary sum = tn_session_summary(run);
        printf("%ld steps, %d samples; slider off by at most %.1e m, drift %.1e m, energy error %.1e J\n", sum.steps,
               w.samples, w.error, sum.max_drift, sum.energy_error);
    }
    if (context)
        tn_diagnostics_print(context, stderr);
    tn_session_close(run);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed || w.samples != 201 || w.error > 1e-10;
}
