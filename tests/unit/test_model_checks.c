/* Every message about a wrong definition. */
#include "draft.h"
#include "model_world.h"

static void refuse_name(fixture *f, const char *name, const char *text)
{
    tn_body_def def = brick();
    tn_diagnostics_clear(f->context);
    assert_int_equal(tn_model_add_body(NULL, f->space, name, &def), TN_ERROR_MODEL);
    assert_said(f->context, text);
}

static void test_names_refused(void **state)
{
    fixture *f = *state;
    refuse_name(f, "", "name is empty");
    refuse_name(f, NULL, "name is empty");
    refuse_name(f, "a b", "use only letters, digits, '_' and '-'");
    refuse_name(f, "a.b", "'.' is reserved for paths");
    refuse_name(f, "\xc3\xa9", "use only letters");
    const char *const reserved[] = { "ground", "t", "energy", "momentum", "drift", "all" };
    for (size_t i = 0; i < TN_LENGTH(reserved); i++)
        refuse_name(f, reserved[i], "reserved");
    tn_id a = add_brick(f->space, "a"), b = add_brick(f->space, "b"), pin = add_hinge(f->space, "pin", a, b);
    tn_model_set_span(f->space, pin, (tn_span){ "m.yaml", 12, 3 });
    refuse_name(f, "pin", "body 'pin': the name is already taken by a joint (line 12)");
    assert_string_equal(tn_model_entity_span(f->space, pin).file, "m.yaml");

    tn_pose pose = tn_pose_identity();
    assert_int_equal(tn_model_add_frame(NULL, f->space, a, "tip", &pose), TN_OK);
    assert_int_equal(tn_model_add_frame(NULL, f->space, a, "tip", &pose), TN_ERROR_MODEL);
    assert_said(f->context, "frame 'tip': body 'a' has a frame of this name already");
    assert_int_equal(tn_model_add_frame(NULL, f->space, a, "position", &pose), TN_ERROR_MODEL);
    assert_said(f->context, "the name means a quantity of body 'a'");
    assert_int_equal(tn_model_add_frame(NULL, f->space, pin, "eye", &pose), TN_ERROR_MODEL);
    assert_said(f->context, "the body of the frame must be a body, 'pin' is a joint");
}

static void refuse_body(fixture *f, tn_model *model, const tn_body_def *def, const char *text)
{
    tn_diagnostics_clear(f->context);
    assert_int_equal(tn_model_add_body(NULL, model, "x", def), TN_ERROR_MODEL);
    assert_said(f->context, text);
    assert_int_equal(tn_model_count(model, TN_KIND_BODY), 0);
}

static void test_mass_refused(void **state)
{
    fixture *f = *state;
    tn_body_def def = brick();
    def.mass = NAN;
    refuse_body(f, f->space, &def, "body 'x': inertia is given but mass is not");
    def.inertia[0] = NAN;
    def.mass = -1;
    refuse_body(f, f->space, &def, "body 'x': mass -1 kg must be positive");
    assert_said(f->context, "body 'x': inertia is incomplete: give xx, yy and zz");
    def.mass = INFINITY;
    refuse_body(f, f->space, &def, "mass inf kg must be positive");

    def = brick();
    def.inertia[1] = 0;
    refuse_body(f, f->space, &def, "principal moment of inertia 0 kg m^2 must be positive");
    def.inertia[1] = -1;
    refuse_body(f, f->space, &def, "principal moment of inertia -1 kg m^2 must be positive");
    def.inertia[1] = 3.5;
    refuse_body(f, f->space, &def, "no body has the principal moments of inertia 1, 2, 3.5 kg m^2");
    def.inertia[1] = INFINITY;
    refuse_body(f, f->space, &def, "inertia must be finite");
    def.inertia[2] = -1;
    refuse_body(f, f->plane, &def, "moment of inertia -1 kg m^2 must be positive");

    def = brick();
    def.inertia[1] = 3 * (1 + 1e-10);
    assert_int_equal(tn_model_add_body(NULL, f->space, "flat", &def), TN_OK);
}

