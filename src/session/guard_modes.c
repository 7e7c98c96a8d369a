/* What happens where guards touch: impacts, and which of them are in force from then on.
 *
 * Of those whose gap and rate vanish, complementarity of forces and accelerations tells which press, stick and slide.
 * Where their rows depend on each other there are many solutions; guards are left out (they rest) until those that are
 * in force have a unique one, all of it pressing. */
#include "guard_modes.h"
#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "impact.h"

/* Forces and sliding accelerations below this part of the largest are none. */
static const double NOTHING = 1e-11;
/* Velocities below this part of the fastest one, and this in m/s or rad/s, are none. */
static const double STILL = 1e-9, STILL_AT_ALL = 1e-14;
/* Impacts that change no velocity by more than this part of the fastest of the mechanism, and this in m/s or rad/s, are
 * not worth an entry. */
static const double FAINT = 1e-11, FAINT_AT_ALL = 1e-12;
/* Columns are dependent when this part of them is left. */
static const double DEPENDENT = 1e-9;
/* Approach of what jams, as part of its slip. */
static const double JAM = 1e-10;
/* Rounds of changes at one instant after which what goes on opening and closing is left alone until it has moved a bit;
 * and after which there is no end. */
static const int LOSE_PATIENCE = 10, MOST_ROUNDS = 100;
/* Slower approaches than this part of a guard's fastest do not rebound; nor do those slower than this, m/s or rad/s. */
static const double RESTING = 1e-6, RESTING_AT_ALL = 1e-9;

double tn_guard_resting_speed(const tn_session *s, const tn_guard *g)
{
    return isnan(s->solve.resting_speed) ? fmax(RESTING * g->fastest, RESTING_AT_ALL) : s->solve.resting_speed;
}

static int stuck(const tn_session *s, const tn_guard *g, const char *why)
{
    return tn_fail(s->context, TN_ERROR_STEP, tn_guard_span(s, g), "'%s' at t = %.9g s: %s", g->name, s->stepper->t,
                   why);
}

/* ---- who bears the load ---- */

/* Columns of forces, orthogonal one by one; of the k-th, upper holds its parts along those before. */
typedef struct columns {
    const tn_cone_problem *problem;
    double *orthogonal, *upper;    /* rows x contacts, contacts x contacts */
    int *contact;                  /* of each column */
    int count;
} columns;

/* What a pressing contact does to all rows: its normal force, with the friction that follows it. */
static void column_of(const tn_cone_problem *k, int contact, double *out)
{
    const tn_cone_contact *c = &k->contacts[contact];
    for (int i = 0; i < k->rows; i++) {
        out[i] = k->W[i + c->row * k->rows];
        for (int t = 0; t < c->tangents && c->slides; t++)
            out[i] -= c->mu * c->slip[t] * k->W[i + (c->row + 1 + t) * k->rows];
    }
}

/* Adds a column; false: it depends on those before, and parts are the factors with which they make it. */
static bool add_column(columns *all, int contact, double *parts)
{
    const tn_cone_problem *k = all->problem;
    int n = all->count, ld = k->contact_count;
    double *v = all->orthogonal + n * k->rows;
    column_of(k, contact, v);
    double whole = tn_norm2(k->rows, v);
    for (int j = 0; j < n; j++) {
        double part = 0;
        for (int i = 0; i < k->rows; i++)
            part += all->orthogonal[i + j * k->rows] * v[i];
        for (int i = 0; i < k->rows; i++)
            v[i] -= part * all->orthogonal[i + j * k->rows];
        parts[j] = all->upper[j + n * ld] = part;
    }
    double left = tn_norm2(k->rows, v);
    if (left <= DEPENDENT * whole) {
        tn_upper_solve(n, all->upper, ld, parts);
        return false;
    }
    for (int i = 0; i < k->rows; i++)
        v[i] /= left;
    all->upper[n + n * ld] = left;
    all->contact[all->count++] = contact;
    return true;
}

/* The load moves from contact `last` to those it depends on, as far as none of them pulls; returns the one that is
 * without load then. */
