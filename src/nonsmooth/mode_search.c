/* Searches the last step for the first mode change: the first time at which an open unilateral constraint closes, or at
 * which the modes of the closed ones no longer solve the complementarity problem. The search uses the projected dense
 * output, piece by piece; pieces are so short that shapes cannot pass through each other. "part" is a time within the
 * step, from 0 to 1. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "diag.h"
#include "mode_check.h"
#include "mode_search.h"
#include "zero.h"

/* Number of pieces of a step; largest number, where forces change fast while nothing moves. */
/* In very long steps with something near, only SEARCHED_PIECES pieces are searched: the step ends there. A line to a state of
 * another tool has to be searched whole. */
enum { PIECES = 4, MOST_PIECES = 64, SEARCHED_PIECES = 1000, MOST_PIECES_OF_LINE = 10000 };
/* Accuracy of the located time of a change, as a share of the step. */
static const double LOCATED = 1e-13;
/* A gap larger than this multiple of its change in the step is not searched within the step. */
static const double FAR = 4;
/* A piece ends when shapes may have moved by this share of the smallest shape; safety factor for speeds within a step,
 * relative to the speeds at its ends and in its middle. */
static const double SMALL_PART = 0.25, SURELY = 1.5;
/* Pieces at whose end shapes overlap are not made shorter than a way of this share of the smallest shape. */
static const double SHORTEST_PART = 1e-6;
/* A touch that closes is found again within this share of the smallest shape. */
static const double NEAR_PART = 0.01;

typedef struct search {
    tn_session *session;
    tn_mode_check check;
    double before;                 /* start of the previous piece */
    bool rough;                    /* the pieces are too long for the changes of the forces */
    double end;                    /* the part of the step that was searched */
} search;

/* A gap, or its rate, as a function of the part of the step. */
typedef struct function {
    tn_session *session;
    tn_unilateral unilateral;
    bool rate;
    double factor, shift;          /* factor * gap or rate + shift */
} function;

/* ---- evaluation within the step ---- */

static int function_at(void *user, double part, double *out)
{
    function *f = user;
    const double *y;
    TN_TRY(tn_search_look(f->session, part, false, &y));
    tn_unilateral_measure(&f->unilateral, f->session);
    *out = f->factor * (f->rate ? f->unilateral.rate : f->unilateral.gap) + f->shift;
    return TN_OK;
}

/* Measures gaps and rates at a part of the step; the old values become gap_before and rate_before. */
static int measure_at_part(tn_session *s, tn_unilateral *unilaterals, size_t count, double part)
{
    const double *y;
    if (count == 0)
        return TN_OK;
    TN_TRY(tn_search_look(s, part, false, &y));
    for (size_t k = 0; k < count; k++) {
        unilaterals[k].gap_before = unilaterals[k].gap;
        unilaterals[k].rate_before = unilaterals[k].rate;
        tn_unilateral_measure(&unilaterals[k], s);
    }
    return TN_OK;
}

static double width(const tn_session *s)
{
    return fmax(LOCATED, 4 * DBL_EPSILON * fabs(tn_search_begin(s)) / tn_search_length(s));
}

/* ---- closing ---- */

/* Finds a turning point of the gap between a and b, and the gap there; factor 1: a maximum, -1: a minimum. */
static int find_turn(tn_session *s, const tn_unilateral *g, double a, double b, double factor, double *turn, double *gap)
{
    function f = { s, *g, true, factor, 0 };
    TN_TRY(tn_zero_find(turn, function_at, &f, a, b, factor * g->rate_before, factor * g->rate, width(s)));
    f.rate = false;
    f.factor = 1;
    return function_at(&f, *turn, gap);
}

static int find_zero(tn_session *s, const tn_unilateral *g, double a, double b, double gap_a, double gap_b, double *part)
{
    function f = { s, *g, false, 1, 0 };
    return tn_zero_find(part, function_at, &f, a, b, gap_a, gap_b, width(s));
}

