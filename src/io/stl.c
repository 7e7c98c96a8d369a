/* Reads STL files, binary or text, into triangle meshes. */
#include "stl.h"
#include "diag.h"
#include "file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BINARY_HEADER = 84, BINARY_TRIANGLE = 50 };

typedef struct mesh {
    tn_context *context;
    const char *path;
    tn_span where;
    double scale;
    double *vertices;          /* vertex_count x 3 */
    int *triangles;
    size_t vertex_count, triangle_count;
    unsigned *slots;           /* open hashing: vertex + 1, 0 is free; the length is a power of two */
    size_t slot_count;
} mesh;

static int refuse(const mesh *m, const char *reason)
{
    return tn_fail(m->context, TN_ERROR_FILE, m->where, "mesh '%s': %s", m->path, reason);
}

static size_t hash(const double p[3])
{
    uint64_t bits[3], h = 0;
    memcpy(bits, p, sizeof bits);
    for (int k = 0; k < 3; k++) {
        h = (h ^ bits[k]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return (size_t)h;
}

/* The vertex with these coordinates, new or known. */
static int merge(mesh *m, const double given[3])
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = given[k] * m->scale + 0.0;  /* -0 becomes 0 */
    size_t slot = hash(p) & (m->slot_count - 1);
    while (m->slots[slot] != 0) {
        size_t vertex = m->slots[slot] - 1;
        if (memcmp(m->vertices + 3 * vertex, p, sizeof p) == 0)
            return (int)vertex;
        slot = (slot + 1) & (m->slot_count - 1);
    }
    memcpy(m->vertices + 3 * m->vertex_count, p, sizeof p);
    m->slots[slot] = (unsigned)++m->vertex_count;
    return (int)m->vertex_count - 1;
}

static int add_triangle(mesh *m, double corners[3][3])
{
    int v[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++)
            if (!isfinite(corners[c][k] * m->scale))
                return refuse(m, "a coordinate is not a finite number");
        v[c] = merge(m, corners[c]);
    }
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
        memcpy(m->triangles + 3 * m->triangle_count++, v, sizeof v);
    return TN_OK;
}

/* Room for the given number of triangles, none of which need share a corner. */
static int reserve(mesh *m, tn_arena *arena, size_t triangles)
{
    m->slot_count = 16;
    while (m->slot_count < 6 * triangles)
        m->slot_count *= 2;
    m->vertices = tn_arena_alloc(arena, 9 * triangles, sizeof *m->vertices);
    m->triangles = tn_arena_alloc(arena, 3 * triangles, sizeof *m->triangles);
    m->slots = tn_alloc(m->context, m->slot_count, sizeof *m->slots);
    return m->vertices && m->triangles && m->slots ? TN_OK : TN_ERROR_MEMORY;
}

static uint32_t little_endian(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int read_binary(mesh *m, tn_arena *arena, const char *data, size_t count)
{
    TN_TRY(reserve(m, arena, count));
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)data + BINARY_HEADER + i * BINARY_TRIANGLE + 12;
        double corners[3][3];
        for (int c = 0; c < 9; c++, at += 4) {
            uint32_t bits = little_endian(at);
            float x;
            memcpy(&x, &bits, sizeof x);
            corners[c / 3][c % 3] = x;
        }
        TN_TRY(add_triangle(m, corners));
    }
    return TN_OK;
}

/* The next word "vertex" in small or capital letters; NULL: there is none. */
static const char *next_vertex(const char *text)
{
    static const char word[] = "vertex";
    for (; *text; text++) {
        size_t k = 0;
        while (word[k] && (text[k] | 0x20) == word[k])
            k++;
        if (!word[k])
            return text;
    }
    return NULL;
}

static size_t count_vertices(const char *text)
{
    size_t count = 0;
    for (const char *at = text; (at = next_vertex(at)) != NULL; at += strlen("vertex"))
        count++;
    return count;
}

static bool read_corner(const char **at, double p[3])
{
    *at = next_vertex(*at);
    if (*at == NULL)
        return false;
    *at += strlen("vertex");
    for (int k = 0; k < 3; k++) {
        char *end;
        p[k] = strtod(*at, &end);
        if (end == *at)
            return false;
        *at = end;
    }
    return true;
}

/* "facet normal x y z / outer loop / vertex x y z (three times) / endloop / endfacet": only the vertices matter. */
static int read_ascii(mesh *m, tn_arena *arena, const char *text)
{
    size_t corners = count_vertices(text), triangles = corners / 3;
    if (corners == 0 || corners % 3 != 0)
        return refuse(m, "not an STL file: neither binary nor text with three 'vertex' lines per triangle");
    TN_TRY(reserve(m, arena, triangles));
    for (size_t i = 0; i < triangles; i++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            if (!read_corner(&text, p[c]))
                return refuse(m, "a 'vertex' without three numbers");
        TN_TRY(add_triangle(m, p));
    }
    return TN_OK;
}

static int parse(mesh *m, tn_arena *arena, const char *data, size_t size)
{
    size_t count = size >= BINARY_HEADER ? little_endian((const unsigned char *)data + 80) : 0;
    bool binary = size >= BINARY_HEADER && size == BINARY_HEADER + count * BINARY_TRIANGLE;
    if (!binary && strncasecmp(data, "solid", 5) != 0)
        return refuse(m, "not an STL file, or cut short");
    if (binary && count == 0)
        return refuse(m, "the file has no triangles");
    return binary ? read_binary(m, arena, data, count) : read_ascii(m, arena, data);
}

int tn_stl_read(tn_shape_def *shape, tn_arena *arena, tn_context *context, const char *path, double scale,
                tn_span where)
{
    char *data;
    size_t size;
    TN_TRY(tn_file_read(&data, &size, context, path, where, NULL, TN_FILE_LIMIT));
    mesh m = { .context = context, .path = path, .where = where, .scale = scale };
    int code = parse(&m, arena, data, size);
    tn_free(context, m.slots);
    tn_free(context, data);
    if (code < 0)
        return code;
    shape->vertices = m.vertices;
    shape->triangles = m.triangles;
    shape->vertex_count = m.vertex_count;
    shape->triangle_count = m.triangle_count;
    return TN_OK;
}
