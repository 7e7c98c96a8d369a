/* The descriptors of joints and forces: complete, compilable, documented, and of the expected number of independent
 * equations. */
#include "joint_bench.h"
#include <ctype.h>
#include <stdio.h>
#include "tenon/sys/force.h"

#define INDEPENDENT 1e-3       /* far from both round-off and the unit gradients of healthy rows */

typedef void (*form_check)(bench *b, const tn_joint_form *form);

static void for_each_form(form_check check)
{
    for (int k = 0; tn_joint_types[k]; k++)
        for (int dimension = PLANE; dimension <= SPACE; dimension++) {
            const tn_joint_type *type = tn_joint_types[k];
            const tn_joint_form *form = dimension == PLANE ? &type->planar : &type->spatial;
            if (!available(form))
                continue;
            bench b;
            bench_begin(&b, type, dimension);
            check(&b, form);
        }
}

/* The list, the names and the texts. */

/* One unit, two for lengths and angles, any ("*") or the name of a table. */
static void check_units(const char *unit)
{
    char first[40];
    size_t n = strcspn(unit, "|");
    if (strcmp(unit, "*") == 0 || strcmp(unit, TN_UNIT_TABLE) == 0)
        return;
    snprintf(first, sizeof first, "%.*s", (int)n, unit);
    dim_of(first);
    dim_of(unit[n] ? unit + n + 1 : first);
}

static void check_parameters(const char *owner, const tn_parameter_decl *p, int limit)
{
    for (int k = 0; k < limit && p[k].name; k++) {
        if (!p[k].unit || !p[k].doc || p[k].doc[0] == '\0')
            fail_msg("%s: parameter '%s' lacks unit or doc", owner, p[k].name);
        check_units(p[k].unit);
        if (p[k].as_built)
            assert_true(isnan(p[k].initial));
        for (int j = 0; j < k; j++)
            assert_string_not_equal(p[j].name, p[k].name);
    }
}

static void check_sentence(const char *name, const char *doc)
{
    if (!doc || !isupper((unsigned char)doc[0]) || doc[strlen(doc) - 1] != '.' || strlen(doc) > 100)
        fail_msg("%s: doc is not a short sentence", name);
}

/* Something acts, and every effort has what it acts along: of its own, or the joint's coordinate. */
static void check_efforts(const tn_force_type *type)
{
    bool acts = type->force || type->torque || type->effort[0];
    assert_int_equal(acts, type->place != TN_PLACE_NONE);
    for (int k = 0; k < TN_FORCE_EFFORTS; k++)
        if (type->effort[k] && (type->place == TN_PLACE_JOINT) != !type->along[k])
            fail_msg("%s: effort %d acts along nothing, or along two things", type->name, k);
}

static void test_descriptors_are_complete(void **state)
{
    (void)state;
    for (int k = 0; tn_joint_types[k]; k++) {
        const tn_joint_type *type = tn_joint_types[k];
        check_sentence(type->name, type->doc);
        assert_non_null(type->glyph);
        assert_true(available(&type->planar) || available(&type->spatial));
        check_parameters(type->name, type->parameters, TN_JOINT_PARAMETERS);
        for (int j = 0; j < k; j++)
            assert_string_not_equal(tn_joint_types[j]->name, type->name);
    }
    for (int k = 0; tn_force_types[k]; k++) {
        check_sentence(tn_force_types[k]->name, tn_force_types[k]->doc);
        check_efforts(tn_force_types[k]);
        check_parameters(tn_force_types[k]->name, tn_force_types[k]->parameters, TN_FORCE_PARAMETERS);
    }
}

/* The user's name is the name in the list with '-' for '_'. */
static void check_name(const char *c_name, const char *name)
{
    assert_int_equal(strlen(c_name), strlen(name));
    for (size_t k = 0; c_name[k]; k++)
        assert_int_equal(c_name[k] == '_' ? '-' : c_name[k], name[k]);
}

static void test_names_match_the_list(void **state)
{
    (void)state;
    int k = 0;
#define TN_JOINT(c_name) check_name(#c_name, tn_joint_types[k++]->name);
#include "../../src/joints/list.h"
    assert_null(tn_joint_types[k]);
    assert_int_equal(k, TN_LENGTH(table));
    k = 0;
#define TN_FORCE(c_name) check_name(#c_name, tn_force_types[k++]->name);
#include "../../src/forces/list.h"
    assert_null(tn_force_types[k]);
}

static void check_coordinates(bench *b, const tn_joint_form *form)
{
    for (int k = 0; k < TN_MAX_COORDINATES && form->coordinates[k].name; k++) {
        tn_output_info info = evaluate(b, form->coordinates[k].name).info;
        assert_false(info.vector || info.velocity || info.timed || info.constant);
        assert_true(info.dim_known && tn_dim_equal(info.dim, dim_of(form->coordinates[k].unit)));
    }
}

