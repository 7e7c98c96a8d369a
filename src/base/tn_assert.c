/* What becomes of a broken invariant, in builds that look for them. */
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
/* ISO C wants a file to declare something. */
typedef int tn_no_assertions;
#endif
