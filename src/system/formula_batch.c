/* Evaluates formulas with one tape side by side. */
#include "formula_batch.h"

#include <stdlib.h>
#include <string.h>
#include "device_network.h"

/* A batch of fewer formulas is not worth it. */
enum { FEWEST = 4 };

typedef struct batch {
    const tn_tape *tape;
    int count, slots, first, outputs;
    const tn_slot_kind *kinds;     /* of each slot */
    int *index;                    /* of each slot: those of all formulas */
    const double **parameters;     /* of each formula */
    int *target;                   /* of each formula */
} batch;

struct tn_formula_batches {
    batch *list;
    int count;
};

static bool takes_part(const tn_batch_member *m)
{
    const tn_formula *f = m->formula;
    if (!f || m->count == 0 || f->order > 0 || f->branch >= 0 || f->memory_count > 0 || f->free_force || !tn_tape_plain(f->tape))
        return false;
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind != TN_SLOT_STATE && f->slots[k].kind != TN_SLOT_UNKNOWN && f->slots[k].kind != TN_SLOT_MEMORY)
            return false;
    return true;
}

/* By tape, then in the order of the list. */
static int compare(const void *a, const void *b)
{
    const tn_batch_member *const *first = a, *const *second = b;
    const uintptr_t x = (uintptr_t)(*first)->formula->tape, y = (uintptr_t)(*second)->formula->tape;
    return x != y ? (x < y ? -1 : 1) : (*first > *second) - (*first < *second);
}

static bool alike(const tn_batch_member *a, const tn_batch_member *b)
{
    bool same = a->formula->tape == b->formula->tape && a->first == b->first && a->count == b->count &&
                a->formula->slot_count == b->formula->slot_count;
    for (int k = 0; same && k < a->formula->slot_count; k++)
        same = a->formula->slots[k].kind == b->formula->slots[k].kind;
    return same;
}

static int fill_batch(batch *out, tn_arena *arena, tn_batch_member **members, int count)
{
    const tn_formula *like = members[0]->formula;
    const int slots = like->slot_count;
    tn_slot_kind *kinds = tn_arena_alloc(arena, (size_t)slots, sizeof *kinds);
    *out = (batch){ .tape = like->tape, .count = count, .slots = slots, .first = members[0]->first, .outputs = members[0]->count,
                    .kinds = kinds, .index = tn_arena_alloc(arena, (size_t)(slots * count), sizeof(int)),
                    .parameters = tn_arena_alloc(arena, (size_t)count, sizeof(double *)),
                    .target = tn_arena_alloc(arena, (size_t)count, sizeof(int)) };
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < slots; k++)
        kinds[k] = like->slots[k].kind;
    for (int i = 0; i < count; i++) {
        members[i]->taken = true;
        out->parameters[i] = members[i]->formula->parameters;
        out->target[i] = members[i]->target;
        for (int k = 0; k < slots; k++)
            out->index[k * count + i] = members[i]->formula->slots[k].index;
    }
    return TN_OK;
}

int tn_formula_batches_create(tn_formula_batches **out, tn_arena *arena, tn_batch_member *members, int count)
{
    tn_formula_batches *all = tn_arena_alloc(arena, 1, sizeof *all);
    tn_batch_member **sorted = tn_arena_alloc(arena, (size_t)count, sizeof *sorted);
    int used = 0;
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < count; k++)
        if (takes_part(&members[k]))
            sorted[used++] = &members[k];
    qsort(sorted, (size_t)used, sizeof *sorted, compare);
    all->list = tn_arena_alloc(arena, (size_t)(used / FEWEST), sizeof *all->list);
    TN_TRY(tn_arena_status(arena));
    for (int begin = 0, end; begin < used; begin = end) {
        for (end = begin + 1; end < used && alike(sorted[begin], sorted[end]);)
            end++;
        if (end - begin >= FEWEST)
            TN_TRY(fill_batch(&all->list[all->count++], arena, sorted + begin, end - begin));
    }
    *out = all;
    return TN_OK;
}

/* ---- evaluating ---- */

typedef struct lane_source {
    const batch *b;
    const tn_eval *e;
    const double *memory;
    int first, lanes;
} lane_source;

static void read_leaf(const void *user, int leaf, double *out)
{
    const lane_source *l = user;
    const int slot = leaf / TN_LEAVES;
    const int *index = l->b->index + slot * l->b->count + l->first;
    const tn_slot_kind kind = l->b->kinds[slot];
    const double *from = kind == TN_SLOT_STATE ? l->e->z : kind == TN_SLOT_UNKNOWN ? l->e->network->x : l->memory;
    for (int k = 0; k < TN_TAPE_LANES; k++)
        out[k] = from[index[k < l->lanes ? k : 0]];
}

static void read_parameter(const void *user, int parameter, double *out)
{
    const lane_source *l = user;
    for (int k = 0; k < TN_TAPE_LANES; k++)
        out[k] = l->b->parameters[l->first + (k < l->lanes ? k : 0)][parameter];
}

void tn_formula_batches_run(const tn_formula_batches *batches, tn_eval *e, const double *memory, double *values)
{
    for (int n = 0; n < batches->count; n++) {
        const batch *b = &batches->list[n];
        for (int first = 0; first < b->count; first += TN_TAPE_LANES) {
            const int left = b->count - first;
            lane_source source = { b, e, memory, first, left < TN_TAPE_LANES ? left : TN_TAPE_LANES };
            const tn_tape_lanes lanes = { e->t, read_leaf, read_parameter, &source };
            tn_tape_values_side_by_side(b->tape, &lanes, e->work);
            for (int output = 0; output < b->outputs; output++) {
                const double *result = tn_tape_lane_values(b->tape, e->work, b->first + output);
                for (int k = 0; k < source.lanes; k++)
                    values[b->target[first + k] + output] = result[k];
            }
        }
    }
}