static void test_shapes_and_mass(void **state)
{
    fixture *f = *state;
    tn_shape_def rod = tn_shape_default(TN_SHAPE_ROD);
    rod.size[0] = 0;
    rod.size[1] = 2;
    rod.mass = 3;
    rod.pose = tn_pose_z((const double[]){ 1, 0, 0 }, (const double[]){ 1, 0, 0 });
    tn_body_def def = tn_body_default();
    def.shapes = &rod;
    def.shape_count = 1;
    refuse_body(f, f->space, &def, "a slender rod (radius 0) needs a radius in space");
    def.com[0] = 1;
    refuse_body(f, f->plane, &def, "com is given but mass is not");
    def.com[0] = 0;
    def.inertia[2] = 1;
    refuse_body(f, f->plane, &def, "inertia is given but mass is not");
    def.mass = 3;
    refuse_body(f, f->plane, &def, "mass is given twice");

    def.mass = def.inertia[2] = NAN;
    tn_id id;
    double mass, com[3], inertia[6];
    assert_int_equal(tn_model_add_body(&id, f->plane, "rod", &def), TN_OK);
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, f->plane, id), TN_OK);
    assert_near(mass, 3, 0);
    assert_near(com[0], 1, 1e-15);
    assert_near(inertia[2], 1, 1e-15);
    assert_near(inertia[1], 0, 0);
    assert_int_equal(tn_model_body_mass(&mass, com, inertia, f->plane, tn_model_ground(f->plane)), TN_ERROR_ARGUMENT);
}

static void test_particle(void **state)
{
    fixture *f = *state;
    tn_body_def def = brick();
    def.kind = TN_BODY_PARTICLE;
    def.com[1] = 1;
    def.angular_velocity[2] = 1;
    refuse_body(f, f->space, &def, "a particle has no inertia");
    assert_said(f->context, "a particle is where its mass is");
    assert_said(f->context, "a particle does not turn");
    def = tn_body_default();
    def.kind = TN_BODY_PARTICLE;
    def.mass = 1;
    tn_id id;
    assert_int_equal(tn_model_add_body(&id, f->space, "bob", &def), TN_OK);
    assert_string_equal(tn_model_entity_type(f->space, id), "particle");
}

static void test_pose_refused(void **state)
{
    fixture *f = *state;
    tn_body_def def = brick();
    def.pose.q[0] = 0;
    refuse_body(f, f->space, &def, "orientation of the body is zero");
    def.pose.q[0] = 1.1;
    refuse_body(f, f->space, &def, "orientation of the body has length 1.1");
    def.pose.q[0] = NAN;
    def.pose.p[1] = INFINITY;
    def.velocity[0] = NAN;
    refuse_body(f, f->space, &def, "position of the body must be finite");
    assert_said(f->context, "orientation of the body must be finite");
    assert_said(f->context, "velocity must be finite");
    def = brick();
    def.pose = tn_pose_z((const double[]){ 0, 0, 0 }, (const double[]){ 0, 0, 0 });
    refuse_body(f, f->space, &def, "an axis that is not zero");
    def.pose = tn_pose_z((const double[]){ 0, 0, 0 }, (const double[]){ 1, 0, 0 });
    refuse_body(f, f->plane, &def, "a planar model turns about z only");

    def.pose = (tn_pose){ { 1, 2, 3 }, { 1 + 1e-7, 0, 0, 0 } };
    tn_id id;
    assert_int_equal(tn_model_add_body(&id, f->plane, "near", &def), TN_OK);
    assert_near(f->plane->bodies[id.index].pose.q[0], 1, 0);
    assert_near(f->plane->bodies[id.index].pose.p[2], 0, 0);
}

static void refuse_joint(fixture *f, tn_model *model, const tn_joint_def *def, const char *text)
{
    size_t before = tn_model_count(model, TN_KIND_JOINT);
    tn_diagnostics_clear(f->context);
    assert_int_equal(tn_model_add_joint(NULL, model, "x", def), TN_ERROR_MODEL);
    assert_said(f->context, text);
    assert_int_equal(tn_model_count(model, TN_KIND_JOINT), before);
}

static void test_joint_refused(void **state)
{
    fixture *f = *state;
    tn_joint_def def = tn_joint_default("hnige");
    refuse_joint(f, f->space, &def, "joint 'x': there is no joint type 'hnige'; did you mean 'hinge'?");
    assert_said(f->context, "joint 'x': body1 is not set");
    assert_said(f->context, "joint 'x': body2 is not set");
    def = tn_joint_default(NULL);
    refuse_joint(f, f->space, &def, "type is missing");
    def = tn_joint_default("hinge");
    def.body1 = def.body2 = tn_model_ground(f->space);
    refuse_joint(f, f->space, &def, "both ends are on 'ground'");
    def.body1 = def.body2 = add_brick(f->space, "a");
    refuse_joint(f, f->space, &def, "both ends are on 'a'");
    def.body1 = tn_model_ground(f->space);
    def.frame1.q[0] = 2;
    refuse_joint(f, f->space, &def, "orientation of frame1 has length 2");
    def.frame1.q[0] = 1;
    def.term_count = 1;
    assert_int_equal(tn_model_add_joint(NULL, f->space, "x", &def), TN_ERROR_ARGUMENT);
    assert_said(f->context, "joint 'x': 'terms' is NULL, but its count is 1");
    def.terms = &(tn_coupling_term){ .joint = def.body2 };
    refuse_joint(f, f->space, &def, "type 'hinge' connects two bodies");
    def.type = "slot";
    refuse_joint(f, f->space, &def, "joint type 'slot' exists only in the plane (dimension: 2)");
    def.type = "bolt";
    def.body1 = tn_model_ground(f->plane);
    def.body2 = add_brick(f->plane, "a");
    refuse_joint(f, f->plane, &def, "joint type 'bolt' exists only in space (dimension: 3)");
}