static int shift_load(const columns *all, int last, const double *parts, double *p)
{
    const tn_cone_contact *contacts = all->problem->contacts;
    double step = p[contacts[last].row];
    int empty = last;
    for (int j = 0; j < all->count; j++) {
        double load = p[contacts[all->contact[j]].row];
        if (parts[j] < 0 && load < -parts[j] * step) {
            step = load / -parts[j];
            empty = all->contact[j];
        }
    }
    p[contacts[last].row] -= step;
    for (int j = 0; j < all->count; j++)
        p[contacts[all->contact[j]].row] += parts[j] * step;
    p[contacts[empty].row] = 0;
    return empty;
}

/* Those that press and slide get independent columns; modes of the others become RESTS. */
static int bear(const tn_cone_problem *k, double *p, tn_guard_mode *modes, tn_arena *scratch)
{
    size_t n = (size_t)k->contact_count, rows = (size_t)k->rows;
    columns all = { .problem = k, .orthogonal = tn_arena_alloc(scratch, rows * n, sizeof(double)),
                    .upper = tn_arena_alloc(scratch, n * n, sizeof(double)),
                    .contact = tn_arena_alloc(scratch, n, sizeof(int)) };
    double *parts = tn_arena_alloc(scratch, n, sizeof(double));
    if (!all.orthogonal || !all.upper || !all.contact || !parts)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < k->contact_count; i++) {
        if (modes[i] != TN_GUARD_SLIDES || add_column(&all, i, parts))
            continue;
        int empty = shift_load(&all, i, parts, p);
        modes[empty] = TN_GUARD_RESTS;
        if (empty != i) {                              /* one of those before: begin again without it */
            all.count = 0;
            i = -1;
        }
    }
    return TN_OK;
}

/* ---- complementarity ---- */

/* Chooses the guards that neither part nor approach, with the direction of those that slide. w: velocities. */
static int choose(tn_bench *b, const double *w)
{
    double fastest = 0;
    int count = 0;
    for (int i = 0; i < b->rows; i++)
        fastest = fmax(fastest, fabs(w[i]));
    double still = fmax(STILL * fastest, STILL_AT_ALL);
    for (int k = 0; k < b->count; k++) {
        tn_cone_contact *c = &b->contacts[k];
        double speed = tn_norm2(c->tangents, w + c->row + 1);
        c->slides = speed > fmax(still, c->tangents == 1 ? TN_GUARD_NO_SLIP : TN_SLIDE_CREEP);
        for (int t = 0; t < c->tangents && c->slides; t++)
            c->slip[t] = w[c->row + 1 + t] / speed;
        if (w[c->row] <= still)
            b->chosen[count++] = k;
    }
    return count;
}

static tn_guard_mode mode_of(const tn_cone_problem *problem, int k, const double *p, const double *w)
{
    tn_cone_mode mode = tn_cone_mode_of(problem, k, p, w, NOTHING);
    if (mode == TN_CONE_OPEN)
        return TN_GUARD_OPEN;
    return mode == TN_CONE_SLIDES || problem->contacts[k].tangents == 0 ? TN_GUARD_SLIDES : TN_GUARD_STICKS;
}

/* What does not slide yet will along its acceleration. */
static void begin_slip(tn_cone_contact *contact, const double *acceleration)
{
    double size = tn_norm2(contact->tangents, acceleration);
    contact->slides = true;
    for (int t = 0; t < contact->tangents; t++)
        contact->slip[t] = size > 0 ? acceleration[t] / size : t == 0;
}

/* Forces found last, from the chosen guards' part of the problem or to it. */
static void carry_forces(tn_bench *b, int count, bool to_part)
{
    for (int k = 0; k < count; k++) {
        double *whole = b->forces + b->contacts[b->chosen[k]].row, *part = b->part_p + b->part[k].row;
        size_t size = (size_t)(1 + b->part[k].tangents) * sizeof(double);
        memcpy(to_part ? part : whole, to_part ? whole : part, size);
    }
}

/* Solves again with friction free in all directions, which has a solution: for those that press at least. */
static void forget_slips(tn_bench *b, const tn_cone_problem *problem)
{
    for (int k = 0; k < problem->contact_count; k++)
        b->part[k].slides = false;
    memset(b->part_p, 0, (size_t)problem->rows * sizeof(double));
    (void)tn_cone_solve(b->part_p, b->part_w, problem, b->work, b->numbers);
    for (int k = 0; k < problem->contact_count; k++)
        b->part[k].slides = b->contacts[b->chosen[k]].slides;
}

