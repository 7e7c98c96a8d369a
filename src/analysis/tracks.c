/* Tracks of drives (tracks.h).
 * A drive by rate m(t):           q(t) = q0 + integral of m
 * a drive by acceleration m(t):   s(t) = s0 + integral of m,   q(t) = q0 + s0 (t - t0) + integral of (t - x) m(x)
 * Adaptive Gauss-Legendre quadrature: a part is halved until both halves agree with it. */
#include "tracks.h"

#include <math.h>

/* A smaller difference between an interval and its halves is round-off, relative to the integral of |m| over all time;
 * and how often an interval may be halved: a jump of m needs that many. */
static const double AGREES = 1e-14;
enum { MOST_HALVINGS = 44 };

typedef struct integrand {
    const tn_system *s;
    tn_eval *e;
    const double *memory;
    const tn_track *track;
} integrand;

/* The drive's expression. Its row is q' - m: at rest, -m. */
static double motion_at(const integrand *f, double t)
{
    f->e->t = t;
    if (f->track->state >= 0) {
        const tn_formula *formula = f->s->state[f->track->state].formula;
        tn_formula_evaluate(formula, f->e, f->memory, NULL, 0);
        return tn_formula_value(formula, f->e, 0, 0);
    }
    const tn_program *p = f->s->constraints[f->track->constraint].program;
    tn_tape_input input = tn_eval_constraint_input(f->e, f->s, f->track->constraint, f->memory);
    tn_tape_forward(p->equations, &input, 1, f->e->work);
    return -tn_tape_value(p->equations, f->e->work, p->rows[0].output, p->rows[0].component, 0);
}

/* Integrals over a part of time. */
typedef struct moments {
    double plain, weighted, size;  /* of m, (t_end - x) m, |m| */
} moments;

static moments gauss(const integrand *f, double a, double b, double t_end)
{
    static const double at[] = { -0.90617984593866399280, -0.53846931010568309104, 0, 0.53846931010568309104,
                                 0.90617984593866399280 };
    static const double weight[] = { 0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                     0.47862867049936646804, 0.23692688505618908751 };
    moments sum = { 0, 0, 0 };
    for (int k = 0; k < 5; k++) {
        double x = 0.5 * (a + b) + 0.5 * (b - a) * at[k];
        double part = 0.5 * (b - a) * weight[k] * motion_at(f, x);
        sum.plain += part;
        sum.weighted += part * (t_end - x);
        sum.size += fabs(part);
    }
    return sum;
}

static bool agree(moments whole, moments left, moments right, double size, double duration)
{
    return fabs(left.plain + right.plain - whole.plain) <= AGREES * size &&
           fabs(left.weighted + right.weighted - whole.weighted) <= AGREES * size * fabs(duration);
}

/* Parts are taken from left to right; a stack holds those to the right of the present one. */
static moments integrate(const integrand *f, double t0, double t)
{
    double ends[MOST_HALVINGS + 1];
    moments sum = { 0, 0, 0 };
    int depth = 0;
    double a = t0, size = 0;
    ends[0] = t;
    while (depth >= 0) {
        double b = ends[depth], middle = 0.5 * (a + b);
        moments whole = gauss(f, a, b, t), left = gauss(f, a, middle, t), right = gauss(f, middle, b, t);
        size = fmax(size, sum.size + left.size + right.size);
        if (depth < MOST_HALVINGS && !agree(whole, left, right, size, t - t0)) {
            ends[++depth] = middle;
            continue;
        }
        sum.plain += left.plain + right.plain;
        sum.weighted += left.weighted + right.weighted;
        sum.size += left.size + right.size;
        a = b;
        depth--;
    }
    return sum;
}

static bool is_track(const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    return tn_joint_motion(tn_constraint_joint(s, constraint)) && s->velocity_row[c->row];
}

static tn_track make_track(const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_joint *drive = tn_constraint_joint(s, constraint);
    tn_track track = { .row = c->row, .constraint = constraint, .joint = s->constraint_of[drive->terms[0].joint],
                       .coordinate = drive->terms[0].coordinate, .state = -1 };
    for (int k = tn_drive_states_begin(s); c->program->has_speed && k < tn_drive_states_end(s); k++)
        if (s->state[k].source == c->source)
            track.state = k;
    return track;
}

int tn_tracks_create(tn_tracks *out, const tn_system *s, tn_arena *arena, tn_eval *e, const double *memory)
{
    double values[TN_MAX_COORDINATES];
    *out = (tn_tracks){ .items = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(tn_track)) };
    if (!out->items)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraint_count; c++) {
        if (!is_track(s, c))
            continue;
        tn_track *track = &out->items[out->count++];
        *track = make_track(s, c);
        tn_eval_coordinates(e, s, memory, track->joint, 0, values);
        track->value = track->next_value = values[track->coordinate];
        track->speed = track->next_speed = track->state >= 0 ? e->z[track->state] : 0;
    }
    return TN_OK;
}

void tn_tracks_predict(tn_tracks *tracks, const tn_system *s, tn_eval *e, const double *memory, double t0, double t)
{
    for (int k = 0; k < tracks->count; k++) {
        tn_track *track = &tracks->items[k];
        moments sum = integrate(&(integrand){ s, e, memory, track }, t0, t);
        bool by_acceleration = track->state >= 0;
        track->next_value = track->value + (by_acceleration ? track->speed * (t - t0) + sum.weighted : sum.plain);
        track->next_speed = track->speed + (by_acceleration ? sum.plain : 0);
    }
}

void tn_tracks_accept(tn_tracks *tracks)
{
    for (int k = 0; k < tracks->count; k++) {
        tracks->items[k].value = tracks->items[k].next_value;
        tracks->items[k].speed = tracks->items[k].next_speed;
    }
}
