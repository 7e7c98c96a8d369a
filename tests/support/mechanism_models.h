/* Random mechanisms without contacts, as model texts: trees, loops, redundant loops, ladders of parallelograms that
 * pass change points, singular starts, wheels, extreme masses, drives, particles. The same seed gives the same text. Bodies
 * are b0, b1, ..., joints j0, j1, ..., one line each, so that a text can be shrunk line by line. */
#ifndef TEST_MECHANISM_MODELS_H
#define TEST_MECHANISM_MODELS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "random.h"

enum { MECHANISM_TEXT = 40000, MECHANISM_KINDS = 10, MECHANISM_PART_TEXT = 6000 };
#define MECHANISM_PART "part.yaml"

typedef struct mechanism {
    char text[MECHANISM_TEXT];
    char part[MECHANISM_PART_TEXT];        /* the file MECHANISM_PART that the text uses; empty: none */
    size_t length;
    uint32_t random;
    const char *kind;
    int dimension, bodies, joints;
    bool change_points;        /* singular positions at the start or on the way */
    bool nonholonomic, driven, heavy_and_light;
    bool beyond_augmented;     /* mass ratios that "augmented" does not resolve: it stops */
    double until, step;        /* s; step: of fixed-step integrators, the longer of the two */
} mechanism;

