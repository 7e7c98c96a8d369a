/* A model as a component: its equations, condensed onto the bodies that its ports are on. The centre of a port is that
 * of its body's mass, so that the columns of the one are those of the other. */
#ifndef TN_COMPONENT_NESTED_H
#define TN_COMPONENT_NESTED_H

#include "coupling.h"
#include "guided_elimination.h"
#include "stepper.h"
#include "tenon/sys/component.h"
#include "tenon/sys/condense.h"

typedef struct tn_nested_port {
    tn_sys_frame frame;            /* with the axes of the port, at the centre */
    double center[3];              /* from the port, in its axes */
    int column;                    /* of its body among the columns of the condenser */
} tn_nested_port;

/* A point, and what is known there. */
typedef struct tn_nested_point {
    double t, *y;
    tn_eval *e;
    bool placed;                   /* e is of the point */
    bool forced;                   /* forces inside are those of the point: only accelerations need them */
    int order;                     /* of derivatives of the constraints that are known; -1: none is */
    tn_open_extent extent;         /* of their rows that are known */
    tn_open_extent reduced;        /* the same of those without guided bodies */
} tn_nested_point;

/* Forces on the ports in a step of its own: linear in time. */
typedef struct tn_nested_load {
    double begin, end;             /* s */
    const double *tau_begin, *tau_end;
} tn_nested_load;

typedef struct tn_nested {
    tn_component_type type;        /* with the ports of this one */
    tn_context *context;
    const tn_component_host *host; /* gets messages, without names from inside; NULL: the context gets them */
    tn_model *own_model;           /* with its context: destroyed with the component; NULL: the maker's */
    tn_arena *arena;
    tn_system *system;
    tn_coupling *coupling;         /* of its own components */
    tn_nested_point at;            /* where it is */
    double *own_M, *own_G;         /* where M and G are when nobody gives another place */
    tn_condenser *condenser;
    tn_nested_port *ports;
    tn_structure structure;        /* the system's, with pins */
    tn_guided_elimination *guided;             /* what solvers get instead; NULL: just that */
    int *port_body;
    int width;                     /* columns of a port */
    double *memory;
    bool reads_angles;             /* something inside does: they are remembered */
    double latest;                 /* s: it has been at */
    double remembered;             /* s: the latest time that angles were remembered at */
    double turned;                 /* rad: how far joints may have turned since all angles were remembered */
    bool factored;                 /* at the point */
    int solved;                    /* question whose r is known there; -1: none */
    double *r, *tau;               /* over the bodies of ports */
    double *x;                     /* the same: scratch */
    double *unit;                  /* a vector over ports */
    double *no_force, *u, *a;      /* of the whole */
    tn_stepper *stepper;           /* for steps of its own */
    tn_nested_load load;
} tn_nested;

/* All but create: that is for who has the model. */
extern const tn_component_type tn_nested_type;
/* As tn_component_from_model; host: see there, and solve: how steps of its own are taken. */
int tn_nested_create(tn_nested **out, const tn_model *model, const char *const *ports, int port_count,
                     const tn_solve *solve, const tn_component_host *host);

/* nested.c */
int tn_nested_place(void *self, double t, const double *y);
/* Nothing that was found at points counts any more. */
void tn_nested_forget(tn_nested *n);
/* Says what is wrong: to the host with the second text only, which has no names. Returns the code. */
int tn_nested_fail(tn_nested *n, int code, tn_span span, const char *message, const char *without_names);
/* What the evaluation at the point found wrong. */
int tn_nested_fail_here(tn_nested *n);

/* Evaluates constraints at the point, as far as that has not been done. */
int tn_nested_look(tn_nested *n, int order, tn_open_extent extent);
/* Forces at the point, once. */
int tn_nested_find_forces(tn_nested *n);

/* nested_open.c */
int tn_nested_open(void *self, tn_question question, tn_open_extent extent, tn_open_component *out);
void tn_nested_write_to(void *self, double *M, double *G);
int tn_nested_take_open(void *self, tn_question question, const double *a, const double *lambda, double *out,
                        double *power);
/* The rate of y, or y put right, by accelerations, shifts or changes of velocities of the bodies. */
void tn_nested_move(const tn_nested *n, tn_question question, const double *a, double *out);

/* nested_answers.c */
int tn_nested_respond(void *self, tn_question question, const double *tau, double *answer);
int tn_nested_take(void *self, tn_question question, const double *tau, double *out);
int tn_nested_condense(void *self, tn_rank_rule rule, double *D);
int tn_nested_condense_root(void *self, tn_rank_rule rule, int *rows, double *T);
int tn_nested_free_answer(void *self, tn_question question, double *r);

/* nested_advance.c */
int tn_nested_make_stepper(tn_nested *n, const tn_solve *solve, tn_span span);
int tn_nested_advance(void *self, double t_end, const double *tau_begin, const double *tau_end);

#endif
