/* SDFormat: models with links and joints as a graph, nested models, and poses relative to any named frame. */
#include "sdf_reader.h"

#include "drake.h"

#include "diag.h"
#include "entities.h"
#include "urdf_reader.h"
#include "vec.h"

#include <stdlib.h>

/* "0 0 1 0 0 0", with degrees or as quaternion x y z w. */
tn_pose tn_sdf_pose(sdf_reader *r, const tn_xml *owner)
{
    const tn_xml *element = tn_xml_child(owner, "pose");
    tn_pose pose = tn_pose_identity();
    double v[7] = { 0 };
    const char *format = element ? tn_xml_get(element, "rotation_format") : NULL;
    if (!element || element->text[0] == 0)
        return pose;
    bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    tn_source_numbers(r->machine, v, quaternion ? 7 : 6, element->text, "<pose>", element->place);
    tn_copy3(pose.p, v);
    if (quaternion) {
        const double q[4] = { v[6], v[3], v[4], v[5] };
        memcpy(pose.q, q, sizeof q);
        tn_quat_normalize(pose.q);
    } else if (v[3] != 0 || v[4] != 0 || v[5] != 0) {
        double unit = tn_attribute_bool(element, "degrees", false) ? acos(-1.0) / 180 : 1;
        const double rpy[3] = { v[3] * unit, v[4] * unit, v[5] * unit };
        tn_euler_quat(pose.q, rpy, "XYZ");
    }
    return pose;
}

static const char *scoped(sdf_reader *r, const char *scope, const char *name)
{
    return scope[0] ? tn_machine_text(r->machine, "%s::%s", scope, name) : name;
}

/* ---- frames ---- */

/* The model that elements are read from. */
typedef struct sdf_scope {
    const char *name;          /* "arm::hand"; "": the world */
    const char *label;         /* what names of bodies begin with; "": nothing */
    const char *home;          /* the name of the model's own frame */
} sdf_scope;

static const char OWN_FRAME[] = "__model__";

static int add_entity(sdf_reader *r, sdf_kind kind, const sdf_scope *in, const char *name, const tn_xml *element,
                      const char *otherwise)
{
    const char *scope = in->name;
    const tn_xml *pose = tn_xml_child(element, "pose");
    const char *relative = pose ? tn_xml_get(pose, "relative_to") : NULL;
    if (pose && !relative)
        relative = tn_xml_get(pose, "frame");          /* of version 1.6 */
    const char *full = scoped(r, scope, name);
    if (r->entity_count == r->entity_capacity) {
        size_t more = r->entity_capacity ? 2 * r->entity_capacity : 64;
        sdf_entity *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return 0;
        }
        if (r->entity_count > 0)
            memcpy(list, r->entities, r->entity_count * sizeof *list);
        r->entities = list;
        r->entity_capacity = more;
    }
    int index = (int)r->entity_count++;
    r->entities[index] = (sdf_entity){ .kind = kind, .name = full, .scope = scope, .inner = full, .home = in->home,
                                       .element = element, .body = -1, .joint = -1,
                                       .raw = tn_sdf_pose(r, element),
                                       .relative = relative && relative[0] ? relative : otherwise };
    if (!tn_index_put(r->names, full, index)) {
        bool mixed = r->entities[tn_index_find(r->names, full)].kind != kind;
        if (mixed && kind == SDF_JOINT && tn_index_put(r->names, tn_machine_text(r->machine, "%s (joint)", full), index))
            tn_machine_note_add(r->machine, TN_WARNING, element->place, "joint '%s' has the name of a link, frame or model; frames "
                                "that name it mean the other", full);
        else
            SDF_ERROR(r, element->place, "'%s' is there twice", full);
    }
    return index;
}

/* The entity of a name as seen from a scope; -1: none. "" and "__model__" are the model itself. */
static int find_entity(sdf_reader *r, const char *scope, const char *name)
{
    if (name[0] == 0 || strcmp(name, "__model__") == 0)
        return scope[0] ? tn_index_find(r->names, scope) : -1;
    int found = tn_index_find(r->names, scoped(r, scope, name));
    return found >= 0 ? found : tn_index_find(r->names, name);
}

int tn_sdf_find_from(sdf_reader *r, const sdf_entity *from, const char *name)
{
    bool own = name[0] == 0 || strcmp(name, OWN_FRAME) == 0;
    return find_entity(r, from->scope, own ? from->home : name);
}

