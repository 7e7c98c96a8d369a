#include "output.h"

static int run_describe(tn_context *context, const tn_arguments *arguments)
{
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    char *text = NULL;
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
    .details = "Without a name, list them all.",
    .operands = "[NAME]",
    .max_operands = 1,
    .run = run_describe,
};
