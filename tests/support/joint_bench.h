/* A joint type on the bench: its two frames at any place and in any motion, its expressions evaluated there. Also what
 * is expected of each type. */
#ifndef TEST_JOINT_BENCH_H
#define TEST_JOINT_BENCH_H

#include "near.h"
#include <stdlib.h>
#include <string.h>
#include "expr.h"
#include "tenon/sys/joint.h"
#include "units.h"

enum { M, N, X1, Y1, Z1, X2, Y2, Z2, W1, W2, Q1, Q2, SUM, LEAVES };
static const char *const leaf_names[LEAVES] = {
    "M", "N", "x1", "y1", "z1", "x2", "y2", "z2", "w1", "w2", "q1", "q2", "sum"
};

#define PLANE 2
#define SPACE 3
#define CLOSED 1e-13           /* round-off of a few operations on numbers of order one */
#define GIVEN 0.5              /* value of every parameter that a model must give */

/* What is expected of a type: numbers of equations, and a place of frame 2 relative to frame 1 where they hold with all
 * required parameters at GIVEN: N - M in axes of frame 1, and whether z2 is turned from z1 to x1. */
typedef struct expected {
    const char *name;
    int planar_rows, spatial_rows;
    double offset[3];
    bool quarter;
} expected;

static const expected table[] = {
    { "fixed", 3, 6, { 0, 0, 0 }, false },
    { "revolute", 2, 5, { 0, 0, 0 }, false },
    { "prismatic", 0, 5, { 0, 0, 0.4 }, false },
    { "cylindrical", 0, 4, { 0, 0, 0.4 }, false },
    { "spherical", 0, 3, { 0, 0, 0 }, false },
    { "universal", 0, 4, { 0, 0, 0 }, true },
    { "constant-velocity", 0, 4, { 0, 0, 0 }, false },
    { "planar", 0, 3, { 0.4, 0.3, 0 }, false },
    { "point-on-line", 0, 2, { 0, 0, 0.4 }, false },
    { "point-on-plane", 0, 1, { 0.4, 0.3, 0 }, false },
    { "parallel", 0, 2, { 0.4, 0.3, 0.2 }, false },
    { "perpendicular", 0, 1, { 0.4, 0.3, 0.2 }, true },
    { "translational", 2, 0, { 0.4, 0, 0 }, false },
    { "translational-symmetric", 2, 0, { 0.4, 0, 0 }, false },
    { "pin-in-slot", 1, 0, { 0.4, 0, 0 }, false },
    { "double-translational", 1, 0, { 0.4, 0.3, 0 }, false },
    { "rod", 1, 1, { 0.4, 0.3, 0 }, false },
    { "free", 0, 0, { 0.4, 0.3, 0.2 }, false },
    { "strand", 0, 0, { 0.4, 0.3, 0 }, false },
    { "pulley-strand", 0, 0, { 0.4, 0.3, 0 }, false },
    { "revolute-spherical", 0, 2, { 0.4, 0.3, 0.2 }, false },
    { "screw", 0, 5, { 0, 0, 0.4 }, false },
    { "rolling", 2, 0, { 0.4, GIVEN, 0 }, false },
    { "rolling-disc", 0, 3, { 0.4, 0.3, GIVEN }, true },
    { "knife-edge", 1, 1, { 0.4, 0.3, 0 }, false },
    { "touch-plane", 1, 1, { 0.4, GIVEN, GIVEN }, false },
    { "touch-point", 1, 1, { 0.4, 0.3, 0.6 }, false },
    { "touch-line", 0, 1, { 0.4, 0.3, 0.6 }, false },
    { "touch-edges", 0, 1, { 0.4, 0.3, 0.6 }, true },
    { "touch-rim", 0, 1, { 0.4, 0.3, 2 * GIVEN }, true },
    { "touch-ring", 0, 1, { 0.48, 0.64, 0.4 }, false },
    { "touch-ellipsoid", 0, 1, { 0.4, 0.3, 2 * GIVEN }, true },
    { "touch-oval", 0, 1, { 0.48, 0.64, 0.6 }, false },
    { "touch-cone", 0, 1, { 0.3, 0.4, 0.13397459621556135 }, false },
    { "touch-smooth", 0, 1, { 0.3, 0.4, 0.4340658573420344 }, false },
    { "touch-hollow", 1, 1, { 0.6, 0.8, 0 }, false },
    { "touch-bore-rim", 0, 1, { 0.5, 0.3, 0 }, false },
    { "touch-bowl-rim", 0, 1, { 0.18, 0.24, 0.6 }, false },
    { "touch-eye", 0, 1, { 0.4, 0.3, 0 }, false },
    { "stick-plane", 2, 3, { 0.4, GIVEN, GIVEN }, false },
    { "stick-point", 2, 3, { 0.4, 0.3, 0.6 }, false },
    { "stick-line", 0, 3, { 0.4, 0.3, 0.6 }, false },
    { "stick-edges", 0, 3, { 0.4, 0.3, 0.6 }, true },
    { "stick-rim", 0, 3, { 0.4, 0.3, 2 * GIVEN }, true },
    { "stick-ring", 0, 3, { 0.48, 0.64, 0.4 }, false },
    { "stick-ellipsoid", 0, 3, { 0.4, 0.3, 2 * GIVEN }, true },
    { "stick-oval", 0, 3, { 0.48, 0.64, 0.6 }, false },
    { "stick-cone", 0, 3, { 0.3, 0.4, 0.13397459621556135 }, false },
    { "stick-smooth", 0, 3, { 0.3, 0.4, 0.4340658573420344 }, false },
    { "stick-hollow", 2, 3, { 0.6, 0.8, 0 }, false },
    { "stick-bore-rim", 0, 3, { 0.5, 0.3, 0 }, false },
    { "stick-bowl-rim", 0, 3, { 0.18, 0.24, 0.6 }, false },
    { "stick-eye", 0, 3, { 0.4, 0.3, 0 }, false },
    { "gear-mesh", 1, 1, { 0.4, 0.3, 0 }, false },
    { "rack-mesh", 1, 1, { 0.4, GIVEN, 0 }, false },
    { "bevel-mesh", 0, 1, { 0, 0, 0 }, true },
    { "worm-mesh", 0, 1, { 0, 0.9, 0 }, true },
    { "gear", 1, 1, { 0, 0, 0 }, false },
    { "rack-and-pinion", 1, 1, { 0, 0, 0 }, false },
    { "coupler", 1, 1, { 0, 0, 0 }, false },
    { "polynomial", 1, 1, { 0, 0, 0 }, false },
    { "drive", 1, 1, { 0, 0, 0 }, false },
    { "drive-rate", 1, 1, { 0, 0, 0 }, false },
    { "drive-acceleration", 1, 1, { 0, 0, 0 }, false },
};