static int unknown_frame(sdf_reader *r, const tn_xml *element, const char *name)
{
    char hint[160];
    SDF_ERROR(r, element->place, "<%s>: there is no frame, link or joint '%s'%s", element->name, name,
              tn_index_hint(r->names, name, hint, sizeof hint));
    return -1;
}

/* The pose of an entity in the world. Frames may be relative to each other in any order, but not in a circle. */
static tn_pose resolve(sdf_reader *r, int index, int depth)
{
    enum { DEEPEST = 1000 };
    sdf_entity *e = &r->entities[index];
    if (e->state == SDF_RESOLVED)
        return e->world;
    if (e->state == SDF_BUSY || depth > DEEPEST) {
        SDF_ERROR(r, e->element->place, "'%s' is placed relative to itself", e->name);
        return tn_pose_identity();
    }
    e->state = SDF_BUSY;
    tn_pose base = tn_pose_identity();
    if (e->relative && strcmp(e->relative, "world") != 0) {
        int other = tn_sdf_find_from(r, e, e->relative);
        if (other < 0)
            unknown_frame(r, e->element, e->relative);
        else
            base = resolve(r, other, depth + 1);
    }
    e = &r->entities[index];
    e->world = tn_pose_compose(&base, &e->raw);
    e->state = SDF_RESOLVED;
    return e->world;
}

/* The body that a link, frame, joint or model stands for. */
static int body_of(sdf_reader *r, int index, int depth)
{
    const sdf_entity *e = &r->entities[index];
    const char *name = NULL;
    if (e->kind == SDF_LINK)
        return e->body;
    if (depth > 100)
        return -1;
    if (e->kind == SDF_JOINT) {
        name = tn_xml_child_text(e->element, "child");
    } else if (e->kind == SDF_FRAME) {
        name = tn_xml_get(e->element, "attached_to");
        if (!name || name[0] == 0)
            name = e->scope[0] ? OWN_FRAME : "world";
    } else {
        const tn_xml *first = tn_xml_child(e->element, "link");
        name = tn_xml_get(e->element, "canonical_link");
        if (!name)
            name = first ? tn_xml_get(first, "name") : NULL;
    }
    if (name && strcmp(name, "world") == 0)
        return TN_GROUND;
    int other = !name ? -1 : e->kind == SDF_MODEL ? find_entity(r, e->inner, name) : tn_sdf_find_from(r, e, name);
    return other < 0 ? -1 : body_of(r, other, depth + 1);
}

/* ---- links ---- */

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

bool tn_sdf_is_static(const tn_xml *element)
{
    for (; element; element = element->parent)
        if (tn_xml_is(element, "model") && is_true(tn_xml_child_text(element, "static")))
            return true;
    return false;
}

