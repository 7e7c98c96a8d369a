/* Random edits one after another on examples that move: the text of what the session holds is always there, agrees with the
 * model, is no change when it is given back, and a saved run comes back with the same state and a text of the same model. */
#include "edited_texts.h"
#include <math.h>
#include <unistd.h>

#ifdef TENON_SANITIZED
static const long SEQUENCES = 8;
#else
static const long SEQUENCES = 40;      /* of examples in turn; make campaign takes more */
#endif
enum { EDITS = 12, COMMAND_SIZE = 1000 };

static long accepted, refused;

typedef struct sequence {
    example e;
    uint32_t random;
    long seed;
    int added;                         /* names that were given */
    char done[EDITS * 100 + 100];      /* beginnings of the commands, for messages */
} sequence;

static bool chance(sequence *s, double probability)
{
    return uniform(&s->random) < probability;
}

static const tn_model *model_of(const sequence *s)
{
    return tn_session_model(s->e.m.session);
}

/* ---- commands ---- */

/* Draws are statements of their own: the order of arguments is up to the compiler. */

/* Something of the kind that is alive and not within a subsystem; false: nothing was met. */
static bool pick(sequence *s, tn_kind kind, tn_id *id, char name[TN_PATH_SIZE])
{
    size_t count = tn_table_count(model_of(s), kind);
    for (int tried = 0; count > 0 && tried < 20; tried++) {
        size_t k = next_random(&s->random) % count;
        *id = tn_table_id(model_of(s), kind, k);
        snprintf(name, TN_PATH_SIZE, "%s", tn_model_entity_name(model_of(s), *id));
        if (tn_table_entity(model_of(s), kind, k)->alive && !(kind == TN_KIND_BODY && k == 0) && !strchr(name, '.'))
            return true;
    }
    return false;
}

static bool pick_any(sequence *s, tn_id *id, char name[TN_PATH_SIZE])
{
    static const tn_kind kinds[] = { TN_KIND_BODY, TN_KIND_JOINT, TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_CONTACT,
                                     TN_KIND_SUBSYSTEM };
    return pick(s, kinds[next_random(&s->random) % TN_LENGTH(kinds)], id, name);
}

static const char *point(sequence *s, char out[100])
{
    bool planar = model_of(s)->dimension == 2;
    double x[3];
    random_vector(&s->random, 3, 0.4, x);
    snprintf(out, 100, planar ? "[%.3g, %.17g]" : "[%.3g, %.17g, %.4g]", x[0], x[1], x[2]);
    return out;
}

static const char *closing(sequence *s)
{
    static const char *const kinds[] = { "", ", closing: snap", ", closing: { draw: 0.05 s }" };
    return kinds[next_random(&s->random) % TN_LENGTH(kinds)];
}

static bool write_addition(sequence *s, char *out)
{
    static const char *const types[] = { "revolute", "fixed", "prismatic", "distance, length: 0.3", "spherical", "cylindrical", "universal",
                                         "pin-in-slot", "revolute, limits: { angle: [-3, 3] }", "revolute, fuse: { force: 1e7 N }" };
    tn_id id;
    char a[TN_PATH_SIZE], b[TN_PATH_SIZE], at[100], to[100];
    bool planar = model_of(s)->dimension == 2;
    if (!pick(s, TN_KIND_BODY, &id, a))
        return false;
    if (chance(s, 0.5) || !pick(s, TN_KIND_BODY, &id, b))
        snprintf(b, sizeof b, "ground");
    int n = ++s->added;
    const char *inertia = planar ? "0.1" : "[0.1, 0.2, 0.25]";
    const uint32_t what = next_random(&s->random) % 5, type = next_random(&s->random);
    const double length = between(&s->random, 0.1, 1), stiffness = between(&s->random, 1, 50);
    point(s, at);
    point(s, to);
    switch (what) {
    case 0:
        snprintf(out, COMMAND_SIZE, "{ add: { bodies: { n%d: { mass: 0.5 kg, inertia: %s, position: %s } },"
                 " joints: { m%d: { type: %s, between: [%s, n%d], at: %s } } } }", n, inertia, at, n, types[type % 3], a, n, to);
        return true;
    case 1:
        snprintf(out, COMMAND_SIZE, "{ add: { forces: { n%d: { type: spring-damper, between: [%s, %s], stiffness: %.4g N/m, damping: 0.3,"
                 " length: %.17g } } } }", n, a, b, stiffness, length);
        return true;
    case 2:
        snprintf(out, COMMAND_SIZE, "{ add: { bodies: { n%d: { mass: 2, inertia: %s, position: %s, frames: { tip: { at: %s } } } } } }", n,
                 inertia, at, to);
        return true;
    default:
        snprintf(out, COMMAND_SIZE, "{ add: { joints: { n%d: { type: %s, between: [%s, %s], at: %s } } }%s }", n,
                 types[type % TN_LENGTH(types)], b, a, at, closing(s));
        return true;
    }
}

