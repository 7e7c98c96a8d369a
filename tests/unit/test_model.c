/* The model's tables: ids, names, removal, poses, and memory that runs out. */
#include "model_world.h"

#include "vec.h"

static const double pi = 3.14159265358979323846;

static void assert_same_id(tn_id a, tn_id b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void test_lookup(void **state)
{
    tn_model *model = ((fixture *)*state)->space;
    tn_id crank = add_brick(model, "crank"), rod = add_brick(model, "rod"), tip;
    tn_pose pose = tn_pose_identity();
    assert_int_equal(tn_model_add_frame(&tip, model, crank, "tip", &pose), TN_OK);
    assert_int_equal(tn_model_add_frame(NULL, model, rod, "tip", &pose), TN_OK);
    assert_int_equal(tn_model_add_frame(NULL, model, tn_model_ground(model), "base", &pose), TN_OK);
    tn_id pivot = add_hinge(model, "pivot", tn_model_ground(model), crank);

    assert_same_id(tn_model_find(model, "crank"), crank);
    assert_same_id(tn_model_find(model, "crank.tip"), tip);
    assert_same_id(tn_model_find(model, "pivot"), pivot);
    assert_same_id(tn_model_find(model, "ground"), tn_model_ground(model));
    assert_int_equal(tn_model_find(model, "ground.base").kind, TN_KIND_FRAME);
    assert_int_equal(tn_model_find(model, "crank.tpi").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_count(model, TN_KIND_BODY), 2);
    assert_int_equal(tn_model_count(model, TN_KIND_FRAME), 3);
    assert_same_id(tn_model_at(model, TN_KIND_BODY, 1), rod);
    assert_int_equal(tn_model_at(model, TN_KIND_BODY, 2).kind, TN_KIND_NONE);
    assert_string_equal(tn_model_entity_name(model, tip), "tip");
    assert_string_equal(tn_model_entity_type(model, crank), "rigid");
    assert_string_equal(tn_model_entity_type(model, pivot), "hinge");
    assert_int_equal(tn_model_at(((fixture *)*state)->plane, TN_KIND_BODY, 0).kind, TN_KIND_NONE);

    const char *const names[] = { "ground", "crank", "rod", "pivot", "crank.tip", "rod.tip", "ground.base", NULL };
    for (size_t i = 0; i < TN_LENGTH(names); i++) {
        const char *candidate = tn_model_name_candidate(model, i);
        assert_true(names[i] ? candidate && strcmp(candidate, names[i]) == 0 : !candidate);
    }
}

static void test_many_names(void **state)
{
    enum { MANY = 1000 };
    tn_model *model = ((fixture *)*state)->space;
    char name[20];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "b%d", i);
        add_brick(model, name);
    }
    for (int i = 0; i < MANY; i += 3) {
        snprintf(name, sizeof name, "b%d", i);
        assert_int_equal(tn_model_remove(model, tn_model_find(model, name)), TN_OK);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "b%d", i);
        tn_id id = tn_model_find(model, name);
        if (i % 3 == 0)
            assert_int_equal(id.kind, TN_KIND_NONE);
        else
            assert_string_equal(tn_model_entity_name(model, id), name);
    }
    assert_int_equal(tn_model_count(model, TN_KIND_BODY), MANY - (MANY + 2) / 3);
    assert_string_equal(tn_model_entity_name(model, tn_model_at(model, TN_KIND_BODY, 2)), "b4");
}

