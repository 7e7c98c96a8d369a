/* A machine as Simscape Multibody import XML 2.0, in the dialect with joints: instances where they start, mass properties, base and
 * follower frames. Loops stay as they are. */
#include <math.h>
#include <string.h>
#include "robot.h"

static void write_transform(FILE *out, const char *margin, const tn_pose *pose)
{
    double R[3][3];
    tn_robot_matrix(R, pose->q);
    fprintf(out, "%s<Transform>\n%s  <Rotation>", margin, margin);
    for (int k = 0; k < 9; k++)
        fprintf(out, "%s%.17g", k > 0 ? " " : "", R[k / 3][k % 3]);
    fprintf(out, "</Rotation>\n%s  <Translation>%.17g %.17g %.17g</Translation>\n%s</Transform>\n", margin, pose->p[0], pose->p[1],
            pose->p[2], margin);
}

static void write_attribute(FILE *out, const char *key, const char *text, const char *suffix)
{
    fprintf(out, " %s=\"", key);
    tn_robot_text(out, text);
    fprintf(out, "%s\"", suffix);
}

static const char *body_name(const robot *r, int body)
{
    return body == 0 ? "ground" : r->bodies[body].name;
}

static void write_instances(const robot *r, FILE *out)
{
    fputs("    <InstanceTree>\n", out);
    for (size_t i = 0; i < r->body_count; i++) {
        const tn_pose none = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        const char *name = body_name(r, (int)i);
        fputs("      <Instance", out);
        write_attribute(out, "name", name, "");
        write_attribute(out, "uid", name, "");
        write_attribute(out, "entityUid", name, "*:*part");
        fprintf(out, "%s>\n", i == 0 ? " grounded=\"true\"" : "");
        write_transform(out, "        ", i == 0 ? &none : &r->bodies[i].pose);
        fputs("      </Instance>\n", out);
    }
    fputs("    </InstanceTree>\n    <Constraints/>\n", out);
}

static void write_end(const robot *r, FILE *out, const char *element, int body, const tn_pose *frame)
{
    fprintf(out, "        <%s>\n          <InstancePath><Uid>", element);
    tn_robot_text(out, body_name(r, body));
    fputs("</Uid></InstancePath>\n", out);
    write_transform(out, "          ", frame);
    fprintf(out, "        </%s>\n", element);
}

/* What a joint has and the format has not. */
static void note_losses(robot *r, const robot_joint *j)
{
    const struct { bool there; const char *name; } all[] = {
        { isfinite(j->low) || isfinite(j->high), "limits" }, { j->damping != 0, "damping" }, { j->friction != 0, "friction" },
        { j->stiffness != 0, "stiffness" }, { j->armature != 0, "rotors" } };
    char list[80] = "";
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].there)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "", all[i].name);
    if (list[0])
        tn_robot_note(r, "%s along '%s' left out: the format has none", list, j->name);
}

static void write_joints(robot *r, FILE *out)
{
    static const char *const kinds[] = { [ROBOT_FIXED] = "Weld", [ROBOT_REVOLUTE] = "Revolute", [ROBOT_PRISMATIC] = "Prismatic",
                                         [ROBOT_SPHERICAL] = "Spherical", [ROBOT_CYLINDRICAL] = "Cylindrical",
                                         [ROBOT_PLANAR] = "Planar", [ROBOT_OTHER] = NULL };
    fputs("    <Joints>\n", out);
    for (size_t i = 0; i < r->joint_count; i++) {
        const robot_joint *j = &r->joints[i];
        const char *kind = kinds[j->kind];
        if (!kind) {
            tn_robot_note(r, "joint '%s' (%s) has no counterpart: left out, the machine has more freedom there", j->name, j->type);
            continue;
        }
        note_losses(r, j);
        fprintf(out, "      <%s", kind);
        write_attribute(out, "name", j->name, "");
        fputs(">\n", out);
        write_end(r, out, "BaseFrame", j->body1, &j->frame1);
        write_end(r, out, "FollowerFrame", j->body2, &j->frame2);
        fprintf(out, "      </%s>\n", kind);
    }
    fputs("    </Joints>\n", out);
    for (size_t i = 0; i < r->coupling_count; i++)
        tn_robot_note(r, "coupling '%s' is left out: the format has none", r->couplings[i].name);
}

static void write_parts(const robot *r, FILE *out)
{
    fputs("  <Parts>\n", out);
    for (size_t i = 0; i < r->body_count; i++) {
        const robot_body *b = &r->bodies[i];
        const double *I = b->inertia;          /* xx yy zz xy xz yz */
        fputs("    <Part", out);
        write_attribute(out, "name", body_name(r, (int)i), "");
        write_attribute(out, "uid", body_name(r, (int)i), "*:*part");
        if (i == 0 || !(b->mass > 0)) {
            fputs("/>\n", out);
            continue;
        }
        fprintf(out, ">\n      <MassProperties>\n        <Mass>%.17g</Mass>\n        <CenterOfMass>%.17g %.17g %.17g</CenterOfMass>\n",
                b->mass, b->com[0], b->com[1], b->com[2]);
        fprintf(out, "        <Inertia>%.17g %.17g %.17g %.17g %.17g %.17g</Inertia>\n      </MassProperties>\n    </Part>\n", I[0], I[1],
                I[2], I[5], I[4], I[3]);
    }
    fputs("  </Parts>\n", out);
}

void tn_robot_simscape(robot *r, FILE *out)
{
    const char *name = tn_model_name(r->model) && tn_model_name(r->model)[0] ? tn_model_name(r->model) : "model";
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SimscapeMultibodyImportXML version=\"2.0\">\n"
          "  <ModelUnits mass=\"kilogram\" length=\"meter\"/>\n  <DataUnits mass=\"kilogram\" length=\"meter\"/>\n  <RootAssembly", out);
    write_attribute(out, "name", name, "");
    fputs(" uid=\"root\">\n", out);
    write_instances(r, out);
    write_joints(r, out);
    fputs("  </RootAssembly>\n  <Assemblies/>\n", out);
    write_parts(r, out);
    fputs("</SimscapeMultibodyImportXML>\n", out);
}
