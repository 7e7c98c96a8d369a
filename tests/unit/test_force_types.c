/* Force types: what acts follows from potential and dissipation. */
#include "near.h"
#include <string.h>
#include "tenon/sys/force.h"

static const tn_force_type *force_type(const char *name)
{
    for (int k = 0; tn_force_types[k]; k++)
        if (strcmp(tn_force_types[k]->name, name) == 0)
            return tn_force_types[k];
    fail_msg("no force type '%s'", name);
    return NULL;
}

static void test_constant_loads_are_passed_on(void **state)
{
    (void)state;
    const double parameters[] = { 1.0, -2.0, 3.0 };
    const tn_frame_motion frame = { .p = { 1, 2, 3 } };
    const tn_force_view view = { .parameters = parameters, .frame1 = &frame, .frame2 = &frame };
    tn_wrench force, torque;
    force_type("force")->apply(&view, &force);
    force_type("torque")->apply(&view, &torque);
    for (int k = 0; k < 3; k++) {
        assert_near(force.force[k], parameters[k], 0.0);
        assert_near(force.torque[k], 0.0, 0.0);
        assert_near(torque.torque[k], parameters[k], 0.0);
        assert_near(torque.force[k], 0.0, 0.0);
    }
}

static void test_spring_force_is_the_slope_of_its_potential(void **state)
{
    (void)state;
    const tn_force_type *spring = force_type("spring");
    const double parameters[] = { 120.0, 0.8, 0.0, 7.0 };
    const tn_frame_motion frame1 = { .p = { 0.1, 0.2, -0.3 } };
    tn_frame_motion frame2 = { .p = { 0.9, -0.4, 0.5 } };
    const tn_force_view view = { .parameters = parameters, .frame1 = &frame1, .frame2 = &frame2 };
    tn_wrench wrench;
    spring->apply(&view, &wrench);
    const double h = 1e-5;
    for (int k = 0; k < 3; k++) {
        const double at = frame2.p[k];
        frame2.p[k] = at + h;
        const double above = spring->potential(&view);
        frame2.p[k] = at - h;
        const double below = spring->potential(&view);
        frame2.p[k] = at;
        assert_near(wrench.force[k], -(above - below) / (2 * h), 1e-6);
    }
}

static void test_spring_damper_takes_its_power_out(void **state)
{
    (void)state;
    const tn_force_type *spring = force_type("spring");
    const double parameters[] = { 0.0, 0.8, 25.0, 0.0 };
    const tn_frame_motion frame1 = { .v = { 0.3, 0.1, 0.0 } };
    const tn_frame_motion frame2 = { .p = { 0.6, 0.0, 0.8 }, .v = { -0.2, 0.5, 1.0 } };
    const tn_force_view view = { .parameters = parameters, .frame1 = &frame1, .frame2 = &frame2 };
    tn_wrench wrench;
    spring->apply(&view, &wrench);
    double power = 0.0;
    for (int k = 0; k < 3; k++)
        power += wrench.force[k] * (frame2.v[k] - frame1.v[k]);
    assert_near(spring->dissipation(&view), -power, 1e-12);
    assert_near(power, -25.0 * 0.5 * 0.5, 1e-12);
}

static void test_spring_of_no_length_is_quiet(void **state)
{
    (void)state;
    const double parameters[] = { 120.0, 0.8, 25.0, 7.0 };
    const tn_frame_motion frame = { .p = { 1, 2, 3 } };
    const tn_force_view view = { .parameters = parameters, .frame1 = &frame, .frame2 = &frame };
    tn_wrench wrench;
    force_type("spring")->apply(&view, &wrench);
    for (int k = 0; k < 3; k++)
        assert_near(wrench.force[k], 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_loads_are_passed_on),
        cmocka_unit_test(test_spring_force_is_the_slope_of_its_potential),
        cmocka_unit_test(test_spring_damper_takes_its_power_out),
        cmocka_unit_test(test_spring_of_no_length_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
