/* Random models with contacts: boxes, polygons, discs and spheres with springs, forces and drives, and mechanisms with
 * clearance; from the seed MORE_KINDS on boxes on boxes in space, a Scotch yoke with clearance, polygons with many corners, a
 * shaken cup, and round shapes in space. Every pair of bodies has a contact of its own, c0, c1, ..., so that its forces can be told apart. */
#ifndef TEST_CONTACT_MODELS_H
#define TEST_CONTACT_MODELS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "random.h"

enum { CONTACT_TEXT = 8000, FIRST_KINDS = 10, LATER_KINDS = 5, CONTACT_KINDS = FIRST_KINDS + LATER_KINDS, MORE_KINDS = 50000 };

typedef struct contact_model {
    char text[CONTACT_TEXT];
    size_t length;
    uint32_t random;
    int contacts;
    const char *kind;
    double friction, restitution;
    bool driven;               /* something puts energy in: it may rise */
    bool one_plane;            /* all touches of a contact have the same normal: its sums obey the laws, too */
} contact_model;

static inline void say(contact_model *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    m->length += (size_t)vsnprintf(m->text + m->length, CONTACT_TEXT - m->length, format, list);
    va_end(list);
}

static inline double pick(contact_model *m, double low, double high)
{
    return between(&m->random, low, high);
}

static inline bool chance(contact_model *m, double part)
{
    return uniform(&m->random) < part;
}

static inline void choose_laws(contact_model *m)
{
    m->friction = chance(m, 0.15) ? 0 : pick(m, 0.05, 1);
    m->restitution = chance(m, 0.4) ? 0 : pick(m, 0, 0.8);
}

static inline void begin_plane(contact_model *m)
{
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
           "  ground: { shapes: [ { half_space: {} } ], frames: { hook: { at: [%.17g, %.17g] } } }\n", pick(m, -0.3, 0.3),
        pick(m, 0.5, 1));
}

static inline void begin_space(contact_model *m)
{
    say(m, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
           "  ground: { shapes: [ { half_space: {} } ], frames: { hook: { at: [%.17g, %.17g, %.17g] } } }\n",
        pick(m, -0.3, 0.3), pick(m, -0.3, 0.3), pick(m, 0.5, 1));
}

static inline void say_contact(contact_model *m, const char *one, const char *two)
{
    say(m, "  c%d: { between: [%s, %s], friction: %.17g, restitution: %.17g }\n", m->contacts++, one, two, m->friction,
        m->restitution);
}

static inline void end_model(contact_model *m, double until)
{
    static const char *const laws[] = { "sequence", "newton", "poisson" };
    say(m, "solve: { until: %.17g, %simpact: %s }\n", until, m->driven ? "max_step: 5 ms, " : "", laws[chance(m, 0.6) ? 0 : 1 + (int)(2 * uniform(&m->random))]);
}

/* A box, polygon or disc in the plane, its lowest point so far above the floor; with a frame `eye` off its centre. */
static inline void say_planar_body(contact_model *m, const char *name, int shape, double x, double floor)
{
    double a = pick(m, 0.05, 0.15), b = pick(m, 0.03, 0.1), angle = chance(m, 0.5) ? 0 : pick(m, -1, 1);
    double low = shape == 2 ? a : fabs(a * sin(angle)) + fabs(b * cos(angle));
    if (shape == 1)
        low = 1.02 * hypot(a, b);
    say(m, "  %s: { mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, "
           "velocity: [%.17g, %.17g], angular_velocity: %.17g, frames: { eye: { at: [%.17g, %.17g] } }, shapes: [ { ",
        name, pick(m, 0.2, 2), pick(m, 0.001, 0.01), x, floor + low, angle, chance(m, 0.4) ? 0 : pick(m, -1, 1),
        chance(m, 0.5) ? 0 : pick(m, -1, 1), chance(m, 0.5) ? 0 : pick(m, -5, 5), pick(m, -a, a), pick(m, -b, b));
    if (shape == 0)
        say(m, "box: { size: [%.17g, %.17g] }", 2 * a, 2 * b);
    else if (shape == 1)
        say(m, "polygon: { corners: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]] }", -a, -b, a, -b * 0.8,
            pick(m, -0.3, 0.3) * a, b);
    else
        say(m, "disc: { radius: %.17g }", a);
    say(m, " } ] }\n");
}

