/* Evaluates the network of devices: solves for its unknowns, block by block.
 *
 * A block with equations n(x) = 0 is solved by Newton's method, J dx = -n with exact derivatives from the tapes. Unknowns
 * are measured by their nominal sizes, rows by their largest entries. The guess is x of the last accepted step for all
 * evaluations of a step, so the same state gives the same bits. */
#include "dense.h"
#include "external.h"
#include "hybrid.h"
#include "network_impl.h"

#include <float.h>
#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Blocks up to this size have dense matrices. */
enum { MOST_DENSE = 40 };
/* Newton's method ends at corrections below CONVERGED, or below STALLED where they no longer fall; relative to the size of
 * the unknowns. A pivot below SINGULAR, relative to its scaled row, counts as zero. */
static const double CONVERGED = 1e-14, STALLED = 1e-8, SINGULAR = 1e-14;
/* Affine blocks are solved by one step, up to round-off: the size of the step over the condition of the matrix. A step below SETTLED, times
 * KLU's estimate of the reciprocal condition, leaves less than CONVERGED. */
static const double SETTLED = 10;
/* Full steps, then steps of half the length; then a second attempt that only takes steps which reduce the residual. */
enum { FULL_STEPS = 12, MOST_STEPS = 40, MOST_CAREFUL = 200, MOST_HALVINGS = 14 };

/* ---- workspace ---- */

static int block_size(const tn_network *n, int block)
{
    return n->blocks.begin[block + 1] - n->blocks.begin[block];
}

/* The pattern of a large block. */
static int create_sparse(struct tn_network_sparse *out, const tn_network *n, int block, tn_arena *arena)
{
    const int first = n->blocks.begin[block], size = block_size(n, block);
    int total = 0;
    for (int i = 0; i < size; i++)
        total += n->begin[n->blocks.columns[first + i] + 1] - n->begin[n->blocks.columns[first + i]];
    out->block = block;
    out->begin = tn_arena_alloc(arena, (size_t)size + 1, sizeof(int));
    out->rows = tn_arena_alloc(arena, (size_t)total, sizeof(int));
    out->values = tn_arena_alloc(arena, (size_t)total, sizeof(double));
    out->scale = tn_arena_alloc(arena, (size_t)size, sizeof(double));
    out->scale_x = tn_arena_alloc(arena, (size_t)size, sizeof(double));
    TN_TRY(tn_arena_status(arena));
    for (int j = 0, at = 0; j < size; j++) {
        int column = n->blocks.columns[first + j];
        for (int k = n->begin[column]; k < n->begin[column + 1]; k++)
            if (n->row_block[n->rows[k]] == block)
                out->rows[at++] = n->row_place[n->rows[k]];
        out->begin[j + 1] = at;
    }
    TN_TRY(tn_affine_create(out, n, arena));
    klu_defaults(&out->common);
    out->symbolic = klu_analyze(size, out->begin, out->rows, &out->common);
    return out->symbolic ? TN_OK : TN_ERROR_MEMORY;
}

static void free_sparse(void *user)
{
    struct tn_network_sparse *sparse = user;
    klu_free_numeric(&sparse->numeric, &sparse->common);
    klu_free_symbolic(&sparse->symbolic, &sparse->common);
}

static int create_sparse_blocks(struct tn_network_work *w, const tn_network *n, tn_arena *arena)
{
    for (int k = 0; k < n->blocks.count; k++)
        w->sparse_count += block_size(n, k) > MOST_DENSE;
    w->sparse = tn_arena_alloc(arena, (size_t)w->sparse_count, sizeof *w->sparse);
    TN_TRY(tn_arena_status(arena));
    for (int k = 0, at = 0; k < n->blocks.count; k++)
        if (block_size(n, k) > MOST_DENSE) {
            TN_TRY(tn_arena_on_destroy(arena, free_sparse, &w->sparse[at]));
            TN_TRY(create_sparse(&w->sparse[at++], n, k, arena));
        }
    return TN_OK;
}

