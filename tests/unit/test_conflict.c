/* Residuals that some motion takes away are nobody's conflict, whatever their size, also where rows depend on each
 * other; and those that are no numbers tell nothing. */
#include <math.h>
#include "conflict.h"
#include "mechanisms.h"
#include "session_impl.h"

static const char *const models[] = { "examples/bricard.yaml", "examples/n-four-bar.yaml",
                                      "examples/steam-machine/steam-machine.yaml" };

typedef struct residual {
    machine m;
    double *motion, *rows;
} residual;

static residual open_at_start(machine m)
{
    residual r = { .m = m };
    machine_must(&r.m, tn_session_open(&r.m.session, r.m.model, NULL));
    tn_stepper *st = r.m.session->stepper;
    machine_must(&r.m, tn_stepper_evaluate(st, st->t, st->y));
    r.motion = calloc((size_t)st->system->velocities, sizeof(double));
    r.rows = calloc((size_t)st->system->rows, sizeof(double));
    return r;
}

static residual begin(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, name);
    return open_at_start(machine_read(path));
}

/* Bodies in the plane, and joints between some of them. */
static residual scattered(uint32_t *random)
{
    enum { BODIES = 7, JOINTS = 5 };
    static const char *const types[] = { "revolute", "fixed", "translational" };
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nbodies:\n");
    for (int k = 0; k < BODIES; k++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  b%d: { mass: 1, inertia: 0.3, position: [%.3f, %.3f] }\n", k,
                                 between(random, -1, 1), between(random, -1, 1));
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int k = 0; k < JOINTS; k++) {
        int other = k + 1 + (int)between(random, 0, BODIES - 1 - k);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  j%d: { type: %s, between: [b%d, b%d], at: [%.3f, %.3f] }\n", k,
                                 types[next_random(random) % TN_LENGTH(types)], k, other, between(random, -1, 1),
                                 between(random, -1, 1));
    }
    return open_at_start(machine_text(text));
}

static void end(residual *r)
{
    free(r->motion);
    free(r->rows);
    machine_close(&r->m);
}

static int find(const residual *r)
{
    char text[TN_CONFLICT_TEXT];
    tn_span span;
    return tn_conflict_find(r->m.session->system, r->m.session->stepper->eval, r->rows, 1e-10, text, &span);
}

static void test_what_a_motion_takes_away(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(models); k++) {
        residual r = begin(models[k]);
        const tn_stepper *st = r.m.session->stepper;
        uint32_t random = 1;
        for (int n = 0; n < 300; n++) {
            random_vector(&random, st->system->velocities, pow(10, between(&random, -6, 6)), r.motion);
            tn_jacobian_times(st, r.motion, r.rows);
            assert_int_equal(find(&r), TN_CONFLICT_NONE);
        }
        end(&r);
    }
}

/* Parts that do not touch each other: what is left of some is round-off while others are solved. */
static void test_what_moves_one_body(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int n = 0; n < 3000; n++) {
        residual r = scattered(&random);
        const tn_stepper *st = r.m.session->stepper;
        for (int k = 0; k < 20; k++) {
            random_vector(&random, st->system->velocities, pow(10, between(&random, -18, -15)), r.motion);
            for (int j = 0; j < 3; j++)
                r.motion[3 * (k % 7) + j] = between(&random, -1, 1);
            tn_jacobian_times(st, r.motion, r.rows);
            assert_int_equal(find(&r), TN_CONFLICT_NONE);
        }
        end(&r);
    }
}

static void test_no_numbers(void **state)
{
    (void)state;
    static const double values[] = { NAN, INFINITY, -INFINITY, 1e200 };
    residual r = begin(models[0]);
    for (size_t k = 0; k < TN_LENGTH(values); k++) {
        for (int row = 0; row < r.m.session->system->rows; row++)
            r.rows[row] = values[k];
        assert_int_equal(find(&r), TN_CONFLICT_NONE);
    }
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_motion_takes_away),
        cmocka_unit_test(test_what_moves_one_body),
        cmocka_unit_test(test_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
