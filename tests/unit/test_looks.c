/* Looks of bodies: what is read, refused, kept by copies, edits and mirror images, and that no motion depends on them. */
#include "edited.h"
#include "entities.h"
#include "read_model.h"
#include "tenon/history.h"
#include <math.h>

#define CRATE_LOOK \
    "    look:\n" \
    "      - { box: { size: [0.9, 0.4], at: [0, 0.1], angle: 30 deg }, material: wood }\n" \
    "      - { polygon: { corners: [[0, 0], [1, 0], [1, 1], [0.5, 0.2], [0, 1]] }, colour: '#3b78c2' }\n" \
    "      - { tube: { radius: r, inner: r / 2, from: [0, 0], to: [1, 0] }, material: glass, colour: red }\n" \
    "      - { material: brass }\n"
#define GROUND_LOOK ", look: [ { half_space: {}, material: grass } ]"

/* A crate that falls, tumbles and slides on ground, hung on a spring. */
#define CRATE(ground_look, crate_look) \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: { r: 20 cm }\nbodies:\n" \
    "  ground: { shapes: [ { half_space: {} } ]" ground_look " }\n" \
    "  crate:\n    shapes: [ { box: { size: [1, 0.5] }, mass: 3 } ]\n" \
    crate_look "    position: [0, 2]\n    angle: 20 deg\n" \
    "contacts: { floor: { between: [ground, crate], restitution: 0.3, friction: 0.4 } }\n" \
    "forces: { s: { type: spring, between: [ground, crate], stiffness: 30, length: 1 } }\n" \
    "solve: { until: 2, step: 5 ms, integrator: rk4 }\n"

static void test_looks_are_read(void **state)
{
    (void)state;
    reading r = accepted(CRATE(GROUND_LOOK, CRATE_LOOK));
    tn_id crate = tn_model_find(r.model, "crate");
    assert_int_equal(tn_model_look_count(r.model, crate), 4);
    assert_int_equal(tn_model_shape_count(r.model, crate), 1);
    tn_shape_def box = tn_model_look(r.model, crate, 0), polygon = tn_model_look(r.model, crate, 1);
    tn_shape_def tube = tn_model_look(r.model, crate, 2), paint = tn_model_look(r.model, crate, 3);
    assert_int_equal(box.kind, TN_SHAPE_BOX);
    assert_string_equal(box.finish, "wood");
    assert_int_equal(box.colour, TN_NO_COLOUR);
    assert_near(box.pose.p[1], 0.1, 0);
    assert_int_equal(polygon.vertex_count, 5);
    assert_int_equal(polygon.colour, 0x3b78c2);
    assert_null(polygon.finish);
    assert_int_equal(tube.kind, TN_SHAPE_TUBE);
    assert_near(tube.size[0], 0.2, 1e-15);
    assert_near(tube.size[1], 1, 1e-15);
    assert_near(tube.size[2], 0.1, 1e-15);
    assert_true(tube.colour > 0);
    assert_int_equal(paint.kind, TN_SHAPE_NONE);
    assert_string_equal(paint.finish, "brass");
    assert_int_equal(tn_model_look_count(r.model, tn_model_ground(r.model)), 1);
    done(&r);
}

static uint64_t hash_after_run(const char *text)
{
    machine m = start(text);
    machine_must(&m, tn_session_advance(m.session, 2));
    assert_true(tn_session_summary(m.session).impacts > 0);
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    return hash;
}

static void test_no_motion_depends_on_looks(void **state)
{
    (void)state;
    uint64_t plain = hash_after_run(CRATE("", ""));
    assert_true(hash_after_run(CRATE(GROUND_LOOK, CRATE_LOOK)) == plain);
    assert_true(hash_after_run(CRATE("", "    look: [ { disc: { radius: 50 } } ]\n")) == plain);
}

static void test_looks_weigh_nothing(void **state)
{
    (void)state;
    refused("tenon: 1\nbodies:\n  a: { look: [ { sphere: { radius: 1 }, density: 1000 } ] }\n", "density");
    reading r = accepted("tenon: 1\nbodies:\n  a: { look: [ { sphere: { radius: 1 } } ] }\n");
    assert_int_equal(r.model->bodies[tn_model_find(r.model, "a").index].missing, TN_MISSING_MASS);
    done(&r);
}

