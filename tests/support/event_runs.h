/* Runs of models with events, and what fired. */
#ifndef TEST_EVENT_RUNS_H
#define TEST_EVENT_RUNS_H

#include "read_model.h"
#include "tenon/session.h"
#include <math.h>

static const double G = 9.81;

typedef struct run {
    reading r;
    tn_session *session;
    int code;
} run;

/* Runs head + events + tail to its end. */
static inline run run_parts(const char *head, const char *events, const char *tail)
{
    char text[6000];
    run x = { 0 };
    snprintf(text, sizeof text, "%s%s%s", head, events, tail);
    x.r = accepted(text);
    if (tn_session_open(&x.session, x.r.model, NULL) < 0) {
        tn_diagnostics_print(x.r.context, stderr);
        fail();
    }
    x.code = tn_session_run(x.session);
    return x;
}

static inline void close_run(run *x)
{
    tn_session_close(x->session);
    done(&x->r);
}

static inline void assert_fired(const run *x, size_t index, const char *event, tn_fired_kind kind, double time,
                         double tolerance)
{
    assert_true(index < tn_session_fired_count(x->session));
    tn_fired fired = tn_session_fired(x->session, index);
    assert_string_equal(fired.event, event);
    assert_int_equal(fired.kind, kind);
    assert_near(fired.time, time, tolerance);
}

static inline double value_of(const run *x, const char *channel)
{
    double value = NAN;
    assert_int_equal(tn_session_value(&value, x->session, channel), TN_OK);
    return value;
}

static const char ball[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { ball: { type: particle, mass: 1 kg, position: [0, 1 m], velocity: [1, 5] } }\n"
    "outputs: [ball.position, energy.error]\n";

static const char pendulum[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { bob: { type: particle, mass: 1 kg, position: [1 m, 0] } }\n"
    "joints: { bar: { type: rod, between: [ground, bob], length: 1 m } }\n"
    "outputs: [bob.position, bob.velocity]\n";

#endif
