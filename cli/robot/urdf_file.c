/* A machine as URDF. The frame of a link is that of the joint above it; loops are cut. */
#include <math.h>
#include <string.h>
#include "robot.h"

/* Angles about the fixed axes x, y, z. */
static void rpy_of(double out[3], const double q[4])
{
    double R[3][3];
    tn_robot_matrix(R, q);
    double across = hypot(R[0][0], R[1][0]);
    out[1] = atan2(-R[2][0], across);
    out[0] = across > 1e-9 ? atan2(R[2][1], R[2][2]) : atan2(-R[1][2], R[1][1]);
    out[2] = across > 1e-9 ? atan2(R[1][0], R[0][0]) : 0;
}

static void write_origin(FILE *out, const tn_pose *pose)
{
    double rpy[3];
    rpy_of(rpy, pose->q);
    fprintf(out, "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>", pose->p[0], pose->p[1], pose->p[2], rpy[0], rpy[1],
            rpy[2]);
}

/* The frame of a body's link in the body. */
static tn_pose link_frame(const robot *r, int body)
{
    int joint = r->bodies[body].joint;
    if (joint < 0)
        return tn_pose_identity();
    return r->joints[joint].reversed ? r->joints[joint].frame1 : r->joints[joint].frame2;
}

static void write_name(FILE *out, const char *name)
{
    fputc('"', out);
    tn_robot_text(out, name);
    fputc('"', out);
}

static void write_shapes(robot *r, FILE *out, int body, const tn_pose *back)
{
    const robot_body *b = &r->bodies[body];
    for (size_t i = 0; i < tn_model_shape_count(r->model, b->id); i++) {
        tn_shape_def s = tn_model_shape(r->model, b->id, i);
        tn_pose pose = tn_robot_compose(back, &s.pose);
        bool round = s.kind == TN_SHAPE_CYLINDER || s.kind == TN_SHAPE_ROD || s.kind == TN_SHAPE_CAPSULE;
        if (s.kind != TN_SHAPE_BOX && s.kind != TN_SHAPE_SPHERE && !(round && s.size[0] > 0)) {
            tn_robot_note(r, "a shape of '%s' is left out: URDF has boxes, balls and cylinders", b->name);
            continue;
        }
        fputs("\n    <visual>", out);
        write_origin(out, &pose);
        if (s.kind == TN_SHAPE_BOX)
            fprintf(out, "<geometry><box size=\"%.17g %.17g %.17g\"/></geometry>", s.size[0], s.size[1], s.size[2]);
        else if (s.kind == TN_SHAPE_SPHERE)
            fprintf(out, "<geometry><sphere radius=\"%.17g\"/></geometry>", s.size[0]);
        else
            fprintf(out, "<geometry><%s radius=\"%.17g\" length=\"%.17g\"/></geometry>", s.kind == TN_SHAPE_CAPSULE ? "capsule"
                    : "cylinder", s.size[0], s.size[1]);
        fputs("</visual>", out);
    }
}

static void write_link(robot *r, FILE *out, int body)
{
    const robot_body *b = &r->bodies[body];
    tn_pose frame = link_frame(r, body), none = tn_pose_identity(), back = tn_robot_relative(&frame, &none), centre = none;
    memcpy(centre.p, b->com, sizeof centre.p);
    centre = tn_robot_compose(&back, &centre);
    fputs("  <link name=", out);
    write_name(out, b->name);
    fputs(">\n    <inertial>", out);
    write_origin(out, &centre);
    fprintf(out, "<mass value=\"%.17g\"/><inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyz=\"%.17g\"/>"
            "</inertial>", b->mass, b->inertia[0], b->inertia[1], b->inertia[2], b->inertia[3], b->inertia[4], b->inertia[5]);
    write_shapes(r, out, body, &back);
    fputs("\n  </link>\n", out);
}

/* A joint between two links; suffix tells stages of one joint apart. */
static void begin_joint(FILE *out, const char *name, const char *suffix, const char *type, const char *parent,
                        const char *parent_suffix, const char *child, const char *child_suffix)
{
    fputs("  <joint name=\"", out);
    tn_robot_text(out, name);
    fprintf(out, "%s\" type=\"%s\"><parent link=\"", suffix, type);
    tn_robot_text(out, parent);
    fprintf(out, "%s\"/><child link=\"", parent_suffix);
    tn_robot_text(out, child);
    fprintf(out, "%s\"/>", child_suffix);
}

