/* Expressions that depend on time alone: pulses and jumps of forces and drives that the points of a step would not show.
 *
 * An integrator knows a force F(t) only at the instants where it evaluates. Where nothing happens its steps grow, and a step over
 * ten seconds does not see a pulse of ten milliseconds; a fixed step of one period sees a vibration as a constant. So every part of
 * an expression that depends on time and constants alone is bounded over the step (expr_range.h). A step shows a part when the
 * bounds lie within the values at a few of its instants, give or take their spread; otherwise the interval is halved, and so
 * on, until the bounds say that nothing was missed, or an instant is found whose value the step does not show. Steps whose length is
 * free then end in front of that instant; of fixed steps the judge tells (trust.c). Components look into themselves in the same way. */
#include "clocks.h"

#include <math.h>
#include <string.h>
#include "coupling.h"
#include "device_network.h"

/* Halvings of a step until a part counts as shown, most intervals looked at, and most shortenings of one step. */
enum { DEEPEST = 40, MOST_INTERVALS = 400, MOST_CUTS = 60 };
/* Instants of a step, as parts of it, at which its integrator is taken to see: two sets, since none sees all, each with two ends of four;
 * a last one for the classical Runge-Kutta methods with fixed steps, or the ends alone for methods of low order and those of several steps. */
enum { SEEN = 4, SETS = 4 };
static const double seen[SETS / 2][SEEN] = { { 0, 0.3, 0.8, 1 }, { 0, 0.2, 0.6, 1 } };
static const double last_set[][SEEN] = { [TN_VIEW_MIDDLE] = { 0, 0.5, 0.5, 1 }, [TN_VIEW_ENDS] = { 0, 1, 1, 1 } };
/* Methods of one step and at least this order evaluate inside of it. */
enum { ORDER_WITH_STAGES = 4 };
/* Values beside those of the step, as a part of their spread, that still count as shown. Two instants show less than four: with 1, a
 * whole wave between a zero and a trough would count as shown. */
static const double SPREAD = 1, SPREAD_OF_ENDS = 0.75;
/* What lies between two instants counts as bent, not as missed, up to this part of the second differences beside them: 1/8 is that of a
 * parabola, 1/2 that of a sharp bend. Pulses between two instants do not show in the second differences. */
static const double BEND = 0.6;
/* Part of a step, and of its time, by which instants lie beside an end: at a jump there, an integrator may evaluate on the other side of
 * it, by round-off, or keep a value from the step before. So sets begin before and inside the step, end on it and inside, in all four ways. */
static const double BESIDE = 1e-9, ROUND_OFF = 1e-14;
/* Part of the largest deviation at which a pulse begins. */
static const double BEGINS = 1e-3;
/* Deviations below this part of the largest value count as none. */
static const double NEGLIGIBLE = 1e-9;

typedef struct clock_tape {
    const tn_tape *tape;
    const double *parameters;
    const char *name;              /* whose expression it is */
    bool *parts, *watched, *switches;
    bool switching;                /* there are switches */
    double *low, *high;            /* scratch, by node */
} clock_tape;

struct tn_clocks {
    clock_tape *tapes;
    int count;
};

/* ---- what there is ---- */

typedef struct gathering {
    tn_stepper *st;
    clock_tape *tapes;             /* NULL: they are only counted */
    int count;
} gathering;

static int gather(gathering *g, const tn_tape *tape, const double *parameters, const char *name)
{
    tn_arena *arena = g->st->arena;
    tn_context *context = g->st->system->context;
    const size_t size = tape ? tn_tape_size(tape) : 0;
    if (size == 0)
        return TN_OK;
    bool *flags = tn_alloc(context, 2 * size, sizeof *flags);
    if (!flags)
        return TN_ERROR_MEMORY;
    const bool any = tn_tape_clocks(tape, flags, flags + size) > 0;
    tn_free(context, flags);
    if (!any)
        return TN_OK;
    if (g->tapes) {
        clock_tape *c = &g->tapes[g->count];
        *c = (clock_tape){ .tape = tape, .parameters = parameters, .name = name,
                           .parts = tn_arena_alloc(arena, size, sizeof(bool)),
                           .watched = tn_arena_alloc(arena, size, sizeof(bool)),
                           .switches = tn_arena_alloc(arena, size, sizeof(bool)),
                           .low = tn_arena_alloc(arena, size, sizeof(double)),
                           .high = tn_arena_alloc(arena, size, sizeof(double)) };
        if (!c->parts || !c->watched || !c->switches || !c->low || !c->high)
            return TN_ERROR_MEMORY;
        tn_tape_clocks(tape, c->parts, c->watched);
        c->switching = tn_tape_switches(tape, c->parts, c->switches) > 0;
    }
    g->count++;
    return TN_OK;
}

