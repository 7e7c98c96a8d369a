/* Energy account: work of forces without a potential, friction and drives, minus the energy that goes into components.
 * The account takes power at the Gauss-Lobatto points of every step, on the dense output, and interpolates it by a
 * polynomial in between. Where these points do not show the power, as in the long steps of a mechanism whose motion its drives
 * determine, it takes the step in parts. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "session_impl.h"
#include "vec.h"

enum { POWERS = TN_LENGTH(((tn_session *)0)->powers) };
static const double power_at[POWERS] = { 0, 0.17267316464601142810, 0.5, 0.82732683535398857190, 1 };
static const double power_weight[POWERS] = { 0.05, 49.0 / 180, 16.0 / 45, 49.0 / 180, 0.05 };

/* Returns the energy (J) that went into components from the start of the last step to a part of it. These energies are
 * states, so no evaluation is needed; a cubic interpolates them within the step. */
static double into_components(const tn_session *session, double part)
{
    const tn_system *s = session->system;
    const tn_step *step = &session->stepper->step;
    const int z = s->positions + s->velocities;
    double rise = tn_coupling_work(s, step->y1 + z) - tn_coupling_work(s, step->y0 + z);
    double p0 = step->h * tn_coupling_work(s, step->dy0 + z), p1 = step->h * tn_coupling_work(s, step->dy1 + z);
    return part * (p0 + part * (3 * rise - 2 * p0 - p1 + part * (p0 + p1 - 2 * rise)));
}

/* Tells whether nothing in the model does work, so that there is nothing to integrate. */
static bool is_idle(const tn_session *session)
{
    const tn_system *s = session->system;
    return session->stepper->motion_only ||
           (!session->loads && !session->overlay.pull.active && s->force_count == 0 && !s->field && !s->reacts &&
            !s->gravity_formula && !s->works && tn_system_allows(s, TN_ALLOW_TERMS) && s->layout.slide_count == 0);
}

/* Tells whether power needs multipliers: the power of joints, of forces that depend on reactions, of sliding
 * friction. */
static bool needs_solution(const tn_session *s)
{
    return s->system->works || s->system->reacts || s->loads || s->system->layout.slide_count > 0;
}

static void move_to_state(tn_stepper *st)
{
    tn_eval_motion(st->eval, st->system, st->t, st->y, st->y + st->system->positions);
}

/* Computes energy and power at the accepted state. */
static int find_energy(tn_session *s)
{
    if (needs_solution(s))
        TN_TRY(tn_session_evaluate_plainly(s));
    else
        move_to_state(s->stepper);
    s->energy = tn_system_energy(s->stepper->eval, s->system, s->stepper->memory);
    return TN_OK;
}

double tn_stepper_energy(tn_stepper *st)
{
    move_to_state(st);
    tn_energy energy = tn_system_energy(st->eval, st->system, st->memory);
    return energy.kinetic + energy.potential;
}

int tn_work_begin(tn_session *s)
{
    TN_TRY(find_energy(s));
    s->powers[POWERS - 1] = s->energy.power;
    s->overlay.pull_powers[POWERS - 1] = tn_eval_pull_power(s->stepper->eval, s->system);
    tn_network_account_begin(s);
    tn_loads_take(s, 0);
    return TN_OK;
}

/* The stepper computes the energy at the end of its steps, except where loads are recorded (inverse dynamics) and where
 * drives determine the motion without integration. */
void tn_work_ready(tn_session *s)
{
    tn_stepper *st = s->stepper;
    st->accounts = !s->loads && !st->source.step;
    st->solves_end = st->accounts && needs_solution(s);
}

static int find_energy_after_step(tn_session *s)
{
    if (!s->stepper->accounts)
        return find_energy(s);
    s->energy = s->stepper->energy;
    return TN_OK;
}

