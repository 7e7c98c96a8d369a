/* Evaluates tapes: values and time derivatives, node after node. */
#include "elementary.h"
#include "expr_slots.h"
#include "expr_tape.h"
#include <math.h>
#include <string.h>

#define TWO_PI 6.28318530717958647692
#define LN_10 2.30258509299404568402

static inline void set_constant(double *r, double x, double dx)
{
    r[X] = x;
    r[DX] = dx;
    r[DDX] = 0;
}

static inline void forward_leaf(double *r, const tn_leaf *leaf)
{
    r[X] = leaf->x[0];
    r[DX] = leaf->dx[0];
    r[DDX] = leaf->ddx[0];
}

static inline void forward_leaf3(double *r, const tn_leaf *leaf)
{
    memcpy(r + X, leaf->x, sizeof leaf->x);
    memcpy(r + DX, leaf->dx, sizeof leaf->dx);
    memcpy(r + DDX, leaf->ddx, sizeof leaf->ddx);
}

/* Leaves without rates: unknown rates are NaN, so that they are not mistaken for values. */
static inline void forward_value(double *r, const tn_leaf *leaf, int components)
{
    for (int k = 0; k < components; k++) {
        r[X + k] = leaf->x[k];
        r[DX + k] = r[DDX + k] = NAN;
    }
}

/* r = a + s b */
static inline void forward_sum(double *r, const double *a, double s, const double *b, int order)
{
    for (int i = 0; i <= 3 * order; i += 3)
        r[i] = a[i] + s * b[i];
}

static inline void forward_sum3(double *r, const double *a, double s, const double *b, int order)
{
    for (int i = 0; i < 3 * (order + 1); i++)
        r[i] = a[i] + s * b[i];
}

static inline void forward_mul(double *r, const double *a, const double *b, int order)
{
    r[X] = a[X] * b[X];
    if (order < 1)
        return;
    r[DX] = a[DX] * b[X] + a[X] * b[DX];
    if (order < 2)
        return;
    r[DDX] = a[DDX] * b[X] + 2 * a[DX] * b[DX] + a[X] * b[DDX];
}

static inline void forward_scale3(double *r, const double *a, const double *b, int order)
{
    for (int k = 0; k < 3; k++)
        r[X + k] = a[X] * b[X + k];
    if (order < 1)
        return;
    for (int k = 0; k < 3; k++)
        r[DX + k] = a[DX] * b[X + k] + a[X] * b[DX + k];
    if (order < 2)
        return;
    for (int k = 0; k < 3; k++)
        r[DDX + k] = a[DDX] * b[X + k] + 2 * a[DX] * b[DX + k] + a[X] * b[DDX + k];
}

/* r b = a, differentiated */
static inline void forward_div(double *r, const double *a, const double *b, int order)
{
    r[X] = a[X] / b[X];
    r[PARTIAL_A] = 1 / b[X];
    r[PARTIAL_B] = -r[X] / b[X];
    if (order < 1)
        return;
    r[DX] = (a[DX] - r[X] * b[DX]) / b[X];
    if (order < 2)
        return;
    r[DDX] = (a[DDX] - 2 * r[DX] * b[DX] - r[X] * b[DDX]) / b[X];
}

static inline void forward_dot(double *r, const double *a, const double *b, int order)
{
    r[X] = dot(a + X, b + X);
    if (order < 1)
        return;
    r[DX] = dot(a + DX, b + X) + dot(a + X, b + DX);
    if (order < 2)
        return;
    r[DDX] = dot(a + DDX, b + X) + 2 * dot(a + DX, b + DX) + dot(a + X, b + DDX);
}

static inline void forward_cross(double *r, const double *a, const double *b, int order)
{
    memset(r, 0, TN_TAPE_FORWARD * sizeof *r);
    add_cross(r + X, 1, a + X, b + X);
    if (order < 1)
        return;
    add_cross(r + DX, 1, a + DX, b + X);
    add_cross(r + DX, 1, a + X, b + DX);
    if (order < 2)
        return;
    add_cross(r + DDX, 1, a + DDX, b + X);
    add_cross(r + DDX, 2, a + DX, b + DX);
    add_cross(r + DDX, 1, a + X, b + DDX);
}

