/* Tyres: laws against independent values, relaxation against its exponential, roads with height and slope, .tir files. */
#include "mechanisms.h"

#include <unistd.h>

/* A wheel so heavy that it keeps its motion: centre 0.3 m high, 20 m/s forwards, vy to the left. */
#define HEAVY(vy, spin) "tenon: 1\ngravity: [0, 0, 0]\nbodies: { wheel: { mass: 1e12 kg, inertia: [1e12, 1e12, 1e12], " \
    "position: [0, 0, 0.3], velocity: [20, " vy ", 0], angular_velocity: [0, " spin ", 0] } }\nforces:\n  T: { on: wheel, "

static machine opened(const char *text, double until)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(until));
    return m;
}

static void test_linear(void **state)
{
    (void)state;
    machine m = opened(HEAVY("0.2", "67") "type: tyre-linear, radius: 0.32, stiffness: 220 kN/m, cx: 50e3 N, cy: 40e3 N/rad, "
                       "trail: 30 mm, speed: 1e-6 m/s, rolling_resistance: 0.01 }\n", 1);
    const double kappa = (67 * 0.3 - 20) / 20, alpha = atan(0.2 / 20);
    assert_near(value(&m, "T.load"), 4400, 1e-9);
    assert_near(value(&m, "T.fx"), 50e3 * kappa, 1e-8);
    assert_near(value(&m, "T.fy"), -40e3 * alpha, 1e-8);
    assert_near(value(&m, "T.mz"), 0.03 * 40e3 * alpha, 1e-9);
    machine_close(&m);
    m = opened(HEAVY("4", "67") "type: tyre-linear, radius: 0.32, stiffness: 220 kN/m, cx: 50e3 N, cy: 40e3 N/rad, "
               "friction: 0.9 }\n", 1);
    assert_near(hypot(value(&m, "T.fx"), value(&m, "T.fy")), 0.9 * 4400, 1e-8);
    machine_close(&m);
}

/* u = |s| / (3 mu F): 1 - (1 - u)^3 of the friction. */
static void test_brush(void **state)
{
    (void)state;
    machine m = opened(HEAVY("0.5", "68") "type: tyre-brush, radius: 0.32, stiffness: 220 kN/m, cx: 50e3 N, cy: 40e3 N/rad, "
                       "friction: 0.8, patch: 0.12 m, speed: 1e-6 m/s }\n", 1);
    const double kappa = 0.02, sx = 50e3 * kappa / 1.02, sy = 40e3 * 0.025 / 1.02, most = 0.8 * 4400;
    const double u = hypot(sx, sy) / (3 * most), force = most * (1 - pow(1 - u, 3));
    assert_near(value(&m, "T.kappa"), kappa, 1e-12);
    assert_near(value(&m, "T.fx"), force * sx / hypot(sx, sy), 1e-8);
    assert_near(value(&m, "T.fy"), -force * sy / hypot(sx, sy), 1e-8);
    assert_near(value(&m, "T.mz"), 0.02 * sy * pow(1 - u, 3), 1e-9);
    machine_close(&m);
}

static const char TIR[] = "$ made for the test\n[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\n[DIMENSION]\nUNLOADED_RADIUS = 0.32\n"
    "[VERTICAL]\nFNOMIN = 4000 $ N\nVERTICAL_STIFFNESS = 220000\n[LONGITUDINAL]\nPCX1=1.65\nPDX1=1.15\nPDX2=-0.05\nPEX1=0.4\n"
    "PEX2=0.1\nPKX1=22\nPKX2=-0.2\nPKX3=0.25\nRBX1=12\nRBX2=-10\nRCX1=1.05\n[LATERAL]\nPCY1=1.3\nPDY1=1.0\nPDY2=-0.12\nPDY3=3.0\n"
    "PEY1=-0.9\nPEY2=-0.4\nPKY1=-16\nPKY2=1.8\nPKY3=0.2\nPHY3=0.03\nPVY3=-0.3\nRBY1=8\nRBY2=6\nRCY1=1.05\nPTY1=1.6\nPTY2=1.8\n"
    "[ALIGNING]\nQBZ1=9\nQBZ2=-1.1\nQCZ1=1.15\nQDZ1=0.1\nQDZ4=5\nQEZ1=-1.5\nQEZ2=-0.3\nQHZ3=0.1\nSSZ1=0.04\n";

