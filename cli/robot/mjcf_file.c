/* A machine as MJCF: bodies in bodies at their start, joints with ref, equality constraints for loops and couplings. */
#include <math.h>
#include <string.h>
#include "robot.h"

static void write_numbers(FILE *out, const char *name, const double *v, int n)
{
    fprintf(out, " %s=\"", name);
    for (int k = 0; k < n; k++)
        fprintf(out, "%s%.17g", k > 0 ? " " : "", v[k]);
    fputc('"', out);
}

static void write_name(FILE *out, const char *key, const char *name, const char *suffix)
{
    fprintf(out, " %s=\"", key);
    tn_robot_text(out, name);
    fprintf(out, "%s\"", suffix);
}

static void indent(FILE *out, int depth)
{
    fprintf(out, "%*s", 2 * depth, "");
}

static void write_pose(FILE *out, const tn_pose *pose)
{
    write_numbers(out, "pos", pose->p, 3);
    write_numbers(out, "quat", pose->q, 4);
}

static void write_geoms(robot *r, FILE *out, int body, int depth)
{
    const robot_body *b = &r->bodies[body];
    for (size_t i = 0; i < tn_model_shape_count(r->model, b->id); i++) {
        tn_shape_def s = tn_model_shape(r->model, b->id, i);
        double size[3] = { s.size[0] / 2, s.size[1] / 2, s.size[2] / 2 };
        const char *type = "box";
        int count = 3;
        if (s.kind == TN_SHAPE_SPHERE || s.kind == TN_SHAPE_CYLINDER || s.kind == TN_SHAPE_CAPSULE || s.kind == TN_SHAPE_ROD) {
            type = s.kind == TN_SHAPE_SPHERE ? "sphere" : s.kind == TN_SHAPE_CAPSULE ? "capsule" : "cylinder";
            count = s.kind == TN_SHAPE_SPHERE ? 1 : 2;
            size[0] = s.size[0];
        } else if (s.kind == TN_SHAPE_ELLIPSOID) {
            type = "ellipsoid";
            memcpy(size, s.size, sizeof size);
        } else if (s.kind == TN_SHAPE_HALF_SPACE && body == 0) {
            type = "plane";
            size[0] = size[1] = 0;
            size[2] = 1;
        } else if (s.kind != TN_SHAPE_BOX) {
            tn_robot_note(r, "a shape of '%s' is left out: MJCF has no counterpart without a mesh file", b->name);
            continue;
        }
        if (strcmp(type, "plane") != 0 && !(size[0] > 0))
            continue;
        indent(out, depth);
        fprintf(out, "<geom type=\"%s\"", type);
        write_numbers(out, "size", size, count);
        write_pose(out, &s.pose);
        fputs(" contype=\"0\" conaffinity=\"0\"/>\n", out);
    }
}

/* One hinge, slide or ball of a body. axis and place in the body's frame. */
static void write_one(FILE *out, int depth, const robot_joint *j, const char *suffix, const char *type, const double at[3],
                      const double axis[3], double start)
{
    indent(out, depth);
    fputs("<joint", out);
    write_name(out, "name", j->name, suffix);
    fprintf(out, " type=\"%s\"", type);
    write_numbers(out, "pos", at, 3);
    if (axis)
        write_numbers(out, "axis", axis, 3);
    if (start != 0)
        fprintf(out, " ref=\"%.17g\"", start);
    if (suffix[0] == 0 && axis) {
        if (isfinite(j->low) || isfinite(j->high))
            fprintf(out, " range=\"%.17g %.17g\"", fmax(j->low, -1e10), fmin(j->high, 1e10));
        if (j->damping != 0)
            fprintf(out, " damping=\"%.17g\"", j->damping);
        if (j->friction != 0)
            fprintf(out, " frictionloss=\"%.17g\"", j->friction);
        if (j->armature != 0)
            fprintf(out, " armature=\"%.17g\"", j->armature);
        if (j->stiffness != 0)
            fprintf(out, " stiffness=\"%.17g\" springref=\"%.17g\"", j->stiffness, j->rest);
    }
    fputs("/>\n", out);
}

