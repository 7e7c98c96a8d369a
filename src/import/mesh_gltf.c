/* Triangles of glTF 2.0, as text (.gltf, with buffers in the text or in files beside it) and as GLB. The node tree of the scene
 * places the meshes; materials, skins and animations do not matter here. Axes stay those of the file. */
#include "mesh_file.h"

#include "diag.h"
#include "file.h"
#include "json_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_NODE = 100, MOST_NODES = 100000, MOST_BUFFERS = 65536 };
enum { TYPE_UBYTE = 5121, TYPE_USHORT = 5123, TYPE_UINT = 5125, TYPE_FLOAT = 5126 };
static const size_t BUFFER_LIMIT = (size_t)256 << 20;      /* bytes of a buffer beside the file */

typedef struct gltf_buffer {
    unsigned char *data;       /* NULL: not there yet */
    size_t size;
    bool owned;
} gltf_buffer;

typedef struct gltf_reader {
    tn_triangles *out;
    const tn_json_node *root;
    gltf_buffer *buffers;      /* MOST_BUFFERS, in the arena */
    const char *path;
    char *why;                 /* 120 bytes */
    int visited;
} gltf_reader;

static bool refuse(gltf_reader *r, const char *text)
{
    snprintf(r->why, 120, "%s", text);
    return false;
}

/* ---- buffers ---- */

static int letter_value(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static bool decode_base64(gltf_reader *r, gltf_buffer *b, const char *text)
{
    size_t length = strlen(text);
    uint32_t bits = 0;
    int have = 0;
    b->data = tn_alloc(r->out->context, length / 4 * 3 + 4, 1);
    b->owned = true;
    if (!b->data)
        return refuse(r, "out of memory");
    for (; *text && *text != '='; text++) {
        int value = letter_value(*text);
        if (value < 0)
            continue;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            b->data[b->size++] = (unsigned char)(bits >> have);
        }
    }
    return true;
}

/* A file in the folder of the mesh, not elsewhere. */
static bool read_beside(gltf_reader *r, gltf_buffer *b, const char *uri)
{
    char path[1024];
    const char *slash = strrchr(r->path, '/');
    if (strchr(uri, '/') || strchr(uri, '\\') || uri[0] == '.' ||
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path, uri) >= (int)sizeof path)
        return refuse(r, "a buffer is not beside the file");
    char *data = NULL;
    if (tn_file_read(&data, &b->size, r->out->context, path, TN_NOWHERE, NULL, BUFFER_LIMIT) < 0)
        return refuse(r, "a buffer beside the file cannot be read");
    b->data = (unsigned char *)data;
    b->owned = true;
    return true;
}

static gltf_buffer *buffer_at(gltf_reader *r, double number)
{
    const tn_json_node *list = tn_json_member(r->root, "buffers"), *node;
    if (!(number >= 0 && number < MOST_BUFFERS) || !(node = tn_json_element(list, (size_t)number)))
        return NULL;
    gltf_buffer *b = &r->buffers[(size_t)number];
    const char *uri = tn_json_text(node, "uri"), *comma = uri ? strchr(uri, ',') : NULL;
    if (b->data || !uri)
        return b->data ? b : NULL;
    bool good = strncmp(uri, "data:", 5) == 0 ? comma && decode_base64(r, b, comma + 1) : read_beside(r, b, uri);
    return good ? b : NULL;
}

/* Where the numbers of an accessor are. */
typedef struct gltf_numbers {
    const unsigned char *data;
    size_t count, stride;
    int type;
} gltf_numbers;

static bool find_numbers(gltf_reader *r, gltf_numbers *out, double accessor_number, size_t width)
{
    const tn_json_node *accessor = accessor_number >= 0 ? tn_json_element(tn_json_member(r->root, "accessors"),
                                                                          (size_t)accessor_number) : NULL;
    double view_number = tn_json_number(accessor, "bufferView", -1);
    const tn_json_node *view = view_number >= 0 ? tn_json_element(tn_json_member(r->root, "bufferViews"), (size_t)view_number) : NULL;
    gltf_buffer *buffer = view ? buffer_at(r, tn_json_number(view, "buffer", -1)) : NULL;
    if (!buffer)
        return r->why[0] ? false : refuse(r, "numbers of a mesh are missing, sparse or compressed");
    out->type = (int)tn_json_number(accessor, "componentType", 0);
    size_t size = out->type == TYPE_UBYTE ? 1 : out->type == TYPE_USHORT ? 2 : out->type == TYPE_UINT || out->type == TYPE_FLOAT ? 4 : 0;
    double count = tn_json_number(accessor, "count", 0), stride = tn_json_number(view, "byteStride", (double)(size * width));
    double offset = tn_json_number(view, "byteOffset", 0) + tn_json_number(accessor, "byteOffset", 0);
    if (size == 0 || !(count >= 0 && count <= TN_MESH_MOST) || !(stride >= (double)(size * width) && stride <= 4096) ||
        !(offset >= 0) || (count > 0 && offset + (count - 1) * stride + (double)(size * width) > (double)buffer->size))
        return refuse(r, "numbers of a mesh lie outside of their buffer");
    *out = (gltf_numbers){ buffer->data + (size_t)offset, (size_t)count, (size_t)stride, out->type };
    return true;
}

