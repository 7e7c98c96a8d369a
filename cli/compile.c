/* tenon compile: makes a library of a subsystem. */
#include "compile_options.h"
#include "library_text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, OPEN, DISCLOSE };
static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "the library; the subsystem's name and .so when not given", "-o" },
    [OPEN] = { "--open", TN_OPTION_TEXTS, "NAME,...", "parameters that may still be given; others are fixed", NULL },
    [DISCLOSE] = { "--disclose", TN_OPTION_TEXT, "LEVEL",
                   "how much it tells the program that uses it: respond, condense or open (default)", NULL },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

/* "car/suspension.yaml" gives "car/suspension.so". */
static bool default_output(char path[TN_CLI_PATH], const char *subsystem)
{
    const char *name = tn_file_name(subsystem), *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - subsystem) : strlen(subsystem);
    return snprintf(path, TN_CLI_PATH, "%.*s.so", (int)length, subsystem) < TN_CLI_PATH;
}

static int run_compile(tn_context *context, const tn_arguments *arguments)
{
    const char *subsystem = arguments->operands[0], *output = arguments->options[OUTPUT].text;
    char beside[TN_CLI_PATH];
    tn_compile_request request;
    if (!output && !default_output(beside, subsystem)) {
        fputs("tenon compile: the path is too long\n", stderr);
        return TN_EXIT_USAGE;
    }
    output = output ? output : beside;
    cJSON *document = arguments->json ? cJSON_CreateObject() : NULL;
    cJSON *diagnostics = document ? cJSON_CreateArray() : NULL;
    int status = tn_compile_request_take(&request, "compile", &arguments->options[OPEN], &arguments->options[DISCLOSE]);
    if (status == TN_EXIT_OK)
        status = tn_diagnostics_flush(context, tn_compile(context, subsystem, output, &request.options), diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_library_describe(context, output, document, diagnostics);
    if (document) {
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    tn_compile_request_end(&request);
    return status;
}

const tn_command tn_command_compile = {
    .name = "compile",
    .summary = "Make a library of a subsystem: usable in models, but not readable.",
    .details = "The library is self-contained and shows its name, its ports and the parameters given with --open.\n"
               "'tenon info LIBRARY' says what a library discloses. See docs/components.md.",
    .operands = "SUBSYSTEM",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_compile,
};
