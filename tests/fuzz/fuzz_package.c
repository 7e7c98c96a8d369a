/* Fuzz target: packages from outside. The first byte says which part: 0 modelDescription.xml of an FMU, 1 a zip archive, all of
 * whose entries are read, 2 an XML file. */
#include "archive.h"
#include "fmi_description.h"
#include "fuzz.h"
#include "xml.h"
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"

/* bytes: entries that claim to be larger are refused. */
static const size_t LARGEST_ENTRY = 1 << 20;

static void read_description(tn_context *context, tn_arena *arena, const char *text, size_t size)
{
    tn_fmi_description description;
    if (tn_fmi_describe(&description, arena, context, "fuzz.fmu", text, size) < 0)
        return;
    for (int k = 0; k < description.variable_count; k++)
        if (tn_fmi_find(&description, description.variables[k].name) < 0)
            abort();                               /* a variable that its own name does not find */
}

static void read_archive(tn_context *context, const char *data, size_t size)
{
    tn_archive *archive = NULL;
    if (tn_archive_open(&archive, context, "fuzz.zip", data, size) < 0)
        return;
    const char *entry;
    for (size_t k = 0; k < 100 && (entry = tn_archive_entry(archive, k)); k++) {
        char *bytes = NULL;
        size_t length;
        if (tn_archive_is_special(archive, k))
            continue;
        if (tn_archive_read(&bytes, &length, archive, entry, LARGEST_ENTRY) >= 0)
            tn_free(context, bytes);
    }
    tn_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    char *text = malloc(size);
    tn_xml *root = NULL;
    if (!arena || !text)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (data[0] % 3 == 0)
        read_description(context, arena, text, size - 1);
    else if (data[0] % 3 == 1)
        read_archive(context, text, size - 1);
    else
        tn_xml_parse(&root, arena, context, "fuzz.xml", text, size - 1);
    free(text);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    return 0;
}
