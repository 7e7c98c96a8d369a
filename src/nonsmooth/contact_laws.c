/* Checks the laws of contact at every accepted state: no overlap, no contact pulls, friction is within its cone and
 * takes energy. The multipliers of the equations in force are one way to share the load between contacts. Where the
 * share is not unique, they may break the laws although the motion is right; then multipliers that carry the same load
 * and obey the laws replace them. A violation beyond round-off ends the run. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "unilateral_modes.h"
#include "vec.h"

/* Violations below this share of the largest contact force are round-off; so are those below this share of the largest
 * load, where contacts hardly press. */
static const double FORCE_NOISE = 1e-8, LOAD_NOISE = 1e-10;
/* Largest accepted overlap (m or rad); largest accepted slip (m/s) in the direction of the friction force. */
static const double MOST_OVERLAP = 1e-7, MOST_BACKWARD = 1e-6;
/* Share of the smallest shape: overlaps that are less deep are removed by time stepping. */
static const double SHALLOW = 0.05;
/* Two shares of the same load give accelerations that agree up to this share of the largest term. */
static const double ALIKE = 1e-6;

static double *multipliers(const tn_session *s, const tn_unilateral *g)
{
    return s->stepper->eval->lambda + s->system->constraints[g->constraint].row;
}

static int row_count(const tn_session *s, const tn_unilateral *g)
{
    return s->system->constraints[g->constraint].rows;
}

static double largest_force(const tn_session *s)
{
    double most = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        for (int r = 0; tn_unilateral_closed(&s->unilaterals->items[k]) && r < row_count(s, &s->unilaterals->items[k]); r++)
            most = fmax(most, fabs(multipliers(s, &s->unilaterals->items[k])[r]));
    return most;
}

/* Returns the force (N or N m) by which a closed unilateral constraint breaks the laws at the point in stepper->eval;
 * negative: it obeys the laws. */
static double excess(const tn_session *s, const tn_unilateral *g)
{
    const double *lambda = multipliers(s, g);
    int rows = row_count(s, g);
    double normal = lambda[0] + g->law.adhesion;
    return fmax(-normal, rows > 1 ? tn_norm2(rows - 1, lambda + 1) - g->friction * normal : -normal);
}

/* Returns the closed unilateral constraint with the largest violation; NULL: all obey the laws. */
static const tn_unilateral *worst_unilateral(const tn_session *s)
{
    double load = tn_largest(s->system->velocities, s->stepper->eval->f);
    double most = fmax(FORCE_NOISE * largest_force(s), LOAD_NOISE * load);
    const tn_unilateral *found = NULL;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        const tn_unilateral *g = &s->unilaterals->items[k];
        if (tn_unilateral_closed(g) && !(excess(s, g) <= most)) {
            most = excess(s, g);
            found = g;
        }
    }
    return found;
}

/* ---- another share of the same load ---- */

bool tn_delassus_moves_alike(const tn_delassus *b, double tolerance)
{
    const double *a = b->session->stepper->eval->a;
    int n = b->session->system->velocities;
    double most = 0, apart = 0;
    for (int i = 0; i < b->rows && b->decided > 0; i++) {
        double size = fabs(b->b[i]), now = -b->eval->bias[b->first + i], then = b->b[i];
        for (int j = 0; j < n; j++)
            now += b->J[i * n + j] * a[j];
        for (int j = 0; j < b->rows; j++) {
            double part = b->W[j + i * b->rows] * b->forces[j];
            then += part;
            size += fabs(part);
        }
        apart = fmax(apart, fabs(now - then));
        most = fmax(most, size);
    }
    return b->decided > 0 && apart <= tolerance * most;
}

int tn_delassus_open_touching(tn_delassus *out, tn_session *s)
{
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    tn_unilateral **list = tn_arena_alloc(s->scratch, s->unilaterals->count, sizeof *list);
    int count = 0;
    for (size_t k = 0; k < s->unilaterals->count && list; k++)
        if (s->unilaterals->items[k].mode != TN_UNILATERAL_OPEN)
            list[count++] = &s->unilaterals->items[k];
    int code = list ? tn_delassus_open(out, s, list, count) : TN_ERROR_MEMORY;
    tn_arena_release(s->scratch, &mark);
    if (code == TN_OK)
        out->in_force = true;
    return code;
}

/* Copies the operator's forces to the multipliers, if all non-zero forces belong to equations in force. */
static void store_share(tn_session *s, const tn_delassus *b)
{
    for (int k = 0; k < b->count; k++)
        if (!tn_unilateral_closed(b->unilaterals[k]) && b->forces[b->contacts[k].row] > 0)
            return;
    for (int k = 0; k < b->count; k++) {
        const tn_unilateral *g = b->unilaterals[k];
        if (!tn_unilateral_closed(g))
            continue;
        memcpy(multipliers(s, g), b->forces + b->contacts[k].row, (size_t)row_count(s, g) * sizeof(double));
        multipliers(s, g)[0] -= g->law.adhesion;
    }
}

static int find_share(tn_session *s, tn_delassus *b, double t, const double *y)
{
    bool solved;
    tn_unilateral_mode *modes = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *modes);
    if (!modes)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_delassus_load(b, t, y));
    TN_TRY(tn_unilaterals_decide(b, modes, &solved));
    s->unilaterals->lawful = tn_delassus_moves_alike(b, ALIKE);
    if (s->unilaterals->lawful)
        store_share(s, b);
    return TN_OK;
}

