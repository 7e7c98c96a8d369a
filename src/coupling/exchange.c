/* Questions to components, and the forces and solutions that components take in answer. */
#include "coupling_impl.h"

#include <math.h>
#include <string.h>
#include "dense.h"
#include "vec.h"

/* m or rad: assumed length of curvature of a component, to estimate the residual after its last correction. */
static const double SMALLEST_LENGTH = 0.1;

/* ---- asking ---- */

/* The component has told D, and tells r. */
static bool tells_answer(const tn_coupled *component)
{
    return tn_coupled_is_condensed(component) && !tn_only_responds(component->of);
}

static void begin_answers(const tn_eval *e, const tn_system *s, tn_question question)
{
    const tn_component_request request = { .call = TN_CALL_FREE_ANSWER, .question = question };
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_coupled *component = &e->coupling->items[k];
        if (!component->of->open && tells_answer(component))
            tn_coupled_begin(component, &request);
    }
}

int tn_coupled_free(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question, double *r)
{
    const bool told = tells_answer(component);
    const tn_component_type *type = component->type;
    double *answer = component->answer;
    tn_coupled_cover(component);
    TN_TRY(tn_coupled_passed(e, s, component, told ? type->free_answer(component->self, question, answer)
                                                   : type->respond(component->self, question, NULL, answer),
                             told ? "free_answer" : "respond"));
    if (!tn_finite(component->of->columns, answer))
        return tn_coupled_note(e, s, component, TN_ERROR_STEP, "the motion of its ports is not finite");
    for (int j = 0; j < component->of->columns; j++)
        r[component->of->column[j]] = answer[j];
    return TN_OK;
}

int tn_coupling_free(tn_eval *e, const tn_system *s, tn_question question, double *r)
{
    begin_answers(e, s, question);
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        TN_TRY(tn_coupled_free(e, s, &e->coupling->items[k], question, r));
    return TN_OK;
}

double tn_coupling_free_along(const tn_eval *e, const tn_system *s, const double *row)
{
    return s->component_count > 0 ? tn_dot(s->velocities, row, e->free) : 0;
}

/* Writes the motions of ports without forces to e->free: zero for open components, whose solution includes it. */
static int find_free_motions(tn_eval *e, const tn_system *s, tn_question question)
{
    begin_answers(e, s, question);
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        if (!component->of->open) {
            TN_TRY(tn_coupled_free(e, s, component, question, e->free));
            continue;
        }
        TN_TRY(tn_coupled_ask(e, s, component, question));
        for (int j = 0; s->closed_components > 0 && j < component->of->columns; j++)
            e->free[component->of->column[j]] = 0;
    }
    return TN_OK;
}

int tn_coupling_ask(tn_eval *e, const tn_system *s, const tn_structure *structure, const double *G,
                    tn_question question, const double **u, double *room)
{
    TN_TRY(find_free_motions(e, s, question));
    if (s->closed_components == 0)
        return TN_OK;
    if (*u != room)
        memmove(room, *u, (size_t)structure->constraint_row[structure->constraints] * sizeof(double));
    tn_coupling_subtract_rows(s, structure, G, e->free, room);
    *u = room;
    return TN_OK;
}

static bool is_solved(const tn_coupled *component)
{
    return component->exchange.phase == TN_EXCHANGE_SOLVED && component->exchange.point == component->at.number;
}

void tn_coupling_add_free(const tn_eval *e, const tn_system *s, double *a)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_coupled *component = &e->coupling->items[k];
        const int *column = component->of->column;
        for (int j = 0; !is_solved(component) && j < component->of->columns; j++)
            a[column[j]] += e->free[column[j]];
    }
}

/* ---- taking ---- */

bool tn_coupled_answered(const tn_coupled *component, tn_question question)
{
    return is_solved(component) && component->exchange.question == question && component->shown.question == question &&
           (component->exchange.lambda || !component->of->works);
}

static bool all_answered(const tn_eval *e, const tn_system *s, tn_question question)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        if (!tn_coupled_answered(&e->coupling->items[k], question))
            return false;
    return true;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= most))
            most = fabs(a[k] - b[k]);
    return most;
}

/* Power (W) of tau on the ports. */
static double power(const tn_eval *e, const tn_coupled *component)
{
    double sum = 0;
    for (int j = 0; j < component->of->columns; j++)
        sum += component->tau[j] * e->v[component->of->column[j]];
    return sum;
}

/* An open component takes the solution, which includes all its bodies. */
static int take_solution(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question, double *y,
                         double *work)
{
    const tn_coupled_exchange *exchange = &component->exchange;
    double ignored;
    return tn_coupled_passed(e, s, component,
                             component->type->take_open(component->self, question, exchange->motion, exchange->lambda,
                                                        y, question == TN_ASK_ACCELERATIONS ? work : &ignored),
                             "take_open");
}

/* Forces on the ports of the component. */
static const double *forces_on(const tn_coupled *component, const double *tau)
{
    for (int j = 0; tau && j < component->of->columns; j++)
        component->tau[j] = tau[component->of->column[j]];
    return tau ? component->tau : NULL;
}

/* closed: only of components that are not open. */
static void begin_takes(const tn_eval *e, const tn_system *s, tn_question question, const double *tau, bool closed)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_coupled *component = &e->coupling->items[k];
        if (!(tau && tn_coupled_answered(component, question)) && !(closed && component->of->open))
            tn_coupled_begin(component, &(tn_component_request){ .call = TN_CALL_TAKE, .question = question,
                                                                 .tau = forces_on(component, tau) });
    }
}

