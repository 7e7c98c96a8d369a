/* The Delassus operator of unilateral constraints: opening, loading a state, impulses and subproblems. */
#include "delassus.h"

#include <string.h>
#include "coupling.h"
#include "holds.h"

static void use_own_layout(tn_delassus *b)
{
    tn_layout_restore(b->session->system, &b->own);
}

static void use_stepper_layout(tn_delassus *b)
{
    tn_layout_restore(b->session->system, &b->others);
}

/* ---- open and close ---- */

static int attach(tn_delassus *b, tn_unilateral **unilaterals, int count)
{
    tn_joint *joints = tn_arena_alloc(b->arena, (size_t)count, sizeof *joints);
    struct tn_joint_term *terms = tn_arena_alloc(b->arena, (size_t)count, sizeof *terms);
    const int holds = b->session->system->layout.hold_count;
    tn_attached *all = tn_arena_alloc(b->arena, (size_t)(count + holds), sizeof *all);
    b->unilaterals = tn_arena_alloc(b->arena, (size_t)count, sizeof *b->unilaterals);
    b->contacts = tn_arena_alloc(b->arena, (size_t)count, sizeof *b->contacts);
    TN_TRY(tn_arena_status(b->arena));
    if (holds > 0)
        TN_TRY(tn_holds_list(b->session, b->arena, all));
    tn_attached *attached = all + holds;
    for (int k = 0; k < count; k++) {
        int rows = tn_unilateral_joint(&joints[k], &terms[k], b->session, unilaterals[k]);
        attached[k] = (tn_attached){ .joint = &joints[k], .rows = rows };
        b->unilaterals[k] = unilaterals[k];
        b->contacts[k] = (tn_cone_contact){ .row = b->rows, .tangents = rows - 1, .mu = unilaterals[k]->friction };
        b->rows += rows;
    }
    b->count = count;
    TN_TRY(tn_system_attach(b->session->system, all, count + holds, &b->others));
    b->own = tn_layout_of(b->session->system);
    return TN_OK;
}

static double *vector(tn_delassus *b, int n)
{
    return tn_arena_alloc(b->arena, (size_t)n, sizeof(double));
}

/* Marks the bodies that joints or components hold. */
static int mark_held(tn_delassus *b)
{
    const tn_system *s = b->session->system;
    const tn_structure *k = &s->structure;
    b->held_body = tn_arena_alloc(b->arena, (size_t)s->body_count, sizeof *b->held_body);
    if (!b->held_body)
        return TN_ERROR_MEMORY;
    memset(b->held_body, b->session->coupling ? 1 : 0, (size_t)s->body_count * sizeof *b->held_body);
    for (int block = 0; block < k->block_begin[tn_lasting_constraints(s)]; block++)
        b->held_body[k->block_body[block]] = true;
    return TN_OK;
}

static int allocate(tn_delassus *b)
{
    const tn_system *s = b->session->system;
    int n = b->rows;
    b->joints = s->structure;
    b->joints.constraints = tn_lasting_constraints(s);
    b->first = s->rows - n;
    TN_TRY(tn_coupled_eval_create(&b->eval, s, b->session->coupling, b->arena, false));
    b->eval->pull = b->session->stepper->eval->pull;
    b->J = vector(b, n * s->velocities);
    b->A = vector(b, n * s->velocities);
    b->W = vector(b, n * n);
    b->b = vector(b, n);
    b->p = vector(b, n);
    b->w = vector(b, n);
    b->forces = vector(b, n);
    b->y = vector(b, s->size);
    b->f = vector(b, s->velocities);
    b->u = vector(b, s->rows);
    b->free = vector(b, s->velocities);
    b->impulse = vector(b, s->velocities);
    b->work = vector(b, tn_cone_doubles(n));
    b->numbers = tn_arena_alloc(b->arena, (size_t)tn_cone_ints(n), sizeof(int));
    b->part_W = vector(b, n * n);
    b->part_b = vector(b, n);
    b->part_p = vector(b, n);
    b->part_w = vector(b, n);
    b->part = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *b->part);
    b->chosen = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *b->chosen);
    TN_TRY(tn_arena_status(b->arena));
    TN_TRY(mark_held(b));
    tn_delassus_recall(b);
    b->solver = tn_solver_types[0];
    return tn_coupled_analyze(&b->saddle, &b->solver, b->eval, s, &b->joints, s->jacobian_size, b->arena);
}