static void read_link(sdf_reader *r, const tn_xml *link, const sdf_scope *in)
{
    const char *name = tn_xml_get(link, "name");
    if (!name) {
        SDF_ERROR(r, link->place, "<link> without a name");
        return;
    }
    int index = add_entity(r, SDF_LINK, in, name, link, OWN_FRAME);
    if (strcmp(name, "world") == 0) {
        r->entities[index].body = TN_GROUND;
        tn_machine_note_add(r->machine, TN_WARNING, link->place, "a link with the name 'world', which is that of the world itself: "
                            "it is taken as ground, without its shapes and its mass");
        return;
    }
    int body = tn_machine_add_body(r->machine, in->label[0] ? tn_machine_text(r->machine, "%s_%s", in->label, name)
                                                            : name, link->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    r->machine->bodies[body].path = r->entities[index].name;
    r->entities[index].body = body;
    tn_sdf_inertial(r, link, body);
    for (const tn_xml *e = link->first; e; e = e->next) {
        if (tn_xml_is(e, "visual") || tn_xml_is(e, "collision"))
            tn_sdf_shape(r, e, body, index);
        else if (tn_xml_is(e, "gravity"))
            r->machine->bodies[body].lift = strcmp(e->text, "0") == 0 || strcmp(e->text, "false") == 0;
        else if (!tn_xml_is(e, "pose") && !tn_xml_is(e, "inertial") && !tn_xml_is(e, "self_collide") &&
                 !tn_xml_is(e, "enable_wind") && !tn_xml_is(e, "kinematic"))
            tn_machine_leave_out(r->machine, e->place, "<%s> of links", e->name);
    }
}

/* ---- models ---- */

static void read_model_entities(sdf_reader *r, const tn_xml *model, const sdf_scope *around, const char *label, int depth);

/* The content of a model; joints are made later, when all frames are known. */
static void read_content(sdf_reader *r, const tn_xml *model, const sdf_scope *in, int depth)
{
    for (const tn_xml *e = model->first; e; e = e->next) {
        const char *name = tn_xml_get(e, "name");
        if (tn_xml_is(e, "link"))
            read_link(r, e, in);
        else if (tn_xml_is(e, "joint") && name)
            add_entity(r, SDF_JOINT, in, name, e, tn_xml_child_text(e, "child"));
        else if (tn_xml_is(e, "frame") && name) {
            const char *to = tn_xml_get(e, "attached_to");
            add_entity(r, SDF_FRAME, in, name, e, to && to[0] ? to : OWN_FRAME);
        } else if (tn_xml_is(e, "model"))
            read_model_entities(r, e, in, name ? name : "", depth + 1);
        else if (!tn_drake_knows(e) && !tn_xml_is(e, "pose") && !tn_xml_is(e, "static") && !tn_xml_is(e, "self_collide") &&
                 !tn_xml_is(e, "allow_auto_disable") && !tn_xml_is(e, "enable_wind") && !tn_xml_is(e, "include") &&
                 !tn_xml_is(e, "replaced"))
            tn_machine_leave_out(r->machine, e->place, "<%s%s%s>", e->space, e->space[0] ? ":" : "", e->name);
    }
}

/* Names of everything in a model. What an <include merge="true"> brings belongs to the model around it, which knows the frame of
 * the merged model by a name of its own. */
static void read_model_entities(sdf_reader *r, const tn_xml *model, const sdf_scope *around, const char *label, int depth)
{
    const char *name = tn_xml_get(model, "name");
    bool merged = around->name[0] && tn_xml_get(model, "merged");
    enum { DEEPEST = 50 };
    if (!name || depth > DEEPEST) {
        SDF_ERROR(r, model->place, name ? "models are nested more than 50 deep" : "<model> without a name");
        return;
    }
    if (merged)
        name = tn_machine_text(r->machine, "_merged__%s__model__", name);
    int index = add_entity(r, SDF_MODEL, around, name, model, around->name[0] ? OWN_FRAME : NULL);
    if (merged)
        r->entities[index].inner = around->name;
    const sdf_scope own = { scoped(r, around->name, name), label, OWN_FRAME }, shared = { around->name, around->label, name };
    read_content(r, model, merged ? &shared : &own, depth);
}

static void fix_to_ground(sdf_reader *r, int body, const char *source)
{
    tn_machine *machine = r->machine;
    int joint = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_base", machine->bodies[body].name), "fixed",
                                     TN_GROUND, body, machine->bodies[body].place);
    if (tn_machine_status(machine) < 0)
        return;
    machine->joints[joint].frame1 = machine->bodies[body].pose;
    machine->joints[joint].source = source;
}

/* Static models, and with a fixed base the first link of every model. */
static void hold_models(sdf_reader *r)
{
    for (size_t i = 0; i < r->entity_count; i++) {
        const sdf_entity *model = &r->entities[i];
        if (model->kind != SDF_MODEL)
            continue;
        bool all = is_true(tn_xml_child_text(model->element, "static"));
        bool first = r->machine->options->base == TN_BASE_FIXED && model->scope[0] == 0;
        for (size_t k = i + 1; k < r->entity_count && (all || first); k++) {
            const sdf_entity *link = &r->entities[k];
            size_t length = strlen(model->name);
            if (link->kind != SDF_LINK || link->body <= TN_GROUND || strncmp(link->name, model->name, length) != 0 ||
                strncmp(link->name + length, "::", 2) != 0)
                continue;
            fix_to_ground(r, link->body, all ? "static" : "base");
            first = false;
        }
    }
}

int tn_sdf_find(sdf_reader *r, const char *scope, const char *name)
{
    return find_entity(r, scope, name);
}

tn_pose tn_sdf_resolve(sdf_reader *r, int entity)
{
    return resolve(r, entity, 0);
}

