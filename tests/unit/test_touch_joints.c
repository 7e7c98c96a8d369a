/* The joint types of touches say what the geometry says: gaps, their rates, and the velocity of what touches. */
#include "draft.h"
#include "system.h"
#include "touch_world.h"
#include <string.h>

enum { MOST = 16 };

typedef struct compiled {
    tn_model *model;
    tn_system *system;
    tn_arena *arena;
    tn_eval *e;
    double q[MOST], v[MOST];
} compiled;

/* A copy of the world's model, with the bodies where they are and the touch held by a joint. */
static void compile(compiled *c, const touch_world *w, const tn_touch *touch, bool sticks)
{
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, tn_touch_joint(touch->kind, sticks));
    assert_int_equal(tn_model_clone(&c->model, w->model), TN_OK);
    for (int i = 1; i < 3; i++) {
        c->model->bodies[i].pose = w->poses[i];
        c->model->bodies[i].placed = true;
    }
    draft.def.body1 = tn_model_at(c->model, TN_KIND_BODY, touch->key.body1 - 1);
    draft.def.body2 = tn_model_at(c->model, TN_KIND_BODY, touch->key.body2 - 1);
    draft.def.frame1 = touch->frame1;
    draft.def.frame2 = touch->frame2;
    draft.settings[draft.def.setting_count++] = (tn_setting){ "radius", touch->radius };
    if (sticks && touch->kind != TN_TOUCH_OVAL && touch->kind != TN_TOUCH_SMOOTH)
        draft.settings[draft.def.setting_count++] = (tn_setting){ "radius2", touch->radius2 };
    static const char *const sizes[TN_TOUCH_KINDS][4] = { [TN_TOUCH_RIM] = { "rim" }, [TN_TOUCH_RING] = { "rim" },
                                                          [TN_TOUCH_ELLIPSOID] = { "a", "b", "c" }, [TN_TOUCH_HOLLOW] = { "along" },
                                                          [TN_TOUCH_OVAL] = { "a", "b", "c", "lead" }, [TN_TOUCH_CONE] = { "sine" },
                                                          [TN_TOUCH_SMOOTH] = { "c1", "s1", "c2", "s2" },
                                                          [TN_TOUCH_BORE_RIM] = { "rim", "lead1", "lead2" },
                                                          [TN_TOUCH_BOWL_RIM] = { "rim" },
                                                          [TN_TOUCH_EYE] = { "rim", "lead1", "lead2" } };
    for (int k = 0; k < 4 && sizes[touch->kind][k]; k++)
        draft.settings[draft.def.setting_count++] = (tn_setting){ sizes[touch->kind][k], touch->size[k] };
    assert_int_equal(tn_model_add_joint(NULL, c->model, "hold", &draft.def), TN_OK);
    assert_int_equal(tn_system_create(&c->system, c->model), TN_OK);
    c->arena = tn_arena_create(w->context);
    assert_int_equal(tn_eval_create(&c->e, c->system, c->arena, false), TN_OK);
    assert_true(c->system->positions <= MOST);
    assert_int_equal(tn_system_start(c->system, c->q, c->v), TN_OK);
}

static void release(compiled *c)
{
    tn_arena_destroy(c->arena);
    tn_system_destroy(c->system);
    tn_model_destroy(c->model);
}

static void evaluate(compiled *c)
{
    double memory[MOST] = { 0 };
    tn_eval_motion(c->e, c->system, 0, c->q, c->v);
    tn_eval_constraints(c->e, c->system, memory, 2, true);
}

/* Velocity of a body's material at a point; origins are centres of mass. */
static void material_velocity(double out[3], const compiled *c, const touch_world *w, uint32_t slot, int dimension,
                              const double point[3])
{
    const tn_sys_body *body = &c->system->bodies[c->system->body_of[slot]];
    double arm[3], spin[3] = { 0, 0, c->v[body->v + 2] }, linear[3] = { 0 };
    memcpy(linear, c->v + body->v, (size_t)dimension * sizeof *linear);
    if (dimension == 3)
        tn_copy3(spin, c->v + body->v + 3);
    tn_sub3(arm, point, w->poses[slot].p);
    tn_cross3(out, spin, arm);
    tn_add3(out, out, linear);
}

static void slip_velocity(double out[3], const compiled *c, const touch_world *w, const tn_touch *touch, int dimension)
{
    double one[3];
    material_velocity(one, c, w, touch->key.body1, dimension, touch->point);
    material_velocity(out, c, w, touch->key.body2, dimension, touch->point);
    tn_sub3(out, out, one);
}

