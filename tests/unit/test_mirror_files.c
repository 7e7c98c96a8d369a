/* Mirrored subsystems in files: images of images, of a car and of shapes; what is replaced in them, and what has none. */
#include "entities.h"
#include "mechanisms.h"
#include "read_model.h"
#include <unistd.h>

/* A lever with a screw, a stop, a spring, a motor and a weight that falls on it; nothing in it is symmetric. */
static const char LEVER[] =
    "tenon: 1\n"
    "parameters: { k: 200 N/m }\n"
    "bodies:\n"
    "  ground: { frames: { foot: { at: [0.1, 0.2, 0.3] } } }\n"
    "  lever: { position: [0.4, 0.3, 0.2], frames: { tip: { at: [0.3, 0.1, 0] } },\n"
    "           shapes: [ { box: { size: [0.6, 0.2, 0.1], at: [0.05, 0.02, 0] }, density: 800 },\n"
    "                     { cylinder: { from: [0, 0, 0], to: [0.2, 0.3, 0.1], radius: 0.05 }, density: 500 } ] }\n"
    "  nut: { mass: 0.5, inertia: [0.02, 0.025, 0.03, 0.002, 0.001, 0.003], position: [0.7, 0.4, 0.2],\n"
    "         velocity: [0.1, 0.2, 0.3], guess: yes }\n"
    "  ball: { position: [0.3, 0.35, 0.5], velocity: [0.1, -0.05, 0],\n"
    "          shapes: [ { sphere: { radius: 0.05 }, mass: 0.3 } ] }\n"
    "ports: { tip: lever.tip, nut: nut }\n"
    "joints:\n"
    "  hinge: { type: revolute, between: [ground, lever], at: [0.1, 0.2, 0.3], axis: [1, 2, 0.5],\n"
    "           limits: { angle: [-5 deg, 10 deg], restitution: 0.4 } }\n"
    "  screw: { type: screw, between: [lever, nut], at: [0.7, 0.4, 0.2], axis: [0.2, 1, -0.3], lead: 40 mm }\n"
    "forces:\n"
    "  spring: { type: spring, between: [ground.foot, lever.tip], stiffness: k, length: 0.2, damping: 2 }\n"
    "  motor: { type: motor, joint: screw, value: '0.3 N m * cos(9 * t) - 0.1 N m * hinge.angle', limit: 2 N m }\n"
    "  lift: { type: force, on: nut, value: ['0.2 N/m * nut.position.y - 0.1 N s * lever.angular_velocity.x',\n"
    "                                        '1 N - 0.5 N s/m * nut.velocity.y',\n"
    "                                        '2 N - 0.5 N/m * lever.position.z'] }\n"
    "contacts: { rest: { between: [lever, ball], restitution: 0.3, friction: 0.2 } }\n"
    "initial: { hinge: { angle: 4 deg } }\n";
static const char TWO[] =
    "tenon: 1\ngravity: [0, 0, -9.81]\nsubsystems:\n"
    "  left: { use: lever.yaml, at: [1, 0, 0] }\n"
    "  right: { use: lever.yaml, at: [1, 0, 0], mirror: y }\n"
    "solve: { until: 0.6, step: 1 ms, integrator: rk4 }\n";

static machine read_texts(const tn_model_source *texts, size_t count)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_texts(&m.model, m.context, texts, count, "."));
    return m;
}

static machine read_with_lever(const char *text)
{
    const tn_model_source texts[] = { { "main.yaml", text, strlen(text) }, { "lever.yaml", LEVER, strlen(LEVER) } };
    return read_texts(texts, TN_LENGTH(texts));
}

static void compare_sides(const machine *m, const char *one, const char *other, const char *channel, double sign,
                          double tolerance)
{
    char a[80], b[80];
    snprintf(a, sizeof a, "%s.%s", one, channel);
    snprintf(b, sizeof b, "%s.%s", other, channel);
    if (!(fabs(value(m, a) - sign * value(m, b)) <= tolerance))
        fail_msg("%s is %.17g, %s %.17g", a, value(m, a), b, value(m, b));
}

