/* Acts at a mode change of unilateral constraints: solves impacts, stops slow slips, and decides which constraints are
 * in force afterwards. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "unilateral_modes.h"
#include "impact_laws.h"
#include "impact_stops.h"

/* Pivots below this share of the largest mean linear dependence. */
static const double DEPENDENT = 1e-9;
/* An impact gets no entry when all its velocity changes are below this share of the fastest velocity of the mechanism,
 * or below this in m/s or rad/s. Smooth surfaces that roll change them a little wherever their touch is found again. */
static const double FAINT = 1e-11, FAINT_ROLLING = 1e-6, FAINT_AT_ALL = 1e-12;
/* Assumed approach speed of a jamming contact, as a share of its slip speed. */
static const double JAM = 1e-10;
/* After LOSE_PATIENCE mode changes at one instant, contacts that would open rest until they have moved a little. After
 * MOST_ROUNDS changes, they count as too frequent. */
static const int LOSE_PATIENCE = 10, MOST_ROUNDS = 50;
/* Mode decisions are too frequent when CROWD decisions have come in excess of CROWD_LEAVES per second. Then time
 * stepping begins. Where few constraints touch, decisions are cheap and more of them may come: PATIENCE over the square of their
 * number times as many, MOST_PATIENCE times at most. */
static const double CROWD = 150, CROWD_LEAVES = 4e3, PATIENCE = 40, MOST_PATIENCE = 40;
/* Approaches slower than this share of the constraint's fastest approach do not rebound; nor do approaches slower than
 * this in m/s or rad/s. */
static const double RESTING = 1e-6, RESTING_AT_ALL = 1e-9;
/* The normal of smooth surfaces is off by so much at most before their touch is found again. */
static const double ROLLING = 1e-4;

double tn_unilateral_resting_speed(const tn_session *s, const tn_unilateral *g)
{
    bool smooth = g->limit < 0 && g->touch.kind == TN_TOUCH_SMOOTH;
    if (!isnan(s->solve.resting_speed))
        return s->solve.resting_speed;
    return fmax(fmax(RESTING * g->fastest, RESTING_AT_ALL), smooth ? ROLLING * tn_touches_speed(s) : 0);
}

static int stuck(const tn_session *s, const tn_unilateral *g, const char *why)
{
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, g), "'%s' at t = %.9g s: %s", g->name, s->stepper->t,
                   why);
}

/* ---- impacts ---- */

int tn_impact_remember(tn_session *s, const tn_impact *impact)
{
    tn_unilaterals *g = s->unilaterals;
    if (g->impact_count == TN_EVENTS_KEPT)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &g->impacts, &g->impact_capacity, g->impact_count + 1, sizeof *g->impacts));
    g->impacts[g->impact_count++] = *impact;
    return TN_OK;
}

/* Tells whether the impulses p change velocities by no more than round-off. */
static bool is_faint(const tn_delassus *b)
{
    const tn_system *s = b->session->system;
    double fastest = 0, most = 0;
    for (int i = 0; i < s->velocities; i++)
        fastest = fmax(fastest, fabs(b->y[s->positions + i]));
    for (int i = 0; i < b->rows; i++) {
        double change = 0;
        for (int j = 0; j < b->rows; j++)
            change += b->W[i + j * b->rows] * b->p[j];
        most = fmax(most, fabs(change));
    }
    bool smooth = true;
    for (int k = 0; k < b->count; k++)
        smooth = smooth && b->unilaterals[k]->limit < 0 && b->unilaterals[k]->touch.kind == TN_TOUCH_SMOOTH;
    return most <= fmax((smooth ? FAINT_ROLLING : FAINT) * fastest, FAINT_AT_ALL);
}

/* Makes an entry for every unilateral constraint with an impulse; the first entry has the whole energy loss. */
static int report(tn_delassus *b, double loss)
{
    tn_session *s = b->session;
    double most = 0;
    s->summary.impacts++;
    if (is_faint(b))
        return TN_OK;
    for (int k = 0; k < b->count; k++)
        most = fmax(most, b->p[b->contacts[k].row]);
    for (int k = 0; k < b->count; k++) {
        int row = b->contacts[k].row;
        if (b->p[row] <= TN_UNILATERAL_NOTHING * most)
            continue;
        TN_TRY(tn_impact_remember(s, &(tn_impact){ s->stepper->t, b->unilaterals[k]->name, -b->b[row], b->p[row], loss }));
        loss = 0;
    }
    return TN_OK;
}

