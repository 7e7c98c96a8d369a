/* Stops of what moves by round-off or by the error of equations, before an impact is decided and after it. */
#include "impact_stops.h"
#include "dense.h"

static bool is_closed(tn_unilateral_mode mode)
{
    return mode == TN_UNILATERAL_STICKS || mode == TN_UNILATERAL_SLIDES;
}

int tn_impact_stop_renewed(tn_delassus *b, double rolling, double *lost)
{
    int rows = 0;
    bool renewed = false;
    for (int k = 0; k < b->count; k++)
        renewed = renewed || is_closed(b->unilaterals[k]->renewed);
    if (!renewed)
        return TN_OK;
    const double most = rolling * tn_touches_speed(b->session);
    for (int k = 0; k < b->count; k++) {
        tn_unilateral *g = b->unilaterals[k];
        tn_unilateral_mode mode = g->renewed ? g->renewed : g->mode;
        int first = b->contacts[k].row, tangents = mode == TN_UNILATERAL_STICKS ? b->contacts[k].tangents : 0;
        if (is_closed(mode) && tn_norm2(1 + tangents, b->b + first) <= most)
            for (int r = 0; r <= tangents; r++)
                b->numbers[rows++] = first + r;
        g->renewed = TN_UNILATERAL_OPEN;
    }
    tn_delassus_find_stop(b, rows);
    return tn_delassus_strike(b, lost);
}

int tn_impact_stop_hops(tn_delassus *b, double *lost)
{
    int rows = 0;
    bool hops = false;
    for (int k = 0; k < b->count; k++) {
        const tn_unilateral *g = b->unilaterals[k];
        const int row = b->contacts[k].row;
        const double speed = b->b[row], back = b->W[row * (b->rows + 1)] * b->forces[row];
        if (g->limit < 0 || !tn_unilateral_closed(g) || !(speed * speed < 2 * TN_UNILATERAL_NOISE * back))
            continue;
        hops = hops || speed > 0;
        b->numbers[rows++] = row;
    }
    if (!hops)
        return TN_OK;
    tn_delassus_find_stop(b, rows);
    return tn_delassus_strike(b, lost);
}
