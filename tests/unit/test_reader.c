/* Model files: what each section builds, and what is said about mistakes. */
#include "entities.h"
#include "keys.h"
#include "read_model.h"

static const double PI = 3.14159265358979323846;

#define PLANE "tenon: 1\ndimension: 2\n"
#define SPACE "tenon: 1\n"
#define BAR "mass: 1, inertia: 0.1"
#define BRICK "mass: 1, inertia: [1, 1, 1]"

static const char slider_crank[] =
    "tenon: 1\n"
    "name: Slider-crank\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: { r: 0.3 m, L: r + 20 cm }\n"
    "bodies:\n"
    "  crank:\n"
    "    shapes: [ { rod: { from: [0, 0], to: [r, 0] }, mass: 1 kg } ]\n"
    "    position: [0, 0]\n"
    "    angle: 56 deg\n"
    "    frames: { tip: { at: [r, 0] } }\n"
    "  rod:\n"
    "    mass: 1 kg\n"
    "    com: [L/2, 0]\n"
    "    inertia: 0.006875 kg m^2\n"
    "    frames: { start: { at: [0, 0] }, end: { at: [L, 0] } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod.start] }\n"
    "  slide: { type: translational, between: [ground, rod.end], axis: x }\n"
    "initial: { pivot: { angle: 56 deg, rate: 60 rpm } }\n"
    "forces:\n"
    "  load: { type: force, on: rod.end, value: [1 kN, 0] }\n"
    "outputs: [pivot.angle, energy.total]\n"
    "solve: { until: 10 s, step: 1 ms, integrator: rk4, record: 10 ms }\n"
    "expect: { energy: 1e-8, reference: { file: a.csv, tolerance: 1e-6, channels: { phi: pivot.angle } } }\n";

static tn_joint *joint(const reading *r, const char *name)
{
    tn_id id = tn_model_find(r->model, name);
    assert_int_equal(id.kind, TN_KIND_JOINT);
    return &r->model->joints[id.index];
}

static tn_body *body(const reading *r, const char *name)
{
    tn_id id = tn_model_find(r->model, name);
    assert_int_equal(id.kind, TN_KIND_BODY);
    return &r->model->bodies[id.index];
}

static void test_slider_crank(void **state)
{
    (void)state;
    reading r = accepted(slider_crank);
    const tn_model *m = r.model;
    assert_string_equal(tn_model_name(m), "Slider-crank");
    assert_int_equal(tn_model_dimension(m), 2);
    assert_near(m->gravity[1], -9.81, 0);
    tn_body *crank = body(&r, "crank"), *rod = body(&r, "rod");
    assert_near(crank->mass, 1, 0);
    assert_near(crank->com[0], 0.15, 1e-15);
    assert_near(crank->inertia[2], 0.3 * 0.3 / 12, 1e-15);
    assert_true(crank->placed);
    assert_false(rod->placed);
    assert_near(rod->com[0], 0.25, 1e-15);
    assert_near(joint(&r, "elbow")->frame1.p[0], 0.3, 1e-15);
    assert_near(joint(&r, "slide")->frame2.p[0], 0.5, 1e-15);
    assert_near(joint(&r, "pivot")->start[0], 56 * PI / 180, 1e-15);
    assert_near(joint(&r, "pivot")->start_rate[0], 2 * PI, 1e-14);
    assert_true(isnan(joint(&r, "elbow")->start[0]));
    assert_near(m->forces[0].parameters[0], 1000, 0);
    assert_int_equal(tn_model_output_count(m), 2);
    assert_near(m->solve.step, 1e-3, 0);
    assert_string_equal(m->solve.integrator, "rk4");
    assert_near(m->expect.energy, 1e-8, 0);
    assert_true(isnan(m->expect.drift));
    assert_string_equal(m->expect.reference, "/tmp/a.csv");
    assert_string_equal(m->expect.columns[0].channel, "pivot.angle");
    assert_int_equal(tn_model_entity_span(m, tn_model_find(m, "elbow")).line, 19);
    assert_int_equal(tn_model_entity_span(m, tn_model_find(m, "elbow")).column, 3);
    done(&r);
}

/* A pose in the world, from the body it is given on. */
static tn_pose in_world(const reading *r, uint32_t index, tn_pose frame)
{
    return tn_pose_compose(&r->model->bodies[index].pose, &frame);
}

