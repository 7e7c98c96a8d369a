/* Drawing joints together: before a closing begins, its way is followed at rest, point by point, to find whether the
 * bodies can go there and how much kinetic energy that takes at least. */
#include <math.h>
#include <string.h>
#include "assemble.h"
#include "coupling.h"
#include "diag.h"
#include "draw.h"
#include "elementary.h"
#include "vec.h"

enum { POINTS = 48 };                          /* of the way */
static const double MOST_ENERGY = 20;          /* times the energy scale of the bodies that move */
static const double FREE = 2;                  /* times that energy: the run has motion beside the least one */
/* Force times gap, and power times duration, over the energy that may be put in, stored in springs included. To draw a mass
 * from rest takes 3.3 and 3.8 times its largest kinetic energy. */
static const double MOST_LOAD = 25;
static const double STILL = 1e-6;              /* of the largest displacement: bodies that move less stand still */
static const double UNHURRIED = 1;             /* s: to cross the gap in this time is never too fast */
static const double MARGIN = 1.05;             /* of the duration that a refusal proposes */

typedef struct way {
    const tn_drawing *d;
    tn_assembly a;
    double *q, *last;              /* poses at this point and at the one before */
    double gap;                    /* m or rad: largest of the new joints at the beginning */
    int joint;                     /* constraint with that gap */
    double energy;                 /* J: largest least kinetic energy on the way */
    double start, stored;          /* J: potential energy at the beginning; its largest change on the way */
} way;

static void find_gap(way *w)
{
    const tn_drawing *d = w->d;
    for (int i = 0; i < d->system->own_constraints; i++) {
        const tn_constraint *c = &d->system->constraints[i];
        const tn_closing *closing = d->fresh[i] ? tn_closing_of(d->system->closings, c->source) : NULL;
        for (int r = 0; closing && r < c->rows; r++) {
            double gap = d->system->velocity_row[c->row + r] ? 0 : fabs(closing->gap[r]);
            if (gap > w->gap) {
                w->gap = gap;
                w->joint = i;
            }
        }
    }
}

static int allocate(way *w)
{
    const tn_system *s = w->d->system;
    tn_arena *arena = w->d->arena;
    w->q = tn_arena_alloc(arena, (size_t)s->positions, sizeof(double));
    w->last = tn_arena_alloc(arena, (size_t)s->positions, sizeof(double));
    w->a = (tn_assembly){ .coupling = w->d->coupling, .q = w->q,
                          .v = tn_arena_alloc(arena, (size_t)(s->velocities + s->states), sizeof(double)),
                          .memory = tn_arena_alloc(arena, (size_t)s->memory, sizeof(double)),
                          .before = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(double)),
                          .after = tn_arena_alloc(arena, (size_t)s->constraint_count, sizeof(double)) };
    TN_TRY(tn_arena_status(arena));
    memcpy(w->q, w->d->q, (size_t)s->positions * sizeof(double));
    memcpy(w->a.v, w->d->v, (size_t)(s->velocities + s->states) * sizeof(double));
    memcpy(w->a.memory, w->d->memory, (size_t)s->memory * sizeof(double));
    return TN_OK;
}

static double distance(const tn_system *s, int body, const double *from, const double *to)
{
    double step[3] = { 0 };
    for (int k = 0; k < s->dimension; k++)
        step[k] = to[s->bodies[body].q + k] - from[s->bodies[body].q + k];
    return tn_norm3(step);
}

/* Kinetic energy (J) of the step from the point before, without turns: it shows a jump between two points. */
static double energy_of_step(const way *w, double time)
{
    const tn_system *s = w->d->system;
    double sum = 0;
    for (int b = 0; b < s->body_count; b++) {
        double v = distance(s, b, w->last, w->q) / time;
        sum += s->bodies[b].port ? 0 : 0.5 * s->bodies[b].mass * v * v;
    }
    return sum;
}

