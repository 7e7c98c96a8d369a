/* FreeCAD .FCStd: assemblies of the Assembly workbench, from version 1.0 on.
 *
 * The archive's Document.xml has objects and their properties. Lengths are mm, angles degrees, quaternions x y z w. A joint's
 * Placement1 and Placement2 are its frames in the coordinates of the objects that its references name. */
#include "source.h"

#include "archive.h"
#include "diag.h"
#include "entities.h"
#include "fcstd_reader.h"
#include "vec.h"

#include <stdlib.h>

static const double MM = 1e-3;
enum { DEEPEST = 30 };
static const size_t DOCUMENT_LIMIT = (size_t)128 << 20;

/* ---- properties ---- */

static const tn_xml *property(const fc_object *object, const char *name)
{
    const tn_xml *list = object ? tn_xml_child(object->data, "Properties") : NULL;
    for (const tn_xml *p = tn_xml_child(list, "Property"); p; p = tn_xml_next(p, "Property"))
        if (tn_xml_get(p, "name") && strcmp(tn_xml_get(p, "name"), name) == 0)
            return p;
    return NULL;
}

/* The value attribute of the element in a property; NULL: none. */
static const char *property_text(const fc_object *object, const char *name)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL);
    return inside ? tn_xml_get(inside, "value") : NULL;
}

double tn_fc_number(fc_reader *r, const fc_object *object, const char *name, double otherwise)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL);
    return inside ? tn_attribute_number(r->machine, inside, "value", otherwise) : otherwise;
}

bool tn_fc_flag(const fc_object *object, const char *name, bool otherwise)
{
    const char *text = property_text(object, name);
    return text ? strcmp(text, "true") == 0 || strcmp(text, "1") == 0 : otherwise;
}

tn_pose tn_fc_placement(fc_reader *r, const fc_object *object, const char *name)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL);
    tn_pose pose = tn_pose_identity();
    if (!inside)
        return pose;
    static const char *const places[3] = { "Px", "Py", "Pz" }, *const turns[4] = { "Q3", "Q0", "Q1", "Q2" };
    for (int k = 0; k < 3; k++)
        pose.p[k] = MM * tn_attribute_number(r->machine, inside, places[k], 0);
    for (int k = 0; k < 4; k++)
        pose.q[k] = tn_attribute_number(r->machine, inside, turns[k], k == 0);
    if (pose.q[0] * pose.q[0] + pose.q[1] * pose.q[1] + pose.q[2] * pose.q[2] + pose.q[3] * pose.q[3] > 1e-12)
        tn_quat_normalize(pose.q);
    else
        pose.q[0] = 1, pose.q[1] = pose.q[2] = pose.q[3] = 0;
    return pose;
}

/* The word that an enumeration has: by the list in the file, or by itself. */
const char *tn_fc_enumeration(fc_reader *r, const fc_object *object, const char *name)
{
    const tn_xml *p = property(object, name), *list = tn_xml_child(p, "CustomEnumList");
    const char *text = property_text(object, name);
    long index = text ? strtol(text, NULL, 10) : -1;
    const tn_xml *word = tn_xml_child(list, "Enum");
    (void)r;
    while (word && index-- > 0)
        word = tn_xml_next(word, "Enum");
    return word ? tn_xml_get(word, "value") : NULL;
}

fc_object *tn_fc_find(const fc_reader *r, const char *name)
{
    int index = name && name[0] ? tn_index_find(r->names, name) : -1;
    return index < 0 ? NULL : &r->objects[index];
}

/* The object that a link property names; *file: in another document. */
fc_object *tn_fc_link(const fc_reader *r, const fc_object *object, const char *name, const char **file)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL);
    if (!inside)
        return NULL;
    const char *target = tn_xml_get(inside, "value"), *other = tn_xml_get(inside, "file");
    if (!target)
        target = tn_xml_get(inside, "name");
    if (file)
        *file = other && other[0] ? other : NULL;
    return other && other[0] ? NULL : tn_fc_find(r, target);
}

/* The first sub-element of a reference: "Part.Face3"; "" for none. */
const char *tn_fc_sub(const fc_object *object, const char *name)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL), *sub = tn_xml_child(inside, "Sub");
    const char *text = sub ? tn_xml_get(sub, "value") : inside ? tn_xml_get(inside, "sub") : NULL;
    return text ? text : "";
}

const char *tn_fc_file(const fc_object *object, const char *name)
{
    const tn_xml *p = property(object, name), *inside = tn_xml_child(p, NULL);
    const char *file = inside ? tn_xml_get(inside, "file") : NULL;
    return file && file[0] ? file : NULL;
}

static const char *label_of(const fc_object *object)
{
    const char *label = property_text(object, "Label");
    return label && label[0] ? label : object->name;
}

