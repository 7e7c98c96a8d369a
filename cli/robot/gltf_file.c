/* The motion of a run as glTF 2.0: a node and a mesh for each body, and one animation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gltf_shapes.h"
#include "output.h"

enum { PICTURES = 30, MOST_PICTURES = 100000 };        /* a second; altogether */
enum { FLOAT_TYPE = 5126, INDEX_TYPE = 5125 };         /* glTF's numbers of types */

typedef struct gltf_file {
    cJSON *root, *views, *accessors, *nodes, *meshes, *channels, *samplers;
    unsigned char *data;
    size_t size, capacity;
} gltf_file;

/* Puts bytes into the buffer; returns the number of the accessor. bounds: of the first n components, or NULL. */
static int put_values(gltf_file *f, const void *bytes, size_t size, size_t count, int type, const char *kind, const float *bounds, int n)
{
    if (f->size + size > f->capacity) {
        size_t more = f->capacity ? f->capacity : 4096;
        while (more < f->size + size)
            more *= 2;
        unsigned char *fresh = tn_allocate(more, 1);
        if (f->data)
            memcpy(fresh, f->data, f->size);
        free(f->data);
        f->data = fresh;
        f->capacity = more;
    }
    if (size > 0)
        memcpy(f->data + f->size, bytes, size);
    cJSON *view = cJSON_CreateObject(), *accessor = cJSON_CreateObject();
    cJSON_AddNumberToObject(view, "buffer", 0);
    cJSON_AddNumberToObject(view, "byteOffset", (double)f->size);
    cJSON_AddNumberToObject(view, "byteLength", (double)size);
    cJSON_AddItemToArray(f->views, view);
    cJSON_AddNumberToObject(accessor, "bufferView", cJSON_GetArraySize(f->views) - 1);
    cJSON_AddNumberToObject(accessor, "componentType", type);
    cJSON_AddNumberToObject(accessor, "count", (double)count);
    cJSON_AddStringToObject(accessor, "type", kind);
    for (int side = 0; bounds && side < 2; side++) {
        cJSON *list = cJSON_AddArrayToObject(accessor, side == 0 ? "min" : "max");
        for (int k = 0; k < n; k++)
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)bounds[side * n + k]));
    }
    cJSON_AddItemToArray(f->accessors, accessor);
    f->size += size;           /* all types have four bytes: offsets stay aligned */
    return cJSON_GetArraySize(f->accessors) - 1;
}

/* The mesh of a body's shapes; -1: it has none. */
static int put_mesh(gltf_file *f, robot *r, int body)
{
    gltf_mesh mesh = { .vertices = NULL };
    float bounds[6];
    tn_gltf_shapes(&mesh, r, body);
    if (mesh.corner_count == 0) {
        tn_gltf_mesh_free(&mesh);
        return -1;
    }
    for (int k = 0; k < 3; k++) {
        bounds[k] = bounds[3 + k] = mesh.vertices[k];
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            bounds[k] = fminf(bounds[k], mesh.vertices[3 * i + (size_t)k]);
            bounds[3 + k] = fmaxf(bounds[3 + k], mesh.vertices[3 * i + (size_t)k]);
        }
    }
    int place = put_values(f, mesh.vertices, 12 * mesh.vertex_count, mesh.vertex_count, FLOAT_TYPE, "VEC3", bounds, 3);
    int corners = put_values(f, mesh.corners, 4 * mesh.corner_count, mesh.corner_count, INDEX_TYPE, "SCALAR", NULL, 0);
    cJSON *object = cJSON_CreateObject(), *primitive = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "primitives");
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(primitive, "attributes"), "POSITION", place);
    cJSON_AddNumberToObject(primitive, "indices", corners);
    cJSON_AddItemToArray(list, primitive);
    cJSON_AddItemToArray(f->meshes, object);
    tn_gltf_mesh_free(&mesh);
    return cJSON_GetArraySize(f->meshes) - 1;
}

static void add_numbers(cJSON *object, const char *name, const double *v, int n)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (int k = 0; k < n; k++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(v[k]));
}

