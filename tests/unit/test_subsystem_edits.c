/* Subsystems in a run: added, removed, switched off, and one in the place of another. */
#include "live_runs.h"
#include "alloc.h"
#include "edit.h"

static const char LINK[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "parameters: { L: 1 m, c: 0.1 N m s }\n"
    "bodies:\n"
    "  rod: { mass: 2, inertia: 0.2, position: [L / 2, 0],\n"
    "         frames: { head: { at: [-L / 2, 0] }, tail: { at: [L / 2, 0] } } }\n"
    "ports: { head: rod.head, tail: rod.tail }\n"
    "forces: { drag: { type: torque, on: rod, value: -c * rod.angular_velocity } }\n"
    "states: { way: { rate: rod.angular_velocity } }\n"
    "outputs: [rod.position, way.value]\n";

/* The same with a bob, which an event lets go. */
static const char HEAVY[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "parameters: { L: 1 m, c: 0.1 N m s }\n"
    "bodies:\n"
    "  rod: { mass: 2, inertia: 0.2, position: [L / 2, 0],\n"
    "         frames: { head: { at: [-L / 2, 0] }, tail: { at: [L / 2, 0] } } }\n"
    "  bob: { mass: 1, inertia: 0.1, position: [1.25 * L, 0] }\n"
    "ports: { tail: rod.tail, head: rod.head }\n"
    "joints: { weld: { type: fixed, between: [rod, bob], at: [L, 0] } }\n"
    "forces: { drag: { type: torque, on: rod, value: -c * rod.angular_velocity } }\n"
    "states: { way: { rate: rod.angular_velocity } }\n"
    "events: { drop: { when: t - 0.9 s, do: { remove: weld } } }\n";

static const char CHAIN[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "subsystems:\n"
    "  upper: { use: link.yaml, at: [3, 2] }\n"
    "  lower: { use: link.yaml, at: [4, 2], angle: -90 deg, parameters: { L: 50 cm } }\n"
    "joints:\n"
    "  hook: { type: revolute, between: [ground, upper.head], at: [3, 2] }\n"
    "  elbow: { type: revolute, between: [upper.tail, lower.head] }\n"
    "outputs: [elbow.angle, lower.tail.position]\n"
    "solve: { until: 3, record: 0.05, tolerance: 1e-9 }\n";

typedef struct run {
    place place;
    machine m;
} run;

static const char *const FILES[] = { "link.yaml", "heavy.yaml", "blunt.yaml", "chain.yaml" };

static run begin(void)
{
    run r = { .place = new_place() };
    char path[100];
    write_text(r.place.folder, "link.yaml", LINK);
    write_text(r.place.folder, "heavy.yaml", HEAVY);
    write_text(r.place.folder, "blunt.yaml", "tenon: 1\ndimension: 2\nbodies: { rod: { mass: 1, inertia: 1 } }\n");
    write_text(r.place.folder, "chain.yaml", CHAIN);
    snprintf(path, sizeof path, "%s/chain.yaml", r.place.folder);
    r.m.context = tn_context_create(NULL);
    machine_must(&r.m, tn_model_read(&r.m.model, r.m.context, path));
    machine_must(&r.m, tn_session_open(&r.m.session, r.m.model, NULL));
    return r;
}

static void drop_files(const run *r)
{
    for (size_t k = 0; k < TN_LENGTH(FILES); k++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", r->place.folder, FILES[k]);
        unlink(path);
    }
}

static void finish(run *r)
{
    drop_files(r);
    machine_close(&r->m);
    remove_place(&r->place);
}

static tn_ack must_apply(run *r, const char *command)
{
    tn_ack ack;
    machine_must(&r->m, tn_session_apply(&ack, r->m.session, command));
    return ack;
}

static void must_refuse(run *r, const char *command, const char *words)
{
    uint64_t hash = tn_session_hash(r->m.session);
    reading said = { .context = r->m.context };
    tn_ack ack;
    tn_diagnostics_clear(r->m.context);
    assert_true(tn_session_apply(&ack, r->m.session, command) < 0);
    must_say(&said, words);
    assert_true(tn_session_hash(r->m.session) == hash);
}

static const char TO_HEAVY[] = "{ replace: { subsystems: { upper: { use: heavy.yaml } } } }";
static const char TO_LINK[] = "{ replace: { subsystems: { upper: { use: link.yaml } } } }";

/* The same in place of the same: to the bit the motion that there would have been. */
static void test_same_again(void **state)
{
    (void)state;
    run plain = begin(), edited = begin();
    run_to(&plain.m, 0.4);
    run_to(&edited.m, 0.4);
    assert_false(must_apply(&edited, TO_LINK).changed);
    run_to(&plain.m, 1);
    run_to(&edited.m, 1);
    assert_true(tn_session_hash(plain.m.session) == tn_session_hash(edited.m.session));
    finish(&plain);
    finish(&edited);
}

/* What both have goes on from where it is; the new part comes to its place. */
static void test_swap(void **state)
{
    (void)state;
    run r = begin();
    static const char *const kept[] = { "upper.rod.position.x", "upper.rod.position.y", "lower.rod.position.x",
                                        "lower.rod.angle", "upper.way.value", "elbow.angle" };
    double before[TN_LENGTH(kept)];
    run_to(&r.m, 0.4);
    for (size_t k = 0; k < TN_LENGTH(kept); k++)
        before[k] = value(&r.m, kept[k]);
    double angle = value(&r.m, "upper.rod.angle");
    tn_ack ack = must_apply(&r, TO_HEAVY);
    assert_true(ack.changed && ack.displacement < 1e-9);
    assert_string_equal(ack.text, "replaced upper, new: bob, weld");
    for (size_t k = 0; k < TN_LENGTH(kept); k++)
        assert_near(value(&r.m, kept[k]), before[k], 1e-12);
    assert_near(value(&r.m, "upper.bob.position.x"), 3 + 1.25 * cos(angle), 1e-9);
    assert_near(value(&r.m, "upper.bob.position.y"), 2 + 1.25 * sin(angle), 1e-9);
    assert_near(value(&r.m, "upper.bob.angular_velocity"), value(&r.m, "upper.rod.angular_velocity"), 1e-9);
    run_to(&r.m, 0.8);
    assert_near(value(&r.m, "drift.max"), 0, 1e-9);
    assert_true(tn_model_find(tn_session_model(r.m.session), "upper.weld").kind == TN_KIND_JOINT);
    run_to(&r.m, 1);                                   /* the event inside has let it go */
    assert_true(tn_model_find(tn_session_model(r.m.session), "upper.weld").kind == TN_KIND_NONE);
    assert_near(value(&r.m, "upper.bob.acceleration.y"), -9.81, 1e-9);
    assert_string_equal(must_apply(&r, TO_LINK).text, "replaced upper, gone: bob");
    run_to(&r.m, 1.2);
    finish(&r);
}

static void test_swap_refused(void **state)
{
    (void)state;
    run r = begin();
    run_to(&r.m, 0.2);
    must_refuse(&r, "{ replace: { subsystems: { upper: { use: blunt.yaml } } } }",
                "the file has not all ports of the subsystem that it replaces: head, tail");
    must_refuse(&r, "{ replace: { subsystems: { uper: { use: link.yaml } } } }", "there is no such subsystem to replace");
    must_refuse(&r, "{ replace: { subsystems: { upper: { use: nothing.yaml } } } }", "No such file");
    must_refuse(&r, "{ replace: { subsystems: { upper: { use: link.yaml, parameters: { L: 2 m } } } } }", "apart");
    must_refuse(&r, "{ add: { subsystems: { upper: { use: link.yaml } } } }", "already taken by a subsystem");
    must_apply(&r, "{ add: { forces: { f: { type: force, on: upper.rod, value: [0, 1] } } } }");
    must_apply(&r, "{ replace: { subsystems: { upper: { use: link.yaml, parameters: { c: 1 N m s } } } } }");
    must_apply(&r, "{ add: { bodies: { upper.extra: { mass: 1, inertia: 1 } }, "
                   "joints: { j: { type: fixed, between: [upper.rod, upper.extra], at: [0, 0] } } } }");
    must_refuse(&r, TO_LINK, "joint 'j' is attached to 'upper.extra', which is no port, and which the file has not");
    finish(&r);
}

static void test_add_remove_switch(void **state)
{
    (void)state;
    run r = begin();
    run_to(&r.m, 0.3);
    uint64_t hash = tn_session_hash(r.m.session);
    assert_string_equal(must_apply(&r, "{ remove: lower }").text, "removed lower");
    const tn_model *model = tn_session_model(r.m.session);
    assert_int_equal(tn_model_find(model, "elbow").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_count(model, TN_KIND_BODY), 1);
    run_to(&r.m, 0.5);
    machine_must(&r.m, tn_session_undo(NULL, r.m.session, true));
    assert_true(tn_session_hash(r.m.session) == hash);
    must_apply(&r, "{ disable: lower }");
    assert_int_equal(r.m.session->system->body_count, 1);
    must_apply(&r, "{ enable: lower }");
    assert_int_equal(r.m.session->system->body_count, 2);
    must_apply(&r, "{ add: { subsystems: { third: { use: link.yaml, at: [0, 0], parameters: { L: 2 m } } }, "
                   "joints: { foot: { type: revolute, between: [ground, third.head], at: [0, 0] } } } }");
    run_to(&r.m, 0.6);
    assert_near(hypot(value(&r.m, "third.tail.position.x"), value(&r.m, "third.tail.position.y")), 2, 1e-9);
    must_apply(&r, "{ set: { third.drag.value.z: 3 * c * rod.angular_velocity } }");
    must_refuse(&r, "{ set: { third.drg.value: 1 } }", "no body, joint, force or contact 'third.drg'");
    finish(&r);
}

static const tn_solve *solve_of(const run *r, const char *path)
{
    const tn_model *model = tn_session_model(r->m.session);
    tn_subsystem_info info;
    assert_int_equal(tn_model_subsystem(&info, model, tn_model_find(model, path)), TN_OK);
    return info.solve;
}

/* Settings of a subsystem: one by one over those it has, in the text, taken back, and refused with their place. */
static void test_own_settings(void **state)
{
    (void)state;
    run r = begin();
    char *text = NULL;
    run_to(&r.m, 0.2);
    assert_null(solve_of(&r, "upper"));
    assert_true(must_apply(&r, "{ set: { upper.solve: { integrator: rk4, step: 2 ms } } }").changed);
    assert_true(must_apply(&r, "{ set: { upper.solve: { step: 1 ms, scheme: baumgarte, alpha: 3 } } }").changed);
    assert_string_equal(solve_of(&r, "upper")->integrator, "rk4");
    assert_string_equal(solve_of(&r, "upper")->scheme, "baumgarte");
    assert_near(solve_of(&r, "upper")->step, 1e-3, 1e-15);
    machine_must(&r.m, tn_session_text(&text, r.m.session));
    assert_non_null(strstr(text, "solve: { integrator: rk4, step: 1 ms, scheme: baumgarte, alpha: 3 }"));
    assert_false(must_apply(&r, "{ set: { upper.solve: { step: 1 ms } } }").changed);
    machine_must(&r.m, tn_session_undo(NULL, r.m.session, false));
    machine_must(&r.m, tn_session_undo(NULL, r.m.session, false));
    assert_null(solve_of(&r, "upper"));
    tn_text_free(r.m.context, text);
    must_refuse(&r, "{ set: { upper.solve: { integrator: rk5 } } }", "rk5");
    must_refuse(&r, "{ set: { upper.solve: 3 } }", "solve");
    must_refuse(&r, "{ set: { upper.speed: 3 } }", "upper");
    finish(&r);
}

/* Files may be gone by the time: journals and saved runs have their texts. */
static void test_repeated_without_files(void **state)
{
    (void)state;
    run r = begin();
    machine_must(&r.m, tn_session_journal(r.m.session, r.place.journal));
    run_to(&r.m, 0.3);
    must_apply(&r, TO_HEAVY);
    run_to(&r.m, 0.5);
    must_apply(&r, "{ add: { subsystems: { third: { use: link.yaml, at: [0, 0] } } } }");
    run_to(&r.m, 1.1);
    machine_must(&r.m, tn_session_undo(NULL, r.m.session, false));
    run_to(&r.m, 1.2);
    uint64_t hash = tn_session_hash(r.m.session);
    machine_must(&r.m, tn_session_save(r.m.session, r.place.saved));
    drop_files(&r);
    machine_close(&r.m);
    size_t compared;
    bool complete;
    assert_true(replayed(r.place.journal, &compared, &complete) == hash);
    assert_true(complete && compared >= 4);
    tn_context *context = tn_context_create(NULL);
    tn_session *again = NULL;
    if (tn_session_load(&again, context, r.place.saved) < 0) {
        tn_diagnostics_print(context, stderr);
        fail();
    }
    assert_true(tn_session_hash(again) == hash);
    tn_session_close(again);
    tn_context_destroy(context);
    remove_place(&r.place);
}

/* What an event swaps in is part of the model, too. */
static void test_swap_by_event(void **state)
{
    (void)state;
    run r = begin();
    char path[100];
    machine_close(&r.m);
    write_text(r.place.folder, "event.yaml",
               "tenon: 1\ndimension: 2\ninclude: chain.yaml\nevents:\n"
               "  fit: { when: t - 0.5 s, do: { replace: { subsystems: { upper: { use: heavy.yaml } } } } }\n");
    snprintf(path, sizeof path, "%s/event.yaml", r.place.folder);
    r.m.context = tn_context_create(NULL);
    machine_must(&r.m, tn_model_read(&r.m.model, r.m.context, path));
    unlink(path);
    drop_files(&r);
    machine_must(&r.m, tn_session_open(&r.m.session, r.m.model, NULL));
    machine_must(&r.m, tn_session_journal(r.m.session, r.place.journal));
    run_to(&r.m, 0.8);
    assert_int_equal(tn_model_find(tn_session_model(r.m.session), "upper.bob").kind, TN_KIND_BODY);
    uint64_t hash = tn_session_hash(r.m.session);
    machine_must(&r.m, tn_session_save(r.m.session, r.place.saved));
    machine_close(&r.m);
    size_t compared;
    bool complete;
    assert_true(replayed(r.place.journal, &compared, &complete) == hash && complete);
    assert_true(replayed(r.place.saved, &compared, &complete) == hash && complete);
    remove_place(&r.place);
}

/* Memory may end anywhere in reading and exchanging: nothing is lost, and what is said is that. */
static void test_out_of_memory(void **state)
{
    (void)state;
    run r = begin();
    char path[100];
    snprintf(path, sizeof path, "%s/chain.yaml", r.place.folder);
    int code = TN_ERROR_MEMORY;
    for (long fail_at = 1; code == TN_ERROR_MEMORY; fail_at++) {
        test_alloc a = { .fail_at = fail_at };
        tn_context *context = test_context(&a);
        tn_model *model = NULL;
        tn_edit edit = { 0 };
        tn_command_text command = tn_command_alone(TO_HEAVY);
        code = context ? tn_model_read(&model, context, path) : TN_ERROR_MEMORY;
        if (code == TN_OK)
            code = tn_model_edit(&edit, &model, &command);
        tn_text_free(context, edit.complete);
        tn_model_destroy(model);
        tn_context_destroy(context);
        assert_int_equal(a.alive, 0);
        assert_true(fail_at < 100000);
    }
    assert_int_equal(code, TN_OK);
    finish(&r);
}

/* A damaged file in the place of a subsystem: always an answer, and what runs goes on. */
static void test_damaged_files(void **state)
{
    (void)state;
    const char printable[] = "abcxyz0159.-+*/^[]{}:, \"'&#";
    run r = begin();
    uint32_t random = 5;
    char text[sizeof HEAVY];
    run_to(&r.m, 0.2);
    for (int round = 0; round < 300; round++) {
        memcpy(text, HEAVY, sizeof HEAVY);
        for (int k = 0; k < 2; k++)
            text[(size_t)(uniform(&random) * (double)(sizeof HEAVY - 1))] =
                printable[(size_t)(uniform(&random) * (double)(sizeof printable - 1))];
        write_text(r.place.folder, "heavy.yaml", text);
        uint64_t hash = tn_session_hash(r.m.session);
        tn_ack ack;
        tn_diagnostics_clear(r.m.context);
        int code = tn_session_apply(&ack, r.m.session, TO_HEAVY);
        if (code < 0)
            assert_true(tn_diagnostics_count(r.m.context) > 0);
        else
            machine_must(&r.m, tn_session_undo(NULL, r.m.session, true));
        assert_true(tn_session_hash(r.m.session) == hash);
    }
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_again),        cmocka_unit_test(test_own_settings),
              cmocka_unit_test(test_swap),
        cmocka_unit_test(test_swap_refused),      cmocka_unit_test(test_add_remove_switch),
        cmocka_unit_test(test_repeated_without_files), cmocka_unit_test(test_swap_by_event),
        cmocka_unit_test(test_out_of_memory),     cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
