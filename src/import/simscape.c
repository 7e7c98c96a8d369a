/* Simscape Multibody import XML 2.0, as SolidWorks, Inventor, Creo and Onshape write it: a tree of instances, mates or
 * joints, and mass properties of the CAD system. */
#include "source.h"

#include "combine.h"
#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>
#include <strings.h>

/* An assembly as it occurs: the root, or an instance of one. */
typedef struct occurrence {
    const tn_xml *assembly;    /* with its <Constraints> and <Joints>; NULL: none */
    const char *path, *uid;    /* of instances, "a/b"; "" for the root; uid of the assembly itself */
    int frame;                 /* the body that its own frame is part of */
} occurrence;

typedef struct simscape_reader {
    tn_machine *machine;
    const tn_source_files *files;
    double length, mass;       /* m and kg of the file's units */
    tn_name_index *parts, *assemblies, *bodies;
    const tn_xml **part_list, **assembly_list;
    size_t part_count, assembly_count;
    occurrence *occurrences;
    size_t occurrence_count, occurrence_capacity;
    size_t leaves;
    bool grounded;             /* something is fixed to the world */
    bool failed;
} simscape_reader;

enum { DEEPEST = 100 };
#define SIMSCAPE_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* Unit names are singular, in any case. */
static double unit_of(simscape_reader *r, const tn_xml *units, const char *attribute, double otherwise)
{
    static const struct { const char *name; double value; } known[] = {
        { "meter", 1 }, { "m", 1 }, { "millimeter", 1e-3 }, { "mm", 1e-3 }, { "centimeter", 1e-2 }, { "cm", 1e-2 },
        { "inch", 0.0254 }, { "in", 0.0254 }, { "foot", 0.3048 }, { "ft", 0.3048 }, { "micrometer", 1e-6 },
        { "kilogram", 1 }, { "kg", 1 }, { "gram", 1e-3 }, { "g", 1e-3 }, { "pound", 0.45359237 }, { "lbm", 0.45359237 },
        { "slug", 14.593902937206364 }, { "tonne", 1000 }, { "milligram", 1e-6 },
    };
    const char *text = units ? tn_xml_get(units, attribute) : NULL;
    for (size_t i = 0; text && i < TN_LENGTH(known); i++)
        if (strcasecmp(text, known[i].name) == 0)
            return known[i].value;
    if (text)
        SIMSCAPE_ERROR(r, units->place, "unit '%s' is not known", text);
    else
        tn_machine_note_add(r->machine, TN_WARNING, units ? units->place : TN_NOWHERE, "DataUnits do not give the %s: %s is "
                            "assumed", attribute, strcmp(attribute, "mass") == 0 ? "kilogram" : "meter");
    return otherwise;
}

