/* Complementarity with Coulomb cones against brute force over all modes, closed forms and the conditions themselves. */
#include <string.h>
#include "cone.h"
#include "cone_convex.h"
#include "dense.h"
#include "near.h"
#include "random.h"

enum { MOST_CONTACTS = 40, MOST = 3 * MOST_CONTACTS };

typedef struct problem {
    double W[MOST * MOST], b[MOST];
    tn_cone_contact contacts[MOST_CONTACTS];
    tn_cone_problem cone;
} problem;

static double doubles[3 * MOST * MOST + 8 * MOST];
static int numbers[MOST];

static int solve(double *p, double *w, const problem *k)
{
    assert_true(tn_cone_doubles(k->cone.rows) <= (int)(sizeof doubles / sizeof *doubles));
    assert_true(tn_cone_ints(k->cone.rows) <= MOST);
    memset(p, 0, (size_t)k->cone.rows * sizeof *p);
    return tn_cone_solve(p, w, &k->cone, doubles, numbers);
}

static void lay_out(problem *k, int contacts, int tangents, double mu)
{
    for (int i = 0; i < contacts; i++)
        k->contacts[i] = (tn_cone_contact){ .row = i * (1 + tangents), .tangents = tangents, .mu = mu };
    k->cone = (tn_cone_problem){ contacts * (1 + tangents), k->W, k->b, k->contacts, contacts };
}

/* W = J J', b = J u with as many freedoms of motion as asked for: fewer than rows make W singular. Some rows stand
 * twice: contacts that are redundant. */
static void random_problem(problem *k, uint32_t *seed, int contacts, int tangents, int freedoms)
{
    double J[MOST][MOST], u[MOST];
    lay_out(k, contacts, tangents, 0);
    int m = k->cone.rows;
    for (int i = 0; i < m; i++)
        random_vector(seed, freedoms, 1, J[i]);
    for (int i = 0; i < contacts; i++) {
        k->contacts[i].mu = next_random(seed) % 4 == 0 ? 0 : between(seed, 0, 1.2);
        if (i > 0 && next_random(seed) % 4 == 0)
            memcpy(J[k->contacts[i].row], J[k->contacts[i - 1].row], (size_t)(1 + tangents) * sizeof J[0]);
    }
    random_vector(seed, freedoms, 2, u);
    for (int i = 0; i < m; i++) {
        k->b[i] = 0;
        for (int j = 0; j < m; j++)
            k->W[i + j * m] = 0;
        for (int f = 0; f < freedoms; f++) {
            k->b[i] += J[i][f] * u[f];
            for (int j = 0; j < m; j++)
                k->W[i + j * m] += J[i][f] * J[j][f];
        }
    }
}


/* The conditions themselves, in units of w over the largest term. */
static double violation(const problem *k, const double *p)
{
    double worst = 0, scale = 1e-300, w[MOST];
    for (int i = 0; i < k->cone.rows; i++) {
        double size = fabs(k->b[i]);
        w[i] = k->b[i];
        for (int j = 0; j < k->cone.rows; j++) {
            w[i] += k->W[i + j * k->cone.rows] * p[j];
            size += fabs(k->W[i + j * k->cone.rows] * p[j]);
        }
        scale = fmax(scale, size);
    }
    for (int i = 0; i < k->cone.contact_count; i++) {
        const tn_cone_contact *c = &k->contacts[i];
        const double *pt = p + c->row + 1, *wt = w + c->row + 1;
        double n = p[c->row], wn = w[c->row], slip = tn_norm2(c->tangents, wt), across = 0;
        worst = fmax(worst, fmax(-wn, -n));
        worst = fmax(worst, fmin(fabs(wn), n));
        worst = fmax(worst, tn_norm2(c->tangents, pt) - c->mu * n);
        for (int j = 0; j < c->tangents; j++)
            across = fmax(across, fabs(pt[j] * slip + c->mu * n * wt[j]));
        if (n > 0 && slip > 0)     /* across is impulse times velocity: either may be what is too large */
            worst = fmax(worst, across / fmax(slip, fmax(n, 1)));
    }
    return worst / scale;
}

