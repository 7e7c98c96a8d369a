/* Conjugate gradients in place of fixed rho: iterations of a solve. */
#include "reproduction.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A chain of links with masses at their ends: 1 kg at the ground and at the tip, 0.5 + 0.5 kg between. */
static int add_link(tn_model *model, int index, int count, double angle, double at[2], tn_id *before)
{
    char name[16];
    double near = index == 0 ? 1 : 0.5, far = index == count - 1 ? 1 : 0.5;
    tn_pose pin = tn_pose_planar(at[0], at[1], 0);
    tn_body_def body = tn_body_default();
    tn_joint_def joint = tn_joint_default("revolute");
    body.mass = near + far;
    body.com[0] = far / (near + far);
    body.inertia[2] = near * far / (near + far);
    body.pose = tn_pose_planar(at[0], at[1], angle);
    body.placed = true;
    joint.body1 = *before;
    snprintf(name, sizeof name, "link%d", index);
    int code = tn_model_add_body(&joint.body2, model, name, &body);
    if (code >= 0)
        code = tn_joint_as_built(&joint, model, &pin);
    snprintf(name, sizeof name, "pin%d", index);
    *before = joint.body2;
    at[0] += cos(angle);
    at[1] += sin(angle);
    return code < 0 ? code : tn_model_add_joint(NULL, model, name, &joint);
}

static int build_chain(tn_model **out, tn_context *context, int count, double other_angle)
{
    double at[2] = { 0, 0 };
    int code = tn_model_create(out, context, 2);
    if (code < 0)
        return code;
    tn_id before = tn_model_ground(*out);
    tn_model_set_gravity(*out, (double[3]){ 0, -9.81, 0 });
    for (int k = 0; k < count && code >= 0; k++)
        code = add_link(*out, k, count, k % 2 ? other_angle : 0, at, &before);
    return code;
}

static int count_iterations(double *iterations, tn_context *context, int links, double other_angle)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    solve.scheme = "baumgarte";
    solve.integrator = "newmark";
    solve.solver = "uzawa";
    solve.step = 1e-3;
    solve.until = 0.1;
    solve.record = solve.until;
    tn_solve_set(&solve, "residual", 1e-6);
    tn_solve_set(&solve, "warm", 0);
    int code = build_chain(&model, context, links, other_angle);
    if (code >= 0)
        code = tn_session_open(&session, model, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    if (code >= 0) {
        tn_summary summary = tn_session_summary(session);
        *iterations = (double)summary.iterations / (double)summary.evaluations;
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static int run_cg_counts(tn_findings *findings, tn_context *context)
{
    static const double right_angle = 1.57079632679489662;
    static const struct { const char *name; int links; double angle, found, most; } chains[] = {
        { "double pendulum", 2, -right_angle, 4, 5 },
        { "chain of 50, horizontal", 50, 0, 52, 56 },
        { "chain of 50, stairs", 50, -right_angle, 5.6, 8 },
    };
    tn_compare_with(findings, "an independent program");
    for (size_t k = 0; k < sizeof chains / sizeof chains[0]; k++) {
        double iterations;
        int code = count_iterations(&iterations, context, chains[k].links, chains[k].angle);
        if (code < 0)
            return code;
        tn_found(findings, chains[k].name, chains[k].found, iterations, chains[k].most, TN_AGREE_AT_MOST);
    }
    return TN_OK;
}

const tn_reproduction tn_reproduction_cg_counts = {
    .name = "cg-counts",
    .source = "Iterations of a solve by preconditioned conjugate gradients, which stay as modular as fixed rho",
    .reading = "  Links with masses at their ends; residual 1e-6 of that without multipliers; every solve from zero;\n"
               "  first 0.1 s in steps of 1 ms. Not in the paper: compared with an independent program. Fixed rho\n"
               "  takes 34, 20830 and 21.",
    .run = run_cg_counts,
};
