/* Groups: sets of bodies that the solver "hierarchical" treats as subsystems. */
#include "groups.h"

#include "check.h"
#include "diag.h"
#include "tables.h"
#include <string.h>

static int find_group(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->group_count; k++)
        if (strcmp(model->groups[k].name, name) == 0)
            return (int)k;
    return -1;
}

/* Names that a member may have: those of bodies, then those of groups. */
static const char *member_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    size_t bodies = tn_model_count(model, TN_KIND_BODY);
    if (index < bodies)
        return tn_model_entity_name(model, tn_model_at(model, TN_KIND_BODY, index));
    return index - bodies < model->group_count ? model->groups[index - bodies].name : NULL;
}

/* A group being added. */
typedef struct builder {
    tn_model *model;
    tn_check check;
    struct tn_group group;
    int *parents;              /* of the existing groups; the new one has the index group_count */
    int *owners;               /* group + 1 of each body slot; 0: none */
} builder;

static bool is_taken(builder *b, const char *member, int group)
{
    int own = (int)b->model->group_count;
    if (group == own)
        tn_complain(&b->check, "'%.80s' is there twice", member);
    else if (group >= 0)
        tn_complain(&b->check, "'%.80s' is in group '%.80s' already", member, b->model->groups[group].name);
    return group >= 0;
}

static void add_member(builder *b, const char *member)
{
    int own = (int)b->model->group_count, group = find_group(b->model, member);
    tn_id id = tn_model_find(b->model, member);
    if (id.kind == TN_KIND_BODY && id.index != 0) {
        if (is_taken(b, member, b->owners[id.index] - 1))
            return;
        b->owners[id.index] = own + 1;
        b->group.bodies[b->group.body_count++] = id;
    } else if (group >= 0) {
        if (!is_taken(b, member, b->parents[group]))
            b->parents[group] = own;
    } else {
        char hint[160];
        tn_complain(&b->check, "no body or group '%.80s'%s", member,
                    tn_did_you_mean(hint, sizeof hint, member, member_candidate, b->model));
    }
}

static void check_group_name(builder *b)
{
    tn_check *check = &b->check;
    if (tn_check_spelling(check) && find_group(b->model, check->name) >= 0)
        tn_complain(check, "there is a group of this name already");
    else if (check->code == TN_OK && tn_model_find(b->model, check->name).kind == TN_KIND_BODY)
        tn_complain(check, "there is a body of this name: choose another");
}

static int build_group(builder *b, const tn_group_member *members, size_t count, tn_arena *scratch)
{
    tn_model *model = b->model;
    b->parents = tn_arena_alloc(scratch, model->group_count, sizeof(int));
    b->owners = tn_arena_alloc(scratch, model->body_count, sizeof(int));
    b->group.bodies = tn_arena_alloc(model->arena, count, sizeof(tn_id));
    if (!b->parents || !b->owners || !b->group.bodies)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < model->group_count; k++) {
        b->parents[k] = model->groups[k].parent;
        for (size_t n = 0; n < model->groups[k].body_count; n++)
            if (tn_model_entity_name(model, model->groups[k].bodies[n]))
                b->owners[model->groups[k].bodies[n].index] = (int)k + 1;
    }
    check_group_name(b);
    if (count == 0)
        tn_complain(&b->check, "no members: name the bodies that belong to it");
    for (size_t k = 0; k < count; k++) {
        b->check.span = members[k].span;
        add_member(b, members[k].name);
    }
    TN_TRY(b->check.code);
    TN_TRY(tn_grow(model->context, &model->groups, &model->group_capacity, model->group_count + 1,
                   sizeof *model->groups));
    b->group.name = tn_arena_strdup(model->arena, b->check.name);
    if (!b->group.name)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < model->group_count; k++)
        model->groups[k].parent = b->parents[k];
    model->groups[model->group_count++] = b->group;
    return TN_OK;
}

