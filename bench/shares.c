/* What of a step processes can share: the solver "hierarchical" against all the rest of an evaluation.
 *
 * usage: shares_bench MODEL...
 *
 * Time is that of the processor, so that others on the machine matter little; the best of several rounds counts.
 * Prints CSV: model, bodies, rows, then microseconds of an evaluation, of the solver in it with and without deciding
 * ranks, of a solution with the factors at hand, the solver's work (multiplications) and nanoseconds for each. */
#include "clock.h"
#include "session_impl.h"
#include "tenon/sys/partition.h"
#include "tenon/tenon.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 40 };

typedef struct subject {
    tn_stepper *stepper;
    double *a;
} subject;

static int evaluate(const subject *s)
{
    s->stepper->rule = TN_RANK_KEEP;
    return tn_stepper_evaluate(s->stepper, s->stepper->t, s->stepper->y);
}

static int solve_all(const subject *s, tn_rank_rule rule)
{
    const tn_stepper *st = s->stepper;
    const tn_eval *e = st->eval;
    return st->solver->factor_solve(st->saddle, e->M, e->G, rule, e->f, e->bias, s->a, NULL);
}

static int solve_deciding(const subject *s)
{
    return solve_all(s, TN_RANK_DECIDE);
}

static int solve_keeping(const subject *s)
{
    return solve_all(s, TN_RANK_KEEP);
}

static int solve_again(const subject *s)
{
    const tn_stepper *st = s->stepper;
    return st->solver->solve(st->saddle, st->eval->f, st->eval->bias, s->a, NULL);
}

/* Microseconds; NaN when it fails. */
static double best_of(int (*task)(const subject *s), const subject *s)
{
    double best = INFINITY;
    for (int k = 0; k < ROUNDS; k++) {
        double begun = now();
        if (task(s) < 0)
            return NAN;
        best = fmin(best, 1e6 * (now() - begun));
    }
    return best;
}

static int measure(tn_session *session, const char *path)
{
    const tn_system *system = session->system;
    tn_placement *placement = NULL;
    tn_context *context = session->context;
    subject s = { session->stepper, tn_alloc(context, (size_t)system->velocities, sizeof(double)) };
    if (!s.a || tn_model_placement(&placement, tn_session_model(session)) < 0)
        return -1;
    double evaluation = best_of(evaluate, &s), deciding = best_of(solve_deciding, &s);
    double keeping = best_of(solve_keeping, &s), again = best_of(solve_again, &s);
    printf("%s,%d,%d,%.1f,%.1f,%.1f,%.1f,%.4g,%.3f\n", path, system->body_count, system->rows, evaluation, deciding,
           keeping, again, placement->total, 1e3 * (keeping - again) / placement->total);
    tn_placement_destroy(context, placement);
    tn_free(context, s.a);
    return 0;
}

static int bench_model(const char *path)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read(&model, context, path);
    if (code >= 0) {
        tn_solve solve = tn_model_solve(model);
        solve.solver = "hierarchical";
        code = tn_session_open(&session, model, &solve);
    }
    if (code >= 0)
        code = measure(session, path);
    tn_diagnostics_print(context, stderr);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return code < 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    puts("model,bodies,rows,evaluation,deciding,keeping,again,work,nanoseconds_each");
    for (int k = 1; k < argc && !failed; k++)
        failed = bench_model(argv[k]);
    return failed;
}
