/* Modular steps: orders, stiff parts beside slow ones, over-constrained models, histories to the bit, edits, refusals.
 * What the whole gives, solved at once and accurately, is the reference. */
#include "alloc.h"
#include "live_runs.h"
#include "tables.h"
#include "tenon/sys/saddle.h"
#include <math.h>

/* ---- a chain of two links, each a part ---- */

static const char LINK[] =
    "tenon: 1\n"
    "dimension: %d\n"
    "parameters: { L: 1 m, m: 2 kg, J: m * L^2 / 12 }\n"
    "bodies:\n"
    "  rod: { mass: m, inertia: %s, position: [L / 2, 0%s],\n"
    "         frames: { head: { at: [-L / 2, 0%s] }, tail: { at: [L / 2, 0%s] } } }\n"
    "ports: { head: rod.head, tail: rod.tail, rod: rod }\n"
    "solve: { integrator: %s, step: %.17g s }\n";

static const char CHAIN[] =
    "tenon: 1\n"
    "dimension: %d\n"
    "subsystems:\n"
    "  upper: { use: link.yaml }\n"
    "  lower: { use: link.yaml, at: [1 m, 0%s], parameters: { L: 0.7 m, m: %g kg } }\n"
    "joints:\n"
    "  hook: { type: revolute, between: [ground, upper.head], at: [0, 0%s]%s }\n"
    "  elbow: { type: revolute, between: [upper.tail, lower.head] }\n"
    "%s\n"
    "%s\n"
    "outputs: [upper.rod.position, upper.rod.velocity, lower.rod.position, lower.rod.velocity]\n"
    "solve: { until: 0.5 s, record: 0.5 s }\n";

typedef struct chain {
    int dimension;
    const char *more;          /* sections of the model */
    const char *integrator;    /* of the parts */
    double step;               /* theirs, s */
    double lower;              /* mass of the lower link, kg; 0: 2 */
} chain;

enum { TEXT = 2000 };
typedef struct texts {
    char link[TEXT], model[TEXT];
} texts;

static texts write_chain(const chain *c)
{
    texts t;
    const char *z = c->dimension == 3 ? ", 0" : "";
    snprintf(t.link, TEXT, LINK, c->dimension, c->dimension == 3 ? "[J / 4, J, J]" : "J", z, z, z, c->integrator,
             c->step);
    const char *gravity = strstr(c->more, "gravity:") ? "" : c->dimension == 3 ? "gravity: [0, -9.81, 0]"
                                                                              : "gravity: [0, -9.81]";
    snprintf(t.model, TEXT, CHAIN, c->dimension, z, c->lower > 0 ? c->lower : 2, z,
             c->dimension == 3 ? ", axis: z" : "", gravity, c->more);
    return t;
}

static machine read_texts(const texts *t, tn_context *context)
{
    machine m = { .context = context };
    const tn_model_source sources[] = { { "model.yaml", t->model, strlen(t->model) },
                                        { "link.yaml", t->link, strlen(t->link) } };
    machine_must(&m, tn_model_read_texts(&m.model, m.context, sources, 2, "."));
    return m;
}

static machine read_chain(const chain *c)
{
    texts t = write_chain(c);
    return read_texts(&t, tn_context_create(NULL));
}

/* Macro steps with so many corrections; interpolation 0 or 1. */
static tn_solve modular(double step, double until, int corrections, int interpolation)
{
    tn_solve solve = fixed_steps("modular", step, until);
    tn_solve_set(&solve, "corrections", corrections);
    tn_solve_set(&solve, "interpolation", interpolation);
    return solve;
}

enum { SEEN = 4 };
static const char *const seen[SEEN] = { "upper.rod.position.y", "lower.rod.position.x", "lower.rod.position.y",
                                        "lower.rod.velocity.x" };

static void look(const machine *m, double values[SEEN])
{
    for (int k = 0; k < SEEN; k++)
        values[k] = value(m, seen[k]);
}