int tn_network_work_create(tn_eval *e, const tn_system *s, tn_arena *arena)
{
    const tn_network *n = s->network;
    if (!n || !n->frozen)
        return TN_OK;
    struct tn_network_work *w = tn_arena_alloc(arena, 1, sizeof *w);
    if (!w)
        return TN_ERROR_MEMORY;
    const size_t slots = (size_t)s->slot_max * TN_LEAVES, largest = (size_t)n->blocks.largest;
    const size_t dense = largest > MOST_DENSE ? MOST_DENSE : largest;
    w->x = tn_arena_alloc(arena, (size_t)n->count, sizeof(double));
    w->leaves = tn_arena_alloc(arena, slots, sizeof(tn_leaf));
    w->tangents = tn_arena_alloc(arena, slots, sizeof(tn_leaf));
    w->work = tn_arena_alloc(arena, s->work_size, sizeof(double));
    w->memory_work = tn_arena_alloc(arena, (size_t)s->memory_max + 1, sizeof(double));
    w->residual = tn_arena_alloc(arena, largest, sizeof(double));
    w->change = tn_arena_alloc(arena, largest, sizeof(double));
    w->scale = tn_arena_alloc(arena, largest, sizeof(double));
    w->before = tn_arena_alloc(arena, largest, sizeof(double));
    w->scale_x = tn_arena_alloc(arena, largest, sizeof(double));
    w->matrix = tn_arena_alloc(arena, dense * dense, sizeof(double));
    w->violations = tn_arena_alloc(arena, (size_t)n->hybrid->kink_count, sizeof(double));
    w->accounts = tn_arena_alloc(arena, (size_t)tn_network_account_values(s), sizeof(double));
    TN_TRY(tn_external_work_create(w, s, arena));
    e->network = w;
    return create_sparse_blocks(w, n, arena);
}

/* ---- one block ---- */

static double nominal(const tn_block_solver *v, int j)
{
    int column = v->n->blocks.columns[v->first + j];
    return fmax(v->n->variables[column].nominal, fabs(v->w->x[column]));
}

static void put_entry(tn_block_solver *v, int i, int j, double value)
{
    value *= nominal(v, j);
    if (!v->sparse) {
        v->w->matrix[i * v->size + j] += value;
        return;
    }
    for (int k = v->sparse->begin[j]; k < v->sparse->begin[j + 1]; k++)
        if (v->sparse->rows[k] == i) {
            v->sparse->values[k] += value;
            return;
        }
}

/* Equation i of the block where an FMU gives its value: x - value. */
static double evaluate_external(tn_block_solver *v, int i, bool derivatives)
{
    const int row = v->n->blocks.rows[v->first + i];
    const tn_formula *f = v->n->variables[row].formula;
    struct tn_network_work *w = v->w;
    double value, change;
    bool good = tn_external_value(&v->here, v->s, v->memory, row, &value, &v->why);
    for (int k = 0; good && derivatives && k < f->slot_count; k++) {
        const int column = f->slots[k].index;
        if (f->slots[k].kind != TN_SLOT_UNKNOWN || v->n->block_of[column] != v->block)
            continue;
        good = tn_external_derivative(&v->here, v->s, v->memory, row, column, 0, &change, &v->why);
        put_entry(v, i, v->n->place_of[column], -change);
        w->scale[i] = fmax(w->scale[i], fabs(change) * nominal(v, v->n->place_of[column]));
    }
    if (!good)
        v->guilty = row;
    if (derivatives) {
        put_entry(v, i, v->n->place_of[row], 1);
        w->scale[i] = fmax(w->scale[i], nominal(v, v->n->place_of[row]));
    }
    return good ? w->x[row] - value : NAN;
}

/* The derivative of a formula by one of its slots, by a tangent. */
static double change_by(const tn_block_solver *v, const tn_formula *f, int slot)
{
    struct tn_network_work *w = v->w;
    memset(w->tangents, 0, (size_t)(TN_LEAVES * f->slot_count) * sizeof(tn_leaf));
    w->tangents[TN_LEAVES * slot].x[0] = 1;
    tn_tape_tangent(f->tape, w->tangents, w->work);
    return tn_tape_tangent_value(f->tape, w->work, 0, 0);
}

