/* Random mechanisms of the kinds that are hard: rows of parallelograms in subsystems, driven through change points, linkages that
 * move only by their measures (Bennett), mass ratios up to 1e12, axles with two wheels, long runs. mechanism_models.h has the
 * plain ones, and the words that these are made of. */
#ifndef TEST_MECHANISM_HARD_H
#define TEST_MECHANISM_HARD_H

#include "mechanism_models.h"

enum { HARD_KINDS = 6, ALL_KINDS = MECHANISM_KINDS + HARD_KINDS };

/* ---- ladders in subsystems ---- */

/* One file, a row of parallelograms, is used twice; the couplers are welded, pinned or apart. */
static inline void mech_make_subsystems(mechanism *m)
{
    static mechanism part;
    const double speed = mech_pick(m, 4, 10) * (mech_chance(m, 0.5) ? -1 : 1), angle = mech_pick(m, 0.3, 2.8);
    const int dimension = mech_chance(m, 0.25) ? 2 : 3, coupling = mech_choose(m, 3);
    m->kind = "subsystems";
    m->change_points = true;
    part = (mechanism){ .random = m->random };
    mech_begin(&part, dimension, true);
    mech_row row = mech_choose_row(&part, angle, speed);
    mech_add_row(&part, &row);
    mech_say(&part, "joints:\n");
    mech_join_row(&part, &row);
    m->random = part.random;
    snprintf(m->part, sizeof m->part, "%.*s", MECHANISM_PART_TEXT - 1, part.text);
    m->dimension = dimension;
    const double x = row.radius * cos(angle), y = row.radius * sin(angle), across = dimension == 3 ? 0.4 : 0;
    mech_say(m, "tenon: 1\ndimension: %d\n", dimension);
    mech_say(m, dimension == 2 ? "gravity: [0, -9.81]\n" : "gravity: [0, -9.81, 0]\n");
    mech_say(m, "subsystems:\n  p0: { use: %s }\n  p1: { use: %s, ", MECHANISM_PART, MECHANISM_PART);
    mech_vector(m, "at", dimension == 2 ? 0.05 : 0, dimension == 2 ? -0.1 : 0, across);
    mech_say(m, "}\njoints:\n");
    mech_say(m, "  j0: { type: %s, between: [p0.b%d, p1.b%d], ", coupling ? "revolute" : "fixed", row.coupler, row.coupler);
    mech_vector(m, "at", x + 0.2, y, across / 2);
    mech_say(m, coupling && dimension == 3 ? "axis: z }\n" : "}\n");
    mech_end(m, 0.5, mech_pick(m, 0.001, 0.006));
}

/* ---- rows driven through change points ---- */

static inline void mech_make_driven_ladder(mechanism *m)
{
    const double speed = mech_pick(m, 4, 10) * (mech_chance(m, 0.5) ? -1 : 1), angle = mech_pick(m, 0.3, 2.8);
    m->kind = "driven ladder";
    m->driven = m->change_points = true;
    mech_begin(m, mech_chance(m, 0.25) ? 2 : 3, true);
    mech_row row = mech_choose_row(m, angle, speed);
    mech_add_row(m, &row);
    mech_say(m, "joints:\n");
    mech_join_row(m, &row);
    mech_say(m, "drives:\n  d0: { joint: j%d, rate: %.17g }\n", mech_choose(m, row.cranks), speed);
    mech_end(m, 0.5, mech_pick(m, 0.001, 0.006));
}

/* ---- Bennett's linkage ---- */

/* A frame that is moved along a chain of hinges: columns x, y, z and origin p. */
typedef struct mech_frame {
    double x[3], y[3], z[3], p[3];
} mech_frame;

static inline void mech_mix(double *a, double *b, double angle)
{
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {
        const double one = c * a[k] + s * b[k], two = c * b[k] - s * a[k];
        a[k] = one;
        b[k] = two;
    }
}

