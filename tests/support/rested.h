/* A model at its equilibrium, or where the search for it ended. */
#ifndef TN_TESTS_RESTED_H
#define TN_TESTS_RESTED_H

#include "event_runs.h"
#include "tenon/analysis.h"

typedef struct rested {
    reading r;
    tn_session *session;
    tn_equilibrium *e;
    int code;
} rested;

static inline rested rest_of(const char *text, bool nearest)
{
    rested x = { .r = accepted(text) };
    tn_statics_options options = tn_statics_default();
    options.nearest = nearest;
    if (tn_session_open(&x.session, x.r.model, NULL) < 0) {
        tn_diagnostics_print(x.r.context, stderr);
        fail();
    }
    x.code = tn_session_statics(&x.e, x.session, &options);
    return x;
}

static inline double at(const rested *x, const char *channel)
{
    double value = NAN;
    assert_int_equal(tn_session_value(&value, x->session, channel), TN_OK);
    return value;
}

static inline void close_rested(rested *x)
{
    tn_equilibrium_destroy(x->r.context, x->e);
    tn_session_close(x->session);
    done(&x->r);
}

#endif
