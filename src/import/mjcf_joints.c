/* Joints of MJCF. Several joints in one body compose: where together they are one joint of Tenon (universal, spherical,
 * planar, cylindrical, free) they become that; otherwise bodies without mass stand between them. */
#include "mjcf_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

enum { MOST_PARTS = 8 };
static const double PERPENDICULAR = 1e-9, SAME_POINT = 1e-12;  /* cosine; m */

typedef struct joint_part {
    const tn_xml *element;
    char kind;                 /* h hinge, s slide, b ball, f free */
    double anchor[3], axis[3]; /* in the body's frame; unit vector */
    double ref;
    int body;
} joint_part;

static bool read_part(mjcf_reader *r, joint_part *out, const tn_xml *element, int body)
{
    const char *type = tn_xml_get(element, "type");
    *out = (joint_part){ .element = element, .kind = 'h', .axis = { 0, 0, 1 }, .body = body };
    if (tn_xml_is(element, "freejoint") || (type && strcmp(type, "free") == 0))
        out->kind = 'f';
    else if (type && strcmp(type, "slide") == 0)
        out->kind = 's';
    else if (type && strcmp(type, "ball") == 0)
        out->kind = 'b';
    else if (type && strcmp(type, "hinge") != 0) {
        MJCF_ERROR(r, element->place, "joint type '%s' is none of hinge, slide, ball, free", type);
        return false;
    }
    tn_attribute_numbers(r->machine, out->anchor, 3, element, "pos");
    tn_attribute_numbers(r->machine, out->axis, 3, element, "axis");
    double length = tn_norm3(out->axis);
    if (!(length > 1e-10)) {
        MJCF_ERROR(r, element->place, "<joint> axis has no direction");
        return false;
    }
    for (int k = 0; k < 3; k++)
        out->axis[k] /= length;
    out->ref = tn_attribute_number(r->machine, element, "ref", 0) * (out->kind == 'h' ? r->angle : 1);
    return true;
}

/* Notes the joint of the file under its name, as a coordinate of a joint of the machine. */
static void register_joint(mjcf_reader *r, const joint_part *part, int joint, const char *coordinate, double sign,
                           double shift)
{
    static const char *const bounds[2] = { "actuatorfrcrange", "actuatorforcerange" };     /* the second before version 3.0 */
    const char *name = tn_xml_get(part->element, "name");
    if (!name || !tn_mjcf_grow(r, &r->joints, &r->joint_capacity, r->joint_count, sizeof *r->joints))
        return;
    r->joints[r->joint_count] = (mjcf_joint){ .joint = joint, .coordinate = coordinate, .sign = sign, .ref = part->ref,
                                              .shift = shift, .hinge = part->kind == 'h' };
    mjcf_joint *entry = &r->joints[r->joint_count];
    const char *limit = tn_xml_get(part->element, bounds[0]) ? bounds[0] : bounds[1];
    if (!tn_mjcf_range(r, part->element, limit == bounds[0] ? "actuatorfrclimited" : "actuatorforcelimited", limit, entry->efforts))
        memset(entry->efforts, 0, sizeof entry->efforts);
    entry->body = part->body;
    memcpy(entry->anchor, part->anchor, sizeof entry->anchor);
    memcpy(entry->axis, part->axis, sizeof entry->axis);
    if (!tn_index_put(r->joint_names, name, (int)r->joint_count++))
        MJCF_ERROR(r, part->element->place, "joint '%s' is there twice", name);
}

/* Limits, spring, damper, friction and armature of a joint of the file, for its coordinate of the machine. */
static void fill_coordinate(mjcf_reader *r, const joint_part *part, int joint, const char *coordinate, double sign,
                            double shift)
{
    const tn_xml *e = part->element;
    double range[2], unit = part->kind == 'h' ? r->angle : 1;
    tn_machine_coordinate *c = tn_joint_coordinate(&r->machine->joints[joint], coordinate);
    if (!r->no_limits && tn_mjcf_range(r, e, "limited", "range", range)) {
        double a = sign * (range[0] * unit - shift), b = sign * (range[1] * unit - shift);
        c->low = fmin(a, b);
        c->high = fmax(a, b);
    }
    c->damping = tn_attribute_number(r->machine, e, "damping", 0);
    c->stiffness = tn_attribute_number(r->machine, e, "stiffness", 0);
    c->rest = sign * (tn_attribute_number(r->machine, e, "springref", 0) * unit - shift);
    c->friction = tn_attribute_number(r->machine, e, "frictionloss", 0);
    c->armature = tn_attribute_number(r->machine, e, "armature", 0);
    if (tn_xml_get(e, "springdamper"))
        tn_machine_note_add(r->machine, TN_WARNING, e->place, "springdamper of joint '%s' is left out: it makes stiffness and damping of the "
                            "inertia of the whole machine; give stiffness and damping", r->machine->joints[joint].name);
    register_joint(r, part, joint, coordinate, sign, shift);
}

