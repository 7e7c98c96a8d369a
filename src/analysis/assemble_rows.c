/* The extra rows of assembly, beside the rows of the joints. Each extra is a constraint appended to the structure:
 *     start       coordinate - value = 0, on the joint's bodies
 *     condition   expression - value = 0, on the bodies it reads
 *     place       origin of a body's frame - given origin = 0, its velocity alike:  v + w x r,  r from the centre of
 * mass
 *     turn        rotation vector from the given orientation = 0, angular velocity alike
 *     held        a body does not move */
#include <math.h>
#include <string.h>
#include "assemble_impl.h"
#include "elementary.h"

/* ---- collecting extras ---- */

static bool is_for_velocities(const tn_start_condition *condition)
{
    return condition->formula->order > 0;
}

bool tn_assembly_has_given(const assembler *as)
{
    for (int b = 0; as->a->given && b < as->system->body_count; b++)
        if (as->a->given[b] != 0)
            return true;
    return as->a->condition_count > 0;
}

static void add_extra(assembler *as, extra e)
{
    as->extras[as->extra_count++] = e;
}

/* The rate of a guess always holds. Its value holds at LEVEL_GUESS only, unless a->fixed prescribes it. */
static void collect_starts(assembler *as)
{
    const tn_system *s = as->system;
    const double *fixed = as->a->fixed;
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_joint *joint = tn_constraint_joint(s, i);
        for (int k = 0; k < s->coordinates[i].count; k++) {
            int place = s->coordinates[i].memory + k;
            double own = joint->guess && as->level != LEVEL_GUESS ? NAN : joint->start[k];
            double value = fixed && !isnan(fixed[place]) ? fixed[place] : own;
            if (!isnan(value) || !isnan(joint->start_rate[k]))
                add_extra(as, (extra){ EXTRA_START, i, k, 1, value, joint->start_rate[k] });
        }
    }
}

static void collect_conditions(assembler *as)
{
    for (int k = 0; k < as->a->condition_count; k++)
        if (is_for_velocities(&as->a->conditions[k]) == (as->level == LEVEL_VELOCITIES)) {
            double value = as->a->conditions[k].value;
            add_extra(as, (extra){ EXTRA_CONDITION, k, 0, 1, value, value });
        }
}

static void collect_given(assembler *as)
{
    const tn_system *s = as->system;
    bool velocities = as->level == LEVEL_VELOCITIES;
    unsigned place = velocities ? TN_GIVEN_VELOCITY : TN_GIVEN_POSITION;
    unsigned turn = velocities ? TN_GIVEN_SPIN : TN_GIVEN_ROTATION;
    for (int b = 0; as->a->given && !as->loose && b < s->body_count; b++) {
        int turns = tn_assembly_width(&s->structure, b) - s->dimension;
        if (as->a->given[b] & place)
            add_extra(as, (extra){ EXTRA_PLACE, b, 0, s->dimension, NAN, NAN });
        if (as->a->given[b] & turn && turns > 0)
            add_extra(as, (extra){ EXTRA_TURN, b, 0, turns, NAN, NAN });
    }
}

static int collect_extras(assembler *as)
{
    const tn_system *s = as->system;
    size_t most = (size_t)(s->constraint_count * TN_MAX_COORDINATES + as->a->condition_count + 3 * s->body_count);
    as->extras = tn_arena_alloc(as->arena, most, sizeof(extra));
    as->extra_count = 0;
    if (!as->extras)
        return TN_ERROR_MEMORY;
    collect_starts(as);
    collect_conditions(as);
    collect_given(as);
    for (int b = 0; b < s->body_count; b++)
        if ((as->a->held && as->a->held[b]) || (as->hold_placed && as->a->placed[b]))
            add_extra(as, (extra){ EXTRA_HELD, b, 0, tn_assembly_width(&s->structure, b), NAN, NAN });
    return TN_OK;
}

/* ---- structure ---- */

/* Lists the bodies of an extra, each once, and returns their number; NULL: only counts. */
static int bodies_of(const assembler *as, const extra *e, int *bodies)
{
    const tn_structure *from = &as->system->structure;
    int count = 0;
    if (e->kind == EXTRA_START) {
        for (int b = from->block_begin[e->index]; b < from->block_begin[e->index + 1]; b++, count++)
            if (bodies)
                bodies[count] = from->block_body[b];
        return count;
    }
    if (e->kind != EXTRA_CONDITION) {
        if (bodies)
            bodies[0] = e->index;
        return 1;
    }
    const tn_formula *f = as->a->conditions[e->index].formula;
    for (int k = 0; k < f->slot_count; k++) {
        int body = tn_formula_slot_body(f, k);
        bool seen = body < 0;
        for (int i = 0; i < k && !seen; i++)
            seen = tn_formula_slot_body(f, i) == body;
        if (seen)
            continue;
        if (bodies)
            bodies[count] = body;
        count++;
    }
    return count;
}