static tn_pose read_transform(simscape_reader *r, const tn_xml *owner)
{
    const tn_xml *transform = tn_xml_child(owner, "Transform"), *rotation = tn_xml_child(transform, "Rotation");
    const tn_xml *translation = tn_xml_child(transform, "Translation");
    tn_pose pose = tn_pose_identity();
    double m[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, R[3][3];
    if (rotation)
        tn_source_numbers(r->machine, m, 9, rotation->text, "<Rotation>", rotation->place);
    if (translation)
        tn_source_numbers(r->machine, pose.p, 3, translation->text, "<Translation>", translation->place);
    memcpy(R, m, sizeof R);
    for (int k = 0; k < 3; k++)
        pose.p[k] *= r->length;
    double cross[3];
    tn_cross3(cross, R[0], R[1]);
    if (fabs(tn_dot3(cross, R[2]) - 1) > 1e-3 && rotation) {
        SIMSCAPE_ERROR(r, rotation->place, "<Rotation> is no rotation (determinant %.4g)", tn_dot3(cross, R[2]));
        return pose;
    }
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    tn_quat_normalize(pose.q);
    return pose;
}

static void read_mass(simscape_reader *r, const tn_xml *part, int body)
{
    const tn_xml *properties = tn_xml_child(part, "MassProperties"), *e;
    double mass = 0, com[3] = { 0 }, v[6] = { 0 };
    if (!properties)
        return;
    if ((e = tn_xml_child(properties, "Mass")))
        tn_source_numbers(r->machine, &mass, 1, e->text, "<Mass>", e->place);
    if ((e = tn_xml_child(properties, "CenterOfMass")))
        tn_source_numbers(r->machine, com, 3, e->text, "<CenterOfMass>", e->place);
    if ((e = tn_xml_child(properties, "Inertia")))
        tn_source_numbers(r->machine, v, 6, e->text, "<Inertia>", e->place);
    const double order[6] = { v[0], v[1], v[2], v[5], v[4], v[3] };    /* xx yy zz yz zx xy: entries of the tensor */
    double tensor[6];
    for (int k = 0; k < 6; k++)
        tensor[k] = order[k] * r->mass * r->length * r->length;
    for (int k = 0; k < 3; k++)
        com[k] *= r->length;
    tn_pose none = tn_pose_identity();
    r->machine->bodies[body].mass_source = "mass properties of the file";
    tn_body_add_mass(&r->machine->bodies[body], mass * r->mass, &none, com, tensor);
    /* A ball of iridium has 3.7e5: m / r^3 with its radius of gyration. Long and hollow parts have less. */
    static const double densest = 1e6;         /* kg/m^3 */
    double gyration = mass > 0 ? sqrt((tensor[0] + tensor[1] + tensor[2]) / (2 * mass * r->mass)) : 0;
    if (gyration > 0 && mass * r->mass / (gyration * gyration * gyration) > densest) {
        const char *name = tn_xml_get(part, "name");
        tn_machine_note_add(r->machine, TN_WARNING, part->place, "part '%s' has %.3g kg within about %.2g m: denser than any material; "
                            "is its density set in the CAD system?", name ? name : "", mass * r->mass, gyration);
    }
}

static int fix(simscape_reader *r, int a, int b, const char *source)
{
    tn_machine *machine = r->machine;
    int joint = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_fixed", machine->bodies[b].name), "fixed", a, b,
                                     machine->bodies[b].place);
    if (tn_machine_status(machine) < 0)
        return -1;
    machine->joints[joint].frame1 = tn_pose_relative(&machine->bodies[a].pose, &machine->bodies[b].pose);
    machine->joints[joint].source = source;
    r->grounded = r->grounded || a == TN_GROUND;
    return joint;
}

static void add_occurrence(simscape_reader *r, const tn_xml *assembly, const char *path, const char *uid, int frame)
{
    if (r->occurrence_count == r->occurrence_capacity) {
        size_t more = r->occurrence_capacity ? 2 * r->occurrence_capacity : 16;
        occurrence *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (r->occurrence_count > 0)
            memcpy(list, r->occurrences, r->occurrence_count * sizeof *list);
        r->occurrences = list;
        r->occurrence_capacity = more;
    }
    r->occurrences[r->occurrence_count++] = (occurrence){ assembly, path, uid, frame };
}

static const char *join_path(simscape_reader *r, const char *path, const char *uid)
{
    size_t length = strlen(path) + strlen(uid) + 2;
    char *text = tn_arena_alloc(r->machine->arena, length, 1);
    if (!text)
        return "";
    snprintf(text, length, "%s%s%s", path, path[0] ? "\x1f" : "", uid);
    return text;
}

/* Where an instance stands. */
typedef struct instance_place {
    int frame;                 /* the body of the frame it is in */
    int part;                  /* of the machine: the sub-assembly that is a subsystem */
    bool rigid;                /* inside something rigid */
    const char *path, *shown;  /* for lookups; for people */
    int depth;
} instance_place;

static void read_instances(simscape_reader *r, const tn_xml *parent, const instance_place *at);