/* Normal row: the gap and the normal part of the slip; other rows: what is across. */
static void check_rows(compiled *c, const touch_world *w, const tn_touch *touch, int dimension, uint32_t *seed)
{
    double slip[3], across = 0;
    random_vector(seed, c->system->velocities, 1, c->v);
    evaluate(c);
    slip_velocity(slip, c, w, touch, dimension);
    double along = tn_dot3(slip, touch->normal);
    assert_near(c->e->g[0], touch->gap, 1e-12);
    assert_near(c->e->gdot[0], along, 1e-11);
    if (c->system->rows == 1)
        return;
    assert_int_equal(c->system->rows, dimension);
    for (int i = 1; i < dimension; i++)
        across += c->e->gdot[i] * c->e->gdot[i];
    tn_axpy3(slip, -along, touch->normal);
    assert_near(sqrt(across), tn_norm3(slip), 1e-10);
}

/* The gap of the same features elsewhere, by the joint and by the geometry. */
static void check_elsewhere(compiled *c, touch_world *w, tn_touch touch, int dimension, uint32_t *seed)
{
    double step[MOST];
    random_vector(seed, c->system->velocities, 0.1, step);
    tn_position_move(c->system, c->q, step, c->q);
    for (int i = 1; i < 3; i++) {
        double phi[3] = { 0, 0, 0 }, turn[4], q[4];
        const double *s = step + c->system->bodies[c->system->body_of[i]].v;
        for (int k = 0; k < dimension; k++)
            w->poses[i].p[k] += s[k];
        if (dimension == 3)
            tn_copy3(phi, s + 3);
        else
            phi[2] = s[2];
        tn_quat_exp(turn, phi);
        tn_quat_mul(q, turn, w->poses[i].q);
        memcpy(w->poses[i].q, q, sizeof q);
    }
    tn_touch_move(&touch, dimension, &w->poses[touch.key.body1], &w->poses[touch.key.body2]);
    evaluate(c);
    assert_near(c->e->g[0], touch.gap, 1e-11);
}

static void check_touch(touch_world *w, size_t index, int dimension, uint32_t *seed)
{
    tn_touch touch = w->list[index];
    tn_pose poses[3];
    memcpy(poses, w->poses, sizeof poses);
    for (int sticks = 0; sticks < 2; sticks++) {
        compiled c;
        compile(&c, w, &touch, sticks);
        check_rows(&c, w, &touch, dimension, seed);
        check_elsewhere(&c, w, touch, dimension, seed);
        release(&c);
        memcpy(w->poses, poses, sizeof poses);
    }
}

/* ---- the second derivative of the gap ---- */

/* Moves the bodies from these poses for a time with constant velocities; finds the gap of the same features there. False: they are not near any more. */
static bool gap_after(double *gap, touch_world *w, const tn_pose from[3], const compiled *c, const tn_touch *touch, double time)
{
    for (int i = 1; i < 3; i++) {
        const double *v = c->v + c->system->bodies[c->system->body_of[i]].v;
        double phi[3], turn[4];
        w->poses[i] = from[i];
        tn_axpy3(w->poses[i].p, time, v);
        for (int k = 0; k < 3; k++)
            phi[k] = time * v[3 + k];
        tn_quat_exp(turn, phi);
        tn_quat_mul(w->poses[i].q, turn, from[i].q);
    }
    find_touches(w, 10);
    for (size_t k = 0; k < w->count; k++)
        if (tn_touch_key_equal(&w->list[k].key, &touch->key)) {
            *gap = w->list[k].gap;
            return w->list[k].kind == touch->kind;
        }
    return false;
}

/* The equations of a touch say how its gap changes to second order: compares with gaps that are found anew. Returns whether the
 * features stay near each other for so long. */
static bool check_bending(touch_world *w, const tn_touch *touch, uint32_t *seed)
{
    const double h = 4e-4, weights[5] = { -1, 16, -30, 16, -1 };
    tn_pose from[3];
    compiled c;
    double second = 0, gap;
    bool found = true;
    memcpy(from, w->poses, sizeof from);
    compile(&c, w, touch, false);
    random_vector(seed, c.system->velocities, 1, c.v);
    evaluate(&c);
    for (int i = 0; i < 5 && found; i++) {
        found = gap_after(&gap, w, from, &c, touch, (i - 2) * h);
        second += found ? weights[i] * gap / (12 * h * h) : 0;
    }
    if (found)
        assert_near(-c.e->bias[0], second, 1e-6 * (1 + second * second));
    release(&c);
    memcpy(w->poses, from, sizeof from);
    return found;
}

static void check_pair(int seen[TN_TOUCH_KINDS], uint32_t *seed, int dimension, form one, form two)
{
    for (int k = 0; k < 100; k++) {
        touch_world w;
        open_random(&w, seed, dimension, one, two);
        w.poses[1] = random_place(seed, dimension, 0.5);
        w.poses[2] = random_place(seed, dimension, 1.2);
        const tn_touch *touch = nearest_touch(&w, 10);
        if (touch && touch->gap + touch->radius > 0.05) {      /* not where directions are hardly defined */
            seen[touch->kind]++;
            check_touch(&w, (size_t)(touch - w.list), dimension, seed);
        }
        close_world(&w);
    }
}

