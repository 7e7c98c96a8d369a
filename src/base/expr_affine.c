/* Outputs that are sums of leaves with constant factors, and a constant. */
#include "expr_tape.h"

/* How a node depends on the leaves. */
typedef enum dependence { CONSTANT, AFFINE, OTHER } dependence;

static dependence larger(dependence a, dependence b)
{
    return a > b ? a : b;
}

static dependence product(dependence a, dependence b)
{
    return a == CONSTANT ? b : b == CONSTANT ? a : OTHER;
}

static dependence depends(const tn_node *node, const uint8_t *of)
{
    const tn_op op = (tn_op)node->op;
    dependence worst = CONSTANT;
    switch (op) {
    case TN_OP_CONSTANT: case TN_OP_PARAMETER: return CONSTANT;
    case TN_OP_LEAF: case TN_OP_VALUE: return AFFINE;
    case TN_OP_ADD: case TN_OP_SUB: return larger(of[node->a], of[node->b]);
    case TN_OP_NEG: return of[node->a];
    case TN_OP_MUL: return product(of[node->a], of[node->b]);
    case TN_OP_DIV: return of[node->b] == CONSTANT ? of[node->a] : OTHER;
    case TN_OP_TIME: case TN_OP_LEAF3: case TN_OP_RATE_LEAF3: case TN_OP_VALUE3: case TN_OP_UNWRAP: case TN_OP_CALL:
    case TN_OP_VEL: case TN_OP_VEL3: return OTHER;
    default: break;
    }
    for (int k = 0; k < tn_op_operands(op); k++)
        worst = larger(worst, of[tn_node_operand(node, k)]);
    return worst == CONSTANT ? CONSTANT : OTHER;
}

bool tn_tape_affine(const tn_tape *tape)
{
    enum { MOST = 256 };           /* longer expressions are hardly affine */
    uint8_t of[MOST];
    if (tape->count > MOST)
        return false;
    for (size_t k = 0; k < tape->count; k++)
        of[k] = (uint8_t)depends(&tape->nodes[k], of);
    for (size_t k = 0; k < tape->output_count; k++)
        if (of[tape->outputs[k].node] == OTHER)
            return false;
    return true;
}
