/* Mechanisms for tests, built through the public interface, planar and spatial from the same words; and their runs. */
#ifndef TEST_MECHANISMS_H
#define TEST_MECHANISMS_H

#include "near.h"
#include "random.h"
#include "tenon/analysis.h"
#include "tenon/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct machine {
    tn_context *context;
    tn_model *model;
    tn_session *session;
} machine;

static inline void machine_must(const machine *m, int code)
{
    if (code >= 0)
        return;
    tn_diagnostics_print(m->context, stderr);
    fail_msg("%s", tn_error_text(code));
}

/* Gravity along -y. */
static inline machine machine_new(int dimension)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_create(&m.model, m.context, dimension));
    tn_model_set_gravity(m.model, (double[3]){ 0, -9.81, 0 });
    return m;
}

static inline machine machine_read(const char *path)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read(&m.model, m.context, path));
    return m;
}

static inline machine machine_text(const char *text)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "model.yaml", "."));
    return m;
}

static inline machine machine_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline machine machine_format(const char *format, ...)
{
    char text[4000];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(text, sizeof text, format, list) < (int)sizeof text);
    va_end(list);
    return machine_text(text);
}

static inline void machine_close(machine *m)
{
    tn_session_close(m->session);
    tn_model_destroy(m->model);
    tn_context_destroy(m->context);
    *m = (machine){ 0 };
}

/* The part of a motion that comparisons of two models take: sanitizers look at memory, which a short motion shows as well. */
#ifdef TENON_SANITIZED
#define SHARE_OF_MOTION 0.25
#else
#define SHARE_OF_MOTION 1.0
#endif

static inline tn_solve fixed_steps(const char *integrator, double step, double until)
{
    tn_solve solve = tn_solve_default();
    solve.integrator = integrator;
    solve.step = step;
    solve.until = until;
    solve.record = until;
    return solve;
}

/* As accurate as the adaptive integrator gets. */
static inline tn_solve accurate(double until)
{
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-13;
    solve.until = until;
    solve.record = until;
    return solve;
}

static inline void machine_start(machine *m, tn_solve solve)
{
    machine_must(m, tn_session_open(&m->session, m->model, &solve));
}

static inline tn_summary machine_run(machine *m, tn_solve solve)
{
    machine_start(m, solve);
    machine_must(m, tn_session_run(m->session));
    return tn_session_summary(m->session);
}

static inline void run_to(machine *m, double t)
{
    machine_must(m, tn_session_advance(m->session, t - tn_session_time(m->session)));
}

/* Energy error over the peak of the kinetic energy. */
static inline void check_energy(const machine *m, double tolerance)
{
    tn_summary s = tn_session_summary(m->session);
    assert_near(s.energy_error / s.energy_peak, 0, tolerance);
}

static inline double value(const machine *m, const char *channel)
{
    double result = NAN;
    machine_must(m, tn_session_value(&result, m->session, channel));
    return result;
}

static inline tn_id named(const machine *m, const char *name)
{
    tn_id id = tn_model_find(m->model, name);
    assert_int_not_equal(id.kind, TN_KIND_NONE);
    return id;
}

/* A slender bar from (x, y) in the direction of angle; moments across 1/12 m l^2, along a tenth of it. */
static inline tn_id add_bar(machine *m, const char *name, double x, double y, double angle, double length, double mass)
{
    double across = mass * length * length / 12;
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = mass;
    def.com[0] = length / 2;
    memcpy(def.inertia, (double[6]){ 0.1 * across, across, across, 0, 0, 0 }, sizeof def.inertia);
    def.pose = tn_pose_planar(x, y, angle);
    def.placed = true;
    machine_must(m, tn_model_add_body(&id, m->model, name, &def));
    return id;
}

static inline tn_id add_as_built(machine *m, const char *name, const char *type, const char *one, const char *two,
                                 const tn_pose *world)
{
    tn_joint_def def = tn_joint_default(type);
    tn_id id;
    def.body1 = named(m, one);
    def.body2 = named(m, two);
    machine_must(m, tn_joint_as_built(&def, m->model, world));
    machine_must(m, tn_model_add_joint(&id, m->model, name, &def));
    return id;
}

/* A hinge along z. */
static inline tn_id add_pin(machine *m, const char *name, const char *one, const char *two, double x, double y)
{
    tn_pose world = tn_pose_planar(x, y, 0);
    return add_as_built(m, name, "revolute", one, two, &world);
}

static inline machine double_pendulum(int dimension)
{
    machine m = machine_new(dimension);
    add_bar(&m, "upper", 0, 0, -0.3, 0.8, 1.5);
    add_bar(&m, "lower", 0.8 * cos(0.3), -0.8 * sin(0.3), 0.4, 0.6, 1);
    add_pin(&m, "shoulder", "ground", "upper", 0, 0);
    add_pin(&m, "elbow", "upper", "lower", 0.8 * cos(0.3), -0.8 * sin(0.3));
    return m;
}

