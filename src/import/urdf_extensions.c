/* Additions of simulators to URDF: <gazebo> (gravity, friction, springs, joints of SDFormat that close loops), <loop_joint> of
 * Isaac Sim, rotors of actuators in <transmission> of Drake. */
#include "urdf_reader.h"

#include "drake.h"

#include "diag.h"
#include "entities.h"
#include "sdf_reader.h"

#include <math.h>
#include <string.h>

/* A number in the text of a child element; no number, as xacro may have left it: the other one. */
static double child_number(const tn_xml *owner, const char *name, double otherwise)
{
    const char *text = tn_xml_child_text(owner, name);
    double value;
    return text && tn_parse_numbers(&value, 1, text) == 1 ? value : otherwise;
}

/* Whether expressions of xacro are left in the text of the element, or below it. */
static bool has_expressions(const tn_xml *e)
{
    bool found = strstr(e->text, "${") || strstr(e->text, "$(");
    for (const tn_xml_attribute *a = e->attributes; a; a = a->next)
        found = found || strstr(a->value, "${") || strstr(a->value, "$(");
    for (const tn_xml *child = e->first; !found && child; child = child->next)
        found = has_expressions(child);
    return found;
}

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* <gazebo reference="link">: weight and friction. */
static bool read_link_extension(urdf_reader *r, const tn_xml *element, int body)
{
    const char *gravity = tn_xml_child_text(element, "gravity");
    if (is_true(tn_xml_child_text(element, "turnGravityOff")) || (gravity && !is_true(gravity)))
        r->machine->bodies[body].lift = 1;
    double friction = child_number(element, "mu1", NAN);
    for (size_t k = 0; !isnan(friction) && k < r->machine->bodies[body].shape_count; k++)
        r->machine->bodies[body].shapes[k].friction = friction;
    bool whole = !has_expressions(element);
    for (const tn_xml *e = element->first; e; e = e->next)
        whole = whole && (tn_xml_is(e, "gravity") || tn_xml_is(e, "turnGravityOff") || tn_xml_is(e, "mu1") || tn_xml_is(e, "material"));
    return whole;
}

/* <gazebo reference="joint">: a spring. */
static bool read_joint_extension(urdf_reader *r, const tn_xml *element, int index)
{
    tn_machine_joint *joint = &r->machine->joints[index];
    double stiffness = child_number(element, "springStiffness", 0);
    if (stiffness != 0 && joint->coordinate_count == 1) {
        joint->coordinates[0].stiffness = stiffness;
        joint->coordinates[0].rest = child_number(element, "springReference", 0);
    }
    bool whole = (stiffness == 0 || joint->coordinate_count == 1) && !has_expressions(element);
    for (const tn_xml *e = element->first; e; e = e->next)
        whole = whole && (tn_xml_is(e, "springStiffness") || tn_xml_is(e, "springReference") || tn_xml_is(e, "implicitSpringDamper") ||
                          tn_xml_is(e, "preserveFixedJoint") || tn_xml_is(e, "disableFixedJointLumping") || tn_xml_is(e, "provideFeedback"));
    return whole;
}

static bool read_gazebo(urdf_reader *r, const tn_xml *element)
{
    const char *reference = tn_xml_get(element, "reference");
    int body = tn_index_find(r->links, reference), joint = tn_index_find(r->joints, reference);
    if (reference && reference[0]) {
        bool link = body >= 0 && read_link_extension(r, element, body), hinge = joint >= 0 && read_joint_extension(r, element, joint);
        return link || hinge;
    }
    bool whole = !has_expressions(element);
    for (const tn_xml *e = element->first; e; e = e->next)
        whole = whole && tn_xml_is(e, "joint");
    return whole;
}

/* Rotors of Drake: rotor_inertia turns gear_ratio times as fast as the joint. */
static void read_transmission(urdf_reader *r, const tn_xml *element)
{
    const tn_xml *actuator = tn_xml_child(element, "actuator"), *joint = tn_xml_child(element, "joint");
    const tn_xml *rotor = tn_xml_child(actuator, "rotor_inertia"), *gear = tn_xml_child(actuator, "gear_ratio");
    int index = joint ? tn_index_find(r->joints, tn_xml_get(joint, "name")) : -1;
    if (!rotor || index < 0 || r->machine->joints[index].coordinate_count != 1)
        return;
    double ratio = gear ? tn_attribute_number(r->machine, gear, "value", 1) : 1;
    r->machine->joints[index].coordinates[0].armature = tn_attribute_number(r->machine, rotor, "value", 0) * ratio * ratio;
}

