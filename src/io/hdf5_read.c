/* Reads tables from HDF5 files: every member of the root is a column (docs/results.md). Sizes that a file states are
 * checked against the size of the file before memory is allocated. */
#include "diag.h"
#include "hdf5_error.h"
#include "results_impl.h"
#include <string.h>
#include <sys/stat.h>

enum {
    DEFLATE_RATIO = 1100,      /* no compressed byte stands for more bytes (deflate: 1032) */
    TEXT_SIZE = 1024           /* longer texts are cut off */
};
static const uint64_t LIMIT = (uint64_t)4 << 30;       /* bytes of numbers in memory */
static const uint64_t SMALL_CHUNK = 1 << 20;           /* bytes: chunks of that size are never too large */

typedef struct hdf5_reader {
    tn_results *results;
    hid_t file;
    H5_index_t order;
    hsize_t longest;           /* rows of the longest column; those of the shortest are results->rows */
    tn_hdf5_reason reason;
} hdf5_reader;

static int refuse(const hdf5_reader *h, const char *reason)
{
    return tn_fail(h->results->context, TN_ERROR_FILE, ((tn_span){ h->results->path, 0, 0 }), "%s", reason);
}

/* Reports the error of the library; this includes files that cannot be opened. */
static int damaged(const hdf5_reader *h)
{
    return tn_fail(h->results->context, TN_ERROR_FILE, ((tn_span){ h->results->path, 0, 0 }),
                   "this HDF5 file cannot be read: %s", h->reason.text);
}

static int refuse_column(const hdf5_reader *h, const char *column, const char *reason)
{
    return tn_fail(h->results->context, TN_ERROR_FILE, ((tn_span){ h->results->path, 0, 0 }), "'%.80s' %s%s%s", column,
                   reason, h->reason.text[0] ? ": " : "", h->reason.text);
}

/* ---- attributes ---- */

/* A text of fixed length into the arena; *out is NULL when there is none. Texts of variable length are left alone: see
 * hdf5_write.c. */
static int read_text(const char **out, const hdf5_reader *h, hid_t object, const char *name)
{
    char text[TEXT_SIZE] = "";
    *out = NULL;
    if (H5Aexists(object, name) <= 0)
        return TN_OK;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), space = H5Aget_space(attribute);
    hid_t type = H5Aget_type(attribute), memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, sizeof text);
    H5Tset_cset(memory, H5Tget_cset(type));
    bool good = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, text) >= 0;
    H5Tclose(memory);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    if (good)
        *out = tn_arena_strdup(h->results->arena, text);
    return good && *out == NULL ? TN_ERROR_MEMORY : TN_OK;
}

/* Files without a version are tables of other programs. */
static int check_version(const hdf5_reader *h)
{
    int version = TN_RESULTS_VERSION;
    if (H5Aexists(h->file, "format_version") <= 0)
        return TN_OK;
    hid_t attribute = H5Aopen(h->file, "format_version", H5P_DEFAULT), space = H5Aget_space(attribute);
    bool single = H5Sget_simple_extent_npoints(space) == 1;
    bool known = single && H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0 && version <= TN_RESULTS_VERSION;
    H5Sclose(space);
    H5Aclose(attribute);
    return known ? TN_OK : refuse(h, "written by a later version of the program, in a format unknown here");
}

/* ---- columns ---- */

/* One-dimensional, of numbers, and with its data in this very file. */
static bool is_column(hid_t dataset, hsize_t *rows)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    H5T_class_t class = H5Tget_class(type);
    bool good = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, rows, NULL) == 1 &&
                (class == H5T_FLOAT || class == H5T_INTEGER) && H5Pget_layout(creation) != H5D_VIRTUAL &&
                H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

static int open_column(hid_t *out, hdf5_reader *h, const char *name)
{
    H5L_info_t link;
    if (!tn_hdf5_ok(&h->reason, H5Lget_info(h->file, name, &link, H5P_DEFAULT)))
        return refuse_column(h, name, "cannot be found");
    if (link.type != H5L_TYPE_HARD)
        return refuse_column(h, name, "is a link, not a column of numbers");
    *out = H5Dopen2(h->file, name, H5P_DEFAULT);
    return tn_hdf5_ok(&h->reason, *out) ? TN_OK : refuse_column(h, name, "is not a column of numbers");
}

static int read_name(const char **out, hdf5_reader *h, size_t k)
{
    ssize_t length = H5Lget_name_by_idx(h->file, ".", h->order, H5_ITER_INC, k, NULL, 0, H5P_DEFAULT);
    if (!tn_hdf5_ok(&h->reason, length))
        return damaged(h);
    char *name = tn_arena_alloc(h->results->arena, (size_t)length + 1, 1);
    if (name == NULL)
        return TN_ERROR_MEMORY;
    length = H5Lget_name_by_idx(h->file, ".", h->order, H5_ITER_INC, k, name, (size_t)length + 1, H5P_DEFAULT);
    *out = name;
    return tn_hdf5_ok(&h->reason, length) ? TN_OK : damaged(h);
}