/* A joint type with its frames at some place. */
typedef struct bench {
    tn_scope scope;
    const tn_joint_type *type;
    int dimension;
    double parameters[TN_JOINT_PARAMETERS];
    tn_leaf leaves[LEAVES];
} bench;

static inline const tn_joint_form *form_of(const bench *b)
{
    return b->dimension == PLANE ? &b->type->planar : &b->type->spatial;
}

static inline bool available(const tn_joint_form *form)
{
    return form->equations[0] || form->velocity_equations[0] || form->coordinates[0].name;
}

static inline tn_dim dim_of(const char *unit)
{
    double factor;
    tn_dim dim;
    if (tn_unit_parse(unit, strlen(unit), &factor, &dim) < 0)
        fail_msg("'%s' is not a unit", unit);
    assert_near(factor, 1.0, 0.0);
    return dim;
}

static inline tn_symbol look_up_leaf(const bench *b, const char *name)
{
    for (int k = 0; k < LEAVES; k++) {
        bool coupling = k >= Q1;
        if (strcmp(name, leaf_names[k]) != 0 || coupling != (b->type->joints != 0))
            continue;
        if (coupling)
            return (tn_symbol){ .kind = TN_SYMBOL_SCALAR, .index = k };
        if (k == W1 || k == W2)
            return (tn_symbol){ .kind = TN_SYMBOL_VELOCITY, .index = k, .dim = { .s = -1 }, .dim_known = true };
        return (tn_symbol){ .kind = TN_SYMBOL_VECTOR, .index = k, .dim_known = true,
                            .dim = k <= N ? TN_DIM_LENGTH : TN_DIM_NUMBER };
    }
    return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

static inline tn_symbol look_up(const tn_scope *scope, const char *name)
{
    const bench *b = scope->user;
    const tn_parameter_decl *p = b->type->parameters;
    for (int k = 0; k < TN_JOINT_PARAMETERS && p[k].name; k++)
        if (strcmp(name, p[k].name) == 0)
            return (tn_symbol){ .kind = TN_SYMBOL_PARAMETER, .index = k, .dim = dim_of(p[k].unit),
                                .dim_known = p[k].unit[0] != '\0' };
    const tn_coordinate_decl *c = form_of(b)->coordinates;
    for (int k = 0; k < TN_MAX_COORDINATES && c[k].name; k++)
        if (strcmp(name, c[k].name) == 0)
            return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = c[k].expression, .scope = scope, .memory = k };
    if (strcmp(name, "d") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = "N - M", .scope = scope, .memory = -1 };
    if (b->type->drives && (strcmp(name, "motion") == 0 || strcmp(name, "speed") == 0))
        return (tn_symbol){ .kind = TN_SYMBOL_CONSTANT };
    return look_up_leaf(b, name);
}

