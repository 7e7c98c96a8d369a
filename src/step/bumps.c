/* Forces that change much over a small part of the motion: an obstacle of two centimetres, a table with a narrow peak, exp(-(x / w)^2).
 *
 * Steps grow where nothing happens, and an integrator that evaluates at a few points of a step of one metre does not see such an obstacle. So
 * the expressions of forces are bounded over the step by interval arithmetic (expr_range.h). The motion between the ends of the step is a
 * cubic through both states and their rates; ranges of what the expressions read (positions, angles, velocities) come from three points
 * of it. A step shows a force when the bounds lie within the values at a few of its instants, give or take their spread; otherwise the
 * interval is halved, until the bounds say that nothing was missed, or an instant is found whose value the step does not show. Steps
 * of free length then end in front of that instant; for fixed steps trust.c writes a warning. */
#include "bumps.h"

#include <math.h>
#include <string.h>

/* Halvings of a step until a force counts as shown, and most intervals looked at. Bounds that are too wide everywhere say nothing: of the pieces
 * of a step only so many may be beyond what it shows, if no value is. */
enum { DEEPEST = 24, MOST_INTERVALS = 64, PIECES = 8, MOST_PIECES = 3 };
/* Instants of a step, as parts of it, at which its integrator is taken to see: two sets, since none sees all. */
enum { SEEN = 4, SETS = 2, INSTANTS = 8 };
static const double instants[INSTANTS] = { 0, 0.2, 0.3, 0.6, 0.8, 1, 0.01, 0.99 };
static const int seen[SETS][SEEN] = { { 0, 2, 4, 5 }, { 0, 1, 3, 5 } };
/* Methods that remember earlier steps, and those below this order, see the ends of a step only: of a force its values and slopes there. */
enum { FIRST = 0, LAST = 5, AFTER_FIRST = 6, BEFORE_LAST = 7, ORDER_WITH_STAGES = 4 };
static const double SLOPE_OVER = 0.01;
/* Values beside those of the step, as a part of their spread, that still count as shown. */
static const double SPREAD = 1;
/* Ranges of what a force reads are wider than the values at three points by this part of their spread. */
static const double MARGIN = 0.1;
/* Part of the largest deviation at which a bump begins. */
static const double BEGINS = 1e-3;
/* Deviations below this part of the largest value that the step shows count as none. */
static const double NEGLIGIBLE = 1e-6;
/* The least part of a step that is left of it. */
static const double LEAST_PART = 1e-3;

typedef struct bump_force {
    const tn_formula *formula;
    size_t source;                 /* in the model */
    bool *sampled;                 /* by node */
    int *entries;                  /* 3 node + component of the sharp outputs */
    int count;
    double *low, *high;            /* scratch, three numbers a node */
    double *shown;                 /* values at the instants, by entry */
} bump_force;

struct tn_bumps {
    bump_force *forces;
    int count;
    double lightest;               /* kg or kg m^2: the least mass or moment of inertia */
    double *y;                     /* a state within the step */
};

/* ---- the forces ---- */

/* Forces by expressions of the user. Those of devices, of reactions and with branches that are followed (hybrid.h) are left out. */
static bool may_be_sharp(const tn_system *s, const tn_sys_force *force)
{
    const tn_force *model = &s->model->forces[force->source];
    const size_t parameters = tn_force_parameter_count(force->type);
    if (!force->formula || force->reacts || force->formula->uses_network || force->formula->branch >= 0 || !model->expressions)
        return false;
    for (size_t k = 0; k < parameters; k++)
        if (model->expressions[k])
            return true;
    return false;
}

/* Whether an output acts on the motion; energies do not. */
static bool acts(const tn_sys_force *force, int output)
{
    return output != force->potential && output != force->loss && !(output >= force->state_start && output < force->state_start + force->state_count);
}

