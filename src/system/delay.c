/* Delays: keeps and reads the history of signals (delay.h). */
#include "delay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "force_scope.h"
#include "hybrid.h"

/* Entries of the memory of a delay. NEXT counts all pieces that were ever added, PASSED those whose break was carried out. */
enum { NEXT, PASSED, BREAKS, DELAY, BEFORE, PIECES };
/* Entries of a piece: begin, end, how it begins, values. A break is positive; a piece that goes on with the step of the piece before is negative. */
enum { BEGIN, END, BREAK, VALUES, PIECE = VALUES + TN_DELAY_POINTS };
static const double AFTER_BREAK = 1, GOES_ON = -1;

/* Times that differ by less than this part of themselves are one instant. */
static const double SAME_TIME = 1e-14;
/* s: the start of an empty piece. */
static const double LONG_AGO = -1e300;
/* A step reads at most so many lengths of the longest step of the past that lies below it. */
static const double LENGTHS = 2;

/* ---- compiling ---- */

static bool has_delay(const tn_system *s, uint32_t slot)
{
    const tn_force *force = &s->model->forces[slot];
    return tn_takes_force(s->model, s->selection, slot) && force->type->device && force->type->device->history;
}

/* The number of a parameter, or its default where it is an expression. */
static double number_of(const tn_force *force, const char *name)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && force->type->parameters[k].name; k++)
        if (strcmp(force->type->parameters[k].name, name) == 0)
            return isfinite(force->parameters[k]) ? force->parameters[k] : force->type->parameters[k].initial;
    return 0;
}

int tn_delays_begin(tn_system *s)
{
    tn_network *n = s->network;
    enum { MOST = 1 << 20 };
    for (uint32_t k = 0; k < s->model->force_count; k++)
        n->delay_count += has_delay(s, k);
    n->delays = tn_arena_alloc(s->arena, (size_t)n->delay_count, sizeof *n->delays);
    if (!n->delays)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0, at = 0; k < s->model->force_count; k++) {
        if (!has_delay(s, k))
            continue;
        const double steps = number_of(&s->model->forces[k], "steps");
        n->delays[at] = (tn_delay){ .source = k, .memory = s->memory, .capacity = steps >= 2 ? (int)fmin(steps, MOST) : 2 };
        s->memory += PIECES + PIECE * n->delays[at++].capacity;
    }
    return TN_OK;
}

int tn_delay_of(const tn_system *s, uint32_t device)
{
    for (int k = 0; k < s->network->delay_count; k++)
        if (s->network->delays[k].source == device)
            return k;
    return -1;
}

int tn_delays_compile(tn_system *s)
{
    for (int k = 0; k < s->network->delay_count; k++) {
        tn_delay *p = &s->network->delays[k];
        const tn_force *force = &s->model->forces[p->source];
        const char *const texts[] = { force->type->device->history, "time", "before" };
        char what[200];
        tn_force_equations(what, sizeof what, force);
        TN_TRY(tn_formula_create(&p->formula, s, force->entity.name));
        p->formula->acts = true;
        const tn_scope *scope = tn_force_scope_in(p->formula, p->source);
        if (!scope)
            return TN_ERROR_MEMORY;
        for (int n = 0; n < 3; n++) {
            tn_output_info info = { .constant = false };
            TN_TRY(tn_formula_add(p->formula, texts[n], scope, NULL, force->entity.span, what, &info));
            if (n > 0 && !info.constant)
                return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span, "%s: '%s' must be a number, or an expression of "
                               "parameters: it does not change in a run", what, texts[n]);
        }
        TN_TRY(tn_formula_finish(p->formula));
    }
    return TN_OK;
}

/* ---- pieces ---- */

static int place_of(const tn_delay *p, double number)
{
    return p->memory + PIECES + PIECE * (int)fmod(number, p->capacity);
}

static const double *piece_at(const tn_delay *p, const double *memory, double number)
{
    return memory + place_of(p, number);
}

/* The number of the oldest piece that is kept. */
static double oldest(const tn_delay *p, const double *m)
{
    return fmax(0, m[NEXT] - p->capacity);
}

void tn_delay_take_numbers(tn_eval *e, const tn_system *s, const tn_delay *p, double *memory)
{
    double *m = memory + p->memory;
    (void)s;
    tn_formula_evaluate(p->formula, e, memory, NULL, 0);
    m[DELAY] = tn_formula_value(p->formula, e, 1, 0);
    m[BEFORE] = tn_formula_value(p->formula, e, 2, 0);
    if (m[NEXT] == 0)
        m[BREAKS] = 1;                                 /* the start is one */
}

double tn_delay_point(int point, double t0, double t1)
{
    if (point == TN_DELAY_POINTS - 1)
        return t1;
    return t0 + (t1 - t0) * 0.5 * (1 - tn_cos(point * acos(-1.0) / (TN_DELAY_POINTS - 1)));
}