static bool write_set(sequence *s, char *out)
{
    tn_id id;
    char name[TN_PATH_SIZE];
    tn_property p;
    if (!pick_any(s, &id, name))
        return false;
    size_t count = tn_model_property_count(model_of(s), id);
    if (count == 0)
        return false;
    machine_must(&s->e.m, tn_model_property(&p, model_of(s), id, next_random(&s->random) % count));
    if (isnan(p.value))
        return false;
    const double value = between(&s->random, 0.7, 1.3) * p.value + (p.value == 0 ? 0.01 : 0);
    snprintf(out, COMMAND_SIZE, chance(s, 0.3) ? "{ set: { %s.%s: '%.17g + 0 * 3' } }" : "{ set: { %s.%s: %.17g } }", name, p.name, value);
    return true;
}

static bool write_joint(sequence *s, char *out)
{
    tn_id id, other;
    char name[TN_PATH_SIZE], body[TN_PATH_SIZE], at[100];
    if (!pick(s, TN_KIND_JOINT, &id, name) || !pick(s, TN_KIND_BODY, &other, body))
        return false;
    point(s, at);
    switch (next_random(&s->random) % 6) {
    case 0:
        snprintf(out, COMMAND_SIZE, "{ move: { %s: { at: %s } }%s }", name, at, closing(s));
        return true;
    case 1:
        snprintf(out, COMMAND_SIZE, "{ lock: %s }", name);
        return true;
    case 2:
        snprintf(out, COMMAND_SIZE, "{ unlock: %s }", name);
        return true;
    case 3:
        snprintf(out, COMMAND_SIZE, "{ replace: { joints: { %s: { type: revolute, between: [ground, %s], at: %s } } }%s }", name, body,
                 at, closing(s));
        return true;
    case 4:
        snprintf(out, COMMAND_SIZE, "{ set: { %s.limits: { angle: [-100 deg, none] } } }", name);
        return true;
    default:
        snprintf(out, COMMAND_SIZE, "{ state: { %s: { rate: %.3g } } }", name, between(&s->random, -1, 1));
        return true;
    }
}

static bool write_body(sequence *s, char *out)
{
    tn_id id;
    char name[TN_PATH_SIZE], at[100];
    bool planar = model_of(s)->dimension == 2;
    if (!pick(s, TN_KIND_BODY, &id, name))
        return false;
    if (chance(s, 0.5))
        snprintf(out, COMMAND_SIZE, "{ replace: { bodies: { %s: { mass: 1.7 kg, inertia: %s, position: %s } } }, stay: yes }", name,
                 planar ? "0.13" : "[0.1, 0.2, 0.25]", point(s, at));
    else
        snprintf(out, COMMAND_SIZE, "{ state: { %s: { velocity: %s } } }", name, point(s, at));
    return true;
}

static bool write_whole(sequence *s, char *out)
{
    static const char *const settings[] = { "integrator: rk4, step: 1 ms", "integrator: dopri5, tolerance: 1e-7", "solver: direct",
                                            "scheme: baumgarte", "until: 3 s" };
    char at[100];
    const tn_model *model = model_of(s);
    switch (next_random(&s->random) % 3) {
    case 0:
        snprintf(out, COMMAND_SIZE, "{ gravity: %s }", point(s, at));
        return true;
    case 1:
        snprintf(out, COMMAND_SIZE, "{ solve: { %s } }", settings[next_random(&s->random) % TN_LENGTH(settings)]);
        return true;
    default:
        if (model->parameter_count == 0)
            return false;
        const tn_parameter_value *p = &model->parameters[next_random(&s->random) % model->parameter_count];
        const double value = between(&s->random, 0.95, 1.05) * p->value;
        snprintf(out, COMMAND_SIZE, "{ parameters: { %s: '%.17g %s' }%s }", p->name, value, p->unit ? p->unit : "", closing(s));
        return true;
    }
}

static bool write_command(sequence *s, char *out)
{
    static bool (*const writers[])(sequence *, char *) = { write_addition, write_addition, write_set, write_joint, write_joint, write_body,
                                                           write_whole };
    static const char *const verbs[] = { "remove", "disable", "enable" };
    tn_id id;
    char name[TN_PATH_SIZE];
    uint32_t k = next_random(&s->random) % (TN_LENGTH(writers) + 2);
    if (k < TN_LENGTH(writers))
        return writers[k](s, out);
    if (!pick_any(s, &id, name))
        return false;
    snprintf(out, COMMAND_SIZE, "{ %s: %s }", verbs[next_random(&s->random) % TN_LENGTH(verbs)], name);
    return true;
}

