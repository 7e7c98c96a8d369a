/* Readouts: reading channels by name, once or repeatedly. */
#include <ctype.h>
#include <string.h>
#include "diag.h"
#include "channels.h"

static bool is_name(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_.-", *text))
            return false;
    return true;
}

static int add_formula(tn_session *s, tn_probe_list *list, tn_arena *arena, const char *text)
{
    TN_TRY(tn_grow(s->context, &list->items, &list->capacity, list->count + 1, sizeof(tn_probe)));
    tn_probe *probe = &list->items[list->count];
    *probe = (tn_probe){ .name = tn_arena_strdup(arena, text) };
    if (!probe->name)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_channel_formula_get(&probe->formula, s, &(tn_channel_text){ .name = text, .text = text }));
    probe->unit = tn_channel_formula_unit(probe->formula);
    list->count++;
    return TN_OK;
}

int tn_probes_add_output(tn_session *s, tn_probe_list *list, tn_arena *arena, const char *text)
{
    size_t added = 0;
    TN_TRY(tn_probes_add(s, list, arena, text, &added));
    if (added > 0)
        return TN_OK;
    return is_name(text) ? tn_probe_unknown(s, text, TN_NOWHERE) : add_formula(s, list, arena, text);
}

/* Adds the single channel of that name, or an expression, to the end of the list. */
static int add_single_channel(tn_session *s, tn_probe_list *list, tn_arena *arena, const char *text)
{
    size_t before = list->count;
    TN_TRY(tn_probes_add_output(s, list, arena, text));
    size_t added = list->count - before;
    if (added == 1 && !(s->stepper->motion_only && tn_probe_needs_forces(&list->items[before])))
        return TN_OK;
    list->count = before;
    return added > 1
        ? tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' is a group of %zu channels", text, added)
        : tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' needs forces, and kinematics knows none", text);
}

int tn_session_value(double *value, tn_session *s, const char *channel)
{
    tn_readout *r;
    TN_TRY(tn_readout_open(&r, s, &channel, 1));
    int code = tn_readout_values(value, r);
    tn_readout_close(r);
    return code;
}

int tn_readout_open(tn_readout **out, tn_session *s, const char *const *channels, size_t count)
{
    *out = NULL;
    tn_readout *r = tn_alloc(s->context, 1, sizeof *r);
    if (!r)
        return TN_ERROR_MEMORY;
    *r = (tn_readout){ .session = s, .arena = tn_arena_create(s->context), .next = s->channels->readouts };
    s->channels->readouts = r;
    int code = r->arena ? TN_OK : TN_ERROR_MEMORY;
    for (size_t k = 0; k < count && code == TN_OK; k++)
        code = add_single_channel(s, &r->probes, r->arena, channels[k]);
    if (code < 0)
        tn_readout_close(r);
    else
        *out = r;
    return code;
}

void tn_readout_close(tn_readout *r)
{
    if (!r)
        return;
    tn_session *s = r->session;
    tn_readout **link = &s->channels->readouts;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    tn_free(s->context, r->probes.items);
    tn_arena_destroy(r->arena);
    tn_free(s->context, r);
}

const char *tn_readout_unit(const tn_readout *r, size_t index)
{
    return index < r->probes.count ? r->probes.items[index].unit : NULL;
}

int tn_readout_values(double *values, tn_readout *r)
{
    TN_TRY(tn_session_evaluate(r->session));
    for (size_t k = 0; k < r->probes.count; k++)
        values[k] = tn_probe_value(r->session, &r->probes.items[k]);
    return TN_OK;
}

/* Looks a probe up by name again, in a scratch arena so that names do not accumulate. A channel that the model no
 * longer has causes no diagnostic. */
static int look_up_again(tn_session *s, tn_probe *probe)
{
    tn_probe_list found = { 0 };
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    const tn_report_mark reports = tn_report_now(s->context);
    tn_probe again = { .name = probe->name, .unit = probe->unit };
    int code = add_single_channel(s, &found, s->scratch, probe->name);
    if (code == TN_OK) {
        again = found.items[0];
        again.name = probe->name;
    } else if (code != TN_ERROR_MEMORY) {
        tn_report_forget(s->context, reports);
        code = TN_OK;
    }
    *probe = again;
    tn_free(s->context, found.items);
    tn_arena_release(s->scratch, &mark);
    return code;
}

int tn_readouts_rebind(tn_session *s)
{
    for (tn_readout *r = s->channels->readouts; r; r = r->next)
        for (size_t k = 0; k < r->probes.count; k++)
            TN_TRY(look_up_again(s, &r->probes.items[k]));
    return TN_OK;
}
