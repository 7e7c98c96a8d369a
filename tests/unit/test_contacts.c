/* Contacts and the shapes they are made of: reading, mistakes, edits, mass properties. */
#include "format_model.h"
#include "read_model.h"
#include "tenon/session.h"

#define HEAD "tenon: 1\n"
#define BODIES \
    "bodies:\n" \
    "  ground: { shapes: [ { half_space: { at: [0, 0, -1], normal: [0, 0, 2] } } ] }\n" \
    "  ball: { shapes: [ { sphere: { radius: 0.1 }, mass: 1 } ], position: [0, 0, 1] }\n" \
    "  crate: { shapes: [ { box: { size: [1, 1, 1] }, mass: 2 } ], position: [3, 0, 1] }\n" \
    "  pill: { shapes: [ { capsule: { radius: 0.1, length: 1 }, mass: 2 } ], position: [6, 0, 1] }\n" \
    "  tube: { shapes: [ { rod: { radius: 0.1, length: 1 }, mass: 2 } ], position: [9, 0, 1] }\n"
#define CONTACTS \
    "contacts:\n" \
    "  floor: { between: [ground, ball], restitution: 0.8, friction: 0.3 }\n" \
    "  pile: { among: [ball, crate, pill] }\n" \
    "  off: { among: [crate, pill], enabled: no }\n"

static tn_id find(const tn_model *model, const char *name)
{
    tn_id id = tn_model_find(model, name);
    assert_true(id.kind != TN_KIND_NONE);
    return id;
}

static void check_contact(const tn_model *model, const char *name, int bodies, double restitution, double friction)
{
    tn_id ids[4];
    double e, mu;
    assert_int_equal(tn_model_contact_bodies(ids, 4, model, find(model, name)), bodies);
    assert_int_equal(tn_model_contact_values(&e, &mu, model, find(model, name)), TN_OK);
    assert_near(e, restitution, 1e-15);
    assert_near(mu, friction, 1e-15);
}

/* ---- reading ---- */