static void test_wrong_looks_are_refused(void **state)
{
    (void)state;
    static const struct { const char *look, *words; } wrong[] = {
        { "[ { material: stel } ]", "3:37: body 'a': " },
        { "[ { material: stel } ]", "steel" },
        { "[ { colour: blu-ish } ]", "3:35: body 'a': 'blu-ish' is no colour" },
        { "[ { colour: '#12345' } ]", "is no colour" },
        { "[ { } ]", "a look has a shape" },
        { "[ { color: red } ]", "colour" },
        { "[ { sphere: { radius: 1 }, box: { size: [1, 1, 1] } } ]", "one shape at most" },
        { "[ { sphere: { radius: -1 } } ]", "radius" },
        { "[ { tube: { radius: 1, inner: 2, length: 1 } } ]", "inner radius 2 m" },
        { "[ { tube: { radius: 1, length: 1 } } ]", "'inner'" },
        { "[ { mesh: { file: no.stl, touch: hull } } ]", "touches nothing" },
        { "[ { mesh: { file: no.stl } } ]", "no.stl" },
        { "[ { polygon: { corners: [[0, 0], [1, 0]], thickness: 1 } } ]", "three corners" },
        { "[ { gear: { radius: 1, teeth: 2, thickness: 1 } } ]", "whole number from 3 to 400" },
        { "[ { gear: { radius: 1, teeth: 12.5, thickness: 1 } } ]", "whole number" },
        { "[ { gear: { radius: 1, thickness: 1 } } ]", "'teeth'" },
        { "[ { gear: { radius: 1, teeth: 12, rim: 0.9, thickness: 1 } } ]", "larger than 'radius'" },
        { "[ { rack: { pitch: 1, teeth: 4, thickness: 1 } } ]", "'height'" },
        { "[ { gear: { radius: 1, teeth: 12, thickness: 1 }, sphere: { radius: 1 } } ]", "one shape at most" },
    };
    for (size_t i = 0; i < TN_LENGTH(wrong); i++) {
        char text[300];
        snprintf(text, sizeof text, "tenon: 1\nbodies:\n  a: { mass: 1, look: %s }\n", wrong[i].look);
        refused(text, wrong[i].words);
    }
}

/* Teeth are as wide as their gaps on the pitch circle, so that two gears that meet there mesh. */
static void test_gears_have_teeth(void **state)
{
    (void)state;
    reading r = accepted("tenon: 1\ndimension: 2\nbodies:\n  a:\n    mass: 1\n    inertia: 1\n    look:\n"
                         "      - { gear: { radius: 2, teeth: 20 } }\n"
                         "      - { gear: { radius: 2, teeth: 20, rim: 3 } }\n"
                         "      - { rack: { pitch: 0.5, teeth: 6, height: 1 } }\n");
    tn_id a = tn_model_find(r.model, "a");
    tn_shape_def gear = tn_model_look(r.model, a, 0), ring = tn_model_look(r.model, a, 1), rack = tn_model_look(r.model, a, 2);
    assert_int_equal(gear.kind, TN_SHAPE_POLYGON);
    assert_int_equal(gear.vertex_count, 80);
    const double *root = gear.vertices, *tip = gear.vertices + 3;
    const double inner = hypot(root[0], root[1]), outer = hypot(tip[0], tip[1]);
    assert_true(inner < 2 && outer > 2);
    const double part = (2 - inner) / (outer - inner);
    const double flank = (1 - part) * atan2(root[1], root[0]) + part * atan2(tip[1], tip[0]);
    assert_near(flank, -0.25 * 2 * 3.14159265358979 / 20, 0.02);
    assert_near(ring.vertices[0], 3, 1e-12);
    const double *end = ring.vertices + 3 * (ring.vertex_count - 1), *loop = ring.vertices + 3 * 129;
    assert_true(end[0] == loop[0] && end[1] == loop[1]);       /* the inner loop is closed */
    assert_true(hypot(loop[0], loop[1]) > 2 && hypot(loop[3], loop[4]) < 2);
    assert_int_equal(rack.vertex_count, 26);
    assert_near(rack.vertices[3 * 25 + 1], -1, 0);
    done(&r);
}

