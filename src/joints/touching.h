/* Formulas that joint types of touches (touch-*, stick-*) share. */
#ifndef TN_JOINTS_TOUCHING_H
#define TN_JOINTS_TOUCHING_H

#include "tenon/sys/joint.h"

/* Texts of equations have up to 22,000 characters. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* A surface may move like a conveyor belt and have a grain: directions in the axes of the frame on that body, 1 or 2. */
#define TN_SURFACE(x, y, z) \
    "(" x " * (side1 * x1 + side2 * x2) + " y " * (side1 * y1 + side2 * y2) + " z " * (side1 * z1 + side2 * z2))"
#define TN_BELT TN_SURFACE("belt_x", "belt_y", "belt_z")
#define TN_PLANE_BELT "(belt_x * (side1 * x1 + side2 * x2) + belt_y * (side1 * y1 + side2 * y2))"
#define TN_GRAIN TN_SURFACE("grain_x", "grain_y", "grain_z")

/* Velocity of the material of body 2 at the contact point, relative to body 1: d' - w1 x d + (w2 - w1) x arm, with the
 * arm from N to the contact point; belts add theirs. */
#define TN_SLIP(arm) "(vel(d) - cross(w1, d) + cross(w2 - w1, " arm ") + " TN_BELT ")"
#define TN_PLANE_SLIP(arm) "(vel(d) - cross(w1, d) + cross(w2 - w1, " arm ") + " TN_PLANE_BELT ")"
/* The tangent a, stretched by 1 + stretch along the grain, as far as that lies in the plane of the tangents a and b: the
 * friction along the grain is that much larger. */
#define TN_TANGENT(a, b) \
    " . (" a " + stretch * (" a " . " TN_GRAIN ") * ((" a " . " TN_GRAIN ") * " a " + (" b " . " TN_GRAIN ") * " b "))"

/* Hollows: the part of a vector across y1 where `along` is 1, the whole vector where it is 0; the point of a circle of body 2 that
 * is farthest out, from M: in a sphere, and in a bore along y1, there on the side of the centre of the circle and a lead. */
#define TN_ACROSS(v) "(" v " - along * (" v " . y1) * y1)"
#define TN_BOWL_RIM_END "(d + rim * unit(d - (d . z2) * z2))"
#define TN_ACROSS_BORE(v) "(" v " - (" v " . y1) * y1)"
#define TN_RIM_SIDE "(" TN_ACROSS_BORE("d") " + lead1 * x1 + lead2 * z1)"
/* One step of Newton's method turns the direction, so that it is right to first order as the bodies move. */
#define TN_RIM_U "unit(" TN_RIM_SIDE " - (" TN_RIM_SIDE " . z2) * z2)"
#define TN_RIM_T "cross(z2, " TN_RIM_U ")"
#define TN_RIM_END TN_ACROSS_BORE("(d + rim * " TN_RIM_U ")")
#define TN_RIM_TURN \
    "((" TN_RIM_END " . " TN_RIM_T ") / (" TN_RIM_END " . " TN_RIM_U " - rim * (1 - (" TN_RIM_T " . y1)^2)))"
#define TN_BORE_RIM_END "(d + rim * unit(" TN_RIM_U " + " TN_RIM_TURN " * " TN_RIM_T "))"
/* Eyes: where the line crosses the plane of the circle, from M; the direction of the point of the circle that is nearest to the
 * line: on the side of the crossing and a lead, turned as for bores; the way out, across the line and the circle. */
#define TN_EYE_CROSSING "(d - ((d . z1) / (z2 . z1)) * z2)"
#define TN_EYE_U "unit(" TN_EYE_CROSSING " + lead1 * x1 + lead2 * y1)"
#define TN_EYE_T "cross(z1, " TN_EYE_U ")"
#define TN_EYE_WAY "(rim * " TN_EYE_U " - d - ((rim * " TN_EYE_U " - d) . z2) * z2)"
#define TN_EYE_TURN \
    "((" TN_EYE_WAY " . " TN_EYE_T ") / (" TN_EYE_WAY " . " TN_EYE_U " - rim * (1 - (" TN_EYE_T " . z2)^2)))"
#define TN_EYE_SIDE "unit(" TN_EYE_U " + " TN_EYE_TURN " * " TN_EYE_T ")"
#define TN_EYE_OUT "unit(cross(cross(z1, " TN_EYE_SIDE "), z2))"
#define TN_EYE_GAP "(rim * " TN_EYE_SIDE " - " TN_EYE_CROSSING ") . " TN_EYE_OUT " - radius"
#define TN_TOUCH_LEAD \
    { "lead1", "m", "from the centre, or the crossing, to the side where it touches: along x1", 0, NULL }, \
    { "lead2", "m", "the same along z1 (y1 for a line)", 0, NULL }

/* Ovals: t by one step of Newton's method from the lead, the gap and the normal (touch-oval). */
#define TN_OVAL_PART(half, axis) "(" half " * (d . " axis ") / (lead + " half "^2))^2"
#define TN_OVAL_BEND(half, axis) TN_OVAL_PART(half, axis) " / (lead + " half "^2)"
#define TN_OVAL_SUM "(" TN_OVAL_PART("a", "x1") " + " TN_OVAL_PART("b", "y1") " + " TN_OVAL_PART("c", "z1") ")"
#define TN_OVAL_T \
    "(lead + " TN_OVAL_SUM " * (sqrt(" TN_OVAL_SUM ") - 1) / (" TN_OVAL_BEND("a", "x1") " + " TN_OVAL_BEND("b", "y1") " + " \
    TN_OVAL_BEND("c", "z1") "))"