static void test_reading(void **state)
{
    (void)state;
    reading r = accepted(HEAD BODIES "contacts:\n"
                         "  floor: { between: [ground, ball], restitution: 0.8, friction: 0.3 }\n"
                         "  pile: { among: [ball, crate, pill] }\n"
                         "  off: { among: [crate, pill], enabled: no }\n");
    assert_int_equal(tn_model_count(r.model, TN_KIND_CONTACT), 3);
    check_contact(r.model, "floor", 2, 0.8, 0.3);
    check_contact(r.model, "pile", 3, 0, 0);
    assert_false(tn_model_enabled(r.model, find(r.model, "off")));
    assert_string_equal(tn_model_entity_type(r.model, find(r.model, "floor")), "contact");
    assert_int_equal(tn_model_entity_span(r.model, find(r.model, "floor")).line, 9);
    assert_int_equal(tn_model_shape_count(r.model, tn_model_ground(r.model)), 1);
    assert_near(tn_model_shape(r.model, tn_model_ground(r.model), 0).pose.p[2], -1, 0);
    done(&r);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct { const char *contact, *words; } cases[] = {
        { "{ between: [ground, bal] }", "9:26: contact 'c': no body 'bal'; did you mean 'ball'?" },
        { "{ between: [ground, tube] }", "9:3: contact 'c': 'tube' has no shape that can touch: give it a sphere, "
                                         "capsule, cylinder, tube, cone" },
        { "{ between: [ground, ball], friction: -0.1 }", "9:43: contact 'c': friction -0.1 must not be negative" },
        { "{ between: [ground, ball], restitution: 1.5 }",
          "9:3: contact 'c': restitution 1.5 must be between 0 and 1" },
        { "{ between: [ground, ball, crate] }", "9:17: contact 'c': 'between' needs two bodies, not 3" },
        { "{ among: [ball] }", "9:3: contact 'c': it takes two bodies or more" },
        { "{ among: [ball, crate, ball] }", "9:3: contact 'c': 'ball' is named twice" },
        { "{ friction: 0.1 }", "9:6: contact 'c': give either 'between' (two bodies) or 'among'" },
        { "{ between: [ground, ball], among: [ball, crate] }", "give either 'between' (two bodies) or 'among'" },
        { "{ between: [ground, ball], frction: 0.1 }", "did you mean 'friction'?" },
        { "{ between: [ground, ball.f] }", "9:26: contact 'c': " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        snprintf(text, sizeof text, HEAD BODIES "contacts:\n  c: %s\n", cases[i].contact);
        refused(text, cases[i].words);
    }
    refused(HEAD BODIES "contacts: { ball: { between: [ground, ball] } }\n",
            "8:13: contact 'ball': the name is already taken by a body (line 4)");
}

static void test_mistakes_in_shapes(void **state)
{
    (void)state;
    static const struct { const char *shape, *words; } cases[] = {
        { "{ half_space: {}, density: 1 }", "a half-space has no end" },
        { "{ polygon: { corners: [[0, 0], [1, 0]], thickness: 1 } }", "needs three corners or more, not 2" },
        { "{ polygon: { corners: [[0, 0], [2, 0], [0.5, 0.5], [0, 2]], thickness: 1 } }", "not convex at corner 3" },
        { "{ polygon: { corners: [[0, 0], [1, 0], [1, 0], [0, 1]], thickness: 1 } }", "not convex at corner" },
        { "{ polygon: { corners: [[0, 1], [-0.6, -0.8], [1, 0.3], [-1, 0.3], [0.6, -0.8]], thickness: 1 } }",
          "goes round more than once" },
        { "{ polygon: { corners: [[0, 0], [1, 0], [0, 1]] } }", "a polygon needs 'thickness'" },
        { "{ polygon: { thickness: 1 } }", "a polygon needs 'corners'" },
        { "{ disc: { radius: 1 } }", "a disc needs 'thickness'" },
        { "{ half_space: { normal: [0, 0, 0] } }", "normal" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, HEAD "bodies:\n  a: { mass: 1, inertia: [1, 1, 1], shapes: [ %s ] }\n",
                 cases[i].shape);
        refused(text, cases[i].words);
    }
    reading r = read_string(HEAD "bodies:\n  ground: { shapes: [ { torus: { radius: 0.1, tube: 0 } } ] }\n"
                            "  a: { shapes: [ { sphere: { radius: 1 }, mass: 1 } ] }\ncontacts: { c: { between: [ground, a] } }\n");
    must_say(&r, "body 'ground': tube 0 m must be positive");
    assert_false(says(&r, "no shape that can touch"));
    assert_int_equal(tn_diagnostics_count(r.context), 1);
    done(&r);
    refused(HEAD "bodies: { ground: { mass: 1 } }\n", "ground has frames, shapes and looks only, no 'mass'");
    refused(HEAD "bodies: { ground: { shapes: [ { sphere: { radius: 1 }, mass: 1 } ] } }\n",
            "ground never moves: its shapes have no mass");
}

/* What can touch depends on the dimension. */
static void test_what_touches_in_the_plane(void **state)
{
    (void)state;
    static const struct { const char *shape; bool touches; } cases[] = {
        { "disc: { radius: 1 }", true }, { "cylinder: { radius: 1 }", true }, { "box: { size: [1, 2] }", true },
        { "polygon: { corners: [[0, 0], [1, 0], [0, 1]] }", true }, { "half_space: { normal: [1, 1] }", true },
        { "capsule: { radius: 1, from: [0, 0], to: [1, 1] }", true },
        { "rod: { from: [0, 0], to: [1, 1] }", false }, { "cylinder: { radius: 1, axis: x }", false },
        { "capsule: { radius: 1 }", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, HEAD "dimension: 2\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  a: { mass: 1, inertia: 1, shapes: [ { %s } ] }\ncontacts: { c: { between: [ground, a] } }\n",
                 cases[i].shape);
        if (cases[i].touches) {
            reading r = accepted(text);
            done(&r);
        } else {
            refused(text, "'a' has no shape that can touch: give it a disc");
        }
    }
}

/* ---- mass properties ---- */

static void check_mass(const char *shape, const char *same)
{
    double mass[2], com[2][3], inertia[2][6];
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, HEAD "bodies:\n  a: { shapes: [ { %s, density: 800 } ] }\n", i ? same : shape);
        reading r = accepted(text);
        assert_int_equal(tn_model_body_mass(&mass[i], com[i], inertia[i], r.model, find(r.model, "a")), TN_OK);
        done(&r);
    }
    assert_near(mass[0], mass[1], 1e-12 * mass[1]);
    for (int k = 0; k < 3; k++)
        assert_near(com[0][k], com[1][k], 1e-13);
    for (int k = 0; k < 6; k++)
        assert_near(inertia[0][k], inertia[1][k], 1e-12 * mass[1]);
}