static inline void mech_say(mechanism *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void mech_say(mechanism *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (m->length < MECHANISM_TEXT)
        m->length += (size_t)vsnprintf(m->text + m->length, MECHANISM_TEXT - m->length, format, list);
    va_end(list);
}

static inline double mech_pick(mechanism *m, double low, double high)
{
    return between(&m->random, low, high);
}

static inline int mech_choose(mechanism *m, int count)
{
    return (int)(next_random(&m->random) % (uint32_t)count);
}

static inline bool mech_chance(mechanism *m, double part)
{
    return uniform(&m->random) < part;
}

static inline void mech_begin(mechanism *m, int dimension, bool gravity)
{
    double g = gravity ? -9.81 : 0;
    m->dimension = dimension;
    mech_say(m, "tenon: 1\ndimension: %d\n", dimension);
    mech_say(m, dimension == 2 ? "gravity: [0, %g]\n" : "gravity: [0, %g, 0]\n", g);
    mech_say(m, "bodies:\n");
}

/* A vector in the text: two numbers in the plane. */
static inline void mech_vector(mechanism *m, const char *key, double x, double y, double z)
{
    if (m->dimension == 2)
        mech_say(m, "%s: [%.17g, %.17g], ", key, x, y);
    else
        mech_say(m, "%s: [%.17g, %.17g, %.17g], ", key, x, y, z);
}

/* A bar in a plane z = const from (x, y) at an angle, moving with velocity (vx, vy) of its start and turning with w; moving
 * false: nothing is said about its motion. Returns its number. */
typedef struct mech_bar {
    double x, y, z, angle, length, mass;
    bool moving;
    double vx, vy, w;
} mech_bar;

static inline int mech_add_bar(mechanism *m, mech_bar bar)
{
    double across = bar.mass * bar.length * bar.length / 12, thick = 0.05;
    mech_say(m, "  b%d: { mass: %.17g, ", m->bodies, bar.mass);
    mech_vector(m, "com", bar.length / 2, 0, 0);
    if (m->dimension == 2)
        mech_say(m, "inertia: %.17g, angle: %.17g, ", across, bar.angle);
    else
        mech_say(m, "inertia: [%.17g, %.17g, %.17g], rotation: { axis: z, angle: %.17g }, ", thick * across, across,
                 across, bar.angle);
    mech_vector(m, "position", bar.x, bar.y, bar.z);
    if (bar.moving) {
        mech_vector(m, "velocity", bar.vx, bar.vy, 0);
        if (m->dimension == 2)
            mech_say(m, "angular_velocity: %.17g, ", bar.w);
        else
            mech_say(m, "angular_velocity: [0, 0, %.17g], ", bar.w);
    }
    mech_say(m, "}\n");
    return m->bodies++;
}

static inline const char *mech_name(char out[16], int body)
{
    if (body < 0)
        snprintf(out, 16, "ground");
    else
        snprintf(out, 16, "b%d", body);
    return out;
}

/* A joint as built; axis NULL: none is said. */
static inline int mech_join(mechanism *m, const char *type, int one, int two, const double at[3], const double *axis)
{
    char a[16], b[16];
    mech_say(m, "  j%d: { type: %s, between: [%s, %s], ", m->joints, type, mech_name(a, one), mech_name(b, two));
    mech_vector(m, "at", at[0], at[1], at[2]);
    bool turns = strcmp(type, "spherical") == 0 || strcmp(type, "fixed") == 0;
    if (axis && !turns && !(m->dimension == 2 && strcmp(type, "revolute") == 0))
        mech_vector(m, "axis", axis[0], axis[1], axis[2]);
    mech_say(m, "}\n");
    return m->joints++;
}

static inline int mech_hinge(mechanism *m, int one, int two, double x, double y, double z)
{
    static const double along_z[3] = { 0, 0, 1 };
    return mech_join(m, "revolute", one, two, (double[3]){ x, y, z }, m->dimension == 3 ? along_z : NULL);
}

static inline void mech_end(mechanism *m, double until, double step)
{
    m->until = until;
    m->step = step;
    mech_say(m, "solve: { until: %.17g }\n", until);
}

/* A spring between ground and a point of a body. */
static inline void mech_springs(mechanism *m, int count)
{
    if (count > 0)
        mech_say(m, "forces:\n");
    for (int k = 0; k < count; k++)
        mech_say(m, "  s%d: { type: spring, between: [ground, b%d], stiffness: %.17g, length: %.17g, damping: %.17g }\n", k,
                 mech_choose(m, m->bodies), mech_pick(m, 5, 60), mech_pick(m, 0, 0.8), mech_chance(m, 0.5) ? 0 : 0.3);
}

/* ---- trees and loops in space, in any direction ---- */

static inline void mech_random_body(mechanism *m, const double p[3], double mass)
{
    double i = mass * 0.04;
    mech_say(m, "  b%d: { mass: %.17g, ", m->bodies++, mass);
    mech_vector(m, "com", mech_pick(m, -0.3, 0.3), mech_pick(m, -0.3, 0.3), mech_pick(m, -0.3, 0.3));
    if (m->dimension == 2)
        mech_say(m, "inertia: %.17g, angle: %.17g, ", i * mech_pick(m, 1, 2), mech_pick(m, -3, 3));
    else
        mech_say(m, "inertia: [%.17g, %.17g, %.17g], rotation: { euler: [%.17g, %.17g, %.17g] }, ", i * mech_pick(m, 1, 1.4),
                 i * mech_pick(m, 1, 1.4), i * mech_pick(m, 1, 1.4), mech_pick(m, -3, 3), mech_pick(m, -1, 1),
                 mech_pick(m, -3, 3));
    mech_vector(m, "position", p[0], p[1], p[2]);
    mech_say(m, "}\n");
}

static const char *const mech_spatial_types[] = { "revolute", "revolute", "spherical", "prismatic", "cylindrical", "planar",
                                                  "fixed" };
static const char *const mech_planar_types[] = { "revolute", "revolute", "translational", "pin-in-slot" };

static inline const char *mech_tree_type(mechanism *m)
{
    return m->dimension == 3 ? mech_spatial_types[mech_choose(m, 7)] : mech_planar_types[mech_choose(m, 4)];
}

/* Bodies each joined to ground or an earlier body; then loops closed by rods and balls. */
static inline void mech_make_net(mechanism *m, int loops)
{
    double p[8][3], axis[3];
    int count = 2 + mech_choose(m, 4), parent[8];
    mech_begin(m, mech_chance(m, 0.3) ? 2 : 3, true);
    for (int b = 0; b < count; b++) {
        parent[b] = b > 0 && mech_chance(m, 0.85) ? mech_choose(m, b) : -1;
        for (int k = 0; k < 3; k++)
            p[b][k] = (parent[b] < 0 ? 0 : p[parent[b]][k]) + mech_pick(m, -0.7, 0.7);
        mech_random_body(m, p[b], mech_pick(m, 0.5, 3));
    }
    mech_say(m, "joints:\n");
    for (int b = 0; b < count; b++) {
        random_vector(&m->random, 3, 1, axis);
        mech_join(m, mech_tree_type(m), parent[b], b, p[b], axis);
    }
    for (int k = 0; k < loops; k++) {
        int one = mech_choose(m, count + 1) - 1, two = mech_choose(m, count);
        if (one == two)
            one = -1;
        double at[3] = { p[two][0] + 0.4, p[two][1] - 0.3, p[two][2] + 0.2 };
        if (mech_chance(m, 0.5))
            mech_join(m, m->dimension == 2 ? "pin-in-slot" : mech_chance(m, 0.5) ? "point-on-line" : "point-on-plane", one,
                      two, at, (double[3]){ 0.3, 0.8, m->dimension == 3 ? 0.5 : 0 });
        else {
            char a[16];
            mech_say(m, "  j%d: { type: rod, between: [%s, b%d], ends: [{ ", m->joints++, mech_name(a, one), two);
            mech_vector(m, "at", mech_pick(m, -0.5, 0.5), mech_pick(m, 0.6, 1), mech_pick(m, -0.5, 0.5));
            mech_say(m, "}, { ");
            mech_vector(m, "at", 0.1, -0.2, 0.1);
            mech_say(m, "}] }\n");
        }
    }
    mech_springs(m, mech_choose(m, 2));
    mech_end(m, 0.4, 0.004);
}

static inline void mech_make_tree(mechanism *m)
{
    m->kind = "tree";
    mech_make_net(m, 0);
}

static inline void mech_make_loops(mechanism *m)
{
    m->kind = "loops";
    mech_make_net(m, 1 + mech_choose(m, 2));
}

/* ---- polygons: planar loops, in space with parallel hinges and so redundant ---- */

typedef struct mech_points {
    int count;
    double x[8], y[8];
} mech_points;

/* Corners of an irregular polygon, none of them near a straight angle. */
static inline mech_points mech_polygon(mechanism *m, int count)
{
    mech_points p = { .count = count };
    double turn = mech_pick(m, 0, 6.28);
    for (int k = 0; k < count; k++) {
        double a = turn + 6.283185307179586 * (k + mech_pick(m, -0.2, 0.2)) / count, r = mech_pick(m, 0.4, 0.9);
        p.x[k] = r * cos(a);
        p.y[k] = r * sin(a);
    }
    return p;
}

static inline double mech_mass(mechanism *m)
{
    return m->heavy_and_light ? pow(10, mech_pick(m, -4, 3)) : mech_pick(m, 0.4, 3);
}

/* Sides 0-1, 1-2, ... are bars; the last side is ground. One hinge may be a slide, a ball or a cylinder. */
static inline void mech_loop_of_bars(mechanism *m, double until)
{
    static const char *const others[] = { "spherical", "cylindrical", "revolute", "revolute" };
    mech_points p = mech_polygon(m, 4 + mech_choose(m, 2));
    const char *odd = m->dimension == 3 ? others[mech_choose(m, 4)] : "revolute";
    int odd_at = 1 + mech_choose(m, p.count - 1);
    double z = 0;
    for (int k = 0; k + 1 < p.count; k++) {
        double dx = p.x[k + 1] - p.x[k], dy = p.y[k + 1] - p.y[k];
        mech_add_bar(m, (mech_bar){ .x = p.x[k], .y = p.y[k], .z = z, .angle = atan2(dy, dx), .length = hypot(dx, dy),
                                    .mass = mech_mass(m) });
    }
    mech_say(m, "joints:\n");
    mech_hinge(m, -1, 0, p.x[0], p.y[0], z);
    for (int k = 1; k < p.count; k++) {
        int next = k + 1 < p.count ? k : -1;
        mech_join(m, k == odd_at ? odd : "revolute", k - 1, next, (double[3]){ p.x[k], p.y[k], z },
                  m->dimension == 3 ? (double[3]){ 0, 0, 1 } : NULL);
    }
    m->until = until;
}

static inline void mech_make_polygon(mechanism *m)
{
    m->kind = "polygon";
    mech_begin(m, mech_chance(m, 0.3) ? 2 : 3, true);
    mech_loop_of_bars(m, 0.5);
    mech_springs(m, mech_choose(m, 2));
    if (mech_chance(m, 0.6))
        mech_say(m, "initial: { j0: { rate: %.17g } }\n", mech_pick(m, -3, 3));
    mech_end(m, 0.4, 0.004);
}

static inline void mech_make_masses(mechanism *m)
{
    m->kind = "masses";
    m->heavy_and_light = true;
    mech_begin(m, mech_chance(m, 0.3) ? 2 : 3, true);
    mech_loop_of_bars(m, 0.4);
    mech_end(m, 0.4, 0.004);
}

static inline void mech_make_driven(mechanism *m)
{
    m->kind = "driven";
    m->driven = true;
    mech_begin(m, mech_chance(m, 0.3) ? 2 : 3, true);
    mech_points p = mech_polygon(m, 5);
    for (int k = 0; k + 1 < p.count; k++) {
        double dx = p.x[k + 1] - p.x[k], dy = p.y[k + 1] - p.y[k];
        mech_add_bar(m, (mech_bar){ .x = p.x[k], .y = p.y[k], .angle = atan2(dy, dx), .length = hypot(dx, dy),
                                    .mass = mech_mass(m) });
    }
    mech_say(m, "joints:\n");
    for (int k = 0; k < p.count; k++)
        mech_hinge(m, k - 1, k + 1 < p.count ? k : -1, p.x[k], p.y[k], 0);
    if (mech_chance(m, 0.5))
        mech_say(m, "drives:\n  d0: { joint: j0, rate: %.17g }\n", mech_pick(m, -1.5, 1.5));
    else
        mech_say(m, "drives:\n  d0: { joint: j0, angle: \"%.17g * (1 - cos(%.17g / 1 s * t))\" }\n", mech_pick(m, -0.2, 0.2),
                 mech_pick(m, 2, 8));
    mech_end(m, 0.4, 0.004);
}

/* ---- ladders of parallelograms ---- */

typedef struct mech_row {
    int cranks, coupler, crank[4];
    double at[4], radius, angle, speed;        /* cranks at x = at[k] of the base */
    double x, y, z, vx, vy;                    /* place of the base and its motion */
    int base;                                  /* body; -1: ground */
    double mass[4], coupler_mass;              /* kg, by mech_add_row */
} mech_row;

static inline void mech_add_row(mechanism *m, mech_row *row)
{
    double c = row->radius * cos(row->angle), s = row->radius * sin(row->angle);
    for (int k = 0; k < row->cranks; k++) {
        row->mass[k] = mech_pick(m, 0.4, 2);
        row->crank[k] = mech_add_bar(m, (mech_bar){ row->x + row->at[k], row->y, row->z, row->angle, row->radius,
                                                    row->mass[k], true, row->vx, row->vy, row->speed });
    }
    row->coupler_mass = mech_pick(m, 0.4, 2);
    row->coupler = mech_add_bar(m, (mech_bar){ row->x + row->at[0] + c, row->y + s, row->z, 0,
                                               row->at[row->cranks - 1] - row->at[0], row->coupler_mass, true,
                                               row->vx - row->speed * s, row->vy + row->speed * c, 0 });
}

static inline void mech_join_row(mechanism *m, const mech_row *row)
{
    double c = row->radius * cos(row->angle), s = row->radius * sin(row->angle);
    for (int k = 0; k < row->cranks; k++)
        mech_hinge(m, row->base, row->crank[k], row->x + row->at[k], row->y, row->z);
    for (int k = 0; k < row->cranks; k++)
        mech_hinge(m, row->crank[k], row->coupler, row->x + row->at[k] + c, row->y + s, row->z);
}

static inline mech_row mech_choose_row(mechanism *m, double angle, double speed)
{
    mech_row row = { .cranks = 2 + mech_choose(m, 3), .radius = mech_pick(m, 0.2, 0.5), .angle = angle, .speed = speed,
                     .base = -1 };
    for (int k = 1; k < row.cranks; k++)
        row.at[k] = row.at[k - 1] + mech_pick(m, 0.4, 1);
    return row;
}

/* How a second row goes with the first one. */
enum { MECH_ONE_ROW, MECH_STACKED, MECH_WELDED, MECH_PINNED, MECH_APART, MECH_COUPLINGS };

static inline void mech_ladder(mechanism *m, double angle, double speed)
{
    int coupling = mech_choose(m, MECH_COUPLINGS);
    mech_begin(m, mech_chance(m, 0.25) ? 2 : 3, mech_chance(m, 0.7));
    mech_row one = mech_choose_row(m, angle, speed), two = mech_choose_row(m, angle, speed);
    m->change_points = true;
    mech_add_row(m, &one);
    if (coupling == MECH_STACKED) {
        two.x = one.at[0] + one.radius * cos(angle);
        two.y = one.radius * sin(angle);
        two.vx = -speed * two.y;
        two.vy = speed * (two.x - one.at[0]);
        two.base = one.coupler;
        two.angle = mech_chance(m, 0.5) ? angle : mech_pick(m, 0.3, 2.8);
        two.speed = mech_chance(m, 0.5) ? speed : mech_pick(m, -6, 6);
    } else {
        two.z = m->dimension == 3 ? 0.4 : 0;
        two.y = m->dimension == 3 || coupling == MECH_APART ? 0 : -0.1;
        if (coupling != MECH_APART)
            two.radius = one.radius;
    }
    if (coupling != MECH_ONE_ROW)
        mech_add_row(m, &two);
    mech_say(m, "joints:\n");
    mech_join_row(m, &one);
    if (coupling != MECH_ONE_ROW)
        mech_join_row(m, &two);
    double x = one.at[0] + one.radius * cos(angle), y = one.radius * sin(angle);
    if (coupling == MECH_WELDED)
        mech_join(m, "fixed", one.coupler, two.coupler, (double[3]){ x, y, 0 }, NULL);
    if (coupling == MECH_PINNED)
        mech_hinge(m, one.coupler, two.coupler, x + 0.2, y, 0.2);
    if (coupling != MECH_ONE_ROW && mech_chance(m, 0.4)) {
        mech_say(m, "groups:\n  one: { members: [");
        for (int b = 0; b <= one.coupler; b++)
            mech_say(m, "%sb%d", b ? ", " : "", b);
        mech_say(m, "] }\n  two: { members: [");
        for (int b = one.coupler + 1; b < m->bodies; b++)
            mech_say(m, "%sb%d", b > one.coupler + 1 ? ", " : "", b);
        mech_say(m, "] }\n");
    }
}

static inline void mech_make_ladder(mechanism *m)
{
    double speed = mech_pick(m, 5, 12) * (mech_chance(m, 0.5) ? -1 : 1), angle = mech_pick(m, 0.3, 2.8);
    m->kind = "ladder";
    mech_ladder(m, angle, speed);
    mech_end(m, 0.6, mech_pick(m, 0.001, 0.006));
}

/* All bars in line at the start, moving on. */
static inline void mech_make_singular_start(mechanism *m)
{
    double speed = mech_pick(m, 3, 9) * (mech_chance(m, 0.5) ? -1 : 1);
    m->kind = "singular start";
    mech_ladder(m, mech_chance(m, 0.5) ? 0 : mech_pick(m, -0.02, 0.02), speed);
    mech_end(m, 0.4, mech_pick(m, 0.001, 0.006));
}

/* ---- wheels ---- */

static inline void mech_sleighs(mechanism *m)
{
    int count = 1 + mech_choose(m, 3);
    double speed = mech_pick(m, 0.3, 2);
    mech_begin(m, 2, false);
    for (int b = 0; b < count; b++)
        mech_add_bar(m, (mech_bar){ .x = -0.8 * b, .angle = 0, .length = 0.6, .mass = mech_pick(m, 0.5, 3),
                                    .moving = b == 0, .vx = speed, .w = b == 0 ? mech_pick(m, -3, 3) : 0 });
    mech_say(m, "joints:\n");
    for (int b = 0; b < count; b++)
        mech_join(m, "knife-edge", -1, b, (double[3]){ -0.8 * b, 0, 0 }, NULL);
    for (int b = 1; b < count; b++)
        mech_hinge(m, b - 1, b, -0.8 * b + 0.6, 0, 0);
}

static inline void mech_disc(mechanism *m)
{
    double lean = mech_pick(m, -0.4, 0.4), speed = mech_pick(m, 0.5, 3), r = mech_pick(m, 0.2, 0.4);
    m->dimension = 3;
    mech_say(m, "tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ground: { frames: { floor: { at: [0, 0, 0], axis: z } } }\n"
             "  b0: { mass: 2, inertia: [%.17g, %.17g, %.17g], rotation: { axis: x, angle: %.17g }, "
             "position: [0, 0, %.17g], velocity: [%.17g, 0, 0], angular_velocity: [0, %.17g, %.17g], "
             "frames: { axle: { at: [0, 0, 0], axis: y } } }\n", r * r / 2, r * r, r * r / 2, lean, r * cos(lean), speed,
             speed / r * cos(lean), speed / r * sin(lean));
    m->bodies = 1;
    bool rider = mech_chance(m, 0.6);
    if (rider)
        mech_say(m, "  b1: { mass: %.17g, inertia: [0.02, 0.03, 0.02], position: [%.17g, %.17g, %.17g], com: [0, 0, -0.1] }\n",
                 mech_pick(m, 0.3, 2), 0.0, 0.1 * cos(lean), r * cos(lean) + 0.1 * sin(lean));
    mech_say(m, "joints:\n  j0: { type: rolling-disc, between: [ground.floor, b0.axle], radius: %.17g }\n", r);
    m->joints = 1;
    if (rider)
        mech_join(m, "revolute", 0, 1, (double[3]){ 0, 0.1 * cos(lean), r * cos(lean) + 0.1 * sin(lean) },
                  (double[3]){ 0, cos(lean), sin(lean) });
}

static inline void mech_make_wheels(mechanism *m)
{
    m->kind = "wheels";
    m->nonholonomic = true;
    if (mech_chance(m, 0.5))
        mech_sleighs(m);
    else
        mech_disc(m);
    mech_end(m, 0.4, 0.004);
}

/* ---- particles ---- */

static inline void mech_make_particles(mechanism *m)
{
    int count = 2 + mech_choose(m, 4), ring = mech_chance(m, 0.4);
    m->kind = "particles";
    mech_begin(m, mech_chance(m, 0.5) ? 2 : 3, true);
    for (int b = 0; b < count; b++) {
        mech_say(m, "  b%d: { type: particle, mass: %.17g, ", b, mech_pick(m, 0.2, 2));
        mech_vector(m, "position", 0.4 * (b + 1), mech_pick(m, -0.2, 0.2), mech_pick(m, -0.2, 0.2));
        mech_say(m, "}\n");
    }
    m->bodies = count;
    mech_say(m, "joints:\n");
    for (int b = 0; b < count; b++) {
        char a[16];
        mech_say(m, "  j%d: { type: rod, between: [%s, b%d] }\n", m->joints++, mech_name(a, b - 1), b);
    }
    if (ring && count > 2)
        mech_say(m, "  j%d: { type: rod, between: [b0, b2] }\n", m->joints++);
    mech_end(m, 0.4, 0.004);
}

static inline void mechanism_start(mechanism *m, uint32_t seed)
{
    *m = (mechanism){ .random = seed * 2654435761u + 12345u };
    for (int k = 0; k < 5; k++)
        next_random(&m->random);
}

static inline void mechanism_make_plain(mechanism *m, uint32_t seed, uint32_t kind)
{
    static void (*const kinds[MECHANISM_KINDS])(mechanism *) = {
        mech_make_tree,    mech_make_loops,          mech_make_polygon, mech_make_masses, mech_make_driven,
        mech_make_ladder,  mech_make_singular_start, mech_make_wheels,  mech_make_particles, mech_make_ladder,
    };
    mechanism_start(m, seed);
    kinds[kind](m);
}

#endif
