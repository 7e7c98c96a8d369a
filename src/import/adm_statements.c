/* Statements of a dataset by the objects of a command file of Adams View. */
#include "adm_commands.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- places ---- */

/* The pose of a part or marker in the world, in lengths of the file. */
static tn_pose pose_of(adm_commands *c, const cmd_object *o, int depth)
{
    tn_pose own = tn_pose_identity(), base = tn_pose_identity();
    double angles[3] = { 0 };
    const char *frame = tn_cmd_get(o, "relative_to") ? tn_cmd_plain(c, tn_cmd_get(o, "relative_to")) : o->frame;
    cmd_object *in = strcmp(frame, "ground") == 0 || !frame[0] ? NULL : tn_cmd_find(c, frame);
    if (depth > 100) {
        ADM_ERROR(c->reader, tn_cmd_place(c, o->line), "'%s' is placed relative to itself", o->shown);
        return own;
    }
    if (o->id == 1)
        return own;
    tn_cmd_numbers(c, o, "location", own.p, 3, false);
    if (tn_cmd_numbers(c, o, "orientation", angles, 3, true))
        tn_euler_quat(own.q, angles, "zxz");
    if (in && in != o)
        base = pose_of(c, in, depth + 1);
    return tn_pose_compose(&base, &own);
}

static bool is_part(const cmd_object *o)
{
    return strncmp(o->kind, "part rigid_body", 15) == 0 || strncmp(o->kind, "part point_mass", 15) == 0;
}

/* The part of a marker: its name up to the last dot. NULL with an error. */
static cmd_object *part_of(adm_commands *c, const cmd_object *marker)
{
    const char *dot = strrchr(marker->name, '.');
    const char *name = dot ? tn_machine_text(c->reader->machine, "%.*s", (int)(dot - marker->name), marker->name) : "ground";
    cmd_object *part = tn_cmd_find(c, name);
    if (!part || strncmp(part->kind, "part", 4) != 0) {
        ADM_ERROR(c->reader, tn_cmd_place(c, marker->line), "marker '%s': there is no part '%s'", marker->shown, name);
        return NULL;
    }
    if (!is_part(part)) {
        ADM_ERROR(c->reader, tn_cmd_place(c, part->line), "'%s' is a flexible body or something else that is not rigid (%s): such parts are "
                  "not understood", part->shown, part->kind);
        return NULL;
    }
    return part;
}

/* ---- statements ---- */

/* A statement of the dataset with the name in a comment above it. */
static void begin_statement(adm_commands *c, const cmd_object *o, const char *keyword)
{
    while (c->line_count + 3 >= c->line_capacity) {
        int more = c->line_capacity ? 2 * c->line_capacity : 256;
        int *list = tn_arena_alloc(c->reader->machine->arena, (size_t)more, sizeof *list);
        if (!list) {
            c->reader->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (c->line_count > 0)
            memcpy(list, c->lines, (size_t)c->line_count * sizeof *list);
        c->lines = list;
        c->line_capacity = more;
    }
    for (int k = 0; k < 2; k++)
        c->lines[c->line_count++] = o->line;
    tn_text_add(&c->text, "\n! adams_view_name='%s'\n%s/%d", o->shown, keyword, o->id);
}

/* ", KEY = text" of a value, if it is there and no expression. */
static void add_value(adm_commands *c, const cmd_object *o, const char *key, const char *as)
{
    const char *text = tn_cmd_get(o, key);
    if (text && text[0] && text[0] != '(')
        tn_text_add(&c->text, ", %s = %s", as, text);
}

/* ", KEY = number" of another object. */
static void add_reference(adm_commands *c, const cmd_object *o, const char *key, const char *as)
{
    const char *name = tn_cmd_get(o, key);
    cmd_object *other = name ? tn_cmd_find(c, name) : NULL;
    if (name && !other)
        ADM_ERROR(c->reader, tn_cmd_place(c, o->line), "'%s': %s: there is no '%s'", o->shown, key, name);
    if (other)
        tn_text_add(&c->text, ", %s = %d", as, other->id);
}

/* A function with the numbers of objects, and the values of design variables, instead of their names. */
static void add_function(adm_commands *c, const cmd_object *o, const char *key, const char *as)
{
    const char *at = tn_cmd_get(o, key);
    if (!at || !at[0])
        return;
    tn_text_add(&c->text, ", %s = ", as);
    while (*at) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || (at[length] == '.' && !isdigit((unsigned char)at[0])))
            length++;
        bool word = length > 0 && !isdigit((unsigned char)at[0]) && at[length] != '(';
        const cmd_object *other = word ? tn_cmd_find(c, tn_machine_text(c->reader->machine, "%.*s", (int)length, at)) : NULL;
        const char *value = other && strcmp(other->kind, "variable") == 0 ? tn_cmd_get(other, "real_value") : NULL;
        if (other && !value && strcmp(other->kind, "variable") == 0)
            value = tn_cmd_get(other, "integer_value");
        length = length > 0 ? length : 1;
        if (value && value[0] != '(')
            tn_text_add(&c->text, "(%s)", value);
        else if (other && strcmp(other->kind, "variable") != 0)
            tn_text_add(&c->text, "%d", other->id);
        else
            tn_text_add(&c->text, "%.*s", (int)length, at);
        at += length;
    }
}

