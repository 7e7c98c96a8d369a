/* Reports a failed assertion and ends the program, in builds with assertions. */
#include "tn_assert.h"

#ifdef TENON_ASSERTIONS
#include <stdio.h>
#include <stdlib.h>

void tn_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, condition);
    abort();
}
#else
/* ISO C requires at least one declaration in a file. */
typedef int tn_no_assertions;
#endif
