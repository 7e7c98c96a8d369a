/* Includes of SDFormat: <include> elements of worlds and models are replaced by the models they name. */
#include "sdf_reader.h"

#include "diag.h"
#include "xml_text.h"

#include <string.h>

enum { MOST_INCLUDES = 500, DEEPEST = 30 };

typedef struct include_state {
    sdf_reader *reader;
    int count;
} include_state;

/* The file of a model folder: as its model.config says, or model.sdf. NULL: there is none. */
static const char *find_model(sdf_reader *r, const char *folder, const char *uri, bool *outside)
{
    const char *config = tn_source_search(r->files, folder, tn_machine_text(r->machine, "%s/model.config", uri), outside);
    const char *name = "model.sdf";
    char *data = NULL;
    size_t size = 0;
    tn_xml *root = NULL;
    tn_report_mark mark = tn_report_now(r->machine->context);
    if (config && tn_source_load(&data, &size, r->files, config, TN_NOWHERE) >= 0 &&
        tn_xml_parse(&root, r->machine->arena, r->machine->context, config, data, size) >= 0)
        for (const tn_xml *sdf = tn_xml_child(root, "sdf"); sdf; sdf = tn_xml_next(sdf, "sdf"))
            name = sdf->text[0] ? sdf->text : name;       /* the last one: versions rise */
    tn_report_forget(r->machine->context, mark);
    tn_free(r->machine->context, data);
    return tn_source_search(r->files, folder, tn_machine_text(r->machine, "%s/%s", uri, name), outside);
}

/* The file that a URI means. Addresses of the web are never fetched; their last part may be a folder at hand. */
static const char *find_included(sdf_reader *r, const char *uri, tn_span place, bool *outside)
{
    const char *folder = tn_source_folder(r->files, place), *dot = strrchr(uri, '.'), *slash = strrchr(uri, '/');
    bool file = dot && (strcmp(dot, ".sdf") == 0 || strcmp(dot, ".world") == 0);
    const char *found = file ? tn_source_search(r->files, folder, uri, outside) : find_model(r, folder, uri, outside);
    if (!found && slash && slash[1])
        found = file ? tn_source_search(r->files, folder, slash + 1, outside) : find_model(r, folder, slash + 1, outside);
    return found;
}

/* Elements inside <include> override those of the included model. */
static void override_model(sdf_reader *r, tn_xml *model, tn_xml *include)
{
    static const char *const names[] = { "pose", "static" };
    const char *name = tn_xml_child_text(include, "name");
    if (name && name[0])
        tn_xml_set(r->machine->arena, model, "name", name);
    if (tn_xml_child_text(include, "placement_frame"))
        tn_xml_set(r->machine->arena, model, "placement_frame", tn_xml_child_text(include, "placement_frame"));
    for (size_t i = 0; i < TN_LENGTH(names); i++) {
        tn_xml *given = tn_xml_child(include, names[i]), *own = tn_xml_child(model, names[i]);
        if (!given)
            continue;
        tn_xml *copy = tn_arena_alloc(r->machine->arena, 1, sizeof *copy);
        if (!copy)
            return;
        *copy = *given;
        if (own)
            own->name = "replaced";
        tn_xml_append(model, copy);
    }
    for (const tn_xml *e = include->first; e; e = e->next)
        if (tn_xml_is(e, "plugin") || tn_xml_is(e, "experimental"))
            tn_machine_leave_out(r->machine, e->place, "<%s> of includes", e->name);
    if (tn_attribute_bool(include, "merge", false))
        tn_xml_set(r->machine->arena, model, "merged", "true");
}

/* The model of a file, NULL with a note or an error. */
static tn_xml *load_model(include_state *state, tn_xml *include)
{
    sdf_reader *r = state->reader;
    const char *uri = tn_xml_child_text(include, "uri");
    bool outside = false;
    char *data = NULL;
    size_t size = 0;
    tn_xml *root = NULL;
    if (!uri || !uri[0]) {
        SDF_ERROR(r, include->place, "<include> without <uri>");
        return NULL;
    }
    const char *path = find_included(r, uri, include->place, &outside);
    if (!path) {
        if (strcmp(uri, "model://sun") == 0)
            tn_machine_leave_out(r->machine, include->place, "<include> of the sun");
        else
            tn_machine_note_add(r->machine, TN_WARNING, include->place, "<include> of '%s' is left out: %s; name the folder of "
                                "the model beside the file", uri, outside ? "it is outside the folder of the import"
                                : "it was not found");
        return NULL;
    }
    if (++state->count > MOST_INCLUDES) {
        SDF_ERROR(r, include->place, "more than %d includes, or one that includes itself", MOST_INCLUDES);
        return NULL;
    }
    tn_machine_add_file(r->machine, path);
    if (tn_source_load(&data, &size, r->files, path, include->place) < 0 ||
        tn_xml_parse(&root, r->machine->arena, r->machine->context, path, data, size) < 0)
        r->failed = true;
    tn_free(r->machine->context, data);
    tn_xml *model = root ? tn_xml_child(root, "model") : NULL;
    if (root && !model)
        SDF_ERROR(r, include->place, "'%s' has no <model>", path);
    if (model && tn_xml_get(root, "version"))
        tn_xml_set(r->machine->arena, model, "version", tn_xml_get(root, "version"));
    return model;
}

static void expand(include_state *state, tn_xml *element, int depth)
{
    sdf_reader *r = state->reader;
    if (depth > DEEPEST) {
        SDF_ERROR(r, element->place, "models are included more than %d deep, or include themselves", DEEPEST);
        return;
    }
    for (tn_xml *e = element->first, *before = NULL; e && !r->failed; before = e, e = e->next) {
        tn_xml *model = tn_xml_is(e, "include") ? load_model(state, e) : NULL;
        if (model) {
            override_model(r, model, e);
            model->parent = element;
            model->next = e->next;
            if (before)
                before->next = model;
            else
                element->first = model;
            if (element->last == e)
                element->last = model;
            e = model;
        }
        if (tn_xml_is(e, "model") || tn_xml_is(e, "world"))
            expand(state, e, depth + 1);
    }
}

void tn_sdf_include(sdf_reader *r, tn_xml *root)
{
    expand(&(include_state){ r, 0 }, root, 0);
}
