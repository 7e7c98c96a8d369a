/* Models with subsystems whose text changes while they run; fuses, latches and contacts inside. */
#include "live_runs.h"
#include <math.h>
#include "entities.h"

static const char LINK[] =
    "tenon: 1\ndimension: 2\nparameters: { L: 1 m, k: 5 N/m }\n"
    "bodies:\n"
    "  ground: { frames: { post: { at: [0, 0] } } }\n"
    "  rod: { mass: 2, inertia: 0.2, position: [L / 2, 0],\n"
    "         frames: { head: { at: [-L / 2, 0] }, tail: { at: [L / 2, 0] } } }\n"
    "ports: { head: rod.head, tail: rod.tail, rod: rod }\n"
    "joints:\n"
    "  catch: { type: revolute, between: [ground.post, rod.head], enabled: no, latch: { when: rod.position.y + 0.2 m } }\n"
    "forces: { pull: { type: spring, between: [ground.post, rod.tail], stiffness: k, length: L } }\n";

static const char BALLS[] =
    "tenon: 1\ndimension: 2\n"
    "bodies: { ball: { position: [0, 0.5], shapes: [ { disc: { radius: 0.1 }, density: 1000 } ] } }\n"
    "ports: { hull: ball }\n"
    "contacts: { floor: { between: [ground, ball], restitution: 0.5 } }\n";

static const char CUBES[] =
    "tenon: 1\ndimension: 2\n"
    "bodies: { cube: { position: [0, 0.5], shapes: [ { box: { size: [0.2, 0.2, 0.2] }, density: 1000 } ] } }\n"
    "ports: { hull: cube }\n";

static const char PAIR[] =
    "tenon: 1\ndimension: 2\nparameters: { k: 9 N/m }\nsubsystems: { one: { use: link.yaml, mirror: y }, two: { use: link.yaml } }\n"
                       "changes: { remove: one.catch, set: { two.pull.stiffness: k / 2 } }\n";

static const char ARM[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "subsystems:\n  arm: { use: link.yaml, at: [1, 0] }   # the only one\n"
    "joints:\n  hook: { type: revolute, between: [ground, arm.head], at: [1, 0] }\n"
    "solve: { until: 2, record: 0.05, tolerance: 1e-9 }\n";

static const char YARD[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: {} } ] }\n"
    "  wall: { position: [3, 0.1], shapes: [ { disc: { radius: 0.1 }, density: 1000 } ] }\n"
    "subsystems: { toy: { use: balls.yaml, at: [1, 0] } }\n"
    "contacts: { bump: { between: [wall, toy.ball] } }\n";

static const struct { const char *name, *text; } files[] = { { "link.yaml", LINK }, { "balls.yaml", BALLS },
                                                            { "cubes.yaml", CUBES }, { "pair.yaml", PAIR } };

typedef struct run {
    place place;
    reading said;
    machine m;
} run;

static run begin(const char *text)
{
    run r = { .place = new_place(), .m.context = tn_context_create(NULL) };
    r.said.context = r.m.context;
    for (size_t k = 0; k < TN_LENGTH(files); k++)
        write_text(r.place.folder, files[k].name, files[k].text);
    machine_must(&r.m, tn_model_read_text(&r.m.model, r.m.context, text, strlen(text), "main.yaml", r.place.folder));
    machine_must(&r.m, tn_session_open(&r.m.session, r.m.model, NULL));
    return r;
}

static void finish(run *r)
{
    machine_close(&r->m);
    for (size_t k = 0; k < TN_LENGTH(files); k++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", r->place.folder, files[k].name);
        unlink(path);
    }
    remove_place(&r->place);
}

static tn_ack must_apply(run *r, const char *command)
{
    tn_ack ack;
    machine_must(&r->m, tn_session_apply(&ack, r->m.session, command));
    return ack;
}

static char *text_of(run *r)
{
    char *text = NULL;
    machine_must(&r->m, tn_session_text(&text, r->m.session));
    return text;
}

static double angle_of(run *r)
{
    double value;
    machine_must(&r->m, tn_session_value(&value, r->m.session, "hook.angle"));
    return value;
}

/* The text keeps its subsystems; a parameter of one is written there, and the motion goes on. */
static void test_parameters(void **state)
{
    (void)state;
    run r = begin(ARM);
    run_to(&r.m, 0.2);
    double angle = angle_of(&r);
    assert_true(must_apply(&r, "{ parameters: { arm.k: 50 N/m } }").changed);
    assert_true(fabs(angle_of(&r) - angle) < 1e-12);
    char *text = text_of(&r);
    assert_non_null(strstr(text, "use: link.yaml"));
    assert_non_null(strstr(text, "parameters: { k: 50 N/m }"));
    assert_non_null(strstr(text, "# the only one"));
    tn_text_free(r.m.context, text);
    tn_diagnostics_clear(r.m.context);
    assert_int_equal(tn_session_apply(NULL, r.m.session, "{ parameters: { arm.q: 1 } }"), TN_ERROR_MODEL);
    must_say(&r.said, "the model has no parameter 'arm.q'");
    finish(&r);
}

