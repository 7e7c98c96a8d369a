/* Lists the algebraic loops of a network: signals of devices that depend on themselves at the same instant. */
#include <stdio.h>
#include <string.h>
#include "device_network.h"
#include "session_parts.h"

static bool has_signal(const tn_network *n, int block)
{
    for (int k = n->blocks.begin[block]; k < n->blocks.begin[block + 1]; k++)
        if (n->variables[n->blocks.columns[k]].kind == TN_VARIABLE_SIGNAL)
            return true;
    return false;
}

/* The next variable of the block that the equation of one reads; the first one closes the loop. */
static int next_variable(const tn_network *n, int variable, int first, const bool *seen)
{
    const tn_formula *f = n->variables[variable].formula;
    int next = first;
    for (int k = f->slot_count - 1; k >= 0; k--)
        if (f->slots[k].kind == TN_SLOT_UNKNOWN && n->block_of[f->slots[k].index] == n->block_of[variable] &&
            !seen[f->slots[k].index])
            next = f->slots[k].index;
    return next;
}

static void write_loop(char *buffer, size_t size, const tn_system *s, int block, bool *seen)
{
    const tn_network *n = s->network;
    const int first = n->blocks.columns[n->blocks.begin[block]];
    size_t used = 0;
    int at = first;
    do {
        char name[200];
        seen[at] = true;
        used += (size_t)snprintf(buffer + used, size - used, "%s -> ", tn_variable_name(s, at, name, sizeof name));
        at = next_variable(n, at, first, seen);
    } while (at != first && used < size);
    char name[200];
    if (used < size)
        snprintf(buffer + used, size - used, "%s", tn_variable_name(s, first, name, sizeof name));
}

int tn_session_loop(char *buffer, size_t size, const tn_session *s, size_t index)
{
    const tn_network *n = s->system->network;
    for (int k = 0; n && k < n->blocks.count; k++) {
        if (n->blocks.assigned[k] || !has_signal(n, k) || index-- > 0)
            continue;
        bool *seen = tn_alloc(s->context, (size_t)n->count, sizeof *seen);
        if (!seen)
            return TN_ERROR_MEMORY;
        write_loop(buffer, size, s->system, k, seen);
        tn_free(s->context, seen);
        return TN_OK;
    }
    return TN_NEWS_END;
}
