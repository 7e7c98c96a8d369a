/* URDF: links and joints of a robot as a tree.
 *
 * The frame of a link is that of the joint above it. origin rpy turns about fixed axes x, y, z in this order; the axis of
 * a joint need not be of unit length. A link without inertia is a frame. */
#include "urdf_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

tn_pose tn_urdf_pose(urdf_reader *r, const tn_xml *origin)
{
    tn_pose pose = tn_pose_identity();
    double rpy[3] = { 0 };
    if (!origin)
        return pose;
    tn_attribute_numbers(r->machine, pose.p, 3, origin, "xyz");
    tn_attribute_numbers(r->machine, rpy, 3, origin, "rpy");
    if (tn_xml_get(origin, "quat_xyzw")) {
        double q[4] = { 0, 0, 0, 1 };
        tn_attribute_numbers(r->machine, q, 4, origin, "quat_xyzw");
        const double wxyz[4] = { q[3], q[0], q[1], q[2] };
        memcpy(pose.q, wxyz, sizeof wxyz);
        tn_quat_normalize(pose.q);
    } else if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) {
        tn_euler_quat(pose.q, rpy, "XYZ");
    }
    return pose;
}

static tn_pose read_origin(urdf_reader *r, const tn_xml *owner)
{
    return tn_urdf_pose(r, tn_xml_child(owner, "origin"));
}

static void read_inertial(urdf_reader *r, const tn_xml *link, int body)
{
    const tn_xml *inertial = tn_xml_child(link, "inertial");
    if (!inertial)
        return;
    static const double centre[3] = { 0, 0, 0 };
    static const char *const names[6] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
    tn_pose pose = read_origin(r, inertial);
    double mass = tn_attribute_number(r->machine, tn_xml_child(inertial, "mass"), "value", 0), tensor[6] = { 0 };
    const tn_xml *inertia = tn_xml_child(inertial, "inertia");
    for (int k = 0; inertia && k < 6; k++)
        tensor[k] = tn_attribute_number(r->machine, inertia, names[k], 0);
    r->machine->bodies[body].mass_source = "inertial of the file";
    tn_body_add_mass(&r->machine->bodies[body], mass, &pose, centre, tensor);
}

static void read_mesh_shape(urdf_reader *r, const tn_xml *mesh, const tn_pose *pose, int body, bool collision)
{
    const char *name = tn_xml_get(mesh, "filename"), *path;
    if (!name)
        name = tn_xml_get(mesh, "uri");
    if (!name) {
        URDF_ERROR(r, mesh->place, "<mesh> without filename");
        return;
    }
    path = tn_source_locate(r->files, NULL, name, mesh->place);
    if (!path)
        return;
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, TN_SHAPE_MESH);
    shape->pose = *pose;
    shape->mesh = path;
    shape->collision = collision;
    tn_attribute_scale(r->machine, shape->scale, mesh, "scale");
}

static void read_shape_of(urdf_reader *r, const tn_xml *element, int body, bool collision)
{
    const tn_xml *geometry = tn_xml_child(element, "geometry"), *solid = tn_xml_child(geometry, NULL);
    tn_pose pose = read_origin(r, element);
    if (!solid)
        return;
    if (tn_xml_is(solid, "mesh")) {
        read_mesh_shape(r, solid, &pose, body, collision);
        return;
    }
    bool box = tn_xml_is(solid, "box"), sphere = tn_xml_is(solid, "sphere"), cylinder = tn_xml_is(solid, "cylinder");
    if (!box && !sphere && !cylinder && !tn_xml_is(solid, "capsule")) {
        tn_machine_leave_out(r->machine, solid->place, "shape <%s>", solid->name);
        return;
    }
    double size[3] = { 0 };
    if (box) {
        tn_attribute_numbers(r->machine, size, 3, solid, "size");
    } else {
        size[0] = tn_attribute_number(r->machine, solid, "radius", 0);
        size[1] = tn_attribute_number(r->machine, solid, "length", 0);
    }
    if (size[0] <= 0 || (!sphere && size[1] <= 0) || (box && size[2] <= 0)) {
        tn_machine_leave_out(r->machine, solid->place, "shape <%s> without size", solid->name);
        return;
    }
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, box ? TN_SHAPE_BOX : sphere ? TN_SHAPE_SPHERE
                                                   : cylinder ? TN_SHAPE_CYLINDER : TN_SHAPE_CAPSULE);
    shape->pose = pose;
    shape->collision = collision;
    memcpy(shape->size, size, sizeof size);
}

