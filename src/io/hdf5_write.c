/* Writes results as HDF5: one dataset for each channel; attributes of the root describe the run (docs/results.md).
 *
 * Samples collect in a block of one chunk per channel; a full block is written to the file, which is then complete on
 * the disk. Thus chunks are compressed once and never read again, and an interrupted run leaves a valid file. */
#include "diag.h"
#include "hdf5_driver.h"
#include "hdf5_error.h"
#include "results_impl.h"
#include "sink.h"
#include "solve_table.h"
#include <string.h>

enum {
    CHUNK_ROWS = 1024,         /* 8 KiB a channel: compresses well, and short runs waste little */
    MIN_CHUNK_ROWS = 64,
    BLOCK_NUMBERS = 1 << 21,   /* 16 MiB: models with thousands of channels have smaller chunks */
    COMPRESSION = 4            /* of 9; more gains less than a percent on shuffled doubles */
};

typedef struct hdf5_sink {
    tn_sink base;
    char *path;
    hid_t file;
    hid_t *datasets;           /* negative: an earlier channel has the same name */
    double *block;             /* channel by channel, chunk numbers each */
    size_t chunk, filled;
    hsize_t written;           /* rows in the file */
    tn_hdf5_outcome outcome;
    tn_hdf5_reason reason;
    bool failed;               /* reported; the file gets nothing more */
} hdf5_sink;

/* ---- attributes ---- */

static bool put_attribute(hdf5_sink *sink, hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = tn_hdf5_ok(&sink->reason, attribute) &&
                tn_hdf5_ok(&sink->reason, H5Awrite(attribute, memory_type, value));
    H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static bool put_number(hdf5_sink *sink, const char *name, double value)
{
    return put_attribute(sink, sink->file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

static bool put_integer(hdf5_sink *sink, const char *name, int value)
{
    return put_attribute(sink, sink->file, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

/* Of fixed length: texts of variable length lie in a heap without checksums, and a damaged one crashes the library. */
static bool put_text(hdf5_sink *sink, hid_t object, const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(value) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bool good = put_attribute(sink, object, name, type, type, value);
    H5Tclose(type);
    return good;
}

typedef struct attribute_text {
    const char *name, *value;
} attribute_text;

static bool put_texts(hdf5_sink *sink, const attribute_text *texts, size_t count)
{
    bool good = true;
    for (size_t k = 0; k < count && good; k++)
        good = put_text(sink, sink->file, texts[k].name, texts[k].value);
    return good;
}

static bool put_solve(hdf5_sink *sink, const tn_solve *solve)
{
    tn_solve copy = *solve;
    bool good = true;
    for (int k = 0; k < TN_SOLVE_ROWS && good; k++) {
        const tn_solve_row *row = &tn_solve_rows[k];
        if (!(row->flags & TN_SOLVE_RESULT))
            continue;
        good = row->kind == TN_SOLVE_NUMBER ? put_number(sink, row->name, *tn_solve_number(row, &copy))
                                            : put_text(sink, sink->file, row->name, *tn_solve_name(row, &copy));
    }
    for (size_t k = 0; k < solve->setting_count && good; k++) {
        const tn_solve_setting *s = &solve->settings[k];
        char name[200];
        snprintf(name, sizeof name, "setting.%s%s%s", s->name, s->joint ? "." : "", s->joint ? s->joint : "");
        good = put_number(sink, name, s->value);
    }
    return good;
}

static bool put_header(hdf5_sink *sink, const tn_sink_header *header)
{
    const attribute_text texts[] = { { "format", "tenon results" }, { "tenon_version", tn_version() },
                                     { "model", header->model } };
    return put_integer(sink, "format_version", TN_RESULTS_VERSION) &&
           put_integer(sink, "dimension", header->dimension) && put_texts(sink, texts, TN_LENGTH(texts)) &&
           (!header->solve || put_solve(sink, header->solve));
}

/* ---- opening ---- */

/* The format of HDF5 1.8, which every reader knows and whose parts carry checksums. No dates: same run, same bytes. */
static bool create_file(hdf5_sink *sink)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(creation, false);
    if (tn_hdf5_ok(&sink->reason, tn_hdf5_set_driver(access, &sink->outcome)))
        sink->file = H5Fcreate(sink->path, H5F_ACC_TRUNC, creation, access);
    bool good = tn_hdf5_ok(&sink->reason, sink->file);
    H5Pclose(creation);
    H5Pclose(access);
    return good;
}

static hid_t chunked(size_t rows)
{
    hsize_t chunk = rows;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, COMPRESSION);
    H5Pset_obj_track_times(creation, false);
    return creation;
}

static bool create_datasets(hdf5_sink *sink, const tn_channel *channels)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t creation = chunked(sink->chunk), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 1);                       /* chunks are written whole: nothing to keep */
    bool good = true;
    for (size_t k = 0; k < sink->base.count && good; k++) {
        if (H5Lexists(sink->file, channels[k].name, H5P_DEFAULT) > 0)
            continue;
        sink->datasets[k] = H5Dcreate2(sink->file, channels[k].name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation,
                                       access);
        good = tn_hdf5_ok(&sink->reason, sink->datasets[k]) &&
               put_text(sink, sink->datasets[k], "unit", channels[k].unit);
    }
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return good;
}

static bool open_file(hdf5_sink *sink, const tn_sink_header *header)
{
    return create_file(sink) && put_header(sink, header) && create_datasets(sink, header->channels) &&
           tn_hdf5_ok(&sink->reason, H5Fflush(sink->file, H5F_SCOPE_LOCAL)) && sink->outcome.error == 0;
}

/* ---- rows ---- */

static bool append_hdf5_write(hdf5_sink *sink, hid_t dataset, const double *values)
{
    hsize_t rows = sink->filled, total = sink->written + rows;
    if (!tn_hdf5_ok(&sink->reason, H5Dset_extent(dataset, &total)))
        return false;
    hid_t memory = H5Screate_simple(1, &rows, NULL), file = H5Dget_space(dataset);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, &sink->written, NULL, &rows, NULL);
    bool good = tn_hdf5_ok(&sink->reason, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values));
    H5Sclose(file);
    H5Sclose(memory);
    return good;
}

