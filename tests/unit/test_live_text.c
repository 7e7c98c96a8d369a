/* The text of a running model: it follows the edits, and another text may take its place. */
#include "edited.h"
#include <math.h>
#include <unistd.h>
#include "entities.h"
#include "session_impl.h"
#include "tenon/history.h"

static const char LINKS[] =
    "# Two links and a spring.\n"
    "tenon: 1\n"
    "name: links\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters:\n"
    "  half: 0.5 m               # of a link\n"
    "  mass: 2 kg\n"
    "  twice: 2 * half\n"
    "bodies:\n"
    "  # the upper one\n"
    "  a: { mass: 1, inertia: 0.1, position: [half, 0], frames: { end: { at: [half, 0] } } }\n"
    "  b: { mass: mass, inertia: 0.2, position: [3 * half, 0], frames: { start: { at: [-half, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }   # to the wall\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "drives: { motor: { joint: pivot, rate: 1, enabled: no } }\n"
    "forces:\n"
    "  s: { type: spring, between: [ground, b], stiffness: 3, length: 0.5 }\n"
    "  push: { type: force, on: b, value: [0, 1] }\n"
    "states: { heat: { rate: 1 } }\n"
    "initial: { elbow: { angle: 0.3 }, pivot: { rate: 1 } }\n"
    "outputs: [a.position]\n"
    "solve: { until: 5, integrator: dopri5, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n";

static char *text_of(machine *m)
{
    char *text = NULL;
    machine_must(m, tn_session_text(&text, m->session));
    return text;
}

static void must_contain(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

/* Reading the text gives the session's model, but for the state and the places of names in memory. */
static void must_agree(machine *m, const char *text)
{
    tn_model *read = NULL;
    machine_must(m, tn_model_read_text(&read, m->context, text, strlen(text), "text.yaml", "."));
    machine_must(m, tn_model_align(read, tn_session_model(m->session)));
    if (!tn_model_same(read, tn_session_model(m->session)))
        fail_msg("this text is another model:\n%s", text);
    tn_model_destroy(read);
}

/* ---- text follows edits ---- */

static void test_text_is_the_file_until_there_are_edits(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.2));
    char *text = text_of(&m);
    assert_string_equal(text, LINKS);
    tn_text_free(m.context, text);
    machine_close(&m);
}

static void test_each_command_is_in_the_text(void **state)
{
    (void)state;
    static const struct { const char *command, *has, *has_not; } cases[] = {
        { "{ set: { s.stiffness: 200 N/m } }", "stiffness: 200 N/m", "stiffness: 3" },
        { "{ set: { push.value.y: 4 } }", "value: [0, 4]", "value: [0, 1]" },
        { "{ disable: s }", "length: 0.5, enabled: no }", NULL },
        { "{ enable: motor }", "motor: { joint: pivot, rate: 1 }", "enabled: no" },
        { "{ gravity: [0, -1.6] }", "gravity: [0, -1.6]", "-9.81" },
        { "{ solve: { integrator: rk4, step: 1 ms } }", "integrator: rk4", "dopri5" },
        { "{ remove: elbow }", "# to the wall", "elbow" },
        { "{ remove: b }", "# the upper one", "elbow" },
        { "{ add: { bodies: { c: { position: [0, 1], mass: 1, inertia: 1 } } } }",
          "  c: { mass: 1, inertia: 1, position: [0, 1] }", NULL },
        { "{ add: { tables: { f: { x: [0, 1], y: [0, 2] } }, outputs: [b.angle] } }", "outputs: [a.position, b.angle]",
          NULL },
        { "{ add: { bodies: { ground: { frames: { wall: { at: [3, 0] } } } } } }", "wall: { at: [3, 0] }", NULL },
        { "{ replace: { forces: { s: { type: spring, between: [a, b], stiffness: 7, length: 1 } } } }",
          "s: { type: spring, between: [a, b], stiffness: 7", "stiffness: 3" },
        { "{ state: { pivot: { angle: 1 } } }", "elbow: { angle: 0.3 }", NULL },
        { "{ disable: heat }", "heat: { rate: 1, enabled: no }", NULL },
    };
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        machine m = start(LINKS);
        machine_must(&m, tn_session_advance(m.session, 0.3));
        char *before = text_of(&m);
        must_apply(&m, cases[k].command);
        char *text = text_of(&m);
        must_contain(text, cases[k].has);
        must_contain(text, "# Two links and a spring.");
        if (cases[k].has_not && strstr(text, cases[k].has_not))
            fail_msg("\"%s\" still in:\n%s", cases[k].has_not, text);
        must_agree(&m, text);
        machine_must(&m, tn_session_undo(NULL, m.session, false));
        char *after = text_of(&m);
        assert_string_equal(before, after);
        tn_text_free(m.context, before);
        tn_text_free(m.context, text);
        tn_text_free(m.context, after);
        machine_close(&m);
    }
}