/* Stops, contacts, masses of shapes, drives and starts: side by side in one model, along the plane of gravity. */
static void test_a_file_and_its_image(void **state)
{
    (void)state;
    machine m = read_with_lever(TWO);
    machine_run(&m, tn_model_solve(m.model));
    assert_true(tn_session_summary(m.session).impacts > 0);
    static const char *const same[] = { "lever.position.x", "lever.position.z", "nut.position.z", "hinge.angle",
                                        "screw.angle", "screw.position", "spring.tension", "motor.effort",
                                        "ball.velocity.x", "lever.angular_velocity.y", "tip.position.x" };
    static const char *const reversed[] = { "lever.position.y", "nut.velocity.y", "ball.position.y",
                                            "lever.angular_velocity.x", "lever.angular_velocity.z", "tip.position.y" };
    for (size_t k = 0; k < TN_LENGTH(same); k++)
        compare_sides(&m, "left", "right", same[k], 1, 1e-9);
    for (size_t k = 0; k < TN_LENGTH(reversed); k++)
        compare_sides(&m, "left", "right", reversed[k], -1, 1e-9);
    machine_close(&m);
}

/* Of an image within an image, both along y, is what it was. */
static void test_an_image_of_an_image(void **state)
{
    (void)state;
    static const char inner[] = "tenon: 1\nsubsystems: { part: { use: lever.yaml, at: [0.2, 0, 0.1], mirror: y } }\n";
    static const char text[] = "tenon: 1\ngravity: [0, 0, -9.81]\nsubsystems:\n"
                               "  plain: { use: lever.yaml, at: [0.2, 0, 0.1] }\n"
                               "  twice: { use: inner.yaml, mirror: y }\n"
                               "solve: { until: 0.3, step: 1 ms, integrator: rk4 }\n";
    const tn_model_source texts[] = { { "main.yaml", text, strlen(text) }, { "inner.yaml", inner, strlen(inner) },
                                      { "lever.yaml", LEVER, strlen(LEVER) } };
    machine m = read_texts(texts, TN_LENGTH(texts));
    machine_run(&m, tn_model_solve(m.model));
    compare_sides(&m, "plain", "twice.part", "lever.position.y", 1, 1e-9);
    compare_sides(&m, "plain", "twice.part", "nut.velocity.x", 1, 1e-9);
    compare_sides(&m, "plain", "twice.part", "ball.position.z", 1, 1e-9);
    compare_sides(&m, "plain", "twice.part", "screw.angle", 1, 1e-9);
    machine_close(&m);
}

/* The right front corner of the car as the image of the left one, in place of a parameter that says which side. */
static void test_a_car_with_an_image(void **state)
{
    (void)state;
    static const char said[] = "parameters: { side: -1 } }", instead[] = "mirror: y }";
    char text[8000] = "";
    FILE *file = fopen(TENON_SOURCE_DIR "/examples/car/car.yaml", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) < sizeof text - 1);
    fclose(file);
    char *at = strstr(text, said);
    assert_non_null(at);
    memcpy(at, instead, strlen(instead));
    memset(at + strlen(instead), ' ', strlen(said) - strlen(instead));
    machine car = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml");
    machine image = { .context = tn_context_create(NULL) };
    machine_must(&image, tn_model_read_text(&image.model, image.context, text, strlen(text), "car.yaml",
                                            TENON_SOURCE_DIR "/examples/car"));
    machine_run(&car, fixed_steps("rk4", 4e-3, 2.2));
    machine_run(&image, fixed_steps("rk4", 4e-3, 2.2));
    assert_near(value(&car, "chassis.position.z"), value(&image, "chassis.position.z"), 1e-10);
    assert_near(value(&car, "chassis.angular_velocity.x"), value(&image, "chassis.angular_velocity.x"), 1e-10);
    assert_near(value(&car, "front_right.hub.wheel.position.y"), value(&image, "front_right.hub.wheel.position.y"),
                1e-10);
    machine_close(&car);
    machine_close(&image);
}

