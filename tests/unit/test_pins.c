/* Pins in closed form against what they stand for: their equations from the text, and their rows in the solver, on
 * random mechanisms of all shapes. */
#include "saddle_problem.h"
#include "specimen.h"

/* Relative; poses are random, so pivots are smaller than those of good mechanisms. */
static const double SAME = 1e-9;

/* ---- equations ---- */

static void evaluate(specimen *s)
{
    tn_eval_motion(s->e, s->system, s->t, s->q, s->v);
    tn_eval_constraints(s->e, s->system, s->memory, 2, true);
}

static void keep(const specimen *s, double *rows, double *G)
{
    const double *const parts[] = { s->e->g, s->e->gdot, s->e->bias };
    for (int k = 0; k < 3; k++)
        memcpy(rows + k * s->system->rows, parts[k], (size_t)s->system->rows * sizeof(double));
    memcpy(G, s->e->G, s->system->jacobian_size * sizeof(double));
}

static bool compare_with_text(const tn_joint_type *type, int dimension, layout bodies)
{
    specimen s = { .type = type, .dimension = dimension, .layout = bodies, .whole = tn_pose_identity(), .random = 5 };
    assert_int_equal(specimen_open(&s, false), TN_OK);
    bool pin = s.system->pin_kind[0] != TN_PIN_NONE;
    for (int n = 0; n < 10 && pin; n++) {
        double rows[2][3 * MOST], G[2][TN_JOINT_ROWS * 12];
        unsigned char kind = s.system->pin_kind[0];
        random_state(&s);
        evaluate(&s);
        keep(&s, rows[0], G[0]);
        s.system->pin_kind[0] = TN_PIN_NONE;
        evaluate(&s);
        keep(&s, rows[1], G[1]);
        s.system->pin_kind[0] = kind;
        for (int i = 0; i < 3 * s.system->rows; i++)
            assert_near(rows[0][i], rows[1][i], 1e-13);
        for (size_t i = 0; i < s.system->jacobian_size; i++)
            assert_near(G[0][i], G[1][i], 1e-14);
    }
    specimen_close(&s);
    return pin;
}

static void test_equations(void **state)
{
    (void)state;
    int pins = 0;
    for (int k = 0; tn_joint_types[k]; k++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            const tn_joint_type *type = tn_joint_types[k];
            const tn_joint_form *form = dimension == 2 ? &type->planar : &type->spatial;
            for (layout bodies = 0; bodies < LAYOUTS && type->joints == 0 && form->equations[0]; bodies++)
                pins += compare_with_text(type, dimension, bodies);
        }
    assert_true(pins >= 3 * LAYOUTS);                  /* revolute in both dimensions, spherical */
}

/* ---- solver ---- */

typedef struct mechanism {
    specimen s;
    tn_id ids[24];
    tn_pose poses[24];
    int bodies, joints;
} mechanism;

static void mechanism_open(mechanism *m, int dimension, int bodies, uint32_t seed)
{
    *m = (mechanism){ .s = { .dimension = dimension, .whole = tn_pose_identity(), .random = seed }, .bodies = bodies };
    specimen_begin(&m->s);
    for (int k = 0; k < bodies; k++)
        m->ids[k] = add_random_body(&m->s, k, &m->poses[k]);
}

/* A joint where its bodies are; -1 is ground. Every fourth one is no pin. */
static void join(mechanism *m, int one, int two, const char *type)
{
    static const char *const planar[] = { "revolute", "revolute", "revolute", "pin-in-slot" };
    static const char *const spatial[] = { "revolute", "spherical", "revolute", "universal" };
    const char *name = m->s.dimension == 2 ? planar[m->joints % 4] : spatial[m->joints % 4];
    tn_joint_def def = tn_joint_default(type ? type : name);
    tn_pose world = random_pose(&m->s, 1, 1.5);
    char label[16];
    tn_id id;
    def.body1 = one < 0 ? tn_model_ground(m->s.model) : m->ids[one];
    def.body2 = two < 0 ? tn_model_ground(m->s.model) : m->ids[two];
    assert_int_equal(tn_joint_as_built(&def, m->s.model, &world), TN_OK);
    snprintf(label, sizeof label, "j%d", m->joints++);
    assert_int_equal(tn_model_add_joint(&id, m->s.model, label, &def), TN_OK);
}

/* One more joint like the last, at the same place: redundant. */
static void repeat_last(mechanism *m)
{
    tn_id id = tn_model_at(m->s.model, TN_KIND_JOINT, (size_t)m->joints - 1);
    const tn_joint *last = &m->s.model->joints[id.index];
    tn_joint_def def = tn_joint_default(last->type->name);
    def.body1 = last->body1 == 0 ? tn_model_ground(m->s.model) : m->ids[last->body1 - 1];
    def.body2 = last->body2 == 0 ? tn_model_ground(m->s.model) : m->ids[last->body2 - 1];
    def.frame1 = last->frame1;
    def.frame2 = last->frame2;
    m->joints++;
    assert_int_equal(tn_model_add_joint(&id, m->s.model, "again", &def), TN_OK);
}