/* A text that gives the subsystem another file: what has the same path keeps its state. */
static void test_another_file(void **state)
{
    (void)state;
    run r = begin(ARM);
    run_to(&r.m, 0.2);
    double angle = angle_of(&r);
    must_apply(&r, "{ files: { heavy.yaml: \"tenon: 1\\ndimension: 2\\nbodies: { rod: { mass: 9, inertia: 1, position: "
                   "[0.5, 0], frames: { head: { at: [-0.5, 0] } } } }\\nports: { head: rod.head }\\n\" }, text: \""
                   "tenon: 1\\ndimension: 2\\ngravity: [0, -9.81]\\nsubsystems: { arm: { use: heavy.yaml, at: [1, 0] } }\\n"
                   "joints: { hook: { type: revolute, between: [ground, arm.head], at: [1, 0] } }\\n\" }");
    assert_true(fabs(angle_of(&r) - angle) < 1e-12);
    double mass, com[3], inertia[6];
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, model, tn_model_find(model, "arm.rod")), TN_OK);
    assert_true(mass == 9);
    assert_int_equal(tn_model_find(model, "arm.pull").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(model, "arm.head").kind, TN_KIND_FRAME);
    must_apply(&r, "{ gravity: [0, -3] }");
    char *text = text_of(&r);                      /* and the file is still known */
    assert_non_null(strstr(text, "use: heavy.yaml"));
    tn_text_free(r.m.context, text);
    finish(&r);
}

/* Joints stand in another order in the new text; the stop stays with its joint. */
static void test_limits_follow_their_joint(void **state)
{
    (void)state;
    const char *head = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 }, b: { mass: 1, inertia: 1 } }\n";
    const char *free = "  free: { type: revolute, between: [ground, a], at: [0, 0] }\n";
    const char *stopped = "  stopped: { type: revolute, between: [ground, b], at: [0, 0], limits: { angle: [-1, 1] } }\n";
    char first[500], second[500];
    snprintf(first, sizeof first, "%sjoints:\n%s%s", head, free, stopped);
    snprintf(second, sizeof second, "%sjoints:\n%s%s", head, stopped, free);
    run r = begin(first);
    tn_ack ack;
    machine_must(&r.m, tn_session_set_text(&ack, r.m.session, second));
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_limit_count(model, tn_model_find(model, "free")), 0);
    assert_int_equal(tn_model_limit_count(model, tn_model_find(model, "stopped")), 1);
    finish(&r);
}

/* What whole subsystems have been through can be said. */
static void test_commands_in_the_text(void **state)
{
    (void)state;
    run r = begin(ARM);
    must_apply(&r, "{ add: { subsystems: { spare: { use: link.yaml, at: [5, 0] } } } }");
    must_apply(&r, "{ replace: { subsystems: { arm: { use: link.yaml, parameters: { k: 7 } } } } }");
    must_apply(&r, "{ disable: spare }");
    char *text = text_of(&r);
    assert_non_null(strstr(text, "enabled: no"));
    assert_non_null(strstr(text, "at: [1, 0]"));
    tn_ack ack;
    machine_must(&r.m, tn_session_set_text(&ack, r.m.session, text));
    assert_false(ack.changed);
    tn_text_free(r.m.context, text);
    finish(&r);
}

static void must_have_no_text(run *r, const char *words)
{
    char *text = NULL;
    tn_diagnostics_clear(r->m.context);
    assert_int_equal(tn_session_text(&text, r->m.session), TN_ERROR_MODEL);
    assert_null(text);
    must_say(&r->said, words);
}

/* Returns the text, and checks that a session of it is where this one would be from the start. */
static char *must_say_inside(run *r, const char *words)
{
    char *text = text_of(r);
    if (strstr(text, words) == NULL)
        fail_msg("no '%s' in:\n%s", words, text);
    tn_ack ack;
    machine_must(&r->m, tn_session_set_text(&ack, r->m.session, text));
    assert_false(ack.changed);
    return text;
}

