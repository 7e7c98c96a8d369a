/* The command "schema": writes the JSON Schema of model files. */
#include "output.h"

static int run_schema(tn_context *context, const tn_arguments *arguments)
{
    (void)arguments;
    char *text = NULL;
    int status = tn_diagnostics_flush(context, tn_schema_text(&text, context), NULL);
    if (status == TN_EXIT_OK)
        puts(text);
    tn_text_free(context, text);
    return status;
}

const tn_command tn_command_schema = {
    .name = "schema",
    .summary = "Write the JSON Schema of model files, for completion in editors.",
    .operands = "",
    .run = run_schema,
};
