/* Subsystems: files within models, their names, places, parameters and ports; the tree; what is refused. */
#include "live_runs.h"
#include "entities.h"
#include <time.h>

/* A pendulum that hangs on its hook, with a damper whose torque is an expression of its own names. */
static const char LINK[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "parameters: { L: 1 m, m: 2 kg, c: 0.3 N m s, I: m * L^2 / 12 }\n"
    "bodies:\n"
    "  rod: { mass: m, inertia: I, position: [L / 2, 0], velocity: [0, 1], angular_velocity: 2, guess: yes,\n"
    "         frames: { head: { at: [-L / 2, 0] }, tail: { at: [L / 2, 0] } } }\n"
    "ports: { head: rod.head, tail: rod.tail }\n"
    "forces:\n"
    "  drag: { type: torque, on: rod, value: '-c * rod.angular_velocity' }\n"
    "outputs: [rod.position, { spin: 2 * rod.angular_velocity }]\n"
    "events: { fast: { when: rod.angular_velocity + 1, do: { log: 'at {rod.angular_velocity}' } } }\n";

static const char CHAIN[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: { K: 0.1 N m s }\n"
    "subsystems:\n"
    "  upper: { use: link.yaml, at: [3, 2], angle: 30 deg, parameters: { c: 2 * K } }\n"
    "  lower: { use: link.yaml, at: [3 m + 1 m * cos(30 deg), 2.5], angle: 30 deg, parameters: { L: 50 cm } }\n"
    "joints:\n"
    "  hook: { type: revolute, between: [ground, upper.head], at: [3, 2] }\n"
    "  elbow: { type: revolute, between: [upper.tail, lower.head] }\n"
    "outputs: [elbow.angle, upper.tail.position]\n"
    "solve: { until: 1, integrator: rk4, step: 1 ms }\n";

/* The same without subsystems. */
static const char FLAT[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: { a: 30 deg }\n"
    "bodies:\n"
    "  upper: { mass: 2, inertia: 2 / 12, position: [3 m + 0.5 m * cos(a), 2.25], angle: a,\n"
    "           velocity: [-0.5, 1 m/s * cos(a)], angular_velocity: 2, guess: yes,\n"
    "           frames: { head: { at: [-0.5, 0] }, tail: { at: [0.5, 0] } } }\n"
    "  lower: { mass: 2, inertia: 0.5 / 12, position: [3 m + 1.25 m * cos(a), 2.625], angle: a,\n"
    "           velocity: [-0.5, 1 m/s * cos(a)], angular_velocity: 2, guess: yes, frames: { head: { at: [-0.25, 0] } } }\n"
    "joints:\n"
    "  hook: { type: revolute, between: [ground, upper.head], at: [3, 2] }\n"
    "  elbow: { type: revolute, between: [upper.tail, lower.head] }\n"
    "forces:\n"
    "  d1: { type: torque, on: upper, value: '-0.2 * upper.angular_velocity' }\n"
    "  d2: { type: torque, on: lower, value: '-0.3 * lower.angular_velocity' }\n"
    "events:\n"                                      /* they cut steps */
    "  e1: { when: upper.angular_velocity + 1, do: { log: fast } }\n"
    "  e2: { when: lower.angular_velocity + 1, do: { log: fast } }\n"
    "solve: { until: 1, integrator: rk4, step: 1 ms }\n";

static place chain_place(void)
{
    place p = new_place();
    write_text(p.folder, "link.yaml", LINK);
    write_text(p.folder, "chain.yaml", CHAIN);
    return p;
}

static void clean(const place *p)
{
    static const char *const names[] = { "link.yaml", "chain.yaml", "a.yaml", "b.yaml", "c.yaml", "main.yaml" };
    char path[100];
    for (size_t k = 0; k < TN_LENGTH(names); k++) {
        snprintf(path, sizeof path, "%s/%s", p->folder, names[k]);
        unlink(path);
    }
    remove_place(p);
}

static double channel(tn_session *s, const char *name)
{
    double value = NAN;
    if (tn_session_value(&value, s, name) < 0)
        fail_msg("no channel %s", name);
    return value;
}

static reading must_read(const place *p, const char *name)
{
    reading r = read_in(p->folder, name);
    if (r.code < 0) {
        tn_diagnostics_print(r.context, stderr);
        fail();
    }
    return r;
}

/* ---- meaning ---- */

static void test_same_as_flat(void **state)
{
    (void)state;
    place p = chain_place();
    reading nested = must_read(&p, "chain.yaml"), flat = accepted(FLAT);
    tn_session *a = NULL, *b = NULL;
    assert_int_equal(tn_session_open(&a, nested.model, NULL), TN_OK);
    assert_int_equal(tn_session_open(&b, flat.model, NULL), TN_OK);
    assert_true(tn_session_run(a) >= 0);
    assert_true(tn_session_run(b) >= 0);
    assert_near(channel(a, "upper.rod.position.x"), channel(b, "upper.position.x"), 1e-12);
    assert_near(channel(a, "lower.rod.position.y"), channel(b, "lower.position.y"), 1e-12);
    assert_near(channel(a, "lower.rod.angular_velocity"), channel(b, "lower.angular_velocity"), 1e-12);
    assert_near(channel(a, "elbow.reaction.force.x"), channel(b, "elbow.reaction.force.x"), 1e-10);
    assert_near(channel(a, "lower.spin"), 2 * channel(b, "lower.angular_velocity"), 1e-12);
    assert_near(channel(a, "upper.tail.position.x"), channel(b, "upper.tail.position.x"), 1e-12);
    assert_near(channel(a, "lower.fast.value"), channel(b, "lower.angular_velocity") + 1, 1e-12);
    tn_session_close(a);
    tn_session_close(b);
    done(&nested);
    done(&flat);
    clean(&p);
}

static void test_parameters(void **state)
{
    (void)state;
    place p = chain_place();
    reading r = must_read(&p, "chain.yaml");
    double mass, com[3], inertia[6];
    tn_model *again = NULL;
    char path[100];
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, r.model, tn_model_find(r.model, "lower.rod")), TN_OK);
    assert_near(inertia[2], 2 * 0.25 / 12, 1e-15);
    assert_int_equal(tn_model_parameter_count(r.model), 9);
    assert_string_equal(tn_model_parameter(r.model, 1).name, "upper.L");
    assert_near(tn_model_parameter(r.model, 3).value, 0.2, 1e-15);
    assert_string_equal(tn_model_parameter(r.model, 3).name, "upper.c");
    snprintf(path, sizeof path, "%s/chain.yaml", p.folder);
    const tn_setting settings[] = { { "lower.L", 2 }, { "K", 7 } };
    assert_int_equal(tn_model_read_with(&again, r.context, path, settings, 2), TN_OK);
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, again, tn_model_find(again, "lower.rod")), TN_OK);
    assert_near(inertia[2], 2 * 4.0 / 12, 1e-15);
    assert_near(tn_model_parameter(again, 3).value, 14, 1e-15);
    tn_model_destroy(again);
    const tn_setting wrong = { "lowr.L", 2 };
    assert_int_equal(tn_model_read_with(&again, r.context, path, &wrong, 1), TN_ERROR_ARGUMENT);
    must_say(&r, "no parameter 'lowr.L'; did you mean 'lower.L'?");
    done(&r);
    clean(&p);
}

