/* Guided bodies in the solver "direct": accelerations, multipliers and rank are those of a dense solution, where they
 * are eliminated in closed form and where joint or pin do not allow that. */
#include "front.h"
#include "mem.h"
#include "near.h"
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { CARRIERS = 2, GUIDED = 4, BODIES = CARRIERS + GUIDED + 1, CONSTRAINTS = 2 * GUIDED + 2 };
enum { SIZE = 100, SEEDS = 300 };
static const double SAME = 1e-9;

/* Two bodies that a pin joins, bodies on each that a joint holds to ground, and a body that hangs on one of those. */
typedef struct mechanism {
    int width;
    int body_column[BODIES + 1], constraint_row[CONSTRAINTS + 1], block_begin[CONSTRAINTS + 1];
    int block_body[2 * CONSTRAINTS];
    size_t mass_offset[BODIES], block_offset[2 * CONSTRAINTS];
    unsigned char pin_kind[CONSTRAINTS];
    tn_pin pins[CONSTRAINTS];
    double column_scale[6 * BODIES];
    double M[36 * BODIES], G[60 * CONSTRAINTS], f[6 * BODIES], u[6 * CONSTRAINTS];
    tn_structure structure;
} mechanism;

static unsigned long seed;

static double number(void)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(seed >> 11) / (double)(1UL << 52) - 1;
}

static void add_constraint(mechanism *m, int constraint, int rows, tn_pin_kind kind, int body1, int body2)
{
    int at = m->block_begin[constraint];
    m->constraint_row[constraint + 1] = m->constraint_row[constraint] + rows;
    m->pin_kind[constraint] = (unsigned char)kind;
    m->pins[constraint].body1 = body1;
    m->pins[constraint].body2 = body2;
    for (int k = 0; k < 2; k++) {
        const int body = k == 0 ? body1 : body2;
        if (body < 0)
            continue;
        m->block_body[at] = body;
        m->block_offset[at] = at == 0 ? 0 : m->block_offset[at - 1] + 30;
        at++;
    }
    m->block_begin[constraint + 1] = at;
}

static void begin(mechanism *m, bool planar, tn_pin_kind kind, int joint_rows)
{
    const int pin_rows = tn_pin_rows(kind, planar);
    memset(m, 0, sizeof *m);
    m->width = planar ? 3 : 6;
    for (int b = 0; b < BODIES; b++) {
        m->body_column[b + 1] = m->body_column[b] + m->width;
        m->mass_offset[b] = (size_t)(36 * b);
    }
    for (int j = 0; j < 6 * BODIES; j++)
        m->column_scale[j] = j % m->width < (planar ? 2 : 3) ? 1 : 0.5;
    for (int k = 0; k < GUIDED; k++) {
        const int body = CARRIERS + k, carrier = k % CARRIERS;
        add_constraint(m, 2 * k, joint_rows, TN_PIN_NONE, -1, body);
        add_constraint(m, 2 * k + 1, pin_rows, kind, k < 2 ? body : carrier, k < 2 ? carrier : body);
    }
    add_constraint(m, 2 * GUIDED, tn_pin_rows(TN_PIN_BALL, planar), TN_PIN_BALL, 0, 1);
    add_constraint(m, 2 * GUIDED + 1, tn_pin_rows(TN_PIN_BALL, planar), TN_PIN_BALL, CARRIERS, BODIES - 1);
    m->structure = (tn_structure){ .bodies = BODIES, .body_column = m->body_column, .mass_offset = m->mass_offset,
                                   .constraints = CONSTRAINTS, .constraint_row = m->constraint_row,
                                   .block_begin = m->block_begin, .block_body = m->block_body,
                                   .block_offset = m->block_offset, .pin_kind = m->pin_kind, .pins = m->pins,
                                   .column_scale = m->column_scale };
}

static void turn_pin(tn_pin *pin, bool planar)
{
    for (int k = 0; k < (planar ? 2 : 3); k++) {
        pin->s1[k] = number();
        pin->s2[k] = number();
    }
    const double angle = 3 * number(), tilt = number();
    const double n1[3] = { cos(angle), sin(angle), 0 };
    const double n2[3] = { -sin(angle) * cos(tilt), cos(angle) * cos(tilt), sin(tilt) };
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        pin->n[0][k] = n1[k];
        pin->n[1][k] = n2[k];
        pin->z[k] = n1[a] * n2[b] - n1[b] * n2[a];
    }
}

