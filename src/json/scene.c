/* The scene of a model as JSON, for viewers and for clients that edit. */
#include "scene.h"
#include "base64.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 };

static void add_pose(tn_json_text *out, const tn_pose *pose)
{
    tn_json_text_numbers(out, "position", pose->p, 3);
    tn_json_text_numbers(out, "rotation", pose->q, 4);
}

static void add_mesh(tn_json_text *out, const tn_shape_def *mesh)
{
    size_t vertices = 3 * mesh->vertex_count, corners = 3 * mesh->triangle_count;
    tn_word *words = calloc(vertices > corners ? vertices : corners, sizeof *words);
    out->broken |= words == NULL;
    if (!words)
        return;
    for (size_t i = 0; i < vertices; i++)
        words[i].number = (float)mesh->vertices[i];
    tn_json_text_words(out, "vertices", words, vertices);
    for (size_t i = 0; i < corners; i++)
        words[i].bits = (uint32_t)mesh->triangles[i];
    tn_json_text_words(out, "triangles", words, corners);
    free(words);
}

/* x and y of each corner. */
static void add_corners(tn_json_text *out, const tn_shape_def *polygon)
{
    tn_json_text_begin(out, "corners", '[');
    for (size_t i = 0; i < polygon->vertex_count; i++)
        tn_json_text_numbers(out, NULL, &polygon->vertices[3 * i], 2);
    tn_json_text_end(out, ']');
}

/* The surface of a look follows, in the same object. */
static void begin_shape(tn_json_text *out, const tn_shape_def *shape)
{
    static const struct { const char *name; size_t sizes; } kinds[] = {
        [TN_SHAPE_BOX] = { "box", 3 },   [TN_SHAPE_CYLINDER] = { "cylinder", 2 }, [TN_SHAPE_SPHERE] = { "sphere", 1 },
        [TN_SHAPE_ROD] = { "rod", 2 },   [TN_SHAPE_CAPSULE] = { "capsule", 2 },   [TN_SHAPE_MESH] = { "mesh", 0 },
        [TN_SHAPE_POLYGON] = { "polygon", 1 },   [TN_SHAPE_HALF_SPACE] = { "half_space", 0 },
        [TN_SHAPE_CONE] = { "cone", 2 }, [TN_SHAPE_TORUS] = { "torus", 2 },       [TN_SHAPE_ELLIPSOID] = { "ellipsoid", 3 },
        [TN_SHAPE_TUBE] = { "tube", 3 }, [TN_SHAPE_BOWL] = { "bowl", 2 }, [TN_SHAPE_NONE] = { "none", 0 },
    };
    tn_json_text_begin(out, NULL, '{');
    tn_json_text_string(out, "kind", kinds[shape->kind].name);
    add_pose(out, &shape->pose);
    tn_json_text_numbers(out, "size", shape->size, kinds[shape->kind].sizes);
    if (shape->kind == TN_SHAPE_MESH)
        add_mesh(out, shape);
    if (shape->kind == TN_SHAPE_POLYGON)
        add_corners(out, shape);
}