/* Turns by angle about z, goes on by length along x, twists about x. */
static inline void mech_next_hinge(mech_frame *f, double angle, double length, double twist)
{
    mech_mix(f->x, f->y, angle);
    for (int k = 0; k < 3; k++)
        f->p[k] += length * f->x[k];
    mech_mix(f->y, f->z, twist);
}

/* Four hinges whose distances a, b and twists fulfil sin(alpha) / a = sin(beta) / b: one freedom and three rows too many. */
static inline void mech_make_bennett(mechanism *m)
{
    const double alpha = mech_pick(m, 0.5, 1.3), beta = alpha * mech_pick(m, 0.35, 0.75), a = mech_pick(m, 0.5, 0.9);
    const double b = a * sin(beta) / sin(alpha), theta = mech_pick(m, 0.8, 2.2);
    const double phi = 2 * atan(sin((beta + alpha) / 2) / sin((beta - alpha) / 2) / tan(theta / 2));
    const double turns[4] = { theta, phi, -theta, -phi }, lengths[4] = { a, b, a, b }, twists[4] = { alpha, beta, alpha, beta };
    mech_frame hinge[5] = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } } };
    m->kind = "bennett";
    mech_begin(m, 3, true);
    for (int k = 0; k < 4; k++) {
        hinge[k + 1] = hinge[k];
        mech_next_hinge(&hinge[k + 1], turns[k], lengths[k], twists[k]);
    }
    for (int k = 1; k < 4; k++) {
        const double *p = hinge[k].p, *q = hinge[k + 1].p, mass = mech_pick(m, 0.5, 3);
        mech_say(m, "  b%d: { mass: %.17g, inertia: [%.17g, %.17g, %.17g], ", m->bodies++, mass, 0.02 * mass, 0.03 * mass,
                 0.04 * mass);
        mech_vector(m, "position", (p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2);
        mech_say(m, "}\n");
    }
    mech_say(m, "joints:\n");
    for (int k = 0; k < 4; k++)
        mech_join(m, "revolute", k == 0 ? -1 : k - 1, k == 3 ? -1 : k, hinge[k + 1].p, hinge[k + 1].z);
    mech_say(m, "initial: { j0: { rate: %.17g } }\n", mech_pick(m, -3, 3));
    mech_end(m, 0.4, 0.004);
}

/* ---- mass ratios up to 1e12 ---- */

static inline void mech_make_extreme(mechanism *m)
{
    const int count = 2 + mech_choose(m, 3);
    double x = 0, y = 0, lightest = INFINITY, heaviest = 0;
    double at[6][2] = { { 0 } };
    m->kind = "extreme masses";
    mech_begin(m, mech_chance(m, 0.3) ? 2 : 3, true);
    for (int k = 0; k < count; k++) {
        const double angle = mech_pick(m, -1.2, 0.4), length = mech_pick(m, 0.3, 0.8);
        const double mass = pow(10, mech_pick(m, -6, 6));
        mech_add_bar(m, (mech_bar){ .x = x, .y = y, .angle = angle, .length = length, .mass = mass });
        lightest = fmin(lightest, mass);
        heaviest = fmax(heaviest, mass);
        x += length * cos(angle);
        y += length * sin(angle);
        at[k + 1][0] = x;
        at[k + 1][1] = y;
    }
    m->beyond_augmented = heaviest > 1e6 * lightest;
    mech_say(m, "joints:\n");
    for (int k = 0; k < count; k++)
        mech_hinge(m, k - 1, k, at[k][0], at[k][1], 0);
    mech_end(m, 0.3, 0.002);
}

/* ---- two wheels on an axle ---- */