/* Finds the first time between a and b at which the gap of an open constraint, measured at both, becomes negative. */
static int find_closing(tn_session *s, const tn_unilateral *g, double a, double b, double *part)
{
    double turn, gap;
    *part = INFINITY;
    bool dips = g->rate_before < 0 && g->rate > 0;
    if (g->gap >= -TN_UNILATERAL_NOISE && !dips)
        return TN_OK;
    if (dips) {                                        /* the gap has a minimum between a and b */
        TN_TRY(find_turn(s, g, a, b, -1, &turn, &gap));
        return g->gap_before <= 0 || gap >= -TN_UNILATERAL_NOISE ? TN_OK
                                                            : find_zero(s, g, a, turn, g->gap_before, gap, part);
    }
    if (g->rate_before <= 0 && g->gap_before > 0)
        return find_zero(s, g, a, b, g->gap_before, g->gap, part);
    if (g->rate_before <= 0) {
        *part = a;
        return TN_OK;
    }
    TN_TRY(find_turn(s, g, a, b, 1, &turn, &gap));
    if (gap > 0)
        return find_zero(s, g, turn, b, gap, g->gap, part);
    *part = turn;
    return TN_OK;
}

/* True: the coordinate leaves the stop at a and at b. A gap that falls all the same is an error of the integrator within its tolerance,
 * which shortens no step: each step would end at once. */
static bool leaves_stop(const tn_session *s, const tn_unilateral *g, double a, double b)
{
    return g->rate > 0 && g->rate_before * (b - a) * tn_search_length(s) > -TN_UNILATERAL_NOISE;
}

/* As find_closing, for limits; a step also ends where the coordinate of a ratchet turns back towards the last tooth. */
static int find_stop(tn_session *s, const tn_unilateral *g, double a, double b, double *part)
{
    double turn, gap;
    *part = INFINITY;
    if (leaves_stop(s, g, a, b))
        return TN_OK;
    if (!tn_unilateral_is_ratchet(s, g) || g->rate_before <= 0 || g->rate > 0)
        return find_closing(s, g, a, b, part);
    TN_TRY(find_turn(s, g, a, b, 1, &turn, &gap));
    if (a == 0 && gap - g->gap_before <= TN_UNILATERAL_NOISE)       /* the coordinate has turned back before the step */
        return find_closing(s, g, a, b, part);
    *part = turn;
    return TN_OK;
}

/* Finds the time between a and b at which a resting constraint begins to overlap. */
static int find_sinking(tn_session *s, const tn_unilateral *g, double a, double b, double *part)
{
    function f = { s, *g, false, 1, TN_UNILATERAL_TOUCHES };
    if (g->gap_before <= -TN_UNILATERAL_TOUCHES) {
        *part = a;
        return TN_OK;
    }
    return tn_zero_find(part, function_at, &f, a, b, g->gap_before + f.shift, g->gap + f.shift, width(s));
}

/* ---- staying closed ---- */

/* At the end b of a piece from a: sets rough when a margin differs so much from its linear extrapolation that it may
 * have vanished in between. This matters when bodies rest: steps then become long although forces change. */
static void watch_margins(search *x, double a, double b)
{
    const tn_unilaterals *all = x->session->unilaterals;
    for (size_t k = 0; k < all->count; k++) {
        tn_unilateral *g = &all->items[k];
        if (!tn_unilateral_closed(g))
            continue;
        double margin = tn_mode_margin(x->session, g), least = fmin(g->margin, g->margin_before);
        double expected = g->margin + (g->margin - g->margin_before) * (b - a) / (a - x->before);
        if (margin > 0)
            least = fmin(least, margin);
        x->rough = x->rough || (least > 0 && fabs(margin - expected) > least);
        g->margin_before = g->margin;
        g->margin = margin;
    }
}

/* Tells whether other modes are the solution at a part of the step. */
static int changes_at(search *x, double part, bool *changes)
{
    const double *y;
    TN_TRY(tn_search_look(x->session, part, true, &y));
    return tn_mode_check_changes(&x->check, y, changes);
}

/* Finds by bisection the first time between a, where the modes hold, and b at which they do not hold. */
static int find_change(search *x, double a, double b, double *part)
{
    bool changes;
    *part = INFINITY;
    TN_TRY(changes_at(x, b, &changes));
    watch_margins(x, a, b);
    if (!changes)
        return TN_OK;
    while (b - a > width(x->session)) {
        double middle = (a + b) / 2;
        TN_TRY(changes_at(x, middle, &changes));
        *(changes ? &b : &a) = middle;
    }
    *part = b;
    return TN_OK;
}