/* Name, unit and length of the k-th column. */
static int describe_column(hdf5_reader *h, size_t k)
{
    tn_results *r = h->results;
    tn_channel *channel = &r->channels[k];
    hid_t dataset;
    hsize_t rows = 0;
    TN_TRY(read_name(&channel->name, h, k));
    TN_TRY(open_column(&dataset, h, channel->name));
    int code = is_column(dataset, &rows) ? read_text(&channel->unit, h, dataset, "unit")
                                         : refuse_column(h, channel->name, "is not a column of numbers");
    H5Dclose(dataset);
    if (channel->unit == NULL)
        channel->unit = "";
    r->rows = k == 0 || rows < r->rows ? (size_t)rows : r->rows;
    h->longest = rows > h->longest ? rows : h->longest;
    return code;
}

static int describe_columns(hdf5_reader *h, uint64_t file_size)
{
    H5G_info_t root;
    if (!tn_hdf5_ok(&h->reason, H5Gget_info(h->file, &root)))
        return damaged(h);
    if (root.nlinks == 0)
        return refuse(h, "the file has no columns");
    if (root.nlinks > file_size)
        return refuse(h, "the file is damaged: it claims more columns than it has bytes");
    h->results->channels = tn_arena_alloc(h->results->arena, root.nlinks, sizeof(tn_channel));
    if (h->results->channels == NULL)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < root.nlinks; k++)
        TN_TRY(describe_column(h, k));
    h->results->columns = root.nlinks;
    return TN_OK;
}

/* ---- numbers ---- */

static int make_room(hdf5_reader *h, uint64_t file_size)
{
    tn_results *r = h->results;
    uint64_t limit = file_size * DEFLATE_RATIO < LIMIT ? file_size * DEFLATE_RATIO : LIMIT;
    if (h->longest > limit / sizeof(double) / r->columns)
        return refuse(h, limit < LIMIT ? "the file is damaged: it claims more numbers than it can hold"
                                       : "the file has more than 4 GiB of numbers");
    if (h->longest > r->rows)
        tn_warn(r->context, ((tn_span){ r->path, 0, 0 }), "columns have %zu to %llu rows; the first %zu are read",
                r->rows, (unsigned long long)h->longest, r->rows);
    r->stride = r->rows;
    r->values = tn_alloc(r->context, r->columns * r->rows, sizeof(double));
    return r->values != NULL ? TN_OK : TN_ERROR_MEMORY;
}

/* The library takes memory for a whole chunk of a column, whatever size the file claims. */
static bool has_large_chunks(hid_t dataset, uint64_t file_size)
{
    const uint64_t most = file_size * DEFLATE_RATIO > SMALL_CHUNK ? file_size * DEFLATE_RATIO : SMALL_CHUNK;
    hsize_t rows = 0;
    hid_t creation = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    const bool chunked = H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 1, &rows) == 1;
    const size_t bytes = H5Tget_size(type);
    H5Tclose(type);
    H5Pclose(creation);
    return chunked && bytes > 0 && rows > (most < LIMIT ? most : LIMIT) / bytes;
}

static int read_column(hdf5_reader *h, size_t k, uint64_t file_size)
{
    tn_results *r = h->results;
    hsize_t first = 0, rows = r->rows;
    hid_t dataset;
    TN_TRY(open_column(&dataset, h, r->channels[k].name));
    if (has_large_chunks(dataset, file_size)) {
        H5Dclose(dataset);
        return refuse_column(h, r->channels[k].name, "is damaged: it claims chunks that are larger than the file");
    }
    hid_t memory = H5Screate_simple(1, &rows, NULL), file = H5Dget_space(dataset);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &rows, NULL);
    double *values = r->values + k * r->stride;
    bool good = tn_hdf5_ok(&h->reason, H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values));
    H5Sclose(file);
    H5Sclose(memory);
    H5Dclose(dataset);
    return good ? TN_OK : refuse_column(h, r->channels[k].name, "cannot be read");
}

static H5_index_t column_order(hid_t file)
{
    unsigned flags = 0;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT), creation = H5Gget_create_plist(root);
    H5Pget_link_creation_order(creation, &flags);
    H5Pclose(creation);
    H5Gclose(root);
    return flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static int read_table(hdf5_reader *h)
{
    tn_results *r = h->results;
    struct stat status;
    uint64_t size = stat(r->path, &status) == 0 ? (uint64_t)status.st_size : 0;
    h->order = column_order(h->file);
    TN_TRY(check_version(h));
    TN_TRY(read_text(&r->model, h, h->file, "model"));
    TN_TRY(describe_columns(h, size));
    TN_TRY(make_room(h, size));
    for (size_t k = 0; k < r->columns && r->rows > 0; k++)
        TN_TRY(read_column(h, k, size));
    return TN_OK;
}

int tn_hdf5_read(tn_results *results)
{
    hdf5_reader h = { .results = results };
    int code;
    tn_hdf5_begin();
    H5E_BEGIN_TRY {
        h.file = H5Fopen(results->path, H5F_ACC_RDONLY, H5P_DEFAULT);
        code = tn_hdf5_ok(&h.reason, h.file) ? read_table(&h) : damaged(&h);
        H5Fclose(h.file);
    } H5E_END_TRY
    tn_hdf5_end();
    return code;
}
