/* Bounds of the values of nodes over an interval of time, by interval arithmetic: of nodes that depend on time and constants alone,
 * and of nodes that depend on a motion of which a few values are known. Bounds hold for every instant of the interval, however
 * short a pulse is; they may be wider than the values, less so the shorter the interval. Over a single instant they are the
 * value. */
#include "elementary.h"
#include "expr_tape.h"
#include "hash.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct range {
    double low, high;
} range;

static const range EVERYTHING = { -INFINITY, INFINITY };

static range point(double x)
{
    return (range){ x, x };
}

static range hull(range a, range b)
{
    return (range){ fmin(a.low, b.low), fmax(a.high, b.high) };
}

static range sum(range a, double sign, range b)
{
    return sign > 0 ? (range){ a.low + b.low, a.high + b.high } : (range){ a.low - b.high, a.high - b.low };
}

static range product(range a, range b)
{
    return hull(hull(point(a.low * b.low), point(a.low * b.high)), hull(point(a.high * b.low), point(a.high * b.high)));
}

static range quotient(range a, range b)
{
    if (b.low == b.high)
        return b.low == 0 ? EVERYTHING : hull(point(a.low / b.low), point(a.high / b.low));
    return b.low <= 0 && b.high >= 0 ? EVERYTHING : product(a, (range){ 1 / b.high, 1 / b.low });
}

static range square(range a)
{
    double low = a.low * a.low, high = a.high * a.high;
    return (range){ a.low <= 0 && a.high >= 0 ? 0 : fmin(low, high), fmax(low, high) };
}

static range rising(double (*f)(double), range a)
{
    return (range){ f(a.low), f(a.high) };
}

/* Of cos(x): extreme values lie at whole multiples of pi. */
static range cosine(range a)
{
    range r = hull(point(tn_cos(a.low)), point(tn_cos(a.high)));
    if (!(a.high - a.low < 2 * PI))
        return isfinite(a.high - a.low) ? (range){ -1, 1 } : EVERYTHING;
    for (double k = ceil(a.low / PI); k <= floor(a.high / PI); k++)
        r = hull(r, point(fmod(k, 2) == 0 ? 1 : -1));
    return r;
}

/* Over a single instant it is the value to the last bit: what switches is found by these values. */
static range sine(range a)
{
    return a.low == a.high ? point(tn_sin(a.low)) : cosine((range){ a.low - PI / 2, a.high - PI / 2 });
}

/* Rises between its poles; an interval with a pole has all values. */
static range tangent(range a)
{
    const double first = floor(a.low / PI + 0.5), last = floor(a.high / PI + 0.5);
    return first == last && a.high - a.low < PI ? rising(tn_tan, a) : a.low == a.high ? point(tn_tan(a.low)) : EVERYTHING;
}

static double ramp(double s)
{
    return s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 + s * (6 * s - 15));
}

static range magnitude(range a)
{
    double most = fmax(fabs(a.low), fabs(a.high));
    return (range){ a.low <= 0 && a.high >= 0 ? 0 : fmin(fabs(a.low), fabs(a.high)), most };
}

static range power(range a, double c)
{
    if (c == 2)
        return square(a);
    if (a.low == a.high)
        return point(tn_pow(a.low, c));
    if (c > 0 && fmod(c, 2) == 0)
        return rising(fabs, (range){ tn_pow(magnitude(a).low, c), tn_pow(magnitude(a).high, c) });
    if (a.low > 0 || (c > 0 && (a.low >= 0 || fmod(c, 2) == 1)))
        return hull(point(tn_pow(a.low, c)), point(tn_pow(a.high, c)));
    return EVERYTHING;
}

static range remainder_of(range a, range b)
{
    if (b.low != b.high || b.low == 0)
        return EVERYTHING;
    double first, last;
    if (tn_mod_turns(a.low, b.low, &first) == tn_mod_turns(a.high, b.low, &last))
        return (range){ fmin(first, last), fmax(first, last) };
    return (range){ fmin(0, b.low), fmax(0, b.low) };
}

/* 1 where it holds for all, 0 where for none. */
static range truth(bool always, bool never)
{
    return (range){ always, !never };
}

static bool excludes_zero(range a)
{
    return a.low > 0 || a.high < 0;
}

static bool is_zero(range a)
{
    return a.low == 0 && a.high == 0;
}

static range choose(range condition, range a, range b)
{
    return excludes_zero(condition) ? a : is_zero(condition) ? b : hull(a, b);
}

