/* Large affine blocks of the network: their equations side by side, or as sums with factors. */
#include "network_impl.h"

#include <math.h>
#include <string.h>

/* Room for the sums of an affine block. */
static int create_terms(struct tn_network_sparse *out, const tn_network *n, tn_arena *arena)
{
    const int first = n->blocks.begin[out->block], size = n->blocks.begin[out->block + 1] - first;
    size_t total = 0;
    if (!n->blocks.affine[out->block])
        return TN_OK;
    for (int i = 0; i < size; i++)
        total += (size_t)n->variables[n->blocks.rows[first + i]].formula->slot_count;
    tn_terms *t = tn_arena_alloc(arena, 1, sizeof *t);
    if (!t)
        return TN_ERROR_MEMORY;
    *t = (tn_terms){ .begin = tn_arena_alloc(arena, (size_t)size + 1, sizeof(int)), .index = tn_arena_alloc(arena, total, sizeof(int)),
                      .kind = tn_arena_alloc(arena, total, 1), .factor = tn_arena_alloc(arena, total, sizeof(double)),
                      .constant = tn_arena_alloc(arena, (size_t)size, sizeof(double)) };
    out->terms = t;
    return tn_arena_status(arena);
}

/* Equations that are alike are evaluated together. */
static int create_batches(struct tn_network_sparse *out, const tn_network *n, tn_arena *arena)
{
    const int first = n->blocks.begin[out->block], size = n->blocks.begin[out->block + 1] - first;
    tn_batch_member *members = tn_arena_alloc(arena, (size_t)size, sizeof *members);
    out->batched = tn_arena_alloc(arena, (size_t)size, sizeof *out->batched);
    TN_TRY(tn_arena_status(arena));
    for (int i = 0; i < size; i++) {
        const tn_variable *v = &n->variables[n->blocks.rows[first + i]];
        members[i] = (tn_batch_member){ .formula = v->external ? NULL : v->formula, .count = 1, .target = i };
    }
    TN_TRY(tn_formula_batches_create(&out->batches, arena, members, size));
    for (int i = 0; i < size; i++)
        out->batched[i] = members[i].taken;
    return TN_OK;
}

int tn_affine_create(struct tn_network_sparse *out, const tn_network *n, tn_arena *arena)
{
    TN_TRY(create_terms(out, n, arena));
    return create_batches(out, n, arena);
}

/* Takes the factors of an affine block, unless they are known. */
static void take_terms(const tn_block_solver *v, tn_terms *t)
{
    if (t->known && t->changes == v->s->affine_changes)
        return;
    int at = 0;
    for (int i = 0; i < v->size; i++) {
        const tn_formula *f = v->n->variables[v->n->blocks.rows[v->first + i]].formula;
        t->constant[i] = f->affine[0];
        t->begin[i] = at;
        for (int k = 0; k < f->slot_count; k++, at++) {
            const tn_slot_kind kind = f->slots[k].kind;
            t->kind[at] = kind == TN_SLOT_UNKNOWN ? TN_TERM_UNKNOWN : kind == TN_SLOT_STATE ? TN_TERM_STATE : TN_TERM_MEMORY;
            t->index[at] = f->slots[k].index;
            t->factor[at] = f->affine[1 + k];
        }
    }
    t->begin[v->size] = at;
    t->changes = v->s->affine_changes;
    t->known = true;
}

bool tn_affine_evaluate(tn_block_solver *v)
{
    struct tn_network_work *w = v->w;
    tn_terms *t = v->sparse->terms;
    const double *const from[TN_TERM_KINDS] = { v->here.z, w->x, v->memory };
    bool finite = true;
    if (v->sums)
        take_terms(v, t);
    else
        tn_formula_batches_run(v->sparse->batches, &v->here, v->memory, w->residual);
    for (int i = 0; i < v->size; i++) {
        const int row = v->n->blocks.rows[v->first + i];
        double value = v->sums ? t->constant[i] : w->residual[i];
        for (int k = v->sums ? t->begin[i] : 0; v->sums && k < t->begin[i + 1]; k++)
            value += t->factor[k] * from[t->kind[k]][t->index[k]];
        if (!v->sums && !v->sparse->batched[i])
            value = tn_network_row(v, i, false);
        else if (v->n->variables[row].kind == TN_VARIABLE_SIGNAL)
            value = w->x[row] - value;
        if (!isfinite(value)) {
            v->guilty = row;
            finite = false;
        }
        w->residual[i] = value;
    }
    return finite;
}
