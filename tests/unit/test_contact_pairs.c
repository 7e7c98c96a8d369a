/* Each kind of shape in space falls onto each other kind: the run ends, nothing passes through, energy falls.
 * TENON_PAIR_POSES=N: N poses of each pair, of both shapes, in place of one. */
#include "event_runs.h"

#include <stdlib.h>
#include <string.h>

typedef struct kind {
    const char *name, *small, *large;          /* about 0.1 m and 0.25 m large */
    enum { NO_TURN, AXIS, ROTATION } turn;     /* by which key the large one is turned */
} kind;

static const kind kinds[] = {
    { "sphere", "sphere: { radius: 0.06 }", "sphere: { radius: 0.15 }", NO_TURN },
    { "box", "box: { size: [0.12, 0.1, 0.08] }", "box: { size: [0.3, 0.25, 0.2] }", ROTATION },
    { "cylinder", "cylinder: { radius: 0.05, length: 0.1 }", "cylinder: { radius: 0.125, length: 0.25 }", AXIS },
    { "cone", "cone: { radius: 0.06, length: 0.12 }", "cone: { radius: 0.15, length: 0.3 }", AXIS },
    { "capsule", "capsule: { radius: 0.04, length: 0.08 }", "capsule: { radius: 0.1, length: 0.2 }", AXIS },
    { "ellipsoid", "ellipsoid: { half_axes: [0.07, 0.05, 0.04] }", "ellipsoid: { half_axes: [0.18, 0.12, 0.1] }", ROTATION },
    { "torus", "torus: { radius: 0.06, tube: 0.02 }", "torus: { radius: 0.14, tube: 0.1 }", AXIS },
    { "hull", "hull: { points: [[0, 0, 0.06], [0.06, 0, -0.04], [-0.04, 0.05, -0.04], [-0.04, -0.05, -0.04]] }",
      "hull: { points: [[0, 0.02, 0.15], [0.15, 0, -0.1], [-0.1, 0.12, -0.1], [-0.1, -0.12, -0.1], [0.1, 0.1, 0.1]] }", ROTATION },
    { "prism", "polygon: { corners: [[-0.05, -0.04], [0.05, -0.04], [0.06, 0.03], [0, 0.06]], thickness: 0.08 }",
      "polygon: { corners: [[-0.12, -0.1], [0.12, -0.1], [0.15, 0.07], [0, 0.15]], thickness: 0.2 }", ROTATION },
    { "tube", "tube: { radius: 0.06, inner: 0.03, length: 0.08 }", "tube: { radius: 0.15, inner: 0.03, length: 0.2 }", AXIS },
    { "height field", NULL, "height_field: { heights: [[0.02, 0, 0.03, 0], [0, 0.03, 0, 0.02], [0.02, 0, 0.04, 0], [0, 0.02, 0, 0.03]], "
                            "spacing: [0.2, 0.2], at: [-0.3, -0.3, 0] }", NO_TURN },
    { "half-space", NULL, "half_space: {}", NO_TURN },
    { "bowl", NULL, "bowl: { radius: 0.3, at: [0, 0, 0.3] }", NO_TURN },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct watch {
    tn_readout *readout;
    double energy, largest, rise, gap, pressed;
} watch;

static int look(void *user, const tn_session *session)
{
    watch *w = user;
    double values[3];
    (void)session;
    assert_int_equal(tn_readout_values(values, w->readout), TN_OK);
    w->rise = fmax(w->rise, values[0] - w->energy);
    w->energy = values[0];
    w->gap = fmin(w->gap, values[1]);
    w->pressed = fmax(w->pressed, values[2]);
    return 0;
}

/* J, of 1.5 J that are lost: rolling on round shapes is stepped to first order. */
static const double MOST_RISE = 1e-3;
/* m */
static const double MOST_OVERLAP = 1e-6;

/* A number from -1 to 1. */
static double draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Writes the large shape, turned somehow in poses other than 0. */
static void write_large(char *text, size_t size, const kind *k, int pose, uint32_t *seed)
{
    double x = draw(seed), y = draw(seed), z = draw(seed), angle = 1.5 * (1 + draw(seed));
    int open = (int)strlen(k->large) - 1;
    if (pose == 0 || k->turn == NO_TURN)
        snprintf(text, size, "%s", k->large);
    else if (k->turn == AXIS)
        snprintf(text, size, "%.*s, axis: [%.4f, %.4f, %.4f] }", open, k->large, x, y, z);
    else
        snprintf(text, size, "%.*s, rotation: { axis: [%.4f, %.4f, %.4f], angle: %.4f } }", open, k->large, x, y, z, angle);
}

/* Runs a model with the contact `pair`, and tells whether it ends, touches, overlaps nowhere and gains no more energy than this. */
static bool falls_well(const char *text, const char *name, double most_rise)
{
    static const char *const channels[] = { "energy.total", "pair.gap", "pair.normal" };
    run x = { .r = accepted(text) };
    watch w = { .energy = INFINITY };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_readout_open(&w.readout, x.session, channels, 3), TN_OK);
    tn_session_on_step(x.session, look, &w);
    x.code = tn_session_run(x.session);
    bool touched = tn_session_impact_count(x.session) > 0 || w.pressed > 0;
    bool good = x.code == TN_NEWS_END && w.rise <= most_rise && w.gap > -MOST_OVERLAP && touched;
    if (!good)
        print_error("%s: code %d, energy rises by %g J, gap %g m%s\n", name, x.code, w.rise, w.gap, touched ? "" : ", no touch");
    close_run(&x);
    return good;
}