static double farthest(const double a[SEEN], const double b[SEEN])
{
    double most = 0;
    for (int k = 0; k < SEEN; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

static void end_of(const chain *c, tn_solve solve, double values[SEEN])
{
    machine m = read_chain(c);
    machine_run(&m, solve);
    look(&m, values);
    machine_close(&m);
}

static double error_at(const chain *c, double step, int corrections, int interpolation)
{
    double reference[SEEN], values[SEEN];
    chain with_step = *c;
    with_step.step = step;
    end_of(&with_step, accurate(0.5), reference);
    end_of(&with_step, modular(step, 0.5, corrections, interpolation), values);
    return farthest(values, reference);
}

/* ---- orders ---- */

static void check_order(const chain *c, int corrections, int interpolation, double least, double most)
{
    double coarse = error_at(c, 0.01, corrections, interpolation);
    double fine = error_at(c, 0.005, corrections, interpolation);
    double order = log2(coarse / fine);
    if (!(order >= least && order <= most))
        fail_msg("%d-D, %d corrections, interpolation %d: order %.2f (errors %.3g, %.3g)", c->dimension, corrections,
                 interpolation, order, coarse, fine);
}

/* Forces of the start alone: 1. Corrected: 2. */
static void test_orders(void **state)
{
    (void)state;
    static const char *const more[] = {
        "", "forces: { s: { type: spring, between: [upper.rod, lower.tail], stiffness: 50 N/m, length: 1 m } }",
    };
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < TN_LENGTH(more); k++) {
            chain c = { dimension, more[k], "rk4", 0, 0 };
            for (int interpolation = 0; interpolation <= 1; interpolation++) {
                check_order(&c, 0, interpolation, 0.8, 1.3);
                check_order(&c, 1, interpolation, 1.8, 2.3);
                check_order(&c, 2, interpolation, 1.8, 2.4);
            }
        }
}

/* Masses may be very different: without stiff forces, inertia is how parts answer. */
static void test_mass_ratios(void **state)
{
    (void)state;
    static const double masses[] = { 2e-3, 200 };
    for (size_t k = 0; k < TN_LENGTH(masses); k++) {
        chain c = { 2, "", "rk4", 0, masses[k] };
        for (int interpolation = 0; interpolation <= 1; interpolation++)
            check_order(&c, 1, interpolation, 1.5, 3);
        assert_near(error_at(&c, 0.005, 2, 1), 0, 5e-3);
    }
}

/* A number that both parts take part in is integrated with the macro step. Time is known to all. */
static void test_state_between(void **state)
{
    (void)state;
    const chain c = { 2, "gravity: [0, -9.81 m/s^2 * (1 + 0.3 * sin(5 rad/s * t))]\n"
                         "states:\n"
                         "  lag: { initial: 0, rate: 5 * (upper.rod.angle - lower.rod.angle) - 3 * lag.value }\n"
                         "forces: { motor: { type: torque, on: lower.rod, value: -20 N m * lag.value } }",
                      "rk4", 0, 0 };
    check_order(&c, 0, 1, 0.8, 1.3);
    check_order(&c, 1, 1, 1.8, 2.3);
}

/* Nothing is between the parts of a model that has one: the steps are those of rk4. */
static void test_one_part(void **state)
{
    (void)state;
    machine whole = four_bar(3), parts = four_bar(3);
    machine_run(&whole, fixed_steps("rk4", 0.01, 0.5));
    machine_run(&parts, modular(0.01, 0.5, 2, 1));
    for (size_t k = 0; k < tn_session_channel_count(whole.session); k++) {
        const char *name = tn_session_channel(whole.session, k).name;
        if (strstr(name, "position"))
            assert_near(value(&parts, name), value(&whole, name), 1e-11);
    }
    assert_int_equal(tn_session_part_count(parts.session), 1);
    assert_null(tn_session_part(parts.session, 0).path);
    assert_int_equal(tn_session_part_count(whole.session), 0);
    machine_close(&whole);
    machine_close(&parts);
}

/* ---- any methods ---- */

/* What the interface is solved with changes nothing, parts may have any integrator, and all come to the same motion. */
static void test_methods(void **state)
{
    (void)state;
    static const struct { const char *integrator; double step; } parts[] = {
        { "rk4", 0.001 }, { "heun", 0.0005 }, { "dopri5", 0.002 }, { "generalized-alpha", 0.0005 }, { "cvode", 0.001 },
    };
    double reference[SEEN], values[SEEN];
    chain c = { 3, "", "rk4", 0.001, 0 };
    end_of(&c, accurate(0.5), reference);
    for (int k = 0; tn_solver_types[k]; k++) {
        tn_solve solve = modular(0.002, 0.5, 2, 1);
        solve.solver = tn_solver_types[k]->name;
        end_of(&c, solve, values);
        if (farthest(values, reference) > 3e-4)
            fail_msg("solver %s: %g", solve.solver, farthest(values, reference));
    }
    for (size_t k = 0; k < TN_LENGTH(parts); k++) {
        c.integrator = parts[k].integrator;
        c.step = parts[k].step;
        end_of(&c, modular(0.002, 0.5, 2, 1), values);
        if (farthest(values, reference) > 3e-4)
            fail_msg("parts with %s: %g", c.integrator, farthest(values, reference));
    }
}

/* ---- a stiff part beside a slow one ---- */

static machine read_trolley(double step)
{
    machine m = machine_read(TENON_SOURCE_DIR "/examples/tool-trolley/tool-trolley.yaml");
    tn_id id = tn_model_find(m.model, "trolley");
    tn_subsystem *trolley = &m.model->subsystems[id.index];
    tn_solve solve = *trolley->solve;
    solve.step = step;
    machine_must(&m, tn_subsystem_set_solve(trolley, m.model->arena, &solve, trolley->solve_span));
    return m;
}

static tn_part_info part_named(const machine *m, const char *path)
{
    for (size_t k = 0; k < tn_session_part_count(m->session); k++) {
        tn_part_info part = tn_session_part(m->session, k);
        if (part.path && strcmp(part.path, path) == 0)
            return part;
    }
    fail_msg("no part %s", path);
    return (tn_part_info){ 0 };
}

static void test_stiff_beside_slow(void **state)
{
    (void)state;
    double angle[3];
    long slow_evaluations[2];
    for (int k = 0; k < 2; k++) {                      /* 50 and 100 steps of the stiff part in each of the slow one */
        machine m = read_trolley(k ? 1e-4 : 2e-4);
        tn_summary s = machine_run(&m, modular(0.01, 1, 2, 0));
        angle[k] = value(&m, "hook.angle");
        slow_evaluations[k] = part_named(&m, "pendulum").evaluations;
        assert_int_equal(part_named(&m, "pendulum").steps, 3 * s.steps);
        assert_int_equal(part_named(&m, "trolley").steps, 3 * s.steps * (k ? 100 : 50));
        machine_close(&m);
    }
    assert_int_equal(slow_evaluations[0], slow_evaluations[1]);
    machine m = read_trolley(2e-4);
    tn_solve fine = accurate(1);
    fine.tolerance = fine.absolute_tolerance = 1e-10;
    machine_run(&m, fine);
    angle[2] = value(&m, "hook.angle");
    machine_close(&m);
    assert_near(angle[0], angle[2], 1e-3);             /* the macro step's */
    assert_near(angle[0], angle[1], 1e-6);             /* the stiff part's own */
}

/* ---- over-constrained ---- */

/* 15 redundant rows, between parts and within them: energy tells whether the motion is the right one. */
static void test_steam_machine(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/steam-machine/steam-machine-modular.yaml");
    tn_summary s = machine_run(&m, tn_model_solve(m.model));
    assert_int_equal(s.rank_max, 78);
    assert_int_equal(tn_session_part_count(m.session), 4);
    check_energy(&m, 1e-8);
    machine_close(&m);
}

/* The undriven machine: its motion is found, not given. Reactions of the rear corners' like are not unique. */
static void test_free_steam_machine(void **state)
{
    (void)state;
    double angle[3];
    for (int k = 0; k < 3; k++) {
        machine m = machine_read(TENON_SOURCE_DIR "/examples/steam-machine/steam-machine-modular.yaml");
        tn_id drive = tn_model_find(m.model, "steam"), shaft = tn_model_find(m.model, "shaft");
        machine_must(&m, tn_model_set_enabled(m.model, drive, false));
        m.model->bodies[shaft.index].angular_velocity[0] = 10;
        machine_run(&m, k == 2 ? accurate(0.5) : modular(k ? 0.005 : 0.01, 0.5, 2, 1));
        angle[k] = value(&m, "bearing.angle");
        if (k < 2)
            check_energy(&m, 1e-3);
        machine_close(&m);
    }
    double order = log2(fabs(angle[0] - angle[2]) / fabs(angle[1] - angle[2]));
    if (!(order > 1.7))
        fail_msg("order %.2f (errors %.3g, %.3g)", order, angle[0] - angle[2], angle[1] - angle[2]);
}

/* ---- stops ---- */

/* A stop is between parts while it holds; impacts are where the whole has them. */
static void test_stops(void **state)
{
    (void)state;
    double reference[SEEN], values[2][SEEN];
    chain c = { 2, "", "rk4", 0.001, 0 };
    for (int k = 0; k < 3; k++) {
        machine m = read_chain(&c);
        machine_start(&m, k == 2 ? accurate(0.5) : modular(k ? 0.001 : 0.002, 0.5, 2, 1));
        machine_must(&m, tn_session_apply(NULL, m.session,
                                          "{ replace: { joints: { elbow: { type: revolute, between: "
                                          "[upper.tail, lower.head], limits: { angle: [-0.2 rad, 0.15 rad], "
                                          "restitution: 0.5 } } } } }"));
        run_to(&m, 0.5);
        assert_true(tn_session_summary(m.session).impacts >= 1);
        look(&m, k == 2 ? reference : values[k]);
        machine_close(&m);
    }
    assert_near(farthest(values[1], reference), 0, 1e-4);
    assert_true(farthest(values[0], reference) > 3 * farthest(values[1], reference));
}

/* ---- histories ---- */

static const chain with_events = {
    2, "events: { low: { when: hook.angle + 1, do: { log: low } } }", "dopri5", 0.01, 0
};

static int note_hash(void *user, const tn_session *session)
{
    *(uint64_t *)user = *(uint64_t *)user * 31 + tn_session_hash(session);
    return 0;
}

static void check_history(const char *solver)
{
    place p = new_place();
    machine m = read_chain(&with_events);
    tn_solve solve = modular(0.01, 2, 2, 1);
    solve.solver = solver;
    if (strcmp(solver, "uzawa") == 0)
        tn_solve_set(&solve, "warm", 0);               /* it would begin with what it found last */
    machine_start(&m, solve);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    run_to(&m, 0.333);
    uint64_t then = tn_session_hash(m.session), hashes[3] = { 0 };
    machine_must(&m, tn_session_save(m.session, p.saved));
    for (int k = 0; k < 2; k++) {
        tn_session_on_step(m.session, note_hash, &hashes[k]);
        run_to(&m, 0.9);
        if (k == 0)
            machine_must(&m, tn_session_seek(m.session, 0.333));
    }
    assert_true(hashes[0] == hashes[1]);
    uint64_t last = tn_session_hash(m.session);
    tn_session *again = NULL;
    machine_must(&m, tn_session_load(&again, m.context, p.saved));
    assert_true(tn_session_hash(again) == then);
    tn_session_on_step(again, note_hash, &hashes[2]);
    assert_int_equal(tn_session_advance(again, 0.9 - tn_session_time(again)), TN_OK);
    assert_true(hashes[2] == hashes[0]);
    tn_session_close(again);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == last && complete);
    remove_place(&p);
}

