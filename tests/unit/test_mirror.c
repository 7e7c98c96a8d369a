/* Mirrored subsystems: a motion of the mirror image is the mirror image of the motion, with gravity mirrored, for every
 * type of joint and force, at any place and turn, along every axis; coordinates of joints keep their values. */
#include "entities.h"
#include "joint_bench.h"
#include "mechanisms.h"
#include "random.h"
#include "read_model.h"
#include "vec.h"
#include <unistd.h>

static const double SAME = 1e-12, SAME_RATE = 1e-11;   /* of numbers of the order of 1 */
static const double STEP = 5e-3, END = 0.1;    /* s */
static const char *const bodies[] = { "s.a", "s.b", "s.c" };

/* What is built twice: once as it is, once mirrored. */
typedef struct twin {
    int dimension;
    uint32_t random;
    const tn_joint_type *joint;                /* between a and b; NULL: none */
    const tn_force_type *force;                /* NULL: none */
    bool angle;                                /* a force along a joint: along its angle */
    tn_pose world;                             /* of the subsystem */
    char axis;
} twin;

/* ---- building ---- */

static tn_pose random_place(twin *t, double size)
{
    tn_pose pose = tn_pose_planar(between(&t->random, -size, size), between(&t->random, -size, size),
                                  between(&t->random, -1, 1));
    if (t->dimension == 3) {
        pose.p[2] = between(&t->random, -size, size);
        random_vector(&t->random, 4, 1, pose.q);
        tn_quat_normalize(pose.q);
    }
    return pose;
}

static void add_body(twin *t, machine *m, const char *name)
{
    static const char *const frames[] = { "f", "g" };
    const int spin = t->dimension == 3 ? 3 : 0;
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = between(&t->random, 1, 2);
    random_vector(&t->random, t->dimension, 0.2, def.com);
    memcpy(def.inertia, (double[6]){ 0.5, 0.6, 0.7, 0.03, -0.05, 0.04 }, sizeof def.inertia);
    def.pose = random_place(t, 1);
    def.placed = true;
    random_vector(&t->random, t->dimension, 0.5, def.velocity);
    random_vector(&t->random, spin, 1, def.angular_velocity);
    def.angular_velocity[2] = between(&t->random, -1, 1);
    machine_must(m, tn_model_add_body(&id, m->model, name, &def));
    for (size_t k = 0; k < TN_LENGTH(frames); k++) {
        tn_pose pose = random_place(t, 1);
        machine_must(m, tn_model_add_frame(NULL, m->model, id, frames[k], &pose));
    }
}

/* The frames of a joint between two bodies, where it holds. */
static void place_ends(twin *t, const machine *m, const char *type, tn_joint_def *def)
{
    const expected *e = expected_of(type);
    const tn_pose quarter = { { 0 }, { sqrt(0.5), 0, sqrt(0.5), 0 } }, spin = tn_pose_planar(0, 0, 0.3);
    tn_pose shift = e->quarter ? tn_pose_compose(&quarter, &spin) : tn_pose_identity(), none = tn_pose_identity();
    const tn_body *one = &m->model->bodies[def->body1.index], *two = &m->model->bodies[def->body2.index];
    memcpy(shift.p, e->offset, sizeof shift.p);
    if (t->dimension == 2)
        shift.p[2] = 0;
    def->frame1 = random_place(t, 0.5);
    tn_pose world = def->body1.index == 0 ? none : one->pose;
    tn_pose here = tn_pose_compose(&world, &def->frame1), there = tn_pose_compose(&here, &shift);
    def->frame2 = tn_pose_relative(&two->pose, &there);
}

static tn_id add_joint(twin *t, machine *m, const char *name, const tn_joint_type *type, const char *one,
                       const char *two)
{
    tn_joint_def def = tn_joint_default(type->name);
    tn_id id;
    def.body1 = named(m, one);
    def.body2 = named(m, two);
    place_ends(t, m, type->name, &def);
    for (int k = 0; k < TN_JOINT_PARAMETERS && type->parameters[k].name; k++)
        if (!type->parameters[k].as_built && isnan(type->parameters[k].initial))
            def.settings[def.setting_count++] = (tn_setting){ type->parameters[k].name, GIVEN };
    machine_must(m, tn_model_add_joint(&id, m->model, name, &def));
    return id;
}

