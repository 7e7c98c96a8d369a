/* Libraries that show bodies and rows: models with them move as with the files they were made of and as with libraries
 * that show D, with every solver; ranks and reactions are the same; runs go on to the bit. */
#include "live_runs.h"
#include "session_impl.h"
#include "tenon/compile.h"
#include <math.h>
#include <unistd.h>
#include "coupling_impl.h"

static const char *const solvers[] = { "direct", "augmented", "uzawa", "hierarchical" };
enum { TEXT = 6000, PATH = 200 };

/* A folder with part.yaml and what it was compiled to at both levels. */
typedef struct shelf {
    char folder[PATH], file[PATH + 20], condensed[PATH + 20], open[PATH + 20];
} shelf;

static void write_part(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void compile(const char *from, const char *to, tn_disclosure level)
{
    tn_context *context = tn_context_create(NULL);
    const tn_compile_options options = { .shell = TENON_SHELL, .disclose = level };
    int code = tn_compile(context, from, to, &options);
    if (code < 0)
        tn_diagnostics_print(context, stderr);
    assert_int_equal(code, TN_OK);
    tn_context_destroy(context);
}

static shelf shelve(const char *part)
{
    shelf s;
    temporary_folder(s.folder, sizeof s.folder);
    snprintf(s.file, sizeof s.file, "%s/part.yaml", s.folder);
    snprintf(s.condensed, sizeof s.condensed, "%s/condensed.so", s.folder);
    snprintf(s.open, sizeof s.open, "%s/open.so", s.folder);
    write_part(s.file, part);
    compile(s.file, s.condensed, TN_DISCLOSE_CONDENSED);
    compile(s.file, s.open, TN_DISCLOSE_OPEN);
    return s;
}

static void clear(const shelf *s)
{
    unlink(s->file);
    unlink(s->condensed);
    unlink(s->open);
    rmdir(s->folder);
}

/* The model with these in place of ONE and TWO. */
static machine model_with(const char *model, const char *one, const char *two)
{
    char text[TEXT];
    size_t used = 0;
    for (const char *c = model; *c;) {
        const char *path = strncmp(c, "ONE", 3) == 0 ? one : strncmp(c, "TWO", 3) == 0 ? two : NULL;
        if (path)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", path);
        else
            text[used++] = *c;
        c += path ? 3 : 1;
        assert_true(used + PATH < sizeof text);
    }
    text[used] = '\0';
    return machine_text(text);
}

/* ---- the same motion ---- */

typedef struct subject {
    const char *part, *model;
    const char *channels[6];
    double step, until;
    double augmented, uzawa;       /* how near these solvers come; 0: not at all */
    int hidden;                    /* rows that each eliminates by itself */
} subject;

static void compare(const machine *a, const machine *b, const char *solver, const char *const *channels,
                    double tolerance)
{
    for (; *channels; channels++) {
        const double scale = strstr(*channels, "reaction") ? 1e2 : 1;
        const double x = value(a, *channels), y = value(b, *channels);
        if (!(fabs(x - y) <= tolerance * scale * fmax(1, fabs(x))))
            fail_msg("%s, %s: %.17g and %.17g", solver, *channels, x, y);
    }
}

static double tolerance_of(const subject *s, const char *solver)
{
    return strcmp(solver, "uzawa") == 0 ? s->uzawa : strcmp(solver, "augmented") == 0 ? s->augmented : 1e-12;
}

/* slack: of round-off, where D is condensed on both sides of joints. */
static void check_variant(const subject *s, const char *solver, const char *from, const char *one, const char *two,
                          double slack)
{
    machine file = model_with(s->model, from, from), component = model_with(s->model, one, two);
    tn_solve solve = fixed_steps("rk4", s->step, s->until * SHARE_OF_MOTION);
    solve.solver = solver;
    tn_summary a = machine_run(&file, solve), b = machine_run(&component, solve);
    compare(&file, &component, solver, s->channels, slack * tolerance_of(s, solver));
    assert_int_equal(a.rank_min, b.rank_min);
    assert_int_equal(a.rank_max, b.rank_max);
    assert_true(b.max_drift < 1e-12);
    if (tolerance_of(s, solver) < 1e-9)
        if (!(b.energy_error < 3 * a.energy_error + 1e-9 * (1 + fabs(b.energy_start))))
            fail_msg("%s: energy error %g J, and %g J", solver, a.energy_error, b.energy_error);
    machine_close(&file);
    machine_close(&component);
}

static void check_counts(const subject *s, const char *from, const char *to)
{
    machine file = model_with(s->model, from, from), component = model_with(s->model, to, to);
    tn_report *a, *b;
    machine_start(&file, fixed_steps("rk4", s->step, s->until));
    machine_start(&component, fixed_steps("rk4", s->step, s->until));
    machine_must(&file, tn_session_report(&a, file.session));
    machine_must(&component, tn_session_report(&b, component.session));
    assert_int_equal(a->equations, b->equations);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->freedoms, b->freedoms);
    for (int k = 0; k < component.session->system->component_count; k++)
        assert_int_equal(component.session->coupling->items[k].shown.inside.hidden_rows, s->hidden);
    tn_report_destroy(file.context, a);
    tn_report_destroy(component.context, b);
    machine_close(&file);
    machine_close(&component);
}

