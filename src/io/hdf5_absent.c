/* Replaces the other hdf5_*.c files in builds without the HDF5 library. */
#include "diag.h"
#include "results_impl.h"
#include "sink.h"

int tn_sink_open_hdf5(tn_sink **out, tn_context *context, const char *path, const tn_sink_header *header)
{
    (void)header;
    *out = NULL;
    return tn_fail(context, TN_ERROR_FILE, (tn_span){ .file = path },
                   "this build has no HDF5: write CSV, or build Tenon with the HDF5 library");
}

int tn_hdf5_read(tn_results *results)
{
    return tn_fail(results->context, TN_ERROR_FILE, (tn_span){ .file = results->path },
                   "this build has no HDF5: read CSV, or build Tenon with the HDF5 library");
}