/* A coupling or drive of a hinge of b and of a slide, or hinge, of c. */
static void add_coupling(twin *t, machine *m)
{
    const bool rack = strcmp(t->joint->name, "rack-and-pinion") == 0 || strcmp(t->joint->name, "coupler") == 0;
    const char *slide = t->dimension == 2 ? "translational" : "prismatic";
    tn_joint_def def = tn_joint_default(t->joint->name);
    tn_id joints[2] = { add_joint(t, m, "s.j", find("revolute"), "s.a", "s.b"),
                        add_joint(t, m, "s.k", find(rack ? slide : "revolute"), "ground", "s.c") };
    def.term_count = t->joint->joints == 1 ? 1 : 2;
    for (size_t k = 0; k < def.term_count; k++)
        def.terms[k] = (tn_coupling_term){ .joint = joints[k], .factor = 1 + (double)k };
    for (int k = 0; k < TN_JOINT_PARAMETERS && t->joint->parameters[k].name; k++)
        if (!t->joint->parameters[k].as_built)
            def.settings[def.setting_count++] = (tn_setting){ t->joint->parameters[k].name, GIVEN };
    if (t->joint->drives)
        def.motion.text = "0.4 * sin(3 * t) + 0.2";
    machine_must(m, tn_model_add_joint(NULL, m->model, "s.coupling", &def));
}

/* A value that suits the parameter; matrices are symmetric. */
static double value_for(const char *name, int index)
{
    const char *point = strchr(name, '.');
    if (point && point[1] >= '1' && point[1] <= '6')
        return 1 + 0.1 * (point[1] - '0') * (point[2] - '0') + (point[1] == point[2] ? 5 : 0);
    return strcmp(name, "exponent") == 0 ? 1.4 : 0.5 + 0.13 * (index % 5);
}

/* Numbers, but for some that are expressions of time and of a joint. */
static void set_parameters_of(const twin *t, tn_force_def *def)
{
    const bool joint = t->force->place == TN_PLACE_JOINT;
    const char *effort = joint && t->angle ? "1 N m * (0.3 + sin(i.angle))" : "1 N * (0.3 + sin(i.angle))";
    const char *turn = t->dimension == 2 ? "b.angular_velocity" : "b.angular_velocity.y";
    const char *unit = t->force->torque ? "N m" : "N";
    static char push[200];
    snprintf(push, sizeof push, "1 %s * (cos(5 * t) + 3 * i.angle + 0.4 s * %s + 0.3 s/m * b.velocity.x + 0.2 / 1 m * "
             "a.f.position.y)", unit, turn);
    for (int k = 0; k < TN_FORCE_PARAMETERS && t->force->parameters[k].name; k++) {
        const tn_parameter_decl *p = &t->force->parameters[k];
        const char *text = strcmp(p->unit, TN_UNIT_TABLE) == 0 ? "law"
                           : strcmp(p->name, "value.y") == 0   ? push
                           : strcmp(p->name, "value") == 0     ? effort
                                                               : NULL;
        if (text)
            def->expressions[def->expression_count++] = (tn_expression){ .name = p->name, .text = text };
        else if (!p->as_built && !(joint && !t->angle && strcmp(p->name, "radius") == 0))
            def->settings[def->setting_count++] = (tn_setting){ p->name, value_for(p->name, k) };
    }
}