static void z_axis(const tn_pose *pose, double z[3])
{
    const double *q = pose->q;
    z[0] = 2 * (q[1] * q[3] + q[0] * q[2]);
    z[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
    z[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

static void test_as_built(void **state)
{
    (void)state;
    reading r = accepted(SPACE "bodies:\n"
                               "  a: { " BRICK ", position: [1, 2, 3], rotation: { axis: [1, 1, 0], angle: 70 deg } }\n"
                               "  b: { " BRICK ", position: [0, -1, 0], rotation: { euler: [10 deg, 1, 0.5] } }\n"
                               "joints:\n"
                               "  h: { type: revolute, between: [a, b], at: [4, 5, 6], axis: [0, 3, 4] }\n"
                               "  u: { type: universal, between: [a, b], at: [4, 5, 6], axis: x, axis2: -y }\n");
    const tn_joint *h = joint(&r, "h"), *u = joint(&r, "u");
    tn_pose w1 = in_world(&r, h->body1, h->frame1), w2 = in_world(&r, h->body2, h->frame2);
    const double at[3] = { 4, 5, 6 }, axis[3] = { 0, 0.6, 0.8 }, y[3] = { 0, -1, 0 };
    double z1[3], z2[3];
    z_axis(&w1, z1);
    z_axis(&w2, z2);
    for (int k = 0; k < 3; k++) {
        assert_near(w1.p[k], at[k], 1e-14);
        assert_near(w2.p[k], at[k], 1e-14);
        assert_near(z1[k], axis[k], 1e-14);
        assert_near(z2[k], axis[k], 1e-14);
    }
    tn_pose u2 = in_world(&r, u->body2, u->frame2);
    z_axis(&u2, z2);
    for (int k = 0; k < 3; k++)
        assert_near(z2[k], y[k], 1e-14);
    done(&r);
}

/* The same orientation in three ways. */
static void test_rotations(void **state)
{
    (void)state;
    reading r = accepted(SPACE "bodies:\n"
                               "  a: { " BRICK ", rotation: { axis: z, angle: 90 deg } }\n"
                               "  b: { " BRICK ", rotation: { quaternion: [1, 0, 0, 1] } }\n"
                               "  c: { " BRICK ", rotation: { euler: [0, 0, 90 deg] } }\n"
                               "  d: { " BRICK ", rotation: { euler: [90 deg, 0, 90 deg] } }\n");
    for (int k = 0; k < 4; k++) {
        assert_near(body(&r, "a")->pose.q[k], k == 0 || k == 3 ? sqrt(0.5) : 0, 1e-15);
        assert_near(body(&r, "b")->pose.q[k], body(&r, "a")->pose.q[k], 1e-15);
        assert_near(body(&r, "c")->pose.q[k], body(&r, "a")->pose.q[k], 1e-15);
    }
    double z[3];       /* about x by 90 deg: z points to -y, and a turn about the new z leaves it there */
    z_axis(&body(&r, "d")->pose, z);
    assert_near(z[1], -1, 1e-15);
    done(&r);
}

static void test_frames_and_axis(void **state)
{
    (void)state;
    reading r = accepted(PLANE "bodies:\n"
                               "  ground: { frames: { post: { at: [1, 0] } } }\n"
                               "  a: { " BAR ", frames: { f: { at: [1, 2], angle: 90 deg }, g: { axis: y } } }\n"
                               "joints:\n"
                               "  s: { type: translational, between: [ground.post, a.f], axis: [1, 1] }\n"
                               "  p: { type: revolute, between: [ground, a.g] , at: [3, 4] }\n");
    const tn_joint *s = joint(&r, "s");
    assert_near(2 * atan2(s->frame1.q[3], s->frame1.q[0]), 45 * PI / 180, 1e-15);
    assert_near(2 * atan2(s->frame2.q[3], s->frame2.q[0]), 135 * PI / 180, 1e-15);
    assert_near(s->frame1.p[0], 1, 0);
    assert_near(joint(&r, "p")->frame1.p[1], 4, 0);
    assert_near(2 * atan2(joint(&r, "p")->frame2.q[3], joint(&r, "p")->frame2.q[0]), 90 * PI / 180, 1e-15);
    done(&r);
}

static void test_couplings_in_any_order(void **state)
{
    (void)state;
    reading r = accepted(PLANE "bodies: { a: { " BAR " }, b: { " BAR " } }\n"
                               "joints:\n"
                               "  mesh: { type: gear, joints: [p, q.angle], ratio: 2 }\n"
                               "  sum: { type: coupler, terms: { p.angle: 1, q: -3 }, offset: 0 }\n"
                               "  way: { type: coupler, terms: { p.angle: 30 mm, q.angle: -4 cm } }\n"
                               "  p: { type: revolute, between: [ground, a], at: [0, 0] }\n"
                               "  q: { type: revolute, between: [ground, b], at: [1, 0] }\n");
    const tn_joint *mesh = joint(&r, "mesh"), *sum = joint(&r, "sum");
    assert_int_equal(mesh->term_count, 2);
    assert_int_equal(mesh->terms[0].joint, tn_model_find(r.model, "p").index);
    assert_near(mesh->parameters[0], 2, 0);
    assert_near(sum->terms[1].factor, -3, 0);
    assert_near(joint(&r, "way")->terms[0].factor, 0.03, 0);
    assert_near(joint(&r, "way")->terms[1].factor, -0.04, 0);
    done(&r);
}

static void test_own_type(void **state)
{
    (void)state;
    reading r = accepted(PLANE "joint_types:\n"
                               "  link: { parameters: { L: length }, equations: [\"d . d - L^2\"],\n"
                               "          coordinates: { angle: \"turn(x1, y1, x2)\", reach: norm(d) } }\n"
                               "bodies: { a: { " BAR " } }\n"
                               "joints: { l: { type: link, between: [ground, a], L: 30 mm } }\n"
                               "initial: { l: { reach: 3 cm, reach_rate: 1 m/s, angle_rate: 1 } }\n");
    const tn_joint *l = joint(&r, "l");
    assert_near(l->parameters[0], 0.03, 1e-17);
    assert_string_equal(l->type->planar.equations[0], "d . d - L^2");
    assert_near(l->start[1], 0.03, 1e-17);
    assert_near(l->start_rate[0], 1, 0);
    assert_near(l->start_rate[1], 1, 0);
    done(&r);
}

/* Joints as built refer to the bodies section; initial moves the bodies afterwards. */
static void test_initial_of_a_body(void **state)
{
    (void)state;
    reading r = accepted(PLANE "bodies: { a: { " BAR ", position: [1, 0] } }\n"
                               "joints: { p: { type: revolute, between: [ground, a], at: [0, 0] } }\n"
                               "initial: { a: { position: [0, 1], angle: 90 deg, angular_velocity: 2 rad/s } }\n");
    assert_near(joint(&r, "p")->frame2.p[0], -1, 1e-15);
    assert_near(body(&r, "a")->pose.p[1], 1, 0);
    assert_near(body(&r, "a")->angular_velocity[2], 2, 0);
    done(&r);
}

static void test_parameters(void **state)
{
    (void)state;
    reading r = accepted(SPACE "parameters: { a: 2*b, b: c + 1 mm, c: \"1 cm\" }\n"
                               "bodies: { x: { mass: 2 kg, inertia: [1, 1, 1], com: [a, b, c] } }\n");
    assert_near(body(&r, "x")->com[0], 0.022, 1e-17);
    done(&r);
    refused(SPACE "parameters: { a: b, b: 2*c, c: a }\n", "parameter 'a': depends on itself: a -> b -> c -> a");
    refused(SPACE "parameters: { a: a }\n", "parameter 'a': depends on itself: a -> a");
    refused(SPACE "parameters: { len: 1, b: 2*lenn }\n", "2:28: parameter 'b':");
    refused(SPACE "parameters: { a: 1/0 }\n", "parameter 'a': ");
    refused(SPACE "parameters: { 2a: 1 }\n", "parameter '2a'");
}

/* What depends on a wrong parameter is not reported again. */
static void test_one_cause_one_error(void **state)
{
    (void)state;
    reading r = read_string(SPACE "parameters: { a: 1 +, b: a }\n"
                                  "bodies:\n"
                                  "  x: { mass: b, inertia: [1, 1, 1] }\n"
                                  "  y: { " BRICK ", frames: { f: { at: [0, 0] } } }\n"
                                  "joints:\n"
                                  "  j: { type: revolute, between: [ground, x], at: [0, 0, 0] }\n"
                                  "  k: { type: gear, joints: [j, j], ratio: 1 }\n"
                                  "initial: { j: { angle: 1 } }\n");
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, "parameter 'a'");
    must_say(&r, "body 'y': 'at' needs 3 numbers, not 2");
    assert_int_equal(tn_diagnostics_count(r.context), 2);
    done(&r);
}

static void test_messages(void **state)
{
    (void)state;
    const struct { const char *text, *words; } cases[] = {
        { "name: x\n", "1:1: 'tenon: 1' is missing" },
        { "tenon: 2\n", "1:8: 'tenon' is 2, must be 1" },
        { "tenon: 1\ndimension: 4\n", "2:12: 'dimension' is 4, must be 2 or 3" },
        { "tenon: 1\nname: gr\xfc\xdf" "e\n", "2:9: this is no text in UTF-8 (byte 0xfc): save the file as UTF-8" },
        { "tenon: 1\nname: \xc3\xa9\xe9n\n", "2:8: this is no text in UTF-8 (byte 0xe9)" },
        { "tenon: 1\nbodies:\n\ta: {}\n", "3:1: lines are indented with spaces, not with tabs" },
        { "tenon: 1\nboddies: {}\n", "2:1: unknown key 'boddies'; did you mean 'bodies'?" },
        { "tenon: 1\nground: { frames: {} }\n", "2:1: unknown key 'ground': ground is a body that is always there: bodies:" },
        { "tenon: 1\nbodies: [1]\n", "2:9: 'bodies' must be a map" },
        { "tenon: 1\nname: a\nname: b\n", "3:1: duplicate key 'name', already given in line 2" },
        { "[1, 2]\n", "1:1: a model file is a map" },
        { "", "1:1: a model file is a map" },
        { SPACE "bodies: { a: { mass: 3 m, inertia: [1, 1, 1] } }\n",
          "2:22: body 'a': 'mass': 3 m is a length, expected a mass (kg)" },
        { SPACE "bodies: { a: { mass: -1 kg, inertia: [1, 1, 1] } }\n", "2:22: body 'a': mass -1 kg must be positive" },
        { SPACE "bodies: { a: { mass: 12 kgg, inertia: [1, 1, 1] } }\n", "2:25: body 'a': 'mass'" },
        { SPACE "bodies: { a: { mass: -.inf, inertia: [1, 1, 1] } }\n", "'mass': must be a finite number" },
        { SPACE "bodies: { a: { mass: nan, inertia: [1, 1, 1] } }\n", "body 'a': 'mass'" },
        { SPACE "bodies: { a: { mass: 1e999, inertia: [1, 1, 1] } }\n", "'mass': 1e999 is not a finite number" },
        { SPACE "bodies: { a: { mass: , inertia: [1, 1, 1] } }\n", "'mass' must be a number, not empty" },
        { SPACE "bodies: { a: { inertia: [1, 1, 1] } }\n", "2:11: body 'a': " },
        { SPACE "bodies: { a: { mass: 1, inertia: [1, 1, 3] } }\n", "2:11: body 'a': " },
        { SPACE "bodies: { a: { mass: 1, inertia: [1, 1, 0] } }\n", "2:11: body 'a': " },
        { SPACE "bodies: { a: { mass: 1, inertia: [1, 1] } }\n", "'inertia' needs 3 to 6 numbers, not 2" },
        { SPACE "bodies: { a: { " BRICK ", position: [1, 2] } }\n", "'position' needs 3 numbers, not 2; a model in the plane says 'dimension: 2'" },
        { SPACE "bodies: { a: { " BRICK ", angle: 3 } }\n", "'angle' is for planar models" },
        { PLANE "bodies: { a: { " BAR ", rotation: {} } }\n", "'rotation' is for spatial models" },
        { SPACE "bodies: { a: { " BRICK ", rotation: { axis: x } } }\n", "needs either axis and angle" },
        { SPACE "bodies: { a: { " BRICK ", rotation: { quaternion: [0, 0, 0, 0] } } }\n", "must not be zero" },
        { SPACE "bodies: { a: { " BRICK ", frames: { f: { ta: [0, 0, 0] } } } }\n", "did you mean 'at'?" },
        { SPACE "bodies: { a: { shapes: [ { cube: {} } ] } }\n", "unknown key 'cube'" },
        { SPACE "bodies: { a: { shapes: [ { sphere: { radius: 0 }, mass: 1 } ] } }\n", "radius 0 m must be positive" },
        { SPACE "bodies: { a: { shapes: [ { sphere: { radius: 1 }, mass: 1, density: 2 } ] } }\n", "either 'mass' or" },
        { SPACE "bodies: { a: { shapes: [ { rod: { from: [0, 0, 0] }, mass: 1 } ] } }\n", "belong together" },
        { SPACE "bodies: { a: { type: ridig, mass: 1 } }\n", "did you mean 'rigid'?" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++)
        refused(cases[i].text, cases[i].words);
}

static void test_joint_messages(void **state)
{
    (void)state;
#define CRANK SPACE "bodies: { crank: { " BRICK ", frames: { tip: {} } } }\n"
    const struct { const char *text, *words; } cases[] = {
        { CRANK "joints: { j: { type: revolute, between: [ground, crank.tpi] } }\n",
          "3:50: joint 'j': no frame 'tpi' on body 'crank'; did you mean 'tip'?" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crnak] } }\n",
          "3:50: joint 'j': no body 'crnak'; did you mean 'crank'?" },
        { CRANK "joints: { j: { type: revolut, between: [ground, crank] } }\n",
          "3:22: joint 'j': no joint type 'revolut'; did you mean 'revolute'?" },
        { CRANK "joints: { j: { between: [ground, crank] } }\n", "3:14: joint 'j': 'type' is missing" },
        { CRANK "solve: { inertia_check: warn }\n", "unknown key 'inertia_check' in a solve; it is a key of the model itself, bodies; there are" },
        { CRANK "solve: { dt: 1 ms }\n", "unknown key 'dt'; did you mean 'step'?" },
        { CRANK "forces: { s: { type: spring, on: crank, k: 1, length: 1 } }\n", "unknown key 'k'; did you mean 'stiffness'?" },
        { "tenon: 1\ndevices: { R: { type: resistor, pins: [a, b], resistance: 1 ohm } }\n", "unknown key 'pins'; did you mean 'at'?" },
        { "tenon: 1\nsubsystems: { one: { file: x.yaml } }\n", "unknown key 'file'; did you mean 'use'?" },
        { "tenon: 1\ntables: { m: { x: [0, 1], y: [0, 1], interpolation: linear } }\n", "unknown key 'interpolation'; did you mean 'kind'?" },
        { CRANK "joints: { j: { type: revolute, parent: ground, child: crank } }\n", "unknown key 'parent'; did you mean 'between'?" },
        { CRANK "joints: { j: { type: revolute } }\n", "'between' is missing" },
        { CRANK "joints: { j: { type: revolute, between: [ground] } }\n", "'between' must be a list of two" },
        { CRANK "joints: { j: { type: revolute, between: [crank, crank] } }\n", "joint 'j'" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crank], axis: [0, 0, 0] } }\n",
          "'axis' must not be zero" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crank], axis: w } }\n", "'axis' must be x, y, z" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crank], at: [0, 0, 0], axes: z } }\n",
          "unknown key 'axes'; did you mean 'axis'?" },
        { CRANK "joints: { j: { type: spherical, between: [ground, crank], axis: z } }\n", "spherical has no axis" },
        { CRANK "joints: { j: { type: universal, between: [ground, crank], axis: z } }\n", "'axis2' is missing" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crank], axis2: z } }\n", "no second axis" },
        { CRANK "joints: { j: { type: rod, between: [ground, crank], length: 3 s } }\n",
          "3 s is a time, expected a length (m)" },
        { CRANK "joints: { j: { type: gear, joints: [k], ratio: 1 } }\n", "'joints' must name 2 joints" },
        { CRANK "joints: { j: { type: gear, joints: [j, j], ratio: 1 } }\n", "no joint 'j'" },
        { CRANK "joints: { j: { type: coupler } }\n", "'terms' must be a map" },
        { CRANK "joints: { p: { type: revolute, between: [ground, crank] }, j: { type: coupler, terms: { p.angle: 30 mm, p: 2 kg } } }\n",
          "2 kg times its coordinate is mass, and another term is length: they cannot be added" },
        { CRANK "joint_types: { t: { doc: nothing } }\n", "needs 'equations', 'velocity_equations' or 'coordinates'" },
        { CRANK "joint_types: { t: { parameters: { a: lenght }, equations: [d] } }\n", "must be length, angle" },
        { CRANK "forces: { f: { type: fource, on: crank } }\n", "no force type 'fource'; did you mean 'force'?" },
        { CRANK "forces: { f: { type: spring-damper, on: crank } }\n", "no force type 'spring-damper'; did you mean 'spring'?" },
        { CRANK "forces: { f: { type: revolute, on: crank } }\n", "it is a joint type, write it under 'joints'" },
        { CRANK "joints: { j: { type: hinge, between: [ground, crank] } }\n", "no joint type 'hinge'; did you mean 'revolute'?" },
        { CRANK "joints: { j: { type: slider, between: [ground, crank] } }\n", "no joint type 'slider'; did you mean 'prismatic'?" },
