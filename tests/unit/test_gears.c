/* Meshes of gears: what bearings feel of the force between teeth, against closed forms, on both flanks; and the motion. */
#include "event_runs.h"
#include "mem.h"
#include "tenon/analysis.h"

static const double PI = 3.14159265358979323846;
#define RAD(degrees) ((degrees) * PI / 180)

#define PAIR_2D(centre)                                                                                                \
    "tenon: 1\ndimension: 2\nbodies:\n  ground: { frames: { a: { at: [0, 0] }, b: { at: [" centre ", 0] } } }\n"         \
    "  g1: { mass: 1, inertia: 0.01 }\n  g2: { mass: 4, inertia: 0.08, position: [" centre ", 0] }\n"                   \
    "joints:\n  p1: { type: revolute, between: [ground.a, g1] }\n  p2: { type: revolute, between: [ground.b, g2] }\n"

/* 10 N m on gear 1 of 0.1 m against 20 N m on gear 2 of 0.2 m: 100 N along the circles, 100 tan 20 deg apart; with the
 * torques reversed the other flanks bear, and the gears are still pushed apart. */
static void check_external(const char *forces, double sign)
{
    run x = run_parts(PAIR_2D("0.3") "  m: { type: gear-mesh, between: [g1, g2], ratio: 2, pressure: 20 deg }\n", forces,
                      "initial: { p1: { rate: 3 } }\nsolve: { until: 2 }\n");
    double tangential = 100 * sign, radial = 100 * tan(RAD(20));
    assert_near(value_of(&x, "p1.angle.rate"), 3, 1e-12);
    assert_near(value_of(&x, "p2.angle.rate"), -1.5, 1e-12);
    assert_near(value_of(&x, "p2.angle"), -3, 1e-7);
    assert_near(value_of(&x, "p1.reaction.force.x"), radial, 1e-9);    /* holds gear 1, which is pushed off to -x */
    assert_near(value_of(&x, "p1.reaction.force.y"), tangential, 1e-9);
    assert_near(value_of(&x, "p2.reaction.force.x"), -radial, 1e-9);
    assert_near(value_of(&x, "p2.reaction.force.y"), -tangential, 1e-9);
    assert_near(value_of(&x, "m.reaction.force.x"), radial, 1e-9);     /* on gear 2 */
    assert_near(value_of(&x, "m.reaction.torque"), -20 * sign, 1e-9);
    assert_int_equal(tn_diagnostics_count(x.r.context), 0);
    close_run(&x);
}

static void test_external(void **state)
{
    (void)state;
    check_external("forces: { t1: { type: torque, on: g1, value: 10 }, t2: { type: torque, on: g2, value: 20 } }\n", 1);
    check_external("forces: { t1: { type: torque, on: g1, value: -10 }, t2: { type: torque, on: g2, value: -20 } }\n", -1);
}

/* A torque on gear 1 that swings: the flank changes with its sign, and the radial force is its absolute value. Both gears
 * turn freely: m r1^2 = 0.01, 0.08 / 4, so gear 2 takes 2/3 of the torque. */
static void test_reversal(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char solve[80];
        const double t = 0.1 + 0.3 * k, torque = 30 * sin(7 * t), force = 2.0 / 3 * torque / 0.1;
        snprintf(solve, sizeof solve, "solve: { until: %.17g, integrator: rk4, step: 1 ms }\n", t);
        run x = run_parts(PAIR_2D("0.3") "  m: { type: gear-mesh, between: [g1, g2], ratio: 2, pressure: 25 deg }\n",
                          "forces: { t1: { type: torque, on: g1, value: 30 * sin(7*t) } }\n", solve);
        assert_near(value_of(&x, "p1.reaction.force.y"), force, 1e-8);
        assert_near(value_of(&x, "p1.reaction.force.x"), fabs(force) * tan(RAD(25)), 1e-8);
        assert_near(value_of(&x, "p1.angle.rate"), 30 / 0.03 * (1 - cos(7 * t)) / 7, 1e-7);
        close_run(&x);
    }
}

/* Pinion of 0.1 m inside a ring of 0.3 m: they turn the same way, and the pinion is pushed to the ring's centre, whichever of them
 * is gear 1. */
