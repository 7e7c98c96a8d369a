/* Components that only respond, in the solver of a system with components (component_solver.h). */
#include "component_solver.h"

int tn_asked_find(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->asked = tn_arena_alloc(arena, (size_t)k->bodies, sizeof(bool));
    if (!k->asked)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->component_count; n++)
        for (int p = 0; p < s->components[n].type->port_count && tn_is_asked(k, tn_component_at(k, n)); p++)
            k->asked[k->number[s->components[n].body[p]]] = true;
    k->responder.asked = k->asked;
    return TN_OK;
}

bool tn_asked_any(const tn_saddle *k)
{
    for (int b = 0; b < k->bodies; b++)
        if (k->asked[b])
            return true;
    return false;
}

int tn_asked_estimate_masses(const tn_saddle *k)
{
    const tn_system *s = k->system;
    for (int n = 0; n < s->component_count; n++) {
        tn_coupled *component = tn_component_at(k, n);
        if (!tn_is_asked(k, component))
            continue;
        TN_TRY(tn_coupled_begin_answers(k->e, s, component));
        for (int j = 0; j < component->of->columns; j++) {
            const int w = component->of->width, body = k->number[component->of->body[j / w]], i = j % w;
            k->used->M[k->used->structure.mass_offset[body] + (size_t)(i * (w + 1))] = 1 / component->mobility[j];
        }
    }
    return TN_OK;
}

/* Index of the j-th column of a component that only responds, in f and a of the problem. */
static int column_of_port(const tn_saddle *k, const tn_coupled *component, int j)
{
    const int w = component->of->width;
    return k->used->structure.body_column[k->number[component->of->body[j / w]]] + j % w;
}

int tn_asked_respond(void *user, const double *f, double *a)
{
    const tn_saddle *k = user;
    const tn_system *s = k->system;
    for (int n = 0; n < s->component_count; n++) {
        tn_coupled *component = tn_component_at(k, n);
        if (!tn_is_asked(k, component))
            continue;
        for (int j = 0; j < component->of->columns; j++)
            component->tau[j] = f[column_of_port(k, component, j)];
        TN_TRY(tn_coupled_answer(k->e, s, component, component->tau, component->answer));
        for (int j = 0; j < component->of->columns; j++)
            a[column_of_port(k, component, j)] = component->answer[j];
    }
    return TN_OK;
}