/* Computes the total power, and the power of the pull, at the state in stepper->stage, which is one of the last step. */
static int power_at_stage(tn_session *s, double t, double *power, double *pull_power)
{
    tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    if (needs_solution(s))
        TN_TRY(tn_session_evaluate_at(s, t, st->stage));
    else
        tn_eval_motion(st->eval, sys, t, st->stage, st->stage + sys->positions);
    *power = tn_system_energy(st->eval, sys, st->memory).power;
    *pull_power = tn_eval_pull_power(st->eval, sys);
    s->eval_current = false;
    return TN_OK;
}

/* The same at a part of the last step. */
static int power_at_part(tn_session *s, double part, double *power, double *pull_power)
{
    tn_stepper *st = s->stepper;
    TN_TRY(tn_stepper_dense(st, part, st->stage));
    return power_at_stage(s, st->step.t + part * st->step.h, power, pull_power);
}

/* The same at point k of the account, of networks, too. */
static int power_in_step(tn_session *s, double part, int k, double *power, double *pull_power)
{
    TN_TRY(power_at_part(s, part, power, pull_power));
    tn_network_take(s, k);
    return TN_OK;
}

/* The polynomial through count values at the points at. */
static double interpolated(int count, const double *at, const double *values, double theta)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        double term = values[k];
        for (int j = 0; j < count; j++)
            term *= j == k ? 1 : (theta - at[j]) / (at[k] - at[j]);
        sum += term;
    }
    return sum;
}

/* Powers in the first part of a step across a singular position. On the position itself, where such a step may begin or end,
 * rows that are independent elsewhere depend on each other, and multipliers are not those of the motion. So powers are taken at
 * the points of Gauss' rule, with the rank of the first of them, and the polynomial through them is used. */
static int powers_across(tn_session *s, double part, double powers[POWERS], double pull[POWERS])
{
    enum { POINTS = 6 };                               /* even: none in the middle */
    static const double at[POINTS] = { 0.033765242898423987, 0.16939530676686774, 0.38069040695840155,
                                       0.61930959304159845, 0.83060469323313226, 0.96623475710157601 };
    tn_stepper *st = s->stepper;
    double power[POINTS], pulled[POINTS];
    TN_TRY(tn_stepper_dense(st, part * at[0], st->stage));
    st->rule = TN_RANK_DECIDE;
    TN_TRY(tn_stepper_evaluate(st, st->step.t + part * at[0] * st->step.h, st->stage));
    for (int k = 0; k < POINTS; k++)
        TN_TRY(power_at_part(s, part * at[k], &power[k], &pulled[k]));
    for (int k = 0; k < POWERS; k++) {
        powers[k] = interpolated(POINTS, at, power, power_at[k]);
        pull[k] = interpolated(POINTS, at, pulled, power_at[k]);
    }
    st->rule = TN_RANK_DECIDE;
    return tn_stepper_evaluate(st, st->t, st->y);
}

/* ---- steps in parts ---- */

static double integral(const double powers[POWERS], double h)
{
    double sum = 0;
    for (int k = 0; k < POWERS; k++)
        sum += h * power_weight[k] * powers[k];
    return sum;
}

typedef struct part_list {
    tn_session *s;
    tn_work_part *parts;           /* room for TN_WORK_PARTS; NULL: only the sum is wanted */
    int count;
    double sum;                    /* J */
    double least;                  /* J: smaller errors do not matter */
} part_list;

/* J: an error of the account that the tolerance of the motion allows, too. */
static double least_error(const tn_session *s, const double powers[POWERS], double h)
{
    const double per_tolerance = 10, least = 1e-10, exchanged = h * tn_largest(POWERS, powers);
    return fmax(least, per_tolerance * s->solve.tolerance) * fmax(exchanged, fmax(s->summary.energy_peak, fabs(s->work)));
}

/* Do five points not show the power of a part that takes h seconds? Coefficients of Legendre polynomials fall by about the same factor
 * from degree to degree, those of odd or even degrees may vanish: from degrees 3 and 4, c is as large as that of degree 4 may be. Then
 * the integral, exact to degree 7, is off by c^2 / P, the interpolation by less than c. */
