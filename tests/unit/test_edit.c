/* Edits of a model against the same model read from a text that says so from the start. */
#include "alloc.h"
#include "near.h"
#include "rich_model.h"
#include "tenon/analysis.h"
#include "tenon/session.h"
#include <stdlib.h>

typedef struct world {
    tn_context *context;
    tn_model *model;
} world;

static int set_up(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    w->context = tn_context_create(NULL);
    w->model = read_rich(w->context, rich_text);
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
    free(w);
    return 0;
}

static void assert_said(const world *w, const char *text)
{
    for (size_t i = 0; i < tn_diagnostics_count(w->context); i++)
        if (strstr(tn_diagnostics_get(w->context, i)->message, text))
            return;
    tn_diagnostics_print(w->context, stderr);
    fail_msg("nobody said: %s", text);
}

static void assert_same_id(tn_id a, tn_id b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* The rich text with every occurrence of one text replaced by another; freed by the caller. */
static char *changed(const char *text, const char *from, const char *to)
{
    size_t count = 0;
    for (const char *at = strstr(text, from); at; at = strstr(at + strlen(from), from))
        count++;
    assert_true(count > 0);
    char *result = malloc(strlen(text) + count * strlen(to) + 1), *out = result;
    for (const char *next; (next = strstr(text, from)) != NULL; text = next + strlen(from))
        out += sprintf(out, "%.*s%s", (int)(next - text), text, to);
    strcpy(out, text);
    return result;
}

/* The rich text without the lines that begin so, by spaces and name; freed by the caller. */
static char *without(const char *text, const char *const *names, size_t count)
{
    char *result = malloc(strlen(text) + 1), *out = result;
    for (const char *end; *text; text = end + 1) {
        bool keep = true;
        end = strchr(text, '\n');
        for (size_t k = 0; k < count; k++)
            keep = keep && !(strncmp(text, "  ", 2) == 0 && strncmp(text + 2, names[k], strlen(names[k])) == 0 &&
                             text[2 + strlen(names[k])] == ':');
        if (keep)
            out += sprintf(out, "%.*s", (int)(end + 1 - text), text);
    }
    *out = '\0';
    return result;
}

static uint64_t hash_of_run(tn_model *model)
{
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, 0.05), TN_OK);
    uint64_t hash = tn_session_hash(session);
    tn_session_close(session);
    return hash;
}

static bool says(const world *w, const char *text)
{
    tn_model *other = read_rich(w->context, text);
    bool same = tn_model_same(w->model, other);
    tn_model_destroy(other);
    return same;
}

static tn_id find(const world *w, const char *name)
{
    tn_id id = tn_model_find(w->model, name);
    assert_true(id.kind != TN_KIND_NONE);
    return id;
}

/* ---- what counts as the same ---- */

static void test_every_difference_counts(void **state)
{
    static const char *const edits[][2] = {
        { "name: rich", "name: poor" }, { "tion: 0.4", "tion: 0.5" }, { "friction: 0.2", "friction: 0.3" },
        { "at: [0, 0, -50]", "at: [0, 0, -51]" }, { "[ground, leaf], rest", "[leaf, ground], rest" },
        { "0.1 * sin", "0.2 * sin" }, { "-9.81 m", "-9.8 m" }, { "L: 0.5", "L: 0.6" },
        { "k: 2 kN", "k: 3 kN" }, { "0.1, 1], at", "0.2, 1], at" }, { "density: 700", "density: 710" },
        { "[0, 0, 1]\n  wheel", "[0, 0, 2]\n  wheel" }, { "[1, 0, 0], frames", "[1, 1, 0], frames" },
        { "rim: { at: [0.1", "rim: { at: [0.2" }, { "wheel.rim", "wheel" }, { "rim", "rand" }, { "bob", "ball" },
        { "particle, mass: 0.2", "particle, mass: 0.3" }, { "d . d - length^2", "d . d - length * length" },
        { "stretch", "reach" }, { "[0, 0, 1], axis: z", "[0, 0, 2], axis: z" }, { "ratio: 2", "ratio: 3" },
        { "[low, shaft], ratio", "[high, shaft], ratio" }, { "length: 0.3 m", "length: 0.4 m" },
        { "\"lag.value\"", "\"2 * lag.value\"" }, { "damping: 0.01", "damping: 0.02" },
        { "joint: shaft, stiff", "joint: low, stiff" }, { "2 rad/s * sin", "3 rad/s * sin" },
        { "initial: 0.5 N", "initial: 0.6 N" }, { "3 N]", "4 N]" }, { "rate: -0.5", "rate: -0.4" },
        { "energy.total]", "energy.kinetic]" }, { "bob.position.x / L", "bob.position.y / L" },
        { "until: 1,", "until: 2," }, { "penalty: 1e8", "penalty: 1e9" }, { "rk4", "heun" },
        { "energy: 1e-3", "energy: 1e-2" },
        { "motor: { ", "motor: { enabled: no, " }, { "bob: { ", "bob: { enabled: no, " },
    };
    world *w = *state;
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        char *text = changed(rich_text, edits[k][0], edits[k][1]);
        if (says(w, text))
            fail_msg("'%s' instead of '%s' makes no difference", edits[k][1], edits[k][0]);
        free(text);
    }
}

