/* A component in a process of its own, or at a server, as this process sees it; its requests. Shared by the functions of its type
 * (isolated.c) and the exchange with the process (isolated_calls.c). */
#ifndef TN_LIBRARY_ISOLATED_CALLS_H
#define TN_LIBRARY_ISOLATED_CALLS_H

#include "foresight.h"
#include "isolated.h"
#include "isolated_impl.h"

/* s: longer than any answer of a component takes; a component that needs longer is taken to hang. */
#define TN_ISOLATED_LIMIT 5.0

typedef struct tn_isolated {
    const tn_isolated_library *library;
    const tn_component_host *host;
    tn_remote remote;
    tn_isolated_exchange *x;           /* the room of the remote */
    tn_component_setting setting;
    double *parameters;                /* of a new process after a crash */
    double t, *y;                      /* the point */
    bool there;                        /* the process is at the point: the last place succeeded */
    bool under_way;                    /* a request has no answer yet: TN_ISOLATED_PLACE to asked_t and asked_y, or a question */
    int asked;                         /* which one */
    double asked_t, *asked_y;
    tn_component_request asked_request;
    double *asked_tau;
    tn_port_motion *ports;             /* at the point */
    double (*centers)[3];
    unsigned char *saved;              /* the last saved or restored state */
    tn_foresight ahead;                /* answers that came before they were asked for */
    int states;
    size_t saved_size;
    tn_component_stop *stops;
    int stop_count;
    int given_count;
    bool reacts, timed;
} tn_isolated;

bool tn_isolated_is_link(const tn_isolated *component);
/* Sends the request that stands in the room. name: for messages; limit: s. */
int tn_isolated_send(tn_isolated *component, int request, const char *name, double limit);
/* The same, and waits for the answer. What the component said, or how it ended, is reported to the host. */
int tn_isolated_call(tn_isolated *component, int request, const char *name, double limit);
/* Waits for an answer that is no longer needed, because an error elsewhere ended the question after its request was sent. To be
 * called before another request is written. */
void tn_isolated_settle(tn_isolated *component);
/* The answer to a request that was begun. */
int tn_isolated_finish(tn_isolated *component, const char *name);
/* Completes a request about the point, with count numbers, behind forces that were taken here and that the process does not know
 * yet. foresee: add to the answer what is asked next. */
void tn_isolated_prepare(tn_isolated *component, int request, size_t count, bool foresee);
/* prepare and call. */
int tn_isolated_ask(tn_isolated *component, int request, const char *name, size_t count, bool foresee);
/* Has this question been begun? */
bool tn_isolated_is_begun(const tn_isolated *component, int request, const tn_component_request *question);
void tn_isolated_give_tau(tn_isolated *component, const double *tau);

#endif