int tn_sdf_body(sdf_reader *r, const sdf_entity *from, const tn_xml *end)
{
    if (strcmp(end->text, "world") == 0)
        return TN_GROUND;
    int entity = tn_sdf_find_from(r, from, end->text);
    int body = entity < 0 ? unknown_frame(r, end, end->text) : body_of(r, entity, 0);
    if (entity >= 0 && body < 0)
        SDF_ERROR(r, end->place, "'%s' leads to no link", end->text);
    return body;
}

/* <model placement_frame="f">: the pose is that of the frame f, not of the model. */
static void apply_placement_frames(sdf_reader *r)
{
    for (size_t i = 0; i < r->entity_count; i++) {
        sdf_entity *model = &r->entities[i];
        const char *name = model->kind == SDF_MODEL ? tn_xml_get(model->element, "placement_frame") : NULL;
        if (!name || !name[0])
            continue;
        int frame = find_entity(r, model->inner, name);
        if (frame < 0) {
            unknown_frame(r, model->element, name);
            continue;
        }
        model->world = tn_pose_identity();
        model->state = SDF_RESOLVED;
        tn_pose inside = resolve(r, frame, 0), none = tn_pose_identity(), back = tn_pose_relative(&inside, &none);
        for (size_t k = 0; k < r->entity_count; k++)
            r->entities[k].state = SDF_OPEN;
        model->raw = tn_pose_compose(&model->raw, &back);
    }
}

/* A link or frame that an element of Drake in a model names. */
static bool find_for_drake(void *user, const tn_xml *element, const char *name, int *body, tn_pose *place)
{
    sdf_reader *r = user;
    const sdf_entity *model = NULL;
    for (size_t i = 0; i < r->entity_count; i++)
        if (r->entities[i].kind == SDF_MODEL && r->entities[i].element == element->parent)
            model = &r->entities[i];
    int entity = model ? find_entity(r, model->inner, name) : -1;
    *body = entity < 0 ? unknown_frame(r, element, name) : body_of(r, entity, 0);
    if (*body < 0)
        return false;
    tn_pose world = resolve(r, entity, 0);
    *place = tn_pose_relative(&r->machine->bodies[*body].pose, &world);
    return true;
}

static void read_drake(sdf_reader *r)
{
    const tn_drake_names names = { r, find_for_drake };
    for (size_t i = 0; i < r->entity_count; i++) {
        const tn_xml *model = r->entities[i].element;
        for (const tn_xml *e = r->entities[i].kind == SDF_MODEL ? model->first : NULL; e; e = e->next)
            if (tn_drake_knows(e))
                tn_drake_read(r->machine, e, &names);
    }
}

/* Places of everything, then the joints. */
static void connect_links(sdf_reader *r)
{
    apply_placement_frames(r);
    for (size_t i = 0; i < r->entity_count; i++) {
        tn_pose pose = resolve(r, (int)i, 0);
        if (r->entities[i].kind == SDF_LINK && r->entities[i].body > TN_GROUND)
            r->machine->bodies[r->entities[i].body].pose = pose;
    }
    tn_sdf_place_shapes(r);
    for (size_t i = 0; i < r->entity_count; i++)
        if (r->entities[i].kind == SDF_JOINT)
            tn_sdf_joint(r, (int)i);
    for (size_t i = 0; i < r->entity_count; i++)
        if (r->entities[i].kind == SDF_JOINT) {
            tn_sdf_mimic(r, (int)i);
            tn_sdf_gearbox(r, (int)i);
        }
    read_drake(r);
}

enum { NEWEST_VERSION = 112 };         /* 1.12 */

int tn_sdf_version(const char *text)
{
    char *end = NULL;
    long major = text ? strtol(text, &end, 10) : 0, minor = end && *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return major >= 0 && major < 1000 && minor >= 0 && minor < 100 ? (int)(100 * major + minor) : 0;
}