static void check_internal(const char *mesh)
{
    run x = run_parts(mesh, "forces: { t1: { type: torque, on: g1, value: 10 }, t2: { type: torque, on: g2, value: -30 } }\n",
                      "initial: { p1: { rate: 3 } }\nsolve: { until: 2 }\n");
    assert_near(value_of(&x, "p1.angle.rate"), 3, 1e-12);
    assert_near(value_of(&x, "p2.angle.rate"), 1, 1e-12);
    assert_near(value_of(&x, "p1.reaction.force.y"), 100, 1e-9);       /* the pitch point is at x = 0.1 */
    assert_near(value_of(&x, "p1.reaction.force.x"), 100 * tan(RAD(20)), 1e-9);
    assert_near(value_of(&x, "p2.reaction.force.x"), -100 * tan(RAD(20)), 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.y") + value_of(&x, "p2.reaction.force.y"), 0, 1e-9);
    close_run(&x);
}

static void test_internal(void **state)
{
    (void)state;
    check_internal(PAIR_2D("-0.2") "  m: { type: gear-mesh, between: [g1, g2], ratio: -3, pressure: 20 deg }\n");
    check_internal(PAIR_2D("-0.2") "  m: { type: gear-mesh, between: [g2, g1], ratio: -1/3, pressure: 20 deg }\n");
}

/* A planet between a sun (0.1 m) and a fixed ring (0.3 m) turns with its carrier, which holds 4 T against T on the sun.
 * Each mesh of the planet bears T / 0.1, the pin of the carrier twice that and the pull inwards, m w^2 r; the radial forces
 * of both meshes cancel. The sun's bearing feels one planet. */
static void test_planetary(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\nbodies:\n"
        "  sun: { mass: 1, inertia: 0.01 }\n  carrier: { mass: 1, inertia: 0.05, frames: { pin: { at: [0.2, 0] } } }\n"
        "  planet: { mass: 0.5, inertia: 0.003, position: [0.2, 0] }\n"
        "joints:\n  s: { type: revolute, between: [ground, sun] }\n  c: { type: revolute, between: [ground, carrier] }\n"
        "  pin: { type: revolute, between: [carrier.pin, planet] }\n"
        "  inner: { type: gear-mesh, between: [sun, planet], ratio: 1, pressure: 20 deg }\n"
        "  outer: { type: gear-mesh, between: [planet, ground], ratio: -3, pressure: 20 deg }\n",
        "forces: { drive: { type: torque, on: sun, value: 25 }, load: { type: torque, on: carrier, value: -100 } }\n",
        "initial: { s: { rate: 8 } }\nsolve: { until: 1, tolerance: 1e-10 }\n");
    double centrifugal = 0.5 * 2 * 2 * 0.2;
    assert_near(value_of(&x, "c.angle.rate"), 2, 1e-6);        /* 1 + ring / sun = 4 */
    assert_near(value_of(&x, "c.angle"), 2, 1e-6);
    assert_near(value_of(&x, "c.angle"), value_of(&x, "s.angle") / 4, 1e-12);
    assert_near(hypot(value_of(&x, "pin.reaction.force.x"), value_of(&x, "pin.reaction.force.y")),
                hypot(500, centrifugal), 1e-3);
    assert_near(hypot(value_of(&x, "s.reaction.force.x"), value_of(&x, "s.reaction.force.y")), 250 / cos(RAD(20)), 1e-3);
    assert_near(value_of(&x, "energy.error"), 0, 1e-6);
    close_run(&x);
}

