/* Expressions over scalars and vectors, compiled once into a tape and evaluated without allocation.
 *
 * Forward evaluation carries value, first and second time derivative of every node along the motion of the leaves.
 * The reverse pass gives the exact gradient of an output with respect to every leaf:
 *     output' = sum over leaves  gradient . leaf'  + explicit time part
 * so that a row of the constraint Jacobian is the gradient applied to the velocity map of each leaf.
 *
 * Grammar (loosest first):  or;  and;  not;  < <= > >= (one, giving 1 or 0);  sum: + -;
 * product: * / and " . " (scalar product);  unary -;  power ^ (right, scalar);
 * atoms: number with optional unit ("12 mm", "9.81 m/s^2"), name, function(args), (expression); a vector's component
 * directly behind it: "a.x", "(a + b).z".
 * A name may be a path, "crank.tip.position.x" or "pin-a.angle": the longest run of letters, digits and _ . - that the
 * scope knows, cut before a point or a hyphen. Where none is known, a.b is the scalar product and a-b the difference.
 * After a number, a unit goes on over juxtaposed units ("N m") and over "/" when what follows is a unit and not a
 * symbol of the model.
 * Functions: sin cos tan asin acos atan atan2 sinh cosh tanh sqrt hypot exp log log10 abs sign floor mod min max clamp
 * step if norm unit cross vel turn integral, and curves of the scope; constants: pi.
 *
 * Dimensions are checked where they are certain: a number written without unit adapts (SI). Adding a length to a time,
 * or sin(3 m), is an error. docs/expressions.md describes the language for people who write models. */
#ifndef TN_BASE_EXPR_H
#define TN_BASE_EXPR_H

#include "grid.h"
#include "tenon/sys/joint.h"

typedef enum tn_symbol_kind {
    TN_SYMBOL_UNKNOWN,
    TN_SYMBOL_CONSTANT,        /* value known when compiled */
    TN_SYMBOL_PARAMETER,       /* parameters[index] at evaluation; constant in time */
    TN_SYMBOL_SCALAR,          /* leaf index, a scalar that moves */
    TN_SYMBOL_VECTOR,          /* leaf index, a vector that moves */
    TN_SYMBOL_VELOCITY,        /* leaf index, a vector that exists at velocity level only (angular velocity) */
    TN_SYMBOL_TIME,
    TN_SYMBOL_TEXT,            /* stands for another expression */
    TN_SYMBOL_CURVE,           /* a function of one number: NAME(x), or of two: NAME(x, y) */
    TN_SYMBOL_TERM             /* of the parser: node index, the argument of a function */
} tn_symbol_kind;

typedef struct tn_scope tn_scope;

typedef struct tn_symbol {
    tn_symbol_kind kind;
    tn_dim dim;
    bool dim_known;            /* false: dimension adapts like a bare number */
    bool owner;                /* UNKNOWN: a part of the model, whose channels have names, has this one */
    bool rateless;             /* SCALAR, VECTOR: known by value only (a reaction, an energy); vel() of it is refused */
    double value;              /* CONSTANT */
    int index;                 /* PARAMETER, SCALAR, VECTOR, VELOCITY */
    const char *text;          /* TEXT; "(x, y) -> ..." is called like a function: NAME(1, 2) */
    const tn_scope *scope;     /* TEXT: where its names are looked up */
    int memory;                /* TEXT: memory slot of a turn() in it; -1: turn() not allowed */
    const tn_curve *curve;     /* CURVE: borrowed, must outlive the tape; dim is that of its value */
    const tn_grid *surface; /* CURVE: borrowed; of two numbers, in place of curve. NULL: of one */
    tn_dim dim_in, dim_in2;    /* CURVE: of its arguments */
    bool dim_in_known, dim_in2_known;
} tn_symbol;

struct tn_scope {
    tn_symbol (*lookup)(const tn_scope *scope, const char *name);   /* kind UNKNOWN when there is none */
    const char *(*candidate)(const tn_scope *scope, size_t index);  /* names for suggestions; may be NULL */
    const void *user;
    bool mirrored;             /* its vectors are mirror images: what turns, cross() and VELOCITY, changes its sign */
};

