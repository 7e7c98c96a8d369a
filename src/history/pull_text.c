/* Writing the pull of a snapshot as text, and reading it back. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "entry.h"

/* Indices of the numbers, in the order of the text. */
enum { BODY, OMEGA, CAP, ENERGY, AT, TARGET = AT + 3, MASS = TARGET + 3, NUMBERS = MASS + 6 };

void tn_pulling_write(tn_text *out, const tn_pulling *pull)
{
    const tn_pull_load *load = &pull->load;
    double x[NUMBERS] = { [BODY] = load->body, [OMEGA] = load->omega, [CAP] = load->cap, [ENERGY] = pull->energy };
    if (!pull->active)
        return;
    memcpy(x + AT, load->at, sizeof load->at);
    memcpy(x + TARGET, load->target, sizeof load->target);
    memcpy(x + MASS, load->mass, sizeof load->mass);
    tn_text_add(out, ", pull: { state: [");
    for (int k = 0; k < NUMBERS; k++)
        tn_text_add(out, "%s%.17g", k ? ", " : "", x[k]);
    tn_text_add(out, "] }");
}

int tn_pulling_read(tn_pulling *out, tn_arena *arena, tn_context *context, const tn_node *map)
{
    double *x;
    size_t count;
    *out = (tn_pulling){ .active = false };
    if (!map)
        return TN_OK;
    TN_TRY(tn_map_numbers(&x, &count, arena, context, map, "state"));
    if (count != NUMBERS || !(x[BODY] >= 0) || x[BODY] > UINT32_MAX || !(x[OMEGA] > 0) || !(x[CAP] > 0))
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'pull' does not say how somebody pulls");
    *out = (tn_pulling){ .active = true, .energy = x[ENERGY],
                         .load = { .body = (uint32_t)x[BODY], .omega = x[OMEGA], .cap = x[CAP] } };
    memcpy(out->load.at, x + AT, sizeof out->load.at);
    memcpy(out->load.target, x + TARGET, sizeof out->load.target);
    memcpy(out->load.mass, x + MASS, sizeof out->load.mass);
    return TN_OK;
}
