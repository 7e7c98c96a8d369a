/* Start conditions are rows like those of joints: coordinate - start = 0 on the joint's bodies, appended to the
 * structure as one-row constraints while assembling; behind them, for every body that is held, as many rows as it has
 * coordinates. Positions: Newton's method with the mass metric,
 *     M delta - G' lambda = 0,  G delta = -g,
 * rotations limited per step, step halved while it makes things worse. Velocities: one linear solve. */
#include "assemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "coupling.h"
#include "conflict.h"
#include "diag.h"

static const double TARGET = 1e-12;            /* m or rad: round-off */
static const double ASSEMBLED = 1e-9;          /* m or rad: what counts as together */
static const double LARGEST_TURN = 0.5;        /* rad per Newton step */
static const double COMPONENTS_SETTLED = 1e-8; /* change of their states after which the next one is round-off */
static const int MOST_STEPS = 100, MOST_HALVINGS = 8;
static const int MOST_NAMED = 5;               /* gaps named in a message */

typedef struct start_row {
    int constraint, coordinate;
    double value, rate;            /* NaN: free */
} start_row;

typedef struct assembler {
    const tn_system *system;
    const tn_solver_type *solver;
    tn_arena *arena;
    tn_eval *eval;
    tn_structure structure;        /* the system's with the start rows appended */
    tn_saddle *saddle;
    int start_count, held_count;
    start_row *starts;
    int *held;                     /* bodies */
    int rows;                      /* all of them: of joints, start conditions and held bodies */
    size_t jacobian_size;          /* of G */
    double *M, *G, *residual, *u, *zero, *delta, *row, *trial;
    double *lambda, *tau;          /* with components: what acts on their ports */
    double *now, *right;           /* v and states: where they are, and with components put right */
    double *given;                 /* positions of the given start */
    bool settled;                  /* components hardly change any more */
    tn_assembly *a;
} assembler;

/* ---- structure with start rows ---- */

static int collect_starts(assembler *as)
{
    const tn_system *s = as->system;
    const double *fixed = as->a->fixed;
    as->starts = tn_arena_alloc(as->arena, (size_t)(s->constraint_count * TN_MAX_COORDINATES), sizeof(start_row));
    as->held = tn_arena_alloc(as->arena, (size_t)s->body_count, sizeof(int));
    if (!as->starts || !as->held)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_joint *joint = tn_constraint_joint(s, i);
        for (int k = 0; k < s->coordinates[i].count; k++) {
            int place = s->coordinates[i].memory + k;
            double value = fixed && !isnan(fixed[place]) ? fixed[place] : joint->start[k];
            if (!isnan(value) || !isnan(joint->start_rate[k]))
                as->starts[as->start_count++] = (start_row){ i, k, value, joint->start_rate[k] };
        }
    }
    for (int b = 0; as->a->held && b < s->body_count; b++)
        if (as->a->held[b])
            as->held[as->held_count++] = b;
    return TN_OK;
}

static int width_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

/* Room for the tables of the structure with all extra rows. */
static int make_tables(assembler *as, int **row, int **begin, int **body, size_t **offset)
{
    const tn_structure *from = &as->system->structure;
    int blocks = from->block_begin[from->constraints] + as->held_count;
    for (int k = 0; k < as->start_count; k++)
        blocks += from->block_begin[as->starts[k].constraint + 1] - from->block_begin[as->starts[k].constraint];
    size_t constraints = (size_t)(from->constraints + as->start_count + as->held_count);
    *row = tn_arena_alloc(as->arena, constraints + 1, sizeof(int));
    *begin = tn_arena_alloc(as->arena, constraints + 1, sizeof(int));
    *body = tn_arena_alloc(as->arena, (size_t)blocks, sizeof(int));
    *offset = tn_arena_alloc(as->arena, (size_t)blocks, sizeof(size_t));
    return *row && *begin && *body && *offset ? TN_OK : TN_ERROR_MEMORY;
}

