/* The scene of a model as JSON, for viewers and for clients that edit. */
#include "scene.h"
#include "base64.h"
#include <math.h>
#include <string.h>

enum { PATH_SIZE = 512 };

static cJSON *numbers(const double *values, int count)
{
    return cJSON_CreateDoubleArray(values, count);
}

static void add_pose(cJSON *item, const tn_pose *pose)
{
    cJSON_AddItemToObject(item, "position", numbers(pose->p, 3));
    cJSON_AddItemToObject(item, "rotation", numbers(pose->q, 4));
}

/* Words as a base64 string. */
static void add_words(cJSON *item, const char *key, const tn_word *words, size_t count)
{
    char *text = cJSON_malloc(tn_base64_length(4 * count) + 1);
    tn_base64_words(text, words, count);
    cJSON_AddStringToObject(item, key, text);
    cJSON_free(text);
}

static void add_mesh(cJSON *item, const tn_shape_def *mesh)
{
    size_t vertices = 3 * mesh->vertex_count, corners = 3 * mesh->triangle_count;
    tn_word *words = cJSON_malloc((vertices > corners ? vertices : corners) * sizeof *words);
    for (size_t i = 0; i < vertices; i++)
        words[i].number = (float)mesh->vertices[i];
    add_words(item, "vertices", words, vertices);
    for (size_t i = 0; i < corners; i++)
        words[i].bits = (uint32_t)mesh->triangles[i];
    add_words(item, "triangles", words, corners);
    cJSON_free(words);
}

/* x and y of each corner. */
static void add_corners(cJSON *item, const tn_shape_def *polygon)
{
    cJSON *corners = cJSON_AddArrayToObject(item, "corners");
    for (size_t i = 0; i < polygon->vertex_count; i++)
        cJSON_AddItemToArray(corners, numbers(&polygon->vertices[3 * i], 2));
}

static cJSON *json_shape(const tn_shape_def *shape)
{
    static const struct { const char *name; int sizes; } kinds[] = {
        [TN_SHAPE_BOX] = { "box", 3 },   [TN_SHAPE_CYLINDER] = { "cylinder", 2 }, [TN_SHAPE_SPHERE] = { "sphere", 1 },
        [TN_SHAPE_ROD] = { "rod", 2 },   [TN_SHAPE_CAPSULE] = { "capsule", 2 },   [TN_SHAPE_MESH] = { "mesh", 0 },
        [TN_SHAPE_POLYGON] = { "polygon", 1 },   [TN_SHAPE_HALF_SPACE] = { "half_space", 0 },
        [TN_SHAPE_CONE] = { "cone", 2 }, [TN_SHAPE_TORUS] = { "torus", 2 },       [TN_SHAPE_ELLIPSOID] = { "ellipsoid", 3 },
        [TN_SHAPE_TUBE] = { "tube", 3 }, [TN_SHAPE_BOWL] = { "bowl", 2 }, [TN_SHAPE_NONE] = { "none", 0 },
    };
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "kind", kinds[shape->kind].name);
    add_pose(item, &shape->pose);
    cJSON_AddItemToObject(item, "size", numbers(shape->size, kinds[shape->kind].sizes));
    if (shape->kind == TN_SHAPE_MESH)
        add_mesh(item, shape);
    if (shape->kind == TN_SHAPE_POLYGON)
        add_corners(item, shape);
    return item;
}

/* The model whose scene is written, and whether with all details. */
typedef struct writer {
    const tn_model *model;
    bool detailed;
} writer;

/* Is the position of this point, by its path, among the outputs of the model? */
static bool is_watched(const tn_model *model, const char *path)
{
    char channel[PATH_SIZE];
    int length = snprintf(channel, sizeof channel, "%s.position", path);
    for (size_t i = 0; i < tn_model_output_count(model); i++) {
        const char *output = tn_model_output(model, i);
        if (strncmp(output, channel, (size_t)length) == 0 && (output[length] == '\0' || output[length] == '.'))
            return true;
    }
    return false;
}

static void add_shapes(cJSON *item, const tn_model *model, tn_id body)
{
    cJSON *shapes = cJSON_AddArrayToObject(item, "shapes");
    for (size_t i = 0; i < tn_model_shape_count(model, body); i++) {
        tn_shape_def shape = tn_model_shape(model, body, i);
        cJSON_AddItemToArray(shapes, json_shape(&shape));
    }
}