/* A component takes forces on its ports; NULL: no forces. */
static int take_forces(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question, const double *tau,
                       double *y, double *work)
{
    tn_coupled_cover(component);
    TN_TRY(tn_coupled_passed(e, s, component,
                             component->type->take(component->self, question, forces_on(component, tau), y), "take"));
    if (question == TN_ASK_ACCELERATIONS)
        *work = power(e, component);
    return TN_OK;
}

static int take_exchange(tn_eval *e, const tn_system *s, tn_coupled *component, tn_question question, const double *tau,
                double *z, double *change)
{
    double *y = z + component->of->state, *work = z + component->of->work;
    TN_TRY(tau && tn_coupled_answered(component, question)
               ? take_solution(e, s, component, question, y, work)
               : take_forces(e, s, component, question, tau, y, work));
    if (question != TN_ASK_ACCELERATIONS && change)
        *change = fmax(*change, largest_difference(component->of->state_count, y, component->at.y));
    return TN_OK;
}

int tn_coupling_take(tn_eval *e, const tn_system *s, tn_question question, const double *tau, double *z, double *change)
{
    begin_takes(e, s, question, tau, false);
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        TN_TRY(take_exchange(e, s, &e->coupling->items[k], question, tau, z, change));
    return TN_OK;
}

int tn_coupling_tell(tn_eval *e, const tn_system *s, const tn_structure *structure, const double *G,
                     tn_question question, const double *f, const double *lambda, double *z, double *change)
{
    if (s->component_count == 0)
        return TN_OK;
    if (!all_answered(e, s, question)) {
        memcpy(e->tau, f, (size_t)s->velocities * sizeof(double));
        tn_coupling_add_reactions(s, structure, G, lambda, e->tau);
    }
    if (change)
        *change = 0;
    return tn_coupling_take(e, s, question, e->tau, z, s->closed_components > 0 ? change : NULL);
}

/* ---- forces that depend on reactions ---- */

int tn_coupling_react(tn_eval *e, const tn_system *s, const tn_structure *structure, tn_component_reaction *out)
{
    *out = (tn_component_reaction){ 0 };
    if (!s->components_react)
        return TN_OK;
    TN_TRY(tn_coupling_tell(e, s, structure, e->G, TN_ASK_ACCELERATIONS, e->f, e->lambda, e->dz, NULL));
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        tn_component_reaction one = { 0 };
        if (!component->of->reacts)
            continue;
        TN_TRY(tn_coupled_passed(e, s, component, component->type->react(component->self, &one), "react"));
        if (!isfinite(one.change))
            return tn_coupled_note(e, s, component, TN_ERROR_STEP, "its friction is not finite");
        out->change = fmax(out->change, one.change);
        out->force = fmax(out->force, one.force);
        out->row = fmax(out->row, one.row);
    }
    return TN_OK;
}

void tn_coupling_ask_again(const tn_eval *e, const tn_system *s)
{
    for (int k = 0; s->components_react && k < tn_coupled_count(e, s); k++)
        if (e->coupling->items[k].of->reacts)
            tn_coupled_cover(&e->coupling->items[k]);
}

int tn_coupling_not_settled(tn_eval *e, const tn_system *s)
{
    for (int k = 0; s->components_react && k < tn_coupled_count(e, s); k++)
        if (e->coupling->items[k].of->reacts)
            return tn_coupled_note(e, s, &e->coupling->items[k], TN_ERROR_STEP,
                                   "friction and reactions inside do not settle: a joint locks itself");
    return TN_ERROR_STEP;
}

int tn_coupling_settle(tn_eval *e, const tn_system *s, double t, double *y)
{
    static const tn_question questions[] = { TN_ASK_POSITIONS, TN_ASK_VELOCITIES };
    double *v = y + s->positions;
    for (size_t k = 0; s->component_count > 0 && k < TN_LENGTH(questions); k++) {
        tn_eval_motion(e, s, t, y, v);
        TN_TRY(e->component_code);
        TN_TRY(tn_coupling_take(e, s, questions[k], NULL, v + s->velocities, NULL));
    }
    return TN_OK;
}

int tn_coupling_check_rates(tn_eval *e, const tn_system *s, const double *dz)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_sys_component *of = &s->components[k];
        if (!tn_finite(1 + of->state_count, dz + of->work))
            return tn_coupled_note(e, s, &e->coupling->items[k], TN_ERROR_STEP,
                                   "the rates of its states are not finite");
    }
    return TN_OK;
}

/* ---- residuals inside ---- */

static int take_closed(tn_eval *e, const tn_system *s, tn_question question, double *z, double *change)
{
    begin_takes(e, s, question, NULL, true);
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        if (!s->components[k].open)
            TN_TRY(take_exchange(e, s, &e->coupling->items[k], question, NULL, z, change));
    return TN_OK;
}

/* Open components show their residual. The residual of other components is, in the first pass, their own correction;
 * later it is estimated: Newton's method leaves the square of the last change over a length, or zero where equations
 * are linear. */
int tn_coupling_gap(tn_eval *e, const tn_system *s, const tn_coupling_pass *pass, double *scratch, double *gap)
{
    double change = 0;
    TN_TRY(tn_coupling_open_gap(e, s, pass->question, pass->matrices, gap));
    if (s->closed_components == 0)
        return TN_OK;
    if (pass->first)
        TN_TRY(take_closed(e, s, pass->question, scratch, &change));
    else if (pass->question == TN_ASK_POSITIONS)
        change = pass->changed * pass->changed / SMALLEST_LENGTH;
    *gap = fmax(*gap, change);
    return TN_OK;
}