static void read_instance(simscape_reader *r, const tn_xml *e, const instance_place *at)
{
    tn_machine *machine = r->machine;
    const char *uid = tn_xml_get(e, "uid"), *name = tn_xml_get(e, "name"), *entity = tn_xml_get(e, "entityUid");
    if (!uid || at->depth > DEEPEST) {
        SIMSCAPE_ERROR(r, e->place, uid ? "instances are nested more than 100 deep" : "<Instance> without uid");
        return;
    }
    name = name ? name : uid;
    int assembly = tn_index_find(r->assemblies, entity), part = tn_index_find(r->parts, entity);
    bool nested = tn_xml_child(e, "Instance") != NULL || (assembly >= 0 && part < 0);
    bool rigid = at->rigid || tn_attribute_bool(e, "rigid", false);
    const char *path = join_path(r, at->path, uid);
    const char *shown = at->shown[0] ? tn_machine_text(machine, "%s/%s", at->shown, name) : name;
    if (nested && !at->rigid)
        rigid = tn_machine_add_assembly(machine, shown, name, rigid);
    int body = tn_machine_add_body(machine, nested && !rigid ? tn_machine_text(machine, "%s_frame", name) : name, e->place);
    if (tn_machine_status(machine) < 0)
        return;
    if (!tn_index_put(r->bodies, path, body))
        SIMSCAPE_ERROR(r, e->place, "instance uid '%s' is there twice in its assembly", uid);
    tn_pose own = read_transform(r, e);
    machine->bodies[body].pose = tn_pose_compose(&machine->bodies[at->frame].pose, &own);
    machine->bodies[body].path = shown;
    machine->bodies[body].part = at->part;
    if (at->rigid || tn_attribute_bool(e, "grounded", false))
        fix(r, at->frame, body, at->rigid ? "rigid sub-assembly" : "grounded");
    if (!nested) {
        r->leaves++;
        if (part >= 0)
            read_mass(r, r->part_list[part], body);
        else
            tn_machine_note_add(machine, TN_WARNING, e->place, "instance '%s': there is no part '%s' in the file", shown,
                                entity ? entity : "");
        return;
    }
    instance_place inside = { body, at->part, rigid, path, shown, at->depth + 1 };
    if (!rigid) {
        inside.part = tn_machine_add_part(machine, name, at->part, &machine->bodies[body].pose);
        machine->bodies[body].part = inside.part;
    }
    add_occurrence(r, assembly >= 0 && !rigid ? r->assembly_list[assembly] : NULL, path, entity ? entity : "", body);
    read_instances(r, e, &inside);
}

/* Instances of one parent; those of one rigidGroup are fixed to each other. */
static void read_instances(simscape_reader *r, const tn_xml *parent, const instance_place *at)
{
    tn_name_index *groups = NULL;
    if (tn_index_create(&groups, r->machine) < 0)
        return;
    for (const tn_xml *e = tn_xml_child(parent, "Instance"); e; e = tn_xml_next(e, "Instance")) {
        const char *group = tn_xml_get(e, "rigidGroup"), *uid = tn_xml_get(e, "uid");
        read_instance(r, e, at);
        int body = uid ? tn_index_find(r->bodies, join_path(r, at->path, uid)) : -1;
        if (!group || body < 0 || tn_machine_status(r->machine) < 0)
            continue;
        int first = tn_index_find(groups, group);
        if (first < 0)
            tn_index_put(groups, group, body);
        else
            fix(r, first, body, "rigid group");
    }
}

/* ---- mates and joints ---- */

/* The body that an <InstancePath> leads to, seen from an assembly; -1 with an error. */
static int follow_path(simscape_reader *r, const tn_xml *owner, const occurrence *in)
{
    const tn_xml *list = tn_xml_child(owner, "InstancePath");
    const char *path = in->path, *last = "";
    size_t count = 0;
    for (const tn_xml *u = tn_xml_child(list, "Uid"); u; u = tn_xml_next(u, "Uid"), count++) {
        path = join_path(r, path, u->text);
        last = u->text;
    }
    int body = tn_index_find(r->bodies, path);
    if (body >= 0)
        return body;
    if (count == 0 || (count == 1 && strcmp(last, in->uid) == 0))
        return in->frame;              /* planes and axes of the assembly itself */
    SIMSCAPE_ERROR(r, list ? list->place : owner->place, "there is no instance '%s' in this assembly", last);
    return -1;
}

