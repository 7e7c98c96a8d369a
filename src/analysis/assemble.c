/* Assembly of the start (assemble.h). Start conditions are rows like the rows of joints (assemble_rows.c). Positions:
 * Newton's method with the mass metric,
 *     M delta - G' lambda = 0,  G delta = -g,
 * with limited rotations per step; a step is halved while it increases the residual. Velocities: one linear solve. */
#include "assemble_impl.h"

#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "diag.h"

static const double LARGEST_TURN = 0.5;        /* rad per Newton step */
static const double COMPONENTS_SETTLED = 1e-8; /* a smaller change of components' states counts as converged */
static const int MOST_STEPS = 100, MOST_HALVINGS = 8;
static const int MOST_PASSES = 3, MOST_CONDITION_PASSES = 50;   /* conditions need not be linear in velocities */

/* ---- memory ---- */

int tn_assembly_begin_level(assembler *as, assembly_level level)
{
    const tn_system *s = as->system;
    as->level = level;
    if (as->saddle)
        as->solver->destroy(as->saddle);
    as->saddle = NULL;
    as->solver = as->chosen;
    TN_TRY(tn_assembly_collect(as));
    size_t rows = (size_t)as->rows;
    as->residual = tn_arena_alloc(as->arena, rows, sizeof(double));
    as->u = tn_arena_alloc(as->arena, rows, sizeof(double));
    as->lambda = tn_arena_alloc(as->arena, rows, sizeof(double));
    if (!as->residual || !as->u || !as->lambda)
        return TN_ERROR_MEMORY;
    return tn_coupled_analyze(&as->saddle, &as->solver, as->eval, s, &as->structure, as->jacobian_size, as->arena);
}

static int prepare(assembler *as)
{
    const tn_system *s = as->system;
    TN_TRY(tn_coupled_eval_create(&as->eval, s, as->a->coupling, as->arena, as->solver->takes_pins));
    as->M = tn_arena_alloc(as->arena, s->mass_size, sizeof(double));
    as->given = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    as->zero = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->delta = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->row = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->trial = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    as->tau = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->now = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    as->right = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    TN_TRY(tn_arena_status(as->arena));
    memcpy(as->given, as->a->q, (size_t)s->positions * sizeof(double));
    return tn_assembly_take_given(as);
}

static double norm(const assembler *as)
{
    double sum = 0;
    for (int i = 0; i < as->rows; i++)
        sum += as->residual[i] * as->residual[i];
    return sqrt(sum);
}

/* Counts the turns of a coordinate near its start value, or without a start value near the last pose. */
static void remember(assembler *as)
{
    const tn_system *s = as->system;
    double values[TN_MAX_COORDINATES];
    for (int i = 0; i < s->constraint_count; i++) {
        tn_eval_coordinates(as->eval, s, as->a->memory, i, 0, values);
        memcpy(as->a->memory + s->coordinates[i].memory, values, (size_t)s->coordinates[i].count * sizeof(double));
    }
}

/* ---- Newton ---- */

/* The mass metric: masses times weights. */
static void weigh(assembler *as)
{
    const tn_system *s = as->system;
    memcpy(as->M, as->eval->M, s->mass_size * sizeof(double));
    for (int b = 0; as->a->weight && b < s->body_count; b++) {
        int w = tn_assembly_width(&s->structure, b);
        for (int k = 0; k < w * w; k++)
            as->M[s->structure.mass_offset[b] + (size_t)k] *= as->a->weight[b];
    }
}

/* Computes delta, and in right the corrected states of components. */
static int newton_direction(assembler *as, tn_question question)
{
    const tn_system *s = as->system;
    tn_eval *e = as->eval;
    const double *u = as->u;
    double change = 0;
    for (int i = 0; i < as->rows; i++)
        as->u[i] = -as->residual[i];
    weigh(as);
    TN_TRY(as->solver->factor(as->saddle, as->M, as->G, TN_RANK_DECIDE));
    TN_TRY(tn_coupling_ask(e, s, &as->structure, as->G, question, &u, as->u));
    TN_TRY(as->solver->solve(as->saddle, as->zero, u, as->delta, as->lambda));
    tn_coupling_add_free(e, s, as->delta);
    memset(as->tau, 0, (size_t)s->velocities * sizeof(double));
    tn_coupling_add_reactions(s, &as->structure, as->G, as->lambda, as->tau);
    memcpy(as->right, as->a->v, (size_t)(s->velocities + s->states) * sizeof(double));
    TN_TRY(tn_coupling_take(e, s, question, as->tau, as->right + s->velocities, &change));
    as->settled = change <= COMPONENTS_SETTLED;
    return TN_OK;
}

/* Moves the states of components by a part of their correction. */
static void move_components(const assembler *as, double part, double *v)
{
    const tn_system *s = as->system;
    for (int k = s->velocities; k < s->velocities + s->component_states; k++)
        v[k] = part == 1 ? as->right[k] : as->now[k] + part * (as->right[k] - as->now[k]);
}

