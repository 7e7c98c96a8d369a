/* What a session holds can always be written and read again, to the bit: random edits on models that move. */
#include "edited.h"
#include <math.h>
#include "entities.h"
#include "session_impl.h"

/* Turning bodies, spatial and planar: their poses have all bits set soon. */
static const char SPATIAL[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  # thrown, turning\n"
    "  a: { mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0], angular_velocity: [1, 2, -3] }\n"
    "  b: { mass: 2, inertia: [0.3, 0.2, 0.4], position: [1.5, 0.2, 0], angular_velocity: [-2, 1, 4],\n"
    "       rotation: { axis: [1, 1, 0.3], angle: 0.7 }, frames: { tip: { at: [0.1, 0.2, 0.3], axis: [1, 2, 3] } } }\n"
    "  c: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0], angular_velocity: [3, -1, 1] }\n"
    "joints: { pivot: { type: spherical, between: [ground, a], at: [0, 0, 0] } }\n"
    "solve: { integrator: rk4, step: 2 ms }\n";
static const char PLANAR[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  # thrown, turning\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], angular_velocity: 2 }\n"
    "  b: { mass: 2, inertia: 0.3, position: [1.5, 0.2], angle: 0.7, angular_velocity: -3,\n"
    "       frames: { tip: { at: [0.1, 0.2], angle: 0.3 } } }\n"
    "  c: { mass: 1, inertia: 0.1, position: [0, 1], angular_velocity: 3 }\n"
    "joints: { pivot: { type: revolute, between: [ground, a], at: [0, 0] } }\n"
    "solve: { integrator: rk4, step: 2 ms }\n";

/* b is in a closed subsystem, with ports on a body and on a frame. */
static const char CLOSED[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  # thrown, turning\n"
    "  a: { mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0], angular_velocity: [1, 2, -3] }\n"
    "  c: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0], angular_velocity: [3, -1, 1] }\n"
    "subsystems: { b: { use: part.yaml, at: [1, 0, 0], rotation: { axis: [1, 2, 3], angle: 0.4 } } }\n"
    "solve: { integrator: rk4, step: 2 ms }\n";
static const char PART[] =
    "tenon: 1\nclosed: yes\nports: { mid: it, tip: it.tip }\n"
    "bodies: { it: { mass: 2, inertia: [0.3, 0.2, 0.4], position: [0.5, 0.2, 0], angular_velocity: [-2, 1, 4],\n"
    "                frames: { tip: { at: [0.1, 0.2, 0.3], axis: [1, 2, 3] } } } }\n";

static tn_model *read_texts(const machine *m, const char *text)
{
    const tn_model_source texts[] = { { "model.yaml", text, strlen(text) }, { "part.yaml", PART, sizeof PART - 1 } };
    tn_model *model = NULL;
    machine_must(m, tn_model_read_texts(&model, m->context, texts, TN_LENGTH(texts), "."));
    return model;
}

/* [x, y, z], or [x, y]. */
static const char *vector(uint32_t *r, bool planar, double size, char out[100])
{
    double x[3];
    random_vector(r, 3, size, x);
    if (planar)
        snprintf(out, 100, "[%.3f, %.3f]", x[0], x[1]);
    else
        snprintf(out, 100, "[%.3f, %.3f, %.3f]", x[0], x[1], x[2]);
    return out;
}

/* What is turning: planar, spatial, or with b in a subsystem. */
typedef enum world { FLAT, FREE, WITH_PORTS } world;

static void random_joint(uint32_t *r, world w, const char *verb, char *out, size_t size)
{
    static const char *const spatial[] = { "revolute", "cylindrical", "prismatic", "spherical", "fixed", "planar" };
    static const char *const flat[] = { "revolute", "prismatic", "fixed", "pin-slot" };
    static const char *const pairs[] = { "[ground, a]", "[a, b]", "[b, c]", "[b.tip, c]", "[c, ground]" };
    bool planar = w == FLAT;
    const char *type = planar ? flat[next_random(r) % TN_LENGTH(flat)] : spatial[next_random(r) % TN_LENGTH(spatial)];
    static const char *const ports[] = { "[ground, a]", "[a, b.mid]", "[b.mid, c]", "[b.tip, c]", "[c, ground]" };
    const char *pair = (w == WITH_PORTS ? ports : pairs)[next_random(r) % TN_LENGTH(pairs)];
    char at[100], axis[100], name = (char)('p' + next_random(r) % 3);
    bool turned = strcmp(type, "spherical") != 0 && strcmp(type, "fixed") != 0 && !(planar && type == flat[0]);
    vector(r, planar, 1, at);
    vector(r, planar, 1, axis);
    snprintf(out, size, "{ %s: { joints: { %c: { type: %s, between: %s, at: %s%s%s } } }, closing: snap }", verb, name,
             type, pair, at, turned ? ", axis: " : "", turned ? axis : "");
}

static void random_edit(uint32_t *r, world w, char *out, size_t size)
{
    char at[100];
    bool planar = w == FLAT;
    switch (next_random(r) % 8) {
    case 0: case 1: case 2:
        random_joint(r, w, "add", out, size);
        break;
    case 3:
        random_joint(r, w, "replace", out, size);
        break;
    case 4:
        snprintf(out, size, "{ move: { %c: { at: %s } }, closing: snap }", 'p' + next_random(r) % 3,
                 vector(r, planar, 1, at));
        break;
    case 5:
        snprintf(out, size, "{ move: { %c: { between: [%s, %s] } }, closing: snap }", 'p' + next_random(r) % 3,
                 next_random(r) % 2 ? "a" : "ground", next_random(r) % 2 ? w == WITH_PORTS ? "b.mid" : "b" : "c");
        break;
    case 6:
        snprintf(out, size, "{ add: { forces: { f%u: { type: spring, between: [a, b.tip], stiffness: %.3f, "
                 "length: 0.5 } } } }", next_random(r) % 3, between(r, 1, 20));
        break;
    default:
        snprintf(out, size, "{ remove: %c }", 'p' + next_random(r) % 3);
    }
}

/* The text gives the session's model again, the comments are in it. */
static void must_be_said(machine *m, const char *command)
{
    char *text = NULL;
    if (tn_session_text(&text, m->session) < 0) {
        tn_diagnostics_print(m->context, stderr);
        fail_msg("no text can say what came of %s", command);
    }
    tn_model *read = read_texts(m, text);
    machine_must(m, tn_model_align(read, tn_session_model(m->session)));
    if (!tn_model_same(read, tn_session_model(m->session)) || !strstr(text, "# thrown, turning"))
        fail_msg("after %s this text is another model:\n%s", command, text);
    tn_model_destroy(read);
    tn_text_free(m->context, text);
}

static void edit_at_random(const char *text, world w)
{
    int done = 0;
    for (uint32_t seed = 1; seed <= 25; seed++) {
        machine m = { .context = tn_context_create(NULL) };
        uint32_t r = 17 * seed;
        char command[500];
        m.model = read_texts(&m, text);
        machine_must(&m, tn_session_open(&m.session, m.model, NULL));
        for (int k = 0; k < 12; k++) {
            machine_must(&m, tn_session_advance(m.session, 0.02 + 0.01 * uniform(&r)));
            random_edit(&r, w, command, sizeof command);
            done += tn_session_apply(NULL, m.session, command) == TN_OK;
            if (next_random(&r) % 8 == 0)
                tn_session_undo(NULL, m.session, false);
            must_be_said(&m, command);
        }
        machine_close(&m);
    }
    if (done < 100)
        fail_msg("only %d of the edits were made", done);
}

static void test_spatial_models_stay_writable(void **state)
{
    (void)state;
    edit_at_random(SPATIAL, FREE);
}

static void test_planar_models_stay_writable(void **state)
{
    (void)state;
    edit_at_random(PLANAR, FLAT);
}

static void test_models_with_ports_stay_writable(void **state)
{
    (void)state;
    edit_at_random(CLOSED, WITH_PORTS);
}

/* Sixty joints on a turning body, one in each session. */
static void test_a_joint_on_a_turning_body(void **state)
{
    (void)state;
    uint32_t r = 5;
    int failed = 0;
    for (int k = 0; k < 60; k++) {
        machine m = start(SPATIAL);
        char at[100], axis[100], command[400], *text = NULL;
        machine_must(&m, tn_session_advance(m.session, 0.02 * (k + 1)));
        snprintf(command, sizeof command, "{ add: { joints: { p: { type: revolute, between: [ground, b], at: %s, "
                 "axis: %s } } } }", vector(&r, false, 1, at), vector(&r, false, 1, axis));
        must_apply(&m, command);
        failed += tn_session_text(&text, m.session) < 0;
        tn_text_free(m.context, text);
        machine_close(&m);
    }
    if (failed > 0)
        fail_msg("%d of 60 models cannot be written", failed);
}

/* What named something that is gone names it no more: outputs, starts, ports, groups, contacts, states' units. */
static void test_what_is_left_can_be_written(void **state)
{
    (void)state;
    static const char text[] =
        "# thrown, turning\n"
        "tenon: 1\ndimension: 2\nbodies:\n"
        "  a: { shapes: [ { disc: { radius: 0.1 }, density: 500 } ], position: [0, 1] }\n"
        "  b: { shapes: [ { disc: { radius: 0.1 }, density: 500 } ], position: [1, 1], frames: { f: { at: [0, 0] } } }\n"
        "  c: { shapes: [ { disc: { radius: 0.1 }, density: 500 } ], position: [2, 1] }\n"
        "ports: { p: b.f, q: a }\n"
        "joints: { j: { type: revolute, between: [a, b], at: [0.5, 1] } }\n"
        "contacts: { touch: { among: [a, b, c] } }\n"
        "states: { s: { initial: 2 m/s, rate: -s.value / 1 s } }\n"
        "initial: { b: { velocity: [1, 0] } }\n"
        "outputs: [a.angle, b.angle]\n"
        "groups: { left: { members: [a] }, right: { members: [b, c] } }\n";
    static const char *const commands[] = { "{ set: { s.initial: 3 } }", "{ set: { s.initial: 2 * 2 } }",
                                            "{ remove: b.f }", "{ remove: j }", "{ remove: [s, b] }", "{ remove: a }",
                                            "{ add: { bodies: { b: { mass: 1, inertia: 1, position: [1, 1] } } } }",
                                            "{ add: { outputs: [c.angle, b.angle, { twice: 2 * b.angle }] } }",
                                            "{ add: { bodies: { a: { mass: 1, inertia: 1, position: [3, 1] } } } }",
                                            "{ remove: b }", "{ add: { outputs: [a.angle, c.angle] } }" };
    machine m = start(text);
    for (size_t k = 0; k < TN_LENGTH(commands); k++) {
        must_apply(&m, commands[k]);
        must_be_said(&m, commands[k]);
    }
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_joint_on_a_turning_body),
        cmocka_unit_test(test_spatial_models_stay_writable),
        cmocka_unit_test(test_planar_models_stay_writable),
        cmocka_unit_test(test_models_with_ports_stay_writable),
        cmocka_unit_test(test_what_is_left_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
