/* The groups of the model as the solvers see them. */
#include "groups.h"
#include "system.h"

int tn_system_compile_groups(tn_system *s)
{
    const tn_model *m = s->model;
    const int count = (int)m->group_count;
    int *body_group = tn_arena_alloc(s->arena, (size_t)s->body_count, sizeof(int));
    int *parent = tn_arena_alloc(s->arena, m->group_count, sizeof(int));
    if (!body_group || !parent)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++)
        body_group[b] = -1;
    for (int g = 0; g < count; g++) {
        const struct tn_group *group = &m->groups[g];
        parent[g] = group->parent;
        for (size_t n = 0; n < group->body_count; n++) {
            bool alive = tn_model_entity_name(m, group->bodies[n]) != NULL;
            int body = alive ? s->body_of[group->bodies[n].index] : -1;
            if (body >= 0)
                body_group[body] = g;
        }
    }
    s->structure.groups = count;
    s->structure.body_group = body_group;
    s->structure.group_parent = parent;
    return TN_OK;
}
