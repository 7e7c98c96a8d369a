/* Friction of the unilateral constraints in a Delassus operator: which of them slide and with what coefficient, adhesion,
 * and the torques against rolling and drilling, which are proportional to normal forces. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "unilateral_modes.h"
#include "vec.h"

static bool turns(const tn_unilateral *g)
{
    return g->limit < 0 && (g->law.rolling > 0 || g->law.drilling > 0);
}

/* Angular velocity of body 2 relative to body 1 at the operator's state. */
static void relative_turn(const tn_delassus *b, const tn_unilateral *g, double turn[3])
{
    const tn_system *s = b->session->system;
    tn_zero3(turn);
    for (int side = 0; side < 2; side++) {
        int body = s->body_of[side ? g->touch.key.body2 : g->touch.key.body1];
        if (body >= 0)
            tn_axpy3(turn, side ? 1 : -1, b->eval->w[body]);
    }
}

/* Spin and torque of a touch (tn_slide_turn) at the operator's state, with a slip of this speed. */
static double turn_of(const tn_delassus *b, const tn_unilateral *g, double speed, double torque[3])
{
    tn_unilateral now = *g;
    double turn[3];
    tn_touch_measure(&now, b->session);                /* poses are those of the operator's state */
    relative_turn(b, g, turn);
    return tn_slide_turn(&g->law, b->session->system->dimension, now.touch.normal, turn, speed, torque);
}

/* A slip that has just begun and is too slow to count goes on, where sliding rubs less than sticking: its direction. */
static bool keeps_sliding(const tn_delassus *b, int k, const double *w, double slip[TN_CONE_TANGENTS])
{
    const tn_unilateral *g = b->unilaterals[k];
    const tn_cone_contact *c = &b->contacts[k];
    if (!b->in_force || g->mode != TN_UNILATERAL_SLIDES || tn_slide_coefficient(&g->law, 0, 0) >= g->law.sticking)
        return false;
    for (int t = 0; t < c->tangents; t++)
        slip[t] = (c->tangents == 1 ? 0 : w[c->row + 1 + t]) + TN_SLIDE_CREEP * g->along[t];
    double size = tn_norm2(c->tangents, slip);
    for (int t = 0; t < c->tangents && size > 0; t++)
        slip[t] /= size;
    return size > 0;
}

void tn_delassus_set_friction(tn_delassus *b, int k, const double *w, double still)
{
    const tn_unilateral *g = b->unilaterals[k];
    tn_cone_contact *c = &b->contacts[k];
    double speed = tn_norm2(c->tangents, w + c->row + 1), spin = 0, torque[3];
    if (turns(g) && c->tangents > 0)
        spin = turn_of(b, g, speed, torque);
    bool spins = spin > TN_SLIDE_NO_SPIN;
    c->slides = spins || speed > fmax(still, c->tangents == 1 ? TN_UNILATERAL_NO_SLIP : TN_SLIDE_CREEP);
    for (int t = 0; t < c->tangents && c->slides; t++)
        c->slip[t] = speed > 0 ? w[c->row + 1 + t] / speed : t == 0;
    if (!c->slides && c->tangents > 0)
        c->slides = keeps_sliding(b, k, w, c->slip);
    c->mu = c->slides ? tn_slide_coefficient(&g->law, speed, spin) : g->friction;
}

int tn_delassus_turn_loads(tn_delassus *b, double **out)
{
    const tn_system *s = b->session->system;
    int n = s->velocities;
    bool any = false;
    *out = NULL;
    for (int k = 0; k < b->count; k++)
        any = any || turns(b->unilaterals[k]);
    if (!any)
        return TN_OK;
    double *loads = tn_arena_alloc(b->arena, (size_t)(b->count * b->rows), sizeof *loads);
    double *force = tn_arena_alloc(b->arena, (size_t)n, sizeof *force);
    if (!loads || !force)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < b->count; k++) {
        const tn_unilateral *g = b->unilaterals[k];
        double torque[3], speed = tn_norm2(b->contacts[k].tangents, b->eval->gdot + b->first + b->contacts[k].row + 1);
        if (!turns(g))
            continue;
        turn_of(b, g, speed, torque);
        memset(force, 0, (size_t)n * sizeof *force);
        for (int side = 0; side < 2; side++) {
            int body = s->body_of[side ? g->touch.key.body2 : g->touch.key.body1];
            bool spatial = body >= 0 && s->bodies[body].motion == TN_MOTION_SPATIAL;
            for (int i = spatial ? 0 : 2; i < 3 && body >= 0 && s->bodies[body].motion != TN_MOTION_PARTICLE; i++)
                force[s->bodies[body].v + (spatial ? 3 : 0) + i] += (side ? 1 : -1) * torque[i];
        }
        for (int i = 0; i < b->rows; i++)
            loads[k * b->rows + i] = tn_dot(n, b->A + i * n, force);
    }
    *out = loads;
    return TN_OK;
}

void tn_delassus_add_adhesion(const tn_delassus *b, const tn_cone_problem *problem, double *part_b)
{
    for (int k = 0; k < problem->contact_count; k++) {
        double pull = b->unilaterals[b->chosen[k]]->law.adhesion;
        for (int i = 0; i < problem->rows && pull > 0; i++)
            part_b[i] -= pull * problem->W[i + problem->contacts[k].row * problem->rows];
    }
}

void tn_delassus_add_pulls(tn_delassus *b, int count)
{
    for (int k = 0; k < count; k++) {
        double pull = b->unilaterals[b->chosen[k]]->law.adhesion;
        for (int i = 0; i < b->rows && pull > 0; i++)
            b->b[i] -= pull * b->W[i + b->contacts[b->chosen[k]].row * b->rows];
    }
}
