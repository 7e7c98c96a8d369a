/* Tables of numbers as CSV. Reading: tn_csv_read in results_impl.h. */
#ifndef TN_IO_CSV_H
#define TN_IO_CSV_H

#include "tenon/session.h"

/* "t [s],crank.position.x [m]", then rows in full precision. TN_ERROR_FILE when the stream refuses. */
int tn_csv_header(FILE *out, const tn_channel *channels, size_t count);
int tn_csv_row(FILE *out, const double *values, size_t count);

#endif
