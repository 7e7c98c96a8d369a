/* Components in a system. A box is one of them: it stands at a point (t, its states in z), which tells where its ports
 * are. Ports are bodies of the system whose q and v in y are copies of that; their columns answer to forces tau on
 * them by
 *     a = D tau + r
 * with D and r of the box (tenon/sys/component.h). Their block in M is a unit matrix that means nothing.
 *
 * The states of a box are the work that tau has done on it, which is all that is known of its energy, and its own y.
 * */
#ifndef TN_SYSTEM_BOXES_H
#define TN_SYSTEM_BOXES_H

#include "components.h"
#include "system.h"
#include "tenon/sys/stepper.h"

struct tn_box {
    tn_instance instance;
    uint32_t source;               /* subsystem in the model */
    int work;                      /* J: its first state in z, where it always starts from zero */
    int state, state_count;        /* its own y, in z */
    int columns, width;            /* of all ports, of each */
    int *body;                     /* of each port */
    int *column;                   /* of each of its columns: the place among the velocities */
    bool *turns;                   /* the same: it is no translation */
    int memory, memory_count;      /* its moment, in the coordinate memory */
    unsigned char *bytes;          /* the same as it gives it */
    size_t size;
    double t, *y;                  /* where it stands */
    tn_port_motion *ports;         /* there */
    bool placed;                   /* it does stand there */
    bool condensed, decided;       /* D is that of the point; with a rank decided there */
    long changes;                  /* of its point and of D so far */
    long points;                   /* that it has left so far */
    double *D, *T;                 /* as shown; by columns and by rows */
    int root_rows;                 /* of T */
    double *W, weight;             /* weight W W' = D; by columns (box_response.c) */
    int *order;                    /* of the columns, while D is factorized */
    double *reach;                 /* length of each row of W */
    int rank;                      /* of D */
    int freedoms;                  /* its rank at the start, at least one */
    double *mobility;              /* of each column: about what a unit force does, with which answers are compared */
    double *rest;                  /* of each column: what happens without forces, taken off answers */
    double *tau, *answer;          /* of one question */
    double *Q, *R;                 /* Q R = W, while motions are weighed; by columns. Else scratch */
    bool open;                     /* it shows bodies and rows, which solvers eliminate through (boxed.h) */
    tn_open_component inside;      /* then: as told last */
    const tn_saddle *home;         /* the solver that it writes M and G to; NULL: none */
    tn_question question;          /* the last one at the point */
    tn_open_extent extent;         /* of what it told then */
    bool shown;                    /* it was asked at the point: inside is current */
    bool asked;                    /* the next solution is to answer that */
    const double *motion, *lambda; /* the last solution for its bodies, where it does; NULL: there is none */
};

/* Makes the model's components and numbers their states, which come first in z. A system that is a part has none. */
int tn_boxes_create(tn_system *system);
/* Finds their ports among the bodies, which have their numbers. */
void tn_boxes_find_ports(tn_system *system);
/* Gives their moments a place behind the coordinates that are remembered. */
int tn_boxes_place_memory(tn_system *system);
void tn_boxes_destroy(tn_system *system);
/* Their entries among the states, at their start. */
void tn_box_name_states(tn_system *system, const tn_box *box);
const char *tn_box_name(const tn_system *system, const tn_box *box);

/* Places the boxes at (e->t, e->z) and writes q and v of their ports. Notes in e what fails. v may be NULL. */
void tn_boxes_place(tn_eval *e, const tn_system *system, double *q, double *v);
/* D and W of boxes at the point in e; once for each point and rule. levels: of those that disclose from least to most,
 * but all are placed. Of those that only respond, D is found by unit forces. */
int tn_boxes_condense(tn_eval *e, const tn_system *system, tn_rank_rule rule);
int tn_boxes_condense_levels(tn_eval *e, const tn_system *system, tn_rank_rule rule, tn_disclosure least,
                             tn_disclosure most);
/* Its rank at the start, at least one; all columns, where it does not answer: why, is told when the model needs it. */
int tn_box_freedoms(tn_box *box);
/* r at the point into the columns of ports, of all boxes: for who solves with D, or without having asked (below). */
int tn_boxes_free(tn_eval *e, const tn_system *system, tn_question question, double *r);
int tn_box_free(tn_eval *e, const tn_system *system, tn_box *box, tn_question question, double *r);

/* For solvers (open_boxes.c). Readies the next solution to answer the question, and gives r for it: nothing of open
 * boxes, whose solution has all of it. Where all are open, r stays as it is: nobody needs it. */
int tn_boxes_ask(tn_eval *e, const tn_system *system, tn_question question, double *r);
/* Raises gap to the largest residual inside open boxes. matrices: a factorization there is likely to follow. */
int tn_boxes_open_gap(tn_eval *e, const tn_system *system, tn_question question, bool matrices, double *gap);
/* Some box only responds: what it answers a solver is about the point where that was factored. */
bool tn_boxes_any_asked(const tn_system *system);
/* Some box is not open, or needs lambda for another reason. */
bool tn_boxes_need_lambda(const tn_system *system);
/* The last solution has answered the question, of this box, or of all: they take it as it is, whatever tau. */
bool tn_box_answered(const tn_box *box, tn_question question);
bool tn_boxes_answered(const tn_system *system, tn_question question);
/* Looks into a box that says it is open; TN_ERROR_MODEL with a diagnostic when what it tells cannot be. */
int tn_box_open_first(const tn_system *system, tn_box *box);
/* What an open box tells of its point, which is that of e. */
int tn_box_open(tn_eval *e, const tn_system *system, tn_box *box, tn_question question, tn_open_extent extent);
/* Whether pins can be on these bodies (-1: ground) together: ports of open boxes, on different bodies that turn. */
bool tn_boxes_take_pin(const tn_system *system, int body1, int body2);
/* What boxes make of tau, given in the columns of ports (NULL: none), or of the last solution: rates of their states,
 * or the states put right, in z. change: largest change of a state by putting right, or NULL. */
