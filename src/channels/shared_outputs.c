/* Recorded expressions that follow how redundant joints share a load. Joint forces are determined up to n with G'n = 0: an expression
 * whose value changes with such a change of all of them is not determined by the motion; the sum of two forces that share a load is. */
#include <math.h>
#include <string.h>
#include "channels.h"
#include "vec.h"

/* Fractional parts of its multiples never repeat: no symmetry of the rows is met. */
static const double GOLDEN = 0.6180339887498949;
/* Part of the value: smaller changes are round-off. */
static const double CHANGES = 1e-7;

/* n = r + mu with M a - G'mu = G'r, G a = 0: then a = 0. work: velocities, velocities, rows. */
static int find_null(double *n, tn_stepper *st, double *work)
{
    const tn_system *s = st->system;
    double *f = work, *a = f + s->velocities, *u = a + s->velocities;
    for (int i = 0; i < s->rows; i++)
        n[i] = 0.5 + fmod(GOLDEN * (i + 1), 1);
    tn_add_joint_forces(st, n, f);
    TN_TRY(st->solver->solve(st->saddle, f, u, a, st->eval->lambda));
    for (int i = 0; i < s->rows; i++)
        n[i] += st->eval->lambda[i];
    return TN_OK;
}

/* Does the value change with the joint forces, which are as at the end? n is as large as they are. */
static bool follows(tn_session *s, const tn_probe *probe, const double *n)
{
    tn_eval *e = s->stepper->eval;
    const double before = tn_probe_value(s, probe);
    for (int i = 0; i < s->system->rows; i++)
        e->lambda[i] += n[i];
    const double after = tn_probe_value(s, probe);
    return fabs(after - before) > CHANGES * fmax(fabs(after), fabs(before));
}

static int examine(bool *shared, tn_session *s, const tn_probe *probe, double *n, double *work)
{
    tn_stepper *st = s->stepper;
    const int rows = s->system->rows;
    TN_TRY(tn_session_evaluate(s));
    const double load = fmax(tn_largest(rows, st->eval->lambda), 1);
    TN_TRY(find_null(n, st, work));
    const double size = tn_largest(rows, n);
    s->eval_current = false;
    TN_TRY(tn_session_evaluate(s));
    for (int i = 0; i < rows; i++)
        n[i] *= size > 0 ? load / size : 0;
    *shared = follows(s, probe, n);
    s->eval_current = false;
    return tn_session_evaluate(s);
}

bool tn_session_recorded_is_shared(tn_session *s, size_t index)
{
    const tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    const tn_probe *probe = &s->channels->recorded.items[index];
    bool shared = false;
    if (index >= s->channels->recorded.count || !probe->formula || st->motion_only || st->rank < 0 || st->rank >= sys->rows)
        return false;
    double *work = tn_alloc(s->context, (size_t)(2 * sys->velocities + 2 * sys->rows), sizeof *work);
    if (work && examine(&shared, s, probe, work, work + sys->rows) < 0)
        shared = false;
    tn_free(s->context, work);
    return shared;
}
