/* Translational spring and damper between the origins of frames 1 and 2. With l = |p2 - p1|, n = (p2 - p1) / l:
 *     tension      T = stiffness (l - length) + damping l' + preload
 *     on body 2    -T n
 *     potential    stiffness (l - length)^2 / 2 + preload (l - length)
 * At l = 0 the direction is unknown and nothing acts; for length = preload = 0 that is the limit. */
#include <math.h>
#include "tenon/sys/force.h"

enum { STIFFNESS, LENGTH, DAMPING, PRELOAD };

typedef struct stretch {
    double n[3];               /* direction from 1 to 2; zero when the origins coincide */
    double length, rate;       /* m, m/s */
} stretch;

static stretch measure(const tn_force_view *view)
{
    stretch s = { 0 };
    for (int k = 0; k < 3; k++)
        s.n[k] = view->frame2->p[k] - view->frame1->p[k];
    s.length = sqrt(s.n[0] * s.n[0] + s.n[1] * s.n[1] + s.n[2] * s.n[2]);
    if (s.length == 0.0)
        return s;
    for (int k = 0; k < 3; k++) {
        s.n[k] /= s.length;
        s.rate += s.n[k] * (view->frame2->v[k] - view->frame1->v[k]);
    }
    return s;
}

static void apply(const tn_force_view *view, tn_wrench *out)
{
    const double *p = view->parameters;
    stretch s = measure(view);
    double tension = p[STIFFNESS] * (s.length - p[LENGTH]) + p[DAMPING] * s.rate + p[PRELOAD];
    *out = (tn_wrench){ .force = { -tension * s.n[0], -tension * s.n[1], -tension * s.n[2] } };
}

static double potential(const tn_force_view *view)
{
    const double *p = view->parameters;
    double x = measure(view).length - p[LENGTH];
    return 0.5 * p[STIFFNESS] * x * x + p[PRELOAD] * x;
}

static double dissipation(const tn_force_view *view)
{
    double rate = measure(view).rate;
    return view->parameters[DAMPING] * rate * rate;
}

const tn_force_type tn_force_spring = {
    .name = "spring",
    .doc = "Spring and damper along the line between two points.",
    .parameters = {
        [STIFFNESS] = { "stiffness", "N/m", "tension per stretch", NAN, NULL },
        [LENGTH] = { "length", "m", "distance at which the spring alone pulls nothing", NAN, NULL },
        [DAMPING] = { "damping", "N s/m", "tension per stretching speed", 0.0, NULL },
        [PRELOAD] = { "preload", "N", "constant tension on top", 0.0, NULL },
    },
    .apply = apply,
    .potential = potential,
    .dissipation = dissipation,
};