/* The text of the model says what is different inside; undo takes it back. */
static void test_changes_inside(void **state)
{
    (void)state;
    static const struct { const char *command, *words; } cases[] = {
        { "{ disable: arm.pull }", "changes: { disable: [arm.pull] }\n" },
        { "{ enable: arm.catch }", "changes: { enable: [arm.catch] }\n" },
        { "{ remove: arm.pull }", "changes: { remove: [arm.pull] }\n" },
        { "{ set: { arm.pull.stiffness: 3 N/m } }", "changes: { set: { arm.pull.stiffness: 3 N/m } }\n" },
        { "{ set: { arm.rod.mass: 1 kg + 2 kg, hook.limits.angle: [-4, 4] } }", "changes: { set: { arm.rod.mass: 1 kg + 2 kg } }\n" },
        { "{ remove: arm.catch, set: { arm.rod.mass: 4 kg } }", "changes: { set: { arm.rod.mass: 4 kg }, remove: [arm.catch] }\n" },
    };
    run r = begin(ARM);
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        must_apply(&r, cases[k].command);
        tn_text_free(r.m.context, must_say_inside(&r, cases[k].words));
        machine_must(&r.m, tn_session_undo(NULL, r.m.session, false));
        char *text = text_of(&r);
        assert_string_equal(text, ARM);
        tn_text_free(r.m.context, text);
    }
    must_apply(&r, "{ set: { arm.pull.stiffness: 3 } }");
    must_apply(&r, "{ disable: arm.pull }");
    must_apply(&r, "{ set: { arm.pull.stiffness: 4 } }");
    must_apply(&r, "{ enable: arm.pull }");
    char *text = must_say_inside(&r, "changes: { set: { arm.pull.stiffness: 4 } }\n");
    assert_null(strstr(text, "able:"));
    tn_text_free(r.m.context, text);
    must_apply(&r, "{ replace: { subsystems: { arm: { use: link.yaml } } } }");        /* what was changed is not there any more */
    text = text_of(&r);
    assert_null(strstr(text, "changes"));
    tn_text_free(r.m.context, text);
    finish(&r);
}

static double stiffness_of(const tn_model *model, const char *spring)
{
    const tn_force *force = &model->forces[tn_model_find(model, spring).index];
    size_t k = 0;
    while (strcmp(force->type->parameters[k].name, "stiffness") != 0)
        k++;
    return force->parameters[k];
}

/* A text with changes has them from the start, in subsystems of subsystems, too; commands come on top of them. */
static void test_changes_are_read(void **state)
{
    (void)state;
    const char *main = "tenon: 1\ndimension: 2\nsubsystems: { a: { use: pair.yaml }, b: { use: pair.yaml } }\n"
                       "changes:\n  set: { b.two.pull.stiffness: 7 N/m }     # softer\n  disable: b.one.pull\n";
    run r = begin(main);
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "a.one.catch").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(model, "b.one.catch").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(model, "a.two.catch").kind, TN_KIND_JOINT);
    assert_false(tn_model_enabled(model, tn_model_find(model, "b.one.pull")));
    assert_true(stiffness_of(model, "a.two.pull") == 4.5 && stiffness_of(model, "b.two.pull") == 7);
    must_apply(&r, "{ replace: { subsystems: { a.two: { use: link.yaml, parameters: { k: 3 } } } } }");
    model = tn_session_model(r.m.session);
    assert_true(stiffness_of(model, "a.two.pull") == 3);
    tn_text_free(r.m.context, must_say_inside(&r, "      a.two: { use: link.yaml, parameters: { k: 3 } }\n"));
    must_apply(&r, "{ set: { a.two.pull.stiffness: 2 } }");
    must_apply(&r, "{ replace: { forces: { b.one.pull: { type: spring, between: [ground, b.one.tail], stiffness: 6, length: 2 } } } }");
    must_apply(&r, "{ set: { b.two.pull.stiffness: 8, a.one.rod.mass: 5 }, enable: b.one.pull }");
    char *text = must_say_inside(&r, "b.two.pull.stiffness: 8");
    assert_non_null(strstr(text, "a.one.rod.mass: 5"));
    assert_non_null(strstr(text, "a.two.pull.stiffness: 2"));
    assert_non_null(strstr(text, "b.one.pull: { type: spring"));
    assert_non_null(strstr(text, "# softer"));
    assert_null(strstr(text, "disable"));
    tn_text_free(r.m.context, text);
    finish(&r);
}

static void test_wrong_changes(void **state)
{
    (void)state;
    static const struct { const char *changes, *words; } cases[] = {
        { "{ set: { hook.stiffness: 3 } }", "'hook.stiffness' is not inside a subsystem: change it where it is defined" },
        { "{ disable: [arm.pull, leg.pull] }", "there is no subsystem 'leg'" },
        { "{ remove: hook }", "'hook' is not inside a subsystem" },
        { "{ remove: arm.pul }", "no body, joint, force, contact or subsystem 'arm.pul'" },
        { "{ set: { arm.pull.stiffness: 3 kg } }", "stiffness" },
        { "{ add: { bodies: { x: {} } } }", "'x' is not inside a subsystem" },
        { "{ lock: arm.catch }", "unknown key 'lock'" },
    };
    run r = begin(ARM);
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        char text[1000];
        tn_model *model = NULL;
        snprintf(text, sizeof text, "%schanges: %s\n", ARM, cases[k].changes);
        tn_diagnostics_clear(r.m.context);
        assert_int_equal(tn_model_read_text(&model, r.m.context, text, strlen(text), "main.yaml", r.place.folder), TN_ERROR_MODEL);
        must_say(&r.said, cases[k].words);
    }
    finish(&r);
}

