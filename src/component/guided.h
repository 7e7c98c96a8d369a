/* Bodies of a nested model that are guided: one joint holds them to ground, and one pin to another body, as a piston in
 * its cylinder with its rod. The body and both joints are eliminated before the model's solver sees the equations.
 *     A a = s                        the rows of the guide,    a = S x + b,   A S = 0,  A b = s
 *     P a + Q q = r                  those of the pin,         P S x + Q q = r - P b
 * with the motion q of the other body, its carrier. Some rows of the pin tell x,
 *     x = X q + c
 * and what the body weighs comes on top of the carrier's mass, X'S'M S X, and the forces with it. The other rows of the
 * pin are left to the carrier. Both are told by one matrix W, W P S = [1; 0]. Rows are those along axes of the body
 * first: there P S does not change while the body moves along its guide, and which rows tell x is decided once.
 *
 * Matrices hold until they are taken again, as the factorization of the model's solver does. */
#ifndef TN_COMPONENT_GUIDED_H
#define TN_COMPONENT_GUIDED_H

#include "system.h"
#include "tenon/sys/component.h"

enum { TN_GUIDED_COLUMNS = 6, TN_GUIDED_ROWS = 5 };
/* A row over the columns of a body; zero where a planar body has none. */
typedef struct tn_guided_row {
    double x[TN_GUIDED_COLUMNS];
} tn_guided_row;

typedef struct tn_guide {
    int body, carrier;             /* bodies, constraints and blocks of the system */
    int joint, joint_block;        /* to ground */
    int pin, pin_block, carrier_block;
    int width, rows;               /* of the body, of the guide */
    int free, pin_rows;
    int place, left;               /* in the structure: the carrier, the constraint that is left of the pin, -1: none */
    int telling[TN_GUIDED_ROWS];   /* rows of the pin, turned, that tell x */
    double axes[2][3];             /* of a hinge: normal to it, in axes of the body */
    tn_guided_row lengths;         /* what rotations are divided by to be displacements */
    /* A = L U, in columns that are lengths; row i of U begins in column[i]. */
    tn_guided_row U[TN_GUIDED_ROWS];
    double L[TN_GUIDED_ROWS][TN_GUIDED_ROWS], inverse[TN_GUIDED_ROWS];
    int column[TN_GUIDED_ROWS];
    tn_guided_row S[TN_GUIDED_COLUMNS], P[TN_GUIDED_ROWS], X[TN_GUIDED_COLUMNS];       /* S transposed */
    double W[TN_GUIDED_ROWS][TN_GUIDED_ROWS];                  /* those that tell x first */
    tn_guided_row M[TN_GUIDED_COLUMNS];
    double mass[TN_GUIDED_COLUMNS][TN_GUIDED_COLUMNS];         /* S'M S */
    tn_guided_row b;               /* of the last question */
    double c[TN_GUIDED_COLUMNS];
} tn_guide;

typedef struct tn_guided {
    const tn_system *system;
    tn_guide *guides;
    int count;
    int *guide_of;                 /* of each body of the system; -1: none */
    int *guide_of_pin;             /* of each constraint of the system: that it is the pin of; -1: none */
    tn_structure structure;        /* without guided bodies */
    int *body, *constraint, *block;        /* of the structure: what they are in the system */
    int *port_body;                /* of each port, in the structure */
    tn_pin *pins;
    double *M, *G, *f, *u;
    double *own_M, *own_G;         /* where M and G are when nobody gives another place */
    size_t mass_size, rows_size;
    int hidden_rows;               /* that are eliminated */
    double hidden_gap;             /* the largest of their residuals, of the last question */
} tn_guided;

/* *out stays NULL when no body is guided, or lambda inside is needed. e: all is evaluated at the start. */
int tn_guided_create(tn_guided **out, const tn_system *system, const tn_eval *e, const int *port_body, int port_count,
                     tn_arena *arena);
/* M, G and pins at the point of e; extent: as open is asked. False: a guide gives no direction. */
bool tn_guided_take_matrices(tn_guided *guided, const tn_eval *e, tn_open_extent extent);
/* f and u from those of the system. */
void tn_guided_take_sides(tn_guided *guided, const double *f, const double *u);
/* Motion of all bodies from the reduced solution. */
void tn_guided_expand(const tn_guided *guided, const double *x, double *a);

#endif
