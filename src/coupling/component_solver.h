/* The solver of a system with components, in three parts: component_solver.c has the whole and components that show D,
 * component_solver_open.c has components that show bodies and rows, component_solver_asked.c those that only respond.
 *
 * The inner problem has the bodies and constraints of the system, followed by those of each open component in turn. A
 * port of an open component is no body of the inner problem: a row on the port becomes a row on the body that carries
 * the port. The numbers of the row stay the same, since port and body have their columns about the same point. */
#ifndef TN_COUPLING_COMPONENT_SOLVER_H
#define TN_COUPLING_COMPONENT_SOLVER_H

#include "coupling_impl.h"
#include "port_basis.h"

/* The blocks of one constraint on the unknowns of one component that shows D. */
typedef struct tn_widened {
    int constraint, component;
    int first;                     /* its first block */
    int row;                       /* its first row among the rows on the component */
} tn_widened;

/* A block on a port of an open component that has to be copied within G: its body does not turn, or has another block
 * in the same rows. */
typedef struct tn_carried {
    int rows, width, width_inside;
    size_t from, to;               /* where it starts in G outside and inside */
    bool first;                    /* the first block that is copied there; the others are added */
} tn_carried;

/* Where the part of an open component starts in the inner problem; the same in all problems. */
typedef struct tn_open_place {
    int body, constraint, row, group;
    size_t M, G, mass_size, rows_size;
} tn_open_place;

/* Columns of bodies that are no ports, consecutive both outside and inside. */
typedef struct tn_run {
    int outside, inside, count;
} tn_run;

/* A column of a port of an open component, and the column of the body that carries the port. */
typedef struct tn_open_column {
    int outside, inside;
} tn_open_column;

/* The saddle problem with room for a fixed number of unknowns of each component that shows D. */
typedef struct tn_component_problem {
    tn_structure structure;
    tn_saddle *saddle;
    int *room;                     /* of each component: number of unknowns that rows can touch */
    tn_run *runs;
    int run_count;
    tn_widened *wide;
    int wide_count;
    tn_carried *carried;
    int carried_count;
    tn_open_column *open_columns;
    int open_column_count;
    double *G, *M;                 /* first those of the system, then of open components, then of the others */
    double *f, *x, *u, *lambda;    /* f and x have one more entry, for port columns that the body of the port lacks */
    tn_pin *pins;                  /* NULL: the solver takes no pins */
} tn_component_problem;

struct tn_saddle {
    const tn_solver_type *inner;
    tn_solver_type type;
    tn_eval *e;
    const tn_system *system;
    const tn_structure *outer;
    size_t copied;                 /* number of doubles of G that are copied unchanged */
    bool shares;                   /* e and capable open components write M and G directly into the first problem */
    int *component_of;             /* of each body: the component with D or open that it is a port of; -1: none */
    int *port_of;                  /* of each body: index of the port */
    int *number;                   /* of each body: its number inside; -1: a port of an open component */
    bool *asked;                   /* of each body inside: it is a port of a component that only responds (no D) */
    tn_responder responder;
    tn_open_place *places;         /* of each component */
    tn_port_basis *bases;          /* of each component that shows D */
    int bodies, constraints, rows, groups;                     /* counts inside */
    size_t mass_size, rows_size;   /* doubles of M and G inside, without components that show D */
    tn_component_problem problems[2];
    int problem_count;
    tn_component_problem *used;
};

/* Writes the blocks of the structure of a problem. */
typedef struct tn_block_writer {
    const tn_saddle *k;
    tn_component_problem *p;
    int *begin, *body;
    size_t *offset, size;          /* of G */
    int blocks;
    int *rows;                     /* rows written so far on each component */
} tn_block_writer;

static inline tn_coupled *tn_component_at(const tn_saddle *k, int component)
{
    return &k->e->coupling->items[component];
}

/* ---- component_solver_asked.c ---- */
/* The solver applies D of this component by calling respond, without the matrix. */
static inline bool tn_is_asked(const tn_saddle *k, const tn_coupled *component)
{
    return k->inner->asks && tn_only_responds(component->of);
}
/* Finds the bodies inside that are ports of such components; tells whether there are any. */
int tn_asked_find(tn_saddle *k, tn_arena *arena);
bool tn_asked_any(const tn_saddle *k);
/* Writes estimated masses of these ports to M. */
int tn_asked_estimate_masses(const tn_saddle *k);
/* tn_responder.respond: reads and writes the columns of these ports in f and a of the problem in use. */
int tn_asked_respond(void *user, const double *f, double *a);

/* ---- component_solver_open.c: analysis ---- */
/* Numbers the bodies of the inner problem and places the parts of open components. */
int tn_open_number(tn_saddle *k, tn_arena *arena);
/* Fills columns, mass blocks and scales of the bodies of open components; the columns before them are known. */
void tn_open_columns(const tn_saddle *k, int *column, size_t *mass, double *scale);
/* Links each column of a port to the column of the body that carries the port. */
int tn_open_link_ports(tn_component_problem *p, const tn_saddle *k, tn_arena *arena);
/* Writes a constraint's block on a port of an open component; and the blocks of open components, after all others. */
void tn_open_carry_block(tn_block_writer *w, int constraint, int block);
void tn_open_blocks(tn_block_writer *w);
/* Fills rows, pins and groups of the structure. */
int tn_open_rows(tn_component_problem *p, const tn_saddle *k, tn_arena *arena);

/* ---- numbers ---- */
/* Copies M, G and pins of open components at the current point. */
int tn_open_take_matrices(const tn_saddle *k);
/* Before the solver is destroyed: open components stop writing M and G into its memory. */
void tn_open_release(const tn_saddle *k);
/* Fills f and u of open components: those of the current question, or zero without a question. */
void tn_open_sides(const tn_saddle *k, const double *f, bool with_lambda);
/* Copies the motion of the bodies that carry ports into the columns of those ports in a. */
void tn_open_finish(const tn_saddle *k, double *a);

#endif
