/* A table of results as the readers of its file formats fill it. */
#ifndef TN_IO_RESULTS_IMPL_H
#define TN_IO_RESULTS_IMPL_H

#include "mem.h"
#include "tenon/results.h"

/* Of the HDF5 layout. A reader refuses later ones. */
enum { TN_RESULTS_VERSION = 1 };

struct tn_results {
    tn_context *context;
    tn_arena *arena;           /* of the texts and channels */
    const char *path;
    const char *model;         /* NULL: unknown */
    tn_channel *channels;
    size_t columns, rows;
    double *values;            /* column k begins at k * stride */
    size_t stride;             /* >= rows */
};

/* Fill channels, values and the other data of the file. The results own everything, also after an error. */
int tn_csv_read(tn_results *results);
int tn_hdf5_read(tn_results *results);

#endif
