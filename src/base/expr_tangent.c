/* The tangent pass: the change of value and rate of every node for a small change of the leaves' values and rates.
 *
 * A change is written with capitals: R, A, B are the changes of the slots r, a, b. Every rule is the change of the
 * forward rule; for a function f of one number
 *     R = f' A,   R' = f'' A a' + f' A',
 * which is symmetric in the motion a' and the change A, as mixed derivatives are. */
#include "elementary.h"
#include "expr_slots.h"
#include "expr_tape.h"
#include <math.h>
#include <string.h>

static void change_leaf(double *R, const tn_leaf *tangent)
{
    memcpy(R + X, tangent->x, sizeof tangent->x);
    memcpy(R + DX, tangent->dx, sizeof tangent->dx);
}

/* R = s A + t B; the unused components of scalars are not computed */
static void change_sum(double *R, double s, const double *A, double t, const double *B)
{
    for (int i = 0; i < TN_TAPE_TANGENT; i++)
        R[i] = s * A[i] + t * B[i];
}

static void change_mul(double *R, const double *a, const double *A, const double *b, const double *B)
{
    R[X] = A[X] * b[X] + a[X] * B[X];
    R[DX] = A[DX] * b[X] + A[X] * b[DX] + a[DX] * B[X] + a[X] * B[DX];
}

static void change_scale3(double *R, const double *a, const double *A, const double *b, const double *B)
{
    for (int k = 0; k < 3; k++) {
        R[X + k] = A[X] * b[X + k] + a[X] * B[X + k];
        R[DX + k] = A[DX] * b[X + k] + A[X] * b[DX + k] + a[DX] * B[X + k] + a[X] * B[DX + k];
    }
}

static void change_dot(double *R, const double *a, const double *A, const double *b, const double *B)
{
    R[X] = dot(A + X, b + X) + dot(a + X, B + X);
    R[DX] = dot(A + DX, b + X) + dot(A + X, b + DX) + dot(a + DX, B + X) + dot(a + X, B + DX);
}

static void change_cross(double *R, const double *a, const double *A, const double *b, const double *B)
{
    memset(R, 0, TN_TAPE_TANGENT * sizeof *R);
    add_cross(R + X, 1, A + X, b + X);
    add_cross(R + X, 1, a + X, B + X);
    add_cross(R + DX, 1, A + DX, b + X);
    add_cross(R + DX, 1, A + X, b + DX);
    add_cross(R + DX, 1, a + DX, B + X);
    add_cross(R + DX, 1, a + X, B + DX);
}

/* r b = a */
static void change_div(double *R, const double *r, const double *A, const double *b, const double *B)
{
    R[X] = (A[X] - r[X] * B[X]) / b[X];
    R[DX] = (A[DX] - R[X] * b[DX] - r[DX] * B[X] - r[X] * B[DX]) / b[X];
}

/* r r' = a . a' */
static void change_norm(double *R, const double *r, const double *a, const double *A)
{
    R[X] = dot(a + X, A + X) * r[PARTIAL_A];
    R[DX] = (dot(A + X, a + DX) + dot(a + X, A + DX) - R[X] * r[DX]) * r[PARTIAL_A];
}

/* r = a^b = exp(b log a), with its second derivatives by a, by a and b, and by b */
static void change_power_moving(double *R, const double *r, const double *a, const double *A, const double *b,
                                const double *B)
{
    double l = tn_ln(a[X]), aa = r[PARTIAL_A] * (b[X] - 1) / a[X], ab = r[X] / a[X] * (1 + b[X] * l);
    double bb = r[PARTIAL_B] * l;
    R[X] = r[PARTIAL_A] * A[X] + r[PARTIAL_B] * B[X];
    R[DX] = (aa * A[X] + ab * B[X]) * a[DX] + (ab * A[X] + bb * B[X]) * b[DX] + r[PARTIAL_A] * A[DX]
          + r[PARTIAL_B] * B[DX];
}

/* r' (x^2 + y^2) = x y' - y x' */
static void change_atan2(double *R, const double *r, const double *y, const double *Y, const double *x,
                         const double *dX)
{
    double square = x[X] * x[X] + y[X] * y[X], change = 2 * (x[X] * dX[X] + y[X] * Y[X]);
    R[X] = (x[X] * Y[X] - y[X] * dX[X]) / square;
    R[DX] = (dX[X] * y[DX] + x[X] * Y[DX] - Y[X] * x[DX] - y[X] * dX[DX] - r[DX] * change) / square;
}

/* A table of two arguments. */
static void change_surface(double *R, const double *r, const double *a, const double *A, const double *b, const double *B)
{
    R[X] = r[PARTIAL_A] * A[X] + r[PARTIAL_B] * B[X];
    R[DX] = (r[SECOND_AA] * A[X] + r[SECOND_AB] * B[X]) * a[DX] + (r[SECOND_AB] * A[X] + r[SECOND_BB] * B[X]) * b[DX] +
            r[PARTIAL_A] * A[DX] + r[PARTIAL_B] * B[DX];
}

