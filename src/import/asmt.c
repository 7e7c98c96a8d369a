/* Ondsel .asmt: a tree of words by tabs, with parts, markers, joints, motions and, after a simulation, time series. */
#include "source.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <ctype.h>
#include <stdlib.h>

enum { DEEPEST = 40, MOST_LINES = 2000000 };

/* A line of the file, with those that are one tab further in. */
typedef struct asmt_node asmt_node;
struct asmt_node {
    const char *text;
    int line;
    asmt_node *first, *last, *next;
};

typedef struct asmt_reader {
    tn_machine *machine;
    const tn_source_files *files;
    asmt_node *root;
    tn_name_index *markers, *joints;   /* by path: "/Assembly1/Part1/Marker1" */
    tn_pose *marker_poses;
    int *marker_bodies;
    size_t marker_count, marker_capacity;
    bool failed;
} asmt_reader;

static tn_span place_of(const asmt_reader *r, const asmt_node *node)
{
    return (tn_span){ r->files->main, node->line, 1 };
}

#define ASMT_ERROR(r, node, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place_of(r, node), __VA_ARGS__))

/* ---- the tree ---- */

static asmt_node *add_node(asmt_reader *r, asmt_node *parent, const char *text, size_t length, int line)
{
    asmt_node *node = tn_arena_alloc(r->machine->arena, 1, sizeof *node);
    char *copy = node ? tn_arena_strndup(r->machine->arena, text, length) : NULL;
    if (!copy)
        return NULL;
    *node = (asmt_node){ .text = copy, .line = line };
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return node;
}

static int parse_lines(asmt_reader *r, const char *data, size_t size)
{
    asmt_node *open[DEEPEST + 1] = { NULL };
    int line = 0, depth = 0;
    open[0] = r->root = add_node(r, NULL, "", 0, 1);
    for (const char *at = data, *stop = data + size; at < stop && r->root; ) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        const char *begin = at;
        int level = 0;
        while (begin < end && *begin == '\t')
            begin++, level++;
        const char *last = end;
        while (last > begin && isspace((unsigned char)last[-1]))
            last--;
        tn_span place = { r->files->main, ++line, 1 };
        if (line > MOST_LINES)
            return tn_fail(r->machine->context, TN_ERROR_MODEL, place, "more than %d lines", MOST_LINES);
        if (last > begin) {
            if (level >= DEEPEST || level > depth)
                return tn_fail(r->machine->context, TN_ERROR_MODEL, place, "a line that is indented %d tabs below nothing",
                               level);
            open[level + 1] = add_node(r, open[level], begin, (size_t)(last - begin), line);
            if (!open[level + 1])
                return TN_ERROR_MEMORY;
            depth = level + 1;
        }
        at = end + 1;
    }
    return r->root ? TN_OK : TN_ERROR_MEMORY;
}

static asmt_node *child(const asmt_node *node, const char *name)
{
    asmt_node *c = node ? node->first : NULL;
    while (c && strcmp(c->text, name) != 0)
        c = c->next;
    return c;
}

/* The text of the first line below a word; NULL: none. */
static const char *value(const asmt_node *node, const char *name)
{
    const asmt_node *c = child(node, name);
    return c && c->first ? c->first->text : NULL;
}

static double number(asmt_reader *r, const asmt_node *node, const char *name, double otherwise)
{
    const asmt_node *c = child(node, name);
    if (c && c->first)
        tn_source_numbers(r->machine, &otherwise, 1, c->first->text, name, place_of(r, c->first));
    return otherwise;
}

static void vector(asmt_reader *r, const asmt_node *node, const char *name, double out[3])
{
    const asmt_node *c = child(node, name);
    if (c && c->first)
        tn_source_numbers(r->machine, out, 3, c->first->text, name, place_of(r, c->first));
}