/* n n' = a . a',  n n'' + n' n' = a' . a' + a . a'' */
static inline void forward_norm(double *r, const double *a, int order)
{
    r[X] = sqrt(dot(a + X, a + X));
    r[PARTIAL_A] = tn_over_length(r[X]);
    if (order < 1)
        return;
    r[DX] = dot(a + X, a + DX) * r[PARTIAL_A];
    if (order < 2)
        return;
    r[DDX] = (dot(a + DX, a + DX) + dot(a + X, a + DDX) - r[DX] * r[DX]) * r[PARTIAL_A];
}

/* A function f of a with its first two derivatives. */
static inline void chain(double *r, const double *a, double f, double f1, double f2, int order)
{
    r[X] = f;
    r[PARTIAL_A] = f1;
    r[SECOND] = f2;
    if (order < 1)
        return;
    r[DX] = f1 * a[DX];
    if (order < 2)
        return;
    r[DDX] = f2 * a[DX] * a[DX] + f1 * a[DDX];
}

/* 10 s^3 - 15 s^4 + 6 s^5 between 0 and 1 */
static void forward_ramp(double *r, const double *a, int order)
{
    double s = a[X], rest = 1 - s;
    if (s <= 0)
        chain(r, a, 0, 0, 0, order);
    else if (s >= 1)
        chain(r, a, 1, 0, 0, order);
    else
        chain(r, a, s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * rest * rest, 60 * s * rest * (rest - s), order);
}

static void forward_curve(double *r, const tn_tape_curve *curve, const double *a, int order)
{
    double f[3];
    tn_curve_value(curve->curve, a[X], f);
    chain(r, a, f[0], f[1], f[2], order);
}

/* f(a, b) with its derivatives; the second ones stay for tangents. */
static void forward_surface(double *r, const tn_tape_curve *curve, const double *a, const double *b, int order)
{
    double f[TN_GRID_VALUES];
    tn_grid_value(curve->surface, a[X], b[X], f);
    r[X] = f[TN_GRID_Z];
    r[PARTIAL_A] = f[TN_GRID_X];
    r[PARTIAL_B] = f[TN_GRID_Y];
    r[SECOND_AA] = f[TN_GRID_XX];
    r[SECOND_AB] = f[TN_GRID_XY];
    r[SECOND_BB] = f[TN_GRID_YY];
    if (order < 1)
        return;
    r[DX] = f[TN_GRID_X] * a[DX] + f[TN_GRID_Y] * b[DX];
    if (order < 2)
        return;
    r[DDX] = f[TN_GRID_XX] * a[DX] * a[DX] + 2 * f[TN_GRID_XY] * a[DX] * b[DX] + f[TN_GRID_YY] * b[DX] * b[DX] +
             f[TN_GRID_X] * a[DDX] + f[TN_GRID_Y] * b[DDX];
}

static void forward_curve_integral(double *r, const tn_tape_curve *curve, const double *a, int order)
{
    double f[3];
    tn_curve_value(curve->curve, a[X], f);
    chain(r, a, tn_curve_integral(curve->curve, a[X]), f[0], f[1], order);
}

static void forward_function(double *r, tn_op op, const double *a, int order)
{
    double x = a[X], f, d;
    switch (op) {
    case TN_OP_SIN: tn_sin_cos(x, &f, &d); chain(r, a, f, d, -f, order); break;
    case TN_OP_COS: tn_sin_cos(x, &d, &f); chain(r, a, f, -d, -f, order); break;
    case TN_OP_TAN: f = tn_tan(x); d = 1 + f * f; chain(r, a, f, d, 2 * f * d, order); break;
    case TN_OP_ASIN: d = 1 / sqrt(1 - x * x); chain(r, a, tn_asin(x), d, x * d * d * d, order); break;
    case TN_OP_ACOS: d = -1 / sqrt(1 - x * x); chain(r, a, tn_acos(x), d, x * d * d * d, order); break;
    case TN_OP_ATAN: d = 1 / (1 + x * x); chain(r, a, tn_atan(x), d, -2 * x * d * d, order); break;
    case TN_OP_SQRT: f = sqrt(x); d = 0.5 / f; chain(r, a, f, d, -0.5 * d / x, order); break;
    case TN_OP_EXP: f = tn_exp(x); chain(r, a, f, f, f, order); break;
    case TN_OP_LOG: d = 1 / x; chain(r, a, tn_ln(x), d, -d * d, order); break;
    case TN_OP_LOG10: d = 1 / (x * LN_10); chain(r, a, tn_log10(x), d, -d / x, order); break;
    case TN_OP_SINH: f = tn_sinh(x); chain(r, a, f, tn_cosh(x), f, order); break;
    case TN_OP_COSH: f = tn_cosh(x); chain(r, a, f, tn_sinh(x), f, order); break;
    case TN_OP_TANH: f = tn_tanh(x); d = 1 - f * f; chain(r, a, f, d, -2 * f * d, order); break;
    case TN_OP_RAMP: forward_ramp(r, a, order); break;
    default: chain(r, a, fabs(x), x < 0 ? -1 : x > 0 ? 1 : 0, 0, order); break;
    }
}