/* Touches from inside: small shapes, leaning a little, in a tube (in space: bore and edges) or a bowl. */
static void check_hollow(int seen[TN_TOUCH_KINDS], int *lost, uint32_t *seed, int dimension, form kind)
{
    for (int k = 0; k < 60; k++) {
        touch_world w = { .shapes = { tn_shape_default(k % 2 ? TN_SHAPE_TUBE : TN_SHAPE_BOWL) } };
        const double tube[3] = { 0.6, 0.7, 0.5 };
        double phi[3] = { 0 };
        tn_copy3(w.shapes[0].size, tube);
        if (dimension == 2 && k % 2 == 0)
            w.shapes[0].pose = tn_pose_z(w.shapes[0].pose.p, (double[]){ 0, 1, 0 });
        w.shapes[1] = random_shape(seed, dimension, kind, w.corners[1]);
        for (int i = 0; i < 3; i++)
            w.shapes[1].size[i] *= i == 1 && kind != TORUS && dimension == 3 ? 1.5 : 0.3;
        w.shapes[1].pose = dimension == 3 || kind != CAPSULE ? tn_pose_identity() : w.shapes[1].pose;
        open_world(&w, dimension, 0);
        random_vector(seed, dimension, 0.15, w.poses[2].p);
        random_vector(seed, 3, 0.3, phi);
        if (dimension == 2)
            phi[0] = phi[1] = 0;
        tn_quat_exp(w.poses[2].q, phi);
        find_touches(&w, 10);
        size_t count = w.count;
        for (size_t i = 0; i < count; i++, find_touches(&w, 10)) {
            const double across[2] = { w.poses[2].p[0], w.poses[2].p[1] };
            if (w.list[i].kind < TN_TOUCH_HOLLOW || tn_norm3(w.poses[2].p) < 0.05 || hypot(across[0], across[1]) < 0.05)
                continue;                              /* not where directions are hardly defined */
            seen[w.list[i].kind]++;
            check_touch(&w, i, dimension, seed);
            find_touches(&w, 10);
            const tn_touch touch = w.list[i];
            *lost += dimension == 3 && !check_bending(&w, &touch, seed);
        }
        close_world(&w);
    }
}

static void test_joints_of_touches(void **state)
{
    (void)state;
    static const form others[] = { BALL, BOX, HALF_SPACE };
    uint32_t seed = 1;
    int seen[TN_TOUCH_KINDS] = { 0 }, lost = 0, all = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= BOX; one++)
            for (form two = BALL; two <= HALF_SPACE; two++)
                check_pair(seen, &seed, dimension, one, two);
    for (form one = CYLINDER; one <= ELLIPSOID; one++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            check_pair(seen, &seed, 3, one, others[i]);
    for (form one = CAPSULE; one <= ELLIPSOID; one++)
        if (one != HALF_SPACE && one != POLYGON && one != TORUS)
            check_pair(seen, &seed, 3, one, ELLIPSOID);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= BOX; one++)
            check_hollow(seen, &lost, &seed, dimension, one);
    for (form one = CYLINDER; one <= TORUS; one++)
        check_hollow(seen, &lost, &seed, 3, one);
    for (int kind = 0; kind < TN_TOUCH_KINDS; kind++) {
        assert_true(seen[kind] > 10);
        all += seen[kind];
    }
    assert_true(lost < 0.02 * all);
}

/* All touches of two shapes in random places. Returns how many stayed. */
static int bend_pair(uint32_t *seed, form one, form two, int *lost)
{
    int stayed = 0;
    for (int k = 0; k < 20; k++) {
        touch_world w;
        open_random(&w, seed, 3, one, two);
        w.poses[1] = random_place(seed, 3, 0.5);
        w.poses[2] = random_place(seed, 3, 1.2);
        find_touches(&w, 10);
        for (size_t i = 0; i < w.count; i++, find_touches(&w, 10)) {
            const tn_touch touch = w.list[i];
            if (!(touch.gap > 0.05))                   /* not where directions are hardly defined */
                continue;
            bool found = check_bending(&w, &touch, seed);
            stayed += found;
            *lost += !found;
        }
        close_world(&w);
    }
    return stayed;
}

/* Any two shapes. Features change within the time of the differences now and then. */
static void test_second_derivatives(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int all = 0, lost = 0;
    for (form one = BALL; one < FORMS; one++)
        for (form two = BALL; two < FORMS; two++) {
            if (one == POLYGON || two == POLYGON || (one == HALF_SPACE && two == HALF_SPACE))
                continue;
            int stayed = bend_pair(&seed, one, two, &lost);
            assert_true(stayed >= 3);
            all += stayed;
        }
    assert_true(lost < 0.02 * all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_of_touches), cmocka_unit_test(test_second_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
