/* Packs an FMU as a zip archive with fixed times: the same model gives the same bytes. */
#include "fmu_zip.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zip.h>
#include "command.h"
#include "output.h"

/* Of zlib: the library takes a fifth of the time of level 9, and 3 % more room. */
enum { COMPRESSION_LEVEL = 4 };
static const time_t FIXED_TIME = 315619200;            /* 2 January 1980: the oldest day of all time zones in archives */

typedef struct packer {
    zip_t *archive;
    zip_t *sources;                /* is read until the archive is written; NULL: none */
    const char *path;
    int status;
} packer;

static void refuse(packer *p, const char *name)
{
    if (p->status == TN_EXIT_OK)
        fprintf(stderr, "tenon export: cannot put %s into %s: %s\n", name, p->path, zip_strerror(p->archive));
    p->status = TN_EXIT_FILE;
}

static void add_source(packer *p, const char *name, zip_source_t *source)
{
    if (p->status != TN_EXIT_OK) {
        zip_source_free(source);
        return;
    }
    zip_int64_t index = source ? zip_file_add(p->archive, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        refuse(p, name);
    } else {
        zip_file_set_mtime(p->archive, (zip_uint64_t)index, FIXED_TIME, 0);
        zip_set_file_compression(p->archive, (zip_uint64_t)index, ZIP_CM_DEFLATE, COMPRESSION_LEVEL);
    }
}

/* Takes over the text. */
static void add_text(packer *p, const char *name, char *text)
{
    if (!text) {
        p->status = tn_out_of_memory();
        return;
    }
    zip_source_t *source = zip_source_buffer(p->archive, text, strlen(text), 1);
    if (!source)
        free(text);
    add_source(p, name, source);
}

static void add_file(packer *p, const char *name, const char *path)
{
    add_source(p, name, zip_source_file(p->archive, path, 0, 0));
}

/* Length of the folder that all files of the model are in, with its last slash. */
static size_t common_folder(const tn_model *model)
{
    const char *first = tn_model_file_at(model, 0).path, *slash = strrchr(first, '/');
    size_t length = slash ? (size_t)(slash - first) + 1 : 0;
    for (size_t k = 1; k < tn_model_file_count(model); k++) {
        const char *path = tn_model_file_at(model, k).path;
        while (length > 0 && strncmp(path, first, length) != 0) {
            length--;
            while (length > 0 && first[length - 1] != '/')
                length--;
        }
    }
    return length;
}

static void add_model(packer *p, const tn_model *model, size_t folder)
{
    for (size_t k = 0; k < tn_model_file_count(model); k++) {
        tn_model_file file = tn_model_file_at(model, k);
        size_t size = strlen(file.path) + 16;
        char *name = tn_allocate(size, 1);
        const char *path = file.path + folder;
        while (strncmp(path, "./", 2) == 0)
            path += 2;
        snprintf(name, size, "resources/%s", path);
        if (file.text) {
            char *copy = tn_allocate(strlen(file.text) + 1, 1);
            add_text(p, name, strcpy(copy, file.text));
        } else {
            add_file(p, name, file.path);
        }
        free(name);
    }
}

/* Data for the library inside the FMU, which src/fmu/instance.c reads. */
static char *list_text(const fmu_facts *f, size_t folder, const tn_setting *given, size_t given_count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "model %s\ntoken %s\n", tn_model_file_at(f->model, 0).path + folder, f->token);
    fprintf(out, "%s%s", f->simulate ? "kind cs\n" : "", f->exchange ? "kind me\n" : "");
    for (size_t k = 0; k < f->output_count; k++)
        fprintf(out, "output %s\n", f->outputs[k].name);
    for (size_t k = 0; k < given_count; k++)
        fprintf(out, "parameter %s %.17g\n", given[k].name, given[k].value);
    for (size_t k = 0; k < f->parameter_count; k++)
        if (f->parameters[k].tunable)
            fprintf(out, "tunable %s\n", f->parameters[k].name);
    return fclose(out) == 0 ? text : NULL;
}

static char *page_text(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>%s</title></head><body>\n<h1>%s</h1>\n"
                 "<p>Exported by Tenon %s. Numbers are in SI units. The model is in resources/.</p>\n<table>\n", f->identifier,
            f->identifier, tn_version());
    const fmu_variable *lists[] = { f->parameters, f->inputs, f->outputs };
    const size_t counts[] = { f->parameter_count, f->input_count, f->output_count };
    static const char *const words[] = { "parameter", "input", "output" };
    for (int l = 0; l < 3; l++)
        for (size_t k = 0; k < counts[l]; k++)
            fprintf(out, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", words[l], lists[l][k].name, lists[l][k].unit);
    fputs("</table>\n</body></html>\n", out);
    return fclose(out) == 0 ? text : NULL;
}

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".c") == 0;
}