/* c is constant in time; whole exponents allow a negative base. */
static void forward_power(double *r, const double *a, double c, int order)
{
    double x = a[X];
    double f1 = c == 0 ? 0 : c * tn_pow(x, c - 1);
    double f2 = c == 0 || c == 1 ? 0 : c * (c - 1) * tn_pow(x, c - 2);
    chain(r, a, tn_pow(x, c), f1, f2, order);
}

/* f = exp(y), y = b log a */
static void forward_power_moving(double *r, const double *a, const double *b, int order)
{
    double f = tn_pow(a[X], b[X]), l = tn_ln(a[X]);
    r[X] = f;
    r[PARTIAL_A] = b[X] * tn_pow(a[X], b[X] - 1);
    r[PARTIAL_B] = f * l;
    if (order < 1)
        return;
    double la = a[DX] / a[X];
    double dy = b[DX] * l + b[X] * la;
    r[DX] = f * dy;
    if (order < 2)
        return;
    r[DDX] = f * (b[DDX] * l + 2 * b[DX] * la + b[X] * (a[DDX] / a[X] - la * la) + dy * dy);
}

/* r' (x^2 + y^2) = x y' - y x', differentiated */
static void forward_atan2(double *r, const double *y, const double *x, int order)
{
    double square = x[X] * x[X] + y[X] * y[X];
    r[X] = tn_atan2(y[X], x[X]);
    r[PARTIAL_A] = x[X] / square;
    r[PARTIAL_B] = -y[X] / square;
    if (order < 1)
        return;
    r[DX] = (x[X] * y[DX] - y[X] * x[DX]) / square;
    if (order < 2)
        return;
    r[DDX] = (x[X] * y[DDX] - y[X] * x[DDX] - 2 * r[DX] * (x[X] * x[DX] + y[X] * y[DX])) / square;
}

double tn_mod_turns(double a, double b, double *rest)
{
    *rest = fmod(a, b);
    if (*rest != 0 && (*rest < 0) != (b < 0))
        *rest += b;
    return rint((a - *rest) / b);
}

/* r = a - k b with the whole number k that puts r between 0 and b, or with a given k. Returns k. */
static double forward_mod(double *r, const double *a, const double *b, const double *given, int order)
{
    double rest, turns = tn_mod_turns(a[X], b[X], &rest), k = given ? *given : turns;
    r[PARTIAL_A] = 1;
    r[PARTIAL_B] = -k;
    forward_sum(r, a, -k, b, order);
    if (!given)
        r[X] = rest;
    return k;
}

/* Copies a or b unchanged, so that the other operand has no influence, not even as NaN. */
static inline void forward_choice(double *r, bool first, const double *a, const double *b, int order)
{
    const double *taken = first ? a : b;
    for (int i = 0; i <= 3 * order; i += 3)
        r[i] = taken[i];
    r[PARTIAL_A] = first;
    r[PARTIAL_B] = !first;
}

/* A condition that is NaN gives NaN. */
static inline void forward_select(double *r, double condition, const double *a, const double *b, int order)
{
    forward_choice(r, condition != 0, a, b, order);
    if (isnan(condition))
        r[X] = r[DX] = r[DDX] = NAN;
}

/* Operations without slope. A NaN operand makes the result NaN, unless the other operand alone decides the result. */
static double flat_value(tn_op op, double x, double y)
{
    switch (op) {
    case TN_OP_LESS: return isunordered(x, y) ? NAN : x < y;
    case TN_OP_LESS_EQUAL: return isunordered(x, y) ? NAN : x <= y;
    case TN_OP_AND: return x == 0 || y == 0 ? 0 : isunordered(x, y) ? NAN : 1;
    case TN_OP_OR: return islessgreater(x, 0) || islessgreater(y, 0) ? 1 : isunordered(x, y) ? NAN : 0;
    case TN_OP_NOT: return isnan(x) ? NAN : x == 0;
    case TN_OP_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
    default: return floor(x);
    }
}

