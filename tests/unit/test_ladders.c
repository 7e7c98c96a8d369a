/* Random ladders of parallelograms, planar and of spatial hinges, in one row or two (welded, pinned, apart, stacked), run through
 * their change points with every solver, and are compared with the same motion in minimal coordinates: all cranks of a row turn
 * alike, so a ladder has one or two unknowns, and the reference knows nothing of constraints, ranks or singular positions.
 *
 * TENON_LADDERS=N takes N ladders, TENON_LADDERS_FIRST=K begins with ladder K. */
#include "mechanism_models.h"
#include "near.h"
#include "tenon/session.h"

#include <stdlib.h>

#ifdef TENON_SANITIZED
enum { LADDERS = 1 };
#else
enum { LADDERS = 3 };         /* tools/campaign.sh takes more */
#endif
static const double GRAVITY = 9.81;

/* ---- minimal coordinates ---- */

/* Two angles a, b: T = I1 a'^2 / 2 + I2 b'^2 / 2 + C cos(a - b) a' b', V = g (S1 sin a + S2 sin b). */
typedef struct reduced {
    double inertia[2], coupling, weight[2];
    double angle[2], rate[2];
} reduced;

static void reduced_rates(const reduced *r, const double y[4], double out[4])
{
    const double c = r->coupling * cos(y[0] - y[1]), s = r->coupling * sin(y[0] - y[1]);
    const double f0 = -s * y[3] * y[3] - r->weight[0] * cos(y[0]), f1 = s * y[2] * y[2] - r->weight[1] * cos(y[1]);
    const double det = r->inertia[0] * r->inertia[1] - c * c;
    out[0] = y[2];
    out[1] = y[3];
    out[2] = (f0 * r->inertia[1] - c * f1) / det;
    out[3] = (f1 * r->inertia[0] - c * f0) / det;
}

/* Classical Runge-Kutta steps that are short enough for 1e-11. */
static void reduced_advance(reduced *r, double time)
{
    const int steps = (int)ceil(time / 5e-5);
    const double h = time / steps;
    double y[4] = { r->angle[0], r->angle[1], r->rate[0], r->rate[1] };
    for (int k = 0; k < steps; k++) {
        static const double node[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
        double f[4] = { 0 }, sum[4] = { 0 }, z[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++)
                z[i] = y[i] + h * node[stage] * f[i];
            reduced_rates(r, z, f);
            for (int i = 0; i < 4; i++)
                sum[i] += weight[stage] * f[i] / 6;
        }
        for (int i = 0; i < 4; i++)
            y[i] += h * sum[i];
    }
    memcpy(r->angle, y, sizeof r->angle);
    memcpy(r->rate, y + 2, sizeof r->rate);
}

/* ---- ladders ---- */

typedef struct ladder {
    mechanism m;
    mech_row row[2];
    int rows, coupling;        /* MECH_ONE_ROW ... */
    double gravity;            /* m/s^2 */
    reduced motion;
} ladder;

static void choose_second(ladder *l, double angle, double speed)
{
    mech_row *one = &l->row[0], *two = &l->row[1];
    *two = mech_choose_row(&l->m, angle, speed);
    if (l->coupling == MECH_STACKED) {
        two->x = one->radius * cos(angle);
        two->y = one->radius * sin(angle);
        two->vx = -speed * two->y;
        two->vy = speed * two->x;
        two->base = one->coupler;
        two->angle = mech_chance(&l->m, 0.5) ? angle : mech_pick(&l->m, 0.3, 2.8);
        two->speed = mech_chance(&l->m, 0.5) ? speed : mech_pick(&l->m, -6, 6);
        return;
    }
    two->z = l->m.dimension == 3 ? 0.4 : 0;
    two->y = l->m.dimension == 3 ? 0 : -0.1;
    if (l->coupling != MECH_APART)
        two->radius = one->radius;
}

/* Slender bars about their ends, and couplers that move along circles without turning. */
static void row_terms(const mech_row *row, double *inertia, double *first, double *mass)
{
    const double r = row->radius;
    *inertia = row->coupler_mass * r * r;
    *first = row->coupler_mass * r;
    *mass = row->coupler_mass;
    for (int k = 0; k < row->cranks; k++) {
        *inertia += row->mass[k] * r * r / 3;
        *first += row->mass[k] * r / 2;
        *mass += row->mass[k];
    }
}