/* x = A^-1 x by elimination with complete pivoting; false: A is singular. */
static bool solve_dense(int n, double A[MOST][MOST], double *x)
{
    int order[MOST];
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int s = 0; s < n; s++) {
        int row = s, column = s;
        for (int i = s; i < n; i++)
            for (int j = s; j < n; j++)
                if (fabs(A[i][j]) > fabs(A[row][column])) {
                    row = i;
                    column = j;
                }
        if (fabs(A[row][column]) < 1e-9)
            return false;
        for (int j = 0; j < n; j++) {
            double a = A[s][j];
            A[s][j] = A[row][j];
            A[row][j] = a;
        }
        double f = x[s];
        x[s] = x[row];
        x[row] = f;
        for (int i = 0; i < n; i++) {
            double a = A[i][s];
            A[i][s] = A[i][column];
            A[i][column] = a;
        }
        int o = order[s];
        order[s] = order[column];
        order[column] = o;
        for (int i = 0; i < n; i++) {
            double factor = i == s ? 0 : A[i][s] / A[s][s];
            for (int j = s; j < n; j++)
                A[i][j] -= factor * A[s][j];
            x[i] -= factor * x[s];
        }
    }
    double y[MOST];
    for (int i = 0; i < n; i++)
        y[order[i]] = x[i] / A[i][i];
    memcpy(x, y, (size_t)n * sizeof *x);
    return true;
}

/* p of one combination of modes (open, stick, slide up, slide down; without tangents: open, closed). */
static bool solve_modes(double *p, const problem *k, int combination)
{
    static double A[MOST][MOST];
    int m = k->cone.rows;
    memset(A, 0, sizeof A);
    for (int i = 0; i < k->cone.contact_count; i++) {
        const tn_cone_contact *c = &k->contacts[i];
        int choices = c->tangents ? 4 : 2, mode = combination % choices, n = c->row;
        combination /= choices;
        for (int row = n; row <= n + c->tangents; row++) {
            bool equation = row == n ? mode > 0 : mode == 1;
            p[row] = equation ? -k->b[row] : 0;
            for (int j = 0; j < m && equation; j++)
                A[row][j] = k->W[row + j * m];
            if (!equation)
                A[row][row] = 1;
            if (row > n && mode > 1)
                A[row][n] = mode == 2 ? c->mu : -c->mu;
        }
    }
    return solve_dense(m, A, p);
}

static bool regular(const problem *k)
{
    static double A[MOST * MOST];
    int m = k->cone.rows;
    memcpy(A, k->W, (size_t)(m * m) * sizeof *A);
    for (int i = 0; i < m; i++)
        A[i + i * m] -= 1e-6;
    return tn_cholesky(m, A, m) == 0;
}

/* Where a combination of modes gives a solution, the solver finds one; and, unless there is a continuum of them, it is
 * one of those. (Without friction w is unique; with it, loads that redundant contacts can share in many ways make many
 * frictions.) */
static void compare_with_all_modes(const problem *k, bool isolated)
{
    double p[MOST], w[MOST], q[MOST], v[MOST], nearest = INFINITY;
    int combinations = 1, code = solve(p, w, k);
    for (int i = 0; i < k->cone.contact_count; i++)
        combinations *= k->contacts[i].tangents ? 4 : 2;
    for (int i = 0; i < combinations; i++) {
        if (!solve_modes(q, k, i) || violation(k, q) > 1e-11)
            continue;
        double off = 0;
        tn_cone_residual(v, &k->cone, q);
        for (int j = 0; j < k->cone.rows; j++)
            off = fmax(off, fabs(v[j] - w[j]));
        nearest = fmin(nearest, off);
    }
    if (isinf(nearest))
        return;
    assert_int_equal(code, 0);
    assert_true(violation(k, p) < 1e-10);
    if (isolated)
        assert_near(nearest, 0, 1e-8);
}

static void test_frictionless_against_all_modes(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 3;
    for (int i = 0; i < 4000; i++) {
        int contacts = 1 + i % 6;
        random_problem(&k, &seed, contacts, 0, 1 + (int)(next_random(&seed) % (uint32_t)(contacts + 1)));
        compare_with_all_modes(&k, true);
    }
}

static void test_planar_friction_against_all_modes(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 5;
    for (int i = 0; i < 2000; i++) {
        int contacts = 1 + i % 4;
        random_problem(&k, &seed, contacts, 1, 1 + (int)(next_random(&seed) % (uint32_t)(2 * contacts + 1)));
        compare_with_all_modes(&k, regular(&k));
    }
}

static void test_spatial_friction_obeys_the_conditions(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 7;
    double p[MOST], w[MOST];
    for (int i = 0; i < 3000; i++) {
        int contacts = 1 + i % 10;
        random_problem(&k, &seed, contacts, 2, 1 + (int)(next_random(&seed) % (uint32_t)(3 * contacts + 1)));
        assert_int_equal(solve(p, w, &k), 0);
        assert_true(violation(&k, p) < 1e-10);
    }
}