/* Damping and stiffness of a ball joint, damping of a free one: forces between the bodies at the joint. What else such a
 * joint has is counted. */
static void add_losses(mjcf_reader *r, const joint_part *part, int parent, int body, const tn_pose *frame1, const tn_pose *frame2)
{
    static const char *const names[] = { "armature", "frictionloss", "range", "stiffness" };
    tn_machine *machine = r->machine;
    bool ball = part->kind == 'b';
    double damping = tn_attribute_number(machine, part->element, "damping", 0);
    double stiffness = ball ? tn_attribute_number(machine, part->element, "stiffness", 0) : 0;
    const char *name = tn_xml_get(part->element, "name");
    name = name ? name : machine->bodies[body].name;
    for (int k = 0; k < 2; k++) {
        if (!((k == 0 ? damping : stiffness) > 0))
            continue;
        tn_machine_load *load = tn_machine_add_load(machine, tn_machine_text(machine, k == 0 ? "%s_damper" : "%s_spring", name),
                                                    k == 0 ? "drag" : "bushing", part->element->place);
        load->source = k == 0 ? "damping" : "stiffness";
        load->body1 = parent;
        load->body2 = body;
        load->frame1 = *frame1;
        load->frame2 = *frame2;
        if (k == 0)
            tn_load_value(machine, load, "angular", "%.17g", damping);
        if (k == 0 && !ball)
            tn_load_value(machine, load, "linear", "%.17g", damping);
        if (k == 1)
            tn_load_value(machine, load, "stiffness", "[0, 0, 0, %.17g, %.17g, %.17g]", stiffness, stiffness, stiffness);
    }
    if (stiffness > 0)
        tn_machine_note_add(machine, TN_NOTE, part->element->place, "the spring of ball joint '%s' turns back with 2 sin(angle/2) "
                            "instead of the angle", name);
    for (size_t i = 0; i < TN_LENGTH(names) - (ball ? 1 : 0); i++) {
        const char *text = tn_xml_get(part->element, names[i]);
        double value[2] = { 0 };
        if (text && tn_parse_numbers(value, 2, text) > 0 && (value[0] != 0 || value[1] != 0))
            tn_machine_leave_out(r->machine, part->element->place, "%s of %s joints", names[i],
                                 part->kind == 'b' ? "ball" : "free");
    }
}

/* Whether an equality, a tendon or an actuator names the joint. */
static bool is_named(const mjcf_reader *r, const char *joint)
{
    static const char *const sections[] = { "equality", "tendon", "actuator" };
    static const char *const attributes[] = { "joint", "joint1", "joint2", "jointinparent" };
    for (size_t s = 0; joint && s < TN_LENGTH(sections); s++)
        for (const tn_xml *list = tn_xml_child(r->root, sections[s]); list; list = tn_xml_next(list, sections[s]))
            for (const tn_xml *e = list->first; e; e = e->next)
                for (const tn_xml *part = e; part; part = part == e ? e->first : part->next)
                    for (size_t k = 0; k < TN_LENGTH(attributes); k++) {
                        const char *name = tn_xml_get(part, attributes[k]);
                        if (name && strcmp(name, joint) == 0)
                            return true;
                    }
    return false;
}

