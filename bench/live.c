/* What an edit costs: a joint cut and made again in a chain of N bodies that swings. Prints one line:
 *     n,cut_ms,join_ms,worst_ms,step_ms,step_after_ms
 * cut and join are medians, worst is over all edits; step_after is the first step after an edit. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tenon/tenon.h"

enum { EDITS = 40, MOST = 100000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(tn_context *context, int code)
{
    if (code >= 0)
        return;
    tn_diagnostics_print(context, stderr);
    exit(1);
}

/* Along x, hinges about y half-way between the bodies. */
static tn_model *chain(tn_context *context, int n)
{
    tn_model *model;
    must(context, tn_model_create(&model, context, 3));
    tn_model_set_gravity(model, (double[3]){ 0, 0, -9.81 });
    tn_id last = tn_model_ground(model);
    for (int k = 0; k < n; k++) {
        char name[32];
        tn_body_def body = tn_body_default();
        tn_joint_def joint = tn_joint_default("revolute");
        body.mass = 1;
        body.inertia[0] = 0.01;
        body.inertia[1] = body.inertia[2] = 0.1;
        body.pose = tn_pose_identity();
        body.pose.p[0] = k + 1;
        body.placed = true;
        snprintf(name, sizeof name, "b%d", k);
        joint.body1 = last;
        must(context, tn_model_add_body(&joint.body2, model, name, &body));
        tn_pose at = tn_pose_z((double[3]){ k + 0.5, 0, 0 }, (double[3]){ 0, 1, 0 });
        must(context, tn_joint_as_built(&joint, model, &at));
        snprintf(name, sizeof name, "j%d", k);
        must(context, tn_model_add_joint(NULL, model, name, &joint));
        last = joint.body2;
    }
    tn_solve solve = tn_model_solve(model);
    solve.integrator = "rk4";
    solve.step = 1e-4;
    must(context, tn_model_set_solve(model, &solve));
    return model;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, EDITS, sizeof *x, ascending);
    return x[EDITS / 2];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 2 || n > MOST)
        return 2;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = chain(context, n);
    tn_session *session;
    must(context, tn_session_open(&session, model, NULL));
    double cut[EDITS], join[EDITS], step[EDITS], after[EDITS], worst = 0;
    for (int k = 0; k < EDITS; k++) {
        char command[160];
        must(context, tn_session_step(session));
        double t0 = now();
        must(context, tn_session_step(session));
        double t1 = now();
        snprintf(command, sizeof command, "{ remove: j%d }", n / 2);
        must(context, tn_session_apply(session, command, NULL));
        double t2 = now();
        snprintf(command, sizeof command, "{ add: { joints: { j%d: { type: revolute, between: [b%d, b%d], "
                 "at: [%d.5, 0, 0], axis: y } } } }", n / 2, n / 2 - 1, n / 2, n / 2);
        must(context, tn_session_apply(session, command, NULL));
        double t3 = now();
        must(context, tn_session_step(session));
        double t4 = now();
        step[k] = t1 - t0;
        cut[k] = t2 - t1;
        join[k] = t3 - t2;
        after[k] = t4 - t3;
        worst = cut[k] > worst ? cut[k] : worst;
        worst = join[k] > worst ? join[k] : worst;
    }
    printf("%d,%.4g,%.4g,%.4g,%.4g,%.4g\n", n, median(cut), median(join), worst, median(step), median(after));
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return 0;
}