static void test_mass_of_polygons_and_discs(void **state)
{
    (void)state;
    check_mass("polygon: { corners: [[1, 2], [3, 2], [3, 5], [1, 5]], thickness: 0.5 }",
               "box: { size: [2, 3, 0.5], at: [2, 3.5, 0] }");
    check_mass("polygon: { corners: [[1, 5], [3, 5], [3, 2], [1, 2]], thickness: 0.5, at: [7, 0, 1], "
               "rotation: { euler: [1, 2, 3] } }",
               "box: { size: [2, 3, 0.5], at: [8.02950774857804, -3.6125403669837213, -0.4627596837932393], "
               "rotation: { euler: [1, 2, 3] } }");
    check_mass("disc: { radius: 0.3, thickness: 2 cm, at: [1, 2, 3] }",
               "cylinder: { radius: 0.3, length: 2 cm, at: [1, 2, 3] }");
}

/* A right triangle with legs a, b: centre at a third, I = m (a^2 + b^2) / 18 about it. */
static void test_mass_of_a_triangle(void **state)
{
    (void)state;
    double mass, com[3], inertia[6];
    reading r = accepted(HEAD "bodies:\n  a:\n    shapes:\n      - { density: 2, polygon: { corners: [[5, 5], [8, 5], "
                         "[5, 6]], thickness: 1 } }\n");
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, r.model, find(r.model, "a")), TN_OK);
    assert_near(mass, 2 * 1.5, 1e-14);
    assert_near(com[0], 6, 1e-14);
    assert_near(com[1], 5 + 1.0 / 3, 1e-14);
    assert_near(inertia[2], mass * 10 / 18, 1e-13);
    assert_near(inertia[3], mass * 3 / 36, 1e-13);     /* -sum xy: the corners lean against the axes */
    done(&r);
}

/* ---- edits of a model ---- */

static void test_bodies_leave_their_contacts(void **state)
{
    (void)state;
    reading r = accepted(HEAD BODIES CONTACTS);
    assert_int_equal(tn_model_remove(r.model, find(r.model, "ball")), TN_OK);
    assert_int_equal(tn_model_find(r.model, "floor").kind, TN_KIND_NONE);
    check_contact(r.model, "pile", 2, 0, 0);
    assert_int_equal(tn_model_remove(r.model, find(r.model, "pill")), TN_OK);
    assert_int_equal(tn_model_count(r.model, TN_KIND_CONTACT), 0);
    done(&r);
}

static void test_replacing(void **state)
{
    (void)state;
    reading r = accepted(HEAD BODIES CONTACTS);
    tn_id floor = find(r.model, "floor"), bodies[2] = { tn_model_ground(r.model), find(r.model, "crate") };
    tn_contact_def def = { .bodies = bodies, .body_count = 2, .restitution = 0.1, .friction = 0.2 };
    assert_int_equal(tn_model_replace_contact(r.model, floor, &def), TN_OK);
    check_contact(r.model, "floor", 2, 0.1, 0.2);
    def.friction = NAN;
    assert_int_equal(tn_model_replace_contact(r.model, floor, &def), TN_ERROR_MODEL);
    check_contact(r.model, "floor", 2, 0.1, 0.2);
    tn_body_def plain = tn_body_default();
    plain.mass = 1;
    for (int k = 0; k < 3; k++)
        plain.inertia[k] = 1;
    assert_int_equal(tn_model_replace_body(r.model, bodies[1], &plain), TN_ERROR_MODEL);
    must_say(&r, "contact 'floor' needs a shape of it that can touch");
    assert_int_equal(tn_model_set_ground_shapes(r.model, NULL, 0), TN_ERROR_MODEL);
    must_say(&r, "body 'ground': contact 'floor' needs a shape of it that can touch");
    assert_int_equal(tn_model_shape_count(r.model, bodies[0]), 1);
    done(&r);
}

