/* Laws of impact: Newton, Poisson and sequence. An impulse p that changes velocities from b to w = W p + b adds the
 * energy p . (b + w) / 2.
 *
 * Newton: w_n >= -e b_n with p_n (w_n + e b_n) = 0, which is the plastic problem with modified velocities b. Tangential
 * restitution modifies the slips in b in the same way; Poisson's law does not have it.
 * Poisson: first the plastic impulse (compression); then e times its normal part, with friction, and a further impulse
 * that keeps contacts from approaching again (expansion).
 * Sequence: the contact with the fastest approach collides by Newton's law, again and again, until all approaches are
 * slower than the resting speed; a plastic impact of all contacts stops these. Contacts that approach equally fast are
 * solved together, so that the result does not depend on their order: a cuboid that falls flat does not begin to turn.
 * The sequence also replaces the other two laws where they find no solution.
 * Where restitution and friction together would add energy (Kane's paradox), the impulse is an interpolation between
 * the plastic and the full impulse that conserves energy. */
#include "impact_laws.h"

#include <math.h>
#include <string.h>
#include "dense.h"

/* ROUNDS: single impacts per contact, before the remaining approaches are solved together; a chain of n bodies needs
 * n^2 / 2 impacts. PATIENCE: the same for single impacts without rebound. */
enum { ROUNDS = 200, PATIENCE = 2000 };
/* Most sweeps over friction with known normal impulses; share of the impulse below which a change ends the sweeps. */
enum { FRICTION_SWEEPS = 2000 };
static const double SETTLED = 1e-15;
/* Approaches are equally fast when they differ by less than this share of the fastest: larger than the integration
 * error in a symmetric motion, smaller than differences that a user enters on purpose. */
static const double TIE = 1e-7;
/* Shares of the fastest velocity: approaches below ROUND_OFF are zero; LEFT_OVER is accepted after single impacts. */
static const double ROUND_OFF = 1e-13, LEFT_OVER = 1e-9;
/* Energy gains below this share of the impact's energy are round-off. */
static const double NO_GAIN = 1e-12;

double tn_restitution_at(const tn_restitution *r, double speed)
{
    size_t n = r->count, k = 0;
    if (n == 0)
        return r->value;
    while (k < n && r->speeds[k] < speed)
        k++;
    if (k == 0 || k == n)
        return r->values[k == 0 ? 0 : n - 1];
    double share = (speed - r->speeds[k - 1]) / (r->speeds[k] - r->speeds[k - 1]);
    return r->values[k - 1] + share * (r->values[k] - r->values[k - 1]);
}

/* Size of the workspace of a problem that is solved at once. */
static int together_doubles(int rows)
{
    return tn_cone_doubles(rows) + 3 * rows;
}

/* The workspace of the whole problem, and of a group: W, five vectors (b, p, w, restitution, resting), workspace. */
int tn_collision_doubles(int rows)
{
    return 2 * together_doubles(rows) + rows * rows + 5 * rows;
}

/* Returns one of three vectors beside the workspace of the cone solver. */
static double *spare(const tn_collision *c, int which)
{
    return c->work + tn_cone_doubles(c->problem.rows) + which * c->problem.rows;
}

static void multiply_add(const tn_cone_problem *k, const double *p, const double *b, double *w)
{
    for (int i = 0; i < k->rows; i++) {
        w[i] = b[i];
        for (int j = 0; j < k->rows; j++)
            w[i] += k->W[i + j * k->rows] * p[j];
    }
}

static double energy(int n, const double *p, const double *b, const double *w)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] * (b[i] + w[i]) / 2;
    return sum;
}

/* Finds the impulses p for velocities b instead of the problem's b. w: velocities after p from the problem's b. */
static int solve_with(const tn_collision *c, const double *b, double *p, double *w)
{
    tn_cone_problem k = c->problem;
    k.b = b;
    memset(p, 0, (size_t)k.rows * sizeof *p);
    int code = tn_cone_solve(p, w, &k, c->work, c->numbers);
    multiply_add(&k, p, c->problem.b, w);
    return code;
}

/* Returns the restitution of contact i at this normal velocity; zero below the resting speed. */
static double rebound(const tn_collision *c, int i, double normal)
{
    return normal < -c->resting[i] ? tn_restitution_at(&c->restitution[i], -normal) : 0;
}

/* Returns the tangential restitution of contact i; zero where it does not rebound at all. */
static double turn_round(const tn_collision *c, int i, double normal)
{
    return normal < -c->resting[i] ? c->restitution[i].tangential : 0;
}

