/* Suggests groups by graph partitioning with METIS. The vertices are the bodies, weighted by their columns. A
 * constraint is an edge between any two of its bodies, weighted by its rows. */
#include "tenon/sys/partition.h"
#include "mem.h"

#include <metis.h>
#include <stdlib.h>

static int width(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

typedef struct edge {
    int from, to, rows;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Lists both directions of every pair, sorted; edges with the same ends become one edge. */
static int list_edges(edge **out, size_t *count, const tn_structure *s, tn_arena *arena)
{
    size_t most = 0, kept = 0;
    for (int c = 0; c < s->constraints; c++) {
        size_t blocks = (size_t)(s->block_begin[c + 1] - s->block_begin[c]);
        most += blocks * blocks;
    }
    edge *edges = tn_arena_alloc(arena, most, sizeof *edges);
    if (!edges)
        return TN_ERROR_MEMORY;
    *count = 0;
    for (int c = 0; c < s->constraints; c++)
        for (int i = s->block_begin[c]; i < s->block_begin[c + 1]; i++)
            for (int j = s->block_begin[c]; j < s->block_begin[c + 1]; j++)
                if (i != j)
                    edges[(*count)++] = (edge){ s->block_body[i], s->block_body[j],
                                                s->constraint_row[c + 1] - s->constraint_row[c] };
    qsort(edges, *count, sizeof *edges, compare_edges);
    for (size_t k = 0; k < *count; k++)
        if (kept > 0 && compare_edges(&edges[kept - 1], &edges[k]) == 0)
            edges[kept - 1].rows += edges[k].rows;
        else
            edges[kept++] = edges[k];
    *count = kept;
    *out = edges;
    return TN_OK;
}

typedef struct graph {
    idx_t *begin, *neighbour, *edge_weight, *vertex_weight, *part;
} graph;

static int build_graph(graph *g, const tn_structure *s, tn_arena *arena)
{
    edge *edges;
    size_t count;
    TN_TRY(list_edges(&edges, &count, s, arena));
    g->begin = tn_arena_alloc(arena, (size_t)s->bodies + 1, sizeof(idx_t));
    g->neighbour = tn_arena_alloc(arena, count, sizeof(idx_t));
    g->edge_weight = tn_arena_alloc(arena, count, sizeof(idx_t));
    g->vertex_weight = tn_arena_alloc(arena, (size_t)s->bodies, sizeof(idx_t));
    g->part = tn_arena_alloc(arena, (size_t)s->bodies, sizeof(idx_t));
    TN_TRY(tn_arena_status(arena));
    for (size_t k = 0; k < count; k++) {
        g->begin[edges[k].from + 1]++;
        g->neighbour[k] = edges[k].to;
        g->edge_weight[k] = edges[k].rows;
    }
    for (int b = 0; b < s->bodies; b++) {
        g->begin[b + 1] += g->begin[b];
        g->vertex_weight[b] = width(s, b);
    }
    return TN_OK;
}

static int call_metis(graph *g, int bodies, int parts, double unevenness)
{
    static const double UNIT = 1000;               /* of METIS_OPTION_UFACTOR */
    idx_t options[METIS_NOPTIONS], vertices = bodies, constraints = 1, wanted = parts, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_UFACTOR] = unevenness * UNIT < 1 ? 1 : (idx_t)(unevenness * UNIT);
    int code = METIS_PartGraphRecursive(&vertices, &constraints, g->begin, g->neighbour, g->vertex_weight, NULL,
                                        g->edge_weight, &wanted, NULL, NULL, options, &cut, g->part);
    return code == METIS_OK ? TN_OK : TN_ERROR_MEMORY;     /* the input is valid: only memory can be missing */
}

/* Numbers the parts that have bodies in the order of their first bodies. */
static int number_parts(int *part, const idx_t *found, int bodies, int parts, tn_arena *arena)
{
    int *number = tn_arena_alloc(arena, (size_t)parts, sizeof(int)), count = 0;
    if (!number)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < bodies; b++) {
        if (number[found[b]] == 0)
            number[found[b]] = ++count;
        part[b] = number[found[b]] - 1;
    }
    return count;
}

static int divide(int *part, const tn_structure *s, int parts, double unevenness, tn_arena *arena)
{
    graph g;
    TN_TRY(build_graph(&g, s, arena));
    if (parts > 1)
        TN_TRY(call_metis(&g, s->bodies, parts, unevenness));
    return number_parts(part, g.part, s->bodies, parts, arena);
}

int tn_structure_divide(int *part, int *count, tn_context *context, const tn_structure *structure, int parts,
                        double unevenness)
{
    if (parts < 1 || parts > structure->bodies || !(unevenness >= 0))
        return TN_ERROR_ARGUMENT;
    tn_arena *arena = tn_arena_create(context);
    int found = arena ? divide(part, structure, parts, unevenness, arena) : TN_ERROR_MEMORY;
    tn_arena_destroy(arena);
    *count = found;
    return found < 0 ? found : TN_OK;
}
