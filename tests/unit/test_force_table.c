/* The descriptors of all force types. */
#include "near.h"
#include "tenon/sys/force.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name means one thing in a type's expressions, but for channels named like what they show ("length" of a spring:
 * the parameter is meant). */
static void test_names_are_clear(void **state)
{
    (void)state;
    static const char *const taken[] = { "M", "N", "d", "x1", "y1", "z1", "x2", "y2", "z2", "w1", "w2", "X", "Y", "Z",
                                         "t", "q", "q1", "q2", "q3", "q4", "q5", "q6", "reaction", "pi" };
    for (int k = 0; tn_force_types[k]; k++) {
        const tn_force_type *type = tn_force_types[k];
        for (size_t n = 0; n < sizeof taken / sizeof taken[0]; n++) {
            for (int i = 0; i < TN_FORCE_PARAMETERS && type->parameters[i].name; i++)
                assert_string_not_equal(type->parameters[i].name, taken[n]);
            for (int i = 0; i < TN_FORCE_STATES && type->states[i].name; i++)
                assert_string_not_equal(type->states[i].name, taken[n]);
            for (int i = 0; i < TN_FORCE_CHANNELS && type->channels[i].name; i++)
                assert_string_not_equal(type->channels[i].name, taken[n]);
        }
        for (int i = 0; i < TN_FORCE_STATES && type->states[i].name; i++)
            for (int j = 0; j < TN_FORCE_PARAMETERS && type->parameters[j].name; j++)
                assert_string_not_equal(type->states[i].name, type->parameters[j].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