static void reduce(ladder *l)
{
    double inertia[2] = { 0, 1 }, first[2] = { 0 }, mass[2] = { 0 };
    for (int k = 0; k < l->rows; k++)
        row_terms(&l->row[k], &inertia[k], &first[k], &mass[k]);
    const bool together = l->coupling == MECH_WELDED || l->coupling == MECH_PINNED;
    const double r = l->row[0].radius, stacked = l->coupling == MECH_STACKED ? 1 : 0;
    if (together) {
        inertia[0] += inertia[1];
        first[0] += first[1];
        inertia[1] = inertia[0];
        first[1] = first[0];
    }
    l->motion = (reduced){ .inertia = { inertia[0] + stacked * mass[1] * r * r, inertia[1] },
                           .coupling = stacked * r * first[1],
                           .weight = { l->gravity * (first[0] + stacked * mass[1] * r), l->gravity * first[1] },
                           .angle = { l->row[0].angle, l->row[l->rows - 1].angle },
                           .rate = { l->row[0].speed, l->row[l->rows - 1].speed } };
}

static void make_ladder(ladder *l, uint32_t seed)
{
    mechanism *m = &l->m;
    mechanism_start(m, seed);
    l->coupling = mech_choose(m, MECH_COUPLINGS);
    l->rows = l->coupling == MECH_ONE_ROW ? 1 : 2;
    const bool heavy = mech_chance(m, 0.7);
    const double speed = mech_pick(m, 5, 12) * (mech_chance(m, 0.5) ? -1 : 1);
    const double angle = mech_chance(m, 0.1) ? 0 : mech_pick(m, 0.3, 2.8);
    l->gravity = heavy ? GRAVITY : 0;
    mech_begin(m, mech_chance(m, 0.25) ? 2 : 3, heavy);
    l->row[0] = mech_choose_row(m, angle, speed);
    mech_add_row(m, &l->row[0]);
    if (l->rows == 2) {
        choose_second(l, angle, speed);
        mech_add_row(m, &l->row[1]);
    }
    mech_say(m, "joints:\n");
    for (int k = 0; k < l->rows; k++)
        mech_join_row(m, &l->row[k]);
    const double x = l->row[0].radius * cos(angle), y = l->row[0].radius * sin(angle);
    if (l->coupling == MECH_WELDED)
        mech_join(m, "fixed", l->row[0].coupler, l->row[1].coupler, (double[3]){ x, y, 0 }, NULL);
    if (l->coupling == MECH_PINNED)
        mech_hinge(m, l->row[0].coupler, l->row[1].coupler, x + 0.2, y, 0.2);
    mech_end(m, 0.6, mech_pick(m, 0.001, 0.006));
    reduce(l);
    reduced_advance(&l->motion, m->until);
}

/* ---- runs ---- */

typedef struct method {
    const char *integrator;
    double part;               /* of the ladder's step; 0: the tolerance holds */
    double tolerance;
    int order;                 /* of a fixed step */
} method;

/* The first two are taken with every solver, the others in turn. */
static const method methods[] = {
    { "rk4", 1, 0, 4 },
    { "dopri5", 0, 1e-8, 0 },
    { "heun", 0.5, 0, 2 },
    { "dop853", 0, 1e-10, 0 },
    { "midpoint", 0.5, 0, 2 },
    { "cvode", 0, 1e-8, 0 },
    { "newmark-iterated", 0.5, 0, 2 },
    { "ida", 0, 1e-8, 0 },
    { "generalized-alpha", 0, 1e-7, 0 },
    { "newmark", 0.5, 0, 2 },
};
enum { METHODS = sizeof methods / sizeof *methods, ALWAYS = 2 };

/* Off by at most this: an error constant of the method times (rate times step)^order over the turn that is made, or times its tolerance. */
static const double FIXED_ERROR = 2, TOLERANCES = 3e4, FLOOR = 1e-6;

/* How far the hinges on the base and on the couplers are off. */
static double ladder_error(const ladder *l, tn_session *session)
{
    double most = 0;
    int joint = 0;
    for (int k = 0; k < l->rows; k++)
        for (int side = 0; side < 2; side++)
            for (int c = 0; c < l->row[k].cranks; c++) {
                const double turned = l->motion.angle[k] - l->row[k].angle;
                char channel[32];
                double angle = NAN;
                snprintf(channel, sizeof channel, "j%d.angle", joint++);
                assert_int_equal(tn_session_value(&angle, session, channel), TN_OK);
                most = fmax(most, fabs(angle - (side ? -turned : turned)));
            }
    return most;
}

static double allowed_error(const ladder *l, const method *way)
{
    double speed = 1;
    for (int k = 0; k < l->rows; k++)
        speed = fmax(speed, fmax(fabs(l->row[k].speed), fabs(l->motion.rate[k])));
    if (way->part == 0)
        return FLOOR + TOLERANCES * way->tolerance;
    return FLOOR + FIXED_ERROR * speed * l->m.until * pow(speed * l->m.step * way->part, way->order);
}

/* 1: wrong. A run that stops, or that says that it may be wrong, is counted by itself. */
typedef struct tally {
    long runs, wrong, stopped, warned;
    double worst;              /* error over what is allowed */
} tally;

