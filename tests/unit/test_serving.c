/* What a server needs of the engine: readouts, properties, velocities and reactions, files within a folder. */
#include "mechanisms.h"
#include "tenon/history.h"
#include "tenon/results.h"
#include <sys/stat.h>
#include <unistd.h>

static const char RODS[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n"
    "  lower: { mass: 2, inertia: 0.2, position: [1.5, 0] }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [upper, lower], at: [1, 0] }\n"
    "  link: { type: rod, between: [ground, lower], length: 1.5 m }\n"
    "drives:\n"
    "  motor: { joint: shoulder, angle: 0.1 * t^2 }\n"
    "forces:\n"
    "  spring: { type: spring, between: [ground, lower], stiffness: 10 N/m, length: 1 m }\n"
    "  load: { type: force, on: lower, value: [2 N * sin(3 * t), 1 N] }\n"
    "  coil: { type: torsion-spring, joint: elbow, stiffness: 3 }\n"
    "events:\n"
    "  down: { when: shoulder.angle + 1, crosses: down, do: stop }\n"
    "outputs: [shoulder.angle, elbow.reaction, { twice: 2 * elbow.angle }]\n"
    "solve: { step: 1 ms, integrator: rk4 }\n";

static machine open_rods(void)
{
    static const char link[] = "  link: { type: rod, between: [ground, lower], length: 1.5 m }\n";
    static const char drives[] = "drives:\n  motor: { joint: shoulder, angle: 0.1 * t^2 }\n";
    char text[sizeof RODS], *at;
    memcpy(text, RODS, sizeof RODS);                   /* with all freedoms */
    at = strstr(text, link);
    memmove(at, at + sizeof link - 1, strlen(at + sizeof link - 1) + 1);
    at = strstr(text, drives);
    memmove(at, at + sizeof drives - 1, strlen(at + sizeof drives - 1) + 1);
    machine m = machine_text(text);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static void test_readouts_follow_edits(void **state)
{
    (void)state;
    static const char *const names[] = { "shoulder.angle", "elbow.angle", "2 * elbow.angle + 1", "t" };
    static const char *const wrong[] = { "shoulder.angel" }, *const broken[] = { "1 +" }, *const group[] = { "elbow" };
    machine m = open_rods();
    tn_readout *readout, *none;
    double v[4], angle;
    machine_must(&m, tn_readout_open(&readout, m.session, names, 4));
    assert_string_equal(tn_readout_unit(readout, 0), "rad");
    assert_null(tn_readout_unit(readout, 4));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    machine_must(&m, tn_readout_values(v, readout));
    machine_must(&m, tn_session_value(&angle, m.session, "elbow.angle"));
    assert_true(angle != 0);
    assert_near(v[1], angle, 0);
    assert_near(v[2], 2 * angle + 1, 1e-15);
    assert_near(v[3], 0.3, 1e-12);
    long revision = tn_session_revision(m.session);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: elbow }"));
    assert_true(tn_session_revision(m.session) != revision);
    machine_must(&m, tn_readout_values(v, readout));
    assert_true(isnan(v[1]) && isnan(v[2]) && !isnan(v[0]));
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    machine_must(&m, tn_readout_values(v, readout));
    assert_near(v[2], 2 * angle + 1, 1e-15);
    assert_int_equal(tn_readout_open(&none, m.session, wrong, 1), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_readout_open(&none, m.session, group, 1), TN_ERROR_ARGUMENT);
    for (int k = 0; k < 2; k++) {                      /* and the same the second time */
        tn_diagnostics_clear(m.context);
        assert_int_equal(tn_readout_open(&none, m.session, broken, 1), TN_ERROR_MODEL);
        assert_null(strstr(tn_diagnostics_get(m.context, 0)->message, "itself"));
    }
    assert_null(none);
    machine_close(&m);                                 /* closes the readout, too */
}

static void test_velocities_and_reactions(void **state)
{
    (void)state;
    machine m = open_rods();
    double linear[3], angular[3], force[3], torque[3], value;
    tn_id lower = tn_model_find(m.model, "lower"), elbow = tn_model_find(m.model, "elbow");
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&m, tn_session_velocity(linear, angular, m.session, lower));
    machine_must(&m, tn_session_reaction(force, torque, m.session, elbow));
    machine_must(&m, tn_session_value(&value, m.session, "lower.velocity.y"));
    assert_near(linear[1], value, 0);
    machine_must(&m, tn_session_value(&value, m.session, "lower.angular_velocity"));
    assert_near(angular[2], value, 0);
    machine_must(&m, tn_session_value(&value, m.session, "elbow.reaction.force.y"));
    assert_near(force[1], value, 0);
    assert_int_equal(tn_session_velocity(linear, angular, m.session, elbow), TN_ERROR_STALE);
    assert_int_equal(tn_session_reaction(force, torque, m.session, lower), TN_ERROR_STALE);
    machine_close(&m);
}

