/* Where Newton's method of assembly begins. A body without a given pose may be far from where it belongs, or in a position in
 * which its joints cannot move it the way they should (a leg of length zero). So there are several attempts, until the joints
 * close and the bodies with a given pose have not moved:
 *     1. all bodies move, from the start that the caller has;
 *     2. bodies of which only the orientation is given are placed by their joints, turned as they are, and all bodies move;
 *     3. bodies without a pose are placed level by level, unless a joint has a guess; those with a pose are held;
 *     4. from the start that the caller has, those with a pose are held;
 *     5. bodies without a pose are placed level by level, and all bodies move;
 * Of the attempts that close, the one counts in which bodies with a pose move least. Where none closes, and in models in which all bodies
 * have poses, the bodies are turned from where they were given, further and further: Newton's method stops where no motion lessens the gaps
 * at once, as of a link that points along the way its end is to go. */
#include "allowances.h"
#include "assemble_impl.h"

#include <math.h>
#include <string.h>

static const double MOVED = 1e-6;              /* m, rad or part of a quaternion: a larger change counts as moved */
/* Turned starts that are tried, in large models fewer; rad: how far the last one turns bodies with a pose and bodies without one. */
enum { TURNED_STARTS = 16, TURNED_STARTS_OF_MANY = 3, MANY_BODIES = 200 };
static const double TURN_PLACED = 0.5, TURN_UNPLACED = 3.14159265358979323846;
static const double GOLDEN = 0.61803398874989485;      /* its multiples are spread evenly over the fractions */

typedef struct attempts {
    assembler *as;
    double *begin, *memory;        /* the start that the caller has; angles to count turns from */
    double *q, *counted;           /* result of the best attempt so far; when none closes, of the first */
    int steps;                     /* of Newton's method, of it */
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

static bool is_free(const assembler *as, int body)
{
    return as->a->place_free && as->a->place_free[body];
}

static bool has_free(const assembler *as)
{
    for (int b = 0; b < as->system->body_count; b++)
        if (is_free(as, b))
            return true;
    return false;
}

/* The largest change of a coordinate that is given, of bodies with a pose. */
static double change_of_placed(const assembler *as)
{
    const tn_system *s = as->system;
    double most = 0;
    for (int b = 0; b < s->body_count; b++) {
        int end = b + 1 < s->body_count ? s->bodies[b + 1].q : s->positions;
        for (int k = s->bodies[b].q + (is_free(as, b) ? s->dimension : 0); k < end && as->a->placed && as->a->placed[b]; k++)
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
    t->steps = as->a->steps;
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
    int code = tn_assembly_close(as);
    if (code == TN_OK)
        judge(t, false);
    return code == TN_ERROR_STEP ? TN_OK : code;       /* a pose in which nothing can be computed does not count */
}

/* Goes back to the best attempt, and to rows that hold no body. */
static int take_best(attempts *t)
{
    assembler *as = t->as;
    memcpy(as->a->q, t->q, (size_t)as->system->positions * sizeof(double));
    memcpy(as->a->memory, t->counted, (size_t)as->system->memory * sizeof(double));
    as->a->steps = t->steps;
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

/* Turns all bodies of the given start, in the attempt of this number. */
static void turn_start(const assembler *as, int number, int most, double *q)
{
    const tn_system *s = as->system;
    int place = 0;
    memset(as->delta, 0, (size_t)s->velocities * sizeof(double));
    for (int b = 0; b < s->body_count; b++) {
        const bool placed = !as->a->placed || as->a->placed[b];
        const double reach = (placed ? TURN_PLACED : TURN_UNPLACED) * number / most;
        for (int k = s->bodies[b].v + s->dimension; k < s->structure.body_column[b + 1]; k++)
            as->delta[k] = reach * (2 * fmod(GOLDEN * number * ++place, 1) - 1);
    }
    tn_position_move(s, as->given, as->delta, q);
}

static int attempt_turned(attempts *t, double *q)
{
    const int most = t->as->system->body_count > MANY_BODIES ? TURNED_STARTS_OF_MANY : TURNED_STARTS;
    for (int k = 1; k <= most && !t->closed; k++) {
        turn_start(t->as, k, most, q);
        TN_TRY(attempt(t, q, false));
    }
    return TN_OK;
}

static bool has_guess(const tn_system *s)
{
    for (int i = 0; i < s->constraint_count; i++)
        if (tn_constraint_joint(s, i)->guess)
            return true;
    return false;
}

static int attempt_by_levels(attempts *t, double *by_levels, double *velocities)
{
    const assembler *as = t->as;
    TN_TRY(tn_system_start_by_levels(as->system, by_levels, velocities));
    copy_bodies(as->system, as->a->placed, as->given, by_levels);
    if (!has_guess(as->system))
        TN_TRY(attempt(t, by_levels, true));
    if (!is_done(t))
        TN_TRY(attempt(t, t->begin, true));
    return is_done(t) ? TN_OK : attempt(t, by_levels, false);
}

int tn_assembly_find_start(assembler *as)
{
    const tn_system *s = as->system;
    attempts t;
    if (!tn_system_allows(s, TN_ALLOW_OTHER_STARTS))
        return tn_assembly_close(as);
    TN_TRY(begin_attempts(&t, as));
    TN_TRY(tn_assembly_close(as));
    judge(&t, true);
    if (is_done(&t) || (t.closed && !has_unplaced(as) && !has_free(as)))
        return TN_OK;
    double *q = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    double *velocities = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    TN_TRY(tn_arena_status(as->arena));
    if (has_free(as)) {
        TN_TRY(tn_system_start_by_turns(s, q, velocities));
        TN_TRY(attempt(&t, q, false));
    }
    if (has_unplaced(as) && !is_done(&t))
        TN_TRY(attempt_by_levels(&t, q, velocities));
    if (!t.closed && as->a->search)
        TN_TRY(attempt_turned(&t, q));
    return take_best(&t);
}
