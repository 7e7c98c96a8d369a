/* Both sides of components in a process of their own, or of another program: requests, what is exchanged, the declarations of a
 * library.
 *
 * A request costs a change of processes, or the delay of a network. So answers contain what is asked next in most cases: the
 * answer to PLACE contains D and r where the same place of the last step was followed by a question for them, and over slow links
 * the rates of y as an affine function of tau, so that an evaluation needs one request. Answers at a point depend on the point and
 * on the last decision about rank only, so a prediction that was wrong costs time and changes nothing. */
#ifndef TN_LIBRARY_ISOLATED_IMPL_H
#define TN_LIBRARY_ISOLATED_IMPL_H

#include "isolated.h"
#include "link.h"
#include "remote.h"

enum {
    TN_ISOLATED_DESCRIBE, TN_ISOLATED_CREATE, TN_ISOLATED_PLACE, TN_ISOLATED_RESPOND, TN_ISOLATED_TAKE,
    TN_ISOLATED_CONDENSE, TN_ISOLATED_ROOT, TN_ISOLATED_FREE, TN_ISOLATED_SAVE, TN_ISOLATED_RESTORE,
    TN_ISOLATED_ADVANCE, TN_ISOLATED_STOP, TN_ISOLATED_REACT, TN_ISOLATED_MISSED, TN_ISOLATED_GIVEN, TN_ISOLATED_PUSH,
    TN_ISOLATED_JUMPS
};

/* The content of requests and answers; numbers are vectors, as the functions of a component have them. Answers that change the point
 * have y, the motions of the ports, and (CREATE) their centres. */
typedef struct tn_isolated_exchange {
    tn_question question;
    tn_rank_rule rule;
    bool has_tau, wanted;
    double t;
    int rows, states;
    int stops;                     /* CREATE: their number; STOP: the index of the stop whose numbers follow */
    int given;                     /* CREATE: number of start values given inside; GIVEN, PUSH: index of one */
    double amount;                 /* PUSH */
    tn_component_given start;      /* GIVEN: the answer */
    bool reacts, timed;
    tn_step_view view;             /* MISSED: of a step from t to t_end; wanted: the answer, that of JUMPS too */
    double t_end;
    size_t saved;                  /* bytes of a saved state */
    size_t room;                   /* bytes of the whole exchange */
    size_t used;                   /* bytes of numbers that a request, then its answer, occupies */
    int pending;                   /* index in numbers of forces to take for accelerations before the request; -1: none */
    bool foresee, foresee_root;    /* add D (or its root) and r of accelerations to the answer */
    bool foresee_rates;            /* add the rates of y; the forces around which are at the end of the request */
    bool foreseen, foreseen_rates, bent;   /* the answer has them; bent: the rates are no affine function of tau */
    tn_saddle_info info;           /* after the answer */
    tn_component_reaction reaction;
    tn_component_missed missed;
    tn_component_jump jump;        /* JUMPS: the answer */
    tn_component_setting setting;
    bool spoke;                    /* the component has reported something */
    tn_severity severity;
    char said[TN_VERDICT_TEXT];
    double numbers[];
} tn_isolated_exchange;

/* The declarations of a library, as texts one after the other: 's' with the text, or 'n' for NULL. */
typedef struct tn_isolated_declaration {
    int dimension, port_count, parameter_count;
    tn_disclosure disclosure;
    bool has_advance, has_info, has_root, has_frames, full;
    char trouble[TN_VERDICT_TEXT];
    size_t length;
    char text[1 << 20];
} tn_isolated_declaration;

struct tn_isolated_library {
    tn_component_type type;
    tn_arena *arena;
    char *path;                    /* of the library; or the address of the server */
    tn_link_address address;       /* host "": a process */
    char *token, *authority;
    int columns;                   /* of all ports */
    size_t room;                   /* bytes of an exchange */
};

/* Where answers have the motions of ports, what is foreseen (after PLACE), and r and the rates behind D: numbers of doubles. */
size_t tn_isolated_point_size(int states, int ports);
size_t tn_isolated_foreseen_size(int states, int columns);
/* Does an exchange of that many bytes have room for all vectors of such a component? */
bool tn_isolated_fits(size_t room, int states, int columns, int ports, size_t saved);
/* A byte that another machine wrote as a bool: true for all but 0. Reading it as a bool would be undefined. */
void tn_isolated_mend_bool(bool *value);
void tn_isolated_mend_exchange(tn_isolated_exchange *x);
/* Starts the process of the library, or connects to its server. TN_ERROR_FILE with the reason in trouble. */
int tn_isolated_reach(tn_remote *remote, const tn_isolated_library *library, size_t room, char trouble[TN_VERDICT_TEXT]);
/* isolated.c: the functions of the type that ask the process. */
void tn_isolated_fill_type(tn_component_type *type, const tn_isolated_declaration *declared);
/* isolated_serve.c: answers requests, in the process; user is the path of the library. */
int tn_isolated_serve(void *user, int request, void *room);

#endif