static void test_to_the_bit(void **state)
{
    (void)state;
    for (int k = 0; tn_solver_types[k]; k++)
        check_history(tn_solver_types[k]->name);
}

/* ---- edits ---- */

/* Sets a number in place in one session and by a recompile in the other; both refuse the same. */
static int set_both(machine m[2], tn_id id, const tn_property *p)
{
    const tn_system *system = m[0].session->system;
    const double value = p->value != 0 ? 0.999 * p->value : 1e-3;
    char command[2][400];
    int code[2];
    for (int n = 0; n < 2; n++) {
        snprintf(command[n], sizeof command[n], "{ set: { %s.%s: %.17g }%s }", tn_model_entity_name(m[0].model, id), p->name,
                 value, n == 1 ? ", closing: refuse" : "");
        code[n] = tn_session_apply(NULL, m[n].session, command[n]);
    }
    if (code[0] != code[1])
        tn_diagnostics_print(m[code[0] < 0 ? 0 : 1].context, stderr);
    if (code[0] != code[1] || m[0].session->system != system)
        fail_msg("%s: %d, %d%s", command[0], code[0], code[1], m[0].session->system != system ? ", recompiled" : "");
    return code[0];
}

static bool same_motion(const machine m[2])
{
    const tn_stepper *a = m[0].session->stepper, *b = m[1].session->stepper;
    return a->t == b->t && memcmp(a->y, b->y, (size_t)m[0].session->system->size * sizeof(double)) == 0;
}

