/* Forces of Adams datasets: single-component and vector forces, spring-dampers, bushings. */
#include "adm_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>

static void left_out(adm_reader *r, const adm_statement *s, const char *why)
{
    tn_machine_note_add(r->machine, TN_WARNING, s->place, "%s '%s' is left out: %s", s->keyword, s->name, why);
}

/* A force between two markers; J is frame 1. */
static tn_machine_load *between(adm_reader *r, const adm_statement *s, const char *type, const adm_marker *i,
                                const adm_marker *j, const char *suffix)
{
    const char *name = suffix[0] ? tn_machine_text(r->machine, "%s_%s", s->name, suffix) : s->name;
    tn_machine_load *load = tn_machine_add_load(r->machine, name, type, s->place);
    load->source = s->keyword;
    load->body1 = j ? j->body : TN_GROUND;
    load->body2 = i->body;
    load->frame1 = j ? j->pose : tn_adm_world(r, i);       /* J may float: the reaction acts where I is */
    load->frame2 = i->pose;
    return load;
}

static tn_machine_load *along(adm_reader *r, const adm_statement *s, const char *type, int joint, const char *coordinate)
{
    tn_machine_load *load = tn_machine_add_load(r->machine, s->name, type, s->place);
    load->source = s->keyword;
    load->joint = joint;
    load->coordinate = coordinate;
    return load;
}

/* ---- springs ---- */

static void read_spring(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j)
{
    bool turning = tn_adm_has(s, "ROTATION");
    double torque = r->force * r->length;
    if (!turning) {
        double unit = r->force / r->length;
        tn_machine_load *load = between(r, s, "spring", i, j, "");
        tn_load_value(r->machine, load, "stiffness", "%.17g", tn_adm_number(r, s, "K", 0) * unit);
        tn_load_value(r->machine, load, "length", "%.17g", tn_adm_number(r, s, "LENGTH", 0) * r->length);
        tn_load_value(r->machine, load, "damping", "%.17g", tn_adm_number(r, s, "C", 0) * unit * r->time);
        tn_load_value(r->machine, load, "preload", "%.17g", -tn_adm_number(r, s, "FORCE", 0) * r->force);
        return;
    }
    adm_coordinate c = tn_adm_coordinate(r, i->id, j->id, true);
    if (c.joint < 0) {
        left_out(r, s, "the z axes of its markers are not parallel");
        return;
    }
    tn_machine_load *load = along(r, s, "torsion-spring", c.joint, c.name);
    tn_load_value(r->machine, load, "stiffness", "%.17g", tn_adm_number(r, s, "KT", 0) * torque);
    tn_load_value(r->machine, load, "rest", "%.17g", c.sign * tn_adm_number(r, s, "ANGLE", 0));
    tn_load_value(r->machine, load, "damping", "%.17g", tn_adm_number(r, s, "CT", 0) * torque * r->time);
    tn_load_value(r->machine, load, "preload", "%.17g", -c.sign * tn_adm_number(r, s, "TORQUE", 0) * torque);
}

static void read_bushing(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j)
{
    static const char *const keys[4] = { "K", "KT", "C", "CT" };
    double v[4][3] = { { 0 } }, preload[3] = { 0 }, unit = r->force / r->length, torque = r->force * r->length;
    for (int k = 0; k < 4; k++)
        tn_adm_numbers(r, s, keys[k], v[k], 3);
    tn_machine_load *load = between(r, s, "bushing", i, j, "");
    tn_load_value(r->machine, load, "stiffness", "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", v[0][0] * unit, v[0][1] * unit,
                  v[0][2] * unit, v[1][0] * torque, v[1][1] * torque, v[1][2] * torque);
    tn_load_value(r->machine, load, "damping", "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", v[2][0] * unit * r->time,
                  v[2][1] * unit * r->time, v[2][2] * unit * r->time, v[3][0] * torque * r->time, v[3][1] * torque * r->time,
                  v[3][2] * torque * r->time);
    tn_adm_numbers(r, s, "FORCE", preload, 3);
    if (tn_norm3(preload) > 0 || tn_adm_get(s, "TORQUE"))
        tn_machine_leave_out(r->machine, s->place, "preloads of bushings (FORCE, TORQUE)");
}