#define PLATE "tenon: 1\ndimension: 2\nbodies: { crank: { mass: 1, inertia: 1 } }\n"
        { PLATE "joints: { j: { type: slider, between: [ground, crank] } }\n", "no joint type 'slider'; did you mean 'translational'?" },
        { PLATE "joints: { j: { type: prismatic, between: [ground, crank] } }\n",
          "joint type 'prismatic' exists only in space (dimension: 3); did you mean 'translational'?" },
        { PLATE "joints: { j: { type: universl, between: [ground, crank] } }\n", "no joint type 'universl'" },
        { "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1, shapes: [ { hul: {} } ] } }\n", "ellipsoid, tube, bowl, mesh, mass" },
        { SPACE "bodies: { a: { shapes: [ { hul: {} } ] } }\n", "unknown key 'hul'; did you mean 'hull'?" },
        { CRANK "joints: { j: { type: spring, between: [ground, crank] } }\n", "it is a force type, write it under 'forces'" },
        { CRANK "forces: { f: { type: force, value: [1, 2, 3] } }\n", "'on' or 'between' is missing" },
        { CRANK "forces: { f: { type: force, on: crank, value: 3 } }\n", "'value' must be a list of 3 numbers" },
        { CRANK "forces: { f: { type: force, on: crank, value: [1 N, 2 m, 3 N] } }\n",
          "2 m is a length, expected a force (N)" },
        { CRANK "parameters: { m: 2 kg }\nforces: { f: { type: force, on: crank, value: [1 J / m, 0 N, 0 N] } }\n",
          "expected a force (N); 'm' is a parameter here, not the unit" },
        { CRANK "parameters: { m: 2 }\nforces: { f: { type: force, on: crank, value: [5 N/m, 0 N, 0 N] } }\n",
          "expected a force (N)" },
        { CRANK "forces: { f: { type: force, on: crank, value: 3 } }\n", "'value' must be a list of 3 numbers" },
        { CRANK "forces: { f: { type: force, on: crank, valu: [1, 2, 3] } }\n", "did you mean 'value'?" },
        { CRANK "joints: { j: { type: revolute, between: [ground, crank] } }\ninitial: { j: { angel: 1 } }\n",
          "did you mean 'angle'?" },
        { CRANK "initial: { crnak: { position: [0, 0, 0] } }\n",
          "no joint, body or force 'crnak'; did you mean 'crank'?" },
        { CRANK "solve: { integrator: rk44 }\n", "no integrator 'rk44'; did you mean 'rk4'?" },
        { CRANK "solve: { solver: dircet }\n", "solve: no solver 'dircet'; did you mean 'direct'?" },
        { CRANK "solve: { step: 0 }\n", "step 0 s must be positive" },
        { CRANK "solve: { until: 3 kg }\n", "3 kg is a mass, expected a time (s)" },
        { CRANK "expect: { reference: { file: a.csv } }\n", "'tolerance' is missing" },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++)
        refused(cases[i].text, cases[i].words);
}

