/* A nested model without its guided bodies (guided_body.h): the reduced problem that the outer model solves. */
#ifndef TN_COMPONENT_GUIDED_ELIMINATION_H
#define TN_COMPONENT_GUIDED_ELIMINATION_H

#include "guided_body.h"
#include "tenon/sys/component.h"

typedef struct tn_guided_elimination {
    const tn_system *system;
    tn_guided_body *guided;
    int *carrier, *left;           /* of each guided body, in the structure: carrier; rest of its pin, -1: none */
    int count;
    int *guided_of;                 /* of each body of the system: index in guided; -1: none */
    int *guided_of_pin;             /* of each constraint of the system: the guided body with this pin; -1: none */
    tn_structure structure;        /* without guided bodies */
    int *body, *constraint, *block;        /* of each in the structure: its number in the system */
    int *port_body;                /* of each port: its body in the structure */
    tn_pin *pins;
    double *M, *G, *f, *u;
    double *own_M, *own_G;         /* memory of M and G while no solver provides other memory */
    size_t mass_size, rows_size;
    int hidden_rows;               /* number of eliminated rows */
    double hidden_gap;             /* largest residual of the eliminated rows, of the last question */
} tn_guided_elimination;

/* *out stays NULL when no body is guided, or lambda inside is needed. e: evaluated at the start. */
int tn_guided_elimination_create(tn_guided_elimination **out, const tn_system *system, const tn_eval *e,
                                 const int *port_body, int port_count, tn_arena *arena);
/* Computes M, G and pins at the point of e; extent: as in open. False: the rows of a joint are singular. */
bool tn_guided_elimination_take_matrices(tn_guided_elimination *guided, const tn_eval *e, tn_open_extent extent);
/* Computes f and u from f and u of the system. */
void tn_guided_elimination_take_sides(tn_guided_elimination *guided, const double *f, const double *u);
/* Computes the motion of all bodies from the reduced solution. */
void tn_guided_elimination_expand(const tn_guided_elimination *guided, const double *x, double *a);

#endif
