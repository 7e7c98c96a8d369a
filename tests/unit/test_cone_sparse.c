/* The sparse cone solver and its parts: block LU against dense elimination, and forces in grids, stacks and arches of
 * balls against the laws, which the test checks by itself. */
#include <string.h>
#include <tenon/context.h>
#include "block_lu.h"
#include "cone_sweeps.h"
#include "dense.h"
#include "near.h"
#include "random.h"

enum { NODES = 30, WIDE = 6, MOST_BALLS = 80, MOST_CONTACTS = 400, ROWS = 3, WIDTH = 6 };

/* ---- block LU ---- */

/* A diagonally dominant matrix with random blocks on the diagonal and on random edges; the dense copy has its right side
 * in the last column. */
static void check_block_lu(tn_block_lu *lu, uint32_t seed)
{
    static double dense[NODES * WIDE * (NODES * WIDE + 1)];
    int width[NODES], offset[NODES + 1] = { 0 }, edges[3 * NODES][2], edge_count = 0;
    double x[NODES * WIDE];
    for (int i = 0; i < NODES; i++) {
        width[i] = 1 + (int)(next_random(&seed) % WIDE);
        offset[i + 1] = offset[i] + width[i];
    }
    for (; edge_count < 3 * NODES; edge_count++)
        for (int k = 0; k < 2; k++)
            edges[edge_count][k] = (int)(next_random(&seed) % NODES);
    int n = offset[NODES];
    memset(dense, 0, sizeof dense);
    assert_int_equal(tn_block_lu_plan(lu, NODES, width, (const int (*)[2])edges, edge_count), TN_OK);
    for (int e = -NODES; e < edge_count; e++)
        for (int side = 0; side < 2; side++) {
            int i = e < 0 ? e + NODES : edges[e][side], j = e < 0 ? i : edges[e][1 - side];
            double block[WIDE * WIDE];
            random_vector(&seed, width[i] * width[j], 1, block);
            for (int k = 0; k < width[i] && e < 0; k++)
                block[k * width[i] + k] += 20;
            tn_block_lu_add(lu, i, j, block);
            for (int r = 0; r < width[i]; r++)
                for (int c = 0; c < width[j]; c++)
                    dense[(offset[i] + r) * (n + 1) + offset[j] + c] += block[r * width[j] + c];
        }
    random_vector(&seed, n, 1, x);
    for (int i = 0; i < n; i++)
        dense[i * (n + 1) + n] = x[i];
    assert_int_equal(tn_block_lu_factor(lu), 0);
    tn_block_lu_solve(lu, x);
    assert_int_equal(tn_gauss_solve(n, dense, n + 1, dense + n, n + 1, 0), n);
    for (int i = 0; i < n; i++)
        assert_near(x[i], dense[i * (n + 1) + n], 1e-13);
}

static void test_block_lu(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_block_lu *lu;
    assert_int_equal(tn_block_lu_create(&lu, context), TN_OK);
    tn_block_lu_clear(lu);                                 /* without a plan there are no unknowns */
    assert_int_equal(tn_block_lu_factor(lu), 0);
    tn_block_lu_solve(lu, NULL);
    for (uint32_t seed = 1; seed <= 40; seed++)            /* the same workspace for all */
        check_block_lu(lu, seed);
    double zero = 0;
    assert_int_equal(tn_block_lu_plan(lu, 1, (const int[]){ 1 }, NULL, 0), TN_OK);
    tn_block_lu_add(lu, 0, 0, &zero);
    assert_int_equal(tn_block_lu_factor(lu), -1);
    for (int k = 0; k < 4; k++) {                          /* (0 1; 1 0) for the first node, 1 or -1 for the second */
        double one = k % 2 ? -1 : 1, exchange[] = { 0, 1, 1, 0 }, same[] = { 1, 0, 0, 1 };
        assert_int_equal(tn_block_lu_plan(lu, 2, (const int[]){ 2, 1 }, (const int[][2]){ { 0, 1 } }, 1), TN_OK);
        tn_block_lu_add(lu, 0, 0, k < 2 ? exchange : same);
        tn_block_lu_add(lu, 1, 1, &one);
        assert_int_equal(tn_block_lu_factor(lu), 0);
        assert_int_equal(tn_block_lu_negative(lu), (k < 2) != (k % 2 == 1));
    }
    tn_block_lu_destroy(lu);
    tn_context_destroy(context);
}

