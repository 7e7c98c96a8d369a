/* Counts the turns of joints. Angles are known up to whole turns; they are counted from the angles of a recent accepted
 * state (stepper->memory), which is correct as long as no joint turns by half a turn in between. */
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "device_network.h"
#include "stepper.h"
#include "vec.h"

/* rad: after this rotation angles are stored again; and the farthest that a joint should turn, and may turn, in a step.
 * Their sum must stay below pi. */
static const double REMEMBER_AFTER = 0.5, FARTHEST = 2, TOO_FAR = 2.5;

/* As tn_fastest_turn, but only for joints that count angles, with velocities v. */
static double joints_turn(const tn_stepper *st, const double *v)
{
    const tn_system *s = st->system;
    double fastest = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        double planar = 0, spatial = 0;
        for (int end = 0; end < 2 && s->coordinates[i].count > 0; end++) {
            int body = tn_slot_body(s, &s->constraints[i], end);
            const double *w = body < 0 ? NULL : v + s->bodies[body].v + s->dimension;
            if (w && s->bodies[body].motion == TN_MOTION_PLANAR)
                planar += end == 0 ? -w[0] : w[0];
            else if (w && s->bodies[body].motion == TN_MOTION_SPATIAL)
                spatial += sqrt(tn_dot3(w, w));
        }
        fastest = fmax(fastest, fabs(planar) + spatial);
    }
    return fastest;
}

void tn_turns_begin(tn_stepper *st)
{
    st->fastest = tn_fastest_turn(st->eval, st->system);
}

double tn_turns_limit(const tn_stepper *st, double h)
{
    return h * st->fastest <= FARTHEST ? h : fmin(h, FARTHEST / joints_turn(st, st->y + st->system->positions));
}

int tn_turns_check(tn_stepper *st)
{
    const double *v0 = st->y + st->system->positions, *v1 = st->y1 + st->system->positions;
    double h = st->step.h;
    if (h * fmax(st->fastest, tn_fastest_turn(st->eval, st->system)) <= FARTHEST ||
        h * fmax(joints_turn(st, v0), joints_turn(st, v1)) <= TOO_FAR)
        return TN_OK;
    st->trouble = "a joint turns too far in it to count its turns";
    return TN_ERROR_STEP;
}

/* True: a pin may have turned far since its angle was stored. */
static bool turned_far(tn_stepper *st)
{
    double before = st->fastest;
    st->fastest = tn_fastest_turn(st->eval, st->system);
    st->turned += fmax(before, st->fastest) * st->step.h;
    if (st->turned < REMEMBER_AFTER)
        return false;
    st->turned = 0;
    return true;
}

/* Angles are counted from the last stored angles. Angles of pins follow the bodies' rotations, so they stay close
 * enough while no body turns far; other angles (for example the direction of a rod) are stored at every step. */
void tn_turns_remember(tn_stepper *st)
{
    const tn_system *s = st->system;
    double values[TN_MAX_COORDINATES];
    bool pins = turned_far(st);
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_coordinates *c = &s->coordinates[i];
        if (c->count == 0 || (s->constraints[i].by_kernel && !pins))
            continue;
        tn_eval_coordinates(st->eval, s, st->memory, i, 0, values);
        memcpy(st->memory + c->memory, values, (size_t)c->count * sizeof(double));
    }
    tn_coupling_save(st->eval, s, st->memory);
    tn_network_remember(st->eval, s, st->memory);
}
