/* The models of "tenon generate". Files are in normal form and numbers in them are short, so that people can read them
 * and change them. */
#include "generated.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* ---- entities, in one line or, where that would be too long, a line a key ---- */

enum { MAX_FIELDS = 8, FIELD_SIZE = 160, LINE = 120 };

typedef struct entry {
    int count;
    char name[48], fields[MAX_FIELDS][FIELD_SIZE];
} entry;

__attribute__((format(printf, 1, 2))) static entry named(const char *format, ...)
{
    entry e = { 0 };
    va_list list;
    va_start(list, format);
    vsnprintf(e.name, sizeof e.name, format, list);
    va_end(list);
    return e;
}

__attribute__((format(printf, 2, 3))) static void field(entry *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(e->fields[e->count++], FIELD_SIZE, format, list);
    va_end(list);
}

static void write_entry(FILE *out, const entry *e)
{
    size_t length = strlen(e->name) + strlen("  : {  }");
    for (int k = 0; k < e->count; k++)
        length += strlen(e->fields[k]) + (k > 0 ? strlen(", ") : 0);
    bool line = length <= LINE;
    fprintf(out, line ? "  %s: { " : "  %s:\n", e->name);
    for (int k = 0; k < e->count; k++)
        fprintf(out, line ? "%s%s" : "%s    %s\n", line && k > 0 ? ", " : "", e->fields[k]);
    if (line)
        fputs(" }\n", out);
}

static void write_head(FILE *out, const char *what, int size, const char *parts, int dimension, const char *gravity)
{
    fprintf(out, "# Written by tenon generate.\ntenon: 1\nname: %s of %d %s\n", what, size, parts);
    if (dimension == 2)
        fprintf(out, "dimension: 2\n");
    fprintf(out, "gravity: %s\n\n", gravity);
}

static void write_tail(FILE *out, const char *body)
{
    fprintf(out, "\noutputs: [%s.position, energy.total, drift.max]\n", body);
    fprintf(out, "solve: { until: 1 s, step: 1 ms, integrator: rk4, record: 10 ms }\n");
}

static const char *down_y(int dimension)
{
    return dimension == 2 ? "[0, -9.81]" : "[0, -9.81, 0]";
}

/* ", 0" where there is a third coordinate. */
static const char *flat(int dimension)
{
    return dimension == 2 ? "" : ", 0";
}

/* ---- bars: 1 m x 0.1 m x 0.1 m and 1 kg along x, the origin at one end ---- */

/* angle: in the plane, deg. */
static void write_bar(FILE *out, int index, int dimension, double x, double y, double angle)
{
    entry e = named("bar%d", index);
    field(&e, "mass: 1");
    field(&e, "com: [0.5, 0%s]", flat(dimension));
    field(&e, "inertia: %s", dimension == 2 ? "1.01 / 12" : "[1 / 600, 1.01 / 12, 1.01 / 12]");
    field(&e, "position: [%.10g, %.10g%s]", x, y, flat(dimension));
    if (angle != 0 && dimension == 2)
        field(&e, "angle: %.10g deg", angle);
    else if (angle != 0)
        field(&e, "rotation: { axis: z, angle: %.10g deg }", angle);
    write_entry(out, &e);
}

/* The hinge it hangs on; before < 0: on ground. In space in turn about z and y. */
static void write_hinge(FILE *out, int index, int before, int dimension, double x, double y)
{
    entry e = named("hinge%d", index);
    field(&e, "type: revolute");
    if (before < 0)
        field(&e, "between: [ground, bar%d]", index);
    else
        field(&e, "between: [bar%d, bar%d]", before, index);
    field(&e, "at: [%.10g, %.10g%s]", x, y, flat(dimension));
    if (dimension == 3)
        field(&e, "axis: %c", index % 2 ? 'y' : 'z');
    write_entry(out, &e);
}

