/* Invariants of the saddle problem's structure, for TN_ASSERT: offsets ascend, and indices are in range. */
#include "system.h"

static bool ascends(const int *begin, int count)
{
    bool good = begin[0] == 0;
    for (int k = 0; k < count; k++)
        good = good && begin[k] <= begin[k + 1];
    return good;
}

static bool blocks_are_sound(const tn_structure *s)
{
    for (int b = 0; b < s->block_begin[s->constraints]; b++)
        if (s->block_body[b] < 0 || s->block_body[b] >= s->bodies)
            return false;
    return true;
}

/* Groups of bodies and parents of groups exist; no group is its own parent. */
static bool groups_are_sound(const tn_structure *s)
{
    for (int b = 0; b < s->bodies && s->groups > 0; b++)
        if (s->body_group[b] < -1 || s->body_group[b] >= s->groups)
            return false;
    for (int g = 0; g < s->groups; g++)
        if (s->group_parent[g] < -1 || s->group_parent[g] >= s->groups || s->group_parent[g] == g)
            return false;
    return true;
}

bool tn_structure_is_sound(const tn_structure *s)
{
    return s->bodies >= 0 && s->constraints >= 0 && ascends(s->body_column, s->bodies) &&
           ascends(s->constraint_row, s->constraints) && ascends(s->block_begin, s->constraints) &&
           blocks_are_sound(s) && groups_are_sound(s);
}
