/* Wavefront OBJ meshes: vertices and faces; polygons become fans of triangles. */
#include "mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The vertex of "7", "7/1", "7//3" or "-1", from 0; -1: none. */
static long corner(const char **at, size_t vertex_count)
{
    char *end;
    long value = strtol(*at, &end, 10);
    if (end == *at)
        return -1;
    *at = end + strcspn(end, " \t\r\n");
    return value > 0 ? value - 1 : (long)vertex_count + value;
}

static void read_face(tn_triangles *out, const char *at)
{
    long first = -1, before = -1;
    for (int k = 0; ; k++) {
        at += strspn(at, " \t");
        long next = *at && *at != '\r' && *at != '\n' ? corner(&at, out->vertex_count) : -1;
        if (next < 0)
            return;
        if (k == 0)
            first = next;
        else if (k >= 2)
            tn_triangles_add(out, first, before, next);
        before = next;
    }
}

static bool read_obj(tn_triangles *out, const char *data, size_t size, char why[120], const char *path)
{
    (void)size, (void)path;
    int line = 1;
    for (const char *at = data; *at; at += strcspn(at, "\n"), at += *at == '\n', line++) {
        at += strspn(at, " \t");
        if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            double v[3];
            char *end = (char *)(uintptr_t)(at + 1);
            for (int k = 0; k < 3; k++) {
                const char *begin = end;
                v[k] = strtod(begin, &end);
                if (end == begin) {
                    snprintf(why, 120, "line %d: three coordinates expected", line);
                    return false;
                }
            }
            tn_triangles_vertex(out, v[0], v[1], v[2]);
        } else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            read_face(out, at + 1);
        }
    }
    return true;
}

const tn_mesh_format tn_mesh_obj = { ".obj", read_obj };
