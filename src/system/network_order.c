/* The order of the network's blocks, from a maximum matching and strongly connected components of the incidence. */
#include <btf.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "device_network.h"

/* ", 'a.i', 'b.voltage'" of the marked unknowns, a few of them. */
static const char *list_marked(const tn_system *s, const bool *marked, char *text, size_t size)
{
    enum { MOST = 4 };
    char name[200];
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    for (int k = 0; k < s->network->count && count < MOST && used < size; k++)
        if (marked[k])
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", count++ > 0 ? ", " : "",
                                     tn_variable_name(s, k, name, sizeof name));
    return text;
}

/* Reports that some equations fix nothing that is open: too few unknowns in them. match: column of each row, negative: none. */
static int report_singular(const tn_system *s, const int *match)
{
    const tn_network *n = s->network;
    bool *open = tn_arena_alloc(s->arena, (size_t)n->count, sizeof *open);
    char text[500];
    int first = -1;
    if (!open)
        return TN_ERROR_MEMORY;
    memset(open, true, (size_t)n->count * sizeof *open);
    for (int i = 0; i < n->count; i++) {
        if (match[i] >= 0)
            open[match[i]] = false;
        else if (first < 0)
            first = i;
    }
    const tn_variable *v = &n->variables[first];
    const tn_force *force = &s->model->forces[v->source];
    return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span,
                   v->kind == TN_VARIABLE_NODE
                       ? "%s '%s': nothing that is still open carries a flow there (open: %s): only sources and stores of "
                         "flows meet, such as inductors and current sources; add a path, such as a resistor"
                       : "%s '%s' fixes nothing that is still open (open: %s): sources or capacitors form a "
                         "loop, or a source holds the pressure of a volume; put a small resistance (an orifice) between them",
                   tn_force_word(force), force->entity.name, list_marked(s, open, text, sizeof text));
}

/* Whether equation i reads variable j with a factor that is not zero: a series resistance of 0 leaves a structural entry only. */
static bool has_factor(const tn_network *n, int i, int j)
{
    const tn_formula *f = n->variables[i].formula;
    for (int k = 0; f->affine && k < f->slot_count; k++)
        if (f->slots[k].kind == TN_SLOT_UNKNOWN && f->slots[k].index == j && f->affine[1 + k] != 0)
            return true;
    return !f->affine || (n->variables[i].kind == TN_VARIABLE_SIGNAL && i == j);
}

/* A matching without the entries whose factors are zero: numbers of the model may leave an equation without unknown, such as capacitors in
 * parallel without series resistance. */
static int check_factors(tn_system *s, int *match, int *work)
{
    const tn_network *n = s->network;
    int *begin = tn_arena_alloc(s->arena, (size_t)n->count + 1, sizeof(int)), at = 0;
    int *rows = tn_arena_alloc(s->arena, (size_t)n->begin[n->count], sizeof(int));
    double effort;
    TN_TRY(tn_arena_status(s->arena));
    for (int j = 0; j < n->count; j++) {
        for (int k = n->begin[j]; k < n->begin[j + 1]; k++)
            if (has_factor(n, n->rows[k], j))
                rows[at++] = n->rows[k];
        begin[j + 1] = at;
    }
    return at == n->begin[n->count] || btf_maxtrans(n->count, n->count, begin, rows, 0, &effort, match, work) == n->count
               ? TN_OK : report_singular(s, match);
}

/* Blocks in the order of solving: the permuted incidence is upper triangular by blocks, so the last block comes first. */
static int take_blocks(tn_system *s, const int *P, const int *Q, const int *R, int count)
{
    tn_network *n = s->network;
    tn_network_blocks *b = &n->blocks;
    b->begin = tn_arena_alloc(s->arena, (size_t)count + 1, sizeof(int));
    b->rows = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    b->columns = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    b->assigned = tn_arena_alloc(s->arena, (size_t)count, sizeof *b->assigned);
    b->affine = tn_arena_alloc(s->arena, (size_t)count, sizeof *b->affine);
    n->block_of = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    n->place_of = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    n->row_block = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    n->row_place = tn_arena_alloc(s->arena, (size_t)n->count, sizeof(int));
    TN_TRY(tn_arena_status(s->arena));
    b->count = count;
    for (int k = 0, at = 0; k < count; k++) {
        int block = count - 1 - k, size = R[block + 1] - R[block];
        b->begin[k] = at;
        b->affine[k] = true;
        for (int i = 0; i < size; i++, at++) {
            b->rows[at] = P[R[block] + i];
            b->columns[at] = BTF_UNFLIP(Q[R[block] + i]);
            n->block_of[b->columns[at]] = k;
            n->place_of[b->columns[at]] = i;
            n->row_block[b->rows[at]] = k;
            n->row_place[b->rows[at]] = i;
            b->affine[k] = b->affine[k] && n->variables[b->rows[at]].formula->affine;
        }
        b->begin[k + 1] = at;
        b->largest = size > b->largest ? size : b->largest;
        const int row = b->rows[b->begin[k]];
        b->assigned[k] = size == 1 && n->variables[row].kind == TN_VARIABLE_SIGNAL && b->columns[b->begin[k]] == row;
        for (int i = 0; b->assigned[k] && i < n->variables[row].formula->slot_count; i++) {
            const tn_slot *slot = &n->variables[row].formula->slots[i];
            b->assigned[k] = slot->kind != TN_SLOT_UNKNOWN || slot->index != row ||
                             !tn_tape_reads(n->variables[row].formula->tape, TN_LEAVES * i);
        }
    }
    return TN_OK;
}

int tn_network_order(tn_system *s)
{
    tn_network *n = s->network;
    const size_t size = (size_t)n->count;
    if (n->count == 0)
        return TN_OK;
    int *P = tn_arena_alloc(s->arena, size, sizeof(int)), *Q = tn_arena_alloc(s->arena, size, sizeof(int));
    int *R = tn_arena_alloc(s->arena, size + 1, sizeof(int)), *work = tn_arena_alloc(s->arena, 5 * size, sizeof(int));
    int *match = tn_arena_alloc(s->arena, size, sizeof(int)), matched;
    double effort;
    TN_TRY(tn_arena_status(s->arena));
    if (btf_maxtrans(n->count, n->count, n->begin, n->rows, 0, &effort, match, work) < n->count)
        return report_singular(s, match);
    TN_TRY(check_factors(s, match, work));
    int count = btf_order(n->count, n->begin, n->rows, 0, &effort, P, Q, R, &matched, work);
    return take_blocks(s, P, Q, R, count);
}