/* The polynomial through the Chebyshev points, by the barycentric formula; x from 0 to 1. Its rate is by x. */
static void interpolate(const double values[TN_DELAY_POINTS], double x, double *value, double *rate)
{
    double sum = 0, weights = 0, at[TN_DELAY_POINTS], w[TN_DELAY_POINTS];
    for (int k = 0; k < TN_DELAY_POINTS; k++) {
        at[k] = tn_delay_point(k, 0, 1);
        w[k] = (k % 2 ? -1 : 1) * (k == 0 || k == TN_DELAY_POINTS - 1 ? 0.5 : 1);
    }
    int on = -1;
    for (int k = 0; k < TN_DELAY_POINTS; k++)
        if (x == at[k])
            on = k;
    for (int k = 0; k < TN_DELAY_POINTS && on < 0; k++) {
        sum += w[k] / (x - at[k]) * values[k];
        weights += w[k] / (x - at[k]);
    }
    *value = on >= 0 ? values[on] : sum / weights;
    double slope = 0;
    for (int k = 0; k < TN_DELAY_POINTS; k++) {
        if (on >= 0 && k != on)
            slope -= w[k] / w[on] * (*value - values[k]) / (x - at[k]);
        if (on < 0)
            slope += w[k] / (x - at[k]) * (*value - values[k]) / (x - at[k]) / weights;
    }
    *rate = slope;
}

/* The newest piece that begins a delay before t; a break counts when it has been carried out. -1: none. */
static double find_piece(const tn_delay *p, double t, const double *memory)
{
    const double *m = memory + p->memory;
    double low = oldest(p, m) - 1, high = m[NEXT];     /* begins before t: low; after: high */
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        const double *piece = piece_at(p, memory, middle);
        const double begins = piece[BEGIN] + m[DELAY], same = piece[BREAK] > 0 ? SAME_TIME * fabs(t) : 0;
        if (piece[BREAK] > 0 && middle >= m[PASSED] ? begins < t - same : begins <= t + same)
            low = middle;
        else
            high = middle;
    }
    return low < oldest(p, m) ? -1 : low;
}

void tn_delay_read(const tn_delay *p, double t, const double *memory, double *value, double *rate)
{
    const double *m = memory + p->memory;
    const double number = find_piece(p, t, memory);
    *value = m[BEFORE];
    *rate = 0;
    if (number < 0 || !(piece_at(p, memory, number)[BEGIN] > LONG_AGO))
        return;
    const double *piece = piece_at(p, memory, number);
    const double length = piece[END] - piece[BEGIN], x = fmax(0, fmin((t - m[DELAY] - piece[BEGIN]) / length, 1));
    interpolate(piece + VALUES, x, value, rate);
    *rate /= length;
}

/* Time at which the next break that was not carried out is reached. */
static double next_break(const tn_delay *p, const double *memory)
{
    const double *m = memory + p->memory;
    for (double k = fmax(oldest(p, m), m[PASSED]); k < m[NEXT]; k++) {
        const double *piece = piece_at(p, memory, k);
        if (piece[BREAK] > 0)
            return piece[BEGIN] + m[DELAY];
    }
    return INFINITY;
}

/* Where the signal needed short steps a delay ago, stages far apart would not see what it does now. */
static double resolved_end(const tn_delay *p, double t, const double *memory)
{
    const double *m = memory + p->memory;
    double longest = 0, begin = -INFINITY, k = find_piece(p, t, memory);
    if (k < 0 || !(piece_at(p, memory, k)[BEGIN] > LONG_AGO))
        return INFINITY;
    while (k > oldest(p, m) && piece_at(p, memory, k)[BREAK] < 0)
        k--;
    for (; k < m[NEXT]; k++) {
        const double *piece = piece_at(p, memory, k);
        if (longest > 0 && piece[BEGIN] + m[DELAY] - t >= LENGTHS * longest)
            break;
        begin = piece[BREAK] < 0 && isfinite(begin) ? begin : piece[BEGIN];
        longest = fmax(longest, piece[END] - begin);
    }
    return longest > 0 ? t + LENGTHS * longest : INFINITY;
}

double tn_delay_limit(const tn_delay *p, double t, const double *memory)
{
    const double *m = memory + p->memory;
    const double at = next_break(p, memory), longest = fmin(t + m[DELAY], resolved_end(p, t, memory));
    return at > t ? fmin(at, longest) : longest;
}

bool tn_delay_due(const tn_delay *p, double t, const double *memory)
{
    return next_break(p, memory) <= t + SAME_TIME * fabs(t);
}

void tn_delay_pass(const tn_delay *p, double t, double *memory)
{
    double *m = memory + p->memory;
    while (tn_delay_due(p, t, memory)) {
        double k = fmax(oldest(p, m), m[PASSED]);
        while (piece_at(p, memory, k)[BREAK] <= 0)
            k++;
        m[PASSED] = k + 1;
    }
}

void tn_delay_break(const tn_delay *p, double *memory)
{
    memory[p->memory + BREAKS] = 1;
}