int tn_model_add_group_at(tn_model *model, const char *name, const tn_group_member *members, size_t count,
                          tn_span span)
{
    tn_arena *scratch = tn_arena_create(model->context);
    if (!scratch)
        return TN_ERROR_MEMORY;
    builder b = { .model = model, .check = { model, model->context, span, "group", name, TN_OK },
                  .group = { .span = span, .parent = -1 } };
    int code = build_group(&b, members, count, scratch);
    tn_arena_destroy(scratch);
    return code;
}

int tn_model_add_group(tn_model *model, const char *name, const char *const *members, size_t count)
{
    tn_group_member *list = tn_alloc(model->context, count, sizeof *list);
    if (!list)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++)
        list[k] = (tn_group_member){ members[k], TN_NOWHERE };
    int code = tn_model_add_group_at(model, name, list, count, TN_NOWHERE);
    tn_free(model->context, list);
    return code;
}

size_t tn_model_group_count(const tn_model *model)
{
    return model->group_count;
}

tn_group_info tn_model_group(const tn_model *model, size_t index)
{
    if (index >= model->group_count)
        return (tn_group_info){ .parent = -1 };
    const struct tn_group *group = &model->groups[index];
    return (tn_group_info){ group->name, group->parent, group->bodies, group->body_count };
}

int tn_groups_clone(tn_model *to, const tn_model *from)
{
    to->groups = tn_alloc(to->context, from->group_count, sizeof *to->groups);
    if (!to->groups)
        return TN_ERROR_MEMORY;
    to->group_capacity = from->group_count;
    for (size_t k = 0; k < from->group_count; k++) {
        struct tn_group *group = &to->groups[k];
        *group = from->groups[k];
        group->bodies = tn_arena_alloc(to->arena, group->body_count, sizeof(tn_id));
        TN_TRY(tn_own_text(to->arena, &group->name));
        TN_TRY(tn_own_text(to->arena, &group->span.file));
        if (!group->bodies)
            return TN_ERROR_MEMORY;
        memcpy(group->bodies, from->groups[k].bodies, group->body_count * sizeof(tn_id));
        to->group_count++;
    }
    return TN_OK;
}

static bool has_members(const tn_model *model, size_t group)
{
    bool found = model->groups[group].body_count > 0;
    for (size_t k = 0; k < model->group_count; k++)
        found |= model->groups[k].parent == (int)group;
    return found;
}

static void drop_group(tn_model *model, size_t group)
{
    memmove(model->groups + group, model->groups + group + 1,
            (model->group_count - group - 1) * sizeof *model->groups);
    model->group_count--;
    for (size_t k = 0; k < model->group_count; k++)
        model->groups[k].parent -= model->groups[k].parent > (int)group;
}

void tn_groups_forget(tn_model *model, uint32_t body)
{
    bool left = false;
    for (size_t k = 0; k < model->group_count; k++) {
        struct tn_group *group = &model->groups[k];
        size_t kept = 0;
        for (size_t n = 0; n < group->body_count; n++)
            if (group->bodies[n].index != body)
                group->bodies[kept++] = group->bodies[n];
        left |= kept < group->body_count;
        group->body_count = kept;
    }
    for (size_t k = 0; left && k < model->group_count;)
        if (has_members(model, k)) {
            k++;
        } else {
            drop_group(model, k);
            k = 0;                                         /* its only member was this group */
        }
}

static bool same_names(const tn_model *m, const struct tn_group *a, const tn_model *n, const struct tn_group *b)
{
    for (size_t k = 0; k < a->body_count; k++) {
        const char *x = tn_model_entity_name(m, a->bodies[k]), *y = tn_model_entity_name(n, b->bodies[k]);
        if (!x != !y || (x && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

bool tn_groups_same(const tn_model *a, const tn_model *b)
{
    if (a->group_count != b->group_count)
        return false;
    for (size_t k = 0; k < a->group_count; k++) {
        const struct tn_group *x = &a->groups[k], *y = &b->groups[k];
        if (strcmp(x->name, y->name) != 0 || x->parent != y->parent || x->body_count != y->body_count ||
            !same_names(a, x, b, y))
            return false;
    }
    return true;
}