static void test_removal(void **state)
{
    tn_model *model = ((fixture *)*state)->space;
    tn_id a = add_brick(model, "a"), b = add_brick(model, "b"), c = add_brick(model, "c"), tip;
    tn_pose pose = tn_pose_identity();
    assert_int_equal(tn_model_add_frame(&tip, model, b, "tip", &pose), TN_OK);
    tn_id ab = add_hinge(model, "ab", a, b), ac = add_hinge(model, "ac", a, c);
    tn_id ga = add_hinge(model, "ga", tn_model_ground(model), a);
    tn_id uses_b = add_mesh(model, "uses_b", ab, ac), keeps = add_mesh(model, "keeps", ga, ac);
    tn_id pull_b = add_spring(model, "pull_b", b), pull_c = add_spring(model, "pull_c", c);

    assert_int_equal(tn_model_remove(model, b), TN_OK);
    const tn_id gone[] = { b, tip, ab, uses_b, pull_b }, kept[] = { a, c, ac, ga, keeps, pull_c };
    for (size_t i = 0; i < TN_LENGTH(gone); i++)
        assert_null(tn_model_entity_name(model, gone[i]));
    for (size_t i = 0; i < TN_LENGTH(kept); i++)
        assert_non_null(tn_model_entity_name(model, kept[i]));
    assert_int_equal(tn_model_find(model, "b.tip").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_count(model, TN_KIND_JOINT), 3);
    assert_same_id(tn_model_at(model, TN_KIND_BODY, 1), c);
    assert_int_equal(tn_model_remove(model, b), TN_ERROR_STALE);

    tn_id reborn = add_brick(model, "b");
    assert_int_equal(reborn.index, b.index);
    assert_true(reborn.generation != b.generation);
    assert_null(tn_model_entity_name(model, b));
    assert_same_id(tn_model_at(model, TN_KIND_BODY, 1), reborn);
    assert_int_equal(tn_model_remove(model, tn_model_ground(model)), TN_ERROR_ARGUMENT);
    assert_said(((fixture *)*state)->context, "ground cannot be removed");
}

static void test_stale_ids(void **state)
{
    fixture *f = *state;
    tn_id a = add_brick(f->space, "a"), b = add_brick(f->space, "b"), j = add_hinge(f->space, "j", a, b);
    assert_int_equal(tn_model_remove(f->space, b), TN_OK);

    tn_joint_def joint = tn_joint_default("hinge");
    joint.body1 = a;
    joint.body2 = b;
    assert_int_equal(tn_model_add_joint(NULL, f->space, "x", &joint), TN_ERROR_STALE);
    assert_said(f->context, "joint 'x': body2 is gone");
    tn_pose pose = tn_pose_identity();
    assert_int_equal(tn_joint_as_built(&joint, f->space, &pose), TN_ERROR_STALE);
    assert_int_equal(tn_model_add_frame(NULL, f->space, b, "x", &pose), TN_ERROR_STALE);
    tn_force_def force = tn_force_default("spring");
    force.body2 = b;
    assert_int_equal(tn_model_add_force(NULL, f->space, "x", &force), TN_ERROR_STALE);
    tn_joint_def coupling = tn_joint_default("sum");
    coupling.terms = &(tn_coupling_term){ j, NULL, 1 };
    coupling.term_count = 1;
    assert_int_equal(tn_model_add_joint(NULL, f->space, "x", &coupling), TN_ERROR_STALE);
    double mass, com[3], inertia[6];
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, f->space, b), TN_ERROR_STALE);
    assert_int_equal(tn_model_entity_span(f->space, b).line, 0);
    assert_null(tn_model_entity_name(f->space, (tn_id){ 1000, 1, TN_KIND_BODY, a.owner }));
    assert_null(tn_model_entity_name(f->space, (tn_id){ 0, 1, 77, a.owner }));
}

static void test_as_built(void **state)
{
    fixture *f = *state;
    const double axis[3] = { -1, 2, -3 }, at[3] = { 0.5, -1, 2 };
    tn_body_def body = brick();
    body.pose = tn_pose_x((const double[]){ 1, 2, 3 }, (const double[]){ 1, 1, 1 });
    tn_joint_def def = tn_joint_default("hinge");
    def.body1 = tn_model_ground(f->space);
    assert_int_equal(tn_model_add_body(&def.body2, f->space, "a", &body), TN_OK);
    tn_pose world = tn_pose_z(at, axis);
    assert_int_equal(tn_joint_as_built(&def, f->space, &world), TN_OK);
    tn_pose back = tn_pose_compose(&body.pose, &def.frame2);
    for (int k = 0; k < 3; k++) {
        assert_near(def.frame1.p[k], at[k], 0);
        assert_near(back.p[k], at[k], 1e-15);
    }
    for (int k = 0; k < 4; k++)
        assert_near(back.q[k], world.q[k], 1e-15);
}