/* A beam of LENGTH along x from J to I: a bushing with the stiffness matrix of Timoshenko's beam about its straight form. */
static void read_beam(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j)
{
    double L = tn_adm_number(r, s, "LENGTH", 0) * r->length, A = tn_adm_number(r, s, "AREA", 0) * r->length * r->length;
    double fourth = pow(r->length, 4), modulus = r->force / (r->length * r->length);
    double E = tn_adm_number(r, s, "EMODULUS", 0) * modulus, G = tn_adm_number(r, s, "GMODULUS", 0) * modulus;
    double Ix = tn_adm_number(r, s, "IXX", 0) * fourth, Iy = tn_adm_number(r, s, "IYY", 0) * fourth;
    double Iz = tn_adm_number(r, s, "IZZ", 0) * fourth, ratio = tn_adm_number(r, s, "CRATIO", 0) * r->time;
    if (!(L > 0 && A > 0 && E > 0 && G > 0)) {
        ADM_ERROR(r, s->place, "BEAM '%s': LENGTH, AREA, EMODULUS and GMODULUS must be positive", s->name);
        return;
    }
    double y = 12 * E * Iz * tn_adm_number(r, s, "ASY", 0) / (G * A * L * L), z = 12 * E * Iy * tn_adm_number(r, s, "ASZ", 0) /
               (G * A * L * L);
    double K[6][6] = { { 0 } };
    K[0][0] = E * A / L;
    K[1][1] = 12 * E * Iz / (L * L * L * (1 + y));
    K[1][5] = K[5][1] = -6 * E * Iz / (L * L * (1 + y));
    K[2][2] = 12 * E * Iy / (L * L * L * (1 + z));
    K[2][4] = K[4][2] = 6 * E * Iy / (L * L * (1 + z));
    K[3][3] = G * Ix / L;
    K[4][4] = (4 + z) * E * Iy / (L * (1 + z));
    K[5][5] = (4 + y) * E * Iz / (L * (1 + y));
    tn_machine_load *load = between(r, s, "bushing", i, j, "");
    tn_pose end = tn_pose_identity();
    end.p[0] = L;
    load->frame1 = tn_pose_compose(&j->pose, &end);
    for (int damping = 0; damping < 2; damping++) {
        const char *rows = "";
        for (int k = 0; k < 6; k++) {
            double f = damping ? ratio : 1;
            rows = tn_machine_text(r->machine, "%s%s[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", rows, k > 0 ? ", " : "",
                                   f * K[k][0], f * K[k][1], f * K[k][2], f * K[k][3], f * K[k][4], f * K[k][5]);
        }
        if (!damping || ratio > 0)
            tn_load_value(r->machine, load, damping ? "damping" : "stiffness", "[%s]", rows);
    }
    if (tn_adm_get(s, "CMATRIX"))
        tn_machine_leave_out(r->machine, s->place, "CMATRIX of beams");
    tn_machine_note_add(r->machine, TN_NOTE, s->place, "BEAM '%s' is a bushing with the beam's stiffness, for small deflections",
                        s->name);
}

/* ---- forces by functions ---- */

/* The expression of an argument times a unit; NULL with a note when it has no counterpart. "0" where it is not given. */
static const char *component(adm_reader *r, const adm_statement *s, const char *key, double unit, const char *name)
{
    char why[160] = "";
    const char *law = tn_adm_get(s, key), *expression = law ? tn_adm_expression(r, law, why) : NULL;
    if (law && !expression)
        left_out(r, s, why);
    return expression ? tn_machine_text(r->machine, "%.17g %s * (%s)", unit, name, expression) : law ? NULL : "0";
}

/* A direction in the world times an expression. */
static void add_directed(adm_reader *r, tn_machine_load *load, const double axis[3], const char *value)
{
    tn_load_value(r->machine, load, "value", "[\"%.17g * (%s)\", \"%.17g * (%s)\", \"%.17g * (%s)\"]", axis[0], value, axis[1],
                  value, axis[2], value);
}

/* Acts on I alone, along the z axis of J. */
static void read_action(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j, bool turning,
                        const char *value)
{
    static const double z[3] = { 0, 0, 1 };
    double axis[3];
    if (j->body == i->body) {
        tn_machine_load *load = between(r, s, turning ? "follower-torque" : "follower-force", i, NULL, "");
        tn_quat_rotate(axis, j->pose.q, z);
        tn_pose at = i->pose;
        memcpy(at.q, j->pose.q, sizeof at.q);      /* the axes of J at the point of I */
        load->frame2 = at;
        tn_load_value(r->machine, load, "value", "[0, 0, \"%s\"]", value);
    } else if (j->body == TN_GROUND) {
        tn_machine_load *load = between(r, s, turning ? "torque" : "force", i, NULL, "");
        tn_quat_rotate(axis, j->pose.q, z);
        add_directed(r, load, axis, value);
    } else {
        left_out(r, s, "its direction turns with a third part");
    }
}

