/* What an edit costs: a joint cut and made again in a chain of N bodies that swings. Prints one line:
 *     n,cut_ms,join_ms,worst_ms,step_ms,step_after_ms
 * cut and join are medians, worst is over all edits; step_after is the first step after an edit.
 *
 * live_bench N drag: what it costs to drag the end of the chain while it stands still, by a hundredth of a link at a
 * time as a mouse does, and across all of its reach and beyond:
 *     n,near_ms,near_worst_ms,far_ms,far_worst_ms
 *
 * live_bench N numbers: what it costs to set a number and to pull, in the same chain with a spring at its end. Times
 * are medians, bytes are what one "set" leaves behind for undo:
 *     n,set_us,gravity_us,undo_us,set_bytes,pull_begin_us,pull_move_us,pull_end_us */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"

enum { EDITS = 40, MOST = 100000 };

/* ms */
static double now(void)
{
    return 1e3 * tn_clock();
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

/* In [-1, 1], the same on every machine. */
static double chance(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1;
}

/* Times of drags whose targets move by so much, or lie anywhere within so much of the origin. */
static void measure_drags(tn_context *context, tn_session *session, int n, double size, int anywhere, double *ms)
{
    char name[32];
    snprintf(name, sizeof name, "b%d", n - 1);
    tn_drag drag = { .body = tn_model_find(tn_session_model(session), name), .target = { 0.9 * n, 0, -0.2 * n } };
    must(context, tn_session_drag(NULL, session, &drag));
    drag.more = true;
    for (int k = 0; k < EDITS; k++) {
        for (int i = 0; i < 3; i += 2)
            drag.target[i] = (anywhere ? 0 : drag.target[i]) + size * chance();
        double start = now();
        must(context, tn_session_drag(NULL, session, &drag));
        ms[k] = now() - start;
    }
}

static void print_drags(tn_context *context, tn_session *session, int n)
{
    double near[EDITS], far[EDITS];
    measure_drags(context, session, n, 0.01, 0, near);
    measure_drags(context, session, n, 2.0 * n, 1, far);
    double near_median = median(near), far_median = median(far);       /* sorted from here on */
    printf("%d,%.4g,%.4g,%.4g,%.4g\n", n, near_median, near[EDITS - 1], far_median, far[EDITS - 1]);
}

static void print_edits(tn_context *context, tn_session *session, int n)
{
    double cut[EDITS], join[EDITS], step[EDITS], after[EDITS], worst = 0;
    for (int k = 0; k < EDITS; k++) {
        char command[160];
        must(context, tn_session_step(session));
        double t0 = now();
        must(context, tn_session_step(session));
        double t1 = now();
        snprintf(command, sizeof command, "{ remove: j%d }", n / 2);
        must(context, tn_session_apply(NULL, session, command));
        double t2 = now();
        snprintf(command, sizeof command, "{ add: { joints: { j%d: { type: revolute, between: [b%d, b%d], "
                 "at: [%d.5, 0, 0], axis: y } } } }", n / 2, n / 2 - 1, n / 2, n / 2);
        must(context, tn_session_apply(NULL, session, command));
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
}

/* A command that sets a number to one of two values in turn. */
static double time_command(tn_context *context, tn_session *session, const char *format, int k)
{
    char command[160];
    snprintf(command, sizeof command, format, k % 2 ? 120.0 : 100.0);
    must(context, tn_session_step(session));
    double start = now();
    must(context, tn_session_apply(NULL, session, command));
    return 1e3 * (now() - start);
}

static void print_numbers(tn_context *context, tn_session *session, int n)
{
    double set[EDITS], gravity[EDITS], undo[EDITS], begin[EDITS], move[EDITS], end[EDITS];
    char name[32];
    snprintf(name, sizeof name, "b%d", n - 1);
    tn_pull pull = { .body = tn_model_find(tn_session_model(session), name), .target = { 0, 0, -n } };
    time_command(context, session, "{ set: { spring.stiffness: %g } }", 1);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int k = 0; k < EDITS; k++)
        set[k] = time_command(context, session, "{ set: { spring.stiffness: %g } }", k);
    size_t bytes = (mallinfo2().uordblks + mallinfo2().hblkhd - before) / EDITS;
    for (int k = 0; k < EDITS; k++) {
        gravity[k] = time_command(context, session, "{ gravity: [0, 0, -0.0%g] }", k);
        must(context, tn_session_step(session));
        double start = now();
        must(context, tn_session_undo(NULL, session, k % 2));
        undo[k] = 1e3 * (now() - start);
    }
    for (int k = 0; k < EDITS; k++) {
        double t0 = now();
        must(context, tn_session_pull(session, &pull));
        double t1 = now();
        must(context, tn_session_step(session));
        pull.target[0] += 0.1;
        double t2 = now();
        must(context, tn_session_pull(session, &pull));
        double t3 = now();
        must(context, tn_session_step(session));
        double t4 = now();
        must(context, tn_session_release(session));
        begin[k] = 1e3 * (t1 - t0);
        move[k] = 1e3 * (t3 - t2);
        end[k] = 1e3 * (now() - t4);
    }
    printf("%d,%.4g,%.4g,%.4g,%zu,%.4g,%.4g,%.4g\n", n, median(set), median(gravity), median(undo), bytes,
           median(begin), median(move), median(end));
}

static void add_spring(tn_context *context, tn_model *model, int n)
{
    tn_force_def spring = tn_force_default("spring");
    char name[32];
    snprintf(name, sizeof name, "b%d", n - 1);
    spring.body2 = tn_model_find(model, name);
    const tn_setting settings[] = { { "stiffness", 10 }, { "length", n } };
    spring.settings = settings;
    spring.setting_count = 2;
    must(context, tn_model_add_force(NULL, model, "spring", &spring));
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 2 || n > MOST)
        return 2;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = chain(context, n);
    tn_session *session;
    int numbers = argc > 2 && strcmp(argv[2], "numbers") == 0;
    if (numbers)
        add_spring(context, model, n);
    must(context, tn_session_open(&session, model, NULL));
    if (numbers)
        print_numbers(context, session, n);
    else if (argc > 2 && strcmp(argv[2], "drag") == 0)
        print_drags(context, session, n);
    else
        print_edits(context, session, n);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return 0;
}
