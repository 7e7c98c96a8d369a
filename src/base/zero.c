/* Root finding in a bracketing interval by the ITP method. */
#include "zero.h"

#include <math.h>
#include "elementary.h"
#include "mem.h"

static double itp_point(double a, double b, double ya, double yb, double room)
{
    const double middle = (a + b) / 2, width = b - a;
    double x = (yb * a - ya * b) / (yb - ya);          /* regula falsi */
    double towards = middle > x ? 1 : -1, truncation = 0.2 * width * width;
    if (!isfinite(x))
        return middle;
    x = truncation <= fabs(middle - x) ? x + towards * truncation : middle;
    return fabs(x - middle) <= room ? x : middle - towards * room;
}

int tn_zero_find(double *zero, tn_zero_function function, void *user, double a, double b, double ya, double yb,
                 double width)
{
    double room = width / 2 * tn_exp2(fmax(ceil(tn_log2((b - a) / width)), 0) + 1);
    for (; b - a > width; room /= 2) {
        double y, x = itp_point(a, b, ya, yb, fmax(room - (b - a) / 2, 0));
        TN_TRY(function(user, x, &y));
        if (y > 0) {
            a = x;
            ya = y;
        } else {
            b = x;
            yb = y;
        }
    }
    *zero = b;
    return TN_OK;
}
