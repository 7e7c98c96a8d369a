/* Messages for steps that failed or were refused: they give the reason. */
#include <math.h>
#include <string.h>
#include "conflict.h"
#include "curve.h"
#include "diag.h"
#include "vec.h"

/* Velocity residuals above this after projection, relative to the fastest velocity, are more than round-off. */
static const double OPEN_RATE = 1e-7;

/* s, or a part of the time: a motion is compared this long before and after an instant. Velocities that differ by more than this part
 * of the fastest one jump there. */
static const double BESIDE = 1e-9, JUMP = 1e-4;

enum { CAUSE_SIZE = sizeof ((tn_eval *)0)->trouble };

/* The state of a force or device whose error exceeds its tolerance most; -1: the motion's errors are larger, or all are small. */
static int worst_state(const tn_stepper *st)
{
    const tn_system *s = st->system;
    const int first = s->positions + s->velocities;
    double most = 1;
    int worst = -1;
    for (int k = 0; k < first + s->states; k++) {
        const double size = fmax(fabs(st->y[k]), fabs(st->y1[k]));
        const double ratio = fabs(st->error[k]) / (st->absolute_tolerance + st->tolerance * size);
        if (!(ratio > most))
            continue;
        most = ratio;
        worst = k - first;
    }
    return worst;
}

/* Writes the reason why the last try failed. span: the related place in the model's text. */
static const char *cause(const tn_stepper *st, bool taken, char text[CAUSE_SIZE], tn_span *span)
{
    const tn_system *s = st->system;
    tn_saddle_info info;
    st->solver->info(st->saddle, &info);
    if (st->eval->failed) {
        *span = st->eval->failed_span;
        snprintf(text, CAUSE_SIZE, "%s", st->eval->trouble);
    } else if (info.trouble) {
        snprintf(text, CAUSE_SIZE, "%s", info.trouble);
    } else if (st->lost >= 0) {
        *span = tn_constraint_span(s, st->lost);
        snprintf(text, CAUSE_SIZE, "scheme '%s' does not hold joint '%.80s' together", st->scheme->name,
                 tn_constraint_name(s, st->lost));
    } else if (st->trouble) {
        snprintf(text, CAUSE_SIZE, "%s", st->trouble);
    } else if (st->unconverged && !taken) {
        snprintf(text, CAUSE_SIZE, "the iteration of integrator '%s' does not converge", st->integrator->name);
    } else if (st->unclosed && !taken) {
        snprintf(text, CAUSE_SIZE, "the joints cannot be closed at its end");
    } else if (taken && st->integrator->error && worst_state(st) >= 0) {
        const int state = worst_state(st);
        char name[160];
        *span = s->state[state].decl >= 0 ? s->model->forces[s->state[state].source].entity.span : *span;
        snprintf(text, CAUSE_SIZE, "the error of '%s', which is %.6g (SI), stays too large, however short the step: it jumps or grows "
                 "without bound", tn_state_name(s, state, name, sizeof name), st->y[s->positions + s->velocities + state]);
    } else {
        snprintf(text, CAUSE_SIZE, taken ? "the error stays too large, however short the step: something jumps or "
                                           "grows without bound" : "no finite accelerations");
    }
    return text;
}

/* Finds the joint or drive whose equations change their rate at once at the time of the state. by: the change (SI). -1: none. */
static int find_jump(tn_stepper *st, double *by)
{
    const tn_system *s = st->system;
    const double beside = BESIDE * fmax(1, fabs(st->t));
    double most = JUMP * fmax(1, tn_largest(s->velocities, st->y + s->positions));
    int found = -1;
    for (int side = -1; side <= 1; side += 2) {
        tn_eval_motion(st->eval, s, st->t + side * beside, st->y, st->y + s->positions);
        tn_eval_constraints(st->eval, s, st->memory, 1, false);
        if (st->eval->failed)
            return -1;
        if (side < 0)
            memcpy(st->u, st->eval->gdot, (size_t)s->rows * sizeof(double));
    }
    for (int c = 0; c < s->constraint_count; c++)
        for (int row = s->constraints[c].row; row < s->constraints[c].row + s->constraints[c].rows; row++)
            if (fabs(st->eval->gdot[row] - st->u[row]) > most) {
                most = *by = fabs(st->eval->gdot[row] - st->u[row]);
                found = c;
            }
    return found;
}