/* A rack under its pinion: along the rack T / r, normal to it that times tan 20 deg, apart; weights beside that. */
static void test_rack(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        run x = run_parts(
            "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { frames: { up: { at: [0, 0.1] } } }\n"
            "  rack: { mass: 2, inertia: 0.1 }\n  pinion: { mass: 1, inertia: 0.005, position: [0, 0.1] }\n"
            "joints:\n  slide: { type: translational, between: [ground, rack] }\n"
            "  axle: { type: revolute, between: [ground.up, pinion] }\n"
            "  m: { type: rack-mesh, between: [rack, pinion], radius: 0.1, pressure: 20 deg }\n",
            side > 0 ? "forces: { tt: { type: torque, on: pinion, value: 2 }, ff: { type: force, on: rack, value: [-20, 0] } }\n"
                     : "forces: { tt: { type: torque, on: pinion, value: -2 }, ff: { type: force, on: rack, value: [20, 0] } }\n",
            "initial: { axle: { rate: 1.5 } }\nsolve: { until: 1 }\n");
        assert_near(value_of(&x, "slide.position"), 0.15, 1e-9);
        assert_near(value_of(&x, "axle.reaction.force.x"), 20 * side, 1e-9);
        assert_near(value_of(&x, "axle.reaction.force.y"), 9.81 - 20 * tan(RAD(20)), 1e-9);
        assert_near(value_of(&x, "slide.reaction.force.y"), 2 * 9.81 + 20 * tan(RAD(20)), 1e-9);
        assert_int_equal(tn_diagnostics_count(x.r.context), 0);
        close_run(&x);
    }
}

/* Friction of the slide by its reaction feels the teeth: 0.1 (19.62 + F tan 20 deg) slows the rack, where F is what turns
 * the pinion with it. */
static void test_friction(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { frames: { up: { at: [0, 0.1] } } }\n"
        "  rack: { mass: 2, inertia: 0.1 }\n  pinion: { mass: 1, inertia: 0.005, position: [0, 0.1] }\n"
        "joints:\n  slide: { type: translational, between: [ground, rack] }\n"
        "  axle: { type: revolute, between: [ground.up, pinion] }\n"
        "  m: { type: rack-mesh, between: [rack, pinion], radius: 0.1, pressure: 20 deg }\n",
        "forces: { rub: { type: friction, joint: slide, coefficient: 0.1 } }\n",
        "initial: { slide: { rate: 2 } }\nsolve: { until: 0.5 }\n");
    /* 2 a = -mu (2 g + F tan) + F0, the pinion's inertia is 0.5 kg at the rack: F = 0.5 |a|, so |a| (2.5 - 0.05 tan) = mu 2 g */
    double a = 0.1 * 2 * 9.81 / (2.5 - 0.05 * tan(RAD(20)));
    assert_near(value_of(&x, "slide.position.rate"), 2 - 0.5 * a, 1e-8);
    assert_near(value_of(&x, "slide.reaction.force.y"), 2 * 9.81 + 0.5 * a * tan(RAD(20)), 1e-8);
    close_run(&x);
}

/* Helical teeth: along the axis 100 tan b, with the moments of that force about the centres; apart 100 tan a / cos b. */
static void test_helical(void **state)
{
    (void)state;
    const double a = RAD(20), b = RAD(15);
    run x = run_parts(
        "tenon: 1\nbodies:\n  ground: { frames: { b: { at: [0.3, 0, 0] } } }\n"
        "  g1: { mass: 1, inertia: [0.01, 0.01, 0.01] }\n  g2: { mass: 4, inertia: [0.08, 0.08, 0.08], position: [0.3, 0, 0] }\n"
        "joints:\n  p1: { type: revolute, between: [ground, g1] }\n  p2: { type: revolute, between: [ground.b, g2] }\n"
        "  m: { type: gear-mesh, between: [g1, g2], ratio: 2, pressure: 20 deg, helix: 15 deg }\n",
        "forces: { t1: { type: torque, on: g1, value: [0, 0, 10] }, t2: { type: torque, on: g2, value: [0, 0, 20] } }\n",
        "initial: { p1: { rate: 3 } }\nsolve: { until: 1 }\n");
    assert_near(value_of(&x, "p1.reaction.force.x"), 100 * tan(a) / cos(b), 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.y"), 100, 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.z"), -100 * tan(b), 1e-9);     /* a right-handed gear 1 is pushed to +z */
    assert_near(value_of(&x, "p1.reaction.torque.y"), 0.1 * 100 * tan(b), 1e-9);
    assert_near(value_of(&x, "p2.reaction.torque.y"), 0.2 * 100 * tan(b), 1e-9);
    close_run(&x);
}