typedef struct tn_expr_error {
    int offset;                /* character in the text, from 0 */
    char message[640];
} tn_expr_error;

/* A compiled list of outputs that share nodes. */
typedef struct tn_tape tn_tape;
typedef struct tn_output_info {
    bool vector;               /* three components, else one */
    bool velocity;             /* contains vel() or a velocity leaf */
    bool timed;                /* depends on t explicitly */
    bool constant;             /* depends on no leaf and no time (parameters allowed) */
    bool rateless;             /* depends on a rateless leaf: time derivatives are NaN */
    bool rated;                /* depends on time, or on a leaf that has a rate */
    tn_dim dim;
    bool dim_known;
} tn_output_info;

int tn_tape_create(tn_tape **out, tn_context *context);
void tn_tape_destroy(tn_tape *tape);
/* One more owner of a tape that is complete: the last one to destroy it frees it. */
tn_tape *tn_tape_share(tn_tape *tape);
/* Compiles text as the next output. TN_ERROR_MODEL fills error. Depth, length and node count are limited. */
int tn_tape_add(tn_tape *tape, const char *text, const tn_scope *scope, tn_output_info *info, tn_expr_error *error);
int tn_tape_outputs(const tn_tape *tape);
tn_output_info tn_tape_output(const tn_tape *tape, int output);
/* Some output counts turns: it reads the memory. */
bool tn_tape_remembers(const tn_tape *tape);
/* Some output reads the leaf. */
bool tn_tape_reads(const tn_tape *tape, int leaf);
/* Every output is a sum of leaves (numbers) with constant factors, and a constant; time does not occur (expr_affine.c). */
bool tn_tape_affine(const tn_tape *tape);
/* Doubles of scratch that evaluation needs. */
size_t tn_tape_work(const tn_tape *tape);

typedef struct tn_leaf {
    double x[3], dx[3], ddx[3];    /* value, first, second time derivative (accelerations of the bodies at zero) */
} tn_leaf;

typedef struct tn_tape_input {
    double t;
    const tn_leaf *leaves;
    const double *parameters;
    const double *memory;          /* last accepted angles of turn(), by memory slot */
    const double *branches;        /* branch of each kink (tn_tape_kinks), which is taken whatever the operands; NULL, or
                                      NaN for one of them: free */
    double *record;                /* gets the branch of each kink; NULL: none */
} tn_tape_input;

/* Several evaluations of one tape side by side, of sums, products and powers only (tn_tape_plain): the values of tn_tape_values, to the bit. */
enum { TN_TAPE_LANES = 8 };
typedef struct tn_tape_lanes {
    double t;
    void (*leaf)(const void *user, int leaf, double *out);             /* x[0] of a leaf in every lane */
    void (*parameter)(const void *user, int parameter, double *out);
    const void *user;
} tn_tape_lanes;
bool tn_tape_plain(const tn_tape *tape);
/* work: tn_tape_work doubles. */
void tn_tape_values_side_by_side(const tn_tape *tape, const tn_tape_lanes *lanes, double *work);
const double *tn_tape_lane_values(const tn_tape *tape, const double *work, int output);

/* Operations with kinks: comparisons, min, max, abs, sign, floor, mod. With branches given they are continued smoothly
 * beyond their kinks, so that integrators keep their order; the caller looks for the zeros. */
int tn_tape_kinks(const tn_tape *tape);
/* After tn_tape_forward with these branches: how far each kink is on the wrong side of its branch; negative: on the right
 * side. */
void tn_tape_violations(const tn_tape *tape, const double *work, const double *branches, double *violations);

/* The branch of each kink by its operands; the larger size of its operands. */
void tn_tape_branches(const tn_tape *tape, const double *work, double *branches);
void tn_tape_kink_sizes(const tn_tape *tape, const double *work, double *sizes);

/* Parts that depend on time and constants alone (expr_range.c). Nodes of the tape; for each of them in clock whether it is such a
 * part, and in watched whether it also acts on the rest of the tape or is an output. Returns the number of the watched. */