/* ---- commands ---- */

static void apply(tn_session *session, const char *command)
{
    tn_context *context = tn_session_context(session);
    if (tn_session_apply(NULL, session, command) < 0) {
        tn_diagnostics_print(context, stderr);
        fail_msg("%s", command);
    }
}

static void test_commands(void **state)
{
    (void)state;
    reading r = accepted(HEAD BODIES CONTACTS);
    tn_session *session;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    apply(session, "{ set: { floor.friction: 0.5, floor.restitution: 0.25 } }");
    check_contact(tn_session_model(session), "floor", 2, 0.25, 0.5);
    apply(session, "{ add: { contacts: { more: { between: [crate, pill], friction: 1 } } } }");
    check_contact(tn_session_model(session), "more", 2, 0, 1);
    apply(session, "{ disable: more }");
    assert_false(tn_model_enabled(tn_session_model(session), find(tn_session_model(session), "more")));
    apply(session, "{ enable: [more, off] }");
    assert_true(tn_model_enabled(tn_session_model(session), find(tn_session_model(session), "off")));
    apply(session, "{ replace: { contacts: { more: { among: [ball, crate, pill], restitution: 1 } } } }");
    check_contact(tn_session_model(session), "more", 3, 1, 0);
    apply(session, "{ remove: [more, ball] }");
    assert_int_equal(tn_model_find(tn_session_model(session), "more").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(tn_session_model(session), "floor").kind, TN_KIND_NONE);
    assert_int_equal(tn_session_undo(NULL, session, false), TN_OK);
    check_contact(tn_session_model(session), "floor", 2, 0.25, 0.5);
    static const char *const wrong[][2] = {
        { "{ set: { floor.bounce: 1 } }", "'floor' has no parameter 'bounce', only restitution, tangential_restitution, friction" },
        { "{ set: { floor.friction: -1 } }", "must not be negative" },
        { "{ set: { floor.restitution: 2 } }", "restitution 2 must be between 0 and 1" },
        { "{ remove: flor }", "no body, joint, force, contact or subsystem 'flor'; did you mean 'floor'?" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(tn_session_apply(NULL, session, wrong[i][0]) < 0);
        must_say(&r, wrong[i][1]);
    }
    check_contact(tn_session_model(session), "floor", 2, 0.25, 0.5);
    tn_session_close(session);
    done(&r);
}

/* ---- normal form and schema ---- */

static void test_normal_form(void **state)
{
    (void)state;
    becomes("tenon: 1\ncontacts: {c: {friction: 0.3, among: [a, b], restitution: 1}}\n"
            "bodies: {a: {shapes: [{density: 1, polygon: {thickness: 1, corners: [[0,0],[1,0],[0,1]]}}]}}\n",
            "tenon: 1\n\n"
            "bodies:\n"
            "  a: { shapes: [ { polygon: { corners: [[0, 0], [1, 0], [0, 1]], thickness: 1 }, density: 1 } ] }\n\n"
            "contacts:\n"
            "  c: { among: [a, b], restitution: 1, friction: 0.3 }\n");
}

static void test_schema(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    char *text;
    assert_int_equal(tn_schema_text(&text, context), TN_OK);
    static const char *const words[] = { "\"contacts\"", "\"among\"", "\"half_space\"", "\"polygon\"", "\"disc\"" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(text, words[i]));
    tn_text_free(context, text);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_mistakes_in_shapes),
        cmocka_unit_test(test_what_touches_in_the_plane),
        cmocka_unit_test(test_mass_of_polygons_and_discs),
        cmocka_unit_test(test_mass_of_a_triangle),
        cmocka_unit_test(test_bodies_leave_their_contacts),
        cmocka_unit_test(test_replacing),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_normal_form),
        cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