static void check_subject(const subject *s)
{
    const shelf files = shelve(s->part);
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        if (tolerance_of(s, solvers[k]) == 0)
            continue;
        check_variant(s, solvers[k], files.file, files.open, files.open, 1);
        check_variant(s, solvers[k], files.file, files.open, files.file, 1);
        if (s->hidden > 0)                             /* those that show D have nothing to do with that */
            continue;
        check_variant(s, solvers[k], files.file, files.open, files.condensed, 1);
        check_variant(s, solvers[k], files.condensed, files.open, files.open, 10);
    }
    check_counts(s, files.file, files.open);
    clear(&files);
}

/* Two ports on one body, a slider inside, a hinge that is there twice; two of them joined to each other, to ground, and
 * to plain bodies, by pins and by other joints; forces between ports, ground and plain bodies. */
static void test_space(void **state)
{
    (void)state;
    check_subject(&(subject){
        .part =
            "tenon: 1\n"
            "bodies:\n"
            "  beam: { mass: 2, com: [0.5, 0.05, 0], inertia: [0.1, 0.3, 0.35],\n"
            "          frames: { left: { at: [0, 0, 0] }, right: { at: [1, 0, 0] } } }\n"
            "  weight: { mass: 0.7, inertia: [0.02, 0.01, 0.03], position: [0.4, 0.2, 0] }\n"
            "  flap: { mass: 0.4, com: [0.1, -0.1, 0], inertia: [0.01, 0.02, 0.01], position: [0.6, 0, 0.1] }\n"
            "joints:\n"
            "  rail: { type: prismatic, between: [beam, weight], at: [0.4, 0.2, 0], axis: x }\n"
            "  hinge: { type: revolute, between: [beam, flap], at: [0.6, 0, 0.1], axis: z }\n"
            "  again: { type: revolute, between: [beam, flap], at: [0.6, 0, 0.3], axis: z }\n"
            "forces:\n"
            "  coil: { type: spring, between: [beam.left, weight], stiffness: 300, length: 0.4, damping: 2 }\n"
            "ports: { left: beam.left, right: beam.right, flap: flap }\n",
        .model =
            "tenon: 1\ngravity: [0, -9.81, 0]\n"
            "bodies:\n"
            "  drop: { mass: 1, inertia: [0.02, 0.02, 0.02], position: [2, -0.5, 0] }\n"
            "  disc: { mass: 0.8, inertia: [0.01, 0.02, 0.03], position: [0.6, -0.3, 0.1] }\n"
            "subsystems:\n"
            "  a: { use: ONE }\n"
            "  b: { use: TWO, at: [1, 0, 0], rotation: { axis: x, angle: 20 deg } }\n"
            "joints:\n"
            "  base: { type: revolute, between: [ground, a.left], at: [0, 0, 0], axis: [0.1, 0, 1] }\n"
            "  middle: { type: spherical, between: [a.right, b.left] }\n"
            "  end: { type: spherical, between: [b.right, drop], at: [2, 0, 0] }\n"
            "  ride: { type: universal, between: [a.flap, disc], at: [0.6, -0.3, 0.1], axis: z, axis2: x }\n"
            "forces:\n"
            "  cord: { type: spring, between: [a.flap, b.flap], stiffness: 80, length: 0.9, damping: 1 }\n"
            "  stay: { type: spring, between: [ground, b.right], stiffness: 40, length: 1.8 }\n"
            "  twist: { type: torque, on: b.flap, value: [0.2, 0.1, 0.5] }\n"
            "  lift: { type: spring, between: [a.flap, disc], stiffness: 100, length: 0.3 }\n",
        .channels = { "drop.position.x", "drop.velocity.y", "disc.angular_velocity.y", "end.reaction.force.y",
                      "base.reaction.force.x" },
        .step = 1e-3, .until = 0.3, .augmented = 1e-6, .uzawa = 1e-6 });
}