/* The model whose scene is written, whether with all details, and the text. */
typedef struct writer {
    const tn_model *model;
    bool detailed;
    tn_json_text *out;
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

static void add_shapes(const writer *w, tn_id body)
{
    tn_json_text_begin(w->out, "shapes", '[');
    for (size_t i = 0; i < tn_model_shape_count(w->model, body); i++) {
        tn_shape_def shape = tn_model_shape(w->model, body, i);
        begin_shape(w->out, &shape);
        tn_json_text_end(w->out, '}');
    }
    tn_json_text_end(w->out, ']');
}

/* The surface of a look; no colour: that of the body. */
static void add_surface(tn_json_text *out, const tn_shape_def *look)
{
    const tn_finish *finish = look->finish ? tn_finish_find(look->finish) : tn_finish_at(0);
    int colour = look->colour != TN_NO_COLOUR ? look->colour : finish->colour;
    tn_json_text_begin(out, "surface", '{');
    if (colour != TN_NO_COLOUR)
        tn_json_text_number(out, "colour", colour);
    tn_json_text_number(out, "metalness", finish->metalness);
    tn_json_text_number(out, "roughness", finish->roughness);
    tn_json_text_number(out, "opacity", finish->opacity);
    tn_json_text_end(out, '}');
}

static void add_looks(const writer *w, tn_id body)
{
    size_t count = tn_model_look_count(w->model, body);
    if (count == 0)
        return;
    tn_json_text_begin(w->out, "looks", '[');
    for (size_t i = 0; i < count; i++) {
        tn_shape_def look = tn_model_look(w->model, body, i);
        begin_shape(w->out, &look);
        add_surface(w->out, &look);
        tn_json_text_end(w->out, '}');
    }
    tn_json_text_end(w->out, ']');
}

/* ---- what people look at and change ---- */

static void add_property(tn_json_text *out, const tn_property *p)
{
    tn_json_text_begin(out, NULL, '{');
    tn_json_text_string(out, "name", p->name);
    tn_json_text_string(out, "unit", p->unit);
    if (p->expression)
        tn_json_text_string(out, "expression", p->expression);
    else if (isfinite(p->value))
        tn_json_text_number(out, "value", p->value);
    if (isfinite(p->initial))
        tn_json_text_number(out, "default", p->initial);
    if (p->as_built)
        tn_json_text_string(out, "as_built", p->as_built);
    tn_json_text_string(out, "doc", p->doc);
    if (p->fixed)
        tn_json_text_bool(out, "fixed", true);
    tn_json_text_end(out, '}');
}

static void add_place(tn_json_text *out, tn_span span)
{
    if (span.file && span.line > 0) {
        tn_json_text_string(out, "file", span.file);
        tn_json_text_number(out, "line", span.line);
    }
}

/* Stops of the coordinates of a joint; a side without one is not there. */
static void add_limits(const writer *w, tn_id joint)
{
    size_t count = tn_model_limit_count(w->model, joint);
    if (count == 0)
        return;
    tn_json_text_begin(w->out, "limits", '[');
    for (size_t i = 0; i < count; i++) {
        tn_limit limit = tn_model_limit_at(w->model, joint, i);
        tn_json_text_begin(w->out, NULL, '{');
        tn_json_text_string(w->out, "coordinate", limit.coordinate);
        if (isfinite(limit.low))
            tn_json_text_number(w->out, "low", limit.low);
        if (isfinite(limit.high))
            tn_json_text_number(w->out, "high", limit.high);
        tn_json_text_number(w->out, "restitution", limit.restitution);
        tn_json_text_end(w->out, '}');
    }
    tn_json_text_end(w->out, ']');
}

static void add_details(const writer *w, tn_id id)
{
    if (!w->detailed)
        return;
    tn_json_text_begin(w->out, "properties", '[');
    for (size_t i = 0; i < tn_model_property_count(w->model, id); i++) {
        tn_property property;
        if (tn_model_property(&property, w->model, id, i) == TN_OK)
            add_property(w->out, &property);
    }
    tn_json_text_end(w->out, ']');
    if (id.kind == TN_KIND_JOINT)
        add_limits(w, id);
    if (tn_model_mirrored(w->model, id))
        tn_json_text_bool(w->out, "mirrored", true);
    tn_json_text_bool(w->out, "enabled", tn_model_enabled(w->model, id));
    add_place(w->out, tn_model_entity_span(w->model, id));
}

static void add_text(tn_json_text *out, const char *key, const char *text)
{
    if (text)
        tn_json_text_string(out, key, text);
}

static void begin_entity(const writer *w, tn_id id)
{
    tn_json_text_begin(w->out, NULL, '{');
    add_text(w->out, "name", tn_model_entity_name(w->model, id));
    add_text(w->out, "type", tn_model_entity_type(w->model, id));
}

static void add_event(tn_json_text *out, const tn_event_info *event)
{
    static const char *const crossings[] = { [TN_CROSSES_BOTH] = "both", [TN_CROSSES_UP] = "up",
                                             [TN_CROSSES_DOWN] = "down" };
    tn_json_text_begin(out, NULL, '{');
    add_text(out, "name", event->name);
    add_text(out, "when", event->when);
    tn_json_text_string(out, "crosses", crossings[event->def->crosses]);
    tn_json_text_begin(out, "do", '[');
    for (size_t i = 0; i < event->def->action_count; i++)
        add_text(out, NULL, event->def->actions[i].text);
    tn_json_text_end(out, ']');
    add_place(out, event->span);
    tn_json_text_end(out, '}');
}

/* ---- bodies, frames, joints and forces ---- */

static void add_body(const writer *w, tn_id body)
{
    double mass = 0, com[3] = { 0 }, inertia[6] = { 0 };
    begin_entity(w, body);
    tn_model_body_mass(&mass, com, inertia, w->model, body);
    tn_json_text_number(w->out, "mass", mass);
    tn_json_text_numbers(w->out, "com", com, 3);
    tn_json_text_numbers(w->out, "inertia", inertia, 6);
    tn_json_text_bool(w->out, "watched", is_watched(w->model, tn_model_entity_name(w->model, body)));
    add_shapes(w, body);
    add_looks(w, body);
    add_details(w, body);
    tn_json_text_end(w->out, '}');
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

static void add_end(const writer *w, const char *key, const tn_end *end)
{
    tn_json_text_begin(w->out, key, '{');
    tn_json_text_number(w->out, "body", body_number(w->model, end->body));
    add_pose(w->out, &end->pose);
    tn_json_text_end(w->out, '}');
}

static void add_frame(const writer *w, tn_id frame)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, frame) != 1)
        return;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", tn_model_entity_name(w->model, ends[0].body),
             tn_model_entity_name(w->model, frame));
    tn_json_text_begin(w->out, NULL, '{');
    tn_json_text_string(w->out, "name", path);
    tn_json_text_bool(w->out, "watched", is_watched(w->model, path));
    add_end(w, "end", &ends[0]);
    tn_json_text_end(w->out, '}');
}

