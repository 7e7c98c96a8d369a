/* Both sides of components in a process of their own: requests, what is exchanged, the declarations of a library. */
#ifndef TN_LIBRARY_ISOLATED_IMPL_H
#define TN_LIBRARY_ISOLATED_IMPL_H

#include "isolated.h"
#include "remote.h"

enum {
    TN_ISOLATED_DESCRIBE, TN_ISOLATED_CREATE, TN_ISOLATED_PLACE, TN_ISOLATED_RESPOND, TN_ISOLATED_TAKE,
    TN_ISOLATED_CONDENSE, TN_ISOLATED_ROOT, TN_ISOLATED_FREE, TN_ISOLATED_SAVE, TN_ISOLATED_RESTORE,
    TN_ISOLATED_ADVANCE, TN_ISOLATED_INFO, TN_ISOLATED_STOP, TN_ISOLATED_REACT
};

/* What requests and answers have; numbers are vectors, as the functions of a component have them. Answers that change the point
 * have y, the motions of the ports, and (CREATE) their centres. */
typedef struct tn_isolated_exchange {
    tn_question question;
    tn_rank_rule rule;
    bool has_tau, wanted;
    double t;
    int rows, states;
    int stops;                     /* CREATE: their number; STOP: the index of the one that is asked for */
    bool reacts;
    size_t saved;                  /* bytes of a saved state */
    size_t room;                   /* bytes of the whole exchange */
    tn_saddle_info info;
    tn_component_stop stop;
    tn_component_reaction reaction;
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
    char *path;
    int columns;                   /* of all ports */
    size_t room;                   /* bytes of an exchange */
};

/* Does an exchange of that many bytes have room for all vectors of such a component? */
bool tn_isolated_fits(size_t room, int states, int columns, int ports, size_t saved);
/* isolated.c: the functions of the type that ask the process. */
void tn_isolated_fill_type(tn_component_type *type, const tn_isolated_declaration *declared);
/* isolated_serve.c: answers requests, in the process; user is the path of the library. */
int tn_isolated_serve(void *user, int request, void *room);

#endif