static tn_pose pose_of(asmt_reader *r, const asmt_node *node)
{
    tn_pose pose = tn_pose_identity();
    double R[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const asmt_node *matrix = child(node, "RotationMatrix"), *row = matrix ? matrix->first : NULL;
    vector(r, node, "Position3D", pose.p);
    for (int k = 0; k < 3 && row; k++, row = row->next)
        tn_source_numbers(r->machine, R[k], 3, row->text, "RotationMatrix", place_of(r, row));
    double cross[3];
    tn_cross3(cross, R[0], R[1]);
    if (fabs(tn_dot3(cross, R[2]) - 1) > 1e-3) {
        ASMT_ERROR(r, matrix ? matrix : node, "RotationMatrix is no rotation");
        return pose;
    }
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    tn_quat_normalize(pose.q);
    return pose;
}

/* ---- parts ---- */

static void read_markers(asmt_reader *r, const asmt_node *owner, const char *path, int body)
{
    const asmt_node *points = child(owner, "RefPoints");
    for (const asmt_node *p = points ? points->first : NULL; p; p = p->next) {
        const asmt_node *markers = child(p, "Markers");
        tn_pose at = pose_of(r, p);
        for (const asmt_node *m = markers ? markers->first : NULL; m; m = m->next) {
            tn_pose own = pose_of(r, m);
            const char *name = value(m, "Name");
            if (r->marker_count == r->marker_capacity) {
                size_t more = r->marker_capacity ? 2 * r->marker_capacity : 64;
                tn_pose *poses = tn_arena_alloc(r->machine->arena, more, sizeof *poses);
                int *bodies = tn_arena_alloc(r->machine->arena, more, sizeof *bodies);
                if (!poses || !bodies)
                    return;
                if (r->marker_count > 0) {
                    memcpy(poses, r->marker_poses, r->marker_count * sizeof *poses);
                    memcpy(bodies, r->marker_bodies, r->marker_count * sizeof *bodies);
                }
                r->marker_poses = poses;
                r->marker_bodies = bodies;
                r->marker_capacity = more;
            }
            r->marker_poses[r->marker_count] = tn_pose_compose(&at, &own);
            r->marker_bodies[r->marker_count] = body;
            tn_index_put(r->markers, tn_machine_text(r->machine, "%s/%s", path, name ? name : ""), (int)r->marker_count++);
        }
    }
}

static void read_part(asmt_reader *r, const asmt_node *part, const char *assembly)
{
    static const double centre[3] = { 0, 0, 0 };
    const char *name = value(part, "Name");
    const asmt_node *mass = child(part, "PrincipalMassMarker");
    name = name ? name : "part";
    int body = tn_machine_add_body(r->machine, name, place_of(r, part));
    if (tn_machine_status(r->machine) < 0)
        return;
    const char *path = tn_machine_text(r->machine, "%s/%s", assembly, name);
    r->machine->bodies[body].path = path;
    r->machine->bodies[body].pose = pose_of(r, part);
    if (mass) {
        double tensor[6] = { 0 };
        tn_pose pose = pose_of(r, mass);
        vector(r, mass, "MomentOfInertias", tensor);
        r->machine->bodies[body].mass_source = "principal mass marker of the file";
        tn_body_add_mass(&r->machine->bodies[body], number(r, mass, "Mass", 0), &pose, centre, tensor);
    }
    tn_machine_body *b = &r->machine->bodies[body];
    vector(r, part, "Velocity3D", b->velocity);
    vector(r, part, "Omega3D", b->angular_velocity);
    b->moving = tn_norm3(b->velocity) > 1e-30 || tn_norm3(b->angular_velocity) > 1e-30;
    read_markers(r, part, path, body);
}

/* ---- joints and motions ---- */

typedef struct asmt_type {
    const char *name, *type, *coordinate;
    const char *field, *setting;       /* number of the file, and where it goes */
} asmt_type;

static const asmt_type asmt_types[] = {
    { "FixedJoint", "fixed", NULL, NULL, NULL },
    { "RevoluteJoint", "revolute", "angle", NULL, NULL },
    { "TranslationalJoint", "prismatic", "position", NULL, NULL },
    { "CylindricalJoint", "cylindrical", "angle", NULL, NULL },
    { "SphericalJoint", "spherical", NULL, NULL, NULL },
    { "PlanarJoint", "planar", NULL, "offset", NULL },
    { "UniversalJoint", "universal", NULL, NULL, NULL },
    { "ConstantVelocityJoint", "constant-velocity", NULL, NULL, NULL },
    { "ScrewJoint", "screw", "angle", "pitch", "lead" },
    { "PointInPlaneJoint", "point-on-plane", NULL, "offset", NULL },
    { "PointInLineJoint", "point-on-line", NULL, NULL, NULL },
    { "LineInPlaneJoint", "line-in-plane", NULL, "offset", NULL },
    { "ParallelAxesJoint", "parallel", NULL, NULL, NULL },
    { "PerpendicularJoint", "perpendicular", NULL, NULL, NULL },
    { "NoRotationJoint", "no-rotation", NULL, NULL, NULL },
    { "SphSphJoint", "rod", NULL, "distanceIJ", "length" },
    { "CylSphJoint", "touch-line", NULL, "distanceIJ", "radius" },
    { "RevCylJoint", "parallel-at-distance", NULL, "distanceIJ", "distance" },
    { "AngleJoint", "axis-angle", NULL, "theIzJz", "cosine" },
};

static int find_marker(asmt_reader *r, const asmt_node *joint, const char *which)
{
    const char *path = value(joint, which);
    char hint[160];
    int marker = tn_index_find(r->markers, path);
    if (marker < 0)
        ASMT_ERROR(r, joint, "%s: there is no marker '%s'%s", which, path ? path : "",
                   path ? tn_index_hint(r->markers, path, hint, sizeof hint) : "");
    return marker;
}

static void shift_along_z(tn_pose *frame, double offset)
{
    double axis[3];
    static const double z[3] = { 0, 0, 1 };
    tn_quat_rotate(axis, frame->q, z);
    tn_axpy3(frame->p, offset, axis);
}

static void read_joint(asmt_reader *r, const asmt_node *e, const char *assembly)
{
    const char *name = value(e, "Name");
    const asmt_type *type = NULL;
    for (size_t i = 0; i < TN_LENGTH(asmt_types); i++)
        if (strcmp(e->text, asmt_types[i].name) == 0)
            type = &asmt_types[i];
    if (!type) {
        tn_machine_note_add(r->machine, TN_WARNING, place_of(r, e), "joint '%s' (%s) is not understood: left out",
                            name ? name : "", e->text);
        return;
    }
    int a = find_marker(r, e, "MarkerI"), b = find_marker(r, e, "MarkerJ");
    if (a < 0 || b < 0)
        return;
    int index = tn_machine_add_joint(r->machine, name ? name : e->text, type->type, r->marker_bodies[a], r->marker_bodies[b],
                                     place_of(r, e));
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = e->text;
    joint->frame1 = r->marker_poses[a];
    joint->frame2 = r->marker_poses[b];
    if (type->coordinate)
        tn_joint_coordinate(joint, type->coordinate);
    double given = type->field ? number(r, e, type->field, 0) : 0;
    if (strcmp(type->type, "axis-angle") == 0)
        given = cos(given);
    if (type->setting)
        tn_joint_setting(joint, type->setting, given);
    else if (given != 0)
        shift_along_z(&joint->frame1, given);      /* the plane is that far along the axis of marker I */
    tn_index_put(r->joints, tn_machine_text(r->machine, "%s/%s", assembly, joint->name), index);
}

/* "2.0d*pi*time" as an expression of Tenon. */
static const char *expression(asmt_reader *r, const char *text)
{
    char *out = tn_arena_alloc(r->machine->arena, 2 * strlen(text) + 3, 1), *to = out;
    if (!out)
        return "0";
    for (const char *at = text; *at; ) {
        if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            char *end;
            strtod(at, &end);
            memcpy(to, at, (size_t)(end - at));
            to += end - at;
            at = end + ((*end == 'd' || *end == 'D') && !isalnum((unsigned char)end[1]) ? 1 : 0);
        } else if (strncmp(at, "time", 4) == 0 && (at == text || !isalnum((unsigned char)at[-1])) &&
                   !isalnum((unsigned char)at[4])) {
            *to++ = 't';
            at += 4;
        } else {
            *to++ = *at++;
        }
    }
    return out;
}