static range flat(tn_op op, range a, range b)
{
    switch (op) {
    case TN_OP_LESS: return truth(a.high < b.low, a.low >= b.high);
    case TN_OP_LESS_EQUAL: return truth(a.high <= b.low, a.low > b.high);
    case TN_OP_AND: return truth(excludes_zero(a) && excludes_zero(b), is_zero(a) || is_zero(b));
    case TN_OP_OR: return truth(excludes_zero(a) || excludes_zero(b), is_zero(a) && is_zero(b));
    case TN_OP_NOT: return truth(is_zero(a), excludes_zero(a));
    case TN_OP_SIGN: return (range){ a.low > 0 ? 1 : a.low < 0 ? -1 : 0, a.high > 0 ? 1 : a.high < 0 ? -1 : 0 };
    default: return rising(floor, a);
    }
}

static range curve_range(const tn_tape_curve *curve, range a)
{
    range r;
    tn_curve_bounds(curve->curve, a.low, a.high, &r.low, &r.high);
    return r;
}

static range function(tn_op op, range a)
{
    switch (op) {
    case TN_OP_SIN: return sine(a);
    case TN_OP_COS: return cosine(a);
    case TN_OP_ASIN: return rising(tn_asin, a);
    case TN_OP_ACOS: return (range){ tn_acos(a.high), tn_acos(a.low) };
    case TN_OP_ATAN: return rising(tn_atan, a);
    case TN_OP_SQRT: return rising(sqrt, a);
    case TN_OP_EXP: return rising(tn_exp, a);
    case TN_OP_LOG: return rising(tn_ln, a);
    case TN_OP_LOG10: return rising(tn_log10, a);
    case TN_OP_SINH: return rising(tn_sinh, a);
    case TN_OP_COSH: return rising(tn_cosh, magnitude(a));
    case TN_OP_TANH: return rising(tn_tanh, a);
    case TN_OP_TAN: return tangent(a);
    case TN_OP_RAMP: return rising(ramp, a);
    case TN_OP_ABS: return magnitude(a);
    default: return EVERYTHING;
    }
}

/* c: the third operand. */
static range apply(const tn_tape *tape, const tn_node *n, range a, range b, range c)
{
    switch ((tn_op)n->op) {
    case TN_OP_ADD: return sum(a, 1, b);
    case TN_OP_SUB: return sum(a, -1, b);
    case TN_OP_NEG: return (range){ -a.high, -a.low };
    case TN_OP_MUL: return n->a == n->b ? square(a) : product(a, b);
    case TN_OP_DIV: return quotient(a, b);
    case TN_OP_POWER: return b.low == b.high ? power(a, b.low) : EVERYTHING;
    case TN_OP_MOD: return remainder_of(a, b);
    case TN_OP_MIN: return (range){ fmin(a.low, b.low), fmin(a.high, b.high) };
    case TN_OP_MAX: return (range){ fmax(a.low, b.low), fmax(a.high, b.high) };
    case TN_OP_SELECT: return choose(c, a, b);
    case TN_OP_CURVE: return curve_range(&tape->curves[n->index], a);
    case TN_OP_LESS: case TN_OP_LESS_EQUAL: case TN_OP_AND: case TN_OP_OR: case TN_OP_NOT: case TN_OP_SIGN: case TN_OP_FLOOR:
        return flat((tn_op)n->op, a, b);
    default: return function((tn_op)n->op, a);
    }
}

/* True: the value follows from time and constants, and ranges are known for the operation. */
static bool is_clock(const tn_tape *tape, size_t i)
{
    const tn_node_traits *t = &tape->traits[i];
    switch ((tn_op)tape->nodes[i].op) {
    case TN_OP_CURVE_INTEGRAL: case TN_OP_SURFACE: case TN_OP_ATAN2: case TN_OP_POWER_MOVING: case TN_OP_UNWRAP: case TN_OP_VEL: case TN_OP_VEL3:
    case TN_OP_ARGUMENT: case TN_OP_ARGUMENTS: case TN_OP_CALL: case TN_OP_DOT: case TN_OP_NORM: case TN_OP_COMPONENT: return false;
    default: return !t->moving && !t->vector && !t->velocity && !t->rateless;
    }
}

static bool operands_are_clocks(const tn_tape *tape, const bool *clock, size_t i)
{
    const tn_node *n = &tape->nodes[i];
    bool all = is_clock(tape, i);
    for (int k = 0; k < tn_op_operands((tn_op)n->op); k++)
        all = all && clock[tn_node_operand(n, k)];
    return all;
}

void tn_tape_ranges(const tn_tape *tape, const double *parameters, const bool *clock, double t0, double t1, double *low,
                    double *high)
{
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        range r = EVERYTHING, operand[3] = { { 0 } };
        if (!clock[i])
            continue;
        for (int k = 0; k < tn_op_operands((tn_op)n->op); k++)
            operand[k] = (range){ low[tn_node_operand(n, k)], high[tn_node_operand(n, k)] };
        if (n->op == TN_OP_CONSTANT)
            r = point(n->value);
        else if (n->op == TN_OP_PARAMETER)
            r = point(parameters[n->index]);
        else if (n->op == TN_OP_TIME)
            r = (range){ t0, t1 };
        else
            r = apply(tape, n, operand[0], operand[1], operand[2]);
        low[i] = r.low;
        high[i] = r.high;
    }
}

