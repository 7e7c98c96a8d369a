/* The energy account of the network of devices over a run: integrals of its powers, and the error of its balance. Powers are
 * taken at the points where the account of the mechanism takes them (energy_account.c). Where stores jump (modes, samples,
 * edits), the jump counts as lost, so that the error is that of the steps. */
#include <math.h>
#include "session_impl.h"

void tn_network_take(tn_session *s, int point)
{
    if (tn_network_has_account(s->system))
        s->network.points[point] = tn_network_measure(s->stepper->eval, s->system, s->stepper->memory);
}

void tn_network_account_begin(tn_session *s)
{
    tn_network_account *a = &s->network;
    const int last = TN_LENGTH(a->points) - 1;
    if (!tn_network_has_account(s->system))
        return;
    const double before = a->points[last].stored;
    tn_network_take(s, last);
    if (a->begun)
        a->sum.lost += before - a->points[last].stored;
    a->begun = true;
}

void tn_network_account_restore(tn_session *s, const tn_network_sum *sum)
{
    s->network.sum = s->network.before = *sum;
    s->network.begun = false;
}

void tn_network_account_step(tn_session *s)
{
    s->network.before = s->network.sum;
    s->network.points[0] = s->network.points[TN_LENGTH(s->network.points) - 1];
}

void tn_network_account_add(tn_session *s, const double *weights, double h)
{
    tn_network_account *a = &s->network;
    const int count = TN_LENGTH(a->points);
    if (!tn_network_has_account(s->system))
        return;
    tn_network_sum sum = a->before;
    const double change = a->points[count - 1].stored - a->points[0].stored;
    double in = 0;
    for (int k = 0; k < count; k++) {
        const tn_network_power *p = &a->points[k];
        sum.supplied += h * weights[k] * p->supplied;
        sum.lost += h * weights[k] * p->lost;
        sum.mechanical += h * weights[k] * p->mechanical;
        in += h * weights[k] * (p->supplied - p->lost - p->mechanical);
    }
    sum.error += change - in;
    sum.gross += fabs(change);
    a->sum = sum;
    double most = fmax(fmax(fabs(sum.supplied), fabs(sum.lost)), fmax(fabs(sum.mechanical), sum.gross));
    a->scale = fmax(a->scale, most);
}
