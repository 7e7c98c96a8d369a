/* Shapes of FreeCAD parts: their files in the archive go to tenon-cad, which tells mass properties and makes meshes. */
#include "fcstd_reader.h"

#include "cad_parts.h"
#include "diag.h"
#include "entities.h"
#include "file.h"
#include "helper.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 20 };
static const size_t SHAPE_LIMIT = (size_t)256 << 20;       /* bytes of a shape */

static void add_shape(fc_reader *r, int body, const tn_pose *in, const char *entry)
{
    if (r->shape_count == r->shape_capacity) {
        size_t more = r->shape_capacity ? 2 * r->shape_capacity : 32;
        fc_shape *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (r->shape_count > 0)
            memcpy(list, r->shapes, r->shape_count * sizeof *list);
        r->shapes = list;
        r->shape_capacity = more;
    }
    r->shapes[r->shape_count++] = (fc_shape){ body, *in, entry };
}

/* Shapes of an object: its own, that of the object it links to, or those of its group. in: its frame on the body. */
static void collect(fc_reader *r, const fc_object *object, int body, const tn_pose *in, int depth)
{
    const char *file = NULL, *entry = tn_fc_file(object, "Shape");
    if (depth > DEEPEST)
        return;
    if (entry && tn_archive_has(r->archive, entry)) {
        add_shape(r, body, in, entry);
        return;
    }
    const fc_object *linked = tn_fc_link(r, object, "LinkedObject", &file);
    if (file) {
        tn_machine_leave_out(r->machine, object->data->place, "shapes in other documents");
        return;
    }
    if (linked && linked != object) {
        tn_pose own = tn_fc_placement(r, linked, "Placement"), at = tn_pose_compose(in, &own);
        collect(r, linked, body, tn_fc_flag(object, "LinkTransform", false) ? &at : in, depth + 1);
        return;
    }
    for (const tn_xml *link = tn_fc_group(object); link; link = tn_xml_next(link, "Link")) {
        const fc_object *member = tn_fc_find(r, tn_xml_get(link, "value"));
        if (!member || member == object)
            continue;
        tn_pose own = tn_fc_placement(r, member, "Placement"), at = tn_pose_compose(in, &own);
        collect(r, member, body, &at, depth + 1);
    }
}

void tn_fc_shape(fc_reader *r, const fc_object *object)
{
    tn_pose none = tn_pose_identity();
    collect(r, object, object->body, &none, 0);
}

/* Takes the shapes out of the archive into a folder, numbered. */
static int unpack(fc_reader *r, const char *folder)
{
    for (size_t i = 0; i < r->shape_count; i++) {
        char *data = NULL, path[128];
        size_t size = 0, length = strlen(r->shapes[i].entry);
        bool binary = length > 4 && strcmp(r->shapes[i].entry + length - 4, ".bin") == 0;
        TN_TRY(tn_archive_read(&data, &size, r->archive, r->shapes[i].entry, SHAPE_LIMIT));
        snprintf(path, sizeof path, "%.60s/%zu.%s", folder, i, binary ? "bin" : "brp");
        int code = tn_file_replace(r->machine->context, path, data, size);
        tn_free(r->machine->context, data);
        TN_TRY(code);
    }
    return TN_OK;
}

/* Runs the helper on all shapes. A failure leaves the bodies without mass, with a note. */
int tn_fc_shapes(fc_reader *r)
{
    tn_machine *machine = r->machine;
    tn_report_mark mark = tn_report_now(machine->context);
    tn_span place = { r->files->main, 0, 0 };
    char folder[64], number[24], *answer = NULL;
    tn_cad_tree tree = { .parts = NULL };
    if (r->shape_count == 0)
        return tn_machine_status(machine);
    TN_TRY(tn_helper_folder(folder, machine, place));
    snprintf(number, sizeof number, "%zu", r->shape_count);
    int code = unpack(r, folder);
    if (code >= 0)
        code = tn_helper_run(&answer, machine, (const char *const[]){ "brep", folder, number, NULL }, place);
    if (code >= 0)
        code = tn_cad_parse(&tree, machine, answer, folder, place);
    tn_free(machine->context, answer);
    tn_helper_remove(folder);
    for (size_t i = 0; code >= 0 && i < tree.part_count && i < r->shape_count; i++) {
        tn_cad_mass(machine, r->shapes[i].body, &tree.parts[i], &r->shapes[i].in);
        tn_cad_shape(machine, r->shapes[i].body, &tree.parts[i], &r->shapes[i].in);
    }
    if (code < 0 && code != TN_ERROR_MEMORY) {
        size_t count = tn_diagnostics_count(machine->context);
        const tn_diagnostic *last = count > mark.count ? tn_diagnostics_get(machine->context, count - 1) : NULL;
        tn_machine_note_add(machine, TN_WARNING, place, "the shapes of %zu parts were not read, so bodies have no masses and no "
                            "pictures: %s", r->shape_count, last ? last->message : "unknown reason");
        tn_report_forget(machine->context, mark);
        code = TN_OK;
    }
    return code < 0 ? code : tn_machine_status(machine);
}