static bool approaches(const tn_delassus *b)
{
    double least = 0;
    for (int k = 0; k < b->count; k++)
        least = fmin(least, b->b[b->contacts[k].row]);
    return least < -tn_delassus_still(b, b->b);
}

double tn_delassus_loss(const tn_delassus *b)
{
    double loss = 0;
    for (int i = 0; i < b->rows; i++) {
        double w = 2 * b->b[i];
        for (int j = 0; j < b->rows; j++)
            w += b->W[i + j * b->rows] * b->p[j];
        loss -= b->p[i] * w / 2;
    }
    return loss;
}

/* Returns the work (J) of conveyor belts while the impulses p act: minus impulses times the velocities that belts add to
 * the rows. */
static double belt_work(const tn_delassus *b)
{
    const tn_system *s = b->session->system;
    double work = 0;
    for (int k = 0; k < b->count; k++)
        for (int r = 1; r <= b->contacts[k].tangents && b->unilaterals[k]->law.carries; r++) {
            int row = b->contacts[k].row + r;
            double own = tn_dot(s->velocities, b->J + row * s->velocities, b->y + s->positions);
            work -= b->p[row] * (b->eval->gdot[b->first + row] - own);
        }
    return work;
}

/* Applies the impulses p. *lost gets the kinetic energy taken, minus the work of drives and belts, plus the energy that
 * goes into components. */
int tn_delassus_strike(tn_delassus *b, double *lost)
{
    const tn_session *session = b->session;
    const tn_system *s = session->system;
    double driven = 0;
    TN_TRY(tn_delassus_drive_work(b, &driven));
    *lost += tn_delassus_loss(b) - driven - belt_work(b);
    TN_TRY(tn_delassus_tell(b, lost));
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < s->velocities; j++)
            b->y[s->positions + j] += b->p[i] * b->A[i * s->velocities + j];
    return tn_delassus_load(b, session->stepper->t, b->y);
}

/* Returns the sum of the absolute energies (J) that the impulses p exchange: a scale for round-off. */
static double size_of(const tn_delassus *b)
{
    double sum = 0;
    for (int i = 0; i < b->rows; i++)
        sum += fabs(b->p[i] * b->b[i]) + b->p[i] * b->p[i] * b->W[i * (b->rows + 1)];
    return sum;
}

/* Applies an impact: checks its energy loss, makes its entries, changes the velocities. */
static int strike(tn_delassus *b, double *lost)
{
    TN_TRY(tn_laws_check_loss(b->session, b->unilaterals[0], tn_delassus_loss(b), size_of(b)));
    TN_TRY(report(b, tn_delassus_loss(b)));
    return tn_delassus_strike(b, lost);
}

void tn_delassus_find_stop(tn_delassus *b, int rows)
{
    memset(b->p, 0, (size_t)b->rows * sizeof(double));
    for (int i = 0; i < rows; i++) {
        b->part_b[i] = -b->b[b->numbers[i]];
        for (int j = 0; j < rows; j++)
            b->part_W[i + j * rows] = b->W[b->numbers[i] + b->numbers[j] * b->rows];
    }
    tn_semidefinite_solve(rows, b->part_W, b->part_b, b->part_p, DEPENDENT);
    for (int i = 0; i < rows; i++)
        b->p[b->numbers[i]] = b->part_p[i];
}

/* Tells whether no contact approaches fast enough to rebound. */
static bool is_gentle(const tn_delassus *b, const double *resting)
{
    for (int k = 0; k < b->count; k++)
        if (b->b[b->contacts[k].row] < -resting[k])
            return false;
    return true;
}

/* After an impact without rebound: stops contacts that separate more slowly than the resting speed, so that rocking
 * bodies come to rest. Sticking contacts stay sticking. */
static int stop_slow_separation(tn_delassus *b, const double *resting, double *lost)
{
    int rows = 0;
    bool parts = false;
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        if (b->b[c->row] > resting[k])
            continue;
        bool sticks = tn_norm2(c->tangents, b->b + c->row + 1) <= TN_UNILATERAL_NO_SLIP;
        parts = parts || b->b[c->row] > 0;
        for (int r = 0; r <= (sticks ? c->tangents : 0); r++)
            b->numbers[rows++] = c->row + r;
    }
    if (!parts)
        return TN_OK;
    tn_delassus_find_stop(b, rows);
    return tn_delassus_strike(b, lost);
}