int tn_laws_share(tn_session *s, double t, const double *y)
{
    tn_delassus delassus;
    if (s->reactions_shared)
        return TN_OK;
    s->reactions_shared = true;
    s->unilaterals->lawful = s->system->constraint_count == tn_lasting_constraints(s->system) || !worst_unilateral(s);
    if (s->unilaterals->lawful)
        return TN_OK;
    TN_TRY(tn_delassus_open_touching(&delassus, s));
    int code = find_share(s, &delassus, t, y);
    tn_delassus_close(&delassus);
    s->reactions_shared = true;                           /* tn_delassus_load may have evaluated and cleared it */
    return code == TN_ERROR_STEP ? TN_OK : code;
}

int tn_session_evaluate(tn_session *s)
{
    TN_TRY(tn_session_evaluate_plainly(s));
    return tn_laws_share(s, s->stepper->t, s->stepper->y);
}

int tn_laws_due(tn_session *s, double *t)
{
    *t = INFINITY;
    if (s->system->constraint_count == tn_lasting_constraints(s->system))
        return TN_OK;
    TN_TRY(tn_session_evaluate(s));
    *t = s->unilaterals->lawful ? INFINITY : s->stepper->t;
    return TN_OK;
}

/* ---- the check ---- */

static const char *advice = "the state is kept; a smaller 'tolerance' or 'max_step' in 'solve', another 'impact' or less "
                            "friction may help";

static int refuse_forces(const tn_session *s)
{
    const tn_unilateral *g = worst_unilateral(s);
    const double *lambda = multipliers(s, g);
    if (lambda[0] < -g->law.adhesion)
        return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, g), "'%s' at t = %.9g s pulls with %.6g N or N m where "
                       "it can pull with %g at most; %s", g->name, s->stepper->t, -lambda[0], g->law.adhesion, advice);
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, g), "'%s' at t = %.9g s sticks with %.6g N of friction, "
                   "more than %g times its normal force of %.6g N; %s", g->name, s->stepper->t,
                   tn_norm2(row_count(s, g) - 1, lambda + 1), g->friction, lambda[0], advice);
}

/* Checks that friction acts against the slip. */
static int check_slips(tn_session *s)
{
    const tn_layout *l = &s->system->layout;
    for (int k = 0; k < l->slide_count; k++) {
        const tn_slide *slide = &l->slides[k];
        double forward = tn_eval_slip_forward(s->stepper->eval, s->system, s->stepper->memory, slide);
        for (size_t j = 0; forward < -MOST_BACKWARD && j < s->unilaterals->count; j++)
            if (s->unilaterals->items[j].constraint == slide->constraint)
                return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, &s->unilaterals->items[j]), "'%s' at t = %.9g s: "
                               "friction acts along a slip of %.6g m/s, not against it; %s", s->unilaterals->items[j].name,
                               s->stepper->t, -forward, advice);
    }
    return TN_OK;
}

/* Tells whether time stepping can put all overlaps right. */
static bool is_shallow(const tn_session *s, const tn_touch *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (list[k].gap < -SHALLOW * tn_touches_length(s->unilaterals->near.touches))
            return false;
    return true;
}

/* Checks at the motion in stepper->eval that no shapes overlap, no limit is exceeded, and closed constraints have gap
 * zero. */
static int check_gaps(tn_session *s)
{
    const tn_touch *list = NULL;
    size_t count = 0;
    double most = fmax(MOST_OVERLAP, s->solve.gap_tolerance);
    if (s->unilaterals->near.touches)
        TN_TRY(tn_contact_shapes_find(&list, &count, s, -most));
    if (count > 0 && is_shallow(s, list, count) && tn_time_step_possible(s)) {
        tn_time_steps_begin(s, "shapes overlap a little: polyhedra stand for their round sides, or sharp edges met", false);
        return TN_OK;
    }
    if (count == 0)
        TN_TRY(tn_contact_shapes_find_deep(&list, &count, s));
    for (size_t k = 0; k < count; k++) {
        tn_unilateral g = tn_touch_unilateral(s, &list[k]);
        return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, &g), "'%s' at t = %.9g s: shapes of '%s' and '%s' "
                       "overlap by %.6g m; %s", g.name, s->stepper->t,
                       s->model->bodies[list[k].key.body1].entity.name, s->model->bodies[list[k].key.body2].entity.name,
                       -g.gap, advice);
    }
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral g = s->unilaterals->items[k];
        if (g.limit < 0 && !tn_unilateral_closed(&g))
            continue;
        tn_unilateral_measure(&g, s);
        if (g.gap < -most || (tn_unilateral_closed(&g) && g.gap > most))
            return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, &g), "'%s' at t = %.9g s: its gap is %.6g m or "
                           "rad; %s", g.name, s->stepper->t, g.gap, advice);
    }
    return TN_OK;
}

int tn_laws_check(tn_session *s)
{
    if (s->unilaterals->held || (s->unilaterals->count == 0 && !s->unilaterals->near.touches))
        return TN_OK;                                  /* a time step checks its own solution */
    if (s->system->constraint_count > tn_lasting_constraints(s->system)) {
        TN_TRY(tn_session_evaluate(s));
        if (!s->unilaterals->lawful)
            return refuse_forces(s);
        TN_TRY(check_slips(s));
    } else if (!s->eval_current) {
        tn_eval_motion(s->stepper->eval, s->system, s->stepper->t, s->stepper->y, s->stepper->y + s->system->positions);
    }
    return check_gaps(s);
}

int tn_laws_check_loss(const tn_session *s, const tn_unilateral *g, double lost, double size)
{
    if (lost >= -FORCE_NOISE * size)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, g), "'%s' at t = %.9g s: the impact would add %.6g J; %s",
                   g->name, s->stepper->t, -lost, advice);
}
