/* The groups of the model for the solvers; in a model without groups, its subsystems. */
#include "groups.h"
#include "system.h"
#include "tables.h"
#include "tenon/team.h"
#include <string.h>

/* Slot of the subsystem that an entity belongs to; -1: none. */
static int owner_of(const tn_model *m, tn_id id)
{
    tn_id owner = tn_model_owner(m, id);
    return owner.kind == TN_KIND_SUBSYSTEM ? (int)owner.index : -1;
}

static void group_by_subsystem(tn_system *s, int *body_group, int *parent)
{
    const tn_model *m = s->model;
    for (uint32_t k = 0; k < m->subsystem_count; k++)
        parent[k] = m->subsystems[k].entity.alive ? owner_of(m, tn_table_id(m, TN_KIND_SUBSYSTEM, k)) : -1;
    for (int b = 0; b < s->body_count; b++)
        body_group[b] = owner_of(m, tn_table_id(m, TN_KIND_BODY, s->bodies[b].source));
}

static void group_as_given(tn_system *s, int *body_group, int *parent)
{
    const tn_model *m = s->model;
    for (int b = 0; b < s->body_count; b++)
        body_group[b] = -1;
    for (int g = 0; g < (int)m->group_count; g++) {
        const struct tn_group *group = &m->groups[g];
        parent[g] = group->parent;
        for (size_t n = 0; n < group->body_count; n++) {
            bool alive = tn_model_entity_name(m, group->bodies[n]) != NULL;
            int body = alive ? s->body_of[group->bodies[n].index] : -1;
            if (body >= 0)
                body_group[body] = g;
        }
    }
}

const char *tn_system_group_name(const tn_system *s, int group)
{
    const tn_model *m = s->model;
    if (m->group_count > 0)
        return m->groups[group].name;
    return m->subsystems[group].entity.alive ? m->subsystems[group].entity.name : NULL;
}

/* Groups that were given to members of the team by name. */
static int compile_ranks(tn_system *s)
{
    const tn_team *team = tn_context_team(s->context);
    if (!team || team->place_count == 0)
        return TN_OK;
    int *rank = tn_arena_alloc(s->arena, (size_t)s->structure.groups, sizeof(int));
    if (!rank)
        return TN_ERROR_MEMORY;
    for (int g = 0; g < s->structure.groups; g++) {
        const char *name = tn_system_group_name(s, g);
        rank[g] = -1;
        for (size_t k = 0; name && k < team->place_count; k++)
            if (strcmp(team->places[k].name, name) == 0)
                rank[g] = team->places[k].rank;
    }
    s->structure.group_rank = rank;
    return TN_OK;
}

int tn_system_compile_groups(tn_system *s)
{
    const tn_model *m = s->model;
    size_t count = m->group_count > 0 ? m->group_count : m->subsystem_count;
    int *body_group = tn_arena_alloc(s->arena, (size_t)s->body_count, sizeof(int));
    int *parent = tn_arena_alloc(s->arena, count, sizeof(int));
    if (!body_group || !parent)
        return TN_ERROR_MEMORY;
    (m->group_count > 0 ? group_as_given : group_by_subsystem)(s, body_group, parent);
    s->structure.groups = (int)count;
    s->structure.body_group = body_group;
    s->structure.group_parent = parent;
    return compile_ranks(s);
}
