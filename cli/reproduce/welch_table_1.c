/* Table 1: planar double pendulum, twenty quantities at 10 s with three steps, and their orders. */
#include "figure.h"
#include <math.h>
#include <stdio.h>

typedef enum quantity { COORDINATE, VELOCITY, MULTIPLIER, RESIDUAL, QUANTITIES } quantity;

/* Allowed: round-off, which the scheme's undamped constraint velocities carry into rates and multipliers. */
static const struct { double tolerance; tn_agreement agreement; } allowed[] = {
    [COORDINATE] = { 1e-11, TN_AGREE_RELATIVE },
    [VELOCITY] = { 1e-8, TN_AGREE_RELATIVE },
    [MULTIPLIER] = { 5e-7, TN_AGREE_RELATIVE },
    [RESIDUAL] = { 1e-14, TN_AGREE_ABSOLUTE },
};
static const double ORDER_TOLERANCE = 0.01;
/* The limit of three values has the round-off of their differences. */
static const struct { double tolerance; tn_agreement agreement; } limits[] = {
    [COORDINATE] = { 1e-11, TN_AGREE_RELATIVE },
    [VELOCITY] = { 1e-8, TN_AGREE_RELATIVE },
    [MULTIPLIER] = { 1e-6, TN_AGREE_RELATIVE },
    [RESIDUAL] = { 2e-14, TN_AGREE_ABSOLUTE },
};

enum { STEPS = 3 };
static const double steps[STEPS] = { 0.005, 0.0025, 0.00125 };

typedef struct entry {
    const char *name, *channel;
    int sign_or_row;                   /* channels: their angles count the other way round; else the equation */
    quantity kind;
    double published[STEPS], exact, order;    /* exact: the limit of the three, Eq. 70 */
} entry;

static const entry table[] = {
    { "x1", "one.position.x", 1, COORDINATE,
      { 2.443655269310963e+00, 2.442965464018156e+00, 2.442790656734799e+00 }, 2.442731321386402e+00, 1.98 },
    { "y1", "one.position.y", 1, COORDINATE,
      { -5.277783191794895e-01, -5.309612759800720e-01, -5.317648207729833e-01 }, -5.320361837114458e-01, 1.99 },
    { "th1", "one.angle", -1, COORDINATE,
      { 1.783508081764363e+00, 1.784810820126253e+00, 1.785139755818101e+00 }, 1.785250865278673e+00, 1.99 },
    { "x2", "two.position.x", 1, COORDINATE,
      { 6.711359930283763e+00, 6.713351016578483e+00, 6.713852953944924e+00 }, 6.714022138581226e+00, 1.99 },
    { "y2", "two.position.y", 1, COORDINATE,
      { -2.765194090434459e+00, -2.767952427377098e+00, -2.768646375692474e+00 }, -2.768879647789623e+00, 1.99 },
    { "th2", "two.angle", -1, COORDINATE,
      { 2.323828290259711e+00, 2.321853408917590e+00, 2.321353974979965e+00 }, 2.321184918287540e+00, 1.98 },
    { "x1d", "one.velocity.x", 1, VELOCITY,
      { -1.819273871586672e-01, -1.842799921770659e-01, -1.848738194541881e-01 }, -1.850743171218459e-01, 1.99 },
    { "y1d", "one.velocity.y", 1, VELOCITY,
      { -8.425945695282319e-01, -8.479370879904063e-01, -8.492773869483450e-01 }, -8.497262382156855e-01, 1.99 },
    { "th1d", "one.angular_velocity", -1, VELOCITY,
      { 3.448043406049740e-01, 3.470922208260153e-01, 3.476665951459748e-01 }, 3.478591278120256e-01, 1.99 },
    { "x2d", "two.velocity.x", 1, VELOCITY,
      { 8.358047330329132e+00, 8.340866444559840e+00, 8.336508225248394e+00 }, 8.335026936186582e+00, 1.98 },
    { "y2d", "two.velocity.y", 1, VELOCITY,
      { 7.618758619232083e+00, 7.632854935537393e+00, 7.636424552087447e+00 }, 7.637635013353624e+00, 1.98 },
    { "th2d", "two.angular_velocity", -1, VELOCITY,
      { -5.100854444583235e+00, -5.104896782794190e+00, -5.105912134225290e+00 }, -5.106252716660437e+00, 1.99 },
    { "lam1", NULL, 0, MULTIPLIER,
      { 5.764615652238092e+01, 5.868436253318767e+01, 5.913991225254942e+01 }, 5.949608372080202e+01, 1.19 },
    { "lam2", NULL, 1, MULTIPLIER,
      { -3.734488926265648e+00, -4.052234009115540e+00, -4.179614438038763e+00 }, -4.264849660744103e+00, 1.32 },
    { "lam3", NULL, 2, MULTIPLIER,
      { 4.271195102102794e+01, 4.369108931718181e+01, 4.412375487226354e+01 }, 4.446631447036336e+01, 1.18 },
    { "lam4", NULL, 3, MULTIPLIER,
      { -2.543944405550502e+01, -2.574329960311427e+01, -2.586977170351205e+01 }, -2.595994467303359e+01, 1.26 },
    { "Phi1", NULL, 0, RESIDUAL,
      { 2.012649042981707e-07, 2.638058038684221e-08, 3.369676981890279e-09 }, -1.167900624849836e-10, 2.93 },
    { "Phi2", NULL, 1, RESIDUAL,
      { -4.337343506577440e-08, -5.727478158412680e-09, -7.331477647198881e-10 }, 3.077546804530299e-11, 2.91 },
    { "Phi3", NULL, 2, RESIDUAL,
      { 2.580200099577823e-06, 3.347781205587097e-07, 4.257266783547209e-08 }, -1.141905255467523e-09, 2.94 },
    { "Phi4", NULL, 3, RESIDUAL,
      { -2.301799984172348e-06, -2.954876792138350e-07, -3.741255971689839e-08 }, 6.845405262664950e-10, 2.96 },
};
enum { ENTRIES = sizeof table / sizeof table[0] };

