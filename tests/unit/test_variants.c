/* Variants: several definitions of one entity under one name. Which one counts, in files, in subsystems, by settings of the
 * caller and while a model runs; what the text of the model says of them. Ports of devices that are connected anew. */
#include "live_runs.h"
#include "tenon/devices.h"
#include <math.h>
#include <string.h>

#define COIL "tenon: 1\nbodies: { rotor: { type: rotor, inertia: 1e9 kg m^2 } }\ndevices:\n" \
    "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n" \
    "  R: { type: resistor, at: { p: s, n: a }, variants: { cold: { resistance: 2 ohm }, warm: { resistance: 5 ohm },\n" \
    "       far: { at: { n: b }, resistance: 3 ohm } } }\n" \
    "  wire: { type: resistor, at: { p: b, n: a }, resistance: 1 ohm }\n" \
    "  drain: { type: resistor, at: { p: b, n: a }, resistance: 1 Mohm }\n" \
    "  L: { at: { p: a, n: ground }, inductance: 0.5 H, variant: plain, variants: { plain: { type: inductor },\n" \
    "       motor: { type: dc-motor, shaft: rotor.angle, resistance: 1 ohm, constant: 1e-9 V s/rad } } }\n" \
    "  aside: { type: resistor, at: { p: s, n: x }, resistance: 1 ohm, variants: { on: { }, off: { at: { n: y } } } }\n" \
    "  back: { type: resistor, at: { p: x, n: ground }, resistance: 1 ohm }\n" \
    "  back2: { type: resistor, at: { p: x, n: ground }, resistance: 1 ohm }\n" \
    "nodes: { y: { end: yes } }\n"

static machine opened(const char *text)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(1));
    return m;
}

static void must(machine *m, const char *command)
{
    machine_must(m, tn_session_apply(NULL, m->session, command));
}

static tn_parameter_value parameter(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < tn_model_parameter_count(model); k++)
        if (strcmp(tn_model_parameter(model, k).name, name) == 0)
            return tn_model_parameter(model, k);
    return (tn_parameter_value){ 0 };
}

/* i(t) of a coil of L = 0.5 H behind R from i0, at 10 V. */
static double current(double i0, double R, double t)
{
    return 10 / R + (i0 - 10 / R) * exp(-R * t / 0.5);
}

static void test_the_first_counts_or_the_one_that_is_named(void **state)
{
    (void)state;
    machine m = opened(COIL);
    char word[40];
    const tn_model *model = tn_session_model(m.session);
    tn_parameter_value r = parameter(model, "R.variant"), l = parameter(model, "L.variant");
    assert_string_equal(r.choices, "cold|warm|far");
    assert_string_equal(tn_parameter_word(word, sizeof word, &r), "cold");
    assert_string_equal(tn_parameter_word(word, sizeof word, &l), "plain");
    double number;
    assert_int_equal(tn_parameter_parse(&number, m.context, "far", &r), TN_OK);
    assert_true(number == 2);
    assert_int_equal(tn_parameter_parse(&number, m.context, "fra", &r), TN_ERROR_ARGUMENT);
    tn_session_advance(m.session, 0.3);
    assert_near(value(&m, "L.i"), current(0, 2, 0.3), 1e-9);
    machine_close(&m);
}

/* Another variant in mid-run: the current of the coil goes on, also into the winding of a motor. */
static void test_a_variant_is_chosen_while_it_runs(void **state)
{
    (void)state;
    machine m = opened(COIL);
    tn_session_advance(m.session, 0.1);
    const double i1 = current(0, 2, 0.1);
    must(&m, "{ set: { R.variant: warm } }");
    assert_near(value(&m, "L.i"), i1, 1e-9);
    tn_session_advance(m.session, 0.1);
    const double i2 = current(i1, 5, 0.1);
    assert_near(value(&m, "L.i"), i2, 1e-9);
    must(&m, "{ parameters: { L.variant: motor, R.variant: far } }");       /* 3 ohm, the wire, the winding */
    tn_session_advance(m.session, 0.1);
    assert_near(value(&m, "L.i"), current(i2, 3 + 1e6 / (1 + 1e6) + 1, 0.1), 1e-8);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_near(value(&m, "L.i"), i2, 1e-9);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ set: { R.variant: hot } }"), TN_ERROR_MODEL);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ set: { R.variant: cold, V.value: 3 V } }"), TN_ERROR_MODEL);
    tn_diagnostics_clear(m.context);
    machine_close(&m);
}