static void read_link(urdf_reader *r, const tn_xml *link)
{
    const char *name = tn_xml_get(link, "name");
    if (!name || !name[0]) {
        URDF_ERROR(r, link->place, "<link> without a name");
        return;
    }
    int body = tn_machine_add_body(r->machine, name, link->place);
    if (!tn_index_put(r->links, name, body)) {
        URDF_ERROR(r, link->place, "link '%s' is there twice", name);
        return;
    }
    read_inertial(r, link, body);
    for (const tn_xml *child = link->first; child; child = child->next)
        if (tn_xml_is(child, "visual") || tn_xml_is(child, "collision"))
            read_shape_of(r, child, body, tn_xml_is(child, "collision"));
        else if (!tn_xml_is(child, "inertial"))
            tn_machine_leave_out(r->machine, child->place, "<%s> of links", child->name);
    const tn_xml *lateral = tn_xml_child(tn_xml_child(link, "contact"), "lateral_friction");       /* of Bullet */
    for (size_t k = 0; lateral && k < r->machine->bodies[body].shape_count; k++)
        r->machine->bodies[body].shapes[k].friction = tn_attribute_number(r->machine, lateral, "value", NAN);
}

/* The body that <parent link=""> or <child link=""> names; -1 with an error. */
static int end_of(urdf_reader *r, const tn_xml *joint, const char *name, const char *which)
{
    const tn_xml *end = tn_xml_child(joint, which);
    const char *link = end ? tn_xml_get(end, "link") : NULL;
    char hint[160];
    if (!link) {
        URDF_ERROR(r, joint->place, "joint '%s' has no <%s link=\"\">", name, which);
        return -1;
    }
    int body = tn_index_find(r->links, link);
    if (body < 0)
        URDF_ERROR(r, end->place, "joint '%s': there is no link '%s'%s", name, link,
                   tn_index_hint(r->links, link, hint, sizeof hint));
    return body;
}

static const urdf_type urdf_types[] = {
    { "revolute", "revolute", "angle", true },     { "continuous", "revolute", "angle", false },
    { "prismatic", "prismatic", "position", true },{ "fixed", "fixed", NULL, false },
    { "floating", NULL, NULL, false },             { "planar", "planar", NULL, false },
    { "spherical", "spherical", NULL, false },     { "ball", "spherical", NULL, false },
    { "universal", "universal", NULL, false },     { "screw", "screw", "angle", false },
};

const urdf_type *tn_urdf_type(urdf_reader *r, const tn_xml *joint, const char *name)
{
    const char *type = tn_xml_get(joint, "type");
    for (size_t i = 0; type && i < TN_LENGTH(urdf_types); i++)
        if (strcmp(type, urdf_types[i].name) == 0)
            return &urdf_types[i];
    URDF_ERROR(r, joint->place, "joint '%s': type '%s' is none of revolute, continuous, prismatic, fixed, floating, "
               "planar", name, type ? type : "");
    return NULL;
}