static int extend_structure(assembler *as)
{
    const tn_system *s = as->system;
    const tn_structure *from = &s->structure;
    int blocks = from->block_begin[from->constraints], *row, *begin, *body;
    size_t size = s->jacobian_size, *offset;
    TN_TRY(make_tables(as, &row, &begin, &body, &offset));
    memcpy(row, from->constraint_row, (size_t)(from->constraints + 1) * sizeof(int));
    memcpy(begin, from->block_begin, (size_t)(from->constraints + 1) * sizeof(int));
    memcpy(body, from->block_body, (size_t)blocks * sizeof(int));
    memcpy(offset, from->block_offset, (size_t)blocks * sizeof(size_t));
    int next = from->constraints;
    for (int k = 0; k < as->start_count; k++, next++) {
        int c = as->starts[k].constraint;
        for (int b = from->block_begin[c]; b < from->block_begin[c + 1]; b++) {
            body[blocks] = from->block_body[b];
            offset[blocks++] = size;
            size += (size_t)width_of(from, from->block_body[b]);
        }
        row[next + 1] = row[next] + 1;
        begin[next + 1] = blocks;
    }
    for (int k = 0; k < as->held_count; k++, next++) {
        int w = width_of(from, as->held[k]);
        body[blocks] = as->held[k];
        offset[blocks++] = size;
        size += (size_t)(w * w);
        row[next + 1] = row[next] + w;
        begin[next + 1] = blocks;
    }
    as->rows = row[next];
    as->structure = *from;
    as->structure.constraints = next;
    as->structure.constraint_row = row;
    as->structure.block_begin = begin;
    as->structure.block_body = body;
    as->structure.block_offset = offset;
    as->jacobian_size = size;
    as->G = tn_arena_alloc(as->arena, size, sizeof(double));
    return as->G ? TN_OK : TN_ERROR_MEMORY;
}

/* A held body does not move: its rows are those of the unit matrix, and stay so. */
static void write_held_rows(assembler *as)
{
    const tn_structure *st = &as->structure;
    for (int c = st->constraints - as->held_count; c < st->constraints; c++) {
        int b = st->block_begin[c], w = width_of(st, st->block_body[b]);
        for (int k = 0; k < w; k++)
            as->G[st->block_offset[b] + (size_t)(k * (w + 1))] = 1;
    }
}

/* Extra rows are no pins. */
static int pass_pins(assembler *as)
{
    const tn_system *s = as->system;
    unsigned char *kind = tn_arena_alloc(as->arena, (size_t)as->structure.constraints, 1);
    if (!kind)
        return TN_ERROR_MEMORY;
    memcpy(kind, s->pin_kind, (size_t)s->constraint_count);
    as->structure.pin_kind = kind;
    as->structure.pins = as->eval->pins;
    return TN_OK;
}

static int prepare(assembler *as)
{
    const tn_system *s = as->system;
    const bool lazy = as->solver->takes_pins;
    TN_TRY(tn_coupled_eval_create(&as->eval, s, as->a->coupling, as->arena, lazy));
    TN_TRY(collect_starts(as));
    TN_TRY(extend_structure(as));
    if (lazy)
        TN_TRY(pass_pins(as));
    write_held_rows(as);
    size_t rows = (size_t)as->rows;
    as->M = tn_arena_alloc(as->arena, s->mass_size, sizeof(double));
    as->given = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    as->residual = tn_arena_alloc(as->arena, rows, sizeof(double));
    as->u = tn_arena_alloc(as->arena, rows, sizeof(double));
    as->zero = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->delta = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->row = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->trial = tn_arena_alloc(as->arena, (size_t)s->positions, sizeof(double));
    as->lambda = tn_arena_alloc(as->arena, rows, sizeof(double));
    as->tau = tn_arena_alloc(as->arena, (size_t)s->velocities, sizeof(double));
    as->now = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    as->right = tn_arena_alloc(as->arena, (size_t)(s->velocities + s->states), sizeof(double));
    TN_TRY(tn_arena_status(as->arena));
    memcpy(as->given, as->a->q, (size_t)s->positions * sizeof(double));
    return tn_coupled_analyze(&as->saddle, &as->solver, as->eval, s, &as->structure, as->jacobian_size, as->arena);
}

/* ---- residuals and rows ---- */

/* A start row into G, restricted to the blocks of its joint. */
static void write_start_row(assembler *as, int k)
{
    const tn_structure *st = &as->structure;
    int c = as->system->structure.constraints + k;
    for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
        int first = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - first;
        memcpy(as->G + st->block_offset[b], as->row + first, (size_t)w * sizeof(double));
    }
}