/* From ground to b, and from a to b. */
static void add_forces(twin *t, machine *m)
{
    static const double x[] = { -20, -2, -1, 0, 0.5, 2, 20 }, y[] = { -30, -5, -1, 0.2, 1, 4, 25 };
    const tn_table_def law = { .x = x, .y = y, .count = 7, .kind = TN_CURVE_SMOOTH, .extend = true };
    const char *const from[] = { "ground", "s.a" };
    machine_must(m, tn_model_add_table(m->model, "s.law", &law));
    tn_id joint = add_joint(t, m, "s.j", find(t->dimension == 2 ? "pin-in-slot" : "cylindrical"), "s.a", "s.b");
    add_joint(t, m, "s.i", find("revolute"), "ground", "s.c");
    for (size_t k = 0; k < (t->force->place == TN_PLACE_FRAMES ? 2 : 1); k++) {
        tn_force_def def = tn_force_default(t->force->name);
        if (t->force->place == TN_PLACE_JOINT) {
            def.joint = joint;
            def.coordinate = t->angle ? "angle" : "position";
        } else if (t->force->place == TN_PLACE_FRAMES) {
            def.body1 = named(m, from[k]);
            def.body2 = named(m, "s.b");
            def.frame1 = random_place(t, 0.5);
            def.frame2 = random_place(t, 0.5);
        }
        set_parameters_of(t, &def);
        machine_must(m, tn_model_add_force(NULL, m->model, k == 0 ? "s.p" : "s.q", &def));
    }
}

/* S v, with S the mirror in the world. */
static void reflect(const twin *t, double v[3])
{
    double R[3][3], n[3];
    tn_quat_matrix(R, t->world.q);
    for (int k = 0; k < 3; k++)
        n[k] = R[k][t->axis - 'x'];
    tn_axpy3(v, -2 * tn_dot3(n, v), n);
}

static machine build(const twin *from, bool mirrored)
{
    twin t = *from;
    machine m = machine_new(t.dimension);
    tn_subsystem_def def = tn_subsystem_default();
    double gravity[3] = { 1.5, -2.5, t.dimension == 3 ? -9 : 0 };
    tn_id id;
    def.pose = t.world;
    machine_must(&m, tn_model_add_subsystem(&id, m.model, "s", &def));
    for (size_t k = 0; k < TN_LENGTH(bodies); k++)
        add_body(&t, &m, bodies[k]);
    if (t.joint && t.joint->joints == 0)
        add_joint(&t, &m, "s.j", t.joint, "s.a", "s.b");
    else if (t.joint)
        add_coupling(&t, &m);
    if (t.force)
        add_forces(&t, &m);
    if (mirrored) {
        reflect(&t, gravity);
        machine_must(&m, tn_model_mirror(m.model, id, t.axis));
    }
    if (t.joint && t.joint->joints == 0)
        assert_int_equal(tn_model_mirrored(m.model, tn_model_find(m.model, "s.j")), mirrored);
    tn_model_set_gravity(m.model, gravity);
    return m;
}

/* ---- comparing ---- */

static void read_vector(const machine *m, const char *what, const char *channel, int count, double out[3])
{
    for (int k = 0; k < count; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s.%s.%c", what, channel, 'x' + k);
        out[k] = value(m, name);
    }
}

static void compare(const twin *t, const char *what, const char *channel, const double *a, const double *b)
{
    const double tolerance = strstr(channel, "velocity") ? SAME_RATE : SAME;
    for (int k = 0; k < 3; k++)
        if (!(fabs(a[k] - b[k]) <= tolerance * fmax(1, fabs(a[k]))))
            fail_msg("%s%s, %d dimensions, mirror %c: %s.%s.%c is %.17g, the image %.17g",
                     t->joint ? t->joint->name : "", t->force ? t->force->name : "", t->dimension, t->axis, what,
                     channel, 'x' + k, b[k], a[k]);
}

static void compare_point(const twin *t, const machine *plain, const machine *image, const char *what)
{
    double a[3] = { 0 }, b[3] = { 0 };
    read_vector(plain, what, "position", t->dimension, a);
    read_vector(image, what, "position", t->dimension, b);
    tn_sub3(a, a, t->world.p);
    reflect(t, a);
    tn_add3(a, a, t->world.p);
    compare(t, what, "position", a, b);
    read_vector(plain, what, "velocity", t->dimension, a);
    read_vector(image, what, "velocity", t->dimension, b);
    reflect(t, a);
    compare(t, what, "velocity", a, b);
}