/* Springs, pulls that grow, swing or circle: what lifts, tips and shakes. */
static inline void say_planar_forces(contact_model *m, const char *body)
{
    double size = pick(m, 5, 40), speed = pick(m, 3, 40);
    say(m, "forces:\n");
    switch ((int)(4 * uniform(&m->random))) {
    case 0:
        say(m, "  f: { type: spring, between: [ground.hook, %s.eye], stiffness: %.17g, length: %.17g, damping: %.17g }\n",
            body, pick(m, 20, 400), pick(m, 0.1, 0.8), chance(m, 0.5) ? 0 : pick(m, 0, 5));
        break;
    case 1:
        m->driven = true;
        say(m, "  f: { type: force, on: %s.eye, value: [%.17g, \"%.17g N * t / 1 s\"] }\n", body, pick(m, -2, 2), size * 4);
        break;
    case 2:
        m->driven = true;
        say(m, "  f: { type: force, on: %s.eye, value: [\"%.17g N * sin(%.17g / 1 s * t)\", 0] }\n", body, size, speed);
        break;
    default:
        m->driven = true;
        say(m, "  f: { type: force, on: %s.eye, value: [\"%.17g N * sin(%.17g / 1 s * t)\", "
               "\"%.17g N * cos(%.17g / 1 s * t)\"] }\n", body, size, speed, size, speed);
    }
}

static inline void one_planar_body(contact_model *m, int shape)
{
    begin_plane(m);
    say_planar_body(m, "b", shape, 0, chance(m, 0.5) ? 0 : pick(m, 0, 0.1));
    say_planar_forces(m, "b");
    say(m, "contacts:\n");
    say_contact(m, "ground", "b");
    m->one_plane = true;
    end_model(m, 0.6);
}

static inline void two_planar_bodies(contact_model *m)
{
    begin_plane(m);
    say_planar_body(m, "a", (int)(3 * uniform(&m->random)), 0, pick(m, 0, 0.05));
    say_planar_body(m, "b", (int)(3 * uniform(&m->random)), pick(m, -0.1, 0.1), 0.45);
    if (chance(m, 0.5))
        say_planar_forces(m, "b");
    say(m, "contacts:\n");
    say_contact(m, "ground", "a");
    say_contact(m, "ground", "b");
    say_contact(m, "a", "b");
    end_model(m, 0.5);
}

/* Two equal boxes dropped one over the other: faces that stay parallel to round-off. */
static inline void two_boxes(contact_model *m)
{
    double h = pick(m, 0, 0.1), apart = pick(m, 0.002, 0.02), w = pick(m, 0.1, 0.3);
    begin_plane(m);
    say(m, "  a: { position: [0, %.17g], shapes: [ { box: { size: [%.17g, 0.1] }, density: 100 } ] }\n", h + 0.05, w);
    say(m, "  b: { position: [%.17g, %.17g], angle: %.17g, shapes: [ { box: { size: [%.17g, 0.1] }, density: 100 } ] }\n",
        chance(m, 0.4) ? 0 : pick(m, -0.1, 0.1), h + 0.15 + apart + 0.02, chance(m, 0.6) ? 0 : pick(m, -0.1, 0.1), w);
    say(m, "contacts:\n");
    say_contact(m, "ground", "a");
    say_contact(m, "ground", "b");
    say_contact(m, "a", "b");
    end_model(m, 0.5);
}