static bool is_rough(const double p[POWERS], double h, double least)
{
    const double between = 1e4;    /* times as much as the integral is the interpolation in rows allowed to be off */
    const double most = tn_largest(POWERS, p);
    if (most == 0)
        return false;
    const double third = 0.35 * (p[4] - p[0]) - 0.53463383107818160 * (p[3] - p[1]);
    const double fourth = 0.2 * (p[0] + p[4]) - 7.0 / 15 * (p[1] + p[3]) + 8.0 / 15 * p[2];
    const double c = fmax(fabs(fourth), third * third / most);
    return h * c * c > least * most || h * c > between * least;
}

/* Power at a part of the step, on the joints: in long steps dense output is beside them. */
static int power_on_joints(tn_session *s, double part, double *power)
{
    tn_stepper *st = s->stepper;
    const double t = st->step.t + part * st->step.h;
    double pull;
    TN_TRY(tn_stepper_interpolate(st, t, st->stage));
    return power_at_stage(s, t, power, &pull);
}

/* Powers at the inner points of a part of the step, whose ends are known. */
static int powers_inside(tn_session *s, double begin, double end, double powers[POWERS])
{
    for (int k = 1; k < POWERS - 1; k++)
        TN_TRY(power_on_joints(s, begin + power_at[k] * (end - begin), &powers[k]));
    return TN_OK;
}

/* Adds a part of the step, in halves where its points do not show the power. */
static int add_part(part_list *list, double begin, double end, const double powers[POWERS], int halvings)
{
    tn_session *s = list->s;
    const double h = (end - begin) * s->stepper->step.h, middle = begin + (end - begin) / 2;
    if (halvings == 0 || !is_rough(powers, h, list->least)) {
        if (list->parts) {
            list->parts[list->count] = (tn_work_part){ .begin = begin, .end = end, .work = list->sum };
            memcpy(list->parts[list->count].powers, powers, POWERS * sizeof *powers);
        }
        list->count++;
        list->sum += integral(powers, h);
        return TN_OK;
    }
    double first[POWERS] = { [0] = powers[0], [POWERS - 1] = powers[POWERS / 2] };
    double second[POWERS] = { [0] = powers[POWERS / 2], [POWERS - 1] = powers[POWERS - 1] };
    TN_TRY(powers_inside(s, begin, middle, first));
    TN_TRY(add_part(list, begin, middle, first, halvings - 1));
    TN_TRY(powers_inside(s, middle, end, second));
    return add_part(list, middle, end, second, halvings - 1);
}

/* Computes the work (J) of the first part of the last step; kept: its parts are kept for rows within the step. */
static int find_work(double *work, tn_session *s, double part, const double powers[POWERS], bool kept)
{
    const double h = part * s->stepper->step.h, least = least_error(s, powers, h);
    *work = integral(powers, h);
    if (!s->stepper->accounts || s->stepper->crosses || !is_rough(powers, h, least))
        return TN_OK;
    part_list list = { .s = s, .parts = kept ? s->work_parts : NULL, .least = least };
    double exact[POWERS] = { [0] = powers[0], [POWERS - 1] = powers[POWERS - 1] };
    if (part < 1)
        TN_TRY(power_on_joints(s, part, &exact[POWERS - 1]));
    TN_TRY(powers_inside(s, 0, part, exact));
    TN_TRY(add_part(&list, 0, part, exact, TN_WORK_HALVINGS));
    if (kept)
        s->work_part_count = list.count;
    *work = list.sum;
    return TN_OK;
}

static bool crosses_with_work(const tn_session *s)
{
    return s->stepper->crosses && needs_solution(s);
}

/* Adds the energy of the pull, from its powers in the last step, or in the first part (h long) of that step. */
static void add_pull_energy(tn_session *s, const double powers[POWERS], double h)
{
    if (s->overlay.pull.active)
        s->overlay.pull.energy = s->overlay.pull_energy_before + integral(powers, h);
}

