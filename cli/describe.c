/* The command "describe": types of joints, forces, shapes and methods, and kinds of channels. */
#include <stdio.h>
#include <string.h>
#include "output.h"

/* "m" or "m or rad". */
static const char *unit_text(tn_channel_kind kind, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s%s", kind.unit, kind.angle_unit ? " or " : "", kind.angle_unit ? kind.angle_unit : "");
    return buffer;
}

static void print_channels(void)
{
    char name[120], unit[60];
    const char *group = "";
    for (size_t k = 0; k < tn_channel_kind_count(); k++) {
        tn_channel_kind kind = tn_channel_kind_at(k);
        if (strcmp(group, kind.group) != 0)
            printf("%s%s\n", k > 0 ? "\n" : "", kind.group);
        group = kind.group;
        printf("  %-34s %-18s %s\n", tn_channel_kind_name(k, name, sizeof name), unit_text(kind, unit, sizeof unit),
               kind.doc);
    }
}

static int print_channels_json(void)
{
    char name[120], unit[60];
    cJSON *document = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(document, "channels");
    for (size_t k = 0; k < tn_channel_kind_count(); k++) {
        tn_channel_kind kind = tn_channel_kind_at(k);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "of", kind.group);
        cJSON_AddStringToObject(item, "name", tn_channel_kind_name(k, name, sizeof name));
        cJSON_AddStringToObject(item, "unit", unit_text(kind, unit, sizeof unit));
        cJSON_AddStringToObject(item, "doc", kind.doc);
        cJSON_AddStringToObject(item, "level", kind.level);
        cJSON_AddItemToArray(list, item);
    }
    tn_json_print(document);
    return TN_EXIT_OK;
}

static int run_describe(tn_context *context, const tn_arguments *arguments)
{
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    char *text = NULL;
    if (name != NULL && strcmp(name, "channels") == 0 && arguments->json)
        return print_channels_json();
    if (name != NULL && strcmp(name, "channels") == 0) {
        print_channels();
        return TN_EXIT_OK;
    }
    int code = tn_describe_text(&text, context, name, arguments->json);
    int status = tn_diagnostics_flush(context, code, NULL);
    if (status == TN_EXIT_OK)
        puts(text);
    tn_text_free(context, text);
    return status;
}

const tn_command tn_command_describe = {
    .name = "describe",
    .summary = "Say what a type of joint, force, shape, solver, scheme or integrator is, and what it takes.",
    .details = "Without a name, list them all. 'channels' lists what can be measured.",
    .operands = "[NAME]",
    .max_operands = 1,
    .run = run_describe,
};
