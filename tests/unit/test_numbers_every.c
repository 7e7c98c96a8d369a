/* Every number that "set" can change, in all models of the gallery, is set in place: the system stays. */
#include "entities.h"
#include "mechanisms.h"
#include "session_impl.h"
#include <glob.h>
#include <math.h>

typedef struct sets {
    int in_place, recompiled, refused;
} sets;

/* In devices, and in forces with many numbers, zero means an absent term, which is not compiled. */
static bool is_absent(const tn_model *model, tn_id id, const tn_property *p)
{
    return p->value == 0 && id.kind == TN_KIND_FORCE &&
           (tn_force_is_device(&model->forces[id.index]) || tn_model_property_count(model, id) > 20);
}

/* Sets a number to one that is slightly smaller, zero to one that is slightly larger. What the model does not allow is refused. */
static void set_number(const machine *m, tn_id id, const tn_property *p, sets *count)
{
    const tn_model *model = tn_session_model(m->session);
    const tn_system *system = m->session->system;
    const bool absent = is_absent(model, id, p);
    const double value = p->value != 0 ? 0.99999 * p->value : 1e-4;
    char command[400];
    snprintf(command, sizeof command, "{ set: { %s.%s: %.17g } }", tn_model_entity_name(model, id), p->name, value);
    if (tn_session_apply(NULL, m->session, command) < 0)
        count->refused++;
    else if (m->session->system == system)
        count->in_place++;
    else if (absent)
        count->recompiled++;
    else
        fail_msg("%s: recompiled", command);
}

static void set_all_of_kind(const machine *m, tn_kind kind, sets *count)
{
    enum { SOME = 12 };            /* entities of a kind: more of them are alike */
    for (size_t k = 0; k < SOME && k < tn_model_count(tn_session_model(m->session), kind); k++) {
        const tn_id id = tn_model_at(tn_session_model(m->session), kind, k);
        tn_property p;
        for (size_t i = 0; tn_model_property(&p, tn_session_model(m->session), id, i) == TN_OK; i++)
            if (!p.expression && isfinite(p.value) && !p.fixed)
                set_number(m, id, &p, count);
    }
}

static void test_in_place(void **state)
{
    (void)state;
    static const tn_kind kinds[] = { TN_KIND_BODY, TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_CONTACT };
    glob_t found;
    sets count = { 0 };
    assert_int_equal(glob(TENON_SOURCE_DIR "/examples/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        machine m = machine_read(found.gl_pathv[i]);
        machine_must(&m, tn_session_open(&m.session, m.model, NULL));
        for (size_t k = 0; k < TN_LENGTH(kinds); k++)
            set_all_of_kind(&m, kinds[k], &count);
        machine_close(&m);
    }
    globfree(&found);
    print_message("set in place: %d, absent terms compiled: %d, refused: %d\n", count.in_place, count.recompiled, count.refused);
    assert_true(count.in_place > 5 * count.refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_in_place) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