static bool drop(const kind *one, const kind *two, int pose)
{
    uint32_t seed = 7919u * (uint32_t)pose + 17;
    double p[6] = { 0.02, 0.01, 1, 2, 3, 0.7 };
    char large[600], text[1600];
    write_large(large, sizeof large, two, pose, &seed);
    for (int k = 0; k < 6 && pose > 0; k++)
        p[k] = (k < 2 ? 0.06 : k < 5 ? 1 : 3) * draw(&seed);
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
             "  part: { mass: 0.5, inertia: [0.0006, 0.0007, 0.0008], shapes: [ { %s } ], position: [%.4f, %.4f, %g],\n"
             "          rotation: { axis: [%.4f, %.4f, %.4f], angle: %.4f } }\n"
             "contacts: { pair: { between: [ground, part], friction: 0.4, restitution: 0.1 } }\n"
             "solve: { until: %g, contact: time-stepping, contact_step: 4 ms, record: 40 ms }\n",
             large, one->small, p[0], p[1], pose ? 0.36 : 0.3, p[2], p[3], p[4], p[5], pose ? 0.5 : 0.28);
    char name[100];
    snprintf(name, sizeof name, "%s on %s, pose %d", one->name, two->name, pose);
    return falls_well(text, name, MOST_RISE);
}

static void test_all_pairs(void **state)
{
    (void)state;
    const char *given = getenv("TENON_PAIR_POSES");
    int bad = 0, poses = given ? atoi(given) : 1;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS && kinds[i].small; j++)
            for (int pose = 0; pose < poses; pose++)
                bad += !drop(&kinds[i], &kinds[j], pose);
    assert_int_equal(bad, 0);
}

/* The rim of a cone meets the tube of a torus, whose normal there is between those of the base and of the sloping side. */
static void test_rims_of_cones(void **state)
{
    static const kind *const cone = &kinds[3], *const torus = &kinds[6];
    (void)state;
    assert_true(drop(cone, torus, 6) && drop(cone, torus, 7));
}