/* A loop closed inside, one that is closed through two ports of one body, and a joint between two components. */
static void test_plane(void **state)
{
    (void)state;
    check_subject(&(subject){
        .part =
            "tenon: 1\ndimension: 2\n"
            "bodies:\n"
            "  frame: { mass: 3, com: [0.5, 0], inertia: 0.5,\n"
            "           frames: { left: { at: [0, 0] }, right: { at: [1, 0] } } }\n"
            "  crank: { mass: 1, com: [0.1, 0], inertia: 0.02, position: [0.2, 0.1], angle: 90 deg,\n"
            "           angular_velocity: 4, guess: yes }\n"
            "  rod: { mass: 1.2, com: [0.2, 0], inertia: 0.03, position: [0.2, 0.3] }\n"
            "  rocker: { mass: 1, com: [0.1, 0], inertia: 0.02, position: [0.6, 0.1], angle: 90 deg }\n"
            "joints:\n"
            "  one: { type: revolute, between: [frame, crank], at: [0.2, 0.1] }\n"
            "  two: { type: revolute, between: [crank, rod], at: [0.2, 0.3] }\n"
            "  three: { type: revolute, between: [rod, rocker], at: [0.6, 0.3] }\n"
            "  four: { type: revolute, between: [rocker, frame], at: [0.6, 0.1] }\n"
            "ports: { left: frame.left, right: frame.right, rod: rod }\n",
        .model =
            "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "bodies:\n"
            "  strut: { mass: 1, inertia: 0.1, com: [0.5, 0.2], position: [0, -0.5] }\n"
            "  slide: { mass: 0.5, inertia: 0.05, position: [2, 0] }\n"
            "subsystems:\n"
            "  a: { use: ONE }\n"
            "  b: { use: TWO, at: [1, 0] }\n"
            "joints:\n"
            "  hold: { type: revolute, between: [ground, a.left], at: [0, 0] }\n"
            "  under: { type: translational, between: [a.left, strut], at: [0, 0], axis: x }\n"
            "  beside: { type: translational, between: [a.right, strut], at: [1, 0], axis: x }\n"
            "  link: { type: revolute, between: [a.right, b.left] }\n"
            "  tail: { type: translational, between: [b.right, slide], at: [2, 0], axis: x }\n"
            "forces:\n"
            "  cord: { type: spring, between: [a.rod, b.rod], stiffness: 50, length: 0.8 }\n"
            "  stop: { type: spring, between: [b.right, slide], stiffness: 200, length: 0, damping: 1 }\n"
            "  prop: { type: spring, between: [strut, a.rod], stiffness: 100, length: 0.6, damping: 1 }\n",
        .channels = { "strut.position.y", "strut.angle", "slide.position.x", "slide.angular_velocity",
                      "hold.reaction.force.x" },
        .step = 1e-3, .until = 0.4, .augmented = 1e-9, .uzawa = 1e-6 });
}

static const char guided_plane[] =
    "tenon: 1\ndimension: 2\n"
    "bodies:\n"
    "  rod: { mass: 1.2, inertia: 0.1, position: [0.3, 0.2], frames: { mid: { at: [0.1, 0.05] } } }\n"
    "  across: { mass: 0.5, inertia: 0.02, com: [0.01, 0.02], position: [0.6, 0] }\n"
    "  up: { mass: 0.7, inertia: 0.03, com: [-0.02, 0.01], position: [0, 0.4] }\n"
    "  crank: { mass: 1, inertia: 0.02, com: [0.1, 0.03], position: [1, 0], angular_velocity: 20 }\n"
    "  link: { mass: 0.8, inertia: 0.02, com: [0.2, 0], position: [1.2, 0], velocity: [0, 4],\n"
    "          frames: { end: { at: [0.4, 0.1] } } }\n"
    "joints:\n"
    "  rail: { type: translational, between: [ground, across], at: [0.6, 0], axis: x }\n"
    "  post: { type: translational, between: [ground, up], at: [0, 0.4], axis: y }\n"
    "  right: { type: revolute, between: [across, rod], at: [0.6, 0] }\n"
    "  left: { type: revolute, between: [rod, up], at: [0, 0.4] }\n"
    "  shaft: { type: revolute, between: [ground, crank], at: [1, 0] }\n"
    "  elbow: { type: revolute, between: [crank, link], at: [1.2, 0] }\n"
    "forces: { coil: { type: spring, between: [up, link], stiffness: 30, length: 1, damping: 0.2 } }\n"
    "ports: { mid: rod.mid, end: link.end }\n";