static void run_ladder(tally *all, const ladder *l, uint32_t seed, const char *solver, const method *way)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    assert_int_equal(tn_model_read_text(&model, context, l->m.text, strlen(l->m.text), "ladder.yaml", "."), TN_OK);
    tn_solve solve = tn_model_solve(model);
    solve.solver = solver;
    solve.integrator = way->integrator;
    solve.step = way->part > 0 ? l->m.step * way->part : NAN;
    if (way->part == 0)
        solve.tolerance = solve.absolute_tolerance = way->tolerance;
    solve.record = solve.until;
    int code = tn_session_open(&session, model, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    const double error = code >= 0 ? ladder_error(l, session) : INFINITY, ratio = error / allowed_error(l, way);
    const size_t notes = tn_diagnostics_count(context);
    all->runs++;
    all->stopped += code < 0;
    all->warned += code >= 0 && notes > 0;
    all->worst = fmax(all->worst, ratio);
    if (ratio > 1) {
        all->wrong++;
        print_error("ladder %u, rows %d, coupling %d, %s %s, step %g: off by %.3g, allowed %.3g; %s\n", seed, l->rows, l->coupling, solver,
                    way->integrator, solve.step, error, allowed_error(l, way),
                    notes ? tn_diagnostics_get(context, notes - 1)->message : "not a word");
    } else if (notes)
        print_error("ladder %u, %s %s, step %g, off by %.3g: warns without need: %s\n", seed, solver, way->integrator, solve.step, error,
                    tn_diagnostics_get(context, 0)->message);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void take_ladder(tally *all, uint32_t seed)
{
    static const char *const solvers[] = { "direct", "hierarchical", "augmented", "uzawa" };
    static ladder l;
    make_ladder(&l, seed);
    for (int k = 0; k < 4; k++)
        for (int w = 0; w < ALWAYS; w++)
            run_ladder(all, &l, seed, solvers[k], &methods[w]);
    run_ladder(all, &l, seed, solvers[seed / 8 % 4], &methods[ALWAYS + seed % (METHODS - ALWAYS)]);
}

static void test_ladders(void **state)
{
    const char *count = getenv("TENON_LADDERS"), *from = getenv("TENON_LADDERS_FIRST");
    const uint32_t first = from ? (uint32_t)strtoul(from, NULL, 10) : 0;
    const uint32_t ladders = count ? (uint32_t)strtoul(count, NULL, 10) : LADDERS;
    tally all = { 0 };
    (void)state;
    for (uint32_t seed = first; seed < first + ladders; seed++)
        take_ladder(&all, seed);
    if (count)
        print_message("%u ladders, %ld runs, %ld wrong, %ld stopped, %ld with warnings, worst %.3g of what is allowed\n", ladders, all.runs,
                      all.wrong, all.stopped, all.warned, all.worst);
    assert_int_equal(all.wrong, 0);
}

/* ---- a long ladder ---- */

/* Upright cranks and level bars of 1 m and 1 kg, which move to the right: all bars are in line after 0.73 s. */
static char *long_ladder(int windows)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k <= windows; k++)
        fprintf(out, "  crank%d: { mass: 1, com: [0, 0.5], inertia: 1/12, position: [%d, 0] }\n", k, k);
    for (int k = 0; k < windows; k++)
        fprintf(out, "  bar%d: { mass: 1, com: [0.5, 0], inertia: 1/12, position: [%d, 1], velocity: [1, 0] }\n", k, k);
    fprintf(out, "joints:\n");
    for (int k = 0; k <= windows; k++)
        fprintf(out, "  base%d: { type: revolute, between: [ground, crank%d], at: [%d, 0] }\n", k, k, k);
    for (int k = 0; k < windows; k++)
        fprintf(out, "  left%d: { type: revolute, between: [crank%d, bar%d], at: [%d, 1] }\n"
                     "  right%d: { type: revolute, between: [crank%d, bar%d], at: [%d, 1] }\n",
                k, k, k, k, k, k + 1, k, k + 1);
    fprintf(out, "solve: { until: 0.8, record: 0.8, integrator: rk4, step: 5 ms }\n");
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Round-off of many loops adds up at the singular position. The step across it is still found at the first try. */
static void test_long_ladder(void **state)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    char *text = long_ladder(200);
    (void)state;
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "ladder.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    assert_true(tn_session_run(session) >= 0);
    tn_summary summary = tn_session_summary(session);
    assert_true(summary.evaluations < 1000);
    assert_true(summary.energy_error < 1e-8 * summary.energy_peak);
    assert_true(tn_diagnostics_count(context) == 0);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ladders), cmocka_unit_test(test_long_ladder) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