static inline void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* axes[j] = column j of Rx(a) Ry(b) Rz(c). */
static inline void cardan(double axes[3][3], double a, double b, double c)
{
    const double columns[3][3] = {
        { cos(b) * cos(c), cos(a) * sin(c) + sin(a) * sin(b) * cos(c), sin(a) * sin(c) - cos(a) * sin(b) * cos(c) },
        { -cos(b) * sin(c), cos(a) * cos(c) - sin(a) * sin(b) * sin(c), sin(a) * cos(c) + cos(a) * sin(b) * sin(c) },
        { sin(b), -sin(a) * cos(b), cos(a) * cos(b) },
    };
    memcpy(axes, columns, sizeof columns);
}

/* Frame 1 somewhere in the world (planar: turned about z only). */
static inline void place_first(bench *b)
{
    const double origin[3] = { 0.3, -1.1, b->dimension == PLANE ? 0.0 : 0.7 };
    double axes[3][3];
    if (b->dimension == PLANE)
        cardan(axes, 0.0, 0.0, 0.6);
    else
        cardan(axes, 0.4, -0.7, 0.6);
    for (int k = 0; k < 3; k++) {
        b->leaves[M].x[k] = origin[k];
        for (int j = 0; j < 3; j++)
            b->leaves[X1 + j].x[k] = axes[j][k];
    }
}

/* Frame 2 at offset and with the given axes, both in axes of frame 1. */
static inline void place_second(bench *b, const double offset[3], double axes[3][3])
{
    for (int k = 0; k < 3; k++) {
        b->leaves[N].x[k] = b->leaves[M].x[k];
        for (int i = 0; i < 3; i++)
            b->leaves[N].x[k] += offset[i] * b->leaves[X1 + i].x[k];
        for (int j = 0; j < 3; j++) {
            b->leaves[X2 + j].x[k] = 0.0;
            for (int i = 0; i < 3; i++)
                b->leaves[X2 + j].x[k] += axes[j][i] * b->leaves[X1 + i].x[k];
        }
    }
}