/* A point in the world means where the bodies are now: the text says where that is on the bodies. */
static void test_joints_as_built_keep_their_place(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    must_apply(&m, "{ remove: elbow, add: { joints: { bar: { type: rod, between: [a, b] } } } }");
    must_apply(&m, "{ add: { joints: { weld: { type: revolute, between: [ground, b], at: [1, -0.5] } } } }");
    char *text = text_of(&m);
    must_contain(text, "weld:");
    must_contain(text, "ends:");
    must_agree(&m, text);
    must_apply(&m, "{ replace: { bodies: { a: { mass: 3, inertia: 1, position: [2, 2] } } }, closing: snap }");
    tn_text_free(m.context, text);
    text = text_of(&m);
    must_agree(&m, text);
    tn_text_free(m.context, text);
    machine_close(&m);
}

static void random_command(uint32_t *r, char *out, size_t size)
{
    static const char *const names[] = { "a", "b", "pivot", "elbow", "motor", "s", "push", "heat", "c", "d", "pin" };
    const char *name = names[next_random(r) % TN_LENGTH(names)];
    double x = between(r, 0.5, 2), y = between(r, -1, 1);
    switch (next_random(r) % 10) {
    case 0: snprintf(out, size, "{ remove: %s }", name); break;
    case 1: snprintf(out, size, "{ disable: %s }", name); break;
    case 2: snprintf(out, size, "{ enable: %s }", name); break;
    case 3: snprintf(out, size, "{ set: { s.stiffness: %.3f N/cm, push.value.x: %.17g } }", x, y); break;
    case 4: snprintf(out, size, "{ gravity: [0, %.17g] }", y); break;
    case 5: snprintf(out, size, "{ add: { bodies: { %s: { mass: %.3f * mass, inertia: 0.1, position: [%.3f, %.3f], "
                     "frames: { end: { at: [half, 0] }, start: { at: [0, 0] } } } } } }", name, x, x, y); break;
    case 6: snprintf(out, size, "{ add: { joints: { %s: { type: revolute, between: [a, c], at: [%.3f, %.3f] } } } }",
                     name, x, y); break;
    case 7: snprintf(out, size, "{ replace: { bodies: { %s: { mass: %.3f, inertia: 0.3, position: [%.3f, 0] } } }, "
                     "closing: snap }", name, x, y); break;
    case 8: snprintf(out, size, "{ add: { forces: { %s: { type: spring-damper, between: [c, b], stiffness: %.3f, "
                     "length: 1 m } } } }", name, x); break;
    default: snprintf(out, size, "{ solve: { tolerance: %.3g, until: %.3f } }", 1e-8 * x, 5 + x);
    }
}