/* Newton's and Euler's equations of a body, from what joint and forces are said to do to it. */
static void test_accelerations_and_forces(void **state)
{
    (void)state;
    machine m = open_rods();
    static const char *const names[] = { "spring", "load", "coil" };
    double a[3], alpha[3], pull[3], twist[3], force[3] = { 0, -2 * 9.81, 0 }, moment = 0, value;
    tn_id lower = tn_model_find(m.model, "lower"), elbow = tn_model_find(m.model, "elbow");
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&m, tn_session_acceleration(a, alpha, m.session, lower));
    machine_must(&m, tn_session_value(&value, m.session, "lower.acceleration.x"));
    assert_near(a[0], value, 0);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        machine_must(&m, tn_session_force(pull, twist, m.session, tn_model_find(m.model, names[k])));
        if (k == 1)
            assert_near(pull[0], 2 * sin(3 * 0.4), 1e-12);
        if (k < 2)                                     /* the coil acts at the joint, and with a torque only */
            assert_near(twist[2], 0, 1e-12);
        for (int i = 0; i < 2; i++)
            force[i] += pull[i];
        moment += twist[2];
    }
    machine_must(&m, tn_session_reaction(pull, twist, m.session, elbow));
    machine_must(&m, tn_session_value(&value, m.session, "lower.angle"));
    moment += -0.5 * cos(value) * pull[1] + 0.5 * sin(value) * pull[0];    /* the joint is half a metre behind */
    for (int i = 0; i < 2; i++)
        assert_near(2 * a[i], force[i] + pull[i], 1e-9);
    assert_near(0.2 * alpha[2], moment, 1e-9);
    assert_int_equal(tn_session_acceleration(a, alpha, m.session, elbow), TN_ERROR_STALE);
    assert_int_equal(tn_session_force(a, alpha, m.session, lower), TN_ERROR_STALE);
    machine_close(&m);
}

static tn_property property_of(const machine *m, const char *owner, const char *name)
{
    tn_id id = tn_model_find(m->model, owner);
    tn_property p = { 0 };
    for (size_t k = 0; k < tn_model_property_count(m->model, id); k++) {
        machine_must(m, tn_model_property(&p, m->model, id, k));
        if (strcmp(p.name, name) == 0)
            return p;
    }
    fail_msg("%s has no property %s", owner, name);
    return p;
}

static void test_properties_come_from_declarations(void **state)
{
    (void)state;
    machine m = machine_text(RODS);
    tn_property p = property_of(&m, "spring", "stiffness");
    assert_near(p.value, 10, 0);
    assert_string_equal(p.unit, "N/m");
    assert_true(strlen(p.doc) > 3);
    assert_string_equal(property_of(&m, "coil", "stiffness").unit, "N m/rad");
    assert_string_equal(property_of(&m, "load", "value.x").expression, "2 N * sin(3 * t)");
    assert_null(property_of(&m, "load", "value.y").expression);
    assert_near(property_of(&m, "load", "value.y").value, 1, 0);
    assert_near(property_of(&m, "link", "length").value, 1.5, 0);
    assert_string_equal(property_of(&m, "motor", "motion").expression, "0.1 * t^2");
    assert_near(property_of(&m, "lower", "mass").value, 2, 0);
    assert_int_equal(tn_model_property_count(m.model, tn_model_ground(m.model)), 0);
    assert_int_equal(tn_model_property(&p, m.model, tn_model_ground(m.model), 0), TN_ERROR_ARGUMENT);
    tn_coupling_term terms[TN_MAX_COUPLED];
    assert_int_equal(tn_model_coupled(terms, m.model, tn_model_find(m.model, "motor")), 1);
    assert_string_equal(terms[0].coordinate, "angle");
    assert_int_equal(terms[0].joint.index, tn_model_find(m.model, "shoulder").index);
    assert_int_equal(tn_model_coupled(terms, m.model, tn_model_find(m.model, "elbow")), 0);
    assert_int_equal(tn_model_event_count(m.model), 1);
    assert_string_equal(tn_model_event_at(m.model, 0).when, "shoulder.angle + 1");
    assert_null(tn_model_event_at(m.model, 1).name);
    assert_int_equal(tn_model_file_count(m.model), 1);
    assert_string_equal(tn_model_file_at(m.model, 0).text, RODS);
    machine_close(&m);
}

