/* Tables of numbers as CSV. */
#ifndef TN_IO_CSV_H
#define TN_IO_CSV_H

#include "mem.h"
#include "tenon/session.h"

/* "t [s],crank.position.x [m]", then rows in full precision. TN_ERROR_FILE when the stream refuses. */
int tn_csv_header(FILE *out, const tn_channel *channels, size_t count);
int tn_csv_row(FILE *out, const double *values, size_t count);

typedef struct tn_table {
    char **names;              /* of the columns, without units */
    double *values;            /* rows x columns */
    size_t columns, rows;
} tn_table;

/* Reads a table: lines that begin with '#' and empty lines are skipped, the first other line has the names (a unit in
 * brackets is allowed), each further one a row of numbers. Owned: tn_table_destroy. TN_ERROR_FILE with diagnostics. */
int tn_table_read(tn_table **out, tn_context *context, const char *path);
void tn_table_destroy(tn_context *context, tn_table *table);
/* Index of a column, -1 when there is none. */
int tn_table_column(const tn_table *table, const char *name);

#endif