/* Whether something acts along one of the joints, or bounds it. */
static bool is_acted_on(const mjcf_reader *r, const joint_part *p, size_t count)
{
    static const char *const names[] = { "damping", "stiffness", "armature", "frictionloss", "range" };
    for (size_t i = 0; i < count; i++) {
        if (is_named(r, tn_xml_get(p[i].element, "name")))
            return true;
        for (size_t k = 0; k < TN_LENGTH(names); k++) {
            const char *text = tn_xml_get(p[i].element, names[k]);
            double value[2] = { 0 };
            if (text && tn_parse_numbers(value, 2, text) > 0 && (value[0] != 0 || value[1] != 0))
                return true;
        }
    }
    return false;
}

static int add_joint(mjcf_reader *r, const joint_part *part, const char *type, const char *source, int parent, int body,
                     const char *name)
{
    const char *own = name ? name : tn_xml_get(part->element, "name");
    int joint = tn_machine_add_joint(r->machine, own ? own : tn_machine_text(r->machine, "%s_joint",
                                                                             r->machine->bodies[body].name),
                                     type, parent, body, part->element->place);
    if (r->machine->joint_count > 0)
        r->machine->joints[joint].source = source;
    return joint;
}

/* One joint between two bodies; in is the body's frame in its parent. Its coordinate is ref in the pose of the file. */
static void single_joint(mjcf_reader *r, const joint_part *part, int parent, int body, const tn_pose *in)
{
    static const double z[3] = { 0, 0, 1 };
    tn_pose none = tn_pose_identity();
    if (part->kind == 'f') {
        register_joint(r, part, -1, NULL, 1, 0);
        add_losses(r, part, parent, body, in, &none);
        return;
    }
    bool hinge = part->kind == 'h', ball = part->kind == 'b';
    int index = add_joint(r, part, hinge ? "revolute" : ball ? "spherical" : "prismatic", hinge ? "hinge"
                          : ball ? "ball" : "slide", parent, body, NULL);
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->frame2 = tn_pose_z(part->anchor, ball ? z : part->axis);
    joint->frame1 = tn_pose_compose(in, &joint->frame2);
    if (ball) {
        register_joint(r, part, index, NULL, 1, 0);
        tn_pose frame1 = joint->frame1, frame2 = joint->frame2;
        add_losses(r, part, parent, body, &frame1, &frame2);
        return;
    }
    if (part->ref != 0) {
        const double turn[3] = { 0, 0, hinge ? -part->ref : 0 };
        tn_pose back = tn_pose_identity();
        back.p[2] = hinge ? 0 : -part->ref;
        tn_quat_exp(back.q, turn);
        joint->frame1 = tn_pose_compose(&joint->frame1, &back);
    }
    fill_coordinate(r, part, index, hinge ? "angle" : "position", 1, 0);
}

/* ---- several joints as one ---- */

static bool perpendicular(const joint_part *a, const joint_part *b)
{
    return fabs(tn_dot3(a->axis, b->axis)) < PERPENDICULAR;
}

/* The point where two perpendicular axes meet; false: they do not. */
static bool axes_meet(const joint_part *a, const joint_part *b, double point[3])
{
    double d[3], along;
    if (!perpendicular(a, b))
        return false;
    tn_sub3(d, b->anchor, a->anchor);
    along = tn_dot3(d, a->axis);
    tn_copy3(point, a->anchor);
    tn_axpy3(point, along, a->axis);
    tn_axpy3(d, -along, a->axis);
    tn_axpy3(d, -tn_dot3(d, b->axis), b->axis);
    return tn_norm3(d) < SAME_POINT;
}

/* Whether an axis goes through a point. */
static bool axis_through(const joint_part *a, const double point[3])
{
    double d[3];
    tn_sub3(d, point, a->anchor);
    tn_axpy3(d, -tn_dot3(d, a->axis), a->axis);
    return tn_norm3(d) < SAME_POINT;
}

/* A frame at p with the x and z axes given. */
static tn_pose frame_xz(const double p[3], const double x[3], const double z[3])
{
    double y[3], R[3][3];
    tn_pose pose;
    tn_cross3(y, z, x);
    for (int k = 0; k < 3; k++)
        R[k][0] = x[k], R[k][1] = y[k], R[k][2] = z[k];
    tn_copy3(pose.p, p);
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    return pose;
}

static double handedness(const joint_part *p)
{
    double c[3];
    tn_cross3(c, p[0].axis, p[1].axis);
    return tn_dot3(c, p[2].axis) > 0 ? 1 : -1;
}