static void test_parameters(void **state)
{
    fixture *f = *state;
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, "bolt");
    draft.def.body1 = tn_model_ground(f->space);
    draft.def.body2 = add_brick(f->space, "a");
    refuse_joint(f, f->space, &draft.def, "parameter 'pitch' of joint type 'bolt' is missing: advance per turn");
    draft.settings[draft.def.setting_count++] = (tn_setting){ "pich", 1 };
    refuse_joint(f, f->space, &draft.def, "joint type 'bolt' has no parameter 'pich'; did you mean 'pitch'?");
    draft.settings[0] = (tn_setting){ "pitch", NAN };
    refuse_joint(f, f->space, &draft.def, "parameter 'pitch' must be finite");
    draft.settings[0].value = 2;
    draft.settings[draft.def.setting_count++] = draft.settings[0];
    refuse_joint(f, f->space, &draft.def, "parameter 'pitch' is given twice");
    draft.def.setting_count = 1;
    tn_id id;
    assert_int_equal(tn_model_add_joint(&id, f->space, "bolt", &draft.def), TN_OK);
    const double *values = f->space->joints[id.index].parameters;
    assert_near(values[0], 2, 0);
    assert_true(isnan(values[1]));
    assert_near(values[2], 0.25, 0);
}

static void test_start(void **state)
{
    fixture *f = *state;
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, "bolt");
    draft.def.body1 = tn_model_ground(f->space);
    draft.def.body2 = add_brick(f->space, "a");
    draft.settings[draft.def.setting_count++] = (tn_setting){ "pitch", 1 };
    draft.start[draft.def.start_count++] = (tn_joint_start){ "positon", 1, 2 };
    refuse_joint(f, f->space, &draft.def, "a joint of type 'bolt' has no coordinate 'positon'; did you mean 'position'?");
    draft.start[0] = (tn_joint_start){ "position", INFINITY, 0 };
    refuse_joint(f, f->space, &draft.def, "the start of coordinate 'position' must be finite");
    draft.start[0] = (tn_joint_start){ "position", 0.5, NAN };
    draft.start[draft.def.start_count++] = draft.start[0];
    refuse_joint(f, f->space, &draft.def, "the start of coordinate 'position' is given twice");
    draft.def.start_count = 1;
    tn_id id;
    assert_int_equal(tn_model_add_joint(&id, f->space, "bolt", &draft.def), TN_OK);
    const tn_joint *joint = &f->space->joints[id.index];
    assert_near(joint->start[1], 0.5, 0);
    assert_true(isnan(joint->start[0]) && isnan(joint->start_rate[1]));
}

static void test_coupling(void **state)
{
    fixture *f = *state;
    tn_id a = add_brick(f->space, "a"), b = add_brick(f->space, "b");
    tn_id ja = add_hinge(f->space, "ja", tn_model_ground(f->space), a), jb = add_hinge(f->space, "jb", a, b);
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, "mesh");
    draft.terms[draft.def.term_count++] = (tn_coupling_term){ ja, NULL, 1 };
    refuse_joint(f, f->space, &draft.def, "type 'mesh' couples 2 joints, 1 are given");
    draft.terms[draft.def.term_count++] = (tn_coupling_term){ jb, "agle", NAN };       /* a mesh has no factors */
    refuse_joint(f, f->space, &draft.def, "a joint of type 'hinge' has no coordinate 'agle'; did you mean 'angle'?");
    tn_joint_draft weighted;
    tn_joint_draft_begin(&weighted, "sum");
    weighted.terms[weighted.def.term_count++] = (tn_coupling_term){ ja, NULL, NAN };
    refuse_joint(f, f->space, &weighted.def, "factor of a coupled joint must be finite");
    draft.terms[1] = (tn_coupling_term){ a, NULL, 1 };
    refuse_joint(f, f->space, &draft.def, "a coupled joint must be a joint, 'a' is a body");
    draft.terms[1] = (tn_coupling_term){ add_mesh(f->space, "m", ja, jb), NULL, 1 };
    refuse_joint(f, f->space, &draft.def, "'m' is a coupling itself");
    tn_joint_draft_begin(&draft, "sum");
    refuse_joint(f, f->space, &draft.def, "type 'sum' couples 1 to 8 joints, 0 are given");
    draft.start[0] = (tn_joint_start){ NULL, 0, 0 };
    draft.def.start_count = 1;
    draft.def.term_count = 1;
    draft.terms[0] = (tn_coupling_term){ ja, NULL, 1 };
    refuse_joint(f, f->space, &draft.def, "a joint of type 'sum' has no coordinates");
}

