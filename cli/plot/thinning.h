/* Curves with more points than a picture has room for. */
#ifndef TN_CLI_THINNING_H
#define TN_CLI_THINNING_H

#include "chart.h"

typedef void (*tn_point_callback)(void *user, double x, double y);

/* Hands out the points of a curve one by one, NAN for both where it is interrupted. Where x never falls and there are
 * many more points than columns, only those of each column that leave a trace: the first, the lowest, the highest and
 * the last, in their order. Columns share the range from low to high evenly, of logarithms if so asked. */
void tn_curve_thin(const tn_curve *curve, double low, double high, size_t columns, bool logarithmic,
                   tn_point_callback take, void *user);

#endif
