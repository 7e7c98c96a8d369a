/* Reports which member of a team computes which parts of a model. */
#include "mem.h"
#include "system.h"
#include "tenon/sys/partition.h"
#include "tenon/team.h"

#include <string.h>

typedef struct owned {
    tn_placement placement;    /* must be first: the caller's pointer points here */
    tn_arena *arena;
} owned;

static int count_bodies(tn_placement *out, const tn_shares *shares, int body_count, tn_arena *arena)
{
    int *bodies = tn_arena_alloc(arena, (size_t)out->size, sizeof(int));
    if (!bodies)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < body_count; b++)
        bodies[shares->body_rank[b]]++;
    out->bodies = bodies;
    return TN_OK;
}

/* The one member that has all bodies of each group and of the groups inside it. */
static void find_ranks(int *rank, const tn_structure *s, const int *body_rank)
{
    enum { NOBODY = -2, SEVERAL = -1 };
    for (int g = 0; g < s->groups; g++)
        rank[g] = NOBODY;
    for (int b = 0; b < s->bodies; b++)
        for (int g = s->body_group[b]; g >= 0; g = s->group_parent[g])
            rank[g] = rank[g] == NOBODY || rank[g] == body_rank[b] ? body_rank[b] : SEVERAL;
    for (int g = 0; g < s->groups; g++)
        rank[g] = rank[g] == NOBODY ? SEVERAL : rank[g];
}

static int name_groups(tn_placement *out, const tn_system *s, const tn_shares *shares, tn_arena *arena)
{
    const size_t groups = (size_t)s->structure.groups;
    const char **names = tn_arena_alloc(arena, groups, sizeof *names);
    int *ranks = tn_arena_alloc(arena, groups, sizeof(int));
    if (!names || !ranks)
        return TN_ERROR_MEMORY;
    find_ranks(ranks, &s->structure, shares->body_rank);
    for (int g = 0; g < s->structure.groups; g++) {
        const char *name = tn_system_group_name(s, g);
        if (!name)
            continue;
        if (!(names[out->name_count] = tn_arena_strdup(arena, name)))
            return TN_ERROR_MEMORY;
        ranks[out->name_count++] = ranks[g];
    }
    out->names = names;
    out->ranks = ranks;
    return TN_OK;
}

static int build_placement(tn_placement *out, const tn_system *s, tn_arena *arena)
{
    const tn_team *team = tn_context_team(s->context);
    out->size = team ? team->size : 1;
    tn_shares shares = { .body_rank = tn_arena_alloc(arena, (size_t)s->body_count, sizeof(int)),
                         .work = tn_arena_alloc(arena, (size_t)out->size, sizeof(double)) };
    if (!shares.body_rank || !shares.work)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_structure_share(&shares, s->context, &s->structure, out->size));
    out->work = shares.work;
    out->elapsed = shares.elapsed;
    out->total = shares.total;
    out->links = shares.links;
    TN_TRY(count_bodies(out, &shares, s->body_count, arena));
    return name_groups(out, s, &shares, arena);
}

static int place_system(tn_placement **out, const tn_system *s)
{
    owned *o = tn_alloc(s->context, 1, sizeof *o);
    if (!o)
        return TN_ERROR_MEMORY;
    o->arena = tn_arena_create(s->context);
    int code = o->arena ? build_placement(&o->placement, s, o->arena) : TN_ERROR_MEMORY;
    if (code < 0)
        tn_placement_destroy(s->context, &o->placement);
    else
        *out = &o->placement;
    return code;
}

int tn_model_placement(tn_placement **out, const tn_model *model)
{
    tn_system *s = NULL;
    *out = NULL;
    TN_TRY(tn_system_create(&s, model));
    int code = place_system(out, s);
    tn_system_destroy(s);
    return code;
}

void tn_placement_destroy(tn_context *context, tn_placement *placement)
{
    if (!placement)
        return;
    owned *o = (owned *)placement;
    tn_arena_destroy(o->arena);
    tn_free(context, o);
}
