/* A component in a workspace. The coupling numbers points from one on, and every result of a component carries the
 * number of its point:
 *
 *     at.number          the point where the component is placed; 0: none, it has to be placed
 *     response.point     D and W are of this point
 *     disclosure.point   bodies, rows, f and u of an open component are of this point
 *     exchange.point     the last question belongs to this point
 *     tn_eval.points     the workspace has the motion of ports at this point
 *
 * A result is valid when its number equals at.number; no other flag exists. An exchange at a point has phases:
 *
 *     NONE -> ASKED      tn_coupling_ask: an open component has shown f and u for the question
 *     ASKED -> SOLVED    the solver has taken f and u into its next solution
 *     SOLVED -> SOLVED   the component may take the motion of its bodies from there, any number of times
 *     any -> NONE        a solution without a question, or a move to another point */
#ifndef TN_COUPLING_IMPL_H
#define TN_COUPLING_IMPL_H

#include "coupling.h"
#include "tn_assert.h"

typedef struct tn_coupled_point {
    long number;
    double t, *y;
    tn_port_motion *ports;
} tn_coupled_point;

/* D as returned by the component, and its factors, weight W W' = D; by columns (response.c). */
typedef struct tn_coupled_response {
    long point;
    bool decided;                  /* the rank of D was decided at this point */
    double *D, *T;                 /* by columns; by rows, T'T = D */
    int root_rows;                 /* of T */
    double *W, weight;
    int *order;                    /* of the columns, while D is factorized */
    double *reach;                 /* length of each row of W */
    int rank;                      /* of D */
    double *Q, *R;                 /* Q R = W in tn_coupling_weigh, by columns; scratch elsewhere */
} tn_coupled_response;

typedef struct tn_coupled_disclosure {
    long point;
    tn_question question;
    tn_open_extent extent;
    tn_open_component inside;      /* structure and port_body hold at all points */
    const tn_saddle *home;         /* the solver whose memory it writes M and G to; NULL: none */
} tn_coupled_disclosure;

typedef enum tn_exchange_phase { TN_EXCHANGE_NONE, TN_EXCHANGE_ASKED, TN_EXCHANGE_SOLVED } tn_exchange_phase;

typedef struct tn_coupled_exchange {
    long point;
    tn_question question;
    tn_exchange_phase phase;
    const double *motion, *lambda; /* SOLVED: of its bodies and rows; lambda NULL: not computed */
} tn_coupled_exchange;

/* Where something inside jumps with time, as far as the component was asked: from `from` on, up to `until`, there is none; then comes
 * `next`, unless it is NaN. */
typedef struct tn_coupled_jumps {
    double from, until;
    tn_component_jump next;
} tn_coupled_jumps;

typedef struct tn_coupled {
    const tn_sys_component *of;
    tn_coupling *coupling;
    tn_instance *instance;
    const tn_component_type *type; /* of the instance, as self */
    void *self;
    tn_coupled_point at;
    tn_coupled_response response;
    tn_coupled_disclosure shown;
    tn_coupled_exchange exchange;
    int freedoms;                  /* its rank at the start, at least one; open: 0 */
    double *mobility;              /* of each column: approximate response to a unit force, the scale of answers */
    double *rest;                  /* of each column: motion without forces, subtracted from answers */
    double *tau, *answer;          /* of one question; scratch */
    unsigned char *bytes;          /* its snapshot */
    tn_coupled_jumps jumps;
} tn_coupled;

struct tn_coupling {
    tn_coupled *items;             /* of each component of the system */
    int count;
    tn_context *context;
    tn_arena *arena;
    long number;                   /* of points and responses so far */
};

/* ---- the point (coupling.c) ---- */

/* Makes the point of the component invalid. */
void tn_coupled_leave(tn_coupled *component);
/* The component is at (at.t, at.y): reads the motion of its ports there. */
void tn_coupled_arrive(tn_coupled *component);
/* Places a component at the point in e. */
int tn_coupled_move(tn_eval *e, const tn_system *system, tn_coupled *component);
static inline int tn_coupled_place(tn_eval *e, const tn_system *system, tn_coupled *component)
{
    const long number = e->points[component - e->coupling->items];
    return number > 0 && number == component->at.number ? TN_OK : tn_coupled_move(e, system, component);
}
static inline bool tn_coupled_is_condensed(const tn_coupled *component)
{
    return component->response.point > 0 && component->response.point == component->at.number;
}
/* Number of components of a workspace, which has a coupling where there are any. */
static inline int tn_coupled_count(const tn_eval *e, const tn_system *system)
{
    TN_ASSERT(system->component_count == 0 || (e->coupling && e->coupling->count == system->component_count));
    return system->component_count;
}

/* ---- what goes wrong (coupling.c) ---- */

/* Writes the error to e, unless e has an earlier one; returns code. */
int tn_coupled_note(tn_eval *e, const tn_system *system, const tn_coupled *component, int code, const char *why);
/* After a failed function of the component: every error but a step that is too long (or memory) ends the run. */
int tn_coupled_failed(tn_eval *e, const tn_system *system, tn_coupled *component, int code, const char *function);
static inline int tn_coupled_passed(tn_eval *e, const tn_system *system, tn_coupled *component, int code,
                                    const char *function)
{
    return code >= 0 ? TN_OK : tn_coupled_failed(e, system, component, code, function);
}
/* An answer that is impossible for a mechanism: ends the run with a diagnostic. Returns code. */
int tn_coupled_end_run(tn_eval *e, const tn_system *system, const tn_coupled *component, int code, const char *why);

/* ---- questions ---- */

/* response.c: its rank at the start, at least one. Number of columns where the component fails to answer: the error is
 * reported when the model needs the answer. */
int tn_coupled_find_freedoms(tn_coupled *component);
/* exchange.c: writes r at the point into the columns of its ports. */
int tn_coupled_free(tn_eval *e, const tn_system *system, tn_coupled *component, tn_question question, double *r);
/* open.c: calls open on a component at the point in e, where its last result is not valid. */
int tn_coupled_open(tn_eval *e, const tn_system *system, tn_coupled *component, tn_question question,
                    tn_open_extent extent);
/* Raises gap to the largest residual inside open components. matrices: a factorization there is likely to follow. */
int tn_coupling_open_gap(tn_eval *e, const tn_system *system, tn_question question, bool matrices, double *gap);
/* Makes the shown bodies and rows invalid, though the component stays at its point. */
void tn_coupled_cover(tn_coupled *component);
/* Puts a question to an open component: the next solution of the solver answers it. */
int tn_coupled_ask(tn_eval *e, const tn_system *system, tn_coupled *component, tn_question question);
/* Called by the solver: takes the question into its solution. False: there is no question at this point. motion and
 * lambda (NULL: not computed) are where the solution will be. */
bool tn_coupled_solving(tn_coupled *component, const double *motion, const double *lambda);
/* The last solution has answered the question: the component takes that solution and ignores tau. */
bool tn_coupled_answered(const tn_coupled *component, tn_question question);

/* answers.c: components that only respond, D tau without D. Begins at its point, once for each point. */
/* Tells a component which question follows, so that components that wait for answers wait at the same time. */
void tn_coupled_begin(const tn_coupled *component, const tn_component_request *request);
int tn_coupled_begin_answers(tn_eval *e, const tn_system *system, tn_coupled *component);
/* answer = D tau, over its columns, by one call of respond. */
int tn_coupled_answer(tn_eval *e, const tn_system *system, tn_coupled *component, const double *tau, double *answer);
/* Estimates mobility from D at the start. */
void tn_coupled_estimate(tn_coupled *component);

#endif