/* Crank 0.4, coupler 0.9 to the x axis. */
static inline machine slider_crank(int dimension)
{
    machine m = machine_new(dimension);
    double angle = 0.9, x = 0.4 * cos(angle), y = 0.4 * sin(angle), tilt = -asin(y / 0.9);
    double end = x + 0.9 * cos(tilt);
    tn_pose slide = dimension == 2 ? tn_pose_planar(end, 0, 0)
                                   : tn_pose_z((double[3]){ end, 0, 0 }, (double[3]){ 1, 0, 0 });
    add_bar(&m, "crank", 0, 0, angle, 0.4, 1);
    add_bar(&m, "rod", x, y, tilt, 0.9, 1.4);
    add_bar(&m, "slider", end, 0, 0, 0.2, 0.7);
    add_pin(&m, "pivot", "ground", "crank", 0, 0);
    add_pin(&m, "elbow", "crank", "rod", x, y);
    add_pin(&m, "wrist", "rod", "slider", end, 0);
    add_as_built(&m, "slide", dimension == 2 ? "translational" : "prismatic", "ground", "slider", &slide);
    return m;
}

/* Pivots at 0 and (1, 0); crank 0.4 upright, rocker 0.8, coupler between their tips. */
static inline machine four_bar(int dimension)
{
    machine m = machine_new(dimension);
    double x = 1 + 0.8 * cos(1.3), y = 0.8 * sin(1.3), dy = y - 0.4;
    add_bar(&m, "crank", 0, 0, 2 * atan(1), 0.4, 1);
    add_bar(&m, "coupler", 0, 0.4, atan2(dy, x), hypot(x, dy), 2);
    add_bar(&m, "rocker", 1, 0, 1.3, 0.8, 1.5);
    add_pin(&m, "A", "ground", "crank", 0, 0);
    add_pin(&m, "B", "crank", "coupler", 0, 0.4);
    add_pin(&m, "C", "coupler", "rocker", x, y);
    add_pin(&m, "D", "ground", "rocker", 1, 0);
    return m;
}

/* Two bodies of different moments on skew hinges, turning. */
static inline machine spatial_pendulum(void)
{
    machine m = machine_new(3);
    tn_pose first = tn_pose_z((double[3]){ 0, 0, 0 }, (double[3]){ 0, 1, 0.3 });
    tn_pose second = tn_pose_z((double[3]){ 0.8, 0, 0 }, (double[3]){ 0.2, 0.1, 1 });
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = 1.2;
    def.placed = def.guess = true;             /* the hinges decide what of the velocities is possible */
    memcpy(def.com, (double[3]){ 0.4, 0.1, -0.1 }, sizeof def.com);
    memcpy(def.inertia, (double[6]){ 0.05, 0.12, 0.1, 0.01, -0.02, 0.005 }, sizeof def.inertia);
    memcpy(def.angular_velocity, (double[3]){ 0, 2, 0.6 }, sizeof def.angular_velocity);
    machine_must(&m, tn_model_add_body(&id, m.model, "one", &def));
    def.pose.p[0] = 0.8;
    machine_must(&m, tn_model_add_body(&id, m.model, "two", &def));
    add_as_built(&m, "first", "revolute", "ground", "one", &first);
    add_as_built(&m, "second", "revolute", "one", "two", &second);
    return m;
}

/* Six bars, each joined to ground or to one of the others by a joint of a random type and direction. */
static inline machine random_machine(uint32_t random)
{
    static const char *const types[] = { "revolute", "spherical", "prismatic", "cylindrical", "planar", "fixed" };
    machine m = machine_new(3);
    tn_model_set_gravity(m.model, (double[3]){ 0, -9.81, 0 });
    for (uint32_t b = 0; b < 6; b++) {
        char name[16], joint[16], before[16] = "ground";
        double p[3], axis[3];
        snprintf(name, sizeof name, "bar%u", b);
        snprintf(joint, sizeof joint, "joint%u", b);
        if (b > 0 && uniform(&random) < 0.8)
            snprintf(before, sizeof before, "bar%u", next_random(&random) % b);
        random_vector(&random, 3, 1, p);
        random_vector(&random, 3, 1, axis);
        add_bar(&m, name, p[0], p[1], between(&random, -3, 3), between(&random, 0.5, 1), between(&random, 0.5, 2));
        tn_pose world = tn_pose_z(p, axis);
        add_as_built(&m, joint, types[next_random(&random) % (sizeof types / sizeof types[0])], before, name, &world);
    }
    return m;
}

#endif
