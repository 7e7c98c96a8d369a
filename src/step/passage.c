/* A step across a singular position.
 *
 * At a singular position, such as a parallelogram with all bars in line, rows that are independent elsewhere depend on each
 * other. The motion passes it smoothly, but rates there are 0/0: at a distance d round-off is divided by up to d^3.
 * Rates a little further away are accurate. So the step is taken by Gauss collocation,
 *     Y_i = y0 + h sum_j a_ij f(P(Y_j)),      y1 = y0 + h sum_j b_j f(P(Y_j)),      P: projection on the constraints
 * with 6 to 9 points, whichever keep away far enough from the singular position. No rate at the ends of the step is needed: a
 * step may end on the singular position, or begin there. The equations are solved by fixed-point iteration.
 *
 * The points must lie some way from the singular position, however short the step is. So the collocation polynomial spans
 * a window of time of at least the time in which the distance changes by SPAN. The window begins where the step begins; the
 * step ends where it has to, at a point of the polynomial. */
#include "passage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allowances.h"
#include "conflict.h"
#include "diag.h"
#include "elementary.h"
#include "mem.h"
#include "vec.h"

enum { LEAST_POINTS = 6, POINTS = 9, MOST_PASSES = 25, MOST_STALLED = 4 };

/* Scaled singular value below which a position is close to a singular one; a step crosses by collocation if it may come
 * closer, and the distance changes by as much in the window. */
static const double CLOSE = 0.02;
/* From this distance on the rate is found at which it changes. */
static const double LOOK = 0.1;
/* Change of the distance in a window; and the most that bodies may turn or move in it, beyond a step. */
static const double SPAN = 0.12, MOST_MOTION = 0.12;
/* Points that keep this distance give accurate rates. */
static const double ROOM = 0.005;
/* At a distance below this no rate is taken. */
static const double ON_IT = 1e-3;
/* The bodies are moved by this length or angle to find the rank beside a position: far above the rank tolerance, and its
 * square, by which dependent rows then differ, far below. */
static const double ASIDE = 1e-4;
/* The fractional parts of its multiples never repeat. */
static const double GOLDEN = 0.6180339887498949;
/* Changes of states below this part of their size are round-off. Changes that no longer fall mean that the iteration fails if
 * they are above UNSETTLED, or, since round-off of many loops adds up, above this part for each row. */
static const double SETTLED = 1e-15, UNSETTLED = 1e-9, UNSETTLED_PER_ROW = 4e-12;
/* A projection that moves bodies by more than this times the residual is too close to a singular position. */
static const double AMPLIFIED = 1e4;
/* m, rad or their rates: the largest residual that a step may leave that ends on a singular position. */
static const double OPEN_END = 1e-6;

/* Accelerations that the rows do not allow, as a part of what velocities ask of the rows: above, velocities begin no motion. */
static const double BEGINS_NO_MOTION = 1e-3;

/* Velocities in the highest term of the expansion, as a part of the fastest one, that are accepted: above the noise of
 * points close to a singular position. m/s or rad/s: slower motion counts as this. */
static const double RESOLVED = 1e-6, SLOW = 1e-3;

struct tn_passage {
    int points;                    /* of the last window */
    tn_step window;                /* its start and length */
    double at[POINTS], matrix[POINTS][POINTS];
    double node[POINTS + 1][POINTS], share[POINTS + 1][POINTS];    /* of Gauss' rule with 1 to POINTS points, on 0..1 */
    double *rate[POINTS], *next[POINTS], *projected[POINTS], *state;
    bool on_singular;              /* the last step ended on the singular position */
};

/* ---- polynomials ---- */