static inline void forward_component(double *r, const double *a, int component, int order)
{
    for (int i = 0; i <= 3 * order; i += 3)
        r[i] = a[i + component];
}

static inline void forward_unwrap(double *r, const double *a, double memory, int order)
{
    for (int i = 3 * order; i > 0; i -= 3)
        r[i] = a[i];
    r[X] = a[X] + TWO_PI * rint((memory - a[X]) / TWO_PI);
}

/* Derivatives above the requested order are NaN, so that they are not mistaken for values. */
static inline void forward_vel(double *r, const double *a, int order, int components)
{
    for (int k = 0; k < components; k++) {
        r[X + k] = order >= 1 ? a[DX + k] : NAN;
        r[DX + k] = order >= 2 ? a[DDX + k] : NAN;
        r[DDX + k] = NAN;
    }
}

static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* An operation with a kink. Takes the branch that is given, else the branch of its operands; returns the branch. */
static double forward_kink(double *r, tn_op op, const double *a, const double *b, const double *given, int order)
{
    double branch;
    switch (op) {
    case TN_OP_MIN: case TN_OP_MAX:
        branch = given ? *given : op == TN_OP_MIN ? a[X] <= b[X] || isnan(a[X]) : a[X] >= b[X] || isnan(a[X]);
        forward_choice(r, branch != 0, a, b, order);
        return branch;
    case TN_OP_MOD: return forward_mod(r, a, b, given, order);
    case TN_OP_ABS:
        branch = given ? *given : sign_of(a[X]);
        if (given)
            chain(r, a, branch * a[X], branch, 0, order);
        else
            chain(r, a, fabs(a[X]), isnan(branch) ? 0 : branch, 0, order);
        return branch;
    default:
        branch = given ? *given : flat_value(op, a[X], b[X]);
        set_constant(r, branch, 0);
        return branch;
    }
}

static bool has_kink(tn_op op)
{
    return op == TN_OP_MIN || op == TN_OP_MAX || op == TN_OP_MOD || op == TN_OP_ABS || op == TN_OP_LESS ||
           op == TN_OP_LESS_EQUAL || op == TN_OP_SIGN || op == TN_OP_FLOOR;
}

int tn_tape_kinks(const tn_tape *tape)
{
    int count = 0;
    for (size_t k = 0; k < tape->count; k++)
        count += has_kink((tn_op)tape->nodes[k].op);
    return count;
}

static double violation(tn_op op, double a, double b, double branch)
{
    switch (op) {
    case TN_OP_LESS: case TN_OP_LESS_EQUAL: case TN_OP_MIN: return branch != 0 ? a - b : b - a;
    case TN_OP_MAX: return branch != 0 ? b - a : a - b;
    case TN_OP_ABS: case TN_OP_SIGN: return branch == 0 ? fabs(a) : -branch * a;
    case TN_OP_FLOOR: return fmax(branch - a, a - branch - 1);
    default: return b > 0 ? fmax(branch * b - a, a - (branch + 1) * b) : fmax(a - branch * b, (branch + 1) * b - a);
    }
}

void tn_tape_violations(const tn_tape *tape, const double *work, const double *branches, double *violations)
{
    int kink = 0;
    for (size_t k = 0; k < tape->count; k++) {
        const tn_node *n = &tape->nodes[k];
        if (!has_kink((tn_op)n->op))
            continue;
        violations[kink] = violation((tn_op)n->op, work[TN_TAPE_FORWARD * n->a + X], work[TN_TAPE_FORWARD * n->b + X],
                                     branches[kink]);
        kink++;
    }
}

static double free_branch(tn_op op, double a, double b)
{
    double rest;
    switch (op) {
    case TN_OP_MIN: return a <= b;
    case TN_OP_MAX: return a >= b;
    case TN_OP_ABS: return sign_of(a);
    case TN_OP_MOD: return tn_mod_turns(a, b, &rest);
    default: return flat_value(op, a, b);
    }
}

void tn_tape_branches(const tn_tape *tape, const double *work, double *branches)
{
    for (size_t k = 0; k < tape->count; k++) {
        const tn_node *n = &tape->nodes[k];
        if (has_kink((tn_op)n->op))
            *branches++ = free_branch((tn_op)n->op, work[TN_TAPE_FORWARD * n->a + X], work[TN_TAPE_FORWARD * n->b + X]);
    }
}