static bool read_feature(simscape_reader *r, const tn_xml *geometry, const occurrence *in, tn_mate_feature *out)
{
    const char *type = tn_xml_get(geometry, "geomType");
    const tn_xml *position = tn_xml_child(geometry, "Position"), *direction = tn_xml_child(geometry, "Axis");
    double p[3] = { 0 }, axis[3] = { 0, 0, 1 };
    out->body = follow_path(r, geometry, in);
    if (out->body < 0 || !type)
        return false;
    if (position && position->text[0])
        tn_source_numbers(r->machine, p, 3, position->text, "<Position>", position->place);
    if (direction && direction->text[0])
        tn_source_numbers(r->machine, axis, 3, direction->text, "<Axis>", direction->place);
    for (int k = 0; k < 3; k++)
        p[k] *= r->length;
    bool directed = direction && tn_norm3(axis) > 0;       /* of edges it is as long as the edge */
    if (!directed)
        axis[0] = axis[1] = 0, axis[2] = 1;
    out->frame = tn_pose_z(p, axis);
    if (strcasecmp(type, "plane") == 0 || strcasecmp(type, "face") == 0)
        out->kind = TN_FEATURE_PLANE;
    else if (strcasecmp(type, "circle") == 0 || strcasecmp(type, "arc") == 0)
        out->kind = TN_FEATURE_CIRCLE;
    else if (strcasecmp(type, "point") == 0 || strcasecmp(type, "sphere") == 0 || strcasecmp(type, "vertex") == 0)
        out->kind = TN_FEATURE_POINT;
    else if (directed)
        out->kind = TN_FEATURE_LINE;   /* line, axis, cylinder, cone */
    else
        return false;
    return directed || out->kind == TN_FEATURE_POINT;
}

/* Limit mates of SolidWorks are written as distances and angles with the value of the moment; their ranges are not. What they
 * hold in any case is that the features stay parallel. True: the mate is one. */
static bool read_limit_mate(simscape_reader *r, const tn_xml *e, const char *name, const tn_mate_feature *a, const tn_mate_feature *b)
{
    bool distance = strncasecmp(name, "LimitDistance", 13) == 0 && strcasecmp(e->name, "Distance") == 0;
    bool angle = strncasecmp(name, "LimitAngle", 10) == 0 && strcasecmp(e->name, "Angle") == 0;
    if (!distance && !angle)
        return false;
    if (distance && a->kind != TN_FEATURE_POINT && b->kind != TN_FEATURE_POINT)
        tn_machine_add_mate(r->machine, "parallel", name, a, b, e->place);
    tn_machine_note_add(r->machine, TN_WARNING, e->place, "mate '%s' limits %s, and the format does not hold its range: it is free; "
                        "give the joint limits", name, distance ? "a distance" : "an angle");
    return true;
}

static void read_mate(simscape_reader *r, const tn_xml *e, const occurrence *in)
{
    const char *name = tn_xml_get(e, "name"), *mate = e->name;
    const tn_xml *first = tn_xml_child(e, "ConstraintGeometry");
    const tn_xml *second = first ? tn_xml_next(first, "ConstraintGeometry") : NULL;
    tn_mate_feature a, b;
    name = name && name[0] ? name : mate;
    bool lock = strncasecmp(name, "lock", 4) == 0;
    if (!first || !second) {
        tn_machine_note_add(r->machine, TN_WARNING, e->place, "mate '%s' (%s) is left out: it does not name two features", name,
                            mate);
        return;
    }
    bool known = read_feature(r, first, in, &a), both = read_feature(r, second, in, &b) && known;
    if (r->failed)
        return;
    if (both && read_limit_mate(r, e, name, &a, &b))
        return;
    if (lock && a.body >= 0 && b.body >= 0)
        both = true, mate = "lock";
    if (!both || !tn_machine_add_mate(r->machine, mate, name, &a, &b, e->place))
        tn_machine_note_add(r->machine, TN_WARNING, e->place, "mate '%s' (%s between %s and %s) is not understood: left out, so "
                            "the machine has more freedom than in the CAD system", name, e->name,
                            tn_xml_get(first, "geomType") ? tn_xml_get(first, "geomType") : "?",
                            tn_xml_get(second, "geomType") ? tn_xml_get(second, "geomType") : "?");
}

