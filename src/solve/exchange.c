/* The messages between the members of a team that share a condensation (exchange.h). */
#include "exchange.h"

#include <math.h>
#include <string.h>

/* Every member's part of a solution begins with its outcome: the index of each number, and their count HEAD. */
enum { HEAD_CODE, HEAD_RANK, HEAD_WEAKEST, HEAD_DROPPED, HEAD };

/* ---- life ---- */

static size_t size_of(const tn_response *response)
{
    return (size_t)response->room * (size_t)response->columns;
}

static int create_link(tn_link *link, tn_arena *arena)
{
    const size_t T = 1 + size_of(link->response), columns = (size_t)link->response->columns;
    const size_t sizes[TN_MESSAGES] = { T, T + columns, columns };
    for (int m = 0; m < TN_MESSAGES; m++)
        if (!(link->data[m] = tn_arena_alloc(arena, sizes[m], sizeof(double))))
            return TN_ERROR_MEMORY;
    return TN_OK;
}

/* All members see the same plan, so a link has the same number for all of them. */
static int create_links(tn_exchange *x, tn_arena *arena, const tn_cluster_plan *plan, tn_tree_node *nodes)
{
    const int *rank = x->placement->node_rank, own = x->team->rank;
    int number = 0;
    x->links = tn_arena_alloc(arena, (size_t)x->placement->links, sizeof *x->links);
    x->link_of = tn_arena_alloc(arena, (size_t)plan->node_count, sizeof(int));
    if (!x->links || !x->link_of)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->node_count; n++) {
        int parent = plan->nodes[n].parent;
        x->link_of[n] = -1;
        if (parent < 0 || rank[parent] == rank[n])
            continue;
        if (rank[n] == own || rank[parent] == own) {
            x->link_of[n] = x->link_count;
            tn_link *link = &x->links[x->link_count++];
            *link = (tn_link){ .upward = rank[n] == own, .peer = rank[n] == own ? rank[parent] : rank[n],
                               .number = number, .response = &nodes[n].response };
            TN_TRY(create_link(link, arena));
        }
        number++;
    }
    return TN_OK;
}

/* Sorts items by the member that has them. */
static int share(tn_share *out, const int *rank, int count, int size, tn_arena *arena)
{
    out->begin = tn_arena_alloc(arena, (size_t)size + 1, sizeof(int));
    out->items = tn_arena_alloc(arena, (size_t)count, sizeof(int));
    if (!out->begin || !out->items)
        return TN_ERROR_MEMORY;
    for (int r = 0, at = 0; r < size; r++) {
        for (int k = 0; k < count; k++)
            if (rank[k] == r)
                out->items[at++] = k;
        out->begin[r + 1] = at;
    }
    return TN_OK;
}

static int share_rows(tn_exchange *x, tn_arena *arena, const tn_cluster_plan *plan)
{
    const int *first = x->structure->constraint_row, count = first[x->structure->constraints];
    int *rank = tn_arena_alloc(arena, (size_t)count, sizeof(int));
    if (!rank)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < plan->node_count; n++)
        for (int c = 0; c < plan->nodes[n].constraint_count; c++)
            for (int i = first[plan->nodes[n].constraints[c]]; i < first[plan->nodes[n].constraints[c] + 1]; i++)
                rank[i] = x->placement->node_rank[n];
    return share(&x->rows, rank, count, x->team->size, arena);
}

static int prepare_gather(tn_exchange *x, tn_arena *arena, const tn_cluster_plan *plan)
{
    const tn_structure *s = x->structure;
    const size_t size = (size_t)x->team->size;
    x->columns = tn_arena_alloc(arena, size, sizeof(int));
    x->counts = tn_arena_alloc(arena, size, sizeof(int));
    x->offsets = tn_arena_alloc(arena, size, sizeof(int));
    if (!x->columns || !x->counts || !x->offsets)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->bodies; b++)
        x->columns[x->placement->body_rank[b]] += s->body_column[b + 1] - s->body_column[b];
    TN_TRY(share(&x->bodies, x->placement->body_rank, s->bodies, x->team->size, arena));
    TN_TRY(share_rows(x, arena, plan));
    size_t numbers = HEAD * size + (size_t)s->body_column[s->bodies] + (size_t)s->constraint_row[s->constraints];
    x->all = tn_arena_alloc(arena, numbers, sizeof(double));
    return x->all ? TN_OK : TN_ERROR_MEMORY;
}

int tn_exchange_create(tn_exchange **out, tn_arena *arena, const tn_team *team, const tn_structure *structure,
                       const tn_cluster_plan *plan, const tn_node_placement *placement, tn_tree_node *nodes)
{
    tn_exchange *x = tn_arena_alloc(arena, 1, sizeof *x);
    if (!x)
        return TN_ERROR_MEMORY;
    *x = (tn_exchange){ .team = team, .structure = structure, .placement = placement };
    TN_TRY(create_links(x, arena, plan, nodes));
    TN_TRY(prepare_gather(x, arena, plan));
    *out = x;
    return TN_OK;
}

/* ---- messages ---- */

static bool sends(const tn_link *link, tn_message message)
{
    return link->upward == (message != TN_MESSAGE_FORCES);
}

static int tag_of(const tn_link *link, tn_message message)
{
    return link->number * TN_MESSAGES + (int)message;
}

