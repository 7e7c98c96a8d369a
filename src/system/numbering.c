/* Numbers bodies along the joints, and joints by their bodies. */
#include "numbering.h"

/* Joints of each body slot: list[begin[b]] ... list[begin[b + 1] - 1]. */
typedef struct incidence {
    uint32_t *begin, *list;
} incidence;

static bool connects(const tn_model *m, const tn_selection *selection, uint32_t joint)
{
    return tn_takes_joint(m, selection, joint) && m->joints[joint].type->joints == 0;
}

static int find_incidence(incidence *in, const tn_model *m, const tn_selection *selection, tn_arena *arena)
{
    uint32_t *at = tn_arena_alloc(arena, m->body_count + 1, sizeof *at);
    in->begin = tn_arena_alloc(arena, m->body_count + 2, sizeof *in->begin);
    in->list = tn_arena_alloc(arena, 2 * m->joint_count, sizeof *in->list);
    if (!at || !in->begin || !in->list)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->joint_count; k++)
        if (connects(m, selection, k)) {
            in->begin[m->joints[k].body1 + 1]++;
            in->begin[m->joints[k].body2 + 1]++;
        }
    for (size_t b = 0; b < m->body_count; b++) {
        in->begin[b + 1] += in->begin[b];
        at[b] = in->begin[b];
    }
    for (uint32_t k = 0; k < m->joint_count; k++)
        if (connects(m, selection, k)) {
            in->list[at[m->joints[k].body1]++] = k;
            in->list[at[m->joints[k].body2]++] = k;
        }
    return TN_OK;
}

typedef struct walk {
    const tn_model *model;
    incidence in;
    uint32_t *stack, *slots;
    size_t depth, count;
    bool *seen;
} walk;

/* Numbers a body and puts its neighbours on the stack, the first joint's on top. */
static void visit(walk *w, uint32_t body)
{
    if (w->seen[body])
        return;
    w->seen[body] = true;
    if (body > 0)
        w->slots[w->count++] = body;
    for (uint32_t n = w->in.begin[body + 1]; n-- > w->in.begin[body];) {
        const tn_joint *joint = &w->model->joints[w->in.list[n]];
        uint32_t other = joint->body1 == body ? joint->body2 : joint->body1;
        if (!w->seen[other])
            w->stack[w->depth++] = other;
    }
}

int tn_number_bodies(uint32_t **slots, size_t *count, const tn_model *m, const tn_selection *selection,
                     tn_arena *arena)
{
    walk w = { .model = m };
    TN_TRY(find_incidence(&w.in, m, selection, arena));
    w.slots = tn_arena_alloc(arena, m->body_count, sizeof *w.slots);
    w.seen = tn_arena_alloc(arena, m->body_count, sizeof *w.seen);
    w.stack = tn_arena_alloc(arena, 2 * m->joint_count, sizeof *w.stack);      /* a joint pushes at most two bodies */
    if (!w.slots || !w.seen || !w.stack)
        return TN_ERROR_MEMORY;
    for (uint32_t root = 0; root < m->body_count; root++)
        if (tn_takes_body(m, selection, root))
            for (visit(&w, root); w.depth > 0;)
                visit(&w, w.stack[--w.depth]);
    *slots = w.slots;
    *count = w.count;
    return TN_OK;
}

int tn_number_joints(uint32_t **slots, size_t *count, const tn_model *m, const tn_selection *selection,
                     const int *body_of, tn_arena *arena)
{
    size_t buckets = m->body_count + 2;            /* by the later body; the last one for couplings */
    uint32_t *begin = tn_arena_alloc(arena, buckets + 1, sizeof *begin);
    uint32_t *key = tn_arena_alloc(arena, m->joint_count, sizeof *key);
    *slots = tn_arena_alloc(arena, m->joint_count, sizeof **slots);
    if (!begin || !key || !*slots)
        return TN_ERROR_MEMORY;
    *count = 0;
    for (uint32_t k = 0; k < m->joint_count; k++) {
        const tn_joint *joint = &m->joints[k];
        if (!tn_takes_joint(m, selection, k))
            continue;
        bool coupling = joint->type->joints != 0;
        int a = coupling ? 0 : body_of[joint->body1], b = coupling ? 0 : body_of[joint->body2];
        key[k] = coupling ? (uint32_t)buckets - 1 : (uint32_t)(a > b ? a : b);
        begin[key[k] + 1]++;
        ++*count;
    }
    for (size_t k = 0; k < buckets; k++)
        begin[k + 1] += begin[k];
    for (uint32_t k = 0; k < m->joint_count; k++)
        if (tn_takes_joint(m, selection, k))
            (*slots)[begin[key[k]]++] = k;
    return TN_OK;
}