static void clear_rows(assembler *as, int k)
{
    const tn_structure *st = &as->structure;
    int c = as->system->structure.constraints + k;
    for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
        int body = st->block_body[b];
        memset(as->row + st->body_column[body], 0,
               (size_t)(st->body_column[body + 1] - st->body_column[body]) * sizeof(double));
    }
}

/* Residuals (of positions, or of velocities) of joints and start conditions, and G. A free condition has no row. */
static void evaluate_assemble(assembler *as, const double *q, bool velocities)
{
    const tn_system *s = as->system;
    tn_eval *e = as->eval;
    tn_eval_motion(e, s, as->a->t, q, as->a->v);
    tn_eval_constraints(e, s, as->a->memory, 1, true);
    memcpy(as->G, e->G, (e->lazy ? s->tape_jacobian_size : s->jacobian_size) * sizeof(double));
    memcpy(as->residual, velocities ? e->gdot : e->g, (size_t)s->rows * sizeof(double));
    for (int k = 0; k < as->start_count; k++) {
        const start_row *start = &as->starts[k];
        double value, rate, target = velocities ? start->rate : start->value;
        clear_rows(as, k);
        tn_eval_coordinate_row(e, s, as->a->memory, start->constraint, start->coordinate, &value, &rate, as->row);
        if (isnan(target))
            clear_rows(as, k);
        write_start_row(as, k);
        as->residual[s->rows + k] = isnan(target) ? 0 : (velocities ? rate : value) - target;
    }
    if (!velocities)
        tn_clear_velocity_rows(s, as->G, true);
}

static double norm(const assembler *as)
{
    double sum = 0;
    for (int i = 0; i < as->rows; i++)
        sum += as->residual[i] * as->residual[i];
    return sqrt(sum);
}

/* The turn() of a coordinate with a start value is counted near that value, of others near the last pose. */
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

/* The metric: masses times weights. */
static void weigh(assembler *as)
{
    const tn_system *s = as->system;
    memcpy(as->M, as->eval->M, s->mass_size * sizeof(double));
    for (int b = 0; as->a->weight && b < s->body_count; b++) {
        int w = width_of(&s->structure, b);
        for (int k = 0; k < w * w; k++)
            as->M[s->structure.mass_offset[b] + (size_t)k] *= as->a->weight[b];
    }
}

/* delta, and in right the states of components put right along with it. */
static int newton_direction(assembler *as, tn_question question)
{
    const tn_system *s = as->system;
    tn_eval *e = as->eval;
    const double *u = as->u;
    double change = 0, *lambda = tn_coupling_hides(s) ? as->lambda : NULL;
    for (int i = 0; i < as->rows; i++)
        as->u[i] = -as->residual[i];
    weigh(as);
    TN_TRY(as->solver->factor(as->saddle, as->M, as->G, TN_RANK_DECIDE));
    TN_TRY(tn_coupling_ask(e, s, &as->structure, as->G, question, &u, as->u));
    TN_TRY(as->solver->solve(as->saddle, as->zero, u, as->delta, lambda));
    tn_coupling_add_free(e, s, as->delta);
    memset(as->tau, 0, (size_t)s->velocities * sizeof(double));
    tn_coupling_add_reactions(s, &as->structure, as->G, as->lambda, as->tau);
    memcpy(as->right, as->a->v, (size_t)(s->velocities + s->states) * sizeof(double));
    TN_TRY(tn_coupling_take(e, s, question, as->tau, as->right + s->velocities, &change));
    as->settled = change <= COMPONENTS_SETTLED;
    return TN_OK;
}

/* States of components a part of the way to where they were put right. */
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

static int assemble_positions(assembler *as)
{
    const tn_system *s = as->system;
    double *q = as->a->q;
    evaluate_assemble(as, q, false);
    TN_TRY(as->eval->component_code);
    double before = norm(as);
    as->settled = !tn_coupling_hides(s);
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
            evaluate_assemble(as, as->trial, false);
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
    evaluate_assemble(as, q, false);
    return TN_OK;
}