static void write_chain(FILE *out, int size, int dimension)
{
    write_head(out, "Chain", size, "links", dimension, down_y(dimension));
    fputs("bodies:\n", out);
    for (int i = 0; i < size; i++)
        write_bar(out, i, dimension, i, 0, 0);
    fputs("\njoints:\n", out);
    for (int i = 0; i < size; i++)
        write_hinge(out, i, i - 1, dimension, i, 0);
    write_tail(out, "bar0");
}

/* In a tree bar i hangs on the end of bar (i - 1) / 2; the two at an end go either way. deg. */
static double tree_angle(int i)
{
    static const double SPREAD = 30;
    return i == 0 ? 0 : i % 2 ? SPREAD : -SPREAD;
}

static void tree_start(int i, double *x, double *y)
{
    static const double RADIANS = 0.017453292519943295;
    *x = *y = 0;
    while (i > 0) {
        i = (i - 1) / 2;
        *x += cos(tree_angle(i) * RADIANS);
        *y += sin(tree_angle(i) * RADIANS);
    }
}

static void write_tree(FILE *out, int size, int dimension)
{
    double x, y;
    write_head(out, "Binary tree", size, "links", dimension, down_y(dimension));
    fputs("bodies:\n", out);
    for (int i = 0; i < size; i++) {
        tree_start(i, &x, &y);
        write_bar(out, i, dimension, x, y, tree_angle(i));
    }
    fputs("\njoints:\n", out);
    for (int i = 0; i < size; i++) {
        tree_start(i, &x, &y);
        write_hinge(out, i, i == 0 ? -1 : (i - 1) / 2, dimension, x, y);
    }
    write_tail(out, "bar0");
}

/* ---- ladder: cranks on the ground, bars from one to the next ---- */

static void write_crank(FILE *out, int index, int dimension)
{
    entry e = named("crank%d", index);
    field(&e, "mass: 1");
    field(&e, "com: [0, 0.5%s]", flat(dimension));
    field(&e, "inertia: %s", dimension == 2 ? "1 / 12" : "[1 / 12, 0.001, 1 / 12]");
    field(&e, "position: [%d, 0%s]", index, flat(dimension));
    field(&e, "angular_velocity: %s", dimension == 2 ? "-1" : "[0, 0, -1]");
    write_entry(out, &e);
}

static void write_rung(FILE *out, int index, int dimension)
{
    entry e = named("bar%d", index);
    field(&e, "mass: 1");
    field(&e, "com: [0.5, 0%s]", flat(dimension));
    field(&e, "inertia: %s", dimension == 2 ? "1 / 12" : "[0.001, 1 / 12, 1 / 12]");
    field(&e, "position: [%d, 1%s]", index, flat(dimension));
    field(&e, "velocity: [1, 0%s]", flat(dimension));
    write_entry(out, &e);
}

/* At crank index, between ground or a bar and the crank. */
static void write_ladder_pin(FILE *out, const char *name, int index, int bar, int dimension)
{
    entry e = named("%s%d", name, index);
    field(&e, "type: revolute");
    if (bar < 0)
        field(&e, "between: [ground, crank%d]", index);
    else
        field(&e, "between: [crank%d, bar%d]", index, bar);
    field(&e, "at: [%d, %d%s]", index, bar >= 0, flat(dimension));
    if (dimension == 3)
        field(&e, "axis: z");
    write_entry(out, &e);
}

static void write_ladder(FILE *out, int size, int dimension)
{
    write_head(out, "Ladder", size, "four-bars", dimension, down_y(dimension));
    fputs("bodies:\n", out);
    for (int i = 0; i <= size; i++)
        write_crank(out, i, dimension);
    for (int i = 0; i < size; i++)
        write_rung(out, i, dimension);
    fputs("\njoints:\n", out);
    for (int i = 0; i <= size; i++) {
        write_ladder_pin(out, "foot", i, -1, dimension);
        if (i > 0)
            write_ladder_pin(out, "left", i, i - 1, dimension);
        if (i < size)
            write_ladder_pin(out, "right", i, i, dimension);
    }
    write_tail(out, "bar0");
}