static tn_restitution restitution_of(const tn_session *s, const tn_unilateral *g)
{
    const tn_contact_def *law = g->limit < 0 ? tn_touch_def(s, &g->touch) : NULL;
    return (tn_restitution){ .value = g->restitution, .tangential = law ? law->tangential_restitution : 0,
                             .count = law ? law->restitution_count : 0, .speeds = law ? law->restitution_speeds : NULL,
                             .values = law ? law->restitutions : NULL };
}

/* Notes the approaches of all constraints. The fastest of a contact is that of all contacts: their speeds can be compared. */
static void note_approaches(tn_delassus *b)
{
    tn_unilaterals *all = b->session->unilaterals;
    for (int k = 0; k < b->count; k++) {
        tn_unilateral *g = b->unilaterals[k];
        g->fastest = fmax(g->fastest, -b->b[b->contacts[k].row]);
        all->fastest = fmax(all->fastest, g->limit < 0 ? g->fastest : 0);
    }
    for (int k = 0; k < b->count; k++)
        if (b->unilaterals[k]->limit < 0)
            b->unilaterals[k]->fastest = all->fastest;
}

static int collide(tn_delassus *b, double *lost)
{
    size_t n = (size_t)b->count;
    tn_restitution *restitution = tn_arena_alloc(b->arena, 2 * n, sizeof *restitution);
    double *resting = tn_arena_alloc(b->arena, n, sizeof(double)), *unit = tn_arena_alloc(b->arena, n, sizeof(double));
    double *work = tn_arena_alloc(b->arena, (size_t)tn_collision_doubles(b->rows), sizeof(double));
    tn_cone_contact *group = tn_arena_alloc(b->arena, n, sizeof *group);
    int *members = tn_arena_alloc(b->arena, n, sizeof *members);
    TN_TRY(tn_arena_status(b->arena));
    note_approaches(b);
    for (int k = 0; k < b->count; k++) {
        tn_unilateral *g = b->unilaterals[k];
        unit[k] = isnan(b->session->solve.resting_speed) ? g->fastest : 1;
        restitution[k] = restitution_of(b->session, g);
        resting[k] = tn_unilateral_resting_speed(b->session, g);
        b->contacts[k].slides = false;
        b->contacts[k].mu = g->law.sliding;
    }
    tn_collision collision = { { b->rows, b->W, b->b, b->contacts, b->count }, restitution, resting, unit, b->p, b->w, work,
                               b->numbers, group, restitution + n, members };
    if (tn_collision_solve(&collision, b->session->solve.impact) < 0)
        return stuck(b->session, b->unilaterals[0], "no impulse stops it: joints or drives force it on");
    bool gentle = is_gentle(b, resting);
    TN_TRY(strike(b, lost));
    return gentle ? stop_slow_separation(b, resting, lost) : TN_OK;
}

/* Where friction increases the normal force that causes it, finite forces may not exist (Painleve's paradox). Then an
 * impulse stops the sliding contacts: the impulse of an impact with a very slow approach. */
static int jam(tn_delassus *b, double *lost)
{
    for (int k = 0; k < b->count; k++) {
        tn_cone_contact *c = &b->contacts[k];
        b->part_b[c->row] = b->b[c->row] - JAM * tn_norm2(c->tangents, b->b + c->row + 1);
        memcpy(b->part_b + c->row + 1, b->b + c->row + 1, (size_t)c->tangents * sizeof(double));
        c->slides = false;
        c->mu = b->unilaterals[k]->law.sliding;
    }
    tn_cone_problem problem = { b->rows, b->W, b->part_b, b->contacts, b->count };
    memset(b->p, 0, (size_t)b->rows * sizeof(double));
    if (tn_cone_solve(b->p, b->w, &problem, b->work, b->numbers) < 0)
        return TN_ERROR_STEP;
    return strike(b, lost);
}

/* Tells whether the slip of a contact ends: it will stick, or it slips slowly against its future slip direction. */
static bool slip_ends(const tn_delassus *b, int k, tn_unilateral_mode mode)
{
    const tn_cone_contact *c = &b->contacts[k];
    const double *slip = b->eval->gdot + b->first + c->row + 1;
    double forward = 0;
    for (int t = 0; t < c->tangents; t++)
        forward += slip[t] * c->slip[t];
    return mode == TN_UNILATERAL_STICKS || (mode == TN_UNILATERAL_SLIDES && !c->slides && forward < 0);
}