/* A box or a sphere in space with a spring. */
static inline void one_spatial_body(contact_model *m)
{
    bool ball = chance(m, 0.4);
    double a = pick(m, 0.05, 0.12), axis[3];
    random_vector(&m->random, 3, 1, axis);
    begin_space(m);
    say(m, "  b: { mass: %.17g, inertia: [0.004, 0.005, 0.006], position: [0, 0, %.17g], ", pick(m, 0.2, 2),
        ball ? a + 0.01 : 2 * a);
    say(m, "rotation: { axis: [%.17g, %.17g, %.17g], angle: %.17g }, velocity: [%.17g, %.17g, 0], ", axis[0], axis[1],
        axis[2] + 0.1, chance(m, 0.3) ? 0 : pick(m, 0, 3), pick(m, -1, 1), pick(m, -1, 1));
    say(m, "frames: { eye: { at: [%.17g, %.17g, %.17g] } }, ", pick(m, -a, a), pick(m, -a, a), pick(m, -a, a));
    if (ball)
        say(m, "shapes: [ { sphere: { radius: %.17g } } ] }\n", a);
    else
        say(m, "shapes: [ { box: { size: [%.17g, %.17g, %.17g] } } ] }\n", 2 * a, 1.6 * a, a);
    say(m, "forces:\n  f: { type: spring, between: [ground.hook, b.eye], stiffness: %.17g, length: %.17g, damping: 1 }\n",
        pick(m, 10, 200), pick(m, 0.2, 0.8));
    say(m, "contacts:\n");
    say_contact(m, "ground", "b");
    m->one_plane = true;
    end_model(m, 0.4);
}

/* Spheres that fall onto each other. */
static inline void spheres(contact_model *m)
{
    int count = 2 + (int)(2 * uniform(&m->random));
    char one[20], two[20];
    begin_space(m);
    for (int k = 0; k < count; k++)
        say(m, "  s%d: { mass: %.17g, inertia: [0.003, 0.003, 0.003], position: [%.17g, %.17g, %.17g], "
               "velocity: [%.17g, %.17g, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n", k, pick(m, 0.2, 2),
            pick(m, -0.05, 0.05), pick(m, -0.05, 0.05), 0.11 + 0.21 * k, pick(m, -0.5, 0.5), pick(m, -0.5, 0.5));
    say(m, "contacts:\n");
    for (int k = 0; k < count; k++)
        for (int j = -1; j < k; j++) {
            snprintf(one, sizeof one, j < 0 ? "ground" : "s%d", j);
            snprintf(two, sizeof two, "s%d", k);
            say_contact(m, one, two);
        }
    m->one_plane = true;
    end_model(m, 0.4);
}

/* Slider-crank whose slider has clearance in its guide (data like those of Flores, Leine & Glocker 2010). */
static inline void slider_crank(contact_model *m)
{
    double r = pick(m, 0.05, 0.2), L = r * pick(m, 1.6, 3), c = pick(m, 2e-4, 2e-3), w = pick(m, 20, 200);
    bool driven = chance(m, 0.4);
    m->driven = driven;
    m->friction *= 0.2;
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
           "  ground: { shapes: [ { half_space: { at: [0, %.17g] } }, { half_space: { at: [0, %.17g], normal: [0, -1] } } ] }\n",
        -0.025 - c / 2, 0.025 + c / 2);
    say(m, "  crank: { mass: 0.04, inertia: 7e-5, com: [%.17g, 0], position: [0, 0], angle: 0, angular_velocity: %.17g, "
           "frames: { tip: { at: [%.17g, 0] } } }\n", r / 2, w, r);
    say(m, "  rod: { mass: 0.04, inertia: 6e-4, com: [%.17g, 0], position: [%.17g, 0], angle: 0, angular_velocity: %.17g, "
           "velocity: [0, %.17g], frames: { end: { at: [%.17g, 0] } } }\n", L / 2, r, -w * r / L, w * r, L);
    say(m, "  slider: { mass: 0.08, inertia: %.17g, position: [%.17g, 0], shapes: [ { box: { size: [0.1, 0.05] } } ] }\n",
        chance(m, 0.5) ? 2.7e-6 : 8e-5, r + L);
    say(m, "joints:\n  pivot: { type: revolute, between: [ground, crank] }\n"
           "  elbow: { type: revolute, between: [crank.tip, rod] }\n  wrist: { type: revolute, between: [rod.end, slider] }\n");
    if (driven)
        say(m, "drives:\n  motor: { joint: pivot, rate: %.17g }\n", w);
    say(m, "contacts:\n");
    say_contact(m, "ground", "slider");
    end_model(m, 8 / w);
}