/* The same inside a ring, whichever gear is gear 1: a right-handed pinion of 0.1 m that is turned to the left is pushed to +z. */
static void check_helical_internal(const char *mesh)
{
    char text[900];
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  ground: { frames: { b: { at: [-0.2, 0, 0] } } }\n"
             "  g1: { mass: 1, inertia: [0.01, 0.01, 0.01] }\n  g2: { mass: 4, inertia: [0.08, 0.08, 0.08], position: [-0.2, 0, 0] }\n"
             "joints:\n  p1: { type: revolute, between: [ground, g1] }\n  p2: { type: revolute, between: [ground.b, g2] }\n"
             "  m: { type: gear-mesh, %s, pressure: 20 deg, helix: 15 deg }\n", mesh);
    run x = run_parts(text,
                      "forces: { t1: { type: torque, on: g1, value: [0, 0, 10] }, t2: { type: torque, on: g2, value: [0, 0, -30] } }\n",
                      "initial: { p1: { rate: 3 } }\nsolve: { until: 1 }\n");
    assert_near(value_of(&x, "p2.angle.rate"), 1, 1e-12);
    assert_near(value_of(&x, "p1.reaction.force.x"), 100 * tan(RAD(20)) / cos(RAD(15)), 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.y"), 100, 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.z"), -100 * tan(RAD(15)), 1e-9);
    assert_near(value_of(&x, "p1.reaction.torque.y"), 0.1 * 100 * tan(RAD(15)), 1e-9);
    close_run(&x);
}

static void test_helical_internal(void **state)
{
    (void)state;
    check_helical_internal("between: [g1, g2], ratio: -3");
    check_helical_internal("between: [g2, g1], ratio: -1/3");
}

/* Gear 2 with its own axis to -z, as a part may be drawn: the pair turns and bears as if it pointed to +z. */
static void test_opposite_axes(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\nbodies:\n  g1: { mass: 1, inertia: [0.01, 0.01, 0.01] }\n"
        "  g2: { mass: 4, inertia: [0.08, 0.08, 0.08], position: [0.3, 0, 0], rotation: { axis: x, angle: 180 deg } }\n"
        "joints:\n  p1: { type: revolute, between: [ground, g1], at: [0, 0, 0], axis: z }\n"
        "  p2: { type: revolute, between: [ground, g2], at: [0.3, 0, 0], axis: z }\n"
        "  m: { type: gear-mesh, between: [g1, g2], ratio: 2, pressure: 20 deg, helix: 15 deg }\n",
        "forces: { t1: { type: torque, on: g1, value: [0, 0, 10] }, t2: { type: torque, on: g2, value: [0, 0, 20] } }\n",
        "initial: { p1: { rate: 3 } }\nsolve: { until: 1 }\n");
    assert_near(value_of(&x, "p2.angle.rate"), -1.5, 1e-12);
    assert_near(value_of(&x, "p1.reaction.force.y"), 100, 1e-9);
    assert_near(value_of(&x, "p1.reaction.force.z"), -100 * tan(RAD(15)), 1e-9);
    assert_near(value_of(&x, "p2.reaction.force.x"), -100 * tan(RAD(20)) / cos(RAD(15)), 1e-9);
    close_run(&x);
}

/* A helical rack at either side of its pinion: a right-handed pinion that is turned to the left is pushed along its axis. */
static void test_helical_rack(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        char text[900], forces[200];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  rack: { mass: 2, inertia: [0.1, 0.1, 0.1] }\n"
                 "  pinion: { mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, %g, 0] }\n"
                 "joints:\n  slide: { type: prismatic, between: [ground, rack], at: [0, 0, 0], axis: x }\n"
                 "  pin: { type: revolute, between: [ground, pinion], at: [0, %g, 0], axis: z }\n"
                 "  m: { type: rack-mesh, between: [rack, pinion], radius: %g, pressure: 20 deg, helix: 15 deg }\n",
                 0.1 * side, 0.1 * side, 0.1 * side);
        snprintf(forces, sizeof forces,
                 "forces: { t1: { type: torque, on: pinion, value: [0, 0, 2] }, f1: { type: force, on: rack, value: [%d, 0, 0] } }\n",
                 -20 * side);
        run x = run_parts(text, forces, "solve: { until: 1 }\n");
        assert_near(value_of(&x, "rack.velocity.x"), 0, 1e-12);
        assert_near(value_of(&x, "pin.reaction.force.x"), 20 * side, 1e-9);
        assert_near(value_of(&x, "pin.reaction.force.y"), -20 * side * tan(RAD(20)) / cos(RAD(15)), 1e-9);
        assert_near(value_of(&x, "pin.reaction.force.z"), -20 * tan(RAD(15)), 1e-9);
        close_run(&x);
    }
}

