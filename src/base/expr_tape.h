/* The tape; private to this layer.
 *
 * A node is one instruction; its operands come before it. Equal nodes exist once. A node is at position level or at
 * velocity level (it contains vel() or a velocity leaf). The reverse pass carries one adjoint per node: with respect to
 * the node's first time derivative at position level, with respect to its value at velocity level. That is all a row
 * of a Jacobian needs, so operands that would get another kind of adjoint are not marked in passes. */
#ifndef TN_BASE_EXPR_TAPE_H
#define TN_BASE_EXPR_TAPE_H

#include "expr.h"

enum {
    TN_TAPE_NODES = 4096,
    TN_TAPE_FORWARD = 9,           /* doubles a node: x[3], dx[3], ddx[3] */
    TN_TAPE_REVERSE = 3,           /* doubles a node: adjoint */
    TN_TAPE_TANGENT = 6            /* doubles a node: change of x[3], of dx[3] */
};

typedef enum tn_op {
    TN_OP_CONSTANT, TN_OP_PARAMETER, TN_OP_TIME,
    TN_OP_LEAF, TN_OP_LEAF3,
    TN_OP_RATE_LEAF3,              /* a vector at velocity level */
    TN_OP_VALUE, TN_OP_VALUE3,     /* leaves without rates */
    TN_OP_ADD, TN_OP_ADD3, TN_OP_SUB, TN_OP_SUB3, TN_OP_NEG, TN_OP_NEG3,
    TN_OP_MUL, TN_OP_SCALE3,       /* SCALE3: scalar a, vector b */
    TN_OP_DIV, TN_OP_DOT, TN_OP_CROSS, TN_OP_NORM,
    TN_OP_COMPONENT,               /* component index of the vector a */
    TN_OP_POWER,                   /* a^b, b constant in time */
    TN_OP_POWER_MOVING,
    TN_OP_SIN, TN_OP_COS, TN_OP_TAN, TN_OP_ASIN, TN_OP_ACOS, TN_OP_ATAN, TN_OP_SQRT, TN_OP_EXP, TN_OP_LOG, TN_OP_ABS,
    TN_OP_SINH, TN_OP_COSH, TN_OP_TANH, TN_OP_LOG10,
    TN_OP_RAMP,                    /* from 0 at a = 0 to 1 at a = 1, twice continuously differentiable */
    TN_OP_ATAN2,
    TN_OP_SURFACE,                 /* index: place in the table of curves */
    TN_OP_MOD,                     /* a - b floor(a / b) */
    TN_OP_MIN, TN_OP_MAX,
    TN_OP_SELECT,                  /* a where node index is not zero, else b */
    TN_OP_LESS, TN_OP_LESS_EQUAL, TN_OP_AND, TN_OP_OR, TN_OP_NOT, TN_OP_SIGN, TN_OP_FLOOR,   /* flat: no slope */
    TN_OP_CURVE, TN_OP_CURVE_INTEGRAL,   /* of curve index at a */
    TN_OP_UNWRAP,                  /* the angle a plus full turns, nearest to memory[index] */
    TN_OP_VEL, TN_OP_VEL3,
    TN_OP_ARGUMENT, TN_OP_ARGUMENTS,   /* of a call: the first, a; one more, b, behind those of a. value: number of the call */
    TN_OP_CALL                     /* of function index of the program, with the arguments a */
} tn_op;

typedef struct tn_node {
    uint8_t op;                    /* tn_op */
    uint8_t passes;                /* bit 0: the adjoint goes on to a, bit 1: to b */
    uint16_t a, b;
    uint16_t index;                /* leaf, parameter, memory slot, component, curve or third operand */
    double value;                  /* CONSTANT */
} tn_node;
_Static_assert(sizeof(tn_node) == 16, "four nodes a cache line");

typedef struct tn_node_traits {
    bool vector, velocity, timed, moving;   /* moving: depends on a leaf */
    bool rateless;                 /* has no time derivative since a leaf has none */
    bool rated;                    /* depends on time, or on a leaf that has a rate */
    bool needed;                   /* scratch of tn_tape_finish */
    uint16_t place;                /* scratch of tn_tape_finish */
} tn_node_traits;

typedef struct tn_tape_curve {
    const tn_curve *curve;
    const tn_grid *surface;     /* of two numbers, in place of the curve; NULL: of one */
    tn_dim dim_in, dim_in2, dim;
    bool dim_in_known, dim_in2_known, dim_known;
} tn_tape_curve;

typedef struct tn_tape_result {
    uint16_t node;
    tn_output_info info;
    size_t begin, end;             /* in chains: the nodes the gradient visits, outputs before operands */
} tn_tape_result;

struct tn_tape {
    tn_context *context;
    int owners;
    tn_node *nodes;
    tn_node_traits *traits;
    tn_tape_result *outputs;
    uint16_t *chains;
    tn_tape_curve *curves;
    const tn_program_function **functions;     /* of the program, one for each call */
    size_t function_count, function_capacity;
    size_t count, node_capacity, traits_capacity;
    size_t output_count, output_capacity;
    size_t chain_count, chain_capacity;
    size_t curve_count, curve_capacity;
    bool complex;                  /* has operations beyond sums, products and powers of numbers */
};

/* Operands that the operation reads: 0 to 3. */
int tn_op_operands(tn_op op);
/* Operand i of a node: a, b or the node that index names. */
static inline uint16_t tn_node_operand(const tn_node *node, int i)
{
    return i == 0 ? node->a : i == 1 ? node->b : node->index;
}
/* Sums, products and powers of numbers (expr_eval.c). */
bool tn_op_plain(tn_op op);
/* Piecewise constant: nothing passes through its derivatives. */
bool tn_op_flat(tn_op op);
/* Of mod(a, b): the whole number k with a - k b between 0 and b, and that rest, without round-off. */
double tn_mod_turns(double a, double b, double *rest);
/* The node, new or already there. Operands must exist. TN_ERROR_MEMORY, or TN_ERROR_MODEL when the tape is full. */
int tn_tape_node(tn_tape *tape, tn_node node, int *out);
/* Makes node the next output and drops the nodes from first on that it does not need. */
int tn_tape_finish(tn_tape *tape, int node, size_t first, tn_output_info info);
/* x of the last of count nodes, at most 3, which depend on constants and on curves of the tape only. */
double tn_tape_fold(const tn_tape *tape, const tn_node *nodes, int count);

/* expr_program.c: the value of a call; its derivatives, which go into the slots of its arguments; the change of its value. */
double tn_program_value(const tn_program_function *f, const tn_node *nodes, const tn_node *call, const double *work);
void tn_program_partials(const tn_tape *tape, const tn_node *call, double *work);
double tn_program_change(const tn_tape *tape, const tn_node *call, double *work, const double *tangents);

#endif
