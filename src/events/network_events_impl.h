/* What the search for instants of the network and their carrying out share. */
#ifndef TN_NETWORK_EVENTS_IMPL_H
#define TN_NETWORK_EVENTS_IMPL_H

#include <math.h>
#include "hybrid.h"
#include "network_events.h"

/* The changes at a located instant. */
typedef struct tn_instant {
    double at;                     /* INFINITY: there is none */
    int *flips;                    /* kinks that change */
    double *flip_to;               /* their branches afterwards */
    int flip_count;
    bool switching;                /* a mode is left, by this switch */
    int switch_sampler, switch_index;
} tn_instant;

typedef struct tn_network_events {
    double *violations, *noise, *branches;
    tn_instant now, before;        /* before: found by the last search */
    tn_instant noted;              /* found by another tool */
    int *turned;                   /* kinks that were changed and have not left their zero since */
    int turned_count;
    int switched;                  /* sampler of the last mode that was left at the last instant; -1: none */
    int early;                     /* steps in a row that ended a little before an instant */
    bool told;                     /* a warning about chattering was given */
    int changes;                   /* changes of branches in a row */
    double since;
    const tn_entity *crowded;      /* the device that chattered last; NULL: none */
} tn_network_events;

static inline const tn_hybrid *tn_hybrid_of(const tn_session *s)
{
    return s->system->network ? s->system->network->hybrid : NULL;
}

/* Times that differ by less than 1e-14 of themselves are one instant. */
static inline bool tn_same_instant(double a, double b)
{
    return isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-14 * fmax(fabs(a), fabs(b));
}

/* The workspace; made again when the system has changed. */
int tn_network_events_get(tn_network_events **out, tn_session *session);
bool tn_sample_is_due(const tn_session *session, int sampler);
bool tn_any_sample_due(const tn_session *session);

#endif