static void write_part(adm_commands *c, const cmd_object *o)
{
    static const char *const velocities[] = { "vx", "vy", "vz", "wx", "wy", "wz" };
    static const char *const inertia[] = { "ixx", "iyy", "izz", "ixy", "izx", "iyz" };
    begin_statement(c, o, strstr(o->kind, "point_mass") ? "POINT_MASS" : "PART");
    if (o->id == 1) {
        tn_text_add(&c->text, ", GROUND");
        return;
    }
    tn_pose pose = pose_of(c, o, 0);
    double axes[2][3];
    static const double unit[2][3] = { { 0, 0, 1 }, { 1, 0, 0 } };
    for (int k = 0; k < 2; k++) {
        tn_quat_rotate(axes[k], pose.q, unit[k]);
        tn_add3(axes[k], axes[k], pose.p);
    }
    tn_text_add(&c->text, ", QG = %.17g, %.17g, %.17g", pose.p[0], pose.p[1], pose.p[2]);
    if (pose.q[1] != 0 || pose.q[2] != 0 || pose.q[3] != 0)
        tn_text_add(&c->text, ", ZG = %.17g, %.17g, %.17g, XG = %.17g, %.17g, %.17g", axes[0][0], axes[0][1], axes[0][2], axes[1][0],
                    axes[1][1], axes[1][2]);
    add_value(c, o, "mass", "MASS");
    add_reference(c, o, "center_of_mass_marker", "CM");
    add_reference(c, o, "inertia_marker", "IM");
    if (tn_cmd_get(o, "ixx"))
        tn_text_add(&c->text, ", IP = ");
    for (int k = 0; k < 6 && tn_cmd_get(o, "ixx"); k++)
        tn_text_add(&c->text, "%s%s", k > 0 ? ", " : "", tn_cmd_get(o, inertia[k]) && tn_cmd_get(o, inertia[k])[0] != '(' ? tn_cmd_get(o, inertia[k]) : "0");
    for (int k = 0; k < 6; k++)
        add_value(c, o, velocities[k], k < 3 ? (const char *[]){ "VX", "VY", "VZ" }[k] : (const char *[]){ "WX", "WY", "WZ" }[k - 3]);
    add_reference(c, o, "vm", "VM");
    add_reference(c, o, "wm", "WM");
}

