/* Gradient of an output of a tape with respect to its leaves: adjoints, from the last node back to the leaves. The values of the
 * nodes must have been evaluated before (expr_eval.c). */
#include "expr_slots.h"
#include "expr_tape.h"
#include <string.h>

/* Adds the adjoint g of a node with slots r to those of its operands, whose slots are a and b. */
static inline void reverse(const tn_node *n, const double *g, double *A, double *B, const double *r, const double *a,
                           const double *b)
{
    switch ((tn_op)n->op) {
    case TN_OP_ADD: A[0] += g[0]; B[0] += g[0]; break;
    case TN_OP_ADD3: add_scaled(A, 1, g); add_scaled(B, 1, g); break;
    case TN_OP_SUB: A[0] += g[0]; B[0] -= g[0]; break;
    case TN_OP_SUB3: add_scaled(A, 1, g); add_scaled(B, -1, g); break;
    case TN_OP_NEG: A[0] -= g[0]; break;
    case TN_OP_NEG3: add_scaled(A, -1, g); break;
    case TN_OP_MUL: A[0] += g[0] * b[X]; B[0] += g[0] * a[X]; break;
    case TN_OP_SCALE3: A[0] += dot(g, b); add_scaled(B, a[X], g); break;
    case TN_OP_DOT: add_scaled(A, g[0], b); add_scaled(B, g[0], a); break;
    case TN_OP_CROSS: add_cross(A, 1, b, g); add_cross(B, 1, g, a); break;
    case TN_OP_NORM: add_scaled(A, g[0] * r[PARTIAL_A], a); break;
    case TN_OP_COMPONENT: A[n->index] += g[0]; break;
    case TN_OP_UNWRAP: case TN_OP_VEL: case TN_OP_CALL: A[0] += g[0]; break;
    case TN_OP_VEL3: add_scaled(A, 1, g); break;
    case TN_OP_DIV: case TN_OP_POWER_MOVING: case TN_OP_ATAN2: case TN_OP_SURFACE: case TN_OP_MOD: case TN_OP_MIN: case TN_OP_MAX:
    case TN_OP_SELECT: case TN_OP_ARGUMENTS:
        A[0] += r[PARTIAL_A] * g[0];
        B[0] += r[PARTIAL_B] * g[0];
        break;
    default: A[0] += r[PARTIAL_A] * g[0]; break;
    }
}

void tn_tape_gradient(const tn_tape *tape, double *work, int output, int component, double *gradient)
{
    const tn_tape_result *out = &tape->outputs[output];
    const uint16_t *begin = tape->chains + out->begin, *end = tape->chains + out->end;
    if (begin == end || (component > 0 && !out->info.vector))
        return;
    double *adjoints = work + TN_TAPE_FORWARD * tape->count;
    double *sink = adjoints + TN_TAPE_REVERSE * tape->count;   /* receives adjoints that are not passed on */
    for (const uint16_t *i = begin; i < end; i++)
        memset(adjoints + TN_TAPE_REVERSE * *i, 0, TN_TAPE_REVERSE * sizeof *adjoints);
    memset(sink, 0, TN_TAPE_REVERSE * sizeof *sink);
    adjoints[TN_TAPE_REVERSE * out->node + component] = 1;
    for (const uint16_t *i = begin; i < end; i++) {
        const tn_node *n = &tape->nodes[*i];
        const double *g = adjoints + TN_TAPE_REVERSE * *i;
        if (g[0] == 0 && g[1] == 0 && g[2] == 0)
            continue;      /* also where a branch is not taken: its partial derivatives need not be finite */
        if (n->op == TN_OP_CALL)
            tn_program_partials(tape, n, work);
        if (n->op == TN_OP_LEAF || n->op == TN_OP_VALUE)
            gradient[3 * n->index] += g[0];
        else if (n->op == TN_OP_LEAF3 || n->op == TN_OP_RATE_LEAF3 || n->op == TN_OP_VALUE3)
            add_scaled(gradient + 3 * n->index, 1, g);
        else
            reverse(n, g, n->passes & 1 ? adjoints + TN_TAPE_REVERSE * n->a : sink,
                    n->passes & 2 ? adjoints + TN_TAPE_REVERSE * n->b : sink, work + TN_TAPE_FORWARD * *i,
                    work + TN_TAPE_FORWARD * n->a, work + TN_TAPE_FORWARD * n->b);
    }
}
