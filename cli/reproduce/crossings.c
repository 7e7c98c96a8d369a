/* Finds the times at which a quantity passes through zero. */
#include "crossings.h"

/* s between samples: a cubic between them is then good to about 1e-12 of the motions looked at. */
static const double SAMPLE = 1e-3;

typedef struct search {
    double *times;
    size_t found, wanted;
    bool begun;
    double t, value, rate;             /* of the last sample */
} search;

/* Zero, between 0 and 1, of the cubic with values f0, f1 and slopes d0, d1. */
static double cubic_zero(double f0, double d0, double f1, double d1)
{
    double low = 0, high = 1;
    for (int k = 0; k < 60; k++) {
        double x = 0.5 * (low + high), y = 1 - x;
        double f = y * y * ((1 + 2 * x) * f0 + x * d0) + x * x * ((1 + 2 * y) * f1 - y * d1);
        *((f > 0) == (f0 > 0) ? &low : &high) = x;
    }
    return 0.5 * (low + high);
}

static void look_crossings(void *user, const double *values, size_t count)
{
    search *s = user;
    double t = values[0], h = t - s->t;
    if (count < 3)
        return;
    if (s->begun && s->found < s->wanted && s->value * values[1] < 0)
        s->times[s->found++] = s->t + h * cubic_zero(s->value, h * s->rate, values[1], h * values[2]);
    *s = (search){ s->times, s->found, s->wanted, true, t, values[1], values[2] };
}

tn_solve tn_crossings_solve(double until)
{
    tn_solve solve = tn_solve_default();
    solve.integrator = "dop853";
    solve.tolerance = solve.absolute_tolerance = 1e-13;
    solve.until = until;
    solve.record = SAMPLE;
    return solve;
}

int tn_crossings_find(double *times, size_t count, tn_context *context, const char *text, const tn_solve *solve)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    search s = { .times = times, .wanted = count };
    int code = tn_reproduction_open(&session, &model, context, text, solve);
    if (code >= 0) {
        tn_session_on_sample(session, look_crossings, &s);
        code = tn_session_run(session);
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return code >= 0 && s.found < count ? TN_ERROR_STEP : code;
}