static void write_marker(adm_commands *c, const cmd_object *o)
{
    const cmd_object *part = part_of(c, o);
    if (!part)
        return;
    tn_pose world = pose_of(c, o, 0), body = pose_of(c, part, 0), pose = tn_pose_relative(&body, &world);
    double axes[2][3];
    static const double unit[2][3] = { { 0, 0, 1 }, { 1, 0, 0 } };
    begin_statement(c, o, "MARKER");
    tn_text_add(&c->text, ", PART = %d", part->id);
    if (!tn_cmd_get(o, "relative_to") && strcmp(o->frame, part->name) == 0) {
        tn_cmd_numbers(c, o, "location", pose.p, 3, false);
        tn_text_add(&c->text, ", QP = %.17g, %.17g, %.17g", pose.p[0], pose.p[1], pose.p[2]);
        double angles[3] = { 0 };
        if (tn_cmd_numbers(c, o, "orientation", angles, 3, true))
            tn_text_add(&c->text, ", REULER = %.17g, %.17g, %.17g", angles[0], angles[1], angles[2]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        tn_quat_rotate(axes[k], pose.q, unit[k]);
        tn_add3(axes[k], axes[k], pose.p);
    }
    tn_text_add(&c->text, ", QP = %.17g, %.17g, %.17g, ZP = %.17g, %.17g, %.17g, XP = %.17g, %.17g, %.17g", pose.p[0], pose.p[1], pose.p[2],
                axes[0][0], axes[0][1], axes[0][2], axes[1][0], axes[1][1], axes[1][2]);
}

static void write_ends(adm_commands *c, const cmd_object *o)
{
    add_reference(c, o, "i_marker_name", "I");
    add_reference(c, o, "j_marker_name", "J");
}

static void write_joint(adm_commands *c, const cmd_object *o)
{
    bool primitive = strncmp(o->kind, "constraint primitive_joint", 26) == 0;
    if (!tn_cmd_get(o, "i_marker_name") || !tn_cmd_get(o, "j_marker_name")) {
        ADM_ERROR(c->reader, tn_cmd_place(c, o->line), "'%s' is placed without markers: export the model as a dataset (.adm)", o->shown);
        return;
    }
    begin_statement(c, o, primitive ? "JPRIM" : "JOINT");
    tn_text_add(&c->text, ", %s", tn_cmd_last(o->kind));
    write_ends(c, o);
    add_value(c, o, "pitch", "PITCH");
    add_value(c, o, "diameter_of_pitch", "PD");
    const char *const starts[][2] = { { "translational_ic", "ICTRAN" }, { "rotational_ic", "ICROT" } };
    for (size_t k = 0; k < TN_LENGTH(starts); k++)
        add_value(c, o, starts[k][0], starts[k][1]);
}

/* Numbers of the joints that a value lists. */
static void add_joints(adm_commands *c, const cmd_object *o)
{
    const char *at = tn_cmd_get(o, "joint_name");
    const char *key = ", JOINTS = ";
    while (at && *at) {
        size_t length = strcspn(at, ",");
        const cmd_object *joint = tn_cmd_find(c, tn_machine_text(c->reader->machine, "%.*s", (int)length, at));
        if (joint)
            tn_text_add(&c->text, "%s%d", key, joint->id);
        key = ", ";
        at += length + (at[length] == ',');
    }
}

static void write_motion(adm_commands *c, const cmd_object *o)
{
    const char *kind = tn_cmd_get(o, "type_of_freedom"), *axis = tn_cmd_get(o, "axis"), *order = tn_cmd_get(o, "time_derivative");
    begin_statement(c, o, "MOTION");
    if (kind)
        tn_text_add(&c->text, ", %s", strncasecmp(kind, "rot", 3) == 0 ? "ROTATION" : "TRANSLATION");
    add_reference(c, o, "joint_name", "JOINT");
    write_ends(c, o);
    if (axis)
        tn_text_add(&c->text, ", %s", strcasecmp(axis, "b3") == 0 ? "B3" : axis);
    if (order && strcasecmp(order, "displacement") != 0)
        tn_text_add(&c->text, ", %s", strcasecmp(order, "velocity") == 0 ? "VELOCITY" : "ACCELERATION");
    add_function(c, o, "function", "FUNCTION");
}

/* Three numbers of a stiffness or damping about axes, per radian. */
static void add_turning(adm_commands *c, const cmd_object *o, const char *key, const char *as, int n)
{
    double v[3] = { 0 }, unit = c->degrees ? 180 / acos(-1.0) : 1;
    if (!tn_cmd_get(o, key) || !tn_cmd_numbers(c, o, key, v, n, false))
        return;
    tn_text_add(&c->text, ", %s = %.17g", as, v[0] * unit);
    for (int k = 1; k < n; k++)
        tn_text_add(&c->text, ", %.17g", v[k] * unit);
}

static void write_spring(adm_commands *c, const cmd_object *o)
{
    bool turning = strcmp(tn_cmd_last(o->kind), "rotational_spring_damper") == 0;
    begin_statement(c, o, "SPRINGDAMPER");
    tn_text_add(&c->text, ", %s", turning ? "ROTATION" : "TRANSLATION");
    write_ends(c, o);
    if (turning) {
        add_turning(c, o, "stiffness", "KT", 1);
        add_turning(c, o, "damping", "CT", 1);
        double angle;
        if (tn_cmd_get(o, "displacement_at_preload") && tn_cmd_numbers(c, o, "displacement_at_preload", &angle, 1, true))
            tn_text_add(&c->text, ", ANGLE = %.17g", angle);
        add_value(c, o, "preload", "TORQUE");
        return;
    }
    add_value(c, o, "stiffness", "K");
    add_value(c, o, "damping", "C");
    add_value(c, o, "displacement_at_preload", "LENGTH");
    add_value(c, o, "preload", "FORCE");
}

static void write_bushing(adm_commands *c, const cmd_object *o)
{
    static const double none[3] = { 0, 0, 0 };
    double preload[3] = { 0 };
    begin_statement(c, o, "BUSHING");
    write_ends(c, o);
    add_value(c, o, "stiffness", "K");
    add_value(c, o, "damping", "C");
    add_turning(c, o, "tstiffness", "KT", 3);
    add_turning(c, o, "tdamping", "CT", 3);
    if (tn_cmd_get(o, "force_preload") && tn_cmd_numbers(c, o, "force_preload", preload, 3, false) && memcmp(preload, none, sizeof none) != 0)
        add_value(c, o, "force_preload", "FORCE");
    memset(preload, 0, sizeof preload);
    if (tn_cmd_get(o, "torque_preload") && tn_cmd_numbers(c, o, "torque_preload", preload, 3, false) && memcmp(preload, none, sizeof none) != 0)
        add_value(c, o, "torque_preload", "TORQUE");
}

static void write_beam(adm_commands *c, const cmd_object *o)
{
    static const char *const keys[][2] = { { "length", "LENGTH" }, { "area_of_cross_section", "AREA" }, { "y_shear_area_ratio", "ASY" },
                                           { "z_shear_area_ratio", "ASZ" }, { "youngs_modulus", "EMODULUS" }, { "shear_modulus", "GMODULUS" },
                                           { "ixx", "IXX" }, { "iyy", "IYY" }, { "izz", "IZZ" }, { "damping_ratio", "CRATIO" } };
    begin_statement(c, o, "BEAM");
    write_ends(c, o);
    for (size_t k = 0; k < TN_LENGTH(keys); k++)
        add_value(c, o, keys[k][0], keys[k][1]);
}

static void write_vector(adm_commands *c, const cmd_object *o, const char *keyword)
{
    static const char *const keys[][2] = { { "x_force_function", "FX" }, { "y_force_function", "FY" }, { "z_force_function", "FZ" },
                                           { "x_torque_function", "TX" }, { "y_torque_function", "TY" }, { "z_torque_function", "TZ" } };
    begin_statement(c, o, keyword);
    add_reference(c, o, "i_marker_name", "I");
    add_reference(c, o, "j_floating_marker_name", "JFLOAT");
    add_reference(c, o, "ref_marker_name", "RM");
    for (size_t k = 0; k < TN_LENGTH(keys); k++)
        add_function(c, o, keys[k][0], keys[k][1]);
}

static void write_single_force(adm_commands *c, const cmd_object *o)
{
    const char *kind = tn_cmd_get(o, "type_of_freedom"), *action = tn_cmd_get(o, "action_only");
    begin_statement(c, o, "SFORCE");
    tn_text_add(&c->text, ", %s", kind && strncasecmp(kind, "rot", 3) == 0 ? "ROTATION" : "TRANSLATION");
    if (action && strcasecmp(action, "on") == 0)
        tn_text_add(&c->text, ", ACTIONONLY");
    write_ends(c, o);
    add_function(c, o, "function", "FUNCTION");
}

static void write_units(adm_commands *c, const cmd_object *o)
{
    static const char *const keys[][2] = { { "length", "LENGTH" }, { "mass", "MASS" }, { "force", "FORCE" }, { "time", "TIME" } };
    static const char *const words[][2] = { { "km", "KILOMETER" }, { "kg_force", "KILOGRAM_FORCE" }, { "lbf", "POUND_FORCE" },
                                            { "lbm", "POUND_MASS" }, { "m", "METER" }, { "ms", "MILLISECOND" } };
    begin_statement(c, o, "UNITS");
    for (size_t k = 0; k < TN_LENGTH(keys); k++) {
        const char *text = tn_cmd_get(o, keys[k][0]);
        for (size_t i = 0; text && i < TN_LENGTH(words); i++)
            text = strcasecmp(text, words[i][0]) == 0 ? words[i][1] : text;
        if (text)
            tn_text_add(&c->text, ", %s = %s", keys[k][1], text);
    }
}

void tn_cmd_write(adm_commands *c, const cmd_object *o)
{
    const char *kind = o->kind;
    if (o->off && (strncmp(kind, "constraint", 10) == 0 || strncmp(kind, "force", 5) == 0)) {
        tn_machine_leave_out(c->reader->machine, tn_cmd_place(c, o->line), "what is not active (%s)", kind);
    } else if (strcmp(kind, "units") == 0) {
        write_units(c, o);
    } else if (is_part(o)) {
        write_part(c, o);
    } else if (strcmp(kind, "marker") == 0) {
        write_marker(c, o);
    } else if (strncmp(kind, "constraint joint ", 17) == 0 || strncmp(kind, "constraint primitive_joint ", 27) == 0) {
        write_joint(c, o);
    } else if (strcmp(kind, "constraint complex_joint coupler") == 0) {
        begin_statement(c, o, "COUPLER");
        add_joints(c, o);
        add_value(c, o, "motion_multipliers", "SCALES");
    } else if (strcmp(kind, "constraint complex_joint gear") == 0) {
        begin_statement(c, o, "GEAR");
        add_joints(c, o);
        add_reference(c, o, tn_cmd_get(o, "common_velocity_marker") ? "common_velocity_marker" : "common_velocity_marker_name", "CV");
    } else if (strcmp(kind, "constraint motion_generator") == 0) {
        write_motion(c, o);
    } else if (strcmp(kind, "force direct single_component_force") == 0) {
        write_single_force(c, o);
    } else if (strcmp(kind, "force direct force_vector") == 0) {
        write_vector(c, o, "VFORCE");
    } else if (strcmp(kind, "force direct torque_vector") == 0) {
        write_vector(c, o, "VTORQUE");
    } else if (strcmp(kind, "force direct general_force") == 0) {
        write_vector(c, o, "GFORCE");
    } else if (strstr(kind, "_spring_damper")) {
        write_spring(c, o);
    } else if (strcmp(kind, "force element_like bushing") == 0) {
        write_bushing(c, o);
    } else if (strcmp(kind, "force element_like beam") == 0) {
        write_beam(c, o);
    } else if (strcmp(kind, "force body gravitational") == 0) {
        begin_statement(c, o, "ACCGRAV");
        add_value(c, o, "x_component_gravity", "IGRAV");
        add_value(c, o, "y_component_gravity", "JGRAV");
        add_value(c, o, "z_component_gravity", "KGRAV");
    } else if (strcmp(kind, "data_element variable") == 0 && tn_cmd_get(o, "function")) {
        begin_statement(c, o, "VARIABLE");
        add_function(c, o, "function", "FUNCTION");
    } else if (strcmp(kind, "data_element spline") == 0 && tn_cmd_get(o, "x") && tn_cmd_get(o, "y")) {
        begin_statement(c, o, "SPLINE");
        add_value(c, o, "x", "X");
        add_value(c, o, "y", "Y");
    } else if (strncmp(kind, "part ", 5) == 0 || strncmp(kind, "constraint ", 11) == 0 || strncmp(kind, "force ", 6) == 0) {
        tn_machine_note_add(c->reader->machine, TN_WARNING, tn_cmd_place(c, o->line), "'%s' (%s) has no counterpart: left out", o->shown, kind);
    }
}
