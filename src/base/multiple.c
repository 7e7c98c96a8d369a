/* Multiples of lengths of time (multiple.h). */
#include "multiple.h"

#include <math.h>

double tn_multiple(double count, double length)
{
    static const double MOST_DECIMALS = 1e12, MOST_EXACT = 9007199254740992.0;     /* whole numbers below are exact */
    for (double unit = 1; unit <= MOST_DECIMALS; unit *= 10) {
        const double whole = round(length * unit);
        if (whole / unit == length && fabs(count * whole) < MOST_EXACT)
            return count * whole / unit;
    }
    return count * length;
}