size_t tn_tape_size(const tn_tape *tape)
{
    return tape->count;
}

int tn_tape_clocks(const tn_tape *tape, bool *clock, bool *watched)
{
    int count = 0;
    for (size_t i = 0; i < tape->count; i++) {
        clock[i] = operands_are_clocks(tape, clock, i);
        watched[i] = false;
    }
    /* what a node reads that is no such part itself */
    for (size_t i = 0; i < tape->count; i++)
        for (int k = 0; k < tn_op_operands((tn_op)tape->nodes[i].op) && !clock[i]; k++)
            watched[tn_node_operand(&tape->nodes[i], k)] = true;
    for (size_t k = 0; k < tape->output_count; k++)
        watched[tape->outputs[k].node] = true;
    for (size_t i = 0; i < tape->count; i++) {
        watched[i] = watched[i] && clock[i] && tape->traits[i].timed && tape->nodes[i].op != TN_OP_TIME;
        count += watched[i];
    }
    return count;
}

/* ---- switches ---- */

static bool is_switch(tn_op op)
{
    return op == TN_OP_LESS || op == TN_OP_LESS_EQUAL || op == TN_OP_SIGN || op == TN_OP_FLOOR || op == TN_OP_MOD || op == TN_OP_ABS ||
           op == TN_OP_MIN || op == TN_OP_MAX;
}

int tn_tape_switches(const tn_tape *tape, const bool *clock, bool *switches)
{
    int count = 0;
    for (size_t i = 0; i < tape->count; i++) {
        switches[i] = clock[i] && tape->traits[i].timed && is_switch((tn_op)tape->nodes[i].op);
        count += switches[i];
    }
    return count;
}

bool tn_tape_settled(const tn_tape *tape, const bool *switches, const double *low, const double *high)
{
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        if (!switches[i])
            continue;
        const range a = { low[n->a], high[n->a] }, b = { low[n->b], high[n->b] };
        double rest;
        switch ((tn_op)n->op) {
        case TN_OP_ABS:
            if (!excludes_zero(a) && !is_zero(a))
                return false;
            break;
        case TN_OP_MIN:
            if (a.high > b.low && a.low <= b.high)
                return false;
            break;
        case TN_OP_MAX:
            if (a.low < b.high && a.high >= b.low)
                return false;
            break;
        case TN_OP_MOD:
            if (b.low != b.high || tn_mod_turns(a.low, b.low, &rest) != tn_mod_turns(a.high, b.low, &rest))
                return false;
            break;
        default:
            if (low[i] < high[i])
                return false;
        }
    }
    return true;
}

/* As expressions choose it. */
static double branch_of(tn_op op, double value, double a, double b)
{
    double rest;
    switch (op) {
    case TN_OP_ABS: return (a > 0) - (a < 0);
    case TN_OP_MIN: return a <= b;
    case TN_OP_MAX: return a >= b;
    case TN_OP_MOD: return tn_mod_turns(a, b, &rest);
    default: return value;
    }
}

uint64_t tn_tape_branch(const tn_tape *tape, const bool *switches, const double *values)
{
    uint64_t hash = TN_HASH_START;
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        if (!switches[i])
            continue;
        const double branch = branch_of((tn_op)n->op, values[i], values[n->a], values[n->b]);
        hash = tn_hash_bytes(hash, &branch, sizeof branch);
    }
    return hash;
}

/* ---- parts that move ---- */

/* Known only by values: leaves, velocities, and operations without ranges. */
static bool is_sampled(const tn_tape *tape, size_t i)
{
    switch ((tn_op)tape->nodes[i].op) {
    case TN_OP_LEAF: case TN_OP_LEAF3: case TN_OP_RATE_LEAF3: case TN_OP_VALUE: case TN_OP_VALUE3: case TN_OP_VEL: case TN_OP_VEL3:
    case TN_OP_ATAN2: case TN_OP_UNWRAP: case TN_OP_CURVE_INTEGRAL: case TN_OP_SURFACE: case TN_OP_POWER_MOVING: case TN_OP_TAN:
        return true;
    default: return false;
    }
}

/* Powers 1, 2 and 3 are as smooth as their operand. */
static bool is_smooth_power(const tn_tape *tape, const tn_node *n)
{
    const tn_node *exponent = &tape->nodes[n->b];
    return exponent->op == TN_OP_CONSTANT && (exponent->value == 1 || exponent->value == 2 || exponent->value == 3);
}