static void read_limits(urdf_reader *r, const tn_xml *joint, const urdf_type *type, tn_machine_coordinate *c,
                        const char *name)
{
    const tn_xml *limit = tn_xml_child(joint, "limit"), *dynamics = tn_xml_child(joint, "dynamics");
    if (limit && type->limited) {
        double low = tn_attribute_bound(r->machine, limit, "lower", 0);
        double high = tn_attribute_bound(r->machine, limit, "upper", 0);
        if (low == high)
            tn_machine_note_add(r->machine, TN_WARNING, limit->place, "joint '%s': lower and upper limit are both %g: no "
                                "limits", name, low);
        else if (low > high)
            tn_machine_note_add(r->machine, TN_WARNING, limit->place, "joint '%s': its lower limit %g is above the upper one "
                                "%g: no limits", name, low, high);
        else {
            c->low = low;
            c->high = high;
        }
    } else if (type->limited) {
        tn_machine_note_add(r->machine, TN_NOTE, joint->place, "joint '%s' has no <limit>: it moves without end", name);
    }
    if (limit && tn_xml_get(limit, "effort"))
        tn_machine_leave_out(r->machine, limit->place, "effort and velocity bounds of joints (they bound controllers)");
    if (dynamics) {
        c->damping = tn_attribute_number(r->machine, dynamics, "damping", 0);
        c->friction = tn_attribute_number(r->machine, dynamics, "friction", 0);
    }
}

/* Counts the elements of a joint that have no counterpart. */
static void count_rest(urdf_reader *r, const tn_xml *joint)
{
    static const char *const known[] = { "parent", "child", "origin", "axis", "limit", "dynamics", "mimic",
                                         "screw_thread_pitch" };
    for (const tn_xml *e = joint->first; e; e = e->next) {
        bool fine = false;
        for (size_t i = 0; i < TN_LENGTH(known); i++)
            fine = fine || tn_xml_is(e, known[i]);
        if (!fine)
            tn_machine_leave_out(r->machine, e->place, "<%s> of joints", e->name);
    }
}

/* Frames of a joint at places on its bodies: z along <axis>; universal joints of Drake turn about x of the parent and y of the
 * child. */
void tn_urdf_frames(urdf_reader *r, const tn_xml *element, const char *name, tn_machine_joint *joint, const tn_pose *place1,
                    const tn_pose *place2)
{
    static const double origin[3] = { 0, 0, 0 };
    static const double arm1[4] = { 0.5, 0.5, 0.5, 0.5 };                              /* z along x, x along y */
    static const double arm2[4] = { 0.70710678118654752, -0.70710678118654752, 0, 0 }; /* z along y */
    double axis[3] = { 1, 0, 0 };
    const tn_xml *pitch = tn_xml_child(element, "screw_thread_pitch");
    bool turned = strcmp(joint->type, "fixed") != 0 && strcmp(joint->type, "free") != 0 && strcmp(joint->type, "spherical") != 0;
    tn_attribute_numbers(r->machine, axis, 3, tn_xml_child(element, "axis"), "xyz");
    tn_pose turn1 = tn_pose_identity(), turn2 = turn1;
    if (strcmp(joint->type, "universal") == 0) {
        memcpy(turn1.q, arm1, sizeof arm1);
        memcpy(turn2.q, arm2, sizeof arm2);
    } else if (turned && !(tn_norm3(axis) > 1e-12)) {
        URDF_ERROR(r, element->place, "joint '%s': its axis has no direction", name);
        return;
    } else if (turned) {
        turn1 = turn2 = tn_pose_z(origin, axis);
    }
    joint->frame1 = tn_pose_compose(place1, &turn1);
    joint->frame2 = tn_pose_compose(place2, &turn2);
    if (strcmp(joint->type, "screw") == 0)
        tn_joint_setting(joint, "lead", pitch ? tn_attribute_number(r->machine, pitch, "value", 0) : 0);
}

static void read_joint(urdf_reader *r, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    if (!name || !name[0]) {
        URDF_ERROR(r, element->place, "<joint> without a name");
        return;
    }
    const urdf_type *type = tn_urdf_type(r, element, name);
    count_rest(r, element);
    int parent = end_of(r, element, name, "parent"), child = end_of(r, element, name, "child");
    if (!type || parent < 0 || child < 0)
        return;
    if (r->parents[child] >= 0) {
        URDF_ERROR(r, element->place, "link '%s' is the child of two joints, '%s' and '%s'; URDF describes trees",
                   r->machine->bodies[child].name, r->machine->joints[r->parents[child]].name, name);
        return;
    }
    int index = tn_machine_add_joint(r->machine, name, type->type ? type->type : "free", parent, child, element->place);
    if (!tn_index_put(r->joints, name, index))
        URDF_ERROR(r, element->place, "joint '%s' is there twice", name);
    if (r->machine->joint_count == 0)
        return;
    r->parents[child] = index;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = type->name;
    tn_pose none = tn_pose_identity(), place = read_origin(r, element);
    tn_urdf_frames(r, element, name, joint, &place, &none);
    if (type->coordinate)
        read_limits(r, element, type, tn_joint_coordinate(joint, type->coordinate), name);
}