static int set_some(machine m[2], tn_kind kind)
{
    enum { SOME = 6 };
    int set = 0;
    for (size_t k = 0; k < SOME && k < tn_model_count(m[0].model, kind); k++) {
        const tn_id id = tn_model_at(m[0].model, kind, k);
        tn_property p;
        for (size_t i = 0; tn_model_property(&p, tn_session_model(m[0].session), id, i) == TN_OK; i++)
            if (!p.expression && isfinite(p.value) && !p.fixed && set_both(m, id, &p) == TN_OK) {
                for (int n = 0; n < 2; n++)
                    run_to(&m[n], tn_session_time(m[n].session) + 0.01);
                if (!same_motion(m))
                    fail_msg("%s.%s: another motion than after a recompile", tn_model_entity_name(m[0].model, id), p.name);
                set++;
            }
    }
    return set;
}

/* Each part has a system of its own, and numbers reach it, too. */
static void test_numbers_in_place(void **state)
{
    (void)state;
    static const char *const models[] = { "tool-trolley/tool-trolley.yaml", "car/car-modular.yaml" };
    static const tn_kind kinds[] = { TN_KIND_BODY, TN_KIND_JOINT, TN_KIND_FORCE };
    for (size_t i = 0; i < TN_LENGTH(models); i++) {
        char path[400];            /* and command */
        machine m[2];
        snprintf(path, sizeof path, "%s/examples/%s", TENON_SOURCE_DIR, models[i]);
        for (int n = 0; n < 2; n++) {
            m[n] = machine_read(path);
            machine_must(&m[n], tn_session_open(&m[n].session, m[n].model, NULL));
            run_to(&m[n], 0.02);
        }
        int set = 0;
        for (size_t k = 0; k < TN_LENGTH(kinds); k++)
            set += set_some(m, kinds[k]);
        print_message("%d numbers of %s\n", set, models[i]);
        assert_true(set > 10);
        for (int n = 0; n < 2; n++) {
            snprintf(path, sizeof path, "{ gravity: [0.5, -5%s]%s }", m[n].session->system->dimension == 3 ? ", 1" : "",
                     n == 1 ? ", closing: refuse" : "");
            machine_must(&m[n], tn_session_apply(NULL, m[n].session, path));
            run_to(&m[n], tn_session_time(m[n].session) + 0.1);
        }
        assert_true(same_motion(m));
        for (int n = 0; n < 2; n++)
            machine_close(&m[n]);
    }
}

