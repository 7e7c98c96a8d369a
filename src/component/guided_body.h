/* A guided body of a nested model: one joint connects it to ground, and one pin to another body, as a piston with its
 * cylinder and rod. The body and both joints are eliminated before the model's solver sees the equations.
 *     A a = s                        the rows of the joint,    a = S x + b,   A S = 0,  A b = s
 *     P a + Q q = r                  the rows of the pin,      P S x + Q q = r - P b
 * with the motion q of the other body, its carrier. Some rows of the pin determine x,
 *     x = X q + c
 * and the mass X'S'M S X of the body is added to the carrier's mass, and its forces to the carrier's. The other rows of
 * the pin remain as rows on the carrier. Both follow from one matrix W, W P S = [1; 0]. Rows are rotated to the body's
 * axes first, where P S is constant while the body moves along its joint: the choice of rows that determine x is made
 * once, and the remaining rows change smoothly, as needed by solvers that keep their pivots through a step.
 *
 * Matrices stay valid until the next tn_guided_body_take, like the factorization of the model's solver. */
#ifndef TN_COMPONENT_GUIDED_BODY_H
#define TN_COMPONENT_GUIDED_BODY_H

#include "system.h"

enum { TN_GUIDED_COLUMNS = 6, TN_GUIDED_ROWS = 5 };
/* A row over the columns of a body; zero where a planar body has none. */
typedef struct tn_guided_body_row {
    double x[TN_GUIDED_COLUMNS];
} tn_guided_body_row;

typedef struct tn_guided_body {
    /* Bodies, constraints and blocks of the system. */
    int body, carrier;
    int joint, joint_block;
    int pin, pin_block, carrier_block;
    int width;                     /* columns of the body */
    int rows, free, pin_rows;      /* of A, x and P */
    int telling[TN_GUIDED_ROWS];    /* rows of the pin, in body axes, that determine x */
    double axes[2][3];             /* of a hinge: two axes normal to it, in body axes */
    tn_guided_body_row lengths;          /* factors from columns that are lengths to those of the body */
    /* A = L U, in columns that are lengths; row i of U begins in column[i]. */
    tn_guided_body_row U[TN_GUIDED_ROWS];
    double L[TN_GUIDED_ROWS][TN_GUIDED_ROWS], inverse[TN_GUIDED_ROWS];
    int column[TN_GUIDED_ROWS];
    tn_guided_body_row S[TN_GUIDED_COLUMNS], P[TN_GUIDED_ROWS], X[TN_GUIDED_COLUMNS];   /* S transposed */
    tn_guided_body_row W[TN_GUIDED_ROWS]; /* the rows that determine x come first */
    tn_guided_body_row M[TN_GUIDED_COLUMNS];
    double mass[TN_GUIDED_COLUMNS][TN_GUIDED_COLUMNS];           /* S'M S */
    tn_guided_body_row b;                /* b and c: of the last question */
    double c[TN_GUIDED_COLUMNS];
} tn_guided_body;

/* Chooses at the start the rows that determine x. False: no rows do, or only badly. The caller has set the numbers of
 * bodies, constraints, blocks and rows above. */
bool tn_guided_body_begin(tn_guided_body *guided, const tn_system *system, const tn_eval *e);
/* Computes the matrices at the point of e: adds to the carrier's mass, and writes the remaining rows of the pin. False:
 * the rows of the joint or pin are singular. */
bool tn_guided_body_take(tn_guided_body *guided, const tn_system *system, const tn_eval *e, double *carrier_mass,
                         double *left);
/* Takes f of the body, s of the joint, r of the pin: adds to the carrier's force, writes r of the remaining rows. */
void tn_guided_body_take_side(tn_guided_body *guided, const double *f, const double *joint, const double *pin,
                              double *carrier_force, double *left);
/* Computes a of the body from q of the carrier. */
void tn_guided_body_move(const tn_guided_body *guided, const double *carrier, double *a);

#endif
