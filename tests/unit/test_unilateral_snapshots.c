/* Going back and on across stops, ratchets and touches: by undo, seeking, saving, loading, branching and from the
 * journal, always to the bit. Also inside subsystems. */
#include "live_runs.h"

#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"

static const char HOIST[] =
    PLANE "bodies: { wheel: { mass: 1 kg, inertia: 1 } }\n"
    "joints: { axle: { type: revolute, between: [ground, wheel], at: [0, 0], ratchet: { pitch: 0.1, restitution: 0.3 } } }\n"
    "forces: { push: { type: torque, on: wheel, value: '4 N m * sin(t * 5 rad/s) - 2 N m' } }\n";

static const char FREEWHEEL[] =
    PLANE "bodies: { wheel: { mass: 1 kg, inertia: 1 } }\n"
    "joints: { axle: { type: revolute, between: [ground, wheel], at: [0, 0], ratchet: { way: down } } }\n"
    "forces: { push: { type: torque, on: wheel, value: '4 N m * sin(t * 5 rad/s) - 2 N m' } }\n";

/* Bounces, and rests from about 1.4 s on. */
static const char BALL[] =
    PLANE "bodies:\n"
    "  ground: { shapes: [ { half_space: {} } ] }\n"
    "  ball: { position: [0, 0.6], velocity: [0.3, 0], shapes: [ { disc: { radius: 0.1 }, density: 1000 } ] }\n"
    "contacts: { floor: { between: [ground, ball], restitution: 0.5, friction: 0.2 } }\n";

/* Thrown up a slope that it sticks to. */
static const char BLOCK[] =
    PLANE "parameters: { tilt: 0.25 }\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: { normal: [-sin(tilt), cos(tilt)] } } ] }\n"
    "  block: { mass: 2, inertia: 0.02, angle: tilt * 1 rad, shapes: [ { box: { size: [0.2, 0.1] } } ],\n"
    "           position: [-0.05 * sin(tilt), 0.05 * cos(tilt)], velocity: [2 * cos(tilt), 2 * sin(tilt)] }\n"
    "contacts: { slope: { between: [ground, block], friction: 0.4 } }\n";

/* The same in space, where a box stands on four corners. */
static const char BOX[] =
    "tenon: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: {} } ] }\n"
    "  box: { position: [0, 0, 0.25], velocity: [0.5, 0.2, 0], shapes: [ { box: { size: [0.4, 0.3, 0.2] }, density: 500 } ] }\n"
    "contacts: { floor: { between: [ground, box], friction: 0.3, restitution: 0.2 } }\n";

/* Two arms: one rests on its stop from about 1 s on, the other swings between its stops. */
static const char ARMS[] =
    PLANE "bodies:\n"
    "  low: { mass: 1 kg, inertia: 0.1, position: [0.5, 0] }\n"
    "  free: { mass: 1 kg, inertia: 0.1, position: [2.5, 0] }\n"
    "joints:\n"
    "  left: { type: revolute, between: [ground, low], at: [0, 0], limits: { angle: [-0.4, 3], restitution: 0.2 } }\n"
    "  right: { type: revolute, between: [ground, free], at: [2, 0], limits: { angle: [-2.5, 0.1], restitution: 0.9 } }\n";

/* impacts: at least so many until the last time; sticks: at rest then. */
static const struct { const char *name, *text, *edit, *channel; size_t impacts; bool sticks; } models[] = {
    { "hoist", HOIST, "{ set: { axle.ratchet.pitch: 0.15 } }", "axle.angle", 5, false },
    { "freewheel", FREEWHEEL, "{ set: { axle.ratchet.way: up } }", "axle.angle", 0, false },
    { "arms", ARMS, "{ set: { free.mass: 2 } }", "right.angle", 5, false },
    { "ball", BALL, "{ set: { floor.friction: 0.5 } }", "ball.position.x", 5, false },
    { "block", BLOCK, "{ gravity: [0, -5] }", "block.position.x", 0, true },
    { "box", BOX, "{ gravity: [3, 0, -9] }", "box.position.x", 1, true },
};

enum { TIMES = 5 };
static const double times[TIMES] = { 0.31, 0.52, 0.97, 1.6, 2.4 };

static uint64_t hash_of(const machine *m)
{
    return tn_session_hash(m->session);
}

/* From a file, and beside it: the same there, and the same from there on. */
static void check_saved(machine *m, const place *p, uint64_t now, double until, uint64_t then)
{
    tn_session *others[2] = { NULL };
    assert_true(hash_of(m) == now);
    machine_must(m, tn_session_save(m->session, p->saved));
    machine_must(m, tn_session_load(&others[0], m->context, p->saved));
    machine_must(m, tn_session_branch(&others[1], m->session));
    for (int k = 0; k < 2; k++) {
        assert_true(tn_session_hash(others[k]) == now);
        machine_must(m, tn_session_advance_to(others[k], until));
        assert_true(tn_session_hash(others[k]) == then);
        tn_session_close(others[k]);
    }
}

/* An edit, going on with it, and both kinds of going back. */
static void check_undo(machine *m, const char *edit)
{
    uint64_t before = hash_of(m);
    machine_must(m, tn_session_apply(NULL, m->session, edit));
    machine_must(m, tn_session_advance(m->session, 0.2));
    uint64_t later = hash_of(m);
    machine_must(m, tn_session_undo(NULL, m->session, true));
    assert_true(hash_of(m) == before);
    machine_must(m, tn_session_redo(NULL, m->session, true));
    assert_true(hash_of(m) == later);
    machine_must(m, tn_session_undo(NULL, m->session, true));
    assert_true(hash_of(m) == before);
}

