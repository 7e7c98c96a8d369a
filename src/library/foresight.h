/* Answers of a component that came before they were asked for (isolated_impl.h), and which of them to ask for.
 *
 * Steps of an integrator repeat themselves: the places between two decisions about rank are counted, and the k-th one is taken to
 * be followed by a question for D if it was in the last step. */
#ifndef TN_LIBRARY_FORESIGHT_H
#define TN_LIBRARY_FORESIGHT_H

#include "isolated_impl.h"

enum { TN_FORESIGHT_PLACES = 64 };

typedef struct tn_foresight {
    double *matrix, *r;            /* D or its root, and r of accelerations, at the point */
    double *base, *map, *around;   /* rates of y at the point: base + map (tau - around) */
    double *taken;                 /* forces that were taken here only */
    size_t states, columns;
    int rows;                      /* of the root */
    bool root;                     /* the root is asked for, not D */
    bool has_matrix, has_answer, has_rates, pending, bent;
    bool used;                     /* D was asked for at the point */
    bool decided, decided_here;    /* rank: ever, at the point */
    int place;                     /* since the last decision about rank */
    bool followed[TN_FORESIGHT_PLACES];
} tn_foresight;

int tn_foresight_open(tn_foresight *f, const tn_component_host *host, int states, int columns);
void tn_foresight_close(tn_foresight *f, const tn_component_host *host);

/* Another point follows. True: D will probably be asked for there. */
bool tn_foresight_place(tn_foresight *f);
/* Takes what an answer has, from this number of doubles on. asked: D was asked for, so that the answer has it in any case. */
void tn_foresight_take(tn_foresight *f, const tn_isolated_exchange *x, size_t at, bool asked);
/* Nothing is known of the point any more. */
void tn_foresight_forget(tn_foresight *f);
bool tn_foresight_has_matrix(const tn_foresight *f, tn_rank_rule rule, bool root);
void tn_foresight_used(tn_foresight *f, tn_rank_rule rule);
/* r of accelerations. False: not known. */
bool tn_foresight_answer(const tn_foresight *f, double *r);
/* Takes forces (NULL: none) and gives the rates. False: not known. */
bool tn_foresight_rates(tn_foresight *f, const double *tau, double *rates);

#endif