static void read_joint(simscape_reader *r, const tn_xml *e, const occurrence *in)
{
    static const struct { const char *name, *type, *coordinates[2]; } types[] = {
        { "Weld", "fixed", { NULL } },          { "Revolute", "revolute", { "angle" } },
        { "Prismatic", "prismatic", { "position" } }, { "Slider", "prismatic", { "position" } },
        { "Cylindrical", "cylindrical", { "position", "angle" } }, { "Spherical", "spherical", { NULL } },
        { "Ball", "spherical", { NULL } },      { "Planar", "planar", { NULL } },
        { "PinSlot", "slide-and-turn", { NULL } }, { "SixDof", NULL, { NULL } }, { "Fastened", "fixed", { NULL } },
        { "Parallel", "parallel", { NULL } },
    };
    const tn_xml *base = tn_xml_child(e, "BaseFrame"), *follower = tn_xml_child(e, "FollowerFrame");
    const char *name = tn_xml_get(e, "name");
    name = name && name[0] ? name : e->name;
    for (size_t i = 0; i < TN_LENGTH(types); i++) {
        if (strcasecmp(e->name, types[i].name) != 0 || !base || !follower)
            continue;
        int body1 = follow_path(r, base, in), body2 = follow_path(r, follower, in);
        if (body1 < 0 || body2 < 0 || !types[i].type)
            return;
        int index = tn_machine_add_joint(r->machine, name, types[i].type, body1, body2, e->place);
        if (tn_machine_status(r->machine) < 0)
            return;
        tn_machine_joint *joint = &r->machine->joints[index];
        joint->source = e->name;
        joint->frame1 = read_transform(r, base);
        joint->frame2 = read_transform(r, follower);
        for (int k = 0; k < 2 && types[i].coordinates[k]; k++)
            tn_joint_coordinate(joint, types[i].coordinates[k]);
        return;
    }
    tn_machine_note_add(r->machine, TN_WARNING, e->place, "joint '%s' (%s) is not understood: left out", name, e->name);
}

static void read_constraints(simscape_reader *r)
{
    for (size_t i = 0; i < r->occurrence_count; i++) {
        const occurrence *in = &r->occurrences[i];
        const tn_xml *mates = tn_xml_child(in->assembly, "Constraints"), *joints = tn_xml_child(in->assembly, "Joints");
        for (const tn_xml *e = mates ? mates->first : NULL; e; e = e->next)
            read_mate(r, e, in);
        for (const tn_xml *e = joints ? joints->first : NULL; e; e = e->next)
            read_joint(r, e, in);
    }
}

/* ---- the file ---- */