static void check_replay(const place *p, uint64_t end)
{
    size_t compared = 0;
    bool complete = false;
    assert_true(replayed(p->journal, &compared, &complete) == end);
    assert_true(complete && compared > TIMES);
}

/* What is taken back leaves nothing behind: the hashes are those of a run without. */
static void check_edits(const char *text, const char *edit, const uint64_t hashes[TIMES])
{
    place p = new_place();
    machine m = start(text, NULL);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    for (int k = 0; k < TIMES; k++) {
        machine_must(&m, tn_session_advance_to(m.session, times[k]));
        assert_true(hash_of(&m) == hashes[k]);
        check_undo(&m, edit);
    }
    machine_close(&m);
    check_replay(&p, hashes[TIMES - 1]);
    remove_place(&p);
}

static void check_model(const char *text, const char *edit)
{
    place p = new_place();
    machine m = start(text, NULL);
    uint64_t hashes[TIMES];
    machine_must(&m, tn_session_journal(m.session, p.journal));
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    for (int k = 0; k < TIMES; k++) {
        machine_must(&m, tn_session_advance_to(m.session, times[k]));
        hashes[k] = hash_of(&m);
    }
    for (int k = TIMES - 1; k >= 0; k--) {
        machine_must(&m, tn_session_seek(m.session, times[k]));
        assert_true(hash_of(&m) == hashes[k]);
    }
    for (int k = 0; k + 1 < TIMES; k++) {
        check_saved(&m, &p, hashes[k], times[k + 1], hashes[k + 1]);
        machine_must(&m, tn_session_advance_to(m.session, times[k + 1]));
        assert_true(hash_of(&m) == hashes[k + 1]);
    }
    machine_close(&m);
    check_replay(&p, hashes[TIMES - 1]);
    remove_place(&p);
    check_edits(text, edit, hashes);
}

static void test_to_the_bit(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(models); k++) {
        print_message("%s\n", models[k].name);
        check_model(models[k].text, models[k].edit);
    }
}

/* The runs above do what they are there for. */
static void test_what_happens(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(models); k++) {
        machine m = start(models[k].text, NULL);
        double before, after;
        machine_must(&m, tn_session_advance_to(m.session, times[TIMES - 1]));
        assert_true(tn_session_impact_count(m.session) >= models[k].impacts);
        machine_must(&m, tn_session_value(&before, m.session, models[k].channel));
        machine_must(&m, tn_session_advance(m.session, 0.05));
        machine_must(&m, tn_session_value(&after, m.session, models[k].channel));
        assert_true(fabs(after - before) < (models[k].sticks ? 1e-12 : 1));
        machine_close(&m);
    }
}

/* ---- inside ---- */

#define RAM \
    "tenon: 1\ndimension: 2\n" \
    "bodies: { ram: { mass: 2, inertia: 1 } }\n" \
    "ports: { top: ram }\n" \
    "forces: { lift: { type: force, on: ram, value: [0, '34 N * sin(t * 8 rad/s)'] } }\n" \
    "joints:\n" \
    "  guide: { type: translational, between: [ground, ram], axis: y, limits: { position: [-1, 0.35] },\n" \
    "           ratchet: { pitch: 0.1 m } }\n"

static const struct { const char *name, *text; } files[] = {
    { "jack.yaml", RAM "  pin: { type: fixed, between: [ground, ram], at: [0, 0], fuse: { force: 15 N } }\n" },
    { "plain.yaml", RAM },
};

static const char YARD[] = PLANE "subsystems: { jack: { use: jack.yaml } }\nsolve: { tolerance: 1e-10 }\n";

static double value_of(const machine *m, const char *channel)
{
    double value = NAN;
    machine_must(m, tn_session_value(&value, m->session, channel));
    return value;
}

/* The fuse breaks as the weight alone is more than it bears; the ram goes up by teeth, to the stop. */
static void test_inside_a_subsystem(void **state)
{
    (void)state;
    place p = new_place();
    machine m = { .context = tn_context_create(NULL) };
    for (size_t k = 0; k < TN_LENGTH(files); k++)
        write_text(p.folder, files[k].name, files[k].text);
    machine_must(&m, tn_model_read_text(&m.model, m.context, YARD, strlen(YARD), "main.yaml", p.folder));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_session_advance(m.session, 0.72));
    assert_true(value_of(&m, "jack.pin.fuse.force.count") == 1);
    double tooth = value_of(&m, "jack.guide.position.tooth");
    assert_near(value_of(&m, "jack.guide.position"), tooth, 1e-9);
    assert_near(tooth, 0.1 * round(tooth / 0.1), 1e-12);
    assert_true(tooth > 0.05);
    assert_string_equal(tn_session_impact(m.session, 0).name, "jack.guide.position.ratchet");
    uint64_t before = hash_of(&m);
    machine_must(&m, tn_session_apply(NULL, m.session,
                                      "{ set: { jack.guide.ratchet.pitch: 0.05, jack.guide.limits.position.high: "
                                                 "none, jack.pin.fuse.force: 20 N } }"));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(hash_of(&m) == before);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ replace: { subsystems: { jack: { use: plain.yaml } } } }"));
    assert_near(value_of(&m, "jack.guide.position"), tooth, 1e-9);
    assert_near(value_of(&m, "jack.guide.position.tooth"), tooth, 0);
    machine_must(&m, tn_session_advance(m.session, 2.5));
    assert_true(value_of(&m, "jack.guide.position") > tooth && value_of(&m, "jack.guide.position") < 0.35 + 1e-9);
    machine_close(&m);
    for (size_t k = 0; k < TN_LENGTH(files); k++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", p.folder, files[k].name);
        unlink(path);
    }
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_the_bit),
        cmocka_unit_test(test_what_happens),
        cmocka_unit_test(test_inside_a_subsystem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