/* Falls that are followed exactly: bodies leave the last touch of a ring, and sharp rims meet edges while both turn. */
static void test_events(void **state)
{
    static const struct {
        const char *name, *ground, *part;
    } falls[] = {
        { "prism on torus", "torus: { radius: 0.14, tube: 0.1, axis: [-0.7271, 0.6228, 0.4271] }",
          "shapes: [ { polygon: { corners: [[-0.05, -0.04], [0.05, -0.04], [0.06, 0.03], [0, 0.06]], thickness: 0.08 } } ], "
          "position: [-0.0121, 0.0216, 0.36], rotation: { axis: [0.9972, 0.1762, 0.9443], angle: 1.4659 }" },
        { "prism on tube", "tube: { radius: 0.15, inner: 0.03, length: 0.2, axis: [0.7392, 0.8231, -0.4787] }",
          "shapes: [ { polygon: { corners: [[-0.05, -0.04], [0.05, -0.04], [0.06, 0.03], [0, 0.06]], thickness: 0.08 } } ], "
          "position: [-0.0195, -0.0381, 0.36], rotation: { axis: [-0.3694, 0.2332, -0.5728], angle: -2.4076 }" },
        { "tube on hull", "hull: { points: [[0, 0.02, 0.15], [0.15, 0, -0.1], [-0.1, 0.12, -0.1], [-0.1, -0.12, -0.1], [0.1, 0.1, 0.1]], "
          "rotation: { axis: [0.4316, 0.4260, 0.3044], angle: 2.6499 } }",
          "shapes: [ { tube: { radius: 0.06, inner: 0.03, length: 0.08 } } ], "
          "position: [-0.0537, -0.0409, 0.36], rotation: { axis: [-0.0986, -0.7352, -0.4264], angle: 1.4373 }" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof falls / sizeof *falls; i++) {
        char text[1600];
        snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
                 "  part: { mass: 0.5, inertia: [0.0006, 0.0007, 0.0008], %s }\n"
                 "contacts: { pair: { between: [ground, part], friction: 0.4, restitution: 0.1 } }\n"
                 "solve: { until: 0.3, record: 10 ms }\n", falls[i].ground, falls[i].part);
        assert_true(falls_well(text, falls[i].name, 1e-9));
    }
}

/* An edge of a box, a corner of a cone and a rim of a cylinder cut 4 mm into the outer edge of a tube; in its bore nothing overlaps. What
 * is deep in a torus is noticed; rings that go through each other do not overlap. */
static void test_cut_rings(void **state)
{
    static const struct {
        const char *shape, *place;
        int code;
        bool torus;
    } cuts[] = {
        { "box: { size: [0.1, 0.3, 0.1] }", "position: [0.127711, 0, 0.037], rotation: { axis: y, angle: 45 deg }", TN_ERROR_ASSEMBLY, false },
        { "cylinder: { radius: 0.05, length: 0.1 }", "position: [0.127711, 0, 0.037], rotation: { axis: y, angle: 45 deg }",
          TN_ERROR_ASSEMBLY, false },
        { "cone: { radius: 0.05, length: 0.1 }", "position: [0.0923, 0, 0.0723], rotation: { axis: y, angle: -135 deg }",
          TN_ERROR_ASSEMBLY, false },
        { "box: { size: [0.04, 0.04, 0.3] }", "position: [0, 0, 0]", TN_OK, false },
        { "cylinder: { radius: 0.05, length: 0.4 }", "position: [0.14, 0, 0]", TN_ERROR_ASSEMBLY, true },
        { "box: { size: [0.3, 0.3, 0.1] }", "position: [0, 0, 0]", TN_ERROR_ASSEMBLY, true },
        { "torus: { radius: 0.04, tube: 0.02 }", "position: [0.14, 0, 0], rotation: { axis: x, angle: 90 deg }", TN_ERROR_ASSEMBLY, true },
        { "torus: { radius: 0.1, tube: 0.02 }", "position: [0.14, 0, 0], rotation: { axis: x, angle: 90 deg }", TN_OK, true },
        { "box: { size: [0.1, 0.1, 0.1] }", "position: [0, 0, 0]", TN_OK, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        char text[600];
        snprintf(text, sizeof text, "tenon: 1\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
                 "  part: { mass: 1, inertia: [1, 1, 1], shapes: [ { %s } ], %s }\n"
                 "contacts: { pair: { between: [ground, part] } }\n",
                 cuts[i].torus ? "torus: { radius: 0.14, tube: 0.06 }" : "tube: { radius: 0.06, inner: 0.03, length: 0.08 }", cuts[i].shape, cuts[i].place);
        run x = { .r = accepted(text) };
        assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), cuts[i].code);
        close_run(&x);
    }
}