static void read_motion(asmt_reader *r, const asmt_node *e)
{
    bool turning = strcmp(e->text, "RotationalMotion") == 0;
    const char *name = value(e, "Name"), *path = value(e, "MotionJoint");
    const char *law = value(e, turning ? "RotationZ" : "TranslationZ");
    int joint = tn_index_find(r->joints, path);
    if (!law || joint < 0 || (!turning && strcmp(e->text, "TranslationalMotion") != 0)) {
        tn_machine_note_add(r->machine, TN_WARNING, place_of(r, e), "motion '%s' (%s) is not understood: left out",
                            name ? name : "", e->text);
        return;
    }
    const char *type = r->machine->joints[joint].type;
    tn_machine_load *drive = tn_machine_add_load(r->machine, name ? name : "motion", NULL, place_of(r, e));
    drive->source = e->text;
    drive->joint = joint;
    drive->coordinate = turning ? "angle" : "position";
    if (strcmp(type, "revolute") != 0 && strcmp(type, "prismatic") != 0 && strcmp(type, "cylindrical") != 0 &&
        strcmp(type, "screw") != 0)
        tn_machine_note_add(r->machine, TN_WARNING, place_of(r, e), "motion '%s' drives a joint of type %s", drive->name, type);
    tn_load_value(r->machine, drive, drive->coordinate, "\"%s\"", expression(r, law));
}

/* Gears and racks: couplings of the joints that hold the two parts. */
static void read_gear(asmt_reader *r, const asmt_node *e)
{
    const char *name = value(e, "Name");
    tn_machine_note_add(r->machine, TN_WARNING, place_of(r, e), "joint '%s' (%s) couples two parts through teeth: add a gear or "
                        "rack-and-pinion between the joints that hold them", name ? name : "", e->text);
}

/* ---- results ---- */

