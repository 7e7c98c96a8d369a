/* Groups of bodies: what models and files say about them, what the solver sees of them, and suggestions for them. */
#include "alloc.h"
#include "mechanisms.h"
#include "read_model.h"
#include "session_impl.h"
#include "tenon/groups.h"
#include "tenon/sys/partition.h"
#include "tenon/team.h"

static const char head[] =
    "tenon: 1\ndimension: 2\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 1, position: [0, 0] }\n"
    "  b: { mass: 1, inertia: 1, position: [1, 0] }\n"
    "  c: { mass: 1, inertia: 1, position: [2, 0] }\n"
    "  d: { mass: 1, inertia: 1, position: [3, 0], enabled: no }\n"
    "joints:\n"
    "  j: { type: revolute, between: [a, b], at: [1, 0] }\n"
    "  k: { type: revolute, between: [b, c], at: [2, 0] }\n";

static reading read_groups(const char *groups)
{
    char text[2000];
    snprintf(text, sizeof text, "%sgroups: %s\n", head, groups);
    return read_string(text);
}

static void test_in_a_file(void **state)
{
    (void)state;
    reading r = read_groups("{ one: { members: [a, d] }, two: { members: b }, all: { members: [two, one] } }");
    assert_int_equal(r.code, TN_OK);
    assert_int_equal(tn_model_group_count(r.model), 3);
    tn_group_info one = tn_model_group(r.model, 0), all = tn_model_group(r.model, 2);
    assert_string_equal(one.name, "one");
    assert_int_equal(one.parent, 2);
    assert_int_equal(one.body_count, 2);
    assert_string_equal(tn_model_entity_name(r.model, one.bodies[1]), "d");
    assert_int_equal(all.parent, -1);
    assert_int_equal(all.body_count, 0);
    assert_null(tn_model_group(r.model, 3).name);
    done(&r);
}

/* A team that places one group by its name leaves the others to the solver. */
static void test_places(void **state)
{
    (void)state;
    static const tn_place places[] = { { "two", 1 } };
    const tn_team team = { .rank = 0, .size = 2, .places = places, .place_count = TN_LENGTH(places) };
    reading r = read_groups("{ one: { members: a }, two: { members: b }, three: { members: c } }");
    tn_system *s;
    assert_int_equal(tn_system_create(&s, r.model), TN_OK);
    assert_null(s->structure.group_rank);
    tn_system_destroy(s);
    tn_context_set_team(r.context, &team);
    assert_int_equal(tn_system_create(&s, r.model), TN_OK);
    for (int g = 0; g < 3; g++)
        assert_int_equal(s->structure.group_rank[g], g == 1 ? 1 : -1);
    tn_system_destroy(s);
    done(&r);
}

static void must_refuse(const char *groups, const char *words)
{
    reading r = read_groups(groups);
    assert_int_equal(r.code, TN_ERROR_MODEL);
    must_say(&r, words);
    done(&r);
}

static void test_mistakes(void **state)
{
    (void)state;
    must_refuse("{ one: { members: [a, e] } }", "11:31: group 'one': no body or group 'e'");
    must_refuse("{ left: { members: a }, two: { members: [lett] } }", "no body or group 'lett'; did you mean 'left'?");
    must_refuse("{ one: { members: [a, a] } }", "group 'one': 'a' is there twice");
    must_refuse("{ one: { members: a }, two: { members: [b, a] } }", "'a' is in group 'one' already");
    must_refuse("{ one: { members: a }, two: { members: one }, three: { members: one } }",
                "group 'three': 'one' is in group 'two' already");
    must_refuse("{ one: { members: two }, two: { members: one } }", "no body or group 'two'");
    must_refuse("{ one: { members: ground } }", "no body or group 'ground'");
    must_refuse("{ one: { members: j } }", "no body or group 'j'");
    must_refuse("{ a: { members: b } }", "group 'a': there is a body of this name");
    must_refuse("{ one: { members: [] } }", "group 'one': no members");
    must_refuse("{ one: {} }", "group 'one': no members");
    must_refuse("{ one: { members: { a: b } } }", "'members'");
    must_refuse("{ one: { member: a } }", "did you mean 'members'?");
    must_refuse("{ o.ne: { members: a } }", "'.' is reserved");
}

static void test_by_calls(void **state)
{
    (void)state;
    machine m = machine_new(2);
    add_bar(&m, "one", 0, 0, 0, 1, 1);
    tn_id two = add_bar(&m, "two", 1, 0, 0, 1, 1);
    machine_must(&m, tn_model_add_group(m.model, "pair", (const char *const[]){ "one", "two" }, 2));
    assert_int_equal(tn_model_add_group(m.model, "pair", (const char *const[]){ "one" }, 1), TN_ERROR_MODEL);
    machine_must(&m, tn_model_remove(m.model, two));
    add_bar(&m, "three", 1, 0, 0, 1, 1);           /* takes the slot, not the place in the group */
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    const tn_system *s = m.session->system;
    assert_int_equal(s->structure.groups, 1);
    assert_int_equal(s->structure.body_group[s->body_of[named(&m, "one").index]], 0);
    assert_int_equal(s->structure.body_group[s->body_of[named(&m, "three").index]], -1);
    machine_close(&m);
}

static void test_copies(void **state)
{
    (void)state;
    reading r = read_groups("{ one: { members: [a, d] }, two: { members: [one, b] } }");
    reading other = read_groups("{ one: { members: [a, d] }, two: { members: [b, one] } }");
    reading fewer = read_groups("{ one: { members: [a, d] }, two: { members: [one, c] } }");
    tn_model *clone = NULL;
    assert_int_equal(tn_model_clone(&clone, r.model), TN_OK);
    assert_true(tn_model_same(r.model, clone));
    assert_true(tn_model_same(r.model, other.model));
    assert_false(tn_model_same(r.model, fewer.model));
    tn_model_destroy(clone);
    done(&fewer);
    done(&other);
    done(&r);
}