static void test_places_do_not_count(void **state)
{
    world *w = *state;
    char *moved = changed(rich_text, "bodies:\n", "\n# comments move lines\nbodies:\n");
    char *spelled = changed(rich_text, "damping: 0.01 N m s", "damping: 10e-3, enabled: true");
    assert_true(says(w, rich_text));
    assert_true(says(w, moved));
    assert_true(says(w, spelled));
    free(moved);
    free(spelled);
}

static void test_free_slots_do_not_count(void **state)
{
    world *w = *state;
    tn_model *before = NULL;
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = 1;
    def.kind = TN_BODY_PARTICLE;
    assert_int_equal(tn_model_clone(&before, w->model), TN_OK);
    assert_int_equal(tn_model_add_body(&id, w->model, "guest", &def), TN_OK);
    assert_false(tn_model_same(w->model, before));
    assert_int_equal(tn_model_remove(w->model, id), TN_OK);
    assert_true(tn_model_same(w->model, before));
    assert_true(tn_model_same(before, w->model));
    tn_model_destroy(before);
}

/* ---- removal ---- */

static void test_removal_of_a_joint(void **state)
{
    world *w = *state;
    tn_id gone[] = { find(w, "shaft"), find(w, "mesh"), find(w, "brake") };
    tn_id axle = find(w, "axle"), motor = find(w, "motor");
    assert_int_equal(tn_model_remove(w->model, gone[0]), TN_OK);
    for (size_t k = 0; k < 3; k++) {
        assert_null(tn_model_entity_name(w->model, gone[k]));
        assert_int_equal(tn_model_remove(w->model, gone[k]), TN_ERROR_STALE);
    }
    assert_string_equal(tn_model_entity_name(w->model, motor), "motor");
    assert_int_equal(tn_model_remove(w->model, axle), TN_OK);
    assert_null(tn_model_entity_name(w->model, motor));
    const char *const names[] = { "shaft", "mesh", "brake", "axle", "motor" };
    char *text = without(rich_text, names, 5), *start = changed(text, "initial: { shaft: { rate: -0.5 } }\n", "");
    char *empty = changed(start, "drives:\n", "");
    assert_true(says(w, empty));
    free(text);
    free(start);
    free(empty);
}

/* ---- replacing ---- */

static void test_replace_joint(void **state)
{
    world *w = *state;
    tn_id shaft = find(w, "shaft"), wheel = find(w, "wheel");
    tn_span span = tn_model_entity_span(w->model, shaft);
    tn_joint_def def = tn_joint_default("cylindrical");
    def.body1 = tn_model_ground(w->model);
    def.body2 = wheel;
    def.start = &(tn_joint_start){ "angle", NAN, -0.5 };
    def.start_count = 1;
    assert_int_equal(tn_joint_as_built(&def, w->model, &(tn_pose){ { 1, 0, 0 }, { 1, 0, 0, 0 } }), TN_OK);
    assert_int_equal(tn_model_replace_joint(w->model, shaft, &def), TN_OK);
    assert_same_id(find(w, "shaft"), shaft);
    assert_int_equal(tn_model_entity_span(w->model, shaft).line, span.line);
    char *text = changed(rich_text, "shaft: { type: revolute", "shaft: { type: cylindrical");
    char *start = changed(text, "{ shaft: { rate: -0.5 } }", "{ shaft: { angle_rate: -0.5 } }");
    char *gear = changed(start, "[low, shaft]", "[low, shaft.angle]");
    char *brake = changed(gear, "joint: shaft, stiff", "joint: shaft.angle, stiff");
    assert_true(says(w, brake));                   /* the angle is no longer the first coordinate */
    free(text);
    free(start);
    free(gear);
    free(brake);
}