static int gather_formula(gathering *g, const tn_formula *formula, const char *name)
{
    return formula ? gather(g, formula->tape, formula->parameters, name) : TN_OK;
}

static int gather_all(gathering *g)
{
    const tn_system *s = g->st->system;
    TN_TRY(gather_formula(g, s->gravity_formula, "gravity"));
    for (int k = 0; k < s->force_count; k++)
        TN_TRY(gather_formula(g, s->forces[k].formula, s->model->forces[s->forces[k].source].entity.name));
    for (int k = 0; k < s->states; k++)
        if (s->state[k].decl == TN_STATE_OF_DRIVE)
            TN_TRY(gather_formula(g, s->state[k].formula, s->model->joints[s->state[k].source].entity.name));
    for (int i = 0; i < s->constraint_count; i++)
        if (!s->constraints[i].by_kernel && s->constraints[i].program->timed)
            TN_TRY(gather(g, s->constraints[i].program->equations, s->constraints[i].parameters, tn_constraint_name(s, i)));
    for (int k = 0; s->network && k < s->network->count; k++) {
        const tn_variable *x = &s->network->variables[k];
        bool node = x->kind == TN_VARIABLE_NODE;
        TN_TRY(gather_formula(g, x->external ? NULL : x->formula, node ? "network" : s->model->forces[x->source].entity.name));
    }
    return TN_OK;
}

int tn_clocks_create(tn_stepper *st)
{
    gathering g = { .st = st };
    TN_TRY(gather_all(&g));
    if (g.count == 0 && !tn_coupling_timed(st->coupling))
        return TN_OK;
    st->clocks = tn_arena_alloc(st->arena, 1, sizeof *st->clocks);
    g.tapes = tn_arena_alloc(st->arena, (size_t)g.count, sizeof *g.tapes);
    if (!st->clocks || !g.tapes)
        return TN_ERROR_MEMORY;
    g.count = 0;
    TN_TRY(gather_all(&g));
    st->clocks->tapes = g.tapes;
    st->clocks->count = g.count;
    return TN_OK;
}

/* ---- one part over one step ---- */

typedef struct look {
    const clock_tape *clock;
    size_t node;
    double low, high;              /* values that the step shows, with their margin */
    double largest;                /* deviation found so far */
    double from, at;               /* the first deviation that counts: its interval's start, its instant */
    int intervals;
} look;

static void bound(const clock_tape *c, double t0, double t1)
{
    tn_tape_ranges(c->tape, c->parameters, c->parts, t0, t1, c->low, c->high);
}

static double outside(const look *l, double low, double high)
{
    return fmax(fmax(l->low - low, high - l->high), 0);
}

/* Looks for values that the step does not show. Later deviations move the first one if it is small against them. */
static void search(look *l, double t0, double t1, int depth, double floor)
{
    const clock_tape *c = l->clock;
    bound(c, t0, t1);
    double beyond = outside(l, c->low[l->node], c->high[l->node]);
    if (!(beyond > fmax(floor, BEGINS * l->largest)) || depth == DEEPEST || ++l->intervals > MOST_INTERVALS)
        return;
    double middle = t0 + 0.5 * (t1 - t0);
    if (middle <= t0 || middle >= t1)
        return;
    bound(c, middle, middle);
    double off = outside(l, c->low[l->node], c->high[l->node]);
    if (!isfinite(off))
        off = 0;
    /* earlier than the first one so far, or so large that the first one is nothing beside it */
    if (off > floor && ((off > BEGINS * l->largest && !(middle >= l->at)) || BEGINS * off > l->largest)) {
        l->from = t0;
        l->at = middle;
    }
    l->largest = fmax(l->largest, off);
    search(l, t0, middle, depth + 1, floor);
    search(l, middle, t1, depth + 1, floor);
}