/* ---- runs ---- */

/* Groups change the order of operations, nothing else. */
static void test_motion_stays(void **state)
{
    (void)state;
    machine plain = machine_read(TENON_SOURCE_DIR "/examples/bricard.yaml");
    machine with = machine_read(TENON_SOURCE_DIR "/examples/bricard.yaml");
    machine_must(&with, tn_model_add_group(with.model, "left", (const char *const[]){ "bar1", "bar2" }, 2));
    machine_must(&with, tn_model_add_group(with.model, "right", (const char *const[]){ "left", "bar4" }, 2));
    tn_solve solve = fixed_steps("rk4", 5e-3, 2);
    tn_summary a = machine_run(&plain, solve);
    solve.solver = "hierarchical";
    tn_summary b = machine_run(&with, solve);
    assert_int_equal(a.rank_min, b.rank_min);
    assert_int_equal(a.rank_max, b.rank_max);
    assert_near(b.energy_error, a.energy_error, 1e-9 * a.energy_peak);
    for (int j = 0; j < plain.session->system->size; j++)
        assert_near(with.session->stepper->y[j], plain.session->stepper->y[j], 1e-10);
    machine_close(&plain);
    machine_close(&with);
}

/* ---- suggestions ---- */

static machine chain(int links)
{
    machine m = machine_new(2);
    char name[16], before[16] = "ground", pin[16];
    for (int n = 0; n < links; n++) {
        snprintf(name, sizeof name, "bar%d", n);
        snprintf(pin, sizeof pin, "pin%d", n);
        add_bar(&m, name, n, 0, 0, 1, 1);
        add_pin(&m, pin, before, name, n, 0);
        memcpy(before, name, sizeof before);
    }
    return m;
}

static size_t bodies_in(const tn_partition *p)
{
    size_t count = 0;
    for (size_t k = 0; k < p->part_count; k++)
        count += p->parts[k].body_count;
    return count;
}

/* A chain is cut at as many joints as it must be; all bodies are somewhere once. */
static void test_partition_of_a_chain(void **state)
{
    (void)state;
    enum { LINKS = 60 };
    machine m = chain(LINKS);
    for (size_t parts = 1; parts <= 6; parts++) {
        tn_partition *p = NULL;
        bool found[LINKS + 1] = { false };
        machine_must(&m, tn_model_partition(&p, m.model, parts, true));
        assert_int_equal(p->part_count, parts);
        assert_int_equal(p->cut_count, parts - 1);
        assert_int_equal(bodies_in(p), LINKS);
        double within = 0;
        size_t joints = p->cut_count;
        for (size_t k = 0; k < parts; k++) {
            const tn_partition_part *part = &p->parts[k];
            assert_near((double)(part->body_count * parts) / LINKS, 1, 0.1);
            assert_true(part->port_count <= 2);
            for (size_t n = 0; n < part->body_count; n++) {
                assert_false(found[part->bodies[n].index]);
                found[part->bodies[n].index] = true;
            }
            within += part->work;
            joints += part->joint_count;
        }
        assert_int_equal(joints, LINKS);
        assert_near(within + p->work_between, p->work, 1e-9 * p->work);
        assert_true(p->work >= p->work_whole);
        tn_partition_destroy(m.context, p);
    }
    machine_close(&m);
}

static void test_partition_is_the_same_again(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/validation/A03_andrews_squeezer_CWI.yaml");
    tn_partition *a = NULL, *b = NULL;
    machine_must(&m, tn_model_partition(&a, m.model, 3, false));
    machine_must(&m, tn_model_partition(&b, m.model, 3, false));
    for (size_t k = 0; k < a->part_count; k++) {
        assert_int_equal(a->parts[k].body_count, b->parts[k].body_count);
        assert_memory_equal(a->parts[k].bodies, b->parts[k].bodies, a->parts[k].body_count * sizeof(tn_id));
    }
    tn_partition_destroy(m.context, a);
    tn_partition_destroy(m.context, b);
    machine_close(&m);
}

static void test_too_many_parts(void **state)
{
    (void)state;
    machine m = chain(3);
    tn_partition *p = NULL;
    assert_int_equal(tn_model_partition(&p, m.model, 4, false), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_partition(&p, m.model, 0, false), TN_ERROR_ARGUMENT);
    assert_null(p);
    machine_close(&m);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    test_alloc alloc = { 0 };
    tn_context *context = test_context(&alloc);
    tn_model *model = NULL;
    assert_int_equal(tn_model_read(&model, context, TENON_SOURCE_DIR "/examples/bricard.yaml"), TN_OK);
    tn_partition *p = NULL;
    long before = alloc.calls;
    assert_int_equal(tn_model_partition(&p, model, 2, false), TN_OK);
    long requests = alloc.calls - before;
    tn_partition_destroy(context, p);
    long alive = alloc.alive;
    for (long failing = 1; failing <= requests; failing++) {
        alloc.fail_at = alloc.calls + failing;
        assert_int_equal(tn_model_partition(&p, model, 2, false), TN_ERROR_MEMORY);
        assert_int_equal(alloc.alive, alive);
    }
    tn_model_destroy(model);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_a_file),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_by_calls),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_motion_stays),
        cmocka_unit_test(test_partition_of_a_chain),
        cmocka_unit_test(test_partition_is_the_same_again),
        cmocka_unit_test(test_too_many_parts),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
