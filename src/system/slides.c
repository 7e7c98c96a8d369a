/* Friction of attached joints that touch. Their tangential equations are the last ones; where they are not in force, slip
 * v (one or two components) with rows T over the velocities and a normal force N cause the friction force
 *     -mu(|v|, spin) N T' d,   d the direction of v.
 * In force or not, turning against each other causes torques that are proportional to N, too: against rolling with a
 * constant arm, against spinning about the normal after Coulomb and Contensou, with the rational functions of Zhuravlev
 * (1998) for a patch of radius r under Hertz's pressure: with u = r |w_n|
 *     friction mu N v / (v + 8 u / (3 pi)),    torque 3 pi / 16 mu N r u / (u + 15 pi v / 16). */
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "system.h"
#include "vec.h"

/* rad/s: slower turning is resisted in proportion. */
static const double SLOW_TURN = 1e-3;
static const double PI = 3.14159265358979323846;

/* ---- the law ---- */

/* Sign function of a turning rate, smooth below SLOW_TURN. */
static double smooth_sign(double rate)
{
    double x = fabs(rate) / SLOW_TURN;
    return copysign(x < 1 ? x * (3 - x * x) / 2 : 1, rate);
}

static double dry_coefficient(const tn_slide_law *law, double speed)
{
    double excess = law->stribeck > 0 ? (law->sticking - law->sliding) * tn_exp(-tn_pow(speed / law->stribeck, 2)) : 0;
    return law->sliding + excess + law->viscous * speed;
}

double tn_slide_coefficient(const tn_slide_law *law, double speed, double spin)
{
    double mu = dry_coefficient(law, speed);
    return spin > TN_SLIDE_NO_SPIN ? mu * speed / (speed + 8 / (3 * PI) * spin) : mu;
}

double tn_slide_turn(const tn_slide_law *law, int dimension, const double normal[3], const double turn[3], double speed,
                     double torque[3])
{
    tn_zero3(torque);
    if (dimension == 2) {
        torque[2] = -law->rolling * smooth_sign(turn[2]);
        return 0;
    }
    double about = tn_dot3(turn, normal), spin = law->drilling * fabs(about), rolls[3];
    for (int k = 0; k < 3; k++)
        rolls[k] = turn[k] - about * normal[k];
    double rate = tn_norm3(rolls);
    if (rate > 0)
        tn_axpy3(torque, -law->rolling * smooth_sign(rate) / rate, rolls);
    if (spin > 0) {
        double share = spin / (spin + 15 * PI / 16 * speed);
        tn_axpy3(torque, -3 * PI / 16 * law->sliding * law->drilling * share * smooth_sign(about), normal);
    }
    return spin;
}

/* ---- joints ---- */

/* Slip velocities, one for each equation that is not in force; the tape remains evaluated. */
static int slip_of(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *slip)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    const tn_program *p = c->program;
    tn_tape_input input = tn_eval_constraint_input(e, s, slide->constraint, memory);
    tn_tape_forward(p->equations, &input, 1, e->work);
    int count = p->row_count - c->rows;
    for (int k = 0; k < count; k++) {
        const tn_program_row *row = &p->rows[c->rows + k];
        slip[k] = tn_tape_value(p->equations, e->work, row->output, row->component, 0);
    }
    return count;
}

/* With one component the direction keeps its sign even when the slip passes zero: so motion is smooth until the event
 * check. With two components, a creeping slip keeps its previous direction: the direction of a slow slip changes the
 * faster the slower the slip is, and would need ever smaller steps. */
static void direction_of(const tn_slide *slide, int count, const double *slip, double *d)
{
    double length = 0;
    for (int k = 0; k < count; k++) {
        d[k] = (count == 1 ? 0 : slip[k]) + TN_SLIDE_CREEP * slide->along[k];
        length = tn_hypot(length, d[k]);
    }
    for (int k = 0; k < count; k++)
        d[k] = length > 0 ? d[k] / length : slide->along[k];
}

static double speed_of(int count, const double *slip)
{
    return count == 0 ? 0 : count == 1 ? fabs(slip[0]) : tn_hypot(slip[0], slip[1]);
}

int tn_eval_slip(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *slip)
{
    return slip_of(e, s, memory, slide, slip);
}

/* force += factor times the row, over all velocities; the tape is evaluated. */
static void add_row(tn_eval *e, const tn_system *s, const tn_constraint *c, int r, double factor, double *force)
{
    const tn_program *p = c->program;
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
    tn_tape_gradient(p->equations, e->work, p->rows[r].output, p->rows[r].component, e->gradient);
    for (int j = 0; j < 3 * TN_LEAVES * c->slot_count; j++)
        e->gradient[j] *= factor;
    for (int n = 0; n < c->slot_count; n++) {
        const tn_sys_frame *frame = &s->frames[c->frames[n]];
        if (frame->body >= 0)
            tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * n, force + s->bodies[frame->body].v);
    }
}