/* A joint inside that was moved as built is where no file says. */
static void test_moved_inside(void **state)
{
    (void)state;
    run r = begin(ARM);
    must_apply(&r, "{ move: { arm.catch: { at: [1.5, 0] } } }");
    must_have_no_text(&r, "cannot say what was done to 'arm.catch");
    must_say(&r.said, "inside a subsystem");
    finish(&r);
}

/* Its expression means the rod of the subsystem; what it does is done there. */
static void test_latch_inside(void **state)
{
    (void)state;
    run r = begin(ARM);
    run_to(&r.m, 1);
    const tn_model *model = tn_session_model(r.m.session);
    assert_true(tn_model_enabled(model, tn_model_find(model, "arm.catch")));
    double count, time, y;
    machine_must(&r.m, tn_session_value(&count, r.m.session, "arm.catch.latch.count"));
    machine_must(&r.m, tn_session_value(&time, r.m.session, "arm.catch.latch.time"));
    assert_true(count == 1);
    run again = begin(ARM);
    run_to(&again.m, time);
    machine_must(&again.m, tn_session_value(&y, again.m.session, "arm.rod.position.y"));
    assert_near(y, -0.2, 1e-6);
    finish(&again);
    tn_text_free(r.m.context, must_say_inside(&r, "changes: { enable: [arm.catch] }\n"));
    finish(&r);
}

static void test_lock_inside(void **state)
{
    (void)state;
    run r = begin(ARM);
    must_apply(&r, "{ enable: arm.catch, disable: hook }");
    must_apply(&r, "{ lock: arm.catch }");
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "arm.catch_lock").kind, TN_KIND_JOINT);
    tn_text_free(r.m.context, must_say_inside(&r, "drives: { arm.catch_lock: { joint: arm.catch.angle, rate: 0 } }"));
    must_apply(&r, "{ unlock: arm.catch }");
    model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "arm.catch_lock").kind, TN_KIND_NONE);
    char *text = must_say_inside(&r, "changes: { enable: [arm.catch] }\n");
    tn_text_free(r.m.context, text);
    finish(&r);
}

/* Contacts of a subsystem have paths; one from outside goes with the port. */
static void test_contacts(void **state)
{
    (void)state;
    run r = begin(YARD);
    run_to(&r.m, 0.2);
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "toy.floor").kind, TN_KIND_CONTACT);
    must_apply(&r, "{ set: { toy.floor.restitution: 0.9 } }");
    must_apply(&r, "{ replace: { subsystems: { toy: { use: cubes.yaml } } } }");
    model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "toy.floor").kind, TN_KIND_NONE);
    tn_id bodies[2];
    assert_int_equal(tn_model_contact_bodies(bodies, 2, model, tn_model_find(model, "bump")), 2);
    assert_string_equal(tn_model_entity_name(model, bodies[1]), "toy.cube");
    must_apply(&r, "{ remove: toy }");
    model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "bump").kind, TN_KIND_NONE);
    machine_must(&r.m, tn_session_undo(NULL, r.m.session, false));
    must_apply(&r, "{ disable: toy }");
    model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "bump").kind, TN_KIND_CONTACT);
    run_to(&r.m, 0.3);
    finish(&r);
}

static void test_ground_belongs_to_the_model(void **state)
{
    (void)state;
    const char *main = "tenon: 1\ndimension: 2\nsubsystems: { a: { use: part.yaml } }\n";
    const char *part = "tenon: 1\ndimension: 2\nbodies: { ground: { shapes: [ { half_space: {} } ] } }\n";
    const tn_model_source sources[] = { { "main.yaml", main, strlen(main) }, { "part.yaml", part, strlen(part) } };
    reading said = { .context = tn_context_create(NULL) };
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_texts(&model, said.context, sources, 2, NULL), TN_ERROR_MODEL);
    must_say(&said, "its shapes stand in the model's own file");
    tn_context_destroy(said.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_another_file),
        cmocka_unit_test(test_limits_follow_their_joint),
        cmocka_unit_test(test_commands_in_the_text),
        cmocka_unit_test(test_changes_inside),
        cmocka_unit_test(test_changes_are_read),
        cmocka_unit_test(test_wrong_changes),
        cmocka_unit_test(test_moved_inside),
        cmocka_unit_test(test_latch_inside),
        cmocka_unit_test(test_lock_inside),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_ground_belongs_to_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