/* ---- room ---- */

/* The value of a piece at a time within it. */
static double value_in(const double *piece, double t)
{
    double value, rate;
    interpolate(piece + VALUES, fmax(0, fmin((t - piece[BEGIN]) / (piece[END] - piece[BEGIN]), 1)), &value, &rate);
    return value;
}

/* Whether the one polynomial is the other one at all points of that. */
static bool agrees(const double *one, const double *other, double bound)
{
    for (int k = 0; k < TN_DELAY_POINTS; k++)
        if (!(fabs(value_in(one, tn_delay_point(k, other[BEGIN], other[END])) - other[VALUES + k]) <= bound))
            return false;
    return true;
}

/* Puts two neighbours into one polynomial, which becomes the second one. False: they are no such polynomial, or a break parts them. */
static bool merge(const double *first, double *second, double missed)
{
    double both[PIECE] = { first[BEGIN], second[END], first[BREAK] }, largest = 0;
    for (int k = 0; k < TN_DELAY_POINTS; k++) {
        const double t = tn_delay_point(k, both[BEGIN], both[END]);
        both[VALUES + k] = t <= first[END] ? value_in(first, t) : value_in(second, t);
        largest = fmax(largest, fmax(fabs(first[VALUES + k]), fabs(second[VALUES + k])));
    }
    if (second[BREAK] > 0 || first[END] != second[BEGIN] || !agrees(both, first, missed * largest) || !agrees(both, second, missed * largest))
        return false;
    memcpy(second, both, sizeof both);
    return true;
}

/* Makes room in a full ring: neighbours that are one polynomial become one piece. What is kept moves to the newest numbers; in front of it there
 * are pieces of no length, long ago. */
static void make_room(const tn_delay *p, double missed, double *memory)
{
    double *m = memory + p->memory, to = m[NEXT] - 1, passed = m[NEXT];
    for (double k = m[NEXT] - 1; k >= oldest(p, m); k--) {
        double piece[PIECE], *newer = memory + place_of(p, to);
        memcpy(piece, piece_at(p, memory, k), sizeof piece);
        if (k < m[NEXT] - 1 && !(piece[BEGIN] > LONG_AGO))
            break;
        const bool merged = k < m[NEXT] - 1 && merge(piece, newer, missed);
        if (k < m[NEXT] - 1 && !merged)
            memcpy(memory + place_of(p, --to), piece, sizeof piece);
        if (k >= m[PASSED])
            passed = to;
        else if (merged && passed == to)
            passed++;                                  /* its break was carried out, and the rest has none */
    }
    for (double k = oldest(p, m); k < to; k++) {
        double *piece = memory + place_of(p, k);
        memset(piece, 0, PIECE * sizeof(double));
        piece[BEGIN] = piece[END] = LONG_AGO;
    }
    m[PASSED] = passed;
}

bool tn_delay_add(const tn_delay *p, double t0, double t1, bool goes_on, double missed, const double values[TN_DELAY_POINTS], double *memory)
{
    double *m = memory + p->memory;
    if (!(t1 > t0))
        return true;
    /* the piece that is lost must lie behind the delay */
    if (m[NEXT] >= p->capacity && piece_at(p, memory, m[NEXT])[END] + m[DELAY] > t1)
        make_room(p, missed, memory);
    if (m[NEXT] >= p->capacity && piece_at(p, memory, m[NEXT])[END] + m[DELAY] > t1)
        return false;
    double *piece = memory + place_of(p, m[NEXT]);
    piece[BEGIN] = t0;
    piece[END] = t1;
    piece[BREAK] = m[BREAKS] > 0 ? AFTER_BREAK : goes_on ? GOES_ON : 0;
    memcpy(piece + VALUES, values, TN_DELAY_POINTS * sizeof(double));
    m[BREAKS] = 0;
    m[NEXT]++;
    return true;
}

void tn_delay_move(const tn_delay *p, double shift, double *memory)
{
    const double *m = memory + p->memory;
    for (double k = oldest(p, m); k < m[NEXT]; k++) {
        double *piece = memory + place_of(p, k);
        piece[BEGIN] += shift;
        piece[END] += shift;
    }
}

void tn_delays_carry(const tn_system *from, const double *old, const tn_system *to, double *memory)
{
    if (!from->network || !to->network)
        return;
    for (int k = 0; k < to->network->delay_count; k++) {
        const tn_delay *p = &to->network->delays[k];
        const int n = p->source < from->model->force_count ? tn_delay_of(from, p->source) : -1;
        if (n < 0 || from->network->delays[n].capacity != p->capacity ||
            !tn_entity_same(&from->model->forces[p->source].entity, &to->model->forces[p->source].entity))
            continue;
        memcpy(memory + p->memory, old + from->network->delays[n].memory,
               (size_t)(PIECES + PIECE * p->capacity) * sizeof(double));
        tn_delay_break(p, memory);
    }
}