/* The surface of a look; no colour: that of the body. */
static void add_surface(cJSON *item, const tn_shape_def *look)
{
    const tn_finish *finish = look->finish ? tn_finish_find(look->finish) : tn_finish_at(0);
    int colour = look->colour != TN_NO_COLOUR ? look->colour : finish->colour;
    cJSON *surface = cJSON_AddObjectToObject(item, "surface");
    if (colour != TN_NO_COLOUR)
        cJSON_AddNumberToObject(surface, "colour", colour);
    cJSON_AddNumberToObject(surface, "metalness", finish->metalness);
    cJSON_AddNumberToObject(surface, "roughness", finish->roughness);
    cJSON_AddNumberToObject(surface, "opacity", finish->opacity);
}

static void add_looks(cJSON *item, const tn_model *model, tn_id body)
{
    size_t count = tn_model_look_count(model, body);
    cJSON *looks = count > 0 ? cJSON_AddArrayToObject(item, "looks") : NULL;
    for (size_t i = 0; i < count; i++) {
        tn_shape_def look = tn_model_look(model, body, i);
        cJSON *shape = json_shape(&look);
        add_surface(shape, &look);
        cJSON_AddItemToArray(looks, shape);
    }
}

/* ---- what people look at and change ---- */

static cJSON *json_property(const tn_property *p)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", p->name);
    cJSON_AddStringToObject(item, "unit", p->unit);
    if (p->expression)
        cJSON_AddStringToObject(item, "expression", p->expression);
    else if (isfinite(p->value))
        cJSON_AddNumberToObject(item, "value", p->value);
    if (isfinite(p->initial))
        cJSON_AddNumberToObject(item, "default", p->initial);
    if (p->as_built)
        cJSON_AddStringToObject(item, "as_built", p->as_built);
    cJSON_AddStringToObject(item, "doc", p->doc);
    if (p->fixed)
        cJSON_AddTrueToObject(item, "fixed");
    return item;
}

static void add_place(cJSON *item, tn_span span)
{
    if (span.file && span.line > 0) {
        cJSON_AddStringToObject(item, "file", span.file);
        cJSON_AddNumberToObject(item, "line", span.line);
    }
}

/* Stops of the coordinates of a joint; a side without one is not there. */
static void add_limits(cJSON *item, const tn_model *model, tn_id joint)
{
    size_t count = tn_model_limit_count(model, joint);
    cJSON *list = count > 0 ? cJSON_AddArrayToObject(item, "limits") : NULL;
    for (size_t i = 0; i < count; i++) {
        tn_limit limit = tn_model_limit_at(model, joint, i);
        cJSON *stop = cJSON_CreateObject();
        cJSON_AddStringToObject(stop, "coordinate", limit.coordinate);
        if (isfinite(limit.low))
            cJSON_AddNumberToObject(stop, "low", limit.low);
        if (isfinite(limit.high))
            cJSON_AddNumberToObject(stop, "high", limit.high);
        cJSON_AddNumberToObject(stop, "restitution", limit.restitution);
        cJSON_AddItemToArray(list, stop);
    }
}

static void add_details(cJSON *item, const writer *w, tn_id id)
{
    if (!w->detailed)
        return;
    cJSON *list = cJSON_AddArrayToObject(item, "properties");
    for (size_t i = 0; i < tn_model_property_count(w->model, id); i++) {
        tn_property property;
        if (tn_model_property(&property, w->model, id, i) == TN_OK)
            cJSON_AddItemToArray(list, json_property(&property));
    }
    if (id.kind == TN_KIND_JOINT)
        add_limits(item, w->model, id);
    if (tn_model_mirrored(w->model, id))
        cJSON_AddTrueToObject(item, "mirrored");
    cJSON_AddBoolToObject(item, "enabled", tn_model_enabled(w->model, id));
    add_place(item, tn_model_entity_span(w->model, id));
}

static cJSON *json_entity(const writer *w, tn_id id)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", tn_model_entity_name(w->model, id));
    cJSON_AddStringToObject(item, "type", tn_model_entity_type(w->model, id));
    return item;
}