/* The table that ends at the time of the state; NULL: none. */
static const char *table_that_ends(const tn_stepper *st)
{
    const tn_model *model = st->system->model;
    for (size_t k = 0; k < model->table_count; k++)
        if (model->tables[k].curve && fabs(tn_curve_end(model->tables[k].curve) - st->t) <= BESIDE * fmax(1, fabs(st->t)))
            return model->tables[k].name;
    return NULL;
}

/* Names the motion that jumps, where the error stays too large because of one. False: none does. */
static bool explain_jump(tn_stepper *st, char text[CAUSE_SIZE], tn_span *span)
{
    double by;
    const int jump = find_jump(st, &by);
    const char *table = table_that_ends(st);
    if (jump < 0)
        return false;
    *span = tn_constraint_span(st->system, jump);
    snprintf(text, CAUSE_SIZE, "'%.60s' changes its velocity at once, by %.3g (SI), which no force can do%s%.60s%s", tn_constraint_name(st->system, jump),
             by, table ? ": table '" : "; give it a smooth motion", table ? table : "", table ? "' ends there" : "");
    return true;
}

void tn_step_refuse(tn_stepper *st, double h, bool taken, bool landing)
{
    tn_refusal *r = &st->refused;
    char text[CAUSE_SIZE];
    tn_span span;
    st->counts.rejected++;
    r->t = st->t;
    r->h = h;
    if (landing)
        snprintf(r->why, sizeof r->why, "it would have ended next to a singular position");
    else if (taken)
        snprintf(r->why, sizeof r->why, "its error was too large");
    else
        snprintf(r->why, sizeof r->why, "%.199s", cause(st, false, text, &span));
}

int tn_step_failed(tn_stepper *st, double h, bool taken)
{
    tn_context *context = st->system->context;
    tn_span span = st->system->model->solve_span, party;
    char text[CAUSE_SIZE], conflict[TN_CONFLICT_TEXT];
    cause(st, taken, text, &span);
    const bool jumps = taken && !st->trouble && explain_jump(st, text, &span);
    st->rule = TN_RANK_DECIDE;
    bool here = tn_stepper_evaluate(st, st->t, st->y) == TN_OK;
    int found = here ? tn_conflict_here(st, conflict, &party) : TN_CONFLICT_NONE;
    TN_TRY(found);
    if (found != TN_CONFLICT_NONE)
        tn_fail(context, TN_ERROR_STEP, party, "the step from t = %.9g s (h = %.3g s) cannot be taken: %s: "
                "%s; the state is kept", st->t, h, conflict,
                found == TN_CONFLICT_OF_DRIVES ? "over-driven" : "the joints contradict each other");
    else
        tn_fail(context, TN_ERROR_STEP, span, "the step from t = %.9g s (h = %.3g s) cannot be taken: %s; "
                "the state is kept%s", st->t, h, text, jumps ? "" : "; try a smaller step or tolerance");
    return TN_ERROR_STEP;
}

int tn_check_drives(tn_stepper *st)
{
    const tn_system *s = st->system;
    char text[TN_CONFLICT_TEXT];
    tn_span span;
    double fastest = 1;
    for (int k = 0; k < s->velocities; k++)
        fastest = fmax(fastest, fabs(st->y[s->positions + k]));
    if (!s->works || !st->scheme->finish || st->velocity_drift <= OPEN_RATE * fastest)
        return TN_OK;
    int found = tn_conflict_here(st, text, &span);
    if (found != TN_CONFLICT_OF_DRIVES)
        return found < 0 ? found : TN_OK;
    return tn_fail(s->context, TN_ERROR_STEP, span, "t = %.9g s: %s: over-driven", st->t, text);
}

void tn_warn_of_singular(tn_stepper *st)
{
    if ((st->passage && !st->uncrossed) || st->warned || st->rank < 0 || st->scheme->accelerate || st->source.step)
        return;
    st->warned = true;
    if (st->passage)
        tn_warn(st->system->context, st->system->model->solve_span, "t = %.6g s: the mechanism is next to a singular position, "
                "and no accurate step across it was found: forces or the motion change too fast there; compare with a "
                "smaller step or tolerance", st->t);
    else
        tn_warn(st->system->context, st->system->model->solve_span, "t = %.6g s: the mechanism is next to a singular position, "
                "where scheme '%s' with integrator '%s' may lose its accuracy or the way; scheme 'projection' passes such "
                "positions in models without components", st->t, st->scheme->name, st->integrator->name);
}