static int add_force(tn_stepper *st, bump_force *out, const tn_sys_force *force)
{
    const tn_tape *tape = force->formula->tape;
    const size_t size = tn_tape_size(tape), outputs = (size_t)tn_tape_outputs(tape);
    int *sharp = tn_arena_alloc(st->arena, outputs, sizeof *sharp);
    out->formula = force->formula;
    out->source = force->source;
    out->sampled = tn_arena_alloc(st->arena, size, sizeof *out->sampled);
    out->entries = tn_arena_alloc(st->arena, 3 * outputs, sizeof *out->entries);
    out->low = tn_arena_alloc(st->arena, 3 * size, sizeof *out->low);
    out->high = tn_arena_alloc(st->arena, 3 * size, sizeof *out->high);
    out->shown = tn_arena_alloc(st->arena, 3 * outputs * INSTANTS, sizeof *out->shown);
    TN_TRY(tn_arena_status(st->arena));
    out->count = 0;
    tn_tape_sharp(tape, out->sampled, sharp);
    for (int k = 0; k < (int)outputs; k++)
        for (int c = 0; c < sharp[k] && acts(force, k); c++)
            out->entries[out->count++] = 3 * (int)tn_tape_output_node(tape, k) + c;
    return TN_OK;
}

int tn_bumps_create(tn_stepper *st)
{
    const tn_system *s = st->system;
    tn_bumps *b = tn_arena_alloc(st->arena, 1, sizeof *b);
    if (!b)
        return TN_ERROR_MEMORY;
    *b = (tn_bumps){ .forces = tn_arena_alloc(st->arena, (size_t)s->force_count, sizeof *b->forces), .lightest = NAN,
                     .y = tn_arena_alloc(st->arena, (size_t)s->size, sizeof(double)) };
    TN_TRY(tn_arena_status(st->arena));
    for (int k = 0; k < s->force_count; k++) {
        if (!may_be_sharp(s, &s->forces[k]))
            continue;
        TN_TRY(add_force(st, &b->forces[b->count], &s->forces[k]));
        b->count += b->forces[b->count].count > 0;
    }
    st->bumps = b->count > 0 ? b : NULL;
    return TN_OK;
}

/* ---- one force over one step ---- */

/* Goes to a part of the step, on the cubic through its ends. */
static void go_to(tn_stepper *st, double part)
{
    const tn_step *step = &st->step;
    const double h = step->h, a = part, b = 1 - part;
    const double y0 = b * b * (1 + 2 * a), y1 = a * a * (1 + 2 * b), d0 = h * a * b * b, d1 = -h * a * a * b;
    double *y = st->bumps->y;
    for (int k = 0; k < st->system->size; k++)
        y[k] = y0 * step->y0[k] + y1 * step->y1[k] + d0 * step->dy0[k] + d1 * step->dy1[k];
    tn_position_normalize(st->system, y);
    tn_eval_motion(st->eval, st->system, st->step.t + part * h, y, y + st->system->positions);
}

static void evaluate_at(tn_stepper *st, const bump_force *f, double part)
{
    go_to(st, part);
    tn_formula_evaluate(f->formula, st->eval, st->memory, NULL, 0);
}

static double entry_value(const tn_stepper *st, int entry)
{
    return tn_tape_node_value(st->eval->work, (size_t)(entry / 3))[entry % 3];
}

/* Bounds of all nodes from part a to part b of the step. */
static void bound_between(tn_stepper *st, const bump_force *f, double a, double b)
{
    const size_t size = 3 * tn_tape_size(f->formula->tape);
    for (int k = 0; k < 3; k++) {
        evaluate_at(st, f, a + 0.5 * k * (b - a));
        for (size_t i = 0; i < size; i++) {
            const double x = tn_tape_node_value(st->eval->work, i / 3)[i % 3];
            f->low[i] = k == 0 ? x : fmin(f->low[i], x);
            f->high[i] = k == 0 ? x : fmax(f->high[i], x);
        }
    }
    for (size_t i = 0; i < size; i++) {
        const double margin = MARGIN * (f->high[i] - f->low[i]);
        f->low[i] -= margin;
        f->high[i] += margin;
    }
    tn_tape_bounds(f->formula->tape, f->formula->parameters, f->sampled, st->step.t + a * st->step.h, st->step.t + b * st->step.h,
                   f->low, f->high);
}