/* How far (s) instants lie beside an end of a step. */
static double length_beside(double t0, double t1)
{
    return fmin(fmax(BESIDE * (t1 - t0), ROUND_OFF * fabs(t1)), 0.1 * (t1 - t0));
}

/* Instant k of a step in a set: 0 to SETS - 1, or the last one. */
static double instant_at(double t0, double t1, tn_step_view view, int set, int k)
{
    const double part = set < SETS ? seen[set % 2][k] : last_set[view][k], beside = length_beside(t0, t1);
    if (part == 0)
        return set == SETS ? t0 : set == 1 || set == 2 ? t0 + beside : t0 - beside;
    if (part == 1)
        return set == 1 || set == 3 ? t1 - beside : t1;
    return t0 + part * (t1 - t0);
}

/* Values of a part at four instants of a step, widened by their spread. False: one is not a number, so the step itself will fail. */
static bool find_shown(const clock_tape *c, size_t node, double t0, double t1, tn_step_view view, int set, double shown[2])
{
    const double spread = set == SETS && view == TN_VIEW_ENDS ? SPREAD_OF_ENDS : SPREAD;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < SEEN; k++) {
        const double t = instant_at(t0, t1, view, set, k);
        bound(c, t, t);
        if (isnan(c->low[node]))
            return false;
        low = fmin(low, c->low[node]);
        high = fmax(high, c->high[node]);
    }
    shown[0] = low - spread * (high - low);
    shown[1] = high + spread * (high - low);
    return true;
}

static double value_at(const clock_tape *c, size_t node, double t)
{
    bound(c, t, t);
    return c->low[node];
}

/* What a part may deviate between two instants because it is bent there, from the smaller of the second differences with
 * neighbours as far away. A crest between two instants of equal values is no pulse. */
static double bend_between(const clock_tape *c, size_t node, double t0, double t1)
{
    const double begin = value_at(c, node, t0), end = value_at(c, node, t1);
    const double before = fabs(value_at(c, node, t0 - (t1 - t0)) - 2 * begin + end);
    const double after = fabs(begin - 2 * end + value_at(c, node, t1 + (t1 - t0)));
    return isfinite(before) && isfinite(after) ? BEND * fmin(before, after) : 0;
}

/* The same between the ends of a step, at whichever sides of them it is least: a value at a jump is no sign of a bend. */
static double bend_of_step(const clock_tape *c, size_t node, double t0, double t1)
{
    const double beside = length_beside(t0, t1);
    double least = INFINITY;
    for (int k = 0; k < 4; k++)
        least = fmin(least, bend_between(c, node, k % 2 ? t0 + beside : t0 - beside, k < 2 ? t1 + beside : t1 - beside));
    return least;
}

/* Compares the bounds of a part with what every set of instants shows: a pulse on an instant of one set is not on the others'. */
static look look_at(const clock_tape *c, size_t node, tn_step_view view, double t0, double t1)
{
    look l = { .clock = c, .node = node, .low = -INFINITY, .high = INFINITY, .from = NAN, .at = NAN };
    for (int k = 0; k < (view == TN_VIEW_STAGES ? SETS : SETS + 1); k++) {
        double shown[2];
        if (!find_shown(c, node, t0, t1, view, k, shown))
            return l;
        l.low = fmax(l.low, shown[0]);
        l.high = fmin(l.high, shown[1]);
    }
    if (isfinite(l.high - l.low))
        search(&l, t0, t1, 0, NEGLIGIBLE * fmax(fabs(l.low), fabs(l.high)));
    if (view == TN_VIEW_ENDS && !isnan(l.at) && l.largest <= bend_of_step(c, node, t0, t1))
        l.at = NAN;
    return l;
}

