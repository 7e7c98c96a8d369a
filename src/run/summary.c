/* The summary of a run so far (time, steps, energy, drift, rank), and the hash of its state. */
#include <float.h>
#include <math.h>
#include "hash.h"
#include "session_impl.h"

long tn_solver_iterations(const tn_session *s)
{
    tn_saddle_info info = { 0 };
    if (!s->stepper->scheme->accelerate)
        s->stepper->solver->info(s->stepper->saddle, &info);
    return info.total_iterations;
}

/* Updates the solver's iterations, and its smallest and largest rank if the solver decides a rank. */
static void measure_solver(tn_session *s)
{
    tn_summary *sum = &s->summary;
    const tn_stepper *st = s->stepper;
    tn_saddle_info info;
    sum->iterations = s->iterations_before + tn_solver_iterations(s);
    if (st->scheme->accelerate)
        return;
    st->solver->info(st->saddle, &info);
    if (info.rank < 0)
        return;
    sum->rank_min = sum->rank_max == 0 || info.rank < sum->rank_min ? info.rank : sum->rank_min;
    sum->rank_max = info.rank > sum->rank_max ? info.rank : sum->rank_max;
}

static void measure_energy(tn_session *s)
{
    tn_summary *sum = &s->summary;
    sum->energy_end = s->energy.kinetic + s->energy.potential;
    sum->energy_work = s->work;
    sum->energy_error = fmax(sum->energy_error, fabs(sum->energy_end - sum->energy_start - s->work));
    sum->energy_peak = fmax(sum->energy_peak, s->energy.kinetic);
    sum->network_error = fmax(sum->network_error, fabs(s->network.sum.error));
    sum->network_scale = s->network.scale;
}

void tn_summary_measure(tn_session *s)
{
    tn_summary *sum = &s->summary;
    const tn_stepper *st = s->stepper;
    sum->time = st->t;
    if (!st->motion_only)
        measure_energy(s);
    if (st->drift > sum->max_drift) {
        sum->max_drift = st->drift;
        sum->drift_joint = tn_constraint_id(s->system, st->drift_constraint);
    }
    sum->max_velocity_drift = fmax(sum->max_velocity_drift, st->velocity_drift);
    measure_solver(s);
    sum->steps = st->counts.steps;
    sum->rejected = st->counts.rejected;
    sum->evaluations = st->counts.evaluations;
}

/* Fixed steps end at multiples of their length, and steps at events; where that is the time asked for but for round-off, it is that time. */
double tn_session_time(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    return fabs(st->destination - st->t) <= TN_SAME_STEP * fmin(st->h, fabs(st->destination)) ? st->destination : st->t;
}

uint64_t tn_session_hash(const tn_session *s)
{
    const tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    uint64_t hash = TN_HASH_START;
    hash = tn_hash_bytes(hash, &st->t, sizeof st->t);
    hash = tn_hash_bytes(hash, st->y, (size_t)sys->size * sizeof(double));
    hash = tn_hash_bytes(hash, st->memory, (size_t)sys->memory * sizeof(double));
    const tn_pull_load *pull = st->eval->pull;
    if (pull) {
        hash = tn_hash_bytes(hash, pull->target, sizeof pull->target);
        hash = tn_hash_bytes(hash, pull->mass, sizeof pull->mass);
    }
    return hash;
}

tn_refused tn_session_refused(const tn_session *s)
{
    const tn_refusal *r = &s->stepper->refused;
    return (tn_refused){ r->t, r->h, r->why };
}

tn_summary tn_session_summary(const tn_session *s)
{
    return s->summary;
}

double tn_summary_energy_error(const tn_summary *sum)
{
    const double round_off = 1e-14;        /* share of the largest energy in the balance */
    double largest = fmax(fmax(fabs(sum->energy_start), fabs(sum->energy_end)), fabs(sum->energy_work));
    bool moves = sum->energy_peak > round_off * largest && sum->energy_peak > DBL_MIN / DBL_EPSILON;
    return moves && !(sum->energy_error > sum->energy_peak && sum->energy_error <= round_off * largest)
               ? sum->energy_error / sum->energy_peak : NAN;
}
