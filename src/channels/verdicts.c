/* Verdicts: compares the run with the tolerances in the model's "expect:" section. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "channels.h"

/* An event ended the run before its time was over, and the model does not expect it. */
static bool stopped_early(const tn_session *s)
{
    const char *by = s->summary.stopped_by, *expected = s->model->expect.stop;
    return by && !(expected && strcmp(by, expected) == 0);
}

static size_t add_verdicts(const tn_session *s, tn_verdict *out, size_t index, size_t wanted, tn_verdict verdict)
{
    verdict.ok = verdict.error <= verdict.tolerance && !stopped_early(s);      /* false for NaN */
    if (index == wanted)
        *out = verdict;
    return index + 1;
}

/* Relative energy error. Without motion it is relative to the largest energy; without any energy it is in J. */
static double energy_error(const tn_summary *sum)
{
    double relative = tn_summary_energy_error(sum);
    double largest = fmax(fmax(fabs(sum->energy_start), fabs(sum->energy_end)), fabs(sum->energy_work));
    return !isnan(relative) ? relative : sum->energy_error / (largest > 0 ? largest : 1);
}

/* Fills the verdict of the wanted index and returns the number of verdicts. */
static size_t judge(const tn_session *s, size_t wanted, tn_verdict *out)
{
    const tn_expectation *x = &s->model->expect;
    const tn_summary *sum = &s->summary;
    size_t n = 0;
    if (!isnan(x->energy) && !s->stepper->motion_only)
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = "energy", .tolerance = x->energy,
                .error = energy_error(sum) });
    if (!isnan(x->drift))
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = "drift", .tolerance = x->drift, .error = sum->max_drift });
    for (size_t k = 0; k < s->channels->reference.column_count; k++) {
        const struct tn_reference_column *column = &s->channels->reference.columns[k];
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = column->probe.name, .tolerance = x->tolerance,
                .error = s->channels->reference.compared > 1 ? column->error : NAN });
    }
    if (x->stop)
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = "stop by its event", .tolerance = 0,
                .error = sum->stopped_by && strcmp(sum->stopped_by, x->stop) == 0 ? 0 : 1 });
    else if (n > 0 && stopped_early(s))
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = "stopped early, s left", .tolerance = 0,
                .error = fmax(s->solve.until - s->stepper->t, DBL_MIN) });
    if (n > 0 && sum->not_finite > 0)
        n = add_verdicts(s, out, n, wanted, (tn_verdict){ .what = "numbers not finite", .tolerance = 0,
                .error = (double)sum->not_finite });
    return n;
}

size_t tn_session_verdict_count(const tn_session *s)
{
    return judge(s, SIZE_MAX, NULL);
}

tn_verdict tn_session_verdict(const tn_session *s, size_t index)
{
    tn_verdict verdict = { .what = "", .error = NAN };
    judge(s, index, &verdict);
    return verdict;
}