static const char model_text[] =
    "tenon: 1\ndimension: 2\ngravity: [10, 0]\n"
    "bodies:\n"
    "  one: { mass: 1, inertia: 25 / 12, position: [0, 2.5], angle: 0 }\n"
    "  two: { mass: 1, inertia: 25 / 12, position: [0, 7.5], angle: 0 }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, one], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [one, two], at: [0, 5] }\n";

static int look_welch_table_1(tn_session *session, const tn_model *model, const entry *e, double *ours)
{
    tn_row rows[2];
    if (e->channel) {
        int code = tn_session_value(ours, session, e->channel);
        *ours *= e->sign_or_row;
        return code;
    }
    int code = tn_session_rows(rows, 2, session, tn_model_at(model, TN_KIND_JOINT, (size_t)e->sign_or_row / 2));
    const tn_row *row = &rows[e->sign_or_row % 2];
    *ours = e->kind == MULTIPLIER ? -row->step_multiplier : row->residual;     /* theirs act on the constraints */
    return code;
}

static int compute(tn_context *context, double step, double *ours)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_solve solve = tn_solve_default();
    solve.scheme = "taylor2";
    solve.step = step;
    solve.until = solve.record = 10;
    tn_solve_set(&solve, "passes", 1);
    tn_solve_set(&solve, "damping", 0);
    int code = tn_reproduction_open(&session, &model, context, model_text, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    for (int k = 0; k < ENTRIES && code >= 0; k++)
        code = look_welch_table_1(session, model, &table[k], &ours[k]);
    tn_session_close(session);
    tn_model_destroy(model);
    return code < 0 ? code : TN_OK;
}

/* The limit of three values, as the paper finds its column of exact ones. */
static double limit(const double f[STEPS])
{
    return f[2] - (f[1] - f[2]) / (exp2(tn_observed_order(f[0] - f[1], f[1] - f[2])) - 1);
}

/* Largest error of each kind of quantity at each step. */
static void take_error(double errors[QUANTITIES][STEPS], const entry *e, const double f[STEPS])
{
    double exact = e->kind == RESIDUAL ? 0 : limit(f);
    for (int s = 0; s < STEPS; s++)
        errors[e->kind][s] = fmax(errors[e->kind][s], fabs(f[s] - exact));
}

static int draw(tn_findings *findings, double ours[STEPS][ENTRIES])
{
    static const char *const names[] = { "coordinates", "velocities", "multipliers", "residuals" };
    double errors[QUANTITIES][STEPS] = { { 0 } }, published[QUANTITIES][STEPS] = { { 0 } };
    tn_series series[2 * QUANTITIES];
    for (int k = 0; k < ENTRIES; k++) {
        take_error(errors, &table[k], (double[STEPS]){ ours[0][k], ours[1][k], ours[2][k] });
        take_error(published, &table[k], table[k].published);
    }
    for (int q = 0; q < QUANTITIES; q++) {
        series[2 * q] = (tn_series){ .name = names[q], .count = STEPS, .x = steps, .y = errors[q] };
        series[2 * q + 1] = (tn_series){ .name = "published", .count = STEPS, .x = steps, .y = published[q],
                                         .marks = true };
    }
    return tn_figure_draw(findings, &(tn_figure){ .name = "welch-table-1", .title = "Double pendulum after 10 s",
                                                  .x = "step, s", .y = "largest error, SI units", .log_x = true,
                                                  .log_y = true, .series = series, .series_count = 2 * QUANTITIES });
}

static int run_welch_table_1(tn_findings *findings, tn_context *context)
{
    double ours[STEPS][ENTRIES];
    char what[64];
    for (int s = 0; s < STEPS; s++) {
        int code = compute(context, steps[s], ours[s]);
        if (code < 0)
            return code;
    }
    for (int k = 0; k < ENTRIES; k++) {
        const entry *e = &table[k];
        for (int s = 0; s < STEPS; s++) {
            snprintf(what, sizeof what, "%s, h = %g s", e->name, steps[s]);
            tn_found(findings, what, e->published[s], ours[s][k], allowed[e->kind].tolerance,
                     allowed[e->kind].agreement);
        }
        snprintf(what, sizeof what, "%s, exact by Eq. 70", e->name);
        tn_found(findings, what, e->exact, limit((double[STEPS]){ ours[0][k], ours[1][k], ours[2][k] }),
                 limits[e->kind].tolerance, limits[e->kind].agreement);
        snprintf(what, sizeof what, "%s, order", e->name);
        tn_found(findings, what, e->order, tn_observed_order(ours[0][k] - ours[1][k], ours[1][k] - ours[2][k]),
                 ORDER_TOLERANCE, TN_AGREE_ABSOLUTE);
    }
    return draw(findings, ours);
}

const tn_reproduction tn_reproduction_welch_table_1 = {
    .name = "welch-table-1",
    .source = "Welch, Hong, Trapp, Choi 2007, Table 1: planar double pendulum, second-order scheme (Eq. 44), 10 s",
    .reading = "  Links of 5 m along +y at rest, m = 1 kg, J = m L^2/12, gravity 10 m/s^2 along +x (the table's\n"
               "  energy fits no other direction); multipliers of the last step's corrector; taylor2, passes 1, damping 0.",
    .run = run_welch_table_1,
};
