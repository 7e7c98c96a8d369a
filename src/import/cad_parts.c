/* The answer of tenon-cad: lines of occurrences, parts and faces. */
#include "cad_parts.h"

#include "diag.h"
#include "mesh_file.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

static const double LEAST_DENSITY = 50, LARGEST_DENSITY = 23000;       /* kg/m^3: cork, osmium */

typedef struct answer_reader {
    tn_machine *machine;
    tn_cad_tree *tree;
    const char *at;            /* in the line */
    bool failed;
} answer_reader;

static double next_number(answer_reader *r)
{
    char *end;
    double value = strtod(r->at, &end);
    r->failed = r->failed || end == r->at || !isfinite(value);
    r->at = end;
    return value;
}

static void next_numbers(answer_reader *r, double *out, int n)
{
    for (int k = 0; k < n; k++)
        out[k] = next_number(r);
}

static const char *rest_of_line(answer_reader *r)
{
    while (*r->at == ' ')
        r->at++;
    const char *copy = tn_arena_strdup(r->machine->arena, r->at);
    return copy ? copy : "";
}

static void *grow_list(answer_reader *r, void *list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return list;
    size_t more = *capacity ? 2 * *capacity : 16;
    void *fresh = tn_arena_alloc(r->machine->arena, more, size);
    if (!fresh) {
        r->machine->status = TN_ERROR_MEMORY;
        return NULL;
    }
    if (count > 0)
        memcpy(fresh, list, count * size);
    *capacity = more;
    return fresh;
}

static void read_occurrence(answer_reader *r)
{
    tn_cad_tree *tree = r->tree;
    tn_cad_occurrence *list = grow_list(r, tree->occurrences, &tree->occurrence_capacity, tree->occurrence_count, sizeof *list);
    double R[3][3];
    if (!list)
        return;
    tree->occurrences = list;
    next_number(r);
    tn_cad_occurrence *o = &list[tree->occurrence_count++];
    o->parent = (int)next_number(r);
    o->part = (int)next_number(r);
    next_numbers(r, o->pose.p, 3);
    next_numbers(r, R[0], 9);
    tn_quat_from_matrix(o->pose.q, (const double (*)[3])R);
    tn_quat_normalize(o->pose.q);
    o->name = rest_of_line(r);
    r->failed = r->failed || o->parent >= (int)tree->occurrence_count - 1 || o->part >= (int)tree->part_count;
}

static void read_part(answer_reader *r)
{
    tn_cad_tree *tree = r->tree;
    int index = (int)next_number(r);
    while (!r->failed && index >= 0 && index < 10000000 && (size_t)index >= tree->part_count) {
        tn_cad_part *list = grow_list(r, tree->parts, &tree->part_capacity, tree->part_count, sizeof *list);
        if (!list)
            return;
        tree->parts = list;
        tree->parts[tree->part_count++] = (tn_cad_part){ .name = "" };
    }
    if (r->failed || index < 0 || (size_t)index >= tree->part_count) {
        r->failed = true;
        return;
    }
    tn_cad_part *part = &tree->parts[index];
    part->volume = next_number(r);
    next_numbers(r, part->com, 3);
    next_numbers(r, part->inertia, 6);
    part->density = next_number(r);
    part->solids = (int)next_number(r);
    part->name = rest_of_line(r);
}

static void read_face(answer_reader *r)
{
    static const char *const kinds[] = { "plane", "cylinder", "sphere" };
    int index = (int)next_number(r), kind = -1;
    char word[16];
    if (r->failed || index < 0 || (size_t)index >= r->tree->part_count || sscanf(r->at, "%15s", word) != 1) {
        r->failed = true;
        return;
    }
    for (int k = 0; k < 3; k++)
        if (strcmp(word, kinds[k]) == 0)
            kind = k;
    r->at = strstr(r->at, word) + strlen(word);
    tn_cad_part *part = &r->tree->parts[index];
    tn_cad_face *list = grow_list(r, part->faces, &part->face_capacity, part->face_count, sizeof *list);
    if (!list || kind < 0)
        return;
    part->faces = list;
    tn_cad_face *face = &list[part->face_count++];
    face->kind = (tn_face_kind)kind;
    next_numbers(r, face->point, 3);
    next_numbers(r, face->axis, 3);
    face->radius = next_number(r);
    face->low = next_number(r);
    face->high = next_number(r);
    face->wrap = next_number(r);
    face->area = next_number(r);
    face->inner = next_number(r) != 0;
    next_numbers(r, face->box, 6);
}