/* A block on an incline, its weight carried by four corners: acceleration g (sin a - mu cos a) above the angle of
 * friction, none below. In space and in the plane, every corner alike. */
static void test_block_on_incline(void **state)
{
    (void)state;
    static problem k;
    const double mass = 2, g = 9.81, mu = 0.4;
    double p[MOST], w[MOST];
    for (int tangents = 1; tangents <= 2; tangents++)
        for (double angle = 0.05; angle < 1.2; angle += 0.1) {
            lay_out(&k, 4, tangents, mu);
            int m = k.cone.rows, each = 1 + tangents;
            for (int i = 0; i < m; i++) {
                k.b[i] = i % each == 0 ? -g * cos(angle) : i % each == 1 ? g * sin(angle) : 0;
                for (int j = 0; j < m; j++)
                    k.W[i + j * m] = i % each == j % each ? 1 / mass : 0;
            }
            assert_int_equal(solve(p, w, &k), 0);
            double normal = p[0] + p[each] + p[2 * each] + p[3 * each];
            assert_near(normal, mass * g * cos(angle), 1e-11);
            assert_near(w[1], fmax(0, g * (sin(angle) - mu * cos(angle))), 1e-11);
            assert_int_equal(tn_cone_mode_of(&k.cone, 0, p, w, 1e-9),
                             tan(angle) > mu ? TN_CONE_SLIDES : TN_CONE_STICKS);
        }
}

/* A thrown ball hits the floor: the friction impulse stops the skid of its surface when mu is large (the velocity of
 * the contact point vanishes), or is mu times the normal impulse against the skid. */
static void test_ball_on_floor(void **state)
{
    (void)state;
    static problem k;
    const double mass = 0.3, fall = 4, skid[2] = { 3, -1 };
    const double W[3] = { 1 / mass, 3.5 / mass, 3.5 / mass };     /* r^2 / I = 2.5 / m */
    double p[3], w[3], speed = hypot(skid[0], skid[1]);
    for (double mu = 0; mu < 0.5; mu += 0.05) {
        lay_out(&k, 1, 2, mu);
        for (int i = 0; i < 3; i++) {
            k.b[i] = i == 0 ? -fall : skid[i - 1];
            for (int j = 0; j < 3; j++)
                k.W[i + 3 * j] = i == j ? W[i] : 0;
        }
        assert_int_equal(solve(p, w, &k), 0);
        double friction = fmin(mu * mass * fall, speed * mass / 3.5);
        assert_near(p[0], mass * fall, 1e-12);
        for (int j = 0; j < 2; j++)
            assert_near(p[1 + j], -friction * skid[j] / speed, 1e-12);
    }
}

/* With the sliding direction given, friction goes with the normal: a rod of Painleve's kind with W_nn - mu W_nt > 0. */
static void test_given_direction(void **state)
{
    (void)state;
    static problem k;
    double p[2], w[2];
    lay_out(&k, 1, 1, 0.5);
    k.contacts[0].slides = true;
    k.contacts[0].slip[0] = 1;
    memcpy(k.W, (double[]){ 2, 1.5, 1.5, 3 }, 4 * sizeof(double));
    memcpy(k.b, (double[]){ -1, -7 }, 2 * sizeof(double));
    assert_int_equal(solve(p, w, &k), 0);
    assert_near(p[0], 1 / (2 - 0.5 * 1.5), 1e-13);
    assert_near(p[1], -0.5 * p[0], 1e-14);
    assert_near(w[0], 0, 1e-13);
    k.b[0] = 1;
    assert_int_equal(solve(p, w, &k), 0);
    assert_near(p[0], 0, 0);
    assert_int_equal(tn_cone_mode_of(&k.cone, 0, p, w, 1e-9), TN_CONE_OPEN);
}

/* What has no solution ends with a code: a wall that comes nearer whatever pushes (W = 0), and Painleve's paradox,
 * where friction presses the contact together more than the normal force parts it. */
static void test_no_solution_ends(void **state)
{
    (void)state;
    static problem k;
    double p[2], w[2];
    lay_out(&k, 1, 0, 0);
    k.W[0] = 0;
    k.b[0] = -1;
    assert_int_equal(solve(p, w, &k), -1);
    lay_out(&k, 1, 1, 2);
    k.contacts[0].slides = true;
    k.contacts[0].slip[0] = 1;
    memcpy(k.W, (double[]){ 2, 1.5, 1.5, 3 }, 4 * sizeof(double));
    memcpy(k.b, (double[]){ -1, 0 }, 2 * sizeof(double));
    assert_int_equal(solve(p, w, &k), -1);
    assert_true(isfinite(p[0]) && isfinite(w[0]));
}