size_t tn_tape_size(const tn_tape *tape);
int tn_tape_clocks(const tn_tape *tape, bool *clock, bool *watched);
/* Bounds of those parts over all times from t0 to t1; infinite where none are known. */
void tn_tape_ranges(const tn_tape *tape, const double *parameters, const bool *clock, double t0, double t1, double *low,
                    double *high);

/* Those of the parts in clock that switch at instants: comparisons, sign, floor, mod, abs, min and max. Returns their number.
 * tn_tape_settled: with bounds over an interval, none of them switches within; tn_tape_branch: with values at an instant, a number that
 * differs from that at another instant if one of them has switched. */
int tn_tape_switches(const tn_tape *tape, const bool *clock, bool *switches);
bool tn_tape_settled(const tn_tape *tape, const bool *switches, const double *low, const double *high);
uint64_t tn_tape_branch(const tn_tape *tape, const bool *switches, const double *values);

/* Sharp parts: they may change much where what they read changes little (expr_range.c). sampled: nodes whose ranges the caller finds from
 * values along the motion; sharp: of each output 0, or its components (1 or 3) where it depends on the motion through a sharp operation. */
void tn_tape_sharp(const tn_tape *tape, bool *sampled, int *sharp);
/* Bounds of all parts from t0 to t1, three numbers a node, where ranges of the sampled nodes are given. */
void tn_tape_bounds(const tn_tape *tape, const double *parameters, const bool *sampled, double t0, double t1, double *low, double *high);
/* The node of an output; the value of a node after tn_tape_forward. */
size_t tn_tape_output_node(const tn_tape *tape, int output);
const double *tn_tape_node_value(const double *work, size_t node);

/* Evaluates all outputs with order 0, 1 or 2 time derivatives. Outputs at velocity level: one order less is valid. */
void tn_tape_forward(const tn_tape *tape, const tn_tape_input *input, int order, double *work);
/* The same values alone, without what gradients and tangents need. */
void tn_tape_values(const tn_tape *tape, const tn_tape_input *input, double *work);
/* derivative 0, 1, 2 of component 0..2 of an output after tn_tape_forward. */
double tn_tape_value(const tn_tape *tape, const double *work, int output, int component, int derivative);
/* Gradient of one component after tn_tape_forward (any order; order >= 1 for velocity outputs): gradient[3 * leaf + k]
 * is added to, so clear it first. For outputs at velocity level, with respect to the velocities of the leaves.
 * Branches of if, min and max that are not taken add nothing, whatever their values. */
void tn_tape_gradient(const tn_tape *tape, double *work, int output, int component, double *gradient);
/* After tn_tape_forward (order >= 1 for velocity outputs): true when the output's value is not finite, and in buffer
 * what made it so: "division by zero", "square root of a negative number". */
bool tn_tape_trouble(const tn_tape *tape, const double *work, int output, char *buffer, size_t size);

/* Directional derivatives after tn_tape_forward (order >= 1): of every output's value when each leaf's x and dx change
 * by tangents[leaf].x and .dx, independently of each other (ddx is not read). So outputs with vel() have exact
 * derivatives with respect to positions and to velocities. */
void tn_tape_tangent(const tn_tape *tape, const tn_leaf *tangents, double *work);
/* Of a component of an output, after tn_tape_tangent: of its value, or of its rate (outputs at position level). */
double tn_tape_tangent_value(const tn_tape *tape, const double *work, int output, int component);
double tn_tape_tangent_rate(const tn_tape *tape, const double *work, int output, int component);

/* Functions of the program (tn_context_add_function). */
typedef struct tn_program_function tn_program_function;
void tn_program_functions_free(tn_context *context);

/* Whether a text is a function with arguments: "(x, y) -> x * y". */
bool tn_expr_is_function(const char *text);
/* One number: compiles and evaluates text whose names are constants. */
int tn_expr_number(tn_context *context, const char *text, const tn_scope *scope, double *value, tn_output_info *info,
                   tn_expr_error *error);

#endif