static void read_mimic(urdf_reader *r, const tn_xml *element)
{
    const tn_xml *mimic = tn_xml_child(element, "mimic");
    const char *name = tn_xml_get(element, "name"), *other = mimic ? tn_xml_get(mimic, "joint") : NULL;
    int index = tn_index_find(r->joints, name), leader = tn_index_find(r->joints, other);
    char hint[160];
    if (!mimic || index < 0)
        return;
    if (leader < 0 || leader == index) {
        URDF_ERROR(r, mimic->place, "joint '%s' mimics '%s', which is no other joint%s", name, other ? other : "",
                   other ? tn_index_hint(r->joints, other, hint, sizeof hint) : "");
        return;
    }
    tn_machine_joint *a = &r->machine->joints[index], *b = &r->machine->joints[leader];
    if (a->coordinate_count == 0 || b->coordinate_count == 0) {
        tn_machine_leave_out(r->machine, mimic->place, "<mimic> of joints without one coordinate");
        return;
    }
    double factor = tn_attribute_number(r->machine, mimic, "multiplier", 1);
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, tn_machine_text(r->machine, "%s_mimic", name),
                                                            mimic->place);
    coupling->source = "mimic";
    coupling->offset = tn_attribute_number(r->machine, mimic, "offset", 0);
    tn_coupling_term_add(coupling, index, a->coordinates[0].name, 1);
    tn_coupling_term_add(coupling, leader, b->coordinates[0].name, -factor);
}

/* Poses from the root down, and the root itself. Without recursion: a body is placed when its parent is. */
static void place_links(urdf_reader *r)
{
    tn_machine *machine = r->machine;
    int root = -1, *next = tn_arena_alloc(machine->arena, machine->body_count + 1, sizeof *next);
    int *first = tn_arena_alloc(machine->arena, machine->body_count + 1, sizeof *first);
    int *queue = tn_arena_alloc(machine->arena, machine->body_count + 1, sizeof *queue), head = 0, tail = 0;
    if (!next || !first || !queue)
        return;
    for (int b = (int)machine->body_count - 1; b > 0; b--) {
        if (r->parents[b] >= 0) {
            int above = machine->joints[r->parents[b]].body1;
            next[b] = first[above];
            first[above] = b;
        }
    }
    for (int b = 1; b < (int)machine->body_count; b++)
        if (r->parents[b] < 0) {
            if (root >= 0)
                URDF_ERROR(r, machine->bodies[b].place, "link '%s' is a second root beside '%s': a joint between them is "
                           "missing", machine->bodies[b].name, machine->bodies[root].name);
            else
                root = b;
        }
    if (root < 0) {
        URDF_ERROR(r, machine->bodies[1].place, "the links form a circle: none of them is the root");
        return;
    }
    for (queue[tail++] = root; head < tail; head++)
        for (int b = first[queue[head]]; b > 0; b = next[b]) {
            const tn_machine_joint *joint = &machine->joints[r->parents[b]];
            tn_pose none = tn_pose_identity(), back = tn_pose_relative(&joint->frame2, &none);
            tn_pose at = tn_pose_compose(&machine->bodies[queue[head]].pose, &joint->frame1);
            machine->bodies[b].pose = tn_pose_compose(&at, &back);
            queue[tail++] = b;
        }
    if (tail + 1 < (int)machine->body_count && !r->failed)
        URDF_ERROR(r, machine->bodies[1].place, "some links form a circle that the root '%s' does not reach",
                   machine->bodies[root].name);
    bool frame = machine->bodies[root].mass == 0 || strcmp(machine->bodies[root].name, "world") == 0;
    if (machine->options->base == TN_BASE_FREE && !frame)
        return;
    tn_machine_add_joint(machine, tn_machine_text(machine, "%s_base", machine->bodies[root].name), "fixed", TN_GROUND, root,
                         machine->bodies[root].place);
    if (machine->options->base == TN_BASE_AUTO && !frame)
        tn_machine_note_add(machine, TN_NOTE, machine->bodies[root].place, "the root '%s' is fixed to ground; --base=free "
                            "lets it move", machine->bodies[root].name);
}

