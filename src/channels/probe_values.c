/* The value of a channel, and the evaluations that the value needs. */
#include <math.h>
#include "channels.h"

double tn_probe_value(tn_session *s, const tn_probe *p)
{
    return p->row ? p->row->value(s, p) : p->formula ? tn_channel_formula_value(p->formula) : NAN;
}

bool tn_probe_needs_forces(const tn_probe *p)
{
    if (p->formula)
        return p->of_force || tn_channel_formula_needs_forces(p->formula);
    return !p->row || p->row->level == TN_LEVEL_DYNAMICS || p->row->level == TN_LEVEL_REACTIONS;
}

bool tn_probe_solves(const tn_probe *p)
{
    if (p->formula)
        return tn_channel_formula_solves(p->formula);
    return !p->row || p->row->level == TN_LEVEL_SOLVED || p->row->level == TN_LEVEL_REACTIONS;
}

bool tn_probe_is_time(const tn_probe *p)
{
    return p->row == &tn_channel_table[0];
}