static void test_tree(void **state)
{
    (void)state;
    place p = chain_place();
    write_text(p.folder, "main.yaml", "tenon: 1\ndimension: 2\nsubsystems: { arm: { use: chain.yaml, at: [1, 0] } }\n");
    reading r = must_read(&p, "main.yaml");
    tn_id none = { .kind = TN_KIND_NONE }, arm = tn_model_child(r.model, none, 0), lower = tn_model_child(r.model, arm, 1);
    tn_subsystem_info info;
    assert_int_equal(tn_model_count(r.model, TN_KIND_SUBSYSTEM), 3);
    assert_int_equal(tn_model_child(r.model, none, 1).kind, TN_KIND_NONE);
    assert_int_equal(tn_model_subsystem(&info, r.model, lower), TN_OK);
    assert_string_equal(info.path, "arm.lower");
    assert_string_equal(info.name, "lower");
    assert_int_equal(info.parent.index, arm.index);
    assert_true(info.bodies == 1 && info.joints == 0 && info.forces == 1 && info.ports == 2 && info.children == 0);
    assert_near(info.pose.p[0], 3 + sqrt(0.75), 1e-15);
    assert_near(info.world.p[0], 4 + sqrt(0.75), 1e-15);
    assert_non_null(strstr(info.file, "link.yaml"));
    assert_string_equal(tn_model_port(r.model, lower, 1).name, "tail");
    assert_string_equal(tn_model_entity_name(r.model, tn_model_port(r.model, lower, 1).target), "tail");
    assert_null(tn_model_port(r.model, lower, 2).name);
    assert_int_equal(tn_model_owner(r.model, tn_model_find(r.model, "arm.lower.rod")).index, lower.index);
    assert_int_equal(tn_model_owner(r.model, tn_model_find(r.model, "arm.lower.rod.head")).index, lower.index);
    assert_int_equal(tn_model_owner(r.model, tn_model_find(r.model, "arm.elbow")).index, arm.index);
    assert_int_equal(tn_model_owner(r.model, arm).kind, TN_KIND_NONE);
    assert_string_equal(tn_model_entity_span(r.model, tn_model_find(r.model, "arm.lower.rod")).file, info.file);
    assert_true(tn_model_subsystem(&info, r.model, arm) == TN_OK && info.solve && info.solve->step == 1e-3);
    assert_true(tn_model_solve(r.model).step != 1e-3);
    done(&r);
    clean(&p);
}