/* Error (J) of the energy balance at the end of the last step. */
static double balance_error(const tn_session *s)
{
    return s->energy.kinetic + s->energy.potential - s->summary.energy_start - s->work;
}

/* Networks alone, at loose tolerances: steps of multistep methods are so short that powers are parabolas in them. */
static bool takes_parabolas(const tn_session *s)
{
    return tn_stepper_is_coarse(s->stepper) && s->system->body_count == 0 && !s->loads && !needs_solution(s);
}

/* Power at a part of a step, from those at its begin, middle and end. */
static double on_parabola(double p0, double p1, double p2, double part)
{
    return p0 * (1 - part) * (1 - 2 * part) + p1 * 4 * part * (1 - part) + p2 * part * (2 * part - 1);
}

static void fill_points(tn_session *s)
{
    enum { MIDDLE = POWERS / 2, END = POWERS - 1 };
    double *p = s->powers;
    tn_network_power *n = s->network.points;
    for (int k = 1; k < END; k++) {
        if (k == MIDDLE)
            continue;
        p[k] = on_parabola(p[0], p[MIDDLE], p[END], power_at[k]);
        n[k].supplied = on_parabola(n[0].supplied, n[MIDDLE].supplied, n[END].supplied, power_at[k]);
        n[k].lost = on_parabola(n[0].lost, n[MIDDLE].lost, n[END].lost, power_at[k]);
        n[k].mechanical = on_parabola(n[0].mechanical, n[MIDDLE].mechanical, n[END].mechanical, power_at[k]);
    }
}

/* The step began behind a jump in time: powers are others there, and drives whose rates jump have done work at once. */
static int begin_anew(tn_session *s)
{
    TN_TRY(power_in_step(s, 0, 0, &s->powers[0], &s->overlay.pull_powers[0]));
    s->work += tn_system_energy(s->stepper->eval, s->system, s->stepper->memory).kinetic - s->energy.kinetic;
    return TN_OK;
}

int tn_work_add(tn_session *s)
{
    const bool parabolas = takes_parabolas(s);
    tn_stepper *st = s->stepper;
    double *pull = s->overlay.pull_powers;
    s->work_before = s->work;
    s->error_before = balance_error(s);
    s->work_part_count = 0;
    if (is_idle(s))
        return find_energy_after_step(s);
    s->powers[0] = s->powers[POWERS - 1];
    pull[0] = pull[POWERS - 1];
    tn_network_account_step(s);
    if (st->anew)
        TN_TRY(begin_anew(s));
    tn_loads_repeat(s, st->step.h * power_weight[0]);
    for (int k = 1; k < POWERS - 1; k++) {
        if (parabolas && k != POWERS / 2)
            continue;
        TN_TRY(power_in_step(s, power_at[k], k, &s->powers[k], &pull[k]));
        tn_loads_take(s, st->step.h * power_weight[k]);
    }
    TN_TRY(find_energy_after_step(s));
    s->powers[POWERS - 1] = s->energy.power;
    if (s->overlay.pull.active || tn_network_has_account(s->system)) {
        move_to_state(st);
        s->eval_current = false;
        pull[POWERS - 1] = tn_eval_pull_power(st->eval, s->system);
        tn_network_take(s, POWERS - 1);
        if (parabolas)
            fill_points(s);
        tn_network_account_add(s, power_weight, st->step.h);
    }
    tn_loads_take(s, st->step.h * power_weight[POWERS - 1]);
    if (crosses_with_work(s))
        TN_TRY(powers_across(s, 1, s->powers, pull));
    double work;
    TN_TRY(find_work(&work, s, 1, s->powers, true));
    s->work += work - into_components(s, 1);
    s->overlay.pull_energy_before = s->overlay.pull.energy;
    add_pull_energy(s, pull, st->step.h);
    return TN_OK;
}