#define TN_OVAL_SQUARE(half, axis) "(d . " axis ")^2 / (" TN_OVAL_T " + " half "^2)"
#define TN_OVAL_SLOPE(half, axis) "((d . " axis ") / (" TN_OVAL_T " + " half "^2))^2"
#define TN_OVAL_S "sqrt(" TN_OVAL_SLOPE("a", "x1") " + " TN_OVAL_SLOPE("b", "y1") " + " TN_OVAL_SLOPE("c", "z1") ")"
#define TN_OVAL_GAP \
    "((" TN_OVAL_SQUARE("a", "x1") " + " TN_OVAL_SQUARE("b", "y1") " + " TN_OVAL_SQUARE("c", "z1") " - 1) / " TN_OVAL_S " + " \
    TN_OVAL_T " * " TN_OVAL_S ") / 2 - radius"
#define TN_OVAL_ALONG(half, axis) "((d . " axis ") / (" TN_OVAL_T " + " half "^2)) * " axis
#define TN_OVAL_NORMAL "unit(" TN_OVAL_ALONG("a", "x1") " + " TN_OVAL_ALONG("b", "y1") " + " TN_OVAL_ALONG("c", "z1") ")"
#define TN_OVAL_SIZES \
    { "a", "m", "half axis along x1", NAN, NULL }, \
    { "b", "m", "half axis along y1", NAN, NULL }, \
    { "c", "m", "half axis along z1", NAN, NULL }, \
    { "lead", "m^2", "t where the touch was found", 0, NULL }
#define TN_CONE_GAP "sqrt(1 - sine^2) * norm(d - (d . z1) * z1) + sine * (d . z1) - radius"

/* Smooth surfaces (touch-smooth): the matrix of q and t, after the elimination of s, with its determinant; the right sides; q, t and
 * p = c1 s. */
#define TN_SMOOTH_AX "(d . x1-s2*(y2 . x1)*(y2 . z1))"
#define TN_SMOOTH_AY "(d . y1-s2*(y2 . y1)*(y2 . z1))"
#define TN_SMOOTH_C "(c1/(1+c1*(d . z1+s2*(y2 . x1)^2)))"
#define TN_SMOOTH_B "(s2*(y2 . x1)*(y2 . y1))"
#define TN_SMOOTH_QQ "(d . z1+s1+s2*(y2 . y1)^2-" TN_SMOOTH_C "*" TN_SMOOTH_B "^2)"
#define TN_SMOOTH_TQ "(x2 . y1-" TN_SMOOTH_C "*" TN_SMOOTH_B "*(x2 . x1))"
#define TN_SMOOTH_TT "(c2+" TN_SMOOTH_C "*(x2 . x1)^2)"
#define TN_SMOOTH_DET "(" TN_SMOOTH_QQ "*" TN_SMOOTH_TT "+" TN_SMOOTH_TQ "^2)"
#define TN_SMOOTH_FQ "(" TN_SMOOTH_AY "-" TN_SMOOTH_C "*" TN_SMOOTH_B "*" TN_SMOOTH_AX ")"
#define TN_SMOOTH_FT "(x2 . z1+" TN_SMOOTH_C "*(x2 . x1)*" TN_SMOOTH_AX ")"
#define TN_SMOOTH_Q "((" TN_SMOOTH_TT "*" TN_SMOOTH_FQ "-" TN_SMOOTH_TQ "*" TN_SMOOTH_FT ")/" TN_SMOOTH_DET ")"
#define TN_SMOOTH_T "(-(" TN_SMOOTH_QQ "*" TN_SMOOTH_FT "+" TN_SMOOTH_TQ "*" TN_SMOOTH_FQ ")/" TN_SMOOTH_DET ")"
#define TN_SMOOTH_P "(" TN_SMOOTH_C "*(" TN_SMOOTH_AX "+" TN_SMOOTH_T "*(x2 . x1)-" TN_SMOOTH_Q "*" TN_SMOOTH_B "))"
#define TN_SMOOTH_GAP \
    "d . z1 - s2 * (y2 . z1)^2 / 2 + (" TN_SMOOTH_C " * " TN_SMOOTH_AX "^2 + " TN_SMOOTH_FQ " * " TN_SMOOTH_Q " + " TN_SMOOTH_FT " * " \
    TN_SMOOTH_T ") / 2 - radius"
#define TN_SMOOTH_SIZES \
    { "c1", "1/m", "curvature of the surface of body 1 along x1", NAN, NULL }, \
    { "s1", "m", "its radius of curvature along y1", NAN, NULL }, \
    { "c2", "1/m", "curvature of the surface of body 2 along x2", NAN, NULL }, \
    { "s2", "m", "its radius of curvature along y2", NAN, NULL }

#define TN_TOUCH_RADIUS2 { "radius2", "m", "the part of the radius that is on body 2", 0, NULL }
/* Declared last: tn_touch_law_parameters gives their values in this order. */
#define TN_TOUCH_LAW \
    { "side1", "", "1: the surface with belt and grain is on body 1", 0, NULL }, \
    { "side2", "", "1: it is on body 2", 0, NULL }, \
    { "belt_x", "m/s", "velocity of the belt, along x of the frame; negative on body 1", 0, NULL }, \
    { "belt_y", "m/s", "the same along y", 0, NULL }, \
    { "belt_z", "m/s", "the same along z", 0, NULL }, \
    { "grain_x", "", "direction of the grain, along x of the frame", 0, NULL }, \
    { "grain_y", "", "the same along y", 0, NULL }, \
    { "grain_z", "", "the same along z", 0, NULL }, \
    { "stretch", "", "friction along the grain over that across, less 1", 0, NULL }

#endif