typedef struct search_state {
    tn_stepper *st;
    const bump_force *force;
    int entry;
    double low, high, floor;       /* values that the step shows, with their margin */
    double largest;                /* deviation found so far */
    double from, at;               /* the first deviation that counts: its interval's start, its instant; parts of the step */
    int intervals;
} search_state;

static double outside(const search_state *l, double low, double high)
{
    return fmax(fmax(l->low - low, high - l->high), 0);
}

static bool is_beyond(search_state *l, double a, double b)
{
    bound_between(l->st, l->force, a, b);
    return outside(l, l->force->low[l->entry], l->force->high[l->entry]) > fmax(l->floor, BEGINS * l->largest);
}

/* Looks at one instant. Later deviations move the first one if it is small against them. */
static void look_at(search_state *l, double from, double at)
{
    evaluate_at(l->st, l->force, at);
    const double value = entry_value(l->st, l->entry), off = isfinite(value) ? outside(l, value, value) : 0;
    if (off > l->floor && ((off > BEGINS * l->largest && !(at >= l->at)) || BEGINS * off > l->largest)) {
        l->from = from;
        l->at = at;
    }
    l->largest = fmax(l->largest, off);
}

/* Looks for values that the step does not show, where bounds are beyond what it shows. */
static void search_between(search_state *l, double a, double b, int depth)
{
    const double middle = a + 0.5 * (b - a);
    look_at(l, a, middle);
    if (depth == DEEPEST || ++l->intervals > MOST_INTERVALS)
        return;
    if (is_beyond(l, a, middle))
        search_between(l, a, middle, depth + 1);
    if (is_beyond(l, middle, b))
        search_between(l, middle, b, depth + 1);
}

static void search_pieces(search_state *l)
{
    bool beyond[PIECES];
    int count = 0;
    for (int k = 0; k < PIECES; k++) {
        count += beyond[k] = is_beyond(l, (double)k / PIECES, (k + 1.0) / PIECES);
        if (count > MOST_PIECES && isnan(l->at))
            return;
        if (beyond[k])
            look_at(l, (double)k / PIECES, (k + 0.5) / PIECES);
    }
    for (int k = 0; k < PIECES; k++)
        if (beyond[k])
            search_between(l, (double)k / PIECES, (k + 1.0) / PIECES, 0);
}

static void allow(search_state *l, double low, double high)
{
    l->low = fmax(l->low, low - SPREAD * (high - low));
    l->high = fmin(l->high, high + SPREAD * (high - low));
}

/* The cubic through values and slopes at the ends. */
static void allow_ends(search_state *l, const double *values)
{
    const double f0 = values[FIRST], f1 = values[LAST];
    const double d0 = (values[AFTER_FIRST] - f0) / SLOPE_OVER, d1 = (f1 - values[BEFORE_LAST]) / SLOPE_OVER;
    double low = fmin(f0, f1), high = fmax(f0, f1);
    for (double a = 0.125; a < 1; a += 0.125) {
        const double b = 1 - a, f = b * b * (1 + 2 * a) * f0 + a * a * (1 + 2 * b) * f1 + a * b * b * d0 - a * a * b * d1;
        low = fmin(low, f);
        high = fmax(high, f);
    }
    allow(l, low, high);
}

/* The values that every set of instants shows, widened by their spread. */
static void find_shown(search_state *l, const double *values)
{
    const tn_integrator_type *i = l->st->integrator;
    double size = 0;
    l->low = -INFINITY;
    l->high = INFINITY;
    for (int set = 0; set < SETS; set++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < SEEN; k++) {
            low = fmin(low, values[seen[set][k]]);
            high = fmax(high, values[seen[set][k]]);
        }
        allow(l, low, high);
        size = fmax(size, fmax(fabs(low), fabs(high)));
    }
    if (i->advance || i->create || i->order < ORDER_WITH_STAGES)
        allow_ends(l, values);
    /* a force that changes velocities by less than the tolerance does not count either */
    l->floor = fmax(NEGLIGIBLE * size, l->st->absolute_tolerance * l->st->bumps->lightest / l->st->step.h);
}

