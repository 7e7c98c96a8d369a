/* Where Newton's method of assembly begins. A body without a given pose may be far from where it belongs, or in a position in
 * which its joints cannot move it the way they should (a leg of length zero). So there are several attempts, until the joints
 * close and the bodies with a given pose have not moved:
 *     1. all bodies move, from the start that the caller has;
 *     2. bodies without a pose are placed level by level, unless a joint has a guess; those with a pose are held;
 *     3. from the start that the caller has, those with a pose are held;
 *     4. bodies without a pose are placed level by level, and all bodies move;
 *     5. as long as nothing closes: bodies without a pose are turned at random, always in the same way.
 * Of the attempts that close, the one counts in which bodies with a pose move least. */
#include "assemble_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double MOVED = 1e-6;              /* m, rad or part of a quaternion: a larger change counts as moved */
static const double FAR_TURN = 1;              /* rad: largest turn about an axis of a start at random */
enum { RANDOM_STARTS = 12, MOST_BODIES = 300 };   /* of larger models starts at random would take too long */

typedef struct attempts {
    assembler *as;
    double *begin, *memory;        /* the start that the caller has; angles to count turns from */
    double *q, *counted;           /* result of the best attempt so far; when none closes, of the first */
    bool closed;                   /* it closes */
    double moved;                  /* by so much it moves bodies with a pose */
} attempts;

static bool has_unplaced(const assembler *as)
{
    for (int b = 0; as->a->placed && b < as->system->body_count; b++)
        if (!as->a->placed[b])
            return true;
    return false;
}

/* The largest change of a coordinate of bodies with a given pose. */
static double change_of_placed(const assembler *as)
{
    const tn_system *s = as->system;
    double most = 0;
    for (int b = 0; b < s->body_count; b++) {
        int end = b + 1 < s->body_count ? s->bodies[b + 1].q : s->positions;
        for (int k = s->bodies[b].q; k < end && as->a->placed[b]; k++)
            most = fmax(most, fabs(as->a->q[k] - as->given[k]));
    }
    return most;
}

static bool is_done(const attempts *t)
{
    return t->closed && t->moved <= MOVED;
}

/* Keeps what the last attempt came to, if it is the first or the best. */
static void judge(attempts *t, bool first)
{
    const assembler *as = t->as;
    double gap = 0, moved = change_of_placed(as);
    for (int i = 0; i < as->rows; i++)
        gap = fmax(gap, fabs(as->residual[i]));
    bool closed = gap <= ASSEMBLED, better = closed && (!t->closed || moved < t->moved - MOVED);
    if (!first && !better)
        return;
    t->closed = closed;
    t->moved = moved;
    memcpy(t->q, as->a->q, (size_t)as->system->positions * sizeof(double));
    memcpy(t->counted, as->a->memory, (size_t)as->system->memory * sizeof(double));
}

static void copy_bodies(const tn_system *s, const bool *which, const double *from, double *to)
{
    for (int b = 0; b < s->body_count; b++) {
        int first = s->bodies[b].q, end = b + 1 < s->body_count ? s->bodies[b + 1].q : s->positions;
        if (which[b])
            memcpy(to + first, from + first, (size_t)(end - first) * sizeof(double));
    }
}

static int attempt(attempts *t, const double *from, bool hold)
{
    assembler *as = t->as;
    memcpy(as->a->q, from, (size_t)as->system->positions * sizeof(double));
    if (hold)
        copy_bodies(as->system, as->a->placed, as->given, as->a->q);
    memcpy(as->a->memory, t->memory, (size_t)as->system->memory * sizeof(double));
    as->hold_placed = hold;
    TN_TRY(tn_assembly_begin_level(as, LEVEL_POSITIONS));
    TN_TRY(tn_assembly_close(as));
    judge(t, false);
    return TN_OK;
}

static double random_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 0x1p23 - 1;         /* between -1 and 1 */
}

static int attempt_at_random(attempts *t, double *q, double *turn)
{
    const tn_system *s = t->as->system;
    uint32_t state = 1;
    for (int k = 0; k < RANDOM_STARTS && !t->closed && s->body_count <= MOST_BODIES; k++) {
        memset(turn, 0, (size_t)s->velocities * sizeof(double));
        for (int b = 0; b < s->body_count; b++)
            for (int i = s->bodies[b].v + s->dimension; i < s->structure.body_column[b + 1] && !t->as->a->placed[b]; i++)
                turn[i] = FAR_TURN * random_number(&state);
        tn_position_move(s, q, turn, q);
        TN_TRY(attempt(t, q, true));
        if (!t->closed)
            TN_TRY(attempt(t, q, false));
    }
    return TN_OK;
}

/* Goes back to the best attempt, and to rows that hold no body. */
static int take_best(attempts *t)
{
    assembler *as = t->as;
    memcpy(as->a->q, t->q, (size_t)as->system->positions * sizeof(double));
    memcpy(as->a->memory, t->counted, (size_t)as->system->memory * sizeof(double));
    as->hold_placed = false;
    TN_TRY(tn_assembly_begin_level(as, LEVEL_POSITIONS));
    tn_assembly_evaluate(as, as->a->q, false);
    return TN_OK;
}

static int begin_attempts(attempts *t, assembler *as)
{
    const tn_system *s = as->system;
    *t = (attempts){ .as = as, .begin = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double)),
                     .memory = tn_arena_alloc(as->arena, (size_t)s->memory, sizeof(double)),
                     .q = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double)),
                     .counted = tn_arena_alloc(as->arena, (size_t)s->memory, sizeof(double)) };
    TN_TRY(tn_arena_status(as->arena));
    memcpy(t->begin, as->a->q, (size_t)s->positions * sizeof(double));
    memcpy(t->memory, as->a->memory, (size_t)s->memory * sizeof(double));
    return TN_OK;
}

static bool has_guess(const tn_system *s)
{
    for (int i = 0; i < s->constraint_count; i++)
        if (tn_constraint_joint(s, i)->guess)
            return true;
    return false;
}

static int attempt_all(attempts *t, double *by_levels, double *velocities)
{
    TN_TRY(tn_system_start_by_levels(t->as->system, by_levels, velocities));
    copy_bodies(t->as->system, t->as->a->placed, t->as->given, by_levels);
    if (!has_guess(t->as->system))
        TN_TRY(attempt(t, by_levels, true));
    if (!is_done(t))
        TN_TRY(attempt(t, t->begin, true));
    if (!is_done(t))
        TN_TRY(attempt(t, by_levels, false));
    return t->closed ? TN_OK : attempt_at_random(t, by_levels, velocities);
}

int tn_assembly_find_start(assembler *as)
{
    const tn_system *s = as->system;
    attempts t;
    if (s->component_count > 0 || !has_unplaced(as))
        return tn_assembly_close(as);
    TN_TRY(begin_attempts(&t, as));
    TN_TRY(tn_assembly_close(as));
    judge(&t, true);
    if (is_done(&t))
        return TN_OK;
    double *by_levels = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    double *velocities = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    TN_TRY(tn_arena_status(as->arena));
    TN_TRY(attempt_all(&t, by_levels, velocities));
    return take_best(&t);
}