/* ---- cone problems ---- */

typedef struct scene {
    int balls, contacts;
    double place[MOST_BALLS][3], free[MOST_BALLS * WIDTH], v[MOST_BALLS * WIDTH];
    tn_sweep_contact contact[MOST_CONTACTS];
    tn_sweep_block blocks[4 * MOST_CONTACTS];
    double values[4 * MOST_CONTACTS][WIDTH * ROWS];
    int list[MOST_CONTACTS];
} scene;

static scene the_scene;
/* m, kg, kg m^2: of all balls. */
static const double RADIUS = 0.05, MASS = 1, INERTIA = 0.001;

/* A touch of ball `a` (-1: the ground) and ball b with the normal n from a to b. */
static void touch(scene *s, int a, int b, const double n[3], double mu, double shift)
{
    int k = s->contacts++;
    tn_sweep_contact *c = &s->contact[k];
    tn_sweep_block *block = &s->blocks[4 * k];
    double t[3][3] = { { n[0], n[1], n[2] } };
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    t[1][least] = 1;
    double along = n[least], length = sqrt(1 - along * along);
    for (int i = 0; i < 3; i++)
        t[1][i] = (t[1][i] - along * n[i]) / length;
    for (int i = 0; i < 3; i++)
        t[2][i] = n[(i + 1) % 3] * t[1][(i + 2) % 3] - n[(i + 2) % 3] * t[1][(i + 1) % 3];
    *c = (tn_sweep_contact){ .rows = ROWS, .mu = mu, .shift = shift, .J = block, .A = block + 2 };
    for (int side = 0; side < 2; side++) {
        int ball = side ? b : a, at = c->J_count;
        double sign = side ? 1 : -1, *J = s->values[4 * k + at], *A = s->values[4 * k + 2 + at];
        if (ball < 0)
            continue;
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < 3; i++) {              /* the arm of the touch is -sign radius n */
                double turn = n[(i + 1) % 3] * t[r][(i + 2) % 3] - n[(i + 2) % 3] * t[r][(i + 1) % 3];
                J[i * ROWS + r] = sign * t[r][i];
                J[(3 + i) * ROWS + r] = -RADIUS * turn;
                A[i * ROWS + r] = J[i * ROWS + r] / MASS;
                A[(3 + i) * ROWS + r] = J[(3 + i) * ROWS + r] / INERTIA;
            }
        block[at] = (tn_sweep_block){ ball * WIDTH, WIDTH, J };
        block[2 + at] = (tn_sweep_block){ ball * WIDTH, WIDTH, A };
        c->A_count = ++c->J_count;
    }
}

/* Touches of all balls that are near each other, the floor z = 0, or walls x, y = +-wall. */
static void find_touches(scene *s, double wall, double mu, double h)
{
    for (int b = 0; b < s->balls; b++) {
        const double *p = s->place[b];
        for (int side = -1; side <= 1; side += 2)
            for (int k = 0; k < 2; k++) {
                double n[3] = { 0 }, gap = wall + side * p[k] - RADIUS;
                n[k] = side;
                if (gap < 0.002)
                    touch(s, -1, b, n, mu, fmax(gap, 0) / h);
            }
        if (p[2] - RADIUS < 0.002)
            touch(s, -1, b, (const double[]){ 0, 0, 1 }, mu, fmax(p[2] - RADIUS, 0) / h);
        for (int a = 0; a < b; a++) {
            double d[3] = { p[0] - s->place[a][0], p[1] - s->place[a][1], p[2] - s->place[a][2] };
            double distance = tn_norm2(3, d), n[3] = { d[0] / distance, d[1] / distance, d[2] / distance };
            if (distance - 2 * RADIUS < 0.002)
                touch(s, a, b, n, mu, fmax(distance - 2 * RADIUS, 0) / h);
        }
    }
    for (int k = 0; k < s->contacts; k++)
        s->list[k] = k;
}