/* A pendulum with a stop that knocks a box along; the stop and the box share an instant now and then. */
static inline void stop_and_box(contact_model *m)
{
    double L = 0.4, swing = pick(m, 0.3, 1.4);
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
           "  ground: { shapes: [ { half_space: {} } ], frames: { up: { at: [0, %.17g] } } }\n", L + 0.06);
    say(m, "  arm: { mass: %.17g, inertia: 0.01, com: [0, %.17g], position: [0, %.17g], angle: %.17g, "
           "shapes: [ { disc: { radius: 0.05, at: [0, %.17g] } } ] }\n", pick(m, 0.3, 2), -L / 2, L + 0.06, -swing, -L);
    say(m, "  box: { position: [%.17g, %.17g], shapes: [ { box: { size: [0.1, 0.12] }, density: 80 } ] }\n",
        pick(m, 0.11, 0.2), 0.06);
    say(m, "joints:\n  pivot: { type: revolute, between: [ground.up, arm], limits: { angle: [-1.5, %.17g], "
           "restitution: %.17g } }\n", pick(m, 0.05, 0.6), m->restitution);
    say(m, "contacts:\n");
    say_contact(m, "arm", "box");
    say_contact(m, "ground", "box");
    say_contact(m, "ground", "arm");
    end_model(m, 0.8);
}

/* A table that a drive shakes, and a body on it. */
static inline void shaken_table(contact_model *m)
{
    double a = pick(m, 0.03, 0.1), b = pick(m, 0.03, 0.12);
    m->driven = m->one_plane = true;
    double lean = pick(m, -2, 2);
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
           "  ground: { frames: { way: { axis: [%.17g, 1] } } }\n"
           "  table: { mass: 5, inertia: 1, shapes: [ { half_space: {} } ], frames: { way: { axis: [%.17g, 1] } } }\n", lean,
        lean);
    say(m, "  box: { position: [0, %.17g], mass: 1, inertia: %.17g, shapes: [ { box: { size: [%.17g, %.17g] } } ] }\n",
        b + (chance(m, 0.5) ? 0 : 0.02), (a * a + b * b) / 3, 2 * a, 2 * b);
    say(m, "joints:\n  slide: { type: translational, between: [ground.way, table.way] }\n");
    say(m, "drives:\n  shake: { joint: slide.position, position: \"%.17g m * (1 - cos(%.17g / 1 s * t))\" }\n",
        pick(m, 0.005, 0.06), pick(m, 5, 40));
    say(m, "contacts:\n");
    say_contact(m, "table", "box");
    end_model(m, 0.6);
}

/* Two boxes in space, one dropped on the other: parallel faces, or a small tilt. */
static inline void two_spatial_boxes(contact_model *m)
{
    double w = pick(m, 0.1, 0.2), d = pick(m, 0.1, 0.2), h = pick(m, 0.05, 0.1), fall = pick(m, 0, 0.02), axis[3];
    random_vector(&m->random, 3, 1, axis);
    begin_space(m);
    say(m, "  a: { position: [0, 0, %.17g], shapes: [ { box: { size: [%.17g, %.17g, %.17g] }, density: 300 } ] }\n",
        h / 2 + fall, w, d, h);
    say(m, "  b: { position: [%.17g, %.17g, %.17g], rotation: { axis: [%.17g, %.17g, %.17g], angle: %.17g }, "
           "shapes: [ { box: { size: [%.17g, %.17g, %.17g] }, density: 300 } ] }\n", pick(m, -0.04, 0.04), pick(m, -0.04, 0.04),
        1.5 * h + fall + 0.03, axis[0], axis[1], axis[2] + 0.1, chance(m, 0.5) ? 0 : pick(m, -0.2, 0.2), w, d, h);
    say(m, "contacts:\n");
    say_contact(m, "ground", "a");
    say_contact(m, "ground", "b");
    say_contact(m, "a", "b");
    end_model(m, 0.3);
}