tn_step_view tn_clocks_view(const tn_stepper *st)
{
    const tn_integrator_type *i = st->integrator;
    const bool inside = !st->scheme->step && !i->advance && !i->create && i->order >= ORDER_WITH_STAGES;
    return !inside ? TN_VIEW_ENDS : st->fixed ? TN_VIEW_MIDDLE : TN_VIEW_STAGES;
}

bool tn_clocks_missed(const tn_stepper *st, tn_step_view view, double t0, double t1, tn_missed *out)
{
    *out = (tn_missed){ .t = NAN };
    if (!st->clocks || !(t1 > t0))
        return false;
    for (int k = 0; k < st->clocks->count; k++) {
        const clock_tape *c = &st->clocks->tapes[k];
        for (size_t i = 0; i < tn_tape_size(c->tape); i++) {
            if (!c->watched[i])
                continue;
            const look l = look_at(c, i, view, t0, t1);
            if (!isnan(l.at) && !(l.at >= out->t))
                *out = (tn_missed){ .name = c->name, .from = l.from, .t = l.at, .by = l.largest };
        }
    }
    tn_component_missed inside;
    const char *component = tn_coupling_missed(st->coupling, st->system, view, t0, t1, &inside);
    if (component && !(inside.at >= out->t))
        *out = (tn_missed){ .name = component, .from = inside.from, .t = inside.at, .by = NAN };
    return !isnan(out->t);
}

double tn_clocks_limit(const tn_stepper *st, double h)
{
    tn_missed missed;
    for (int cut = 0; cut < MOST_CUTS && tn_clocks_missed(st, tn_clocks_view(st), st->t, fmin(st->t + h, st->eval->latest), &missed); cut++) {
        /* up to the interval in which it happens; where that is the first one, up to the instant */
        const double before = missed.from - st->t, until = missed.t - st->t;
        h = before > 0.5 * until ? before : until;
    }
    return h;
}

/* ---- switches ---- */

/* Halvings of an interval until its ends alone tell whether something switches, and most intervals looked at. */
enum { DEEPEST_SWITCH = 20, MOST_SWITCH_INTERVALS = 4000 };

static uint64_t branch_at(const clock_tape *c, double t)
{
    bound(c, t, t);
    return tn_tape_branch(c->tape, c->switches, c->low);
}

/* Two neighbouring numbers between which the tape switches, if it has other branches at the ends of an interval. */
static bool find_between(const clock_tape *c, double t0, double t1, double out[2])
{
    const uint64_t before = branch_at(c, t0);
    if (branch_at(c, t1) == before)
        return false;
    for (double middle = t0 + 0.5 * (t1 - t0); middle > t0 && middle < t1; middle = t0 + 0.5 * (t1 - t0))
        *(branch_at(c, middle) == before ? &t0 : &t1) = middle;
    out[0] = t0;
    out[1] = t1;
    return true;
}

static bool find_switch(const clock_tape *c, double t0, double t1, int depth, int *intervals, double out[2])
{
    bound(c, t0, t1);
    if (tn_tape_settled(c->tape, c->switches, c->low, c->high) || ++*intervals > MOST_SWITCH_INTERVALS)
        return false;
    const double middle = t0 + 0.5 * (t1 - t0);
    if (depth == DEEPEST_SWITCH || middle <= t0 || middle >= t1)
        return find_between(c, t0, t1, out);
    return find_switch(c, t0, middle, depth + 1, intervals, out) || find_switch(c, middle, t1, depth + 1, intervals, out);
}

bool tn_clocks_switch(const tn_stepper *st, double t0, double t1, double out[2])
{
    bool found = false;
    for (int k = 0; st->clocks && k < st->clocks->count; k++) {
        const clock_tape *c = &st->clocks->tapes[k];
        double instant[2];
        int intervals = 0;
        if (!c->switching || !find_switch(c, t0, found ? out[1] : t1, 0, &intervals, instant) || (found && instant[1] > out[1]))
            continue;
        found = true;
        memcpy(out, instant, sizeof instant);
    }
    tn_component_jump inside;
    if (st->clocks && tn_coupling_jumps(st->coupling, t0, found ? out[1] : t1, &inside) && !(found && inside.behind >= out[1])) {
        found = true;
        out[0] = inside.before;
        out[1] = inside.behind;
    }
    return found;
}
