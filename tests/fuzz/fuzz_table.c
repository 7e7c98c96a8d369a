/* Fuzz target: a table of results, CSV or HDF5 by its first bytes. */
#include "fuzz.h"
#include "in_file.h"
#include <string.h>
#include "tenon/tenon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool hdf5 = size > 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
    tn_context *context = tn_context_create(NULL);
    tn_results *results = NULL;
    const char *path = input_file(data, size, hdf5 ? ".h5" : ".csv");
    if (tn_results_read(&results, context, path) >= 0) {
        volatile double sum = 0;
        for (size_t k = 0; k < tn_results_columns(results); k++) {
            const double *values = tn_results_values(results, k);
            for (size_t i = 0; values && i < tn_results_rows(results); i++)
                sum = sum + values[i];
        }
        tn_results_destroy(results);
    }
    unlink(path);
    tn_context_destroy(context);
    return 0;
}