static int assemble_velocities(assembler *as)
{
    for (int pass = 0; pass < 3; pass++) {     /* linear for all but equations quadratic in velocities */
        evaluate_assemble(as, as->a->q, true);
        if (norm(as) <= TARGET && (pass > 0 || !tn_coupling_hides(as->system)))
            return TN_OK;
        TN_TRY(newton_direction(as, TN_ASK_VELOCITIES));
        for (int k = 0; k < as->system->velocities; k++)
            as->a->v[k] += as->delta[k];
        move_components(as, 1, as->a->v);
    }
    evaluate_assemble(as, as->a->q, true);
    return TN_OK;
}

/* ---- reports ---- */

static void measure_assemble(const assembler *as, double *gaps)
{
    for (int i = 0; i < as->system->constraint_count; i++)
        gaps[i] = tn_eval_gap(as->eval, as->system, i);
}

static int worst_of(const double *gaps, int count, double below)
{
    int worst = -1;
    for (int i = 0; i < count; i++)
        if (gaps[i] < below && (worst < 0 || gaps[i] > gaps[worst]))
            worst = i;
    return worst;
}

/* "'slide' 0.0032, 'elbow' 0.0004" */
static const char *list_gaps(const tn_system *s, const double *gaps, double above, char *text, size_t size)
{
    size_t used = 0;
    double last = INFINITY;
    text[0] = '\0';
    for (int n = 0; n < MOST_NAMED && used < size; n++) {
        int worst = worst_of(gaps, s->constraint_count, last);
        if (worst < 0 || gaps[worst] <= above)
            break;
        last = gaps[worst];
        used += (size_t)snprintf(text + used, size - used, "%s'%s' %.3g", n ? ", " : "", tn_constraint_name(s, worst),
                                 gaps[worst]);
    }
    return text;
}

/* "; fixed: 'pivot' angle; held: 'rocker'" */
static const char *list_fixed(const assembler *as, char *text, size_t size)
{
    const tn_system *s = as->system;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0, n = 0; k < as->start_count && n < MOST_NAMED && used < size; k++) {
        const start_row *start = &as->starts[k];
        const tn_joint *joint = tn_constraint_joint(s, start->constraint);
        if (isnan(start->value))
            continue;
        const char *name = tn_joint_form_of(s->model, joint->type)->coordinates[start->coordinate].name;
        used += (size_t)snprintf(text + used, size - used, "%s'%s' %s", n++ == 0 ? "; fixed: " : ", ",
                                 joint->entity.name, name);
    }
    for (int k = 0; k < as->held_count && k < MOST_NAMED && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", k == 0 ? "; held: " : ", ",
                                 s->model->bodies[s->bodies[as->held[k]].source].entity.name);
    return text;
}

/* Rows of held bodies may be dropped as dependent on others; then the others won. */
static int check_held(const assembler *as)
{
    const tn_system *s = as->system;
    char fixed[400];
    for (int k = 0; k < as->held_count; k++) {
        const tn_sys_body *body = &s->bodies[as->held[k]];
        const tn_entity *entity = &s->model->bodies[body->source].entity;
        int count = body->motion == TN_MOTION_SPATIAL ? 7 : width_of(&s->structure, as->held[k]);
        for (int i = 0; i < count; i++)
            if (fabs(as->a->q[body->q + i] - as->given[body->q + i]) > ASSEMBLED)
                return tn_fail(s->context, TN_ERROR_ASSEMBLY, entity->span, "body '%s' cannot be held where it is: the "
                               "joints do not close there%s", entity->name, list_fixed(as, fixed, sizeof fixed));
    }
    return TN_OK;
}

static int check_positions(const assembler *as)
{
    const tn_system *s = as->system;
    char list[400], fixed[400], conflict[TN_CONFLICT_TEXT];
    tn_span span;
    int worst = worst_of(as->a->after, s->constraint_count, INFINITY);
    bool apart = worst >= 0 && as->a->after[worst] > ASSEMBLED;
    int found = apart && s->works ? tn_conflict_find(s, as->eval, as->eval->g, ASSEMBLED, conflict, &span) : 0;
    TN_TRY(found);
    if (found == TN_CONFLICT_OF_DRIVES)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, span, "the mechanism does not assemble: %s (largest gaps: %s)",
                       conflict, list_gaps(s, as->a->after, ASSEMBLED, list, sizeof list));
    if (apart)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, worst),
                       "the mechanism does not assemble: joint '%s' is %.3g (m or rad) apart after %d step%s "
                       "(largest gaps: %s%s)", tn_constraint_name(s, worst), as->a->after[worst], as->a->steps,
                       as->a->steps == 1 ? "" : "s",
                       list_gaps(s, as->a->after, ASSEMBLED, list, sizeof list),
                       list_fixed(as, fixed, sizeof fixed));
    TN_TRY(check_held(as));
    for (int k = 0; k < as->start_count; k++)
        if (fabs(as->residual[s->rows + k]) > ASSEMBLED)
            return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, as->starts[k].constraint),
                           "joint '%s' cannot start at %.6g: the mechanism assembles %.3g away from it",
                           tn_constraint_name(s, as->starts[k].constraint), as->starts[k].value,
                           fabs(as->residual[s->rows + k]));
    return TN_OK;
}