static bool is_sharp(const tn_tape *tape, size_t i)
{
    switch ((tn_op)tape->nodes[i].op) {
    case TN_OP_EXP: case TN_OP_TANH: case TN_OP_RAMP: case TN_OP_SIN: case TN_OP_COS: case TN_OP_ATAN: case TN_OP_ABS: case TN_OP_MIN:
    case TN_OP_MAX: case TN_OP_SELECT: case TN_OP_LESS: case TN_OP_LESS_EQUAL: case TN_OP_SIGN: case TN_OP_FLOOR: case TN_OP_MOD:
    case TN_OP_CURVE:
        return tape->traits[i].moving;
    case TN_OP_POWER: return tape->traits[i].moving && !is_smooth_power(tape, &tape->nodes[i]);
    default: return false;
    }
}

void tn_tape_sharp(const tn_tape *tape, bool *sampled, int *sharp)
{
    /* sampled holds whether nodes are sharp, until all outputs are known */
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        sampled[i] = is_sharp(tape, i);
        for (int k = 0; k < tn_op_operands((tn_op)n->op) && !is_sampled(tape, i); k++)
            sampled[i] = sampled[i] || sampled[tn_node_operand(n, k)];
    }
    for (size_t k = 0; k < tape->output_count; k++)
        sharp[k] = !sampled[tape->outputs[k].node] ? 0 : tape->traits[tape->outputs[k].node].vector ? 3 : 1;
    for (size_t i = 0; i < tape->count; i++)
        sampled[i] = is_sampled(tape, i);
}

static range dot(const range a[3], const range b[3], bool same)
{
    range r = point(0);
    for (int k = 0; k < 3; k++)
        r = sum(r, 1, same ? square(a[k]) : product(a[k], b[k]));
    return r;
}

static void apply_vectors(const tn_node *n, const range a[3], const range b[3], range out[3])
{
    for (int k = 0; k < 3; k++)
        switch ((tn_op)n->op) {
        case TN_OP_ADD3: out[k] = sum(a[k], 1, b[k]); break;
        case TN_OP_SUB3: out[k] = sum(a[k], -1, b[k]); break;
        case TN_OP_NEG3: out[k] = (range){ -a[k].high, -a[k].low }; break;
        case TN_OP_SCALE3: out[k] = product(a[0], b[k]); break;
        default: out[k] = sum(product(a[(k + 1) % 3], b[(k + 2) % 3]), -1, product(a[(k + 2) % 3], b[(k + 1) % 3]));
        }
}

static void read_ranges(const double *low, const double *high, size_t node, range out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (range){ low[3 * node + (size_t)k], high[3 * node + (size_t)k] };
}

/* Bounds of one node that is not sampled. */
static void bound_node(const tn_tape *tape, const tn_node *n, range operand[3][3], range out[3])
{
    switch ((tn_op)n->op) {
    case TN_OP_ADD3: case TN_OP_SUB3: case TN_OP_NEG3: case TN_OP_SCALE3: case TN_OP_CROSS:
        apply_vectors(n, operand[0], operand[1], out);
        break;
    case TN_OP_DOT: out[0] = dot(operand[0], operand[1], n->a == n->b); break;
    case TN_OP_NORM: out[0] = rising(sqrt, dot(operand[0], operand[0], true)); break;
    case TN_OP_COMPONENT: out[0] = operand[0][n->index]; break;
    default: out[0] = apply(tape, n, operand[0][0], operand[1][0], operand[2][0]);
    }
}

void tn_tape_bounds(const tn_tape *tape, const double *parameters, const bool *sampled, double t0, double t1, double *low, double *high)
{
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        range operand[3][3] = { { { 0 } } }, r[3] = { { 0 } };
        if (sampled[i])
            continue;
        for (int k = 0; k < tn_op_operands((tn_op)n->op); k++)
            read_ranges(low, high, tn_node_operand(n, k), operand[k]);
        if (n->op == TN_OP_CONSTANT)
            r[0] = point(n->value);
        else if (n->op == TN_OP_PARAMETER)
            r[0] = point(parameters[n->index]);
        else if (n->op == TN_OP_TIME)
            r[0] = (range){ t0, t1 };
        else
            bound_node(tape, n, operand, r);
        for (int k = 0; k < 3; k++) {
            low[3 * i + (size_t)k] = r[k].low;
            high[3 * i + (size_t)k] = r[k].high;
        }
    }
}

size_t tn_tape_output_node(const tn_tape *tape, int output)
{
    return tape->outputs[output].node;
}

const double *tn_tape_node_value(const double *work, size_t node)
{
    return work + TN_TAPE_FORWARD * node;
}
