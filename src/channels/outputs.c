/* The outputs of a model: the recorded channels, and lists of channels for users. */
#include <stdio.h>
#include <string.h>
#include "channels.h"
#include "diag.h"

/* Removes the second time channel, which "all" adds: time is always the first channel. */
static void drop_repeated_time(tn_probe_list *list)
{
    size_t kept = 1;
    for (size_t k = 1; k < list->count; k++)
        if (!tn_probe_is_time(&list->items[k]))
            list->items[kept++] = list->items[k];
    list->count = kept;
}

/* Removes channels that need forces in kinematics, which knows the motion only. say: warn about them. */
static void drop_forces(const tn_session *s, tn_probe_list *list, bool say)
{
    size_t kept = 0, dropped = 0;
    const char *first = NULL;
    for (size_t k = 0; k < list->count; k++) {
        if (!s->stepper->motion_only || !tn_probe_needs_forces(&list->items[k])) {
            list->items[kept++] = list->items[k];
            continue;
        }
        first = dropped++ == 0 ? list->items[k].name : first;
    }
    list->count = kept;
    if (say && dropped > 0)
        tn_warn(s->context, TN_NOWHERE, "kinematics knows no forces: %zu output%s left out ('%s'%s)", dropped,
                dropped == 1 ? " is" : "s are", first, dropped == 1 ? "" : ", ...");
}

/* Is the output of an inactive entity? Such an output is left out with a warning. */
static bool is_output_inactive(const tn_session *s, const tn_output *output)
{
    char name[256], why[TN_INACTIVE_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(output->channel, "."), output->channel);
    tn_id id = tn_model_find(s->model, name);
    if (tn_model_active(s->model, id))
        return false;
    tn_warn(s->context, output->span, "output '%s' is left out: %s", output->channel,
            tn_model_inactive_text(s->model, id, why, sizeof why));
    return true;
}

int tn_outputs_open(tn_session *s)
{
    size_t added = 0;
    int worst = TN_OK;
    TN_TRY(tn_probes_add(s, &s->channels->recorded, s->arena, "t", &added));
    for (size_t k = 0; k < s->model->output_count; k++) {
        const tn_output *output = &s->model->outputs[k];
        if (output->owner && !tn_model_active(s->model, tn_model_find(s->model, output->owner)))
            continue;
        TN_TRY(tn_probes_add(s, &s->channels->recorded, s->arena, output->channel, &added));
        if (added == 0 && !is_output_inactive(s, output))
            worst = tn_probe_unknown(s, output->channel, output->span) == TN_ERROR_MEMORY ? TN_ERROR_MEMORY
                                                                                          : TN_ERROR_MODEL;
    }
    drop_repeated_time(&s->channels->recorded);
    drop_forces(s, &s->channels->recorded, true);
    s->channels->values = tn_arena_alloc(s->arena, s->channels->recorded.count, sizeof(double));
    s->channels->told = tn_arena_alloc(s->arena, s->channels->recorded.count, sizeof(bool));
    return s->channels->values && s->channels->told ? worst : TN_ERROR_MEMORY;
}

void tn_channels_close(tn_session *s)
{
    tn_channels *c = s->channels;
    tn_session_record_end(s);
    tn_reference_close(s);
    while (c->readouts)
        tn_readout_close(c->readouts);
    tn_channel_formulas_close(s);
    tn_free(s->context, c->recorded.items);
    tn_free(s->context, c->all.items);
}

void tn_session_on_sample(tn_session *s, tn_sample_callback callback, void *user)
{
    s->channels->on_sample = callback;
    s->channels->sample_user = user;
}

size_t tn_session_channel_count(tn_session *s)
{
    size_t added = 0;
    if (s->channels->all.count == 0) {
        tn_probes_add(s, &s->channels->all, s->binding, "all", &added);
        drop_forces(s, &s->channels->all, false);
    }
    return s->channels->all.count;
}

tn_channel tn_session_channel(const tn_session *s, size_t index)
{
    if (index >= s->channels->all.count)
        return (tn_channel){ "", "" };
    return (tn_channel){ s->channels->all.items[index].name, s->channels->all.items[index].unit };
}

size_t tn_session_recorded_count(const tn_session *s)
{
    return s->channels->recorded.count;
}

tn_channel tn_session_recorded(const tn_session *s, size_t index)
{
    if (index >= s->channels->recorded.count)
        return (tn_channel){ "", "" };
    return (tn_channel){ s->channels->recorded.items[index].name, s->channels->recorded.items[index].unit };
}