/* Goes to a point of the way by the least motion, with the velocities of least kinetic energy there. */
static int go_to(way *w, int point)
{
    const tn_drawing *d = w->d;
    const tn_system *s = d->system;
    const double time = d->duration / POINTS;
    memcpy(w->last, w->q, (size_t)s->positions * sizeof(double));
    memset(w->a.v, 0, (size_t)s->velocities * sizeof(double));
    w->a.t = d->begin + point * time;
    TN_TRY(tn_assemble(&w->a, s, d->solver, TN_ASSEMBLE_PROJECT, d->gap_tolerance));
    tn_eval_motion(d->eval, s, w->a.t, w->q, w->a.v);
    TN_TRY(d->eval->component_code);
    const tn_energy energy = tn_system_energy(d->eval, s, w->a.memory);
    w->energy = fmax(w->energy, energy.kinetic);
    w->energy = fmax(w->energy, energy_of_step(w, time));
    w->stored = fmax(w->stored, fabs(energy.potential - w->start));
    return TN_OK;
}

/* Energy scale (J) of the bodies that the way has moved: their kinetic energy now, the work of their weight over the gap,
 * and their kinetic energy if they crossed the gap unhurriedly. */
static double energy_scale(const way *w)
{
    const tn_drawing *d = w->d;
    const tn_system *s = d->system;
    double most = 0, mass = 0;
    for (int b = 0; b < s->body_count; b++)
        most = fmax(most, distance(s, b, d->q, w->q));
    for (int b = 0; b < s->body_count; b++)
        if (!s->bodies[b].port && distance(s, b, d->q, w->q) >= STILL * most)
            mass += s->bodies[b].mass;
    tn_eval_motion(d->eval, s, d->begin, d->q, d->v);
    double speed = w->gap / UNHURRIED;
    return tn_system_energy(d->eval, s, d->memory).kinetic +
           mass * (tn_norm3(d->eval->gravity) * w->gap + 0.5 * speed * speed);
}

static int refuse_way(const way *w, int point)
{
    const tn_system *s = w->d->system;
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, w->joint),
                   "joint '%s' is %.3g (m or rad) apart and cannot be drawn together from here: the mechanism does not "
                   "follow after %d %% of the time; bring it nearer first (pull it, or give another 'state'), or give a "
                   "point with 'at' to join the bodies where they are", tn_constraint_name(s, w->joint), w->gap,
                   100 * (point - 1) / POINTS);
}

/* Rounds up to two digits. */
static double round_up(double x)
{
    double unit = tn_pow(10, floor(tn_log10(x)) - 1);
    return ceil(x / unit) * unit;
}

static int refuse_energy(const way *w, double scale)
{
    const tn_system *s = w->d->system;
    double enough = round_up(MARGIN * w->d->duration * sqrt(w->energy / (MOST_ENERGY * scale)));
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, w->joint),
                   "joint '%s' is %.3g (m or rad) apart; to draw it together in %.3g s takes %.3g J, more than %g times "
                   "the energy scale of what moves, %.3g J; say 'closing: { draw: %.2g s }' or 'closing: snap'",
                   tn_constraint_name(s, w->joint), w->gap, w->d->duration, w->energy, MOST_ENERGY, scale, enough);
}

static tn_draw_bounds bounds_of(const way *w, double scale)
{
    const double energy = FREE * MOST_ENERGY * scale, all = MOST_LOAD * (energy + w->stored);
    return (tn_draw_bounds){ energy, all / w->gap, all / w->d->duration };
}

int tn_draw_check(tn_draw_bounds *out, const tn_drawing *d)
{
    way w = { .d = d };
    int code = TN_OK, point = 0;
    *out = (tn_draw_bounds){ INFINITY, INFINITY, INFINITY };
    find_gap(&w);
    if (!(w.gap > d->gap_tolerance))
        return TN_OK;
    TN_TRY(allocate(&w));
    tn_eval_motion(d->eval, d->system, d->begin, d->q, d->v);
    TN_TRY(d->eval->component_code);
    w.start = tn_system_energy(d->eval, d->system, d->memory).potential;
    const tn_report_mark mark = tn_report_now(d->system->context);
    while (code == TN_OK && point < POINTS)
        code = go_to(&w, ++point);
    if (code == TN_ERROR_ASSEMBLY || code == TN_ERROR_STEP) {
        tn_report_forget(d->system->context, mark);
        return refuse_way(&w, point);
    }
    TN_TRY(code);
    double scale = energy_scale(&w);
    if (!(w.energy <= MOST_ENERGY * scale))
        return refuse_energy(&w, scale);
    *out = bounds_of(&w, scale);
    return tn_coupling_restore(d->eval, d->system, d->memory);
}
