/* Closes joints that are new or have changed: counts the turns of their angles anew, moves the bodies together where that is
 * allowed, and removes velocities that the joints do not allow by an impulse. */
#include "close_joints.h"

#include <math.h>
#include <string.h>
#include "assemble.h"
#include "diag.h"

/* m or rad: gaps up to this size are closed by projection, like drift. */
static const double CLOSED = 1e-9;
static const double TURN = 6.28318530717958647692;     /* rad */
static const double MESHED = 1e-9;                      /* rad: smaller differences of gaps are round-off */

int tn_joining_begin(tn_joining *n)
{
    const tn_system *s = n->system;
    n->q = tn_arena_alloc(n->arena, (size_t)s->positions, sizeof(double));
    n->moved = tn_arena_alloc(n->arena, (size_t)s->positions, sizeof(double));
    n->v = tn_arena_alloc(n->arena, (size_t)(s->velocities + s->states), sizeof(double));
    n->memory = tn_arena_alloc(n->arena, (size_t)s->memory, sizeof(double));
    n->fresh = tn_arena_alloc(n->arena, (size_t)s->constraint_count, sizeof(bool));
    return n->q && n->moved && n->v && n->memory && n->fresh ? TN_OK : TN_ERROR_MEMORY;
}

static int refuse_gaps(tn_joining *n, const double *gaps)
{
    for (int i = 0; i < n->system->constraint_count; i++)
        if (n->fresh[i] && gaps[i] > n->gap_tolerance)
            return tn_fail(n->system->context, TN_ERROR_ASSEMBLY, tn_constraint_span(n->system, i),
                           "joint '%s' is %.3g (m or rad) apart; say 'closing: snap' to move the bodies together, or "
                           "give a point with 'at' to join them where they are", tn_constraint_name(n->system, i),
                           gaps[i]);
    return TN_OK;
}

/* Residuals of all rows at n->q, with turn (rad) added to an entry of the memory that counts an angle. */
static void residuals(tn_joining *n, int entry, double turn, double *g)
{
    tn_eval *e = n->stepper->eval;
    double kept = n->memory[entry];
    n->memory[entry] += turn;
    tn_eval_constraints(e, n->system, n->memory, 0, false);
    n->memory[entry] = kept;
    memcpy(g, e->g, (size_t)n->system->rows * sizeof(double));
}

static bool force_counts(const tn_system *s, int entry)
{
    for (int k = 0; k < s->force_count; k++)
        for (int i = 0; i < s->forces[k].formula->memory_count; i++)
            if (s->forces[k].formula->memory[i] == entry)
                return true;
    return false;
}

/* Number of whole turns of an entry of the memory that bring a row closest to zero; 0 also when another row or a force
 * depends on the entry. left: remaining residual of the row. */
static double turns_of(tn_joining *n, int row, int entry, double *work, double *left)
{
    const tn_system *s = n->system;
    double *now = work, *turned = work + s->rows, change = 0;
    residuals(n, entry, 0, now);
    residuals(n, entry, TURN, turned);
    for (int r = 0; r < s->rows; r++) {
        if (r == row)
            change = turned[r] - now[r];
        else if (turned[r] != now[r])
            return 0;
    }
    double turns = change != 0 && !force_counts(s, entry) ? -round(now[row] / change) : 0;
    *left = fabs(now[row] + turns * change);
    return turns;
}

/* A new mesh counts the angles of the line of centres in both gears. An angle of half a turn may come out with either
 * sign: whole turns are added to both so that the mesh closes best. */
static void count_mesh_turns(tn_joining *n, const tn_constraint *c, double *work)
{
    static const double others[] = { 0, 1, -1 };
    double best = INFINITY, turns[2] = { 0, 0 }, *second = &n->memory[c->memory[1]], kept = *second;
    for (size_t k = 0; k < TN_LENGTH(others); k++) {
        double left = INFINITY;
        *second = kept + TURN * others[k];
        double first = turns_of(n, c->row, c->memory[0], work, &left);
        if (left < best - MESHED) {
            best = left;
            turns[0] = first;
            turns[1] = others[k];
        }
    }
    *second = kept + TURN * turns[1];
    n->memory[c->memory[0]] += TURN * turns[0];
}

/* Adds whole turns to the counted angles of new couplings and drives, so that gears mesh at their present angles and do
 * not turn back. */
