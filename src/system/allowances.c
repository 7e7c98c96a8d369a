/* Which components withhold which allowance (allowances.h). */
#include "allowances.h"

#include "ports.h"

static bool every(const tn_sys_component *component)
{
    (void)component;
    return true;
}

static bool needs_lambda(const tn_sys_component *component)
{
    return !component->open || component->works;
}

/* The components that withhold an allowance. Masses and forces of components are inside, also of open ones, whose bodies are
 * no bodies of the system. Instances of components have one point, and snapshots beyond their states: each visit of a
 * state moves them; they are made with the gravity of the start. A stretched arm inside a component makes weak pivots at its port. */
static bool (*const withholds[TN_ALLOWANCES])(const tn_sys_component *) = {
    [TN_ALLOW_TERMS] = every,
    [TN_ALLOW_PIVOTS] = every,
    [TN_ALLOW_OMITTED_ROWS] = every,
    [TN_ALLOW_OTHER_STARTS] = every,
    [TN_ALLOW_OTHER_STATES] = every,
    [TN_ALLOW_OTHER_SOLVER] = every,
    [TN_ALLOW_TIME_STEPPING] = every,
    [TN_ALLOW_STATE_VECTOR] = every,
    [TN_ALLOW_NEW_GRAVITY] = every,
    [TN_ALLOW_KEPT_FACTORS] = tn_only_responds,
    [TN_ALLOW_NO_LAMBDA] = needs_lambda,
};

void tn_allowances_find(tn_system *s)
{
    for (int a = 0; a < TN_ALLOWANCES; a++)
        for (int k = 0; k < s->component_count; k++)
            if (withholds[a](&s->components[k]))
                s->withheld |= 1u << a;
}