/* ---- fleet: cars with four MacPherson struts ----
 * Chassis and, at each corner, control arm, knuckle, strut rod and wheel; steering blocked. At rest all springs balance
 * the weight; the cars start with an upward speed and bounce. */

typedef struct corner {
    const char *name;
    double x;                  /* of the wheel, from the chassis' middle; m */
    int side;                  /* 1: left, y > 0 */
    double tyre_rise;          /* m above the wheel's centre: where the tyre would carry nothing */
    const char *axle;          /* prefix of its parameters */
} corner;

static const corner corners[] = {
    { "fl", 1.25, 1, 0.01690055481, "front" },
    { "fr", 1.25, -1, 0.01690055481, "front" },
    { "rl", -1.35, 1, 0.01581579519, "rear" },
    { "rr", -1.35, -1, 0.01581579519, "rear" },
};
enum { CORNERS = sizeof corners / sizeof corners[0] };
static const double CAR_LENGTH = 6;        /* m from one to the next */

static entry car_body(int car, const corner *c, const char *name, double mass, const char *inertia, double y, double z)
{
    entry e = named("car%d_%s_%s", car, c->name, name);
    field(&e, "mass: %.10g", mass);
    field(&e, "inertia: %s", inertia);
    field(&e, "position: [%.10g, %.10g, %.10g]", CAR_LENGTH * car + c->x, c->side * y, z);
    field(&e, "velocity: [0, 0, 0.1]");
    return e;
}

static void write_corner_bodies(FILE *out, int car, const corner *c)
{
    entry arm = car_body(car, c, "arm", 6, "[0.075, 0.012, 0.082]", 0.525, 0.21);
    entry knuckle = car_body(car, c, "knuckle", 16, "[0.28, 0.26, 0.12]", 0.69, 0.33);
    entry strut = car_body(car, c, "strut", 4, "[0.045, 0.045, 0.003]", 0.6037, 0.7019);
    entry wheel = car_body(car, c, "wheel", 20, "[0.55, 0.95, 0.55]", 0.75, 0.3);
    field(&knuckle, "frames: { hub: { at: [0, %.10g, -0.03] }, foot: { at: [0, %.10g, 0.02] } }", c->side * 0.06,
          c->side * -0.03);
    write_entry(out, &arm);
    write_entry(out, &knuckle);
    write_entry(out, &strut);
    write_entry(out, &wheel);
}

static void write_car_bodies(FILE *out, int car)
{
    fprintf(out, "  car%d_chassis:\n    mass: 1150\n    inertia: [420, 1600, 1750]\n    position: [%.10g, 0, 0.55]\n"
                 "    velocity: [0, 0, 0.1]\n    frames:\n", car, CAR_LENGTH * car);
    for (int k = 0; k < CORNERS; k++)
        fprintf(out, "      %s: { at: [%.10g, %.10g, 0.3] }\n", corners[k].name, corners[k].x, corners[k].side * 0.58);
    for (int k = 0; k < CORNERS; k++)
        write_corner_bodies(out, car, &corners[k]);
}

/* Where the tyres stand. */
static void write_ground(FILE *out, int cars)
{
    fputs("  ground:\n    frames:\n", out);
    for (int car = 0; car < cars; car++)
        for (int k = 0; k < CORNERS; k++)
            fprintf(out, "      car%d_%s: { at: [%.10g, %.10g, %.10g] }\n", car, corners[k].name,
                    CAR_LENGTH * car + corners[k].x, corners[k].side * 0.75, 0.3 + corners[k].tyre_rise);
}

