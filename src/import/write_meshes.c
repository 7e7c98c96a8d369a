/* Meshes of an imported machine: copied or converted to STL files of the model folder, each once. */
#include "writer.h"

#include "mesh_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The engine reads meshes of models up to this size (bytes). Larger ones are left out. */
static const size_t LARGEST_STL = (size_t)60 << 20;

static bool same_mesh(const tn_machine_shape *a, const tn_machine_shape *b)
{
    return a->mesh && b->mesh && strcmp(a->mesh, b->mesh) == 0 && memcmp(a->scale, b->scale, sizeof a->scale) == 0;
}

/* A shape with the same file and scale that is written already. */
static const tn_machine_shape *find_written(const tn_machine *machine, const tn_machine_shape *shape)
{
    for (size_t i = 0; i < machine->body_count; i++)
        for (size_t k = 0; k < machine->bodies[i].shape_count; k++) {
            const tn_machine_shape *other = &machine->bodies[i].shapes[k];
            if (other == shape)
                return NULL;
            if (other->mesh_name && same_mesh(other, shape))
                return other;
        }
    return NULL;
}

static const char *mesh_label(tn_machine *machine, const tn_machine_shape *shape, const tn_machine_body *body)
{
    const char *path = shape->mesh ? shape->mesh : body->name;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char stem[80];
    snprintf(stem, sizeof stem, "%.70s", name);
    char *dot = shape->mesh ? strrchr(stem, '.') : NULL;
    if (dot)
        *dot = 0;
    return tn_machine_text(machine, "meshes/%s.stl", tn_machine_label(machine, -2, stem));     /* -2: names of meshes */
}

static int write_mesh(tn_folder *folder, tn_machine_shape *shape, const tn_machine_body *body)
{
    tn_machine *machine = folder->machine;
    tn_triangles mesh = { .context = machine->context, .unit = 1 };
    char *data = NULL;
    size_t size = 0;
    bool read = true, own = !shape->mesh;
    if (own) {
        mesh.vertices = (double *)(uintptr_t)shape->vertices;
        mesh.triangles = (int *)(uintptr_t)shape->triangles;
        mesh.vertex_count = shape->vertex_count;
        mesh.triangle_count = shape->triangle_count;
    } else {
        read = tn_mesh_file_read(&mesh, machine, shape->mesh, body->place);
    }
    int code = TN_OK;
    if (read && 84 + 50 * mesh.triangle_count > LARGEST_STL)
        tn_machine_note_add(machine, TN_WARNING, body->place, "mesh '%s' has %zu triangles, too many for a picture: left "
                            "out", shape->mesh ? shape->mesh : body->name, mesh.triangle_count);
    else if (read) {
        code = tn_triangles_stl(&data, &size, &mesh, shape->scale);
        const char *name = mesh_label(machine, shape, body);
        if (code >= 0)
            code = tn_folder_put(folder, name, data, size);
        shape->mesh_name = name;
    }
    tn_free(machine->context, data);
    if (!own)
        tn_triangles_free(&mesh);
    return code;
}

/* Visual shapes; shapes for contacts where the user wants them, or where there are no others. */
static void choose_shapes(tn_machine *machine, tn_machine_body *body)
{
    size_t seen = 0, kept = 0;
    for (size_t k = 0; k < body->shape_count; k++)
        seen += body->shapes[k].collision == machine->options->collisions;
    for (size_t k = 0; k < body->shape_count; k++)
        if (seen == 0 || body->shapes[k].collision == machine->options->collisions)
            body->shapes[kept++] = body->shapes[k];
        else
            tn_machine_leave_out(machine, body->place, machine->options->collisions
                                 ? "shapes for the eye (contact shapes are wanted)"
                                 : "shapes for contacts (--collisions takes them instead of those for the eye)");
    body->shape_count = kept;
}

int tn_write_meshes(tn_folder *folder)
{
    tn_machine *machine = folder->machine;
    for (size_t i = 0; i < machine->body_count; i++) {
        tn_machine_body *body = &machine->bodies[i];
        choose_shapes(machine, body);
        for (size_t k = 0; k < body->shape_count; k++) {
            tn_machine_shape *shape = &body->shapes[k];
            if (shape->kind != TN_SHAPE_MESH)
                continue;
            const tn_machine_shape *before = shape->mesh ? find_written(machine, shape) : NULL;
            if (before)
                shape->mesh_name = before->mesh_name;
            else
                TN_TRY(write_mesh(folder, shape, body));
        }
    }
    return tn_machine_status(machine);
}