static void test_text_follows_any_edits(void **state)
{
    (void)state;
    int done = 0;
    for (unsigned seed = 1; seed <= 12; seed++) {
        machine m = start(LINKS);
        uint32_t r = seed;
        char command[400];
        for (int k = 0; k < 25; k++) {
            random_command(&r, command, sizeof command);
            done += tn_session_apply(NULL, m.session, command) == TN_OK;
            if (next_random(&r) % 4 == 0)
                tn_session_undo(NULL, m.session, next_random(&r) % 2 == 0);
            if (next_random(&r) % 6 == 0)
                tn_session_redo(NULL, m.session, next_random(&r) % 2 == 0);
            tn_session_advance(m.session, 0.02);
            char *text = text_of(&m);
            must_agree(&m, text);
            tn_text_free(m.context, text);
        }
        machine_close(&m);
    }
    assert_true(done > 100);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* What included files say becomes part of the text when it is changed. */
static void test_included_files_become_part_of_the_text(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-text-XXXXXX", main[80], part[80];
    assert_non_null(mkdtemp(folder));
    snprintf(main, sizeof main, "%s/main.yaml", folder);
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    write_file(part, "parameters: { m: 2 kg }\n"
                     "bodies: { a: { mass: &m m, inertia: 1 }, b: { mass: *m, inertia: 1, position: [1, 0] } }\n"
                     "outputs: [a.angle]\n");
    write_file(main, "tenon: 1\ndimension: 2\ninclude: part.yaml   # the bodies\n"
                     "joints: { p: { type: revolute, between: [ground, a], at: [0, 0] } }\noutputs: [b.angle]\n");
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_with(&m.model, m.context, main, &(tn_setting){ "m", 3 }, 1));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    must_apply(&m, "{ remove: b }");
    char *text = text_of(&m);
    must_contain(text, "m: 3 kg");
    must_contain(text, "outputs: [a.angle]");
    assert_null(strstr(text, "include"));
    must_agree(&m, text);
    tn_text_free(m.context, text);
    machine_close(&m);
    unlink(main);
    unlink(part);
    rmdir(folder);
}

static void test_models_built_by_calls_have_no_text(void **state)
{
    (void)state;
    char *text;
    machine m = machine_new(2);
    tn_body_def def = tn_body_default();
    def.mass = 1;
    def.inertia[2] = 1;
    machine_must(&m, tn_model_add_body(NULL, m.model, "a", &def));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    assert_int_equal(tn_session_text(&text, m.session), TN_ERROR_ARGUMENT);
    assert_null(text);
    assert_int_equal(tn_session_set_text(NULL, m.session, LINKS), TN_ERROR_MODEL);
    machine_close(&m);
}

/* ---- other texts ---- */

/* The text with one part in place of another; to be freed. */
static char *with(const char *text, const char *part, const char *other)
{
    const char *at = strstr(text, part);
    size_t size = strlen(text) + strlen(other) + 1;
    char *out = malloc(size);
    assert_non_null(at);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, other, at + strlen(part));
    return out;
}

static void test_a_text_that_says_the_same_changes_nothing(void **state)
{
    (void)state;
    machine plain = start(LINKS), edited = start(LINKS);
    char *commented = with(LINKS, "# the upper one", "# the one above");
    char *own = NULL;
    const char *const texts[] = { LINKS, commented };
    for (size_t k = 0; k < TN_LENGTH(texts); k++) {
        tn_ack ack;
        machine_must(&plain, tn_session_advance(plain.session, 0.3));
        machine_must(&edited, tn_session_advance(edited.session, 0.3));
        machine_must(&edited, tn_session_set_text(&ack, edited.session, texts[k]));
        assert_false(ack.changed);
        assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    }
    own = text_of(&edited);
    assert_string_equal(own, commented);
    tn_text_free(edited.context, own);
    must_apply(&plain, "{ set: { s.stiffness: 5 } }");
    must_apply(&edited, "{ set: { s.stiffness: 5 } }");
    own = text_of(&edited);
    machine_must(&edited, tn_session_set_text(NULL, edited.session, own));
    machine_must(&plain, tn_session_advance(plain.session, 0.3));
    machine_must(&edited, tn_session_advance(edited.session, 0.3));
    assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    tn_text_free(edited.context, own);
    free(commented);
    machine_close(&plain);
    machine_close(&edited);
}

static void test_what_both_texts_name_keeps_its_state(void **state)
{
    (void)state;
    static const char *const channels[] = { "a.angle", "a.angular_velocity", "b.position.x", "b.velocity.y" };
    machine m = start(LINKS);
    double before[TN_LENGTH(channels)];
    tn_ack ack;
    machine_must(&m, tn_session_advance(m.session, 0.7));
    for (size_t k = 0; k < TN_LENGTH(channels); k++)
        before[k] = value(&m, channels[k]);
    char *text = with(LINKS, "  elbow: { type: revolute, between: [a.end, b.start] }\n", "");
    char *other = with(text, "elbow: { angle: 0.3 }, ", "");
    uint64_t hash = tn_session_hash(m.session);
    machine_must(&m, tn_session_set_text(&ack, m.session, other));
    assert_true(ack.changed);
    for (size_t k = 0; k < TN_LENGTH(channels); k++)
        assert_near(value(&m, channels[k]), before[k], 0);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == hash);
    char *now = text_of(&m);
    assert_string_equal(now, LINKS);
    tn_text_free(m.context, now);
    free(other);
    free(text);
    machine_close(&m);
}