/* The least entry on the diagonal of the mass matrix. */
static double lightest(const tn_stepper *st)
{
    const tn_system *s = st->system;
    double least = INFINITY;
    for (int b = 0; b < s->body_count; b++) {
        const int w = s->structure.body_column[b + 1] - s->structure.body_column[b];
        const double *M = st->eval->M + s->structure.mass_offset[b];
        for (int k = 0; k < w; k++)
            least = fmin(least, M[k * w + k]);
    }
    return least;
}

/* The change of one number of a force that the step passes over; at is NAN: there is none. The bounds of the force are
 * those of the whole step. */
static search_state search_entry(tn_stepper *st, const bump_force *f, int i)
{
    search_state l = { .st = st, .force = f, .entry = f->entries[i], .from = NAN, .at = NAN };
    find_shown(&l, f->shown + i * INSTANTS);
    if (isfinite(l.high - l.low) && outside(&l, f->low[l.entry], f->high[l.entry]) > l.floor) {
        search_pieces(&l);
        bound_between(st, f, 0, 1);
    }
    return l;
}

static void bound_step(tn_stepper *st, const bump_force *f)
{
    for (int k = 0; k < INSTANTS; k++) {
        evaluate_at(st, f, instants[k]);
        for (int i = 0; i < f->count; i++)
            f->shown[i * INSTANTS + k] = entry_value(st, f->entries[i]);
    }
    bound_between(st, f, 0, 1);
}

static bool is_ready(tn_stepper *st)
{
    if (!st->bumps || !(st->step.h > 0))
        return false;
    if (isnan(st->bumps->lightest))
        st->bumps->lightest = lightest(st);
    return true;
}

/* The evaluation goes back to the end of the step. */
static void leave(tn_stepper *st)
{
    const double *y1 = st->step.y1;
    tn_eval_motion(st->eval, st->system, st->step.t + st->step.h, y1, y1 + st->system->positions);
}

double tn_bumps_part(tn_stepper *st)
{
    double part = 1;
    if (!is_ready(st))
        return 1;
    for (int n = 0; n < st->bumps->count; n++) {
        const bump_force *f = &st->bumps->forces[n];
        bound_step(st, f);
        for (int i = 0; i < f->count; i++) {
            const search_state l = search_entry(st, f, i);
            if (!isnan(l.at))
                part = fmin(part, l.from > 0.5 * l.at ? l.from : l.at);
        }
    }
    leave(st);
    return fmax(part, LEAST_PART);
}

/* Whether the bounds of a force over the step lie within its values at the ends and in the middle: then the step shows it. */
static bool shows_plainly(tn_stepper *st, const bump_force *f)
{
    static const double parts[] = { 0, 0.5, 1 };
    for (int k = 0; k < (int)TN_LENGTH(parts); k++) {
        evaluate_at(st, f, parts[k]);
        for (int i = 0; i < f->count; i++)
            f->shown[i * INSTANTS + k] = entry_value(st, f->entries[i]);
    }
    bound_between(st, f, 0, 1);
    for (int i = 0; i < f->count; i++) {
        const double *x = f->shown + i * INSTANTS, low = fmin(x[0], fmin(x[1], x[2])), high = fmax(x[0], fmax(x[1], x[2]));
        const double room = SPREAD * (high - low) + NEGLIGIBLE * fmax(fabs(low), fabs(high));
        if (!(f->low[f->entries[i]] >= low - room && f->high[f->entries[i]] <= high + room))
            return false;
    }
    return true;
}

bool tn_bumps_missed(tn_stepper *st, tn_missed *out)
{
    bool missed = false;
    if (!is_ready(st))
        return false;
    for (int n = 0; n < st->bumps->count && !missed; n++) {
        const bump_force *f = &st->bumps->forces[n];
        if (shows_plainly(st, f))
            continue;
        bound_step(st, f);
        for (int i = 0; i < f->count && !missed; i++) {
            const search_state l = search_entry(st, f, i);
            missed = !isnan(l.at);
            *out = (tn_missed){ .name = st->system->model->forces[f->source].entity.name, .from = st->step.t + l.from * st->step.h,
                                .t = st->step.t + l.at * st->step.h, .by = l.largest };
        }
    }
    leave(st);
    return missed;
}