int tn_work_cut(tn_session *s, double t)
{
    const tn_step *step = &s->stepper->step;
    double powers[POWERS] = { s->powers[0] }, pull[POWERS] = { s->overlay.pull_powers[0] };
    double part = (t - step->t) / step->h;
    if (is_idle(s))
        return TN_OK;
    for (int k = 1; k < POWERS; k++)
        TN_TRY(power_in_step(s, part * power_at[k], k, &powers[k], &pull[k]));
    tn_network_account_add(s, power_weight, part * step->h);
    if (crosses_with_work(s))
        TN_TRY(powers_across(s, part, powers, pull));
    double work;
    TN_TRY(find_work(&work, s, part, powers, false));
    s->work = s->work_before + work - into_components(s, part);
    add_pull_energy(s, pull, part * step->h);
    return TN_OK;
}

/* Returns the energy (J) from the start of the last step to its part theta. */
static double energy_within(const double powers[POWERS], double theta, double h)
{
    static const double at[] = { 0.11270166537925831, 0.5, 0.88729833462074169 };   /* Gauss-Legendre, degree 5 */
    static const double weight[] = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += weight[k] * interpolated(POWERS, power_at, powers, theta * at[k]);
    return theta * h * sum;
}

/* Returns the part of the last step before t; 1: the whole step. */
static double part_at(const tn_session *s, double t)
{
    const tn_step *step = &s->stepper->step;
    double theta = step->h > 0 ? (t - step->t) / step->h : 1;
    return theta >= 1 - TN_SAME_STEP || is_idle(s) ? 1 : theta;
}

/* Returns the work (J) from the start of the last step to its part theta. */
static double work_within(const tn_session *s, double theta)
{
    const double h = s->stepper->step.h;
    const tn_work_part *part = s->work_parts;
    if (s->work_part_count == 0)
        return energy_within(s->powers, theta, h);
    while (part < s->work_parts + s->work_part_count - 1 && part->end < theta)
        part++;
    const double length = part->end - part->begin;
    return part->work + energy_within(part->powers, (theta - part->begin) / length, length * h);
}

double tn_work_at(const tn_session *s, double t)
{
    double theta = part_at(s, t);
    if (theta == 1)
        return s->work;
    return s->work_before + work_within(s, theta) - into_components(s, theta);
}

double tn_energy_error_at(const tn_session *s, double t, double total)
{
    const tn_step *step = &s->stepper->step;
    double theta = step->h > 0 ? (t - step->t) / step->h : 1;
    if (!(theta >= 0 && theta < 1 - TN_SAME_STEP))
        return total - s->summary.energy_start - tn_work_at(s, t);
    return s->error_before + theta * (balance_error(s) - s->error_before);
}

double tn_pull_energy_at(const tn_session *s, double t)
{
    const tn_overlay *o = &s->overlay;
    double theta = part_at(s, t);
    if (theta == 1)
        return o->pull.energy;
    return o->pull_energy_before + energy_within(o->pull_powers, theta, s->stepper->step.h);
}

tn_network_sum tn_network_sum_at(const tn_session *s, double t)
{
    const tn_network_account *a = &s->network;
    const double theta = part_at(s, t), h = s->stepper->step.h;
    double supplied[POWERS], lost[POWERS], mechanical[POWERS];
    if (!(theta >= 0 && theta < 1))
        return a->sum;
    for (int k = 0; k < POWERS; k++) {
        supplied[k] = a->points[k].supplied;
        lost[k] = a->points[k].lost;
        mechanical[k] = a->points[k].mechanical;
    }
    tn_network_sum sum = a->before;
    sum.supplied += energy_within(supplied, theta, h);
    sum.lost += energy_within(lost, theta, h);
    sum.mechanical += energy_within(mechanical, theta, h);
    sum.error += theta * (a->sum.error - a->before.error);
    return sum;
}