static double longest_allowed(const assembler *as)
{
    const tn_system *s = as->system;
    double turn = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = s->bodies[b].v + s->dimension; k < s->structure.body_column[b + 1]; k++)
            turn = fmax(turn, fabs(as->delta[k]));
    return turn > LARGEST_TURN ? LARGEST_TURN / turn : 1;
}

int tn_assembly_close(assembler *as)
{
    const tn_system *s = as->system;
    double *q = as->a->q;
    tn_assembly_evaluate(as, q, false);
    TN_TRY(as->eval->component_code);
    double before = norm(as);
    as->settled = s->component_states == 0;
    for (int step = 0; step < MOST_STEPS && (before > TARGET || !as->settled); step++) {
        TN_TRY(newton_direction(as, TN_ASK_POSITIONS));
        memcpy(as->now, as->a->v, (size_t)(s->velocities + s->states) * sizeof(double));
        double length = longest_allowed(as), part = length, after = INFINITY;
        double *delta = as->delta;
        for (int half = 0; half <= MOST_HALVINGS; half++, length = 0.5, part *= 0.5) {
            for (int k = 0; k < s->velocities; k++)
                delta[k] *= length;
            tn_position_move(s, q, delta, as->trial);
            move_components(as, part, as->a->v);
            tn_assembly_evaluate(as, as->trial, false);
            after = norm(as);
            if (after < before || after <= TARGET)
                break;
        }
        if (!(after < before || after <= TARGET)) {
            move_components(as, 0, as->a->v);
            break;
        }
        memcpy(q, as->trial, (size_t)s->positions * sizeof(double));
        remember(as);
        before = after;
        as->a->steps = step + 1;
    }
    tn_position_normalize(s, q);
    tn_assembly_evaluate(as, q, false);
    return TN_OK;
}

/* Solves for velocities: one pass, or several if conditions or equations are not linear in velocities. */
int tn_assembly_solve_velocities(assembler *as)
{
    int most = as->a->condition_count > 0 ? MOST_CONDITION_PASSES : MOST_PASSES;
    for (int pass = 0; pass < most; pass++) {
        tn_assembly_evaluate(as, as->a->q, true);
        if (norm(as) <= TARGET && (pass > 0 || as->system->component_states == 0))
            return TN_OK;
        TN_TRY(newton_direction(as, TN_ASK_VELOCITIES));
        for (int k = 0; k < as->system->velocities; k++)
            as->a->v[k] += as->delta[k];
        move_components(as, 1, as->a->v);
    }
    tn_assembly_evaluate(as, as->a->q, true);
    return TN_OK;
}

/* ---- given motions ---- */

/* If only the angular velocity of a body is given, its centre of mass starts at rest, or goes on moving. */
static bool place_centre_velocities(assembler *as)
{
    const tn_system *s = as->system;
    bool any = false;
    for (int b = 0; as->a->given && b < s->body_count; b++) {
        double *v = as->a->v + s->bodies[b].v;
        if ((as->a->given[b] & (TN_GIVEN_VELOCITY | TN_GIVEN_SPIN)) != TN_GIVEN_SPIN)
            continue;
        for (int k = 0; k < s->dimension; k++) {
            double at = as->a->moving ? as->a->moving[s->bodies[b].v + k] : 0;
            any = any || v[k] != at;
            v[k] = at;
        }
    }
    return any;
}

static double largest_of(const double *x, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* Given velocities that are consistent already stay bit-identical. */
static void keep_given(assembler *as, const double *given)
{
    const tn_system *s = as->system;
    double floor = TARGET * fmax(1, largest_of(given, s->velocities));
    for (int k = 0; k < s->velocities; k++)
        if (fabs(as->a->v[k] - given[k]) > floor)
            return;
    memcpy(as->a->v, given, (size_t)s->velocities * sizeof(double));
    tn_assembly_evaluate(as, as->a->q, true);
}

static int assemble_velocities(assembler *as)
{
    const tn_system *s = as->system;
    double *given = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    if (!given)
        return TN_ERROR_MEMORY;
    memcpy(given, as->a->v, (size_t)s->velocities * sizeof(double));
    bool placed = place_centre_velocities(as);
    TN_TRY(tn_assembly_solve_velocities(as));
    if (placed && tn_system_allows(s, TN_ALLOW_OTHER_STARTS))
        keep_given(as, given);
    return TN_OK;
}

/* True: given start values contradict joints or each other by more than round-off. */
static bool is_open(const assembler *as, bool velocities)
{
    double scale = velocities ? fmax(1, largest_of(as->a->v, as->system->velocities)) : 1;
    return largest_of(as->residual, as->rows) > ASSEMBLED * scale;
}

/* Solves the level again without the given motions of bodies, which contradict other values within the tolerance. */
static int loosen(assembler *as, assembly_level level)
{
    as->loose = true;
    TN_TRY(tn_assembly_begin_level(as, level));
    return level == LEVEL_VELOCITIES ? tn_assembly_solve_velocities(as) : tn_assembly_close(as);
}

static int find_positions(assembler *as, double tolerance)
{
    double size;
    TN_TRY(tn_assembly_find_start(as));
    if (!is_open(as, false) || (as->extra_count == 0))
        return TN_OK;
    TN_TRY(tn_assembly_check_given(as, tolerance, &size));
    return size > 0 ? loosen(as, LEVEL_POSITIONS) : TN_OK;
}

/* True: the model leaves the speed of a drive by acceleration open. */
static bool has_free_speeds(const assembler *as)
{
    const tn_system *s = as->system;
    bool any = false;
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s) && as->a->free_speeds; k++)
        any = any || s->state[k].free;
    return any;
}