/* Time series of parts: what the file says about its own solution. */
static void read_series(asmt_reader *r)
{
    const asmt_node *start = child(r->root, "TimeSeries");
    enum { MOST_TIMES = 20000 };
    double *times = NULL;
    int count = 0, body = -1;
    for (const asmt_node *e = start; e; e = e->next) {
        const char *tab = strchr(e->text, '\t');
        if (!tab)
            continue;
        size_t length = (size_t)(tab - e->text);
        if (length == 4 && strncmp(e->text, "Time", 4) == 0 && !times) {
            const char *list = strstr(tab, "Input") ? strstr(tab, "Input") + 5 : tab;
            times = tn_arena_alloc(r->machine->arena, MOST_TIMES, sizeof *times);
            count = times ? tn_parse_numbers(times, MOST_TIMES, list) : 0;
            int rising = 1;
            while (rising < count && times[rising] > times[rising - 1])
                rising++;
            count = count > 0 && count <= MOST_TIMES ? rising : 0;
        } else if (length == 10 && strncmp(e->text, "PartSeries", 10) == 0) {
            body = -1;
            for (size_t b = 1; b < r->machine->body_count; b++)
                if (strcmp(r->machine->bodies[b].path, tab + 1) == 0)
                    body = (int)b;
        } else if (length == 1 && e->text[0] >= 'X' && e->text[0] <= 'Z' && body > 0 && count > 1) {
            double *values = tn_arena_alloc(r->machine->arena, (size_t)count + 1, sizeof *values);
            int found = values ? tn_parse_numbers(values, count + 1, tab) : 0;
            if (found > count)
                tn_machine_add_series(r->machine, body, e->text[0] - 'X', times, values + 1, (size_t)count);
        }
    }
}

static void read_sets(asmt_reader *r, const asmt_node *assembly, const char *path)
{
    const asmt_node *sets = child(assembly, "ConstraintSets"), *joints = child(sets, "Joints");
    const asmt_node *motions = child(sets, "Motions"), *forces = child(assembly, "ForceTorques");
    const asmt_node *limits = child(sets, "Limits");
    for (const asmt_node *e = joints ? joints->first : NULL; e; e = e->next) {
        if (strcmp(e->text, "GearJoint") == 0 || strcmp(e->text, "RackPinionJoint") == 0)
            read_gear(r, e);
        else
            read_joint(r, e, path);
    }
    for (const asmt_node *e = motions ? motions->first : NULL; e; e = e->next)
        read_motion(r, e);
    for (const asmt_node *e = forces ? forces->first : NULL; e; e = e->next)
        tn_machine_leave_out(r->machine, place_of(r, e), "forces (%s)", e->text);
    for (const asmt_node *e = limits ? limits->first : NULL; e; e = e->next)
        tn_machine_leave_out(r->machine, place_of(r, e), "limits (%s)", e->text);
}

static int read_assembly(asmt_reader *r)
{
    tn_machine *machine = r->machine;
    const asmt_node *assembly = child(r->root, "Assembly"), *parameters = child(assembly, "SimulationParameters");
    const asmt_node *parts = child(assembly, "Parts"), *gravity = child(assembly, "ConstantGravity");
    if (!assembly)
        return tn_fail(machine->context, TN_ERROR_MODEL, ((tn_span){ r->files->main, 1, 1 }), "there is no 'Assembly' in it");
    const char *name = value(assembly, "Name");
    machine->name = name ? name : "assembly";
    const char *path = tn_machine_text(machine, "/%s", machine->name);
    read_markers(r, assembly, path, TN_GROUND);
    for (const asmt_node *p = parts ? parts->first : NULL; p; p = p->next)
        if (strcmp(p->text, "Part") == 0)
            read_part(r, p, path);
        else
            tn_machine_leave_out(machine, place_of(r, p), "%s", p->text);
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, place_of(r, assembly), "the assembly has no parts");
    read_sets(r, assembly, path);
    if (gravity && gravity->first)
        tn_source_numbers(machine, machine->gravity, 3, gravity->first->text, "ConstantGravity", place_of(r, gravity));
    machine->until = number(r, parameters, "tend", NAN) - number(r, parameters, "tstart", 0);
    if (!(machine->until > 0))
        machine->until = NAN;
    tn_machine_note_add(machine, TN_NOTE, place_of(r, assembly), "units are not in the file: m, kg and s are assumed");
    read_series(r);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_asmt(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    asmt_reader r = { .machine = machine, .files = files };
    TN_TRY(tn_index_create(&r.markers, machine));
    TN_TRY(tn_index_create(&r.joints, machine));
    TN_TRY(parse_lines(&r, data, size));
    return read_assembly(&r);
}

static bool is_asmt(const char *data, size_t size)
{
    return size > 20 && (strncmp(data, "OndselSolver", 12) == 0 || strncmp(data, "freeCAD: 3D CAD", 15) == 0 ||
                         strncmp(data, "Assembly\n", 9) == 0);
}

const tn_importer tn_importer_asmt = {
    .name = "asmt",
    .endings = ".asmt",
    .doc = "Ondsel solver assembly",
    .recognises = is_asmt,
    .read = read_asmt,
};