/* An axis (0 x, 1 y, 2 z) of a frame on another body, as seen from the body, times a sign. */
static void axis_seen(double out[3], const robot *r, int body, int other, const tn_pose *frame, int which, double sign)
{
    tn_pose on = tn_robot_compose(&r->bodies[other].pose, frame), seen = tn_robot_relative(&r->bodies[body].pose, &on);
    const double unit[3] = { which == 0 ? sign : 0, which == 1 ? sign : 0, which == 2 ? sign : 0 };
    tn_robot_turn(out, seen.q, unit);
}

static void write_joints(const robot *r, FILE *out, int body, int depth)
{
    const robot_body *b = &r->bodies[body];
    if (b->joint < 0) {
        indent(out, depth);
        fputs("<freejoint/>\n", out);
        return;
    }
    const robot_joint *j = &r->joints[b->joint];
    const double sign = j->reversed ? -1 : 1;
    const tn_pose *own = j->reversed ? &j->frame1 : &j->frame2, *above = j->reversed ? &j->frame2 : &j->frame1;
    double z[3], first[3], x[3], y[3];
    axis_seen(z, r, body, body, own, 2, sign);
    axis_seen(first, r, body, b->parent, above, 2, sign);
    switch (j->kind) {
    case ROBOT_REVOLUTE: write_one(out, depth, j, "", "hinge", own->p, z, j->start[0]); break;
    case ROBOT_PRISMATIC: write_one(out, depth, j, "", "slide", own->p, z, j->start[0]); break;
    case ROBOT_SPHERICAL: write_one(out, depth, j, "", "ball", own->p, NULL, 0); break;
    case ROBOT_UNIVERSAL:
        write_one(out, depth, j, j->reversed ? "_2" : "_1", "hinge", own->p, first, j->start[j->reversed ? 1 : 0]);
        write_one(out, depth, j, j->reversed ? "_1" : "_2", "hinge", own->p, z, j->start[j->reversed ? 0 : 1]);
        break;
    case ROBOT_CYLINDRICAL:
        write_one(out, depth, j, "_position", "slide", own->p, z, j->start[0]);
        write_one(out, depth, j, "_angle", "hinge", own->p, z, j->start[1]);
        break;
    case ROBOT_PLANAR:
        axis_seen(x, r, body, b->parent, above, 0, 1);
        axis_seen(y, r, body, b->parent, above, 1, 1);
        write_one(out, depth, j, "_x", "slide", own->p, x, 0);
        write_one(out, depth, j, "_y", "slide", own->p, y, 0);
        write_one(out, depth, j, "_angle", "hinge", own->p, z, 0);
        break;
    default: break;
    }
}

static void write_body(robot *r, FILE *out, int body, int depth);

static void write_children(robot *r, FILE *out, int body, int depth)
{
    for (size_t i = 1; i < r->body_count; i++)
        if (r->bodies[r->order[i]].parent == body)
            write_body(r, out, r->order[i], depth);
}

static void write_body(robot *r, FILE *out, int body, int depth)
{
    const robot_body *b = &r->bodies[body];
    tn_pose pose = tn_robot_relative(&r->bodies[b->parent].pose, &b->pose);
    indent(out, depth);
    fputs("<body", out);
    write_name(out, "name", b->name, "");
    write_pose(out, &pose);
    fputs(">\n", out);
    write_joints(r, out, body, depth + 1);
    if (b->mass > 0) {
        indent(out, depth + 1);
        fprintf(out, "<inertial mass=\"%.17g\"", b->mass);
        write_numbers(out, "pos", b->com, 3);
        write_numbers(out, "fullinertia", b->inertia, 6);
        fputs("/>\n", out);
    }
    write_geoms(r, out, body, depth + 1);
    write_children(r, out, body, depth + 1);
    indent(out, depth);
    fputs("</body>\n", out);
}