/* A body on a fixed shape, almost touching, under gravity along an axis: it stays, with so many touches. */
static void check_stays(const char *fixed, const char *shape, const double place[3], int down, double gravity, double touches)
{
    static const char *const axes[] = { "part.position.x", "part.position.y", "part.position.z" };
    double g[3] = { 0 };
    char text[900];
    g[down] = gravity;
    snprintf(text, sizeof text, "tenon: 1\ngravity: [%g, %g, %g]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
             "  part: { mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], shapes: [ { %s } ], position: [%.17g, %.17g, %.17g] }\n"
             "contacts: { pair: { between: [ground, part], friction: 0.3 } }\n"
             "solve: { until: 0.05, contact: time-stepping }\n", g[0], g[1], g[2], fixed, shape, place[0], place[1], place[2]);
    run x = run_parts(text, "", "");
    assert_near(value_of(&x, axes[down]), place[down], 2e-4);
    assert_near(value_of(&x, "pair.closed"), touches, 0);
    close_run(&x);
}

/* Symmetric places, whose nearest points are in the directions in which searches along circles begin: links of a chain hang in each
 * other whatever the directions of their axes; a ring and a rim lie on a bar at two points. */
static void test_symmetric_rings(void **state)
{
    static const char axes[] = "xyz";
    (void)state;
    for (int k = 0; k < 18; k++) {
        int i = k % 3, j = k / 3 % 3, down = 3 - i - j;
        double sign = k < 9 ? 1 : -1, place[3] = { 0 };
        char one[80], two[80];
        if (i == j)
            continue;
        place[down] = 0.0799 * sign;
        snprintf(one, sizeof one, "torus: { radius: 0.05, tube: 0.01, axis: %c }", axes[i]);
        snprintf(two, sizeof two, "torus: { radius: 0.05, tube: 0.01, axis: %c }", axes[j]);
        check_stays(one, two, place, down, 9.81 * sign, 1);
    }
    for (int i = 0; i < 2; i++) {
        char bar[80];
        snprintf(bar, sizeof bar, "capsule: { radius: 0.01, length: 0.4, axis: %c }", axes[i]);
        check_stays(bar, "torus: { radius: 0.05, tube: 0.01, axis: z }", (double[3]){ 0, 0, 0.0200001 }, 2, -9.81, 2);
        check_stays(bar, "cylinder: { radius: 0.05, length: 0.1, axis: z }", (double[3]){ 0, 0, 0.0600001 }, 2, -9.81, 2);
    }
}

/* A chain of rings that is pulled aside. Rings that touch overlap a little by the bend of the lines that stand for them, at the begin of a
 * piece of a step as at its end: shorter pieces would not end that. */
static void test_swinging_links(void **state)
{
    static const char *const channels[] = { "energy.total", "pair.gap", "pair.normal" };
    char text[1800];
    size_t n = (size_t)snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                                "  ground: { shapes: [ { torus: { radius: 0.05, tube: 0.01, axis: x } } ] }\n");
    (void)state;
    for (int k = 1; k < 5; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  l%d: { mass: 0.1, inertia: [%g, %g, 1.3e-4], position: [0, 0, %g],\n"
                              "        shapes: [ { torus: { radius: 0.05, tube: 0.01, axis: %c } } ] }\n", k, k % 2 ? 1.3e-4 : 2.6e-4,
                              k % 2 ? 2.6e-4 : 1.3e-4, -0.08 * k, k % 2 ? 'y' : 'x');
    snprintf(text + n, sizeof text - n, "contacts: { pair: { among: [ground, l1, l2, l3, l4], friction: 0.3 } }\n"
             "forces: { aside: { type: force, on: l4, value: [1 N, 0.3 N, 0] } }\nsolve: { until: 0.05 }\n");
    run x = { .r = accepted(text) };
    watch w = { .energy = INFINITY };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_readout_open(&w.readout, x.session, channels, 3), TN_OK);
    tn_session_on_step(x.session, look, &w);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_true(w.gap > -MOST_OVERLAP && w.pressed > 3.9);
    assert_true(tn_session_summary(x.session).evaluations < 10000);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_pairs), cmocka_unit_test(test_rims_of_cones),
                                        cmocka_unit_test(test_events), cmocka_unit_test(test_cut_rings),
                                        cmocka_unit_test(test_symmetric_rings), cmocka_unit_test(test_swinging_links) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