static void add_event(cJSON *array, const tn_event_info *event)
{
    static const char *const crossings[] = { [TN_CROSSES_BOTH] = "both", [TN_CROSSES_UP] = "up",
                                             [TN_CROSSES_DOWN] = "down" };
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", event->name);
    cJSON_AddStringToObject(item, "when", event->when);
    cJSON_AddStringToObject(item, "crosses", crossings[event->def->crosses]);
    cJSON *actions = cJSON_AddArrayToObject(item, "do");
    for (size_t i = 0; i < event->def->action_count; i++)
        cJSON_AddItemToArray(actions, cJSON_CreateString(event->def->actions[i].text));
    add_place(item, event->span);
    cJSON_AddItemToArray(array, item);
}

/* ---- bodies, frames, joints and forces ---- */

static void add_body(cJSON *array, const writer *w, tn_id body)
{
    double mass = 0, com[3] = { 0 }, inertia[6] = { 0 };
    cJSON *item = json_entity(w, body);
    tn_model_body_mass(&mass, com, inertia, w->model, body);
    cJSON_AddNumberToObject(item, "mass", mass);
    cJSON_AddItemToObject(item, "com", numbers(com, 3));
    cJSON_AddItemToObject(item, "inertia", numbers(inertia, 6));
    cJSON_AddBoolToObject(item, "watched", is_watched(w->model, tn_model_entity_name(w->model, body)));
    add_shapes(item, w->model, body);
    add_looks(item, w->model, body);
    add_details(item, w, body);
    cJSON_AddItemToArray(array, item);
}

/* Number of a body in the scene; -1: ground. Bodies are numbered by their index, without those that were removed: the search
 * begins where it would end if none was, so that large scenes do not take the square of their time. */
static int body_number(const tn_model *model, tn_id body)
{
    const size_t count = tn_model_count(model, TN_KIND_BODY);
    for (size_t i = body.index < count ? body.index + 1 : count; i-- > 0;)
        if (tn_model_at(model, TN_KIND_BODY, i).index == body.index)
            return (int)i;
    return -1;
}

static void add_end(cJSON *item, const char *key, const tn_model *model, const tn_end *end)
{
    cJSON *place = cJSON_AddObjectToObject(item, key);
    cJSON_AddNumberToObject(place, "body", body_number(model, end->body));
    add_pose(place, &end->pose);
}

static void add_frame(cJSON *array, const writer *w, tn_id frame)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, frame) != 1)
        return;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", tn_model_entity_name(w->model, ends[0].body),
             tn_model_entity_name(w->model, frame));
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", path);
    cJSON_AddBoolToObject(item, "watched", is_watched(w->model, path));
    add_end(item, "end", w->model, &ends[0]);
    cJSON_AddItemToArray(array, item);
}

/* Joints and forces between two bodies. */
/* Of a device: its family and ports; of a node: its domain and what is measured there. */
static void add_network(cJSON *item, const tn_model *model, tn_id id)
{
    const char *domain, *across, *unit, *family = tn_model_device_family(model, id);
    if (tn_model_node(&domain, &across, &unit, model, id)) {
        cJSON_AddStringToObject(item, "domain", domain);
        cJSON_AddStringToObject(item, "across", across);
        cJSON_AddStringToObject(item, "across_unit", unit);
    }
    if (!family)
        return;
    cJSON_AddStringToObject(item, "family", family);
    cJSON *ports = cJSON_AddArrayToObject(item, "device_ports");
    for (size_t k = 0; k < tn_model_device_port_count(model, id); k++) {
        const tn_device_port_info port = tn_model_device_port(model, id, k);
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", port.name);
        cJSON_AddStringToObject(one, "domain", port.domain);
        if (port.text)
            cJSON_AddStringToObject(one, "text", port.text);
        if (port.node.kind == TN_KIND_FORCE)
            cJSON_AddStringToObject(one, "node", tn_model_entity_name(model, port.node));
        cJSON_AddItemToArray(ports, one);
    }
}