/* ---- shapes ---- */

/* Adds a touch to `seen`, once. */
static int see(tn_session *s, const tn_touch *touch)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    bool added;
    TN_TRY(tn_touch_set_add(&n->seen_keys, s->context, &touch->key, &added));
    if (!added)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &n->seen, &n->seen_capacity, n->seen_count + 1, sizeof *n->seen));
    n->seen[n->seen_count++] = tn_touch_unilateral(s, touch);
    return TN_OK;
}

/* Adds the touches with gaps below margin at a part of the step to `seen`, except closed ones; nearest: smallest
 * gap. */
static int see_at(tn_session *s, double part, double margin, double *nearest)
{
    const tn_touch *list;
    const double *y;
    size_t count;
    TN_TRY(tn_search_look(s, part, false, &y));
    TN_TRY(tn_contact_shapes_find(&list, &count, s, margin));
    *nearest = margin;
    for (size_t k = 0; k < count; k++) {
        *nearest = fmin(*nearest, list[k].gap);
        if (!tn_touch_held(s, &list[k].key))
            TN_TRY(see(s, &list[k]));
    }
    return TN_OK;
}

static bool same_shapes(const tn_touch_key *a, const tn_touch_key *b)
{
    return a->body1 + a->body2 == b->body1 + b->body2 && (a->body1 == b->body1 ? a->shape1 == b->shape1 &&
           a->shape2 == b->shape2 : a->body1 == b->body2 && a->shape1 == b->shape2 && a->shape2 == b->shape1);
}

/* Tells whether the shapes of a touch (NULL: any shapes) really touch there, with a gap up to this value. The gap of a
 * touch alone does not tell, because it treats faces and edges as unbounded. */
static int meets_at(tn_session *s, double part, double gap, const tn_touch_key *whose, bool *meets)
{
    const tn_touch *list;
    const double *y;
    size_t count;
    TN_TRY(tn_search_look(s, part, false, &y));
    TN_TRY(tn_contact_shapes_find(&list, &count, s, TN_UNILATERAL_TOUCHES));
    *meets = false;
    for (size_t k = 0; k < count; k++)
        *meets = *meets || (list[k].gap <= gap && (!whose || same_shapes(whose, &list[k].key)) &&
                             !tn_touch_held(s, &list[k].key));
    return TN_OK;
}

/* Finds when shapes begin to overlap between a and b, if they overlap at b although no watched gap has closed. */
static int find_overlap(tn_session *s, double a, double b, double *part)
{
    bool meets;
    TN_TRY(meets_at(s, b, -TN_UNILATERAL_TOUCHES, NULL, &meets));
    if (!meets)
        return TN_OK;
    while (b - a > width(s)) {
        double middle = (a + b) / 2;
        TN_TRY(meets_at(s, middle, -TN_UNILATERAL_NOISE, NULL, &meets));
        *(meets ? &b : &a) = middle;
    }
    *part = b;
    return TN_OK;
}

/* Finds a touch again, with the features of the shapes at a part of the step. */
static int find_again(tn_session *s, double part, tn_unilateral *g, bool *found)
{
    const tn_touch *list;
    const double *y;
    size_t count;
    TN_TRY(tn_search_look(s, part, false, &y));
    TN_TRY(tn_contact_shapes_find(&list, &count, s, NEAR_PART * tn_touches_length(s->unilaterals->near.touches)));
    *found = false;
    for (size_t k = 0; k < count && !*found; k++)
        if (tn_touch_key_equal(&list[k].key, &g->touch.key)) {
            g->touch = list[k];
            *found = true;
        }
    return TN_OK;
}

/* The lines that stand for circles are those at the beginning of the piece: finds them again where the gap closes, until the time at
 * which they close does not change. */