int tn_guards_decide(tn_bench *b, tn_guard_mode *modes, bool *solved)
{
    int count = choose(b, b->b);
    for (int k = 0; k < b->count; k++)
        modes[k] = TN_GUARD_OPEN;
    *solved = true;
    if (count == 0)
        return TN_OK;
    TN_TRY(tn_bench_accelerations(b));
    tn_cone_problem problem = tn_bench_part(b, count);
    tn_guard_mode *chosen = tn_arena_alloc(b->arena, (size_t)count, sizeof *chosen);
    if (!chosen)
        return TN_ERROR_MEMORY;
    carry_forces(b, count, true);
    *solved = tn_cone_solve(b->part_p, b->part_w, &problem, b->work, b->numbers) == 0;
    if (!*solved)
        forget_slips(b, &problem);
    carry_forces(b, count, false);
    for (int k = 0; k < count; k++) {
        chosen[k] = mode_of(&problem, k, b->part_p, b->part_w);
        if (b->contacts[b->chosen[k]].slides && chosen[k] == TN_GUARD_STICKS)
            chosen[k] = TN_GUARD_SLIDES;
        if (chosen[k] == TN_GUARD_SLIDES && !b->part[k].slides)
            begin_slip(&b->part[k], b->part_w + b->part[k].row + 1);
    }
    TN_TRY(bear(&problem, b->part_p, chosen, b->arena));
    for (int k = 0; k < count; k++) {
        modes[b->chosen[k]] = chosen[k];
        memcpy(b->contacts[b->chosen[k]].slip, b->part[k].slip, sizeof b->part[k].slip);
    }
    return TN_OK;
}

/* ---- impacts ---- */

static int remember(tn_session *s, const tn_impact *impact)
{
    tn_guards *g = &s->guards;
    if (g->impact_count == TN_EVENTS_KEPT)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &g->impacts, &g->impact_capacity, g->impact_count + 1, sizeof *g->impacts));
    g->impacts[g->impact_count++] = *impact;
    return TN_OK;
}

/* Do the impulses p change velocities by no more than round-off? */
static bool is_faint(const tn_bench *b)
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
    return most <= fmax(FAINT * fastest, FAINT_AT_ALL);
}

/* An entry for every guard that got an impulse; the first one tells the loss. */
static int report(tn_bench *b, double loss)
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
        if (b->p[row] <= NOTHING * most)
            continue;
        TN_TRY(remember(s, &(tn_impact){ s->stepper->t, b->guards[k]->name, -b->b[row], b->p[row], loss }));
        loss = 0;
    }
    return TN_OK;
}

static bool approaches(const tn_bench *b)
{
    double fastest = 0, least = 0;
    for (int i = 0; i < b->rows; i++)
        fastest = fmax(fastest, fabs(b->b[i]));
    for (int k = 0; k < b->count; k++)
        least = fmin(least, b->b[b->contacts[k].row]);
    return least < -fmax(STILL * fastest, STILL_AT_ALL);
}

/* J: what the impulses p take. */
static double loss_of(const tn_bench *b)
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

/* The velocities in the bench's state become those after the impulses p; lost: J, added to. */
static int apply(tn_bench *b, double *lost)
{
    const tn_session *session = b->session;
    const tn_system *s = session->system;
    *lost += loss_of(b);
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < s->velocities; j++)
            b->y[s->positions + j] += b->p[i] * b->A[i * s->velocities + j];
    return tn_bench_load(b, session->stepper->t, b->y);
}

/* An impact, with what is known about it. */
static int strike(tn_bench *b, double *lost)
{
    TN_TRY(report(b, loss_of(b)));
    return apply(b, lost);
}

static int collide(tn_bench *b, double *lost)
{
    size_t n = (size_t)b->count;
    double *restitution = tn_arena_alloc(b->arena, n, sizeof(double));
    double *resting = tn_arena_alloc(b->arena, n, sizeof(double));
    double *work = tn_arena_alloc(b->arena, (size_t)tn_collision_doubles(b->rows), sizeof(double));
    if (!restitution || !resting || !work)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < b->count; k++) {
        tn_guard *g = b->guards[k];
        g->fastest = fmax(g->fastest, -b->b[b->contacts[k].row]);
        restitution[k] = g->restitution;
        resting[k] = tn_guard_resting_speed(b->session, g);
        b->contacts[k].slides = false;
        b->session->guards.fastest = fmax(b->session->guards.fastest, g->limit < 0 ? g->fastest : 0);
    }
    tn_collision collision = { { b->rows, b->W, b->b, b->contacts, b->count }, restitution, resting, b->p, b->w, work,
                               b->numbers };
    if (tn_collision_solve(&collision, b->session->solve.impact) < 0)
        return stuck(b->session, b->guards[0], "no impulse stops it: joints or drives force it on");
    return strike(b, lost);
}