static void add_connection(cJSON *array, const writer *w, tn_id id)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, id) != 2)
        return;
    const char *glyph = tn_model_joint_glyph(w->model, id);
    cJSON *item = json_entity(w, id);
    if (glyph)
        cJSON_AddStringToObject(item, "glyph", glyph);
    add_end(item, "end1", w->model, &ends[0]);
    add_end(item, "end2", w->model, &ends[1]);
    if (w->detailed && id.kind == TN_KIND_FORCE)
        add_network(item, w->model, id);
    add_details(item, w, id);
    cJSON_AddItemToArray(array, item);
}

static void add_coupled(cJSON *item, const writer *w, tn_id joint)
{
    tn_coupling_term terms[TN_MAX_COUPLED];
    cJSON *list = cJSON_AddArrayToObject(item, "couples");
    size_t count = tn_model_coupled(terms, w->model, joint);
    for (size_t i = 0; i < count; i++) {
        cJSON *term = cJSON_CreateObject();
        cJSON_AddStringToObject(term, "joint", tn_model_entity_name(w->model, terms[i].joint));
        cJSON_AddStringToObject(term, "coordinate", terms[i].coordinate);
        cJSON_AddItemToArray(list, term);
    }
}

/* Joints that couple others, drives among them, and forces that act nowhere: nothing of them is seen. */
static void add_unseen(cJSON *array, const writer *w, tn_id id)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, id) != 0)
        return;
    cJSON *item = json_entity(w, id);
    if (w->detailed && id.kind == TN_KIND_JOINT)
        add_coupled(item, w, id);
    add_details(item, w, id);
    cJSON_AddItemToArray(array, item);
}

static void add_entities(cJSON *scene, const char *key, const writer *w, tn_kind kind,
                         void (*add)(cJSON *array, const writer *w, tn_id id))
{
    cJSON *array = cJSON_AddArrayToObject(scene, key);
    for (size_t i = 0; i < tn_model_count(w->model, kind); i++)
        add(array, w, tn_model_at(w->model, kind, i));
}

static void add_events(cJSON *scene, const tn_model *model)
{
    cJSON *array = cJSON_AddArrayToObject(scene, "events");
    for (size_t i = 0; i < tn_model_event_count(model); i++) {
        tn_event_info event = tn_model_event_at(model, i);
        add_event(array, &event);
    }
}

static void add_ports(cJSON *item, const tn_model *model, tn_id subsystem, size_t count)
{
    cJSON *ports = cJSON_AddObjectToObject(item, "ports");
    for (size_t k = 0; k < count; k++) {
        tn_port_info port = tn_model_port(model, subsystem, k);
        char path[PATH_SIZE];
        tn_end ends[2];
        const char *name = tn_model_entity_name(model, port.target);
        snprintf(path, sizeof path, "%s", name ? name : "");
        if (name && tn_model_ends(ends, model, port.target) == 1)
            snprintf(path, sizeof path, "%s.%s", tn_model_entity_name(model, ends[0].body), name);
        cJSON_AddStringToObject(ports, port.name, path);
    }
}

