/* Volume and inertia of simple solids, for formats that leave masses to shapes and densities. */
#include "solid_mass.h"

#include <math.h>
#include <string.h>

static void set_diagonal(tn_solid *s, double x, double y, double z)
{
    s->inertia[0] = x;
    s->inertia[1] = y;
    s->inertia[2] = z;
}

bool tn_solid_simple(tn_solid *s, const char *type, double a, double b, double c)
{
    const double pi = acos(-1.0);
    s->shown = true;
    if (strcmp(type, "sphere") == 0) {
        *s = (tn_solid){ .kind = TN_SHAPE_SPHERE, .shown = true, .size = { a }, .volume = 4 * pi / 3 * a * a * a };
        set_diagonal(s, 0.4 * s->volume * a * a, 0.4 * s->volume * a * a, 0.4 * s->volume * a * a);
    } else if (strcmp(type, "box") == 0) {
        *s = (tn_solid){ .kind = TN_SHAPE_BOX, .shown = true, .size = { 2 * a, 2 * b, 2 * c }, .volume = 8 * a * b * c };
        set_diagonal(s, s->volume * (b * b + c * c) / 3, s->volume * (a * a + c * c) / 3, s->volume * (a * a + b * b) / 3);
    } else if (strcmp(type, "ellipsoid") == 0) {
        *s = (tn_solid){ .kind = TN_SHAPE_ELLIPSOID, .shown = true, .size = { a, b, c }, .volume = 4 * pi / 3 * a * b * c };
        set_diagonal(s, s->volume * (b * b + c * c) / 5, s->volume * (a * a + c * c) / 5, s->volume * (a * a + b * b) / 5);
    } else if (strcmp(type, "cylinder") == 0) {
        *s = (tn_solid){ .kind = TN_SHAPE_CYLINDER, .shown = true, .size = { a, 2 * b }, .volume = 2 * pi * a * a * b };
        double across = s->volume * (3 * a * a + 4 * b * b) / 12;
        set_diagonal(s, across, across, s->volume * a * a / 2);
    } else if (strcmp(type, "cone") == 0) {    /* half length b; the base is below, the apex above the origin */
        double h = 2 * b;
        *s = (tn_solid){ .kind = TN_SHAPE_CONE, .shown = true, .size = { a, h }, .volume = pi / 3 * a * a * h, .com = { 0, 0, -h / 4 } };
        double across = s->volume * (3 * a * a / 20 + 3 * h * h / 80);
        set_diagonal(s, across, across, 0.3 * s->volume * a * a);
    } else if (strcmp(type, "capsule") == 0) {
        double tube = 2 * pi * a * a * b, ball = 4 * pi / 3 * a * a * a, h = 2 * b;
        *s = (tn_solid){ .kind = TN_SHAPE_CAPSULE, .shown = true, .size = { a, h }, .volume = tube + ball };
        double across = tube * (3 * a * a + h * h) / 12 + ball * (0.4 * a * a + h * h / 4 + 3 * h * a / 8);
        set_diagonal(s, across, across, tube * a * a / 2 + ball * 0.4 * a * a);
    } else {
        return false;
    }
    return true;
}
