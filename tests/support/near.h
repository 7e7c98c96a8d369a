/* Near-equality for tests: prints both numbers in full. */
#ifndef TEST_NEAR_H
#define TEST_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define assert_near(actual, expected, tolerance) \
    near_check((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void near_check(double actual, double expected, double tolerance, const char *what, const char *file,
                              int line)
{
    if (fabs(actual - expected) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g within %.3g (off by %.3g)\n", what, actual, expected, tolerance,
                actual - expected);
    _fail(file, line);
}

#endif
