/* Volume and inertia of solids by their kind. */
#ifndef TN_IMPORT_SOLID_MASS_H
#define TN_IMPORT_SOLID_MASS_H

#include "machine.h"

typedef struct tn_solid {
    tn_shape_kind kind;
    bool shown;                /* there is a shape of that kind */
    double size[3];            /* as tn_shape_def */
    double volume, inertia[6]; /* about its centre, for unit density */
    double com[3];
} tn_solid;

/* "sphere", "box", "ellipsoid", "cylinder", "cone", "capsule"; a, b, c are half sizes (radius, half length along z). False: another. */
bool tn_solid_simple(tn_solid *s, const char *type, double a, double b, double c);

#endif
