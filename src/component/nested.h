/* A model as a component: its equations, condensed onto the bodies that carry its ports. The centre of a port is the
 * centre of mass of its body, so port and body have the same columns. */
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
    int column;                    /* first column of its body in the condenser */
    uint32_t body;                 /* of the model */
    tn_pose pose;                  /* in the frame of the body */
} tn_nested_port;

/* A point, and the results that are valid there. */
typedef struct tn_nested_point {
    double t, *y;
    tn_eval *e;
    bool placed;                   /* e is evaluated at the point */
    bool forced;                   /* forces inside are evaluated at the point: only accelerations need them */
    int order;                     /* highest derivative of the constraints evaluated here; -1: none */
    tn_open_extent extent;         /* of the rows evaluated here */
    tn_open_extent reduced;        /* the same for the rows of the problem without guided bodies */
} tn_nested_point;

/* A joint coordinate whose start, or rate at the start, is given. */
typedef struct tn_nested_start {
    int constraint, coordinate;
} tn_nested_start;

/* Forces on the ports while the component takes steps of its own: linear in time. */
typedef struct tn_nested_load {
    double begin, end;             /* s */
    const double *tau_begin, *tau_end;
} tn_nested_load;

typedef struct tn_nested {
    tn_component_type type;        /* with the ports of this component */
    tn_context *context;
    const tn_component_host *host; /* receives messages without names from inside; NULL: the context does */
    tn_model *own_model;           /* destroyed, with its context, with the component; NULL: the caller owns it */
    tn_arena *arena;
    tn_system *system;
    tn_coupling *coupling;         /* of its own components */
    tn_nested_point at;            /* current point */
    double *own_M, *own_G;         /* memory of M and G while no solver provides other memory */
    tn_condenser *condenser;
    tn_nested_port *ports;
    tn_structure structure;        /* the system's, with pins */
    tn_guided_elimination *guided;             /* the problem that solvers get instead; NULL: they get structure */
    int *port_body;
    int width;                     /* columns of a port */
    double *memory;
    bool reads_angles;             /* some equation or formula inside reads joint angles: they are remembered */
    double latest;                 /* s: latest time of any point so far */
    double remembered;             /* s: the latest time that angles were remembered at */
    double turned;                 /* rad: how far joints may have turned since all angles were remembered */
    bool factored;                 /* the condenser is factored at the point */
    int solved;                    /* question whose r is valid at the point; -1: none */
    double *r, *tau;               /* over the columns of the condenser */
    double *x;                     /* over the same columns: scratch */
    double *unit;                  /* a vector over ports */
    double *no_force, *u, *a;      /* over all columns and rows */
    tn_stepper *stepper;           /* for steps of its own */
    tn_nested_load load;
    tn_component_stop *stops;      /* joints inside that have limits */
    int stop_count;
    double *before;                /* forces before reactions were known; over all columns */
    tn_nested_start *given;
    int given_count;
    double *row;                   /* over all columns: scratch */
} tn_nested;

/* All functions but create, which needs the model. */
extern const tn_component_type tn_nested_type;
/* Like tn_component_from_model. host: see tn_nested; solve: settings for steps of its own. */
int tn_nested_create(tn_nested **out, const tn_model *model, const char *const *ports, int port_count,
                     const tn_solve *solve, const tn_component_host *host);

/* nested.c */
int tn_nested_place(void *self, double t, const double *y);
/* Makes all results at points invalid. */
void tn_nested_forget(tn_nested *n);
/* Reports an error: to the host only the text without names. Returns the code. */
int tn_nested_fail(tn_nested *n, int code, tn_span span, const char *message, const char *without_names);
/* Reports the error that the evaluation at the point noted. */
int tn_nested_fail_here(tn_nested *n);

/* Evaluates the constraints at the point, unless that is done already. */
int tn_nested_look(tn_nested *n, int order, tn_open_extent extent);
/* Evaluates the forces at the point, once. */
int tn_nested_find_forces(tn_nested *n);

/* nested_open.c */
int tn_nested_open(void *self, tn_question question, tn_open_extent extent, tn_open_component *out);
void tn_nested_write_to(void *self, double *M, double *G);
int tn_nested_take_open(void *self, tn_question question, const double *a, const double *lambda, double *out,
                        double *power);
/* Writes the rate of y for accelerations a, or y corrected by shifts or velocity changes a of the bodies. */
void tn_nested_move(const tn_nested *n, tn_question question, const double *a, double *out);

/* nested_answers.c */
int tn_nested_respond(void *self, tn_question question, const double *tau, double *answer);
int tn_nested_take(void *self, tn_question question, const double *tau, double *out);
int tn_nested_condense(void *self, tn_rank_rule rule, double *D);
int tn_nested_condense_root(void *self, tn_rank_rule rule, int *rows, double *T);
int tn_nested_free_answer(void *self, tn_question question, double *r);

/* Factors the equations at the point, unless that is done already. */
int tn_nested_factor_once(tn_nested *n);

/* nested_given.c */
int tn_nested_find_given(tn_nested *n);
int tn_nested_given_count(const void *self);
int tn_nested_given(void *self, int index, tn_component_given *out);
int tn_nested_push(void *self, tn_question question, int index, double amount, double *out);

/* nested_stops.c */
int tn_nested_find_stops(tn_nested *n);
int tn_nested_stop_count(const void *self);
void tn_nested_stop(const void *self, int index, tn_component_stop *out);
bool tn_nested_reacts(const void *self);
int tn_nested_react(void *self, tn_component_reaction *out);

/* nested_advance.c: changes with time */
bool tn_nested_timed(const void *self);
bool tn_nested_missed(void *self, tn_step_view view, double t0, double t1, tn_component_missed *out);
bool tn_nested_jumps(void *self, double t0, double t1, tn_component_jump *out);

/* nested_advance.c */
int tn_nested_make_stepper(tn_nested *n, const tn_solve *solve, tn_span span);
int tn_nested_advance(void *self, double t_end, const double *tau_begin, const double *tau_end);

#endif