static void read_single(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j)
{
    bool turning = tn_adm_has(s, "ROTATION");
    double unit = turning ? r->force * r->length : r->force;
    const char *value = component(r, s, "FUNCTION", unit, turning ? "N m" : "N");
    if (!value)
        return;
    if (tn_adm_has(s, "ACTIONONLY")) {
        read_action(r, s, i, j, turning, value);
        return;
    }
    if (!turning) {
        tn_pose a = tn_adm_world(r, i), b = tn_adm_world(r, j);
        double d[3];
        tn_sub3(d, a.p, b.p);
        if (tn_norm3(d) == 0)
            tn_machine_note_add(r->machine, TN_WARNING, s->place, "SFORCE '%s' acts along the line between its markers, and the markers "
                                "coincide: it has no direction, and is 0 until they part", s->name);
        tn_load_value(r->machine, between(r, s, "actuator", i, j, ""), "value", "\"%s\"", value);
        return;
    }
    adm_coordinate c = tn_adm_coordinate(r, i->id, j->id, true);
    if (c.joint < 0)
        left_out(r, s, "the z axes of its markers are not parallel");
    else
        tn_load_value(r->machine, along(r, s, "motor", c.joint, c.name), "value", "\"%d * (%s)\"", c.sign > 0 ? 1 : -1, value);
}

/* FX, FY, FZ or TX, TY, TZ along axes of marker RM. */
static void read_vector(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j, bool torque)
{
    static const char *const keys[2][3] = { { "FX", "FY", "FZ" }, { "TX", "TY", "TZ" } };
    const adm_marker *rm = tn_adm_get(s, "RM") ? tn_adm_marker(r, s, "RM") : NULL;
    const char *c[3];
    double R[3][3];
    bool any = false;
    for (int k = 0; k < 3; k++) {
        any = any || tn_adm_get(s, keys[torque][k]);
        c[k] = component(r, s, keys[torque][k], torque ? r->force * r->length : r->force, torque ? "N m" : "N");
        if (!c[k])
            return;
    }
    if (!any)
        return;
    bool own = rm && rm->body == i->body;
    if (rm && rm->body != TN_GROUND && !own) {
        left_out(r, s, "its axes (RM) turn with a third part");
        return;
    }
    const char *type = own ? (torque ? "follower-torque" : "follower-force") : torque ? "torque" : "force";
    tn_machine_load *load = between(r, s, type, i, j, s->keyword[0] == 'G' && torque ? "torque" : "");
    if (own) {
        memcpy(load->frame2.q, rm->pose.q, sizeof load->frame2.q);
        tn_load_value(r->machine, load, "value", "[\"%s\", \"%s\", \"%s\"]", c[0], c[1], c[2]);
        return;
    }
    tn_quat_matrix(R, rm ? rm->pose.q : tn_pose_identity().q);
    tn_load_value(r->machine, load, "value", "[\"%.17g * (%s) + %.17g * (%s) + %.17g * (%s)\", \"%.17g * (%s) + %.17g * (%s) + "
                  "%.17g * (%s)\", \"%.17g * (%s) + %.17g * (%s) + %.17g * (%s)\"]", R[0][0], c[0], R[0][1], c[1], R[0][2], c[2],
                  R[1][0], c[0], R[1][1], c[1], R[1][2], c[2], R[2][0], c[0], R[2][1], c[1], R[2][2], c[2]);
}

void tn_adm_force(adm_reader *r, const adm_statement *s)
{
    bool vector = s->keyword[0] == 'V' || s->keyword[0] == 'G';
    const adm_marker *i = tn_adm_marker(r, s, "I");
    const adm_marker *j = !vector ? tn_adm_marker(r, s, "J") : tn_adm_get(s, "JFLOAT") ? tn_adm_marker(r, s, "JFLOAT") : NULL;
    if (!i || (!vector && !j))
        return;
    if (vector) {
        read_vector(r, s, i, j, strcmp(s->keyword, "VTORQUE") == 0);
        if (s->keyword[0] == 'G')
            read_vector(r, s, i, j, true);
    } else if (tn_adm_is(s->keyword, "SPRINGDAMPER"))
        read_spring(r, s, i, j);
    else if (tn_adm_is(s->keyword, "BUSHING"))
        read_bushing(r, s, i, j);
    else if (tn_adm_is(s->keyword, "BEAM"))
        read_beam(r, s, i, j);
    else
        read_single(r, s, i, j);
}