/* A cart of a frame and two wheels that roll without slip; the frame's tail slides on the plane. */
static inline void mech_make_axle(mechanism *m)
{
    const double r = mech_pick(m, 0.2, 0.4), half = mech_pick(m, 0.3, 0.6), back = mech_pick(m, 0.4, 0.8);
    const double v = mech_pick(m, 0.3, 2), w = mech_pick(m, -2, 2);
    m->kind = "axle";
    m->nonholonomic = true;
    m->dimension = 3;
    mech_say(m, "tenon: 1\ndimension: 3\ngravity: [%.17g, 0, -9.81]\nbodies:\n"
             "  ground: { frames: { floor: { at: [0, 0, 0], axis: z } } }\n"
             "  b0: { mass: %.17g, inertia: [0.2, 0.3, 0.4], position: [0, 0, %.17g], com: [%.17g, 0, 0], "
             "velocity: [%.17g, 0, 0], angular_velocity: [0, 0, %.17g] }\n", mech_chance(m, 0.5) ? 0.0 : 1.5, mech_pick(m, 2, 6), r,
             mech_pick(m, -0.3, 0.1), v, w);
    for (int k = 0; k < 2; k++)
        mech_say(m, "  b%d: { mass: 1, inertia: [%.17g, %.17g, %.17g], position: [0, %.17g, %.17g], "
                 "frames: { axle: { at: [0, 0, 0], axis: y } } }\n", k + 1, r * r / 4, r * r / 2, r * r / 4, k ? -half : half, r);
    m->bodies = 3;
    mech_say(m, "joints:\n");
    for (int k = 0; k < 2; k++)
        mech_join(m, "revolute", 0, k + 1, (double[3]){ 0, k ? -half : half, r }, (double[3]){ 0, 1, 0 });
    for (int k = 0; k < 2; k++)
        mech_say(m, "  j%d: { type: rolling-disc, between: [ground.floor, b%d.axle], radius: %.17g }\n", m->joints++, k + 1, r);
    mech_join(m, "point-on-plane", -1, 0, (double[3]){ -back, 0, 0 }, (double[3]){ 0, 0, 1 });
    mech_end(m, 0.4, 0.004);
}

/* ---- long runs ---- */

/* Motions that stay regular: a pendulum on a hinge, a spinning top on a ball, a mass on a spring and a guide. */
static inline void mech_make_long(mechanism *m)
{
    const int which = mech_choose(m, 3);
    m->kind = "long";
    mech_begin(m, 3, true);
    if (which == 0)
        mech_add_bar(m, (mech_bar){ .angle = mech_pick(m, -1.4, 1), .length = mech_pick(m, 0.4, 1), .mass = 1 });
    else if (which == 1)
        mech_say(m, "  b0: { mass: 1, inertia: [0.01, %.17g, 0.01], com: [0, 0.1, 0], rotation: { axis: z, angle: %.17g }, "
                 "angular_velocity: [0, %.17g, 0] }\n", mech_pick(m, 0.012, 0.018), mech_pick(m, 0.3, 1.2), mech_pick(m, 60, 120));
    else
        mech_say(m, "  b0: { mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, %.17g, 0] }\n", mech_pick(m, -0.8, -0.2));
    m->bodies = 1;
    mech_say(m, "joints:\n");
    if (which == 0)
        mech_hinge(m, -1, 0, 0, 0, 0);
    else
        mech_join(m, which == 1 ? "spherical" : "prismatic", -1, 0, (double[3]){ 0 }, (double[3]){ 0.3, 1, 0 });
    if (which == 2)
        mech_say(m, "forces:\n  s0: { type: spring, between: [ground, b0], stiffness: %.17g, length: 0.3, damping: 0 }\n",
                 mech_pick(m, 30, 90));
    mech_end(m, 2, 0.004);
}

static inline void mechanism_make_kind(mechanism *m, uint32_t seed, uint32_t kind)
{
    static void (*const hard[HARD_KINDS])(mechanism *) = {
        mech_make_subsystems, mech_make_driven_ladder, mech_make_bennett, mech_make_extreme, mech_make_axle, mech_make_long,
    };
    if (kind < MECHANISM_KINDS) {
        mechanism_make_plain(m, seed, kind);
        return;
    }
    mechanism_start(m, seed);
    hard[kind - MECHANISM_KINDS](m);
}

#endif