/* Lists in numbers the rows that these modes require to be at rest. moves: some of these rows are moving. */
static int list_stops(tn_delassus *b, const tn_unilateral_mode *modes, bool *moves)
{
    const double *v = b->eval->gdot + b->first;
    int rows = 0;
    *moves = false;
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        bool ends = slip_ends(b, k, modes[k]);
        if (modes[k] == TN_UNILATERAL_OPEN && v[c->row] >= 0)
            continue;
        b->numbers[rows++] = c->row;
        for (int t = 1; t <= c->tangents && ends; t++) {
            *moves = *moves || (c->tangents == 2 && fabs(v[c->row + t]) > TN_UNILATERAL_NO_SLIP / 2);
            b->numbers[rows++] = c->row + t;
        }
    }
    return rows;
}

/* Tells whether a constraint approaches although a force along its row moves nothing. */
static bool blocked(const tn_delassus *b)
{
    for (int k = 0; k < b->count; k++) {
        int row = b->contacts[k].row;
        if (b->W[row * (b->rows + 1)] <= 0 && b->b[row] < 0)
            return true;
    }
    return false;
}

void tn_unilaterals_note_solved(tn_session *s, bool solved)
{
    if (solved || s->summary.unsolved++ > 0)
        return;
    tn_warn(s->context, TN_NOWHERE, "forces of contacts at t = %.9g s are found only nearly: friction and loads allow "
            "no exact solution there, or none was found", s->stepper->t);
}

/* Decides modes; where none are found, applies an impulse (jam) and decides again. */
static int decide_or_jam(tn_delassus *b, tn_unilateral_mode *modes, double *lost, bool *solved)
{
    TN_TRY(tn_unilaterals_decide(b, modes, solved));
    if (!*solved) {
        tn_delassus_velocities(b);
        TN_TRY(jam(b, lost));
        TN_TRY(tn_unilaterals_decide(b, modes, solved));
    }
    return *solved || !blocked(b) ? TN_OK : TN_ERROR_STEP;
}

/* Decides modes, and stops slow motions that contradict them. solved: forces and accelerations agree exactly with the
 * modes. */
static int decide_and_stop(tn_delassus *b, tn_unilateral_mode *modes, double *lost, bool *solved)
{
    bool moves;
    TN_TRY(decide_or_jam(b, modes, lost, solved));
    for (int k = 0; k <= b->count; k++) {
        tn_delassus_velocities(b);
        int rows = list_stops(b, modes, &moves);
        if (!moves && !approaches(b))
            break;
        tn_delassus_find_stop(b, rows);
        TN_TRY(tn_delassus_strike(b, lost));
        TN_TRY(decide_or_jam(b, modes, lost, solved));
    }
    return TN_OK;
}

/* ---- a mode change ---- */

static bool takes_part(const tn_unilateral *g)
{
    return g->mode != TN_UNILATERAL_OPEN || g->gap <= TN_UNILATERAL_TOUCHES;
}

static int gather(tn_session *s, tn_unilateral **list)
{
    int count = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        tn_unilateral_measure(g, s);
        if (takes_part(g))
            list[count++] = g;
    }
    return count;
}

/* Sets the direction for which friction acts against d at the present slip (tn_slide). */
static void put_along(double along[TN_SLIDE_TANGENTS], const double d[], const double slip[])
{
    double forward = slip[0] * d[0] + slip[1] * d[1], across = slip[0] * d[1] - slip[1] * d[0];
    double length = forward + sqrt(TN_SLIDE_CREEP * TN_SLIDE_CREEP - across * across);
    for (int t = 0; t < TN_SLIDE_TANGENTS; t++)
        along[t] = (length * d[t] - slip[t]) / TN_SLIDE_CREEP;
}

/* Stores the modes and the slip directions in the unilateral constraints. */
static void put_modes(tn_delassus *b, const tn_unilateral_mode *modes)
{
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        b->unilaterals[k]->mode = modes[k];
        if (modes[k] == TN_UNILATERAL_SLIDES && c->tangents == 2 && !c->slides)
            put_along(b->unilaterals[k]->along, c->slip, b->eval->gdot + b->first + c->row + 1);
        else
            memcpy(b->unilaterals[k]->along, c->slip, sizeof b->unilaterals[k]->along);
    }
}

