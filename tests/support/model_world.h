/* A small world of joint and force types, and two empty models: for tests of the model's tables alone. */
#ifndef TEST_MODEL_WORLD_H
#define TEST_MODEL_WORLD_H

#include "near.h"

#include "devices.h"
#include "entities.h"

#include <stdlib.h>
#include <string.h>

static const tn_joint_type hinge = {
    .name = "hinge",
    .planar = { .equations = { "d" }, .coordinates = { { "angle", "rad", "turn(x1, y1, x2)" } } },
    .spatial = { .equations = { "d", "x1 . z2", "y1 . z2" },
                 .coordinates = { { "angle", "rad", "turn(x1, y1, x2)" } } },
};
static const tn_joint_type bolt = {
    .name = "bolt",
    .spatial = { .equations = { "d . x1" }, .coordinates = { { "angle", "rad", "0" }, { "position", "m", "d . z1" } } },
    .parameters = { { "pitch", "m", "advance per turn", NAN, NULL }, { "offset", "m", "", NAN, "d . z1" },
                    { "slack", "m", "", 0.25, NULL } },
};
static const tn_joint_type slot = { .name = "slot", .planar = { .equations = { "d . y1" } } };
static const tn_joint_type mesh = {
    .name = "mesh",
    .joints = 2,
    .planar = { .equations = { "q1 + q2" } },
    .spatial = { .equations = { "q1 + q2" } },
};
static const tn_joint_type sum = { .name = "sum", .joints = -1, .spatial = { .equations = { "q1" } } };
const tn_joint_type *const tn_joint_types[] = { &hinge, &bolt, &slot, &mesh, &sum, NULL };

static const tn_force_type spring = { .name = "spring", .parameters = { { "stiffness", "N/m", "", NAN, NULL } } };
const tn_force_type *const tn_force_types[] = { &spring, NULL };
const tn_device_family tn_device_families[] = { NULL };
const tn_domain *const tn_domains[] = { NULL };

typedef struct fixture {
    tn_context *context;
    tn_model *space, *plane;
} fixture;

static inline int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->context = tn_context_create(NULL);
    return tn_model_create(&f->space, f->context, 3) < 0 || tn_model_create(&f->plane, f->context, 2) < 0 ? -1 : 0;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    tn_model_destroy(f->space);
    tn_model_destroy(f->plane);
    tn_context_destroy(f->context);
    free(f);
    return 0;
}

static inline void assert_said(tn_context *context, const char *text)
{
    for (size_t i = 0; i < tn_diagnostics_count(context); i++)
        if (strstr(tn_diagnostics_get(context, i)->message, text))
            return;
    tn_diagnostics_print(context, stderr);
    fail_msg("nobody said: %s", text);
}

static inline tn_body_def brick(void)
{
    tn_body_def def = tn_body_default();
    def.mass = 2;
    def.inertia[0] = 1, def.inertia[1] = 1.5, def.inertia[2] = 2;
    return def;
}

static inline tn_id add_brick(tn_model *model, const char *name)
{
    tn_body_def def = brick();
    tn_id id;
    assert_int_equal(tn_model_add_body(&id, model, name, &def), TN_OK);
    return id;
}

static inline tn_id add_hinge(tn_model *model, const char *name, tn_id body1, tn_id body2)
{
    tn_joint_def def = tn_joint_default("hinge");
    def.body1 = body1;
    def.body2 = body2;
    tn_id id;
    assert_int_equal(tn_model_add_joint(&id, model, name, &def), TN_OK);
    return id;
}

static inline tn_id add_spring(tn_model *model, const char *name, tn_id body)
{
    tn_force_def def = tn_force_default("spring");
    def.body2 = body;
    def.settings = &(tn_setting){ "stiffness", 10 };
    def.setting_count = 1;
    tn_id id;
    assert_int_equal(tn_model_add_force(&id, model, name, &def), TN_OK);
    return id;
}

static inline tn_id add_mesh(tn_model *model, const char *name, tn_id joint1, tn_id joint2)
{
    tn_joint_def def = tn_joint_default("mesh");
    def.terms = (tn_coupling_term[]){ { joint1, "angle", 1 }, { joint2, NULL, -2 } };
    def.term_count = 2;
    tn_id id;
    assert_int_equal(tn_model_add_joint(&id, model, name, &def), TN_OK);
    return id;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