/* The text names the choice, a value stands in the variant that has it, and reading it gives the same model. */
static void test_the_text_keeps_all_variants(void **state)
{
    (void)state;
    machine m = opened(COIL);
    char *text = NULL;
    must(&m, "{ set: { R.variant: warm } }");
    must(&m, "{ set: { R.resistance: 7 ohm } }");
    must(&m, "{ set: { L.inductance: 0.25 H } }");
    must(&m, "{ set: { R.at.n: b } }");
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "variant: warm"));
    assert_non_null(strstr(text, "warm: { resistance: 7 ohm }"));
    assert_non_null(strstr(text, "cold: { resistance: 2 ohm }"));
    assert_non_null(strstr(text, "inductance: 0.25 H"));
    tn_model *again = NULL;
    machine_must(&m, tn_model_read_text(&again, m.context, text, strlen(text), "again.yaml", ""));
    const tn_parameter_value r = parameter(again, "R.variant");
    assert_true(r.value == 1);
    tn_model_destroy(again);
    must(&m, "{ remove: R, add: { devices: { R2: { type: resistor, at: { p: s, n: b }, resistance: 1 ohm } } } }");
    assert_null(parameter(tn_session_model(m.session), "R.variant").name);
    tn_text_free(m.context, text);
    machine_must(&m, tn_session_text(&text, m.session));
    assert_null(strstr(text, "warm"));
    tn_text_free(m.context, text);
    machine_close(&m);
}

/* A pin that becomes a weld stops the arm; a pin again, it stays where it is. */
static void test_joints_have_variants(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndimension: 2\nbodies: { arm: { mass: 1 kg, inertia: 0.1 kg m^2, angular_velocity: 2 rad/s } }\n"
                       "joints: { pin: { between: [ground, arm], at: [0, 0], variants: { pin: { type: revolute }, weld: { type: fixed } } } }\n");
    tn_session_advance(m.session, 0.25);
    assert_near(value(&m, "arm.angle"), 0.5, 1e-10);
    must(&m, "{ set: { pin.variant: weld }, closing: snap }");
    assert_near(value(&m, "arm.angular_velocity"), 0, 1e-12);
    must(&m, "{ set: { pin.variant: pin } }");
    assert_near(value(&m, "pin.angle.rate"), 0, 1e-12);
    machine_close(&m);
}

static const tn_model_source files[] = {
    { "main.yaml", "tenon: 1\nsubsystems:\n  a: { use: one.yaml }\n  b: { use: one.yaml, parameters: { R.variant: warm } }\n"
                   "  c: { variants: { small: { use: one.yaml }, large: { use: two.yaml, parameters: { size: 3 ohm } } } }\n", 0 },
    { "one.yaml", "tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
                  "  R: { type: resistor, at: { p: s, n: ground }, variants: { cold: { resistance: 2 ohm }, warm: { resistance: 5 ohm } } }\n", 0 },
    { "two.yaml", "tenon: 1\nparameters: { size: 1 ohm }\ndevices:\n  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
                  "  R: { type: resistor, at: { p: s, n: ground }, resistance: 2 * size }\n", 0 },
};