/* Tells whether the closed constraints are exactly the ones in force, row by row. */
static bool same_layout(const tn_session *s)
{
    const tn_system *sys = s->system;
    int next = tn_lasting_constraints(sys);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        bool rubs = (g->mode == TN_UNILATERAL_SLIDES && g->friction > 0) || g->law.rolling > 0 || g->law.drilling > 0;
        if (!tn_unilateral_closed(g))
            continue;
        if (g->constraint != next++ || rubs ||
            sys->constraints[g->constraint].rows != (g->mode == TN_UNILATERAL_STICKS ? sys->dimension : 1))
            return false;
    }
    return next == sys->constraint_count;
}

/* Starts the stepper at a state, with the equations of the closed constraints. */
static int start_at(tn_session *s, const double *y)
{
    tn_stepper *st = s->stepper;
    TN_TRY(same_layout(s) ? tn_stepper_start(st, st->t, y, y + s->system->positions, st->memory) : tn_unilaterals_attach(s, y));
    s->eval_current = s->at_rest = false;
    return tn_work_begin(s);
}

/* Starts the stepper with these modes at the operator's state. */
static int start_with_modes(tn_session *s, tn_delassus *b, const tn_unilateral_mode *modes)
{
    put_modes(b, modes);
    tn_delassus_remember(b);
    int code = start_at(s, b->y);
    return code == TN_ERROR_STEP ? stuck(s, b->unilaterals[0], "no accelerations after it closed or opened") : code;
}

/* Where no modes have compatible forces, opens all constraints and begins time stepping. Where time stepping cannot
 * help, keeps the nearest modes until the next impact or mode change. */
static int leave_to_time_steps(tn_session *s, const tn_delassus *b, tn_unilateral_mode *modes, bool solved)
{
    bool helps = false;
    if (!solved)
        TN_TRY(tn_time_step_helps(s, &helps));
    if (!helps) {
        tn_unilaterals_note_solved(s, solved);
        return TN_OK;
    }
    for (int k = 0; k < b->count; k++)
        modes[k] = TN_UNILATERAL_OPEN;
    tn_time_steps_begin(s, "friction and loads leave no forces that obey the laws of contact, or none were found", false);
    return TN_OK;
}

static int settle(tn_session *s, tn_delassus *b)
{
    tn_unilateral_mode *modes = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *modes);
    double lost = 0;
    bool solved;
    if (!modes)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_delassus_load(b, s->stepper->t, s->stepper->y));
    TN_TRY(tn_impact_stop_renewed(b, ROLLING, &lost));
    if (approaches(b))
        TN_TRY(collide(b, &lost));
    TN_TRY(tn_impact_stop_hops(b, &lost));
    int code = decide_and_stop(b, modes, &lost, &solved);
    if (code == TN_ERROR_STEP)
        return stuck(s, b->unilaterals[0], "no forces keep what touches from moving into each other: joints or drives force "
                     "it");
    TN_TRY(code);
    TN_TRY(leave_to_time_steps(s, b, modes, solved));
    for (int k = 0; k < b->count && s->unilaterals->rounds > LOSE_PATIENCE && solved; k++)
        if (modes[k] == TN_UNILATERAL_OPEN && b->unilaterals[k]->limit < 0)
            modes[k] = TN_UNILATERAL_RESTS;
    TN_TRY(start_with_modes(s, b, modes));
    s->work -= lost;
    return TN_OK;
}

/* Touches of rims are decided anew as they move along the rim, and others that do not bounce where they pass from feature to feature:
 * time steps are cheaper. One smooth surface that rolls is decided anew every 0.002 rad, which is not: forces and motion go on. */
static double patience(tn_unilateral *const *list, int count)
{
    const double bounces = 0.5;                        /* least restitution for which a touch comes to rest in 20 bounces or more */
    const double rolls = 8;
    for (int k = 0; k < count; k++)
        if (list[k]->limit < 0 && (tn_touch_on_rim(&list[k]->touch) || list[k]->restitution < bounces))
            return count == 1 && list[k]->touch.kind == TN_TOUCH_SMOOTH ? rolls : 1;
    return fmin(fmax(PATIENCE / fmax((double)count * count, 1), 1), MOST_PATIENCE);
}