static int close_circles(tn_session *s, const tn_unilateral *seen, double a, double b, double *part)
{
    const int rounds = 8;
    tn_unilateral g = *seen;
    bool found = tn_touch_on_rim(&g.touch);
    double last = INFINITY;
    for (int i = 0; i < rounds && found && isfinite(*part) && fabs(*part - last) > width(s); i++) {
        last = *part;
        TN_TRY(find_again(s, *part, &g, &found));
        if (!found)
            break;
        TN_TRY(measure_at_part(s, &g, 1, a));
        TN_TRY(measure_at_part(s, &g, 1, b));
        TN_TRY(find_closing(s, &g, a, b, part));
    }
    *part = isfinite(*part) || isinf(last) ? *part : last;
    return TN_OK;
}

/* Measures the touches in `seen` at `part`, where the search ends now; what was measured at its begin stays. */
static int measure_at_end(tn_session *s, double part)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    const double *y;
    TN_TRY(tn_search_look(s, part, false, &y));
    for (size_t k = 0; k < n->seen_count; k++)
        tn_unilateral_measure(&n->seen[k], s);
    return TN_OK;
}

/* Tells about when a gap, measured at a and b, closes between them; INFINITY: it does not. A gap that falls and rises again has no
 * time for closing where speeds of SURELY times those at both ends would not suffice. */
static double expect_closing(const tn_session *s, const tn_unilateral *g, double a, double b)
{
    const double time = (b - a) * tn_search_length(s), fastest = SURELY * fmax(fabs(g->rate_before), fabs(g->rate));
    if (g->gap < -TN_UNILATERAL_NOISE)
        return g->gap_before > 0 ? a + (b - a) * g->gap_before / (g->gap_before - g->gap) : a;
    const bool dips = g->rate_before < 0 && g->rate > 0;
    return dips && g->gap_before + g->gap <= fastest * time ? b : INFINITY;
}

/* Returns the touch that is expected to close first among those that are not done; NULL: none closes between a and b. */
static tn_unilateral *next_to_close(tn_session *s, const bool *done, double a, double b)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    tn_unilateral *next = NULL;
    double least = INFINITY;
    for (size_t k = 0; k < n->seen_count; k++) {
        double expected = done[k] ? INFINITY : expect_closing(s, &n->seen[k], a, b);
        if (expected < least) {
            least = expected;
            next = &n->seen[k];
        }
    }
    return next;
}

/* Finds the first closing between a and b of the touches in `seen`. Where one closes, only the others that close before it are
 * searched on: mostly none. */
static int search_seen(tn_session *s, double a, double b, double *first)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    tn_unilateral *g;
    double end = fmin(b, *first);
    TN_TRY(tn_grow(s->context, &n->done, &n->done_capacity, n->seen_count, sizeof *n->done));
    memset(n->done, 0, n->seen_count * sizeof *n->done);
    TN_TRY(measure_at_part(s, n->seen, n->seen_count, a));
    TN_TRY(measure_at_part(s, n->seen, n->seen_count, end));
    while ((g = next_to_close(s, n->done, a, end))) {
        double part;
        bool meets = false;
        n->done[g - n->seen] = true;
        TN_TRY(find_closing(s, g, a, end, &part));
        if (part < *first)
            TN_TRY(close_circles(s, g, a, b, &part));
        if (part < *first)
            TN_TRY(meets_at(s, part, TN_UNILATERAL_TOUCHES, &g->touch.key, &meets));
        if (!meets)
            continue;
        *first = part;
        if (part < end)
            TN_TRY(measure_at_end(s, end = part));
    }
    return TN_OK;
}

/* Finds the first closing between a and b of the shapes. */
static int first_touch(tn_session *s, double a, double b, double *first)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    if (n->seen_count == 0)
        return TN_OK;
    TN_TRY(search_seen(s, a, b, first));
    if (isinf(*first))
        return find_overlap(s, a, b, first);
    bool overlap;                                      /* a touch that neither end shows may have closed before, on a mesh */
    TN_TRY(meets_at(s, a, -TN_UNILATERAL_TOUCHES, NULL, &overlap));
    return overlap ? TN_OK : find_overlap(s, a, *first, first);
}