static double number_at(const gltf_numbers *n, size_t index, size_t component)
{
    const unsigned char *at = n->data + index * n->stride;
    float real;
    uint32_t whole;
    uint16_t half;
    switch (n->type) {
    case TYPE_UBYTE: return at[component];
    case TYPE_USHORT: memcpy(&half, at + 2 * component, 2); return half;
    case TYPE_UINT: memcpy(&whole, at + 4 * component, 4); return whole;
    default: memcpy(&real, at + 4 * component, 4); return (double)real;
    }
}

/* ---- meshes and nodes ---- */

typedef struct gltf_place {
    double turn[3][3], shift[3];
} gltf_place;

/* Whether the place turns the outside of triangles in: right-handed corners become left-handed. */
static bool is_mirror(const gltf_place *place)
{
    const double (*m)[3] = place->turn;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) < 0;
}

static void add_corners(gltf_reader *r, const gltf_numbers *indices, size_t count, size_t first, int mode, bool mirror)
{
    for (size_t k = 0; k + 2 < count; k += mode == 4 ? 3 : 1) {
        size_t c[3] = { k, k + 1, k + 2 };
        if (mode == 5 && k % 2 == 1)
            c[0] = k + 1, c[1] = k;
        if (mode == 6)
            c[0] = 0;
        long v[3];
        for (int i = 0; i < 3; i++)
            v[i] = (long)first + (long)(indices->data ? number_at(indices, c[i], 0) : (double)c[i]);
        tn_triangles_add(r->out, v[0], v[mirror ? 2 : 1], v[mirror ? 1 : 2]);
    }
}

static bool add_primitive(gltf_reader *r, const tn_json_node *primitive, const gltf_place *place)
{
    int mode = (int)tn_json_number(primitive, "mode", 4);
    gltf_numbers points, indices = { .data = NULL };
    if (mode < 4 || mode > 6)
        return true;           /* points and lines */
    if (!find_numbers(r, &points, tn_json_number(tn_json_member(primitive, "attributes"), "POSITION", -1), 3))
        return false;
    if (points.type != TYPE_FLOAT)
        return refuse(r, "positions that are not floats");
    if (tn_json_member(primitive, "indices") && !find_numbers(r, &indices, tn_json_number(primitive, "indices", -1), 1))
        return false;
    size_t first = r->out->vertex_count;
    for (size_t i = 0; i < points.count; i++) {
        double v[3], p[3];
        for (size_t c = 0; c < 3; c++)
            v[c] = number_at(&points, i, c);
        for (int c = 0; c < 3; c++)
            p[c] = place->turn[c][0] * v[0] + place->turn[c][1] * v[1] + place->turn[c][2] * v[2] + place->shift[c];
        tn_triangles_vertex(r->out, p[0], p[1], p[2]);
    }
    add_corners(r, &indices, indices.data ? indices.count : points.count, first, mode,
                is_mirror(place));
    return r->out->status >= 0;
}

static void read_numbers(double *out, size_t n, const tn_json_node *node, const char *key)
{
    const tn_json_node *list = tn_json_member(node, key);
    for (size_t k = 0; list && list->count == n && k < n; k++)
        out[k] = tn_json_element(list, k)->number;
}

/* matrix (by columns), or scale, then rotation x y z w, then translation. */
static gltf_place place_of(const tn_json_node *node, const gltf_place *above)
{
    double t[3] = { 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 }, m[16] = { 0 }, own[3][3];
    read_numbers(t, 3, node, "translation");
    read_numbers(q, 4, node, "rotation");
    read_numbers(s, 3, node, "scale");
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double R[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    bool matrix = tn_json_member(node, "matrix") != NULL;
    read_numbers(m, 16, node, "matrix");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            own[i][j] = matrix ? m[4 * j + i] : R[i][j] * s[j];
        t[i] = matrix ? m[12 + i] : t[i];
    }
    gltf_place out;
    for (int i = 0; i < 3; i++) {
        out.shift[i] = above->shift[i] + above->turn[i][0] * t[0] + above->turn[i][1] * t[1] + above->turn[i][2] * t[2];
        for (int j = 0; j < 3; j++)
            out.turn[i][j] = above->turn[i][0] * own[0][j] + above->turn[i][1] * own[1][j] + above->turn[i][2] * own[2][j];
    }
    return out;
}