/* The rows of pins in G, for the dense solution. */
static void write_pins(mechanism *m)
{
    for (int c = 0; c < CONSTRAINTS; c++)
        for (int at = m->block_begin[c]; at < m->block_begin[c + 1] && m->pin_kind[c] != TN_PIN_NONE; at++)
            tn_pin_write(m->G + m->block_offset[at], &m->pins[c], (tn_pin_kind)m->pin_kind[c], m->width == 3,
                         m->block_body[at] == m->pins[c].body2 ? 1 : -1);
}

static void fill(mechanism *m)
{
    const int w = m->width;
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < w; i++)
            for (int j = 0; j <= i; j++)
                m->M[36 * b + i * w + j] = m->M[36 * b + j * w + i] = i == j ? 2 + number() : 0.2 * number();
    for (int c = 0; c < CONSTRAINTS; c++) {
        turn_pin(&m->pins[c], w == 3);
        for (int k = 0; k < 30; k++)
            m->G[m->block_offset[m->block_begin[c]] + (size_t)k] = number();
    }
    for (int j = 0; j < 6 * BODIES; j++)
        m->f[j] = number();
    for (int i = 0; i < 6 * CONSTRAINTS; i++)
        m->u[i] = number();
    write_pins(m);
}

/* [M -G'; G 0] (a, lambda) = (f, u), of least length where it is singular. Returns the rank of G. */
static int solve_dense(const mechanism *m, double *x)
{
    static double K[SIZE * SIZE], sigma[SIZE];
    const int w = m->width, columns = m->body_column[BODIES], n = columns + m->constraint_row[CONSTRAINTS];
    lapack_int rank;
    assert_true(n <= SIZE);
    memset(K, 0, sizeof K);
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++)
                K[b * w + i + (b * w + j) * n] = m->M[36 * b + i * w + j];
    for (int c = 0; c < CONSTRAINTS; c++)
        for (int at = m->block_begin[c]; at < m->block_begin[c + 1]; at++)
            for (int r = m->constraint_row[c]; r < m->constraint_row[c + 1]; r++)
                for (int j = 0; j < w; j++) {
                    const int column = m->body_column[m->block_body[at]] + j, row = columns + r;
                    K[row + column * n] = m->G[m->block_offset[at] + (size_t)((r - m->constraint_row[c]) * w + j)];
                    K[column + row * n] = -K[row + column * n];
                }
    memcpy(x, m->f, (size_t)columns * sizeof(double));
    memcpy(x + columns, m->u, (size_t)(n - columns) * sizeof(double));
    assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, n, 1, K, n, x, n, sigma, 1e-10, &rank), 0);
    return rank - columns;
}

static int count_used(const tn_saddle *k)
{
    int used = 0;
    for (int i = 0; i < BODIES; i++)
        used += tn_guided_used(&k->fronts[i]);
    return used;
}

/* Problems nearer to singular ones than that are not compared. */
static const double WEAK = 1e-2;

/* Solutions against dense ones. lambda: it is unique. False: the problem is too weak to compare. */
static bool check(tn_saddle *k, const mechanism *m, tn_rank_rule rule, bool lambda)
{
    double a[6 * BODIES], forces[6 * CONSTRAINTS], again[6 * BODIES], x[SIZE];
    const int columns = m->body_column[BODIES], rows = m->constraint_row[CONSTRAINTS];
    double most = 1;
    tn_saddle_info info;
    assert_int_equal(tn_solver_types[0]->factor(k, m->M, m->G, rule), TN_OK);
    assert_int_equal(tn_solver_types[0]->solve(k, m->f, m->u, a, forces), TN_OK);
    tn_solver_types[0]->info(k, &info);
    if (info.weakest_pivot < WEAK)
        return false;
    assert_int_equal(info.rank, solve_dense(m, x));
    assert_int_equal(info.rows, rows);
    for (int j = 0; j < columns + (lambda ? rows : 0); j++)
        most = fmax(most, fabs(x[j]));
    for (int j = 0; j < columns; j++)
        assert_near(a[j], x[j], SAME * most * most);
    for (int i = 0; i < rows && lambda; i++)
        assert_near(forces[i], x[columns + i], SAME * most * most);
    assert_int_equal(tn_solver_types[0]->factor_solve(k, m->M, m->G, rule, m->f, m->u, again, forces), TN_OK);
    assert_memory_equal(a, again, (size_t)columns * sizeof(double));
    return true;
}

/* ---- tests ---- */