static int check_velocities(const assembler *as)
{
    const tn_system *s = as->system;
    char conflict[TN_CONFLICT_TEXT];
    tn_span span;
    int found = s->works ? tn_conflict_find(s, as->eval, as->eval->gdot, ASSEMBLED, conflict, &span) : 0;
    TN_TRY(found);
    if (found == TN_CONFLICT_OF_DRIVES)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, span, "no velocities at the start: %s: over-driven", conflict);
    for (int k = 0; k < as->start_count; k++)
        if (fabs(as->residual[s->rows + k]) > ASSEMBLED * fmax(1, fabs(as->starts[k].rate)))
            return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, as->starts[k].constraint),
                           "joint '%s' cannot start with rate %.6g: the mechanism moves at a rate %.3g away from it",
                           tn_constraint_name(s, as->starts[k].constraint), as->starts[k].rate,
                           fabs(as->residual[s->rows + k]));
    return TN_OK;
}

static int check_strict(const assembler *as, double tolerance)
{
    const tn_system *s = as->system;
    char list[400];
    int worst = worst_of(as->a->before, s->constraint_count, INFINITY);
    if (worst < 0 || as->a->before[worst] <= tolerance)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, worst),
                   "joint '%s' is %.3g (m or rad) apart at the given start and assemble is strict (gaps: %s)",
                   tn_constraint_name(s, worst), as->a->before[worst],
                   list_gaps(s, as->a->before, tolerance, list, sizeof list));
}

/* The given start as it is. */
static int leave(assembler *as)
{
    const tn_system *s = as->system;
    memcpy(as->a->after, as->a->before, (size_t)s->constraint_count * sizeof(double));
    remember(as);
    if (as->start_count == 0)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, as->starts[0].constraint),
                   "joint '%s' has a start of its own, which only assembly can find; assemble is none",
                   tn_constraint_name(s, as->starts[0].constraint));
}

static int run_assemble(assembler *as, tn_assemble_rule rule, double gap_tolerance)
{
    const tn_system *s = as->system;
    TN_TRY(prepare(as));
    for (int k = 0; k < as->start_count; k++)
        if (!isnan(as->starts[k].value))
            as->a->memory[s->coordinates[as->starts[k].constraint].memory + as->starts[k].coordinate] =
                as->starts[k].value;
    evaluate_assemble(as, as->a->q, false);
    measure_assemble(as, as->a->before);
    if (rule == TN_ASSEMBLE_NONE)
        return leave(as);
    if (rule == TN_ASSEMBLE_STRICT)
        TN_TRY(check_strict(as, gap_tolerance));
    TN_TRY(assemble_positions(as));
    measure_assemble(as, as->a->after);
    TN_TRY(check_positions(as));
    remember(as);
    TN_TRY(assemble_velocities(as));
    return check_velocities(as);
}

int tn_assemble(tn_assembly *assembly, const tn_system *system, const tn_solver_type *solver, tn_assemble_rule rule,
                double gap_tolerance)
{
    assembler as = { .system = system, .solver = solver, .a = assembly, .arena = tn_arena_create(system->context) };
    int code = as.arena ? run_assemble(&as, rule, gap_tolerance) : TN_ERROR_MEMORY;
    if (code == TN_ERROR_STEP && as.eval->failed)
        code = tn_fail(system->context, TN_ERROR_ASSEMBLY, as.eval->failed_span, "the mechanism does not assemble: %s",
                       as.eval->trouble);
    if (as.saddle)
        as.solver->destroy(as.saddle);
    if (as.arena)
        tn_arena_destroy(as.arena);
    return code;
}