static bool add_node(gltf_reader *r, double number, const gltf_place *above, int depth)
{
    const tn_json_node *node = number >= 0 ? tn_json_element(tn_json_member(r->root, "nodes"), (size_t)number) : NULL;
    if (!node || depth > DEEPEST_NODE || ++r->visited > MOST_NODES)
        return refuse(r, node ? "the nodes form a circle, or there are too many" : "a node is missing");
    gltf_place place = place_of(node, above);
    double number_of_mesh = tn_json_number(node, "mesh", -1);
    const tn_json_node *mesh = number_of_mesh >= 0 ? tn_json_element(tn_json_member(r->root, "meshes"), (size_t)number_of_mesh) : NULL;
    const tn_json_node *primitives = tn_json_member(mesh, "primitives"), *children = tn_json_member(node, "children");
    for (const tn_json_node *p = primitives ? primitives->first : NULL; p; p = p->next)
        if (!add_primitive(r, p, &place))
            return false;
    for (const tn_json_node *c = children ? children->first : NULL; c; c = c->next)
        if (!add_node(r, c->kind == '0' ? c->number : -1, &place, depth + 1))
            return false;
    return true;
}

/* The nodes of the scene; without scenes every mesh where it is. */
static bool add_scene(gltf_reader *r)
{
    static const gltf_place none = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
    const tn_json_node *scenes = tn_json_member(r->root, "scenes"), *meshes = tn_json_member(r->root, "meshes");
    double which = tn_json_number(r->root, "scene", 0);
    const tn_json_node *nodes = tn_json_member(tn_json_element(scenes, which >= 0 ? (size_t)which : 0), "nodes");
    for (const tn_json_node *n = nodes ? nodes->first : NULL; n; n = n->next)
        if (!add_node(r, n->kind == '0' ? n->number : -1, &none, 0))
            return false;
    for (const tn_json_node *m = !nodes && meshes ? meshes->first : NULL; m; m = m->next) {
        const tn_json_node *primitives = tn_json_member(m, "primitives");
        for (const tn_json_node *p = primitives ? primitives->first : NULL; p; p = p->next)
            if (!add_primitive(r, p, &none))
                return false;
    }
    return true;
}

/* The JSON and the binary chunk of a GLB. */
static bool split_glb(gltf_reader *r, const char *data, size_t size, const char **text, size_t *length)
{
    uint32_t word[2], version;
    memcpy(&version, data + 4, sizeof version);
    if (version < 2)
        return refuse(r, "glTF 1.0, of which only the successor 2.0 is read");
    for (size_t at = 12; at + 8 <= size; ) {
        memcpy(word, data + at, sizeof word);
        at += 8;
        if (word[0] > size - at)
            return refuse(r, "a chunk is cut off");
        if (word[1] == 0x4e4f534a) {
            *text = data + at;
            *length = word[0];
        } else if (word[1] == 0x004e4942 && !r->buffers[0].data) {
            r->buffers[0] = (gltf_buffer){ (unsigned char *)(uintptr_t)(data + at), word[0], false };
        }
        at += word[0];
    }
    return *text ? true : refuse(r, "there is no JSON in it");
}

static bool read_gltf(tn_triangles *out, const char *data, size_t size, char why[120], const char *path)
{
    gltf_reader r = { .out = out, .path = path, .why = why };
    const char *text = data;
    size_t length = size;
    tn_arena *arena = tn_arena_create(out->context);
    r.buffers = arena ? tn_arena_alloc(arena, MOST_BUFFERS, sizeof *r.buffers) : NULL;
    if (!r.buffers) {
        tn_arena_destroy(arena);
        return refuse(&r, "out of memory");
    }
    bool good = true;
    if (size >= 12 && memcmp(data, "glTF", 4) == 0) {
        text = NULL;
        good = split_glb(&r, data, size, &text, &length);
    }
    if (good) {
        r.root = tn_json_read(arena, text, length);
        const char *version = r.root && r.root->kind == '{' ? tn_json_text(tn_json_member(r.root, "asset"), "version") : NULL;
        good = !r.root || r.root->kind != '{' ? refuse(&r, "not JSON") : version && version[0] == '1'
             ? refuse(&r, "glTF 1.0, of which only the successor 2.0 is read") : add_scene(&r);
    }
    for (int k = 0; k < MOST_BUFFERS; k++)
        if (r.buffers[k].owned)
            tn_free(out->context, r.buffers[k].data);
    tn_arena_destroy(arena);
    return good;
}

const tn_mesh_format tn_mesh_gltf = { ".gltf .glb", read_gltf };