/* A joint of several coordinates: a chain of simple ones with links without mass between them. */
typedef struct urdf_stage {
    const char *type, *suffix;
    double axis[3];
    double turn[4];            /* of its frame in the one before */
} urdf_stage;

enum { STAGE = 40 };

/* What is behind the name of a body in the name of a link before it; no body is called so. */
static void stage_suffix(char out[STAGE], const robot *r, const char *name, int stage)
{
    size_t length = strlen(name);
    bool taken = true;
    for (int k = 0; taken && k < 20; k++) {
        snprintf(out, STAGE, k == 0 ? "_%d" : "_%d_%d", stage, k);
        taken = false;
        for (size_t i = 0; i < r->body_count; i++)
            taken = taken || (strncmp(r->bodies[i].name, name, length) == 0 && strcmp(r->bodies[i].name + length, out) == 0);
    }
}

static void write_stages(robot *r, FILE *out, int body, const tn_pose *origin, const urdf_stage *stages, int count)
{
    const robot_body *b = &r->bodies[body];
    const robot_joint *j = &r->joints[b->joint];
    for (int k = 0; k < count; k++) {
        const urdf_stage *s = &stages[k];
        bool last = k + 1 == count;
        tn_pose place = tn_pose_identity();
        memcpy(place.q, s->turn, sizeof place.q);
        if (k == 0)
            place = tn_robot_compose(origin, &place);
        char above[STAGE], here[STAGE];
        stage_suffix(above, r, b->name, k);
        stage_suffix(here, r, b->name, k + 1);
        begin_joint(out, j->name, s->suffix, s->type, k == 0 ? r->bodies[b->parent].name : b->name, k == 0 ? "" : above, b->name,
                    last ? "" : here);
        write_origin(out, &place);
        fprintf(out, "<axis xyz=\"%g %g %g\"/>%s</joint>\n", s->axis[0], s->axis[1], s->axis[2],
                strcmp(s->type, "prismatic") == 0 ? "<limit lower=\"-inf\" upper=\"inf\" effort=\"0\" velocity=\"0\"/>" : "");
        if (!last) {
            fputs("  <link name=\"", out);
            tn_robot_text(out, b->name);
            fprintf(out, "%s\"/>\n", here);
        }
    }
    tn_robot_note(r, "joint '%s' (%s) is a chain of joints with links without mass between them", j->name, j->type);
}

static void write_composed(robot *r, FILE *out, int body, const tn_pose *origin)
{
    const robot_joint *j = &r->joints[r->bodies[body].joint];
    const double way = j->reversed ? -1 : 1, half = sqrt(0.5);
    if (j->kind == ROBOT_CYLINDRICAL) {
        const urdf_stage stages[2] = { { "prismatic", "_position", { 0, 0, way }, { 1, 0, 0, 0 } },
                                       { "continuous", "_angle", { 0, 0, way }, { 1, 0, 0, 0 } } };
        write_stages(r, out, body, origin, stages, 2);
    } else if (j->kind == ROBOT_UNIVERSAL) {       /* at zero z2 = x1 and x2 = z1: half a turn about x + z */
        const urdf_stage stages[2] = { { "continuous", j->reversed ? "_2" : "_1", { 0, 0, way }, { 1, 0, 0, 0 } },
                                       { "continuous", j->reversed ? "_1" : "_2", { 0, 0, way }, { 0, half, 0, half } } };
        write_stages(r, out, body, origin, stages, 2);
    } else {
        const urdf_stage stages[3] = { { "continuous", "_x", { 1, 0, 0 }, { 1, 0, 0, 0 } },
                                       { "continuous", "_y", { 0, 1, 0 }, { 1, 0, 0, 0 } },
                                       { "continuous", "_z", { 0, 0, 1 }, { 1, 0, 0, 0 } } };
        write_stages(r, out, body, origin, stages, 3);
    }
}

static void write_mimic(robot *r, FILE *out, int joint)
{
    for (size_t i = 0; i < r->coupling_count; i++) {
        const robot_coupling *c = &r->couplings[i];
        if (c->joint1 != joint || c->factor1 == 0)
            continue;
        fputs("<mimic joint=", out);
        write_name(out, r->joints[c->joint2].name);
        fprintf(out, " multiplier=\"%.17g\" offset=\"%.17g\"/>", -c->factor2 / c->factor1, c->offset / c->factor1);
        return;
    }
}

