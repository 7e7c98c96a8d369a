/* Reads the script of a run and makes its edits at their times. */
#include "edits.h"
#include <math.h>
#include <stdlib.h>

int tn_edits_open(tn_edits *out, tn_context *context, const char *path, cJSON *diagnostics)
{
    *out = (tn_edits){ 0 };
    if (!path)
        return TN_EXIT_OK;
    int status = tn_diagnostics_flush(context, tn_script_read(&out->script, context, path), diagnostics);
    if (status == TN_EXIT_OK)
        out->acks = tn_allocate(tn_script_count(out->script), sizeof *out->acks);
    return status;
}

void tn_edits_close(tn_edits *edits)
{
    tn_script_destroy(edits->script);
    free(edits->acks);
}

static void keep_ack(void *user, size_t index, const tn_ack *ack)
{
    tn_edits *edits = user;
    edits->acks[index] = *ack;
    edits->made = index + 1;
    edits->told(edits->user, ack);
}

int tn_edits_run(tn_edits *edits, tn_session *session, void (*told)(void *user, const tn_ack *ack), void *user)
{
    edits->told = told;
    edits->user = user;
    return edits->script ? tn_script_run(edits->script, session, keep_ack, edits) : tn_session_run(session);
}

void tn_edit_print(const tn_ack *ack, bool first, FILE *out)
{
    if (first)
        fprintf(out, "%10s %12s %12s  %s\n", "t, s", "energy, J", "moved, m", "edit");
    fprintf(out, "%10.6g %+12.4g %12.4g  %s%s\n", ack->time, ack->energy_change, ack->displacement,
            ack->text[0] ? ack->text : "nothing", ack->changed ? "" : " (was so already)");
}

void tn_edits_print(const tn_edits *edits, FILE *out)
{
    if (!edits->script)
        return;
    double energy = 0, moved = 0;
    size_t count = tn_script_count(edits->script);
    for (size_t k = 0; k < edits->made; k++) {
        energy += edits->acks[k].energy_change;
        moved = fmax(moved, edits->acks[k].displacement);
    }
    fprintf(out, "edits       %zu of %zu: %+.4g J in all, bodies moved by %.4g m at most", edits->made, count, energy,
            moved);
    if (edits->made < count)
        fprintf(out, "; the next is at %.9g s", tn_script_time(edits->script, edits->made));
    fputc('\n', out);
}

cJSON *tn_json_ack(const tn_ack *ack)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "time", ack->time);
    cJSON_AddStringToObject(item, "text", ack->text);
    cJSON_AddBoolToObject(item, "changed", ack->changed);
    cJSON_AddNumberToObject(item, "energy_change", ack->energy_change);
    cJSON_AddNumberToObject(item, "displacement", ack->displacement);
    return item;
}

cJSON *tn_json_edits(const tn_edits *edits)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t k = 0; k < edits->made; k++)
        cJSON_AddItemToArray(list, tn_json_ack(&edits->acks[k]));
    return list;
}