/* Value of equation i of the block; with derivatives into the matrix, the largest entry into scale. */
double tn_network_row(tn_block_solver *v, int i, bool derivatives)
{
    const int row = v->n->blocks.rows[v->first + i];
    const tn_variable *variable = &v->n->variables[row];
    const tn_formula *f = variable->formula;
    struct tn_network_work *w = v->w;
    const bool signal = variable->kind == TN_VARIABLE_SIGNAL;
    if (variable->external)
        return evaluate_external(v, i, derivatives);
    const bool sums = f->affine && v->sums;
    if (derivatives && !f->affine)
        tn_formula_evaluate(f, &v->here, v->memory, NULL, 1);
    else if (!sums)
        tn_formula_evaluate_values(f, &v->here, v->memory);
    double value = sums ? tn_formula_affine_value(f, &v->here, v->memory) : tn_formula_value(f, &v->here, 0, 0);
    if (!isfinite(value))
        v->guilty = row;
    double *gradient = (double *)(void *)w->tangents;             /* one pass for all unknowns; there is more room than it needs */
    const bool backward = f->order == 0;                   /* with velocities, gradients are those by velocities */
    if (derivatives && !f->affine && backward && f->slot_count > 0) {
        memset(gradient, 0, (size_t)(3 * TN_LEAVES * f->slot_count) * sizeof(double));
        tn_tape_gradient(f->tape, w->work, 0, 0, gradient);
    }
    for (int k = 0; derivatives && k < f->slot_count; k++) {
        const int column = f->slots[k].index;
        if (f->slots[k].kind != TN_SLOT_UNKNOWN || v->n->block_of[column] != v->block)
            continue;
        double change = f->affine ? f->affine[1 + k] : backward ? gradient[3 * TN_LEAVES * k] : change_by(v, f, k);
        put_entry(v, i, v->n->place_of[column], signal ? -change : change);
        w->scale[i] = fmax(w->scale[i], fabs(change) * nominal(v, v->n->place_of[column]));
    }
    if (!signal)
        return value;
    if (derivatives) {
        put_entry(v, i, v->n->place_of[row], 1);
        w->scale[i] = fmax(w->scale[i], nominal(v, v->n->place_of[row]));
    }
    return w->x[row] - value;
}

/* Residuals over their scales, and with derivatives the matrix. Returns the largest scaled residual. */
static double evaluate_block(tn_block_solver *v, bool derivatives)
{
    struct tn_network_work *w = v->w;
    double most = 0;
    if (derivatives && v->sparse)
        memset(v->sparse->values, 0, (size_t)v->sparse->begin[v->size] * sizeof(double));
    else if (derivatives)
        memset(w->matrix, 0, (size_t)(v->size * v->size) * sizeof(double));
    for (int i = 0; i < v->size; i++) {
        if (derivatives)
            w->scale[i] = 0;
        w->residual[i] = tn_network_row(v, i, derivatives);
        double ratio = fabs(w->residual[i]) / (w->scale[i] > 0 ? w->scale[i] : 1);
        if (!(ratio <= most))
            most = ratio;
    }
    return most;
}

/* By elimination on scaled rows. False: singular, with the unknown that has no pivot. */
static bool solve_dense(tn_block_solver *v, int *loose)
{
    struct tn_network_work *w = v->w;
    const int n = v->size;
    double *A = w->matrix, *b = w->change;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i * n + j] /= w->scale[i];
        b[i] = -w->residual[i] / w->scale[i];
    }
    *loose = tn_gauss_solve(n, A, n, b, 1, SINGULAR);
    return *loose == n;
}

/* The same by KLU; new pivots where the old ones have become small. */
static bool solve_sparse(tn_block_solver *v, int *loose)
{
    static const double worn_pivots = 1e-8;
    struct tn_network_sparse *m = v->sparse;
    struct tn_network_work *w = v->w;
    for (int k = 0; k < m->begin[v->size]; k++)
        m->values[k] /= w->scale[m->rows[k]];
    for (int i = 0; i < v->size; i++)
        w->change[i] = -w->residual[i] / w->scale[i];
    m->kept = false;
    bool good = m->numeric && klu_refactor(m->begin, m->rows, m->values, m->symbolic, m->numeric, &m->common) &&
                klu_rgrowth(m->begin, m->rows, m->values, m->symbolic, m->numeric, &m->common) &&
                m->common.rgrowth > worn_pivots;
    if (!good) {
        klu_free_numeric(&m->numeric, &m->common);
        m->numeric = klu_factor(m->begin, m->rows, m->values, m->symbolic, &m->common);
    }
    *loose = m->common.singular_col >= 0 && m->common.singular_col < v->size ? m->common.singular_col : 0;
    return m->numeric && klu_rcond(m->symbolic, m->numeric, &m->common) && m->common.rcond > SINGULAR * SINGULAR &&
           klu_solve(m->symbolic, m->numeric, v->size, 1, w->change, &m->common);
}