static void test_replace_joint_wrongly(void **state)
{
    world *w = *state;
    tn_id shaft = find(w, "shaft"), wheel = find(w, "wheel");
    tn_joint_def def = tn_joint_default("prismatic"), turns = tn_joint_default("gear");
    def.body1 = tn_model_ground(w->model);
    def.body2 = wheel;
    assert_int_equal(tn_model_replace_joint(w->model, shaft, &def), TN_ERROR_MODEL);
    assert_said(w, "joint 'shaft': 'mesh' needs its coordinate 'angle'");
    assert_said(w, "joint 'shaft': 'brake' needs its coordinate 'angle'");
    turns.settings = &(tn_setting){ "ratio", 2 };
    turns.setting_count = 1;
    turns.terms = (tn_coupling_term[]){ { .joint = shaft }, { .joint = find(w, "axle") } };
    turns.term_count = 2;
    assert_int_equal(tn_model_replace_joint(w->model, shaft, &turns), TN_ERROR_MODEL);
    assert_said(w, "it cannot couple itself");
    def.type = "rigid-ish";
    assert_int_equal(tn_model_replace_joint(w->model, shaft, &def), TN_ERROR_MODEL);
    assert_int_equal(tn_model_replace_joint(w->model, wheel, &def), TN_ERROR_ARGUMENT);
    assert_true(says(w, rich_text));
    assert_int_equal(tn_model_remove(w->model, shaft), TN_OK);
    assert_int_equal(tn_model_replace_joint(w->model, shaft, &def), TN_ERROR_STALE);
}

static void test_replace_force(void **state)
{
    world *w = *state;
    tn_id pull = find(w, "pull");
    tn_force_def def = tn_force_default("spring");
    def.body2 = find(w, "bob");
    def.settings = (tn_setting[]){ { "stiffness", 50 }, { "length", 0.75 } };
    def.setting_count = 1;
    assert_int_equal(tn_model_replace_force(w->model, pull, &def), TN_ERROR_MODEL);        /* no length */
    assert_true(says(w, rich_text));
    def.setting_count = 2;
    assert_int_equal(tn_model_replace_force(w->model, pull, &def), TN_OK);
    assert_same_id(find(w, "pull"), pull);
    char *text = changed(rich_text, "stiffness: k, length: L", "stiffness: 50, length: 0.75");
    assert_true(says(w, text));
    free(text);
}

static void test_replace_body(void **state)
{
    world *w = *state;
    tn_id disc = find(w, "disc"), solid = find(w, "solid");
    tn_body_def def = tn_body_default();
    def.mass = 3;
    def.pose.p[0] = 3;
    def.placed = true;
    def.inertia[2] = 0.4;
    assert_int_equal(tn_model_replace_body(w->model, disc, &def), TN_ERROR_MODEL);         /* not all of it */
    assert_int_equal(tn_model_replace_body(w->model, tn_model_ground(w->model), &def), TN_ERROR_ARGUMENT);
    assert_true(says(w, rich_text));
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.4;
    assert_int_equal(tn_model_replace_body(w->model, disc, &def), TN_OK);
    char *text = changed(rich_text, "mass: 2, inertia: [0.2, 0.2, 0.2]", "mass: 3, inertia: [0.4, 0.4, 0.4]");
    assert_true(says(w, text));
    free(text);
    assert_int_equal(tn_model_replace_body(w->model, solid, &def), TN_OK);                 /* had a mesh */
    assert_int_equal(tn_model_shape_count(w->model, solid), 0);
}

/* ---- renaming ---- */

static void test_rename(void **state)
{
    world *w = *state;
    tn_id wheel = find(w, "wheel"), rim = find(w, "wheel.rim"), shaft = find(w, "shaft");
    assert_int_equal(tn_model_rename(w->model, wheel, "rotor"), TN_OK);
    assert_int_equal(tn_model_rename(w->model, shaft, "bearing"), TN_OK);
    assert_same_id(find(w, "rotor"), wheel);
    assert_same_id(find(w, "rotor.rim"), rim);
    assert_int_equal(tn_model_find(w->model, "wheel").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(w->model, "wheel.rim").kind, TN_KIND_NONE);
    char *text = changed(rich_text, "wheel", "rotor"), *both = changed(text, "shaft", "bearing");
    assert_true(says(w, both));
    assert_int_equal(tn_model_rename(w->model, rim, "edge"), TN_OK);
    assert_same_id(find(w, "rotor.edge"), rim);
    assert_string_equal(tn_model_entity_name(w->model, rim), "edge");
    char *edge = changed(both, "rim", "edge");
    assert_true(says(w, edge));
    assert_int_equal(tn_model_rename(w->model, rim, "edge"), TN_OK);
    free(text);
    free(both);
    free(edge);
}

