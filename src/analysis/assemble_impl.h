/* Shared by the files of assembly (assemble*.c): extra rows beside the rows of the joints, Newton's method, and
 * messages. */
#ifndef TN_ANALYSIS_ASSEMBLE_IMPL_H
#define TN_ANALYSIS_ASSEMBLE_IMPL_H

#include "assemble.h"
#include "vec.h"

static const double TARGET = 1e-12;            /* m or rad: round-off */
static const double ASSEMBLED = 1e-9;          /* m or rad: joints with smaller gaps are closed */

/* The kinds of extra constraints that assembly appends to the structure. */
typedef enum extra_kind {
    EXTRA_START,                   /* coordinate of a joint: 1 row */
    EXTRA_CONDITION,               /* channel or expression: 1 row */
    EXTRA_PLACE,                   /* origin of a body's frame: as many rows as dimensions */
    EXTRA_TURN,                    /* orientation of a body: 1 row or 3 */
    EXTRA_HELD                     /* a body that does not move: as many rows as it has coordinates */
} extra_kind;

typedef struct extra {
    extra_kind kind;
    int index;                     /* constraint, condition or body */
    int coordinate;                /* of a joint */
    int rows;
    double value, rate;            /* prescribed by a start or a condition; NaN: free */
} extra;

/* The levels of assembly. GUESS: positions, with the guessed coordinates of joints as additional rows. */
typedef enum assembly_level { LEVEL_GUESS, LEVEL_POSITIONS, LEVEL_VELOCITIES } assembly_level;

/* The given motion of a body: position p, velocity v and angular velocity w of its frame; orientation q of its internal
 * axes. */
typedef struct given_motion {
    double p[3], v[3], w[3], q[4];
} given_motion;

typedef struct assembler {
    const tn_system *system;
    const tn_solver_type *chosen;  /* by the caller */
    const tn_solver_type *solver;  /* of the saddle: the chosen one, or its wrapper for components */
    tn_arena *arena;
    tn_eval *eval;
    tn_structure structure;        /* the system's with the extra rows appended */
    tn_saddle *saddle;
    assembly_level level;
    bool velocities;               /* the last evaluation was of velocities, not of positions */
    bool hold_placed;              /* hold the bodies with a given pose, too */
    bool loose;                    /* ignore given motions of bodies: they contradict other values within tolerance */
    bool speeds_follow;            /* speeds of drives that are not given take the rates of their joints: zero contradicts given values */
    int extra_count;
    extra *extras;
    given_motion *given_motion;    /* by body */
    int rows;                      /* number of rows of joints and extras */
    size_t jacobian_size;          /* of G */
    double *M, *G, *residual, *u, *zero, *delta, *row, *trial;
    double *lambda, *tau;          /* with components: forces on their ports */
    double *now, *right;           /* v and states: current; with the states of components corrected */
    double *given;                 /* positions of the given start */
    bool settled;                  /* the states of components have converged */
    tn_assembly *a;
} assembler;

/* assemble.c */
int tn_assembly_begin_level(assembler *as, assembly_level level);  /* makes structure, rows and solver of a level */
int tn_assembly_close(assembler *as);                  /* moves a->q until the rows of the level close, or as far as it gets */

int tn_assembly_solve_velocities(assembler *as);       /* changes a->v until the rates of the rows close */

/* assemble_inside.c. After closing: holds the values, or rates, that are given inside components; an error that names one where they
 * contradict the joints around. */
int tn_assembly_hold_inside(assembler *as, bool velocities, double tolerance);

/* assemble_starts.c. Closes the level of positions, from several starts where bodies have no given pose. */
int tn_assembly_find_start(assembler *as);

/* assemble_rows.c */
int tn_assembly_collect(assembler *as);                /* finds the extras of as->level and builds the structure */
bool tn_assembly_has_given(const assembler *as);       /* true: there are conditions, or given motions of bodies */
int tn_assembly_take_given(assembler *as);             /* stores the motions of bodies at the given start */
/* Evaluates the residuals (of positions, or of velocities) of joints and extras, and G. Values that are free at this
 * level have no row. */
void tn_assembly_evaluate(assembler *as, const double *q, bool velocities);
static inline int tn_assembly_width(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}
/* Index of the first row of extra k. */
static inline int tn_extra_row(const assembler *as, int k)
{
    return as->structure.constraint_row[as->system->structure.constraints + k];
}

/* assemble_report.c */
void tn_assembly_measure(const assembler *as, double *gaps);
int tn_assembly_check_positions(const assembler *as);
int tn_assembly_check_velocities(const assembler *as);
int tn_assembly_check_strict(const assembler *as, double tolerance);
/* Looks for given start values that contradict each other, joints or drives, at the point evaluated last. TN_OK: *size
 * is the size of the contradiction in m, rad or their rates (0: there is none). An error with a diagnostic that names
 * the parties and the size: the contradiction is above the tolerance, or only joints and drives contradict the
 * value. */
int tn_assembly_check_given(const assembler *as, double tolerance, double *size);

#endif