/* A row of balls on the floor and against each other, many more contacts than freedoms. */
static void test_many_redundant_contacts(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 11;
    double p[MOST], w[MOST];
    random_problem(&k, &seed, MOST_CONTACTS, 2, 30);
    assert_int_equal(solve(p, w, &k), 0);
    assert_true(violation(&k, p) < 1e-10);
}

static void test_nothing_to_solve(void **state)
{
    (void)state;
    const tn_cone_problem none = { 0 };
    double p[1], w[1];
    assert_int_equal(tn_cone_solve(p, w, &none, doubles, numbers), 0);
}

static double convex_doubles[2 * MOST * MOST + 12 * MOST];

/* The convex form: p in the cones, w_n >= mu |w_t|, p'w = 0; and w = 0 where forces within the cones balance b. */
static void test_convex(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 11;
    for (int round = 0; round < 300; round++) {
        double p[MOST] = { 0 }, w[MOST], held[MOST], scale = 0;
        int contacts = 1 + (int)(next_random(&seed) % 8), tangents = 1 + (int)(next_random(&seed) % 2);
        random_problem(&k, &seed, contacts, tangents, 3 + (int)(next_random(&seed) % 12));
        const bool rests = round % 2 == 1;
        for (int i = 0; i < contacts && rests; i++) {
            const tn_cone_contact *c = &k.contacts[i];
            held[c->row] = next_random(&seed) % 3 == 0 ? 0 : between(&seed, 0, 2);
            random_vector(&seed, tangents, 1, held + c->row + 1);
            const double slip = tn_norm2(tangents, held + c->row + 1);
            for (int j = 1; j <= tangents; j++)
                held[c->row + j] *= slip > 0 ? 0.9 * c->mu * held[c->row] / fmax(slip, 1e-9) : 0;
        }
        for (int i = 0; i < k.cone.rows && rests; i++) {
            k.b[i] = 0;
            for (int j = 0; j < k.cone.rows; j++)
                k.b[i] -= k.W[i + j * k.cone.rows] * held[j];
        }
        assert_true(tn_cone_convex_doubles(k.cone.rows) <= (long)(sizeof convex_doubles / sizeof *convex_doubles));
        assert_true(tn_cone_convex(p, w, &k.cone, convex_doubles) <= 1e-8);
        for (int i = 0; i < k.cone.rows; i++)
            scale = fmax(scale, fabs(k.b[i]));
        for (int i = 0; i < contacts; i++) {
            const tn_cone_contact *c = &k.contacts[i];
            assert_true(tn_norm2(tangents, p + c->row + 1) <= c->mu * p[c->row] + 1e-12);
            assert_true(w[c->row] >= c->mu * tn_norm2(tangents, w + c->row + 1) - 1e-7 * scale);
            assert_near(tn_dot(1 + tangents, p + c->row, w + c->row), 0, 1e-6 * scale * (1 + p[c->row]));
        }
        for (int i = 0; i < k.cone.rows && rests; i++)
            assert_near(w[i], 0, 1e-7 * scale);
    }
}

/* Without lifts the solution is one of the problem itself. */
static void test_lowered(void **state)
{
    (void)state;
    static problem k;
    uint32_t seed = 5;
    int lowered = 0;
    for (int round = 0; round < 200; round++) {
        double p[MOST] = { 0 }, w[MOST];
        bool lifted;
        random_problem(&k, &seed, 1 + round % 5, 1 + round % 2, 12);
        for (int i = 0; i < k.cone.contact_count; i++)
            k.contacts[i].mu *= 0.3;
        (void)tn_cone_convex_lowered(p, w, &k.cone, convex_doubles, &lifted);
        lowered += !lifted;
        if (!lifted)
            assert_true(violation(&k, p) <= 1e-5);
    }
    assert_true(lowered >= 180);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_frictionless_against_all_modes),
        cmocka_unit_test(test_planar_friction_against_all_modes),
        cmocka_unit_test(test_spatial_friction_obeys_the_conditions),
        cmocka_unit_test(test_block_on_incline),
        cmocka_unit_test(test_ball_on_floor),
        cmocka_unit_test(test_given_direction),
        cmocka_unit_test(test_no_solution_ends),
        cmocka_unit_test(test_many_redundant_contacts),
        cmocka_unit_test(test_nothing_to_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