/* The part of the link's data that the message contains. */
static double *part_of(const tn_link *link, tn_message message, tn_content content, size_t *count)
{
    const size_t T = 1 + size_of(link->response), columns = (size_t)link->response->columns;
    const size_t response = (content.T ? T : 0) + (content.r ? columns : 0);
    *count = message == TN_MESSAGE_DECIDED ? T : message == TN_MESSAGE_FORCES ? columns : response;
    return link->data[message] + (message == TN_MESSAGE_RESPONSE && !content.T ? T : 0);
}

static void pack(const tn_link *link, tn_message message, tn_content content)
{
    const tn_response *own = link->response;
    const size_t size = size_of(own), columns = (size_t)own->columns * sizeof(double);
    double *data = link->data[message];
    if (message == TN_MESSAGE_FORCES) {
        memcpy(data, own->tau, columns);
        return;
    }
    if (message == TN_MESSAGE_DECIDED || content.T) {
        data[0] = own->rank;
        memcpy(data + 1, own->T, size * sizeof(double));
    }
    if (message == TN_MESSAGE_RESPONSE && content.r)
        memcpy(data + 1 + size, own->r, columns);
}

static void unpack(const tn_link *link, tn_message message, tn_content content)
{
    tn_response *own = link->response;
    const size_t size = size_of(own), columns = (size_t)own->columns * sizeof(double);
    const double *data = link->data[message];
    if (message == TN_MESSAGE_FORCES) {
        memcpy(own->tau, data, columns);
        return;
    }
    if (message == TN_MESSAGE_DECIDED || content.T) {
        own->rank = (int)data[0];
        memcpy(own->T, data + 1, size * sizeof(double));
    }
    if (message == TN_MESSAGE_RESPONSE && content.r)
        memcpy(own->r, data + 1 + size, columns);
}

int tn_exchange_expect(tn_exchange *x, tn_message message, tn_content content)
{
    for (int k = 0; x && k < x->link_count; k++) {
        const tn_link *link = &x->links[k];
        size_t count;
        double *data = part_of(link, message, content, &count);
        if (!sends(link, message))
            TN_TRY(x->team->expect(x->team->user, link->peer, tag_of(link, message), data, count));
    }
    return TN_OK;
}

/* The link of a node over which a message goes out, or comes in; NULL: none. */
static const tn_link *find_link(const tn_exchange *x, int node, tn_message message, bool out)
{
    const tn_link *link = x && x->link_of[node] >= 0 ? &x->links[x->link_of[node]] : NULL;
    return link && sends(link, message) == out ? link : NULL;
}

int tn_exchange_send(tn_exchange *x, int node, tn_message message, tn_content content)
{
    const tn_link *link = find_link(x, node, message, true);
    if (!link)
        return TN_OK;
    size_t count;
    const double *data = part_of(link, message, content, &count);
    pack(link, message, content);
    return x->team->send(x->team->user, link->peer, tag_of(link, message), data, count);
}

int tn_exchange_await(tn_exchange *x, int node, tn_message message, tn_content content)
{
    const tn_link *link = find_link(x, node, message, false);
    if (!link)
        return TN_OK;
    TN_TRY(x->team->await(x->team->user, tag_of(link, message)));
    unpack(link, message, content);
    return TN_OK;
}

/* ---- solutions ---- */

static void lay_out(tn_exchange *x, bool a, bool lambda)
{
    for (int r = 0, at = 0; r < x->team->size; at += x->counts[r++]) {
        x->offsets[r] = at;
        x->counts[r] = HEAD + (a ? x->columns[r] : 0) + (lambda ? x->rows.begin[r + 1] - x->rows.begin[r] : 0);
    }
}

/* Copies the part of a solution that one member found into the gathered array; take: copies it from there. */
static void copy_solution(const tn_exchange *x, int member, double *a, double *lambda, bool take)
{
    const int *column = x->structure->body_column;
    double *part = x->all + x->offsets[member] + HEAD;
    for (int k = x->bodies.begin[member]; k < x->bodies.begin[member + 1] && a; k++) {
        const int body = x->bodies.items[k], columns = column[body + 1] - column[body];
        double *own = a + column[body];
        memcpy(take ? own : part, take ? part : own, (size_t)columns * sizeof(double));
        part += columns;
    }
    for (int k = x->rows.begin[member]; k < x->rows.begin[member + 1] && lambda; k++, part++) {
        double *own = lambda + x->rows.items[k];
        *(take ? own : part) = *(take ? part : own);
    }
}

int tn_exchange_gather(tn_exchange *x, const tn_outcome *own, tn_outcome *all, double *a, double *lambda)
{
    *all = *own;
    if (!x)
        return TN_OK;
    const int self = x->team->rank;
    lay_out(x, a != NULL, lambda != NULL);
    double *head = x->all + x->offsets[self];
    head[HEAD_CODE] = own->code;
    head[HEAD_RANK] = own->rank;
    head[HEAD_WEAKEST] = own->weakest;
    head[HEAD_DROPPED] = own->dropped;
    copy_solution(x, self, a, lambda, false);
    TN_TRY(x->team->gather(x->team->user, x->all, x->counts, x->offsets));
    for (int r = 0; r < x->team->size; r++) {
        if (r == self)
            continue;
        head = x->all + x->offsets[r];
        all->code = (int)fmin(all->code, head[HEAD_CODE]);
        all->rank += (int)head[HEAD_RANK];
        all->weakest = fmin(all->weakest, head[HEAD_WEAKEST]);
        all->dropped = fmax(all->dropped, head[HEAD_DROPPED]);
        copy_solution(x, r, a, lambda, true);
    }
    return TN_OK;
}