static void compare_body(const twin *t, const machine *plain, const machine *image, const char *body)
{
    char frame[20];
    double a[3] = { 0 }, b[3] = { 0 };
    compare_point(t, plain, image, body);
    for (char name = 'f'; name <= 'g'; name++) {
        snprintf(frame, sizeof frame, "%s.%c", body, name);
        compare_point(t, plain, image, frame);
    }
    if (t->dimension == 2) {
        a[2] = -value(plain, "s.b.angular_velocity");
        b[2] = value(image, "s.b.angular_velocity");
    } else {
        read_vector(plain, body, "angular_velocity", 3, a);
        read_vector(image, body, "angular_velocity", 3, b);
        reflect(t, a);
        for (int k = 0; k < 3; k++)
            a[k] = -a[k];
    }
    compare(t, body, "angular_velocity", a, b);
}

static void compare_coordinates(const twin *t, const machine *plain, const machine *image)
{
    const tn_joint *joint = &plain->model->joints[named(plain, "s.j").index];
    const tn_coordinate_decl *c = t->dimension == 2 ? joint->type->planar.coordinates
                                                    : joint->type->spatial.coordinates;
    for (int k = 0; k < TN_MAX_COORDINATES && c[k].name; k++) {
        char name[60];
        snprintf(name, sizeof name, "s.j.%s", c[k].name);
        double a[3] = { value(plain, name) }, b[3] = { value(image, name) };
        compare(t, "s.j", c[k].name, a, b);
    }
}

static void check_twins(const twin *t)
{
    machine plain = build(t, false), image = build(t, true);
    machine_run(&plain, fixed_steps("rk4", STEP, END));
    machine_run(&image, fixed_steps("rk4", STEP, END));
    for (size_t k = 0; k < TN_LENGTH(bodies); k++)
        compare_body(t, &plain, &image, bodies[k]);
    compare_coordinates(t, &plain, &image);
    assert_near(value(&plain, "energy.total") - value(&plain, "energy.potential"),
                value(&image, "energy.total") - value(&image, "energy.potential"), 1e-10);
    machine_close(&plain);
    machine_close(&image);
}

/* Along every axis of a subsystem at some place. */
static void check_all_axes(twin t)
{
    t.random = 7;
    t.world = random_place(&t, 1);
    for (t.axis = 'x'; t.axis < 'x' + t.dimension; t.axis++)
        check_twins(&t);
}

static void test_every_joint(void **state)
{
    (void)state;
    for (int k = 0; tn_joint_types[k]; k++) {
        if (available(&tn_joint_types[k]->planar))
            check_all_axes((twin){ .dimension = 2, .joint = tn_joint_types[k] });
        if (available(&tn_joint_types[k]->spatial))
            check_all_axes((twin){ .dimension = 3, .joint = tn_joint_types[k] });
    }
}

static void test_every_force(void **state)
{
    (void)state;
    for (int k = 0; tn_force_types[k]; k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (int angle = 0; angle <= (tn_force_types[k]->place == TN_PLACE_JOINT); angle++)
                check_all_axes((twin){ .dimension = dimension, .force = tn_force_types[k], .angle = angle });
}

/* ---- files ---- */

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
    "         velocity: [0.1, 0.2, 0.3] }\n"
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
    machine_must(&m, tn_model_body_mass(m.model, part, &mass, com, inertia));
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
    machine_must(m, tn_session_text(m->session, &text));
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
    machine_must(&m, tn_session_apply(m.session, "{ replace: { subsystems: { right: { use: lever.yaml, parameters: "
                                                 "{ k: 300 N/m } } } } }", NULL));
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
    machine_must(&m, tn_session_apply(m.session, "{ replace: { subsystems: { right: { use: lever.yaml, "
                                                 "solve: { step: 1 ms } } } } }", NULL));
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
    assert_true(tn_session_apply(m.session, "{ replace: { subsystems: { s.part: { use: lever.yaml } } } }", NULL) < 0);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "in the mirrored subsystem 's'"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_joint),
        cmocka_unit_test(test_every_force),
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
