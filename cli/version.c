#include "output.h"

static int run_version(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    if (arguments->json) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "version", tn_version());
        tn_json_print(document);
    } else {
        printf("tenon %s\n", tn_version());
    }
    return TN_EXIT_OK;
}

const tn_command tn_command_version = {
    .name = "version",
    .summary = "Print the version.",
    .operands = "",
    .run = run_version,
};