/* Node 0 turns z up into glTF's y up; its children are the bodies. */
static void put_nodes(gltf_file *f, robot *r)
{
    double gravity[3];
    tn_model_gravity(gravity, r->model);
    bool z_up = tn_model_dimension(r->model) == 3 && fabs(gravity[1]) <= fabs(gravity[2]);
    const double h = sqrt(0.5), turn[4] = { -h, 0, 0, h };
    cJSON *world = cJSON_CreateObject(), *children = cJSON_CreateArray();
    cJSON_AddStringToObject(world, "name", "world");
    if (z_up)
        add_numbers(world, "rotation", turn, 4);
    cJSON_AddItemToArray(f->nodes, world);
    for (size_t i = 0; i < r->body_count; i++) {
        const robot_body *b = &r->bodies[i];
        int mesh = put_mesh(f, r, (int)i);
        const double q[4] = { b->pose.q[1], b->pose.q[2], b->pose.q[3], b->pose.q[0] };
        cJSON *node = cJSON_CreateObject();
        cJSON_AddStringToObject(node, "name", b->name);
        add_numbers(node, "translation", b->pose.p, 3);
        add_numbers(node, "rotation", q, 4);
        if (mesh >= 0)
            cJSON_AddNumberToObject(node, "mesh", mesh);
        cJSON_AddItemToArray(f->nodes, node);
        cJSON_AddItemToArray(children, cJSON_CreateNumber((double)i + 1));
    }
    cJSON_AddItemToObject(world, "children", children);
}

/* ---- motion ---- */

static void add_channel(gltf_file *f, int node, const char *path, int times, int values)
{
    cJSON *sampler = cJSON_CreateObject(), *channel = cJSON_CreateObject(), *target;
    cJSON_AddNumberToObject(sampler, "input", times);
    cJSON_AddStringToObject(sampler, "interpolation", "LINEAR");
    cJSON_AddNumberToObject(sampler, "output", values);
    cJSON_AddItemToArray(f->samplers, sampler);
    cJSON_AddNumberToObject(channel, "sampler", cJSON_GetArraySize(f->samplers) - 1);
    target = cJSON_AddObjectToObject(channel, "target");
    cJSON_AddNumberToObject(target, "node", node);
    cJSON_AddStringToObject(target, "path", path);
    cJSON_AddItemToArray(f->channels, channel);
}

/* Poses of all bodies, picture by picture: seven numbers a body. Returns the code of the run; *count pictures are there. */
static int take_pictures(robot *r, float *poses, float *times, size_t most, double until, size_t *count)
{
    int code = TN_OK;
    *count = 0;
    for (size_t k = 0; k < most && code >= 0; k++) {
        double time = until * (double)k / (double)(most - 1);
        if (k > 0)
            code = tn_session_advance_to(r->session, time);
        if (code < 0)
            break;
        times[k] = (float)tn_session_time(r->session);
        for (size_t i = 0; i < r->body_count; i++) {
            tn_pose pose = r->bodies[i].pose;
            float *to = poses + 7 * (k * r->body_count + i), *before = k > 0 ? to - 7 * r->body_count : NULL;
            if (i > 0)
                tn_session_pose(&pose, r->session, r->bodies[i].id);
            const double v[7] = { pose.p[0], pose.p[1], pose.p[2], pose.q[1], pose.q[2], pose.q[3], pose.q[0] };
            double along = 0;
            for (int c = 3; before && c < 7; c++)
                along += (double)before[c] * v[c];
            for (int c = 0; c < 7; c++)            /* q and -q are one rotation: the nearer one */
                to[c] = (float)(c >= 3 && along < 0 ? -v[c] : v[c]);
        }
        *count = k + 1;
        if (code == TN_NEWS_END)
            break;
    }
    return code;
}

static void put_motion(gltf_file *f, const robot *r, const float *poses, const float *times, size_t count)
{
    float bounds[2] = { times[0], times[count - 1] }, *values = tn_allocate(4 * count, sizeof *values);
    int input = put_values(f, times, 4 * count, count, FLOAT_TYPE, "SCALAR", bounds, 1);
    for (size_t i = 1; i < r->body_count; i++)
        for (int part = 0; part < 2; part++) {
            size_t n = part == 0 ? 3 : 4;
            for (size_t k = 0; k < count; k++)
                memcpy(values + n * k, poses + 7 * (k * r->body_count + i) + (part == 0 ? 0 : 3), n * sizeof *values);
            int output = put_values(f, values, 4 * n * count, count, FLOAT_TYPE, part == 0 ? "VEC3" : "VEC4", NULL, 0);
            add_channel(f, (int)i + 1, part == 0 ? "translation" : "rotation", input, output);
        }
    free(values);
}

/* ---- the file ---- */