/* Finds the depth (m) of the deepest overlap at a part of the step of which no touch may tell; 0: none is deeper than least. */
static int hidden_depth(tn_session *s, double part, double least, double *depth)
{
    const tn_touch *list;
    const double *y;
    size_t count;
    *depth = 0;
    TN_TRY(tn_search_look(s, part, false, &y));
    TN_TRY(tn_contact_shapes_find_hidden(&list, &count, s, least, false));
    for (size_t k = 0; k < count; k++)
        *depth = fmax(*depth, -list[k].gap);
    return TN_OK;
}

/* Ends a piece from a before b where shapes overlap at b and no touch may tell of it: what closes in between is seen in shorter pieces.
 * What overlaps at a already, as closed rings do by the bend of their lines, does not count unless it gets deeper. */
static int shorten_piece(tn_session *s, double a, double shortest, double *b)
{
    const double part = 0.25, deeper = 2;
    double depth, least = TN_UNILATERAL_TOUCHES;
    TN_TRY(hidden_depth(s, *b, least, &depth));
    if (depth == 0)
        return TN_OK;
    TN_TRY(hidden_depth(s, a, least, &depth));
    least = fmax(least, deeper * depth);
    for (; *b - a > shortest; *b = a + part * (*b - a)) {
        TN_TRY(hidden_depth(s, *b, least, &depth));
        if (depth == 0)
            return TN_OK;
    }
    return TN_OK;
}

/* Chooses a piece from a to b in which shapes cannot pass through each other, and collects its touches in `seen`. */
static int choose_piece(tn_session *s, double a, int pieces, double speed, double *b)
{
    tn_contact_shapes *n = &s->unilaterals->near;
    double h = tn_search_length(s), most = fmin(1.0 / pieces, 1 - a), nearest;
    n->seen_count = 0;
    tn_touch_set_clear(&n->seen_keys);
    *b = a + most;
    if (!n->touches || speed == 0)
        return TN_OK;
    TN_TRY(see_at(s, a, speed * most * h + TN_UNILATERAL_TOUCHES, &nearest));
    double travel = fmax(nearest, SMALL_PART * tn_touches_length(n->touches));
    *b = fmin(*b, a + travel / (speed * h));
    if (1 - *b < 1e-9)
        *b = 1;
    TN_TRY(shorten_piece(s, a, SHORTEST_PART * tn_touches_length(n->touches) / (speed * h), b));
    return see_at(s, *b, 0, &nearest);
}

/* Finds an upper bound of the approach speed of shapes in the step. */
static int find_speed(tn_session *s, double *speed)
{
    const double *y;
    *speed = 0;
    for (int k = 0; k <= 2 && s->unilaterals->near.touches; k++) {
        TN_TRY(tn_search_look(s, k / 2.0, false, &y));
        *speed = fmax(*speed, SURELY * tn_touches_speed(s));
    }
    return TN_OK;
}

static int search_line(tn_session *s, bool *meet)
{
    double speed, first = INFINITY, b;
    int pieces = 0;
    TN_TRY(find_speed(s, &speed));
    for (double a = 0; a < 1 && isinf(first); a = b) {
        if (++pieces > MOST_PIECES_OF_LINE)
            return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span, "contacts cannot be followed over %.3g s at once, where shapes "
                           "move at up to %.3g m/s: take shorter steps", tn_search_length(s), speed);
        TN_TRY(choose_piece(s, a, PIECES, speed, &b));
        TN_TRY(first_touch(s, a, b, &first));
    }
    *meet = isfinite(first);
    return TN_OK;
}

int tn_touches_meet_before(tn_session *s, double t, const double *y, bool *meet)
{
    *meet = false;
    if (!s->unilaterals->near.touches || !(t > s->stepper->t))
        return TN_OK;
    s->unilaterals->line = (tn_state_line){ t, y };
    int code = search_line(s, meet);
    s->unilaterals->line = (tn_state_line){ 0, NULL };
    return code;
}

/* ---- pieces ---- */

/* Tells whether a gap is too large to close in the step. Never true for a ratchet, which may pass a tooth and turn
 * back. */
static bool stays_far(const tn_session *s, const tn_unilateral *g)
{
    const double h = s->stepper->step.h;
    double change = fmax(fabs(g->gap - g->gap_before), h * fmax(fabs(g->rate), fabs(g->rate_before)));
    return fmin(g->gap, g->gap_before) > FAR * change && !tn_unilateral_is_ratchet(s, g);
}