/* Scotch yoke: the pin of a crank in the slot of a yoke, with clearance. */
static inline void scotch_yoke(contact_model *m)
{
    double r = pick(m, 0.03, 0.1), pin = pick(m, 0.005, 0.015), c = pick(m, 1e-4, 2e-3), w = pick(m, 5, 60);
    double half = pin + c / 2 + 0.01;
    m->driven = chance(m, 0.5);
    m->friction *= 0.3;
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
           "  crank: { mass: 0.5, inertia: 0.002, angular_velocity: %.17g, shapes: [ { disc: { radius: %.17g, at: [%.17g, 0] } } ] }\n",
        w, pin, r);
    say(m, "  yoke: { mass: %.17g, inertia: 0.01, position: [%.17g, 0], frames: { way: { axis: x } }, shapes: [ "
           "{ box: { size: [0.02, %.17g], at: [%.17g, 0] } }, { box: { size: [0.02, %.17g], at: [%.17g, 0] } } ] }\n",
        pick(m, 0.2, 1), r, 4 * r, -half, 4 * r, half);
    say(m, "  ground: { frames: { way: { axis: x }, hook: { at: [0, 0.2] } } }\njoints:\n  pivot: { type: revolute, between: [ground, crank] }\n"
           "  slide: { type: translational, between: [ground.way, yoke.way] }\n");
    if (m->driven)
        say(m, "drives:\n  motor: { joint: pivot, rate: %.17g }\n", w);
    say(m, "forces:\n  f: { type: spring, between: [ground.hook, yoke], stiffness: %.17g, length: 0.2, damping: 0.2 }\n", pick(m, 0, 100));
    say(m, "contacts:\n");
    say_contact(m, "crank", "yoke");
    end_model(m, 8 / w);
}

/* A convex polygon with corners on an ellipse. */
static inline void say_round_polygon(contact_model *m, const char *name, double x, double y)
{
    int corners = 5 + (int)(4 * uniform(&m->random));
    double a = pick(m, 0.05, 0.12), b = pick(m, 0.04, 0.1), pi = 3.141592653589793;
    say(m, "  %s: { mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, 0], "
           "frames: { eye: { at: [%.17g, 0] } }, shapes: [ { polygon: { corners: [", name, pick(m, 0.3, 2), pick(m, 0.001, 0.01), x,
        y + 0.13, pick(m, -3, 3), pick(m, -1, 1), pick(m, -a, a));
    for (int k = 0; k < corners; k++) {
        double angle = 2 * pi * (k + pick(m, 0, 0.6)) / corners;
        say(m, "%s[%.17g, %.17g]", k ? ", " : "", a * cos(angle), b * sin(angle));
    }
    say(m, "] } } ] }\n");
}

static inline void polygons(contact_model *m)
{
    bool two = chance(m, 0.5);
    begin_plane(m);
    say_round_polygon(m, "a", 0, 0);
    if (two)
        say_round_polygon(m, "b", pick(m, -0.1, 0.1), 0.27);
    say_planar_forces(m, "a");
    say(m, "contacts:\n");
    say_contact(m, "ground", "a");
    if (two) {
        say_contact(m, "ground", "b");
        say_contact(m, "a", "b");
    }
    m->one_plane = !two;
    end_model(m, 0.5);
}

/* A cup of three boxes that a drive shakes, with a disc or box in it. */
static inline void shaken_cup(contact_model *m)
{
    double w = pick(m, 0.15, 0.3), a = pick(m, 0.03, 0.06), lean = pick(m, -2, 2);
    m->driven = true;
    say(m, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { frames: { way: { axis: [1, %.17g] } } }\n"
           "  cup: { mass: 5, inertia: 1, frames: { way: { axis: [1, %.17g] } }, shapes: [ { box: { size: [%.17g, 0.02], at: "
           "[0, -0.01] } }, { box: { size: [0.02, 0.4], at: [%.17g, 0.2] } }, { box: { size: [0.02, 0.4], at: [%.17g, 0.2] } } ] }\n",
        lean, lean, w + 0.04, -w / 2 - 0.01, w / 2 + 0.01);
    say(m, "  part: { mass: 1, inertia: %.17g, position: [0, %.17g], angle: %.17g, shapes: [ { ", a * a / 2, 1.5 * a + 0.001,
        pick(m, -1, 1));
    if (chance(m, 0.5))
        say(m, "disc: { radius: %.17g } } ] }\n", a);
    else
        say(m, "box: { size: [%.17g, %.17g] } } ] }\n", 1.8 * a, 1.5 * a);
    say(m, "joints:\n  slide: { type: translational, between: [ground.way, cup.way] }\n"
           "drives:\n  shake: { joint: slide.position, position: \"%.17g m * sin(%.17g / 1 s * t)^2\" }\ncontacts:\n",
        pick(m, 0.01, 0.05), pick(m, 3, 15));
    say_contact(m, "cup", "part");
    end_model(m, 0.5);
}