int tn_boxes_take(tn_eval *e, const tn_system *system, tn_question question, const double *tau, double *z,
                  double *change);
/* Notes in e whose rates are no numbers. (States that are none, they are not given.) */
int tn_boxes_check_rates(tn_eval *e, const tn_system *system, const double *dz);
/* As take, of boxes that are not open, without tau. */
int tn_boxes_take_closed(tn_eval *e, const tn_system *system, tn_question question, double *z, double *change);
/* With the rows that a structure has on ports, in G or as pins: u -= G r; tau += G'lambda. */
void tn_boxes_subtract_rows(const tn_system *system, const tn_structure *structure, const double *G, const double *r,
                            double *u);
void tn_boxes_add_reactions(const tn_system *system, const tn_structure *structure, const double *G,
                            const double *lambda, double *tau);
/* Adds r in the columns of ports of boxes that the last solution has not answered. */
void tn_boxes_add_free(const tn_system *system, const double *r, double *a);
/* Copies q and v of ports, as they are at the point in e, into a state. */
void tn_boxes_write_ports(const tn_eval *e, const tn_system *system, double *y);
/* Zero where y has copies of what boxes tell, and the work that goes into them. */
void tn_boxes_clear(const tn_system *system, double *y);
/* Moments of boxes, beyond their states: written to and taken from the end of a coordinate memory, as whole numbers.
 * One that was never written is not taken. */
void tn_boxes_save(const tn_system *system, double *memory);
int tn_boxes_restore(const tn_system *system, const double *memory);
/* J that went into all boxes. */
double tn_boxes_work(const tn_system *system, const double *z);

/* The point that it is at means nothing any more. */
void tn_box_leave(tn_box *box);
/* It stands at (t, y): finds its ports there. */
void tn_box_arrive(tn_box *box);
/* Puts a box to the point in e. */
int tn_box_move(tn_eval *e, const tn_system *system, tn_box *box);
static inline int tn_box_place(tn_eval *e, const tn_system *system, tn_box *box)
{
    return e->stands[box - system->boxes] == box->points ? TN_OK : tn_box_move(e, system, box);
}
/* Puts what is wrong into e, unless something is there already; returns code. */
int tn_box_note(tn_eval *e, const tn_system *system, const tn_box *box, int code, const char *why);
/* After a function of the component: anything but a step that is too long ends the run. */
int tn_box_failed(tn_eval *e, const tn_system *system, tn_box *box, int code, const char *function);
static inline int tn_box_passed(tn_eval *e, const tn_system *system, tn_box *box, int code, const char *function)
{
    return code >= 0 ? TN_OK : tn_box_failed(e, system, box, code, function);
}
/* An answer that no mechanism gives: the run ends with a diagnostic. Returns code. */
int tn_box_end_run(tn_eval *e, const tn_system *system, const tn_box *box, int code, const char *why);

/* Boxes that only respond (box_answers.c), D tau without D. */
bool tn_box_only_responds(const tn_box *box);
/* At the point it stands at, and once for each. */
int tn_box_begin_answers(tn_eval *e, const tn_system *system, tn_box *box);
/* answer = D tau, over the columns of the box: one question. */
int tn_box_answer(tn_eval *e, const tn_system *system, tn_box *box, const double *tau, double *answer);
/* Chooses mobility from D at the start. */
void tn_box_estimate(tn_box *box);

/* Boxes that take steps of their own (box_steps.c): from their moments in memory, which are those of y0, to t + h,
 * under forces on the ports that go linearly from tau_begin to tau_end. In y1: their states; their ports nearly, as far
 * as turns are counted. */
int tn_boxes_advance(tn_eval *e, const tn_system *system, const tn_step *step, const double *memory,
                     const double *tau_begin, const double *tau_end);
/* Motions that forces on the ports can cause (box_motions.c), after condense: out = tau with D tau = x in the columns
 * of ports, which makes x'out the mass inside that moves along. Boxes move by x, and to put themselves right. */
void tn_boxes_weigh(const tn_system *system, const double *x, double *out);
int tn_boxes_follow(tn_eval *e, const tn_system *system, tn_question question, const double *x, double *z);
/* J that goes into boxes by an impulse tau on their ports, which changes their velocities v by dv: added to what is in
 * z, and returned. */
double tn_boxes_strike(const tn_system *system, const double *tau, const double *v, const double *dv, double *z);
/* Another number when a box has gone somewhere else, or found D anew: solvers have to factor again then. */
long tn_boxes_changes(const tn_system *system);
/* D tau in the columns of ports. After condense. */
void tn_boxes_respond(const tn_system *system, const double *tau, double *answer);
/* The same after factor and condense of those that show D: others are asked. */
int tn_boxes_answer(tn_eval *e, const tn_system *system, const double *tau, double *answer);

/* A solver of the system's equations with D in place of M^-1 in the columns of ports (boxed.c). *type is replaced when
 * there are boxes; what replaces it analyzes nothing else. structure: the system's with the pins of e, or an
 * extended one; its G has so many doubles. */
int tn_system_analyze(tn_saddle **out, const tn_solver_type **type, tn_eval *e, const tn_system *system,
                      const tn_structure *structure, size_t jacobian_size, tn_arena *arena);
/* M, G and pins of e, which is of the same arena, are written where that solver has them, and need not be copied. So
 * are M and G of components that can write them there. */
void tn_system_share_matrices(tn_saddle *saddle, tn_eval *e, const tn_system *system);

#endif