static void test_copies_and_comparison(void **state)
{
    (void)state;
    reading one = accepted(CRATE(GROUND_LOOK, CRATE_LOOK)), same = accepted(CRATE(GROUND_LOOK, CRATE_LOOK));
    reading bare = accepted(CRATE(GROUND_LOOK, "")), bald = accepted(CRATE("", CRATE_LOOK));
    reading red = accepted(CRATE("", "    look: [ { colour: red } ]\n")), blue = accepted(CRATE("", "    look: [ { colour: blue } ]\n"));
    tn_model *copy = NULL;
    assert_int_equal(tn_model_clone(&copy, one.model), TN_OK);
    assert_true(tn_model_same(one.model, copy));
    assert_true(tn_model_same(one.model, same.model));
    assert_false(tn_model_same(one.model, bare.model));
    assert_false(tn_model_same(one.model, bald.model));
    assert_false(tn_model_same(red.model, blue.model));
    tn_model_destroy(copy);
    done(&one), done(&same), done(&bare), done(&bald), done(&red), done(&blue);
}

static void must_look(machine *m, const char *body, size_t count)
{
    const tn_model *model = tn_session_model(m->session);
    assert_int_equal(tn_model_look_count(model, tn_model_find(model, body)), count);
}

static void test_edits_keep_looks(void **state)
{
    (void)state;
    machine m = start(CRATE(GROUND_LOOK, CRATE_LOOK));
    char *text = NULL;
    tn_ack ack;
    machine_must(&m, tn_session_advance(m.session, 0.1));
    must_apply(&m, "{ set: { s.stiffness: 40 } }");
    must_look(&m, "crate", 4);
    must_apply(&m, "{ add: { bodies: { ball: { mass: 1, inertia: 1, look: [ { disc: { radius: 1 }, colour: red } ] } } } }");
    must_look(&m, "ball", 1);
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "material: brass"));
    assert_non_null(strstr(text, "colour: red } ]"));
    tn_text_free(m.context, text);
    must_apply(&m, "{ remove: crate }");
    machine_must(&m, tn_session_undo(&ack, m.session, false));
    must_look(&m, "crate", 4);
    must_apply(&m, "{ parameters: { r: 30 cm } }");
    const tn_model *model = tn_session_model(m.session);
    assert_near(tn_model_look(model, tn_model_find(model, "crate"), 2).size[0], 0.3, 1e-15);
    machine_close(&m);
}

static void test_mirror_images_have_mirrored_looks(void **state)
{
    (void)state;
    static const char part[] = "tenon: 1\nbodies:\n  a: { mass: 1, inertia: [1, 1, 1], look: [ { sphere: { radius: 1, at: [1, 2, 3] } } ] }\n";
    static const char text[] = "tenon: 1\nsubsystems: { l: { use: part.yaml }, r: { use: part.yaml, mirror: y } }\n";
    const tn_model_source texts[] = { { "main.yaml", text, strlen(text) }, { "part.yaml", part, strlen(part) } };
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_texts(&model, context, texts, 2, "/tmp"), TN_OK);
    tn_shape_def l = tn_model_look(model, tn_model_find(model, "l.a"), 0);
    tn_shape_def r = tn_model_look(model, tn_model_find(model, "r.a"), 0);
    for (int k = 0; k < 3; k++)
        assert_near(fabs(l.pose.p[k]), fabs(r.pose.p[k]), 1e-15);
    assert_near(l.pose.p[1], -r.pose.p[1], 1e-15);
    tn_model_destroy(model);
    tn_context_destroy(context);
    refused("tenon: 1\nbodies:\n  a: { mass: 1 }\n  ground: { mass: 1 }\n", "looks only");
}

static void test_table_of_finishes(void **state)
{
    (void)state;
    size_t count = 0;
    for (const tn_finish *f; (f = tn_finish_at(count)) != NULL; count++) {
        assert_ptr_equal(tn_finish_find(f->name), f);
        assert_true(f->opacity > 0 && f->opacity <= 1 && f->metalness >= 0 && f->roughness <= 1);
        assert_true(f->colour >= TN_NO_COLOUR && f->colour <= 0xffffff);
    }
    assert_true(count >= 8);
    assert_null(tn_finish_find("kryptonite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_are_read),
        cmocka_unit_test(test_no_motion_depends_on_looks),
        cmocka_unit_test(test_looks_weigh_nothing),
        cmocka_unit_test(test_wrong_looks_are_refused),
        cmocka_unit_test(test_gears_have_teeth),
        cmocka_unit_test(test_copies_and_comparison),
        cmocka_unit_test(test_edits_keep_looks),
        cmocka_unit_test(test_mirror_images_have_mirrored_looks),
        cmocka_unit_test(test_table_of_finishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