static void write_simple(robot *r, FILE *out, int body, const tn_pose *origin)
{
    const robot_body *b = &r->bodies[body];
    const robot_joint *j = b->joint >= 0 ? &r->joints[b->joint] : NULL;
    bool limited = j && (isfinite(j->low) || isfinite(j->high));
    const char *type = !j ? "floating" : j->kind == ROBOT_FIXED ? "fixed" : j->kind == ROBOT_PLANAR ? "planar"
                       : j->kind == ROBOT_PRISMATIC ? "prismatic" : limited ? "revolute" : "continuous";
    char free_name[300];
    snprintf(free_name, sizeof free_name, "%.250s_free", b->name);
    begin_joint(out, j ? j->name : free_name, "", type, r->bodies[b->parent].name, "", b->name, "");
    write_origin(out, origin);
    if (j && j->kind != ROBOT_FIXED) {
        fprintf(out, "<axis xyz=\"0 0 %d\"/>", j->reversed ? -1 : 1);
        if (limited || j->kind == ROBOT_PRISMATIC)
            fprintf(out, "<limit lower=\"%.17g\" upper=\"%.17g\" effort=\"0\" velocity=\"0\"/>", j->low, j->high);
        if (j->damping != 0 || j->friction != 0)
            fprintf(out, "<dynamics damping=\"%.17g\" friction=\"%.17g\"/>", j->damping, j->friction);
        if (j->stiffness != 0)
            tn_robot_note(r, "the spring of joint '%s' is left out", j->name);
        write_mimic(r, out, b->joint);
    }
    fputs("</joint>\n", out);
}

static void write_joint(robot *r, FILE *out, int body)
{
    const robot_body *b = &r->bodies[body];
    tn_pose above = link_frame(r, b->parent), origin;
    if (b->joint < 0) {
        origin = tn_robot_relative(&above, &b->pose);
        write_simple(r, out, body, &origin);
        return;
    }
    const robot_joint *j = &r->joints[b->joint];
    origin = tn_robot_relative(&above, j->reversed ? &j->frame2 : &j->frame1);
    if (j->kind == ROBOT_SPHERICAL || j->kind == ROBOT_UNIVERSAL || j->kind == ROBOT_CYLINDRICAL)
        write_composed(r, out, body, &origin);
    else
        write_simple(r, out, body, &origin);
}

/* Armature as Drake has it. */
static void write_rotors(const robot *r, FILE *out)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        const robot_joint *j = &r->joints[i];
        if (j->armature == 0 || !j->tree)
            continue;
        fputs("  <transmission type=\"SimpleTransmission\"><actuator name=", out);
        write_name(out, j->name);
        fprintf(out, "><drake:rotor_inertia value=\"%.17g\"/><drake:gear_ratio value=\"1\"/></actuator><joint name=", j->armature);
        write_name(out, j->name);
        fputs("/></transmission>\n", out);
    }
}

void tn_robot_urdf(robot *r, FILE *out)
{
    bool moved = false;
    fputs("<?xml version=\"1.0\"?>\n<robot name=", out);
    write_name(out, tn_model_name(r->model) && tn_model_name(r->model)[0] ? tn_model_name(r->model) : "model");
    fputs(" xmlns:drake=\"https://drake.mit.edu\">\n  <link name=\"ground\"/>\n", out);
    for (size_t i = 1; i < r->body_count; i++)
        write_link(r, out, r->order[i]);
    for (size_t i = 1; i < r->body_count; i++)
        write_joint(r, out, r->order[i]);
    for (size_t i = 0; i < r->joint_count; i++) {
        const robot_joint *j = &r->joints[i];
        moved = moved || fabs(j->start[0]) > 1e-12 || fabs(j->start[1]) > 1e-12 || fabs(j->start[2]) > 1e-12;
        if (j->tree)
            continue;
        tn_robot_note(r, "joint '%s' (%s) %s: URDF describes trees; it is cut", j->name, j->type, j->kind == ROBOT_OTHER
                      ? "has no counterpart" : "closes a loop");
        fputs("  <!-- cut: joint between ", out);
        write_name(out, r->bodies[j->body1].name);
        fputs(" and ", out);
        write_name(out, r->bodies[j->body2].name);
        fputs(" -->\n", out);
    }
    write_rotors(r, out);
    if (moved)
        tn_robot_note(r, "URDF has no start values: joints start at zero there");
    fputs("</robot>\n", out);
}