static int read_world(sdf_reader *r, const tn_xml *root)
{
    tn_machine *machine = r->machine;
    const tn_xml *world = tn_xml_child(root, "world"), *top = world ? world : root;
    const tn_xml *gravity = tn_xml_child(world, "gravity");
    const sdf_scope everything = { "", "", OWN_FRAME };
    if (!gravity)              /* before version 1.6 */
        gravity = tn_xml_child(tn_xml_child(world, "physics"), "gravity");
    const tn_xml *only = tn_xml_child(top, "model");
    bool several = only && tn_xml_next(only, "model");     /* names of links need that of their model */
    r->version = tn_sdf_version(tn_xml_get(root, "version"));
    if (r->version > NEWEST_VERSION)
        tn_machine_note_add(machine, TN_WARNING, root->place, "version %s of SDFormat is not known: read like 1.%d",
                            tn_xml_get(root, "version"), NEWEST_VERSION % 100);
    machine->gravity[2] = world ? -9.8 : -9.81;
    if (gravity)
        tn_source_numbers(machine, machine->gravity, 3, gravity->text, "<gravity>", gravity->place);
    for (const tn_xml *e = top->first; e; e = e->next) {
        if (tn_xml_is(e, "model"))
            read_model_entities(r, e, &everything, several && tn_xml_get(e, "name") ? tn_xml_get(e, "name") : "", 0);
        else if (tn_xml_is(e, "frame") && tn_xml_get(e, "name"))
            add_entity(r, SDF_FRAME, &everything, tn_xml_get(e, "name"), e, tn_xml_get(e, "attached_to"));
        else if (tn_xml_is(e, "joint") && tn_xml_get(e, "name"))
            add_entity(r, SDF_JOINT, &everything, tn_xml_get(e, "name"), e, tn_xml_child_text(e, "child"));
        else if (!tn_xml_is(e, "gravity") && !tn_xml_is(e, "include"))
            tn_machine_leave_out(machine, e->place, "<%s>", e->name);
    }
    const tn_xml *first = tn_xml_child(top, "model");
    machine->name = world && tn_xml_get(world, "name") ? tn_xml_get(world, "name")
                    : first && tn_xml_get(first, "name") ? tn_xml_get(first, "name") : "SDF model";
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "there are no links in the file");
    connect_links(r);
    hold_models(r);
    tn_machine_lift(machine, "gravity of the link");
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

int tn_sdf_joints_of_urdf(tn_machine *machine, const tn_source_files *files, const tn_xml *robot, const tn_name_index *links)
{
    enum { VERSION = 107 };            /* of the SDFormat that Gazebo makes of URDF */
    static const char model[] = "robot";
    const sdf_scope world = { "", "", OWN_FRAME }, in = { model, "", OWN_FRAME };
    sdf_reader r = { .machine = machine, .files = files, .version = VERSION };
    TN_TRY(tn_index_create(&r.names, machine));
    add_entity(&r, SDF_MODEL, &world, model, robot, NULL);
    for (const tn_xml *link = tn_xml_child(robot, "link"); link; link = tn_xml_next(link, "link")) {
        int body = tn_index_find(links, tn_xml_get(link, "name"));
        if (body < 0)
            continue;
        sdf_entity *e = &r.entities[add_entity(&r, SDF_LINK, &in, tn_xml_get(link, "name"), link, OWN_FRAME)];
        TN_TRY(tn_machine_status(machine));
        e->raw = machine->bodies[body].pose;
        e->body = body;
    }
    for (const tn_xml *g = tn_xml_child(robot, "gazebo"); g; g = tn_xml_next(g, "gazebo"))
        for (const tn_xml *e = tn_xml_child(g, "joint"); e && tn_urdf_closes_loops(g); e = tn_xml_next(e, "joint"))
            if (tn_xml_get(e, "name"))
                add_entity(&r, SDF_JOINT, &in, tn_xml_get(e, "name"), e, tn_xml_child_text(e, "child"));
    TN_TRY(tn_machine_status(machine));
    connect_links(&r);
    return r.failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_sdf(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    sdf_reader r = { .machine = machine, .files = files };
    tn_xml *root = NULL;
    TN_TRY(tn_xml_parse(&root, machine->arena, machine->context, files->main, data, size));
    if (!tn_xml_is(root, "sdf") && !tn_xml_is(root, "gazebo"))
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "the root element is <%s>, not <sdf>", root->name);
    TN_TRY(tn_index_create(&r.names, machine));
    tn_sdf_include(&r, root);
    tn_source_drop_foreign(machine, root, "drake");
    return r.failed ? TN_ERROR_MODEL : read_world(&r, root);
}

static bool is_sdf(const char *data, size_t size)
{
    (void)size;
    return strstr(data, "<sdf") != NULL || strstr(data, "<gazebo version") != NULL;    /* the root before SDFormat 1.3 */
}

const tn_importer tn_importer_sdf = {
    .name = "sdf",
    .endings = ".sdf .world .xml",
    .doc = "SDFormat (Gazebo)",
    .recognises = is_sdf,
    .read = read_sdf,
};