/* Moves by part of the change; returns the size of the whole change. */
static double move_block(const tn_block_solver *v, double part)
{
    double most = 0;
    for (int j = 0; j < v->size; j++) {
        double *x = &v->w->x[v->n->blocks.columns[v->first + j]];
        if (!(fabs(v->w->change[j]) <= most))
            most = fabs(v->w->change[j]);
        *x = v->w->before[j] + part * v->w->scale_x[j] * v->w->change[j];
    }
    return most;
}

static void note_places(const tn_block_solver *v)
{
    for (int j = 0; j < v->size; j++) {
        v->w->before[j] = v->w->x[v->n->blocks.columns[v->first + j]];
        v->w->scale_x[j] = nominal(v, j);
    }
}

static void fail_block(tn_eval *e, const tn_block_solver *v, int variable, const char *why)
{
    char name[200];
    const tn_force *force = &v->s->model->forces[v->n->variables[variable].source];
    v->w->failed = true;
    if (e->failed)
        return;
    e->failed = force->entity.name;
    e->failed_span = force->entity.span;
    snprintf(e->trouble, sizeof e->trouble, "network, at '%s': %.200s",
             tn_variable_name(v->s, variable, name, sizeof name), why);
}

static void report_worst(tn_eval *e, const tn_block_solver *v)
{
    char why[200], name[100];
    int worst = 0;
    double ratio = -1;
    for (int i = 0; i < v->size; i++) {
        double this = fabs(v->w->residual[i]) / (v->w->scale[i] > 0 ? v->w->scale[i] : 1);
        if (!(this <= ratio)) {
            ratio = this;
            worst = i;
        }
    }
    const int column = v->n->blocks.columns[v->first + worst];
    snprintf(why, sizeof why, "no solution: its equation is left with %.3g where '%s' is %.6g (SI)", v->w->residual[worst],
             tn_variable_name(v->s, column, name, sizeof name), v->w->x[column]);
    fail_block(e, v, v->n->blocks.rows[v->first + worst], why);
}

static bool is_of_signals(const tn_block_solver *v)
{
    for (int j = 0; j < v->size; j++)
        if (v->n->variables[v->n->blocks.columns[v->first + j]].kind != TN_VARIABLE_SIGNAL)
            return false;
    return true;
}

static bool step_block(tn_eval *e, tn_block_solver *v)
{
    int loose = 0;
    for (int i = 0; i < v->size; i++)
        if (!(v->w->scale[i] > 0)) {
            fail_block(e, v, v->n->blocks.rows[v->first + i], "its equation depends on none of the unknowns here: the network "
                       "is singular; switches open, or capacitors at a source?");
            return false;
        }
    if (v->sparse ? solve_sparse(v, &loose) : solve_dense(v, &loose))
        return true;
    fail_block(e, v, v->n->blocks.columns[v->first + loose],
               is_of_signals(v) ? "it is not determined: the loop that computes it from itself holds for no value, or for all"
                                : "it is not determined: the network is singular; give off_conductance or a resistor to ground");
    return false;
}

/* Once more with the factors of the last step: it solves what is linear, at a fraction of the cost. True: solved; otherwise the step is
 * taken back unless it was a good one. */
static bool repeat_step(tn_block_solver *v, double last)
{
    static const double good = 1e-3;
    struct tn_network_work *w = v->w;
    if (!v->sparse || !isfinite(evaluate_block(v, false)))
        return false;
    for (int i = 0; i < v->size; i++) {
        w->change[i] = -w->residual[i] / w->scale[i];
        w->before[i] = w->x[v->n->blocks.columns[v->first + i]];
    }
    if (!klu_solve(v->sparse->symbolic, v->sparse->numeric, v->size, 1, w->change, &v->sparse->common))
        return false;
    const double size = move_block(v, 1);
    if (!(size <= good * last))
        move_block(v, 0);
    return size <= CONVERGED;
}