/* Opens the archive of sources and lists the files that are to be compiled. */
static void open_sources(packer *p, const char *path, fmu_facts *f)
{
    int error = 0;
    p->sources = zip_open(path, ZIP_RDONLY, &error);
    if (!p->sources) {
        p->status = tn_file_failed(path);
        return;
    }
    const zip_uint64_t count = (zip_uint64_t)zip_get_num_entries(p->sources, 0);
    f->sources = tn_allocate((size_t)count + 1, sizeof *f->sources);
    f->source_count = 0;
    for (zip_uint64_t k = 0; k < count; k++) {
        const char *name = zip_get_name(p->sources, k, 0);
        if (name && is_source(name))
            f->sources[f->source_count++] = strcpy(tn_allocate(strlen(name) + 1, 1), name);
    }
}

/* The files of the archive of sources, and what tells how to compile them. */
static void add_sources(packer *p, const fmu_facts *f)
{
    char name[512];
    for (zip_uint64_t k = 0; k < (zip_uint64_t)zip_get_num_entries(p->sources, 0); k++) {
        snprintf(name, sizeof name, "sources/%s", zip_get_name(p->sources, k, 0));
        if (name[strlen(name) - 1] != '/')
            add_source(p, name, zip_source_zip(p->archive, p->sources, k, 0, 0, -1));
    }
    add_text(p, "sources/fmu_settings.h", tn_fmu_settings_header(f));
    add_text(p, "sources/Makefile", tn_fmu_makefile(f));
    if (f->version == 3)
        add_text(p, "sources/buildDescription.xml", tn_fmu_build_description(f));
}

/* Writes the archive, or gives it up after an error. */
static int write_archive(packer *p)
{
    if (p->status != TN_EXIT_OK) {
        zip_discard(p->archive);
        return p->status;
    }
    if (zip_close(p->archive) < 0) {
        fprintf(stderr, "tenon export: cannot write %s: %s\n", p->path, zip_strerror(p->archive));
        zip_discard(p->archive);
        return TN_EXIT_FILE;
    }
    return TN_EXIT_OK;
}

static int end_archive(packer *p)
{
    int status = write_archive(p);
    zip_discard(p->sources);
    return status;
}

int tn_fmu_zip_write(const char *path, const fmu_engine *engine, fmu_facts *f, const tn_setting *given, size_t given_count)
{
    int error = 0;
    char name[256];
    packer p = { .archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error), .path = path, .status = TN_EXIT_OK };
    if (!p.archive)
        return tn_file_failed(path);
    size_t folder = common_folder(f->model);
    if (engine->sources)
        open_sources(&p, engine->sources, f);
    add_text(&p, "modelDescription.xml", tn_fmu_description(f));
    snprintf(name, sizeof name, "binaries/%s/%s.so", f->version == 2 ? "linux64" : "x86_64-linux", f->identifier);
    add_file(&p, name, engine->library);
    if (p.sources)
        add_sources(&p, f);
    add_text(&p, "resources/tenon.txt", list_text(f, folder, given, given_count));
    add_model(&p, f->model, folder);
    add_text(&p, "documentation/index.html", page_text(f));
    if (f->version == 3)
        add_text(&p, "terminalsAndIcons/terminalsAndIcons.xml", tn_fmu_terminals(f));
    add_source(&p, f->version == 2 ? "model.png" : "terminalsAndIcons/icon.png",
               zip_source_buffer(p.archive, f->picture, f->picture_size, 0));
    return end_archive(&p);
}

int tn_ssp_zip_write(const char *path, const fmu_engine *engine, fmu_facts *f, const tn_setting *given, size_t given_count)
{
    size_t size = strlen(path) + 16;
    char *fmu = tn_allocate(size, 1), name[256];
    int error = 0;
    snprintf(fmu, size, "%s.fmu.part", path);
    int status = tn_fmu_zip_write(fmu, engine, f, given, given_count);
    if (status == TN_EXIT_OK) {
        packer p = { .archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error), .path = path, .status = TN_EXIT_OK };
        snprintf(name, sizeof name, "resources/%s.fmu", f->identifier);
        if (p.archive) {
            add_text(&p, "SystemStructure.ssd", tn_ssp_description(f, name));
            add_file(&p, name, fmu);
        }
        status = p.archive ? end_archive(&p) : tn_file_failed(path);
    }
    remove(fmu);
    free(fmu);
    return status;
}