int tn_delassus_open(tn_delassus *out, tn_session *s, tn_unilateral **unilaterals, int count)
{
    *out = (tn_delassus){ .session = s, .arena = tn_arena_create(s->context) };
    int code = out->arena ? attach(out, unilaterals, count) : TN_ERROR_MEMORY;
    if (code == TN_OK) {
        code = allocate(out);
        use_stepper_layout(out);
    }
    if (code < 0)
        tn_delassus_close(out);
    return code;
}

void tn_delassus_close(tn_delassus *b)
{
    if (b->saddle)
        b->solver->destroy(b->saddle);
    tn_layout_free(b->session->system, &b->own);
    if (b->arena)
        tn_arena_destroy(b->arena);
    *b = (tn_delassus){ 0 };
}

void tn_delassus_recall(tn_delassus *b)
{
    for (int k = 0; k < b->count; k++)
        memcpy(b->forces + b->contacts[k].row, b->unilaterals[k]->force,
               (size_t)(1 + b->contacts[k].tangents) * sizeof(double));
}

void tn_delassus_remember(tn_delassus *b)
{
    for (int k = 0; k < b->count; k++)
        memcpy(b->unilaterals[k]->force, b->forces + b->contacts[k].row,
               (size_t)(1 + b->contacts[k].tangents) * sizeof(double));
}

/* ---- the mechanism ---- */