/* Of a device: its family and ports; of a node: its domain and what is measured there. */
static void add_network(tn_json_text *out, const tn_model *model, tn_id id)
{
    const char *domain, *across, *unit, *family = tn_model_device_family(model, id);
    if (tn_model_node(&domain, &across, &unit, model, id)) {
        tn_json_text_string(out, "domain", domain);
        tn_json_text_string(out, "across", across);
        tn_json_text_string(out, "across_unit", unit);
    }
    if (!family)
        return;
    tn_json_text_string(out, "family", family);
    tn_json_text_begin(out, "device_ports", '[');
    for (size_t k = 0; k < tn_model_device_port_count(model, id); k++) {
        const tn_device_port_info port = tn_model_device_port(model, id, k);
        tn_json_text_begin(out, NULL, '{');
        tn_json_text_string(out, "name", port.name);
        tn_json_text_string(out, "domain", port.domain);
        add_text(out, "text", port.text);
        if (port.node.kind == TN_KIND_FORCE)
            add_text(out, "node", tn_model_entity_name(model, port.node));
        tn_json_text_end(out, '}');
    }
    tn_json_text_end(out, ']');
}

/* A spring without stiffness only damps. */
static bool only_damps(const tn_model *model, tn_id force)
{
    for (size_t i = 0; i < tn_model_property_count(model, force); i++) {
        tn_property property;
        if (tn_model_property(&property, model, force, i) == TN_OK && strcmp(property.name, "stiffness") == 0)
            return property.expression == NULL && property.value == 0;
    }
    return false;
}

/* Joints and forces between two bodies. */
static void add_connection(const writer *w, tn_id id)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, id) != 2)
        return;
    begin_entity(w, id);
    add_text(w->out, "glyph", tn_model_joint_glyph(w->model, id));
    add_end(w, "end1", &ends[0]);
    add_end(w, "end2", &ends[1]);
    if (id.kind == TN_KIND_FORCE && only_damps(w->model, id))
        tn_json_text_bool(w->out, "damper", true);
    if (w->detailed && id.kind == TN_KIND_FORCE)
        add_network(w->out, w->model, id);
    add_details(w, id);
    tn_json_text_end(w->out, '}');
}

static void add_coupled(const writer *w, tn_id joint)
{
    tn_coupling_term terms[TN_MAX_COUPLED];
    size_t count = tn_model_coupled(terms, w->model, joint);
    tn_json_text_begin(w->out, "couples", '[');
    for (size_t i = 0; i < count; i++) {
        tn_json_text_begin(w->out, NULL, '{');
        add_text(w->out, "joint", tn_model_entity_name(w->model, terms[i].joint));
        add_text(w->out, "coordinate", terms[i].coordinate);
        tn_json_text_end(w->out, '}');
    }
    tn_json_text_end(w->out, ']');
}

