/* STL meshes, through the reader that models use. */
#include "mesh_file.h"

#include "diag.h"
#include "stl.h"

#include <stdio.h>
#include <string.h>

static bool read_stl(tn_triangles *out, const char *data, size_t size, char why[120], const char *path)
{
    (void)data, (void)size;
    tn_arena *arena = tn_arena_create(out->context);
    tn_shape_def shape = tn_shape_default(TN_SHAPE_MESH);
    int code = arena ? tn_stl_read(&shape, arena, out->context, path, 1, TN_NOWHERE) : TN_ERROR_MEMORY;
    if (code < 0) {
        size_t count = tn_diagnostics_count(out->context);
        const tn_diagnostic *last = count > 0 ? tn_diagnostics_get(out->context, count - 1) : NULL;
        snprintf(why, 120, "%s", last ? last->message : "out of memory");
    }
    for (size_t i = 0; code >= 0 && i < shape.vertex_count; i++)
        tn_triangles_vertex(out, shape.vertices[3 * i], shape.vertices[3 * i + 1], shape.vertices[3 * i + 2]);
    for (size_t i = 0; code >= 0 && i < shape.triangle_count; i++)
        tn_triangles_add(out, shape.triangles[3 * i], shape.triangles[3 * i + 1], shape.triangles[3 * i + 2]);
    tn_arena_destroy(arena);
    return code >= 0;
}

const tn_mesh_format tn_mesh_stl = { ".stl", read_stl };
