/* Fuzz target: machines and meshes in formats of others. The first byte says which format, the rest is the file. What is read
 * is written as a model folder, which is read back. */
#define _XOPEN_SOURCE 700          /* nftw */
#include "fuzz.h"
#include "in_file.h"
#include "mesh_file.h"
#include "tenon/import.h"
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

static const char *const formats[] = { "urdf", "mjcf", "sdf", "simscape", "fcstd", "asmt", "adm", "usd" };
/* Those that came later have the numbers behind the meshes, so that the files of the corpus keep theirs. */
static const char *const later[] = { "ssp", "mesh" };
#define TN_MESH(name) extern const tn_mesh_format tn_mesh_##name;
#include "mesh_list.h"
#undef TN_MESH
#define TN_MESH(name) &tn_mesh_##name,
static const tn_mesh_format *const meshes[] = {
#include "mesh_list.h"
};
enum {
    FORMATS = sizeof formats / sizeof formats[0], MESHES = sizeof meshes / sizeof meshes[0], LATER = sizeof later / sizeof later[0],
#define TN_IMPORTER(name) +1
    IMPORTERS = 0
#include "../../src/import/list.h"
};
_Static_assert(FORMATS + LATER + 1 == IMPORTERS, "all but STEP files, which a program of its own reads");

enum { MOST_BODIES = 12, OPEN_FOLDERS = 8 };

static int remove_entry(const char *path, const struct stat *there, int kind, struct FTW *place)
{
    (void)there;
    (void)kind;
    (void)place;
    return remove(path);
}

/* A folder that was written is a model, whatever the machine was. */
static void write_machine(tn_context *context, tn_import *import, const char *path)
{
    char folder[80], model_path[100], *report = NULL;
    tn_model *model = NULL;
    snprintf(folder, sizeof folder, "%s.model", path);
    snprintf(model_path, sizeof model_path, "%s/model.yaml", folder);
    if (tn_import_write(import, folder) >= 0) {
        if (tn_import_report_json(&report, import) >= 0)
            tn_import_report_free(import, report);
        tn_diagnostics_clear(context);
        if (tn_model_read(&model, context, model_path) < 0) {
            tn_diagnostics_print(context, stderr);
            abort();                               /* what was imported cannot be read */
        }
        tn_model_destroy(model);
    }
    nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static void read_machine(tn_context *context, const char *format, const uint8_t *data, size_t size)
{
    tn_import_options options = tn_import_default();
    tn_import *import = NULL;
    const char *path = input_file(data, size, ".xml");
    options.format = format;
    if (tn_import_read(&import, context, &path, 1, &options) >= 0 && tn_import_body_count(import) <= MOST_BODIES)
        write_machine(context, import, path);
    tn_import_destroy(import);
    unlink(path);
}

static void read_mesh(tn_context *context, const tn_mesh_format *format, const uint8_t *data, size_t size)
{
    tn_triangles mesh = { .context = context, .unit = 1 };
    char why[120], *text = tn_alloc(context, size + 1, 1);
    memcpy(text, data, size);
    format->read(&mesh, text, size, why, "fuzz");
    tn_triangles_free(&mesh);
    tn_free(context, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    tn_context *context = tn_context_create(NULL);
    size_t which = data[0] % (FORMATS + MESHES + LATER);
    if (which < FORMATS)
        read_machine(context, formats[which], data + 1, size - 1);
    else if (which >= FORMATS + MESHES)
        read_machine(context, later[which - FORMATS - MESHES], data + 1, size - 1);
    else
        read_mesh(context, meshes[which - FORMATS], data + 1, size - 1);
    tn_context_destroy(context);
    return 0;
}