/* Moves both frames: velocities of M and N, angular velocities (world axes). */
static inline void move(bench *b, const double v1[3], const double w1[3], const double v2[3], const double w2[3])
{
    memcpy(b->leaves[M].dx, v1, sizeof(double[3]));
    memcpy(b->leaves[N].dx, v2, sizeof(double[3]));
    memcpy(b->leaves[W1].x, w1, sizeof(double[3]));
    memcpy(b->leaves[W2].x, w2, sizeof(double[3]));
    for (int k = 0; k < 3; k++) {
        cross(b->leaves[X1 + k].dx, w1, b->leaves[X1 + k].x);
        cross(b->leaves[X2 + k].dx, w2, b->leaves[X2 + k].x);
    }
}

typedef struct evaluation {
    tn_output_info info;
    double value[3], rate[3];      /* rate: of outputs at position level */
    double gradient[3][3 * LEAVES];
} evaluation;

/* text may be the name of a coordinate, too. */
static inline evaluation evaluate(const bench *b, const char *text)
{
    tn_context *context = tn_context_create(NULL);
    tn_tape *tape = NULL;
    assert_int_equal(tn_tape_create(&tape, context), TN_OK);
    evaluation e = { 0 };
    tn_expr_error error;
    if (tn_tape_add(tape, text, &b->scope, &e.info, &error) < 0)
        fail_msg("%s: '%s' at %d: %s", b->type->name, text, error.offset, error.message);
    double *work = calloc(tn_tape_work(tape), sizeof *work);
    assert_non_null(work);
    const double turns[TN_MAX_COORDINATES] = { 0 };
    const tn_tape_input input = { .leaves = b->leaves, .parameters = b->parameters, .memory = turns };
    tn_tape_forward(tape, &input, 1, work);
    for (int k = 0; k < (e.info.vector ? 3 : 1); k++) {
        e.value[k] = tn_tape_value(tape, work, 0, k, 0);
        if (!e.info.velocity)
            e.rate[k] = tn_tape_value(tape, work, 0, k, 1);
        tn_tape_gradient(tape, work, 0, k, e.gradient[k]);
    }
    free(work);
    tn_tape_destroy(tape);
    tn_context_destroy(context);
    return e;
}

/* Required parameters at GIVEN, then the others as built. */
static inline void set_parameters(bench *b)
{
    const tn_parameter_decl *p = b->type->parameters;
    for (int k = 0; k < TN_JOINT_PARAMETERS && p[k].name; k++)
        b->parameters[k] = isnan(p[k].initial) ? GIVEN : p[k].initial;
    for (int k = 0; k < TN_JOINT_PARAMETERS && p[k].name; k++)
        if (p[k].as_built)
            b->parameters[k] = evaluate(b, p[k].as_built).value[0];
}

static inline const tn_joint_type *find(const char *name)
{
    for (int k = 0; tn_joint_types[k]; k++)
        if (strcmp(tn_joint_types[k]->name, name) == 0)
            return tn_joint_types[k];
    fail_msg("no joint type '%s'", name);
    return NULL;
}

static inline const expected *expected_of(const char *name)
{
    for (size_t k = 0; k < TN_LENGTH(table); k++)
        if (strcmp(table[k].name, name) == 0)
            return &table[k];
    fail_msg("joint type '%s' is not in the table of this test", name);
    return NULL;
}

static inline void bench_place(bench *b, const double offset[3], double a, double beta, double c)
{
    double axes[3][3];
    cardan(axes, a, beta, c);
    place_first(b);
    place_second(b, offset, axes);
}

/* In place, because the scope points back. */
static inline void bench_begin(bench *b, const tn_joint_type *type, int dimension)
{
    *b = (bench){ .type = type, .dimension = dimension, .scope = { .lookup = look_up, .user = b } };
    const expected *e = expected_of(type->name);
    bench_place(b, e->offset, 0.0, e->quarter ? 1.5707963267948966 : 0.0, 0.0);
    set_parameters(b);
}

#endif