static void write_tir(char path[64], const char *text)
{
    snprintf(path, 64, "/tmp/tenon-tyre-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

/* Numbers from an independent program of the same formulas. */
static void test_magic_formula(void **state)
{
    (void)state;
    char path[64], text[2000];
    write_tir(path, TIR);
    snprintf(text, sizeof text, HEAVY("0.8", "65") "type: tyre-magic-formula, tir: %s, relaxation_y: 0 m }\n", path);
    machine m = opened(text, 1);
    assert_near(value(&m, "T.kappa"), -0.024999687505859257, 1e-15);
    assert_near(value(&m, "T.fx"), -2059.117746925132, 1e-8);
    assert_near(value(&m, "T.fy"), -2111.3437942342825, 1e-8);
    assert_near(value(&m, "T.mz"), 34.43867513983323, 1e-9);
    machine_close(&m);
    unlink(path);
}

/* Scales of the file: values from an independent program of the same formulas. */
static void test_scales(void **state)
{
    (void)state;
    char path[64], text[2000], scaled[2000];
    snprintf(scaled, sizeof scaled, "%s[SCALING_COEFFICIENTS]\nQBZ9=8\nQDZ6=0.01\nLMUY=0.8\nLKY=1.2\nLTR=0.9\nLVY=2\nPVY1=0.01\nLFZO=1.1\n"
             "LCX=0.95\nLXAL=1.3\nLS=0.5\n", TIR);
    write_tir(path, scaled);
    snprintf(text, sizeof text, HEAVY("0.8", "65") "type: tyre-magic-formula, tir: %s, relaxation_y: 0 m }\n", path);
    machine m = opened(text, 1);
    assert_near(value(&m, "T.fx"), -1885.963747371475, 1e-8);
    assert_near(value(&m, "T.fy"), -2362.231098262001, 1e-8);
    assert_near(value(&m, "T.mz"), 44.60945304975096, 1e-9);
    machine_close(&m);
    unlink(path);
}

/* v' + |vx| v / s = slip_y from v = 0: the slip angle approaches its value with the length s. */
static void test_relaxation(void **state)
{
    (void)state;
    machine m = opened(HEAVY("0.2", "66.6666666666666667") "type: tyre-linear, radius: 0.32, stiffness: 220 kN/m, cx: 50e3 N, "
                       "cy: 40e3 N/rad, relaxation_x: 0.2 m, relaxation_y: 0.5 m }\n", 0.1);
    for (int k = 1; k <= 4; k++) {
        const double t = 0.02 * k;
        run_to(&m, t);
        assert_near(tan(value(&m, "T.alpha")), 0.01 * (1 - exp(-20 * t / 0.5)), 1e-10);
    }
    machine_close(&m);
}

/* On a road that rises by 0.1 along x the load acts across the road. */
static void test_road(void **state)
{
    (void)state;
    machine m = opened(HEAVY("0", "60") "type: tyre-linear, radius: 0.32, stiffness: 220 kN/m, cx: 0 N, cy: 0 N/rad, "
                       "height: 0.02 m + 0.1 * wheel.position.x, slope_x: 0.1 }\n", 0.1);
    const double c = 1 / sqrt(1.01), load = 220e3 * (0.32 - 0.28 * c);
    assert_near(value(&m, "T.load"), load, 1e-7);
    assert_near(value(&m, "T.end2.force.x"), -0.1 * c * load, 1e-7);
    assert_near(value(&m, "T.end2.force.z"), c * load, 1e-7);
    machine_close(&m);
}

static void check_refused(const char *tir, const char *message)
{
    char path[64], text[2000];
    tn_model *model = NULL;
    tn_context *context = tn_context_create(NULL);
    bool found = false;
    write_tir(path, tir);
    snprintf(text, sizeof text, HEAVY("0", "60") "type: tyre-magic-formula, tir: %s }\n", path);
    assert_true(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", ".") < 0);
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        found |= strstr(tn_diagnostics_get(context, k)->message, message) != NULL;
    if (!found)
        tn_diagnostics_print(context, stderr);
    assert_true(found);
    tn_context_destroy(context);
    unlink(path);
}

static void test_wrong_files(void **state)
{
    (void)state;
    check_refused("[UNITS]\nLENGTH = 'mm'\n", "the unit of 'length' must be 'meter'");
    check_refused("[X]\nPDX1 = high\n", "'pdx1' must be a number");
    check_refused("[X]\nPDX1 = 1\nLGAY = 0.5\n", "'lgay' must be 1");
    check_refused("[X]\nPDX1 = 1\nLTR = x\n", "'ltr' must be a number");
    check_refused("nothing\n", "has no coefficient");
    check_refused("", "has no coefficient");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),        cmocka_unit_test(test_brush), cmocka_unit_test(test_magic_formula),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_relaxation),    cmocka_unit_test(test_road),  cmocka_unit_test(test_wrong_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