/* Reduces an impulse that would add energy towards the plastic impulse, until it conserves energy. */
static void keep_energy(const tn_collision *c, const double *plastic)
{
    const tn_cone_problem *k = &c->problem;
    int n = k->rows;
    double *w = spare(c, 1);
    double most = 0, slope = 0, curve = 0;
    for (int i = 0; i < n; i++)
        most += fabs(c->p[i] * k->b[i]);
    if (energy(n, c->p, k->b, c->w) <= NO_GAIN * most)
        return;
    multiply_add(k, plastic, k->b, w);
    for (int i = 0; i < n; i++) {
        double step = c->p[i] - plastic[i];
        slope += step * w[i];
        curve += step * (c->w[i] - w[i]) / 2;
    }
    double part = (-slope + sqrt(fmax(slope * slope - 4 * curve * energy(n, plastic, k->b, w), 0))) / (2 * curve);
    for (int i = 0; i < n; i++)
        c->p[i] = plastic[i] + fmin(fmax(part, 0), 1) * (c->p[i] - plastic[i]);
    multiply_add(k, c->p, k->b, c->w);
}

/* ---- all at once ---- */

static int by_newton(const tn_collision *c)
{
    const tn_cone_problem *k = &c->problem;
    double *b = spare(c, 0), *plastic = spare(c, 2);
    memcpy(b, k->b, (size_t)k->rows * sizeof *b);
    for (int i = 0; i < k->contact_count; i++) {
        int n = k->contacts[i].row;
        double back = turn_round(c, i, b[n]);
        b[n] += rebound(c, i, b[n]) * b[n];
        for (int t = 1; t <= k->contacts[i].tangents; t++)
            b[n + t] += back * b[n + t];
    }
    if (solve_with(c, k->b, plastic, c->w) < 0 || solve_with(c, b, c->p, c->w) < 0)
        return -1;
    keep_energy(c, plastic);
    return 0;
}

/* Updates the friction impulse of one contact, within the disc of this radius; returns its change. */
static double move_friction(const tn_cone_problem *k, const tn_cone_contact *contact, double radius, double *p,
                            const double *b)
{
    double to[TN_CONE_TANGENTS], change = 0, stiffest = 0;
    for (int t = 0; t < contact->tangents; t++)
        stiffest += k->W[(contact->row + 1 + t) * (k->rows + 1)];
    for (int t = 0; t < contact->tangents && stiffest > 0; t++) {
        int row = contact->row + 1 + t;
        double w = b[row];
        for (int j = 0; j < k->rows; j++)
            w += k->W[row + j * k->rows] * p[j];
        to[t] = p[row] - w / stiffest;
    }
    double length = stiffest > 0 ? tn_norm2(contact->tangents, to) : 0;
    for (int t = 0; t < contact->tangents && stiffest > 0; t++) {
        double *now = &p[contact->row + 1 + t], next = length > radius ? to[t] * radius / length : to[t];
        change = fmax(change, fabs(next - *now));
        *now = next;
    }
    return change;
}

/* Finds the friction impulses of the expansion p, whose normal impulses are known, from the velocities b. */
static void find_expansion_friction(const tn_cone_problem *k, double *p, const double *b)
{
    double change = 1, most = tn_norm2(k->rows, p);
    for (int sweep = 0; sweep < FRICTION_SWEEPS && change > SETTLED * most; sweep++) {
        change = 0;
        for (int i = 0; i < k->contact_count; i++) {
            const tn_cone_contact *contact = &k->contacts[i];
            change = fmax(change, move_friction(k, contact, contact->mu * p[contact->row], p, b));
        }
    }
}

static int by_poisson(const tn_collision *c)
{
    const tn_cone_problem *k = &c->problem;
    double *compressed = spare(c, 0), *velocity = spare(c, 1), *plastic = spare(c, 2);
    size_t size = (size_t)k->rows * sizeof(double);
    if (solve_with(c, k->b, plastic, velocity) < 0)
        return -1;
    memset(compressed, 0, size);
    for (int i = 0; i < k->contact_count; i++) {
        int n = k->contacts[i].row;
        compressed[n] = rebound(c, i, k->b[n]) * plastic[n];
    }
    find_expansion_friction(k, compressed, velocity);
    for (int i = 0; i < k->rows; i++)
        compressed[i] += plastic[i];
    multiply_add(k, compressed, k->b, velocity);       /* after the expansion */
    if (solve_with(c, velocity, c->p, c->w) < 0)
        return -1;
    for (int i = 0; i < k->rows; i++)
        c->p[i] += compressed[i];
    multiply_add(k, c->p, k->b, c->w);
    keep_energy(c, plastic);
    return 0;
}

/* ---- one after the other ---- */

/* Returns the contact that approaches fastest; -1: none is faster than its resting speed. */
static int fastest(const tn_collision *c, const double *w)
{
    int found = -1;
    double most = 0;
    for (int i = 0; i < c->problem.contact_count; i++) {
        double approach = -w[c->problem.contacts[i].row];
        if (approach > c->resting[i] && approach / c->unit[i] > most) {
            most = approach / c->unit[i];
            found = i;
        }
    }
    return found;
}