static void test_subsystems_have_variants_and_choose_those_inside(void **state)
{
    (void)state;
    tn_model_source texts[3];
    for (int k = 0; k < 3; k++) {
        texts[k] = files[k];
        texts[k].size = strlen(texts[k].text);
    }
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_texts(&m.model, m.context, texts, 3, ""));
    machine_start(&m, accurate(1));
    assert_near(value(&m, "a.R.p.current"), 5, 1e-12);
    assert_near(value(&m, "b.R.p.current"), 2, 1e-12);
    assert_near(value(&m, "c.R.p.current"), 5, 1e-12);
    must(&m, "{ set: { c.variant: large } }");
    assert_near(value(&m, "c.R.p.current"), 10.0 / 6, 1e-12);
    must(&m, "{ set: { a.R.variant: warm } }");
    assert_near(value(&m, "a.R.p.current"), 2, 1e-12);
    char *text = NULL;
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "a: { use: one.yaml, parameters: { R.variant: warm } }"));
    tn_text_free(m.context, text);
    machine_close(&m);
}

static void test_ports_are_told_and_connected_anew(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
                       "  A: { type: resistor, at: { p: s, n: m }, resistance: 1 ohm }\n"
                       "  B: { type: resistor, at: { p: m, n: ground }, resistance: 1 ohm }\n"
                       "  C: { type: resistor, at: { p: s, n: ground }, resistance: 1 ohm }\n");
    const tn_model *model = tn_session_model(m.session);
    const tn_id a = tn_model_find(model, "A"), node = tn_model_find(model, "m");
    const char *domain, *across, *unit;
    assert_int_equal(tn_model_device_port_count(model, a), 3);
    assert_string_equal(tn_model_device_port(model, a, 1).text, "m");
    assert_string_equal(tn_model_device_port(model, a, 1).domain, "electrical");
    assert_null(tn_model_device_port(model, a, 2).text);
    assert_true(tn_model_device_port(model, a, 1).node.index == node.index);
    assert_string_equal(tn_model_device_family(model, a), "electrical");
    assert_true(tn_model_node(&domain, &across, &unit, model, node));
    assert_string_equal(across, "voltage");
    assert_false(tn_model_node(&domain, &across, &unit, model, a));
    assert_near(value(&m, "m.voltage"), 5, 1e-12);
    must(&m, "{ set: { C.at.p: m } }");
    assert_near(value(&m, "m.voltage"), 10.0 / 3, 1e-12);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ set: { C.at.q: m } }"), TN_ERROR_MODEL);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ set: { C.at.p: none } }"), TN_ERROR_MODEL);
    tn_diagnostics_clear(m.context);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_near(value(&m, "m.voltage"), 5, 1e-12);
    machine_close(&m);
}

static void must_refuse(const char *entry, const char *message)
{
    char text[400];
    tn_model *model = NULL;
    tn_context *context = tn_context_create(NULL);
    snprintf(text, sizeof text, "tenon: 1\ndevices:\n  V: { type: voltage-source, at: { p: s, n: ground }, value: 1 V }\n"
             "  R: { at: { p: s, n: ground }, %s }\n", entry);
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "m.yaml", ""), TN_ERROR_MODEL);
    if (strstr(tn_diagnostics_get(context, 0)->message, message) == NULL)
        fail_msg("'%s' lacks '%s'", tn_diagnostics_get(context, 0)->message, message);
    tn_context_destroy(context);
}

static void test_wrong_variants_are_told(void **state)
{
    (void)state;
    must_refuse("variants: { }", "'variants' must be a map");
    must_refuse("variants: { a: 3 }", "variant 'a' must be a map");
    must_refuse("variants: { 'a b': { type: resistor, resistance: 1 ohm } }", "a variant is one word");
    must_refuse("variant: c, variants: { a: { type: resistor, resistance: 1 ohm } }", "there is no variant 'c'");
    must_refuse("variants: { a: { type: resistor, resistance: 1 ohm, enabled: no } }", "'enabled' stands beside 'variants'");
    must_refuse("variants: { a: { type: resistor } }", "resistance");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_counts_or_the_one_that_is_named),
        cmocka_unit_test(test_a_variant_is_chosen_while_it_runs),
        cmocka_unit_test(test_the_text_keeps_all_variants),
        cmocka_unit_test(test_joints_have_variants),
        cmocka_unit_test(test_subsystems_have_variants_and_choose_those_inside),
        cmocka_unit_test(test_ports_are_told_and_connected_anew),
        cmocka_unit_test(test_wrong_variants_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