static double product(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

static void gather_rows(tn_delassus *b)
{
    const tn_system *s = b->session->system;
    const tn_structure *k = &s->structure;
    int n = s->velocities;
    memset(b->J, 0, (size_t)(b->rows * n) * sizeof(double));
    for (int c = tn_lasting_constraints(s); c < s->constraint_count; c++)
        for (int block = k->block_begin[c]; block < k->block_begin[c + 1]; block++) {
            int first = k->body_column[k->block_body[block]], w = k->body_column[k->block_body[block] + 1] - first;
            const double *G = b->eval->G + k->block_offset[block];
            for (int r = k->constraint_row[c] - b->first; r < k->constraint_row[c + 1] - b->first; r++, G += w)
                memcpy(b->J + r * n + first, G, (size_t)w * sizeof(double));
        }
}

/* Tells whether no joint and no component takes part in the constraint: its bodies answer with their own masses. */
static bool answers_freely(const tn_delassus *b, int constraint)
{
    const tn_structure *k = &b->session->system->structure;
    for (int block = k->block_begin[constraint]; block < k->block_begin[constraint + 1]; block++)
        if (b->held_body[k->block_body[block]])
            return false;
    return true;
}

/* x = M^-1 x for the bodies of the constraint; other entries are zero and stay so. */
static void respond_freely(const tn_delassus *b, int constraint, double *x)
{
    const tn_system *s = b->session->system;
    const tn_structure *k = &s->structure;
    for (int block = k->block_begin[constraint]; block < k->block_begin[constraint + 1]; block++)
        tn_eval_divide_by_mass(b->eval, s, k->block_body[block], x + k->body_column[k->block_body[block]]);
}

/* Finds the responses of the rows of a constraint. */
static int respond(tn_delassus *b, int constraint)
{
    const tn_structure *k = &b->session->system->structure;
    const int n = b->session->system->velocities;
    const bool freely = answers_freely(b, constraint);
    for (int i = k->constraint_row[constraint] - b->first; i < k->constraint_row[constraint + 1] - b->first; i++) {
        if (!freely) {
            TN_TRY(b->solver->solve(b->saddle, b->J + i * n, b->u, b->A + i * n, NULL));
            continue;
        }
        memcpy(b->A + i * n, b->J + i * n, (size_t)n * sizeof(double));
        respond_freely(b, constraint, b->A + i * n);
    }
    return TN_OK;
}

/* Adds J A' to the columns of W that belong to the rows of a constraint, over its bodies alone, from the diagonal on. */
static void multiply_rows(tn_delassus *b, int constraint)
{
    const tn_structure *k = &b->session->system->structure;
    const int n = b->session->system->velocities;
    for (int block = k->block_begin[constraint]; block < k->block_begin[constraint + 1]; block++) {
        int first = k->body_column[k->block_body[block]], w = k->body_column[k->block_body[block] + 1] - first;
        for (int j = k->constraint_row[constraint] - b->first; j < k->constraint_row[constraint + 1] - b->first; j++)
            for (int i = j; i < b->rows; i++)
                b->W[i + j * b->rows] += product(w, b->J + j * n + first, b->A + i * n + first);
    }
}

static int find_responses(tn_delassus *b)
{
    const tn_system *s = b->session->system;
    memset(b->u, 0, (size_t)s->rows * sizeof(double));
    memset(b->W, 0, (size_t)(b->rows * b->rows) * sizeof(double));
    for (int c = tn_lasting_constraints(s); c < s->constraint_count; c++)
        TN_TRY(respond(b, c));
    for (int c = tn_lasting_constraints(s); c < s->constraint_count; c++)
        multiply_rows(b, c);
    for (int j = 0; j < b->rows; j++)
        for (int i = j + 1; i < b->rows; i++)
            b->W[j + i * b->rows] = b->W[i + j * b->rows];
    return TN_OK;
}

void tn_delassus_velocities(tn_delassus *b)
{
    memcpy(b->b, b->eval->gdot + b->first, (size_t)b->rows * sizeof(double));
}

static int evaluate_delassus(tn_delassus *b, double t)
{
    const tn_session *session = b->session;
    const tn_system *s = session->system;
    tn_eval *e = b->eval;
    const double *memory = session->stepper->memory;
    tn_eval_motion(e, s, t, b->y, b->y + s->positions);
    TN_TRY(e->component_code);
    tn_eval_forces(e, s, memory);
    if (!s->reacts)
        memcpy(b->f, e->f, (size_t)s->velocities * sizeof(double));
    tn_eval_constraints(e, s, memory, 2, true);
    TN_TRY(b->solver->factor(b->saddle, e->M, e->G, TN_RANK_DECIDE));
    gather_rows(b);
    TN_TRY(find_responses(b));
    tn_delassus_velocities(b);
    return TN_OK;
}

int tn_delassus_load(tn_delassus *b, double t, const double *y)
{
    tn_session *session = b->session;
    const tn_system *s = session->system;
    memmove(b->y, y, (size_t)s->size * sizeof(double));
    if (s->reacts) {                                   /* some forces depend on reactions: take the converged ones */
        TN_TRY(tn_session_evaluate_at(session, t, b->y));
        memcpy(b->f, session->stepper->eval->f, (size_t)s->velocities * sizeof(double));
        session->eval_current = false;
    }
    use_own_layout(b);
    int code = evaluate_delassus(b, t);
    use_stepper_layout(b);
    return code;
}

int tn_delassus_accelerations(tn_delassus *b)
{
    const tn_system *s = b->session->system;
    tn_eval *e = b->eval;
    int n = s->velocities;
    TN_TRY(tn_coupling_condense(e, s, TN_RANK_KEEP));
    TN_TRY(tn_coupling_free(e, s, TN_ASK_ACCELERATIONS, e->free));
    for (int i = 0; i < s->rows; i++)
        b->u[i] = b->held ? 0 : e->bias[i];
    tn_coupling_subtract_rows(s, &b->joints, e->G, e->free, b->u);
    TN_TRY(b->solver->solve(b->saddle, b->f, b->u, b->free, NULL));
    tn_coupling_add_free(e, s, b->free);
    for (int i = 0; i < b->rows; i++)
        b->b[i] = product(n, b->J + i * n, b->free) - (b->held ? 0 : e->bias[b->first + i]);
    return TN_OK;
}

/* Finds the joint impulses that the impulses p cause, into eval->lambda; tau = J' p. */
static int find_reactions(tn_delassus *b, double *tau)
{
    const tn_system *s = b->session->system;
    memset(tau, 0, (size_t)s->velocities * sizeof(double));
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < s->velocities; j++)
            tau[j] += b->p[i] * b->J[i * s->velocities + j];
    memset(b->u, 0, (size_t)s->rows * sizeof(double));
    return b->solver->solve(b->saddle, tau, b->u, b->free, b->eval->lambda);
}