typedef struct variant {
    bool planar;
    tn_pin_kind kind;
    int joint_rows;
} variant;
/* So many that bodies have freedoms left, and rows do not depend on each other. */
static const variant variants[] = { { true, TN_PIN_BALL, 1 }, { true, TN_PIN_BALL, 2 }, { false, TN_PIN_BALL, 3 },
                                    { false, TN_PIN_BALL, 4 }, { false, TN_PIN_HINGE, 2 }, { false, TN_PIN_HINGE, 1 } };

static void test_random(void **state)
{
    (void)state;
    mechanism m;
    tn_context *context = tn_context_create(NULL);
    for (size_t v = 0; v < TN_LENGTH(variants); v++) {
        long used = 0, compared = 0;
        for (int pass = 0; pass < SEEDS; pass++) {
            tn_saddle *k = NULL;
            seed = (unsigned long)pass * 977 + v;
            begin(&m, variants[v].planar, variants[v].kind, variants[v].joint_rows);
            fill(&m);
            assert_int_equal(tn_solver_types[0]->analyze(&k, context, &m.structure), TN_OK);
            compared += check(k, &m, TN_RANK_DECIDE, true);
            used += count_used(k);
            tn_solver_types[0]->destroy(k);
        }
        assert_true(used > SEEDS * GUIDED / 2);
        assert_true(compared > SEEDS * 3 / 4);
    }
    tn_context_destroy(context);
}

/* Between decisions pins and joints turn: which rows tell the motion of a body is found anew each time. */
static void test_kept_ranks(void **state)
{
    (void)state;
    mechanism m;
    tn_context *context = tn_context_create(NULL);
    tn_saddle *k = NULL;
    begin(&m, false, TN_PIN_BALL, 4);
    seed = 5;
    fill(&m);
    assert_int_equal(tn_solver_types[0]->analyze(&k, context, &m.structure), TN_OK);
    assert_true(check(k, &m, TN_RANK_DECIDE, true));
    assert_true(count_used(k) > 0);
    for (int pass = 0; pass < 20; pass++) {
        for (int c = 0; c < 2 * GUIDED; c += 2)
            for (int i = 0; i < 24; i++)
                m.G[m.block_offset[m.block_begin[c]] + (size_t)i] += 0.05 * number();
        for (int c = 1; c < CONSTRAINTS; c += 2)
            for (int j = 0; j < 3; j++)
                m.pins[c].s1[j] += 0.05 * number();
        write_pins(&m);
        assert_true(check(k, &m, TN_RANK_KEEP, true));
    }
    tn_solver_types[0]->destroy(k);
    tn_context_destroy(context);
}

/* Rows of a joint that depend on each other, and a pin that does not tell what the joint leaves: such bodies are not
 * guided, until another decision finds that they are. */
static void test_bodies_that_are_not_guided(void **state)
{
    (void)state;
    mechanism m;
    tn_context *context = tn_context_create(NULL);
    tn_saddle *k = NULL;
    begin(&m, false, TN_PIN_BALL, 4);
    seed = 11;
    fill(&m);
    assert_int_equal(tn_solver_types[0]->analyze(&k, context, &m.structure), TN_OK);
    assert_true(check(k, &m, TN_RANK_DECIDE, true));
    const int all = count_used(k);
    double kept[24], *joint = m.G + m.block_offset[m.block_begin[2]];
    memcpy(kept, joint, sizeof kept);
    memcpy(joint + 6, joint, 6 * sizeof(double));              /* two rows are the same, */
    m.u[m.constraint_row[2] + 1] = m.u[m.constraint_row[2]];   /* and ask for the same */
    assert_true(check(k, &m, TN_RANK_DECIDE, false));
    assert_int_equal(count_used(k), all - 1);
    static const double axis[24] = { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0 };
    memcpy(joint, axis, sizeof axis);          /* slides along z, turns about z; the pin is on that axis */
    m.pins[3].s1[0] = m.pins[3].s1[1] = m.pins[3].s2[0] = m.pins[3].s2[1] = 0;
    write_pins(&m);
    assert_true(check(k, &m, TN_RANK_DECIDE, true));
    assert_int_equal(count_used(k), all - 1);
    m.pins[3].s1[0] = m.pins[3].s2[0] = 0.7;
    write_pins(&m);
    assert_true(check(k, &m, TN_RANK_DECIDE, true));
    assert_int_equal(count_used(k), all);
    tn_solver_types[0]->destroy(k);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_kept_ranks),
        cmocka_unit_test(test_bodies_that_are_not_guided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
