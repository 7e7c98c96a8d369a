/* PLY meshes, text and binary of either byte order. */
#include "mesh_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };
enum { PLY_TEXT, PLY_LITTLE, PLY_BIG };

typedef struct ply_property {
    char name[32];
    int type, count_type;      /* index into ply_sizes; count_type -1: not a list */
    bool corners;              /* a list of the vertices of a face */
} ply_property;

typedef struct ply_element {
    char name[32];
    size_t count;
    ply_property properties[MOST_PROPERTIES];
    size_t property_count;
} ply_element;

typedef struct ply_file {
    const char *at, *end;
    int form;
    ply_element elements[MOST_ELEMENTS];
    size_t element_count;
} ply_file;

static const char *const ply_types[][2] = { { "char", "int8" }, { "uchar", "uint8" }, { "short", "int16" },
    { "ushort", "uint16" }, { "int", "int32" }, { "uint", "uint32" }, { "float", "float32" }, { "double", "float64" } };
static const size_t ply_sizes[] = { 1, 1, 2, 2, 4, 4, 4, 8 };

static int ply_type(const char *word)
{
    for (int i = 0; i < 8; i++)
        if (strcmp(word, ply_types[i][0]) == 0 || strcmp(word, ply_types[i][1]) == 0)
            return i;
    return -1;
}

/* The next value; false at the end of the file. */
static bool ply_value(ply_file *file, int type, double *value)
{
    if (file->form == PLY_TEXT) {
        char *end;
        *value = strtod(file->at, &end);
        bool good = end != file->at;
        file->at = end;
        return good;
    }
    size_t size = ply_sizes[type];
    unsigned char b[8] = { 0 };
    if ((size_t)(file->end - file->at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        b[file->form == PLY_LITTLE ? i : size - 1 - i] = (unsigned char)file->at[i];
    file->at += size;
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++)
        bits |= (uint64_t)b[i] << (8 * i);
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    *value = type == 0 ? (int8_t)bits : type == 1 ? (uint8_t)bits : type == 2 ? (int16_t)bits : type == 3 ? (uint16_t)bits
           : type == 4 ? (int32_t)low : type == 5 ? low : type == 6 ? (double)f : d;
    return true;
}

static bool read_header(ply_file *file, char why[120])
{
    char line[200], a[32], b[32], c[32], d[32], last[32];
    while (file->at < file->end) {
        size_t length = strcspn(file->at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < 190 ? length : 190), file->at);
        file->at += length;
        file->at += file->at < file->end;              /* the line break, or a zero byte, which ends a line as well */
        int words = sscanf(line, "%31s %31s %31s %31s %31s", a, b, c, d, last);
        if (words >= 1 && strcmp(a, "end_header") == 0)
            return true;
        if (words >= 2 && strcmp(a, "format") == 0)
            file->form = strcmp(b, "ascii") == 0 ? PLY_TEXT : strcmp(b, "binary_little_endian") == 0 ? PLY_LITTLE : PLY_BIG;
        if (words >= 3 && strcmp(a, "element") == 0 && file->element_count < MOST_ELEMENTS) {
            ply_element *e = &file->elements[file->element_count++];
            snprintf(e->name, sizeof e->name, "%s", b);
            e->count = strtoul(c, NULL, 10);
        }
        ply_element *e = file->element_count > 0 ? &file->elements[file->element_count - 1] : NULL;
        if (words >= 3 && strcmp(a, "property") == 0 && e && e->property_count < MOST_PROPERTIES) {
            ply_property *p = &e->properties[e->property_count++];
            bool list = strcmp(b, "list") == 0;
            p->count_type = list ? ply_type(c) : -1;
            p->type = ply_type(list ? d : b);
            snprintf(p->name, sizeof p->name, "%s", list ? words > 4 ? last : "" : c);
            p->corners = list && strcmp(e->name, "face") == 0 && strncmp(p->name, "vertex_ind", 10) == 0;
            if (p->type < 0 || (list && p->count_type < 0)) {
                snprintf(why, 120, "unknown type in '%.60s'", line);
                return false;
            }
        }
    }
    snprintf(why, 120, "the header has no end");
    return false;
}

/* One element: coordinates of a vertex, or a fan of triangles from its list. */
static bool read_item(tn_triangles *out, ply_file *file, const ply_element *e)
{
    double v[3] = { 0 }, value, count;
    bool vertex = strcmp(e->name, "vertex") == 0;
    for (size_t p = 0; p < e->property_count; p++) {
        const ply_property *property = &e->properties[p];
        if (property->count_type < 0) {
            if (!ply_value(file, property->type, &value))
                return false;
            if (property->name[1] == 0 && property->name[0] >= 'x' && property->name[0] <= 'z')
                v[property->name[0] - 'x'] = value;
            continue;
        }
        long first = -1, before = -1;
        if (!ply_value(file, property->count_type, &count) || !(count >= 0))
            return false;
        for (long k = 0; k < (long)count; k++) {
            if (!ply_value(file, property->type, &value))
                return false;
            if (k == 0)
                first = (long)value;
            else if (k >= 2 && property->corners)
                tn_triangles_add(out, first, before, (long)value);
            before = (long)value;
        }
    }
    if (file->form == PLY_TEXT)        /* some writers put more on a line than they declare */
        file->at += strcspn(file->at, "\n");
    if (vertex)
        tn_triangles_vertex(out, v[0], v[1], v[2]);
    return true;
}

static bool read_ply(tn_triangles *out, const char *data, size_t size, char why[120], const char *path)
{
    (void)path;
    static const ply_file empty;
    ply_file *file = tn_alloc(out->context, 1, sizeof *file);
    if (!file)
        return false;
    *file = empty;
    file->at = data;
    file->end = data + size;
    bool good = strncmp(data, "ply", 3) == 0 && read_header(file, why);
    for (size_t i = 0; good && i < file->element_count; i++)
        for (size_t k = 0; good && file->elements[i].property_count > 0 && k < file->elements[i].count && out->status >= 0; k++)
            good = read_item(out, file, &file->elements[i]);
    if (!good && why[0] == 0)
        snprintf(why, 120, "the file ends early or is no PLY");
    tn_free(out->context, file);
    return good;
}

const tn_mesh_format tn_mesh_ply = { ".ply", read_ply };
