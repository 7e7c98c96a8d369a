/* A body of a nested model that is guided: one joint holds it to ground, and one pin to another body, as a piston with
 * its cylinder and rod. The body and both joints are eliminated before the model's solver sees the equations.
 *     A a = s                        the rows of the joint,    a = S x + b,   A S = 0,  A b = s
 *     P a + Q q = r                  those of the pin,         P S x + Q q = r - P b
 * with the motion q of the other body, its carrier. Some rows of the pin tell x,
 *     x = X q + c
 * and what the body weighs comes on top of the carrier's mass, X'S'M S X, and the forces with it. The other rows of the
 * pin are left to the carrier. Both follow from one matrix W, W P S = [1; 0]. Rows are turned to the body's axes first,
 * where P S does not change while the body moves along its joint: which rows tell x is decided once, and rows that are
 * left change smoothly, as solvers need that keep their pivots through a step.
 *
 * Matrices hold until they are taken again, as the factorization of the model's solver does. */
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
    int telling[TN_GUIDED_ROWS];    /* rows of the pin, turned, that tell x */
    double axes[2][3];             /* of a hinge: normal to it, in axes of the body */
    tn_guided_body_row lengths;          /* what columns are divided by to be displacements */
    /* A = L U, in columns that are lengths; row i of U begins in column[i]. */
    tn_guided_body_row U[TN_GUIDED_ROWS];
    double L[TN_GUIDED_ROWS][TN_GUIDED_ROWS], inverse[TN_GUIDED_ROWS];
    int column[TN_GUIDED_ROWS];
    tn_guided_body_row S[TN_GUIDED_COLUMNS], P[TN_GUIDED_ROWS], X[TN_GUIDED_COLUMNS];   /* S transposed */
    tn_guided_body_row W[TN_GUIDED_ROWS]; /* rows that tell x first */
    tn_guided_body_row M[TN_GUIDED_COLUMNS];
    double mass[TN_GUIDED_COLUMNS][TN_GUIDED_COLUMNS];           /* S'M S */
    tn_guided_body_row b;                /* b and c: of the last question */
    double c[TN_GUIDED_COLUMNS];
} tn_guided_body;

/* Finds at the start which rows tell x. False: they do not, or not well. The numbers above that are the system's are
 * known. */
bool tn_guided_body_begin(tn_guided_body *guided, const tn_system *system, const tn_eval *e);
/* Matrices at the point of e: adds to the carrier's mass, and writes the rows that are left. False: the joint gives no
 * direction. */
bool tn_guided_body_take(tn_guided_body *guided, const tn_system *system, const tn_eval *e, double *carrier_mass,
                         double *left);
/* f on the body, s of the joint, r of the pin: adds to the carrier's force, and writes r of the rows that are left. */
void tn_guided_body_take_side(tn_guided_body *guided, const double *f, const double *joint, const double *pin,
                              double *carrier_force, double *left);
/* a from q. */
void tn_guided_body_move(const tn_guided_body *guided, const double *carrier, double *a);

#endif