/* Joints that couple others, drives among them, and forces that act nowhere: nothing of them is seen. */
static void add_unseen(const writer *w, tn_id id)
{
    tn_end ends[2];
    if (tn_model_ends(ends, w->model, id) != 0)
        return;
    begin_entity(w, id);
    if (w->detailed && id.kind == TN_KIND_JOINT)
        add_coupled(w, id);
    add_details(w, id);
    tn_json_text_end(w->out, '}');
}

static void add_entities(const writer *w, const char *key, tn_kind kind, void (*add)(const writer *w, tn_id id))
{
    tn_json_text_begin(w->out, key, '[');
    for (size_t i = 0; i < tn_model_count(w->model, kind); i++)
        add(w, tn_model_at(w->model, kind, i));
    tn_json_text_end(w->out, ']');
}

static void add_events(const writer *w)
{
    tn_json_text_begin(w->out, "events", '[');
    for (size_t i = 0; i < tn_model_event_count(w->model); i++) {
        tn_event_info event = tn_model_event_at(w->model, i);
        add_event(w->out, &event);
    }
    tn_json_text_end(w->out, ']');
}

static void add_ports(tn_json_text *out, const tn_model *model, tn_id subsystem, size_t count)
{
    tn_json_text_begin(out, "ports", '{');
    for (size_t k = 0; k < count; k++) {
        tn_port_info port = tn_model_port(model, subsystem, k);
        char path[PATH_SIZE];
        tn_end ends[2];
        const char *name = tn_model_entity_name(model, port.target);
        snprintf(path, sizeof path, "%s", name ? name : "");
        if (name && tn_model_ends(ends, model, port.target) == 1)
            snprintf(path, sizeof path, "%s.%s", tn_model_entity_name(model, ends[0].body), name);
        tn_json_text_string(out, port.name, path);
    }
    tn_json_text_end(out, '}');
}

static void add_parameters(tn_json_text *out, const char *key, const tn_model *model, const char *subsystem)
{
    tn_json_text_begin(out, key, '[');
    size_t length = strlen(subsystem);
    for (size_t i = 0; i < tn_model_parameter_count(model); i++) {
        tn_parameter_value p = tn_model_parameter(model, i);
        const char *point = strrchr(p.name, '.');
        if ((point ? (size_t)(point - p.name) : 0) != length || strncmp(p.name, subsystem, length) != 0)
            continue;
        tn_json_text_begin(out, NULL, '{');
        tn_json_text_string(out, "name", point ? point + 1 : p.name);
        tn_json_text_number(out, "value", p.value);
        tn_json_text_string(out, "unit", p.shown ? p.shown : "");
        add_text(out, "written", p.written);
        add_text(out, "given", p.given);
        tn_json_text_end(out, '}');
    }
    tn_json_text_end(out, ']');
}

static void add_variants(tn_json_text *out, const char *key, const tn_model *model)
{
    tn_json_text_begin(out, key, '[');
    for (size_t i = 0; i < tn_model_parameter_count(model); i++) {
        const tn_parameter_value p = tn_model_parameter(model, i);
        tn_parameter_value one = p;
        char word[128], name[PATH_SIZE];
        if (!p.choices)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(strrchr(p.name, '.') - p.name), p.name);
        tn_json_text_begin(out, NULL, '{');
        tn_json_text_string(out, "name", name);
        tn_json_text_string(out, "chosen", tn_parameter_word(word, sizeof word, &p));
        tn_json_text_begin(out, "variants", '[');
        for (one.value = 0; tn_parameter_word(word, sizeof word, &one)[0]; one.value++)
            tn_json_text_string(out, NULL, word);
        tn_json_text_end(out, ']');
        tn_json_text_end(out, '}');
    }
    tn_json_text_end(out, ']');
}

static void add_solve(tn_json_text *out, const tn_solve *solve)
{
    tn_json_text_begin(out, "solve", '{');
    tn_json_text_string(out, "scheme", solve->scheme);
    tn_json_text_string(out, "integrator", solve->integrator);
    tn_json_text_string(out, "solver", solve->solver);
    if (isfinite(solve->step))
        tn_json_text_number(out, "step", solve->step);
    tn_json_text_end(out, '}');
}

