/* The solver of a system with components, in three parts: boxed.c has the whole and components that show D,
 * boxed_open.c those that show bodies and rows, boxed_asked.c those that only respond.
 *
 * The inner problem has the bodies and constraints of the system and behind them those of open boxes, one box after the
 * other. A port of an open box is no body there: a row on it is a row on the body inside that it is on, as it is, since
 * both have their columns about the same point. */
#ifndef TN_SYSTEM_BOXED_H
#define TN_SYSTEM_BOXED_H

#include "turned.h"

/* The blocks of one constraint on the unknowns of one box that shows D. */
typedef struct tn_widened {
    int constraint, box;
    int first;                     /* of its blocks */
    int row;                       /* the first among those on the box */
} tn_widened;

/* A block on a port of an open box that cannot stay where it is: its body does not turn, or has another block in the
 * same rows. */
typedef struct tn_carried {
    int rows, width, width_inside;
    size_t from, to;               /* where it starts in G outside and inside */
    bool first;                    /* of those that go there */
} tn_carried;

/* Where the part of an open box starts; the same in all problems. */
typedef struct tn_open_place {
    int body, constraint, row, group;
    size_t M, G, mass_size, rows_size;
} tn_open_place;

/* Columns of bodies that are no ports, next to each other outside and inside. */
typedef struct tn_run {
    int outside, inside, count;
} tn_run;

/* A column of a port of an open box, and that of the body that it is on. */
typedef struct tn_open_column {
    int outside, inside;
} tn_open_column;

/* The saddle problem with room for so many unknowns of each box that shows D. */
typedef struct tn_boxed_problem {
    tn_structure structure;
    tn_saddle *saddle;
    int *room;                     /* of each box: unknowns that rows touch */
    tn_run *runs;
    int run_count;
    tn_widened *wide;
    int wide_count;
    tn_carried *carried;
    int carried_count;
    tn_open_column *open_columns;
    int open_column_count;
    double *G, *M;                 /* in front as they are outside, then of open boxes, then of the others */
    double *f, *x, *u, *lambda;    /* f and x have one more, for columns of ports that their bodies have not */
    tn_pin *pins;                  /* NULL: the solver takes none */
} tn_boxed_problem;

struct tn_saddle {
    const tn_solver_type *inner;
    tn_solver_type type;
    tn_eval *e;
    const tn_system *system;
    const tn_structure *outer;
    size_t copied;                 /* doubles of G that stay as they are */
    bool shares;                   /* the first problem has M and G of e, and of open boxes that can do that */
    int *box_of, *port_of;         /* of each body: the box with D or open that it is a port of, -1: none; and which */
    int *number;                   /* of each body inside; -1: a port of an open box */
    bool *asked;                   /* of each body inside: a port of a box that is asked for its response, not for D */
    tn_responder responder;
    tn_open_place *places;         /* of each box */
    tn_turned *turned;             /* of each box that shows D */
    int bodies, constraints, rows, groups;                     /* inside */
    size_t mass_size, rows_size;   /* of M and G inside, without boxes that show D */
    tn_boxed_problem problems[2];
    int problem_count;
    tn_boxed_problem *used;
};

/* Where blocks are written to. */
typedef struct tn_block_writer {
    const tn_saddle *k;
    tn_boxed_problem *p;
    int *begin, *body;
    size_t *offset, size;          /* of G */
    int blocks;
    int *rows;                     /* on each box so far */
} tn_block_writer;

/* ---- boxed_asked.c ---- */
/* The solver does without D of this box. */
static inline bool tn_is_asked(const tn_saddle *k, const tn_box *box)
{
    return k->inner->asks && tn_box_only_responds(box);
}
/* Which bodies inside are ports of such boxes; and whether any is. */
int tn_asked_find(tn_saddle *k, tn_arena *arena);
bool tn_asked_any(const tn_saddle *k);
/* About what they weigh. */
int tn_asked_estimate_masses(const tn_saddle *k);
/* tn_responder.respond: their columns are in f and a of the problem in use. */
int tn_asked_respond(void *user, const double *f, double *a);

/* ---- boxed_open.c: analysis ---- */
/* Numbers bodies and places the parts of open boxes. */
int tn_open_number(tn_saddle *k, tn_arena *arena);
/* Columns, mass blocks and scales of their bodies; columns up to there are known. */
void tn_open_columns(const tn_saddle *k, int *column, size_t *mass, double *scale);
/* Which of them ports have. */
int tn_open_link_ports(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena);
/* A block of a constraint on a port of theirs; and their own blocks, behind all others. */
void tn_open_carry_block(tn_block_writer *w, int constraint, int block);
void tn_open_blocks(tn_block_writer *w);
/* Rows, pins and groups of the structure. */
int tn_open_rows(tn_boxed_problem *p, const tn_saddle *k, tn_arena *arena);

/* ---- numbers ---- */
/* M, G and pins at the point. */
int tn_open_take_matrices(const tn_saddle *k);
/* Before the end: open boxes must not write there any more. */
void tn_open_release(const tn_saddle *k);
/* f, u: with what was asked of them, nothing otherwise. */
void tn_open_sides(const tn_saddle *k, const double *f, bool with_lambda);
/* Motion of their ports in a from that of their bodies, which they can take then if they were asked. */
void tn_open_finish(const tn_saddle *k, double *a);

#endif
