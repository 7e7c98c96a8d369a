/* Elastic mount between frames 1 and 2: six coordinates q = (d along x1, y1, z1; turn of frame 2 against frame 1 about
 * the same axes), with
 *     efforts      -(K q + C q')
 *     potential    q' K q / 2,  K symmetric
 * The turn by an angle phi about the unit vector n is measured by 2 sin(phi/2) n, which is
 *     (x1 x x2 + y1 x y2 + z1 x z2) / sqrt(1 + trace),   trace = x1 . x2 + y1 . y2 + z1 . z2 = 1 + 2 cos(phi).
 * It is phi n up to phi^3/24, smooth for phi < 180 deg, and vanishes for phi = 0 only. In the plane x, y and the turn
 * about z remain. */
#include "tenon/sys/force.h"

#define TRACE "sqrt(1 + x1 . x2 + y1 . y2 + z1 . z2)"
#define TIMES(name, i, q) \
    "(" name "." #i "1 * " q(1) " + " name "." #i "2 * " q(2) " + " name "." #i "3 * " q(3) " + " \
        name "." #i "4 * " q(4) " + " name "." #i "5 * " q(5) " + " name "." #i "6 * " q(6) ")"
#define VALUE(k) "q" #k
#define RATE(k) "vel(q" #k ")"
#define EFFORT(i) "-(" TIMES("stiffness", i, VALUE) " + " TIMES("damping", i, RATE) ")"
#define FORM(name, q) \
    q(1) " * " TIMES(name, 1, q) " + " q(2) " * " TIMES(name, 2, q) " + " q(3) " * " TIMES(name, 3, q) " + " \
    q(4) " * " TIMES(name, 4, q) " + " q(5) " * " TIMES(name, 5, q) " + " q(6) " * " TIMES(name, 6, q)

#define ENTRY(name, i, k, unit) { name "." #i #k, unit, "row " #i ", column " #k, 0.0, NULL }
#define ROW(name, i, linear, angular) \
    ENTRY(name, i, 1, linear), ENTRY(name, i, 2, linear), ENTRY(name, i, 3, linear), \
    ENTRY(name, i, 4, angular), ENTRY(name, i, 5, angular), ENTRY(name, i, 6, angular)

#define SAME(i, k) "abs(stiffness." #i #k " - stiffness." #k #i ") <= " \
                   "1e-9 * (abs(stiffness." #i #k ") + abs(stiffness." #k #i "))"

const tn_force_type tn_force_bushing = {
    .name = "bushing",
    .doc = "Elastic mount between two frames: stiffness and damping matrix over three shifts and three turns.",
    .parameters = {
        ROW("stiffness", 1, "N/m", "N/rad"), ROW("stiffness", 2, "N/m", "N/rad"), ROW("stiffness", 3, "N/m", "N/rad"),
        ROW("stiffness", 4, "N m/m", "N m/rad"), ROW("stiffness", 5, "N m/m", "N m/rad"),
        ROW("stiffness", 6, "N m/m", "N m/rad"),
        ROW("damping", 1, "N s/m", "N s/rad"), ROW("damping", 2, "N s/m", "N s/rad"),
        ROW("damping", 3, "N s/m", "N s/rad"), ROW("damping", 4, "N m s/m", "N m s/rad"),
        ROW("damping", 5, "N m s/m", "N m s/rad"), ROW("damping", 6, "N m s/m", "N m s/rad"),
    },
    .requirements = {
        { SAME(1, 2) " and " SAME(1, 3) " and " SAME(1, 4) " and " SAME(1, 5) " and " SAME(1, 6) " and "
          SAME(2, 3) " and " SAME(2, 4) " and " SAME(2, 5) " and " SAME(2, 6) " and " SAME(3, 4) " and "
          SAME(3, 5) " and " SAME(3, 6) " and " SAME(4, 5) " and " SAME(4, 6) " and " SAME(5, 6),
          "'stiffness' must be symmetric: an elastic mount has a potential" },
    },
    .along = {
        "d . x1", "d . y1", "d . z1",
        "(z1 . y2 - y1 . z2) / " TRACE, "(x1 . z2 - z1 . x2) / " TRACE, "(y1 . x2 - x1 . y2) / " TRACE,
    },
    .effort = { "force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z" },
    .potential = "(" FORM("stiffness", VALUE) ") / 2",
    .loss = FORM("damping", RATE),
    .channels = {
        { "shift.x", "m", "q1" }, { "shift.y", "m", "q2" }, { "shift.z", "m", "q3" },
        { "turn.x", "rad", "q4" }, { "turn.y", "rad", "q5" }, { "turn.z", "rad", "q6" },
        { "force.x", "N", EFFORT(1) }, { "force.y", "N", EFFORT(2) }, { "force.z", "N", EFFORT(3) },
        { "torque.x", "N m", EFFORT(4) }, { "torque.y", "N m", EFFORT(5) }, { "torque.z", "N m", EFFORT(6) },
    },
};
