/* A mesh by itself: one body with the shape, and the mass of what the surface encloses. */
#include "source.h"

#include "diag.h"
#include "entities.h"
#include "mesh_file.h"

#include <math.h>
#include <string.h>

static const double WATER = 1000;              /* kg/m^3: where the file gives no density */
static const double LARGE = 5;                 /* m: a part that is longer was probably drawn in mm */

static double extent_of(const tn_triangles *mesh)
{
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            low = fmin(low, mesh->vertices[3 * i + (size_t)k]);
            high = fmax(high, mesh->vertices[3 * i + (size_t)k]);
        }
        largest = fmax(largest, high - low);
    }
    return largest * mesh->unit;
}

static int weigh_mesh(tn_machine *machine, int body, const tn_triangles *mesh, tn_span place)
{
    double volume, com[3], tensor[6], scale[3] = { mesh->unit, mesh->unit, mesh->unit };
    double density = isfinite(machine->options->density) ? machine->options->density : WATER;
    tn_pose none = tn_pose_identity();
    if (!tn_triangles_moments(&volume, com, tensor, mesh, scale))
        return tn_fail(machine->context, TN_ERROR_MODEL, place, "the surface encloses no volume: it is open, or its triangles are "
                       "turned inside out");
    tn_triangles_warn_open(machine, mesh, scale, machine->bodies[body].name, place);
    for (int k = 0; k < 6; k++)
        tensor[k] *= density;
    machine->bodies[body].volume = volume;
    machine->bodies[body].mass_source = isfinite(machine->options->density) ? "volume, density of the options"
                                                                            : "volume, density 1000 kg/m^3 assumed";
    tn_body_add_mass(&machine->bodies[body], volume * density, &none, com, tensor);
    double extent = extent_of(mesh);
    if (mesh->unit == 1)
        tn_machine_note_add(machine, extent > LARGE ? TN_WARNING : TN_NOTE, place, "the file has no units: lengths are m, and the "
                            "body is %.4g m long%s", extent, extent > LARGE ? "; was it drawn in mm?" : "");
    return TN_OK;
}

static int read_mesh(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    tn_triangles mesh;
    tn_span place = { files->main, 0, 0 };
    const char *slash = strrchr(files->main, '/'), *name = slash ? slash + 1 : files->main;
    (void)data, (void)size;
    machine->name = tn_arena_strndup(machine->arena, name, strcspn(name, "."));
    machine->gravity[2] = -9.81;
    int body = tn_machine_add_body(machine, machine->name ? machine->name : "mesh", place);
    TN_TRY(tn_machine_status(machine));
    size_t before = machine->note_count;
    int code = TN_OK;
    if (!tn_mesh_file_read(&mesh, machine, files->main, place))
        code = tn_fail(machine->context, TN_ERROR_FILE, place, "%s", machine->note_count > before
                       ? machine->notes[machine->note_count - 1].text : "the mesh cannot be read");
    else
        code = weigh_mesh(machine, body, &mesh, place);
    tn_triangles_free(&mesh);
    if (code < 0)
        return code;
    tn_machine_shape *shape = tn_machine_add_shape(machine, body, TN_SHAPE_MESH);
    shape->mesh = files->main;
    tn_machine_note_add(machine, TN_NOTE, place, "a mesh is one body, free in space; joints and contacts belong into model.yaml");
    return tn_machine_status(machine);
}

const tn_importer tn_importer_mesh = {
    .name = "mesh",
    .endings = ".stl .obj .ply .dae .gltf .glb",
    .doc = "Mesh: one body with the mass of its volume",
    .read = read_mesh,
};