void tn_tape_kink_sizes(const tn_tape *tape, const double *work, double *sizes)
{
    for (size_t k = 0; k < tape->count; k++) {
        const tn_node *n = &tape->nodes[k];
        bool one = tn_op_operands((tn_op)n->op) == 1;
        double a = work[TN_TAPE_FORWARD * n->a + X], b = one ? 0 : work[TN_TAPE_FORWARD * n->b + X];
        if (has_kink((tn_op)n->op))
            *sizes++ = fmax(fabs(a), fabs(b));
    }
}

static void forward_argument(double *r, const double *argument)
{
    r[X] = argument[X];
    r[DX] = r[DDX] = NAN;
    r[PARTIAL_A] = 1;
}

static void evaluate_nodes(const tn_tape *tape, const tn_node *nodes, size_t count, const tn_tape_input *in, int order, double *work)
{
    const tn_tape_curve *curves = tape->curves;
    static const double none[TN_TAPE_FORWARD];
    const double *given = in ? in->branches : NULL;
    double *record = in ? in->record : NULL, *r = work;
    for (size_t k = 0; k < count; k++, r += TN_TAPE_FORWARD) {
        const tn_node *n = &nodes[k];
        const double *a = work + TN_TAPE_FORWARD * n->a, *b = work + TN_TAPE_FORWARD * n->b;
        switch ((tn_op)n->op) {
        case TN_OP_CONSTANT: set_constant(r, n->value, 0); break;
        case TN_OP_PARAMETER: set_constant(r, in->parameters[n->index], 0); break;
        case TN_OP_TIME: set_constant(r, in->t, 1); break;
        case TN_OP_LEAF: forward_leaf(r, &in->leaves[n->index]); break;
        case TN_OP_LEAF3: case TN_OP_RATE_LEAF3: forward_leaf3(r, &in->leaves[n->index]); break;
        case TN_OP_VALUE: forward_value(r, &in->leaves[n->index], 1); break;
        case TN_OP_VALUE3: forward_value(r, &in->leaves[n->index], 3); break;
        case TN_OP_ADD: forward_sum(r, a, 1, b, order); break;
        case TN_OP_ADD3: forward_sum3(r, a, 1, b, order); break;
        case TN_OP_SUB: forward_sum(r, a, -1, b, order); break;
        case TN_OP_SUB3: forward_sum3(r, a, -1, b, order); break;
        case TN_OP_NEG: forward_sum(r, none, -1, a, order); break;
        case TN_OP_NEG3: forward_sum3(r, none, -1, a, order); break;
        case TN_OP_MUL: forward_mul(r, a, b, order); break;
        case TN_OP_SCALE3: forward_scale3(r, a, b, order); break;
        case TN_OP_DIV: forward_div(r, a, b, order); break;
        case TN_OP_DOT: forward_dot(r, a, b, order); break;
        case TN_OP_CROSS: forward_cross(r, a, b, order); break;
        case TN_OP_NORM: forward_norm(r, a, order); break;
        case TN_OP_COMPONENT: forward_component(r, a, n->index, order); break;
        case TN_OP_POWER: forward_power(r, a, b[X], order); break;
        case TN_OP_POWER_MOVING: forward_power_moving(r, a, b, order); break;
        case TN_OP_ATAN2: forward_atan2(r, a, b, order); break;
        case TN_OP_SELECT: forward_select(r, work[TN_TAPE_FORWARD * n->index + X], a, b, order); break;
        case TN_OP_MIN: case TN_OP_MAX: case TN_OP_MOD: case TN_OP_ABS: case TN_OP_LESS: case TN_OP_LESS_EQUAL:
        case TN_OP_SIGN: case TN_OP_FLOOR: {
            double branch = forward_kink(r, (tn_op)n->op, a, b, given && !isnan(*given) ? given : NULL, order);
            given = given ? given + 1 : NULL;
            if (record)
                *record++ = branch;
            break;
        }
        case TN_OP_AND: case TN_OP_OR: case TN_OP_NOT:
            set_constant(r, flat_value((tn_op)n->op, a[X], b[X]), 0);
            break;
        case TN_OP_SURFACE: forward_surface(r, &curves[n->index], a, b, order); break;
        case TN_OP_CURVE: forward_curve(r, &curves[n->index], a, order); break;
        case TN_OP_CURVE_INTEGRAL: forward_curve_integral(r, &curves[n->index], a, order); break;
        case TN_OP_UNWRAP: forward_unwrap(r, a, in->memory[n->index], order); break;
        case TN_OP_ARGUMENT: forward_argument(r, a); break;
        case TN_OP_ARGUMENTS: forward_argument(r, b); break;
        case TN_OP_CALL:
            r[X] = tn_program_value(tape->functions[n->index], nodes, n, work);
            r[DX] = r[DDX] = NAN;
            break;
        case TN_OP_VEL: forward_vel(r, a, order, 1); break;
        case TN_OP_VEL3: forward_vel(r, a, order, 3); break;
        default: forward_function(r, (tn_op)n->op, a, order); break;
        }
    }
}

