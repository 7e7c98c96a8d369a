/* The translational joint's own equations against what the engine makes of its vector equations. */
#include "reproduction.h"
#include <math.h>
#include <stdio.h>

enum { STATES = 20 };
static const double TOLERANCE = 1e-12; /* relative: round-off */
static const double ALPHA = 3, BETA = 5;   /* 1/s, of Eq. 23 */

/* Two free bodies anywhere, off the constraints. i and j as in the paper; frames M and N carry the joint's axes. */
static const char format[] =
    "tenon: 1\ndimension: 2\ngravity: [1, -9.81]\n"
    "bodies:\n"
    "  i: { mass: 2, inertia: 0.7, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g],\n"
    "       angular_velocity: %.17g, frames: { M: { at: [0.3, -0.2], angle: 0.4 } } }\n"
    "  j: { mass: 3, inertia: 1.1, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g],\n"
    "       angular_velocity: %.17g, frames: { N: { at: [-0.5, 0.1], angle: -0.3 } } }\n"
    "joints:\n"
    "  slide: { type: %s, between: [i.M, j.N] }\n";

/* A body and its port: what it tells the joint (Eq. 19, 25, 27). */
typedef struct port {
    double x, y, angle, vx, vy, w, ax, ay, wd;
} port;

typedef struct worst {
    double geometry, rate, acceleration, force, torque, body, printed;
} worst;

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return 4 * ((double)*seed / 4294967296.0) - 2;
}

static void keep_largest(double *most, double ours, double theirs, double size)
{
    double off = fabs(ours - theirs) / fmax(size, 1);
    if (!(off <= *most))
        *most = off;
}

static int value(tn_session *session, const char *owner, const char *what, double *out)
{
    char channel[64];
    snprintf(channel, sizeof channel, "%s.%s", owner, what);
    return tn_session_value(out, session, channel);
}

static int read_port(port *p, tn_session *session, const char *owner)
{
    const struct { const char *what; double *out; } parts[] = {
        { "position.x", &p->x }, { "position.y", &p->y }, { "angle", &p->angle },
        { "velocity.x", &p->vx }, { "velocity.y", &p->vy }, { "angular_velocity", &p->w },
        { "acceleration.x", &p->ax }, { "acceleration.y", &p->ay }, { "angular_acceleration", &p->wd },
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        int code = value(session, owner, parts[k].what, parts[k].out);
        if (code < 0)
            return code;
    }
    return TN_OK;
}

/* f, f' and f'' of MN . y of the axis of port a (Eq. 28 to 30, the squared rate kept, which holds off f = 0 too). */
static void slide_equation(double f[3], const port *M, const port *N, const port *a)
{
    double s = sin(a->angle), c = cos(a->angle);
    double dx = N->x - M->x, dy = N->y - M->y, vx = N->vx - M->vx, vy = N->vy - M->vy;
    double along = dx * c + dy * s;
    f[0] = -dx * s + dy * c;
    f[1] = -vx * s + vy * c - a->w * along;
    f[2] = -(N->ax - M->ax) * s + (N->ay - M->ay) * c - a->wd * along - 2 * a->w * (vx * c + vy * s)
           - a->w * a->w * f[0];
}

/* f, f' and f'' of x_j . y_i by Eq. 24 and 26; sign: of the sine in Eq. 26, printed -1. */
static void parallel_equation(double f[3], const port *i, const port *j, double sign)
{
    double across = sin(j->angle - i->angle), along = cos(j->angle - i->angle);
    f[0] = across;
    f[1] = along * (j->w - i->w);
    f[2] = along * (j->wd - i->wd) - across * (i->w * i->w + j->w * j->w)
           + sign * 2 * i->w * j->w * (0 - 1) * sin(i->angle - j->angle);
}

/* Eq. 23 holds for the accelerations found; residual and rate are the engine's rows. */
static void compare_row(worst *w, const tn_row *row, const double f[3])
{
    double asked = -2 * ALPHA * f[1] - BETA * BETA * f[0];
    keep_largest(&w->geometry, row->residual, f[0], 1);
    keep_largest(&w->rate, row->rate, f[1], fabs(f[1]));
    keep_largest(&w->acceleration, f[2], asked, fabs(asked) + 100);
}