/* Friction that presses the harder the more it brakes has no finite solution (Painleve): what slides is stopped by an
 * impulse, that of an impact with next to no approach. */
static int jam(tn_bench *b, double *lost)
{
    for (int k = 0; k < b->count; k++) {
        tn_cone_contact *c = &b->contacts[k];
        b->part_b[c->row] = b->b[c->row] - JAM * tn_norm2(c->tangents, b->b + c->row + 1);
        memcpy(b->part_b + c->row + 1, b->b + c->row + 1, (size_t)c->tangents * sizeof(double));
        c->slides = false;
    }
    tn_cone_problem problem = { b->rows, b->W, b->part_b, b->contacts, b->count };
    memset(b->p, 0, (size_t)b->rows * sizeof(double));
    if (tn_cone_solve(b->p, b->w, &problem, b->work, b->numbers) < 0)
        return TN_ERROR_STEP;
    return strike(b, lost);
}

/* Rows of what neither parts, approaches nor slides, of those that touch: into numbers. creeps: some of them move. */
static int list_still(tn_bench *b, bool *creeps)
{
    int count = choose(b, b->b), rows = 0;
    *creeps = false;
    for (int k = 0; k < count; k++) {
        const tn_cone_contact *c = &b->contacts[b->chosen[k]];
        b->numbers[rows++] = c->row;
        for (int t = 0; t < c->tangents && !c->slides; t++) {
            *creeps = *creeps || (c->tangents == 2 && fabs(b->b[c->row + 1 + t]) > TN_GUARD_NO_SLIP);
            b->numbers[rows++] = c->row + 1 + t;
        }
    }
    return rows;
}

/* The smallest impulse that stops the rows in numbers. */
static void find_stop(tn_bench *b, int rows)
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

/* What creeps is stopped, so that it starts from rest in the direction that forces give it; so is what does not slide
 * any more then, or approaches. */
static int stop_creeping(tn_bench *b, double *lost)
{
    bool creeps;
    for (int k = 0; k <= b->count; k++) {
        int rows = list_still(b, &creeps);
        if (!creeps && (k == 0 || !approaches(b)))
            break;
        find_stop(b, rows);
        TN_TRY(apply(b, lost));
    }
    return TN_OK;
}

/* Does something move into another that no force of it moves at all? */
static bool blocked(const tn_bench *b)
{
    for (int k = 0; k < b->count; k++) {
        int row = b->contacts[k].row;
        if (b->W[row * (b->rows + 1)] <= 0 && b->b[row] < 0)
            return true;
    }
    return false;
}

/* Modes, after an impulse where there are none without. Where even then forces and accelerations agree only nearly,
 * what comes nearest counts: the next impact or change decides anew. */
static int decide_or_jam(tn_bench *b, tn_guard_mode *modes, double *lost)
{
    bool solved;
    TN_TRY(stop_creeping(b, lost));
    TN_TRY(tn_guards_decide(b, modes, &solved));
    if (!solved) {
        memcpy(b->b, b->eval->gdot + b->first, (size_t)b->rows * sizeof(double));
        TN_TRY(jam(b, lost));
        TN_TRY(stop_creeping(b, lost));
        TN_TRY(tn_guards_decide(b, modes, &solved));
    }
    return solved || !blocked(b) ? TN_OK : TN_ERROR_STEP;
}

/* ---- the whole ---- */

static bool takes_part(const tn_guard *g)
{
    return g->mode != TN_GUARD_OPEN || g->gap <= TN_GUARD_TOUCHES;
}

static int gather(tn_session *s, tn_guard **list)
{
    int count = 0;
    for (size_t k = 0; k < s->guards.count; k++) {
        tn_guard *g = &s->guards.items[k];
        tn_guard_measure(g, s);
        if (takes_part(g))
            list[count++] = g;
    }
    return count;
}

