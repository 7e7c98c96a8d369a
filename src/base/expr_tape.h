/* The tape and how it is built; private to this layer.
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
    TN_EXPR_LENGTH = 4096,         /* characters of one text */
    TN_EXPR_EXPANDED = 1 << 16,    /* characters of one output with all its names expanded */
    TN_EXPR_DEPTH = 64
};

typedef enum tn_op {
    TN_OP_CONSTANT, TN_OP_PARAMETER, TN_OP_TIME,
    TN_OP_LEAF, TN_OP_LEAF3,
    TN_OP_RATE_LEAF3,              /* a vector at velocity level */
    TN_OP_ADD, TN_OP_ADD3, TN_OP_SUB, TN_OP_SUB3, TN_OP_NEG, TN_OP_NEG3,
    TN_OP_MUL, TN_OP_SCALE3,       /* SCALE3: scalar a, vector b */
    TN_OP_DIV, TN_OP_DOT, TN_OP_CROSS, TN_OP_NORM,
    TN_OP_POWER,                   /* a^b, b constant in time */
    TN_OP_POWER_MOVING,
    TN_OP_SIN, TN_OP_COS, TN_OP_TAN, TN_OP_ASIN, TN_OP_ACOS, TN_OP_ATAN, TN_OP_SQRT, TN_OP_EXP, TN_OP_LOG, TN_OP_ABS,
    TN_OP_ATAN2,
    TN_OP_UNWRAP,                  /* the angle a plus full turns, nearest to memory[index] */
    TN_OP_VEL, TN_OP_VEL3
} tn_op;

typedef struct tn_node {
    uint8_t op;                    /* tn_op */
    uint8_t passes;                /* bit 0: the adjoint goes on to a, bit 1: to b */
    uint16_t a, b;
    uint16_t index;                /* leaf, parameter or memory slot */
    double value;                  /* CONSTANT */
} tn_node;

typedef struct tn_node_traits {
    bool vector, velocity, timed, moving;   /* moving: depends on a leaf */
    bool needed;                   /* scratch of tn_tape_finish */
    uint16_t place;                /* scratch of tn_tape_finish */
} tn_node_traits;

typedef struct tn_tape_result {
    uint16_t node;
    tn_output_info info;
    size_t begin, end;             /* in chains: the nodes the gradient visits, outputs before operands */
} tn_tape_result;

struct tn_tape {
    tn_context *context;
    tn_node *nodes;
    tn_node_traits *traits;
    tn_tape_result *outputs;
    uint16_t *chains;
    size_t count, node_capacity, traits_capacity;
    size_t output_count, output_capacity;
    size_t chain_count, chain_capacity;
};

/* Operands that the operation reads: 0, 1 or 2. */
int tn_op_operands(tn_op op);
/* The node, new or already there. Operands must exist. TN_ERROR_MEMORY, or TN_ERROR_MODEL when the tape is full. */
int tn_tape_node(tn_tape *tape, tn_node node, int *out);
/* Makes node the next output and drops the nodes from first on that it does not need. */
int tn_tape_finish(tn_tape *tape, int node, size_t first, tn_output_info info);
/* x of the last of count nodes, which depend on constants only. */
double tn_tape_fold(const tn_node *nodes, int count);

/* A part of an expression, with its dimension as far as it is certain. */
typedef struct tn_term {
    int node;
    tn_dim dim;
    bool dim_known;
} tn_term;

/* One text being read; texts that names stand for are read inside each other. */
typedef struct tn_parse {
    tn_tape *tape;
    tn_expr_error *error;
    const char *text;
    int at;                        /* next character */
    int blame;                     /* character that errors point at */
    int depth;
    int *expanded;                 /* characters read so far, over all texts */
    const tn_scope *scope;
    int memory;                    /* slot for turn(), or -1 */
    const char *name;              /* what the text is called; NULL: the outermost */
    const struct tn_parse *outer;
} tn_parse;

/* Fills the error and returns TN_ERROR_MODEL. */
int tn_parse_fail(const tn_parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

int tn_term_constant(tn_parse *p, tn_term *out, double value, tn_dim dim, bool dim_known);
/* A symbol that is neither unknown nor a text. */
int tn_term_symbol(tn_parse *p, tn_term *out, const tn_symbol *symbol);
int tn_term_negate(tn_parse *p, tn_term *out, tn_term a);
int tn_term_sum(tn_parse *p, tn_term *out, char sign, tn_term a, tn_term b);
/* operator is one of * / . */
int tn_term_product(tn_parse *p, tn_term *out, char operator, tn_term a, tn_term b);
int tn_term_power(tn_parse *p, tn_term *out, tn_term a, tn_term b);

typedef struct tn_function tn_function;
const tn_function *tn_function_find(const char *name, size_t length);
const char *tn_function_name(size_t index);    /* NULL at the end */
enum { TN_FUNCTION_ARGUMENTS = 3 };
int tn_function_apply(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *arguments, int count);

#endif
