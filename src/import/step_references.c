/* Files that a STEP file refers to: Open CASCADE reads them by itself, so what it may not read is refused here. */
#include "step_references.h"

#include "diag.h"
#include "hash.h"

#include <string.h>

enum { MOST_REFERENCES = 10000, LONGEST = 1000 };      /* files; characters of a name */

typedef struct reference_search {
    tn_machine *machine;
    const tn_source_files *files;
    tn_name_index *seen;
    const char **paths;        /* found and not yet looked into */
    size_t count;
} reference_search;

/* The first text of an entity, after its keyword; false: there is none. Two apostrophes stand for one. */
static bool first_text(char out[LONGEST], const char *at)
{
    size_t length = 0;
    at += strspn(at, " \t\r\n");
    if (*at++ != '(')
        return false;
    at += strspn(at, " \t\r\n");
    if (*at++ != '\'')
        return false;
    for (; *at && (*at != '\'' || at[1] == '\'') && length + 1 < LONGEST; at++) {
        out[length++] = *at;
        at += *at == '\'';
    }
    out[length] = 0;
    return *at == '\'' && strspn(out, " ") < length;
}

static int take_reference(reference_search *s, const char *name, tn_span place)
{
    bool outside = false;
    if (!tn_index_put(s->seen, name, 0))
        return TN_OK;
    const char *path = tn_source_search(s->files, NULL, name, &outside);
    if (!path && outside)
        return tn_fail(s->machine->context, TN_ERROR_MODEL, place, "refers to '%s', which is outside the folder of the import (%s); "
                       "name its folder beside the file to allow it", name, s->files->roots[0]);
    if (!path)
        return TN_OK;          /* the helper tells which parts are missing */
    if (s->count == MOST_REFERENCES)
        return tn_fail(s->machine->context, TN_ERROR_MODEL, place, "more than %d files belong to it", MOST_REFERENCES);
    tn_machine_add_file(s->machine, path);
    s->paths[s->count++] = path;
    return tn_machine_status(s->machine);
}

static int scan_text(reference_search *s, const char *file, const char *data)
{
    static const char *const keywords[] = { "DOCUMENT_FILE", "EXTERNAL_IDENTIFICATION_ASSIGNMENT" };
    char name[LONGEST];
    for (size_t k = 0; k < TN_LENGTH(keywords); k++) {
        tn_span place = { file, 1, 1 };
        const char *counted = data;
        for (const char *at = data; (at = strstr(at, keywords[k])); ) {
            at += strlen(keywords[k]);
            if (!first_text(name, at))
                continue;
            for (; counted < at; counted++)
                place.line += *counted == '\n';
            TN_TRY(take_reference(s, name, place));
        }
    }
    return TN_OK;
}

int tn_step_references(tn_machine *machine, const tn_source_files *files, const char *data)
{
    reference_search s = { .machine = machine, .files = files };
    s.paths = tn_arena_alloc(machine->arena, MOST_REFERENCES, sizeof *s.paths);
    if (!s.paths)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_index_create(&s.seen, machine));
    TN_TRY(scan_text(&s, files->main, data));
    for (size_t i = 0; i < s.count; i++) {
        char *text = NULL;
        size_t size = 0;
        TN_TRY(tn_source_load(&text, &size, files, s.paths[i], (tn_span){ files->main, 0, 0 }));
        machine->hash = tn_hash_bytes(machine->hash, text, size);
        int code = scan_text(&s, s.paths[i], text);
        tn_free(machine->context, text);
        TN_TRY(code);
    }
    return TN_OK;
}