/* ---- what must hold ---- */

static void must_write(sequence *s)
{
    char *text = NULL, *again = NULL;
    tn_ack ack;
    const machine *m = &s->e.m;
    if (tn_session_text(&text, m->session) < 0) {
        tn_diagnostics_print(m->context, stderr);
        fail_msg("%s, seed %ld: no text after %s", s->e.path, s->seed, s->done);
    }
    must_agree(&s->e, text, s->done);
    uint64_t before = tn_session_hash(m->session);
    if (tn_session_set_text(&ack, m->session, text) < 0) {
        tn_diagnostics_print(m->context, stderr);
        fail_msg("%s, seed %ld: the text is refused after %s\n%s", s->e.path, s->seed, s->done, text);
    }
    if (tn_session_hash(m->session) != before || ack.changed)
        fail_msg("%s, seed %ld: its own text changes the session after %s\n%s", s->e.path, s->seed, s->done, text);
    machine_must(m, tn_session_text(&again, m->session));
    assert_string_equal(text, again);
    tn_text_free(m->context, text);
    tn_text_free(m->context, again);
}

static void must_save(sequence *s)
{
    char path[64], *text = NULL;
    tn_session *loaded = NULL;
    const machine *m = &s->e.m;
    snprintf(path, sizeof path, "/tmp/tenon-sequence-%ld.run", (long)getpid());
    machine_must(m, tn_session_save(m->session, path));
    int code = tn_session_load(&loaded, m->context, path);
    if (code < 0) {
        tn_diagnostics_print(m->context, stderr);
        fail_msg("%s, seed %ld: the saved run is refused (%s) after %s", s->e.path, s->seed, tn_error_text(code), s->done);
    }
    unlink(path);
    if (tn_session_hash(loaded) != tn_session_hash(m->session))
        fail_msg("%s, seed %ld: the saved run has another state after %s", s->e.path, s->seed, s->done);
    machine_must(m, tn_session_text(&text, loaded));
    must_agree(&s->e, text, s->done);
    tn_text_free(m->context, text);
    tn_session_close(loaded);
}

/* ---- faults that sequences have found ---- */

/* A text with another comment is no edit; undoing a number from before it brings the text of that time back. */
static void test_undo_behind_another_text(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -1]\nbodies: { b: { mass: 1, inertia: 1 } }\n");
    char *text = NULL, *other = NULL;
    tn_text changed;
    must_apply(&m, "{ gravity: [0, -2] }");
    machine_must(&m, tn_session_text(&text, m.session));
    tn_text_begin(&changed, m.context);
    tn_text_add(&changed, "# a comment\n%s", text);
    machine_must(&m, tn_text_take(&changed, &other));
    machine_must(&m, tn_session_set_text(NULL, m.session, other));
    tn_text_free(m.context, text);
    for (int undone = 1; undone >= 0; undone--) {
        machine_must(&m, undone ? tn_session_undo(NULL, m.session, false) : tn_session_redo(NULL, m.session, false));
        machine_must(&m, tn_session_text(&text, m.session));
        assert_true(tn_session_model(m.session)->gravity[1] == (undone ? -1 : -2));
        assert_non_null(strstr(text, undone ? "gravity: [0, -1]" : "gravity: [0, -2]"));
        assert_int_equal(strstr(text, "# a comment") == NULL, undone);
        tn_text_free(m.context, text);
    }
    tn_free(m.context, other);
    machine_close(&m);
}

/* Attributes of a contact that do not go together are refused, as they are in a file, in whatever order they come. */
static void test_attributes_that_do_not_go_together(void **state)
{
    (void)state;
    static const struct { const char *command; bool good; } cases[] = {
        { "{ set: { floor.friction_across: 0.01 } }", false },
        { "{ set: { floor.static_friction: 0.1 } }", false },
        { "{ set: { floor.static_friction: 0.6 } }", true },
        { "{ set: { floor.static_friction: 0.8, floor.friction: 0.7 } }", true },
        { "{ set: { floor.friction: 0.9, floor.static_friction: 1 } }", true },
        { "{ set: { floor.friction: 1.1 } }", false },
        { "{ set: { floor.stiffness: 1e5 } }", false },
        { "{ set: { floor.damping: 0.3 } }", false },
        { "{ set: { floor.static_friction: 0, floor.stiffness: 1e5, floor.damping: 0.3 } }", true },
        { "{ set: { floor.modulus: 1e9 } }", false },
        { "{ set: { floor.stiffness: 0, floor.modulus: 1e9 } }", false },      /* no ball among the shapes */
    };
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -1]\nbodies:\n"
                      "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
                      "  b: { shapes: [ { box: { size: [1, 1] }, mass: 1 } ], position: [0, 2] }\n"
                      "contacts: { floor: { between: [ground, b], friction: 0.5 } }\n");
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        char *text = NULL;
        if ((tn_session_apply(NULL, m.session, cases[k].command) >= 0) != cases[k].good)
            fail_msg("%s: %s", cases[k].command, cases[k].good ? "refused" : "accepted");
        machine_must(&m, tn_session_text(&text, m.session));
        tn_text_free(m.context, text);
    }
    machine_close(&m);
}