static void test_includes(void **state)
{
    (void)state;
    char folder[64];
    temporary_folder(folder, sizeof folder);
    write_text(folder, "main.yaml", "tenon: 1\ninclude: [parts/a.yaml, b.yaml]\n"
                                    "joints: { j: { type: revolute, between: [a, b], at: [L, 0, 0] } }\n");
    char parts[100];
    snprintf(parts, sizeof parts, "%s/parts", folder);
    assert_int_equal(mkdir(parts, 0777), 0);
    write_text(parts, "a.yaml", "include: ../b.yaml\nbodies: { a: { " BRICK ", com: [L, 0, 0] } }\n");
    write_text(folder, "b.yaml", "parameters: { L: 2 m }\nbodies: { b: { " BRICK " } }\n");
    reading r = read_in(folder, "main.yaml");
    assert_int_equal(r.code, TN_OK);
    assert_near(body(&r, "a")->com[0], 2, 0);
    assert_int_equal(tn_model_count(r.model, TN_KIND_BODY), 2);
    done(&r);

    write_text(folder, "b.yaml", "include: main.yaml\n");
    r = read_in(folder, "main.yaml");
    must_say(&r, "cyclic include: ");
    must_say(&r, "main.yaml -> ");
    done(&r);

    write_text(folder, "b.yaml", "bodies: { b: { mass: 3 m } }\n");
    r = read_in(folder, "main.yaml");
    must_say(&r, "1:22: body 'b': 'mass': 3 m is a length");
    assert_non_null(strstr(tn_diagnostics_get(r.context, 0)->span.file, "b.yaml"));
    done(&r);

    write_text(folder, "main.yaml", "tenon: 1\ninclude: nowhere.yaml\n");
    r = read_in(folder, "main.yaml");
    must_say(&r, "2:10: cannot read '");
    done(&r);
}

