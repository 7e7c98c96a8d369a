/* Finds why an output is not finite: descends from the output to an operation that is not finite, but whose operands
 * are. */
#include "expr_slots.h"
#include "expr_tape.h"
#include <math.h>
#include <stdio.h>

/* A node's value (X) or its rate (DX). */
typedef struct place {
    size_t node;
    int level;
} place;

static bool is_finite(const tn_tape *tape, const double *work, place p)
{
    const double *slots = work + TN_TAPE_FORWARD * p.node + p.level;
    int components = tape->traits[p.node].vector ? 3 : 1;
    for (int k = 0; k < components; k++)
        if (!isfinite(slots[k]))
            return false;
    return true;
}

/* Whether a non-finite operand can affect value or rate of the node with slots r: a condition does not affect rates,
 * and an operand that is not selected affects nothing. */
static bool has_part(const tn_node *n, const double *r, int operand, int level)
{
    bool choice = n->op == TN_OP_SELECT || n->op == TN_OP_MIN || n->op == TN_OP_MAX;
    if (operand > 1)
        return level == X;
    return !choice || r[operand == 0 ? PARTIAL_A : PARTIAL_B] != 0;
}

/* Goes to an operand that is not finite, values before rates, or returns false. */
static bool descend(const tn_tape *tape, const double *work, place *p)
{
    const tn_node *n = &tape->nodes[p->node];
    const double *r = work + TN_TAPE_FORWARD * p->node;
    bool differentiates = n->op == TN_OP_VEL || n->op == TN_OP_VEL3;
    int last = differentiates ? DX : p->level, count = tn_op_operands((tn_op)n->op);
    for (int level = X; level <= last; level += DX)
        for (int k = 0; k < 3; k++) {
            int i = (k + 2) % 3;       /* a condition before what it chooses from */
            place operand = { tn_node_operand(n, i), level };
            if (i < count && has_part(n, r, i, level) && !is_finite(tape, work, operand)) {
                *p = operand;
                return true;
            }
        }
    return false;
}

static const char *division_words(const tn_tape *tape, const tn_node *n, double divisor)
{
    if (divisor != 0)
        return "overflow in a division";
    return tape->nodes[n->b].op == TN_OP_NORM ? "division by the length of a zero vector" : "division by zero";
}

static const char *power_words(double base, double exponent)
{
    if (base == 0 && exponent < 0)
        return "zero to a negative power";
    if (base < 0 && exponent != rint(exponent))
        return "a negative number to a power that is not whole";
    return "overflow in a power";
}

/* Why an operation with finite operands a and b has no finite value. */
static const char *value_words(const tn_tape *tape, const tn_node *n, double a, double b)
{
    switch ((tn_op)n->op) {
    case TN_OP_LEAF: case TN_OP_LEAF3: case TN_OP_RATE_LEAF3: case TN_OP_VALUE: case TN_OP_VALUE3:
        return "a quantity in it is not finite";
    case TN_OP_PARAMETER: return "a parameter is not finite";
    case TN_OP_TIME: return "the time is not finite";
    case TN_OP_ADD: case TN_OP_ADD3: case TN_OP_SUB: case TN_OP_SUB3: return "overflow in a sum";
    case TN_OP_DIV: return division_words(tape, n, b);
    case TN_OP_POWER: case TN_OP_POWER_MOVING: return power_words(a, b);
    case TN_OP_SQRT: return "square root of a negative number";
    case TN_OP_LOG: case TN_OP_LOG10: return a == 0 ? "log of zero" : "log of a negative number";
    case TN_OP_ASIN: return "asin of a number beyond 1";
    case TN_OP_ACOS: return "acos of a number beyond 1";
    case TN_OP_EXP: return "overflow in exp";
    case TN_OP_SINH: return "overflow in sinh";
    case TN_OP_COSH: return "overflow in cosh";
    case TN_OP_MOD: return b == 0 ? "mod by zero" : "overflow in mod";
    case TN_OP_CURVE: case TN_OP_SURFACE: case TN_OP_CURVE_INTEGRAL: return "overflow in a curve";
    case TN_OP_CALL: return "a function of the program has no finite value";
    case TN_OP_UNWRAP: return "a counted angle is not finite";
    default: return "overflow in a product";
    }
}

/* Why an operation whose value and operands are finite has no finite rate: it has a corner there. */
static const char *rate_words(const tn_node *n)
{
    switch ((tn_op)n->op) {
    case TN_OP_LEAF: case TN_OP_LEAF3: return "a rate in it is not finite";
    case TN_OP_SQRT: return "rate of a square root at zero";
    case TN_OP_ASIN: return "rate of asin at 1";
    case TN_OP_ACOS: return "rate of acos at 1";
    case TN_OP_POWER: case TN_OP_POWER_MOVING: return "rate of a power at zero";
    case TN_OP_ATAN2: case TN_OP_UNWRAP: return "rate of an angle between directions that are zero";
    default: return "overflow in a rate";
    }
}

bool tn_tape_trouble(const tn_tape *tape, const double *work, int output, char *buffer, size_t size)
{
    place p = { tape->outputs[output].node, X };
    if (is_finite(tape, work, p))
        return false;
    while (descend(tape, work, &p))
        continue;
    const tn_node *n = &tape->nodes[p.node];
    snprintf(buffer, size, "%s", p.level == DX ? rate_words(n)
             : value_words(tape, n, work[TN_TAPE_FORWARD * n->a], work[TN_TAPE_FORWARD * n->b]));
    return true;
}