/* Checks velocities and laws of all contacts, without the solver. most: m/s. */
static void check_laws(const scene *s, double most)
{
    static double v[MOST_BALLS * WIDTH];
    memcpy(v, s->free, sizeof v);
    for (int k = 0; k < s->contacts; k++)
        for (int b = 0; b < s->contact[k].A_count; b++)
            for (int j = 0; j < WIDTH; j++)
                for (int r = 0; r < ROWS; r++)
                    v[s->contact[k].A[b].at + j] += s->contact[k].A[b].values[j * ROWS + r] * s->contact[k].p[r];
    for (int i = 0; i < s->balls * WIDTH; i++)
        assert_near(s->v[i], v[i], 1e-12);
    for (int k = 0; k < s->contacts; k++) {
        const tn_sweep_contact *c = &s->contact[k];
        double w[ROWS] = { c->shift }, friction = tn_norm2(2, c->p + 1);
        for (int b = 0; b < c->J_count; b++)
            for (int j = 0; j < WIDTH; j++)
                for (int r = 0; r < ROWS; r++)
                    w[r] += c->J[b].values[j * ROWS + r] * v[c->J[b].at + j];
        double slip = tn_norm2(2, w + 1);
        assert_true(c->p[0] >= 0 && friction <= c->mu * c->p[0] * (1 + 1e-14));
        assert_true(w[0] >= -most);
        assert_true(fmin(w[0], c->W[0][0] * c->p[0]) <= most);
        assert_true(fmin(slip, c->W[1][1] * (c->mu * c->p[0] - friction)) <= most);   /* sticks, or at the edge */
        for (int i = 1; i < ROWS; i++)                                                  /* and against the slip */
            if (slip > most)
                assert_near(c->p[i] * slip, -c->mu * c->p[0] * w[i], 4 * most * c->mu * c->p[0] + most * slip / c->W[1][1]);
    }
}

static tn_sweep_result solve_scene(scene *s)
{
    static double work[40 * ROWS * MOST_CONTACTS];
    tn_context *context = tn_context_create(NULL);
    tn_cone_newton *newton;
    assert_int_equal(tn_cone_newton_create(&newton, context), TN_OK);
    assert_true(tn_sweeps_doubles((long)ROWS * s->contacts) <= (long)(sizeof work / sizeof *work));
    tn_sweeps_prepare(s->contact, s->contacts);
    memcpy(s->v, s->free, sizeof s->v);
    tn_sweep_result result = tn_sweeps_solve(s->v, s->free, s->contact, s->list, s->contacts, 4e-9, 12, work, newton);
    tn_cone_newton_destroy(newton);
    tn_context_destroy(context);
    return result;
}

/* Balls that lie upon each other in a box, in layers, and have fallen for 4 ms; those of two seeds in three have velocities of
 * their own. Solves their contacts. */
static void check_layers(uint32_t seed, uint32_t random, double mu)
{
    scene *s = &the_scene;
    double h = 0.004, speed = seed % 3 == 0 ? 0 : between(&random, 0.01, 1);
    *s = (scene){ .balls = 75 };
    for (int b = 0; b < s->balls; b++) {
        int layer = b / 25;
        double in_row = layer % 2 ? 0.01 : 0;
        s->place[b][0] = (b % 5 - 2) * 0.1 + in_row;
        s->place[b][1] = (b / 5 % 5 - 2) * 0.1 + in_row;
        s->place[b][2] = RADIUS + layer * sqrt(0.01 - 2 * 0.01 * 0.01);
        random_vector(&random, 3, speed, s->free + b * WIDTH);
        random_vector(&random, 3, speed / RADIUS, s->free + b * WIDTH + 3);
        s->free[b * WIDTH + 2] -= 9.81 * h;
    }
    find_touches(s, 0.26, mu, h);
    assert_true(s->contacts > 150);
    tn_sweep_result result = solve_scene(s);
    assert_true(result.residual <= 1e-8);
    check_laws(s, 1e-8 * 4 * fmax(speed, 0.5));
}

