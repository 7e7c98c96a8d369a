/* Attaches the joints of devices that stick, and decides which of them let go (holds.h). */
#include "holds.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "hybrid.h"
#include "unilaterals.h"

/* rad/s or m/s, rad or m: what counts as a port that moves, or as one that has been moved. */
static const double MOVES = 1e-9, MOVED = 1e-9;
/* Rounds at one instant before sticking and slipping count as circular. */
enum { MOST_ROUNDS = 100 };

static const tn_hybrid *hybrid_of(const tn_session *s)
{
    return s->system->network && s->system->network->hybrid->hold_count > 0 ? s->system->network->hybrid : NULL;
}

/* In kinematic runs and inverse dynamics the drives determine the motion. */
static bool holds_anything(const tn_session *s)
{
    return hybrid_of(s) && !s->stepper->source.step && !s->stepper->motion_only && !s->loads;
}

int tn_holds_count(const tn_session *s)
{
    const tn_hybrid *h = hybrid_of(s);
    int count = 0;
    for (int k = 0; holds_anything(s) && k < h->sampler_count; k++)
        count += tn_hold_wanted(&h->samplers[k], s->stepper->memory);
    return count;
}

/* ---- joints ---- */

/* The type of joints for linear relations of coordinates, and that of rods. */
static const tn_joint_type *joint_type(const tn_session *s, bool rod)
{
    size_t k = 0;
    while (!rod && tn_joint_types[k]->joints >= 0)
        k++;
    return rod ? tn_model_joint_type(s->model, "rod") : tn_joint_types[k];
}

static int make_joint(tn_session *s, tn_arena *arena, const tn_sampler *p, tn_joint *joint)
{
    const tn_stepper *st = s->stepper;
    const tn_hold *hold = p->hold;
    tn_formula_evaluate(p->formula, st->eval, st->memory, NULL, 1);
    *joint = (tn_joint){ .type = joint_type(s, hold->term_count == 0), .entity = s->model->forces[p->source].entity,
                         .body1 = hold->body1, .body2 = hold->body2, .frame1 = hold->frame1, .frame2 = hold->frame2,
                         .term_count = hold->term_count, .parameters = { st->memory[hold->held] } };
    joint->terms = tn_arena_alloc(arena, hold->term_count, sizeof *joint->terms);
    if (!joint->terms)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < hold->term_count; k++) {
        joint->terms[k] = hold->terms[k];
        joint->terms[k].factor = tn_formula_value(p->formula, st->eval, hold->factor + (int)k, 0);
    }
    return TN_OK;
}

int tn_holds_list(tn_session *s, tn_arena *arena, tn_attached *out)
{
    const tn_hybrid *h = hybrid_of(s);
    const tn_stepper *st = s->stepper;
    int count = 0;
    if (tn_holds_count(s) == 0)
        return TN_OK;
    s->eval_current = false;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    for (int k = 0; k < h->sampler_count; k++) {
        if (!tn_hold_wanted(&h->samplers[k], st->memory))
            continue;
        tn_joint *joint = tn_arena_alloc(arena, 1, sizeof *joint);
        if (!joint)
            return TN_ERROR_MEMORY;
        TN_TRY(make_joint(s, arena, &h->samplers[k], joint));
        out[count++] = (tn_attached){ .joint = joint, .rows = 1, .holder = k + 1 };
    }
    return TN_OK;
}

/* ---- decisions ---- */

static bool is_attached(const tn_session *s)
{
    const tn_hybrid *h = hybrid_of(s);
    const tn_layout *l = &s->system->layout;
    int count = 0;
    for (int k = 0; k < h->sampler_count; k++)
        if (tn_hold_wanted(&h->samplers[k], s->stepper->memory)) {
            if (count >= l->hold_count || l->holders[count] != k)
                return false;
            count++;
        }
    return count == l->hold_count;
}

/* Attaches what is wanted. Where a port still moves, as that of a freewheel that an impact has turned, it is stopped at once: the
 * energy is lost. */
static int attach(tn_session *s)
{
    TN_TRY(tn_unilaterals_attach(s, s->stepper->y));
    tn_stepper *st = s->stepper;
    double before = tn_stepper_energy(st);
    st->rule = TN_RANK_DECIDE;
    s->eval_current = false;
    TN_TRY(tn_project_velocities(st, st->t, st->y, st->y + s->system->positions));
    TN_TRY(tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory));
    s->work -= before - tn_stepper_energy(st);
    return tn_work_begin(s);
}

/* Takes the first switch of each holding device that leads out of its mode. Returns how many. */
static int let_go(tn_session *s)
{
    const tn_hybrid *h = hybrid_of(s);
    tn_stepper *st = s->stepper;
    double *z = st->y + s->system->positions + s->system->velocities;
    int chosen[2] = { -1, -1 };
    double most = 0;
    for (int k = 0; k < h->sampler_count; k++)
        for (int n = 0; tn_hold_wanted(&h->samplers[k], st->memory) && n < h->samplers[k].switch_count; n++) {
            double value = tn_switch_value(st->eval, s->system, k, n, st->memory);
            if (value > most) {
                most = value;
                chosen[0] = k;
                chosen[1] = n;
            }
        }
    if (chosen[0] < 0)
        return 0;
    tn_switch_take(st->eval, s->system, chosen[0], chosen[1], st->memory, z);
    tn_hybrid_settle(st->eval, s->system, st->memory, NULL, NULL, 0);
    return 1;
}

int tn_holds_settle(tn_session *s)
{
    if (!holds_anything(s))
        return TN_OK;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!is_attached(s))
            TN_TRY(attach(s));
        if (s->system->layout.hold_count == 0)
            return TN_OK;
        s->eval_current = false;
        TN_TRY(tn_session_evaluate_at(s, s->stepper->t, s->stepper->y));
        if (let_go(s) == 0)
            return TN_OK;
    }
    return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span, "devices stick and slip in a circle at t = %.9g s, more than %d "
                   "times at one instant", s->stepper->t, MOST_ROUNDS);
}

int tn_holds_refresh(tn_session *s)
{
    const tn_hybrid *h = hybrid_of(s);
    tn_stepper *st = s->stepper;
    bool any = false;
    if (!holds_anything(s))
        return TN_OK;
    s->eval_current = false;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    for (int k = 0; k < h->sampler_count; k++) {
        const tn_sampler *p = &h->samplers[k];
        if (!p->hold)
            continue;
        tn_formula_evaluate(p->formula, st->eval, st->memory, NULL, 1);
        const double rate = tn_formula_value(p->formula, st->eval, p->hold->rate, 0);
        const double position = tn_formula_value(p->formula, st->eval, p->start, 0);
        const double begins = rint(tn_formula_value(p->formula, st->eval, p->start_mode, 0));
        const bool holds = tn_hold_wanted(p, st->memory);
        const double mode = st->memory[p->memory + p->memory_count];
        if (holds ? fabs(rate) > MOVES || fabs(position - st->memory[p->hold->held]) > MOVED : fabs(rate) > MOVES && begins != mode) {
            tn_sampler_restart(st->eval, s->system, k, st->memory);
            any = true;
        }
    }
    if (any)
        tn_hybrid_settle(st->eval, s->system, st->memory, NULL, NULL, 0);
    return TN_OK;
}