int tn_joining_count_turns(tn_joining *n)
{
    const tn_system *s = n->system;
    double *work = tn_arena_alloc(n->arena, 2 * (size_t)s->rows, sizeof(double));
    if (!work)
        return TN_ERROR_MEMORY;
    tn_eval_motion(n->stepper->eval, s, n->t, n->q, n->v);
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_constraint *c = &s->constraints[i];
        double best = INFINITY, turns = 0, left;
        int entry = -1;
        bool couples = tn_constraint_joint(s, i)->term_count > 0;
        int entries = n->fresh[i] && couples ? c->program->memory_count : 0;
        if (n->fresh[i] && !couples && c->program && c->program->memory_count == 2)
            count_mesh_turns(n, c, work);
        for (int k = 0; k < entries; k++) {
            double found = turns_of(n, c->row, c->memory[k], work, &left);
            if (found == 0 || left >= best)
                continue;
            best = left;
            turns = found;
            entry = c->memory[k];
        }
        if (entry >= 0)
            n->memory[entry] += TURN * turns;
    }
    return TN_OK;
}

/* Closes new joints without gaps by an impulse only, with the factorization of the new stepper. */
static int close_velocities(tn_joining *n)
{
    tn_stepper *st = n->stepper;
    const tn_system *s = n->system;
    double t = n->t, *v = st->y + s->positions;
    TN_TRY(tn_stepper_start(st, t, n->q, n->v, n->memory));
    st->rule = TN_RANK_KEEP;
    TN_TRY(tn_project_positions(st, t, st->y));
    TN_TRY(tn_project_velocities(st, t, st->y, v));
    memcpy(n->q, st->y, (size_t)s->positions * sizeof(double));
    memcpy(n->v, v, (size_t)(s->velocities + s->states) * sizeof(double));
    return TN_OK;
}

static double largest(const double *gaps, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, gaps[i]);
    return most;
}

static void measure_gaps(tn_joining *n, double *gaps)
{
    tn_eval *e = n->stepper->eval;
    tn_eval_motion(e, n->system, n->t, n->q, n->v);
    tn_eval_constraints(e, n->system, n->memory, 0, false);
    for (int i = 0; i < n->system->constraint_count; i++)
        gaps[i] = tn_eval_gap(e, n->system, i);
}

int tn_joining_close(tn_joining *n, bool snap)
{
    const tn_system *s = n->system;
    const tn_scheme_type *scheme = n->stepper->scheme;
    const bool state = n->given != NULL;
    tn_assembly a = { .coupling = n->coupling, .t = n->t, .q = n->q, .v = n->v, .memory = n->memory, .given = n->given,
                      .moving = n->moving,
                      .before = tn_arena_alloc(n->arena, (size_t)s->constraint_count, sizeof(double)),
                      .after = tn_arena_alloc(n->arena, (size_t)s->constraint_count, sizeof(double)) };
    if (!a.before || !a.after)
        return TN_ERROR_MEMORY;
    measure_gaps(n, a.before);
    if (!state && largest(a.before, s->constraint_count) <= CLOSED && !scheme->accelerate && !scheme->step) {
        TN_TRY(tn_system_check_conditions(s, n->stepper->eval, n->memory));
        return close_velocities(n);
    }
    if (!snap && !state)
        TN_TRY(refuse_gaps(n, a.before));
    TN_TRY(tn_assemble(&a, s, n->stepper->chosen, TN_ASSEMBLE_PROJECT, n->gap_tolerance));
    tn_eval_motion(n->stepper->eval, s, a.t, n->q, n->v);
    return tn_system_check_conditions(s, n->stepper->eval, n->memory);
}

double tn_joining_displacement(const tn_joining *n)
{
    double most = 0;
    for (int b = 0; b < n->system->body_count; b++)
        for (int k = 0; k < n->system->dimension; k++) {
            int at = n->system->bodies[b].q + k;
            most = fmax(most, fabs(n->q[at] - n->moved[at]));
        }
    return most;
}

tn_saddle_info tn_joining_rank(const tn_stepper *st)
{
    tn_saddle_info info = { .rank = -1 };
    if (!st->scheme->accelerate)
        st->solver->info(st->saddle, &info);
    return info;
}

void tn_joining_tell_rank(tn_ack *ack, const tn_saddle_info *was, const tn_stepper *st)
{
    const tn_saddle_info is = tn_joining_rank(st);
    int excess_before = was->rows - was->rank, excess = is.rows - is.rank;
    size_t used = strlen(ack->text);
    if (was->rank >= 0 && is.rank >= 0 && excess > excess_before)
        snprintf(ack->text + used, sizeof ack->text - used,
                 "; %d of the equations are redundant: reactions are not unique", excess - excess_before);
}