static void test_clone_and_remove(void **state)
{
    (void)state;
    place p = chain_place();
    reading r = must_read(&p, "chain.yaml");
    tn_model *copy = NULL;
    assert_int_equal(tn_model_clone(&copy, r.model), TN_OK);
    assert_true(tn_model_same(copy, r.model));
    assert_int_equal(tn_model_find(copy, "lower.head").kind, TN_KIND_FRAME);
    assert_int_equal(tn_model_remove(copy, tn_model_find(copy, "lower")), TN_OK);
    assert_false(tn_model_same(copy, r.model));
    assert_true(tn_model_count(copy, TN_KIND_BODY) == 1 && tn_model_count(copy, TN_KIND_JOINT) == 1);
    assert_int_equal(tn_model_count(copy, TN_KIND_SUBSYSTEM), 1);
    assert_int_equal(tn_model_count(copy, TN_KIND_FORCE), 1);
    assert_int_equal(tn_model_count(copy, TN_KIND_FRAME), 2);
    assert_int_equal(tn_model_find(copy, "lower.head").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_parameter_count(copy), 5);
    assert_int_equal(copy->event_count, 1);
    tn_model_destroy(copy);
    done(&r);
    clean(&p);
}

static void test_disabled(void **state)
{
    (void)state;
    place p = chain_place();
    reading r = must_read(&p, "chain.yaml");
    tn_session *s = NULL;
    assert_int_equal(tn_model_set_enabled(r.model, tn_model_find(r.model, "lower"), false), TN_OK);
    assert_int_equal(tn_session_open(&s, r.model, NULL), TN_OK);
    must_say(&r, "'elbow' takes no part while 'lower' is disabled");
    tn_diagnostics_clear(r.context);
    double value;
    assert_true(tn_session_value(&value, s, "lower.rod.position.x") < 0);
    must_say(&r, "'lower.rod' takes no part while 'lower' is disabled");
    assert_true(tn_session_run(s) >= 0);
    tn_session_close(s);
    done(&r);
    clean(&p);
}

