/* Mechanisms of which a part is a component, and the same ones open. */
#ifndef TEST_COMPONENT_EXAMPLES_H
#define TEST_COMPONENT_EXAMPLES_H

#include "nested_components.h"
#include "session_impl.h"

/* A four-bar with hinges in space, or in the plane: crank and coupler are the component. */
static const char fourbar_inside[] =
    "bodies:\n"
    "  crank: { mass: 1, com: [0.2, 0], inertia: INERTIA, position: [0, 0], angle: 90 deg,\n"
    "           angular_velocity: SPIN, guess: yes }\n"
    "  coupler: { mass: 2, com: [0.5, 0.1], inertia: INERTIA, position: [0, 0.4],\n"
    "             frames: { tip: { at: [1, 0.4] } } }\n"
    "joints:\n"
    "  a: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
    "  b: { type: revolute, between: [crank, coupler], at: [0, 0.4] }\n";

/* Numbers and axes of that text in space or in the plane. */
static inline void write_in_dimension(char *out, size_t size, const char *text, bool planar)
{
    size_t used = 0;
    for (const char *c = text; *c && used + 40 < size;) {
        if (strncmp(c, "INERTIA", 7) == 0) {
            used += (size_t)snprintf(out + used, size - used, planar ? "0.2" : "[0.1, 0.2, 0.2]");
            c += 7;
        } else if (strncmp(c, "SPIN", 4) == 0) {
            used += (size_t)snprintf(out + used, size - used, planar ? "3" : "[0, 0, 3]");
            c += 4;
        } else if (strncmp(c, "angle: 90 deg", 13) == 0 && !planar) {
            used += (size_t)snprintf(out + used, size - used, "rotation: { axis: z, angle: 90 deg }");
            c += 13;
        } else if (*c == ']' && !planar && c > text && strchr("0123456789", c[-1])) {
            used += (size_t)snprintf(out + used, size - used, ", 0]");
            c++;
        } else {
            out[used++] = *c++;
        }
    }
    out[used] = '\0';
}

static inline machine fourbar_machine(const char *parts, bool planar)
{
    char head[200], body[3000], text[4000];
    snprintf(head, sizeof head, "tenon: 1\ndimension: %d\ngravity: %s\n", planar ? 2 : 3,
             planar ? "[0, -9.81]" : "[0, -9.81, 0]");
    write_in_dimension(body, sizeof body, parts, planar);
    snprintf(text, sizeof text, "%s%s", head, body);
    return machine_text(text);
}

static const char rocker_text[] =
    "bodies:\n"
    "  rocker: { mass: 1.5, com: [0.3, 0], inertia: INERTIA, position: [1, 0], angle: 90 deg }\n"
    "joints:\n"
    "  d: { type: revolute, between: [ground, rocker], at: [1, 0] }\n";

static inline machine open_fourbar(bool planar)
{
    machine m = fourbar_machine(
        "bodies:\n"
        "  crank: { mass: 1, com: [0.2, 0], inertia: INERTIA, position: [0, 0], angle: 90 deg,\n"
        "           angular_velocity: SPIN, guess: yes }\n"
        "  coupler: { mass: 2, com: [0.5, 0.1], inertia: INERTIA, position: [0, 0.4] }\n"
        "  rocker: { mass: 1.5, com: [0.3, 0], inertia: INERTIA, position: [1, 0], angle: 90 deg }\n"
        "joints:\n"
        "  a: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
        "  b: { type: revolute, between: [crank, coupler], at: [0, 0.4] }\n"
        "  d: { type: revolute, between: [ground, rocker], at: [1, 0] }\n", planar);
    add_pin(&m, "c", "coupler", "rocker", 1, 0.8);
    return m;
}

static inline machine coupled_fourbar(bool planar)
{
    static const char *const names[] = { "tip" }, *const targets[] = { "coupler.tip" };
    test_component_define(0, fourbar_machine(fourbar_inside, planar), names, targets, 1);
    machine m = fourbar_machine(rocker_text, planar);
    test_component_add(&m, "left", 0);
    add_pin(&m, "c", "left.tip", "rocker", 1, 0.8);
    return m;
}

