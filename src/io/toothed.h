/* Outlines of gears and racks, for looks. */
#ifndef TN_TOOTHED_H
#define TN_TOOTHED_H

#include <stddef.h>

enum { TN_TEETH_MOST = 400 };

typedef struct tn_gear_outline {
    double radius;             /* of the pitch circle, m */
    size_t teeth;
    double rim;                /* m: outer radius of a ring whose teeth point inwards; 0: they point outwards */
} tn_gear_outline;

typedef struct tn_rack_outline {
    double pitch;              /* from tooth to tooth, m */
    size_t teeth;
    double height;             /* from the pitch line, which is the x axis, to the back, m */
} tn_rack_outline;

/* Corners of an outline, 3 numbers each with z = 0. A ring has two loops, each ending at the corner it began with. */
size_t tn_gear_corner_count(const tn_gear_outline *gear);
void tn_gear_corners(double *corners, const tn_gear_outline *gear);
size_t tn_rack_corner_count(const tn_rack_outline *rack);
void tn_rack_corners(double *corners, const tn_rack_outline *rack);

#endif