static void test_poses(void **state)
{
    (void)state;
    const double axes[][3] = { { 0, 0, 2 }, { 0, 0, -1 }, { 1, 0, 0 }, { -3, 0, 0 }, { 1, -2, 3 }, { 1e-9, 0, -1 } };
    const double origin[3] = { 0, 0, 0 };
    for (size_t i = 0; i < TN_LENGTH(axes); i++) {
        tn_pose z = tn_pose_z(origin, axes[i]), x = tn_pose_x(origin, axes[i]);
        double along_z[3], along_x[3], length = tn_norm3(axes[i]);
        tn_quat_rotate(along_z, z.q, (const double[]){ 0, 0, 1 });
        tn_quat_rotate(along_x, x.q, (const double[]){ 1, 0, 0 });
        for (int k = 0; k < 3; k++) {
            assert_near(along_z[k], axes[i][k] / length, 1e-15);
            assert_near(along_x[k], axes[i][k] / length, 1e-15);
        }
    }
    tn_pose turned = tn_pose_planar(1, 2, 2 * pi / 3);
    tn_pose same = tn_pose_x((const double[]){ 1, 2, 0 }, (const double[]){ cos(2 * pi / 3), sin(2 * pi / 3), 0 });
    for (int k = 0; k < 4; k++)
        assert_near(turned.q[k], same.q[k], 1e-15);
}

/* Everything that allocates. */
static int build(tn_model **out, tn_context *context)
{
    static const double corners[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    tn_shape_def solid = tn_shape_default(TN_SHAPE_MESH);
    solid.vertices = corners, solid.vertex_count = 4;
    solid.triangles = faces, solid.triangle_count = 4;
    solid.density = 1000;
    tn_body_def body = tn_body_default();
    body.shapes = &solid, body.shape_count = 1;
    tn_joint_type own = { .name = "own", .spatial = { .equations = { "d" } } };
    tn_pose pose = tn_pose_identity();
    tn_joint_def joint = tn_joint_default("own");
    tn_force_def force = tn_force_default("spring");
    force.settings = &(tn_setting){ "stiffness", 1 };
    force.setting_count = 1;
    tn_solve solve = tn_solve_default();
    tn_span here = { "m.yaml", 1, 1 };
    TN_TRY(tn_model_create(out, context, 3));
    joint.body1 = tn_model_ground(*out);
    for (int i = 0; i < 40; i++) {
        char name[20];
        snprintf(name, sizeof name, "b%d", i);
        TN_TRY(tn_model_add_body(&joint.body2, *out, name, &body));
    }
    force.body2 = joint.body2;
    TN_TRY(tn_model_add_frame(NULL, *out, joint.body2, "tip", &pose));
    TN_TRY(tn_model_add_joint_type(*out, &own));
    TN_TRY(tn_model_add_joint(NULL, *out, "pin", &joint));
    TN_TRY(tn_model_add_force(NULL, *out, "pull", &force));
    TN_TRY(tn_model_set_name(*out, "a name"));
    TN_TRY(tn_model_set_solve(*out, &solve));
    TN_TRY(tn_model_add_output(*out, "pin.angle"));
    TN_TRY(tn_model_expect(*out, 1e-8, 1e-10, here));
    TN_TRY(tn_model_expect_reference(*out, "table.csv", 1e-6, here));
    return tn_model_expect_column(*out, "x", "b1.position.x", here);
}

typedef struct failing_heap {
    long left;                 /* allocations until they fail; negative: never */
    long taken;
} failing_heap;

static void *reallocate(void *user, void *pointer, size_t size)
{
    failing_heap *heap = user;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    if (heap->left == 0)
        return NULL;
    heap->left--;
    heap->taken++;
    return realloc(pointer, size);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    failing_heap heap = { -1, 0 };
    tn_context_options options = { reallocate, &heap };
    tn_context *context = tn_context_create(&options);
    tn_model *model = NULL;
    heap.taken = 0;
    assert_int_equal(build(&model, context), TN_OK);
    assert_string_equal(tn_model_output(model, 0), "pin.angle");
    tn_model_destroy(model);
    long needed = heap.taken;
    assert_true(needed > 80);
    for (long n = 0; n < needed; n++) {
        heap.left = n;
        model = NULL;
        assert_int_equal(build(&model, context), TN_ERROR_MEMORY);
        tn_model_destroy(model);
    }
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lookup),
        TEST(test_many_names),
        TEST(test_removal),
        TEST(test_stale_ids),
        TEST(test_as_built),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
