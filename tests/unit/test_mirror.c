/* Mirrored subsystems: a motion of the mirror image is the mirror image of the motion, with gravity mirrored, for every
 * type of joint and force, at any place and turn, along every axis; coordinates of joints keep their values. */
#include "draft.h"
#include "entities.h"
#include "joint_bench.h"
#include "mechanisms.h"
#include "random.h"
#include "vec.h"

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
    def.guess = true;                          /* joints change them */
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
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, type->name);
    tn_id id;
    draft.def.body1 = named(m, one);
    draft.def.body2 = named(m, two);
    place_ends(t, m, type->name, &draft.def);
    for (int k = 0; k < TN_JOINT_PARAMETERS && type->parameters[k].name; k++)
        if (!type->parameters[k].as_built && isnan(type->parameters[k].initial))
            draft.settings[draft.def.setting_count++] = (tn_setting){ type->parameters[k].name, GIVEN };
    machine_must(m, tn_model_add_joint(&id, m->model, name, &draft.def));
    return id;
}

/* A coupling or drive of a hinge of b and of a slide, or hinge, of c. */
static void add_coupling(twin *t, machine *m)
{
    const bool rack = strcmp(t->joint->name, "rack-and-pinion") == 0 || strcmp(t->joint->name, "coupler") == 0;
    const char *slide = t->dimension == 2 ? "translational" : "prismatic";
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, t->joint->name);
    tn_id joints[2] = { add_joint(t, m, "s.j", find("revolute"), "s.a", "s.b"),
                        add_joint(t, m, "s.k", find(rack ? slide : "revolute"), "ground", "s.c") };
    draft.def.term_count = t->joint->joints == 1 ? 1 : 2;
    for (size_t k = 0; k < draft.def.term_count; k++)
        draft.terms[k] = (tn_coupling_term){ .joint = joints[k], .factor = 1 + (double)k };
    for (int k = 0; k < TN_JOINT_PARAMETERS && t->joint->parameters[k].name; k++)
        if (!t->joint->parameters[k].as_built)
            draft.settings[draft.def.setting_count++] = (tn_setting){ t->joint->parameters[k].name, GIVEN };
    if (t->joint->drives)
        draft.def.motion.text = "0.4 * sin(3 * t) + 0.2";
    machine_must(m, tn_model_add_joint(NULL, m->model, "s.coupling", &draft.def));
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
static void set_parameters_of(const twin *t, tn_force_draft *draft)
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
            tn_force_draft_say(draft, (tn_expression){ .name = p->name, .text = text });
        else if (!p->as_built && !(joint && !t->angle && strcmp(p->name, "radius") == 0))
            tn_force_draft_set(draft, p->name, value_for(p->name, k));
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
        tn_force_draft draft;
        tn_force_draft_begin(&draft, t->force->name);
        if (t->force->place == TN_PLACE_JOINT) {
            draft.def.joint = joint;
            draft.def.coordinate = t->angle ? "angle" : "position";
        } else if (t->force->place == TN_PLACE_FRAMES) {
            draft.def.body1 = named(m, from[k]);
            draft.def.body2 = named(m, "s.b");
            draft.def.frame1 = random_place(t, 0.5);
            draft.def.frame2 = random_place(t, 0.5);
        }
        set_parameters_of(t, &draft);
        machine_must(m, tn_model_add_force(NULL, m->model, k == 0 ? "s.p" : "s.q", &draft.def));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_joint),
        cmocka_unit_test(test_every_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