/* The unit cube: corner v is at (bit 0, bit 1, bit 2 of v). */
static const char corners[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                     { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };

static void write_binary_cube(const char *folder, const char *name)
{
    unsigned char data[84 + 12 * 50] = { 0 };
    data[80] = 12;
    for (int f = 0; f < 12; f++)
        for (int k = 0; k < 9; k++)
            if (corners[f][k / 3] >> k % 3 & 1)            /* 1.0f, least significant byte first */
                memcpy(data + 84 + 50 * f + 12 + 4 * k, "\x00\x00\x80\x3f", 4);
    write_file(folder, name, data, sizeof data);
}

/* As text, the last faces left out. */
/* turned: inside out. */
static void write_cube(const char *folder, const char *name, int faces, bool turned)
{
    char text[8000] = "solid cube\n";
    for (int f = 0; f < faces; f++) {
        strcat(text, " facet normal 0 0 0\n  outer loop\n");
        for (int c = 0; c < 3; c++) {
            char line[60];
            int v = corners[f][turned ? 2 - c : c];
            snprintf(line, sizeof line, "   vertex %d.0 %d %de0\n", v & 1, v >> 1 & 1, v >> 2);
            strcat(text, line);
        }
        strcat(text, "  endloop\n endfacet\n");
    }
    strcat(text, "endsolid cube\n");
    write_text(folder, name, text);
}

static void test_mesh(void **state)
{
    (void)state;
    char folder[64];
    temporary_folder(folder, sizeof folder);
    write_cube(folder, "cube.stl", 12, false);
    write_cube(folder, "open.stl", 11, false);
    write_binary_cube(folder, "bin.stl");
    write_text(folder, "good.yaml", SPACE "bodies:\n"
                                          "  a: { shapes: [ { mesh: { file: cube.stl, scale: 2 m }, density: 3 } ] }\n"
                                          "  b: { shapes: [ { mesh: { file: bin.stl, scale: 2 }, density: 3 } ] }\n");
    reading r = read_in(folder, "good.yaml");
    if (r.code != TN_OK)
        tn_diagnostics_print(r.context, stderr);
    assert_int_equal(r.code, TN_OK);
    const tn_body *a = body(&r, "a");
    assert_int_equal(a->shapes[0].vertex_count, 8);
    assert_int_equal(a->shapes[0].triangle_count, 12);
    assert_near(a->mass, 24, 1e-12);
    assert_near(a->com[2], 1, 1e-14);
    assert_near(a->inertia[0], 24 * (4 + 4) / 12.0, 1e-12);
    assert_memory_equal(body(&r, "b")->shapes[0].vertices, a->shapes[0].vertices, 24 * sizeof(double));
    assert_memory_equal(body(&r, "b")->shapes[0].triangles, a->shapes[0].triangles, 36 * sizeof(int));
    done(&r);

    write_text(folder, "bad.yaml", SPACE "bodies:\n"
                                         "  a: { shapes: [ { mesh: { file: open.stl }, density: 1 } ] }\n"
                                         "  b: { shapes: [ { mesh: { file: none.stl }, density: 1 } ] }\n"
                                         "  c: { shapes: [ { mesh: { file: bad.yaml }, density: 1 } ] }\n");
    r = read_in(folder, "bad.yaml");
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, "3:3: body 'a'");
    must_say(&r, "4:34: body 'b': cannot read");
    must_say(&r, "not an STL file");
    assert_int_equal(tn_diagnostics_count(r.context), 3);
    done(&r);
}