/* Bevel gears with axes z and x, half angles atan 0.5 and atan 2: along the circles 100 N, normal to the cones
 * 100 tan 20 deg, of which gear 1 feels the cosine of its half angle across its axis and the sine along it. */
static void test_bevel(void **state)
{
    (void)state;
    const double normal = 100 * tan(RAD(20)), half = atan(0.5);
    for (int side = -1; side <= 1; side += 2) {
        run x = run_parts(
            "tenon: 1\nbodies:\n  g1: { mass: 1, inertia: [0.01, 0.01, 0.01] }\n  g2: { mass: 4, inertia: [0.08, 0.08, 0.08] }\n"
            "joints:\n  p1: { type: revolute, between: [ground, g1], at: [0, 0, 0], axis: z }\n"
            "  p2: { type: revolute, between: [ground, g2], at: [0, 0, 0], axis: x }\n"
            "  m: { type: bevel-mesh, between: [g1, g2], at: [0, 0, 0], axis: z, axis2: x, ratio: 2, radius: 0.1, pressure: 20 deg }\n",
            side > 0 ? "forces: { t1: { type: torque, on: g1, value: [0, 0, 10] }, t2: { type: torque, on: g2, value: [20, 0, 0] } }\n"
                     : "forces: { t1: { type: torque, on: g1, value: [0, 0, -10] }, t2: { type: torque, on: g2, value: [-20, 0, 0] } }\n",
            "initial: { p1: { rate: 2 } }\nsolve: { until: 1 }\n");
        assert_near(value_of(&x, "p2.angle.rate"), -1, 1e-12);
        assert_near(value_of(&x, "p2.angle"), -0.5 * value_of(&x, "p1.angle"), 1e-13);
        assert_near(value_of(&x, "p1.reaction.force.y"), 100 * side, 1e-8);
        assert_near(value_of(&x, "p1.reaction.force.x"), normal * cos(half), 1e-8);
        assert_near(value_of(&x, "p1.reaction.force.z"), -normal * sin(half), 1e-8);
        assert_near(value_of(&x, "p2.reaction.torque.z"), -0.1 * 100 * side, 1e-8);   /* 0.1 m beside the plane of gear 2 */
        close_run(&x);
    }
}

/* A worm of 20 mm with a lead of 12.57 mm (tan g = 0.1) and a wheel 0.1 m in radius: 50 to 1. 10 N m on the wheel hold
 * against 0.2 N m on the worm; along the worm 100 N, across 10 N, apart 100 tan 20 deg / cos g; the lever of the force along
 * the worm is 20 mm. */
static void test_worm(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        run x = run_parts(
            "tenon: 1\nbodies:\n  worm: { mass: 1, inertia: [0.01, 0.01, 0.01], frames: { m: { at: [0, 0, 0] } } }\n"
            "  wheel: { mass: 4, inertia: [0.08, 0.08, 0.08], position: [0, 0.12, 0], frames: { m: { at: [0, 0, 0], axis: [1, 0, 0] } } }\n"
            "joints:\n  p1: { type: revolute, between: [ground, worm], at: [0, 0, 0], axis: z }\n"
            "  p2: { type: revolute, between: [ground, wheel], at: [0, 0.12, 0], axis: x }\n"
            "  m: { type: worm-mesh, between: [worm.m, wheel.m], radius: 0.02, ratio: 50, pressure: 20 deg }\n",
            side > 0 ? "forces: { t1: { type: torque, on: worm, value: [0, 0, -0.2] }, t2: { type: torque, on: wheel, value: [10, 0, 0] } }\n"
                     : "forces: { t1: { type: torque, on: worm, value: [0, 0, 0.2] }, t2: { type: torque, on: wheel, value: [-10, 0, 0] } }\n",
            "initial: { p1: { rate: 50 } }\nsolve: { until: 0.2 }\n");
        assert_near(value_of(&x, "p1.angle.rate"), 50, 1e-8);
        assert_near(value_of(&x, "p2.angle.rate"), 1, 1e-9);
        assert_near(value_of(&x, "p2.angle"), value_of(&x, "p1.angle") / 50, 1e-13);
        assert_near(value_of(&x, "p1.reaction.force.z"), 100 * side, 1e-7);
        assert_near(value_of(&x, "p1.reaction.force.x"), 10 * side, 1e-7);
        assert_near(value_of(&x, "p1.reaction.force.y"), 100 * tan(RAD(20)) * hypot(1, 0.1), 1e-7);
        assert_near(value_of(&x, "p1.reaction.torque.x"), 0.02 * 100 * side, 1e-7);
        assert_near(value_of(&x, "p2.reaction.torque.z"), -0.1 * 10 * side, 1e-7);
        close_run(&x);
    }
}