/* Free joints have told the tree what hangs where; they hold nothing. */
static void drop_free_joints(tn_machine *machine)
{
    for (size_t i = 0; i < machine->joint_count; i++)
        if (strcmp(machine->joints[i].type, "free") == 0) {
            machine->joints[i].dropped = true;
            machine->joints[i].type = "fixed";
            machine->joints[i].source = "floating: bodies move freely";
        }
}

/* Elements whose content does not count here: what xacro has left in them does no harm. */
static bool is_aside(const tn_xml *e)
{
    static const char *const aside[] = { "gazebo", "transmission", "ros2_control", "plugin", "sensor" };
    bool xacro = strcmp(e->space, "xacro") == 0;
    for (size_t i = 0; !xacro && i < TN_LENGTH(aside); i++)
        if (tn_xml_is(e, aside[i]))
            return true;
    return xacro && (tn_xml_is(e, "property") || tn_xml_is(e, "arg"));
}

/* Whether the element defines macros, or fetches their definitions. */
static bool defines_macros(const tn_xml *e)
{
    return strcmp(e->space, "xacro") == 0 && (tn_xml_is(e, "macro") || tn_xml_is(e, "include"));
}

/* Whether something of xacro is in the element that has to be evaluated. "$(find package)" is a folder and is not. */
static bool wants_xacro(const tn_xml *e)
{
    if (strcmp(e->space, "xacro") == 0)
        return true;
    for (const tn_xml_attribute *a = e->attributes; a; a = a->next)
        if (strstr(a->value, "${") || strstr(a->value, "$(arg ") || strstr(a->value, "$(eval "))
            return true;
    return false;
}

/* The first element below the given one that fits; elements whose content does not count are passed over. */
static tn_xml *find_element(tn_xml *element, bool (*fits)(const tn_xml *))
{
    tn_xml *at = element;
    while (at) {
        bool aside = is_aside(at);
        if (!aside && fits(at))
            return at;
        if (at->first && !aside) {
            at = at->first;
            continue;
        }
        while (at != element && !at->next)
            at = at->parent;
        at = at == element ? NULL : at->next;
    }
    return NULL;
}

static bool is_call(const tn_xml *e)
{
    static const char *const words[] = { "if", "unless", "insert_block", "element", "attribute", "call" };
    bool call = strcmp(e->space, "xacro") == 0 && !defines_macros(e) && !is_aside(e);
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        call = call && !tn_xml_is(e, words[i]);
    return call;
}

/* Takes away calls of macros that xacro has left in its result because it knew no such macro; ROS passes over them as well. */
static void drop_left_calls(tn_machine *machine, tn_xml *root)
{
    if (find_element(root, defines_macros))
        return;
    for (tn_xml **link = &root->first; *link; ) {
        tn_xml *e = *link;
        if (!is_call(e)) {
            link = &e->next;
            continue;
        }
        tn_machine_note_add(machine, TN_WARNING, e->place, "<xacro:%s> calls a macro that the file does not have: left out", e->name);
        *link = e->next;
        for (root->last = root->first; root->last && root->last->next; )
            root->last = root->last->next;
    }
}