static bool append_block(hdf5_sink *sink)
{
    bool good = true;
    for (size_t k = 0; k < sink->base.count && good; k++)
        if (sink->datasets[k] >= 0)
            good = append_hdf5_write(sink, sink->datasets[k], sink->block + k * sink->chunk);
    return good && tn_hdf5_ok(&sink->reason, H5Fflush(sink->file, H5F_SCOPE_LOCAL)) && sink->outcome.error == 0;
}

static int refuse(hdf5_sink *sink)
{
    sink->failed = true;
    return tn_fail(sink->base.context, TN_ERROR_FILE, TN_NOWHERE, "cannot write '%s': %s", sink->path,
                   sink->outcome.error != 0 ? strerror(sink->outcome.error) : sink->reason.text[0] ? sink->reason.text
                                                                            : "the HDF5 library gives no reason");
}

static int write_block(hdf5_sink *sink)
{
    int code = TN_OK;
    tn_hdf5_begin();
    H5E_BEGIN_TRY {
        if (!append_block(sink))
            code = refuse(sink);
    } H5E_END_TRY
    tn_hdf5_end();
    sink->written += sink->filled;
    sink->filled = 0;
    return code;
}

static int write_row(tn_sink *base, const double *values)
{
    hdf5_sink *sink = (hdf5_sink *)base;
    if (sink->failed)
        return TN_ERROR_FILE;
    for (size_t k = 0; k < base->count; k++)
        sink->block[k * sink->chunk + sink->filled] = values[k];
    return ++sink->filled < sink->chunk ? TN_OK : write_block(sink);
}

/* ---- closing ---- */

static bool close_file(hdf5_sink *sink)
{
    bool good = true;
    for (size_t k = 0; sink->datasets != NULL && k < sink->base.count; k++)
        if (sink->datasets[k] >= 0)
            good = tn_hdf5_ok(&sink->reason, H5Dclose(sink->datasets[k])) && good;
    good = sink->file < 0 || (tn_hdf5_ok(&sink->reason, H5Fclose(sink->file)) && good);
    return good && sink->outcome.error == 0;
}

static int close_sink(tn_sink *base)
{
    hdf5_sink *sink = (hdf5_sink *)base;
    int code = sink->filled > 0 && !sink->failed ? write_block(sink) : TN_OK;
    tn_hdf5_begin();
    H5E_BEGIN_TRY {
        if (!close_file(sink) && !sink->failed)
            code = refuse(sink);
    } H5E_END_TRY
    tn_hdf5_end();
    tn_free(base->context, sink->block);
    tn_free(base->context, sink->datasets);
    tn_free(base->context, sink->path);
    tn_free(base->context, sink);
    return code;
}

static size_t chunk_rows(size_t channels)
{
    size_t rows = BLOCK_NUMBERS / channels;
    return rows > CHUNK_ROWS ? CHUNK_ROWS : rows < MIN_CHUNK_ROWS ? MIN_CHUNK_ROWS : rows;
}

static int make_room(hdf5_sink *sink, const char *path)
{
    size_t count = sink->base.count;
    sink->path = tn_strdup(sink->base.context, path);
    sink->datasets = tn_alloc(sink->base.context, count, sizeof *sink->datasets);
    sink->block = tn_alloc(sink->base.context, count * sink->chunk, sizeof *sink->block);
    for (size_t k = 0; sink->datasets != NULL && k < count; k++)
        sink->datasets[k] = H5I_INVALID_HID;
    return sink->path != NULL && sink->datasets != NULL && sink->block != NULL ? TN_OK : TN_ERROR_MEMORY;
}

int tn_sink_open_hdf5(tn_sink **out, tn_context *context, const char *path, const tn_sink_header *header)
{
    static const tn_sink_type type = { .row = write_row, .close = close_sink };
    hdf5_sink *sink = tn_alloc(context, 1, sizeof *sink);
    if (sink == NULL)
        return TN_ERROR_MEMORY;
    sink->base = (tn_sink){ .type = &type, .context = context, .count = header->count };
    sink->file = H5I_INVALID_HID;
    sink->chunk = chunk_rows(header->count);
    int code = make_room(sink, path);
    tn_hdf5_begin();
    H5E_BEGIN_TRY {
        if (code == TN_OK && !open_file(sink, header))
            code = refuse(sink);
    } H5E_END_TRY
    tn_hdf5_end();
    if (code < 0)
        close_sink(&sink->base);
    else
        *out = &sink->base;
    return code;
}
