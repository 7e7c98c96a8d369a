/* Andrews' mechanism of seven bodies, the example of the library's Part II. */
#include "reproduction.h"
#include <stdio.h>

static const double ANGLE_TOLERANCE = 1e-8, RATE_TOLERANCE = 1e-6;     /* rad, rad/s */

static const char model_text[] =
    "tenon: 1\n"
    "name: Andrews' squeezer\n"
    "dimension: 2\n"
    "gravity: [0, 0]\n"
    "parameters:\n"
    "  beta: -0.06171389001427645\n"
    "  theta: 0.0\n"
    "  gamma: 0.45527981916307037\n"
    "  phi: 0.22266839016588588\n"
    "  delta: 0.48736497954384256\n"
    "  omega: -0.22266839016588588\n"
    "  epsilon: 1.2305474445498212\n"
    "bodies:\n"
    "  ground:\n"
    "    frames:\n"
    "      A: { at: [-0.06934, -0.00227] }\n"
    "      B: { at: [-0.03635, 0.03273] }\n"
    "      C: { at: [0.014, 0.072] }\n"
    "  OF:\n"
    "    mass: 0.04325\n"
    "    com: [0.00092, 0]\n"
    "    inertia: 2.194e-6\n"
    "    position: [0, 0]\n"
    "    angle: beta\n"
    "    frames: { F: { at: [0.007, 0] } }\n"
    "  FE:\n"
    "    mass: 0.00365\n"
    "    com: [-0.0115, 0]\n"
    "    inertia: 4.410e-7\n"
    "    position: [0.007 * cos(beta), 0.007 * sin(beta)]\n"
    "    angle: beta + theta\n"
    "    frames: { E: { at: [-0.028, 0] } }\n"
    "  BDE:\n"
    "    mass: 0.02373\n"
    "    com: [0.01043, -0.01874]\n"
    "    inertia: 5.255e-6\n"
    "    position: [-0.03635, 0.03273]\n"
    "    angle: gamma\n"
    "    frames: { D: { at: [0.02, -0.018] }, E: { at: [0, -0.035] } }\n"
    "  GE:\n"
    "    mass: 0.00706\n"
    "    com: [0, -0.00579]\n"
    "    inertia: 5.667e-7\n"
    "    position: [-0.06934 + 0.04 * cos(delta), -0.00227 + 0.04 * sin(delta)]\n"
    "    angle: phi + delta\n"
    "    frames: { E: { at: [0, -0.02] } }\n"
    "  AG:\n"
    "    mass: 0.07050\n"
    "    com: [0.02308, 0.00916]\n"
    "    inertia: 1.169e-5\n"
    "    position: [-0.06934, -0.00227]\n"
    "    angle: delta\n"
    "    frames: { G: { at: [0.04, 0] } }\n"
    "  HE:\n"
    "    mass: 0.00706\n"
    "    com: [0.00579, 0]\n"
    "    inertia: 5.667e-7\n"
    "    position: [-0.06934 + 0.04 * sin(epsilon), -0.00227 - 0.04 * cos(epsilon)]\n"
    "    angle: omega + epsilon\n"
    "    frames: { E: { at: [0.02, 0] } }\n"
    "  AH:\n"
    "    mass: 0.05498\n"
    "    com: [-0.00449, -0.01228]\n"
    "    inertia: 1.912e-5\n"
    "    position: [-0.06934, -0.00227]\n"
    "    angle: epsilon\n"
    "    frames: { H: { at: [0, -0.04] } }\n"
    "joints:\n"
    "  pin_O: { type: revolute, between: [ground, OF] }\n"
    "  pin_F: { type: revolute, between: [OF.F, FE] }\n"
    "  pin_B: { type: revolute, between: [ground.B, BDE] }\n"
    "  pin_AG: { type: revolute, between: [ground.A, AG] }\n"
    "  pin_AH: { type: revolute, between: [ground.A, AH] }\n"
    "  pin_G: { type: revolute, between: [AG.G, GE] }\n"
    "  pin_H: { type: revolute, between: [AH.H, HE] }\n"
    "  pin_E1: { type: revolute, between: [BDE.E, FE.E] }\n"
    "  pin_E2: { type: revolute, between: [BDE.E, GE.E] }\n"
    "  pin_E3: { type: revolute, between: [BDE.E, HE.E] }\n"
    "forces:\n"
    "  motor: { type: torque, on: OF, value.z: 0.033 N m }\n"
    "  spring: { type: spring, between: [ground.C, BDE.D], stiffness: 4530 N/m, length: 0.07785 m }\n";

static const struct coordinate {
    const char *name, *angle_channel, *rate_channel;
    double angle, rate;                /* rad, rad/s at 0.03 s */
} coordinates[] = {
    { "beta", "OF.angle", "OF.angular_velocity", 15.810771195153707097, 1139.9203022591060642 },
    { "Theta", "pin_F.angle", "pin_F.angle.rate", -15.75637105841183947, -1424.3792951775400732 },
    { "gamma", "BDE.angle", "BDE.angular_velocity", 0.040822240119645804858, 11.032911910618593745 },
    { "Phi", "pin_G.angle", "pin_G.angle.rate", -0.53473011634207959377, 19.293374105032040832 },
    { "delta", "AG.angle", "AG.angular_velocity", 0.52440996587995406937, 0.57356991482950245382 },
    { "Omega", "pin_H.angle", "pin_H.angle.rate", 0.53473011634207959377, -19.293374105032040832 },
    { "epsilon", "AH.angle", "AH.angular_velocity", 1.0480807410419378731, 0.32317914924913087499 },
};

static int compare(tn_findings *findings, tn_session *session, const struct coordinate *c)
{
    char what[40];
    double angle, rate;
    int code = tn_session_value(&angle, session, c->angle_channel);
    if (code >= 0)
        code = tn_session_value(&rate, session, c->rate_channel);
    if (code < 0)
        return code;
    tn_compare_with(findings, "the test set for initial value problems");
    tn_found(findings, c->name, c->angle, angle, ANGLE_TOLERANCE, TN_AGREE_ABSOLUTE);
    snprintf(what, sizeof what, "rate of %s", c->name);
    tn_found(findings, what, c->rate, rate, RATE_TOLERANCE, TN_AGREE_ABSOLUTE);
    return TN_OK;
}

static int run_marquis_favre_andrews(tn_findings *findings, tn_context *context)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-13;
    solve.integrator = "dop853";
    solve.until = 0.03;
    solve.record = solve.until;
    int code = tn_reproduction_open(&session, &model, context, model_text, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    for (size_t k = 0; k < sizeof coordinates / sizeof coordinates[0] && code >= 0; k++)
        code = compare(findings, session, &coordinates[k]);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

const tn_reproduction tn_reproduction_marquis_favre_andrews = {
    .name = "marquis-favre-andrews",
    .source = "Marquis-Favre, Bideaux, Scavarda 2006, Part II: Andrews' seven-body mechanism (Schiehlen 1990), 0.03 s",
    .reading = "  Part II shows curves; the numbers are the exact end of the problem as the test set for initial\n"
               "  value problems (CWI) states it, from beta = -0.0617138900142764 rad, integrated with 113 bits\n"
               "  (its own table is good to 1.4e-9). Absolute coordinates and ten revolute joints, as in the\n"
               "  library.",
    .run = run_marquis_favre_andrews,
};
