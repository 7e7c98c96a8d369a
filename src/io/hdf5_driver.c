/* A file driver for HDF5 that records write failures instead of reporting them to the library. */
#include "hdf5_driver.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The driver data that H5Pset_driver copies. */
typedef struct driver_info {
    tn_hdf5_outcome *outcome;
} driver_info;

typedef struct driver_file {
    H5FD_t base;               /* the library's part, first */
    int descriptor;
    haddr_t end_allocated, end;
    dev_t device;
    ino_t number;
    tn_hdf5_outcome *outcome;
} driver_file;

static int open_flags(unsigned flags)
{
    return (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
           (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
}

/* The library tries a file without creating it first: a failure counts until a later try succeeds. The memory is the
 * library's to manage through H5FDclose, not a context's. */
static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t max_address)
{
    (void)max_address;
    const driver_info *info = H5Pget_driver_info(access);
    driver_file *file = calloc(1, sizeof *file);
    struct stat status;
    if (file == NULL || info == NULL) {
        free(file);
        return NULL;
    }
    file->outcome = info->outcome;
    file->descriptor = open(name, open_flags(flags), 0666);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) < 0) {
        file->outcome->error = errno;
        if (file->descriptor >= 0)
            close(file->descriptor);
        free(file);
        return NULL;
    }
    file->outcome->error = 0;
    file->end = (haddr_t)status.st_size;
    file->device = status.st_dev;
    file->number = status.st_ino;
    return &file->base;
}

static void note_change(driver_file *file)
{
    if (file->outcome->error == 0)
        file->outcome->error = errno;
}

static herr_t close_file(H5FD_t *base)
{
    driver_file *file = (driver_file *)base;
    if (close(file->descriptor) < 0)
        note_change(file);
    free(file);
    return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
    const driver_file *x = (const driver_file *)a, *y = (const driver_file *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->number == y->number ? 0 : x->number < y->number ? -1 : 1;
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t end_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end_allocated;
}

static herr_t set_end_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((driver_file *)base)->end_allocated = address;
    return 0;
}

static haddr_t end_of_file(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end;
}

/* Bytes that were never written read as zero. */
static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
    (void)type, (void)transfer;
    driver_file *file = (driver_file *)base;
    char *to = buffer;
    while (size > 0) {
        ssize_t got = pread(file->descriptor, to, size, (off_t)address);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        to += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          const void *buffer)
{
    (void)type, (void)transfer;
    driver_file *file = (driver_file *)base;
    const char *from = buffer;
    haddr_t end = address + size;
    while (size > 0 && file->outcome->error == 0) {
        ssize_t put = pwrite(file->descriptor, from, size, (off_t)address);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            note_change(file);
            break;
        }
        from += put;
        address += (haddr_t)put;
        size -= (size_t)put;
    }
    file->end = end > file->end ? end : file->end;
    return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    driver_file *file = (driver_file *)base;
    if (file->end != file->end_allocated && file->outcome->error == 0 &&
        ftruncate(file->descriptor, (off_t)file->end_allocated) < 0)
        note_change(file);
    file->end = file->end_allocated;
    return 0;
}

herr_t tn_hdf5_set_driver(hid_t access, tn_hdf5_outcome *outcome)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
#endif
        .name = "tenon", .maxaddr = INT64_MAX, .fc_degree = H5F_CLOSE_WEAK, .fapl_size = sizeof(driver_info),
        .open = open_file, .close = close_file, .cmp = compare, .query = query, .get_eoa = end_allocated,
        .set_eoa = set_end_allocated, .get_eof = end_of_file, .read = read_bytes, .write = write_bytes,
        .truncate = truncate_file, .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    hid_t driver = H5FDregister(&class);
    herr_t code = H5Pset_driver(access, driver, &(driver_info){ outcome });
    H5Idec_ref(driver);                        /* the properties, and then the file, keep it */
    return code;
}