/* The same bearing forces by every kind of solution. */
static void test_ways(void **state)
{
    static const char *const ways[] = {
        "solver: hierarchical", "solver: augmented", "solver: uzawa", "integrator: ida", "integrator: cvode", "integrator: newmark, step: 1 ms",
        "scheme: baumgarte, integrator: rk4, step: 1 ms", "integrator: generalized-alpha, step: 1 ms",
    };
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(ways); k++) {
        char solve[200];
        snprintf(solve, sizeof solve, "solve: { until: 0.3, %s }\n", ways[k]);
        run x = run_parts(PAIR_2D("0.3") "  m: { type: gear-mesh, between: [g1, g2], ratio: 2, pressure: 20 deg }\n",
                          "forces: { t1: { type: torque, on: g1, value: -30 } }\n", solve);
        assert_near(value_of(&x, "p1.reaction.force.y"), -200, 1e-4);
        assert_near(value_of(&x, "p1.reaction.force.x"), 200 * tan(RAD(20)), 1e-4);
        close_run(&x);
    }
}

/* Axes that cannot mesh are an error that names the mesh. */
static void test_conditions(void **state)
{
    static const struct {
        const char *axis, *centre, *mesh, *message;
    } cases[] = {
        { "x", "[0.3, 0, 0]", "gear-mesh, ratio: 2", "joint 'm': its axes are not parallel" },
        { "z", "[0, 0, 0.1]", "gear-mesh, ratio: 2", "joint 'm': the centres of its gears coincide: give frames on the two axes" },
        { "x", "[0, 0.3, 0]", "bevel-mesh, ratio: 2, radius: 0.1",
          "joint 'm': the axes of its gears do not meet in the origins of its frames" },
        { "z", "[0, 0.3, 0]", "worm-mesh, ratio: 2, radius: 0.1", "joint 'm': the axes of worm and wheel are not perpendicular" },
        { "x", "[0, 0.05, 0]", "worm-mesh, ratio: 2, radius: 0.1",
          "joint 'm': the wheel has no radius: its axis is as near as the pitch radius of the worm" },
    };
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(cases); k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  g1: { mass: 1, inertia: [1, 1, 1], frames: { m: { at: [0, 0, 0] } } }\n"
                 "  g2: { mass: 1, inertia: [1, 1, 1], position: %s, frames: { m: { at: [0, 0, 0], axis: %s } } }\n"
                 "joints:\n  p1: { type: revolute, between: [ground, g1], at: [0, 0, 0] }\n"
                 "  p2: { type: revolute, between: [ground, g2], at: %s, axis: %s }\n"
                 "  m: { type: %s, between: [g1.m, g2.m] }\n",
                 cases[k].centre, cases[k].axis, cases[k].centre, cases[k].axis, cases[k].mesh);
        reading r = accepted(text);
        tn_session *s = NULL;
        assert_int_equal(tn_session_open(&s, r.model, NULL), TN_ERROR_ASSEMBLY);
        must_say(&r, cases[k].message);
        done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external), cmocka_unit_test(test_reversal), cmocka_unit_test(test_internal),
        cmocka_unit_test(test_planetary), cmocka_unit_test(test_rack),    cmocka_unit_test(test_friction),
        cmocka_unit_test(test_helical),  cmocka_unit_test(test_helical_internal), cmocka_unit_test(test_opposite_axes),
        cmocka_unit_test(test_helical_rack), cmocka_unit_test(test_bevel), cmocka_unit_test(test_worm),
        cmocka_unit_test(test_ways),     cmocka_unit_test(test_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
