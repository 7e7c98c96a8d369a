/* Accelerations, reactions and other channels of the solved system that sampled devices read: their values are put into the memory before
 * samples are taken. */
#include "network_events.h"

#include "channels.h"
#include "unilaterals.h"

int tn_late_inputs_open(tn_session *s)
{
    const tn_network *n = s->system->network;
    s->late_probes = NULL;
    if (!n || n->late_count == 0)
        return TN_OK;
    tn_probe *probes = tn_arena_alloc(s->binding, (size_t)n->late_count, sizeof *probes);
    if (!probes)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < n->late_count; k++) {
        tn_probe_list found = { 0 };
        size_t added = 0;
        int code = tn_probes_add(s, &found, s->binding, n->lates[k].name, &added);
        if (code == TN_OK && added != 1)
            code = tn_probe_unknown(s, n->lates[k].name, n->lates[k].span);
        if (code == TN_OK)
            probes[k] = found.items[0];
        tn_free(s->context, found.items);
        TN_TRY(code);
    }
    s->late_probes = probes;
    return TN_OK;
}

int tn_late_inputs_take(tn_session *s)
{
    const tn_network *n = s->system->network;
    if (!n || n->late_count == 0)
        return TN_OK;
    if (!s->late_probes)
        TN_TRY(tn_late_inputs_open(s));
    TN_TRY(tn_session_evaluate(s));
    for (int k = 0; k < n->late_count; k++)
        s->stepper->memory[n->lates[k].memory] = tn_probe_value(s, &s->late_probes[k]);
    s->eval_current = false;
    return TN_OK;
}