/* Functions of one number, and powers with an exponent that stays. */
static void change_function(double *R, const double *r, const double *a, const double *A)
{
    R[X] = r[PARTIAL_A] * A[X];
    R[DX] = r[SECOND] * A[X] * a[DX] + r[PARTIAL_A] * A[DX];
}

/* The rate of a rate is beyond this pass: NaN, so that it is not mistaken for a value. */
static void change_vel(double *R, const double *A)
{
    for (int k = 0; k < 3; k++) {
        R[X + k] = A[DX + k];
        R[DX + k] = NAN;
    }
}

static void change(const tn_node *n, const tn_leaf *tangents, const double *r, const double *a, const double *b,
                   double *R, const double *A, const double *B)
{
    switch ((tn_op)n->op) {
    case TN_OP_LEAF: case TN_OP_LEAF3: case TN_OP_RATE_LEAF3: case TN_OP_VALUE: case TN_OP_VALUE3:
        change_leaf(R, &tangents[n->index]);
        break;
    case TN_OP_ADD: case TN_OP_ADD3: change_sum(R, 1, A, 1, B); break;
    case TN_OP_SUB: case TN_OP_SUB3: change_sum(R, 1, A, -1, B); break;
    case TN_OP_NEG: case TN_OP_NEG3: change_sum(R, -1, A, 0, A); break;
    case TN_OP_MUL: change_mul(R, a, A, b, B); break;
    case TN_OP_SCALE3: change_scale3(R, a, A, b, B); break;
    case TN_OP_DIV: change_div(R, r, A, b, B); break;
    case TN_OP_DOT: change_dot(R, a, A, b, B); break;
    case TN_OP_CROSS: change_cross(R, a, A, b, B); break;
    case TN_OP_NORM: change_norm(R, r, a, A); break;
    case TN_OP_COMPONENT: R[X] = A[X + n->index]; R[DX] = A[DX + n->index]; break;
    case TN_OP_POWER_MOVING: change_power_moving(R, r, a, A, b, B); break;
    case TN_OP_SURFACE: change_surface(R, r, a, A, b, B); break;
    case TN_OP_ATAN2: change_atan2(R, r, a, A, b, B); break;
    case TN_OP_MOD: change_sum(R, 1, A, r[PARTIAL_B], B); break;
    case TN_OP_MIN: case TN_OP_MAX: case TN_OP_SELECT:
        memcpy(R, r[PARTIAL_A] != 0 ? A : B, TN_TAPE_TANGENT * sizeof *R);
        break;
    case TN_OP_UNWRAP: case TN_OP_ARGUMENT: memcpy(R, A, TN_TAPE_TANGENT * sizeof *R); break;
    case TN_OP_ARGUMENTS: memcpy(R, B, TN_TAPE_TANGENT * sizeof *R); break;
    case TN_OP_VEL: case TN_OP_VEL3: change_vel(R, A); break;
    default: change_function(R, r, a, A); break;
    }
}

static size_t tangent_place(const tn_tape *tape, size_t node)
{
    return (TN_TAPE_FORWARD + TN_TAPE_REVERSE) * tape->count + TN_TAPE_REVERSE + TN_TAPE_TANGENT * node;
}

void tn_tape_tangent(const tn_tape *tape, const tn_leaf *tangents, double *work)
{
    double *slots = work + tangent_place(tape, 0);
    for (size_t i = 0; i < tape->count; i++) {
        const tn_node *n = &tape->nodes[i];
        double *R = slots + TN_TAPE_TANGENT * i;
        if (n->op == TN_OP_CALL) {
            R[X] = tn_program_change(tape, n, work, slots);
            R[DX] = NAN;
        } else if (tape->traits[i].moving && !tn_op_flat((tn_op)n->op))
            change(n, tangents, work + TN_TAPE_FORWARD * i, work + TN_TAPE_FORWARD * n->a,
                   work + TN_TAPE_FORWARD * n->b, R, slots + TN_TAPE_TANGENT * n->a, slots + TN_TAPE_TANGENT * n->b);
        else
            memset(R, 0, TN_TAPE_TANGENT * sizeof *R);
    }
}

static double tangent_of(const tn_tape *tape, const double *work, int output, int component, int derivative)
{
    const tn_tape_result *r = &tape->outputs[output];
    if (component > 0 && !r->info.vector)
        return 0;
    return work[tangent_place(tape, r->node) + (size_t)(derivative + component)];
}

double tn_tape_tangent_value(const tn_tape *tape, const double *work, int output, int component)
{
    return tangent_of(tape, work, output, component, X);
}

double tn_tape_tangent_rate(const tn_tape *tape, const double *work, int output, int component)
{
    return tangent_of(tape, work, output, component, DX);
}