static const char guided_plane_model[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  plumb: { mass: 0.6, inertia: 0.02, com: [0, -0.1], position: [0.4, 0.25] }\n"
    "  one: { mass: 1, inertia: 0.03, position: [1.6, 0.1], velocity: [0, 4] }\n"
    "  two: { mass: 2, inertia: 0.05, position: [3.6, 0.1], velocity: [0, 4] }\n"
    "subsystems:\n  a: { use: ONE }\n  b: { use: TWO, at: [2, 0] }\n"
    "joints:\n"
    "  hang: { type: revolute, between: [a.mid, plumb] }\n"
    "  first: { type: revolute, between: [a.end, one] }\n"
    "  second: { type: revolute, between: [b.end, two] }\n"
    "forces: { cord: { type: spring, between: [b.mid, plumb], stiffness: 40, length: 1.5, damping: 0.5 } }\n";

static const char guided_space[] =
    "tenon: 1\n"
    "bodies:\n"
    "  piston: { mass: 1, inertia: [0.01, 0.02, 0.03], com: [0.02, 0.01, 0.05], position: [0, 0, 0.5] }\n"
    "  rod: { mass: 0.8, inertia: [0.02, 0.02, 0.005], position: [0, 0.15, 0.25],\n"
    "         frames: { big_end: { at: [0, 0.15, -0.25] } } }\n"
    "  valve: { mass: 0.6, inertia: [0.01, 0.01, 0.02], com: [0, 0.03, 0], position: [0.8, 0, 0] }\n"
    "  stick: { mass: 0.5, inertia: [0.02, 0.02, 0.002], position: [0.8, 0, -0.25],\n"
    "           frames: { tip: { at: [0, 0, -0.25] } } }\n"
    "  crank: { mass: 1, inertia: [0.01, 0.02, 0.01], com: [0.1, 0.02, 0.01], position: [1.5, 0, 0],\n"
    "           angular_velocity: [0, 15, 0] }\n"
    "  coupler: { mass: 0.7, inertia: [0.005, 0.02, 0.02], com: [0.15, 0, 0], position: [1.7, 0, 0],\n"
    "             velocity: [0, 0, -3], frames: { end: { at: [0.3, 0, 0] } } }\n"
    "  spinner: { mass: 0.4, inertia: [0.01, 0.01, 0.01], com: [0.02, 0, 0], position: [3, 0, 0] }\n"
    "  arm: { mass: 0.4, inertia: [0.002, 0.01, 0.01], com: [0.1, 0, 0], position: [3, 0, 0.2],\n"
    "         frames: { flag: { at: [0.2, 0, 0] } } }\n"
    "joints:\n"
    "  cylinder: { type: cylindrical, between: [ground, piston], at: [0, 0, 0.5], axis: z }\n"
    "  pin: { type: revolute, between: [piston, rod], at: [0, 0, 0.5], axis: x }\n"
    "  chest: { type: prismatic, between: [valve, ground], at: [0.8, 0, 0], axis: x }\n"
    "  ball: { type: spherical, between: [stick, valve], at: [0.8, 0, 0] }\n"
    "  shaft: { type: revolute, between: [ground, crank], at: [1.5, 0, 0], axis: y }\n"
    "  elbow: { type: revolute, between: [crank, coupler], at: [1.7, 0, 0], axis: y }\n"
    "  sleeve: { type: cylindrical, between: [ground, spinner], at: [3, 0, 0], axis: z }\n"
    "  swivel: { type: revolute, between: [spinner, arm], at: [3, 0, 0.2], axis: z }\n"
    "forces:\n"
    "  coil: { type: spring, between: [ground, valve], stiffness: 50, length: 0.5, damping: 0.5 }\n"
    "  hold: { type: spring, between: [ground, spinner], stiffness: 60, length: 2.9, damping: 0.5 }\n"
    "ports: { big_end: rod.big_end, tip: stick.tip, end: coupler.end, flag: arm.flag }\n";

/* Bodies on ground that are eliminated before the solver sees the rest: two sliders of one rod, and a crank that turns
 * more than once. */
static void test_guided_in_the_plane(void **state)
{
    (void)state;
    check_subject(&(subject){ .part = guided_plane, .hidden = 9,
        .model = guided_plane_model,
        .channels = { "plumb.position.y", "one.position.x", "two.velocity.y", "hang.reaction.force.x",
                      "second.reaction.force.y" },
        .step = 1e-3, .until = 0.4 });
}

/* Cylinder and hinge, slide and ball, a crank about an axis that is parallel to its hinge; and a body whose spin its
 * hinge does not tell, which is not eliminated. */
static void test_guided_in_space(void **state)
{
    (void)state;
    check_subject(&(subject){ .part = guided_space, .hidden = 18,
        .model =
            "tenon: 1\ngravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  wheel: { mass: 1, inertia: [0.02, 0.03, 0.02], com: [0, 0.1, 0], position: [0, 0.3, 0] }\n"
            "  bob: { mass: 0.5, inertia: [0.01, 0.02, 0.01], position: [0.8, 0, -0.5] }\n"
            "  rider: { mass: 0.4, inertia: [0.01, 0.01, 0.01], position: [2, 0, 0], velocity: [0, 0, -3] }\n"
            "  vane: { mass: 0.3, inertia: [0.01, 0.01, 0.02], position: [3.2, 0, 0.2] }\n"
            "subsystems:\n  a: { use: ONE }\n"
            "  b: { use: TWO, at: [0, 2, 1], rotation: { axis: [1, 2, 3], angle: 40 deg } }\n"
            "joints:\n"
            "  axle: { type: revolute, between: [a.big_end, wheel], axis: x }\n"
            "  base: { type: spherical, between: [ground, wheel], at: [0, 0.5, 0] }\n"
            "  hang: { type: universal, between: [a.tip, bob], at: [0.8, 0, -0.5], axis: x, axis2: y }\n"
            "  ride: { type: spherical, between: [a.end, rider], at: [2, 0, 0] }\n"
            "  turn: { type: revolute, between: [a.flag, vane], at: [3.2, 0, 0.2], axis: [1, 0, 1] }\n"
            "forces:\n"
            "  cord: { type: spring, between: [b.tip, bob], stiffness: 20, length: 1, damping: 0.5 }\n"
            "  line: { type: spring, between: [b.end, rider], stiffness: 10, length: 2 }\n"
            "  push: { type: torque, on: b.flag, value: [0.1, 0.2, 0.3] }\n",
        .channels = { "wheel.position.z", "bob.velocity.y", "rider.position.x", "vane.angular_velocity.z",
                      "axle.reaction.force.y" },
        .step = 1e-3, .until = 0.45 });
}

/* A crank in a loop of parallel hinges, three of whose rows are redundant, through more than a turn. */
static void test_guided_in_a_loop(void **state)
{
    (void)state;
    check_subject(&(subject){
        .part =
            "tenon: 1\n"
            "parameters: { across: 0.88 / 1.4, up: 'sqrt(0.64 - across^2)' }\n"
            "bodies:\n"
            "  crank: { mass: 1, com: [0.1, 0.01, 0], inertia: [0.01, 0.02, 0.02] }\n"
            "  coupler: { mass: 0.8, com: [0.4, 0, 0.02], inertia: [0.005, 0.05, 0.05], position: [0.2, 0, 0],\n"
            "             rotation: { axis: z, angle: 'atan2(up, across)' },\n"
            "             frames: { tip: { at: [0.8, 0, 0], axis: z } } }\n"
            "joints:\n"
            "  shaft: { type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z }\n"
            "  elbow: { type: revolute, between: [crank, coupler], at: [0.2, 0, 0], axis: z }\n"
            "forces: { motor: { type: torque, on: crank, value: [0, 0, 6] } }\n"
            "ports: { tip: coupler.tip }\n",
        .model =
            "tenon: 1\ngravity: [0, -9.81, 0]\n"
            "parameters: { across: 0.88 / 1.4, up: 'sqrt(0.64 - across^2)' }\n"
            "bodies:\n"
            "  one: { mass: 1.5, com: [0, 0.2, 0], inertia: [0.05, 0.01, 0.05], position: [0.9, 0, 0],\n"
            "         frames: { top: { at: [across - 0.7, up, 0], axis: z } } }\n"
            "  two: { mass: 1, com: [0, 0.3, 0], inertia: [0.05, 0.01, 0.05], position: [0.9, 0, 2],\n"
            "         frames: { top: { at: [across - 0.7, up, 0], axis: z } } }\n"
            "subsystems:\n  a: { use: ONE }\n  b: { use: TWO, at: [0, 0, 2] }\n"
            "joints:\n"
            "  pivot: { type: revolute, between: [ground, one], at: [0.9, 0, 0], axis: z }\n"
            "  other: { type: revolute, between: [ground, two], at: [0.9, 0, 2], axis: z }\n"
            "  knee: { type: revolute, between: [a.tip, one.top] }\n"
            "  ankle: { type: revolute, between: [b.tip, two.top] }\n",
        .channels = { "one.position.y", "one.angular_velocity.z", "two.orientation.z", "two.angular_velocity.z" },
        .step = 1e-3, .until = 0.45, .hidden = 6 });
}

/* A port on a particle; and a drive inside, which does work that the port does not. */
static void test_particle_and_drive(void **state)
{
    (void)state;
    check_subject(&(subject){
        .part =
            "tenon: 1\n"
            "bodies:\n"
            "  wheel: { mass: 2, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0] }\n"
            "  bob: { type: particle, mass: 0.5, position: [0.3, 0, 0] }\n"
            "  base: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.1] }\n"
            "joints:\n"
            "  axle: { type: revolute, between: [base, wheel], at: [0, 0, 0], axis: z }\n"
            "  rim: { type: spherical, between: [wheel, bob], at: [0.3, 0, 0] }\n"
            "drives: { motor: { joint: axle, rate: 2 rad/s + 3 rad/s * sin(4 rad/s * t) } }\n"
            "ports: { base: base, bob: bob }\n",
        .model =
            "tenon: 1\ngravity: [0, -9.81, 0]\n"
            "bodies: { load: { mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [0.3, -0.2, 0] } }\n"
            "subsystems:\n"
            "  a: { use: ONE }\n"
            "  b: { use: TWO, at: [0, 0, 2] }\n"
            "joints:\n"
            "  foot: { type: revolute, between: [ground, a.base], at: [0, 0, -0.1], axis: x }\n"
            "  ring: { type: spherical, between: [a.bob, load], at: [0.3, 0, 0] }\n"
            "  other: { type: fixed, between: [ground, b.base], at: [0, 0, 1.9] }\n"
            "forces: { cord: { type: spring, between: [load, b.bob], stiffness: 20, length: 1.5, damping: 0.2 } }\n",
        .channels = { "load.position.x", "load.velocity.y", "ring.reaction.force.x", "foot.reaction.force.y" },
        .step = 1e-3, .until = 0.5, .augmented = 1e-9, .uzawa = 0 });
}

/* ---- the same moments ---- */

static const char lower_text[] = "tenon: 1\ndimension: 2\n"
                                 "bodies:\n"
                                 "  hub: { mass: 2, inertia: 0.2 }\n"
                                 "  arm: { mass: 0.5, inertia: 0.05, com: [0.2, 0], angular_velocity: 30 }\n"
                                 "joints: { pin: { type: revolute, between: [hub, arm], at: [0, 0] } }\n"
                                 "ports: { hub: hub }\n";
static const char pendulum_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { upper: { mass: 1.5, inertia: 0.08, com: [0.4, 0], position: [0, 0], angle: -20 deg } }\n"
    "subsystems: { lower: { use: ONE, at: [1.05, -0.3] } }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [upper, lower.hub], at: [0.75, -0.27] }\n";

static const struct { const char *part, *model, *channels[2]; } runs[] = {
    { lower_text, pendulum_text, { "upper.angle", "lower.hub.velocity.y" } },
    { guided_plane, guided_plane_model, { "one.position.x", "plumb.velocity.y" } },
};

static void go_on_to_the_bit(const char *part, const char *model)
{
    const shelf files = shelve(part);
    place p = new_place();
    machine m = model_with(model, files.open, files.open), loaded = { .context = tn_context_create(NULL) };
    tn_session *branch = NULL;
    machine_start(&m, fixed_steps("rk4", 1e-3, 0.5));
    run_to(&m, 0.2);
    machine_must(&m, tn_session_save(m.session, p.saved));
    machine_must(&m, tn_session_branch(&branch, m.session));
    machine_must(&loaded, tn_session_load(&loaded.session, loaded.context, p.saved));
    run_to(&m, 0.4);
    run_to(&loaded, 0.4);
    machine_must(&m, tn_session_advance(branch, 0.2));
    assert_true(tn_session_hash(m.session) == tn_session_hash(loaded.session));
    assert_true(tn_session_hash(m.session) == tn_session_hash(branch));
    tn_session_close(branch);
    machine_close(&loaded);
    machine_close(&m);
    remove_place(&p);
    clear(&files);
}

static void test_saved_runs_go_on_to_the_bit(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(runs); k++)
        go_on_to_the_bit(runs[k].part, runs[k].model);
}