static int find_velocities(assembler *as, double tolerance)
{
    double size;
    TN_TRY(assemble_velocities(as));
    if (is_open(as, true) && has_free_speeds(as)) {
        as->speeds_follow = true;
        TN_TRY(assemble_velocities(as));
    }
    if (!is_open(as, true) || as->extra_count == 0)
        return TN_OK;
    TN_TRY(tn_assembly_check_given(as, tolerance, &size));
    return size > 0 ? loosen(as, LEVEL_VELOCITIES) : TN_OK;
}

/* Moves to the guessed coordinates of joints, as close as the joints allow. */
static int take_guesses(assembler *as)
{
    const tn_system *s = as->system;
    bool any = false;
    for (int i = 0; i < s->constraint_count; i++)
        any = any || tn_constraint_joint(s, i)->guess;
    if (!any)
        return TN_OK;
    TN_TRY(tn_assembly_begin_level(as, LEVEL_GUESS));
    TN_TRY(tn_assembly_close(as));
    remember(as);
    as->a->steps = 0;
    return TN_OK;
}

/* ---- assembly ---- */

/* Measures the given start without changing it. */
static int leave(assembler *as)
{
    const tn_system *s = as->system;
    memcpy(as->a->after, as->a->before, (size_t)s->constraint_count * sizeof(double));
    remember(as);
    for (int k = 0; k < as->extra_count; k++)
        if (as->extras[k].kind == EXTRA_START)
            return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, as->extras[k].index),
                           "joint '%s' has a start of its own, which only assembly can find; assemble is none",
                           tn_constraint_name(s, as->extras[k].index));
    if (as->a->condition_count > 0)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, as->a->conditions[0].span,
                       "'%s' is given at the start, which only assembly can find; assemble is none",
                       as->a->conditions[0].name);
    return TN_OK;
}

/* Counts angles with a start value near this value. */
static void count_near_starts(assembler *as)
{
    for (int k = 0; k < as->extra_count; k++)
        if (as->extras[k].kind == EXTRA_START && !isnan(as->extras[k].value))
            as->a->memory[as->system->coordinates[as->extras[k].index].memory + as->extras[k].coordinate] =
                as->extras[k].value;
}

static int assemble_system(assembler *as, tn_assemble_rule rule, double gap_tolerance)
{
    TN_TRY(prepare(as));
    TN_TRY(tn_assembly_begin_level(as, LEVEL_POSITIONS));
    count_near_starts(as);
    tn_assembly_evaluate(as, as->a->q, false);
    tn_assembly_measure(as, as->a->before);
    if (rule == TN_ASSEMBLE_NONE)
        return leave(as);
    if (rule == TN_ASSEMBLE_STRICT)
        TN_TRY(tn_assembly_check_strict(as, gap_tolerance));
    TN_TRY(take_guesses(as));
    if (as->level == LEVEL_GUESS)
        TN_TRY(tn_assembly_begin_level(as, LEVEL_POSITIONS));
    TN_TRY(find_positions(as, gap_tolerance));
    TN_TRY(tn_assembly_hold_inside(as, false, gap_tolerance));
    tn_assembly_measure(as, as->a->after);
    TN_TRY(tn_assembly_check_positions(as));
    remember(as);
    as->loose = false;
    if (tn_assembly_has_given(as))
        TN_TRY(tn_assembly_begin_level(as, LEVEL_VELOCITIES));
    TN_TRY(find_velocities(as, gap_tolerance));
    TN_TRY(tn_assembly_hold_inside(as, true, gap_tolerance));
    return tn_assembly_check_velocities(as);
}

int tn_assemble(tn_assembly *assembly, const tn_system *system, const tn_solver_type *solver, tn_assemble_rule rule,
                double gap_tolerance)
{
    assembler as = { .system = system, .chosen = solver, .solver = solver, .a = assembly,
                     .arena = tn_arena_create(system->context) };
    int code = as.arena ? assemble_system(&as, rule, gap_tolerance) : TN_ERROR_MEMORY;
    if (code == TN_ERROR_STEP && as.eval->failed)
        code = tn_fail(system->context, TN_ERROR_ASSEMBLY, as.eval->failed_span, "the mechanism does not assemble: %s",
                       as.eval->trouble);
    if (as.saddle)
        as.solver->destroy(as.saddle);
    if (as.arena)
        tn_arena_destroy(as.arena);
    return code;
}
