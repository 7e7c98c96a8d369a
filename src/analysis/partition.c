/* Divides a model into parts with few joint equations between them. */
#include "diag.h"
#include "mem.h"
#include "system.h"
#include "tenon/groups.h"
#include "tenon/sys/partition.h"

#include <string.h>

/* Columns of the largest part over the mean, less one. */
static const double EVEN = 0.03, UNEVEN = 0.3;

typedef struct owned {
    tn_partition partition;    /* must be first: the caller's pointer points here */
    tn_arena *arena;
} owned;

typedef struct builder {
    const tn_system *system;
    tn_arena *arena, *scratch; /* of the result; temporary */
    tn_partition *out;
    int *part;                 /* of each body */
    int count;
} builder;

static tn_id body_id(const tn_system *s, int body)
{
    return tn_model_find(s->model, s->model->bodies[s->bodies[body].source].entity.name);
}

/* The part that contains all bodies of a constraint; -1: several parts; -2: only ground. */
static int part_of(const builder *b, int constraint)
{
    const tn_structure *st = &b->system->structure;
    int part = -2;
    for (int e = st->block_begin[constraint]; e < st->block_begin[constraint + 1]; e++) {
        int own = b->part[st->block_body[e]];
        part = part == -2 || part == own ? own : -1;
    }
    return part;
}

static int list_bodies(builder *b, tn_partition_part *parts)
{
    const int bodies = b->system->body_count;
    tn_id *ids = tn_arena_alloc(b->arena, (size_t)bodies, sizeof(tn_id)), *at = ids;
    if (!ids)
        return TN_ERROR_MEMORY;
    for (int p = 0; p < b->count; p++) {
        parts[p].bodies = at;
        for (int body = 0; body < bodies; body++)
            if (b->part[body] == p)
                *at++ = body_id(b->system, body);
        parts[p].body_count = (size_t)(at - parts[p].bodies);
    }
    return TN_OK;
}

static int sort_joints(builder *b, tn_partition_part *parts)
{
    const tn_system *s = b->system;
    tn_id *cut = tn_arena_alloc(b->arena, (size_t)s->constraint_count, sizeof(tn_id));
    if (!cut)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraint_count; c++) {
        int part = part_of(b, c);
        if (part >= 0)
            parts[part].joint_count++;
        else if (part == -1)
            cut[b->out->cut_count++] = tn_model_find(s->model, tn_constraint_name(s, c));
    }
    b->out->cut = cut;
    return TN_OK;
}

static int measure_partition(builder *b, tn_partition_part *parts)
{
    tn_structure grouped = b->system->structure, plain = grouped;
    tn_group_work *work = tn_arena_alloc(b->scratch, (size_t)b->count, sizeof *work);
    int *parent = tn_arena_alloc(b->scratch, (size_t)b->count, sizeof *parent);
    if (!work || !parent)
        return TN_ERROR_MEMORY;
    for (int p = 0; p < b->count; p++)
        parent[p] = -1;
    plain.groups = 0;
    grouped.groups = b->count;
    grouped.body_group = b->part;
    grouped.group_parent = parent;
    grouped.group_rank = plain.group_rank = NULL;
    TN_TRY(tn_structure_work(&b->out->work_whole, NULL, b->system->context, &plain));
    TN_TRY(tn_structure_work(&b->out->work, work, b->system->context, &grouped));
    b->out->work_between = b->out->work;
    for (int p = 0; p < b->count; p++) {
        parts[p].work = work[p].work;
        parts[p].port_count = (size_t)work[p].ports;
        b->out->work_between -= work[p].work;
    }
    return TN_OK;
}

static int build_partition(builder *b, int wanted, bool even)
{
    const tn_system *s = b->system;
    b->part = tn_arena_alloc(b->scratch, (size_t)s->body_count, sizeof(int));
    if (!b->part)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_structure_divide(b->part, &b->count, s->context, &s->structure, wanted, even ? EVEN : UNEVEN));
    tn_partition_part *parts = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *parts);
    if (!parts)
        return TN_ERROR_MEMORY;
    b->out->parts = parts;
    b->out->part_count = (size_t)b->count;
    TN_TRY(list_bodies(b, parts));
    TN_TRY(sort_joints(b, parts));
    return measure_partition(b, parts);
}

static int partition_system(tn_partition **out, const tn_system *s, size_t parts, bool even)
{
    if (parts < 1 || parts > (size_t)s->body_count)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "%d bod%s cannot be divided into %zu parts",
                       s->body_count, s->body_count == 1 ? "y" : "ies", parts);
    owned *o = tn_alloc(s->context, 1, sizeof *o);
    if (!o)
        return TN_ERROR_MEMORY;
    o->arena = tn_arena_create(s->context);
    builder b = { .system = s, .arena = o->arena, .scratch = tn_arena_create(s->context), .out = &o->partition };
    int code = b.arena && b.scratch ? build_partition(&b, (int)parts, even) : TN_ERROR_MEMORY;
    tn_arena_destroy(b.scratch);
    if (code < 0)
        tn_partition_destroy(s->context, &o->partition);
    else
        *out = &o->partition;
    return code;
}

int tn_model_partition(tn_partition **out, const tn_model *model, size_t parts, bool even)
{
    tn_system *s = NULL;
    *out = NULL;
    TN_TRY(tn_system_create(&s, model));
    int code = partition_system(out, s, parts, even);
    tn_system_destroy(s);
    return code;
}

void tn_partition_destroy(tn_context *context, tn_partition *partition)
{
    if (!partition)
        return;
    owned *o = (owned *)partition;
    tn_arena_destroy(o->arena);
    tn_free(context, o);
}
