/* A mechanism in step with the wall clock, as in a test bench: every millisecond a controller reads channels, sets an input and
 * advances the session by a millisecond; then the program sleeps until the next one is due.
 *
 * usage: embed_realtime [SECONDS]      prints how long the computation takes and how late the program wakes up */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>

static const char *const cart_pole =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "inputs:\n"
    "  push: { unit: N, low: -50, high: 50 }\n"
    "bodies:\n"
    "  cart: { mass: 1 kg, inertia: 0.1, position: [0, 0] }\n"
    "  pole: { mass: 0.2 kg, inertia: 0.005, com: [0, 0.3], position: [0, 0] }\n"
    "joints:\n"
    "  rail: { type: translational, between: [ground, cart] }\n"
    "  pin: { type: revolute, between: [cart, pole] }\n"
    "forces:\n"
    "  motor: { type: force, on: cart, value: [push, 0] }\n"
    "initial: { pin: { angle: 3 deg } }\n"
    "solve: { integrator: rk4, step: 1 ms }\n";     /* a fixed step: the same work in every period */

enum { PERIOD = 1000000, MOST = 1000000 };              /* ns; periods */

static double late[MOST], busy[MOST];                   /* s */

static double seconds_from(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

static int run(tn_session *session, tn_id push, tn_readout *readout, int periods)
{
    struct timespec due, now, done;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (int k = 0; k < periods; k++) {
        double x[4];
        due.tv_nsec += PERIOD;
        if (due.tv_nsec >= 1000000000L) {
            due.tv_nsec -= 1000000000L;
            due.tv_sec++;
        }
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0)
            continue;                                   /* an absolute time: lateness does not add up */
        clock_gettime(CLOCK_MONOTONIC, &now);
        late[k] = seconds_from(&due, &now);
        if (tn_readout_values(x, readout) < 0)
            return -1;
        double force = 1.0 * x[0] + 2.5 * x[1] - 35 * x[2] - 6 * x[3];       /* holds the pole upright */
        if (tn_session_input(session, push, fmax(-50, fmin(50, force))) < 0 || tn_session_advance(session, 1e-9 * PERIOD) < 0)
            return -1;
        clock_gettime(CLOCK_MONOTONIC, &done);
        busy[k] = seconds_from(&now, &done);
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("%-12s half below %6.1f us, 99 %% below %7.1f us, at most %7.1f us\n", what, 1e6 * times[count / 2],
           1e6 * times[count - 1 - count / 100], 1e6 * times[count - 1]);
}

int main(int count, char **words)
{
    static const char *const channels[] = { "rail.position", "rail.rate", "pin.angle", "pin.rate" };
    int periods = (int)((count > 1 ? atof(words[1]) : 0.2) * 1e9 / PERIOD), failed = 1;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_readout *readout = NULL;
    double angle = 1;
    if (periods > 0 && periods <= MOST && tn_model_read_text(&model, context, cart_pole, strlen(cart_pole), "cart.yaml", ".") == TN_OK &&
        tn_session_open(&session, model, NULL) == TN_OK && tn_readout_open(&readout, session, channels, 4) == TN_OK &&
        run(session, tn_model_find(model, "push"), readout, periods) == 0) {
        report("late", late, periods);
        report("computation", busy, periods);
        failed = tn_session_value(&angle, session, "pin.angle") < 0 || !(fabs(angle) < 0.06);
        printf("after %g s the pole is at %.4f rad\n", tn_session_time(session), angle);
    } else {
        tn_diagnostics_print(context, stderr);
    }
    tn_readout_close(readout);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