/* Tells whether all constraints are open, with gaps too large to close in the step. */
static int all_far(tn_session *s, bool *far)
{
    *far = !tn_modes_any_closed(s) && !s->unilaterals->near.touches;
    if (!*far)
        return TN_OK;
    TN_TRY(measure_at_part(s, s->unilaterals->items, s->unilaterals->count, 0));
    TN_TRY(measure_at_part(s, s->unilaterals->items, s->unilaterals->count, 1));
    for (size_t k = 0; k < s->unilaterals->count; k++)
        *far = *far && stays_far(s, &s->unilaterals->items[k]);
    return TN_OK;
}

/* Finds the first closing of an open limit, or overlap of a resting constraint, between a (the last measurement) and b.
 * Resting constraints that separate become open. */
static int first_closing(tn_session *s, double a, double b, double *first)
{
    TN_TRY(measure_at_part(s, s->unilaterals->items, s->unilaterals->count, b));
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        double part = INFINITY;
        if (g->mode == TN_UNILATERAL_OPEN && g->limit >= 0)
            TN_TRY(find_stop(s, g, a, b, &part));
        else if (g->mode == TN_UNILATERAL_RESTS && g->gap < -TN_UNILATERAL_TOUCHES)
            TN_TRY(find_sinking(s, g, a, b, &part));
        else if (g->mode == TN_UNILATERAL_RESTS && g->gap > TN_UNILATERAL_TOUCHES)
            g->mode = TN_UNILATERAL_OPEN;
        *first = fmin(*first, part);
    }
    return TN_OK;
}

/* Computes the margins at the start of the step, for comparison in its first piece. */
static int begin_margins(search *x)
{
    tn_session *s = x->session;
    const double *y;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        s->unilaterals->items[k].margin = NAN;
    if (!tn_modes_any_closed(s))
        return TN_OK;
    TN_TRY(tn_search_look(s, 0, true, &y));
    watch_margins(x, 0, 0);
    x->rough = false;
    return TN_OK;
}

static int look_in_pieces(search *x, int pieces, double speed, double *first)
{
    tn_session *s = x->session;
    double b = 1;
    int searched = 0;
    *first = INFINITY;
    x->before = 0;
    TN_TRY(begin_margins(x));
    TN_TRY(measure_at_part(s, s->unilaterals->items, s->unilaterals->count, 0));
    tn_slips_watch(s);
    for (double a = 0; a < 1 && isinf(*first) && searched < SEARCHED_PIECES; x->before = a, a = b, searched++) {
        double change = INFINITY;
        TN_TRY(choose_piece(s, a, pieces, speed, &b));
        TN_TRY(first_closing(s, a, b, first));
        TN_TRY(first_touch(s, a, b, first));
        if (tn_modes_any_closed(s))
            TN_TRY(find_change(x, a, fmin(b, *first), &change));
        *first = fmin(*first, change);
    }
    x->end = b;
    return TN_OK;
}

static int look_through(search *x, double *first)
{
    double speed;
    int pieces = PIECES;
    TN_TRY(find_speed(x->session, &speed));
    do
        TN_TRY(look_in_pieces(x, pieces, speed, first));
    while (x->rough && (pieces *= 2) <= MOST_PIECES);
    return TN_OK;
}

int tn_unilaterals_find(tn_session *s, double *t, double *searched)
{
    search x = { .session = s, .check = { .session = s }, .end = 1 };
    tn_stepper *st = s->stepper;
    bool far;
    double first = INFINITY;
    *t = *searched = INFINITY;
    if (s->unilaterals->count == 0 && !s->unilaterals->near.touches)
        return TN_OK;
    TN_TRY(all_far(s, &far));
    int code = far ? TN_OK : look_through(&x, &first);
    tn_mode_check_close(&x.check);
    TN_TRY(code);
    if (!far && first <= 1)
        *t = first == 1 ? st->t : st->step.t + first * st->step.h;
    if (x.end < 1)
        *searched = st->step.t + x.end * st->step.h;
    /* evaluate the motion at the accepted state again: the energy is measured there next */
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    tn_touches_compact(s);
    if (isinf(*t))
        tn_slips_follow(s);
    return TN_OK;
}