/* Outputs of what is removed go with it; a disabled thing's are left out. */
static void test_outputs_of_what_is_gone(void **state)
{
    (void)state;
    machine m = machine_text(RODS);
    assert_int_equal(tn_model_output_count(m.model), 3);
    machine_must(&m, tn_model_set_enabled(m.model, tn_model_find(m.model, "link"), false));
    machine_must(&m, tn_model_add_output(m.model, "link.reaction"));
    machine_must(&m, tn_model_add_output_expression(m.model, "sum", "energy.total + 2 * link.length"));
    machine_must(&m, tn_model_remove(m.model, tn_model_find(m.model, "shoulder")));
    assert_int_equal(tn_model_output_count(m.model), 4);
    assert_string_equal(tn_model_output(m.model, 0), "elbow.reaction");
    machine_must(&m, tn_model_remove(m.model, tn_model_find(m.model, "link")));
    assert_int_equal(tn_model_output_count(m.model), 2);
    assert_string_equal(tn_model_output(m.model, 1), "twice");
    machine_must(&m, tn_model_remove(m.model, tn_model_find(m.model, "upper")));
    assert_int_equal(tn_model_output_count(m.model), 0);
    machine n = open_rods();
    machine_must(&n, tn_model_set_enabled(n.model, tn_model_find(n.model, "coil"), false));
    machine_must(&n, tn_model_add_output(n.model, "coil.power"));
    tn_session_close(n.session);
    n.session = NULL;
    machine_must(&n, tn_session_open(&n.session, n.model, NULL));
    assert_int_equal(tn_diagnostics_count(n.context), 1);
    assert_non_null(strstr(tn_diagnostics_get(n.context, 0)->message, "'coil' is disabled"));
    machine_close(&n);
    machine_close(&m);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int read_including(tn_context *context, const char *folder, const char *file)
{
    char text[300];
    tn_model *model = NULL;
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ninclude: [%s]\n", file);
    int code = tn_model_read_text(&model, context, text, strlen(text), "m.yaml", folder);
    tn_model_destroy(model);
    tn_diagnostics_clear(context);
    return code;
}

static void test_confined_contexts(void **state)
{
    (void)state;
    char outer[] = "/tmp/tenon-confine-XXXXXX", inner[100], link[200], path[200];
    tn_context *context = tn_context_create(NULL);
    assert_non_null(mkdtemp(outer));
    snprintf(inner, sizeof inner, "%s/in", outer);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_file(outer, "secret.yaml", "tenon: 1\ngravity: [0, 1]\n");
    write_file(inner, "near.yaml", "tenon: 1\ngravity: [0, 1]\n");
    snprintf(link, sizeof link, "%s/link.yaml", inner);
    assert_int_equal(symlink("../secret.yaml", link), 0);
    snprintf(path, sizeof path, "%s/secret.yaml", outer);
    assert_int_equal(read_including(context, inner, "../secret.yaml"), TN_OK);
    assert_int_equal(tn_context_confine(context, inner), TN_OK);
    assert_int_equal(read_including(context, inner, "near.yaml"), TN_OK);
    assert_true(read_including(context, inner, "../secret.yaml") < 0);
    assert_true(read_including(context, inner, path) < 0);
    assert_true(read_including(context, inner, "link.yaml") < 0);
    tn_results *results = NULL;
    assert_int_equal(tn_results_read(&results, context, path), TN_ERROR_FILE);
    assert_int_equal(tn_context_confine(context, "/nowhere"), TN_ERROR_FILE);
    assert_int_equal(tn_context_confine(context, NULL), TN_OK);
    assert_int_equal(read_including(context, inner, "../secret.yaml"), TN_OK);
    tn_context_destroy(context);
    unlink(link);
    unlink(path);
    snprintf(path, sizeof path, "%s/near.yaml", inner);
    unlink(path);
    rmdir(inner);
    assert_int_equal(rmdir(outer), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readouts_follow_edits),
        cmocka_unit_test(test_velocities_and_reactions),
        cmocka_unit_test(test_accelerations_and_forces),
        cmocka_unit_test(test_properties_come_from_declarations),
        cmocka_unit_test(test_outputs_of_what_is_gone),
        cmocka_unit_test(test_confined_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