int tn_delassus_tell(tn_delassus *b, double *work)
{
    const tn_system *s = b->session->system;
    tn_eval *e = b->eval;
    double *v = b->y + s->positions, *z = v + s->velocities;
    if (!e->coupling)                  /* nothing beyond v is struck */
        return TN_OK;
    TN_TRY(find_reactions(b, e->tau));
    tn_coupling_add_reactions(s, &b->joints, e->G, e->lambda, e->tau);
    *work += tn_coupling_strike(s, e->tau, e->v, b->free, z);
    return tn_coupling_take(e, s, TN_ASK_VELOCITIES, e->tau, z, NULL);
}

static int find_stiffness(tn_derivatives **out, tn_delassus *b, tn_arena *arena)
{
    tn_session *session = b->session;
    TN_TRY(find_reactions(b, b->impulse));
    memset(b->eval->lambda + b->first, 0, (size_t)b->rows * sizeof(double));
    for (int k = 0; k < b->count; k++)
        b->eval->lambda[b->first + b->contacts[k].row] = b->p[b->contacts[k].row];
    TN_TRY(tn_joint_derivatives_create(out, session->system, arena));
    tn_joint_derivatives(*out, b->eval, session->system, session->stepper->memory);
    return TN_OK;
}

int tn_delassus_stiffness(tn_derivatives **out, tn_delassus *b, tn_arena *arena)
{
    use_own_layout(b);
    int code = find_stiffness(out, b, arena);
    use_stepper_layout(b);
    return code;
}

int tn_delassus_drive_work(tn_delassus *b, double *work)
{
    const tn_system *s = b->session->system;
    if (!s->works)
        return TN_OK;
    use_own_layout(b);
    int code = find_reactions(b, b->impulse);
    for (int c = 0; c < s->own_constraints && code == TN_OK; c++)
        if (s->constraints[c].works)
            *work += tn_constraint_power(b->eval, s, c);
    use_stepper_layout(b);
    return code;
}

/* ---- subproblems ---- */

/* Lists the rows of the chosen unilateral constraints in numbers; returns how many. */
static int list_rows(tn_delassus *b, int count)
{
    int rows = 0;
    for (int k = 0; k < count; k++) {
        const tn_cone_contact *contact = &b->contacts[b->chosen[k]];
        b->part[k] = *contact;
        b->part[k].row = rows;
        for (int r = 0; r <= contact->tangents; r++)
            b->numbers[rows++] = contact->row + r;
    }
    return rows;
}

tn_cone_problem tn_delassus_part(tn_delassus *b, int count)
{
    int rows = list_rows(b, count);
    for (int i = 0; i < rows; i++) {
        b->part_b[i] = b->b[b->numbers[i]];
        b->part_p[i] = 0;
        for (int j = 0; j < rows; j++)
            b->part_W[i + j * rows] = b->W[b->numbers[i] + b->numbers[j] * b->rows];
    }
    return (tn_cone_problem){ .rows = rows, .W = b->part_W, .b = b->part_b, .contacts = b->part,
                              .contact_count = count };
}
