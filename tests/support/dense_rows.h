/* The blocks of G as one dense matrix. */
#ifndef TEST_DENSE_ROWS_H
#define TEST_DENSE_ROWS_H

#include "tenon/sys/saddle.h"
#include <string.h>

/* dense: rows x columns, row-major. */
static inline void dense_rows(const tn_structure *s, const double *G, double *dense)
{
    int columns = s->body_column[s->bodies];
    memset(dense, 0, (size_t)(s->constraint_row[s->constraints] * columns) * sizeof(double));
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++) {
            int first = s->body_column[s->block_body[b]], w = s->body_column[s->block_body[b] + 1] - first;
            const double *block = G + s->block_offset[b];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, block += w)
                memcpy(dense + r * columns + first, block, (size_t)w * sizeof(double));
        }
}

/* out = A x, A row-major. */
static inline void dense_times(const double *A, int rows, int columns, const double *x, double *out)
{
    for (int i = 0; i < rows; i++) {
        out[i] = 0;
        for (int j = 0; j < columns; j++)
            out[i] += A[i * columns + j] * x[j];
    }
}

#endif