static bool is_type(const fc_object *object, const char *prefix)
{
    return object && strncmp(object->type, prefix, strlen(prefix)) == 0;
}

static bool has_property(const fc_object *object, const char *name)
{
    return property(object, name) != NULL;
}

/* ---- parts ---- */

static bool is_part(const fc_object *object)
{
    return is_type(object, "Part::") || is_type(object, "PartDesign::Body") || is_type(object, "App::Part") ||
           is_type(object, "App::Link") || is_type(object, "Assembly::AssemblyLink") ||
           is_type(object, "Assembly::AssemblyObject") || is_type(object, "Mesh::");
}

/* Names in the group of a container. */
const tn_xml *tn_fc_group(const fc_object *container)
{
    const tn_xml *p = property(container, "Group"), *list = tn_xml_child(p, NULL);
    return tn_xml_child(list, "Link");
}

static void read_container(fc_reader *r, fc_object *container, const tn_pose *world, int frame, int part, int depth);

static void add_part(fc_reader *r, fc_object *object, const tn_pose *world, int frame, int part, int depth)
{
    tn_machine *machine = r->machine;
    tn_pose own = tn_fc_placement(r, object, "Placement"), pose = tn_pose_compose(world, &own);
    bool assembly = is_type(object, "Assembly::AssemblyObject") || is_type(object, "Assembly::AssemblyLink");
    bool flexible = assembly && !tn_fc_flag(object, "Rigid", is_type(object, "Assembly::AssemblyLink"));
    if (object->body > 0)
        return;
    if (assembly)
        flexible = !tn_machine_add_assembly(machine, object->name, label_of(object), !flexible);
    object->body = tn_machine_add_body(machine, flexible ? tn_machine_text(machine, "%s_frame", label_of(object))
                                                         : label_of(object), object->data->place);
    if (tn_machine_status(machine) < 0)
        return;
    object->world = pose;
    object->placed = true;
    machine->bodies[object->body].pose = pose;
    machine->bodies[object->body].path = object->name;
    machine->bodies[object->body].part = part;
    if (tn_fc_number(r, object, "ElementCount", 0) > 0)
        tn_machine_leave_out(machine, object->data->place, "arrays of links (taken as one part)");
    if (!flexible) {
        r->parts++;
        tn_fc_shape(r, object);
        return;
    }
    int inner = tn_machine_add_part(machine, label_of(object), part, &pose);
    machine->bodies[object->body].part = inner;
    (void)frame;
    read_container(r, object, &pose, object->body, inner, depth + 1);
}

/* Parts of an assembly, and its joints for later. */
static void read_container(fc_reader *r, fc_object *container, const tn_pose *world, int frame, int part, int depth)
{
    if (depth > DEEPEST) {
        FC_ERROR(r, container->data->place, "assemblies are nested more than %d deep", DEEPEST);
        return;
    }
    for (const tn_xml *link = tn_fc_group(container); link; link = tn_xml_next(link, "Link")) {
        fc_object *member = tn_fc_find(r, tn_xml_get(link, "value"));
        if (!member)
            continue;
        if (has_property(member, "ObjectToGround")) {
            tn_fc_joint_add(r, member, container, frame);
        } else if (is_type(member, "Assembly::JointGroup") || (is_type(member, "App::DocumentObjectGroup") &&
                                                               !is_part(member))) {
            for (const tn_xml *j = tn_fc_group(member); j; j = tn_xml_next(j, "Link")) {
                fc_object *joint = tn_fc_find(r, tn_xml_get(j, "value"));
                if (joint && (has_property(joint, "JointType") || has_property(joint, "ObjectToGround")))
                    tn_fc_joint_add(r, joint, container, frame);
            }
        } else if (has_property(member, "JointType")) {
            tn_fc_joint_add(r, member, container, frame);
        } else if (is_part(member)) {
            add_part(r, member, world, frame, part, depth);
        } else if (!is_type(member, "App::Origin") && !is_type(member, "Assembly::")) {
            tn_machine_leave_out(r->machine, member->data->place, "objects of type %s", member->type);
        }
    }
}

/* ---- the document ---- */

static int index_objects(fc_reader *r, const tn_xml *root)
{
    const tn_xml *list = tn_xml_child(root, "Objects"), *data = tn_xml_child(root, "ObjectData");
    size_t count = 0;
    for (const tn_xml *o = tn_xml_child(list, "Object"); o; o = tn_xml_next(o, "Object"))
        count++;
    r->objects = tn_arena_alloc(r->machine->arena, count + 1, sizeof *r->objects);
    if (!r->objects)
        return TN_ERROR_MEMORY;
    for (const tn_xml *o = tn_xml_child(list, "Object"); o; o = tn_xml_next(o, "Object")) {
        const char *name = tn_xml_get(o, "name"), *type = tn_xml_get(o, "type");
        if (!name || !type || !tn_index_put(r->names, name, (int)r->object_count))
            continue;
        r->objects[r->object_count++] = (fc_object){ .name = name, .type = type, .data = o, .body = -1 };
    }
    for (const tn_xml *o = tn_xml_child(data, "Object"); o; o = tn_xml_next(o, "Object")) {
        fc_object *object = tn_fc_find(r, tn_xml_get(o, "name"));
        if (object)
            object->data = o;
    }
    return TN_OK;
}