static inline tn_solve steps(const char *solver, const char *integrator, double step, double until)
{
    tn_solve solve = fixed_steps(integrator, step, until);
    solve.solver = solver;
    return solve;
}

static inline void compare(const machine *open, const machine *component, const char *channel, double tolerance)
{
    double a = value(open, channel), b = value(component, channel);
    if (fabs(a - b) > tolerance * fmax(1, fabs(a)))
        print_error("%s: %.17g open, %.17g coupled\n", channel, a, b);
    assert_near(a, b, tolerance * fmax(1, fabs(a)));
}

/* ---- the examples, with a subsystem as a component ---- */

static inline machine example(const char *folder, const char *text)
{
    char path[400];
    machine m = { .context = tn_context_create(NULL) };
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/examples/%s", folder);
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "model.yaml", path));
    return m;
}

/* A model without some of its lines: those that begin with one of the words. */
static inline void read_without(char *out, size_t size, const char *path, const char *const *words, size_t count)
{
    char line[400];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t used = 0; fgets(line, sizeof line, file);) {
        bool leave = false;
        for (size_t k = 0; k < count; k++)
            leave |= strncmp(line + strspn(line, " -"), words[k], strlen(words[k])) == 0;
        if (!leave)
            used += (size_t)snprintf(out + used, size - used, "%s", line);
        assert_true(used < size);
    }
    fclose(file);
}

static inline void join(machine *m, const char *name, const char *type, const char *frame, const char *port)
{
    tn_joint_def def = tn_joint_default(type);
    const tn_frame *at = &m->model->frames[named(m, frame).index];
    def.body1 = (tn_id){ at->body, m->model->bodies[at->body].entity.generation, TN_KIND_BODY, m->model->owner };
    def.frame1 = at->pose;
    def.body2 = named(m, port);
    def.frame2 = tn_pose_identity();
    machine_must(m, tn_model_add_joint(NULL, m->model, name, &def));
}

static inline machine car_with_component(void)
{
    static const char *const left_out[] = { "front_left", "ball_fl", "top_fl: { type", "reference", "expect",
                                            "drift: 1e" };
    static const char *const names[] = { "ball", "top_arm" };
    static const char *const targets[] = { "front_left.ball", "front_left.top_arm" };
    static char text[8000];
    read_without(text, sizeof text, TENON_SOURCE_DIR "/examples/car/car.yaml", left_out, TN_LENGTH(left_out));
    machine m = example("car", text);
    test_component_define(0, example("car", "tenon: 1\ngravity: [0, 0, -9.81]\n"
                                      "subsystems: { front_left: { use: suspension.yaml, at: [1.25 m, 0, 0] } }\n"),
                    names, targets, 2);
    test_component_add(&m, "front_left", 0);
    join(&m, "ball_fl", "spherical", "arm_fl.ball", "front_left.ball");
    join(&m, "top_fl", "universal", "chassis.top_fl", "front_left.top_arm");
    return m;
}

static inline machine steam_with_component(void)
{
    static const char *const left_out[] = { "left", "pin_1", "strap_1", "reference", "expect", "drift: 1e", "file:",
                                            "tolerance:", "channels:", "z:", "vz:", "az:" };
    static const char *const names[] = { "big_end", "strap" };
    static const char *const targets[] = { "left.big_end", "left.strap" };
    static char text[8000];
    read_without(text, sizeof text, TENON_SOURCE_DIR "/examples/steam-machine/steam-machine.yaml", left_out,
                 TN_LENGTH(left_out));
    machine m = example("steam-machine", text);
    test_component_define(0, example("steam-machine", "tenon: 1\ngravity: [0, 0, -9.81]\n"
                               "subsystems: { left: { use: unit.yaml, at: [-200 mm, 0, 0] } }\n"), names, targets, 2);
    test_component_add(&m, "left", 0);
    join(&m, "pin_1", "revolute", "shaft.crank_1", "left.big_end");
    join(&m, "strap_1", "revolute", "shaft.eccentric_1", "left.strap");
    return m;
}

#endif