static void add_inside(const writer *w, const tn_subsystem_info *info)
{
    add_parameters(w->out, "parameters", w->model, info->path);
    if (info->solve)
        add_solve(w->out, info->solve);
}

static void add_subsystems(const writer *w, const char *key)
{
    const tn_model *model = w->model;
    tn_json_text_begin(w->out, key, '[');
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_SUBSYSTEM); i++) {
        tn_id id = tn_model_at(model, TN_KIND_SUBSYSTEM, i);
        tn_subsystem_info info;
        if (tn_model_subsystem(&info, model, id) < 0)
            continue;
        const char *parent = tn_model_entity_name(model, info.parent);
        tn_json_text_begin(w->out, NULL, '{');
        tn_json_text_string(w->out, "name", info.path);
        tn_json_text_string(w->out, "parent", parent ? parent : "");
        tn_json_text_string(w->out, "file", info.file ? info.file : "");
        tn_json_text_bool(w->out, "closed", info.closed);
        tn_json_text_bool(w->out, "enabled", tn_model_enabled(model, id));
        add_pose(w->out, &info.world);
        add_ports(w->out, model, id, info.ports);
        if (w->detailed)
            add_inside(w, &info);
        tn_json_text_end(w->out, '}');
    }
    tn_json_text_end(w->out, ']');
}

/* Members of the object, without its brackets. */
static void write_scene(const writer *w)
{
    double gravity[3];
    const char *name = tn_model_name(w->model);
    tn_model_gravity(gravity, w->model);
    tn_json_text_string(w->out, "name", name ? name : "");
    tn_json_text_number(w->out, "dimension", tn_model_dimension(w->model));
    tn_json_text_numbers(w->out, "gravity", gravity, 3);
    tn_json_text_begin(w->out, "units", '{');
    tn_json_text_string(w->out, "length", "m");
    tn_json_text_string(w->out, "time", "s");
    tn_json_text_end(w->out, '}');
    add_subsystems(w, "subsystems");
    tn_json_text_begin(w->out, "ground", '{');
    add_shapes(w, tn_model_ground(w->model));
    add_looks(w, tn_model_ground(w->model));
    tn_json_text_end(w->out, '}');
    add_entities(w, "bodies", TN_KIND_BODY, add_body);
    add_entities(w, "frames", TN_KIND_FRAME, add_frame);
    add_entities(w, "joints", TN_KIND_JOINT, add_connection);
    add_entities(w, "couplings", TN_KIND_JOINT, add_unseen);
    add_entities(w, "forces", TN_KIND_FORCE, add_connection);
}

/* A text as a tree, for documents that are made of such; NULL: no memory. */
static cJSON *tree_of(tn_json_text *out)
{
    char *text = tn_json_text_take(out);
    cJSON *tree = text ? cJSON_Parse(text) : NULL;
    free(text);
    return tree;
}

cJSON *tn_json_scene(const tn_model *model)
{
    tn_json_text out = { 0 };
    tn_json_text_begin(&out, NULL, '{');
    write_scene(&(writer){ model, false, &out });
    tn_json_text_end(&out, '}');
    return tree_of(&out);
}

cJSON *tn_json_subsystems(const tn_model *model)
{
    tn_json_text out = { 0 };
    add_subsystems(&(writer){ model, false, &out }, NULL);
    return tree_of(&out);
}

cJSON *tn_json_parameters(const tn_model *model, const char *subsystem)
{
    tn_json_text out = { 0 };
    add_parameters(&out, NULL, model, subsystem);
    return tree_of(&out);
}

cJSON *tn_json_variants(const tn_model *model)
{
    tn_json_text out = { 0 };
    add_variants(&out, NULL, model);
    return tree_of(&out);
}

void tn_json_scene_detailed(tn_json_text *out, const char *key, const tn_model *model)
{
    writer w = { model, true, out };
    tn_solve solve = tn_model_solve(model);
    tn_json_text_begin(out, key, '{');
    write_scene(&w);
    add_solve(out, &solve);
    if (isfinite(solve.until))
        tn_json_text_number(out, "until", solve.until);
    add_parameters(out, "parameters", model, "");
    add_entities(&w, "others", TN_KIND_FORCE, add_unseen);
    add_events(&w);
    add_variants(out, "variants", model);
    tn_json_text_end(out, '}');
}
