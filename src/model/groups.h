/* The model's groups. */
#ifndef TN_MODEL_GROUPS_H
#define TN_MODEL_GROUPS_H

#include "entities.h"
#include "tenon/groups.h"

struct tn_group {
    const char *name;
    tn_span span;
    int parent;                /* -1: none */
    tn_id *bodies;             /* in the arena, like all that is pointed at */
    size_t body_count;
};

typedef struct tn_group_member {
    const char *name;
    tn_span span;
} tn_group_member;

int tn_model_add_group_at(tn_model *model, const char *name, const tn_group_member *members, size_t count,
                          tn_span span);
/* Deep copies into to, which has none yet. Spans keep their file. */
int tn_groups_clone(tn_model *to, const tn_model *from);
/* Removes the body from its group; groups without members are removed. */
void tn_groups_forget(tn_model *model, uint32_t body);
bool tn_groups_same(const tn_model *a, const tn_model *b);

#endif
