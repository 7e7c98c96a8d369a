/* Outlines of gears and racks, for looks. Teeth are trapezia whose flanks meet the pitch line at a quarter of the pitch on
 * both sides, so that gears with the same pitch are seen to mesh. */
#include "toothed.h"
#include "elementary.h"

static const double PI = 3.14159265358979323846;

/* Of the module, radius times 2 over teeth. */
static const double ADDENDUM = 0.9, DEDENDUM = 1.15;
/* Half the width of a tooth at its root and at its tip, in parts of the pitch. */
static const double ROOT = 0.345, TIP = 0.15;
enum { RIM_CORNERS = 128, TOOTH_CORNERS = 4 };

static double *put_point(double *at, double x, double y)
{
    at[0] = x;
    at[1] = y;
    at[2] = 0;
    return at + 3;
}

static double *put_polar(double *at, double radius, double angle)
{
    return put_point(at, radius * tn_cos(angle), radius * tn_sin(angle));
}

/* Four corners of each tooth, all round. */
static double *put_teeth(double *at, const tn_gear_outline *gear)
{
    const double pitch = 2 * PI / (double)gear->teeth, module = 2 * gear->radius / (double)gear->teeth;
    const double way = gear->rim > 0 ? -1 : 1;
    const double root = gear->radius - way * DEDENDUM * module, tip = gear->radius + way * ADDENDUM * module;
    for (size_t k = 0; k < gear->teeth; k++) {
        const double middle = (double)k * pitch;
        at = put_polar(at, root, middle - ROOT * pitch);
        at = put_polar(at, tip, middle - TIP * pitch);
        at = put_polar(at, tip, middle + TIP * pitch);
        at = put_polar(at, root, middle + ROOT * pitch);
    }
    return at;
}

size_t tn_gear_corner_count(const tn_gear_outline *gear)
{
    const size_t teeth = TOOTH_CORNERS * gear->teeth;
    return gear->rim > 0 ? RIM_CORNERS + 1 + teeth + 1 : teeth;
}

void tn_gear_corners(double *corners, const tn_gear_outline *gear)
{
    double *at = corners;
    if (gear->rim > 0) {
        for (size_t k = 0; k < RIM_CORNERS; k++)
            at = put_polar(at, gear->rim, 2 * PI * (double)k / RIM_CORNERS);
        at = put_point(at, corners[0], corners[1]);
    }
    const double *first = at;
    at = put_teeth(at, gear);
    if (gear->rim > 0)
        put_point(at, first[0], first[1]);
}

size_t tn_rack_corner_count(const tn_rack_outline *rack)
{
    return TOOTH_CORNERS * rack->teeth + 2;
}

/* Teeth upwards, the middle of the first one at x = 0; then back along the other side. */
void tn_rack_corners(double *corners, const tn_rack_outline *rack)
{
    const double module = rack->pitch / PI, tip = ADDENDUM * module, root = -DEDENDUM * module;
    double *at = corners;
    for (size_t k = 0; k < rack->teeth; k++) {
        const double middle = (double)k * rack->pitch;
        at = put_point(at, middle - ROOT * rack->pitch, root);
        at = put_point(at, middle - TIP * rack->pitch, tip);
        at = put_point(at, middle + TIP * rack->pitch, tip);
        at = put_point(at, middle + ROOT * rack->pitch, root);
    }
    at = put_point(at, at[-3], -rack->height);
    put_point(at, corners[0], -rack->height);
}