/* Refuses a document without an assembly of FreeCAD itself, and says by which workbench it was made. */
static int no_assembly(fc_reader *r, const tn_xml *root, const char *text)
{
    const char *maker = strstr(text, "a2p_") || strstr(text, "A2plus") ? "A2plus"
                        : strstr(text, "freecad.asm3") || strstr(text, "freecad.assembly3") ? "Assembly3"
                        : strstr(text, "AssemblyType") || strstr(text, "Asm4") ? "Assembly4" : NULL;
    if (maker)
        return tn_fail(r->machine->context, TN_ERROR_MODEL, root->place, "this assembly was made with the workbench %s, whose "
                       "constraints are not read: rebuild its joints with the Assembly workbench of FreeCAD 1.0", maker);
    return tn_fail(r->machine->context, TN_ERROR_MODEL, root->place, "there is no assembly in the document: make one with the "
                   "Assembly workbench of FreeCAD 1.0 or later, or export the parts as STEP");
}

static bool is_inner(const fc_reader *r, const fc_object *assembly)
{
    for (size_t i = 0; i < r->object_count; i++)
        if (is_type(&r->objects[i], "Assembly::Assembly") && &r->objects[i] != assembly)
            for (const tn_xml *l = tn_fc_group(&r->objects[i]); l; l = tn_xml_next(l, "Link"))
                if (tn_xml_get(l, "value") && strcmp(tn_xml_get(l, "value"), assembly->name) == 0)
                    return true;
    return false;
}

static int read_document(fc_reader *r, const tn_xml *root, const char *text)
{
    tn_machine *machine = r->machine;
    fc_object *assembly = NULL;
    TN_TRY(tn_index_create(&r->names, machine));
    TN_TRY(index_objects(r, root));
    for (size_t i = 0; i < r->object_count; i++)
        if (is_type(&r->objects[i], "Assembly::AssemblyObject") && !is_inner(r, &r->objects[i])) {
            if (assembly)
                tn_machine_note_add(machine, TN_WARNING, r->objects[i].data->place, "assembly '%s' is left out: '%s' is the "
                                    "first of the document", r->objects[i].name, assembly->name);
            else
                assembly = &r->objects[i];
        }
    if (!assembly)
        return no_assembly(r, root, text);
    machine->name = label_of(assembly);
    machine->gravity[2] = -9.81;
    tn_pose world = tn_pose_identity();
    assembly->world = world;
    assembly->placed = true;
    assembly->body = TN_GROUND;
    read_container(r, assembly, &world, TN_GROUND, -1, 0);
    TN_TRY(tn_machine_status(machine));
    if (r->parts == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, assembly->data->place, "the assembly '%s' has no parts",
                       assembly->name);
    TN_TRY(tn_fc_shapes(r));
    TN_TRY(tn_fc_joints(r));
    tn_machine_note_add(machine, TN_NOTE, assembly->data->place, "gravity is not in the file: 9.81 m/s^2 along -z; model.yaml "
                        "may say otherwise");
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_fcstd(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    fc_reader r = { .machine = machine, .files = files };
    char *text = NULL;
    size_t length = 0;
    tn_xml *root = NULL;
    TN_TRY(tn_archive_open(&r.archive, machine->context, files->main, data, size));
    int code = tn_archive_read(&text, &length, r.archive, "Document.xml", DOCUMENT_LIMIT);
    if (code >= 0)
        code = tn_xml_parse(&root, machine->arena, machine->context,
                            tn_machine_text(machine, "%s/Document.xml", files->main), text, length);
    if (code >= 0 && !tn_xml_is(root, "Document"))
        code = tn_fail(machine->context, TN_ERROR_MODEL, root->place, "Document.xml is not that of a FreeCAD document");
    if (code >= 0)
        code = read_document(&r, root, text);
    tn_free(machine->context, text);
    tn_archive_close(r.archive);
    return code;
}

static bool is_fcstd(const char *data, size_t size)
{
    return size > 4 && memcmp(data, "PK\x03\x04", 4) == 0;
}

const tn_importer tn_importer_fcstd = {
    .name = "fcstd",
    .endings = ".FCStd",
    .doc = "FreeCAD document with an assembly",
    .recognises = is_fcstd,
    .read = read_fcstd,
};
