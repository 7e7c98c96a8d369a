/* Pairs of overlapping bounds against all pairs: scattered, in a line, in one place, without bounds, not numbers. */
#include <string.h>
#include <tenon/context.h>
#include "broad_phase.h"
#include "near.h"
#include "random.h"

enum { MOST = 120 };

typedef struct seen {
    int count[MOST][MOST];
    int calls, stop_at;
} seen;

static int see(void *user, uint32_t a, uint32_t b)
{
    seen *s = user;
    assert_true(a != b);
    s->count[a < b ? a : b][a < b ? b : a]++;
    return ++s->calls == s->stop_at ? TN_ERROR_MEMORY : TN_OK;
}

static bool bounds_overlap(const tn_solid *a, const tn_solid *b, double margin)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] + margin || b->low[k] > a->high[k] + margin)
            return false;
    return true;
}

static void place_solids(tn_solid *solids, int count, uint32_t *seed, int kind)
{
    memset(solids, 0, MOST * sizeof *solids);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double centre = kind == 1 ? 0 : kind == 2 && k > 0 ? 0 : between(seed, -2, 2), half = between(seed, 0, 0.4);
            solids[i].low[k] = centre - half;
            solids[i].high[k] = centre + half;
            if (kind == 3 && i % 9 == 0) {
                solids[i].low[k] = -INFINITY;
                solids[i].high[k] = INFINITY;
            }
            if (kind == 4 && i % 7 == 0)
                solids[i].low[k] = NAN;
        }
}

/* Each pair is seen once, and no other. */
static void test_pairs(void **state)
{
    (void)state;
    static tn_solid solids[MOST];
    static seen found;
    uint32_t seed = 5;
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_broad_phase phase;
    assert_int_equal(tn_broad_phase_create(&phase, arena, MOST), TN_OK);
    for (int k = 0; k < 250; k++) {
        int count = k < 10 ? k : (int)(next_random(&seed) % (MOST + 1));
        double margin = k % 2 ? 0.1 : 0;
        found = (seen){ .calls = 0 };
        place_solids(solids, count, &seed, k % 5);
        assert_int_equal(tn_broad_phase_search(&phase, solids, (uint32_t)count, margin, see, &found), TN_OK);
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++)
                assert_int_equal(found.count[i][j], bounds_overlap(&solids[i], &solids[j], margin));
    }
    place_solids(solids, MOST, &seed, 1);
    found = (seen){ .stop_at = 3 };
    assert_int_equal(tn_broad_phase_search(&phase, solids, MOST, 0, see, &found), TN_ERROR_MEMORY);
    assert_int_equal(found.calls, 3);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
