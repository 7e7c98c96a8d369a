/* Start values that are given inside components. */
#include "coupling_impl.h"

static bool has_given(const tn_coupled *component)
{
    return TN_COMPONENT_HAS(component->type, given_count) && TN_COMPONENT_HAS(component->type, given) &&
           TN_COMPONENT_HAS(component->type, push);
}

int tn_coupling_given_count(const tn_coupling *coupling)
{
    int count = 0;
    for (int k = 0; coupling && k < coupling->count; k++)
        count += has_given(&coupling->items[k]) ? coupling->items[k].type->given_count(coupling->items[k].self) : 0;
    return count;
}

/* The component of a value, and the index of the value there. */
static tn_coupled *component_of(const tn_coupling *coupling, int *index)
{
    for (int k = 0; k < coupling->count; k++) {
        tn_coupled *component = &coupling->items[k];
        const int count = has_given(component) ? component->type->given_count(component->self) : 0;
        if (*index < count)
            return component;
        *index -= count;
    }
    return NULL;
}

int tn_coupling_given(tn_component_given *out, tn_eval *e, const tn_system *s, int index, const char **name)
{
    tn_coupled *component = component_of(e->coupling, &index);
    TN_ASSERT(component);
    *name = tn_sys_component_name(s, component->of);
    return tn_coupled_passed(e, s, component, component->type->given(component->self, index, out), "given");
}

int tn_coupling_push(tn_eval *e, const tn_system *s, tn_question question, int index, double amount, double *z)
{
    tn_coupled *component = component_of(e->coupling, &index);
    TN_ASSERT(component);
    return tn_coupled_passed(e, s, component, component->type->push(component->self, question, index, amount, z + component->of->state),
                             "push");
}