/* Forces on body j at N and on body i at M (Eq. 17, 22): f_ON = y, f_OM = -y, f_y = MN. */
static int compare_forces(worst *w, tn_session *session, const tn_row rows[2], const port *M, const port *N)
{
    const port *axis[2] = { M, N }, *i = M;
    double Fx = 0, Fy = 0, C[2], fx, fy, torque, body[3], size = fabs(rows[0].multiplier) + fabs(rows[1].multiplier);
    for (int k = 0; k < 2; k++) {
        double s = sin(axis[k]->angle), c = cos(axis[k]->angle), lambda = rows[k].multiplier;
        Fx += lambda * -s;
        Fy += lambda * c;
        C[k] = -lambda * ((N->x - M->x) * c + (N->y - M->y) * s);      /* -lambda (f_y x y) . z0 */
    }
    int code = value(session, "slide", "reaction.force.x", &fx);
    if (code >= 0)
        code = value(session, "slide", "reaction.force.y", &fy);
    if (code >= 0)
        code = value(session, "slide", "reaction.torque", &torque);
    if (code >= 0)
        code = value(session, "i", "acceleration.x", &body[0]);
    if (code >= 0)
        code = value(session, "i", "acceleration.y", &body[1]);
    if (code >= 0)
        code = value(session, "i", "angular_acceleration", &body[2]);
    if (code < 0)
        return code;
    keep_largest(&w->force, fx, Fx, size);
    keep_largest(&w->force, fy, Fy, size);
    keep_largest(&w->torque, torque, C[1], size);
    /* Body i by itself (Eq. 5, 9): mass centre at its origin, M at (0.3, -0.2) on it. */
    double angle = i->angle - 0.4, gx = 0.3 * cos(angle) + 0.2 * sin(angle), gy = 0.3 * sin(angle) - 0.2 * cos(angle);
    keep_largest(&w->body, 2 * (body[0] - 1), -Fx, size);
    keep_largest(&w->body, 2 * (body[1] + 9.81), -Fy, size);
    keep_largest(&w->body, 0.7 * body[2], C[0] - (gx * Fy - gy * Fx), size);
    return TN_OK;
}

static int look_marquis_favre_equations(worst *w, tn_session *session, const tn_model *model, bool symmetric)
{
    port M, N;
    tn_row rows[2];
    double first[3], second[3], printed[3];
    int code = read_port(&M, session, "i.M");
    if (code >= 0)
        code = read_port(&N, session, "j.N");
    if (code >= 0)
        code = tn_session_rows(rows, 2, session, tn_model_find(model, "slide"));
    if (code < 0)
        return code;
    slide_equation(first, &M, &N, &M);
    compare_row(w, &rows[0], first);
    if (symmetric) {
        slide_equation(second, &M, &N, &N);
        compare_row(w, &rows[1], second);
        return compare_forces(w, session, rows, &M, &N);
    }
    parallel_equation(second, &M, &N, 1);
    compare_row(w, &rows[1], second);
    parallel_equation(printed, &M, &N, -1);
    keep_largest(&w->printed, printed[2], second[2], 1);
    return TN_OK;
}

static int at_state(worst *w, tn_context *context, unsigned *seed, bool symmetric)
{
    char text[sizeof format + 12 * 24 + 32];
    double r[12];
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    solve.scheme = "baumgarte";
    solve.integrator = "rk4";
    solve.step = 1e-3;
    solve.assemble = TN_ASSEMBLE_NONE;
    tn_solve_set(&solve, "alpha", ALPHA);
    tn_solve_set(&solve, "beta", BETA);
    for (int k = 0; k < 12; k++)
        r[k] = random_number(seed);
    snprintf(text, sizeof text, format, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11],
             symmetric ? "translational-symmetric" : "translational");
    int code = tn_reproduction_open(&session, &model, context, text, &solve);
    if (code >= 0)
        code = look_marquis_favre_equations(w, session, model, symmetric);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static int run_marquis_favre_equations(tn_findings *findings, tn_context *context)
{
    worst w[2] = { { 0 } };
    unsigned seed = 2006;
    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (int k = 0; k < STATES; k++) {
            int code = at_state(&w[symmetric], context, &seed, symmetric);
            if (code < 0)
                return code;
        }
    const struct { const char *what; double off; } rows[] = {
        { "Eq. 21, 28: residuals", w[1].geometry },
        { "Eq. 24, 29: rates", w[1].rate },
        { "Eq. 23, 26, 30: accelerations", w[1].acceleration },
        { "Eq. 17, 22: force on body j", w[1].force },
        { "Eq. 17, 22: torque on body j", w[1].torque },
        { "Eq. 5, 9, 17: motion of body i", w[1].body },
        { "MN.y_i, x_j.y_i: residuals", w[0].geometry },
        { "MN.y_i, x_j.y_i: rates", w[0].rate },
        { "MN.y_i, x_j.y_i: accelerations", w[0].acceleration },
    };
    tn_compare_with(findings, "the formulas of the paper, misprints put right: difference from the generic evaluation");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        tn_found(findings, rows[k].what, 0, rows[k].off, TOLERANCE, TN_AGREE_AT_MOST);
    char why[100];
    snprintf(why, sizeof why, "wrong sign of the sine: off by up to %.2g rad/s^2 at these states", w[0].printed);
    tn_not_reproducible(findings, "Eq. 26 as printed, x_j.y_i", 0, why);
    return TN_OK;
}

const tn_reproduction tn_reproduction_marquis_favre_equations = {
    .name = "marquis-favre-equations",
    .source = "Marquis-Favre, Bideaux, Scavarda 2006, Part I: equations 17 and 21 to 30 of the translational joint",
    .reading = "  Largest relative differences at 20 random states, off the constraints too: the paper's formulas,\n"
               "  from positions, velocities and accelerations at the ports, against the joint's rows, multipliers\n"
               "  and reactions. Put right: f_ON for the second body in Eq. 17, + before the sine in Eq. 26, cos of\n"
               "  theta_M in the first of Eq. 30; squared rates, which Eq. 30 drops because they are -w^2 f, are\n"
               "  kept.",
    .run = run_marquis_favre_equations,
};
