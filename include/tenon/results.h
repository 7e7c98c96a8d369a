/* Result files of runs: reads and writes tables of recorded channels. */
#ifndef TENON_RESULTS_H
#define TENON_RESULTS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_results tn_results;

/* Reads a table; the content tells whether it is CSV or HDF5 (docs/results.md). TN_ERROR_FILE with diagnostics when the
 * file is neither or is damaged. The context must outlive the results. */
TN_API int tn_results_read(tn_results **out, tn_context *context, const char *path);
TN_API void tn_results_destroy(tn_results *results);

TN_API size_t tn_results_rows(const tn_results *results);
TN_API size_t tn_results_columns(const tn_results *results);
/* Name and unit ("" when the file has none) of a column; index below tn_results_columns. Borrowed. */
TN_API tn_channel tn_results_column(const tn_results *results, size_t index);
/* The column's numbers, one after the other, tn_results_rows of them. Borrowed. */
TN_API const double *tn_results_values(const tn_results *results, size_t index);
/* Index of the first column of that name, -1 when there is none. */
TN_API int tn_results_find(const tn_results *results, const char *name);
/* The same, but TN_ERROR_ARGUMENT with a diagnostic (and the nearest name) when there is no such column. */
TN_API int tn_results_require(const tn_results *results, const char *name);
/* Name of the model that was run; NULL when the file does not say. */
TN_API const char *tn_results_model(const tn_results *results);

/* A table of channels that a program provides. */
typedef struct tn_results_table {
    const char *model;                 /* its name */
    int dimension;                     /* 2 or 3 */
    const tn_channel *channels;
    const double *const *columns;      /* rows numbers for each */
    size_t count, rows;
} tn_results_table;
/* Writes a table as HDF5 and replaces an existing file. TN_ERROR_FILE with a diagnostic on failure. */
TN_API int tn_results_write_hdf5(tn_context *context, const char *path, const tn_results_table *table);

#ifdef __cplusplus
}
#endif
#endif