bool tn_urdf_extension(urdf_reader *r, const tn_xml *element)
{
    if (tn_xml_is(element, "gazebo"))
        return read_gazebo(r, element);
    if (tn_xml_is(element, "transmission"))
        read_transmission(r, element);
    if (tn_xml_is(element, "frame"))
        return tn_index_find(r->links, tn_xml_get(element, "link")) >= 0;
    return tn_xml_is(element, "loop_joint") || tn_xml_is(element, "fixed_frame") || tn_drake_knows(element);
}

static int link_of(urdf_reader *r, const tn_xml *end)
{
    const char *name = end ? tn_xml_get(end, "link") : NULL;
    int body = tn_index_find(r->links, name);
    char hint[160];
    if (end && body < 0)
        URDF_ERROR(r, end->place, "there is no link '%s'%s", name ? name : "", name ? tn_index_hint(r->links, name, hint, sizeof hint) : "");
    return body;
}

static void read_loop_joint(urdf_reader *r, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    const tn_xml *end1 = tn_xml_child(element, "link1"), *end2 = tn_xml_child(element, "link2");
    name = name && name[0] ? name : "loop_joint";
    const urdf_type *type = tn_urdf_type(r, element, name);
    if (!end1 || !end2)
        URDF_ERROR(r, element->place, "<loop_joint> '%s' needs <link1> and <link2>", name);
    int body1 = link_of(r, end1), body2 = link_of(r, end2);
    if (!type || !type->type || body1 < 0 || body2 < 0)
        return;
    int index = tn_machine_add_joint(r->machine, name, type->type, body1, body2, element->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    tn_pose place1 = tn_urdf_pose(r, end1), place2 = tn_urdf_pose(r, end2);
    joint->source = "loop_joint";
    joint->keep = true;
    tn_urdf_frames(r, element, name, joint, &place1, &place2);
}

static void read_fixed_frame(urdf_reader *r, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    int body = link_of(r, tn_xml_child(element, "parent"));
    tn_pose pose = tn_urdf_pose(r, tn_xml_child(element, "origin"));
    if (name && body >= 0)
        tn_machine_add_frame(r->machine, body, name, &pose);
}

/* A link or <frame> that an element of Drake names. */
static bool find_for_drake(void *user, const tn_xml *element, const char *name, int *body, tn_pose *place)
{
    urdf_reader *r = user;
    const tn_xml *frame = tn_xml_child(element->parent, "frame");
    *place = tn_pose_identity();
    *body = strcmp(name, "world") == 0 ? TN_GROUND : tn_index_find(r->links, name);
    for (; *body < 0 && frame; frame = tn_xml_next(frame, "frame"))
        if (tn_xml_get(frame, "name") && strcmp(tn_xml_get(frame, "name"), name) == 0) {
            *body = link_of(r, frame);
            *place = tn_urdf_pose(r, frame);
        }
    if (*body < 0)
        URDF_ERROR(r, element->place, "<drake:%s>: there is no link or frame '%s'", element->name, name);
    return *body >= 0;
}

bool tn_urdf_closes_loops(const tn_xml *gazebo)
{
    return !tn_xml_get(gazebo, "reference") && tn_xml_child(gazebo, "joint") && !has_expressions(gazebo);
}

void tn_urdf_close_loops(urdf_reader *r, const tn_xml *root)
{
    const tn_drake_names names = { r, find_for_drake };
    bool joints = false;
    for (const tn_xml *e = root->first; e; e = e->next) {
        if (tn_xml_is(e, "loop_joint"))
            read_loop_joint(r, e);
        else if (tn_xml_is(e, "fixed_frame"))
            read_fixed_frame(r, e);
        else if (tn_drake_knows(e))
            tn_drake_read(r->machine, e, &names);
        else if (tn_xml_is(e, "frame") && tn_xml_get(e, "name") && tn_index_find(r->links, tn_xml_get(e, "link")) >= 0) {
            tn_pose pose = tn_urdf_pose(r, e);
            tn_machine_add_frame(r->machine, link_of(r, e), tn_xml_get(e, "name"), &pose);
        }
        joints = joints || (tn_xml_is(e, "gazebo") && tn_urdf_closes_loops(e));
    }
    if (joints && !r->failed && tn_sdf_joints_of_urdf(r->machine, r->files, root, r->links) < 0)
        r->failed = true;
}