/* Capsule, cylinder, cone, torus, ellipsoid or hull on a floor in space. */
static inline void round_shape(contact_model *m)
{
    double r = pick(m, 0.03, 0.08), h = pick(m, 0.06, 0.2), axis[3];
    random_vector(&m->random, 3, 1, axis);
    begin_space(m);
    say(m, "  b: { mass: %.17g, inertia: [0.004, 0.005, 0.006], position: [0, 0, %.17g], rotation: { axis: [%.17g, %.17g, %.17g], "
           "angle: %.17g }, velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, 0, %.17g], shapes: [ { ", pick(m, 0.3, 2),
        r + 0.5 * h + 0.01, axis[0], axis[1], axis[2] + 0.1, pick(m, 0, 3), pick(m, -1, 1), pick(m, -1, 1), pick(m, -5, 5), pick(m, -5, 5));
    switch ((int)(6 * uniform(&m->random))) {
    case 0: say(m, "capsule: { radius: %.17g, length: %.17g }", r, h); break;
    case 1: say(m, "cylinder: { radius: %.17g, length: %.17g }", r, h); break;
    case 2: say(m, "cone: { radius: %.17g, length: %.17g }", r, h); break;
    case 3: say(m, "torus: { radius: %.17g, tube: %.17g }", r, 0.3 * r); break;
    case 4: say(m, "ellipsoid: { half_axes: [%.17g, %.17g, %.17g] }", r, 0.7 * r, 0.5 * h); break;
    default:
        say(m, "hull: { points: [[%.17g, 0, 0], [0, %.17g, 0], [%.17g, %.17g, 0.01], [0, 0, %.17g], [0.01, 0, %.17g]] }", r, r, -r, -r,
            0.5 * h, -0.4 * h);
    }
    say(m, " } ] }\ncontacts:\n");
    say_contact(m, "ground", "b");
    m->one_plane = true;
    end_model(m, 0.4);
}

static inline int contact_model_kind(uint32_t seed)
{
    return seed < MORE_KINDS ? (int)(seed % FIRST_KINDS) : FIRST_KINDS + (int)(seed % LATER_KINDS);
}

static inline void contact_model_make(contact_model *m, uint32_t seed)
{
    static const char *const kinds[CONTACT_KINDS] = { "box", "polygon", "disc", "two bodies", "two boxes", "body in space",
                                                      "spheres", "slider-crank", "stop and box", "shaken table",
                                                      "two boxes in space", "scotch yoke", "polygons", "shaken cup",
                                                      "round shape" };
    int kind = contact_model_kind(seed);
    *m = (contact_model){ .random = seed * 2654435761u + 12345u, .kind = kinds[kind] };
    uniform(&m->random);
    choose_laws(m);
    switch (kind) {
    case 0: case 1: case 2: one_planar_body(m, kind); break;
    case 3: two_planar_bodies(m); break;
    case 4: two_boxes(m); break;
    case 5: one_spatial_body(m); break;
    case 6: spheres(m); break;
    case 7: slider_crank(m); break;
    case 8: stop_and_box(m); break;
    case 9: shaken_table(m); break;
    case 10: two_spatial_boxes(m); break;
    case 11: scotch_yoke(m); break;
    case 12: polygons(m); break;
    case 13: shaken_cup(m); break;
    default: round_shape(m); break;
    }
}

#endif