void tn_tape_forward(const tn_tape *tape, const tn_tape_input *input, int order, double *work)
{
    evaluate_nodes(tape, tape->nodes, tape->count, input, order, work);
}

bool tn_op_plain(tn_op op)
{
    switch (op) {
    case TN_OP_CONSTANT: case TN_OP_PARAMETER: case TN_OP_TIME: case TN_OP_LEAF: case TN_OP_VALUE: case TN_OP_ADD: case TN_OP_SUB:
    case TN_OP_NEG: case TN_OP_MUL: case TN_OP_DIV: case TN_OP_POWER: return true;
    default: return false;
    }
}

void tn_tape_values(const tn_tape *tape, const tn_tape_input *in, double *work)
{
    if (tape->complex) {
        evaluate_nodes(tape, tape->nodes, tape->count, in, 0, work);
        return;
    }
    double *values = work + TN_TAPE_FORWARD * tape->count;         /* close together; gradients come later, if at all */
    for (size_t k = 0; k < tape->count; k++) {
        const tn_node *n = &tape->nodes[k];
        switch ((tn_op)n->op) {
        case TN_OP_CONSTANT: values[k] = n->value; break;
        case TN_OP_PARAMETER: values[k] = in->parameters[n->index]; break;
        case TN_OP_TIME: values[k] = in->t; break;
        case TN_OP_LEAF: case TN_OP_VALUE: values[k] = in->leaves[n->index].x[0]; break;
        case TN_OP_ADD: values[k] = values[n->a] + values[n->b]; break;
        case TN_OP_SUB: values[k] = values[n->a] - values[n->b]; break;
        case TN_OP_NEG: values[k] = -values[n->a]; break;
        case TN_OP_MUL: values[k] = values[n->a] * values[n->b]; break;
        case TN_OP_DIV: values[k] = values[n->a] / values[n->b]; break;
        default: values[k] = tn_pow(values[n->a], values[n->b]); break;
        }
    }
    for (size_t k = 0; k < tape->output_count; k++)
        work[TN_TAPE_FORWARD * tape->outputs[k].node] = values[tape->outputs[k].node];
}

bool tn_tape_plain(const tn_tape *tape)
{
    return !tape->complex;
}

void tn_tape_values_side_by_side(const tn_tape *tape, const tn_tape_lanes *in, double *work)
{
    _Static_assert((int)TN_TAPE_LANES <= (int)TN_TAPE_FORWARD, "the workspace has room for the lanes");
    double *r = work;
    for (size_t i = 0; i < tape->count; i++, r += TN_TAPE_LANES) {
        const tn_node *n = &tape->nodes[i];
        const double *a = work + TN_TAPE_LANES * n->a, *b = work + TN_TAPE_LANES * n->b;
        switch ((tn_op)n->op) {
        case TN_OP_CONSTANT: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = n->value; break;
        case TN_OP_PARAMETER: in->parameter(in->user, n->index, r); break;
        case TN_OP_TIME: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = in->t; break;
        case TN_OP_LEAF: case TN_OP_VALUE: in->leaf(in->user, n->index, r); break;
        case TN_OP_ADD: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = a[k] + b[k]; break;
        case TN_OP_SUB: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = a[k] - b[k]; break;
        case TN_OP_NEG: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = -a[k]; break;
        case TN_OP_MUL: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = a[k] * b[k]; break;
        case TN_OP_DIV: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = a[k] / b[k]; break;
        default: for (int k = 0; k < TN_TAPE_LANES; k++) r[k] = tn_pow(a[k], b[k]); break;
        }
    }
}

const double *tn_tape_lane_values(const tn_tape *tape, const double *work, int output)
{
    return work + TN_TAPE_LANES * tape->outputs[output].node;
}

double tn_tape_fold(const tn_tape *tape, const tn_node *nodes, int count)
{
    double work[3 * TN_TAPE_FORWARD];
    evaluate_nodes(tape, nodes, (size_t)count, NULL, 0, work);
    return work[TN_TAPE_FORWARD * (count - 1)];
}