/* Between the bodies one and two of a corner; one "": the chassis. */
static entry car_joint(int car, const corner *c, const char *name, const char *type, const char *one, const char *two,
                       double y, double z)
{
    entry e = named("car%d_%s_%s", car, c->name, name);
    field(&e, "type: %s", type);
    if (*one)
        field(&e, "between: [car%d_%s_%s, car%d_%s_%s]", car, c->name, one, car, c->name, two);
    else
        field(&e, "between: [car%d_chassis, car%d_%s_%s]", car, car, c->name, two);
    field(&e, "at: [%.10g, %.10g, %.10g]", CAR_LENGTH * car + c->x, c->side * y, z);
    return e;
}

static void write_corner_joints(FILE *out, int car, const corner *c)
{
    entry bearing = car_joint(car, c, "bearing", "revolute", "knuckle", "wheel", 0.75, 0.3);
    entry damper = car_joint(car, c, "damper", "prismatic", "knuckle", "strut", 0.66, 0.35);
    entry pivot = car_joint(car, c, "pivot", "revolute", "", "arm", 0.35, 0.22);
    entry ball = car_joint(car, c, "ball", "spherical", "arm", "knuckle", 0.7, 0.2);
    entry mount = car_joint(car, c, "mount", "universal", "", "strut", 0.58, 0.85);
    field(&bearing, "axis: y");
    field(&damper, "axis: [0, %d, 50]", c->side * -8);
    field(&pivot, "axis: x");
    field(&mount, "axis: x");
    field(&mount, "axis2: [0, 50, %d]", c->side * 8);
    write_entry(out, &bearing);
    write_entry(out, &damper);
    write_entry(out, &pivot);
    write_entry(out, &ball);
    write_entry(out, &mount);
}

static void write_corner_forces(FILE *out, int car, const corner *c)
{
    entry spring = named("car%d_%s_spring", car, c->name), tyre = named("car%d_%s_tyre", car, c->name);
    field(&spring, "type: spring");
    field(&spring, "between: [car%d_chassis.%s, car%d_%s_knuckle.foot]", car, c->name, car, c->name);
    field(&spring, "stiffness: %s_stiffness", c->axle);
    field(&spring, "length: %s_length", c->axle);
    field(&spring, "damping: %s_damping", c->axle);
    field(&tyre, "type: bushing");
    field(&tyre, "between: [ground.car%d_%s, car%d_%s_knuckle.hub]", car, c->name, car, c->name);
    field(&tyre, "stiffness: [60 kN/m, 60 kN/m, 200 kN/m, 0, 0, 0]");
    field(&tyre, "damping: [1500 N s/m, 1500 N s/m, 300 N s/m, 0, 0, 0]");
    write_entry(out, &spring);
    write_entry(out, &tyre);
}

static void write_fleet(FILE *out, int size, int dimension)
{
    write_head(out, "Fleet", size, size == 1 ? "car" : "cars", dimension, "[0, 0, -9.81]");
    fputs("parameters:\n"
          "  front_stiffness: 26 kN/m\n  front_length: 0.6268626826 m\n  front_damping: 1900 N s/m\n"
          "  rear_stiffness: 24 kN/m\n  rear_length: 0.6274661482 m\n  rear_damping: 1800 N s/m\n\nbodies:\n", out);
    write_ground(out, size);
    for (int car = 0; car < size; car++)
        write_car_bodies(out, car);
    fputs("\njoints:\n", out);
    for (int car = 0; car < size; car++)
        for (int k = 0; k < CORNERS; k++)
            write_corner_joints(out, car, &corners[k]);
    fputs("\nforces:\n", out);
    for (int car = 0; car < size; car++)
        for (int k = 0; k < CORNERS; k++)
            write_corner_forces(out, car, &corners[k]);
    write_tail(out, "car0_chassis");
}

const tn_generated tn_generated_kinds[] = {
    { "chain", "links", 1, 1 << 2 | 1 << 3, write_chain },
    { "tree", "links", 1, 1 << 2 | 1 << 3, write_tree },
    { "ladder", "four-bars", 3, 1 << 2 | 1 << 3, write_ladder },
    { "fleet", "cars", 1 + 4 * CORNERS, 1 << 3, write_fleet },
    { NULL, NULL, 0, 0, NULL },
};