static void test_by_calls(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *m = NULL;
    tn_id side, body, id;
    tn_body_def def = tn_body_default();
    const tn_pose pose = tn_pose_planar(1, 0, 0);
    tn_subsystem_def part = tn_subsystem_default();
    def.mass = def.inertia[2] = 1;
    reading r = { .context = context };
    assert_int_equal(tn_model_create(&m, context, 2), TN_OK);
    assert_int_equal(tn_model_add_subsystem(&side, m, "side", &part), TN_OK);
    assert_int_equal(tn_model_add_subsystem(&id, m, "side.inner", &part), TN_OK);
    assert_int_equal(tn_model_add_body(&body, m, "side.inner.wheel", &def), TN_OK);
    assert_int_equal(tn_model_add_frame(&id, m, body, "rim", &pose), TN_OK);
    assert_int_equal(tn_model_add_port(m, side, "rim", id), TN_OK);
    assert_int_equal(tn_model_find(m, "side.rim").index, id.index);
    assert_int_equal(tn_model_add_port(m, side, "inner", id), TN_ERROR_MODEL);
    must_say(&r, "port 'inner': something in 'side' has this name already");
    assert_int_equal(tn_model_add_port(m, side, "floor", tn_model_ground(m)), TN_ERROR_MODEL);
    must_say(&r, "'ground' is not in the subsystem 'side'");
    assert_int_equal(tn_model_add_body(&id, m, "side.rim", &def), TN_ERROR_MODEL);
    must_say(&r, "the name is already taken by a frame");
    assert_int_equal(tn_model_add_body(&id, m, "sid.wheel", &def), TN_ERROR_MODEL);
    must_say(&r, "there is no subsystem 'sid'; did you mean 'side'?");
    assert_int_equal(tn_model_add_subsystem(&id, m, "side.inner", &part), TN_ERROR_MODEL);
    must_say(&r, "subsystem 'side.inner': the name is already taken by a subsystem");
    assert_int_equal(tn_model_rename(m, side, "other"), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_remove(m, body), TN_OK);
    assert_int_equal(tn_model_find(m, "side.rim").kind, TN_KIND_NONE);
    tn_model_destroy(m);
    tn_context_destroy(context);
}

/* ---- what is refused ---- */

typedef struct mistake {
    const char *main, *words;
} mistake;

static void test_mistakes(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        { "subsystems: { s: { at: [0, 0] } }", "3:18: subsystem 's': 'use' is missing" },
        { "subsystems: { s: { use: none.yaml } }", "subsystem 's': cannot read '" },
        { "subsystems: { s: { use: link.yaml, parameters: { l: 1 } } }",
          "3:50: subsystem 's': no parameter 'l'; did you mean 'L'?" },
        { "subsystems: { s: { use: link.yaml, parameters: { L: 1 kg } } }",
          "3:53: parameter 's.L': is a mass, must be a length" },
        { "subsystems: { s: { use: link.yaml, parameters: { L: oops } } }", "3:53: subsystem 's': 'L': " },
        { "subsystems: { s: { use: link.yaml } }\njoints: { j: { type: revolute, between: [ground, s.tial] } }",
          "4:50: joint 'j': no port or body 'tial' in subsystem 's'; did you mean 'tail'?" },
        { "subsystems: { s: { use: link.yaml } }\njoints: { j: { type: revolute, between: [ground, t.tail] } }",
          "4:50: joint 'j': no body 't'" },
        { "subsystems: { s: { use: link.yaml } }\nbodies: { s: { mass: 1, inertia: 1 } }",
          "subsystem 's': the name is already taken by a body" },
        { "subsystems: { s: { use: a.yaml } }", "cyclic use of subsystems: " },
        { "subsystems: { s: { use: main.yaml } }", "cyclic use of subsystems: " },
        { "subsystems: { s: { use: c.yaml } }\nforces: { f: { type: force, on: s.rod, value: [1, 0] } }",
          "'s.rod' is inside the closed subsystem 's': use one of its ports (end)" },
        { "subsystems: { s: { use: c.yaml } }\nforces: { f: { type: force, on: s.rod.eye, value: [1, 0] } }",
          "'s.rod.eye' is inside the closed subsystem 's'" },
        { "subsystems: { s: { use: c.yaml } }\ndrives: { d: { joint: s.pin, rate: 1 } }",
          "'s.pin' is inside the closed subsystem 's'" },
        { "ports: { p: nothing }", "3:13: ports: no body 'nothing'" },
    };
    place p = chain_place();
    write_text(p.folder, "a.yaml", "tenon: 1\ndimension: 2\nsubsystems: { b: { use: b.yaml } }\n");
    write_text(p.folder, "b.yaml", "tenon: 1\ndimension: 2\nsubsystems: { a: { use: a.yaml } }\n");
    write_text(p.folder, "c.yaml", "tenon: 1\ndimension: 2\nclosed: yes\nports: { end: rod.eye }\nbodies: { rod: { mass: 1,"
                                   " inertia: 1, frames: { eye: { at: [1, 0] } } } }\njoints: { pin: { type: revolute, "
                                   "between: [ground, rod], at: [0, 0] } }\n");
    for (size_t k = 0; k < TN_LENGTH(mistakes); k++) {
        char text[400];
        snprintf(text, sizeof text, "tenon: 1\ndimension: 2\n%s\n", mistakes[k].main);
        write_text(p.folder, "main.yaml", text);
        reading r = read_in(p.folder, "main.yaml");
        assert_true(r.code < 0);
        assert_null(r.model);
        must_say(&r, mistakes[k].words);
        done(&r);
    }
    write_text(p.folder, "main.yaml", "tenon: 1\ndimension: 2\nsubsystems: { s: { use: c.yaml } }\n"
                                      "forces: { f: { type: force, on: s.end, value: [1, 0] } }\n");
    reading r = must_read(&p, "main.yaml");
    done(&r);
    clean(&p);
}