static void write_connect(const robot *r, FILE *out, const robot_joint *j, const double at[3])
{
    fputs("    <connect", out);
    write_name(out, "body1", j->body1 == 0 ? "world" : r->bodies[j->body1].name, "");
    write_name(out, "body2", j->body2 == 0 ? "world" : r->bodies[j->body2].name, "");
    write_numbers(out, "anchor", at, 3);
    fputs("/>\n", out);
}

/* A joint that closes a loop: a ball is one point, a hinge two points on its axis. */
static void write_loop(robot *r, FILE *out, const robot_joint *j)
{
    if (j->kind == ROBOT_FIXED) {
        tn_pose seen = tn_robot_relative(&r->bodies[j->body1].pose, &r->bodies[j->body2].pose);
        double relative[7];
        memcpy(relative, seen.p, sizeof seen.p);
        memcpy(relative + 3, seen.q, sizeof seen.q);
        fputs("    <weld", out);
        write_name(out, "body1", j->body1 == 0 ? "world" : r->bodies[j->body1].name, "");
        write_name(out, "body2", j->body2 == 0 ? "world" : r->bodies[j->body2].name, "");
        write_numbers(out, "relpose", relative, 7);
        fputs("/>\n", out);
    } else if (j->kind == ROBOT_SPHERICAL || j->kind == ROBOT_REVOLUTE) {
        write_connect(r, out, j, j->frame1.p);
        if (j->kind == ROBOT_REVOLUTE) {
            static const double arm[3] = { 0, 0, 0.1 };    /* m: far enough for a well-posed axis */
            double second[3];
            tn_robot_turn(second, j->frame1.q, arm);
            for (int k = 0; k < 3; k++)
                second[k] += j->frame1.p[k];
            write_connect(r, out, j, second);
        }
    } else {
        tn_robot_note(r, "joint '%s' (%s) %s: left out, the machine has more freedom there", j->name, j->type,
                      j->kind == ROBOT_OTHER ? "has no counterpart" : "closes a loop, which MJCF has no constraint for");
    }
}

static void write_equalities(robot *r, FILE *out)
{
    fputs("  <equality>\n", out);
    for (size_t i = 0; i < r->joint_count; i++)
        if (!r->joints[i].tree)
            write_loop(r, out, &r->joints[i]);
    for (size_t i = 0; i < r->coupling_count; i++) {
        const robot_coupling *c = &r->couplings[i];
        const robot_joint *a = &r->joints[c->joint1], *b = &r->joints[c->joint2];
        double slope = -c->factor2 / c->factor1, constant = c->offset / c->factor1 + slope * b->start[0] - a->start[0];
        if (!isfinite(slope) || !a->tree || !b->tree) {
            tn_robot_note(r, "coupling '%s' is left out", c->name);
            continue;
        }
        fputs("    <joint", out);
        write_name(out, "joint1", a->name, "");
        write_name(out, "joint2", b->name, "");
        fprintf(out, " polycoef=\"%.17g %.17g 0 0 0\"/>\n", constant, slope);
    }
    fputs("  </equality>\n", out);
}

void tn_robot_mjcf(robot *r, FILE *out)
{
    double gravity[3];
    tn_model_gravity(gravity, r->model);
    if (tn_model_dimension(r->model) == 2)
        gravity[2] = 0;
    fputs("<mujoco", out);
    write_name(out, "model", tn_model_name(r->model) && tn_model_name(r->model)[0] ? tn_model_name(r->model) : "model", "");
    fputs(">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option", out);
    write_numbers(out, "gravity", gravity, 3);
    fputs("/>\n  <worldbody>\n", out);
    write_geoms(r, out, 0, 2);
    write_children(r, out, 0, 2);
    fputs("  </worldbody>\n", out);
    write_equalities(r, out);
    fputs("</mujoco>\n", out);
}