static void write_base64(FILE *out, const unsigned char *data, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned v = (unsigned)data[i] << 16 | (i + 1 < size ? (unsigned)data[i + 1] << 8 : 0) | (i + 2 < size ? data[i + 2] : 0);
        fputc(letters[v >> 18], out);
        fputc(letters[v >> 12 & 63], out);
        fputc(i + 1 < size ? letters[v >> 6 & 63] : '=', out);
        fputc(i + 2 < size ? letters[v & 63] : '=', out);
    }
}

static void write_word(FILE *out, size_t value)
{
    for (int k = 0; k < 4; k++)
        fputc((int)(value >> 8 * k & 255), out);
}

static void write_document(gltf_file *f, FILE *out, bool binary)
{
    static const char mark[] = "\"@buffer@\"";
    cJSON *buffer = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(f->root, "buffers");
    cJSON_AddNumberToObject(buffer, "byteLength", (double)f->size);
    if (!binary)
        cJSON_AddStringToObject(buffer, "uri", "@buffer@");
    cJSON_AddItemToArray(list, buffer);
    char *text = binary ? cJSON_PrintUnformatted(f->root) : cJSON_Print(f->root);
    size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    if (!binary) {
        const char *at = strstr(text, mark);
        fprintf(out, "%.*s\"data:application/octet-stream;base64,", (int)(at - text), text);
        write_base64(out, f->data, f->size);
        fprintf(out, "\"%s\n", at + sizeof mark - 1);
    } else {
        fputs("glTF", out);
        write_word(out, 2);
        write_word(out, 12 + 8 + padded + 8 + f->size);
        write_word(out, padded);
        fputs("JSON", out);
        fprintf(out, "%s%*s", text, (int)(padded - length), "");
        write_word(out, f->size);
        fwrite("BIN", 1, 4, out);
        fwrite(f->data, 1, f->size, out);
    }
    cJSON_free(text);
}

static void begin_document(gltf_file *f)
{
    cJSON *asset, *scene, *scenes, *animation, *animations;
    *f = (gltf_file){ .root = cJSON_CreateObject() };
    asset = cJSON_AddObjectToObject(f->root, "asset");
    cJSON_AddStringToObject(asset, "version", "2.0");
    cJSON_AddStringToObject(asset, "generator", "tenon");
    cJSON_AddNumberToObject(f->root, "scene", 0);
    scenes = cJSON_AddArrayToObject(f->root, "scenes");
    scene = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(scene, "nodes"), cJSON_CreateNumber(0));
    cJSON_AddItemToArray(scenes, scene);
    f->nodes = cJSON_AddArrayToObject(f->root, "nodes");
    f->meshes = cJSON_CreateArray();
    f->accessors = cJSON_AddArrayToObject(f->root, "accessors");
    f->views = cJSON_AddArrayToObject(f->root, "bufferViews");
    animations = cJSON_AddArrayToObject(f->root, "animations");
    animation = cJSON_CreateObject();
    f->channels = cJSON_AddArrayToObject(animation, "channels");
    f->samplers = cJSON_AddArrayToObject(animation, "samplers");
    cJSON_AddItemToArray(animations, animation);
}

int tn_robot_gltf(robot *r, FILE *out, bool binary, tn_context *context, cJSON *diagnostics)
{
    double until = tn_session_solve(r->session).until;
    until = until > 0 && isfinite(until) ? until : 10;
    double wanted = ceil(until * PICTURES) + 1;
    size_t most = wanted < MOST_PICTURES ? (size_t)wanted : MOST_PICTURES, count = 0;
    float *poses = tn_allocate(7 * most * r->body_count, sizeof *poses), *times = tn_allocate(most, sizeof *times);
    gltf_file f;
    int code = take_pictures(r, poses, times, most, until, &count), status = tn_diagnostics_flush(context, code, diagnostics);
    begin_document(&f);
    put_nodes(&f, r);
    if (cJSON_GetArraySize(f.meshes) > 0)
        cJSON_AddItemToObject(f.root, "meshes", f.meshes);
    else
        cJSON_Delete(f.meshes);
    if (count > 1 && r->body_count > 1)
        put_motion(&f, r, poses, times, count);
    else
        cJSON_DeleteItemFromObject(f.root, "animations");
    if (f.size > 0)
        write_document(&f, out, binary);
    cJSON_Delete(f.root);
    free(f.data);
    free(poses);
    free(times);
    return status;
}