/* An affine equation with one unknown. False: the unknown has no factor, or no finite value. */
static bool solve_single(tn_block_solver *v)
{
    enum { MOST = 3 };             /* the first step solves it; round-off of a long step is taken away by the next one */
    const int row = v->n->blocks.rows[v->first], column = v->n->blocks.columns[v->first];
    const tn_variable *variable = &v->n->variables[row];
    const tn_formula *f = variable->formula;
    double factor = 0, size = INFINITY;
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind == TN_SLOT_UNKNOWN && f->slots[k].index == column)
            factor += f->affine[1 + k];
    if (variable->kind == TN_VARIABLE_SIGNAL)
        factor = (row == column) - factor;
    if (factor == 0)
        return false;
    for (int k = 0; k < MOST && size > 1; k++) {
        const double step = -tn_network_row(v, 0, false) / factor;
        v->w->x[column] += step;
        size = fabs(step) / nominal(v, 0);
    }
    return isfinite(v->w->x[column]);
}

/* The change of the last step over the unknowns where it has led. */
static double relative_size(const tn_block_solver *v)
{
    double most = 0;
    for (int j = 0; j < v->size; j++) {
        const double part = v->w->scale_x[j] * fabs(v->w->change[j]) / nominal(v, j);
        if (!(part <= most))
            most = part;
    }
    return most;
}

/* A large affine block: its matrix changes with numbers of the model only, so its factors are kept. */
static bool solve_affine_sparse(tn_eval *e, tn_block_solver *v)
{
    struct tn_network_sparse *m = v->sparse;
    struct tn_network_work *w = v->w;
    const size_t bytes = (size_t)v->size * sizeof(double);
    if (!m->kept || m->changes != v->s->affine_changes) {
        if (!isfinite(evaluate_block(v, true)))
            return false;
        note_places(v);
        if (!step_block(e, v))
            return false;
        memcpy(m->scale, w->scale, bytes);
        memcpy(m->scale_x, w->scale_x, bytes);
        m->changes = v->s->affine_changes;
        m->kept = true;
    }
    memcpy(w->scale, m->scale, bytes);
    memcpy(w->scale_x, m->scale_x, bytes);
    double last = INFINITY;
    const double settled = fmin(1, fmax(SETTLED, w->accuracy / DBL_EPSILON) * m->common.rcond);
    v->sums = w->accuracy * m->common.rcond > DBL_EPSILON;     /* round-off of sums is amplified by the condition */
    for (int k = 0; k < MOST_STEPS; k++) {
        if (!tn_affine_evaluate(v))
            return false;
        for (int i = 0; i < v->size; i++) {
            w->change[i] = -w->residual[i] / w->scale[i];
            w->before[i] = w->x[v->n->blocks.columns[v->first + i]];
        }
        if (!klu_solve(m->symbolic, m->numeric, v->size, 1, w->change, &m->common))
            return false;
        double size = move_block(v, 1);
        if (size > settled)                            /* of stages far away, where unknowns are larger than they were */
            size = relative_size(v);
        if (size <= settled || (size <= STALLED && size >= 0.5 * last))
            return true;
        last = size;
    }
    return false;
}

/* Newton with full steps. Returns true when solved; false: try carefully, unless e->failed is set. */
static bool solve_quickly(tn_eval *e, tn_block_solver *v)
{
    double last = INFINITY;
    const bool affine = v->n->blocks.affine[v->block];
    if (affine && v->size == 1 && solve_single(v))
        return true;
    if (affine && v->sparse)
        return solve_affine_sparse(e, v);
    for (int k = 0; k < MOST_STEPS; k++) {
        if (!isfinite(evaluate_block(v, true)))
            return false;
        note_places(v);
        if (!step_block(e, v))
            return false;
        double size = move_block(v, k < FULL_STEPS ? 1 : 0.5);
        if (size <= CONVERGED || (size <= STALLED && size >= 0.5 * last))
            return true;
        if (!isfinite(size) || (k == 0 && repeat_step(v, size)))
            return isfinite(size);
        last = size;
    }
    return false;
}

