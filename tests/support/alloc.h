/* An allocator for tests: counts the pieces alive and fails when told to. */
#ifndef TEST_ALLOC_H
#define TEST_ALLOC_H

#include "tenon/context.h"
#include <stdlib.h>

typedef struct test_alloc {
    long calls;                /* requests for memory so far */
    long fail_at;              /* the request that fails, from 1; 0: none */
    long alive;
} test_alloc;

static inline void *test_reallocate(void *user, void *pointer, size_t size)
{
    test_alloc *a = user;
    if (size == 0) {
        a->alive -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    if (++a->calls == a->fail_at)
        return NULL;
    void *result = realloc(pointer, size);
    a->alive += result && !pointer;
    return result;
}

static inline tn_context *test_context(test_alloc *a)
{
    return tn_context_create(&(tn_context_options){ test_reallocate, a });
}

#endif
