/* The slider-crank of Welch's Table 2: a disc of radius 0.3 as crank and a rod whose other end slides on the x axis, started from
 * numbers of four digits that leave the joints open by 4e-5. */
#ifndef TN_CLI_WELCH_CRANK_H
#define TN_CLI_WELCH_CRANK_H

static const char welch_crank[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -10]\n"
    "bodies:\n"
    "  crank: { mass: 1, inertia: 0.045, position: [0, 0], angle: 0.9851, frames: { tip: { at: [0.3, 0] } } }\n"
    "  rod:\n"
    "    { mass: 1, inertia: 33 / 4800, position: [0.4256, 0.1], angle: -0.5236,\n"
    "      frames: { start: { at: [-0.3, 0] }, end: { at: [0.2, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod.start] }\n"
    "  slide: { type: pin-in-slot, between: [ground, rod.end] }\n";

#endif