typedef struct composed {
    const char *type, *source;
    tn_pose frame1, frame2;    /* in the body's frame, in the pose of the file */
    const char *coordinates[6];    /* NULL: that part has none */
    double signs[6];
} composed;

static bool compose_two(composed *out, const joint_part *p)
{
    double point[3];
    if (p[0].kind == 'h' && p[1].kind == 'h' && axes_meet(&p[0], &p[1], point)) {
        *out = (composed){ .type = "universal", .source = "2 hinges", .coordinates = { "angle_1", "angle_2" },
                           .signs = { 1, 1 } };
        out->frame1 = frame_xz(point, p[1].axis, p[0].axis);
        out->frame2 = frame_xz(point, p[0].axis, p[1].axis);
        return true;
    }
    double along = tn_dot3(p[0].axis, p[1].axis);
    if (p[0].kind != p[1].kind && p[0].kind != 'b' && p[1].kind != 'b' && fabs(fabs(along) - 1) < PERPENDICULAR) {
        int hinge = p[0].kind == 'h' ? 0 : 1;
        *out = (composed){ .type = "cylindrical", .source = "slide and hinge" };
        out->frame1 = out->frame2 = tn_pose_z(p[hinge].anchor, p[hinge].axis);
        out->coordinates[hinge] = "angle";
        out->coordinates[1 - hinge] = "position";
        out->signs[hinge] = 1;
        out->signs[1 - hinge] = along > 0 ? 1 : -1;
        return true;
    }
    return false;
}

static bool compose_three(composed *out, const joint_part *p)
{
    bool square = perpendicular(&p[0], &p[1]) && perpendicular(&p[1], &p[2]) && perpendicular(&p[0], &p[2]);
    if (!square)
        return false;
    double hand = handedness(p), point[3];
    if (p[0].kind == 'h' && p[1].kind == 'h' && p[2].kind == 'h' && axes_meet(&p[0], &p[1], point) && axis_through(&p[2], point)) {
        const double z[3] = { hand * p[2].axis[0], hand * p[2].axis[1], hand * p[2].axis[2] };
        *out = (composed){ .type = "spherical", .source = "3 hinges", .coordinates = { "angle_x", "angle_y", "angle_z" },
                           .signs = { 1, 1, hand } };
        out->frame1 = out->frame2 = frame_xz(point, p[0].axis, z);
        return true;
    }
    if (p[0].kind == 's' && p[1].kind == 's' && p[2].kind == 'h') {
        *out = (composed){ .type = "planar", .source = "2 slides and a hinge", .coordinates = { "x", "y", "angle" },
                           .signs = { 1, hand, 1 } };
        out->frame1 = out->frame2 = frame_xz(p[2].anchor, p[0].axis, p[2].axis);
        return true;
    }
    return false;
}

static bool is_free(const joint_part *p, size_t count)
{
    size_t slides = 0, hinges = 0, balls = 0;
    for (size_t i = 0; i < count; i++) {
        slides += p[i].kind == 's';
        hinges += p[i].kind == 'h';
        balls += p[i].kind == 'b';
    }
    return slides == 3 && ((hinges == 3 && count == 6) || (balls == 1 && count == 4));
}

/* Three slides, then three hinges or a ball: place and orientation, by x, y, z and the angles yaw, pitch and roll that follow
 * each other. Slides lie along the axes of the hinges. */