cJSON *tn_json_parameters(const tn_model *model, const char *subsystem)
{
    cJSON *list = cJSON_CreateArray();
    size_t length = strlen(subsystem);
    for (size_t i = 0; i < tn_model_parameter_count(model); i++) {
        tn_parameter_value p = tn_model_parameter(model, i);
        const char *point = strrchr(p.name, '.');
        if ((point ? (size_t)(point - p.name) : 0) != length || strncmp(p.name, subsystem, length) != 0)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", point ? point + 1 : p.name);
        cJSON_AddNumberToObject(item, "value", p.value);
        cJSON_AddStringToObject(item, "unit", p.unit ? p.unit : "");
        if (p.given)
            cJSON_AddStringToObject(item, "given", p.given);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

cJSON *tn_json_variants(const tn_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < tn_model_parameter_count(model); i++) {
        const tn_parameter_value p = tn_model_parameter(model, i);
        tn_parameter_value one = p;
        char word[128], name[PATH_SIZE];
        if (!p.choices)
            continue;
        cJSON *item = cJSON_CreateObject(), *words = cJSON_CreateArray();
        snprintf(name, sizeof name, "%.*s", (int)(strrchr(p.name, '.') - p.name), p.name);
        for (one.value = 0; tn_parameter_word(word, sizeof word, &one)[0]; one.value++)
            cJSON_AddItemToArray(words, cJSON_CreateString(word));
        cJSON_AddStringToObject(item, "name", name);
        cJSON_AddStringToObject(item, "chosen", tn_parameter_word(word, sizeof word, &p));
        cJSON_AddItemToObject(item, "variants", words);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static void add_solve(cJSON *item, const tn_solve *solve)
{
    cJSON *settings = cJSON_AddObjectToObject(item, "solve");
    cJSON_AddStringToObject(settings, "scheme", solve->scheme);
    cJSON_AddStringToObject(settings, "integrator", solve->integrator);
    cJSON_AddStringToObject(settings, "solver", solve->solver);
    if (isfinite(solve->step))
        cJSON_AddNumberToObject(settings, "step", solve->step);
}

static void add_inside(cJSON *item, const writer *w, const tn_subsystem_info *info)
{
    cJSON_AddItemToObject(item, "parameters", tn_json_parameters(w->model, info->path));
    if (info->solve)
        add_solve(item, info->solve);
}

static cJSON *json_subsystems(const writer *w)
{
    const tn_model *model = w->model;
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_SUBSYSTEM); i++) {
        tn_id id = tn_model_at(model, TN_KIND_SUBSYSTEM, i);
        tn_subsystem_info info;
        if (tn_model_subsystem(&info, model, id) < 0)
            continue;
        cJSON *item = cJSON_CreateObject();
        const char *parent = tn_model_entity_name(model, info.parent);
        cJSON_AddStringToObject(item, "name", info.path);
        cJSON_AddStringToObject(item, "parent", parent ? parent : "");
        cJSON_AddStringToObject(item, "file", info.file ? info.file : "");
        cJSON_AddBoolToObject(item, "closed", info.closed);
        cJSON_AddBoolToObject(item, "enabled", tn_model_enabled(model, id));
        add_pose(item, &info.world);
        add_ports(item, model, id, info.ports);
        if (w->detailed)
            add_inside(item, w, &info);
        cJSON_AddItemToArray(array, item);
    }
    return array;
}

cJSON *tn_json_subsystems(const tn_model *model)
{
    return json_subsystems(&(writer){ model, false });
}

static cJSON *write_scene(const writer *w)
{
    double gravity[3];
    const char *name = tn_model_name(w->model);
    cJSON *scene = cJSON_CreateObject();
    tn_model_gravity(gravity, w->model);
    cJSON_AddStringToObject(scene, "name", name ? name : "");
    cJSON_AddNumberToObject(scene, "dimension", tn_model_dimension(w->model));
    cJSON_AddItemToObject(scene, "gravity", numbers(gravity, 3));
    cJSON *units = cJSON_AddObjectToObject(scene, "units");
    cJSON_AddStringToObject(units, "length", "m");
    cJSON_AddStringToObject(units, "time", "s");
    cJSON_AddItemToObject(scene, "subsystems", json_subsystems(w));
    cJSON *ground = cJSON_AddObjectToObject(scene, "ground");
    add_shapes(ground, w->model, tn_model_ground(w->model));
    add_looks(ground, w->model, tn_model_ground(w->model));
    add_entities(scene, "bodies", w, TN_KIND_BODY, add_body);
    add_entities(scene, "frames", w, TN_KIND_FRAME, add_frame);
    add_entities(scene, "joints", w, TN_KIND_JOINT, add_connection);
    add_entities(scene, "couplings", w, TN_KIND_JOINT, add_unseen);
    add_entities(scene, "forces", w, TN_KIND_FORCE, add_connection);
    return scene;
}

cJSON *tn_json_scene(const tn_model *model)
{
    return write_scene(&(writer){ model, false });
}

cJSON *tn_json_scene_detailed(const tn_model *model)
{
    writer w = { model, true };
    tn_solve solve = tn_model_solve(model);
    cJSON *scene = write_scene(&w);
    add_solve(scene, &solve);
    if (isfinite(solve.until))
        cJSON_AddNumberToObject(scene, "until", solve.until);
    cJSON_AddItemToObject(scene, "parameters", tn_json_parameters(model, ""));
    add_entities(scene, "others", &w, TN_KIND_FORCE, add_unseen);
    add_events(scene, model);
    cJSON_AddItemToObject(scene, "variants", tn_json_variants(model));
    return scene;
}