/* Cut by a command and by a text: the same motion to the bit. */
static void test_a_text_does_what_commands_do(void **state)
{
    (void)state;
    machine a = start(LINKS), b = start(LINKS);
    machine_must(&a, tn_session_advance(a.session, 0.5));
    machine_must(&b, tn_session_advance(b.session, 0.5));
    must_apply(&a, "{ remove: s, set: { push.value.y: 3 } }");
    char *text = text_of(&a);
    machine_must(&b, tn_session_set_text(NULL, b.session, text));
    machine_must(&a, tn_session_advance(a.session, 0.5));
    machine_must(&b, tn_session_advance(b.session, 0.5));
    assert_true(tn_session_hash(a.session) == tn_session_hash(b.session));
    tn_text_free(a.context, text);
    machine_close(&a);
    machine_close(&b);
}

static void test_wrong_texts_change_nothing(void **state)
{
    (void)state;
    static const struct { const char *text, *message; } cases[] = {
        { "", "model.yaml" },
        { "tenon: 1\nbodies: { a: { mas: 1 } }\n", "model.yaml:2:16" },
        { "tenon: 1\ndimension: 2\njoints: { p: { type: revolute, between: [ground, q] } }\n", "model.yaml:3:" },
        { "[", "model.yaml:2:1" },
    };
    machine plain = start(LINKS), edited = start(LINKS);
    machine_must(&plain, tn_session_advance(plain.session, 0.4));
    machine_must(&edited, tn_session_advance(edited.session, 0.4));
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        size_t said = tn_diagnostics_count(edited.context);
        bool found = false;
        assert_true(tn_session_set_text(NULL, edited.session, cases[k].text) < 0);
        for (; said < tn_diagnostics_count(edited.context); said++) {
            char where[400];
            const tn_diagnostic *d = tn_diagnostics_get(edited.context, said);
            snprintf(where, sizeof where, "%s:%d:%d", d->span.file ? d->span.file : "", d->span.line, d->span.column);
            found = found || strstr(where, cases[k].message);
        }
        if (!found)
            fail_msg("no message at %s", cases[k].message);
        assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    }
    machine_must(&plain, tn_session_advance(plain.session, 0.4));
    machine_must(&edited, tn_session_advance(edited.session, 0.4));
    assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    machine_close(&plain);
    machine_close(&edited);
}

/* A pull is no part of the text, and goes on when another text comes. */
static void test_a_pull_goes_on(void **state)
{
    (void)state;
    machine m = start(LINKS);
    tn_pull pull = { .body = tn_model_find(m.model, "b"), .target = { 1, 1 } };
    machine_must(&m, tn_session_pull(m.session, &pull));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    must_apply(&m, "{ set: { s.stiffness: 5 } }");
    char *text = text_of(&m);
    assert_null(strstr(text, "pull"));
    uint64_t hash = tn_session_hash(m.session);
    tn_ack ack;
    machine_must(&m, tn_session_set_text(&ack, m.session, text));
    assert_false(ack.changed);
    assert_true(tn_session_hash(m.session) == hash);
    tn_text_free(m.context, text);
    machine_close(&m);
}

/* ---- parameters ---- */

static void test_parameters_in_mid_run(void **state)
{
    (void)state;
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    double angle = value(&m, "a.angle"), rate = value(&m, "a.angular_velocity"), x = value(&m, "b.position.x");
    tn_ack ack = must_apply(&m, "{ parameters: { mass: 3 kg } }");
    assert_true(ack.changed);
    assert_string_equal(ack.text, "set mass");
    assert_near(value(&m, "a.angle"), angle, 0);
    assert_near(value(&m, "a.angular_velocity"), rate, 0);
    assert_near(value(&m, "b.position.x"), x, 0);
    double mass, com[3], inertia[6];
    machine_must(&m, tn_model_body_mass(&mass, com, inertia, tn_session_model(m.session), tn_model_find(m.model, "b")));
    assert_near(mass, 3, 0);
    assert_false(must_apply(&m, "{ parameters: { mass: 3000 g } }").changed);
    ack = must_apply(&m, "{ parameters: { half: 0.4 m }, closing: snap }");
    assert_true(ack.displacement > 0.01);
    assert_near(tn_model_parameter(tn_session_model(m.session), 2).value, 0.8, 0);
    char *text = text_of(&m);
    must_contain(text, "half: 0.4 m  # of a link");
    must_agree(&m, text);
    tn_text_free(m.context, text);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    tn_summary sum = tn_session_summary(m.session);
    assert_true(sum.energy_error < 1e-7 * sum.energy_peak);
    machine_close(&m);
}

