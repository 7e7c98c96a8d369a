/* A model given as text, followed in time: the shortest use of the library.
 *
 * A point mass on a rod is let go from the horizontal. It reaches the lowest point after a quarter of its period,
 * K(sin 45 deg) sqrt(L/g), with the speed sqrt(2 g L): the program checks both. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char *const pendulum =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob: { type: particle, mass: 1 kg, position: [1, 0] }\n"
    "joints:\n"
    "  string: { type: rod, between: [ground, bob], length: 1 m }\n"
    "solve: { integrator: dopri5, tolerance: 1e-10, absolute_tolerance: 1e-10 }\n";

static const double GRAVITY = 9.81, LENGTH = 1.0;
static const double QUARTER = 1.8540746773013719;      /* K(sin 45 deg): elliptic integral of the first kind */

/* Advances to the lowest point, telling about the way. 0 when the bob is there with the right speed. */
static int swing(tn_session *run)
{
    const int parts = 10;
    double duration = QUARTER * sqrt(LENGTH / GRAVITY), x = NAN, y = NAN, vx = NAN;
    puts("   t, s      x, m      y, m    x', m/s");
    for (int k = 0; k <= parts; k++) {
        if (k > 0 && tn_session_advance(run, duration / parts) < 0)
            return 1;
        if (tn_session_value(&x, run, "bob.position.x") < 0 || tn_session_value(&y, run, "bob.position.y") < 0 ||
            tn_session_value(&vx, run, "bob.velocity.x") < 0)
            return 1;
        printf("%7.4f %9.5f %9.5f %10.5f\n", tn_session_time(run), x, y, vx);
    }
    double place = hypot(x, y + LENGTH), speed = fabs(vx + sqrt(2 * GRAVITY * LENGTH));
    printf("at the lowest point: off by %.1e m, speed off by %.1e m/s\n", place, speed);
    return place < 1e-7 && speed < 1e-7 ? 0 : 1;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    tn_model *model = NULL;
    tn_session *run = NULL;
    int failed = tn_model_read_text(&model, context, pendulum, strlen(pendulum), "pendulum", ".") < 0 ||
                 tn_session_open(&run, model, NULL) < 0 || swing(run) != 0;

    tn_diagnostics_print(context, stderr);             /* what was wrong, if anything was */
    tn_session_close(run);                             /* both accept NULL */
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