static void test_solve_edited(void **state)
{
    (void)state;
    place p = new_place();
    char path[100];
    texts t = write_chain(&(chain){ 2, "", "rk4", 0.005, 0 });
    write_text(p.folder, "link.yaml", t.link);
    write_text(p.folder, "chain.yaml", t.model);
    snprintf(path, sizeof path, "%s/chain.yaml", p.folder);
    machine m = machine_read(path);
    machine_start(&m, modular(0.01, 2, 2, 1));
    run_to(&m, 0.2);
    double before[SEEN], after[SEEN];
    look(&m, before);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ replace: { subsystems: { lower: { use: link.yaml, "
                                      "parameters: { L: 0.7 m }, solve: { integrator: heun, step: 1 ms } } } } }"));
    look(&m, after);
    assert_near(farthest(before, after), 0, 1e-12);
    assert_string_equal(part_named(&m, "lower").integrator, "heun");
    run_to(&m, 0.3);
    assert_int_equal(part_named(&m, "lower").steps, 3 * 10 * 10);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_string_equal(part_named(&m, "lower").integrator, "rk4");
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: elbow }"));      /* then they are on their own */
    run_to(&m, 0.5);
    assert_int_equal(tn_session_apply(NULL, m.session,
                                      "{ replace: { subsystems: { lower: { use: link.yaml, "
                                      "solve: { step: 3 ms } } } } }"), TN_ERROR_ARGUMENT);
    run_to(&m, 0.6);
    machine_close(&m);
    unlink(path);
    snprintf(path, sizeof path, "%s/link.yaml", p.folder);
    unlink(path);
    remove_place(&p);
}

/* ---- refusals ---- */

