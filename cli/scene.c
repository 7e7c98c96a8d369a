#include "scene.h"
#include "base64.h"
#include <stdlib.h>
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
    char *text = cJSON_malloc(tn_base64_length(count) + 1);
    tn_base64_text(text, words, count);
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

static cJSON *json_body(const tn_model *model, tn_id body)
{
    double mass = 0, com[3] = { 0 }, inertia[6] = { 0 };
    const char *name = tn_model_entity_name(model, body);
    cJSON *item = cJSON_CreateObject();
    tn_model_body_mass(model, body, &mass, com, inertia);
    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "type", tn_model_entity_type(model, body));
    cJSON_AddNumberToObject(item, "mass", mass);
    cJSON_AddItemToObject(item, "com", numbers(com, 3));
    cJSON_AddItemToObject(item, "inertia", numbers(inertia, 6));
    cJSON_AddBoolToObject(item, "watched", is_watched(model, name));
    add_shapes(item, model, body);
    return item;
}

/* Number of a body in the scene; -1: ground. */
static int body_number(const tn_model *model, tn_id body)
{
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_BODY); i++)
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

static void add_frame(cJSON *array, const tn_model *model, tn_id frame)
{
    tn_end ends[2];
    if (tn_model_ends(ends, model, frame) != 1)
        return;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", tn_model_entity_name(model, ends[0].body), tn_model_entity_name(model, frame));
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", path);
    cJSON_AddBoolToObject(item, "watched", is_watched(model, path));
    add_end(item, "end", model, &ends[0]);
    cJSON_AddItemToArray(array, item);
}

/* Joints and forces between two bodies. */
static void add_connection(cJSON *array, const tn_model *model, tn_id id)
{
    tn_end ends[2];
    if (tn_model_ends(ends, model, id) != 2)
        return;
    const char *glyph = tn_model_joint_glyph(model, id);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, id));
    cJSON_AddStringToObject(item, "type", tn_model_entity_type(model, id));
    if (glyph)
        cJSON_AddStringToObject(item, "glyph", glyph);
    add_end(item, "end1", model, &ends[0]);
    add_end(item, "end2", model, &ends[1]);
    cJSON_AddItemToArray(array, item);
}

/* Joints that couple others: nothing of them is seen. */
static void add_coupling(cJSON *array, const tn_model *model, tn_id joint)
{
    tn_end ends[2];
    if (tn_model_ends(ends, model, joint) != 0)
        return;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, joint));
    cJSON_AddStringToObject(item, "type", tn_model_entity_type(model, joint));
    cJSON_AddItemToArray(array, item);
}

static void add_entities(cJSON *scene, const char *key, const tn_model *model, tn_kind kind,
                         void (*add)(cJSON *array, const tn_model *model, tn_id id))
{
    cJSON *array = cJSON_AddArrayToObject(scene, key);
    for (size_t i = 0; i < tn_model_count(model, kind); i++)
        add(array, model, tn_model_at(model, kind, i));
}

static void add_body(cJSON *array, const tn_model *model, tn_id body)
{
    cJSON_AddItemToArray(array, json_body(model, body));
}

cJSON *tn_json_scene(const tn_model *model)
{
    double gravity[3];
    const char *name = tn_model_name(model);
    cJSON *scene = cJSON_CreateObject();
    tn_model_gravity(model, gravity);
    cJSON_AddStringToObject(scene, "name", name ? name : "");
    cJSON_AddNumberToObject(scene, "dimension", tn_model_dimension(model));
    cJSON_AddItemToObject(scene, "gravity", numbers(gravity, 3));
    cJSON *units = cJSON_AddObjectToObject(scene, "units");
    cJSON_AddStringToObject(units, "length", "m");
    cJSON_AddStringToObject(units, "time", "s");
    cJSON *ground = cJSON_AddObjectToObject(scene, "ground");
    add_shapes(ground, model, tn_model_ground(model));
    add_entities(scene, "bodies", model, TN_KIND_BODY, add_body);
    add_entities(scene, "frames", model, TN_KIND_FRAME, add_frame);
    add_entities(scene, "joints", model, TN_KIND_JOINT, add_connection);
    add_entities(scene, "couplings", model, TN_KIND_JOINT, add_coupling);
    add_entities(scene, "forces", model, TN_KIND_FORCE, add_connection);
    return scene;
}