typedef struct solution {
    double a[MOST], lambda[MOST];
    tn_saddle_info info;
} solution;

static void solve(const specimen *s, const tn_structure *structure, const double *f, const double *u, solution *out)
{
    const tn_solver_type *direct = tn_solver_types[0];
    tn_saddle *k = NULL;
    assert_int_equal(direct->analyze(&k, s->context, structure), TN_OK);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(direct->factor(k, s->e->M, s->e->G, pass ? TN_RANK_KEEP : TN_RANK_DECIDE), TN_OK);
        assert_int_equal(direct->solve(k, f, u, out->a, out->lambda), TN_OK);
    }
    direct->info(k, &out->info);
    direct->destroy(k);
}

/* Resultant of the multipliers on the bodies: unique, though with redundant rows they are not themselves. */
static void resultant(const specimen *s, const double *lambda, double *out)
{
    static double G[MOST * MOST];
    const tn_system *sys = s->system;
    dense_rows(&sys->structure, s->e->G, G);
    memset(out, 0, (size_t)sys->velocities * sizeof(double));
    for (int i = 0; i < sys->rows; i++)
        for (int j = 0; j < sys->velocities; j++)
            out[j] += G[i * sys->velocities + j] * lambda[i];
}

static double largest(int n, const double *x)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void compare(mechanism *m)
{
    static double G[MOST * MOST];
    specimen *s = &m->s;
    double wish[MOST], f[MOST], u[MOST], expected[MOST], forces[2][MOST];
    solution closed, rows;
    assert_int_equal(specimen_compile(s), TN_OK);
    const tn_system *sys = s->system;
    tn_structure plain = sys->structure, pinned = sys->structure;
    evaluate(s);
    random_vector(&s->random, sys->velocities, 1, f);
    random_vector(&s->random, sys->velocities, 1, wish);
    dense_rows(&plain, s->e->G, G);
    dense_times(G, sys->rows, sys->velocities, wish, u);
    pinned.pin_kind = sys->pin_kind;
    pinned.pins = s->e->pins;
    solve(s, &plain, f, u, &rows);
    solve(s, &pinned, f, u, &closed);
    int rank = dense_saddle(&plain, s->e->M, s->e->G, f, u, expected);
    assert_int_equal(rows.info.rank, rank);
    assert_int_equal(closed.info.rank, rank);
    double size = largest(sys->velocities, expected);
    resultant(s, rows.lambda, forces[0]);
    resultant(s, closed.lambda, forces[1]);
    double load = largest(sys->velocities, forces[0]);
    for (int j = 0; j < sys->velocities; j++) {
        assert_near(rows.a[j], expected[j], SAME * size);
        assert_near(closed.a[j], expected[j], SAME * size);
        assert_near(forces[1][j], forces[0][j], SAME * load);
    }
    specimen_close(s);
}

typedef void (*shape)(mechanism *m);

static void chain(mechanism *m)
{
    join(m, -1, 0, NULL);
    for (int k = 1; k < m->bodies; k++)
        join(m, k % 2 ? k : k - 1, k % 2 ? k - 1 : k, NULL);   /* either body may be the first */
}

static void floating_chain(mechanism *m)
{
    for (int k = 1; k < m->bodies; k++)
        join(m, k - 1, k, NULL);
}

static void star(mechanism *m)
{
    for (int k = 1; k < m->bodies; k++)
        join(m, k % 2 ? 0 : k, k % 2 ? k : 0, NULL);
    join(m, 0, -1, NULL);
}

static void tree(mechanism *m)
{
    join(m, -1, 0, NULL);
    for (int k = 1; k < m->bodies; k++)
        join(m, (k - 1) / 2, k, NULL);
}

static void ring(mechanism *m)
{
    for (int k = 0; k < m->bodies; k++)
        join(m, k, (k + 1) % m->bodies, NULL);
}

static void ladder(mechanism *m)
{
    for (int k = 0; k + 1 < m->bodies; k += 2) {
        join(m, -1, k, "revolute");
        join(m, k, k + 1, NULL);
        if (k > 0)
            join(m, k - 1, k, NULL);
    }
}

static void doors(mechanism *m)
{
    chain(m);
    repeat_last(m);
}

static void test_solver(void **state)
{
    (void)state;
    static const shape shapes[] = { chain, floating_chain, star, tree, ring, ladder, doors };
    static mechanism m;
    for (size_t k = 0; k < TN_LENGTH(shapes); k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (uint32_t seed = 1; seed <= 5; seed++)
                for (int bodies = 2; bodies <= 18; bodies += 4) {
                    mechanism_open(&m, dimension, bodies, seed);
                    shapes[k](&m);
                    compare(&m);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equations),
        cmocka_unit_test(test_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