static void must_refuse(const chain *c, const tn_solve *solve, const char *words)
{
    machine m = read_chain(c);
    reading r = { m.context, m.model, tn_session_open(&m.session, m.model, solve) };
    assert_int_equal(r.code, TN_ERROR_ARGUMENT);
    must_say(&r, words);
    machine_close(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    tn_solve solve = modular(0.01, 1, 1, 1), odd = modular(0.01, 1, 1, 2), many = solve, none = solve, soft = solve;
    must_refuse(&(chain){ 2, "", "rk4", 0.003, 0 }, &solve,
                "8:8: part 'upper': 3.33333 steps of 0.003 s make the step of the whole, 0.01 s");
    must_refuse(&(chain){ 2, "", "rk4", 0.03, 0 }, &solve, "the number must be whole");
    must_refuse(&(chain){ 2, "", "modular", 0.01, 0 }, &solve,
                "part 'upper': integrator 'modular' is for the main file only");
    must_refuse(&(chain){ 2, "", "rk4", 0.01, 0 }, &odd, "interpolation must be 0 (constant) or 1 (linear)");
    tn_solve_set(&many, "corrections", 1.5);
    must_refuse(&(chain){ 2, "", "rk4", 0.01, 0 }, &many, "corrections must be a whole number");
    tn_solve_set(&none, "substeps", 0);
    must_refuse(&(chain){ 2, "", "rk4", 0.01, 0 }, &none, "substeps must be a whole number from 1");
    must_refuse(&(chain){ 2, "forces: { f: { type: friction, joint: elbow, coefficient: 0.1, radius: 1 cm } }", "rk4",
                          0.01, 0 }, &solve, "force 'f' follows a reaction between parts");
    must_refuse(&(chain){ 2, "gravity: [0, -upper.rod.position.x * 1 s^-2]", "rk4", 0.01, 0 }, &solve,
                "gravity must not depend on the motion");
    soft.scheme = "baumgarte";
    must_refuse(&(chain){ 2, "", "rk4", 0.01, 0 }, &soft, "joints between parts need scheme 'projection'");
    solve.step = NAN;
    must_refuse(&(chain){ 2, "", "rk4", 0.01, 0 }, &solve, "integrator 'modular' has a fixed step");
}

/* A step that a part cannot take fails with its name, and the state is kept. */
static void test_failing_part(void **state)
{
    (void)state;
    texts t = write_chain(&(chain){ 2, "", "rk4", 0.01, 0 });
    snprintf(t.link + strlen(t.link), TEXT - strlen(t.link),
             "forces: { bad: { type: torque, on: rod, value: 1 N m * sqrt((0.195 s - t) / 1 s) } }\n");
    machine m = read_texts(&t, tn_context_create(NULL));
    machine_start(&m, modular(0.01, 1, 1, 1));
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    assert_near(tn_session_time(m.session), 0.19, 1e-9);
    reading r = { m.context, m.model, 0 };
    must_say(&r, "force 'upper.bad': 'value.z': square root of a negative number");
    must_say(&r, "the step from t = 0.19 s (h = 0.01 s) cannot be taken: part 'upper' could not take its own steps");
    machine_close(&m);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    tn_solve solve = modular(0.01, 1, 1, 1);
    texts t = write_chain(&(chain){ 2, "", "rk4", 0.01, 0 });
    for (long fail_at = 1;; fail_at++) {
        test_alloc a = { 0 };
        machine m = read_texts(&t, test_context(&a));
        a.fail_at = a.calls + fail_at;
        int code = tn_session_open(&m.session, m.model, &solve);
        a.fail_at = 0;
        assert_true(code == TN_OK || code == TN_ERROR_MEMORY);
        long before = a.calls;
        if (code == TN_OK) {
            machine_must(&m, tn_session_advance(m.session, 0.1));
            assert_int_equal(a.calls, before);         /* nothing is allocated while stepping */
        }
        machine_close(&m);
        assert_int_equal(a.alive, 0);
        if (code == TN_OK)
            return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_mass_ratios),
        cmocka_unit_test(test_state_between),
        cmocka_unit_test(test_one_part),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_stiff_beside_slow),
        cmocka_unit_test(test_steam_machine),
        cmocka_unit_test(test_free_steam_machine),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_to_the_bit),
        cmocka_unit_test(test_numbers_in_place),
        cmocka_unit_test(test_solve_edited),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_part),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