static void test_rename_wrongly(void **state)
{
    world *w = *state;
    tn_id wheel = find(w, "wheel"), rim = find(w, "wheel.rim");
    assert_int_equal(tn_model_rename(w->model, wheel, "bob"), TN_ERROR_MODEL);
    assert_said(w, "body 'bob': the name is already taken by a body");
    assert_int_equal(tn_model_rename(w->model, wheel, "a.b"), TN_ERROR_MODEL);
    assert_int_equal(tn_model_rename(w->model, wheel, ""), TN_ERROR_MODEL);
    assert_int_equal(tn_model_rename(w->model, wheel, NULL), TN_ERROR_MODEL);
    assert_int_equal(tn_model_rename(w->model, rim, "position"), TN_ERROR_MODEL);
    assert_int_equal(tn_model_rename(w->model, tn_model_ground(w->model), "earth"), TN_ERROR_ARGUMENT);
    assert_true(says(w, rich_text));
    assert_int_equal(tn_model_remove(w->model, rim), TN_OK);
    assert_int_equal(tn_model_rename(w->model, rim, "edge"), TN_ERROR_STALE);
}

/* ---- switching off ---- */

/* The run with something switched off is, to the bit, that of the model without it and without what depends on it. */
static void check_like_removed(const char *name, const char *const *gone, size_t count)
{
    tn_context *context = tn_context_create(NULL);
    char *text = without(rich_text, gone, count);
    char *plain = changed(text, "outputs: [bob.position, { ratio: \"bob.position.x / L\" }, energy.total]\n", "");
    char *whole = changed(rich_text, "outputs: [bob.position, { ratio: \"bob.position.x / L\" }, energy.total]\n", "");
    tn_model *model = read_rich(context, whole), *removed;
    if (strstr(plain, "  shaft:") == NULL) {
        char *start = changed(plain, "initial: { shaft: { rate: -0.5 } }\n", "");
        removed = read_rich(context, start);
        free(start);
    } else {
        removed = read_rich(context, plain);
    }
    uint64_t hash = hash_of_run(model), expected = hash_of_run(removed);
    tn_id id = tn_model_find(model, name);
    assert_true(tn_model_enabled(model, id));
    assert_int_equal(tn_model_set_enabled(model, id, false), TN_OK);
    assert_false(tn_model_enabled(model, id));
    if (hash_of_run(model) != expected)
        fail_msg("'%s' switched off is not '%s' removed", name, name);
    assert_true(hash != expected);
    assert_int_equal(tn_model_set_enabled(model, id, true), TN_OK);
    assert_true(hash_of_run(model) == hash);
    tn_model_destroy(model);
    tn_model_destroy(removed);
    tn_context_destroy(context);
    free(text);
    free(plain);
    free(whole);
}

static void test_off_is_like_removed(void **state)
{
    (void)state;
    check_like_removed("pull", (const char *const[]){ "pull" }, 1);
    check_like_removed("motor", (const char *const[]){ "motor" }, 1);
    check_like_removed("mesh", (const char *const[]){ "mesh" }, 1);
    check_like_removed("string", (const char *const[]){ "string" }, 1);
    check_like_removed("axle", (const char *const[]){ "axle", "motor" }, 2);
    check_like_removed("shaft", (const char *const[]){ "shaft", "mesh", "brake" }, 3);
    check_like_removed("disc", (const char *const[]){ "disc", "axle", "motor" }, 3);
}