static bool compose_free(composed *out, const joint_part *p, size_t count)
{
    static const char *const turns[3] = { "yaw", "pitch", "roll" };
    bool ball = p[count - 1].kind == 'b';
    if (p[0].kind != 's' || p[1].kind != 's' || p[2].kind != 's' || (!ball && (p[3].kind != 'h' || p[4].kind != 'h' || p[5].kind != 'h')))
        return false;
    const joint_part *axes = ball ? p : p + 3;         /* z, y and x but for its sign */
    double x[3], point[3];
    if (!perpendicular(&axes[0], &axes[1]) || !perpendicular(&axes[1], &axes[2]) || !perpendicular(&axes[0], &axes[2]))
        return false;
    if (ball)
        tn_copy3(point, p[3].anchor);
    else if (!axes_meet(&axes[0], &axes[1], point) || !axis_through(&axes[2], point))
        return false;
    tn_cross3(x, axes[1].axis, axes[0].axis);
    *out = (composed){ .type = "free", .source = ball ? "3 slides and a ball" : "3 slides and 3 hinges" };
    out->frame1 = out->frame2 = frame_xz(point, x, axes[0].axis);
    for (int k = 0; k < 3; k++) {
        const double along[3] = { tn_dot3(p[k].axis, x), tn_dot3(p[k].axis, axes[1].axis), tn_dot3(p[k].axis, axes[0].axis) };
        for (int i = 0; i < 3; i++)
            if (fabs(fabs(along[i]) - 1) < PERPENDICULAR) {
                out->coordinates[k] = i == 0 ? "x" : i == 1 ? "y" : "z";
                out->signs[k] = along[i] > 0 ? 1 : -1;
            }
        if (!out->coordinates[k])
            return false;
        if (!ball) {
            out->coordinates[k + 3] = turns[k];
            out->signs[k + 3] = k == 2 && tn_dot3(axes[2].axis, x) < 0 ? -1 : 1;
        }
    }
    return true;
}

static void composed_joint(mjcf_reader *r, const composed *c, const joint_part *p, size_t count, int parent, int body,
                           const tn_pose *in)
{
    int index = add_joint(r, &p[0], c->type, c->source, parent, body,
                          tn_machine_text(r->machine, "%s_joint", r->machine->bodies[body].name));
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->frame1 = tn_pose_compose(in, &c->frame1);
    joint->frame2 = c->frame2;
    tn_pose frame1 = joint->frame1, frame2 = joint->frame2;
    for (size_t i = 0; i < count; i++)
        if (c->coordinates[i]) {
            fill_coordinate(r, &p[i], index, c->coordinates[i], c->signs[i], p[i].ref);
        } else {
            register_joint(r, &p[i], index, NULL, 1, 0);
            add_losses(r, &p[i], parent, body, &frame1, &frame2);
        }
}

/* Bodies without mass between the joints; all have the frame of the body in the pose of the file. */
static void chain_joints(mjcf_reader *r, const joint_part *p, size_t count, int parent, int body, const tn_pose *in)
{
    tn_pose none = tn_pose_identity();
    for (size_t i = 0; i < count && tn_machine_status(r->machine) >= 0; i++) {
        int next = body;
        if (i + 1 < count) {
            const char *name = tn_machine_text(r->machine, "%s_stage_%zu", r->machine->bodies[body].name, i + 1);
            next = tn_machine_add_body(r->machine, name, p[i].element->place);
            r->machine->bodies[next].pose = r->machine->bodies[body].pose;
        }
        single_joint(r, &p[i], parent, next, i == 0 ? in : &none);
        parent = next;
    }
}

void tn_mjcf_joints(mjcf_reader *r, tn_xml *const *list, size_t count, int parent, int body, const tn_pose *in)
{
    joint_part parts[MOST_PARTS];
    composed whole;
    for (size_t i = 0; i < count; i++)
        if (!read_part(r, &parts[i], list[i], body))
            return;
    if (count == 0) {
        int index = tn_machine_add_joint(r->machine, tn_machine_text(r->machine, "%s_weld", r->machine->bodies[body].name),
                                         "fixed", parent, body, r->machine->bodies[body].place);
        if (tn_machine_status(r->machine) < 0)
            return;
        r->machine->joints[index].frame1 = *in;
        r->machine->joints[index].source = "no joint";
    } else if (count == 1) {
        single_joint(r, &parts[0], parent, body, in);
    } else if (is_free(parts, count) && parent == TN_GROUND && !is_acted_on(r, parts, count)) {
        for (size_t i = 0; i < count; i++)
            register_joint(r, &parts[i], -1, NULL, 1, 0);
        tn_machine_note_add(r->machine, TN_NOTE, parts[0].element->place, "%zu joints together leave body '%s' free: their "
                            "coordinates have no names in the model", count, r->machine->bodies[body].name);
    } else if ((count == 2 && compose_two(&whole, parts)) || (count == 3 && compose_three(&whole, parts)) ||
               (is_free(parts, count) && compose_free(&whole, parts, count))) {
        composed_joint(r, &whole, parts, count, parent, body, in);
    } else {
        chain_joints(r, parts, count, parent, body, in);
    }
}
