/* Kinds of shapes in space fall onto each other: the run ends, nothing passes through, energy falls. Round shapes whose touches with
 * other round ones are those of polyhedra and bars fall onto half-spaces and into bowls only. */
#include "event_runs.h"

typedef struct kind {
    const char *name, *small, *large;          /* about 0.1 m and 0.25 m large */
    enum { EXACT, ROUGH, GROUND } use;         /* rough: falls onto ground only */
} kind;

static const kind kinds[] = {
    { "sphere", "sphere: { radius: 0.06 }", "sphere: { radius: 0.15 }", EXACT },
    { "box", "box: { size: [0.12, 0.1, 0.08] }", "box: { size: [0.3, 0.25, 0.2] }", EXACT },
    { "cylinder", "cylinder: { radius: 0.05, length: 0.1 }", "cylinder: { radius: 0.125, length: 0.25 }", EXACT },
    { "cone", "cone: { radius: 0.06, length: 0.12 }", "cone: { radius: 0.15, length: 0.3 }", ROUGH },
    { "capsule", "capsule: { radius: 0.04, length: 0.08 }", "capsule: { radius: 0.1, length: 0.2, axis: x }", EXACT },
    { "ellipsoid", "ellipsoid: { half_axes: [0.07, 0.05, 0.04] }", "ellipsoid: { half_axes: [0.18, 0.12, 0.1] }", ROUGH },
    { "torus", "torus: { radius: 0.06, tube: 0.02 }", "torus: { radius: 0.14, tube: 0.1 }", ROUGH },
    { "hull", "hull: { points: [[0, 0, 0.06], [0.06, 0, -0.04], [-0.04, 0.05, -0.04], [-0.04, -0.05, -0.04]] }",
      "hull: { points: [[0, 0.02, 0.15], [0.15, 0, -0.1], [-0.1, 0.12, -0.1], [-0.1, -0.12, -0.1], [0.1, 0.1, 0.1]] }", EXACT },
    { "prism", "polygon: { corners: [[-0.05, -0.04], [0.05, -0.04], [0.06, 0.03], [0, 0.06]], thickness: 0.08 }",
      "polygon: { corners: [[-0.12, -0.1], [0.12, -0.1], [0.15, 0.07], [0, 0.15]], thickness: 0.2 }", EXACT },
    { "tube", "tube: { radius: 0.06, inner: 0.03, length: 0.08 }", "tube: { radius: 0.15, inner: 0.03, length: 0.2 }", ROUGH },
    { "height field", NULL, "height_field: { heights: [[0.02, 0, 0.03, 0], [0, 0.03, 0, 0.02], [0.02, 0, 0.04, 0], [0, 0.02, 0, 0.03]], "
                            "spacing: [0.2, 0.2], at: [-0.3, -0.3, 0] }", EXACT },
    { "half-space", NULL, "half_space: {}", GROUND },
    { "bowl", NULL, "bowl: { radius: 0.3, at: [0, 0, 0.3] }", GROUND },
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

static bool drop(const kind *one, const kind *two)
{
    static const char *const channels[] = { "energy.total", "pair.gap", "pair.normal" };
    char text[1600];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
             "  part: { mass: 0.5, inertia: [0.0006, 0.0007, 0.0008], shapes: [ { %s } ], position: [0.02, 0.01, 0.3],\n"
             "          rotation: { axis: [1, 2, 3], angle: 0.7 } }\n"
             "contacts: { pair: { between: [ground, part], friction: 0.4, restitution: 0.1 } }\n"
             "solve: { until: 0.4, contact: time-stepping, contact_step: 4 ms }\n", two->large, one->small);
    run x = { .r = accepted(text) };
    watch w = { .energy = INFINITY };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_readout_open(&w.readout, x.session, channels, 3), TN_OK);
    tn_session_on_step(x.session, look, &w);
    x.code = tn_session_run(x.session);
    bool touched = tn_session_impact_count(x.session) > 0 || w.pressed > 0;
    bool good = x.code == TN_NEWS_END && w.rise <= MOST_RISE && w.gap > -1e-6 && touched;
    if (!good)
        print_error("%s on %s: code %d, energy rises by %g J, gap %g m%s\n", one->name, two->name, x.code, w.rise, w.gap,
                    touched ? "" : ", no touch");
    close_run(&x);
    return good;
}

static void test_all_pairs(void **state)
{
    (void)state;
    int bad = 0;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS && kinds[i].small; j++)
            if (kinds[j].use == GROUND || (kinds[i].use == EXACT && kinds[j].use == EXACT))
                bad += !drop(&kinds[i], &kinds[j]);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