/* A mistake inside is told where it stands, with the whole path. */
static void test_mistakes_inside(void **state)
{
    (void)state;
    place p = new_place();
    write_text(p.folder, "a.yaml", "tenon: 1\ndimension: 2\nparameters: { L: , m: 1 kg }\nbodies:\n  rod: { mass: -1 }\n");
    write_text(p.folder, "main.yaml", "tenon: 1\ndimension: 2\nsubsystems: { s: { use: a.yaml, parameters: { L: 1 } } }\n");
    reading r = read_in(p.folder, "main.yaml");
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, "5:16: body 's.rod': ");
    assert_int_equal(tn_diagnostics_count(r.context), 1);
    assert_non_null(strstr(tn_diagnostics_get(r.context, 0)->span.file, "a.yaml"));
    done(&r);
    write_text(p.folder, "main.yaml", "tenon: 1\ndimension: 2\nsubsystems: { s: { use: a.yaml } }\n");
    r = read_in(p.folder, "main.yaml");
    must_say(&r, "parameter 's.L': must be given a value");
    done(&r);
    write_text(p.folder, "main.yaml", "tenon: 1\nsubsystems: { s: { use: a.yaml } }\n");
    r = read_in(p.folder, "main.yaml");
    must_say(&r, "'dimension' is 2, and 3 in what uses this file");
    done(&r);
    clean(&p);
}

/* Seventeen levels, and files that use the next one ten times each: refused in no time. */
static void test_bombs(void **state)
{
    (void)state;
    place p = new_place();
    for (int wide = 0; wide < 2; wide++) {
        char name[16], text[1200];
        for (int level = 0; level < 18; level++) {
            size_t used = (size_t)snprintf(text, sizeof text, "tenon: 1\nsubsystems:\n");
            for (int k = 0; k < (wide ? 10 : 1); k++)
                used += (size_t)snprintf(text + used, sizeof text - used, "  s%d: { use: f%d.yaml }\n", k, level + 1);
            snprintf(name, sizeof name, "f%d.yaml", level);
            write_text(p.folder, name, level == (wide ? 15 : 17) ? "tenon: 1\n" : text);
        }
        clock_t start = clock();
        reading r = read_in(p.folder, "f0.yaml");
        assert_int_equal(r.code, TN_ERROR_MODEL);
        must_say(&r, wide ? "the model is too large" : "subsystems are nested more than 16 deep: ");
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
        done(&r);
    }
    for (int level = 0; level < 18; level++) {
        char path[100];
        snprintf(path, sizeof path, "%s/f%d.yaml", p.folder, level);
        unlink(path);
    }
    clean(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_flat), cmocka_unit_test(test_parameters),    cmocka_unit_test(test_tree),
        cmocka_unit_test(test_clone_and_remove), cmocka_unit_test(test_disabled),  cmocka_unit_test(test_by_calls),
        cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_mistakes_inside), cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