/* Newton with steps that reduce the residual, from the guess of the model. */
static bool solve_carefully(tn_eval *e, tn_block_solver *v)
{
    double last = INFINITY;
    const char *failed = e->failed;
    for (int j = 0; j < v->size; j++) {
        int column = v->n->blocks.columns[v->first + j];
        v->w->x[column] = v->n->variables[column].guess;
    }
    for (int k = 0; k < MOST_CAREFUL; k++) {
        double residual = evaluate_block(v, true), part = 1;
        if (!isfinite(residual))
            return false;
        note_places(v);
        if (!step_block(e, v)) {
            if (k > 0) {                               /* on the way: no solution, rather than a singular network */
                e->failed = failed;
                v->w->failed = false;
            }
            return false;
        }
        double size = move_block(v, part);
        for (int n = 0; n < MOST_HALVINGS && size > STALLED; n++, part *= 0.5) {
            move_block(v, part);
            if (evaluate_block(v, false) < residual)
                break;
        }
        if (size <= CONVERGED || (size <= STALLED && size >= 0.5 * last))
            return true;
        last = size;
    }
    return false;
}

static void solve_block(tn_eval *e, tn_block_solver *v)
{
    struct tn_network_work *w = v->w;
    const int column = v->n->blocks.columns[v->first];
    if (v->n->blocks.assigned[v->block] && v->n->variables[column].external) {
        const char *trouble;
        if (!tn_external_value(&v->here, v->s, v->memory, column, &w->x[column], &trouble))
            fail_block(e, v, column, trouble);
        return;
    }
    if (v->n->blocks.assigned[v->block]) {
        const tn_formula *f = v->n->variables[column].formula;
        tn_formula_evaluate_values(f, &v->here, v->memory);
        w->x[column] = tn_formula_value(f, &v->here, 0, 0);
        char why[80] = "no finite number";
        if (!isfinite(w->x[column])) {
            tn_tape_trouble(f->tape, w->work, 0, why, sizeof why);
            fail_block(e, v, column, why);
        }
        return;
    }
    const char *failed = e->failed;
    if (solve_quickly(e, v) || (e->failed = failed, w->failed = false, v->guilty = -1, solve_carefully(e, v)))
        return;
    if (w->failed)
        return;
    if (v->guilty >= 0)
        fail_block(e, v, v->guilty, v->why ? v->why : "no finite number");
    else
        report_worst(e, v);
}

/* ---- the network ---- */

void tn_network_evaluate(tn_eval *e, const tn_system *s, const double *memory)
{
    struct tn_network_work *w = e->network;
    const tn_network *n = s->network;
    if (!w || w->current || w->busy)
        return;
    if (!memory) {                 /* gravity: evaluated before the memory is known */
        for (int k = 0; k < n->count; k++)
            w->x[k] = n->variables[k].guess;
        return;
    }
    const bool known = memory[n->memory] != 0;
    for (int k = 0; k < n->count; k++)
        w->x[k] = known ? memory[n->memory + 1 + k] : n->variables[k].guess;
    w->record = NULL;
    tn_block_solver v = { .here = *e, .w = w, .s = s, .n = n, .memory = memory, .guilty = -1 };
    v.here.leaves = w->leaves;
    v.here.work = w->work;
    v.here.memory_work = w->memory_work;
    w->busy = true;
    w->failed = false;
    for (int k = 0, sparse = 0; k < n->blocks.count && !w->failed; k++) {
        v.block = k;
        v.first = n->blocks.begin[k];
        v.sums = false;
        v.size = block_size(n, k);
        v.sparse = v.size > MOST_DENSE ? &w->sparse[sparse++] : NULL;
        v.guilty = -1;
        v.why = NULL;
        solve_block(e, &v);
    }
    w->busy = false;
    w->current = true;
}

void tn_network_remember(const tn_eval *e, const tn_system *s, double *memory)
{
    const tn_network *n = s->network;
    if (!n || !e->network || !e->network->current || e->network->failed)
        return;
    memory[n->memory] = 1;
    memcpy(memory + n->memory + 1, e->network->x, (size_t)n->count * sizeof(double));
}
