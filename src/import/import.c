/* Import: the public interface. Chooses the reader, prepares the machine, writes its folder. */
#include "import_impl.h"

#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "hash.h"
#include "writer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TN_IMPORTER(name) extern const tn_importer tn_importer_##name;
#include "list.h"
#undef TN_IMPORTER
#define TN_IMPORTER(name) &tn_importer_##name,
const tn_importer *const tn_importers[] = {
#include "list.h"
    NULL
};
#undef TN_IMPORTER

tn_import_options tn_import_default(void)
{
    return (tn_import_options){ .density = NAN, .confidence = 0.7, .helper_time = 300, .helper_memory = 4e9 };
}

size_t tn_import_format_count(void)
{
    return TN_LENGTH(tn_importers) - 1;
}

tn_import_format tn_import_format_at(size_t index)
{
    if (index >= tn_import_format_count())
        return (tn_import_format){ NULL, NULL, NULL };
    const tn_importer *i = tn_importers[index];
    return (tn_import_format){ i->name, i->endings, i->doc };
}

static bool has_ending(const char *endings, const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? strlen(dot) : 0;
    for (const char *at = endings; dot && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncasecmp(at, dot, length) == 0 && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

/* By name, by ending with content, by ending alone, by content alone. */
static const tn_importer *choose_importer(const char *format, const char *path, const char *data, size_t size)
{
    for (const tn_importer *const *i = tn_importers; format && *i; i++)
        if (strcmp((*i)->name, format) == 0)
            return *i;
    for (int round = 0; !format && round < 3; round++)
        for (const tn_importer *const *i = tn_importers; *i; i++) {
            bool ending = has_ending((*i)->endings, path), content = (*i)->recognises && (*i)->recognises(data, size);
            if (round == 0 ? ending && content : round == 1 ? content : ending && !(*i)->recognises)
                return *i;
        }
    return NULL;
}

static int no_importer(tn_context *context, const char *path, const char *format)
{
    char list[200] = "";
    for (const tn_importer *const *i = tn_importers; *i; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i == tn_importers ? "" : ", ", (*i)->name);
    if (format)
        return tn_fail(context, TN_ERROR_ARGUMENT, ((tn_span){ path, 0, 0 }), "there is no format '%s'; there are %s",
                       format, list);
    for (const tn_importer *const *i = tn_importers; *i; i++)
        if (has_ending((*i)->endings, path))
            return tn_fail(context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "its name ends like one of format %s (%s), but its content "
                           "is not of this format, nor of another that is read (%s)", (*i)->name, (*i)->doc, list);
    return tn_fail(context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "neither its name nor its content is that of a "
                   "format that is read (%s)", list);
}

static int read_machine(tn_import *import, const tn_source_files *files)
{
    char *data = NULL;
    size_t size = 0;
    tn_span place = { files->main, 0, 0 };
    TN_TRY(tn_source_load(&data, &size, files, files->main, place));
    import->hash = import->machine->hash = tn_hash_bytes(TN_HASH_START, data, size);
    import->size = size;
    tn_machine_add_file(import->machine, files->main);
    import->importer = choose_importer(import->options.format, files->main, data, size);
    int code = TN_OK;
    if (size == 0)
        code = tn_fail(import->context, TN_ERROR_FILE, place, "the file is empty");
    else if (!import->importer)
        code = no_importer(import->context, files->main, import->options.format);
    else
        code = import->importer->read(import->machine, files, data, size);
    tn_free(import->context, data);
    return code < 0 ? code : tn_machine_status(import->machine);
}

static void prepare_machine(tn_import *import)
{
    tn_machine *machine = import->machine;
    machine->format = import->importer->name;
    for (size_t i = 0; i < machine->joint_count; i++)
        if (machine->joints[i].confidence < import->options.confidence)
            machine->joints[i].dropped = true;
    tn_machine_decide(machine);
    if (tn_machine_status(machine) < 0)
        return;
    tn_machine_check_settings(machine);
    tn_machine_merge(machine);
    tn_machine_check_masses(machine);
    tn_machine_check_shapes(machine);
    tn_machine_check_coordinates(machine);
    tn_machine_gather_limits(machine);
    tn_machine_check_starts(machine);
    tn_machine_name(machine);
    import->prepared = true;
}

static int take_decisions(tn_import *import)
{
    if (import->options.folder)
        TN_TRY(tn_import_recall_decisions(import, import->options.folder));
    return tn_machine_decisions_take(import->machine, import->options.decisions, import->options.decision_count);
}

int tn_import_read(tn_import **out, tn_context *context, const char *const *files, size_t count,
                   const tn_import_options *options)
{
    tn_import *import = count > 0 ? tn_alloc(context, 1, sizeof *import) : NULL;
    if (!import)
        return count > 0 ? TN_ERROR_MEMORY : TN_ERROR_ARGUMENT;
    import->context = context;
    import->options = options ? *options : tn_import_default();
    import->options.collisions = import->options.collisions || import->options.contacts;
    import->assembled = TN_NEWS_END;
    tn_decimal decimal;
    tn_source_files source;
    int code = tn_machine_create(&import->machine, context, &import->options);
    if (code >= 0)
        code = tn_decimal_begin(&decimal);
    if (code >= 0) {
        import->file = tn_arena_strdup(import->machine->arena, files[0]);
        code = tn_source_begin(&source, import->machine, files, count);
        if (code >= 0)
            code = take_decisions(import);
        if (code >= 0)
            code = read_machine(import, &source);
        if (code >= 0)
            prepare_machine(import);
        if (code >= 0)
            code = tn_machine_status(import->machine);
        tn_decimal_end(&decimal);
    }
    if (code < 0) {
        tn_import_destroy(import);
        return code;
    }
    *out = import;
    return TN_OK;
}

void tn_import_destroy(tn_import *import)
{
    if (!import)
        return;
    tn_machine_destroy(import->machine);
    tn_free(import->context, import);
}

static int write_folder(tn_import *import, const char *path)
{
    tn_folder folder;
    char *record = NULL;
    int code = tn_folder_begin(&folder, import->machine, path);
    if (code < 0)
        return code;
    import->update = folder.update;
    if (folder.update)
        code = tn_import_recall(import, path);
    if (code >= 0)
        code = tn_write_meshes(&folder);
    if (code >= 0)
        code = tn_write_model(&folder);
    if (code >= 0)
        code = tn_import_record(&record, import);
    if (code >= 0)
        code = tn_folder_put(&folder, "import.yaml", record, strlen(record));
    tn_free(import->context, record);
    return tn_folder_end(&folder, code);
}

/* Writes the folder once more after joints have been fitted; what has changed against an earlier import stays told. */
static int write_again(tn_import *import, const char *folder)
{
    bool update = import->update;
    size_t changes = import->change_count;
    int code = write_folder(import, folder);
    import->update = update;
    import->change_count = changes;
    return code < 0 ? code : tn_import_analyse(import, folder);
}

int tn_import_write(tn_import *import, const char *folder)
{
    enum { ROUNDS = 4 };               /* the last one keeps a quarter of the range away from limits */
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = write_folder(import, folder);
    if (code >= 0) {
        import->folder = tn_arena_strdup(import->machine->arena, folder);
        code = import->folder ? tn_import_analyse(import, folder) : TN_ERROR_MEMORY;
        if (code >= 0 && import->assembled == TN_ERROR_ASSEMBLY && tn_machine_fit(import->machine))
            code = write_again(import, folder);
        for (int round = 0; round < ROUNDS && code >= 0 && import->assembled < 0; round++) {
            code = tn_import_within_limits(import, folder, round);
            if (code <= 0)
                break;
            code = write_again(import, folder);
        }
    }
    tn_decimal_end(&decimal);
    return code;
}

int tn_import_decide(tn_import *import, const char *name, const char *decision)
{
    bool accept = strcmp(decision, "accept") == 0;
    if (!accept && strcmp(decision, "reject") != 0)
        return tn_fail(import->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "decision '%s' is neither accept nor reject",
                       decision);
    for (size_t i = 0; i < import->machine->joint_count; i++) {
        tn_machine_joint *joint = &import->machine->joints[i];
        if (strcmp(joint->label, name) != 0)
            continue;
        if (joint->merged)
            return tn_fail(import->context, TN_ERROR_ARGUMENT, joint->place, "joint '%s' has made one body of two: decide "
                           "about it with the options of tn_import_read", name);
        joint->dropped = !accept;
        joint->decided = true;
        return tn_machine_decisions_take(import->machine, &(tn_import_decision){ "joint", joint->key, decision }, 1);
    }
    return tn_fail(import->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no joint '%s'", name);
}

size_t tn_import_body_count(const tn_import *import)
{
    return import->machine->body_count - 1;
}

tn_import_body tn_import_body_at(const tn_import *import, size_t index)
{
    if (index >= tn_import_body_count(import))
        return (tn_import_body){ .name = NULL };
    const tn_machine_body *b = &import->machine->bodies[index + 1];
    bool own = b->into == (int)index + 1;
    return (tn_import_body){ .name = b->label, .source = b->path, .place = b->place, .mass = b->mass,
                             .part_of = own ? NULL : b->label, .mass_source = b->mass_source };
}

size_t tn_import_joint_count(const tn_import *import)
{
    return import->machine->joint_count;
}

tn_import_joint tn_import_joint_at(const tn_import *import, size_t index)
{
    if (index >= import->machine->joint_count)
        return (tn_import_joint){ .name = NULL };
    const tn_machine *machine = import->machine;
    const tn_machine_joint *j = &machine->joints[index];
    return (tn_import_joint){ .name = j->label, .type = j->type, .source = j->source, .place = j->place,
                              .body1 = machine->bodies[j->body1].label, .body2 = machine->bodies[j->body2].label,
                              .key = j->key, .confidence = j->confidence, .evidence = j->evidence, .used = !j->dropped,
                              .merged = j->merged };
}

size_t tn_import_message_count(const tn_import *import)
{
    return import->machine->note_count;
}

tn_import_message tn_import_message_at(const tn_import *import, size_t index)
{
    if (index >= import->machine->note_count)
        return (tn_import_message){ .text = NULL };
    const tn_machine_note *note = &import->machine->notes[index];
    return (tn_import_message){ note->severity, note->place, note->text };
}