/* Meshes and polygons keep their volume, and what was counter-clockwise stays so. */
static void test_shapes(void **state)
{
    (void)state;
    static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int triangles[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    machine m = machine_new(3);
    tn_shape_def shape = tn_shape_default(TN_SHAPE_MESH);
    tn_body_def body = tn_body_default();
    tn_subsystem_def def = tn_subsystem_default();
    double mass, com[3], inertia[6], new_mass, new_com[3], new_inertia[6];
    tn_id id, part;
    shape.density = 1000;
    shape.vertices = corners;
    shape.vertex_count = 4;
    shape.triangles = triangles;
    shape.triangle_count = 4;
    body.shapes = &shape;
    body.shape_count = 1;
    machine_must(&m, tn_model_add_subsystem(&id, m.model, "s", &def));
    machine_must(&m, tn_model_add_body(&part, m.model, "s.part", &body));
    machine_must(&m, tn_model_mirror(m.model, id, 'z'));
    tn_shape_def image = tn_model_shape(m.model, part, 0);
    machine_must(&m, tn_model_body_mass(&mass, com, inertia, m.model, part));
    machine_must(&m, tn_shapes_mass(m.context, (tn_span){ 0 }, "part", &image, 1, &new_mass, new_com, new_inertia));
    assert_near(new_mass, 1000.0 / 6, 1e-10);
    assert_near(mass, new_mass, 1e-10);
    for (int k = 0; k < 3; k++)
        assert_near(com[k], new_com[k], 1e-15);
    for (int k = 0; k < 6; k++)
        assert_near(inertia[k], new_inertia[k], 1e-11);
    assert_near(com[2], -0.25, 1e-15);
    machine_close(&m);
}

/* ---- texts and commands ---- */

static const char *text_of(machine *m, char *buffer, size_t size)
{
    char *text = NULL;
    machine_must(m, tn_session_text(&text, m->session));
    snprintf(buffer, size, "%s", text);
    tn_text_free(m->context, text);
    return buffer;
}

/* In the place of the image comes an image, in the model and in its text; settings of the entry stay, too. */
static void test_replacing_keeps_mirror_and_settings(void **state)
{
    (void)state;
    char folder[40], path[100], text[2000];
    temporary_folder(folder, sizeof folder);
    write_text(folder, "lever.yaml", LEVER);
    write_text(folder, "main.yaml", "tenon: 1\nsubsystems:\n  right: { use: lever.yaml, mirror: y, "
               "solve: { integrator: rk4, step: 2 ms } }\n");
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    machine m = machine_read(path);
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    machine_must(&m, tn_session_apply(NULL, m.session,
                                      "{ replace: { subsystems: { right: { use: lever.yaml, parameters: "
                                                 "{ k: 300 N/m } } } } }"));
    tn_subsystem_info info;
    const tn_model *now = tn_session_model(m.session);
    machine_must(&m, tn_model_subsystem(&info, now, tn_model_find(now, "right")));
    assert_int_equal(info.mirror, 'y');
    assert_non_null(info.solve);
    assert_near(info.solve->step, 2e-3, 0);
    assert_string_equal(info.solve->integrator, "rk4");
    assert_non_null(strstr(text_of(&m, text, sizeof text), "mirror: y"));
    assert_non_null(strstr(text, "step: 2 ms"));
    machine again = { .context = tn_context_create(NULL) };
    machine_must(&again, tn_model_read_text(&again.model, again.context, text, strlen(text), "main.yaml", folder));
    machine_must(&again, tn_model_subsystem(&info, again.model, tn_model_find(again.model, "right")));
    assert_int_equal(info.mirror, 'y');
    assert_near(info.solve->step, 2e-3, 0);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ replace: { subsystems: { right: { use: lever.yaml, "
                                                 "solve: { step: 1 ms } } } } }"));
    now = tn_session_model(m.session);
    machine_must(&m, tn_model_subsystem(&info, now, tn_model_find(now, "right")));
    assert_int_equal(info.mirror, 'y');
    assert_near(info.solve->step, 1e-3, 0);
    machine_close(&again);
    machine_close(&m);
    unlink(path);
    snprintf(path, sizeof path, "%s/lever.yaml", folder);
    unlink(path);
    rmdir(folder);
}

/* ---- refused ---- */

static void check_refused(const char *text, const char *lever, const char *message)
{
    const tn_model_source texts[] = { { "main.yaml", text, strlen(text) }, { "lever.yaml", lever, strlen(lever) } };
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_texts(&model, context, texts, TN_LENGTH(texts), ".");
    if (code >= 0) {
        tn_solve solve = fixed_steps("rk4", 1e-3, 1);
        code = tn_session_open(&session, model, &solve);
    }
    assert_true(code < 0);
    if (!strstr(tn_diagnostics_get(context, 0)->message, message))
        fail_msg("'%s' instead of '%s'", tn_diagnostics_get(context, 0)->message, message);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

#define ONE_BODY "tenon: 1\nbodies: { a: { mass: 1, inertia: [1, 1, 1] } }\n"
#define MIRRORED "tenon: 1\nsubsystems: { s: { use: lever.yaml, mirror: y } }\n"

static void test_what_has_no_image(void **state)
{
    (void)state;
    static const char use_library[] = "tenon: 1\ndimension: 2\nsubsystems: { s: { use: " PLATE ", mirror: y } }\n";
    static const char library_inside[] = "tenon: 1\ndimension: 2\nsubsystems: { p: { use: " PLATE " } }\n";
    static const char planar[] = "tenon: 1\ndimension: 2\nsubsystems: { s: { use: lever.yaml, mirror: z } }\n";
    static const char planar_y[] = "tenon: 1\ndimension: 2\nsubsystems: { s: { use: lever.yaml, mirror: y } }\n";
    check_refused(use_library, ONE_BODY, "a library has no mirror image");
    check_refused(planar_y, library_inside, "the component 's.p' has no mirror image");
    check_refused(planar, "tenon: 1\n", "'mirror' is z, must be x or y in a planar model");
    check_refused("tenon: 1\nsubsystems: { s: { use: lever.yaml, mirror: w } }\n", ONE_BODY, "'mirror' is w, must be");
    check_refused(MIRRORED, ONE_BODY "forces:\n  f: { type: force, on: a, value: ['1 N s/m * norm(a.velocity)', 0, 0] "
                  "}\n", "in a mirrored subsystem this has no meaning");
    check_refused(MIRRORED, ONE_BODY "joints: { j: { type: revolute, between: [ground, a], at: [0, 0, 0], axis: z } }\n"
                  "events: { e: { when: j.reaction.force.y, do: stop } }\n",
                  "in a mirrored subsystem this has no meaning");
    check_refused(planar_y, "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                  "forces: { f: { type: torque, on: a, value: '1 N m * a.angle' } }\n",
                  "in a mirrored subsystem this has no meaning");
}

static void test_a_part_of_an_image_is_not_replaced(void **state)
{
    (void)state;
    static const char outer[] = "tenon: 1\nsubsystems: { part: { use: lever.yaml } }\n";
    static const char text[] = "tenon: 1\nsubsystems: { s: { use: outer.yaml, mirror: x } }\n";
    const tn_model_source texts[] = { { "main.yaml", text, strlen(text) }, { "outer.yaml", outer, strlen(outer) },
                                      { "lever.yaml", LEVER, strlen(LEVER) } };
    machine m = read_texts(texts, TN_LENGTH(texts));
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    assert_true(tn_session_apply(NULL, m.session, "{ replace: { subsystems: { s.part: { use: lever.yaml } } } }") < 0);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "in the mirrored subsystem 's'"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_and_its_image),
        cmocka_unit_test(test_an_image_of_an_image),
        cmocka_unit_test(test_a_car_with_an_image),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_replacing_keeps_mirror_and_settings),
        cmocka_unit_test(test_what_has_no_image),
        cmocka_unit_test(test_a_part_of_an_image_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