static void check_as_built(bench *b, const tn_joint_form *form)
{
    (void)form;
    const tn_parameter_decl *p = b->type->parameters;
    for (int k = 0; k < TN_JOINT_PARAMETERS && p[k].name; k++) {
        if (!p[k].as_built)
            continue;
        tn_output_info info = evaluate(b, p[k].as_built).info;
        assert_false(info.vector || info.velocity || info.timed);
        assert_true(!info.dim_known || tn_dim_equal(info.dim, dim_of(p[k].unit)));
    }
}

static void test_coordinates_and_parameters_compile(void **state)
{
    (void)state;
    for_each_form(check_coordinates);
    for_each_form(check_as_built);
}

/* Rows: number, level, and independence where the joint holds. */

typedef struct rows {
    int count;
    double row[TN_JOINT_ROWS][12];     /* on v1 (of M), w1, v2 (of N), w2, world axes */
} rows;

/* The gradient with respect to points and axes, as it acts on velocities of the two bodies. */
static void to_velocities(const bench *b, double out[12], const double *gradient)
{
    memset(out, 0, sizeof(double[12]));
    for (int k = 0; k < 3; k++) {
        out[k] = gradient[3 * M + k];
        out[3 + k] = gradient[3 * W1 + k];
        out[6 + k] = gradient[3 * N + k];
        out[9 + k] = gradient[3 * W2 + k];
    }
    for (int axis = X1; axis <= Z2; axis++) {
        double moment[3];
        cross(moment, b->leaves[axis].x, gradient + 3 * axis);
        for (int k = 0; k < 3; k++)
            out[(axis < X2 ? 3 : 9) + k] += moment[k];
    }
    for (int k = 0; b->dimension == PLANE && k < 12; k++)
        if (k % 6 > 1 && k % 6 < 5)
            out[k] = 0.0;
}

static void add_rows(rows *r, const bench *b, const char *const *texts, bool velocity)
{
    for (int k = 0; k < TN_JOINT_EQUATIONS && texts[k]; k++) {
        evaluation e = evaluate(b, texts[k]);
        assert_int_equal(e.info.velocity, velocity);
        for (int i = 0; i < (e.info.vector ? b->dimension : 1); i++) {
            if (fabs(e.value[i]) > CLOSED)
                fail_msg("%s: '%s' is %g where the joint should hold", b->type->name, texts[k], e.value[i]);
            assert_in_range(r->count, 0, TN_JOINT_ROWS - 1);
            to_velocities(b, r->row[r->count++], e.gradient[i]);
        }
    }
}

/* Gram-Schmidt; the smallest length that is left of a row. */
static double independence(rows *r)
{
    double smallest = INFINITY;
    for (int i = 0; i < r->count; i++) {
        for (int j = 0; j < i; j++) {
            double along = 0.0;
            for (int k = 0; k < 12; k++)
                along += r->row[i][k] * r->row[j][k];
            for (int k = 0; k < 12; k++)
                r->row[i][k] -= along * r->row[j][k];
        }
        double length = 0.0;
        for (int k = 0; k < 12; k++)
            length += r->row[i][k] * r->row[i][k];
        length = sqrt(length);
        for (int k = 0; k < 12; k++)
            r->row[i][k] /= length;
        smallest = fmin(smallest, length);
    }
    return smallest;
}

static void check_rows(bench *b, const tn_joint_form *form)
{
    const expected *e = expected_of(b->type->name);
    rows r = { 0 };
    add_rows(&r, b, form->equations, false);
    add_rows(&r, b, form->velocity_equations, true);
    assert_int_equal(r.count, b->dimension == PLANE ? e->planar_rows : e->spatial_rows);
    if (b->type->joints == 0 && independence(&r) < INDEPENDENT)
        fail_msg("%s: dependent equations in dimension %d", b->type->name, b->dimension);
}

static void test_equations_hold_and_are_independent(void **state)
{
    (void)state;
    for_each_form(check_rows);
    for (size_t k = 0; k < TN_LENGTH(table); k++) {
        bool measures = strstr(table[k].name, "strand") || strcmp(table[k].name, "free") == 0;       /* has coordinates and no equations */
        assert_int_equal(available(&find(table[k].name)->planar), table[k].planar_rows > 0 || measures);
        assert_int_equal(available(&find(table[k].name)->spatial), table[k].spatial_rows > 0 || measures);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors_are_complete),
        cmocka_unit_test(test_names_match_the_list),
        cmocka_unit_test(test_coordinates_and_parameters_compile),
        cmocka_unit_test(test_equations_hold_and_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
