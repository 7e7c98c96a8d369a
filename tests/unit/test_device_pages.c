/* The worked examples of docs/devices-*.md: what the pages say comes out of the models that they print. */
#include "mechanisms.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first model of a page, run to its end. */
static machine page(const char *name)
{
    char path[300], text[20000], model[4000];
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/docs/devices-%s.md", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *begin = strstr(text, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    const char *end = strstr(begin, "```");
    snprintf(model, sizeof model, "%.*s", (int)(end - begin), begin);
    machine m = machine_text(model);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static void run_page_to(machine *m, double t)
{
    machine_must(m, tn_session_advance_to(m->session, t));
}

static void test_electrical(void **state)
{
    (void)state;
    machine m = page("electrical");
    run_page_to(&m, 4e-3);
    assert_near(value(&m, "o.voltage"), 9.1378783803583, 1e-8);
    assert_true(fabs(value(&m, "energy.network.error")) < 1e-10 * value(&m, "energy.network.supplied"));
    machine_close(&m);
}

static void test_hydraulic(void **state)
{
    (void)state;
    machine m = page("hydraulic");
    const double V = 1e-3, filling = 50e5, n = 1.4, ambient = 101325;
    const double gas = V * pow(filling / (5.1e6 + ambient), 1 / n);
    run_page_to(&m, 2);
    assert_near(value(&m, "P.pressure") / (filling * pow(V / (gas - 1e-4 * 2), n) - ambient), 1, 1e-11);
    machine_close(&m);
}

static void test_pneumatic(void **state)
{
    (void)state;
    machine m = page("pneumatic");
    run_page_to(&m, 1);
    assert_near(value(&m, "X.pressure"), 7e5, 0.1);
    assert_near(value(&m, "X.temperature"), 7e5 * 293.15 / (1e5 + 6e5 / 1.4), 1e-5);
    machine_close(&m);
}

static void test_thermal(void **state)
{
    (void)state;
    machine m = page("thermal");
    run_page_to(&m, 200);
    assert_near(value(&m, "w.temperature"), 293.15 + 60 * (1 - exp(-200 * 0.3 / 40)), 1e-8);
    machine_close(&m);
}

static void test_mechanics(void **state)
{
    (void)state;
    machine m = page("mechanics");
    run_page_to(&m, 0.5);
    assert_near(value(&m, "engine.angle.rate"), 125, 1e-10);
    run_page_to(&m, 2);
    assert_near(value(&m, "engine.angle.rate"), 60, 1e-10);
    assert_near(value(&m, "car.angle.rate"), 60, 1e-10);
    assert_near(value(&m, "clutch.hold"), 8, 1e-10);
    machine_close(&m);
}

static void test_control(void **state)
{
    (void)state;
    machine m = page("control");
    const double a = exp(-0.05);
    double y = 0, I = 0;
    for (int k = 0; k < 10; k++) {
        const double e = 1 - y, u = 2 * e + I;
        I += 0.1 * e;
        y = a * y + 3 * (1 - a) * u;
    }
    run_page_to(&m, 1);
    assert_near(value(&m, "plant.y"), 1 - exp(-3), 1e-12);
    assert_near(value(&m, "other.y"), y, 1e-12);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_electrical), cmocka_unit_test(test_hydraulic), cmocka_unit_test(test_pneumatic),
        cmocka_unit_test(test_thermal),    cmocka_unit_test(test_mechanics), cmocka_unit_test(test_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
