/* XML in a build without libxml2: says so. */
#include "xml.h"

#include "diag.h"

int tn_xml_parse(tn_xml **root, tn_arena *arena, tn_context *context, const char *file, const char *data, size_t size)
{
    (void)root, (void)arena, (void)data, (void)size;
    return tn_fail(context, TN_ERROR_FILE, ((tn_span){ file, 0, 0 }),
                   "this build has no libxml2, which files of this format need");
}