static void visit(const char *part, const char *model, const char *const channels[2])
{
    const shelf files = shelve(part);
    machine plain = model_with(model, files.open, files.open), visited = model_with(model, files.open, files.open);
    const tn_solve solve = fixed_steps("rk4", 1e-3, 0.5);
    tn_solve other = solve;
    tn_linear_system *linear = NULL;
    other.solver = "hierarchical";
    machine_start(&plain, solve);
    machine_start(&visited, solve);
    run_to(&plain, 0.2);
    run_to(&visited, 0.2);
    machine_must(&visited, tn_session_linearize(&linear, visited.session, &(tn_linear_request){ 0 }));
    tn_linear_system_destroy(visited.context, linear);
    machine_must(&visited, tn_session_set_solve(visited.session, &other));
    machine_must(&visited, tn_session_set_solve(visited.session, &solve));
    run_to(&plain, 0.4);
    run_to(&visited, 0.4);
    for (int k = 0; k < 2; k++)
        assert_true(value(&plain, channels[k]) == value(&visited, channels[k]));
    machine_close(&plain);
    machine_close(&visited);
    clear(&files);
}

/* Components write to the memory of the solver that is at work: another one, and its end, change nothing. */
static void test_solvers_come_and_go(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(runs); k++)
        visit(runs[k].part, runs[k].model, runs[k].channels);
}