static void test_off_has_no_channels(void **state)
{
    world *w = *state;
    tn_session *session = NULL;
    double value;
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "disc"), false), TN_OK);
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "brake"), false), TN_OK);
    assert_int_equal(tn_session_open(&session, w->model, NULL), TN_OK);
    assert_int_equal(tn_session_value(&value, session, "brake.power"), TN_ERROR_ARGUMENT);
    assert_said(w, "there is no channel 'brake.power': 'brake' is disabled");
    assert_int_equal(tn_session_value(&value, session, "axle.angle"), TN_ERROR_ARGUMENT);
    assert_said(w, "'axle' takes no part while 'disc' is disabled");
    assert_int_equal(tn_session_value(&value, session, "disc.position.x"), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_rows(NULL, 0, session, find(w, "motor")), TN_ERROR_ARGUMENT);
    assert_said(w, "'motor' takes no part while 'disc' is disabled");
    for (size_t k = 0; k < tn_session_channel_count(session); k++) {
        const char *name = tn_session_channel(session, k).name;
        assert_true(strncmp(name, "disc.", 5) != 0 && strncmp(name, "axle.", 5) != 0);
        assert_true(strncmp(name, "brake.", 6) != 0);
    }
    assert_int_equal(tn_session_advance(session, 0.05), TN_OK);
    tn_pose pose;
    assert_int_equal(tn_session_pose(&pose, session, find(w, "disc")), TN_OK);
    assert_true(pose.p[0] == 3);                   /* it stands still */
    tn_session_close(session);
}

static void test_off_in_expressions(void **state)
{
    world *w = *state;
    tn_session *session = NULL;
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "lag"), false), TN_OK);
    assert_int_equal(tn_session_open(&session, w->model, NULL), TN_ERROR_MODEL);
    assert_said(w, "force 'push': 'value.y': 'lag' is disabled");
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "lag"), true), TN_OK);
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "bob"), false), TN_OK);
    assert_int_equal(tn_session_open(&session, w->model, NULL), TN_ERROR_MODEL);
    assert_said(w, "force 'push': 'value.x': 'bob' is disabled");
}

static void test_off_in_assembly(void **state)
{
    world *w = *state;
    tn_session *session = NULL;
    tn_id disc = find(w, "disc");
    tn_fixed_coordinate fixed = { .joint = find(w, "axle"), .coordinate = "angle", .value = 1 };
    assert_int_equal(tn_model_set_enabled(w->model, disc, false), TN_OK);
    assert_int_equal(tn_session_open_assembled(&session, w->model, &(tn_assembly_options){ .held = &disc,
                                                                                           .held_count = 1 }),
                     TN_ERROR_ARGUMENT);
    assert_said(w, "'disc' is disabled");
    assert_int_equal(tn_session_open_assembled(&session, w->model, &(tn_assembly_options){ .fixed = &fixed,
                                                                                           .fixed_count = 1 }),
                     TN_ERROR_ARGUMENT);
    assert_said(w, "'axle' takes no part while 'disc' is disabled");
}

static void test_off_needs_no_mass(void **state)
{
    world *w = *state;
    tn_session *session = NULL;
    tn_body_def def = tn_body_default();
    tn_id ghost;
    assert_int_equal(tn_model_add_body(&ghost, w->model, "ghost", &def), TN_OK);
    assert_int_equal(tn_session_open(&session, w->model, NULL), TN_ERROR_MODEL);
    assert_int_equal(tn_model_set_enabled(w->model, ghost, false), TN_OK);
    assert_int_equal(tn_session_open(&session, w->model, NULL), TN_OK);
    tn_session_close(session);
}

static void test_switches(void **state)
{
    world *w = *state;
    tn_id rim = find(w, "wheel.rim"), bob = find(w, "bob");
    assert_int_equal(tn_model_set_enabled(w->model, tn_model_ground(w->model), false), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_set_enabled(w->model, rim, false), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_set_enabled(w->model, bob, false), TN_OK);
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "motor"), false), TN_OK);
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "mesh"), false), TN_OK);
    assert_int_equal(tn_model_set_enabled(w->model, find(w, "pull"), false), TN_OK);
    char *text = changed(rich_text, "bob: {", "bob: { enabled: no,");
    char *drive = changed(text, "motor: {", "motor: { enabled: false,");
    char *joint = changed(drive, "mesh: {", "mesh: { enabled: no,");
    char *force = changed(joint, "pull: {", "pull: { enabled: no,");
    assert_true(says(w, force));
    free(text);
    free(drive);
    free(joint);
    free(force);
    assert_int_equal(tn_model_remove(w->model, bob), TN_OK);
    assert_false(tn_model_enabled(w->model, bob));
    assert_int_equal(tn_model_set_enabled(w->model, bob, true), TN_ERROR_STALE);
    tn_body_def def = tn_body_default();
    def.kind = TN_BODY_PARTICLE;
    def.mass = 1;
    assert_int_equal(tn_model_add_body(&bob, w->model, "bob", &def), TN_OK);               /* into the free slot */
    assert_true(tn_model_enabled(w->model, bob));
}

