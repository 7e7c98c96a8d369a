/* The state of the sweeps over a cone problem; private to cone_sweeps.c and cone_newton.c. */
#ifndef TN_SOLVE_CONE_SWEEPS_IMPL_H
#define TN_SOLVE_CONE_SWEEPS_IMPL_H

#include "cone_sweeps.h"

/* Sweeps that the acceleration combines. */
enum { TN_SWEEP_WINDOW = 12 };

typedef struct tn_sweeps {
    double *v;
    const double *free;        /* velocities without impulses */
    tn_sweep_contact *contacts;
    const int *list;
    int count, rows;
    double scale;              /* m/s: largest velocity */
    double *x, *f;             /* impulses before the sweep; their change by the sweep; weighted */
    double *dx[TN_SWEEP_WINDOW], *df[TN_SWEEP_WINDOW];
    double *last_x, *last_f;
    double gram[TN_SWEEP_WINDOW][TN_SWEEP_WINDOW];
    int kept, oldest;
} tn_sweeps;

/* The larger number; fmax is a call of a function, because it treats NaN with care. */
static inline double tn_more(double a, double b)
{
    return a > b ? a : b;
}

/* The velocities of a contact without those of the bodies, as an initializer. */
#define TN_SWEEP_VELOCITY(c) { (c)->shift, (c)->belt[0], (c)->belt[1] }

/* w += J v */
static inline void tn_sweep_add_rows(const tn_sweep_contact *c, const double *v, double w[TN_SWEEP_ROWS])
{
    for (int b = 0; b < c->J_count; b++) {
        const double *x = v + c->J[b].at, *values = c->J[b].values;
        if (c->rows == 3)
            for (int j = 0; j < c->J[b].width; j++, values += 3) {
                w[0] += values[0] * x[j];
                w[1] += values[1] * x[j];
                w[2] += values[2] * x[j];
            }
        else
            for (int j = 0; j < c->J[b].width; j++)
                for (int r = 0; r < c->rows; r++)
                    w[r] += *values++ * x[j];
    }
}

/* v += A p */
static inline void tn_sweep_add_response(const tn_sweep_contact *c, const double *p, double *v)
{
    for (int b = 0; b < c->A_count; b++) {
        double *x = v + c->A[b].at;
        const double *values = c->A[b].values;
        if (c->rows == 3)
            for (int j = 0; j < c->A[b].width; j++, values += 3)
                x[j] += values[0] * p[0] + values[1] * p[1] + values[2] * p[2];
        else
            for (int j = 0; j < c->A[b].width; j++)
                for (int r = 0; r < c->rows; r++)
                    x[j] += *values++ * p[r];
    }
}

/* Moves p to the nearest point of the cone: first the normal, then the tangents. */
void tn_sweep_into_cone(const tn_sweep_contact *contact, double *p);
/* Largest violation of the laws (m/s): the change of velocities when a contact is solved again, alone. */
double tn_sweeps_violation(const tn_sweeps *s);
/* Returns the root of the sum of the squares of all violations; largest: the largest one. */
double tn_sweeps_violations(const tn_sweeps *s, double *largest);
/* Computes the velocities from the impulses anew: without the round-off of larger impulses before. */
void tn_sweeps_velocities(tn_sweeps *s);

/* ---- cone_system.c: the linear system over the bodies of both methods below ---- */

/* A contact answers a change dv of the velocities with the impulses k - K J dv. */
typedef struct tn_cone_answer {
    double K[TN_SWEEP_ROWS][TN_SWEEP_ROWS], k[TN_SWEEP_ROWS];
    bool open;                     /* K is zero */
} tn_cone_answer;

typedef struct tn_cone_point {
    double p[TN_SWEEP_ROWS];       /* impulses that belong to the velocities, or those before a step */
    double q[TN_SWEEP_ROWS];       /* impulses that cause the velocities: v = v_free + sum of A q */
    double step[TN_SWEEP_ROWS];    /* change of the impulses in the step */
} tn_cone_point;

struct tn_cone_cell;
struct tn_cone_newton {
    tn_context *context;
    struct tn_block_lu *lu;
    int *nodes, *width;            /* first velocity and width of every node, ascending */
    int *node_of;                  /* by the first velocity of a node */
    int (*edges)[2];
    bool *planned;                 /* contacts whose answers have places in the matrix */
    tn_cone_answer *answers;       /* of every contact of the list */
    double *x;                     /* right side and solution */
    double *dv, *F;                /* over all velocities: their change in a step; a residual */
    struct tn_cone_cell *cells;    /* of cone_interior.c */
    tn_cone_point *points;         /* of cone_newton.c and cone_active.c */
    double *edge;                  /* of cone_active.c */
    size_t capacity[12];
    int node_count, edge_count;
    int velocities;                /* largest number of a velocity, plus one */
};

/* Makes room for the contacts of s; no contact has a place in the matrix. */
int tn_cone_system_begin(tn_cone_newton *n, const tn_sweeps *s);
/* Factors 1 + sum of A K J. Returns 0, or -1. */
int tn_cone_system_factor(tn_cone_newton *n, const tn_sweeps *s);
/* Tells whether the determinant of the factored matrix is negative. */
bool tn_cone_system_negative(const tn_cone_newton *n);
/* n->dv = (1 + sum of A K J)^-1 (sum of A k). Returns 0, or -1: a number is not finite. */
int tn_cone_system_solve(tn_cone_newton *n, const tn_sweeps *s);

/* ---- methods ---- */

/* cone_interior.c: the interior point method, from impulses near the present ones. margin: share of the largest velocity
 * by which impulses and velocities of contacts begin within their cones. The impulses stay within their cones; the
 * velocities are those that belong to them. Ends at a residual far below tolerance, or after `most` steps, or where steps
 * get short; adds them to *steps. */
void tn_cone_interior(tn_sweeps *s, tn_cone_newton *n, double margin, double tolerance, int most, int *steps);

/* cone_active.c: one step of Newton's method for what contacts do at present. soft: share of the velocity, which a change of an
 * impulse alone would cause, that the change may leave; before: violations before the last step, share: of it that was taken. */
typedef struct tn_cone_active {
    double soft, before, share;
} tn_cone_active;
int tn_cone_active_begin(tn_cone_active *active, const tn_sweeps *s, tn_cone_newton *newton);
/* The impulses are then in their cones, and the velocities are those that belong to them. Returns 0, or -1: there is no step. */
int tn_cone_active_step(tn_cone_active *active, tn_sweeps *s, tn_cone_newton *newton);

/* cone_newton.c: Newton's method from the present impulses, for the problem that is softened around `anchor`. soft: share
 * of the velocity, which an impulse alone would cause, that its difference from `anchor` may leave. Ends where the
 * velocities of all contacts are right to `enough` (m/s), or after `most` steps; adds them to *steps. The impulses are
 * then in their cones; the velocities are not updated. Returns 0, or -1: the softened problem is not solved. */
int tn_cone_soften(tn_sweeps *s, tn_cone_newton *newton, double soft, const double *anchor, double enough, int most,
                   int *steps);

#endif