/* Nodes and weights of Gauss' rule with n points on 0..1: zeros of the Legendre polynomial, by Newton's method. */
static void find_rule(tn_passage *c, int n)
{
    static const double PI = 3.14159265358979323846;
    for (int j = 0; j < n; j++) {
        double x = -tn_cos(PI * (j + 0.75) / (n + 0.5)), slope = 1;
        for (int pass = 0; pass < 8; pass++) {
            double p = x, before = 1;
            for (int k = 2; k <= n; k++) {
                double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        c->node[n][j] = 0.5 + 0.5 * x;
        c->share[n][j] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* The Lagrange polynomial that is 1 at point j and 0 at the other points. */
static double lagrange(const tn_passage *c, int j, double x)
{
    double value = 1;
    for (int k = 0; k < c->points; k++)
        if (k != j)
            value *= (x - c->at[k]) / (c->at[j] - c->at[k]);
    return value;
}

/* out[j]: integral from 0 to x of the Lagrange polynomial of point j, by Gauss' rule, which is exact. */
static void integrals(const tn_passage *c, double x, double out[POINTS])
{
    const double *node = c->node[c->points], *share = c->share[c->points];
    for (int j = 0; j < c->points; j++) {
        double sum = 0;
        for (int k = 0; k < c->points; k++)
            sum += share[k] * lagrange(c, j, x * node[k]);
        out[j] = sum * x;
    }
}

static void choose_points(tn_passage *c, int points)
{
    c->points = points;
    memcpy(c->at, c->node[points], sizeof c->at);
    for (int i = 0; i < points; i++)
        integrals(c, c->at[i], c->matrix[i]);
}

/* y = y0 + h sum weight_j rate_j */
static void combine(const tn_passage *c, double h, const double *weight, double *y)
{
    const int n = tn_step_length(&c->window);
    memcpy(y, c->window.y0, (size_t)n * sizeof(double));
    for (int j = 0; j < c->points; j++)
        for (int k = 0; k < n; k++)
            y[k] += h * weight[j] * c->rate[j][k];
}

void tn_passage_interpolate(const tn_stepper *st, double theta, double *y)
{
    double weight[POINTS];
    integrals(st->passage, theta * st->step.h / st->passage->window.h, weight);
    combine(st->passage, st->passage->window.h, weight, y);
}

void tn_passage_rate(const tn_stepper *st, double *dy1)
{
    const tn_passage *c = st->passage;
    const int n = tn_step_length(&st->step);
    const double x = st->step.h / c->window.h;
    if (!c->on_singular)
        return;
    memset(dy1, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < c->points; j++) {
        const double value = lagrange(c, j, x);
        for (int k = 0; k < n; k++)
            dy1[k] += value * c->rate[j][k];
    }
}

/* ---- when and where ---- */

int tn_passage_allocate(tn_stepper *st)
{
    if (!st->scheme->finish || st->scheme->step || st->integrator->advances_components || !tn_system_allows(st->system, TN_ALLOW_OTHER_STATES))
        return TN_OK;
    tn_passage *c = tn_arena_alloc(st->arena, 1, sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    for (int points = 1; points <= POINTS; points++)
        find_rule(c, points);
    st->passage = c;
    return TN_OK;
}

/* Makes the vectors of the points at the first singular position: they are larger than a body with its joint, and most models
 * never need them. */
static int make_vectors(tn_stepper *st)
{
    const size_t n = (size_t)st->system->size;
    tn_passage *c = st->passage;
    if (c->state)
        return tn_arena_status(st->arena);
    for (int j = 0; j < POINTS; j++) {
        c->rate[j] = tn_arena_alloc(st->arena, n, sizeof(double));
        c->next[j] = tn_arena_alloc(st->arena, n, sizeof(double));
        c->projected[j] = tn_arena_alloc(st->arena, n, sizeof(double));
    }
    c->state = tn_arena_alloc(st->arena, n, sizeof(double));
    return tn_arena_status(st->arena);
}

/* The distance at the start of the step; 0 where the rows, or a part of them, have lost a rank. */
static double distance_here(const tn_stepper *st)
{
    return st->rank < st->usual_rank || st->coincidence ? 0 : st->distance;
}

/* The longest window that the motion allows. */
static double longest_window(const tn_stepper *st)
{
    const tn_system *s = st->system;
    const bool rate_known = st->coincidence || distance_here(st) >= ON_IT;
    double fastest = 1e-3;
    for (int k = s->positions; k < s->positions + s->velocities; k++)
        fastest = fmax(fastest, fmax(fabs(st->y[k]), rate_known ? sqrt(fabs(st->dy[k])) : 0));
    return MOST_MOTION / fastest;
}

bool tn_passage_ahead(const tn_stepper *st, double h)
{
    if (!st->passage || st->uncrossed)
        return false;
    double here = distance_here(st), nearest = fmax(fmin(here, here + st->approach * h), 0);
    double change = fabs(st->approach) * fmax(h, longest_window(st));
    return here < ON_IT || (nearest < CLOSE && change > CLOSE);
}

/* The smallest distance at n points of a window of length h, if the distance changes as at its start. */
static double room(const tn_stepper *st, int n, double h)
{
    double least = INFINITY;
    for (int j = 0; j < n; j++)
        least = fmin(least, fabs(distance_here(st) + st->approach * st->passage->node[n][j] * h));
    return least;
}

/* Chooses length and points of the window: the shortest with many points that have room enough; else the one with most
 * room. At the end of a window the polynomial is most accurate, so the step itself comes first. */
static void choose_window(tn_stepper *st)
{
    tn_passage *c = st->passage;
    const double usual = fmin(SPAN / fmax(fabs(st->approach), 1e-3), longest_window(st));
    double most = -1;
    int points = POINTS;
    c->window = st->step;
    for (double h = st->step.h > 0 ? st->step.h : usual; most < ROOM; h *= 1.15) {
        for (int n = POINTS; n >= LEAST_POINTS && most < ROOM; n--) {
            double found = room(st, n, h);
            if (found > most) {
                most = found;
                c->window.h = h;
                points = n;
            }
        }
        if (h > 1.4 * usual)
            break;
    }
    choose_points(c, points);
}

double tn_passage_length(tn_stepper *st)
{
    st->step.h = 0;
    choose_window(st);
    return st->passage->window.h;
}

/* Writes a motion that the constraints allow, without any symmetry, into st->delta. */
static int any_motion(tn_stepper *st, double *size)
{
    const tn_system *s = st->system;
    double *motion = st->scratch;
    for (int k = 0; k < s->velocities; k++)
        motion[k] = 0.5 + fmod(GOLDEN * (k + 1), 1);
    TN_TRY(tn_project_direction(st, motion));
    memcpy(st->delta, motion, (size_t)s->velocities * sizeof(double));
    *size = tn_largest(s->velocities, st->delta);
    return TN_OK;
}

/* Decides the rank at a point a little aside: further on the way, or, any, in a direction without symmetry. The point is off
 * the constraints by the square of the distance, which is below the rank tolerance. *time: until the point is reached.
 * TN_NEWS_END: nothing moves, so there is no such point. */
static int decide_aside(tn_stepper *st, bool any, double *time)
{
    const tn_system *s = st->system;
    double size = tn_largest(s->velocities, st->y + s->positions), *y = st->stage;
    if (any)
        TN_TRY(any_motion(st, &size));
    else
        memcpy(st->delta, st->y + s->positions, (size_t)s->velocities * sizeof(double));
    if (!(size > 0))
        return TN_NEWS_END;
    *time = ASIDE / size;
    for (int k = 0; k < s->velocities; k++)
        st->delta[k] *= *time;
    memcpy(y, st->y, (size_t)s->size * sizeof(double));
    tn_move(y, st, st->y, st->delta);
    st->rule = TN_RANK_DECIDE;
    return tn_stepper_evaluate(st, any ? st->t : st->t + *time, y);
}

/* Finds a coincidence: pivots of parts of the system that differ beside the state in a direction without symmetry. */
static int look_for_coincidence(tn_stepper *st, unsigned pattern)
{
    tn_saddle_info info;
    double time;
    int code = decide_aside(st, true, &time);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    st->solver->info(st->saddle, &info);
    st->coincidence = code == TN_OK && info.rank == st->rank && info.pattern != pattern;
    st->rule = TN_RANK_DECIDE;
    return tn_stepper_evaluate(st, st->t, st->y);
}

/* The constraint of the row whose residual in st->u is largest. */
static int most_residual(const tn_stepper *st)
{
    const tn_structure *k = &st->system->structure;
    int worst = 0;
    double most = -1;
    for (int c = 0; c < st->system->constraint_count; c++)
        for (int row = k->constraint_row[c]; row < k->constraint_row[c + 1]; row++)
            if (fabs(st->u[row]) > most) {
                most = fabs(st->u[row]);
                worst = c;
            }
    return worst;
}

/* On a singular position velocities that the rows allow need not begin a motion: the rows also have to allow accelerations. Those
 * of the least kinetic energy, or after an impulse, may be a mixture of the ways that branch there. A little beside the position
 * the rows allow huge accelerations; the rank that was decided counts, and the parties are named where they can be found. */
static int check_velocities(const tn_stepper *st)
{
    const tn_system *s = st->system;
    const tn_eval *e = st->eval;
    const double floor = BEGINS_NO_MOTION * tn_largest(s->rows, e->bias);
    char text[TN_CONFLICT_TEXT];
    tn_span span = s->model->solve_span;
    tn_jacobian_times(st, e->a, st->u);
    for (int r = 0; r < s->rows; r++)
        st->u[r] -= e->bias[r];
    if (!(tn_largest(s->rows, st->u) > floor))
        return TN_OK;
    int found = tn_conflict_find(s, e, st->u, floor, text, &span);
    if (found < 0)
        return found;
    if (found == TN_CONFLICT_NONE)
        snprintf(text, sizeof text, "joint '%.80s' would come apart", tn_constraint_name(s, most_residual(st)));
    return tn_fail(s->context, TN_ERROR_STEP, span, "t = %.9g s: the position is singular, and its velocities begin no motion: %s; "
                   "several ways lead on from there: give the rates of both sides of the loop (in 'initial', or by the command 'state'), or "
                   "a start a little beside it", st->t, text);
}

static void warn_of_rest(const tn_stepper *st)
{
    tn_warn(st->system->context, st->system->model->solve_span, "t = %.6g s: the mechanism is at rest in a singular position, from "
            "which several ways lead on: which one it takes is not determined; give rates of both sides of the loop in 'initial', "
            "or a start a little beside it", st->t);
}

int tn_passage_look(tn_stepper *st)
{
    tn_saddle_info info;
    double time;
    const bool first = st->usual_rank < 0;
    st->coincidence = false;
    if (first)
        st->usual_rank = st->rank;
    if (!st->passage || st->rank < 0)
        return TN_OK;
    st->solver->info(st->saddle, &info);
    if (first && info.pattern != 0 && st->system->constraint_count == tn_lasting_constraints(st->system))
        TN_TRY(look_for_coincidence(st, info.pattern));
    if (st->distance > LOOK && (first ? st->rank == info.rows : st->rank == st->usual_rank))
        return TN_OK;
    int code = decide_aside(st, false, &time);
    const bool rests = first && code == TN_NEWS_END;
    if (rests)
        code = decide_aside(st, true, &time);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    st->solver->info(st->saddle, &info);
    if (rests && code == TN_OK && info.rank > st->rank)
        warn_of_rest(st);
    if (!rests && code == TN_OK && info.rank > st->usual_rank)
        st->usual_rank = info.rank;
    if (!rests && code == TN_OK && distance_here(st) < LOOK && !st->coincidence)
        st->approach = (info.weakest_pivot - distance_here(st)) / time;
    st->rule = TN_RANK_DECIDE;
    TN_TRY(tn_stepper_evaluate(st, st->t, st->y));
    return first && st->rank < st->usual_rank ? check_velocities(st) : TN_OK;
}

/* ---- the step ---- */

/* Where the states at the points come from: from the start of the step, its velocity alone or with its rate; from the
 * polynomial of a step GROWTH times shorter; or from the rates of the last pass. */
typedef enum source { FROM_VELOCITY, FROM_RATE, FROM_SHORTER, FROM_LAST } source;
static const double GROWTH = 4;
enum { GROWTHS = 3 };

static void guess_state(const tn_stepper *st, double part, bool with_rate, double *y)
{
    const tn_step *step = &st->passage->window;
    const double h = part * step->h, *v = step->y0 + step->positions, *a = step->dy0 + step->positions;
    double *v1 = y + step->positions;
    for (int k = 0; k < step->velocities; k++) {
        double change = with_rate ? h * a[k] : 0;
        st->delta[k] = h * (v[k] + 0.5 * change);
        v1[k] = v[k] + change;
    }
    tn_move(y, st, step->y0, st->delta);
    for (int k = step->velocities; k < step->velocities + step->states; k++)
        v1[k] = v[k] + (with_rate ? h * a[k] : 0);
}

static void find_state(const tn_stepper *st, int point, source from)
{
    tn_passage *c = st->passage;
    double weight[POINTS];
    switch (from) {
    case FROM_VELOCITY:
    case FROM_RATE:
        guess_state(st, c->at[point], from == FROM_RATE, c->state);
        break;
    case FROM_SHORTER:
        integrals(c, GROWTH * c->at[point], weight);
        combine(c, c->window.h / GROWTH, weight, c->state);
        break;
    case FROM_LAST:
        combine(c, c->window.h, c->matrix[point], c->state);
    }
}

/* One pass over all points. *change: the largest change of a projected state since the last pass, as a part of its
 * size. */
static int pass_over(tn_stepper *st, source from, double *change)
{
    tn_passage *c = st->passage;
    const int n = tn_step_length(&c->window);
    const double h = c->window.h;
    *change = 0;
    for (int i = 0; i < c->points; i++) {
        find_state(st, i, from);
        TN_TRY(tn_rate(c->next[i], st, c->window.t + c->at[i] * h, c->state));
        for (int k = 0; k < n; k++) {
            *change = fmax(*change, fabs(st->stage[k] - c->projected[i][k]) / fmax(1, fabs(st->stage[k])));
            c->projected[i][k] = st->stage[k];
        }
    }
    for (int i = 0; i < c->points; i++) {
        double *last = c->rate[i];
        c->rate[i] = c->next[i];
        c->next[i] = last;
    }
    if (from != FROM_LAST)
        *change = INFINITY;
    return TN_OK;
}

static int iterate(tn_stepper *st, source from)
{
    const double unsettled = fmax(UNSETTLED, UNSETTLED_PER_ROW * st->system->rows);
    double change = INFINITY, before = INFINITY;
    int stalled = 0;
    for (int pass = 0; pass < MOST_PASSES && stalled < MOST_STALLED; pass++) {
        TN_TRY(pass_over(st, pass == 0 ? from : FROM_LAST, &change));
        const bool falls = !(change > 0.5 * before);
        if (change <= SETTLED || (change < unsettled && !falls))
            return TN_OK;
        stalled = falls ? 0 : stalled + 1;
        before = change;
    }
    return change < unsettled ? TN_OK : TN_ERROR_STEP;
}

/* Solves for short steps first: each gives the guess for a longer one. */
static int iterate_growing(tn_stepper *st)
{
    const double h = st->passage->window.h;
    double change;
    for (int n = GROWTHS; n > 0; n--) {
        st->passage->window.h = h / tn_pow(GROWTH, n);
        TN_TRY(pass_over(st, n == GROWTHS ? FROM_VELOCITY : FROM_SHORTER, &change));
        TN_TRY(pass_over(st, FROM_LAST, &change));
    }
    st->passage->window.h = h;
    return iterate(st, FROM_SHORTER);
}

/* The Legendre polynomial of degree n at x. */
static double legendre(int n, double x)
{
    double p = 1, next = x;
    for (int k = 1; k <= n; k++) {
        double after = ((2 * k + 1) * x * next - k * p) / (k + 1);
        p = next;
        next = after;
    }
    return p;
}

/* True: the polynomial follows the accelerations. Their expansion in Legendre polynomials has to fall off towards the
 * highest degree; it does not where a force changes fast or jumps within the window. */
static bool resolves(const tn_stepper *st)
{
    const tn_passage *c = st->passage;
    const tn_step *w = &c->window;
    const int n = c->points;
    double last[POINTS], fastest = SLOW, most = 0;
    for (int j = 0; j < n; j++)
        last[j] = (2 * n - 1) * c->share[n][j] * legendre(n - 1, 2 * c->at[j] - 1);
    for (int k = w->positions; k < w->positions + w->velocities; k++) {
        double sum = 0;
        fastest = fmax(fastest, fabs(w->y0[k]));
        for (int j = 0; j < n; j++) {
            sum += last[j] * c->rate[j][k];
            fastest = fmax(fastest, w->h * fabs(c->rate[j][k]));
        }
        most = fmax(most, fabs(sum));
    }
    return w->h * most <= RESOLVED * fastest;
}

int tn_passage_close(tn_stepper *st, double t, double *y, bool *left)
{
    tn_passage *c = st->passage;
    const size_t size = (size_t)st->system->size * sizeof(double);
    tn_position_normalize(st->system, y);
    tn_eval_motion(st->eval, st->system, t, y, y + st->system->positions);
    tn_eval_constraints(st->eval, st->system, st->memory, 1, false);
    double gap = fmax(tn_largest(st->system->rows, st->eval->g), tn_largest(st->system->rows, st->eval->gdot));
    memcpy(c->state, y, size);
    st->corrected = 0;
    int code = st->scheme->finish(st, t, y);
    if (code < 0 && code != TN_ERROR_STEP)
        return code;
    *left = code < 0 || st->corrected > AMPLIFIED * gap;
    if (*left)
        memcpy(y, c->state, size);
    st->corrected = 0;
    return *left && gap > OPEN_END ? TN_ERROR_STEP : TN_OK;
}

/* Solves in a window of length h. Shorter than the step: the step becomes as short, with fixed steps a whole number of
 * them. */
static int try_window(tn_stepper *st, double h, int points)
{
    tn_passage *c = st->passage;
    if (h < st->step.h)
        st->step.h = st->fixed ? fmin(st->step.h, fmax(floor(h / st->h), 1) * st->h) : h;
    c->window.h = fmax(h, st->step.h);
    choose_points(c, points);
    TN_TRY(iterate_growing(st));
    return resolves(st) ? TN_OK : TN_ERROR_STEP;
}

/* Where a point comes too close to a singular position after all, round-off keeps the iteration from settling, and a
 * longer window has its points elsewhere. Where motion or forces change too fast for the polynomial, a shorter one, with
 * points closer to the singular position, is better. */
static int try_windows(tn_stepper *st, bool without_rate)
{
    static const struct { double part; int points; } longer[] = { { 1.27, 7 }, { 1.6, 8 }, { 1, 6 }, { 2, 9 }, { 1.4, 6 } };
    static const double shorter[] = { 1, 0.7, 0.5, 0.35, 0.25 };
    tn_passage *c = st->passage;
    choose_window(st);
    const double h = c->window.h;
    int code = without_rate ? iterate_growing(st) : iterate(st, FROM_RATE);
    const bool settled = code == TN_OK;
    if (settled && !resolves(st))
        code = TN_ERROR_STEP;
    for (size_t k = 0; k < TN_LENGTH(longer) && code == TN_ERROR_STEP && !settled; k++)
        code = try_window(st, longer[k].part * h, longer[k].points);
    for (size_t k = 0; k < TN_LENGTH(shorter) && code == TN_ERROR_STEP; k++)
        for (int points = POINTS; points > LEAST_POINTS && code == TN_ERROR_STEP; points--)
            code = try_window(st, shorter[k] * h, points);
    return code;
}

int tn_passage_step(tn_stepper *st)
{
    const bool on_it = distance_here(st) < ON_IT;
    double time;
    TN_TRY(make_vectors(st));
    if (on_it && decide_aside(st, st->coincidence, &time) < 0)
        return TN_ERROR_STEP;
    st->rule = TN_RANK_KEEP;
    int code = try_windows(st, on_it && !st->smooth_rate);
    if (code == TN_ERROR_STEP && st->coincidence)
        st->coincidence = false;           /* an ordinary step is less accurate, but possible */
    else if (code == TN_ERROR_STEP)
        st->trouble = "a singular position is near, and no accurate step across it was found";
    TN_TRY(code);
    tn_passage_interpolate(st, 1, st->y1);
    return tn_passage_close(st, st->step.t + st->step.h, st->y1, &st->passage->on_singular);
}