/* Room for the tables of the structure with all extra rows. */
static int make_tables(const assembler *as, int **row, int **begin, int **body, size_t **offset)
{
    const tn_structure *from = &as->system->structure;
    int blocks = from->block_begin[from->constraints];
    for (int k = 0; k < as->extra_count; k++)
        blocks += bodies_of(as, &as->extras[k], NULL);
    size_t constraints = (size_t)(from->constraints + as->extra_count);
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
    int blocks = from->block_begin[from->constraints], *row, *begin, *body, next = from->constraints;
    size_t size = s->jacobian_size, *offset;
    TN_TRY(make_tables(as, &row, &begin, &body, &offset));
    memcpy(row, from->constraint_row, (size_t)(from->constraints + 1) * sizeof(int));
    memcpy(begin, from->block_begin, (size_t)(from->constraints + 1) * sizeof(int));
    memcpy(body, from->block_body, (size_t)blocks * sizeof(int));
    memcpy(offset, from->block_offset, (size_t)blocks * sizeof(size_t));
    for (int k = 0; k < as->extra_count; k++, next++) {
        int end = blocks + bodies_of(as, &as->extras[k], body + blocks);
        for (; blocks < end; blocks++) {
            offset[blocks] = size;
            size += (size_t)(as->extras[k].rows * tn_assembly_width(from, body[blocks]));
        }
        row[next + 1] = row[next] + as->extras[k].rows;
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

/* Gives the pins of the system to the structure. Extra rows are not pins. */
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

static double *extra_block(const assembler *as, int k)
{
    const tn_structure *st = &as->structure;
    return as->G + st->block_offset[st->block_begin[as->system->structure.constraints + k]];
}

/* A held body does not move: its rows are those of the unit matrix, and stay so. */
static void write_held_rows(assembler *as)
{
    for (int k = 0; k < as->extra_count; k++)
        for (int i = 0; as->extras[k].kind == EXTRA_HELD && i < as->extras[k].rows; i++)
            extra_block(as, k)[i * (as->extras[k].rows + 1)] = 1;
}

int tn_assembly_collect(assembler *as)
{
    TN_TRY(collect_extras(as));
    TN_TRY(extend_structure(as));
    if (as->eval->lazy)
        TN_TRY(pass_pins(as));
    write_held_rows(as);
    return TN_OK;
}

/* ---- given motions ---- */

static void frame_motion(const assembler *as, int b, tn_frame_motion *m)
{
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(as->system, as->system->bodies[b].source, &identity);
    tn_frame_motion_of(as->eval, as->system, &frame, m);
}

int tn_assembly_take_given(assembler *as)
{
    const tn_system *s = as->system;
    as->given_motion = tn_arena_alloc(as->arena, (size_t)s->body_count, sizeof(given_motion));
    if (!as->given_motion)
        return TN_ERROR_MEMORY;
    tn_eval_motion(as->eval, s, as->a->t, as->a->q, as->a->v);
    for (int b = 0; as->a->given && b < s->body_count; b++) {
        tn_frame_motion m;
        given_motion *given = &as->given_motion[b];
        const double *q = as->a->q + s->bodies[b].q;
        frame_motion(as, b, &m);
        tn_copy3(given->p, m.p);
        tn_copy3(given->v, m.v);
        tn_copy3(given->w, m.w);
        if (s->bodies[b].motion == TN_MOTION_SPATIAL)
            memcpy(given->q, q + 3, sizeof given->q);
        else if (s->bodies[b].motion == TN_MOTION_PLANAR)
            given->q[0] = q[2];
    }
    return TN_OK;
}

/* ---- residuals and rows ---- */

static void clear_row(assembler *as, int k)
{
    const tn_structure *st = &as->structure;
    int c = as->system->structure.constraints + k;
    for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
        int body = st->block_body[b];
        memset(as->row + st->body_column[body], 0, (size_t)tn_assembly_width(st, body) * sizeof(double));
    }
}

/* Copies a row over all velocities into G, restricted to the blocks of its extra. */
static void write_row(assembler *as, int k)
{
    const tn_structure *st = &as->structure;
    int c = as->system->structure.constraints + k;
    for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
        memcpy(as->G + st->block_offset[b], as->row + st->body_column[st->block_body[b]],
               (size_t)tn_assembly_width(st, st->block_body[b]) * sizeof(double));
}

static void evaluate_start(assembler *as, int k, bool velocities)
{
    const extra *e = &as->extras[k];
    double value, rate, target = velocities ? e->rate : e->value;
    clear_row(as, k);
    tn_eval_coordinate_row(as->eval, as->system, as->a->memory, e->index, e->coordinate, &value, &rate, as->row);
    if (isnan(target))
        clear_row(as, k);
    write_row(as, k);
    as->residual[tn_extra_row(as, k)] = isnan(target) ? 0 : (velocities ? rate : value) - target;
}

static void evaluate_condition(assembler *as, int k)
{
    const tn_start_condition *condition = &as->a->conditions[as->extras[k].index];
    clear_row(as, k);
    tn_formula_evaluate(condition->formula, as->eval, as->a->memory, NULL, 0);
    as->residual[tn_extra_row(as, k)] = tn_formula_value(condition->formula, as->eval, 0, 0) - condition->value;
    tn_formula_add_gradient(condition->formula, as->eval, 0, 1, as->row);
    write_row(as, k);
}

static void evaluate_place(assembler *as, int k, const double *q, bool velocities)
{
    const tn_system *s = as->system;
    int b = as->extras[k].index, d = s->dimension, w = tn_assembly_width(&s->structure, b);
    const given_motion *given = &as->given_motion[b];
    double *block = extra_block(as, k), r[3] = { 0 };
    tn_frame_motion m;
    frame_motion(as, b, &m);
    for (int i = 0; i < d; i++)
        r[i] = m.p[i] - q[s->bodies[b].q + i];
    memset(block, 0, (size_t)(d * w) * sizeof(double));
    for (int i = 0; i < d; i++) {
        block[i * w + i] = 1;
        as->residual[tn_extra_row(as, k) + i] = velocities ? m.v[i] - given->v[i] : m.p[i] - given->p[i];
    }
    if (s->bodies[b].motion == TN_MOTION_PLANAR) {
        block[2] = -r[1];
        block[w + 2] = r[0];
    }
    for (int i = 0; s->bodies[b].motion == TN_MOTION_SPATIAL && i < 3; i++) {
        block[i * w + 3 + (i + 1) % 3] = r[(i + 2) % 3];
        block[i * w + 3 + (i + 2) % 3] = -r[(i + 1) % 3];
    }
}

/* Rotation vector from the given orientation to that of q, world axes. */
static void turned_by(const double from[4], const double to[4], double out[3])
{
    double back[4], turn[4];
    tn_quat_conj(back, from);
    tn_quat_mul(turn, to, back);
    double n = tn_norm3(turn + 1), sign = turn[0] < 0 ? -1 : 1;
    double factor = n > 0 ? 2 * sign * tn_atan2(n, fabs(turn[0])) / n : 2;
    for (int i = 0; i < 3; i++)
        out[i] = factor * turn[1 + i];
}

static void evaluate_turn(assembler *as, int k, const double *q, bool velocities)
{
    const tn_system *s = as->system;
    int b = as->extras[k].index, rows = as->extras[k].rows, w = tn_assembly_width(&s->structure, b);
    const given_motion *given = &as->given_motion[b];
    double *block = extra_block(as, k), turn[3];
    memset(block, 0, (size_t)(rows * w) * sizeof(double));
    if (s->bodies[b].motion == TN_MOTION_SPATIAL)
        turned_by(given->q, q + s->bodies[b].q + 3, turn);
    else
        turn[0] = q[s->bodies[b].q + 2] - given->q[0];
    for (int i = 0; i < rows; i++) {
        int axis = rows == 1 ? 2 : i;
        block[i * w + s->dimension + i] = 1;
        as->residual[tn_extra_row(as, k) + i] = velocities ? as->eval->w[b][axis] - given->w[axis] : turn[i];
    }
}

/* Sets speeds of drives that are not given to the rates of their joints, and takes the rows of these drives out. */
static void follow_speeds(assembler *as)
{
    const tn_system *s = as->system;
    const tn_structure *k = &s->structure;
    for (int state = tn_drive_states_begin(s); state < tn_drive_states_end(s); state++) {
        const int c = s->constraint_of[s->state[state].source];
        if (!s->state[state].free || c < 0)
            continue;
        const int row = k->constraint_row[c];
        as->a->v[s->velocities + state] += as->residual[row];
        as->residual[row] = 0;
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++)
            memset(as->G + k->block_offset[b], 0, (size_t)tn_assembly_width(k, k->block_body[b]) * sizeof(double));
    }
}

void tn_assembly_evaluate(assembler *as, const double *q, bool velocities)
{
    const tn_system *s = as->system;
    tn_eval *e = as->eval;
    as->velocities = velocities;
    tn_eval_motion(e, s, as->a->t, q, as->a->v);
    tn_eval_constraints(e, s, as->a->memory, 1, true);
    memcpy(as->G, e->G, (e->lazy ? s->tape_jacobian_size : s->jacobian_size) * sizeof(double));
    memcpy(as->residual, velocities ? e->gdot : e->g, (size_t)s->rows * sizeof(double));
    for (int k = 0; k < as->extra_count; k++)
        switch (as->extras[k].kind) {
        case EXTRA_START: evaluate_start(as, k, velocities); break;
        case EXTRA_CONDITION: evaluate_condition(as, k); break;
        case EXTRA_PLACE: evaluate_place(as, k, q, velocities); break;
        case EXTRA_TURN: evaluate_turn(as, k, q, velocities); break;
        case EXTRA_HELD: break;
        }
    if (!velocities)
        tn_clear_velocity_rows(s, as->G, true);
    else if (as->speeds_follow)
        follow_speeds(as);
}