static void test_force_refused(void **state)
{
    fixture *f = *state;
    tn_force_def def = tn_force_default("sprnig");
    assert_int_equal(tn_model_add_force(NULL, f->space, "x", &def), TN_ERROR_MODEL);
    assert_said(f->context, "force 'x': there is no force type 'sprnig'; did you mean 'spring'?");
    assert_said(f->context, "force 'x': body2 is not set");
    def = tn_force_default("spring");
    def.body2 = tn_model_ground(f->space);
    assert_int_equal(tn_model_add_force(NULL, f->space, "x", &def), TN_ERROR_MODEL);
    assert_said(f->context, "both ends are on 'ground'");
    assert_said(f->context, "parameter 'stiffness' of force type 'spring' is missing");
    def.start_count = 3;
    def.expression_count = 2;
    assert_int_equal(tn_model_add_force(NULL, f->space, "x", &def), TN_ERROR_ARGUMENT);
    assert_said(f->context, "force 'x': 'start' is NULL, but its count is 3");
    assert_said(f->context, "force 'x': 'expressions' is NULL, but its count is 2");
}

static void test_own_type(void **state)
{
    fixture *f = *state;
    char name[] = "leash", equation[] = "d . d - L^2", parameter[] = "L";
    tn_joint_type type = { .name = name, .planar = { .equations = { equation } } };
    type.parameters[0] = (tn_parameter_decl){ parameter, "m", NULL, NAN, NULL };
    assert_int_equal(tn_model_add_joint_type(f->plane, &type), TN_OK);
    memset(equation, '!', sizeof equation - 1);
    memset(parameter, '!', sizeof parameter - 1);
    const tn_joint_type *copy = tn_model_joint_type(f->plane, "leash");
    assert_string_equal(copy->planar.equations[0], "d . d - L^2");
    assert_string_equal(copy->parameters[0].name, "L");
    assert_null(tn_model_joint_type(f->space, "leash"));

    assert_int_equal(tn_model_add_joint_type(f->plane, copy), TN_ERROR_MODEL);
    assert_said(f->context, "joint type 'leash': the type is defined already");
    assert_int_equal(tn_model_add_joint_type(f->plane, &hinge), TN_ERROR_MODEL);
    assert_said(f->context, "joint type 'hinge': this is a built-in type");
    tn_joint_type empty = { .name = "empty", .parameters = { { .name = "d" }, { .name = "a" }, { .name = "a" } } };
    assert_int_equal(tn_model_add_joint_type(f->plane, &empty), TN_ERROR_MODEL);
    assert_said(f->context, "there are neither equations nor coordinates");
    assert_said(f->context, "parameter 'd' has the name of a symbol");
    assert_said(f->context, "parameter 'a' is declared twice");
}

static void test_solve(void **state)
{
    fixture *f = *state;
    tn_solve solve = tn_model_solve(f->space);
    assert_near(solve.until, 10, 0);
    assert_string_equal(solve.integrator, "dopri5");
    char integrator[] = "rk4";
    solve.integrator = integrator;
    solve.record = 0;
    assert_int_equal(tn_model_set_solve(f->space, &solve), TN_OK);
    integrator[0] = '?';
    assert_string_equal(tn_model_solve(f->space).integrator, "rk4");
    solve.until = -1;
    solve.step = 0;
    solve.tolerance = INFINITY;
    solve.solver = NULL;
    assert_int_equal(tn_model_set_solve(f->space, &solve), TN_ERROR_MODEL);
    assert_said(f->context, "solve: until -1 must be positive");
    assert_said(f->context, "solve: step 0 must be positive");
    assert_said(f->context, "solve: tolerance inf must be positive and finite");
    assert_said(f->context, "solve: solver is missing");
    assert_near(tn_model_solve(f->space).until, 10, 0);
}

static void test_bad_dimension(void **state)
{
    fixture *f = *state;
    tn_model *model;
    assert_int_equal(tn_model_create(&model, f->context, 4), TN_ERROR_ARGUMENT);
    assert_null(model);
    assert_said(f->context, "dimension 4 must be 2 or 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names_refused),
        TEST(test_mass_refused),
        TEST(test_shapes_and_mass),
        TEST(test_particle),
        TEST(test_pose_refused),
        TEST(test_joint_refused),
        TEST(test_parameters),
        TEST(test_start),
        TEST(test_coupling),
        TEST(test_force_refused),
        TEST(test_own_type),
        TEST(test_solve),
        TEST(test_bad_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
