/* Limits of coordinates that follow others by a linear coupling become limits of the leaders: stops of one motion that would all be
 * reached at the same instant say the same several times. */
#include "machine.h"

#include "diag.h"

#include <math.h>

static bool is_linear_pair(const tn_machine *machine, const tn_machine_coupling *coupling)
{
    if (coupling->term_count != 2 || coupling->curved || isnan(coupling->offset))
        return false;
    for (int k = 0; k < 2; k++) {
        const tn_machine_joint *joint = &machine->joints[coupling->terms[k].joint];
        if (coupling->terms[k].factor == 0 || joint->dropped || joint->merged)
            return false;
    }
    return coupling->terms[0].joint != coupling->terms[1].joint;
}

/* Moves the limits of the first coordinate to the second; false: it has none, or no value obeys both. */
static bool move_limits(tn_machine *machine, const tn_machine_coupling *coupling)
{
    tn_machine_coordinate *follower = tn_joint_coordinate(&machine->joints[coupling->terms[0].joint], coupling->terms[0].coordinate);
    tn_machine_coordinate *leader = tn_joint_coordinate(&machine->joints[coupling->terms[1].joint], coupling->terms[1].coordinate);
    double a = coupling->terms[0].factor, b = coupling->terms[1].factor;
    if ((!isfinite(follower->low) && !isfinite(follower->high)) || follower->low > follower->high || leader->low > leader->high)
        return false;
    double one = (coupling->offset - a * follower->low) / b, two = (coupling->offset - a * follower->high) / b;
    double low = fmax(leader->low, fmin(one, two)), high = fmin(leader->high, fmax(one, two));
    if (!(low < high))
        return false;
    leader->low = low;
    leader->high = high;
    follower->low = -INFINITY;
    follower->high = INFINITY;
    return true;
}

void tn_machine_gather_limits(tn_machine *machine)
{
    size_t moved = 0, before;
    tn_span first = TN_NOWHERE;
    size_t rounds = machine->coupling_count;           /* the longest chain of followers */
    do {
        before = moved;
        for (size_t i = 0; i < machine->coupling_count; i++)
            if (is_linear_pair(machine, &machine->couplings[i]) && move_limits(machine, &machine->couplings[i])) {
                first = moved == 0 ? machine->couplings[i].place : first;
                moved++;
            }
    } while (moved > before && rounds-- > 0);
    if (moved > 0)
        tn_machine_note_add(machine, TN_NOTE, first, "limits of %zu joint%s that follow%s others by a fixed ratio are taken as limits of "
                            "the joints that lead", moved, moved == 1 ? "" : "s", moved == 1 ? "s" : "");
}