/* Closed surfaces that are inside out are refused; with a hole they are said to be touched from inside. */
static void test_turned_mesh(void **state)
{
    (void)state;
    char folder[64];
    temporary_folder(folder, sizeof folder);
    write_cube(folder, "turned.stl", 12, true);
    write_cube(folder, "turned_open.stl", 11, true);
    write_cube(folder, "open.stl", 11, false);
    write_cube(folder, "bowl.stl", 6, true);
    write_text(folder, "bad.yaml", SPACE "bodies: { a: { mass: 1, shapes: [ { mesh: { file: turned.stl, touch: surface } } ] } }\n");
    reading r = read_in(folder, "bad.yaml");
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, "body 'a': shape 1: the mesh is inside out");
    done(&r);
    write_text(folder, "open.yaml", SPACE "bodies:\n"
                                          "  ground: { shapes: [ { mesh: { file: turned_open.stl, touch: surface } },\n"
                                          "    { mesh: { file: open.stl, touch: surface } }, { mesh: { file: bowl.stl, touch: surface } } ] }\n");
    r = read_in(folder, "open.yaml");
    assert_int_equal(r.code, TN_OK);
    must_say(&r, "body 'ground': shape 1: the mesh has holes, and its triangles face inwards");
    assert_int_equal(tn_diagnostics_count(r.context), 1);
    done(&r);
}

