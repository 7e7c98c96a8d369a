/* The solver of a system with components, in three parts: component_solver.c has the whole and components that show D,
 * component_solver_open.c those that show bodies and rows, component_solver_asked.c those that only respond.
 *
 * The inner problem has the bodies and constraints of the system and behind them those of open components, one after
 * the other. A port of an open component is no body there: a row on it is a row on the body inside that it is on, as it
 * is, since both have their columns about the same point. */
#ifndef TN_COUPLING_COMPONENT_SOLVER_H
#define TN_COUPLING_COMPONENT_SOLVER_H

#include "coupling_impl.h"
#include "port_basis.h"

/* The blocks of one constraint on the unknowns of one component that shows D. */
typedef struct tn_widened {
    int constraint, component;
    int first;                     /* of its blocks */
    int row;                       /* the first among those on the component */
} tn_widened;

/* A block on a port of an open component that cannot stay where it is: its body does not turn, or has another block in
 * the same rows. */
typedef struct tn_carried {
    int rows, width, width_inside;
    size_t from, to;               /* where it starts in G outside and inside */
    bool first;                    /* of those that go there */
} tn_carried;

/* Where the part of an open component starts; the same in all problems. */
typedef struct tn_open_place {
    int body, constraint, row, group;
    size_t M, G, mass_size, rows_size;
} tn_open_place;

/* Columns of bodies that are no ports, next to each other outside and inside. */
typedef struct tn_run {
    int outside, inside, count;
} tn_run;

/* A column of a port of an open component, and that of the body that it is on. */
typedef struct tn_open_column {
    int outside, inside;
} tn_open_column;

/* The saddle problem with room for so many unknowns of each component that shows D. */
typedef struct tn_component_problem {
    tn_structure structure;
    tn_saddle *saddle;
    int *room;                     /* of each component: unknowns that rows touch */
    tn_run *runs;
    int run_count;
    tn_widened *wide;
    int wide_count;
    tn_carried *carried;
    int carried_count;
    tn_open_column *open_columns;
    int open_column_count;
    double *G, *M;                 /* in front as they are outside, then of open components, then of the others */
    double *f, *x, *u, *lambda;    /* f and x have one more, for columns of ports that their bodies have not */
    tn_pin *pins;                  /* NULL: the solver takes none */
} tn_component_problem;

struct tn_saddle {
    const tn_solver_type *inner;
    tn_solver_type type;
    tn_eval *e;
    const tn_system *system;
    const tn_structure *outer;
    size_t copied;                 /* doubles of G that stay as they are */
    bool shares;                   /* the first problem has M and G of e, and of open components that can do that */
    int *component_of;             /* of each body: the component with D or open that it is a port of; -1: none */
    int *port_of;                  /* of each body: which port */
    int *number;                   /* of each body inside; -1: a port of an open component */
    bool *asked;                   /* of each body inside: port of a component that is asked for answers, not for D */
    tn_responder responder;
    tn_open_place *places;         /* of each component */
    tn_port_basis *bases;          /* of each component that shows D */
    int bodies, constraints, rows, groups;                     /* inside */
    size_t mass_size, rows_size;   /* of M and G inside, without components that show D */
    tn_component_problem problems[2];
    int problem_count;
    tn_component_problem *used;
};

/* Where blocks are written to. */
typedef struct tn_block_writer {
    const tn_saddle *k;
    tn_component_problem *p;
    int *begin, *body;
    size_t *offset, size;          /* of G */
    int blocks;
    int *rows;                     /* on each component so far */
} tn_block_writer;

static inline tn_coupled *tn_component_at(const tn_saddle *k, int component)
{
    return &k->e->coupling->items[component];
}

/* ---- component_solver_asked.c ---- */
/* The solver does without D of this component. */
static inline bool tn_is_asked(const tn_saddle *k, const tn_coupled *component)
{
    return k->inner->asks && tn_only_responds(component->of);
}
/* Which bodies inside are ports of such components; and whether any is. */
int tn_asked_find(tn_saddle *k, tn_arena *arena);
bool tn_asked_any(const tn_saddle *k);
/* About what they weigh. */
int tn_asked_estimate_masses(const tn_saddle *k);
/* tn_responder.respond: their columns are in f and a of the problem in use. */
int tn_asked_respond(void *user, const double *f, double *a);

/* ---- component_solver_open.c: analysis ---- */
/* Numbers bodies and places the parts of open components. */
int tn_open_number(tn_saddle *k, tn_arena *arena);
/* Columns, mass blocks and scales of their bodies; columns up to there are known. */
void tn_open_columns(const tn_saddle *k, int *column, size_t *mass, double *scale);
/* Which of them ports have. */
int tn_open_link_ports(tn_component_problem *p, const tn_saddle *k, tn_arena *arena);
/* A block of a constraint on a port of theirs; and their own blocks, behind all others. */
void tn_open_carry_block(tn_block_writer *w, int constraint, int block);
void tn_open_blocks(tn_block_writer *w);
/* Rows, pins and groups of the structure. */
int tn_open_rows(tn_component_problem *p, const tn_saddle *k, tn_arena *arena);

/* ---- numbers ---- */
/* M, G and pins at the point. */
int tn_open_take_matrices(const tn_saddle *k);
/* Before the end: open components must not write there any more. */
void tn_open_release(const tn_saddle *k);
/* f, u: with what was asked of them, nothing otherwise. */
void tn_open_sides(const tn_saddle *k, const double *f, bool with_lambda);
/* Motion of their ports in a from that of their bodies, which they can take then if they were asked. */
void tn_open_finish(const tn_saddle *k, double *a);

#endif