/* From one level to another, and back by undo: the ports are where they were and go on as fast. */
static void exchange(const char *from, const char *to, const machine *expected)
{
    machine m = model_with(pendulum_text, from, "");
    char command[TEXT];
    machine_start(&m, fixed_steps("rk4", 1e-3, 0.5));
    run_to(&m, 0.2);
    const double x = value(&m, "lower.hub.position.x"), speed = value(&m, "lower.hub.velocity.y");
    const uint64_t hash = tn_session_hash(m.session);
    snprintf(command, sizeof command, "{ replace: { subsystems: { lower: { use: %s, at: [1.05, -0.3] } } } }", to);
    machine_must(&m, tn_session_apply(NULL, m.session, command));
    assert_near(value(&m, "lower.hub.position.x"), x, 1e-12);
    assert_near(value(&m, "lower.hub.velocity.y"), speed, 1e-12);
    run_to(&m, 0.3);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == hash);
    run_to(&m, 0.4);
    assert_near(value(&m, "upper.angle"), value(expected, "upper.angle"), 1e-12);
    machine_close(&m);
}

static void test_exchange_in_a_run(void **state)
{
    (void)state;
    const shelf files = shelve("tenon: 1\ndimension: 2\n"
                               "bodies:\n"
                               "  hub: { mass: 2, inertia: 0.2 }\n"
                               "  arm: { mass: 0.5, inertia: 0.05, com: [0.2, 0] }\n"
                               "joints: { weld: { type: fixed, between: [hub, arm], at: [0, 0] } }\n"
                               "ports: { hub: hub }\n");
    machine plain = model_with(pendulum_text, files.file, "");
    machine_start(&plain, fixed_steps("rk4", 1e-3, 0.5));
    run_to(&plain, 0.4);
    exchange(files.open, files.condensed, &plain);
    exchange(files.condensed, files.open, &plain);
    exchange(files.file, files.open, &plain);
    machine_close(&plain);
    clear(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_guided_in_the_plane),
        cmocka_unit_test(test_guided_in_space),
        cmocka_unit_test(test_guided_in_a_loop),
        cmocka_unit_test(test_particle_and_drive),
        cmocka_unit_test(test_saved_runs_go_on_to_the_bit),
        cmocka_unit_test(test_solvers_come_and_go),
        cmocka_unit_test(test_exchange_in_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