/* Makes a problem of the members alone, from the velocities w. Does not set the p and w of that problem. */
static tn_collision take_group(const tn_collision *c, int count)
{
    const tn_cone_problem *k = &c->problem;
    int rows = 0;
    double *W = c->work + together_doubles(k->rows), *b = W + k->rows * k->rows;
    double *resting = b + 4 * k->rows;
    for (int i = 0; i < count; i++) {
        c->group[i] = k->contacts[c->members[i]];
        c->group[i].row = rows;
        rows += 1 + c->group[i].tangents;
        c->group_restitution[i] = c->restitution[c->members[i]];
        resting[i] = c->resting[c->members[i]];
    }
    for (int i = 0; i < count; i++)
        for (int r = 0; r <= c->group[i].tangents; r++) {
            int to = c->group[i].row + r, from = k->contacts[c->members[i]].row + r;
            b[to] = c->w[from];
            for (int j = 0; j < count; j++)
                for (int s = 0; s <= c->group[j].tangents; s++)
                    W[to + (c->group[j].row + s) * rows] =
                        k->W[from + (k->contacts[c->members[j]].row + s) * k->rows];
        }
    return (tn_collision){ .problem = { rows, W, b, c->group, count }, .restitution = c->group_restitution, .resting = resting,
                           .p = b + k->rows, .w = b + 2 * k->rows, .work = b + 5 * k->rows, .numbers = c->numbers };
}

/* Solves the impact of the members alone, at once, and adds their impulses to p and w. */
static int collide(const tn_collision *c, int count, bool rebounds)
{
    const tn_cone_problem *k = &c->problem;
    tn_collision group = take_group(c, count);
    int code = rebounds ? by_newton(&group) : solve_with(&group, group.problem.b, group.p, group.w);
    if (code < 0)
        return -1;
    for (int i = 0; i < count; i++)
        for (int r = 0; r <= c->group[i].tangents; r++) {
            int row = k->contacts[c->members[i]].row + r;
            double p = group.p[c->group[i].row + r];
            c->p[row] += p;
            for (int j = 0; j < k->rows; j++)
                c->w[j] += k->W[j + row * k->rows] * p;
        }
    return 0;
}

/* Lists in members the contacts that approach as fast as the fastest one, `first`, which is the first member. */
static int list_ties(const tn_collision *c, int first)
{
    const tn_cone_contact *contacts = c->problem.contacts;
    double most = c->w[contacts[first].row] / c->unit[first];
    int count = 1;
    c->members[0] = first;
    for (int i = 0; i < c->problem.contact_count; i++)
        if (i != first && c->w[contacts[i].row] / c->unit[i] <= (1 - TIE) * most)
            c->members[count++] = i;
    return count;
}

/* Returns the fastest approach, as a share of the fastest velocity; which: its contact. */
static double approach_left(const tn_collision *c, int *which)
{
    const tn_cone_problem *k = &c->problem;
    double least = 0, most = 0;
    *which = -1;
    for (int i = 0; i < k->rows; i++)
        most = fmax(most, fabs(c->w[i]));
    for (int i = 0; i < k->contact_count; i++)
        if (c->w[k->contacts[i].row] < least) {
            least = c->w[k->contacts[i].row];
            *which = i;
        }
    return most > 0 ? -least / most : 0;
}

/* Stops approaches one after the other without rebound, the fastest first, down to round-off. */
static int finish_singly(const tn_collision *c)
{
    int which, rounds = PATIENCE * c->problem.contact_count;
    while (approach_left(c, &which) > ROUND_OFF && rounds-- > 0) {
        c->members[0] = which;
        if (collide(c, 1, false) < 0)
            return -1;
    }
    return approach_left(c, &which) <= LEFT_OVER ? 0 : -1;
}

/* Stops all remaining approaches at once, without rebound. */
static int finish_together(const tn_collision *c)
{
    const tn_cone_problem *k = &c->problem;
    int which;
    double *before = spare(c, 0), *p = spare(c, 1);
    if (approach_left(c, &which) <= ROUND_OFF)
        return 0;
    memcpy(before, c->w, (size_t)k->rows * sizeof *before);
    if (solve_with(c, before, p, spare(c, 2)) < 0)
        return finish_singly(c);
    for (int i = 0; i < k->rows; i++)
        c->p[i] += p[i];
    multiply_add(k, c->p, k->b, c->w);
    return 0;
}

static int by_sequence(const tn_collision *c)
{
    const tn_cone_problem *k = &c->problem;
    int i, rounds = ROUNDS * k->contact_count;
    memset(c->p, 0, (size_t)k->rows * sizeof *c->p);
    memcpy(c->w, k->b, (size_t)k->rows * sizeof *c->w);
    while (rounds-- > 0 && (i = fastest(c, c->w)) >= 0)
        if (collide(c, list_ties(c, i), true) < 0 && collide(c, 1, true) < 0)
            return -1;
    return finish_together(c);
}

int tn_collision_solve(const tn_collision *c, tn_impact_rule rule)
{
    bool solved = (rule == TN_IMPACT_NEWTON && by_newton(c) == 0) || (rule == TN_IMPACT_POISSON && by_poisson(c) == 0);
    return solved ? 0 : by_sequence(c);
}