static void collect_keys(const tn_section *section, const char *document, int depth)
{
    for (const tn_key *key = section->keys; key->name != NULL; key++) {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "`%s`", key->name);
        if (strstr(document, quoted) == NULL)
            fail_msg("docs/model-format.md does not explain %s of a %s", quoted, section->name);
        if (key->section != NULL && depth < 8)
            collect_keys(key->section, document, depth + 1);
    }
}

static void test_every_key_is_documented(void **state)
{
    (void)state;
    FILE *in = fopen(TENON_SOURCE_DIR "/docs/model-format.md", "r");
    assert_non_null(in);
    static char document[100000];
    size_t size = fread(document, 1, sizeof document - 1, in);
    fclose(in);
    document[size] = '\0';
    collect_keys(&tn_section_top, document, 0);
}

static void test_schema_and_describe(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    char *text;
    assert_int_equal(tn_schema_text(&text, context), TN_OK);
    assert_non_null(strstr(text, "\"const\": \"revolute\""));
    assert_non_null(strstr(text, "json-schema.org/draft/2020-12"));
    tn_text_free(context, text);
    assert_int_equal(tn_describe_text(&text, context, NULL, false), TN_OK);
    assert_non_null(strstr(text, "revolute"));
    assert_non_null(strstr(text, "rk4"));
    tn_text_free(context, text);
    assert_int_equal(tn_describe_text(&text, context, "rod", false), TN_OK);
    assert_non_null(strstr(text, "rod (joint)"));
    assert_non_null(strstr(text, "rod (shape)"));
    tn_text_free(context, text);
    assert_int_equal(tn_describe_text(&text, context, "revolut", true), TN_ERROR_ARGUMENT);
    assert_null(text);
    assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "did you mean 'revolute'?"));
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_as_built),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_frames_and_axis),
        cmocka_unit_test(test_couplings_in_any_order),
        cmocka_unit_test(test_own_type),
        cmocka_unit_test(test_initial_of_a_body),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_one_cause_one_error),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_joint_messages),
        cmocka_unit_test(test_includes),
        cmocka_unit_test(test_mesh), cmocka_unit_test(test_turned_mesh),
        cmocka_unit_test(test_every_key_is_documented),
        cmocka_unit_test(test_schema_and_describe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