/* Makes the modes those of the guards, with the direction of those that slide. */
static void put_modes(tn_bench *b, const tn_guard_mode *modes)
{
    for (int k = 0; k < b->count; k++) {
        b->guards[k]->mode = modes[k];
        memcpy(b->guards[k]->along, b->contacts[k].slip, sizeof b->guards[k]->along);
    }
}

/* Is what is closed now what is in force, row by row? */
static bool same_layout(const tn_session *s)
{
    const tn_system *sys = s->system;
    int next = sys->own_constraints;
    for (size_t k = 0; k < s->guards.count; k++) {
        const tn_guard *g = &s->guards.items[k];
        bool rubs = g->mode == TN_GUARD_SLIDES && g->friction > 0;
        if (!tn_guard_closed(g))
            continue;
        if (g->constraint != next++ || rubs ||
            sys->constraints[g->constraint].rows != (g->mode == TN_GUARD_STICKS ? sys->dimension : 1))
            return false;
    }
    return next == sys->constraint_count;
}

static int go_on(tn_session *s, tn_bench *b, const tn_guard_mode *modes)
{
    tn_stepper *st = s->stepper;
    put_modes(b, modes);
    int code = same_layout(s) ? tn_stepper_start(st, st->t, b->y, b->y + s->system->positions, st->memory)
                              : tn_guards_attach(s, b->y);
    if (code == TN_ERROR_STEP)
        return stuck(s, b->guards[0], "no accelerations after it closed or opened");
    TN_TRY(code);
    s->eval_current = s->at_rest = false;
    return tn_work_begin(s);
}

static int settle(tn_session *s, tn_bench *b)
{
    tn_guard_mode *modes = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *modes);
    double lost = 0;
    if (!modes)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_bench_load(b, s->stepper->t, s->stepper->y));
    if (approaches(b))
        TN_TRY(collide(b, &lost));
    int code = decide_or_jam(b, modes, &lost);
    if (code == TN_ERROR_STEP)
        return stuck(s, b->guards[0], "no forces keep what touches from moving into each other: joints or drives force "
                     "it");
    TN_TRY(code);
    for (int k = 0; k < b->count && s->guards.rounds > LOSE_PATIENCE; k++)
        if (modes[k] == TN_GUARD_OPEN && b->guards[k]->limit < 0)
            modes[k] = TN_GUARD_RESTS;
    TN_TRY(go_on(s, b, modes));
    s->work -= lost;
    return TN_OK;
}

static int act(tn_session *s, tn_arena *scratch)
{
    tn_stepper *st = s->stepper;
    tn_bench bench;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(tn_touches_update(s));
    tn_guard **list = tn_arena_alloc(scratch, s->guards.count, sizeof *list);
    if (!list)
        return TN_ERROR_MEMORY;
    int count = gather(s, list);
    if (count == 0)                                    /* a ratchet has turned back between teeth */
        return TN_OK;
    TN_TRY(tn_bench_open(&bench, s, list, count));
    int code = settle(s, &bench);
    tn_bench_close(&bench);
    return code;
}

/* With the guards as they were when it fails. */
static int act_or_not(tn_session *s, tn_arena *scratch)
{
    tn_guards *g = &s->guards;
    size_t count = g->count;
    tn_guard *before = tn_arena_alloc(scratch, count, sizeof *before);
    if (!before)
        return TN_ERROR_MEMORY;
    if (count > 0)
        memcpy(before, g->items, count * sizeof *before);
    int code = act(s, scratch);
    if (code == TN_OK) {
        tn_touches_compact(s);
        return TN_OK;
    }
    g->count = count;
    if (count > 0)
        memcpy(g->items, before, count * sizeof *before);
    return code;
}

int tn_guards_act(tn_session *s)
{
    tn_guards *g = &s->guards;
    g->rounds = g->last == s->stepper->t ? g->rounds + 1 : 0;
    g->last = s->stepper->t;
    if (g->rounds > MOST_ROUNDS)
        return tn_fail(s->context, TN_ERROR_STEP, TN_NOWHERE,
                       "stops or contacts close and open without end at t = %.9g s; the state is kept", s->stepper->t);
    tn_arena *scratch = tn_arena_create(s->context);
    int code = scratch ? act_or_not(s, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}