/* Returns the row times the velocities, without what belts add; the tape is evaluated. */
static double row_rate(tn_eval *e, const tn_system *s, const tn_constraint *c, int r)
{
    const tn_program *p = c->program;
    double rate = 0;
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
    tn_tape_gradient(p->equations, e->work, p->rows[r].output, p->rows[r].component, e->gradient);
    for (int n = 0; n < c->slot_count; n++) {
        const tn_sys_frame *frame = &s->frames[c->frames[n]];
        double row[6] = { 0 };
        if (frame->body < 0)
            continue;
        int first = s->bodies[frame->body].v, width = s->structure.body_column[frame->body + 1] - first;
        tn_add_frame_gradient(e, s, frame, e->gradient + 3 * TN_LEAVES * n, row);
        for (int k = 0; k < width; k++)
            rate += row[k] * e->v[first + k];
    }
    return rate;
}

/* Torque on body 2 against rolling and drilling per normal force, and the angular velocity of body 2 relative to body 1;
 * the tape is evaluated. The normal is the gradient of the first equation with respect to the point of body 2. Returns the
 * spin. */
static double turn_of(tn_eval *e, const tn_system *s, const tn_slide *slide, double speed, double torque[3], double turn[3])
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    const tn_program *p = c->program;
    tn_frame_motion m[2];
    double normal[3];
    memset(e->gradient, 0, (size_t)(3 * TN_LEAVES * c->slot_count) * sizeof(double));
    tn_tape_gradient(p->equations, e->work, p->rows[0].output, p->rows[0].component, e->gradient);
    tn_copy3(normal, e->gradient + 3 * TN_LEAVES + 3 * TN_LEAF_POINT);
    for (int n = 0; n < 2; n++)
        tn_frame_motion_of(e, s, &s->frames[c->frames[n]], &m[n]);
    tn_sub3(turn, m[1].w, m[0].w);
    return tn_slide_turn(&slide->law, s->dimension, normal, turn, speed, torque);
}

static bool turns(const tn_slide *slide)
{
    return slide->law.rolling > 0 || slide->law.drilling > 0;
}

/* Adds a torque on body 2, and the opposite one on body 1. */
static void add_torque(const tn_eval *e, const tn_system *s, const tn_slide *slide, const double torque[3], double *force)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    for (int n = 0; n < 2; n++) {
        const tn_sys_frame *frame = &s->frames[c->frames[n]];
        double gradient[3 * TN_LEAVES] = { 0 };
        tn_axpy3(gradient + 3 * TN_LEAF_W, n == 0 ? -1 : 1, torque);
        if (frame->body >= 0)
            tn_add_frame_gradient(e, s, frame, gradient, force + s->bodies[frame->body].v);
    }
}

double tn_eval_slip_forward(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide)
{
    double slip[TN_SLIDE_TANGENTS], d[TN_SLIDE_TANGENTS], torque[3], turn[3], sum = 0;
    int count = slip_of(e, s, memory, slide, slip);
    double speed = speed_of(count, slip);
    double spin = slide->law.drilling > 0 && count > 0 ? turn_of(e, s, slide, speed, torque, turn) : 0;
    if (spin > TN_SLIDE_NO_SPIN)
        return speed + spin;
    direction_of(slide, count, slip, d);
    for (int k = 0; k < count; k++)
        sum += d[k] * slip[k];
    return sum;
}

/* Direction and coefficient of friction at this slip and spin. */
static double friction_of(const tn_slide *slide, int count, const double *slip, double spin, double *d)
{
    double speed = speed_of(count, slip);
    direction_of(slide, count, slip, d);
    for (int k = 0; k < count && spin > TN_SLIDE_NO_SPIN && speed > 0; k++)
        d[k] = slip[k] / speed;                        /* friction vanishes with the slip: no creep */
    return tn_slide_coefficient(&slide->law, speed, spin);
}

void tn_eval_slide(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide, double *force)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    double slip[TN_SLIDE_TANGENTS], d[TN_SLIDE_TANGENTS], torque[3], turn[3], spin = 0;
    int count = slip_of(e, s, memory, slide, slip);
    memset(force, 0, (size_t)s->velocities * sizeof(double));
    if (turns(slide)) {
        spin = turn_of(e, s, slide, speed_of(count, slip), torque, turn);
        add_torque(e, s, slide, torque, force);
    }
    double mu = friction_of(slide, count, slip, spin, d);
    for (int k = 0; k < count; k++)
        add_row(e, s, c, c->rows + k, -mu * d[k], force);
}

double tn_eval_slide_power(tn_eval *e, const tn_system *s, const double *memory, const tn_slide *slide)
{
    const tn_constraint *c = &s->constraints[slide->constraint];
    double slip[TN_SLIDE_TANGENTS], d[TN_SLIDE_TANGENTS], torque[3], turn[3], spin = 0, power = 0;
    int count = slip_of(e, s, memory, slide, slip);
    if (turns(slide)) {
        spin = turn_of(e, s, slide, speed_of(count, slip), torque, turn);
        power += tn_dot3(torque, turn);
    }
    double mu = friction_of(slide, count, slip, spin, d);
    for (int k = 0; k < count; k++)
        power -= mu * d[k] * (slide->law.carries ? row_rate(e, s, c, c->rows + k) : slip[k]);
    return power;
}

double tn_slide_load(const tn_eval *e, const tn_system *s, const tn_slide *slide)
{
    return e->lambda[s->constraints[slide->constraint].row] + slide->law.adhesion;
}
