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

static void random_joint(uint32_t *r, bool planar, const char *verb, char *out, size_t size)
{
    static const char *const spatial[] = { "revolute", "cylindrical", "prismatic", "spherical", "fixed", "planar" };
    static const char *const flat[] = { "revolute", "prismatic", "fixed", "pin-slot" };
    static const char *const pairs[] = { "[ground, a]", "[a, b]", "[b, c]", "[b.tip, c]", "[c, ground]" };
    const char *type = planar ? flat[next_random(r) % TN_LENGTH(flat)] : spatial[next_random(r) % TN_LENGTH(spatial)];
    const char *pair = pairs[next_random(r) % TN_LENGTH(pairs)];
    char at[100], axis[100], name = (char)('p' + next_random(r) % 3);
    bool turned = strcmp(type, "spherical") != 0 && strcmp(type, "fixed") != 0 && !(planar && type == flat[0]);
    vector(r, planar, 1, at);
    vector(r, planar, 1, axis);
    snprintf(out, size, "{ %s: { joints: { %c: { type: %s, between: %s, at: %s%s%s } } }, closing: snap }", verb, name,
             type, pair, at, turned ? ", axis: " : "", turned ? axis : "");
}

static void random_edit(uint32_t *r, bool planar, char *out, size_t size)
{
    char at[100];
    switch (next_random(r) % 8) {
    case 0: case 1: case 2:
        random_joint(r, planar, "add", out, size);
        break;
    case 3:
        random_joint(r, planar, "replace", out, size);
        break;
    case 4:
        snprintf(out, size, "{ move: { %c: { at: %s } }, closing: snap }", 'p' + next_random(r) % 3,
                 vector(r, planar, 1, at));
        break;
    case 5:
        snprintf(out, size, "{ move: { %c: { between: [%s, %s] } }, closing: snap }", 'p' + next_random(r) % 3,
                 next_random(r) % 2 ? "a" : "ground", next_random(r) % 2 ? "b" : "c");
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
    tn_model *read = NULL;
    char *text = NULL;
    if (tn_session_text(&text, m->session) < 0) {
        tn_diagnostics_print(m->context, stderr);
        fail_msg("no text can say what came of %s", command);
    }
    machine_must(m, tn_model_read_text(&read, m->context, text, strlen(text), "text.yaml", "."));
    machine_must(m, tn_model_align(read, tn_session_model(m->session)));
    if (!tn_model_same(read, tn_session_model(m->session)) || !strstr(text, "# thrown, turning"))
        fail_msg("after %s this text is another model:\n%s", command, text);
    tn_model_destroy(read);
    tn_text_free(m->context, text);
}

static void edit_at_random(const char *text, bool planar)
{
    int done = 0;
    for (uint32_t seed = 1; seed <= 25; seed++) {
        machine m = start(text);
        uint32_t r = 17 * seed;
        char command[500];
        for (int k = 0; k < 12; k++) {
            machine_must(&m, tn_session_advance(m.session, 0.02 + 0.01 * uniform(&r)));
            random_edit(&r, planar, command, sizeof command);
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
    edit_at_random(SPATIAL, false);
}

static void test_planar_models_stay_writable(void **state)
{
    (void)state;
    edit_at_random(PLANAR, true);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_joint_on_a_turning_body),
        cmocka_unit_test(test_spatial_models_stay_writable),
        cmocka_unit_test(test_planar_models_stay_writable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