/* Simulators know a link 'world' that files hang their robots on without declaring it. */
static void add_world(urdf_reader *r, const tn_xml *root)
{
    for (const tn_xml *e = tn_xml_child(root, "joint"); e; e = tn_xml_next(e, "joint")) {
        const tn_xml *parent = tn_xml_child(e, "parent");
        const char *link = parent ? tn_xml_get(parent, "link") : NULL;
        if (!link || strcmp(link, "world") != 0 || tn_index_find(r->links, link) >= 0)
            continue;
        tn_index_put(r->links, link, tn_machine_add_body(r->machine, link, parent->place));
        tn_machine_note_add(r->machine, TN_NOTE, parent->place, "there is no link 'world': it is taken for ground");
    }
}

static int read_robot(urdf_reader *r, const tn_xml *root)
{
    tn_machine *machine = r->machine;
    const char *name = tn_xml_get(root, "name");
    machine->name = name && name[0] ? name : "robot";
    TN_TRY(tn_index_create(&r->links, machine));
    TN_TRY(tn_index_create(&r->joints, machine));
    for (const tn_xml *e = root->first; e; e = e->next)
        if (tn_xml_is(e, "link"))
            read_link(r, e);
    add_world(r, root);
    r->parents = tn_arena_alloc(machine->arena, machine->body_count, sizeof *r->parents);
    TN_TRY(tn_machine_status(machine));
    memset(r->parents, 0xff, machine->body_count * sizeof *r->parents);
    for (const tn_xml *e = tn_xml_child(root, "joint"); e; e = tn_xml_next(e, "joint"))
        read_joint(r, e);
    for (const tn_xml *e = root->first; e; e = e->next)
        if (!tn_xml_is(e, "link") && !tn_xml_is(e, "joint") && !tn_xml_is(e, "material") && !tn_urdf_extension(r, e))
            tn_machine_leave_out(machine, e->place, "<%s%s%s>", e->space, e->space[0] ? ":" : "", e->name);
    for (const tn_xml *e = tn_xml_child(root, "joint"); e; e = tn_xml_next(e, "joint"))
        read_mimic(r, e);
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "the robot has no links");
    place_links(r);
    drop_free_joints(machine);
    if (!r->failed)
        tn_urdf_close_loops(r, root);
    tn_machine_lift(machine, "gravity of the link");
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static bool is_robot(const tn_xml *e)
{
    return tn_xml_is(e, "robot");
}

/* Some programs wrap the robot into elements of their own. */
static int find_robot(tn_xml **robot, tn_machine *machine, tn_xml *root)
{
    *robot = find_element(root, is_robot);
    if (!*robot)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "the root element is <%s>, not <robot>", root->name);
    if (*robot == root)
        return TN_OK;
    for (const tn_xml *e = (*robot)->next; e; e = e->next)
        if (is_robot(e))
            return tn_fail(machine->context, TN_ERROR_MODEL, e->place, "a second <robot> in <%s>: put each into a file of its own",
                           (*robot)->parent->name);
    tn_machine_note_add(machine, TN_WARNING, root->place, "the root element is <%s>, not <robot>: the robot within it is taken, all else "
                        "left out", root->name);
    return TN_OK;
}

static int read_urdf(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    urdf_reader r = { .machine = machine, .files = files };
    tn_xml *root = NULL;
    TN_TRY(tn_xml_parse(&root, machine->arena, machine->context, files->main, data, size));
    TN_TRY(find_robot(&root, machine, root));
    drop_left_calls(machine, root);
    const tn_xml *xacro = find_element(root, wants_xacro);
    if (xacro)
        return tn_fail(machine->context, TN_ERROR_MODEL, xacro->place, "this is a xacro file: run 'xacro %s > robot.urdf' "
                       "first and import the result", files->main);
    machine->gravity[2] = -9.81;
    return read_robot(&r, root);
}

static bool is_urdf(const char *data, size_t size)
{
    (void)size;
    return strstr(data, "<robot") != NULL;
}

const tn_importer tn_importer_urdf = {
    .name = "urdf",
    .endings = ".urdf .xacro .xml",
    .doc = "Unified Robot Description Format (ROS)",
    .recognises = is_urdf,
    .read = read_urdf,
};
