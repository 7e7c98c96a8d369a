/* Shared by the files of assembly: the rows beside those of the joints, Newton's method, what is said when it fails. */
#ifndef TN_ANALYSIS_ASSEMBLE_IMPL_H
#define TN_ANALYSIS_ASSEMBLE_IMPL_H

#include "assemble.h"
#include "vec.h"

static const double TARGET = 1e-12;            /* m or rad: round-off */
static const double ASSEMBLED = 1e-9;          /* m or rad: what counts as together */

/* What an extra constraint of the structure is. */
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
    double value, rate;            /* of a start or a condition; NaN: free */
} extra;

/* Levels that rows may be for. GUESS: positions, with the guesses of joints as if they had to hold. */
typedef enum assembly_level { LEVEL_GUESS, LEVEL_POSITIONS, LEVEL_VELOCITIES } assembly_level;

/* What was given of a body: motion of its frame, and how its internal axes are turned. */
typedef struct given_motion {
    double p[3], v[3], w[3], q[4];
} given_motion;

typedef struct assembler {
    const tn_system *system;
    const tn_solver_type *chosen;  /* by the caller */
    const tn_solver_type *solver;  /* of the saddle: the chosen one, or what stands around it where there are components */
    tn_arena *arena;
    tn_eval *eval;
    tn_structure structure;        /* the system's with the extra rows appended */
    tn_saddle *saddle;
    assembly_level level;
    bool velocities;               /* what was evaluated last */
    bool hold_placed;              /* bodies with a pose are held, too */
    bool loose;                    /* given motions of bodies are left out: they contradict others within the tolerance */
    int extra_count;
    extra *extras;
    given_motion *given_motion;    /* by body */
    int rows;                      /* all of them: of joints and extras */
    size_t jacobian_size;          /* of G */
    double *M, *G, *residual, *u, *zero, *delta, *row, *trial;
    double *lambda, *tau;          /* with components: what acts on their ports */
    double *now, *right;           /* v and states: where they are, and with components put right */
    double *given;                 /* positions of the given start */
    bool settled;                  /* components hardly change any more */
    tn_assembly *a;
} assembler;

/* assemble_rows.c */
int tn_assembly_collect(assembler *as);                /* the extras of as->level, and the structure with them */
bool tn_assembly_has_given(const assembler *as);       /* bodies or channels say more than joints do */
int tn_assembly_take_given(assembler *as);             /* the motions of bodies at the given start */
/* Residuals (of positions, or of velocities) of joints and extras, and G. What is free at the level has no row. */
void tn_assembly_evaluate(assembler *as, const double *q, bool velocities);
static inline int tn_assembly_width(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}
/* Row of the first row of an extra. */
static inline int tn_extra_row(const assembler *as, int k)
{
    return as->structure.constraint_row[as->system->structure.constraints + k];
}

/* assemble_report.c */
void tn_assembly_measure(const assembler *as, double *gaps);
int tn_assembly_check_positions(const assembler *as);
int tn_assembly_check_velocities(const assembler *as);
int tn_assembly_check_strict(const assembler *as, double tolerance);
/* Looks for values given at the start that contradict each other, joints or drives, at the point evaluated last. TN_OK
 * with *size: how much, in m, rad or their rates (0: they do not); an error with who and by how much when that is above
 * the tolerance or when only joints and drives are against the value. */
int tn_assembly_check_given(const assembler *as, double tolerance, double *size);

#endif