/* A snapshot with a limit in force is attached at its own state: the state before it may not fit the modes of its devices. */
static void test_saved_run_with_limits_and_devices(void **state)
{
    (void)state;
    sequence s = { .e = open_example(TENON_SOURCE_DIR "/examples/engine.yaml", 0.0067190067768096925) };
    must_apply(&s.e.m, "{ replace: { joints: { main: { type: revolute, between: [ground, rod], at: [-0.131, -0.01212034225463865] } } },"
                       " closing: snap }");
    must_apply(&s.e.m, "{ set: { wrist.limits: { angle: [-100 deg, none] } } }");
    machine_must(&s.e.m, tn_session_advance(s.e.m.session, 0.085346463441848749));
    must_save(&s);
    machine_close(&s.e.m);
}

/* ---- sequences ---- */

static void note(sequence *s, const char *command)
{
    size_t length = strlen(s->done);
    if (length + 1 < sizeof s->done)
        snprintf(s->done + length, sizeof s->done - length, "\n  t = %.4g: %s", tn_session_time(s->e.m.session), command);
}

static void edit(sequence *s)
{
    char command[COMMAND_SIZE];
    tn_session *session = s->e.m.session;
    if (chance(&*s, 0.1)) {
        bool restore = chance(s, 0.5);
        note(s, restore ? "undo, restore" : "undo");
        if (tn_session_undo(NULL, session, restore) >= 0 && chance(s, 0.5)) {
            note(s, "redo");
            tn_session_redo(NULL, session, restore);
        }
        return;
    }
    if (!write_command(s, command))
        return;
    if (tn_session_apply(NULL, session, command) < 0) {
        refused++;
        return;
    }
    note(s, command);
    accepted++;
}

/* Random closings can leave mechanisms at singular positions, across which steps are tiny: a few steps are enough here. */
static int count_steps(void *user, const tn_session *session)
{
    (void)session;
    return --*(int *)user <= 0;
}

static void run_sequence(const char *path, long seed)
{
    sequence s = { .seed = seed, .random = (uint32_t)(seed * 7919 + 17) };
    uniform(&s.random);
    s.e = open_example(path, between(&s.random, 0.001, 0.02));
    if (!s.e.m.session)
        return;
    int steps;
    tn_session_on_step(s.e.m.session, count_steps, &steps);
    for (int k = 0; k < EDITS; k++) {
        edit(&s);
        must_write(&s);
        if (chance(&s, 0.2))
            must_save(&s);
        steps = 3;
        if (chance(&s, 0.5) && tn_session_advance(s.e.m.session, tn_session_time(s.e.m.session) + between(&s.random, 0, 0.02)) < 0)
            break;                     /* some edits leave mechanisms that cannot move on */
    }
    machine_close(&s.e.m);
}

static void test_texts_after_random_edits(void **state)
{
    (void)state;
    static const char *const patterns[] = { TENON_SOURCE_DIR "/examples/*.yaml", TENON_SOURCE_DIR "/examples/*/*.yaml" };
    const char *count = getenv("TENON_LIVE_SEQUENCES"), *first = getenv("TENON_LIVE_FIRST");
    long sequences = count ? atol(count) : SEQUENCES, seed = first ? atol(first) : 0;
    glob_t found;
    for (size_t p = 0; p < TN_LENGTH(patterns); p++)
        assert_int_equal(glob(patterns[p], p ? GLOB_APPEND : 0, NULL, &found), 0);
    for (long last = seed + sequences; seed < last; seed++)
        run_sequence(found.gl_pathv[(size_t)seed % found.gl_pathc], seed);
    globfree(&found);
    print_message("%ld edits accepted, %ld refused\n", accepted, refused);
    assert_true(accepted > sequences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undo_behind_another_text),
        cmocka_unit_test(test_attributes_that_do_not_go_together),
        cmocka_unit_test(test_saved_run_with_limits_and_devices),
        cmocka_unit_test(test_texts_after_random_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
