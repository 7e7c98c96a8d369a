/* A nested model without its guided bodies (guided_body.h): the problem that the model around gets to solve. */
#ifndef TN_COMPONENT_GUIDED_ELIMINATION_H
#define TN_COMPONENT_GUIDED_ELIMINATION_H

#include "guided_body.h"
#include "tenon/sys/component.h"

typedef struct tn_guided_elimination {
    const tn_system *system;
    tn_guided_body *guided;
    int *carrier, *left;           /* of each, in the structure: body, and what is left of the pin, -1: nothing */
    int count;
    int *guided_of;                 /* of each body of the system; -1: none */
    int *guided_of_pin;             /* of each constraint of the system: that it is the pin of; -1: none */
    tn_structure structure;        /* without guided bodies */
    int *body, *constraint, *block;        /* of the structure: what they are in the system */
    int *port_body;                /* of each port, in the structure */
    tn_pin *pins;
    double *M, *G, *f, *u;
    double *own_M, *own_G;         /* where M and G are when nobody gives another place */
    size_t mass_size, rows_size;
    int hidden_rows;               /* that are eliminated */
    double hidden_gap;             /* the largest of their residuals, of the last question */
} tn_guided_elimination;

/* *out stays NULL when no body is guided, or lambda inside is needed. e: all is evaluated at the start. */
int tn_guided_elimination_create(tn_guided_elimination **out, const tn_system *system, const tn_eval *e,
                                 const int *port_body, int port_count, tn_arena *arena);
/* M, G and pins at the point of e; extent: as open is asked. False: a joint gives no direction. */
bool tn_guided_elimination_take_matrices(tn_guided_elimination *guided, const tn_eval *e, tn_open_extent extent);
/* f and u from those of the system. */
void tn_guided_elimination_take_sides(tn_guided_elimination *guided, const double *f, const double *u);
/* Motion of all bodies from the reduced solution. */
void tn_guided_elimination_expand(const tn_guided_elimination *guided, const double *x, double *a);

#endif