/* Takes the mesh of a part into the arena. */
static void take_mesh(tn_machine *machine, tn_cad_part *part, const char *path, tn_span place)
{
    tn_triangles mesh;
    tn_report_mark mark = tn_report_now(machine->context);
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    fclose(file);
    if (tn_mesh_file_read(&mesh, machine, path, place)) {
        part->vertices = tn_arena_alloc(machine->arena, 3 * mesh.vertex_count, sizeof *part->vertices);
        part->triangles = tn_arena_alloc(machine->arena, 3 * mesh.triangle_count, sizeof *part->triangles);
        if (part->vertices && part->triangles) {
            memcpy(part->vertices, mesh.vertices, 3 * mesh.vertex_count * sizeof *part->vertices);
            memcpy(part->triangles, mesh.triangles, 3 * mesh.triangle_count * sizeof *part->triangles);
            part->vertex_count = mesh.vertex_count;
            part->triangle_count = mesh.triangle_count;
        }
    }
    tn_triangles_free(&mesh);
    tn_report_forget(machine->context, mark);
}

int tn_cad_parse(tn_cad_tree *out, tn_machine *machine, char *answer, const char *folder, tn_span place)
{
    answer_reader r = { .machine = machine, .tree = out };
    *out = (tn_cad_tree){ .parts = NULL };
    for (char *line = answer, *end; line && *line && !r.failed; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        r.at = line + strcspn(line, " ");
        if (strncmp(line, "occurrence ", 11) == 0)
            read_occurrence(&r);
        else if (strncmp(line, "part ", 5) == 0)
            read_part(&r);
        else if (strncmp(line, "face ", 5) == 0)
            read_face(&r);
        else if (strncmp(line, "missing ", 8) == 0)
            tn_machine_note_add(machine, TN_WARNING, place, "refers to '%s', which is not beside it or cannot be read as STEP: "
                                "its parts have no shape and no mass", rest_of_line(&r));
        TN_TRY(tn_machine_status(machine));
    }
    if (r.failed)
        return tn_fail(machine->context, TN_ERROR_FILE, place, "the answer of tenon-cad is not understood");
    for (size_t i = 0; i < out->part_count; i++)
        take_mesh(machine, &out->parts[i], tn_machine_text(machine, "%s/%zu.stl", folder, i), place);
    return tn_machine_status(machine);
}

void tn_cad_mass(tn_machine *machine, int body, const tn_cad_part *part, const tn_pose *in)
{
    double density = part->density, tensor[6];
    const char *source = "material of the file";
    if (density > 0 && density < LEAST_DENSITY)
        density *= 1000;               /* g/cm^3 */
    if (!(density >= LEAST_DENSITY && density <= LARGEST_DENSITY)) {
        density = machine->options->density;
        source = "volume, density of the options";
    }
    if (!(part->volume > 0)) {
        tn_machine_leave_out(machine, machine->bodies[body].place, "parts without volume (sheets and curves)");
        return;
    }
    if (!isfinite(density)) {
        density = 1000;
        source = "volume, density 1000 kg/m^3 assumed";
    }
    for (int k = 0; k < 6; k++)
        tensor[k] = part->inertia[k] * density;
    machine->bodies[body].mass_source = source;
    machine->bodies[body].volume += part->volume;
    tn_body_add_mass(&machine->bodies[body], part->volume * density, in, part->com, tensor);
}

void tn_cad_shape(tn_machine *machine, int body, const tn_cad_part *part, const tn_pose *in)
{
    if (part->triangle_count == 0)
        return;
    tn_machine_shape *shape = tn_machine_add_shape(machine, body, TN_SHAPE_MESH);
    shape->pose = *in;
    shape->vertices = part->vertices;
    shape->triangles = part->triangles;
    shape->vertex_count = part->vertex_count;
    shape->triangle_count = part->triangle_count;
}
