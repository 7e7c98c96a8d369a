/* Holds start values that are given inside components. The model around sees only ports, so a value inside follows from the
 * push p along its coordinate and from closing all joints afterwards, which is the least change again:
 *     off(p) = 0        Newton's method, with derivatives by differences; one step where off is linear, as for velocities */
#include "assemble_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "diag.h"
#include "matrix.h"

static const double PROBE = 1e-5, PROBE_RATE = 1;      /* m or rad, per second: push of a difference */
static const double LARGEST_PUSH = 0.3;                /* m or rad, of a step */
static const double HOLDS = 1e-11;                     /* m, rad or per second: the value holds */
static const double WEAK = 1e-8;                       /* singular values below this part of the largest: nothing moves the value */
static const int MOST_STEPS = 40;

typedef struct inside {
    assembler *as;
    bool velocities;
    int count;
    double *off, *trial;           /* of each value: now less given; 0 where it is not given at this level */
    double *q, *v, *memory;        /* the state before a push */
} inside;

/* Evaluates at the state; ports go where their components put them, so that their angles are counted on from there. */
static int evaluate(const inside *x)
{
    assembler *as = x->as;
    const tn_system *s = as->system;
    tn_assembly_evaluate(as, as->a->q, x->velocities);
    TN_TRY(as->eval->component_code);
    const double *q = tn_eval_positions(as->eval, s);
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].port)
            memcpy(as->a->q + s->bodies[b].q, q + s->bodies[b].q, (size_t)(s->dimension == 2 ? 3 : 7) * sizeof(double));
    return TN_OK;
}

static int measure(inside *x, double *off)
{
    assembler *as = x->as;
    const char *name;
    TN_TRY(evaluate(x));
    for (int k = 0; k < x->count; k++) {
        tn_component_given g;
        TN_TRY(tn_coupling_given(&g, as->eval, as->system, k, &name));
        const double is = x->velocities ? g.rate_now - g.rate : g.value_now - g.value;
        off[k] = isnan(is) ? 0 : is;
    }
    return TN_OK;
}

static double largest(const inside *x, const double *off)
{
    double most = 0;
    for (int k = 0; k < x->count; k++)
        most = fmax(most, fabs(off[k]));
    return most;
}

static void copy_state(const inside *x, bool back)
{
    const tn_system *s = x->as->system;
    tn_assembly *a = x->as->a;
    const size_t q = (size_t)s->positions * sizeof(double), v = (size_t)(s->velocities + s->states) * sizeof(double);
    const size_t memory = (size_t)s->memory * sizeof(double);
    memcpy(back ? a->q : x->q, back ? x->q : a->q, q);
    memcpy(back ? a->v : x->v, back ? x->v : a->v, v);
    memcpy(back ? a->memory : x->memory, back ? x->memory : a->memory, memory);
}

static int push(const inside *x, int index, double amount)
{
    assembler *as = x->as;
    TN_TRY(evaluate(x));
    return tn_coupling_push(as->eval, as->system, x->velocities ? TN_ASK_VELOCITIES : TN_ASK_POSITIONS, index, amount,
                            as->a->v + as->system->velocities);
}

static int close_again(const inside *x)
{
    return x->velocities ? tn_assembly_solve_velocities(x->as) : tn_assembly_close(x->as);
}

/* Columns of J: changes of all values by a push along each of them. */
static int differentiate(inside *x, tn_matrix *J)
{
    const double probe = x->velocities ? PROBE_RATE : PROBE;
    for (int j = 0; j < x->count; j++) {
        TN_TRY(push(x, j, probe));
        TN_TRY(close_again(x));
        TN_TRY(measure(x, x->trial));
        for (int i = 0; i < x->count; i++)
            tn_column(J, j)[i] = (x->trial[i] - x->off[i]) / probe;
        copy_state(x, true);
    }
    return TN_OK;
}

/* One step of Newton's method; of least size where values cannot be moved alone. */
static int step_inside(inside *x, tn_arena *arena)
{
    const int n = x->count;
    tn_matrix J, p;
    lapack_int rank;
    double *sigma = tn_numbers(arena, n), most = 0;
    TN_TRY(tn_matrix_new(&J, arena, n, n));
    TN_TRY(tn_matrix_new(&p, arena, n, 1));
    if (!sigma)
        return TN_ERROR_MEMORY;
    copy_state(x, false);
    TN_TRY(differentiate(x, &J));
    for (int k = 0; k < n; k++)
        p.at[k] = -x->off[k];
    int code = tn_lapack_code(LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, n, 1, J.at, n, p.at, n, sigma, WEAK, &rank));
    if (code != TN_OK)
        return code < 0 ? code : TN_ERROR_ASSEMBLY;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(p.at[k]));
    const double part = x->velocities || most <= LARGEST_PUSH ? 1 : LARGEST_PUSH / most;
    for (int k = 0; k < n; k++)
        TN_TRY(push(x, k, part * p.at[k]));
    TN_TRY(close_again(x));
    return measure(x, x->off);
}

static int refuse(inside *x)
{
    const tn_system *s = x->as->system;
    int worst = 0;
    const char *name;
    tn_component_given g;
    for (int k = 0; k < x->count; k++)
        worst = fabs(x->off[k]) > fabs(x->off[worst]) ? k : worst;
    TN_TRY(tn_coupling_given(&g, x->as->eval, s, worst, &name));
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, TN_NOWHERE, "the start contradicts itself: component '%s': the start %.6g %s%s of %s "
                   "does not fit to the joints, drives and start values around, off by %.3g (guess: yes makes it a first guess)", name,
                   x->velocities ? g.rate : g.value, g.unit, x->velocities ? "/s" : "", g.name, fabs(x->off[worst]));
}

static int allocate(inside *x)
{
    const tn_system *s = x->as->system;
    tn_arena *arena = x->as->arena;
    x->off = tn_numbers(arena, x->count);
    x->trial = tn_numbers(arena, x->count);
    x->q = tn_numbers(arena, s->positions);
    x->v = tn_numbers(arena, s->velocities + s->states);
    x->memory = tn_numbers(arena, s->memory);
    return tn_arena_status(arena);
}

int tn_assembly_hold_inside(assembler *as, bool velocities, double tolerance)
{
    inside x = { .as = as, .velocities = velocities,
                 .count = as->a->hold_inside ? tn_coupling_given_count(as->a->coupling) : 0 };
    double before = INFINITY;
    if (x.count == 0)
        return TN_OK;
    TN_TRY(allocate(&x));
    TN_TRY(measure(&x, x.off));
    for (int k = 0; k < MOST_STEPS && largest(&x, x.off) > HOLDS && largest(&x, x.off) < before; k++) {
        before = largest(&x, x.off);
        TN_TRY(step_inside(&x, as->arena));
    }
    return largest(&x, x.off) > tolerance ? refuse(&x) : TN_OK;
}