static void test_wrong_parameters_change_nothing(void **state)
{
    (void)state;
    static const char *const commands[] = { "{ parameters: { maas: 3 } }", "{ parameters: { mass: 3 m } }",
                                            "{ parameters: { half: 0.4 m } }",     /* apart, and nobody said snap */
                                            "{ parameters: 3 }", "{ parameters: { mass: -1 } }",
                                            "{ parameters: { mass: 2 }, remove: b }", "{ text: [1] }",
                                            "{ parameters: { twice: twice } }" };
    machine m = start(LINKS);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    uint64_t hash = tn_session_hash(m.session);
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        if (tn_session_apply(NULL, m.session, commands[k]) >= 0)
            fail_msg("accepted: %s", commands[k]);
        assert_true(tn_session_hash(m.session) == hash);
    }
    machine_close(&m);
}

/* Values given at the start stay when another parameter changes, in the run and in its repetition. */
static void test_parameters_given_at_the_start_stay(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-text-XXXXXX", path[80], journal[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/links.yaml", folder);
    snprintf(journal, sizeof journal, "%s/journal", folder);
    write_file(path, LINKS);
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_with(&m.model, m.context, path, &(tn_setting){ "half", 0.3 }, 1));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_session_journal(m.session, journal));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    must_apply(&m, "{ parameters: { mass: 5 kg } }");
    const tn_model *now = tn_session_model(m.session);
    assert_near(tn_model_parameter(now, 0).value, 0.3, 0);
    assert_near(tn_model_parameter(now, 1).value, 5, 0);
    assert_near(tn_model_parameter(now, 2).value, 0.6, 0);
    must_apply(&m, "{ parameters: { half: 0.31 m }, closing: snap }");
    machine_must(&m, tn_session_advance(m.session, 0.2));
    char *text = text_of(&m), *other = with(text, "stiffness: 3", "stiffness: 4");
    machine_must(&m, tn_session_set_text(NULL, m.session, other));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    tn_text_free(m.context, text);
    free(other);
    machine_close(&m);
    tn_context *context = tn_context_create(NULL);
    tn_replay *replay;
    tn_replay_entry entry;
    int compared = 0, code;
    assert_int_equal(tn_replay_open(&replay, context, journal), TN_OK);
    while ((code = tn_replay_next(&entry, replay)) == TN_OK) {
        assert_true(entry.same);
        compared += entry.compared;
    }
    assert_int_equal(code, TN_NEWS_END);
    assert_true(compared >= 5);
    tn_replay_close(replay);
    tn_context_destroy(context);
    unlink(path);
    unlink(journal);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_the_file_until_there_are_edits),
        cmocka_unit_test(test_each_command_is_in_the_text),
        cmocka_unit_test(test_joints_as_built_keep_their_place),
        cmocka_unit_test(test_text_follows_any_edits),
        cmocka_unit_test(test_included_files_become_part_of_the_text),
        cmocka_unit_test(test_models_built_by_calls_have_no_text),
        cmocka_unit_test(test_a_text_that_says_the_same_changes_nothing),
        cmocka_unit_test(test_what_both_texts_name_keeps_its_state),
        cmocka_unit_test(test_a_text_does_what_commands_do),
        cmocka_unit_test(test_wrong_texts_change_nothing),
        cmocka_unit_test(test_a_pull_goes_on),
        cmocka_unit_test(test_parameters_in_mid_run),
        cmocka_unit_test(test_wrong_parameters_change_nothing),
        cmocka_unit_test(test_parameters_given_at_the_start_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
