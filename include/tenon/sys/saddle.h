/* The interface for authors of solvers: the saddle problem.
 *     M a - G' lambda = f
 *     G a             = u
 * M has one symmetric positive definite block per body, G one dense block per pair (constraint, body). A solver sees
 * blocks and needs no knowledge of mechanics.
 * The multipliers lambda act on the bodies. Redundant rows are normal: a is unique, lambda is one of the solutions. */
#ifndef TENON_SYS_SADDLE_H
#define TENON_SYS_SADDLE_H

#include "../context.h"
#include "parameter.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A constraint whose rows have a known form and need not be stored: body 1 (s1) and body 2 (s2) meet in a point, and,
 * for a hinge, turn relative to each other about the axis z only. With linear and angular accelerations a, w' of the
 * bodies:
 *     a2 + w2' x s2 - a1 - w1' x s1 = u                   3 rows (in the plane 2)
 *     n_i . (w2' - w1')             = u,  i = 1, 2        hinge in space: 2 more; z is normal to both n
 * Ground has no block; its side of the rows is absent. */
typedef enum tn_pin_kind { TN_PIN_NONE, TN_PIN_BALL, TN_PIN_HINGE } tn_pin_kind;   /* a planar revolute is a ball */

typedef struct tn_pin {
    double s1[3], s2[3];
    double n[2][3], z[3];
    int body1, body2;                /* -1: ground */
} tn_pin;

/* The rows of a pin on its body 2 (sign +1) or body 1 (-1), row-major, 6 columns (planar: 3). */
TN_API void tn_pin_write(double *rows, const tn_pin *pin, tn_pin_kind kind, bool planar, double sign);

/* Bodies without a mass matrix: a callback computes their response to forces. For solvers that set asks. */
typedef struct tn_responder {
    const bool *asked;               /* of each body: respond answers for it; its block in M is a scaling estimate */
    /* Writes the response of these bodies to f into their columns of a. A negative code ends the solve. */
    int (*respond)(void *user, const double *f, double *a);
    void *user;
} tn_responder;

typedef struct tn_structure {
    int bodies;
    const int *body_column;          /* bodies + 1: first column of each body; last entry = number of columns */
    const size_t *mass_offset;       /* where the block of each body (columns x columns, full) starts in M */
    int constraints;
    const int *constraint_row;       /* constraints + 1: first row of each constraint; last entry = number of rows */
    const int *block_begin;          /* constraints + 1: blocks of each constraint */
    const int *block_body;           /* body of each block */
    const size_t *block_offset;      /* where the block (rows x columns of the body, row-major) starts in G */
    const unsigned char *pin_kind;   /* of each constraint; NULL: none is a pin */
    const tn_pin *pins;              /* of each constraint, current when factor is called; NULL: G has their rows */
    const double *column_scale;      /* length by which a column's unknown is multiplied before ranks are compared */
    /* Subsystems, for solvers that work by them: a tree of groups of bodies. */
    int groups;                      /* 0: none */
    const int *body_group;           /* of each body: the innermost group that has it, -1: none */
    const int *group_parent;         /* of each group, -1: none */
    const int *group_rank;           /* team member that shall own the group, -1: any; NULL: any for all groups */
    const tn_responder *responder;   /* NULL: all bodies have masses */
    bool combined;                   /* some columns combine the motion of several bodies, differently at every point */
    const bool *silent;              /* of each constraint: its lambda is not used and may be omitted. NULL: none */
} tn_structure;

typedef struct tn_saddle_info {
    int rows, columns;
    int rank;                        /* found by the last factor with TN_RANK_DECIDE; -1: this solver never decides */
    double weakest_pivot;            /* smallest pivot kept, scaled rows: 1 is far from singular, 0 is singular */
    double largest_drop;             /* largest pivot dropped */
    unsigned pattern;                /* changes where a part of the system loses or gains rank by coincidence, though the
                                      * whole does not; 0: the solver does not depend on such coincidences */
    long iterations;                 /* of the last solve; 0: the solver does not iterate */
    long total_iterations;           /* of all solves so far */
    const char *trouble;             /* why the last call failed, and which solver to use instead; NULL: no failure */
} tn_saddle_info;

typedef enum tn_rank_rule {
    TN_RANK_DECIDE,                  /* find the independent rows (start of a step) */
    TN_RANK_KEEP                     /* use the rows found last (other stages of the step) */
} tn_rank_rule;

/* Of solvers that start from earlier solutions: what they are told about them. */
typedef enum tn_memory_action {
    TN_MEMORY_DROP,                  /* forget: a state is evaluated at which a step starts */
    TN_MEMORY_KEEP,                  /* keep what was found there */
    TN_MEMORY_RECALL                 /* a step begins: what was kept is the start, whatever was solved in between */
} tn_memory_action;

typedef struct tn_saddle tn_saddle;

enum { TN_SOLVER_PARAMETERS = 8 };

typedef struct tn_solver_type {
    const char *name;
    const char *doc;
    bool takes_pins;                 /* reads structure->pins; otherwise G always has all rows */
    bool asks;                       /* accepts bodies that only respond to forces (tn_responder) */
    bool whole_rows;                 /* scales a row over all its bodies, not body by body: a row that hardly moves
                                      * one of its bodies costs no digits */
    tn_parameter_decl parameters[TN_SOLVER_PARAMETERS];
    int (*analyze)(tn_saddle **out, tn_context *context, const tn_structure *structure);  /* structure outlives it */
    /* Sets parameters, in the order of the declaration, in place of the defaults that analyze set. TN_ERROR_ARGUMENT
     * and trouble when a value is invalid. NULL: no parameters. */
    int (*configure)(tn_saddle *s, const double *parameters);
    /* Sets one parameter, by its index in the declaration, for a single constraint; called after configure, with the
     * same errors. NULL: parameters always hold for all constraints. */
    int (*configure_constraint)(tn_saddle *s, int parameter, int constraint, double value);
    int (*factor)(tn_saddle *s, const double *M, const double *G, tn_rank_rule rule);     /* M, G: not kept */
    /* lambda may be NULL */
    int (*solve)(tn_saddle *s, const double *f, const double *u, double *a, double *lambda);
    /* factor and solve in one pass; NULL: one after the other */
    int (*factor_solve)(tn_saddle *s, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda);
    void (*info)(const tn_saddle *s, tn_saddle_info *out);
    /* structure->column_scale has changed. NULL: the solver reads the scales where they are. */
    void (*rescale)(tn_saddle *s);
    /* NULL: solutions do not depend on earlier ones */
    void (*remember)(tn_saddle *s, tn_memory_action action);
    void (*destroy)(tn_saddle *s);
} tn_solver_type;

/* All solvers, ending in NULL. The first is the default. */
extern TN_API const tn_solver_type *const tn_solver_types[];

#ifdef __cplusplus
}
#endif
#endif
