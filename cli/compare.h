/* Two tables of results side by side in time. */
#ifndef TN_CLI_COMPARE_H
#define TN_CLI_COMPARE_H

#include "tenon/tenon.h"

typedef struct tn_comparison {
    const tn_results *tables[2];
    const double *times[2];
    bool same_times;           /* row by row equal: values are compared as they are */
    bool same_span;            /* both begin together and end within one interval between rows */
    int grid;                  /* where times differ: whose times count; values of the other are interpolated */
    size_t first, rows;        /* rows of that table within the time that both cover */
} tn_comparison;

typedef struct tn_difference {
    double largest;            /* |a - b|; infinite where one is not a number */
    double scale;              /* largest |a| or |b| */
    double time;               /* of the largest difference, s */
} tn_difference;

/* The row at which a table's times go backwards or are not numbers, counted from 1; 0: none does. */
size_t tn_times_fault(const double *times, size_t rows);
/* times: columns of the two tables, which never go backwards. */
tn_comparison tn_comparison_begin(const tn_results *const tables[2], const int time_columns[2]);
/* Of two columns over the common time. */
tn_difference tn_comparison_columns(const tn_comparison *comparison, const int columns[2]);

#endif