static int index_list(simscape_reader *r, const tn_xml *list, const char *name, tn_name_index *index, const tn_xml ***out,
                      size_t *count)
{
    size_t total = 0;
    for (const tn_xml *e = tn_xml_child(list, name); e; e = tn_xml_next(e, name))
        total++;
    *out = tn_arena_alloc(r->machine->arena, total + 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    for (const tn_xml *e = tn_xml_child(list, name); e; e = tn_xml_next(e, name)) {
        const char *uid = tn_xml_get(e, "uid");
        if (uid && tn_index_put(index, uid, (int)*count))
            (*out)[(*count)++] = e;
    }
    return TN_OK;
}

/* Where nothing is fixed to the world, the first part is. */
static void hold_base(simscape_reader *r)
{
    tn_machine *machine = r->machine;
    for (size_t i = 0; i < machine->joint_count; i++)
        if (machine->joints[i].body1 == TN_GROUND || machine->joints[i].body2 == TN_GROUND)
            return;
    for (int b = 1; b < (int)machine->body_count && machine->options->base != TN_BASE_FREE; b++)
        if (machine->bodies[b].weighed) {
            fix(r, TN_GROUND, b, "base");
            tn_machine_note_add(machine, TN_NOTE, machine->bodies[b].place, "nothing is grounded in the file: the first part, "
                                "'%s', is fixed to ground; --base=free lets it move", machine->bodies[b].path);
            return;
        }
}

static int read_assembly(simscape_reader *r, const tn_xml *root)
{
    tn_machine *machine = r->machine;
    const tn_xml *top = tn_xml_child(root, "RootAssembly");
    const char *name = top ? tn_xml_get(top, "name") : NULL, *uid = top ? tn_xml_get(top, "uid") : NULL;
    tn_name_index **const indices[] = { &r->parts, &r->assemblies, &r->bodies };
    if (!top)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "there is no <RootAssembly>");
    machine->name = name && name[0] ? name : "assembly";
    machine->gravity[2] = -9.81;
    for (size_t i = 0; i < TN_LENGTH(indices); i++)
        TN_TRY(tn_index_create(indices[i], machine));
    const tn_xml *units = tn_xml_child(root, "DataUnits");
    r->length = unit_of(r, units ? units : tn_xml_child(root, "ModelUnits"), "length", 1);
    r->mass = unit_of(r, units ? units : tn_xml_child(root, "ModelUnits"), "mass", 1);
    TN_TRY(index_list(r, tn_xml_child(root, "Parts"), "Part", r->parts, &r->part_list, &r->part_count));
    TN_TRY(index_list(r, tn_xml_child(root, "Assemblies"), "Assembly", r->assemblies, &r->assembly_list,
                      &r->assembly_count));
    add_occurrence(r, top, "", uid ? uid : "", TN_GROUND);
    instance_place at = { TN_GROUND, -1, false, "", "", 0 };
    const tn_xml *tree = tn_xml_child(top, "InstanceTree");
    read_instances(r, tree ? tree : top, &at);
    TN_TRY(tn_machine_status(machine));
    if (r->leaves == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, top->place, "the assembly has no parts");
    read_constraints(r);
    if (r->failed)
        return TN_ERROR_MODEL;
    TN_TRY(tn_machine_status(machine));
    hold_base(r);
    tn_machine_note_add(machine, TN_NOTE, root->place, "gravity is not in the file: 9.81 m/s^2 along -z; model.yaml may say "
                        "otherwise");
    for (size_t i = 0; i < r->part_count; i++)
        if (tn_xml_child(r->part_list[i], "GeometryFile"))
            tn_machine_leave_out(machine, r->part_list[i]->place, "geometry files (STEP) of parts");
    return tn_machine_combine(machine);
}

static int read_simscape(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    simscape_reader r = { .machine = machine, .files = files };
    tn_xml *root = NULL;
    TN_TRY(tn_xml_parse(&root, machine->arena, machine->context, files->main, data, size));
    const char *version = tn_xml_get(root, "version");
    if (strncmp(root->name, "SimMechanics", 12) == 0 || strncmp(root->name, "PhysicalModelingXMLFile", 23) == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "this is version 1.0 of the format (<%s>): export again "
                       "with a newer plug-in, which writes version 2.0", root->name);
    if (!tn_xml_is(root, "SimscapeMultibodyImportXML"))
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "the root element is <%s>, not "
                       "<SimscapeMultibodyImportXML>", root->name);
    if (version && strtod(version, NULL) >= 3)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "version %s of the format is not known; 2.0 is",
                       version);
    return read_assembly(&r, root);
}

static bool is_simscape(const char *data, size_t size)
{
    (void)size;
    return strstr(data, "<SimscapeMultibodyImportXML") || strstr(data, "<SimMechanicsImportXML") ||
           strstr(data, "<PhysicalModelingXMLFile");
}

const tn_importer tn_importer_simscape = {
    .name = "simscape",
    .endings = ".xml",
    .doc = "Simscape Multibody import XML (SolidWorks, Inventor, Creo, Onshape)",
    .recognises = is_simscape,
    .read = read_simscape,
};