static void test_heaps_of_balls(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        uint32_t random = seed;
        double mu = between(&random, 0.1, 0.9);
        check_layers(seed, random, mu);
    }
}

/* The path of the interior point method turns back in these. */
static void test_turning_paths(void **state)
{
    (void)state;
    const uint32_t seeds[] = { 67, 82, 83, 91, 247 };
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++)
        check_layers(seeds[k], seeds[k], 0.5);
}

/* A heap at rest is solved from the impulses of the last step, for which its weight has changed a little, by a few
 * factorizations; from the solution itself by none. */
static void test_next_step(void **state)
{
    (void)state;
    scene *s = &the_scene;
    *s = (scene){ .balls = 75 };
    for (int b = 0; b < s->balls; b++) {
        double in_row = b / 25 % 2 ? 0.01 : 0;
        s->place[b][0] = (b % 5 - 2) * 0.1 + in_row;
        s->place[b][1] = (b / 5 % 5 - 2) * 0.1 + in_row;
        s->place[b][2] = RADIUS + b / 25 * sqrt(0.01 - 2 * 0.01 * 0.01);
        s->free[b * WIDTH + 2] = -0.04;
    }
    find_touches(s, 0.26, 0.5, 0.004);
    assert_true(solve_scene(s).residual <= 4e-9);
    tn_sweep_result again = solve_scene(s);
    assert_true(again.residual <= 4e-9);
    assert_int_equal(again.newton, 0);
    for (int b = 0; b < s->balls; b++)
        s->free[b * WIDTH + 2] *= 1 + 0.001 * (b % 7);
    tn_sweep_result next = solve_scene(s);
    assert_true(next.residual <= 4e-9);
    assert_in_range(next.newton, 1, 5);
    check_laws(s, 1e-8);
}

/* A tower of balls: each bears the weight of those above. */
static void test_tower(void **state)
{
    (void)state;
    scene *s = &the_scene;
    *s = (scene){ .balls = 40 };
    for (int b = 0; b < s->balls; b++) {
        s->place[b][2] = RADIUS * (1 + 2 * b);
        s->free[b * WIDTH + 2] = -0.01;
    }
    find_touches(s, 1, 0.5, 0.001);
    assert_int_equal(s->contacts, s->balls);
    tn_sweep_result result = solve_scene(s);
    assert_true(result.residual <= 4e-9);
    for (int k = 0; k < s->contacts; k++)
        assert_near(s->contact[k].p[0], 0.01 * MASS * (s->balls - k), 1e-8);
    for (int i = 0; i < s->balls * WIDTH; i++)
        assert_near(s->v[i], 0, 1e-9);
}

/* A ball that slides on the floor under others that press it: sliding ends where the momentum is used up. */
static void test_slide(void **state)
{
    (void)state;
    scene *s = &the_scene;
    *s = (scene){ .balls = 1 };
    s->place[0][2] = RADIUS;
    s->free[0] = 3;
    s->free[2] = -2;
    find_touches(s, 1, 0.25, 0.001);
    assert_int_equal(s->contacts, 1);
    solve_scene(s);
    assert_near(s->contact[0].p[0], 2, 1e-12);
    assert_near(s->v[0], 3 - 0.25 * 2, 1e-12);
    assert_near(s->v[4], RADIUS * 0.25 * 2 / INERTIA, 1e-10);     /* friction turns it forwards */
    check_laws(s, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_lu),
        cmocka_unit_test(test_heaps_of_balls),
        cmocka_unit_test(test_turning_paths),
        cmocka_unit_test(test_next_step),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
