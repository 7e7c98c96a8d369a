/* Invariants of the code itself, as indices, ownership and the order of calls: checked in debug builds and under
 * sanitizers, where a violation ends the program with its place. */
#ifndef TN_BASE_ASSERT_H
#define TN_BASE_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TN_ASSERT(condition)                                                                                           \
    ((condition) ? (void)0                                                                                             \
                 : (fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition), abort()))
#else
#define TN_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