static void test_switch_in_a_file(void **state)
{
    world *w = *state;
    char *text = changed(rich_text, "bob: {", "bob: { enabled: maybe,");
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_text(&model, w->context, text, strlen(text), "m.yaml", "."), TN_ERROR_MODEL);
    assert_said(w, "body 'bob': 'enabled' is maybe, must be yes or no");
    tn_model_destroy(model);
    free(text);
}

/* ---- memory ---- */

static int replace_all(tn_model *model)
{
    tn_body_def body = tn_body_default();
    tn_shape_def shape = tn_shape_default(TN_SHAPE_BOX);
    shape.size[0] = shape.size[1] = shape.size[2] = shape.mass = 1;
    body.shapes = &shape;
    body.shape_count = 1;
    tn_joint_def drive = tn_joint_default("drive-rate");
    drive.terms = &(tn_coupling_term){ .joint = tn_model_find(model, "axle") };
    drive.term_count = 1;
    drive.motion.text = "3";
    tn_force_def force = tn_force_default("torsion-spring");
    force.joint = tn_model_find(model, "shaft");
    force.expressions = &(tn_expression){ .name = "stiffness", .text = "1 + t / 1 s" };
    force.expression_count = 1;
    int code = tn_model_replace_body(model, tn_model_find(model, "disc"), &body);
    if (code == TN_OK)
        code = tn_model_replace_joint(model, tn_model_find(model, "motor"), &drive);
    if (code == TN_OK)
        code = tn_model_replace_force(model, tn_model_find(model, "brake"), &force);
    if (code == TN_OK)
        code = tn_model_rename(model, tn_model_find(model, "low"), "lower");
    if (code == TN_OK)
        code = tn_model_rename(model, tn_model_find(model, "wheel.rim"), "edge");
    return code == TN_OK ? tn_model_rename(model, tn_model_find(model, "wheel"), "rotor") : code;
}

/* An arena asks for memory in blocks, so edits are repeated until one of them needs a new block. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    test_alloc a = { 0 };
    tn_context *context = test_context(&a);
    tn_model *model = read_rich(context, rich_text);
    bool renamed = false;
    for (int round = 0; round < 200; round++) {
        tn_model *clone = NULL, *before = NULL;
        tn_id wheel = tn_model_find(model, "wheel");
        assert_int_equal(tn_model_clone(&clone, model), TN_OK);
        for (int k = 0; k < round; k++)                    /* uses up the block */
            assert_int_equal(tn_model_set_name(clone, "a name of some length that fills the arena"), TN_OK);
        assert_int_equal(tn_model_clone(&before, clone), TN_OK);
        a.fail_at = a.calls + 1;
        if (tn_model_rename(clone, wheel, "rotor") == TN_ERROR_MEMORY) {
            assert_true(tn_model_same(clone, before));
            assert_int_equal(tn_model_find(clone, "wheel.rim").kind, TN_KIND_FRAME);
            renamed = true;
        }
        a.fail_at = 0;
        for (int code = TN_ERROR_MEMORY, n = 1; code != TN_OK; n++) {
            a.fail_at = a.calls + n;
            code = replace_all(clone);
            assert_true(code == TN_OK || code == TN_ERROR_MEMORY);
            a.fail_at = 0;
            tn_model_destroy(clone);
            assert_int_equal(tn_model_clone(&clone, before), TN_OK);
        }
        tn_model_destroy(clone);
        tn_model_destroy(before);
    }
    assert_true(renamed);
    tn_model_destroy(model);
    tn_context_destroy(context);
    assert_int_equal(a.alive, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_difference_counts),
        TEST(test_places_do_not_count),
        TEST(test_free_slots_do_not_count),
        TEST(test_removal_of_a_joint),
        TEST(test_replace_joint),
        TEST(test_replace_joint_wrongly),
        TEST(test_replace_force),
        TEST(test_replace_body),
        TEST(test_rename),
        TEST(test_rename_wrongly),
        cmocka_unit_test(test_off_is_like_removed),
        TEST(test_off_has_no_channels),
        TEST(test_off_in_expressions),
        TEST(test_off_in_assembly),
        TEST(test_off_needs_no_mass),
        TEST(test_switches),
        TEST(test_switch_in_a_file),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