static int act_on_impacts(tn_session *s, tn_arena *scratch)
{
    tn_stepper *st = s->stepper;
    tn_delassus delassus;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(tn_touches_update(s));
    tn_unilateral **list = tn_arena_alloc(scratch, s->unilaterals->count, sizeof *list);
    if (!list)
        return TN_ERROR_MEMORY;
    int count = gather(s, list);
    s->unilaterals->crowd += 1 / patience(list, count);
    if (count == 0)                                    /* the last touch has ended, or a ratchet has turned back between two teeth */
        return same_layout(s) ? TN_OK : start_at(s, st->y);
    TN_TRY(tn_delassus_open(&delassus, s, list, count));
    int code = settle(s, &delassus);
    tn_delassus_close(&delassus);
    return code;
}

/* Calls act_on_impacts; restores the unilateral constraints when it fails. */
static int act_or_restore(tn_session *s, tn_arena *scratch)
{
    tn_unilaterals *g = s->unilaterals;
    size_t count = g->count;
    tn_unilateral *before = tn_arena_alloc(scratch, count, sizeof *before);
    if (!before)
        return TN_ERROR_MEMORY;
    if (count > 0)
        memcpy(before, g->items, count * sizeof *before);
    int code = act_on_impacts(s, scratch);
    if (code == TN_OK) {
        tn_touches_compact(s);
        return TN_OK;
    }
    g->count = count;
    if (count > 0)
        memcpy(g->items, before, count * sizeof *before);
    return code;
}

/* Tells whether mode decisions are too frequent; act_on_impacts counts them. */
static bool is_crowded(tn_unilaterals *g, double t)
{
    g->rounds = g->last == t ? g->rounds + 1 : 0;
    g->crowd = fmax(g->crowd - (t - g->last) * CROWD_LEAVES, 0);
    g->last = t;
    return g->crowd > CROWD - 1 || g->rounds > MOST_ROUNDS;
}

/* Tells whether so many contacts touch that a decision of the event-driven method takes longer than many time steps. */
static bool is_large_heap(const tn_session *s)
{
    size_t touching = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        touching += s->unilaterals->items[k].limit < 0;
    return touching > TN_LARGE_HEAP && s->solve.contact == TN_CONTACT_AUTOMATIC;
}

static int endless(const tn_session *s)
{
    const tn_unilateral *g = &s->unilaterals->items[0];
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (s->unilaterals->items[k].mode != TN_UNILATERAL_OPEN || s->unilaterals->items[k].gap <= TN_UNILATERAL_TOUCHES)
            g = &s->unilaterals->items[k];
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, g), "'%s' and others close and open without end at t = "
                   "%.9g s; the state is kept; a larger 'resting_speed' in 'solve' may end it", g->name, s->stepper->t);
}

/* Checks that the forces of the new modes obey the laws of contact; otherwise begins time stepping. */
static int check_decision(tn_session *s)
{
    bool helps;
    if (s->system->constraint_count == tn_lasting_constraints(s->system))
        return TN_OK;
    TN_TRY(tn_session_evaluate(s));
    if (s->unilaterals->lawful)
        return TN_OK;
    TN_TRY(tn_time_step_helps(s, &helps));
    if (!helps)
        return TN_OK;                                  /* tn_laws_check reports the violation */
    TN_TRY(tn_unilaterals_let_go(s));
    tn_time_steps_begin(s, "no equations of contacts were found whose forces obey the laws of contact", false);
    return TN_OK;
}

int tn_unilaterals_act(tn_session *s)
{
    bool large = is_large_heap(s);
    if (is_crowded(s->unilaterals, s->stepper->t) || large) {
        bool helps;
        TN_TRY(tn_time_step_helps(s, &helps));
        if (helps) {
            TN_TRY(tn_unilaterals_let_go(s));
            s->unilaterals->crowd = fmax(s->unilaterals->crowd, CROWD);    /* a few decisions afterwards count as a crowd */
            tn_time_steps_begin(s, large ? "very many contacts touch" : "their changes crowd", large);
            return TN_OK;
        }
        if (s->unilaterals->rounds > 2 * MOST_ROUNDS)
            return endless(s);
    }
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = act_or_restore(s, s->scratch);
    tn_arena_release(s->scratch, &mark);
    TN_TRY(code);
    return s->unilaterals->held ? TN_OK : check_decision(s);
}
